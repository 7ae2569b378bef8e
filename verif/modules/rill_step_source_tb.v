// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_step_source. Compares every step word of 6 requests (20 with PREFIX) with its definition, which the
// bench computes with divisions. Random values of `go` delay steps. With DRAFTS, the bench takes a random number of the
// tokens of each decode step, and the next step must begin after them. No step with drafts may cross a multiple of 64
// positions or the end of the request. With PREFIX, requests begin at 0, at the last position of the prompt, at a
// multiple of 64 or at a random position, in turn. Prefill steps end at multiples of TOKENS or at the end of the
// prompt.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: CHANNELS=1 TOKENS=1 ALL_HEAD=0
// sweep: CHANNELS=3 TOKENS=4 ALL_HEAD=0 DRAFTS=3 PREFIX=1
// sweep: CHANNELS=1 TOKENS=1 ALL_HEAD=0 PREFIX=1
// sweep: CHANNELS=32 TOKENS=8 ALL_HEAD=0 PREFIX=1
// sweep: CHANNELS=5 TOKENS=4 ALL_HEAD=0 PROMPT_ONLY=1 PREFIX=1
// sweep: CHANNELS=3 TOKENS=4 ALL_HEAD=0
// sweep: CHANNELS=32 TOKENS=8 ALL_HEAD=1
// sweep: CHANNELS=3 TOKENS=4 ALL_HEAD=0 DRAFTS=3
// sweep: CHANNELS=5 TOKENS=8 ALL_HEAD=0 DRAFTS=7
// sweep: CHANNELS=3 TOKENS=4 ALL_HEAD=0 PROMPT_ONLY=1
// quick: CHANNELS=3 TOKENS=4 ALL_HEAD=0 DRAFTS=3 @ 50:50
// quick: CHANNELS=3 TOKENS=4 ALL_HEAD=0 PROMPT_ONLY=1 @ 0:0
// quick: CHANNELS=3 TOKENS=4 ALL_HEAD=0 DRAFTS=3 PREFIX=1 @ 50:50
// quick: CHANNELS=3 TOKENS=8 ALL_HEAD=0 PROMPT_ONLY=1 PREFIX=1 @ 0:0
// quick: CHANNELS=3 TOKENS=4 ALL_HEAD=0
`default_nettype none
`timescale 1ns / 1ps

module rill_step_source_tb;
    // Parameters without a comment are those of the module.
    parameter CHANNELS = 3;
    parameter TOKENS = 4;
    parameter ALL_HEAD = 0;
    parameter DRAFTS = 0;
    parameter PROMPT_ONLY = 0;
    parameter PREFIX = 0;
    localparam REQUESTS = PREFIX != 0 ? 20 : 6;

    reg         clk = 0, rst = 1, start = 0, go = 0, ready = 0, judged = 0;
    reg  [3:0]  more = 0, taken = 4'hx;
    // most: number of drafts that fit. late: cycles until the tokens that are taken are known. many: steps with drafts.
    integer     most, late, many = 0;
    reg  [15:0] prompt_len, first = 16'hx;
    reg  [31:0] decode_steps;
    wire        busy, valid;
    wire [63:0] data;
    integer     seed, idle, stall, request, pos, ntok, cycles = 0, i;
    reg  [63:0] want;
    reg         failed = 0;

    rill_step_source #(.CHANNELS(CHANNELS), .TOKENS(TOKENS), .ALL_HEAD(ALL_HEAD), .DRAFTS(DRAFTS),
        .PROMPT_ONLY(PROMPT_ONLY), .PREFIX(PREFIX)) dut (
        .more(more), .judged(judged), .taken(taken),
        .clk(clk), .rst(rst), .start(start), .prompt_len(prompt_len), .first(first),
        .decode_steps(decode_steps), .go(go), .busy(busy),
        .m_axis_step_tvalid(valid), .m_axis_step_tready(ready), .m_axis_step_tdata(data));
    always #1 clk = !clk;

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        i = $urandom(seed);
        repeat (3) @(posedge clk);
        rst <= 0;
        for (request = 0; request < REQUESTS && !failed; request = request + 1) begin
            prompt_len = request < 3 ? request + 1 : $urandom_range(200, 1);
            if (PREFIX != 0)
                first = request % 4 == 0 ? 0 : request % 4 == 1 ? prompt_len - 1
                    : request % 4 == 2 ? (prompt_len - 1) / 64 * 64 : $urandom_range(prompt_len - 1);
            decode_steps <= request == 0 ? 0 : $urandom_range(60);
            start <= 1;
            @(posedge clk);
            start <= 0;
            #0.1 pos = PREFIX != 0 ? first : 0;
            while (pos < prompt_len + (PROMPT_ONLY != 0 ? 0 : decode_steps) && !failed) begin
                go <= $urandom_range(99) >= idle;
                ready <= $urandom_range(99) >= stall;
                @(posedge clk);
                cycles = cycles + 1;
                if (valid && ready) begin
                    most = 63 - pos % 64;
                    most = most < more ? most : more;
                    most = most < prompt_len + decode_steps - pos - 1 ? most : prompt_len + decode_steps - pos - 1;
                    ntok = pos >= prompt_len ? (DRAFTS != 0 ? 1 + most : 1)
                        : prompt_len - pos < TOKENS - pos % TOKENS ? prompt_len - pos : TOKENS - pos % TOKENS;
                    // Fields of the step word (rill_fields.vh): pos, ntok, head, final, krows, vblocks.
                    want = 0;
                    want[15:0] = pos;
                    want[19:16] = ntok;
                    want[20] = ALL_HEAD != 0 || pos + ntok >= prompt_len;
                    want[21] = pos + ntok == prompt_len + decode_steps && (ntok == 1 || pos < prompt_len);
                    want[47:32] = (pos + CHANNELS - 1) / CHANNELS;
                    want[63:48] = pos / 64;
                    if (data !== want || cycles > 100000) begin
                        $display("FAIL: request %0d position %0d: %h, expected %h", request, pos, data, want);
                        failed = 1;
                    end
                    if (DRAFTS != 0 && pos >= prompt_len) begin
                        many = many + (ntok > 1);
                        ready <= 0;
                        late = $urandom_range(6);
                        repeat (late) @(posedge clk);
                        ntok = $urandom_range(ntok, 1);
                        judged <= 1;
                        taken <= ntok;
                        @(posedge clk);
                        judged <= 0;
                        taken <= 4'hx;
                    end
                    pos = pos + ntok;
                    more <= $urandom_range(DRAFTS);
                end
                #0.1;
            end
            ready <= 0;
            repeat (12) @(posedge clk);
            if (busy || valid) begin
                $display("FAIL: busy after request %0d", request);
                failed = 1;
            end
        end
        if (DRAFTS != 0 && many == 0) begin
            $display("FAIL: no step had drafts");
            failed = 1;
        end
        if (!failed)
            $display("PASS");
        $finish;
    end
endmodule
