// SPDX-License-Identifier: Apache-2.0
// Custom kernel: the largest of every GROUP neighbouring elements of a vector of SIZE elements. The last group may be
// shorter. One lane. A result is offered 1 cycle after the last element of its group was taken. One word per cycle.
`default_nettype none

module pool #(
    parameter TOKENS = 0,
    parameter SIZE = 0,
    parameter GROUP = 0,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire              clk,
    input  wire              rst,
    input  wire              s_axis_x_tvalid,
    output wire              s_axis_x_tready,
    input  wire [31:0]       s_axis_x_tdata,
    input  wire [USER_W-1:0] s_axis_x_tuser, // {tok_last, tok}
    input  wire              s_axis_x_tlast,
    output reg               m_axis_y_tvalid,
    input  wire              m_axis_y_tready,
    output reg  [31:0]       m_axis_y_tdata,
    output reg  [USER_W-1:0] m_axis_y_tuser,
    output reg               m_axis_y_tlast
);
    reg         open_q;              // keeps tready low in reset and in the cycle after it
    reg  [31:0] best_q [0:TOKENS-1]; // largest element so far of each token, as an integer with the order of fp32
    reg  [31:0] element_q, place_q;  // index of the element in the vector, and in its group
    wire [USER_W-2:0] tok = s_axis_x_tuser[USER_W-2:0];
    wire        take = s_axis_x_tvalid && s_axis_x_tready;
    wire        closes = place_q == GROUP - 1 || element_q == SIZE - 1;
    wire [31:0] key = s_axis_x_tdata[31] ? ~s_axis_x_tdata : {1'b1, s_axis_x_tdata[30:0]};
    wire [31:0] best = place_q == 32'd0 || key > best_q[tok] ? key : best_q[tok];

    assign s_axis_x_tready = open_q && (!m_axis_y_tvalid || m_axis_y_tready);

    always @(posedge clk) begin
        open_q <= !rst;
        if (take) best_q[tok] <= best;
        if (rst) begin
            element_q <= 32'd0;
            place_q <= 32'd0;
        end else if (take && s_axis_x_tuser[USER_W-1]) begin
            element_q <= s_axis_x_tlast ? 32'd0 : element_q + 32'd1;
            place_q <= closes ? 32'd0 : place_q + 32'd1;
        end
        if (rst) m_axis_y_tvalid <= 1'b0;
        else if (s_axis_x_tready) m_axis_y_tvalid <= take && closes;
        if (s_axis_x_tready) begin
            m_axis_y_tdata <= best[31] ? {1'b0, best[30:0]} : ~best;
            m_axis_y_tuser <= s_axis_x_tuser;
            m_axis_y_tlast <= s_axis_x_tlast;
        end
    end
endmodule

`default_nettype wire
