// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_norm_spread. Compares N * S2 - S1^2 with 128-bit arithmetic, up to the largest sums. S1 is the sum
// of N numbers, and S2 the sum of their squares, which comes in the parts high, middle and low. The latency is 6
// enabled clocks.
// Sets for verif/modules/run.sh:
// sweep: N=1
// sweep: N=768
// sweep: N=65536
// quick: N=768
`default_nettype none

module rill_norm_spread_tb;
    // Parameters without a comment are those of the module.
    parameter N = 768;
    wire          clk, rst;
    reg  [59:0]   s1 = 0, high = 0, middle = 0, low = 0;
    wire [119:0]  y;
    reg           en = 0;
    reg  [59:0]   s1_vector [0:4095], high_vector [0:4095], middle_vector [0:4095], low_vector [0:4095];
    reg  [119:0]  y_vector [0:4095];
    reg  [1023:0] path;
    integer       file, count = 0, given = 0;      // given: vectors that were given so far, each for one enabled clock

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_norm_spread #(.N(N)) dut (.clk(clk), .en(en), .s1(s1), .high(high), .middle(middle), .low(low), .y(y));

    initial begin
        if (!$value$plusargs("vectors=%s", path)) path = "";
        file = $fopen(path, "r");
        while (file != 0 && $fscanf(file, "%h %h %h %h %h\n", s1_vector[count], high_vector[count],
            middle_vector[count], low_vector[count],
            y_vector[count]) == 5)
            count = count + 1;
    end

    always @(negedge clk) if (!rst) begin
        if (en || given == 0) begin
            if (given >= 6 && y !== y_vector[given-6]) begin
                $display("FAIL: vector %0d gives %h, expected %h", given - 6, y, y_vector[given-6]);
                $finish;
            end
            if (given == count + 5) begin
                if (count > 500) $display("PASS");
                else $display("FAIL: too few vectors");
                $finish;
            end
            s1 = s1_vector[given % count];
            high = high_vector[given % count];
            middle = middle_vector[given % count];
            low = low_vector[given % count];
            given = given + 1;
        end
        en = ($random & 3) != 0;
    end
endmodule

`default_nettype wire
