// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_ring_writer with its rill_dma_write and a model of the memory. ids_written must count up by 1, and
// whenever it changes, the ring in memory must hold exactly that many ids.
// Sets for verif/modules/run.sh:
// sweep: BEAT_BITS=256
// sweep: BEAT_BITS=512
`default_nettype none
`timescale 1ns / 1ps

module rill_ring_writer_tb;
    // Parameters without a comment are those of the module.
    parameter BEAT_BITS = 256;
    localparam BYTES = BEAT_BITS / 8;
    localparam COUNT = 40;
    localparam WORDS = 1024;
    localparam [63:0] BASE = 64'h400;

    reg                  clk = 0, rst = 1;
    integer              seed, idle, stall, i, sent = 0, was = 0, cycles = 0; // was: ids_written in the previous cycle
    reg                  s_valid = 0;
    wire                 s_ready;
    reg  [63:0]          s_data;
    wire                 d_valid, d_ready, b_valid, b_ready, dma_idle, dma_error;
    wire [55:0]          d_data;
    wire [BEAT_BITS-1:0] b_data, wdata;
    wire [31:0]          ids_written;
    wire [63:0]          error_addr, awaddr;
    wire [7:0]           awlen;
    wire                 awvalid, awready, wvalid, wready, wlast, bvalid, bready;
    wire [1:0]           bresp;
    reg  [31:0]          id [0:COUNT-1];
    reg                  failed = 0;

    rill_ring_writer #(.BEAT_BITS(BEAT_BITS)) dut (
        .clk(clk), .rst(rst), .s_axis_ring_tvalid(s_valid), .s_axis_ring_tready(s_ready), .s_axis_ring_tdata(s_data),
        .m_axis_desc_tvalid(d_valid), .m_axis_desc_tready(d_ready), .m_axis_desc_tdata(d_data),
        .m_axis_beat_tvalid(b_valid), .m_axis_beat_tready(b_ready), .m_axis_beat_tdata(b_data),
        .dma_idle(dma_idle), .ids_written(ids_written));

    rill_dma_write #(.CLIENTS(1), .BEAT_BITS(BEAT_BITS), .OUTSTANDING(2)) u_dma (
        .clk(clk), .rst(rst), .base(BASE), .flush(1'b0), .idle(dma_idle), .error(dma_error), .error_addr(error_addr),
        .s_axis_desc_tvalid(d_valid), .s_axis_desc_tready(d_ready), .s_axis_desc_tdata(d_data),
        .s_axis_beat_tvalid(b_valid), .s_axis_beat_tready(b_ready), .s_axis_beat_tdata(b_data),
        .m_axi_awvalid(awvalid), .m_axi_awready(awready), .m_axi_awid(), .m_axi_awaddr(awaddr), .m_axi_awlen(awlen),
        .m_axi_awsize(), .m_axi_awburst(),
        .m_axi_wvalid(wvalid), .m_axi_wready(wready), .m_axi_wdata(wdata), .m_axi_wstrb(), .m_axi_wlast(wlast),
        .m_axi_bvalid(bvalid), .m_axi_bready(bready), .m_axi_bid(1'b0), .m_axi_bresp(bresp));

    axi_memory_bfm #(.BEAT_BITS(BEAT_BITS), .ID_W(1), .WORDS(WORDS)) u_memory (
        .clk(clk), .rst(rst), .stall(stall), .latency(10), .error_en(1'b0), .error_addr(64'd0),
        .arvalid(1'b0), .arready(), .arid(1'b0), .araddr(64'd0), .arlen(8'd0),
        .rvalid(), .rready(1'b0), .rid(), .rdata(), .rresp(), .rlast(),
        .awvalid(awvalid), .awready(awready), .awid(1'b0), .awaddr(awaddr), .awlen(awlen), .wvalid(wvalid),
        .wready(wready),
        .wdata(wdata), .wlast(wlast), .bvalid(bvalid), .bready(bready), .bid(), .bresp(bresp));
    always #1 clk = !clk;

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        i = $urandom(seed);
        for (i = 0; i < COUNT; i = i + 1)
            id[i] = $urandom;
        repeat (3) @(posedge clk);
        rst <= 0;
    end

    always @(posedge clk) if (!rst && !failed) begin
        cycles = cycles + 1;
        if (s_valid && s_ready)
            s_valid <= 0;
        if ((!s_valid || s_ready) && sent < COUNT && $urandom_range(99) >= idle) begin
            s_valid <= 1;
            s_data <= {sent[31:0], id[sent]};
            sent = sent + 1;
        end
        // The ids are in the ring, the rest of the last beat is 0, and the words around the ring are untouched.
        if (ids_written != was) begin
            if (ids_written != was + 1 || u_memory.mem[BASE / 4 - 1] !== u_memory.pattern(BASE / 4 - 1)) failed = 1;
            was = ids_written;
            for (i = 0; i < was; i = i + 1)
                if (u_memory.mem[BASE / 4 + i] !== id[i]) failed = 1;
            for (i = was; i % (BYTES / 4) != 0; i = i + 1)
                if (u_memory.mem[BASE / 4 + i] !== 32'd0) failed = 1;
            if (u_memory.mem[BASE / 4 + i] !== u_memory.pattern(BASE / 4 + i)) failed = 1;
        end
        if (failed || dma_error || cycles > 20000) begin
            $display("FAIL: after %0d ids, cycle %0d", was, cycles);
            failed = 1;
            $finish;
        end else if (was == COUNT) begin
            $display("PASS");
            failed = 1;
            $finish;
        end
    end
endmodule
