// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_slot_drafts. Requests of several slots get ids, steps and lookups in random order, with texts that
// repeat themselves more or less. Two slots have the same text but for a few ids. A model compares every earlier place
// of the slot's own ids, and follows the confidence of each slot. From time to time a slot gets another request, which
// may begin with ids of the slot's previous one that are skipped. From time to time a lookup is broken off by rst. With
// LIST, the host writes lists near the end of the slot's ids from time to time, and drops some. rill_draft_list_tb
// checks the lists in more detail.
// Checks in messages: 1 the latency, 2 `more`, 3 an id of a draft, 4 the answer does not stay, 5 in the whole run, no
// lookup gave drafts, or none was without a match, or none gave no drafts although it had found some; with LIST, no
// drafts came from a list.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: SLOTS=4 DRAFTS=3
// sweep: SLOTS=16 DRAFTS=7 CONFIDENCE=3 WAYS=4 MOST=4
// sweep: SLOTS=3 DRAFTS=1 CONFIDENCE=0 WAYS=16 MOST=2 LEAST=1
// sweep: SLOTS=2 DRAFTS=3 CONTEXT=5
// sweep: SLOTS=4 DRAFTS=3 LIST=1
// sweep: SLOTS=2 DRAFTS=7 LIST=1 CONFIDENCE=2
// quick: SLOTS=4 DRAFTS=3 @ 50:50
// quick: SLOTS=3 DRAFTS=3 LIST=1 @ 50:50
// quick: SLOTS=3 DRAFTS=1 LIST=1 @ 50:50
`default_nettype none
`timescale 1ns / 1ps

