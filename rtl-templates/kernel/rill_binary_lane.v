// SPDX-License-Identifier: Apache-2.0
// One lane of rill_binary and rill_scalar: y = a OP b, docs/numerics.md section 2.
//
// Latency in enabled clocks, by FUNCTION: 5 for add and sub, 3 for mul, 10 for div, 1 for max and min. One value per
// enabled clock. fault is aligned with y: a NaN or infinite operand or result, or a zero divisor. rst resets only the
// addresses of delay lines.
//
// name      meaning                                     unit  range
// FUNCTION  0 add, 1 sub, 2 mul, 3 div, 4 max, 5 min    -     0 to 5
`default_nettype none

module rill_binary_lane #(
    parameter FUNCTION = 0
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        en,
    input  wire [31:0] a,
    input  wire [31:0] b,
    output wire [31:0] y,
    output wire        fault
);
    `include "rill_latency.vh"

    generate
        if (FUNCTION < 0 || FUNCTION > 5) begin : gen_bad_function
            rill_error_FUNCTION_must_be_0_to_5 u_error ();
        end else if (FUNCTION <= 1) begin : gen_sum
            rill_fp32_add u_sum (.clk(clk), .en(en), .a(a), .b({b[31] ^ (FUNCTION == 1), b[30:0]}), .y(y),
                .fault(fault));
            wire unused = &{1'b0, rst};
        end else if (FUNCTION == 2) begin : gen_product
            rill_fp32_mul u_product (.clk(clk), .en(en), .a(a), .b(b), .y(y), .fault(fault));
            wire unused = &{1'b0, rst};
        end else if (FUNCTION == 3) begin : gen_quotient
            // y = a * recip(b). recip(b) is flushed to 0 for every |b| above 2^126. So for |b| from 2^126 on (exponent
            // field above LARGE) both operands are divided by 4 first. If a / 4 would be subnormal, it becomes a zero
            // with the sign of a (a_none); the quotient is 0 in any case.
            localparam [7:0] LARGE = 8'd252;
            wire        quarter = b[30:23] > LARGE && !(&b[30:23]);
            wire [31:0] b_part = {b[31], quarter ? b[30:23] - 8'd2 : b[30:23], b[22:0]};
            wire        a_none = quarter && a[30:23] < 8'd3;
            wire [31:0] a_part = {a[31], a_none ? 31'd0 : {quarter && !(&a[30:23]) ? a[30:23] - 8'd2 : a[30:23],
                a[22:0]}};
            wire [31:0] share, a_late;
            wire        fault_share, fault_late, fault_product;
            rill_fp32_recip u_share (.clk(clk), .en(en), .a(b_part), .y(share), .fault(fault_share));
            rill_delay_line #(.DATA_W(32), .DEPTH(LATENCY_RECIP)) u_a (.clk(clk), .rst(rst), .en(en), .d(a_part),
                .q(a_late));
            rill_delay_line #(.DATA_W(1), .DEPTH(LATENCY_MUL)) u_fault (.clk(clk), .rst(rst), .en(en), .d(fault_share),
                .q(fault_late));
            rill_fp32_mul u_product (.clk(clk), .en(en), .a(a_late), .b(share), .y(y), .fault(fault_product));
            assign fault = fault_late || fault_product;
        end else begin : gen_larger
            // min(a, b) = -max(-a, -b): TURN changes the signs of both operands and of the result.
            localparam [31:0] TURN = FUNCTION == 5 ? 32'h80000000 : 32'd0;
            wire [31:0] larger;
            wire        bad;
            reg  [31:0] y_q;
            reg         fault_q;
            rill_fp32_max u_larger (.a(a ^ TURN), .b(b ^ TURN), .y(larger), .fault(bad));
            always @(posedge clk)
                if (en) begin
                    y_q <= larger ^ TURN;
                    fault_q <= bad;
                end
            assign y = y_q;
            assign fault = fault_q;
            wire unused = &{1'b0, rst};
        end
    endgenerate
endmodule

`default_nettype wire
