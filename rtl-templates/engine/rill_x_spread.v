// SPDX-License-Identifier: Apache-2.0
// Keeps a copy of the operand's factors and of its blocks' exponents in registers for a few lanes (a share of
// rill_engine), so that the registers have few loads. The factors are in PARTS parts, each with its own controls.
//
// shift and the first factors (rill_engine_factors) come in the cycle after `now`, the valid of the beat, because each
// part has a register for its controls. With TURN_TOKENS 2, 4 or PUMP 2 the other factors come up to PAIR_TOP cycles
// later (rill_pair_skew.vh). x and shift_there follow shift and the factors one cycle later, and stay until the next
// beat. x has 16 bits per factor and token, sign-extended.
// Reset: clk, synchronous active-high rst; resets only the controls.
//
// name         meaning                                           unit    range
// BEAT_BITS    width of a memory beat                            bits    256, 512
// TURN_TOKENS  tokens per command                                tokens  1, 2, 4
// ASYM         1: there are int4_asym weights                    -       0, 1
// X_BITS       width of a mantissa                               bits    8, 10
// PUMP         multiplications per multiplier and cycle          -       1, 2
// FACTOR_W     width of a factor, with TURN_TOKENS 1 up to 16    bits    1 to 32
// PARTS        parts of the factors, each with its own controls  parts   1, 4
// PAIRS        token pairs, or 1 for a single token              -       derived
`default_nettype none

module rill_x_spread #(
    parameter BEAT_BITS = 0,
    parameter TURN_TOKENS = 1,
    parameter ASYM = 0,
    parameter X_BITS = 8,
    parameter PUMP = TURN_TOKENS > 2 ? 2 : 1,
    parameter FACTOR_W = 0,
    parameter PARTS = 1,
    parameter PAIRS = TURN_TOKENS > 2 ? 2 : 1
) (
    input  wire                            clk,
    input  wire                            rst,
    input  wire                            now,
    input  wire [PAIRS*(BEAT_BITS/4)*FACTOR_W-1:0] factors,
    input  wire [TURN_TOKENS*5-1:0]        shift,
    output wire [BEAT_BITS*4*TURN_TOKENS-1:0] x,
    output wire [TURN_TOKENS*5-1:0]        shift_there
);
    localparam XS = BEAT_BITS / 8;
    localparam WORD_W = TURN_TOKENS > 1 ? 32 : 16;
    // 1: factors come one after the other, because multipliers add in trees (rill_pair_skew.vh)
    localparam SKEWED = TURN_TOKENS > 1 || PUMP > 1 ? 1 : 0;
    localparam PART = 2 * XS * FACTOR_W / PARTS;
    `include "rill_pair_skew.vh"

    generate
        if (BEAT_BITS != 256 && BEAT_BITS != 512) begin : gen_bad_beat
            rill_error_BEAT_BITS_must_be_256_or_512 u_error ();
        end
        if (FACTOR_W < 1 || FACTOR_W > WORD_W) begin : gen_bad_factor
            rill_error_FACTOR_W_must_be_1_to_16_for_each_token u_error ();
        end
        if (PARTS != 1 && PARTS != 4) begin : gen_bad_parts
            rill_error_PARTS_must_be_1_or_4 u_error ();
        end
    endgenerate

    // Returns a mask of the cycles after `now` in which a part takes factors. A part has the factors of one byte of
    // each word. A single part takes factors in all these cycles.
    function [PAIR_TOP:0] skews_of(input integer part, input integer pair);
        integer n;
        begin
            skews_of = {(PAIR_TOP+1){PARTS == 1}};
            for (n = part; n < XS; n = n + 4) begin
                skews_of[pair_skew(2 * n, pair)] = 1'b1;
                skews_of[pair_skew(2 * n + 1, pair)] = 1'b1;
            end
        end
    endfunction

    wire [PAIRS*PARTS-1:0]                 valid;
    wire [PAIRS*2*XS*FACTOR_W-1:0]         narrow;
    (* keep = "true" *) reg [TURN_TOKENS*5-1:0] shift_q;
    reg  [PAIR_TOP-1:0]                    late_q;
    wire [PAIR_TOP:0]                      valid_late = {late_q, now};
    always @(posedge clk)
        late_q <= SKEWED != 0 && !rst ? valid_late[PAIR_TOP-1:0] : {PAIR_TOP{1'b0}};
    genvar q;
    genvar p;
    genvar w;
    generate
        for (q = 0; q < PAIRS; q = q + 1) begin : gen_pair
            for (p = 0; p < PARTS; p = p + 1) begin : gen_part
                localparam AT = q * PARTS + p;
                localparam [PAIR_TOP:0] SKEWS = SKEWED != 0 ? skews_of(p, q) : {{PAIR_TOP{1'b0}}, 1'b1};
                (* keep = "true" *) reg [PART-1:0] x_q;
                rill_register_copies #(.DATA_W(1), .COPIES(1)) u_valid (.clk(clk), .rst(rst),
                    .d(|(valid_late & SKEWS)), .q(valid[AT]));
                always @(posedge clk)
                    if (valid[AT])
                        x_q <= factors[AT*PART +: PART];
                assign narrow[AT*PART +: PART] = x_q;
            end
        end
        if (FACTOR_W == WORD_W) begin : gen_words
            assign x = narrow;
        end else begin : gen_extend
            for (w = 0; w < PAIRS * 2 * XS; w = w + 1) begin : gen_word
                assign x[WORD_W*w +: WORD_W] = {{(WORD_W-FACTOR_W){narrow[FACTOR_W*w+FACTOR_W-1]}},
                    narrow[FACTOR_W*w +: FACTOR_W]};
            end
        end
    endgenerate
    always @(posedge clk)
        if (valid[PARTS-1])
            shift_q <= shift;
    assign shift_there = shift_q;
endmodule

`default_nettype wire
