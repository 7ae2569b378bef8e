// SPDX-License-Identifier: Apache-2.0
// Custom kernel: y = x * (position + 1), with the position from the step word. Latency 3 cycles. One word per cycle;
// with SINGLE one word at a time. fault: a pulse if an operand or a product is not finite.
// A step word is for the FIRINGS firings of a step. The kernel reads it while it waits, and takes it with the last word
// of these firings. With WHEN_LAST, a step word without `head` has no firing, and the others have words of the step's
// last position alone.
`default_nettype none

module graded #(
    parameter LANES = 0,
    parameter TOKENS = 0,
    parameter FIRINGS = 0,
    parameter WHEN_LAST = 0,
    parameter SINGLE = 0,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire                clk,
    input  wire                rst,
    input  wire                s_axis_step_tvalid,
    output wire                s_axis_step_tready,
    input  wire [63:0]         s_axis_step_tdata,
    input  wire                s_axis_x_tvalid,
    output wire                s_axis_x_tready,
    input  wire [LANES*32-1:0] s_axis_x_tdata,
    input  wire [USER_W-1:0]   s_axis_x_tuser, // {tok_last, tok}
    input  wire                s_axis_x_tlast,
    output wire                m_axis_y_tvalid,
    input  wire                m_axis_y_tready,
    output wire [LANES*32-1:0] m_axis_y_tdata,
    output wire [USER_W-1:0]   m_axis_y_tuser,
    output wire                m_axis_y_tlast,
    output reg                 fault
);
    localparam STAGES = 3;
    reg                      open_q;
    reg  [STAGES-1:0]        valid_q, last_q;
    reg  [STAGES*USER_W-1:0] user_q;
    reg  [31:0]              firing_q;          // number of the firing in the step
    wire                     head = s_axis_step_tdata[20];
    wire                     runs = WHEN_LAST == 0 || head;
    wire                     en = !m_axis_y_tvalid || m_axis_y_tready;
    wire                     free = SINGLE == 0 || valid_q == {STAGES{1'b0}} || m_axis_y_tvalid;
    wire                     take = s_axis_x_tvalid && s_axis_x_tready;
    wire                     ends = take && s_axis_x_tlast && s_axis_x_tuser[USER_W-1];
    wire [15:0]              tok = WHEN_LAST == 0 ? {{17-USER_W{1'b0}}, s_axis_x_tuser[USER_W-2:0]}
                                                  : {12'd0, s_axis_step_tdata[19:16] - 4'd1};
    wire [16:0]              factor = {1'b0, s_axis_step_tdata[15:0]} + {1'b0, tok} + 17'd1;

    assign s_axis_x_tready = open_q && en && free && s_axis_step_tvalid && runs;
    assign s_axis_step_tready = open_q && (!runs || (ends && firing_q == FIRINGS - 1));
    assign m_axis_y_tvalid = valid_q[STAGES-1];
    assign m_axis_y_tlast = last_q[STAGES-1];
    assign m_axis_y_tuser = user_q[(STAGES-1)*USER_W +: USER_W];

    function [31:0] fp32_of(input [16:0] n); // n > 0
        integer b;
        reg [22:0] moved; // the first one bit is not kept
        begin
            fp32_of = 32'd0;
            for (b = 0; b < 17; b = b + 1)
                if (n[b]) begin
                    moved = {6'd0, n} << (23 - b);
                    fp32_of = {1'b0, 8'd127 + b[7:0], moved};
                end
        end
    endfunction

    wire [31:0]      scale = fp32_of(factor);
    wire [LANES-1:0] fault_of;
    always @(posedge clk) begin
        open_q <= !rst;
        fault <= !rst && en && valid_q[STAGES-1] && |fault_of;
        if (rst) firing_q <= 32'd0;
        else if (ends) firing_q <= firing_q == FIRINGS - 1 ? 32'd0 : firing_q + 32'd1;
        if (rst) valid_q <= {STAGES{1'b0}};
        else if (en) valid_q <= {valid_q[STAGES-2:0], take};
        if (en) begin
            last_q <= {last_q[STAGES-2:0], s_axis_x_tlast};
            user_q <= {user_q[(STAGES-1)*USER_W-1:0], s_axis_x_tuser};
        end
    end

    genvar i;
    generate
        for (i = 0; i < LANES; i = i + 1) begin : gen_lane
            rill_fp32_mul u_mul (.clk(clk), .en(en), .a(s_axis_x_tdata[i*32 +: 32]), .b(scale),
                                 .y(m_axis_y_tdata[i*32 +: 32]), .fault(fault_of[i]));
        end
    endgenerate

    wire unused = &{1'b0, s_axis_step_tdata};
endmodule

`default_nettype wire
