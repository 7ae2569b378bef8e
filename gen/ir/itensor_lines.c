// SPDX-License-Identifier: Apache-2.0
// Derives the parameters of the line buffer, which turns a stream in row-major order into one of patches
// (struct itensor_lines in gen/ir/itensor.h), from the type of its reader.
#include "gen/ir/itensor.h"

#include <stddef.h>

enum { ROWS, PIXELS, AXES };

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
// Returns the largest power of two that divides n.
static int64_t low_power(int64_t n) { return n & -n; }

// ---- the reader's loops ----

// Takes `loop` if it is the reader's next loop, number *at: sets *trips and *step and advances *at. IR_NONE, no loop,
// counts as one trip. Returns false if another loop is next, or if the number of trips is not static.
static bool take_loop(const struct ir_itensor *type, int loop, int *at, int64_t *trips, int64_t *step) {
    *trips = 1, *step = 1;
    if (loop == IR_NONE) return true;
    if (loop != *at || type->trip[loop].dynamic != IR_STATIC) return false;
    *trips = type->trip[loop].bound;
    *step = type->step[loop];
    (*at)++;
    return true;
}

// Sets the size of an axis and how far patches reach before it. dim: the dimension of this axis; IR_NONE: none, so the
// axis has one position.
static void axis_of(const struct ir_itensor *to, const int64_t extent[], int dim, struct itensor_line_axis *axis) {
    const struct ir_patch *patch = dim == IR_NONE ? NULL : itensor_patch(to, dim);
    *axis = (struct itensor_line_axis){.size = dim == IR_NONE ? 1 : extent[dim], .before = patch ? patch->before : 0};
}

// Returns the dimension that counts rows, if dimension `pixels` counts the pixels of a row and later dimensions are the
// elements of a pixel. It is the only dimension before `pixels` with several elements or with patches. Returns IR_NONE
// if there is none, so the data have one row. Returns `pixels` if there are several, so the data are not rows of
// pixels.
static int rows_before(const struct ir_itensor *to, const int64_t extent[], int pixels) {
    int rows = IR_NONE;
    for (int d = 0; d < pixels; d++) {
        if (extent[d] == 1 && !itensor_patch(to, d)) continue;
        if (rows != IR_NONE) return pixels;
        rows = d;
    }
    return rows;
}

// Returns whether the loops from number `at` on walk the elements of a pixel, the dimensions after `dim`, in row-major
// order and nothing else.
static bool walks_pixel(const struct ir_itensor *to, const int64_t extent[], int dim, int at) {
    for (int d = dim + 1; d < to->rank; d++) {
        int64_t trips, step;
        if (!take_loop(to, to->map[d], &at, &trips, &step) || trips * to->element[d] != extent[d]) return false;
        if (d < to->rank - 1 && to->element[d] != 1 && to->element[d + 1] != extent[d + 1]) return false;
    }
    return at == to->loops;
}

// ---- the buffer ----

// first_of and last_of return the first and the last position inside the data that the patch at `place` needs.
static int64_t first_of(const struct itensor_line_axis *axis, int64_t place) {
    return most(place * axis->stride - axis->before, 0);
}

static int64_t last_of(const struct itensor_line_axis *axis, int64_t place) {
    return least(place * axis->stride - axis->before + (axis->taps - 1) * axis->dilation, axis->size - 1);
}

// Returns the number of the oldest word, from 0, that the buffer must still hold when it sends this patch. It is the
// first word that this patch or the first patch of the next row needs.
static int64_t oldest(const struct itensor_lines *l, int64_t row, int64_t place) {
    const struct itensor_line_axis *rows = &l->axis[ROWS], *pixels = &l->axis[PIXELS];
    int64_t line = pixels->size * l->pixel, first = first_of(rows, row) * line + first_of(pixels, place) * l->pixel;
    return row + 1 < rows->places ? least(first, first_of(rows, row + 1) * line) : first;
}

// Returns the number of words that have arrived when all words of this patch are in the buffer.
static int64_t arrived(const struct itensor_lines *l, int64_t row, int64_t place) {
    const struct itensor_line_axis *rows = &l->axis[ROWS], *pixels = &l->axis[PIXELS];
    return (last_of(rows, row) * pixels->size + last_of(pixels, place) + 1) * l->pixel;
}

// Returns the largest number of words that the buffer holds while it sends all patches.
static int64_t most_held(const struct itensor_lines *l) {
    int64_t words = 1;
    for (int64_t row = 0; row < l->axis[ROWS].places; row++)
        for (int64_t place = 0; place < l->axis[PIXELS].places; place++)
            words = most(words, arrived(l, row, place) - oldest(l, row, place));
    return words;
}

// Sets both axes from the reader's loops. Returns false if these are not the places, the taps, then the elements of a
// pixel, with `pixels` as the dimension that counts pixels.
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
