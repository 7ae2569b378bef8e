// SPDX-License-Identifier: Apache-2.0
// The kernel of the operation `expand`, which repeats elements of a tensor. It is wires only: the rill_layout_converter
// before it sends each word as often as it is needed.
//
// SPREAD = 0: words pass unchanged. SPREAD = 1: a word in is one element, which becomes all elements of a word out.
// Streams: docs/rtl.md section 3. Latency 0, one chunk per cycle. Reset: the module has no registers; tvalid and tready
// are low while rst is high.
//
// name    meaning                        unit      range
// LANES   fp32 per chunk out             elements  1 or more
// TOKENS  tokens per step, upper bound   tokens    1 or more
// SPREAD  1: a chunk in has one element  -         0, 1
// USER_W  width of tuser                 bits      derived
// IN      fp32 per chunk in              elements  derived
`default_nettype none

module rill_expand #(
    parameter LANES = 0,
    parameter TOKENS = 0,
    parameter SPREAD = 0,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1,
    parameter IN = SPREAD == 1 ? 1 : LANES
) (
    input  wire                clk,
    input  wire                rst,
    input  wire                s_axis_x_tvalid,
    output wire                s_axis_x_tready,
    input  wire [IN*32-1:0]    s_axis_x_tdata,
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
        if (SPREAD != 0 && SPREAD != 1) begin : gen_bad_spread
            rill_error_SPREAD_must_be_0_or_1 u_error ();
        end
    endgenerate

    assign m_axis_y_tvalid = s_axis_x_tvalid && !rst;
    assign s_axis_x_tready = m_axis_y_tready && !rst;
    assign m_axis_y_tdata = {(LANES / IN){s_axis_x_tdata}};
    assign m_axis_y_tuser = s_axis_x_tuser;
    assign m_axis_y_tlast = s_axis_x_tlast;
    wire unused = clk;
endmodule

`default_nettype wire
