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

    // What a stage computes is a function, so that a simulator evaluates it only where the stage moves.

    // Stage 1: the operand with the larger magnitude becomes "big". {sign, subtract, fault, exponent, big, lesser, shift}
    function [63:0] sort(input [31:0] p, input [31:0] q);
        reg        swap;
        reg [31:0] big;
        reg [30:0] lesser;
        reg [7:0]  distance;
        begin
            swap = p[30:0] < q[30:0];
            big = swap ? q : p;
            lesser = swap ? p[30:0] : q[30:0];
            distance = big[30:23] - lesser[30:23];
            sort = {big[31], p[31] ^ q[31], &big[30:23], big[30:23],
                    big[30:23] != 8'd0, big[30:23] == 8'd0 ? 23'd0 : big[22:0],
                    lesser[30:23] != 8'd0, lesser[30:23] == 8'd0 ? 23'd0 : lesser[22:0],
                    distance > 8'd27 ? 5'd27 : distance[4:0]};
        end
    endfunction

    reg         sign1_q, sub1_q, fault1_q;
    reg  [7:0]  exponent1_q;
    reg  [23:0] big1_q, small1_q;
    reg  [4:0]  shift1_q;

    always @(posedge clk) begin
        if (en)
            {sign1_q, sub1_q, fault1_q, exponent1_q, big1_q, small1_q, shift1_q} <= sort(a, b);
    end

    // Stage 2: align with guard, round and sticky bits, add or subtract.
    function [27:0] align(input [23:0] lesser, input [4:0] shift);
        reg [26:0] wide;
        reg [26:0] kept;
        begin
            wide = {lesser, 3'd0};
            kept = wide >> shift;
            align = {1'b0, kept[26:1], kept[0] | |(wide & ~(27'h7ffffff << shift))};
        end
    endfunction

    reg         sign2_q, sub2_q, fault2_q;
    reg  [7:0]  exponent2_q;
    reg  [27:0] sum2_q;

    always @(posedge clk) begin
        if (en) begin
            sign2_q <= sign1_q;
            sub2_q <= sub1_q;
            fault2_q <= fault1_q;
            exponent2_q <= exponent1_q;
            sum2_q <= {1'b0, big1_q, 3'd0} + (align(small1_q, shift1_q) ^ {28{sub1_q}}) + {27'd0, sub1_q};
        end
    end

    // Stage 3: normalize, by whole nibbles first. Bit 27 is the carry. {zero, exponent, fraction, up}
    // An exact sum: what lies below the normal range needs no rounding before it is flushed.
    function [33:0] normalize(input [27:0] sum, input [7:0] exponent);
        reg [2:0]  coarse;
        reg [27:0] half_normal;
        reg [1:0]  fine;
        reg [26:0] normal;
        reg [9:0]  exponent_normal;
        begin
            coarse = |sum[27:24] ? 3'd0 : |sum[23:20] ? 3'd1 : |sum[19:16] ? 3'd2 : |sum[15:12] ? 3'd3 :
                     |sum[11:8] ? 3'd4 : |sum[7:4] ? 3'd5 : 3'd6;
            half_normal = sum << {coarse, 2'd0};
            fine = half_normal[27] ? 2'd0 : half_normal[26] ? 2'd1 : half_normal[25] ? 2'd2 : 2'd3;
            normal = half_normal[26:0] << fine;
            exponent_normal = {2'd0, exponent} + 10'd1 - {5'd0, coarse, fine};
            normalize = {sum == 28'd0 || exponent_normal[9] || exponent_normal == 10'd0, exponent_normal[8:0],
                         normal[26:4], normal[3] && (normal[4] || |normal[2:0])};
        end
    endfunction

    reg         sign3_q, zero3_q, fault3_q, up3_q;
    reg  [8:0]  exponent3_q;
    reg  [22:0] fraction3_q;

    always @(posedge clk) begin
        if (en) begin
            sign3_q <= sign2_q && !(sub2_q && sum2_q == 28'd0);
            fault3_q <= fault2_q;
            {zero3_q, exponent3_q, fraction3_q, up3_q} <= normalize(sum2_q, exponent2_q);
        end
    end

    // Stage 4: round; a carry out of the fraction goes into the exponent. {y, fault}
    function [32:0] round(input sign, input zero, input broken, input up, input [31:0] value);
        reg [31:0] rounded;
        begin
            rounded = value + {31'd0, up};
            round = {zero ? {sign, 31'd0} : {sign, rounded[30:0]}, broken || (!zero && rounded[31:23] >= 9'd255)};
        end
    endfunction

    always @(posedge clk) begin
        if (en)
            {y, fault} <= round(sign3_q, zero3_q, fault3_q, up3_q, {exponent3_q, fraction3_q});
    end

endmodule

`default_nettype wire
