// SPDX-License-Identifier: Apache-2.0
// Counts the words of a vector stream, so that a kernel knows which word has padding: the last chunk of a vector, whose
// lanes from N % LANES on are padding.
//
// take: a word passes. token_last: the word is of the step's last token (highest bit of tuser). last: the next word
// that passes belongs to the last chunk. It is always 0 if no chunk has padding, which means that N is a multiple of
// LANES, or 0.
// Latency 0 cycles. Reset: clk, synchronous active-high rst.
//
// name   meaning                         unit      range
// LANES  elements of a chunk             elements  1 to 32
// N      elements of a firing and token  elements  0 or more
`default_nettype none

module rill_padding #(
    parameter LANES = 0,
    parameter N = 0
) (
    input  wire clk,
    input  wire rst,
    input  wire take,
    input  wire token_last,
    output wire last
);
    localparam CHUNKS = (N + LANES - 1) / LANES;
    localparam COUNT_W = CHUNKS > 1 ? $clog2(CHUNKS) : 1;
    localparam FINAL = CHUNKS - 1;

    generate
        if (LANES < 1 || LANES > 32) begin : gen_bad_lanes
            rill_error_LANES_must_be_1_to_32 u_error ();
        end
        if (N % LANES == 0) begin : gen_none
            assign last = 1'b0;
            wire unused = &{1'b0, clk, rst, take, token_last};
        end else if (CHUNKS == 1) begin : gen_one
            assign last = 1'b1;
            wire unused = &{1'b0, clk, rst, take, token_last};
        end else begin : gen_count
            reg [COUNT_W-1:0] chunk_q;
            assign last = chunk_q == FINAL[COUNT_W-1:0];
            always @(posedge clk)
                if (rst) chunk_q <= {COUNT_W{1'b0}};
                else if (take && token_last) chunk_q <= last ? {COUNT_W{1'b0}} : chunk_q + 1'b1;
        end
    endgenerate
endmodule

`default_nettype wire
