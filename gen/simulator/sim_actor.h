// SPDX-License-Identifier: Apache-2.0
// Inside the token-level simulator: streams with the cycle of every word, and the actors that move them.
//
// Kernels are deterministic: which word goes where never depends on when it comes. So every actor runs as far as the
// cycles of its inputs (and of the room at its outputs) are known, in any order, and computes when each word moves: a
// Kahn network with times.
#ifndef RILL_SIM_ACTOR_H
#define RILL_SIM_ACTOR_H

#include "gen/kernel/args.h"
#include "gen/simulator/sim_memory.h"
#include "gen/ir/fields.h"
#include "gen/ir/latency.h"
#include "gen/ir/schedule.h"
#include "gen/simulator/simulate.h"
#include "gen/ir/window.h"

enum { SIM_COUNT_SHIFT = 2 /* of a mark: valid elements, 0: all */ };

struct sim_pool;

struct sim_edge {
    struct sim_pool *pool; // whose storage it shares, at `place`; or NULL
    int place;
    int64_t depth;                           // 0: unbounded
    int64_t latency;                         // of rill_fifo; more between dies
    int64_t back;                            // cycles that room takes to the writer, between dies
    int64_t parts;                           // cycles that a word takes to leave, between dies
    int64_t puts, takes, capacity, expected; // words
    int64_t *put, *take;
    uint8_t *mark;
    int64_t full; // cycles in which the writer waited
    int writer, reader;
    bool starved, blocked; // the reader has looked for a word in vain, the writer for room: the next one wakes it
};

struct lane;

// What the kernels of a KV cache tell one another beside the streams: lists of times, in order.
struct sim_cache {
    VEC(int64_t) head_done;   // a head's values are in the V tail
    struct sim_client *keys;  // of the K writer
    VEC(int64_t) k_runs;      // descriptors that were handed over up to the end of a (step, layer) pair
    VEC(int64_t) v_layer;     // pairs whose values are taken, and written where they close a block
    VEC(int64_t) tail_layer;  // pairs whose open block has been read; tail_by_step: steps whose open blocks have
    int64_t tail_reads;       // of such a pair; 0: nobody waits for them
    int64_t tail_reads_alone; // in a step of one token; 0: as many
    bool tail_by_step;
    int64_t layers;              // in this run
    int64_t left_from, left_out; // layers from that one on have numbers that are so much less in this run
};

struct sim;
struct actor;
typedef void actor_run(struct sim *, struct actor *);

struct actor {
    int kernel;
    const struct ir_kernel *k;
    struct timing_contract c;
    struct kernel_args args;
    actor_run *run;
    void *state;
    bool queued;
};

struct sim {
    struct arena *arena;
    const struct ir *ir;
    const struct timing_options *options;
    struct sim_edge *edge;
    struct actor *actor; // one per kernel
    int *queue;          // kernels to run
    int queue_head, queue_count;
    int64_t *step_start;         // per step: its word was offered; [steps]: over
    bool settled;                // nothing else can go on (options->idle_counts)
    bool late;                   // an engine was done with a step later than it may be
    struct sim_cache *cache;     // one at least
    int64_t layers, fewer;       // repetitions of the repeated region, and how many of them are left out
    int64_t words, beats;        // given so far
    struct sim_channel *channel; // per engine, one at least; then those with clients of their own
    struct sim_client *loader;   // of the vector parameters, NULL: none
    int engines, channels;
    struct timing_firing *firing; // of the result
    struct timing_turn *turn;
};

// A count of repetitions as it is in this run: all of the region's, or all but one.
static inline int64_t sim_repeats(const struct sim *sim, int64_t count) {
    return sim->fewer && (count == sim->layers || count == sim->layers - 1) ? count - sim->fewer : count;
}

struct sim_cache *sim_cache_of(struct sim *, const struct actor *); // of a writer, a V tail, an engine

// The operation whose windows a firing's positions have; IR_NONE: it is of weights.
static inline int sim_window_of(const struct ir *ir, const struct ir_firing *f) {
    const struct ir_node *n = &ir->node[f->node];
    if (f->mode == ENGINE_MODE_SCORES) return window_node(ir, n->out[0]);
    return f->mode == ENGINE_MODE_VALUES ? window_node(ir, n->in[0]) : IR_NONE;
}

