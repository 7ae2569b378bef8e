// SPDX-License-Identifier: Apache-2.0
// One stage of rill_hop: DATA_W registers, of which rst (synchronous, active-high) clears the low CLEAR_W.
//
// The attribute user_sll_reg asks the vendor's placer to use a register in the crossing between two dies (a Laguna site
// of UltraScale+). The placer does so only if the driver, or all loads, are on another die. Other modules set the
// attribute too: on every register that receives a crossing, and on every register whose only loads are on another die.
// Copies of a reset do not have it, because each copy must be near its many loads, not at the border.
// shreg_extract and keep prevent synthesis from merging the stages into a shift register, which would be in one place.
//
// name     meaning                   unit  range
// DATA_W   width of d                bits  1 or more
// CLEAR_W  low bits that rst clears  bits  0 to DATA_W
`default_nettype none

module rill_hop_stage #(
    parameter DATA_W = 0,
    parameter CLEAR_W = 0
) (
    input  wire              clk,
    input  wire              rst,
    input  wire [DATA_W-1:0] d,
    output wire [DATA_W-1:0] q
);
    generate
        if (DATA_W < 1) begin : gen_bad
            rill_error_DATA_W_must_be_at_least_1 u_error ();
        end
        if ($signed(CLEAR_W) < 0 || CLEAR_W > DATA_W) begin : gen_bad_clear
            rill_error_CLEAR_W_must_be_0_to_DATA_W u_error ();
        end
    endgenerate
    localparam BITS = DATA_W > 0 ? DATA_W : 1;
    localparam [BITS:0] CLEARED = ({{BITS{1'b0}}, 1'b1} << CLEAR_W) - 1'b1;
    localparam [BITS-1:0] KEPT = ~CLEARED[BITS-1:0];
    (* shreg_extract = "no", keep = "true", user_sll_reg = "true" *) reg [DATA_W-1:0] q_q;
    always @(posedge clk)
        q_q <= rst ? d & KEPT : d;
    assign q = q_q;
endmodule

`default_nettype wire
