// SPDX-License-Identifier: Apache-2.0
// Reset of a kernel: registers from the platform's active-low pin to the design's synchronous, active-high reset.
//
// rst is !ap_rst_n, STAGES cycles later. The registers start at 1, so a design that has just been configured is in
// reset.
// The pin is synchronous to clk, but its wire is long, and the pin of another shell may be asynchronous. So the first
// two stages are placed side by side (async_reg). The other stages bridge the distance from the shell to the design:
// they stay separate registers (no shift register), which a tool may spread and copy.
// Reset: none.
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
