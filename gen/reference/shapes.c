// SPDX-License-Identifier: Apache-2.0
// Finds, for the oracle, the kinds and shapes of a spec's tensors (docs/spec.md section 5), the tensors on which the
// outputs depend, and the tensors whose values are unknown because a custom kernel has no golden function.
#include <string.h>

#include "gen/reference/graph.h"

static struct oracle_tensor *in(struct oracle_graph *g, const struct oracle_node *n, int i) {
    return &g->tensor.items[n->in[i]];
}
static struct oracle_tensor *out(struct oracle_graph *g, const struct oracle_node *n, int o) {
    return &g->tensor.items[n->out[o]];
}

int64_t oracle_elements(const struct oracle_tensor *t) {
    int64_t n = 1;
    for (int d = 0; d < t->rank; d++) n *= t->extent[d];
    return n;
}

static void set(struct oracle_tensor *t, enum oracle_kind kind, int rank, const int64_t extent[]) {
    t->kind = kind;
    t->rank = rank;
    for (int d = 0; d < rank; d++) t->extent[d] = extent[d];
}

static void set_vector(struct oracle_tensor *t, enum oracle_kind kind, int64_t n) { set(t, kind, 1, &n); }

// Copies shape and format, but not the name. kind: the kind that t gets.
static void be_like(struct oracle_tensor *t, enum oracle_kind kind, const struct oracle_tensor *as) {
    set(t, kind, as->rank, as->extent);
    t->grows = as->grows;
    t->block = as->block;
    t->exp_min = as->exp_min;
}

// Sets a shape with a row for each head and a column for each position of the context.
static void set_positions(const struct oracle_graph *g, struct oracle_tensor *t, enum oracle_kind kind, int64_t heads) {
    set(t, kind, 2, (int64_t[]){heads, g->context});
    t->grows = true;
}

static void shape_transpose(const struct oracle_node *n, const struct oracle_tensor *x, struct oracle_tensor *y) {
    int64_t extent[ORACLE_MAX_RANK] = {0};
    for (int d = 0; d < x->rank; d++) extent[d] = x->extent[n->perm[d]];
    set(y, ORACLE_F32, x->rank, extent);
}

// Sets the default of `perm`, which swaps the last two dimensions.
static void set_perm(struct oracle_node *n, int rank) {
    if (n->perms) return;
    n->perms = rank;
    for (int d = 0; d < rank; d++) n->perm[d] = d;
    n->perm[rank - 1] = rank - 2;
    n->perm[rank - 2] = rank - 1;
}

static bool is_permutation(const struct oracle_node *n, int rank) {
    int seen = 0;
    for (int d = 0; d < n->perms; d++) seen |= n->perm[d] >= 0 && n->perm[d] < rank ? 1 << n->perm[d] : 0;
    return n->perms == rank && seen == (1 << rank) - 1;
}

// Reports that the shape of an operation's result cannot be found. what: the reason. Returns false.
static bool fail(struct oracle_graph *g, const struct oracle_node *n, const char *what, struct diag *diag) {
    struct loc loc = loc_file(g->arena, g->path);
    loc.line = (uint32_t)n->line, loc.col = 1;
    diag_error(diag, loc, MSG_ORACLE_SHAPE, what, out(g, n, 0)->name);
    return false;
}

// Number of operands and of results of each operation.
static const int arity[ORACLE_OPS][2] = {
#define ORACLE_OP(op, name, ins, outs, exact, in_float) [ORACLE_##op] = {ins, outs},
#include "gen/reference/ops.inc"
#undef ORACLE_OP
};

