// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_delay_line. The bench gives random data and random enables. The output must equal the input that
// came DEPTH enabled clocks earlier; with DEPTH 0 it is the input itself.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: DEPTH=0
// sweep: DEPTH=1
// sweep: DEPTH=2
// sweep: DEPTH=3
// sweep: DEPTH=14
// quick: DEPTH=0 @ 50:50
// quick: DEPTH=3
// quick: DEPTH=14
`default_nettype none

module rill_delay_line_tb;
    // Parameters without a comment are those of the module.
    parameter DEPTH = 3;
    wire        clk, rst;
    reg         en = 1'b0;
    reg  [15:0] d = 0;
    wire [15:0] q;
    reg  [15:0] history [0:4095];
    integer     count = 0, cycles = 0, idle = 0, seed = 0;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_delay_line #(.DATA_W(16), .DEPTH(DEPTH)) dut (.clk(clk), .rst(rst), .en(en), .d(d), .q(q));

    initial begin
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
    end

    always @(negedge clk) if (!rst) begin
        // `count` words have been taken so far, so q must be word number count - DEPTH.
        if (DEPTH > 0 && count >= DEPTH && q !== history[count-DEPTH]) begin
            $display("FAIL: word %0d is %h", count, q);
            $finish;
        end
        d = $random(seed);
        en = $unsigned($random(seed)) % 100 >= idle;
        history[count] = d;
        #1 if (DEPTH == 0 && q !== d) begin
            $display("FAIL: not a wire");
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
