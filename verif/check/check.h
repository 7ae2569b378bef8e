// SPDX-License-Identifier: Apache-2.0
// The stream checker compares each beat on an edge of the kernel graph bit for bit with the replay's value when the
// beat passes. An edge is a stream between two kernels. The replay (verif/replay) is the reference model of the design.
// A step is one run of the whole design, for up to T prompt tokens or for the next token (with drafts, for several).
#ifndef VERIF_CHECK_H
#define VERIF_CHECK_H

#include "gen/reference/oracle.h"
#include "verif/replay/replay.h"

enum check_set {
    CHECK_ALL,     // every stream that carries a tensor, everywhere
    CHECK_MINIMUM, // ids, logits, residuals, keys and values everywhere; all streams in the first request's prompt and
                   // its first decode steps
};

// A request. A language model has `count` ids as its prompt. Another graph has `count` rows: row r of graph input i
// begins at row[i] + r * (number of elements of the input).
struct check_request {
    const uint32_t *ids;
    int64_t count;      // prompt ids, or rows
    int64_t max_new;    // ids to generate (language models)
    struct end_ids eot; // the request ends when one of these ids is generated
    const float *const *row;
    int64_t from;                    // first position that the design runs; the replay alone runs earlier ones
    const struct check_state *state; // gives the replay the positions before `from`; NULL: the replay runs them
    const uint32_t *predicted;       // ids that the host predicts after the prompt
    int64_t predicted_count;
    bool is_late; // the host gives them while the request runs, at a time that the checker does not know
};

// The replay's state of a request as a file (check_state.c): ids, hashes, keys and values of every position.
struct check_state {
    const uint32_t *ids;    // ids of the prompt, then the generated ids
    const uint64_t *hashes; // hash of all logits so far, after each generated id
    // Number of prompt ids, of generated ids, and of positions in `cache`.
    int64_t count, made, positions;
    const char *cache; // keys and values, as replay_store writes them
    size_t cache_bytes;
};

// A design that begins in the middle of a request has to know the step, the ids generated before, and the hash of their
// logits.
struct check_start {
    int64_t step, made; // index of the first step, and number of ids generated before it
    const uint32_t *ids;
    uint64_t hash;
};

enum { CHECK_MANY_BEATS = 16 }; // see check_counts.constant
struct check_counts {
    uint64_t values;     // compared elements
    uint64_t streams;    // edges with at least one compared beat
    uint64_t mismatches; // beats with a difference
    uint64_t mantissas;  // compared elements of quantized operands
    uint64_t saturated;  // mantissas at the ends of their range
    uint64_t constant;   // streams of numbers with at least CHECK_MANY_BEATS beats that all begin with the same word
};

struct check;

// Opens a checker. It runs the replay `golden`, which remains the caller's. Returns NULL after an error in diag.
struct check *check_open(struct arena *arena, const struct ir *ir, struct replay *golden, enum check_set set,
                         struct diag *diag);
// Returns for how many recent positions the replay should keep values for this design. It must be more than any stream
// lags behind another: at least six full steps, and more if the values take little memory.
int check_window(const struct ir *ir);
// Begins a request, whose beats are compared from now on. `request` is copied, but not what its pointers point to.
void check_begin(struct check *check, const struct check_request *request);
// Runs the replay up to request.from, fills *start, and begins to compare there. Returns false if the request ends
// earlier, if request.state does not fit the graph, or if no step begins at request.from.
bool check_start(struct check *check, struct check_start *start);
// Runs the replay to the end of the request and writes its state to a file. Returns NULL, or why it could not be
// written.
const char *check_write_state(struct check *check, const char *path, uint64_t identity);
// Reads a file of check_write_state. identity: a hash of all that must be equal besides the prompt. Returns false after
// an error, with the reason in *why.
bool check_read_state(struct arena *arena, const char *path, uint64_t identity, struct check_state *state,
                      const char **why);
// Starts the same request again, to read check_golden_output of rows that the replay no longer keeps (check_window).
void check_again(struct check *check, const struct check_request *request);
// Notes that the edge has a probe. Returns whether the beats of the edge are compared (values, step words or ids).
bool check_wants(struct check *check, int edge);
// Compares the word of one handshake. data: the edge's data_bits in 32-bit words, low first. user, last, count: tuser,
// tlast and tcount, or 0 if the stream has none. Returns false if neither this nor a later beat of the edge is compared
// in this run.
bool check_beat(struct check *check, int edge, const uint32_t data[], unsigned user, bool last, unsigned count,
                uint64_t cycle);
