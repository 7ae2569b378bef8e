// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_draft_lookup. A request consists of random ids from a small or large alphabet, with copies of
// earlier pieces. After every few ids the bench starts a lookup. The result must be that of a search in the bench: the
// longest match, and of equally long matches the latest. Also checks the cycles of a lookup, that `clear` forgets the
// previous request, and that some lookups found drafts and some did not.
// Checks in messages: 1 time of a lookup, 2 found, 3 drafts, 4 the result changes, 5 no lookup found drafts, 6 all
// lookups found drafts.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: CONTEXT=40 DRAFTS=1 WAYS=4
// sweep: CONTEXT=200 DRAFTS=3 WAYS=8
// sweep: CONTEXT=200 DRAFTS=7 WAYS=16 MOST=4 LEAST=1
// sweep: CONTEXT=5 DRAFTS=3 WAYS=8
// quick: CONTEXT=200 DRAFTS=3 WAYS=8 @ 50:50
// quick: CONTEXT=40 DRAFTS=1 WAYS=4 @ 50:50
// quick: CONTEXT=200 DRAFTS=7 WAYS=16 MOST=4 LEAST=1 @ 0:0
`default_nettype none
`timescale 1ns / 1ps

module rill_draft_lookup_tb;
    // Parameters without a comment are those of the module.
    parameter CONTEXT = 200;
    parameter DRAFTS = 3;
    parameter WAYS = 8;
    parameter LEAST = 2;
    parameter MOST = 3;
    localparam ID_W = 10;

    reg                    clk = 0, rst = 1, clear = 0, put = 0, find = 0;
    reg  [ID_W-1:0]        id;
    wire                   ready, found;
    wire [DRAFTS*ID_W-1:0] drafts;
    reg  [ID_W-1:0]        ids [0:CONTEXT];
    integer                seed, idle, stall, n, request, letters, i, j, m, best, at, from, waited;
    integer                hits = 0, misses = 0;
    reg                    failed = 0;

    rill_draft_lookup #(.CONTEXT(CONTEXT), .ID_W(ID_W), .DRAFTS(DRAFTS), .LEAST(LEAST), .MOST(MOST), .WAYS(WAYS)) dut (
        .clk(clk), .rst(rst), .clear(clear), .put(put), .id(id), .find(find), .ready(ready), .found(found),
        .drafts(drafts));
    always #1 clk = !clk;

    // Prints the number of a check that fails.
    task fail(input integer what);
        begin
            if (!failed) $display("FAIL: check %0d, request %0d, %0d ids", what, request, n);
            failed = 1;
        end
    endtask

    // Appends an id to the request.
    task append(input [ID_W-1:0] value);
        begin
            ids[n] = value;
            put <= 1;
            id <= value;
            @(posedge clk);
            put <= 0;
            id <= {ID_W{1'bx}};
            n = n + 1;
            while ($urandom_range(99) < idle) @(posedge clk);
        end
    endtask

    // Sets best and at: the length of the longest match, at most MOST, and the place of its last id. Only places that
    // are followed by DRAFTS ids count; of equally long matches the latest wins.
    task search;
        begin
            best = 0;
            at = 0;
            for (j = 0; j + DRAFTS <= n - 1; j = j + 1) begin
                for (m = 0; m < MOST && j - m >= 0 && ids[j-m] == ids[n-1-m]; m = m + 1) begin end
                if (m >= best) begin
                    best = m;
                    at = j;
                end
            end
        end
    endtask

    // Starts a lookup, and compares its time and its result with those of the bench's search.
    task lookup;
        begin
            search;
            find <= 1;
            @(posedge clk);
            find <= 0;
            @(posedge clk);
            #0.1;
            waited = 1;
            while (!ready && waited < 1000) begin
                @(posedge clk);
                #0.1;
                waited = waited + 1;
            end
            if (waited > (n + WAYS - 1) / WAYS + DRAFTS + 10) fail(1);
            if (found !== (best >= LEAST)) fail(2);
            for (i = 0; i < DRAFTS && best >= LEAST; i = i + 1)
                if (drafts[i*ID_W +: ID_W] !== ids[at+1+i]) fail(3);
            hits = hits + (best >= LEAST);
            misses = misses + (best < LEAST);
            while ($urandom_range(99) < stall) @(posedge clk);
            if (!ready || found !== (best >= LEAST)) fail(4);
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        i = $urandom(seed);
        request = 0;
        n = 0;
        repeat (3) @(posedge clk);
        rst <= 0;
        for (request = 0; request < 12 && !failed; request = request + 1) begin
            clear <= 1;
            @(posedge clk);
            clear <= 0;
            n = 0;
            letters = request % 3 == 0 ? 2 : request % 3 == 1 ? 6 : 1000; // size of the alphabet
            while (n < CONTEXT && !failed) begin
                from = n > 8 ? $urandom_range(n - 1) : n;
                if ($urandom_range(3) == 0 && from < n)          // a piece again
                    for (i = 0; i < 6 && n < CONTEXT; i = i + 1) append(ids[from + i]);
                else
                    append($urandom_range(letters - 1));
                if ($urandom_range(2) == 0) lookup;
            end
            lookup;
        end
        if (hits == 0 && CONTEXT > 5) fail(5);
        if (misses == 0) fail(6);
        if (!failed) $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
