// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_owed. Compares owed with a model that counts open bursts. After a reset with open bursts, owed must
// be high until the last one is answered, or until the memory has sent nothing for 2^QUIET_BITS cycles. A reset without
// open bursts, and a burst that is requested after the reset, must leave owed low. An answer without a request must
// change nothing.
// Sets for verif/modules/run.sh:
// sweep: QUIET_BITS=4
// sweep: QUIET_BITS=6
`default_nettype none
`timescale 1ns / 1ps

module rill_owed_tb;
    // Parameters without a comment are those of the module.
    parameter QUIET_BITS = 4;
    localparam QUIET = 1 << QUIET_BITS;

    reg     clk = 0, rst = 1, asked = 0, answered = 0, sign = 0;
    wire    owed;
    integer seed, idle, stall, open = 0, silent = 0, late = 0, resets = 0, outlasted = 0, mended = 0, cycles = 0;
    reg     want = 0, failed = 0;
    // want: the expected owed. open: bursts without an answer. silent: cycles with want high and `sign` low. outlasted,
    // mended: how often want has ended after QUIET silent cycles, or because every burst was answered.

    rill_owed #(.QUIET_BITS(QUIET_BITS)) dut (
        .clk(clk), .rst(rst), .asked(asked), .answered(answered), .sign(sign), .owed(owed));
    always #1 clk = !clk;

    // Returns 1 in `percent` percent of its calls.
    function chance(input integer percent);
        chance = $urandom_range(99) < percent;
    endfunction

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        silent = $urandom(seed);
        silent = 0;
    end

    always @(posedge clk) if (!failed) begin
        cycles = cycles + 1;
        if (owed !== want) begin
            $display("FAIL: owed is %b in cycle %0d, %0d bursts open", owed, cycles, open);
            failed = 1;
            $finish;
        end
        // Updates the model with the inputs of this edge. The next edge compares it.
        silent = rst || sign || !want ? 0 : silent + 1;
        if (silent == QUIET) begin
            want = 0;
            open = 0;
            silent = 0;
            outlasted = outlasted + 1;
        end else begin
            if (rst || want) begin
                if (want && !rst && open == 0) mended = mended + 1;
                want = open != 0;
            end
            if (asked && !answered) open = open + 1;
            if (!asked && answered && open > 0) open = open - 1;
        end
        // Chooses the inputs of the next cycle. With late = 0 the memory has died with the latest reset and answers
        // nothing until the next reset. Otherwise the memory is silent only now and then.
        if (rst && chance(50)) begin
            rst <= 0;
            late = $urandom_range(2);
        end else if (!rst && chance(1)) begin
            rst <= 1;
            resets = resets + 1;
        end
        asked <= !rst && !want && open < 20 && chance(60 - idle / 2);
        sign <= 0;
        answered <= 0;
        if (late != 0 && chance(20 + stall / 4)) begin
            sign <= 1;
            answered <= chance(50);
        end
        if (resets > 200 && outlasted > 5 && mended > 20) begin
            $display("PASS");
            $finish;
        end
        if (cycles > 200000) begin
            $display("FAIL: %0d resets, %0d outlasted, %0d mended", resets, outlasted, mended);
            $finish;
        end
    end
endmodule
