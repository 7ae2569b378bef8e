// SPDX-License-Identifier: Apache-2.0
// Infers the shapes and types of the results of ONNX's operators. Files need not contain them, and lowering needs the
// shapes of all values.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gen/onnx/graph.h"

// A rule computes the shapes of a node's results. It sets `out`, the shape of the first result; or it sets the shapes
// of all results with set_shape, and `done`. If a shape cannot be known, it sets `unknown`. It returns NULL, or what is
// wrong in the file.
struct shaping {
    struct graph *g;
    struct node *n;
    struct onnx_dims out;
    bool unknown, done;
};
typedef const char *rule(struct shaping *);

// Returns the extents of operand i. If they are not known, sets `unknown` and returns NULL.
static const struct onnx_dims *dims_of(struct shaping *s, size_t i) {
    int v = graph_in(s->n, i);
    if (v == NONE || !graph_value(s->g, v)->shaped) return s->unknown = true, NULL;
    return &graph_value(s->g, v)->dims;
}

static const char *rule_same(struct shaping *s) {
    const struct onnx_dims *x = dims_of(s, 0);
    if (x) s->out = *x;
    return NULL;
}

// Sets *out to the extents of the result if tensors with the extents *out and b are broadcast to each other.
static const char *merge(struct onnx_dims *out, const struct onnx_dims *b) {
    struct onnx_dims a = *out;
    out->rank = a.rank > b->rank ? a.rank : b->rank;
    for (int k = 0; k < out->rank; k++) {
        int i = k - (out->rank - a.rank), j = k - (out->rank - b->rank);
        int64_t x = i >= 0 ? a.dim[i] : 1, y = j >= 0 ? b->dim[j] : 1;
        if (x != y && x != 1 && y != 1) return "the shapes of the operands do not fit each other";
        out->dim[k] = x == 1 ? y : x;
    }
    return NULL;
}

static const char *rule_broadcast(struct shaping *s) {
    const char *why = NULL;
    for (size_t i = 0; i < s->n->in.count && !why; i++) {
        const struct onnx_dims *x = dims_of(s, i);
        if (!x) return NULL;
        why = merge(&s->out, x);
    }
    return why;
}

// The last two axes are those of the matrices; the axes before them broadcast. An operand with one axis is a row (left)
// or a column (right), and its axis of extent 1 is not in the result. k: length of the sums.
static const char *rule_matmul(struct shaping *s) {
    const struct onnx_dims *a = dims_of(s, 0), *b = dims_of(s, 1);
    struct onnx_dims x, y;
    if (!a || !b) return NULL;
    if (!a->rank || !b->rank) return "a product of a scalar";
    x = *a, y = *b;
    int64_t k = x.dim[--x.rank], rows = y.rank > 1 ? y.dim[y.rank - 2] : y.dim[0];
    if (k != rows) return "the operands of the product have different lengths";
    int64_t n = y.rank > 1 ? y.dim[y.rank - 1] : 0, m = x.rank ? x.dim[x.rank - 1] : 0;
    x.rank -= x.rank ? 1 : 0;
    y.rank -= y.rank > 1 ? 2 : 1;
    s->out = x;
    const char *why = merge(&s->out, &y);
    if (why || s->out.rank > ONNX_MAX_RANK - 2) return why ? why : "too many dimensions";
    if (a->rank > 1) s->out.dim[s->out.rank++] = m;
    if (b->rank > 1) s->out.dim[s->out.rank++] = n;
    return NULL;
}

static const char *rule_gemm(struct shaping *s) {
    const struct onnx_dims *a = dims_of(s, 0), *b = dims_of(s, 1);
    if (!a || !b) return NULL;
    if (a->rank != 2 || b->rank != 2 || !s->n->src) return "a Gemm takes matrices";
    bool ta = onnx_int(s->n->src, "transA", 0), tb = onnx_int(s->n->src, "transB", 0);
    s->out = (struct onnx_dims){2, {a->dim[ta], b->dim[!tb]}};
    return a->dim[!ta] == b->dim[tb] ? NULL : "the operands of the product have different lengths";
}

