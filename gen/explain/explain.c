// SPDX-License-Identifier: Apache-2.0
// Implements `rill explain`: finds the topics, messages and glossary words that a text names, and prints their
// explanations. topics.c collects the topics.
#include "gen/explain/explain.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "gen/ir/ops.h"
#include "gen/ir/registers.h"
#include "gen/explain/meanings.h"
#include "gen/explain/messages.h"
#include "gen/explain/key_tables.h"
#include "gen/explain/topics.h"

// ---- printing topics ----

static void say_page(FILE *out, const char *page) { fprintf(out, "  more: docs/%s\n", page); }

// Prints a key: type, range, default, meaning, page, and the keys of its value if this is a map.
static void say_key(FILE *out, const struct topic *t, struct arena *arena) {
    struct explain_row row = explain_row_at(t->table, t->row, arena);
    fprintf(out, "%s: ", t->name);
    if (!row.type || !strcmp(row.type, row.range)) fprintf(out, "%s; ", row.range);
    else fprintf(out, "%s (%s); ", row.type, row.range);
    fprintf(out, "default: %s\n  %s\n", row.preset, explain_plain(row.doc, arena));
    say_page(out, explain_page(t->name));
    const struct schema_table *held = explain_held(t->table, t->row);
    for (size_t i = 0; held && i < explain_rows(held); i++)
        fprintf(out, "  - %s.%s\n", t->name, explain_row_at(held, i, arena).key);
}

// Prints a parameter of a family: type, range, default, meaning.
static void say_parameter(FILE *out, const struct topic *t, struct arena *arena) {
    static const char *const types[] = {"an integer", "a number", "true or false", "a word:"};
    const struct family_parameter *p = t->parameter;
    bool numeric = p->type == FAMILY_INTEGER || p->type == FAMILY_NUMBER;
    fprintf(out, "parameter %s: a key of `model` with `family: %s`\n  %s", t->name, t->family->name, types[p->type]);
    if (numeric) fprintf(out, " from %.15g to %.15g", p->from, p->to);
    for (size_t i = 0; i < p->word_count; i++) fprintf(out, "%s `%s`", i ? "," : "", p->words[i]);
    if (p->list) fprintf(out, ", or a list of at most %d", p->list);
    double plain; // a default below the range means that the model does not have what the parameter describes
    bool none = p->preset && numeric && yaml_parse_float(p->preset, &plain) && plain < p->from;
    if (!p->preset) fputs("; required\n", out);
    else if (none) fputs("; default: none\n", out);
    else fprintf(out, "; default: %s\n", p->preset->text ? p->preset->text : "an expression");
    if (p->doc) fprintf(out, "  %s\n", explain_plain(p->doc, arena));
    else fprintf(out, "  %s does not say what it means: key `doc`\n", t->family->path);
    say_page(out, "spec.md#2-model");
}

// Prints an attribute of an operation. index: its number among the operation's attributes.
static void say_attribute(FILE *out, int op, int index, struct arena *arena) {
    static const char *const kinds[] = {"integer", "number", "text", "list", "one of"};
    struct ir_op_attr attr[IR_MAX_OP_ATTRS];
    ir_attr_column(ir_spec_op(op).attributes, attr);
    const struct ir_op_attr *a = &attr[index];
    fprintf(out, "  %s: %s%s; %s%s\n", a->name, kinds[a->kind], ir_op_attr_legal(a, arena),
            a->has_default ? "default: "
            : a->required  ? "required"
                           : "optional",
            a->text);
    const char *meaning = explain_attribute(ir_spec_op(op).name, a->name);
    fprintf(out, "    %s\n", meaning ? explain_plain(meaning, arena) : "");
}

