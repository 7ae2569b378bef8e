// SPDX-License-Identifier: Apache-2.0
// Computes exact statistics of a vector for the norms: the sums of X and of X^2 over all elements x, with X = fix(x,
// 20), docs/numerics.md section 7.
//
// Free-running pipeline, never stalls. take marks a chunk of LANES fp32. `row` is its vector (below ROWS), and first
// and last mark the first and last chunk of the vector. After the last chunk of a row, m_valid comes with m_row, m_sum
// = sum X, and the sum of squares in three parts:
//     sum X^2 = m_high * 2^44 + m_middle * 2^23 + m_low
// With |X| = top * 2^22 + bottom, the parts are the sums of top^2, top * bottom and bottom^2. Padding lanes must be
// zero. A vector has at most 65536 elements. Latency log2(LANES) + 8 cycles from the last chunk. Throughput: one chunk
// per cycle.
// fault: pulse on NaN, infinity, or |X| >= 2^43. Reset: clk, synchronous active-high rst; valids only.
//
// name   meaning                             unit      range
// LANES  fp32 per chunk, a power of two      elements  1 or more
// ROWS   vectors that may be open at a time  rows      1 or more
// ROW_W  width of a row's number             bits      derived
`default_nettype none

module rill_norm_sums #(
    parameter LANES = 0,
    parameter ROWS = 0,
    parameter ROW_W = ROWS > 1 ? $clog2(ROWS) : 1
) (
    input  wire                clk,
    input  wire                rst,
    input  wire                take,
    input  wire [LANES*32-1:0] x,
    input  wire [ROW_W-1:0]    row,
    input  wire                first,
    input  wire                last,
    output wire                m_valid,
    output wire [ROW_W-1:0]    m_row,
    output reg  [59:0]         m_sum,
    output reg  [59:0]         m_high,
    output reg  [59:0]         m_middle,
    output reg  [59:0]         m_low,
    output reg                 fault
);
    generate
        if (LANES < 1 || ROWS < 1) begin : gen_bad
            rill_error_LANES_and_ROWS_must_be_at_least_1 u_error ();
        end
    endgenerate

    `include "rill_latency.vh"
    localparam LEVELS = $clog2(LANES > 0 ? LANES : 1);
    localparam FIXED_STAGES = 1 + LATENCY_TO_FIXED;             // an input register, then the conversion
    localparam SQUARE_STAGES = FIXED_STAGES + 3;                // magnitude, parts of products, products
    localparam TREE_STAGES = SQUARE_STAGES + LEVELS;

    // The input has a register, because the enables of the stages (moves) come from registers and rise one cycle after
    // take.
    reg  [LANES*32-1:0]    x_q;
    reg  [ROW_W+1:0]       place_q;
    reg  [TREE_STAGES-1:0] took_q;      // bit i: stage i + 1 holds a chunk
    localparam LANE_COPIES = LANES > 4 ? (LANES + 3) / 4 : 1;
    localparam COPIES = LANE_COPIES + 4;    // a copy of the enable for every four lanes, and for each of the four trees
    wire [COPIES-1:0]   moves;          // low while no chunk is on its way, so that no register moves
    wire [LANES*60-1:0] fixed;
    wire [LANES*60-1:0] high;
    wire [LANES*60-1:0] middle;
    wire [LANES*60-1:0] low;
    wire [LANES-1:0]    lane_fault;
    wire [LANES-1:0]    lane_over;

    genvar i;
    generate
        for (i = 0; i < LANES; i = i + 1) begin : gen_lane
            wire        move = moves[i*LANE_COPIES/LANES];
            wire [43:0] whole;
            reg  [42:0] magnitude_q;
            // Products with the low 17 bits of a factor (*_a_q) and with its other bits (*_b_q); *_all_q adds both.
            reg  [37:0] high_a_q;
            reg  [24:0] high_b_q;
            reg  [38:0] middle_a_q;
            reg  [25:0] middle_b_q;
            reg  [38:0] low_a_q;
            reg  [26:0] low_b_q;
            reg  [41:0] high_all_q;
            reg  [42:0] middle_all_q;
            reg  [43:0] low_all_q;
            wire [21:0] bottom = magnitude_q[21:0];
            wire [20:0] top = magnitude_q[42:22];
            rill_fp32_to_fixed #(.FRAC(20), .WIDTH(44)) u_fix (.clk(clk), .en(move), .a(x_q[i*32 +: 32]), .y(whole),
                .overflow(lane_over[i]),
                .fault(lane_fault[i]));
            always @(posedge clk) if (move) begin
                magnitude_q <= (whole[42:0] ^ {43{whole[43]}}) + {42'd0, whole[43]};
                high_a_q <= {17'd0, top} * {21'd0, top[16:0]};
                high_b_q <= {4'd0, top} * {21'd0, top[20:17]};
                middle_a_q <= {17'd0, bottom} * {22'd0, top[16:0]};
                middle_b_q <= {4'd0, bottom} * {22'd0, top[20:17]};
                low_a_q <= {17'd0, bottom} * {22'd0, bottom[16:0]};
                low_b_q <= {5'd0, bottom} * {22'd0, bottom[21:17]};
                high_all_q <= {4'd0, high_a_q} + {high_b_q, 17'd0};
                middle_all_q <= {4'd0, middle_a_q} + {middle_b_q, 17'd0};
                low_all_q <= {5'd0, low_a_q} + {low_b_q, 17'd0};
            end
            assign fixed[i*60 +: 60] = {{16{whole[43]}}, whole};
            assign high[i*60 +: 60] = {18'd0, high_all_q};
            assign middle[i*60 +: 60] = {17'd0, middle_all_q};
            assign low[i*60 +: 60] = {16'd0, low_all_q};
        end
    endgenerate

    wire [59:0] sum_early;
    wire [59:0] sum;
    wire [59:0] sum_high;
    wire [59:0] sum_middle;
    wire [59:0] sum_low;
    rill_sum_tree #(.DATA_W(60), .LANES(LANES)) u_sum (.clk(clk), .en(moves[LANE_COPIES]), .d(fixed),
        .q(sum_early));
    rill_delay_line #(.DATA_W(60), .DEPTH(SQUARE_STAGES - FIXED_STAGES)) u_late (.clk(clk), .rst(rst),
        .en(moves[LANE_COPIES]), .d(sum_early), .q(sum));
    rill_sum_tree #(.DATA_W(60), .LANES(LANES)) u_high (.clk(clk), .en(moves[LANE_COPIES+1]), .d(high),
        .q(sum_high));
    rill_sum_tree #(.DATA_W(60), .LANES(LANES)) u_middle (.clk(clk), .en(moves[LANE_COPIES+2]), .d(middle),
        .q(sum_middle));
    rill_sum_tree #(.DATA_W(60), .LANES(LANES)) u_low (.clk(clk), .en(moves[LANE_COPIES+3]), .d(low),
        .q(sum_low));

    // Each row has a set of accumulators, and the result registers (m_*) are separate. A row is read one cycle before
    // its addition. If the chunk in between belongs to the same row, its sum is taken from the result registers.
    wire [ROW_W-1:0] early_row;
    wire             early_first;
    wire             early_last;
    reg  [ROW_W-1:0] at_row_q;
    reg              at_last_q;
    reg              again_q;            // the previous chunk is of the same row
    reg              valid_q;
    reg  [ROW_W-1:0] row_q;
    reg  [59:0]      sum_q [0:ROWS-1];
    reg  [59:0]      high_q [0:ROWS-1];
    reg  [59:0]      middle_q [0:ROWS-1];
    reg  [59:0]      low_q [0:ROWS-1];
    reg  [59:0]      old_sum_q;
    reg  [59:0]      old_high_q;
    reg  [59:0]      old_middle_q;
    reg  [59:0]      old_low_q;
    function [59:0] next_sum(input again, input [59:0] result, input [59:0] old, input [59:0] chunk);
        next_sum = (again ? result : old) + chunk;
    endfunction
    rill_delay_line #(.DATA_W(ROW_W + 2), .DEPTH(TREE_STAGES - 2)) u_place (.clk(clk), .rst(rst),
        .en(moves[LANE_COPIES]), .d(place_q),
        .q({early_first, early_last, early_row}));
    always @(posedge clk)
        if (took_q[TREE_STAGES-2]) begin
            at_row_q <= early_row;
            at_last_q <= early_last;
            again_q <= took_q[TREE_STAGES-1] && early_row == at_row_q && !early_first;
            old_sum_q <= early_first ? 60'd0 : sum_q[early_row];
            old_high_q <= early_first ? 60'd0 : high_q[early_row];
            old_middle_q <= early_first ? 60'd0 : middle_q[early_row];
            old_low_q <= early_first ? 60'd0 : low_q[early_row];
        end
    always @(posedge clk)
        if (rst) begin
            took_q <= {TREE_STAGES{1'b0}};
            valid_q <= 1'b0;
        end else begin
            took_q <= {took_q[TREE_STAGES-2:0], take};
            valid_q <= took_q[TREE_STAGES-1] && at_last_q;
        end
    rill_register_copies #(.DATA_W(1), .COPIES(COPIES)) u_moves (.clk(clk), .rst(rst),
        .d(take || |took_q[TREE_STAGES-3:0]), .q(moves));
    always @(posedge clk)
        if (take) begin
            x_q <= x;
            place_q <= {first, last, row};
        end
    always @(posedge clk) begin
        row_q <= at_row_q;
        if (took_q[TREE_STAGES-1]) begin
            sum_q[at_row_q] <= next_sum(again_q, m_sum, old_sum_q, sum);
            high_q[at_row_q] <= next_sum(again_q, m_high, old_high_q, sum_high);
            middle_q[at_row_q] <= next_sum(again_q, m_middle, old_middle_q, sum_middle);
            low_q[at_row_q] <= next_sum(again_q, m_low, old_low_q, sum_low);
            m_sum <= next_sum(again_q, m_sum, old_sum_q, sum);
            m_high <= next_sum(again_q, m_high, old_high_q, sum_high);
            m_middle <= next_sum(again_q, m_middle, old_middle_q, sum_middle);
            m_low <= next_sum(again_q, m_low, old_low_q, sum_low);
        end
    end
    always @(posedge clk) fault <= !rst && took_q[FIXED_STAGES-1] && |(lane_fault | lane_over);

    assign m_valid = valid_q;
    assign m_row = row_q;
endmodule

`default_nettype wire