// Sets the shapes of operations that work on the heads of their operand: rope, quantize, kv_quantize. A `quantize`
// without heads has blocks of `block` elements instead.
static bool shape_heads(struct oracle_graph *g, struct oracle_node *n, struct diag *diag) {
    const struct oracle_tensor *x = in(g, n, 0), *z = n->inputs > 1 ? in(g, n, 1) : NULL;
    struct oracle_tensor *y = out(g, n, 0);
    int64_t all = oracle_elements(x);
    bool whole = n->op == ORACLE_QUANTIZE && n->heads == 0;
    if (!whole && (n->heads < 1 || all % n->heads)) return fail(g, n, "no whole heads", diag);
    if (z && (oracle_elements(z) % 2 || oracle_elements(z) > all / n->heads))
        return fail(g, n, "no pairs in whole heads", diag);
    if (n->op == ORACLE_KV_QUANTIZE) return set(y, ORACLE_KV, 2, (int64_t[]){n->heads, all / n->heads}), true;
    be_like(y, n->op == ORACLE_ROPE ? ORACLE_F32 : ORACLE_MX, x);
    if (n->op == ORACLE_ROPE) return true;
    y->block = n->heads ? all / n->heads : n->block;
    y->exp_min = n->exp_min;
    return true;
}

// Sets the shapes of attn_scores, softmax (two results) and attn_values.
static void shape_attention(struct oracle_graph *g, struct oracle_node *n) {
    const struct oracle_tensor *x = in(g, n, 0), *z = in(g, n, 1);
    struct oracle_tensor *y = out(g, n, 0);
    if (n->op == ORACLE_ATTN_SCORES) set_positions(g, y, ORACLE_ACC, oracle_elements(x) / z->extent[1]);
    else if (n->op == ORACLE_ATTN_VALUES) set(y, ORACLE_ACC, 2, (int64_t[]){x->extent[0], z->extent[1]});
    else set_positions(g, y, ORACLE_F32, x->extent[0]);
    if (n->op == ORACLE_SOFTMAX) set_vector(out(g, n, 1), ORACLE_F32, x->extent[0]);
    else y->exp_min = x->exp_min;
}

static bool shape_transposed(struct oracle_graph *g, struct oracle_node *n, struct diag *diag) {
    const struct oracle_tensor *x = in(g, n, 0);
    if (x->rank < 2) return fail(g, n, "no dimensions to exchange", diag);
    set_perm(n, x->rank);
    if (!is_permutation(n, x->rank)) return fail(g, n, "no permutation", diag);
    shape_transpose(n, x, out(g, n, 0));
    return true;
}

static bool shape_reshaped(struct oracle_graph *g, struct oracle_node *n, struct diag *diag) {
    struct oracle_tensor *y = out(g, n, 0);
    set(y, ORACLE_F32, n->extents, n->extent);
    return oracle_elements(y) == oracle_elements(in(g, n, 0)) || fail(g, n, "another number of elements", diag);
}

// Sets the shape of a `patch`: the places along each dimension, then the elements of one patch.
static bool shape_patches(struct oracle_graph *g, struct oracle_node *n, struct diag *diag) {
    const struct oracle_tensor *x = in(g, n, 0);
    int64_t extent[ORACLE_MAX_RANK] = {0}, row = oracle_elements(x);
    if (n->taps < 1 || n->taps > 2 || n->taps > x->rank || n->taps >= ORACLE_MAX_RANK)
        return fail(g, n, "no patches", diag);
    for (int d = 0; d < n->taps; d++) {
        int64_t all = x->extent[d] + (n->pads ? n->padding[d] + n->padding[n->taps + d] : 0);
        int64_t last = all - (n->tap[d] - 1) * (n->dilations ? n->dilation[d] : 1) - 1;
        if (last < 0) return fail(g, n, "patches that are too large", diag);
        extent[d] = last / (n->strides ? n->stride[d] : 1) + 1;
        row = row / x->extent[d] * n->tap[d];
    }
    extent[n->taps] = row;
    set(out(g, n, 0), ORACLE_F32, n->taps + 1, extent);
    return true;
}

