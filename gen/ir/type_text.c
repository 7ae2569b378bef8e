// SPDX-License-Identifier: Apache-2.0
// Prints itensor types in the notation of the StreamTensor paper, for dumps and messages, and the names of ports:
// itensor<1x8xf32, [16, tokens<=2]*[8, 1], (d0,d1)->(d1,d0)> is a tile of 1 x 8 elements, the trips and the steps of
// the loops, and the loop that walks each dimension. type_read.c reads types back.
#include "gen/ir/ir_text.h"
#include "gen/ir/ir.h"

#include <string.h>

const char *const ir_type_words[IR_DTYPES] = {"f32", "mx", "acc", "kv", "scalar", "id", "i8"};

const char *ir_extent_text(const struct ir *ir, const struct ir_extent *e) {
    const char *bound = e->dynamic == IR_TOKENS ? "tokens<=" : e->dynamic == IR_POSITIONS ? "positions<=" : "";
    return arena_printf(ir->arena, "%s%lld", bound, (long long)e->bound);
}

const char *ir_port_text(const struct ir *ir, int kernel, int port) {
    const struct ir_kernel *k = &ir->kernel[kernel];
    const struct ir_port *p = &k->port[port];
    const char *name = *p->name ? arena_printf(ir->arena, "%s.%s", k->name, p->name) : k->name;
    return p->index == IR_NONE ? name : arena_printf(ir->arena, "%s.%d", name, p->index);
}

// Adds the text of a dimension. Without patches it is the loop that walks the dimension, `d0`, or `0` if none does.
// With patches it is, for example, `d0+d2-1<28:5`: the loop over places (d0), the loop over taps (d2), the elements by
// which the first patch begins before the data (1), the extent of the data (28), and the bits of elements outside the
// data as a decimal number (5). Parts that are 0 or absent are left out, except the extent.
static void add_dimension(struct text *t, const struct ir_itensor *type, int d) {
    const struct ir_patch *patch = itensor_patch(type, d);
    if (type->map[d] == IR_NONE) text_add(t, "0");
    else text_addf(t, "d%d", type->map[d]);
    if (!patch) return;
    if (patch->tap != IR_NONE) text_addf(t, "+d%d", patch->tap);
    if (patch->before) text_addf(t, "-%lld", (long long)patch->before);
    text_addf(t, "<%lld", (long long)patch->extent);
    if (patch->pad) text_addf(t, ":%lld", (long long)patch->pad);
}

const char *ir_type_text(const struct ir *ir, const struct ir_itensor *type) {
    struct text t = {0};
    text_add(&t, "itensor<");
    for (int d = 0; d < type->rank; d++) text_addf(&t, "%lldx", (long long)type->element[d]);
    text_addf(&t, "%s, [", ir_type_words[type->dtype]);
    for (int l = 0; l < type->loops; l++) text_addf(&t, "%s%s", l ? ", " : "", ir_extent_text(ir, &type->trip[l]));
    text_add(&t, "]*[");
    for (int l = 0; l < type->loops; l++) text_addf(&t, "%s%lld", l ? ", " : "", (long long)type->step[l]);
    text_add(&t, "], (");
    for (int l = 0; l < type->loops; l++) text_addf(&t, "%sd%d", l ? "," : "", l);
    text_add(&t, ")->(");
    for (int d = 0; d < type->rank; d++) {
        if (d) text_add(&t, ",");
        add_dimension(&t, type, d);
    }
    text_add(&t, ")>");
    const char *copy = arena_strdup(ir->arena, text_cstr(&t));
    text_free(&t);
    return copy;
}

bool ir_type_equal(const struct ir_itensor *a, const struct ir_itensor *b) {
    if (a->dtype != b->dtype || a->rank != b->rank || a->loops != b->loops || !itensor_same_patches(a, b)) return false;
    for (int d = 0; d < a->rank; d++)
        if (a->element[d] != b->element[d] || a->map[d] != b->map[d]) return false;
    for (int l = 0; l < a->loops; l++)
        if (a->trip[l].bound != b->trip[l].bound || a->trip[l].dynamic != b->trip[l].dynamic ||
            a->step[l] != b->step[l])
            return false;
    return true;
}
