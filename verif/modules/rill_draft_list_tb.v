// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_draft_list. A host writes lists of all slots in random order, with ids beyond the vocabulary and
// places beyond the context. Lookups ask for drafts at places near the lists. A model keeps the ids of each list. Some
// lookups run while the host writes, and some lists are dropped. Writes for slots that do not exist must change
// nothing.
// Checks in messages: 1 the latency, 2 `found`, 3 an id of a draft, 4 a draft that was read during writes is not below
// VOCAB, 5 in the whole run, there was no lookup of one of these kinds: found at the beginning of a list, found within
// a list, refused because the last id differs, refused because the list is too short.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: SLOTS=1 DRAFTS=3
// sweep: SLOTS=4 DRAFTS=7 CONTEXT=37
// sweep: SLOTS=16 DRAFTS=1 CONTEXT=9
// sweep: SLOTS=3 DRAFTS=2 VOCAB=0
// quick: SLOTS=3 DRAFTS=3 @ 50:50
// quick: SLOTS=1 DRAFTS=1 @ 0:0
`default_nettype none
`timescale 1ns / 1ps

module rill_draft_list_tb;
    // Parameters without a comment are those of the module.
    parameter SLOTS = 3;
    parameter CONTEXT = 50;
    parameter VOCAB = 11;
    parameter DRAFTS = 3;
    localparam ID_W = VOCAB > 1 ? $clog2(VOCAB) : 32;
    localparam STEPS = 6000;

    reg                    clk = 0, rst = 1, restart = 0, put = 0, look = 0;
    reg  [15:0]            drop = 16'hFFFF;
    reg  [3:0]             write_slot = 0, slot = 0;
    reg  [31:0]            word = 0;
    reg  [16:0]            count = 1;
    reg  [ID_W-1:0]        last = 0;
    wire                   over, found;
    wire [DRAFTS*ID_W-1:0] drafts;
    // For each slot: whether it has a list, its first place, the place after it, and its ids by place.
    reg                    any [0:15];
    integer                first [0:15], after [0:15], ids [0:16*CONTEXT-1];
    integer                seed, idle, stall, step, s, i, waited, want, latency, kinds [0:3];
    reg                    failed = 0, has, begins, writes;

    rill_draft_list #(.SLOTS(SLOTS), .CONTEXT(CONTEXT), .VOCAB(VOCAB), .ID_W(ID_W), .DRAFTS(DRAFTS)) dut (
        .clk(clk), .rst(rst), .drop(drop), .restart(restart), .put(put), .write_slot(write_slot),
        .word(word), .look(look),
        .slot(slot), .count(count), .last(last), .over(over), .found(found), .drafts(drafts));
    always #1 clk = !clk;

    task fail(input integer what);
        begin
            if (!failed) $display("FAIL: check %0d, slot %0d, %0d ids, step %0d", what, s, count, step);
            failed = 1;
        end
    endtask

    // Lets the list of a slot begin at a place.
    task begin_list(input integer of, input [31:0] at);
        begin
            if (of < SLOTS) begin
                any[of] = 1;
                first[of] = at < CONTEXT ? at : CONTEXT;
                after[of] = first[of];
            end
            restart <= 1;
            write_slot <= of;
            word <= at;
            @(posedge clk);
            restart <= 0;
            while ($urandom_range(99) < idle) @(posedge clk);
        end
    endtask

    // Appends an id to the list of a slot.
    task append(input integer of, input [31:0] id);
        begin
            if (of < SLOTS && any[of] && after[of] < CONTEXT) begin
                ids[of*CONTEXT+after[of]] = VOCAB != 0 && id >= VOCAB ? 0 : id;
                after[of] = after[of] + 1;
            end
            put <= 1;
            write_slot <= of;
            word <= id;
            @(posedge clk);
            put <= 0;
            word <= 32'hx;
            while ($urandom_range(99) < idle) @(posedge clk);
        end
    endtask

    // Writes a list of a few ids, mostly small ones, so that the last id of a request often agrees by chance.
    task write_list;
        begin
            s = $urandom_range(SLOTS == 16 ? 15 : SLOTS);
            if (s == SLOTS || $urandom_range(3) != 0)
                begin_list(s, $urandom_range(30) == 0 ? $urandom : $urandom_range(CONTEXT + 1));
            repeat ($urandom_range(2 * DRAFTS + 3))
                append(s, $urandom_range(20) == 0 ? $urandom : $urandom_range(VOCAB == 0 ? 9 : VOCAB + 1));
        end
    endtask

    // Asks for drafts of slot s at a place near its list. With writes, the host changes the list meanwhile.
    task lookup;
        begin
            i = any[s] ? first[s] + $urandom_range(after[s] - first[s] + 2) - 1 : $urandom_range(CONTEXT);
            count <= i < 1 ? 1 : i;
            slot <= s;
            repeat (2) @(posedge clk);
            #0.1;
            has = any[s] && first[s] <= count && count + DRAFTS <= after[s];
            begins = has && first[s] == count;
            last <= has && !begins && $urandom_range(3) != 0 ? ids[s*CONTEXT+count-1] : $urandom_range(7);
            @(posedge clk);
            #0.1;
            want = begins || (has && ids[s*CONTEXT+count-1] == last);
            kinds[begins ? 0 : want ? 1 : has ? 2 : 3] = kinds[begins ? 0 : want ? 1 : has ? 2 : 3] + 1;
            latency = has ? DRAFTS + 4 : 3;
            writes = $urandom_range(9) == 0;
            look <= 1;
            @(posedge clk);
            look <= 0;
            #0.1;
            waited = 1;
            while (!over && waited < 50) begin
                if (writes && waited == 1) begin_list(s, $urandom_range(CONTEXT));
                else if (writes) append(s, $urandom);
                else @(posedge clk);
                #0.1;
                waited = writes && over ? 50 : waited + 1;
            end
            if (!writes && waited != latency) fail(1);
            if (!writes && found !== want[0]) fail(2);
            for (i = 0; i < DRAFTS && !failed; i = i + 1)
                if (!writes && want && drafts[i*ID_W +: ID_W] !== ids[s*CONTEXT+count+i]) fail(3);
                else if (writes && found && VOCAB != 0 && !(drafts[i*ID_W +: ID_W] < VOCAB)) fail(4);
            if (writes) repeat (DRAFTS + 6) @(posedge clk);
            while ($urandom_range(99) < stall) @(posedge clk);
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        i = $urandom(seed);
        for (s = 0; s < 16; s = s + 1) any[s] = 0;
        for (i = 0; i < 4; i = i + 1) kinds[i] = 0;
        repeat (3) @(posedge clk);
        rst <= 0;
        drop <= 0;
        for (step = 0; step < STEPS && !failed; step = step + 1)
            if ($urandom_range(1) == 0) write_list;
            else if ($urandom_range(20) == 0) begin
                s = $urandom_range(SLOTS - 1);
                any[s] = 0;
                drop <= 16'd1 << s;
                @(posedge clk);
                drop <= 0;
            end else if ($urandom_range(20) == 0) begin                // a lookup that is broken off; lists stay
                look <= 1;
                @(posedge clk);
                look <= 0;
                repeat ($urandom_range(DRAFTS + 3)) @(posedge clk);
                rst <= 1;
                @(posedge clk);
                rst <= 0;
                @(posedge clk);
            end else begin
                s = $urandom_range(SLOTS - 1);
                repeat (2) @(posedge clk);
                lookup;
            end
        for (i = 0; i < 4 && !failed; i = i + 1)
            if (kinds[i] == 0) fail(5);
        if (!failed) $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
