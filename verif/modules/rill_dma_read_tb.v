// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_dma_read with rill_axi_read_arbiter (CLIENTS engines on one port). Compares every beat with the
// memory's pattern. Also checks a flush in the middle and the work after it, an error response, with one client the
// full rate if nothing stalls, and the protocol of the port.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: BEAT_BITS=256 MAX_BURST=16 OUTSTANDING=8 PREFETCH_BEATS=64 CLIENTS=1
// sweep: BEAT_BITS=512 MAX_BURST=8 OUTSTANDING=3 PREFETCH_BEATS=20 CLIENTS=2
// sweep: BEAT_BITS=256 MAX_BURST=1 OUTSTANDING=5 PREFETCH_BEATS=5 CLIENTS=3
// quick: BEAT_BITS=512 MAX_BURST=8 OUTSTANDING=3 PREFETCH_BEATS=20 CLIENTS=2
// quick: BEAT_BITS=256 MAX_BURST=16 OUTSTANDING=8 PREFETCH_BEATS=64 CLIENTS=1 @ 0:0
`timescale 1ns / 1ps
`include "../model/rill_axi_checker.sv"
`default_nettype none

module rill_dma_read_tb;
    `include "rill_fields.vh"
    // The header explains CLIENTS. The others are parameters of the module.
    parameter BEAT_BITS = 256;
    parameter MAX_BURST = 16;
    parameter OUTSTANDING = 8;
    parameter PREFETCH_BEATS = 64;
    parameter CLIENTS = 1;
    localparam ID_W = 2;
    localparam BYTES = BEAT_BITS / 8;
    localparam BEAT_WORDS = BEAT_BITS / 32;
    localparam COUNT = 40; // descriptors of each client
    localparam WORDS = 65536; // of the memory
    localparam [63:0] BASE = 64'h3_0000_0040 & ~(64'd0 | (BYTES - 1));

    reg         clk = 0;
    reg         rst = 1;
    integer     seed, idle, stall;
    reg  [31:0] latency = 20;
    reg         flush = 0;
    reg         error_en = 0;
    wire [CLIENTS-1:0]    c_idle, c_error;
    wire [CLIENTS*64-1:0] c_error_addr;
    reg  [CLIENTS-1:0]    s_valid = 0;
    wire [CLIENTS-1:0]    s_ready;
    reg  [55:0]           s_data [0:CLIENTS-1];
    wire [CLIENTS-1:0]    m_valid;
    reg  [CLIENTS-1:0]    m_ready = 0;
    wire [BEAT_BITS-1:0]  m_data [0:CLIENTS-1];

    wire [CLIENTS-1:0]    c_arvalid, c_arready, c_rvalid, c_rready;
    wire [CLIENTS*64-1:0] c_araddr;
    wire [CLIENTS*8-1:0]  c_arlen;
    wire [BEAT_BITS-1:0]  c_rdata;
    wire [1:0]            c_rresp;
    wire                  c_rlast;
    wire                  arvalid, arready, rvalid, rready, rlast;
    wire [ID_W-1:0]       arid, rid;
    wire [63:0]           araddr;
    wire [7:0]            arlen;
    wire [2:0]            arsize;
    wire [1:0]            arburst, rresp;
    wire [BEAT_BITS-1:0]  rdata;
    wire [31:0]           reads_open, writes_open;

    genvar g;
    generate
        for (g = 0; g < CLIENTS; g = g + 1) begin : gen_client
            rill_dma_read #(.BEAT_BITS(BEAT_BITS), .MAX_BURST(MAX_BURST), .OUTSTANDING(OUTSTANDING),
                .PREFETCH_BEATS(PREFETCH_BEATS),
                .RAM_STYLE("block")) dut (
                .clk(clk), .rst(rst), .base(BASE), .flush(flush), .idle(c_idle[g]), .error(c_error[g]),
                .error_addr(c_error_addr[g*64 +: 64]),
                .s_axis_desc_tvalid(s_valid[g]), .s_axis_desc_tready(s_ready[g]), .s_axis_desc_tdata(s_data[g]),
                .m_axi_arvalid(c_arvalid[g]), .m_axi_arready(c_arready[g]), .m_axi_araddr(c_araddr[g*64 +: 64]),
                .m_axi_arlen(c_arlen[g*8 +: 8]), .m_axi_rvalid(c_rvalid[g]), .m_axi_rready(c_rready[g]),
                .m_axi_rdata(c_rdata),
                .m_axi_rresp(c_rresp), .m_axi_rlast(c_rlast),
                .m_axis_beat_tvalid(m_valid[g]), .m_axis_beat_tready(m_ready[g]), .m_axis_beat_tdata(m_data[g]));
        end
    endgenerate

    rill_axi_read_arbiter #(.CLIENTS(CLIENTS), .BEAT_BITS(BEAT_BITS), .ID_W(ID_W)) u_arbiter (
        .clk(clk), .rst(rst), .s_axi_arvalid(c_arvalid), .s_axi_arready(c_arready), .s_axi_araddr(c_araddr),
        .s_axi_arlen(c_arlen),
        .s_axi_rvalid(c_rvalid), .s_axi_rready(c_rready), .s_axi_rdata(c_rdata), .s_axi_rresp(c_rresp),
        .s_axi_rlast(c_rlast),
        .m_axi_arvalid(arvalid), .m_axi_arready(arready), .m_axi_arid(arid), .m_axi_araddr(araddr), .m_axi_arlen(arlen),
        .m_axi_arsize(arsize), .m_axi_arburst(arburst), .m_axi_rvalid(rvalid), .m_axi_rready(rready), .m_axi_rid(rid),
        .m_axi_rdata(rdata), .m_axi_rresp(rresp), .m_axi_rlast(rlast));

    axi_memory_bfm #(.BEAT_BITS(BEAT_BITS), .ID_W(ID_W), .WORDS(WORDS)) u_memory (
        .clk(clk), .rst(rst), .stall(stall), .latency(latency), .error_en(error_en), .error_addr(BASE + 5 * BYTES),
        .arvalid(arvalid), .arready(arready), .arid(arid), .araddr(araddr), .arlen(arlen),
        .rvalid(rvalid), .rready(rready), .rid(rid), .rdata(rdata), .rresp(rresp), .rlast(rlast),
        .awvalid(1'b0), .awready(), .awid({ID_W{1'b0}}), .awaddr(64'd0), .awlen(8'd0),
        .wvalid(1'b0), .wready(), .wdata({BEAT_BITS{1'b0}}), .wlast(1'b0), .bvalid(), .bready(1'b0), .bid(), .bresp());

    rill_axi_checker #(.BEAT_BITS(BEAT_BITS), .ID_W(ID_W), .MAX_BURST(MAX_BURST), .OUTSTANDING(OUTSTANDING),
        .WRITE_EN(0)) u_checker (
        .clk(clk), .rst(rst), .arvalid(arvalid), .arready(arready), .arid(arid), .araddr(araddr), .arlen(arlen),
        .arsize(arsize),
        .arburst(arburst), .arlock(1'b0), .arcache(4'd3), .arprot(3'd0), .arqos(4'd0),
        .rvalid(rvalid), .rready(rready), .rid(rid), .rdata(rdata), .rresp(rresp), .rlast(rlast),
        .awvalid(1'b0), .awready(1'b0), .awid({ID_W{1'b0}}), .awaddr(64'd0), .awlen(8'd0), .awsize(3'd0),
        .awburst(2'd0),
        .awlock(1'b0), .awcache(4'd3), .awprot(3'd0), .awqos(4'd0),
        .wvalid(1'b0), .wready(1'b0), .wdata({BEAT_BITS{1'b0}}), .wstrb({(BEAT_BITS/8){1'b0}}), .wlast(1'b0),
        .bvalid(1'b0), .bready(1'b0), .bid({ID_W{1'b0}}), .bresp(2'd0), .reads_open(reads_open),
        .writes_open(writes_open));

    always #1 clk = !clk;

    // Descriptors of each client. The engine must deliver the beats of the descriptors in order. sent: descriptors that
    // were offered. got: descriptors whose beats have all come. pos: beats of the next descriptor that have come.
    reg  [15:0] beats [0:CLIENTS*COUNT-1];
    reg  [39:0] offset [0:CLIENTS*COUNT-1];
    integer     sent [0:CLIENTS-1];
    integer     got [0:CLIENTS-1];
    integer     pos [0:CLIENTS-1];
    integer     total, cycles, c, i, word;
    reg         run = 0;
    reg         check = 1;                                 // 0: beats are dropped by a flush and not compared
    reg         failed = 0;

    // Returns 1 in `percent` percent of its calls.
    function chance(input integer percent);
        chance = $urandom_range(99) < percent;
    endfunction

    // Draws new descriptors for all clients: a tenth has no beats, and a few have up to 100.
    task fresh;
        begin
            for (c = 0; c < CLIENTS; c = c + 1) begin
                sent[c] = 0;
                got[c] = 0;
                pos[c] = 0;
                for (i = 0; i < COUNT; i = i + 1) begin
                    beats[c*COUNT + i] = chance(10) ? 0 : chance(20) ? $urandom_range(100, 1) : $urandom_range(9, 1);
                    offset[c*COUNT + i] = $urandom_range(WORDS * 2) / BEAT_WORDS * BYTES;
                end
            end
        end
    endtask

    // Counts requested and delivered beats. idle may be high only if both are equal.
    integer asked [0:CLIENTS-1];
    integer given [0:CLIENTS-1];
    initial for (c = 0; c < CLIENTS; c = c + 1) {asked[c], given[c]} = 0;
    always @(posedge clk)
        for (int k = 0; k < CLIENTS; k = k + 1) if (rst || flush || !check) begin
            asked[k] = 0;                                  // beats are dropped in this case
            given[k] = 0;
        end else begin
            if (c_idle[k] && asked[k] != given[k] && !failed) begin
                $display("FAIL: client %0d is idle with %0d of %0d beats", k, given[k], asked[k]);
                failed = 1;
            end
            asked[k] = asked[k] + (s_valid[k] && s_ready[k] ? s_data[k][DESCRIPTOR_BEATS +: DESCRIPTOR_BEATS_W] : 0);
            given[k] = given[k] + (m_valid[k] && m_ready[k] ? 1 : 0);
        end

    always @(posedge clk) if (!rst)
        for (c = 0; c < CLIENTS; c = c + 1) begin
            if (s_valid[c] && s_ready[c])
                s_valid[c] <= 0;
            if ((!s_valid[c] || s_ready[c]) && run && sent[c] < COUNT && !chance(idle)) begin
                s_valid[c] <= 1;
                s_data[c] <= {beats[c*COUNT + sent[c]], offset[c*COUNT + sent[c]]};
                sent[c] = sent[c] + 1;
            end
            m_ready[c] <= !chance(stall);
            if (m_valid[c] && m_ready[c] && check) begin
                while (got[c] < COUNT && pos[c] == beats[c*COUNT + got[c]]) begin
                    got[c] = got[c] + 1;
                    pos[c] = 0;
                end
                word = (BASE + offset[c*COUNT + got[c]]) / 4 + pos[c] * BEAT_WORDS;
                for (i = 0; i < BEAT_WORDS; i = i + 1)
                    if (m_data[c][i*32 +: 32] !== u_memory.pattern((word + i) & (WORDS - 1)) && !failed) begin
                        $display("FAIL: client %0d descriptor %0d beat %0d word %0d: %h", c, got[c], pos[c], i,
                            m_data[c][i*32 +: 32]);
                        failed = 1;
                    end
                pos[c] = pos[c] + 1;
                total = total + 1;
                while (got[c] < COUNT && pos[c] == beats[c*COUNT + got[c]]) begin
                    got[c] = got[c] + 1;
                    pos[c] = 0;
                end
            end
        end

    // Returns whether each client has got all beats of its descriptors.
    function all_done(input integer unused);
        begin
            all_done = 1;
            for (i = 0; i < CLIENTS; i = i + 1)
                if (got[i] < COUNT)
                    all_done = 0;
        end
    endfunction

    // Waits until all beats have come. Then no read may be open, and the engines must be idle.
    task wait_done;
        begin
            cycles = 0;
            while (!all_done(0) && cycles < 100000 && !failed) begin
                @(posedge clk);
                #0.1 cycles = cycles + 1;
            end
            repeat (4) @(posedge clk);
            if (!failed && (cycles == 100000 || reads_open != 0 || !(&c_idle))) begin
                $display("FAIL: %0d cycles, %0d reads open, idle %b", cycles, reads_open, c_idle);
                failed = 1;
            end
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        i = $urandom(seed);
        total = 0;
        fresh;
        repeat (4) @(posedge clk);
        rst <= 0;
        run = 1;
        wait_done;
        // Rate: one beat per cycle, as the bursts in flight cover the latency. 60 cycles are for the start.
        if (!failed && idle == 0 && stall == 0 && CLIENTS == 1) begin
            latency = 2;
            total = 0;
            fresh;
            for (i = 0; i < COUNT; i = i + 1) begin
                beats[i] = 150;
                offset[i] = i * 150 * BYTES;
            end
            wait_done;
            if (!failed && cycles > total + 60) begin
                $display("FAIL: %0d cycles for %0d beats", cycles, total);
                failed = 1;
            end
        end
        // Flush in the middle.
        if (!failed) begin
            latency = 30;
            fresh;
            repeat (60) @(posedge clk);
            flush <= 1;
            check = 0;
            cycles = 0;
            run = 0;
            @(posedge clk);
            #0.1;
            while (!(&c_idle) && cycles < 10000) begin
                @(posedge clk);
                #0.1 cycles = cycles + 1;
            end
            if (cycles == 10000 || reads_open != 0) begin
                $display("FAIL: flush: idle %b, %0d reads open", c_idle, reads_open);
                failed = 1;
            end
            while (s_valid != 0) @(posedge clk);
            repeat (3) @(posedge clk);
            flush <= 0;
            @(posedge clk);
            check = 1;
            fresh;
            run = 1;
            wait_done;
        end
        // Error response at a known beat.
        if (!failed) begin
            if (|c_error) begin
                $display("FAIL: error without cause");
                failed = 1;
            end
            error_en = 1;
            fresh;
            for (i = 0; i < CLIENTS * COUNT; i = i + 1) begin
                beats[i] = 7;
                offset[i] = 0;
            end
            wait_done;
            for (c = 0; c < CLIENTS; c = c + 1)
                if (!failed && (!c_error[c] || c_error_addr[c*64 +: 64] !== BASE + 5 * BYTES)) begin
                    $display("FAIL: client %0d error %b at %h", c, c_error[c], c_error_addr[c*64 +: 64]);
                    failed = 1;
                end
        end
        if (!failed)
            $display("PASS");
        $finish;
    end
endmodule
