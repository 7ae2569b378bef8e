// SPDX-License-Identifier: Apache-2.0
// Tests the packer: reads the memory image as docs/engine.md and docs/memory.md describe it, without the packer's
// layout functions, and compares it with the weights in golden.bin. Also tests wrong checkpoints, damaged files and
// full disks.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "tests/unit/image_fixture.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "gen/numerics/numerics.h"
#include "gen/pack/golden_store.h"
#include "gen/pack/image.h"
#include "gen/ir/ops.h"
#include "gen/model/checkpoint.h"

struct packed {
    const struct ir *ir;
    const char *dir;            // folder of the image
    struct store store;         // the quantized weights in golden.bin
    const uint8_t *channel[32]; // content of each channel
    size_t bytes[32];           // size of each channel's content
};

static void open_packed(struct image_fixture *x, struct packed *p) {
    const char *why;
    assert_true(store_open(&p->store, &x->f.arena, p->ir, p->dir, &x->f.diag));
    for (int c = 0; c < p->ir->design.channels; c++) {
        const char *path = arena_printf(&x->f.arena, "%s/channel_%02d.bin", p->dir, c);
        p->channel[c] = (const uint8_t *)file_read(&x->f.arena, path, 64 << 20, &p->bytes[c], &why);
        assert_non_null(p->channel[c]);
    }
}

static const struct ir_segment *segment_of(const struct ir *ir, int node) {
    for (int s = 0; s < ir->segments; s++)
        if (ir->segment[s].node == node) return &ir->segment[s];
    fail_msg("no segment of node %d", node);
    return NULL;
}

// ---- reading the image as the hardware does ----

struct cursor {
    const uint8_t *at, *end;
    int64_t beat; // bytes of a beat
};

// Returns the next `count` beats and moves the cursor past them.
static const uint8_t *next_beats(struct cursor *c, int64_t count) {
    const uint8_t *here = c->at;
    c->at += count * c->beat;
    assert_true(c->at <= c->end);
    return here;
}

static void assert_f32(const uint8_t *p, float want) { assert_memory_equal(p, &want, sizeof want); }

// Returns weight i of consecutive beats.
static int mantissa(const uint8_t *beats, int64_t i, bool int4) {
    if (!int4) return (int8_t)beats[i];
    int nibble = beats[i / 2] >> (i % 2 * 4) & 15;
    return nibble < 8 ? nibble : nibble - 16;
}

// Compares the scale, the bias and the group scales of a row. If `row` is past the end, all of them must be zero.
static void check_row_header(const struct packed *p, const struct store_entry *e, int64_t row, const uint8_t *params,
                             const uint8_t *scales) {
    bool valid = row < e->rows;
    const float *scale = store_at(&p->store, e->row_scale), *bias = store_at(&p->store, e->bias);
    const uint8_t *group = store_at(&p->store, e->group_scale);
    int exp_min = (int)p->ir->tensor[p->ir->node[e->node].in[0]].exp_min;
    struct golden_fault fault = {0};
    assert_f32(params, valid ? golden_stored_scale(scale[row], exp_min, &fault) : 0.0f);
    assert_f32(params + 4, valid && bias ? bias[row] : 0.0f);
    for (int64_t g = 0; g < e->groups; g++) assert_int_equal(scales[g], valid ? group[row * e->groups + g] : 0);
}

// Compares weights of a row, from column `first` on. Columns and rows past the end must be zero.
static void check_beat(const struct packed *p, const struct store_entry *e, int64_t row, const uint8_t *data,
                       int64_t first, int64_t elements) {
    const int8_t *q = store_at(&p->store, e->q);
    bool int4 = e->format == QFORMAT_INT4;
    for (int64_t i = 0, k = first; i < elements; i++, k++)
        assert_int_equal(mantissa(data, i, int4), row < e->rows && k < e->k ? q[row * e->k + k] : 0);
}

// Returns whether the first chunk of a product is stored column by column, according to the engine's schedule.
static bool is_outer(const struct ir *ir, int node) {
    for (int f = 0; f < ir->firings; f++)
        if (ir->firing[f].node == node) return ir->firing[f].outer;
    return false;
}

