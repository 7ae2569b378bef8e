// SPDX-License-Identifier: Apache-2.0
// Connects the writer of a stream to its reader: a FIFO and, if the reader is on another die, the crossing.
//
// A word carries everything that goes with the handshake: tdata in the low bits, then SIDE_W bits of sidebands (tuser,
// tlast, tcount, docs/rtl.md section 3). Only KEPT_W bits of tdata, from bit KEPT_AT on, are stored and sent, because
// the reader uses no others. The other bits of the reader's tdata are 0. Between dies, such a shortened word crosses
// in PARTS transfers.
// On one die (BORDERS 0) the link is a rill_fifo. Otherwise it is a rill_credit_send on the writer's die, a rill_hop
// stage on each die between, and a rill_credit_receive with the FIFO on the reader's die.
// Every die has its own reset, so rst has one bit for each die on the way, from the writer's die (bit 0) to the
// reader's.
// The wires fill and high are the occupancy and high-water mark of the FIFO. Simulations read them; they are not ports.
// Latency and throughput: as for rill_fifo, or for rill_credit_send and rill_credit_receive with BORDERS - 1 stages
// between.
// Reset: clk, synchronous active-high rst. All its bits fall in the same cycle, while no word moves.
//
// name       meaning                                            unit     range
// DATA_W     width of the writer's tdata                        bits     1 or more
// SIDE_W     bits of sidebands                                  bits     0 or more
// KEPT_AT    lowest bit of tdata that is kept (KEPT_AT +        -        0 to DATA_W - 1
//            KEPT_W is at most DATA_W)
// KEPT_W     bits of tdata that are kept                        bits     1 to DATA_W
// DEPTH      depth of the FIFO                                  words    1 or more
// RAM_STYLE  style of the storage of the FIFO                   -        "auto", "srl", "distributed", "block", "ultra"
// BORDERS    die boundaries on the way                          borders  0 or more
// PARTS      transfers per word from die to die                 parts    1 to 8
// WORD_W     width of a word                                    bits     derived
`default_nettype none

module rill_link #(
    parameter DATA_W = 0,
    parameter SIDE_W = 0,
    parameter KEPT_AT = 0,
    parameter KEPT_W = DATA_W,
    parameter DEPTH = 2,
    parameter RAM_STYLE = "distributed",
    parameter BORDERS = 0,
    parameter PARTS = 1,
    parameter WORD_W = DATA_W + SIDE_W
) (
    input  wire              clk,
    input  wire [BORDERS:0]  rst,
    input  wire              s_axis_tvalid,
    output wire              s_axis_tready,
    input  wire [WORD_W-1:0] s_axis_tdata,
    output wire              m_axis_tvalid,
    input  wire              m_axis_tready,
    output wire [WORD_W-1:0] m_axis_tdata
);
    localparam SENT_W = KEPT_W + SIDE_W;
    localparam FILL_W = $clog2(DEPTH + 1);
    generate
        if (DATA_W < 1) begin : gen_bad_data
            rill_error_DATA_W_must_be_at_least_1 u_error ();
        end
        if (KEPT_W < 1 || $signed(KEPT_AT) < 0 || KEPT_AT + KEPT_W > DATA_W) begin : gen_bad_part
            rill_error_KEPT_AT_and_KEPT_W_must_lie_within_DATA_W u_error ();
        end
    endgenerate

    wire [SENT_W-1:0] sent;
    wire [SENT_W-1:0] got;
    wire [FILL_W-1:0] fill;
    wire [FILL_W-1:0] high;
    assign sent[KEPT_W-1:0] = s_axis_tdata[KEPT_AT +: KEPT_W];
    assign m_axis_tdata[KEPT_AT +: KEPT_W] = got[KEPT_W-1:0];
    generate
        if (SIDE_W > 0) begin : gen_side
            assign sent[KEPT_W +: SIDE_W] = s_axis_tdata[DATA_W +: SIDE_W];
            assign m_axis_tdata[DATA_W +: SIDE_W] = got[KEPT_W +: SIDE_W];
        end
        if (KEPT_AT > 0) begin : gen_below
            assign m_axis_tdata[KEPT_AT-1:0] = {KEPT_AT{1'b0}};
        end
        if (KEPT_AT + KEPT_W < DATA_W) begin : gen_above
            assign m_axis_tdata[DATA_W-1:KEPT_AT+KEPT_W] = {(DATA_W - KEPT_AT - KEPT_W){1'b0}};
        end

        if (BORDERS == 0) begin : gen_here
            rill_fifo #(.DATA_W(SENT_W), .DEPTH(DEPTH), .RAM_STYLE(RAM_STYLE)) u_fifo (.clk(clk), .rst(rst),
                .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready), .s_axis_tdata(sent),
                .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready), .m_axis_tdata(got),
                .occupancy(fill), .high_water(high));
        end else begin : gen_far
            localparam PART_W = (SENT_W + PARTS - 1) / PARTS; // width of a transfer, PART_W of u_send and u_fifo
            wire [BORDERS*PART_W-1:0] data; // at each boundary; the boundary next to the writer is in the low bits
            wire [BORDERS-1:0]       valid;
            wire [BORDERS-1:0]       credit; // goes from the reader to the writer
            rill_credit_send #(.DATA_W(SENT_W), .CREDITS(DEPTH), .PARTS(PARTS)) u_send (.clk(clk), .rst(rst[0]),
                .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready), .s_axis_tdata(sent),
                .valid(valid[0]), .data(data[PART_W-1:0]), .credit(credit[0]));
            genvar hop;
            for (hop = 0; hop + 1 < BORDERS; hop = hop + 1) begin : gen_way
                rill_hop #(.DATA_W(PART_W + 2), .CLEAR_W(2), .STAGES(1)) u_way (.clk(clk), .rst(rst[hop+1]),
                    .d({data[PART_W*hop +: PART_W], valid[hop], credit[hop+1]}),
                    .q({data[PART_W*(hop+1) +: PART_W], valid[hop+1], credit[hop]}));
            end
            rill_credit_receive #(.DATA_W(SENT_W), .DEPTH(DEPTH), .PARTS(PARTS), .RAM_STYLE(RAM_STYLE)) u_fifo (
                .clk(clk), .rst(rst[BORDERS]),
                .valid(valid[BORDERS-1]), .data(data[PART_W*(BORDERS-1) +: PART_W]), .credit(credit[BORDERS-1]),
                .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready), .m_axis_tdata(got),
                .occupancy(fill), .high_water(high));
        end
    endgenerate
    wire unused = &{1'b0, s_axis_tdata, fill, high};
endmodule

`default_nettype wire
