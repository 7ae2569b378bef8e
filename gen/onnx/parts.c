// SPDX-License-Identifier: Apache-2.0
// Writes operators that take parts of tensors or join tensors: Slice, Split, Gather, Compress, Concat, Pad,
// CenterCropPad, Resize, Upsample. Most become `slice` and `concat` operations along one axis after the other.
#include <math.h>
#include <string.h>

#include "gen/onnx/lower.h"
#include "gen/onnx/rewrite.h"

enum { MOST_PIECES = 32 }; // most runs of indices that become a slice each

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

// Sets dim[] to the tensor's extents, without `before` and `inside` if they are 1. Returns the index of the axis in
// dim.
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

// Concatenates two tensors along the axis, where the second has `extent` elements. `a` describes the first tensor, and
// afterwards the result.
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

// Writes Split: makes a slice for each result that is read.
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

enum { MOST_MATRIX = 65536 }; // most elements of a matrix for mix()

// Multiplies the elements of an axis by a constant matrix m [count][extent], in fp32. The axis then has `count`
// elements.
static const char *mix(struct lower *l, int t, const struct axis *a, const struct onnx_data *m, int *out) {
    int64_t count = m->dims.dim[0], x[] = {a->before, a->extent, a->inside}, y[] = {a->before, count, a->inside};
    int matrix;
    if (m->count > MOST_MATRIX) return "more than 65536 pairs of an element before and an element after it";
    const char *why = lower_number_tensor(l, t, m, &matrix);
    if (why) return why;
    matrix = lower_view(l, matrix, 2, m->dims.dim);
    if (a->inside == 1) {
        *out = lower_emit(l, "bmm", 2, (const int[]){lower_view(l, t, 2, x), matrix}, 2, y);
        lower_attr_int(l, "transpose", 1);
    } else if (a->before == 1)
        *out = lower_emit(l, "bmm", 2, (const int[]){matrix, lower_view(l, t, 2, x + 1)}, 2, y + 1);
    else {
        matrix = lower_repeat(l, matrix, &m->dims, &(struct onnx_dims){3, {a->before, count, a->extent}});
        *out = lower_emit(l, "bmm", 2, (const int[]){matrix, lower_view(l, t, 3, x)}, 3, y);
    }
    return NULL;
}

// Counts the runs of adjacent indices.
static int count_runs(const int64_t index[], int64_t count) {
    int runs = 1;
    for (int64_t i = 1; i < count; i++) runs += index[i] != index[i - 1] + 1;
    return runs;
}

// Takes elements by a product with a matrix that has one 1 in each row. The matrix covers only the part of the axis
// from the lowest to the highest index.
static const char *pick(struct lower *l, int t, const struct axis *a, const int64_t index[], int64_t count, int *out) {
    float *f;
    int64_t first = a->extent, last = 0;
    for (int64_t i = 0; i < count; i++) first = at_most(first, index[i]), last = at_least(last, index[i]);
    struct axis near = {a->before, last - first + 1, a->inside};
    if (count > MOST_MATRIX / near.extent) return "indices of more than 32 runs in a part that is too long";
    struct onnx_data *m = data_floats(l->s->arena, &(struct onnx_dims){2, {count, near.extent}}, &f);
    memset(f, 0, (size_t)m->count * sizeof *f);
    for (int64_t i = 0; i < count; i++) f[i * near.extent + index[i] - first] = 1;
    return mix(l, part(l, t, a, first, near.extent, 1), &near, m, out);
}

// Takes the elements of an axis with the `given` indices, where a negative index counts from the end. Each run of
// adjacent indices becomes a slice, and the slices are joined. With more than MOST_PIECES runs, uses pick().
static const char *take(struct lower *l, int t, const struct axis *a, const int64_t given[], int64_t count, int *out) {
    struct axis all = *a;
    int64_t *index = arena_alloc(l->s->arena, (size_t)count, sizeof *index), run;
    for (int64_t i = 0; i < count; i++) {
        index[i] = given[i] < 0 ? given[i] + a->extent : given[i];
        if (index[i] < 0 || index[i] >= a->extent) return "an index beyond the axis";
    }
    if (count_runs(index, count) > MOST_PIECES) return pick(l, t, a, index, count, out);
    for (int64_t i = 0; i < count; i += run) {
        for (run = 1; i + run < count && index[i + run] == index[i] + run; run++) continue;
        int piece = part(l, t, a, index[i], run, 1);
        if (!i) all.extent = run;
        *out = i ? joined(l, *out, &all, piece, run) : piece;
    }
    return NULL;
}

// Takes `count` elements in falling order, with a negative step.
static const char *backwards(struct lower *l, int t, const struct axis *a, int64_t start, int64_t count, int64_t step,
                             int *out) {
    int64_t *index = arena_alloc(l->s->arena, (size_t)count, sizeof *index);
    for (int64_t i = 0; i < count; i++) index[i] = start + i * step;
    return take(l, t, a, index, count, out);
}

