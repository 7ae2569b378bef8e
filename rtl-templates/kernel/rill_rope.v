// SPDX-License-Identifier: Apache-2.0
// Rotary embedding: rotates pairs of a head's first ROTARY elements by the angles of the position (docs/numerics.md
// section 9).
//
// In: x, a vector stream of heads of HEAD elements (chunk, tok), with tlast after the last head; row, a vector stream
// of ROTARY values for each token: first ROTARY / 2 cosines, then as many sines. One firing of row serves one firing of
// x. Out: vector stream like x. There are two banks of one head each, so the next head may enter while the previous one
// leaves, and two banks of rows.
// Throughput: one chunk per cycle in and out. Latency: 12 cycles from the last chunk of a head in to its first chunk
// out. Reset: clk, synchronous active-high rst. fault: pulse on a NaN or infinite operand or result.
//
// name    meaning                                                      unit      range
// LANES   fp32 per chunk; divides HEAD and ROTARY/2                    elements  1, 2, 4, 8, 16, 32
// TOKENS  tokens per step, upper bound                                 tokens    1 to 8
// HEAD    elements of a head                                           elements  1 or more
// ROTARY  elements of a head that are rotated, even                    elements  2 to HEAD
// PAIRS   a pair is 0: elements i and i + ROTARY / 2;                  -         0, 1
//         1: elements 2i and 2i + 1
// USER_W  width of tuser                                               bits      derived
`default_nettype none

module rill_rope #(
    parameter LANES = 0,
    parameter TOKENS = 0,
    parameter HEAD = 0,
    parameter ROTARY = 0,
    parameter PAIRS = 0,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire                clk,
    input  wire                rst,

    input  wire                s_axis_x_tvalid,
    output wire                s_axis_x_tready,
    input  wire [LANES*32-1:0] s_axis_x_tdata,
    input  wire [USER_W-1:0]   s_axis_x_tuser,
    input  wire                s_axis_x_tlast,

    input  wire                s_axis_row_tvalid,
    output wire                s_axis_row_tready,
    input  wire [LANES*32-1:0] s_axis_row_tdata,
    input  wire [USER_W-1:0]   s_axis_row_tuser,
    input  wire                s_axis_row_tlast,

    output wire                m_axis_y_tvalid,
    input  wire                m_axis_y_tready,
    output wire [LANES*32-1:0] m_axis_y_tdata,
    output wire [USER_W-1:0]   m_axis_y_tuser,
    output wire                m_axis_y_tlast,

    output reg                 fault
);
    localparam LANES_1 = LANES > 0 ? LANES : 1;

    generate
        if (LANES != 1 && LANES != 2 && LANES != 4 && LANES != 8 && LANES != 16 && LANES != 32) begin : gen_bad_lanes
            rill_error_LANES_must_be_a_power_of_two_up_to_32 u_error ();
        end
        if (TOKENS < 1 || TOKENS > 8) begin : gen_bad_tokens
            rill_error_TOKENS_must_be_1_to_8 u_error ();
        end
        if (HEAD < 1 || ROTARY < 2 || ROTARY > HEAD || HEAD % LANES_1 != 0 || ROTARY % (2 * LANES_1) != 0)
        begin : gen_bad_head
            rill_error_LANES_must_divide_HEAD_and_half_of_ROTARY u_error ();
        end
        if (PAIRS != 0 && PAIRS != 1) begin : gen_bad_pairs
            rill_error_PAIRS_must_be_0_or_1 u_error ();
        end
    endgenerate

    localparam CHUNKS = HEAD / LANES_1 > 0 ? HEAD / LANES_1 : 1;
    localparam CHUNK_W = $clog2(CHUNKS + 1);
    localparam HALF = ROTARY / 2 / LANES_1 > 0 ? ROTARY / 2 / LANES_1 : 1;   // chunks of ROTARY / 2 elements
    localparam HALF_W = HALF > 1 ? $clog2(HALF) : 1;
    localparam TOK_W = USER_W - 1;
    localparam ROW_WORDS = 2 * TOKENS * HALF;
    localparam ROW_W = $clog2(ROW_WORDS);
    localparam X_WORDS = 2 * TOKENS * CHUNKS;
    localparam X_W = $clog2(X_WORDS);
    localparam [31:0] HALF_32 = HALF;
    localparam [31:0] LAST_HALF = HALF - 1;
    localparam [31:0] TOKENS_32 = TOKENS;
    localparam [31:0] CHUNKS_32 = CHUNKS;
    localparam [31:0] TURNED_32 = 2 * HALF;
    `include "rill_latency.vh"
    `include "rill_copies.vh"
    // Stages from a word that was read to both products: the operand stage and a product
    localparam PRODUCT_STAGES = 1 + LATENCY_MUL;
    localparam LATENCY = PRODUCT_STAGES + LATENCY_ADD;

    // ---- input: two banks of heads ----
    wire                en;
    wire [COPIES-1:0]   move;
    wire                ready;
    wire                w_take;
    wire                w_bank;
    wire                w_end;
    wire [CHUNK_W-1:0]  w_chunk;
    wire                i_avail;
    wire                i_bank;
    wire [CHUNK_W-1:0]  i_chunk;
    wire [CHUNK_W-1:0]  i_last;
    wire [USER_W-1:0]   i_tuser;
    wire                i_pad;
    wire                i_end;
    wire                i_tlast;
    wire                i_side;
    wire                r_tvalid;
    wire [LANES*32-1:0] r_tdata;
    reg                 row_ready_q;             // the rows for the next word have arrived

    rill_bank_buffer #(.DATA_W(LANES * 32), .TOKENS(TOKENS), .CHUNKS(CHUNKS), .READY_DELAY(1)) u_banks (
        .clk(clk), .rst(rst), .s_tvalid(s_axis_x_tvalid), .s_tready(s_axis_x_tready), .s_tdata(s_axis_x_tdata),
        .s_tuser(s_axis_x_tuser), .s_tlast(s_axis_x_tlast), .s_side(1'b0), .w_take(w_take), .w_bank(w_bank),
        .w_chunk(w_chunk), .w_end(w_end), .r_en(en), .r_go(row_ready_q), .r_pad(1'b0), .i_avail(i_avail),
        .i_bank(i_bank), .i_chunk(i_chunk), .i_last(i_last), .i_tuser(i_tuser), .i_pad(i_pad), .i_end(i_end),
        .i_tlast(i_tlast), .i_side(i_side), .r_tvalid(r_tvalid), .r_tdata(r_tdata));

    wire issue = en && i_avail && row_ready_q;

    // ---- rows: two banks, with a word of cosines and a word of sines for each chunk of the first half ----
    (* ram_style = "auto" *) reg [LANES*32-1:0] cos_mem [0:ROW_WORDS-1];
    (* ram_style = "auto" *) reg [LANES*32-1:0] sin_mem [0:ROW_WORDS-1];
    reg                row_bank_q;               // bank that is written
    reg                row_sin_q;
    reg  [HALF_W-1:0]  row_chunk_q;
    reg                turn_bank_q;              // bank that is read
    reg  [1:0]         row_full_q;               // number of full banks
    reg                row_open_q;               // a bank is free; low in reset
    wire               row_take = s_axis_row_tvalid && s_axis_row_tready;
    wire               row_tok_last = s_axis_row_tuser[TOK_W];
    wire               row_half = row_chunk_q == LAST_HALF[HALF_W-1:0];
    wire               row_in = row_take && row_tok_last && row_half && row_sin_q;
    wire               row_out = issue && i_end && i_tlast;
    wire [1:0]         row_full_d = row_full_q + {1'b0, row_in} - {1'b0, row_out};

    // These return the address of a word: (bank * TOKENS + tok) * chunks + chunk. A token has HALF chunks of cosines
    // (or sines), and CHUNKS chunks of x.
    function [ROW_W-1:0] row_at(input bank, input [TOK_W-1:0] tok, input [HALF_W-1:0] chunk);
        row_at = ({{(ROW_W-1){1'b0}}, bank} * TOKENS_32[ROW_W-1:0] + {{(ROW_W-TOK_W){1'b0}}, tok}) * HALF_32[ROW_W-1:0]
            + {{(ROW_W-HALF_W){1'b0}}, chunk};
    endfunction
    function [X_W-1:0] other_at(input bank, input [TOK_W-1:0] tok, input [CHUNK_W-1:0] chunk);
        other_at = ({{(X_W-1){1'b0}}, bank} * TOKENS_32[X_W-1:0] + {{(X_W-TOK_W){1'b0}}, tok}) * CHUNKS_32[X_W-1:0]
            + {{(X_W-CHUNK_W){1'b0}}, chunk};
    endfunction

    assign s_axis_row_tready = row_open_q;
    always @(posedge clk)
        if (rst) begin
            row_bank_q <= 1'b0;
            row_sin_q <= 1'b0;
            row_chunk_q <= {HALF_W{1'b0}};
            row_full_q <= 2'd0;
            row_open_q <= 1'b0;
            row_ready_q <= 1'b0;
            turn_bank_q <= 1'b0;
        end else begin
            if (row_take && row_tok_last) begin
                row_chunk_q <= row_half ? {HALF_W{1'b0}} : row_chunk_q + 1'b1;
                if (row_half) row_sin_q <= !row_sin_q;
            end
            if (row_in) row_bank_q <= !row_bank_q;
            if (row_out) turn_bank_q <= !turn_bank_q;
            row_full_q <= row_full_d;
            row_open_q <= !row_full_d[1];
            row_ready_q <= row_full_d != 2'd0;
        end

    wire [ROW_W-1:0] row_place = row_at(row_bank_q, s_axis_row_tuser[TOK_W-1:0], row_chunk_q);
    always @(posedge clk) begin
        if (row_take && !row_sin_q) cos_mem[row_place] <= s_axis_row_tdata;
        if (row_take && row_sin_q) sin_mem[row_place] <= s_axis_row_tdata;
    end

    // ---- coefficients and partner elements, read together with the head's chunk ----
    // PAIRS 0: the chunk has the second elements of its pairs
    wire               second = i_chunk >= HALF_32[CHUNK_W-1:0];
    wire [CHUNK_W-1:0] folded = second ? i_chunk - HALF_32[CHUNK_W-1:0] : i_chunk;
    wire [CHUNK_W-1:0] turned = PAIRS != 0 ? i_chunk >> 1 : folded;          // chunk number of the cosines and sines
    wire               passes = i_chunk >= TURNED_32[CHUNK_W-1:0];    // the chunk is after the rotary elements
    wire [ROW_W-1:0]   turn_place =
        row_at(turn_bank_q, i_tuser[TOK_W-1:0], passes ? {HALF_W{1'b0}} : turned[HALF_W-1:0]);
    reg  [LANES*32-1:0] cos1_q;
    reg  [LANES*32-1:0] sin1_q;
    reg                 pass1_q;
    reg                 second1_q;
    reg                 odd1_q; // PAIRS 1: the chunk uses the upper half of the word of cosines and of sines
    reg  [USER_W:0]     side1_q;                 // {tlast, tuser}
    wire [LANES*32-1:0] other1;                  // for every element of r_tdata, the other element of its pair

    always @(posedge clk)
        if (en && i_avail) begin
            cos1_q <= cos_mem[turn_place];
            sin1_q <= sin_mem[turn_place];
            pass1_q <= passes;
            second1_q <= PAIRS != 0 ? i_chunk[0] : second;
            odd1_q <= i_chunk[0];
            side1_q <= {i_end && i_tlast, i_tuser};
        end

    genvar i;
    generate
        if (PAIRS != 0 && LANES > 1) begin : gen_beside
            for (i = 0; i < LANES; i = i + 1) begin : gen_lane
                assign other1[i*32 +: 32] = r_tdata[(i ^ 1)*32 +: 32];
            end
            wire unused_apart = &{1'b0, w_take, w_bank, w_chunk, i_bank};
        end else begin : gen_apart
            (* ram_style = "auto" *) reg [LANES*32-1:0] mem [0:X_WORDS-1];
            reg [LANES*32-1:0] other_q;
            wire [CHUNK_W-1:0] other = passes ? {CHUNK_W{1'b0}} : PAIRS != 0 ? i_chunk ^ {{(CHUNK_W-1){1'b0}}, 1'b1}
                : second ? folded : i_chunk + HALF_32[CHUNK_W-1:0];
            always @(posedge clk) begin
                if (w_take) mem[other_at(w_bank, s_axis_x_tuser[TOK_W-1:0], w_chunk)] <= s_axis_x_tdata;
                if (en && i_avail) other_q <= mem[other_at(i_bank, i_tuser[TOK_W-1:0], other)];
            end
            assign other1 = other_q;
        end
    endgenerate

    // ---- the rotation: x * cos -+ other * sin; an element that passes is x * 1 + (-0), so -0 stays -0 ----
    wire [LATENCY-1:0] valid;
    wire [LANES-1:0]   fault_cos;
    wire [LANES-1:0]   fault_sin;
    wire [LANES-1:0]   fault_sum;

    rill_pipe #(.LATENCY(LATENCY), .SIDE_W(USER_W + 1), .COPIES(COPIES)) u_pipe (
        .clk(clk), .rst(rst), .s_tvalid(r_tvalid), .s_tready(ready), .s_side(side1_q), .en(en), .move(move),
        .valid(valid), .m_tvalid(m_axis_y_tvalid), .m_tready(m_axis_y_tready),
        .m_side({m_axis_y_tlast, m_axis_y_tuser}));

    generate
        for (i = 0; i < LANES; i = i + 1) begin : gen_turn
            // LOW, HIGH: the lane of the word of cosines and sines that has this pair's angle, for even and odd chunks.
            // adds1: this lane has the second element of its pair, x * cos + other * sin; the first one is x * cos -
            // other * sin.
            localparam LOW = PAIRS != 0 ? i / 2 : i;
            localparam HIGH = PAIRS != 0 && LANES > 1 ? LANES / 2 + i / 2 : i;
            wire        upper = PAIRS != 0 && LANES > 1 && odd1_q;
            wire        mine = move[i*COPIES/LANES];
            wire        adds1 = PAIRS != 0 && LANES > 1 ? i % 2 == 1 : second1_q;
            reg  [31:0] x2_q;
            reg  [31:0] other2_q;
            reg  [31:0] cos2_q;
            reg  [31:0] sin2_q;
            wire [31:0] by_cos;
            wire [31:0] by_sin;
            always @(posedge clk)
                if (mine) begin
                    x2_q <= r_tdata[i*32 +: 32];
                    other2_q <= pass1_q ? 32'h80000000 : {other1[i*32+31] ^ !adds1, other1[i*32 +: 31]};
                    cos2_q <= pass1_q ? 32'h3f800000 : upper ? cos1_q[HIGH*32 +: 32] : cos1_q[LOW*32 +: 32];
                    sin2_q <= pass1_q ? 32'h00000000 : upper ? sin1_q[HIGH*32 +: 32] : sin1_q[LOW*32 +: 32];
                end
            rill_fp32_mul #(.SATURATE(0)) u_cos (
                .clk(clk), .en(mine), .a(x2_q), .b(cos2_q), .y(by_cos), .fault(fault_cos[i]));
            rill_fp32_mul #(.SATURATE(0)) u_sin (
                .clk(clk), .en(mine), .a(other2_q), .b(sin2_q), .y(by_sin), .fault(fault_sin[i]));
            rill_fp32_add u_sum (
                .clk(clk), .en(mine), .a(by_cos), .b(by_sin), .y(m_axis_y_tdata[i*32 +: 32]), .fault(fault_sum[i]));
        end
    endgenerate

    wire bad = ((|fault_cos || |fault_sin) && valid[PRODUCT_STAGES-1]) || (|fault_sum && valid[LATENCY-1]);
    always @(posedge clk) fault <= !rst && en && bad;

`ifdef RILL_ASSERT
    always @(posedge clk)
        if (!rst && row_take && row_tok_last) assert (s_axis_row_tlast == (row_half && row_sin_q));
`endif
    wire unused = &{1'b0, valid, ready, turned, odd1_q, second1_q, w_end, i_last, i_pad, i_side, s_axis_row_tlast};
endmodule

`default_nettype wire
