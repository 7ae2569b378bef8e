// SPDX-License-Identifier: Apache-2.0
// rill import: a checkpoint -> a spec with the family that is for it and a design for the board.
#include <string.h>

#include "gen/command.h"
#include "include/import.h"
#include "include/pack.h"

static const char usage[] =
    "usage: rill import SOURCE -o DIR [--board BOARD] [--family FILE] [--context N] [--name NAME]\n"
    "  SOURCE         a folder with config.json, Hugging Face names, or a GGUF file\n"
    "  -o DIR         DIR/NAME.yaml, a spec for `rill check`, `rill gen` and `rill pack`\n"
    "  --board BOARD  a board's name or file (default: u55c)\n"
    "  --family FILE  a family's file, where none of the installation is for the checkpoint\n"
    "  --context N    positions of the design (default: the family's, at most what the model was trained for)\n"
    "  --name NAME    name of the design (default: SOURCE's and the board's)\n";

static bool parse(int argc, char **argv, struct import_options *o, const char **dir) {
    for (int i = 1; i < argc; i++) {
        bool more = i + 1 < argc;
        if (!strcmp(argv[i], "-o") && more) *dir = argv[++i];
        else if (!strcmp(argv[i], "--board") && more) o->board = argv[++i];
        else if (!strcmp(argv[i], "--family") && more) o->family = argv[++i];
        else if (!strcmp(argv[i], "--name") && more) o->name = argv[++i];
        else if (!strcmp(argv[i], "--context") && more) {
            if (!command_number("import", argv[i], argv[i + 1], 1, &o->context)) return false;
            i++;
        } else if (argv[i][0] != '-' && !o->source) o->source = argv[i];
        else return false;
    }
    return o->source && *dir;
}

static bool write_spec(struct arena *arena, const char *dir, const char *name, const struct text *spec,
                       struct diag *diag) {
    struct output out;
    output_begin(&out, arena, dir);
    if (output_text(&out, name, spec) && output_commit(&out)) return true;
    output_abort(&out);
    diag_error(diag, loc_none(), "%s", out.error);
    return false;
}

static bool import(const struct import_options *o, const char *dir, struct arena *arena, struct diag *diag) {
    struct import_design design;
    struct text spec = {0}, table = {0};
    struct import *m = import_read(o, arena, diag);
    const char *file = m ? arena_printf(arena, "%s.yaml", m->name) : NULL;
    struct ir *ir = m ? command_fit(m, arena_printf(arena, "%s/%s", dir, file), &design, &spec, diag) : NULL;
    bool ok = ir && pack_check_tokenizer(ir, o->source, diag) && write_spec(arena, dir, file, &spec, diag);
    if (ok) {
        import_table(m, &design, &table);
        printf("%s\n%s/%s\n", text_cstr(&table), dir, file);
    }
    text_free(&spec);
    text_free(&table);
    return ok;
}

int command_import(int argc, char **argv) {
    struct import_options o = {.board = "u55c"};
    const char *dir = NULL;
    int status = command_arguments("import", usage, argc, argv);
    if (status != COMMAND_GOES_ON) return status;
    if (!parse(argc, argv, &o, &dir))
        return command_missing("import", usage, !o.source ? "SOURCE" : !dir ? "`-o DIR`" : NULL);
    struct arena arena;
    struct diag diag;
    arena_init(&arena);
    diag_init(&diag, stderr);
    bool ok = import(&o, dir, &arena, &diag);
    arena_free(&arena);
    return ok ? RILL_OK : RILL_BAD_SPEC;
}
