// SPDX-License-Identifier: Apache-2.0
// State of the golden executor, shared by run.c and the operations in run_ops.c.
#ifndef GOLDEN_RUN_INTERNAL_H
#define GOLDEN_RUN_INTERNAL_H

#include "fp32.h"
#include "ir.h"
#include "store.h"
#include "trace.h"

// One tensor's value at one position: arrays sized at the bound of dynamic extents.
struct run_value {
    bool valid;
    int64_t position;
    int64_t rows, cols;   // of this position
    float *f32;           // IR_F32 [rows][stride], IR_SCALAR [rows]
    int64_t *acc;
    int8_t *q;
    uint8_t *shift;
    float *scale;
    uint32_t id;
};

// Keys or values of all positions of one kv_quantize node and repetition.
struct run_cache {
    int8_t *q;     // [context][heads * head_dim]
    float *scale;  // [context][heads]
};

struct golden_run {
    const struct ir *ir;
    struct arena *arena;
    struct store store;
    int window;
    struct run_value **value;  // [tensor][repetition * window + position % window]
    struct run_cache **cache;  // [node][repetition], NULL for nodes that are no cache
    const struct store_entry **weights; // [node] -> entry of repetition 0; the others follow
    float *stored_scale;       // scratch: [largest number of rows]
    int64_t position;
    uint32_t input_id, next_id;
    const float *const *row;
    struct golden_fault fault;
    const char *fault_text;
};

// What one operation sees: its node in one repetition at the present position.
struct run_op {
    struct golden_run *run;
    const struct ir_node *node;
    int64_t repetition, position;
    const struct run_value *in[IR_MAX_PORTS];
    struct run_value *out[IR_MAX_PORTS];
    const struct store_entry *weights;
    struct golden_fault *fault;
};
typedef void run_function(struct run_op *);
extern run_function *const run_table[];

// Producer node and repetition of the kv tensor that operand i is.
const struct run_cache *run_cache_of(const struct run_op *, int operand);

#endif
