// SPDX-License-Identifier: Apache-2.0
// The multipliers' half of rill_matrix_pair: a beat's term of each of two tokens, without the block's exponent.
//
// Free-running pipeline, never stalls:
//     term_i = (sum over the beat of weight * x_i) * group_scale << shift_i mod 8, or that of rill_group_terms
// LATENCY = 10 cycles after valid; both, int4, nibbles, x, group_scale, shift, asym, words and sums are those of
// rill_matrix_pair. A term is given TERM_W bits, enough for the largest factors of all kinds of weights.
// Reset: synchronous; valids only.
//
// name       meaning                                    unit  range
// BEAT_BITS  of a beat                                  bits  256, 512
// ASYM       0: asym, words and sums are not looked at  -     0, 1
// X_BITS     of an element of x                         bits  8, 10
// SUMS_W     of sums                                    bits  derived
// TERM_W     of a term                                  bits  derived
`default_nettype none

module rill_pair_products #(
    parameter BEAT_BITS = 0,
    parameter ASYM = 0,
    parameter X_BITS = 8,
    parameter SUMS_W = (X_BITS + 5) * (BEAT_BITS / 128),
    parameter TERM_W = X_BITS + 26
) (
    input  wire                   clk,
    input  wire                   rst,
    input  wire                   valid,
    input  wire                   both,
    input  wire                   int4,
    input  wire [BEAT_BITS-1:0]   nibbles,
    input  wire [8*BEAT_BITS-1:0] x,
    input  wire [7:0]             group_scale,
    input  wire [9:0]             shift,
    input  wire                   asym,
    input  wire [BEAT_BITS/8-1:0] words,
    input  wire [2*SUMS_W-1:0]    sums,
    output wire [2*TERM_W-1:0]    term         // {term_1, term_0}
);
`include "rill_pair_skew.vh"
    localparam WORDS = BEAT_BITS == 512 ? 16 : 8; // of 8 nibbles
    localparam SIXTEENS = WORDS / 4;
    localparam SPLIT = 26 - X_BITS;               // token 1 in a product of both
    localparam QUAD_W = X_BITS + 6;               // sum of 4
    localparam SUM_W = X_BITS + 8;                // of 16
    localparam HALF_W = X_BITS + 10;              // of a beat
    localparam WHOLE_W = X_BITS + 14;             // low + 16 * high
    localparam SCALED_W = WHOLE_W + 16;
`ifdef SYNTHESIS
    localparam FEW_W = 48;                        // of sums of up to four products in a multiplier's adder
    localparam MANY_W = 48;                       // of more
`elsif RILL_DSP48E2
    localparam FEW_W = 48;
    localparam MANY_W = 48;
