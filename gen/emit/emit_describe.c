// SPDX-License-Identifier: Apache-2.0
// What the emitted top says of itself: how to read it, which operations a kernel computes, what a stream carries.
#include <string.h>

#include "gen/emit/emit.h"
#include "gen/kernel/kernel.h"
#include "gen/ir/ops.h"

// ---- streams ----

void emit_describe_stream(const struct ir *ir, const struct ir_edge *e, struct text *out) {
    const struct ir_port *p = &ir->kernel[e->src_kernel].port[e->src_port];
    text_addf(out, "    // %s -> %s: ", ir_port_text(ir, e->src_kernel, e->src_port),
              ir_port_text(ir, e->dst_kernel, e->dst_port));
    emit_carried(ir, e, out);
    if (p->type.rank || p->type.loops) text_addf(out, "; %s", ir_type_text(ir, &p->type));
    text_add(out, "\n");
}

// ---- kernels ----

static void add_operation(const struct ir *ir, int node, struct text *out) {
    const struct ir_node *n = &ir->node[node];
    text_addf(out, "%s of ", ir_op_of(ir, n->op)->name);
    for (int i = 0; i < n->inputs; i++) text_addf(out, "%s%s", i ? ", " : "", ir->tensor[n->in[i]].name);
    text_add(out, n->inputs ? " -> " : "nothing -> ");
    for (int o = 0; o < n->outputs; o++) {
        if (o) text_add(out, ", ");
        emit_tensor(ir, n->out[o], out);
    }
    text_addf(out, " (region %s)", ir->region[n->region].name);
}

static int engine_of_kernel(const struct ir *ir, int kernel) {
    for (int e = 0; e < ir->engines; e++)
        if (ir->engine[e].kernel == kernel) return e;
    return IR_NONE;
}

static void add_products(const struct ir *ir, int engine, struct text *out) {
    int count = 0;
    for (int n = 0; n < ir->nodes; n++)
        if (ir_engine_of(ir, n) == engine) text_addf(out, "%s%s", count++ ? ", " : "the products ", ir->node[n].name);
}

// A kernel of no operation: what its class does, with what.
static void add_purpose(const struct ir *ir, int kernel, struct text *out) {
    const struct ir_kernel *k = &ir->kernel[kernel];
    const struct kernel_class *class = kernel_of(k);
    struct text carried = {0};
    text_add(out, class && class->doc ? class->doc : k->module);
    if (!k->is_control && emit_carried_by(ir, kernel, &carried)) text_addf(out, ": %s", text_cstr(&carried));
    text_free(&carried);
}

void emit_describe_kernel(const struct ir *ir, int kernel, struct text *out) {
    const struct ir_kernel *k = &ir->kernel[kernel];
    int engine = engine_of_kernel(ir, kernel);
    text_addf(out, "\n    // %s: ", k->name);
    if (k->node != IR_NONE) add_operation(ir, k->node, out);
    else if (engine != IR_NONE) add_products(ir, engine, out);
    else add_purpose(ir, kernel, out);
    text_add(out, "\n");
}

// ---- the head of the file ----

// The kernel that computes it: its own, an engine, or, of what an engine's lanes do on the way, that of its operand.
static int kernel_of_node(const struct ir *ir, int node) {
    for (int hops = 0; hops < ir->nodes; hops++) {
        for (int k = 0; k < ir->kernels; k++)
            if (ir->kernel[k].node == node) return k;
        int engine = ir_engine_of(ir, node);
        if (engine != IR_NONE) return ir->engine[engine].kernel;
        node = ir->node[node].inputs ? ir->tensor[ir->node[node].in[0]].producer : IR_NONE;
        if (node == IR_NONE) return IR_NONE;
    }
    return IR_NONE;
}

static void add_region(const struct ir *ir, const struct ir_region *r, struct text *out) {
    text_addf(out, "//   region %s, %lld time%s in %s:\n", r->name, (long long)r->repeat, r->repeat > 1 ? "s" : "",
              r->when == IR_LAST ? "a step that needs the head" : "a step");
    for (int n = r->first_node; n < r->first_node + r->nodes; n++) {
        int k = kernel_of_node(ir, n);
        text_addf(out, "//     %-24s %-20s %s%s\n", ir->node[n].name, ir_op_of(ir, ir->node[n].op)->name,
                  k == IR_NONE ? "-" : "u_", k == IR_NONE ? "" : ir->kernel[k].name);
    }
}

void emit_describe_top(const struct ir *ir, struct text *out) {
    text_add(
        out,
        "//\n"
        "// How to read it. Sections, each under a line `// ---- name ----`: nets that several sections share, "
        "streams, "
        "kernels, memory (a part for each channel), control.\n"
        "// A stream has the name of its ends, <kernel>_<port>_to_<kernel>_<port>, and two bundles of nets: "
        "<stream>_i_* at its writer, <stream>_o_* behind its FIFO, at its reader. To another die it goes from a "
        "sender over registers to the FIFO, and credits go back: <stream>_0_*, _1_* ...; of a stream in a shared "
        "storage from <stream>_i_* to <stream>_w_*, and from <stream>_x_* to <stream>_o_*.\n"
        "// Handshake, AXI4-Stream: a word moves in each cycle with tvalid and tready. tdata is the word, tuser "
        "{last token of the step, token}, tlast the end of a firing, tcount how many elements are valid.\n"
        "// Instances: u_<kernel>, u_fifo_<stream>, between dies u_send_<stream> and u_way_<stream>_<n>, "
        "u_read_<channel>_<client>, u_write_<channel>. Every one has a register of the reset of its own, "
        "a bit of core_rst, or of core_rst_<die>.\n"
        "// The comment of a stream says what it carries: tensor and shape without tokens, itensor type (docs/ir.md). "
        "Blocks of RILL_PROBES are for simulation alone.\n"
        "//\n"
        "// Operations, and where each is computed:\n");
    for (int r = 0; r < ir->regions; r++) add_region(ir, &ir->region[r], out);
}
