// SPDX-License-Identifier: Apache-2.0
// Writes the memory image: weights, tables and vector parameters in the order in which the hardware reads them, in one
// file per channel. The layouts are those of gen/ir/layout.h.
#include "gen/pack/image.h"

#include <errno.h>
#include <string.h>
#include <zlib.h>

#include "gen/numerics/numerics.h"
#include "gen/ir/layout.h"
#include "gen/ir/ops.h"
#include "gen/pack/pack.h"

static int64_t beat_bytes(const struct image *im) { return im->ir->design.beat_bits / 8; }

bool image_open(struct image *im) {
    for (int c = 0; c < im->ir->design.channels; c++) {
        im->file[c] = output_open(im->out, arena_printf(im->arena, "image/channel_%02d.bin", c));
        if (!im->file[c]) return false;
    }
    return true;
}

static const struct ir_segment *find_segment(const struct ir *ir, int node) {
    for (int s = 0; s < ir->segments; s++)
        if (ir->segment[s].node == node) return &ir->segment[s];
    base_fatal("pack: node %s has no memory segment", ir->node[node].name);
}

// Writes data of one repetition to the channel's file and records it as a part for the manifest. at: bytes from the
// start of the segment, which is where repetition 0 begins.
static bool put(struct image *im, const struct ir_segment *seg, int channel, int repetition, int64_t at,
                const uint8_t *data, int64_t bytes, struct diag *diag) {
    int64_t offset = seg->offset + at;
    if (at + bytes > (seg->layer_stride ? repetition * seg->layer_stride : 0) + seg->bytes)
        base_fatal("pack: segment %s is too small", seg->name);
    FILE *f = im->file[channel];
    if (fseeko(f, (off_t)offset, SEEK_SET) || fwrite(data, 1, (size_t)bytes, f) != (size_t)bytes) {
        diag_error(diag, loc_none(), MSG_IMAGE_UNWRITABLE, im->out->dir, channel, strerror(errno));
        return false;
    }
    struct image_part part = {seg->name, channel, repetition, offset, bytes, (uint32_t)crc32_z(0, data, (size_t)bytes)};
    VEC_PUSH(im->arena, im->parts, part);
    return true;
}

static void put_f32(uint8_t *at, float f) { memcpy(at, &f, sizeof f); }

// Packs `count` mantissas: one per byte, or with `int4` two per byte, the first one in the low nibble. The bytes must
// be 0 before.
static void put_mantissas(uint8_t *at, const int8_t *q, int64_t count, bool int4) {
    for (int64_t i = 0; i < count; i++) {
        if (!int4) at[i] = (uint8_t)q[i];
        else at[i / 2] = (uint8_t)(at[i / 2] | (uint8_t)((q[i] & 0xf) << (i % 2 * 4)));
    }
}

// ---- header: docs/memory.md, rill_image_header ----

// Stores the low bytes of a word in little-endian order.
static void put_word(uint8_t *at, uint64_t word, int bytes) {
    for (int i = 0; i < bytes; i++) at[i] = (uint8_t)(word >> 8 * i);
}

bool image_header(struct image *im, uint64_t checksum, struct diag *diag) {
    uint8_t *beat = arena_alloc(im->arena, (size_t)beat_bytes(im), 1);
    put_word(beat, IMAGE_MAGIC, 4);
    put_word(beat + 4, IMAGE_VERSION, 4);
    put_word(beat + 8, pack_layout_hash(im->ir), 8);
    put_word(beat + 16, checksum, 8);
    for (int s = 0; s < im->ir->segments; s++) {
        const struct ir_segment *seg = &im->ir->segment[s];
        if (seg->kind == IR_SEG_HEADER) return put(im, seg, seg->channel, 0, 0, beat, beat_bytes(im), diag);
    }
    base_fatal("pack: the image has no header");
}

// ---- products: each lane has every n-th row of the matrix, in chunks of header, group scales and mantissas ----

// Stores the group scales of a row. If the format has group offsets, each scale is followed by its offset.
static void put_groups(uint8_t *at, const struct qmatrix *m, int64_t row) {
    for (int64_t g = row * m->groups; g < (row + 1) * m->groups; g++) {
        *at++ = m->group_scale[g];
        if (m->group_offset) *at++ = (uint8_t)m->group_offset[g];
    }
}

// Packs a row into a lane's data: its scale and bias into the header of its chunk, its group scales after the header,
// and its mantissas into the beats that layout_data_beat gives. step: index of the row among the lane's rows. bytes:
// size of a beat. outer: result of image_is_outer.
static void pack_row(const struct layout_matrix *l, const struct qmatrix *m, int64_t row, int64_t step,
                     float stored_scale, int64_t bytes, bool outer, uint8_t *lane) {
    uint8_t *header = lane + layout_chunk_beat(l, step / l->chunk_rows) * bytes;
    int64_t place = step % l->chunk_rows;
    put_f32(header + 8 * place, stored_scale);
    put_f32(header + 8 * place + 4, m->bias ? m->bias[row] : 0.0f);
    put_groups(header + bytes + place * l->groups * l->group_bytes, m, row);
    bool int4 = l->format != SPEC_INT8;
    int64_t each = int4 ? 2 * bytes : bytes; // mantissas per beat
    for (int64_t beat = 0; beat < l->beats; beat++) {
        int64_t from = beat * each, count = m->k - from < each ? m->k - from : each;
        put_mantissas(lane + layout_data_beat(l, step, beat, outer) * bytes, m->q + row * m->k + from, count, int4);
    }
}

