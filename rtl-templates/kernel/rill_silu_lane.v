// SPDX-License-Identifier: Apache-2.0
// One lane of rill_silu: y = x * recip(1 + exp(-x)).
//
// Latency 25 enabled clocks; one value per enabled clock. valid[i] belongs to stage i + 1 of the surrounding pipeline
// (rill_pipe). fault is high in the cycle in which a unit meets a NaN or an infinity in a valid stage, so it is not
// aligned with y. rst resets only the addresses of delay lines.
//
// name    meaning                                         unit    range
// STAGES  stages of the surrounding pipeline (rill_pipe)  clocks  25 or more
`default_nettype none

module rill_silu_lane #(
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
    localparam EXP_STAGES = LATENCY_EXP;                    // stages from x to exp(-x)
    localparam SUM_STAGES = EXP_STAGES + LATENCY_ADD;
    localparam RECIP_STAGES = SUM_STAGES + LATENCY_RECIP;
    localparam Y_STAGES = RECIP_STAGES + LATENCY_MUL;
    localparam [31:0] ONE = 32'h3f800000;

    generate
        if (STAGES < Y_STAGES) begin : gen_bad_stages
            rill_error_STAGES_must_be_those_of_the_units u_error ();
        end
    endgenerate

    wire [31:0] e;                           // exp(-x)
    wire [31:0] divisor;                     // 1 + e
    wire [31:0] sigmoid;                     // 1 / divisor
    wire [31:0] x_late;                      // x, delayed to the cycle of sigmoid
    wire        fault_exp;
    wire        never;                       // unused: exp(-x) is finite, and adding 1 cannot overflow
    wire        fault_recip;
    wire        fault_y;

    rill_fp32_exp u_exp (.clk(clk), .en(en), .a({!x[31], x[30:0]}), .y(e), .fault(fault_exp));
    rill_fp32_add u_sum (.clk(clk), .en(en), .a(e), .b(ONE), .y(divisor), .fault(never));
    rill_fp32_recip u_recip (.clk(clk), .en(en), .a(divisor), .y(sigmoid), .fault(fault_recip));
    rill_delay_line #(.DATA_W(32), .DEPTH(RECIP_STAGES)) u_x (.clk(clk), .rst(rst), .en(en), .d(x), .q(x_late));
    rill_fp32_mul u_y (.clk(clk), .en(en), .a(x_late), .b(sigmoid), .y(y), .fault(fault_y));

    wire valid_exp = valid[EXP_STAGES-1];
    wire valid_recip = valid[RECIP_STAGES-1];
    wire valid_y = valid[Y_STAGES-1];
    assign fault = (fault_exp && valid_exp) || (fault_recip && valid_recip) || (fault_y && valid_y);

    wire unused = &{1'b0, valid, never};
endmodule

`default_nettype wire
