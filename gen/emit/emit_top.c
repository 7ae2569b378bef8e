// SPDX-License-Identifier: Apache-2.0
// Writes the top module (modules, memory channels, the nets between them), and the logic of the control module that
// belongs to no kernel.
#include <inttypes.h>
#include <string.h>

#include "gen/emit/emit.h"
#include "gen/kernel/kernel.h"

const struct emit_signal emit_axi_signals[EMIT_AXI_SIGNALS] = {
    {"arvalid", true, 1}, {"arready", false, 1}, {"arid", true, 0},    {"araddr", true, 64},  {"arlen", true, 8},
    {"arsize", true, 3},  {"arburst", true, 2},  {"arlock", true, 1},  {"arcache", true, 4},  {"arprot", true, 3},
    {"arqos", true, 4},   {"rvalid", false, 1},  {"rready", true, 1},  {"rid", false, 0},     {"rdata", false, -1},
    {"rresp", false, 2},  {"rlast", false, 1},   {"awvalid", true, 1}, {"awready", false, 1}, {"awid", true, 0},
    {"awaddr", true, 64}, {"awlen", true, 8},    {"awsize", true, 3},  {"awburst", true, 2},  {"awlock", true, 1},
    {"awcache", true, 4}, {"awprot", true, 3},   {"awqos", true, 4},   {"wvalid", true, 1},   {"wready", false, 1},
    {"wdata", true, -1},  {"wstrb", true, -2},   {"wlast", true, 1},   {"bvalid", false, 1},  {"bready", true, 1},
    {"bid", false, 0},    {"bresp", false, 2}};

bool emit_begins_group(int signal) {
    enum { AR = 0, R = 11, AW = 17, W = 28, B = 33 }; // indices in emit_axi_signals
    return signal == AR || signal == R || signal == AW || signal == W || signal == B;
}

const struct emit_signal emit_axil_signals[EMIT_AXIL_SIGNALS] = { // from_master: driven by the host
    {"awvalid", true, 1}, {"awready", false, 1}, {"awaddr", true, 12},  {"awprot", true, 3},  {"wvalid", true, 1},
    {"wready", false, 1}, {"wdata", true, 32},   {"wstrb", true, 4},    {"bvalid", false, 1}, {"bready", true, 1},
    {"bresp", false, 2},  {"arvalid", true, 1},  {"arready", false, 1}, {"araddr", true, 12}, {"arprot", true, 3},
    {"rvalid", false, 1}, {"rready", true, 1},   {"rdata", false, 32},  {"rresp", false, 2}};

bool emit_is_ignored(int signal) {
    enum { AWPROT = 3, ARPROT = 14 }; // indices in emit_axil_signals
    return signal == AWPROT || signal == ARPROT;
}

int emit_signal_bits(const struct ir *ir, const struct emit_signal *s) {
    if (s->bits > 0) return s->bits;
    return s->bits == 0 ? emit_id_bits(ir) : s->bits == -1 ? ir->design.beat_bits : ir->design.beat_bits / 8;
}

static void add_clocks(bool second, struct text *out) {
    text_add(out, "    input  wire clk,\n");
    if (second)
        text_add(out,
                 "    // clock of the multipliers: twice the rate of clk, with a rising edge at every rising edge of "
                 "clk, so "
                 "that paths between the two clocks are synchronous\n    input  wire clk_2x,\n"
                 "    // state of clk_2x, in the domain of clk: {lost[15:0], 14 zeros, failed, ready}; 1: it runs\n"
                 "    input  wire [31:0] clock_state,\n");
    text_add(out,
             "    // synchronous, active-high, at least 16 cycles; drive it from a register, because it goes to the "
             "control and to all channels\n"
             "    input  wire rst,\n    // interrupt request to the host\n    output wire interrupt");
}

// Adds a port of a memory channel. Ports of the same AXI channel (AR, R, AW, W or B) share a line.
static void add_axi_port(const struct ir *ir, int channel, int signal, struct text *out) {
    const struct emit_signal *s = &emit_axi_signals[signal];
    bool begins = emit_begins_group(signal);
    text_addf(out, "%s%s wire %sm_axi_hbm_%02d_%s",
              !begins  ? ", "
              : signal ? ",\n    "
                       : "\n    ",
              s->from_master ? "output"
              : begins       ? "input "
                             : "input",
              emit_range(ir, emit_signal_bits(ir, s)), channel, s->name);
}