// Sets the shape of Attention's first result. The operands are [batch][heads][rows][elements], or with three axes
// [batch][rows][heads * elements].
static const char *rule_attention(struct shaping *s) {
    const struct onnx_dims *q = dims_of(s, 0), *k = dims_of(s, 1), *v = dims_of(s, 2);
    if (!q || !k || !v || !s->n->src) return NULL;
    int64_t heads = onnx_int(s->n->src, "q_num_heads", 0), kv_heads = onnx_int(s->n->src, "kv_num_heads", 0);
    bool fit = q->rank == k->rank && k->rank == v->rank && (q->rank == 3 || q->rank == 4);
    if (!fit || q->dim[0] != k->dim[0] || k->dim[0] != v->dim[0]) return "operands that do not fit each other";
    int rows = q->rank - 2, last = q->rank - 1;
    if (k->dim[rows] != v->dim[rows]) return "keys and values of different lengths";
    s->out = *q;
    if (q->rank == 4) {
        s->out.dim[last] = v->dim[last];
        return q->dim[last] == k->dim[last] && k->dim[1] == v->dim[1] ? NULL : "operands that do not fit each other";
    }
    if (heads < 1 || kv_heads < 1 || q->dim[2] % heads || k->dim[2] % kv_heads || v->dim[2] % kv_heads ||
        q->dim[2] / heads != k->dim[2] / kv_heads)
        return "heads that do not fit the operands";
    s->out.dim[2] = v->dim[2] / kv_heads * heads;
    return NULL;
}

// ---- views ----

// In the new shape of a Reshape, 0 keeps the extent of the operand, and one extent may be -1: it follows from the
// others.
static const char *rule_reshape(struct shaping *s) {
    const struct onnx_dims *x = dims_of(s, 0);
    int64_t want[ONNX_MAX_RANK], known = 1, count = x ? onnx_elements(x) : 0;
    int rank = graph_ints(s->g, graph_in(s->n, 1), want, ONNX_MAX_RANK), open = NONE;
    if (!x || rank < 0) return s->unknown = true, NULL;
    for (int i = 0; i < rank; i++) {
        if (want[i] == 0 && i >= x->rank) return "the new shape keeps an extent that is not there";
        if (want[i] == 0 && !onnx_int(s->n->src, "allowzero", 0)) want[i] = x->dim[i];
        if (want[i] == -1 && open == NONE) open = i;
        else if (want[i] < 0 || (want[i] && known > ((int64_t)1 << 40) / want[i])) return "an illegal new shape";
        else known *= want[i];
    }
    if (open != NONE) want[open] = known ? count / known : 0;
    s->out.rank = rank;
    memcpy(s->out.dim, want, (size_t)rank * sizeof *want);
    return onnx_elements(&s->out) == count ? NULL : "the new shape has another number of elements";
}

static const char *rule_flatten(struct shaping *s) {
    const struct onnx_dims *x = dims_of(s, 0);
    if (!x) return NULL;
    int64_t axis = onnx_int(s->n->src, "axis", 1);
    if (axis < 0) axis += x->rank;
    if (axis < 0 || axis > x->rank) return "no such axis";
    s->out = (struct onnx_dims){2, {1, 1}};
    for (int i = 0; i < x->rank; i++) s->out.dim[i >= axis] *= x->dim[i];
    return NULL;
}

static bool has(const int axes[], int count, int axis) {
    for (int i = 0; i < count; i++)
        if (axes[i] == axis) return true;
    return false;
}

static const char *rule_squeeze(struct shaping *s) {
    const struct onnx_dims *x = dims_of(s, 0);
    int axes[ONNX_MAX_RANK], count = x ? graph_axes(s->g, s->n, 1, x->rank, axes) : -1;
    if (count < 0) return s->unknown = true, NULL;
    bool all = s->n->in.count < 2 && !onnx_attribute_of(s->n->src, "axes");
    for (int i = 0; i < x->rank; i++)
        if (all ? x->dim[i] != 1 : !has(axes, count, i)) s->out.dim[s->out.rank++] = x->dim[i];
        else if (x->dim[i] != 1) return "only an extent of 1 can be squeezed";
    return NULL;
}

