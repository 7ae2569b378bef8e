// SPDX-License-Identifier: Apache-2.0
// allocate-memories: what a FIFO is built of, by depth and shape (UltraScale+: LUTRAM of 64 words, BRAM36 of 512 x 72, URAM of 4096 x 72).
// No SRLs: a wide shift register moves every bit in every cycle, in the device and in simulation.
#include "pass.h"

static const char *ram_style(int64_t depth, int64_t bits) {
    if (depth * bits <= 16384 || depth <= 64) return "distributed";
    return depth >= 2048 ? "ultra" : "block";
}

bool pass_allocate_memories(struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    (void)spec;
    (void)diag;
    for (int e = 0; e < ir->edges; e++) {
        struct ir_edge *edge = &ir->edge[e];
        const struct ir_port *from = &ir->kernel[edge->src_kernel].port[edge->src_port];
        edge->ram_style = ram_style(edge->depth, from->data_bits);
    }
    return true;
}
