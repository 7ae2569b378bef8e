// SPDX-License-Identifier: Apache-2.0
// Sends the constant word WORD once for each cycle in which `pulse` is high. So it makes a stream from an event.
//
// A pulse is lost if it comes while an earlier word still waits. The caller must avoid this (asserted).
// Latency 1 cycle. Reset: clk, synchronous active-high rst.
//
// name    meaning            unit  range
// DATA_W  width of the word  bits  1 or more
// WORD    the word           -     any
`default_nettype none

module rill_pulse_word #(
    parameter DATA_W = 0,
    parameter [DATA_W-1:0] WORD = 0
) (
    input  wire              clk,
    input  wire              rst,
    input  wire              pulse,
    output reg               m_axis_tvalid,
    input  wire              m_axis_tready,
    output wire [DATA_W-1:0] m_axis_tdata
);
    generate
        if (DATA_W < 1) begin : gen_bad
            rill_error_DATA_W_must_be_at_least_1 u_error ();
        end
    endgenerate

    assign m_axis_tdata = WORD;
    always @(posedge clk)
        if (rst)
            m_axis_tvalid <= 1'b0;
        else if (pulse)
            m_axis_tvalid <= 1'b1;
        else if (m_axis_tready)
            m_axis_tvalid <= 1'b0;

`ifdef RILL_ASSERT
    always @(posedge clk)
        if (!rst)
            assert (!(pulse && m_axis_tvalid && !m_axis_tready));  // a pulse would be lost
`endif
endmodule

`default_nettype wire
