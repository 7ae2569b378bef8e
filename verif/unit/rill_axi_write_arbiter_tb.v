// SPDX-License-Identifier: Apache-2.0
// Bench of rill_axi_write_arbiter alone: bursts of every client come out once, in order, with its index as id; the
// beats that follow are those of the bursts in the order of their addresses; B reaches the client of its id and no
// other.
// sweep: CLIENTS=1 BEAT_BITS=256 ID_W=1 ORDER=2
// sweep: CLIENTS=3 BEAT_BITS=64 ID_W=4 ORDER=5
// sweep: CLIENTS=64 BEAT_BITS=64 ID_W=6 ORDER=32
// quick: CLIENTS=3 BEAT_BITS=64 ID_W=4 ORDER=5
`default_nettype none
`timescale 1ns / 1ps

module rill_axi_write_arbiter_tb;
    parameter CLIENTS = 3;
    parameter BEAT_BITS = 64;
    parameter ID_W = 4;
    parameter ORDER = 5;
    localparam COUNT = 100;

    reg                   clk = 0, rst = 1;
    integer               seed, idle, stall, c, cycles = 0, total = 0, answers = 0;
    reg  [CLIENTS-1:0]    c_awvalid = 0, c_wvalid = 0, c_wlast = 0;
    wire [CLIENTS-1:0]    c_bready = {CLIENTS{1'b1}};
    wire [CLIENTS-1:0]    c_awready, c_wready, c_bvalid;
    reg  [CLIENTS*64-1:0] c_awaddr;
    reg  [CLIENTS*8-1:0]  c_awlen;
    reg  [CLIENTS*BEAT_BITS-1:0] c_wdata;
    wire [1:0]            c_bresp;
    wire                  awvalid, wvalid, wlast, bready;
    reg                   awready = 0, wready = 0, bvalid = 0;
    wire [ID_W-1:0]       awid;
    reg  [ID_W-1:0]       bid = 0;
    wire [63:0]           awaddr;
    wire [7:0]            awlen;
    wire [2:0]            awsize;
    wire [1:0]            awburst;
    reg  [1:0]            bresp = 0;
    wire [BEAT_BITS-1:0]  wdata;
    wire [BEAT_BITS/8-1:0] wstrb;
    integer               sent [0:CLIENTS-1];
    integer               burst [0:CLIENTS-1];   // burst whose beats are offered
    integer               beat [0:CLIENTS-1];
    integer               seen [0:CLIENTS-1];
    integer               order [0:CLIENTS*COUNT-1];
    integer               w_now = 0, w_beat = 0;
    integer               w_seen [0:CLIENTS-1];
    reg                   failed = 0;

    rill_axi_write_arbiter #(.CLIENTS(CLIENTS), .BEAT_BITS(BEAT_BITS), .ID_W(ID_W), .ORDER(ORDER)) dut (
        .clk(clk), .rst(rst), .s_axi_awvalid(c_awvalid), .s_axi_awready(c_awready), .s_axi_awaddr(c_awaddr),
        .s_axi_awlen(c_awlen),
        .s_axi_wvalid(c_wvalid), .s_axi_wready(c_wready), .s_axi_wdata(c_wdata), .s_axi_wlast(c_wlast),
        .s_axi_bvalid(c_bvalid), .s_axi_bready(c_bready), .s_axi_bresp(c_bresp),
        .m_axi_awvalid(awvalid), .m_axi_awready(awready), .m_axi_awid(awid), .m_axi_awaddr(awaddr), .m_axi_awlen(awlen),
        .m_axi_awsize(awsize), .m_axi_awburst(awburst), .m_axi_wvalid(wvalid), .m_axi_wready(wready),
        .m_axi_wdata(wdata),
        .m_axi_wstrb(wstrb), .m_axi_wlast(wlast), .m_axi_bvalid(bvalid), .m_axi_bready(bready), .m_axi_bid(bid),
        .m_axi_bresp(bresp));
    always #1 clk = !clk;

    function chance(input integer percent);
        chance = $urandom_range(99) < percent;
    endfunction

    function integer beats_of(input integer client, input integer index);
        beats_of = 1 + (index * 7 + client * 3) % 5;
    endfunction

    task fail(input integer what);
        begin
            if (!failed)
                $display("FAIL: check %0d at cycle %0d", what, cycles);
            failed = 1;
            $finish;
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        c = $urandom(seed);
        for (c = 0; c < CLIENTS; c = c + 1) begin
            sent[c] = 0;
            burst[c] = 0;
            beat[c] = 0;
            seen[c] = 0;
            w_seen[c] = 0;
        end
        repeat (3) @(posedge clk);
        rst <= 0;
    end

    always @(posedge clk) if (!rst && !failed) begin
        cycles = cycles + 1;
        for (c = 0; c < CLIENTS; c = c + 1) begin
            if (c_awvalid[c] && c_awready[c]) begin
                c_awvalid[c] <= 0;
                order[total] = c;
                total = total + 1;
            end
            if ((!c_awvalid[c] || c_awready[c]) && sent[c] < COUNT && !chance(idle)) begin
                c_awvalid[c] <= 1;
                c_awaddr[c*64 +: 64] <= {c[31:0], sent[c][31:0]};
                c_awlen[c*8 +: 8] <= beats_of(c, sent[c]) - 1;
                sent[c] = sent[c] + 1;
            end
            if (c_wvalid[c] && c_wready[c])
                c_wvalid[c] <= 0;
            if ((!c_wvalid[c] || c_wready[c]) && burst[c] < sent[c] && !chance(idle)) begin
                c_wvalid[c] <= 1;
                c_wdata[c*BEAT_BITS +: BEAT_BITS] <= {(BEAT_BITS / 64){{c[15:0], burst[c][15:0], beat[c][31:0]}}};
                c_wlast[c] <= beat[c] == beats_of(c, burst[c]) - 1;
                beat[c] = beat[c] + 1;
                if (beat[c] == beats_of(c, burst[c])) begin
                    beat[c] = 0;
                    burst[c] = burst[c] + 1;
                end
            end
        end
        awready <= !chance(stall);
        wready <= !chance(stall);
        if (awvalid && awready) begin
            c = awid;
            if (c >= CLIENTS) fail(1);
            else begin
                if (awaddr !== {c[31:0], seen[c][31:0]} || awlen !== beats_of(c, seen[c]) - 1) fail(2);
                seen[c] = seen[c] + 1;
            end
            if (awsize !== $clog2(BEAT_BITS / 8) || awburst !== 2'b01) fail(3);
        end
        if (wvalid && wready) begin
            if (w_now >= total) fail(4);
            else begin
                c = order[w_now];
                if (wdata !== {(BEAT_BITS / 64){{c[15:0], w_seen[c][15:0], w_beat[31:0]}}} ||
                    wlast !== (w_beat == beats_of(c, w_seen[c]) - 1) || wstrb !== {(BEAT_BITS / 8){1'b1}}) fail(5);
                w_beat = w_beat + 1;
                if (wlast) begin
                    w_seen[c] = w_seen[c] + 1;
                    w_now = w_now + 1;
                    w_beat = 0;
                end
            end
        end
        if (bvalid && (c_bvalid !== 1 << bid || c_bresp !== bresp || !bready)) fail(6);
        if (!bvalid && c_bvalid !== 0) fail(7);
        if (!bvalid || bready) begin
            if (bvalid)
                answers = answers + 1;
            bvalid <= !chance(idle);
            bid <= $urandom % CLIENTS;
            bresp <= $urandom;
        end
        if (w_now == CLIENTS * COUNT && answers > 100 && !failed) begin
            if (idle == 0 && stall == 0 && cycles > CLIENTS * COUNT * 3 + 100) fail(8);
            if (!failed)
                $display("PASS");
            $finish;
        end
        if (cycles > 100000) fail(9);
    end
endmodule
