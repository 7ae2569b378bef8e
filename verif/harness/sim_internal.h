// SPDX-License-Identifier: Apache-2.0
// Declarations that the files of the harness share. axil.c does register accesses, watch.c keeps the states of the
// streams, host.c runs the requests, report.c prints, and sim.c connects them.
#ifndef VERIF_SIM_INTERNAL_H
#define VERIF_SIM_INTERNAL_H

#include "verif/check/check.h"
#include "verif/model/hbm.h"
#include "verif/harness/axil.h"
#include "gen/base/base.h"
#include "gen/ir/ir.h"
#include "gen/ir/registers.h"
#include "gen/request/sim_options.h"
#include "verif/harness/contracts.h"
#include "verif/harness/occupancy.h"
#include "verif/harness/sim_pins.h"
#include "gen/model/tokenizer.h"

struct sim;

// ---- firings over time (timeline.c) ----

struct timeline_edge {
    uint64_t first, beats, firing; // the current firing: cycle of its first beat, beats so far, index
};
struct timeline {
    struct timeline_edge *edge; // NULL: not requested
    struct text csv;
};
void timeline_open(struct timeline *timeline, struct arena *arena, int edges);
// Notes a beat. last: it ends its firing, which then becomes a line of the CSV text. Does nothing without --timeline.
void timeline_beat(struct timeline *timeline, const struct ir *ir, int edge, bool last, int request, uint64_t cycle);
bool timeline_write(struct sim *sim); // writes the file of --timeline; returns false after an error

// ---- state of the streams (watch.c) ----

struct watch_edge {
    bool known, tvalid, tready;       // known: a probe has reported the state
    uint64_t beats, stalls;           // beats so far; cycles in which a beat was offered and not taken
    bool has_fifo;                    // the FIFO of the edge has a probe
    int occupancy, high_water, depth; // words
};
struct watch {
    const struct ir *ir;
    struct watch_edge *edge;
    uint64_t beats;                 // handshakes that the probes have reported, to detect a standstill
    uint64_t last_sign, last_cycle; // the latest value of `sign` (watch_stuck), and the cycle in which it came
    bool asked; // watch_report must describe the failure after the probes have reported the final state of the streams
};
void watch_open(struct watch *watch, struct arena *arena, const struct ir *ir);
// Returns true if nothing has moved for more than `limit` cycles. sign: a count that changes when something moves.
bool watch_stuck(struct watch *watch, uint64_t sign, uint64_t cycle, uint64_t limit);
// Reports which kernel waits for which, and the state of every stream.
void watch_report(const struct watch *watch, struct check *check, struct arena *arena, struct text *out);

// ---- planted faults (plant.c) ----

bool plant_is(const struct sim *sim, enum plant_kind kind); // returns whether a fault of this kind is planted
void plant_begin(struct sim *sim);                          // called when the memory is open
void plant_end(struct sim *sim); // called when a request has ended, before its results are read

// ---- the state of a request that begins in the middle (load.c) ----

struct load {
    int64_t from;            // position at which the design begins
    bool waits;              // the design has not started yet
    struct check_state file; // content of the file of --state
    struct check_start start;
    int64_t decode_left;     // decode steps after the prompt that the design is given
    uint64_t planted;        // bit i: fault i of the options is in the state
    sim_find *find;          // finds signals of the design
    void *context;           // for `find`
    struct sim_signal state; // state register of the walkers' source of step words
};
void load_memory(struct sim *sim);                            // fills the channels, before the start
void load_edge(struct sim *sim, const struct sim_pins *pins); // called in each clock; loads the rest after the start

// ---- requests (host.c) ----

// The design's own counters in cycles: engine busy, waiting for beats, for operands, for room at its output.
enum { ENGINE_COUNTERS = 4 };

