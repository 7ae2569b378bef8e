// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_write_tracker. Each layer gives every engine a random number of descriptors, or none. Each
// descriptor is reported as written after a random time. The count must never include a layer with an open descriptor.
// When all descriptors of the finished layers are written, the count must reach the number of these layers within
// LATENCY cycles. To test that an unfinished layer does not delay the count of earlier ones, some layers pause after a
// part of their descriptors until the count has reached all earlier layers.
// Checks in messages: 1 and 2 the count is ahead, 3 it decreases, 4 it is late, 5 too few layers paused, 6 the run
// takes too long.
// Sets for verif/modules/run.sh, which also sets idles and stalls: with idles, descriptors are given less often; with
// stalls, they are written less often.
// sweep: WRITERS=3 COUNT_W=5
// sweep: WRITERS=1 COUNT_W=9
// sweep: WRITERS=17 COUNT_W=3
`default_nettype none
`timescale 1ns / 1ps

module rill_write_tracker_tb;
    // Parameters without a comment are those of the module.
    parameter WRITERS = 3;
    parameter COUNT_W = 5;
    localparam LAYERS = 400;
    // LATENCY: most cycles from the pulse to the count. The module needs 2 cycles after the last written pulse, and 1
    // more if the round before has only ended with it; or 3 after a layer_done without open descriptors.
    localparam LATENCY = 3;
    localparam MOST = (1 << COUNT_W) - 1;    // most open descriptors that an engine's counter can count

    reg                clk = 0, rst = 1, layer_done = 0;
    reg  [WRITERS-1:0] given = 0, written = 0;
    wire [31:0]        count;
    // layer: number of finished layers. whole: how many of them, counted from the first, have all their descriptors
    // written. ripe: 1 at the clock edge at which the module takes the pulse with which `whole` grew, then one more at
    // each edge. was: the count one cycle before. held: a layer pauses. holds: layers that paused.
    integer            seed, idle, stall, i, c, n, cycles = 0, layer = 0, whole = 0, was = 0, ripe = 0;
    integer            left [0:WRITERS-1];   // descriptors of the current layer that are not given yet
    integer            open [0:LAYERS*WRITERS-1]; // open descriptors of a layer and engine
    integer            owner [0:WRITERS*1024-1]; // layers of an engine's open descriptors, in order
    integer            wr [0:WRITERS-1], rd [0:WRITERS-1]; // descriptors of an engine that were given, and written
    reg                all_given, all_written, failed = 0, done = 0, held = 0;
    integer            holds = 0;

    rill_write_tracker #(.WRITERS(WRITERS), .COUNT_W(COUNT_W)) dut (.clk(clk), .rst(rst), .layer_done(layer_done),
        .given(given),
        .written(written), .layers_done(count));
    always #1 clk = !clk;

    // Returns 1 in `percent` percent of its calls.
    function chance(input integer percent);
        chance = $urandom_range(99) < percent;
    endfunction

    // Draws the numbers of descriptors of the next layer.
    task begin_layer;
        for (c = 0; c < WRITERS; c = c + 1)
            left[c] = chance(30) ? 0 : $urandom_range(4);
    endtask

    // Prints the number of the first check that fails, and ends the run.
    task fail(input integer what);
        begin
            if (!failed) $display("FAIL: check %0d, cycle %0d: count %0d after %0d, %0d layers done", what, cycles,
                count, was, layer);
            failed = 1;
            $finish;
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        i = $urandom(seed);
        for (i = 0; i < LAYERS * WRITERS; i = i + 1) open[i] = 0;
        for (i = 0; i < WRITERS; i = i + 1) begin
            wr[i] = 0;
            rd[i] = 0;
        end
        begin_layer;
        repeat (3) @(posedge clk);
        rst <= 0;
    end

    always @(posedge clk) if (!rst && !done && !failed) begin
        cycles = cycles + 1;
        // Checks the count with the inputs of earlier cycles.
        for (n = was; n < count; n = n + 1) begin
            if (n >= layer) fail(1);
            for (i = 0; i < WRITERS; i = i + 1)
                if (open[n*WRITERS+i] != 0) fail(2);
        end
        if (count < was) fail(3);
        was = count;
        all_written = 1;
        while (whole < layer && all_written) begin
            for (i = 0; i < WRITERS; i = i + 1)
                if (open[whole*WRITERS+i] != 0) all_written = 0;
            if (all_written) begin
                whole = whole + 1;
                ripe = 0;
            end
        end
        ripe = ripe + 1;
        if (whole == layer && ripe > LATENCY && count != layer) fail(4);
        // Reports descriptors that were given in earlier cycles as written.
        written <= 0;
        for (i = 0; i < WRITERS; i = i + 1)
            if (rd[i] < wr[i] && chance(stall ? 4 : 30)) begin
                written[i] <= 1;
                open[owner[i*1024 + rd[i] % 1024] * WRITERS + i] = open[owner[i*1024 + rd[i] % 1024] * WRITERS + i] - 1;
                rd[i] = rd[i] + 1;
            end
        // Gives a layer's descriptors, and its end after or together with the last ones. While held, gives nothing
        // until the count has reached all finished layers.
        if (held && count == layer) held = 0;
        given <= 0;
        layer_done <= 0;
        if (layer < LAYERS && !held) begin
            all_given = 1;
            for (i = 0; i < WRITERS; i = i + 1)
                if (left[i] > 0) begin
                    if (wr[i] - rd[i] < MOST - 2 && chance(idle ? 20 : 80)) begin
                        given[i] <= 1;
                        owner[i*1024 + wr[i] % 1024] = layer;
                        open[layer*WRITERS+i] = open[layer*WRITERS+i] + 1;
                        wr[i] = wr[i] + 1;
                        left[i] = left[i] - 1;
                    end
                    if (left[i] > 0) all_given = 0;
                end
            if (all_given && chance(50)) begin
                layer_done <= 1;
                layer = layer + 1;
                begin_layer;
            end else if (!all_given && chance(6)) begin
                held = 1;
                holds = holds + 1;
            end
        end
        if (count == LAYERS) begin
            if (holds < 10) fail(5);
            if (!failed) $display("PASS");
            done = 1;
            $finish;
        end
        if (cycles > 200000) fail(6);
    end
endmodule
