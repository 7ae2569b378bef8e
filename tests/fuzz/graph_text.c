// SPDX-License-Identifier: Apache-2.0
// Finds the needed parts of a random spec, makes it smaller step by step, and prints it.
#include <stdio.h>
#include <string.h>

#include "tests/fuzz/random_spec.h"

// The default values in the order of enum design_key. The clock is in tenths of a MHz.
const int design_default[DESIGN_KEYS] = {2500, 1, 512, 8, 1, 8, 8, 128, 64, 16, 8, 1, 0, 8, 1};

static int min(int a, int b) { return a < b ? a : b; }

// Returns the length of a vector with all heads of a kind.
static int heads_length(const struct spec *s, enum heads heads) {
    int count = heads == QUERY_HEADS || heads == RESULT_HEADS ? s->heads : s->kv_heads;
    return count * (heads <= KEY_HEADS ? s->head_dim : s->value_dim);
}

// Returns how many places of a dimension a patch spans.
static int span_of(const struct cut *c) { return (c->taps - 1) * c->dilation + 1; }

bool spec_cut_fits(const struct cut *c, int extent) {
    int span = span_of(c);
    return c->before < span && c->after < span && extent + c->before + c->after >= span;
}

// Returns the number of patches along a dimension.
static int places_of(const struct cut *c, int extent) {
    return spec_cut_fits(c, extent) ? (extent + c->before + c->after - span_of(c)) / c->stride + 1 : 1;
}

// Returns an extent of a tensor of patches: the number of places along a dimension, or for the last dimension the
// number of elements of a patch.
static int cut_extent(const struct size_class *c, int dim, const int of[], int rank) {
    int elements = 1;
    if (dim < c->axes) return places_of(&c->cut[dim], of[dim]);
    for (int d = 0; d < rank; d++) elements *= d < c->axes ? c->cut[d].taps : of[d];
    return elements;
}

// Returns extent d of a tensor without the dimensions in the mask, or 1 if no dimension is left.
static int kept_extent(int mask, int d, const int of[], int rank) {
    for (int k = 0; k < rank; k++)
        if (!(mask >> k & 1) && d-- == 0) return of[k];
    return 1;
}

int spec_extents(const struct spec *s, int size, int extent[MAX_RANK]) {
    const struct size_class *c = &s->size[size];
    int of[MAX_RANK], rank = c->source == SHAPE_GIVEN ? 0 : spec_extents(s, c->parent, of);
    for (int d = 0; d < c->rank; d++) {
        if (c->source == SHAPE_GIVEN) extent[d] = c->heads ? heads_length(s, c->heads) : c->extent[d];
        else if (c->source == SHAPE_MERGED) extent[d] = d == 0 ? of[0] * of[1] : of[d + 1];
        else if (c->source == SHAPE_TURNED) extent[d] = of[c->perm[d]];
        else if (c->source == SHAPE_REDUCED) extent[d] = kept_extent(c->last, d, of, rank);
        else if (c->source == SHAPE_ONES) extent[d] = c->last >> d & 1 ? 1 : of[d];
        else if (c->source == SHAPE_PAIRS) extent[d] = of[d < rank - 1 ? d : d - 1];
        else if (c->source == SHAPE_CUT) extent[d] = cut_extent(c, d, of, rank);
        else if (c->source == SHAPE_POOLED) extent[d] = c->last ? (of[0] + c->last - 1) / c->last : 1;
        else if (c->source == SHAPE_ROWS) extent[d] = d == c->rank - 1 ? spec_elements(s, c->last) : of[d];
        else
            for (int i = extent[d] = 1; i <= rank; i++) extent[d] *= of[i - 1];
    }
    return c->rank;
}

int spec_elements(const struct spec *s, int size) {
    int extent[MAX_RANK], count = 1, rank = spec_extents(s, size, extent);
    for (int d = 0; d < rank; d++) count *= extent[d];
    return count;
}

