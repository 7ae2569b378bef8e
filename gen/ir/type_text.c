// SPDX-License-Identifier: Apache-2.0
// The itensor type as text, in the paper's notation: itensor<1x8xf32, [16, tokens<=2]*[8, 1], (d0,d1)->(d1,d0)>.
#include "include/ir.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const dtype_names[IR_DTYPES] = {"f32", "mx", "acc", "kv", "scalar", "id", "i8"};

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

const char *ir_type_text(const struct ir *ir, const struct ir_itensor *type) {
    struct text t = {0};
    text_add(&t, "itensor<");
    for (int d = 0; d < type->rank; d++) text_addf(&t, "%lldx", (long long)type->element[d]);
    text_addf(&t, "%s, [", dtype_names[type->dtype]);
    for (int l = 0; l < type->loops; l++) text_addf(&t, "%s%s", l ? ", " : "", ir_extent_text(ir, &type->trip[l]));
    text_add(&t, "]*[");
    for (int l = 0; l < type->loops; l++) text_addf(&t, "%s%lld", l ? ", " : "", (long long)type->step[l]);
    text_add(&t, "], (");
    for (int l = 0; l < type->loops; l++) text_addf(&t, "%sd%d", l ? "," : "", l);
    text_add(&t, ")->(");
    for (int d = 0; d < type->rank; d++) {
        if (type->map[d] == IR_NONE) text_addf(&t, "%s0", d ? "," : "");
        else text_addf(&t, "%sd%d", d ? "," : "", type->map[d]);
    }
    text_add(&t, ")>");
    const char *copy = arena_strdup(ir->arena, text_cstr(&t));
    text_free(&t);
    return copy;
}

bool ir_type_equal(const struct ir_itensor *a, const struct ir_itensor *b) {
    if (a->dtype != b->dtype || a->rank != b->rank || a->loops != b->loops) return false;
    for (int d = 0; d < a->rank; d++)
        if (a->element[d] != b->element[d] || a->map[d] != b->map[d]) return false;
    for (int l = 0; l < a->loops; l++)
        if (a->trip[l].bound != b->trip[l].bound || a->trip[l].dynamic != b->trip[l].dynamic ||
            a->step[l] != b->step[l])
            return false;
    return true;
}

// ---- reading ----

static bool take(const char **s, const char *word) {
    size_t len = strlen(word);
    if (strncmp(*s, word, len) != 0) return false;
    *s += len;
    return true;
}

static bool take_number(const char **s, int64_t least, int64_t *v) {
    char *end;
    *v = strtoll(*s, &end, 10);
    bool ok = end > *s && !isspace((unsigned char)**s) && *v >= least && *v <= INT32_MAX;
    *s = end;
    return ok;
}

static bool take_extent(const char **s, struct ir_extent *e) {
    e->dynamic = take(s, "tokens<=") ? IR_TOKENS : take(s, "positions<=") ? IR_POSITIONS : IR_STATIC;
    return take_number(s, 0, &e->bound);
}

bool ir_extent_read(const char *text, struct ir_extent *e) { return take_extent(&text, e) && !*text; }

static bool take_element(const char **s, struct ir_itensor *t) {
    for (; isdigit((unsigned char)**s); t->rank++)
        if (t->rank == IR_MAX_RANK || !take_number(s, 1, &t->element[t->rank]) || !take(s, "x")) return false;
    for (int d = 0; d < IR_DTYPES; d++) {
        t->dtype = (enum ir_dtype)d;
        if (take(s, dtype_names[d])) return true;
    }
    return false;
}

static bool take_loops(const char **s, struct ir_itensor *t) {
    for (; **s != ']'; t->loops++)
        if (t->loops == IR_MAX_LOOPS || (t->loops && !take(s, ", ")) || !take_extent(s, &t->trip[t->loops]))
            return false;
    if (!take(s, "]*[")) return false;
    for (int l = 0; l < t->loops; l++)
        if ((l && !take(s, ", ")) || !take_number(s, INT32_MIN, &t->step[l])) return false;
    return take(s, "]");
}

static bool take_map(const char **s, struct ir_itensor *t) {
    int64_t v;
    for (int l = 0; l < t->loops; l++)
        if ((l && !take(s, ",")) || !take(s, "d") || !take_number(s, l, &v) || v != l) return false;
    if (!take(s, ")->(")) return false;
    for (int d = 0; d < t->rank; d++) {
        if (d && !take(s, ",")) return false;
        bool walked = take(s, "d");
        if (!take_number(s, 0, &v) || (walked ? v >= t->loops : v != 0)) return false;
        t->map[d] = walked ? (int)v : IR_NONE;
    }
    return true;
}

bool ir_type_read(const char *text, struct ir_itensor *t) {
    *t = (struct ir_itensor){0};
    return take(&text, "itensor<") && take_element(&text, t) && take(&text, ", [") && take_loops(&text, t) &&
           take(&text, ", (") && take_map(&text, t) && take(&text, ")>") && !*text;
}
