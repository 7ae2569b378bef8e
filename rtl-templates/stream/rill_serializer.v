// SPDX-License-Identifier: Apache-2.0
// Sends a word d that changes seldom over few wires, one slice per clock. rill_deserializer puts the slices together.
// way = {number, slice} comes from a register with no other load, so it can cross to another die (user_sll_reg: see
// rill_hop_stage). Slice n is d[n*SLICE_W +: SLICE_W] of the cycle before. Slices leave in the order of their numbers,
// which begin at 0 after a reset and again after the last slice.
// DATA_W must be SLICE_W times 2, 4, 8, ... Reset: clk, synchronous active-high rst; way is not reset.
//
// name     meaning                         unit  range
// DATA_W   width of d                      bits  2 or more
// SLICE_W  width of a slice                bits  1 or more
// WAY_W    width of way = {number, slice}  bits  derived
`default_nettype none

module rill_serializer #(
    parameter DATA_W = 0,
    parameter SLICE_W = 1,
    parameter WAY_W = SLICE_W + $clog2(DATA_W / SLICE_W)
) (
    input  wire              clk,
    input  wire              rst,
    input  wire [DATA_W-1:0] d,
    (* user_sll_reg = "true" *)
    output reg  [WAY_W-1:0]  way
);
    localparam SLICES = DATA_W / SLICE_W;
    localparam AT_W = $clog2(SLICES);
    generate
        if (SLICES < 2 || SLICES != 1 << AT_W || SLICES * SLICE_W != DATA_W) begin : gen_bad
            rill_error_DATA_W_must_be_SLICE_W_times_2_4_8 u_error ();
        end
    endgenerate

    reg [AT_W-1:0] at_q;
    always @(posedge clk) begin
        at_q <= rst ? {AT_W{1'b0}} : at_q + 1'b1;
        way <= {at_q, d[at_q*SLICE_W +: SLICE_W]};
    end
endmodule

`default_nettype wire
