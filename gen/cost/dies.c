// SPDX-License-Identifier: Apache-2.0
// What lies on each die of a partitioned design, and what goes from die to die.
#include "args.h"
#include "cost.h"

enum { HANDSHAKE = 2 /* tvalid and tready */, RESULT_BITS = 128 /* a lane's integer with its scale and bias */ };

static int64_t parameter(const struct ir_kernel *k, const char *name) {
    const struct args args = {k->param, k->params};
    return args_int(&args, name, 0);
}

struct cost_resources cost_lane(const struct ir *ir, const struct ir_engine *e) {
    struct cost_resources r;
    cost_module("rill_engine_lane", ir->kernel[e->kernel].param, ir->kernel[e->kernel].params, &r);
    return r;
}

// A beat of the memory, a beat of the V tail, the result.
int64_t cost_lane_bits(const struct ir *ir, const struct ir_engine *e) {
    int64_t tail = parameter(&ir->kernel[e->kernel], "HAS_KV") ? ir->design.beat_bits : 0;
    return ir->design.beat_bits + tail + HANDSHAKE + RESULT_BITS;
}

int64_t cost_stream_bits(const struct ir *ir, const struct ir_edge *e) { return cost_edge_bits(ir, e) + HANDSHAKE; }

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
        bits += (((from > boundary) != (home > boundary)) + ((home > boundary) != (to > boundary))) * cost_stream_bits(ir, edge);
    }
    for (int i = 0; i < ir->engines; i++)
        for (int c = 0; c < ir->engine[i].channels; c++)
            if ((ir->engine[i].lane_die[c] > boundary) != (ir->kernel[ir->engine[i].kernel].die > boundary))
                bits += cost_lane_bits(ir, &ir->engine[i]);
    return bits;
}
