// SPDX-License-Identifier: Apache-2.0
// Models the part of a DSP48E2 that rill_packed_mul and rill_pumped_mul use, for their benches.
// OPMODE selects P = M, M + C, M + PCIN or M + C + PCIN. AMULTSEL selects M = A * B or AD * B, signed, 27 x 18 bits.
// INMODE selects AD = (D or 0) + (A or 0). Registers of A, B, D, AD, M and INMODE are optional; the register of P is
// always there. RSTP is the only reset that is modelled. Any other attribute or mode gives x, so a design that uses one
// fails. rill_dsp48e2_tb compares this model with the tables of the user guide.
`default_nettype none
`timescale 1ns / 1ps

module DSP48E2 #(
    parameter USE_MULT = "NONE",
    parameter AMULTSEL = "A",
    parameter ACASCREG = 1, ADREG = 1, ALUMODEREG = 1, AREG = 1, BCASCREG = 1, BREG = 1, CARRYINREG = 1,
    parameter CARRYINSELREG = 1, CREG = 1, DREG = 1, INMODEREG = 1, MREG = 1, OPMODEREG = 1, PREG = 1
) (
    input  wire        CLK,
    input  wire        CEA1, CEA2, CEAD, CEALUMODE, CEB1, CEB2, CEC, CECARRYIN, CECTRL, CED, CEINMODE, CEM, CEP,
    input  wire        RSTA, RSTALLCARRYIN, RSTALUMODE, RSTB, RSTC, RSTCTRL, RSTD, RSTINMODE, RSTM, RSTP,
    input  wire [29:0] A,
    input  wire [29:0] ACIN,
    input  wire [17:0] B,
    input  wire [17:0] BCIN,
    input  wire [47:0] C,
    input  wire [26:0] D,
    input  wire [47:0] PCIN,
    input  wire        CARRYCASCIN,
    input  wire        MULTSIGNIN,
    input  wire [8:0]  OPMODE,
    input  wire [3:0]  ALUMODE,
    input  wire [4:0]  INMODE,
    input  wire [2:0]  CARRYINSEL,
    input  wire        CARRYIN,
    output reg  [47:0] P,
    output wire [47:0] PCOUT
);
    // A bit is 1 if an attribute has a value that the model does not have.
    localparam [5:0] NONE_OF = {ALUMODEREG != 0, CARRYINREG != 0, CARRYINSELREG != 0, CREG != 0, OPMODEREG != 0,
        PREG != 1};
    localparam SUMMED = AMULTSEL == "AD";        // the multiplier gets AD, the sum of the pre-adder
    reg  [4:0]         inmode_q;
    reg  signed [26:0] a_q;
    reg  signed [26:0] d_q;
    reg  signed [26:0] ad_q;
    reg  signed [17:0] b1_q;
    reg  signed [17:0] b2_q;
    reg  signed [47:0] m_q;
    wire [4:0]         inmode = INMODEREG != 0 ? inmode_q : INMODE;
    wire signed [26:0] a = AREG != 0 ? a_q : A[26:0];
    wire signed [26:0] d = DREG != 0 ? d_q : D;
    wire signed [26:0] sum = (inmode[2] ? d : 27'sd0) + (inmode[1] ? 27'sd0 : a);
    wire signed [26:0] ad = ADREG != 0 ? ad_q : sum;
    wire signed [26:0] factor = SUMMED ? ad : a;
    wire signed [17:0] b = BREG != 0 ? b2_q : B;
    wire signed [47:0] product = factor * b;
    wire signed [47:0] m = MREG != 0 ? m_q : product;
    // 1 if the model has this combination of attributes and modes. The case below tests OPMODE.
    wire               known = NONE_OF == 6'd0 && AREG < 2 && (SUMMED || AMULTSEL == "A") && USE_MULT == "MULTIPLY"
        && ACASCREG == AREG && BCASCREG == BREG && ALUMODE == 4'd0 && (SUMMED || inmode == 5'd0)
        && {inmode[4:3], inmode[0]} == 3'd0 && CARRYINSEL == 3'd0 && !CARRYIN && !CARRYCASCIN && !MULTSIGNIN;
    wire               unused = &{1'b0, A[29:27], ACIN, BCIN, CEA1, CEALUMODE, CEC, CECARRYIN, CECTRL, RSTA,
        RSTALLCARRYIN, RSTALUMODE, RSTB, RSTC, RSTCTRL, RSTD, RSTINMODE, RSTM};
    assign PCOUT = P;
    always @(posedge CLK) begin
        if (CEINMODE) inmode_q <= INMODE;
        if (CEA2) a_q <= A[26:0];
        if (CED) d_q <= D;
        if (CEAD) ad_q <= sum;
        if (CEB1) b1_q <= B;
        if (CEB2) b2_q <= BREG == 2 ? b1_q : B;
        if (CEM) m_q <= product;
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
    end
endmodule

`default_nettype wire
