// SPDX-License-Identifier: Apache-2.0
// One lane of rill_softcap, and of the capped scores of rill_softmax: y = (recip(1 + exp(x * SLOPE)) - 1/2) * GAIN,
// which is cap * tanh(x / cap), because tanh(z) = 2 * (1 / (1 + exp(-2 z)) - 1/2). The product before exp saturates, so
// that a large x gives no infinity.
//
// Latency 33 enabled clocks; one value per enabled clock. valid[i] belongs to stage i + 1 of the surrounding pipeline
// (rill_pipe). fault is high in the cycle in which the first product meets a NaN or an infinity in a valid stage, so it
// is not aligned with y. All later values are finite. No reset.
//
// name    meaning                                         unit       range
// SLOPE   -2 / cap                                        fp32 bits  not 0
// GAIN    2 * cap                                         fp32 bits  not 0
// STAGES  stages of the surrounding pipeline (rill_pipe)  clocks     33 or more
`default_nettype none

module rill_softcap_lane #(
    parameter [31:0] SLOPE = 0,
    parameter [31:0] GAIN = 0,
    parameter STAGES = 0
) (
    input  wire              clk,
    input  wire              en,
    input  wire [STAGES-1:0] valid,
    input  wire [31:0]       x,
    output wire [31:0]       y,
    output wire              fault
);
    `include "rill_latency.vh"
    localparam V_STAGES = LATENCY_MUL;                      // stages from x to x * SLOPE
    localparam EXP_STAGES = V_STAGES + LATENCY_EXP;
    localparam SUM_STAGES = EXP_STAGES + LATENCY_ADD;
    localparam RECIP_STAGES = SUM_STAGES + LATENCY_RECIP;
    localparam HALF_STAGES = RECIP_STAGES + LATENCY_ADD;
    localparam Y_STAGES = HALF_STAGES + LATENCY_MUL;

    generate
        if (SLOPE == 0 || GAIN == 0) begin : gen_bad
            rill_error_SLOPE_and_GAIN_are_required u_error ();
        end
        if (STAGES < Y_STAGES) begin : gen_bad_stages
            rill_error_STAGES_must_be_those_of_the_units u_error ();
        end
    endgenerate

    localparam [31:0] ONE = 32'h3f800000;
    localparam [31:0] MINUS_HALF = 32'hbf000000;

    wire [31:0] v;                           // x * SLOPE
    wire [31:0] e;                           // exp(v)
    wire [31:0] denominator;                 // 1 + e
    wire [31:0] sigmoid;                     // 1 / denominator
    wire [31:0] centred;                     // sigmoid - 1/2
    wire        fault_v;
    // Unused faults: exp saturates, adding 1 cannot overflow, and a sigmoid is from 0 to 1.
    wire [4:0]  never;

    rill_fp32_mul #(.SATURATE(1)) u_v (.clk(clk), .en(en), .a(x), .b(SLOPE), .y(v), .fault(fault_v));
    rill_fp32_exp u_exp (.clk(clk), .en(en), .a(v), .y(e), .fault(never[0]));
    rill_fp32_add u_sum (.clk(clk), .en(en), .a(e), .b(ONE), .y(denominator), .fault(never[1]));
    rill_fp32_recip u_recip (.clk(clk), .en(en), .a(denominator), .y(sigmoid), .fault(never[2]));
    rill_fp32_add u_half (.clk(clk), .en(en), .a(sigmoid), .b(MINUS_HALF), .y(centred), .fault(never[3]));
    rill_fp32_mul u_y (.clk(clk), .en(en), .a(centred), .b(GAIN), .y(y), .fault(never[4]));

    assign fault = fault_v && valid[V_STAGES-1];

    wire unused = &{1'b0, valid, never};
endmodule

`default_nettype wire
