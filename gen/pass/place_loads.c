// SPDX-License-Identifier: Apache-2.0
// Part of place-dies (place.h): inserts register stages into the plain nets that cross dies, namely the load bus to
// parameter stores and the hash of the logits, and sets the number of stages of the reset.
#include <stdlib.h>

#include "gen/pass/place.h"
#include "gen/ir/ir.h"
#include "gen/ir/latency.h"
#include "gen/ir/layout.h"

// Adds a register stage on a die and returns the net after it. from: net before it; to: name of the net after it.
static int add_hop(struct ir *ir, const char *name, int die, int bits, int from, const char *to) {
    int k = kernel_add(ir, name, &rtl_hop, IR_NONE);
    ir->kernel[k].die = die;
    ir_set_int(ir, k, "DATA_W", bits);
    ir_set_int(ir, k, "STAGES", 1);
    int net = ir_add_net(ir, to);
    ir_add_wire(ir, k, "d", false, bits, from);
    ir_add_wire(ir, k, "q", true, bits, net);
    return net;
}

// Adds a register stage of the load bus and returns the net after it. name: of the stage and of this net.
static int add_stage(struct ir *ir, const char *name, int die, int from) {
    return add_hop(ir, name, die, (int)layout_load_bits(&ir->design), from, name);
}

// Returns the number of boundaries from the memory's die, `home`, to a store in one direction (1 or -1). 0: the kernel
// is not a store, or not in that direction.
static int away(const struct ir *ir, int kernel, int home, int direction) {
    int boundaries = direction * (ir->kernel[kernel].die - home);
    return kernel_is(&ir->kernel[kernel], KERNEL_STORE) && boundaries > 0 ? boundaries : 0;
}

// Returns the number of boundaries to the farthest store in one direction; 0 if there is none.
static int farthest_store(const struct ir *ir, int home, int direction) {
    int farthest = 0;
    for (int k = 0; k < ir->kernels; k++)
        if (away(ir, k, home, direction) > farthest) farthest = away(ir, k, home, direction);
    return farthest;
}

// Connects the stores that are `n` boundaries away to `net`, the load bus after `stages` register stages. Returns
// whether there are such stores.
static bool tell_stores(struct ir *ir, int home, int direction, int n, int stages, int net) {
    bool any = false;
    for (int k = 0; k < ir->kernels; k++) {
        if (away(ir, k, home, direction) != n) continue;
        ir_set_int(ir, k, "HOPS", stages);
        ir_retie(ir, k, ir_design_net(ir, IR_NET_PARAM_LOAD_DATA), net);
        any = true;
    }
    return any;
}

// Adds the register stages of the load bus in one direction. All stores in this direction share the stages of the data.
// Each store delays the signal that selects it by its parameter HOPS. A register that drives a die boundary must have
// no other load. So on a die with stores, a second register drives the next boundary.
static void add_way(struct ir *ir, int home, int direction) {
    int farthest = farthest_store(ir, home, direction), stages = 0;
    int net = ir_design_net(ir, IR_NET_PARAM_LOAD_DATA);
    bool read = true;
    for (int n = 1; n <= farthest; n++) {
        int die = home + direction * n, before = die - direction;
        if (read) net = add_stage(ir, arena_printf(ir->arena, "param_load_to_%d_out", die), before, net);
        stages += read;
        net = add_stage(ir, arena_printf(ir->arena, "param_load_to_%d_in", die), die, net);
        read = tell_stores(ir, home, direction, n, ++stages, net);
    }
}

// Sets the number of register stages of the reset. The reset reaches every die after as many stages as the farthest
// one, so that all dies leave reset in the same cycle.
void place_set_reset(struct ir *ir) {
    int loop = kernel_first(ir, KERNEL_LOOP), farthest = 0;
    if (loop == IR_NONE) return;
    int home = ir->kernel[loop].die;
    for (int k = 0; k < ir->kernels; k++) {
        // source: boundaries to the die of the kernel's outputs, which for an engine may be another one
        int away = abs(ir->kernel[k].die - home), source = abs(ir_source_die(ir, k) - home);
        if (away > farthest) farthest = away;
        if (source > farthest) farthest = source;
    }
    if (farthest) ir_set_int(ir, loop, "RESET_WAY", IR_RESET_LEAST + farthest + 1);
}

void place_set_loads(struct ir *ir, int home) {
    add_way(ir, home, -1);
    add_way(ir, home, 1);
}

// Adds the sending or receiving end of the hash on a die, and returns the net of its output.
static int add_end(struct ir *ir, const struct cost_hash *hash, bool sends, int die, int from, const char *name) {
    int k = kernel_add(ir, name, sends ? &rtl_serializer : &rtl_deserializer, IR_NONE), net = ir_add_net(ir, name);
    ir->kernel[k].die = die;
    int bits = hash->rows * COST_HASH_BITS;
    ir_set_int(ir, k, "DATA_W", bits);
    ir_set_int(ir, k, "SLICE_W", hash->rows * COST_HASH_SLICE);
    ir_add_wire(ir, k, sends ? "d" : "way", false, sends ? bits : hash->way, from);
    ir_add_wire(ir, k, sends ? "way" : "q", true, sends ? hash->way : bits, net);
    return net;
}

// Sends the hash of the logits to the token loop in slices, with one register on each die in between. The stream of ids
// crosses the same dies with at least as many stages. So after an id the token loop waits only for the slices of its
// hash (HASH_WAIT, in cycles).
void place_set_hash(struct ir *ir) {
    enum { SLICES = CYCLES_SERIAL + COST_HASH_BITS / COST_HASH_SLICE };
    struct cost_hash hash = cost_hash(ir);
    if (hash.from == IR_NONE || ir->kernel[hash.from].die == ir->kernel[hash.to].die) return;
    int home = ir->kernel[hash.to].die, from = ir->kernel[hash.from].die, direction = from < home ? 1 : -1;
    int row = ir_design_net(ir, IR_NET_ROW_HASH), net = add_end(ir, &hash, true, from, row, "row_hash_slices");
    for (int die = from + direction; die != home; die += direction)
        net = add_hop(ir, arena_printf(ir->arena, "row_hash_way_%d", die), die, hash.way, net,
                      arena_printf(ir->arena, "row_hash_%d", die));
    ir_retie(ir, hash.to, row, add_end(ir, &hash, false, home, net, "row_hash_arrived"));
    ir_set_int(ir, hash.to, "HASH_WAIT", CYCLES_ROW_HASH + SLICES + CYCLES_LOOP_HASH);
}
