// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_slice. A firing has GROUPS groups, and a group has ROUNDS rounds of WORDS words per token. The
// rounds FIRST, FIRST + STEP, ... of each group are selected, COUNT of them. Their words must leave in order, and no
// other words. Also checks the latency.
// Sets for verif/modules/run.sh:
// sweep: LANES=1 TOKENS=1 GROUPS=3 ROUNDS=5 WORDS=1 FIRST=1 STEP=2 COUNT=2
// sweep: LANES=4 TOKENS=2 GROUPS=2 ROUNDS=7 WORDS=3 FIRST=2 STEP=1 COUNT=4
// sweep: LANES=2 TOKENS=4 GROUPS=1 ROUNDS=4 WORDS=2 FIRST=3 STEP=1 COUNT=1
// sweep: LANES=2 TOKENS=1 GROUPS=4 ROUNDS=3 WORDS=2 FIRST=0 STEP=1 COUNT=3
// quick: LANES=1 TOKENS=1 GROUPS=3 ROUNDS=5 WORDS=1 FIRST=1 STEP=2 COUNT=2
// quick: LANES=4 TOKENS=2 GROUPS=2 ROUNDS=7 WORDS=3 FIRST=2 STEP=1 COUNT=4
`default_nettype none
`timescale 1ns / 1ps

module rill_slice_tb;
    // Parameters without a comment are those of the module.
    parameter LANES = 1;
    parameter TOKENS = 1;
    parameter GROUPS = 1;
    parameter ROUNDS = 1;
    parameter WORDS = 1;
    parameter FIRST = 0;
    parameter STEP = 1;
    parameter COUNT = 1;
    localparam USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1;
    localparam DATA_W = LANES * 32;
    localparam FIRINGS = 8;
    localparam MOST = FIRINGS * GROUPS * ROUNDS * WORDS * TOKENS;

    wire              clk, rst, s_valid, s_ready, s_last, m_valid, m_ready, m_last, src_done, snk_done;
    wire [DATA_W-1:0] s_data, m_data;
    wire [USER_W-1:0] s_user, m_user;
    reg  [DATA_W-1:0] word;
    reg  [USER_W-1:0] mark;
    reg               leaves;
    // entered: cycle in which the first selected word was taken. given: cycle in which that word was offered at the
    // output. Both are -1 before. waits: words before that word that have not been taken.
    integer           f, g, r, w, t, e, active, seed, idle, stall, entered, given, waits;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_axis_driver #(.DATA_W(DATA_W), .USER_W(USER_W), .WORDS(MOST)) u_src (.clk(clk), .rst(rst),
        .m_axis_tvalid(s_valid), .m_axis_tready(s_ready), .m_axis_tdata(s_data), .m_axis_tuser(s_user),
        .m_axis_tlast(s_last), .done(src_done));
    rill_slice #(.LANES(LANES), .TOKENS(TOKENS), .GROUPS(GROUPS), .ROUNDS(ROUNDS), .WORDS(WORDS), .FIRST(FIRST),
        .STEP(STEP), .COUNT(COUNT)) dut (.clk(clk), .rst(rst), .s_axis_x_tvalid(s_valid), .s_axis_x_tready(s_ready),
        .s_axis_x_tdata(s_data), .s_axis_x_tuser(s_user), .s_axis_x_tlast(s_last), .m_axis_y_tvalid(m_valid),
        .m_axis_y_tready(m_ready), .m_axis_y_tdata(m_data), .m_axis_y_tuser(m_user), .m_axis_y_tlast(m_last));
    rill_axis_monitor #(.DATA_W(DATA_W), .USER_W(USER_W), .WORDS(MOST)) u_snk (.clk(clk), .rst(rst), .hold(1'b0),
        .s_axis_tvalid(m_valid), .s_axis_tready(m_ready), .s_axis_tdata(m_data), .s_axis_tuser(m_user),
        .s_axis_tlast(m_last), .done(snk_done));

    always @(negedge clk) if (!rst) begin
        if (s_valid && s_ready && entered < 0) begin
            waits = waits - 1;
            if (waits < 0) entered = u_snk.cycle;
        end
        if (m_valid && given < 0) given = u_snk.cycle;
    end

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        entered = -1;
        given = -1;
        waits = FIRST * WORDS * TOKENS;
        wait (!rst);
        for (f = 0; f < FIRINGS; f = f + 1) begin
            active = f == 0 ? TOKENS : 1 + $unsigned($random(seed)) % TOKENS;
            for (g = 0; g < GROUPS; g = g + 1)
                for (r = 0; r < ROUNDS; r = r + 1)
                    for (w = 0; w < WORDS; w = w + 1)
                        for (t = 0; t < active; t = t + 1) begin
                            for (e = 0; e < LANES; e = e + 1) word[e*32 +: 32] = $random(seed);
                            mark = (t == active - 1 ? 1 << (USER_W - 1) : 0) | t;
                            leaves = r >= FIRST && (r - FIRST) % STEP == 0 && (r - FIRST) / STEP < COUNT;
                            u_src.push(word, mark, g == GROUPS - 1 && r == ROUNDS - 1 && w == WORDS - 1
                                && t == active - 1);
                            if (leaves) u_snk.expect_word(word, mark, g == GROUPS - 1
                                && r == FIRST + (COUNT - 1) * STEP && w == WORDS - 1 && t == active - 1);
                        end
        end
        wait (src_done && snk_done);
        repeat (10) @(posedge clk);
        if (m_valid) $display("FAIL: a word too many");
        else if (idle + stall == 0 && given - entered != 1) $display("FAIL: latency %0d", given - entered);
        else $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
