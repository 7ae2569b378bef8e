// SPDX-License-Identifier: Apache-2.0
// The second clock of a kernel whose multipliers work twice in a cycle: clk_2x, of twice the frequency of the
// platform's ap_clk. It rises with ap_clk, and once in the middle between.
//
// RILL_VENDOR_CELLS: an MMCM of UltraScale+ makes clk_2x of ap_clk. Its feedback goes over a buffer of its own, which
// the constraints of a package put into one CLOCK_DELAY_GROUP with the buffer of clk_2x. So both have the same delay,
// and clk_2x rises with ap_clk. All other registers of the design are at ap_clk: the host's registers and the memory
// ports work whether clk_2x is there or not. rill_clock_guard resets the MMCM, and state says whether clk_2x may be
// used.
// Without that macro clk_2x is ap_clk, with one edge in a cycle, and multipliers do not look at it. Those of RILL_PUMP
// do: a bench then drives both clocks of the design itself, not of its kernel.
// MULTIPLY * 1000000 / PERIOD_PS, the frequency of the MMCM's oscillator, is 800 to 1600 MHz.
// state: as of rill_clock_guard. Reset: ap_clk, synchronous active-high rst.
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
