// SPDX-License-Identifier: Apache-2.0
// Calculates from a kernel's timing contract how words pass through the kernel in a decode step, and for how many
// cycles the kernel works.
#include "gen/kernel/contract.h"
#include "gen/cost/cost.h"
#include "gen/kernel/args.h"
#include "gen/kernel/ports.h"
#include "gen/ir/layout.h"
#include "gen/ir/window.h"
#include "gen/cost/work.h"

struct call { // one kernel at a position
    const struct ir *ir;
    int kernel;
    int64_t position;
    struct timing_contract c;
};

// ---- from a word in to a word out ----

// Returns the words of one firing on the kernel's first input that carries tokens.
static int64_t firing_in(const struct call *k) {
    const struct ir_kernel *kernel = &k->ir->kernel[k->kernel];
    for (int p = 0; p < kernel->ports; p++) {
        const struct ir_port *port = &kernel->port[p];
        if (port->is_output || port->kind == IR_STREAM_BARE) continue;
        int64_t repeat = port->region == IR_NONE ? 1 : k->ir->region[port->region].repeat;
        return cost_port_words(k->ir, k->kernel, p, k->position) / at_least(repeat, 1);
    }
    return 1;
}

// Returns the index of the engine that this kernel is, or to which this walker belongs. Returns IR_NONE for others.
static int engine_id(const struct call *k) {
    for (int e = 0; e < k->ir->engines; e++)
        if (k->ir->engine[e].kernel == k->kernel || k->ir->engine[e].walker == k->kernel) return e;
    return IR_NONE;
}

// Returns the first firing of the call's engine, or NULL.
static const struct ir_firing *first_firing(const struct call *k) {
    for (int i = 0; i < k->ir->firings; i++)
        if (k->ir->firing[i].engine == engine_id(k)) return &k->ir->firing[i];
    return NULL;
}

// passes returns the contract of a kernel that passes each word on. gathers returns the contract of a kernel that needs
// `fill` words before it gives the first one.
static struct cost_contract passes(int64_t delay) { return (struct cost_contract){1, delay, 1}; }
static struct cost_contract gathers(int64_t fill, int64_t delay) {
    return (struct cost_contract){at_least(fill, 1), delay, 1};
}

// The engine gives its first word after it has taken the whole operand and done the first row-step of the first firing.
static struct cost_contract engine(const struct call *k) {
    const struct ir_firing *f = first_firing(k);
    if (!f) return passes(0);
    int64_t fill = ports_mx_units(k->ir, &k->ir->tensor[k->ir->node[f->node].in[0]]);
    return gathers(fill, timing_latency(&k->c) + f->beats);
}

// A group is read when it has arrived completely, or when the firing has arrived if the firing is shorter than a group.
static struct cost_contract banks(const struct call *k) {
    struct timing_contract c = k->c;
    c.banks.rows = at_most(c.banks.rows, at_least(firing_in(k), 1));
    return gathers(c.banks.rows, timing_latency(&c));
}

// Finds how words pass through the kernel. Returns false if no stream passes through it.
static bool passage(const struct call *k, struct cost_contract *out) {
    const struct timing_contract *c = &k->c;
    int64_t delay = timing_latency(c);
    switch (c->machine) {
    case TIMING_PIPE:
    case TIMING_FORK:
    case TIMING_MUX:
    case TIMING_DEMUX:
    case TIMING_SELECT:
    case TIMING_TURNS:
    case TIMING_PACK:
    case TIMING_SLOTS:
    case TIMING_LOOP: return *out = passes(delay), true;
    case TIMING_EMBED: // the request, the row's beats, then the pipeline after the row buffer
    case TIMING_POSITION: return *out = passes(c->fetch.ask + c->fetch.beats + delay), true;
    case TIMING_READER: return *out = passes(c->rows.ask + c->rows.beats + delay), true;
    case TIMING_BANKS: return *out = banks(k), true;
    case TIMING_SOFTMAX: return *out = gathers(div_up(k->position + 1, c->banks.softmax.lanes), delay), true;
    case TIMING_ARGMAX: return *out = gathers(firing_in(k), delay), true;
    case TIMING_GEAR: return *out = gathers(div_up(c->gear.out, c->gear.in), delay), true;
    case TIMING_REPLAY: return *out = gathers(c->replay.units ? c->replay.units : firing_in(k), delay), true;
    case TIMING_LAYOUT: return *out = gathers(c->layout.rows, delay), true;
    case TIMING_ORDER: return *out = gathers(c->order.words, delay), true;
    case TIMING_LINES: return *out = gathers(c->lines.buffer, delay), true;
    case TIMING_SIEVE: return *out = gathers(c->sieve.first * c->sieve.words + 1, delay), true;
    case TIMING_SPLIT: return *out = gathers(c->split.together, delay), true;
    case TIMING_SCALES: return *out = gathers(c->scales.units, delay), true;
    case TIMING_ENGINE: return *out = engine(k), true;
    case TIMING_GROUPS: return *out = gathers(c->groups.take[0], delay), out->interval = c->groups.every, true;
    default: return false;
    }
}

// ---- work beyond one word per cycle ----

// The functions ..._busy return the cycles of a kernel's work in a decode step. words: words on its busiest stream.

static int64_t engine_busy(const struct call *k, int64_t words) {
    struct cost_beats b = cost_engine_beats(k->ir, engine_id(k), k->position);
    return at_least(b.weights + b.scores + b.values, words);
}

