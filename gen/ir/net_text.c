// SPDX-License-Identifier: Apache-2.0
// Prints the connection of a port (struct ir_use) as Verilog text and reads it back: `status[31:16]`, `~ap_idle`,
// `{a, 4'd0}`, `a & b[1]`, `a + b`, `64'd0`. The emitter and dumps use this form.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "gen/ir/ir.h"

// The text between two parts of a use, by the kind of the use.
static const char *const between[] = {[IR_USE_JOINED] = ", ", [IR_USE_AND] = " & ", [IR_USE_SUM] = " + "};

// ---- printing ----

static void print_constant(int64_t bits, uint64_t value, struct text *out) {
    text_addf(out, "%lld'%c%llu", (long long)bits, bits == 1 ? 'b' : 'd', (unsigned long long)value);
}

static void print_part(const struct ir *ir, const struct ir_part *part, struct text *out) {
    if (part->net == IR_NONE) {
        print_constant(part->width, 0, out);
        return;
    }
    text_addf(out, "%s%s", part->inverted ? "~" : "", ir->net[part->net].name);
    if (part->width == 1) text_addf(out, "[%lld]", (long long)part->low);
    if (part->width > 1) text_addf(out, "[%lld:%lld]", (long long)(part->low + part->width - 1), (long long)part->low);
}

static void print_parts(const struct ir *ir, const struct ir_use *use, struct text *out) {
    if (use->kind == IR_USE_JOINED) text_add(out, "{");
    for (int p = 0; p < use->parts; p++) {
        if (p) text_add(out, between[use->kind]);
        print_part(ir, &use->part[p], out);
    }
    if (use->kind == IR_USE_JOINED) text_add(out, "}");
}

const char *ir_use_print(const struct ir *ir, const struct ir_use *use) {
    struct text out = {0};
    if (use->kind == IR_USE_CONSTANT) print_constant(use->bits, use->value, &out);
    else print_parts(ir, use, &out);
    const char *copy = arena_strdup(ir->arena, text_cstr(&out));
    text_free(&out);
    return copy;
}

// ---- reading back ----

// Returns the net with this name. Adds it if it does not exist.
static int net_named(struct ir *ir, const char *name) {
    for (int n = 0; n < ir->nets; n++)
        if (!strcmp(ir->net[n].name, name)) return n;
    return ir_add_net(ir, name);
}

// The functions from read_number to read_part read one piece of the text at *p and move *p past it. They return false
// if the text has another form.

// Reads a decimal number. Numbers above INT32_MAX are refused, so ir_use_read cannot read a larger constant, although
// ir_use_print can print it.
static bool read_number(const char **p, int64_t *value) {
    char *end;
    if (!isdigit((unsigned char)**p)) return false;
    *value = strtoll(*p, &end, 10);
    *p = end;
    return *value <= INT32_MAX;
}

// Reads a range of bits: `[3]` or `[31:16]`.
static bool read_bits(const char **p, struct ir_part *part) {
    int64_t high;
    ++*p;
    if (!read_number(p, &high)) return false;
    part->low = high;
    if (**p == ':' && (++*p, !read_number(p, &part->low))) return false;
    part->width = high - part->low + 1;
    return part->width > 0 && *(*p)++ == ']';
}

// Reads a constant: `1'b0` or `64'd5`.
static bool read_bits_and_value(const char **p, int64_t *bits, int64_t *value) {
    if (!read_number(p, bits) || *bits < 1 || (*p)[0] != '\'' || (*p)[1] != (*bits == 1 ? 'b' : 'd')) return false;
    *p += 2;
    return read_number(p, value);
}

static bool read_zeros(const char **p, struct ir_part *part) {
    int64_t value;
    part->net = IR_NONE;
    return read_bits_and_value(p, &part->width, &value) && value == 0;
}

// Reads a part: `a`, `~a`, `a[3]`, `a[31:16]`, or the zeros `4'd0`.
static bool read_part(struct ir *ir, const char **p, struct ir_part *part) {
    *part = (struct ir_part){.inverted = **p == '~'};
    *p += part->inverted;
    const char *name = *p;
    if (isdigit((unsigned char)*name)) return !part->inverted && read_zeros(p, part);
    while (isalnum((unsigned char)**p) || **p == '_') ++*p;
    if (*p == name) return false;
    part->net = net_named(ir, arena_strndup(ir->arena, name, (size_t)(*p - name)));
    return **p != '[' || read_bits(p, part);
}

// Returns the kind of a use from its text. The use is not a constant.
static enum ir_use_kind kind_of(const char *text) {
    if (*text == '{') return IR_USE_JOINED;
    return strstr(text, between[IR_USE_AND])   ? IR_USE_AND
           : strstr(text, between[IR_USE_SUM]) ? IR_USE_SUM
                                               : IR_USE_PART;
}

// Reads a use with one part or with several: `a`, `{a, b}`, `a & b`, `a + b`. The text must end there.
static bool read_parts(struct ir *ir, const char *text, struct ir_use *use) {
    enum ir_use_kind kind = kind_of(text);
    struct ir_part *part = ARENA_ARRAY(ir->arena, struct ir_part, strlen(text));
    *use = (struct ir_use){.kind = kind, .part = part};
    text += kind == IR_USE_JOINED;
    while (read_part(ir, &text, &part[use->parts])) {
        use->parts++;
        if (!*text) return kind != IR_USE_JOINED;
        if (kind == IR_USE_JOINED && *text == '}') return !text[1];
        if (kind == IR_USE_PART || strncmp(text, between[kind], strlen(between[kind])) != 0) return false;
        text += strlen(between[kind]);
    }
    return false;
}

static bool read_constant(const char *text, struct ir_use *use) {
    int64_t bits, value;
    if (!read_bits_and_value(&text, &bits, &value) || *text) return false;
    *use = ir_use_constant(bits, (uint64_t)value);
    return true;
}

bool ir_use_read(struct ir *ir, const char *text, struct ir_use *use) {
    *use = (struct ir_use){.kind = IR_USE_OPEN};
    if (!*text) return true;
    return isdigit((unsigned char)*text) ? read_constant(text, use) : read_parts(ir, text, use);
}
