// SPDX-License-Identifier: Apache-2.0
// Limits each element of a vector stream to a range: y = min(max(x, LO), HI), docs/numerics.md section 2.
//
// Streams: docs/rtl.md section 3. Latency 2 cycles, one chunk per cycle, II 1. fault: pulse on a NaN or infinite
// operand.
// Reset: clk, synchronous active-high rst.
//
// name    meaning                                                                              unit       range
// LANES   fp32 per chunk                                                                       elements   1 to 32
// TOKENS  tokens per step, upper bound                                                         tokens     1 to 8
// LO      lower bound                                                                          fp32 bits  any
// HI      upper bound, applied after LO                                                        fp32 bits  any
// N       elements of a firing and token: padding after them becomes +0; 0: the bounds map 0   elements   0 or more
//         to +0, so padding needs no correction
// USER_W  width of tuser                                                                       bits       derived
`default_nettype none

module rill_clip #(
    parameter LANES = 0,
    parameter TOKENS = 0,
    parameter [31:0] LO = 0,
    parameter [31:0] HI = 0,
    parameter N = 0,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire                clk,
    input  wire                rst,

    input  wire                s_axis_x_tvalid,
    output wire                s_axis_x_tready,
    input  wire [LANES*32-1:0] s_axis_x_tdata,
    input  wire [USER_W-1:0]   s_axis_x_tuser,
    input  wire                s_axis_x_tlast,

    output wire                m_axis_y_tvalid,
    input  wire                m_axis_y_tready,
    output wire [LANES*32-1:0] m_axis_y_tdata,
    output wire [USER_W-1:0]   m_axis_y_tuser,
    output wire                m_axis_y_tlast,

    output wire                fault
);
    `include "rill_copies.vh"
    localparam LATENCY = 2; // a comparison in each stage

    wire pads_y;                                 // the word has padding elements, which are set to +0
    rill_padding #(.LANES(LANES), .N(N)) u_pads_y (.clk(clk), .rst(rst), .take(m_axis_y_tvalid && m_axis_y_tready),
        .token_last(m_axis_y_tuser[USER_W-1]), .last(pads_y));

    wire [COPIES-1:0]  move;
    wire [LATENCY-1:0] valid;
    reg  [LANES-1:0]   lane_fault;

    rill_elementwise #(.LANES(LANES), .TOKENS(TOKENS), .LATENCY(LATENCY), .COPIES(COPIES)) u_elementwise (
        .clk(clk), .rst(rst), .s_tvalid(s_axis_x_tvalid), .s_tready(s_axis_x_tready), .s_tuser(s_axis_x_tuser),
        .s_tlast(s_axis_x_tlast), .m_tvalid(m_axis_y_tvalid), .m_tready(m_axis_y_tready), .m_tuser(m_axis_y_tuser),
        .m_tlast(m_axis_y_tlast), .move(move), .valid(valid), .bad(valid[0] && |lane_fault), .fault(fault));

    genvar i;
    generate
        for (i = 0; i < LANES; i = i + 1) begin : gen_lane
            wire [31:0] x = s_axis_x_tdata[i*32 +: 32];
            wire [31:0] above;                   // the larger of x and LO
            wire [31:0] below;                   // minus the smaller of `above` and HI
            wire        bad;
            wire        unused_fault;
            reg  [31:0] above_q;
            reg  [31:0] y_q;
            localparam PADDING = i >= N % LANES;

            rill_fp32_max u_lo (.a(x), .b(LO), .y(above), .fault(bad));
            rill_fp32_max u_hi (.a({!above_q[31], above_q[30:0]}), .b({!HI[31], HI[30:0]}), .y(below),
                .fault(unused_fault));

            always @(posedge clk)
                if (move[i*COPIES/LANES]) begin
                    above_q <= above;
                    lane_fault[i] <= bad;
                    y_q <= {!below[31], below[30:0]};
                end
            assign m_axis_y_tdata[i*32 +: 32] = y_q & {32{!(PADDING && pads_y)}};
        end
    endgenerate

    wire unused = &{1'b0, valid};
endmodule

`default_nettype wire