// Writes Slice: takes a part along one axis after the other.
static const char *slice(struct lower *l, int *out) {
    int64_t start[ONNX_MAX_RANK], step[ONNX_MAX_RANK];
    struct onnx_dims now = *in_dims(l, 0), to;
    const char *why = NULL;
    if (!graph_slice(l->g, l->n, &now, start, step, &to)) return "a part that is not constant";
    *out = lower_operand(l, 0);
    for (int i = 0; i < now.rank && !why; i++) {
        struct axis a = axis_of(&now, i);
        if (step[i] < 0 && to.dim[i] > 1) why = backwards(l, *out, &a, start[i], to.dim[i], step[i], out);
        else *out = part(l, *out, &a, start[i], to.dim[i], to.dim[i] > 1 ? step[i] : 1);
        now.dim[i] = to.dim[i];
    }
    if (!why) *out = lower_view_like(l, *out, &to);
    return why;
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

// Writes Compress: keeps the elements whose condition is true or, with `axis`, the planes of this axis.
static const char *compress(struct lower *l, int *out) {
    const struct onnx_dims *x = in_dims(l, 0);
    const struct onnx_data *d = graph_constant(l->g, l->n, 1);
    const struct onnx_attribute *axis = onnx_attribute_of(l->n->src, "axis");
    if (!d || !d->i) return "a condition that is not constant";
    struct axis a = axis ? axis_of(x, graph_axis(axis->i, x->rank)) : (struct axis){1, onnx_elements(x), 1};
    int64_t *index = arena_alloc(l->s->arena, (size_t)d->count, sizeof *index), count = 0;
    for (int64_t i = 0; i < d->count; i++)
        if (d->i[i]) index[count++] = i;
    const char *why = take(l, lower_operand(l, 0), &a, index, count, out);
    if (!why) *out = lower_view_like(l, *out, out_dims(l, 0));
    return why;
}

// ---- Concat, Pad ----

// Sets *t to operand i as a tensor. `other`: an operand that is not constant, from which a constant's tensor is made.
static const char *piece_of(struct lower *l, size_t i, size_t other, int *t) {
    const struct onnx_data *d = graph_constant(l->g, l->n, i);
    if (!d) return *t = lower_operand(l, i), NULL;
    d = lower_finite(l, data_as_floats(l->s->arena, d), false);
    return d ? lower_number_tensor(l, lower_operand(l, other), d, t) : "a constant that is infinite";
}

static const char *concat(struct lower *l, int *out) {
    const struct node *n = l->n;
    int axis = graph_axis(onnx_int(n->src, "axis", 0), in_dims(l, 0)->rank), t = NONE;
    struct axis a = axis_of(in_dims(l, 0), axis);
    size_t other = 0;
    while (other < n->in.count && graph_constant(l->g, n, other)) other++;
    const char *why = other == n->in.count ? "constant parts" : piece_of(l, 0, other, out);
    for (size_t i = 1; i < n->in.count && !why; i++) {
        why = piece_of(l, i, other, &t);
        if (!why) *out = joined(l, *out, &a, t, in_dims(l, i)->dim[axis]);
    }
    if (!why) *out = lower_view_like(l, *out, out_dims(l, 0));
    return why;
}

// Makes `count` planes of padding before the first element of an axis or, if `behind` is set, after the last one. The
// mode `edge` repeats the plane at the edge, `constant` uses `value`, `reflect` mirrors the planes next to the edge,
// and `wrap` takes planes from the other end.
static const char *border(struct lower *l, int t, const struct axis *a, int64_t count, bool behind, const char *mode,
                          double value, int *out) {
    int64_t dim[3];
    int rank;
    struct axis one = {a->before, 1, a->inside};
    struct onnx_dims from = {3, {a->before, 1, a->inside}}, to = {3, {a->before, count, a->inside}};
    if (!strcmp(mode, "wrap")) {
        if (count > a->extent) return "wrapped padding of more elements than there are";
        return *out = part(l, t, a, behind ? 0 : a->extent - count, count, 1), NULL;
    }
    if (!strcmp(mode, "reflect")) {
        if (count >= a->extent) return "a reflection of more elements than there are";
        int64_t *index = arena_alloc(l->s->arena, (size_t)count, sizeof *index);
        for (int64_t i = 0; i < count; i++) index[i] = behind ? a->extent - 2 - i : count - i;
        return take(l, t, a, index, count, out);
    }
    if (strcmp(mode, "constant") && strcmp(mode, "edge")) return "an unknown `mode`";
    shape_of(&one, dim, &rank);
    *out = lower_view(l, part(l, t, a, behind ? a->extent - 1 : 0, 1, 1), rank, dim);
    if (!strcmp(mode, "constant")) *out = lower_filled(l, *out, value);
    *out = lower_repeat(l, *out, &from, &to);
    return NULL;
}

// Writes Pad: pads one axis after the other. Negative padding cuts the axis first.
static const char *pad(struct lower *l, int *out) {
    const struct node *n = l->n;
    struct onnx_dims now = *in_dims(l, 0);
    const struct onnx_data *d = graph_constant(l->g, n, 2);
    const char *mode = onnx_string(n->src, "mode", "constant");
    int64_t pads[2 * ONNX_MAX_RANK];
    if (!graph_pads(l->g, n, now.rank, pads)) return "pads that are not constant";
    double value = d && d->f && d->count ? onnx_at(d, 0) : onnx_float(n->src, "value", 0);
    *out = lower_operand(l, 0);
    for (int i = 0; i < now.rank; i++) {
        struct axis a = axis_of(&now, i);
        int64_t before = pads[i], behind = pads[i + now.rank], cut = before < 0 ? -before : 0,
                extent = a.extent - cut + (behind < 0 ? behind : 0);
        if (extent < 1) return "padding below 0 that leaves no element";
        *out = part(l, *out, &a, cut, extent, 1);
        now.dim[i] = a.extent = extent;
        before = at_least(before, 0), behind = at_least(behind, 0);
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

// Writes CenterCropPad: cuts each axis or pads it with zeros, evenly at both ends.
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

// Returns the place in an axis of `from` elements from which element i of the resized axis is made: an index with a
// fraction. The resized axis has `to` elements. Returns NAN for an unknown mode.
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

// Rounds an index with a fraction to that of an element of an axis with `from` elements.
static int64_t nearest(const struct node *n, double x, int64_t from) {
    const char *how = graph_is(n, "Upsample") ? "floor" : onnx_string(n->src, "nearest_mode", "round_prefer_floor");
    double at = !strcmp(how, "floor")               ? floor(x)
                : !strcmp(how, "ceil")              ? ceil(x)
                : !strcmp(how, "round_prefer_ceil") ? floor(x + 0.5)
                                                    : ceil(x - 0.5);
    return at < 0 ? 0 : at > (double)(from - 1) ? from - 1 : (int64_t)at;
}

// Returns whether each element is repeated `factor` times, in order.
static bool repeats_each(const int64_t index[], int64_t count, int64_t factor) {
    for (int64_t i = 0; i < count; i++)
        if (index[i] != i / factor) return false;
    return true;
}

// Resizes an axis by linear interpolation between the two neighbours of each index. For a neighbour beyond an end of
// the axis, the element at this end counts.
static const char *interpolate(struct lower *l, const struct axis *a, int64_t to, double scale, int *t) {
    float *f;
    if (to > MOST_MATRIX / a->extent) return "an interpolation of an axis that is too long";
    struct onnx_data *m = data_floats(l->s->arena, &(struct onnx_dims){2, {to, a->extent}}, &f);
    memset(f, 0, (size_t)m->count * sizeof *f);
    for (int64_t i = 0; i < to; i++) {
        double x = source_of(l->n, i, a->extent, to, scale), low = floor(x), end = (double)(a->extent - 1);
        if (!isfinite(x)) return "this `coordinate_transformation_mode`";
        f[i * a->extent + (int64_t)fmin(fmax(low, 0), end)] += (float)(1 - (x - low));
        f[i * a->extent + (int64_t)fmin(fmax(low + 1, 0), end)] += (float)(x - low);
    }
    return mix(l, *t, a, m, t);
}

// Resizes an axis by taking the nearest element for each element of the result. If the result has each element `factor`
// times in succession, the tensor is only repeated; otherwise the elements are taken one by one.
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

// Writes Resize, one axis after the other. now: the extents after the axes that are done.
static const char *resize(struct lower *l, int *out) {
    const struct onnx_dims *x = in_dims(l, 0), *y = out_dims(l, 0);
    double scale[ONNX_MAX_RANK];
    struct onnx_dims now = *x, same;
    const char *mode = onnx_string(l->n->src, "mode", "nearest");
    bool linear = !strcmp(mode, "linear") && !onnx_int(l->n->src, "antialias", 0);
    if (!linear && strcmp(mode, "nearest") != 0) return "an interpolation other than `linear`";
    if (!graph_resize(l->g, l->n, x, scale, &same)) return "sizes that are not constant";
    *out = lower_operand(l, 0);
    for (int i = 0; i < x->rank; i++) {
        struct axis a = axis_of(&now, i);
        bool same_size = y->dim[i] == x->dim[i] && scale[i] == 1;
        const char *why = same_size ? NULL : (linear ? interpolate : resize_axis)(l, &a, y->dim[i], scale[i], out);
        if (why) return why;
        now.dim[i] = y->dim[i];
    }
    *out = lower_view_like(l, *out, y);
    return NULL;
}

static const struct {
    const char *onnx;
    const char *(*lower)(struct lower *, int *);
} table[] = {{"Slice", slice},   {"Split", split},       {"Gather", gather},
             {"Concat", concat}, {"Compress", compress}, {"Pad", pad},
             {"Resize", resize}, {"Upsample", resize},   {"CenterCropPad", center}};

bool lower_parts(struct lower *l, int *out, const char **why) {
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        if (!graph_is(l->n, table[i].onnx)) continue;
        *why = table[i].lower(l, out);
        return true;
    }
    return false;
}
