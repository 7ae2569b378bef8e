// SPDX-License-Identifier: Apache-2.0
// rill pack: spec and weights -> memory image, golden weights, manifest. All files appear together or not at all.
#include <string.h>

#include "command.h"
#include "pack.h"

static const char usage[] = "usage: rill pack SPEC --weights MODELDIR|random:SEED -o DIR\n"
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

int command_pack(int argc, char **argv) {
    struct pack_options o = {0};
    if (argc == 2 && !strcmp(argv[1], "--help")) return fputs(usage, stdout), RILL_OK;
    if (!parse(argc, argv, &o)) return fputs(usage, stderr), RILL_USAGE;
    struct arena arena;
    struct diag diag;
    arena_init(&arena);
    diag_init(&diag, stderr);
    struct ir *ir = command_build(o.spec, &arena, &diag, NULL);
    bool ok = false;
    if (ir) {
        struct output out;
        output_begin(&out, &arena, o.dir);
        ok = pack_image(ir, o.weights, &out, &diag);
        if (!ok) output_abort(&out);
        else if (!output_commit(&out)) {
            diag_error(&diag, loc_none(), "%s", out.error);
            ok = false;
        }
    }
    arena_free(&arena);
    return ok ? RILL_OK : RILL_BAD_SPEC;
}
