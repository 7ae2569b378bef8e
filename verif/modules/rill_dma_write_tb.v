// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_dma_write with CLIENTS clients, each with a separate region of memory. Checks:
// - The memory is right after random writes, including words that were not written.
// - idle is high only when every response has come. `written` comes once for each descriptor that has beats, not before
//   the descriptor's last response.
// - A client that stops in the middle of a descriptor does not block the others.
// - With one client, the rate is full if nothing stalls (a third of it with a buffer of one beat).
// - A flush ends although clients have given descriptors whose beats never come. An error response is reported with its
//   address.
// - After a reset, responses to beats from before it are not taken for responses to newer beats.
// - The port keeps the rules of AXI (rill_axi_checker), and no beat comes before its address.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: BEAT_BITS=256 OUTSTANDING=32 BUFFER_BEATS=1 CLIENTS=1
// sweep: BEAT_BITS=256 OUTSTANDING=32 BUFFER_BEATS=2 CLIENTS=1
// sweep: BEAT_BITS=512 OUTSTANDING=3 BUFFER_BEATS=2 CLIENTS=2
// sweep: BEAT_BITS=256 OUTSTANDING=5 BUFFER_BEATS=4 CLIENTS=3
// quick: BEAT_BITS=512 OUTSTANDING=3 BUFFER_BEATS=2 CLIENTS=2
// quick: BEAT_BITS=256 OUTSTANDING=32 BUFFER_BEATS=2 CLIENTS=1 @ 0:0
// quick: BEAT_BITS=256 OUTSTANDING=5 BUFFER_BEATS=4 CLIENTS=3 @ 0:0
`timescale 1ns / 1ps
`include "../model/rill_axi_checker.sv"
`default_nettype none

module rill_dma_write_tb;
    // Parameters without a comment are those of the module.
    parameter BEAT_BITS = 256;
    parameter OUTSTANDING = 8;
    parameter BUFFER_BEATS = 1;
    parameter CLIENTS = 1;
    parameter ADDR_BITS = 34;
    localparam ID_W = 2;
    localparam BYTES = BEAT_BITS / 8;
    localparam BEAT_WORDS = BEAT_BITS / 32;
    localparam COUNT = 40; // descriptors of each client
    localparam REGION = 8192;                // words of a client's region
    localparam WORDS = 32768;
    localparam [63:0] BASE = 64'h1_0000_0000;

    reg         clk = 0;
    reg         rst = 1;
    integer     seed, idle, stall;
    reg  [31:0] latency = 20;
    reg         flush = 0;
    reg         error_en = 0;
    wire [CLIENTS-1:0]    c_idle, c_written;
    wire                  error;
    wire [ADDR_BITS-1:0]  error_addr;
    reg  [CLIENTS-1:0]    d_valid = 0;
    wire [CLIENTS-1:0]    d_ready;
    reg  [CLIENTS*56-1:0] d_data;
    reg  [CLIENTS-1:0]    b_valid = 0;
    wire [CLIENTS-1:0]    b_ready;
    reg  [CLIENTS*BEAT_BITS-1:0] b_data;
    reg  [CLIENTS-1:0]    hold = 0;          // the client offers no beat
    wire                  awvalid, awready, wvalid, wready, wlast, bvalid, bready;
    wire [ID_W-1:0]       awid, bid;
    wire [ADDR_BITS-1:0]  awaddr;
    wire [7:0]            awlen;
    wire [2:0]            awsize;
    wire [1:0]            awburst, bresp;
    wire [BEAT_BITS-1:0]  wdata;
    wire [BYTES-1:0]      wstrb;
    wire [31:0]           reads_open, writes_open;

    rill_dma_write #(.CLIENTS(CLIENTS), .BEAT_BITS(BEAT_BITS), .ID_W(ID_W), .OUTSTANDING(OUTSTANDING),
        .BUFFER_BEATS(BUFFER_BEATS), .QUIET_BITS(8), .ADDR_BITS(ADDR_BITS)) dut (
        .clk(clk), .rst(rst), .base({CLIENTS{BASE[ADDR_BITS-1:0]}}), .flush(flush), .idle(c_idle), .written(c_written),
        .error(error), .error_addr(error_addr),
        .s_axis_desc_tvalid(d_valid), .s_axis_desc_tready(d_ready), .s_axis_desc_tdata(d_data),
        .s_axis_beat_tvalid(b_valid & ~hold), .s_axis_beat_tready(b_ready), .s_axis_beat_tdata(b_data),
        .m_axi_awvalid(awvalid), .m_axi_awready(awready), .m_axi_awid(awid), .m_axi_awaddr(awaddr),
        .m_axi_awlen(awlen), .m_axi_awsize(awsize), .m_axi_awburst(awburst),
        .m_axi_wvalid(wvalid), .m_axi_wready(wready), .m_axi_wdata(wdata), .m_axi_wstrb(wstrb), .m_axi_wlast(wlast),
        .m_axi_bvalid(bvalid), .m_axi_bready(bready), .m_axi_bid(bid), .m_axi_bresp(bresp));

    axi_memory_bfm #(.BEAT_BITS(BEAT_BITS), .ID_W(ID_W), .WORDS(WORDS)) u_memory (
        .clk(clk), .rst(rst), .stall(stall), .latency(latency), .error_en(error_en), .error_addr(BASE + 5 * BYTES),
        .arvalid(1'b0), .arready(), .arid({ID_W{1'b0}}), .araddr(64'd0), .arlen(8'd0),
        .rvalid(), .rready(1'b0), .rid(), .rdata(), .rresp(), .rlast(),
        .awvalid(awvalid), .awready(awready), .awid(awid), .awaddr(awaddr), .awlen(awlen), .wvalid(wvalid),
        .wready(wready),
        .wdata(wdata), .wlast(wlast), .bvalid(bvalid), .bready(bready), .bid(bid), .bresp(bresp));

    rill_axi_checker #(.BEAT_BITS(BEAT_BITS), .ID_W(ID_W), .MAX_BURST(1), .OUTSTANDING(OUTSTANDING),
        .READ_EN(0), .W_FIRST(0)) u_checker (
        .clk(clk), .rst(rst), .arvalid(1'b0), .arready(1'b0), .arid({ID_W{1'b0}}), .araddr(64'd0), .arlen(8'd0),
        .arsize(3'd0),
        .arburst(2'd0), .arlock(1'b0), .arcache(4'd3), .arprot(3'd0), .arqos(4'd0),
        .rvalid(1'b0), .rready(1'b0), .rid({ID_W{1'b0}}), .rdata({BEAT_BITS{1'b0}}), .rresp(2'd0), .rlast(1'b0),
        .awvalid(awvalid), .awready(awready), .awid(awid), .awaddr(awaddr), .awlen(awlen), .awsize(awsize),
        .awburst(awburst),
        .awlock(1'b0), .awcache(4'd3), .awprot(3'd0), .awqos(4'd0),
        .wvalid(wvalid), .wready(wready), .wdata(wdata), .wstrb(wstrb), .wlast(wlast),
        .bvalid(bvalid), .bready(bready), .bid(bid), .bresp(bresp), .reads_open(reads_open), .writes_open(writes_open));

    always #1 clk = !clk;

    reg  [15:0] beats [0:CLIENTS*COUNT-1];
    reg  [39:0] offset [0:CLIENTS*COUNT-1];
    reg  [31:0] expect_mem [0:WORDS-1];
    integer     sent [0:CLIENTS-1];          // descriptors that were offered
    integer     given [0:CLIENTS-1];         // descriptor whose beats are offered at present
    integer     pos [0:CLIENTS-1];           // beats of this descriptor that were offered
    integer     total, cycles, c, i, word;
    integer     bursts [0:CLIENTS*COUNT-1];  // beats of a descriptor and of all earlier ones of its client
    integer     answered [0:CLIENTS-1];      // responses per client
    integer     writes [0:CLIENTS-1];        // number of the descriptor that is written next
    integer     asked [0:65535];             // client of each address that was taken
    integer     asks, answers;               // addresses that were taken, and responses
    reg         watch = 1;                   // responses and `written` are compared
    reg  [31:0] value;
    reg         run = 0;
    reg         with_beats = 1;              // 0: descriptors are given, beats are not
    reg         failed = 0;

    // Returns 1 in `percent` percent of its calls.
    function chance(input integer percent);
        chance = $urandom_range(99) < percent;
    endfunction

    // Draws new descriptors for all clients: a tenth has no beats, and a few have up to 60.
    task fresh;
        begin
            for (c = 0; c < CLIENTS; c = c + 1) begin
                sent[c] = 0;
                given[c] = 0;
                pos[c] = 0;
                answered[c] = 0;
                writes[c] = 0;
                for (i = 0; i < COUNT; i = i + 1) begin
                    beats[c*COUNT + i] = chance(10) ? 0 : chance(20) ? $urandom_range(60, 1) : $urandom_range(5, 1);
                    offset[c*COUNT + i] = (c * REGION + $urandom_range(REGION - 61 * BEAT_WORDS)) / BEAT_WORDS * BYTES;
                end
            end
        end
    endtask

    // Sums up the beats of each client's descriptors. Every beat is a burst, so it gets a response.
    task cut;
        for (c = 0; c < CLIENTS; c = c + 1)
            for (i = 0; i < COUNT; i = i + 1)
                bursts[c*COUNT + i] = (i == 0 ? 0 : bursts[c*COUNT + i - 1]) + beats[c*COUNT + i];
    endtask

    // Counts the responses per client. The memory answers in the order of the addresses.
    integer w;
    always @(posedge clk) if (!rst && watch) begin
        for (w = 0; w < CLIENTS; w = w + 1) begin
            if (c_written[w]) begin
                while (writes[w] < COUNT && beats[w*COUNT + writes[w]] == 0) writes[w] = writes[w] + 1;
                if (writes[w] == COUNT || answered[w] < bursts[w*COUNT + writes[w]]) begin
                    if (!failed) $display("FAIL: client %0d: descriptor %0d written, %0d responses", w, writes[w],
                        answered[w]);
                    failed = 1;
                end
                writes[w] = writes[w] + 1;
            end
        end
        if (awvalid && awready) begin
            asked[asks] = (awaddr - BASE) / 4 / REGION;
            asks = asks + 1;
        end
        if (bvalid && bready) begin
            answered[asked[answers]] = answered[asked[answers]] + 1;
            answers = answers + 1;
        end
    end

    // Checks that `written` has come for all descriptors with beats.
    task all_written;
        begin
            repeat (2) @(posedge clk);
            #0.1;
            for (c = 0; c < CLIENTS; c = c + 1) begin
                while (writes[c] < COUNT && beats[c*COUNT + writes[c]] == 0) writes[c] = writes[c] + 1;
                if (!failed && writes[c] != COUNT) begin
                    $display("FAIL: client %0d: %0d of %0d descriptors written", c, writes[c], COUNT);
                    failed = 1;
                end
            end
        end
    endtask

    always @(posedge clk) if (!rst)
        for (c = 0; c < CLIENTS; c = c + 1) begin
            if (d_valid[c] && d_ready[c])
                d_valid[c] <= 0;
            if ((!d_valid[c] || d_ready[c]) && run && sent[c] < COUNT && !chance(idle)) begin
                d_valid[c] <= 1;
                d_data[c*56 +: 56] <= {beats[c*COUNT + sent[c]], offset[c*COUNT + sent[c]]};
                sent[c] = sent[c] + 1;
            end
            if (b_valid[c] && !hold[c] && b_ready[c])
                b_valid[c] <= 0;
            while (given[c] < COUNT && pos[c] == beats[c*COUNT + given[c]]) begin
                given[c] = given[c] + 1;
                pos[c] = 0;
            end
            if ((!b_valid[c] || (!hold[c] && b_ready[c])) && run && with_beats && given[c] < COUNT &&
                !chance(idle)) begin
                b_valid[c] <= 1;
                word = (offset[c*COUNT + given[c]] / 4 + pos[c] * BEAT_WORDS) & (WORDS - 1);
                for (i = 0; i < BEAT_WORDS; i = i + 1) begin
                    value = $urandom;
                    b_data[c*BEAT_BITS + i*32 +: 32] <= value;
                    expect_mem[word + i] = value;
                end
                pos[c] = pos[c] + 1;
                total = total + 1;
            end
        end

    // Returns whether all descriptors and beats have been taken.
    function all_given(input integer unused);
        begin
            all_given = !(|b_valid) && !(|d_valid);
            for (i = 0; i < CLIENTS; i = i + 1)
                if (given[i] < COUNT || sent[i] < COUNT)
                    all_given = 0;
        end
    endfunction

    // Waits until everything is written and the engine is idle. Then no write may be open.
    task wait_idle;
        begin
            cycles = 0;
            while (!(all_given(0) && &c_idle) && cycles < 100000 && !failed) begin
                @(posedge clk);
                #0.1 cycles = cycles + 1;
            end
            if (!failed && (cycles == 100000 || writes_open != 0)) begin
                $display("FAIL: %0d cycles, %0d writes open, idle %b", cycles, writes_open, c_idle);
                failed = 1;
            end
        end
    endtask

    // Stops client 0 in the middle of a descriptor, if it has not finished. The other clients must finish.
    reg others_done;
    task hold_one;
        if (CLIENTS > 1) begin
            repeat (50) @(posedge clk);
            while (!(pos[0] > 0 && pos[0] < beats[given[0]]) && given[0] < COUNT) @(posedge clk);
            #0.1 hold[0] = 1;
            cycles = 0;
            others_done = 0;
            while (!others_done && cycles < 100000) begin
                @(posedge clk);
                #0.1 cycles = cycles + 1;
                others_done = !(|(d_valid >> 1)) && !(|(b_valid >> 1));
                for (i = 1; i < CLIENTS; i = i + 1)
                    if (given[i] < COUNT || sent[i] < COUNT)
                        others_done = 0;
            end
            if (cycles == 100000) begin
                $display("FAIL: client 0 holds up another one");
                failed = 1;
            end
            hold[0] = 0;
        end
    endtask

    // Compares the memory with the expected contents.
    task compare;
        for (i = 0; i < WORDS && !failed; i = i + 1)
            if (u_memory.mem[i] !== expect_mem[i]) begin
                $display("FAIL: word %0d is %h, expected %h", i, u_memory.mem[i], expect_mem[i]);
                failed = 1;
            end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        i = $urandom(seed);
        total = 0;
        asks = 0;
        answers = 0;
        fresh;
        cut;
        for (i = 0; i < WORDS; i = i + 1)
            expect_mem[i] = u_memory.pattern(i);
        repeat (4) @(posedge clk);
        rst <= 0;
        run = 1;
        hold_one;
        wait_idle;
        all_written;
        compare;
        watch = 0;
        if (!failed && idle == 0 && stall == 0 && CLIENTS == 1) begin
            latency = 2;
            total = 0;
            fresh;
            for (i = 0; i < COUNT; i = i + 1) begin
                beats[i] = 25;
                offset[i] = i * 25 * BYTES;
            end
            wait_idle;
            compare;
            // The memory takes some addresses late, so an eighth more cycles are allowed, and 100 for start and end.
            if (!failed && cycles > (BUFFER_BEATS > 1 ? 1 : 3) * (total + total / 8) + 100) begin
                $display("FAIL: %0d cycles for %0d beats", cycles, total);
                failed = 1;
            end
        end
        // Flush while descriptors wait for beats that never come.
        if (!failed) begin
            latency = 30;
            fresh;
            repeat (30) @(posedge clk);
            with_beats = 0;
            repeat (60) @(posedge clk);
            flush <= 1;
            cycles = 0;
            @(posedge clk);
            #0.1;
            while (!(&c_idle) && cycles < 10000) begin
                @(posedge clk);
                #0.1 cycles = cycles + 1;
            end
            run = 0;
            if (cycles == 10000 || writes_open != 0) begin
                $display("FAIL: flush: idle %b, %0d writes open", c_idle, writes_open);
                failed = 1;
            end
            repeat (5) @(posedge clk);
            flush <= 0;
            with_beats = 1;
            @(posedge clk);
            for (i = 0; i < WORDS; i = i + 1)
                expect_mem[i] = u_memory.mem[i];
            fresh;
            run = 1;
            wait_idle;
            compare;
        end
        if (!failed) begin
            if (error) begin
                $display("FAIL: error without cause");
                failed = 1;
            end
            error_en = 1;
            fresh;
            for (i = 0; i < CLIENTS * COUNT; i = i + 1) begin
                beats[i] = 1;
                offset[i] = 5 * BYTES;
            end
            wait_idle;
            if (!failed && (!error || error_addr !== BASE + 5 * BYTES)) begin
                $display("FAIL: error %b at %h", error, error_addr);
                failed = 1;
            end
        end
        // A reset while responses are outstanding, and new beats directly afterwards: no old response may be counted
        // for a new beat.
        if (!failed) begin
            error_en = 0;
            latency = 60;
            fresh;
            run = 1;
            while (writes_open == 0 || awvalid || wvalid) @(posedge clk) #0.1;
            rst <= 1;
            run = 0;
            d_valid <= 0;
            b_valid <= 0;
            repeat (4) @(posedge clk);
            rst <= 0;
            for (i = 0; i < WORDS; i = i + 1)
                expect_mem[i] = u_memory.mem[i];
            fresh;
            run = 1;
            wait_idle;
            compare;
        end
        if (!failed)
            $display("PASS");
        $finish;
    end
endmodule
