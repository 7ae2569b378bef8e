// SPDX-License-Identifier: Apache-2.0
// Internal to the simulator of simulate.h: streams with the cycle of every word, and the actors that move the words. An
// actor is a kernel in the simulation. A firing is one run of a kernel over its operands, for all tokens of a step. A
// step runs the whole design once, for the next tokens of a request.
//
// Kernels are deterministic: the times of words never change where a word goes. So actors may run in any order, as in a
// Kahn process network. An actor moves words as long as it is known in which cycles its input words arrive and its
// outputs have room. It computes the cycle of each move. When a cycle is not known yet, its functions return false, and
// the event that makes the cycle known wakes the actor again.
#ifndef RILL_SIM_ACTOR_H
#define RILL_SIM_ACTOR_H

#include "gen/kernel/args.h"
#include "gen/simulator/sim_memory.h"
#include "gen/ir/fields.h"
#include "gen/ir/latency.h"
#include "gen/ir/schedule.h"
#include "gen/simulator/simulate.h"
#include "gen/ir/window.h"

enum { SIM_COUNT_SHIFT = 2 /* the bits of a mark from this one on give the word's valid elements; 0: all are valid */ };

struct sim_pool;

// A stream between two kernels. All times are cycles.
struct sim_edge {
    struct sim_pool *pool; // pool whose storage the stream shares, or NULL
    int place;             // index of the stream in that pool
    int64_t depth;         // words that the FIFO holds; 0: unbounded
    int64_t latency;       // cycles from a word's put until it can be taken: those of rill_fifo; more between dies
    int64_t back;          // between dies: cycles until the writer learns of new room
    int64_t parts;         // cycles that a word takes to leave, which are more than 1 only between dies
    int64_t puts, takes;   // words put and taken so far
    int64_t capacity;      // words for which the lists below have memory
    int64_t expected;      // words for which memory is allocated at once; 0: unknown
    int64_t *put, *take;   // per word: cycle in which it was put, and taken
    uint8_t *mark;         // per word: MARK_* flags and, from bit SIM_COUNT_SHIFT on, its number of valid elements
    int64_t full;          // cycles in which the writer waited for room
    int writer, reader;    // kernels to be woken, or IR_NONE
    // starved: the reader has found no word, so the next word wakes it. blocked: the writer has found no room, so the
    // next free place wakes it.
    bool starved, blocked;
};

struct lane;

// State that the kernels of a KV cache share in addition to their streams. The lists are in order; times are cycles. A
// pair is a (step, layer). A block is 64 positions; the V tail holds the values of the open block, which is not full.
struct sim_cache {
    VEC(int64_t) head_done;   // per head: cycle in which its values were in the V tail
    struct sim_client *keys;  // client of the K writer
    VEC(int64_t) k_runs;      // per pair: number of descriptors handed over up to its end
    VEC(int64_t) v_layer;     // per pair: cycle in which its values were taken, and written if they closed a block
    VEC(int64_t) tail_layer;  // per pair, or with tail_by_step per step: cycle in which the open block was read
    int64_t tail_reads;       // reads of the V tail per pair; 0: the writer of the tail waits for no reads
    int64_t tail_reads_alone; // reads of the V tail per pair in a step of one token; 0: as many as tail_reads
    bool tail_by_step; // a step's values wait for all reads of the previous step, not only for reads of their layer
    int64_t layers;    // layers in this run
    int64_t left_from, left_out; // in this run, the numbers of layers from left_from on are lower by left_out
};

struct sim;
struct actor;
typedef void actor_run(struct sim *, struct actor *);

// A kernel that moves words.
struct actor {
    int kernel; // index of the kernel in the IR
    const struct ir_kernel *k;
    struct timing_contract c; // the kernel's timing contract, adapted to the repetitions of this run
    struct kernel_args args;  // the kernel's parameters
    actor_run *run;           // moves all words that can move; NULL: the kernel moves none
    void *state;              // state of the kernel's machine
    bool queued;              // in sim.queue
};

