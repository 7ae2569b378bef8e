// SPDX-License-Identifier: Apache-2.0
// Bench of rill_spill with its two DMA engines on one memory: firings of random lengths up to WORDS come back word for word, and nothing is read
// while a write has no response; what lies in memory is the last firing in the layout of the header.
// sweep: DATA_W=128 BEAT_BITS=256 WORDS=40 BURST=4
// sweep: DATA_W=64 BEAT_BITS=512 WORDS=1 BURST=1
// sweep: DATA_W=520 BEAT_BITS=512 WORDS=20 BURST=8
// sweep: DATA_W=1024 BEAT_BITS=256 WORDS=9 BURST=16
// sweep: DATA_W=96 BEAT_BITS=256 WORDS=300 BURST=16
`default_nettype none
`timescale 1ns / 1ps

module rill_spill_tb;
    parameter DATA_W = 128;
    parameter BEAT_BITS = 256;
    parameter WORDS = 40;
    parameter BURST = 4;
    localparam FIRINGS = 12;
    localparam [39:0] OFFSET = 40'd8192;
    localparam PER = BEAT_BITS / DATA_W;
    localparam PARTS = (DATA_W + BEAT_BITS - 1) / BEAT_BITS;

    wire                 clk, rst, s_valid, s_ready, s_last, src_done, m_valid, m_ready, m_last, snk_done;
    wire [DATA_W-1:0]    s_data, m_data;
    wire [2:0]           s_user, m_user;
    wire                 wd_valid, wd_ready, wb_valid, wb_ready, rd_valid, rd_ready, rb_valid, rb_ready, write_idle, read_idle;
    wire [55:0]          wd_data, rd_data;
    wire [BEAT_BITS-1:0] wb_data, rb_data, rdata, wdata;
    wire                 read_error, write_error;
    wire [63:0]          read_error_addr, write_error_addr, araddr, awaddr;
    wire [7:0]           arlen, awlen;
    wire                 arvalid, arready, rvalid, rready, rlast, awvalid, awready, wvalid, wready, wlast, bvalid, bready;
    wire [1:0]           rresp, bresp;
    integer              seed, idle, stall;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_axis_driver #(.DATA_W(DATA_W), .USER_W(3), .WORDS(FIRINGS * WORDS), .SALT(3)) u_src (.clk(clk), .rst(rst), .m_axis_tvalid(s_valid),
        .m_axis_tready(s_ready), .m_axis_tdata(s_data), .m_axis_tuser(s_user), .m_axis_tlast(s_last), .done(src_done));
    rill_axis_monitor #(.DATA_W(DATA_W), .USER_W(3), .WORDS(FIRINGS * WORDS)) u_snk (.clk(clk), .rst(rst), .hold(1'b0), .s_axis_tvalid(m_valid),
        .s_axis_tready(m_ready), .s_axis_tdata(m_data), .s_axis_tuser(m_user), .s_axis_tlast(m_last), .done(snk_done));
    rill_spill #(.DATA_W(DATA_W), .USER_W(3), .BEAT_BITS(BEAT_BITS), .WORDS(WORDS), .BURST(BURST), .OFFSET(OFFSET)) dut (
        .clk(clk), .rst(rst), .dma_idle(write_idle), .s_axis_tvalid(s_valid), .s_axis_tready(s_ready), .s_axis_tdata(s_data),
        .s_axis_tuser(s_user), .s_axis_tlast(s_last), .m_axis_tvalid(m_valid), .m_axis_tready(m_ready), .m_axis_tdata(m_data),
        .m_axis_tuser(m_user), .m_axis_tlast(m_last),
        .m_axis_write_desc_tvalid(wd_valid), .m_axis_write_desc_tready(wd_ready), .m_axis_write_desc_tdata(wd_data),
        .m_axis_write_beat_tvalid(wb_valid), .m_axis_write_beat_tready(wb_ready), .m_axis_write_beat_tdata(wb_data),
        .m_axis_read_tvalid(rd_valid), .m_axis_read_tready(rd_ready), .m_axis_read_tdata(rd_data),
        .s_axis_read_tvalid(rb_valid), .s_axis_read_tready(rb_ready), .s_axis_read_tdata(rb_data));
    rill_dma_read #(.BEAT_BITS(BEAT_BITS), .MAX_BURST(BURST), .OUTSTANDING(4), .PREFETCH_BEATS(BURST)) u_read (
        .clk(clk), .rst(rst), .base(64'd0), .flush(1'b0), .idle(read_idle), .error(read_error), .error_addr(read_error_addr),
        .s_axis_burst_tvalid(rd_valid), .s_axis_burst_tready(rd_ready), .s_axis_burst_tdata(rd_data),
        .m_axi_arvalid(arvalid), .m_axi_arready(arready), .m_axi_araddr(araddr), .m_axi_arlen(arlen),
        .m_axi_rvalid(rvalid), .m_axi_rready(rready), .m_axi_rdata(rdata), .m_axi_rresp(rresp), .m_axi_rlast(rlast),
        .m_axis_beat_tvalid(rb_valid), .m_axis_beat_tready(rb_ready), .m_axis_beat_tdata(rb_data));
    rill_dma_write #(.BEAT_BITS(BEAT_BITS), .MAX_BURST(BURST), .BUFFER_BEATS(BURST)) u_write (
        .clk(clk), .rst(rst), .base(64'd0), .flush(1'b0), .idle(write_idle), .error(write_error), .error_addr(write_error_addr),
        .s_axis_desc_tvalid(wd_valid), .s_axis_desc_tready(wd_ready), .s_axis_desc_tdata(wd_data),
        .s_axis_beat_tvalid(wb_valid), .s_axis_beat_tready(wb_ready), .s_axis_beat_tdata(wb_data),
        .m_axi_awvalid(awvalid), .m_axi_awready(awready), .m_axi_awaddr(awaddr), .m_axi_awlen(awlen),
        .m_axi_wvalid(wvalid), .m_axi_wready(wready), .m_axi_wdata(wdata), .m_axi_wlast(wlast),
        .m_axi_bvalid(bvalid), .m_axi_bready(bready), .m_axi_bresp(bresp));
    axi_memory_bfm #(.BEAT_BITS(BEAT_BITS), .ID_W(1), .WORDS(16384)) u_memory (
        .clk(clk), .rst(rst), .stall(stall), .latency(8), .error_en(1'b0), .error_addr(64'd0),
        .arvalid(arvalid), .arready(arready), .arid(1'b0), .araddr(araddr), .arlen(arlen),
        .rvalid(rvalid), .rready(rready), .rid(), .rdata(rdata), .rresp(rresp), .rlast(rlast),
        .awvalid(awvalid), .awready(awready), .awid(1'b0), .awaddr(awaddr), .awlen(awlen), .wvalid(wvalid), .wready(wready),
        .wdata(wdata), .wlast(wlast), .bvalid(bvalid), .bready(bready), .bid(), .bresp(bresp));

    // Writes without a response, from the beat's first offer on.
    integer open = 0;
    always @(posedge clk)
        if (!rst) begin
            open = open + (wvalid && wready && wlast) - (bvalid && bready);
            if (arvalid && (open != 0 || wvalid)) begin
                $display("FAIL: a read is asked for before the writes have their responses");
                $finish;
            end
        end

    reg [DATA_W-1:0] kept [0:WORDS-1];
    reg [1023:0]     word;
    integer          n, i, b, length, place;
    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        #1;
        for (n = 0; n < FIRINGS; n = n + 1) begin
            length = n == 0 ? WORDS : 1 + $unsigned($random(seed)) % WORDS;
            for (i = 0; i < length; i = i + 1) begin
                for (b = 0; b < 1024; b = b + 32)
                    word[b +: 32] = $random(seed);
                kept[i] = word[DATA_W-1:0];
                word[2:0] = $random(seed);
                u_src.push(kept[i], word[2:0], i == length - 1);
                u_snk.expect_word(kept[i], word[2:0], i == length - 1);
            end
        end
        wait (!rst);
        wait (src_done && snk_done);
        for (i = 0; i < length; i = i + 1)
            for (b = 0; b < DATA_W / 32; b = b + 1) begin
                place = PER > 0 ? (i / (PER > 0 ? PER : 1)) * BEAT_BITS + (i % (PER > 0 ? PER : 1)) * DATA_W : i * PARTS * BEAT_BITS;
                if (u_memory.mem[OFFSET / 4 + place / 32 + b] !== kept[i][b*32 +: 32]) begin
                    $display("FAIL: word %0d of the last firing is not where it should be", i);
                    $finish;
                end
            end
        repeat (20) @(posedge clk);
        $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
