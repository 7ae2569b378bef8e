// SPDX-License-Identifier: Apache-2.0
// Derives the walk of a stream from its type, and the layout converter between two walks (struct itensor_walk and
// struct itensor_layout in gen/ir/itensor.h).
#include "gen/ir/itensor.h"

#include <string.h>

// Appends an inner loop, or merges it with the loop around it if the two act as one. Returns false if there are too
// many loops.
static bool add_level(struct itensor_walk *w, int64_t trip, int64_t stride) {
    if (trip == 1) return true;
    int last = w->loops - 1;
    if (last >= 0 && (stride == 0 ? w->stride[last] == 0 : w->stride[last] == trip * stride)) {
        w->trip[last] *= trip;
        w->stride[last] = stride;
        return true;
    }
    if (w->loops == ITENSOR_WALK) return false;
    w->trip[w->loops] = trip;
    w->stride[w->loops++] = stride;
    return true;
}

// Returns the dimension that a loop walks; IR_NONE if it reads data again.
static int dim_of(const struct ir_itensor *type, int loop) {
    for (int d = 0; d < type->rank; d++)
        if (type->map[d] == loop) return d;
    return IR_NONE;
}

// Returns the distance in the tensor, in elements, from one index of a dimension to the next.
static int64_t dim_stride(const struct ir_itensor *type, const int64_t extent[], int dim) {
    int64_t stride = 1;
    for (int d = dim + 1; d < type->rank; d++) stride *= extent[d];
    return stride;
}

// Whether a loop inside of the one that walks this dimension reads its tiles again.
static bool repeats_tiles(const struct ir_itensor *type, int dim) {
    for (int l = type->map[dim] + 1; type->map[dim] != IR_NONE && l < type->loops; l++)
        if (type->trip[l].bound > 1 && dim_of(type, l) == IR_NONE) return true;
    return false;
}

bool itensor_walk(const struct ir_itensor *type, const int64_t extent[], struct itensor_walk *w) {
    *w = (struct itensor_walk){0};
    if (type->patches) return false;
    int dims = 0, walked = 0;
    for (int d = 0; d < type->rank; d++) {
        dims += extent[d] > 1;
        if (extent[d] > 1) walked = d;
    }
    // In a vector, the last tile may extend past its end, so its length counts, not trips times tile.
    if (dims <= 1 && (type->element[walked] == 1 || !repeats_tiles(type, walked))) {
        for (int l = 0; l < type->loops; l++) {
            if (type->trip[l].dynamic != IR_STATIC) return false;
            if (dim_of(type, l) == IR_NONE && !add_level(w, type->trip[l].bound, 0)) return false;
            if (dim_of(type, l) == walked && !add_level(w, extent[walked], 1)) return false;
        }
        return type->map[walked] != IR_NONE || add_level(w, extent[walked], 1);
    }
    for (int l = 0; l < type->loops; l++) {
        int d = dim_of(type, l);
        if (type->trip[l].dynamic != IR_STATIC) return false;
        if (!add_level(w, type->trip[l].bound, d == IR_NONE ? 0 : type->step[l] * dim_stride(type, extent, d)))
            return false;
    }
    for (int d = 0; d < type->rank; d++) {
        if (itensor_extent(type, d) != extent[d]) return false;
        if (!add_level(w, type->element[d], dim_stride(type, extent, d))) return false;
    }
    return true;
}

bool itensor_walk_equal(const struct itensor_walk *a, const struct itensor_walk *b) {
    if (a->loops != b->loops) return false;
    for (int l = 0; l < a->loops; l++)
        if (a->trip[l] != b->trip[l] || a->stride[l] != b->stride[l]) return false;
    return true;
}

// ---- the converter ----

// Returns the largest power of two that divides n.
static int64_t low_power(int64_t n) { return n & -n; }

// Returns the length of the longest run of consecutive addresses that both walks keep together: a power of two, at most
// `most`.
static int64_t common_run(const struct itensor_walk *a, const struct itensor_walk *b, int64_t most) {
    if (!a->loops || !b->loops || a->stride[a->loops - 1] != 1 || b->stride[b->loops - 1] != 1) return 1;
    int64_t run = low_power(a->trip[a->loops - 1] | b->trip[b->loops - 1]);
    return run < most ? run : most;
}

// Turns the loops over elements into loops over words of `width` elements. Strides stay in elements.
static void to_words(struct itensor_walk *w, int64_t width) {
    if (width == 1) return;
    int last = w->loops - 1;
    w->trip[last] /= width;
    w->stride[last] = width;
    if (w->trip[last] == 1) w->loops--;
}

