// SPDX-License-Identifier: Apache-2.0
// Chooses the keys under `design` for an imported model and a board. The search for channels, `A` and `pump`
// (fit_search.c) begins with the most lanes and tokens per step, and with a long prefetch. If no design within the
// board's limits is found, the search is repeated without the long prefetch, and then with fewer lanes or tokens.
#include <stdlib.h>
#include <string.h>

#include "gen/command/command.h"
#include "gen/command/fit.h"
#include "gen/cost/cost.h"
#include "gen/ir/ops.h"
#include "gen/report/design_report.h"
#include "gen/spec/spec.h"

// A choice of tokens per step and lanes. The fastest rung comes first.
struct rung {
    int tokens, lanes;
};
static const struct rung rungs[] = {{8, 16}, {8, 8}, {4, 8}, {2, 8}, {1, 8}, {1, 4}, {1, 2}, {1, 1}};
enum { RUNGS = COUNT_OF(rungs), BEAT_BITS = 512, FEW_LANES = 4 };
// Depth of each channel's prefetch FIFO with the long prefetch, in beats. A block RAM at its full width has 512 words,
// so a shorter FIFO in block RAMs would not need fewer of them.
enum { BEATS_AHEAD = 512 };

struct ladder {
    struct rung rung[RUNGS]; // the rungs whose lanes the family allows
    int count;
};

// Collects the rungs to try. Designs with fewer than FEW_LANES lanes are slower than the memory, so they are only tried
// if the family does not allow more lanes.
static void find_rungs(const struct fitting *f, struct ladder *l) {
    for (int i = 0; i < RUNGS; i++)
        if (family_allows(f->m->values, "design.lanes", rungs[i].lanes, f->m->arena) &&
            !(l->count && rungs[i].lanes < FEW_LANES))
            l->rung[l->count++] = rungs[i];
    if (!l->count) l->rung[l->count++] = rungs[RUNGS - 1]; // the family's check then reports the reason
}

// Returns the design of a rung with as many channels as possible and otherwise plain choices.
static struct import_design design_of(const struct fitting *f, const struct rung *r) {
    const struct rill_device *device = f->m->device;
    int most = device->hbm.channels, channels = most < SPEC_MAX_CHANNELS ? most : SPEC_MAX_CHANNELS;
    return (struct import_design){.channels = channels > 0 ? channels : 1,
                                  .lanes = r->lanes,
                                  .tokens = r->tokens,
                                  .copies = 1,
                                  .dies = device->slr_count > 1 ? (int)device->slr_count : 0,
                                  .beat_bits = BEAT_BITS};
}

// Makes the spec of a design and builds it up to the pass `last` (NULL: all). Returns NULL after an error.
static struct ir *build(const struct fitting *f, const struct import_design *d, struct text *spec, const char *last,
                        struct diag *diag) {
    text_free(spec);
    if (!import_spec(f->m, d, spec, diag)) return NULL;
    const struct rill_spec *read = rill_spec_read_bytes(f->path, text_cstr(spec), spec->len, f->m->arena, diag);
    return read ? command_build_spec(read, f->m->arena, diag, last) : NULL;
}

// Returns the first warning in a text of messages, without its place, or NULL.
static const char *first_warning(struct arena *arena, const char *said) {
    static const char mark[] = "warning: ";
    const char *at = strstr(said, mark);
    return at ? arena_strndup(arena, at + sizeof mark - 1, strcspn(at + sizeof mark - 1, "\n")) : NULL;
}

// Builds up to the pass `last` (NULL: all) without messages. Returns NULL, and releases the design, if it has an error
// or a warning. *why: see fit_build.
static struct ir *build_silently(const struct fitting *f, const struct import_design *d, struct text *spec,
                                 const char *last, const char **why) {
    struct diag silent;
    char *said = NULL;
    size_t len;
    struct arena_mark mark = arena_mark(f->m->arena);
    diag_init(&silent, open_memstream(&said, &len));
    struct ir *ir = build(f, d, spec, last, &silent);
    if (ir && !last) design_report_capacity(ir, loc_none(), &silent);
    fclose(silent.out);
    bool fits = ir && !silent.warnings && !silent.errors;
    if (!fits) arena_release(f->m->arena, mark);
    if (why) *why = fits ? NULL : first_warning(f->m->arena, said);
    free(said);
    return fits ? ir : NULL;
}

struct ir *fit_build(const struct fitting *f, const struct import_design *d, struct text *spec, const char **why) {
    return build_silently(f, d, spec, NULL, why);
}

// ---- lanes for long contexts ----

// WAIT_SHARE: a wait for scores matters if it is more than one WAIT_SHARE-th (a tenth) of the bound of a step's cycles.
// UNROLL: value of the key `unroll` in a design with twice the lanes, which keeps the vector kernels about as wide as
// before. MOST_LANES: most lanes that a design may have.
enum { WAIT_SHARE = 10, UNROLL = 160, MOST_LANES = 32 };

// Returns for how many cycles of a decode step at half the context the engine waits until its scores have left. The
// engine makes a score in each of its lanes at once, but the words that carry scores away hold fewer of them.
static int64_t scores_wait(const struct ir *ir) {
    int64_t position = ir->design.context / 2, cycles = 0;
    for (int k = 0; k < ir->kernels; k++) {
        const struct ir_kernel *kernel = &ir->kernel[k];
        int64_t words = 0;
        for (int p = 0; kernel->node != IR_NONE && ir_node_is(ir, kernel->node, OP_OF_SCORES) && p < kernel->ports; p++)
            if (kernel->port[p].kind == IR_STREAM_TOKENS && cost_port_words(ir, k, p, position) > words)
                words = cost_port_words(ir, k, p, position);
        cycles += words;
    }
    for (int e = 0; e < ir->engines; e++) cycles -= cost_engine_beats(ir, e, position).scores;
    return cycles;
}

