// SPDX-License-Identifier: Apache-2.0
// Receives the slices of a word through `way` from rill_serializer and joins them to the word q. q equals the
// serializer's input d if d has not changed for 2 + DATA_W / SLICE_W clocks, plus one for each register stage between
// the two. After a change of d, q mixes slices of the old and the new word until all new slices have arrived.
// DATA_W must be SLICE_W times 2, 4, 8, ... Reset: clk, synchronous active-high rst makes q 0.
//
// name     meaning                         unit  range
// DATA_W   width of q                      bits  2 or more
// SLICE_W  width of a slice                bits  1 or more
// WAY_W    width of way = {number, slice}  bits  derived
`default_nettype none

module rill_deserializer #(
    parameter DATA_W = 0,
    parameter SLICE_W = 1,
    parameter WAY_W = SLICE_W + $clog2(DATA_W / SLICE_W)
) (
    input  wire              clk,
    input  wire              rst,
    input  wire [WAY_W-1:0]  way,
    output reg  [DATA_W-1:0] q
);
    localparam SLICES = DATA_W / SLICE_W;
    localparam AT_W = $clog2(SLICES);
    generate
        if (SLICES < 2 || SLICES != 1 << AT_W || SLICES * SLICE_W != DATA_W) begin : gen_bad
            rill_error_DATA_W_must_be_SLICE_W_times_2_4_8 u_error ();
        end
    endgenerate

    (* user_sll_reg = "true" *) reg [WAY_W-1:0] way_q; // register in which a slice arrives
    always @(posedge clk) way_q <= way;

    genvar n;
    generate
        for (n = 0; n < SLICES; n = n + 1) begin : gen_slice
            localparam [AT_W-1:0] N = n;
            always @(posedge clk)
                if (rst)
                    q[n*SLICE_W +: SLICE_W] <= {SLICE_W{1'b0}};
                else if (way_q[WAY_W-1:SLICE_W] == N)
                    q[n*SLICE_W +: SLICE_W] <= way_q[SLICE_W-1:0];
        end
    endgenerate
endmodule

`default_nettype wire
