// SPDX-License-Identifier: Apache-2.0
// size-fifos: the depth of every edge by a safe rule. Paths that part at a fork meet again, and firings wait at multiplexers for their turn,
// so the streams there hold a whole tensor; everywhere else two words keep full throughput.
#include <string.h>

#include "pass.h"
#include "ports.h"

enum { DEPTH_PLAIN = 2, DEPTH_STEP = 4, DEPTH_SLACK = 2 };

static bool is_module(const struct ir *ir, int kernel, const char *module) { return !strcmp(ir->kernel[kernel].module, module); }

static int64_t tensor_words(const struct ir *ir, const struct ir_port *port) {
    int64_t firings = port->tensor == IR_NONE ? 1 : ports_firings(ir, port->tensor);
    return ports_firing_words(port) * firings;
}

static int64_t edge_depth(const struct ir *ir, const struct ir_edge *edge) {
    const struct ir_port *from = &ir->kernel[edge->src_kernel].port[edge->src_port], *to = &ir->kernel[edge->dst_kernel].port[edge->dst_port];
    if (to->data_bits == 64 && to->kind == IR_STREAM_BARE) return DEPTH_STEP;
    bool waits = is_module(ir, edge->src_kernel, "rill_fork") || is_module(ir, edge->dst_kernel, "rill_stream_mux") ||
                 is_module(ir, edge->src_kernel, "rill_stream_demux");
    if (!waits || from->kind == IR_STREAM_BARE) return DEPTH_PLAIN;
    int64_t a = tensor_words(ir, from), b = tensor_words(ir, to);
    return (a > b ? a : b) + DEPTH_SLACK;
}

bool pass_size_fifos(struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    (void)spec;
    (void)diag;
    for (int e = 0; e < ir->edges; e++) {
        struct ir_edge *edge = &ir->edge[e];
        edge->depth = is_module(ir, edge->dst_kernel, "rill_fork") ? DEPTH_PLAIN : edge_depth(ir, edge);
    }
    return true;
}
