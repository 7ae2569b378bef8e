// SPDX-License-Identifier: Apache-2.0
// Computes n^2 times the variance of n integers X as an exact integer, for rill_layernorm: y = n * S2 - S1^2. S1 is the
// sum of X, and S2 = high * 2^44 + middle * 2^23 + low is the sum of X^2 (rill_norm_sums).
//
// Latency 6 enabled clocks, one result per enabled clock, no reset. y is below 2^118, because n <= 65536 and |X| <
// 2^43.
//
// name  meaning               unit      range
// N     elements of a vector  elements  1 to 65536
`default_nettype none

module rill_norm_spread #(
    parameter N = 0
) (
    input  wire         clk,
    input  wire         en,
    input  wire [59:0]  s1,      // two's complement
    input  wire [59:0]  high,
    input  wire [59:0]  middle,
    input  wire [59:0]  low,
    output reg  [119:0] y
);
    generate
        if (N < 1 || N > 65536) begin : gen_bad
            rill_error_N_must_be_1_to_65536 u_error ();
        end
    endgenerate

    wire [31:0] n = N;
    wire [36:0] n_wide = {5'd0, n};

    // A number of 60 bits is multiplied by n in three products, each with 20 bits of the number. outer_parts returns
    // the products of the high and the low 20 bits in one word; joined adds the product of the middle 20 bits.
    function [73:0] outer_parts(input [39:0] from, input [36:0] by);
        outer_parts = {{17'd0, from[39:20]} * by, {17'd0, from[19:0]} * by};
    endfunction
    function [76:0] joined(input [73:0] outer, input [36:0] inner);
        joined = {outer[73:37], 3'd0, outer[36:0]} + {20'd0, inner, 20'd0};
    endfunction

    // Stage 1: products with n; |S1|.
    reg [73:0] high_a_q, middle_a_q, low_a_q;
    reg [36:0] high_b_q, middle_b_q, low_b_q;
    reg [59:0] s1_q;
    always @(posedge clk) if (en) begin
        high_a_q <= outer_parts({high[59:40], high[19:0]}, n_wide);
        high_b_q <= {17'd0, high[39:20]} * n_wide;
        middle_a_q <= outer_parts({middle[59:40], middle[19:0]}, n_wide);
        middle_b_q <= {17'd0, middle[39:20]} * n_wide;
        low_a_q <= outer_parts({low[59:40], low[19:0]}, n_wide);
        low_b_q <= {17'd0, low[39:20]} * n_wide;
        s1_q <= (s1 ^ {60{s1[59]}}) + {59'd0, s1[59]};
    end

    // Stage 2: n times each part; products of the quarters of |S1|.
    function [29:0] quarters(input [59:0] from, input [1:0] a, b);
        quarters = {15'd0, from[15*a +: 15]} * {15'd0, from[15*b +: 15]};
    endfunction
    reg [76:0] high2_q, middle2_q, low2_q;
    reg [29:0] q00_q, q01_q, q02_q, q03_q, q11_q, q12_q, q13_q, q22_q, q23_q, q33_q;
    always @(posedge clk) if (en) begin
        high2_q <= joined(high_a_q, high_b_q);
        middle2_q <= joined(middle_a_q, middle_b_q);
        low2_q <= joined(low_a_q, low_b_q);
        q00_q <= quarters(s1_q, 2'd0, 2'd0);
        q01_q <= quarters(s1_q, 2'd0, 2'd1);
        q02_q <= quarters(s1_q, 2'd0, 2'd2);
        q03_q <= quarters(s1_q, 2'd0, 2'd3);
        q11_q <= quarters(s1_q, 2'd1, 2'd1);
        q12_q <= quarters(s1_q, 2'd1, 2'd2);
        q13_q <= quarters(s1_q, 2'd1, 2'd3);
        q22_q <= quarters(s1_q, 2'd2, 2'd2);
        q23_q <= quarters(s1_q, 2'd2, 2'd3);
        q33_q <= quarters(s1_q, 2'd3, 2'd3);
    end

    // Stages 3 and 4: each addition begins at the lowest bit of the more significant operand; the bits below it are
    // copied. Products of two different quarters count twice, so they are shifted by one more bit.
    reg [119:0] outer_q, squares_q, n_s2_q, s1_s1_q;
    reg [76:0]  middle3_q;
    reg [60:0]  cross_q;                     // weight of bit 0 is 2^31
    wire [103:0] mixed = {14'd0, q23_q, q03_q, q01_q};
    always @(posedge clk) if (en) begin
        outer_q <= {high2_q[75:0] + {43'd0, low2_q[76:44]}, low2_q[43:0]};
        middle3_q <= middle2_q;
        squares_q <= {{q33_q, q22_q, q11_q, q00_q[29:16]} + mixed, q00_q[15:0]};
        cross_q <= {{1'b0, q13_q, q02_q[29:15]} + {16'd0, q12_q}, q02_q[14:0]};
        n_s2_q <= {outer_q[119:23] + {20'd0, middle3_q}, outer_q[22:0]};
        s1_s1_q <= {squares_q[119:31] + {28'd0, cross_q}, squares_q[30:0]};
    end

    // Stages 5 and 6: the difference, its lower half first.
    reg [60:0]  low5_q;
    reg [59:0]  n_s2_5_q, s1_s1_5_q;
    always @(posedge clk) if (en) begin
        low5_q <= {1'b0, n_s2_q[59:0]} - {1'b0, s1_s1_q[59:0]};
        n_s2_5_q <= n_s2_q[119:60];
        s1_s1_5_q <= s1_s1_q[119:60];
        y <= {n_s2_5_q - s1_s1_5_q - {59'd0, low5_q[60]}, low5_q[59:0]};
    end

    wire unused = high2_q[76];
endmodule

`default_nettype wire
