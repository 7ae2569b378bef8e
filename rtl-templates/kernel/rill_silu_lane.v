// SPDX-License-Identifier: Apache-2.0
// One lane of rill_silu: y = x * recip(1 + exp(-x)).
//
// Latency 25 enabled clocks, one value per enabled clock. valid[i] belongs to stage i + 1; fault is not aligned with y: some unit met a
// NaN, an infinity or a zero divisor in a valid stage. Reset: rewinds a delay line only.
`default_nettype none

module rill_silu_lane (
    input  wire        clk,
    input  wire        rst,
    input  wire        en,
    input  wire [24:0] valid,
    input  wire [31:0] x,
    output wire [31:0] y,
    output wire        fault
);
    localparam [31:0] ONE = 32'h3f800000;

    wire [31:0] e;
    wire [31:0] sum;
    wire [31:0] sigmoid;
    wire [31:0] x_late;
    wire        fault_exp;
    wire        never;                       // exp(-x) is finite, and 1 more is at most the largest number
    wire        fault_recip;
    wire        fault_y;

    rill_fp32_exp u_exp (.clk(clk), .en(en), .a({!x[31], x[30:0]}), .y(e), .fault(fault_exp));
    rill_fp32_add u_sum (.clk(clk), .en(en), .a(e), .b(ONE), .y(sum), .fault(never));
    rill_fp32_recip u_recip (.clk(clk), .en(en), .a(sum), .y(sigmoid), .fault(fault_recip));
    rill_delay_line #(.DATA_W(32), .DEPTH(22)) u_x (.clk(clk), .rst(rst), .en(en), .d(x), .q(x_late));
    rill_fp32_mul u_y (.clk(clk), .en(en), .a(x_late), .b(sigmoid), .y(y), .fault(fault_y));

    assign fault = (fault_exp && valid[9]) || (fault_recip && valid[21]) || (fault_y && valid[24]);

    wire unused = &{1'b0, valid, never};
endmodule

`default_nettype wire
