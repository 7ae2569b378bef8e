// SPDX-License-Identifier: Apache-2.0
// insert-converters: adds a width converter to an edge if its two ends differ in the number of elements per word, and
// to every edge after an engine, whose words have a varying number of elements (IR_STREAM_COUNTED: tcount tells it).
// Any other edge stays a plain FIFO if both ends have one dtype; otherwise the pass reports an error. The order of
// elements is not compared: where the orders differ, insert-layouts has already added a layout converter.
#include "gen/kernel/kernel.h"
#include "gen/pass/pass.h"
#include "gen/kernel/ports.h"

static bool is_typed(const struct ir_port *port) { return port->type.loops > 0; }

// Returns whether the loops walk the same dimensions, and the number of elements per word differs. The trips and steps
// of the loops need not be compared, because they follow from the data and from this number.
static bool only_width_differs(const struct ir_itensor *a, const struct ir_itensor *b) {
    if (a->dtype != b->dtype || a->rank != b->rank || a->loops != b->loops) return false;
    for (int d = 0; d < a->rank; d++)
        if (a->map[d] != b->map[d]) return false;
    return a->element[a->rank - 1] != b->element[b->rank - 1];
}

// Adds a width converter between the two ends of edge e.
static void insert_width_converter(struct ir *ir, int e) {
    struct ir_edge edge = ir->edge[e];
    struct ir_port from = ir->kernel[edge.src_kernel].port[edge.src_port],
                   to = ir->kernel[edge.dst_kernel].port[edge.dst_port];
    int k = kernel_add(ir, arena_printf(ir->arena, "%s_width", ir->kernel[edge.src_kernel].name), &rtl_width_converter,
                       IR_NONE);
    ir_set_int(ir, k, "IN_ELEMS", itensor_tile(&from.type));
    ir_set_int(ir, k, "OUT_ELEMS", itensor_tile(&to.type));
    ir_set_int(ir, k, "ELEM_W", 32); // fp32
    ir_set_int(ir, k, "TOKENS", from.tokens ? from.tokens : ir->design.tokens);
    int s = ports_add_like(ir, k, "", false, &from), m = ports_add_like(ir, k, "", true, &to);
    ir->edge[e].dst_kernel = k;
    ir->edge[e].dst_port = s;
    ir_name_edge(ir, e);
    ir->kernel[k].port[s].edge = e;
    ir_connect(ir, k, m, edge.dst_kernel, edge.dst_port);
}

bool pass_insert_converters(struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    (void)spec;
    int edges = ir->edges; // each converter adds an edge, which needs no other converter
    for (int e = 0; e < edges; e++) {
        const struct ir_edge *edge = &ir->edge[e];
        const struct ir_port *from = &ir->kernel[edge->src_kernel].port[edge->src_port],
                             *to = &ir->kernel[edge->dst_kernel].port[edge->dst_port];
        if (!is_typed(from) || !is_typed(to)) continue;
        if (from->kind == IR_STREAM_COUNTED || only_width_differs(&from->type, &to->type)) {
            insert_width_converter(ir, e);
            continue;
        }
        if (from->type.dtype == to->type.dtype) continue;
        diag_error(diag, loc_none(), MSG_EDGE_TYPES, edge->name, ir_type_text(ir, &from->type),
                   ir_type_text(ir, &to->type));
        return false;
    }
    return true;
}
