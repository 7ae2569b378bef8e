// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_logprobs with its rill_record_writer, a rill_dma_write and a model of the memory. After each
// firing, ids of some of its tokens come, as the token loop sends them. When an id leaves, its record must be in
// memory, with the words that golden_logprobs makes.
// Ids of a firing: with ROWS = 1 one id. With SLOTS 1, the ids of its first tokens in order, or as index 0 that of its
// last token. With SLOTS above 1, the firing is divided into two parts of different slots, and the ids of both come in
// the order of the parts; the word of a step with head = 0 comes between firings.
// Checks in messages: 1 and 2 the file of vectors, 3 a word of a record, 4 an id that leaves, 5 a word beside the
// record, 6 an error response, 7 the run takes too long, 8 a chunk is taken while an id waits, 9 an address outside the
// memory.
// Sets for verif/modules/run.sh:
// sweep: LANES=4 TOKENS=1 N=21 UNITS=1 BEAT_BITS=256
// sweep: LANES=8 TOKENS=4 N=64 UNITS=8 ROWS=4 BEAT_BITS=512
// sweep: LANES=4 TOKENS=4 N=70 UNITS=2 ROWS=4 SLOTS=4 BEAT_BITS=256
// sweep: LANES=16 TOKENS=8 N=100 UNITS=4 ROWS=8 SLOTS=16 BEAT_BITS=512 TOP=2
// sweep: LANES=1 TOKENS=2 N=3 UNITS=1 BEAT_BITS=512
// sweep: LANES=32 TOKENS=2 N=33 UNITS=16 ROWS=2 BEAT_BITS=512 TOP=1
// sweep: LANES=2 TOKENS=1 N=1 UNITS=2 BEAT_BITS=256
// quick: LANES=4 TOKENS=4 N=70 UNITS=2 ROWS=4 SLOTS=4 BEAT_BITS=256
// quick: LANES=8 TOKENS=4 N=64 UNITS=8 ROWS=4 BEAT_BITS=512
// quick: LANES=4 TOKENS=1 N=21 UNITS=1 BEAT_BITS=256
`default_nettype none
`timescale 1ns / 1ps

