// SPDX-License-Identifier: Apache-2.0
// The search of `rill import`. It finds the number of channels and the use of multipliers with which a request takes
// the least time within the limits of the board. The use of multipliers is given by two keys of the spec. `A`, at most
// `T` (the tokens of a step), is the number of tokens that the engine serves per cycle with one beat of weights. `pump`
// is how often a multiplier works per cycle; 2 needs a second clock.
//
// A *base* is a design from fit_board.c, which has all other keys and the most channels. A *way* is a base with one
// pair of values of `A` and `pump`. For each way the search takes the most channels that are within the limits by
// estimate (gen/explore). It builds the design of the best way with all passes. If this design exceeds the limits after
// all, the search gives this way fewer channels, and builds the design of the way that is the best one then. At the
// end, query heads share reads of keys and values if that pays (weigh). The effort of the search is limited by the
// number of designs that it builds and not by time, so it finds the same design on every machine.
#include <stdlib.h>

#include "gen/command/fit.h"
#include "gen/explore/explore.h"

// The values of `A` and `pump` that the search tries.
static const struct {
    int copies, pump; // copies: value of `A`; pump 0: the spec does not set it
} kinds[] = {{1, 0}, {2, 0}, {1, 2}, {2, 2}, {4, 2}};
// MOST_BUILDS: designs that the search builds with all passes until one is within the limits. The attempts to share
// reads are not counted; they have a limit in take_sharing.
enum { KINDS = COUNT_OF(kinds), MOST_BASES = 2, MOST_WAYS = KINDS * MOST_BASES, MOST_BUILDS = 12 };

struct way {
    struct explore x;
    struct import_design design;  // its `channels` are those of the latest estimate
    struct explore_result result; // the latest estimate
    bool ended;                   // no smaller number of channels is within the limits
};

// A second clock must save this share of the request's time, because it makes a design harder to place.
static const double CLOCK_WORTH = 0.02;

// Returns the time of the request in ms, with a penalty for a second clock. The way with the least value is the best.
static double worth(const struct way *w) {
    return w->result.value[EXPLORE_LATENCY_MS] * (w->design.pump > 1 ? 1 + CLOCK_WORTH : 1);
}

// Begins the estimates of a way: its spec is the base with the way's `A` and `pump`, and only `channels` varies.
static bool begin(const struct fitting *f, struct way *w, const int64_t request[2], struct diag *silent) {
    static const char *const keys[] = {"channels", NULL};
    const struct explore_words words = {.vary = keys, .prompt = request[0], .tokens = request[1]};
    struct text spec = {0};
    bool ok = import_spec(f->m, &w->design, &spec, silent) &&
              explore_begin_text(&w->x, f->path, &spec, &words, f->m->arena, silent);
    text_free(&spec);
    return ok;
}

// Finds the next smaller number of channels that is within the limits by estimate.
static void descend(struct way *w) {
    while (!w->ended && --w->design.channels > 0) {
        struct explore_point p = explore_own(&w->x);
        for (int v = 0; v < w->x.key[0].values; v++)
            if (strtol(w->x.key[0].value[v], NULL, 10) == w->design.channels) p.at[0] = (uint8_t)v;
        explore_evaluate(&w->x, &p, EXPLORE_ESTIMATE, &w->result);
        if (w->result.level == EXPLORE_ESTIMATE && explore_meets(&w->x, &w->result)) return;
    }
    w->ended = true;
}

// Makes a way for each of the first MOST_BASES bases with each of `kinds`. Leaves out a way whose `A` exceeds T or
// whose spec has an error. Returns the number of ways.
static int add_ways(const struct fitting *f, const struct import_design *bases, int count, const int64_t request[2],
                    struct way *way, struct diag *silent) {
    int ways = 0;
    for (int b = 0; b < count && b < MOST_BASES; b++)
        for (int k = 0; k < KINDS; k++) {
            struct way *w = &way[ways];
            *w = (struct way){.design = bases[b]};
            w->design.copies = kinds[k].copies;
            w->design.pump = kinds[k].pump;
            if (w->design.copies > w->design.tokens || !begin(f, w, request, silent)) continue;
            w->design.channels++; // the first estimate is about the base's own channels
            descend(w);
            ways++;
        }
    return ways;
}

// Returns the way with the least time, estimated at its present channels, or NULL if all have ended.
static struct way *best_of(struct way *way, int ways) {
    struct way *best = NULL;
    for (int i = 0; i < ways; i++)
        if (!way[i].ended && (!best || worth(&way[i]) < worth(best))) best = &way[i];
    return best;
}

// Notes the estimated speed in the design.
static void take_speed(struct import_design *d, const struct explore *x, const struct explore_result *r) {
    d->speed = (struct import_speed){x->prompt, x->tokens, r->value[EXPLORE_TOKENS_S], r->value[EXPLORE_TTFT_MS]};
}

// Returns whether another way is better in one goal and not worse in the others.
static bool is_beaten(const struct way *way, int ways, const struct way *w) {
    for (int i = 0; i < ways; i++)
        if (&way[i] != w && !way[i].ended && explore_dominates(&w->x, way[i].result.value, w->result.value))
            return true;
    return false;
}

// ---- query heads that share reads of keys and values ----

// Sharing must save this share of the time of a request that fills the context, because it needs deeper FIFOs.
static const double SHARING_WORTH = 0.02;

