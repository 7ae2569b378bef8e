// SPDX-License-Identifier: Apache-2.0
// The core of the simulator: streams, stages that stall together, the queue of actors that can go on, and the result.
// The timing models of the kernels are in machine_*.c, and the timing model of the memory is in sim_memory.c.
#include <string.h>

#include "gen/ir/ir.h"
#include "gen/kernel/kernel.h"
#include "gen/kernel/kv_cache.h"
#include "gen/ir/ops.h"
#include "gen/simulator/sim_actor.h"

// ---- streams ----

void edge_init(struct sim_edge *e, int64_t depth, int writer, int reader) {
    *e = (struct sim_edge){.depth = depth, .latency = CYCLES_FIFO, .parts = 1, .writer = writer, .reader = reader};
    if (depth == 1 || depth == 2) e->latency = CYCLES_FIFO_SHORT;
}

void sim_wake_all(struct sim *sim, enum timing_machine machine) {
    for (int k = 0; k < sim->ir->kernels; k++)
        if (sim->actor[k].c.machine == machine) sim_wake(sim, k);
}

void edge_grow(struct sim *sim, struct sim_edge *e) {
    int64_t capacity = e->capacity ? 2 * e->capacity : at_least(e->expected, 64);
    int64_t *put = arena_alloc_dirty(sim->arena, (size_t)capacity, sizeof *put);
    int64_t *take = arena_alloc_dirty(sim->arena, (size_t)capacity, sizeof *take);
    uint8_t *mark = arena_alloc_dirty(sim->arena, (size_t)capacity, sizeof *mark);
    if (e->puts) {
        memcpy(put, e->put, (size_t)e->puts * sizeof *put);
        memcpy(take, e->take, (size_t)e->takes * sizeof *take);
        memcpy(mark, e->mark, (size_t)e->puts);
    }
    e->put = put;
    e->take = take;
    e->mark = mark;
    e->capacity = capacity;
}

static struct sim_edge *edge_of(struct sim *sim, const struct ir_port *p) {
    return p->edge == IR_NONE ? NULL : &sim->edge[p->edge];
}

static struct sim_edge *port_for(struct sim *sim, const struct actor *a, enum ir_role role, bool is_output) {
    int p = ir_port_for(a->k, role, is_output);
    return p == IR_NONE ? NULL : edge_of(sim, &a->k->port[p]);
}
struct sim_edge *sim_in(struct sim *sim, const struct actor *a, enum ir_role role) {
    return port_for(sim, a, role, false);
}
struct sim_edge *sim_out(struct sim *sim, const struct actor *a, enum ir_role role) {
    return port_for(sim, a, role, true);
}

struct sim_edge *sim_lane(struct sim *sim, const struct actor *a, bool is_output, int index) {
    for (int p = 0; p < a->k->ports; p++)
        if (a->k->port[p].is_output == is_output && a->k->port[p].index == index && a->k->port[p].role != IR_ROLE_STEP)
            return edge_of(sim, &a->k->port[p]);
    return NULL;
}

// ---- stages ----

void stage_init(struct sim *sim, struct stage *s, int64_t length) {
    *s = (struct stage){.length = sim->options->single_word ? 1 : length, .capacity = 64, .last = -1};
    s->word = ARENA_ARRAY(sim->arena, struct stage_word, 64);
}

static struct stage_word *word_at(const struct stage *s, int64_t i) { return &s->word[i & (s->capacity - 1)]; }

// Sends the oldest word that has not left, and notes the cycles in which it is offered and leaves. Returns false if it
// is not known from which cycle `out` has room.
static bool send_word(struct sim *sim, struct stage *s, struct sim_edge *out) {
    struct stage_word *w = word_at(s, s->sent);
    int64_t room;
    w->offer = w->enabled + s->stalled_out;
    if (!edge_room(out, &room)) return false;
    w->left = at_least(w->offer, room);
    s->stalled_out += w->left - w->offer;
    s->sent++;
    if (w->leaves) edge_put(sim, out, w->offer, w->left, w->mark);
    return true;
}

