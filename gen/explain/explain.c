// SPDX-License-Identifier: Apache-2.0
// Finding what a text is about, and saying what is known of it.
#include "include/explain.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "include/ops.h"
#include "include/registers.h"
#include "gen/explain/tables.h"

enum { MAX_NAMES = 1024 };

// What can be explained, under one name.
enum kind { TOPIC_KEY, TOPIC_OPERATION, TOPIC_ATTRIBUTE, TOPIC_REGISTER };
struct topic {
    const char *name;       // `design.T`, `softmax`, `rmsnorm.eps`, `fault_address`
    const char *short_name; // the last part
    enum kind kind;
    const struct schema_table *table;
    size_t row; // of the table; operation; register
    int attribute;
};
struct topics {
    struct topic topic[MAX_NAMES];
    size_t count;
};

static void add(struct topics *all, struct topic topic) {
    const char *dot = strrchr(topic.name, '.');
    topic.short_name = dot ? dot + 1 : topic.name;
    if (all->count < MAX_NAMES) all->topic[all->count++] = topic;
}

static void add_keys(struct topics *all, struct arena *arena) {
    for (size_t t = 0; t < explain_table_count(); t++) {
        const struct schema_table *table = explain_table_at(t);
        for (size_t i = 0; i < explain_rows(table); i++) {
            const char *key = explain_row_at(table, i, arena).key;
            const char *name = *table->path ? arena_printf(arena, "%s.%s", table->path, key) : key;
            add(all, (struct topic){.name = name, .kind = TOPIC_KEY, .table = table, .row = i});
        }
    }
}

static void add_operations(struct topics *all, struct arena *arena) {
    for (int op = 0; op < ir_spec_ops(); op++) {
        struct ir_op_attr attr[IR_MAX_OP_ATTRS];
        const char *name = ir_spec_op(op).name;
        int count = ir_attr_column(ir_spec_op(op).attributes, attr);
        add(all, (struct topic){.name = name, .kind = TOPIC_OPERATION, .row = (size_t)op});
        for (int i = 0; i < count; i++)
            add(all, (struct topic){.name = arena_printf(arena, "%s.%s", name, attr[i].name),
                                    .kind = TOPIC_ATTRIBUTE,
                                    .row = (size_t)op,
                                    .attribute = i});
    }
}

static const struct topics *all_topics(struct arena *arena) {
    struct topics *all = ARENA_NEW(arena, struct topics);
    add_keys(all, arena);
    add_operations(all, arena);
    for (int i = 0; i < REGISTER_ROWS; i++)
        add(all, (struct topic){.name = register_rows[i].name, .kind = TOPIC_REGISTER, .row = (size_t)i});
    return all;
}

// ---- saying ----

static void say_key(FILE *out, const struct topic *t, struct arena *arena) {
    struct explain_row row = explain_row_at(t->table, t->row, arena);
    fprintf(out, "%s: %s; default: %s\n  %s\n", t->name, row.range, row.preset, explain_plain(row.doc, arena));
    const struct schema_table *held = t->row < t->table->count ? NULL : t->table->keys[t->row - t->table->count].table;
    for (size_t i = 0; held && i < explain_rows(held); i++)
        fprintf(out, "  - %s.%s\n", held->path, explain_row_at(held, i, arena).key);
}

static void say_attribute(FILE *out, int op, int index, struct arena *arena) {
    static const char *const kinds[] = {"integer", "number", "text", "list", ""};
    struct ir_op_attr attr[IR_MAX_OP_ATTRS];
    ir_attr_column(ir_spec_op(op).attributes, attr);
    const struct ir_op_attr *a = &attr[index];
    fprintf(out, "  %s: %s%s; %s%s\n", a->name, kinds[a->kind], ir_op_attr_legal(a, arena),
            a->has_default ? "default: "
            : a->required  ? "required"
                           : "may be left out",
            a->text);
}

// The operations that a composite stands for, by their names.
static void say_steps(FILE *out, const char *steps) {
    for (const char *p = steps; p && *p; p += strcspn(p, ";")) {
        p += strspn(p, "; ");
        fprintf(out, "%s%.*s", p == steps ? "  stands for " : ", ", (int)strcspn(p, " ?"), p);
    }
    if (steps) fputc('\n', out);
}

