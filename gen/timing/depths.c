// SPDX-License-Identifier: Apache-2.0
// Depths of FIFOs from simulated steps.
//
// A stream is as deep as it ever fills when nothing holds its writer back; then no writer ever waits. Streams whose writer runs ahead for
// nothing (the next step's rows, while this step has the loop) fill up whatever they hold: those are cut to the least depth at which no step
// takes longer. Last, every step is walked once more with each pipeline holding a single word: the graph is a Kahn network, in which it does
// not depend on times whether it comes to a halt; so what goes through here goes through with any timing of the memory.
#include "depths.h"

#include <string.h>

#include "cost.h"
#include "cost/args.h"

enum {
    MAX_STEPS = 8,
    GRAPH_STEPS = 8 /* rows that may be under way at once */,
    MAX_CASES = 18,
    DEPTH_LEAST = 2,
    SLOWER_AT_MOST = 32 /* cycles of a case, and half a per cent */,
    LAYERS = 4 /* more show nothing new */
};

struct test_case {
    const char *name;
    struct timing_step step[MAX_STEPS];
    int steps;
    bool for_lp;
    int64_t cycles;      // at the safe depths
    int64_t *high_water; // per edge, there; then at the depths found so far
    int64_t *single;     // the same with a single word in each pipeline
    int64_t *trial;      // the same of a depth that is tried
    int64_t *words;      // per edge, in a run of it; NULL: there has been none
};

struct sizing {
    struct ir *ir;
    struct arena scratch;
    struct test_case test[MAX_CASES];
    int tests;
    const char *kind;       // of the last one
    int64_t *safe, *depth;  // per edge
    int64_t *least, *width; // per edge: with every firing as late as it can be; bits of a word, 0: not sized
    bool latest;            // least is known
    bool *full;             // per edge: its writer waited at the safe depth
    struct timing_depth *out;
    int64_t words, budget; // simulated; after so many no further depth is tried
    int strictest;         // case
    const char *missing;
    bool emitted; // without depths given those of the IR count
    struct timing_memory memory;
};

// The fastest memory asks most of the streams behind the engine.
static struct timing_memory fast_memory(const struct ir *ir) {
    struct timing_memory m = timing_memory_at(ir, 0);
    m.refreshes = false;
    return m;
}

// ---- which steps ----

static void add_case(struct sizing *z, const char *name, int64_t pos, const struct timing_step *step, int steps) {
    if (z->tests == MAX_CASES) return;
    struct test_case *t = &z->test[z->tests++];
    t->for_lp = z->tests == 1 || strcmp(name, z->kind) != 0; // the first of a kind
    z->kind = name;
    t->name = arena_printf(z->ir->arena, "%s at %lld", name, (long long)pos);
    t->steps = steps;
    memcpy(t->step, step, (size_t)steps * sizeof *step);
}

// Steps of n tokens from a position on; of a prompt: the last one runs the head, and an id follows it.
static void add_steps(struct sizing *z, const char *name, int64_t pos, int n, int steps, bool prompt) {
    struct timing_step step[MAX_STEPS];
    const struct ir_design *d = &z->ir->design;
    int count = 0;
    for (; count < steps && pos + n <= d->context; count++, pos += n) step[count] = (struct timing_step){pos, n, !prompt || !d->is_lm};
    if (!count) return;
    step[count - 1].head = true;
    if (prompt && d->is_lm && pos < d->context) step[count++] = (struct timing_step){pos, 1, true};
    add_case(z, name, step[0].pos, step, count);
}

// Positions: the first ones, both sides of a block's end, the last one; one token and as many as fit.
static void choose_cases(struct sizing *z) {
    const struct ir_design *d = &z->ir->design;
    const int64_t at[] = {0, 1, 63, 64, d->context / 2, d->context - 2};
    for (size_t i = 0; i < COUNT_OF(at); i++)
        if (at[i] >= 0 && at[i] < d->context && (i == 0 || at[i] > at[i - 1])) add_steps(z, "single", at[i], 1, d->is_lm ? 3 : GRAPH_STEPS, false);
    const int64_t from[] = {0, 64 - 2 * d->tokens, 64, d->context - 1 - 3 * d->tokens};
    const int most = (int)at_most(d->tokens, d->context); // a short context never fills a step
    for (size_t i = 0; most > 1 && i < COUNT_OF(from); i++) {
        int64_t pos = from[i] / d->tokens * d->tokens; // a step never crosses a block of 64
        if (from[i] >= 0 && (i == 0 || from[i] > from[i - 1])) add_steps(z, "prompt", pos, most, d->is_lm ? 3 : GRAPH_STEPS, true);
    }
    if (d->tokens == 1 && d->is_lm) add_steps(z, "prompt", 0, 1, 3, true);
}

