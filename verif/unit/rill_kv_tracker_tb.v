// SPDX-License-Identifier: Apache-2.0
// Bench of rill_kv_tracker: random hand-overs of two writers and random engine activity that starts up to LAG cycles after a hand-over; the
// count reaches every pair, never passes one whose activity has not ended, and never falls. (With real writes: rill_k_writer_tb.)
// sweep: WRITERS=1 V_EN=1 SETTLE=8
// sweep: WRITERS=4 V_EN=0 SETTLE=5
`default_nettype none
`timescale 1ns / 1ps

module rill_kv_tracker_tb;
    parameter WRITERS = 1;
    parameter V_EN = 1;
    parameter SETTLE = 8;
    localparam LAG = 3;
    localparam PAIRS = 60;

    reg                clk = 0, rst = 1, k_done = 0, v_done = 0;
    reg  [WRITERS-1:0] idle_now = {WRITERS{1'b1}};
    wire [31:0]        count;
    integer            seed, idle, stall, i, cycles = 0, ks = 0, vs = 0, was = 0;
    integer            busy_from [0:2*PAIRS-1];   // activity of the n-th hand-over of K (even) and V (odd)
    integer            busy_to [0:2*PAIRS-1];
    reg                failed = 0, done = 0;

    rill_kv_tracker #(.WRITERS(WRITERS), .V_EN(V_EN), .SETTLE(SETTLE)) dut (.clk(clk), .rst(rst), .k_layer_done(k_done),
        .v_layer_done(v_done), .idle(idle_now), .kv_layers_done(count));
    always #1 clk = !clk;

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        i = $urandom(seed);
        repeat (3) @(posedge clk);
        rst <= 0;
    end

    always @(posedge clk) if (!rst && !done) begin
        cycles = cycles + 1;
        // A hand-over is the pulse of this cycle; its engine is busy within LAG cycles.
        k_done <= 0;
        v_done <= 0;
        if (ks < PAIRS && ks < vs + 3 && $urandom_range(99) < (idle ? 2 : 10)) begin
            k_done <= 1;
            busy_from[2*ks] = cycles + $urandom_range(LAG);
            busy_to[2*ks] = busy_from[2*ks] + $urandom_range(stall ? 100 : 20);
            ks = ks + 1;
        end
        if (vs < PAIRS && vs < ks + 3 && $urandom_range(99) < (idle ? 2 : 10)) begin
            v_done <= 1;
            busy_from[2*vs + 1] = cycles + $urandom_range(LAG);
            busy_to[2*vs + 1] = busy_from[2*vs + 1] + $urandom_range(stall ? 100 : 20);
            vs = vs + 1;
        end
        idle_now <= {WRITERS{1'b1}};
        for (i = 0; i < ks; i = i + 1)
            if (cycles >= busy_from[2*i] && cycles < busy_to[2*i])
                idle_now[i % WRITERS] <= 0;
        for (i = 0; i < vs; i = i + 1)
            if (V_EN != 0 && cycles >= busy_from[2*i + 1] && cycles < busy_to[2*i + 1])
                idle_now[(i + 1) % WRITERS] <= 0;
        for (i = was; i < count; i = i + 1)
            if (i >= ks || (V_EN != 0 && i >= vs) || busy_to[2*i] > cycles || (V_EN != 0 && busy_to[2*i + 1] > cycles))
                failed = 1;
        if (count < was || failed) begin
            $display("FAIL: cycle %0d: count %0d after %0d, %0d K and %0d V handed over", cycles, count, was, ks, vs);
            done = 1;
            $finish;
        end
        was = count;
        if (count == PAIRS && !done) begin
            $display("PASS");
            done = 1;
            $finish;
        end
        if (cycles > 100000 && !done) begin
            $display("FAIL: stuck at %0d", count);
            done = 1;
            $finish;
        end
    end
endmodule