// Says which transfers the AXI4 masters of the memory channels request.
static void add_axi_use(const struct ir *ir, struct text *out) {
    struct emit_client client[EMIT_MAX_CLIENTS];
    int64_t burst = 1;
    for (int c = 0; c < ir->design.channels; c++)
        for (int i = emit_channel_clients(ir, c, false, client) - 1; i >= 0; i--) {
            int64_t beats = client[i].burst ? client[i].burst : ir->design.max_burst;
            burst = beats > burst ? beats : burst;
        }
    text_addf(
        out,
        ". All bursts are INCR, have full-width beats, and cross no 4 KiB boundary. A read burst has up to %lld "
        "beats. arid is the number of the read client, from 0 (the comment of the channel lists its clients, number "
        "0 last), and each client has up to %d bursts that wait for data. A write burst has one beat and awid 0, "
        "and up to %d of them wait for their response. rready and bready stay high after the reset. AxCACHE is 3 "
        "(modifiable, bufferable); AxLOCK, AxPROT and AxQOS are 0",
        (long long)burst, ir->design.outstanding, IR_WRITES_OPEN);
}

// Says which values the arid of a channel with this number of read clients has.
static const char *ids_of(const struct ir *ir, int readers) {
    return readers > 1 ? arena_printf(ir->arena, "arid is 0 to %d", readers - 1)
           : readers   ? "arid is always 0"
                       : "no reads";
}

void emit_ports(const struct ir *ir, struct text *out) {
    add_clocks(ir_second_clock(ir), out);
    for (int s = 0; s < EMIT_AXIL_SIGNALS; s++)
        text_addf(out, ",\n%s    %s wire %ss_axi_control_%s",
                  s == 0               ? "    // registers: AXI4-Lite slave\n"
                  : emit_is_ignored(s) ? "    // ignored: accesses of every protection level are allowed\n"
                                       : "",
                  emit_axil_signals[s].from_master ? "input " : "output", emit_range(ir, emit_axil_signals[s].bits),
                  emit_axil_signals[s].name);
    for (int c = 0; c < ir->design.channels; c++) {
        struct emit_client client[EMIT_MAX_CLIENTS];
        int readers = emit_channel_clients(ir, c, false, client);
        text_addf(out, ",\n    // memory channel %d: AXI4 master%s%s", c, c ? ", as channel 0; " : ", ",
                  ids_of(ir, readers));
        if (!c) add_axi_use(ir, out);
        for (int s = 0; s < EMIT_AXI_SIGNALS; s++) add_axi_port(ir, c, s, out);
    }
}

// ---- control: logic that belongs to no kernel ----

// Adds the net out_steps_done: the counters of finished steps of all outputs of rows, with that of output 0 in the low
// bits. A design with slots does not have this net, because its loop does not read it.
static void add_steps_done(const struct ir *ir, struct text *out) {
    int outputs = 0;
    if (ir_find_net(ir, IR_NET_OUT_STEPS_DONE, IR_NONE) == IR_NONE) return;
    for (int k = 0; k < ir->kernels; k++) outputs += kernel_is(&ir->kernel[k], KERNEL_ROWS_OUT);
    text_addf(out, "    assign out_steps_done = %s", outputs ? emit_open(outputs) : "32'd0");
    const char *comma = "";
    for (int k = ir->kernels - 1; k >= 0; k--)
        if (kernel_is(&ir->kernel[k], KERNEL_ROWS_OUT)) {
            text_addf(out, "%s%s_steps_done", comma, ir->kernel[k].name);
            comma = ", ";
        }
    text_addf(out, "%s;%s\n", outputs ? emit_close(outputs) : "",
              outputs ? "" : " // the token loop ignores it, because all outputs are ids");
}

// Assigns 0 to the counts that no kernel of this design makes, because it has no KV cache or generates no ids.
static void add_constants(const struct ir *ir, struct text *out) {
    static const enum ir_net_role counts[] = {IR_NET_K_LAYERS_DONE, IR_NET_V_LAYERS_DONE, IR_NET_KV_LAYERS_DONE};
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        int net = ir_find_net(ir, counts[i], IR_NONE);
        if (ir_net_is_read(ir, net) && ir->net[net].driver == IR_NONE)
            text_addf(out, "    assign %s = 32'd0; // this design has no cache of keys and values\n",
                      ir->net[net].name);
    }
    int ids = ir_find_net(ir, IR_NET_IDS_WRITTEN, IR_NONE);
    if (ids != IR_NONE && ir->net[ids].driver == IR_NONE)
        text_add(out, "    assign ids_written = 32'd0; // this design generates no ids\n");
}

