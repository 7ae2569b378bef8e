// SPDX-License-Identifier: Apache-2.0
// Folds nodes whose operands are constants: their results become constants. Exporters write such nodes to prepare
// weights and to compute shapes. Some nodes, such as Shape, fold without constant operands.
#include <math.h>
#include <string.h>

#include "gen/onnx/graph.h"

enum { MOST_ELEMENTS = 1 << 27 }; // most elements of one folded result; graph.spare bounds the sum over all results

static const struct onnx_dims *out_dims(const struct graph *g, const struct node *n) {
    const struct value *v = graph_value(g, n->out.items[0]);
    return v->shaped ? &v->dims : NULL;
}

static void row_major(const struct onnx_dims *dims, int64_t stride[]) {
    int64_t k = 1;
    for (int i = dims->rank - 1; i >= 0; i--) stride[i] = k, k *= dims->dim[i];
}

static int64_t to_int(double x) {
    return isnan(x) ? 0 : x >= 9.2e18 ? INT64_MAX : x <= -9.2e18 ? INT64_MIN : (int64_t)x;
}

// A constant that is being filled; `fill` makes one whose elements are 0. f points at its elements if they are floats,
// i if they are integers; the other pointer is NULL.
struct filling {
    struct onnx_data *data;
    float *f;
    int64_t *i;
};
static struct filling fill(struct graph *g, const struct onnx_dims *dims, int type) {
    struct filling p = {.data = ARENA_NEW(g->arena, struct onnx_data)};
    *p.data = (struct onnx_data){.type = type, .dims = *dims, .count = onnx_elements(dims)};
    if (onnx_type_is_float(type)) p.data->f = p.f = ARENA_ARRAY(g->arena, float, (size_t)p.data->count);
    else p.data->i = p.i = ARENA_ARRAY(g->arena, int64_t, (size_t)p.data->count);
    return p;
}
// Stores x, converted to the constant's type, as element n.
static void put(struct filling *p, int64_t n, double x) {
    if (p->f) p->f[n] = (float)x;
    else p->i[n] = p->data->type == ONNX_BOOL ? x != 0 : to_int(x);
}
static struct filling fill_result(struct graph *g, const struct node *n) {
    return fill(g, out_dims(g, n), graph_value(g, n->out.items[0])->type);
}

// Returns the node's result as a constant, or NULL if it cannot be folded.
typedef const struct onnx_data *folder(struct graph *, struct node *);

// ---- operators that do not read the elements of tensors ----

static const struct onnx_data *of_list(struct graph *g, const struct onnx_attribute *a) {
    struct onnx_dims dims = {1, {(int64_t)(a->ints.count ? a->ints.count : a->floats.count)}};
    struct filling p = fill(g, &dims, a->ints.count ? ONNX_INT64 : ONNX_FLOAT);
    for (int64_t i = 0; i < dims.dim[0]; i++)
        put(&p, i, a->ints.count ? (double)a->ints.items[i] : (double)a->floats.items[i]);
    return p.data;
}

static const struct onnx_data *fold_constant(struct graph *g, struct node *n) {
    const struct onnx_attribute *t = onnx_attribute_of(n->src, "value"), *f = onnx_attribute_of(n->src, "value_float"),
                                *i = onnx_attribute_of(n->src, "value_int"),
                                *fs = onnx_attribute_of(n->src, "value_floats"),
                                *is = onnx_attribute_of(n->src, "value_ints");
    struct filling p;
    if (t) return t->t;
    if (fs || is) return of_list(g, fs ? fs : is);
    if (!f && !i) return NULL;
    p = fill(g, &(struct onnx_dims){0}, f ? ONNX_FLOAT : ONNX_INT64);
    put(&p, 0, f ? (double)f->f : (double)i->i);
    return p.data;
}

static const struct onnx_data *fold_shape(struct graph *g, struct node *n) {
    const struct value *x = graph_value(g, graph_in(n, 0));
    int64_t start = onnx_int(n->src, "start", 0), end = onnx_int(n->src, "end", x->dims.rank), rank = x->dims.rank;
    if (!x->shaped) return NULL;
    start = at_most(at_least(start < 0 ? start + rank : start, 0), rank);
    end = at_most(at_least(end < 0 ? end + rank : end, start), rank);
    struct filling p = fill(g, &(struct onnx_dims){1, {end - start}}, ONNX_INT64);
    for (int64_t i = start; i < end; i++) p.i[i - start] = x->dims.dim[i];
    return p.data;
}