struct request_result {
    const uint32_t *prompt;
    const uint32_t *predicted; // ids that the host predicts after the prompt
    int64_t predicted_count;
    bool told_prediction; // the host has written them
    int64_t before;       // ids generated before the position at which the design begins
    const uint32_t *fed;  // the prompt that the design is given: the rest of the prompt, or the last id made before
    int64_t fed_len;
    int64_t prefix;     // positions to keep of the previous request, as the design is told
    int64_t begin;      // position at which the comparison begins, after kept positions; 0 in a design with slots
    int64_t kept;       // position at which the design begins; 0 if it cannot keep `prefix` positions
    int64_t held;       // positions that the design holds after the request, in a design with `prefix`
    uint64_t *step_end; // cycles in which the steps ended
    int64_t steps, first_step, first_position; // number of steps; index and position of the first one
    int64_t prompt_len, tokens, room; // tokens: most ids to generate; room: capacity of `id`, limited by the context
    uint32_t *id;                     // generated ids in order; id_cycle: when they were written
    uint64_t *id_cycle;
    uint32_t *ring;                                   // design with slots: the ring when the request ended
    uint32_t *records;                                // log probabilities, LOGPROBS_WORDS words for each id; or NULL
    int64_t ids;                                      // number of ids in `id`
    uint64_t start, end;                              // cycles
    uint64_t bytes_start, bytes_first, bytes_last;    // moved by all channels up to the start, first id and last id
    uint64_t bytes_end;                               // moved up to the end
    uint32_t status, fault, fault_place, ids_written; // registers
    uint32_t ending;                                  // register, read in a design with slots only
    uint64_t logits_hash;                             // register logits_hash
    uint64_t counted_cycles;                          // the design's own counter
    uint64_t *channel_beats, *channel_stalls;         // counters of the design, per channel
    uint64_t engine[ENGINE_COUNTERS];
    uint64_t drafts[DRAFT_COUNTERS];        // counters of the design: drafts in steps, and right ones
    struct check_drafts_counts draft_steps; // expected values of these counters, and numbers of steps
    VEC(struct check_part) part;            // design with slots and drafts: the request's parts of steps
    struct text text;                       // generated text, without the prompt
    bool done;                              // the design has ended the request
    bool told_stop;                         // design with slots: the host has stopped the request (--stop)
};

// After the reset, each request has three phases: ARGUMENTS (the register writes that start it), RUN, and COLLECT (the
// register reads after it). A design with slots has the phase SLOTS for all requests instead.
enum host_phase { HOST_RESET, HOST_ARGUMENTS, HOST_RUN, HOST_SLOTS, HOST_COLLECT, HOST_OVER };

// The requests of a design with slots (host_slots.c). RUN: the host waits for an event, or until it can submit a
// request. SENT: a request is being submitted. EVENTS: the registers that tell which requests have ended are read.
// RESULTS: the results of these requests are read.
enum slots_phase { SLOTS_RUN, SLOTS_SENT, SLOTS_EVENTS, SLOTS_RESULTS };
struct slots {
    enum slots_phase phase;
    int request[REGISTER_SLOTS]; // in each slot; -1: none
    int latest[REGISTER_SLOTS];  // the request whose positions each slot holds; -1: none
    int sent, ended_requests;    // requests that were accepted, and those that have ended
    int opened;                  // the requests with lower indices that continue another one are open
    bool runs, over;             // the design runs; it has raised its interrupt for the end of the run
    int slot, accepted_read;     // of the request that is being sent: its slot; index of the access that reads `slots`
    uint32_t accepted;           // requests that the design has counted
    int reads;                   // slots whose results are being read
    // For each of these slots: its number, and the index of its first access.
    int ended[REGISTER_SLOTS], first_read[REGISTER_SLOTS];
};

struct host {
    struct sim *sim;
    struct axil axil;
    enum host_phase phase;
    int request; // index of the current request
    int slot;    // slot of the current request; 0 in a design without slots
    struct slots slots;
    struct request_result *result; // of each request
    uint64_t phase_cycle;          // cycle at which the phase began
    const struct ir_segment *prompt_segment, *ring_segment;
    float **rows;       // per graph input: the rows of the request
    uint64_t rows_hash; // hash of the outputs of all requests
    int first_read;     // index of the first status access
    int held_read;      // index of the access of `held`
};

struct sim {
    struct arena arena;
    struct diag diag;
    struct sim_options options;
    struct ir *ir;
    struct hbm *hbm;
    struct replay *golden;
    struct check *check;
    const struct oracle_graph *spec; // NULL: the folder of the design has no copy of the spec
    struct oracle *oracle;
    struct tokenizer *tokenizer;
    struct timeline timeline;
    struct watch watch;
    struct occupancy occupancy;
    struct contracts *contracts;
    struct load load;
    struct host host;
    double clock_mhz;
    const char *failure;        // first failure, or NULL
    struct text failure_detail; // states of the streams after a deadlock or timeout
    double wall_start;          // seconds
    FILE *beats;                // records every handshake, or NULL
    bool progress_shown;        // the terminal has a line of progress
    bool saved;                 // the run was saved (--save)
};