`else
    localparam FEW_W = 32;                        // a simulator is fast with these
    localparam MANY_W = PAIR_TREE > 4 ? 64 : 32;
`endif

    generate
        if (BEAT_BITS != 256 && BEAT_BITS != 512) begin : gen_bad_beat
            rill_error_BEAT_BITS_must_be_256_or_512 u_error ();
        end
        if (X_BITS != 8 && X_BITS != 10) begin : gen_bad_x
            rill_error_X_BITS_must_be_8_or_10 u_error ();
        end
    endgenerate

    // What goes along with the beat; index n: valid in stage n.
    reg  [9:1]  valid_q;
    reg  [9:1]  both_q;
    reg  [7:1]  int4_q;
    reg  [55:0] group_scale_q;                 // stages 1..7
    always @(posedge clk) begin
        valid_q <= rst ? 9'd0 : {valid_q[8:1], valid};
        both_q <= rst ? 9'd0 : {both_q[8:1], valid && both};
        int4_q <= {int4_q[6:1], int4};
        group_scale_q <= {group_scale_q[47:0], group_scale};
    end
    wire [7:0]  valid_at = {valid_q[7:1], valid};
    wire [7:0]  int4_at = {int4_q[7:1], int4};

    // Stages 1 to PAIR_TOP + 1: products of both tokens, summed in trees of multipliers (rill_pair_skew.vh), low and
    // high nibbles apart, as parts 0 and 1. A high nibble is signed, a low one where weights have 4 bits. What is alike
    // in all words of the beat stands side by side: a simulator's compiler makes vector instructions of it.
    reg  [BEAT_BITS-1:0] nibbles1_q;           // the beat, a cycle later
    wire        unused_at = &{1'b0, valid_at, int4_at, nibbles1_q};
    always @(posedge clk)
        nibbles1_q <= nibbles;
    genvar h;
    genvar i;
    genvar k;
    generate
        for (k = 0; k < 4; k = k + 1) begin : gen_leaf // nibbles 2, 3, 6 and 7 of each word
            localparam PLACE = k + 2 + k / 2 * 2;
            for (i = 0; i < WORDS; i = i + 1) begin : gen_at
                wire [3:0]       nibble = nibbles[32*i+4*PLACE +: 4];
                wire [FEW_W-1:0] p;
                rill_packed_mul #(.X_BITS(X_BITS), .SUM_W(FEW_W)) u_mul (
                    .clk(clk), .en(valid), .x(x[32*(WORDS*PLACE+i) +: 32]),
                    .weight({nibble[3] && (k % 2 == 1 || int4), nibble}), .sum_in({FEW_W{1'b0}}),
                    .sum_beside({FEW_W{1'b0}}), .p(p));
            end
        end
        for (k = 0; k < 2; k = k + 1) begin : gen_three // nibbles 4 and 5, and the sums of both around them
            for (i = 0; i < WORDS; i = i + 1) begin : gen_at
                wire [3:0]       nibble = nibbles1_q[32*i+4*(4+k) +: 4];
                wire [FEW_W-1:0] p;
                rill_packed_mul #(.X_BITS(X_BITS), .SUMS(2), .SUM_W(FEW_W)) u_mul (
                    .clk(clk), .en(valid_at[1]), .x(x[32*(WORDS*(4+k)+i) +: 32]),
                    .weight({nibble[3] && (k == 1 || int4_at[1]), nibble}), .sum_in(gen_leaf[k].gen_at[i].p),
                    .sum_beside(gen_leaf[2+k].gen_at[i].p), .p(p));
            end
        end
        for (h = 2; h <= PAIR_TOP; h = h + 1) begin : gen_height // nibbles 0 and 1 of the words of that height
            localparam TOP = h == PAIR_TOP;
            for (i = 0; i < (TOP ? 4 * WORDS / PAIR_TREE : 4 * WORDS >> h + 1); i = i + 1) begin : gen_at
                localparam WORD = TOP ? PAIR_TREE / 4 * i : (2 * i + 1 << h) / 4;
                localparam FIRST = TOP ? i : 2 * i;
                localparam LAST = TOP ? i : 2 * i + 1;
                reg [8*h-1:0] late_q;          // stages 1..h
                always @(posedge clk)
                    late_q <= {late_q[8*h-9:0], nibbles[32*WORD +: 8]};
                for (k = 0; k < 2; k = k + 1) begin : gen_part
                    wire [3:0]        nibble = late_q[8*h-8+4*k +: 4];
                    wire [MANY_W-1:0] chained;
                    wire [MANY_W-1:0] beside;
                    wire [MANY_W-1:0] p;
                    if (h == 2) begin : gen_of_three
                        wire [FEW_W-1:0] first = gen_three[k].gen_at[FIRST].p;
                        wire [FEW_W-1:0] last = gen_three[k].gen_at[LAST].p;
                        assign chained = {{(MANY_W-FEW_W+1){first[FEW_W-1]}}, first[FEW_W-2:0]};
                        assign beside = {{(MANY_W-FEW_W+1){last[FEW_W-1]}}, last[FEW_W-2:0]};
                    end else begin : gen_of_more
                        assign chained = gen_height[h-1].gen_at[FIRST].gen_part[k].p;
                        assign beside = gen_height[h-1].gen_at[LAST].gen_part[k].p;
                    end
                    rill_packed_mul #(.BIAS(TOP ? PAIR_TREE : 0), .X_BITS(X_BITS), .SUMS(TOP ? 1 : 2),
                        .SUM_W(MANY_W)) u_mul (
                        .clk(clk), .en(valid_at[h]), .x(x[32*(WORDS*k+WORD) +: 32]),
                        .weight({nibble[3] && (k == 1 || int4_at[h]), nibble}), .sum_in(chained), .sum_beside(beside),
                        .p(p));
                    wire unused_p = &{1'b0, p};
                end
            end
        end
    endgenerate

    // Stage 7: the sums of a beat, signed, of each token and part. With a bias of half their range the first bit of a
    // sum is the inverse of a sign.
    wire [4*HALF_W-1:0] half7;                 // {token 1, token 0}, each {high, low}
    generate
        for (k = 0; k < 4; k = k + 1) begin : gen_half
            localparam AT = k / 2 * SPLIT;
            if (PAIR_TREE == 64) begin : gen_whole
                wire [HALF_W-1:0] sum = gen_height[PAIR_TOP].gen_at[0].gen_part[k%2].p[AT +: HALF_W];
                assign half7[HALF_W*k +: HALF_W] = {!sum[HALF_W-1], sum[HALF_W-2:0]};
            end else if (PAIR_TREE == 32) begin : gen_late
                wire [HALF_W-2:0] sum = gen_height[PAIR_TOP].gen_at[0].gen_part[k%2].p[AT +: HALF_W-1];
                reg  [HALF_W-2:0] sum_q;
                always @(posedge clk)
                    if (valid_q[6])
                        sum_q <= sum;
                assign half7[HALF_W*k +: HALF_W] = {{2{!sum_q[HALF_W-2]}}, sum_q[HALF_W-3:0]};
            end else begin : gen_sums
                reg [HALF_W-1:0] half_q;
                assign half7[HALF_W*k +: HALF_W] = half_q;
                for (i = 0; i < SIXTEENS; i = i + 1) begin : gen_sixteen
                    wire [SUM_W-1:0] sum;
                    if (PAIR_TREE == 16) begin : gen_tree
                        assign sum = gen_height[PAIR_TOP].gen_at[i].gen_part[k%2].p[AT +: SUM_W];
                    end else begin : gen_quads
                        reg [SUM_W-2:0] early_q;
                        reg [SUM_W-2:0] late_q;
                        reg [SUM_W-1:0] sum_q;
                        assign sum = sum_q;
                        always @(posedge clk) begin
                            if (valid_q[3]) begin
                                early_q <= {1'b0, gen_height[PAIR_TOP].gen_at[4*i].gen_part[k%2].p[AT +: QUAD_W]}
                                    + {1'b0, gen_height[PAIR_TOP].gen_at[4*i+1].gen_part[k%2].p[AT +: QUAD_W]};
                                late_q <= {1'b0, gen_height[PAIR_TOP].gen_at[4*i+2].gen_part[k%2].p[AT +: QUAD_W]}
                                    + {1'b0, gen_height[PAIR_TOP].gen_at[4*i+3].gen_part[k%2].p[AT +: QUAD_W]};
                            end
                            if (valid_q[4])
                                sum_q <= {1'b0, early_q} + {1'b0, late_q};
                        end
                    end
                end
                for (i = 0; i < SIXTEENS / 2; i = i + 1) begin : gen_two
                    reg [SUM_W:0] sum_q;
                    always @(posedge clk)
                        if (valid_q[5])
                            sum_q <= {1'b0, gen_sixteen[2*i].sum} + {1'b0, gen_sixteen[2*i+1].sum};
                end
                if (SIXTEENS == 4) begin : gen_four
                    wire [HALF_W-1:0] sum = {1'b0, gen_two[0].sum_q} + {1'b0, gen_two[1].sum_q};
                    always @(posedge clk)
                        if (valid_q[6])
                            half_q <= {!sum[HALF_W-1], sum[HALF_W-2:0]};
                end else begin : gen_of_two
                    always @(posedge clk)
                        if (valid_q[6])
                            half_q <= {{2{!gen_two[0].sum_q[SUM_W]}}, gen_two[0].sum_q[SUM_W-1:0]};
                end
            end
        end
    endgenerate

    // Stage 8: end of the sum. 9: times the group's scale. 10: registers without logic, as all behind them may lie on
    // another die.
    // The scale takes a part of the exponent along: it costs nothing in a DSP.
    generate
        for (i = 0; i < 2; i = i + 1) begin : gen_token
            reg  signed [WHOLE_W-1:0] sum8_q;
            reg  [23:0]        fine_q;         // stages 1..8
            reg  signed [15:0] scale8_q;
            reg  signed [SCALED_W-1:0] scaled9_q;
            (* keep = "true", shreg_extract = "no" *) reg [TERM_W-1:0] term10_q;
            wire [HALF_W-1:0]  low = half7[2*HALF_W*i +: HALF_W];
            wire [HALF_W-1:0]  high = half7[2*HALF_W*i+HALF_W +: HALF_W];
            wire [WHOLE_W-1:0] high_weighted = int4_q[7] ? {{4{high[HALF_W-1]}}, high} : {high, 4'd0};
            wire [SCALED_W-1:0] term9;
            wire [9:7]         active = i == 0 ? valid_q[9:7] : both_q[9:7];
            assign term[TERM_W*i +: TERM_W] = term10_q;
            always @(posedge clk) begin
                fine_q <= {fine_q[20:0], shift[5*i +: 3]};
                if (active[7]) begin
                    scale8_q <= {8'd0, group_scale_q[55:48]} << fine_q[20:18];
                    sum8_q <= {{4{low[HALF_W-1]}}, low} + high_weighted;
                end
                if (active[8])
                    scaled9_q <= sum8_q * scale8_q; // 22 or 24 x 16 bits
                if (active[9])
                    term10_q <= term9[TERM_W-1:0];
            end

            if (ASYM != 0) begin : gen_asym
                reg  [9:1]             asym_q;
                wire [SUM_W*SIXTEENS-1:0] low5;
                wire [SUM_W*SIXTEENS-1:0] high5;
                wire [BEAT_BITS/8-1:0] words6;
                wire [X_BITS+22:0]     groups8;
                reg  [TERM_W-1:0]      groups9_q;
                for (k = 0; k < SIXTEENS; k = k + 1) begin : gen_group
                    assign low5[SUM_W*k +: SUM_W] = gen_half[2*i].gen_sums.gen_sixteen[k].sum;
                    assign high5[SUM_W*k +: SUM_W] = gen_half[2*i+1].gen_sums.gen_sixteen[k].sum;
                end
                always @(posedge clk) begin
                    asym_q <= {asym_q[8:1], asym};
                    if (active[8])
                        groups9_q <= {{3{groups8[X_BITS+22]}}, groups8} << fine_q[23:21];
                end
                rill_delay_line #(.DATA_W(BEAT_BITS / 8), .DEPTH(6)) u_words (.clk(clk), .rst(rst), .en(1'b1),
                    .d(words), .q(words6));
                rill_group_terms #(.BEAT_BITS(BEAT_BITS), .X_BITS(X_BITS), .SIGNED(1)) u_terms (
                    .clk(clk), .en_1(i == 0 ? valid_q[5] : both_q[5]), .en_2(i == 0 ? valid_q[6] : both_q[6]),
                    .en_3(active[7]), .low(low5), .high(high5), .words(words6), .sums(sums[SUMS_W*i +: SUMS_W]),
                    .term(groups8));
                assign term9 = asym_q[9] ? {{(SCALED_W-TERM_W){groups9_q[TERM_W-1]}}, groups9_q} : scaled9_q;
            end else begin : gen_plain
                wire unused_asym = &{1'b0, asym, words, sums, fine_q[23:21]};
                assign term9 = scaled9_q;
            end
            wire unused = &{1'b0, term9, shift};
        end
    endgenerate
endmodule

`default_nettype wire
