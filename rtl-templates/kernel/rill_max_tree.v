// SPDX-License-Identifier: Apache-2.0
// Finds the largest of LANES unsigned numbers with a binary tree, one level per pipeline stage.
//
// Latency log2(LANES) enabled clocks (with LANES 1 a wire), one result per enabled clock, no reset.
//
// name    meaning                                                                  unit     range
// DATA_W  width of a number                                                        bits     1 or more
// LANES   numbers, a power of two                                                  numbers  1 or more
// STRIDE  distance from one number to the next; a multiple of 32 simulates faster  bits     DATA_W or more
`default_nettype none

module rill_max_tree #(
    parameter DATA_W = 0,
    parameter LANES = 0,
    parameter STRIDE = DATA_W
) (
    input  wire                    clk,
    input  wire                    en,
    input  wire [LANES*STRIDE-1:0] d,
    output wire [DATA_W-1:0]       q
);
    generate
        if (DATA_W < 1 || LANES < 1) begin : gen_bad
            rill_error_DATA_W_and_LANES_must_be_at_least_1 u_error ();
        end else if ((LANES & (LANES - 1)) != 0) begin : gen_bad_lanes
            rill_error_LANES_must_be_a_power_of_two u_error ();
        end
    endgenerate

    // Node i has the children 2i and 2i + 1; the leaves are LANES .. 2 LANES - 1, the root is 1.
    genvar i;
    generate
        for (i = 1; i == 1 || i < 2 * LANES; i = i + 1) begin : gen_node
            wire [DATA_W-1:0] value;
            if (i >= LANES) begin : gen_leaf
                assign value = d[(i-LANES)*STRIDE +: DATA_W];
            end else begin : gen_pair
                reg [DATA_W-1:0] q_q;
                always @(posedge clk) if (en) q_q <= gen_node[2*i].value > gen_node[2*i+1].value ? gen_node[2*i].value
                    : gen_node[2*i+1].value;
                assign value = q_q;
            end
        end
    endgenerate
    assign q = gen_node[1].value;

    wire unused = &{1'b0, clk, en, d};
endmodule

`default_nettype wire
