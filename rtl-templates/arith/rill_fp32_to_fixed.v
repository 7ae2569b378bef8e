// SPDX-License-Identifier: Apache-2.0
// Converts fp32 to two's complement fixed point: y = RN(a * 2^FRAC), where RN rounds to the nearest integer, ties to
// even. y saturates to +-(2^(WIDTH-1) - 1).
//
// Latency 3 enabled clocks, one result per enabled clock, no reset.
// overflow is aligned with y. It is 1 if |RN(a * 2^FRAC)| >= 2^(WIDTH-1).
// fault is aligned with y. It is 1 if a is NaN or infinite; y is then undefined.
//
// name   meaning             unit  range
// FRAC   binary places of y  bits  -100 to 100
// WIDTH  width of y          bits  2 to 64
`default_nettype none

module rill_fp32_to_fixed #(
    parameter FRAC = 0,
    parameter WIDTH = 0
) (
    input  wire             clk,
    input  wire             en,
    input  wire [31:0]      a,
    output reg  [WIDTH-1:0] y,
    output reg              overflow,
    output reg              fault
);

    localparam INT_W = WIDTH - 1;                          // magnitude bits of y
    localparam FULL_W = INT_W + 1 > 25 ? INT_W + 1 : 25;   // magnitude, guard bit and lower bits
    // Exponent field of a value whose first bit is the top bit of y's magnitude.
    localparam TOP = 127 + INT_W - 1 - FRAC;

    generate
        if (WIDTH < 2 || WIDTH > 64) begin : gen_bad_width
            rill_error_WIDTH_must_be_2_to_64 u_error ();
        end
        if ($signed(FRAC) < -100 || $signed(FRAC) > 100) begin : gen_bad_frac
            rill_error_FRAC_must_be_within_100 u_error ();
        end
    endgenerate

    // Stage 1: distance of a's first bit from the top bit of y's magnitude.
    wire signed [10:0] distance = $signed(TOP[10:0]) - $signed({3'd0, a[30:23]});
    reg         sign1_q, zero1_q, over1_q, fault1_q;
    reg  [6:0]  shift1_q;
    reg  [22:0] fraction1_q;

    always @(posedge clk) begin
        if (en) begin
            sign1_q <= a[31];
            zero1_q <= a[30:23] == 8'd0 || distance > $signed(INT_W[10:0]);
            over1_q <= distance < 0;
            fault1_q <= &a[30:23];
            shift1_q <= distance[6:0];
            fraction1_q <= a[22:0];
        end
    end

    // Stage 2: shift; the guard bit follows the last bit of the magnitude.
    wire [FULL_W-1:0] wide = {1'b1, fraction1_q, {(FULL_W-24){1'b0}}};
    wire [FULL_W-1:0] kept = wide >> shift1_q;
    wire [FULL_W-1:0] lost = wide & ~({FULL_W{1'b1}} << shift1_q);
    wire              below;
    reg               sign2_q, over2_q, fault2_q, guard2_q, sticky2_q;
    reg  [INT_W-1:0]  magnitude2_q;

    generate
        if (FULL_W > INT_W + 1) begin : gen_below
            assign below = |kept[FULL_W-INT_W-2:0];
        end else begin : gen_none_below
            assign below = 1'b0;
        end
    endgenerate

    always @(posedge clk) begin
        if (en) begin
            sign2_q <= sign1_q;
            over2_q <= over1_q && !zero1_q;
            fault2_q <= fault1_q;
            magnitude2_q <= zero1_q ? {INT_W{1'b0}} : kept[FULL_W-1:FULL_W-INT_W];
            guard2_q <= !zero1_q && kept[FULL_W-INT_W-1];
            sticky2_q <= below || |lost;
        end
    end

    // Stage 3: round and negate in one addition: -(m + up) = ~m + !up.
    wire             up = guard2_q && (sticky2_q || magnitude2_q[0]);
    wire             over = over2_q || (up && &magnitude2_q);
    wire [WIDTH-1:0] value = {sign2_q, magnitude2_q ^ {INT_W{sign2_q}}} + {{INT_W{1'b0}}, up ^ sign2_q};

    always @(posedge clk) begin
        if (en) begin
            y <= over ? {sign2_q, {INT_W{!sign2_q}}} | {{INT_W{1'b0}}, 1'b1} : value;
            overflow <= over;
            fault <= fault2_q;
        end
    end

endmodule

`default_nettype wire
