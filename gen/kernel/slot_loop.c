// SPDX-License-Identifier: Apache-2.0
// Timing contract and cost of rill_slot_loop, which sends the steps of several requests and collects their ids.
#include "gen/kernel/class.h"

// The stages from an id to the next step are those of rill_token_loop. The comments name the module's states.
static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    c->machine = TIMING_SLOTS;
    c->stages = 6;
    c->slots.arguments = 6;                           // S_TAKE, and S_ARGS for ARGS_WAIT + 1 cycles
    c->slots.part = 2;                                // S_PART and S_CHOOSE
    c->slots.hash = args_int(a, "HASH_WAIT", 4) + 2;  // S_HASH for HASH_WAIT + 1 cycles, and S_DECIDE
    c->slots.look = args_int(a, "DRAFTS", 0) ? 4 : 0; // S_LOOK, if the part can have no drafts
}

// The logic that this module shares with rill_token_loop is counted with that module's terms. In addition, the module
// stores the arguments and the state of each slot in LUT RAM: args_mem, run_mem (165 bits), written_mem (32 bits),
// end_mem (39 bits) and, with sampling, draw_mem. Drafts add rill_slot_drafts, count_mem and known_mem. Kept prefixes
// add prefix_mem and kept_mem. Their logic is estimated with rill_token_loop's term for prefixes. SLOT_LOOP_BASE
// estimates the control of slots and parts. verif/cost/measured.txt has no synthesis of this module.
// ARGUMENT_BITS leaves out the end ids. A word of known_mem has MATCH_IDS ids (MOST of rill_slot_drafts) and KNOWN_BITS
// further bits.
static void cost(const struct kernel_args *a, struct cost_resources *r) {
    enum { ARGUMENT_BITS = 32 * 2 + 1 + 64 * 2 + 32, STATE_BITS = 165 + 32 + 39 };
    enum { DRAW_BITS = 32 * 3 + 64, ROW_BITS = 16 + 3, COUNT_BITS = 40, KNOWN_BITS = 17 + 3, MATCH_IDS = 3 + 1 };
    int64_t ends = args_int(a, "END_IDS", 1);
    const struct cost_resources tables =
        cost_ram(args_int(a, "SLOTS", 1), ARGUMENT_BITS + 32 * ends + STATE_BITS, RAM_DISTRIBUTED);
    cost_per(r, class_beat_bits(a), PER_TOKEN_LOOP_BIT);
    cost_per(r, args_int(a, "FAULTS", 1), PER_TOKEN_LOOP_FAULT);
    cost_per(r, args_int(a, "MEMORY_ERRORS", 1), PER_TOKEN_LOOP_MEMORY_ERROR);
    cost_per(r, args_int(a, "BASES", 1), PER_TOKEN_LOOP_BASE_REGISTER);
    cost_per(r, ends - 1, PER_TOKEN_LOOP_END_ID);
    cost_per(r, 1, PER_TOKEN_LOOP_BASE);
    cost_per(r, 1, PER_SLOT_LOOP_BASE);
    cost_add(r, &tables, 1);
    if (args_int(a, "SAMPLING", 0)) { // draw_mem, draw_q, and the registers of a row
        cost_ram_add(r, args_int(a, "SLOTS", 1), DRAW_BITS, RAM_DISTRIBUTED, 1);
        r->ff += 2 * DRAW_BITS + ROW_BITS;
    }
    if (args_int(a, "DRAFTS", 0)) {
        int64_t vocabulary = args_int(a, "VOCAB", 0), id_bits = vocabulary > 1 ? log2_up(vocabulary) : 32;
        class_draft_cost(a, r);
        cost_ram_add(r, args_int(a, "SLOTS", 1), COUNT_BITS + KNOWN_BITS + MATCH_IDS * id_bits, RAM_DISTRIBUTED, 1);
    }
    if (args_int(a, "PREFIX", 0)) { // prefix_mem and kept_mem
        enum { PREFIX_BITS = 32 + 16 };
        cost_ram_add(r, args_int(a, "SLOTS", 1), PREFIX_BITS, RAM_DISTRIBUTED, 1);
        cost_per(r, 1, PER_TOKEN_LOOP_PREFIX);
    }
}

const struct kernel_class rtl_slot_loop = {.module = "rill_slot_loop",
                                           .without = "no kernel of this design reads or drives these",
                                           .doc = "runs requests of several slots: sends steps, collects ids",
                                           .traits = KERNEL_LOOP,
                                           .contract = contract,
                                           .cost = cost};
