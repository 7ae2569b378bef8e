// SPDX-License-Identifier: Apache-2.0
// Parameters, timing contract and cost of rill_reduce, which finds the maximum, the minimum or the exact sum of
// elements, either in each lane alone or across all lanes.
#include "gen/ir/ops.h"
#include "gen/kernel/class.h"
#include "gen/numerics/numerics.h" // golden_reduce_scale: the same constant in the replay

enum { MAX, MIN, SUM }; // values of the parameter FUNCTION

static void bind(struct ir *ir, const struct ir_node *node, int k) {
    int kind = ir_attr_choice(&node->attrs, "kind", SPEC_KIND_MAX);
    struct ir_reduction r;
    ir_reduction(ir, node, &r);
    ir_set_int(ir, k, "FUNCTION", kind < SUM ? kind : SUM);
    if (r.across) ir_set_int(ir, k, "N", r.count);
    else {
        ir_set_int(ir, k, "ROUNDS", r.count);
        ir_set_int(ir, k, "WORDS", r.keep / ir_node_lanes(ir, (int)(node - ir->node)));
    }
    if (kind >= SUM) ir_set_float(ir, k, "SCALE", golden_reduce_scale(kind, (size_t)r.count));
}

static bool is_sum(const struct kernel_args *a) { return args_int(a, "FUNCTION", MAX) == SUM; }
static bool is_across(const struct kernel_args *a) { return args_int(a, "N", 0) > 0; }
static int64_t words(const struct kernel_args *a) { return is_across(a) ? 1 : args_int(a, "WORDS", 1); }

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    int64_t rounds = is_across(a) ? class_chunks(a) : args_int(a, "ROUNDS", 1);
    (void)at;
    c->machine = TIMING_SIEVE;
    c->stages =
        (is_sum(a) ? LATENCY_TO_FIXED + LATENCY_FROM_INT + LATENCY_MUL : 3) + 1 + (is_across(a) ? class_levels(a) : 0);
    c->sieve = (struct timing_sieve){.rounds = rounds, .words = words(a), .first = rounds - 1, .step = 1, .count = 1};
}

// Returns whether the factor of a sum or mean (SCALE) needs multipliers. A power of two does not.
static bool has_multipliers(const struct kernel_args *a) { return args_address(a, "SCALE") & 0x7fffff; }

// Adds the accumulators of `bits` bits: one for each lane, word and token.
static void accumulators(const struct kernel_args *a, int64_t bits, struct cost_resources *r) {
    struct cost_resources ram = cost_ram(words(a) * class_tokens(a), bits, RAM_AUTO);
    cost_add(r, &ram, class_lanes(a));
    if (!ram.bram18) r->ff += class_lanes(a) * bits;
}

void class_cost_sum(const struct kernel_args *a, struct cost_resources *r) {
    int64_t lanes = class_lanes(a), outs = is_across(a) ? 1 : lanes, nodes = is_across(a) ? lanes - 1 : 0;
    accumulators(a, 60, r);
    cost_per(r, lanes, PER_REDUCE_SUM_LANE);
    cost_per(r, nodes, PER_REDUCE_SUM_NODE);
    cost_per(r, outs, PER_REDUCE_SUM_RESULT);
    cost_per(r, has_multipliers(a) ? outs : 0, PER_REDUCE_FACTOR);
    cost_per(r, 1, PER_REDUCE_BASE);
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    int64_t lanes = class_lanes(a), outs = is_across(a) ? 1 : lanes, nodes = is_across(a) ? lanes - 1 : 0;
    if (is_sum(a)) class_cost_sum(a, r);
    else {
        accumulators(a, 32, r);
        cost_per(r, lanes, PER_REDUCE_BOUND_LANE);
        cost_per(r, nodes, PER_REDUCE_BOUND_NODE);
        cost_per(r, outs, PER_REDUCE_BOUND_RESULT);
        cost_per(r, 1, PER_REDUCE_BASE);
    }
}

// Returns the number of consecutive elements in the stream that must fill whole words; 0 for a single vector, which may
// end with a partial word.
static int64_t whole(const struct ir *ir, const struct ir_node *node) {
    const struct ir_tensor *in = &ir->tensor[node->in[0]];
    struct ir_reduction r;
    if (!ir_reduction(ir, node, &r) || (r.across && r.groups == 1)) return 0;
    return r.every ? r.every : in->shape[r.order[in->rank - 1]].bound;
}

const struct kernel_class rtl_reduce = {
    .module = "rill_reduce", .traits = KERNEL_FAULT, .bind = bind, .contract = contract, .cost = cost, .whole = whole};
