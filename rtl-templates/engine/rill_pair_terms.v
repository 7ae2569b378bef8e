// SPDX-License-Identifier: Apache-2.0
// For each of 2 or 4 tokens, adds up the tree sums of one beat (rill_pair_trees), applies the group scale and outputs
// the beat's term of the dot product.
//
// Free-running pipeline, never stalls. term comes LATENCY = 10 + PAIR_MORE cycles after valid, and the inputs come this
// number of cycles after valid:
//     tree_sums  PAIR_TOP + 1 + PAIR_MORE (rill_pair_skew.vh)
//     sums       6 + PAIR_MORE
//     all others 0
// Ports, token 0 in the low bits:
//     other_toks   bit i: token i + 1 is valid; token 0 always is
//     int4         1: int4 weights, 2 per byte; 0: int8 weights, whose nibbles are low + 16 * high
//     tree_sums    per token the sums of low nibbles, then of high nibbles; each has TREES unsigned sums with a bias
//     group_scale  unsigned scale of the beat's group of weights
//     shift        per token 5 bits; term is shifted left by the low 3 bits, rill_pair_sums uses the others
//     asym         1: int4_asym weights; rill_group_terms computes the term
//     words        int4_asym: scale and offset of each group, for rill_group_terms
//     sums         int4_asym: per token the sums of x in each group, for rill_group_terms
//     term         per token a signed integer
// Reset: clk, synchronous active-high rst; resets only the valid bits.
//
// name       meaning                                   unit   range
// BEAT_BITS  width of a beat                           bits   256, 512
// ASYM       0: asym, words and sums are ignored       -      0, 1
// X_BITS     width of an element of x                  bits   8, 10
// PAIRS      token pairs                               pairs  1, 2
// PUMP       multiplications per multiplier and cycle  -      1, 2
// TREES      trees of low nibbles, or of high ones     trees  derived
// TOP_W      width of a tree's sum                     bits   derived
// SUMS_W     width of the sums of a token              bits   derived
// TERM_W     width of a term                           bits   derived
`default_nettype none

module rill_pair_terms #(
    parameter BEAT_BITS = 0,
    parameter ASYM = 0,
    parameter X_BITS = 8,
    parameter PAIRS = 1,
    parameter PUMP = PAIRS > 1 ? 2 : 1,
    parameter TREES = X_BITS > 8 ? BEAT_BITS / 32 : ASYM != 0 ? BEAT_BITS / 128 : 1,
    parameter TOP_W = X_BITS + (X_BITS > 8 ? 6 : ASYM != 0 ? 8 : BEAT_BITS == 512 ? 10 : 9),
    parameter SUMS_W = (X_BITS + 5) * (BEAT_BITS / 128),
    parameter TERM_W = X_BITS + 26
) (
    input  wire                           clk,
    input  wire                           rst,
    input  wire                           valid,
    input  wire [2*PAIRS-2:0]             other_toks,    // bit i: token i + 1 is valid
    input  wire                           int4,
    input  wire [4*PAIRS*TREES*TOP_W-1:0] tree_sums,
    input  wire [7:0]                     group_scale,
    input  wire [10*PAIRS-1:0]            shift,
    input  wire                           asym,
    input  wire [BEAT_BITS/8-1:0]         words,
    input  wire [2*PAIRS*SUMS_W-1:0]      sums,
    output wire [2*PAIRS*TERM_W-1:0]      term
);
    `include "rill_pair_skew.vh"
    `include "rill_latency.vh"
    // SIXTEENS: groups of 16 nibbles in a nibble half of a beat. SCALED_W: width of low + 16 * high, times the scale.
    localparam WORDS = BEAT_BITS == 512 ? 16 : 8; // words of 8 nibbles
    localparam SIXTEENS = WORDS / 4;
    localparam TOKENS = 2 * PAIRS;
    localparam QUAD_W = X_BITS + 6;               // width of a sum of 4 products
    localparam SUM_W = X_BITS + 8;                // width of a sum of 16
    localparam HALF_W = X_BITS + 10;              // width of the sum of a beat
    localparam WHOLE_W = X_BITS + 14;             // width of low + 16 * high
    localparam SCALED_W = WHOLE_W + 16;
    localparam MORE = PAIR_MORE;
    // Stage numbers for MORE = 0. SUM_AT is the stage that holds the sum of a beat, and so on. term is registered one
    // stage after SCALED_AT.
    localparam QUAD_AT = 3, EIGHT_AT = 4, SIXTEEN_AT = 5, DOUBLE_AT = 6, HALF_AT = 7, SUM_AT = 8,
        SCALED_AT = LATENCY_PAIR_PRODUCTS - 1;

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

    // These stages with MORE, in cycles from valid.
    localparam HALF_LATE = HALF_AT + MORE, SUM_LATE = SUM_AT + MORE, SCALED_LATE = SCALED_AT + MORE;
    // Signals that accompany the beat; index n of valid_at: valid in stage n.
    reg  [SCALED_LATE:1]    valid_q;
    reg  [HALF_LATE:1]      int4_q;
    reg  [8*HALF_LATE-1:0]  group_scale_q;
    wire [SCALED_LATE:0]    valid_in = {valid_q, valid};
    wire [HALF_LATE:0]      int4_in = {int4_q, int4};
    wire [8*HALF_LATE+7:0]  group_scale_in = {group_scale_q, group_scale};
    wire [SCALED_AT:0]      valid_at = valid_in[SCALED_LATE:MORE];
    wire                    half_int4 = int4_in[HALF_LATE];
    wire [7:0]              half_scale = group_scale_in[8*HALF_LATE +: 8];
    always @(posedge clk) begin
        valid_q <= rst ? {SCALED_LATE{1'b0}} : valid_in[SCALED_LATE-1:0];
        int4_q <= int4_in[HALF_LATE-1:0];
        group_scale_q <= group_scale_in[8*HALF_LATE-1:0];
    end

    // Stage 7: signed sum of a beat, per token and nibble half. The trees add a bias of half the range, so the inverted
    // top bit is the sign.
    wire [2*TOKENS*HALF_W-1:0] half7;          // {high, low} of each token
    genvar i;
    genvar k;
    generate
        for (k = 0; k < 2 * TOKENS; k = k + 1) begin : gen_half
            wire [TREES*TOP_W-1:0] tops = tree_sums[TREES*TOP_W*k +: TREES*TOP_W];
            if (PAIR_TREE == 64) begin : gen_whole
                assign half7[HALF_W*k +: HALF_W] = {!tops[HALF_W-1], tops[HALF_W-2:0]};
            end else if (PAIR_TREE == 32) begin : gen_late
                reg [HALF_W-2:0] sum_q;
                always @(posedge clk)
                    if (valid_at[DOUBLE_AT])
                        sum_q <= tops;
                assign half7[HALF_W*k +: HALF_W] = {{2{!sum_q[HALF_W-2]}}, sum_q[HALF_W-3:0]};
            end else begin : gen_sums
                reg [HALF_W-1:0] half_q;
                assign half7[HALF_W*k +: HALF_W] = half_q;
                for (i = 0; i < SIXTEENS; i = i + 1) begin : gen_sixteen
                    wire [SUM_W-1:0] sum;
                    if (PAIR_TREE == 16) begin : gen_tree
                        assign sum = tops[SUM_W*i +: SUM_W];
                    end else begin : gen_quads
                        reg [SUM_W-2:0] early_q;
                        reg [SUM_W-2:0] late_q;
                        reg [SUM_W-1:0] sum_q;
                        assign sum = sum_q;
                        always @(posedge clk) begin
                            if (valid_at[QUAD_AT]) begin
                                early_q <= {1'b0, tops[QUAD_W*4*i +: QUAD_W]} + {1'b0, tops[QUAD_W*(4*i+1) +: QUAD_W]};
                                late_q <= {1'b0, tops[QUAD_W*(4*i+2) +: QUAD_W]}
                                    + {1'b0, tops[QUAD_W*(4*i+3) +: QUAD_W]};
                            end
                            if (valid_at[EIGHT_AT])
                                sum_q <= {1'b0, early_q} + {1'b0, late_q};
                        end
                    end
                end
                for (i = 0; i < SIXTEENS / 2; i = i + 1) begin : gen_two
                    reg [SUM_W:0] sum_q;
                    always @(posedge clk)
                        if (valid_at[SIXTEEN_AT])
                            sum_q <= {1'b0, gen_sixteen[2*i].sum} + {1'b0, gen_sixteen[2*i+1].sum};
                end
                if (SIXTEENS == 4) begin : gen_four
                    wire [HALF_W-1:0] sum = {1'b0, gen_two[0].sum_q} + {1'b0, gen_two[1].sum_q};
                    always @(posedge clk)
                        if (valid_at[DOUBLE_AT])
                            half_q <= {!sum[HALF_W-1], sum[HALF_W-2:0]};
                end else begin : gen_of_two
                    always @(posedge clk)
                        if (valid_at[DOUBLE_AT])
                            half_q <= {{2{!gen_two[0].sum_q[SUM_W]}}, gen_two[0].sum_q[SUM_W-1:0]};
                end
            end
        end
    endgenerate

    // Stage 8: sum of the low and high nibbles' sums (int8: low + 16 * high). Stage 9: times the group's scale, which
    // is shifted by the 3 low bits of `shift`, because the DSP has room for that. Stage 10: registers without logic,
    // because the next stage may be on another die.
    generate
        for (i = 0; i < TOKENS; i = i + 1) begin : gen_token
            reg  signed [WHOLE_W-1:0] sum8_q;
            reg  [3*SUM_LATE-1:0] fine_q;
            wire [3*SUM_LATE+2:0] fine_in = {fine_q, shift[5*i +: 3]};
            wire [2:0]         half_fine = fine_in[3*HALF_LATE +: 3];
            wire [2:0]         sum_fine = fine_in[3*SUM_LATE +: 3];
            reg  signed [15:0] scale8_q;
            reg  signed [SCALED_W-1:0] scaled9_q;
            // The next stage may be on another die (user_sll_reg: see rill_hop_stage).
            (* keep = "true", shreg_extract = "no", user_sll_reg = "true" *) reg [TERM_W-1:0] term10_q;
            wire [HALF_W-1:0]  low = half7[2*HALF_W*i +: HALF_W];
            wire [HALF_W-1:0]  high = half7[2*HALF_W*i+HALF_W +: HALF_W];
            wire [WHOLE_W-1:0] high_weighted = half_int4 ? {{4{high[HALF_W-1]}}, high} : {high, 4'd0};
            wire [SCALED_W-1:0] term9;
            wire [SCALED_AT:SIXTEEN_AT] active;
            assign term[TERM_W*i +: TERM_W] = term10_q;
            always @(posedge clk) begin
                fine_q <= fine_in[3*SUM_LATE-1:0];
                if (active[HALF_AT]) begin
                    scale8_q <= {8'd0, half_scale} << half_fine;
                    sum8_q <= {{4{low[HALF_W-1]}}, low} + high_weighted;
                end
                if (active[SUM_AT])
                    scaled9_q <= sum8_q * scale8_q; // 22 or 24 x 16 bits
                if (active[SCALED_AT])
                    term10_q <= term9[TERM_W-1:0];
            end

            if (i == 0) begin : gen_first
                assign active = valid_at[SCALED_AT:SIXTEEN_AT];
            end else begin : gen_other
                reg  [SCALED_LATE:1] there_q;
                wire [SCALED_LATE:0] there_in = {there_q, valid && other_toks[i-1]};
                always @(posedge clk)
                    there_q <= rst ? {SCALED_LATE{1'b0}} : there_in[SCALED_LATE-1:0];
                assign active = there_in[SCALED_LATE:SIXTEEN_AT+MORE];
            end

            if (ASYM != 0) begin : gen_asym
                reg  [SCALED_LATE:1]   asym_q;
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
                    asym_q <= {asym_q[SCALED_LATE-1:1], asym};
                    if (active[SUM_AT])
                        groups9_q <= {{3{groups8[X_BITS+22]}}, groups8} << sum_fine;
                end
                rill_delay_line #(.DATA_W(BEAT_BITS / 8), .DEPTH(PAIR_SUMS_AT)) u_words (
                    .clk(clk), .rst(rst), .en(1'b1), .d(words), .q(words6));
                rill_group_terms #(.BEAT_BITS(BEAT_BITS), .X_BITS(X_BITS), .SIGNED(1)) u_terms (
                    .clk(clk), .en_1(active[SIXTEEN_AT]), .en_2(active[DOUBLE_AT]), .en_3(active[HALF_AT]), .low(low5),
                    .high(high5), .words(words6), .sums(sums[SUMS_W*i +: SUMS_W]), .term(groups8));
                assign term9 = asym_q[SCALED_LATE] ? {{(SCALED_W-TERM_W){groups9_q[TERM_W-1]}}, groups9_q} : scaled9_q;
            end else begin : gen_plain
                wire unused_asym = &{1'b0, asym, words, sums, sum_fine, active};
                assign term9 = scaled9_q;
            end
            // Unused: top bits of term9, shift[4:3] of each token, the early bits of valid_at.
            wire unused = &{1'b0, term9, shift, valid_at};
        end
    endgenerate
endmodule

`default_nettype wire