static const struct onnx_data *fold_size(struct graph *g, struct node *n) {
    int64_t count = graph_count(g, graph_in(n, 0));
    if (count < 0) return NULL;
    struct filling p = fill(g, &(struct onnx_dims){0}, ONNX_INT64);
    p.i[0] = count;
    return p.data;
}

static const struct onnx_data *fold_of_shape(struct graph *g, struct node *n) {
    const struct onnx_attribute *a = onnx_attribute_of(n->src, "value");
    const struct onnx_data *value = a ? a->t : NULL;
    const struct onnx_dims *dims = out_dims(g, n);
    if (!dims || onnx_elements(dims) > MOST_ELEMENTS || (value && value->count != 1)) return NULL;
    struct filling p = fill(g, dims, value ? value->type : ONNX_FLOAT);
    for (int64_t i = 0; value && i < p.data->count; i++) put(&p, i, onnx_at(value, 0));
    return p.data;
}

static const struct onnx_data *fold_range(struct graph *g, struct node *n) {
    const struct onnx_data *from = graph_constant(g, n, 0), *to = graph_constant(g, n, 1),
                           *by = graph_constant(g, n, 2);
    if (!from || !to || !by || from->count != 1 || to->count != 1 || by->count != 1) return NULL;
    double count = ceil((onnx_at(to, 0) - onnx_at(from, 0)) / onnx_at(by, 0));
    if (!(count < (double)g->spare)) return NULL;
    g->spare -= count > 0 ? (int64_t)count : 0;
    struct filling p = fill(g, &(struct onnx_dims){1, {count > 0 ? (int64_t)count : 0}}, from->type);
    for (int64_t i = 0; i < p.data->count; i++) put(&p, i, onnx_at(from, 0) + (double)i * onnx_at(by, 0));
    return p.data;
}

// ---- views and parts ----

static const struct onnx_data *fold_view(struct graph *g, struct node *n) {
    const struct onnx_data *x = graph_constant(g, n, 0);
    struct onnx_data *y = ARENA_NEW(g->arena, struct onnx_data);
    if (!out_dims(g, n) || onnx_elements(out_dims(g, n)) != x->count) return NULL;
    *y = *x;
    y->dims = *out_dims(g, n);
    return y;
}

static const struct onnx_data *fold_cast(struct graph *g, struct node *n) {
    const struct onnx_data *x = graph_constant(g, n, 0);
    int type = (int)onnx_int(n->src, "to", ONNX_FLOAT);
    if (onnx_type_bytes(type) == 0) return NULL;
    if (x->f && onnx_type_is_float(type)) return x;
    struct filling p = fill(g, &x->dims, type);
    for (int64_t i = 0; i < x->count; i++) put(&p, i, onnx_at(x, i));
    return p.data;
}

static const struct onnx_data *fold_transpose(struct graph *g, struct node *n) {
    const struct onnx_data *x = graph_constant(g, n, 0);
    const struct onnx_attribute *perm = onnx_attribute_of(n->src, "perm");
    int64_t own[ONNX_MAX_RANK], stride[ONNX_MAX_RANK];
    row_major(&x->dims, own);
    for (int i = 0; i < x->dims.rank; i++) stride[i] = own[perm ? perm->ints.items[i] : x->dims.rank - 1 - i];
    return data_walk(g->arena, x, out_dims(g, n), 0, stride);
}

static const struct onnx_data *fold_slice(struct graph *g, struct node *n) {
    const struct onnx_data *x = graph_constant(g, n, 0);
    int64_t start[ONNX_MAX_RANK], step[ONNX_MAX_RANK], own[ONNX_MAX_RANK], base = 0;
    struct onnx_dims dims;
    if (!graph_slice(g, n, &x->dims, start, step, &dims)) return NULL;
    row_major(&x->dims, own);
    for (int i = 0; i < x->dims.rank; i++) base += start[i] * own[i], step[i] *= own[i];
    return data_walk(g->arena, x, &dims, base, step);
}