// ---- runs ----

static void note_words(struct sizing *z, struct test_case *t, const struct timing_result *r) {
    if (t->words || r->stuck) return;
    t->words = ARENA_ARRAY(z->ir->arena, int64_t, (size_t)z->ir->edges + 1);
    for (int e = 0; e < z->ir->edges; e++) t->words[e] = r->edge[e].words;
}

static struct timing_result *run(struct sizing *z, struct test_case *t, const int64_t *depth, bool single_word) {
    struct timing_options o = {.step = t->step,
                               .steps = t->steps,
                               .bounded = depth != NULL || z->emitted,
                               .depth = depth,
                               .single_word = single_word,
                               .layers = LAYERS,
                               .words = t->words,
                               .limit = TIMING_LIMIT};
    o.memory = z->memory;
    struct timing_result *r = timing_simulate(&z->scratch, z->ir, &o, &z->missing);
    if (r) note_words(z, t, r);
    if (r) z->words += r->words;
    return r;
}

// Steps and parameters are not: they wait for their readers by design.
static bool is_sized(const struct ir *ir, int e) { return ir->kernel[ir->edge[e].src_kernel].port[ir->edge[e].src_port].kind != IR_STREAM_BARE; }

static void note_mark(struct sizing *z, const struct test_case *t, int e, const struct timing_result *r) {
    const struct timing_edge *edge = &r->edge[e];
    if (edge->high_water <= z->depth[e] || !is_sized(z->ir, e)) return;
    int64_t firing = 0, word = edge->most_at;
    for (int64_t i = 0; i < word; i++) firing += edge->mark[i] & TIMING_LAST;
    z->depth[e] = edge->high_water;
    const char *path = timing_path(&z->scratch, z->ir, r, e, word);
    z->out[e].forced_by =
        arena_printf(z->ir->arena, "%s, firing %lld, cycle %lld, for %s", t->name, (long long)firing, (long long)edge->put[word], path);
    z->out[e].delay = edge->take[word] - edge->put[word];
}

static void note_least(struct sizing *z, const struct timing_result *r) {
    int64_t *mark = ARENA_ARRAY(&z->scratch, int64_t, (size_t)z->ir->edges + 1);
    if (!timing_latest(&z->scratch, z->ir, r, z->width, mark)) return;
    z->latest = true;
    for (int e = 0; e < z->ir->edges; e++) z->least[e] = at_least(z->least[e], mark[e]);
}

// Marks of all cases at the given depths. False when a case cannot be run or comes to a halt.
static bool measure(struct sizing *z, const int64_t *given, bool first) {
    for (int e = 0; e < z->ir->edges; e++) z->depth[e] = is_sized(z->ir, e) ? DEPTH_LEAST : z->safe[e];
    for (int i = 0; i < z->tests; i++) {
        struct test_case *t = &z->test[i];
        struct arena_mark mark = arena_mark(&z->scratch);
        const struct timing_result *r = run(z, t, given, false);
        if (!r || r->stuck) return false;
        if (first) {
            t->cycles = r->cycles;
            t->high_water = ARENA_ARRAY(z->ir->arena, int64_t, (size_t)z->ir->edges + 1);
            t->single = ARENA_ARRAY(z->ir->arena, int64_t, (size_t)z->ir->edges + 1);
            t->trial = ARENA_ARRAY(z->ir->arena, int64_t, (size_t)z->ir->edges + 1);
        }
        for (int e = 0; e < z->ir->edges; e++) {
            note_mark(z, t, e, r);
            if (first) t->high_water[e] = r->edge[e].high_water;
            if (first && r->edge[e].full) z->full[e] = true;
        }
        if (first && t->for_lp) note_least(z, r);
        arena_release(&z->scratch, mark);
    }
    return true;
}

