// SPDX-License-Identifier: Apache-2.0
// Finds the index of the largest element of a vector, for every token of a step. Among equal elements the lowest index
// wins; -0 equals +0.
//
// In: fp32 vector stream, one firing of ceil(N / LANES) chunks in order (chunk, tok); elements from N on are ignored.
// Out: id stream, after the firing has ended: one 32-bit id per active token in order tok, with tlast on the last one.
// Subnormals count as zeros. Non-finite values raise no fault here: they are ordered by their bit pattern.
// row_hash: hash of the elements of the latest firing's last token (rill_logits_hash). With HASHES above 1 it has the
// hashes of all tokens, the first in the low bits. It is valid from 2 cycles after the tvalid of the firing's first id
// until chunks of the next firing come.
// Latency log2(LANES) + 2 cycles from the cycle that takes the last chunk to the tvalid of the first id. Throughput:
// one chunk per cycle; the next firing waits while ids leave.
// Reset: clk, synchronous active-high rst.
//
// name    meaning                       unit      range
// LANES   fp32 per chunk                elements  1, 2, 4, 8, 16, 32
// TOKENS  tokens per step, upper bound  tokens    1, 2, 4, 8
// N       elements of a vector          elements  1 to 2^24
// HASHES  hashed rows: 1 or TOKENS      rows      1 to TOKENS
// USER_W  width of tuser                bits      derived
`default_nettype none

module rill_argmax #(
    parameter LANES = 0,
    parameter TOKENS = 0,
    parameter N = 0,
    parameter HASHES = 1,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire                clk,
    input  wire                rst,

    input  wire                s_axis_x_tvalid,
    output wire                s_axis_x_tready,
    input  wire [LANES*32-1:0] s_axis_x_tdata,
    input  wire [USER_W-1:0]   s_axis_x_tuser,       // {tok_last, tok}
    input  wire                s_axis_x_tlast,

    output wire                m_axis_id_tvalid,
    input  wire                m_axis_id_tready,
    output wire [31:0]         m_axis_id_tdata,
    output wire [USER_W-1:0]   m_axis_id_tuser,      // {tok_last, tok}
    output wire                m_axis_id_tlast,
    output wire [HASHES*64-1:0] row_hash
);
    localparam LEVELS = LANES > 1 ? $clog2(LANES) : 0;
    localparam CHUNKS = (N + LANES - 1) / (LANES > 0 ? LANES : 1);
    localparam LAST_LANES = N - (CHUNKS - 1) * LANES;    // elements of the last chunk
    localparam TOK_W = USER_W - 1;
    localparam LANE_W = 5;
    localparam CHUNK_W = 24;                 // width of a chunk's number
    localparam [31:0] CHUNKS_32 = CHUNKS;

    generate
        if (LANES != 1 && LANES != 2 && LANES != 4 && LANES != 8 && LANES != 16 && LANES != 32) begin : gen_bad_lanes
            rill_error_LANES_must_be_a_power_of_two_up_to_32 u_error ();
        end
        if (TOKENS != 1 && TOKENS != 2 && TOKENS != 4 && TOKENS != 8) begin : gen_bad_tokens
            rill_error_TOKENS_must_be_1_2_4_or_8 u_error ();
        end
        if (N < 1 || N > 16777216) begin : gen_bad_n
            rill_error_N_must_be_1_to_16777216 u_error ();
        end
        if (HASHES != 1 && HASHES != TOKENS) begin : gen_bad_hashes
            rill_error_HASHES_must_be_1_or_TOKENS u_error ();
        end
    endgenerate

    reg                 open_q;              // low in reset
    reg                 emit_q;              // ids leave, and all earlier stages wait
    `include "rill_copies.vh"
    wire [COPIES-1:0]   ens;                 // copies of !emit_q, each from its own register
    wire                en = ens[0];
    wire                take = s_axis_x_tvalid && s_axis_x_tready;
    reg  [CHUNK_W-1:0]  chunk_q;
    wire                chunk_last = chunk_q == CHUNKS_32[CHUNK_W-1:0] - 1'b1;

    assign s_axis_x_tready = open_q && en;

    always @(posedge clk) begin
        open_q <= !rst;
        if (rst)
            chunk_q <= {CHUNK_W{1'b0}};
        else if (take && s_axis_x_tuser[TOK_W])
            chunk_q <= s_axis_x_tlast ? {CHUNK_W{1'b0}} : chunk_q + 1'b1;
    end

    // A tree of winners with a register after every level. The nodes of level s begin at index 2*LANES - (2*LANES >>
    // s). Level 0 maps fp32 to unsigned integers of the same order. It maps elements past N to 0, which is below the
    // integers of all finite elements. The left node has the lower indices, so it wins ties.
    localparam NODES = 2 * LANES - 1;
    wire [NODES*32-1:0]     key;
    wire [NODES*LANE_W-1:0] lane;

    genvar i, s;
    generate
        for (i = 0; i < LANES; i = i + 1) begin : gen_leaf
            localparam [31:0] I = i;
            wire [31:0] x = s_axis_x_tdata[i*32 +: 32];
            wire        outside = (i >= LAST_LANES) && chunk_last;
            reg  [31:0] key_q;
            always @(posedge clk)
                if (ens[i*COPIES/LANES]) begin
                    if (outside)
                        key_q <= 32'd0;
                    else if (x[30:23] == 8'd0)
                        key_q <= 32'h80000000;
                    else
                        key_q <= x[31] ? ~x : {1'b1, x[30:0]};
                end
            assign key[i*32 +: 32] = key_q;
            assign lane[i*LANE_W +: LANE_W] = I[LANE_W-1:0];
        end
        for (s = 1; s <= LEVELS; s = s + 1) begin : gen_level
            for (i = 0; i < (LANES >> s); i = i + 1) begin : gen_node
                localparam LEFT = 2 * LANES - (4 * LANES >> s) + 2 * i;
                localparam PLACE = 2 * LANES - (2 * LANES >> s) + i;
                wire [31:0]       left = key[LEFT*32 +: 32];
                wire [31:0]       right = key[(LEFT + 1)*32 +: 32];
                wire              pick = right > left;
                reg  [31:0]       key_q;
                reg  [LANE_W-1:0] lane_q;
                always @(posedge clk)
                    if (ens[(i<<s)*COPIES/LANES]) begin
                        key_q <= pick ? right : left;
                        lane_q <= pick ? lane[(LEFT + 1)*LANE_W +: LANE_W] : lane[LEFT*LANE_W +: LANE_W];
                    end
                assign key[PLACE*32 +: 32] = key_q;
                assign lane[PLACE*LANE_W +: LANE_W] = lane_q;
            end
        end
    endgenerate

    // The chunk number and the marks pass as many registers as the tree has levels, so they leave with its result.
    localparam SIDE_CHUNK = 0, SIDE_USER = CHUNK_W, SIDE_LAST = CHUNK_W + USER_W, SIDE_W = CHUNK_W + USER_W + 1;
    reg  [LEVELS:0]               valid_q;
    reg  [(LEVELS+1)*SIDE_W-1:0]  side_q;
    wire [SIDE_W-1:0]             side_in = {s_axis_x_tlast, s_axis_x_tuser, chunk_q};
    generate
        if (LEVELS == 0) begin : gen_side_one
            always @(posedge clk)
                if (rst)
                    valid_q <= 1'b0;
                else if (en)
                    valid_q <= take;
            always @(posedge clk)
                if (en)
                    side_q <= side_in;
        end else begin : gen_side
            always @(posedge clk)
                if (rst)
                    valid_q <= {(LEVELS+1){1'b0}};
                else if (en)
                    valid_q <= {valid_q[LEVELS-1:0], take};
            always @(posedge clk)
                if (en)
                    side_q <= {side_q[LEVELS*SIDE_W-1:0], side_in};
        end
    endgenerate

    // The largest element of each token so far.
    reg  [31:0]          best_key_q [0:TOKENS-1];
    reg  [31:0]          best_id_q [0:TOKENS-1];
    wire [31:0]          top_key = key[(NODES-1)*32 +: 32];
    wire [LANE_W-1:0]    top_lane = lane[(NODES-1)*LANE_W +: LANE_W];
    wire [SIDE_W-1:0]    top_side = side_q[LEVELS*SIDE_W +: SIDE_W];
    wire [CHUNK_W-1:0]   top_chunk = top_side[SIDE_CHUNK +: CHUNK_W];
    wire [USER_W-1:0]    top_user = top_side[SIDE_USER +: USER_W];
    wire                 top_last = top_side[SIDE_LAST];
    wire [TOK_W-1:0]     top_tok = top_user[TOK_W-1:0];
    wire [31:0]          top_id = ({{(32-CHUNK_W){1'b0}}, top_chunk} << LEVELS) | {{(32-LANE_W){1'b0}}, top_lane};

    always @(posedge clk)
        if (en && valid_q[LEVELS] && (top_chunk == {CHUNK_W{1'b0}} || top_key > best_key_q[top_tok])) begin
            best_key_q[top_tok] <= top_key;
            best_id_q[top_tok] <= top_id;
        end

    localparam ROW_W = HASHES > 1 ? $clog2(HASHES) : 1;
    rill_logits_hash #(.LANES(LANES), .N(N), .ROWS(HASHES)) u_hash (
        .clk(clk), .rst(rst), .valid(take && (HASHES > 1 || s_axis_x_tuser[TOK_W])), .data(s_axis_x_tdata),
        .last(chunk_last), .row(s_axis_x_tuser[ROW_W-1:0]), .hash(row_hash));

    reg  [TOK_W-1:0] out_tok_q;
    reg  [TOK_W-1:0] last_tok_q;
    wire             out_last = out_tok_q == last_tok_q;

    assign m_axis_id_tvalid = emit_q;
    assign m_axis_id_tdata = best_id_q[out_tok_q];
    assign m_axis_id_tuser = {out_last, out_tok_q};
    assign m_axis_id_tlast = out_last;

    wire emit_d = emit_q ? !(m_axis_id_tready && out_last) : valid_q[LEVELS] && top_last;
    rill_register_copies #(.DATA_W(1), .COPIES(COPIES)) u_ens (.clk(clk), .rst(1'b0), .d(rst || !emit_d), .q(ens));
    always @(posedge clk) begin
        emit_q <= !rst && emit_d;
        if (rst)
            out_tok_q <= {TOK_W{1'b0}};
        else if (emit_q && m_axis_id_tready)
            out_tok_q <= out_last ? {TOK_W{1'b0}} : out_tok_q + 1'b1;
        if (en)
            last_tok_q <= top_tok;
    end

`ifdef RILL_ASSERT
    always @(posedge clk)
        if (!rst && take && s_axis_x_tlast != (chunk_last && s_axis_x_tuser[TOK_W])) begin
            $display("%m: ERROR a firing does not end with the last token of the last chunk");
            $stop;
        end
`endif

    wire unused = &{1'b0, CHUNKS_32[31:CHUNK_W], top_user[TOK_W]};
endmodule

`default_nettype wire
