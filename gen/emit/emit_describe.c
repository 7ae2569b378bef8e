// SPDX-License-Identifier: Apache-2.0
// Comments in the emitted Verilog: how to read the top, which operations a kernel computes, what a stream carries.
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
    if (p->type.rank || p->type.loops) text_addf(out, ", as %s", ir_type_text(ir, &p->type));
    text_add(out, "\n");
}

// ---- kernels ----

static void add_operation(const struct ir *ir, int node, struct text *out) {
    const struct ir_node *n = &ir->node[node];
    text_add(out, ir_op_of(ir, n->op)->name);
    for (int i = 0; i < n->inputs; i++) text_addf(out, "%s%s", i ? ", " : " of ", ir->tensor[n->in[i]].name);
    text_add(out, " -> ");
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
        if (ir_engine_of(ir, n) == engine)
            text_addf(out, "%s%s", count++ ? ", " : "computes the products ", ir->node[n].name);
}

// Describes a kernel without an operation by the purpose of its class and the data it carries.
static void add_purpose(const struct ir *ir, int kernel, struct text *out) {
    const struct ir_kernel *k = &ir->kernel[kernel];
    const struct kernel_class *class = kernel_of(k);
    struct text carried = {0};
    text_add(out, class && class->doc ? class->doc : k->module);
    if (!k->is_control && emit_carried_by(ir, kernel, &carried)) text_addf(out, " (%s)", text_cstr(&carried));
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

// The kernel that computes a node: the node's kernel or its engine. An operation that an engine's lanes apply on the
// way belongs to the kernel of its operand.
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

const char *emit_what(const struct emit_plan *p, int m) {
    int region = p->module[m].region;
    if (m == p->control)
        return "Control: the host's registers, the steps of a request, loading of parameters, counters.";
    if (region == IR_NONE)
        return "Kernels that several regions share: matrix engines with their operand and result streams.";
    const struct ir_region *r = &p->ir->region[region];
    const char *times = r->repeat > 1 ? arena_printf(p->ir->arena, "%lld times", (long long)r->repeat) : "once";
    return arena_printf(p->ir->arena, "Region `%s`: runs %s in %s.", r->name, times,
                        r->when == IR_LAST ? "each step that needs the head" : "each step");
}

static const char *instance_of(const struct emit_plan *p, int kernel) {
    if (kernel == IR_NONE) return "-";
    const struct ir_kernel *k = &p->ir->kernel[kernel];
    if (k->node == IR_NONE || p->home[kernel] == p->shared) return emit_kernel_path(p, kernel);
    return arena_printf(p->ir->arena, "u_%s", k->name);
}

// Lists the kernels of a module: all, or those that compute no operation.
static void add_kernels_of(const struct emit_plan *p, int m, bool all, struct text *out) {
    const char *before = "";
    for (int k = 0; k < p->ir->kernels; k++) {
        if (p->home[k] != m || (!all && p->ir->kernel[k].node != IR_NONE)) continue;
        text_addf(out, "%s%s", before, p->ir->kernel[k].name);
        before = ", ";
    }
    text_add(out, *before ? ".\n" : "none.\n");
}

// Lists the operations of a region and the instances that compute them, and its other kernels.
static void add_region(const struct emit_plan *p, int m, struct text *out) {
    const struct ir *ir = p->ir;
    const struct ir_region *r = &ir->region[p->module[m].region];
    text_add(out, "// Operations in order, what they do, and the instances that compute them:\n");
    for (int n = r->first_node; n < r->first_node + r->nodes; n++)
        text_addf(out, "//   %-24s %-20s %s\n", ir->node[n].name, ir_op_of(ir, ir->node[n].op)->name,
                  instance_of(p, kernel_of_node(ir, n)));
    text_add(out, "// Kernels for no operation: ");
    add_kernels_of(p, m, false, out);
}

void emit_describe_module(const struct emit_plan *p, int m, struct text *out) {
    text_add(out, "//\n");
    if (p->module[m].region != IR_NONE) add_region(p, m, out);
    else {
        text_add(out, "// Kernels: ");
        add_kernels_of(p, m, true, out);
    }
    text_add(out, "// Each section has the links of the streams that a kernel reads, then the kernel.\n");
}

static void add_module_row(const struct emit_plan *p, int m, struct text *out) {
    const struct emit_module *module = &p->module[m];
    int kernels = 0, streams = 0;
    for (int k = 0; k < p->ir->kernels; k++) kernels += p->home[k] == m;
    for (int e = 0; e < p->ir->edges; e++) streams += emit_link_home(p, e) == m;
    text_addf(out, "//   u_%-22s %3d kernels, %3d streams%s\n", module->name, kernels, streams,
              m == p->control             ? ": registers, steps of a request, loading of parameters"
              : module->region == IR_NONE ? ": matrix engines and other kernels of several regions"
                                          : "");
}

void emit_describe_top(const struct emit_plan *p, struct text *out) {
    text_add(
        out,
        "//\n"
        "// Structure. The top instantiates one module for each region of the design, one for kernels that several "
        "regions share, one for the control, and one rill_channel for each memory channel:\n");
    for (int m = 0; m < p->modules; m++) add_module_row(p, m, out);
    text_add(
        out,
        "// Streams. A stream has the nets of AXI4-Stream: tvalid, tready, tdata, and where it needs them tuser = "
        "{last "
        "token of the step, number of the token}, tlast = end of a firing, tcount = number of valid elements. They are "
        "called from_<kernel>_<port>_* at the writer and to_<kernel>_<port>_* at the reader. A rill_link, called "
        "u_to_<kernel>_<port> and placed in the reader's module, connects the two: it has the stream's FIFO, and the "
        "registers on the way to another die. All readers of a fork share the word at its input.\n"
        "// Memory. A transfer has a descriptor (<name>_desc) and beats (<name>_beat). `lane` is the weight stream of "
        "a "
        "channel.\n"
        "// Resets. core_rst_<module> (core_rst_<die>_<module> in designs with several dies) has one bit for each "
        "instance, and each bit comes from its own register.\n"
        "// Comments of streams give writer and reader, the tensor with its shape per token, and the order of its "
        "words "
        "as an itensor type (docs/ir.md). Probes for simulation are in sim/rill_sim_top.sv.\n");
}