static const struct onnx_data *fold_expand(struct graph *g, struct node *n) {
    const struct onnx_data *x = graph_constant(g, n, 0);
    const struct onnx_dims *dims = out_dims(g, n);
    int64_t own[ONNX_MAX_RANK], stride[ONNX_MAX_RANK];
    if (!dims || onnx_elements(dims) > MOST_ELEMENTS) return NULL;
    row_major(&x->dims, own);
    for (int k = 0; k < dims->rank; k++) {
        int j = k - (dims->rank - x->dims.rank);
        stride[k] = j >= 0 && x->dims.dim[j] != 1 ? own[j] : 0;
    }
    return data_walk(g->arena, x, dims, 0, stride);
}

// Folds a Gather: operand 1 lists the indices of operand 0 that the result has along one axis.
static const struct onnx_data *fold_gather(struct graph *g, struct node *n) {
    const struct onnx_data *x = graph_constant(g, n, 0), *index = graph_constant(g, n, 1);
    const struct onnx_dims *dims = out_dims(g, n);
    if (!dims || index->f || onnx_elements(dims) > MOST_ELEMENTS) return NULL;
    int axis = graph_axis(onnx_int(n->src, "axis", 0), x->dims.rank);
    int64_t inner = 1, along = x->dims.dim[axis], at = 0;
    for (int i = axis + 1; i < x->dims.rank; i++) inner *= x->dims.dim[i];
    int64_t outer = index->count && inner ? onnx_elements(dims) / (index->count * inner) : 0;
    struct filling p = fill(g, dims, x->type);
    for (int64_t o = 0; o < outer; o++)
        for (int64_t k = 0; k < index->count; k++) {
            int64_t from = index->i[k] < 0 ? index->i[k] + along : index->i[k];
            if (from < 0 || from >= along) return NULL;
            for (int64_t i = 0; i < inner; i++) put(&p, at++, onnx_at(x, (o * along + from) * inner + i));
        }
    return p.data;
}

// Folds a Concat. Each index before the axis (outer) has one run of elements from each operand, of `len` elements.
// base: offset of the operand's run in the run of the result. Returns NULL if the result is too large or an operand has
// another shape.
static const struct onnx_data *fold_concat(struct graph *g, struct node *n) {
    const struct onnx_dims *dims = out_dims(g, n);
    if (!dims || onnx_elements(dims) > MOST_ELEMENTS) return NULL;
    int axis = graph_axis(onnx_int(n->src, "axis", 0), dims->rank);
    int64_t outer = 1, inner = 1, base = 0;
    for (int i = 0; i < axis; i++) outer *= dims->dim[i];
    for (int i = axis + 1; i < dims->rank; i++) inner *= dims->dim[i];
    struct filling p = fill_result(g, n);
    for (size_t k = 0; k < n->in.count; k++) {
        const struct onnx_data *x = graph_constant(g, n, k);
        int64_t len = x->dims.dim[axis] * inner;
        if (x->count != outer * len) return NULL;
        for (int64_t o = 0; o < outer; o++)
            for (int64_t i = 0; i < len; i++) put(&p, o * dims->dim[axis] * inner + base + i, onnx_at(x, o * len + i));
        base += len;
    }
    return p.data;
}

// Folds a Trilu, which keeps one triangle of each matrix and sets the other elements to 0.
static const struct onnx_data *fold_trilu(struct graph *g, struct node *n) {
    const struct onnx_data *x = graph_constant(g, n, 0), *k = graph_constant(g, n, 1);
    int64_t rows = x->dims.rank > 1 ? x->dims.dim[x->dims.rank - 2] : 0,
            cols = rows ? x->dims.dim[x->dims.rank - 1] : 0, shift = k && k->count == 1 ? (int64_t)onnx_at(k, 0) : 0;
    bool upper = onnx_int(n->src, "upper", 1);
    if (!rows || !cols) return NULL;
    struct filling p = fill_result(g, n);
    for (int64_t i = 0; i < x->count; i++) {
        int64_t col = i % cols, row = i / cols % rows;
        if (upper ? col - row >= shift : col - row <= shift) put(&p, i, onnx_at(x, i));
    }
    return p.data;
}

// ---- arithmetic ----

