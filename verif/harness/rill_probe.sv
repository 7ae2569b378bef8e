// SPDX-License-Identifier: Apache-2.0
// Watches one stream (simulation only). Passes each word that is taken to the stream checker. At the end it reports the
// state of the stream, its beats, and its stalls (cycles in which a word is offered and not taken).
//
// If the stream has no tuser, tlast or tcount, these inputs are tied to 0. The checker may answer that it needs no more
// beats. Then no further beats are passed to it, but they are still counted.
// Reset: clk, synchronous active-high rst.
// Parameters: ID (edge number in the design's kernel graph), DATA_W (1..1088), USER_W (1..32), COUNT_W (1..32).
`default_nettype none

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
    localparam int WORDS = DATA_W <= 64 ? 2 : DATA_W <= 544 ? 17 : 34;

    import "DPI-C" function int rill_probe_open(input int id, input int data_w);
    import "DPI-C" function int rill_probe_beat64(input int id, input bit [63:0] data, input int user, input int last,
        input int count);
    import "DPI-C" function int rill_probe_beat544(input int id, input bit [543:0] data, input int user, input int last,
        input int count);
    import "DPI-C" function int rill_probe_beat(input int id, input bit [1087:0] data, input int user, input int last,
        input int count);
    import "DPI-C" function void rill_probe_state(input int id, input int tvalid, input int tready,
                                                         input longint beats, input longint stalls);

    reg     wanted_q;
    longint beats_q = 0;
    longint stalls_q = 0;
    wire    take = tvalid && tready;
    wire    stall = tvalid && !tready && !rst;

    initial wanted_q = rill_probe_open(ID, DATA_W) != 0;

    final rill_probe_state(ID, 32'(tvalid), 32'(tready), beats_q, stalls_q);

    generate
        if (WORDS == 2) begin : gen_64
            always @(posedge clk)
                if (take && wanted_q && !rst)
                    wanted_q <= rill_probe_beat64(ID, 64'(tdata), 32'(tuser), 32'(tlast), 32'(tcount)) != 0;
        end else if (WORDS == 17) begin : gen_544
            always @(posedge clk)
                if (take && wanted_q && !rst)
                    wanted_q <= rill_probe_beat544(ID, 544'(tdata), 32'(tuser), 32'(tlast), 32'(tcount)) != 0;
        end else begin : gen_1088
            always @(posedge clk)
                if (take && wanted_q && !rst)
                    wanted_q <= rill_probe_beat(ID, 1088'(tdata), 32'(tuser), 32'(tlast), 32'(tcount)) != 0;
        end
    endgenerate

    always @(posedge clk)
        if (take)
            beats_q <= beats_q + 1;
        else if (stall)
            stalls_q <= stalls_q + 1;
endmodule

`default_nettype wire
