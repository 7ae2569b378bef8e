// SPDX-License-Identifier: Apache-2.0
// Declarations that the files of the stream checker share. check_edges.c and check_routes.c find what each edge
// carries, check_plan.c and check_drafts.c find the steps of a request, and check_beat.c compares beats. A firing is
// one run of a kernel over its operands. A route describes an edge at a multiplexer or demultiplexer, on which several
// tensors take turns (the parts of the route), or which has only some firings of a tensor.
#ifndef VERIF_CHECK_INTERNAL_H
#define VERIF_CHECK_INTERNAL_H

#include "gen/numerics/logprobs.h"
#include "verif/check/check.h"

enum { CHECK_MAX_TOKENS = 8, CHECK_FIRST_STEPS = 2 /* decode steps that CHECK_MINIMUM compares in full */ };

// A step of the request: positions first .. first + tokens - 1.
struct step {
    int64_t first;
    int tokens;
    // Tokens whose ids are those of the request. The others are drafts: the first wrong one and all after it, or those
    // beyond the end of the request.
    int valid;
    bool head;  // regions `when: last` run
    bool final; // the last step when the request ends by its count
};

// A beat that cannot be compared yet, with the arguments of check_beat.
struct check_queued {
    uint64_t cycle;
    unsigned user, count;
    bool last;
};
// The waiting beats of an edge, oldest first.
struct check_queue {
    VEC(struct check_queued) beat;
    VEC(uint32_t) word; // the data of all beats, `words` for each
    size_t words, done; // words: of one beat's data. done: beats that have been compared
};

// The tensor that one edge carries, and the progress of its comparison.
struct edge {
    bool active;         // carries data to compare: a tensor, step words or ids for the ring
    bool probed;         // the design has a probe there
    bool always;         // part of the minimum set, which CHECK_MINIMUM compares in every step
    bool is_step;        // carries step words
    bool is_ahead;       // step words sent ahead of the ids: without drafts, an end-of-text id does not stop them
    bool is_ring;        // carries {index, id} of the generated ids
    bool is_logits;      // carries the logits from which ids are chosen
    struct route *route; // NULL: one tensor, all of its firings. Otherwise the route's parts have their own fields
    bool seen, varied;   // seen: a beat was compared. varied: beats began with different words
    uint32_t first_word; // of the first beat
    uint64_t shown;      // number of beats that were compared
    int tensor;
    enum ir_dtype dtype;
    int lanes;             // elements per beat
    bool counted, tokened; // has tcount; has tuser and tlast
    bool head_only;        // in a region `when: last`: carries only steps with a head
    bool one_token;        // carries only the last token of a step
    int64_t repetitions;   // repetitions of the region in which the value is sent in a step
    bool fixed;            // the value comes from another region: always repetition `fixed_repetition`
    int64_t fixed_repetition;
    int firings;  // in one repetition: each carries a part of the value (a head, a row) of all tokens
    int together; // query heads sent as the tokens of a firing in steps of one token; 0: none
    int heads;    // heads in the current firing
    bool walked;  // the elements are in the order of `walk`, which follows the stream's itensor type (docs/ir.md);
                  // otherwise in the order in which the value stores them
    struct itensor_walk walk;
    bool given;                     // the result of a kernel without a golden function: the replay takes it from here
    void *result[CHECK_MAX_TOKENS]; // elements of such a result in this firing, per token
    struct check_queue queue;       // beats that wait for the replay
    float *row[CHECK_MAX_TOKENS];   // logits of this firing, per token
    // progress
    int64_t step, repetition;
    int firing;
    int64_t beats[CHECK_MAX_TOKENS];    // beats of this firing so far, per token
    int64_t elements[CHECK_MAX_TOKENS]; // elements of this firing so far, per token (counted streams)
    int next_token;                     // token of the next beat, for streams without tuser
    // the value of each token, valid while its key is check.generation
    struct replay_value value[CHECK_MAX_TOKENS];
    uint64_t key[CHECK_MAX_TOKENS];
};

// The generating steps of a design with drafts.
struct check_drafts_state {
    bool off;              // the request has no drafts
    VEC(struct step) step; // the steps so far
    // The values that the confidence may have: bit c for the value c. Without slots, exactly one bit is set. With
    // slots, a part without drafts does not tell whether the design has looked for drafts.
    unsigned confidence;
    struct check_guess { // the drafts that were found for the latest step
        bool made;
        uint32_t id; // the first of them
    } guess;
    struct check_drafts_counts counts;
};