static bool same_shape(const struct spec *s, int a, int b) {
    int x[MAX_RANK], y[MAX_RANK], rank = spec_extents(s, a, x);
    if (spec_extents(s, b, y) != rank) return false;
    for (int d = 0; d < rank; d++)
        if (x[d] != y[d]) return false;
    return true;
}

// ---- needed parts ----

// Marks a tensor as needed. Returns false if it was marked before.
static bool need(struct spec *s, int tensor) {
    if (tensor == NONE || s->tensor[tensor].needed) return false;
    return s->tensor[tensor].needed = true;
}

// Marks the operands of all needed operations and carries. Returns whether a tensor was marked.
static bool need_once(struct spec *s) {
    bool more = false;
    for (int n = s->ops - 1; n >= 0; n--) {
        struct op *op = &s->op[n];
        for (int o = 0; o < op->outs; o++)
            if (s->tensor[op->out[o]].needed) op->gone = false;
        for (int i = 0; !op->gone && i < op->ins; i++) more |= need(s, op->in[i]);
    }
    for (int r = 0; r < s->regions; r++)
        for (int c = 0; c < s->region[r].carries; c++) {
            const struct carry *k = &s->region[r].carry[c];
            if (k->local != NONE && s->tensor[k->local].needed) more |= (int)need(s, k->init) | (int)need(s, k->next);
        }
    return more;
}

void spec_clean(struct spec *s) {
    for (int t = 0; t < s->tensors; t++) s->tensor[t].needed = s->tensor[t].keep;
    for (int n = 0; n < s->ops; n++) s->op[n].gone = true;
    for (int o = 0; o < s->outputs; o++) need(s, s->output[o]);
    while (need_once(s)) continue;
}

// ---- steps to a smaller spec ----

// Makes the readers of `from` read `to`. If region is not NONE, only those inside the region (`inside`) or outside it.
static void replace_reads(struct spec *s, int from, int to, int region, bool inside) {
    for (int n = 0; n < s->ops; n++)
        for (int i = 0; i < s->op[n].ins; i++)
            if (s->op[n].in[i] == from && (region == NONE || (s->op[n].region == region) == inside))
                s->op[n].in[i] = to;
    for (int r = 0; r < s->regions; r++)
        for (int c = 0; c < s->region[r].carries; c++) {
            struct carry *k = &s->region[r].carry[c];
            if (k->init == from && (region == NONE || !inside)) k->init = to;
            if (k->next == from && (region == NONE || (r == region) == inside)) k->next = to;
        }
    for (int o = 0; o < s->outputs; o++)
        if (s->output[o] == from && (region == NONE || !inside)) s->output[o] = to;
}

// Removes a carried tensor. Its readers in the region then read its initial value, and those after the region its
// `next`.
static void drop_carry(struct spec *s, int region, int c) {
    struct carry k = s->region[region].carry[c];
    if (k.local == NONE) return;
    s->region[region].carry[c].local = NONE;
    replace_reads(s, k.local, k.init, region, true);
    replace_reads(s, k.local, k.next == k.local ? k.init : k.next, region, false);
}

// Drops carried tensors whose `next` is no longer made in their region.
static void check_carries(struct spec *s) {
    for (int r = 0; r < s->regions; r++)
        for (int c = 0; c < s->region[r].carries; c++) {
            int next = s->region[r].carry[c].next;
            if (s->tensor[next].region != r || s->tensor[next].local_of != NONE) drop_carry(s, r, c);
        }
}

// Returns whether readers of y can read x instead.
static bool can_stand_for(const struct spec *s, int x, int y) {
    const struct tensor *a = &s->tensor[x], *b = &s->tensor[y];
    bool a_last = a->region != NONE && s->region[a->region].last,
         b_last = b->region != NONE && s->region[b->region].last;
    if (a->type != VALUE_F32 || !same_shape(s, a->size, b->size) || (a_last && !b_last)) return false;
    for (int r = 0; r < s->regions; r++)
        for (int c = 0; a->local_of == r && c < s->region[r].carries; c++)
            if (s->region[r].carry[c].local == x) return true;
    return a->local_of == NONE && a->needed;
}

