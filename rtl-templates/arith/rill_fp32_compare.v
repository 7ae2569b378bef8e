// SPDX-License-Identifier: Apache-2.0
// Compares two fp32 numbers: less = a < b, equal = (a == b). Subnormals count as zero, and -0 equals +0.
//
// Combinational. fault is 1 if an operand is NaN or infinite; the other outputs are then undefined.
`default_nettype none

module rill_fp32_compare (
    input  wire [31:0] a,
    input  wire [31:0] b,
    output wire        less,
    output wire        equal,
    output wire        fault
);

    wire        a_zero = a[30:23] == 8'd0;
    wire        b_zero = b[30:23] == 8'd0;
    wire [30:0] a_magnitude = a_zero ? 31'd0 : a[30:0];
    wire [30:0] b_magnitude = b_zero ? 31'd0 : b[30:0];
    wire        both_zero = a_zero && b_zero;

    assign less = !both_zero && (a[31] != b[31] ? a[31] : a[31] ? b_magnitude < a_magnitude
        : a_magnitude < b_magnitude);
    assign equal = both_zero || (a[31] == b[31] && a_magnitude == b_magnitude);
    assign fault = &a[30:23] || &b[30:23];

endmodule

`default_nettype wire
