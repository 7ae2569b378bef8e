// SPDX-License-Identifier: Apache-2.0
// graph_seed SEED [STEP...]: prints a random legal spec (docs/spec.md); the same seed prints the same text. Steps make it smaller.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec.h"

static const float most_rms = 20, carried_rms = 6;

static uint64_t state;

static uint64_t draw(void) {
    uint64_t x = state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static int below(int n) { return n > 0 ? (int)(draw() % (uint64_t)n) : 0; }
static int between(int low, int high) { return low + below(high - low + 1); }
static bool chance(int percent) { return below(100) < percent; }

// One of `count` values; the earlier ones are named more often by the caller.
static int one_of(const int *values, int count) { return values[below(count)]; }
#define ONE_OF(...) one_of((const int[]){__VA_ARGS__}, (int)(sizeof(int[]){__VA_ARGS__} / sizeof(int)))

static int random_length(void) {
    int kind = below(10);
    if (kind == 0) return between(1, 4);
    if (kind < 4) return between(5, 31);
    if (kind < 8) return between(32, 64);
    if (kind == 8) return between(65, 150);
    return ONE_OF(8, 16, 64, 96, 128);
}

// ---- design ----

static void make_design(struct spec *s) {
    int *d = s->design;
    memcpy(d, design_default, sizeof s->design);
    if (chance(60)) d[KEY_CLOCK] = ONE_OF(10, 333, 1000, 1501, 2222, 3000);
    d[KEY_CHANNELS] = chance(2) ? 32 : ONE_OF(1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8);
    d[KEY_BEAT_BITS] = ONE_OF(256, 256, 512);
    d[KEY_LANES] = chance(4) ? 32 : ONE_OF(1, 2, 2, 4, 4, 8, 8, 16);
    d[KEY_TOKENS] = ONE_OF(1, 1, 2, 2, 4, 8);
    d[KEY_WEIGHTS] = ONE_OF(8, 4);
    d[KEY_HEAD] = ONE_OF(8, 8, 4);
    int unit = d[KEY_BEAT_BITS] / 4;
    d[KEY_GROUP] = unit * ONE_OF(1, 1, 1, 2, 2, 3, 4);
    if (chance(40)) {
        d[KEY_BURST] = 1 << below(d[KEY_BEAT_BITS] == 512 ? 7 : 8);
        d[KEY_PREFETCH] = chance(40) ? d[KEY_BURST] : d[KEY_BURST] + between(1, 150);
        if (d[KEY_PREFETCH] < 2) d[KEY_PREFETCH] = 2;
    }
    if (chance(40)) d[KEY_OUTSTANDING] = ONE_OF(1, 1, 2, 3, 5, 16, 64);
    // Follows from the others, so that seeds keep what they drew before this key was there.
    d[KEY_ARRAYS] = d[KEY_TOKENS] > 1 && (d[KEY_CHANNELS] + d[KEY_WEIGHTS] / 4 + d[KEY_HEAD] / 4) % 2 ? 2 : 1;
}

// ---- tensors and operations ----

static int add_size(struct spec *s, int length) {
    s->size[s->sizes] = (struct size_class){.rank = 1, .extent = {length, 1, 1}};
    return s->sizes++;
}

static int add_tensor(struct spec *s, enum value_type type, int size, int region, float rms) {
    struct tensor *t = &s->tensor[s->tensors];
    *t = (struct tensor){.type = type, .size = size, .region = region, .local_of = NONE, .rms = rms};
    snprintf(t->name, sizeof t->name, "t%d", s->tensors);
    return s->tensors++;
}

static struct op *add_op(struct spec *s, enum op_kind kind, enum value_type type, int size, float rms) {
    struct op *op = &s->op[s->ops++];
    *op = (struct op){.kind = kind, .region = s->regions - 1, .outs = 1, .weight = NONE, .bias = NONE, .exp_min = -24, .list_form = chance(80)};
    op->out[0] = add_tensor(s, type, size, op->region, rms);
    return op;
}

static void reads(struct op *op, int tensor) { op->in[op->ins++] = tensor; }
enum { MANY_ATTENTIONS = 100000 /* seeds from there on may have several attentions; others keep what they drew before */ };

static bool has_room(const struct spec *s) { return s->ops < MAX_OPS - 60 && s->tensors < MAX_TENSORS - 70; }
static const struct region *here(const struct spec *s) { return &s->region[s->regions - 1]; }

static bool is_visible(const struct spec *s, int tensor) {
    int region = s->tensor[tensor].region;
    return region == NONE || !s->region[region].last || here(s)->last;
}

static bool is_read(const struct spec *s, int tensor) {
    for (int n = 0; n < s->ops; n++)
        for (int i = 0; i < s->op[n].ins; i++)
            if (s->op[n].in[i] == tensor) return true;
    for (int r = 0; r < s->regions; r++)
        for (int c = 0; c < s->region[r].carries; c++)
            if (s->region[r].carry[c].init == tensor || s->region[r].carry[c].next == tensor) return true;
    return false;
}

// Rows travel in several parts, which a repeated region cannot have replayed from outside.
static bool can_reach(const struct spec *s, int tensor) {
    return is_visible(s, tensor) && (s->size[s->tensor[tensor].size].rank == 1 || here(s)->repeat == 1 || s->tensor[tensor].region == s->regions - 1);
}

// A vector to read: often the latest or one that nothing has read yet. size NONE: any of rank 1.
static int pick(const struct spec *s, int size) {
    int fitting[MAX_TENSORS], unread[MAX_TENSORS], count = 0, lonely = 0;
    for (int t = 0; t < s->tensors; t++) {
        const struct tensor *x = &s->tensor[t];
        if (x->type != VALUE_F32 || !can_reach(s, t) || (size == NONE ? s->size[x->size].rank != 1 : x->size != size)) continue;
        fitting[count++] = t;
        if (!is_read(s, t)) unread[lonely++] = t;
    }
    if (count == 0) return NONE;
    if (lonely > 0 && chance(60)) return unread[below(lonely)];
    return chance(40) ? fitting[count - 1] : fitting[below(count)];
}

// Weights of its own for every repetition in most repeated regions.
static bool per_layer(const struct spec *s) { return here(s)->repeat > 1 ? chance(75) : chance(10); }

static int add_norm(struct spec *s, int x) {
    struct op *op = add_op(s, chance(50) ? OP_LAYERNORM : OP_RMSNORM, VALUE_F32, s->tensor[x].size, 1.2f);
    reads(op, x);
    op->weight = s->weights++;
    op->bias = s->weights++;
    op->per_layer = per_layer(s);
    op->eps_exponent = chance(30) ? ONE_OF(-12, -8, -6, -3, -1) : 0;
    return op->out[0];
}

// Keeps values far from the limits of the kernels. A tensor of rows has no norm: it is only made where its rms allows it.
static int tame(struct spec *s, int x, float limit) { return s->tensor[x].rms > limit && s->size[s->tensor[x].size].rank == 1 ? add_norm(s, x) : x; }

static int find_quantized(const struct spec *s, int x) {
    for (int n = 0; n < s->ops; n++) {
        const struct op *op = &s->op[n];
        bool same = op->region == s->regions - 1;
        if (op->kind == OP_QUANTIZE && op->in[0] == x && op->block <= BLOCK_GROUP && is_visible(s, op->out[0]) && chance(same ? 60 : 15))
            return op->out[0];
    }
    return NONE;
}

static int add_quantize(struct spec *s, int x) {
    int q = find_quantized(s, x);
    if (q != NONE) return q;
    struct op *op = add_op(s, OP_QUANTIZE, VALUE_MX, s->tensor[x].size, s->tensor[x].rms);
    reads(op, x);
    if (chance(10)) op->block = BLOCK_GROUP;
    if (chance(10)) op->exp_min = between(-28, -18);
    return op->out[0];
}

static int add_matmul(struct spec *s, int q, int size) {
    struct op *op = add_op(s, OP_MATMUL, VALUE_ACC, size, s->tensor[q].rms * 1.1f + 0.1f);
    reads(op, q);
    op->weight = s->weights++;
    if (chance(50)) op->bias = s->weights++;
    op->per_layer = per_layer(s);
    op->format = ONE_OF(0, 0, 8, 4);
    if (chance(20)) op->row_offset = between(1, 40);
    op->transpose = chance(30);
    return op->out[0];
}

static int add_dequantize(struct spec *s, int acc) {
    struct op *op = add_op(s, OP_DEQUANTIZE, VALUE_F32, s->tensor[acc].size, s->tensor[acc].rms);
    reads(op, acc);
    return op->out[0];
}

static int add_linear(struct spec *s, int x, int size) { return add_dequantize(s, add_matmul(s, add_quantize(s, tame(s, x, most_rms)), size)); }

static int add_unary(struct spec *s, int x, enum op_kind kind) {
    struct op *op = add_op(s, kind, VALUE_F32, s->tensor[x].size, s->tensor[x].rms);
    reads(op, x);
    return op->out[0];
}

// The sum or product, or the sum where a product could grow too large, or the first operand where even that could.
static int add_binary(struct spec *s, int a, int b, bool product) {
    float ra = s->tensor[a].rms, rb = s->tensor[b].rms;
    product = product && ra * rb * 2 <= most_rms;
    if (!product && ra + rb > most_rms * 2) return a;
    struct op *op = add_op(s, product ? OP_MUL : OP_ADD, VALUE_F32, s->tensor[a].size, product ? ra * rb * 2 : ra + rb);
    bool turn = chance(50);
    reads(op, turn ? b : a);
    reads(op, turn ? a : b);
    return op->out[0];
}

// ---- groups of operations ----

static int random_size(const struct spec *s) {
    int size;
    do size = below(s->sizes);
    while (s->size[size].rank != 1);
    return size;
}

// Several products of one operand; their dequantizations in any order.
static int add_parallel(struct spec *s, int x) {
    int q = add_quantize(s, tame(s, x, most_rms)), acc[3], count = between(2, 3), y = NONE;
    for (int i = 0; i < count; i++) acc[i] = add_matmul(s, q, random_size(s));
    for (int i = 0, at = below(count); i < count; i++) y = add_dequantize(s, acc[(at + i) % count]);
    return y;
}

static void add_gated(struct spec *s, int x) {
    int size = random_size(s), q = add_quantize(s, tame(s, x, 3));
    int gate = add_dequantize(s, add_matmul(s, q, size));
    if (chance(50)) gate = add_unary(s, gate, OP_SILU);
    int up = add_dequantize(s, add_matmul(s, q, size));
    int both = add_binary(s, gate, up, true);
    int down = add_linear(s, both, s->tensor[x].size);
    if (chance(70)) add_binary(s, x, down, false);
}

// Vectors of heads: a product of x, or a tensor of that size as it is.
static int head_source(struct spec *s, int x, int size) {
    int other = chance(25) ? pick(s, size) : NONE;
    return other != NONE ? tame(s, other, most_rms) : add_linear(s, x, size);
}

static int add_kv(struct spec *s, int x, bool is_value) {
    struct op *op = add_op(s, OP_KV_QUANTIZE, VALUE_KV, s->tensor[x].size, s->tensor[x].rms);
    reads(op, x);
    op->is_value = is_value;
    return op->out[0];
}

static void add_attention(struct spec *s, int x) {
    int size[RESULT_HEADS + 1];
    for (int kind = QUERY_HEADS; kind <= RESULT_HEADS; kind++)
        for (int i = 0; i < s->sizes; i++)
            if (s->size[i].heads == (enum heads)kind || (kind > QUERY_HEADS && s->size[i].heads == QUERY_HEADS))
                size[kind] = i; // the queries stand for all
    x = tame(s, x, 4);
    int q = head_source(s, x, size[QUERY_HEADS]), k = head_source(s, x, size[KEY_HEADS]), v = head_source(s, x, size[VALUE_HEADS]);
    int first = add_kv(s, chance(50) ? k : v, false), second;
    bool value_first = s->op[s->ops - 1].in[0] == v && v != k;
    s->op[s->ops - 1].is_value = value_first;
    second = add_kv(s, value_first ? k : v, !value_first);
    int keys = value_first ? second : first, values = value_first ? first : second;
    struct op *op = add_op(s, OP_QUANTIZE, VALUE_MX, size[QUERY_HEADS], s->tensor[q].rms);
    reads(op, q);
    op->block = BLOCK_HEAD;
    int q_mx = op->out[0];
    op = add_op(s, OP_ATTN_SCORES, VALUE_ACC, size[QUERY_HEADS], 1);
    reads(op, q_mx);
    reads(op, keys);
    int scores = add_dequantize(s, op->out[0]);
    s->tensor[scores].type = VALUE_SCALAR; // rows over positions: only softmax reads them
    op = add_op(s, OP_SOFTMAX, VALUE_SCALAR, size[QUERY_HEADS], 1);
    reads(op, scores);
    reads(op, keys);
    reads(op, values);
    op->out[op->outs++] = add_tensor(s, VALUE_SCALAR, size[QUERY_HEADS], op->region, 1);
    int weights = op->out[0], inverse = op->out[1];
    op = add_op(s, OP_QUANTIZE, VALUE_MX, size[QUERY_HEADS], 1);
    reads(op, weights);
    op->block = BLOCK_POSITIONS;
    if (!s->weights_exp_min) s->weights_exp_min = chance(80) ? -36 : between(-40, -30);
    op->exp_min = s->weights_exp_min;
    int p = op->out[0];
    op = add_op(s, OP_ATTN_VALUES, VALUE_ACC, size[RESULT_HEADS], 1);
    reads(op, p);
    reads(op, values);
    int weighted = add_dequantize(s, op->out[0]);
    s->tensor[weighted].type = VALUE_SCALAR;
    op = add_op(s, OP_SCALE, VALUE_F32, size[RESULT_HEADS], s->tensor[v].rms);
    reads(op, weighted);
    reads(op, inverse);
    int y = op->out[0];
    if (chance(70)) y = add_linear(s, y, s->tensor[x].size);
    if (s->tensor[y].size == s->tensor[x].size && chance(80)) add_binary(s, x, y, false);
}

static void add_rows_unit(struct spec *s, int size) {
    int x = pick(s, size);
    if (x == NONE) return;
    if (chance(50)) add_unary(s, x, chance(50) ? OP_GELU : OP_SILU);
    else add_binary(s, x, pick(s, size), chance(50));
}

static void add_unit(struct spec *s) {
    int x = pick(s, NONE), kind = below(100);
    if (!has_room(s)) return;
    for (int i = 0; i < s->sizes; i++)
        if (s->size[i].rank > 1 && chance(30)) add_rows_unit(s, i);
    if (x == NONE) return;
    if (kind < 22) add_linear(s, x, random_size(s));
    else if (kind < 32) add_parallel(s, x);
    else if (kind < 44) add_norm(s, x);
    else if (kind < 58) add_unary(s, x, chance(50) ? OP_GELU : OP_SILU);
    else if (kind < 68) add_gated(s, x);
    else if (kind < 71 && s->context > 0 && here(s)->repeat == 1 && !here(s)->last) { // not yet where it would run other than once per step
        struct op *op = add_op(s, OP_POSITION, VALUE_F32, s->tensor[x].size, 0.5f);
        op->weight = s->weights++;
        op->extra_rows = chance(50) ? 0 : between(1, 9);
        add_binary(s, x, op->out[0], false);
    } else add_binary(s, x, pick(s, s->tensor[x].size), chance(45));
}

// ---- regions ----

static void begin_region(struct spec *s, int repeat, bool last) {
    struct region *r = &s->region[s->regions];
    *r = (struct region){.repeat = repeat, .last = last};
    snprintf(r->name, sizeof r->name, "r%d", s->regions);
    s->regions++;
}

static void add_carry(struct spec *s) {
    int init = pick(s, NONE);
    if (init == NONE || s->tensor[init].region == s->regions - 1 || s->tensor[init].rms > carried_rms) return; // `init` is older than the region
    struct region *r = &s->region[s->regions - 1];
    int local = add_tensor(s, VALUE_F32, s->tensor[init].size, s->regions - 1, carried_rms);
    s->tensor[local].local_of = s->regions - 1;
    snprintf(s->tensor[local].name, NAME_BYTES, "h%d", local);
    r->carry[r->carries++] = (struct carry){local, init, NONE};
}

// What the next repetition gets: a tensor of this region, of bounded size.
static void close_carry(struct spec *s, struct carry *carry) {
    int size = s->tensor[carry->local].size, found = NONE;
    for (int t = 0; t < s->tensors; t++)
        if (s->tensor[t].type == VALUE_F32 && s->tensor[t].region == s->regions - 1 && s->tensor[t].local_of == NONE && s->tensor[t].size == size &&
            (found == NONE || chance(60)))
            found = t;
    if (found == NONE || chance(15)) {
        int y = add_linear(s, pick(s, NONE), size);
        int sum = add_binary(s, carry->local, y, false);
        found = sum == carry->local ? y : sum;
    }
    carry->next = tame(s, found, carried_rms);
}

static void close_region(struct spec *s) {
    struct region *r = &s->region[s->regions - 1];
    for (int c = 0; c < r->carries; c++) close_carry(s, &r->carry[c]);
    if (s->ops == 0 || s->op[s->ops - 1].region != s->regions - 1) add_norm(s, pick(s, NONE)); // a region needs an operation
}

static void make_regions(struct spec *s) {
    int count = ONE_OF(1, 1, 2, 2, 3, 4), attention = s->heads ? below(count) : NONE;
    bool last = false, many = s->heads && s->seed >= MANY_ATTENTIONS;
    for (int i = 0; i < count; i++) {
        last = last || (i > 0 && i > attention && !many && s->is_lm && chance(15)); // of a graph of rows every step's result is wanted
        begin_region(s, chance(55) ? 1 : between(2, 5), last);
        int carries = here(s)->repeat > 1 ? ONE_OF(0, 1, 1, 1, 2, 3) : chance(15);
        for (int c = 0; c < carries; c++) add_carry(s);
        int units = between(1, 5);
        for (int u = 0, at = below(units); u < units; u++) {
            if ((i == attention && u == at) || (many && chance(35) && has_room(s))) add_attention(s, pick(s, NONE));
            else add_unit(s);
        }
        close_region(s);
    }
}

// ---- ends ----

static bool is_last(const struct spec *s, int tensor) { return s->tensor[tensor].region != NONE && s->region[s->tensor[tensor].region].last; }

static int unread(const struct spec *s, int *list) {
    int count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int t = 0; t < s->tensors; t++)
            if (s->tensor[t].type == VALUE_F32 && !s->tensor[t].keep && !is_read(s, t) && is_last(s, t) == (pass == 1)) list[count++] = t;
    return count;
}