static double reduced(const char *op, double sum, double x) {
    if (!strcmp(op, "ReduceProd")) return sum * x;
    if (!strcmp(op, "ReduceMax")) return fmax(sum, x);
    if (!strcmp(op, "ReduceMin")) return fmin(sum, x);
    return sum + x;
}

// Folds a reduction whose result is a single element. Other reductions are rare on constants and are not folded.
static const struct onnx_data *fold_reduce(struct graph *g, struct node *n) {
    const struct onnx_data *x = graph_constant(g, n, 0);
    if (!out_dims(g, n) || onnx_elements(out_dims(g, n)) != 1 || !x->count) return NULL;
    double sum = onnx_at(x, 0);
    for (int64_t i = 1; i < x->count; i++) sum = reduced(n->op, sum, onnx_at(x, i));
    struct filling p = fill_result(g, n);
    put(&p, 0, !strcmp(n->op, "ReduceMean") ? sum / (double)x->count : sum);
    return p.data;
}

// Folds a DequantizeLinear. There is one scale, or one for each index along the axis.
static const struct onnx_data *fold_dequantize(struct graph *g, struct node *n) {
    const struct onnx_data *x = graph_constant(g, n, 0), *scale = graph_constant(g, n, 1),
                           *zero = graph_constant(g, n, 2);
    int axis = graph_axis(onnx_int(n->src, "axis", 1), x->dims.rank);
    int64_t inner = 1;
    if (scale->count != 1 && (axis == NONE || scale->count != x->dims.dim[axis])) return NULL;
    if (zero && zero->count != scale->count) return NULL;
    for (int i = axis + 1; axis != NONE && i < x->dims.rank; i++) inner *= x->dims.dim[i];
    struct filling p = fill(g, &x->dims, ONNX_FLOAT);
    for (int64_t i = 0; i < x->count; i++) {
        int64_t at = scale->count == 1 ? 0 : i / inner % scale->count;
        put(&p, i, (onnx_at(x, i) - (zero ? onnx_at(zero, at) : 0)) * onnx_at(scale, at));
    }
    return p.data;
}

bool graph_quant_range(const struct node *n, const struct onnx_data *bits, double *lo, double *hi) {
    bool is_signed = onnx_int(n->src, "signed", 1) != 0, narrow = onnx_int(n->src, "narrow", 0) != 0;
    double b = bits->count == 1 ? onnx_at(bits, 0) : 0;
    if (!(b >= 1 && b <= 20) || b != floor(b)) return false;
    *hi = ldexp(1, (int)b - is_signed) - 1 - (!is_signed && narrow);
    *lo = is_signed ? -ldexp(1, (int)b - 1) + narrow : 0;
    return !strcmp(onnx_string(n->src, "rounding_mode", "ROUND"), "ROUND");
}

// Folds the operators Quant and BipolarQuant of QONNX, which quantize a tensor and convert it back.
static const struct onnx_data *fold_quant(struct graph *g, struct node *n) {
    const struct onnx_data *x = graph_constant(g, n, 0), *bits = graph_constant(g, n, 3);
    bool bipolar = graph_is(n, "BipolarQuant");
    double lo = -1, hi = 1;
    if (!out_dims(g, n) || n->in.count < (bipolar ? 2 : 4)) return NULL;
    if (!bipolar && !graph_quant_range(n, bits, &lo, &hi)) return NULL;
    const struct onnx_data *scale = data_broadcast(g->arena, graph_constant(g, n, 1), &x->dims),
                           *zero = bipolar ? NULL : data_broadcast(g->arena, graph_constant(g, n, 2), &x->dims);
    struct filling p = fill_result(g, n);
    for (int64_t i = 0; i < x->count; i++) {
        double s = onnx_at(scale, i), z = zero ? onnx_at(zero, i) : 0, q = rint(onnx_at(x, i) / s + z);
        if (bipolar) q = onnx_at(x, i) < 0 ? -1 : 1;
        put(&p, i, (fmin(fmax(q, lo), hi) - z) * s);
    }
    return p.data;
}

enum { MOST_OPERANDS = 3 }; // of an elementwise operator

// Returns whether this is an integer division by zero, which is not folded.
static bool divides_by_zero(const struct filling *p, const struct node *n, const double in[]) {
    return !p->f && graph_is(n, "Div") && in[1] == 0;
}

