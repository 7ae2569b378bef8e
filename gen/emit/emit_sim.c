// SPDX-License-Identifier: Apache-2.0
// Writes the top of a simulation, rill_sim_top: the design, a memory model per channel, and probes that report the
// words on the design's streams. Probes refer to signals by hierarchical path, so the design's files contain no probes.
#include <string.h>

#include "gen/emit/emit.h"
#include "gen/kernel/kernel.h"

enum { PROBE_MAX_BITS = 1088 /* widest word of a probe, as in verif/harness/rill_probe.sv */ };

// ---- probes ----

struct probes {
    const struct emit_plan *plan;
    const char *top; // path of rill_top
    struct text *out;
};

// Returns the hierarchical path of a net in a module of the design.
static const char *path_of(const struct probes *s, int module, const char *net) {
    return arena_printf(s->plan->ir->arena, "%s.%s.%s", s->top, emit_module_path(s->plan, module), net);
}

// Adds the connections of clock and reset, with which a probe's ports begin.
static void begin(const struct probes *s) {
    text_addf(s->out, "        .clk(%s.clk), .rst(%s.%s),\n", s->top, s->top, emit_first_reset(s->plan));
}

// Adds a probe for the fill and the high-water mark of a link's FIFO. A pooled stream has a slice of the pool's counts
// instead.
static void add_fill(const struct probes *s, int edge) {
    const struct emit_plan *p = s->plan;
    const struct ir_edge *e = &p->ir->edge[edge];
    bool pooled = e->pool != IR_NONE;
    int64_t depth = pooled ? emit_pool_number(p->ir, e->pool, "DEPTH") : e->depth;
    int bits = u64_clog2((uint64_t)depth + 1);
    const char *at = path_of(s, emit_link_home(p, edge),
                             arena_printf(p->ir->arena, "u_%s", pooled ? p->ir->kernel[e->pool].name : p->to[edge]));
    text_addf(s->out, "    rill_fifo_probe #(.ID(%d), .DEPTH(%lld), .W(%d)) fill_%d (.clk(%s.clk),\n", edge,
              (long long)e->depth, bits, edge, s->top);
    if (pooled)
        text_addf(s->out,
                  "        .occupancy(%s.occupancy[%d +: %d]),\n        .high_water(%s.high_water[%d +: %d]));\n", at,
                  e->pool_port * bits, bits, at, e->pool_port * bits, bits);
    else text_addf(s->out, "        .occupancy(%s.fill), .high_water(%s.high));\n", at, at);
}

static const char *at_writer(const struct probes *s, int edge, enum emit_field f) {
    const struct emit_plan *p = s->plan;
    return path_of(s, p->home[p->ir->edge[edge].src_kernel], emit_written_net(p, edge, f));
}

// Adds a probe for the words of a stream. Fields that the stream does not have are 0. A stream whose tdata is wider
// than PROBE_MAX_BITS gets no such probe.
static void add_beats(const struct probes *s, int edge) {
    const struct emit_plan *p = s->plan;
    const struct ir *ir = p->ir;
    const struct ir_edge *e = &ir->edge[edge];
    struct emit_word w = emit_word(ir, e);
    int64_t user = w.user ? w.user : ir_user_bits(ir->design.tokens);
    if (w.data > PROBE_MAX_BITS) return;
    text_addf(s->out, "    rill_probe #(.ID(%d), .DATA_W(%lld), .USER_W(%lld), .COUNT_W(%lld)) beats_%d (\n", edge,
              (long long)w.data, (long long)user, (long long)(w.count ? w.count : 1), edge);
    begin(s);
    text_addf(s->out, "        .tvalid(%s), .tready(%s),\n        .tdata(%s),\n", at_writer(s, edge, EMIT_TVALID),
              at_writer(s, edge, EMIT_TREADY), at_writer(s, edge, EMIT_TDATA));
    text_addf(s->out, "        .tuser(%s), .tlast(%s), .tcount(%s));\n",
              w.user ? at_writer(s, edge, EMIT_TUSER) : arena_printf(ir->arena, "%lld'd0", (long long)user),
              w.last ? at_writer(s, edge, EMIT_TLAST) : "1'b0", w.count ? at_writer(s, edge, EMIT_TCOUNT) : "1'b0");
}