static bool join(struct spec *s, int a, int b) {
    bool last = is_last(s, a) || is_last(s, b);
    if (s->ops > MAX_OPS - 10 || s->tensors > MAX_TENSORS - 10) return false;
    if (s->size[s->tensor[a].size].rank != 1) {
        int swap = a;
        a = b;
        b = swap;
    }
    bool same = s->tensor[a].size == s->tensor[b].size;
    if (!same && s->size[s->tensor[b].size].rank != 1) return false;
    if (s->regions == MAX_REGIONS && here(s)->last != last) return false;
    if (s->regions < MAX_REGIONS && (here(s)->last != last || here(s)->repeat > 1)) begin_region(s, 1, last);
    if (!same) b = add_linear(s, b, s->tensor[a].size);
    a = tame(s, a, most_rms / 2);
    b = tame(s, b, most_rms / 2);
    return add_binary(s, a, b, false) != a;
}

// Joins what nothing reads until at most `most` tensors are left.
static int join_ends(struct spec *s, int most, int *list) {
    int count = unread(s, list);
    while (count > most) {
        bool joined = false;
        for (int i = 1; i < count && !joined; i++) joined = join(s, list[0], list[i]);
        if (!joined) break;
        count = unread(s, list);
    }
    for (int t = s->tensors - 1; count == 0; t--) // all are read: by a carried name
        if (s->tensor[t].type == VALUE_F32 && s->size[s->tensor[t].size].rank == 1) list[count++] = t;
    return count;
}

