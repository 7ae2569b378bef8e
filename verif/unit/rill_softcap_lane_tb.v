// SPDX-License-Identifier: Apache-2.0
// Bench of rill_softcap_lane: corner and random values of the whole range against the golden model with a cap of 30,
// random enables, latency 33.
// quick: - @ 50:50
`default_nettype none

module rill_softcap_lane_tb;
    localparam LATENCY = 33;
    wire               clk, rst, fault;
    reg                en = 1'b0;
    reg  [31:0]        x = 0;
    wire [31:0]        y;
    reg  [LATENCY-1:0] valid = 0;
    reg  [31:0]        x_vector [0:16383];
    reg  [31:0]        y_vector [0:16383];
    reg                bad;
    reg  [1023:0]      path;
    integer            file, count = 0, given = 0, idle, seed;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_softcap_lane #(.SLOPE(32'hbd888889), .GAIN(32'h42700000)) dut (.clk(clk), .en(en), .valid(valid), .x(x), .y(y),
        .fault(fault));

    // Vectors that fault are left out: the fault of a lane is not aligned with y.
    initial begin
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("vectors=%s", path)) path = "";
        file = $fopen(path, "r");
        while (file != 0 && $fscanf(file, "%h %h %h\n", x_vector[count], y_vector[count], bad) == 3)
            if (!bad) count = count + 1;
    end

    always @(posedge clk) if (en) valid <= {valid[LATENCY-2:0], !rst && given < count};

    always @(negedge clk) if (!rst) begin
        if (given > 0 && en && fault) begin
            $display("FAIL: fault before vector %0d", given);
            $finish;
        end
        if (en) given = given + 1;
        if (given >= LATENCY && y !== y_vector[given-LATENCY]) begin
            $display("FAIL: %h gives %h, expected %h", x_vector[given-LATENCY], y, y_vector[given-LATENCY]);
            $finish;
        end
        if (given >= LATENCY + count - 1) begin
            if (count > 1000) $display("PASS");
            else $display("FAIL: too few vectors");
            $finish;
        end
        en = $unsigned($random(seed)) % 100 >= idle;
        x = given < count ? x_vector[given] : 32'h7f800000; // of no word: not looked at
    end
endmodule

`default_nettype wire
