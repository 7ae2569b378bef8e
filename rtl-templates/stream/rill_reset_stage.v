// SPDX-License-Identifier: Apache-2.0
// Equal registers of a reset, for as many parts; they begin at 1, so that what they reset begins in reset.
//
// q: COPIES times what d was in the cycle before. It has no reset.
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
