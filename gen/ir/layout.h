// SPDX-License-Identifier: Apache-2.0
// The layout of weights, tables, caches and rows in memory, for the passes, the packer and the harness (docs/engine.md,
// docs/memory.md). A beat has design.beat_bits bits. Sizes are in beats unless the name or comment gives another unit.
#ifndef RILL_LAYOUT_H
#define RILL_LAYOUT_H

#include "gen/ir/ir.h"

enum { LAYOUT_V_BLOCK = 64 /* positions of one V block */, LAYOUT_ALIGN = 4096 /* bytes; a burst never crosses it */ };

static inline int64_t layout_div_up(int64_t a, int64_t b) { return (a + b - 1) / b; }
static inline int64_t layout_align(int64_t bytes) { return layout_div_up(bytes, LAYOUT_ALIGN) * LAYOUT_ALIGN; }

// A weight matrix [rows][k] as the lanes of an engine read it: in chunks of row-steps, each of which begins with header
// beats. A row-step is one row in each lane. `channels` is the number of the engine's lanes. Each lane reads one
// channel, except in a resident engine. Lane n mod `channels` reads row n.
struct layout_matrix {
    int64_t rows, k;
    enum spec_format format;
    int64_t row_steps;   // rows per lane, ceil(rows / channels)
    int64_t beats;       // data beats of a row
    int64_t groups;      // group words of a row: for int4 one per scale, for int4_asym one per data beat, for int8 none
    int64_t group_bytes; // bytes of a group word
    int64_t chunk_rows;  // row-steps of a chunk; the row scales and biases of so many rows, 64 bits each, fill a beat
    int64_t scale_beats; // header beats with the group words of a chunk, 0 for int8
    int64_t last_rows;   // valid rows of the last row-step
    int64_t stream_beats; // beats of the whole matrix on one lane
};
struct layout_matrix layout_matrix(const struct ir_design *, int channels, int64_t rows, int64_t k, enum spec_format);
enum spec_format layout_format(const struct ir_node *matmul); // of its weights
// Returns the bits, with the sign, of the largest sum of the products of k weights with an operand (docs/numerics.md
// section 5).
int layout_sum_bits(const struct ir_design *, enum spec_format, int64_t k);
// layout_data_beat returns the index, in the lane's stream, of data beat `beat` of row-step `step`. outer: the first
// chunk stores beat 0 of all its row-steps, then beat 1 of all, and so on. layout_chunk_beat returns the index of the
// first header beat of a chunk.
int64_t layout_data_beat(const struct layout_matrix *, int64_t step, int64_t beat, bool outer);
int64_t layout_chunk_beat(const struct layout_matrix *, int64_t chunk);

// The KV cache of one attention operation. K is dealt out over the channels of the engine that computes scores, V over
// the channels of the engine that multiplies by the values.
struct layout_kv {
    int64_t heads, head_dim;
    int64_t k_units;     // beats of a head's key at one position
    int64_t k_positions; // positions per channel, ceil(context / channels)
    // The bytes that keys take on one channel: one head of a layer, and the whole layer, which is rounded up because a
    // layer begins at a multiple of LAYOUT_ALIGN.
    int64_t k_head_bytes, k_layer_bytes;
    int64_t v_rows;        // row-steps of a head, ceil(head_dim / channels)
    int64_t v_block_beats; // beats of a row of one block of 64 positions
    int64_t v_blocks;      // ceil(context / 64)
    // The bytes that values take on one channel: one row, and the whole layer, rounded up for the same reason.
    int64_t v_row_bytes, v_layer_bytes;
};
struct layout_kv layout_kv(const struct ir_design *, int channels, int64_t heads, int64_t head_dim);

// One record of an embedding table, a row: header beats (fp32 row scale, then uint8 group scales), then the data beats.
// groups: group scales of a row, 0 except for int4. bytes: the whole record.
struct layout_record {
    int64_t groups, header_beats, data_beats, bytes;
};
enum spec_table_format layout_table_format(const struct ir_node *embed);
struct layout_record layout_record(const struct ir_design *, int64_t cols, enum spec_table_format);
// When parameters are loaded, the load bus carries one beat per cycle (layout_load_bits) to the parameter stores. In a
// design with several dies, it carries a quarter of a beat per cycle, so that fewer wires cross to the other dies.
enum { LAYOUT_LOAD_PIECES = 4 };
static inline int64_t layout_load_pieces(const struct ir_design *d) { return d->dies > 1 ? LAYOUT_LOAD_PIECES : 1; }
static inline int64_t layout_load_bits(const struct ir_design *d) { return d->beat_bits / layout_load_pieces(d); }
// A ring has room for the ids of all positions and one more. In a design with `logprobs`, a record of log probabilities
// for each of these ids follows. layout_logprobs_at returns the bytes from the ring to the first record, and
// layout_logprobs_bytes the bytes of all records.
enum {
    LAYOUT_LOGPROBS_BYTES = 64,                                      // a record
    LAYOUT_LOGPROBS_BITS = RING_BITS / 2 + 8 * LAYOUT_LOGPROBS_BYTES // an index and a record
};
static inline int64_t layout_ring_ids(const struct ir_design *d) { return d->context + 1; }
static inline int64_t layout_logprobs_at(const struct ir_design *d) { return layout_align(layout_ring_ids(d) * 4); }
static inline int64_t layout_logprobs_bytes(const struct ir_design *d) {
    return d->logprobs ? layout_align(layout_ring_ids(d) * LAYOUT_LOGPROBS_BYTES) : 0;
}
// Returns the beats of a row of `cols` fp32 values.
int64_t layout_float_row_beats(const struct ir_design *, int64_t cols);
// Returns the bytes of a row of n fp32 values at a graph's input or output. The row is stored in chunks of design.lanes
// values and padded to a multiple of the larger of a chunk and a beat.
int64_t layout_io_row_bytes(const struct ir_design *, int64_t n);
// The parameter vectors of an operation (such as gamma and beta) are stored as words that have `lanes` elements of each
// vector in fp32. The number of vectors is rounded up to a power of two. Words are packed into beats. These return the
// bits of such a word, and the beats of all words. n: elements of a vector; repeat: repetitions, each of which has
// other vectors.
int64_t layout_param_word_bits(int64_t lanes, int64_t vectors);
int64_t layout_param_beats(const struct ir_design *, int64_t lanes, int64_t vectors, int64_t n, int64_t repeat);

#endif
