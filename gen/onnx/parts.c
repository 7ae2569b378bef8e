// SPDX-License-Identifier: Apache-2.0
// Operators that take parts of tensors or join tensors: Slice, Split, Gather, Concat, Pad, Resize.
#include <math.h>
#include <string.h>

#include "gen/onnx/lower.h"
#include "gen/onnx/rewrite.h"

enum { MOST_PIECES = 32 }; // parts that one node may be composed of

static const struct onnx_dims *in_dims(const struct lower *l, size_t i) {
    return &graph_value(l->g, graph_in(l->n, i))->dims;
}
static const struct onnx_dims *out_dims(const struct lower *l, size_t i) {
    return &graph_value(l->g, l->n->out.items[i])->dims;
}

// A tensor seen from one axis: the product of the extents before it, its own extent, and the product of those after it.
struct axis {
    int64_t before, extent, inside;
};

static struct axis axis_of(const struct onnx_dims *d, int axis) {
    struct axis a = {1, d->dim[axis], 1};
    for (int i = 0; i < axis; i++) a.before *= d->dim[i];
    for (int i = axis + 1; i < d->rank; i++) a.inside *= d->dim[i];
    return a;
}

// Gets the extents that are not 1. Returns the number of the axis among them.
static int shape_of(const struct axis *a, int64_t dim[], int *rank) {
    int along = a->before > 1;
    *rank = 0;
    if (a->before > 1) dim[(*rank)++] = a->before;
    dim[(*rank)++] = a->extent;
    if (a->inside > 1) dim[(*rank)++] = a->inside;
    return along;
}

// Takes `count` elements along the axis: start, start + step, start + 2 * step, ...
static int part(struct lower *l, int t, const struct axis *a, int64_t start, int64_t count, int64_t step) {
    int64_t dim[3];
    int rank, along = shape_of(a, dim, &rank);
    if (count == a->extent && step == 1) return t;
    t = lower_view(l, t, rank, dim);
    dim[along] = count;
    t = lower_emit(l, "slice", 1, &t, rank, dim);
    if (along) lower_attr_int(l, "along", along);
    if (start) lower_attr_int(l, "start", start);
    lower_attr_int(l, "count", count);
    if (step > 1) lower_attr_int(l, "step", step);
    return t;
}

// Concatenates two tensors along the axis. `a` describes the first one, and afterwards the result.
static int joined(struct lower *l, int first, struct axis *a, int second, int64_t extent) {
    int64_t dim[3], other[3];
    struct axis b = {a->before, extent, a->inside};
    int rank, along = shape_of(a, dim, &rank);
    shape_of(&b, other, &rank);
    int in[2] = {lower_view(l, first, rank, dim), lower_view(l, second, rank, other)};
    a->extent += extent;
    dim[along] = a->extent;
    int t = lower_emit(l, "concat", 2, in, rank, dim);
    if (along) lower_attr_int(l, "along", along);
    return t;
}

int lower_part(struct lower *l, int t, int64_t before, int64_t extent, int64_t inside, int64_t start, int64_t count,
               int64_t step) {
    return part(l, t, &(struct axis){before, extent, inside}, start, count, step);
}

int lower_joined(struct lower *l, int a, int b, int64_t before, int64_t extent_a, int64_t extent_b, int64_t inside) {
    return joined(l, a, &(struct axis){before, extent_a, inside}, b, extent_b);
}

// ---- Slice, Split, Gather ----

static const char *slice(struct lower *l, int *out) {
    int64_t start[ONNX_MAX_RANK], step[ONNX_MAX_RANK];
    struct onnx_dims now = *in_dims(l, 0), to;
    if (!graph_slice(l->g, l->n, &now, start, step, &to)) return "a part that is not constant";
    *out = lower_operand(l, 0);
    for (int i = 0; i < now.rank; i++) {
        struct axis a = axis_of(&now, i);
        if (step[i] < 0 && to.dim[i] > 1) return "a step below 0";
        *out = part(l, *out, &a, start[i], to.dim[i], to.dim[i] > 1 ? step[i] : 1);
        now.dim[i] = to.dim[i];
    }
    *out = lower_view_like(l, *out, &to);
    return NULL;
}

static const char *split(struct lower *l, int *out) {
    int axis = graph_axis(onnx_int(l->n->src, "axis", 0), in_dims(l, 0)->rank), x = lower_operand(l, 0);
    struct axis a = axis_of(in_dims(l, 0), axis);
    int64_t start = 0;
    for (size_t k = 0; k < l->n->out.count; k++) {
        const struct value *v = graph_value(l->g, l->n->out.items[k]);
        int64_t count = v->dims.dim[axis];
        l->hint = v->name;
        if (v->uses) {
            int t = lower_view_like(l, part(l, x, &a, start, count, 1), &v->dims);
            l->tensor_of[l->n->out.items[k]] = t;
            *out = t;
        }
        start += count;
    }
    if (graph_value(l->g, l->n->out.items[0])->uses) *out = l->tensor_of[l->n->out.items[0]];
    return NULL;
}

