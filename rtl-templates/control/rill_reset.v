// SPDX-License-Identifier: Apache-2.0
// Reset of a platform's kernel: its active-low pin through registers to the design's synchronous, active-high reset.
//
// rst is what !ap_rst_n was STAGES cycles before. The registers start at 1: a design that has just been configured is
// in reset.
// The platform's pin is synchronous to clk, but its way is long, and another shell's pin may not be. So the first two
// stages stay side by side (async_reg). The others are for the way from the shell to the design: they
// stay registers (no shift register) that a tool may place apart and copy.
// Reset: none of its own.
//
// name    meaning                         unit    range
// STAGES  registers from ap_rst_n to rst  clocks  2 or more
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

    (* async_reg = "true", shreg_extract = "no" *) reg [1:0] first_q = 2'b11;
    always @(posedge clk)
        first_q <= {first_q[0], !ap_rst_n};
    generate
        if (STAGES > 2) begin : gen_way
            (* shreg_extract = "no" *) reg [STAGES-3:0] stage_q = {(STAGES-2){1'b1}};
            wire [STAGES-2:0] stage_d = {stage_q, first_q[1]};
            always @(posedge clk)
                stage_q <= stage_d[STAGES-3:0];
            assign rst = stage_d[STAGES-2];
        end else begin : gen_no_way
            assign rst = first_q[1];
        end
    endgenerate
endmodule

`default_nettype wire
