// SPDX-License-Identifier: Apache-2.0
// Registers between dies for signals without back-pressure: q is d, STAGES clocks later. They do not become shift
// registers. Each stage is a separate instance, gen_stage[k].u_stage, so that a placer can put each on its own die.
// With STAGES 0 this is a wire.
//
// name     meaning                                             unit    range
// DATA_W   width of d                                          bits    1 or more
// CLEAR_W  low bits that a synchronous active-high rst clears  bits    0 to DATA_W
// STAGES   register stages from d to q                         clocks  0 or more
`default_nettype none

module rill_hop #(
    parameter DATA_W = 0,
    parameter CLEAR_W = 0,
    parameter STAGES = 0
) (
    input  wire              clk,
    input  wire              rst,
    input  wire [DATA_W-1:0] d,
    output wire [DATA_W-1:0] q
);
    generate
        if (DATA_W < 1) begin : gen_bad
            rill_error_DATA_W_must_be_at_least_1 u_error ();
        end
        if ($signed(CLEAR_W) < 0 || CLEAR_W > DATA_W) begin : gen_bad_clear
            rill_error_CLEAR_W_must_be_0_to_DATA_W u_error ();
        end
    endgenerate
    localparam BITS = DATA_W > 0 ? DATA_W : 1;
    wire [(STAGES+1)*BITS-1:0] way;
    assign way[BITS-1:0] = d;
    assign q = way[STAGES*BITS +: BITS];
    genvar k;
    generate
        for (k = 0; k < STAGES; k = k + 1) begin : gen_stage
            rill_hop_stage #(.DATA_W(DATA_W), .CLEAR_W(CLEAR_W)) u_stage (.clk(clk), .rst(rst), .d(way[k*BITS +: BITS]),
                .q(way[(k+1)*BITS +: BITS]));
        end
        if (STAGES == 0) begin : gen_wire
            wire unused = &{1'b0, clk, rst};
        end
    endgenerate
endmodule

`default_nettype wire
