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

// A register stage on a die, for the stores there and those behind.
static const char *add_stage(struct ir *ir, int die, const char *from) {
    const char *net = arena_printf(ir->arena, "param_load_data_%d", die);
    int k = kernel_add(ir, arena_printf(ir->arena, "load_way_%d", die), &rtl_hop, IR_NONE);
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

// The beats take one way for all stores of a direction, a store has stages of its own for when they are meant for it.
static void add_way(struct ir *ir, int home, int direction, const char *net) {
    int farthest = farthest_store(ir, home, direction), kernels = ir->kernels;
    for (int n = 1; n <= farthest; n++) {
        net = add_stage(ir, home + direction * n, net);
        for (int k = 0; k < kernels; k++) {
            if (away(ir, k, home, direction) != n) continue;
            ir_set_int(ir, k, "HOPS", n + 1);
            ir->wire[load_wire(ir, k)].net = ir_net(ir, net);
        }
    }
}

// The first stage of every way is at the memory: what crosses comes from a register.
void place_set_loads(struct ir *ir, int home) {
    if (!farthest_store(ir, home, -1) && !farthest_store(ir, home, 1)) return;
    const char *net = add_stage(ir, home, "param_load_data");
    add_way(ir, home, -1, net);
    add_way(ir, home, 1, net);
}