static int64_t *marks_of(struct test_case *t, bool single_word) { return single_word ? t->single : t->high_water; }

// Whether all cases go through, and take no longer if that is asked for, when stream e is as short as that; where it never filled at the depths
// of the last yes nothing can change.
static bool may_be(struct sizing *z, int e, const int64_t *depth, bool single_word) {
    bool ok = true, ran[MAX_CASES] = {false};
    for (int n = 0; ok && n < z->tests; n++) {
        int i = (z->strictest + n) % z->tests; // the case that said no last time is the first
        struct test_case *t = &z->test[i];
        if (marks_of(t, single_word)[e] <= depth[e]) continue;
        struct arena_mark mark = arena_mark(&z->scratch);
        const struct timing_result *r = run(z, t, depth, single_word);
        ok = ran[i] = r && !r->stuck && (single_word || r->cycles <= t->cycles);
        if (!ok) z->strictest = i;
        for (int f = 0; ok && f < z->ir->edges; f++) t->trial[f] = r->edge[f].high_water;
        arena_release(&z->scratch, mark);
    }
    for (int i = 0; ok && i < z->tests; i++)
        if (ran[i]) memcpy(marks_of(&z->test[i], single_word), z->test[i].trial, (size_t)z->ir->edges * sizeof *z->test[i].trial);
    return ok;
}

// A stream whose writer could be later without harm: the LP found one of its firings waiting for nothing, or the safe depth held it back.
static bool runs_ahead(const struct sizing *z, int e) {
    int64_t mark = z->depth[e];
    return z->width[e] && mark > DEPTH_LEAST && ((z->latest && z->least[e] < mark) || (z->full[e] && mark >= z->safe[e]));
}

// It gets what the LP says where the simulator confirms it.
static void cut_run_ahead(struct sizing *z, int64_t *depth) {
    for (int e = 0; e < z->ir->edges; e++) {
        if (!runs_ahead(z, e)) continue;
        depth[e] = z->depth[e]; // is enough
        if (!z->latest || z->least[e] >= z->depth[e] || z->words >= z->budget) continue;
        depth[e] = at_least(z->least[e], DEPTH_LEAST);
        if (!may_be(z, e, depth, false)) depth[e] = z->depth[e];
    }
}

// ---- no halt with any timing ----

// Marks of all cases with a single word in each pipeline; false, with the streams that are full then, when one comes to a halt.
static bool passes_single_words(struct sizing *z, const int64_t *depth, bool *full) {
    for (int i = 0; i < z->tests; i++) {
        struct arena_mark mark = arena_mark(&z->scratch);
        const struct timing_result *r = run(z, &z->test[i], depth, true);
        bool stuck = !r || r->stuck;
        for (int e = 0; stuck && r && full && e < z->ir->edges; e++) full[e] = r->edge[e].holds >= depth[e];
        for (int e = 0; !stuck && e < z->ir->edges; e++) z->test[i].single[e] = r->edge[e].high_water;
        arena_release(&z->scratch, mark);
        if (stuck) return false;
    }
    return true;
}

// The stream with the most bits above `least` among those not yet tried, or IR_NONE.
static int largest_stream(const struct sizing *z, const int64_t *depth, const int64_t *least, const bool *tried) {
    int most = IR_NONE;
    for (int e = 0; e < z->ir->edges; e++)
        if (!tried[e] && z->width[e] && depth[e] > least[e] && (most == IR_NONE || depth[e] * z->width[e] > depth[most] * z->width[most])) most = e;
    return most;
}

struct bounds { // of a depth: not below `least`; no case takes longer, none comes to a halt with single words
    const int64_t *least;
    bool fast, single_words;
};

static bool is_enough(struct sizing *z, int e, int64_t *depth, int64_t trial, const struct bounds *b) {
    depth[e] = trial;
    return (!b->fast || may_be(z, e, depth, false)) && (!b->single_words || may_be(z, e, depth, true));
}

