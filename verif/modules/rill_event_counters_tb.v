// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_event_counters. Compares the counts with a model, under random events and random enables. Also
// checks clear and the carry into the high 32 bits, for which it forces a counter to a value just before the carry.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent; they have no effect here, so one pair
// of them is enough):
// sweep: EVENTS=1
// sweep: EVENTS=3
// quick: EVENTS=3 @ 50:50
`timescale 1ns/1ns
module rill_event_counters_tb;
    // Parameters without a comment are those of the module.
    parameter EVENTS = 2;
    reg clk = 0, rst = 1, clear = 0, enable = 0;
    reg [EVENTS-1:0] events = 0;
    wire [EVENTS*64-1:0] counts;
    reg [63:0] want [0:EVENTS-1];
    integer i, n, bad;
    always #5 clk = ~clk;
    rill_event_counters #(.EVENTS(EVENTS)) u_dut (.clk(clk), .rst(rst), .clear(clear), .enable(enable), .events(events),
        .counts(counts));
    // One cycle with random events and a random enable, which the model counts as well.
    task step;
        begin
            @(negedge clk);
            events = $random;
            enable = $random % 4 != 0;
            for (i = 0; i < EVENTS; i = i + 1) if (enable & events[i]) want[i] = want[i] + 1;
        end
    endtask
    // Compares all counters with the model, after the carry has had time to pass.
    task compare;
        begin
            @(negedge clk) enable = 0;
            @(negedge clk);
            @(negedge clk);
            for (i = 0; i < EVENTS; i = i + 1) if (counts[i*64 +: 64] !== want[i]) bad = bad + 1;
        end
    endtask
    initial begin
        bad = 0;
        for (i = 0; i < EVENTS; i = i + 1) want[i] = 0;
        repeat (3) @(negedge clk);
        rst = 0;
        for (n = 0; n < 200; n = n + 1) step;
        compare;
        force u_dut.gen_counter[0].low_q = 32'hffff_fff0; // 16 events before the carry
        @(negedge clk) release u_dut.gen_counter[0].low_q;
        want[0] = 64'hffff_fff0;
        for (n = 0; n < 200; n = n + 1) step;
        compare;
        @(negedge clk) clear = 1;
        @(negedge clk) clear = 0;
        for (i = 0; i < EVENTS; i = i + 1) want[i] = 0;
        compare;
        if (bad == 0) $display("PASS");
        else $display("FAIL: %0d counts differ", bad);
        $finish;
    end
endmodule
