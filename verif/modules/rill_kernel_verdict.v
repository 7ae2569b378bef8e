// SPDX-License-Identifier: Apache-2.0
// Bench part: gives the verdict of a kernel bench, and checks the kernel's timing contract.
//
// The verdict comes when `done` has been high for 100 cycles. x_* is an input stream of the kernel, y_* its output.
// For PASS, at least one word must have left. `fault` must have been high if FAULT is not 0, and never if FAULT is 0.
// With +idle=0 +stall=0 and FAULT 0, PASS also needs:
// - The first output word left LATENCY cycles after the AFTER-th input word was taken (LATENCY < 0: not checked).
// - The last output word left at most SLACK cycles after the last input word was taken.
// - Input words waited at most WAITS cycles in all.
`default_nettype none

module rill_kernel_verdict #(
    parameter FAULT = 0,
    parameter AFTER = 1,
    parameter LATENCY = -1,
    parameter SLACK = 1000000,
    parameter WAITS = 1000000
) (
    input wire clk,
    input wire rst,
    input wire done,
    input wire fault,
    input wire x_tvalid,
    input wire x_tready,
    input wire y_tvalid,
    input wire y_tready
);
    integer cycle = 0;
    integer taken = 0; // input words
    integer left = 0;  // output words
    integer from = 0;  // cycle in which the AFTER-th input word was taken
    integer first = 0; // cycle in which the first output word left
    integer last_in = 0;
    integer last_out = 0;
    integer waits = 0;
    integer quiet = 0; // cycles since `done` rose
    integer idle;
    integer stall;
    reg     faulted = 1'b0;
    reg     bad = 1'b0;

    initial begin
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
    end

    // Prints the first condition that fails, with its value.
    task require(input ok, input integer value, input [8*40-1:0] what);
        if (!ok && !bad) begin
            $display("FAIL: %0s: %0d", what, value);
            bad = 1'b1;
        end
    endtask

    // Checks all conditions and prints PASS if they are met.
    task verdict;
        begin
            require(left > 0, left, "words seen");
            require(faulted == (FAULT != 0), faulted, "fault seen");
            if (idle == 0 && stall == 0 && FAULT == 0) begin
                require(LATENCY < 0 || first - from == LATENCY, first - from, "latency");
                require(last_out - last_in <= SLACK, last_out - last_in, "cycles after the last input");
                require(waits <= WAITS, waits, "cycles an input waited");
            end
            if (!bad)
                $display("PASS");
            $finish;
        end
    endtask

    always @(posedge clk) begin
        cycle = cycle + 1;
        if (!rst) begin
            if (fault)
                faulted = 1'b1;
            if (x_tvalid && x_tready) begin
                taken = taken + 1;
                last_in = cycle;
                if (taken == AFTER)
                    from = cycle;
            end
            if (x_tvalid && !x_tready)
                waits = waits + 1;
            if (y_tvalid && y_tready) begin
                left = left + 1;
                last_out = cycle;
                if (left == 1)
                    first = cycle;
            end
            quiet = done ? quiet + 1 : 0;
            if (quiet == 100)
                verdict;
        end
    end
endmodule

`default_nettype wire