// Drops operation n. The readers of its output then read another tensor of that shape.
static void drop_op(struct spec *s, int n) {
    const struct op *op = &s->op[n];
    int y = op->out[0], x = NONE;
    if (s->tensor[y].type != VALUE_F32 || op->outs != 1 || op->kind == OP_EMBED) return;
    for (int t = 0; t < y; t++)
        if (can_stand_for(s, t, y)) x = t;
    for (int i = 0; i < op->ins; i++)
        if (can_stand_for(s, op->in[i], y)) x = op->in[i];
    s->tensor[y].keep = false;
    if (x != NONE) replace_reads(s, y, x, NONE, false);
    check_carries(s);
}

// Gives the operation its default attributes.
static void plain_op(struct op *op) {
    op->bias = op->kind == OP_MATMUL ? NONE : op->bias;
    op->format = op->row_offset = op->transpose = op->eps_exponent = 0;
    op->exp_min = op->block == BLOCK_POSITIONS ? -36 : -24;
    op->extra_rows = op->kind == OP_EMBED ? op->extra_rows : 0;
    op->block = op->block == BLOCK_GROUP ? BLOCK_DEFAULT : op->block;
    op->list_form = true;
    op->per_layer = false;
    op->lanes = op->orders = op->setting = op->window = 0;
}

static void drop_output(struct spec *s, int tensor) {
    for (int o = 0; o < s->outputs && s->outputs > 1; o++)
        if (s->output[o] == tensor) s->output[o] = s->output[--s->outputs];
}

static void plain_names(struct spec *s) {
    for (int t = 0; t < s->tensors; t++) snprintf(s->tensor[t].name, NAME_BYTES, "t%d", t);
    for (int r = 0; r < s->regions; r++) snprintf(s->region[r].name, NAME_BYTES, "r%d", r);
}

// Returns whether all patches still fit their dimensions.
static bool cuts_fit(const struct spec *s) {
    for (int n = 0; n < s->ops; n++) {
        const struct op *op = &s->op[n];
        if (op->gone || op->kind != OP_PATCH) continue;
        int of[MAX_RANK];
        const struct size_class *c = &s->size[s->tensor[op->out[0]].size];
        spec_extents(s, c->parent, of);
        for (int a = 0; a < c->axes; a++)
            if (!spec_cut_fits(&c->cut[a], of[a])) return false;
    }
    return true;
}

// Returns whether the keys of the design still fit one another, the heads and the patches.
static bool is_legal(const struct spec *s) {
    const int *d = s->design;
    if (s->is_model && s->model[MODEL_HEAD_DIM] % d[KEY_LANES]) return false;
    if (s->heads && (s->head_dim % d[KEY_LANES] || s->value_dim % d[KEY_LANES])) return false;
    if (d[KEY_TOKENS] % d[KEY_COPIES] || !cuts_fit(s)) return false;
    return d[KEY_GROUP] % (d[KEY_BEAT_BITS] / 4) == 0 && d[KEY_BURST] <= d[KEY_PREFETCH] &&
           d[KEY_BURST] <= 4096 / (d[KEY_BEAT_BITS] / 8);
}

static void design_step(struct spec *s, int step) {
    if (step < DESIGN_KEYS) s->design[step] = design_default[step];
    else if (step == DESIGN_KEYS) s->design[KEY_LANES] = 2;
    else if (step == DESIGN_KEYS + 1) s->design[KEY_CHANNELS] = min(s->design[KEY_CHANNELS], 2);
    else if (step == DESIGN_KEYS + 2) s->design[KEY_TOKENS] = min(s->design[KEY_TOKENS], 2);
    else s->design[KEY_GROUP] = s->design[KEY_BEAT_BITS] / 4;
}
enum { DESIGN_STEPS = DESIGN_KEYS + 4 }; // each key to its default, then four keys to other small values

