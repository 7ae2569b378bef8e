// SPDX-License-Identifier: Apache-2.0
// Converts a two's complement integer to fp32, rounded to nearest even.
//
// Latency 4 enabled clocks, one result per enabled clock, no reset. No fault is possible, because 2^127 is finite.
//
// name   meaning               unit  range
// WIDTH  width of the integer  bits  2 to 128
`default_nettype none

module rill_fp32_from_int #(
    parameter WIDTH = 0
) (
    input  wire             clk,
    input  wire             en,
    input  wire [WIDTH-1:0] a,
    output reg  [31:0]      y
);

    // The magnitude is held in 16-bit pieces, at least 48 bits, so that guard and sticky bits exist at any width.
    localparam PIECES = WIDTH <= 48 ? 3 : (WIDTH + 15) / 16;
    localparam FULL_W = PIECES * 16;
    localparam TOP_EXPONENT = 127 + FULL_W - 1;

    generate
        if (WIDTH < 2 || WIDTH > 128) begin : gen_bad_width
            rill_error_WIDTH_must_be_2_to_128 u_error ();
        end
    endgenerate

    // Stage 1: magnitude. With more than four 16-bit pieces, stage 1 also finds which pieces of the magnitude are not
    // zero, without waiting for the carries of the negation. In ~a + 1 a carry enters a piece if all lower pieces of a
    // are zero; the piece is then zero if it is zero in a. Otherwise it is zero if it is all ones in a. With up to four
    // pieces, stage 2 finds the same from the finished magnitude.
    function [PIECES-1:0] pieces_used(input [WIDTH-1:0] from);
        reg [FULL_W-1:0] extended;
        reg              carry;
        integer          n;
        begin
            extended = {{(FULL_W-WIDTH){from[WIDTH-1]}}, from};
            carry = 1'b1;
            pieces_used = {PIECES{1'b0}};
            for (n = 0; n < PIECES; n = n + 1) begin
                pieces_used[n] = from[WIDTH-1] && !carry ? !(&extended[16*n +: 16]) : |extended[16*n +: 16];
                carry = carry && extended[16*n +: 16] == 16'd0;
            end
        end
    endfunction

    reg              sign1_q;
    reg [WIDTH-1:0]  magnitude1_q;

    always @(posedge clk) begin
        if (en) begin
            sign1_q <= a[WIDTH-1];
            magnitude1_q <= (a ^ {WIDTH{a[WIDTH-1]}}) + {{(WIDTH-1){1'b0}}, a[WIDTH-1]};
        end
    end

    // Stage 2: shift by whole pieces until the top piece is not zero.
    wire [FULL_W:0]     wide = {{(FULL_W+1-WIDTH){1'b0}}, magnitude1_q};
    wire [PIECES-1:0]   used;  // a bit for each piece: the piece is not zero
    reg  [2:0]          empty; // pieces above the top one that is not zero
    integer             p;
    genvar              i;

    generate
        if (PIECES > 4) begin : gen_early
            reg [PIECES-1:0] used1_q;
            always @(posedge clk) if (en) used1_q <= pieces_used(a);
            assign used = used1_q;
        end else begin : gen_late
            for (i = 0; i < PIECES; i = i + 1) begin : gen_used
                assign used[i] = |wide[16*i +: 16];
            end
        end
    endgenerate

    always @* begin
        empty = 3'd0;
        for (p = 0; p < PIECES; p = p + 1)
            if (used[p])
                empty = PIECES[2:0] - 3'd1 - p[2:0];
    end

    // Stage 3 gets the top 41 bits. The bits below them only decide the rounding. They are examined for every possible
    // shift while the shift is chosen. lost[i]: if `empty` is i, one of the bits below the top 41 is 1.
    wire [FULL_W-1:0] coarse = wide[FULL_W-1:0] << {empty, 4'd0};
    wire [7:0]        lost;
    generate
        for (i = 0; i < 8; i = i + 1) begin : gen_lost
            if (i < PIECES - 3) begin : gen_pieces         // whole pieces, and seven bits of the piece above them
                assign lost[i] = |used[PIECES-4-i:0] || |wide[16*(PIECES-3-i) +: 7];
            end else if (i < PIECES - 2) begin : gen_some
                assign lost[i] = |wide[6:0];
            end else begin : gen_none
                assign lost[i] = 1'b0;
            end
        end
    endgenerate
    reg               sign2_q, sticky2_q;
    reg  [7:0]        exponent2_q;
    reg  [40:0]       top2_q;  // stage 3 shifts out at most 15 bits, so 26 remain

    always @(posedge clk) begin
        if (en) begin
            sign2_q <= sign1_q;
            sticky2_q <= lost[empty];
            exponent2_q <= TOP_EXPONENT[7:0] - {1'b0, empty, 4'd0};
            top2_q <= coarse[FULL_W-1:FULL_W-41];
        end
    end

    // Stage 3: shift within the piece. Result: {zero, exponent, fraction, up}. The stage's logic is a function, so that
    // a simulator evaluates it only when the stage moves.
    function [32:0] settle(input [7:0] exponent, input [40:0] top, input sticky);
        reg [1:0]  nibbles;
        reg [40:0] near;
        reg [1:0]  bits;
        reg [40:0] normal;
        begin
            nibbles = |top[40:37] ? 2'd0 : |top[36:33] ? 2'd1 : |top[32:29] ? 2'd2 : 2'd3;
            near = top << {nibbles, 2'd0};
            bits = near[40] ? 2'd0 : near[39] ? 2'd1 : near[38] ? 2'd2 : 2'd3;
            normal = near << bits;
            settle = {!normal[40], exponent - {4'd0, nibbles, bits}, normal[39:17],
                normal[16] && (normal[17] || |normal[15:0] || sticky)};
        end
    endfunction

    reg         sign3_q;
    // All results are in one register: with several, a simulator would evaluate the function once for each.
    reg  [32:0] stage3_q;
    wire        zero3, up3;
    wire [7:0]  exponent3;
    wire [22:0] fraction3;
    assign {zero3, exponent3, fraction3, up3} = stage3_q;

    always @(posedge clk) begin
        if (en) begin
            sign3_q <= sign2_q;
            stage3_q <= settle(exponent2_q, top2_q, sticky2_q);
        end
    end

    // Stage 4: round; a carry out of the fraction goes into the exponent.
    wire [30:0] rounded = {exponent3, fraction3} + {30'd0, up3};

    always @(posedge clk) begin
        if (en)
            y <= zero3 ? 32'd0 : {sign3_q, rounded};
    end

    wire unused = &{1'b0, wide[FULL_W], coarse};

endmodule

`default_nettype wire
