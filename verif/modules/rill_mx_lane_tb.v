// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_mx_lane. Compares the mantissas of values at many distances from the block's exponent, with ties
// and clamped values among them, with the C function g_fix_clamp. The latency is 2 enabled clocks.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: X_BITS=8
// sweep: X_BITS=10
// quick: X_BITS=8 @ 50:50
// quick: X_BITS=10 @ 50:50
`default_nettype none

module rill_mx_lane_tb;
    // Parameters without a comment are those of the module.
    parameter X_BITS = 8;
    wire         clk, rst;
    reg          en = 1'b0;
    reg  [31:0]  x = 0;
    reg  [7:0]   top = 0;
    reg          zero = 0;
    wire [X_BITS-1:0] q;
    reg  [31:0]  x_vector [0:16383];
    reg  [7:0]   top_vector [0:16383];
    reg          zero_vector [0:16383];
    reg  [X_BITS-1:0] q_vector [0:16383];
    reg [1023:0] path;
    integer      file, count = 0, given = 0, idle, seed;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_mx_lane #(.X_BITS(X_BITS)) dut (.clk(clk), .en(en), .x(x), .top(top), .zero(zero), .q(q));

    initial begin
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("vectors=%s", path)) path = "";
        file = $fopen(path, "r");
        while (file != 0 && $fscanf(file, "%h %h %h %h\n", x_vector[count], top_vector[count], zero_vector[count],
            q_vector[count]) == 4)
            count = count + 1;
    end

    always @(negedge clk) if (!rst) begin
        if (en) given = given + 1;
        if (given >= 2 && q !== q_vector[given-2]) begin
            $display("FAIL: %h under %h gives %h, expected %h", x_vector[given-2], top_vector[given-2], q,
                q_vector[given-2]);
            $finish;
        end
        if (given == count + 1) begin
            if (count > 1000) $display("PASS");
            else $display("FAIL: too few vectors");
            $finish;
        end
        en = $unsigned($random(seed)) % 100 >= idle;
        x = given < count ? x_vector[given] : 32'd0;
        top = given < count ? top_vector[given] : 8'd0;
        zero = given < count ? zero_vector[given] : 1'b0;
    end
endmodule

`default_nettype wire