// Compares all that one lane reads for a product, in order: chunks of row parameters, group scales and rows.
static void check_lane(const struct packed *p, const struct store_entry *e, int lane) {
    const struct ir_design *d = &p->ir->design;
    const struct ir_segment *s = segment_of(p->ir, e->node);
    const struct ir_engine *engine = &p->ir->engine[ir_engine_of(p->ir, e->node)];
    int channel = engine->first_channel + lane;
    int64_t beat = d->beat_bits / 8, chunk = d->beat_bits / 64, steps = div_up(e->rows, engine->channels),
            per_beat = e->groups ? 2 * beat : beat;
    struct cursor c = {p->channel[channel] + s->offset + e->repetition * s->layer_stride,
                       p->channel[channel] + p->bytes[channel], beat};
    const uint8_t *begin = c.at;
    for (int64_t first = 0; first < steps; first += chunk) {
        const uint8_t *params = next_beats(&c, 1), *scales = next_beats(&c, div_up(chunk * e->groups, beat));
        int64_t rows = steps - first < chunk ? steps - first : chunk, beats = div_up(e->k, per_beat);
        bool outer = first == 0 && is_outer(p->ir, e->node);
        for (int64_t i = 0; i < rows; i++)
            check_row_header(p, e, (first + i) * engine->channels + lane, params + 8 * i, scales + i * e->groups);
        for (int64_t n = 0; n < rows * beats; n++) {
            int64_t i = outer ? n % rows : n / beats, b = outer ? n / rows : n % beats;
            check_beat(p, e, (first + i) * engine->channels + lane, next_beats(&c, 1), b * per_beat, per_beat);
        }
    }
    assert_true(c.at - begin == s->bytes);
}

// Compares a row of int16 elements, the low byte first.
static void check_wide(const struct packed *p, const struct store_entry *e, int64_t row, const uint8_t *data,
                       int64_t elements) {
    const int16_t *q = store_at(&p->store, e->q);
    for (int64_t i = 0; i < elements; i++)
        assert_int_equal((int16_t)(data[2 * i] | data[2 * i + 1] << 8), i < e->k ? q[row * e->k + i] : 0);
}

// Compares the records of a table. Each has header beats (row scale, group scales), then the row.
static void check_records(const struct packed *p, const struct store_entry *e) {
    const struct ir_segment *s = segment_of(p->ir, e->node);
    bool wide = e->format == QFORMAT_INT16;
    int64_t beat = p->ir->design.beat_bits / 8,
            per_beat = wide        ? beat / 2
                       : e->groups ? 2 * beat
                                   : beat,
            beats = div_up(e->k, per_beat);
    struct cursor c = {p->channel[s->channel] + s->offset, p->channel[s->channel] + p->bytes[s->channel], beat};
    const float *scale = store_at(&p->store, e->row_scale);
    const uint8_t *group = store_at(&p->store, e->group_scale);
    for (int64_t row = 0; row < e->rows; row++) {
        const uint8_t *header = next_beats(&c, div_up(4 + e->groups, beat));
        assert_f32(header, scale[row]);
        if (e->groups) assert_memory_equal(header + 4, group + row * e->groups, (size_t)e->groups);
        const uint8_t *data = next_beats(&c, beats);
        if (wide) check_wide(p, e, row, data, beats * per_beat);
        else check_beat(p, e, row, data, 0, beats * per_beat);
    }
}

// Compares a table of position rows, which are fp32 and begin at whole beats.
static void check_positions(const struct packed *p, const struct store_entry *e) {
    const struct ir_segment *s = segment_of(p->ir, e->node);
    int64_t beat = p->ir->design.beat_bits / 8, beats = div_up(4 * e->k, beat);
    struct cursor c = {p->channel[s->channel] + s->offset, p->channel[s->channel] + p->bytes[s->channel], beat};
    const float *f = store_at(&p->store, e->f32);
    for (int64_t row = 0; row < e->rows; row++) {
        const uint8_t *data = next_beats(&c, beats);
        for (int64_t i = 0; i < beats * beat / 4; i++) assert_f32(data + 4 * i, i < e->k ? f[row * e->k + i] : 0.0f);
    }
}

// Compares vector parameters: words of LANES gains and LANES offsets, for one repetition after another.
static void check_params(const struct packed *p, const struct store_entry *e) {
    const struct ir_segment *s = segment_of(p->ir, e->node);
    int64_t lanes = p->ir->design.lanes, chunks = div_up(e->k, lanes), word = lanes * 4 * e->rows;
    const uint8_t *at = p->channel[s->channel] + s->offset + e->repetition * chunks * word;
    const float *f = store_at(&p->store, e->f32);
    assert_true(at + chunks * word <= p->channel[s->channel] + p->bytes[s->channel]);
    for (int64_t i = 0; i < chunks * lanes; i++)
        for (int64_t v = 0; v < e->rows; v++)
            assert_f32(at + i / lanes * word + (v * lanes + i % lanes) * 4, i < e->k ? f[v * e->k + i] : 0.0f);
}

