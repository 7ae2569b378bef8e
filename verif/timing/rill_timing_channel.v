// SPDX-License-Identifier: Apache-2.0
// Holds the paths between the modules of one memory channel, for verif/timing/run.sh: its DMA engines, the read
// arbiter, and the tree that distributes descriptors. They are connected as in rill_channel. The defaults are those
// of channel 0 of the GPT-2 medium design: five readers, and one write engine with three clients. Each instance has
// a separate reset, and each DMA engine a separate flush, as in a design's top module (gen/emit/emit_top.c). This
// module is not a part of any design.
// CHANNELS: channels that get descriptors from the tree. READERS: read engines. WRITERS: clients of the write engine.
// PREFETCH_BEATS: depth of the prefetch FIFO of read engine 0.
`default_nettype none

module rill_timing_channel #(
    parameter CHANNELS = 32,
    parameter READERS = 5,
    parameter WRITERS = 3,
    parameter PREFETCH_BEATS = 512
) (
    input  wire                    clk,
    input  wire [READERS+2:0]      rst,               // bit 0 first: readers, writer, tree, arbiter
    input  wire [READERS:0]        flush,             // bit 0 first: readers, writer
    input  wire [63:0]             base,
    input  wire                    walk_tvalid,
    output wire                    walk_tready,
    input  wire [55:0]             walk_tdata,
    output wire [CHANNELS-1:0]     lane_desc_tvalid,  // descriptors of the other channels
    input  wire [CHANNELS-1:0]     lane_desc_tready,
    input  wire [READERS-1:0]      desc_tvalid,
    output wire [READERS-1:0]      desc_tready,
    input  wire [READERS*56-1:0]   desc_tdata,
    output wire [READERS-1:0]      beat_tvalid,
    input  wire [READERS-1:0]      beat_tready,
    output wire [READERS*512-1:0]  beat_tdata,
    input  wire [WRITERS-1:0]      w_desc_tvalid,
    output wire [WRITERS-1:0]      w_desc_tready,
    input  wire [WRITERS*56-1:0]   w_desc_tdata,
    input  wire [WRITERS-1:0]      w_beat_tvalid,
    output wire [WRITERS-1:0]      w_beat_tready,
    input  wire [WRITERS*512-1:0]  w_beat_tdata,
    output reg                     idle,
    output wire [WRITERS-1:0]      w_written,
    output wire                    m_axi_arvalid,
    input  wire                    m_axi_arready,
    output wire [2:0]              m_axi_arid,
    output wire [63:0]             m_axi_araddr,
    output wire [7:0]              m_axi_arlen,
    input  wire                    m_axi_rvalid,
    output wire                    m_axi_rready,
    input  wire [2:0]              m_axi_rid,
    input  wire [511:0]            m_axi_rdata,
    input  wire [1:0]              m_axi_rresp,
    input  wire                    m_axi_rlast,
    output wire                    m_axi_awvalid,
    input  wire                    m_axi_awready,
    output wire [2:0]              m_axi_awid,
    output wire [63:0]             m_axi_awaddr,
    output wire [7:0]              m_axi_awlen,
    output wire                    m_axi_wvalid,
    input  wire                    m_axi_wready,
    output wire [511:0]            m_axi_wdata,
    output wire                    m_axi_wlast,
    input  wire                    m_axi_bvalid,
    output wire                    m_axi_bready,
    input  wire [2:0]              m_axi_bid,
    input  wire [1:0]              m_axi_bresp
);
    wire [READERS-1:0]     r_idle, r_error, arvalid, arready, rvalid, rready, r_desc_ready;
    wire [READERS*64-1:0]  araddr;
    wire [READERS*8-1:0]   arlen;
    wire [511:0]           rdata;
    wire [1:0]             rresp;
    wire                   rlast;
    wire [WRITERS-1:0]     w_idle;
    wire [CHANNELS-1:0]    fork_tvalid;

    always @(posedge clk)
        idle <= (&r_idle) && (&w_idle);

    // The walker's descriptors go to all channels. Reader 0 takes them on this channel.
    wire [(CHANNELS+7)/8*56-1:0] fork_tdata;
    rill_fork_tree #(.DATA_W(56), .PORTS(CHANNELS)) u_tree (.clk(clk), .rst(rst[READERS+1]),
        .s_axis_tvalid(walk_tvalid), .s_axis_tready(walk_tready), .s_axis_tdata(walk_tdata),
        .m_axis_tvalid(fork_tvalid), .m_axis_tready({lane_desc_tready[CHANNELS-1:1], r_desc_ready[0]}),
        .m_axis_tdata(fork_tdata));
    assign lane_desc_tvalid = fork_tvalid;
    assign desc_tready = r_desc_ready;

    genvar i;
    generate
        for (i = 0; i < READERS; i = i + 1) begin : gen_read
            rill_dma_read #(.BEAT_BITS(512), .MAX_BURST(16), .OUTSTANDING(16),
                .PREFETCH_BEATS(i == 0 ? PREFETCH_BEATS : 32),
                .RAM_STYLE(i == 0 ? "block" : "distributed")) u_read (
                .clk(clk), .rst(rst[i]), .base(base), .flush(flush[i]), .idle(r_idle[i]), .error(r_error[i]),
                .error_addr(),
                .s_axis_desc_tvalid(i == 0 ? fork_tvalid[0] : desc_tvalid[i]), .s_axis_desc_tready(r_desc_ready[i]),
                .s_axis_desc_tdata(i == 0 ? fork_tdata[55:0] : desc_tdata[56*i +: 56]),
                .m_axis_beat_tvalid(beat_tvalid[i]),
                .m_axis_beat_tready(beat_tready[i]), .m_axis_beat_tdata(beat_tdata[512*i +: 512]),
                .m_axi_arvalid(arvalid[i]),
                .m_axi_arready(arready[i]), .m_axi_araddr(araddr[64*i +: 64]), .m_axi_arlen(arlen[8*i +: 8]),
                .m_axi_rvalid(rvalid[i]),
                .m_axi_rready(rready[i]), .m_axi_rdata(rdata), .m_axi_rresp(rresp), .m_axi_rlast(rlast));
        end
    endgenerate

    rill_axi_read_arbiter #(.CLIENTS(READERS), .BEAT_BITS(512), .ID_W(3)) u_reads (
        .clk(clk), .rst(rst[READERS+2]), .s_axi_arvalid(arvalid), .s_axi_arready(arready),
        .s_axi_araddr(araddr), .s_axi_arlen(arlen),
        .s_axi_rvalid(rvalid), .s_axi_rready(rready), .s_axi_rdata(rdata), .s_axi_rresp(rresp), .s_axi_rlast(rlast),
        .m_axi_arvalid(m_axi_arvalid), .m_axi_arready(m_axi_arready), .m_axi_arid(m_axi_arid),
        .m_axi_araddr(m_axi_araddr),
        .m_axi_arlen(m_axi_arlen), .m_axi_arsize(), .m_axi_arburst(), .m_axi_rvalid(m_axi_rvalid),
        .m_axi_rready(m_axi_rready),
        .m_axi_rid(m_axi_rid), .m_axi_rdata(m_axi_rdata), .m_axi_rresp(m_axi_rresp), .m_axi_rlast(m_axi_rlast));
    rill_dma_write #(.CLIENTS(WRITERS), .BEAT_BITS(512), .ID_W(3), .OUTSTANDING(16)) u_write (
        .clk(clk), .rst(rst[READERS]), .base({WRITERS{base}}), .flush(flush[READERS]), .idle(w_idle),
        .written(w_written), .error(), .error_addr(),
        .s_axis_desc_tvalid(w_desc_tvalid), .s_axis_desc_tready(w_desc_tready), .s_axis_desc_tdata(w_desc_tdata),
        .s_axis_beat_tvalid(w_beat_tvalid), .s_axis_beat_tready(w_beat_tready), .s_axis_beat_tdata(w_beat_tdata),
        .m_axi_awvalid(m_axi_awvalid), .m_axi_awready(m_axi_awready), .m_axi_awid(m_axi_awid),
        .m_axi_awaddr(m_axi_awaddr), .m_axi_awlen(m_axi_awlen), .m_axi_awsize(), .m_axi_awburst(),
        .m_axi_wvalid(m_axi_wvalid), .m_axi_wready(m_axi_wready), .m_axi_wdata(m_axi_wdata), .m_axi_wstrb(),
        .m_axi_wlast(m_axi_wlast), .m_axi_bvalid(m_axi_bvalid), .m_axi_bready(m_axi_bready), .m_axi_bid(m_axi_bid),
        .m_axi_bresp(m_axi_bresp));
endmodule

`default_nettype wire
