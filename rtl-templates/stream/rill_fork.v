// SPDX-License-Identifier: Apache-2.0
// Sends one stream to PORTS readers. It handles the handshake only; the payload is wired from the writer's FIFO to all
// readers.
//
// The fork is eager: each reader takes the word when it can, and the word leaves the writer when all readers have it.
// m_axis_tvalid does not depend on any m_axis_tready; s_axis_tready is combinational from all of them. Latency 0, one
// word per cycle.
// Reset: clk, synchronous active-high rst. s_axis_tready and m_axis_tvalid are low in reset.
//
// name   meaning  unit     range
// PORTS  readers  streams  1 or more
`default_nettype none

module rill_fork #(
    parameter PORTS = 0
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             s_axis_tvalid,
    output wire             s_axis_tready,
    output wire [PORTS-1:0] m_axis_tvalid,
    input  wire [PORTS-1:0] m_axis_tready
);
    generate
        if (PORTS < 1) begin : gen_bad
            rill_error_PORTS_must_be_at_least_1 u_error ();
        end
    endgenerate

    reg  [PORTS-1:0] done_q;                 // readers that have taken the present word
    wire [PORTS-1:0] done_d = done_q | m_axis_tready;
    wire             opened = s_axis_tvalid && !rst;

    assign m_axis_tvalid = {PORTS{opened}} & ~done_q;
    assign s_axis_tready = opened && (&done_d);

    always @(posedge clk)
        done_q <= opened && !(&done_d) ? done_d : {PORTS{1'b0}}; // a word stays until all have taken it
endmodule

`default_nettype wire