// Between low, not tried, and depth[e], which is enough.
static void bisect(struct sizing *z, int e, int64_t *depth, int64_t low, const struct bounds *b) {
    int64_t high = depth[e];
    for (int trial = 0; low < high && z->words < z->budget; trial++) { // most streams need all they have, or next to nothing
        int64_t at = trial == 0 ? low : trial == 1 ? high - 1 : (low + high) / 2;
        if (is_enough(z, e, depth, at, b)) high = at;
        else low = at + 1;
    }
    depth[e] = high;
}

// Reads and writes meet in another order when a word comes a cycle later: a depth may be enough where a greater one is not. From the least
// depth up, in growing steps.
static void climb(struct sizing *z, int e, int64_t *depth, const struct bounds *b) {
    int64_t high = depth[e], low = b->least[e] + 1;
    for (int64_t step = 1; low < high && z->words < z->budget; low += step, step *= 2) {
        if (!is_enough(z, e, depth, low, b)) continue;
        return bisect(z, e, depth, at_least(low - step / 2 + 1, b->least[e] + 1), b);
    }
    depth[e] = high;
}

// Stream after stream, the largest first, gets the least depth within the bounds.
static void bisect_all(struct sizing *z, int64_t *depth, const struct bounds *b) {
    for (int pass = 0; pass < 2; pass++) {
        bool *tried = ARENA_ARRAY(z->ir->arena, bool, (size_t)z->ir->edges + 1);
        for (int e; (e = largest_stream(z, depth, b->least, tried)) != IR_NONE; tried[e] = true) {
            if (pass == 0) bisect(z, e, depth, b->least[e], b);
            else climb(z, e, depth, b);
        }
    }
}

// Streams that are full where the graph comes to a halt get deeper, up to the safe depth; then as short again as they can be.
static bool ensure_progress(struct sizing *z) {
    bool *full = ARENA_ARRAY(&z->scratch, bool, (size_t)z->ir->edges + 1), deepened = false;
    int64_t *least = ARENA_ARRAY(&z->scratch, int64_t, (size_t)z->ir->edges + 1);
    memcpy(least, z->depth, (size_t)z->ir->edges * sizeof *least);
    while (!passes_single_words(z, z->depth, full)) {
        bool deeper = false;
        for (int e = 0; e < z->ir->edges; e++) {
            if (!full[e] || z->depth[e] >= z->safe[e]) continue;
            z->depth[e] = z->depth[e] * 2 < z->safe[e] ? z->depth[e] * 2 : z->safe[e];
            deeper = true;
        }
        if (!deeper) return false;
        deepened = true;
        memset(full, 0, (size_t)z->ir->edges * sizeof *full);
    }
    z->budget = z->words + TIMING_FINE_BUDGET;
    if (deepened) bisect_all(z, z->depth, &(struct bounds){least, .single_words = true});
    for (int e = 0; e < z->ir->edges; e++)
        if (z->depth[e] > least[e]) z->out[e].forced_by = "no halt with one word per pipeline";
    return true;
}

// The safe rule holds one value beside each path. A graph may have several under way: rows of steps without a loop between them, repetitions
// of regions that only wait for one another. Where that makes a case faster, streams may be as deep as they get when nothing bounds them.
static bool allow_ahead(struct sizing *z) {
    int64_t bounded[MAX_CASES];
    bool faster = false;
    for (int i = 0; i < z->tests; i++) bounded[i] = z->test[i].cycles;
    if (!measure(z, NULL, true)) return false;
    for (int i = 0; i < z->tests; i++) faster |= bounded[i] * 200 > z->test[i].cycles * 201 + 200 * SLOWER_AT_MOST;
    for (int e = 0; faster && e < z->ir->edges; e++) z->safe[e] = at_least(z->safe[e], z->depth[e]);
    return measure(z, z->safe, true);
}

static int64_t *all_least(struct sizing *z) {
    int64_t *least = ARENA_ARRAY(z->ir->arena, int64_t, (size_t)z->ir->edges + 1);
    for (int e = 0; e < z->ir->edges; e++) least[e] = DEPTH_LEAST;
    return least;
}

