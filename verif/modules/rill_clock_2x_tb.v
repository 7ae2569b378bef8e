// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_clock_2x. With RILL_VENDOR_CELLS: while ready is high, clk_2x must have a rising edge at each
// rising edge of ap_clk, and one in the middle between two rising edges of ap_clk. ready must rise only after a reset,
// and 150 to 400 cycles after it. If the clock has a gap of one or more periods, another period, or a frequency outside
// the oscillator's range, ready must fall within four cycles, the loss must be counted, and ready must rise again when
// the clock is good again. failed must rise if the clock stays outside the range.
// Without the macro, clk_2x must be ap_clk, and ready must rise 30 to 70 cycles after the reset.
// Checks in messages: 1 edges of clk_2x, 2 time until ready, 3 state after ready, 4 ready after a disturbance, 5 ready
// without a reset, 6 and 8 state after and in a reset, 7 failed, 9 to 11 without the macro: clk_2x and state.
// Sets for verif/modules/run.sh (form=cells defines RILL_VENDOR_CELLS; after @: idles and stalls in percent; they have
// no effect here, so one pair of them is enough):
// sweep: PERIOD_PS=4000 MULTIPLY=6 form=cells
// sweep: PERIOD_PS=10000 MULTIPLY=16 form=cells
// sweep: PERIOD_PS=4000 MULTIPLY=6
// quick: PERIOD_PS=4000 MULTIPLY=6 form=cells @ 0:0
// quick: PERIOD_PS=4000 MULTIPLY=6 @ 0:0
`default_nettype none
`timescale 1ns / 1ps

module rill_clock_2x_tb;
    // Parameters without a comment are those of the module.
    parameter PERIOD_PS = 4000;
    parameter MULTIPLY = 6;
    localparam real PERIOD = PERIOD_PS / 1000.0;
    reg         ap_clk = 1'b0, rst = 1'b1;
    wire        clk_2x;
    wire [31:0] state;
    wire        ready = state[0], failed = state[1];
    real        period = PERIOD, at_clk = 0, at_2x = 0, before_2x = 0;
    integer     n, since = 0, waited, missing, lost = 0;

    rill_clock_2x #(.PERIOD_PS(PERIOD_PS), .MULTIPLY(MULTIPLY)) dut (
        .ap_clk(ap_clk), .rst(rst), .clk_2x(clk_2x), .state(state));

    // Prints the number of a check that fails, and ends the run.
    task fail(input integer what);
        begin
            $display("FAIL: %0d", what);
            $finish;
        end
    endtask
    // Drives a cycle of ap_clk.
    task cycle;
        begin
            #(period / 2) ap_clk = 1'b1;
            at_clk = $realtime;
            #(period / 2) ap_clk = 1'b0;
        end
    endtask
    // Drives many cycles of ap_clk.
    task cycles(input integer many);
        for (n = 0; n < many; n = n + 1)
            cycle;
    endtask
    always @(posedge clk_2x) begin
        before_2x = at_2x;
        at_2x = $realtime;
    end
`ifdef RILL_VENDOR_CELLS
    // In the low half of each cycle of ap_clk, checks when the last two rising edges of clk_2x came, if ready is high.
    // since: cycles since the clock was disturbed. ready may stay high for three of them.
    always @(negedge ap_clk) begin
        since = since + 1;
        #(period / 8);
        if (ready && since > 3 && (at_2x < at_clk + period / 2 - 0.002 || at_2x > at_clk + period / 2 + 0.002
            || before_2x < at_clk - 0.002 || before_2x > at_clk + 0.002)) begin
            $display("ap_clk %0.3f, clk_2x %0.3f and %0.3f", at_clk, before_2x, at_2x);
            fail(1);
        end
    end
`endif
    // Checks that ready rises after `least` to `most` cycles and stays high, and the count of losses.
    task becomes_ready(input integer least, input integer most);
        begin
            for (waited = 0; !ready && waited <= most; waited = waited + 1)
                cycle;
            if (waited < least || waited > most) begin
                $display("ready after %0d cycles", waited);
                fail(2);
            end
            cycles(20);
            if (!ready || failed || state[31:16] != lost) fail(3);
        end
    endtask
    task happens;                                // the clock has just been disturbed: ready must fall in four cycles
        begin
            since = 0;
            lost = lost + 1;
            cycles(4);
            if (ready) fail(4);
        end
    endtask

`ifdef RILL_VENDOR_CELLS
    initial begin
        cycles(400);                             // without a reset the MMCM never locks
        if (ready) fail(5);
        cycles(16);
        rst = 1'b0;
        cycle;
        if (ready || failed) fail(6);
        becomes_ready(150, 400);                 // time until the model of the MMCM locks
        for (missing = 1; missing < 6; missing = missing + 1) begin // number of periods that are missing
            since = 0;
            #(missing * period);
            happens;
            becomes_ready(150, 400);
        end
        #(64 * period);                          // half of the range of the counter of edges
        happens;
        becomes_ready(150, 400);
        since = 0;
        period = PERIOD * 1.1;                   // slower, still in the oscillator's range
        cycle;
        happens;
        becomes_ready(150, 400);
        since = 0;
        period = PERIOD * 3;                     // outside of the range
        cycle;
        happens;
        cycles(140000);                          // failed rises within this time
        if (!failed || ready) fail(7);
        period = PERIOD;
        becomes_ready(1, 140000);
        rst = 1'b1;                              // a reset forgets the losses
        lost = 0;
        cycles(4);
        since = 0;
        if (ready || state != 0) fail(8);
        rst = 1'b0;
        becomes_ready(150, 400);
        $display("PASS");
        $finish;
    end
`else
    always @(clk_2x or ap_clk) begin
        #0.001;
        if (clk_2x !== ap_clk) fail(9);
    end
    initial begin
        cycles(10);
        rst = 1'b0;
        cycle;
        if (state !== 32'd0) fail(10);
        becomes_ready(30, 70);
        cycles(100);
        if (state !== 32'd1) fail(11);
        $display("PASS");
        $finish;
    end
`endif
endmodule

`default_nettype wire
