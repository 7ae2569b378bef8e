// SPDX-License-Identifier: Apache-2.0
// The second clock, clk_2x, of a kernel whose multipliers work twice per cycle. It has twice the frequency of the
// platform's ap_clk, and every rising edge of ap_clk is also one of clk_2x.
//
// With RILL_VENDOR_CELLS, an MMCM of UltraScale+ makes clk_2x from ap_clk. Its feedback passes a separate buffer. The
// constraints of a package put this buffer and the buffer of clk_2x into one CLOCK_DELAY_GROUP, so both have the same
// delay and the edges coincide. All other registers of the design use ap_clk, so the host's registers and the memory
// ports work even without clk_2x. rill_clock_guard resets the MMCM, and state says whether clk_2x may be used.
// Without RILL_VENDOR_CELLS, clk_2x is ap_clk and the multipliers do not use it. A simulation with RILL_PUMP does not
// use this module: its bench drives both clocks, and the multipliers use clk_2x.
// The frequency of the MMCM's oscillator, MULTIPLY * 1000000 / PERIOD_PS, must be 800 to 1600 MHz.
// Reset: ap_clk, synchronous active-high rst.
//
// name       meaning                                                unit  range
// PERIOD_PS  period of ap_clk                                       ps    1 or more
// MULTIPLY   frequency of the oscillator over that of ap_clk, even  -     2 to 64
`default_nettype none

module rill_clock_2x #(
    parameter PERIOD_PS = 0,
    parameter MULTIPLY = 0
) (
    input  wire        ap_clk,
    input  wire        rst,
    output wire        clk_2x,
    output wire [31:0] state
);
    generate
        if (PERIOD_PS < 1) begin : gen_bad_period
            rill_error_PERIOD_PS_must_be_at_least_1 u_error ();
        end
        if (MULTIPLY < 2 || MULTIPLY > 64 || MULTIPLY % 2 != 0) begin : gen_bad_multiply
            rill_error_MULTIPLY_must_be_even_and_2_to_64 u_error ();
        end
    endgenerate

    wire locked, pll_rst;
`ifdef RILL_VENDOR_CELLS
    localparam EDGES = 2;
    wire feedback, feedback_q, twice;
    MMCME4_BASE #(.CLKIN1_PERIOD(PERIOD_PS / 1000.0), .DIVCLK_DIVIDE(1), .CLKFBOUT_MULT_F(MULTIPLY * 1.0),
        .CLKOUT0_DIVIDE_F(MULTIPLY * 0.5)) u_mmcm (
        .CLKIN1(ap_clk), .CLKFBIN(feedback_q), .CLKFBOUT(feedback), .CLKOUT0(twice), .LOCKED(locked), .RST(pll_rst),
        .PWRDWN(1'b0));
    BUFG u_feedback (.I(feedback), .O(feedback_q));
    BUFG u_clk_2x (.I(twice), .O(clk_2x));
`else
    localparam EDGES = 1;
    assign clk_2x = ap_clk;
    assign locked = !pll_rst;
`endif
    rill_clock_guard #(.EDGES(EDGES)) u_guard (.clk(ap_clk), .clk_2x(clk_2x), .rst(rst), .locked(locked),
        .pll_rst(pll_rst), .state(state));
endmodule

`default_nettype wire
