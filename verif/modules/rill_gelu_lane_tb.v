// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_gelu_lane. Compares corner values and random values of the whole range with the C function g_gelu.
// In cycles without a valid word the operand is an infinity, which must not raise the fault.
// Sets for verif/modules/run.sh (-: no parameters; after @: idles and stalls in percent):
// quick: - @ 50:50
`default_nettype none

module rill_gelu_lane_tb;
    localparam LATENCY = 42;
    wire             clk, rst, en, fault;
    wire [31:0]      x, y;
    wire [LATENCY:0] valid;

    rill_gelu_lane #(.STAGES(LATENCY)) u_dut (.clk(clk), .rst(rst), .en(en), .valid(valid[LATENCY-1:0]), .x(x), .y(y),
        .fault(fault));
    // FAULTS 3: the fault of a lane is not aligned with y, so vectors that fault are given alone.
    rill_vector_bench #(.LATENCY(LATENCY), .FAULTS(3)) u_bench (.clk(clk), .rst(rst), .en(en), .a(x), .b(),
        .valid(valid), .y(y), .flag(1'b0), .fault(fault));
endmodule

`default_nettype wire
