// SPDX-License-Identifier: Apache-2.0
// Stores a reset in several equal registers, one for each part of the design that the reset reaches. The registers
// start at 1, so these parts start in reset.
//
// q holds COPIES copies of d, one cycle later. The registers themselves have no reset.
//
// name    meaning                 unit    range
// COPIES  copies of the register  copies  1 or more
`default_nettype none

module rill_reset_stage #(
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

    (* shreg_extract = "no", keep = "true" *) reg [COPIES-1:0] q_q = {COPIES{1'b1}};
    always @(posedge clk)
        q_q <= {COPIES{d}};
    assign q = q_q;
endmodule

`default_nettype wire