// Every position takes a cycle for each row of each head, in addition to the words. If a block of 64 positions fills
// two beats of a row, the first position of a block takes a second cycle for each row, because it also clears the other
// beat. After the last position of a block, every beat of the block is written to memory, which takes v->every cycles
// per beat.
static int64_t v_tail_busy(const struct call *k, int64_t words) {
    const struct timing_values *v = &k->c.values;
    int64_t rows = v->rows, heads = v->layers * v->heads, place = k->position % LAYOUT_V_BLOCK;
    int64_t opening = v->beats == 2 && place == 0 ? rows : 0;
    int64_t closing = place == LAYOUT_V_BLOCK - 1 ? v->every * rows * v->beats : 0;
    return words + heads * (rows + opening + closing);
}

// Returns the node of the kernel that reads the first output.
static int reader_node(const struct call *k) {
    const struct ir_kernel *kernel = &k->ir->kernel[k->kernel];
    for (int p = 0; p < kernel->ports; p++)
        if (kernel->port[p].is_output && kernel->port[p].edge != IR_NONE)
            return k->ir->kernel[k->ir->edge[kernel->port[p].edge].dst_kernel].node;
    return IR_NONE;
}

// A word of scales has `lanes` positions, and is sent once for each query head that reads it.
static int64_t scales_busy(const struct call *k, int64_t words) {
    const struct timing_scales *s = &k->c.scales;
    int64_t sent = 0;
    for (int64_t r = 0; r < s->layers; r++)
        sent += s->heads * s->times / at_least(s->together, 1) *
                div_up(k->position + 1 - window_begin(k->ir, reader_node(k), r, k->position), s->lanes);
    return at_least(words, sent);
}

// Counts the words at the output. The words of the input's tensor are counted for all repetitions of its region, but
// only those of the last repetition reach this kernel.
static int64_t select_busy(const struct call *k, int64_t words) {
    const struct ir_kernel *kernel = &k->ir->kernel[k->kernel];
    for (int p = 0; p < kernel->ports; p++)
        if (kernel->port[p].is_output) return at_most(words, cost_port_words(k->ir, k->kernel, p, k->position));
    return words;
}

// The walker gives one descriptor per run of adjacent beats: one per firing, or one per row-step of values. It gives
// none for firings that a step of one token skips (`many`).
static int64_t walker_busy(const struct call *k, int64_t words) {
    int64_t runs = 0;
    for (int i = 0; i < k->ir->firings; i++) {
        const struct ir_firing *f = &k->ir->firing[i];
        if (f->engine != engine_id(k) || f->many) continue;
        runs += k->ir->region[f->region].repeat * (f->mode == ENGINE_MODE_VALUES ? f->row_steps : 1);
    }
    return at_least(words, runs);
}

// Returns the beats of the table rows that a custom kernel reads: one row for every firing of a step of one token.
static int64_t table_beats(const struct ir *ir, int kernel, const struct timing_contract *c) {
    int node = ir->kernel[kernel].node;
    const struct timing_table *table = timing_table(c);
    return table && node != IR_NONE && kernel_is(&ir->kernel[kernel], KERNEL_FETCH)
               ? table->beats * ir->region[ir->node[node].region].repeat
               : 0;
}

// A kernel that sends its words several times works each time.
static int64_t busy_again(const struct call *k, int64_t words) {
    const struct timing_replay *r = &k->c.replay;
    return r->units ? words * r->times / at_least(r->together, 1) : words;
}

// Returns the cycles in which the kernel works in a decode step. Most kernels take a word every `interval` cycles.
static int64_t busy(const struct call *k, int64_t words, int64_t interval) {
    switch (k->c.machine) {
    case TIMING_ENGINE: return engine_busy(k, words);
    case TIMING_EMBED: // rows do not overlap: a row is fetched only after the row before it has left
    case TIMING_POSITION: return k->c.fetch.beats + words;
    case TIMING_V_TAIL: return v_tail_busy(k, words);
    case TIMING_SCALES: return scales_busy(k, words);
    case TIMING_REPLAY: return busy_again(k, words);
    case TIMING_STORE: return at_least(words, k->c.store.words);
    case TIMING_SELECT: return select_busy(k, words);
    case TIMING_WALKER: return walker_busy(k, words);
    case TIMING_SLOTS:
    case TIMING_LOOP: return words ? k->c.stages + 1 : 0;
    default: return words * interval + table_beats(k->ir, k->kernel, &k->c);
    }
}

// ---- figures of one kernel ----

bool cost_is_engine(const struct ir *ir, int kernel) {
    struct timing_contract c;
    return timing_contract(ir, kernel, &c) && c.machine == TIMING_ENGINE;
}

int64_t cost_memory_beats(const struct ir *ir, int kernel) {
    struct timing_contract c;
    if (!timing_contract(ir, kernel, &c)) return 0;
    if (c.machine == TIMING_EMBED || c.machine == TIMING_POSITION) return c.fetch.beats;
    if (c.machine == TIMING_READER || c.machine == TIMING_WRITER)
        return div_up(c.rows.rows, c.rows.group) * c.rows.beats;
    return table_beats(ir, kernel, &c);
}

struct cost_work cost_kernel_work(const struct ir *ir, int kernel, int64_t position) {
    struct call call = {.ir = ir, .kernel = kernel, .position = position};
    struct cost_work w = {.contract = {1, 0, 1}, .latency = IR_NONE};
    for (int p = 0; p < ir->kernel[kernel].ports; p++)
        w.words = at_least(w.words, cost_port_words(ir, kernel, p, position));
    w.busy = w.words;
    if (!timing_contract(ir, kernel, &call.c)) return w;
    if (passage(&call, &w.contract)) w.latency = (w.contract.fill - 1) * w.contract.interval + w.contract.delay;
    w.busy = busy(&call, w.words, w.contract.interval);
    return w;
}
