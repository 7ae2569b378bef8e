// SPDX-License-Identifier: Apache-2.0
// rill_fp32_ln against the golden function, for positive fp32 operands, with the clock enable dropping at random.
// quick: - @ 50:50
`default_nettype none

module rill_fp32_ln_tb;
    localparam LATENCY = 13, MOST = 16384;

    reg         clk = 1'b0, en = 1'b0;
    reg  [31:0] a = 32'h3f800000;
    wire [31:0] y;
    reg  [31:0] given [0:MOST-1];
    reg  [31:0] want [0:MOST-1];
    reg         fault;
    integer     file, fields, count, i, seed, idle, stall, errors, at;
    reg [1023:0] path;

    always #2 clk = !clk;
    rill_fp32_ln u_dut (.clk(clk), .en(en), .power({1'b0, a[30:23]} - 9'd127), .fraction({a[22:0], 9'd0}), .y(y));

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        errors = 0;
        count = 0;
        if ($value$plusargs("vectors=%s", path)) begin
            file = $fopen(path, "r");
            fields = 3;
            while (file != 0 && fields == 3 && count < MOST) begin
                fields = $fscanf(file, "%h %h %d\n", given[count], want[count], fault);
                if (fields == 3 && !fault) count = count + 1;
            end
        end
        at = 0;
        for (i = 0; i < 20 * count + 1000 && at < count + LATENCY; i = i + 1) begin
            @(negedge clk);
            en = $unsigned($random(seed)) % 100 >= idle && $unsigned($random(seed)) % 100 >= stall;
            if (en) begin
                if (at >= LATENCY && y !== want[at-LATENCY])
                    errors = errors + 1;
                a = at < count ? given[at] : 32'h3f800000;
                at = at + 1;
            end
        end
        if (count < 1000 || at < count + LATENCY)
            $display("FAIL: %0d vectors, %0d clocks", count, at);
        else if (errors != 0)
            $display("FAIL: %0d results differ", errors);
        else
            $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