// Looks at the words in the order in which they leave. While a word is offered but has not left, no word can enter, so
// the entry waits until it leaves. A word that is offered only after the entry does not matter yet.
bool stage_enter(struct sim *sim, struct stage *s, struct sim_edge *out, int64_t from, int64_t *at) {
    int64_t a = at_least(from, s->last + 1);
    for (; s->passed < s->count; s->passed++) {
        struct stage_word *w = word_at(s, s->passed);
        if (s->passed == s->sent) {
            if (w->enabled + s->stalled_out > a) break;
            if (!send_word(sim, s, out)) return false;
        }
        if (w->offer > a) break;
        a = at_least(a, w->left);
        s->last = at_least(s->last, w->left - 1); // set even if the entry cannot be decided yet
        s->stalled_in += w->left - w->offer;
    }
    *at = s->last = a;
    return true;
}

void stage_push(struct sim *sim, struct stage *s, int64_t at, uint8_t mark, bool leaves) {
    if (s->count - at_most(s->passed, s->sent) == s->capacity) {
        struct stage old = *s;
        s->capacity *= 2;
        s->word = ARENA_ARRAY(sim->arena, struct stage_word, (size_t)s->capacity);
        for (int64_t i = at_most(old.passed, old.sent); i < old.count; i++) *word_at(s, i) = *word_at(&old, i);
    }
    *word_at(s, s->count++) =
        (struct stage_word){.enabled = at - s->stalled_in + s->length, .mark = mark, .leaves = leaves};
}

void stage_drain(struct sim *sim, struct stage *s, struct sim_edge *out) {
    while (s->sent < s->count && send_word(sim, s, out)) continue;
}

// ---- the run ----

// Returns whether a FIFO has its depth even in an unbounded run. The writers of step words and of ids for the ring wait
// for room by design, and a parameter store gives words without end.
static bool always_bounded(const struct sim *sim, const struct ir_edge *e) {
    struct timing_contract c;
    return (timing_contract(sim->ir, e->src_kernel, &c) && c.machine == TIMING_STORE) || ir_carries_steps(sim->ir, e) ||
           ir_is_of(sim->ir, e, IR_ROLE_RING);
}

// Opens the streams with their depths, and with the latency of their way between dies.
static void open_edges(struct sim *sim) {
    const struct ir *ir = sim->ir;
    sim->edge = ARENA_ARRAY(sim->arena, struct sim_edge, (size_t)ir->edges + 1);
    for (int e = 0; e < ir->edges; e++) {
        int64_t given =
            sim->options->depth ? sim->options->depth[e] : ir->edge[e].depth * (sim->options->twice ? 2 : 1);
        bool bounded = sim->options->bounded || always_bounded(sim, &ir->edge[e]);
        edge_init(&sim->edge[e], bounded ? at_least(given, 2) : 0, ir->edge[e].src_kernel, ir->edge[e].dst_kernel);
        sim->edge[e].expected = sim->options->words ? sim->options->words[e] : 0;
        sim->edge[e].back = ir_credit_cycles(ir->edge[e].crossings);
        sim->edge[e].parts = ir_edge_parts(&ir->edge[e]);
        sim->edge[e].latency += sim->edge[e].back + sim->edge[e].parts - 1;
    }
}

// Returns whether two repetitions of a region have attention windows of the same lengths.
static bool alike(const struct ir *ir, const struct ir_region *r, int64_t a, int64_t b) {
    for (int n = r->first_node; n < r->first_node + r->nodes; n++)
        if (ir_node_is(ir, n, OP_OF_SCORES) && window_length(ir, n, a) != window_length(ir, n, b)) return false;
    return true;
}

// Returns how many of the first repetitions there must be so that every other repetition has the windows of one of
// them.
static int64_t kinds_of_layers(const struct ir *ir, const struct ir_region *r) {
    int64_t kinds = 1;
    for (int64_t l = 1; l < r->repeat; l++) {
        int64_t same = 0;
        while (same < l && !alike(ir, r, same, l)) same++;
        if (same == l) kinds = l + 1;
    }
    return kinds;
}

int64_t timing_layer_like(const struct ir *ir, int64_t repetition, int64_t layers) {
    int64_t like = layers - 1;
    for (int r = 0; r < ir->regions; r++)
        while (ir->region[r].repeat > 1 && like > 0 && !alike(ir, &ir->region[r], like, repetition)) like--;
    return like;
}

