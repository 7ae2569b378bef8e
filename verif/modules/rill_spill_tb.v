// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_spill with its two DMA engines on one memory. Firings of random lengths up to WORDS must come back
// word for word. Nothing may be read while a write of the same half of the memory has no response. The memory must hold
// the last firing in the layout that the module's header states. The sink waits until FIRINGS firings are in. dma_idle
// comes LATE cycles late, the most that is allowed. With HELD, beats wait on their way to the write engine, which is
// idle meanwhile. With FIRINGS 2 and more than 8 words, without idles, stalls and HELD, words must enter while others
// leave. With FIRINGS 1 they must not. After a reset at a random time, further firings must pass.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: DATA_W=128 BEAT_BITS=256 WORDS=40 BURST=4
// sweep: DATA_W=64 BEAT_BITS=512 WORDS=1 BURST=1
// sweep: DATA_W=520 BEAT_BITS=512 WORDS=20 BURST=8
// sweep: DATA_W=1024 BEAT_BITS=256 WORDS=9 BURST=16
// sweep: DATA_W=96 BEAT_BITS=256 WORDS=300 BURST=16
// sweep: DATA_W=128 BEAT_BITS=256 WORDS=40 BURST=4 FIRINGS=2
// sweep: DATA_W=64 BEAT_BITS=512 WORDS=1 BURST=1 FIRINGS=2
// sweep: DATA_W=520 BEAT_BITS=512 WORDS=21 BURST=8 FIRINGS=2
// sweep: DATA_W=96 BEAT_BITS=256 WORDS=32 BURST=16 FIRINGS=2
// sweep: DATA_W=128 BEAT_BITS=256 WORDS=9 BURST=2 HELD=1
// sweep: DATA_W=128 BEAT_BITS=256 WORDS=9 BURST=2 FIRINGS=2 HELD=1
// quick: DATA_W=128 BEAT_BITS=256 WORDS=40 BURST=4
// quick: DATA_W=520 BEAT_BITS=512 WORDS=20 BURST=8
// quick: DATA_W=128 BEAT_BITS=256 WORDS=40 BURST=4 FIRINGS=2
// quick: DATA_W=96 BEAT_BITS=256 WORDS=32 BURST=16 FIRINGS=2
// quick: DATA_W=128 BEAT_BITS=256 WORDS=9 BURST=2 HELD=1 @ 0:0
`default_nettype none
`timescale 1ns / 1ps

