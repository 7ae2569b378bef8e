// SPDX-License-Identifier: Apache-2.0
// size-fifos: chooses the FIFO depth of every edge, by the safe rule or by the timing contracts of the kernels
// (gen/timing/depths.c).
//
// The safe rule gives upper bounds. Paths that split at a fork meet again, and firings wait at multiplexers for their
// turn. So a FIFO there can hold a whole tensor, or as much of it as can be in flight (safe_words.c). FIFOs of step
// words and of ids to the ring have DEPTH_STEP words, except into a fork. Everywhere else two words are enough for full
// throughput. If simulated steps deadlock, the FIFOs that are full get room for a whole tensor as well. The safe depths
// are used if the spec asks for them, if the search by contracts finds no depths, for example because a kernel has no
// contract, or, with `auto`, if a forecast finds them better.
#include <string.h>

#include "gen/cost/cost.h"
#include "gen/kernel/kernel.h"
#include "gen/kernel/args.h"
#include "gen/pass/pass.h"
#include "gen/kernel/ports.h"
#include "gen/timing/depths.h"

// DEPTH_PLAIN: depth for full throughput. DEPTH_STEP: depth for step words and ids. DEPTH_SLACK: words beyond a whole
// tensor (with_slack). BLOCK_WORDS: words of a block RAM at its full width.
enum { DEPTH_PLAIN = 2, DEPTH_STEP = 4, DEPTH_SLACK = 2, BLOCK_WORDS = 512 };

static bool is_a(const struct ir *ir, int kernel, unsigned traits) { return kernel_is(&ir->kernel[kernel], traits); }

// Whether the edge needs no room for a whole tensor, because it leads to a layout converter that stores whole tensors,
// directly or through a width converter. The tensor can then wait in the converter instead of the FIFO.
static bool is_folded(const struct ir *ir, const struct ir_edge *edge) {
    int k = edge->dst_kernel;
    for (int p = 0; is_a(ir, k, KERNEL_WIDTH) && p < ir->kernel[k].ports; p++)
        if (ir->kernel[k].port[p].is_output && ir->kernel[k].port[p].edge != IR_NONE) {
            k = ir->edge[ir->kernel[k].port[p].edge].dst_kernel;
            break;
        }
    return is_a(ir, k, KERNEL_REORDERS) && kernel_takes_whole(&ir->kernel[k]);
}

// Returns the words of a whole tensor plus two, or plus one if the tensor fills block RAMs exactly. A FIFO has an
// output register in addition to its memory, so one more word is free, but a second one would need further block RAMs.
static int64_t with_slack(int64_t words) { return words + (words % BLOCK_WORDS ? DEPTH_SLACK : 1); }

int64_t size_fifos_safe(const struct ir *ir, const struct ir_edge *edge) {
    const struct ir_port *from = &ir->kernel[edge->src_kernel].port[edge->src_port];
    if (is_a(ir, edge->dst_kernel, KERNEL_FORK)) return DEPTH_PLAIN;
    if (ir_carries_steps(ir, edge) || ir_is_of(ir, edge, IR_ROLE_RING)) return DEPTH_STEP;
    if (is_a(ir, edge->src_kernel, KERNEL_SPILL) || is_a(ir, edge->dst_kernel, KERNEL_SPILL))
        return DEPTH_PLAIN; // the spill stores the firing
    bool waits = edge->whole || is_a(ir, edge->src_kernel, KERNEL_FORK) || is_a(ir, edge->dst_kernel, KERNEL_MUX) ||
                 is_a(ir, edge->src_kernel, KERNEL_DEMUX);
    if (from->kind == IR_STREAM_BARE || (!edge->stored_firings && (!waits || is_folded(ir, edge)))) return DEPTH_PLAIN;
    return with_slack((edge->stored_firings > 1 ? 2 : 1) * safe_words(ir, edge));
}

// Returns the bits of all FIFOs with these depths, without those between groups, whose depths are given.
static int64_t bits_of(const struct ir *ir, const struct timing_depth *depth) {
    int64_t bits = 0;
    for (int e = 0; e < ir->edges; e++)
        if (!ir->edge[e].stored_firings) bits += depth[e].depth * cost_edge_bits(ir, &ir->edge[e]);
    return bits;
}

struct by_contracts { // the search for depths by the timing contracts
    int64_t most;     // the search begins only if `pass` is at most this; 0: no limit
    int64_t pass;     // result: words and beats of one simulation of all cases
    bool sized;       // result: depths were found; false: the depths are those of the safe rule
};

