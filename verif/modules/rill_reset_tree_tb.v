// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_reset_tree. Every copy must be 1 at power-up. Later it must equal the input, delayed by 1 + HOPS
// registers.
// Sets for verif/modules/run.sh:
// sweep: COPIES=1
// sweep: COPIES=5 HOPS=2
// quick: COPIES=5 HOPS=2
// quick: COPIES=3 HOPS=1
`default_nettype none
`timescale 1ns / 1ps

module rill_reset_tree_tb;
    // Parameters without a comment are those of the module.
    parameter COPIES = 5;
    parameter HOPS = 2;
    localparam LATENCY = 1 + HOPS;
    wire              clk, rst;
    reg               d = 1'b0;
    reg  [LATENCY-1:0] given = {LATENCY{1'b1}};              // latest values of d, the last one in bit 0
    wire [COPIES-1:0] q;
    integer           n, seed;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_reset_tree #(.HOPS(HOPS), .COPIES(COPIES)) dut (.clk(clk), .d(d), .q(q));

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        for (n = 0; n < 200; n = n + 1) begin
            @(posedge clk);
            given = (given << 1) | d;
            #0.1;
            if (q !== {COPIES{given[LATENCY-1]}}) begin
                $display("FAIL: copies %b in cycle %0d, not %b", q, n, given[LATENCY-1]);
                $finish;
            end
            @(negedge clk);
            d = $random(seed);
        end
        $display("PASS");
        $finish;
    end
    wire unused = &{1'b0, rst};
endmodule

`default_nettype wire
