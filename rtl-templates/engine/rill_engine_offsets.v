// SPDX-License-Identifier: Apache-2.0
// Computes sums of an operand that all lanes need: the offset of a beat (TURN_TOKENS 1 and PUMP 1), and with int4_asym
// weights the sum of each 32 elements of each token (rill_engine_offset).
//
// slice holds two units of BEAT_BITS / 8 mantissas for each token. It comes in cycle 4 of the command
// (rill_engine_command), valid_3 in cycle 3, valid_4 and int4_4 in cycle 4.
// q = {sums, offset}; a part that this design does not need is 0. With TURN_TOKENS 1 and PUMP 1, q comes in cycle 8,
// one cycle before the lanes need it, because rill_engine has a register for it per group of lanes. Otherwise q comes
// in cycle 11 + PAIR_MORE (rill_pair_skew.vh), in which the lanes need it.
// Reset: clk, synchronous active-high rst; resets only the controls.
//
// name         meaning                                                                  unit    range
// BEAT_BITS    width of a memory beat                                                   bits    256, 512
// TURN_TOKENS  tokens per command                                                       tokens  1, 2, 4
// ASYM         1: there are int4_asym weights                                           -       0, 1
// X_BITS       width of a mantissa                                                      bits    8, 10
// PUMP         multiplications per multiplier and cycle                                 -       1, 2
// PARTS        parts of the slice, each with its own controls                           parts   1, 4
// Q_W          width of q                                                               bits    derived
`default_nettype none

module rill_engine_offsets #(
    parameter BEAT_BITS = 0,
    parameter TURN_TOKENS = 1,
    parameter ASYM = 0,
    parameter X_BITS = 8,
    parameter PUMP = TURN_TOKENS > 2 ? 2 : 1,
    parameter PARTS = 1,
    parameter Q_W = (TURN_TOKENS > 1 || PUMP > 1) && ASYM == 0 ? 1
        : (TURN_TOKENS == 1 && PUMP == 1 ? X_BITS + 14 : 0) + (ASYM != 0 ? TURN_TOKENS * (X_BITS
            + 5) * (BEAT_BITS / 128) : 0)
) (
    input  wire                                     clk,
    input  wire                                     rst,
    input  wire                                     valid_3,
    input  wire                                     valid_4,
    input  wire                                     int4_4,
    input  wire [TURN_TOKENS*2*(BEAT_BITS/8*X_BITS)-1:0] slice,
    output wire [Q_W-1:0]                           q
);
    localparam XS = BEAT_BITS / 8;
    localparam UNIT_BITS = XS * X_BITS;
    localparam PART = 2 * UNIT_BITS / PARTS;
    localparam SUMS_W = (X_BITS + 5) * (BEAT_BITS / 128);  // width of the sums of each 32 elements
    localparam ONE_W = X_BITS + 14;                        // width of an offset
    localparam PAIRS = TURN_TOKENS > 2 ? 2 : 1;
    `include "rill_latency.vh"
    localparam SIGNED = TURN_TOKENS > 1 || PUMP > 1 ? 1 : 0; // 1: weights are signed
    `include "rill_pair_skew.vh"

    generate
        if (BEAT_BITS != 256 && BEAT_BITS != 512) begin : gen_bad_beat
            rill_error_BEAT_BITS_must_be_256_or_512 u_error ();
        end
    endgenerate

    genvar a;
    genvar p;
    generate
        if (SIGNED != 0 && ASYM == 0) begin : gen_none
            wire unused = &{1'b0, clk, rst, valid_3, valid_4, int4_4, slice};
            assign q = {Q_W{1'b0}};
        end else begin : gen_sums
            wire [TURN_TOKENS*SUMS_W-1:0] sums;
            if (SIGNED != 0) begin : gen_late
                wire [PARTS-1:0]                   part_valid;
                wire [TURN_TOKENS*2*UNIT_BITS-1:0] x;      // the slice in cycle 5
                reg                                valid_5_q;
                always @(posedge clk)
                    valid_5_q <= valid_4;
                rill_register_copies #(.DATA_W(1), .COPIES(PARTS)) u_valid (.clk(clk), .rst(rst), .d(valid_3),
                    .q(part_valid));
                for (p = 0; p < PARTS; p = p + 1) begin : gen_part
                    reg [TURN_TOKENS*PART-1:0] x_q;
                    always @(posedge clk)
                        if (part_valid[p])
                            x_q <= slice[p*TURN_TOKENS*PART +: TURN_TOKENS*PART];
                    assign x[p*TURN_TOKENS*PART +: TURN_TOKENS*PART] = x_q;
                end
                for (a = 0; a < TURN_TOKENS; a = a + 1) begin : gen_operand
                    wire [ONE_W-1:0] offset;
                    rill_engine_offset #(.BEAT_BITS(BEAT_BITS), .ASYM(ASYM), .X_BITS(X_BITS)) u_offset (
                        .clk(clk), .valid(valid_5_q), .int4(1'b1), .x(x[a*2*UNIT_BITS +: 2*UNIT_BITS]),
                        .offset(offset), .sums(sums[SUMS_W*a +: SUMS_W]));
                    wire unused_offset = &{1'b0, offset};  // signed weights need none
                end
                rill_delay_line #(.DATA_W(Q_W), .DEPTH(PAIR_SUMS_AT - LATENCY_ENGINE_OFFSET)) u_late (.clk(clk),
                    .rst(rst), .en(1'b1), .d(sums), .q(q));
                wire unused_int4 = int4_4;
            end else begin : gen_soon
                wire [ONE_W-1:0] offset;
                rill_engine_offset #(.BEAT_BITS(BEAT_BITS), .ASYM(ASYM), .X_BITS(X_BITS)) u_offset (
                    .clk(clk), .valid(valid_4), .int4(int4_4), .x(slice), .offset(offset), .sums(sums));
                if (ASYM != 0) begin : gen_both
                    assign q = {sums, offset};
                end else begin : gen_offset
                    assign q = offset;
                    wire unused_sums = &{1'b0, sums};
                end
                wire unused = &{1'b0, valid_3};
            end
            wire unused_rst = rst;
        end
    endgenerate
endmodule

`default_nettype wire
