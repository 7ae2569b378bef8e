// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_width_converter. Sends firings with random numbers of active tokens, of row-steps and of elements
// per word (tcount), and compares the chunks with a dense repacking in the bench. With DENSE = 1, only the last
// row-step of a firing may have fewer than IN_ELEMS elements. With LAST > 0, firings have 5 row-steps, the last one
// with LAST elements, and the words have no counts. Also checks the latency and, without idles and stalls, the rate.
// Sets for verif/modules/run.sh:
// sweep: IN_ELEMS=4 OUT_ELEMS=8 TOKENS=2 DENSE=0
// sweep: IN_ELEMS=1 OUT_ELEMS=1 TOKENS=1 DENSE=0
// sweep: IN_ELEMS=1 OUT_ELEMS=8 TOKENS=2 DENSE=0
// sweep: IN_ELEMS=3 OUT_ELEMS=4 TOKENS=8 DENSE=0
// sweep: IN_ELEMS=8 OUT_ELEMS=4 TOKENS=2 DENSE=0
// sweep: IN_ELEMS=11 OUT_ELEMS=2 TOKENS=4 DENSE=0
// sweep: IN_ELEMS=32 OUT_ELEMS=8 TOKENS=1 DENSE=0
// sweep: IN_ELEMS=7 OUT_ELEMS=32 TOKENS=2 DENSE=0
// sweep: IN_ELEMS=32 OUT_ELEMS=32 TOKENS=2 DENSE=0
// sweep: IN_ELEMS=8 OUT_ELEMS=8 TOKENS=4 DENSE=1
// sweep: IN_ELEMS=16 OUT_ELEMS=4 TOKENS=2 DENSE=1
// sweep: IN_ELEMS=4 OUT_ELEMS=16 TOKENS=2 DENSE=1
// sweep: IN_ELEMS=6 OUT_ELEMS=4 TOKENS=1 DENSE=1
// sweep: IN_ELEMS=8 OUT_ELEMS=1 TOKENS=2 DENSE=1 LAST=3
// sweep: IN_ELEMS=2 OUT_ELEMS=8 TOKENS=4 DENSE=1 LAST=1
// quick: IN_ELEMS=4 OUT_ELEMS=8 TOKENS=2 DENSE=0
// quick: IN_ELEMS=3 OUT_ELEMS=4 TOKENS=8 DENSE=0
// quick: IN_ELEMS=11 OUT_ELEMS=2 TOKENS=4 DENSE=0
// quick: IN_ELEMS=7 OUT_ELEMS=32 TOKENS=2 DENSE=0
// quick: IN_ELEMS=4 OUT_ELEMS=16 TOKENS=2 DENSE=1
// quick: IN_ELEMS=6 OUT_ELEMS=4 TOKENS=1 DENSE=1
// quick: IN_ELEMS=8 OUT_ELEMS=1 TOKENS=2 DENSE=1 LAST=3
// quick: IN_ELEMS=2 OUT_ELEMS=8 TOKENS=4 DENSE=1 LAST=1
`default_nettype none
`timescale 1ns / 1ps

