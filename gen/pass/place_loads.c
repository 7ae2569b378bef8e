// SPDX-License-Identifier: Apache-2.0
// Part of place-dies: how parameters reach stores on other dies than the memory's, how the reset reaches all dies, and
// how the hash of the logits reaches the token loop.
#include <stdlib.h>

#include "gen/pass/place.h"
#include "gen/ir/ir.h"
#include "gen/ir/latency.h"
#include "gen/ir/layout.h"

// Adds a register stage on a die and returns the net after it.
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

static int add_stage(struct ir *ir, const char *name, int die, int from) {
    return add_hop(ir, name, die, (int)layout_load_bits(&ir->design), from, name);
}

// Boundaries from the memory's die to a store's die in one direction (1 or -1). 0: the kernel is no store, or is not in
// that direction.
static int away(const struct ir *ir, int kernel, int home, int direction) {
    int boundaries = direction * (ir->kernel[kernel].die - home);
    return kernel_is(&ir->kernel[kernel], KERNEL_STORE) && boundaries > 0 ? boundaries : 0;
}

static int farthest_store(const struct ir *ir, int home, int direction) {
    int farthest = 0;
    for (int k = 0; k < ir->kernels; k++)
        if (away(ir, k, home, direction) > farthest) farthest = away(ir, k, home, direction);
    return farthest;
}

// Connects the stores that are `n` boundaries away to `net`, which is so many register stages after the loader. Returns
// whether there are any.
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

// Adds the path in one direction. All its stores share one path for the beats. Each store has separate stages for the
// signal that addresses it. A register that drives a die boundary has no other load. So if a die has readers, a second
// register drives the next boundary.
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

// Sets the number of reset stages. Every die has as many as the farthest one, with the first of them at the token loop,
// so that all dies leave reset together.
void place_set_reset(struct ir *ir) {
    int loop = kernel_first(ir, KERNEL_LOOP), farthest = 0;
    if (loop == IR_NONE) return;
    int home = ir->kernel[loop].die;
    for (int k = 0; k < ir->kernels; k++) {
        int away = abs(ir->kernel[k].die - home), source = abs(ir_source_die(ir, k) - home); // die of its output
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

// Sends the hash in slices from register to register, with one register on each die in between. The stream of ids
// crosses the same dies with at least as many stages, so the token loop has to wait only for the slices (HASH_WAIT).
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
