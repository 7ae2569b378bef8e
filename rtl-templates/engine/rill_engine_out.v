// SPDX-License-Identifier: Apache-2.0
// Collects the results of the matrix engine in a FIFO. Tells the rest of the engine when a result leaves (taken) and
// when a result is not finite (fault). rill_engine_ctrl lets a result leave the lanes only after it has reserved a
// place, so the FIFO is never full when a result arrives. The whole module is on the die of the readers of m_axis_y.
//
// s_valid: a result arrives. The low COUNT_W bits of s_side are `count`, so SIDE_W must be at least COUNT_W. The values
// of the first `count` lanes in s_y are valid. wrong[c], one cycle after s_valid: the value of lane c, its row scale or
// its bias is not finite.
// m_axis_y: {s_side, s_y}, 2 cycles (DEPTH 2: 1 cycle) after s_valid if the FIFO is empty. taken: 1 in the cycle of a
// transfer on m_axis_y. fault, one cycle after `wrong`: a bit of wrong was 1 in the first `count` lanes.
// Reset: clk, synchronous active-high rst; clears the FIFO.
//
// name      meaning                unit      range
// CHANNELS  lanes                  channels  1 or more
// SIDE_W    width of s_side        bits      COUNT_W or more
// DEPTH     places of the FIFO     words     2 or more
// COUNT_W   width of count         bits      derived
`default_nettype none

module rill_engine_out #(
    parameter CHANNELS = 0,
    parameter SIDE_W = 0,
    parameter DEPTH = 0,
    parameter COUNT_W = $clog2(CHANNELS + 1)
) (
    input  wire                          clk,
    input  wire                          rst,
    input  wire                          s_valid,
    input  wire [SIDE_W-1:0]             s_side,
    input  wire [CHANNELS*32-1:0]        s_y,
    input  wire [CHANNELS-1:0]           wrong,
    output wire                          m_axis_y_tvalid,
    input  wire                          m_axis_y_tready,
    output wire [SIDE_W+CHANNELS*32-1:0] m_axis_y_tdata,
    output wire                          taken,
    output wire                          fault
);
    localparam FILL_W = $clog2(DEPTH + 1);

    generate
        if (CHANNELS < 1) begin : gen_bad_channels
            rill_error_CHANNELS_must_be_at_least_1 u_error ();
        end
        if (SIDE_W < COUNT_W) begin : gen_bad_side
            rill_error_SIDE_W_must_hold_the_count u_error ();
        end
        if (DEPTH < 2) begin : gen_bad_depth
            rill_error_DEPTH_must_be_at_least_2 u_error ();
        end
    endgenerate

    wire              room;
    wire [FILL_W-1:0] fill;
    wire [FILL_W-1:0] high;
    rill_fifo #(.DATA_W(SIDE_W + CHANNELS * 32), .DEPTH(DEPTH), .RAM_STYLE("distributed")) u_fifo (
        .clk(clk), .rst(rst), .s_axis_tvalid(s_valid), .s_axis_tready(room), .s_axis_tdata({s_side, s_y}),
        .m_axis_tvalid(m_axis_y_tvalid), .m_axis_tready(m_axis_y_tready), .m_axis_tdata(m_axis_y_tdata),
        .occupancy(fill), .high_water(high));

    reg  [COUNT_W-1:0]  count_q;         // count of the result in the previous cycle; 0: none
    wire [CHANNELS-1:0] used;
    always @(posedge clk)
        count_q <= rst || !s_valid ? {COUNT_W{1'b0}} : s_side[COUNT_W-1:0];
    genvar c;
    generate
        for (c = 0; c < CHANNELS; c = c + 1) begin : gen_used
            assign used[c] = count_q > c;
        end
    endgenerate
    rill_hop_stage #(.DATA_W(1), .CLEAR_W(1)) u_fault (.clk(clk), .rst(rst), .d(|(wrong & used)), .q(fault));
    assign taken = m_axis_y_tvalid && m_axis_y_tready;

`ifdef RILL_ASSERT
    rill_assert #(.SAYS("a result without a place")) u_assert_place (.clk(clk), .broken(!rst && s_valid && !room));
`endif
    wire unused = &{1'b0, room, fill, high};
endmodule

`default_nettype wire
