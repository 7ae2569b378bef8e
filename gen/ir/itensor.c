// SPDX-License-Identifier: Apache-2.0
// Iterative tensor types: canonical form, sizes, converters (gen/ir/itensor.h).
#include "gen/ir/itensor.h"

#include <string.h>

// ---- properties ----

static int dim_of(const struct ir_itensor *type, int loop) {
    for (int d = 0; d < type->rank; d++)
        if (type->map[d] == loop) return d;
    return IR_NONE;
}

bool itensor_is_valid(const struct ir_itensor *type) {
    bool walked[IR_MAX_LOOPS] = {false};
    if (type->rank < 1 || type->rank > IR_MAX_RANK || type->loops < 0 || type->loops > IR_MAX_LOOPS) return false;
    for (int l = 0; l < type->loops; l++)
        if (type->trip[l].bound < 1) return false;
    for (int d = 0; d < type->rank; d++) {
        int l = type->map[d];
        if (type->element[d] < 1 || l < IR_NONE || l >= type->loops) return false;
        if (l == IR_NONE) continue;
        if (walked[l] || type->step[l] != type->element[d]) return false;
        walked[l] = true;
    }
    return true;
}

static bool is_static(const struct ir_extent *e) { return e->dynamic == IR_STATIC; }

static void drop_loop(struct ir_itensor *type, int loop) {
    for (int d = 0; d < type->rank; d++) {
        if (type->map[d] == loop) type->map[d] = IR_NONE;
        else if (type->map[d] > loop) type->map[d]--;
    }
    type->loops--;
    for (int l = loop; l < type->loops; l++) {
        type->trip[l] = type->trip[l + 1];
        type->step[l] = type->step[l + 1];
    }
}

struct ir_itensor itensor_canonical(const struct ir_itensor *type) {
    struct ir_itensor c = *type;
    for (int l = c.loops - 1; l >= 0; l--)
        if (is_static(&c.trip[l]) && c.trip[l].bound == 1) drop_loop(&c, l);
    for (int l = c.loops - 2; l >= 0; l--) {
        bool repeats = dim_of(&c, l) == IR_NONE && dim_of(&c, l + 1) == IR_NONE;
        if (!repeats || !is_static(&c.trip[l]) || !is_static(&c.trip[l + 1])) continue;
        c.trip[l].bound *= c.trip[l + 1].bound;
        drop_loop(&c, l + 1);
    }
    for (int l = 0; l < c.loops; l++)
        if (dim_of(&c, l) == IR_NONE) c.step[l] = 1;
    return c;
}

bool itensor_equal(const struct ir_itensor *a, const struct ir_itensor *b) {
    struct ir_itensor x = itensor_canonical(a), y = itensor_canonical(b);
    if (x.dtype != y.dtype || x.rank != y.rank || x.loops != y.loops) return false;
    for (int d = 0; d < x.rank; d++)
        if (x.element[d] != y.element[d] || x.map[d] != y.map[d]) return false;
    for (int l = 0; l < x.loops; l++)
        if (x.trip[l].bound != y.trip[l].bound || x.trip[l].dynamic != y.trip[l].dynamic || x.step[l] != y.step[l])
            return false;
    return true;
}

int64_t itensor_extent(const struct ir_itensor *type, int dim) {
    int l = type->map[dim];
    return l == IR_NONE ? type->element[dim] : type->trip[l].bound * type->step[l];
}

int64_t itensor_tile(const struct ir_itensor *type) {
    int64_t elements = 1;
    for (int d = 0; d < type->rank; d++) elements *= type->element[d];
    return elements;
}

// ---- Algorithm 1 ----

static bool same_extent(const struct ir_itensor *a, const struct ir_itensor *b, int d) {
    enum ir_dynamic da = a->map[d] == IR_NONE ? IR_STATIC : a->trip[a->map[d]].dynamic;
    enum ir_dynamic db = b->map[d] == IR_NONE ? IR_STATIC : b->trip[b->map[d]].dynamic;
    return da == db && itensor_extent(a, d) == itensor_extent(b, d);
}

static bool is_reducible(const struct ir_itensor *a, const struct ir_itensor *b, int d) {
    int p = a->map[d];
    if (a->element[d] != b->element[d] || p != b->map[d]) return false;
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
