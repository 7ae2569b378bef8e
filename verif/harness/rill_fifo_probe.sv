// SPDX-License-Identifier: Apache-2.0
// Watches one FIFO (simulation only). Reports every new high-water mark, and the fill at the end. If the run records
// the fill over time, it also reports every change of the fill.
//
// occupancy and high_water are the FIFO's own simulation outputs, in words. Parameters: ID (edge number), DEPTH
// (words), W (width of both outputs).
`default_nettype none

module rill_fifo_probe #(
    parameter int ID = 0,
    parameter int DEPTH = 0,
    parameter int W = 1
) (
    input wire         clk,
    input wire [W-1:0] occupancy,
    input wire [W-1:0] high_water
);
    import "DPI-C" function int rill_fifo_open(input int id);
    import "DPI-C" function void rill_fifo_state(input int id, input int depth, input int occupancy,
        input int high_water);

    reg   [W-1:0] last_q = '0;
    reg   [W-1:0] high_q = '0;
    reg           all_q;

    initial all_q = rill_fifo_open(ID) != 0;

    final rill_fifo_state(ID, DEPTH, 32'(occupancy), 32'(high_water));

    always @(posedge clk) begin
        if (high_water != high_q || (all_q && occupancy != last_q)) begin
            rill_fifo_state(ID, DEPTH, 32'(occupancy), 32'(high_water));
            high_q <= high_water;
        end
        if (all_q)
            last_q <= occupancy;
    end
endmodule

`default_nettype wire
