// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_engine_offset. The offset must be what the unsigned arithmetic of a lane adds to the dot product of
// a beat, whatever the weights are. It comes 4 cycles after the beat; with ASYM, the sums of each 32 factors come with
// it. Extreme operands are sent first. Between the beats, x and int4 are unknown.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: BEAT_BITS=256
// sweep: BEAT_BITS=512
// sweep: BEAT_BITS=512 ASYM=1
// sweep: BEAT_BITS=256 ASYM=1
// sweep: BEAT_BITS=512 ASYM=1 X_BITS=10
// sweep: BEAT_BITS=256 X_BITS=10
// quick: BEAT_BITS=256 BEATS=400 @ 50:50
// quick: BEAT_BITS=512 ASYM=1 X_BITS=10 BEATS=400 @ 50:50
`default_nettype none
`timescale 1ns / 1ps

module rill_engine_offset_tb;
    // Parameters without a comment are those of the module.
    parameter BEAT_BITS = 256;
    parameter ASYM = 0;
    parameter X_BITS = 8;
    localparam BIAS = 8 << X_BITS; // B of the header of rill_engine_offset
    localparam GROUP_W = X_BITS + 5;
    localparam OFFSET_W = X_BITS + 14;
    localparam SUMS_W = GROUP_W * (BEAT_BITS / 128);
    localparam N = BEAT_BITS / 8;
    localparam LATENCY = 4;
    parameter BEATS = 1500;                         // beats that are compared

    wire                   clk, rst;
    reg                    valid = 0, int4;
    reg  [2*N*X_BITS-1:0]  x;
    wire [OFFSET_W-1:0]    offset;
    wire [SUMS_W-1:0]      sums;
    reg  [SUMS_W-1:0]      due_sums [1:LATENCY];
    reg  [LATENCY:1]       due_valid = 0;
    reg  [OFFSET_W-1:0]    due [1:LATENCY];
    integer                n, k, seed, idle, beats = 0, checked = 0;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_engine_offset #(.BEAT_BITS(BEAT_BITS), .ASYM(ASYM), .X_BITS(X_BITS)) dut (.clk(clk), .valid(valid),
        .int4(int4), .x(x),
        .offset(offset), .sums(sums));

    // Returns element i of the operand of the beat.
    function signed [31:0] element(input integer i);
        element = $signed(x[X_BITS*i +: X_BITS]);
    endfunction

    // Computes the lanes' sum minus the true sum for random weights. The difference must not depend on the weights.
    task excess(output reg [OFFSET_W-1:0] sum);
        integer total, low, high;
        begin
            total = 0;
            for (k = 0; k < N; k = k + 1) begin
                low = $unsigned($random(seed)) % 16;
                high = $unsigned($random(seed)) % 16 - 8;
                if (int4)
                    total = total + low * element(2 * k) + BIAS + (high + 8) * element(2 * k + 1) + BIAS
                        - (low - 8) * element(2 * k) - high * element(2 * k + 1);
                else
                    total = total + low * element(2 * k) + BIAS + 16 * ((high + 8) * element(2 * k + 1) + BIAS)
                        - (16 * high + low) * element(2 * k);
            end
            sum = total[OFFSET_W-1:0];
        end
    endtask

    // Draws a beat. The first six beats have the extreme operands.
    task draw;
        begin
            int4 = $random(seed);
            for (k = 0; k < N; k = k + 1) begin
                x[2*X_BITS*k +: 2*X_BITS] = $random(seed);
                if (!int4)
                    x[2*X_BITS*k+X_BITS +: X_BITS] = x[2*X_BITS*k +: X_BITS];
            end
            if (beats < 6) begin
                int4 = beats;
                x = {2*N{beats < 2 ? {1'b1, {(X_BITS-1){1'b0}}} : {1'b0, {(X_BITS-1){beats < 4}}}}};
            end
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        while (checked < BEATS) begin
            @(negedge clk);
            if (due_valid[LATENCY]) begin
                checked = checked + 1;
                if ({sums, offset} !== {due_sums[LATENCY], due[LATENCY]}) begin
                    $display("FAIL: beat %0d: %h instead of %h", checked, {sums, offset},
                        {due_sums[LATENCY], due[LATENCY]});
                    $finish;
                end
            end
            for (n = LATENCY; n > 1; n = n - 1) begin
                due[n] = due[n-1];
                due_sums[n] = due_sums[n-1];
            end
            valid = !rst && $unsigned($random(seed)) % 100 >= idle;
            int4 = 1'bx;
            x = {2*N*X_BITS{1'bx}};
            if (valid) begin
                draw;
                excess(due[1]);
                due_sums[1] = {SUMS_W{1'b0}};
                for (k = 0; ASYM && k < 2 * N; k = k + 1)
                    due_sums[1][GROUP_W*(k/32) +: GROUP_W] = due_sums[1][GROUP_W*(k/32) +: GROUP_W] + element(k);
                beats = beats + 1;
            end
            due_valid = {due_valid[LATENCY-1:1], valid};
        end
        $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
