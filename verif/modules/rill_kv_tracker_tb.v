// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_kv_tracker. Reports layers of K and of V as done at random times, each with one descriptor that is
// written after a random time. Each of the two counts must depend on its own writers alone, never be ahead of a
// response, and follow within 4 cycles. kv_layers_done must be the smaller count, one cycle later.
// rill_write_tracker_tb tests layers that end while earlier ones are open, and layers that pause before they end.
// rill_k_writer_tb tests the tracker with a real writer.
// Checks in messages: 1 kv_layers_done, 2 and 3 the count of K or V is ahead, 4 and 5 it is late, 6 the run takes too
// long.
// Sets for verif/modules/run.sh:
// sweep: K_WRITERS=2 V_WRITERS=3
// sweep: K_WRITERS=1 V_WRITERS=1
// quick: K_WRITERS=2 V_WRITERS=3
`default_nettype none
`timescale 1ns / 1ps

module rill_kv_tracker_tb;
    // Parameters without a comment are those of the module.
    parameter K_WRITERS = 2;
    parameter V_WRITERS = 3;
    localparam PAIRS = 60; // layers of K, and as many of V

    reg                  clk = 0, rst = 1;
    reg  [1:0]           done = 0;
    reg  [K_WRITERS-1:0] k_given = 0, k_written = 0;
    reg  [V_WRITERS-1:0] v_given = 0, v_written = 0;
    wire [31:0]          count [0:1];
    wire [31:0]          both;
    integer              seed, idle, stall, s, i, at, cycles = 0;
    integer              pairs [0:1];        // layers that were sent
    integer              ends [0:1];         // cycle in which the open descriptor is written; 0: none is open
    integer              engine [0:1];       // number of the writer that has the open descriptor
    integer              since [0:1];        // cycles since all descriptors were written
    integer              lesser = 0;         // the smaller count, a cycle ago
    reg                  failed = 0, over = 0;

    rill_kv_tracker #(.K_WRITERS(K_WRITERS), .V_WRITERS(V_WRITERS), .COUNT_W(4)) dut (.clk(clk), .rst(rst),
        .k_layer_done(done[0]),
        .k_given(k_given), .k_written(k_written), .v_layer_done(done[1]), .v_given(v_given), .v_written(v_written),
        .k_layers_done(count[0]), .v_layers_done(count[1]), .kv_layers_done(both));
    always #1 clk = !clk;

    // Prints the number of the first check that fails, and ends the run.
    task fail(input integer what);
        begin
            if (!failed) $display("FAIL: check %0d, cycle %0d: counts %0d %0d %0d of %0d %0d", what, cycles, count[0],
                count[1], both, pairs[0], pairs[1]);
            failed = 1;
            $finish;
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        i = $urandom(seed);
        for (i = 0; i < 2; i = i + 1) begin
            pairs[i] = 0;
            ends[i] = 0;
            since[i] = 0;
        end
        repeat (3) @(posedge clk);
        rst <= 0;
    end

    always @(posedge clk) if (!rst && !over && !failed) begin
        cycles = cycles + 1;
        k_given <= 0;
        v_given <= 0;
        k_written <= 0;
        v_written <= 0;
        done <= 0;
        if (cycles > 2 && both != lesser) fail(1);
        lesser = count[0] < count[1] ? count[0] : count[1];
        for (s = 0; s < 2; s = s + 1) begin
            if (count[s] > pairs[s] || (ends[s] != 0 && count[s] == pairs[s])) fail(2 + s);
            since[s] = ends[s] == 0 ? since[s] + 1 : 0;
            if (since[s] > 4 && count[s] != pairs[s]) fail(4 + s);
            if (ends[s] == 0 && pairs[s] < PAIRS && since[s] > 4 &&
                $urandom_range(99) < (idle ? 3 : 20) * (s + 1)) begin
                engine[s] = $urandom_range((s == 0 ? K_WRITERS : V_WRITERS) - 1);
                ends[s] = cycles + 1 + $urandom_range(stall ? 100 : 10);
                pairs[s] = pairs[s] + 1;
                done[s] <= 1;
                if (s == 0) k_given[engine[s]] <= 1;
                else v_given[engine[s]] <= 1;
            end else if (ends[s] != 0 && cycles >= ends[s]) begin
                ends[s] = 0;
                if (s == 0) k_written[engine[s]] <= 1;
                else v_written[engine[s]] <= 1;
            end
        end
        if (both == PAIRS && !failed) begin
            $display("PASS");
            over = 1;
            $finish;
        end
        if (cycles > 100000) fail(6);
    end
endmodule
