// SPDX-License-Identifier: Apache-2.0
// A multiplier of rill_pair_trees, at a height of its tree: rill_packed_mul of one pair of tokens, or rill_pumped_mul
// of two.
//
// PAIRS 1: as rill_packed_mul; x_1, clk_2x and phase are not looked at. PAIRS 2: p holds the sum of pair 0 for half a
// cycle, from 2.5 cycles after x on, and that of pair 1 in the half after it. Where LEVEL is odd x_1 and weight come a
// cycle later than x, and p half a cycle later. en is not looked at. phase: of rill_pump_phase.
// No reset.
//
// name    meaning                           unit      range
// PAIRS   of tokens                         pairs     1, 2
// LEVEL   height in the tree                -         0 or more
// BIAS    whose bias is added here          products  0 to 64
// X_BITS  of an activation                  bits      8, 10
// SUMS    sums that come in                 sums      0, 1, 2
// SUM_W   of a sum                          bits      32, 48, 64
`default_nettype none

module rill_pair_mul #(
    parameter PAIRS = 1,
    parameter LEVEL = 0,
    parameter BIAS = 0,
    parameter X_BITS = 8,
    parameter SUMS = 0,
    parameter SUM_W = 32
) (
    input  wire             clk,
    input  wire             clk_2x,
    input  wire [1:0]       phase,
    input  wire             en,
    input  wire [31:0]      x,
    input  wire [31:0]      x_1,
    input  wire [4:0]       weight,
    input  wire [SUM_W-1:0] sum_in,
    input  wire [SUM_W-1:0] sum_beside,
    output wire [SUM_W-1:0] p,
    output wire [SUM_W-1:0] cascade
);
    generate
        if (PAIRS != 1 && PAIRS != 2) begin : gen_bad_pairs
            rill_error_PAIRS_must_be_1_or_2 u_error ();
        end
        if (PAIRS == 1) begin : gen_packed
            rill_packed_mul #(.BIAS(BIAS), .X_BITS(X_BITS), .SUMS(SUMS), .SUM_W(SUM_W)) u_mul (
                .clk(clk), .en(en), .x(x), .weight(weight), .sum_in(sum_in), .sum_beside(sum_beside), .p(p),
                .cascade(cascade));
            wire unused = &{1'b0, clk_2x, phase, x_1};
        end else begin : gen_pumped
            // In the second half of a cycle the next edge is one of clk. Odd heights work half a cycle later.
            rill_pumped_mul #(.BIAS(BIAS), .X_BITS(X_BITS), .SUMS(SUMS), .SUM_W(SUM_W)) u_mul (
                .clk_2x(clk_2x), .en_x(phase[1]), .en_weight(phase[LEVEL%2==0]), .pick_1(phase[LEVEL%2]),
                .x_0(x), .x_1(x_1), .weight(weight), .sum_in(sum_in), .sum_beside(sum_beside), .p(p),
                .cascade(cascade));
            wire unused = &{1'b0, clk, en};
        end
    endgenerate
endmodule

`default_nettype wire
