// SPDX-License-Identifier: Apache-2.0
// Finds how many words streams hold if every firing is as late as the graph allows, with a difference-constraint LP
// (lp.h) over the firings of simulated steps. Such a depth is less than that of a run in which writers run ahead.
//
// A simulator run starts every firing as early as it can. Here each firing may move to a later time, with all of its
// words together. The variables are the shifts at a stream's writer and at its reader. The engine's inputs and outputs
// keep their times, and so do all ports that end a step, so no step gets longer. The LP minimises the time that words
// wait, weighted with their widths (StreamTensor, MICRO 2025: the sum of delays).
#include "gen/timing/depths.h"

#include <string.h>

#include "gen/kernel/args.h"
#include "gen/lp/lp.h"

struct stream {             // the firings of a stream
    int firings, put, take; // put, take: variables of firing 0 at the writer and at the reader; the others follow
    int64_t *first;         // number of the first word of each firing; [firings]: the number of words
};

struct graph {
    const struct ir *ir;
    const struct timing_result *run;
    struct arena *arena;
    struct stream *stream; // per edge
    struct lp lp;
};

// ORIGIN: the variable that represents the times of the run; its shift is 0.
enum { ORIGIN = 0, MAX_VARIABLES = 4000 /* of a run; with more of them the solver takes seconds */ };

static bool is_used(const struct graph *g, int e) { return g->stream[e].firings > 0; }

// Cuts a stream at the ends of its firings, and numbers two variables for each: the shift at the writer and the shift
// at the reader.
static void cut_stream(struct graph *g, int e, int *variables) {
    const struct timing_edge *t = &g->run->edge[e];
    struct stream *s = &g->stream[e];
    s->first = ARENA_ARRAY(g->arena, int64_t, (size_t)t->words + 2);
    for (int64_t i = 0; i < t->words; i++)
        if (t->mark[i] & MARK_LAST) s->first[++s->firings] = i + 1;
    s->put = *variables;
    s->take = *variables + s->firings;
    *variables += 2 * s->firings;
}

static void at_least_row(struct graph *g, int from, int to, int64_t least) { lp_add(&g->lp, from, to, least, 0); }

// Keeps the time that a firing has in the run.
static void fix(struct graph *g, int variable) {
    at_least_row(g, ORIGIN, variable, 0);
    at_least_row(g, variable, ORIGIN, 0);
}

// Adds the rows of a stream. The reader's firing may not move so early, relative to the writer's firing, that a word is
// taken before it has arrived. In the minimised sum, the distance of the two firings counts width times words.
static void add_stream(struct graph *g, int e, int64_t width) {
    const struct timing_edge *t = &g->run->edge[e];
    const struct stream *s = &g->stream[e];
    for (int n = 0; n < s->firings; n++) {
        int64_t slack = INT64_MAX, words = s->first[n + 1] - s->first[n];
        for (int64_t i = s->first[n]; i < s->first[n + 1]; i++)
            if (t->take[i] - t->put[i] - 1 < slack) slack = t->take[i] - t->put[i] - 1;
        lp_add(&g->lp, s->put + n, s->take + n, -slack, (double)(width * words));
        at_least_row(g, ORIGIN, s->put + n, 0);
        at_least_row(g, ORIGIN, s->take + n, 0);
        if (n == 0) continue;
        int64_t word = s->first[n]; // a port's firing starts after the end of the previous one
        at_least_row(g, s->put + n - 1, s->put + n, t->put[word - 1] + 1 - t->put[word]);
        at_least_row(g, s->take + n - 1, s->take + n, t->take[word - 1] + 1 - t->take[word]);
    }
}

// ---- kernels: no output before the inputs that it is made of ----

// Couples the firings of an input and an output of a kernel: an output firing may not be earlier, relative to the run,
// than the input firing that it is made of. together: both move by the same time, because the kernel holds no whole
// firing. If one side has several firings for each firing of the other side, these are coupled with the same one.
static void couple(struct graph *g, int in, int out, bool together) {
    const struct stream *i = &g->stream[in], *o = &g->stream[out];
    int more = i->firings > o->firings ? i->firings : o->firings,
        fewer = i->firings < o->firings ? i->firings : o->firings;
    bool regular = fewer > 0 && more % fewer == 0;
    for (int n = 0; n < more; n++) {
        if (!regular) { // some firings are dropped, so all keep their times
            if (n < i->firings) fix(g, i->take + n);
            if (n < o->firings) fix(g, o->put + n);
            continue;
        }
        int take = i->take + (int)((int64_t)n * i->firings / more),
            put = o->put + (int)((int64_t)n * o->firings / more);
        at_least_row(g, take, put, 0);
        if (together) at_least_row(g, put, take, 0);
    }
}

// Couples the firings of a fork's input and of one output. A fork offers a word to each reader while the word waits at
// the input, and takes it when all readers have it. come and gone: how much earlier, relative to the input, a firing
// may be offered, and how much later, without breaking this for any of its words.
static void couple_fork(struct graph *g, int in, int out) {
    const struct timing_edge *a = &g->run->edge[in], *b = &g->run->edge[out];
    const struct stream *i = &g->stream[in], *o = &g->stream[out];
    for (int n = 0; n < i->firings && n < o->firings; n++) {
        int64_t come = INT64_MAX, gone = INT64_MAX;
        for (int64_t w = i->first[n]; w < i->first[n + 1] && w < o->first[n + 1]; w++) {
            if (b->put[w] - a->put[w] - 1 < come) come = b->put[w] - a->put[w] - 1;
            if (a->take[w] - b->put[w] < gone) gone = a->take[w] - b->put[w];
        }
        at_least_row(g, i->put + n, o->put + n, -come);
        at_least_row(g, o->put + n, i->take + n, -gone);
    }
}

