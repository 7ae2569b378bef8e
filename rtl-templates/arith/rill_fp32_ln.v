// SPDX-License-Identifier: Apache-2.0
// Natural logarithm in fp32: y = ln(m * 2^power), where m = 1 + fraction * 2^-32. The relative error is below 2^-22.5.
//
// y is the sum of power * ln(2) and of (m - 1) * factor, rounded once. A table of 128 quadratics gives factor, which is
// ln(m) / (m - 1) with 24 bits. From m = 3/2 on, m is halved and power incremented, so that the two terms do not
// cancel.
// Latency 13 enabled clocks, one result per enabled clock, no reset. No fault is possible, because the caller rejects
// operands that are not positive.
`default_nettype none

module rill_fp32_ln (
    input  wire        clk,
    input  wire        en,
    input  wire [8:0]  power,             // two's complement, -127 to 127
    input  wire [31:0] fraction,
    output reg  [31:0] y
);
    localparam signed [65:0] LN2 = 66'sh0b17217f7d1cf7a;  // ln(2) * 2^56

    // Stage 1: table read.
    wire [29:0]        c0;
    wire [26:0]        c1;
    wire [17:0]        c2;
    reg  [17:0]        d1_q;                 // signed distance from the middle of the segment
    reg  signed [33:0] distance1_q;          // (m - 1) * 2^33
    reg  signed [9:0]  exponent1_q;

    rill_fp32_ln_table u_table (.clk(clk), .en(en), .index(fraction[31:25]), .c0(c0), .c1(c1), .c2(c2));
    always @(posedge clk)
        if (en) begin
            d1_q <= {!fraction[24], fraction[23:7]};
            distance1_q <= fraction[31] ? {2'b11, fraction} : {1'b0, fraction, 1'b0};
            exponent1_q <= {power[8], power} + {9'd0, fraction[31]};
        end

    // Stages 2 to 5: the factor, by the quadratic.
    wire [24:0]        factor;
    reg  signed [33:0] distance2_q, distance3_q, distance4_q, distance5_q;
    reg  signed [9:0]  exponent2_q, exponent3_q, exponent4_q, exponent5_q;

    rill_fp32_quadratic #(.D_W(18), .SHIFT2(16), .SHIFT1(22)) u_quadratic
        (.clk(clk), .en(en), .d(d1_q), .c0(c0), .c1(c1), .c2(c2), .y(factor));
    always @(posedge clk)
        if (en) begin
            distance2_q <= distance1_q;
            distance3_q <= distance2_q;
            distance4_q <= distance3_q;
            distance5_q <= distance4_q;
            exponent2_q <= exponent1_q;
            exponent3_q <= exponent2_q;
            exponent4_q <= exponent3_q;
            exponent5_q <= exponent4_q;
        end

    // Stage 6: products of the factor with both halves of m - 1, and power * ln(2). Stage 7: the sum of the products.
    // Stage 8: the sum of both terms, which is the result * 2^56.
    wire signed [59:0] factor_wide = {35'd0, factor};
    reg  signed [59:0] low6_q, high6_q;
    reg  signed [65:0] power6_q, power7_q;
    reg  signed [63:0] product7_q;
    reg  [63:0]        sum8_q;
    wire signed [59:0] low = {43'd0, distance5_q[16:0]};
    wire signed [59:0] high = {{43{distance5_q[33]}}, distance5_q[33:17]};
    wire signed [65:0] exponent_wide = {{56{exponent5_q[9]}}, exponent5_q};
    always @(posedge clk)
        if (en) begin
            low6_q <= low * factor_wide;
            high6_q <= high * factor_wide;
            power6_q <= exponent_wide * LN2;
            product7_q <= {{4{low6_q[59]}}, low6_q} + {high6_q[46:0], 17'd0};
            power7_q <= power6_q;
            sum8_q <= product7_q + power7_q[63:0];
        end

    // Stages 9 to 12: convert to fp32. Stage 13: multiply by 2^-56. A result that is not 0 is never below the smallest
    // normal number.
    wire [31:0] whole;
    rill_fp32_from_int #(.WIDTH(64)) u_whole (.clk(clk), .en(en), .a(sum8_q), .y(whole));
    always @(posedge clk)
        if (en)
            y <= whole[30:23] == 8'd0 ? 32'd0 : {whole[31], whole[30:23] - 8'd56, whole[22:0]};

    wire unused = &{1'b0, high6_q[59:47], power7_q[65:64]};
endmodule

`default_nettype wire
