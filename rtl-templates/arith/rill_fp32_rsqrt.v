// SPDX-License-Identifier: Apache-2.0
// fp32 reciprocal square root: y = 1 / sqrt(a). The error is at most 1 ulp; powers of four are exact.
//
// A table of quadratics gives the significand of y. It has 128 segments for even exponents of a, and 128 for odd ones.
// Latency 7 enabled clocks, one result per enabled clock, no reset. Two DSP48E2.
// fault is aligned with y. It is 1 if a is zero, subnormal, negative, NaN or infinite; y is then undefined.
`default_nettype none

module rill_fp32_rsqrt (
    input  wire        clk,
    input  wire        en,
    input  wire [31:0] a,
    output reg  [31:0] y,
    output reg         fault
);

    // Stage 1: e is the unbiased exponent of a. The exponent field of y is 126 - floor(e / 2), plus 1 if a is a power
    // of four. e is odd if a[23] is 0, because the bias 127 is odd. side1_q: {fault, power of four, exponent field of
    // y}.
    wire        odd = !a[23];
    wire        power = !odd && a[22:0] == 23'd0;
    wire [7:0]  half = {1'b0, a[30:24]} + {7'd0, a[23]}; // 64 + floor(e / 2)
    reg         odd1_q;
    reg  [22:0] fraction1_q;
    reg  [9:0]  side1_q;

    always @(posedge clk) begin
        if (en) begin
            odd1_q <= odd;
            fraction1_q <= a[22:0];
            side1_q <= {a[31] || a[30:23] == 8'd0 || &a[30:23], power, 8'd190 - half + {7'd0, power}};
        end
    end

    // Stage 2: table read. Stages 3 to 6: the quadratic.
    wire [29:0] c0;
    wire [26:0] c1;
    wire [17:0] c2;
    wire [24:0] value;
    reg  [15:0] d2_q; // signed distance from the middle of the segment
    reg  [9:0]  side2_q, side3_q, side4_q, side5_q, side6_q;

    rill_fp32_rsqrt_table u_table (.clk(clk), .en(en), .index({odd1_q, fraction1_q[22:16]}), .c0(c0), .c1(c1), .c2(c2));
    rill_fp32_quadratic #(.D_W(16), .SHIFT2(14), .SHIFT1(19)) u_quadratic
        (.clk(clk), .en(en), .d(d2_q), .c0(c0), .c1(c1), .c2(c2), .y(value));

    always @(posedge clk) begin
        if (en) begin
            d2_q <= {!fraction1_q[15], fraction1_q[14:0]};
            side2_q <= side1_q;
            side3_q <= side2_q;
            side4_q <= side3_q;
            side5_q <= side4_q;
            side6_q <= side5_q;
        end
    end

    // Stage 7: pack. A power of four has fraction 0.
    wire       fault6, power6;
    wire [7:0] field6;
    assign {fault6, power6, field6} = side6_q;

    always @(posedge clk) begin
        if (en) begin
            y <= {1'b0, field6, power6 ? 23'd0 : value[22:0]};
            fault <= fault6;
        end
    end

    wire unused = ^value[24:23];

endmodule

`default_nettype wire
