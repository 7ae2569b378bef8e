// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_round_robin. The grant must go to the first client that requests it, in cyclic order from the one
// after the client that was served last. It must be 0 if no client requests it. +idle and +stall make requests and
// takes rarer.
// Sets for verif/modules/run.sh:
// sweep: CLIENTS=1
// sweep: CLIENTS=3
// sweep: CLIENTS=64
// quick: CLIENTS=3
`default_nettype none
`timescale 1ns / 1ps

module rill_round_robin_tb;
    // Parameters without a comment are those of the module.
    parameter CLIENTS = 3;
    reg                clk = 0, rst = 1, take = 0;
    reg  [CLIENTS-1:0] request = 0;
    wire [CLIENTS-1:0] grant;
    integer            seed, idle, stall, i, k, last, want, n;

    rill_round_robin #(.CLIENTS(CLIENTS)) dut (.clk(clk), .rst(rst), .take(take), .request(request), .grant(grant));
    always #1 clk = !clk;

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        i = $urandom(seed);
        repeat (3) @(posedge clk);
        rst <= 0;
        last = CLIENTS - 1;
        for (n = 0; n < 2000; n = n + 1) begin
            for (i = 0; i < CLIENTS; i = i + 1)
                request[i] <= $urandom_range(99) >= idle;
            take <= $urandom_range(99) >= stall;
            #0.5;
            want = -1;
            for (k = CLIENTS; k >= 1; k = k - 1)
                if (request[(last + k) % CLIENTS])
                    want = (last + k) % CLIENTS;
            if (grant !== (want < 0 ? 0 : 1 << want)) begin
                $display("FAIL: request %b, last %0d, grant %b", request, last, grant);
                $finish;
            end
            @(posedge clk);
            if (take && want >= 0)
                last = want;
            #0.1;
        end
        $display("PASS");
        $finish;
    end
endmodule