module rill_logprobs_tb;
    // Parameters without a comment are those of the module.
    parameter LANES = 4;
    parameter TOKENS = 1;
    parameter N = 21;
    parameter ROWS = 1;
    parameter UNITS = 1;
    parameter TOP = 5;
    parameter BEAT_BITS = 256;
    parameter SLOTS = 1;
    localparam TOK_W = TOKENS > 1 ? $clog2(TOKENS) : 1;
    localparam CHUNKS = (N + LANES - 1) / LANES;
    localparam MOST = 32;                    // most firings of the vectors
    localparam RECORD = 16;                  // words of a record
    localparam OFFSET = 256;
    localparam WORDS = 65536;
    localparam [63:0] BASE = 64'h400;
    localparam [31:0] SLOTS_32 = SLOTS;
    `include "rill_fields.vh"

    reg                  clk = 0, rst = 1, failed = 0;
    integer              seed, idle, stall, file, got, i, f, t, firings, cycles = 0;
    integer              ntok [0:MOST-1];
    reg  [31:0]          x [0:MOST*ROWS*N-1];
    reg  [31:0]          id [0:MOST*ROWS-1];
    reg  [31:0]          want [0:MOST*ROWS*RECORD-1];
    reg  [8*256-1:0]     name;
    reg  [31:0]          value;

    reg                  step_valid = 0, x_valid = 0, x_last, s_valid = 0, m_ready = 0;
    wire                 step_ready, x_ready, s_ready, m_valid, r_valid, r_ready;
    wire [543:0]         r_data;
    reg  [63:0]          step_data, s_data;
    reg  [LANES*32-1:0]  x_data;
    reg  [TOK_W:0]       x_user;
    wire [63:0]          m_data;
    wire                 d_valid, d_ready, b_valid, b_ready, dma_idle, dma_error;
    wire [55:0]          d_data;
    wire [BEAT_BITS-1:0] b_data, wdata;
    wire [63:0]          error_addr, awaddr;
    wire [7:0]           awlen;
    wire                 awvalid, awready, wvalid, wready, wlast, bvalid, bready;
    wire [1:0]           bresp;

    // The course of a firing (now): step words (phase 0), chunks (1), ids (2). c and k: the chunk and token that come
    // next. first and split: the slot of the first part, and the first token of the second part. n: ids that have been
    // offered. left: ids that have left. tok and number: token and index of the id on its way.
    integer              now = 0, phase = 0, c = 0, k = 0, slot, split, n, ids, tok, number, left, words;
    integer              index_of [0:15];    // next index of each slot
    reg                  fresh;              // the first id of this firing has index 0
    reg                  flying = 0;         // an id is in the module

    rill_logprobs #(.LANES(LANES), .TOKENS(TOKENS), .N(N), .ROWS(ROWS), .UNITS(UNITS), .TOP(TOP), .SLOTS(SLOTS)) dut (
        .clk(clk), .rst(rst), .s_axis_step_tvalid(step_valid), .s_axis_step_tready(step_ready),
        .s_axis_step_tdata(step_data), .s_axis_x_tvalid(x_valid), .s_axis_x_tready(x_ready), .s_axis_x_tdata(x_data),
        .s_axis_x_tuser(x_user), .s_axis_x_tlast(x_last), .s_axis_ring_tvalid(s_valid), .s_axis_ring_tready(s_ready),
        .s_axis_ring_tdata(s_data), .m_axis_record_tvalid(r_valid), .m_axis_record_tready(r_ready),
        .m_axis_record_tdata(r_data));

    rill_record_writer #(.BEAT_BITS(BEAT_BITS), .OFFSET(OFFSET), .SLOTS(SLOTS)) u_writer (
        .clk(clk), .rst(rst), .s_axis_record_tvalid(r_valid), .s_axis_record_tready(r_ready),
        .s_axis_record_tdata(r_data), .m_axis_ring_tvalid(m_valid), .m_axis_ring_tready(m_ready),
        .m_axis_ring_tdata(m_data), .m_axis_desc_tvalid(d_valid), .m_axis_desc_tready(d_ready),
        .m_axis_desc_tdata(d_data), .m_axis_beat_tvalid(b_valid), .m_axis_beat_tready(b_ready),
        .m_axis_beat_tdata(b_data), .dma_idle(dma_idle));

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
        .wready(wready), .wdata(wdata), .wlast(wlast), .bvalid(bvalid), .bready(bready), .bid(), .bresp(bresp));
    always #1 clk = !clk;

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        if (!$value$plusargs("vectors=%s", name)) fail(1);
        i = $urandom(seed);
        file = $fopen(name, "r");
        firings = word(0);
        for (f = 0; f < firings; f = f + 1) begin
            ntok[f] = word(0);
            for (i = 0; i < ntok[f] * N; i = i + 1)
                x[f * ROWS * N + i] = word(0);
            for (t = 0; t < ntok[f]; t = t + 1) begin
                id[f * ROWS + t] = word(0);
                for (i = 0; i < RECORD; i = i + 1)
                    want[(f * ROWS + t) * RECORD + i] = word(0);
            end
        end
        if (got != 1) fail(2);
        for (i = 0; i < 16; i = i + 1)
            index_of[i] = 0;
        begin_firing;
        repeat (3) @(posedge clk);
        rst <= 0;
    end

    // Returns the next word of the file.
    function [31:0] word(input integer unused);
        begin
            got = $fscanf(file, "%h", value);
            word = value;
        end
    endfunction

    // Prints the number of the first check that fails, and ends the run.
    task fail(input integer what);
        begin
            if (!failed)
                $display("FAIL: check %0d at firing %0d, id %0d", what, now, left);
            failed = 1;
            $finish;
        end
    endtask

    // Chooses the parts of a firing and how many of its ids come.
    task begin_firing;
        begin
            phase = SLOTS > 1 ? 0 : 1;
            words = 0;
            c = 0;
            k = 0;
            n = 0;
            left = 0;
            slot = $urandom_range(SLOTS - 1);
            split = SLOTS > 1 && ntok[now] > 1 ? $urandom_range(ntok[now] - 1, 1) : ntok[now];
            fresh = $urandom_range(2) == 0;
            ids = SLOTS > 1 ? (ntok[now] > split ? 2 : 1) : ROWS == 1 || fresh ? 1 : $urandom_range(ntok[now], 1);
            if (fresh)
                for (i = 0; i < 16; i = i + 1)
                    index_of[i] = 0;
            else
                for (i = 0; i < 16; i = i + 1)
                    if (index_of[i] == 0) index_of[i] = 1;
        end
    endtask

    // Offers the word of a part of the step, or of a step with head = 0.
    task drive_step;
        reg [3:0] part_slot, first, count;
        begin
            part_slot = words == 2 ? (slot + 1) % SLOTS : slot;
            first = words == 2 ? split : 0;
            count = words == 2 ? ntok[now] - split : split;
            step_valid <= 1;
            step_data <= words == 0 ? {60'd0, 4'd3} << STEP_NTOK | {60'd0, part_slot} << STEP_SLOT
                    | 64'd2 << STEP_TOK
                : {60'd0, count} << STEP_NTOK | 64'd1 << STEP_HEAD | {60'd0, part_slot} << STEP_SLOT
                    | {60'd0, first} << STEP_TOK | {63'd0, words == 1 && split < ntok[now]} << STEP_MORE;
            words = words + 1;
        end
    endtask

    // Offers the next chunk of a token.
    task drive_chunk;
        begin
            x_valid <= 1;
            for (i = 0; i < LANES; i = i + 1)   // elements past N are the largest possible ones
                x_data[i*32 +: 32] <= c * LANES + i < N ? x[(now * ROWS + k) * N + c * LANES + i] : 32'h7f7fffff;
            x_user <= {k == ntok[now] - 1, k[TOK_W-1:0]};
            x_last <= k == ntok[now] - 1 && c == CHUNKS - 1;
            k = k + 1;
            if (k == ntok[now]) begin
                k = 0;
                c = c + 1;
            end
        end
    endtask

    // Offers the next id of the firing. A part with two or more tokens gives the id of its first one, or, as index 0,
    // that of its last one.
    task drive_id;
        reg [3:0] of_slot;
        begin
            of_slot = SLOTS == 1 ? 0 : n == 1 ? (slot + 1) % SLOTS : slot;
            number = index_of[of_slot];
            if (SLOTS == 1) tok = ROWS == 1 ? 0 : number == 0 ? ntok[now] - 1 : n;
            else if (n == 0) tok = number == 0 ? split - 1 : 0;
            else tok = number == 0 ? ntok[now] - 1 : split;
            index_of[of_slot] = number + 1;
            s_valid <= 1;
            s_data <= {SLOTS > 1 ? of_slot : 4'd0, number[27:0], id[now * ROWS + tok]};
            n = n + 1;
            flying = 1;
        end
    endtask

    // Compares the record of the id that leaves.
    task compare;
        integer at;
        begin
            at = (BASE + OFFSET) / 4 + number * RECORD;
            for (i = 0; i < RECORD; i = i + 1)
                if (u_memory.mem[at + i] !== want[(now * ROWS + tok) * RECORD + i]) fail(3);
            if (m_data !== s_data) fail(4);
            if (u_memory.mem[BASE / 4 + OFFSET / 4 - 1] !== u_memory.pattern(BASE / 4 + OFFSET / 4 - 1)) fail(5);
            left = left + 1;
            flying = 0;
        end
    endtask

    always @(posedge clk) if (!rst && !failed) begin
        cycles = cycles + 1;
        if (x_valid && x_ready && flying) fail(8);
        if (step_valid && step_ready) step_valid <= 0;
        if (x_valid && x_ready) x_valid <= 0;
        if (s_valid && s_ready) s_valid <= 0;
        m_ready <= $urandom_range(99) >= stall;
        if (m_valid && m_ready) compare;
        if (phase == 0 && !step_valid) begin
            if (words == (split < ntok[now] ? 3 : 2)) phase = 1;
            else if ($urandom_range(99) >= idle) drive_step;
        end else if (phase == 1 && (!x_valid || x_ready)) begin
            if (c == CHUNKS) phase = 2;
            else if ($urandom_range(99) >= idle) drive_chunk;
        end else if (phase == 2 && !flying) begin
            if (left == ids) begin
                now = now + 1;
                if (now < firings) begin_firing;
            end else if ($urandom_range(99) >= idle) drive_id;
        end
        if (dma_error) fail(6);
        if (d_valid && d_data[39:0] >= 4 * WORDS) fail(9);
        if (now == firings && !failed) begin
            $display("PASS");
            failed = 1;
            $finish;
        end
        if (cycles > 400000) fail(7);
    end

    wire unused = &{1'b0, SLOTS_32};
endmodule
