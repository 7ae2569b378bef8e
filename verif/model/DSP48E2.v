// SPDX-License-Identifier: Apache-2.0
// What rill_packed_mul uses of a DSP48E2, for its bench: P = A * B, by OPMODE + PCIN, + C or both, registered with CEP.
// A product is of 27 bits of A and 18 of B, signed. All else stands still: another attribute or mode gives x.
`default_nettype none
`timescale 1ns / 1ps

module DSP48E2 #(
    parameter USE_MULT = "NONE",
    parameter ACASCREG = 1, ADREG = 1, ALUMODEREG = 1, AREG = 1, BCASCREG = 1, BREG = 1, CARRYINREG = 1,
    parameter CARRYINSELREG = 1, CREG = 1, DREG = 1, INMODEREG = 1, MREG = 1, OPMODEREG = 1, PREG = 1
) (
    input  wire        CLK,
    input  wire        CEP,
    input  wire        RSTP,
    input  wire [29:0] A,
    input  wire [17:0] B,
    input  wire [47:0] C,
    input  wire [47:0] PCIN,
    input  wire [8:0]  OPMODE,
    input  wire [3:0]  ALUMODE,
    input  wire [4:0]  INMODE,
    input  wire [2:0]  CARRYINSEL,
    input  wire        CARRYIN,
    output reg  [47:0] P
);
    localparam [11:0] NONE_BUT_P = {ACASCREG != 0, ADREG != 0, ALUMODEREG != 0, AREG != 0, BCASCREG != 0, BREG != 0,
        CARRYINREG != 0, CARRYINSELREG != 0, CREG != 0, DREG != 0, INMODEREG != 0, MREG != 0};
    wire known = NONE_BUT_P == 12'd0 && OPMODEREG == 0 && PREG == 1 && USE_MULT == "MULTIPLY" && ALUMODE == 4'd0
        && INMODE == 5'd0 && CARRYINSEL == 3'd0 && !CARRYIN;
    wire signed [26:0] a = A[26:0];
    wire signed [17:0] b = B;
    wire signed [47:0] m = a * b;
    always @(posedge CLK)
        if (RSTP)
            P <= 48'd0;
        else if (CEP)
            case ({known, OPMODE})
                {1'b1, 9'b00_000_01_01}: P <= m;
                {1'b1, 9'b11_000_01_01}: P <= m + C;
                {1'b1, 9'b11_001_01_01}: P <= m + PCIN + C;
                {1'b1, 9'b00_001_01_01}: P <= m + PCIN;
                default: P <= 48'bx;
            endcase
endmodule

`default_nettype wire
