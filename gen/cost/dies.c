// SPDX-License-Identifier: Apache-2.0
// What the dies have, what lies on each of a partitioned design, and what goes from die to die.
#include "gen/kernel/args.h"
#include "include/cost.h"

enum { HANDSHAKE = 2 /* tvalid and tready */ };

struct cost_resources cost_lane(const struct ir *ir, const struct ir_engine *e) {
    const struct kernel_args args = {ir->kernel[e->kernel].param, ir->kernel[e->kernel].params};
    struct cost_resources r = {0}, front = {0};
    rtl_engine_lane.cost(&args, &r);
    rtl_lane_front.cost(&args, &front);
    cost_add(&r, &front, -1);
    return r;
}

int64_t cost_lane_bits(const struct ir *ir) { return ir->design.beat_bits + COST_LANE_RESULT_BITS; }

int64_t cost_stream_bits(const struct ir *ir, const struct ir_edge *e) { return cost_edge_bits(ir, e) + HANDSHAKE; }

struct cost_resources cost_stock(const struct ir_die *die) {
    return (struct cost_resources){
        .lut = die->lut, .ff = die->ff, .dsp = die->dsp, .bram18 = 2 * die->bram36, .uram = die->uram};
}

struct cost_resources cost_available(const struct ir *ir) {
    struct cost_resources sum = {0};
    for (int d = 0; d < ir->dies; d++) {
        struct cost_resources stock = cost_stock(&ir->die[d]);
        cost_add(&sum, &stock, 1);
    }
    return sum;
}

int cost_memory_die(const struct ir *ir) {
    for (int d = 0; d < ir->dies; d++)
        if (ir->die[d].hbm) return d;
    return 0;
}

struct cost_resources cost_die(const struct ir *ir, const struct cost_design *cost, int die) {
    struct cost_resources sum = {0};
    for (int k = 0; k < ir->kernels; k++)
        if (ir->kernel[k].die == die) cost_add(&sum, &cost->kernel[k], 1);
    for (int e = 0; e < ir->edges; e++)
        if (ir->kernel[ir->edge[e].src_kernel].die == die) cost_add(&sum, &cost->edge[e], 1);
    if (cost_memory_die(ir) == die) cost_add(&sum, &cost->memory, 1);
    for (int i = 0; i < ir->engines; i++) {
        const struct ir_engine *e = &ir->engine[i];
        struct cost_resources lane = cost_lane(ir, e);
        if (ir->kernel[e->kernel].die == die) cost_add(&sum, &lane, -e->channels);
        for (int c = 0; c < e->channels; c++)
            if (e->lane_die[c] == die) cost_add(&sum, &lane, 1);
    }
    return sum;
}

int64_t cost_boundary_bits(const struct ir *ir, int boundary) {
    int64_t bits = 0;
    for (int e = 0; e < ir->edges; e++) {
        const struct ir_edge *edge = &ir->edge[e];
        int from = ir->kernel[edge->src_kernel].die, to = ir->kernel[edge->dst_kernel].die,
            home = edge->pool == IR_NONE ? from : ir->kernel[edge->pool].die;
        bits += (((from > boundary) != (home > boundary)) + ((home > boundary) != (to > boundary))) *
                cost_stream_bits(ir, edge);
    }
    for (int i = 0; i < ir->engines; i++) {
        const struct ir_engine *e = &ir->engine[i];
        bool reached[IR_MAX_DIES] = {false};
        for (int c = 0; c < e->channels; c++) {
            int die = e->lane_die[c];
            if ((die > boundary) == (ir->kernel[e->kernel].die > boundary)) continue;
            bits +=
                cost_lane_bits(ir) + (reached[die] ? 0 : cost_lane_chain_bits(ir->design.beat_bits, ir->design.arrays));
            reached[die] = true;
        }
    }
    return bits;
}