static void check_entry(const struct packed *p, const struct store_entry *e) {
    int op = p->ir->node[e->node].op;
    if (op == IR_OP_EMBED) check_records(p, e);
    else if (op == IR_OP_POSITION) check_positions(p, e);
    else if (e->is_float) check_params(p, e);
    else
        for (int lane = 0; lane < p->ir->engine[ir_engine_of(p->ir, e->node)].channels; lane++) check_lane(p, e, lane);
}

static const char *odd_model(struct image_fixture *x, const char *design) {
    return arena_printf(
        &x->f.arena,
        "name: odd\nmodel: {family: gpt2, layers: 2, hidden: 96, heads: 3, ffn: 200, vocab: 97, context: 40}\n"
        "board: u55c\ndesign: {fifo: safe, %s}\n",
        design);
}

static void test_layout(void **state) {
    (void)state;
    static const char *const designs[] = {
        "channels: 1, beat_bits: 512, lanes: 8",
        "channels: 3, beat_bits: 256, lanes: 16, weights: int4",
        "channels: 4, beat_bits: 512, lanes: 4, weights: int4, head: int4",
        "channels: 32, beat_bits: 256, lanes: 1, head: int4, group: 64",
        "channels: 9, beat_bits: 512, lanes: 8, binding: spatial",
        "channels: 30, beat_bits: 256, lanes: 2, weights: int4, binding: spatial",
        "channels: 3, beat_bits: 256, lanes: 32, embedding: int16",
        "channels: 2, beat_bits: 512, lanes: 8, weights: int4, head: int4, embedding: int16",
    };
    for (size_t i = 0; i < COUNT_OF(designs); i++) {
        struct image_fixture x;
        image_begin(&x);
        struct packed p = {.ir = image_build(&x, odd_model(&x, designs[i]), NULL)};
        p.dir = image_pack(&x, p.ir, "random:3", "d");
        open_packed(&x, &p);
        for (int e = 0; e < p.store.count; e++) check_entry(&p, &p.store.entry[e]);
        assert_true(pack_check_image(p.ir, p.dir, &x.f.diag));
        assert_no_errors(&x.f);
        store_close(&p.store);
        image_end(&x);
    }
}

// Tests a graph that is not a transformer, with a norm without offsets and a matrix with a row offset.
static void test_graph_layout(void **state) {
    (void)state;
    static const char spec[] =
        "name: g\ngraph:\n  inputs: {x: {shape: [72]}}\n  outputs: [y]\n  regions:\n    - name: main\n      repeat: 3\n"
        "      carry: {h: {init: x, next: y}}\n      ops:\n"
        "        - {op: rmsnorm, name: n, in: [h], gamma: \"g.{layer}\"}\n"
        "        - {op: quantize, name: q, in: [n]}\n"
        "        - {op: matmul, name: acc, in: [q], rows: 72, row_offset: 5, transpose: 1, weight: \"w.{layer}\"}\n"
        "        - {op: dequantize, name: y, in: [acc]}\n"
        "board: u55c\ndesign: {channels: 5, lanes: 8, fifo: safe}\n";
    struct image_fixture x;
    image_begin(&x);
    struct packed p = {.ir = image_build(&x, spec, NULL)};
    p.dir = image_pack(&x, p.ir, "random:3", "d");
    open_packed(&x, &p);
    assert_int_equal(p.store.count, 6);
    for (int e = 0; e < p.store.count; e++) check_entry(&p, &p.store.entry[e]);
    store_close(&p.store);
    image_end(&x);
}