// Depths of two words have another latency than deeper ones, and a memory's rows open in another order for a cycle's difference: with depths that
// are the marks a case may take a little longer than with deeper ones. What it takes then is the measure, within SLOWER_AT_MOST.
static bool measure_again(struct sizing *z, const int64_t *depth) {
    for (int i = 0; i < z->tests; i++) {
        struct test_case *t = &z->test[i];
        struct arena_mark mark = arena_mark(&z->scratch);
        const struct timing_result *r = run(z, t, depth, false);
        bool ok = r && !r->stuck;
        if (ok) t->cycles = at_most(at_least(r->cycles, t->cycles), t->cycles + t->cycles / 200 + SLOWER_AT_MOST);
        for (int e = 0; ok && e < z->ir->edges; e++) t->high_water[e] = r->edge[e].high_water;
        arena_release(&z->scratch, mark);
        if (!ok) return false;
    }
    return true;
}

static bool size_all(struct sizing *z) {
    int edges = z->ir->edges;
    int64_t *depth = ARENA_ARRAY(&z->scratch, int64_t, (size_t)edges + 1);
    choose_cases(z);
    if (!measure(z, z->safe, true) || !allow_ahead(z)) return false;
    memcpy(depth, z->safe, (size_t)edges * sizeof *depth);
    cut_run_ahead(z, depth);
    if (!measure(z, depth, false)) return false;
    memcpy(depth, z->depth, (size_t)edges * sizeof *depth);
    z->budget = at_least(z->budget, z->words + TIMING_FINE_BUDGET);
    for (int round = 0; round < 2; round++) {
        if (!measure_again(z, depth)) return false;
        bisect_all(z, depth, &(struct bounds){all_least(z), .fast = true});
        if (!measure(z, depth, false)) return false;
        memcpy(depth, z->depth, (size_t)edges * sizeof *depth);
    }
    return ensure_progress(z);
}

bool timing_progress(struct ir *ir, const char **stuck) {
    struct sizing z = {.ir = ir, .emitted = true, .memory = fast_memory(ir)};
    *stuck = NULL;
    if (ir->design.tokens < 1 || ir->design.tokens > 8) return false; // an edited dump
    arena_init(&z.scratch);
    choose_cases(&z);
    bool ok = true;
    for (int i = 0; ok && i < 2 * z.tests; i++) {
        struct arena_mark mark = arena_mark(&z.scratch);
        const struct timing_result *r = run(&z, &z.test[i / 2], NULL, i % 2);
        ok = r && !r->stuck;
        if (r && r->stuck) *stuck = arena_printf(ir->arena, "%s: %s", z.test[i / 2].name, r->stuck);
        arena_release(&z.scratch, mark);
    }
    arena_free(&z.scratch);
    return ok;
}

// ---- streams that run ahead ----

// Beside the cases: whole steps with a part of one behind them, and ids.
static void add_requests(struct sizing *z) {
    const struct ir_design *d = &z->ir->design;
    const int64_t length[] = {d->tokens + 1, 2 * d->tokens + 1};
    for (size_t i = 0; i < COUNT_OF(length); i++) {
        struct timing_step *step;
        int steps = timing_request_steps(z->ir, at_most(length[i], d->context), 3, &step);
        add_case(z, "request", 0, step, steps < MAX_STEPS ? steps : MAX_STEPS);
    }
}

static bool mark_case(struct sizing *z, struct test_case *t, bool twice) {
    struct timing_options o = {
        .step = t->step, .steps = t->steps, .bounded = true, .twice = twice, .layers = LAYERS, .words = t->words, .limit = TIMING_LIMIT};
    struct arena_mark mark = arena_mark(&z->scratch);
    o.memory = z->memory;
    o.memory.refreshes = !twice; // the deeper FIFOs hold most behind the fastest memory
    const struct timing_result *r = timing_simulate(&z->scratch, z->ir, &o, &z->missing);
    if (r) note_words(z, t, r);
    for (int e = 0; r && e < z->ir->edges; e++)
        if (twice ? r->edge[e].high_water > z->ir->edge[e].depth : r->edge[e].full > 0) z->ir->edge[e].run_ahead = 1;
    arena_release(&z->scratch, mark);
    return r != NULL;
}

