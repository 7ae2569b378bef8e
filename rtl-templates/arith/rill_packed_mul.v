// SPDX-License-Identifier: Apache-2.0
// Multiplies two activations of X_BITS bits by one weight in a single 27 x 18 multiplier (a DSP48E2), and adds up to
// two sums of other multipliers in the multiplier's own adder.
//
//     p = x * weight + sum_in + sum_beside + BIAS * B * (2^S + 1), modulo 2^SUM_W
//     x = x1 * 2^S + x0 (27 bits, sign-extended); x0 and x1 are signed with X_BITS bits
//     S = 26 - X_BITS: 18 or 16    B = 2^(X_BITS + 3): 2048 or 8192
// weight is signed, -8 .. 15: a 4-bit weight, or the unsigned low half of an 8-bit weight.
// sum_in comes from the neighbouring multiplier over the cascade, sum_beside from any other multiplier over port C.
// Reason for the bias: one product is -1920 .. 1905 (10-bit activations: -7680 .. 7665). A negative lower product
// borrows from the upper one, so a sum can be split into its two halves only if B was added to both halves of each
// product. Then every product is 128 .. 3953 (10 bits: 512 .. 15857), nothing is borrowed, and
//     sum[S-1:0] = sum of (x0 * weight + B)        sum[SUM_W-1:S] = sum of (x1 * weight + B)
// The bias is a constant on port C, so sum_beside is ignored if BIAS is not 0. In a tree of n multipliers, the last
// multiplier adds the bias of all products (BIAS = n), and the others have BIAS 0. Sums before the last multiplier may
// be negative.
// Largest sums: 64 products with 8-bit activations, whose halves have 18 bits (64 * 3953 < 2^18); 4 products with
// 10-bit activations, whose halves have 16 bits (4 * 15857 < 2^16). With SUM_W 32, a sum has at most 4 products.
// cascade equals p. It may drive only the sum_in of one other multiplier, the next one in its column.
// SUMS: 0 ignores sum_in and sum_beside, 1 uses sum_in, 2 uses both.
// Latency: 1 cycle; p keeps its value while en is 0. Reset: none.
//
// name    meaning                            unit      range
// BIAS    products whose bias is added here  products  0 to 64
// X_BITS  width of an activation             bits      8, 10
// SUMS    number of sum inputs in use        sums      0, 1, 2
// SUM_W   width of a sum                     bits      32, 48, 64
`default_nettype none

module rill_packed_mul #(
    parameter BIAS = 0,
    parameter X_BITS = 8,
    parameter SUMS = 0,
    parameter SUM_W = 32
) (
    input  wire             clk,
    input  wire             en,
    input  wire [31:0]      x,
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

    // Multiplier, adder and register are one vendor cell. PCOUT and PCIN are the cascade, which synthesis does not
    // always infer together with port C.
`ifdef RILL_VENDOR_CELLS
    wire [47:0] p_whole;
    wire [47:0] cascade_whole;
    wire [63:0] chained_whole = {{(64-SUM_W+1){chained[SUM_W-1]}}, chained[SUM_W-2:0]};
    wire [63:0] beside_whole = {{(64-SUM_W+1){beside[SUM_W-1]}}, beside[SUM_W-2:0]};
    wire [63:0] p_wide = {{16{p_whole[47]}}, p_whole};
    wire [63:0] cascade_wide = {{16{cascade_whole[47]}}, cascade_whole};
    DSP48E2 #(.USE_MULT("MULTIPLY"), .ACASCREG(0), .ADREG(0), .ALUMODEREG(0), .AREG(0), .BCASCREG(0), .BREG(0),
        .CARRYINREG(0), .CARRYINSELREG(0), .CREG(0), .DREG(0), .INMODEREG(0), .MREG(0), .OPMODEREG(0), .PREG(1)) u_dsp (
        .CLK(clk), .CEA1(1'b0), .CEA2(1'b0), .CEAD(1'b0), .CEALUMODE(1'b0), .CEB1(1'b0), .CEB2(1'b0), .CEC(1'b0),
        .CECARRYIN(1'b0), .CECTRL(1'b0), .CED(1'b0), .CEINMODE(1'b0), .CEM(1'b0), .CEP(en), .RSTA(1'b0),
        .RSTALLCARRYIN(1'b0), .RSTALUMODE(1'b0), .RSTB(1'b0), .RSTC(1'b0), .RSTCTRL(1'b0), .RSTD(1'b0),
        .RSTINMODE(1'b0), .RSTM(1'b0), .RSTP(1'b0), .A({{3{x[26]}}, x[26:0]}), .ACIN(30'd0),
        .B({{13{weight[4]}}, weight}), .BCIN(18'd0), .C(beside_whole[47:0]), .D(27'd0), .PCIN(chained_whole[47:0]),
        .CARRYCASCIN(1'b0), .MULTSIGNIN(1'b0),
        .OPMODE({BIAS != 0 || SUMS > 1 ? 2'b11 : 2'b00, SUMS > 0 ? 3'b001 : 3'b000, 4'b01_01}),
        .ALUMODE(4'd0), .INMODE(5'd0), .CARRYINSEL(3'd0), .CARRYIN(1'b0), .P(p_whole),
        .PCOUT(cascade_whole));
    always @* p = p_wide[SUM_W-1:0];
    assign cascade = cascade_wide[SUM_W-1:0];
    wire        unused_high = &{1'b0, p_wide, cascade_wide, chained_whole, beside_whole, x[31:27]};
`else
    assign cascade = p;
`ifndef RILL_FAST_SIM
    wire signed [26:0] factor = x[26:0];
    wire signed [4:0]  by = weight;
    wire signed [31:0] product = factor * by;
    wire               unused = &{1'b0, x[31:27]};
`else
    // x is sign-extended to 32 bits, so a product of 32-bit words gives the same bits.
    wire [31:0]        product = x * {{27{weight[4]}}, weight};
`endif
    always @(posedge clk)
        if (en)
            p <= {{(SUM_W-31){product[31]}}, product[30:0]} + chained + beside;
`endif
    wire unused_sums = &{1'b0, sum_in, sum_beside, ADD};
endmodule

`default_nettype wire