// The axes are an attribute or, from opset 13 on, operand 1. They count in the result.
static const char *rule_unsqueeze(struct shaping *s) {
    const struct onnx_dims *x = dims_of(s, 0);
    int64_t raw[ONNX_MAX_RANK];
    const struct onnx_attribute *a = onnx_attribute_of(s->n->src, "axes");
    int count = a ? (int)a->ints.count : graph_ints(s->g, graph_in(s->n, 1), raw, ONNX_MAX_RANK), axes[ONNX_MAX_RANK];
    if (!x || count < 0) return s->unknown = true, NULL;
    if (count + x->rank > ONNX_MAX_RANK) return "too many dimensions";
    for (int i = 0; i < count; i++) axes[i] = graph_axis(a ? a->ints.items[i] : raw[i], x->rank + count);
    for (int i = 0, from = 0; i < x->rank + count; i++) {
        bool is_new = has(axes, count, i);
        if (!is_new && from == x->rank) return "an illegal axis";
        s->out.dim[s->out.rank++] = is_new ? 1 : x->dim[from++];
    }
    return NULL;
}

static const char *rule_transpose(struct shaping *s) {
    const struct onnx_dims *x = dims_of(s, 0);
    const struct onnx_attribute *perm = onnx_attribute_of(s->n->src, "perm");
    if (!x) return NULL;
    if (perm && (int)perm->ints.count != x->rank) return "`perm` has another number of axes";
    s->out.rank = x->rank;
    unsigned seen = 0;
    for (int i = 0; i < x->rank; i++) {
        int64_t from = perm ? perm->ints.items[i] : x->rank - 1 - i;
        if (from < 0 || from >= x->rank || seen >> from & 1) return "`perm` is no permutation";
        seen |= 1u << from;
        s->out.dim[i] = x->dim[from];
    }
    return NULL;
}

// ---- parts ----

static const char *rule_concat(struct shaping *s) {
    const struct onnx_dims *x = dims_of(s, 0);
    int axis = x ? graph_axis(onnx_int(s->n->src, "axis", 0), x->rank) : NONE;
    if (!x) return NULL;
    if (axis == NONE) return "no such axis";
    s->out = *x;
    for (size_t i = 1; i < s->n->in.count; i++) {
        const struct onnx_dims *y = dims_of(s, i);
        if (!y) return NULL;
        if (y->rank != x->rank) return "the parts have different numbers of dimensions";
        s->out.dim[axis] += y->dim[axis];
    }
    return NULL;
}

static void set_shape(struct shaping *s, size_t output, const struct onnx_dims *dims) {
    if (output >= s->n->out.count) return;
    struct value *v = graph_value(s->g, s->n->out.items[output]);
    v->dims = *dims;
    v->shaped = true;
}

// Sets the shapes of all parts: those that the node gives, or equal parts of which the last one may be smaller.
static const char *rule_split(struct shaping *s) {
    const struct onnx_dims *x = dims_of(s, 0);
    int64_t part[64];
    const struct onnx_attribute *a = onnx_attribute_of(s->n->src, "split");
    if (!x) return NULL;
    int axis = graph_axis(onnx_int(s->n->src, "axis", 0), x->rank), parts = (int)s->n->out.count;
    if (axis == NONE || parts > 64) return "no such axis, or too many parts";
    int count = a ? (int)a->ints.count : graph_in(s->n, 1) == NONE ? 0 : graph_ints(s->g, graph_in(s->n, 1), part, 64);
    if (count < 0) return s->unknown = true, NULL;
    if (count && count != parts) return "the number of parts differs from the number of results";
    int64_t each = (x->dim[axis] + parts - 1) / parts, left = x->dim[axis];
    for (int i = 0; i < parts; i++) {
        int64_t extent = a ? a->ints.items[i] : count ? part[i] : each < left ? each : left;
        struct onnx_dims dims = *x;
        if (extent < 0 || extent > left) return "the parts are longer than the whole";
        dims.dim[axis] = extent;
        left -= extent;
        set_shape(s, (size_t)i, &dims);
    }
    s->done = true;
    return NULL;
}

static const char *rule_slice(struct shaping *s) {
    const struct onnx_dims *x = dims_of(s, 0);
    int64_t start[ONNX_MAX_RANK], step[ONNX_MAX_RANK];
    s->unknown = !x || !graph_slice(s->g, s->n, x, start, step, &s->out);
    return NULL;
}

