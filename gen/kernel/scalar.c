// SPDX-License-Identifier: Apache-2.0
// Parameters, contract and cost of rill_scalar, which combines each element with a constant number. golden_scalar_of
// replaces x - VALUE by an addition of -VALUE, and x / VALUE by a multiplication with 1 / VALUE in fp32, because a
// divider is larger and slower than a multiplier. With the number first (VALUE - x, VALUE / x; FIRST = 1), this is not
// possible.
#include "gen/ir/ops.h"
#include "gen/kernel/class.h"
#include "gen/numerics/numerics.h" // golden_scalar: the same constants in the replay

static void bind(struct ir *ir, const struct ir_node *node, int k) {
    struct golden_scalar s =
        golden_scalar_of(ir_attr_choice(&node->attrs, "function", SPEC_ADD), ir_attr_float(&node->attrs, "value", 0));
    ir_set_int(ir, k, "FUNCTION", s.function);
    ir_set_float(ir, k, "VALUE", s.value);
    if (s.first) ir_set_int(ir, k, "FIRST", 1);
    if (ir_fills(ir, node)) class_padding(ir, node, k); // keeps the padding of the last word +0
}

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    class_pipe(c, class_binary_latency(args_int(a, "FUNCTION", 0)));
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    class_cost_binary(args_int(a, "FUNCTION", 0), class_lanes(a), r);
    class_cost_padding(a, r);
}

const struct kernel_class rtl_scalar = {
    .module = "rill_scalar", .traits = KERNEL_FAULT, .bind = bind, .contract = contract, .cost = cost};