// Decides how many layers this run leaves out. Layers differ only in their windows, so a few of them show the depths
// that all layers need. sim_repeats recognises counts of repetitions by their value, so layers are left out only if
// exactly one region repeats.
static void leave_out_layers(struct sim *sim) {
    int64_t most = 1, few = sim->options->layers;
    int regions = 0;
    for (int r = 0; r < sim->ir->regions; r++) {
        regions += sim->ir->region[r].repeat > 1;
        most = at_least(most, sim->ir->region[r].repeat);
        if (few > 1) few = at_least(few, kinds_of_layers(sim->ir, &sim->ir->region[r]));
    }
    sim->layers = most;
    if (regions == 1 && few > 1 && most > few) sim->fewer = most - few;
}

// Opens the caches, with a layer for every repetition that runs.
static void open_caches(struct sim *sim) {
    const struct ir *ir = sim->ir;
    int units = kv_units(ir);
    sim->cache = ARENA_ARRAY(sim->arena, struct sim_cache, (size_t)units + 1);
    for (int u = 0; u < units; u++) sim->cache[u].left_from = INT64_MAX;
    for (int n = 0; n < ir->nodes; n++) {
        if (!ir_node_is(ir, n, OP_BY_KEYS)) continue;
        struct kv_cache cache = kv_cache_of(ir, n);
        struct sim_cache *c = &sim->cache[cache.unit];
        int64_t repeat = ir->region[ir->node[n].region].repeat, runs = sim_repeats(sim, repeat);
        c->layers += runs;
        c->left_out += repeat - runs;
        if (runs < repeat) c->left_from = at_most(c->left_from, cache.layer + repeat * cache.step);
    }
}

struct sim_cache *sim_cache_of(struct sim *sim, const struct actor *a) {
    const struct ir *ir = sim->ir;
    for (int u = 0; u < kv_units(ir); u++)
        if (a->kernel == kv_kernel(ir, u, KERNEL_KEYS) || a->kernel == kv_kernel(ir, u, KERNEL_VALUES))
            return &sim->cache[u];
    for (int f = 0; f < ir->firings; f++)
        if (ir->firing[f].mode > ENGINE_MODE_INT4 && ir->engine[ir->firing[f].engine].kernel == a->kernel)
            return &sim->cache[kv_cache_of(ir, ir->firing[f].node).unit];
    return &sim->cache[0];
}

// Reads the contracts of all kernels, opens their machines and queues them. If a kernel has no contract or lacks a
// stream, sets *missing to the kernel's module or name and returns false.
static bool open_actors(struct sim *sim, const char **missing) {
    const struct ir *ir = sim->ir;
    sim->actor = ARENA_ARRAY(sim->arena, struct actor, (size_t)ir->kernels + 1);
    sim->queue = ARENA_ARRAY(sim->arena, int, (size_t)ir->kernels + 1);
    for (int k = 0; k < ir->kernels; k++) {
        struct actor *a = &sim->actor[k];
        *a = (struct actor){.kernel = k, .k = &ir->kernel[k], .args = {ir->kernel[k].param, ir->kernel[k].params}};
        if (!timing_contract(ir, k, &a->c)) {
            *missing = ir->kernel[k].module;
            return false;
        }
        int64_t *layers = timing_layers(&a->c);
        bool caches = a->c.machine == TIMING_K_WRITER || a->c.machine == TIMING_V_TAIL;
        if (layers) *layers = caches ? sim_cache_of(sim, a)->layers : sim_repeats(sim, *layers);
        if (a->c.machine == TIMING_REPLAY && !a->c.replay.units)
            a->c.replay.times = sim_repeats(sim, a->c.replay.times);
    }
    for (int k = 0; k < ir->kernels; k++) {
        struct actor *a = &sim->actor[k];
        const struct sim_machine *m = sim_machine_of(a->c.machine);
        if (!m) continue;
        if (!m->init(sim, a)) {
            *missing = ir->kernel[k].name;
            return false;
        }
        a->run = m->run;
        sim_wake(sim, k);
    }
    return true;
}

