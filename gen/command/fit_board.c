// SPDX-License-Identifier: Apache-2.0
// Chooses the keys under `design` for an imported model and a board: tries designs from the fastest on, and takes the
// first one that is within the board's limits by estimate.
#include <stdlib.h>
#include <string.h>

#include "gen/command/command.h"
#include "gen/report/design_report.h"
#include "gen/cost/cost.h"
#include "gen/import/import.h"
#include "gen/ir/ops.h"
#include "gen/spec/spec.h"

// Tokens per step and lanes, the fastest first. They are tried with all memory channels, then with half of them, and
// so on.
struct rung {
    int tokens, lanes;
};
static const struct rung rungs[] = {{8, 16}, {8, 8}, {4, 8}, {2, 8}, {1, 8}, {1, 4}, {1, 2}, {1, 1}};
enum { RUNGS = COUNT_OF(rungs), MOST_SHARE = 8, BEAT_BITS = 512, FEW_LANES = 4 };

struct fitting {
    const struct import *m;
    const char *path;
    struct rung rung[RUNGS]; // the rungs whose lanes the family allows
    int count;
};

// Collects the rungs to try. Few lanes are slower than the memory, so they are only used if the family allows no
// others.
static void find_rungs(struct fitting *f) {
    for (int i = 0; i < RUNGS; i++)
        if (family_allows(f->m->values, "design.lanes", rungs[i].lanes, f->m->arena) &&
            !(f->count && rungs[i].lanes < FEW_LANES))
            f->rung[f->count++] = rungs[i];
    if (!f->count) f->rung[f->count++] = rungs[RUNGS - 1]; // the family's check then reports the reason
}

static struct import_design design_of(const struct fitting *f, int share, int rung) {
    int most = f->m->device->hbm.channels, channels = (most < SPEC_MAX_CHANNELS ? most : SPEC_MAX_CHANNELS) / share;
    return (struct import_design){.channels = channels > 0 ? channels : 1,
                                  .lanes = f->rung[rung].lanes,
                                  .tokens = f->rung[rung].tokens,
                                  .copies = 1,
                                  .beat_bits = BEAT_BITS};
}

static struct ir *build(const struct fitting *f, const struct import_design *d, struct text *spec, struct diag *diag) {
    text_free(spec);
    if (!import_spec(f->m, d, spec, diag)) return NULL;
    const struct rill_spec *read = rill_spec_read_bytes(f->path, text_cstr(spec), spec->len, f->m->arena, diag);
    return read ? command_build_spec(read, f->m->arena, diag, NULL) : NULL;
}

// The first warning in a text of messages, without its place; NULL: no warning.
static const char *first_warning(struct arena *arena, const char *said) {
    static const char mark[] = "warning: ";
    const char *at = strstr(said, mark);
    return at ? arena_strndup(arena, at + sizeof mark - 1, strcspn(at + sizeof mark - 1, "\n")) : NULL;
}

// Builds a design; returns NULL if it fails or the board's limits cause a warning. *why: the first warning, if any.
static struct ir *build_within(const struct fitting *f, const struct import_design *d, struct text *spec,
                               const char **why) {
    struct diag silent;
    char *said = NULL;
    size_t len;
    struct arena_mark mark = arena_mark(f->m->arena);
    diag_init(&silent, open_memstream(&said, &len));
    struct ir *ir = build(f, d, spec, &silent);
    if (ir) design_report_capacity(ir, loc_none(), &silent);
    fclose(silent.out);
    bool fits = ir && !silent.warnings && !silent.errors;
    if (!fits) arena_release(f->m->arena, mark);
    if (!fits && why) *why = first_warning(f->m->arena, said);
    free(said);
    return fits ? ir : NULL;
}

static struct ir *build_fitting(const struct fitting *f, const struct import_design *d, struct text *spec) {
    return build_within(f, d, spec, NULL);
}

// Finds a design with this share of the channels: the first rung, or the first later one that fits. Tries the last rung
// second: if it does not fit, the ones between are skipped.
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

// ---- lanes for long contexts ----

enum { WAIT_SHARE = 10, UNROLL = 160, MOST_LANES = 32 };

