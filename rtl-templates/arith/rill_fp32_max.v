// SPDX-License-Identifier: Apache-2.0
// fp32 maximum: y is the larger of a and b. A subnormal becomes zero with the same sign. +0 is larger than -0, so that
// the maximum of many values does not depend on their order.
//
// Combinational. fault is 1 if an operand is NaN or infinite; y is then undefined.
`default_nettype none

module rill_fp32_max (
    input  wire [31:0] a,
    input  wire [31:0] b,
    output wire [31:0] y,
    output wire        fault
);

    wire [31:0] a_flushed = {a[31], a[30:23] == 8'd0 ? 31'd0 : a[30:0]};
    wire [31:0] b_flushed = {b[31], b[30:23] == 8'd0 ? 31'd0 : b[30:0]};
    // Keys are unsigned integers in the order of the numbers: a larger number has a larger key.
    wire [31:0] a_key = {!a[31], a_flushed[30:0] ^ {31{a[31]}}};
    wire [31:0] b_key = {!b[31], b_flushed[30:0] ^ {31{b[31]}}};

    assign y = a_key < b_key ? b_flushed : a_flushed;
    assign fault = &a[30:23] || &b[30:23];

endmodule

`default_nettype wire
