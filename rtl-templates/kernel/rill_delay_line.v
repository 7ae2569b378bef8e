// SPDX-License-Identifier: Apache-2.0
// Delays a value in an enabled pipeline: q is d, DEPTH enabled clocks later.
//
// It is a ring in distributed RAM with an output register, plain registers up to depth 2, or a wire at depth 0. rst
// only resets the ring's address, so q holds old data for DEPTH enabled clocks after a reset.
//
// name    meaning                          unit    range
// DATA_W  width of d                       bits    1 or more
// DEPTH   delay of q, in enabled clocks    clocks  0 or more
`default_nettype none

module rill_delay_line #(
    parameter DATA_W = 0,
    parameter DEPTH = 0
) (
    input  wire              clk,
    input  wire              rst,
    input  wire              en,
    input  wire [DATA_W-1:0] d,
    output wire [DATA_W-1:0] q
);
    generate
        if (DATA_W < 1) begin : gen_bad
            rill_error_DATA_W_must_be_at_least_1 u_error ();
        end
        if ($signed(DEPTH) < 0) begin : gen_bad_depth
            rill_error_DEPTH_must_not_be_negative u_error ();
        end
        if ($signed(DEPTH) <= 0) begin : gen_wire
            wire unused = &{1'b0, clk, rst, en};
            assign q = d;
        end else if (DEPTH == 1) begin : gen_one
            wire unused = rst;
            reg [DATA_W-1:0] q_q;
            always @(posedge clk) if (en) q_q <= d;
            assign q = q_q;
        end else if (DEPTH == 2) begin : gen_two
            wire unused = rst;
            reg [DATA_W-1:0] first_q;
            reg [DATA_W-1:0] q_q;
            always @(posedge clk)
                if (en) begin
                    first_q <= d;
                    q_q <= first_q;
                end
            assign q = q_q;
        end else begin : gen_ring
            localparam WORDS = DEPTH - 1;
            localparam PLACE_W = $clog2(WORDS);
            localparam [31:0] LAST = WORDS - 1;
            (* ram_style = "distributed" *) reg [DATA_W-1:0] ring [0:WORDS-1];
            reg [PLACE_W-1:0] place_q;
            reg [DATA_W-1:0]  q_q;
            always @(posedge clk)
                if (en) begin
                    ring[place_q] <= d;
                    q_q <= ring[place_q];
                end
            always @(posedge clk)
                if (rst) place_q <= {PLACE_W{1'b0}};
                else if (en) place_q <= place_q == LAST[PLACE_W-1:0] ? {PLACE_W{1'b0}} : place_q + 1'b1;
            assign q = q_q;
        end
    endgenerate
endmodule

`default_nettype wire
