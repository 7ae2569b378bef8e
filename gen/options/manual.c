// SPDX-License-Identifier: Apache-2.0
// The manual page, in roff.
#include <string.h>

#include "gen/options/walk.h"

// Adds text with escapes: in roff a backslash has a meaning, and so has a dot or a quote at the beginning of a line.
static void add_plain(struct text *out, const char *text) {
    bool begins = true;
    for (; *text; begins = *text++ == '\n') {
        if (begins && (*text == '.' || *text == '\'')) text_add(out, "\\&");
        if (*text == '\\') text_add(out, "\\e");
        else if (*text == '-') text_add(out, "\\-");
        else text_add_bytes(out, text, 1);
    }
}

static void add_line(struct text *out, const char *macro, const char *text) {
    text_add(out, macro);
    add_plain(out, text);
    text_add(out, "\n");
}

static void add_row(struct text *out, struct arena *arena, const struct option_row *row) {
    if (row->group) add_line(out, ".SS ", row->group);
    add_line(out, ".TP\n.B ", option_shown(arena, row));
    add_plain(out, row->help);
    add_plain(out, option_notes(arena, row));
    text_add(out, "\n");
}

static void add_command(struct text *out, struct arena *arena, const struct options *o) {
    struct text synopsis = {0};
    const struct option_row *row;
    text_add(out, ".SH \"RILL ");
    for (const char *c = o->name; *c; c++) text_addf(out, "%c", *c - 'a' + 'A');
    text_add(out, "\"\n");
    options_synopsis(o, &synopsis, "\n.br\n");
    text_add(out, ".PP\n");
    char *line = arena_strdup(arena, text_cstr(&synopsis));
    text_free(&synopsis);
    for (char *part = strtok(line, "\n"); part; part = strtok(NULL, "\n"))
        if (*part == '.') text_addf(out, "%s\n", part);
        else add_line(out, "", part);
    add_line(out, ".PP\n", options_meaning(arena, o));
    for (int i = 0; (row = options_row(o, i, NULL)); i++) add_row(out, arena, row);
}

void options_manual(const struct options *const *all, const char *version, struct text *out) {
    struct arena arena;
    arena_init(&arena);
    text_addf(out, ".TH RILL 1 \"\" \"rill %s\" \"User Commands\"\n", version);
    text_add(out,
             ".SH NAME\nrill \\- generate streaming accelerators in Verilog from a design spec\n.SH SYNOPSIS\n.B rill\n"
             "COMMAND ...\n.PP\n.B rill\n\\-\\-help | \\-\\-version\n.SH COMMANDS\n");
    for (int i = 0; all[i]; i++) {
        add_line(out, ".TP\n.B ", arena_printf(&arena, "rill %s", all[i]->name));
        add_line(out, "", all[i]->purpose);
    }
    for (int i = 0; all[i]; i++) add_command(out, &arena, all[i]);
    text_add(out,
             ".SH ENVIRONMENT\n.TP\n.B RILL_HOME\nfolder with the templates, boards and families to use instead of "
             "the installed ones\n.SH EXIT STATUS\n0 done, 1 wrong input or a failed check, 2 wrong command line, 3 "
             "internal "
             "error\n");
    arena_free(&arena);
}