module rill_slot_drafts_tb;
    // The parameters are those of the module.
    parameter SLOTS = 4;
    parameter DRAFTS = 3;
    parameter CONFIDENCE = 1;
    parameter LEAST = 2;
    parameter MOST = 3;
    parameter WAYS = 8;
    parameter CONTEXT = 150;
    parameter LIST = 0;
    localparam VOCAB = 1 << 10;
    localparam ID_W = 10;
    localparam STEPS = 3000;

    reg                    clk = 0, rst = 1, enter = 0, fresh = 0, skip = 0, put = 0, find = 0;
    reg  [3:0]             slot = 0;
    reg  [ID_W-1:0]        id = 0;
    wire                   ready;
    wire [3:0]             more;
    wire [DRAFTS*ID_W-1:0] drafts;
    integer                seed, idle, stall, step, s, i, j, m, waited, want, at, best, from, skipped, given = 0,
        missing = 0, unused = 0, from_lists = 0;
    // The list of each slot, if it has one: its first place, the place after it, its ids by place.
    reg                    any [0:15], listed;
    integer                first [0:15], after [0:15], list [0:16*(CONTEXT+1)-1];
    reg  [15:0]            list_drop = 16'hFFFF;
    reg                    list_set = 0, list_put = 0;
    reg  [3:0]             list_slot = 0;
    reg  [31:0]            list_word = 0;
    // For each slot: its ids, their number, the confidence, and the first draft of the latest lookup if the lookup
    // found drafts and no id has come since (guessed).
    reg  [ID_W-1:0]        ids [0:16*(CONTEXT+1)-1];
    integer                n [0:15], confidence [0:15], guess [0:15], letters [0:15];
    reg                    guessed [0:15];
    reg                    failed = 0;

    rill_slot_drafts #(.SLOTS(SLOTS), .CONTEXT(CONTEXT), .ID_W(ID_W), .DRAFTS(DRAFTS), .LEAST(LEAST), .MOST(MOST),
        .WAYS(WAYS), .CONFIDENCE(CONFIDENCE), .LIST(LIST), .VOCAB(VOCAB)) dut (
        .clk(clk), .rst(rst), .enter(enter), .slot(slot), .fresh(fresh), .skip(skip), .put(put), .id(id),
        .list_drop(list_drop), .list_set(list_set), .list_put(list_put), .list_slot(list_slot), .list_word(list_word),
        .find(find), .ready(ready), .more(more), .drafts(drafts));
    always #1 clk = !clk;

    task fail(input integer what);
        begin
            if (!failed) $display("FAIL: check %0d, slot %0d, %0d ids, step %0d", what, s, n[s], step);
            failed = 1;
        end
    endtask

    task select(input is_fresh);
        begin
            enter <= 1;
            slot <= s;
            fresh <= is_fresh;
            @(posedge clk);
            enter <= 0;
            slot <= 4'hx;
            fresh <= 1'bx;
            repeat (2) @(posedge clk);
        end
    endtask

    task append(input [ID_W-1:0] value);
        begin
            ids[s*(CONTEXT+1)+n[s]] = value;
            if (guessed[s] && value == guess[s]) confidence[s] = confidence[s] < 3 ? confidence[s] + 1 : 3;
            else if (guessed[s]) confidence[s] = confidence[s] > 0 ? confidence[s] - 1 : 0;
            guessed[s] = 0;
            n[s] = n[s] + 1;
            put <= 1;
            id <= value;
            @(posedge clk);
            put <= 0;
            id <= {ID_W{1'bx}};
            while ($urandom_range(99) < idle) @(posedge clk);
        end
    endtask

    // Appends a few ids: random ones, a piece of the slot's text, or a piece of the text of another slot. A guess comes
    // first, often.
    task extend;
        begin
            if (guessed[s] && n[s] < CONTEXT + 1 && $urandom_range(1) == 0) append(guess[s]);
            m = $urandom_range(3);
            i = m == 0 ? $urandom_range(SLOTS - 1) : s;
            from = n[i] > 0 ? $urandom_range(n[i] - 1) : 0;
            for (j = 1 + $urandom_range(7); j > 0 && n[s] < CONTEXT + 1; j = j - 1) begin
                append(m < 3 && from < n[i] ? ids[i*(CONTEXT+1)+from] : $urandom_range(letters[s] - 1));
                from = from + 1;
            end
        end
    endtask

    // Writes a list for slot i, or drops it. Its ids are random, or go on as the slot's text did before.
    task predict;
        begin
            if ($urandom_range(5) == 0) begin
                any[i] = 0;
                list_drop <= 16'd1 << i;
                @(posedge clk);
                list_drop <= 0;
            end else begin
                any[i] = 1;
                m = $urandom_range(6);
                first[i] = n[i] + m > 4 ? n[i] + m - 4 : 0;
                if (first[i] > CONTEXT) first[i] = CONTEXT;
                after[i] = first[i];
                list_set <= 1;
                list_slot <= i;
                list_word <= first[i];
                @(posedge clk);
                list_set <= 0;
                for (j = $urandom_range(3 * DRAFTS); j > 0 && after[i] < CONTEXT; j = j - 1) begin
                    m = after[i] < n[i] ? after[i] : $urandom_range(after[i]);
                    list[i*(CONTEXT+1)+after[i]] = m < n[i] && $urandom_range(9) != 0 ? ids[i*(CONTEXT+1)+m] :
                        $urandom_range(letters[i] - 1);
                    list_put <= 1;
                    list_word <= list[i*(CONTEXT+1)+after[i]];
                    @(posedge clk);
                    list_put <= 0;
                    after[i] = after[i] + 1;
                    while ($urandom_range(99) < idle) @(posedge clk);
                end
            end
            repeat (3) @(posedge clk);
        end
    endtask

    // Finds the drafts of the slot's request, if guessed: those of its list, or else the ids after place `at`.
    task look;
        begin
            listed = any[s] && first[s] <= n[s] && n[s] + DRAFTS <= after[s] && (first[s] == n[s]
                || list[s*(CONTEXT+1)+n[s]-1] == ids[s*(CONTEXT+1)+n[s]-1]);
            best = 0;
            at = 0;
            for (j = 0; j + DRAFTS <= n[s] - 1; j = j + 1) begin
                for (m = 0; m < MOST && j - m >= 0 && ids[s*(CONTEXT+1)+j-m] == ids[s*(CONTEXT+1)+n[s]-1-m];
                    m = m + 1) begin end
                if (m >= best) begin
                    best = m;
                    at = j;
                end
            end
            guessed[s] = listed || best >= LEAST;
            guess[s] = listed ? list[s*(CONTEXT+1)+n[s]] : ids[s*(CONTEXT+1)+at+1];
        end
    endtask

    task lookup;
        begin
            look;
            want = guessed[s] && confidence[s] >= 2 ? DRAFTS : 0;
            find <= 1;
            @(posedge clk);
            find <= 0;
            #0.1;
            waited = 1;
            while ((!ready || waited == 1) && waited < 1000) begin
                @(posedge clk);
                #0.1;
                waited = waited + 1;
            end
            if (waited > (listed ? DRAFTS + 5 : (n[s] + WAYS - 1) / WAYS + DRAFTS + 10 + LIST * (DRAFTS + 4))) fail(1);
            while ($urandom_range(99) < stall) @(posedge clk);
            if (!ready) fail(4);
            if (more !== want) fail(2);
            for (i = 0; i < want; i = i + 1)
                if (drafts[i*ID_W +: ID_W] !== (listed ? list[s*(CONTEXT+1)+n[s]+i] : ids[s*(CONTEXT+1)+at+1+i]))
                    fail(3);
            from_lists = from_lists + (listed && want != 0);
            given = given + (want != 0);
            missing = missing + !guessed[s];
            unused = unused + (guessed[s] && want == 0);
            @(posedge clk);
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        i = $urandom(seed);
        repeat (3) @(posedge clk);
        rst <= 0;
        list_drop <= 0;
        for (s = 0; s < 16; s = s + 1) begin
            n[s] = 0;
            any[s] = 0;
        end
        for (step = 0; step < STEPS && !failed; step = step + 1) begin
            s = step < SLOTS ? step : $urandom_range(SLOTS - 1);
            if (step < SLOTS || n[s] > CONTEXT || $urandom_range(60) == 0) begin
                skipped = step < SLOTS || $urandom_range(2) == 0 ? 0 : $urandom_range(n[s]);
                n[s] = 0;
                confidence[s] = CONFIDENCE;
                guessed[s] = 0;
                letters[s] = $urandom_range(2) == 0 ? 1000 : 2 + $urandom_range(4);
                select(1);
                repeat (skipped) begin
                    skip <= 1;
                    n[s] = n[s] + 1;
                    @(posedge clk);
                end
                skip <= 0;
                if (skipped > 0) repeat (3) @(posedge clk);
                extend;
                repeat (2) @(posedge clk);
                select(0);
            end else begin
                select(0);
                extend;
            end
            repeat (3) @(posedge clk);
            if (LIST == 1 && step >= SLOTS && $urandom_range(2) == 0) begin
                i = $urandom_range(2) == 0 ? $urandom_range(SLOTS - 1) : s;
                predict;
            end
            if ($urandom_range(40) == 0) begin             // a lookup that is broken off
                find <= 1;
                @(posedge clk);
                find <= 0;
                repeat ($urandom_range(20)) @(posedge clk);
                rst <= 1;
                #0.1;
                if (ready) look;                           // the lookup was over before
                @(posedge clk);
                rst <= 0;
            end else lookup;
        end
        if (!failed && (given == 0 && CONTEXT > 20 || missing == 0 || unused == 0 && CONTEXT > 20
            || from_lists == 0 && LIST == 1)) fail(5);
        if (!failed) $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
