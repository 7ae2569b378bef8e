// SPDX-License-Identifier: Apache-2.0
// Custom kernel, int8 to fp32: q * 2^-FRAC. Latency 1 cycle, one word per cycle.
`default_nettype none

module widen #(
    parameter LANES = 0,
    parameter TOKENS = 0,
    parameter FRAC = 0,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire                clk, rst,
    input  wire                s_axis_q_tvalid,
    output wire                s_axis_q_tready,
    input  wire [LANES*8-1:0]  s_axis_q_tdata,
    input  wire [USER_W-1:0]   s_axis_q_tuser,
    input  wire                s_axis_q_tlast,
    output reg                 m_axis_y_tvalid,
    input  wire                m_axis_y_tready,
    output reg  [LANES*32-1:0] m_axis_y_tdata,
    output reg  [USER_W-1:0]   m_axis_y_tuser,
    output reg                 m_axis_y_tlast
);
    localparam [7:0] ONE = 8'd127 - FRAC; // biased exponent of 2^-FRAC
    reg open_q;
    assign s_axis_q_tready = open_q && (!m_axis_y_tvalid || m_axis_y_tready);

    function [31:0] widened(input [7:0] q);
        reg [7:0]   magnitude;
        reg [7:0]   exponent;
        integer     n;
        begin
            magnitude = q[7] ? -q : q;
            exponent = ONE + 8'd7;
            for (n = 0; n < 7; n = n + 1)
                if (!magnitude[7]) begin
                    magnitude = magnitude << 1;
                    exponent = exponent - 8'd1;
                end
            widened = q == 8'd0 ? 32'd0 : {q[7], exponent, magnitude[6:0], 16'd0};
        end
    endfunction

    integer i;
    always @(posedge clk) begin
        open_q <= !rst;
        if (rst) m_axis_y_tvalid <= 1'b0;
        else if (s_axis_q_tready) m_axis_y_tvalid <= s_axis_q_tvalid;
        if (s_axis_q_tready) begin
            for (i = 0; i < LANES; i = i + 1) m_axis_y_tdata[i*32 +: 32] <= widened(s_axis_q_tdata[i*8 +: 8]);
            m_axis_y_tuser <= s_axis_q_tuser;
            m_axis_y_tlast <= s_axis_q_tlast;
        end
    end
endmodule

`default_nettype wire
