// SPDX-License-Identifier: Apache-2.0
// Gives access to the rows of a command's tables, and the texts by which usage, messages and the manual page show them.
#include "gen/options/walk.h"

#include <string.h>

const struct option_row *options_row(const struct options *o, int index, size_t *base) {
    for (int t = 0; t < OPTION_TABLES && o->table[t].row; t++) {
        int rows = 0;
        while (o->table[t].row[rows].name) rows++;
        if (index < rows) {
            if (base) *base = o->table[t].base;
            return &o->table[t].row[index];
        }
        index -= rows;
    }
    return NULL;
}

bool option_is_argument(const struct option_row *row) { return row->name[0] != '-'; }

const char *option_shown(struct arena *arena, const struct option_row *row) {
    if (!row->word || option_is_argument(row)) return row->name;
    return arena_printf(arena, "%s%c%s", row->name, row->traits & OPTION_JOINED ? '=' : ' ', row->word);
}

const char *option_value(struct arena *arena, const struct option_row *row, int index) {
    if (row->value) return row->value(index);
    if (row->kind != OPTION_CHOICE) return NULL;
    const char *at = row->word;
    for (; index > 0 && at; index--) at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL;
    return at ? arena_strndup(arena, at, strcspn(at, "|")) : NULL;
}

const char *option_notes(struct arena *arena, const struct option_row *row) {
    const char *notes = row->list ? "`help` lists the values" : "";
    if (row->traits & OPTION_REPEATS) notes = arena_printf(arena, "%s%smay be repeated", notes, *notes ? ", " : "");
    if (row->preset) notes = arena_printf(arena, "%s%sdefault %s", notes, *notes ? ", " : "", row->preset);
    return *notes ? arena_printf(arena, " (%s)", notes) : "";
}

const char *options_meaning(struct arena *arena, const struct options *o) {
    char *text = arena_printf(arena, "%s.%s%s", o->purpose, o->about ? " " : "", o->about ? o->about : "");
    if (*text >= 'a' && *text <= 'z') *text = (char)(*text - 'a' + 'A');
    return text;
}

static void add_word(struct arena *arena, const struct option_row *row, struct text *out) {
    const char *shown = row->kind == OPTION_CHOICE && option_is_argument(row) ? row->word : option_shown(arena, row);
    bool needed = row->traits & OPTION_NEEDED;
    text_addf(out, needed ? " %s" : " [%s]", shown);
}

void options_synopsis(const struct options *o, struct text *out, const char *between) {
    struct arena arena;
    bool others = false;
    const struct option_row *row;
    arena_init(&arena);
    text_addf(out, "rill %s", o->name);
    for (int i = 0; (row = options_row(o, i, NULL)); i++)
        if (option_is_argument(row) || row->traits & OPTION_NEEDED) add_word(&arena, row, out);
        else others |= !(row->traits & OPTION_ALONE);
    if (others) text_add(out, " [options]");
    for (int i = 0; (row = options_row(o, i, NULL)); i++)
        if (row->traits & OPTION_ALONE) text_addf(out, "%srill %s %s", between, o->name, option_shown(&arena, row));
    arena_free(&arena);
}
