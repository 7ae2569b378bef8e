// SPDX-License-Identifier: Apache-2.0
// Stream comparison: every beat that crosses an edge of the kernel graph against the golden model's value, bit for bit,
// as it flows.
#ifndef VERIF_CHECK_H
#define VERIF_CHECK_H

#include "gen/reference/oracle.h"
#include "verif/replay/replay.h"

enum check_set {
    CHECK_ALL,     // every stream that carries a tensor, everywhere
    CHECK_MINIMUM, // ids, logits, residuals, keys and values everywhere; all streams for the first steps
};

// One request. Language models: ids. Other graphs: row r of graph input i is row[i] + r * elements, count rows.
struct check_request {
    const uint32_t *ids;
    int64_t count;      // prompt ids, or rows
    int64_t max_new;    // ids to make (language models)
    struct end_ids eot; // one of them ends the request when made
    const float *const *row;
};

enum { CHECK_MANY_BEATS = 16 };
struct check_counts {
    uint64_t values;     // compared elements
    uint64_t streams;    // edges with at least one compared beat
    uint64_t mismatches; // beats with a difference
    uint64_t mantissas;  // compared elements of quantized operands,
    uint64_t saturated;  // and those at the ends of their range
    uint64_t constant;   // streams of numbers with at least CHECK_MANY_BEATS beats, all beginning with the same word
};

struct check;

// NULL after an error in diag. golden belongs to the checker from now on until check_close.
struct check *check_open(struct arena *arena, const struct ir *ir, struct replay *golden, enum check_set set,
                         struct diag *diag);
// Recent positions the golden run must keep for this design: more than any stream lags behind another.
int check_window(const struct ir *ir);
void check_begin(struct check *check, const struct check_request *request);
// The same request again, for check_golden_output of rows that have left the window.
void check_again(struct check *check, const struct check_request *request);
// A probe watches the edge. True when its beats are compared (values or step words).
bool check_wants(struct check *check, int edge);
// One handshake. data: the edge's data_bits in 32-bit words, low first. user, last, count: 0 where the stream has none.
// False: this edge needs no more beats shown in this run.
bool check_beat(struct check *check, int edge, const uint32_t data[], unsigned user, bool last, unsigned count,
                uint64_t cycle);
// The request has ended: every compared stream must have seen all of it.
void check_end(struct check *check, uint64_t cycle);

// From now on every golden value of a tensor that the spec names is compared with the oracle's, position by position.
// path: of the spec, for messages. Both belong to the caller.
void check_set_oracle(struct check *check, const struct oracle_graph *graph, struct oracle *oracle, const char *path);
// What the oracle makes of the request: ids so far, row `row` of an output. NULL: no oracle, or it cannot know.
const uint32_t *check_oracle_ids(const struct check *check);
const float *check_oracle_row(struct check *check, int output, int64_t row);

struct check_oracle_counts {
    bool present;
    uint64_t named;   // tensors of the spec: inputs, results, carried names
    uint64_t tensors; // of these, compared
    uint64_t values, positions;
};
struct check_oracle_counts check_oracle_counts(const struct check *check);
// Tensor `t` of the spec, if it was not compared: its name, and why. Else NULL.
const char *check_oracle_left(const struct check *check, int t, const char **why);

// What the golden model generates for the request (runs it to its end). Language models.
const uint32_t *check_golden_ids(struct check *check, int64_t *count);
// What the design's register `logits_hash` holds behind the request; 0 where no kernel of the design hashes.
uint64_t check_golden_hash(struct check *check);
// Graph output `output` of row `row`, or false when it is gone from the window.
bool check_golden_output(struct check *check, int output, int64_t row, struct replay_value *value);
// First difference in words (arena text), or NULL.
const char *check_mismatch(const struct check *check);
// Where a value has left its format in the golden model, which then has no further values to compare with; or NULL.
const char *check_overflow(const struct check *check);
struct check_counts check_counts(const struct check *check);
// Why no beat of an edge was compared, or NULL when some were. docs/testing.md has the list of reasons.
const char *check_left(const struct check *check, int edge);
// The hash of all logits as the design showed them.
uint64_t check_logits_hash(const struct check *check);
// Argmax's inputs as the design showed them, in order: raw fp32 of all requests since open.
const float *check_logits(const struct check *check, size_t *count);
// Where a stream stands, for the deadlock report: "position 12, repetition 3, 40 beats into firing 2".
const char *check_edge_place(const struct check *check, struct arena *arena, int edge);

#endif
