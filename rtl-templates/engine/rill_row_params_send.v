// SPDX-License-Identifier: Apache-2.0
// Sends the row parameters of a chunk to the sums of a lane that is cut after its multipliers. The parameters are one
// header beat, which leaves in words of PARAM_BITS bits, one per cycle, the low bits first. This needs fewer wires
// between dies than a whole beat (rill_row_params_receive).
//
// In: beat with load in cycle 0. Out: word n of the beat (from 0) on `word` in cycle 2 + n, from registers. A new load
// begins again with word 0 of its beat. No reset: `word` has no meaning before the first load.
//
// name        meaning          unit  range
// BEAT_BITS   width of a beat  bits  256, 512
// PARAM_BITS  width of a word  bits  8, 16, 32, 64
`default_nettype none

module rill_row_params_send #(
    parameter BEAT_BITS = 0,
    parameter PARAM_BITS = 0
) (
    input  wire                  clk,
    input  wire                  load,
    input  wire [BEAT_BITS-1:0]  beat,
    (* user_sll_reg = "true" *)
    output reg  [PARAM_BITS-1:0] word // may cross to another die: see rill_hop_stage
);
    generate
        if (BEAT_BITS != 256 && BEAT_BITS != 512) begin : gen_bad_bits
            rill_error_BEAT_BITS_must_be_256_or_512 u_error ();
        end
        if (PARAM_BITS != 8 && PARAM_BITS != 16 && PARAM_BITS != 32 && PARAM_BITS != 64) begin : gen_bad_word
            rill_error_PARAM_BITS_must_be_8_16_32_or_64 u_error ();
        end
    endgenerate
    localparam BITS = PARAM_BITS > 0 ? PARAM_BITS : 64;
    localparam COUNT_W = BEAT_BITS > BITS ? $clog2(BEAT_BITS / BITS) : 1;

    reg [BEAT_BITS-1:0] beat_q;
    reg [COUNT_W-1:0]   count_q;
    always @(posedge clk) begin
        if (load)
            beat_q <= beat;
        count_q <= load ? {COUNT_W{1'b0}} : count_q + 1'b1;
        word <= beat_q[count_q*BITS +: BITS];
    end
endmodule

`default_nettype wire
