// SPDX-License-Identifier: Apache-2.0
// Bench part: compares a table of three coefficients per segment with the golden table, which it reads from the file
// +vectors (lines "c0 c1 c2", hexadecimal). It reads every segment in order, then random ones, while the clock enable
// drops at random (+idle, +stall). This part ends the run with its verdict. SEGMENTS: segments of the table.
`default_nettype none

module rill_table_bench #(
    parameter SEGMENTS = 128
) (
    output reg                         clk,
    output reg                         en,
    output reg  [$clog2(SEGMENTS)-1:0] index,
    input  wire [29:0]                 c0,
    input  wire [26:0]                 c1,
    input  wire [17:0]                 c2
);
    reg  [29:0]  c0_vector [0:SEGMENTS-1];
    reg  [26:0]  c1_vector [0:SEGMENTS-1];
    reg  [17:0]  c2_vector [0:SEGMENTS-1];
    integer      file, fields, i, held, seed, idle, stall, errors; // held: the latest index that was read, -1 before
    reg [1023:0] path;

    initial begin
        clk = 1'b0;
        forever #2 clk = !clk;
    end

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        {en, index} = 0;
        errors = 0;
        held = -1;
        fields = 0;
        if ($value$plusargs("vectors=%s", path)) begin
            file = $fopen(path, "r");
            for (i = 0; file != 0 && i < SEGMENTS; i = i + 1)
                fields = fields + $fscanf(file, "%h %h %h\n", c0_vector[i], c1_vector[i], c2_vector[i]);
        end
        for (i = 0; i < 20 * SEGMENTS; i = i + 1) begin
            @(negedge clk);
            if (held >= 0 && (c0 !== c0_vector[held] || c1 !== c1_vector[held] || c2 !== c2_vector[held]))
                errors = errors + 1;
            en = i < SEGMENTS || ($unsigned($random(seed)) % 100 >= idle && $unsigned($random(seed)) % 100 >= stall);
            index = i < SEGMENTS ? i : $random(seed);
            if (en)
                held = index;
        end
        if (fields != 3 * SEGMENTS)
            $display("FAIL: %0d of %0d table fields read", fields, 3 * SEGMENTS);
        else if (errors != 0)
            $display("FAIL: %0d reads differ", errors);
        else
            $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
