// SPDX-License-Identifier: Apache-2.0
// The clocks of a kernel whose multipliers work twice in a cycle, of the platform's one: clk, of its frequency, and
// clk_2x, of twice that, which rises with clk and in the middle between.
//
// RILL_VENDOR_CELLS: one MMCM of UltraScale+ makes both, so that they come over like buffers with the same delay (the
// constraints of a package put them into one CLOCK_DELAY_GROUP) and paths between them have as little skew as any.
// Its feedback keeps them in phase with ap_clk, so paths from and to the platform's registers are timed as those of one
// clock. locked is 0 until then, and at any loss of ap_clk; it is not synchronous: the design's reset takes it over
// registers (rill_reset).
// Without that macro both are ap_clk, and multipliers do not look at clk_2x. Those of RILL_PUMP do: a bench then drives
// both clocks of the design itself, not of its kernel.
// MULTIPLY * 1000000 / PERIOD_PS, the frequency of the MMCM's oscillator, is 800 to 1600 MHz.
// Reset: none.
//
// name       meaning                       unit  range
// PERIOD_PS  of ap_clk                     ps    1 or more
// MULTIPLY   of the oscillator, even       -     2 to 64
`default_nettype none

module rill_clock_2x #(
    parameter PERIOD_PS = 0,
    parameter MULTIPLY = 0
) (
    input  wire ap_clk,
    output wire clk,
    output wire clk_2x,
    output wire locked
);
    generate
        if (PERIOD_PS < 1) begin : gen_bad_period
            rill_error_PERIOD_PS_must_be_at_least_1 u_error ();
        end
        if (MULTIPLY < 2 || MULTIPLY > 64 || MULTIPLY % 2 != 0) begin : gen_bad_multiply
            rill_error_MULTIPLY_must_be_even_and_2_to_64 u_error ();
        end
    endgenerate

`ifdef RILL_VENDOR_CELLS
    wire feedback, feedback_q, once, twice;
    MMCME4_BASE #(.CLKIN1_PERIOD(PERIOD_PS / 1000.0), .DIVCLK_DIVIDE(1), .CLKFBOUT_MULT_F(MULTIPLY * 1.0),
        .CLKOUT0_DIVIDE_F(MULTIPLY * 1.0), .CLKOUT1_DIVIDE(MULTIPLY / 2)) u_mmcm (
        .CLKIN1(ap_clk), .CLKFBIN(feedback_q), .CLKFBOUT(feedback), .CLKOUT0(once), .CLKOUT1(twice), .LOCKED(locked),
        .RST(1'b0), .PWRDWN(1'b0));
    BUFG u_feedback (.I(feedback), .O(feedback_q));
    BUFG u_clk (.I(once), .O(clk));
    BUFG u_clk_2x (.I(twice), .O(clk_2x));
`else
    assign {clk, clk_2x, locked} = {ap_clk, ap_clk, 1'b1};
`endif
endmodule

`default_nettype wire
