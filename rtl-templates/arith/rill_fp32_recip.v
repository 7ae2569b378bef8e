// SPDX-License-Identifier: Apache-2.0
// fp32 reciprocal: y = 1 / a, at most 1 ulp, exact for powers of two; subnormal results become zeros of their sign.
//
// Latency 7 enabled clocks, one result per enabled clock, no reset. Two DSP48E2, 128 segments.
// fault is aligned with y: zero, NaN or infinite operand; y is then undefined.
`default_nettype none

module rill_fp32_recip (
    input  wire        clk,
    input  wire        en,
    input  wire [31:0] a,
    output reg  [31:0] y,
    output reg         fault
);

    // Stage 1: exponent field of the result: 254 - field, one less unless a is a power of two. Below 1: flushed.
    wire        power = a[22:0] == 23'd0;
    reg  [22:0] fraction1_q;
    reg  [11:0] side1_q;
    wire [8:0]  field = 9'd254 - {1'b0, a[30:23]} - {8'd0, !power};

    always @(posedge clk) begin
        if (en) begin
            fraction1_q <= a[22:0];
            side1_q <= {a[31], a[30:23] == 8'd0 || &a[30:23], field[8] || field == 9'd0, power, field[7:0]};
        end
    end

    // Stage 2: table read. Stages 3 to 6: the quadratic.
    wire [29:0] c0;
    wire [26:0] c1;
    wire [17:0] c2;
    wire [24:0] value;
    reg  [15:0] d2_q;
    reg  [11:0] side2_q, side3_q, side4_q, side5_q, side6_q;

    rill_fp32_recip_table u_table (.clk(clk), .en(en), .index(fraction1_q[22:16]), .c0(c0), .c1(c1), .c2(c2));
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

    // Stage 7: pack.
    always @(posedge clk) begin
        if (en) begin
            if (side6_q[9])
                y <= {side6_q[11], 31'd0};
            else
                y <= {side6_q[11], side6_q[7:0], side6_q[8] ? 23'd0 : value[22:0]};
            fault <= side6_q[10];
        end
    end

    wire unused = ^value[24:23];

endmodule

`default_nettype wire