static void make_outputs(struct spec *s) {
    int list[MAX_TENSORS], most = ONE_OF(1, 1, 2, 3);
    if (chance(6)) {
        int count = unread(s, list);
        if (count > 1) s->tensor[list[below(count)]].keep = true;
    }
    int count = join_ends(s, most, list);
    for (int i = 0; i < count && s->outputs < MAX_PORTS; i++) s->output[s->outputs++] = list[i];
    for (int t = s->tensors - 1; t >= 0 && s->outputs < 3; t--) // some that are read inside too
        if (s->tensor[t].type == VALUE_F32 && is_read(s, t) && s->tensor[t].region != NONE && s->tensor[t].local_of == NONE && chance(4))
            s->output[s->outputs++] = t;
    if (chance(3)) s->output[s->outputs++] = s->input[0];
}

static void make_head(struct spec *s, int vocab) {
    int list[MAX_TENSORS], embed = s->op[0].weight;
    join_ends(s, 1, list);
    int x = list[0];
    begin_region(s, 1, true);
    if (chance(60)) x = add_norm(s, x);
    x = add_linear(s, x, vocab);
    struct op *product = &s->op[s->ops - 2];
    if (s->tensor[s->op[0].out[0]].size == s->tensor[product->in[0]].size && chance(60)) { // tied
        product->weight = embed;
        product->row_offset = product->transpose = 0;
        product->per_layer = s->op[0].per_layer;
    }
    struct op *op = add_op(s, OP_ARGMAX, VALUE_ID, vocab, 0);
    reads(op, x);
    s->output[s->outputs++] = op->out[0];
}