static void model_step(struct spec *s, int key) {
    static const int smallest[MODEL_KEYS] = {1, 1, 0, 1, 4, 9, 0, 0, NONE, NONE};
    s->model[key] = key == MODEL_HEAD_DIM ? min(s->model[key], s->design[KEY_LANES] == 1 ? 2 : s->design[KEY_LANES])
                                          : min(s->model[key], smallest[key]);
    if (s->model[MODEL_BOS] >= s->model[MODEL_VOCAB]) s->model[MODEL_BOS] = 0;
    if (s->model[MODEL_EOT] >= s->model[MODEL_VOCAB]) s->model[MODEL_EOT] = 0;
}

// Makes a size class smaller. The two numbers after the last class are those of the number and of the size of heads.
static void size_step(struct spec *s, int size, int to) {
    if (size < s->sizes)
        for (int d = 0; d < s->size[size].rank; d++)
            s->size[size].extent[d] = min(s->size[size].extent[d], s->size[size].rank == 1 ? to : to / 8 + 1);
    else if (size == s->sizes) s->heads = s->kv_heads = to == 64 ? s->kv_heads : min(s->heads, 1);
    else s->head_dim = s->value_dim = min(s->value_dim, s->design[KEY_LANES] == 1 ? 2 : s->design[KEY_LANES]);
}

enum { SIZE_STEPS = 3 }; // for each size class: vectors to at most 64, 8 and 1 elements

int spec_steps(const struct spec *s) {
    return 1 + DESIGN_STEPS + MODEL_KEYS + s->outputs + s->regions * (3 + MAX_CARRIES) + 2 * s->ops +
           SIZE_STEPS * (s->sizes + 2) + 1;
}

static void region_step(struct spec *s, int region, int step) {
    struct region *r = &s->region[region];
    if (step == 0) r->repeat = 1;
    else if (step == 1) r->repeat = min(r->repeat, 2);
    else if (step == 2) {
        if (region == 0 || !s->region[region - 1].last) r->last = false;
    } else if (step - 3 < r->carries) drop_carry(s, region, step - 3);
}

// Makes the graph smaller: outputs, regions, operations, sizes, attributes of operations, and the context, in this
// order.
static void graph_step(struct spec *s, const struct spec *whole, int step) {
    if (step < whole->outputs) return drop_output(s, whole->output[step]);
    if ((step -= whole->outputs) < s->regions * (3 + MAX_CARRIES))
        return region_step(s, step / (3 + MAX_CARRIES), step % (3 + MAX_CARRIES));
    if ((step -= s->regions * (3 + MAX_CARRIES)) < s->ops) return drop_op(s, s->ops - 1 - step);
    if ((step -= s->ops) < SIZE_STEPS * (s->sizes + 2))
        return size_step(s, step / SIZE_STEPS, step % SIZE_STEPS == 0 ? 64 : step % SIZE_STEPS == 1 ? 8 : 1);
    if ((step -= SIZE_STEPS * (s->sizes + 2)) < s->ops) return plain_op(&s->op[step]);
    if (step == s->ops) s->context = min(s->context, 9);
}

void spec_step(struct spec *s, const struct spec *whole, int step) {
    struct spec before = *s;
    if (step == 0) plain_names(s);
    else if (--step < DESIGN_STEPS) design_step(s, step);
    else if ((step -= DESIGN_STEPS) < MODEL_KEYS) model_step(s, step);
    else graph_step(s, whole, step - MODEL_KEYS);
    if (!is_legal(s)) *s = before;
    spec_clean(s);
}

// ---- text ----

static const char *const op_names[] = {
#define OP(kind, name) [OP_##kind] = name,
#include "tests/fuzz/ops.inc"
#undef OP
};

