// SPDX-License-Identifier: Apache-2.0
// State of the replay (replay.h), the reference model of a design, shared by its files.
#ifndef RILL_REPLAY_INTERNAL_H
#define RILL_REPLAY_INTERNAL_H

#include "gen/numerics/dot.h"
#include "gen/numerics/fp32.h"
#include "gen/ir/ir.h"
#include "gen/pack/golden_store.h"
#include "gen/base/sampling.h"
#include "verif/replay/replay.h"

// The value of one tensor at one position. Dynamic extents are allocated at their bound. Rows are `stride` elements
// apart.
struct replay_slot {
    int64_t request;              // the request that made the value, or 0 if none has
    int64_t position;             // the position at which it was made
    int64_t rows, cols;           // the extents at this position
    int64_t stride, shift_stride; // elements, and for IR_MX exponents, from one row to the next
    float *f32;                   // IR_F32 [rows][stride], IR_SCALAR [rows]
    int128 *acc;                  // IR_ACC [rows][stride]
    int8_t *q;                    // IR_KV, IR_INT8 [rows][stride]
    int16_t *mx;                  // IR_MX [rows][stride]
    uint8_t *shift;               // IR_MX [rows][shift_stride]
    float *scale;                 // IR_KV [rows]
    uint32_t id;                  // IR_ID
};

// The keys or values of all positions for one kv_quantize node and repetition.
struct replay_cache {
    int8_t *q;    // [context][heads * head_dim]
    float *scale; // [context][heads]
};

// Scratch memory of the operations, large enough for the largest operand of the graph.
struct replay_scratch {
    int32_t *sum;           // the sums of one head
    float *line;            // two vectors along a dimension
    float *kscale, *vscale; // one scale for each position
};

// The result of a kernel without a golden function, which the caller gives.
struct replay_given {
    int tensor;
    int64_t repetition, position;
    void *values;
};

struct replay {
    const struct ir *ir;
    struct arena *arena;
    struct store store;
    int window;                  // number of latest positions whose values are kept
    struct replay_slot **value;  // [tensor][repetition * window + position % window]
    struct replay_cache **cache; // [node][repetition], NULL for nodes without a cache
    // [node]: the entry of repetition 0, followed by those of the other repetitions; NULL for nodes without weights
    const struct store_entry **weights;
    struct replay_scratch scratch;
    struct replay_custom *custom;   // [node]: its golden function; empty if it has none
    VEC(struct replay_given) given; // in the order of replay_give
    size_t last_given;              // index in `given` of the result that was used last; a search begins there
    // waits: the node given by at_region, at_node and at_repetition needs a result that was not given yet
    bool waits;
    int at_region, at_node;
    int64_t at_repetition;
    int64_t request, position; // number of the request, from 1; position that runs or ran last
    uint32_t next_id;          // made by the last step that ran the head
    struct sampling sampling;  // how the model's ids are chosen
    struct golden_fault fault;
    const char *fault_text;
};

// The context of one operation: its node in one repetition at the current position.
struct replay_op {
    struct replay *run;
    const struct ir_node *node;
    int64_t repetition, position;
    const struct replay_slot *in[IR_MAX_PORTS];
    struct replay_slot *out[IR_MAX_PORTS];
    const struct store_entry *weights; // the node's weights, or NULL
    struct golden_fault *fault;
};
typedef void replay_function(struct replay_op *);
extern replay_function *const replay_functions[]; // [enum ir_op]: computes a built-in operation
// Begins a request: counts it, and clears the fault and the wait. Its first replay_step may run a position above 0 only
// if the caches have the keys and values of all earlier positions (replay_restore).
void replay_begin_at(struct replay *);
// Runs a custom kernel. Returns false if its result has not been given yet.
bool replay_custom(struct replay_op *);
// Compiles and loads the golden functions. Returns false after an error.
bool replay_open_customs(struct replay *, struct diag *);
// Unloads the golden functions and frees all given results.
void replay_close_customs(struct replay *);

// Returns the keys or values of an operand.
const struct replay_cache *replay_cache_of(const struct replay_op *op, int operand);
// Returns the weights of the product that made an operand, in the repetition that is read, or NULL if no product with
// weights made it.
const struct store_entry *replay_product_weights(const struct replay_op *op, int operand);

#endif
