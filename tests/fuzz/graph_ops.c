// SPDX-License-Identifier: Apache-2.0
// Makes parts of random specs: the random numbers, the design, and single operations.
#include <stdio.h>
#include <string.h>

#include "tests/fuzz/graph_make.h"

// Rough limits of the root mean square for values in general, and for values that a repeated region carries.
const float most_rms = 20, carried_rms = 6;

static uint64_t state;

void draw_from(uint64_t seed) { state = seed; }

// Returns the next random number, by SplitMix64.
uint64_t draw(void) {
    uint64_t x = state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

int below(int n) { return n > 0 ? (int)(draw() % (uint64_t)n) : 0; }
int between(int low, int high) { return low + below(high - low + 1); }
bool chance(int percent) { return below(100) < percent; }

// Returns one of `count` values. Callers list a value several times to make it more likely.
int one_of(const int *values, int count) { return values[below(count)]; }

// Returns a length of a vector, mostly below 65.
int random_length(void) {
    int kind = below(12);
    if (kind == 0) return between(1, 4);
    if (kind < 7) return between(5, 31);
    if (kind < 10) return between(32, 64);
    if (kind == 10) return between(65, 150);
    return ONE_OF(8, 16, 64, 96, 128);
}

// ---- design ----

void make_design(struct spec *s) {
    int *d = s->design;
    memcpy(d, design_default, sizeof s->design);
    if (chance(60)) d[KEY_CLOCK] = ONE_OF(10, 333, 1000, 1501, 2222, 3000);
    d[KEY_CHANNELS] = draw() % 200 == 0 ? 32 : chance(4) ? between(6, 12) : ONE_OF(1, 1, 1, 2, 2, 2, 3, 3, 4, 5);
    d[KEY_BEAT_BITS] = ONE_OF(256, 256, 512);
    d[KEY_LANES] = chance(2) ? ONE_OF(16, 32) : ONE_OF(1, 1, 2, 2, 2, 4, 4, 8);
    d[KEY_TOKENS] = ONE_OF(1, 1, 1, 2, 2, 2, 4, 4, 8);
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
    d[KEY_COPIES] = d[KEY_TOKENS] > 1 ? ONE_OF(1, 1, 2) : 1;
    d[KEY_ON_CHIP] = chance(25) ? 1 << between(0, 6) : 0; // run.sh raises a budget that is too small for the design
}

// ---- tensors and operations ----

int add_size(struct spec *s, int length) {
    s->size[s->sizes] = (struct size_class){.rank = 1, .extent = {length}};
    return s->sizes++;
}

static int rank_of(const struct spec *s, int tensor) { return s->size[s->tensor[tensor].size].rank; }
bool is_array(const struct spec *s, int tensor) { return rank_of(s, tensor) > 1; }

int add_tensor(struct spec *s, enum value_type type, int size, int region, float rms) {
    struct tensor *t = &s->tensor[s->tensors];
    *t = (struct tensor){.type = type, .size = size, .region = region, .local_of = NONE, .rms = rms};
    snprintf(t->name, sizeof t->name, "t%d", s->tensors);
    return s->tensors++;
}

// Returns the size class with this description. Adds it if there is none yet.
int derived(struct spec *s, struct size_class want) {
    for (int i = 0; i < s->sizes; i++) {
        const struct size_class *c = &s->size[i];
        if (c->source == want.source && c->parent == want.parent && c->last == want.last && c->rank == want.rank &&
            !memcmp(c->perm, want.perm, sizeof want.perm) && c->axes == want.axes &&
            !memcmp(c->cut, want.cut, sizeof want.cut))
            return i;
    }
    s->size[s->sizes] = want;
    return s->sizes++;
}

struct op *add_op(struct spec *s, enum op_kind kind, enum value_type type, int size, float rms) {
    struct op *op = &s->op[s->ops++];
    *op = (struct op){.kind = kind,
                      .region = s->regions - 1,
                      .outs = 1,
                      .weight = NONE,
                      .bias = NONE,
                      .exp_min = -24,
                      .list_form = chance(80)};
    op->along = NONE;
    op->out[0] = add_tensor(s, type, size, op->region, rms);
    return op;
}

void reads(struct op *op, int tensor) { op->in[op->ins++] = tensor; }
bool has_room(const struct spec *s) {
    return s->ops < s->most_ops && s->ops < MAX_OPS - 60 && s->tensors < MAX_TENSORS - 70;
}
const struct region *here(const struct spec *s) { return &s->region[s->regions - 1]; }

bool is_visible(const struct spec *s, int tensor) {
    int region = s->tensor[tensor].region;
    return region == NONE || !s->region[region].last || here(s)->last;
}

bool is_read(const struct spec *s, int tensor) {
    for (int n = 0; n < s->ops; n++)
        for (int i = 0; i < s->op[n].ins; i++)
            if (s->op[n].in[i] == tensor) return true;
    for (int r = 0; r < s->regions; r++)
        for (int c = 0; c < s->region[r].carries; c++)
            if (s->region[r].carry[c].init == tensor || s->region[r].carry[c].next == tensor) return true;
    return false;
}

static bool fits(const struct spec *s, int size, int wanted) {
    if (wanted == ANY_ARRAY) return s->size[size].rank > 1;
    return wanted == NONE ? s->size[size].rank == 1 : size == wanted;
}

// Picks a tensor to read, often the newest one, or one that nothing reads yet. `size` is its size class, NONE for any
// vector or ANY_ARRAY for any array.
int pick(const struct spec *s, int size) {
    int fitting[MAX_TENSORS], unread[MAX_TENSORS], count = 0, lonely = 0;
    for (int t = 0; t < s->tensors; t++) {
        const struct tensor *x = &s->tensor[t];
        if (x->type != VALUE_F32 || !is_visible(s, t) || !fits(s, x->size, size)) continue;
        fitting[count++] = t;
        if (!is_read(s, t)) unread[lonely++] = t;
    }
    if (count == 0) return NONE;
    if (lonely > 0 && chance(60)) return unread[below(lonely)];
    return chance(40) ? fitting[count - 1] : fitting[below(count)];
}

// Decides whether every repetition has separate weights, as in most repeated regions.
bool per_layer(const struct spec *s) { return here(s)->repeat > 1 ? chance(75) : chance(10); }

// Gives some kernels a separate number of lanes. Kernels of whole heads, or whose vectors grow with the position, keep
// the number of the design, so callers skip them.
static void choose_lanes(struct op *op) {
    if (chance(12)) op->lanes = ONE_OF(1, 1, 2, 2, 4, 4, 8, 16);
}

// Gives some kernels that process arrays a separate order of the dimensions.
static void choose_order(const struct spec *s, struct op *op) {
    int rank = rank_of(s, op->out[0]);
    if (rank == 1 || !chance(25)) return;
    for (int d = 0; d < rank; d++) {
        int at = below(d + 1);
        op->order[d] = op->order[at];
        op->order[at] = d;
    }
    op->orders = rank;
}

int add_norm(struct spec *s, int x) {
    struct op *op = add_op(s, chance(50) ? OP_LAYERNORM : OP_RMSNORM, VALUE_F32, s->tensor[x].size, 1.2f);
    reads(op, x);
    op->weight = s->weights++;
    op->bias = s->weights++;
    op->per_layer = per_layer(s);
    op->eps_exponent = chance(30) ? ONE_OF(-12, -8, -6, -3, -1) : 0;
    if (is_array(s, x) || chance(5)) op->along = below(rank_of(s, x));
    choose_lanes(op);
    return op->out[0];
}

// Adds a norm if values could come near the limits of the kernels.
int tame(struct spec *s, int x, float limit) { return s->tensor[x].rms > limit ? add_norm(s, x) : x; }

// Returns at random an existing quantization of x that may be read here, or NONE.
static int find_quantized(const struct spec *s, int x) {
    for (int n = 0; n < s->ops; n++) {
        const struct op *op = &s->op[n];
        bool same = op->region == s->regions - 1;
        if (op->kind != OP_QUANTIZE || op->in[0] != x || op->block > BLOCK_GROUP || !is_visible(s, op->out[0]))
            continue;
        if (is_array(s, x) && !same)
            continue; // an array has several rows, and a repeated region cannot replay these from outside
        if (chance(same ? 60 : 15)) return op->out[0];
    }
    return NONE;
}

int add_quantize(struct spec *s, int x) {
    int q = find_quantized(s, x);
    if (q != NONE) return q;
    struct op *op = add_op(s, OP_QUANTIZE, VALUE_MX, s->tensor[x].size, s->tensor[x].rms);
    reads(op, x);
    if (chance(10)) op->block = BLOCK_GROUP;
    if (chance(10)) op->exp_min = between(-28, -18);
    choose_lanes(op);
    return op->out[0];
}

int add_matmul(struct spec *s, int q, int size) {
    if (is_array(s, q))
        size = derived(s, (struct size_class){
                              .source = SHAPE_ROWS, .rank = rank_of(s, q), .parent = s->tensor[q].size, .last = size});
    struct op *op = add_op(s, OP_MATMUL, VALUE_ACC, size, s->tensor[q].rms * 1.1f + 0.1f);
    reads(op, q);
    op->weight = s->weights++;
    if (chance(50)) op->bias = s->weights++;
    op->per_layer = per_layer(s);
    op->format = ONE_OF(0, 0, 8, 4, FORMAT_ASYM);
    if (chance(20)) op->row_offset = between(1, 40);
    op->transpose = chance(30);
    return op->out[0];
}

int add_dequantize(struct spec *s, int acc) {
    struct op *op = add_op(s, OP_DEQUANTIZE, VALUE_F32, s->tensor[acc].size, s->tensor[acc].rms);
    reads(op, acc);
    return op->out[0];
}

int add_linear(struct spec *s, int x, int size) {
    return add_dequantize(s, add_matmul(s, add_quantize(s, tame(s, x, most_rms)), size));
}

static int plain_unary(struct spec *s, int x, enum op_kind kind, float rms) {
    struct op *op = add_op(s, kind, VALUE_F32, s->tensor[x].size, rms);
    reads(op, x);
    return op->out[0];
}

// Makes values of 0.36 to 2.8, for which every function is defined.
static int positive(struct spec *s, int x) { return plain_unary(s, plain_unary(s, x, OP_TANH, 1), OP_EXP, 2.8f); }

// Makes an operand that the function accepts: no large numbers for exp, and positive numbers for some others.
static int operand_of(struct spec *s, int x, enum op_kind kind) {
    if (kind == OP_EXP) return plain_unary(s, x, OP_TANH, 1);
    return kind == OP_LOG || kind == OP_SQRT || kind == OP_RECIPROCAL ? positive(s, x) : x;
}

// Returns an upper bound of the root mean square of a result.
static float rms_of(enum op_kind kind, float rms) {
    bool shifts = kind == OP_SCALAR || kind == OP_SIGMOID || kind == OP_SOFTPLUS || kind == OP_HARDSIGMOID;
    return kind == OP_EXP || kind == OP_RECIPROCAL ? 2.8f : shifts && rms < 1 ? 1 : rms;
}

// Adds an operation with one operand. Some silu operations become other functions. No random number is drawn for that,
// so all other choices of a seed stay as they were before these functions existed.
int add_unary(struct spec *s, int x, enum op_kind kind) {
    static const struct {
        enum op_kind kind;
        int place;
    } others[] = {
#define OP(kind, name)
#define UNARY(kind, name, place, first, second, third) {OP_##kind, place},
#include "tests/fuzz/ops.inc"
#undef OP
    };
    enum { FUNCTIONS = 16 }; // one more than there are functions: in one case silu stays
    bool replaced = false;
    for (size_t i = 0; i < sizeof others / sizeof *others && kind == OP_SILU && !replaced; i++)
        if ((replaced =
                 s->ops % 4 == 0 ? 4 + s->tensors % FUNCTIONS == others[i].place : s->ops % 4 == others[i].place))
            kind = others[i].kind;
    bool exact = kind == OP_GELU && s->ops % 4 == 1;
    x = operand_of(s, x, kind);
    struct op *op = add_op(s, kind, VALUE_F32, s->tensor[x].size, rms_of(kind, s->tensor[x].rms));
    reads(op, x);
    op->setting = replaced ? 1 + s->tensors % 3 : exact;
    choose_lanes(op);
    choose_order(s, op);
    return op->out[0];
}

int add_transpose(struct spec *s, int x) {
    int rank = rank_of(s, x), perm[MAX_RANK] = {0, 1, 2}, shift = between(1, rank - 1);
    for (int d = 0; d < rank; d++) perm[d] = (d + shift) % rank; // rotates the dimensions; with three of them,
    if (rank == 3 && chance(50))                                 // it may swap two instead
        for (int d = 0, stays = below(rank); d < rank; d++) perm[d] = d == stays ? d : rank - stays - d;
    struct size_class turned = {.source = SHAPE_TURNED, .rank = rank, .parent = s->tensor[x].size};
    memcpy(turned.perm, perm, sizeof perm);
    int size = derived(s, turned);
    struct op *op = add_op(s, OP_TRANSPOSE, VALUE_F32, size, s->tensor[x].rms);
    reads(op, x);
    memcpy(op->perm, perm, sizeof perm);
    choose_order(s, op);
    return op->out[0];
}

static struct cut random_cut(int extent) {
    struct cut c = {.taps = between(1, 3), .stride = between(1, 3), .dilation = between(1, 2)};
    int span = (c.taps - 1) * c.dilation;
    c.before = below(span + 1), c.after = below(span + 1);
    if (!spec_cut_fits(&c, extent)) c = (struct cut){.taps = 1, .stride = c.stride, .dilation = 1};
    return c;
}

int add_patch(struct spec *s, int x) {
    enum { MOST_ELEMENTS = 600 };
    int extent[MAX_RANK], rank = spec_extents(s, s->tensor[x].size, extent), axes = between(1, rank > 1 ? 2 : 1);
    struct size_class cut = {.source = SHAPE_CUT, .rank = axes + 1, .parent = s->tensor[x].size, .axes = axes};
    for (int a = 0; a < axes; a++) cut.cut[a] = random_cut(extent[a]);
    int size = derived(s, cut);
    if (spec_elements(s, size) > MOST_ELEMENTS) return x;
    struct op *op = add_op(s, OP_PATCH, VALUE_F32, size, s->tensor[x].rms + 0.75f);
    reads(op, x);
    return op->out[0];
}

static int reshaped(struct spec *s, enum op_kind kind, int x, int size, float rms) {
    struct op *op = add_op(s, kind, VALUE_F32, size, rms);
    reads(op, x);
    return op->out[0];
}

// Subtracts from each element the maximum, minimum, sum or mean of all elements along some dimensions.
int add_reduction(struct spec *s, int x) {
    int extent[MAX_RANK], size = s->tensor[x].size, rank = spec_extents(s, size, extent),
                          mask = 1 + s->tensors % ((1 << rank) - 1), kept = 0, count = 1, kind = s->ops % 4;
    float rms = s->tensor[x].rms;
    for (int d = 0; d < rank; d++)
        if (mask >> d & 1) count *= extent[d];
        else kept++;
    float made = kind == 2 ? rms * (float)count : kind == 3 ? rms : rms * 3;
    if (rms + made > most_rms) return x;
    int less =
            derived(s,
                    (struct size_class){
                        .source = SHAPE_REDUCED, .rank = kept ? kept : 1, .parent = size, .last = mask, .axes = rank}),
        ones = derived(s, (struct size_class){.source = SHAPE_ONES, .rank = rank, .parent = size, .last = mask});
    struct op *op = add_op(s, OP_REDUCE, VALUE_F32, less, made);
    reads(op, x);
    op->setting = kind;
    int all = reshaped(s, OP_EXPAND, reshaped(s, OP_RESHAPE, op->out[0], ones, made), size, made);
    op = add_op(s, OP_SUB, VALUE_F32, size, rms + made);
    reads(op, x);
    reads(op, all);
    return op->out[0];
}

static int add_product(struct spec *s, int a, int b, bool transpose, int size, float rms) {
    struct op *op = add_op(s, OP_BMM, VALUE_F32, size, rms);
    reads(op, a);
    reads(op, b);
    op->setting = transpose;
    return op->out[0];
}

// Weighs the rows of a tensor by the products of each two of them, as attention does.
int add_contraction(struct spec *s, int x) {
    enum { MOST_PAIRS = 600 };
    int size = s->tensor[x].size, extent[MAX_RANK], rank = spec_extents(s, size, extent);
    int pairs = derived(s, (struct size_class){.source = SHAPE_PAIRS, .rank = rank, .parent = size});
    float rms = s->tensor[x].rms * (float)extent[rank - 2];
    if (spec_elements(s, pairs) > MOST_PAIRS) return x;
    int t = plain_unary(s, x, OP_TANH, 1);
    int p = plain_unary(s, add_product(s, t, t, true, pairs, (float)extent[rank - 1]), OP_TANH, 1);
    return rms > most_rms ? p : add_product(s, p, x, false, size, rms);
}

// Reshapes a tensor to one vector, to fewer dimensions, or back to the shape that its elements had before.
int add_reshape(struct spec *s, int x, bool flat) {
    const struct size_class *c = &s->size[s->tensor[x].size];
    int size = s->tensor[x].size, parent = size;
    while (s->size[parent].source == SHAPE_FLAT || s->size[parent].source == SHAPE_MERGED ||
           s->size[parent].source == SHAPE_TURNED)
        parent = s->size[parent].parent;
    if (!flat && parent != size && chance(60)) size = parent;
    else if (!flat && c->rank == 3)
        size = derived(s, (struct size_class){.source = SHAPE_MERGED, .rank = 2, .parent = size});
    else if (c->rank > 1) size = derived(s, (struct size_class){.source = SHAPE_FLAT, .rank = 1, .parent = size});
    struct op *op = add_op(s, OP_RESHAPE, VALUE_F32, size, s->tensor[x].rms);
    reads(op, x);
    return op->out[0];
}

// Replaces a sum by a choice of one operand. No random number is drawn, so the rest of the graph of a seed stays.
static void choose_one(struct spec *s, struct op *op) {
    op->kind = OP_CHOOSE;
    op->setting = s->ops % 4;
    s->tensor[op->out[0]].rms =
        s->tensor[op->in[0]].rms > s->tensor[op->in[1]].rms ? s->tensor[op->in[0]].rms : s->tensor[op->in[1]].rms;
}

// Divides a by positive values made from b.
static int quotient(struct spec *s, int a, int b) {
    b = positive(s, b);
    struct op *op = add_op(s, OP_DIV, VALUE_F32, s->tensor[a].size, s->tensor[a].rms * 2.8f);
    reads(op, a);
    reads(op, b);
    choose_lanes(op);
    choose_order(s, op);
    return op->out[0];
}

// Replaces a sum by the difference, or by the larger or smaller operand. No random number is drawn here either.
static void choose_another(struct spec *s, struct op *op) {
    static const enum op_kind kinds[] = {OP_ADD, OP_SUB, OP_MAX, OP_MIN, OP_ADD};
    op->kind = kinds[s->tensors % 5];
}

// Adds a sum or a product. If a product could grow too large, adds a sum; if that could as well, returns a.
int add_binary(struct spec *s, int a, int b, bool product) {
    float ra = s->tensor[a].rms, rb = s->tensor[b].rms;
    product = product && ra * rb * 2 <= most_rms;
    if (!product && ra + rb > most_rms * 2) return a;
    if (product && s->tensors % 5 == 0) return quotient(s, a, b);
    struct op *op = add_op(s, product ? OP_MUL : OP_ADD, VALUE_F32, s->tensor[a].size, product ? ra * rb * 2 : ra + rb);
    bool turn = chance(50);
    reads(op, turn ? b : a);
    reads(op, turn ? a : b);
    choose_lanes(op);
    choose_order(s, op);
    if (!product) choose_another(s, op);
    if (!product && s->tensors % 5 == 0) choose_one(s, op);
    return op->out[0];
}

// ---- custom kernels ----

static struct op *add_custom(struct spec *s, enum op_kind kind, int x, enum value_type type, int size, float rms) {
    struct op *op = add_op(s, kind, type, size, rms);
    reads(op, x);
    op->setting = below(3);
    if (kind != OP_LARGEST) choose_lanes(op);
    return op;
}

// Adds a kernel that gives the largest of every `group` neighbours, or of all elements if `group` is 0.
static int add_largest(struct spec *s, int x, int group) {
    int size =
        derived(s, (struct size_class){.source = SHAPE_POOLED, .rank = 1, .parent = s->tensor[x].size, .last = group});
    return add_custom(s, OP_LARGEST, x, VALUE_F32, size, s->tensor[x].rms * 3)->out[0];
}

// Adds a random custom kernel that reads x. Kernels that belong together are used in pairs, as in
// tests/e2e/cases/kernels/spec.yaml.
int add_kernel(struct spec *s, int x) {
    int kind = is_array(s, x) ? 0 : below(100);
    x = tame(s, x, 5);
    if (kind < 35) {
        struct op *op = add_custom(s, OP_CLAMP, x, VALUE_F32, s->tensor[x].size, 1.5f);
        choose_order(s, op);
        return op->out[0];
    }
    if (kind < 60) return add_largest(s, x, between(1, 9));
    if (kind < 80) {
        struct op *op;
        int all = add_largest(s, x, 0);
        op = add_custom(s, OP_GATE, x, VALUE_F32, s->tensor[x].size, s->tensor[x].rms);
        reads(op, all);
        return op->out[0];
    }
    int narrow = add_custom(s, OP_NARROW, x, VALUE_BYTES, s->tensor[x].size, 4)->out[0];
    return add_custom(s, OP_WIDEN, narrow, VALUE_F32, s->tensor[x].size, 4)->out[0];
}

// Adds a custom kernel with a factor that depends on the position, with vectors of weights, or with a row of a table.
int add_step_kernel(struct spec *s, int x) {
    enum { MOST_POSITIONS = 64 };
    int kind = below(s->context > 0 ? 100 : 70);
    x = tame(s, x, 2);
    if (kind < 40) {
        float rms = s->tensor[x].rms * MOST_POSITIONS;
        struct op *op = add_custom(s, kind < 25 ? OP_GRADED : OP_SLOWLY, x, VALUE_F32, s->tensor[x].size, rms);
        if (op->kind == OP_GRADED) choose_order(s, op);
        return tame(s, op->out[0], 5);
    }
    struct op *op =
        add_custom(s, kind < 70 ? OP_AFFINE : OP_PLACED, x, VALUE_F32, s->tensor[x].size, s->tensor[x].rms * 2);
    op->weight = s->weights++;
    if (op->kind == OP_AFFINE) op->bias = s->weights++;
    else op->extra_rows = chance(50) ? 0 : between(1, 9);
    op->per_layer = per_layer(s);
    if (op->kind == OP_PLACED) op->lanes = 0;
    return op->out[0];
}

// ---- rotary embedding ----

// Adds one or two tables of rotary embedding.
void add_rope_tables(struct spec *s) {
    for (int count = between(1, 2); count > 0; count--) {
        int cols = s->heads && chance(70) ? s->head_dim - s->head_dim % 2 : 2 * between(1, 12);
        if (cols > 2 && chance(30)) cols = 2 * between(1, cols / 2);
        struct op *op = add_op(s, OP_ROPE_TABLE, VALUE_F32, add_size(s, cols < 2 ? 2 : cols), 0.8f);
        op->extra_rows = chance(50) ? 0 : between(1, 9);
        op->setting = below(6);
    }
}

// Divides n elements into a random number of heads of equal size, each with at least `cols` elements. Returns 0 if that
// is not possible.
static int some_heads(int n, int cols) {
    int heads[64], count = 0;
    for (int h = 1; h <= n / cols && count < 64; h++)
        if (n % h == 0) heads[count++] = h;
    return count ? heads[below(count)] : 0;
}

// Rotates x by a random table that is not longer than a head. Returns x if there is none.
int add_rope(struct spec *s, int x, int heads) {
    int tables[4], count = 0, n = spec_elements(s, s->tensor[x].size);
    for (int i = 0; i < s->ops && count < 4; i++)
        if (s->op[i].kind == OP_ROPE_TABLE &&
            n / (heads ? heads : 1) >= spec_elements(s, s->tensor[s->op[i].out[0]].size))
            tables[count++] = s->op[i].out[0];
    if (!count) return x;
    int row = tables[below(count)], cols = spec_elements(s, s->tensor[row].size);
    struct op *op = add_op(s, OP_ROPE, VALUE_F32, s->tensor[x].size, 1.3f * s->tensor[x].rms);
    reads(op, x);
    reads(op, row);
    op->heads = heads ? heads : some_heads(n, cols);
    op->setting = chance(40);
    op->lanes = chance(15) ? 1 << below(5) : 0;
    return op->out[0];
}
