// SPDX-License-Identifier: Apache-2.0
// Deals the beats of one linear read out to STORES parameter stores in turn: COUNTS[i] beats to store i, once per
// start.
//
// start (pulse): begins with store 0, also in the middle of a load. load_valid, load_store (one-hot) and load_data go
// to all stores.
// done rises when the last beat has been handed over and is low from start on until then. Beats are taken only between
// start and done.
// Throughput: one beat per cycle; latency 1. Reset: synchronous, control only; tready low in reset.
//
// name       meaning                                   unit    range
// BEAT_BITS  of a beat                                 bits    1 or more
// STORES     that beats are dealt out to               stores  1 or more
// COUNTS     of each store, 32 bits each, store 0 low  beats   not 0
`default_nettype none

module rill_param_loader #(
    parameter BEAT_BITS = 0,
    parameter STORES = 0,
    parameter [STORES*32-1:0] COUNTS = 0
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire                 start,
    input  wire                 s_axis_beat_tvalid,
    output wire                 s_axis_beat_tready,
    input  wire [BEAT_BITS-1:0] s_axis_beat_tdata,
    output reg                  load_valid,
    output reg  [STORES-1:0]    load_store,
    output reg  [BEAT_BITS-1:0] load_data,
    output wire                 done
);
    function any_zero(input integer stores);
        integer i;
        begin
            any_zero = 1'b0;
            for (i = 0; i < stores; i = i + 1)
                if (COUNTS[i*32 +: 32] == 32'd0)
                    any_zero = 1'b1;
        end
    endfunction

    generate
        if (BEAT_BITS < 1 || STORES < 1) begin : gen_bad
            rill_error_BEAT_BITS_and_STORES_must_be_at_least_1 u_error ();
        end else if (any_zero(STORES)) begin : gen_bad_counts
            rill_error_each_of_COUNTS_must_be_at_least_1 u_error ();
        end
    endgenerate

    localparam INDEX_W = STORES > 1 ? $clog2(STORES) : 1;

    reg  [31:0] counts [0:STORES-1];
    integer     i;
    initial
        for (i = 0; i < STORES; i = i + 1)
            counts[i] = COUNTS[i*32 +: 32];

    reg  [STORES-1:0]  turn_q;               // one-hot
    reg  [INDEX_W-1:0] next_q;               // number of the store after it
    reg  [31:0]        left_q;               // beats that the present store still gets
    reg                busy_q;
    reg                done_q;
    wire               take = s_axis_beat_tvalid && busy_q;
    wire               last = left_q == 32'd1;

    assign s_axis_beat_tready = busy_q;
    assign done = done_q && !start;
    always @(posedge clk)
        if (rst) begin
            busy_q <= 1'b0;
            done_q <= 1'b0;
        end else if (start) begin
            busy_q <= 1'b1;
            done_q <= 1'b0;
            turn_q <= {{(STORES-1){1'b0}}, 1'b1};
            next_q <= {{(INDEX_W-1){1'b0}}, 1'b1};
            left_q <= COUNTS[31:0];
        end else if (take) begin
            left_q <= left_q - 32'd1;
            if (last) begin
                turn_q <= turn_q << 1;
                next_q <= next_q + 1'b1;
                left_q <= counts[next_q];    // past the last store: not used
                busy_q <= !turn_q[STORES-1];
                done_q <= turn_q[STORES-1];
            end
        end

    always @(posedge clk) begin
        load_valid <= take && !rst && !start;
        load_store <= turn_q;
        load_data <= s_axis_beat_tdata;
    end
endmodule

`default_nettype wire
