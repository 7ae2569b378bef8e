// SPDX-License-Identifier: Apache-2.0
// Keeps the exponents of the operand's blocks for the sums of one lane, if the sums are on another die than the
// multipliers. It is a separate module, because a placer accepts a preferred die for instances, not for registers.
//
// shift and q have 5 bits for each token of a command, token 0 in the low bits: the exponent of the operand's block
// less EXP_MIN. A command multiplies a beat with TURN_TOKENS tokens. q is shift of the last cycle in which `now`, the
// valid of the beat, was 1; it changes one cycle after that. No reset: nothing reads q before the first beat.
//
// name         meaning             unit    range
// TURN_TOKENS  tokens per command  tokens  1, 2, 4
`default_nettype none

module rill_x_shift #(
    parameter TURN_TOKENS = 1
) (
    input  wire                     clk,
    input  wire                     now,
    input  wire [TURN_TOKENS*5-1:0] shift,
    output wire [TURN_TOKENS*5-1:0] q
);
    generate
        if (TURN_TOKENS != 1 && TURN_TOKENS != 2 && TURN_TOKENS != 4) begin : gen_bad_tokens
            rill_error_TURN_TOKENS_must_be_1_2_or_4 u_error ();
        end
    endgenerate

    (* keep = "true" *) reg [TURN_TOKENS*5-1:0] shift_q;
    always @(posedge clk)
        if (now)
            shift_q <= shift;
    assign q = shift_q;
endmodule

`default_nettype wire
