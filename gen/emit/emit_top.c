// SPDX-License-Identifier: Apache-2.0
// The top module and the simulation top around it.
#include <inttypes.h>

#include "gen/emit/emit.h"
#include "gen/kernel/kernel.h"

const struct emit_signal emit_axi_signals[EMIT_AXI_SIGNALS] = {
    {"arvalid", true, 1}, {"arready", false, 1}, {"arid", true, 0},    {"araddr", true, 64}, {"arlen", true, 8},
    {"arsize", true, 3},  {"arburst", true, 2},  {"rvalid", false, 1}, {"rready", true, 1},  {"rid", false, 0},
    {"rdata", false, -1}, {"rresp", false, 2},   {"rlast", false, 1},  {"awvalid", true, 1}, {"awready", false, 1},
    {"awid", true, 0},    {"awaddr", true, 64},  {"awlen", true, 8},   {"awsize", true, 3},  {"awburst", true, 2},
    {"wvalid", true, 1},  {"wready", false, 1},  {"wdata", true, -1},  {"wstrb", true, -2},  {"wlast", true, 1},
    {"bvalid", false, 1}, {"bready", true, 1},   {"bid", false, 0},    {"bresp", false, 2},  {"arlock", true, 1},
    {"arcache", true, 4}, {"arprot", true, 3},   {"arqos", true, 4},   {"awlock", true, 1},  {"awcache", true, 4},
    {"awprot", true, 3},  {"awqos", true, 4}};

const struct emit_signal emit_axil_signals[EMIT_AXIL_SIGNALS] = { // from_master: the host
    {"awvalid", true, 1}, {"awready", false, 1}, {"awaddr", true, 12}, {"wvalid", true, 1},  {"wready", false, 1},
    {"wdata", true, 32},  {"wstrb", true, 4},    {"bvalid", false, 1}, {"bready", true, 1},  {"bresp", false, 2},
    {"arvalid", true, 1}, {"arready", false, 1}, {"araddr", true, 12}, {"rvalid", false, 1}, {"rready", true, 1},
    {"rdata", false, 32}, {"rresp", false, 2},   {"awprot", true, 3},  {"arprot", true, 3}};

int emit_signal_bits(const struct ir *ir, const struct emit_signal *s) {
    if (s->bits > 0) return s->bits;
    return s->bits == 0 ? emit_id_bits(ir) : s->bits == -1 ? ir->design.beat_bits : ir->design.beat_bits / 8;
}

static void add_clocks(bool second, struct text *out) {
    text_add(out, "    input  wire clk,\n");
    if (second) text_add(out, "    input  wire clk_2x, // of the multipliers: rises with clk, and between\n");
    text_add(out, "    input  wire rst,\n    output wire interrupt");
}

void emit_ports(const struct ir *ir, struct text *out) {
    add_clocks(ir_second_clock(ir), out);
    for (int s = 0; s < EMIT_AXIL_SIGNALS; s++)
        text_addf(out, ",\n    %s wire %ss_axi_control_%s", emit_axil_signals[s].from_master ? "input " : "output",
                  emit_range(ir, emit_axil_signals[s].bits), emit_axil_signals[s].name);
    for (int c = 0; c < ir->design.channels; c++)
        for (int s = 0; s < EMIT_AXI_SIGNALS; s++)
            text_addf(out, ",\n    %s wire %sm_axi_hbm_%02d_%s", emit_axi_signals[s].from_master ? "output" : "input ",
                      emit_range(ir, emit_signal_bits(ir, &emit_axi_signals[s])), c, emit_axi_signals[s].name);
}

static int fault_bits(const struct ir *ir) {
    int faults = 0;
    for (int k = 0; k < ir->kernels; k++) faults += ir->kernel[k].has_fault;
    return faults ? faults : 1;
}

// Counts of finished steps, output 0 in the low bits.
static void emit_steps_done(const struct ir *ir, struct text *out) {
    int outputs = 0;
    for (int k = 0; k < ir->kernels; k++) outputs += kernel_is(&ir->kernel[k], KERNEL_ROWS_OUT);
    text_addf(out, "    assign out_steps_done = %s", outputs ? emit_open(outputs) : "32'd0");
    const char *comma = "";
    for (int k = ir->kernels - 1; k >= 0; k--)
        if (kernel_is(&ir->kernel[k], KERNEL_ROWS_OUT)) {
            text_addf(out, "%s%s_steps_done", comma, ir->kernel[k].name);
            comma = ", ";
        }
    text_addf(out, "%s;%s\n", outputs ? emit_close(outputs) : "", outputs ? "" : " // no outputs but ids");
}

