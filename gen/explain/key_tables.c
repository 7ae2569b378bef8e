// SPDX-License-Identifier: Apache-2.0
// Collects the tables of the spec language into one list, and gives their rows in words.
#include "gen/explain/key_tables.h"

#include <string.h>

#include "gen/explain/explain.h"
#include "gen/spec/spec_read.h"

enum { MAX_TABLES = 64 };
struct list {
    const struct schema_table *table[MAX_TABLES];
    size_t count;
};

// Adds a table, then the tables that describe the values of its keys.
static void collect(struct list *list, const struct schema_table *table) {
    if (list->count < MAX_TABLES) list->table[list->count++] = table;
    for (size_t i = 0; i < table->key_count; i++)
        if (table->keys[i].table) collect(list, table->keys[i].table);
}

// Returns the list of all tables of a spec, which the first call collects.
static const struct list *tables(void) {
    static struct list list;
    if (!list.count) collect(&list, &spec_table);
    return &list;
}

size_t explain_table_count(void) { return tables()->count; }

const struct schema_table *explain_table_at(size_t index) { return tables()->table[index]; }

const struct schema_table *explain_table_find(const char *path) {
    for (size_t i = 0; i < tables()->count; i++)
        if (!strcmp(tables()->table[i]->path, path)) return tables()->table[i];
    return NULL;
}

size_t explain_rows(const struct schema_table *t) { return t->count + t->key_count; }

static const char *type_of(const struct schema_field *f) {
    static const char *const types[] = {"integer", "number", "true or false", "word", NULL};
    return types[f->type];
}

// Returns the words of a JSON Schema `{"enum": ["a", "b"]}` in backquotes and separated by commas: `a`, `b`.
static const char *enum_words(const char *json, struct arena *arena) {
    const char *open = strchr(json, '[') + 1;
    char *words = arena_strndup(arena, open, strcspn(open, "]"));
    for (char *p = words; *p; p++)
        if (*p == '"') *p = '`';
    return words;
}

// Returns the kind of a key's value in words, such as `map`, or the legal words themselves.
static const char *held_words(const struct schema_key *k, struct arena *arena) {
    static const char *const maps[] = {NULL, "map", "list of maps", "map of maps"};
    static const struct {
        const char *begins, *words;
    } kinds[] = {{"{\"type\": \"string\"", "text"},
                 {"{\"type\": \"number\"", "number"},
                 {"{\"type\": \"boolean\"", "true or false"},
                 {"{\"type\": \"array\"", "list"},
                 {"{\"type\": \"object\"", "map"},
                 {"{\"type\": [", "expression"},
                 {"{\"anyOf\"", "text, or a list of texts"}};
    if (k->holds != SCHEMA_HOLDS_JSON) return maps[k->holds];
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (!strncmp(k->json, kinds[i].begins, strlen(kinds[i].begins))) return kinds[i].words;
    return enum_words(k->json, arena);
}

struct explain_row explain_row_at(const struct schema_table *t, size_t index, struct arena *arena) {
    if (index < t->count) {
        const struct schema_field *f = &t->fields[index];
        return (struct explain_row){f->key, schema_range(f, arena), schema_preset(f, arena), f->doc, type_of(f)};
    }
    const struct schema_key *k = &t->keys[index - t->count];
    return (struct explain_row){k->key, k->range ? k->range : held_words(k, arena),
                                k->required ? "required"
                                : k->preset ? k->preset
                                            : "none",
                                k->doc, NULL};
}

const struct schema_table *explain_held(const struct schema_table *t, size_t index) {
    return index < t->count ? NULL : t->keys[index - t->count].table;
}

const char *explain_page(const char *name) {
    static const struct {
        const char *begins, *page;
    } pages[] = {{"model", "spec.md#2-model"},
                 {"graph", "spec.md#3-graph"},
                 {"design", "spec.md#4-design"},
                 {"kernels", "kernel-reference.md"},
                 {"board.", "boards.md"},
                 {"family.parameters", "families.md#parameters"},
                 {"family.checks", "families.md#checks"},
                 {"family.config", "families.md#config"},
                 {"family.gguf", "families.md#gguf"},
                 {"family.", "families.md#the-file"}};
    for (size_t i = 0; i < COUNT_OF(pages); i++)
        if (!strncmp(name, pages[i].begins, strlen(pages[i].begins))) return pages[i].page;
    return "spec.md#1-top-level";
}

// Returns the text of a Markdown link without its syntax: `word: docs/page#part` for `[word](page#part)`. If the word
// is the page's name, or the link is to a section of docs/spec.md (`#part`), only the page remains.
static const char *plain_link(const char *link, struct arena *arena) {
    const char *word = link + 1, *page = strstr(link, "](") + 2;
    int len = (int)(page - 2 - word), page_len = (int)strcspn(page, ")");
    if (*page == '#') return arena_printf(arena, "docs/spec.md%.*s", page_len, page);
    if (!strncmp(word, page, (size_t)len)) return arena_printf(arena, "docs/%.*s", page_len, page);
    return arena_printf(arena, "%.*s: docs/%.*s", len, word, page_len, page);
}

const char *explain_plain(const char *doc, struct arena *arena) {
    const char *plain = "";
    for (size_t len; *doc; doc += len) {
        const char *open = *doc == '[' ? strstr(doc, "](") : NULL, *end = open ? strchr(open, ')') : NULL;
        len = end ? (size_t)(end + 1 - doc) : 1 + strcspn(doc + 1, "[");
        plain = end ? arena_printf(arena, "%s%s", plain, plain_link(doc, arena))
                    : arena_printf(arena, "%s%.*s", plain, (int)len, doc);
    }
    return plain;
}

bool explain_table(FILE *out, const char *path, struct arena *arena) {
    const struct schema_table *t = explain_table_find(path);
    if (!t) return false;
    fputs("| key | type and range | default | meaning |\n|---|---|---|---|\n", out);
    for (size_t i = 0; i < explain_rows(t); i++) {
        struct explain_row row = explain_row_at(t, i, arena);
        fprintf(out, "| `%s` | %s | %s | %s |\n", row.key, row.range, row.preset, row.doc);
    }
    return true;
}

void explain_tables(FILE *out) {
    for (size_t i = 0; i < explain_table_count(); i++) {
        const char *path = explain_table_at(i)->path;
        fprintf(out, "%s\n", *path ? path : "spec");
    }
}