bool image_is_outer(const struct ir *ir, int node) {
    for (int f = 0; f < ir->firings; f++)
        if (ir->firing[f].node == node) return ir->firing[f].outer;
    return false;
}

// Returns the row scales in the form with which the lanes multiply, in scratch memory. Returns NULL after an error.
static const float *stored_scales(struct image *im, const struct store_entry *e, const struct qmatrix *m,
                                  struct diag *diag) {
    const struct ir_node *node = &im->ir->node[e->node];
    int exp_min = (int)im->ir->tensor[node->in[0]].exp_min;
    float *scale = ARENA_ARRAY(im->scratch, float, (size_t)e->rows);
    struct golden_fault fault = {0};
    bool lost = false; // a scale is too small for a float, so its row would become 0
    for (int64_t row = 0; row < e->rows; row++) {
        scale[row] = golden_stored_scale(m->row_scale[row], exp_min, &fault);
        lost |= scale[row] == 0 && m->row_scale[row] != 0;
    }
    if (!fault.raised && !lost) return scale;
    diag_error(diag, node->loc, MSG_SCALE_RANGE, ir_op_of(im->ir, node->op)->name, node->name, exp_min);
    return NULL;
}

// Packs the rows of one lane, which are rows lane_index, lane_index + lanes and so on, in scratch memory. Returns the
// lane's data, l->stream_beats beats.
static const uint8_t *pack_lane(struct image *im, const struct store_entry *e, const struct layout_matrix *l,
                                const struct qmatrix *m, const float *scale, int lane_index) {
    uint8_t *lane = arena_alloc(im->scratch, (size_t)(l->stream_beats * beat_bytes(im)), 1);
    bool outer = image_is_outer(im->ir, e->node);
    int lanes = im->ir->engine[ir_engine_of(im->ir, e->node)].lanes;
    for (int64_t step = 0, row = lane_index; row < e->rows; step++, row += lanes)
        pack_row(l, m, row, step, scale[row], beat_bytes(im), outer, lane);
    return lane;
}

// Writes the data of each lane to its channel.
static bool put_lanes(struct image *im, const struct store_entry *e, const struct layout_matrix *l,
                      const struct qmatrix *m, const float *scale, struct diag *diag) {
    const struct ir_segment *seg = find_segment(im->ir, e->node);
    const struct ir_engine *engine = &im->ir->engine[ir_engine_of(im->ir, e->node)];
    bool ok = true;
    for (int i = 0; ok && i < engine->lanes; i++) {
        struct arena_mark mark = arena_mark(im->scratch);
        ok = put(im, seg, engine->first_channel + i, e->repetition, e->repetition * seg->layer_stride,
                 pack_lane(im, e, l, m, scale, i), l->stream_beats * beat_bytes(im), diag);
        arena_release(im->scratch, mark);
    }
    return ok;
}

// Writes the data of all lanes of a resident engine to one channel, in the order in which rill_weight_store loads it:
// beat 0 of each lane, then beat 1 of each lane, and so on.
static bool put_stored(struct image *im, const struct store_entry *e, const struct layout_matrix *l,
                       const struct qmatrix *m, const float *scale, struct diag *diag) {
    const struct ir_segment *seg = find_segment(im->ir, e->node);
    int lanes = im->ir->engine[ir_engine_of(im->ir, e->node)].lanes;
    int64_t beat = beat_bytes(im), bytes = l->stream_beats * lanes * beat;
    struct arena_mark mark = arena_mark(im->scratch);
    uint8_t *all = arena_alloc(im->scratch, (size_t)bytes, 1);
    for (int i = 0; i < lanes; i++) {
        const uint8_t *lane = pack_lane(im, e, l, m, scale, i);
        for (int64_t b = 0; b < l->stream_beats; b++)
            memcpy(all + (b * lanes + i) * beat, lane + b * beat, (size_t)beat);
    }
    bool ok = put(im, seg, seg->channel, e->repetition, e->repetition * seg->layer_stride, all, bytes, diag);
    arena_release(im->scratch, mark);
    return ok;
}

static bool pack_lanes(struct image *im, const struct store_entry *e, const struct qmatrix *m, struct diag *diag) {
    const float *scale = stored_scales(im, e, m, diag);
    const struct ir_engine *engine = &im->ir->engine[ir_engine_of(im->ir, e->node)];
    struct layout_matrix l = layout_matrix(&im->ir->design, engine->lanes, e->rows, e->k, (enum spec_format)e->format);
    if (!scale) return false;
    return ir_is_resident(engine) ? put_stored(im, e, &l, m, scale, diag) : put_lanes(im, e, &l, m, scale, diag);
}