module rill_spill_tb;
    // The parameters are those of the module, except HELD, which the header explains.
    parameter DATA_W = 128;
    parameter BEAT_BITS = 256;
    parameter WORDS = 40;
    parameter BURST = 4;
    parameter FIRINGS = 1;
    parameter HELD = 0;
    localparam LATE = 6;                     // cycles by which dma_idle is late, the most that is allowed
    localparam TIMES = 12;                   // firings between resets
    localparam [39:0] OFFSET = 40'd8192;
    localparam PER = BEAT_BITS / DATA_W;     // words of a beat; 0: a word is wider than a beat
    localparam PARTS = (DATA_W + BEAT_BITS - 1) / BEAT_BITS; // beats of a word
    localparam BEATS = PER > 0 ? (WORDS + (PER > 0 ? PER : 1) - 1) / (PER > 0 ? PER : 1) : WORDS * PARTS;
    // The second half of the memory begins at a multiple of BURST beats.
    localparam HALF_BITS = (BEATS + BURST - 1) / BURST * BURST * BEAT_BITS;

    wire                 clk, rst, s_valid, s_ready, s_last, src_done, m_valid, m_ready, m_last, snk_done;
    wire [DATA_W-1:0]    s_data, m_data;
    wire [2:0]           s_user, m_user;
    wire                 wd_valid, wd_ready, wb_valid, wb_ready, to_ready, rd_valid, rd_ready, rb_valid, rb_ready,
        write_idle, read_idle;
    wire [55:0]          wd_data, rd_data;
    wire [BEAT_BITS-1:0] wb_data, rb_data, rdata, wdata;
    wire                 read_error, write_error;
    wire [63:0]          read_error_addr, write_error_addr, araddr, awaddr;
    wire [7:0]           arlen, awlen;
    wire                 arvalid, arready, rvalid, rready, rlast, awvalid, awready, wvalid, wready, wlast, bvalid,
        bready;
    wire [1:0]           rresp, bresp;
    integer              seed, idle, stall;
    reg                  again = 1'b0;
    reg                  hold = 1'b1;
    reg  [LATE-1:0]      idle_q;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(again));
    rill_axis_driver #(.DATA_W(DATA_W), .USER_W(3), .WORDS(3 * TIMES * WORDS), .SALT(3)) u_src (.clk(clk), .rst(rst),
        .m_axis_tvalid(s_valid),
        .m_axis_tready(s_ready), .m_axis_tdata(s_data), .m_axis_tuser(s_user), .m_axis_tlast(s_last), .done(src_done));
    rill_axis_monitor #(.DATA_W(DATA_W), .USER_W(3), .WORDS(3 * TIMES * WORDS)) u_snk (.clk(clk), .rst(rst),
        .hold(hold), .s_axis_tvalid(m_valid),
        .s_axis_tready(m_ready), .s_axis_tdata(m_data), .s_axis_tuser(m_user), .s_axis_tlast(m_last), .done(snk_done));
    rill_spill #(.DATA_W(DATA_W), .USER_W(3), .BEAT_BITS(BEAT_BITS), .WORDS(WORDS), .BURST(BURST), .FIRINGS(FIRINGS),
        .OFFSET(OFFSET)) dut (
        .clk(clk), .rst(rst), .dma_idle(idle_q[LATE-1]), .s_axis_tvalid(s_valid), .s_axis_tready(s_ready),
        .s_axis_tdata(s_data),
        .s_axis_tuser(s_user), .s_axis_tlast(s_last), .m_axis_tvalid(m_valid), .m_axis_tready(m_ready),
        .m_axis_tdata(m_data),
        .m_axis_tuser(m_user), .m_axis_tlast(m_last),
        .m_axis_write_desc_tvalid(wd_valid), .m_axis_write_desc_tready(wd_ready), .m_axis_write_desc_tdata(wd_data),
        .m_axis_write_beat_tvalid(wb_valid), .m_axis_write_beat_tready(wb_ready), .m_axis_write_beat_tdata(wb_data),
        .m_axis_read_tvalid(rd_valid), .m_axis_read_tready(rd_ready), .m_axis_read_tdata(rd_data),
        .s_axis_read_tvalid(rb_valid), .s_axis_read_tready(rb_ready), .s_axis_read_tdata(rb_data));
    rill_dma_read #(.BEAT_BITS(BEAT_BITS), .MAX_BURST(BURST), .OUTSTANDING(4), .PREFETCH_BEATS(BURST)) u_read (
        .clk(clk), .rst(rst), .base(64'd0), .flush(1'b0), .idle(read_idle), .error(read_error),
        .error_addr(read_error_addr),
        .s_axis_desc_tvalid(rd_valid), .s_axis_desc_tready(rd_ready), .s_axis_desc_tdata(rd_data),
        .m_axi_arvalid(arvalid), .m_axi_arready(arready), .m_axi_araddr(araddr), .m_axi_arlen(arlen),
        .m_axi_rvalid(rvalid), .m_axi_rready(rready), .m_axi_rdata(rdata), .m_axi_rresp(rresp), .m_axi_rlast(rlast),
        .m_axis_beat_tvalid(rb_valid), .m_axis_beat_tready(rb_ready), .m_axis_beat_tdata(rb_data));
    rill_dma_write #(.CLIENTS(1), .BEAT_BITS(BEAT_BITS), .BUFFER_BEATS(BURST)) u_write (
        .clk(clk), .rst(rst), .base(64'd0), .flush(1'b0), .idle(write_idle), .error(write_error),
        .error_addr(write_error_addr),
        .s_axis_desc_tvalid(wd_valid), .s_axis_desc_tready(wd_ready), .s_axis_desc_tdata(wd_data),
        .s_axis_beat_tvalid(wb_valid && through), .s_axis_beat_tready(to_ready), .s_axis_beat_tdata(wb_data),
        .m_axi_awvalid(awvalid), .m_axi_awready(awready), .m_axi_awid(), .m_axi_awaddr(awaddr), .m_axi_awlen(awlen),
        .m_axi_awsize(), .m_axi_awburst(),
        .m_axi_wvalid(wvalid), .m_axi_wready(wready), .m_axi_wdata(wdata), .m_axi_wstrb(), .m_axi_wlast(wlast),
        .m_axi_bvalid(bvalid), .m_axi_bready(bready), .m_axi_bid(1'b0), .m_axi_bresp(bresp));
    axi_memory_bfm #(.BEAT_BITS(BEAT_BITS), .ID_W(1), .WORDS(16384)) u_memory (
        .clk(clk), .rst(rst), .stall(stall), .latency(8), .error_en(1'b0), .error_addr(64'd0),
        .arvalid(arvalid), .arready(arready), .arid(1'b0), .araddr(araddr), .arlen(arlen),
        .rvalid(rvalid), .rready(rready), .rid(), .rdata(rdata), .rresp(rresp), .rlast(rlast),
        .awvalid(awvalid), .awready(awready), .awid(1'b0), .awaddr(awaddr), .awlen(awlen), .wvalid(wvalid),
        .wready(wready),
        .wdata(wdata), .wlast(wlast), .bvalid(bvalid), .bready(bready), .bid(), .bresp(bresp));

    always @(posedge clk) idle_q <= {idle_q[LATE-2:0], write_idle};

    // A beat may go to the write engine. With HELD, this is low after each beat for a random time.
    reg through = 1'b1;
    assign wb_ready = to_ready && through;
    always @(posedge clk) through <= HELD == 0 || (through ? (wb_valid && wb_ready) !== 1'b1 : $random % 64 == 0);

    // open: write descriptors of each half that were taken and have no response yet. Each descriptor is a burst, and
    // responses come in the order of the descriptors.
    integer open [0:1];
    reg     half_of [0:65535];
    // asked, ended: descriptors so far, and how many of them have their response. lasts_in: firings that have entered.
    integer asked, ended, lasts_in, half, both; // both: cycles in which one word enters and one leaves (not a last one)
    initial begin
        asked = 0;
        ended = 0;
        lasts_in = 0;
        both = 0;
        open[0] = 0;
        open[1] = 0;
    end
    always @(posedge clk)
        if (rst) begin
            ended = asked;
            lasts_in = 0;
            open[0] = 0;
            open[1] = 0;
        end else begin
            if (wd_valid && wd_ready) begin
                half_of[asked] = wd_data[39:0] >= OFFSET + HALF_BITS / 8;
                open[half_of[asked]] = open[half_of[asked]] + 1;
                asked = asked + 1;
            end
            if (arvalid) begin
                half = araddr >= OFFSET + HALF_BITS / 8;
                if (open[half] != 0 || (FIRINGS == 1 && (wvalid || half != 0))) begin
                    $display("FAIL: a read is asked for before the writes have their responses");
                    $finish;
                end
            end
            if (bvalid && bready) begin
                open[half_of[ended]] = open[half_of[ended]] - 1;
                ended = ended + 1;
            end
            both = both + (s_valid && s_ready && m_valid && m_ready && !m_last);
            if (s_valid && s_ready && s_last) begin
                lasts_in = lasts_in + 1;
                if (lasts_in == FIRINGS)
                    hold <= 1'b0;
            end
        end

    reg [DATA_W-1:0] kept [0:WORDS-1];
    reg [1023:0]     word;
    integer          n, i, b, length, place; // kept, length: the last firing; place: bit of the memory from OFFSET on
    // Sends firings of random lengths, the first one of WORDS words.
    task push(input integer firings);
        for (n = 0; n < firings; n = n + 1) begin
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
    endtask

    task check_memory; // compares the memory with the last of TIMES firings
        for (i = 0; i < length; i = i + 1)
            for (b = 0; b < DATA_W / 32; b = b + 1) begin
                place = PER > 0 ? (i / (PER > 0 ? PER : 1)) * BEAT_BITS + (i % (PER > 0 ? PER : 1)) * DATA_W
                    : i * PARTS * BEAT_BITS;
                if (FIRINGS == 2 && TIMES % 2 == 0)
                    place = place + HALF_BITS;
                if (u_memory.mem[OFFSET / 4 + place / 32 + b] !== kept[i][b*32 +: 32]) begin
                    $display("FAIL: word %0d of the last firing is not where it should be", i);
                    $finish;
                end
            end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        #1;
        push(TIMES);
        wait (!rst);
        wait (src_done && snk_done);
        check_memory;
        if (FIRINGS == 1 ? both != 0 : WORDS > 8 && idle == 0 && stall == 0 && HELD == 0 && both < WORDS / 2) begin
            $display("FAIL: %0d words enter while others leave", both);
            $finish;
        end
        repeat (20) @(posedge clk);
        push(TIMES);
        repeat (1 + $unsigned($random(seed)) % (12 * WORDS)) @(posedge clk);
        @(negedge clk) again = 1'b1;
        @(negedge clk) again = 1'b0;
        wait (rst);
        // The reset has lost the words of this run, so the source and the sink forget them.
        u_src.offered = u_src.pushed;
        u_src.sent = u_src.pushed;
        u_snk.seen = u_snk.wanted;
        push(TIMES);
        hold = 1'b1;
        wait (!rst);
        wait (src_done && snk_done);
        check_memory;
        repeat (20) @(posedge clk);
        $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
