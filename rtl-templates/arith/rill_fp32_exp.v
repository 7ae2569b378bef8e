// SPDX-License-Identifier: Apache-2.0
// fp32 exponential: y = exp(a). The error is at most 1 ulp. A result above the largest finite value becomes this value,
// and a result below the smallest normal number becomes +0.
//
// Method: exp(a) = 2^t with t = a * log2(e). The integer part of t becomes the exponent of y. A table of 128 quadratics
// gives the significand from the fraction of t.
// Latency 10 enabled clocks, one result per enabled clock, no reset. Four DSP48E2.
// fault is aligned with y. It is 1 if a is NaN or infinite; y is then undefined.
`default_nettype none

module rill_fp32_exp (
    input  wire        clk,
    input  wire        en,
    input  wire [31:0] a,
    output reg  [31:0] y,
    output reg         fault
);

    localparam [16:0] LOG2E_LOW = 17'h0eca5;  // log2(e) * 2^33 = 0x2e2a8eca5
    localparam [16:0] LOG2E_HIGH = 17'h17154;

    // Stage 1: significand * log2(e), two partial products. |a| >= 128 saturates, and |a| < 2^-28 counts as 0.
    wire [23:0] significand = {1'b1, a[22:0]};
    reg         sign1_q, zero1_q, large1_q, fault1_q;
    reg  [7:0]  exponent1_q;
    reg  [40:0] low1_q, high1_q;

    always @(posedge clk) begin
        if (en) begin
            sign1_q <= a[31];
            zero1_q <= a[30:23] < 8'd99;
            large1_q <= a[30:23] > 8'd133;
            fault1_q <= &a[30:23];
            exponent1_q <= 8'd133 - a[30:23];
            low1_q <= {17'd0, significand} * {24'd0, LOG2E_LOW};
            high1_q <= {17'd0, significand} * {24'd0, LOG2E_HIGH};
        end
    end

    // Stage 2: the sum of both products, cut to 34 bits. If the exponent of a is 6, the largest one that does not
    // saturate, the sum is t * 2^26, where t = |a| * log2(e).
    wire [57:0] product = {17'd0, low1_q} + {high1_q, 17'd0};
    reg         sign2_q, zero2_q, large2_q, fault2_q;
    reg  [5:0]  shift2_q;
    reg  [33:0] product2_q;

    always @(posedge clk) begin
        if (en) begin
            sign2_q <= sign1_q;
            zero2_q <= zero1_q;
            large2_q <= large1_q;
            fault2_q <= fault1_q;
            shift2_q <= exponent1_q[5:0];
            product2_q <= product[57:24];
        end
    end

    // Stage 3: shift right by 6 minus the exponent of a, so that the sum is t * 2^26 for every exponent.
    reg         sign3_q, large3_q, fault3_q;
    reg  [33:0] shifted3_q;

    always @(posedge clk) begin
        if (en) begin
            sign3_q <= sign2_q;
            large3_q <= large2_q;
            fault3_q <= fault2_q;
            shifted3_q <= (product2_q >> shift2_q) & {34{!zero2_q}};
        end
    end

    // Stage 4: round to 2^-25 (half up in magnitude) and negate in one addition. Integer part 9 bits, fraction 25 bits.
    wire        up = shifted3_q[0] ^ sign3_q;
    wire [33:0] t = {sign3_q, shifted3_q[33:1] ^ {33{sign3_q}}} + {33'd0, up};
    reg         sign4_q, large4_q, fault4_q;
    reg  [33:0] t4_q;

    always @(posedge clk) begin
        if (en) begin
            sign4_q <= sign3_q;
            large4_q <= large3_q;
            fault4_q <= fault3_q;
            t4_q <= t;
        end
    end

    // Stage 5: table read, the exponent field without a carry of the significand, and the tests of the range.
    wire signed [8:0] power = t4_q[33:25];
    reg               under5_q, over5_q, fault5_q;
    reg  [7:0]        field5_q;
    reg  [17:0]       d5_q;                   // signed distance from the middle of the segment
    wire [29:0]       c0;
    wire [26:0]       c1;
    wire [17:0]       c2;

    rill_fp32_exp_table u_table (.clk(clk), .en(en), .index(t4_q[24:18]), .c0(c0), .c1(c1), .c2(c2));

    always @(posedge clk) begin
        if (en) begin
            under5_q <= (large4_q && sign4_q) || (!large4_q && power < -9'sd126);
            over5_q <= (large4_q && !sign4_q) || (!large4_q && power > 9'sd127);
            fault5_q <= fault4_q;
            field5_q <= t4_q[32:25] + 8'd127;
            d5_q <= {!t4_q[17], t4_q[16:0]};
        end
    end

    // Stages 6 to 9: the quadratic.
    wire [24:0] value;
    reg  [10:0] side6_q, side7_q, side8_q, side9_q;

    rill_fp32_quadratic #(.D_W(18), .SHIFT2(16), .SHIFT1(22)) u_quadratic
        (.clk(clk), .en(en), .d(d5_q), .c0(c0), .c1(c1), .c2(c2), .y(value));

    always @(posedge clk) begin
        if (en) begin
            side6_q <= {under5_q, over5_q, fault5_q, field5_q};
            side7_q <= side6_q;
            side8_q <= side7_q;
            side9_q <= side8_q;
        end
    end

    // Stage 10: pack. A significand of 2^24 carries into the exponent.
    wire       under9, over9, fault9;
    wire [7:0] field9;
    wire [7:0] field = field9 + {7'd0, value[24]};
    assign {under9, over9, fault9, field9} = side9_q;

    always @(posedge clk) begin
        if (en) begin
            if (under9)
                y <= 32'd0;
            else if (over9 || &field)
                y <= 32'h7f7fffff;
            else
                y <= {1'b0, field, value[22:0]};
            fault <= fault9;
        end
    end

    wire unused = ^{product[23:0], exponent1_q[7:6], value[23]};

endmodule

`default_nettype wire
