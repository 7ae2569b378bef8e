// SPDX-License-Identifier: Apache-2.0
// What rill_clock_2x uses of an MMCM, for its bench: CLKOUT0 of the input's frequency and CLKOUT1 of twice that, in
// phase with CLKIN1, from four of its periods on. Other ratios, an oscillator beyond 800 to 1600 MHz, an input of
// another period than CLKIN1_PERIOD, or no feedback: x.
`default_nettype none
`timescale 1ns / 1ps

module MMCME4_BASE #(
    parameter real CLKIN1_PERIOD = 0.0,
    parameter real CLKFBOUT_MULT_F = 5.0,
    parameter real CLKOUT0_DIVIDE_F = 1.0,
    parameter integer CLKOUT1_DIVIDE = 1,
    parameter integer DIVCLK_DIVIDE = 1
) (
    input  wire CLKIN1,
    input  wire CLKFBIN,
    output wire CLKFBOUT,
    output reg  CLKOUT0,
    output reg  CLKOUT1,
    output reg  LOCKED,
    input  wire RST,
    input  wire PWRDWN
);
    real    last, period;
    integer edges;
    wire    known = CLKFBOUT_MULT_F == CLKOUT0_DIVIDE_F && CLKFBOUT_MULT_F == 2.0 * $itor(CLKOUT1_DIVIDE)
        && DIVCLK_DIVIDE == 1 && CLKFBOUT_MULT_F * 1000.0 >= 800.0 * CLKIN1_PERIOD
        && CLKFBOUT_MULT_F * 1000.0 <= 1600.0 * CLKIN1_PERIOD
        && RST === 1'b0 && PWRDWN === 1'b0;
    assign CLKFBOUT = CLKOUT0;
    initial begin
        edges = 0;
        {CLKOUT0, CLKOUT1, LOCKED} = 3'b000;
    end
    always @(posedge CLKIN1) begin
        period = $realtime - last;
        last = $realtime;
        edges = edges + 1;
        if (edges > 4) begin
            LOCKED = CLKFBIN === CLKFBOUT && known && period > CLKIN1_PERIOD - 0.01 && period < CLKIN1_PERIOD + 0.01
                ? 1'b1 : 1'bx;
            {CLKOUT0, CLKOUT1} = {2{LOCKED}};
            #(CLKIN1_PERIOD / 4) CLKOUT1 = 1'b0;
            #(CLKIN1_PERIOD / 4) {CLKOUT0, CLKOUT1} = {1'b0, LOCKED};
            #(CLKIN1_PERIOD / 4) CLKOUT1 = 1'b0;
        end
    end
endmodule

`default_nettype wire
