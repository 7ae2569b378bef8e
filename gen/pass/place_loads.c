// SPDX-License-Identifier: Apache-2.0
// place-dies: how parameters come to their stores on other dies than the memory's, the reset to all dies, and the hash
// of the logits to the token loop.
#include <stdlib.h>

#include "gen/pass/place.h"
#include "gen/ir/ir.h"
#include "gen/ir/latency.h"
#include "gen/ir/layout.h"

// A register stage on a die: the net behind it.
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
    return add_hop(ir, name, die, (int)layout_load_bits(&ir->design), from, arena_printf(ir->arena, "param_%s", name));
}

// Boundaries from the memory to a store in one direction; 0: it lies elsewhere.
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

// The stores that are `n` boundaries away, behind so many stages: whether there are any.
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

// The beats take one way for all stores of a direction, a store has stages of its own for when they are meant for it. A
// register that goes over a boundary has no other load: behind one with readers on its die stands another.
static void add_way(struct ir *ir, int home, int direction) {
    int farthest = farthest_store(ir, home, direction), stages = 0;
    int net = ir_design_net(ir, IR_NET_PARAM_LOAD_DATA);
    bool read = true;
    for (int n = 1; n <= farthest; n++) {
        int die = home + direction * n, before = die - direction;
        if (read) net = add_stage(ir, arena_printf(ir->arena, "load_leaves_%d_%d", before, die), before, net);
        stages += read;
        net = add_stage(ir, arena_printf(ir->arena, "load_way_%d", die), die, net);
        read = tell_stores(ir, home, direction, n, ++stages, net);
    }
}

// As many stages to every die as to the farthest one, the first where the token loop is: all leave the reset together.
void place_set_reset(struct ir *ir) {
    int loop = kernel_first(ir, KERNEL_LOOP), farthest = 0;
    if (loop == IR_NONE) return;
    int home = ir->kernel[loop].die;
    for (int k = 0; k < ir->kernels; k++) {
        int away = abs(ir->kernel[k].die - home), source = abs(ir_source_die(ir, k) - home); // of what it gives
        if (away > farthest) farthest = away;
        if (source > farthest) farthest = source;
    }
    if (farthest) ir_set_int(ir, loop, "RESET_WAY", IR_RESET_LEAST + farthest + 1);
}

void place_set_loads(struct ir *ir, int home) {
    add_way(ir, home, -1);
    add_way(ir, home, 1);
}

// A kernel of one input and one output on a die: the net of the output.
static int add_end(struct ir *ir, bool sends, int die, int from, const char *name) {
    int k = kernel_add(ir, name, sends ? &rtl_serializer : &rtl_deserializer, IR_NONE), net = ir_add_net(ir, name);
    ir->kernel[k].die = die;
    ir_set_int(ir, k, "DATA_W", COST_HASH_BITS);
    ir_set_int(ir, k, "SLICE_W", COST_HASH_SLICE);
    ir_add_wire(ir, k, sends ? "d" : "way", false, sends ? COST_HASH_BITS : COST_HASH_WAY, from);
    ir_add_wire(ir, k, sends ? "way" : "q", true, sends ? COST_HASH_WAY : COST_HASH_BITS, net);
    return net;
}

// In slices, from register to register, with one on each die between. The ids take longer than the way, their stream
// has as many stages; the token loop waits for the slices.
void place_set_hash(struct ir *ir) {
    enum { SLICES = CYCLES_SERIAL + COST_HASH_BITS / COST_HASH_SLICE };
    struct cost_hash hash = cost_hash(ir);
    if (hash.from == IR_NONE || ir->kernel[hash.from].die == ir->kernel[hash.to].die) return;
    int home = ir->kernel[hash.to].die, from = ir->kernel[hash.from].die, direction = from < home ? 1 : -1;
    int row = ir_design_net(ir, IR_NET_ROW_HASH), net = add_end(ir, true, from, row, "row_hash_slices");
    for (int die = from + direction; die != home; die += direction)
        net = add_hop(ir, arena_printf(ir->arena, "row_hash_way_%d", die), die, COST_HASH_WAY, net,
                      arena_printf(ir->arena, "row_hash_%d", die));
    ir_retie(ir, hash.to, row, add_end(ir, false, home, net, "row_hash_there"));
    ir_set_int(ir, hash.to, "HASH_WAIT", CYCLES_ROW_HASH + SLICES + CYCLES_LOOP_HASH);
}