// Sets the shape of a `reduce`. Without `along` the last dimension is joined. With `every`, a last dimension that is
// joined keeps `every` elements, which must divide it. If no dimension is left, the result has one element.
static bool shape_reduced(struct oracle_graph *g, struct oracle_node *n, struct diag *diag) {
    const struct oracle_tensor *x = in(g, n, 0);
    int64_t extent[ORACLE_MAX_RANK] = {1};
    int rank = 0, last = x->rank - 1;
    if (!n->joins) n->join[n->joins++] = last;
    for (int d = 0; d <= last; d++) {
        bool joined = false;
        for (int j = 0; j < n->joins; j++) joined |= n->join[j] == d;
        if (joined && d == last && n->every) extent[rank++] = n->every;
        else if (!joined) extent[rank++] = x->extent[d];
    }
    if (n->every && x->extent[last] % n->every) return fail(g, n, "no whole parts", diag);
    set(out(g, n, 0), ORACLE_F32, rank ? rank : 1, extent);
    return true;
}

static bool shape_expanded(struct oracle_graph *g, struct oracle_node *n, struct diag *diag) {
    const struct oracle_tensor *x = in(g, n, 0);
    if (n->extents < x->rank) return fail(g, n, "too few dimensions", diag);
    for (int d = 1; d <= x->rank; d++) {
        int64_t has = x->extent[x->rank - d];
        if (has != 1 && has != n->extent[n->extents - d]) return fail(g, n, "dimensions that do not fit", diag);
    }
    set(out(g, n, 0), ORACLE_F32, n->extents, n->extent);
    return true;
}

static bool shape_sliced(struct oracle_graph *g, struct oracle_node *n, struct diag *diag) {
    const struct oracle_tensor *x = in(g, n, 0);
    int64_t dim = n->along == NONE ? 0 : n->along;
    if (dim >= x->rank || n->start + (n->take - 1) * n->skip >= x->extent[dim]) return fail(g, n, "no such part", diag);
    be_like(out(g, n, 0), ORACLE_F32, x);
    out(g, n, 0)->extent[dim] = n->take;
    return true;
}

static bool shape_joined(struct oracle_graph *g, struct oracle_node *n, struct diag *diag) {
    const struct oracle_tensor *x = in(g, n, 0), *z = in(g, n, 1);
    int64_t dim = n->along == NONE ? 0 : n->along;
    if (dim >= x->rank || z->rank != x->rank) return fail(g, n, "no such dimension", diag);
    be_like(out(g, n, 0), ORACLE_F32, x);
    out(g, n, 0)->extent[dim] += z->extent[dim];
    return true;
}

// Multiplies [m][k] by [k][n], or by [n][k] if `transpose` is set. A dimension before these is equal on both sides.
// rows: the dimension n of the second operand.
static bool shape_product(struct oracle_graph *g, struct oracle_node *n, struct diag *diag) {
    const struct oracle_tensor *x = in(g, n, 0), *z = in(g, n, 1);
    int last = x->rank - 1, rows = n->transpose ? last - 1 : last;
    if (last < 1 || z->rank != x->rank) return fail(g, n, "no matrices", diag);
    if (x->extent[last] != z->extent[2 * last - 1 - rows] || (last > 1 && x->extent[0] != z->extent[0]))
        return fail(g, n, "matrices that do not fit", diag);
    be_like(out(g, n, 0), ORACLE_F32, x);
    out(g, n, 0)->extent[last] = z->extent[rows];
    return true;
}

