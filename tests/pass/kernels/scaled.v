// SPDX-License-Identifier: Apache-2.0
// A custom kernel with the right ports for a vector parameter, whose values it ignores. Refused specs use it wrongly.
module scaled #(
    parameter LANES = 0,
    parameter TOKENS = 0,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire                clk,
    input  wire                rst,
    input  wire                s_axis_param_tvalid,
    output wire                s_axis_param_tready,
    input  wire [LANES*32-1:0] s_axis_param_tdata,
    input  wire                s_axis_x_tvalid,
    output wire                s_axis_x_tready,
    input  wire [LANES*32-1:0] s_axis_x_tdata,
    input  wire [USER_W-1:0]   s_axis_x_tuser,
    input  wire                s_axis_x_tlast,
    output wire                m_axis_y_tvalid,
    input  wire                m_axis_y_tready,
    output wire [LANES*32-1:0] m_axis_y_tdata,
    output wire [USER_W-1:0]   m_axis_y_tuser,
    output wire                m_axis_y_tlast
);
    assign s_axis_param_tready = s_axis_x_tvalid && m_axis_y_tready;
    assign s_axis_x_tready = m_axis_y_tready;
    assign m_axis_y_tvalid = s_axis_x_tvalid;
    assign m_axis_y_tdata = s_axis_x_tdata;
    assign m_axis_y_tuser = s_axis_x_tuser;
    assign m_axis_y_tlast = s_axis_x_tlast;
endmodule
