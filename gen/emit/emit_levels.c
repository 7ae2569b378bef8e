// SPDX-License-Identifier: Apache-2.0
// What goes to everything or comes from everything: the reset of what belongs to a request, the flush of the memory's
// engines, the kernels' faults. To a die other than the token loop's each has stages of rill_hop, one on every die of
// the way; all dies have as many, so that they leave the reset in the same cycle and a fault's place depends on no die.
#include "gen/emit/emit.h"
#include "gen/ir/ir.h"
#include "gen/kernel/kernel.h"

int emit_home(const struct ir *ir) {
    int loop = kernel_first(ir, KERNEL_LOOP);
    return loop == IR_NONE ? 0 : ir->kernel[loop].die;
}

int emit_way_stages(const struct ir *ir) {
    int loop = kernel_first(ir, KERNEL_LOOP);
    return loop == IR_NONE ? 0 : kernel_reset_way(&ir->kernel[loop]) - IR_RESET_LEAST;
}

const char *emit_of_die(const struct ir *ir, const char *net, int die) {
    return emit_way_stages(ir) ? arena_printf(ir->arena, "%s_%d", net, die) : net;
}

const char *emit_reset(const struct ir *ir, struct emit_levels *levels, int die) {
    int at = emit_way_stages(ir) ? die : 0;
    return arena_printf(ir->arena, "%s[%d]", emit_of_die(ir, "core_rst", die), levels->reset[at]++);
}

const char *emit_first_reset(const struct ir *ir) {
    return arena_printf(ir->arena, "%s[0]", emit_of_die(ir, "core_rst", emit_home(ir)));
}

bool emit_has_faults(const struct ir *ir, int die) {
    for (int k = 0; k < ir->kernels; k++)
        if (ir->kernel[k].has_fault && ir->kernel[k].die == die) return true;
    return false;
}

// ---- levels ----

// A register for each instance after one for all.
static void add_tree(const char *net, const char *source, int copies, struct text *out) {
    text_addf(out,
              "    %s #(.DATA_W(1), .COPIES(%d)) u_%s (\n        .clk(clk), .rst(1'b0), .d(%s), .q(%s));\n",
              rtl_register_tree.module, copies, net, source, net);
}

static void add_source(const char *net, const char *source, struct text *out) {
    text_addf(out, "    reg %s_q;\n    always @(posedge clk) %s_q <= %s;\n", net, net, source);
}

static void add_copies(const char *net, const char *note, int copies, struct text *out) {
    text_addf(out, "    wire [%d:0] %s; // %s\n", copies - 1, net, note);
}

static const char reset_note[] = "reset of everything that belongs to one request";

// The instances of one die.
static void add_reset(const struct ir *ir, int die, int copies, struct text *out) {
    const char *net = emit_of_die(ir, "core_rst", die), *from = "core_rst_q";
    add_copies(net, reset_note, copies, out);
    if (emit_way_stages(ir)) {
        from = arena_printf(ir->arena, "%s_here", net);
        text_addf(out,
                  "    wire %s;\n    %s #(.DATA_W(1), .STAGES(%d)) u_core_rst_way_%d (\n        .clk(clk), "
                  ".rst(1'b0), .d(core_rst_q), .q(%s));\n",
                  from, rtl_hop.module, emit_way_stages(ir), die, from);
    }
    add_tree(net, from, copies, out);
}

void emit_levels(const struct ir *ir, const struct emit_levels *levels, struct text *out) {
    add_source("core_rst", "rst | soft_rst", out);
    for (int d = 0; d < IR_MAX_DIES; d++)
        if (levels->reset[d]) add_reset(ir, d, levels->reset[d], out);
    if (!levels->flush) return;
    add_source("core_flush", "flush", out);
    add_copies("core_flush", "of the memory's engines", levels->flush, out);
    add_tree("core_flush", "core_flush_q", levels->flush, out);
}

// ---- faults ----

static int faults_of(const struct ir *ir, int die) { // IR_NONE: of all dies
    int faults = 0;
    for (int k = 0; k < ir->kernels; k++)
        faults += ir->kernel[k].has_fault && (die == IR_NONE || ir->kernel[k].die == die);
    return faults;
}

static void add_list(const struct ir *ir, const char *before, const char *net, int die, struct text *out) {
    text_addf(out, "%s%s", before, emit_open(faults_of(ir, die)));
    const char *comma = "";
    for (int k = ir->kernels - 1; k >= 0; k--) {
        if (!ir->kernel[k].has_fault || (die != IR_NONE && ir->kernel[k].die != die)) continue;
        text_addf(out, "%s%s_of_%s", comma, net, ir->kernel[k].name);
        comma = ", ";
    }
    text_add(out, emit_close(faults_of(ir, die)));
}

static void add_fault_way(const struct ir *ir, int die, struct text *out) {
    text_addf(out, "    %s #(.DATA_W(%d), .STAGES(%d)) u_fault_way_%d (\n        .clk(clk), .rst(1'b0)", rtl_hop.module,
              faults_of(ir, die), emit_way_stages(ir), die);
    add_list(ir, ",\n        .d(", "fault", die, out);
    add_list(ir, "),\n        .q(", "told", die, out);
    text_add(out, "));\n");
}

static bool any_fault(const struct ir *ir) {
    for (int k = 0; k < ir->kernels; k++)
        if (ir->kernel[k].has_fault) return true;
    return false;
}

void emit_faults(const struct ir *ir, struct text *out) {
    if (!any_fault(ir)) return text_add(out, "    assign kernel_fault = 1'b0;\n");
    bool far = emit_way_stages(ir) > 0;
    for (int k = 0; k < ir->kernels && far; k++)
        if (ir->kernel[k].has_fault) text_addf(out, "    wire told_of_%s;\n", ir->kernel[k].name);
    for (int d = 0; d < ir->dies && far; d++)
        if (emit_has_faults(ir, d)) add_fault_way(ir, d, out);
    add_list(ir, "    assign kernel_fault = ", far ? "told" : "fault", IR_NONE, out);
    text_add(out, ";\n");
}