// Splits loop l into two, the inner one with `inner` trips. Returns false if they do not divide its trips, or if there
// are too many loops.
static bool split(struct itensor_walk *w, int l, int64_t inner) {
    if (w->loops == ITENSOR_WALK || w->trip[l] % inner) return false;
    for (int i = w->loops; i > l; i--) {
        w->trip[i] = w->trip[i - 1];
        w->stride[i] = w->stride[i - 1];
    }
    w->loops++;
    w->trip[l] /= inner;
    w->stride[l] *= inner;
    w->trip[l + 1] = inner;
    return true;
}

// Makes loop l of both walks equal by splitting the one with the smaller stride. Returns false if that is impossible,
// for example because the two loops span different numbers of addresses.
static bool share(struct itensor_walk *a, struct itensor_walk *b, int l) {
    if (l >= a->loops || l >= b->loops || a->stride[l] == 0 || b->stride[l] == 0) return false;
    if (a->trip[l] * a->stride[l] != b->trip[l] * b->stride[l]) return false;
    struct itensor_walk *fine = a->stride[l] < b->stride[l] ? a : b, *coarse = fine == a ? b : a;
    if (fine->stride[l] == coarse->stride[l]) return true;
    return coarse->stride[l] % fine->stride[l] == 0 && split(fine, l, coarse->stride[l] / fine->stride[l]);
}

// Returns the number of words that the writer sends from one index of its loop l to the next. Inside the shared loops,
// this is the distance of their places in a bank, which the writer fills in its own order.
static int64_t place_stride(const struct itensor_walk *w, int l) {
    int64_t words = 1;
    for (int i = l + 1; i < w->loops; i++) words *= w->trip[i];
    return words;
}

// Finds the writer's loop, from loop `shared` on, that advances the address by `stride` in some steps before it ends.
// Returns IR_NONE if there is none.
static int writer_loop(const struct itensor_walk *w, int shared, int64_t stride) {
    for (int l = shared; l < w->loops; l++)
        if (stride % w->stride[l] == 0 && stride < w->trip[l] * w->stride[l]) return l;
    return IR_NONE;
}

// Appends an inner loop of the reader, or merges it with the loop around it if the two act as one. Returns false if
// there are too many loops.
static bool add_reader(struct itensor_layout *layout, int64_t trip, int64_t stride) {
    int last = layout->loops - 1;
    if (last >= 0 && layout->stride[last] == trip * stride && stride) {
        layout->trip[last] *= trip;
        layout->stride[last] = stride;
        return true;
    }
    if (layout->loops == ITENSOR_WALK) return false;
    layout->trip[layout->loops] = trip;
    layout->stride[layout->loops++] = stride;
    return true;
}

// Appends the loops over places in the bank that correspond to a loop of the reader, whose stride is a distance of
// addresses. If the reader's loop passes through several of the writer's loops, it becomes one loop for each of them.
// Returns false if the loops do not nest.
static bool place_loop(const struct itensor_walk *writer, int shared, int64_t trip, int64_t stride,
                       struct itensor_layout *layout) {
    int64_t trips[ITENSOR_WALK], strides[ITENSOR_WALK];
    int parts = 0;
    if (stride == 0) return add_reader(layout, trip, 0);
    while (trip > 1) {
        int l = writer_loop(writer, shared, stride);
        if (l == IR_NONE || parts == ITENSOR_WALK) return false;
        int64_t jump = stride / writer->stride[l], left = writer->trip[l] / jump, part = trip < left ? trip : left;
        if (writer->trip[l] % jump || trip % part) return false;
        trips[parts] = part;
        strides[parts++] = jump * place_stride(writer, l);
        trip /= part;
        stride *= part;
    }
    for (int p = parts - 1; p >= 0; p--)
        if (!add_reader(layout, trips[p], strides[p])) return false;
    return true;
}

bool itensor_layout(const struct itensor_walk *from, const struct itensor_walk *to, int64_t max_width,
                    struct itensor_layout *layout) {
    struct itensor_walk a = *from, b = *to;
    *layout = (struct itensor_layout){.rounds = 1, .buffer = 1};
    layout->width = common_run(&a, &b, max_width);
    to_words(&a, layout->width);
    to_words(&b, layout->width);
    int shared = 0;
    while (share(&a, &b, shared)) layout->rounds *= a.trip[shared++];
    for (int l = shared; l < a.loops; l++) {
        if (a.stride[l] == 0) return false;
        layout->buffer *= a.trip[l];
    }
    for (int l = shared; l < b.loops; l++)
        if (!place_loop(&a, shared, b.trip[l], b.stride[l], layout)) return false;
    if (layout->loops == 0) add_reader(layout, 1, 0);
    return true;
}