static const char *rule_gather(struct shaping *s) {
    const struct onnx_dims *x = dims_of(s, 0), *index = dims_of(s, 1);
    int axis = x ? graph_axis(onnx_int(s->n->src, "axis", 0), x->rank) : NONE;
    if (!x || !index) return NULL;
    if (axis == NONE || x->rank - 1 + index->rank > ONNX_MAX_RANK) return "no such axis";
    for (int i = 0; i < axis; i++) s->out.dim[s->out.rank++] = x->dim[i];
    for (int i = 0; i < index->rank; i++) s->out.dim[s->out.rank++] = index->dim[i];
    for (int i = axis + 1; i < x->rank; i++) s->out.dim[s->out.rank++] = x->dim[i];
    return NULL;
}

static const char *rule_expand(struct shaping *s) {
    const struct onnx_dims *x = dims_of(s, 0);
    struct onnx_dims to = {0};
    to.rank = graph_ints(s->g, graph_in(s->n, 1), to.dim, ONNX_MAX_RANK);
    if (!x || to.rank < 0) return s->unknown = true, NULL;
    s->out = *x;
    return onnx_elements(&to) < 0 ? "an illegal shape" : merge(&s->out, &to);
}

static const char *rule_tile(struct shaping *s) {
    const struct onnx_dims *x = dims_of(s, 0);
    int64_t times[ONNX_MAX_RANK];
    int count = graph_ints(s->g, graph_in(s->n, 1), times, ONNX_MAX_RANK);
    if (!x || count < 0) return s->unknown = true, NULL;
    if (count != x->rank) return "`repeats` has another number of axes";
    s->out = *x;
    for (int i = 0; i < count; i++) s->out.dim[i] *= times[i] < 0 || times[i] > INT32_MAX ? -1 : times[i];
    return NULL;
}

static const char *rule_pad(struct shaping *s) {
    const struct onnx_dims *x = dims_of(s, 0);
    int64_t pads[2 * ONNX_MAX_RANK];
    if (!x || !graph_pads(s->g, s->n, x->rank, pads)) return s->unknown = true, NULL;
    s->out = *x;
    for (int i = 0; i < x->rank; i++) {
        if (llabs(pads[i]) > INT32_MAX || llabs(pads[i + x->rank]) > INT32_MAX) return "illegal padding";
        s->out.dim[i] += pads[i] + pads[i + x->rank];
    }
    return onnx_elements(&s->out) < 0 ? "illegal padding" : NULL;
}

// ---- reductions ----

static const char *rule_reduce(struct shaping *s) {
    const struct onnx_dims *x = dims_of(s, 0);
    int axes[ONNX_MAX_RANK], count = x ? graph_axes(s->g, s->n, 1, x->rank, axes) : -1;
    if (count < 0) return s->unknown = true, NULL;
    bool keep = onnx_int(s->n->src, "keepdims", 1), all = count == 0;
    if (all && onnx_int(s->n->src, "noop_with_empty_axes", 0)) return s->out = *x, NULL;
    for (int i = 0; i < x->rank; i++)
        if (!all && !has(axes, count, i)) s->out.dim[s->out.rank++] = x->dim[i];
        else if (keep) s->out.dim[s->out.rank++] = 1;
    return NULL;
}

static const char *rule_arg(struct shaping *s) {
    const struct onnx_dims *x = dims_of(s, 0);
    int axis = x ? graph_axis(onnx_int(s->n->src, "axis", 0), x->rank) : NONE;
    if (!x || axis == NONE) return s->unknown = true, NULL;
    for (int i = 0; i < x->rank; i++)
        if (i != axis) s->out.dim[s->out.rank++] = x->dim[i];
        else if (onnx_int(s->n->src, "keepdims", 1)) s->out.dim[s->out.rank++] = 1;
    return NULL;
}

static const char *rule_top(struct shaping *s) {
    const struct onnx_dims *x = dims_of(s, 0);
    int axis = x ? graph_axis(onnx_int(s->n->src, "axis", -1), x->rank) : NONE;
    int64_t k;
    if (!x || graph_ints(s->g, graph_in(s->n, 1), &k, 1) != 1) return s->unknown = true, NULL;
    if (axis == NONE || k < 0 || k > x->dim[axis]) return "no such axis, or more results than elements";
    s->out = *x;
    s->out.dim[axis] = k;
    set_shape(s, 0, &s->out);
    set_shape(s, 1, &s->out);
    s->done = true;
    return NULL;
}

