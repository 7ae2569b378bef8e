// SPDX-License-Identifier: Apache-2.0
// Rotates the elements of a word: element i goes to place (i + turn) mod ELEMS. Combinational, log2(ELEMS) stages of
// 2:1 multiplexers.
//
// name    meaning                             unit      range
// ELEMS   elements of a word, a power of two  elements  2 or more
// ELEM_W  width of an element                 bits      1 or more
// TURN_W  width of turn                       bits      derived
`default_nettype none

module rill_rotate #(
    parameter ELEMS = 0,
    parameter ELEM_W = 0,
    parameter TURN_W = ELEMS > 1 ? $clog2(ELEMS) : 1
) (
    input  wire [ELEMS*ELEM_W-1:0] words,
    input  wire [TURN_W-1:0]       turn,
    output wire [ELEMS*ELEM_W-1:0] rotated
);
    generate
        if (ELEMS < 2 || (ELEMS & (ELEMS - 1)) != 0) begin : gen_bad_elems
            rill_error_ELEMS_must_be_a_power_of_two_of_at_least_2 u_error ();
        end
        if (ELEM_W < 1) begin : gen_bad_width
            rill_error_ELEM_W_must_be_at_least_1 u_error ();
        end
    endgenerate

    localparam BITS = ELEMS * ELEM_W;
    genvar s;
    generate
        for (s = 0; s < TURN_W; s = s + 1) begin : gen_stage
            localparam MOVED = ELEM_W << s;                // bits by which this stage rotates
            wire [BITS-1:0] from;
            wire [BITS-1:0] turned = turn[s] ? {from[BITS-MOVED-1:0], from[BITS-1 -: MOVED]} : from;
            if (s == 0) begin : gen_first
                assign from = words;
            end else begin : gen_next
                assign from = gen_stage[s-1].turned;
            end
        end
        assign rotated = gen_stage[TURN_W-1].turned;
    endgenerate
endmodule

`default_nettype wire
