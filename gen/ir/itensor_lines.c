// SPDX-License-Identifier: Apache-2.0
// The line buffer between a stream in row-major order and one of patches (gen/ir/itensor.h).
#include "gen/ir/itensor.h"

#include <stddef.h>

enum { ROWS, PIXELS, AXES };

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
// The largest power of two that divides n.
static int64_t low_power(int64_t n) { return n & -n; }

// ---- the reader's loops ----

// If `loop` is the next loop of the reader, `at`, takes it: sets *trips and *step and moves `at` on. A dimension
// without a loop has one trip. False if another loop comes first, or if its trips are not static.
static bool take_loop(const struct ir_itensor *type, int loop, int *at, int64_t *trips, int64_t *step) {
    *trips = 1, *step = 1;
    if (loop == IR_NONE) return true;
    if (loop != *at || type->trip[loop].dynamic != IR_STATIC) return false;
    *trips = type->trip[loop].bound;
    *step = type->step[loop];
    (*at)++;
    return true;
}

static void axis_of(const struct ir_itensor *to, const int64_t extent[], int dim, struct itensor_line_axis *axis) {
    const struct ir_patch *patch = dim == IR_NONE ? NULL : itensor_patch(to, dim);
    *axis = (struct itensor_line_axis){.size = dim == IR_NONE ? 1 : extent[dim], .before = patch ? patch->before : 0};
}

// Views the data's dimensions as rows of pixels: dimension `pixels` counts the pixels, later dimensions are the
// elements of a pixel, and at most one earlier dimension counts more than one row. Returns that dimension, or `pixels`
// if there are several.
static int rows_before(const struct ir_itensor *to, const int64_t extent[], int pixels) {
    int rows = IR_NONE;
    for (int d = 0; d < pixels; d++) {
        if (extent[d] == 1 && !itensor_patch(to, d)) continue;
        if (rows != IR_NONE) return pixels;
        rows = d;
    }
    return rows;
}

// Whether the loops from `at` on walk the elements of a pixel in row-major order.
static bool walks_pixel(const struct ir_itensor *to, const int64_t extent[], int dim, int at) {
    for (int d = dim + 1; d < to->rank; d++) {
        int64_t trips, step;
        if (!take_loop(to, to->map[d], &at, &trips, &step) || trips * to->element[d] != extent[d]) return false;
        if (d < to->rank - 1 && to->element[d] != 1 && to->element[d + 1] != extent[d + 1]) return false;
    }
    return at == to->loops;
}

// ---- the buffer ----

// The first position that a patch needs, and (last_of) the last one. Positions outside the data do not count.
static int64_t first_of(const struct itensor_line_axis *axis, int64_t place) {
    return most(place * axis->stride - axis->before, 0);
}

static int64_t last_of(const struct itensor_line_axis *axis, int64_t place) {
    return least(place * axis->stride - axis->before + (axis->taps - 1) * axis->dilation, axis->size - 1);
}

// The oldest word that must still be held when a patch is read: this patch needs it, or the first patch of the next
// row.
static int64_t oldest(const struct itensor_lines *l, int64_t row, int64_t place) {
    const struct itensor_line_axis *rows = &l->axis[ROWS], *pixels = &l->axis[PIXELS];
    int64_t line = pixels->size * l->pixel, first = first_of(rows, row) * line + first_of(pixels, place) * l->pixel;
    return row + 1 < rows->places ? least(first, first_of(rows, row + 1) * line) : first;
}

// The number of words that have arrived when a patch is complete.
static int64_t arrived(const struct itensor_lines *l, int64_t row, int64_t place) {
    const struct itensor_line_axis *rows = &l->axis[ROWS], *pixels = &l->axis[PIXELS];
    return (last_of(rows, row) * pixels->size + last_of(pixels, place) + 1) * l->pixel;
}

static int64_t most_held(const struct itensor_lines *l) {
    int64_t words = 1;
    for (int64_t row = 0; row < l->axis[ROWS].places; row++)
        for (int64_t place = 0; place < l->axis[PIXELS].places; place++)
            words = most(words, arrived(l, row, place) - oldest(l, row, place));
    return words;
}

// Reads the loops of the reader: places, taps, then the elements of a pixel.
static bool read_loops(const struct ir_itensor *to, const int64_t extent[], int pixels, struct itensor_lines *lines) {
    const int dim[AXES] = {rows_before(to, extent, pixels), pixels};
    int at = 0;
    if (dim[ROWS] == pixels) return false;
    for (int a = 0; a < AXES; a++) {
        struct itensor_line_axis *axis = &lines->axis[a];
        axis_of(to, extent, dim[a], axis);
        if (!take_loop(to, dim[a] == IR_NONE ? IR_NONE : to->map[dim[a]], &at, &axis->places, &axis->stride))
            return false;
    }
    for (int a = 0; a < AXES; a++) {
        const struct ir_patch *patch = dim[a] == IR_NONE ? NULL : itensor_patch(to, dim[a]);
        struct itensor_line_axis *axis = &lines->axis[a];
        if (!patch && axis->places != axis->size) return false; // the tile covers several positions
        if (!take_loop(to, patch ? patch->tap : IR_NONE, &at, &axis->taps, &axis->dilation)) return false;
    }
    return walks_pixel(to, extent, pixels, at);
}

bool itensor_lines(const struct ir_itensor *to, const int64_t extent[], int64_t max_width,
                   struct itensor_lines *lines) {
    struct ir_itensor c = itensor_canonical(to);
    if (!c.patches) return false;
    int pixels = c.rank - 1; // try the last dimension as the one that counts pixels, then earlier ones
    while (!read_loops(&c, extent, pixels, lines))
        if (--pixels < c.patch[c.patches - 1].dim) return false;
    lines->pixel = 1;
    for (int d = pixels + 1; d < c.rank; d++) lines->pixel *= extent[d];
    lines->width = least(low_power(lines->pixel), max_width);
    lines->pixel /= lines->width;
    lines->buffer = most_held(lines);
    return true;
}
