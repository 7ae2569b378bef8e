// SPDX-License-Identifier: Apache-2.0
// Custom kernel: y = x * scale, negated where the lowest bit of `turn` is 1. `scale` and `turn` are vector parameters
// of the operation. One parameter word holds both for a word of the vector, and is taken with the last position's word.
// Latency 3 cycles, one word per cycle. fault: a pulse if an operand or a product is not finite.
`default_nettype none

module affine #(
    parameter LANES = 0,
    parameter TOKENS = 0,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire                  clk,
    input  wire                  rst,
    input  wire                  s_axis_param_tvalid,
    output wire                  s_axis_param_tready,
    input  wire [LANES*32*2-1:0] s_axis_param_tdata, // {turn, scale}
    input  wire                  s_axis_x_tvalid,
    output wire                  s_axis_x_tready,
    input  wire [LANES*32-1:0]   s_axis_x_tdata,
    input  wire [USER_W-1:0]     s_axis_x_tuser,     // {tok_last, tok}
    input  wire                  s_axis_x_tlast,
    output wire                  m_axis_y_tvalid,
    input  wire                  m_axis_y_tready,
    output wire [LANES*32-1:0]   m_axis_y_tdata,
    output wire [USER_W-1:0]     m_axis_y_tuser,
    output wire                  m_axis_y_tlast,
    output reg                   fault
);
    localparam STAGES = 3;
    reg                      open_q;
    reg  [STAGES-1:0]        valid_q, last_q;
    reg  [STAGES*USER_W-1:0] user_q;
    wire                     en = !m_axis_y_tvalid || m_axis_y_tready;
    wire                     take = s_axis_x_tvalid && s_axis_x_tready;

    assign s_axis_x_tready = open_q && en && s_axis_param_tvalid;
    assign s_axis_param_tready = take && s_axis_x_tuser[USER_W-1];
    assign m_axis_y_tvalid = valid_q[STAGES-1];
    assign m_axis_y_tlast = last_q[STAGES-1];
    assign m_axis_y_tuser = user_q[(STAGES-1)*USER_W +: USER_W];

    wire [LANES-1:0] fault_of;
    always @(posedge clk) begin
        open_q <= !rst;
        fault <= !rst && en && valid_q[STAGES-1] && |fault_of;
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
            wire [31:0] scale = s_axis_param_tdata[i*32 +: 32];
            wire        turn = s_axis_param_tdata[(LANES+i)*32];
            rill_fp32_mul u_mul (.clk(clk), .en(en), .a(s_axis_x_tdata[i*32 +: 32]), .b({scale[31] ^ turn, scale[30:0]}),
                                 .y(m_axis_y_tdata[i*32 +: 32]), .fault(fault_of[i]));
        end
    endgenerate

    wire unused = &{1'b0, s_axis_param_tdata};
endmodule

`default_nettype wire
