// SPDX-License-Identifier: Apache-2.0
// Computes how many whole units of positions come before the attention window of a step in a layer. The keys and values
// of these positions are not read. A unit is the least common multiple of 64 positions (a block of the values and of
// the softmax weights) and of KEY_CHANNELS positions (a row-step of keys). So it is 64 positions if KEY_CHANNELS is a
// power of two.
//
// In: pos, the first position of the step; index, the entry of the layer in WINDOW. Out, 3 enabled clocks later:
// unit_count, the number of whole units before the first position that the token at pos attends to. No token of the
// step attends to an earlier position.
// Throughput: one per cycle. No reset.
//
// name          meaning                                                                   unit       range
// KEY_CHANNELS  channels of the scores engine                                             channels   1 to 32
// WINDOWS       entries of WINDOW                                                         entries    1 or more
// WINDOW        positions a token attends to, including its own; 16 bits per entry, the   positions  any
//               first low; 0: no window
// INDEX_W       width of index                                                            bits       derived
`default_nettype none

module rill_window_begin #(
    parameter KEY_CHANNELS = 0,
    parameter WINDOWS = 0,
    parameter [WINDOWS*16-1:0] WINDOW = 0,
    parameter INDEX_W = WINDOWS > 1 ? $clog2(WINDOWS) : 1
) (
    input  wire               clk,
    input  wire               en,
    input  wire [15:0]        pos,
    input  wire [INDEX_W-1:0] index,
    output reg  [9:0]         unit_count
);
    generate
        if (KEY_CHANNELS < 1 || KEY_CHANNELS > 32) begin : gen_bad_channels
            rill_error_KEY_CHANNELS_must_be_1_to_32 u_error ();
        end
        if (WINDOWS < 1) begin : gen_bad_windows
            rill_error_WINDOWS_must_be_at_least_1 u_error ();
        end
    endgenerate

    localparam BLOCK_W = 6;                                // 64 positions
    localparam KEYS_1 = KEY_CHANNELS > 0 ? KEY_CHANNELS : 1;
    localparam BLOCKS = KEYS_1 / (KEYS_1 & -KEYS_1);       // blocks per unit: odd, at most 31
    // Division of a 10-bit number by BLOCKS as an exact multiplication: BLOCKS * FACTOR is at least 2^15, and less than
    // 2^15 + BLOCKS.
    localparam FACTOR_W = 15;
    localparam [31:0] FACTOR = ((1 << FACTOR_W) + BLOCKS - 1) / BLOCKS;

    reg  [15:0] pos_q;
    // Number of positions before its own that a token attends to. Without a window it is 65535, which is all of them.
    reg  [15:0] beyond_q;
    reg  [15:0] oldest_q;
    wire [25:0] scaled = oldest_q[15:BLOCK_W] * FACTOR[15:0];
    always @(posedge clk)
        if (en) begin
            pos_q <= pos;
            beyond_q <= (WINDOWS == 1 ? WINDOW[15:0] : WINDOW[index*16 +: 16]) - 16'd1;
            oldest_q <= pos_q > beyond_q ? pos_q - beyond_q : 16'd0;
            unit_count <= BLOCKS == 1 ? oldest_q[15:BLOCK_W] : scaled[24:FACTOR_W];
        end

    wire unused = &{1'b0, index, oldest_q, scaled, FACTOR};
endmodule

`default_nettype wire
