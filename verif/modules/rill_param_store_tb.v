// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_param_store. After a load all words must come in order, again and again; no word may come before
// the load is complete. Each load has new words. `keep` must bring the words of the latest load again, also after a
// reset. Also checks the latency, which includes HOPS stages to another die, and the rate.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: LOAD_BITS=256 WORD_W=64 WORDS=10
// sweep: LOAD_BITS=256 WORD_W=64 WORDS=4
// sweep: LOAD_BITS=512 WORD_W=512 WORDS=7
// sweep: LOAD_BITS=256 WORD_W=1024 WORDS=3
// sweep: LOAD_BITS=512 WORD_W=32 WORDS=1
// sweep: LOAD_BITS=64 WORD_W=128 WORDS=1
// sweep: LOAD_BITS=128 WORD_W=512 WORDS=6 HOPS=2
// quick: LOAD_BITS=256 WORD_W=64 WORDS=10
// quick: LOAD_BITS=256 WORD_W=1024 WORDS=3 HOPS=2 @ 50:50
// quick: LOAD_BITS=512 WORD_W=32 WORDS=1 @ 50:50
`default_nettype none
`timescale 1ns / 1ps

module rill_param_store_tb;
    // Parameters without a comment are those of the module.
    parameter LOAD_BITS = 256;
    parameter WORD_W = 64;
    parameter WORDS = 10;
    parameter HOPS = 0;
    localparam BEATS = (WORDS * WORD_W + LOAD_BITS - 1) / LOAD_BITS;
    localparam ALL_W = BEATS * LOAD_BITS;
    localparam ROUNDS = 4; // times that all words must come after a load
    wire                 clk, rst, m_valid, m_ready, snk_done;
    wire [WORD_W-1:0]    m_data;
    reg                  again = 0, hold = 1, load_start = 0, load_valid = 0, keep = 0, reset = 0;
    reg  [LOAD_BITS-1:0] load_data;
    wire [LOAD_BITS-1:0] data_there;                 // load_data as it arrives on the store's die
    reg  [ALL_W-1:0]     all;
    integer              n, i, r, seed, idle, stall, start;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(again));
    rill_param_store #(.LOAD_BITS(LOAD_BITS), .WORD_W(WORD_W), .WORDS(WORDS), .HOPS(HOPS)) dut (
        .clk(clk), .rst(rst || reset),
        .load_start(load_start), .keep(keep), .load_valid(load_valid), .load_data(data_there),
        .m_axis_param_tvalid(m_valid), .m_axis_param_tready(m_ready),
        .m_axis_param_tdata(m_data));
    rill_hop #(.DATA_W(LOAD_BITS), .STAGES(HOPS)) u_way (.clk(clk), .rst(rst), .d(load_data), .q(data_there));
    // When load_start arrives, the store withdraws an offered word. The monitor is reset then, because its checker does
    // not allow a word to be withdrawn.
    wire withdrawn;
    rill_hop #(.DATA_W(1), .CLEAR_W(1), .STAGES(HOPS)) u_withdrawn (.clk(clk), .rst(rst || reset), .d(load_start),
        .q(withdrawn));
    rill_axis_monitor #(.DATA_W(WORD_W), .STOP(1)) u_snk (.clk(clk), .rst(rst || reset || withdrawn), .hold(hold),
        .s_axis_tvalid(m_valid),
        .s_axis_tready(m_ready), .s_axis_tdata(m_data), .s_axis_tuser(1'b0), .s_axis_tlast(1'b0), .done(snk_done));

    // Loads random words. extra: beats after those of the last word, which the store must ignore.
    task load(input integer extra);
        begin
            for (i = 0; i < ALL_W / 32; i = i + 1)
                all[i*32 +: 32] = $random(seed);
            @(negedge clk) load_start = 1;
            @(negedge clk) load_start = 0;
            repeat (HOPS) @(negedge clk);
            for (i = 0; i < BEATS + extra; i = i + 1) begin
                while ($unsigned($random(seed)) % 100 < idle)
                    @(negedge clk);
                if (i < BEATS && m_valid) begin
                    $display("FAIL: a word before the load is complete");
                    $finish;
                end
                load_valid = 1;
                load_data = i < BEATS ? all[i*LOAD_BITS +: LOAD_BITS] : {LOAD_BITS{1'b1}};
                if (i == BEATS - 1)
                    start = u_snk.cycle;
                @(negedge clk) load_valid = 0;
                load_data = {LOAD_BITS{1'bx}};
            end
        end
    endtask

    // Resets the store and makes the words of the latest load valid again.
    task keep_it;
        begin
            reset = 1;
            repeat (3) @(negedge clk);
            reset = 0;
            @(negedge clk) load_start = 1;
            @(negedge clk) load_start = 0;
            repeat (5) @(negedge clk);
            if (m_valid) begin
                $display("FAIL: a word before it is kept");
                $finish;
            end
            keep = 1;
            @(negedge clk) keep = 0;
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        wait (!rst);
        repeat (10) @(negedge clk);
        for (n = 0; n < 5; n = n + 1) begin
            hold = 1;
            repeat (3) @(negedge clk);
            if (n == 3) keep_it;
            else load(n % 2 == 1 ? 5 : 0);
            while (!m_valid) @(negedge clk);
            if (n % 2 == 0 && u_snk.cycle - start != 4 + HOPS) begin
                $display("FAIL: latency %0d", u_snk.cycle - start);
                $finish;
            end
            for (r = 0; r < ROUNDS; r = r + 1)
                for (i = 0; i < WORDS; i = i + 1)
                    u_snk.expect_word(all[i*WORD_W +: WORD_W], 1'b0, 1'b0);
            u_snk.restart;
            hold = 0;
            wait (snk_done);
            @(negedge clk);
            if (stall == 0 && u_snk.last_time - u_snk.first_time != ROUNDS * WORDS - 1) begin
                $display("FAIL: %0d words took %0d cycles", ROUNDS * WORDS, u_snk.last_time - u_snk.first_time + 1);
                $finish;
            end
        end
        $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