// Takes elements of an axis by their numbers, as parts of the tensor that are joined. Adjacent numbers become one part.
static const char *take(struct lower *l, int t, const struct axis *a, const int64_t index[], int64_t count, int *out) {
    struct axis all = *a;
    int pieces = 0;
    for (int64_t i = 0, run; i < count; i += run) {
        int64_t from = index[i] < 0 ? index[i] + a->extent : index[i];
        for (run = 1; i + run < count && index[i + run] == index[i] + run; run++) continue;
        if (from < 0 || from + run > a->extent) return "an index beyond the axis";
        if (++pieces > MOST_PIECES) return "indices of more than 32 runs";
        int piece = part(l, t, a, from, run, 1);
        if (pieces == 1) all.extent = run;
        *out = pieces == 1 ? piece : joined(l, *out, &all, piece, run);
    }
    return NULL;
}

static const char *gather(struct lower *l, int *out) {
    const struct onnx_dims *x = in_dims(l, 0);
    const struct onnx_data *d = graph_constant(l->g, l->n, 1);
    int axis = graph_axis(onnx_int(l->n->src, "axis", 0), x->rank);
    if (!d || !d->i || !d->count) return "indices that are not constant";
    struct axis a = axis_of(x, axis);
    const char *why = take(l, lower_operand(l, 0), &a, d->i, d->count, out);
    if (!why) *out = lower_view_like(l, *out, out_dims(l, 0));
    return why;
}

// ---- Concat, Pad ----

static const char *concat(struct lower *l, int *out) {
    const struct node *n = l->n;
    int axis = graph_axis(onnx_int(n->src, "axis", 0), in_dims(l, 0)->rank);
    struct axis a = axis_of(in_dims(l, 0), axis);
    for (size_t i = 0; i < n->in.count; i++)
        if (graph_constant(l->g, n, i)) return "a constant part";
    *out = lower_operand(l, 0);
    for (size_t i = 1; i < n->in.count; i++) *out = joined(l, *out, &a, lower_operand(l, i), in_dims(l, i)->dim[axis]);
    *out = lower_view_like(l, *out, out_dims(l, 0));
    return NULL;
}

// Makes the padding before an axis, or with `behind` after it. `mode`: edge repeats the plane at the edge, constant is
// a number, reflect mirrors planes next to the edge, and wrap takes planes from the other end.
static const char *border(struct lower *l, int t, const struct axis *a, int64_t count, bool behind, const char *mode,
                          double value, int *out) {
    int64_t dim[3];
    int rank;
    struct axis one = {a->before, 1, a->inside};
    struct onnx_dims from = {3, {a->before, 1, a->inside}}, to = {3, {a->before, count, a->inside}};
    if (!strcmp(mode, "wrap") && count <= a->extent)
        return *out = part(l, t, a, behind ? 0 : a->extent - count, count, 1), NULL;
    if (!strcmp(mode, "reflect")) {
        if (count >= a->extent || count > MOST_PIECES) return "a reflection of more than 32 planes";
        for (int64_t i = 0; i < count; i++) {
            int piece = part(l, t, a, behind ? a->extent - 2 - i : count - i, 1, 1);
            *out = i ? joined(l, *out, &one, piece, 1) : piece;
        }
        return NULL;
    }
    if (strcmp(mode, "constant") && strcmp(mode, "edge")) return "an unknown `mode`";
    shape_of(&one, dim, &rank);
    *out = lower_view(l, part(l, t, a, behind ? a->extent - 1 : 0, 1, 1), rank, dim);
    if (!strcmp(mode, "constant")) *out = lower_filled(l, *out, value);
    *out = lower_repeat(l, *out, &from, &to);
    return NULL;
}

static const char *pad(struct lower *l, int *out) {
    const struct node *n = l->n;
    struct onnx_dims now = *in_dims(l, 0);
    const struct onnx_attribute *given = onnx_attribute_of(n->src, "pads");
    const struct onnx_data *d = graph_constant(l->g, n, 2);
    const char *mode = onnx_string(n->src, "mode", "constant");
    int64_t pads[2 * ONNX_MAX_RANK];
    if (given && (int)given->ints.count == 2 * now.rank)
        memcpy(pads, given->ints.items, sizeof *pads * given->ints.count);
    else if (graph_ints(l->g, graph_in(n, 1), pads, 2 * ONNX_MAX_RANK) != 2 * now.rank)
        return "pads that are not constant";
    double value = d && d->f && d->count ? onnx_at(d, 0) : onnx_float(n->src, "value", 0);
    *out = lower_operand(l, 0);
    for (int i = 0; i < now.rank; i++) {
        struct axis a = axis_of(&now, i);
        int64_t before = pads[i], behind = pads[i + now.rank];
        if (before < 0 || behind < 0) return "padding below 0";
        int t = *out, first, last;
        const char *why = before ? border(l, t, &a, before, false, mode, value, &first) : NULL;
        if (!why && behind) why = border(l, t, &a, behind, true, mode, value, &last);
        if (why) return why;
        struct axis all = {a.before, before ? before : a.extent, a.inside};
        if (before) t = joined(l, first, &all, t, a.extent);
        if (behind) t = joined(l, t, &all, last, behind);
        now.dim[i] += before + behind;
        *out = t;
    }
    *out = lower_view_like(l, *out, &now);
    return NULL;
}