static void say_operation(FILE *out, int op, struct arena *arena) {
    const struct ir_composite row = ir_spec_op(op);
    struct ir_op_attr attr[IR_MAX_OP_ATTRS];
    int count = ir_attr_column(row.attributes, attr);
    fprintf(out, "operation %s: %d in, %d out\n  %s\n", row.name, row.inputs, row.outputs, row.doc);
    say_steps(out, row.steps);
    for (int i = 0; i < count; i++) say_attribute(out, op, i, arena);
}

static void say_register(FILE *out, const struct register_row *r) {
    fprintf(out, "register %s: offset 0x%03x, %d bits, %s\n  %s\n", r->name, r->offset, r->bits,
            r->access == REGISTER_RO ? "read only" : "read and write", r->meaning);
}

static void say(FILE *out, const struct topic *t, struct arena *arena) {
    switch (t->kind) {
    case TOPIC_KEY: say_key(out, t, arena); break;
    case TOPIC_OPERATION: say_operation(out, (int)t->row, arena); break;
    case TOPIC_ATTRIBUTE:
        fprintf(out, "attribute of operation %s\n", ir_spec_op((int)t->row).name);
        say_attribute(out, (int)t->row, t->attribute, arena);
        break;
    case TOPIC_REGISTER: say_register(out, &register_rows[t->row]); break;
    }
}

// ---- the glossary ----

static const struct {
    const char *word, *meaning;
} glossary[] = {
#define WORD(name, text) {name, text},
#include "include/glossary.def"
#undef WORD
};

static bool say_word(FILE *out, const char *word, struct arena *arena) {
    for (size_t i = 0; i < COUNT_OF(glossary); i++)
        if (!strcasecmp(glossary[i].word, word))
            return fprintf(out, "%s: %s\n", glossary[i].word, explain_plain(glossary[i].meaning, arena)), true;
    return false;
}

void explain_glossary(FILE *out) {
    fprintf(out, "| word | meaning |\n|---|---|\n");
    for (size_t i = 0; i < COUNT_OF(glossary); i++)
        fprintf(out, "| %s | %s |\n", glossary[i].word, glossary[i].meaning);
}

// ---- finding ----

// Every topic of that name, the whole one or its last part; their number.
static size_t say_named(FILE *out, const struct topics *all, const char *name, bool last_part, struct arena *arena) {
    size_t said = 0;
    for (size_t i = 0; i < all->count; i++)
        if (!strcmp(last_part ? all->topic[i].short_name : all->topic[i].name, name)) {
            say(out, &all->topic[i], arena);
            said++;
        }
    return said;
}

static bool is_of_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '.'; }

// The words of a message, one after the other; NULL behind the last.
static const char *next_word(const char **at, struct arena *arena) {
    while (**at && !is_of_name(**at)) ++*at;
    size_t len = 0;
    while (is_of_name((*at)[len])) len++;
    if (!len) return NULL;
    const char *word = arena_strndup(arena, *at, len);
    *at += len;
    return word;
}

// A message names what it is about by its whole name: `design.T`, or an operation.
static bool say_message(FILE *out, const struct topics *all, const char *text, struct arena *arena) {
    size_t said = 0;
    const char *word, *at = text;
    while (!said && (word = next_word(&at, arena)) != NULL)
        if (strchr(word, '.')) said = say_named(out, all, word, false, arena);
    for (at = text; !said && (word = next_word(&at, arena)) != NULL;) said = say_named(out, all, word, false, arena);
    bool word_said = false;
    for (at = text; !said && !word_said && (word = next_word(&at, arena)) != NULL;)
        word_said = strlen(word) > 1 && say_word(out, word, arena);
    return said || word_said;
}

static const char *nearest(const struct topics *all, const char *text) {
    const char *words[2 * MAX_NAMES + COUNT_OF(glossary)];
    for (size_t i = 0; i < all->count; i++)
        words[2 * i] = all->topic[i].name, words[2 * i + 1] = all->topic[i].short_name;
    for (size_t i = 0; i < COUNT_OF(glossary); i++) words[2 * all->count + i] = glossary[i].word;
    return diag_nearest_word(text, words, 2 * all->count + COUNT_OF(glossary));
}

bool explain_topic(FILE *out, const char *text, const char **near, struct arena *arena) {
    const struct topics *all = all_topics(arena);
    *near = NULL;
    bool named = say_named(out, all, text, false, arena) || say_named(out, all, text, true, arena);
    if (say_word(out, text, arena) || named) return true;
    if (strchr(text, ' ') && say_message(out, all, text, arena)) return true;
    *near = nearest(all, text);
    return false;
}