// ---- the timing contract of custom kernels ----

// Returns the port of the kernel's i-th stream of a tensor in this direction, counted from 0, or NULL if there is none.
static const struct ir_port *data_port(const struct ir_kernel *k, bool is_output, int i) {
    for (int p = 0; p < k->ports; p++)
        if (k->port[p].is_output == is_output && k->port[p].tensor != IR_NONE && i-- == 0) return &k->port[p];
    return NULL;
}

static const char *at_port(const struct probes *s, int kernel, const struct ir_port *port, enum emit_field f) {
    return path_of(s, s->plan->home[kernel], emit_net(s->plan, port->edge, port->is_output, f));
}

// Returns the expression of a flag at a port: tlast (last word of a firing) if `last` is set, else the high bit of
// tuser (last token of the step).
static const char *flag_at(const struct probes *s, int kernel, const struct ir_port *port, bool last) {
    struct emit_word w = emit_word(s->plan->ir, &s->plan->ir->edge[port->edge]);
    if (last) return at_port(s, kernel, port, EMIT_TLAST);
    return emit_slice(s->plan->ir, at_port(s, kernel, port, EMIT_TUSER), w.user, w.user - 1, 1);
}

// Adds, for all input streams of a kernel, the handshake and the flag of the step's last token. Input 0 is the low bit.
static void add_inputs(const struct probes *s, int kernel, int inputs) {
    static const char *const names[] = {"tvalid", "tready", "tok_last"};
    for (int n = 0; n < 3; n++) {
        text_addf(s->out, ",\n        .in_%s(%s", names[n], emit_open(inputs));
        for (int i = inputs - 1; i >= 0; i--) {
            const struct ir_port *x = data_port(&s->plan->ir->kernel[kernel], false, i);
            text_addf(s->out, "%s%s",
                      n == 2 ? flag_at(s, kernel, x, false) : at_port(s, kernel, x, n ? EMIT_TREADY : EMIT_TVALID),
                      i ? ", " : "");
        }
        text_addf(s->out, "%s)", emit_close(inputs));
    }
}

// Adds a probe that checks whether a custom kernel keeps its timing contract. Adds nothing for other kernels.
static void add_contract(const struct probes *s, int id) {
    const struct ir_kernel *k = &s->plan->ir->kernel[id];
    const struct kernel_class *class = kernel_of(k);
    const struct custom *custom = class ? class->custom : NULL;
    const struct ir_port *y = custom ? data_port(k, true, 0) : NULL;
    if (!y || y->edge == IR_NONE) return;
    text_addf(s->out,
              "    rill_contract_probe #(.ID(%d), .INPUTS(%d)%s) contract_%d (\n        .clk(%s.clk), .rst(%s.%s)", id,
              custom->inputs, custom->fetch ? ", .TABLE(1)" : "", id, s->top, s->top, emit_first_reset(s->plan));
    add_inputs(s, id, custom->inputs);
    // The probe's input `beside`: the step word is held and the parameters have arrived. Only then does the timing
    // contract apply.
    int step = ir_port_for(k, IR_ROLE_STEP, false), param = ir_port_for(k, IR_ROLE_PARAM, false);
    text_add(s->out, ",\n        .beside(1'b1");
    if (step != IR_NONE)
        text_addf(s->out, " && %s && !%s", at_port(s, id, &k->port[step], EMIT_TVALID),
                  at_port(s, id, &k->port[step], EMIT_TREADY));
    if (param != IR_NONE) text_addf(s->out, " && %s", at_port(s, id, &k->port[param], EMIT_TVALID));
    const struct ir_port *x = data_port(k, false, 0);
    text_addf(s->out, "),\n        .in_end(%s && %s),\n", flag_at(s, id, x, true), flag_at(s, id, x, false));
    text_addf(s->out, "        .out_tvalid(%s), .out_tready(%s));\n", at_port(s, id, y, EMIT_TVALID),
              at_port(s, id, y, EMIT_TREADY));
}

