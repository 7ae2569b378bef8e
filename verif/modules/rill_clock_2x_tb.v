// SPDX-License-Identifier: Apache-2.0
// Bench of rill_clock_2x: with RILL_VENDOR_CELLS clk has an edge with each one of ap_clk, and clk_2x with each one of
// clk and once in the middle between; locked comes with them, not before. Else all three are one.
// sweep: PERIOD_PS=4000 MULTIPLY=6 form=cells
// sweep: PERIOD_PS=10000 MULTIPLY=16 form=cells
// sweep: PERIOD_PS=4000 MULTIPLY=6
// quick: PERIOD_PS=4000 MULTIPLY=6 form=cells @ 0:0
`default_nettype none
`timescale 1ns / 1ps

module rill_clock_2x_tb;
    parameter PERIOD_PS = 4000;
    parameter MULTIPLY = 6;
    localparam real PERIOD = PERIOD_PS / 1000.0;
    reg     ap_clk = 1'b0;
    wire    clk, clk_2x, locked;
    real    at_clk = 0, at_2x = 0;
    integer n, once = 0, twice = 0;
`ifdef RILL_VENDOR_CELLS
    localparam MANY = 2;
`else
    localparam MANY = 1;
`endif

    rill_clock_2x #(.PERIOD_PS(PERIOD_PS), .MULTIPLY(MULTIPLY)) dut (
        .ap_clk(ap_clk), .clk(clk), .clk_2x(clk_2x), .locked(locked));

    task fail(input integer what);
        begin
            $display("FAIL: %0d", what);
            $finish;
        end
    endtask
    always @(posedge clk) begin
        if (ap_clk !== 1'b1 || (once > 0 && $realtime - at_clk != PERIOD)) fail(1);
        at_clk = $realtime;
        once = once + 1;
    end
    always @(posedge clk_2x) begin
        if (twice > 0 && $realtime - at_2x != PERIOD / MANY) fail(2);
        at_2x = $realtime;
        twice = twice + 1;
    end
    always @(locked or clk or clk_2x)
        if (locked !== 1'b1 && (clk === 1'b1 || clk_2x === 1'b1)) fail(3);
    initial begin
        for (n = 0; n < 40; n = n + 1) begin
            #(PERIOD / 2) ap_clk = 1'b1;
            #0.001;
            if (locked === 1'b1 && (at_clk != $realtime - 0.001 || at_2x != at_clk)) fail(4);
            #(PERIOD / 2 - 0.001) ap_clk = 1'b0;
        end
        if (locked !== 1'b1 || once < 30 || (twice != MANY * once && twice != MANY * once - 1)) fail(5);
        $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
