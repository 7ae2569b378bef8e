// SPDX-License-Identifier: Apache-2.0
// Knows how many positions of the latest request are held on the card, and checks whether the next request may begin
// after them (kept prefix, docs/decisions/prefix.md).
//
// After a request, its K and V stay in memory, and their scales and the open block of V stay on chip. So the next
// request may begin at position `prefix` if its first `prefix` ids equal the ids of the positions held. The host
// compares the ids. This module checks everything else:
//   - prefix is less than prompt_len, because at least one id must be computed;
//   - prefix is at most `held`;
//   - prefix is a multiple of 64, or in the same block of 64 positions as the latest position held. The bytes of that
//     block are on chip (rill_v_tail); the bytes of earlier blocks are in memory only.
// `refused` is valid two cycles after the arguments. While `follows` is high, `first` follows prefix, one cycle late;
// afterwards it is held.
// held: number of positions held, at most 65535. It becomes 0 with a pulse on `begins` (a request begins to change the
// memory, or has lost its state) or on `forget`. It becomes `place` with a pulse on `ends` (a request has ended with
// all of its K and V in memory, and the next request may begin at position `place`, which is at least 1).
// Reset: clk, synchronous active-high rst: nothing is held.
`default_nettype none

module rill_prefix (
    input  wire        clk,
    input  wire        rst,
    input  wire        follows,
    input  wire [31:0] prompt_len,
    input  wire [31:0] prefix,
    input  wire        forget,
    input  wire        begins,
    input  wire        ends,
    input  wire [15:0] place,
    output wire [15:0] first,
    output reg         refused,
    output reg  [15:0] held
);
    localparam BLOCK_W = 6;                  // width of a position's number in its block of 64

    reg  [31:0]         prefix_q;
    reg  [31:0]         prompt_len_q;
    reg  [15:BLOCK_W]   block_q;             // block of the latest position held
    wire [15:0]         last = place - 16'd1;
    wire                at_block = prefix_q[BLOCK_W-1:0] == {BLOCK_W{1'b0}};
    wire                on_chip = prefix_q[15:BLOCK_W] == block_q;
    assign first = prefix_q[15:0];

    always @(posedge clk) begin
        if (follows) begin
            prefix_q <= prefix;
            prompt_len_q <= prompt_len;
        end
        refused <= prefix_q != 32'd0
            && (prefix_q >= prompt_len_q || prefix_q > {16'd0, held} || !(at_block || on_chip));
        if (rst || begins || forget)
            held <= 16'd0;
        else if (ends)
            held <= place;
        if (ends)
            block_q <= last[15:BLOCK_W];
    end

    wire unused = &{1'b0, last[BLOCK_W-1:0]};
endmodule

`default_nettype wire
