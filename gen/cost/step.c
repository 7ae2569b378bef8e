// SPDX-License-Identifier: Apache-2.0
// Calculates the work of each part of a design in whole steps, and the lower bound of the cycles that this work takes.
#include "gen/cost/cost.h"
#include "gen/ir/ops.h"
#include "gen/kernel/args.h"
#include "gen/cost/work.h"

static int64_t engine_cycles(const struct ir *ir, int engine, const struct cost_step *s) {
    struct cost_beats b = cost_step_beats(ir, engine, s);
    return b.weights + b.scores + b.values;
}

int cost_slowest_engine(const struct ir *ir, const struct cost_step *s) {
    int slowest = ir->engines ? 0 : IR_NONE;
    for (int e = 1; e < ir->engines; e++)
        if (engine_cycles(ir, e, s) > engine_cycles(ir, slowest, s)) slowest = e;
    return slowest;
}

// ---- loads ----

struct cost_load cost_load_new(const struct ir *ir) {
    return (struct cost_load){.engine = ARENA_ARRAY(ir->arena, int64_t, (size_t)ir->engines + 1),
                              .channel = ARENA_ARRAY(ir->arena, int64_t, (size_t)ir->design.channels),
                              .kernel = ARENA_ARRAY(ir->arena, int64_t, (size_t)ir->kernels + 1)};
}

// Returns the number of tokens that a kernel processes in a step. Regions of IR_LAST process none in steps without a
// head. In steps with a head they process the last token, or with drafts or slots all tokens.
static int64_t tokens_of(const struct ir *ir, int kernel, const struct cost_step *s) {
    int node = ir->kernel[kernel].node;
    if (node == IR_NONE || ir->region[ir->node[node].region].when != IR_LAST) return s->tokens;
    return !s->head ? 0 : ir_takes_last(ir, ir->node[node].region) ? 1 : s->tokens;
}

// Returns the beats of the rows that kernels read and write through their own DMA engines on a channel.
static int64_t client_beats(const struct ir *ir, int channel, const struct cost_step *s) {
    int64_t beats = 0;
    for (int c = 0; c < ir->clients; c++)
        if (ir->client[c].channel == channel && ir->client[c].kernel != IR_NONE)
            beats += tokens_of(ir, ir->client[c].kernel, s) * cost_memory_beats(ir, ir->client[c].kernel);
    return beats;
}

static void add_channels(const struct ir *ir, struct cost_load *load, const struct cost_step *s) {
    for (int c = 0; c < ir->design.channels; c++) load->channel[c] += client_beats(ir, c, s);
    for (int e = 0; e < ir->engines; e++) {
        int64_t beats = cost_step_beats(ir, e, s).memory;
        for (int c = 0; c < ir->engine[e].channels; c++) load->channel[ir->engine[e].first_channel + c] += beats;
    }
}

// Returns the words per token on the busiest of the kernel's token streams (IR_STREAM_TOKENS).
static int64_t token_words(const struct ir *ir, int kernel, int64_t position) {
    int64_t words = 0;
    for (int p = 0; p < ir->kernel[kernel].ports; p++)
        if (ir->kernel[kernel].port[p].kind == IR_STREAM_TOKENS)
            words = at_least(words, cost_port_words(ir, kernel, p, position));
    return words;
}

// Returns a lower bound of the cycles of a kernel in a step. Returns 0 for engines, which are counted in load->engine,
// and in a language model for steps of several tokens or without a head, because cost_kernel_work describes decode
// steps only. In a graph that is not a language model, a step has several rows: words that come once per row count once
// for each row, and all other words once for the step. Some kernels are busy for fewer cycles than they have words, so
// the words per row are limited to work.busy.
static int64_t kernel_cycles(const struct ir *ir, int kernel, const struct cost_step *s) {
    if ((ir->design.is_lm && (s->tokens > 1 || !s->head)) || cost_is_engine(ir, kernel)) return 0;
    struct cost_work work = cost_kernel_work(ir, kernel, s->position);
    if (s->tokens == 1) return work.busy;
    int64_t words = at_most(token_words(ir, kernel, s->position), work.busy);
    return at_least(work.busy, words * work.contract.interval * s->tokens);
}

void cost_load_add(const struct ir *ir, struct cost_load *load, const struct cost_step *s) {
    for (int e = 0; e < ir->engines; e++) load->engine[e] += engine_cycles(ir, e, s);
    for (int k = 0; k < ir->kernels; k++) load->kernel[k] += kernel_cycles(ir, k, s);
    add_channels(ir, load, s);
    load->rows += s->tokens;
}

// ---- bounds ----

// Returns the cycles of the busiest channel at the sustained rate, rounded. early, some: as in cost_load_bound. With
// `some`, the cycles are rounded down, and one refresh is left out.
static int64_t memory_cycles(const struct ir *ir, const struct cost_load *load, int64_t early, bool some) {
    const struct ir_design *d = &ir->design;
    int64_t beats = 0;
    for (int c = 0; c < d->channels; c++) beats = at_least(beats, load->channel[c] - early);
    double ns = (double)beats * d->beat_bits / 8 / hbm_figures_rate(&d->hbm);
    if (some) ns -= hbm_figures_pause_ns(&d->hbm);
    return ns > 0 ? (int64_t)(ns * d->clock_mhz * 1e-3 + (some ? 0 : 0.5)) : 0;
}

struct cost_bound cost_load_bound(const struct ir *ir, const struct cost_load *load, int64_t early, bool some) {
    struct cost_bound b = {.busiest = IR_NONE, .rows = load->rows};
    for (int e = 0; e < ir->engines; e++) b.engine = at_least(b.engine, load->engine[e]);
    b.memory = memory_cycles(ir, load, early, some);
    for (int k = 0; k < ir->kernels; k++)
        if (load->kernel[k] > b.kernel) b.kernel = load->kernel[k], b.busiest = k;
    b.cycles = at_least(at_least(b.engine, b.memory), b.kernel);
    b.tokens_per_second = b.cycles ? (double)b.rows * ir->design.clock_mhz * 1e6 / (double)b.cycles : 0;
    return b;
}

bool cost_positions_matter(const struct ir *ir) {
    for (int t = 0; t < ir->tensors; t++)
        for (int d = 0; d < ir->tensor[t].rank; d++)
            if (ir->tensor[t].shape[d].dynamic == IR_POSITIONS) return true;
    return false;
}

struct cost_step cost_usual_step(const struct ir *ir, int64_t position) {
    return (struct cost_step){position, ir->design.is_lm ? 1 : ir->design.tokens, true};
}

struct cost_bound cost_step_bound(const struct ir *ir, const struct cost_step *s) {
    struct cost_load load = cost_load_new(ir);
    cost_load_add(ir, &load, s);
    return cost_load_bound(ir, &load, 0, false);
}

int64_t cost_step_waits(const struct ir *ir, const struct cost_step *s) {
    int64_t cycles = 0;
    for (int r = 0; r < ir->regions; r++) {
        int64_t slowest = 0;
        for (int n = 0; n < ir->nodes; n++)
            if (ir->node[n].region == r && ir_op_is(ir, ir->node[n].op, OP_CONTRACTS))
                slowest = at_least(slowest, ir_bmm_words(ir, &ir->node[n]));
        cycles += slowest * ir->region[r].repeat * s->tokens;
    }
    return cycles;
}
