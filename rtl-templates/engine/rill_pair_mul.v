// SPDX-License-Identifier: Apache-2.0
// One multiplier of rill_pair_trees at height LEVEL of its tree: rill_packed_mul, or at twice the clock
// rill_pumped_mul, which serves two pairs of tokens or two weights.
//
// x and x_1 each hold a pair of tokens. sum_in comes from the port cascade of another multiplier, sum_beside from the
// port p of one.
// PUMP 1: the multiplier is a rill_packed_mul, so p comes 1 cycle after x and weight. x_1, weight_1, clk_2x and phase
// are ignored.
// PUMP 2: 2.5 cycles after x, p holds the product of x and weight plus the sums sum_in and sum_beside, for half a
// cycle. In the next half it holds the product of x_1 and weight (WEIGHTS 1), or of x_1 and weight_1 (WEIGHTS 2), which
// comes a cycle later than x. If LEVEL is odd, x_1 and weight come a cycle later than x, and p half a cycle later. en
// is ignored. phase is {second, first} of rill_pump_phase.
// No reset.
//
// name     meaning                            unit      range
// PUMP     multiplications per cycle          -         1, 2
// WEIGHTS  weights per cycle, at most PUMP    -         1, 2
// LEVEL    height in the tree                 -         0 or more
// BIAS     number of products whose bias is   products  0 to 64
//          added here
// X_BITS   width of an activation             bits      8, 10
// SUMS     number of sum inputs in use        sums      0, 1, 2
// SUM_W    width of a sum                     bits      32, 48, 64
`default_nettype none

module rill_pair_mul #(
    parameter PUMP = 1,
    parameter WEIGHTS = 1,
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
    input  wire [4:0]       weight_1,
    input  wire [SUM_W-1:0] sum_in,
    input  wire [SUM_W-1:0] sum_beside,
    output wire [SUM_W-1:0] p,
    output wire [SUM_W-1:0] cascade
);
    generate
        if ((PUMP != 1 && PUMP != 2) || (WEIGHTS != 1 && WEIGHTS != 2) || WEIGHTS > PUMP) begin : gen_bad_pump
            rill_error_PUMP_and_WEIGHTS_must_be_1_or_2_and_WEIGHTS_at_most_PUMP u_error ();
        end
        if (PUMP == 1) begin : gen_packed
            rill_packed_mul #(.BIAS(BIAS), .X_BITS(X_BITS), .SUMS(SUMS), .SUM_W(SUM_W)) u_mul (
                .clk(clk), .en(en), .x(x), .weight(weight), .sum_in(sum_in), .sum_beside(sum_beside), .p(p),
                .cascade(cascade));
            wire unused = &{1'b0, clk_2x, phase, x_1, weight_1};
        end else if (WEIGHTS == 1) begin : gen_pumped
            // phase is {second, first}: in the second half of a cycle the next edge is one of clk. Odd heights work
            // half a cycle later than even ones.
            rill_pumped_mul #(.BIAS(BIAS), .X_BITS(X_BITS), .SUMS(SUMS), .SUM_W(SUM_W)) u_mul (
                .clk_2x(clk_2x), .en_x(phase[1]), .en_weight(phase[LEVEL%2==0]), .pick_1(phase[LEVEL%2]),
                .x_0(x), .x_1(x_1), .weight(weight), .sum_in(sum_in), .sum_beside(sum_beside), .p(p),
                .cascade(cascade));
            wire unused = &{1'b0, clk, en, weight_1};
        end else begin : gen_halves
            // There is a weight at each edge of clk_2x: weight_1 in the half in which x_1 is picked.
            rill_pumped_mul #(.BIAS(BIAS), .X_BITS(X_BITS), .SUMS(SUMS), .SUM_W(SUM_W)) u_mul (
                .clk_2x(clk_2x), .en_x(phase[1]), .en_weight(1'b1), .pick_1(phase[LEVEL%2]),
                .x_0(x), .x_1(x_1), .weight(phase[LEVEL%2] ? weight_1 : weight), .sum_in(sum_in),
                .sum_beside(sum_beside), .p(p), .cascade(cascade));
            wire unused = &{1'b0, clk, en};
        end
    endgenerate
endmodule

`default_nettype wire
