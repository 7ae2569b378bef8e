// SPDX-License-Identifier: Apache-2.0
// Evaluates expressions by precedence climbing directly on the text, without building a tree. After a failure, `ok` is
// false and all values are meaningless.
#include "gen/base/expression.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NESTING = 64 }; // an expression that is nested more deeply is an error

struct parser {
    struct arena *arena;
    const char *text, *p; // the whole expression, and the next character to read
    expression_lookup *lookup;
    void *context;
    struct expression_error *error;
    int depth, unread; // depth: nesting at p; unread: number of branches of `?:` around p that are not taken
    bool ok;
};

// Notes a failure at p, unless an earlier one was noted: later failures are consequences of the first. Returns 0.
static int64_t fail(struct parser *e, const char *why) {
    if (e->ok) *e->error = (struct expression_error){why, NULL, (size_t)(e->p - e->text)};
    e->ok = false;
    return 0;
}

static void skip(struct parser *e) {
    while (isspace((unsigned char)*e->p)) e->p++;
}

// Skips blanks and, if `word` follows, also this word. Returns whether it follows.
static bool take(struct parser *e, const char *word) {
    skip(e);
    size_t len = strlen(word);
    if (strncmp(e->p, word, len) != 0) return false;
    e->p += len;
    return true;
}

static int64_t conditional(struct parser *);

static int digit_of(int c) { return isdigit(c) ? c - '0' : isalpha(c) ? tolower(c) - 'a' + 10 : 99; }

// Reads digits of a base up to the end of the word. `_` is ignored.
static int64_t digits(struct parser *e, int base) {
    int64_t v = 0;
    bool any = false;
    for (; isalnum((unsigned char)*e->p) || *e->p == '_'; e->p++) {
        if (*e->p == '_') continue;
        int d = digit_of((unsigned char)*e->p);
        if (d >= base) return fail(e, "no digit of a number");
        if (__builtin_mul_overflow(v, (int64_t)base, &v) || __builtin_add_overflow(v, (int64_t)d, &v))
            return fail(e, "a number of more than 63 bits");
        any = true;
    }
    return any ? v : fail(e, "a number without digits");
}

// Reads a number: decimal, `0x1f`, or a constant such as `8'hff`, `8'shff` or `'hff`, whose size is ignored.
static int64_t number(struct parser *e) {
    if (e->p[0] == '0' && (e->p[1] == 'x' || e->p[1] == 'X')) {
        e->p += 2;
        return digits(e, 16);
    }
    int64_t v = *e->p == '\'' ? 0 : digits(e, 10);
    skip(e);
    if (!e->ok || *e->p != '\'') return v;
    int kind = tolower((unsigned char)*++e->p);
    if (kind == 's') kind = tolower((unsigned char)*++e->p);
    if (!kind || !strchr("bodh", kind)) return fail(e, "no base of a sized number");
    e->p++;
    skip(e);
    return digits(e, kind == 'b' ? 2 : kind == 'o' ? 8 : kind == 'd' ? 10 : 16);
}

// Reads a name and looks up its value, or reads `$clog2(...)`. In a branch that is not taken, a name needs no value.
static int64_t name(struct parser *e) {
    const char *from = e->p;
    while (isalnum((unsigned char)*e->p) || (*e->p && strchr("_.$", *e->p))) e->p++;
    char *word = arena_strndup(e->arena, from, (size_t)(e->p - from));
    int64_t v = 0;
    if (!strcmp(word, "$clog2") || !strcmp(word, "clog2")) {
        if (!take(e, "(")) return fail(e, "`(` is missing");
        v = conditional(e);
        if (e->ok && !take(e, ")")) return fail(e, "`)` is missing");
        return v < 2 ? 0 : u64_clog2((uint64_t)v);
    }
    if (e->lookup(e->context, word, &v) || e->unread) return v;
    e->p = from;
    fail(e, arena_printf(e->arena, "`%s` has no value here", word));
    // The word is noted only if this failure was the first one and `lookup` has not noted an inner name already.
    if (!e->error->unknown && e->error->at == (size_t)(from - e->text)) e->error->unknown = word;
    return 0;
}

