// SPDX-License-Identifier: Apache-2.0
// The design's keys for an imported model and a board: the first of some designs that the estimates put within the
// board's limits, the fastest first.
#include <stdlib.h>

#include "gen/command.h"
#include "gen/emit/emit_report.h"
#include "include/import.h"
#include "include/spec.h"

// Positions of a step and lanes, the fastest first: of all memory channels, then of half of them, and so on.
struct rung {
    int tokens, lanes;
};
static const struct rung rungs[] = {{8, 16}, {8, 8}, {4, 8}, {2, 8}, {1, 8}, {1, 4}, {1, 2}, {1, 1}};
enum { RUNGS = COUNT_OF(rungs), MOST_SHARE = 8, BEAT_BITS = 512, FEW_LANES = 4 };

struct fitting {
    const struct import *m;
    const char *path;
    struct rung rung[RUNGS]; // those whose lanes the family allows
    int count;
};

// Lanes that are slower than the memory are left out where others are legal.
static void find_rungs(struct fitting *f) {
    for (int i = 0; i < RUNGS; i++)
        if (family_allows(f->m->values, "design.lanes", rungs[i].lanes, f->m->arena) &&
            !(f->count && rungs[i].lanes < FEW_LANES))
            f->rung[f->count++] = rungs[i];
    if (!f->count) f->rung[f->count++] = rungs[RUNGS - 1]; // the family's check will say why
}

static struct import_design design_of(const struct fitting *f, int share, int rung) {
    int most = f->m->device->hbm.channels, channels = (most < SPEC_MAX_CHANNELS ? most : SPEC_MAX_CHANNELS) / share;
    return (struct import_design){.channels = channels > 0 ? channels : 1,
                                  .lanes = f->rung[rung].lanes,
                                  .tokens = f->rung[rung].tokens,
                                  .arrays = 1,
                                  .beat_bits = BEAT_BITS};
}

static struct ir *build(const struct fitting *f, const struct import_design *d, struct text *spec, struct diag *diag) {
    text_free(spec);
    if (!import_spec(f->m, d, spec, diag)) return NULL;
    const struct rill_spec *read = rill_spec_read_bytes(f->path, text_cstr(spec), spec->len, f->m->arena, diag);
    return read ? command_build_spec(read, f->m->arena, diag, NULL) : NULL;
}

// Built without a word about the board's limits, or NULL.
static struct ir *build_fitting(const struct fitting *f, const struct import_design *d, struct text *spec) {
    struct diag silent;
    char *said = NULL;
    size_t len;
    struct arena_mark mark = arena_mark(f->m->arena);
    diag_init(&silent, open_memstream(&said, &len));
    struct ir *ir = build(f, d, spec, &silent);
    if (ir) emit_report_capacity(ir, loc_none(), &silent);
    fclose(silent.out);
    free(said);
    if (ir && !silent.warnings && !silent.errors) return ir;
    arena_release(f->m->arena, mark);
    return NULL;
}

// Of these channels: the first, else, where the last fits, the first between them that does.
static struct ir *build_share(const struct fitting *f, int share, struct import_design *d, struct text *spec) {
    *d = design_of(f, share, 0);
    struct ir *ir = build_fitting(f, d, spec);
    struct arena_mark mark = arena_mark(f->m->arena);
    if (ir || f->count == 1) return ir;
    *d = design_of(f, share, f->count - 1);
    if (!build_fitting(f, d, spec)) return NULL;
    arena_release(f->m->arena, mark);
    for (int i = 1; !ir && i < f->count; i++) {
        *d = design_of(f, share, i);
        ir = build_fitting(f, d, spec);
    }
    return ir;
}

struct ir *command_fit(const struct import *m, const char *path, struct import_design *d, struct text *spec,
                       struct diag *diag) {
    struct fitting f = {.m = m, .path = path};
    struct ir *ir = NULL;
    find_rungs(&f);
    for (int share = 1; !ir && share <= MOST_SHARE; share *= 2) ir = build_share(&f, share, d, spec);
    d->fits = ir;
    if (ir) return ir;
    *d = design_of(&f, 1, f.count - 1);
    return build(&f, d, spec, diag);
}