static void add_names(const struct emit_plan *p, struct text *out) {
    if (!ir_second_clock(p->ir))
        text_add(out, "    assign clock_state = 32'd1; // ready: this design has no second clock\n");
    text_addf(out,
              "    assign identity = 64'h%016" PRIx64 "; // hash of design.yaml, also in the first line of this file\n"
              "    assign layout = 64'h%016" PRIx64 "; // hash of the memory layout\n",
              p->identity, p->layout);
}

static const char *all_of(const struct ir *ir, const char *net, int bits) {
    return bits == 1 ? net : arena_printf(ir->arena, "(&%s)", net);
}

// Adds the status word idle_engines, which the host reads. Bits 0 to 31 are for the channels, and bits from 32 on for
// the walkers. A bit is 1 if its channel or walker is idle or does not exist. Also adds `quiet`, which is high if all
// channels and walkers are idle.
static void add_idle(const struct ir *ir, struct text *out) {
    int channels = ir->design.channels;
    text_addf(out,
              "    // While flush is high, the token loop waits until quiet has been high for FLUSH_QUIET cycles (a "
              "localparam of its module), because a descriptor may need that long from the walker to the channels. "
              "Registers of this section need "
              "no reset, because they follow their inputs.\n"
              "    reg %schannel_idle_q;\n",
              emit_range_of(ir, emit_of_channels(ir, channels, NULL), channels));
    if (ir->engines) text_addf(out, "    reg %swalker_idle_q;\n", emit_range(ir, ir->engines));
    text_add(out, "    always @(posedge clk) begin\n        channel_idle_q <= channel_idle;\n");
    const char *walkers = "";
    for (int e = 0; e < ir->engines; e++) // the first one in the low bit
        walkers = arena_printf(ir->arena, "%s%s%s", ir_engine_name(ir, e, "walker_idle"), e ? ", " : "", walkers);
    if (ir->engines)
        text_addf(out, "        walker_idle_q <= %s%s%s;\n", emit_open(ir->engines), walkers, emit_close(ir->engines));
    text_addf(out, "        quiet <= %s%s;\n    end\n", all_of(ir, "channel_idle_q", channels),
              ir->engines ? arena_printf(ir->arena, " & %s", all_of(ir, "walker_idle_q", ir->engines)) : "");
    text_add(out, "    assign idle_engines = {");
    if (ir->engines < 32) text_addf(out, "{%d{1'b1}}, ", 32 - ir->engines);
    if (ir->engines) text_add(out, "walker_idle_q, ");
    if (channels < 32) text_addf(out, "{%d{1'b1}}, ", 32 - channels);
    text_add(out, "channel_idle_q};\n");
}

// Adds `progress`, which tells the watchdog that a beat or answer of the memory has arrived. Each channel has a
// register before the OR over all channels, because these bits come directly from pins of the memory, which are spread
// over the whole die.
static void add_progress(const struct ir *ir, struct text *out) {
    int channels = ir->design.channels;
    text_addf(out,
              "    // Each channel has a register before the OR, because channel_beat and channel_write_moves come "
              "from the AXI "
              "pins, "
              "which are spread along the whole die.\n"
              "    reg %schannel_moves_q;\n    always @(posedge clk) begin\n"
              "        channel_moves_q <= channel_beat | channel_write_moves;\n        progress <= "
              "%schannel_moves_q;\n    end\n",
              emit_range_of(ir, emit_of_channels(ir, channels, NULL), channels), channels == 1 ? "" : "|");
}

void emit_control(struct emit_scope *s) {
    const struct ir *ir = s->plan->ir;
    text_add(s->out, "\n    // ---- hashes of the design, and inputs of the control that no kernel drives ----\n");
    add_names(s->plan, s->out);
    add_constants(ir, s->out);
    add_steps_done(ir, s->out);
    text_add(
        s->out,
        "\n    // ---- status for the token loop: idle channels and walkers, and progress for the watchdog ----\n");
    add_idle(ir, s->out);
    add_progress(ir, s->out);
}

// ---- the top ----

// Declares the nets of a pin. The nets of a stream share a line.
static void add_pin_nets(const struct ir *ir, const struct emit_pin *pin, struct text *out) {
    struct emit_pin_signal signal[EMIT_PIN_SIGNALS];
    int signals = emit_pin_signals(ir, pin, signal);
    struct text line = {0};
    for (int s = 0; s < signals; s++)
        if (s && signal[s].bits == signal[s - 1].bits && signal[s].is == signal[s - 1].is)
            text_addf(&line, ", %s", signal[s].net);
        else
            text_addf(&line, "%swire %s%s", s ? "; " : "    ", emit_range_of(ir, signal[s].is, signal[s].bits),
                      signal[s].net);
    text_add(&line, ";");
    emit_pin_text(pin, text_cstr(&line), out);
    text_free(&line);
}

