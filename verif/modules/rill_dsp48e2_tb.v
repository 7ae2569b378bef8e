// SPDX-License-Identifier: Apache-2.0
// Testbench of the cell model verif/model/DSP48E2.v. Compares it with the tables of the vendor's user guide (UG579),
// which are written here as tables of selected operands:
// - OPMODE[8:7] W: 00 zero, 11 C. OPMODE[6:4] Z: 000 zero, 001 PCIN. OPMODE[3:0] X and Y: 0101 both halves of M.
//   ALUMODE 0000: P = Z + W + X + Y.
// - INMODE[1] selects the first input of the pre-adder, 0: A, 1: zero. INMODE[2] selects the second, 0: zero, 1: D.
//   With AMULTSEL "AD", the sum of the two is the factor of the multiplier.
// - Each register that an attribute selects delays its operand by a clock: A by AREG, then ADREG and MREG; D by DREG,
//   then ADREG and MREG; B by BREG, then MREG; INMODE by INMODEREG; P by PREG. C and PCIN are not delayed.
// A mode that is not in these tables gives x. REGS 1: all registers that rill_pumped_mul uses; 0: only the one of P.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent; they have no effect here, so one pair
// of them is enough):
// sweep: REGS=0
// sweep: REGS=1
// quick: REGS=0 @ 0:0
// quick: REGS=1 @ 0:0
`default_nettype none
`timescale 1ns / 1ps

module rill_dsp48e2_tb;
    parameter REGS = 0;
    localparam MOST = 8;                     // clocks of history
    reg         clk = 1'b0;
    reg  [29:0] a [0:MOST-1];
    reg  [17:0] b [0:MOST-1];
    reg  [26:0] d [0:MOST-1];
    reg  [4:0]  inmode [0:MOST-1];
    reg  [47:0] c;
    reg  [47:0] pcin;
    reg  [8:0]  opmode;
    reg  [3:0]  alumode;
    wire [47:0] p, pcout;
    integer     seed = 1, n, row, k;

    DSP48E2 #(.USE_MULT("MULTIPLY"), .AMULTSEL(REGS != 0 ? "AD" : "A"), .ACASCREG(REGS), .ADREG(REGS), .ALUMODEREG(0),
        .AREG(REGS), .BCASCREG(2 * REGS), .BREG(2 * REGS), .CARRYINREG(0), .CARRYINSELREG(0), .CREG(0), .DREG(REGS),
        .INMODEREG(REGS), .MREG(REGS), .OPMODEREG(0), .PREG(1)) dut (
        .CLK(clk), .CEA1(1'b0), .CEA2(1'b1), .CEAD(1'b1), .CEALUMODE(1'b0), .CEB1(1'b1), .CEB2(1'b1), .CEC(1'b0),
        .CECARRYIN(1'b0), .CECTRL(1'b0), .CED(1'b1), .CEINMODE(1'b1), .CEM(1'b1), .CEP(1'b1), .RSTA(1'b0),
        .RSTALLCARRYIN(1'b0), .RSTALUMODE(1'b0), .RSTB(1'b0), .RSTC(1'b0), .RSTCTRL(1'b0), .RSTD(1'b0),
        .RSTINMODE(1'b0), .RSTM(1'b0), .RSTP(1'b0), .A(a[0]), .ACIN(30'd0), .B(b[0]), .BCIN(18'd0), .C(c), .D(d[0]),
        .PCIN(pcin), .CARRYCASCIN(1'b0), .MULTSIGNIN(1'b0), .OPMODE(opmode), .ALUMODE(alumode), .INMODE(inmode[0]),
        .CARRYINSEL(3'd0), .CARRYIN(1'b0), .P(p), .PCOUT(pcout));

    // table_row computes the result that a row of the tables selects. Each operand is as many clocks old as it has
    // registers.
    function signed [47:0] wide(input signed [26:0] value);
        wide = value;
    endfunction
    reg signed [26:0] pre_a, pre_d, factor;
    reg signed [17:0] by;
    reg signed [47:0] product;
    reg        [47:0] expected;
    reg        [4:0]  mode;
    task table_row;
        begin
            mode = inmode[3*REGS];                             // INMODE, AD, M
            pre_a = a[3*REGS][26:0];                           // A, AD, M
            pre_d = d[3*REGS];
            by = b[3*REGS];                                    // B1, B2, M
            case ({REGS != 0, mode[2:1]})
                3'b0_00: factor = pre_a;
                3'b1_00: factor = pre_a;
                3'b1_01: factor = 27'd0;
                3'b1_10: factor = pre_a + pre_d;
                3'b1_11: factor = pre_d;
                default: factor = 27'bx;
            endcase
            product = wide(factor) * by;
            case ({alumode, opmode})
                {4'd0, 9'b00_000_01_01}: expected = product;
                {4'd0, 9'b11_000_01_01}: expected = product + c;
                {4'd0, 9'b00_001_01_01}: expected = product + pcin;
                {4'd0, 9'b11_001_01_01}: expected = product + pcin + c;
                default: expected = 48'bx;
            endcase
        end
    endtask

    initial begin
        for (n = 0; n < 4000; n = n + 1) begin
            for (k = MOST - 1; k > 0; k = k - 1) begin
                a[k] = a[k-1];
                b[k] = b[k-1];
                d[k] = d[k-1];
                inmode[k] = inmode[k-1];
            end
            a[0] = {$random(seed)};
            b[0] = $random(seed);
            d[0] = $random(seed);
            inmode[0] = REGS != 0 ? {2'b00, $random(seed), 1'b0} & 5'b00110 : 5'd0;
            c = {$random(seed), $random(seed)};
            pcin = {$random(seed), $random(seed)};
            row = $random(seed);
            opmode = {row[0] ? 2'b11 : 2'b00, row[1] ? 3'b001 : 3'b000, 4'b0101};
            alumode = 4'd0;
            if (row[9:4] == 6'd0) opmode = row[18:10];         // most of these modes are not in the tables
            if (row[9:4] == 6'd1) alumode = row[13:10];
            #1 table_row;
            clk = 1'b1;
            #1 clk = 1'b0;
            if (n > MOST && (p !== expected || pcout !== expected)) begin
                $display("FAIL: opmode %b alumode %b inmode %b: P is %h, not %h", opmode, alumode, mode, p, expected);
                $finish;
            end
        end
        $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