// Compress keeps the elements whose condition is true or, with `axis`, the planes of this axis.
static const char *rule_compress(struct shaping *s) {
    const struct onnx_dims *x = dims_of(s, 0);
    const struct onnx_data *when = graph_constant(s->g, s->n, 1);
    int64_t kept = 0;
    if (!x || !when || !when->i) return s->unknown = true, NULL;
    for (int64_t i = 0; i < when->count; i++) kept += when->i[i] != 0;
    const struct onnx_attribute *a = onnx_attribute_of(s->n->src, "axis");
    int axis = a ? graph_axis(a->i, x->rank) : 0;
    if (axis == NONE || when->count > (a ? x->dim[axis] : onnx_elements(x))) return "a condition that does not fit";
    s->out = *x;
    if (!a) s->out.rank = 1;
    s->out.dim[axis] = kept;
    return NULL;
}

// ---- windows ----

static int64_t item(const struct node *n, const char *name, int i, int64_t preset) {
    const struct onnx_attribute *a = onnx_attribute_of(n->src, name);
    return a && (size_t)i < a->ints.count ? a->ints.items[i] : preset;
}

// Sets the shape of the result of a convolution or pooling of x by a window that slides over the places.
static const char *slide(struct shaping *s, const struct onnx_dims *x, const int64_t kernel[], int64_t channels) {
    const char *auto_pad = onnx_string(s->n->src, "auto_pad", "NOTSET");
    int places = x->rank - 2;
    s->out = (struct onnx_dims){x->rank, {x->dim[0], channels}};
    for (int i = 0; i < places; i++) {
        int64_t stride = item(s->n, "strides", i, 1), dilation = item(s->n, "dilations", i, 1),
                pads = item(s->n, "pads", i, 0) + item(s->n, "pads", i + places, 0),
                reach = dilation * (kernel[i] - 1) + 1, room = x->dim[i + 2] + pads - reach;
        if (stride < 1 || dilation < 1 || kernel[i] < 1 || reach > INT32_MAX) return "an illegal window";
        if (!strncmp(auto_pad, "SAME", 4)) s->out.dim[i + 2] = (x->dim[i + 2] + stride - 1) / stride;
        else if (room < 0) return "a window that is larger than its operand";
        else s->out.dim[i + 2] = (room + (onnx_int(s->n->src, "ceil_mode", 0) ? stride - 1 : 0)) / stride + 1;
        // No window begins in the padding after the last element.
        int64_t last = (s->out.dim[i + 2] - 1) * stride;
        if (onnx_int(s->n->src, "ceil_mode", 0) && last >= x->dim[i + 2] + item(s->n, "pads", i, 0))
            s->out.dim[i + 2]--;
    }
    return NULL;
}

static const char *rule_conv(struct shaping *s) {
    const struct onnx_dims *x = dims_of(s, 0), *w = dims_of(s, 1);
    if (!x || !w) return NULL;
    if (x->rank < 3 || w->rank != x->rank) return "a convolution takes images";
    return slide(s, x, w->dim + 2, w->dim[0]);
}

// Returns the extent of a ConvTranspose's result along axis i of the `places` axes after the channels. Returns 0 if an
// attribute is out of range.
static int64_t spread(const struct node *n, int i, int places, int64_t extent, int64_t kernel) {
    int64_t stride = item(n, "strides", i, 1), dilation = item(n, "dilations", i, 1),
            more[] = {item(n, "pads", i, 0), item(n, "pads", i + places, 0), item(n, "output_padding", i, 0)};
    if (stride < 1 || dilation < 1 || stride > INT32_MAX || dilation > INT32_MAX) return 0;
    for (size_t k = 0; k < COUNT_OF(more); k++)
        if (more[k] > INT32_MAX || more[k] < -INT32_MAX) return 0;
    if (onnx_attribute_of(n->src, "output_shape")) return item(n, "output_shape", i, 0);
    if (!strncmp(onnx_string(n->src, "auto_pad", "NOTSET"), "SAME", 4)) return extent * stride;
    return stride * (extent - 1) + (kernel - 1) * dilation + 1 - more[0] - more[1] + more[2];
}

