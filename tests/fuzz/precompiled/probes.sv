// SPDX-License-Identifier: Apache-2.0
// The probes of verif/harness for random designs. probes.cpp, which is compiled once, keeps their state between cycles,
// and they report every change in its cycle. The ports are those of the other probes, and the checker and the watch
// know the same about every stream at the end of a run.
`default_nettype none
/* verilator lint_off DECLFILENAME */

module rill_probe #(
    parameter int ID = 0,
    parameter int DATA_W = 32,
    parameter int USER_W = 1,
    parameter int COUNT_W = 1
) (
    input wire               clk,
    input wire               rst,
    input wire               tvalid,
    input wire               tready,
    input wire [DATA_W-1:0]  tdata,
    input wire [USER_W-1:0]  tuser,
    input wire               tlast,
    input wire [COUNT_W-1:0] tcount
);
    import "DPI-C" function chandle rill_stream_open(input int id, input int data_w);
    import "DPI-C" function void rill_stream_64(input chandle stream, input byte flags, input bit [63:0] data, input int user, input int count);
    import "DPI-C" function void rill_stream_544(input chandle stream, input byte flags, input bit [543:0] data, input int user, input int count);
    import "DPI-C" function void rill_stream_1088(input chandle stream, input byte flags, input bit [1087:0] data, input int user, input int count);
    import "DPI-C" function void rill_stream_still(input chandle stream, input bit ready);

    chandle stream;
    reg     seen_q = 1'b0;
    reg     ready_q = 1'b0;
    initial stream = rill_stream_open(ID, DATA_W);

    wire [7:0] flags = {5'd0, rst, tlast, tready};
    always @(posedge clk) begin
        seen_q <= tvalid;
        ready_q <= tready;
        if (tvalid) begin
            if (DATA_W <= 64)
                rill_stream_64(stream, flags, 64'(tdata), 32'(tuser), 32'(tcount));
            else if (DATA_W <= 544)
                rill_stream_544(stream, flags, 544'(tdata), 32'(tuser), 32'(tcount));
            else
                rill_stream_1088(stream, flags, 1088'(tdata), 32'(tuser), 32'(tcount));
        end else if (seen_q || tready != ready_q)
            rill_stream_still(stream, tready);
    end
endmodule

module rill_fifo_probe #(
    parameter int ID = 0,
    parameter int DEPTH = 0,
    parameter int W = 1
) (
    input wire         clk,
    input wire [W-1:0] occupancy,
    input wire [W-1:0] high_water
);
    import "DPI-C" function void rill_fifo_state(input int id, input int depth, input int occupancy, input int high_water);

    reg [W-1:0] last_q = '1;
    always @(posedge clk) begin
        last_q <= occupancy;
        if (occupancy != last_q)
            rill_fifo_state(ID, DEPTH, 32'(occupancy), 32'(high_water));
    end
endmodule

`default_nettype wire
