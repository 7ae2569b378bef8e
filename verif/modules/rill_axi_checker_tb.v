// SPDX-License-Identifier: Apache-2.0
// Testbench of the protocol checker rill_axi_checker. Legal traffic of any timing must raise nothing, and the counts of
// open bursts must be right. Each way to break a rule (task break_rule) must be reported under its own name. The
// checker ends a run at the first violation, so every violation has a separate run with +break=N.
// vectors_rill_axi_checker.c starts these runs, and this bench judges their output. Parameters without a comment are
// those of rill_axi_checker.
// Checks in messages: 1 and 2 the counts of open bursts, during and after legal traffic, 3 to 5 the file of the runs
// that broke a rule.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: BEAT_BITS=256 ID_W=2 MAX_BURST=16 OUTSTANDING=4
// sweep: BEAT_BITS=512 ID_W=1 MAX_BURST=32 OUTSTANDING=1
// sweep: BEAT_BITS=256 ID_W=1 MAX_BURST=64 OUTSTANDING=9 WRITE_EN=0
// sweep: BEAT_BITS=512 ID_W=3 MAX_BURST=2 OUTSTANDING=2 READ_EN=0
// sweep: BEAT_BITS=256 ID_W=2 MAX_BURST=16 OUTSTANDING=4 W_FIRST=0
// quick: BEAT_BITS=256 ID_W=2 MAX_BURST=16 OUTSTANDING=4 @ 50:50
// quick: BEAT_BITS=256 ID_W=2 MAX_BURST=16 OUTSTANDING=4 W_FIRST=0 @ 50:50
`default_nettype none
`timescale 1ns / 1ps

