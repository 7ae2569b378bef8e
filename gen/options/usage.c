// SPDX-License-Identifier: Apache-2.0
// Writes the usage of a command (its purpose, arguments, options by group and example) and the list of commands.
#include <string.h>

#include "gen/options/walk.h"

// LINE: columns of a line. WIDEST: columns of an option with its value; the help of a wider one is on the next line.
enum { LINE = 100, WIDEST = 24 };

// Adds words from column `at` of the current line on. Further lines begin at column `left`.
static void add_wrapped(struct text *out, const char *words, size_t at, size_t left) {
    for (const char *space = ""; *words; words += strspn(words, " ")) {
        size_t len = strcspn(words, " ");
        if (at + strlen(space) + len > LINE) {
            text_addf(out, "\n%*s", (int)left, "");
            at = left, space = "";
        }
        text_add(out, space);
        text_add_bytes(out, words, len);
        at += strlen(space) + len;
        space = " ";
        words += len;
    }
    text_add(out, "\n");
}

// Returns the column at which the help texts begin: after the widest option of at most WIDEST columns.
static size_t column(const struct options *o, struct arena *arena) {
    size_t widest = 0;
    const struct option_row *row;
    for (int i = 0; (row = options_row(o, i, NULL)); i++) {
        size_t len = strlen(option_shown(arena, row));
        if (len <= WIDEST && len > widest) widest = len;
    }
    return widest + 4;
}

static void add_row(struct text *out, struct arena *arena, const struct option_row *row, size_t left) {
    const char *shown = option_shown(arena, row);
    bool wide = strlen(shown) + 4 > left;
    text_addf(out, "  %s", shown);
    if (wide) text_addf(out, "\n%*s", (int)left, "");
    else text_addf(out, "%*s", (int)(left - 2 - strlen(shown)), "");
    add_wrapped(out, arena_printf(arena, "%s%s", row->help, option_notes(arena, row)), left, left);
}

// Adds the example and the page that says more.
static void add_example(struct text *out, const struct options *o) {
    if (o->example) text_addf(out, "\n%s:\n", strchr(o->example, '\n') ? "Examples" : "Example");
    for (const char *line = o->example; line && *line; line += strspn(line, "\n")) {
        size_t len = strcspn(line, "\n");
        text_addf(out, "  %.*s\n", (int)len, line);
        line += len;
    }
    if (o->page) text_addf(out, "\nMore: docs/%s.md\n", o->page);
}

void options_usage(const struct options *o, struct text *out) {
    struct arena arena;
    const struct option_row *row;
    arena_init(&arena);
    text_add(out, "usage: ");
    options_synopsis(o, out, "\n       ");
    text_add(out, "\n\n");
    add_wrapped(out, options_meaning(&arena, o), 0, 0);
    size_t left = column(o, &arena);
    for (int i = 0; (row = options_row(o, i, NULL)); i++) {
        if (row->group) text_addf(out, "\n%s:\n", row->group);
        else if (i == 0) text_add(out, "\n");
        add_row(out, &arena, row, left);
    }
    add_example(out, o);
    arena_free(&arena);
}

void options_commands(const struct options *const *all, struct text *out) {
    for (; *all; all++) text_addf(out, "  rill %-10s  %s\n", (*all)->name, (*all)->purpose);
}
