// SPDX-License-Identifier: Apache-2.0
// Computes the term of a beat of int4_asym weights. Each group of 32 elements of such a beat has a scale and an offset.
//
//     term = sum over the groups of  scale * sum(q * x) + 8 * offset * sum(x)
// low and high are the sums of products that rill_lane_products computes for the low and the high nibbles of each
// group. Each of the 32 elements contributes (q + 8) * x + B, with B = 2^(X_BITS + 3). So
//     low + high - 32 * B = sum(q * x) + 8 * sum(x)
//     term = sum over the groups of  scale * (low + high - 32 * B) + 8 * (offset - scale) * sum(x)
// SIGNED: each element contributes q * x + B (rill_pair_terms), so scale is not subtracted from offset.
// words: {offset, scale} of each group, group 0 low. sums: sum(x) of each group with X_BITS + 5 bits
// (rill_engine_offset). Both come one cycle after low and high.
// Free-running pipeline: term comes LATENCY = 3 cycles after low and high, one per cycle. en_n: clock enable of stage
// n. No reset.
//
// name       meaning                       unit    range
// BEAT_BITS  width of a beat               bits    256, 512
// X_BITS     width of an element of x      bits    8, 10
// SIGNED     1: low and high are sums of   -       0, 1
//            q * x + B
// GROUPS     groups of a beat              groups  derived
`default_nettype none

module rill_group_terms #(
    parameter BEAT_BITS = 0,
    parameter X_BITS = 8,
    parameter SIGNED = 0,
    parameter GROUPS = BEAT_BITS / 128
) (
    input  wire                 clk,
    input  wire                 en_1,
    input  wire                 en_2,
    input  wire                 en_3,
    input  wire [(X_BITS+8)*GROUPS-1:0] low,
    input  wire [(X_BITS+8)*GROUPS-1:0] high,
    input  wire [16*GROUPS-1:0] words,
    input  wire [(X_BITS+5)*GROUPS-1:0] sums,
    output reg  [X_BITS+22:0]   term
);
    generate
        if (BEAT_BITS != 256 && BEAT_BITS != 512) begin : gen_bad_beat
            rill_error_BEAT_BITS_must_be_256_or_512 u_error ();
        end
        if (X_BITS != 8 && X_BITS != 10) begin : gen_bad_x
            rill_error_X_BITS_must_be_8_or_10 u_error ();
        end
    endgenerate

    localparam LOW_W = X_BITS + 8;           // a sum of 16 products
    localparam SUM_W = X_BITS + 5;           // a sum of 32 elements
    localparam TERM_W = X_BITS + 23;
    wire [TERM_W*GROUPS-1:0] parts;
    genvar g;
    generate
        for (g = 0; g < GROUPS; g = g + 1) begin : gen_group
            wire signed [8:0]  scale = {1'b0, words[16*g +: 8]};
            // offset - scale; with SIGNED 1: offset
            wire signed [9:0]  lowest = {{2{words[16*g+15]}}, words[16*g+8 +: 8]}
                - (SIGNED != 0 ? 10'd0 : {2'd0, words[16*g +: 8]});
            wire signed [SUM_W-1:0] sum = sums[SUM_W*g +: SUM_W];
            reg  [LOW_W:0]          both_q;
            // Minus 32 * B: inverting the top bit subtracts 2^LOW_W
            wire signed [LOW_W:0]   products = {!both_q[LOW_W], both_q[LOW_W-1:0]};
            reg  signed [LOW_W+9:0] scaled_q;
            reg  signed [SUM_W+9:0] lowest_q;
            always @(posedge clk) begin
                if (en_1)
                    both_q <= {1'b0, low[LOW_W*g +: LOW_W]} + {1'b0, high[LOW_W*g +: LOW_W]};
                if (en_2) begin
                    scaled_q <= products * scale;
                    lowest_q <= lowest * sum;
                end
            end
            assign parts[TERM_W*g +: TERM_W] = {{5{scaled_q[LOW_W+9]}}, scaled_q}
                + {{5{lowest_q[SUM_W+9]}}, lowest_q, 3'd0};
        end
        if (GROUPS == 4) begin : gen_four
            always @(posedge clk)
                if (en_3)
                    term <= parts[0 +: TERM_W] + parts[TERM_W +: TERM_W] + parts[2*TERM_W +: TERM_W]
                        + parts[3*TERM_W +: TERM_W];
        end else begin : gen_two
            always @(posedge clk)
                if (en_3)
                    term <= parts[0 +: TERM_W] + parts[TERM_W +: TERM_W];
        end
    endgenerate
endmodule

`default_nettype wire