// Records how the depths were chosen, for the report.
static void say(struct ir *ir, enum ir_strategy strategy, const char *weighed) {
    ir->design.strategy = strategy;
    ir->design.weighed = weighed;
}

// Finds depths by the timing contracts, and from these the `conservative` ones if the spec asks for them. Returns false
// if the search finds none. *missing: a module without a contract, or NULL.
static bool find_depths(struct ir *ir, struct timing_depth *depth, struct by_contracts *by, const char **missing) {
    if (!timing_depths(ir, depth, by->most, &by->pass, missing)) return false;
    if (ir->design.fifo != SPEC_CONSERVATIVE) return true;
    int64_t timed = bits_of(ir, depth);
    if (!timing_conservative(ir, depth, missing)) return false;
    say(ir, IR_STRATEGY_CONSERVATIVE,
        arena_printf(ir->arena, "%lld bits, %lld by timed depths", (long long)bits_of(ir, depth), (long long)timed));
    return true;
}

// Sets the depths of all edges by the timing contracts. If this fails, by->sized is false, the present depths stay, and
// forced_by of the deeper FIFOs gives the reason.
static void size_by_contracts(struct ir *ir, struct by_contracts *by) {
    struct timing_depth *depth = ARENA_ARRAY(ir->arena, struct timing_depth, (size_t)ir->edges + 1);
    const char *missing = NULL;
    for (int e = 0; e < ir->edges; e++) depth[e].depth = ir->edge[e].depth;
    by->sized = find_depths(ir, depth, by, &missing);
    for (int e = 0; e < ir->edges; e++) {
        struct ir_edge *edge = &ir->edge[e];
        if (!by->sized) {
            if (edge->depth > DEPTH_PLAIN)
                edge->forced_by =
                    missing ? arena_printf(ir->arena, "safe rule: %s has no timing contract", missing) : "safe rule";
            continue;
        }
        if (edge->stored_firings) { // the reader's group starts after the writer's group has ended
            edge->forced_by = "from group to group";
            continue;
        }
        edge->depth = depth[e].depth;
        edge->delay = depth[e].delay;
        edge->forced_by = depth[e].forced_by;
    }
}

void pass_safe_depths(struct ir *ir) {
    for (int e = 0; e < ir->edges; e++) {
        struct ir_edge *edge = &ir->edge[e];
        edge->depth = size_fifos_safe(ir, edge);
    }
}

// Simulates steps to find deadlocks that the rule does not foresee. An example is a kernel after an engine's product
// whose results go to two readers, one of which waits for a later product of the same engine. While it waits, the
// kernel blocks the engine. FIFOs that are full in a deadlock get room for a whole tensor, until the steps end. Returns
// NULL, or the place where the graph still deadlocks. *deepened: whether some FIFOs are deeper now.
static const char *ensure_progress(struct ir *ir, bool timed, bool *deepened) {
    bool *full = ARENA_ARRAY(ir->arena, bool, (size_t)ir->edges + 1);
    const char *stuck = NULL;
    *deepened = false;
    for (bool deeper = true; deeper && !timing_progress(ir, timed, &stuck, full) && stuck;) {
        deeper = false;
        for (int e = 0; e < ir->edges; e++) {
            struct ir_edge *edge = &ir->edge[e];
            int64_t before = edge->depth;
            if (!full[e] || edge->whole) continue;
            edge->whole = 1;
            edge->depth = at_least(before, size_fifos_safe(ir, edge));
            deeper |= edge->depth > before;
        }
        *deepened |= deeper;
        if (!deeper) return stuck;
    }
    return NULL;
}

// Sets the depths of all edges as `design.fifo` says (not `auto`). Returns NULL, or the place where the graph
// deadlocks.
static const char *size_as_said(struct ir *ir, struct by_contracts *by) {
    bool by_rule = ir->design.fifo == SPEC_SAFE, deepened;
    pass_safe_depths(ir);
    if (!by_rule) size_by_contracts(ir, by);
    const char *stuck = ensure_progress(ir, by->sized && ir->design.fifo == SPEC_TIMED, &deepened);
    if (!stuck && !by_rule && !by->sized && deepened) size_by_contracts(ir, by);
    return stuck;
}

// ---- the better of two sizings ----

enum { ALIKE = 100 /* cycles count as equal if they differ by at most 1 / ALIKE */ };

