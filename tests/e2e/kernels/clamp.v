// SPDX-License-Identifier: Apache-2.0
// Custom kernel: limits every fp32 element to [-LIMIT, LIMIT]. LIMIT is the bit pattern of a positive fp32 number.
// Latency 1 cycle, one word per cycle. fault: a pulse for a NaN or infinite operand.
`default_nettype none

module clamp #(
    parameter        LANES = 0,
    parameter        TOKENS = 0,
    parameter [31:0] LIMIT = 32'h3f800000,
    parameter        USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
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

    function [31:0] clamped(input [31:0] x); // magnitudes of fp32 have the order of their bit patterns; subnormals become zeros
        clamped = x[30:23] == 8'd0 ? {x[31], 31'd0} : x[30:0] > LIMIT[30:0] ? {x[31], LIMIT[30:0]} : x;
    endfunction

    reg     wild;
    integer i, k; // a variable for each block: some tools refuse one that two kinds of blocks assign
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
            for (k = 0; k < LANES; k = k + 1) m_axis_y_tdata[k*32 +: 32] <= clamped(s_axis_x_tdata[k*32 +: 32]);
            m_axis_y_tuser <= s_axis_x_tuser;
            m_axis_y_tlast <= s_axis_x_tlast;
        end
    end

    wire unused = LIMIT[31];
endmodule

`default_nettype wire