// The gains and offsets of a norm must be those of the checkpoint, in each layer.
static void test_norms(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    struct ir *ir = image_build(&x, odd_model(&x, "channels: 1"), "drop-unread");
    struct store store;
    assert_true(store_open(&store, &x.f.arena, ir, image_pack_golden(&x, ir, "random:3", "d"), &x.f.diag));
    struct checkpoint *c = checkpoint_open(&x.f.arena, "random:3", &x.f.diag);
    for (int layer = 0; layer < 2; layer++) {
        const struct store_entry *e = store_find(&store, image_node(ir, "norm2"), layer);
        const char *gain = arena_printf(&x.f.arena, "h.%d.ln_2.weight", layer),
                   *offset = arena_printf(&x.f.arena, "h.%d.ln_2.bias", layer);
        const float *f = store_at(&store, e->f32);
        size_t bytes = sizeof *f * 96;
        assert_memory_equal(f, checkpoint_vector(c, &x.f.arena, gain, 96, 0, 96, CHECKPOINT_GAIN, &x.f.diag), bytes);
        assert_memory_equal(f + 96, checkpoint_vector(c, &x.f.arena, offset, 96, 0, 96, CHECKPOINT_BIAS, &x.f.diag),
                            bytes);
    }
    checkpoint_close(c);
    store_close(&store);
    image_end(&x);
}

// Tests rows that are so long that the headers and the group scales take several beats.
static void test_long_rows(void **state) {
    (void)state;
    static const char spec[] =
        "name: g\ngraph:\n  inputs: {t: {shape: [1]}}\n  outputs: [y]\n  context: 8\n  regions:\n    - name: main\n    "
        "  ops:\n"
        "        - {op: embed, name: e, in: [t], rows: 20, cols: 2200, format: int4, weight: table}\n"
        "    - name: head\n      when: last\n      ops:\n"
        "        - {op: quantize, name: q, in: [e]}\n"
        "        - {op: matmul, name: acc, in: [q], rows: 20, weights: int4, weight: head}\n"
        "        - {op: dequantize, name: l, in: [acc]}\n"
        "        - {op: argmax, name: y, in: [l]}\n"
        "board: u55c\ndesign: {channels: 2, lanes: 8, beat_bits: 256, group: 64, fifo: safe}\n";
    struct image_fixture x;
    image_begin(&x);
    struct packed p = {.ir = image_build(&x, spec, NULL)};
    p.dir = image_pack(&x, p.ir, "random:3", "d");
    open_packed(&x, &p);
    assert_int_equal(p.store.entry[0].groups, 35);
    for (int e = 0; e < p.store.count; e++) check_entry(&p, &p.store.entry[e]);
    store_close(&p.store);
    image_end(&x);
}

// The embedding and the tied head must be one matrix in golden.bin if their formats are equal. Matrices of different
// layers must be two.
static void test_tied(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    struct ir *ir = image_build(&x, odd_model(&x, "channels: 1"), "drop-unread");
    struct store store;
    assert_true(store_open(&store, &x.f.arena, ir, image_pack_golden(&x, ir, "random:3", "d"), &x.f.diag));
    const struct store_entry *table = store_find(&store, image_node(ir, "token_row"), 0),
                             *head = store_find(&store, image_node(ir, "logits_acc"), 0);
    assert_true(table->q == head->q && table->row_scale == head->row_scale && head->owner == table - store.entry);
    const struct store_entry *first = store_find(&store, image_node(ir, "mlp_up_acc"), 0),
                             *second = store_find(&store, image_node(ir, "mlp_up_acc"), 1);
    assert_true(first->q != second->q && second->owner == second - store.entry);
    store_close(&store);
    ir = image_build(&x, odd_model(&x, "channels: 1, embedding: int16"),
                     "drop-unread"); // with different formats they are two
    assert_true(store_open(&store, &x.f.arena, ir, image_pack_golden(&x, ir, "random:3", "e"), &x.f.diag));
    table = store_find(&store, image_node(ir, "token_row"), 0),
    head = store_find(&store, image_node(ir, "logits_acc"), 0);
    assert_true(table->q != head->q && head->owner == head - store.entry);
    assert_true(table->format == QFORMAT_INT16 && head->format == QFORMAT_INT8);
    store_close(&store);
    image_end(&x);
}

// ---- damage ----

