// SPDX-License-Identifier: Apache-2.0
// Counts the bursts that were requested but not answered when a port is reset in the middle of a request.
//
// Each input is high for one cycle per event. asked: the memory took the address of a burst. answered: the last beat or
// the response of a burst came. sign: the memory sent a beat or a response.
// owed: high after a reset while such bursts are unanswered. It falls when all of them are answered, or when there was
// no sign for 2^QUIET_BITS cycles, because then the memory was reset as well and will not answer. While owed is high,
// the user of this module must not send requests and must discard answers.
// Reset: clk, synchronous active-high rst. The count of open bursts starts at 0 and is not reset.
//
// name        meaning                                             unit  range
// QUIET_BITS  after 2^QUIET_BITS cycles without sign, owed falls  bits  2 to 16
`default_nettype none

module rill_owed #(
    parameter QUIET_BITS = 0
) (
    input  wire clk,
    input  wire rst,
    input  wire asked,
    input  wire answered,
    input  wire sign,
    output wire owed
);
    generate
        if (QUIET_BITS < 2 || QUIET_BITS > 16) begin : gen_bad
            rill_error_QUIET_BITS_must_be_2_to_16 u_error ();
        end
    endgenerate

    reg  [14:0]           open_q = 15'd0;      // at most 64 clients with 256 bursts
    reg                   owed_q = 1'b0;
    reg  [QUIET_BITS-1:0] quiet_q = {QUIET_BITS{1'b0}};
    wire                  none = open_q == 15'd0;
    wire                  over = owed_q && !rst && !sign && (&quiet_q);

    assign owed = owed_q;

    always @(posedge clk) begin
        if (over)
            open_q <= 15'd0;
        else if (asked && !answered)
            open_q <= open_q + 15'd1;
        else if (answered && !asked && !none)
            open_q <= open_q - 15'd1;
        owed_q <= (rst || owed_q) && !none && !over;
        quiet_q <= rst || sign || !owed_q ? {QUIET_BITS{1'b0}} : quiet_q + 1'b1;
    end
endmodule

`default_nettype wire
