// SPDX-License-Identifier: Apache-2.0
// Writes the kernel's module, the top of a package. It connects rill_top with pins that have the names the platform
// requires. It also instantiates the reset synchronizer and, if the design needs it, the source of the second clock.
#include "gen/emit/emit.h"
#include "gen/kernel/kernel.h"
#include "gen/package/package.h"

// RESET_STAGES: flip-flops of the reset synchronizer. LEAST_MHZ, MOST_MHZ: range of the frequency of an MMCM's
// oscillator. MOST_MULTIPLE: largest multiplier of an MMCM.
enum { RESET_STAGES = 3, LEAST_MHZ = 800, MOST_MHZ = 1600, MOST_MULTIPLE = 64 };

int package_controls(const struct ir *ir, const char *module[PACKAGE_CONTROLS]) {
    module[0] = rtl_reset.module;
    module[1] = rtl_clock_2x.module;
    module[2] = rtl_clock_guard.module;
    return ir_second_clock(ir) ? 3 : 1;
}

static void add_pin(const char *port, const struct package_pin *pin, struct text *out) {
    text_addf(out, ",\n    %s wire ", pin->is_output ? "output" : "input ");
    if (pin->is_vector) text_addf(out, "[%d:0] ", pin->bits - 1);
    text_addf(out, "%s_%s", port, pin->name);
}

static void add_ports(const struct package *p, struct text *out) {
    struct package_pin control[PACKAGE_CONTROL_PINS], master[PACKAGE_MASTER_PINS];
    package_control_pins(control);
    package_master_pins(p, master);
    text_add(out, "    input  wire ap_clk,\n    input  wire ap_rst_n, // active low, synchronous\n"
                  "    output wire interrupt");
    for (int i = 0; i < PACKAGE_CONTROL_PINS; i++) add_pin(PACKAGE_CONTROL, &control[i], out);
    for (int c = 0; c < p->ir->design.channels; c++)
        for (int i = 0; i < PACKAGE_MASTER_PINS; i++) add_pin(package_master(p, c), &master[i], out);
}

static void add_design(const struct package *p, struct text *out) {
    text_addf(out, "    rill_top u_top (%s.rst(rst), .interrupt(interrupt)",
              ir_second_clock(p->ir) ? ".clk(ap_clk), .clk_2x(clk_2x), .clock_state(clock_state), " : ".clk(ap_clk), ");
    for (int s = 0; s < EMIT_AXIL_SIGNALS; s++)
        text_addf(out, ",\n        .%s_%s(%s_%s)", PACKAGE_CONTROL, emit_axil_signals[s].name, PACKAGE_CONTROL,
                  emit_axil_signals[s].name);
    for (int c = 0; c < p->ir->design.channels; c++)
        for (int s = 0; s < EMIT_AXI_SIGNALS; s++) {
            const char *pin = arena_printf(p->arena, "%s_%s", package_master(p, c), emit_axi_signals[s].name);
            text_addf(out, ",\n        .%s(%s)", pin, pin);
        }
    text_add(out, ");\n");
}

// Returns the multiple of the clock at which an MMCM's oscillator runs: the largest even number from 2 to MOST_MULTIPLE
// with which the frequency does not exceed MOST_MHZ. It is even, because clk_2x is an integer fraction of it.
static int oscillator(double mhz) {
    int even = (int)(MOST_MHZ / mhz / 2) * 2;
    return even < 2 ? 2 : even > MOST_MULTIPLE ? MOST_MULTIPLE : even;
}

void package_clock_range(const struct package *p, int *lowest, int *highest) {
    int multiple = oscillator(p->ir->design.clock_mhz);
    *lowest = (LEAST_MHZ + multiple - 1) / multiple;
    *highest = MOST_MHZ / multiple;
}

static void add_clocks(const struct package *p, struct text *out) {
    double mhz = p->ir->design.clock_mhz;
    text_addf(
        out,
        "    wire clk_2x;\n    wire [31:0] clock_state;\n    %s #(.PERIOD_PS(%d), .MULTIPLY(%d)) u_clock (\n        "
        ".ap_clk(ap_clk), .rst(rst), .clk_2x(clk_2x), .state(clock_state));\n",
        rtl_clock_2x.module, (int)(1e6 / mhz + 0.5), oscillator(mhz));
}

void package_wrapper(const struct package *p, struct text *out) {
    text_addf(out, "%s\n// The kernel: rill_top behind the platform's pins.\n`default_nettype none\n\nmodule %s (\n",
              package_comment(p, "//"), p->name);
    add_ports(p, out);
    text_add(out, "\n);\n");
    text_addf(out, "    wire rst;\n    %s #(.STAGES(%d)) u_reset (.clk(ap_clk), .ap_rst_n(ap_rst_n), .rst(rst));\n",
              rtl_reset.module, RESET_STAGES);
    if (ir_second_clock(p->ir)) add_clocks(p, out);
    text_add(out, "\n");
    add_design(p, out);
    text_add(out, "endmodule\n\n`default_nettype wire\n");
}