static const char *const kernel_texts[OP_KINDS - OP_CLAMP] = {
    "  clamp:\n    verilog: kernels/clamp.v\n    inputs: {x: fp32}\n    outputs: {y: fp32}\n    elementwise: true\n"
    "    parameters: {LIMIT: 32'h3f800000}\n    timing: {latency: 1}\n    golden: {file: kernels/clamp.c}\n",
    "  largest:\n    verilog: kernels/pool.v\n    module: pool\n    inputs: {x: fp32}\n    outputs: {y: {shape: [(x + "
    "GROUP - 1) / GROUP]}}\n"
    "    parameters: {SIZE: x, GROUP: required}\n    lanes: [1]\n    timing: {latency: 1, group: GROUP, buffers: 2}\n"
    "    golden: {file: kernels/pool.c}\n",
    "  gate:\n    verilog: kernels/gate.v\n    inputs: {x: fp32, s: {shape: 1}}\n    outputs: {y: fp32}\n"
    "    timing: {latency: 2, interval: 2}\n    golden: {file: kernels/gate.c}\n",
    "  narrow:\n    verilog: kernels/narrow.v\n    inputs: {x: fp32}\n    outputs: {q: int8}\n    parameters: {FRAC: "
    "5}\n"
    "    timing: {latency: 1}\n    golden: {file: kernels/bytes.c}\n",
    "  widen:\n    verilog: kernels/widen.v\n    inputs: {q: int8}\n    outputs: {y: fp32}\n    parameters: {FRAC: 5}\n"
    "    timing: {latency: 1}\n    golden: {file: kernels/bytes.c}\n",
    "  graded:\n    verilog: kernels/graded.v\n    inputs: {x: fp32}\n    outputs: {y: fp32}\n    elementwise: true\n"
    "    step: true\n    timing: {latency: 3}\n    golden: {file: kernels/graded.c}\n",
    "  slowly:\n    verilog: kernels/graded.v\n    module: graded\n    inputs: {x: fp32}\n    outputs: {y: fp32}\n"
    "    step: true\n    parameters: {SINGLE: 1}\n    timing: {latency: 3, interval: 3}\n"
    "    golden: {file: kernels/graded.c, function: graded}\n",
    "  affine:\n    verilog: kernels/affine.v\n    inputs: {x: fp32}\n    outputs: {y: fp32}\n"
    "    vectors: {scale: x, turn: y}\n    timing: {latency: 3}\n    golden: {file: kernels/affine.c}\n",
    "  placed:\n    verilog: kernels/placed.v\n    inputs: {x: {shape: cols}}\n    outputs: {y: fp32}\n    step: true\n"
    "    fetch: {ask: 3}\n    parameters: {ROWS: rows, COLS: cols}\n    lanes: [1, 2, 4, 8]\n    timing: {latency: 3}\n"
    "    golden: {file: kernels/placed.c}\n",
};

// Prints the custom kernels that the graph uses. Their files are in the folder `kernels` next to the spec.
static void print_kernels(const struct spec *s) {
    bool used[OP_KINDS] = {false}, any = false;
    for (int n = 0; n < s->ops; n++)
        if (!s->op[n].gone) used[s->op[n].kind] = true;
    for (int k = OP_CLAMP; k < OP_KINDS; k++) {
        if (!used[k]) continue;
        printf("%s%s", any ? "" : "kernels:\n", kernel_texts[k - OP_CLAMP]);
        any = true;
    }
    if (any) printf("\n");
}

static void print_design(const struct spec *s) {
    static const char *const keys[DESIGN_KEYS] = {
        "clock_mhz",      "channels",  "beat_bits",   "lanes", "T",           "weights",     "head",       "group",
        "prefetch_beats", "max_burst", "outstanding", "A",     "on_chip_kib", "activations", "query_heads"};
    bool any = false;
    for (int k = 0; k < DESIGN_KEYS; k++) {
        int v = s->design[k];
        if (v == design_default[k]) continue;
        if (!any) printf("\ndesign:\n");
        any = true;
        if (k == KEY_WEIGHTS || k == KEY_HEAD || k == KEY_ACTIVATIONS) printf("  %s: int%d\n", keys[k], v);
        else if (k == KEY_CLOCK && v % 10) printf("  %s: %d.%d\n", keys[k], v / 10, v % 10);
        else printf("  %s: %d\n", keys[k], k == KEY_CLOCK ? v / 10 : v);
    }
}

