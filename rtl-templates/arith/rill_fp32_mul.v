// SPDX-License-Identifier: Apache-2.0
// fp32 multiplication: y = a * b, rounded to nearest even. Subnormal operands and results become zero with the same
// sign.
//
// Latency 3 enabled clocks, one result per enabled clock, no reset. Two DSP48E2 (24 x 17 and 24 x 7).
// fault is aligned with y. It is 1 if an operand is NaN or infinite, or, with SATURATE = 0, if the product overflows; y
// is then undefined.
//
// name      meaning                                                                         unit  range
// SATURATE  1: an overflow becomes the largest finite value with its sign, without a fault  -     0, 1
`default_nettype none

module rill_fp32_mul #(
    parameter SATURATE = 0
) (
    input  wire        clk,
    input  wire        en,
    input  wire [31:0] a,
    input  wire [31:0] b,
    output wire [31:0] y,
    output wire        fault
);

    generate
        if (SATURATE != 0 && SATURATE != 1) begin : gen_bad_saturate
            rill_error_SATURATE_must_be_0_or_1 u_error ();
        end
    endgenerate

    // Stage 1: partial products.
    wire [23:0] a_wide = {1'b1, a[22:0]};
    wire [23:0] b_wide = {1'b1, b[22:0]};

    reg         sign1_q, zero1_q, fault1_q;
    reg  [8:0]  exponent1_q;
    reg  [40:0] low1_q;
    reg  [30:0] high1_q;

    always @(posedge clk) begin
        if (en) begin
            sign1_q <= a[31] ^ b[31];
            zero1_q <= a[30:23] == 8'd0 || b[30:23] == 8'd0;
            fault1_q <= &a[30:23] || &b[30:23];
            exponent1_q <= {1'b0, a[30:23]} + {1'b0, b[30:23]};
            low1_q <= {17'd0, a_wide} * {24'd0, b_wide[16:0]};
            high1_q <= {7'd0, a_wide} * {24'd0, b_wide[23:17]};
        end
    end

    // Stage 2: the sum of the partial products. Stage 2 also calculates the exponent fields for a product of the
    // significands in [1, 2) and in [2, 4), with all flags of the exponent that stage 3 needs. So stage 3 only selects
    // between them, as a clock of 250 MHz requires (docs/clock.md).
    reg         sign2_q, zero2_q, fault2_q;
    reg  [7:0]  exponent2_q, above2_q;          // exponent fields for a product in [1, 2) and in [2, 4)
    reg  [5:0]  is2_q;                          // whether the exponent is < 0, 0, -1, >= 255, 254, 253; bit 5 first
    reg  [47:17] product2_q;
    reg         sticky2_q;                      // OR of the 17 bits below the kept ones

    always @(posedge clk) begin
        if (en) begin
            sign2_q <= sign1_q;
            zero2_q <= zero1_q;
            fault2_q <= fault1_q;
            exponent2_q <= exponent1_q[7:0] - 8'd127;
            above2_q <= exponent1_q[7:0] - 8'd126;
            is2_q <= {exponent1_q < 9'd127, exponent1_q == 9'd127, exponent1_q == 9'd126,
                exponent1_q >= 9'd382, exponent1_q == 9'd381, exponent1_q == 9'd380};
            product2_q <= {7'd0, low1_q[40:17]} + high1_q;
            sticky2_q <= |low1_q[16:0];
        end
    end

    // Stage 3: normalize, round, flush. Result: {y, overflow}. A product just below 2^-126 whose 24 bits are all ones
    // is rounded up to 2^-126 before the flush, as IEEE rounding in the subnormal range does. For this, a product with
    // exponent field 0 is always rounded up, and is flushed unless the result is a power of two.
    // The stage's logic is a function, so that a simulator evaluates it only when the stage moves.
    function [32:0] finish(input sign, input zero, input [7:0] exponent, input [7:0] above, input [5:0] flags,
        input [47:17] product, input sticky_low);
        reg        high;
        reg        sticky;
        reg        up_high;
        reg        up_low;
        reg [30:0] rounded;
        reg        flush;
        reg        over;
        reg        most;
        begin
            high = product[47];
            sticky = sticky_low || |product[21:17];
            up_high = product[23] && (sticky || product[22] || product[24]);
            up_low = product[22] && (sticky || product[23]);
            rounded = {high ? above : exponent, high ? product[46:24] : product[45:23]} +
                {30'd0, high ? up_high || flags[3] : up_low || flags[4]};
            flush = zero || (high ? flags[5] && !(flags[3] && &product[46:24])
                : flags[5] || (flags[4] && !(&product[45:23])));
            over = flags[2] || (high ? flags[1] || (&product[46:24] && up_high && flags[0]) : &product[45:23] && up_low
                && flags[1]);
            most = SATURATE == 1 && over;
            finish = {sign, flush ? 31'd0 : most ? 31'h7f7fffff : rounded, over && !flush};
        end
    endfunction

    // All results are in one register: with several, a simulator would evaluate the function once for each.
    reg  [32:0] result_q;
    reg         fault3_q;
    wire        overflows;
    assign {y, overflows} = result_q;

    always @(posedge clk) begin
        if (en) begin
            result_q <= finish(sign2_q, zero2_q, exponent2_q, above2_q, is2_q, product2_q, sticky2_q);
            fault3_q <= fault2_q;
        end
    end

    assign fault = fault3_q || (SATURATE == 0 && overflows);

endmodule

`default_nettype wire