static void test_damage(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    struct ir *ir = image_build(&x, odd_model(&x, "channels: 2"), NULL),
              *other = image_build(&x, odd_model(&x, "channels: 3"), NULL);
    const char *dir = image_pack(&x, ir, "random:3", "d"), *path = image_path(&x, "d/image/channel_01.bin");
    assert_false(pack_check_image(other, dir, &x.f.diag));
    assert_reported(&x.f, "another design (`odd`)");
    FILE *f = fopen(path, "r+b");
    fseek(f, 1, SEEK_SET);
    fputc(fgetc(f) ^ 1, f);
    fclose(f);
    assert_false(pack_check_image(ir, dir, &x.f.diag));
    assert_reported(&x.f, "channel_01.bin: error: segment q_acc: damaged");
    assert_int_equal(truncate(path, 100), 0);
    assert_false(pack_check_image(ir, dir, &x.f.diag));
    assert_reported(&x.f, "truncated");
    assert_int_equal(unlink(image_path(&x, "d/image/manifest.json")), 0);
    assert_false(pack_check_image(ir, dir, &x.f.diag));
    assert_reported(&x.f, "manifest.json: error");
    image_end(&x);
}

// Reads the three words of the image header: magic and version, layout, checksum.
static void read_header(struct image_fixture *x, const struct ir *ir, const char *name, uint64_t word[3]) {
    const struct ir_segment *s = ir->segment;
    while (s->kind != IR_SEG_HEADER) s++;
    FILE *f = fopen(image_path(x, name), "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, (long)s->offset, SEEK_SET), 0);
    assert_int_equal(fread(word, 8, 3, f), 3);
    fclose(f);
}

// The checksum depends only on the bytes, so equal weights have equal checksums.
static void test_header(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    struct ir *ir = image_build(&x, odd_model(&x, "channels: 2"), NULL);
    uint64_t one[3], again[3], other[3];
    image_pack(&x, ir, "random:3", "d");
    read_header(&x, ir, "d/image/channel_00.bin", one);
    image_pack(&x, ir, "random:3", "e");
    read_header(&x, ir, "e/image/channel_00.bin", again);
    image_pack(&x, ir, "random:4", "f");
    read_header(&x, ir, "f/image/channel_00.bin", other);
    assert_true(one[0] == 0x1474d4952 && one[1] == pack_layout_hash(ir) && one[2] != 0);
    assert_memory_equal(one, again, sizeof one);
    assert_memory_equal(one, other, 16);
    assert_true(one[2] != other[2]);
    image_end(&x);
}

// Returns the first node whose tensors have this kind of weights.
static int node_with(const struct ir *ir, enum ir_weights weights) {
    int n = 0;
    while (ir_op_weights(ir, ir->node[n].op) != weights) n++;
    return n;
}

// The lanes of a norm change the order of its parameters, and a matrix is stored by the order of its chunks and with
// the least exponent of its operand. No segment changes with them.
static void check_arrangement(struct ir *ir, uint64_t hash) {
    struct ir_node *norm = &ir->node[node_with(ir, IR_WEIGHTS_VECTORS)];
    int matrix = node_with(ir, IR_WEIGHTS_MATRIX), before = norm->lanes;
    norm->lanes = 2 * ir->design.lanes;
    assert_true(pack_layout_hash(ir) != hash);
    norm->lanes = before;
    ir->tensor[ir->node[matrix].in[0]].exp_min--;
    assert_true(pack_layout_hash(ir) != hash);
    ir->tensor[ir->node[matrix].in[0]].exp_min++;
    for (int f = 0; f < ir->firings; f++) {
        if (ir->firing[f].node != matrix) continue;
        ir->firing[f].outer ^= true;
        assert_true(pack_layout_hash(ir) != hash);
        ir->firing[f].outer ^= true;
        break;
    }
}

// Every parameter that changes the places of bytes must change the layout hash.
static void test_layout_hash(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    struct ir *ir = image_build(&x, odd_model(&x, "channels: 9, binding: spatial"), NULL);
    const uint64_t hash = pack_layout_hash(ir);
    struct ir_segment *s = &ir->segment[ir->segments - 1];
    int64_t *words[] = {&s->offset, &s->layer_stride, &s->bytes};
    int *numbers[] = {&s->node,          &s->channel,       &ir->design.channels, &ir->design.beat_bits,
                      &ir->design.lanes, &ir->design.group, &ir->engine[0].lanes};
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        *words[i] += 1;
        assert_true(pack_layout_hash(ir) != hash);
        *words[i] -= 1;
    }
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        *numbers[i] += 1;
        assert_true(pack_layout_hash(ir) != hash);
        *numbers[i] -= 1;
    }
    s->kind ^= 1;
    assert_true(pack_layout_hash(ir) != hash);
    s->kind ^= 1;
    check_arrangement(ir, hash);
    ir->edge[0].depth += 5; // a FIFO's depth changes no byte of the image
    assert_true(pack_layout_hash(ir) == hash);
    image_end(&x);
}

