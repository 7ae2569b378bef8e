// SPDX-License-Identifier: Apache-2.0
// Computes one mantissa of a block: q = clamp(RN(x * 2^-e), -M, M) with M = 2^(X_BITS - 1) - 1. RN rounds to nearest
// even, and e is the exponent of the largest value of the block minus (X_BITS - 2).
//
// top is the biased exponent field of the block's largest value, or a larger field: with X_BITS 10, rill_quantize
// raises it to the lowest legal exponent. top is at least the exponent field of x, so x is shifted right and rounded
// once. zero: q is 0, whatever x is.
// Latency 2 enabled clocks; one value per enabled clock; no reset.
//
// name    meaning              unit  range
// X_BITS  width of a mantissa  bits  8, 10
`default_nettype none

module rill_mx_lane #(
    parameter X_BITS = 8
) (
    input  wire        clk,
    input  wire        en,
    input  wire [31:0] x,
    input  wire [7:0]  top,
    input  wire        zero,
    output reg  [X_BITS-1:0] q
);
    localparam M = X_BITS - 1;               // integer bits
    localparam [31:0] FAR = M;

    generate
        if (X_BITS != 8 && X_BITS != 10) begin : gen_bad_x
            rill_error_X_BITS_must_be_8_or_10 u_error ();
        end
    endgenerate

    // Stage 1: the significand 1.f moves right by the distance between the exponent fields of x and of the largest
    // value. M - distance integer bits remain. At distance M + 1 and above, x rounds to 0.
    wire [7:0]  distance = top - x[30:23];
    wire        gone = zero || x[30:23] == 8'd0 || distance > FAR[7:0];
    wire [23+M:0] wide = {1'b1, x[22:0], {M{1'b0}}} >> distance[$clog2(X_BITS)-1:0];

    reg         sign_q;
    reg         sticky_q;
    reg  [M:0]  value_q;   // M integer bits, then the guard bit

    always @(posedge clk)
        if (en) begin
            sign_q <= x[31];
            value_q <= gone ? {X_BITS{1'b0}} : wide[23+M:23];
            sticky_q <= |wide[22:0];
        end

    // Stage 2: round, clamp, negate.
    wire       up = value_q[0] && (sticky_q || value_q[1]);
    wire [M-1:0] magnitude = value_q[M:1] + {{(M-1){1'b0}}, up && value_q[M:1] != {M{1'b1}}};

    always @(posedge clk) if (en) q <= ({1'b0, magnitude} ^ {X_BITS{sign_q}}) + {{M{1'b0}}, sign_q};
endmodule

`default_nettype wire