// ---- streams ----

struct sim_edge *sim_in(struct sim *, const struct actor *, enum ir_role); // NULL if there is none
struct sim_edge *sim_out(struct sim *, const struct actor *, enum ir_role);
struct sim_edge *sim_lane(struct sim *, const struct actor *, bool is_output, int index); // of a packed port

// A stream of a rill_fifo_pool moves in its turn: after the firings that go before it, in their storage.
bool pool_gives(struct sim_pool *, int place);             // its turn to leave
int64_t pool_given(const struct sim_pool *);               // the cycle after the last word that left
bool pool_room(struct sim_pool *, int place, int64_t *at); // its turn to enter, and when there is room
void pool_put(struct sim_pool *, int64_t at, uint8_t mark);
void pool_take(struct sim_pool *, int64_t at, uint8_t mark);
bool pools_open(struct sim *); // false: a pool's parameters are none

// There is a word that has not been taken; from when on it may be.
static inline bool edge_waiting(struct sim_edge *e) {
    if (e->takes < e->puts && (!e->pool || pool_gives(e->pool, e->place))) return true;
    e->starved = true;
    return false;
}
static inline int64_t edge_avail(const struct sim_edge *e) {
    int64_t at = e->put[e->takes] + e->latency;
    if (e->pool && pool_given(e->pool) > at) at = pool_given(e->pool);
    return e->takes && e->take[e->takes - 1] >= at ? e->take[e->takes - 1] + 1 : at;
}
static inline uint8_t edge_mark(const struct sim_edge *e) { return e->mark[e->takes]; }
// From when on the next word finds room. False while that is not known.
static inline bool edge_room(struct sim_edge *e, int64_t *at) {
    *at = e->puts ? e->put[e->puts - 1] + e->parts : 0;
    if (e->pool) return pool_room(e->pool, e->place, at);
    if (e->depth == 0 || e->puts < e->depth) return true;
    if (e->puts - e->depth >= e->takes) {
        e->blocked = true;
        return false;
    }
    *at = at_least(*at, e->take[e->puts - e->depth] + e->back + 1);
    return true;
}
void edge_init(struct sim_edge *, int64_t depth, int writer, int reader);
void edge_grow(struct sim *, struct sim_edge *);
static inline void sim_wake(struct sim *sim, int kernel) {
    if (kernel == IR_NONE || sim->actor[kernel].queued || !sim->actor[kernel].run) return;
    sim->actor[kernel].queued = true;
    int place = sim->queue_head + sim->queue_count++;
    sim->queue[place < sim->ir->kernels ? place : place - sim->ir->kernels] = kernel;
}
static inline void edge_put(struct sim *sim, struct sim_edge *e, int64_t offered, int64_t at,
                            uint8_t mark) { // offered: when the writer had it
    if (e->puts == e->capacity) edge_grow(sim, e);
    sim->words++;
    e->full += at - offered;
    e->put[e->puts] = at;
    e->mark[e->puts++] = mark;
    if (e->pool) pool_put(e->pool, at, mark);
    if (!e->starved && !e->pool) return;
    e->starved = false;
    sim_wake(sim, e->reader);
}
static inline void edge_take(struct sim *sim, struct sim_edge *e, int64_t at) {
    e->take[e->takes++] = at;
    if (e->pool) pool_take(e->pool, at, e->mark[e->takes - 1]);
    if (!e->blocked && !(e->pool && e->depth)) return;
    e->blocked = false;
    sim_wake(sim, e->writer);
}
void sim_wake_all(struct sim *, enum timing_machine); // its kernels

// ---- stages that stall together (rill_pipe): a word that is offered and not taken holds all of them ----

struct stage_word {
    int64_t enabled; // cycle of its offer, had nothing stalled
    int64_t offer, left;
    uint8_t mark;
    bool leaves; // false: holds its place only
};
struct stage {
    int64_t length;
    struct stage_word *word;               // ring
    int64_t capacity, passed, sent, count; // passed: stalls counted by the entry; sent: left; count: entered
    int64_t stalled_in, stalled_out;       // cycles, seen by the entry and by the exit
    int64_t last;                          // cycle of the last entry
};
void stage_init(struct sim *, struct stage *, int64_t length);
// When a word that could enter at `from` does. False while that is not known. Sends words to `out` on the way.
bool stage_enter(struct sim *, struct stage *, struct sim_edge *out, int64_t from, int64_t *at);
void stage_push(struct sim *, struct stage *, int64_t at, uint8_t mark, bool leaves); // an entry that makes a word out
void stage_drain(struct sim *, struct stage *, struct sim_edge *out);                 // sends what can be sent