static void test_damaged_store(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    struct ir *ir = image_build(&x, odd_model(&x, "channels: 1"), "drop-unread"),
              *other = image_build(&x, odd_model(&x, "weights: int4"), "drop-unread");
    const char *dir = image_pack_golden(&x, ir, "random:3", "d"), *path = image_path(&x, "d/image/golden.bin");
    struct store store;
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_false(store_open(&store, &x.f.arena, other, dir, &x.f.diag));
    assert_reported(&x.f, "golden.bin: error: weights of the replay: made for another design");
    const off_t cuts[] = {st.st_size - 1, 2000, 500, 16, 15, 0};
    for (size_t i = 0; i < COUNT_OF(cuts); i++) {
        assert_int_equal(truncate(path, cuts[i]), 0);
        assert_false(store_open(&store, &x.f.arena, ir, dir, &x.f.diag));
        assert_int_equal(x.f.diag.errors, (int)i + 2);
    }
    assert_reported(&x.f, "truncated");
    assert_int_equal(unlink(path), 0);
    assert_false(store_open(&store, &x.f.arena, ir, dir, &x.f.diag));
    assert_reported(&x.f, "No such file");
    image_end(&x);
}

// ---- failures, which must leave no files ----

// Returns the number of entries of a folder, or -1 if it does not exist.
static int entries_in(const char *dir) {
    int count = 0;
    DIR *d = opendir(dir);
    while (d && readdir(d)) count++;
    if (d) closedir(d);
    return d ? count - 2 : -1;
}

static void assert_refused(struct image_fixture *x, const struct ir *ir, const char *source, const char *message) {
    assert_null(image_try(x, ir, source, "out", false));
    assert_reported(&x->f, message);
    assert_int_equal(entries_in(image_path(x, "out")), -1); // the packer must remove the folder that it made
}

static const char *with_heads(struct image_fixture *x, int layers, int heads) {
    return arena_printf(&x->f.arena,
                        "name: t\nmodel: {family: gpt2, layers: %d, hidden: 128, heads: %d, ffn: 512, vocab: 1024, "
                        "context: 256, eot: 1023}\n"
                        "board: u55c\ndesign: {channels: 1, fifo: safe}\n",
                        layers, heads);
}

static void test_wrong_checkpoint(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    const char *model = shipped_model(&x.f);
    assert_refused(&x, image_build(&x, with_heads(&x, 4, 8), NULL), model, "`n_head` is 4, but the spec says 8");
    x.f.diag.errors = 0;
    assert_refused(&x, image_build(&x, with_heads(&x, 3, 4), NULL), model, "`n_layer` is 4, but the spec says 3");
    x.f.diag.errors = 0;
    assert_refused(&x, image_build(&x, with_heads(&x, 4, 4), NULL), image_path(&x, "nowhere"),
                   "nowhere: error: no folder or GGUF file with weights at this path [weights-missing]");
    x.f.diag.errors = 0;
    assert_refused(&x, image_build(&x, with_heads(&x, 4, 4), NULL), "random",
                   "`random`: the seed is missing; write `random:1` [seed-missing]");
    image_end(&x);
}

// Returns whether a config.json agrees with the spec. design: text to add to the model of the spec; key, value: a pair
// of config.json to replace.
static bool config_agrees(struct image_fixture *x, const char *design, const char *key, const char *value) {
    static const char *const pairs[][2] = {{"n_layer", "2"},  {"n_embd", "64"},     {"n_head", "4"},
                                           {"n_inner", "96"}, {"vocab_size", "70"}, {"n_positions", "40"}};
    struct text text = {0};
    text_add(&text, "{\"model_type\": \"gpt2\", \"layer_norm_epsilon\": 1e-05");
    for (size_t i = 0; i < COUNT_OF(pairs); i++)
        text_addf(&text, ", \"%s\": %s", pairs[i][0], strcmp(key, pairs[i][0]) ? pairs[i][1] : value);
    if (!strncmp(key, "tie", 3)) text_addf(&text, ", \"%s\": %s", key, value);
    text_add(&text, "}");
    write_file(image_path(x, "config.json"), text.data, text.len);
    text_free(&text);
    const char *spec =
        arena_printf(&x->f.arena,
                     "name: t\nmodel: {family: gpt2, layers: 2, hidden: 64, heads: 4, ffn: 96, vocab: 70, "
                     "context: 40, eot: 5%s}\n",
                     design);
    x->f.diag.errors = 0;
    bool agrees = pack_check_config(image_build(x, spec, "drop-unread"), x->dir, &x->f.diag);
    assert_int_equal(x->f.diag.errors, !agrees);
    return agrees;
}

