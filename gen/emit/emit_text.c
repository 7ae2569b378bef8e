// SPDX-License-Identifier: Apache-2.0
// Formats the emitted Verilog: ranges and slices of nets, comments beside code, and line breaks.
#include <string.h>

#include "gen/emit/emit.h"

// EMIT_COLUMNS: longest line. EMIT_COMMENTS: column of a comment after code. CONTINUED: extra indent of a broken line.
enum { EMIT_COLUMNS = 120, EMIT_COMMENTS = 44, CONTINUED = 4 };

const char *emit_range(const struct ir *ir, int64_t bits) {
    return bits == 1 ? "" : arena_printf(ir->arena, "[%lld:0] ", (long long)bits - 1);
}

const char *emit_open(int names) { return names == 1 ? "" : "{"; }
const char *emit_close(int names) { return names == 1 ? "" : "}"; }

const char *emit_bit(const struct ir *ir, int64_t bits, int64_t index) {
    return bits == 1 ? "" : arena_printf(ir->arena, "[%lld]", (long long)index);
}

const char *emit_slice(const struct ir *ir, const char *net, int64_t bits, int64_t first, int64_t width) {
    if (width == bits) return net;
    if (width == 1) return arena_printf(ir->arena, "%s[%lld]", net, (long long)first);
    return arena_printf(ir->arena, "%s[%lld:%lld]", net, (long long)(first + width - 1), (long long)first);
}

static size_t indent_of(const char *line, size_t len) {
    size_t n = 0;
    while (n < len && line[n] == ' ') n++;
    return n;
}

// Returns whether a line may be broken at column `at`. This must be a space: in a comment any space, in code a space
// after a comma, after a plus or between two declarations.
static bool may_break(const char *line, size_t at, bool comment) {
    bool between = at > 0 && line[at - 1] == ';' && line[at + 1] != '/';
    return line[at] == ' ' && at > 0 && (comment || line[at - 1] == ',' || line[at - 1] == '+' || between);
}

// Returns whether column `at` is the space after the `=` of an assignment, where a line without a comma may be broken.
static bool is_assigned(const char *line, size_t at) { return line[at] == ' ' && at > 0 && line[at - 1] == '='; }

// Adds a line and breaks it where it would exceed EMIT_COLUMNS. A part of the line without a place for a break stays
// long. cut: the last column so far at which may_break allows a break. equal: the last column so far after an `=`,
// where the line is broken if `cut` offers no place.
static void add_line(const char *line, size_t len, struct text *out) {
    size_t indent = indent_of(line, len), cut = 0, equal = 0, start = 0, first = indent, column = 0;
    bool comment = len >= indent + 2 && !strncmp(line + indent, "//", 2);
    bool item = len >= indent + 5 && !strncmp(line + indent, "//   ", 5); // an item of a list; it continues indented
    const char *next = !comment ? "" : item ? "//       " : "//   ";
    if (comment) first += item ? 5 : 3; // a comment is never broken directly after `//`
    for (size_t i = 0; i < len; i++) {
        if (i > first && may_break(line, i, comment)) cut = i;
        if (i > first && is_assigned(line, i)) equal = i;
        if (++column <= EMIT_COLUMNS) continue;
        if (cut <= start) cut = equal;
        if (cut <= start) continue;
        text_add_bytes(out, line + start, cut - start);
        text_addf(out, "\n%*s%s", (int)indent + (comment ? 0 : CONTINUED), "", next);
        start = cut + 1;
        column = i - cut + indent + (comment ? strlen(next) : CONTINUED);
    }
    text_add_bytes(out, line + start, len - start);
}

void emit_commented(const char *code, const char *comment, struct text *out) {
    size_t len = strlen(code), column = len > EMIT_COMMENTS ? len : EMIT_COMMENTS;
    if (!comment || !*comment) text_addf(out, "%s\n", code);
    else if (column + strlen(comment) + 4 <= EMIT_COLUMNS) text_addf(out, "%-*s // %s\n", (int)column, code, comment);
    else text_addf(out, "%*s// %s\n%s\n", (int)indent_of(code, len), "", comment, code);
}

void emit_wrapped(const struct text *in, struct text *out) {
    for (size_t start = 0; start < in->len;) {
        const char *end = memchr(in->data + start, '\n', in->len - start);
        size_t len = end ? (size_t)(end - in->data) - start : in->len - start;
        add_line(in->data + start, len, out);
        if (end) text_add(out, "\n");
        start += len + 1;
    }
}
