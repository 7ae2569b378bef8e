// SPDX-License-Identifier: Apache-2.0
// Distributes the beats of one read of memory to STORES parameter stores (rill_param_store): after each start,
// COUNTS[0] beats go to store 0, then COUNTS[1] beats to store 1, and so on.
//
// A beat is sent in PIECES pieces, one per cycle, the low bits first, and is taken together with its last piece. This
// divides the number of wires to the stores by PIECES.
//
// A pulse on start begins with store 0, also in the middle of a load. load_valid, load_store and load_data go to all
// stores; bit i of load_store is set if the piece is for store i.
// done is low from the reset or start until the last beat has been taken. Beats are taken only between start and done.
// Throughput: one piece per cycle; latency 1. Reset: clk, synchronous active-high rst; control only. tready is low in
// reset.
//
// name       meaning                                         unit    range
// BEAT_BITS  width of a beat                                 bits    1 or more
// STORES     stores that receive beats                       stores  1 or more
// PIECES     pieces of a beat; divides BEAT_BITS             -       1 or more
// COUNTS     beats of each store, 32 bits each, store 0 low  beats   1 or more
// LOAD_BITS  width of a piece                                bits    derived
`default_nettype none

module rill_param_loader #(
    parameter BEAT_BITS = 0,
    parameter STORES = 0,
    parameter PIECES = 1,
    parameter [STORES*32-1:0] COUNTS = 0,
    parameter LOAD_BITS = PIECES > 0 ? BEAT_BITS / PIECES : 1
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire                 start,
    input  wire                 s_axis_beat_tvalid,
    output wire                 s_axis_beat_tready,
    input  wire [BEAT_BITS-1:0] s_axis_beat_tdata,
    output reg                  load_valid,
    output reg  [STORES-1:0]    load_store,
    output reg  [LOAD_BITS-1:0] load_data,
    output wire                 done
);
    function any_zero(input integer stores);
        integer n;
        begin
            any_zero = 1'b0;
            for (n = 0; n < stores; n = n + 1)
                if (COUNTS[n*32 +: 32] == 32'd0)
                    any_zero = 1'b1;
        end
    endfunction

    generate
        if (BEAT_BITS < 1 || STORES < 1) begin : gen_bad
            rill_error_BEAT_BITS_and_STORES_must_be_at_least_1 u_error ();
        end else if (PIECES < 1 || PIECES * LOAD_BITS != BEAT_BITS) begin : gen_bad_pieces
            rill_error_PIECES_must_divide_BEAT_BITS u_error ();
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

    reg  [STORES-1:0]  turn_q;               // one-hot: the store that the present beat is for
    reg  [INDEX_W-1:0] next_q;               // number of the store after the present one
    reg  [31:0]        left_q;               // beats that the present store still gets
    reg                busy_q;               // beats are taken
    reg                done_q;
    wire [LOAD_BITS-1:0] piece;
    wire               end_piece;            // this piece is the last one of the beat
    wire               hand = s_axis_beat_tvalid && busy_q;
    wire               take = hand && end_piece;
    wire               last = left_q == 32'd1;

    assign s_axis_beat_tready = busy_q && end_piece;
    wire [STORES:0]    turned = {turn_q, 1'b0};
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
                turn_q <= turned[STORES-1:0];
                next_q <= next_q + 1'b1;
                left_q <= counts[next_q];    // not used after the last store
                busy_q <= !turned[STORES];
                done_q <= turned[STORES];
            end
        end

    always @(posedge clk) begin
        load_valid <= hand && !rst && !start;
        load_store <= turn_q;
        load_data <= piece;
    end

    generate
        if (PIECES == 1) begin : gen_whole
            assign piece = s_axis_beat_tdata;
            assign end_piece = 1'b1;
        end else begin : gen_pieces
            localparam PIECE_W = $clog2(PIECES);
            localparam [31:0] LAST_32 = PIECES - 1;
            reg [PIECE_W-1:0] piece_q;
            assign piece = s_axis_beat_tdata[piece_q*LOAD_BITS +: LOAD_BITS];
            assign end_piece = piece_q == LAST_32[PIECE_W-1:0];
            always @(posedge clk)
                if (rst || start)
                    piece_q <= {PIECE_W{1'b0}};
                else if (hand)
                    piece_q <= end_piece ? {PIECE_W{1'b0}} : piece_q + 1'b1;
        end
    endgenerate
endmodule

`default_nettype wire
