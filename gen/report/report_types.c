// SPDX-License-Identifier: Apache-2.0
// Prints the itensor type of every stream, for `rill types SPEC`. If writer and reader have different types, a stream
// has two lines of types.
#include "gen/report/design_report.h"

#include "gen/ir/itensor.h"

static void add_end(const struct ir *ir, int kernel, const struct ir_port *port, struct text *out) {
    text_addf(out, "%s%s%s", ir->kernel[kernel].name, *port->name ? "." : "", port->name);
    if (port->index != IR_NONE) text_addf(out, "[%d]", port->index);
}

static void add_type(struct ir *ir, const struct ir_port *port, struct text *out) {
    if (port->type.loops == 0 && port->type.rank == 0)
        text_addf(out, "  %lld bits, no tensor\n", (long long)port->data_bits);
    else text_addf(out, "  %s\n", ir_type_text(ir, &port->type));
}

void design_report_types(struct ir *ir, struct text *out) {
    for (int e = 0; e < ir->edges; e++) {
        const struct ir_edge *edge = &ir->edge[e];
        const struct ir_port *from = &ir->kernel[edge->src_kernel].port[edge->src_port],
                             *to = &ir->kernel[edge->dst_kernel].port[edge->dst_port];
        add_end(ir, edge->src_kernel, from, out);
        text_add(out, " -> ");
        add_end(ir, edge->dst_kernel, to, out);
        text_add(out, "\n");
        add_type(ir, from, out);
        if (from->type.rank && to->type.rank && !itensor_equal(&from->type, &to->type)) add_type(ir, to, out);
    }
}