static bool is_driven(const struct ir *ir, int net) { return net != IR_NONE && ir->net[net].driver != IR_NONE; }

// What a design without parameters, caches or ids has instead of the kernels that count them.
static void emit_constants(const struct ir *ir, struct text *out) {
    static const enum ir_net_role counts[] = {IR_NET_K_LAYERS_DONE, IR_NET_V_LAYERS_DONE, IR_NET_KV_LAYERS_DONE};
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        int net = ir_find_net(ir, counts[i], IR_NONE);
        if (ir_net_is_read(ir, net) && !is_driven(ir, net))
            text_addf(out, "    wire [31:0] %s = 32'd0; // no caches of keys and values\n", ir->net[net].name);
    }
    if (ir_driver(ir, IR_NET_IDS_WRITTEN) == IR_NONE) text_add(out, "    wire [31:0] ids_written = 32'd0; // no ids\n");
}

// Nets that several sections share, declared before all of them.
static void emit_shared_nets(const struct ir *ir, const struct emit_names *names, struct text *out) {
    int channels = ir->design.channels;
    const char *each = emit_range(ir, channels);
    text_add(out, "\n    // ---- nets that several sections share ----\n    wire quiet;\n");
    text_addf(out, "    wire %skernel_fault;\n    wire [%d:0] out_steps_done;\n", emit_range(ir, fault_bits(ir)),
              32 * (ir->design.is_lm || !ir->outputs ? 1 : ir->outputs) - 1);
    text_addf(out, "    wire %schannel_idle, channel_beat, channel_answer, channel_stall;\n", each);
    text_addf(out, "    reg %smemory_error, error_is_write;\n    wire [%d:0] error_address;\n", each,
              64 * channels - 1);
    text_addf(out,
              "    wire [63:0] identity = 64'h%016" PRIx64
              "; // of design.yaml\n    wire [63:0] layout = 64'h%016" PRIx64
              "; // of its memory\n    wire progress;\n    wire [63:0] idle_engines;\n",
              names->identity, names->layout);
    emit_constants(ir, out);
    for (int w = 0; w < ir->wires; w++)
        if (ir->wire[w].is_output)
            text_addf(out, "    wire %s%s;\n", emit_range(ir, ir->wire[w].bits),
                      ir->net[ir_use_whole(&ir->wire[w].use)].name);
    for (int k = 0; k < ir->kernels; k++)
        if (ir->kernel[k].has_fault) text_addf(out, "    wire fault_of_%s;\n", ir->kernel[k].name);
}

// What the host reads as idle_engines: the channels, and from bit 32 on the walkers; and what all of them come to.
static void emit_idle(const struct ir *ir, struct text *out) {
    int channels = ir->design.channels;
    text_addf(out, "    reg %schannel_idle_q;\n    reg quiet_q;\n    assign quiet = quiet_q;\n",
              emit_range(ir, channels));
    if (ir->engines) text_addf(out, "    reg %swalker_idle_q;\n", emit_range(ir, ir->engines));
    text_add(out, "    always @(posedge clk) begin\n        channel_idle_q <= channel_idle;\n");
    const char *walkers = "";
    for (int e = 0; e < ir->engines; e++) // the first one in the low bit
        walkers = arena_printf(ir->arena, "%s%s%s", ir_engine_name(ir, e, "walker_idle"), e ? ", " : "", walkers);
    const char *open = emit_open(ir->engines), *close = emit_close(ir->engines);
    if (ir->engines) text_addf(out, "        walker_idle_q <= %s%s%s;\n", open, walkers, close);
    text_add(out, "        quiet_q <= (&channel_idle_q)");
    if (ir->engines) text_addf(out, " & (&%s%s%s)", open, walkers, close);
    text_add(out, ";\n    end\n");
    text_add(out, "    assign idle_engines = {");
    if (ir->engines < 32) text_addf(out, "{%d{1'b1}}, ", 32 - ir->engines);
    if (ir->engines) text_add(out, "walker_idle_q, ");
    if (channels < 32) text_addf(out, "{%d{1'b1}}, ", 32 - channels);
    text_add(out, "channel_idle_q};\n");
}

// What no kernel drives, the same on every port and in every design. Modifiable and bufferable, so that an interconnect
// may change widths; normal, data, secure access.
static const struct {
    const char *name;
    int bits, value;
} fixed[] = {{"arlock", 1, 0}, {"arcache", 4, 3}, {"arprot", 3, 0}, {"arqos", 4, 0},
             {"awlock", 1, 0}, {"awcache", 4, 3}, {"awprot", 3, 0}, {"awqos", 4, 0}};

