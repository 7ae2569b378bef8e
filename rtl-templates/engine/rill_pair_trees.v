// SPDX-License-Identifier: Apache-2.0
// Multipliers of a lane for one or two token pairs. The adders of the multipliers form trees of sums
// (rill_pair_skew.vh).
//
// Free-running pipeline, never stalls. A beat's sums come PAIR_TOP + 1 + PAIR_MORE cycles after valid. Order, low bits
// first: token 0, 1, ..; in each token low nibbles, then high nibbles; in each half the trees of PAIR_TREE bytes, tree
// 0 first. A sum includes a bias, so it is unsigned.
// int4 (1: weights of 4 bits, 0: of 8 bits) and nibbles (the beat) come with valid. x has 32 bits for each nibble: its
// factors for both tokens of a pair, as rill_packed_mul takes them. The factors of nibble 8 w + k are at bit
// 32 * (BEAT_BITS / 32 * k + w) and come pair_skew(8 w + k, pair) cycles after valid (rill_pair_skew.vh).
// PUMP 2 is the pumped form of rill_pair_products. A multiplier works twice per cycle, at clk_2x; every rising edge of
// clk is also one of clk_2x. With two pairs, it multiplies a nibble with pair 0, then with pair 1, whose factors are in
// x_1. With one pair, it multiplies the low nibble of a byte, then the high one. x_1 is ignored with PAIRS 1, clk_2x
// with PUMP 1. PUMP must be 2 if PAIRS is 2.
// Reset: clk, synchronous active-high rst; resets only the valid bits.
//
// name       meaning                                       unit   range
// BEAT_BITS  width of a beat                               bits   256, 512
// ASYM       1: each group of 32 elements has its own sum  -      0, 1
// X_BITS     width of an element of x                      bits   8, 10
// PAIRS      token pairs                                   pairs  1, 2
// PUMP       multiplications per multiplier and cycle      -      1, 2
// TREES      trees of low nibbles, or of high ones         trees  derived
// TOP_W      width of a tree's sum                         bits   derived
`default_nettype none

module rill_pair_trees #(
    parameter BEAT_BITS = 0,
    parameter ASYM = 0,
    parameter X_BITS = 8,
    parameter PAIRS = 1,
    parameter PUMP = PAIRS > 1 ? 2 : 1,
    parameter TREES = X_BITS > 8 ? BEAT_BITS / 32 : ASYM != 0 ? BEAT_BITS / 128 : 1,
    parameter TOP_W = X_BITS + (X_BITS > 8 ? 6 : ASYM != 0 ? 8 : BEAT_BITS == 512 ? 10 : 9)
) (
    input  wire                           clk,
    input  wire                           clk_2x,
    input  wire                           rst,
    input  wire                           valid,
    input  wire                           int4,
    input  wire [BEAT_BITS-1:0]           nibbles,
    input  wire [8*BEAT_BITS-1:0]         x,
    input  wire [8*BEAT_BITS-1:0]         x_1,
    output wire [4*PAIRS*TREES*TOP_W-1:0] sums
);
    `include "rill_pair_skew.vh"
    localparam WORDS = BEAT_BITS == 512 ? 16 : 8; // words of 8 nibbles
    localparam SPLIT = 26 - X_BITS;               // place of token 1 in a product of both
    localparam PARTS = PUMP > PAIRS ? 1 : 2;      // multipliers per byte
    localparam WEIGHTS = 3 - PARTS;               // weights per multiplier and cycle
`ifndef RILL_FAST_SIM
    localparam FEW_W = 48;                        // width of sums of up to four products: the adder of a DSP48E2
    localparam MANY_W = 48;                       // width of sums of more products
`else
    localparam FEW_W = 32;                        // whole words simulate faster; 32 bits are enough for four products
    localparam MANY_W = PAIR_TREE > 4 ? 64 : 32;