// State of add_nets: the nets that are declared already, and the heading of the group of the latest net.
struct nets {
    const struct emit_plan *plan;
    VEC(const char *) seen;
    const char *heading;
    struct text *out;
};

static bool is_seen(const struct nets *n, const char *net) {
    for (size_t i = 0; i < n->seen.count; i++)
        if (!strcmp(n->seen.items[i], net)) return true;
    return false;
}

// Declares the nets of a pin unless they are declared already, are ports of the top or are levels, which emit_levels
// declares. Adds the heading before them if it differs from the heading of the net before.
static void add_net(struct nets *n, const struct emit_pin *pin, const char *heading) {
    if (pin->kind == EMIT_PIN_LEVEL || pin->is_pin || is_seen(n, pin->net)) return;
    if (strcmp(heading, n->heading)) text_addf(n->out, "%s    // %s\n", *n->heading ? "\n" : "", heading);
    n->heading = heading;
    VEC_PUSH(n->plan->ir->arena, n->seen, pin->net);
    add_pin_nets(n->plan->ir, pin, n->out);
}

// Returns whether a module has a client that writes memory.
static bool writes(const struct emit_plan *p, int module) {
    bool found = false;
    for (int c = 0; c < p->ir->clients; c++) {
        const struct ir_client *client = &p->ir->client[c];
        int home = client->kernel == IR_NONE ? p->control : p->home[client->kernel];
        found = found || (client->is_write && home == module);
    }
    return found;
}

// The groups in which the top declares nets: nets that a module drives, beats from the memory channels, status of the
// memory channels, and nets that the top assigns itself.
enum group { DRIVEN, BEATS, STATUS, MADE, GROUPS };

static enum group group_of(const struct emit_pin *pin) {
    if (pin->is_output) return DRIVEN;
    if (pin->kind == EMIT_PIN_AXIS) return BEATS;
    return !strcmp(pin->net, "kernel_fault") || !strcmp(pin->net, "channel_no_beat") ? MADE : STATUS;
}

// Returns the heading of the group of nets to which an output of a module belongs.
static const char *output_heading(const struct emit_plan *p, int module, const struct emit_pin *pin) {
    const char *path = emit_module_path(p, module);
    if (pin->kind == EMIT_PIN_STREAM || pin->kind == EMIT_PIN_WORD)
        return arena_printf(p->ir->arena, "%s to %s: streams", path, emit_module_path(p, pin->other));
    if (pin->kind == EMIT_PIN_AXIS)
        return arena_printf(p->ir->arena, "%s to memory channels: descriptors%s", path,
                            writes(p, module) ? ", beats to write" : "");
    return arena_printf(p->ir->arena, "%s: control and status", path);
}

// Declares every net between modules once, in the group of what drives it.
static void add_nets(const struct emit_plan *p, struct text *out) {
    static const char *const headings[GROUPS] = {[BEATS] = "memory channels to modules: beats that were read",
                                                 [STATUS] = "memory channels to u_control: status",
                                                 [MADE] = "assigned in this module, below"};
    struct nets nets = {.plan = p, .heading = "", .out = out};
    for (int group = DRIVEN; group < GROUPS; group++)
        for (int m = 0; m < p->modules; m++) {
            emit_pins pins = emit_pins_of(p, m);
            for (size_t i = 0; i < pins.count; i++)
                if (group_of(&pins.items[i]) == (enum group)group)
                    add_net(&nets, &pins.items[i],
                            group == DRIVEN ? output_heading(p, m, &pins.items[i]) : headings[group]);
        }
}

static void add_instance(const struct emit_plan *p, int m, struct text *out) {
    emit_pins pins = emit_pins_of(p, m);
    text_addf(out, "\n    %s u_%s (", p->module[m].module, p->module[m].name);
    for (size_t i = 0; i < pins.count; i++) {
        const struct emit_pin *pin = &pins.items[i];
        struct emit_pin_signal signal[EMIT_PIN_SIGNALS];
        int signals = emit_pin_signals(p->ir, pin, signal);
        // Levels and plain nets share lines. A stream has separate lines.
        const char *note = emit_pin_note(p, &pins, i);
        bool again = i && !note && pin->kind == pins.items[i - 1].kind && signals == 1;
        text_add(out, !i ? "\n        " : again ? ", " : ",\n        ");
        if (note) text_addf(out, "// %s\n        ", note);
        for (int s = 0; s < signals; s++) text_addf(out, "%s.%s(%s)", s ? ", " : "", signal[s].port, signal[s].net);
    }
    text_add(out, ");\n");
}

