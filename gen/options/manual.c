// SPDX-License-Identifier: Apache-2.0
// Writes the manual page of all commands in roff, from their tables of options.
#include <string.h>

#include "gen/options/walk.h"

// Adds text with escapes. In roff a backslash has a meaning, and so has a dot or a single quote at the beginning of a
// line. A plain `-` may be printed as a typographic hyphen, which a shell does not accept in a copied command.
static void add_plain(struct text *out, const char *text) {
    bool begins = true;
    for (; *text; begins = *text++ == '\n') {
        if (begins && (*text == '.' || *text == '\'')) text_add(out, "\\&");
        if (*text == '\\') text_add(out, "\\e");
        else if (*text == '-') text_add(out, "\\-");
        else text_add_bytes(out, text, 1);
    }
}

// Adds a macro of roff, or "", and one line of text.
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

// Adds the example, with its lines as the user types them, and the page that says more.
static void add_example(struct text *out, const struct options *o) {
    if (o->example) {
        text_add(out, ".SS Example\n.nf\n");
        add_line(out, "", o->example);
        text_add(out, ".fi\n");
    }
    if (o->page) text_addf(out, ".PP\nMore: docs/%s.md\n", o->page);
}

// Adds the section of a command: synopsis, meaning, options, example.
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
    add_example(out, o);
}

void options_manual(const struct options *const *all, const char *version, struct text *out) {
    struct arena arena;
    arena_init(&arena);
    text_addf(out, ".TH RILL 1 \"\" \"rill %s\" \"User Commands\"\n", version);
    text_add(out,
             ".SH NAME\nrill \\- generate streaming accelerators in Verilog from a design spec\n.SH SYNOPSIS\n.B rill\n"
             "COMMAND ...\n.PP\n.B rill\n\\-\\-help | \\-\\-version\n.SH DESCRIPTION\n"
             "Rill turns a YAML spec of a language model, or of any dataflow graph, into synthesizable Verilog for an "
             "FPGA with HBM. It also packs the weights, simulates the design and compares it with a bit-exact "
             "reference model, forecasts its speed, and makes a package for Vivado and Vitis.\n.PP\n"
             "From a checkpoint to a simulated design:\n.PP\n.nf\n"
             "rill import CHECKPOINT \\-o specs              # writes specs/NAME.yaml\n"
             "rill check specs/NAME.yaml                   # resources and speed, by estimate\n"
             "rill gen specs/NAME.yaml \\-o design           # writes the Verilog\n"
             "rill pack specs/NAME.yaml \\-\\-weights CHECKPOINT \\-o design\n"
             "rill sim design \\-\\-prompt \"Once upon a time\" \\-\\-tokens 16\n"
             ".fi\n.PP\n"
             "Every message of an error ends with an id in brackets;\n.B rill explain ID\n"
             "says what it means and what to do.\n.SH COMMANDS\n");
    for (int i = 0; all[i]; i++) {
        add_line(out, ".TP\n.B ", arena_printf(&arena, "rill %s", all[i]->name));
        add_line(out, "", all[i]->purpose);
    }
    for (int i = 0; all[i]; i++) add_command(out, &arena, all[i]);
    text_add(
        out,
        ".SH ENVIRONMENT\n.TP\n.B RILL_HOME\nfolder with the templates, boards and families to use instead of "
        "the installed ones\n.TP\n.B RILL_QUICK_BUILD\n1 does the same as \\-\\-quick\\-build of rill sim\n.TP\n"
        ".B RILL_PUMPED\n1 does the same as \\-\\-pumped of rill sim\n.TP\n.B CC\ncompiler for the C functions of "
        "custom kernels (default cc)\n.TP\n.B RILL_KERNEL_SECONDS\nseconds after which the C function of a custom "
        "kernel counts as hung\n"
        ".TP\n.B TMPDIR\nfolder for temporary files (default /tmp)\n.SH EXIT STATUS\n.TP\n.B 0\ndone\n.TP\n.B 1\n"
        "the input is wrong, or a check failed\n.TP\n.B 2\nthe command line is wrong\n.TP\n.B 3\nan internal check "
        "of Rill failed, which is a bug\n");
    arena_free(&arena);
}
