// SPDX-License-Identifier: Apache-2.0
// One mantissa of a block: q = clamp(RN(x * 2^-e), -127, 127), where e + 6 is the exponent of the block's largest
// value.
//
// top is the biased exponent field of that value, so top >= the exponent field of x: a right shift, one rounding.
// Latency 2 enabled clocks, one value per enabled clock, no reset. zero: q = 0.
`default_nettype none

module rill_mx_lane (
    input  wire        clk,
    input  wire        en,
    input  wire [31:0] x,
    input  wire [7:0]  top,
    input  wire        zero,
    output reg  [7:0]  q
);
    // Stage 1: x = 1.f * 2^(exponent), so the integer part is the top 7 - distance bits of the significand. At distance
    // 8 it rounds to 0.
    wire [7:0]  distance = top - x[30:23];
    wire        gone = zero || x[30:23] == 8'd0 || distance > 8'd7;
    wire [30:0] wide = {1'b1, x[22:0], 7'd0} >> distance[2:0];

    reg         sign_q;
    reg         sticky_q;
    reg  [7:0]  value_q;   // 7 integer bits, guard bit

    always @(posedge clk)
        if (en) begin
            sign_q <= x[31];
            value_q <= gone ? 8'd0 : wide[30:23];
            sticky_q <= |wide[22:0];
        end

    // Stage 2: round, clamp, negate.
    wire       up = value_q[0] && (sticky_q || value_q[1]);
    wire [6:0] magnitude = value_q[7:1] + {6'd0, up && value_q[7:1] != 7'd127};

    always @(posedge clk) if (en) q <= ({1'b0, magnitude} ^ {8{sign_q}}) + {7'd0, sign_q};
endmodule

`default_nettype wire
