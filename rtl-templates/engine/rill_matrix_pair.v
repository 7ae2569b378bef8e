// SPDX-License-Identifier: Apache-2.0
// One lane of the matrix engine for two tokens at a time: rill_matrix_lane with two operands and two sets of
// accumulators, but one multiplier per nibble (rill_packed_mul).
//
// Free-running pipeline, never stalls: a beat for tokens 2 * turn and 2 * turn + 1 per cycle; `both`: the second one is
// there.
//     term_i = (sum over the beat of weight * x_i) * group_scale << shift_i;   acc_i[turn] = (first ? 0 : acc_i[turn])
//     + term_i, ACC_W bits
// x holds, in the order of rill_matrix_lane, 32 bits for each nibble: x_1 * 2^(26 - X_BITS) + x_0, sign-extended from
// 27 bits, as rill_packed_mul takes them; those of nibbles 2j and 2j + 1 of all words come j cycles later than those of
// nibbles 0 and 1, as four multipliers sum in a chain. nibbles, int4 and offset_i (rill_engine_offset of operand i) as
// in rill_matrix_lane.
// ASYM: asym and words as in rill_matrix_lane, sums_i beside offset_i.
// Results leave one per cycle: with out, token out_tok is given LATENCY = 11 cycles later. out with out_tok 0 belongs
// to the cycle of the last beat's turn 0 and takes row_scale and bias along for all tokens of the row; the other tokens
// follow in their order, none later than the next row's first beat comes to their turn (a row of n tokens may end n
// cycles after the one before).
// Reset: synchronous; valids only.
// ROWS rows may be open at a time: turn is {row, turn}, and out_row is the row whose result leaves (not looked at with
// out_tok 0).
//
// name       meaning                                    unit    range
// BEAT_BITS  of a beat                                  bits    256, 512
// TOKENS     per step, upper bound                      tokens  2, 4, 8
// ROWS       that may be open at a time                 rows    1, 4, 8
// ASYM       0: asym, words and sums are not looked at  -       0, 1
// X_BITS     of an element of x                         bits    8, 10
// ACC_W      of an accumulator                          bits    64, 66
// TOK_W      of a token's number                        bits    derived
// ROW_W      of a row's number                          bits    derived
// TURN_W     of turn                                    bits    derived
// SUMS_W     of sums                                    bits    derived
`default_nettype none

module rill_matrix_pair #(
    parameter BEAT_BITS = 0,
    parameter TOKENS = 0,
    parameter ROWS = 1,
    parameter ASYM = 0,
    parameter X_BITS = 8,
    parameter ACC_W = 64,
    parameter TOK_W = TOKENS > 1 ? $clog2(TOKENS) : 1,
    parameter ROW_W = ROWS > 1 ? $clog2(ROWS) : 1,
    parameter TURN_W = TOKENS * ROWS > 2 ? $clog2(TOKENS * ROWS) - 1 : 1,
    parameter SUMS_W = (X_BITS + 5) * (BEAT_BITS / 128)
) (
    input  wire                   clk,
    input  wire                   rst,

    input  wire                   valid,
    input  wire                   both,
    input  wire                   int4,
    input  wire                   first,       // first beat of the row
    input  wire [TURN_W-1:0]      turn,
    input  wire                   out,
    input  wire [TOK_W-1:0]       out_tok,
    input  wire [ROW_W-1:0]       out_row,
    input  wire [BEAT_BITS-1:0]   nibbles,     // of the beat, unsigned
    input  wire [8*BEAT_BITS-1:0] x,           // 32 bits each
    input  wire [2*X_BITS+27:0]   offset,      // {offset_1, offset_0} of the beat that was valid 6 cycles before
    input  wire [7:0]             group_scale, // 1 where there is none
    input  wire [9:0]             shift,       // {shift_1, shift_0}
    input  wire                   asym,
    input  wire [BEAT_BITS/8-1:0] words,       // {offset, scale} of each 32 elements
    input  wire [2*SUMS_W-1:0]    sums,        // {sums_1, sums_0} of the beat that was valid 6 cycles before
    input  wire [31:0]            row_scale,
    input  wire [31:0]            bias,

    output reg                    out_valid,
    output reg  [ACC_W-1:0]       out_acc,
    output reg  [31:0]            out_row_scale,
    output reg  [31:0]            out_bias
);
    localparam LATENCY = 11;
    localparam WORDS = BEAT_BITS == 512 ? 16 : 8; // of 8 nibbles
    localparam SIXTEENS = WORDS / 4;
    localparam SPLIT = 26 - X_BITS;               // token 1 in a product of both
    localparam QUAD_W = X_BITS + 6;               // sum of 4
    localparam SUM_W = X_BITS + 8;                // of 16
    localparam HALF_W = X_BITS + 10;              // of a beat
    localparam WHOLE_W = X_BITS + 14;             // low + 16 * high
    localparam SCALED_W = WHOLE_W + 9;
    localparam COARSE_W = SCALED_W + 24;
    localparam TERM_W = COARSE_W + 7;
    localparam FIRST = ASYM != 0 ? 4 : 1;         // words of a sum of sixteen: with groups they are neighbours
    localparam NEXT = ASYM != 0 ? 1 : SIXTEENS;
    localparam PLACES = TOKENS > 1 ? TOKENS * ROWS / 2 : 1;

    generate
        if (ACC_W != 64 && ACC_W != 66) begin : gen_bad_acc
            rill_error_ACC_W_must_be_64_or_66 u_error ();
        end
        if (BEAT_BITS != 256 && BEAT_BITS != 512) begin : gen_bad_beat
            rill_error_BEAT_BITS_must_be_256_or_512 u_error ();
        end
        if (X_BITS != 8 && X_BITS != 10) begin : gen_bad_x
            rill_error_X_BITS_must_be_8_or_10 u_error ();
        end
        if (TOKENS != 2 && TOKENS != 4 && TOKENS != 8) begin : gen_bad_tokens
            rill_error_TOKENS_must_be_2_4_or_8 u_error ();
        end
        if (ROWS != 1 && ROWS != 4 && ROWS != 8) begin : gen_bad_rows
            rill_error_ROWS_must_be_1_4_or_8 u_error ();
        end
    endgenerate

    // What goes along with the beat; index n: valid in stage n.
    reg  [10:1]         valid_q;
    reg  [10:1]         both_q;
    reg  [9:1]          first_q;
    reg  [10:1]         out_q;
    reg  [6:1]          int4_q;
    reg  [10*TURN_W-1:0] turn_q;               // stage 1 in the low bits
    reg  [10*TOK_W-1:0] out_tok_q;
    reg  [10*ROW_W-1:0] out_row_q;
    reg  [55:0]         group_scale_q;         // stages 1..7
    reg  [89:0]         shift_q;               // stages 1..9
    wire [TURN_W-1:0]   turn9 = turn_q[8*TURN_W +: TURN_W];
    wire [TURN_W-1:0]   turn10 = turn_q[9*TURN_W +: TURN_W];
    wire [ROW_W-1:0]    out_row10 = out_row_q[9*ROW_W +: ROW_W];
    wire [TOK_W-1:0]    out_tok10 = out_tok_q[9*TOK_W +: TOK_W];

    always @(posedge clk) begin
        valid_q <= rst ? 10'd0 : {valid_q[9:1], valid};
        both_q <= rst ? 10'd0 : {both_q[9:1], valid && both};
        out_q <= rst ? 10'd0 : {out_q[9:1], out};
        first_q <= {first_q[8:1], first};
        int4_q <= {int4_q[5:1], int4};
        turn_q <= {turn_q[9*TURN_W-1:0], turn};
        out_row_q <= {out_row_q[9*ROW_W-1:0], out_row};
        out_tok_q <= {out_tok_q[9*TOK_W-1:0], out_tok};
        group_scale_q <= {group_scale_q[47:0], group_scale};
        shift_q <= {shift_q[79:0], shift};
    end

    // Stages 1 to 4: products of both tokens, each added to that of the nibble two places before, a stage later; the
    // fourth is the sum of four, still in one word. Stage 5: sums of sixteen, two halves of SUM_W bits. Stage 6: the
    // rest, apart. Low and high nibbles apart all along. What is alike in all words of the beat stands side by side: a
    // simulator's compiler makes vector instructions of it.
    wire [2*HALF_W-1:0]  low6;                 // {token 1, token 0}
    wire [2*HALF_W-1:0]  high6;
    reg  [BEAT_BITS-1:0] nibbles1_q;           // the beat, one to three cycles later
    reg  [BEAT_BITS-1:0] nibbles2_q;
    reg  [BEAT_BITS-1:0] nibbles3_q;
    wire [4*BEAT_BITS-1:0] skewed = {nibbles3_q, nibbles2_q, nibbles1_q, nibbles};
    wire [3:0]           enable = {valid_q[3:1], valid};
    wire                 unused_skewed = &{1'b0, skewed};
    always @(posedge clk) begin
        nibbles1_q <= nibbles;
        nibbles2_q <= nibbles1_q;
        nibbles3_q <= nibbles2_q;
    end
    genvar i;
    genvar k;
    generate
        for (k = 0; k < 8; k = k + 1) begin : gen_nibble
            for (i = 0; i < WORDS; i = i + 1) begin : gen_word
                wire [31:0] sum_in;
                wire [31:0] p;
                if (k < 2) begin : gen_begin
                    assign sum_in = 32'd0;
                end else begin : gen_next
                    assign sum_in = gen_nibble[k-2].gen_word[i].p;
                end
                rill_packed_mul #(.BIAS(k < 2 ? 4 : 0), .X_BITS(X_BITS)) u_mul (
                    .clk(clk), .en(enable[k/2]), .x(x[32*(WORDS*k+i) +: 32]),
                    .nibble(skewed[BEAT_BITS*(k/2)+32*i+4*k +: 4]), .sum_in(sum_in), .p(p));
            end
        end
        // QUAD_W bits of each half are used; the halves move together.
        for (i = 0; i < WORDS; i = i + 1) begin : gen_quad
            wire [31:0]        low_sum = gen_nibble[6].gen_word[i].p;
            wire [31:0]        high_sum = gen_nibble[7].gen_word[i].p;
            wire [2*SUM_W-1:0] low = {2'd0, low_sum[SPLIT +: QUAD_W], 2'd0, low_sum[QUAD_W-1:0]};
            wire [2*SUM_W-1:0] high = {2'd0, high_sum[SPLIT +: QUAD_W], 2'd0, high_sum[QUAD_W-1:0]};
            wire               unused = &{1'b0, low_sum, high_sum};
        end
        for (i = 0; i < SIXTEENS; i = i + 1) begin : gen_sixteen
            reg  [2*SUM_W-1:0] low_q;
            reg  [2*SUM_W-1:0] high_q;
            always @(posedge clk)
                if (valid_q[4]) begin
                    low_q <= gen_quad[FIRST*i].low + gen_quad[FIRST*i+NEXT].low + gen_quad[FIRST*i+2*NEXT].low
                        + gen_quad[FIRST*i+3*NEXT].low;
                    high_q <= gen_quad[FIRST*i].high + gen_quad[FIRST*i+NEXT].high + gen_quad[FIRST*i+2*NEXT].high
                        + gen_quad[FIRST*i+3*NEXT].high;
                end
        end
        for (i = 0; i < 2; i = i + 1) begin : gen_end
            reg  [HALF_W-1:0] low_q;
            reg  [HALF_W-1:0] high_q;
            if (SIXTEENS == 4) begin : gen_four
                always @(posedge clk)
                    if (valid_q[5]) begin
                        low_q <= {2'd0, gen_sixteen[0].low_q[SUM_W*i +: SUM_W]}
                            + {2'd0, gen_sixteen[1].low_q[SUM_W*i +: SUM_W]}
                            + {2'd0, gen_sixteen[2].low_q[SUM_W*i +: SUM_W]}
                            + {2'd0, gen_sixteen[3].low_q[SUM_W*i +: SUM_W]};
                        high_q <= {2'd0, gen_sixteen[0].high_q[SUM_W*i +: SUM_W]}
                            + {2'd0, gen_sixteen[1].high_q[SUM_W*i +: SUM_W]}
                            + {2'd0, gen_sixteen[2].high_q[SUM_W*i +: SUM_W]}
                            + {2'd0, gen_sixteen[3].high_q[SUM_W*i +: SUM_W]};
                    end
            end else begin : gen_two
                always @(posedge clk)
                    if (valid_q[5]) begin
                        low_q <= {2'd0, gen_sixteen[0].low_q[SUM_W*i +: SUM_W]}
                            + {2'd0, gen_sixteen[1].low_q[SUM_W*i +: SUM_W]};
                        high_q <= {2'd0, gen_sixteen[0].high_q[SUM_W*i +: SUM_W]}
                            + {2'd0, gen_sixteen[1].high_q[SUM_W*i +: SUM_W]};
                    end
            end
            assign low6[HALF_W*i +: HALF_W] = low_q;
            assign high6[HALF_W*i +: HALF_W] = high_q;
        end
    endgenerate

    // Stage 7: end of the sum. 8: times the group's scale. 9, 10: the block's exponent. 11: an accumulator per token.
    wire signed [8:0] scale7 = {1'b0, group_scale_q[55:48]};
    generate
        for (i = 0; i < 2; i = i + 1) begin : gen_token
            reg  signed [WHOLE_W-1:0] sum7_q;
            reg  signed [SCALED_W-1:0] scaled8_q;
            reg  [COARSE_W-1:0] term9_q;
            reg  [TERM_W-1:0]  term10_q;
            wire [HALF_W-1:0]  high = high6[HALF_W*i +: HALF_W];
            wire [WHOLE_W+1:0] high_weighted = int4_q[6] ? {6'd0, high} : {2'd0, high, 4'd0};
            wire [WHOLE_W+1:0] sum = {6'd0, low6[HALF_W*i +: HALF_W]} + high_weighted
                - {2'd0, offset[WHOLE_W*i +: WHOLE_W]};
            wire [1:0]         coarse8 = shift_q[73+5*i +: 2];
            wire [2:0]         fine9 = shift_q[80+5*i +: 3];
            wire [SCALED_W-1:0] term8;
            wire [COARSE_W-1:0] wide8 = {{24{term8[SCALED_W-1]}}, term8};
            wire [TERM_W-1:0]  wide9 = {{7{term9_q[COARSE_W-1]}}, term9_q};
            wire [10:6]        active = i == 0 ? valid_q[10:6] : both_q[10:6];
            always @(posedge clk) begin
                if (active[6])
                    sum7_q <= sum[WHOLE_W-1:0];
                if (active[7])
                    scaled8_q <= sum7_q * scale7; // 22 or 24 x 9 bits
                if (active[8])
                    case (coarse8)
                        2'd0: term9_q <= wide8;
                        2'd1: term9_q <= wide8 << 8;
                        2'd2: term9_q <= wide8 << 16;
                        default: term9_q <= wide8 << 24;
                    endcase
                if (active[9])
                    term10_q <= wide9 << fine9;
            end

            if (ASYM != 0) begin : gen_asym
                reg  [8:1]             asym_q;
                wire [SUM_W*SIXTEENS-1:0] low5;
                wire [SUM_W*SIXTEENS-1:0] high5;
                wire [BEAT_BITS/8-1:0] words6;
                wire [SCALED_W-1:0]    groups8;
                for (k = 0; k < SIXTEENS; k = k + 1) begin : gen_group
                    assign low5[SUM_W*k +: SUM_W] = gen_sixteen[k].low_q[SUM_W*i +: SUM_W];
                    assign high5[SUM_W*k +: SUM_W] = gen_sixteen[k].high_q[SUM_W*i +: SUM_W];
                end
                always @(posedge clk)
                    asym_q <= {asym_q[7:1], asym};
                rill_delay_line #(.DATA_W(BEAT_BITS / 8), .DEPTH(6)) u_words (.clk(clk), .rst(rst), .en(1'b1),
                    .d(words), .q(words6));
                rill_group_terms #(.BEAT_BITS(BEAT_BITS), .X_BITS(X_BITS)) u_terms (
                    .clk(clk), .en_1(i == 0 ? valid_q[5] : both_q[5]), .en_2(active[6]), .en_3(active[7]), .low(low5),
                    .high(high5),
                    .words(words6), .sums(sums[SUMS_W*i +: SUMS_W]), .term(groups8));
                assign term8 = asym_q[8] ? groups8 : scaled8_q;
            end else begin : gen_plain
                wire unused_asym = &{1'b0, asym, words, sums};
                assign term8 = scaled8_q;
            end

            reg  [ACC_W-1:0] acc_q [0:PLACES-1];
            reg  [ACC_W-1:0] before_q;         // what the term is added to, read a stage earlier
            wire [ACC_W-1:0] acc = before_q + {{(ACC_W+1-TERM_W){term10_q[TERM_W-1]}}, term10_q[TERM_W-2:0]};
            always @(posedge clk) begin
                if (active[9])
                    before_q <= first_q[9] ? {ACC_W{1'b0}} : active[10] && turn10 == turn9 ? acc : acc_q[turn9];
                if (active[10])
                    acc_q[turn10] <= acc;
            end
            wire unused = &{1'b0, sum[WHOLE_W+1:WHOLE_W]};
        end
    endgenerate

    // Results: token 0 as its sum is made, the others from where they are kept.
    wire               out_first10 = out_tok10 == {TOK_W{1'b0}};
    wire [TURN_W-1:0]  out_turn10;
    generate
        if (TOKENS > 2 && ROWS > 1) begin : gen_turns_rows
            assign out_turn10 = {out_row10, out_tok10[TOK_W-1:1]};
        end else if (TOKENS > 2) begin : gen_turns
            assign out_turn10 = out_tok10[TOK_W-1:1];
        end else if (ROWS > 1) begin : gen_rows
            assign out_turn10 = out_row10;
        end else begin : gen_turn
            assign out_turn10 = 1'b0;
        end
    endgenerate
    wire [31:0]        row_scale10;
    wire [31:0]        bias10;
    always @(posedge clk) begin
        out_valid <= out_q[10] && !rst;
        if (out_q[10])
            out_acc <= out_first10 ? gen_token[0].acc : out_tok10[0] ? gen_token[1].acc_q[out_turn10]
                : gen_token[0].acc_q[out_turn10];
        if (out_q[10] && out_first10)
            {out_bias, out_row_scale} <= {bias10, row_scale10};
    end

    rill_delay_line #(.DATA_W(64), .DEPTH(LATENCY - 1)) u_along (
        .clk(clk), .rst(rst), .en(1'b1), .d({bias, row_scale}), .q({bias10, row_scale10}));

    wire unused = &{1'b0, shift_q[89:88], shift_q[84:83], out_row10};
endmodule

`default_nettype wire