static void add_probes(const struct emit_plan *p, const char *top, struct text *out) {
    const struct probes s = {p, top, out};
    text_add(out, "\n    // ---- probes ----\n`ifndef RILL_NO_PROBES // a simulated card has none\n");
    for (int e = 0; e < p->ir->edges; e++) {
        text_addf(out, "    // %s\n", p->ir->edge[e].name);
        add_fill(&s, e);
        add_beats(&s, e);
    }
    for (int k = 0; k < p->ir->kernels; k++) add_contract(&s, k);
    text_add(out, "`endif\n");
}

// ---- the top ----

static void add_memory(const struct ir *ir, int c, struct text *out) {
    for (int s = 0; s < EMIT_AXI_SIGNALS; s++)
        text_addf(out, "    wire %shbm_%02d_%s;\n", emit_range(ir, emit_signal_bits(ir, &emit_axi_signals[s])), c,
                  emit_axi_signals[s].name);
    text_addf(out,
              "    rill_axi_memory #(.BEAT_BITS(%d), .ID_W(%d)) u_memory_%02d (\n        .clk(clk), .rst(rst), "
              ".channel(8'd%d)",
              ir->design.beat_bits, emit_id_bits(ir), c, c);
    for (int s = 0; s < EMIT_AXI_SIGNALS; s++)
        text_addf(out, ", .%s(hbm_%02d_%s)", emit_axi_signals[s].name, c, emit_axi_signals[s].name);
    text_add(out, ");\n");
}

static void add_design(const struct ir *ir, const char *wrapper, struct text *out) {
    if (wrapper) text_addf(out, "    %s u_kernel (.ap_clk(clk), .ap_rst_n(!rst), .interrupt(interrupt)", wrapper);
    else
        text_addf(out, "    rill_top u_top (.clk(clk),%s .rst(rst), .interrupt(interrupt)",
                  ir_second_clock(ir) ? " .clk_2x(clk_2x), .clock_state(32'd1)," : "");
}

// Returns the declaration of the pin for the second clock. A packaged kernel (`wrapper`) makes this clock itself in the
// model of the MMCM (verif/card), which takes an oscillator.
static const char *second_clock(const char *wrapper) {
    return wrapper ? "`ifdef RILL_VENDOR_CELLS\n    input  wire oscillator,\n`endif\n" : "    input  wire clk_2x,\n";
}

// Adds the module rill_sim_top, with long lines.
static void add_sim_top(const struct emit_plan *p, const char *wrapper, struct text *out) {
    const struct ir *ir = p->ir;
    text_add(out, "`default_nettype none\n\nmodule rill_sim_top (\n");
    text_add(out, "    input  wire clk,\n");
    if (ir_second_clock(ir)) text_add(out, second_clock(wrapper));
    text_add(out, "    input  wire rst,\n    output wire interrupt");
    for (int s = 0; s < EMIT_AXIL_SIGNALS; s++)
        text_addf(out, ",\n    %s wire %ss_axi_control_%s", emit_axil_signals[s].from_master ? "input " : "output",
                  emit_range(ir, emit_axil_signals[s].bits), emit_axil_signals[s].name);
    text_add(out, "\n);\n");
    for (int c = 0; c < ir->design.channels; c++) add_memory(ir, c, out);
    add_design(ir, wrapper, out);
    for (int s = 0; s < EMIT_AXIL_SIGNALS; s++)
        text_addf(out, ",\n        .s_axi_control_%s(s_axi_control_%s)", emit_axil_signals[s].name,
                  emit_axil_signals[s].name);
    for (int c = 0; c < ir->design.channels; c++)
        for (int s = 0; s < EMIT_AXI_SIGNALS; s++)
            text_addf(out, ",\n        .m_axi_hbm_%02d_%s(hbm_%02d_%s)", c, emit_axi_signals[s].name, c,
                      emit_axi_signals[s].name);
    text_add(out, ");\n");
    add_probes(p, wrapper ? "u_kernel.u_top" : "u_top", out);
    text_add(out, "endmodule\n\n`default_nettype wire\n");
}

void emit_sim_top(const struct emit_plan *p, const char *wrapper, struct text *out) {
    struct text text = {0};
    add_sim_top(p, wrapper, &text);
    emit_wrapped(&text, out);
    text_free(&text);
}
