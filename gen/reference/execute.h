// SPDX-License-Identifier: Apache-2.0
// An evaluation under way.
#ifndef RILL_EXECUTE_H
#define RILL_EXECUTE_H

#include "gen/numerics/fp32.h"
#include "gen/numerics/library.h"
#include "gen/reference/weights.h"

// Keys or values of all positions: of one kv_quantize in one repetition.
struct cache {
    int8_t *q;    // [context][heads * head]
    float *scale; // [context][heads]
    float *f32;   // float mode
};

// A value, with what an operation wants to know of where it comes from.
struct slot {
    struct oracle_value v;
    int64_t made; // request and position of its making; 0: never
    int64_t exp_min;
    const struct oracle_weights *product; // that made these integers; NULL: attention
    struct cache cache;
    double scale; // keys: of scores; 0: one by the root of a head's length
};

struct oracle {
    struct arena *arena;
    const struct oracle_graph *graph;
    enum oracle_mode mode;
    const struct oracle_weights **weights;
    struct oracle_map map;
    struct golden_library *library; // [node], empty: no custom kernel
    struct slot **slot;             // [tensor][repetition] of what an operation or the host makes
    struct slot **meaning;          // [tensor]: what the name means now
    struct slot ***carried;         // [tensor][repetition, one more: after the region] of carried tensors
    struct {                        // scratch, for the largest tensor
        int32_t *sum;
        float *line, *kscale, *vscale;
    } scratch;
    int64_t positions;       // that a request may have: the context, or fewer
    int64_t stamp, position; // stamp: counts steps
    uint32_t next_id;
    struct sampling sampling;
    struct golden_fault fault;
    const char *fault_text;
    // Float mode, NULL: not asked for. Sums of squares of what a product reads, [node] -> [repetition][k], and the
    // vectors of one repetition that they are of.
    double **squares;
    int64_t *multiplied;
};

// One operation at one position and repetition.
struct step {
    struct oracle *run;
    const struct oracle_node *node;
    int64_t repetition, position;
    struct slot *in[ORACLE_PORTS], *out[ORACLE_PORTS];
    const struct oracle_weights *w; // of this repetition
    struct golden_fault *fault;
};

void oracle_exact(struct step *);
void oracle_float(struct step *);
uint32_t oracle_draw(const struct step *); // draw.c: an id of the model's output

// The same product in several evaluations with the same weights: each row of these is read once.
void oracle_exact_products(struct step s[], int count);
void oracle_float_products(struct step s[], int count);

// Of fewer positions than the context, and less memory for keys and values.
struct oracle *oracle_open_short(struct arena *, const struct oracle_graph *, enum oracle_mode, struct checkpoint *,
                                 int64_t positions, struct diag *);
// calibrate.c: adds to the sums of squares of a product.
void oracle_add_squares(const struct step *);

// move.c: what moves values and changes none, and what both modes do alike.
void oracle_transpose(struct step *);
void oracle_reshape(struct step *);
void oracle_choose(struct step *);
void oracle_custom(struct step *);
typedef void oracle_line(struct step *, int64_t n, const float x[], float y[]);
void oracle_each_line(struct step *, oracle_line *); // the vectors that a norm works on

static inline int64_t oracle_count(const struct oracle_value *v) { return v->rows * v->cols; }
static inline const struct oracle_tensor *oracle_operand(const struct step *s, int i) {
    return &s->run->graph->tensor.items[s->node->in[i]];
}
static inline const struct oracle_tensor *oracle_result(const struct step *s, int o) {
    return &s->run->graph->tensor.items[s->node->out[o]];
}

#endif