static void make_embedding(struct spec *s, int vocab) {
    int hidden = random_size(s);
    s->input[s->inputs++] = add_tensor(s, VALUE_ID, add_size(s, 1), NONE, 0);
    snprintf(s->tensor[0].name, NAME_BYTES, "ids");
    begin_region(s, 1, false);
    struct op *op = add_op(s, OP_EMBED, VALUE_F32, hidden, 1);
    reads(op, s->input[0]);
    op->weight = s->weights++;
    op->format = ONE_OF(0, 8, 4);
    op->extra_rows = vocab; // the size class of the vocabulary
    int x = op->out[0];
    if (chance(60)) {
        op = add_op(s, OP_POSITION, VALUE_F32, hidden, 0.5f);
        op->weight = s->weights++;
        add_binary(s, x, op->out[0], false);
    }
}

static void make_inputs(struct spec *s) {
    int count = ONE_OF(1, 1, 2, 3);
    bool rows = chance(12);
    if (rows) {
        s->size[s->sizes++] = (struct size_class){.rank = between(2, 3), .extent = {between(1, 5), between(1, 9), between(1, 4)}};
        if (s->size[s->sizes - 1].rank == 2) s->size[s->sizes - 1].extent[2] = 1;
    }
    for (int i = 0; i < count; i++) {
        s->input[s->inputs++] = add_tensor(s, VALUE_F32, rows && i > 0 ? s->sizes - 1 : random_size(s), NONE, 1.2f);
        snprintf(s->tensor[s->tensors - 1].name, NAME_BYTES, "x%d", i);
    }
}

