// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_channel with a memory. Checks that each reader gets the beats of its descriptors from its base,
// that each writer's beats are stored at its base, that `written` comes once for each descriptor, and that idle is high
// at the end. A read error of any reader must be reported with its address and kept until a reset. A channel without
// readers must send no read request, and one without writers no write request.
// Sets for verif/modules/run.sh:
// sweep: READERS=1 WRITERS=1 BEAT_BITS=64 ADDR_BITS=64
// sweep: READERS=3 WRITERS=2 BEAT_BITS=256 ADDR_BITS=34
// sweep: READERS=2 WRITERS=0 BEAT_BITS=128 ADDR_BITS=34
// sweep: READERS=0 WRITERS=2 BEAT_BITS=64 ADDR_BITS=40
// sweep: READERS=0 WRITERS=0 BEAT_BITS=64 ADDR_BITS=34
// quick: READERS=3 WRITERS=2 BEAT_BITS=256 ADDR_BITS=34
// quick: READERS=0 WRITERS=0 BEAT_BITS=64 ADDR_BITS=34
`default_nettype none
`timescale 1ns / 1ps

module rill_channel_tb;
    // Parameters without a comment are those of the module.
    parameter READERS = 3;
    parameter WRITERS = 2;
    parameter BEAT_BITS = 256;
    parameter ADDR_BITS = 34;
    localparam R = READERS > 0 ? READERS : 1;
    localparam W = WRITERS > 0 ? WRITERS : 1;
    localparam ENGINES = READERS + WRITERS > 0 ? READERS + (WRITERS > 0) : 1;
    localparam BYTES = BEAT_BITS / 8;
    localparam LISTS = 40;                   // descriptors of each client
    localparam BEATS = 5;                    // beats of each descriptor
    localparam SPAN = 32'h8000;              // bytes from base to base: readers from 1 * SPAN, writers from 4 * SPAN

    reg                    clk = 0, rst = 1, core = 1;
    wire                   idle, beat, answer, error, error_is_write;
    wire [63:0]            error_address;
    reg  [R*ADDR_BITS-1:0] read_base;
    reg  [R-1:0]           rd_valid = 0;
    wire [R-1:0]           rd_ready, rb_valid;
    reg  [R*56-1:0]        rd_data;
    reg  [R-1:0]           rb_ready = 0;
    wire [R*BEAT_BITS-1:0] rb_data;
    reg  [W*ADDR_BITS-1:0] write_base;
    reg  [W-1:0]           wd_valid = 0, wb_valid = 0;
    wire [W-1:0]           wd_ready, wb_ready, w_idle, written;
    reg  [W*56-1:0]        wd_data;
    reg  [W*BEAT_BITS-1:0] wb_data;
    wire                   arvalid, arready, rvalid, rready, rlast;
    wire                   awvalid, awready, wvalid, wready, wlast, bvalid, bready;
    wire [1:0]             arid, rid, awid, bid, rresp, bresp, arburst, awburst;
    wire [63:0]            araddr, awaddr;
    wire [7:0]             arlen, awlen;
    wire [2:0]             arsize, awsize, arprot, awprot;
    wire [BEAT_BITS-1:0]   rdata, wdata;
    wire [BYTES-1:0]       wstrb;
    wire                   arlock, awlock;
    wire [3:0]             arcache, arqos, awcache, awqos;
    reg                    error_en = 0;
    reg  [63:0]            error_addr = 0;
    // asked, got: descriptors taken and beats received, per reader. told, given, finished: descriptors taken, beats
    // taken and descriptors written, per writer. core: core_rst, the reset of the engines.
    integer                seed, stall, i, w, cycles = 0, asked [0:R-1], got [0:R-1], told [0:W-1], given [0:W-1];
    integer                finished [0:W-1], beats = 0, answers = 0, wrong;
    reg                    failed = 0, run = 0;

    rill_channel #(.READERS(READERS), .WRITERS(WRITERS), .BEAT_BITS(BEAT_BITS), .ID_W(2), .ADDR_BITS(ADDR_BITS),
        .OUTSTANDING(3), .BURST({R{32'd4}}), .PREFETCH({R{32'd8}}), .STYLE({R{8'h64}})) dut (
        .clk(clk), .rst(rst), .core_rst({ENGINES{core}}), .flush({ENGINES{1'b0}}), .idle(idle), .beat(beat),
        .answer(answer), .error(error), .error_is_write(error_is_write), .error_address(error_address),
        .read_base(read_base), .read_desc_tvalid(rd_valid), .read_desc_tready(rd_ready), .read_desc_tdata(rd_data),
        .read_beat_tvalid(rb_valid), .read_beat_tready(rb_ready), .read_beat_tdata(rb_data),
        .write_base(write_base), .write_desc_tvalid(wd_valid), .write_desc_tready(wd_ready), .write_desc_tdata(wd_data),
        .write_beat_tvalid(wb_valid), .write_beat_tready(wb_ready), .write_beat_tdata(wb_data), .write_idle(w_idle),
        .written(written),
        .m_axi_arvalid(arvalid), .m_axi_arready(arready), .m_axi_arid(arid), .m_axi_araddr(araddr),
        .m_axi_arlen(arlen), .m_axi_arsize(arsize), .m_axi_arburst(arburst), .m_axi_rvalid(rvalid),
        .m_axi_rready(rready), .m_axi_rid(rid), .m_axi_rdata(rdata), .m_axi_rresp(rresp), .m_axi_rlast(rlast),
        .m_axi_awvalid(awvalid), .m_axi_awready(awready), .m_axi_awid(awid), .m_axi_awaddr(awaddr),
        .m_axi_awlen(awlen), .m_axi_awsize(awsize), .m_axi_awburst(awburst), .m_axi_wvalid(wvalid),
        .m_axi_wready(wready), .m_axi_wdata(wdata), .m_axi_wstrb(wstrb), .m_axi_wlast(wlast), .m_axi_bvalid(bvalid),
        .m_axi_bready(bready), .m_axi_bid(bid), .m_axi_bresp(bresp), .m_axi_arlock(arlock), .m_axi_arcache(arcache),
        .m_axi_arprot(arprot), .m_axi_arqos(arqos), .m_axi_awlock(awlock), .m_axi_awcache(awcache),
        .m_axi_awprot(awprot), .m_axi_awqos(awqos));
    axi_memory_bfm #(.BEAT_BITS(BEAT_BITS), .ID_W(2), .WORDS(65536)) u_memory (
        .clk(clk), .rst(rst), .stall(stall), .latency(32'd20), .error_en(error_en), .error_addr(error_addr),
        .arvalid(arvalid), .arready(arready), .arid(arid), .araddr(araddr), .arlen(arlen), .rvalid(rvalid),
        .rready(rready), .rid(rid), .rdata(rdata), .rresp(rresp), .rlast(rlast), .awvalid(awvalid), .awready(awready),
        .awid(awid), .awaddr(awaddr), .awlen(awlen), .wvalid(wvalid), .wready(wready), .wdata(wdata), .wlast(wlast),
        .bvalid(bvalid), .bready(bready), .bid(bid), .bresp(bresp));
    always #1 clk = !clk;

    // Prints the first check that fails, and ends the run.
    task fail(input [50*8-1:0] what);
        begin
            if (!failed)
                $display("FAIL: %0s at cycle %0d", what, cycles);
            failed = 1;
            $finish;
        end
    endtask

    // Returns the value that a writer puts into word n of its beats.
    function [31:0] value(input integer client, input integer n);
        value = 32'hA5000000 ^ (client << 20) ^ n;
    endfunction

    always @(posedge clk) if (run && !failed) begin
        cycles = cycles + 1;
        beats = beats + beat;
        answers = answers + answer;
        if (arvalid !== 0 && READERS == 0 || awvalid !== 0 && WRITERS == 0) fail("a port without clients asks");
        if ({arlock, arcache, arprot, arqos, awlock, awcache, awprot, awqos} !== {1'b0, 4'd3, 3'd0, 4'd0, 1'b0, 4'd3,
            3'd0, 4'd0}) fail("ties");
        for (i = 0; i < READERS; i = i + 1) begin
            if (rb_valid[i] && rb_ready[i]) begin
                for (w = 0; w < BEAT_BITS / 32; w = w + 1)
                    if (rb_data[i*BEAT_BITS + 32*w +: 32] !==
                            u_memory.pattern(((i + 1) * SPAN + got[i] * BYTES) / 4 + w)) fail("a beat that was read");
                got[i] = got[i] + 1;
            end
            rb_ready[i] <= $urandom_range(99) >= stall;
            if (rd_valid[i] && rd_ready[i]) asked[i] = asked[i] + 1;
            rd_valid[i] <= asked[i] < LISTS;
            rd_data[i*56 +: 56] <= {16'd5, 40'd0} | (asked[i] * BEATS * BYTES);
        end
        for (i = 0; i < WRITERS; i = i + 1) begin
            finished[i] = finished[i] + written[i];
            if (wd_valid[i] && wd_ready[i]) told[i] = told[i] + 1;
            wd_valid[i] <= told[i] < LISTS;
            wd_data[i*56 +: 56] <= {16'd5, 40'd0} | (told[i] * BEATS * BYTES);
            if (wb_valid[i] && wb_ready[i]) given[i] = given[i] + 1;
            wb_valid[i] <= given[i] < LISTS * BEATS && $urandom_range(99) >= stall;
            if (!wb_valid[i] || wb_ready[i])
                for (w = 0; w < BEAT_BITS / 32; w = w + 1)
                    wb_data[i*BEAT_BITS + 32*w +: 32] <= value(i, given[i] * (BEAT_BITS / 32) + w);
        end
        if (cycles > 60000) fail("it does not end");
    end

    // Returns whether the readers have got all beats and the writers have written all descriptors.
    function all_done(input integer unused);
        begin
            all_done = 1;
            for (i = 0; i < READERS; i = i + 1) all_done = all_done && got[i] == LISTS * BEATS;
            for (i = 0; i < WRITERS; i = i + 1) all_done = all_done && finished[i] == LISTS && w_idle[i];
        end
    endfunction

    // The writers' words are in the upper half of the memory.
    task check_written;
        for (i = 0; i < WRITERS; i = i + 1)
            for (w = 0; w < LISTS * BEATS * BEAT_BITS / 32; w = w + 1)
                if (u_memory.mem[((4 + i) * SPAN / 4 + w) % 65536] !== value(i, w)) fail("a word that was written");
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        i = $urandom(seed);
        for (i = 0; i < R; i = i + 1) begin
            read_base[i*ADDR_BITS +: ADDR_BITS] = (i + 1) * SPAN;
            asked[i] = 0;
            got[i] = 0;
        end
        for (i = 0; i < W; i = i + 1) begin
            write_base[i*ADDR_BITS +: ADDR_BITS] = (4 + i) * SPAN;
            told[i] = 0;
            given[i] = 0;
            finished[i] = 0;
        end
        repeat (3) @(posedge clk);
        rst <= 0;
        core <= 0;
        run <= 1;
        repeat (100) @(negedge clk);
        while (!all_done(0)) @(negedge clk);
        repeat (5) @(negedge clk);
        if (!idle || error !== 0) fail("idle at the end");
        // Data and response of a write count as one answer or as two, depending on whether they come in one cycle.
        if (beats != READERS * LISTS * BEATS || answers > 2 * WRITERS * LISTS * BEATS ||
            answers < WRITERS * LISTS * BEATS) fail("counts of beats and answers");
        check_written;
        // Each reader asks again for its first descriptor, whose third beat is wrong now.
        for (wrong = 0; wrong < READERS; wrong = wrong + 1) begin
            error_addr = (wrong + 1) * SPAN + 2 * BYTES;
            error_en = 1;
            rd_data[wrong*56 +: 56] <= {16'd5, 40'd0};
            run <= 0;
            rd_valid <= 1 << wrong;
            rb_ready <= {R{1'b1}};
            @(negedge clk) while (!rd_ready[wrong]) @(negedge clk);
            @(posedge clk) rd_valid <= 0;
            repeat (300) @(negedge clk);
            if (error !== 1 || error_is_write !== 0 || error_address !== error_addr) fail("an error of a read");
            core <= 1;
            repeat (3) @(posedge clk);
            core <= 0;
            repeat (3) @(negedge clk);
            if (error !== 0) fail("an error after a reset");
        end
        if (!failed) $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
