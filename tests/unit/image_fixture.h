// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of images and of the replay: a scratch folder, designs from spec text, images packed into the
// folder.
#ifndef RILL_IMAGE_FIXTURE_H
#define RILL_IMAGE_FIXTURE_H

#include "tests/unit/model_fixture.h"

#include <ftw.h>
#include <unistd.h>

#include "gen/command/command.h"
#include "gen/pack/pack.h"

struct image_fixture {
    struct fixture f;
    char dir[64]; // the scratch folder, which image_end removes
};

// Makes the scratch folder. The caller calls image_end, which removes the folder and frees the arena.
static inline void image_begin(struct image_fixture *x) {
    fixture_begin(&x->f);
    strcpy(x->dir, "/tmp/rill-test-XXXXXX");
    assert_non_null(mkdtemp(x->dir));
}

static inline int image_remove(const char *path, const struct stat *st, int type, struct FTW *ftw) {
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

static inline void image_end(struct image_fixture *x) {
    nftw(x->dir, image_remove, 16, FTW_DEPTH | FTW_PHYS);
    fixture_end(&x->f);
}

// Returns the path of a name in the scratch folder.
static inline const char *image_path(struct image_fixture *x, const char *name) {
    return arena_printf(&x->f.arena, "%s/%s", x->dir, name);
}

// Returns the design of a spec that is given as text, after the pass `stop_after` or, if it is NULL, after all passes.
// Fails the test if there is an error.
static inline struct ir *image_build(struct image_fixture *x, const char *spec, const char *stop_after) {
    const char *path = image_path(x, "spec.yaml");
    write_file(path, spec, strlen(spec));
    struct ir *ir = command_build(path, &x->f.arena, &x->f.diag, stop_after);
    unlink(path);
    assert_no_errors(&x->f);
    assert_non_null(ir);
    return ir;
}

// Packs the weights of `source` (as for `rill pack --weights`) into the subfolder `name` of the scratch folder.
// golden_only: writes only the part of the image that the replay needs. Returns the image's folder, or NULL after an
// error, which is in x->f.diag. image_pack and image_pack_golden fail the test instead.
static inline const char *image_try(struct image_fixture *x, const struct ir *ir, const char *source, const char *name,
                                    bool golden_only) {
    struct output out;
    output_begin(&out, &x->f.arena, image_path(x, name));
    bool ok =
        golden_only ? pack_golden(ir, source, &out, &x->f.diag) : pack_image_by(ir, source, NULL, &out, &x->f.diag);
    if (!ok) output_abort(&out);
    else if (!output_commit(&out)) {
        diag_error(&x->f.diag, loc_none(), "%s", out.error);
        ok = false;
    }
    return ok ? arena_printf(&x->f.arena, "%s/%s/image", x->dir, name) : NULL;
}

static inline const char *image_pack(struct image_fixture *x, const struct ir *ir, const char *source,
                                     const char *name) {
    const char *dir = image_try(x, ir, source, name, false);
    assert_no_errors(&x->f);
    assert_non_null(dir);
    return dir;
}

static inline const char *image_pack_golden(struct image_fixture *x, const struct ir *ir, const char *source,
                                            const char *name) {
    const char *dir = image_try(x, ir, source, name, true);
    assert_no_errors(&x->f);
    assert_non_null(dir);
    return dir;
}

// Returns the index of a node of the graph. Fails the test if there is no such node.
static inline int image_node(const struct ir *ir, const char *name) {
    for (int n = 0; n < ir->nodes; n++)
        if (!strcmp(ir->node[n].name, name)) return n;
    fail_msg("no node `%s`", name);
    return IR_NONE;
}

// Returns a spec of the shipped model with these lines below `design:` (each indented by two, with a line feed).
static inline const char *image_tinystories(struct image_fixture *x, const char *design) {
    return arena_printf(&x->f.arena,
                        "name: t\nmodel:\n  family: gpt2\n  layers: 4\n  hidden: 128\n  heads: 4\n  ffn: 512\n  vocab: "
                        "1024\n  context: 256\n"
                        "  bos: 1023\n  eot: 1023\nboard: u55c\ndesign:\n%s",
                        design);
}

#endif