struct sim {
    struct arena *arena;
    const struct ir *ir;
    const struct timing_options *options;
    struct sim_edge *edge;
    struct actor *actor;          // one per kernel
    int *queue;                   // ring of the kernels that are to run
    int queue_head, queue_count;  // index of the first one, and their number
    int64_t *step_start;          // per step: cycle in which its word was sent; [steps]: end of the last step
    int64_t *chosen;              // with slots, per step: cycle in which the walkers have its word; < 0: not known yet
    bool settled;                 // options->idle_counts: no actor can go on, so one check of the keys may succeed
    bool late;                    // an engine's last command of a step was later than options->latest allows
    struct sim_cache *cache;      // the KV caches, at least one
    int64_t layers, fewer;        // repetitions of the repeated region, and how many of them this run leaves out
    int64_t words, beats;         // words and beats moved so far
    struct sim_channel *channel;  // one per engine, at least one; then the other channels that have clients
    struct sim_client *loader;    // client that loads the vector parameters; NULL: none
    int engines, channels;        // matrix engines; simulated channels
    struct timing_firing *firing; // lists of the result, as in timing_result
    struct timing_turn *turn;
};

// Returns the number of repetitions in this run, which may leave some out. count: the number in the design. Only the
// repetitions of the repeated region, and one less than these, are reduced. Other counts are returned unchanged.
static inline int64_t sim_repeats(const struct sim *sim, int64_t count) {
    return sim->fewer && (count == sim->layers || count == sim->layers - 1) ? count - sim->fewer : count;
}

// Returns the cache of a K writer, a V tail or an engine with attention. Other kernels get the first cache.
struct sim_cache *sim_cache_of(struct sim *, const struct actor *);

// Returns the operation whose windows limit the positions of a firing, or IR_NONE for a product with weights.
static inline int sim_window_of(const struct ir *ir, const struct ir_firing *f) {
    const struct ir_node *n = &ir->node[f->node];
    if (f->mode == ENGINE_MODE_SCORES) return window_node(ir, n->out[0]);
    return f->mode == ENGINE_MODE_VALUES ? window_node(ir, n->in[0]) : IR_NONE;
}

// ---- streams ----

// Return the stream of a kernel's input or output with this role, or NULL if there is none.
struct sim_edge *sim_in(struct sim *, const struct actor *, enum ir_role);
struct sim_edge *sim_out(struct sim *, const struct actor *, enum ir_role);
// Returns the stream of the first port of this direction that is not for step words, or NULL if there is none. index:
// lane of a packed port (mux, demux, fork), or IR_NONE for other ports.
struct sim_edge *sim_lane(struct sim *, const struct actor *, bool is_output, int index);

// The words of a stream in a rill_fifo_pool enter and leave when it is the stream's turn: the firings of all streams of
// the pool have a fixed order.
bool pool_gives(struct sim_pool *, int place); // returns whether the next word to leave is the stream's
int64_t pool_given(const struct sim_pool *);   // returns the cycle after the last word left the pool
// Returns whether it is the stream's turn to enter and it is known when there is room. Raises *at to the cycle from
// which there is room.
bool pool_room(struct sim_pool *, int place, int64_t *at);
// Let a word of the stream whose turn it is enter or leave in cycle `at`. MARK_LAST in `mark` ends the turn.
void pool_put(struct sim_pool *, int64_t at, uint8_t mark);
void pool_take(struct sim_pool *, int64_t at, uint8_t mark);
bool pools_open(struct sim *); // opens all pools; returns false if the parameters of a pool are invalid