// Ends the request: every compared stream must have seen the whole request. cycle: for the message if one has not.
void check_end(struct check *check, uint64_t cycle);

// From now on every golden value of a tensor that the spec names is compared with the oracle's, position by position.
// path: path of the spec, for messages. The graph and the oracle belong to the caller.
void check_set_oracle(struct check *check, const struct oracle_graph *graph, struct oracle *oracle, const char *path);
// Return the oracle's results for the request: the ids so far, and row `row` of an output. Return NULL if there is no
// oracle, or if it cannot evaluate the output.
const uint32_t *check_oracle_ids(const struct check *check);
const float *check_oracle_row(struct check *check, int output, int64_t row);

struct check_oracle_counts {
    bool present;               // there is an oracle
    uint64_t named;             // tensors that the spec names: inputs, results, carried names
    uint64_t tensors;           // number of these tensors that were compared
    uint64_t values, positions; // compared elements and positions
};
struct check_oracle_counts check_oracle_counts(const struct check *check);
// If tensor `t` of the spec was not compared, returns the name of the tensor and sets *why to the reason. Otherwise
// returns NULL.
const char *check_oracle_left(const struct check *check, int t, const char **why);

// Returns the ids that the replay generates for the request, which it runs to its end (language models).
const uint32_t *check_golden_ids(struct check *check, int64_t *count);
// Returns the expected value of the design's register `logits_hash` after the request; 0 where no kernel of the design
// hashes.
uint64_t check_golden_hash(struct check *check);
// Gets graph output `output` of row `row`. Returns false if the replay no longer keeps the row (check_window), or if
// the request ends before it.
bool check_golden_output(struct check *check, int output, int64_t row, struct replay_value *value);
// Returns a description of the first difference, in the arena of the checker, or NULL if there is none.
const char *check_mismatch(const struct check *check);
// Returns a text that says where a value left its format in the replay, or NULL if no value did. After such a fault the
// replay has no further values to compare with.
const char *check_overflow(const struct check *check);
struct check_counts check_counts(const struct check *check);
// Returns why no beat of an edge was compared, or NULL if some were. docs/testing.md lists the reasons.
const char *check_left(const struct check *check, int edge);
// Returns the hash of the logits that check_logits returns.
uint64_t check_logits_hash(const struct check *check);
// Returns the logits seen on the design's streams, in order: the fp32 inputs of argmax of all requests since
// check_open. *count: their number.
const float *check_logits(const struct check *check, size_t *count);
// Counts for a request in a design with drafts. drafted, accepted: drafts that the design sends, and those of them that
// are right. none: generating steps without drafts. right[n]: steps with drafts of which the first n are right, and no
// more.
enum { CHECK_MAX_DRAFTS = 7 };
struct check_drafts_counts {
    uint64_t drafted, accepted, none, right[CHECK_MAX_DRAFTS + 1];
};
struct check_drafts_counts check_drafts(struct check *check);
// A part of a step in a design with slots: `tokens` tokens of the request, from position `first` on.
struct check_part {
    int64_t first;
    int tokens;
};
struct check_parts_of {   // the parts of a request
    int64_t first, after; // position at which the request begins, and the position after its last part
    const struct check_part *part;
    size_t parts;
};
// In a design with slots and drafts: compares the parts of the request with those that its ids allow, and counts its
// drafts. How many drafts a part has also depends on the other requests, so it may have fewer than were found. Call it
// after check_golden_ids. Returns NULL, or what is wrong (arena text).
const char *check_parts(struct check *check, const struct check_parts_of *, struct check_drafts_counts *counts);
void check_drafts_off(struct check *check, bool off); // the host's settings do not allow drafts
// Returns the number of steps of the request, for which it runs the replay to the request's end.
int64_t check_steps(struct check *check);
int64_t check_positions(const struct check *check); // positions that the replay has run
// Returns the cycle in which the last compared stream finished a step, or 0 if no stream has finished it.
uint64_t check_step_end(const struct check *check, int64_t step);
// Returns the first position of a step.
int64_t check_step_position(struct check *check, int64_t step);
// Returns an array with the hash of all logits of the request so far, after each generated id.
const uint64_t *check_golden_hashes(const struct check *check);
// Returns the records of log probabilities of the ids that check_golden_ids returns, LOGPROBS_WORDS words each. NULL:
// the design makes no records. Records of ids in the state of a request (check_state) are all 0.
const uint32_t *check_golden_records(const struct check *check);
// Describes the progress of a stream for the deadlock report: "step 12, repetition 3, firing 2, 40 beats into it".
const char *check_edge_place(const struct check *check, struct arena *arena, int edge);

#endif
