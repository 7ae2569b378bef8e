// SPDX-License-Identifier: Apache-2.0
// Custom kernel: passes a vector if its token has a positive number in stream `s`, else zeros: y = s > 0 ? x : 0. `s`
// has one element per token; its word is taken with the first word of the vector. Latency 2 cycles, a word every 2
// cycles.
`default_nettype none

module gate #(
    parameter LANES = 0,
    parameter TOKENS = 0,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire                clk,
    input  wire                rst,
    input  wire                s_axis_x_tvalid,
    output wire                s_axis_x_tready,
    input  wire [LANES*32-1:0] s_axis_x_tdata,
    input  wire [USER_W-1:0]   s_axis_x_tuser,
    input  wire                s_axis_x_tlast,
    input  wire                s_axis_s_tvalid,
    output wire                s_axis_s_tready,
    input  wire [LANES*32-1:0] s_axis_s_tdata,
    input  wire [USER_W-1:0]   s_axis_s_tuser,
    input  wire                s_axis_s_tlast,
    output reg                 m_axis_y_tvalid,
    input  wire                m_axis_y_tready,
    output wire [LANES*32-1:0] m_axis_y_tdata,
    output wire [USER_W-1:0]   m_axis_y_tuser,
    output wire                m_axis_y_tlast
);
    reg                open_q, busy_q; // busy: a word is on its way
    reg                first_q;        // first word of the vector
    reg [TOKENS-1:0]   pass_q;
    reg [LANES*32-1:0] data_q;
    reg [USER_W-1:0]   user_q;
    reg                last_q;
    wire [USER_W-2:0]  tok = s_axis_x_tuser[USER_W-2:0];
    wire               idle = open_q && !busy_q && (!m_axis_y_tvalid || m_axis_y_tready);
    wire               take = idle && s_axis_x_tvalid && (!first_q || s_axis_s_tvalid);
    wire               positive = !s_axis_s_tdata[31] && s_axis_s_tdata[30:0] != 31'd0;

    assign s_axis_x_tready = idle && (!first_q || s_axis_s_tvalid);
    assign s_axis_s_tready = idle && first_q && s_axis_x_tvalid;
    assign m_axis_y_tdata = data_q;
    assign m_axis_y_tuser = user_q;
    assign m_axis_y_tlast = last_q;

    always @(posedge clk) begin
        open_q <= !rst;
        busy_q <= !rst && take;
        if (rst) m_axis_y_tvalid <= 1'b0;
        else if (busy_q) m_axis_y_tvalid <= 1'b1;
        else if (m_axis_y_tready) m_axis_y_tvalid <= 1'b0;
        if (rst) first_q <= 1'b1;
        else if (take && s_axis_x_tuser[USER_W-1]) first_q <= s_axis_x_tlast;
        if (take && first_q) pass_q[tok] <= positive;
        if (take) begin
            data_q <= (first_q ? positive : pass_q[tok]) ? s_axis_x_tdata : {LANES*32{1'b0}};
            user_q <= s_axis_x_tuser;
            last_q <= s_axis_x_tlast;
        end
    end

    wire unused = &{1'b0, s_axis_s_tdata, s_axis_s_tuser, s_axis_s_tlast};
endmodule

`default_nettype wire
