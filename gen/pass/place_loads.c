// SPDX-License-Identifier: Apache-2.0
// place-dies: how parameters come to their stores on other dies than the memory's.
#include <stdlib.h>
#include <string.h>

#include "gen/pass/place.h"
#include "include/ir_param.h"

static int load_wire(const struct ir *ir, int kernel) {
    for (int w = 0; w < ir->wires; w++)
        if (ir->wire[w].kernel == kernel && !strcmp(ir->wire[w].port, "load_data")) return w;
    base_fatal("place-dies: kernel %s has no parameters to load", ir->kernel[kernel].name);
}

// A register stage on a die.
static const char *add_stage(struct ir *ir, const char *name, int die, const char *from) {
    const char *net = arena_printf(ir->arena, "param_%s", name);
    int k = kernel_add(ir, name, &rtl_hop, IR_NONE);
    ir->kernel[k].die = die;
    ir_set_int(ir, k, "DATA_W", ir->design.beat_bits);
    ir_set_int(ir, k, "STAGES", 1);
    ir_add_wire(ir, k, "d", false, ir->design.beat_bits, from);
    ir_add_wire(ir, k, "q", true, ir->design.beat_bits, net);
    return net;
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
static bool tell_stores(struct ir *ir, int home, int direction, int n, int stages, const char *net) {
    bool any = false;
    for (int k = 0; k < ir->kernels; k++) {
        if (away(ir, k, home, direction) != n) continue;
        ir_set_int(ir, k, "HOPS", stages);
        ir->wire[load_wire(ir, k)].net = ir_net(ir, net);
        any = true;
    }
    return any;
}

// The beats take one way for all stores of a direction, a store has stages of its own for when they are meant for it. A
// register that goes over a boundary has no other load: behind one with readers on its die stands another.
static void add_way(struct ir *ir, int home, int direction) {
    int farthest = farthest_store(ir, home, direction), stages = 0;
    const char *net = "param_load_data";
    bool read = true;
    for (int n = 1; n <= farthest; n++) {
        int die = home + direction * n, before = die - direction;
        if (read) net = add_stage(ir, arena_printf(ir->arena, "load_leaves_%d_%d", before, die), before, net);
        stages += read;
        net = add_stage(ir, arena_printf(ir->arena, "load_way_%d", die), die, net);
        read = tell_stores(ir, home, direction, n, ++stages, net);
    }
}

void place_set_loads(struct ir *ir, int home) {
    add_way(ir, home, -1);
    add_way(ir, home, 1);
}
