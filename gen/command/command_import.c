// SPDX-License-Identifier: Apache-2.0
// rill import: turns a checkpoint into a spec, using the family that fits it and a design for the board.
#include <string.h>

#include "gen/command/command.h"
#include "gen/import/import.h"
#include "gen/pack/pack.h"
#include "gen/model/tokenizer.h"

struct import_run {
    struct import_options source;
    const char *dir;
};

static bool write_spec(struct arena *arena, const char *dir, const char *name, const struct text *spec,
                       struct diag *diag) {
    struct output out;
    output_begin(&out, arena, dir);
    if (output_text(&out, name, spec) && output_commit(&out)) return true;
    output_abort(&out);
    diag_error_text(diag, loc_none(), out.error);
    return false;
}

// Writes the spec with paths that are right for the folder where it will be.
static bool place_spec(struct import *m, const struct import_design *d, const char *dir, struct text *spec,
                       struct diag *diag) {
    text_free(spec);
    *spec = (struct text){0};
    import_place(m, dir);
    return import_spec(m, d, spec, diag);
}

// Asks the tokenizer, if present, which id begins a text. False: there is no tokenizer, or it cannot be used.
static bool ask_tokenizer(struct import *m, struct diag *diag) {
    if (!tokenizer_present(m->arena, m->o.source)) return false;
    const char *why;
    struct tokenizer *t = tokenizer_try(m->arena, m->o.source, &why);
    if (t) import_begin(m, tokenizer_bos(t));
    else diag_warning(diag, loc_file(m->arena, m->o.source), MSG_TOKENIZER_UNUSABLE_IMPORT, why);
    tokenizer_close(t);
    return t != NULL;
}

static bool import(const struct import_options *o, const char *dir, struct arena *arena, struct diag *diag) {
    struct import_design design;
    struct text spec = {0}, table = {0};
    struct import *m = import_read(o, arena, diag);
    bool texts = m && ask_tokenizer(m, diag);
    const char *file = m ? arena_printf(arena, "%s.yaml", m->name) : NULL;
    struct ir *ir = m ? command_fit(m, arena_printf(arena, "%s/%s", dir, file), &design, &spec, diag) : NULL;
    bool ok = ir && (!texts || pack_check_tokenizer(ir, o->source, diag)) && place_spec(m, &design, dir, &spec, diag) &&
              write_spec(arena, dir, file, &spec, diag);
    if (ok) {
        import_table(m, &design, &table);
        printf("%s\n%s/%s\n", text_cstr(&table), dir, file);
    }
    text_free(&spec);
    text_free(&table);
    return ok;
}

static int start(struct run *run, void *options) {
    const struct import_run *o = options;
    return import(&o->source, o->dir, &run->arena, &run->diag) ? RILL_OK : RILL_BAD_SPEC;
}

#define AT(member) offsetof(struct import_run, member)
static const struct option_row rows[] = {
    {"SOURCE", NULL, OPTION_FILE, OPTION_NEEDED, AT(source.source),
     .help = "a folder with config.json in Hugging Face format, or a GGUF file"},
    {"-o", "DIR", OPTION_FILE, OPTION_NEEDED, AT(dir),
     .help = "folder for DIR/NAME.yaml, a spec for `rill check`, `rill gen` and `rill pack`"},
    {"--board", "BOARD", OPTION_WORD, 0, AT(source.board), .preset = "u55c", .names = "boards",
     .help = "name or file of the board"},
    {"--family", "FILE", OPTION_FILE, 0, AT(source.family),
     .help = "a family file, if none of the families that ship with Rill supports the checkpoint"},
    {"--context", "N", OPTION_NUMBER, 0, AT(source.context), .least = 1,
     .help = "most positions of a request (default: that of the family, and at most what the model was "
             "trained for)"},
    {"--name", "NAME", OPTION_WORD, 0, AT(source.name),
     .help = "name of the design (default: the names of SOURCE and of the board)"},
    {0}};

const struct command command_import = {
    .options = {.name = "import",
                .purpose = "make a spec from a checkpoint (a folder or a GGUF file)",
                .about = "Lists what it read, what it assumed, and what is not supported.",
                .example = "rill import CHECKPOINT -o specs",
                .page = "models",
                .table = {{rows, 0}}},
    .size = sizeof(struct import_run),
    .start = start};
