// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_fp32_quadratic. Compares it with its formula in 64-bit integers, with c1 and c2 in the ranges of
// the tables. With +idle or +stall the clock enable drops at random. D_W, SHIFT2 and SHIFT1 are as in the module.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: D_W=18 SHIFT2=16 SHIFT1=22
// sweep: D_W=16 SHIFT2=14 SHIFT1=19
// quick: D_W=18 SHIFT2=16 SHIFT1=22 @ 50:50
`default_nettype none

module rill_fp32_quadratic_tb #(parameter D_W = 18, parameter SHIFT2 = 16, parameter SHIFT1 = 22);

    localparam COUNT = 5000;

    reg                   clk = 1'b0;
    reg                   en = 1'b0;
    reg  signed [D_W-1:0] d = 0;
    reg         [29:0]    c0 = 0;
    reg  signed [26:0]    c1 = 0;
    reg  signed [17:0]    c2 = 0;
    wire        [24:0]    y;
    reg         [24:0]    expected [0:COUNT+4];
    integer               given, seed, idle, stall, errors;

    always #2 clk = !clk;

    rill_fp32_quadratic #(.D_W(D_W), .SHIFT2(SHIFT2), .SHIFT1(SHIFT1)) u_dut
        (.clk(clk), .en(en), .d(d), .c0(c0), .c1(c1), .c2(c2), .y(y));

    // Returns c0 + d * (c1 + c2 * d), with the shifts of the module.
    function [24:0] formula(input signed [63:0] fd, input signed [63:0] f0, input signed [63:0] f1,
        input signed [63:0] f2);
        reg signed [63:0] slope, value;
        begin
            slope = f1 + ((f2 * fd) >>> SHIFT2);
            value = f0 + ((slope * fd) >>> SHIFT1);
            formula = value[29:5];
        end
    endfunction

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        errors = 0;
        given = 0;
        while (given < COUNT + 4) begin
            @(negedge clk);
            if (given >= 4 && y !== expected[given-4]) // the latency is 4 enabled clocks
                errors = errors + 1;
            en = $unsigned($random(seed)) % 100 >= idle && $unsigned($random(seed)) % 100 >= stall;
            d = $random(seed);
            if (given % 8 < 2) // smallest and largest d: the ends of a segment
                d = {given[0], {(D_W-1){!given[0]}}};
            c0 = {1'b0, 29'h10000000} + ($random(seed) & 30'h0fffffff);
            c1 = $random(seed);
            c1 = c1 >>> 1; // |c1| <= 2^25: no carry out of 27 bits
            c2 = $random(seed);
            if (en) begin
                expected[given] = formula(d, {34'd0, c0}, c1, c2);
                given = given + 1;
            end
        end
        if (errors != 0)
            $display("FAIL: %0d values differ", errors);
        else
            $display("PASS");
        $finish;
    end

endmodule

`default_nettype wire
