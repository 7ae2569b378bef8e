// SPDX-License-Identifier: Apache-2.0
// One lane of the matrix engine: multiplies a memory beat with its part of the operand and accumulates rows, exactly.
//
// Free-running pipeline, never stalls: one beat and token per cycle, out_valid LATENCY = 9 cycles after the valid that
// carries last.
//     term = (sum over the beat of weight * x) * group_scale << shift;   acc[tok] = (first ? 0 : acc[tok]) + term,
//     ACC_W bits
// int4 = 1: nibble i of the beat is a two's complement weight; int4 = 0: byte k is one, 16 * (high nibble) + (unsigned
// low nibble). One array of multipliers serves both: x holds a factor for every nibble, so for int8 weights that of a
// byte stands at both of its nibbles. The factors of nibble k of all words of 32 bits stand side by side: that of
// nibble 8 w + k is element BEAT_BITS / 32 * k + w.
// Everything is unsigned: nibbles holds signed nibbles (all of them at int4, the high ones at int8) as nibble + 8, beat
// ^ 4'h8; a product is kept as product + 2^(X_BITS + 3). rill_engine_offset, common to all lanes, gives what that adds
// to the beat's sum: offset, 4 cycles after valid.
// ASYM: with asym (and int4) each 32 elements have a scale and an offset of their own, in words, and sums goes with
// offset: the term is that of rill_group_terms, shifted like any other.
// row_scale, bias and side pass along unchanged, with the row's last beat.
// Reset: synchronous; valids only.
//
// name       meaning                                        unit    range
// BEAT_BITS  of a beat                                      bits    256, 512
// TOKENS     per step, upper bound                          tokens  1, 2, 4, 8
// ROWS       that may be open at a time, tok is {row, tok}  rows    1, 4, 8
// SIDE_W     of the sideband                                bits    1 or more
// ASYM       0: asym, words and sums are not looked at      -       0, 1
// X_BITS     of an element of x                             bits    8, 10
// ACC_W      of an accumulator                              bits    64, 66
// TOK_W      of tok                                         bits    derived
// SUMS_W     of sums                                        bits    derived
`default_nettype none

module rill_matrix_lane #(
    parameter BEAT_BITS = 0,
    parameter TOKENS = 0,
    parameter ROWS = 1,
    parameter SIDE_W = 1,
    parameter ASYM = 0,
    parameter X_BITS = 8,
    parameter ACC_W = 64,
    parameter TOK_W = TOKENS * ROWS > 1 ? $clog2(TOKENS * ROWS) : 1,
    parameter SUMS_W = (X_BITS + 5) * (BEAT_BITS / 128)
) (
    input  wire                   clk,
    input  wire                   rst,

    input  wire                   valid,
    input  wire                   int4,
    input  wire                   first,       // first beat of the row
    input  wire                   last,        // last beat of the row
    input  wire [TOK_W-1:0]       tok,
    input  wire [BEAT_BITS-1:0]   nibbles,     // of the beat, unsigned
    input  wire [4*BEAT_BITS-1:0] x,           // 16 bits each, sign-extended
    input  wire [X_BITS+13:0]     offset,      // of the beat that was valid 4 cycles before
    input  wire [7:0]             group_scale, // 1 where there is none
    input  wire [4:0]             shift,
    input  wire                   asym,
    input  wire [BEAT_BITS/8-1:0] words,       // {offset, scale} of each 32 elements
    input  wire [SUMS_W-1:0]      sums,        // of the beat that was valid 4 cycles before
    input  wire [31:0]            row_scale,
    input  wire [31:0]            bias,
    input  wire [SIDE_W-1:0]      side,

    output reg                    out_valid,
    output reg  [ACC_W-1:0]       out_acc,
    output wire [31:0]            out_row_scale,
    output wire [31:0]            out_bias,
    output wire [SIDE_W-1:0]      out_side
);
    localparam LATENCY = 9;
    localparam BYTES = BEAT_BITS == 512 ? 64 : 32;
    localparam WORDS = BYTES / 4;
    localparam QUADS = BYTES / 4;
    localparam SIXTEENS = QUADS / 4;
    localparam PRODUCT_W = X_BITS + 4;
    localparam QUAD_W = X_BITS + 6;          // sum of 4
    localparam SUM_W = X_BITS + 8;           // of 16
    localparam HALF_W = X_BITS + 10;         // of a beat
    localparam WHOLE_W = X_BITS + 14;        // low + 16 * high
    localparam SCALED_W = WHOLE_W + 9;
    localparam COARSE_W = SCALED_W + 24;
    localparam TERM_W = COARSE_W + 7;

    generate
        if (ACC_W != 64 && ACC_W != 66) begin : gen_bad_acc
            rill_error_ACC_W_must_be_64_or_66 u_error ();
        end
        if (BEAT_BITS != 256 && BEAT_BITS != 512) begin : gen_bad_beat
            rill_error_BEAT_BITS_must_be_256_or_512 u_error ();
        end
        if (TOKENS != 1 && TOKENS != 2 && TOKENS != 4 && TOKENS != 8) begin : gen_bad_tokens
            rill_error_TOKENS_must_be_1_2_4_or_8 u_error ();
        end
        if (ROWS != 1 && ROWS != 4 && ROWS != 8) begin : gen_bad_rows
            rill_error_ROWS_must_be_1_4_or_8 u_error ();
        end
        if (X_BITS != 8 && X_BITS != 10) begin : gen_bad_x
            rill_error_X_BITS_must_be_8_or_10 u_error ();
        end
        if (SIDE_W < 1) begin : gen_bad_side
            rill_error_SIDE_W_must_be_at_least_1 u_error ();
        end
    endgenerate

    // What goes along with the beat; index n: valid in stage n.
    reg  [8:1]         valid_q;
    reg  [7:1]         first_q;
    reg  [8:1]         last_q;
    reg  [4:1]         int4_q;
    reg  [8*TOK_W-1:0] tok_q;                  // stage 1 in the low bits
    reg  [39:0]        group_scale_q;          // stages 1..5
    reg  [34:0]        shift_q;                // stages 1..7
    wire [TOK_W-1:0]   tok7 = tok_q[6*TOK_W +: TOK_W];
    wire [TOK_W-1:0]   tok8 = tok_q[7*TOK_W +: TOK_W];

    always @(posedge clk) begin
        valid_q <= rst ? 8'd0 : {valid_q[7:1], valid};
        first_q <= {first_q[6:1], first};
        last_q <= {last_q[7:1], last};
        int4_q <= {int4_q[3:1], int4};
        tok_q <= {tok_q[7*TOK_W-1:0], tok};
        group_scale_q <= {group_scale_q[31:0], group_scale};
        shift_q <= {shift_q[29:0], shift};
    end

    // Stage 1: nibble products. Stages 2 to 4: their sums, low and high nibbles apart. Plain registers, one per sum:
    // fast in simulation.
    wire [HALF_W-1:0]    low4;
    wire [HALF_W-1:0]    high4;
    genvar i;
    generate
        for (i = 0; i < BYTES; i = i + 1) begin : gen_byte
            localparam LOW = i % 4 * 2 * WORDS + i / 4;
            localparam [PRODUCT_W-1:0] BIAS = {1'b1, {(PRODUCT_W-1){1'b0}}};
            reg  [PRODUCT_W-1:0] low_q;
            reg  [PRODUCT_W-1:0] high_q;
            always @(posedge clk)
                if (valid) begin
                    low_q <= ({{X_BITS{1'b0}}, nibbles[8*i +: 4]} * x[16*LOW +: PRODUCT_W]) ^ BIAS;
                    high_q <= ({{X_BITS{1'b0}}, nibbles[8*i+4 +: 4]} * x[16*(LOW+WORDS) +: PRODUCT_W]) ^ BIAS;
                end
        end
        for (i = 0; i < QUADS; i = i + 1) begin : gen_quad
            reg  [QUAD_W-1:0] low_q;
            reg  [QUAD_W-1:0] high_q;
            always @(posedge clk)
                if (valid_q[1]) begin
                    low_q <= {2'd0, gen_byte[4*i].low_q} + {2'd0, gen_byte[4*i+1].low_q} + {2'd0, gen_byte[4*i+2].low_q}
                        + {2'd0, gen_byte[4*i+3].low_q};
                    high_q <= {2'd0, gen_byte[4*i].high_q} + {2'd0, gen_byte[4*i+1].high_q}
                        + {2'd0, gen_byte[4*i+2].high_q}
                        + {2'd0, gen_byte[4*i+3].high_q};
                end
        end
        for (i = 0; i < SIXTEENS; i = i + 1) begin : gen_sixteen
            reg  [SUM_W-1:0] low_q;
            reg  [SUM_W-1:0] high_q;
            always @(posedge clk)
                if (valid_q[2]) begin
                    low_q <= {2'd0, gen_quad[4*i].low_q} + {2'd0, gen_quad[4*i+1].low_q} + {2'd0, gen_quad[4*i+2].low_q}
                        + {2'd0, gen_quad[4*i+3].low_q};
                    high_q <= {2'd0, gen_quad[4*i].high_q} + {2'd0, gen_quad[4*i+1].high_q}
                        + {2'd0, gen_quad[4*i+2].high_q}
                        + {2'd0, gen_quad[4*i+3].high_q};
                end
        end
        if (SIXTEENS == 4) begin : gen_four
            reg  [HALF_W-1:0] low_q;
            reg  [HALF_W-1:0] high_q;
            always @(posedge clk)
                if (valid_q[3]) begin
                    low_q <= {2'd0, gen_sixteen[0].low_q} + {2'd0, gen_sixteen[1].low_q} + {2'd0, gen_sixteen[2].low_q}
                        + {2'd0, gen_sixteen[3].low_q};
                    high_q <= {2'd0, gen_sixteen[0].high_q} + {2'd0, gen_sixteen[1].high_q}
                        + {2'd0, gen_sixteen[2].high_q}
                        + {2'd0, gen_sixteen[3].high_q};
                end
            assign low4 = low_q;
            assign high4 = high_q;
        end else begin : gen_two
            reg  [HALF_W-1:0] low_q;
            reg  [HALF_W-1:0] high_q;
            always @(posedge clk)
                if (valid_q[3]) begin
                    low_q <= {2'd0, gen_sixteen[0].low_q} + {2'd0, gen_sixteen[1].low_q};
                    high_q <= {2'd0, gen_sixteen[0].high_q} + {2'd0, gen_sixteen[1].high_q};
                end
            assign low4 = low_q;
            assign high4 = high_q;
        end
    endgenerate

    // Stage 5: end of the sum. 6: times the group's scale. 7, 8: the block's exponent.
    reg  signed [WHOLE_W-1:0] sum5_q;
    reg  signed [SCALED_W-1:0] scaled6_q;
    reg  [COARSE_W-1:0] term7_q;
    reg  [TERM_W-1:0]  term8_q;
    wire [WHOLE_W+1:0] high_weighted = int4_q[4] ? {6'd0, high4} : {2'd0, high4, 4'd0};
    wire [WHOLE_W+1:0] sum = {6'd0, low4} + high_weighted - {2'd0, offset};
    wire signed [8:0]  scale5 = {1'b0, group_scale_q[39:32]};
    wire [1:0]         coarse6 = shift_q[29:28];
    wire [2:0]         fine7 = shift_q[32:30];
    wire [SCALED_W-1:0] term6;
    wire [COARSE_W-1:0] wide6 = {{24{term6[SCALED_W-1]}}, term6};
    wire [TERM_W-1:0]  wide7 = {{7{term7_q[COARSE_W-1]}}, term7_q};

    always @(posedge clk) begin
        sum5_q <= sum[WHOLE_W-1:0];
        scaled6_q <= sum5_q * scale5; // 22 or 24 x 9 bits
        case (coarse6)
            2'd0: term7_q <= wide6;
            2'd1: term7_q <= wide6 << 8;
            2'd2: term7_q <= wide6 << 16;
            default: term7_q <= wide6 << 24;
        endcase
        term8_q <= wide7 << fine7;
    end

    generate
        if (ASYM != 0) begin : gen_asym
            reg  [6:1]               asym_q;
            wire [SUM_W*SIXTEENS-1:0] low3;
            wire [SUM_W*SIXTEENS-1:0] high3;
            wire [BEAT_BITS/8-1:0]   words4;
            wire [SCALED_W-1:0]      groups6;
            for (i = 0; i < SIXTEENS; i = i + 1) begin : gen_group
                assign low3[SUM_W*i +: SUM_W] = gen_sixteen[i].low_q;
                assign high3[SUM_W*i +: SUM_W] = gen_sixteen[i].high_q;
            end
            always @(posedge clk)
                asym_q <= {asym_q[5:1], asym};
            rill_delay_line #(.DATA_W(BEAT_BITS / 8), .DEPTH(4)) u_words (.clk(clk), .rst(rst), .en(1'b1), .d(words),
                .q(words4));
            rill_group_terms #(.BEAT_BITS(BEAT_BITS), .X_BITS(X_BITS)) u_terms (
                .clk(clk), .en_1(valid_q[3]), .en_2(valid_q[4]), .en_3(valid_q[5]), .low(low3), .high(high3),
                .words(words4), .sums(sums),
                .term(groups6));
            assign term6 = asym_q[6] ? groups6 : scaled6_q;
        end else begin : gen_plain
            wire unused_asym = &{1'b0, asym, words, sums};
            assign term6 = scaled6_q;
        end
    endgenerate

    // Stage 9: one accumulator per row and token.
    reg  [ACC_W-1:0] acc_q [0:TOKENS*ROWS-1];
    reg  [ACC_W-1:0] before_q;                 // what the term is added to, read a stage earlier
    wire [ACC_W-1:0] acc = before_q + {{(ACC_W+1-TERM_W){term8_q[TERM_W-1]}}, term8_q[TERM_W-2:0]};

    always @(posedge clk) begin
        before_q <= first_q[7] ? {ACC_W{1'b0}} : valid_q[8] && tok8 == tok7 ? acc : acc_q[tok7];
        if (valid_q[8])
            acc_q[tok8] <= acc;
        out_acc <= acc;
        out_valid <= !rst && valid_q[8] && last_q[8];
    end

    rill_delay_line #(.DATA_W(64 + SIDE_W), .DEPTH(LATENCY)) u_along (
        .clk(clk), .rst(rst), .en(1'b1), .d({side, bias, row_scale}), .q({out_side, out_bias, out_row_scale})
    );

    wire unused = &{1'b0, shift_q[34:33], sum[WHOLE_W+1:WHOLE_W], x};
endmodule

`default_nettype wire