// Calculates the high-water mark and the room of a stream. A word is in the stream from its put to its take. A word
// that is taken in the cycle of another word's put does not count for high_water, but does count for room, because its
// place becomes free only afterwards.
static void note_marks(const struct sim_edge *e, struct timing_edge *r) {
    for (int64_t i = 0, taken = 0; i < e->puts; i++) {
        while (taken < e->takes && e->take[taken] < e->put[i]) taken++;
        int64_t room = i + 1 - taken, held = room - (taken < e->takes && e->take[taken] == e->put[i]);
        r->room = at_least(r->room, room);
        if (held > r->high_water) r->high_water = held, r->most_at = i;
    }
}

// Adds a port, whose words moved in the cycles `at`, to the work of its kernel.
static void note(struct timing_work *w, const int64_t *at, int64_t words, int64_t *busiest) {
    if (!words) return;
    if (w->first < 0 || at[0] < w->first) w->first = at[0];
    w->last = at_least(w->last, at[words - 1]);
    *busiest = at_least(*busiest, words);
}

// Notes for each kernel the words of its busiest port, and its first and last cycle with a word.
static void collect_work(const struct sim *sim, struct timing_result *r) {
    for (int k = 0; k < sim->ir->kernels; k++) {
        struct timing_work *w = &r->kernel[k];
        *w = (struct timing_work){.first = -1};
        for (int p = 0; p < sim->ir->kernel[k].ports; p++) {
            const struct ir_port *port = &sim->ir->kernel[k].port[p];
            if (port->edge == IR_NONE) continue;
            const struct sim_edge *e = &sim->edge[port->edge];
            note(w, port->is_output ? e->put : e->take, port->is_output ? e->puts : e->takes, &w->busy);
        }
    }
}

// Lists the streams that still hold words.
static const char *describe_stuck(const struct sim *sim) {
    struct text t = {0};
    for (int e = 0; e < sim->ir->edges; e++) {
        const struct sim_edge *s = &sim->edge[e];
        if (s->takes == s->puts) continue;
        bool full = s->depth && s->puts - s->takes >= s->depth;
        text_addf(&t, "%s%s holds %lld%s", t.len ? "; " : "", sim->ir->edge[e].name, (long long)(s->puts - s->takes),
                  full ? " and is full" : "");
    }
    const char *copy = arena_strdup(sim->arena, text_cstr(&t));
    text_free(&t);
    return copy;
}

// Returns whether the rows of all steps have been handed over.
static bool rows_complete(const struct sim *sim) {
    for (int e = 0; e < sim->ir->edges; e++) {
        const struct sim_edge *s = &sim->edge[e];
        if (!kernel_is(&sim->ir->kernel[sim->ir->edge[e].dst_kernel], KERNEL_ROWS_OUT)) continue;
        int64_t firings = 0;
        for (int64_t i = 0; i < s->takes; i++) firings += s->mark[i] & MARK_LAST;
        if (firings < sim->options->steps) return false;
    }
    return true;
}

// Returns the cycle in which the last row is written, or -1 if rows are missing. The run of a graph without ids is over
// when the writes of all rows have their responses.
static int64_t last_row_written(const struct sim *sim) {
    int64_t end = 0, at;
    if (!rows_complete(sim)) return -1;
    for (int c = 0; c < sim->channels; c++)
        for (size_t i = 0; i < sim->channel[c].client.count; i++) {
            const struct sim_client *client = sim->channel[c].client.items[i];
            if (client->kernel != IR_NONE && sim->actor[client->kernel].c.machine == TIMING_WRITER &&
                client_idle(client, &at))
                end = at_least(end, at);
        }
    return end;
}

// Returns the cycle in which the loader took its last beat, or -1 if nothing is loaded.
static int64_t loaded(const struct sim *sim) {
    const struct sim_client *l = sim->loader;
    return l && l->taken.count ? l->taken.items[l->taken.count - 1] : -1;
}

// Returns whether an actor takes part in the run. In a run of the load only (load_only), only the engines do, whose
// lanes read ahead before the first step.
static bool has_part(const struct sim *sim, const struct actor *a) {
    return !sim->options->load_only || a->c.machine == TIMING_ENGINE;
}

// Returns whether the run has exceeded options->limit.
static bool is_cut(const struct sim *sim) {
    return sim->options->limit && sim->words + sim->beats >= sim->options->limit;
}

// Returns whether the run may end. A run of the load only ends when the loader's last burst has been granted.
static bool is_over(const struct sim *sim) {
    const struct sim_client *l = sim->loader;
    if (sim->options->load_only) return !l || (l->cut == (int64_t)l->run.count && !l->waits);
    return sim->late || is_cut(sim);
}