// Prints the operations that a composite operation consists of. steps: NULL for any other operation.
static void say_steps(FILE *out, const char *steps) {
    for (const char *p = steps; p && *p; p += strcspn(p, ";")) {
        p += strspn(p, "; ");
        fprintf(out, "%s%.*s", p == steps ? "  stands for " : ", ", (int)strcspn(p, " ?^"), p);
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
    say_page(out, "spec.md#5-operations");
}

// Prints the key or attribute to which a legal word belongs, and the word's meaning.
static void say_value(FILE *out, const struct topic *t, struct arena *arena) {
    const char *of = t->of->short_name, *meaning = explain_value(of, t->short_name);
    fprintf(out, "`%s` is a value of %s%s: %s\n", t->short_name, t->of->kind == TOPIC_ATTRIBUTE ? "attribute " : "",
            t->of->name, meaning ? explain_plain(meaning, arena) : "");
}

static void say_register(FILE *out, const struct topic *t) {
    const struct register_row *r = &register_rows[t->row];
    struct text offset = {0};
    register_row_offset(r, &offset);
    fprintf(out, "register %s: offset %s, %d bits, %s\n  %s\n", t->name, offset.data, r->bits,
            r->access == REGISTER_RO ? "read only" : "read and write", r->meaning);
    text_free(&offset);
    say_page(out, "registers.md");
}

static void say_option(FILE *out, const struct topic *t) {
    const struct option_row *o = t->option;
    fprintf(out, "option of `rill %s`: %s%s%s\n  %s\n  more: rill %s --help\n", t->command->name, o->name,
            o->word ? " " : "", o->word ? o->word : "", o->help, t->command->name);
}

// Prints a topic. A value is followed by the key or attribute to which it belongs.
static void say(FILE *out, const struct topic *t, struct arena *arena) {
    switch (t->kind) {
    case TOPIC_KEY: say_key(out, t, arena); break;
    case TOPIC_VALUE:
        say_value(out, t, arena);
        say(out, t->of, arena);
        break;
    case TOPIC_PARAMETER: say_parameter(out, t, arena); break;
    case TOPIC_OPERATION: say_operation(out, (int)t->row, arena); break;
    case TOPIC_ATTRIBUTE:
        fprintf(out, "attribute of operation %s\n", ir_spec_op((int)t->row).name);
        say_attribute(out, (int)t->row, t->attribute, arena);
        say_page(out, "spec.md#5-operations");
        break;
    case TOPIC_REGISTER: say_register(out, t); break;
    case TOPIC_COMMAND:
        fprintf(out, "command `rill %s`: %s\n  more: rill %s --help\n", t->name, t->command->purpose, t->name);
        break;
    case TOPIC_OPTION: say_option(out, t); break;
    }
}

// Prints a family with the keys that it adds to `model`. Returns false if there is no family of this name.
static bool say_family(FILE *out, const struct topics *all, const char *name) {
    const struct family *family = NULL;
    for (size_t i = 0; i < all->count; i++) {
        const struct topic *t = &all->topic[i];
        if (t->kind != TOPIC_PARAMETER || strcmp(t->family->name, name) != 0) continue;
        if (!family) fprintf(out, "family %s: a value of `model.family`. It adds these keys to `model`:\n", name);
        family = t->family;
        fprintf(out, "  - %s\n", t->name);
    }
    if (family) say_page(out, "families.md");
    return family;
}

// ---- the glossary ----

static const struct {
    const char *word, *meaning, *page;
} glossary[] = {
#define WORD(name, text, page) {name, text, page},
#include "include/glossary.def"
#undef WORD
};

// Prints the glossary's row of a word. Returns false if there is none.
static bool say_word(FILE *out, const char *word, struct arena *arena) {
    for (size_t i = 0; i < COUNT_OF(glossary); i++)
        if (!strcasecmp(glossary[i].word, word)) {
            fprintf(out, "%s: %s\n", glossary[i].word, explain_plain(glossary[i].meaning, arena));
            say_page(out, glossary[i].page);
            return true;
        }
    return false;
}

void explain_glossary(FILE *out) {
    fprintf(out, "| word | meaning | more |\n|---|---|---|\n");
    for (size_t i = 0; i < COUNT_OF(glossary); i++) {
        const char *page = glossary[i].page;
        fprintf(out, "| %s | %s | [%.*s](%s) |\n", glossary[i].word, glossary[i].meaning, (int)strcspn(page, "."), page,
                page);
    }
}

// ---- finding ----

// Prints every topic whose full name, or whose short name if `last_part` is set, is `name`. Returns their number.
static size_t say_named(FILE *out, const struct topics *all, const char *name, bool last_part, struct arena *arena) {
    size_t said = 0;
    for (size_t i = 0; i < all->count; i++)
        if (!strcmp(last_part ? all->topic[i].short_name : all->topic[i].name, name)) {
            say(out, &all->topic[i], arena);
            said++;
        }
    return said;
}

static bool is_of_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '-'; }

// Returns the next word of a message, and moves *at past it. Returns NULL at the end.
static const char *next_word(const char **at, struct arena *arena) {
    while (**at && !is_of_name(**at)) ++*at;
    size_t len = 0;
    while (is_of_name((*at)[len])) len++;
    if (!len) return NULL;
    const char *word = arena_strndup(arena, *at, len);
    *at += len;
    return word;
}

// Returns the topic of a kind whose short name is `word`, or NULL.
static const struct topic *named(const struct topics *all, const char *word, enum topic_kind kind) {
    for (size_t i = 0; i < all->count; i++)
        if (all->topic[i].kind == kind && !strcmp(all->topic[i].short_name, word)) return &all->topic[i];
    return NULL;
}

// Returns the name of a register without the number at its end: `hbm` for `hbm_00`. A package's list of registers has
// such numbers, because one row of the table may describe several registers, one per channel. Returns NULL if there is
// none.
static const char *without_number(const char *name, struct arena *arena) {
    size_t len = strlen(name), digits = 0;
    while (digits < len && isdigit((unsigned char)name[len - 1 - digits])) digits++;
    if (!digits || digits + 1 >= len || name[len - 1 - digits] != '_') return NULL;
    return arena_strndup(arena, name, len - 1 - digits);
}

// Explains a register with a number (`hbm_00`) by the row of the table that describes all registers of this kind.
// Returns false for any other name.
static bool say_numbered(FILE *out, const struct topics *all, const char *name, struct arena *arena) {
    const char *row = without_number(name, arena);
    const struct topic *t = row ? named(all, row, TOPIC_REGISTER) : NULL;
    if (!t || register_rows[t->row].per == REGISTER_ONE) return false;
    say(out, t, arena);
    return true;
}

