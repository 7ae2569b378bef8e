// SPDX-License-Identifier: Apache-2.0
// Reset of a platform's kernel: its active-low pin through registers to the design's synchronous, active-high reset.
//
// rst is what !ap_rst_n was STAGES cycles before. The registers start at 1: a design that has just been configured is
// in reset.
// ap_rst_n is synchronous to clk, as the platform gives it; the stages are for the way from the shell to the design,
// and for a source that is not synchronous after all. They stay registers (no shift register) that a tool may place
// apart and copy.
// Reset: none of its own.
//
// name    meaning               unit    range
// STAGES  from ap_rst_n to rst  clocks  2 or more
`default_nettype none

module rill_reset #(
    parameter STAGES = 0
) (
    input  wire clk,
    input  wire ap_rst_n,
    output wire rst
);
    generate
        if (STAGES < 2) begin : gen_bad
            rill_error_STAGES_must_be_at_least_2 u_error ();
        end
    endgenerate

    (* shreg_extract = "no" *) reg [STAGES-1:0] stage_q = {STAGES{1'b1}};
    always @(posedge clk)
        stage_q <= {stage_q[STAGES-2:0], !ap_rst_n};
    assign rst = stage_q[STAGES-1];
endmodule

`default_nettype wire