struct check {
    struct arena *arena;
    const struct ir *ir;
    struct replay *golden;
    enum check_set set;
    bool around; // a kernel has no golden function: beats may have to wait until the replay gets its results
    bool waits;  // the replay waits for such a result
    struct edge *edge;
    const bool *needed; // per tensor: needed in the last repetition of its region
    int requests;       // requests so far
    // plan
    struct check_request request;
    uint32_t *ids;    // generated by the replay
    uint64_t *hashes; // hash of the replay's rows so far, after each id
    // The record of log probabilities of each id, LOGPROBS_WORDS words. NULL: the design makes no records. Records of
    // ids that come from a file of a state are 0.
    uint32_t *records;
    int64_t id_count;
    int64_t first_step;     // the step with which the design begins
    VEC(uint64_t) step_end; // by step: the latest cycle in which a stream has finished it
    struct check_drafts_state drafts;
    int64_t positions; // positions run so far
    bool golden_failed;
    uint64_t generation; // changes with every golden step, which invalidates cached values
    // results
    struct check_counts counts;
    const char *mismatch;
    struct check_oracle *oracle; // NULL: none
    VEC(float) logits;
    int hashed;    // tensor whose rows the design hashes; IR_NONE: none
    uint64_t hash; // hash of the replay's rows
};

// check_plan.c: the steps of a request. plan_begin starts a request.
void plan_begin(struct check *check);
// Finds step `index` of the request, and runs the replay as far as needed. Returns false if the request has fewer
// steps, or if the replay waits.
bool plan_step(struct check *check, int64_t index, struct step *step);
// Finds a step as if no id ended the request. With drafts it does the same as plan_step.
bool plan_step_ahead(struct check *check, int64_t index, struct step *step);
int64_t plan_steps(struct check *check); // number of steps; runs the replay to the end of the request
int64_t plan_step_of(const struct check *check, int64_t position); // index of the step that begins there
// Runs the replay up to and including a position. Returns false if the request ends before it, or if the replay waits
// or has a fault.
bool plan_run(struct check *check, int64_t position);

// Returns whether the position exists: a prompt position, or a position whose id was made before and did not end the
// request.
bool plan_has(const struct check *check, int64_t position);

// check_drafts.c: steps after those of the prompt, counted from 0. The replay runs as far as needed. drafts_step
// returns false if there is no such step, or if the replay waits. drafts_steps returns their number.
void drafts_begin(struct check *check);
bool drafts_step(struct check *check, int64_t index, struct step *step);
int64_t drafts_steps(struct check *check);

// check_oracle.c: runs in the oracle the position that the replay has just run, and compares every tensor that the spec
// names. golden_done: the replay had no fault.
void check_oracle_step(struct check *check, uint32_t id, const float *const row[], int64_t position, bool head,
                       bool golden_done);

// check_edges.c: edges_open finds what the edges carry, once for a design. edges_begin begins a request on all edges,
// edge_begin on one edge.
void edges_open(struct check *check);
void edges_begin(struct check *check);
void edges_at(struct check *check, int64_t step, int64_t made); // goes on at a step, before which `made` ids were made
void edge_begin(struct edge *e);
int edge_lanes(const struct ir *, const struct ir_port *port, enum ir_dtype dtype); // elements per word
// Returns the firings of a tensor in one repetition, at a port.
int edge_firings(const struct ir *ir, int tensor, const struct ir_port *port);
// Finds the order of the elements if it is not the order in which the value stores them. Returns false otherwise.
bool edge_walk(const struct ir *ir, int tensor, const struct ir_itensor *type, struct itensor_walk *walk);
// Sets in which repetitions the value is sent. region: of the port; IR_NONE: the tensor's region counts. leaves: the
// value is sent to an output of the design.
void edge_repeats(const struct ir *ir, struct edge *e, int region, bool leaves);
// Returns the repetition that readers outside the tensor's region see. For a carried tensor it is `repeat`,
// the value after the last repetition.
int64_t check_last_repetition(const struct ir *ir, int tensor);

// check_beat.c: edge_firing_done ends a firing; edge_current_step finds the golden step of a tensor stream's next beat.
void edge_firing_done(struct edge *e);
bool edge_current_step(struct check *check, struct edge *e, struct step *step);
// Compares the queued beats as far as the replay has run.
void check_drain(struct check *check);

// check_routes.c: finds what edges carry whose ports do not name a tensor, at kernels that move tensors without
// changing them.
void routes_open(struct check *check);
void routes_begin(struct check *check);
void routes_at(struct check *check, int64_t step); // goes on at a step
// Returns the part whose beat is next on the edge. NULL: the request has no further beat, or the replay waits
// (check->waits).
struct edge *route_part(struct check *check, struct edge *e);
void route_done(struct edge *e);                            // goes on to the next firing
int route_parts(const struct edge *e);                      // number of parts
struct edge *route_part_at(const struct edge *e, int part); // NULL: the contents of the part are unknown

// check_needed.c: returns, per tensor, whether it is needed in the last repetition of its region.
bool *check_needed(struct check *check);

// check.c: records the first difference; `fmt` follows the place of the edge in the message.
void check_fail(struct check *check, int edge, uint64_t cycle, const char *fmt, ...) RILL_PRINTF(4, 5);

#endif
