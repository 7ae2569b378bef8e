// SPDX-License-Identifier: Apache-2.0
// Two products that share a factor in one multiplier of 27 x 18 bits (a DSP48E2): two activations of X_BITS bits times
// one nibble. What a neighbour summed before is added in the multiplier's own adder, over its cascade.
//
//     p = x * nibble + sum_in + BIAS * B * (2^S + 1), modulo 2^32   x = x1 * 2^S + x0, x0 and x1 signed, of X_BITS bits
//     S = 26 - X_BITS: 18, 16        B = 2^(X_BITS + 3): 2048, 8192
// x has 27 bits, sign-extended.
// nibble is unsigned, 0 .. 15: the low half of an int8 weight, or a signed nibble + 8. Each product is -1920 .. 1905
// (of 10 bits -7680 .. 7665); as the lower one borrows from the upper one when it is negative, a sum of products is
// split only with B added to both halves of each: then every product is 128 .. 3953 (512 .. 15857), nothing is
// borrowed, and
//     sum[S-1:0] = sum of (x0 * nibble + B)        sum[31:S] = sum of (x1 * nibble + B)
// The bias is a constant for the same adder, so with a bias sum_in is not looked at: in a chain of n the
// first carries it for all (BIAS = n), the others none.
// Sums that fit: 4 in the 32 bits of p (4 * 3953 < 2^14, 4 * 15857 < 2^16).
// sum_in: the p of the neighbour before. Latency: 1 cycle; p keeps its value without en. Reset: none.
//
// name    meaning                   unit      range
// BIAS    whose bias is added here  products  0 to 4
// X_BITS  of an activation          bits      8, 10
`default_nettype none

module rill_packed_mul #(
    parameter BIAS = 0,
    parameter X_BITS = 8
) (
    input  wire        clk,
    input  wire        en,
    input  wire [31:0] x,
    input  wire [3:0]  nibble,
    input  wire [31:0] sum_in,
    (* use_dsp = "yes" *)
    output reg  [31:0] p
);
    localparam [31:0] ADD = BIAS * (8 << X_BITS) * ((1 << 26 - X_BITS) + 1);

    generate
        if (BIAS < 0 || BIAS > 4) begin : gen_bad_bias
            rill_error_BIAS_must_be_0_to_4 u_error ();
        end
        if (X_BITS != 8 && X_BITS != 10) begin : gen_bad_x
            rill_error_X_BITS_must_be_8_or_10 u_error ();
        end
    endgenerate

    // RILL_DSP48E2: what a vendor's tool makes of the rest, one cell, for tools that do not. PCIN is the cascade.
`ifdef RILL_DSP48E2
    wire [47:0] p_whole;
    wire [47:0] sum_in_whole = {16'd0, sum_in};
    DSP48E2 #(.USE_MULT("MULTIPLY"), .ACASCREG(0), .ADREG(0), .ALUMODEREG(0), .AREG(0), .BCASCREG(0), .BREG(0),
        .CARRYINREG(0), .CARRYINSELREG(0), .CREG(0), .DREG(0), .INMODEREG(0), .MREG(0), .OPMODEREG(0), .PREG(1)) u_dsp (
        .CLK(clk), .CEP(en), .RSTP(1'b0), .A({{3{x[26]}}, x[26:0]}), .B({14'd0, nibble}), .C({16'd0, ADD}),
        .PCIN(BIAS != 0 ? 48'd0 : sum_in_whole), .OPMODE(BIAS != 0 ? 9'b00_011_01_01 : 9'b00_001_01_01),
        .ALUMODE(4'd0), .INMODE(5'd0), .CARRYINSEL(3'd0), .CARRYIN(1'b0), .P(p_whole));
    always @* p = p_whole[31:0];
    wire        unused_high = &{1'b0, p_whole[47:32], x[31:27]};
`else
`ifdef SYNTHESIS
    wire signed [26:0] factor = x[26:0];
    wire signed [4:0]  weight = {1'b0, nibble};
    wire signed [31:0] product = factor * weight;
    wire               unused = &{1'b0, x[31:27]};
`else
    wire [31:0]        product = x * {28'd0, nibble}; // the same: a simulator has no 27 bits
`endif
    always @(posedge clk)
        if (en)
            p <= product + (BIAS != 0 ? ADD : sum_in);
    wire unused_sum = &{1'b0, sum_in};
`endif
endmodule

`default_nettype wire
