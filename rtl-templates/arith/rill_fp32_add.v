// SPDX-License-Identifier: Apache-2.0
// fp32 addition: y = a + b, rounded to nearest even. Subnormal operands and results become zero with the same sign.
//
// To subtract b, invert b[31].
// Latency 5 enabled clocks, one result per enabled clock, no reset.
// fault is aligned with y. It is 1 if an operand is NaN or infinite, or if the sum overflows; y is then undefined.
`default_nettype none

module rill_fp32_add (
    input  wire        clk,
    input  wire        en,
    input  wire [31:0] a,
    input  wire [31:0] b,
    output wire [31:0] y,
    output wire        fault
);

    // Each stage's logic is a function, so that a simulator evaluates it only when the stage moves. The stages are cut
    // for 250 MHz (docs/clock.md).

    // Stage 1: compare the magnitudes. Result: {sign, subtract, fault, exponent, big, lesser, shift}. big and lesser
    // are the 24-bit significands of the operands with the larger and the smaller magnitude. exponent belongs to big.
    // shift is the right shift of lesser, saturated at 31. Each result is computed for both outcomes of the comparison,
    // in parallel with it, so that only a multiplexer follows the comparison.
    function [63:0] sort(input [31:0] p, input [31:0] q);
        reg        swap;
        reg [7:0]  distance_p;
        reg [7:0]  distance_q;
        reg [4:0]  shift_p;
        reg [4:0]  shift_q;
        reg [23:0] p_whole;
        reg [23:0] q_whole;
        begin
            swap = p[30:0] < q[30:0];
            distance_q = p[30:23] - q[30:23];
            distance_p = q[30:23] - p[30:23];
            shift_q = distance_q[4:0] | {5{|distance_q[7:5]}};
            shift_p = distance_p[4:0] | {5{|distance_p[7:5]}};
            p_whole = {|p[30:23], |p[30:23] ? p[22:0] : 23'd0};
            q_whole = {|q[30:23], |q[30:23] ? q[22:0] : 23'd0};
            sort = {swap ? q[31] : p[31], p[31] ^ q[31], swap ? &q[30:23] : &p[30:23], swap ? q[30:23] : p[30:23],
                    swap ? q_whole : p_whole, swap ? p_whole : q_whole, swap ? shift_p : shift_q};
        end
    endfunction

    // All results are in one register: with several, a simulator would evaluate the function once for each.
    reg  [63:0] stage1_q;
    wire        sign1, sub1, fault1;
    wire [7:0]  exponent1;
    wire [23:0] big1, lesser1;
    wire [4:0]  shift1;
    assign {sign1, sub1, fault1, exponent1, big1, lesser1, shift1} = stage1_q;

    always @(posedge clk) begin
        if (en)
            stage1_q <= sort(a, b);
    end

    // Stage 2: shift lesser right, and append guard, round and sticky bits. The sticky bit is the OR of all bits that
    // are shifted out further.
    function [26:0] align(input [23:0] lesser, input [4:0] shift);
        reg [26:0] kept;
        begin
            kept = {lesser, 3'd0} >> shift;
            align = {kept[26:1], kept[0] | |({lesser, 3'd0} & ~(27'h7ffffff << shift))};
        end
    endfunction

    reg         sign2_q, sub2_q, fault2_q;
    reg  [7:0]  exponent2_q;
    reg  [23:0] big2_q;
    reg  [26:0] addend2_q;

    always @(posedge clk) begin
        if (en) begin
            sign2_q <= sign1;
            sub2_q <= sub1;
            fault2_q <= fault1;
            exponent2_q <= exponent1;
            big2_q <= big1;
            addend2_q <= align(lesser1, shift1);
        end
    end

    // Stage 3: add or subtract. Result: {nibbles, sum}. Bit n of nibbles is set if nibble n of the sum is not zero;
    // nibble 6 is the top one. Bit 27 of the sum is the carry.
    function [34:0] combine(input subtract, input [23:0] big, input [26:0] addend);
        reg [27:0] sum;
        begin
            sum = subtract ? {1'b0, big, 3'd0} - {1'b0, addend} : {1'b0, big, 3'd0} + {1'b0, addend};
            combine = {|sum[27:24], |sum[23:20], |sum[19:16], |sum[15:12], |sum[11:8], |sum[7:4], |sum[3:0], sum};
        end
    endfunction

    reg         sign3_q, sub3_q, fault3_q;
    reg  [7:0]  exponent3_q;
    reg  [34:0] sum3_q;
    wire [6:0]  nibble3 = sum3_q[34:28];

    always @(posedge clk) begin
        if (en) begin
            sign3_q <= sign2_q;
            sub3_q <= sub2_q;
            fault3_q <= fault2_q;
            exponent3_q <= exponent2_q;
            sum3_q <= combine(sub2_q, big2_q, addend2_q);
        end
    end

    // Stage 4: shift the top nonzero nibble of the sum to the top, and count its leading zeros (0 to 3). Result:
    // {exponent, sum, zeros}. exponent is signed. Stage 5 shifts the sum left by zeros and subtracts zeros from
    // exponent. In `zeros` of the function, bits 2 * n + 1 and 2 * n are the leading zeros of nibble n; nibble 0 is the
    // top one.
    function [38:0] normalize(input [6:1] nibble, input [27:0] sum, input [7:0] exponent);
        reg [2:0]  coarse;
        reg [26:0] moved;
        reg [15:0] zeros;
        integer    n;
        begin
            coarse = nibble[6] ? 3'd0 : nibble[5] ? 3'd1 : nibble[4] ? 3'd2 : nibble[3] ? 3'd3 : nibble[2] ? 3'd4
                : nibble[1] ? 3'd5 : 3'd6;
            zeros = 16'd0;
            for (n = 0; n < 7; n = n + 1)
                zeros[2*n +: 2] = sum[27-4*n] ? 2'd0 : sum[26-4*n] ? 2'd1 : sum[25-4*n] ? 2'd2 : 2'd3;
            moved = sum[26:0] << {coarse, 2'd0};
            normalize = {{2'd0, exponent} + 10'd1 - {5'd0, coarse, 2'd0}, moved, zeros[{coarse, 1'b0} +: 2]};
        end
    endfunction

    reg         sign4_q, none4_q, fault4_q;
    reg  [38:0] normal4_q;
    wire [9:0]  exponent4 = normal4_q[38:29];
    wire [26:0] half4 = normal4_q[28:2];
    wire [1:0]  fine4 = normal4_q[1:0];

    always @(posedge clk) begin
        if (en) begin
            sign4_q <= sign3_q && !(sub3_q && nibble3 == 7'd0);
            none4_q <= nibble3 == 7'd0;
            fault4_q <= fault3_q;
            normal4_q <= normalize(nibble3[6:1], sum3_q[27:0], exponent3_q);
        end
    end

    // Stage 5: shift by the remaining 0 to 3 places, then round. Result: {y, fault}. A carry out of the fraction goes
    // into the exponent. A subnormal sum is exact, so it is flushed without rounding. Underflow and overflow are
    // decided from the coarse exponent, in parallel with the rounding addition.
    function [32:0] round(input sign, input none, input broken, input [9:0] coarse, input [26:0] moved,
        input [1:0] fine);
        reg [26:0] normal;
        reg [7:0]  exponent;
        reg        zero;
        reg        over;
        reg [30:0] rounded;
        begin
            normal = moved << fine;
            exponent = coarse[7:0] - {6'd0, fine};
            zero = none || coarse[9] || (coarse[8:2] == 7'd0 && coarse[1:0] <= fine);
            over = &coarse[7:1] && !coarse[9] && (fine == 2'd0 ? coarse[0] || &moved[26:3] : fine == 2'd1 && coarse[0]
                && &moved[25:2]);
            rounded = {exponent, normal[26:4]} + {30'd0, normal[3] && (normal[4] || |normal[2:0])};
            round = {sign, zero ? 31'd0 : rounded, broken || over};
        end
    endfunction

    reg  [32:0] result_q;
    assign {y, fault} = result_q;

    always @(posedge clk) begin
        if (en)
            result_q <= round(sign4_q, none4_q, fault4_q, exponent4, half4, fine4);
    end

endmodule

`default_nettype wire
