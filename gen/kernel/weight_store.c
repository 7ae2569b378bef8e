// SPDX-License-Identifier: Apache-2.0
// Contract, cost and memory of rill_weight_store, which keeps the weights of a matrix engine on chip. The forecast has
// no separate model of this module: the model of the engine includes the timing of the beats
// (gen/simulator/sim_client.c).
#include "gen/kernel/class.h"
#include "gen/kernel/kernel.h"

enum { DESCRIPTOR_COUNT_BITS = 16 /* bits of the number of beats in a descriptor */ };

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)a, (void)at;
    c->machine = TIMING_NONE;
}

static int64_t lanes_of(const struct kernel_args *a) { return args_int(a, "LANES", 1); }

// Adds for each lane the RAM, two output registers and the counters. In block RAM and UltraRAM, one of these registers
// is a part of the RAM. Adds for each group of lanes the registers of the beat that is stored.
static void cost(const struct kernel_args *a, struct cost_resources *r) {
    int64_t beat = class_beat_bits(a), depth = args_int(a, "DEPTH", 1), lanes = lanes_of(a),
            groups = kernel_tree_copies((int)lanes), address = log2_up(at_least(depth, 2)), pieces;
    struct cost_resources ram = cost_ram(depth, beat, args_style(a, RAM_AUTO));
    bool whole = ram.bram18 || ram.uram;
    pieces = beat / at_least(args_int(a, "LOAD_BITS", beat), 1);
    cost_add(r, &ram, lanes);
    r->ff += lanes * beat * (whole ? 1 : 2) + groups * (beat + address + DESCRIPTOR_COUNT_BITS);
    cost_per(r, lanes * (address + DESCRIPTOR_COUNT_BITS), PER_WEIGHT_LANE_BIT);
    cost_per(r, lanes, PER_WEIGHT_LANE_BASE);
    cost_per(r, 1, PER_WEIGHT_STORE_BASE);
    if (pieces > 1) r->lut += log2_up(pieces);
}

static struct cost_memory memory(const struct kernel_args *a) {
    return (struct cost_memory){.words = args_int(a, "DEPTH", 1), .bits = class_beat_bits(a), .times = lanes_of(a)};
}

const struct kernel_class rtl_weight_store = {.module = "rill_weight_store",
                                              .doc = "keeps the weights of an engine on chip, one RAM for each lane",
                                              .traits = KERNEL_STORE,
                                              .contract = contract,
                                              .cost = cost,
                                              .memory = memory};