enum {
    SIM_CHANNEL_SHIFT = 29, // a channel has 2^29 bytes of the address space
    // Offset of the image in a channel. It is not 0, so that a design that ignores its base registers fails.
    SIM_BASE = 2 << 20
};
// Returns the byte offset of the image in a channel's memory.
uint64_t sim_base(const struct sim *sim, int channel);

// Records a failure; only the first one is kept.
void sim_fail(struct sim *sim, const char *fmt, ...) RILL_PRINTF(2, 3);
uint64_t sim_bytes(const struct sim *sim); // bytes moved by all channels so far

// Opens the requests of the command line. Returns false after a failure.
bool host_open(struct host *host, struct sim *sim);
// Advances by one clock. Returns false when every request is over or one has failed.
bool host_edge(struct host *host, struct sim_pins *pins);

// Gives the replay and the oracle the current request's settings of sampling.
void host_sample(const struct host *host);

// The parts of a request that host_slots.c does one by one. In order: fill its memory, write its registers, copy its
// ring, begin the replay's run, compare the results with that run, and report its fault. host_was_stopped: the request
// has ended early, as --stop has asked for.
void host_place_request(struct host *host);
void host_write_prediction(struct host *host, bool ids); // ids: with the predicted ids, else it removes older ones
void host_write_request(struct host *host);
void host_keep_ring(struct host *host);
void host_begin_check(struct host *host);
void host_compare_golden(struct host *host);
void host_report_fault(struct host *host);
bool host_was_stopped(const struct host *host);
void host_compare_count(struct host *host);
// Opens the current request if it continues the previous one, which must have ended. Returns false after a failure.
bool host_open_then(struct host *host);
void host_compare_held(struct host *host, uint32_t held); // held: value of the register
int host_draft_counter(const struct host *host);          // number of the first counter of drafts
void slots_begin(struct host *host);
bool slots_edge(struct host *host, const struct sim_pins *pins);
int slots_request_at(const struct host *host, uint64_t offset); // offset: in the segment of the rings
void slots_step(struct host *host, uint64_t word);              // notes a word of the token loop's steps

// ---- positions that a request keeps of the one before (kept_prefix.c) ----

// Builds the prompt of a request that continues the one before.
struct sim_prompt prefix_then(struct sim *sim, const struct sim_prompt *prompt, const struct request_result *before);
// Finds how many positions request r keeps. asked: number that it asks for, or SIM_PREFIX_MOST. Returns false after a
// failure: it cannot keep as many as it asks for.
bool prefix_find(struct sim *sim, int64_t asked, const struct request_result *before, struct request_result *r);
// Returns how many positions request r can keep of the request before it.
int64_t prefix_most(const struct request_result *before, const struct request_result *r);

// Returns the memory of a request's results: the ring of ids, or the rows of the first output.
uint8_t *host_results(struct sim *sim, uint64_t *bytes);

// ---- rows of graphs that are not language models (graph_rows.c) ----

// Fills the input areas with `rows` rows. Returns false after a failure.
bool rows_open(struct sim *sim, int64_t rows);
void rows_clear(struct sim *sim, int64_t rows);                        // overwrites the output areas before a request
void rows_compare(struct sim *sim, int64_t rows);                      // compares the output areas after a request
uint8_t *rows_results(struct sim *sim, int64_t rows, uint64_t *bytes); // rows of the first output
// rows_take reads the file of --inputs, before rows_open. rows_save writes the output areas to the file of --outputs.
// Both return false after an error, and do nothing without the option.
bool rows_take(struct sim *sim);
bool rows_save(struct sim *sim);

// ---- DPI (probe_dpi.c): the run that the probes report to ----
void probe_dpi_bind(struct sim *sim);

// ---- output (report.c) ----
void report_token(struct sim *sim, uint32_t id); // prints an id's text, and the prompt before the first one
void report_before(struct sim *sim);   // prints the prompt and the ids before the position at which the design begins
void report_progress(struct sim *sim); // shows a line of progress on a terminal
void report_summary(struct sim *sim);
// Write the files of --json and --logits. report_write_golden writes to --json what the replay alone has made. They
// return false after an error, and do nothing without the option.
bool report_write_json(struct sim *sim);
bool report_write_golden(struct sim *sim);
bool report_write_logits(struct sim *sim);

#endif