static void emit_fixed(const struct ir *ir, struct text *out) {
    for (int c = 0; c < ir->design.channels; c++)
        for (size_t i = 0; i < COUNT_OF(fixed); i++)
            text_addf(out, "    assign m_axi_hbm_%02d_%s = %d'%c%d;\n", c, fixed[i].name, fixed[i].bits,
                      fixed[i].bits == 1 ? 'b' : 'd', fixed[i].value);
    text_add(out, "    wire unused = &{1'b0, s_axi_control_awprot, s_axi_control_arprot}; // hosts are all alike\n");
}

void emit_control(const struct ir *ir, struct text *out) {
    text_add(out, "\n    // ---- control: what no kernel drives ----\n");
    emit_faults(ir, out);
    emit_steps_done(ir, out);
    emit_idle(ir, out);
    text_add(out, "    reg progress_q;\n    always @(posedge clk) progress_q <= (|channel_beat) | (|channel_answer);\n"
                  "    assign progress = progress_q;\n");
    emit_fixed(ir, out);
}

static void emit_body(const struct ir *ir, struct emit_levels *levels, struct text *out) {
    emit_streams(ir, levels, out);
    emit_kernels(ir, levels, out);
    emit_memory(ir, levels, out);
}

struct emit_levels emit_count_levels(const struct ir *ir) {
    struct emit_levels levels = {0};
    struct text unused = {0};
    emit_body(ir, &levels, &unused);
    text_free(&unused);
    return levels;
}

static void emit_top_text(const struct ir *ir, const struct emit_names *names, struct text *out) {
    emit_describe_top(ir, out);
    text_add(out, "`default_nettype none\n\nmodule rill_top (\n");
    emit_ports(ir, out);
    text_add(out, "\n);\n");
    emit_shared_nets(ir, names, out);
    emit_client_nets(ir, out);
    struct text body = {0};
    struct emit_levels levels = {0};
    emit_body(ir, &levels, &body);
    emit_control(ir, &body);
    emit_levels(ir, &levels, out); // known now
    text_add_bytes(out, body.data, body.len);
    text_free(&body);
    text_add(out, "endmodule\n\n`default_nettype wire\n");
}

void emit_top(const struct ir *ir, const struct emit_names *names, struct text *out) {
    struct text text = {0};
    emit_top_text(ir, names, &text);
    emit_wrapped(&text, out);
    text_free(&text);
}

// ---- simulation ----

static void emit_memory_model(const struct ir *ir, int c, struct text *out) {
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

static void emit_instance(const struct ir *ir, const char *wrapper, struct text *out) {
    if (wrapper) text_addf(out, "    %s u_kernel (.ap_clk(clk), .ap_rst_n(!rst), .interrupt(interrupt)", wrapper);
    else
        text_addf(out, "    rill_top u_top (.clk(clk),%s .rst(rst), .interrupt(interrupt)",
                  ir_second_clock(ir) ? " .clk_2x(clk_2x)," : "");
}

static void emit_sim_top_text(const struct ir *ir, const char *wrapper, struct text *out) {
    text_add(out, "`default_nettype none\n\nmodule rill_sim_top (\n");
    add_clocks(ir_second_clock(ir) && !wrapper, out); // a wrapper makes its own
    for (int s = 0; s < EMIT_AXIL_SIGNALS; s++)
        text_addf(out, ",\n    %s wire %ss_axi_control_%s", emit_axil_signals[s].from_master ? "input " : "output",
                  emit_range(ir, emit_axil_signals[s].bits), emit_axil_signals[s].name);
    text_add(out, "\n);\n");
    for (int c = 0; c < ir->design.channels; c++) emit_memory_model(ir, c, out);
    emit_instance(ir, wrapper, out);
    for (int s = 0; s < EMIT_AXIL_SIGNALS; s++)
        text_addf(out, ",\n        .s_axi_control_%s(s_axi_control_%s)", emit_axil_signals[s].name,
                  emit_axil_signals[s].name);
    for (int c = 0; c < ir->design.channels; c++)
        for (int s = 0; s < EMIT_AXI_SIGNALS; s++)
            text_addf(out, ",\n        .m_axi_hbm_%02d_%s(hbm_%02d_%s)", c, emit_axi_signals[s].name, c,
                      emit_axi_signals[s].name);
    text_add(out, ");\nendmodule\n\n`default_nettype wire\n");
}

void emit_sim_top(const struct ir *ir, const char *wrapper, struct text *out) {
    struct text text = {0};
    emit_sim_top_text(ir, wrapper, &text);
    emit_wrapped(&text, out);
    text_free(&text);
}