static const char *rule_conv_transpose(struct shaping *s) {
    const struct onnx_dims *x = dims_of(s, 0), *w = dims_of(s, 1);
    int64_t group = onnx_int(s->n->src, "group", 1);
    if (!x || !w) return s->unknown = true, NULL;
    if (x->rank < 3 || w->rank != x->rank) return "a convolution takes images";
    if (group < 1 || w->dim[1] > INT32_MAX / group) return "an illegal number of groups";
    s->out = (struct onnx_dims){x->rank, {x->dim[0], w->dim[1] * group}};
    for (int i = 0; i < x->rank - 2; i++) {
        s->out.dim[i + 2] = spread(s->n, i, x->rank - 2, x->dim[i + 2], w->dim[i + 2]);
        if (s->out.dim[i + 2] < 1) return "an illegal window";
    }
    return NULL;
}

static const char *rule_pool(struct shaping *s) {
    const struct onnx_dims *x = dims_of(s, 0);
    int64_t kernel[ONNX_MAX_RANK];
    if (!x) return NULL;
    if (x->rank < 3) return "pooling takes images";
    for (int i = 0; i < x->rank - 2; i++) kernel[i] = item(s->n, "kernel_shape", i, 1);
    return slide(s, x, kernel, x->dim[1]);
}

static const char *rule_global(struct shaping *s) {
    const struct onnx_dims *x = dims_of(s, 0);
    if (x) s->out = *x;
    for (int i = 2; i < s->out.rank; i++) s->out.dim[i] = 1;
    return NULL;
}

static const char *rule_depth(struct shaping *s) {
    const struct onnx_dims *x = dims_of(s, 0);
    int64_t b = onnx_int(s->n->src, "blocksize", 1);
    if (!x) return NULL;
    if (x->rank != 4 || b < 1 || b > 1024) return "an illegal block";
    bool deep = graph_is(s->n, "SpaceToDepth");
    s->out = *x;
    s->out.dim[1] = deep ? x->dim[1] * b * b : x->dim[1] / (b * b);
    for (int i = 2; i < 4; i++) s->out.dim[i] = deep ? x->dim[i] / b : x->dim[i] * b;
    return NULL;
}

bool graph_resize(const struct graph *g, const struct node *n, const struct onnx_dims *x, double scale[],
                  struct onnx_dims *out) {
    int axes[ONNX_MAX_RANK], count = n->src ? graph_axes(g, n, ONNX_MAX_RANK, x->rank, axes) : 0;
    const struct onnx_data *d = n->in.count > 1 ? graph_constant(g, n, n->in.count - 1) : NULL;
    const char *policy = n->src ? onnx_string(n->src, "keep_aspect_ratio_policy", "stretch") : "stretch";
    double one = 0;
    for (int i = 0; i < x->rank && !count; i++) axes[i] = i;
    if (!count) count = x->rank;
    if (count < 0 || !d || d->count != count) return false;
    *out = *x;
    for (int i = 0; i < x->rank; i++) scale[i] = 1;
    for (int i = 0; i < count; i++) {
        double s = scale[axes[i]] = d->f ? onnx_at(d, i) : onnx_at(d, i) / (double)x->dim[axes[i]];
        if (i == 0 || (!strcmp(policy, "not_larger") ? s < one : s > one)) one = s;
    }
    for (int i = 0; i < count; i++) {
        int k = axes[i];
        double wide = d->f ? floor(scale[k] * (double)x->dim[k]) : onnx_at(d, i);
        if (!d->f && strcmp(policy, "stretch") != 0) scale[k] = one, wide = floor(one * (double)x->dim[k] + 0.5);
        if (!(wide >= 0 && wide < 1e9)) wide = -1;
        out->dim[k] = (int64_t)wide;
    }
    return true;
}

static const char *rule_resize(struct shaping *s) {
    const struct onnx_dims *x = dims_of(s, 0);
    double scale[ONNX_MAX_RANK];
    if (!x || !graph_resize(s->g, s->n, x, scale, &s->out)) return s->unknown = true, NULL;
    return onnx_elements(&s->out) < 0 ? "an illegal size" : NULL;
}