struct sizes { // a copy of all edges with their depths
    struct ir_edge *edge;
    int64_t cycles, bits; // cycles: of a trial request; bits: of all FIFOs except those between groups
};

static struct sizes keep_sizes(struct ir *ir) {
    struct sizes s = {.edge = ARENA_ARRAY(ir->arena, struct ir_edge, (size_t)ir->edges + 1)};
    memcpy(s.edge, ir->edge, (size_t)ir->edges * sizeof *s.edge);
    for (int e = 0; e < ir->edges; e++)
        if (!ir->edge[e].stored_firings) s.bits += ir->edge[e].depth * cost_edge_bits(ir, &ir->edge[e]);
    return s;
}

// Copies the edges and forecasts the cycles of the trial request with their depths.
static struct sizes try_sizes(struct ir *ir) {
    struct sizes s = keep_sizes(ir);
    s.cycles = timing_trial(ir);
    return s;
}

static void use_sizes(struct ir *ir, const struct sizes *s) {
    memcpy(ir->edge, s->edge, (size_t)ir->edges * sizeof *s->edge);
}

// Whether `a` is better than `b`: it takes fewer cycles, or, if the cycles are about equal (ALIKE), fewer bits.
static bool is_better(const struct sizes *a, const struct sizes *b) {
    int64_t alike = b->cycles / ALIKE;
    if (a->cycles < b->cycles - alike || a->cycles > b->cycles + alike) return a->cycles < b->cycles;
    return a->bits < b->bits;
}

static void say_better(struct ir *ir, const struct sizes *safe, const struct sizes *timed) {
    say(ir, IR_STRATEGY_AUTO,
        arena_printf(ir->arena, "%s; by forecast safe takes %lld cycles and %lld bits, timed %lld and %lld",
                     spec_fifo_name(ir->design.fifo), (long long)safe->cycles, (long long)safe->bits,
                     (long long)timed->cycles, (long long)timed->bits));
}

// Keeps the depths of the safe rule, because the search found no others.
static void keep_safe(struct ir *ir, const struct by_contracts *by) {
    for (int e = 0; e < ir->edges; e++) ir->edge[e].forced_by = NULL;
    ir->design.fifo = SPEC_SAFE;
    say(ir, IR_STRATEGY_AUTO, "safe, as there are no timed depths");
    if (by->pass > by->most)
        ir->design.weighed = arena_printf(
            ir->arena, "safe, as the search for timed depths was not begun: its steps are more than %lld words",
            (long long)by->pass);
}

// Sets the depths by the safe rule. unsized: the edges before any sizing. Returns NULL, or the place of a deadlock.
static const char *size_by_rule(struct ir *ir, const struct sizes *unsized) {
    struct by_contracts none = {0};
    use_sizes(ir, unsized);
    ir->design.fifo = SPEC_SAFE;
    return size_as_said(ir, &none);
}

// Chooses between timed and safe depths by a forecast of a trial request. If timed depths are better than those of the
// safe rule, the safe ones are not checked for deadlocks, because that check could only make them deeper. Returns NULL,
// or the place of a deadlock.
static const char *size_by_forecast(struct ir *ir) {
    struct sizes unsized = keep_sizes(ir);
    struct by_contracts by = {.most = TIMING_BRIEF_PASS};
    ir->design.fifo = SPEC_TIMED;
    const char *stuck = size_as_said(ir, &by);
    if (!by.sized) return keep_safe(ir, &by), stuck;
    if (stuck) return size_by_rule(ir, &unsized);
    struct sizes timed = try_sizes(ir);
    use_sizes(ir, &unsized);
    pass_safe_depths(ir);
    struct sizes safe = try_sizes(ir);
    if (!is_better(&timed, &safe)) {
        stuck = size_by_rule(ir, &unsized);
        safe = try_sizes(ir);
    }
    if (stuck || is_better(&timed, &safe)) {
        use_sizes(ir, &timed);
        ir->design.fifo = SPEC_TIMED;
    }
    say_better(ir, &safe, &timed);
    return NULL;
}

bool pass_size_fifos(struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    struct by_contracts by = {0};
    const char *stuck = ir->design.fifo == SPEC_AUTO ? size_by_forecast(ir) : size_as_said(ir, &by);
    if (!stuck) return true;
    diag_error(diag, spec ? spec_place(spec, "design.fifo") : loc_none(), MSG_FIFOS_DEADLOCK, stuck);
    return false;
}