// Returns whether the engine's wait for scores is more than a tenth of a decode step at half the context.
static bool waits_for_scores(const struct ir *ir) {
    struct cost_step step = cost_usual_step(ir, ir->design.context / 2);
    return scores_wait(ir) * WAIT_SHARE > cost_step_bound(ir, &step).cycles;
}

// Returns whether scores would slow the engine of this design down. Builds it up to the pass before size-fifos.
static bool needs_lanes(const struct fitting *f, const struct import_design *d) {
    struct text spec = {0};
    struct arena_mark mark = arena_mark(f->m->arena);
    const struct ir *ir = build_silently(f, d, &spec, "split-forks", NULL);
    bool waits = ir && waits_for_scores(ir);
    arena_release(f->m->arena, mark);
    text_free(&spec);
    return waits;
}

bool fit_widen(const struct fitting *f, struct import_design *d) {
    int lanes = 2 * d->lanes;
    if (lanes > MOST_LANES || !family_allows(f->m->values, "design.lanes", lanes, f->m->arena)) return false;
    d->lanes = lanes;
    d->unroll = UNROLL;
    return true;
}

// Adds a base with twice the lanes if scores would slow the engine down. Returns the number of bases.
static int add_wide(const struct fitting *f, struct import_design bases[2]) {
    bases[1] = bases[0];
    return needs_lanes(f, &bases[0]) && fit_widen(f, &bases[1]) ? 2 : 1;
}

bool fit_filling(const struct fitting *f, int64_t request[2]) {
    int p = family_find_parameter(f->m->family, "context");
    if (p >= 0) request[0] = request[1] = at_least(f->m->values->parameter[p].i / 2, 1);
    return p >= 0;
}

// Chooses the request whose time the search minimizes. If there are two bases, because the context is so long that
// scores matter, the request fills the context. Otherwise it is the usual one of gen/explore (0:0).
static void request_of(const struct fitting *f, int bases, int64_t request[2]) {
    if (bases < 2 || !fit_filling(f, request)) request[0] = request[1] = 0;
}

static struct ir *search(const struct fitting *f, const struct import_design *base, struct import_design *d,
                         struct text *spec) {
    struct import_design bases[2] = {*base};
    int64_t request[2];
    int count = add_wide(f, bases);
    request_of(f, count, request);
    return fit_search(f, bases, count, request, d, spec);
}

// ---- changes that only need space ----

// Builds the design with other values of prefetch_beats and wide_rows (an embedding of 16-bit elements). Returns the
// new design if it is within the limits, and otherwise `ir`.
static struct ir *take_with(const struct fitting *f, struct ir *ir, struct import_design *d, struct text *spec,
                            int prefetch_beats, bool wide_rows) {
    struct import_design other = *d;
    struct text other_spec = {0};
    other.prefetch_beats = prefetch_beats;
    other.wide_rows = wide_rows;
    struct ir *with = fit_build(f, &other, &other_spec, NULL);
    if (with) {
        text_free(spec);
        text_addf(spec, "%s", text_cstr(&other_spec));
        *d = other;
    }
    text_free(&other_spec);
    return with ? with : ir;
}

// Uses spare space in two ways. A longer prefetch lets the memory read ahead while the engine waits for a norm. An
// embedding with 16 bits is more accurate and only takes memory space, because a step reads one row per token. Tries
// both together, then the prefetch alone, then the embedding alone.
static struct ir *use_room(const struct fitting *f, struct ir *ir, struct import_design *d, struct text *spec) {
    struct ir *with = take_with(f, ir, d, spec, BEATS_AHEAD, true);
    if (with == ir) with = take_with(f, ir, d, spec, BEATS_AHEAD, false);
    return with != ir ? with : take_with(f, ir, d, spec, d->prefetch_beats, true);
}

// ---- the ladder ----

// Searches the designs of a rung with the long prefetch and the 16-bit embedding. If none is found, searches without
// them, and adds what fits afterwards.
static struct ir *try_rung(const struct fitting *f, const struct rung *r, struct import_design *d, struct text *spec) {
    struct import_design base = design_of(f, r), full = base;
    full.prefetch_beats = BEATS_AHEAD;
    full.wide_rows = true;
    struct ir *ir = search(f, &full, d, spec);
    if (ir) return ir;
    ir = search(f, &base, d, spec);
    return ir ? use_room(f, ir, d, spec) : NULL;
}

// Takes half of the channels and one clock without a search. This is within the limits of the shipped boards for nearly
// all models.
static struct ir *try_quick(const struct fitting *f, const struct rung *r, struct import_design *d, struct text *spec) {
    *d = design_of(f, r);
    d->channels = (d->channels + 1) / 2;
    struct ir *ir = fit_build(f, d, spec, NULL);
    return ir ? use_room(f, ir, d, spec) : NULL;
}

struct ir *command_fit(const struct import *m, const char *path, struct import_design *d, struct text *spec,
                       struct diag *diag) {
    struct fitting f = {.m = m, .path = path};
    struct ladder l = {.count = 0};
    struct ir *ir = NULL;
    find_rungs(&f, &l);
    for (int i = 0; !ir && i < l.count; i++) ir = (m->o.quick ? try_quick : try_rung)(&f, &l.rung[i], d, spec);
    if (ir) d->fits = true;
    for (int e = 0; ir && e < ir->engines; e++) d->halves = d->halves || ir->engine[e].halves;
    if (ir) return ir;
    *d = design_of(&f, &l.rung[l.count - 1]);
    ir = fit_build(&f, d, spec, &d->beyond);
    return ir ? ir : build(&f, d, spec, NULL, diag);
}
