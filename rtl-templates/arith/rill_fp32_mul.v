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
    output reg         fault
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
    wire        high = product2_q[47];
    wire [22:0] fraction = high ? product2_q[46:24] : product2_q[45:23];
    wire        guard = high ? product2_q[23] : product2_q[22];
    wire        sticky = |product2_q[21:0] || (high && product2_q[22]);
    wire [9:0]  exponent = exponent2_q + {9'd0, high};
    wire [32:0] rounded = {exponent, fraction} + {32'd0, guard && (sticky || fraction[0])};
    wire        least = exponent == 10'd0 && &fraction;
    wire        under = exponent[9] || exponent == 10'd0;
    wire        over = !zero2_q && !under && (rounded[31] || &rounded[30:23]);

    always @(posedge clk) begin
        if (en) begin
            if (zero2_q || (under && !least))
                y <= {sign2_q, 31'd0};
            else if (least)
                y <= {sign2_q, 31'h00800000};
            else if (over)
                y <= {sign2_q, 31'h7f7fffff};
            else
                y <= {sign2_q, rounded[30:0]};
            fault <= fault2_q || (SATURATE == 0 && over);
        end
    end

    wire unused = rounded[32];

endmodule

`default_nettype wire
