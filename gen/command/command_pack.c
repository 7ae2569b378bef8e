// SPDX-License-Identifier: Apache-2.0
// rill pack: turns a spec and weights into memory image, golden weights and manifest (gen/pack). All files appear
// together or not at all.
#include <string.h>

#include "gen/command/command.h"
#include "gen/command/command_calibrate.h"
#include "gen/model/checkpoint.h"
#include "gen/pack/pack.h"

struct pack_options {
    const char *spec, *weights, *dir;
    bool force;
    struct calibrate_options calibrate;
};

// Returns whether `rill gen` wrote the folder for exactly this design. An image in the folder that does not fit the
// design is then stale and may be replaced.
static bool is_folder_of(const struct ir *ir, const char *dir) {
    struct text design = {0};
    size_t len;
    const char *why,
        *text = file_read(ir->arena, arena_printf(ir->arena, "%s/design.yaml", dir), 256 << 20, &len, &why);
    ir_write_text(ir, &design);
    bool same = text && len == design.len && !memcmp(text, design.data, len);
    text_free(&design);
    return same;
}

// Returns whether the image folder may be written. Protects another design's image, which may have taken long to make,
// from a mistyped folder name.
static bool may_write(const struct ir *ir, const struct pack_options *o, struct diag *diag) {
    const char *image = arena_printf(ir->arena, "%s/image", o->dir), *what = pack_foreign_image(ir, image);
    if (!what || o->force || is_folder_of(ir, o->dir)) return true;
    diag_error(diag, loc_file(ir->arena, image), MSG_IMAGE_OF_OTHER, what);
    diag_note(diag, loc_none(), "pack into another folder, or replace it with --force");
    return false;
}

// ---- calibration ----

// Reads the graph for the oracle: from the spec with its golden files, or, for a dump, from the text of the spec in it.
static struct oracle_graph *read_graph(const struct ir *ir, const char *path, struct diag *diag) {
    size_t len;
    const char *why, *text = file_read(ir->arena, path, 256 << 20, &len, &why);
    bool dump = text && !strncmp(text, "# rill ir", 9);
    if (!dump) return oracle_read(ir->arena, path, diag);
    if (ir->spec) return oracle_read_text(ir->arena, ir->name, ir->spec, ir->family, diag);
    diag_error(diag, loc_file(ir->arena, path), MSG_CALIBRATION_DUMP);
    return NULL;
}

// Opens checkpoint and tokenizer, and measures or reads the statistics. Returns NULL after an error.
static const struct statistics *calibrate(const struct ir *ir, const struct pack_options *o, struct diag *diag) {
    struct calibrate_run run = {.options = &o->calibrate, .spec = o->spec, .graph = read_graph(ir, o->spec, diag)};
    struct tokenizer *tokenizer = NULL;
    const struct statistics *s = NULL;
    bool random = !strncmp(o->weights, "random:", 7);
    if (run.graph) run.checkpoint = pack_open_checkpoint(ir, o->weights, diag);
    if (run.checkpoint)
        run.tokenizer = tokenizer = random ? tokenizer_open_bytes(ir->arena, oracle_vocabulary(run.graph))
                                           : tokenizer_open(ir->arena, o->weights, diag);
    if (tokenizer) s = calibrate_run(&run, ir->arena, diag);
    tokenizer_close(tokenizer);
    checkpoint_close(run.checkpoint);
    return s;
}

// Writes measured statistics next to the image, unless --statistics names a file for them.
static bool keep(const struct statistics *s, const struct pack_options *o, struct output *out, struct diag *diag) {
    struct text file = {0};
    if (!o->calibrate.text || o->calibrate.statistics) return true;
    statistics_write(s, &file);
    bool ok = output_text(out, "image/statistics.json", &file);
    text_free(&file);
    if (!ok) diag_error_text(diag, loc_none(), out->error);
    return ok;
}

// Writes the image folder, with statistics if they are asked for. Returns false after an error.
static bool pack_into(const struct ir *ir, const struct pack_options *o, struct diag *diag) {
    struct output out;
    const struct statistics *by = calibrate_asked(&o->calibrate) ? calibrate(ir, o, diag) : NULL;
    if (calibrate_asked(&o->calibrate) && !by) return false;
    output_begin(&out, ir->arena, o->dir);
    if (!pack_image_by(ir, o->weights, by, &out, diag) || !keep(by, o, &out, diag)) {
        output_abort(&out);
        return false;
    }
    if (output_commit(&out)) return true;
    diag_error_text(diag, loc_none(), out.error);
    return false;
}

static int start(struct run *run, void *options) {
    const struct pack_options *o = options;
    struct ir *ir = command_build(o->spec, &run->arena, &run->diag, NULL);
    bool ok = ir && may_write(ir, o, &run->diag) && pack_into(ir, o, &run->diag);
    return ok ? RILL_OK : RILL_BAD_SPEC;
}

#define AT(member) offsetof(struct pack_options, member)
static const struct option_row rows[] = {
    {"SPEC", NULL, OPTION_FILE, OPTION_NEEDED, AT(spec), .help = "a design spec, or an IR dump"},
    {"--weights", "MODELDIR|random:SEED", OPTION_FILE, OPTION_NEEDED, AT(weights),
     .help = "a folder with config.json, model.safetensors and the tokenizer in Hugging Face format; a "
             "GGUF file; or random weights of the right shapes with plausible statistics"},
    {"-o", "DIR", OPTION_FILE, OPTION_NEEDED, AT(dir),
     .help = "folder of the design, or any other. Writes DIR/image: channel_NN.bin, golden.bin, "
             "manifest.json"},
    {"--force", NULL, OPTION_FLAG, 0, AT(force),
     .help = "overwrite DIR/image even if it holds the image of another design"},
    {0}};

const struct command command_pack = {.options = {.name = "pack",
                                                 .purpose = "quantize the weights and write the memory image",
                                                 .example = "rill pack model.yaml --weights CHECKPOINT -o design",
                                                 .page = "models",
                                                 .table = {{rows, 0}, {calibrate_rows, AT(calibrate)}}},
                                     .size = sizeof(struct pack_options),
                                     .start = start};
