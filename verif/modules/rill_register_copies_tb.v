// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_register_copies. At the first clock edge of a reset every copy must become 0. After the reset every
// copy must hold the value that d had one cycle before.
// Sets for verif/modules/run.sh:
// sweep: COPIES=1 DATA_W=1
// sweep: COPIES=5 DATA_W=13
// quick: COPIES=5 DATA_W=13
`default_nettype none
`timescale 1ns / 1ps

module rill_register_copies_tb;
    // Parameters without a comment are those of the module.
    parameter COPIES = 5;
    parameter DATA_W = 13;
    wire                     clk, rst;
    reg  [DATA_W-1:0]        d = 0;
    reg  [DATA_W-1:0]        given = 0;      // value that the copies must hold after the next clock edge
    wire [COPIES*DATA_W-1:0] q;
    integer                  n, seed;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_register_copies #(.DATA_W(DATA_W), .COPIES(COPIES)) dut (.clk(clk), .rst(rst), .d(d), .q(q));

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        d = {DATA_W{1'b1}};
        @(posedge clk);
        #0.1;
        if (q !== {COPIES*DATA_W{1'b0}}) begin
            $display("FAIL: not 0 in reset");
            $finish;
        end
        wait (!rst);
        for (n = 0; n < 200; n = n + 1) begin
            @(negedge clk);
            d = $random(seed);
            given = d;
            @(posedge clk);
            #0.1;
            if (q !== {COPIES{given}}) begin
                $display("FAIL: copies %h of %h", q, given);
                $finish;
            end
        end
        $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
