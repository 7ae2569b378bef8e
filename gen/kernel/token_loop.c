// SPDX-License-Identifier: Apache-2.0
// Contract and cost of rill_token_loop, the state machine that runs a request: it sends the steps, collects the
// generated ids, and ends the request.
#include "gen/ir/latency.h"
#include "gen/kernel/class.h"
#include "gen/kernel/kernel.h"

// A decode step begins six stages after the id of the previous step: ring, decision, step, id, check, send.
static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)a, (void)at;
    c->machine = TIMING_LOOP;
    c->stages = 6;
}

enum { LOOKUP_WAYS = 8 /* ids that rill_draft_lookup and rill_slot_drafts compare in a cycle */ };
static int64_t lookup_rows(int64_t ids) { return (ids + LOOKUP_WAYS - 1) / LOOKUP_WAYS; }

// Adds rill_draft_list: its ids, the two ends of each slot's list, and its logic. The terms come from syntheses by
// `verif/cost/measure.sh rill_draft_list SLOTS=1 CONTEXT=1024 VOCAB=50257 ID_W=16`, with DRAFTS=3 (770 LUTs, 179
// flip-flops) and DRAFTS=7 (1058, 243). With SLOTS=4 and DRAFTS=3 there are 491 and 185, so they are an upper bound.
static void add_list_cost(const struct kernel_args *a, int64_t bits, struct cost_resources *r) {
    enum { END_BITS = 17 };
    int64_t slots = args_int(a, "SLOTS", 1);
    cost_per(r, args_int(a, "DRAFTS", 0) * bits, PER_DRAFT_LIST_ID_BIT);
    cost_per(r, 1, PER_DRAFT_LIST_BASE);
    cost_ram_add(r, slots * args_int(a, "CONTEXT", 1), bits, RAM_AUTO, 1);
    cost_ram_add(r, slots, 2 * END_BITS, RAM_DISTRIBUTED, 1);
}

// The terms come from one synthesis, which verif/cost/measured.txt does not have: with CONTEXT=1024, ID_W=16 and
// DRAFTS=3, rill_drafts takes 1973 LUTs and 520 flip-flops. rill_slot_drafts is smaller, so for it they are an upper
// bound.
void class_draft_cost(const struct kernel_args *a, struct cost_resources *r) {
    int64_t vocabulary = args_int(a, "VOCAB", 0);
    int64_t bits = vocabulary > 1 ? u64_clog2((uint64_t)vocabulary) : 32;
    if (!args_int(a, "DRAFTS", 0)) return;
    int64_t rows = args_int(a, "SLOTS", 1) * lookup_rows(args_int(a, "CONTEXT", 1) + 1);
    cost_per(r, bits, PER_DRAFTS_ID_BIT);
    cost_per(r, 1, PER_DRAFTS_BASE);
    cost_ram_add(r, rows, bits, RAM_AUTO, LOOKUP_WAYS);
    if (args_int(a, "LIST", 0)) add_list_cost(a, bits, r);
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    cost_per(r, class_beat_bits(a), PER_TOKEN_LOOP_BIT);
    cost_per(r, args_int(a, "FAULTS", 1), PER_TOKEN_LOOP_FAULT);
    cost_per(r, args_int(a, "MEMORY_ERRORS", 1), PER_TOKEN_LOOP_MEMORY_ERROR); // selects one of their addresses
    cost_per(r, args_int(a, "BASES", 1), PER_TOKEN_LOOP_BASE_REGISTER);
    cost_per(r, args_int(a, "END_IDS", 1) - 1, PER_TOKEN_LOOP_END_ID);
    cost_per(r, args_int(a, "PREFIX", 0), PER_TOKEN_LOOP_PREFIX);
    cost_per(r, 1, PER_TOKEN_LOOP_BASE);
    class_draft_cost(a, r);
}

// Returns the cycles before a lookup in which the host's list is found to have no drafts.
static int64_t list_cycles(const struct ir *ir) { return ir->design.host_drafts ? CYCLES_DRAFT_LIST : 0; }

int64_t kernel_lookup_cycles(const struct ir *ir, int64_t ids) {
    return list_cycles(ir) + lookup_rows(ids) + ir->design.drafts + CYCLES_DRAFTS;
}

// A lookup that finds nothing ends with its last row, without the stages that read the drafts.
int64_t kernel_slot_lookup_cycles(const struct ir *ir, int64_t ids, bool found) {
    enum { DRAFT_STAGES = 3 };
    return list_cycles(ir) + lookup_rows(ids) + CYCLES_SLOT_DRAFTS + (found ? ir->design.drafts : -DRAFT_STAGES);
}

int kernel_reset_way(const struct ir_kernel *k) {
    const struct kernel_args a = args_of(k);
    return (int)args_int(&a, "RESET_WAY", IR_RESET_LEAST);
}

const struct kernel_class rtl_token_loop = {.module = "rill_token_loop",
                                            .without = "no kernel of this design reads or drives these",
                                            .doc = "runs requests: sends steps, collects ids, stops at faults",
                                            .traits = KERNEL_LOOP,
                                            .contract = contract,
                                            .cost = cost};
