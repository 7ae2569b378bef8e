// SPDX-License-Identifier: Apache-2.0
// One lane of rill_gelu: p = 1 + 0.044715 x^2, v = (x * p) * -2 sqrt(2/pi), y = x * recip(1 + exp(v)); products before exp saturate.
//
// Latency 42 enabled clocks, one value per enabled clock. valid[i] belongs to stage i + 1; fault is not aligned with y: some unit met a
// NaN, an infinity or a zero divisor in a valid stage. Reset: rewinds delay lines only.
`default_nettype none

module rill_gelu_lane (
    input  wire        clk,
    input  wire        rst,
    input  wire        en,
    input  wire [41:0] valid,
    input  wire [31:0] x,
    output wire [31:0] y,
    output wire        fault
);
    localparam [31:0] ONE = 32'h3f800000;
    localparam [31:0] CUBIC = 32'h3d372713;  // 0x1.6e4e26p-5
    localparam [31:0] SLOPE = 32'hbfcc422a;  // -0x1.988454p+0

    wire [31:0] square;
    wire [31:0] cubic;
    wire [31:0] p;
    wire [31:0] u;
    wire [31:0] v;
    wire [31:0] e;
    wire [31:0] sum;
    wire [31:0] sigmoid;
    wire [31:0] x_u;
    wire [31:0] x_y;
    wire [8:0]  unit_fault;
    wire [8:0]  unit_valid = {valid[41], valid[38], valid[31], valid[26], valid[16], valid[13], valid[10], valid[5], valid[2]};

    rill_fp32_mul #(.SATURATE(1)) u_square (.clk(clk), .en(en), .a(x), .b(x), .y(square), .fault(unit_fault[0]));
    rill_fp32_mul #(.SATURATE(1)) u_cubic (.clk(clk), .en(en), .a(square), .b(CUBIC), .y(cubic), .fault(unit_fault[1]));
    rill_fp32_add u_p (.clk(clk), .en(en), .a(cubic), .b(ONE), .y(p), .fault(unit_fault[2]));
    rill_delay_line #(.DATA_W(32), .DEPTH(11)) u_delay_u (.clk(clk), .rst(rst), .en(en), .d(x), .q(x_u));
    rill_fp32_mul #(.SATURATE(1)) u_u (.clk(clk), .en(en), .a(x_u), .b(p), .y(u), .fault(unit_fault[3]));
    rill_fp32_mul #(.SATURATE(1)) u_v (.clk(clk), .en(en), .a(u), .b(SLOPE), .y(v), .fault(unit_fault[4]));
    rill_fp32_exp u_exp (.clk(clk), .en(en), .a(v), .y(e), .fault(unit_fault[5]));
    rill_fp32_add u_sum (.clk(clk), .en(en), .a(e), .b(ONE), .y(sum), .fault(unit_fault[6]));
    rill_fp32_recip u_recip (.clk(clk), .en(en), .a(sum), .y(sigmoid), .fault(unit_fault[7]));
    rill_delay_line #(.DATA_W(32), .DEPTH(28)) u_delay_y (.clk(clk), .rst(rst), .en(en), .d(x_u), .q(x_y));
    rill_fp32_mul u_y (.clk(clk), .en(en), .a(x_y), .b(sigmoid), .y(y), .fault(unit_fault[8]));

    assign fault = |(unit_fault & unit_valid);

    wire unused = &{1'b0, valid};
endmodule

`default_nettype wire
