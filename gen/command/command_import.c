// SPDX-License-Identifier: Apache-2.0
// rill import: turns a checkpoint, or an ONNX file (import_onnx.c), into a spec with a design for the board. gen/import
// reads the checkpoint. fit_board.c and fit_search.c find the design.
#include <string.h>

#include "gen/command/command.h"
#include "gen/command/import_onnx.h"
#include "gen/import/import.h"
#include "gen/pack/pack.h"
#include "gen/model/config_generation.h"
#include "gen/model/tokenizer.h"

struct import_run {
    struct import_options source;
    struct onnx_options onnx;
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

// Makes the text of the spec again, with paths relative to the folder where the file will be. The search used absolute
// paths.
static bool place_spec(struct import *m, const struct import_design *d, const char *dir, struct text *spec,
                       struct diag *diag) {
    text_free(spec);
    *spec = (struct text){0};
    import_place(m, dir);
    return import_spec(m, d, spec, diag);
}

// Asks the tokenizer, if present, which token begins a text. Returns false if there is no tokenizer, or if it cannot be
// used.
static bool ask_tokenizer(struct import *m, struct diag *diag) {
    if (!tokenizer_present(m->arena, m->o.source)) return false;
    const char *why;
    struct tokenizer *t = tokenizer_try(m->arena, m->o.source, &why);
    if (t) import_begin(m, tokenizer_bos(t));
    else diag_warning(diag, loc_file(m->arena, m->o.source), MSG_TOKENIZER_UNUSABLE_IMPORT, why);
    tokenizer_close(t);
    return t != NULL;
}

// Imports a checkpoint: reads it, finds a design, writes the spec and prints a table of what it read.
static bool import(const struct import_options *o, const char *dir, struct arena *arena, struct diag *diag) {
    struct import_design design;
    struct text spec = {0}, table = {0};
    struct import *m = import_read(o, arena, diag);
    bool texts = m && ask_tokenizer(m, diag); // there is a usable tokenizer, which must fit the model
    const char *file = m ? arena_printf(arena, "%s.yaml", m->name) : NULL;
    struct ir *ir = m ? command_fit(m, arena_printf(arena, "%s/%s", dir, file), &design, &spec, diag) : NULL;
    bool ok = ir && (!texts || pack_check_tokenizer(ir, o->source, diag)) && place_spec(m, &design, dir, &spec, diag) &&
              write_spec(arena, dir, file, &spec, diag);
    if (ok) {
        import_table(m, &design, &table);
        printf("%s\n%s/%s\n", text_cstr(&table), dir, file);
        config_warn_generation(arena, o->source, diag);
    }
    text_free(&spec);
    text_free(&table);
    return ok;
}

// Imports an ONNX file. Refuses the options that only checkpoints have.
static bool import_onnx(struct import_run *o, struct arena *arena, struct diag *diag) {
    o->onnx.source = o->source.source;
    o->onnx.name = o->source.name;
    const char *other = o->source.family        ? "--family"
                        : o->source.context     ? "--context"
                        : o->source.weights     ? "--weights"
                        : o->source.quick       ? "--quick"
                        : o->source.single_rate ? "--single-rate"
                                                : NULL;
    if (other) return diag_error(diag, loc_none(), MSG_ONNX_NOT_OPTION, other), false;
    return command_import_onnx(&o->onnx, o->source.board, o->dir, arena, diag);
}

// Imports a checkpoint. Refuses the options that only ONNX files have.
static bool import_checkpoint(const struct import_run *o, struct arena *arena, struct diag *diag) {
    const char *other = o->onnx.dims      ? "--dim"
                        : o->onnx.sets    ? "--set"
                        : o->onnx.cut     ? "--cut"
                        : o->onnx.on_chip ? "--on-chip"
                                          : NULL;
    if (other) return diag_error(diag, loc_none(), MSG_ONNX_OPTION, other), false;
    return import(&o->source, o->dir, arena, diag);
}

static int start(struct run *run, void *options) {
    struct import_run *o = options;
    bool onnx = onnx_is_model(o->source.source);
    bool ok = onnx ? import_onnx(o, &run->arena, &run->diag) : import_checkpoint(o, &run->arena, &run->diag);
    return ok ? RILL_OK : RILL_BAD_SPEC;
}
#define AT(member) offsetof(struct import_run, member)
static const struct option_row rows[] = {
    {"SOURCE", NULL, OPTION_FILE, OPTION_NEEDED, AT(source.source),
     .help = "a folder with config.json in Hugging Face format, a GGUF file, or an ONNX file (`.onnx`)"},
    {"-o", "DIR", OPTION_FILE, OPTION_NEEDED, AT(dir),
     .help = "folder for DIR/NAME.yaml, a spec for `rill check`, `rill gen` and `rill pack`"},
    {"--board", "BOARD", OPTION_WORD, 0, AT(source.board), .preset = "u55c", .names = "boards",
     .help = "name or file of the board"},
    {"--family", "FILE", OPTION_FILE, 0, AT(source.family),
     .help = "a family file, if none of the families that ship with Rill supports the checkpoint"},
    {"--context", "N", OPTION_NUMBER, 0, AT(source.context), .least = 1,
     .help = "most positions of a request (default: that of the family, and at most what the model was "
             "trained for)"},
    {"--weights", "int8|int4|int4_asym", OPTION_CHOICE, 0, AT(source.weights), .preset = "int8",
     .help = "format of the weights, for which the design is chosen"},
    {"--quick", NULL, OPTION_FLAG, 0, AT(source.quick),
     .help = "do not search for a design: take half of the board's memory channels and one clock"},
    {"--single-rate", NULL, OPTION_FLAG, 0, AT(source.single_rate),
     .help = "search only designs whose beats cross from die to die at the first clock (`design.crossings`)"},
    {"--name", "NAME", OPTION_WORD, 0, AT(source.name),
     .help = "name of the design (default: the names of SOURCE and of the board; of an ONNX file its name)"},
    {"--dim", "NAME=N", OPTION_CALL, OPTION_REPEATS, AT(onnx), .call = command_take_dim,
     .help = "ONNX: size of an axis that has a name and no number in the file"},
    {"--set", "NAME=VALUE", OPTION_CALL, OPTION_REPEATS, AT(onnx), .call = command_take_set,
     .help = "ONNX: an input becomes a constant; all of its elements have this value"},
    {"--on-chip", NULL, OPTION_FLAG, 0, AT(onnx.on_chip),
     .help = "ONNX: a design for a small network that keeps all weights on chip, with an engine for each product"},
    {"--cut", NULL, OPTION_FLAG, 0, AT(onnx.cut),
     .help = "ONNX: if not everything can be written, write the largest part that can, and say what the host computes"},
    {0}};

const struct command command_import = {
    .options = {.name = "import",
                .purpose = "make a spec from a checkpoint (a folder or a GGUF file) or an ONNX file",
                .about = "Lists what it read, what it assumed, and what is not supported.",
                .example = "rill import CHECKPOINT -o specs",
                .page = "models",
                .table = {{rows, 0}}},
    .size = sizeof(struct import_run),
    .start = start};
