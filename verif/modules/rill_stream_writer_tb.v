// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_stream_reader and rill_stream_writer, which are connected to each other and through their DMA
// engines to one memory. Rows are read and must be written unchanged at another offset, padded with zeros. Also checks
// order and token marks of the stream between the two modules, and that steps_done reaches the number of firings but is
// never ahead of it.
// Checks in messages: 1 data and 2 marks of the stream, 3 steps_done is ahead, 4 the written rows, 5 the word after
// them, 6 the run takes too long.
// Sets for verif/modules/run.sh:
// sweep: BEAT_BITS=256 LANES=1 TOKENS=1 CHUNKS=5
// sweep: BEAT_BITS=256 LANES=4 TOKENS=4 CHUNKS=7
// sweep: BEAT_BITS=512 LANES=32 TOKENS=2 CHUNKS=3
// sweep: BEAT_BITS=256 LANES=8 TOKENS=8 CHUNKS=1
// quick: BEAT_BITS=256 LANES=4 TOKENS=4 CHUNKS=7
// quick: BEAT_BITS=256 LANES=8 TOKENS=8 CHUNKS=1
`default_nettype none
`timescale 1ns / 1ps

module rill_stream_writer_tb;
    `include "rill_fields.vh"
    // Parameters without a comment are those of the module.
    parameter BEAT_BITS = 256;
    parameter LANES = 4;
    parameter TOKENS = 4;
    parameter CHUNKS = 7;
    localparam TOK_W = TOKENS > 1 ? $clog2(TOKENS) : 1;
    // A row fills whole groups: a group is a chunk or a beat, whichever is larger. Sizes are in words of 32 bits.
    localparam GROUP_WORDS = LANES * 32 > BEAT_BITS ? LANES : BEAT_BITS / 32;
    localparam ROW_WORDS = (CHUNKS * LANES + GROUP_WORDS - 1) / GROUP_WORDS * GROUP_WORDS;
    localparam ROWS = 5 * TOKENS + 1;
    localparam WORDS = 16384;
    localparam [39:0] OUT = 40'd32768;           // offset of the written rows; the rows that are read begin at 0

    reg                   clk = 0, rst = 1;
    integer               seed, idle, stall, i, p, cycles = 0, sent = 0, ntok, chunk = 0, tok = 0, firing = 0, row = 0;
    reg                   step_valid = 0;
    wire                  step_ready;
    reg  [63:0]           step_data;
    wire                  burst_valid, burst_ready, in_valid, in_ready, x_valid, x_ready, x_last;
    wire [55:0]           burst_data, desc_data;
    wire [BEAT_BITS-1:0]  in_data, out_data, rdata, wdata;
    wire [LANES*32-1:0]   x_data;
    wire [TOK_W:0]        x_user;
    wire                  desc_valid, desc_ready, out_valid, out_ready, read_idle, write_idle, write_written,
        read_error, write_error;
    wire [63:0]           read_error_addr, write_error_addr, araddr, awaddr;
    wire [7:0]            arlen, awlen;
    wire                  arvalid, arready, rvalid, rready, rlast, awvalid, awready, wvalid, wready, wlast, bvalid,
        bready;
    wire [1:0]            rresp, bresp;
    wire [31:0]           steps_done;
    reg                   gate_x = 0;            // the stream between the two modules may move
    reg                   failed = 0;

    rill_stream_reader #(.BEAT_BITS(BEAT_BITS), .LANES(LANES), .TOKENS(TOKENS), .CHUNKS(CHUNKS)) u_reader (
        .clk(clk), .rst(rst), .s_axis_step_tvalid(step_valid), .s_axis_step_tready(step_ready),
        .s_axis_step_tdata(step_data),
        .m_axis_desc_tvalid(burst_valid), .m_axis_desc_tready(burst_ready), .m_axis_desc_tdata(burst_data),
        .s_axis_beat_tvalid(in_valid), .s_axis_beat_tready(in_ready), .s_axis_beat_tdata(in_data),
        .m_axis_x_tvalid(x_valid), .m_axis_x_tready(x_ready && gate_x), .m_axis_x_tdata(x_data),
        .m_axis_x_tuser(x_user),
        .m_axis_x_tlast(x_last));
    rill_stream_writer #(.BEAT_BITS(BEAT_BITS), .LANES(LANES), .TOKENS(TOKENS), .CHUNKS(CHUNKS), .OFFSET(OUT)) dut (
        .clk(clk), .rst(rst), .s_axis_y_tvalid(x_valid && gate_x), .s_axis_y_tready(x_ready), .s_axis_y_tdata(x_data),
        .s_axis_y_tuser(x_user), .s_axis_y_tlast(x_last),
        .m_axis_desc_tvalid(desc_valid), .m_axis_desc_tready(desc_ready), .m_axis_desc_tdata(desc_data),
        .m_axis_beat_tvalid(out_valid), .m_axis_beat_tready(out_ready), .m_axis_beat_tdata(out_data),
        .dma_written(write_written), .steps_done(steps_done));
    rill_dma_read #(.BEAT_BITS(BEAT_BITS), .MAX_BURST(4), .OUTSTANDING(4), .PREFETCH_BEATS(16)) u_read (
        .clk(clk), .rst(rst), .base(64'd0), .flush(1'b0), .idle(read_idle), .error(read_error),
        .error_addr(read_error_addr),
        .s_axis_desc_tvalid(burst_valid), .s_axis_desc_tready(burst_ready), .s_axis_desc_tdata(burst_data),
        .m_axi_arvalid(arvalid), .m_axi_arready(arready), .m_axi_araddr(araddr), .m_axi_arlen(arlen),
        .m_axi_rvalid(rvalid), .m_axi_rready(rready), .m_axi_rdata(rdata), .m_axi_rresp(rresp), .m_axi_rlast(rlast),
        .m_axis_beat_tvalid(in_valid), .m_axis_beat_tready(in_ready), .m_axis_beat_tdata(in_data));
    rill_dma_write #(.CLIENTS(1), .BEAT_BITS(BEAT_BITS), .BUFFER_BEATS(4)) u_write (
        .clk(clk), .rst(rst), .base(64'd0), .flush(1'b0), .idle(write_idle), .written(write_written),
        .error(write_error), .error_addr(write_error_addr),
        .s_axis_desc_tvalid(desc_valid), .s_axis_desc_tready(desc_ready), .s_axis_desc_tdata(desc_data),
        .s_axis_beat_tvalid(out_valid), .s_axis_beat_tready(out_ready), .s_axis_beat_tdata(out_data),
        .m_axi_awvalid(awvalid), .m_axi_awready(awready), .m_axi_awid(), .m_axi_awaddr(awaddr), .m_axi_awlen(awlen),
        .m_axi_awsize(), .m_axi_awburst(),
        .m_axi_wvalid(wvalid), .m_axi_wready(wready), .m_axi_wdata(wdata), .m_axi_wstrb(), .m_axi_wlast(wlast),
        .m_axi_bvalid(bvalid), .m_axi_bready(bready), .m_axi_bid(1'b0), .m_axi_bresp(bresp));
    axi_memory_bfm #(.BEAT_BITS(BEAT_BITS), .ID_W(1), .WORDS(WORDS)) u_memory (
        .clk(clk), .rst(rst), .stall(stall), .latency(8), .error_en(1'b0), .error_addr(64'd0),
        .arvalid(arvalid), .arready(arready), .arid(1'b0), .araddr(araddr), .arlen(arlen),
        .rvalid(rvalid), .rready(rready), .rid(), .rdata(rdata), .rresp(rresp), .rlast(rlast),
        .awvalid(awvalid), .awready(awready), .awid(1'b0), .awaddr(awaddr), .awlen(awlen), .wvalid(wvalid),
        .wready(wready),
        .wdata(wdata), .wlast(wlast), .bvalid(bvalid), .bready(bready), .bid(), .bresp(bresp));
    always #1 clk = !clk;

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        i = $urandom(seed);
        repeat (3) @(posedge clk);
        rst <= 0;
    end

    // Prints the number of the first check that fails, and ends the run.
    task fail(input integer what);
        begin
            if (!failed)
                $display("FAIL: check %0d at row %0d chunk %0d token %0d word %0d", what, row, chunk, tok, i);
            failed = 1;
            $finish;
        end
    endtask

    always @(posedge clk) if (!rst && !failed) begin
        cycles = cycles + 1;
        gate_x <= (gate_x && x_valid && !x_ready) || $urandom_range(99) >= idle;
        if (step_valid && step_ready)
            step_valid <= 0;
        if ((!step_valid || step_ready) && sent < ROWS && $urandom_range(99) >= idle) begin
            step_valid <= 1;
            step_data <= 0;
            step_data[STEP_POS +: STEP_POS_W] <= sent;
            step_data[STEP_NTOK +: STEP_NTOK_W] <= ROWS - sent < TOKENS ? ROWS - sent : TOKENS;
            sent = ROWS - sent < TOKENS ? ROWS : sent + TOKENS;
        end
        if (x_valid && x_ready && gate_x) begin
            ntok = ROWS - row < TOKENS ? ROWS - row : TOKENS;
            for (i = 0; i < LANES; i = i + 1)
                if (x_data[i*32 +: 32] !== u_memory.pattern((row + tok) * ROW_WORDS + chunk * LANES + i)) fail(1);
            if (x_user !== {tok == ntok - 1, tok[TOK_W-1:0]}
                || x_last !== (tok == ntok - 1 && chunk == CHUNKS - 1)) fail(2);
            tok = tok + 1;
            if (tok == ntok) begin
                tok = 0;
                chunk = chunk + 1;
            end
            if (chunk == CHUNKS) begin
                chunk = 0;
                row = row + ntok;
                firing = firing + 1;
            end
        end
        if (steps_done > firing) fail(3);
        if (row == ROWS && steps_done == firing && !failed) begin
            for (p = 0; p < ROWS; p = p + 1)
                for (i = 0; i < ROW_WORDS; i = i + 1)
                    if (u_memory.mem[OUT / 4 + p * ROW_WORDS + i] !==
                        (i < CHUNKS * LANES ? u_memory.pattern(p * ROW_WORDS + i) : 0)) fail(4);
            if (u_memory.mem[OUT / 4 + ROWS * ROW_WORDS] !== u_memory.pattern(OUT / 4 + ROWS * ROW_WORDS)) fail(5);
            if (!failed)
                $display("PASS");
            failed = 1;
            $finish;
        end
        if (cycles > 60000) fail(6);
    end
endmodule