static void print_model(const struct spec *s) {
    const int *m = s->model;
    printf("model:\n  family: gpt2\n  layers: %d\n  hidden: %d\n  heads: %d\n  ffn: %d\n  vocab: %d\n  context: %d\n",
           m[MODEL_LAYERS], m[MODEL_HEADS] * m[MODEL_HEAD_DIM], m[MODEL_HEADS], m[MODEL_FFN], m[MODEL_VOCAB],
           m[MODEL_CONTEXT]);
    if (m[MODEL_UNTIED]) printf("  tied_head: false\n");
    if (m[MODEL_EPS]) printf("  norm_eps: 1.0e%d\n", m[MODEL_EPS]);
    if (m[MODEL_BOS] != NONE) printf("  bos: %d\n", m[MODEL_BOS]);
    if (m[MODEL_EOT] != NONE) printf("  eot: %d\n", m[MODEL_EOT]);
}

static void print_weight(const struct op *op, const char *key, const char *prefix, int number) {
    if (number == NONE) return;
    printf(op->per_layer ? ", %s: \"%s%d.{layer}\"" : ", %s: %s%d", key, prefix, number);
}

static int row_length(const struct spec *s, int tensor) {
    int extent[MAX_RANK];
    return extent[spec_extents(s, s->tensor[tensor].size, extent) - 1];
}

static void print_list(const char *key, const int *value, int count) {
    if (count) printf(", %s: [", key);
    for (int i = 0; i < count; i++) printf("%s%d%s", i ? ", " : "", value[i], i == count - 1 ? "]" : "");
}

// Prints the attributes of a patch. Unless `all`, leaves out those that have their default in all dimensions.
static void print_cut(const struct size_class *c, bool all) {
    int taps[MAX_AXES], stride[MAX_AXES], dilation[MAX_AXES], pads[2 * MAX_AXES], strides = 0, apart = 0, padded = 0;
    for (int a = 0; a < c->axes; a++) {
        const struct cut *k = &c->cut[a];
        taps[a] = k->taps, stride[a] = k->stride, dilation[a] = k->dilation;
        pads[a] = k->before, pads[c->axes + a] = k->after;
        strides += k->stride - 1, apart += k->dilation - 1, padded += k->before + k->after;
    }
    print_list("size", taps, c->axes);
    print_list("stride", stride, all || strides ? c->axes : 0);
    print_list("dilation", dilation, all || apart ? c->axes : 0);
    print_list("pads", pads, all || padded ? 2 * c->axes : 0);
    if (padded % 3 == 1) printf(", pad: -0.75");
}

static void print_reduction(const struct size_class *c, int kind, bool all) {
    static const char *const kinds[] = {"max", "min", "sum", "mean"};
    int along[MAX_RANK], count = 0, rank = c->axes;
    for (int d = 0; d < rank; d++)
        if (c->last >> d & 1) along[count++] = d;
    printf(", kind: %s", kinds[kind]);
    if (all || count != 1 || along[0] != rank - 1) print_list("along", along, count);
}

static void print_shape_attributes(const struct spec *s, const struct op *op) {
    const struct size_class *c = &s->size[s->tensor[op->out[0]].size];
    int extent[MAX_RANK], rank = spec_extents(s, s->tensor[op->out[0]].size, extent);
    if (op->kind == OP_TRANSPOSE && !(c->rank == 2 && op->list_form)) print_list("perm", op->perm, rank);
    if (op->kind == OP_PATCH) print_cut(c, op->list_form);
    if (op->kind == OP_REDUCE) print_reduction(c, op->setting, op->list_form);
    if (op->kind == OP_RESHAPE || op->kind == OP_EXPAND) print_list("shape", extent, rank);
    if (op->along != NONE) printf(", along: %d", op->along);
    print_list("order", op->order, op->orders);
    if (op->lanes) printf(", lanes: %d", op->lanes);
}