static const char *rule_center(struct shaping *s) {
    const struct onnx_dims *x = dims_of(s, 0);
    int64_t extent[ONNX_MAX_RANK];
    int count = graph_ints(s->g, graph_in(s->n, 1), extent, ONNX_MAX_RANK), axes[ONNX_MAX_RANK];
    if (!x || count < 0) return s->unknown = true, NULL;
    int named = graph_axes(s->g, s->n, ONNX_MAX_RANK, x->rank, axes);
    for (int i = 0; i < x->rank && !named; i++) axes[i] = i;
    if (named < 0 || count != (named ? named : x->rank)) return "`shape` has another number of axes";
    s->out = *x;
    for (int i = 0; i < count; i++) s->out.dim[axes[i]] = extent[i];
    return onnx_elements(&s->out) < 0 ? "an illegal shape" : NULL;
}

// The results of DynamicQuantizeLinear are the quantized tensor, its scale and its zero point.
static const char *rule_dynamic(struct shaping *s) {
    const struct onnx_dims *x = dims_of(s, 0), one = {0};
    if (!x) return NULL;
    set_shape(s, 0, x);
    set_shape(s, 1, &one);
    set_shape(s, 2, &one);
    s->done = true;
    return NULL;
}

// The results of RNN, GRU and LSTM are the states of all steps, the last state, and (LSTM) the last cell.
static const char *rule_recurrent(struct shaping *s) {
    const struct onnx_dims *x = dims_of(s, 0), *r = dims_of(s, 2);
    if (!x || !r) return NULL;
    if (x->rank != 3 || r->rank != 3) return "a recurrent operator takes sequences";
    bool batch_first = onnx_int(s->n->src, "layout", 0) != 0;
    int64_t steps = x->dim[batch_first], batch = x->dim[!batch_first], directions = r->dim[0], hidden = r->dim[2];
    struct onnx_dims all = {4, {steps, directions, batch, hidden}}, last = {3, {directions, batch, hidden}};
    if (batch_first) {
        all = (struct onnx_dims){4, {batch, steps, directions, hidden}};
        last = (struct onnx_dims){3, {batch, directions, hidden}};
    }
    set_shape(s, 0, &all);
    set_shape(s, 1, &last);
    set_shape(s, 2, &last);
    s->done = true;
    return NULL;
}

// ---- constants ----

static const char *rule_shape(struct shaping *s) {
    const struct onnx_dims *x = dims_of(s, 0);
    if (x) s->out = (struct onnx_dims){1, {x->rank}};
    return NULL;
}

static const char *rule_of_shape(struct shaping *s) {
    s->out.rank = graph_ints(s->g, graph_in(s->n, 0), s->out.dim, ONNX_MAX_RANK);
    s->unknown = s->out.rank < 0;
    return !s->unknown && onnx_elements(&s->out) < 0 ? "an illegal shape" : NULL;
}

// The rules and their operators. Shapes of other operators are not known, unless the file gives them.
static const struct {
    const char *ops;
    rule *rule;
} rules[] = {
    {" Relu LeakyRelu Sigmoid Tanh Erf Exp Log Sqrt Reciprocal Softplus HardSwish HardSigmoid Abs Neg Clip Elu Selu "
     "Celu "
     "Gelu Mish Softsign ThresholdedRelu Sign Floor Ceil Round Sin Cos Identity Dropout Cast Softmax LogSoftmax "
     "Hardmax "
     "LayerNormalization InstanceNormalization BatchNormalization GroupNormalization LRN LpNormalization Swish Not "
     "RMSNormalization SimplifiedLayerNormalization QuantizeLinear DequantizeLinear RotaryEmbedding Trilu CumSum PRelu "
     "Quant BipolarQuant IsNaN IsInf CastLike SwiGLU Shrink MeanVarianceNormalization ",
     rule_same},
    {" Add Sub Mul Div Pow Max Min Mean Sum Equal Less Greater LessOrEqual GreaterOrEqual And Or Xor Where Mod ",
     rule_broadcast},
    {" MatMul ", rule_matmul},
    {" Gemm ", rule_gemm},
    {" Attention ", rule_attention},
    {" Reshape ", rule_reshape},
    {" Flatten ", rule_flatten},
    {" Squeeze ", rule_squeeze},
    {" Unsqueeze ", rule_unsqueeze},
    {" Transpose ", rule_transpose},
    {" Concat ", rule_concat},
    {" Split ", rule_split},
    {" Slice ", rule_slice},
    {" Gather ", rule_gather},
    {" Expand ", rule_expand},
    {" Tile ", rule_tile},
    {" Pad ", rule_pad},
    {" ReduceMean ReduceSum ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceSumSquare ReduceLogSum "
     "ReduceLogSumExp ",
     rule_reduce},
    {" ArgMax ArgMin ", rule_arg},
    {" TopK ", rule_top},
    {" Compress ", rule_compress},
    {" Conv ", rule_conv},
    {" ConvTranspose ", rule_conv_transpose},
    {" MaxPool AveragePool LpPool ", rule_pool},
    {" GlobalAveragePool GlobalMaxPool GlobalLpPool ", rule_global},
    {" DepthToSpace SpaceToDepth ", rule_depth},
    {" Resize Upsample ", rule_resize},
    {" CenterCropPad ", rule_center},
    {" LSTM GRU RNN ", rule_recurrent},
    {" DynamicQuantizeLinear ", rule_dynamic},
    {" Shape ", rule_shape},
    {" ConstantOfShape ", rule_of_shape},
};