void timing_mark_ahead(struct ir *ir) {
    if (ir->design.tokens < 1 || ir->design.tokens > 8) return; // an edited dump
    struct sizing z = {.ir = ir, .memory = fast_memory(ir)};
    bool ok = true;
    arena_init(&z.scratch);
    choose_cases(&z);
    add_requests(&z);
    for (int e = 0; e < ir->edges; e++) ir->edge[e].run_ahead = 0;
    for (int i = 0; ok && i < 2 * z.tests; i++) ok = mark_case(&z, &z.test[i / 2], i % 2);
    arena_free(&z.scratch);
}

static void open_sizing(struct sizing *z) {
    size_t edges = (size_t)z->ir->edges + 1;
    arena_init(&z->scratch);
    z->safe = ARENA_ARRAY(z->ir->arena, int64_t, edges);
    z->depth = ARENA_ARRAY(z->ir->arena, int64_t, edges);
    z->full = ARENA_ARRAY(z->ir->arena, bool, edges);
    z->least = ARENA_ARRAY(z->ir->arena, int64_t, edges);
    z->width = ARENA_ARRAY(z->ir->arena, int64_t, edges);
    for (int e = 0; e < z->ir->edges; e++) {
        z->safe[e] = z->out[e].depth;
        z->width[e] = is_sized(z->ir, e) ? cost_edge_bits(z->ir, &z->ir->edge[e]) : 0;
    }
}

bool timing_depths(struct ir *ir, struct timing_depth *out, const char **missing) {
    struct sizing z = {.ir = ir, .out = out, .budget = TIMING_BUDGET, .memory = fast_memory(ir)};
    if (ir->design.tokens < 1 || ir->design.tokens > 8) return *missing = "the design", false; // an edited dump
    open_sizing(&z);
    bool ok = size_all(&z);
    for (int e = 0; ok && e < ir->edges; e++) out[e].depth = z.depth[e];
    *missing = z.missing;
    arena_free(&z.scratch);
    return ok;
}

// ---- how much less would do ----

static int64_t all_bits(const struct sizing *z, const int64_t *depth) {
    int64_t bits = 0;
    for (int e = 0; e < z->ir->edges; e++) bits += depth[e] * z->width[e];
    return bits;
}

// Bisection from some depths down; their marks first.
static bool least_from(struct sizing *z, int64_t *depth) {
    for (int i = 0; i < z->tests; i++) {
        struct arena_mark mark = arena_mark(&z->scratch);
        const struct timing_result *r = run(z, &z->test[i], depth, false);
        bool ok = r && !r->stuck;
        for (int e = 0; ok && e < z->ir->edges; e++) z->test[i].high_water[e] = r->edge[e].high_water;
        if (ok && !z->latest) z->test[i].cycles = r->cycles; // what the given depths take is the measure
        arena_release(&z->scratch, mark);
        if (!ok) return false;
    }
    if (!passes_single_words(z, depth, NULL)) return false;
    bisect_all(z, depth, &(struct bounds){all_least(z), true, true});
    return z->latest = true;
}

bool timing_least(struct ir *ir, const int64_t *safe, const int64_t *depth, int64_t *least, const char **missing) {
    struct timing_depth *out = ARENA_ARRAY(ir->arena, struct timing_depth, (size_t)ir->edges + 1);
    int64_t *other = ARENA_ARRAY(ir->arena, int64_t, (size_t)ir->edges + 1);
    struct sizing z = {.ir = ir, .out = out, .budget = INT64_MAX, .memory = fast_memory(ir)};
    for (int e = 0; e < ir->edges; e++) out[e].depth = safe[e];
    open_sizing(&z);
    choose_cases(&z);
    bool ok = measure(&z, z.safe, true) && allow_ahead(&z);
    z.latest = false;
    memcpy(least, depth, (size_t)ir->edges * sizeof *least);
    for (int e = 0; e < ir->edges; e++) other[e] = at_least(z.safe[e], depth[e]);
    ok = ok && least_from(&z, least);
    if (ok && least_from(&z, other) && all_bits(&z, other) < all_bits(&z, least)) memcpy(least, other, (size_t)ir->edges * sizeof *least);
    *missing = z.missing;
    arena_free(&z.scratch);
    return ok;
}
