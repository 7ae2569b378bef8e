// SPDX-License-Identifier: Apache-2.0
// Reduces elements of a tensor to their maximum, minimum or sum (docs/numerics.md section 2).
//
// With N = 0 each lane is reduced separately: a group has ROUNDS rounds of WORDS words per token, and words with the
// same place in their rounds are reduced to one word. With N > 0 a vector of N elements, in words of LANES, is reduced
// to one element, which leaves in a word with one lane.
// Sums are exact: elements are converted to integers in units of 2^-20. The sum is converted to fp32 once, then
// multiplied by SCALE.
// Streams: docs/rtl.md section 3; a firing holds whole groups. Results leave in the last round. One word per cycle in.
// Latency from a word of the last round to its result: 4 cycles for FUNCTION 0 and 1, 11 cycles for sums, and
// log2(LANES) more with N > 0.
// Reset: clk, synchronous active-high rst, valids and counters only. fault: pulse on a NaN or infinity, and for sums on
// |x| >= 2^23 or a result that is not finite.
//
// name      meaning                                   unit      range
// LANES     fp32 per chunk                            elements  1, 2, 4, 8, 16, 32
// TOKENS    tokens per step, upper bound              tokens    1 to 8
// FUNCTION  0 max, 1 min, 2 sum times SCALE           -         0, 1, 2
// N         elements of a vector; 0: each lane is     elements  0 to 2^24
//           reduced separately
// ROUNDS    rounds of a group, for N = 0              rounds    1 to 2^24
// WORDS     words of a round and token, for N = 0     words     1 to 65536
// SCALE     finite factor of the sum, as fp32 bits    -         any
// USER_W    width of tuser                            bits      derived
// OUT       fp32 per chunk out                        elements  derived
`default_nettype none

module rill_reduce #(
    parameter LANES = 0,
    parameter TOKENS = 0,
    parameter FUNCTION = 0,
    parameter N = 0,
    parameter ROUNDS = 1,
    parameter WORDS = 1,
    parameter [31:0] SCALE = 32'd0,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1,
    parameter OUT = N > 0 ? 1 : LANES
) (
    input  wire                clk,
    input  wire                rst,

    input  wire                s_axis_x_tvalid,
    output wire                s_axis_x_tready,
    input  wire [LANES*32-1:0] s_axis_x_tdata,
    input  wire [USER_W-1:0]   s_axis_x_tuser,
    input  wire                s_axis_x_tlast,

    output wire                m_axis_y_tvalid,
    input  wire                m_axis_y_tready,
    output wire [OUT*32-1:0]   m_axis_y_tdata,
    output wire [USER_W-1:0]   m_axis_y_tuser,
    output wire                m_axis_y_tlast,

    output reg                 fault
);
    `include "rill_latency.vh"
    `include "rill_copies.vh"
    localparam IS_SUM = FUNCTION == 2;
    localparam LEVELS = N > 0 ? $clog2(LANES) : 0;
    localparam FRONT = IS_SUM ? LATENCY_TO_FIXED : 2;                  // stages before the accumulators
    localparam BACK = IS_SUM ? LATENCY_FROM_INT + LATENCY_MUL : 1;     // stages after the tree
    localparam LATENCY = FRONT + 1 + LEVELS + BACK;
    localparam TOK_W = USER_W - 1;
    localparam ITEM_W = IS_SUM ? 60 : 32;                              // width of an accumulator
    localparam [31:0] GROUP = N > 0 ? (N + LANES - 1) / (LANES > 0 ? LANES : 1) : ROUNDS; // rounds of a group
    localparam [31:0] PLACES = N > 0 ? 1 : WORDS;                      // words of a round and token
    localparam ROUND_W = GROUP > 1 ? $clog2(GROUP) : 1;
    localparam WORD_W = PLACES > 1 ? $clog2(PLACES) : 1;
    localparam DEPTH = PLACES * TOKENS;
    localparam ADDR_W = DEPTH > 1 ? $clog2(DEPTH) : 1;
    localparam [31:0] ROUND_LAST = GROUP - 1;
    localparam [31:0] WORD_LAST = PLACES - 1;

    generate
        if (LANES != 1 && LANES != 2 && LANES != 4 && LANES != 8 && LANES != 16 && LANES != 32) begin : gen_bad_lanes
            rill_error_LANES_must_be_a_power_of_two_up_to_32 u_error ();
        end
        if (TOKENS < 1 || TOKENS > 8) begin : gen_bad_tokens
            rill_error_TOKENS_must_be_1_to_8 u_error ();
        end
        if (FUNCTION < 0 || FUNCTION > 2) begin : gen_bad_function
            rill_error_FUNCTION_must_be_0_to_2 u_error ();
        end
        if (N < 0 || N > 16777216) begin : gen_bad_n
            rill_error_N_must_be_0_to_16777216 u_error ();
        end
        if (ROUNDS < 1 || ROUNDS > 16777216 || WORDS < 1 || WORDS > 65536) begin : gen_bad_words
            rill_error_ROUNDS_must_be_1_to_16777216_and_WORDS_1_to_65536 u_error ();
        end
    endgenerate

    // ---- the place of the word that enters ----
    wire               take = s_axis_x_tvalid && s_axis_x_tready;
    reg  [ROUND_W-1:0] round_q;
    reg  [WORD_W-1:0]  word_q;
    reg  [ADDR_W-1:0]  base_q;               // accumulator of the word's token 0
    wire               round_first = round_q == {ROUND_W{1'b0}};
    wire               round_last = round_q == ROUND_LAST[ROUND_W-1:0];
    wire               word_last = word_q == WORD_LAST[WORD_W-1:0];
    wire [31:0]        tokens = TOKENS;
    wire [31:0]        address = {{(32-ADDR_W){1'b0}}, base_q} + {{(32-TOK_W){1'b0}}, s_axis_x_tuser[TOK_W-1:0]};
    always @(posedge clk)
        if (rst) begin
            round_q <= {ROUND_W{1'b0}};
            word_q <= {WORD_W{1'b0}};
            base_q <= {ADDR_W{1'b0}};
        end else if (take && s_axis_x_tuser[TOK_W]) begin
            word_q <= word_last ? {WORD_W{1'b0}} : word_q + 1'b1;
            base_q <= word_last ? {ADDR_W{1'b0}} : base_q + tokens[ADDR_W-1:0];
            if (word_last) round_q <= round_last ? {ROUND_W{1'b0}} : round_q + 1'b1;
        end

    // ---- flow control: only the last round leaves; words of other rounds are dropped at the last stage ----
    wire [COPIES-1:0]  group_move;
    wire [LATENCY-1:0] valid;
    wire               en, m_valid, leaves;
    rill_pipe #(.LATENCY(LATENCY), .SIDE_W(USER_W + 2), .COPIES(COPIES)) u_pipe (
        .clk(clk), .rst(rst), .s_tvalid(s_axis_x_tvalid), .s_tready(s_axis_x_tready),
        .s_side({round_last, s_axis_x_tlast, s_axis_x_tuser}), .en(en), .move(group_move), .valid(valid),
        .m_tvalid(m_valid), .m_tready(m_axis_y_tready || (m_valid && !leaves)),
        .m_side({leaves, m_axis_y_tlast, m_axis_y_tuser}));
    assign m_axis_y_tvalid = m_valid && leaves;

    // ---- the accumulators ----
    // An accumulator is read one stage before its addition. If two words in a row use one accumulator, the memory does
    // not have the first sum yet when the second word needs it. The sum is then taken from the register after the
    // addition.
    reg  [ADDR_W:0]   place1_q;              // {first, address} of stage 1
    wire [ADDR_W:0]   ahead;                 // place of the word in stage FRONT - 1
    reg  [ADDR_W:0]   place_q;               // place of the word in stage FRONT
    reg               again_q;
    always @(posedge clk)
        if (group_move[0]) begin
            place1_q <= {round_first, address[ADDR_W-1:0]};
            place_q <= ahead;
            again_q <= valid[FRONT-1] && ahead[ADDR_W-1:0] == place_q[ADDR_W-1:0];
        end
    generate
        if (FRONT == 2) begin : gen_soon
            assign ahead = place1_q;
        end else begin : gen_later
            rill_delay_line #(.DATA_W(ADDR_W + 1), .DEPTH(FRONT - 2)) u_place (.clk(clk), .rst(rst), .en(group_move[0]),
                .d(place1_q), .q(ahead));
        end
    endgenerate

    wire [LANES*ITEM_W-1:0] items;           // accumulators in stage FRONT + 1
    wire [LANES-1:0]        lane_bad;        // faults in stage FRONT
    genvar i;
    generate
        for (i = 0; i < LANES; i = i + 1) begin : gen_lane
            wire              moves = group_move[i*COPIES/LANES];
            wire [31:0]       x = s_axis_x_tdata[i*32 +: 32];
            wire [ITEM_W-1:0] kept;
            reg  [ITEM_W-1:0] item_q;
            wire [ITEM_W-1:0] old = again_q ? item_q : kept;
            wire [ITEM_W-1:0] joined;
            if (IS_SUM) begin : gen_sum
                wire [43:0] whole;
                wire        over, bad;
                rill_fp32_to_fixed #(.FRAC(20), .WIDTH(44)) u_fix (.clk(clk), .en(moves), .a(x), .y(whole),
                    .overflow(over), .fault(bad));
                assign joined = {{16{whole[43]}}, whole} + (place_q[ADDR_W] ? 60'd0 : old);
                assign lane_bad[i] = over || bad;
            end else begin : gen_order
                // key maps a number to an unsigned integer with the same order, or with the opposite one for a minimum,
                // so the largest key is wanted in both cases. 0 is below the keys of all finite numbers and stands for
                // elements past N.
                localparam OUTSIDE = N > 0 && i >= N - (GROUP - 1) * LANES;
                reg  [31:0] x_q;
                reg         outside_q;
                reg  [31:0] key_q;
                reg         bad_q;
                wire [31:0] key = x_q[30:23] == 8'd0 ? 32'h80000000
                    : x_q[31] == (FUNCTION == 0) ? {1'b0, ~x_q[30:0]} : {1'b1, x_q[30:0]};
                always @(posedge clk) if (moves) begin
                    x_q <= x;
                    outside_q <= OUTSIDE && round_last;
                    key_q <= outside_q ? 32'd0 : key;
                    bad_q <= &x_q[30:23];
                end
                assign joined = !place_q[ADDR_W] && old > key_q ? old : key_q;
                assign lane_bad[i] = bad_q;
            end
            rill_ram_sdp #(.DATA_W(ITEM_W), .DEPTH(DEPTH)) u_kept (
                .clk(clk), .write_en(moves && valid[FRONT-1]), .write_addr(place_q[ADDR_W-1:0]), .write_strobe(1'b1),
                .write_data(joined), .read_en(moves), .read_addr(ahead[ADDR_W-1:0]), .read_data(kept));
            always @(posedge clk) if (moves) item_q <= joined;
            assign items[i*ITEM_W +: ITEM_W] = item_q;
        end
    endgenerate

    // ---- the results: one for all lanes together (N > 0), or one for each lane ----
    wire [OUT*ITEM_W-1:0] result;
    wire [OUT-1:0]        out_bad;
    generate
        if (N == 0) begin : gen_apart
            assign result = items;
        end else if (IS_SUM) begin : gen_sums
            rill_sum_tree #(.DATA_W(ITEM_W), .LANES(LANES)) u_tree (.clk(clk), .en(group_move[0]), .d(items),
                .q(result));
        end else begin : gen_orders
            rill_max_tree #(.DATA_W(ITEM_W), .LANES(LANES)) u_tree (.clk(clk), .en(group_move[0]), .d(items),
                .q(result));
        end
        for (i = 0; i < OUT; i = i + 1) begin : gen_out
            wire              moves = group_move[i*COPIES/OUT];
            wire [ITEM_W-1:0] item = result[i*ITEM_W +: ITEM_W];
            if (IS_SUM) begin : gen_sum
                wire [31:0] sum;
                rill_fp32_from_int #(.WIDTH(60)) u_float (.clk(clk), .en(moves), .a(item), .y(sum));
                rill_fp32_mul u_scale (.clk(clk), .en(moves), .a(sum), .b(SCALE), .y(m_axis_y_tdata[i*32 +: 32]),
                    .fault(out_bad[i]));
            end else begin : gen_order
                reg  [31:0] y_q;
                // Undoes the map of key. Zeros of both signs have one key and leave as +0.
                wire [30:0] magnitude = item[31] ? item[30:0] : ~item[30:0];
                always @(posedge clk) if (moves)
                    y_q <= {item[31] != (FUNCTION == 0) && magnitude != 31'd0, magnitude};
                assign m_axis_y_tdata[i*32 +: 32] = y_q;
                assign out_bad[i] = 1'b0;
            end
        end
    endgenerate

    always @(posedge clk)
        fault <= !rst && en && ((valid[FRONT-1] && |lane_bad) || (m_axis_y_tvalid && |out_bad));

    wire unused = &{1'b0, address, tokens, valid, ROUND_LAST, WORD_LAST};
endmodule

`default_nettype wire
