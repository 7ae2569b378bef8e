// SPDX-License-Identifier: Apache-2.0
// Custom kernel: negates the elements of every second position. Zeros, also those that pad a word, stay zeros. The
// instance keeps from step to step whether the next position is odd. Latency 1 cycle, one word per cycle.
`default_nettype none

module turn #(
    parameter LANES = 0,
    parameter TOKENS = 0,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire                clk, rst,
    input  wire                s_axis_x_tvalid,
    output wire                s_axis_x_tready,
    input  wire [LANES*32-1:0] s_axis_x_tdata,
    input  wire [USER_W-1:0]   s_axis_x_tuser,
    input  wire                s_axis_x_tlast,
    output reg                 m_axis_y_tvalid,
    input  wire                m_axis_y_tready,
    output reg  [LANES*32-1:0] m_axis_y_tdata,
    output reg  [USER_W-1:0]   m_axis_y_tuser,
    output reg                 m_axis_y_tlast
);
    reg  open_q;
    reg  odd_q;                             // the number of the first position of the step is odd
    wire odd = odd_q ^ s_axis_x_tuser[0];
    assign s_axis_x_tready = open_q && (!m_axis_y_tvalid || m_axis_y_tready);

    function [31:0] turned(input [31:0] x, input flip);
        turned = {x[31] ^ (flip && x[30:0] != 31'd0), x[30:0]};
    endfunction

    integer i;
    always @(posedge clk) begin
        open_q <= !rst;
        if (rst) begin
            m_axis_y_tvalid <= 1'b0;
            odd_q <= 1'b0;
        end else if (s_axis_x_tready) begin
            m_axis_y_tvalid <= s_axis_x_tvalid;
            if (s_axis_x_tvalid && s_axis_x_tlast && s_axis_x_tuser[USER_W-1])
                odd_q <= !odd;              // for the position after the last one
        end
        if (s_axis_x_tready) begin
            for (i = 0; i < LANES; i = i + 1)
                m_axis_y_tdata[i*32 +: 32] <= turned(s_axis_x_tdata[i*32 +: 32], odd);
            m_axis_y_tuser <= s_axis_x_tuser;
            m_axis_y_tlast <= s_axis_x_tlast;
        end
    end
endmodule

`default_nettype wire