// Couples each firing of a multiplexer's or demultiplexer's lane with the firing of the common side that moves in the
// same cycle.
static void couple_lane(struct graph *g, int lane, int common, bool is_mux) {
    const struct stream *l = &g->stream[lane], *c = &g->stream[common];
    const int64_t *lane_at = is_mux ? g->run->edge[lane].take : g->run->edge[lane].put;
    const int64_t *common_at = is_mux ? g->run->edge[common].put : g->run->edge[common].take;
    for (int n = 0, m = 0; n < l->firings; n++) {
        while (m < c->firings && common_at[c->first[m]] < lane_at[l->first[n]]) m++;
        if (m == c->firings) return;
        int a = (is_mux ? l->take : l->put) + n, b = (is_mux ? c->put : c->take) + m;
        at_least_row(g, a, b, 0);
        at_least_row(g, b, a, 0);
    }
}

// Keeps the times of all ports of a kernel.
static void fix_ports(struct graph *g, const struct ir_kernel *k) {
    for (int p = 0; p < k->ports; p++) {
        int e = k->port[p].edge;
        if (e == IR_NONE || !is_used(g, e)) continue;
        for (int n = 0; n < g->stream[e].firings; n++)
            fix(g, (k->port[p].is_output ? g->stream[e].put : g->stream[e].take) + n);
    }
}

// Couples an input and an output of a kernel in the way that its machine moves words.
static void couple_ports(struct graph *g, enum timing_machine machine, const struct ir_port *in,
                         const struct ir_port *out) {
    switch (machine) {
    case TIMING_FORK: couple_fork(g, in->edge, out->edge); break;
    case TIMING_MUX: couple_lane(g, in->edge, out->edge, true); break;
    case TIMING_DEMUX: couple_lane(g, out->edge, in->edge, false); break;
    default: couple(g, in->edge, out->edge, machine == TIMING_PIPE);
    }
}

// Adds the rows of the LP for a kernel. Kernels with a machine that is not listed keep the times of all their ports.
static void add_kernel(struct graph *g, int kernel) {
    const struct ir_kernel *k = &g->ir->kernel[kernel];
    struct timing_contract c;
    if (!timing_contract(g->ir, kernel, &c)) return fix_ports(g, k);
    if (c.machine == TIMING_PIPE && c.pipe.rows) return fix_ports(g, k); // other firings go out than come in
    switch (c.machine) {
    case TIMING_EMBED:
    case TIMING_POSITION:
    case TIMING_READER: return; // their rows may be requested at any later time
    case TIMING_PIPE:
    case TIMING_BANKS:
    case TIMING_SOFTMAX:
    case TIMING_GEAR:
    case TIMING_GROUPS:
    case TIMING_FORK:
    case TIMING_MUX:
    case TIMING_DEMUX:
    case TIMING_SPILL:
    case TIMING_REPLAY: break;
    default: return fix_ports(g, k);
    }
    for (int i = 0; i < k->ports; i++)
        for (int o = 0; o < k->ports; o++) {
            const struct ir_port *in = &k->port[i], *out = &k->port[o];
            if (in->is_output || !out->is_output || in->edge == IR_NONE || out->edge == IR_NONE) continue;
            if (is_used(g, in->edge) && is_used(g, out->edge)) couple_ports(g, c.machine, in, out);
        }
}

// ---- what the streams hold at the shifted times ----

// Returns the most words that the stream holds if its firings are shifted.
static int64_t shifted_mark(const struct graph *g, int e, const int64_t *shift) {
    const struct timing_edge *t = &g->run->edge[e];
    const struct stream *s = &g->stream[e];
    int64_t most = 0, taken = 0;
    for (int n = 0, m = 0; n < s->firings; n++)
        for (int64_t i = s->first[n]; i < s->first[n + 1]; i++) {
            int64_t put = t->put[i] + shift[s->put + n];
            while (taken < i) {
                while (taken >= s->first[m + 1]) m++;
                if (t->take[taken] + shift[s->take + m] > put) break;
                taken++;
            }
            most = at_least(most, i + 1 - taken);
        }
    return most;
}

bool timing_latest(struct arena *arena, const struct ir *ir, const struct timing_result *run, const int64_t *width,
                   int64_t *mark) {
    struct graph g = {
        .ir = ir, .run = run, .arena = arena, .stream = ARENA_ARRAY(arena, struct stream, (size_t)ir->edges + 1)};
    int variables = 1;
    for (int e = 0; e < ir->edges; e++)
        if (width[e]) cut_stream(&g, e, &variables);
    if (variables > MAX_VARIABLES) return false;
    lp_init(&g.lp, arena, variables);
    for (int e = 0; e < ir->edges; e++)
        if (is_used(&g, e)) add_stream(&g, e, width[e]);
    for (int k = 0; k < ir->kernels; k++) add_kernel(&g, k);
    int64_t *shift = lp_solve(&g.lp);
    if (!shift) return false;
    for (int e = 0; e < ir->edges; e++) mark[e] = is_used(&g, e) ? shifted_mark(&g, e, shift) : 0;
    return true;
}
