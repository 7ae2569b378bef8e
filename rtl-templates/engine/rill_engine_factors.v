// SPDX-License-Identifier: Apache-2.0
// Makes the factors of the lanes on one die from a slice of the operand: one factor for every nibble of a beat, in the
// order of rill_matrix_lane.
//
// slice holds, for each token, two units of BEAT_BITS / 8 mantissas (rill_x_slice).
// TURN_TOKENS 2, 4: a factor holds the mantissas of a pair of tokens, packed as rill_packed_mul takes them. All factors
// of tokens 2 and 3 are above all factors of tokens 0 and 1.
// TURN_TOKENS 2, 4 or PUMP 2: each factor is delayed until its product is computed (rill_pair_skew.vh). Otherwise
// factors is a combinational function of slice. No reset: a free-running pipeline.
//
// name         meaning                                         unit    range
// BEAT_BITS    width of a memory beat                          bits    256, 512
// TURN_TOKENS  tokens per command                              tokens  1, 2, 4
// ASYM         1: there are int4_asym weights                  -       0, 1
// X_BITS       width of a mantissa                             bits    8, 10
// PUMP         multiplications per multiplier and cycle        -       1, 2
// FACTOR_W     width of a factor, which is sign-extended: at   bits    8 to 32
//              least X_BITS, or 27 if it holds a pair
// PAIRS        token pairs, or 1 for a single token            -       derived
`default_nettype none

module rill_engine_factors #(
    parameter BEAT_BITS = 0,
    parameter TURN_TOKENS = 1,
    parameter ASYM = 0,
    parameter X_BITS = 8,
    parameter PUMP = TURN_TOKENS > 2 ? 2 : 1,
    parameter FACTOR_W = 0,
    parameter PAIRS = TURN_TOKENS > 2 ? 2 : 1
) (
    input  wire                                     clk,
    input  wire [TURN_TOKENS*2*(BEAT_BITS/8*X_BITS)-1:0] slice,
    output wire [PAIRS*(BEAT_BITS/4)*FACTOR_W-1:0]  factors
);
    localparam XS = BEAT_BITS / 8;
    localparam UNIT_BITS = XS * X_BITS;
    localparam SPLIT = 26 - X_BITS;                        // bit of the second token in a factor: S of rill_packed_mul
    localparam BOTH = TURN_TOKENS > 1 ? 2 : 1;             // tokens per factor
    localparam PAIR_BITS = BOTH * 2 * UNIT_BITS;           // width of a pair's slice
    `include "rill_pair_skew.vh"

    generate
        if (BEAT_BITS != 256 && BEAT_BITS != 512) begin : gen_bad_beat
            rill_error_BEAT_BITS_must_be_256_or_512 u_error ();
        end
        if (FACTOR_W < (TURN_TOKENS > 1 ? 27 : X_BITS)) begin : gen_bad_factor
            rill_error_FACTOR_W_must_hold_a_factor u_error ();
        end
    endgenerate

    // Returns a mask of the elements of a pair's slice that are multiplied `skew` clocks after the first elements.
    function [PAIR_BITS-1:0] of_skew(input integer skew, input integer pair);
        integer i;
        begin
            of_skew = {PAIR_BITS{1'b0}};
            for (i = 0; i < BOTH * 2 * XS; i = i + 1)
                of_skew[X_BITS*i +: X_BITS] = {X_BITS{pair_skew(i % (2 * XS), pair) == skew}};
        end
    endfunction
    // Returns the factors of elements: each is sign-extended, and for a pair the second token's is added at bit SPLIT.
    // The factor of element i is at place i % 8 * (XS / 4) + i / 8, so that factors of nibbles with the same place in a
    // word of 32 bits are neighbours.
    function [2*XS*FACTOR_W-1:0] all_factors(input [PAIR_BITS-1:0] x);
        integer            i;
        reg [X_BITS-1:0]   element;
        reg [FACTOR_W-1:0] low;
        reg [FACTOR_W-1:0] high;
        begin
            all_factors = {2*XS*FACTOR_W{1'b0}};
            for (i = 0; i < 2 * XS; i = i + 1) begin
                element = x[X_BITS*i +: X_BITS];
                low = {{(FACTOR_W-X_BITS+1){element[X_BITS-1]}}, element[X_BITS-2:0]};
                element = x[(BOTH-1)*2*UNIT_BITS+X_BITS*i +: X_BITS];
                high = {{(FACTOR_W-X_BITS+1){element[X_BITS-1]}}, element[X_BITS-2:0]};
                all_factors[FACTOR_W*(i % 8 * (XS / 4) + i / 8) +: FACTOR_W] = TURN_TOKENS > 1 ? low
                    + (high << SPLIT) : low;
            end
        end
    endfunction

    genvar p;
    genvar w;
    generate
        for (p = 0; p < PAIRS; p = p + 1) begin : gen_pair
            wire [PAIR_BITS-1:0] mine = slice[p*PAIR_BITS +: PAIR_BITS];
            wire [PAIR_BITS-1:0] skewed;
            if (TURN_TOKENS > 1 || PUMP > 1) begin : gen_late
                // Stage w has the slice of w clocks ago. From this slice it takes the elements that are multiplied w
                // clocks after the first ones, and it passes on those of the stages before it.
                for (w = 0; w <= PAIR_TOP; w = w + 1) begin : gen_skew
                    localparam [PAIR_BITS-1:0] MINE = of_skew(w, p);
                    wire [PAIR_BITS-1:0] slice_now;
                    wire [PAIR_BITS-1:0] mixed;
                    if (w == 0) begin : gen_at_once
                        assign slice_now = mine;
                        assign mixed = mine & MINE;
                    end else begin : gen_later
                        reg [PAIR_BITS-1:0] slice_q;
                        always @(posedge clk)
                            slice_q <= gen_skew[w-1].slice_now;
                        assign slice_now = slice_q;
                        assign mixed = gen_skew[w-1].mixed | (slice_q & MINE);
                    end
                    wire unused_now = &{1'b0, slice_now};
                end
                assign skewed = gen_skew[PAIR_TOP].mixed;
            end else begin : gen_together
                assign skewed = mine;
                wire unused = clk;
            end
            assign factors[p*2*XS*FACTOR_W +: 2*XS*FACTOR_W] = all_factors(skewed);
        end
    endgenerate
endmodule

`default_nettype wire
