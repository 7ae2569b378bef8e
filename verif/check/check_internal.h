// SPDX-License-Identifier: Apache-2.0
// Shared by the files of the stream checker.
#ifndef VERIF_CHECK_INTERNAL_H
#define VERIF_CHECK_INTERNAL_H

#include "verif/check/check.h"

enum { CHECK_MAX_TOKENS = 8, CHECK_FIRST_STEPS = 2 /* decode steps that CHECK_MINIMUM compares in full */ };

// A step of the request: positions first .. first + tokens - 1.
struct step {
    int64_t first;
    int tokens;
    bool head;  // regions `when: last` run
    bool final; // the last one by count
};

// Beats that cannot be compared yet, the oldest first.
struct check_queued {
    uint64_t cycle;
    unsigned user, count;
    bool last;
};
struct check_queue {
    VEC(struct check_queued) beat;
    VEC(uint32_t) word; // of all beats, `words` of each
    size_t words, done;
};

// What one edge carries, and how far it is.
struct edge {
    bool active;   // carries what is compared: a tensor, step words or ids for the ring
    bool probed;   // the design has a probe there
    bool always;   // part of the minimum set
    bool is_step;  // carries step words
    bool is_ahead; // that run ahead of the ids: an end-of-text id does not stop them
    bool is_ring;  // carries {index, id} of the ids made
    bool is_logits;
    struct route *route; // NULL: one tensor, all of its firings. Else the fields below are those of its parts
    bool seen, varied;   // varied: not all of its beats begin with the same word
    uint32_t first_word;
    uint64_t shown; // beats
    int tensor;
    enum ir_dtype dtype;
    int lanes;             // elements of a beat
    bool counted, tokened; // tcount, tuser/tlast present
    bool one_token;        // in a region `when: last`: only the last token of the step
    int64_t repetitions;   // firings of the value per step
    bool fixed;            // a value from another region: always repetition `fixed_repetition`
    int64_t fixed_repetition;
    int firings;  // firings that make up one value of all tokens (heads, rows)
    int together; // query heads that are the tokens of a firing in steps of one token; 0: none
    int heads;    // of the present firing
    bool walked;  // the elements come in the order of `walk`; else in that of the value
    struct itensor_walk walk;
    bool given;                     // the result of a kernel without golden function: taken as it is
    void *result[CHECK_MAX_TOKENS]; // of this firing, per token
    struct check_queue queue;       // beats that wait for the golden model
    // progress
    int64_t step, repetition;
    int firing;
    int64_t beats[CHECK_MAX_TOKENS];    // of this firing, per token
    int64_t elements[CHECK_MAX_TOKENS]; // counted streams: elements of this firing
    int next_token;                     // streams without tuser
    // the value of each token, valid while key matches
    struct replay_value value[CHECK_MAX_TOKENS];
    uint64_t key[CHECK_MAX_TOKENS];
};

struct check {
    struct arena *arena;
    const struct ir *ir;
    struct replay *golden;
    enum check_set set;
    bool around; // kernels without golden function: beats may have to wait for what these give
    bool waits;  // the golden model, for such a result
    struct edge *edge;
    const bool *needed; // per tensor: in the last repetition of its region
    int requests;
    // plan
    struct check_request request;
    uint32_t *ids; // made by the golden model
    int64_t id_count;
    int64_t positions; // run so far
    bool golden_failed;
    uint64_t generation; // changes with every golden step: cached values end
    // results
    struct check_counts counts;
    const char *mismatch;
    struct check_oracle *oracle; // NULL: none
    VEC(float) logits;
    int hashed;    // tensor whose rows the design hashes; IR_NONE: none
    uint64_t hash; // of the golden model's
};

// check_plan.c
void plan_begin(struct check *check);
// Step `index` of the request; false when the request has fewer steps. Runs the golden model as far as needed.
bool plan_step(struct check *check, int64_t index, struct step *step);
// The same, as if no id ended the request.
bool plan_step_ahead(const struct check *check, int64_t index, struct step *step);
int64_t plan_steps(struct check *check);
// Runs the golden model up to and including a position; false when the request ends before it.
bool plan_run(struct check *check, int64_t position);

// check_oracle.c: the oracle's step beside the golden model's, and all names compared.
void check_oracle_step(struct check *check, uint32_t id, const float *const row[], int64_t position, bool head,
                       bool golden_done);

// check_edges.c
void edges_open(struct check *check);
void edges_begin(struct check *check);
void edge_begin(struct edge *e);
int edge_lanes(const struct ir *, const struct ir_port *port, enum ir_dtype dtype); // elements of a word
int edge_firings(const struct ir *ir, int tensor, const struct ir_port *port);
bool edge_walk(const struct ir *ir, int tensor, const struct ir_itensor *type, struct itensor_walk *walk);
void edge_repeats(const struct ir *ir, struct edge *e, int region, bool leaves); // in a port's region
// Repetition that readers outside the tensor's region see: what a carried one is after the last.
int64_t check_last_repetition(const struct ir *ir, int tensor);

// check_beat.c: a firing has gone by; the golden step of a stream of a tensor that its next beat belongs to.
void edge_firing_done(struct edge *e);
bool edge_current_step(struct check *check, struct edge *e, struct step *step);
// Compares the beats that wait, as far as the golden model has come.
void check_drain(struct check *check);

// check_routes.c: what moves tensors without changing them. Finds what edges carry that no port names.
void routes_open(struct check *check);
void routes_begin(struct check *check);
// Whose beat is next on the edge. NULL: the request has no more, or the golden model waits (check->waits).
struct edge *route_part(struct check *check, struct edge *e);
void route_done(struct edge *e); // that firing has ended
int route_parts(const struct edge *e);
struct edge *route_part_at(const struct edge *e, int part); // NULL: nothing is known of it

// check_needed.c
bool *check_needed(struct check *check);

// check.c: records the first difference; `fmt` goes behind the place of the edge.
void check_fail(struct check *check, int edge, uint64_t cycle, const char *fmt, ...) RILL_PRINTF(4, 5);

#endif
