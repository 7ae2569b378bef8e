// SPDX-License-Identifier: Apache-2.0
// One registered stage of the shifter in rill_width_gear: moves a line of ELEMS elements up by `by` * STEP elements,
// where `by` is 0 to 3.
//
// Zeros enter at element 0; elements that pass the highest place are lost. There is no handshake and no reset. The
// clock enable is `en`, and the latency is 1 enabled cycle. Without `en`, `q` keeps its value. Each bit needs a 4:1
// multiplexer.
//
// name    meaning                                                            unit      range
// ELEMS   elements of a line                                                 elements  1 or more
// ELEM_W  width of an element                                                bits      1 or more
// STEP    elements of shift for each unit of `by`                            elements  1 or more
// COPIES  copies of `by`; all are equal, and each serves a part of the line  copies    1 to ELEMS
`default_nettype none

module rill_element_shift #(
    parameter ELEMS = 0,
    parameter ELEM_W = 32,
    parameter STEP = 0,
    parameter COPIES = 1
) (
    input  wire                    clk,
    input  wire                    en,
    input  wire [2*COPIES-1:0]     by,
    input  wire [ELEMS*ELEM_W-1:0] d,
    output reg  [ELEMS*ELEM_W-1:0] q
);
    generate
        if (ELEMS < 1 || ELEM_W < 1 || STEP < 1) begin : gen_bad
            rill_error_ELEMS_ELEM_W_and_STEP_must_be_at_least_1 u_error ();
        end
        if (COPIES < 1 || COPIES > ELEMS) begin : gen_bad_copies
            rill_error_COPIES_must_be_1_to_ELEMS u_error ();
        end
    endgenerate

    integer e;
    always @(posedge clk)
        if (en)
            for (e = 0; e < ELEMS; e = e + 1)
                case (by[2*(e*COPIES/ELEMS) +: 2])
                    2'd0: q[e*ELEM_W +: ELEM_W] <= d[e*ELEM_W +: ELEM_W];
                    2'd1: q[e*ELEM_W +: ELEM_W] <= e >= STEP ? d[(e >= STEP ? e - STEP : 0)*ELEM_W +: ELEM_W]
                        : {ELEM_W{1'b0}};
                    2'd2: q[e*ELEM_W +: ELEM_W] <= e >= 2*STEP ? d[(e >= 2*STEP ? e - 2*STEP : 0)*ELEM_W +: ELEM_W]
                        : {ELEM_W{1'b0}};
                    default: q[e*ELEM_W +: ELEM_W] <= e >= 3*STEP ? d[(e >= 3*STEP ? e - 3*STEP : 0)*ELEM_W +: ELEM_W]
                        : {ELEM_W{1'b0}};
                endcase
endmodule

`default_nettype wire
