// SPDX-License-Identifier: Apache-2.0
// rill pack: spec and weights -> memory image, golden weights, manifest. All files appear together or not at all.
#include <string.h>

#include "command.h"
#include "pack.h"

static const char usage[] =
    "usage: rill pack SPEC --weights MODELDIR|random:SEED -o DIR\n"
    "  MODELDIR     config.json, model.safetensors and the tokenizer's files, Hugging Face names\n"
    "  random:SEED  weights of the spec's shapes and plausible statistics\n"
    "  -o DIR       DIR/image: channel_NN.bin, golden.bin, manifest.json\n";

struct pack_options {
    const char *spec, *weights, *dir;
};

static bool parse(int argc, char **argv, struct pack_options *o) {
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-o") && i + 1 < argc) o->dir = argv[++i];
        else if (!strcmp(argv[i], "--weights") && i + 1 < argc) o->weights = argv[++i];
        else if (argv[i][0] != '-' && !o->spec) o->spec = argv[i];
        else return false;
    }
    return o->spec && o->weights && o->dir;
}

static bool pack_into(const struct ir *ir, const struct pack_options *o, struct diag *diag) {
    struct output out;
    output_begin(&out, ir->arena, o->dir);
    if (!pack_image(ir, o->weights, &out, diag)) {
        output_abort(&out);
        return false;
    }
    if (output_commit(&out)) return true;
    diag_error(diag, loc_none(), "%s", out.error);
    return false;
}

int command_pack(int argc, char **argv) {
    struct pack_options o = {0};
    int status = command_arguments("pack", usage, argc, argv);
    if (status != COMMAND_GOES_ON) return status;
    if (!parse(argc, argv, &o)) return command_usage(usage);
    struct arena arena;
    struct diag diag;
    arena_init(&arena);
    diag_init(&diag, stderr);
    struct ir *ir = command_build(o.spec, &arena, &diag, NULL);
    bool ok = ir && pack_into(ir, &o, &diag);
    arena_free(&arena);
    return ok ? RILL_OK : RILL_BAD_SPEC;
}
