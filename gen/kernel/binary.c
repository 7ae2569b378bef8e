// SPDX-License-Identifier: Apache-2.0
// Parameters, timing contract and cost of rill_binary: difference, quotient, maximum or minimum of two vectors, element
// by element. The operation's name selects the function. rill_scalar (scalar.c) uses the same table and also its sum
// and product.
#include <string.h>

#include "gen/ir/ops.h"
#include "gen/kernel/class.h"

// The functions, indexed by the parameter FUNCTION. latency: cycles; lane: term of the cost of a lane.
static const struct function {
    const char *name;
    int64_t latency;
    enum cost_term lane;
} table[] = {
    {"add", LATENCY_ADD, PER_BINARY_SUM_LANE}, {"sub", LATENCY_ADD, PER_BINARY_SUM_LANE},
    {"mul", LATENCY_MUL, PER_MUL_LANE},        {"div", LATENCY_RECIP + LATENCY_MUL, PER_BINARY_QUOTIENT_LANE},
    {"max", 1, PER_BINARY_LARGER_LANE},        {"min", 1, PER_BINARY_LARGER_LANE},
};
enum { DIV = 3 }; // number of a function

static void bind(struct ir *ir, const struct ir_node *node, int k) {
    int64_t f = 0;
    while (strcmp(table[f].name, ir_op_of(ir, node->op)->name)) f++;
    ir_set_int(ir, k, "FUNCTION", f);
    if (f == DIV) class_padding(ir, node, k);
}

int64_t class_binary_latency(int64_t function) { return table[function].latency; }

void class_cost_binary(int64_t function, int64_t lanes, struct cost_resources *r) {
    const struct function *f = &table[function];
    cost_per(r, lanes, f->lane);
    cost_per(r, 1, PER_BINARY_BASE);
}

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    class_pipe(c, CYCLES_SLICE + class_binary_latency(args_int(a, "FUNCTION", 1)));
    c->pipe.sliced = true;
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    class_cost_binary(args_int(a, "FUNCTION", 1), class_lanes(a), r);
    cost_per(r, class_lanes(a), PER_BINARY_SLICES_LANE); // the slices of both operands
    cost_per(r, 1, PER_BINARY_SLICES);
    class_cost_padding(a, r);
}

const struct kernel_class rtl_binary = {
    .module = "rill_binary", .traits = KERNEL_FAULT, .bind = bind, .contract = contract, .cost = cost};
