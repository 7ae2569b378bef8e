// SPDX-License-Identifier: Apache-2.0
// Custom kernel, fp32 to int8: the integer part of x * 2^FRAC, rounded towards zero and limited to -127 to 127. Latency
// 1 cycle, one word per cycle.
`default_nettype none

module narrow #(
    parameter LANES = 0,
    parameter TOKENS = 0,
    parameter FRAC = 0,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire                clk, rst,
    input  wire                s_axis_x_tvalid,
    output wire                s_axis_x_tready,
    input  wire [LANES*32-1:0] s_axis_x_tdata,
    input  wire [USER_W-1:0]   s_axis_x_tuser,
    input  wire                s_axis_x_tlast,
    output reg                 m_axis_q_tvalid,
    input  wire                m_axis_q_tready,
    output reg  [LANES*8-1:0]  m_axis_q_tdata,
    output reg  [USER_W-1:0]   m_axis_q_tuser,
    output reg                 m_axis_q_tlast
);
    localparam [8:0] ONE = 9'd127 - FRAC;   // biased exponent of the least x whose result is not 0
    reg open_q;
    assign s_axis_x_tready = open_q && (!m_axis_q_tvalid || m_axis_q_tready);

    function [7:0] narrowed(input [31:16] x);
        reg [8:0] above;
        reg [7:0] magnitude;
        begin
            above = {1'b0, x[30:23]} - ONE;
            magnitude = {1'b1, x[22:16]} >> (3'd7 - above[2:0]);
            if ({1'b0, x[30:23]} < ONE) narrowed = 8'd0;
            else begin
                if (above > 9'd6) magnitude = 8'd127;
                narrowed = x[31] ? -magnitude : magnitude;
            end
        end
    endfunction

    integer i;
    always @(posedge clk) begin
        open_q <= !rst;
        if (rst) m_axis_q_tvalid <= 1'b0;
        else if (s_axis_x_tready) m_axis_q_tvalid <= s_axis_x_tvalid;
        if (s_axis_x_tready) begin
            for (i = 0; i < LANES; i = i + 1) m_axis_q_tdata[i*8 +: 8] <= narrowed(s_axis_x_tdata[i*32+16 +: 16]);
            m_axis_q_tuser <= s_axis_x_tuser;
            m_axis_q_tlast <= s_axis_x_tlast;
        end
    end
endmodule

`default_nettype wire
