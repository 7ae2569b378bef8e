// SPDX-License-Identifier: Apache-2.0
// Stores a value that has many loads in several equal registers, so that each register drives only some of the loads.
//
// q holds COPIES copies of d, one cycle later, copy 0 in the low bits. Latency: 1 cycle. Reset: clk, synchronous
// active-high rst, to 0.
// Synthesis keeps the copies separate.
//
// name    meaning                 unit    range
// DATA_W  width of d              bits    1 or more
// COPIES  copies of the register  copies  1 or more
`default_nettype none

module rill_register_copies #(
    parameter DATA_W = 0,
    parameter COPIES = 0
) (
    input  wire                     clk,
    input  wire                     rst,
    input  wire [DATA_W-1:0]        d,
    output wire [COPIES*DATA_W-1:0] q
);
    generate
        if (DATA_W < 1 || COPIES < 1) begin : gen_bad
            rill_error_DATA_W_and_COPIES_must_be_at_least_1 u_error ();
        end
    endgenerate

    genvar c;
    generate
        for (c = 0; c < COPIES; c = c + 1) begin : gen_copy
            (* keep = "true" *) reg [DATA_W-1:0] copy_q;
            always @(posedge clk)
                copy_q <= rst ? {DATA_W{1'b0}} : d;
            assign q[c*DATA_W +: DATA_W] = copy_q;
        end
    endgenerate
endmodule

`default_nettype wire
