// SPDX-License-Identifier: Apache-2.0
// Makes an fp32 number with the Gumbel distribution from 32 random bits: y = -ln(-ln(u)), u = (2 * random + 1) / 2^33.
// y is from -3.13 to 22.88. Sampling adds such a number to each logit and takes the largest sum (docs/numerics.md).
//
// Latency 28 enabled clocks, one result per enabled clock, no reset.
`default_nettype none

module rill_gumbel (
    input  wire        clk,
    input  wire        en,
    input  wire [31:0] random,
    output wire [31:0] y
);
    // Stages 1 and 2: shift {random, 1} left until its leading one is at the top.
    function [5:0] leading(input [32:0] x);
        integer i;
        begin
            leading = 6'd32;
            for (i = 0; i <= 32; i = i + 1)
                if (x[i])
                    leading = 6'd32 - i[5:0];
        end
    endfunction

    reg  [32:0] u1_q;
    reg  [5:0]  zeros1_q;
    reg  [32:0] u2_q;
    reg  [8:0]  exponent2_q;
    always @(posedge clk)
        if (en) begin
            u1_q <= {random, 1'b1};
            zeros1_q <= leading({random, 1'b1});
            u2_q <= u1_q << zeros1_q;
            exponent2_q <= 9'h1ff - {3'd0, zeros1_q};
        end

    // Stages 3 to 15: ln(u), which is below 0, because u is below 1. Stages 16 to 28: the logarithm of its magnitude.
    wire [31:0] inner, outer;
    rill_fp32_ln u_inner (.clk(clk), .en(en), .power(exponent2_q), .fraction(u2_q[31:0]), .y(inner));
    rill_fp32_ln u_outer (.clk(clk), .en(en), .power({1'b0, inner[30:23]} - 9'd127), .fraction({inner[22:0], 9'd0}),
        .y(outer));
    assign y = {!outer[31], outer[30:0]};

    wire unused = &{1'b0, u2_q[32], inner[31]};
endmodule

`default_nettype wire