static rule *rule_of(struct arena *arena, const struct node *n) {
    struct arena_mark mark = arena_mark(arena);
    const char *word = arena_printf(arena, " %s ", n->op);
    rule *found = NULL;
    for (size_t i = 0; i < COUNT_OF(rules) && !found; i++)
        if (strstr(rules[i].ops, word)) found = rules[i].rule;
    arena_release(arena, mark);
    return found;
}

// Returns the type of a result's elements, or 0 if it is unknown.
static int type_of(const struct graph *g, const struct node *n, size_t output) {
    int v = graph_in(n, !strcmp(n->op, "Where") ? 1 : 0);
    if (graph_is(n, "Cast")) return (int)onnx_int(n->src, "to", ONNX_FLOAT);
    if (graph_is(n, "Shape") || graph_is(n, "ArgMax") || graph_is(n, "ArgMin")) return ONNX_INT64;
    if (strstr(" Equal Less Greater LessOrEqual GreaterOrEqual Not And Or Xor ", arena_printf(g->arena, " %s ", n->op)))
        return ONNX_BOOL;
    if (output == 1 && graph_is(n, "TopK")) return ONNX_INT64;
    if (graph_is(n, "DynamicQuantizeLinear")) return output == 1 ? ONNX_FLOAT : ONNX_UINT8;
    if (graph_is(n, "QuantizeLinear"))
        return graph_in(n, 2) == NONE ? (int)onnx_int(n->src, "output_dtype", ONNX_UINT8)
                                      : graph_value(g, graph_in(n, 2))->type;
    if (graph_is(n, "CastLike")) return graph_in(n, 1) == NONE ? 0 : graph_value(g, graph_in(n, 1))->type;
    if (graph_is(n, "DequantizeLinear")) return ONNX_FLOAT;
    return v == NONE ? 0 : graph_value(g, v)->type;
}

// If the shape of a value is not known yet, takes the one that the file gives, if all of its axes have numbers.
static void take_told(struct graph *g, struct value *v) {
    for (size_t i = 0; !v->shaped && i < g->model->value.count; i++) {
        const struct onnx_info *info = &g->model->value.items[i];
        if (strcmp(info->name, v->name) != 0 || !info->shaped || onnx_elements(&info->dims) < 0) continue;
        v->dims = info->dims;
        v->shaped = true;
        if (!v->type) v->type = info->type;
    }
}

bool graph_infer(struct graph *g, struct node *n) {
    rule *shape = rule_of(g->arena, n);
    struct shaping s = {.g = g, .n = n, .unknown = !shape};
    const char *why = shape ? shape(&s) : NULL;
    if (!why && !s.unknown && onnx_elements(&s.out) < 0) why = "a result that is too large";
    if (why) diag_error(g->diag, g->model->loc, MSG_ONNX_NODE, n->src->name, n->op, why);
    if (why) return false;
    if (!s.unknown && !s.done) set_shape(&s, 0, &s.out);
    for (size_t i = 0; i < n->out.count; i++) {
        struct value *v = graph_value(g, n->out.items[i]);
        if (!v->type) v->type = type_of(g, n, i);
        take_told(g, v);
    }
    return true;
}