static void test_config_of_spec(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    assert_true(config_agrees(&x, "", "", ""));
    assert_false(config_agrees(&x, "", "n_layer", "3"));
    assert_false(config_agrees(&x, "", "n_embd", "68"));
    assert_false(config_agrees(&x, "", "n_head", "2"));
    assert_false(config_agrees(&x, "", "n_inner", "97"));
    assert_false(config_agrees(&x, "", "vocab_size", "71"));
    assert_true(config_agrees(&x, "", "n_positions", "41")); // the design uses the first 40 rows of the table
    assert_false(config_agrees(&x, ", norm_eps: 1e-6", "", ""));
    assert_false(config_agrees(&x, "", "tie_word_embeddings", "false"));
    assert_false(config_agrees(&x, ", tied_head: false", "", ""));
    assert_true(config_agrees(&x, ", tied_head: false", "tie_word_embeddings", "false"));
    image_end(&x);
}

// The shipped model must be refused if its file is cut off within the data.
static void test_truncated_checkpoint(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    static const char *const names[] = {"config.json", "model.safetensors", "vocab.json", "merges.txt"};
    const char *model = shipped_model(&x.f), *why;
    assert_int_equal(mkdir(image_path(&x, "model"), 0777), 0);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        size_t len;
        const char *data =
            file_read(&x.f.arena, arena_printf(&x.f.arena, "%s/%s", model, names[i]), 64 << 20, &len, &why);
        write_file(arena_printf(&x.f.arena, "%s/model/%s", x.dir, names[i]), data, i == 1 ? len - 1000 : len);
    }
    assert_refused(&x, image_build(&x, with_heads(&x, 4, 4), NULL), image_path(&x, "model"),
                   "model.safetensors: error: ");
    assert_reported(&x.f, "tensor");
    image_end(&x);
}

// A limit on the size of files imitates a full disk: a write fails in the middle, and no file may be left.
static void test_full_disk(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    struct ir *ir = image_build(&x, odd_model(&x, "channels: 1"), NULL);
    struct rlimit old, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = (struct rlimit){30000, old.rlim_max};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const char *dir = image_try(&x, ir, "random:3", "out", false);
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, handler);
    assert_null(dir);
    assert_reported(&x.f, "File too large");
    assert_int_equal(entries_in(image_path(&x, "out")), -1);
    image_end(&x);
}

// Equal specs and seeds must give equal files. golden.bin must not depend on the number of channels.
static void test_same_bytes(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    struct ir *one = image_build(&x, odd_model(&x, "channels: 2"), NULL),
              *many = image_build(&x, odd_model(&x, "channels: 7, T: 2"), NULL);
    const char *a = image_pack(&x, one, "random:3", "a"), *b = image_pack(&x, one, "random:3", "b"),
               *c = image_pack(&x, many, "random:3", "c");
    static const char *const names[] = {"golden.bin", "channel_00.bin", "channel_01.bin", "manifest.json"};
    const char *why;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        size_t len[3];
        const char *data[3], *dirs[3] = {a, b, c};
        for (int d = 0; d < 3; d++)
            data[d] =
                file_read(&x.f.arena, arena_printf(&x.f.arena, "%s/%s", dirs[d], names[i]), 64 << 20, &len[d], &why);
        for (int d = 1; d < (i == 0 ? 3 : 2); d++) {
            assert_int_equal(len[0], len[d]);
            assert_memory_equal(data[0], data[d], len[0]);
        }
    }
    image_end(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_graph_layout),
        cmocka_unit_test(test_norms),
        cmocka_unit_test(test_long_rows),
        cmocka_unit_test(test_tied),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_header),
        cmocka_unit_test(test_layout_hash),
        cmocka_unit_test(test_config_of_spec),
        cmocka_unit_test(test_damaged_store),
        cmocka_unit_test(test_wrong_checkpoint),
        cmocka_unit_test(test_truncated_checkpoint),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_same_bytes),
    };
    return cmocka_run_group_tests_name("pack", tests, NULL, NULL);
}
