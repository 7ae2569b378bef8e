// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_fifo_pool. The table takes one firing from port 0, then REPEAT firings from port 1, and in head
// steps (STEP_HEAD) also one from port PORTS-1. Steps are random. Firings have random lengths of up to LONGEST words.
// LONGEST may be larger than DEPTH. All sources and all sinks are active at the same time. Every stream must get its
// own words in order, and the pool must never hold more than DEPTH words. Without idles and stalls, no cycle may be
// lost between firings. This is checked only with LONGEST of 3 or more, because rill_schedule loses a cycle per section
// and two per step and may be too slow for shorter firings.
// Sets for verif/modules/run.sh:
// sweep: PORTS=3 REPEAT=4 LONGEST=9 DEPTH=12
// sweep: PORTS=2 REPEAT=1 LONGEST=1 DEPTH=2
// sweep: PORTS=5 REPEAT=3 LONGEST=20 DEPTH=7
// quick: PORTS=3 REPEAT=4 LONGEST=9 DEPTH=12
// quick: PORTS=5 REPEAT=3 LONGEST=20 DEPTH=7
`default_nettype none
`timescale 1ns / 1ps

module rill_fifo_pool_tb;
    `include "rill_fields.vh"
    // Parameters without a comment are those of the module.
    parameter PORTS = 3;
    parameter REPEAT = 4;                    // firings of port 1 in a step
    parameter LONGEST = 9;                   // most words of a firing
    parameter DEPTH = 12;
    localparam STEPS = 30;
    localparam WORDS = STEPS * (REPEAT + 2) * LONGEST;
    localparam COUNT_W = $clog2(DEPTH + 1);
    localparam [7:0] TAIL_PORT = PORTS - 1;
    localparam [23:0] TABLE = {TAIL_PORT, 8'd1, 8'd0};
    localparam [47:0] REPEATS = {16'd1, REPEAT[15:0], 16'd1};

    wire                     clk, rst, step_valid, step_ready, step_done;
    wire [63:0]              step_data;
    wire [PORTS-1:0]         s_valid, s_ready, s_last, src_done, m_valid, m_ready, m_last, snk_done;
    wire [PORTS*19-1:0]      s_word, m_word;
    wire [PORTS*COUNT_W-1:0] fill, high;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_axis_driver #(.DATA_W(64), .SALT(3)) u_step (.clk(clk), .rst(rst), .m_axis_tvalid(step_valid),
        .m_axis_tready(step_ready),
        .m_axis_tdata(step_data), .m_axis_tuser(), .m_axis_tlast(), .done(step_done));
    // A pulse of give[p] hands `beat` = {last, user, data} to the source and the sink of port p, because a task cannot
    // index gen_port.
    reg  [PORTS-1:0] give = 0;
    reg  [19:0]      beat;
    genvar g;
    generate
        for (g = 0; g < PORTS; g = g + 1) begin : gen_port
            rill_axis_driver #(.DATA_W(16), .USER_W(3), .WORDS(WORDS), .SALT(g + 11)) u_src (.clk(clk), .rst(rst),
                .m_axis_tvalid(s_valid[g]),
                .m_axis_tready(s_ready[g]), .m_axis_tdata(s_word[g*19 +: 16]), .m_axis_tuser(s_word[g*19+16 +: 3]),
                .m_axis_tlast(s_last[g]),
                .done(src_done[g]));
            rill_axis_monitor #(.DATA_W(16), .USER_W(3), .WORDS(WORDS), .SALT(g + 31)) u_snk (.clk(clk), .rst(rst),
                .hold(1'b0),
                .s_axis_tvalid(m_valid[g]), .s_axis_tready(m_ready[g]), .s_axis_tdata(m_word[g*19 +: 16]),
                .s_axis_tuser(m_word[g*19+16 +: 3]), .s_axis_tlast(m_last[g]), .done(snk_done[g]));
            always @(posedge give[g]) begin
                u_src.push(beat[15:0], beat[18:16], beat[19]);
                u_snk.expect_word(beat[15:0], beat[18:16], beat[19]);
            end
        end
    endgenerate
    rill_fifo_pool #(.PORTS(PORTS), .DATA_W(19), .DEPTH(DEPTH), .SECTIONS(3), .ENTRIES(3),
        .SECTION_LEN(48'h000100010001),
        .SECTION_REPEAT(REPEATS), .SECTION_WHEN_HEAD(3'b100), .TABLE(TABLE)) dut (
        .clk(clk), .rst(rst), .s_axis_step_tvalid(step_valid), .s_axis_step_tready(step_ready),
        .s_axis_step_tdata(step_data),
        .s_axis_tvalid(s_valid), .s_axis_tready(s_ready), .s_axis_tdata(s_word), .s_axis_tlast(s_last),
        .m_axis_tvalid(m_valid), .m_axis_tready(m_ready), .m_axis_tdata(m_word), .m_axis_tlast(m_last),
        .occupancy(fill), .high_water(high));

    // held: words in the pool now. total: words of all firings. moved: words that have entered the pool, the first and
    // the latest one in the cycles first_time and last_time.
    integer n, i, seed, idle, stall, held, total = 0, moved = 0, first_time = 0, last_time = 0, cycle = 0;
    reg [63:0] step;
    always @(posedge clk) begin
        cycle = cycle + 1;
        held = 0;
        for (i = 0; i < PORTS; i = i + 1)
            held = held + fill[i*COUNT_W +: COUNT_W];
        if (!rst && held > DEPTH) begin
            $display("FAIL: %0d words in a pool of %0d", held, DEPTH);
            $finish;
        end
        if (!rst && |(s_valid & s_ready)) begin
            first_time = moved == 0 ? cycle : first_time;
            last_time = cycle;
            moved = moved + 1;
        end
    end

    // Queues a firing of random length at the source and the sink of a port. Without idles and stalls it has LONGEST
    // words.
    task firing(input integer port);
        integer length, b;
        begin
            length = LONGEST == 1 ? 1 : 1 + $unsigned($random(seed)) % LONGEST;
            if (idle + stall == 0)
                length = LONGEST;
            for (b = 0; b < length; b = b + 1) begin
                beat = {b == length - 1, 19'd0} | ($random(seed) & 20'h7ffff);
                total = total + 1;
                give[port] = 1'b1;
                #0 give[port] = 1'b0;
                #0;
            end
        end
    endtask

    integer r;
    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        #1;
        for (n = 0; n < STEPS; n = n + 1) begin
            step = {$random(seed), $random(seed)};
            u_step.push(step, 1'b0, 1'b0);
            firing(0);
            for (r = 0; r < REPEAT; r = r + 1)
                firing(1);
            if (step[STEP_HEAD])
                firing(TAIL_PORT);
        end
        wait (!rst);
        wait (step_done && &snk_done && &src_done && moved == total);
        repeat (20) @(posedge clk);
        if (idle + stall == 0 && LONGEST >= 3 && last_time - first_time != moved - 1)
            $display("FAIL: %0d words took %0d cycles", moved, last_time - first_time + 1);
        else
            $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
