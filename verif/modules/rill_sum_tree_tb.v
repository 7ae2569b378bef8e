// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_sum_tree. Compares sums of random numbers, under random enables, with sums from a loop. The latency
// is log2(LANES) enabled clocks.
// Sets for verif/modules/run.sh:
// sweep: LANES=1
// sweep: LANES=2
// sweep: LANES=16
// quick: LANES=16
`default_nettype none

module rill_sum_tree_tb;
    // Parameters without a comment are those of the module.
    parameter LANES = 2;
    localparam LEVELS = $clog2(LANES);
    wire               clk, rst;
    reg                en = 1'b0;
    reg  [LANES*24-1:0] d = 0;
    wire [23:0]        q;
    reg  [23:0]        expected [0:4095];
    reg  [23:0]        value;
    // count: numbers that were taken so far, each with one enabled clock.
    integer            count = 0, cycles = 0, idle = 0, seed = 0, i;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_sum_tree #(.DATA_W(24), .LANES(LANES)) dut (.clk(clk), .en(en), .d(d), .q(q));

    initial begin
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
    end

    always @(negedge clk) if (!rst) begin
        en = $unsigned($random(seed)) % 100 >= idle;
        value = 0;
        for (i = 0; i < LANES; i = i + 1) begin
            d[i*24 +: 24] = $random(seed);
            value = value + d[i*24 +: 24];
        end
        expected[count] = value;
        #1 if (count >= LEVELS && q !== expected[count-LEVELS]) begin
            $display("FAIL: result %0d is %h", count, q);
            $finish;
        end
        if (en) count = count + 1;
        cycles = cycles + 1;
        if (cycles == 2000) begin
            $display("PASS");
            $finish;
        end
    end
endmodule

`default_nettype wire
