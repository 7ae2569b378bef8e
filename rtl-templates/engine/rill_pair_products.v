// SPDX-License-Identifier: Apache-2.0
// The multipliers' half of rill_matrix_pair: a beat's term of each of two tokens, without the block's exponent.
//
// Free-running pipeline, never stalls:
//     term_i = (sum over the beat of weight * x_i) * group_scale << shift_i mod 8, or that of rill_group_terms
// LATENCY = 9 cycles after valid; both, int4, nibbles, x, offset, group_scale, shift, asym, words and sums are those of
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
    input  wire [2*X_BITS+27:0]   offset,
    input  wire [7:0]             group_scale,
    input  wire [9:0]             shift,
    input  wire                   asym,
    input  wire [BEAT_BITS/8-1:0] words,
    input  wire [2*SUMS_W-1:0]    sums,
    output wire [2*TERM_W-1:0]    term         // {term_1, term_0}
);
    localparam WORDS = BEAT_BITS == 512 ? 16 : 8; // of 8 nibbles
    localparam SIXTEENS = WORDS / 4;
    localparam SPLIT = 26 - X_BITS;               // token 1 in a product of both
    localparam QUAD_W = X_BITS + 6;               // sum of 4
    localparam SUM_W = X_BITS + 8;                // of 16
    localparam HALF_W = X_BITS + 10;              // of a beat
    localparam WHOLE_W = X_BITS + 14;             // low + 16 * high
    localparam SCALED_W = WHOLE_W + 16;
    localparam FIRST = ASYM != 0 ? 4 : 1;         // words of a sum of sixteen: with groups they are neighbours
    localparam NEXT = ASYM != 0 ? 1 : SIXTEENS;

    generate
        if (BEAT_BITS != 256 && BEAT_BITS != 512) begin : gen_bad_beat
            rill_error_BEAT_BITS_must_be_256_or_512 u_error ();
        end
        if (X_BITS != 8 && X_BITS != 10) begin : gen_bad_x
            rill_error_X_BITS_must_be_8_or_10 u_error ();
        end
    endgenerate

    // What goes along with the beat; index n: valid in stage n.
    reg  [8:1]  valid_q;
    reg  [8:1]  both_q;
    reg  [6:1]  int4_q;
    reg  [47:0] group_scale_q;                 // stages 1..6
    always @(posedge clk) begin
        valid_q <= rst ? 8'd0 : {valid_q[7:1], valid};
        both_q <= rst ? 8'd0 : {both_q[7:1], valid && both};
        int4_q <= {int4_q[5:1], int4};
        group_scale_q <= {group_scale_q[39:0], group_scale};
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

    // Stage 7: end of the sum. 8: times the group's scale. 9: registers without logic, as all behind them may lie on
    // another die.
    // The scale takes a part of the exponent along: it costs nothing in a DSP.
    generate
        for (i = 0; i < 2; i = i + 1) begin : gen_token
            reg  signed [WHOLE_W-1:0] sum7_q;
            reg  [23:0]        fine_q;         // stages 1..8
            reg  signed [15:0] scale7_q;
            reg  signed [SCALED_W-1:0] scaled8_q;
            (* keep = "true", shreg_extract = "no" *) reg [TERM_W-1:0] term9_q;
            wire [HALF_W-1:0]  high = high6[HALF_W*i +: HALF_W];
            wire [WHOLE_W+1:0] high_weighted = int4_q[6] ? {6'd0, high} : {2'd0, high, 4'd0};
            wire [WHOLE_W+1:0] sum = {6'd0, low6[HALF_W*i +: HALF_W]} + high_weighted
                - {2'd0, offset[WHOLE_W*i +: WHOLE_W]};
            wire [SCALED_W-1:0] term8;
            wire [8:6]         active = i == 0 ? valid_q[8:6] : both_q[8:6];
            assign term[TERM_W*i +: TERM_W] = term9_q;
            always @(posedge clk) begin
                fine_q <= {fine_q[20:0], shift[5*i +: 3]};
                if (active[6])
                    scale7_q <= {8'd0, group_scale_q[47:40]} << fine_q[17:15];
                if (active[6])
                    sum7_q <= sum[WHOLE_W-1:0];
                if (active[7])
                    scaled8_q <= sum7_q * scale7_q; // 22 or 24 x 16 bits
                if (active[8])
                    term9_q <= term8[TERM_W-1:0];
            end

            if (ASYM != 0) begin : gen_asym
                reg  [8:1]             asym_q;
                wire [SUM_W*SIXTEENS-1:0] low5;
                wire [SUM_W*SIXTEENS-1:0] high5;
                wire [BEAT_BITS/8-1:0] words6;
                wire [X_BITS+22:0]     groups8;
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
                assign term8 = asym_q[8] ? {{7{groups8[X_BITS+22]}}, groups8} << fine_q[23:21] : scaled8_q;
            end else begin : gen_plain
                wire unused_asym = &{1'b0, asym, words, sums, fine_q[23:18]};
                assign term8 = scaled8_q;
            end
            wire unused = &{1'b0, sum[WHOLE_W+1:WHOLE_W], term8, shift};
        end
    endgenerate
endmodule

`default_nettype wire
