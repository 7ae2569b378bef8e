// SPDX-License-Identifier: Apache-2.0
// Carries a reset to another die and to many parts on it: HOPS registers gen_stage[k].u_stage, each of which may be on
// a separate die, then u_copies, one register for each of COPIES parts.
//
// q holds COPIES copies of d, 1 + HOPS cycles later, and 1 before the first d arrives. The registers themselves have no
// reset.
//
// name    meaning                 unit    range
// HOPS    registers on the way    clocks  0 or more
// COPIES  copies of the register  copies  1 or more
`default_nettype none

module rill_reset_tree #(
    parameter HOPS = 0,
    parameter COPIES = 0
) (
    input  wire              clk,
    input  wire              d,
    output wire [COPIES-1:0] q
);
    generate
        if (COPIES < 1) begin : gen_bad
            rill_error_COPIES_must_be_at_least_1 u_error ();
        end
    endgenerate

    wire [HOPS:0] way;
    assign way[0] = d;
    genvar k;
    generate
        for (k = 0; k < HOPS; k = k + 1) begin : gen_stage
            rill_reset_stage #(.COPIES(1)) u_stage (.clk(clk), .d(way[k]), .q(way[k+1]));
        end
    endgenerate
    rill_reset_stage #(.COPIES(COPIES)) u_copies (.clk(clk), .d(way[HOPS]), .q(q));
endmodule

`default_nettype wire
