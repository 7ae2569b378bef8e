// SPDX-License-Identifier: Apache-2.0
// Counts the bursts that were requested and not answered when a port is reset in the middle of a request.
//
// asked, answered: a burst's address was taken; its last beat or its response has come. sign: the memory has sent
// anything.
// owed: high from a reset with open bursts on, until all of them are answered, or no sign has come for 2^QUIET_BITS
// cycles: then the memory was reset, too, and owes nothing. A user asks for nothing meanwhile and swallows what comes.
// Reset: clk, synchronous active-high rst; the count of open bursts is no part of it and starts at 0.
//
// name        meaning                                              unit  range
// QUIET_BITS  2^QUIET_BITS cycles without a sign: nothing is owed  bits  2 to 16
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

    reg  [14:0]           open_q = 15'd0;      // 64 clients of 256 bursts
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
