// SPDX-License-Identifier: Apache-2.0
// Memory layout arithmetic shared by the passes, the packer and the harness (docs/engine.md, docs/memory.md). Sizes are
// in beats unless the name or comment says otherwise.
#ifndef RILL_LAYOUT_H
#define RILL_LAYOUT_H

#include "gen/ir/ir.h"

enum { LAYOUT_V_BLOCK = 64 /* positions of one V block */, LAYOUT_ALIGN = 4096 /* bytes; a burst never crosses it */ };

static inline int64_t layout_div_up(int64_t a, int64_t b) { return (a + b - 1) / b; }
static inline int64_t layout_align(int64_t bytes) { return layout_div_up(bytes, LAYOUT_ALIGN) * LAYOUT_ALIGN; }

// A weight matrix [rows][k] as the lanes of an engine read it. There are `channels` lanes; row n is on lane n mod
// channels.
struct layout_matrix {
    int64_t rows, k;
    enum spec_format format;
    int64_t row_steps;   // rows per lane, ceil(rows / channels)
    int64_t beats;       // data beats of a row
    int64_t groups;      // group words of a row: for int4 the scales, for int4_asym one word per beat
    int64_t group_bytes; // bytes of a group word
    int64_t chunk_rows;  // row-steps that share header beats: the parameters of so many rows, 64 bits each, fill a beat
    int64_t scale_beats; // beats with the group words of a chunk, 0 for int8
    int64_t last_rows;   // valid rows of the last row-step
    int64_t stream_beats; // beats of the whole matrix on one lane
};
struct layout_matrix layout_matrix(const struct ir_design *, int channels, int64_t rows, int64_t k, enum spec_format);
enum spec_format layout_format(const struct ir_node *matmul); // of its weights
// Bits of the sum of a row of k weights, with its sign (docs/numerics.md section 5).
int layout_sum_bits(const struct ir_design *, enum spec_format, int64_t k);
// Index, in the lane's stream, of a data beat of row-step `step`. outer: the first chunk stores beat 0 of all its
// row-steps, then beat 1, and so on. layout_chunk_beat: where the header of a chunk begins.
int64_t layout_data_beat(const struct layout_matrix *, int64_t step, int64_t beat, bool outer);
int64_t layout_chunk_beat(const struct layout_matrix *, int64_t chunk);

// The KV cache of one attention operation. K is dealt out over the channels of the engine that computes scores, V over
// the channels of the engine that multiplies by the values.
struct layout_kv {
    int64_t heads, head_dim;
    int64_t k_units;     // beats of a head at one position
    int64_t k_positions; // positions per channel, ceil(context / channels)
    int64_t k_head_bytes, k_layer_bytes;
    int64_t v_rows;        // row-steps of a head, ceil(head_dim / channels)
    int64_t v_block_beats; // beats of one block of 64 positions
    int64_t v_blocks;      // ceil(context / 64)
    int64_t v_row_bytes, v_layer_bytes;
};
struct layout_kv layout_kv(const struct ir_design *, int channels, int64_t heads, int64_t head_dim);

// One record of an embedding table: header beats (fp32 row scale, then uint8 group scales), then the data beats of the
// row.
struct layout_record {
    int64_t groups, header_beats, data_beats, bytes;
};
enum spec_table_format layout_table_format(const struct ir_node *embed);
struct layout_record layout_record(const struct ir_design *, int64_t cols, enum spec_table_format);
// The bits per clock that a load sends to the stores of parameters (layout_load_bits) are a beat. In a design with
// several dies they are a quarter of a beat, because the load bus crosses to other dies.
enum { LAYOUT_LOAD_PIECES = 4 };
static inline int64_t layout_load_pieces(const struct ir_design *d) { return d->dies > 1 ? LAYOUT_LOAD_PIECES : 1; }
static inline int64_t layout_load_bits(const struct ir_design *d) { return d->beat_bits / layout_load_pieces(d); }
// Beats of a row of fp32 values, padded to whole beats.
int64_t layout_float_row_beats(const struct ir_design *, int64_t cols);
// Bytes of a row of a graph's input or output: chunks of LANES fp32, padded to whole groups of max(beat, chunk).
int64_t layout_io_row_bytes(const struct ir_design *, int64_t n);
// Vector parameters are words of lanes * vectors fp32 (vectors rounded up to a power of two), packed into beats. n:
// elements of a vector; repeat: how often the vectors are stored.
int64_t layout_param_word_bits(int64_t lanes, int64_t vectors);
int64_t layout_param_beats(const struct ir_design *, int64_t lanes, int64_t vectors, int64_t n, int64_t repeat);

#endif
