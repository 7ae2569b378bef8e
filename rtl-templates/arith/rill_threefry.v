// SPDX-License-Identifier: Apache-2.0
// Random number generator Threefry-2x32 with 20 rounds (Salmon et al., SC 2011): makes 64 random bits from a counter
// and a key. Equal inputs give equal bits, so sampling can be repeated.
//
// With KEYS = 1, the key must be stable while results are computed. With KEYS = 6, each counter has its own key: key g
// (g from 0 to 5, the first in the low bits) is the key of the counter that entered 3 * g enabled clocks before.
// Latency 16 enabled clocks, one result per enabled clock, no reset.
//
// name  meaning               unit  range
// KEYS  keys at the port key  keys  1, 6
`default_nettype none

module rill_threefry #(
    parameter KEYS = 1
) (
    input  wire        clk,
    input  wire        en,
    input  wire [KEYS*64-1:0] key,           // word 0 of each key low
    input  wire [63:0] counter,
    output wire [63:0] random
);
    function [31:0] turn(input [31:0] x, input integer left);
        turn = (x << left) | (x >> (32 - left));
    endfunction
    function integer rotation(input integer round);
        case (round % 8)
            0: rotation = 13;
            1: rotation = 15;
            2: rotation = 26;
            3: rotation = 6;
            4: rotation = 17;
            5: rotation = 29;
            6: rotation = 16;
            default: rotation = 24;
        endcase
    endfunction

    generate
        if (KEYS != 1 && KEYS != 6) begin : gen_bad_keys
            rill_error_KEYS_must_be_1_or_6 u_error ();
        end
    endgenerate

    // Stage 0 adds the key. Then five groups of three stages follow: two stages do two rounds each, and the third stage
    // adds two words of the key, the next pair each time, and the group's number from 1 on. The key has a third word,
    // the parity of the given two.
    reg  [31:0] a_q [0:15];
    reg  [31:0] b_q [0:15];
    always @(posedge clk)
        if (en) begin
            a_q[0] <= counter[31:0] + key[31:0];
            b_q[0] <= counter[63:32] + key[63:32];
        end
    genvar g, h;
    generate
        for (g = 0; g < 5; g = g + 1) begin : gen_group
            for (h = 0; h < 2; h = h + 1) begin : gen_rounds
                localparam R = 4 * g + 2 * h;            // the first of the two rounds
                localparam S = 3 * g + h;                // the stage before
                wire [31:0] a0 = a_q[S] + b_q[S];
                wire [31:0] b0 = turn(b_q[S], rotation(R)) ^ a0;
                wire [31:0] a1 = a0 + b0;
                always @(posedge clk)
                    if (en) begin
                        a_q[S+1] <= a1;
                        b_q[S+1] <= turn(b0, rotation(R + 1)) ^ a1;
                    end
            end
            localparam [31:0] GROUP = g + 1;
            localparam FIRST = (g + 1) % 3;
            localparam SECOND = (g + 2) % 3;
            localparam AT = KEYS > 1 ? 64 * (g + 1) : 0;
            wire [63:0] key_now = key[AT +: 64];
            wire [31:0] parity = 32'h1bd11bda ^ key_now[31:0] ^ key_now[63:32];
            wire [95:0] keys = {parity, key_now};
            wire unused = &{1'b0, keys};                 // two of the three words are added
            always @(posedge clk)
                if (en) begin
                    a_q[3*g+3] <= a_q[3*g+2] + keys[32*FIRST +: 32];
                    b_q[3*g+3] <= b_q[3*g+2] + keys[32*SECOND +: 32] + GROUP;
                end
        end
    endgenerate
    assign random = {b_q[15], a_q[15]};
endmodule

`default_nettype wire
