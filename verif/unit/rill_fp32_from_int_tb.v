// SPDX-License-Identifier: Apache-2.0
// rill_fp32_from_int against the golden conversion.
// sweep: WIDTH=2
// sweep: WIDTH=8
// sweep: WIDTH=16
// sweep: WIDTH=24
// sweep: WIDTH=33
// sweep: WIDTH=48
// sweep: WIDTH=64
// sweep: WIDTH=65
// sweep: WIDTH=96
// sweep: WIDTH=127
// sweep: WIDTH=128
// quick: WIDTH=24
// quick: WIDTH=33
// quick: WIDTH=65 @ 50:50
// The vectors are the golden model's; with +idle or +stall the clock enable drops at random and every output must hold.
`default_nettype none

module rill_fp32_from_int_tb #(parameter WIDTH = 64);

    `include "rill_latency.vh"
    localparam LATENCY = LATENCY_FROM_INT;
    localparam MAX_VECTORS = 65536;

    reg         clk = 1'b0;
    reg         en = 1'b0;
    reg  [WIDTH-1:0] a = 0;
    wire [31:0] y;
    reg  [WIDTH-1:0] a_vector [0:MAX_VECTORS-1];
    reg  [31:0] y_vector [0:MAX_VECTORS-1];
    integer file, fields, count, given, checked, seed, idle, stall, errors;
    reg [1023:0] path;

    always #2 clk = !clk;

    rill_fp32_from_int #(.WIDTH(WIDTH)) u_dut (.clk(clk), .en(en), .a(a), .y(y));

    task load;
        begin
            count = 0;
            if (!$value$plusargs("vectors=%s", path)) begin
                $display("FAIL: +vectors=FILE is missing");
                $finish;
            end
            file = $fopen(path, "r");
            fields = 2;
            while (file != 0 && fields == 2 && count < MAX_VECTORS) begin
                fields = $fscanf(file, "%h %h\n", a_vector[count], y_vector[count]);
                if (fields == 2)
                    count = count + 1;
            end
        end
    endtask

    task check(input integer i);
        begin
            if (y !== y_vector[i]) begin
                errors = errors + 1;
                if (errors < 10)
                    $display("vector %0d: a %h y %h expected %h",
                             i, a_vector[i], y, y_vector[i]);
            end
            checked = checked + 1;
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        given = 0;
        checked = 0;
        errors = 0;
        load;
        // `given` counts enabled clocks; after it, the outputs belong to vector given - LATENCY.
        while (given < count + LATENCY) begin
            @(negedge clk);
            if (given >= LATENCY && given - LATENCY < count)
                check(given - LATENCY);
            en = $unsigned($random(seed)) % 100 >= idle && $unsigned($random(seed)) % 100 >= stall;
            a = en && given < count ? a_vector[given] : $random(seed);
            if (en)
                given = given + 1;
        end
        if (errors != 0)
            $display("FAIL: %0d of %0d comparisons differ", errors, checked);
        else if (count < 1000)
            $display("FAIL: only %0d vectors", count);
        else
            $display("PASS");
        $finish;
    end

endmodule

`default_nettype wire