// Sets the shapes of an operation's results. False after an error.
static bool shape_node(struct oracle_graph *g, struct oracle_node *n, struct diag *diag) {
    if (n->op >= ORACLE_OPS) return oracle_kernel_shape(g, n, diag);
    if (n->inputs != arity[n->op][0] || n->outputs != arity[n->op][1]) return fail(g, n, "other operands", diag);
    const struct oracle_tensor *x = n->inputs ? in(g, n, 0) : NULL;
    struct oracle_tensor *y = out(g, n, 0);
    switch ((enum oracle_op)n->op) {
    case ORACLE_EMBED:
    case ORACLE_POSITION:
    case ORACLE_ROPE_TABLE: set_vector(y, ORACLE_F32, n->cols); break;
    case ORACLE_LAYERNORM:
    case ORACLE_RMSNORM:
#define ORACLE_UNARY(op, name, first, second, value) case ORACLE_##op:
#include "gen/reference/unary.inc"
#undef ORACLE_UNARY
    case ORACLE_ADD:
    case ORACLE_MUL:
    case ORACLE_SUB:
    case ORACLE_DIV:
    case ORACLE_MAX:
    case ORACLE_MIN:
    case ORACLE_CHOOSE:
    case ORACLE_DEQUANTIZE: be_like(y, ORACLE_F32, x); break;
    case ORACLE_ROPE:
    case ORACLE_QUANTIZE:
    case ORACLE_KV_QUANTIZE: return shape_heads(g, n, diag);
    case ORACLE_MATMUL:
        be_like(y, ORACLE_ACC, x);
        y->extent[y->rank - 1] = n->rows;
        break;
    case ORACLE_ATTN_SCORES:
    case ORACLE_SOFTMAX:
    case ORACLE_ATTN_VALUES: shape_attention(g, n); break;
    case ORACLE_SCALE: set_vector(y, ORACLE_F32, oracle_elements(x)); break;
    case ORACLE_TRANSPOSE: return shape_transposed(g, n, diag);
    case ORACLE_RESHAPE: return shape_reshaped(g, n, diag);
    case ORACLE_PATCH: return shape_patches(g, n, diag);
    case ORACLE_SLICE: return shape_sliced(g, n, diag);
    case ORACLE_CONCAT: return shape_joined(g, n, diag);
    case ORACLE_REDUCE: return shape_reduced(g, n, diag);
    case ORACLE_EXPAND: return shape_expanded(g, n, diag);
    case ORACLE_BMM: return shape_product(g, n, diag);
    case ORACLE_ARGMAX: set_vector(y, ORACLE_ID, 1); break;
    case ORACLE_LINEAR: // expanded before
    case ORACLE_CONV:
    case ORACLE_ATTENTION:
    case ORACLE_OPS: break;
    }
    return true;
}

// Finds the inputs that are token ids: an embedding reads them, directly or as the first value of a carried name.
static void find_ids(struct oracle_graph *g) {
    for (size_t i = 0; i < g->node.count; i++) {
        if (g->node.items[i].op != ORACLE_EMBED || !g->node.items[i].inputs) continue;
        int t = g->node.items[i].in[0];
        while (g->tensor.items[t].carry != NONE)
            t = g->region.items[g->tensor.items[t].region].carry[g->tensor.items[t].carry].init;
        if (g->tensor.items[t].node != NONE) continue;
        g->tensor.items[t].kind = ORACLE_ID;
        g->is_lm = true;
    }
}

// Sets the shapes of all tensors, in the order of the graph. A carried tensor has the shape of its first value.
static bool shape_all(struct oracle_graph *g, struct diag *diag) {
    for (size_t r = 0; r < g->region.count; r++) {
        const struct oracle_region *region = &g->region.items[r];
        for (int c = 0; c < region->carries; c++) {
            const struct oracle_tensor *init = &g->tensor.items[region->carry[c].init];
            be_like(&g->tensor.items[region->carry[c].local], init->kind, init);
        }
        for (int n = region->first_node; n < region->first_node + region->nodes; n++)
            if (!shape_node(g, &g->node.items[n], diag)) return false;
    }
    return true;
}

// ---- what the outputs need ----

// The state of find_needed. more: the latest pass marked something.
struct needs {
    struct oracle_graph *g;
    bool *inside, *after; // carried tensors: needed by their own region, or by what follows it
    bool more;
};

static void mark(struct needs *s, bool *flag) {
    s->more |= !*flag;
    *flag = true;
}

