// SPDX-License-Identifier: Apache-2.0
// Reads an itensor type (itensor.h) from the text that type_text.c prints: itensor<1x8xf32, [16, tokens<=2]*[8, 1],
// (d0,d1)->(d1,d0)>. Its parts are the shape and the dtype of a tile (1x8, f32), the trip counts of the loops
// (outermost first), their steps in elements, the list of the loops, and for each dimension the loop that walks it.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "gen/ir/ir_text.h"
#include "gen/ir/ir.h"

// Each function below takes one piece of the text and moves *s past it. It returns false if the text does not begin
// with such a piece.

// Takes a fixed word.
static bool take(const char **s, const char *word) {
    size_t len = strlen(word);
    if (strncmp(*s, word, len) != 0) return false;
    *s += len;
    return true;
}

// Takes a decimal number from `least` to 2^31 - 1.
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

// Takes the tile and the dtype: `1x8xf32`.
static bool take_element(const char **s, struct ir_itensor *t) {
    for (; isdigit((unsigned char)**s); t->rank++)
        if (t->rank == IR_MAX_RANK || !take_number(s, 1, &t->element[t->rank]) || !take(s, "x")) return false;
    for (int d = 0; d < IR_DTYPES; d++) {
        t->dtype = (enum ir_dtype)d;
        if (take(s, ir_type_words[d])) return true;
    }
    return false;
}

// Takes the trip counts and the steps of the loops: `16, tokens<=2]*[8, 1]`.
static bool take_loops(const char **s, struct ir_itensor *t) {
    for (; **s != ']'; t->loops++)
        if (t->loops == IR_MAX_LOOPS || (t->loops && !take(s, ", ")) || !take_extent(s, &t->trip[t->loops]))
            return false;
    if (!take(s, "]*[")) return false;
    for (int l = 0; l < t->loops; l++)
        if ((l && !take(s, ", ")) || !take_number(s, INT32_MIN, &t->step[l])) return false;
    return take(s, "]");
}

static bool take_loop(const char **s, const struct ir_itensor *t, int *loop) {
    int64_t v;
    if (!take_number(s, 0, &v) || v >= t->loops) return false;
    *loop = (int)v;
    return true;
}

static bool take_bits(const char **s, uint32_t *bits) {
    char *end;
    unsigned long long v = strtoull(*s, &end, 10);
    if (!isdigit((unsigned char)**s) || v > UINT32_MAX) return false;
    *bits = (uint32_t)v;
    *s = end;
    return true;
}

// Takes the part of a dimension's text that describes its patches, such as `+d2-1<28:5`: the loop over taps (d2), the
// elements before the data (1), the extent of the data (28), and the bits of the pad value (5). All but the extent may
// be absent. Returns true without taking anything if the dimension has no patches.
static bool take_patch(const char **s, struct ir_itensor *t, int d) {
    struct ir_patch patch = {.dim = d, .tap = IR_NONE};
    if (!strchr("+-<", **s) || !**s) return true;
    if (t->patches == IR_MAX_PATCHES) return false;
    if (take(s, "+d") && !take_loop(s, t, &patch.tap)) return false;
    if (take(s, "-") && !take_number(s, 1, &patch.before)) return false;
    if (!take(s, "<") || !take_number(s, 1, &patch.extent)) return false;
    if (take(s, ":") && !take_bits(s, &patch.pad)) return false;
    t->patch[t->patches++] = patch;
    return true;
}

// Takes the list of all loops in order, `d0,d1,...`, then `)->(`, then the loop that walks each dimension, or `0` if no
// loop does.
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
        if (!take_patch(s, t, d)) return false;
    }
    return true;
}

bool ir_type_read(const char *text, struct ir_itensor *t) {
    *t = (struct ir_itensor){0};
    return take(&text, "itensor<") && take_element(&text, t) && take(&text, ", [") && take_loops(&text, t) &&
           take(&text, ", (") && take_map(&text, t) && take(&text, ")>") && !*text;
}