// Estimates a way with the channels of its design. Returns whether the design is within the limits.
static bool estimate(const struct fitting *f, struct way *w, const int64_t request[2], struct diag *silent) {
    if (!begin(f, w, request, silent)) return false;
    struct explore_point p = explore_own(&w->x);
    explore_evaluate(&w->x, &p, EXPLORE_ESTIMATE, &w->result);
    return w->result.level == EXPLORE_ESTIMATE && explore_meets(&w->x, &w->result);
}

struct sharing {
    struct way usual;      // the way with sharing and its estimate for the usual request, the one of the search
    double alone, filling; // worth() of a request that fills the context, without sharing and with it
    int64_t full[2];       // the request that fills the context
    bool pays;             // set by weigh()
};

// Decides whether sharing pays: the search's request must not take longer with it, and a request that fills the context
// must become faster by SHARING_WORTH.
static void weigh(const struct fitting *f, const struct way *w, struct sharing *s, struct diag *silent) {
    struct way filling = {.design = s->usual.design};
    s->pays = !s->usual.ended && worth(&s->usual) <= worth(w) && estimate(f, &filling, s->full, silent);
    s->filling = s->pays ? worth(&filling) : 0;
    s->pays = s->pays && s->filling * (1 + SHARING_WORTH) < s->alone;
}

// Estimates the way's design with query heads that share reads. If `wide` is set, the design also has twice the lanes,
// so that softmax keeps up with the engine, which reads less. If the design exceeds the limits, it gets fewer channels.
// s->pays stays false if sharing is not possible.
static void try_sharing(const struct fitting *f, const struct way *w, const int64_t request[2], bool wide,
                        struct sharing *s, struct diag *silent) {
    enum { MOST_HEADS = 8 /* the most that a spec may have */ };
    struct way alone = {.design = w->design};
    *s = (struct sharing){.usual.design = w->design};
    s->usual.design.query_heads = MOST_HEADS;
    if (w->design.tokens < 2 || !fit_filling(f, s->full) || (wide && !fit_widen(f, &s->usual.design)) ||
        !estimate(f, &alone, s->full, silent) || !begin(f, &s->usual, request, silent))
        return;
    s->alone = worth(&alone);
    s->usual.design.channels++; // the first estimate is about the way's own channels
    descend(&s->usual);
    weigh(f, w, s, silent);
}

// Builds the design with all passes. If they find it beyond the limits after all, tries fewer channels while sharing
// still pays, at most MOST_TRIES designs in all. Returns NULL if it does not succeed; otherwise *w and *spec are those
// of the design.
static struct ir *take_sharing(const struct fitting *f, struct sharing *s, struct way *w, struct text *spec,
                               struct diag *silent) {
    enum { MOST_TRIES = 3 };
    for (int tries = 0; s->pays && tries < MOST_TRIES; tries++) {
        struct text other = {0};
        struct ir *ir = fit_build(f, &s->usual.design, &other, NULL);
        if (ir) {
            text_free(spec);
            text_addf(spec, "%s", text_cstr(&other));
            *w = s->usual;
        }
        text_free(&other);
        if (ir) return ir;
        descend(&s->usual);
        weigh(f, w, s, silent);
    }
    return NULL;
}

// Lets query heads share reads if this makes requests faster and the design stays within the limits. Of the designs
// with the same and with twice the lanes, it builds the faster one first, and the other one only if that fails.
static struct ir *share_reads(const struct fitting *f, struct way *w, const int64_t request[2], struct ir *ir,
                              struct text *spec, struct diag *silent) {
    struct sharing narrow, wide;
    try_sharing(f, w, request, false, &narrow, silent);
    try_sharing(f, w, request, true, &wide, silent);
    bool first = wide.pays && !(narrow.pays && narrow.filling <= wide.filling);
    struct ir *with = take_sharing(f, first ? &wide : &narrow, w, spec, silent);
    if (!with) with = take_sharing(f, first ? &narrow : &wide, w, spec, silent);
    return with ? with : ir;
}

// ---- the search ----

// Lists the other ways that no way beats in both tokens/s and TTFT. They are within the limits by estimate only.
static void list_others(const struct fitting *f, const struct way *way, int ways, const struct way *taken,
                        struct import_design *d) {
    struct import_design *other = ARENA_ARRAY(f->m->arena, struct import_design, MOST_WAYS);
    d->other = other;
    for (int i = 0; i < ways; i++) {
        if (&way[i] == taken || way[i].ended || is_beaten(way, ways, &way[i])) continue;
        other[d->others] = way[i].design;
        take_speed(&other[d->others++], &way[i].x, &way[i].result);
    }
}

struct ir *fit_search(const struct fitting *f, const struct import_design *bases, int count, const int64_t request[2],
                      struct import_design *d, struct text *spec) {
    struct way *way = ARENA_ARRAY(f->m->arena, struct way, MOST_WAYS), *best;
    struct diag silent;
    char *said = NULL;
    size_t len;
    struct ir *ir = NULL;
    diag_init(&silent, open_memstream(&said, &len));
    int ways = add_ways(f, bases, count, request, way, &silent);
    for (int builds = 0; builds < MOST_BUILDS && !ir && (best = best_of(way, ways)); builds++) {
        ir = fit_build(f, &best->design, spec, NULL);
        if (!ir) descend(best);
    }
    if (ir) ir = share_reads(f, best, request, ir, spec, &silent);
    fclose(silent.out);
    free(said);
    if (!ir) return NULL;
    *d = best->design;
    take_speed(d, &best->x, &best->result);
    list_others(f, way, ways, best, d);
    return ir;
}