// Returns whether there is a word that has not been taken. If there is none, the next word wakes the reader.
static inline bool edge_waiting(struct sim_edge *e) {
    if (e->takes < e->puts && (!e->pool || pool_gives(e->pool, e->place))) return true;
    e->starved = true;
    return false;
}
// Returns the first cycle in which the waiting word may be taken.
static inline int64_t edge_avail(const struct sim_edge *e) {
    int64_t at = e->put[e->takes] + e->latency;
    if (e->pool && pool_given(e->pool) > at) at = pool_given(e->pool);
    return e->takes && e->take[e->takes - 1] >= at ? e->take[e->takes - 1] + 1 : at;
}
// Returns the mark of the waiting word.
static inline uint8_t edge_mark(const struct sim_edge *e) { return e->mark[e->takes]; }
// Sets *at to the first cycle with room for the next word. Returns false while this cycle is not known; the next free
// place then wakes the writer.
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
// Opens a stream whose FIFO has `depth` words, 0: unbounded. writer, reader: kernels to be woken, or IR_NONE.
void edge_init(struct sim_edge *, int64_t depth, int writer, int reader);
void edge_grow(struct sim *, struct sim_edge *); // makes the lists of a stream longer
// Queues a kernel to run, unless it is queued already.
static inline void sim_wake(struct sim *sim, int kernel) {
    if (kernel == IR_NONE || sim->actor[kernel].queued || !sim->actor[kernel].run) return;
    sim->actor[kernel].queued = true;
    int place = sim->queue_head + sim->queue_count++;
    sim->queue[place < sim->ir->kernels ? place : place - sim->ir->kernels] = kernel;
}
// Puts a word into the stream in cycle `at`. offered: cycle in which the writer had the word, at most `at`.
static inline void edge_put(struct sim *sim, struct sim_edge *e, int64_t offered, int64_t at, uint8_t mark) {
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
// Takes the waiting word in cycle `at`, which must be edge_avail or later.
static inline void edge_take(struct sim *sim, struct sim_edge *e, int64_t at) {
    e->take[e->takes++] = at;
    if (e->pool) pool_take(e->pool, at, e->mark[e->takes - 1]);
    if (!e->blocked && !(e->pool && e->depth)) return;
    e->blocked = false;
    sim_wake(sim, e->writer);
}
void sim_wake_all(struct sim *, enum timing_machine); // wakes all kernels of a machine

// ---- stages that stall together (rill_pipe): a word that is offered but not taken stops all stages ----

struct stage_word {
    int64_t enabled; // cycle in which it would be offered if nothing had ever stalled
    int64_t offer;   // cycle in which it was offered
    int64_t left;    // cycle in which it left
    uint8_t mark;
    bool leaves; // false: the word only occupies a place in the stages and makes no output word
};
struct stage {
    int64_t length;                  // number of stages, in cycles
    struct stage_word *word;         // ring
    int64_t capacity;                // places of the ring
    int64_t passed;                  // words whose stalls the entry has taken into account (stalled_in)
    int64_t sent, count;             // words that left or gave up their place, and words that entered
    int64_t stalled_in, stalled_out; // stall cycles so far, up to the cycle of the entry and of the exit
    int64_t last;                    // cycle of the last entry or last stalled cycle: the next word enters after it
};
// Opens empty stages. With options->single_word, their length is 1.
void stage_init(struct sim *, struct stage *, int64_t length);
// Sets *at to the cycle in which a word that could enter from cycle `from` on enters. Returns false while this cycle is
// not known. Also sends words to `out`, as far as this is needed to know the stalls.
bool stage_enter(struct sim *, struct stage *, struct sim_edge *out, int64_t from, int64_t *at);
// Lets a word enter in cycle `at`, which stage_enter has given. leaves: it becomes an output word.
void stage_push(struct sim *, struct stage *, int64_t at, uint8_t mark, bool leaves);
void stage_drain(struct sim *, struct stage *, struct sim_edge *out); // sends the words that can leave

// ---- static schedules of rill_schedule, from a kernel's parameters ----

// Reads the kernel's schedule, with the repetitions of this run. entry_bits: width of an entry. Returns false if the
// parameters are invalid.
bool sim_schedule_read(struct sim *, const struct actor *, int entry_bits, struct schedule_table *);

// The present place of a walk through a schedule, step after step. A walk visits the entries of each section in order,
// and repeats sections as often as the schedule says. A part is the tokens of one request in a step.
struct sim_walk {
    int step, section; // index of the step, and of the section in the schedule
    int64_t repeat;    // repetition of the section
    int64_t index;     // entry of the section
    int part;          // part of the step, at an entry that is walked for each of them
    int64_t left_out;  // entries skipped directly before this one; each costs the schedule a cycle
};
// Returns the part of the step that the entry at the walk's place serves. An entry that is walked only once serves the
// whole step.
struct timing_part sim_walk_part(const struct sim *, const struct schedule_table *, const struct sim_walk *);
// Sets *entry to the entry at the walk's place. Returns false when all steps are done.
bool sim_walk_entry(const struct sim *, const struct schedule_table *, struct sim_walk *, int64_t *entry);
// Advances to the next entry. Returns whether the previous entry was the last one of its step.
bool sim_walk_next(const struct sim *, const struct schedule_table *, struct sim_walk *);

// The turns of rill_turns, which are fetched ahead from the schedule.
struct sim_turns {
    struct schedule_table schedule;
    struct sim_walk walk;   // place of the next turn to be used
    struct sim_edge *steps; // step words
    struct sim_edge ahead;  // the FIFO of turns that were fetched ahead
    struct sim_walk fetch;  // place of the next turn to be fetched
    int64_t ready;          // cycle from which `fetch` can give its next entry
    bool inside;            // `fetch` is in the middle of a step
    bool known;             // `turn` is the present turn, which is available from cycle `since` on
    int64_t turn, since;
};
// Reads the kernel's schedule of turns. Returns false if the kernel has no step words or its parameters are invalid.
bool turns_init(struct sim *, struct actor *, struct sim_turns *);
// Fetches the turns that are known ahead. Call it whenever a step may have arrived, and before turns_present.
void turns_fetch(struct sim *, struct sim_turns *);
// Sets `known`, `turn` and `since` from the turns fetched ahead. Returns false while there is none.
bool turns_read(struct sim *, struct sim_turns *);
// Sets *turn to the present turn, and raises *from to the cycle from which it is available. Returns false while it is
// unknown, or after the last one. The function is inline, because it runs for every word of a stream, turns_read only
// for every firing.
static inline bool turns_present(struct sim *sim, struct sim_turns *t, int64_t *turn, int64_t *from) {
    if (!t->known && !turns_read(sim, t)) return false;
    *from = at_least(*from, t->since);
    *turn = t->turn;
    return true;
}
void turns_done(struct sim *, struct sim_turns *, int64_t at); // ends the present turn in cycle `at`

// ---- memory ----

// Sets up the memory of one channel, with beats of beat_bits bits.
void memory_init(struct sim_memory *, const struct timing_memory *, int beat_bits);
// Accesses a beat that reaches the memory in cycle `at`. Returns when the data of the beat's last native burst begins
// on the bus, in ps of the memory model. Calls must be in the order of times.
uint64_t memory_beat(struct sim_memory *, int64_t at, int64_t address, bool is_write);
int64_t memory_cycle(const struct sim_memory *, uint64_t time); // the first cycle that begins at this time or later
// Opens the channels of the design. Call it before any client is opened.
void memory_open(struct sim *);
// Makes the earliest event of all channels: a grant, an access, or a beat or turn of a write engine. Returns false if
// there is none. Call it when no actor can go on.
bool memory_serve_one(struct sim *);

// Opens the DMA engine of a kernel's client. Returns NULL if the kernel has no such client, or if the client's buffer
// is shorter than a burst.
struct sim_client *client_open(struct sim *, const struct actor *, bool is_write);
// Opens the client of an engine's lane. A channel of NULL means that the lane reads rill_weight_store.
struct sim_client *client_open_lane(struct sim *, int kernel, struct sim_channel *);
// Opens a reading client of the IR's list (ir->client[index]) that has no kernel.
struct sim_client *client_open_free(struct sim *, int index, struct sim_channel *);
// The functions below that set or raise *at return false while the cycle is not known.
//
// Sets *at to the first cycle in which the next descriptor may be handed over.
bool client_room(const struct sim_client *, int64_t *at);
// Hands over a descriptor in cycle `at`.
void client_ask(struct sim *, struct sim_client *, int64_t at, int64_t address, int64_t beats);
// Reads: sets *at to the first cycle in which the next beat may be taken.
bool client_beat(const struct sim_client *, int64_t *at);
void client_take(struct sim *, struct sim_client *, int64_t at); // takes this beat in cycle `at`
// Writes: sets *at to the first cycle in which the buffer has room for a beat.
bool client_space(const struct sim_client *, int64_t *at);
void client_give(struct sim *, struct sim_client *, int64_t at); // hands over a beat in cycle `at`
// Writes: sets *at to the cycle in which the last beat that was given entered the engine.
bool client_taken(const struct sim_client *, int64_t *at);
// Writes: raises *at to the cycle after the first `runs` descriptors have all their responses.
bool client_written(const struct sim_client *, int64_t runs, int64_t *at);
// Writes: sets *at to the cycle after everything that was handed over has its response.
bool client_idle(const struct sim_client *, int64_t *at);
// Passes the next burst to the arbiter, or the next beat to the write engine, if its time is known.
void client_cut(struct sim *, struct sim_client *);

// ---- actors: state and run by machine ----

struct sim_machine { // machines.def
    bool (*init)(struct sim *, struct actor *);
    actor_run *run;
};
const struct sim_machine *sim_machine_of(enum timing_machine); // NULL: kernels of this machine move no words

#endif