// Cuts or pads axes with zeros, evenly at both ends.
static const char *center(struct lower *l, int *out) {
    struct onnx_dims now = *in_dims(l, 0), to = *out_dims(l, 0);
    *out = lower_operand(l, 0);
    for (int i = 0; i < now.rank; i++) {
        struct axis a = axis_of(&now, i), all = a;
        int64_t more = to.dim[i] - now.dim[i], before = more / 2;
        int t = *out, first = NONE, last = NONE;
        const char *why = NULL;
        if (more < 0) *out = part(l, t, &a, -more / 2, to.dim[i], 1);
        if (before > 0) why = border(l, t, &a, before, false, "constant", 0, &first);
        if (more > 0 && !why) why = border(l, t, &a, more - before, true, "constant", 0, &last);
        if (why) return why;
        all.extent = before;
        if (before > 0) t = joined(l, first, &all, t, a.extent);
        else all.extent = a.extent;
        if (more > 0) *out = joined(l, t, &all, last, more - before);
        now.dim[i] = to.dim[i];
    }
    *out = lower_view_like(l, *out, &now);
    return NULL;
}

// ---- Resize ----

// Returns the place in an axis of `from` elements that place i of the resized axis is made from.
static double source_of(const struct node *n, int64_t i, int64_t from, int64_t to, double scale) {
    const char *how = n->src ? onnx_string(n->src, "coordinate_transformation_mode", "half_pixel") : "asymmetric";
    double x = (double)i, half = (x + 0.5) / scale - 0.5;
    if (graph_is(n, "Upsample") || !strcmp(how, "asymmetric")) return x / scale;
    if (!strcmp(how, "align_corners")) return to > 1 ? x * (double)(from - 1) / (double)(to - 1) : 0;
    if (!strcmp(how, "pytorch_half_pixel")) return to > 1 ? half : 0;
    if (!strcmp(how, "half_pixel_symmetric"))
        return (double)from / 2 * (1 - (double)to / (scale * (double)from)) + half;
    return !strcmp(how, "half_pixel") ? half : NAN;
}

static int64_t nearest(const struct node *n, double x, int64_t from) {
    const char *how = graph_is(n, "Upsample") ? "floor" : onnx_string(n->src, "nearest_mode", "round_prefer_floor");
    double at = !strcmp(how, "floor")               ? floor(x)
                : !strcmp(how, "ceil")              ? ceil(x)
                : !strcmp(how, "round_prefer_ceil") ? floor(x + 0.5)
                                                    : ceil(x - 0.5);
    return at < 0 ? 0 : at > (double)(from - 1) ? from - 1 : (int64_t)at;
}

// Whether each element is repeated `factor` times, in order.
static bool repeats_each(const int64_t index[], int64_t count, int64_t factor) {
    for (int64_t i = 0; i < count; i++)
        if (index[i] != i / factor) return false;
    return true;
}

static const char *resize_axis(struct lower *l, const struct axis *a, int64_t to, double scale, int *t) {
    int64_t *index = arena_alloc(l->s->arena, (size_t)to, sizeof *index), factor = to / a->extent;
    for (int64_t i = 0; i < to; i++) {
        double x = source_of(l->n, i, a->extent, to, scale);
        if (!isfinite(x)) return "this `coordinate_transformation_mode`";
        index[i] = nearest(l->n, x, a->extent);
    }
    if (to % a->extent || !repeats_each(index, to, factor)) return take(l, *t, a, index, to, t);
    struct onnx_dims from = {3, {a->before * a->extent, 1, a->inside}},
                     all = {3, {a->before * a->extent, factor, a->inside}};
    if (factor > 1) *t = lower_repeat(l, *t, &from, &all);
    return NULL;
}

static const char *resize(struct lower *l, int *out) {
    const struct onnx_dims *x = in_dims(l, 0), *y = out_dims(l, 0);
    double scale[ONNX_MAX_RANK];
    struct onnx_dims now = *x, same;
    if (strcmp(onnx_string(l->n->src, "mode", "nearest"), "nearest")) return "an interpolation";
    if (!graph_resize(l->g, l->n, x, scale, &same)) return "sizes that are not constant";
    *out = lower_operand(l, 0);
    for (int i = 0; i < x->rank; i++) {
        struct axis a = axis_of(&now, i);
        const char *why = resize_axis(l, &a, y->dim[i], scale[i], out);
        if (why) return why;
        now.dim[i] = y->dim[i];
    }
    *out = lower_view_like(l, *out, y);
    return NULL;
}

static const struct {
    const char *onnx;
    const char *(*lower)(struct lower *, int *);
} table[] = {{"Slice", slice}, {"Split", split},   {"Gather", gather},   {"Concat", concat},
             {"Pad", pad},     {"Resize", resize}, {"Upsample", resize}, {"CenterCropPad", center}};

bool lower_parts(struct lower *l, int *out, const char **why) {
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        if (!graph_is(l->n, table[i].onnx)) continue;
        *why = table[i].lower(l, out);
        return true;
    }
    return false;
}
