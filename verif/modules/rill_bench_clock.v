// SPDX-License-Identifier: Apache-2.0
// Bench part: a clock clk (10 time units), a clock clk_2x of twice the rate, a reset of RESET_CYCLES cycles, and a
// watchdog that ends a hanging bench with FAIL after LIMIT cycles. Every edge of clk, rising or falling, is a rising
// edge of clk_2x. A bench pulses `again` for another reset in the middle of a run.
`default_nettype none

module rill_bench_clock #(
    parameter LIMIT = 200000,
    parameter RESET_CYCLES = 4
) (
    output reg  clk,
    output reg  clk_2x,
    output reg  rst,
    input  wire again
);
    integer cycle = 0;
    integer left = RESET_CYCLES;
    initial begin
        {clk, clk_2x} = 2'b00;
        rst = 1'b1;
        #2;
        forever begin
            #3 {clk, clk_2x} = 2'b11;
            #2 clk_2x = 1'b0;
            #3 {clk, clk_2x} = 2'b01;
            #2 clk_2x = 1'b0;
        end
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
