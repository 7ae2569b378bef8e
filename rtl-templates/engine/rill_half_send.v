// SPDX-License-Identifier: Apache-2.0
// The sender of rill_half_hop: q is the low half of d, then the high half, each for one period of clk_2x. The low half
// comes one edge of clk_2x after the edge of clk that brings d. The multiplexers and the registers after them are in
// one module, so a placer that keeps modules whole keeps the multiplexers before the die boundary.
// Used only with RILL_VENDOR_CELLS or RILL_PUMP.
// No reset.
//
// name    meaning           unit    range
// DATA_W  width of d, even  bits    2 or more
`default_nettype none

module rill_half_send #(
    parameter DATA_W = 0
) (
    input  wire                clk,
    input  wire                clk_2x,
    input  wire [DATA_W-1:0]   d,
    output wire [DATA_W/2-1:0] q
);
    localparam HALF = DATA_W / 2 > 0 ? DATA_W / 2 : 1;
    localparam LOADS = 32;                       // bits that a copy of the phase selects
    localparam COPIES = (HALF + LOADS - 1) / LOADS;
    wire [2*COPIES-1:0] phase;
    wire [HALF-1:0]     half;
    wire                unused = &{1'b0, phase};

    rill_pump_phase #(.COPIES(COPIES)) u_phase (.clk(clk), .clk_2x(clk_2x), .phase(phase));
    genvar i;
    generate
        if (DATA_W < 2 || DATA_W % 2 != 0) begin : gen_bad
            rill_error_DATA_W_must_be_even_and_at_least_2 u_error ();
        end
        // In the second half of a cycle (bit 1 of a copy of the phase), u_half takes the high half of d.
        for (i = 0; i < HALF; i = i + 1) begin : gen_bit
            assign half[i] = phase[i/LOADS*2+1] ? d[HALF+i] : d[i];
        end
    endgenerate
    rill_hop_stage #(.DATA_W(HALF)) u_half (.clk(clk_2x), .rst(1'b0), .d(half), .q(q));
endmodule

`default_nettype wire
