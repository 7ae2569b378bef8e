// SPDX-License-Identifier: Apache-2.0
// Deals the beats of one linear read out to STORES parameter stores in turn: COUNTS[i] beats to store i, once per start.
//
// load_valid, load_store (one-hot) and load_data go to all stores. done rises when the last beat has been handed over and falls at start.
// Always ready for beats after start. Latency 1 cycle. Reset: synchronous.
// Parameters: BEAT_BITS, STORES, COUNTS (32 bits per store, store 0 in the low bits; each at least 1).
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
    generate
        if (BEAT_BITS < 1 || STORES < 1) begin : gen_bad
            rill_error_BEAT_BITS_and_STORES_must_be_at_least_1 u_error ();
        end
    endgenerate

    reg [STORES-1:0]    turn_q;  // one-hot
    reg [STORES*32-1:0] count_q; // beats of the stores from the present one on
    reg [31:0]          left_q;  // beats the present store still gets
    reg                 busy_q;
    reg                 done_q;
    wire take = s_axis_beat_tvalid & s_axis_beat_tready;
    wire last = left_q == 32'd1;
    assign s_axis_beat_tready = busy_q;
    assign done = done_q & ~start;
    always @(posedge clk) begin
        if (rst) begin
            busy_q <= 1'b0;
            done_q <= 1'b0;
        end else if (start) begin
            busy_q  <= 1'b1;
            done_q  <= 1'b0;
            turn_q  <= {{(STORES-1){1'b0}}, 1'b1};
            count_q <= COUNTS >> (STORES > 1 ? 32 : 0);
            left_q  <= COUNTS[31:0];
        end else if (take) begin
            left_q <= left_q - 32'd1;
            if (last) begin
                turn_q  <= turn_q << 1;
                left_q  <= count_q[31:0];
                count_q <= count_q >> (STORES > 1 ? 32 : 0);
                if (turn_q[STORES-1]) begin
                    busy_q <= 1'b0;
                    done_q <= 1'b1;
                end
            end
        end
    end
    always @(posedge clk) begin
        load_valid <= take & ~rst;
        load_store <= turn_q;
        load_data  <= s_axis_beat_tdata;
    end
endmodule

`default_nettype wire
