// SPDX-License-Identifier: Apache-2.0
// The term of a beat of int4_asym weights: groups of 32, each with a scale and an offset of its own.
//
//     term = sum over the groups of  scale * sum(q * x) + 8 * offset * sum(x)
// low, high: of each group what rill_matrix_lane has summed of its even and odd elements, (q + 8) * x + 2048 each, so
// that low + high - 65536 = sum(q * x) + 8 * sum(x); hence term = sum of scale * (low + high - 65536) + 8 * (offset -
// scale) * sum(x).
// words: {offset, scale} of each group, group 0 low; sums: of each group's x, 13 bits (rill_engine_offset); both a
// cycle after low and high.
// Free-running pipeline: term LATENCY = 3 cycles after low and high, one per cycle. en_1 to en_3: its stages hold
// something. No reset.
//
// name       meaning    unit    range
// BEAT_BITS  of a beat  bits    256, 512
// GROUPS     of a beat  groups  derived
`default_nettype none

module rill_group_terms #(
    parameter BEAT_BITS = 0,
    parameter GROUPS = BEAT_BITS / 128
) (
    input  wire                 clk,
    input  wire                 en_1,
    input  wire                 en_2,
    input  wire                 en_3,
    input  wire [16*GROUPS-1:0] low,
    input  wire [16*GROUPS-1:0] high,
    input  wire [16*GROUPS-1:0] words,
    input  wire [13*GROUPS-1:0] sums,
    output reg  [30:0]          term
);
    generate
        if (BEAT_BITS != 256 && BEAT_BITS != 512) begin : gen_bad_beat
            rill_error_BEAT_BITS_must_be_256_or_512 u_error ();
        end
    endgenerate

    wire [31*GROUPS-1:0] parts;
    genvar g;
    generate
        for (g = 0; g < GROUPS; g = g + 1) begin : gen_group
            wire signed [8:0]  scale = {1'b0, words[16*g +: 8]};
            wire signed [9:0]  lowest = {{2{words[16*g+15]}}, words[16*g+8 +: 8]} - {2'd0, words[16*g +: 8]};
            wire signed [12:0] sum = sums[13*g +: 13];
            reg  [16:0]        both_q;
            wire signed [16:0] products = {!both_q[16], both_q[15:0]}; // - 65536
            reg  signed [25:0] scaled_q;
            reg  signed [22:0] lowest_q;
            always @(posedge clk) begin
                if (en_1)
                    both_q <= {1'b0, low[16*g +: 16]} + {1'b0, high[16*g +: 16]};
                if (en_2) begin
                    scaled_q <= products * scale;
                    lowest_q <= lowest * sum;
                end
            end
            assign parts[31*g +: 31] = {{5{scaled_q[25]}}, scaled_q} + {{5{lowest_q[22]}}, lowest_q, 3'd0};
        end
        if (GROUPS == 4) begin : gen_four
            always @(posedge clk)
                if (en_3)
                    term <= parts[0 +: 31] + parts[31 +: 31] + parts[62 +: 31] + parts[93 +: 31];
        end else begin : gen_two
            always @(posedge clk)
                if (en_3)
                    term <= parts[0 +: 31] + parts[31 +: 31];
        end
    endgenerate
endmodule

`default_nettype wire
