// SPDX-License-Identifier: Apache-2.0
// Passes words unchanged, in wires only. It is the kernel of operations that only change the type of a tensor
// (transpose, reshape, patch).
//
// If the change needs another order of words or elements, the compiler inserts a module for that before or after it,
// such as rill_layout_converter.
// Streams: docs/rtl.md section 3. Latency 0; one chunk per cycle. Reset: clk, synchronous active-high rst; tvalid and
// tready are low in reset.
//
// name    meaning                       unit      range
// LANES   fp32 per chunk                elements  1 or more
// TOKENS  tokens per step, upper bound  tokens    1 or more
// USER_W  width of tuser                bits      derived
`default_nettype none

module rill_view #(
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
    output wire                m_axis_y_tvalid,
    input  wire                m_axis_y_tready,
    output wire [LANES*32-1:0] m_axis_y_tdata,
    output wire [USER_W-1:0]   m_axis_y_tuser,
    output wire                m_axis_y_tlast
);
    generate
        if (LANES < 1 || TOKENS < 1) begin : gen_bad
            rill_error_LANES_and_TOKENS_must_be_at_least_1 u_error ();
        end
    endgenerate

    assign m_axis_y_tvalid = s_axis_x_tvalid && !rst;
    assign s_axis_x_tready = m_axis_y_tready && !rst;
    assign m_axis_y_tdata = s_axis_x_tdata;
    assign m_axis_y_tuser = s_axis_x_tuser;
    assign m_axis_y_tlast = s_axis_x_tlast;
    wire unused = clk;
endmodule

`default_nettype wire
