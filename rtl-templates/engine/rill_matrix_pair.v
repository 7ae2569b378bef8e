// SPDX-License-Identifier: Apache-2.0
// One lane of the matrix engine for two tokens at a time: rill_matrix_lane with two operands and two sets of
// accumulators, but one multiplier per nibble (rill_packed_mul).
//
// Free-running pipeline, never stalls: a beat for tokens 2 * turn and 2 * turn + 1 per cycle; `both`: the second one is
// there.
//     term_i = (sum over the beat of weight * x_i) * group_scale << shift_i;   acc_i[turn] = (first ? 0 : acc_i[turn])
//     + term_i, 64 bits x holds, in the order of rill_matrix_lane, 32 bits for each nibble: x_1 * 2^(26 - X_BITS) +
//     x_0, sign-extended from 27 bits, as rill_packed_mul takes them. nibbles, int4 and offset_i (rill_engine_offset of
//     operand i) as in rill_matrix_lane.
// ASYM: asym and words as in rill_matrix_lane, sums_i beside offset_i.
// Results leave one per cycle: with out, token out_tok is given LATENCY = 9 cycles later. out with out_tok 0 belongs to
// the cycle of the last beat's turn 0 and takes row_scale and bias along for all tokens of the row; the other tokens
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
    input  wire [2*X_BITS+27:0]   offset,      // {offset_1, offset_0} of the beat that was valid 4 cycles before
    input  wire [7:0]             group_scale, // 1 where there is none
    input  wire [9:0]             shift,       // {shift_1, shift_0}
    input  wire                   asym,
    input  wire [BEAT_BITS/8-1:0] words,       // {offset, scale} of each 32 elements
    input  wire [2*SUMS_W-1:0]    sums,        // {sums_1, sums_0} of the beat that was valid 4 cycles before
    input  wire [31:0]            row_scale,
    input  wire [31:0]            bias,

    output reg                    out_valid,
    output reg  [63:0]            out_acc,
    output reg  [31:0]            out_row_scale,
    output reg  [31:0]            out_bias
);
    localparam LATENCY = 9;
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
    reg  [8:1]          valid_q;
    reg  [8:1]          both_q;
    reg  [7:1]          first_q;
    reg  [8:1]          out_q;
    reg  [4:1]          int4_q;
    reg  [8*TURN_W-1:0] turn_q;                // stage 1 in the low bits
    reg  [8*TOK_W-1:0]  out_tok_q;
    reg  [8*ROW_W-1:0]  out_row_q;
    reg  [39:0]         group_scale_q;         // stages 1..5
    reg  [69:0]         shift_q;               // stages 1..7
    wire [TURN_W-1:0]   turn7 = turn_q[6*TURN_W +: TURN_W];
    wire [TURN_W-1:0]   turn8 = turn_q[7*TURN_W +: TURN_W];
    wire [ROW_W-1:0]    out_row8 = out_row_q[7*ROW_W +: ROW_W];
    wire [TOK_W-1:0]    out_tok8 = out_tok_q[7*TOK_W +: TOK_W];

    always @(posedge clk) begin
        valid_q <= rst ? 8'd0 : {valid_q[7:1], valid};
        both_q <= rst ? 8'd0 : {both_q[7:1], valid && both};
        out_q <= rst ? 8'd0 : {out_q[7:1], out};
        first_q <= {first_q[6:1], first};
        int4_q <= {int4_q[3:1], int4};
        turn_q <= {turn_q[7*TURN_W-1:0], turn};
        out_row_q <= {out_row_q[7*ROW_W-1:0], out_row};
        out_tok_q <= {out_tok_q[7*TOK_W-1:0], out_tok};
        group_scale_q <= {group_scale_q[31:0], group_scale};
        shift_q <= {shift_q[59:0], shift};
    end

    // Stage 1: nibble products of both tokens. Stage 2: sums of four, still in one word. Stage 3: sums of sixteen, two
    // halves of SUM_W bits. Stage 4: the rest, apart. Low and high nibbles apart all along. What is alike in all words
    // of the beat stands side by side: a simulator's compiler makes vector instructions of it.
    wire [2*HALF_W-1:0]  low4;                 // {token 1, token 0}
    wire [2*HALF_W-1:0]  high4;
    genvar i;
    genvar k;
    generate
        for (k = 0; k < 8; k = k + 1) begin : gen_nibble
            for (i = 0; i < WORDS; i = i + 1) begin : gen_word
                wire [31:0] p;
                rill_packed_mul #(.BIAS(k < 2 ? 4 : 0), .X_BITS(X_BITS)) u_mul (
                    .clk(clk), .en(valid), .x(x[32*(WORDS*k+i) +: 32]), .nibble(nibbles[32*i+4*k +: 4]), .p(p));
            end
        end
        for (i = 0; i < WORDS; i = i + 1) begin : gen_low
            reg  [31:0] sum_q;
            always @(posedge clk)
                if (valid_q[1])
                    sum_q <= gen_nibble[0].gen_word[i].p + gen_nibble[2].gen_word[i].p + gen_nibble[4].gen_word[i].p
                        + gen_nibble[6].gen_word[i].p;
            // QUAD_W bits of each half are used; the halves move together.
            wire [2*SUM_W-1:0] sum = {2'd0, sum_q[SPLIT +: QUAD_W], 2'd0, sum_q[QUAD_W-1:0]};
            wire               unused = &{1'b0, sum_q};
        end
        for (i = 0; i < WORDS; i = i + 1) begin : gen_high
            reg  [31:0] sum_q;
            always @(posedge clk)
                if (valid_q[1])
                    sum_q <= gen_nibble[1].gen_word[i].p + gen_nibble[3].gen_word[i].p + gen_nibble[5].gen_word[i].p
                        + gen_nibble[7].gen_word[i].p;
            wire [2*SUM_W-1:0] sum = {2'd0, sum_q[SPLIT +: QUAD_W], 2'd0, sum_q[QUAD_W-1:0]};
            wire               unused = &{1'b0, sum_q};
        end
        for (i = 0; i < SIXTEENS; i = i + 1) begin : gen_sixteen
            reg  [2*SUM_W-1:0] low_q;
            reg  [2*SUM_W-1:0] high_q;
            always @(posedge clk)
                if (valid_q[2]) begin
                    low_q <= gen_low[FIRST*i].sum + gen_low[FIRST*i+NEXT].sum + gen_low[FIRST*i+2*NEXT].sum
                        + gen_low[FIRST*i+3*NEXT].sum;
                    high_q <= gen_high[FIRST*i].sum + gen_high[FIRST*i+NEXT].sum + gen_high[FIRST*i+2*NEXT].sum
                        + gen_high[FIRST*i+3*NEXT].sum;
                end
        end
        for (i = 0; i < 2; i = i + 1) begin : gen_end
            reg  [HALF_W-1:0] low_q;
            reg  [HALF_W-1:0] high_q;
            if (SIXTEENS == 4) begin : gen_four
                always @(posedge clk)
                    if (valid_q[3]) begin
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
                    if (valid_q[3]) begin
                        low_q <= {2'd0, gen_sixteen[0].low_q[SUM_W*i +: SUM_W]}
                            + {2'd0, gen_sixteen[1].low_q[SUM_W*i +: SUM_W]};
                        high_q <= {2'd0, gen_sixteen[0].high_q[SUM_W*i +: SUM_W]}
                            + {2'd0, gen_sixteen[1].high_q[SUM_W*i +: SUM_W]};
                    end
            end
            assign low4[HALF_W*i +: HALF_W] = low_q;
            assign high4[HALF_W*i +: HALF_W] = high_q;
        end
    endgenerate

    // Stage 5: end of the sum. 6: times the group's scale. 7, 8: the block's exponent. 9: an accumulator per token.
    wire signed [8:0] scale5 = {1'b0, group_scale_q[39:32]};
    generate
        for (i = 0; i < 2; i = i + 1) begin : gen_token
            reg  signed [WHOLE_W-1:0] sum5_q;
            reg  signed [SCALED_W-1:0] scaled6_q;
            reg  [COARSE_W-1:0] term7_q;
            reg  [TERM_W-1:0]  term8_q;
            wire [HALF_W-1:0]  high = high4[HALF_W*i +: HALF_W];
            wire [WHOLE_W+1:0] high_weighted = int4_q[4] ? {6'd0, high} : {2'd0, high, 4'd0};
            wire [WHOLE_W+1:0] sum = {6'd0, low4[HALF_W*i +: HALF_W]} + high_weighted
                - {2'd0, offset[WHOLE_W*i +: WHOLE_W]};
            wire [1:0]         coarse6 = shift_q[53+5*i +: 2];
            wire [2:0]         fine7 = shift_q[60+5*i +: 3];
            wire [SCALED_W-1:0] term6;
            wire [COARSE_W-1:0] wide6 = {{24{term6[SCALED_W-1]}}, term6};
            wire [TERM_W-1:0]  wide7 = {{7{term7_q[COARSE_W-1]}}, term7_q};
            wire [8:4]         active = i == 0 ? valid_q[8:4] : both_q[8:4];
            always @(posedge clk) begin
                if (active[4])
                    sum5_q <= sum[WHOLE_W-1:0];
                if (active[5])
                    scaled6_q <= sum5_q * scale5; // 22 or 24 x 9 bits
                if (active[6])
                    case (coarse6)
                        2'd0: term7_q <= wide6;
                        2'd1: term7_q <= wide6 << 8;
                        2'd2: term7_q <= wide6 << 16;
                        default: term7_q <= wide6 << 24;
                    endcase
                if (active[7])
                    term8_q <= wide7 << fine7;
            end

            if (ASYM != 0) begin : gen_asym
                reg  [6:1]             asym_q;
                wire [SUM_W*SIXTEENS-1:0] low3;
                wire [SUM_W*SIXTEENS-1:0] high3;
                wire [BEAT_BITS/8-1:0] words4;
                wire [SCALED_W-1:0]    groups6;
                for (k = 0; k < SIXTEENS; k = k + 1) begin : gen_group
                    assign low3[SUM_W*k +: SUM_W] = gen_sixteen[k].low_q[SUM_W*i +: SUM_W];
                    assign high3[SUM_W*k +: SUM_W] = gen_sixteen[k].high_q[SUM_W*i +: SUM_W];
                end
                always @(posedge clk)
                    asym_q <= {asym_q[5:1], asym};
                rill_delay_line #(.DATA_W(BEAT_BITS / 8), .DEPTH(4)) u_words (.clk(clk), .rst(rst), .en(1'b1),
                    .d(words), .q(words4));
                rill_group_terms #(.BEAT_BITS(BEAT_BITS), .X_BITS(X_BITS)) u_terms (
                    .clk(clk), .en_1(i == 0 ? valid_q[3] : both_q[3]), .en_2(active[4]), .en_3(active[5]), .low(low3),
                    .high(high3),
                    .words(words4), .sums(sums[SUMS_W*i +: SUMS_W]), .term(groups6));
                assign term6 = asym_q[6] ? groups6 : scaled6_q;
            end else begin : gen_plain
                wire unused_asym = &{1'b0, asym, words, sums};
                assign term6 = scaled6_q;
            end

            reg  [63:0] acc_q [0:PLACES-1];
            reg  [63:0] before_q;              // what the term is added to, read a stage earlier
            wire [63:0] acc = before_q + {{(65-TERM_W){term8_q[TERM_W-1]}}, term8_q[TERM_W-2:0]};
            always @(posedge clk) begin
                if (active[7])
                    before_q <= first_q[7] ? 64'd0 : active[8] && turn8 == turn7 ? acc : acc_q[turn7];
                if (active[8])
                    acc_q[turn8] <= acc;
            end
            wire unused = &{1'b0, sum[WHOLE_W+1:WHOLE_W]};
        end
    endgenerate

    // Results: token 0 as its sum is made, the others from where they are kept.
    wire               out_first8 = out_tok8 == {TOK_W{1'b0}};
    wire [TURN_W-1:0]  out_turn8;
    generate
        if (TOKENS > 2 && ROWS > 1) begin : gen_turns_rows
            assign out_turn8 = {out_row8, out_tok8[TOK_W-1:1]};
        end else if (TOKENS > 2) begin : gen_turns
            assign out_turn8 = out_tok8[TOK_W-1:1];
        end else if (ROWS > 1) begin : gen_rows
            assign out_turn8 = out_row8;
        end else begin : gen_turn
            assign out_turn8 = 1'b0;
        end
    endgenerate
    wire [31:0]        row_scale8;
    wire [31:0]        bias8;
    always @(posedge clk) begin
        out_valid <= out_q[8] && !rst;
        if (out_q[8])
            out_acc <= out_first8 ? gen_token[0].acc : out_tok8[0] ? gen_token[1].acc_q[out_turn8]
                : gen_token[0].acc_q[out_turn8];
        if (out_q[8] && out_first8)
            {out_bias, out_row_scale} <= {bias8, row_scale8};
    end

    rill_delay_line #(.DATA_W(64), .DEPTH(LATENCY - 1)) u_along (
        .clk(clk), .rst(rst), .en(1'b1), .d({bias, row_scale}), .q({bias8, row_scale8}));

    wire unused = &{1'b0, shift_q[69:68], shift_q[64:63], out_row8};
endmodule

`default_nettype wire
