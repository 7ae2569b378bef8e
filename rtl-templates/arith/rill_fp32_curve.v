// SPDX-License-Identifier: Apache-2.0
// Computes a smooth curve in fp32 from a table of segments, each of which is a quadratic (docs/numerics.md section 2).
// y is the value at |a|, except with CURVE 2, where y is the value at a. All values are from 0 to 1.13.
//
// Latency 14 enabled clocks, one result per enabled clock, no reset. Two DSP48E2, 192 to 296 segments.
// beyond is aligned with y. It is 1 if |a| is above the last segment. y is then 1 for CURVE 0 and 1, 0 or 1 for CURVE
// 2, and 0 for CURVE 3.
// fault comes 11 enabled clocks before y. It is 1 if a is NaN or infinite; y is then undefined.
//
// name   meaning                                                       unit  range
// CURVE  0: tanh(a) / a, 1: erf(a) / a, 2: Phi(a), 3: ln(1 + exp(-a))  -     0 to 3
`default_nettype none

module rill_fp32_curve #(
    parameter CURVE = 0
) (
    input  wire        clk,
    input  wire        en,
    input  wire [31:0] a,
    output reg  [31:0] y,
    output reg         beyond,
    output wire        fault
);
    generate
        if (CURVE < 0 || CURVE > 3) begin : gen_bad_curve
            rill_error_CURVE_must_be_0_to_3 u_error ();
        end
    endgenerate

    // Formats of the tables (docs/numerics.md section 2).
    localparam PLACES = CURVE == 1 ? 24 : CURVE == 3 ? 22 : 23;      // binary places of |a| in fixed point
    localparam INDEX_W = CURVE == 0 ? 9 : 8;
    localparam SEGMENTS = CURVE == 0 ? 296 : CURVE == 2 ? 192 : 256;
    localparam SHIFT2 = CURVE == 0 || CURVE == 3 ? 14 : 15;
    localparam SHIFT1 = CURVE == 3 ? 20 : 21;
    localparam [25:0] WHOLE = 26'h1000000;                           // 1 with 24 places

    // Stages 1 to 3: |a| in fixed point. Bits 18 and up are the segment's number, the lower bits the place in it.
    wire [INDEX_W+18:0] fixed;
    wire                overflow;
    rill_fp32_to_fixed #(.FRAC(PLACES), .WIDTH(INDEX_W + 19)) u_fixed (.clk(clk), .en(en), .a({1'b0, a[30:0]}),
        .y(fixed), .overflow(overflow), .fault(fault));

    // Stage 4: table read. Stages 5 to 8: the quadratic.
    wire [INDEX_W-1:0] index = fixed[18 +: INDEX_W];
    wire [29:0]        c0;
    wire [26:0]        c1;
    wire [17:0]        c2;
    wire [24:0]        value;
    reg  [17:0]        d4_q;                                         // signed distance from the middle of the segment
    wire               above;

    generate
        if (SEGMENTS < 1 << INDEX_W) begin : gen_part
            localparam LAST = SEGMENTS - 1;
            assign above = overflow || index > LAST[INDEX_W-1:0];
        end else begin : gen_all
            assign above = overflow;
        end
        if (CURVE == 0) begin : gen_tanh
            rill_fp32_tanh_table u_table (.clk(clk), .en(en), .index(index), .c0(c0), .c1(c1), .c2(c2));
        end else if (CURVE == 1) begin : gen_erf
            rill_fp32_erf_table u_table (.clk(clk), .en(en), .index(index), .c0(c0), .c1(c1), .c2(c2));
        end else if (CURVE == 2) begin : gen_tail
            rill_fp32_tail_table u_table (.clk(clk), .en(en), .index(index), .c0(c0), .c1(c1), .c2(c2));
        end else begin : gen_softplus
            rill_fp32_softplus_table u_table (.clk(clk), .en(en), .index(index), .c0(c0), .c1(c1), .c2(c2));
        end
    endgenerate
    rill_fp32_quadratic #(.D_W(18), .SHIFT2(SHIFT2), .SHIFT1(SHIFT1)) u_quadratic
        (.clk(clk), .en(en), .d(d4_q), .c0(c0), .c1(c1), .c2(c2), .y(value));

    // Pipelines the sign of a, and whether |a| is above the last segment. The index of a bit is its stage.
    reg  [8:1]  sign_q;
    reg  [13:4] above_q;
    reg  [25:0] value9_q;
    wire [25:0] tail = above_q[8] ? 26'd0 : {1'b0, value};

    always @(posedge clk)
        if (en) begin
            sign_q <= {sign_q[7:1], a[31]};
            d4_q <= {!fixed[17], fixed[16:0]};
            above_q <= {above_q[12:4], above};
            // Stage 9: the table for CURVE 2 has 1 - Phi(|a|), which is Phi(a) for negative a.
            value9_q <= CURVE == 3 || (CURVE == 2 && sign_q[8]) ? tail : CURVE == 2 ? WHOLE - tail
                : above_q[8] ? WHOLE : {1'b0, value};
        end

    // Stages 10 to 13 convert the value to fp32. Stage 14 multiplies it by 2^-24.
    wire [31:0] whole;
    rill_fp32_from_int #(.WIDTH(26)) u_whole (.clk(clk), .en(en), .a(value9_q), .y(whole));
    always @(posedge clk)
        if (en) begin
            y <= whole[30:23] == 8'd0 ? 32'd0 : {whole[31], whole[30:23] - 8'd24, whole[22:0]};
            beyond <= above_q[13];
        end

    wire unused = &{1'b0, fixed[INDEX_W+18]};
endmodule

`default_nettype wire
