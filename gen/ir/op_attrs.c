// SPDX-License-Identifier: Apache-2.0
// Parses the attribute column of the operations table (ops.def), converts texts to values of these attributes, and
// checks values against their legal ranges and words.
#include <stdlib.h>
#include <string.h>

#include "gen/ir/ops.h"

enum { MOST_WORDS = 8 /* legal words of an attribute */, MOST_ITEMS = 64 /* numbers of a list written as text */ };

// ---- columns ----

// Returns the kind that a letter of the column means. `s` and `r` are strings; read_legal makes those that have legal
// values words.
static enum ir_attr_kind attr_kind(char c) {
    return c == 'i' || c == 'e' ? IR_ATTR_INT : c == 'f' ? IR_ATTR_FLOAT : c == 'l' ? IR_ATTR_LIST : IR_ATTR_STRING;
}

// Copies the text up to the next character of `marks`, at most size - 1 characters. Returns the place of that
// character. The buffer must have been zeroed.
static const char *copy_until(const char *p, const char *marks, char *to, size_t size) {
    size_t len = strcspn(p, marks);
    memcpy(to, p, len < size ? len : size - 1);
    return p + len;
}

// Interprets the legal values of an attribute: a string that has some is a word, and a number has a range `low..high`.
static void read_legal(struct ir_op_attr *attr) {
    if (attr->kind == IR_ATTR_STRING) {
        attr->kind = IR_ATTR_WORD;
        return;
    }
    char *end;
    attr->has_range = true;
    attr->low = strtod(attr->legal, &end);
    attr->high = strtod(end + strspn(end, "."), NULL);
}

// The form of a column is described at the top of ops.def.
int ir_attr_column(const char *p, struct ir_op_attr out[IR_MAX_OP_ATTRS]) {
    int count = 0;
    while (*p && count < IR_MAX_OP_ATTRS) {
        struct ir_op_attr *attr = &out[count++];
        memset(attr, 0, sizeof *attr);
        bool optional = *p == '?';
        p += optional;
        p = copy_until(p, ":", attr->name, sizeof attr->name) + 1;
        attr->by_rule = *p == 'r';
        attr->each = *p == 'e';
        attr->kind = attr_kind(*p++);
        if (*p == '(') p = copy_until(p + 1, ")", attr->legal, sizeof attr->legal) + 1;
        if (*attr->legal) read_legal(attr);
        attr->has_default = *p == '=';
        if (attr->has_default) p = copy_until(p + 1, " ", attr->text, sizeof attr->text);
        attr->preset = attr->kind == IR_ATTR_INT ? strtoll(attr->text, NULL, 10) : 0;
        attr->required = !optional && !attr->has_default;
        while (*p == ' ') p++;
    }
    return count;
}

int ir_op_attrs(const struct ir *ir, int op, struct ir_op_attr out[IR_MAX_OP_ATTRS]) {
    return ir_attr_column(ir_op_of(ir, op)->attributes, out);
}

// Attributes that every operation may have.
static const struct ir_op_attr common_attrs[] = {{.name = "order", .kind = IR_ATTR_LIST},
                                                 {.name = "lanes", .kind = IR_ATTR_INT}};

static bool find_attr(const struct ir_op_attr *known, int count, const char *key, struct ir_op_attr *out) {
    for (int i = 0; i < count; i++)
        if (!strcmp(known[i].name, key)) return *out = known[i], true;
    return false;
}

bool ir_common_attr(const char *key, struct ir_op_attr *out) {
    return find_attr(common_attrs, COUNT_OF(common_attrs), key, out);
}

bool ir_op_attr_of(const struct ir *ir, int op, const char *key, struct ir_op_attr *out) {
    struct ir_op_attr known[IR_MAX_OP_ATTRS] = {0};
    int count = ir_op_attrs(ir, op, known);
    return find_attr(known, count, key, out) || ir_common_attr(key, out);
}

const char *const *ir_op_attr_words(const struct ir_op_attr *attr, struct arena *arena) {
    const char **words = ARENA_ARRAY(arena, const char *, MOST_WORDS + 1);
    int count = 0;
    if (attr->kind != IR_ATTR_WORD) return words;
    for (const char *p = attr->legal; *p && count < MOST_WORDS; p += *p == '|') {
        size_t len = strcspn(p, "|");
        words[count++] = arena_strndup(arena, p, len);
        p += len;
    }
    return words;
}

// ---- texts ----

// Returns the index of the text among the legal words; -1 if it is not one of them.
static int choice_of(struct ir *ir, const struct ir_op_attr *attr, const char *text) {
    const char *const *words = ir_op_attr_words(attr, ir->arena);
    for (int w = 0; words[w]; w++)
        if (!strcmp(words[w], text)) return w;
    return -1;
}

