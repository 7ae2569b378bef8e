// SPDX-License-Identifier: Apache-2.0
// Evaluates a quadratic in integers: y = (c0 + ((c1 + (c2*d >> SHIFT2)) * d >> SHIFT1)) >> 5. The arithmetic modules
// with tables use it: c0, c1 and c2 come from the table entry of a segment, and d is the distance from the middle of
// the segment.
//
// Latency 4 enabled clocks, one result per enabled clock, no reset. Two DSP48E2 (18 x 18, 27 x 18).
// d, c1 and c2 are signed, and the shifts are arithmetic. c0 is unsigned, and includes half of y's lowest bit for the
// final rounding.
//
// name    meaning                                                unit    range
// D_W     width of d                                             bits    2 to 18
// SHIFT2  right shift of c2*d before it is added to c1           places  1 to 20
// SHIFT1  right shift of (c1 + ...) * d before c0 is added       places  1 to 30
`default_nettype none

module rill_fp32_quadratic #(
    parameter D_W = 0,
    parameter SHIFT2 = 0,
    parameter SHIFT1 = 0
) (
    input  wire           clk,
    input  wire           en,
    input  wire [D_W-1:0] d,
    input  wire [29:0]    c0,
    input  wire [26:0]    c1,
    input  wire [17:0]    c2,
    output wire [24:0]    y
);

    generate
        if (D_W < 2 || D_W > 18) begin : gen_bad_d_w
            rill_error_D_W_must_be_2_to_18 u_error ();
        end
        if (SHIFT2 < 1 || SHIFT2 > 20 || SHIFT1 < 1 || SHIFT1 > 30) begin : gen_bad_shift
            rill_error_SHIFT2_must_be_1_to_20_and_SHIFT1_1_to_30 u_error ();
        end
    endgenerate

    localparam BEND_W = 18 + D_W;
    localparam PRODUCT_W = 27 + D_W;

    reg  signed [BEND_W-1:0]    bend1_q;
    reg  signed [26:0]          c1_1_q, slope2_q;
    reg  signed [D_W-1:0]       d1_q, d2_q;
    reg         [29:0]          base1_q, base2_q, base3_q, y_q;
    reg  signed [PRODUCT_W-1:0] product3_q;

    wire signed [BEND_W-1:0]    bend = bend1_q >>> SHIFT2;
    wire signed [26:0]          slope;
    wire        [29:0]          y_next;

    generate
        if (BEND_W >= 27) begin : gen_slope_cut
            assign slope = c1_1_q + bend[26:0];
        end else begin : gen_slope_extend
            assign slope = c1_1_q + {{(27-BEND_W){bend[BEND_W-1]}}, bend};
        end
        if (PRODUCT_W - SHIFT1 >= 30) begin : gen_cut
            assign y_next = base3_q + product3_q[SHIFT1 +: 30];
        end else begin : gen_extend
            assign y_next = base3_q +
                {{(30-PRODUCT_W+SHIFT1){product3_q[PRODUCT_W-1]}}, product3_q[PRODUCT_W-1:SHIFT1]};
        end
    endgenerate

    always @(posedge clk) begin
        if (en) begin
            bend1_q <= $signed(c2) * $signed(d);
            c1_1_q <= c1;
            d1_q <= $signed(d);
            base1_q <= c0;
            slope2_q <= slope;
            d2_q <= d1_q;
            base2_q <= base1_q;
            product3_q <= slope2_q * d2_q;
            base3_q <= base2_q;
            y_q <= y_next;
        end
    end

    assign y = y_q[29:5];

    wire unused = ^{bend, y_q[4:0], product3_q};

endmodule

`default_nettype wire