// ---- static schedules of rill_schedule, from a kernel's parameters ----

bool sim_schedule_read(struct sim *, const struct actor *, int entry_bits, struct schedule_table *);

// Where a walk through a schedule stands, step after step.
struct sim_walk {
    int step, section;
    int64_t repeat, index; // index: entry of the section
    int64_t left_out;      // entries that were passed over on the way here
};
// The entry at the walk's place; false when all steps are done. *layer, *step, *last_of_step may be NULL.
bool sim_walk_entry(const struct sim *, const struct schedule_table *, struct sim_walk *, int64_t *entry);
bool sim_walk_next(const struct sim *, const struct schedule_table *,
                   struct sim_walk *); // true: the step's last entry was left behind

// Turns of rill_turns: fetched ahead from the schedule.
struct sim_turns {
    struct schedule_table schedule;
    struct sim_walk walk; // of the turn that is next to be used
    struct sim_edge *steps;
    struct sim_edge ahead; // its FIFO of turns
    struct sim_walk fetch;
    int64_t ready; // when the walk can give its next entry
    bool inside;   // in the middle of a step
    bool known;    // the present turn, and from when on it is there:
    int64_t turn, since;
};
bool turns_init(struct sim *, struct actor *, struct sim_turns *);
// Brings what turns are known ahead; whenever the step may have come, and before turns_present.
void turns_fetch(struct sim *, struct sim_turns *);
// The present turn; raises *from to when it is there. False while unknown or at the end.
bool turns_present(struct sim *, struct sim_turns *, int64_t *turn, int64_t *from);
void turns_done(struct sim *, struct sim_turns *, int64_t at);

// ---- memory ----

void memory_init(struct sim_memory *, const struct timing_memory *, int beat_bits);
// When the last atom of a beat that comes at `at` is on the bus, ps; call in the order of times.
uint64_t memory_beat(struct sim_memory *, int64_t at, int64_t address, bool is_write);
int64_t memory_cycle(const struct sim_memory *, uint64_t time); // the first one that begins then or later
// Channels of the design. Before any client.
void memory_open(struct sim *);
// The next grant or access, if one waits: what can go on has gone on.
bool memory_serve_one(struct sim *);

// The engine of a kernel's client, NULL if it has none.
struct sim_client *client_open(struct sim *, const struct actor *, bool is_write);
struct sim_client *client_open_lane(struct sim *, int kernel, struct sim_channel *);
struct sim_client *client_open_free(struct sim *, int index,
                                    struct sim_channel *); // of the IR's list, without a kernel
// When the next descriptor may be handed over; false while that is not known.
bool client_room(const struct sim_client *, int64_t *at);
void client_ask(struct sim *, struct sim_client *, int64_t at, int64_t address, int64_t beats);
// Reads: when the next beat may be taken; false while that is not known.
bool client_beat(const struct sim_client *, int64_t *at);
void client_take(struct sim *, struct sim_client *, int64_t at);
// Writes: when the buffer has room for a beat; false while that is not known.
bool client_space(const struct sim_client *, int64_t *at);
void client_give(struct sim *, struct sim_client *, int64_t at);
// Writes: when the last beat that was given went into the engine; false while that is not known.
bool client_taken(const struct sim_client *, int64_t *at);
// Writes: raises *at to when the first so many descriptors have their responses; false while that is not known.
bool client_written(const struct sim_client *, int64_t runs, int64_t *at);
// Writes: from when on all that was handed over has its response.
bool client_idle(const struct sim_client *, int64_t *at);
void client_cut(struct sim *, struct sim_client *); // brings the next burst to the arbiter, if its time is known

// ---- actors: state and run by machine ----

struct sim_machine { // machines.def
    bool (*init)(struct sim *, struct actor *);
    actor_run *run;
};
const struct sim_machine *sim_machine_of(enum timing_machine); // NULL: it moves no words

#endif
