// SPDX-License-Identifier: Apache-2.0
// The probes of random designs, with the ports of verif/harness/rill_probe.sv and rill_fifo_probe.sv, which they
// replace. The state of a stream (beats, stalls) is in probes.cpp, which is compiled once for all designs, so these
// modules stay small. A probe calls probes.cpp in each cycle in which its stream offers a word, when the stream
// becomes idle, and when tready of an idle stream changes. The checker and the watch receive the same words, beats and
// stalls as from the other probes.
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
    // Arguments of DPI functions have fixed widths. A probe calls the narrowest one that DATA_W fits in (at most 1088).
    import "DPI-C" function void rill_stream_64(input chandle stream, input byte flags, input bit [63:0] data, input int user, input int count);
    import "DPI-C" function void rill_stream_544(input chandle stream, input byte flags, input bit [543:0] data, input int user, input int count);
    import "DPI-C" function void rill_stream_1088(input chandle stream, input byte flags, input bit [1087:0] data, input int user, input int count);
    import "DPI-C" function void rill_stream_still(input chandle stream, input bit ready);

    chandle stream;
    reg     seen_q = 1'b0;
    reg     ready_q = 1'b0;
    initial stream = rill_stream_open(ID, DATA_W);

    wire [7:0] flags = {5'd0, rst, tlast, tready}; // bits READY, LAST and RESET of probes.cpp, the lowest first
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

    reg [W-1:0] last_q = '1; // an occupancy that does not occur, so the first one is always reported
    always @(posedge clk) begin
        last_q <= occupancy;
        if (occupancy != last_q)
            rill_fifo_state(ID, DEPTH, 32'(occupancy), 32'(high_water));
    end
endmodule

`default_nettype wire
