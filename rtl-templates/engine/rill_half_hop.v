// SPDX-License-Identifier: Apache-2.0
// Registers between dies, like rill_hop, but with half of the wires: q is d, STAGES clocks later. The two halves of d
// cross one after the other, at clk_2x.
//
// Every rising edge of clk is also one of clk_2x. Edges of clk_2x are counted from 0, the edge of clk that brings d:
//     edges 1, 2                        u_send: the low half of d, then the high one
//     the next 2 * STAGES - 3 edges     gen_stage[k].u_stage of u_hop: both halves move on by one stage per edge
//     edge 2 * STAGES                   q: the high half from the last stage, and the low half, which waited for it
// u_hop has one stage for the first die boundary, because u_send ends with a register, and two for each further one. So
// each boundary, and each die between two boundaries, has a whole period of clk_2x. STAGES is one more than the number
// of boundaries.
// Placement: u_send is on the die of d, the stages of u_hop on the dies along the path, the rest on the die of q.
// There are two forms, with equal outputs in equal cycles. With RILL_VENDOR_CELLS or RILL_PUMP the module is as above.
// Otherwise, for simulation, it is a rill_hop at clk, and clk_2x is ignored.
// No reset.
//
// name    meaning           unit    range
// DATA_W  width of d, even  bits    2 or more
// STAGES  delay             clocks  2 or more
`default_nettype none

module rill_half_hop #(
    parameter DATA_W = 0,
    parameter STAGES = 0
) (
    input  wire              clk,
    input  wire              clk_2x,
    input  wire [DATA_W-1:0] d,
    output wire [DATA_W-1:0] q
);
    localparam HALF = DATA_W / 2 > 0 ? DATA_W / 2 : 1;
    localparam WAY = STAGES > 1 ? 2 * STAGES - 3 : 0;
`ifdef RILL_VENDOR_CELLS
    localparam TWICE = 1;
`elsif RILL_PUMP
    localparam TWICE = 1;
`else
    localparam TWICE = 0;
`endif

    generate
        if (DATA_W < 2 || DATA_W % 2 != 0) begin : gen_bad
            rill_error_DATA_W_must_be_even_and_at_least_2 u_error ();
        end
        if (STAGES < 2) begin : gen_bad_stages
            rill_error_STAGES_must_be_at_least_2 u_error ();
        end
        if (TWICE != 0) begin : gen_halves
            wire [HALF-1:0]   first;
            wire [HALF-1:0]   there;
            reg  [HALF-1:0]   low_q;
            reg  [2*HALF-1:0] q_q;
            rill_half_send #(.DATA_W(DATA_W)) u_send (.clk(clk), .clk_2x(clk_2x), .d(d), .q(first));
            rill_hop #(.DATA_W(HALF), .STAGES(WAY)) u_hop (.clk(clk_2x), .rst(1'b0), .d(first), .q(there));
            always @(posedge clk_2x)
                low_q <= there;
            always @(posedge clk)
                q_q <= {there, low_q};
            assign q = q_q;
        end else begin : gen_whole
            rill_hop #(.DATA_W(DATA_W), .STAGES(STAGES)) u_hop (.clk(clk), .rst(1'b0), .d(d), .q(q));
            wire unused = &{1'b0, clk_2x};
        end
    endgenerate
endmodule

`default_nettype wire