// ---- embedding: records of header and row ----

static struct layout_record record_of(const struct image *im, const struct store_entry *e) {
    return layout_record(&im->ir->design, e->k, layout_table_format(&im->ir->node[e->node]));
}

// Packs a row of an embedding: a header with the row's scale and its group scales, then the mantissas.
static void pack_record(const struct image *im, const struct store_entry *e, const struct qmatrix *m, int64_t row,
                        uint8_t *record) {
    uint8_t *data = record + record_of(im, e).header_beats * beat_bytes(im);
    put_f32(record, m->row_scale[row]);
    if (m->groups) memcpy(record + 4, m->group_scale + row * m->groups, (size_t)m->groups);
    if (!m->q16) put_mantissas(data, m->q + row * m->k, m->k, m->groups > 0);
    for (int64_t i = 0; m->q16 && i < m->k; i++) put_word(data + 2 * i, (uint64_t)m->q16[row * m->k + i], 2);
}

// Writes the rows of an embedding. If the table is spread over n channels, channel i of them gets rows i, i + n and so
// on.
static bool pack_records(struct image *im, const struct store_entry *e, const struct qmatrix *m, struct diag *diag) {
    const struct ir_segment *seg = find_segment(im->ir, e->node);
    int64_t bytes = record_of(im, e).bytes;
    int parts = ir_parts(seg->parts);
    bool ok = true;
    for (int part = 0; ok && part < parts; part++) {
        struct arena_mark mark = arena_mark(im->scratch);
        int64_t rows = 0;
        uint8_t *table = arena_alloc(im->scratch, (size_t)(layout_div_up(e->rows, parts) * bytes), 1);
        for (int64_t row = part; row < e->rows; row += parts) pack_record(im, e, m, row, table + rows++ * bytes);
        ok = put(im, seg, seg->channel + part, seg->layer_stride ? e->repetition : 0, e->repetition * seg->layer_stride,
                 table, rows * bytes, diag);
        arena_release(im->scratch, mark);
    }
    return ok;
}

bool image_matrix(struct image *im, const struct store_entry *e, const struct qmatrix *m, struct diag *diag) {
    if (!im->file[0]) return true; // only the golden weights are written
    return ir_op_weights(im->ir, im->ir->node[e->node].op) == IR_WEIGHTS_RECORDS ? pack_records(im, e, m, diag)
                                                                                 : pack_lanes(im, e, m, diag);
}

// ---- fp32 tables and vector parameters ----

// Writes a table of fp32 rows. Each row begins at a beat.
static bool pack_float_rows(struct image *im, const struct store_entry *e, const float *f, struct diag *diag) {
    const struct ir_segment *seg = find_segment(im->ir, e->node);
    int64_t row_bytes = layout_float_row_beats(&im->ir->design, e->k) * beat_bytes(im);
    uint8_t *table = arena_alloc(im->scratch, (size_t)(row_bytes * e->rows), 1);
    for (int64_t row = 0; row < e->rows; row++)
        memcpy(table + row * row_bytes, f + row * e->k, sizeof(float) * (size_t)e->k);
    return put(im, seg, seg->channel, seg->layer_stride ? e->repetition : 0, e->repetition * seg->layer_stride, table,
               row_bytes * e->rows, diag);
}

// Writes vector parameters. Each word has LANES consecutive values of each vector, the first vector in the low part. If
// the hardware needs several copies of the parameters, all words are written once for each copy.
static bool pack_params(struct image *im, const struct store_entry *e, const float *f, struct diag *diag) {
    const struct ir_segment *seg = find_segment(im->ir, e->node);
    int64_t lanes = ir_node_lanes(im->ir, e->node), chunks = layout_div_up(e->k, lanes);
    int64_t word = layout_param_word_bits(lanes, e->rows) / 8, bytes = chunks * word;
    uint8_t *data = arena_alloc(im->scratch, (size_t)bytes, 1);
    for (int64_t v = 0; v < e->rows; v++)
        for (int64_t i = 0; i < e->k; i++)
            put_f32(data + i / lanes * word + (v * lanes + i % lanes) * 4, f[v * e->k + i]);
    int64_t copies = ir_param_copies(im->ir, &im->ir->node[e->node]);
    bool ok = true;
    for (int64_t c = 0; ok && c < copies; c++)
        ok = put(im, seg, seg->channel, e->repetition, (e->repetition * copies + c) * bytes, data, bytes, diag);
    return ok;
}

bool image_floats(struct image *im, const struct store_entry *e, const float *f, struct diag *diag) {
    if (!im->file[0]) return true;
    bool vectors = ir_op_weights(im->ir, im->ir->node[e->node].op) == IR_WEIGHTS_VECTORS;
    return vectors ? pack_params(im, e, f, diag) : pack_float_rows(im, e, f, diag);
}
