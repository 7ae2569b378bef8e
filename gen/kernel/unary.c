// SPDX-License-Identifier: Apache-2.0
// Parameters, contract and cost of rill_unary, which computes a function of each element. A function has the name of
// its operation, except `slopes`, which serves the operations that the table below does not list (abs, neg,
// leaky_relu).
#include <string.h>

#include "gen/ir/ops.h"
#include "gen/kernel/class.h"
#include "gen/numerics/numerics.h" // GOLDEN_SIXTH

enum { CURVE = LATENCY_CURVE, HARD = LATENCY_MUL + LATENCY_ADD + 1 /* the bounds */ };

// The functions, indexed by the parameter FUNCTION: name, latency in cycles, cost of a lane.
static const struct function {
    const char *name;
    int64_t latency;
    enum cost_term lane;
} table[] = {
    {"sigmoid", LATENCY_EXP + LATENCY_ADD + LATENCY_RECIP, PER_UNARY_SIGMOID_LANE},
    {"tanh", CURVE + LATENCY_MUL, PER_UNARY_TANH_LANE},
    {"erf", CURVE + LATENCY_MUL, PER_UNARY_ERF_LANE},
    {"gelu", CURVE + LATENCY_MUL, PER_UNARY_GELU_LANE},
    {"exp", LATENCY_EXP, PER_UNARY_EXP_LANE},
    {"log", LATENCY_LN, PER_UNARY_LOG_LANE},
    {"sqrt", LATENCY_RSQRT + LATENCY_MUL, PER_UNARY_SQRT_LANE},
    {"reciprocal", LATENCY_RECIP, PER_UNARY_RECIPROCAL_LANE},
    {"softplus", CURVE + LATENCY_ADD, PER_UNARY_SOFTPLUS_LANE},
    {"slopes", LATENCY_MUL, PER_UNARY_SLOPES_LANE},
    {"hardsigmoid", HARD, PER_UNARY_HARDSIGMOID_LANE},
    {"hardswish", HARD + LATENCY_MUL, PER_UNARY_HARDSWISH_LANE},
};
enum { TANH = 1, SLOPES = 9 }; // numbers of functions

static int64_t function_of(const char *name) {
    for (size_t i = 0; i < COUNT_OF(table); i++)
        if (!strcmp(table[i].name, name)) return (int64_t)i;
    return SLOPES;
}

// Sets FUNCTION, and A and B for the functions that have them: for `slopes`, A is the slope for negative x and B the
// slope for other x; for hardsigmoid and hardswish, A is the slope and B the offset of the line.
static void bind(struct ir *ir, const struct ir_node *node, int k) {
    const char *name = ir_op_of(ir, node->op)->name;
    int64_t function = function_of(name);
    ir_set_int(ir, k, "FUNCTION", function);
    if (ir_fills(ir, node)) class_padding(ir, node, k);
    if (function < SLOPES) return;
    bool turns = function == SLOPES && !ir_attr_find(&node->attrs, "slope"); // abs and neg turn the sign of negative x
    double a = turns ? -1 : ir_attr_float(&node->attrs, "slope", GOLDEN_SIXTH), b = strcmp(name, "neg") ? 1 : -1;
    ir_set_float(ir, k, "A", (float)ir_attr_float(&node->attrs, "alpha", a));
    ir_set_float(ir, k, "B", (float)ir_attr_float(&node->attrs, "beta", function == SLOPES ? b : 0.5));
}

static const struct function *function_at(const struct kernel_args *a) { return &table[args_int(a, "FUNCTION", 0)]; }

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    class_pipe(c, function_at(a)->latency);
}

void class_cost_unary(int64_t function, int64_t lanes, struct cost_resources *r) {
    const struct function *f = &table[function];
    cost_per(r, lanes, f->lane);
    r->bram18 += function == TANH ? lanes : 0; // the table of tanh is the longest
    cost_per(r, 1, PER_UNARY_BASE);
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    class_cost_unary(args_int(a, "FUNCTION", 0), class_lanes(a), r);
    class_cost_padding(a, r);
}

const struct kernel_class rtl_unary = {
    .module = "rill_unary", .traits = KERNEL_FAULT, .bind = bind, .contract = contract, .cost = cost};