// Explains a single word of a message, or returns false. A word of the glossary comes before a register of the same
// name. The letters of the glossary (`A`, `T`) are left out, because a message may have the article `a`.
static bool say_plain(FILE *out, const struct topics *all, const char *word, struct arena *arena) {
    if (strlen(word) > 1 && say_word(out, word, arena)) return true;
    const struct topic *t = named(all, word, TOPIC_REGISTER);
    if (t) say(out, t, arena);
    return t || say_numbered(out, all, word, arena);
}

// Explains the topic of a kind that a word names. Returns false if there is none.
static bool say_first(FILE *out, const struct topics *all, const char *word, enum topic_kind kind,
                      struct arena *arena) {
    const struct topic *t = named(all, word, kind);
    if (t) say(out, t, arena);
    return t;
}

// Explains the first operation whose name is in backquotes in a message, or returns false. A name without backquotes
// does not count, because it may be a plain word (`position`).
static bool say_quoted(FILE *out, const struct topics *all, const char *text, struct arena *arena) {
    for (const char *open = text, *end; (open = strchr(open, '`')) != NULL; open = end + 1) {
        if ((end = strchr(++open, '`')) == NULL) return false;
        if (say_first(out, all, arena_strndup(arena, open, (size_t)(end - open)), TOPIC_OPERATION, arena)) return true;
    }
    return false;
}

// Explains the first full name (`design.T`) in a message, or else its first option, or else its first quoted operation.
// Returns false if there is none of these.
static bool say_named_in(FILE *out, const struct topics *all, const char *text, struct arena *arena) {
    bool said = false;
    const char *word, *at = text;
    while (!said && (word = next_word(&at, arena)) != NULL)
        if (strchr(word, '.')) said = say_named(out, all, word, false, arena);
    for (at = text; !said && (word = next_word(&at, arena)) != NULL;)
        said = word[0] == '-' && say_first(out, all, word + strspn(word, "-"), TOPIC_OPTION, arena);
    return said || say_quoted(out, all, text, arena);
}

// Explains an unknown message by its first word that is in the glossary or names a register, or else by its first word
// that is the full name of a topic, such as a key of the spec. Returns false if there is no such word.
static bool say_word_in(FILE *out, const struct topics *all, const char *text, struct arena *arena) {
    bool said = false;
    const char *word, *at = text;
    while (!said && (word = next_word(&at, arena)) != NULL) said = say_plain(out, all, word, arena);
    for (at = text; !said && (word = next_word(&at, arena)) != NULL;) said = say_named(out, all, word, false, arena);
    return said;
}

// Explains what a message is about: a name in it (say_named_in), or if there is none and the message itself is not
// known, a plain word (say_word_in). The explanation goes to a memory stream first, because the line that introduces it
// is printed only if there is one. Returns false if nothing is explained.
static bool say_about(FILE *out, const struct topics *all, const char *text, bool known, struct arena *arena) {
    char *words = NULL;
    size_t len;
    FILE *of_words = open_memstream(&words, &len);
    bool said = say_named_in(of_words, all, text, arena) || (!known && say_word_in(of_words, all, text, arena));
    fclose(of_words);
    if (said && !known) fputs("this text does not end with the id of a message. Its words mean:\n", out);
    fputs(words, out);
    free(words);
    return said;
}

// Returns the topic's name or the word of the glossary that is nearest to the text in spelling, or NULL.
static const char *nearest(const struct topics *all, const char *text, struct arena *arena) {
    size_t count = 2 * all->count + COUNT_OF(glossary);
    const char **words = ARENA_ARRAY(arena, const char *, count);
    for (size_t i = 0; i < all->count; i++)
        words[2 * i] = all->topic[i].name, words[2 * i + 1] = all->topic[i].short_name;
    for (size_t i = 0; i < COUNT_OF(glossary); i++) words[2 * all->count + i] = glossary[i].word;
    return diag_nearest_word(text, words, count);
}

bool explain_topic(FILE *out, const char *text, const struct options *const *commands, const char **near,
                   struct arena *arena) {
    const struct topics *all = explain_topics(commands, arena);
    *near = NULL;
    // An option may be given with its dashes.
    const char *plain = text + (strlen(text) > 2 && !strncmp(text, "--", 2) ? 2 : 0);
    bool known = explain_say_message(out, text, arena);
    bool named = say_named(out, all, text, false, arena) || say_named(out, all, plain, true, arena) ||
                 say_numbered(out, all, text, arena);
    if (say_word(out, text, arena) || named || say_family(out, all, text)) return true;
    if (strchr(text, ' ') && say_about(out, all, text, known, arena)) return true;
    if (known) return true;
    *near = nearest(all, text, arena);
    return false;
}

void explain_everything(FILE *out, const struct options *const *commands, struct arena *arena) {
    const struct topics *all = explain_topics(commands, arena);
    for (size_t i = 0; i < all->count; i++) say(out, &all->topic[i], arena);
}