static int random_head(int lanes) { return lanes == 1 ? 2 * between(1, 12) : lanes * between(1, lanes >= 16 ? 2 : 24 / lanes); }

static void make_heads(struct spec *s) {
    int lanes = s->design[KEY_LANES];
    s->heads = ONE_OF(1, 1, 2, 2, 3, 4, 5);
    s->kv_heads = s->heads % 2 == 0 && chance(35) ? s->heads / 2 : chance(15) ? 1 : s->heads;
    s->head_dim = random_head(lanes);
    s->value_dim = chance(10) ? random_head(lanes) : s->head_dim;
    bool one_kind = s->heads == s->kv_heads && s->head_dim == s->value_dim; // then all are one size class
    for (int kind = QUERY_HEADS; kind <= RESULT_HEADS; kind++)
        if (!one_kind || kind == QUERY_HEADS) s->size[add_size(s, 1)].heads = (enum heads)kind;
}

// Names that a careless printer would confuse with names of its own, or with words of Verilog.
static void make_names(struct spec *s) {
    static const char *const names[] = {"x",        "X",      "x_fork", "x_loop",     "x_exit", "reg",      "wire",   "begin",     "module",
                                        "output",   "input",  "clk",    "rst",        "token",  "step",     "engine", "x_mux",     "y_demux",
                                        "a_into_b", "walker", "_",      "__",         "params", "fault",    "in_x",   "task",      "real",
                                        "event",    "table",  "signed", "token_loop", "x_acc",  "x_select", "top",    "step_fork", "edge"};
    enum { NAMES = sizeof names / sizeof *names };
    if (!chance(20)) return;
    for (int i = 0; i < NAMES; i++)
        if (chance(25)) snprintf(s->tensor[below(s->tensors)].name, NAME_BYTES, "%s", names[i]);
    for (int t = 0; t < s->tensors; t++) // once each
        for (int u = 0; u < t; u++)
            if (!strcmp(s->tensor[t].name, s->tensor[u].name)) snprintf(s->tensor[t].name, NAME_BYTES, "t%d", t);
    if (chance(50)) snprintf(s->region[0].name, NAME_BYTES, "%s", names[below(NAMES)]);
}

