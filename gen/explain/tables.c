// SPDX-License-Identifier: Apache-2.0
// The tables of the spec language as one list, and their rows in words.
#include "gen/explain/tables.h"

#include <string.h>

#include "include/explain.h"
#include "gen/spec/spec_read.h"

enum { MAX_TABLES = 64 };
struct list {
    const struct schema_table *table[MAX_TABLES];
    size_t count;
};

// A table, then those that its keys hold.
static void collect(struct list *list, const struct schema_table *table) {
    if (list->count < MAX_TABLES) list->table[list->count++] = table;
    for (size_t i = 0; i < table->key_count; i++)
        if (table->keys[i].table) collect(list, table->keys[i].table);
}

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

struct explain_row explain_row_at(const struct schema_table *t, size_t index, struct arena *arena) {
    if (index < t->count) {
        const struct schema_field *f = &t->fields[index];
        return (struct explain_row){f->key, schema_range(f, arena), schema_preset(f, arena), f->doc};
    }
    const struct schema_key *k = &t->keys[index - t->count];
    return (struct explain_row){k->key, k->range, k->required ? "required" : k->preset ? k->preset : "none", k->doc};
}

const struct schema_table *explain_held(const struct schema_table *t, size_t index) {
    return index < t->count ? NULL : t->keys[index - t->count].table;
}

// `[page](page#part)` is for readers of the docs.
const char *explain_plain(const char *doc, struct arena *arena) {
    char *plain = arena_strdup(arena, doc), *to = plain;
    for (const char *p = plain; *p;) {
        const char *open = *p == '[' ? strstr(p, "](") : NULL, *end = open ? strchr(open, ')') : NULL;
        if (end) {
            while (++p < open) *to++ = *p;
            p = end + 1;
        } else *to++ = *p++;
    }
    *to = '\0';
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
