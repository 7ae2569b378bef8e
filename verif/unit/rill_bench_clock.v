// SPDX-License-Identifier: Apache-2.0
// Bench part: clock (10 time units), reset of RESET_CYCLES cycles, and a watchdog that ends a hanging bench with FAIL
// after LIMIT cycles.
// A bench pulses `again` for another reset in the middle of a run.
`default_nettype none

module rill_bench_clock #(
    parameter LIMIT = 200000,
    parameter RESET_CYCLES = 4
) (
    output reg  clk,
    output reg  rst,
    input  wire again
);
    integer cycle = 0;
    integer left = RESET_CYCLES;
    initial begin
        clk = 1'b0;
        rst = 1'b1;
        forever
            #5 clk = !clk;
    end

    always @(posedge clk) begin
        cycle = cycle + 1;
        if (again)
            left = RESET_CYCLES;
        rst <= left > 0;
        if (left > 0)
            left = left - 1;
        if (cycle == LIMIT) begin
            $display("FAIL: time-out after %0d cycles", LIMIT);
            $finish;
        end
    end
endmodule

`default_nettype wire
