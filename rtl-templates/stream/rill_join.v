// SPDX-License-Identifier: Apache-2.0
// Joins PORTS streams. It handles the handshake only; payloads are wired past it. A word leaves when every writer
// offers one, and takes one word from each.
//
// Combinational, latency 0, one word per cycle. s_axis_tready of a port waits for the tvalid of the other ports, so
// every port needs a FIFO or a register before it. Reset: tready and tvalid are low in reset.
//
// name   meaning  unit     range
// PORTS  writers  streams  1 or more
`default_nettype none

module rill_join #(
    parameter PORTS = 0
) (
    input  wire             clk,
    input  wire             rst,
    input  wire [PORTS-1:0] s_axis_tvalid,
    output wire [PORTS-1:0] s_axis_tready,
    output wire             m_axis_tvalid,
    input  wire             m_axis_tready
);
    generate
        if (PORTS < 1) begin : gen_bad
            rill_error_PORTS_must_be_at_least_1 u_error ();
        end
    endgenerate

    assign m_axis_tvalid = (&s_axis_tvalid) && !rst;
    assign s_axis_tready = {PORTS{m_axis_tvalid && m_axis_tready}};
    wire unused = clk;
endmodule

`default_nettype wire
