// SPDX-License-Identifier: Apache-2.0
// A reset on its way to another die and to many parts there: HOPS registers, gen_stage[k].u_stage, each on a die of its
// own if need be, then u_copies, a register for each of COPIES parts.
//
// q: COPIES times what d was 1 + HOPS cycles before; before that 1. It has no reset.
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
