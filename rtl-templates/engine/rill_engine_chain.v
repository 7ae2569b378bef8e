// SPDX-License-Identifier: Apache-2.0
// Carries the command and the offset from the engine to its lanes on one die, unchanged and HOPS cycles later, through
// registers that a placer may put on the dies in between (rill_hop).
//
// Reset: clk, synchronous active-high rst. It clears only the two low bits of cmd, which start an action (LANE_VALID
// and LANE_OUT of rill_engine_command).
//
// name      meaning                                       unit    range
// CMD_W     width of cmd                                  bits    3 or more
// OFFSET_W  width of offset                               bits    1 or more
// HOPS      register stages from the engine to the lanes  clocks  0 or more
`default_nettype none

module rill_engine_chain #(
    parameter CMD_W = 0,
    parameter OFFSET_W = 0,
    parameter HOPS = 0
) (
    input  wire                clk,
    input  wire                rst,
    input  wire [CMD_W-1:0]    s_cmd,
    input  wire [OFFSET_W-1:0] s_offset,
    output wire [CMD_W-1:0]    cmd,
    output wire [OFFSET_W-1:0] offset
);
    generate
        if (CMD_W < 3 || OFFSET_W < 1) begin : gen_bad
            rill_error_CMD_W_and_OFFSET_W_must_be_given u_error ();
        end
    endgenerate

    rill_hop #(.DATA_W(CMD_W), .CLEAR_W(2), .STAGES(HOPS)) u_cmd (.clk(clk), .rst(rst), .d(s_cmd), .q(cmd));
    rill_hop #(.DATA_W(OFFSET_W), .STAGES(HOPS)) u_offset (.clk(clk), .rst(rst), .d(s_offset), .q(offset));
endmodule

`default_nettype wire
