// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_reset. rst must be high at power-up, without any edge of the pin ap_rst_n. Later it must be the
// inverse of the pin, delayed by STAGES registers.
// Sets for verif/modules/run.sh:
// sweep: STAGES=2
// sweep: STAGES=3
// sweep: STAGES=7
// quick: STAGES=2
// quick: STAGES=5
`default_nettype none
`timescale 1ns / 1ps

module rill_reset_tb;
    // Parameters without a comment are those of the module.
    parameter STAGES = 3;
    wire              clk, unused;
    reg               ap_rst_n = 1'b1;
    reg  [STAGES-1:0] past = {STAGES{1'b1}};
    wire              rst;
    integer           n, seed;

    rill_bench_clock u_clock (.clk(clk), .rst(unused), .again(1'b0));
    rill_reset #(.STAGES(STAGES)) dut (.clk(clk), .ap_rst_n(ap_rst_n), .rst(rst));

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        #1;
        if (rst !== 1'b1) begin
            $display("FAIL: no reset at power-up");
            $finish;
        end
        for (n = 0; n < 200; n = n + 1) begin
            @(posedge clk);
            past = {past[STAGES-2:0], !ap_rst_n};
            #0.1;
            if (rst !== past[STAGES-1]) begin
                $display("FAIL: reset %b instead of %b after cycle %0d", rst, past[STAGES-1], n);
                $finish;
            end
            @(negedge clk);
            ap_rst_n = $random(seed);
        end
        $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