module rill_width_converter_tb;
    // Parameters without a comment are those of the module.
    parameter IN_ELEMS = 4;
    parameter OUT_ELEMS = 8;
    parameter TOKENS = 2;
    parameter DENSE = 0;
    parameter LAST = 0; // LAST_ELEMS of the module; above 0: firings of 5 row-steps
    localparam ELEM_W = 32;
    localparam COUNT_W = $clog2(IN_ELEMS + 1);
    localparam USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1;
    localparam FIRINGS = 24;
    localparam ROWS = 14;                    // row-steps of a firing, at most
    localparam MOST = ROWS * IN_ELEMS;       // elements of a token in a firing, at most
    localparam IN_W = IN_ELEMS * ELEM_W;
    localparam OUT_W = OUT_ELEMS * ELEM_W;
    localparam SHIFTS = ($clog2(OUT_ELEMS) + 1) / 2;
    localparam LATENCY = (DENSE == 1 && IN_ELEMS == OUT_ELEMS) ? 0 : SHIFTS + 4;
    localparam WORDS_IN = (FIRINGS + 1) * ROWS * TOKENS;
    localparam WORDS_OUT = (FIRINGS + 1) * (MOST / OUT_ELEMS + 1) * TOKENS;

    wire                    clk, rst, s_valid, s_ready, s_last, src_done, m_valid, m_ready, m_last, snk_done;
    wire [IN_W+COUNT_W-1:0] s_data;
    wire [USER_W-1:0]       s_user, m_user;
    wire [OUT_W-1:0]        m_data;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_axis_driver #(.DATA_W(IN_W + COUNT_W), .USER_W(USER_W), .WORDS(WORDS_IN)) u_src (.clk(clk), .rst(rst),
        .m_axis_tvalid(s_valid),
        .m_axis_tready(s_ready), .m_axis_tdata(s_data), .m_axis_tuser(s_user), .m_axis_tlast(s_last), .done(src_done));
    rill_width_converter #(.IN_ELEMS(IN_ELEMS), .OUT_ELEMS(OUT_ELEMS), .ELEM_W(ELEM_W), .TOKENS(TOKENS), .DENSE(DENSE),
        .LAST_ELEMS(LAST),
        .LAST_WORDS(LAST > 0 ? 5 : 0)) dut (
        .clk(clk), .rst(rst), .s_axis_tvalid(s_valid), .s_axis_tready(s_ready), .s_axis_tdata(s_data[IN_W-1:0]),
        .s_axis_tcount(LAST > 0 ? {COUNT_W{1'b0}} : s_data[IN_W +: COUNT_W]), .s_axis_tuser(s_user),
        .s_axis_tlast(s_last),
        .m_axis_tvalid(m_valid), .m_axis_tready(m_ready), .m_axis_tdata(m_data), .m_axis_tuser(m_user),
        .m_axis_tlast(m_last));
    rill_axis_monitor #(.DATA_W(OUT_W), .USER_W(USER_W), .WORDS(WORDS_OUT)) u_snk (.clk(clk), .rst(rst), .hold(1'b0),
        .s_axis_tvalid(m_valid),
        .s_axis_tready(m_ready), .s_axis_tdata(m_data), .s_axis_tuser(m_user), .s_axis_tlast(m_last), .done(snk_done));

    reg  [ELEM_W-1:0]  value [0:TOKENS*MOST-1];            // elements of a firing, by token
    reg  [IN_W-1:0]    word;
    reg  [COUNT_W-1:0] number;
    reg  [OUT_W-1:0]   chunk;
    integer            seed, idle, stall, n, row, t, e, start, bound; // bound: most cycles of all firings

    // Sends a firing of `active` tokens and `rows` row-steps, expects its chunks, and adds the most cycles that it may
    // take to `bound`.
    task firing(input integer active, input integer rows);
        integer held, count, chunks, c, steps, out;
        begin
            held = 0;
            steps = 0;
            for (row = 0; row < rows; row = row + 1) begin
                count = 1 + $unsigned($random(seed)) % IN_ELEMS;
                if ((DENSE == 1 && row != rows - 1) || $unsigned($random(seed)) % 4 == 0)
                    count = IN_ELEMS;
                if (LAST > 0)
                    count = row == rows - 1 ? LAST : IN_ELEMS;
                number = count;
                for (t = 0; t < active; t = t + 1) begin
                    for (e = 0; e < IN_ELEMS; e = e + 1) begin       // elements past the count: any value
                        word[e*ELEM_W +: ELEM_W] = $random(seed);
                        if (e < count)
                            value[t*MOST + held + e] = word[e*ELEM_W +: ELEM_W];
                    end
                    u_src.push({number, word}, user(t, active), t == active - 1 && row == rows - 1);
                end
                // For each token, a row-step takes one cycle, or one cycle per chunk that it fills if that is more.
                out = (held + count) / OUT_ELEMS - held / OUT_ELEMS;
                held = held + count;
                if (row == rows - 1 && held % OUT_ELEMS != 0)
                    out = out + 1;
                steps = steps + (out > 1 ? out : 1) * active;
            end
            chunks = (held + OUT_ELEMS - 1) / OUT_ELEMS;
            for (c = 0; c < chunks; c = c + 1)
                for (t = 0; t < active; t = t + 1) begin
                    for (e = 0; e < OUT_ELEMS; e = e + 1)
                        chunk[e*ELEM_W +: ELEM_W] = c * OUT_ELEMS + e < held ? value[t*MOST + c*OUT_ELEMS + e] : 0;
                    u_snk.expect_word(chunk, user(t, active), t == active - 1 && c == chunks - 1);
                end
            // Adds the most cycles that the firing may take. With DENSE 1 the slower side of the whole firing decides;
            // with DENSE 0, the slower side of each row-step. The end of a firing may take one more cycle per token.
            bound = bound + active
                + (DENSE == 0 ? steps : rows > chunks ? rows * active : chunks * active);
        end
    endtask
    // Returns tuser of a token: {tok_last, tok}.
    function [USER_W-1:0] user(input integer tok, input integer active);
        user = (tok == active - 1 ? 1 << (USER_W - 1) : 0) | tok;
    endfunction

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        bound = 0;
        wait (!rst);
        firing(1, LAST > 0 ? 5 : 1);         // a firing alone, for the latency
        // With LAST > 0 the first word may fill less than a chunk. Then the latency is not checked.
        while (!(s_valid && s_ready)) @(negedge clk);
        start = u_snk.cycle;
        while (!m_valid) @(negedge clk);
        if ((LAST == 0 || OUT_ELEMS <= IN_ELEMS) && u_snk.cycle - start != LATENCY) begin
            $display("FAIL: latency %0d instead of %0d", u_snk.cycle - start, LATENCY);
            $finish;
        end
        wait (snk_done);
        u_snk.restart;
        bound = LATENCY;
        for (n = 0; n < FIRINGS; n = n + 1)
            firing(1 + $unsigned($random(seed)) % TOKENS, LAST > 0 ? 5 : 1 + $unsigned($random(seed)) % ROWS);
        wait (src_done && snk_done);
        repeat (20) @(posedge clk);
        if (idle + stall == 0 && u_snk.last_time - u_snk.first_time > bound)
            $display("FAIL: %0d cycles, at most %0d were promised", u_snk.last_time - u_snk.first_time, bound);
        else
            $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