// Sets a list from text such as `1,0`. Text in any other form gives an empty list.
static void set_list(struct ir *ir, struct ir_attrs *attrs, const char *key, const char *text) {
    int64_t list[MOST_ITEMS];
    int count = 0;
    for (char *end; *text && count < MOST_ITEMS; text = end + (*end == ',')) {
        list[count] = strtoll(text, &end, 10);
        if (end == text) break;
        count++;
    }
    ir_attr_set_list(ir, attrs, key, list, *text ? 0 : count);
}

void ir_attr_set_text(struct ir *ir, struct ir_attrs *attrs, const struct ir_op_attr *attr, const char *text) {
    switch (attr->kind) {
    case IR_ATTR_INT: ir_attr_set_int(ir, attrs, attr->name, strtoll(text, NULL, 0)); break;
    case IR_ATTR_FLOAT: ir_attr_set_float(ir, attrs, attr->name, strtod(text, NULL)); break;
    case IR_ATTR_STRING: ir_attr_set_string(ir, attrs, attr->name, text); break;
    case IR_ATTR_LIST: set_list(ir, attrs, attr->name, text); break;
    case IR_ATTR_WORD: ir_attr_set_word(ir, attrs, attr->name, choice_of(ir, attr, text), text); break;
    }
}

// ---- legal values ----

static bool number_fits(const struct ir_op_attr *attr, const struct ir_attr *value, struct diag *diag);

// Checks each number of a list that has one number per repetition.
static bool numbers_fit(const struct ir_op_attr *attr, const struct ir_attr *value, struct diag *diag) {
    bool ok = true;
    for (int i = 0; i < value->items && ok; i++)
        ok = number_fits(attr, &(struct ir_attr){.kind = IR_ATTR_INT, .i = value->list[i], .loc = value->loc}, diag);
    return ok;
}

// Checks a number, or each number of a list, against the range of the attribute, and reports one that is outside.
static bool number_fits(const struct ir_op_attr *attr, const struct ir_attr *value, struct diag *diag) {
    double v = attr->kind == IR_ATTR_INT ? (double)value->i : value->f;
    if (value->kind == IR_ATTR_LIST) return numbers_fit(attr, value, diag);
    if (!attr->has_range || (v >= attr->low && v <= attr->high)) return true;
    if (attr->kind == IR_ATTR_INT)
        diag_error(diag, value->loc, MSG_ATTRIBUTE_RANGE, attr->name, attr->low, attr->high, (long long)value->i);
    else diag_error(diag, value->loc, MSG_ATTRIBUTE_NUMBER_RANGE, attr->name, attr->low, attr->high, v);
    diag_note(diag, value->loc,
              attr->kind == IR_ATTR_INT ? "the nearest legal value is %.0f" : "the nearest legal value is %g",
              v < attr->low ? attr->low : attr->high);
    return false;
}

// Returns the legal words as a text: `a, b or c`.
static const char *words_text(const struct ir_op_attr *attr, struct arena *arena) {
    const char *const *words = ir_op_attr_words(attr, arena), *text = words[0];
    for (int w = 1; words[w]; w++) text = arena_printf(arena, "%s%s%s", text, words[w + 1] ? ", " : " or ", words[w]);
    return text;
}

// Checks a word and reports an illegal one, except if the attribute has `by_rule`: then the type rule reports it.
static bool word_fits(const struct ir_op_attr *attr, const struct ir_attr *value, struct diag *diag) {
    if (value->i >= 0 || attr->by_rule) return true;
    struct arena arena;
    arena_init(&arena);
    const char *const *words = ir_op_attr_words(attr, &arena);
    size_t count = 0;
    while (words[count]) count++;
    diag_error(diag, value->loc, MSG_ATTRIBUTE_CHOICE, attr->name, words_text(attr, &arena), value->s);
    const char *near = diag_nearest_word(value->s, words, count);
    if (near) diag_note(diag, value->loc, "did you mean `%s`?", near);
    arena_free(&arena);
    return false;
}

bool ir_op_attr_check(const struct ir_op_attr *attr, const struct ir_attr *value, struct diag *diag) {
    return attr->kind == IR_ATTR_WORD ? word_fits(attr, value, diag) : number_fits(attr, value, diag);
}

const char *ir_op_attr_legal(const struct ir_op_attr *attr, struct arena *arena) {
    if (!*attr->legal) return "";
    if (attr->kind == IR_ATTR_WORD) return arena_printf(arena, " %s", words_text(attr, arena));
    const char *dots = strstr(attr->legal, ".."); // both dots, because a bound may have a decimal point
    return arena_printf(arena, " %.*s to %s%s", (int)(dots - attr->legal), attr->legal, dots + 2,
                        attr->each ? ", or a list of one for each repetition" : "");
}
