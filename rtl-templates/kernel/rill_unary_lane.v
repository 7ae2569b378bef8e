// SPDX-License-Identifier: Apache-2.0
// One lane of rill_unary, and of rill_gelu with EXACT: y = f(x), docs/numerics.md section 2.
//
// Latency in enabled clocks: the localparam LATENCY of rill_unary, by FUNCTION; one value per enabled clock. valid[i]
// belongs to stage i + 1 of the surrounding pipeline (rill_pipe). fault is high in the cycle in which a unit meets a
// NaN, an infinity or an operand outside its domain in a valid stage, so it is not aligned with y. rst resets only the
// addresses of delay lines.
//
// name      meaning                                                                                unit       range
// FUNCTION  0 sigmoid, 1 tanh, 2 erf, 3 gelu, 4 exp, 5 log, 6 sqrt, 7 reciprocal, 8 softplus,      -          0 to 11
//           9 slopes: x * (x < 0 ? A : B), 10 hardsigmoid: max(0, min(1, A * x + B)),
//           11 hardswish: x * hardsigmoid(x)
// A         first constant of FUNCTION 9 to 11                                                     fp32 bits  any
// B         second constant of FUNCTION 9 to 11                                                    fp32 bits  any
// STAGES    stages of the surrounding pipeline (rill_pipe)                                         clocks     3 or more
`default_nettype none

module rill_unary_lane #(
    parameter FUNCTION = 0,
    parameter [31:0] A = 0,
    parameter [31:0] B = 0,
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
    localparam [31:0] ONE = 32'h3f800000;

    generate
        if (STAGES < LATENCY_MUL) begin : gen_bad_stages
            rill_error_STAGES_must_be_those_of_the_units u_error ();
        end
        if (FUNCTION < 0 || FUNCTION > 11) begin : gen_bad_function
            rill_error_FUNCTION_must_be_0_to_11 u_error ();
        end else if (FUNCTION == 0) begin : gen_sigmoid
            // recip(1 + exp(-x)); only exp can fail
            wire [31:0] e, divisor;
            wire        fault_exp;
            wire [1:0]  never;
            rill_fp32_exp u_exp (.clk(clk), .en(en), .a({!x[31], x[30:0]}), .y(e), .fault(fault_exp));
            rill_fp32_add u_sum (.clk(clk), .en(en), .a(e), .b(ONE), .y(divisor), .fault(never[0]));
            rill_fp32_recip u_recip (.clk(clk), .en(en), .a(divisor), .y(y), .fault(never[1]));
            assign fault = fault_exp && valid[LATENCY_EXP-1];
            wire unused = &{1'b0, rst, valid, never};
        end else if (FUNCTION <= 3) begin : gen_product
            // x times a curve. Beyond the last segment of the curve, tanh and erf are 1 with the sign of x.
            wire [31:0] x_late, factor, whole;
            wire        beyond, fault_curve, never;
            rill_fp32_curve #(.CURVE(FUNCTION - 1)) u_curve (.clk(clk), .en(en), .a(x), .y(factor), .beyond(beyond),
                .fault(fault_curve));
            rill_delay_line #(.DATA_W(32), .DEPTH(LATENCY_CURVE)) u_x (.clk(clk), .rst(rst), .en(en), .d(x),
                .q(x_late));
            assign whole = FUNCTION != 3 && beyond ? {x_late[31], ONE[30:0]} : x_late;
            rill_fp32_mul u_y (.clk(clk), .en(en), .a(whole), .b(factor), .y(y), .fault(never));
            assign fault = fault_curve && valid[LATENCY_TO_FIXED-1];
            wire unused = &{1'b0, valid, beyond, never};
        end else if (FUNCTION == 4) begin : gen_exp
            wire fault_exp;
            rill_fp32_exp u_exp (.clk(clk), .en(en), .a(x), .y(y), .fault(fault_exp));
            assign fault = fault_exp && valid[LATENCY_EXP-1];
            wire unused = &{1'b0, rst, valid};
        end else if (FUNCTION == 5) begin : gen_log
            reg bad_q;
            rill_fp32_ln u_ln (.clk(clk), .en(en), .power({1'b0, x[30:23]} - 9'd127), .fraction({x[22:0], 9'd0}),
                .y(y));
            always @(posedge clk) if (en) bad_q <= x[31] || x[30:23] == 8'd0 || &x[30:23];
            assign fault = bad_q && valid[0];
            wire unused = &{1'b0, rst, valid};
        end else if (FUNCTION == 6) begin : gen_sqrt
            // x * rsqrt(x). The root of zero is zero, without rsqrt.
            wire [31:0] root, x_late;
            wire        zero_late, fault_root, never;
            rill_fp32_rsqrt u_root (.clk(clk), .en(en), .a(x), .y(root), .fault(fault_root));
            rill_delay_line #(.DATA_W(33), .DEPTH(LATENCY_RSQRT)) u_x (.clk(clk), .rst(rst), .en(en),
                .d({x[30:23] == 8'd0, x}), .q({zero_late, x_late}));
            rill_fp32_mul u_y (.clk(clk), .en(en), .a(x_late), .b(root & {32{!zero_late}}), .y(y), .fault(never));
            assign fault = fault_root && !zero_late && valid[LATENCY_RSQRT-1];
            wire unused = &{1'b0, valid, never};
        end else if (FUNCTION == 7) begin : gen_reciprocal
            wire fault_recip;
            rill_fp32_recip u_recip (.clk(clk), .en(en), .a(x), .y(y), .fault(fault_recip));
            assign fault = fault_recip && valid[LATENCY_RECIP-1];
            wire unused = &{1'b0, rst, valid};
        end else if (FUNCTION == 8) begin : gen_softplus
            // max(x, 0) + ln(1 + exp(-|x|)); the sum cannot overflow
            wire [31:0] part, above;
            wire        beyond, fault_curve, never;
            // CURVE 3: ln(1 + exp(-a))
            rill_fp32_curve #(.CURVE(3)) u_curve (.clk(clk), .en(en), .a(x), .y(part), .beyond(beyond),
                .fault(fault_curve));
            rill_delay_line #(.DATA_W(32), .DEPTH(LATENCY_CURVE)) u_x (.clk(clk), .rst(rst), .en(en),
                .d(x & {32{!x[31]}}), .q(above));
            rill_fp32_add u_y (.clk(clk), .en(en), .a(above), .b(part), .y(y), .fault(never));
            assign fault = fault_curve && valid[LATENCY_TO_FIXED-1];
            wire unused = &{1'b0, valid, beyond, never};
        end else if (FUNCTION == 9) begin : gen_slopes
            wire fault_y;
            rill_fp32_mul u_y (.clk(clk), .en(en), .a(x), .b(x[31] ? A : B), .y(y), .fault(fault_y));
            assign fault = fault_y && valid[LATENCY_MUL-1];
            wire unused = &{1'b0, rst, valid};
        end else begin : gen_hard
            // A fault can only come from x: the product saturates, and the sum stays finite if |B| is below 2^103.
            wire [31:0] product, sum;
            wire        fault_product;
            wire [1:0]  never;
            reg  [31:0] bounded_q;
            rill_fp32_mul #(.SATURATE(1)) u_product (.clk(clk), .en(en), .a(x), .b(A), .y(product),
                .fault(fault_product));
            rill_fp32_add u_sum (.clk(clk), .en(en), .a(product), .b(B), .y(sum), .fault(never[0]));
            always @(posedge clk)
                if (en) bounded_q <= sum[31] ? 32'd0 : sum[30:23] > 8'd126 ? ONE : sum;
            assign fault = fault_product && valid[LATENCY_MUL-1];
            if (FUNCTION == 11) begin : gen_swish
                wire [31:0] x_late;
                rill_delay_line #(.DATA_W(32), .DEPTH(LATENCY_MUL + LATENCY_ADD + 1)) u_x (.clk(clk), .rst(rst),
                    .en(en), .d(x), .q(x_late));
                rill_fp32_mul u_y (.clk(clk), .en(en), .a(x_late), .b(bounded_q), .y(y), .fault(never[1]));
            end else begin : gen_bounded
                assign y = bounded_q;
                assign never[1] = 1'b0;
            end
            wire unused = &{1'b0, rst, valid, never};
        end
    endgenerate
endmodule

`default_nettype wire