static void print_setting(const struct spec *s, const struct op *op) {
    static const char *const limits[] = {"32'h3f800000", "32'h3f000000", "32'h40000000"};
    int group = op->kind == OP_LARGEST ? s->size[s->tensor[op->out[0]].size].last : 0;
    if (op->kind == OP_BMM && (op->setting || op->list_form)) printf(", transpose: %d", op->setting);
    if (op->kind == OP_CLAMP && op->setting) printf(", LIMIT: %s", limits[op->setting]);
    if (op->kind == OP_LARGEST && group) printf(", GROUP: %d", group);
    if (op->kind == OP_LARGEST && !group) printf(", GROUP: x");
    if ((op->kind == OP_NARROW || op->kind == OP_WIDEN) && op->setting) printf(", FRAC: %d", 3 + op->setting);
}

// Prints the settings of rotary embedding, which `setting` selects: the pairs of `rope`, the figures of `rope_table`.
static void print_rotation(const struct spec *s, const struct op *op) {
    static const char *const figures[] = {
        "",
        ", theta: 100",
        ", theta: 500, scaling: linear, factor: 3",
        ", theta: 50, scaling: llama3, factor: 8, original_context: 32",
        ", theta: 20, scaling: yarn, factor: 4, original_context: 30, beta_fast: 4",
        ", scaling: yarn, factor: 2.5, attention_factor: 0.9",
    };
    if (op->kind == OP_ROPE) printf(", heads: %d%s", op->heads, op->setting ? ", pairs: interleaved" : "");
    if (op->kind != OP_ROPE_TABLE) return;
    printf(", rows: %d, cols: %d", s->context + op->extra_rows, spec_elements(s, s->tensor[op->out[0]].size));
    printf("%s", figures[op->setting]);
}

// Prints a value. In a repeated region, an odd value becomes a list with one number for each repetition.
static void print_each(const struct spec *s, const struct op *op, const char *key, int value, int step, int most) {
    int repeat = s->region[op->region].repeat;
    printf(", %s: ", key);
    if (repeat == 1 || value % 2 == 0) printf("%d", value % (most + 1));
    for (int r = 0; repeat > 1 && value % 2 && r < repeat; r++)
        printf("%s%d%s", r ? ", " : "[", (value + r * step) % (most + 1), r + 1 < repeat ? "" : "]");
}

