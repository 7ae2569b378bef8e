// SPDX-License-Identifier: Apache-2.0
// Counts the firings of a kernel, and so tells to which repetition of its region the kernel's next word belongs.
//
// last is high in the cycle in which the last word of a firing passes. If together is high in the same cycle, the
// firing counts as TOGETHER firings. repetition is the number for the next word, from a register. It counts from 0 to
// LAYERS - 1 and then begins again. Reset: clk, synchronous active-high rst; repetition 0.
//
// name      meaning                                                           unit         range
// FIRINGS   firings of the kernel in a repetition                             firings      1 or more
// LAYERS    repetitions of the region in a step                               repetitions  1 or more
// TOGETHER  firings that a firing with `together` counts as; divides FIRINGS  firings      1 or more
// REP_W     width of repetition                                               bits         derived
`default_nettype none

module rill_repetition #(
    parameter FIRINGS = 0,
    parameter LAYERS = 0,
    parameter TOGETHER = 1,
    parameter REP_W = LAYERS > 1 ? $clog2(LAYERS) : 1
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             last,
    input  wire             together,
    output reg  [REP_W-1:0] repetition
);
    generate
        if (FIRINGS < 1 || LAYERS < 1) begin : gen_bad_counts
            rill_error_FIRINGS_and_LAYERS_must_be_at_least_1 u_error ();
        end
    endgenerate

    localparam FIRE_W = FIRINGS > 1 ? $clog2(FIRINGS) : 1;
    localparam [31:0] LAST_FIRING = FIRINGS - 1;
    localparam [31:0] ALL = TOGETHER;
    localparam [31:0] LAST_TOGETHER = FIRINGS - TOGETHER;
    localparam [31:0] LAST_LAYER = LAYERS - 1;

    reg [FIRE_W-1:0] firing_q;
    wire             several = TOGETHER > 1 && together;
    wire             ends = firing_q == (several ? LAST_TOGETHER[FIRE_W-1:0] : LAST_FIRING[FIRE_W-1:0]);

    always @(posedge clk)
        if (rst) begin
            firing_q <= {FIRE_W{1'b0}};
            repetition <= {REP_W{1'b0}};
        end else if (last) begin
            firing_q <= ends ? {FIRE_W{1'b0}} : firing_q + (several ? ALL[FIRE_W-1:0] : {{(FIRE_W-1){1'b0}}, 1'b1});
            if (ends) repetition <= repetition == LAST_LAYER[REP_W-1:0] ? {REP_W{1'b0}} : repetition + 1'b1;
        end

    wire unused = &{1'b0, together, ALL, LAST_TOGETHER, LAST_FIRING, LAST_LAYER};
endmodule

`default_nettype wire