// Evaluates a number, a name, parentheses or an operator with one operand.
static int64_t primary(struct parser *e) {
    if (e->depth > MOST_NESTING) return fail(e, "nested too deeply");
    skip(e);
    if (take(e, "(")) {
        e->depth++;
        int64_t v = conditional(e);
        e->depth--;
        return !e->ok || take(e, ")") ? v : fail(e, "`)` is missing");
    }
    char c = *e->p;
    if (c == '-' || c == '+' || c == '!' || c == '~') {
        e->p++;
        e->depth++;
        int64_t v = primary(e);
        e->depth--;
        if (c == '-') return v == INT64_MIN ? fail(e, "out of range") : -v;
        return c == '!' ? !v : c == '~' ? ~v : v;
    }
    if (isdigit((unsigned char)c) || c == '\'') return number(e);
    if (isalpha((unsigned char)c) || c == '_' || c == '$') return name(e);
    return fail(e, c ? "a number or a name is missing" : "the expression ends early");
}

// An operator comes before a shorter one that it begins with, because operator_at takes the first match.
static const struct binary {
    const char *word;
    int level; // a higher level binds more tightly
} table[] = {{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<<", 8}, {">>", 8}, {"<=", 7}, {">=", 7}, {"|", 3},
             {"^", 4},  {"&", 5},  {"<", 7},  {">", 7},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};

static const struct binary *operator_at(struct parser *e) {
    skip(e);
    for (size_t i = 0; i < COUNT_OF(table); i++)
        if (!strncmp(e->p, table[i].word, strlen(table[i].word))) return &table[i];
    return NULL;
}

// Applies + - * / or %. A division by zero, a division of -2^63 and a result beyond 64 bits are errors.
static int64_t arithmetic(struct parser *e, char op, int64_t a, int64_t b) {
    int64_t v = 0;
    if ((op == '/' || op == '%') && b == 0) return fail(e, "division by zero");
    if ((op == '/' || op == '%') && a == INT64_MIN) return fail(e, "out of range");
    if (op == '/') return a / b;
    if (op == '%') return a % b;
    bool over = op == '+'   ? __builtin_add_overflow(a, b, &v)
                : op == '-' ? __builtin_sub_overflow(a, b, &v)
                            : __builtin_mul_overflow(a, b, &v);
    return over ? fail(e, "out of range") : v;
}

// Shifts a value. A negative value, a count outside 0 to 62 and a result of more than 63 bits are errors.
static int64_t shift(struct parser *e, bool left, int64_t a, int64_t b) {
    if (b < 0 || b > 62 || a < 0 || (left && a > INT64_MAX >> b)) return fail(e, "out of range");
    return left ? a << b : a >> b;
}

// Applies an operator to a and b. The operator's level and its first two characters tell which one it is.
static int64_t apply(struct parser *e, const struct binary *op, int64_t a, int64_t b) {
    switch (op->level) {
    case 1: return a || b;
    case 2: return a && b;
    case 3: return a | b;
    case 4: return a ^ b;
    case 5: return a & b;
    case 6: return op->word[0] == '=' ? a == b : a != b;
    case 7: return op->word[0] == '<' ? (op->word[1] ? a <= b : a < b) : (op->word[1] ? a >= b : a > b);
    case 8: return shift(e, op->word[0] == '<', a, b);
    default: return arithmetic(e, op->word[0], a, b);
    }
}

// Evaluates an operand and the operators of level `least` or higher that follow it. Operators of equal level are
// evaluated from left to right.
static int64_t climb(struct parser *e, int least) {
    int64_t a = primary(e);
    const struct binary *op;
    while (e->ok && (op = operator_at(e)) != NULL && op->level >= least) {
        e->p += strlen(op->word);
        e->depth++;
        int64_t b = climb(e, op->level + 1);
        e->depth--;
        if (e->ok && !e->unread) a = apply(e, op, a, b);
    }
    return a;
}

// Evaluates a branch of `?:`. The branch that is not taken is only parsed, because it may divide by the zero that the
// condition excludes.
static int64_t branch(struct parser *e, bool taken) {
    e->unread += !taken;
    e->depth++;
    int64_t v = conditional(e);
    e->depth--;
    e->unread -= !taken;
    return v;
}

static int64_t conditional(struct parser *e) {
    int64_t c = climb(e, 1);
    if (!e->ok || !take(e, "?")) return c;
    int64_t a = branch(e, c != 0);
    if (e->ok && !take(e, ":")) return fail(e, "`:` is missing");
    int64_t b = e->ok ? branch(e, c == 0) : 0;
    return c ? a : b;
}

bool expression_value(struct arena *arena, const char *text, expression_lookup *lookup, void *context, int64_t *value,
                      struct expression_error *error) {
    struct parser e = {arena, text, text, lookup, context, error, 0, 0, true};
    int64_t v = conditional(&e);
    skip(&e);
    if (e.ok && *e.p) fail(&e, "this does not belong to the expression");
    if (e.ok) *value = v;
    return e.ok;
}
