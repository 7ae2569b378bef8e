// SPDX-License-Identifier: Apache-2.0
// One lane of rill_gelu in its tanh form (docs/numerics.md section 2). It computes p = 1 + 0.044715 x^2, then v = -2
// sqrt(2/pi) * (x * p), then y = x * recip(1 + exp(v)). The products before exp saturate, so that a large x gives no
// infinity.
// Latency 42 enabled clocks; one value per enabled clock. valid[i] belongs to stage i + 1 of the surrounding pipeline
// (rill_pipe). fault is high in the cycle in which a unit meets a NaN or an infinity in a valid stage, so it is not
// aligned with y. rst resets only the addresses of delay lines.
//
// name    meaning                                         unit    range
// STAGES  stages of the surrounding pipeline (rill_pipe)  clocks  42 or more
`default_nettype none

module rill_gelu_lane #(
    parameter STAGES = 0
) (
    input  wire              clk,
    input  wire              rst,
    input  wire              en,
    input  wire [STAGES-1:0] valid,
    input  wire [31:0]       x,
    output wire [31:0]       y,
    output wire              fault
);
    `include "rill_latency.vh"
    localparam SQUARE_STAGES = LATENCY_MUL;                 // stages from x to x^2
    localparam CUBIC_STAGES = SQUARE_STAGES + LATENCY_MUL;
    localparam P_STAGES = CUBIC_STAGES + LATENCY_ADD;
    localparam U_STAGES = P_STAGES + LATENCY_MUL;
    localparam V_STAGES = U_STAGES + LATENCY_MUL;
    localparam EXP_STAGES = V_STAGES + LATENCY_EXP;
    localparam SUM_STAGES = EXP_STAGES + LATENCY_ADD;
    localparam RECIP_STAGES = SUM_STAGES + LATENCY_RECIP;
    localparam Y_STAGES = RECIP_STAGES + LATENCY_MUL;
    localparam [31:0] ONE = 32'h3f800000;
    localparam [31:0] CUBIC = 32'h3d372713;  // 0.044715
    localparam [31:0] SLOPE = 32'hbfcc422a;  // -2 * sqrt(2 / pi)

    generate
        if (STAGES < Y_STAGES) begin : gen_bad_stages
            rill_error_STAGES_must_be_those_of_the_units u_error ();
        end
    endgenerate

    wire [31:0] square;                      // x^2
    wire [31:0] cubic;                       // 0.044715 x^2
    wire [31:0] slope;                       // p
    wire [31:0] u;                           // x * p
    wire [31:0] v;                           // u * SLOPE
    wire [31:0] e;                           // exp(v)
    wire [31:0] divisor;                     // 1 + e
    wire [31:0] sigmoid;                     // 1 / divisor
    wire [31:0] x_u;                         // x, delayed to the cycle of p
    wire [31:0] x_y;                         // x, delayed to the cycle of sigmoid
    wire [8:0]  unit_fault;                  // one bit per unit, u_square in bit 0
    wire [8:0]  unit_valid = {
        valid[Y_STAGES-1], valid[RECIP_STAGES-1], valid[SUM_STAGES-1], valid[EXP_STAGES-1], valid[V_STAGES-1],
        valid[U_STAGES-1], valid[P_STAGES-1], valid[CUBIC_STAGES-1], valid[SQUARE_STAGES-1]};

    rill_fp32_mul #(.SATURATE(1)) u_square (.clk(clk), .en(en), .a(x), .b(x), .y(square), .fault(unit_fault[0]));
    rill_fp32_mul #(.SATURATE(1)) u_cubic (.clk(clk), .en(en), .a(square), .b(CUBIC), .y(cubic), .fault(unit_fault[1]));
    rill_fp32_add u_p (.clk(clk), .en(en), .a(cubic), .b(ONE), .y(slope), .fault(unit_fault[2]));
    rill_delay_line #(.DATA_W(32), .DEPTH(P_STAGES)) u_delay_u (.clk(clk), .rst(rst), .en(en), .d(x), .q(x_u));
    rill_fp32_mul #(.SATURATE(1)) u_u (.clk(clk), .en(en), .a(x_u), .b(slope), .y(u), .fault(unit_fault[3]));
    rill_fp32_mul #(.SATURATE(1)) u_v (.clk(clk), .en(en), .a(u), .b(SLOPE), .y(v), .fault(unit_fault[4]));
    rill_fp32_exp u_exp (.clk(clk), .en(en), .a(v), .y(e), .fault(unit_fault[5]));
    rill_fp32_add u_sum (.clk(clk), .en(en), .a(e), .b(ONE), .y(divisor), .fault(unit_fault[6]));
    rill_fp32_recip u_recip (.clk(clk), .en(en), .a(divisor), .y(sigmoid), .fault(unit_fault[7]));
    rill_delay_line #(.DATA_W(32), .DEPTH(RECIP_STAGES - P_STAGES)) u_delay_y (
        .clk(clk), .rst(rst), .en(en), .d(x_u), .q(x_y));
    rill_fp32_mul u_y (.clk(clk), .en(en), .a(x_y), .b(sigmoid), .y(y), .fault(unit_fault[8]));

    assign fault = |(unit_fault & unit_valid);

    wire unused = &{1'b0, valid};
endmodule

`default_nettype wire
