// SPDX-License-Identifier: Apache-2.0
// A word, DEPTH enabled clocks later: a ring in a small memory.
//
// Latency DEPTH enabled clocks, one word per enabled clock. What comes out is undefined for the first DEPTH of them.
// Reset: clk, synchronous active-high rst: of the place alone.
// WIDTH (1 or more), DEPTH (2..64)
`default_nettype none

module rill_delay #(
    parameter WIDTH = 0,
    parameter DEPTH = 0
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             en,
    input  wire [WIDTH-1:0] d,
    output reg  [WIDTH-1:0] q
);
    localparam PLACES = DEPTH - 1;
    localparam [31:0] LAST = PLACES - 1;
    localparam PLACE_W = PLACES > 1 ? $clog2(PLACES) : 1;

    generate
        if (WIDTH < 1 || DEPTH < 2 || DEPTH > 64) begin : gen_bad
            rill_error_DEPTH_must_be_2_to_64_and_WIDTH_1_or_more u_error ();
        end
    endgenerate

    (* ram_style = "distributed" *) reg [WIDTH-1:0] ring [0:PLACES-1];
    reg [PLACE_W-1:0] place_q;
    always @(posedge clk) begin
        if (rst)
            place_q <= {PLACE_W{1'b0}};
        else if (en)
            place_q <= place_q == LAST[PLACE_W-1:0] ? {PLACE_W{1'b0}} : place_q + 1'b1;
        if (en) begin
            q <= ring[place_q];
            ring[place_q] <= d;
        end
    end
    wire unused = &{1'b0, LAST};
endmodule

`default_nettype wire