// Cycles of a decode step at half the context in which the engine waits for its scores to leave. It makes one score per
// lane with the beats of a key, but the words that carry scores away are narrower.
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

static bool waits_for_scores(const struct ir *ir) {
    struct cost_step step = cost_usual_step(ir, ir->design.context / 2);
    return scores_wait(ir) * WAIT_SHARE > cost_step_bound(ir, &step).cycles;
}

// Takes another design instead of this one if the board can hold it. Otherwise returns NULL, and *why says what exceeds
// the limits.
static struct ir *take_instead(const struct fitting *f, const struct import_design *other, struct import_design *d,
                               struct text *spec, const char **why) {
    struct text other_spec = {0};
    struct ir *ir = build_within(f, other, &other_spec, why);
    if (ir) {
        text_free(spec);
        text_addf(spec, "%s", text_cstr(&other_spec));
        *d = *other;
    }
    text_free(&other_spec);
    return ir;
}

// Doubles the lanes until scores no longer slow the engine down, as far as board and family allow. UNROLL keeps the
// width of vector kernels about as it was.
static struct ir *match_scores(const struct fitting *f, struct ir *ir, struct import_design *d, struct text *spec) {
    while (waits_for_scores(ir) && 2 * d->lanes <= MOST_LANES &&
           family_allows(f->m->values, "design.lanes", 2 * d->lanes, f->m->arena)) {
        struct import_design wide = *d;
        wide.lanes *= 2;
        wide.unroll = UNROLL;
        struct ir *with = take_instead(f, &wide, d, spec, NULL);
        if (!with) break;
        ir = with;
    }
    return ir;
}

// ---- changes that only need space ----

enum { BEATS_AHEAD = 512 }; // of a channel; they fill block RAMs that a beat's width requires in any case

static struct ir *take_with(const struct fitting *f, struct ir *ir, struct import_design *d, struct text *spec,
                            int64_t prefetch_beats, bool wide_rows) {
    struct import_design other = *d;
    other.prefetch_beats = prefetch_beats;
    other.wide_rows = wide_rows;
    struct ir *with = take_instead(f, &other, d, spec, NULL);
    return with ? with : ir;
}

// Uses spare space in two ways. A longer prefetch lets the memory read ahead while the engine waits for a norm. An
// embedding with 16 bits only takes memory space, as a step reads one row per token. Tries both, then either.
static struct ir *use_room(const struct fitting *f, struct ir *ir, struct import_design *d, struct text *spec) {
    struct ir *with = take_with(f, ir, d, spec, BEATS_AHEAD, true);
    if (with == ir) with = take_with(f, ir, d, spec, BEATS_AHEAD, false);
    return with != ir ? with : take_with(f, ir, d, spec, d->prefetch_beats, true);
}

// ---- dies ----

// Spreads the design over the board's dies if each die stays within its limits. Otherwise records what exceeds them,
// and whether half of the channels would fit.
static struct ir *spread(const struct fitting *f, struct ir *ir, struct import_design *d, struct text *spec) {
    struct import_design over = *d;
    struct text fewer = {0};
    over.dies = (int)f->m->device->slr_count;
    if (over.dies < 2) return ir;
    const char *beyond = NULL;
    struct ir *with = take_instead(f, &over, d, spec, &beyond);
    if (with) return with;
    d->beyond = beyond;
    over.channels /= 2;
    if (d->beyond && over.channels > 0 && build_fitting(f, &over, &fewer)) d->fewer_channels = over.channels;
    text_free(&fewer);
    return ir;
}

struct ir *command_fit(const struct import *m, const char *path, struct import_design *d, struct text *spec,
                       struct diag *diag) {
    struct fitting f = {.m = m, .path = path};
    struct ir *ir = NULL;
    find_rungs(&f);
    for (int share = 1; !ir && share <= MOST_SHARE; share *= 2) ir = build_share(&f, share, d, spec);
    if (ir) ir = match_scores(&f, ir, d, spec);
    if (ir) ir = use_room(&f, ir, d, spec);
    if (ir) ir = spread(&f, ir, d, spec);
    d->fits = ir;
    if (ir) return ir;
    *d = design_of(&f, 1, f.count - 1);
    return build(&f, d, spec, diag);
}
