// SPDX-License-Identifier: Apache-2.0
// size-fifos: the depth of every edge, from the kernels' timing contracts (gen/timing/depths.c).
//
// The safe rule bounds it: paths that part at a fork meet again, and firings wait at multiplexers for their turn, so
// the streams there hold a whole tensor; everywhere else two words keep full throughput, unless simulated steps come to
// a halt. It stays where the spec asks for it or a kernel has no contract.
#include <string.h>

#include "cost.h"
#include "cost/args.h"
#include "pass.h"
#include "ports.h"
#include "timing/depths.h"

enum { DEPTH_PLAIN = 2, DEPTH_STEP = 4, DEPTH_SLACK = 2 };

static bool is_module(const struct ir *ir, int kernel, const char *module) {
    return !strcmp(ir->kernel[kernel].module, module);
}

static int64_t tensor_words(const struct ir *ir, const struct ir_port *port) {
    int64_t firings = port->tensor == IR_NONE ? 1 : ports_ends(ir, port->tensor);
    return ports_firing_words(port) * firings;
}

// A layout converter that takes in whole tensors stores them in the order in which they come, as the FIFO before it
// would: one buffer serves both. A width converter may stand between.
static bool is_folded(const struct ir *ir, const struct ir_edge *edge) {
    int k = edge->dst_kernel;
    for (int p = 0; is_module(ir, k, "rill_width_converter") && p < ir->kernel[k].ports; p++)
        if (ir->kernel[k].port[p].is_output && ir->kernel[k].port[p].edge != IR_NONE) {
            k = ir->edge[ir->kernel[k].port[p].edge].dst_kernel;
            break;
        }
    return (is_module(ir, k, "rill_layout_converter") || is_module(ir, k, "rill_corner_turn")) &&
           ir_param_int(&ir->kernel[k], "ROUNDS", 0) == 1;
}

int64_t size_fifos_safe(const struct ir *ir, const struct ir_edge *edge) {
    const struct ir_port *from = &ir->kernel[edge->src_kernel].port[edge->src_port],
                         *to = &ir->kernel[edge->dst_kernel].port[edge->dst_port];
    if (is_module(ir, edge->dst_kernel, "rill_fork")) return DEPTH_PLAIN;
    if (to->data_bits == 64 && to->kind == IR_STREAM_BARE) return DEPTH_STEP;
    if (is_module(ir, edge->src_kernel, "rill_spill") || is_module(ir, edge->dst_kernel, "rill_spill"))
        return DEPTH_PLAIN; // it keeps the firing
    bool waits = edge->whole || is_module(ir, edge->src_kernel, "rill_fork") ||
                 is_module(ir, edge->dst_kernel, "rill_stream_mux") ||
                 is_module(ir, edge->src_kernel, "rill_stream_demux");
    if (from->kind == IR_STREAM_BARE || (!edge->crosses && (!waits || is_folded(ir, edge)))) return DEPTH_PLAIN;
    int64_t a = tensor_words(ir, from), b = tensor_words(ir, to);
    return (edge->crosses > 1 ? 2 : 1) * (a > b ? a : b) + DEPTH_SLACK;
}

static int64_t bits_of(const struct ir *ir, const struct timing_depth *depth) {
    int64_t bits = 0;
    for (int e = 0; e < ir->edges; e++)
        if (!ir->edge[e].crosses) bits += depth[e].depth * cost_edge_bits(ir, &ir->edge[e]);
    return bits;
}

static bool find_depths(struct ir *ir, struct timing_depth *depth, const char **missing) {
    if (!timing_depths(ir, depth, missing)) return false;
    if (strcmp(ir->design.fifo, "conservative") != 0) return true;
    int64_t timed = bits_of(ir, depth);
    if (!timing_conservative(ir, depth, missing)) return false;
    ir->design.strategy = arena_printf(ir->arena, "conservative: %lld bits, %lld by timed depths",
                                       (long long)bits_of(ir, depth), (long long)timed);
    return true;
}

// False: the depths stay as they are.
static bool size_by_contracts(struct ir *ir) {
    struct timing_depth *depth = ARENA_ARRAY(ir->arena, struct timing_depth, (size_t)ir->edges + 1);
    const char *missing = NULL;
    for (int e = 0; e < ir->edges; e++) depth[e].depth = ir->edge[e].depth;
    bool sized = find_depths(ir, depth, &missing);
    for (int e = 0; e < ir->edges; e++) {
        struct ir_edge *edge = &ir->edge[e];
        if (!sized) {
            if (edge->depth > DEPTH_PLAIN)
                edge->forced_by =
                    missing ? arena_printf(ir->arena, "safe rule: %s has no timing contract", missing) : "safe rule";
            continue;
        }
        if (edge->crosses) { // its reader's group begins when its writer's is over
            edge->forced_by = "from group to group";
            continue;
        }
        edge->depth = depth[e].depth;
        edge->delay = depth[e].delay;
        edge->forced_by = depth[e].forced_by;
    }
    return sized;
}

void pass_safe_depths(struct ir *ir) {
    for (int e = 0; e < ir->edges; e++) {
        struct ir_edge *edge = &ir->edge[e];
        edge->depth = size_fifos_safe(ir, edge);
    }
}

// What the rule does not see: a kernel whose results go to two readers, one behind an engine's product and one that
// waits for a later product, holds the engine up. So steps are simulated: streams that are full when the graph comes to
// a halt hold a whole tensor, until it goes on. NULL, or where it halts even then. *deepened: some are deeper now.
static const char *ensure_progress(struct ir *ir, bool *deepened) {
    bool *full = ARENA_ARRAY(ir->arena, bool, (size_t)ir->edges + 1);
    const char *stuck = NULL;
    *deepened = false;
    for (bool deeper = true; deeper && !timing_progress(ir, &stuck, full) && stuck;) {
        deeper = false;
        for (int e = 0; e < ir->edges; e++) {
            struct ir_edge *edge = &ir->edge[e];
            int64_t before = edge->depth;
            if (!full[e] || edge->whole) continue;
            edge->whole = 1;
            edge->depth = at_least(before, size_fifos_safe(ir, edge));
            deeper |= edge->depth > before;
        }
        *deepened |= deeper;
        if (!deeper) return stuck;
    }
    return NULL;
}

bool pass_size_fifos(struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    bool by_rule = !strcmp(ir->design.fifo, "safe"), deepened;
    pass_safe_depths(ir);
    bool sized = !by_rule && size_by_contracts(ir);
    const char *stuck = ensure_progress(ir, &deepened);
    if (stuck) {
        diag_error(diag, spec ? spec_place(spec, "design.fifo") : loc_none(),
                   "the graph comes to a halt with FIFOs that hold whole tensors: %s", stuck);
        return false;
    }
    if (!by_rule && !sized && deepened) size_by_contracts(ir);
    return true;
}
