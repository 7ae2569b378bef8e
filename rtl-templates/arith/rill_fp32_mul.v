// SPDX-License-Identifier: Apache-2.0
// fp32 multiplication: y = a * b, round to nearest even, subnormals read and written as zeros of their sign.
//
// Latency 3 enabled clocks, one result per enabled clock, no reset. Two DSP48E2 (24 x 17 and 24 x 7).
// fault is aligned with y: NaN or infinite operand, or (SATURATE = 0) the product overflows; y is then undefined.
// SATURATE  1: an overflowing product becomes the largest finite value of its sign, without fault
`default_nettype none

module rill_fp32_mul #(
    parameter SATURATE = 0
) (
    input  wire        clk,
    input  wire        en,
    input  wire [31:0] a,
    input  wire [31:0] b,
    output reg  [31:0] y,
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

    // Stage 2: their sum; the exponent field of a product in [1, 2), two's complement.
    reg         sign2_q, zero2_q, fault2_q;
    reg  [9:0]  exponent2_q;
    reg  [47:0] product2_q;

    always @(posedge clk) begin
        if (en) begin
            sign2_q <= sign1_q;
            zero2_q <= zero1_q;
            fault2_q <= fault1_q;
            exponent2_q <= {1'b0, exponent1_q} - 10'd127;
            product2_q <= {7'd0, low1_q} + {high1_q, 17'd0};
        end
    end

    // Stage 3: normalize, round, flush. A product just below 2^-126 whose 24 bits are all ones is rounded up to 2^-126 before
    // the flush, as IEEE rounding in the subnormal range does.
    // A function, so that a simulator evaluates it only where the stage moves. {y, overflow}
    function [32:0] finish(input sign, input zero, input [9:0] exponent_low, input [47:0] product);
        reg        high;
        reg [22:0] fraction;
        reg        up;
        reg [9:0]  exponent;
        reg [31:0] rounded;
        reg        least;
        reg        under;
        reg        over;
        begin
            high = product[47];
            fraction = high ? product[46:24] : product[45:23];
            up = (high ? product[23] : product[22]) && (|product[21:0] || (high && product[22]) || fraction[0]);
            exponent = exponent_low + {9'd0, high};
            rounded = {exponent[8:0], fraction} + {31'd0, up};
            least = exponent == 10'd0 && &fraction;
            under = exponent[9] || exponent == 10'd0;
            over = !zero && !under && (rounded[31] || &rounded[30:23]);
            finish = {sign, zero || (under && !least) ? 31'd0 : least ? 31'h00800000 : over ? 31'h7f7fffff : rounded[30:0], over};
        end
    endfunction

    reg         over_q, fault3_q;

    always @(posedge clk) begin
        if (en) begin
            {y, over_q} <= finish(sign2_q, zero2_q, exponent2_q, product2_q);
            fault3_q <= fault2_q;
        end
    end

    assign fault = fault3_q || (SATURATE == 0 && over_q);

endmodule

`default_nettype wire
