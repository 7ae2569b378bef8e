// SPDX-License-Identifier: Apache-2.0
// Iterative tensor types: validity, canonical form, sizes, and the buffer of a converter between two types
// (gen/ir/itensor.h). itensor_walk.c and itensor_lines.c derive the hardware from the types.
#include "gen/ir/itensor.h"

#include <string.h>

// ---- properties ----

// Returns the dimension that a loop walks, over places or over taps; IR_NONE if the loop only reads data again.
static int dim_of(const struct ir_itensor *type, int loop) {
    for (int d = 0; d < type->rank; d++)
        if (type->map[d] == loop) return d;
    for (int p = 0; p < type->patches; p++)
        if (type->patch[p].tap == loop) return type->patch[p].dim;
    return IR_NONE;
}

const struct ir_patch *itensor_patch(const struct ir_itensor *type, int dim) {
    for (int p = 0; p < type->patches; p++)
        if (type->patch[p].dim == dim) return &type->patch[p];
    return NULL;
}

// Marks the loop as used by a dimension. Returns false if the loop does not exist, or if a dimension or tap uses it
// already. IR_NONE, no loop, is always valid.
static bool walks(const struct ir_itensor *type, int loop, bool walked[]) {
    if (loop < IR_NONE || loop >= type->loops || (loop != IR_NONE && walked[loop])) return false;
    if (loop != IR_NONE) walked[loop] = true;
    return true;
}

// Checks the patches: they must be in the order of their dimensions, begin at or before the data, and have data. The
// tile must have one element along their dimensions, and no other dimension or tap may use the loop of a tap.
static bool patches_are_valid(const struct ir_itensor *type, bool walked[]) {
    if (type->patches < 0 || type->patches > IR_MAX_PATCHES) return false;
    for (int p = 0; p < type->patches; p++) {
        const struct ir_patch *patch = &type->patch[p];
        if (patch->dim < (p ? type->patch[p - 1].dim + 1 : 0) || patch->dim >= type->rank) return false;
        if (patch->before < 0 || patch->extent < 1 || type->element[patch->dim] != 1) return false;
        if (!walks(type, patch->tap, walked)) return false;
    }
    return true;
}

bool itensor_is_valid(const struct ir_itensor *type) {
    bool walked[IR_MAX_LOOPS] = {false};
    if (type->rank < 1 || type->rank > IR_MAX_RANK || type->loops < 0 || type->loops > IR_MAX_LOOPS) return false;
    for (int l = 0; l < type->loops; l++)
        if (type->trip[l].bound < 1 || type->step[l] < 1) return false;
    for (int d = 0; d < type->rank; d++) {
        int l = type->map[d];
        if (type->element[d] < 1 || !walks(type, l, walked)) return false;
        if (l != IR_NONE && !itensor_patch(type, d) && type->step[l] != type->element[d]) return false;
    }
    return patches_are_valid(type, walked);
}

static bool is_static(const struct ir_extent *e) { return e->dynamic == IR_STATIC; }

// Adjusts the number of a loop after the removal of `loop`: loops inside it have moved by one, and the number of the
// removed loop becomes IR_NONE.
static void drop_number(int *number, int loop) {
    if (*number == loop) *number = IR_NONE;
    else if (*number > loop) (*number)--;
}

// Removes a loop and renumbers the loops inside it.
static void drop_loop(struct ir_itensor *type, int loop) {
    for (int d = 0; d < type->rank; d++) drop_number(&type->map[d], loop);
    for (int p = 0; p < type->patches; p++) drop_number(&type->patch[p].tap, loop);
    type->loops--;
    for (int l = loop; l < type->loops; l++) {
        type->trip[l] = type->trip[l + 1];
        type->step[l] = type->step[l + 1];
    }
}

// Returns whether the patches of a dimension make no difference, because every element is walked once, in order.
static bool is_plain(const struct ir_itensor *type, const struct ir_patch *patch) {
    int place = type->map[patch->dim];
    if (patch->tap != IR_NONE || patch->before) return false;
    return place == IR_NONE ? patch->extent == 1 : type->step[place] == 1 && type->trip[place].bound == patch->extent;
}

static void drop_plain_patches(struct ir_itensor *type) {
    int kept = 0;
    for (int p = 0; p < type->patches; p++)
        if (!is_plain(type, &type->patch[p])) type->patch[kept++] = type->patch[p];
    type->patches = kept;
}