// Prints the attributes of an operation with one operand (ops.inc).
static void print_unary(const struct op *op) {
    if (op->kind == OP_GELU && op->setting) printf(", approximate: none");
#define OP(kind, name)
#define UNARY(of, name, place, first, second, third)                                                                   \
    if (op->kind == OP_##of && op->setting) fputs(op->setting == 1 ? first : op->setting == 2 ? second : third, stdout);
#include "tests/fuzz/ops.inc"
#undef OP
}

static void print_cap(const struct spec *s, const struct op *op) {
    static const char *const caps[] = {"", ", cap: 0.5", ", cap: 3", ", cap: 50"};
    if (op->kind == OP_SOFTMAX) printf("%s", caps[op->setting]);
    print_unary(op);
    if (op->kind == OP_SOFTMAX && op->window) print_each(s, op, "window", op->window, 17, 40);
    if (op->kind == OP_CHOOSE) print_each(s, op, "of", op->setting, 3, 1);
}

static void print_attributes(const struct spec *s, const struct op *op) {
    int elements = spec_elements(s, s->tensor[op->out[0]].size);
    bool is_norm = op->kind == OP_LAYERNORM || op->kind == OP_RMSNORM;
    if (op->kind == OP_EMBED) printf(", rows: %d, cols: %d", spec_elements(s, op->extra_rows), elements);
    if (op->kind == OP_POSITION || op->kind == OP_PLACED)
        printf(", rows: %d, cols: %d", s->context + op->extra_rows, elements);
    if (op->kind == OP_MATMUL) printf(", rows: %d", row_length(s, op->out[0]));
    if (op->format == FORMAT_ASYM) printf(", weights: int4_asym");
    else if (op->format) printf(", %s: int%d", op->kind == OP_EMBED ? "format" : "weights", op->format);
    if (op->kind == OP_KV_QUANTIZE) printf(", heads: %d, role: %s", s->kv_heads, op->is_value ? "value" : "key");
    bool scales = op->kind == OP_AFFINE;
    print_weight(op, is_norm ? "gamma" : scales ? "scale" : "weight", "w", op->weight);
    if (op->kind != OP_RMSNORM) print_weight(op, is_norm ? "beta" : scales ? "turn" : "bias", "b", op->bias);
    if (op->row_offset) printf(", row_offset: %d", op->row_offset);
    if (op->transpose) printf(", transpose: 1");
    if (op->eps_exponent) printf(", eps: 1.0e%d", op->eps_exponent);
    int block[] = {0, s->design[KEY_GROUP], s->head_dim, 64};
    if (op->block != BLOCK_DEFAULT) printf(", block: %d", block[op->block]);
    if (op->exp_min != -24) printf(", exp_min: %d", op->exp_min);
    print_rotation(s, op);
    print_cap(s, op);
    print_shape_attributes(s, op);
    print_setting(s, op);
}

static void print_names(const struct spec *s, const int *tensor, int count, bool list) {
    if (list) printf("[");
    for (int i = 0; i < count; i++) printf("%s%s", i ? ", " : "", s->tensor[tensor[i]].name);
    if (list) printf("]");
}

static void print_op(const struct spec *s, const struct op *op) {
    printf("        - {op: %s, %s: ", op_names[op->kind], op->outs > 1 ? "out" : "name");
    print_names(s, op->out, op->outs, op->outs > 1);
    if (op->ins) {
        printf(", in: ");
        print_names(s, op->in, op->ins, op->ins > 1 || op->list_form);
    }
    print_attributes(s, op);
    printf("}\n");
}

static void print_region(const struct spec *s, int index) {
    const struct region *r = &s->region[index];
    int count = 0;
    for (int n = 0; n < s->ops; n++) count += s->op[n].region == index && !s->op[n].gone;
    if (count == 0) return;
    printf("    - name: %s\n", r->name);
    if (r->repeat > 1) printf("      repeat: %d\n", r->repeat);
    if (r->last) printf("      when: last\n");
    bool any = false;
    for (int c = 0; c < r->carries; c++) {
        const struct carry *k = &r->carry[c];
        if (k->local == NONE || !s->tensor[k->local].needed) continue;
        if (!any) printf("      carry:\n");
        any = true;
        printf("        %s: {init: %s, next: %s}\n", s->tensor[k->local].name, s->tensor[k->init].name,
               s->tensor[k->next].name);
    }
    printf("      ops:\n");
    for (int n = 0; n < s->ops; n++)
        if (s->op[n].region == index && !s->op[n].gone) print_op(s, &s->op[n]);
}

static void print_inputs(const struct spec *s) {
    printf("  inputs:\n");
    for (int i = 0; i < s->inputs; i++) {
        const struct tensor *t = &s->tensor[s->input[i]];
        int extent[MAX_RANK], rank = spec_extents(s, t->size, extent);
        if (!t->needed) continue;
        printf("    %s: {shape: [%d", t->name, extent[0]);
        for (int d = 1; d < rank; d++) printf(", %d", extent[d]);
        printf("]}\n");
    }
}

void spec_print(const struct spec *s) {
    printf("# SPDX-License-Identifier: Apache-2.0\nname: fuzz_%llu\n", (unsigned long long)s->seed);
    printf(s->to_end ? "# requests: to the end of the context\n\n" : "\n");
    print_kernels(s);
    if (s->is_model) {
        print_model(s);
    } else {
        printf("graph:\n");
        print_inputs(s);
        printf("  outputs: ");
        print_names(s, s->output, s->outputs, true);
        if (s->context) printf("\n  context: %d", s->context);
        printf("\n  regions:\n");
        for (int r = 0; r < s->regions; r++) print_region(s, r);
    }
    print_design(s);
}
