// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_dequantize. Compares results and the fault of each lane with the C function, bit by bit. Results
// must come 12 cycles after the vector, with the vector's sideband, and faults one cycle later. Between vectors are
// gaps of any length, in which the inputs are unknown. Vectors that are in the pipeline at a reset must not come out.
// Checks in messages: 1 the file of vectors, 2 fault, 3 y, 4 out_valid, 5 sideband, 6 number of vectors or faults.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: LANES=3 SIDE_W=9 FAULT=0
// sweep: LANES=1 SIDE_W=1 FAULT=1
// sweep: LANES=8 SIDE_W=14 FAULT=1
// sweep: LANES=3 SIDE_W=9 FAULT=0 ACC_W=66
// quick: LANES=3 SIDE_W=9 FAULT=0
// quick: LANES=1 SIDE_W=1 FAULT=1 @ 50:50
// quick: LANES=3 SIDE_W=9 FAULT=0 ACC_W=66 @ 0:0
`default_nettype none
`timescale 1ns / 1ps

module rill_dequantize_tb;
    // Parameters without a comment are those of the module.
    parameter LANES = 3;
    parameter SIDE_W = 9;
    parameter FAULT = 0;                     // 1: the vectors have more than 50 faults; 0: at most 50
    parameter ACC_W = 64;
    localparam LATENCY = 12;
    localparam LINES = 8192;                 // most lines of the vectors; each has the numbers of a lane

    wire                clk, rst, out_valid;
    reg                 again = 0, valid = 0;
    reg  [LANES*ACC_W-1:0] acc;
    reg  [LANES*32-1:0] scale, bias;
    reg  [SIDE_W-1:0]   side;
    wire [LANES*32-1:0] y;
    wire [LANES-1:0]    fault;
    wire [SIDE_W-1:0]   out_side;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(again));
    rill_dequantize #(.LANES(LANES), .SIDE_W(SIDE_W), .ACC_W(ACC_W)) dut (.clk(clk), .rst(rst), .valid(valid),
        .acc(acc), .scale(scale), .bias(bias), .side(side),
        .out_valid(out_valid), .y(y), .fault(fault), .out_side(out_side));

    reg  [ACC_W-1:0]    acc_mem [0:LINES-1];
    reg  [31:0]         scale_mem [0:LINES-1];
    reg  [31:0]         bias_mem [0:LINES-1];
    reg  [31:0]         y_mem [0:LINES-1];
    reg                 fault_mem [0:LINES-1];
    reg  [8*256-1:0]    name;
    reg  [LATENCY:1]    due = 0;             // [n]: a vector was given n cycles ago
    integer             number [1:LATENCY];  // [n]: the vector that was given n cycles ago
    integer             file, count = 0, vectors, given = 0, seen = 0, faults = 0, gap = 0, seed, idle, i, n;
    integer             latest = -1;         // the vector that came out a cycle ago; -1: none
    reg                 failed = 0, was_reset = 0;

    // Prints the number of the first check that fails, and ends the run.
    task fail(input integer what, where);
        begin
            if (!failed)
                $display("FAIL: check %0d vector %0d lane %0d: y %h fault %b", what, number[LATENCY], where, y, fault);
            failed = 1;
            $finish;
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("vectors=%s", name)) fail(1, 0);
        file = $fopen(name, "r");
        while ($fscanf(file, "%h %h %h %h %h\n", acc_mem[count], scale_mem[count], bias_mem[count], y_mem[count],
            fault_mem[count]) == 5)
            count = count + 1;
        vectors = count / LANES;
    end

    // Compares the fault of a lane with line `place` of the vectors.
    task check_fault(input integer lane, place);
        if (fault[lane] !== fault_mem[place]) fail(2, lane);
    endtask

    // Compares the result of a lane with line `place` of the vectors. If that line has a fault, counts the fault
    // instead.
    task check_lane(input integer lane, place);
        begin
            if (!fault_mem[place] && y[32*lane +: 32] !== y_mem[place]) fail(3, lane);
            if (fault_mem[place]) faults = faults + 1;
        end
    endtask

    always @(negedge clk) begin
        if (!rst && out_valid !== due[LATENCY]) fail(4, 0);
        for (i = 0; i < LANES && latest >= 0; i = i + 1)
            check_fault(i, latest * LANES + i);
        latest = out_valid && due[LATENCY] ? number[LATENCY] : -1;
        if (out_valid && due[LATENCY]) begin
            if (out_side !== number[LATENCY][SIDE_W-1:0]) fail(5, 0);
            for (i = 0; i < LANES; i = i + 1)
                check_lane(i, number[LATENCY] * LANES + i);
            seen = seen + 1;
        end
        for (n = LATENCY; n > 1; n = n - 1)
            number[n] = number[n-1];
        // Gaps are mostly single cycles, and now and then so long that the pipeline runs empty.
        gap = gap > 0 ? gap - 1 : idle > 0 && $unsigned($random(seed)) % 40 == 0 ? $unsigned($random(seed)) % 30 : 0;
        valid = !rst && !again && gap == 0 && given < vectors && $unsigned($random(seed)) % 100 >= idle;
        again = given == vectors / 2 && !was_reset;
        {acc, scale, bias, side} = {(LANES * (64 + ACC_W) + SIDE_W){1'bx}};
        due = rst || again ? 0 : {due[LATENCY-1:1], valid};
        if (again) begin
            valid = 0;
            was_reset = 1;
        end
        if (valid) begin
            number[1] = given;
            side = given;
            for (i = 0; i < LANES; i = i + 1) begin
                n = given * LANES + i;
                acc[ACC_W*i +: ACC_W] = acc_mem[n];
                scale[32*i +: 32] = scale_mem[n];
                bias[32*i +: 32] = bias_mem[n];
            end
            given = given + 1;
        end
        if (given == vectors && due == 0) begin
            // The reset drops at most LATENCY vectors.
            if (count < 1000 || seen + LATENCY < vectors || (faults > 50) != (FAULT != 0)) fail(6, seen);
            if (!failed) $display("PASS");
            $finish;
        end
    end
endmodule

`default_nettype wire
