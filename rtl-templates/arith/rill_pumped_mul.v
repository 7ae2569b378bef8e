// SPDX-License-Identifier: Apache-2.0
// Multiplies like rill_packed_mul, but on a clock of twice the rate: two pairs of activations one after the other, both
// with the same weight or each with its own weight.
//
//     p = x_i * weight + sum_in + sum_beside + BIAS * B * (2^S + 1), modulo 2^SUM_W     i = 0, then 1
// x_0, x_1, weight, the sums, B, S and the largest sums are those of rill_packed_mul.
// All registers are those of a DSP48E2, on clk_2x. Edges of clk_2x are counted from 0, the edge that takes the factors:
//     edge 0      A and D <= x_0 and x_1 (en_x), B1 <= weight (en_weight)
//     edges 1, 2  AD <= A, then D: D if pick_1 was high at the edge before
//     edges 1, 2  B2 <= B1
//     edges 2, 3  M <= AD * B2
//     edges 3, 4  P <= M + sum_in + sum_beside + bias; the other multipliers have put out these sums one edge before
// So x_0 and weight must be stable for two edges, and en_x, en_weight and pick_1 have a period of two edges. If
// en_weight is always high, B1 takes another weight at edge 1, which is multiplied by x_1. en_x may come one edge
// before en_weight: then A is taken at edge -1 and D at edge 1, so x_1 comes that much later.
// cascade equals p. It may drive only the sum_in of one other multiplier, the next one in its column.
// SUMS: 0 ignores sum_in and sum_beside, 1 uses sum_in, 2 uses both; with a bias, sum_beside is always ignored.
// Reset: none.
//
// name    meaning                            unit      range
// BIAS    products whose bias is added here  products  0 to 64
// X_BITS  width of an activation             bits      8, 10
// SUMS    number of sum inputs in use        sums      0, 1, 2
// SUM_W   width of a sum                     bits      32, 48, 64
`default_nettype none

module rill_pumped_mul #(
    parameter BIAS = 0,
    parameter X_BITS = 8,
    parameter SUMS = 0,
    parameter SUM_W = 32
) (
    input  wire             clk_2x,
    input  wire             en_x,
    input  wire             en_weight,
    input  wire             pick_1,
    input  wire [31:0]      x_0,
    input  wire [31:0]      x_1,
    input  wire [4:0]       weight,
    input  wire [SUM_W-1:0] sum_in,
    input  wire [SUM_W-1:0] sum_beside,
    (* use_dsp = "yes" *)
    output reg  [SUM_W-1:0] p,
    output wire [SUM_W-1:0] cascade
);
    localparam [63:0] ADD = BIAS * (64'd8 << X_BITS) * ((64'd1 << (26 - X_BITS)) + 64'd1);

    generate
        if (BIAS < 0 || BIAS > 64) begin : gen_bad_bias
            rill_error_BIAS_must_be_0_to_64 u_error ();
        end
        if (X_BITS != 8 && X_BITS != 10) begin : gen_bad_x
            rill_error_X_BITS_must_be_8_or_10 u_error ();
        end
        if (SUMS < 0 || SUMS > 2 || (BIAS != 0 && SUMS == 2)) begin : gen_bad_sums
            rill_error_SUMS_must_be_0_to_2_and_not_2_with_a_BIAS u_error ();
        end
        if (SUM_W != 32 && SUM_W != 48 && SUM_W != 64) begin : gen_bad_width
            rill_error_SUM_W_must_be_32_48_or_64 u_error ();
        end
    endgenerate

    wire [SUM_W-1:0] chained = SUMS > 0 ? sum_in : {SUM_W{1'b0}};
    wire [SUM_W-1:0] beside = BIAS != 0 ? ADD[SUM_W-1:0] : SUMS > 1 ? sum_beside : {SUM_W{1'b0}};

    // All registers and the adder are one vendor cell, which synthesis does not infer by itself. PCOUT and PCIN are the
    // cascade. INMODE selects A without D, or D without A.
`ifdef RILL_VENDOR_CELLS
    wire [47:0] p_whole;
    wire [47:0] cascade_whole;
    wire [63:0] chained_whole = {{(64-SUM_W+1){chained[SUM_W-1]}}, chained[SUM_W-2:0]};
    wire [63:0] beside_whole = {{(64-SUM_W+1){beside[SUM_W-1]}}, beside[SUM_W-2:0]};
    wire [63:0] p_wide = {{16{p_whole[47]}}, p_whole};
    wire [63:0] cascade_wide = {{16{cascade_whole[47]}}, cascade_whole};
    DSP48E2 #(.USE_MULT("MULTIPLY"), .AMULTSEL("AD"), .ACASCREG(1), .ADREG(1), .ALUMODEREG(0), .AREG(1), .BCASCREG(2),
        .BREG(2), .CARRYINREG(0), .CARRYINSELREG(0), .CREG(0), .DREG(1), .INMODEREG(1), .MREG(1), .OPMODEREG(0),
        .PREG(1)) u_dsp (
        .CLK(clk_2x), .CEA1(1'b0), .CEA2(en_x), .CEAD(1'b1), .CEALUMODE(1'b0), .CEB1(en_weight), .CEB2(1'b1),
        .CEC(1'b0), .CECARRYIN(1'b0), .CECTRL(1'b0), .CED(en_x), .CEINMODE(1'b1), .CEM(1'b1), .CEP(1'b1), .RSTA(1'b0),
        .RSTALLCARRYIN(1'b0), .RSTALUMODE(1'b0), .RSTB(1'b0), .RSTC(1'b0), .RSTCTRL(1'b0), .RSTD(1'b0),
        .RSTINMODE(1'b0), .RSTM(1'b0), .RSTP(1'b0), .A({{3{x_0[26]}}, x_0[26:0]}), .ACIN(30'd0),
        .B({{13{weight[4]}}, weight}), .BCIN(18'd0), .C(beside_whole[47:0]), .D(x_1[26:0]), .PCIN(chained_whole[47:0]),
        .CARRYCASCIN(1'b0), .MULTSIGNIN(1'b0),
        .OPMODE({BIAS != 0 || SUMS > 1 ? 2'b11 : 2'b00, SUMS > 0 ? 3'b001 : 3'b000, 4'b01_01}),
        .ALUMODE(4'd0), .INMODE({2'b00, pick_1, pick_1, 1'b0}), .CARRYINSEL(3'd0), .CARRYIN(1'b0), .P(p_whole),
        .PCOUT(cascade_whole));
    always @* p = p_wide[SUM_W-1:0];
    assign cascade = cascade_wide[SUM_W-1:0];
    wire        unused_high = &{1'b0, p_wide, cascade_wide, chained_whole, beside_whole, x_0[31:27], x_1[31:27]};
`else
    assign cascade = p;
    reg         pick_1_q;                      // register of INMODE
    reg  [26:0] a_q;
    reg  [26:0] d_q;
    reg  [26:0] ad_q;
    reg  [4:0]  b1_q;
    reg  [4:0]  b2_q;
    reg  signed [31:0] m_q;
    wire signed [26:0] factor = ad_q;
    wire signed [4:0]  by = b2_q;
    wire        unused = &{1'b0, x_0[31:27], x_1[31:27]};
    always @(posedge clk_2x) begin
        if (en_x) begin
            a_q <= x_0[26:0];
            d_q <= x_1[26:0];
        end
        if (en_weight)
            b1_q <= weight;
        pick_1_q <= pick_1;
        ad_q <= pick_1_q ? d_q : a_q;
        b2_q <= b1_q;
        m_q <= factor * by;
        p <= {{(SUM_W-31){m_q[31]}}, m_q[30:0]} + chained + beside;
    end
`endif
    wire unused_sums = &{1'b0, sum_in, sum_beside, ADD};
endmodule

`default_nettype wire