// Adds a net that uses the bits that nothing else reads, so that lint does not report them. The memory uses fewer than
// the 64 bits of an address. awprot and arprot are ignored: accesses of every protection level are allowed.
static void add_unread(const struct ir *ir, struct text *out) {
    text_add(out, "\n    // ---- unused inputs ----\n"
                  "    // This wire reads the address bits from ADDR_BITS on and AxPROT of the registers, so that lint "
                  "does not report them as unused.\n    wire unused = "
                  "&{1'b0, s_axi_control_awprot, s_axi_control_arprot, channel_base");
    for (int c = 0; c < ir->clients; c++) {
        bool known = ir->client[c].base == IR_NONE;
        for (int before = 0; before < c; before++) known = known || ir->client[before].base == ir->client[c].base;
        if (!known) text_addf(out, ", %s", ir->net[ir->client[c].base].name);
    }
    text_add(out, "};\n");
}

// Adds a localparam for each named constant that the code uses (emit_widths.c).
static void add_localparams(const struct ir *ir, const char *code, struct text *out) {
    struct emit_constant used[EMIT_MAX_CONSTANTS];
    int count = emit_used_constants(ir, code, used);
    for (int i = 0; i < count; i++)
        emit_commented(arena_printf(ir->arena, "    localparam %s = %s;", used[i].name, used[i].is), used[i].doc, out);
}

static void add_body(const struct emit_plan *p, struct text *out) {
    text_add(out, "\n    // ---- nets between modules, by what drives them ----\n");
    add_nets(p, out);
    emit_levels(p, out);
    emit_faults(p, out);
    emit_stall(p->ir, out);
    text_add(out, "\n    // ---- modules: each port has the net of its own name, except core_rst and fault ----\n");
    for (int m = 0; m < p->modules; m++) add_instance(p, m, out);
    emit_channels(p, out);
    add_unread(p->ir, out);
    text_add(out, "endmodule\n\n`default_nettype wire\n");
}

static void add_top_text(const struct emit_plan *p, struct text *out) {
    struct text body = {0};
    add_body(p, &body);
    emit_describe_top(p, out);
    text_add(out, "`default_nettype none\n\nmodule rill_top (\n");
    emit_ports(p->ir, out);
    text_add(out, "\n);\n");
    add_localparams(p->ir, text_cstr(&body), out);
    text_add_bytes(out, body.data, body.len);
    text_free(&body);
}

// ---- line numbers ----

static const char first_port[] = "    input  wire clk,", first_constant[] = "    localparam ",
                  modules_heading[] = "    // ---- modules: ", channel_heading[] = "    // ---- memory channel 0";

// Returns the number of newlines between `text` and `end`.
static int lines_of(const char *text, const char *end) {
    int lines = 0;
    for (const char *c = text; c < end; c++) lines += *c == '\n';
    return lines;
}

// Replaces the placeholder `place` by the number that the line with `heading` has in the finished file, less `before`.
// The lines of the header comment, which is not part of `text`, are counted as well.
static const char *numbered(const struct emit_plan *p, const char *text, const char *place, const char *heading,
                            int before) {
    struct text head = {0};
    emit_header(p, "", &head);
    int header = lines_of(text_cstr(&head), text_cstr(&head) + head.len);
    text_free(&head);
    const char *at = strstr(text, place), *line = strstr(text, heading);
    if (!at || !line) return text;
    return arena_printf(p->ir->arena, "%.*s%d%s", (int)(at - text), text, header + lines_of(text, line) + 1 - before,
                        at + strlen(place));
}

void emit_top(const struct emit_plan *p, struct text *out) {
    struct text text = {0}, lines = {0};
    add_top_text(p, &text);
    emit_wrapped(&text, &lines);
    const char *top = numbered(p, text_cstr(&lines), EMIT_LINE_PORTS, first_port, 0);
    top = numbered(p, top, EMIT_LINE_CONSTANTS, first_constant, 0);
    top = numbered(p, top, EMIT_LINE_MODULES, modules_heading, 1);
    text_add(out, numbered(p, top, EMIT_LINE_CHANNEL, channel_heading, 0));
    text_free(&lines);
    text_free(&text);
}
