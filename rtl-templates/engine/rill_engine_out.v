// SPDX-License-Identifier: Apache-2.0
// Collects the results of the matrix engine in a FIFO and reports them to the rest of the engine. The FIFO has a place
// for every row that was begun. All of it is on the die of the readers of m_axis_y.
//
// s_valid: a result arrives; there is always a place for it. wrong: the result counts, and it, its row scale or its
// bias is not finite.
// m_axis_y: the result, 2 cycles later. taken: 1 in the cycle of a transfer. fault: 1 cycle after `wrong` of a result.
// Reset: clk, synchronous active-high rst; clears the FIFO.
//
// name    meaning            unit   range
// DATA_W  width of a result  bits   1 or more
// DEPTH   places             words  2 or more
`default_nettype none

module rill_engine_out #(
    parameter DATA_W = 0,
    parameter DEPTH = 0
) (
    input  wire              clk,
    input  wire              rst,
    input  wire              s_valid,
    input  wire [DATA_W-1:0] s_data,
    input  wire              wrong,
    output wire              m_axis_y_tvalid,
    input  wire              m_axis_y_tready,
    output wire [DATA_W-1:0] m_axis_y_tdata,
    output wire              taken,
    output wire              fault
);
    localparam FILL_W = $clog2(DEPTH + 1);

    generate
        if (DATA_W < 1) begin : gen_bad_data
            rill_error_DATA_W_must_be_at_least_1 u_error ();
        end
        if (DEPTH < 2) begin : gen_bad_depth
            rill_error_DEPTH_must_be_at_least_2 u_error ();
        end
    endgenerate

    wire              room;
    wire [FILL_W-1:0] fill;
    wire [FILL_W-1:0] high;
    rill_fifo #(.DATA_W(DATA_W), .DEPTH(DEPTH), .RAM_STYLE("distributed")) u_fifo (
        .clk(clk), .rst(rst), .s_axis_tvalid(s_valid), .s_axis_tready(room), .s_axis_tdata(s_data),
        .m_axis_tvalid(m_axis_y_tvalid), .m_axis_tready(m_axis_y_tready), .m_axis_tdata(m_axis_y_tdata),
        .occupancy(fill), .high_water(high));
    rill_hop_stage #(.DATA_W(1), .CLEAR_W(1)) u_fault (.clk(clk), .rst(rst), .d(s_valid && wrong), .q(fault));
    assign taken = m_axis_y_tvalid && m_axis_y_tready;

`ifdef RILL_ASSERT
    rill_assert #(.SAYS("a result without a place")) u_assert_place (.clk(clk), .broken(!rst && s_valid && !room));
`endif
    wire unused = &{1'b0, room, fill, high};
endmodule

`default_nettype wire
