// SPDX-License-Identifier: Apache-2.0
// A correct declaration of a custom kernel that reads rows of a table. Refused specs use it in wrong ways.
module reader #(
    parameter LANES = 0,
    parameter USER_W = 2,
    parameter BEAT_BITS = 0,
    parameter [39:0] TABLE_OFFSET = 0
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire                 s_axis_step_tvalid,
    output wire                 s_axis_step_tready,
    input  wire [63:0]          s_axis_step_tdata,
    output wire                 m_axis_fetch_tvalid,
    input  wire                 m_axis_fetch_tready,
    output wire [55:0]          m_axis_fetch_tdata,
    input  wire                 s_axis_fetch_tvalid,
    output wire                 s_axis_fetch_tready,
    input  wire [BEAT_BITS-1:0] s_axis_fetch_tdata,
    input  wire                 s_axis_x_tvalid,
    output wire                 s_axis_x_tready,
    input  wire [LANES*32-1:0]  s_axis_x_tdata,
    input  wire [USER_W-1:0]    s_axis_x_tuser,
    input  wire                 s_axis_x_tlast,
    output wire                 m_axis_y_tvalid,
    input  wire                 m_axis_y_tready,
    output wire [LANES*32-1:0]  m_axis_y_tdata,
    output wire [USER_W-1:0]    m_axis_y_tuser,
    output wire                 m_axis_y_tlast
);
endmodule