// Marks a tensor that is read. region: region of the reader; NONE: the tensor is an output of the graph.
static void need(struct needs *s, int tensor, int region) {
    struct oracle_tensor *t = &s->g->tensor.items[tensor];
    mark(s, &t->needed);
    if (t->carry != NONE) mark(s, t->region == region ? &s->inside[tensor] : &s->after[tensor]);
}

// A carried value that its region reads needs its first value, and its next value if there is another repetition. A
// value that is read after the region needs the next value of the last repetition.
static void need_carry(struct needs *s, int region, const struct oracle_carry *c) {
    if (s->inside[c->local]) need(s, c->init, region);
    bool later = s->inside[c->local] && s->g->region.items[region].repeat > 1;
    if (later || s->after[c->local]) mark(s, &s->g->tensor.items[c->next].needed);
}

// If a result of the operation is needed, marks all its results and its operands.
static void need_operands(struct needs *s, const struct oracle_node *n) {
    bool needed = false;
    for (int o = 0; o < n->outputs; o++) needed |= out(s->g, n, o)->needed;
    for (int o = 0; needed && o < n->outputs; o++) mark(s, &out(s->g, n, o)->needed);
    for (int i = 0; needed && i < n->inputs; i++) need(s, n->in[i], n->region);
}

// Marks the tensors on which the outputs depend.
static void find_needed(struct oracle_graph *g) {
    struct needs s = {.g = g, .more = true};
    s.inside = ARENA_ARRAY(g->arena, bool, g->tensor.count + 1);
    s.after = ARENA_ARRAY(g->arena, bool, g->tensor.count + 1);
    for (int o = 0; o < g->outputs; o++) need(&s, g->output[o], NONE);
    while (s.more) { // a carried value may need further ones through its loop
        s.more = false;
        for (size_t n = g->node.count; n-- > 0;) need_operands(&s, &g->node.items[n]);
        for (size_t r = 0; r < g->region.count; r++)
            for (int c = 0; c < g->region.items[r].carries; c++) need_carry(&s, (int)r, &g->region.items[r].carry[c]);
    }
}

// ---- what cannot be known ----

static bool has_no_function(const struct oracle_graph *g, const struct oracle_node *n) {
    return n->op >= ORACLE_OPS && !g->kernel.items[n->op - ORACLE_OPS].text;
}

// Marks the results of custom kernels without a golden function, and tensors that depend directly on an unknown one.
// Returns true if it marked any, so that another pass is needed.
static bool spread(struct oracle_graph *g) {
    bool more = false;
    for (size_t i = 0; i < g->node.count; i++) {
        const struct oracle_node *n = &g->node.items[i];
        bool unknown = has_no_function(g, n);
        for (int k = 0; k < n->inputs; k++) unknown |= in(g, n, k)->unknown;
        for (int o = 0; unknown && o < n->outputs; o++) {
            more |= !out(g, n, o)->unknown;
            out(g, n, o)->unknown = true;
        }
    }
    for (size_t r = 0; r < g->region.count; r++)
        for (int c = 0; c < g->region.items[r].carries; c++) {
            const struct oracle_carry *k = &g->region.items[r].carry[c];
            struct oracle_tensor *local = &g->tensor.items[k->local];
            bool unknown = g->tensor.items[k->init].unknown || g->tensor.items[k->next].unknown;
            more |= unknown && !local->unknown;
            local->unknown |= unknown;
        }
    return more;
}

const char *oracle_beyond(const struct oracle_graph *g) {
    for (size_t i = 0; i < g->node.count; i++)
        if (has_no_function(g, &g->node.items[i]) && g->tensor.items[g->node.items[i].out[0]].needed)
            return g->tensor.items[g->node.items[i].out[0]].name;
    return NULL;
}

bool oracle_shapes(struct oracle_graph *g, struct diag *diag) {
    find_ids(g);
    if (!shape_all(g, diag)) return false;
    find_needed(g);
    while (spread(g)) continue;
    return true;
}
