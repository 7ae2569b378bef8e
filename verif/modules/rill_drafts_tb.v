// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_drafts. The ids of a request repeat themselves after 9 ids, and a random number of the drafts of
// each step is right. A model follows the pauses. `more` must be DRAFTS if the ids have begun to repeat and there is no
// pause, and otherwise 0. While `off` is high, it must be 0. The bench rill_draft_lookup_tb checks the lookups.
// Checks in messages: 1 `more`, 2 the answer comes late although no lookup is needed, 3 an id of a draft, 4 no pause or
// no draft in the whole run.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: DRAFTS=3 PAUSE=5
// sweep: DRAFTS=1 PAUSE=32
// quick: DRAFTS=3 PAUSE=5 @ 50:50
`default_nettype none
`timescale 1ns / 1ps

module rill_drafts_tb;
    // Parameters without a comment are those of the module.
    parameter DRAFTS = 3;
    parameter PAUSE = 5;
    localparam CONTEXT = 600;
    localparam ID_W = 8;

    reg                    clk = 0, rst = 1, clear = 1, put = 0, judged = 0, off = 0;
    reg  [ID_W-1:0]        id;
    reg  [3:0]             drafted = 0, accepted = 0;
    wire                   ready;
    wire [3:0]             more;
    wire [DRAFTS*ID_W-1:0] drafts;
    // n: ids of the request. missed: the latest step with drafts had no right draft. pause: steps of the pause that are
    // left. paused, given: how often a step was in a pause or got drafts.
    integer                seed, idle, stall, request, n, step, missed, pause, want, i, waited, paused = 0, given = 0;
    reg                    failed = 0;

    rill_drafts #(.CONTEXT(CONTEXT), .ID_W(ID_W), .DRAFTS(DRAFTS), .PAUSE(PAUSE)) dut (
        .clk(clk), .rst(rst), .clear(clear), .off(off), .put(put), .id(id), .judged(judged), .drafted(drafted),
        .accepted(accepted), .ready(ready), .more(more), .drafts(drafts));
    always #1 clk = !clk;

    // Prints the number of a check that fails.
    task fail(input integer what);
        begin
            if (!failed) $display("FAIL: check %0d, request %0d, step %0d", what, request, step);
            failed = 1;
        end
    endtask

    // Appends the next id to the request.
    task append;
        begin
            put <= 1;
            id <= n % 9;
            @(posedge clk);
            put <= 0;
            n = n + 1;
        end
    endtask

    // Reports a step with this number of drafts, of which the first `right` ones were right, and compares the answer.
    task judge(input integer drafts_of_step, input integer right);
        begin
            if (drafts_of_step != 0) begin
                if (right == 0 && missed) pause = PAUSE;
                missed = right == 0;
            end else if (pause > 0)
                pause = pause - 1;
            judged <= 1;
            drafted <= drafts_of_step;
            accepted <= right;
            @(posedge clk);
            judged <= 0;
            drafted <= 4'hx;
            accepted <= 4'hx;
            #0.1;
            waited = 0;
            while ((!ready || waited == 0) && waited < 500) begin
                @(posedge clk);
                #0.1;
                waited = waited + 1;
            end
            want = !off && pause == 0 && n > 9 + DRAFTS + 3 ? DRAFTS : 0;
            // With 8 to 9 + DRAFTS + 3 ids a match may already be found, so both answers are right.
            if (more !== want && (n < 8 || n > 9 + DRAFTS + 3)) fail(1);
            if ((off || pause != 0) && waited > 3) fail(2); // no lookup, so the answer comes at once
            if (want != 0)
                for (i = 0; i < DRAFTS; i = i + 1)
                    if (drafts[i*ID_W +: ID_W] !== (n + i) % 9) fail(3);
            paused = paused + (pause != 0);
            given = given + (want != 0);
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        i = $urandom(seed);
        repeat (3) @(posedge clk);
        rst <= 0;
        for (request = 0; request < 6 && !failed; request = request + 1) begin
            clear <= 1;
            off <= request == 4;
            @(posedge clk);
            clear <= 0;
            n = 0;
            missed = 0;
            pause = 0;
            repeat (request * 5 + 2) append;
            step = 0;
            judge(0, 0);
            for (step = 1; step < 60 && !failed; step = step + 1) begin
                append;
                judge(more, more == 0 ? 0 : request % 2 == 0 ? $urandom_range(more) : $urandom_range(3) == 0);
                while ($urandom_range(99) < idle) @(posedge clk);
            end
        end
        if (paused == 0 || given == 0) fail(4);
        if (!failed) $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
