// SPDX-License-Identifier: Apache-2.0
// Multiplier half of rill_matrix_lane: computes the term of a beat, without the exponent of its block.
//
// Free-running pipeline, never stalls:
//     term = (sum over the beat of weight * x) * group_scale << (shift mod 8)
// With asym, rill_group_terms computes the value that is shifted. rill_lane_sums applies the rest of the exponent.
// term comes LATENCY = 7 cycles after valid. The header of rill_matrix_lane describes the other inputs. A term has
// TERM_W bits, enough for the largest factors of all kinds of weights.
// Reset: clk, synchronous active-high rst; resets only the valid bits.
//
// name       meaning                              unit  range
// BEAT_BITS  width of a beat                      bits  256, 512
// ASYM       0: asym, words and sums are ignored  -     0, 1
// X_BITS     width of an element of x             bits  8, 10
// SUMS_W     width of sums                        bits  derived
// TERM_W     width of the term                    bits  derived
`default_nettype none

module rill_lane_products #(
    parameter BEAT_BITS = 0,
    parameter ASYM = 0,
    parameter X_BITS = 8,
    parameter SUMS_W = (X_BITS + 5) * (BEAT_BITS / 128),
    parameter TERM_W = X_BITS + 26
) (
    input  wire                   clk,
    input  wire                   rst,
    input  wire                   valid,
    input  wire                   int4,
    input  wire [BEAT_BITS-1:0]   nibbles,
    input  wire [4*BEAT_BITS-1:0] x,
    input  wire [X_BITS+13:0]     offset,
    input  wire [7:0]             group_scale,
    input  wire [4:0]             shift,
    input  wire                   asym,
    input  wire [BEAT_BITS/8-1:0] words,
    input  wire [SUMS_W-1:0]      sums,
    output wire [TERM_W-1:0]      term
);
    localparam BYTES = BEAT_BITS == 512 ? 64 : 32;
    localparam STRIDE = BYTES / 4;           // distance in x of the factors of neighbouring nibbles of a 32-bit word
    localparam QUADS = BYTES / 4;
    localparam SIXTEENS = QUADS / 4;
    localparam PRODUCT_W = X_BITS + 4;
    localparam QUAD_W = X_BITS + 6;          // width of a sum of 4 products
    localparam SUM_W = X_BITS + 8;           // width of a sum of 16
    localparam HALF_W = X_BITS + 10;         // width of the sum of a beat
    localparam WHOLE_W = X_BITS + 14;        // width of low + 16 * high
    localparam SCALED_W = WHOLE_W + 16;

    // Stages, named by what they hold; the term is in the stage after SCALED_AT.
    `include "rill_latency.vh"
    localparam PRODUCT_AT = 1, QUAD_AT = 2, SIXTEEN_AT = 3, BEAT_AT = 4, SUM_AT = 5,
        SCALED_AT = LATENCY_LANE_PRODUCTS - 1;

    generate
        if (BEAT_BITS != 256 && BEAT_BITS != 512) begin : gen_bad_beat
            rill_error_BEAT_BITS_must_be_256_or_512 u_error ();
        end
        if (X_BITS != 8 && X_BITS != 10) begin : gen_bad_x
            rill_error_X_BITS_must_be_8_or_10 u_error ();
        end
    endgenerate

    // Signals that accompany the beat; index n: valid in stage n.
    reg  [SUM_AT:1]        valid_q;
    reg  [BEAT_AT:1]       int4_q;
    reg  [8*BEAT_AT-1:0]   group_scale_q;      // stage 1 in the low bits
    reg  [3*SCALED_AT-1:0] fine_q;             // the low 3 bits of shift
    wire [7:0]             beat_scale = group_scale_q[8*(BEAT_AT-1) +: 8];
    wire [2:0]             beat_fine = fine_q[3*(BEAT_AT-1) +: 3];
    wire [2:0]             scaled_fine = fine_q[3*(SCALED_AT-1) +: 3];
    always @(posedge clk) begin
        valid_q <= rst ? {SUM_AT{1'b0}} : {valid_q[SUM_AT-1:1], valid};
        int4_q <= {int4_q[BEAT_AT-1:1], int4};
        group_scale_q <= {group_scale_q[8*(BEAT_AT-1)-1:0], group_scale};
        fine_q <= {fine_q[3*(SCALED_AT-1)-1:0], shift[2:0]};
    end

    // Stage 1: products of nibbles. Stages 2 to 4: their sums, low and high nibbles separately. Each sum has a plain
    // register, which is fast in simulation.
    wire [HALF_W-1:0]    low4;
    wire [HALF_W-1:0]    high4;
    genvar i;
    generate
        for (i = 0; i < BYTES; i = i + 1) begin : gen_byte
            // LOW: place of the factor of the byte's low nibble (rill_matrix_lane: nibble 8 w + k has element BEAT_BITS
            // / 32 * k + w). low_q and high_q hold the products without BIAS, so they can be the output registers of
            // the multipliers. BIAS makes the signed products unsigned.
            localparam LOW = i % 4 * 2 * STRIDE + i / 4;
            localparam [PRODUCT_W-1:0] BIAS = {1'b1, {(PRODUCT_W-1){1'b0}}};
            reg  [PRODUCT_W-1:0] low_q;
            reg  [PRODUCT_W-1:0] high_q;
            wire [PRODUCT_W-1:0] low = low_q ^ BIAS;
            wire [PRODUCT_W-1:0] high = high_q ^ BIAS;
            always @(posedge clk)
                if (valid) begin
                    low_q <= {{X_BITS{1'b0}}, nibbles[8*i +: 4]} * x[16*LOW +: PRODUCT_W];
                    high_q <= {{X_BITS{1'b0}}, nibbles[8*i+4 +: 4]} * x[16*(LOW+STRIDE) +: PRODUCT_W];
                end
        end
        for (i = 0; i < QUADS; i = i + 1) begin : gen_quad
            reg  [QUAD_W-1:0] low_q;
            reg  [QUAD_W-1:0] high_q;
            always @(posedge clk)
                if (valid_q[PRODUCT_AT]) begin
                    low_q <= {2'd0, gen_byte[4*i].low} + {2'd0, gen_byte[4*i+1].low} + {2'd0, gen_byte[4*i+2].low}
                        + {2'd0, gen_byte[4*i+3].low};
                    high_q <= {2'd0, gen_byte[4*i].high} + {2'd0, gen_byte[4*i+1].high} + {2'd0, gen_byte[4*i+2].high}
                        + {2'd0, gen_byte[4*i+3].high};
                end
        end
        for (i = 0; i < SIXTEENS; i = i + 1) begin : gen_sixteen
            reg  [SUM_W-1:0] low_q;
            reg  [SUM_W-1:0] high_q;
            always @(posedge clk)
                if (valid_q[QUAD_AT]) begin
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
                if (valid_q[SIXTEEN_AT]) begin
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
                if (valid_q[SIXTEEN_AT]) begin
                    low_q <= {2'd0, gen_sixteen[0].low_q} + {2'd0, gen_sixteen[1].low_q};
                    high_q <= {2'd0, gen_sixteen[0].high_q} + {2'd0, gen_sixteen[1].high_q};
                end
            assign low4 = low_q;
            assign high4 = high_q;
        end
    endgenerate

    // Stage 5: end of the sum. Stage 6: times the group's scale. Stage 7: registers without logic, because the next
    // stage may be on another die (user_sll_reg: see rill_hop_stage).
    reg  signed [WHOLE_W-1:0] sum5_q;
    reg  signed [SCALED_W-1:0] scaled6_q;
    (* keep = "true", shreg_extract = "no", user_sll_reg = "true" *) reg [TERM_W-1:0] term7_q;
    wire [WHOLE_W+1:0] high_weighted = int4_q[BEAT_AT] ? {6'd0, high4} : {2'd0, high4, 4'd0};
    wire [WHOLE_W+1:0] sum = {6'd0, low4} + high_weighted - {2'd0, offset};
    reg  signed [15:0] scale5_q;               // includes a part of the exponent, which costs nothing in a DSP
    wire [SCALED_W-1:0] term6;
    assign term = term7_q;

    always @(posedge clk) begin
        sum5_q <= sum[WHOLE_W-1:0];
        scale5_q <= {8'd0, beat_scale} << beat_fine;
        scaled6_q <= sum5_q * scale5_q; // 22 or 24 x 16 bits
        term7_q <= term6[TERM_W-1:0];
    end

    generate
        if (ASYM != 0) begin : gen_asym
            reg  [SCALED_AT:1]       asym_q;
            wire [SUM_W*SIXTEENS-1:0] low3;
            wire [SUM_W*SIXTEENS-1:0] high3;
            wire [BEAT_BITS/8-1:0]   words4;
            wire [X_BITS+22:0]       groups6;
            for (i = 0; i < SIXTEENS; i = i + 1) begin : gen_group
                assign low3[SUM_W*i +: SUM_W] = gen_sixteen[i].low_q;
                assign high3[SUM_W*i +: SUM_W] = gen_sixteen[i].high_q;
            end
            always @(posedge clk)
                asym_q <= {asym_q[SCALED_AT-1:1], asym};
            rill_delay_line #(.DATA_W(BEAT_BITS / 8), .DEPTH(LATENCY_ENGINE_OFFSET)) u_words (
                .clk(clk), .rst(rst), .en(1'b1), .d(words), .q(words4));
            rill_group_terms #(.BEAT_BITS(BEAT_BITS), .X_BITS(X_BITS)) u_terms (
                .clk(clk), .en_1(valid_q[SIXTEEN_AT]), .en_2(valid_q[BEAT_AT]), .en_3(valid_q[SUM_AT]), .low(low3),
                .high(high3), .words(words4), .sums(sums), .term(groups6));
            assign term6 = asym_q[SCALED_AT] ? {{7{groups6[X_BITS+22]}}, groups6} << scaled_fine : scaled6_q;
        end else begin : gen_plain
            wire unused_asym = &{1'b0, asym, words, sums, scaled_fine, fine_q};
            assign term6 = scaled6_q;
        end
    endgenerate

    wire unused = &{1'b0, sum[WHOLE_W+1:WHOLE_W], x, term6, valid_q, shift};
endmodule

`default_nettype wire
