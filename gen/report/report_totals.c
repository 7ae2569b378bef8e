// SPDX-License-Identifier: Apache-2.0
// Computes totals of a whole design that several parts of the report show: the memory that is used, and the bits of
// FIFOs.
#include "gen/pass/pass.h"
#include "gen/report/report_parts.h"

int64_t report_channel_used(const struct ir *ir) {
    int64_t end = 0;
    for (int s = 0; s < ir->segments; s++) {
        const struct ir_segment *seg = &ir->segment[s];
        int64_t repeat = ir_segment_copies(ir, seg) - 1;
        if (seg->offset + seg->bytes + repeat * seg->layer_stride > end)
            end = seg->offset + seg->bytes + repeat * seg->layer_stride;
    }
    return end;
}

int64_t report_fifo_bits(const struct ir *ir) {
    int64_t bits = 0;
    for (int e = 0; e < ir->edges; e++)
        if (ir->edge[e].pool == IR_NONE) bits += ir->edge[e].depth * cost_edge_bits(ir, &ir->edge[e]);
    for (int k = 0; k < ir->kernels; k++) bits += cost_pool_bits(&ir->kernel[k]) + cost_spill_bits(ir, k);
    return bits;
}

struct report_uniform report_uniform_depths(const struct ir *ir) {
    struct report_uniform u = {0};
    int64_t widths = 0;
    for (int e = 0; e < ir->edges; e++) {
        const struct ir_edge *edge = &ir->edge[e];
        if (ir->kernel[edge->src_kernel].port[edge->src_port].kind == IR_STREAM_BARE) continue;
        int64_t bits = cost_edge_bits(ir, edge);
        u.safe += size_fifos_safe(ir, edge) * bits;
        if (edge->depth > u.deepest) u.deepest = edge->depth;
        widths += bits;
    }
    u.all = u.deepest * widths;
    return u;
}
