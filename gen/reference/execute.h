// SPDX-License-Identifier: Apache-2.0
// The state of an evaluation by the oracle, and the functions that its files share: execute.c runs the graph, exact.c
// and float.c compute operations in the two modes, move.c has the operations that are alike in both.
#ifndef RILL_EXECUTE_H
#define RILL_EXECUTE_H

#include "gen/numerics/fp32.h"
#include "gen/numerics/library.h"
#include "gen/reference/weights.h"

// Keys or values of all positions, from one kv_quantize in one repetition.
struct cache {
    int8_t *q;    // [positions][heads * head]; exact mode
    float *scale; // [positions][heads]; exact mode
    float *f32;   // [positions][heads * head]; float mode
};

// A value, with facts about its origin that operations read.
struct slot {
    struct oracle_value v;
    int64_t made;    // oracle.stamp of the step in which it was made; 0: never
    int64_t exp_min; // lower bound of the block exponents; the integers of a product have the bound of its operand
    const struct oracle_weights *product; // weights of the product that made these integers; NULL: attention
    struct cache cache;
    double scale; // keys in float mode: the scale of scores; 0: 1 / sqrt(head length)
};

// One evaluation of a graph: its values, its keys and values of earlier positions, and its latest results.
struct oracle {
    struct arena *arena;
    const struct oracle_graph *graph;
    enum oracle_mode mode;
    const struct oracle_weights **weights; // [node][repetition]; NULL: the node has no weights
    struct oracle_map map;                 // files of the weights, after oracle_open_image
    struct golden_library *library;        // [node]; empty: not a custom kernel
    struct slot **slot;                    // [tensor][repetition]: values that operations or the host make
    struct slot **meaning;                 // [tensor]: the value that the name has now
    struct slot ***carried; // [tensor][repetition] of carried tensors; one more entry holds the value after the region
    struct {                // scratch, sized for the largest tensor
        int32_t *sum;
        float *line, *kscale, *vscale;
    } scratch;
    int64_t positions;         // most positions of a request: the context, or fewer
    int64_t stamp, position;   // stamp: number of the step, from 1; it is not reset at a new request
    uint32_t next_id;          // id that the latest step with `last` chose
    struct sampling sampling;  // how ids are drawn
    struct golden_fault fault; // first fault of the request
    const char *fault_text;    // description of the fault, or NULL
    // Both are NULL unless statistics are collected, which needs float mode. squares: sums of squares of the operands
    // of a product, [node] -> [repetition][k]. multiplied: number of vectors in these sums, [node], for one repetition.
    double **squares;
    int64_t *multiplied;
};

// An operation that runs at one position and in one repetition.
struct step {
    struct oracle *run;
    const struct oracle_node *node;
    int64_t repetition, position;
    struct slot *in[ORACLE_PORTS], *out[ORACLE_PORTS];
    const struct oracle_weights *w; // weights for this repetition; NULL: the operation has none
    struct golden_fault *fault;
};

// oracle_exact computes one operation with the hardware's bits, and oracle_float in floating point.
void oracle_exact(struct step *);
void oracle_float(struct step *);
uint32_t oracle_draw(const struct step *); // draw.c: draws the id that the model outputs; 0 after a fault

// Computes one product for several evaluations that share weights, so each row of the weights is read once.
void oracle_exact_products(struct step s[], int count);
void oracle_float_products(struct step s[], int count);

// Opens an oracle for fewer positions than the context, which needs less memory for keys and values.
struct oracle *oracle_open_short(struct arena *, const struct oracle_graph *, enum oracle_mode, struct checkpoint *,
                                 int64_t positions, struct diag *);
// calibrate.c: adds the squares of a product's operand to the sums of this product.
void oracle_add_squares(const struct step *);

// move.c: operations that only move values, and others that are the same in both modes.
void oracle_transpose(struct step *);
void oracle_reshape(struct step *);
void oracle_patch(struct step *);
void oracle_choose(struct step *);
void oracle_expand_dims(struct step *);
void oracle_slice(struct step *);
void oracle_concat(struct step *);
// oracle_reduce gathers, for each element of the result, the n elements that are reduced to it, and calls the function.
typedef float oracle_join(struct step *, int64_t n, const float x[]);
void oracle_reduce(struct step *, oracle_join *);
// oracle_product calls the function for each element of the result, with the k factors of its row and of its column.
typedef float oracle_sum(struct step *, int64_t k, const float x[], const float z[]);
void oracle_product(struct step *, oracle_sum *);
void oracle_custom(struct step *); // calls the golden function of a custom kernel
typedef void oracle_line(struct step *, int64_t n, const float x[], float y[]);
void oracle_each_line(struct step *, oracle_line *); // calls the function for each vector that a norm works on

static inline int64_t oracle_count(const struct oracle_value *v) { return v->rows * v->cols; }
static inline const struct oracle_tensor *oracle_operand(const struct step *s, int i) {
    return &s->run->graph->tensor.items[s->node->in[i]];
}
static inline const struct oracle_tensor *oracle_result(const struct step *s, int o) {
    return &s->run->graph->tensor.items[s->node->out[o]];
}

#endif
