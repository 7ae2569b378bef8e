// SPDX-License-Identifier: Apache-2.0
// Custom kernel: repeats every element TIMES times. One lane. The kernel takes the words of an element for all
// positions of the step, then gives them TIMES times. It takes the next element when the last of them has left. A word
// is offered 1 cycle after the last word of the element was taken. One word per cycle.
`default_nettype none

module spread #(
    parameter TOKENS = 0,
    parameter TIMES = 0,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire              clk,
    input  wire              rst,
    input  wire              s_axis_x_tvalid,
    output wire              s_axis_x_tready,
    input  wire [31:0]       s_axis_x_tdata,
    input  wire [USER_W-1:0] s_axis_x_tuser, // {tok_last, tok}
    input  wire              s_axis_x_tlast,
    output wire              m_axis_y_tvalid,
    input  wire              m_axis_y_tready,
    output wire [31:0]       m_axis_y_tdata,
    output wire [USER_W-1:0] m_axis_y_tuser,
    output wire              m_axis_y_tlast
);
    reg  [31:0]       element_q [0:TOKENS-1]; // the element of each token
    reg               open_q, full_q;
    reg               end_q;                  // the element is the last of the vector
    reg  [31:0]       times_q;
    reg  [USER_W-2:0] tok_q, last_q;          // token of the offered word; last token of the step
    wire              take = s_axis_x_tvalid && s_axis_x_tready;
    wire              give = m_axis_y_tvalid && m_axis_y_tready;
    wire              tok_last = tok_q == last_q;
    wire              closes = tok_last && times_q == TIMES - 1;

    assign s_axis_x_tready = open_q && !full_q;
    assign m_axis_y_tvalid = full_q;
    assign m_axis_y_tdata = element_q[tok_q];
    assign m_axis_y_tuser = {tok_last, tok_q};
    assign m_axis_y_tlast = end_q && closes;

    always @(posedge clk) begin
        open_q <= !rst;
        if (take) begin
            element_q[s_axis_x_tuser[USER_W-2:0]] <= s_axis_x_tdata;
            last_q <= s_axis_x_tuser[USER_W-2:0];
            end_q <= s_axis_x_tlast;
        end
        if (rst) begin
            full_q <= 1'b0;
            times_q <= 32'd0;
            tok_q <= {USER_W-1{1'b0}};
        end else begin
            if (take && s_axis_x_tuser[USER_W-1]) full_q <= 1'b1;
            else if (give && closes) full_q <= 1'b0;
            if (give) tok_q <= tok_last ? {USER_W-1{1'b0}} : tok_q + 1'b1;
            if (give && tok_last) times_q <= closes ? 32'd0 : times_q + 32'd1;
        end
    end
endmodule

`default_nettype wire