static void make_graph(struct spec *s) {
    int sizes = between(1, 4), vocab = NONE;
    for (int i = 0; i < sizes; i++) add_size(s, random_length());
    if (chance(25) || s->seed >= MANY_ATTENTIONS) make_heads(s);
    s->context = s->heads || chance(40) ? ONE_OF(9, 17, 33, 66, 80) + below(3) : 0;
    s->is_lm = chance(25);
    if (s->is_lm) {
        if (s->context == 0) s->context = between(9, 80);
        vocab = add_size(s, between(2, 150));
        make_embedding(s, vocab);
    } else make_inputs(s);
    make_regions(s);
    if (s->is_lm) make_head(s, vocab);
    else make_outputs(s);
    make_names(s);
}

static bool reads_carry(const struct spec *s, int region, int local) {
    for (int n = 0; n < s->ops; n++)
        for (int i = 0; i < s->op[n].ins; i++)
            if (s->op[n].region == region && s->op[n].in[i] == local) return true;
    return false;
}

// The outputs need an operation and an input, whatever is kept beside them.
static bool is_whole(const struct spec *s) {
    static struct spec needed;
    bool op = false, input = false;
    needed = *s;
    for (int t = 0; t < needed.tensors; t++) needed.tensor[t].keep = false;
    for (int r = 0; r < needed.regions; r++)
        for (int c = 0; c < needed.region[r].carries; c++)
            if (!reads_carry(&needed, r, needed.region[r].carry[c].local)) needed.region[r].carry[c].init = needed.region[r].carry[c].next;
    spec_clean(&needed);
    for (int n = 0; n < needed.ops; n++) op = op || !needed.op[n].gone;
    for (int i = 0; i < needed.inputs; i++) input = input || needed.tensor[needed.input[i]].needed;
    return op && input;
}

