// SPDX-License-Identifier: Apache-2.0
// rill_fp32_add against the golden addition.
// The vectors are the golden model's; with +idle or +stall the clock enable drops at random and every output must hold.
// quick: - @ 50:50
`default_nettype none

module rill_fp32_add_tb;

    `include "rill_latency.vh"
    localparam LATENCY = LATENCY_ADD;
    localparam MAX_VECTORS = 65536;

    reg         clk = 1'b0;
    reg         en = 1'b0;
    reg  [31:0] a = 0;
    reg  [31:0] b = 0;
    wire [31:0] y;
    wire        fault;
    reg  [31:0] a_vector [0:MAX_VECTORS-1];
    reg  [31:0] b_vector [0:MAX_VECTORS-1];
    reg  [31:0] y_vector [0:MAX_VECTORS-1];
    reg         fault_vector [0:MAX_VECTORS-1];
    integer file, fields, count, given, checked, seed, idle, stall, errors;
    reg [1023:0] path;

    always #2 clk = !clk;

    rill_fp32_add u_dut (.clk(clk), .en(en), .a(a), .b(b), .y(y), .fault(fault));

    task load;
        begin
            count = 0;
            if (!$value$plusargs("vectors=%s", path)) begin
                $display("FAIL: +vectors=FILE is missing");
                $finish;
            end
            file = $fopen(path, "r");
            fields = 4;
            while (file != 0 && fields == 4 && count < MAX_VECTORS) begin
                fields = $fscanf(file, "%h %h %h %h\n", a_vector[count], b_vector[count], y_vector[count],
                    fault_vector[count]);
                if (fields == 4)
                    count = count + 1;
            end
        end
    endtask

    task check(input integer i);
        begin
            if (fault !== fault_vector[i] || (!fault_vector[i] && (y !== y_vector[i]))) begin
                errors = errors + 1;
                if (errors < 10)
                    $display("vector %0d: a %h b %h y %h expected %h fault %h expected %h",
                             i, a_vector[i], b_vector[i], y, y_vector[i], fault, fault_vector[i]);
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
            b = en && given < count ? b_vector[given] : $random(seed);
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