// Folds an elementwise operator. Returns NULL for other operators, if an operand is not constant, if the result is too
// large, or if integers are divided by zero.
static const struct onnx_data *fold_elements(struct graph *g, struct node *n) {
    const struct onnx_dims *dims = out_dims(g, n);
    const struct onnx_data *x[MOST_OPERANDS];
    double in[MOST_OPERANDS] = {0}, y;
    size_t count = n->in.count;
    if (count > MOST_OPERANDS || !dims || onnx_elements(dims) > MOST_ELEMENTS || !graph_compute(g, n, in, count, &y))
        return NULL;
    for (size_t k = 0; k < count; k++) {
        const struct onnx_data *own = graph_constant(g, n, k);
        struct onnx_dims to = *dims;
        int64_t stride[ONNX_MAX_RANK], by[ONNX_MAX_RANK];
        if (!own) return NULL;
        row_major(&own->dims, by);
        for (int d = 0; d < to.rank; d++) {
            int j = d - (to.rank - own->dims.rank);
            stride[d] = j >= 0 && own->dims.dim[j] != 1 ? by[j] : 0;
        }
        x[k] = data_walk(g->arena, own, &to, 0, stride);
    }
    struct filling p = fill_result(g, n);
    for (int64_t i = 0; i < p.data->count; i++) {
        for (size_t k = 0; k < count; k++) in[k] = onnx_at(x[k], i);
        if (divides_by_zero(&p, n, in)) return NULL;
        graph_compute(g, n, in, count, &y);
        put(&p, i, y);
    }
    return p.data;
}

// The operators with their folders. Operators with NULL are not folded, and those that are not listed use
// fold_elements.
static const struct {
    const char *ops;
    folder *fold;
    bool free; // also folds if operands are not constant
} folders[] = {
    {" Constant ", fold_constant, true},
    {" Shape ", fold_shape, true},
    {" Size ", fold_size, true},
    {" ConstantOfShape ", fold_of_shape, false},
    {" Range ", fold_range, false},
    {" Reshape Flatten Squeeze Unsqueeze Identity Dropout ", fold_view, false},
    {" Cast ", fold_cast, false},
    {" Transpose ", fold_transpose, false},
    {" Slice ", fold_slice, false},
    {" Gather ", fold_gather, false},
    {" Expand ", fold_expand, false},
    {" Tile ", NULL, false},
    {" Concat ", fold_concat, false},
    {" Trilu ", fold_trilu, false},
    {" ReduceProd ReduceSum ReduceMean ReduceMax ReduceMin ", fold_reduce, false},
    {" DequantizeLinear ", fold_dequantize, false},
    {" Quant BipolarQuant ", fold_quant, false},
};

static bool all_constant(const struct graph *g, const struct node *n) {
    for (size_t i = 0; i < n->in.count; i++) {
        const struct value *v = n->in.items[i] == NONE ? NULL : graph_value(g, n->in.items[i]);
        if (v && (!v->constant || onnx_type_bytes(v->constant->type) == 0)) return false;
    }
    return n->in.count > 0 && graph_in(n, 0) != NONE;
}

bool graph_fold(struct graph *g, struct node *n) {
    const char *word = arena_printf(g->arena, " %s ", n->op);
    folder *fold = fold_elements;
    bool free = false;
    if (n->out.count == 0 || (n->out.count > 1 && !graph_is(n, "Dropout"))) return false;
    for (size_t i = 0; i < COUNT_OF(folders); i++)
        if (strstr(folders[i].ops, word)) fold = folders[i].fold, free = folders[i].free;
    if (!fold || (!free && !all_constant(g, n))) return false;
    struct value *v = graph_value(g, n->out.items[0]);
    int64_t cost = v->shaped ? onnx_elements(&v->dims) * (int64_t)(n->in.count + 1) : 0;
    if (cost < 0 || cost > g->spare) return false;
    g->spare -= cost;
    const struct onnx_data *d = fold(g, n);
    if (!d) return false;
    v->constant = d;
    v->dims = d->dims;
    v->shaped = true;
    v->type = d->type;
    if (graph_in(n, 0) != NONE) v->source = graph_value(g, graph_in(n, 0))->source;
    return true;
}