static void make_model(struct spec *s) {
    int lanes = s->design[KEY_LANES], *m = s->model;
    s->is_model = s->is_lm = true;
    m[MODEL_LAYERS] = between(1, 3);
    m[MODEL_HEADS] = ONE_OF(1, 1, 2, 3, 4, 5);
    m[MODEL_HEAD_DIM] = lanes == 1 ? 2 * between(1, 10) : lanes * between(1, lanes >= 8 ? 2 : 24 / lanes);
    m[MODEL_FFN] = between(1, 120);
    m[MODEL_VOCAB] = between(2, 150);
    m[MODEL_CONTEXT] = chance(10) ? between(1, 8) : between(9, 80);
    m[MODEL_UNTIED] = chance(40);
    m[MODEL_EPS] = chance(30) ? ONE_OF(-12, -8, -3, -1) : 0;
    m[MODEL_BOS] = chance(30) ? below(m[MODEL_VOCAB]) : NONE;
    m[MODEL_EOT] = chance(50) ? below(m[MODEL_VOCAB]) : NONE;
}

void spec_make(struct spec *s, uint64_t seed) {
    bool done = false;
    state = seed * 0x2545f4914f6cdd1du;
    while (!done) {
        *s = (struct spec){.seed = seed};
        make_design(s);
        if (chance(12)) make_model(s);
        else make_graph(s);
        done = s->is_model || is_whole(s);
    }
    spec_clean(s);
}

int main(int argc, char **argv) {
    static struct spec s;
    bool count = argc == 3 && !strcmp(argv[1], "--count");
    if (argc < 2 || (argv[1][0] == '-' && !count)) {
        fprintf(stderr, "usage: graph_seed SEED [STEP...]   |   graph_seed --count SEED\n");
        return 2;
    }
    spec_make(&s, strtoull(argv[count ? 2 : 1], NULL, 0));
    if (count) return printf("%d\n", spec_steps(&s)) < 0;
    static struct spec whole; // steps are numbered by the spec as it was made
    whole = s;
    for (int i = 2; i < argc; i++)
        if (atoi(argv[i]) < spec_steps(&whole)) spec_step(&s, &whole, atoi(argv[i]));
    spec_clean(&s);
    spec_print(&s);
    return 0;
}
