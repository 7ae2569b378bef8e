// SPDX-License-Identifier: Apache-2.0
// Bench of rill_packed_mul: every nibble with the ends of both activations and with random ones, alone and in sums of
// four, of which one product carries the bias of all; split into halves they are the plain sums. p is kept without en.
// sweep: COUNT=1
// sweep: COUNT=4
// sweep: COUNT=3
// sweep: COUNT=4 X_BITS=10
// sweep: COUNT=1 X_BITS=10
// quick: COUNT=4 @ 50:50
// quick: COUNT=3 @ 50:50
// quick: COUNT=4 X_BITS=10 @ 50:50
`default_nettype none
`timescale 1ns / 1ps

module rill_packed_mul_tb;
    parameter COUNT = 1;
    parameter X_BITS = 8;
    localparam END = 1 << X_BITS - 1;
    localparam SPLIT = 26 - X_BITS;
    localparam BIAS = 16 * END;
    localparam ROUNDS = 4000;
    wire         clk, rst;
    reg          en = 0;
    reg  [31:0]  x [0:COUNT-1];
    reg  [3:0]   nibble [0:COUNT-1];
    wire [31:0]  p [0:COUNT-1];
    reg  [31:0]  sum, kept = 0;
    integer      n, i, seed, idle, x0, x1, low = 0, high = 0, most = 0;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    genvar g;
    generate
        for (g = 0; g < COUNT; g = g + 1) begin : gen_product
            rill_packed_mul #(.BIAS(g == 0 ? COUNT : 0), .X_BITS(X_BITS)) dut (.clk(clk), .en(en), .x(x[g]),
                .nibble(nibble[g]), .p(p[g]));
        end
    endgenerate

    function integer activation(input integer pick);
        activation = pick == 0 ? -END : pick == 1 ? END - 1 : pick == 2 ? -1 : pick == 3 ? 0
            : $unsigned($random(seed)) % (2 * END) - END;
    endfunction

    integer k;
    always @* begin
        sum = 0;
        for (k = 0; k < COUNT; k = k + 1)
            sum = sum + p[k];
    end

    task check(input integer what);
        if (sum[SPLIT-1:0] !== low || sum[31:SPLIT] !== high) begin
            $display("FAIL: check %0d round %0d: %0d %0d instead of %0d %0d", what, n, sum[SPLIT-1:0], sum[31:SPLIT],
                low, high);
            $finish;
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        @(negedge rst);
        for (n = 0; n < ROUNDS; n = n + 1) begin
            @(negedge clk);
            if (n > 0) check(1);
            en = n == 0 || $unsigned($random(seed)) % 100 >= idle;
            if (en) {low, high} = 0;
            for (i = 0; i < COUNT; i = i + 1) begin
                x0 = activation(n < 1024 ? n / 16 % 8 : 4);
                x1 = activation(n < 1024 ? n / 128 % 8 : 4);
                x[i] = x1 * (1 << SPLIT) + x0;
                nibble[i] = n < 1024 ? n % 16 : $random(seed);
                if (en) begin
                    low = low + x0 * nibble[i] + BIAS;
                    high = high + x1 * nibble[i] + BIAS;
                end
            end
            if (high > most) most = high;
        end
        if (most == COUNT * (BIAS + 15 * (END - 1))) $display("PASS");
        else $display("FAIL: the largest sum %0d was not reached", COUNT * (BIAS + 15 * (END - 1)));
        $finish;
    end
endmodule

`default_nettype wire
