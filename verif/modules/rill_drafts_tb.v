// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_drafts. The ids of a request repeat themselves after 9 ids, in the even requests with exceptions.
// Some of the exceptions follow the first id that a step makes, so that they make no guess wrong. A model finds the
// drafts by comparing every place, and follows the confidence. `more` must be DRAFTS if there are drafts and the
// confidence is 2 or 3, and otherwise 0. While `off` is high, it must be 0. The bench rill_draft_lookup_tb checks the
// lookups with other texts. With LIST, the host predicts ids of some requests: the text that repeats itself, or other
// ids.
// Checks in messages: 1 `more`, 2 the answer comes late although no lookup is needed, 3 an id of a draft, 4 in the
// whole run, no step got drafts, or no step got none although there were some, or the confidence never fell below 2
// again; with LIST, no step got drafts of the list.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: DRAFTS=3 CONFIDENCE=1
// sweep: DRAFTS=1 CONFIDENCE=3
// sweep: DRAFTS=7 CONFIDENCE=0
// sweep: DRAFTS=3 CONFIDENCE=1 LIST=1
// sweep: DRAFTS=7 CONFIDENCE=2 LIST=1
// quick: DRAFTS=3 CONFIDENCE=1 @ 50:50
// quick: DRAFTS=3 CONFIDENCE=1 LIST=1 @ 50:50
`default_nettype none
`timescale 1ns / 1ps

module rill_drafts_tb;
    // Parameters without a comment are those of the module.
    parameter DRAFTS = 3;
    parameter CONFIDENCE = 1;
    parameter LIST = 0;
    localparam CONTEXT = 600;
    localparam VOCAB = 256;
    localparam ID_W = 8;

    reg                    clk = 0, rst = 1, clear = 1, put = 0, judged = 0, off = 0;
    reg  [ID_W-1:0]        id;
    wire                   ready;
    wire [3:0]             more;
    wire [DRAFTS*ID_W-1:0] drafts;
    // ids, n: the ids of the request and their number. guess: the first draft of the latest lookup, if guessed. given:
    // steps that got drafts. unused: steps that did not, although there were some. falls: how often the confidence fell
    // below 2.
    reg  [ID_W-1:0]        ids [0:CONTEXT], guess;
    reg                    guessed;
    integer                seed, idle, stall, request, n, step, confidence, at, best, want, i, m, waited, unused = 0,
        given = 0, falls = 0;
    reg                    failed = 0;
    // The host's list: its first place, the place after it, its ids by place. listed: the latest drafts are from it.
    // from_list: steps that got such drafts.
    reg  [ID_W-1:0]        list [0:CONTEXT];
    integer                first = 0, after = 0, from_list = 0;
    reg                    any = 0, listed, list_drop = 1, list_set = 0, list_put = 0;
    reg  [31:0]            list_word;

    rill_drafts #(.CONTEXT(CONTEXT), .ID_W(ID_W), .DRAFTS(DRAFTS), .CONFIDENCE(CONFIDENCE), .LIST(LIST),
        .VOCAB(VOCAB)) dut (
        .clk(clk), .rst(rst), .clear(clear), .off(off), .put(put), .id(id), .judged(judged), .list_drop(list_drop),
        .list_set(list_set), .list_put(list_put), .list_word(list_word), .ready(ready), .more(more), .drafts(drafts));
    always #1 clk = !clk;

    // Prints the number of a check that fails.
    task fail(input integer what);
        begin
            if (!failed) $display("FAIL: check %0d, request %0d, step %0d", what, request, step);
            failed = 1;
        end
    endtask

    // Appends the next id to the request.
    task append(input exception);
        begin
            ids[n] = exception ? 9 + $urandom_range(200) : n % 9;
            if (guessed && ids[n] == guess) confidence = confidence < 3 ? confidence + 1 : 3;
            else if (guessed) begin
                falls = falls + (confidence == 2);
                confidence = confidence > 0 ? confidence - 1 : 0;
            end
            guessed = 0;
            put <= 1;
            id <= ids[n];
            @(posedge clk);
            put <= 0;
            id <= {ID_W{1'bx}};
            n = n + 1;
        end
    endtask

    // Writes a list from a place near the end of the ids: as the text goes on, with some exceptions, or other ids.
    task predict(input other);
        begin
            any = 1;
            i = $urandom_range(2);
            first = n + i > 1 ? n + i - 1 : 0;
            after = first;
            list_set <= 1;
            list_word <= first;
            @(posedge clk);
            list_set <= 0;
            for (i = $urandom_range(30); i > 0 && after < CONTEXT; i = i - 1) begin
                list[after] = other || $urandom_range(15) == 0 ? 9 + $urandom_range(200) : after % 9;
                list_put <= 1;
                list_word <= {24'd0, list[after]};
                @(posedge clk);
                list_put <= 0;
                after = after + 1;
                while ($urandom_range(99) < idle) @(posedge clk);
            end
        end
    endtask

    // Finds the drafts: those of the list, or else the ids after place `at`, if `best` is at least 2.
    task look;
        begin
            listed = !off && any && first <= n && n + DRAFTS <= after && (first == n || list[n-1] == ids[n-1]);
            best = 0;
            for (i = 0; i + DRAFTS <= n - 1; i = i + 1) begin
                for (m = 0; m < 3 && i - m >= 0 && ids[i-m] == ids[n-1-m]; m = m + 1) begin end
                if (m >= best) begin
                    best = m;
                    at = i;
                end
            end
            guessed = !off && (listed || best >= 2);
            guess = listed ? list[n] : ids[at+1];
        end
    endtask

    // Reports the end of a step, and compares the answer.
    task judge;
        begin
            look;
            judged <= 1;
            @(posedge clk);
            judged <= 0;
            #0.1;
            waited = 0;
            while ((!ready || waited == 0) && waited < 500) begin
                @(posedge clk);
                #0.1;
                waited = waited + 1;
            end
            want = guessed && confidence >= 2 ? DRAFTS : 0;
            if (more !== want) fail(1);
            if (off && waited > 3) fail(2);
            if (want != 0)
                for (i = 0; i < DRAFTS; i = i + 1)
                    if (drafts[i*ID_W +: ID_W] !== (listed ? list[n+i] : ids[at+1+i])) fail(3);
            from_list = from_list + (listed && want != 0);
            unused = unused + (guessed && want == 0);
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
        for (request = 0; request < 12 && !failed; request = request + 1) begin
            clear <= 1;
            list_drop <= request % 3 != 0;                 // else the list of the request before stays
            if (request % 3 != 0) any = 0;
            off <= request == 4;
            @(posedge clk);
            clear <= 0;
            list_drop <= 0;
            n = 0;
            confidence = CONFIDENCE;
            guessed = 0;
            repeat (request * 5 + 2) append(0);
            step = 0;
            judge;
            for (step = 1; step < 60 && !failed; step = step + 1) begin
                append(request % 2 == 0 && step % 25 > 12 && $urandom_range(2) == 0);
                repeat ($urandom_range(more)) append(request % 2 == 0 && $urandom_range(9) == 0);
                if (LIST == 1 && $urandom_range(6) == 0) predict(request % 4 == 3);
                judge;
                while ($urandom_range(99) < idle) @(posedge clk);
            end
        end
        if (unused == 0 || given == 0 || falls == 0 || from_list == 0 && LIST == 1) fail(4);
        if (!failed) $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
