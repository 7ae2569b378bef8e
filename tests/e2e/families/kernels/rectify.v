// SPDX-License-Identifier: Apache-2.0
// Custom kernel: sets negative and subnormal fp32 elements to zero. Latency 1 cycle, one word per cycle. fault: a pulse
// for a word with a NaN or an infinite element.
`default_nettype none

module rectify #(
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
    output reg                 m_axis_y_tvalid,
    input  wire                m_axis_y_tready,
    output reg  [LANES*32-1:0] m_axis_y_tdata,
    output reg  [USER_W-1:0]   m_axis_y_tuser,
    output reg                 m_axis_y_tlast,
    output reg                 fault
);
    reg open_q; // tready is low in reset
    assign s_axis_x_tready = open_q && (!m_axis_y_tvalid || m_axis_y_tready);

    reg     wild;
    integer i;
    always @* begin
        wild = 1'b0;
        for (i = 0; i < LANES; i = i + 1) wild = wild | (&s_axis_x_tdata[i*32+23 +: 8]);
    end

    always @(posedge clk) begin
        open_q <= !rst;
        fault <= !rst && s_axis_x_tvalid && s_axis_x_tready && wild;
        if (rst) m_axis_y_tvalid <= 1'b0;
        else if (s_axis_x_tready) m_axis_y_tvalid <= s_axis_x_tvalid;
        if (s_axis_x_tready) begin
            for (i = 0; i < LANES; i = i + 1)
                m_axis_y_tdata[i*32 +: 32] <= s_axis_x_tdata[i*32+31] || s_axis_x_tdata[i*32+23 +: 8] == 8'd0
                    ? 32'd0 : s_axis_x_tdata[i*32 +: 32];
            m_axis_y_tuser <= s_axis_x_tuser;
            m_axis_y_tlast <= s_axis_x_tlast;
        end
    end
endmodule

`default_nettype wire
