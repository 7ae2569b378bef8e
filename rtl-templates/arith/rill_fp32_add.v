// SPDX-License-Identifier: Apache-2.0
// fp32 addition: y = a + b, round to nearest even, subnormals read and written as zeros of their sign.
//
// Latency 4 enabled clocks, one result per enabled clock, no reset. Subtract by inverting b[31].
// fault is aligned with y: NaN or infinite operand, or the sum overflows; y is then undefined.
`default_nettype none

module rill_fp32_add (
    input  wire        clk,
    input  wire        en,
    input  wire [31:0] a,
    input  wire [31:0] b,
    output reg  [31:0] y,
    output reg         fault
);

    // Stage 1: the operand with the larger magnitude becomes "big".
    wire        swap = a[30:0] < b[30:0];
    wire [31:0] big = swap ? b : a;
    wire [30:0] lesser = swap ? a[30:0] : b[30:0];
    wire [7:0]  distance = swap ? b[30:23] - a[30:23] : a[30:23] - b[30:23];
    wire        big_zero = big[30:23] == 8'd0;
    wire        small_zero = lesser[30:23] == 8'd0;

    reg         sign1_q, sub1_q, fault1_q;
    reg  [7:0]  exponent1_q;
    reg  [23:0] big1_q, small1_q;
    reg  [4:0]  shift1_q;

    always @(posedge clk) begin
        if (en) begin
            sign1_q <= big[31];
            sub1_q <= a[31] ^ b[31];
            fault1_q <= &big[30:23];
            exponent1_q <= big[30:23];
            big1_q <= {!big_zero, big_zero ? 23'd0 : big[22:0]};
            small1_q <= {!small_zero, small_zero ? 23'd0 : lesser[22:0]};
            shift1_q <= distance > 8'd27 ? 5'd27 : distance[4:0];
        end
    end

    // Stage 2: align with guard, round and sticky bits, add or subtract.
    wire [26:0] small_wide = {small1_q, 3'd0};
    wire [26:0] kept = small_wide >> shift1_q;
    wire        sticky = |(small_wide & ~(27'h7ffffff << shift1_q));
    wire [27:0] addend = {1'b0, kept[26:1], kept[0] | sticky};

    reg         sign2_q, sub2_q, fault2_q;
    reg  [7:0]  exponent2_q;
    reg  [27:0] sum2_q;

    always @(posedge clk) begin
        if (en) begin
            sign2_q <= sign1_q;
            sub2_q <= sub1_q;
            fault2_q <= fault1_q;
            exponent2_q <= exponent1_q;
            sum2_q <= sub1_q ? {1'b0, big1_q, 3'd0} - addend : {1'b0, big1_q, 3'd0} + addend;
        end
    end

    // Stage 3: normalize, by whole nibbles first. Bit 27 is the carry.
    wire [6:0]  nibble = {|sum2_q[27:24], |sum2_q[23:20], |sum2_q[19:16], |sum2_q[15:12], |sum2_q[11:8], |sum2_q[7:4], |sum2_q[3:0]};
    wire [2:0]  coarse = nibble[6] ? 3'd0 : nibble[5] ? 3'd1 : nibble[4] ? 3'd2 : nibble[3] ? 3'd3 :
                         nibble[2] ? 3'd4 : nibble[1] ? 3'd5 : 3'd6;
    wire [27:0] half_normal = sum2_q << {coarse, 2'd0};
    wire [1:0]  fine = half_normal[27] ? 2'd0 : half_normal[26] ? 2'd1 : half_normal[25] ? 2'd2 : 2'd3;
    wire [26:0] normal = half_normal[26:0] << fine;
    wire [9:0]  exponent_normal = {2'd0, exponent2_q} + 10'd1 - {5'd0, coarse, fine};

    reg         sign3_q, zero3_q, fault3_q, up3_q;
    reg  [8:0]  exponent3_q;
    reg  [22:0] fraction3_q;

    always @(posedge clk) begin
        if (en) begin
            sign3_q <= nibble == 7'd0 ? sign2_q && !sub2_q : sign2_q;
            // An exact sum: what lies below the normal range needs no rounding before it is flushed.
            zero3_q <= nibble == 7'd0 || exponent_normal[9] || exponent_normal == 10'd0;
            fault3_q <= fault2_q;
            exponent3_q <= exponent_normal[8:0];
            fraction3_q <= normal[26:4];
            up3_q <= normal[3] && (normal[4] || |normal[2:0]);
        end
    end

    // Stage 4: round; a carry out of the fraction goes into the exponent.
    wire [31:0] rounded = {exponent3_q, fraction3_q} + {31'd0, up3_q};

    always @(posedge clk) begin
        if (en) begin
            y <= zero3_q ? {sign3_q, 31'd0} : {sign3_q, rounded[30:0]};
            fault <= fault3_q || (!zero3_q && rounded[31:23] >= 9'd255);
        end
    end

endmodule

`default_nettype wire
