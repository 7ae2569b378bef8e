// SPDX-License-Identifier: Apache-2.0
// Calculates how weights, tables, caches and rows are laid out in memory (gen/ir/layout.h).
#include "gen/ir/layout.h"

static int64_t beat_bytes(const struct ir_design *d) { return d->beat_bits / 8; }

struct layout_matrix layout_matrix(const struct ir_design *d, int channels, int64_t rows, int64_t k,
                                   enum spec_format format) {
    struct layout_matrix m = {.rows = rows, .k = k, .format = format};
    int64_t xs = beat_bytes(d);
    m.row_steps = layout_div_up(rows, channels);
    m.beats = layout_div_up(k, format == SPEC_INT8 ? xs : 2 * xs);
    m.groups = format == SPEC_INT8 ? 0 : format == SPEC_INT4_ASYM ? m.beats : layout_div_up(k, d->group);
    m.group_bytes = format == SPEC_INT4_ASYM ? xs / 8 : 1; // a scale and an offset per 32 of a beat's 2 * xs weights
    m.chunk_rows = d->beat_bits / 64;
    m.scale_beats = layout_div_up(m.chunk_rows * m.groups * m.group_bytes, xs);
    m.last_rows = rows - (m.row_steps - 1) * channels;
    m.stream_beats = layout_div_up(m.row_steps, m.chunk_rows) * (1 + m.scale_beats) + m.row_steps * m.beats;
    return m;
}

enum spec_format layout_format(const struct ir_node *matmul) {
    return (enum spec_format)ir_attr_choice(&matmul->attrs, "weights", SPEC_INT8);
}

int layout_sum_bits(const struct ir_design *d, enum spec_format format, int64_t k) {
    // Largest magnitude of a weight times the scale of its group; int4_asym adds 8 times the largest offset.
    static const int64_t largest[SPEC_FORMATS] = {
        [SPEC_INT8] = 127, [SPEC_INT4] = 8 * 255, [SPEC_INT4_ASYM] = 8 * 255 + 8 * 128};
    int mantissa = spec_mantissa_bits(d->activations),
        shift = 39 - mantissa; // largest `shift` of a block (docs/numerics.md section 3)
    int64_t most = largest[format] * ((1 << (mantissa - 1)) - 1) * k;
    return u64_clog2((uint64_t)most + 1) + shift + 1;
}

int64_t layout_chunk_beat(const struct layout_matrix *m, int64_t chunk) {
    return chunk * (1 + m->scale_beats + m->chunk_rows * m->beats);
}

int64_t layout_data_beat(const struct layout_matrix *m, int64_t step, int64_t beat, bool outer) {
    int64_t first = layout_chunk_beat(m, step / m->chunk_rows) + 1 + m->scale_beats;
    int64_t rows = m->row_steps < m->chunk_rows ? m->row_steps : m->chunk_rows;
    if (outer && step < m->chunk_rows) return first + beat * rows + step;
    return first + step % m->chunk_rows * m->beats + beat;
}

struct layout_kv layout_kv(const struct ir_design *d, int channels, int64_t heads, int64_t head_dim) {
    struct layout_kv kv = {.heads = heads, .head_dim = head_dim};
    int64_t bytes = beat_bytes(d);
    kv.k_units = layout_div_up(head_dim, bytes);
    kv.k_positions = layout_div_up(d->context, channels);
    kv.k_head_bytes = kv.k_positions * kv.k_units * bytes;
    kv.k_layer_bytes = layout_align(heads * kv.k_head_bytes);
    kv.v_rows = layout_div_up(head_dim, channels);
    kv.v_block_beats = LAYOUT_V_BLOCK / bytes;
    if (kv.v_block_beats < 1) kv.v_block_beats = 1;
    kv.v_blocks = layout_div_up(d->context, LAYOUT_V_BLOCK);
    kv.v_row_bytes = kv.v_blocks * kv.v_block_beats * bytes;
    kv.v_layer_bytes = layout_align(heads * kv.v_rows * kv.v_row_bytes);
    return kv;
}

enum spec_table_format layout_table_format(const struct ir_node *embed) {
    return (enum spec_table_format)ir_attr_choice(&embed->attrs, "format", SPEC_TABLE_INT8);
}

struct layout_record layout_record(const struct ir_design *d, int64_t cols, enum spec_table_format format) {
    static const int64_t bits[] = {[SPEC_TABLE_INT8] = 8, [SPEC_TABLE_INT4] = 4, [SPEC_TABLE_INT16] = 16};
    struct layout_record r = {.groups = format == SPEC_TABLE_INT4 ? layout_div_up(cols, d->group) : 0};
    int64_t bytes = beat_bytes(d);
    r.header_beats = layout_div_up(4 + r.groups, bytes);
    r.data_beats = layout_div_up(cols * bits[format], d->beat_bits);
    r.bytes = (r.header_beats + r.data_beats) * bytes;
    return r;
}

int64_t layout_float_row_beats(const struct ir_design *d, int64_t cols) {
    return layout_div_up(cols * 4, beat_bytes(d));
}

int64_t layout_param_word_bits(int64_t lanes, int64_t vectors) { return lanes * 32 << u64_clog2((uint64_t)vectors); }

int64_t layout_param_beats(const struct ir_design *d, int64_t lanes, int64_t vectors, int64_t n, int64_t repeat) {
    int64_t words = layout_div_up(n, lanes) * repeat, bits = layout_param_word_bits(lanes, vectors);
    return layout_div_up(words * bits, d->beat_bits);
}

int64_t layout_io_row_bytes(const struct ir_design *d, int64_t n) {
    int64_t chunk = d->lanes * 4, group = chunk > beat_bytes(d) ? chunk : beat_bytes(d);
    return layout_div_up(layout_div_up(n, d->lanes) * chunk, group) * group;
}