// Makes the result of the run. Its lists of cycles and marks are those of the streams, not copies.
static struct timing_result *collect(struct sim *sim) {
    const struct ir *ir = sim->ir;
    struct timing_result *r = ARENA_NEW(sim->arena, struct timing_result);
    r->edge = ARENA_ARRAY(sim->arena, struct timing_edge, (size_t)ir->edges + 1);
    r->kernel = ARENA_ARRAY(sim->arena, struct timing_work, (size_t)ir->kernels + 1);
    for (int e = 0; e < ir->edges; e++) {
        const struct sim_edge *s = &sim->edge[e];
        r->edge[e] = (struct timing_edge){.words = s->puts,
                                          .holds = s->puts - s->takes,
                                          .full = s->full,
                                          .put = s->put,
                                          .take = s->take,
                                          .mark = s->mark};
        if (!sim->late) note_marks(s, &r->edge[e]);
        r->words += s->puts;
    }
    collect_work(sim, r);
    if (sim->late) sim->step_start[sim->options->steps] = -1;
    else if (!ir->design.is_lm) sim->step_start[sim->options->steps] = last_row_written(sim);
    r->step = sim->step_start;
    r->firing = sim->firing;
    r->turn = sim->turn;
    r->cycles = sim->step_start[sim->options->steps];
    r->loaded = loaded(sim);
    r->beats = sim->beats;
    r->layers = sim->layers - sim->fewer;
    r->left_out = sim->fewer;
    r->cut = is_cut(sim);
    if (r->cycles < 0) r->stuck = describe_stuck(sim);
    return r;
}

// Returns whether the design's figures are in their ranges, which an edited dump may not keep.
static bool is_sane(const struct ir_design *d) {
    return d->channels >= 1 && d->channels <= 32 && (d->beat_bits == 256 || d->beat_bits == 512) && d->lanes >= 1 &&
           d->lanes <= 32 && d->tokens >= 1 && d->tokens <= 8 && d->max_burst >= 1 &&
           d->prefetch_beats >= d->max_burst && d->outstanding >= 1 && d->context >= 1;
}

// Is called when no actor can go on. Under the old rule for keys (options->idle_counts), lets the engines check once
// whether keys count as written. Returns false if no engine is woken.
static bool settle(struct sim *sim) {
    if (!sim->options->idle_counts || sim->settled) return false;
    sim->settled = true;
    sim_wake_all(sim, TIMING_ENGINE);
    return sim->queue_count > 0;
}

struct timing_result *timing_simulate(struct arena *arena, const struct ir *ir, const struct timing_options *options,
                                      const char **missing) {
    struct sim sim = {.arena = arena, .ir = ir, .options = options};
    *missing = "the design";
    if (!is_sane(&ir->design)) return NULL;
    sim.step_start = ARENA_ARRAY(arena, int64_t, (size_t)options->steps + 1);
    sim.chosen = ARENA_ARRAY(arena, int64_t, (size_t)options->steps + 1);
    for (int i = 0; i <= options->steps; i++) sim.step_start[i] = sim.chosen[i] = -1;
    leave_out_layers(&sim);
    memory_open(&sim);
    sim.firing = ARENA_ARRAY(arena, struct timing_firing, (size_t)options->steps * (size_t)ir->firings + 1);
    sim.turn = ARENA_ARRAY(arena, struct timing_turn, (size_t)options->steps * (size_t)sim.engines + 1);
    open_edges(&sim);
    open_caches(&sim);
    if (!open_actors(&sim, missing) || !pools_open(&sim)) return NULL;
    *missing = NULL;
    while (!is_over(&sim)) {
        // If no actor can go on, the earliest event of the memory comes next.
        while (!sim.queue_count && memory_serve_one(&sim)) continue;
        if (!sim.queue_count && !settle(&sim)) break;
        struct actor *a = &sim.actor[sim.queue[sim.queue_head]];
        if (++sim.queue_head == ir->kernels) sim.queue_head = 0;
        sim.queue_count--;
        a->queued = false;
        if (has_part(&sim, a)) a->run(&sim, a);
    }
    return collect(&sim);
}