module rill_axi_checker_tb;
    parameter BEAT_BITS = 256;
    parameter ID_W = 2;
    parameter MAX_BURST = 16;
    parameter OUTSTANDING = 4;
    parameter READ_EN = 1;
    parameter WRITE_EN = 1;
    parameter W_FIRST = 1;                                   // 0: no beat comes before its address, and only the last
                                                             // of the write breaches is tried
    localparam BYTES = BEAT_BITS / 8;
    localparam IDS = 1 << ID_W;
    localparam [2:0] SIZE = $clog2(BYTES);
    localparam BURSTS = 4096;
    localparam BREACHES = 85;

    wire                   clk, rst;
    reg                    arvalid = 0, arready = 0, rvalid = 0, rready = 0, rlast;
    reg                    awvalid = 0, awready = 0, wvalid = 0, wready = 0, wlast, bvalid = 0, bready = 0;
    reg  [ID_W-1:0]        arid, rid, awid, bid;
    reg  [63:0]            araddr, awaddr;
    reg  [7:0]             arlen, awlen;
    reg  [2:0]             arsize, awsize;
    reg  [11:0]            arkind, awkind;                   // {lock, cache, prot, qos}
    reg  [1:0]             arburst, awburst, rresp, bresp;
    reg  [BEAT_BITS-1:0]   rdata, wdata;
    reg  [BYTES-1:0]       wstrb;
    wire [31:0]            reads_open, writes_open;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_axi_checker #(.BEAT_BITS(BEAT_BITS), .ID_W(ID_W), .MAX_BURST(MAX_BURST), .OUTSTANDING(OUTSTANDING),
        .READ_EN(READ_EN),
        .WRITE_EN(WRITE_EN), .W_FIRST(W_FIRST)) dut (.clk(clk), .rst(rst),
         .arvalid(arvalid), .arready(arready), .arid(arid),
        .araddr(araddr), .arlen(arlen),
        .arsize(arsize), .arburst(arburst), .arlock(arkind[11]), .arcache(arkind[10:7]), .arprot(arkind[6:4]),
        .arqos(arkind[3:0]),
        .rvalid(rvalid), .rready(rready), .rid(rid), .rdata(rdata), .rresp(rresp), .rlast(rlast),
        .awvalid(awvalid), .awready(awready), .awid(awid), .awaddr(awaddr), .awlen(awlen), .awsize(awsize),
        .awburst(awburst),
        .awlock(awkind[11]), .awcache(awkind[10:7]), .awprot(awkind[6:4]), .awqos(awkind[3:0]),
        .wvalid(wvalid), .wready(wready), .wdata(wdata), .wstrb(wstrb), .wlast(wlast), .bvalid(bvalid), .bready(bready),
        .bid(bid),
        .bresp(bresp), .reads_open(reads_open), .writes_open(writes_open));

    integer                breach = 0, seed, idle, stall, i, n, cycles, quota;
    reg                    failed = 0, sending = 0;
    reg  [1023:0]          name;

    // Prints the number of the first check that fails, and ends the run.
    task fail(input integer what, where);
        begin
            if (!failed) $display("FAIL: check %0d at %0d", what, where);
            failed = 1;
            $finish;
        end
    endtask

    // Returns a random number from 0 to limit - 1.
    function integer below(input integer limit);
        below = $unsigned($random(seed)) % limit;
    endfunction

    // Returns 0 in `percent` percent of its calls, for an idle cycle or a stall, and otherwise 1.
    function some(input integer percent);
        some = below(100) >= percent;
    endfunction

    // Returns a random beat.
    function [BEAT_BITS-1:0] noise(input integer unused);
        integer k;
        for (k = 0; k < BEAT_BITS; k = k + 32)
            noise[k +: 32] = $random(seed);
    endfunction

    // Returns {lock, cache, prot, qos}: no exclusive access, any cache value that is not reserved, any prot and qos.
    function [11:0] kind(input integer unused);
        begin
            kind = $random(seed);
            kind[11] = 0;
            if (!kind[8]) kind[10:9] = 2'b00;
        end
    endfunction

    // Draws a burst of at most MAX_BURST beats inside 4 KiB. It often ends where the 4 KiB end.
    reg [63:0] place;
    reg [7:0]  len;
    task draw_burst;
        integer beats, first;
        begin
            beats = 1 + (below(3) == 0 ? MAX_BURST - 1 : below(MAX_BURST));
            first = below(3) == 0 ? 4096 / BYTES - beats : below(4096 / BYTES - beats + 1);
            place = {$random(seed), $random(seed)};
            place[11:0] = first * BYTES;
            len = beats - 1;
        end
    endtask

    // ---- legal traffic: the channels in any order that the protocol allows ----
    integer                r_len [0:IDS*OUTSTANDING-1];      // arlen of the open bursts, a queue per id
    integer                r_open [0:IDS-1];                 // open bursts of each id
    integer                r_beat [0:IDS-1];                 // next beat of the oldest open burst of each id
    // w_id, w_place, w_len: id, address and awlen of each write burst, in order. b_due: responses per id that may be
    // sent. decided: write bursts that have been drawn. aw_sent, w_sent: bursts whose address, or whose last beat, was
    // taken. complete: bursts for which both were taken. w_beat: next beat of burst w_sent.
    reg  [ID_W-1:0]        w_id [0:BURSTS-1];
    reg  [63:0]            w_place [0:BURSTS-1];
    integer                w_len [0:BURSTS-1];
    integer                w_open [0:IDS-1];                 // bursts per id that are decided and not answered
    integer                b_due [0:IDS-1];
    integer                reads = 0, writes = 0, decided = 0, aw_sent = 0, w_sent = 0, w_beat = 0, complete = 0;

    task settle;                                             // updates the model after a clock edge
        begin
            if (rvalid && rready) begin
                r_beat[rid] = r_beat[rid] + 1;
                if (rlast) begin
                    for (i = 0; i < OUTSTANDING - 1; i = i + 1)
                        r_len[rid*OUTSTANDING + i] = r_len[rid*OUTSTANDING + i + 1];
                    r_beat[rid] = 0;
                    r_open[rid] = r_open[rid] - 1;
                    reads = reads - 1;
                end
                rvalid = 0;
            end
            if (arvalid && arready) begin
                r_len[arid*OUTSTANDING + r_open[arid]] = arlen;
                r_open[arid] = r_open[arid] + 1;
                reads = reads + 1;
                arvalid = 0;
            end
            if (bvalid && bready) begin
                b_due[bid] = b_due[bid] - 1;
                w_open[bid] = w_open[bid] - 1;
                writes = writes - 1;
                bvalid = 0;
            end
            if (awvalid && awready) begin
                aw_sent = aw_sent + 1;
                writes = writes + 1;
                awvalid = 0;
            end
            if (wvalid && wready) begin
                w_beat = wlast ? 0 : w_beat + 1;
                w_sent = w_sent + wlast;
                wvalid = 0;
            end
            while (complete < aw_sent && complete < w_sent) begin
                b_due[w_id[complete]] = b_due[w_id[complete]] + 1;
                complete = complete + 1;
            end
            if (reads_open !== reads || writes_open !== writes) fail(1, cycles);
        end
    endtask

    // Offers an address and a beat of a read, each if the channel is free and at random.
    task offer_reads;
        begin
            n = below(IDS);
            if (!arvalid) begin
                {arkind, arid, araddr, arlen, arsize, arburst} = {(ID_W + 89){1'bx}};
                if (sending && r_open[n] < OUTSTANDING && some(idle)) begin
                    draw_burst;
                    arvalid = 1;
                    arkind = kind(0);
                    {arid, araddr, arlen, arsize, arburst} = {n[ID_W-1:0], place, len, SIZE, 2'b01};
                end
            end
            n = below(IDS);
            if (!rvalid) begin
                {rid, rdata, rresp, rlast} = {(ID_W + BEAT_BITS + 3){1'bx}};
                if (r_open[n] > 0 && some(idle)) begin
                    rvalid = 1;
                    rid = n;
                    rdata = noise(0);
                    rresp = $random(seed);
                    rlast = r_beat[n] == r_len[n*OUTSTANDING];
                end
            end
        end
    endtask

    // Draws a write burst, and offers an address, a beat and a response, each if the channel is free and at random.
    task offer_writes;
        begin
            n = below(IDS);
            if (sending && w_open[n] < OUTSTANDING && decided < BURSTS) begin
                draw_burst;
                w_id[decided] = n;
                w_place[decided] = place;
                w_len[decided] = len;
                w_open[n] = w_open[n] + 1;
                decided = decided + 1;
            end
            if (!awvalid) begin
                {awkind, awid, awaddr, awlen, awsize, awburst} = {(ID_W + 89){1'bx}};
                if (aw_sent < decided && some(idle)) begin
                    awvalid = 1;
                    len = w_len[aw_sent];
                    awkind = kind(0);
                    {awid, awaddr, awlen, awsize, awburst} = {w_id[aw_sent], w_place[aw_sent], len, SIZE, 2'b01};
                end
            end
            if (!wvalid) begin
                {wdata, wstrb, wlast} = {(BEAT_BITS + BYTES + 1){1'bx}};
                if (w_sent < (W_FIRST != 0 ? decided : aw_sent + awvalid) && some(idle)) begin
                    wvalid = 1;
                    wdata = noise(0);
                    wstrb = {BYTES{1'b1}};
                    wlast = w_beat == w_len[w_sent];
                end
            end
            n = below(IDS);
            if (!bvalid) begin
                {bid, bresp} = {(ID_W + 2){1'bx}};
                if (b_due[n] > 0 && some(idle)) begin
                    bvalid = 1;
                    bid = n;
                    bresp = $random(seed);
                end
            end
        end
    endtask

    // Runs a cycle of legal traffic.
    task lawful_cycle;
        begin
            @(negedge clk);
            settle;
            if (READ_EN != 0) offer_reads;
            if (WRITE_EN != 0) offer_writes;
            {arready, rready} = READ_EN != 0 ? {some(stall), some(stall)} : 2'd0;
            {awready, wready, bready} = WRITE_EN != 0 ? {some(stall), some(stall), some(stall)} : 3'd0;
            cycles = cycles + 1;
        end
    endtask

    // Withdraws all offers, and raises the readies of the enabled directions.
    task quieten;
        begin
            {arvalid, rvalid, awvalid, wvalid, bvalid} = 5'd0;
            {arready, rready, awready, wready, bready} = READ_EN == 0 ? 5'b00111 : WRITE_EN == 0 ? 5'b11000 : 5'b11111;
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        if (!$value$plusargs("break=%d", breach)) breach = 0;
        for (i = 0; i < IDS; i = i + 1) begin
            r_open[i] = 0;
            r_beat[i] = 0;
            w_open[i] = 0;
            b_due[i] = 0;
        end
        cycles = 0;
        quota = breach > 0 ? 200 : 6000; // cycles of legal traffic before a breach, or in the run without one
        @(negedge rst);
        sending = 1;
        while (cycles < quota) lawful_cycle;
        sending = 0;
        while ((reads > 0 || arvalid || complete < decided || writes > 0) && cycles < quota + 5000) lawful_cycle;
        @(negedge clk);
        settle;
        if (reads != 0 || writes != 0 || reads_open !== 0 || writes_open !== 0) fail(2, cycles);
        quieten;
        repeat (3) @(negedge clk);
        if (breach > 0) begin
            break_rule;
            repeat (10) @(negedge clk);
            $display("not caught");
            $finish;
        end
        judge;
        if (!failed) $display("PASS");
        $finish;
    end

    // Judges the runs that broke a rule. Each run has a line of three numbers in the file of vectors: the breach, the
    // rule that should be reported, and the rule that was reported (0: none; -1: one was reported before the breach).
    task judge;
        integer file, which, should, said, seen;
        begin
            if (!$value$plusargs("vectors=%s", name)) fail(3, 0);
            file = $fopen(name, "r");
            seen = 0;
            while ($fscanf(file, "%d %d %d\n", which, should, said) == 3) begin
                seen = seen + 1;
                if (which != seen) fail(4, which);
                if (should != said) begin
                    $display("FAIL: breach %0d is reported under rule %0d, not %0d", which, said, should);
                    failed = 1;
                end
            end
            if (seen != BREACHES) fail(5, seen);
        end
    endtask

    // ---- breaches: each one begins with idle channels and all readies high ----
    task tick;
        @(negedge clk);
    endtask

    // Prints that the next clock edge breaks the rule. Rules have the checker's numbers; 0: no rule is broken.
    task commit(input integer rule);
        $display("breach %0d rule %0d", breach, rule);
    endtask

    // Each of the next five tasks offers a transfer of one channel and raises the ready, so the next edge takes it.
    task ar(input integer id, input [63:0] addr, input integer beats);
        begin
            {arvalid, arready} = 2'b11;
            arid = id;
            araddr = addr;
            arlen = beats - 1;
            {arsize, arburst} = {SIZE, 2'b01};
            arkind = kind(0);
        end
    endtask

    task aw(input integer id, input [63:0] addr, input integer beats);
        begin
            {awvalid, awready} = 2'b11;
            awid = id;
            awaddr = addr;
            awlen = beats - 1;
            {awsize, awburst} = {SIZE, 2'b01};
            awkind = kind(0);
        end
    endtask

    task r(input integer id, last);
        begin
            {rvalid, rready} = 2'b11;
            rid = id;
            rdata = noise(0);
            rresp = 0;
            rlast = last;
        end
    endtask

    task w(input integer last);
        begin
            {wvalid, wready} = 2'b11;
            wdata = noise(0);
            wstrb = {BYTES{1'b1}};
            wlast = last;
        end
    endtask

    task b(input integer id);
        begin
            {bvalid, bready} = 2'b11;
            bid = id;
            bresp = 0;
        end
    endtask

    // Ends a legal step: all that is offered is taken, and then all channels are idle again.
    task step;
        begin
            tick;
            quieten;
        end
    endtask

    // Opens a burst of two beats, so that R and B have something to answer.
    task opened(input integer id);
        begin
            if (READ_EN != 0) begin
                ar(id, 64'h1000, 2);
                step;
            end
            if (WRITE_EN != 0) begin
                aw(id, 64'h2000, 2);
                w(0);
                step;
                w(1);
                step;
            end
        end
    endtask

    // Stalls the transfers that are offered for one cycle. The breach then changes a signal of a stalled transfer.
    task stalled(input integer rule);
        begin
            {arready, rready, awready, wready, bready} = 5'd0;
            tick;
            commit(rule);
        end
    endtask

    // Makes a breach of the read channels, numbers 1 to READ_BREACHES, up to the edge that breaks the rule.
    task break_read;
        case (breach)
            1, 2, 3, 4, 5, 6: begin
                ar(0, 64'h1000, 1);
                stalled(1);
                case (breach)
                    1: araddr = 64'h2000;
                    2: arlen = 1;
                    3: arid = 1;
                    4: arsize = SIZE - 1;
                    5: arburst = 2'b00;
                    default: arvalid = 0;
                endcase
            end
            7, 8, 9, 10, 11: begin
                opened(0);
                opened(1);
                r(0, 0);
                stalled(4);
                case (breach)
                    7: rdata[BEAT_BITS-1] = !rdata[BEAT_BITS-1];
                    8: rid = 1;
                    9: rresp = 2;
                    10: rlast = 1;
                    default: rvalid = 0;
                endcase
            end
            12, 13: begin
                ar(0, 64'h1000, 1);
                arburst = breach == 12 ? 2'b00 : 2'b10;
                commit(6);
            end
            14: begin
                ar(0, 64'h1000, 1);
                arsize = SIZE - 1;
                commit(7);
            end
            15: begin
                ar(0, 64'h1000 + BYTES / 2, 1);
                commit(8);
            end
            16: begin
                ar(0, 64'h3000 - BYTES, 2);
                commit(9);
            end
            17: begin
                ar(0, 64'h1000, MAX_BURST + 1);
                commit(10);
            end
            18: begin
                for (i = 0; i < OUTSTANDING; i = i + 1) begin
                    ar(1, 64'h1000, 1);
                    step;
                end
                ar(1, 64'h1000, 1);
                commit(11);
            end
            19: begin                                        // no burst is open
                r(0, 1);
                commit(12);
            end
            20: begin                                        // in the cycle of the address, which is too early
                ar(0, 64'h1000, 1);
                r(0, 1);
                commit(12);
            end
            21: begin                                        // with another id
                opened(0);
                r(1, 0);
                commit(12);
            end
            22: begin                                        // after the last beat
                opened(0);
                r(0, 0);
                step;
                r(0, 1);
                step;
                r(0, 1);
                commit(12);
            end
            23: begin                                        // rlast on the first of two beats
                opened(0);
                r(0, 1);
                commit(13);
            end
            24: begin                                        // no rlast on the second of two beats
                opened(0);
                r(0, 0);
                step;
                r(0, 0);
                commit(13);
            end
            25: begin                                        // rlast after the length of another id's burst
                opened(0);
                ar(1, 64'h1000, 1);
                step;
                r(0, 0);
                step;
                r(1, 0);
                commit(13);
            end
            26: begin
                arvalid = 1'bx;
                commit(18);
            end
            27, 28, 29, 30: begin
                ar(0, 64'h1000, 1);
                stalled(1);
                i = breach == 27 ? 11 : breach == 28 ? 7 : breach == 29 ? 4 : 0;
                arkind[i] = !arkind[i];
            end
            31: begin
                ar(0, 64'h1000, 1);
                arkind[11] = 1;
                commit(20);
            end
            32, 33: begin                                    // read-allocate, write-allocate
                ar(0, 64'h1000, 1);
                arkind[10:7] = breach == 32 ? 4'b0100 : 4'b1001;
                commit(21);
            end
            34, 35: begin
                ar(0, 64'h1000, 1);
                if (breach == 34) araddr[63] = 1'bx;
                else arkind[0] = 1'bx;
                commit(22);
            end
            default: begin
                rvalid = 1'bx;
                commit(18);
            end
        endcase
    endtask

    localparam READ_BREACHES = 36;

    // Makes a breach of the write channels, numbers READ_BREACHES + 1 to BREACHES, up to the edge that breaks the rule.
    task break_write;
        case (breach - READ_BREACHES)
            1, 2, 3, 4, 5, 6: begin
                aw(0, 64'h1000, 1);
                stalled(2);
                case (breach - READ_BREACHES)
                    1: awaddr = 64'h2000;
                    2: awlen = 1;
                    3: awid = 1;
                    4: awsize = SIZE - 1;
                    5: awburst = 2'b00;
                    default: awvalid = 0;
                endcase
            end
            7, 8, 9, 10: begin
                aw(0, 64'h1000, 2);
                step;
                w(0);
                if (breach - READ_BREACHES == 9) wstrb[0] = 0;
                stalled(3);
                case (breach - READ_BREACHES)
                    7: wdata[0] = !wdata[0];
                    8: wlast = 1;
                    9: wstrb[0] = 1;
                    default: wvalid = 0;
                endcase
            end
            11, 12, 13: begin
                opened(0);
                opened(1);
                b(0);
                stalled(5);
                case (breach - READ_BREACHES)
                    11: bid = 1;
                    12: bresp = 2;
                    default: bvalid = 0;
                endcase
            end
            14, 15: begin
                aw(0, 64'h1000, 1);
                awburst = breach - READ_BREACHES == 14 ? 2'b00 : 2'b10;
                commit(6);
            end
            16: begin
                aw(0, 64'h1000, 1);
                awsize = SIZE - 1;
                commit(7);
            end
            17: begin
                aw(0, 64'h1000 + BYTES / 2, 1);
                commit(8);
            end
            18: begin
                aw(0, 64'h3000 - BYTES, 2);
                commit(9);
            end
            19: begin
                aw(0, 64'h1000, MAX_BURST + 1);
                commit(10);
            end
            20: begin
                for (i = 0; i < OUTSTANDING; i = i + 1) begin
                    aw(1, 64'h1000, 1);
                    w(1);
                    step;
                end
                aw(1, 64'h1000, 1);
                commit(11);
            end
            21: begin                                        // wlast on the first of two beats
                aw(0, 64'h1000, 2);
                step;
                w(1);
                commit(14);
            end
            22: begin                                        // no wlast on the second of two beats
                aw(0, 64'h1000, 2);
                w(0);
                step;
                w(0);
                commit(14);
            end
            23: begin                                        // one beat, then its address says two
                w(1);
                step;
                aw(0, 64'h1000, 2);
                commit(14);
            end
            24: begin                                        // two beats, then their address says one
                w(0);
                step;
                w(1);
                step;
                aw(0, 64'h1000, 1);
                commit(14);
            end
            // The burst has more beats than its address says. This is known when its second beat comes.
            25: begin
                w(0);
                step;
                aw(0, 64'h1000, 1);
                step;
                w(1);
                commit(14);
            end
            26: begin                                        // more than MAX_BURST beats before the address
                for (i = 0; i < MAX_BURST; i = i + 1) begin
                    w(0);
                    step;
                end
                w(0);
                commit(14);
            end
            27, 28: begin                                    // a burst, or a part of one, never gets an address
                w(breach - READ_BREACHES == 27);
                step;
                commit(15);
                repeat (5000) tick;                          // longer than DRAIN_CYCLES of the checker
            end
            29: begin                                        // no burst is open
                b(0);
                commit(16);
            end
            30: begin                                        // before the last beat
                aw(0, 64'h1000, 2);
                w(0);
                step;
                b(0);
                commit(16);
            end
            31: begin                                        // before the address
                w(1);
                step;
                b(0);
                commit(16);
            end
            32: begin                                        // in the cycle of the last beat
                aw(0, 64'h1000, 1);
                step;
                w(1);
                b(0);
                commit(16);
            end
            33: begin                                        // with another id
                opened(0);
                b(1);
                commit(16);
            end
            34: begin                                        // twice
                opened(0);
                b(0);
                step;
                b(0);
                commit(16);
            end
            35: begin
                aw(0, 64'h1000, 1);
                step;
                w(1);
                wstrb[BYTES-1] = 0;
                commit(17);
            end
            36: begin
                awvalid = 1'bx;
                commit(18);
            end
            37: begin
                wvalid = 1'bx;
                commit(18);
            end
            38: begin
                bvalid = 1'bx;
                commit(18);
            end
            39, 40, 41, 42: begin
                aw(0, 64'h1000, 1);
                stalled(2);
                i = breach - READ_BREACHES;
                i = i == 39 ? 11 : i == 40 ? 7 : i == 41 ? 4 : 0;
                awkind[i] = !awkind[i];
            end
            43: begin
                aw(0, 64'h1000, 1);
                awkind[11] = 1;
                commit(20);
            end
            44, 45: begin                                    // read-allocate, write-allocate
                aw(0, 64'h1000, 1);
                awkind[10:7] = breach - READ_BREACHES == 44 ? 4'b0100 : 4'b1001;
                commit(21);
            end
            46, 47: begin
                aw(0, 64'h1000, 1);
                if (breach - READ_BREACHES == 46) awaddr[63] = 1'bx;
                else awkind[0] = 1'bx;
                commit(23);
            end
            48: begin                                        // the checker allows 1022 bursts ahead of their addresses
                for (i = 0; i < 1022; i = i + 1) begin
                    w(1);
                    step;
                end
                w(1);
                commit(19);
            end
            default: begin                                   // a second burst while the first address waits
                aw(0, 64'h1000, 1);
                awready = 0;
                w(1);
                step;
                awvalid = 1;
                w(1);
                commit(W_FIRST != 0 ? 0 : 24);
            end
        endcase
    endtask

    // Makes the breach of this run. A breach in a disabled direction is reported as one of no rule.
    task break_rule;
        begin
            if (breach <= READ_BREACHES && READ_EN != 0) break_read;
            else if (breach > READ_BREACHES && WRITE_EN != 0 && (W_FIRST != 0 || breach == BREACHES)) break_write;
            else commit(0);
            tick;
            if (!{arready, rready, awready, wready, bready}) begin       // stalled transfers are taken now
                {arready, rready, awready, wready, bready} = 5'b11111;
                tick;
            end
            quieten;
        end
    endtask
endmodule

`default_nettype wire
