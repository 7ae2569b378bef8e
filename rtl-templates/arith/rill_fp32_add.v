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

    // What a stage computes is a function, so that a simulator evaluates it only where the stage moves. The stages are cut for 250 MHz
    // (docs/timing.md): what decides late is computed for both outcomes before.

    // Stage 1: the operand with the larger magnitude becomes "big"; the other one shifts right by the distance of the exponents, here by
    // whole bytes. Both distances are clamped before it is known which counts.
    // {sign, subtract, fault, exponent, big, lesser, lesser shifted by bytes, shift}
    function [90:0] sort(input [31:0] p, input [31:0] q);
        reg        swap;
        reg [7:0]  distance_p;
        reg [7:0]  distance_q;
        reg [4:0]  shift_p;
        reg [4:0]  shift_q;
        reg [4:0]  shift;
        reg [23:0] p_whole;
        reg [23:0] q_whole;
        reg [23:0] lesser;
        reg [26:0] bytes;
        begin
            swap = p[30:0] < q[30:0];
            distance_q = p[30:23] - q[30:23];
            distance_p = q[30:23] - p[30:23];
            shift_q = distance_q > 8'd27 ? 5'd27 : distance_q[4:0];
            shift_p = distance_p > 8'd27 ? 5'd27 : distance_p[4:0];
            shift = swap ? shift_p : shift_q;
            p_whole = {|p[30:23], |p[30:23] ? p[22:0] : 23'd0};
            q_whole = {|q[30:23], |q[30:23] ? q[22:0] : 23'd0};
            lesser = swap ? p_whole : q_whole;
            bytes = {lesser, 3'd0} >> {shift[4:3], 3'd0};
            sort = {swap ? q[31] : p[31], p[31] ^ q[31], swap ? &q[30:23] : &p[30:23], swap ? q[30:23] : p[30:23],
                    swap ? q_whole : p_whole, lesser, bytes, shift};
        end
    endfunction

    reg         sign1_q, sub1_q, fault1_q;
    reg  [7:0]  exponent1_q;
    reg  [23:0] big1_q, lesser1_q;
    reg  [26:0] bytes1_q;
    reg  [4:0]  shift1_q;

    always @(posedge clk) begin
        if (en)
            {sign1_q, sub1_q, fault1_q, exponent1_q, big1_q, lesser1_q, bytes1_q, shift1_q} <= sort(a, b);
    end

    // Stage 2: align with guard, round and sticky bits (what the whole shift drops), add or subtract; which nibbles of the sum hold
    // anything. {nibbles, sum}
    function [34:0] combine(input subtract, input [23:0] big, input [23:0] lesser, input [26:0] bytes, input [4:0] shift);
        reg [26:0] kept;
        reg [27:0] addend;
        reg [27:0] sum;
        begin
            kept = bytes >> shift[2:0];
            addend = {1'b0, kept[26:1], kept[0] | |({lesser, 3'd0} & ~(27'h7ffffff << shift))};
            sum = subtract ? {1'b0, big, 3'd0} - addend : {1'b0, big, 3'd0} + addend;
            combine = {|sum[27:24], |sum[23:20], |sum[19:16], |sum[15:12], |sum[11:8], |sum[7:4], |sum[3:0], sum};
        end
    endfunction

    reg         sign2_q, sub2_q, fault2_q;
    reg  [7:0]  exponent2_q;
    reg  [27:0] sum2_q;
    reg  [6:0]  nibble2_q;

    always @(posedge clk) begin
        if (en) begin
            sign2_q <= sign1_q;
            sub2_q <= sub1_q;
            fault2_q <= fault1_q;
            exponent2_q <= exponent1_q;
            {nibble2_q, sum2_q} <= combine(sub1_q, big1_q, lesser1_q, bytes1_q, shift1_q);
        end
    end

    // Stage 3: normalize by whole nibbles, and find the zeros before the first one of the nibble that then leads. Bit 27 is the carry.
    // {exponent, sum, zeros}
    function [38:0] normalize(input [6:1] nibble, input [27:0] sum, input [7:0] exponent);
        reg [2:0]  coarse;
        reg [26:0] half;
        reg [15:0] zeros; // of nibble n, its leading zeros at bits 2 * n
        integer    n;
        begin
            coarse = nibble[6] ? 3'd0 : nibble[5] ? 3'd1 : nibble[4] ? 3'd2 : nibble[3] ? 3'd3 : nibble[2] ? 3'd4 : nibble[1] ? 3'd5 : 3'd6;
            zeros = 16'd0;
            for (n = 0; n < 7; n = n + 1)
                zeros[2*n +: 2] = sum[27-4*n] ? 2'd0 : sum[26-4*n] ? 2'd1 : sum[25-4*n] ? 2'd2 : 2'd3;
            half = sum[26:0] << {coarse, 2'd0};
            normalize = {{2'd0, exponent} + 10'd1 - {5'd0, coarse, 2'd0}, half, zeros[{coarse, 1'b0} +: 2]};
        end
    endfunction

    reg         sign3_q, none3_q, fault3_q;
    reg  [9:0]  exponent3_q;
    reg  [26:0] half3_q;
    reg  [1:0]  fine3_q;

    always @(posedge clk) begin
        if (en) begin
            sign3_q <= sign2_q && !(sub2_q && nibble2_q == 7'd0);
            none3_q <= nibble2_q == 7'd0;
            fault3_q <= fault2_q;
            {exponent3_q, half3_q, fine3_q} <= normalize(nibble2_q[6:1], sum2_q, exponent2_q);
        end
    end

    // Stage 4: the last three places, then round; a carry out of the fraction goes into the exponent. {y, fault}
    // An exact sum: what lies below the normal range needs no rounding before it is flushed.
    function [32:0] round(input sign, input none, input broken, input [9:0] coarse, input [26:0] half, input [1:0] fine);
        reg [26:0] normal;
        reg [9:0]  exponent;
        reg        zero;
        reg [31:0] rounded;
        begin
            normal = half << fine;
            exponent = coarse - {8'd0, fine};
            zero = none || exponent[9] || exponent == 10'd0;
            rounded = {exponent[8:0], normal[26:4]} + {31'd0, normal[3] && (normal[4] || |normal[2:0])};
            round = {zero ? {sign, 31'd0} : {sign, rounded[30:0]}, broken || (!zero && rounded[31:23] >= 9'd255)};
        end
    endfunction

    always @(posedge clk) begin
        if (en)
            {y, fault} <= round(sign3_q, none3_q, fault3_q, exponent3_q, half3_q, fine3_q);
    end

endmodule

`default_nettype wire
