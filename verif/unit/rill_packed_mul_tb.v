// SPDX-License-Identifier: Apache-2.0
// Bench of rill_packed_mul: every nibble with the ends of both activations and with random ones, alone and in chains of
// up to four, of which the first carries the bias of all and each next one works a cycle later; split into halves their
// ends are the plain sums. p is kept without en.
// sweep: COUNT=1
// sweep: COUNT=4
// sweep: COUNT=3
// sweep: COUNT=4 X_BITS=10
// sweep: COUNT=1 X_BITS=10
// sweep: COUNT=4 define=RILL_DSP48E2
// sweep: COUNT=4 X_BITS=10 define=SYNTHESIS
// quick: COUNT=4 @ 50:50
// quick: COUNT=4 define=RILL_DSP48E2 @ 50:50
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
    reg  [31:0]  sum;
    integer      n, i, seed, idle, x0, x1, low = 0, high = 0, most = 0;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    genvar g;
    generate
        for (g = 0; g < COUNT; g = g + 1) begin : gen_product
            wire [31:0] sum_in;
            wire [36:0] now;
            if (g == 0) begin : gen_begin
                assign sum_in = 32'd0;
                assign now = {en, nibble[0], x[0]};
            end else begin : gen_next
                reg [37*g-1:0] late_q = 0;
                always @(posedge clk)
                    late_q <= {late_q, en, nibble[g], x[g]};
                assign sum_in = p[g-1];
                assign now = late_q[37*g-1 -: 37];
            end
            rill_packed_mul #(.BIAS(g == 0 ? COUNT : 0), .X_BITS(X_BITS)) dut (.clk(clk), .en(now[36]), .x(now[31:0]),
                .nibble(now[35:32]), .sum_in(sum_in), .p(p[g]));
        end
    endgenerate

    // What the chain's end should be: of the round COUNT - 1 cycles ago, or of an earlier one without en.
    reg  [64:0]  told [0:3];
    integer      want_low = 0, want_high = 0;
    always @(posedge clk) begin
        told[0] <= {en, low, high};
        told[1] <= told[0];
        told[2] <= told[1];
        told[3] <= told[2];
    end
    always @* sum = p[COUNT-1];

    function integer activation(input integer pick);
        activation = pick == 0 ? -END : pick == 1 ? END - 1 : pick == 2 ? -1 : pick == 3 ? 0
            : $unsigned($random(seed)) % (2 * END) - END;
    endfunction

    task check;
        begin
            if (told[COUNT-1][64] === 1'b1) {want_low, want_high} = told[COUNT-1][63:0];
            if (n > COUNT && (sum[SPLIT-1:0] !== want_low || sum[31:SPLIT] !== want_high)) begin
                $display("FAIL: round %0d: %0d %0d instead of %0d %0d", n, sum[SPLIT-1:0], sum[31:SPLIT], want_low,
                    want_high);
                $finish;
            end
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        @(negedge rst);
        for (n = 0; n < ROUNDS; n = n + 1) begin
            @(negedge clk);
            if (n > 0) check;
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