struct ir_itensor itensor_canonical(const struct ir_itensor *type) {
    struct ir_itensor c = *type;
    for (int l = c.loops - 1; l >= 0; l--)
        if (is_static(&c.trip[l]) && c.trip[l].bound == 1) drop_loop(&c, l);
    drop_plain_patches(&c);
    for (int l = c.loops - 2; l >= 0; l--) { // merges adjacent loops that only read data again
        bool repeats = dim_of(&c, l) == IR_NONE && dim_of(&c, l + 1) == IR_NONE;
        if (!repeats || !is_static(&c.trip[l]) || !is_static(&c.trip[l + 1])) continue;
        c.trip[l].bound *= c.trip[l + 1].bound;
        drop_loop(&c, l + 1);
    }
    for (int l = 0; l < c.loops; l++)
        if (dim_of(&c, l) == IR_NONE) c.step[l] = 1;
    return c;
}

bool itensor_repeats(const struct ir_itensor *type) {
    for (int l = 0; l < type->loops; l++) {
        bool walks = type->trip[l].bound == 1;
        for (int d = 0; d < type->rank; d++) walks |= type->map[d] == l;
        for (int p = 0; p < type->patches; p++) walks |= type->patch[p].tap == l;
        if (!walks) return true;
    }
    return false;
}

bool itensor_same_patches(const struct ir_itensor *a, const struct ir_itensor *b) {
    if (a->patches != b->patches) return false;
    for (int p = 0; p < a->patches; p++) {
        const struct ir_patch *x = &a->patch[p], *y = &b->patch[p];
        if (x->dim != y->dim || x->tap != y->tap || x->before != y->before || x->extent != y->extent ||
            x->pad != y->pad)
            return false;
    }
    return true;
}

bool itensor_equal(const struct ir_itensor *a, const struct ir_itensor *b) {
    struct ir_itensor x = itensor_canonical(a), y = itensor_canonical(b);
    if (x.dtype != y.dtype || x.rank != y.rank || x.loops != y.loops || !itensor_same_patches(&x, &y)) return false;
    for (int d = 0; d < x.rank; d++)
        if (x.element[d] != y.element[d] || x.map[d] != y.map[d]) return false;
    for (int l = 0; l < x.loops; l++)
        if (x.trip[l].bound != y.trip[l].bound || x.trip[l].dynamic != y.trip[l].dynamic || x.step[l] != y.step[l])
            return false;
    return true;
}

int64_t itensor_extent(const struct ir_itensor *type, int dim) {
    const struct ir_patch *patch = itensor_patch(type, dim);
    int l = type->map[dim];
    if (patch) return patch->extent;
    return l == IR_NONE ? type->element[dim] : type->trip[l].bound * type->step[l];
}

int64_t itensor_tile(const struct ir_itensor *type) {
    int64_t elements = 1;
    for (int d = 0; d < type->rank; d++) elements *= type->element[d];
    return elements;
}

// ---- Algorithm 1 of the StreamTensor paper: the buffer of a converter ----

// Returns whether dimension d has the same extent in both types, and is static in both or grows with the same run-time
// quantity.
static bool same_extent(const struct ir_itensor *a, const struct ir_itensor *b, int d) {
    enum ir_dynamic da = a->map[d] == IR_NONE ? IR_STATIC : a->trip[a->map[d]].dynamic;
    enum ir_dynamic db = b->map[d] == IR_NONE ? IR_STATIC : b->trip[b->map[d]].dynamic;
    return da == db && itensor_extent(a, d) == itensor_extent(b, d);
}

// Returns whether both types have the same tile along dimension d and walk it with the same loop, trips and step. Such
// a dimension need not be stored as a whole. A dimension with patches is not reducible.
static bool is_reducible(const struct ir_itensor *a, const struct ir_itensor *b, int d) {
    int p = a->map[d];
    if (a->element[d] != b->element[d] || p != b->map[d] || itensor_patch(a, d) || itensor_patch(b, d)) return false;
    return p == IR_NONE || (a->trip[p].bound == b->trip[p].bound && a->trip[p].dynamic == b->trip[p].dynamic &&
                            a->step[p] == b->step[p]);
}

bool itensor_converter(const struct ir_itensor *from, const struct ir_itensor *to, struct itensor_buffer *buffer) {
    *buffer = (struct itensor_buffer){.elements = 1};
    if (from->dtype != to->dtype || from->rank != to->rank) return false;
    struct ir_itensor a = itensor_canonical(from), b = itensor_canonical(to);
    for (int d = 0; d < a.rank; d++) {
        if (!same_extent(&a, &b, d)) return false;
        buffer->reducible[d] = is_reducible(&a, &b, d);
    }
    while (buffer->shared < a.loops && buffer->shared < b.loops) {
        int d = dim_of(&a, buffer->shared);
        if (d == IR_NONE || !buffer->reducible[d]) break;
        buffer->shared++;
    }
    for (int d = 0; d < a.rank; d++) {
        bool outside = buffer->reducible[d] && a.map[d] != IR_NONE && a.map[d] < buffer->shared;
        buffer->shape[d] = outside ? a.element[d] : itensor_extent(&a, d);
        buffer->elements *= buffer->shape[d];
    }
    buffer->needed = !itensor_equal(&a, &b);
    return true;
}
