// SPDX-License-Identifier: Apache-2.0
// fp32 reciprocal: y = 1 / a. The error is at most 1 ulp; powers of two are exact. Subnormal results become zero with
// the same sign.
//
// A table of 128 quadratics gives the significand of y.
// Latency 7 enabled clocks, one result per enabled clock, no reset. Two DSP48E2.
// fault is aligned with y. It is 1 if a is zero, subnormal, NaN or infinite; y is then undefined.
`default_nettype none

module rill_fp32_recip (
    input  wire        clk,
    input  wire        en,
    input  wire [31:0] a,
    output reg  [31:0] y,
    output reg         fault
);

    // Stage 1: whether a is a power of two.
    reg  [31:0] a1_q;
    reg         power1_q;

    always @(posedge clk) begin
        if (en) begin
            a1_q <= a;
            power1_q <= a[22:0] == 23'd0;
        end
    end

    // Stage 2: table read. The exponent field of the result is 254 minus that of a if a is a power of two, otherwise
    // 253 minus that of a. If this field would be below 1, the result becomes zero. Stages 3 to 6: the quadratic.
    wire [29:0] c0;
    wire [26:0] c1;
    wire [17:0] c2;
    wire [24:0] value;
    reg  [15:0] d2_q; // signed distance from the middle of the segment
    wire [7:0]  field1 = a1_q[30:23];
    reg  [11:0] side2_q, side3_q, side4_q, side5_q, side6_q;

    rill_fp32_recip_table u_table (.clk(clk), .en(en), .index(a1_q[22:16]), .c0(c0), .c1(c1), .c2(c2));
    rill_fp32_quadratic #(.D_W(16), .SHIFT2(14), .SHIFT1(19)) u_quadratic
        (.clk(clk), .en(en), .d(d2_q), .c0(c0), .c1(c1), .c2(c2), .y(value));

    always @(posedge clk) begin
        if (en) begin
            d2_q <= {!a1_q[15], a1_q[14:0]};
            side2_q <= {a1_q[31], field1 == 8'd0 || &field1, &field1[7:1] || (field1 == 8'd253 && !power1_q), power1_q,
                8'd254 - field1 - {7'd0, !power1_q}};
            side3_q <= side2_q;
            side4_q <= side3_q;
            side5_q <= side4_q;
            side6_q <= side5_q;
        end
    end

    // Stage 7: pack.
    wire       sign6, fault6, under6, power6;
    wire [7:0] field6;
    assign {sign6, fault6, under6, power6, field6} = side6_q;

    always @(posedge clk) begin
        if (en) begin
            if (under6)
                y <= {sign6, 31'd0};
            else
                y <= {sign6, field6, power6 ? 23'd0 : value[22:0]};
            fault <= fault6;
        end
    end

    wire unused = ^value[24:23];

endmodule

`default_nettype wire