`endif

    generate
        if (BEAT_BITS != 256 && BEAT_BITS != 512) begin : gen_bad_beat
            rill_error_BEAT_BITS_must_be_256_or_512 u_error ();
        end
        if (X_BITS != 8 && X_BITS != 10) begin : gen_bad_x
            rill_error_X_BITS_must_be_8_or_10 u_error ();
        end
        if (PAIRS != 1 && PAIRS != 2) begin : gen_bad_pairs
            rill_error_PAIRS_must_be_1_or_2 u_error ();
        end
        if ((PUMP != 1 && PUMP != 2) || PUMP < PAIRS) begin : gen_bad_pump
            rill_error_PUMP_must_be_1_or_2_and_at_least_PAIRS u_error ();
        end
    endgenerate

    // Signals that accompany the beat; index n: valid in stage n.
    reg  [PAIR_TOP:1] valid_q;
    reg  [PAIR_TOP:1] int4_q;
    always @(posedge clk) begin
        valid_q <= rst ? {PAIR_TOP{1'b0}} : {valid_q[PAIR_TOP-1:1], valid};
        int4_q <= {int4_q[PAIR_TOP-1:1], int4};
    end
    wire [PAIR_TOP:0] valid_at = {valid_q, valid};
    wire [PAIR_TOP:0] int4_at = {int4_q, int4};

    // Factors for the second half of a multiplier's cycle, in the order of those for the first half.
    wire [8*BEAT_BITS-1:0] second = PAIRS == 2 ? x_1 : {{32*WORDS{1'b0}}, x[8*BEAT_BITS-1:32*WORDS]};

    // The half of a clk cycle in which logic at clk_2x works, as {second, first} (rill_pump_phase). There is one copy
    // for every two words.
    wire [WORDS-1:0]  phase;
    generate
        if (PUMP == 2) begin : gen_phase
            rill_pump_phase #(.COPIES(WORDS / 2)) u_phase (.clk(clk), .clk_2x(clk_2x), .phase(phase));
        end else begin : gen_no_phase
            assign phase = {WORDS{1'b0}};
        end
    endgenerate

    // Products of two tokens, added in trees of multipliers. Low and high nibbles have separate trees: as parts 0 and
    // 1, or in the two halves of a cycle. A high nibble is signed, and so is a low nibble of 4-bit weights. The loops
    // over the words of a beat are innermost, so that a simulator's compiler turns their equal logic into vector
    // instructions.
    function [4:0] weight_of(input [3:0] nibble, input is_signed);
        weight_of = {nibble[3] && is_signed, nibble};
    endfunction
    reg  [BEAT_BITS-1:0] nibbles1_q;           // the beat, a cycle later
    wire unused_at = &{1'b0, valid_at, int4_at, nibbles1_q, clk_2x, x_1, second};
    always @(posedge clk)
        nibbles1_q <= nibbles;
    genvar h;
    genvar i;
    genvar k;
    generate
        for (k = 0; k < 2 * PARTS; k = k + 1) begin : gen_leaf // nibbles 2, 3, 6 and 7 of each word
            localparam PLACE = k / PARTS * 4 + 2 + k % PARTS;
            for (i = 0; i < WORDS; i = i + 1) begin : gen_at
                wire [FEW_W-1:0] p;
                wire [FEW_W-1:0] cascade;
                rill_pair_mul #(.PUMP(PUMP), .WEIGHTS(WEIGHTS), .LEVEL(0), .X_BITS(X_BITS), .SUM_W(FEW_W)) u_mul (
                    .clk(clk), .clk_2x(clk_2x), .phase(phase[i/2*2 +: 2]), .en(valid_at[0]),
                    .x(x[32*(WORDS*PLACE+i) +: 32]), .x_1(second[32*(WORDS*PLACE+i) +: 32]),
                    .weight(weight_of(nibbles[32*i+4*PLACE +: 4], PLACE % 2 == 1 || int4)),
                    .weight_1(weight_of(nibbles1_q[32*i+PLACE/2*8+4 +: 4], 1'b1)), .sum_in({FEW_W{1'b0}}),
                    .sum_beside({FEW_W{1'b0}}), .p(p), .cascade(cascade));
                wire unused_sums = &{1'b0, p, cascade};
            end
        end
        for (k = 0; k < PARTS; k = k + 1) begin : gen_three // nibbles 4 and 5, and the sums of both neighbours
            for (i = 0; i < WORDS; i = i + 1) begin : gen_at
                wire [FEW_W-1:0] p;
                wire [FEW_W-1:0] cascade;
                rill_pair_mul #(.PUMP(PUMP), .WEIGHTS(WEIGHTS), .LEVEL(1), .X_BITS(X_BITS), .SUMS(2),
                    .SUM_W(FEW_W)) u_mul (
                    .clk(clk), .clk_2x(clk_2x), .phase(phase[i/2*2 +: 2]), .en(valid_at[1]),
                    .x(x[32*(WORDS*(4+k)+i) +: 32]), .x_1(second[32*(WORDS*(4+k)+i) +: 32]),
                    .weight(weight_of(nibbles1_q[32*i+4*(4+k) +: 4], k == 1 || int4_at[1])),
                    .weight_1(weight_of(nibbles1_q[32*i+20 +: 4], 1'b1)), .sum_in(gen_leaf[k].gen_at[i].cascade),
                    .sum_beside(gen_leaf[PARTS+k].gen_at[i].p), .p(p), .cascade(cascade));
                wire unused_sums = &{1'b0, p, cascade};
            end
        end
        for (h = 2; h <= PAIR_TOP; h = h + 1) begin : gen_height // nibbles 0 and 1 of the words of that height
            localparam TOP = h == PAIR_TOP;
            for (i = 0; i < (TOP ? 4 * WORDS / PAIR_TREE : 4 * WORDS >> (h + 1)); i = i + 1) begin : gen_at
                // Multiplier i at height h has byte (2 i + 1) << h of the beat, which is byte 0 of its word. The top of
                // tree i has the first byte of the tree. LATE: stage in which the multiplier takes its weight: h, or
                // with PUMP 2 (h + 1) / 2, because a step of a tree is then half a cycle.
                localparam WORD = TOP ? PAIR_TREE / 4 * i : ((2 * i + 1) << h) / 4;
                localparam FIRST = TOP ? i : 2 * i;
                localparam LAST = TOP ? i : 2 * i + 1;
                localparam LATE = PUMP == 2 ? (h + 1) / 2 : h;
                localparam LATEST = WEIGHTS == 2 ? h / 2 + 1 : LATE; // latest stage of a multiplier's second weight
                reg  [8*LATEST-1:0] late_q;    // stages 1..LATEST
                wire [8*LATEST+7:0] late = {late_q, nibbles[32*WORD +: 8]};
                wire unused_late = &{1'b0, late};
                always @(posedge clk)
                    late_q <= late[8*LATEST-1:0];
                for (k = 0; k < PARTS; k = k + 1) begin : gen_part
                    wire [MANY_W-1:0] chained;
                    wire [MANY_W-1:0] beside;
                    wire [MANY_W-1:0] p;
                    wire [MANY_W-1:0] cascade;
                    if (h == 2) begin : gen_of_three
                        wire [FEW_W-1:0] first = gen_three[k].gen_at[FIRST].cascade;
                        wire [FEW_W-1:0] last = gen_three[k].gen_at[LAST].p;
                        assign chained = {{(MANY_W-FEW_W+1){first[FEW_W-1]}}, first[FEW_W-2:0]};
                        assign beside = {{(MANY_W-FEW_W+1){last[FEW_W-1]}}, last[FEW_W-2:0]};
                    end else begin : gen_of_more
                        assign chained = gen_height[h-1].gen_at[FIRST].gen_part[k].cascade;
                        assign beside = gen_height[h-1].gen_at[LAST].gen_part[k].p;
                    end
                    rill_pair_mul #(.PUMP(PUMP), .WEIGHTS(WEIGHTS), .LEVEL(h), .BIAS(TOP ? PAIR_TREE : 0),
                        .X_BITS(X_BITS), .SUMS(TOP ? 1 : 2), .SUM_W(MANY_W)) u_mul (
                        .clk(clk), .clk_2x(clk_2x), .phase(phase[WORD/2*2 +: 2]), .en(valid_at[h]),
                        .x(x[32*(WORDS*k+WORD) +: 32]), .x_1(second[32*(WORDS*k+WORD) +: 32]),
                        .weight(weight_of(late[8*LATE+4*k +: 4], k == 1 || int4_at[LATE])),
                        .weight_1(weight_of(late[8*LATEST+4 +: 4], 1'b1)), .sum_in(chained),
                        .sum_beside(beside), .p(p), .cascade(cascade));
                    wire unused_sums = &{1'b0, p, cascade};
                end
            end
        end
    endgenerate

    // The sums of both tokens at the top of each tree. With PUMP 2 a multiplier has two sums, one in each half of a
    // cycle. The sum of the half that ends with an edge of clk is registered at clk, the other one at the edge of
    // clk_2x before.
    generate
        for (i = 0; i < TREES; i = i + 1) begin : gen_tree
            for (k = 0; k < PARTS; k = k + 1) begin : gen_of
                wire [MANY_W-1:0]  p = gen_height[PAIR_TOP].gen_at[i].gen_part[k].p;
                wire [2*TOP_W-1:0] halves = {p[SPLIT +: TOP_W], p[0 +: TOP_W]};
                wire [2*PUMP*TOP_W-1:0] all_sums;
                if (PUMP == 1) begin : gen_plain
                    assign all_sums = halves;
                end else begin : gen_pumped
                    reg [2*TOP_W-1:0] fast_q;  // a register at clk_2x
                    reg [2*TOP_W-1:0] sum_0_q;
                    reg [2*TOP_W-1:0] sum_1_q;
                    assign all_sums = {sum_1_q, sum_0_q};
                    always @(posedge clk_2x)
                        fast_q <= halves;
                    if (PAIR_TOP % 2 == 0) begin : gen_second_late
                        reg [2*TOP_W-1:0] first_q;
                        always @(posedge clk) begin
                            first_q <= halves;
                            sum_0_q <= first_q;
                            sum_1_q <= fast_q;
                        end
                    end else begin : gen_first_early
                        always @(posedge clk) begin
                            sum_0_q <= fast_q;
                            sum_1_q <= halves;
                        end
                    end
                end
                for (h = 0; h < 2 * PUMP; h = h + 1) begin : gen_sum // {pair, token}, or {part, token}
                    localparam PLACE = WEIGHTS == 2 ? h % 2 * 2 + h / 2 : 2 * h + k;
                    assign sums[TOP_W*(TREES*PLACE+i) +: TOP_W] = all_sums[TOP_W*h +: TOP_W];
                end
                wire unused_p = &{1'b0, p};
            end
        end
    endgenerate
endmodule

`default_nettype wire
