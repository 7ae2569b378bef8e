// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_param_loader. Every store must get its beats in order, each in PIECES pieces. During a load, each
// cycle in which a beat is offered must give one piece of the beat on load_data in the next cycle. done must come at
// the end. The bench makes four starts, each with new beats.
// Sets for verif/modules/run.sh:
// sweep: STORES=1 FIRST=4
// sweep: STORES=3 FIRST=1
// sweep: STORES=8 FIRST=2
// sweep: STORES=1 FIRST=4 PIECES=2
// sweep: STORES=3 FIRST=1 PIECES=4
// quick: STORES=3 FIRST=1
// quick: STORES=3 FIRST=1 PIECES=4
`default_nettype none
`timescale 1ns / 1ps

module rill_param_loader_tb;
    // Parameters without a comment are those of the module.
    parameter STORES = 3;
    parameter FIRST = 1;                     // beats of store 0; store i gets FIRST + (i mod 3)
    parameter PIECES = 1;
    localparam BEAT_BITS = 64;
    localparam LOAD_BITS = BEAT_BITS / PIECES;

    // Returns the beats of each store, 32 bits each.
    function [STORES*32-1:0] make_counts(input integer stores);
        integer i;
        for (i = 0; i < stores; i = i + 1)
            make_counts[i*32 +: 32] = FIRST + i % 3;
    endfunction
    localparam [STORES*32-1:0] COUNTS = make_counts(STORES);

    wire                 clk, rst, s_valid, s_ready, src_done, load_valid, done;
    wire [BEAT_BITS-1:0] s_data;
    wire [LOAD_BITS-1:0] load_data;
    wire [STORES-1:0]    load_store;
    reg                  start = 0;
    reg  [BEAT_BITS-1:0] word;
    reg  [LOAD_BITS-1:0] due_data [0:4095];
    integer              due_store [0:4095];
    // wanted, seen: pieces that must come and that have come. waits: cycles in which tready was wrong while beats came.
    // started: cycle of the latest start; waits are counted only after it. active: a load runs. handed_q: a beat was
    // offered to it in the previous cycle. piece: index of the piece that is handed over.
    integer              wanted = 0, seen = 0, n, s, i, p, seed, waits = 0, started = 1 << 30;
    reg                  handed_q = 0, active = 0;
    integer              piece = 0;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_axis_driver #(.DATA_W(BEAT_BITS)) u_src (.clk(clk), .rst(rst), .m_axis_tvalid(s_valid),
        .m_axis_tready(s_ready),
        .m_axis_tdata(s_data), .m_axis_tuser(), .m_axis_tlast(), .done(src_done));
    rill_param_loader #(.BEAT_BITS(BEAT_BITS), .STORES(STORES), .PIECES(PIECES), .COUNTS(COUNTS)) dut (
        .clk(clk), .rst(rst), .start(start),
        .s_axis_beat_tvalid(s_valid), .s_axis_beat_tready(s_ready), .s_axis_beat_tdata(s_data), .load_valid(load_valid),
        .load_store(load_store), .load_data(load_data), .done(done));

    // In each cycle of a load in which a beat is offered, one piece of the beat is handed over. load_valid must then be
    // 1 in the next cycle, and 0 in all other cycles. The beat must be taken together with its last piece.
    always @(posedge clk) begin
        handed_q <= s_valid && active;
        piece <= rst || (s_valid && s_ready) ? 0 : s_valid && active ? piece + 1 : piece;
        if (!rst && seen < wanted && s_valid && s_ready != (piece == PIECES - 1) && u_clock.cycle > started + 1)
            waits = waits + 1;
        if (!rst && load_valid !== handed_q) begin
            $display("FAIL: load_valid is %b a cycle after there was a beat: %b", load_valid, handed_q);
            $finish;
        end
    end
    always @(posedge clk)
        if (!rst && load_valid) begin
            if (seen == wanted || load_data !== due_data[seen] || load_store !== 1 << due_store[seen]) begin
                $display("FAIL: piece %0d is %h to stores %b", seen, load_data, load_store);
                $finish;
            end
            seen = seen + 1;
        end

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        wait (!rst);
        for (n = 0; n < 4; n = n + 1) begin
            for (s = 0; s < STORES; s = s + 1)
                for (i = 0; i < COUNTS[s*32 +: 32]; i = i + 1) begin
                    word = {$random(seed), $random(seed)};
                    u_src.push(word, 1'b0, 1'b0);
                    for (p = 0; p < PIECES; p = p + 1) begin
                        due_data[wanted] = word >> (p * LOAD_BITS);
                        due_store[wanted] = s;
                        wanted = wanted + 1;
                    end
                end
            repeat (10) @(negedge clk);
            if (s_ready || done != (n > 0)) begin
                $display("FAIL: ready %b, done %b before the start", s_ready, done);
                $finish;
            end
            start = 1;
            started = u_clock.cycle;
            #1;
            if (done) begin
                $display("FAIL: done during the start");
                $finish;
            end
            @(negedge clk) start = 0;
            active = 1;
            wait (done);
            active = 0;
            started = 1 << 30; // far away: no load runs, so nothing is counted
            repeat (3) @(negedge clk);
            if (seen != wanted) begin
                $display("FAIL: done after %0d of %0d pieces", seen, wanted);
                $finish;
            end
        end
        if (waits != 0)
            $display("FAIL: beats waited %0d cycles", waits);
        else
            $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
