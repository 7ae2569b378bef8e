// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_element_shift. Random lines must move up by 0 to 3 times STEP elements. A line must be kept while
// en is low.
// Sets for verif/modules/run.sh:
// sweep: ELEMS=1 ELEM_W=8 STEP=1
// sweep: ELEMS=13 ELEM_W=32 STEP=4
// sweep: ELEMS=64 ELEM_W=5 STEP=16
// quick: ELEMS=13 ELEM_W=32 STEP=4
`default_nettype none
`timescale 1ns / 1ps

module rill_element_shift_tb;
    // Parameters without a comment are those of the module.
    parameter ELEMS = 13;
    parameter ELEM_W = 32;
    parameter STEP = 4;
    localparam W = ELEMS * ELEM_W;
    wire         clk, rst;
    reg          en = 0;
    reg  [1:0]   by;
    reg  [W-1:0] d, due;
    wire [W-1:0] q;
    integer      n, i, seed;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_element_shift #(.ELEMS(ELEMS), .ELEM_W(ELEM_W), .STEP(STEP)) dut (.clk(clk), .en(en), .by(by), .d(d), .q(q));

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        for (n = 0; n < 400; n = n + 1) begin
            @(negedge clk);
            if (n > 0 && q !== due) begin
                $display("FAIL: %h instead of %h", q, due);
                $finish;
            end
            by = $random(seed);
            en = n == 0 || $unsigned($random(seed)) % 4 != 0;
            for (i = 0; i < W; i = i + 1)
                d[i] = $random(seed);
            if (en)
                due = d << (by * STEP * ELEM_W);
        end
        $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
