// SPDX-License-Identifier: Apache-2.0
// Samples a token id from logits at random (docs/numerics.md section 10), or chooses the largest logit. It applies
// rill_argmax to logits * inverse + noise, where the noise has the Gumbel distribution.
//
// The streams and row_hash are as in rill_argmax; row_hash is the hash of the unchanged logits.
// Settings (inverse is 1 / temperature; seed and position select the random numbers):
//     inverse = 0              chooses the largest element
//     inverse not 0, top_k 0   chooses among all elements
//     inverse and top_k not 0  chooses from a list of the top_k largest elements, and only among those with
//                              exp(z - largest z) >= min_p, where z = logit * inverse
// Only the last token of a step is chosen from the list; the ids of the tokens before it are those of their largest
// elements.
// Settings must be stable from one cycle before the first chunk enters until the last id has left. position is the
// position of token 0.
// fault: stays until a reset. It rises for a chunk with illegal settings, a logit that is not finite, or a difference
// that is not finite.
// Latency log2(LANES) + 52 cycles from the last chunk to the first id. With a list, top_k + 56 more to the last
// token's id, plus one for each element that is still to be inserted into the list. Throughput: one chunk per cycle.
// With a list, a chunk waits one cycle for each element of the previous chunk that is larger than the smallest of the
// TOP_K largest so far, and the next firing waits until the id has left.
// Reset: clk, synchronous active-high rst.
//
// name    meaning                       unit      range
// LANES   fp32 per chunk                elements  1, 2, 4, 8, 16, 32
// TOKENS  tokens per step, upper bound  tokens    1, 2, 4, 8
// N       elements of a vector          elements  1 to 2^24
// TOP_K   elements of the longest list  elements  1 to 64
// HASHES  hashed rows: 1 or TOKENS      rows      1 to TOKENS
// USER_W  width of tuser                bits      derived
`default_nettype none

module rill_sample #(
    parameter LANES = 0,
    parameter TOKENS = 0,
    parameter N = 0,
    parameter TOP_K = 0,
    parameter HASHES = 1,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire                clk,
    input  wire                rst,

    input  wire [31:0]         inverse,              // fp32
    input  wire [31:0]         top_k,
    input  wire [31:0]         min_p,                // fp32
    input  wire [63:0]         seed,
    input  wire [15:0]         position,

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
    output wire [HASHES*64-1:0] row_hash,
    output reg                 fault
);
    localparam LEVELS = LANES > 1 ? $clog2(LANES) : 0;
    localparam CHUNKS = (N + LANES - 1) / (LANES > 0 ? LANES : 1);
    localparam LAST_LANES = N - (CHUNKS - 1) * LANES;    // elements of the last chunk
    localparam TOK_W = USER_W - 1;
    localparam [31:0] CHUNKS_32 = CHUNKS;
    localparam [31:0] MOST = TOP_K;
    `include "rill_latency.vh"
    localparam HASH = LATENCY_THREEFRY;                  // stages from a chunk to its random bits
    localparam NOISE = HASH + LATENCY_GUMBEL;
    localparam DEPTH = NOISE + LATENCY_ADD;              // stages from a chunk to its score
    localparam PRODUCT = LATENCY_MUL;
    localparam BELOW = PRODUCT + LATENCY_ADD;
    localparam SHARE = BELOW + LATENCY_EXP;

    generate
        if (TOP_K < 1 || TOP_K > 64) begin : gen_bad_top_k
            rill_error_TOP_K_must_be_1_to_64 u_error ();
        end
    endgenerate

    // Returns x as an unsigned integer: a larger number gives a larger integer. A finite number never gives 0.
    function [31:0] key_of(input [31:0] x);
        key_of = x[30:23] == 8'd0 ? 32'h80000000 : x[31] ? ~x : {1'b1, x[30:0]};
    endfunction
    function is_number(input [31:0] x);                  // whether x is a positive normal number, or +0
        is_number = !x[31] && !(&x[30:23]) && (|x[30:23] || x[22:0] == 23'd0);
    endfunction

    // Settings: by_list_q: the last token is chosen from the list. by_all_q: noise for all elements. bad_q: illegal.
    reg         by_list_q, by_all_q, bad_q;
    reg  [15:0] position_q;
    always @(posedge clk) begin
        position_q <= position;
        by_list_q <= inverse != 32'd0 && top_k != 32'd0;
        by_all_q <= inverse != 32'd0 && top_k == 32'd0;
        bad_q <= !is_number(inverse) || !is_number(min_p) || min_p > 32'h3f800000 || top_k > MOST
            || (min_p != 32'd0 && top_k == 32'd0);
    end

    // Every chunk goes to the scores. The chunks of a step's last token also go to the list.
    reg         open_q;
    reg         closing_q; // a firing with a list has come in, and its last id has not left
    reg         drained_q;  // the scores of that firing have left and the list is complete; its elements follow
    // list_room: the list can take a chunk. list_idle: all elements of earlier chunks have been inserted.
    wire        list_room, list_idle;
    wire        choose_ready;
    wire        go = choose_ready || drained_q;
    wire        take = s_axis_x_tvalid && s_axis_x_tready;
    wire        of_last = s_axis_x_tuser[TOK_W];
    reg  [23:0] chunk_q;
    wire        chunk_last = chunk_q == CHUNKS_32[23:0] - 24'd1;

    assign s_axis_x_tready = open_q && go && !closing_q && list_room;
    always @(posedge clk) begin
        open_q <= !rst;
        if (rst)
            chunk_q <= 24'd0;
        else if (take && of_last)
            chunk_q <= s_axis_x_tlast ? 24'd0 : chunk_q + 24'd1;
    end

    // ---- the list: keys and ids of the TOP_K largest elements, the largest first; key 0 marks an empty place ----

    // Three stages: a_* holds a chunk's keys. b_* holds them while the elements above the list's smallest key are
    // picked, one per cycle (mask_q). c_* holds the picked element while the list inserts it.
    reg                 a_valid_q, c_valid_q;
    reg  [LANES*32-1:0] a_keys_q, b_keys_q;
    reg  [23:0]         a_chunk_q, b_chunk_q, c_id_q;
    reg  [LANES-1:0]    mask_q;                          // elements of b_keys_q that are still to be inserted
    reg  [31:0]         c_key_q;
    wire                b_free = mask_q == {LANES{1'b0}};
    wire [TOP_K*32-1:0] list_key;
    wire [TOP_K*24-1:0] list_id;
    wire                inject;                          // the first element of the list leaves
    wire                clear = take && chunk_q == 24'd0;
    reg  [4:0]          pick;
    integer             p;

    assign list_room = !a_valid_q || b_free;
    assign list_idle = !a_valid_q && b_free && !c_valid_q;
    always @* begin
        pick = 5'd0;
        for (p = LANES - 1; p >= 0; p = p - 1)
            if (mask_q[p])
                pick = p[4:0];
    end

    genvar i;
    generate
        for (i = 0; i < LANES; i = i + 1) begin : gen_key
            wire outside = i >= LAST_LANES && chunk_last;
            always @(posedge clk) begin
                if (take)
                    a_keys_q[i*32 +: 32] <= outside ? 32'd0 : key_of(s_axis_x_tdata[i*32 +: 32]);
                if (rst)
                    mask_q[i] <= 1'b0;
                else if (b_free)
                    mask_q[i] <= a_valid_q && a_keys_q[i*32 +: 32] > list_key[(TOP_K-1)*32 +: 32];
                else if (pick == i)
                    mask_q[i] <= 1'b0;
            end
        end
    endgenerate
    always @(posedge clk) begin
        if (rst)
            a_valid_q <= 1'b0;
        else if (list_room)
            a_valid_q <= take && of_last && by_list_q;
        if (take)
            a_chunk_q <= chunk_q;
        if (b_free) begin
            b_keys_q <= a_keys_q;
            b_chunk_q <= a_chunk_q;
        end
        c_valid_q <= !b_free && !rst;
        c_key_q <= b_keys_q[pick*32 +: 32];
        c_id_q <= (b_chunk_q << LEVELS) | {19'd0, pick};
    end

    // A new element is inserted after elements that are not smaller, because its index is higher.
    wire [TOP_K-1:0] above;
    generate
        for (i = 0; i < TOP_K; i = i + 1) begin : gen_place
            reg [31:0] place_key_q;
            reg [23:0] place_id_q;
            wire       shift = i > 0 ? above[i > 0 ? i - 1 : 0] : 1'b0;
            wire [31:0] before_key = i > 0 ? list_key[(i > 0 ? i - 1 : 0)*32 +: 32] : c_key_q;
            wire [23:0] before_id = i > 0 ? list_id[(i > 0 ? i - 1 : 0)*24 +: 24] : c_id_q;
            wire [31:0] behind_key = i < TOP_K - 1 ? list_key[(i < TOP_K - 1 ? i + 1 : 0)*32 +: 32] : 32'd0;
            wire [23:0] behind_id = list_id[(i < TOP_K - 1 ? i + 1 : 0)*24 +: 24];
            assign above[i] = c_key_q > place_key_q;
            always @(posedge clk)
                if (clear || rst)
                    place_key_q <= 32'd0;
                else if (inject) begin
                    place_key_q <= behind_key;
                    place_id_q <= behind_id;
                end else if (c_valid_q && above[i]) begin
                    place_key_q <= shift ? before_key : c_key_q;
                    place_id_q <= shift ? before_id : c_id_q;
                end
            assign list_key[i*32 +: 32] = place_key_q;
            assign list_id[i*24 +: 24] = place_id_q;
        end
    endgenerate

    // When u_choose has taken all scores of the firing, the first top_k elements of the list pass through the same
    // pipeline. passed_q: u_choose has taken the last score. injecting_q: elements of the list enter. first_q: the
    // first one. done_q: the last one has left.
    reg         passed_q, injecting_q, first_q, done_q;
    reg  [USER_W-1:0] closing_user_q;
    reg  [6:0]  left_q;
    wire        at_end = left_q == 7'd1;
    wire        out_valid, out_listed, out_final, out_last;
    wire        id_leaves = m_axis_id_tvalid && m_axis_id_tready && m_axis_id_tlast;

    assign inject = injecting_q;
    always @(posedge clk)
        if (rst || (closing_q && id_leaves)) begin
            closing_q <= 1'b0;
            passed_q <= 1'b0;
            drained_q <= 1'b0;
            injecting_q <= 1'b0;
            done_q <= 1'b0;
        end else begin
            if (take && s_axis_x_tlast && by_list_q)
                closing_q <= 1'b1;
            if (closing_q && out_valid && out_last && choose_ready)
                passed_q <= 1'b1;
            if (passed_q && !drained_q && list_idle) begin
                drained_q <= 1'b1;
                injecting_q <= 1'b1;
            end else if (injecting_q && at_end)
                injecting_q <= 1'b0;
            if (drained_q && out_valid && out_final)
                done_q <= 1'b1;
        end
    always @(posedge clk) begin
        if (take)
            closing_user_q <= s_axis_x_tuser;
        first_q <= !injecting_q;
        left_q <= injecting_q ? left_q - 7'd1 : top_k[6:0];
    end

    // ---- scores: input, factor and noise, sum ----

    reg  [LANES*32-1:0] x_q;
    reg  [23:0]         id_q;                            // of lane 0
    reg  [USER_W-1:0]   user_q;
    reg                 last_q, tail_q, noisy_q, listed_q, there_q, lead_q, final_q;
    reg  [DEPTH:0]      valid_q;
    wire [31:0]         head_key = list_key[31:0];
    wire [31:0]         head = head_key[31] ? {1'b0, head_key[30:0]} : ~head_key;
    wire [31:0]         one = 32'h3f800000;

    always @(posedge clk) begin
        if (rst)
            valid_q <= {(DEPTH+1){1'b0}};
        else if (go)
            valid_q <= {valid_q[DEPTH-1:0], take || injecting_q};
        if (go) begin
            x_q <= injecting_q ? {{((LANES-1)*32){1'b0}}, head} : s_axis_x_tdata;
            id_q <= injecting_q ? list_id[23:0] : chunk_q << LEVELS;
            user_q <= injecting_q ? closing_user_q : s_axis_x_tuser;
            last_q <= s_axis_x_tlast && !injecting_q;
            tail_q <= injecting_q ? LAST_LANES < LANES : chunk_last;
            noisy_q <= injecting_q || by_all_q;
            listed_q <= injecting_q;
            there_q <= head_key != 32'd0;
            lead_q <= first_q;
            final_q <= at_end;
        end
    end

    // Attributes of a chunk that pass the pipeline with it. A delay line carries those that are read at its end (side).
    // Shift registers (*_line_q) carry single bits to the stages that read them.
    localparam ID_W = 24;
    localparam SIDE_FINAL = 0, SIDE_THERE = 1, SIDE_LISTED = 2, SIDE_LAST = 3, SIDE_USER = 4, SIDE_ID = 4 + USER_W,
        SIDE_W = SIDE_ID + ID_W;
    wire [SIDE_W-1:0] side;
    rill_delay_line #(.DATA_W(SIDE_W), .DEPTH(DEPTH)) u_side (.clk(clk), .rst(rst), .en(go),
        .d({id_q, user_q, last_q, listed_q, there_q, final_q}), .q(side));
    assign out_valid = valid_q[DEPTH];
    assign out_final = side[SIDE_FINAL] && out_listed;
    assign out_listed = side[SIDE_LISTED];
    assign out_last = side[SIDE_LAST];
    wire              out_there = side[SIDE_THERE];
    wire [USER_W-1:0] out_user = side[SIDE_USER +: USER_W];
    wire [ID_W-1:0]   out_id = side[SIDE_ID +: ID_W];

    reg  [NOISE-1:0]      noisy_line_q;
    reg  [HASH-1:0]       odd_line_q; // the id in lane 0 is odd, so lane 0 takes the upper word of the random bits
    reg  [BELOW-1:0]      listed_line_q;
    reg  [PRODUCT-1:0]    tail_line_q, lead_line_q;
    always @(posedge clk)
        if (go) begin
            noisy_line_q <= {noisy_line_q[NOISE-2:0], noisy_q};
            odd_line_q <= {odd_line_q[HASH-2:0], id_q[0]};
            listed_line_q <= {listed_line_q[BELOW-2:0], listed_q};
            tail_line_q <= {tail_line_q[PRODUCT-2:0], tail_q};
            lead_line_q <= {lead_line_q[PRODUCT-2:0], lead_q};
        end

    wire [15:0]         token_position = position_q + {{(16-TOK_W){1'b0}}, user_q[TOK_W-1:0]};
    wire [LANES*32-1:0] z, score;
    wire [LANES-1:0]    mul_fault;
    wire [LANES*32-1:0] bits;
    localparam PAIRS = LANES > 1 ? LANES / 2 : 1;
    generate
        for (i = 0; i < PAIRS; i = i + 1) begin : gen_pair
            localparam [31:0] PAIR = i;
            wire [63:0] made;
            rill_threefry u_random (.clk(clk), .en(go), .key(seed),
                .counter({16'd0, token_position, {9'd0, id_q[23:1]} + PAIR}), .random(made));
            assign bits[2*i*32 +: 32] = i == 0 && odd_line_q[HASH-1] ? made[63:32] : made[31:0];
            if (LANES > 1) begin : gen_second
                assign bits[(2*i+1)*32 +: 32] = made[63:32];
            end
        end
        for (i = 0; i < LANES; i = i + 1) begin : gen_score
            wire [31:0] noise, product, add_y;
            wire        add_fault;
            rill_gumbel u_noise (.clk(clk), .en(go), .random(bits[i*32 +: 32]), .y(noise));
            rill_fp32_mul #(.SATURATE(1)) u_z (.clk(clk), .en(go), .a(x_q[i*32 +: 32]), .b(noisy_q ? inverse : one),
                .y(z[i*32 +: 32]), .fault(mul_fault[i]));
            rill_delay_line #(.DATA_W(32), .DEPTH(NOISE - PRODUCT)) u_wait (.clk(clk), .rst(rst), .en(go),
                .d(z[i*32 +: 32]), .q(product));
            rill_fp32_add u_score (.clk(clk), .en(go), .a(product), .b(noisy_line_q[NOISE-1] ? noise : 32'd0),
                .y(add_y), .fault(add_fault));
            assign score[i*32 +: 32] = add_y;
            wire unused_fault = &{1'b0, add_fault};      // not used: finite operands have a finite sum here
        end
    endgenerate

    // ---- distance to the largest element, for min_p, in lane 0 ----

    reg  [31:0] most_q;
    wire [31:0] most = lead_line_q[PRODUCT-1] ? z[31:0] : most_q;
    wire [31:0] below, share;
    wire        below_fault, share_fault;
    always @(posedge clk)
        if (go && listed_line_q[PRODUCT-1])
            most_q <= most;
    rill_fp32_add u_below (.clk(clk), .en(go), .a(z[31:0]), .b({!most[31], most[30:0]}), .y(below),
        .fault(below_fault));
    rill_fp32_exp u_share (.clk(clk), .en(go), .a(below), .y(share), .fault(share_fault));

    localparam PASS = DEPTH - SHARE;
    reg  [PASS-1:0] pass_line_q;
    always @(posedge clk)
        if (go)
            pass_line_q <= {pass_line_q[PASS-2:0], share >= min_p};

    // The largest score of the list; among equal scores the lowest id wins.
    reg         any_q;
    reg  [31:0] best_key_q;
    reg  [23:0] best_id_q;
    wire [31:0] out_key = key_of(score[31:0]);
    wire        better = !any_q || out_key > best_key_q || (out_key == best_key_q && out_id < best_id_q);
    always @(posedge clk)
        if (!drained_q)
            any_q <= 1'b0;
        else if (out_valid && out_listed && out_there && pass_line_q[PASS-1] && better) begin
            any_q <= 1'b1;
            best_key_q <= out_key;
            best_id_q <= out_id;
        end

    // ---- maximum, ids ----

    wire        choose_valid, choose_last;
    wire [31:0] choose_id;
    wire [63:0] score_hash;
    wire        listed_id = closing_q && choose_last;
    rill_argmax #(.LANES(LANES), .TOKENS(TOKENS), .N(N)) u_choose (
        .clk(clk), .rst(rst), .s_axis_x_tvalid(out_valid && !out_listed && !drained_q), .s_axis_x_tready(choose_ready),
        .s_axis_x_tdata(score), .s_axis_x_tuser(out_user), .s_axis_x_tlast(out_last),
        .m_axis_id_tvalid(choose_valid), .m_axis_id_tready(m_axis_id_tready && (!listed_id || done_q)),
        .m_axis_id_tdata(choose_id),
        .m_axis_id_tuser(m_axis_id_tuser), .m_axis_id_tlast(choose_last), .row_hash(score_hash));
    assign m_axis_id_tvalid = choose_valid && (!listed_id || done_q);
    assign m_axis_id_tdata = listed_id ? {8'd0, best_id_q} : choose_id;
    assign m_axis_id_tlast = choose_last;

    localparam ROW_W = HASHES > 1 ? $clog2(HASHES) : 1;
    rill_logits_hash #(.LANES(LANES), .N(N), .ROWS(HASHES)) u_hash (
        .clk(clk), .rst(rst), .valid(take && (HASHES > 1 || of_last)), .data(s_axis_x_tdata), .last(chunk_last),
        .row(s_axis_x_tuser[ROW_W-1:0]), .hash(row_hash));

    // ---- faults ----

    reg  [LANES-1:0] in_range;
    integer          n;
    always @* begin
        for (n = 0; n < LANES; n = n + 1)
            in_range[n] = listed_line_q[PRODUCT-1] ? n == 0 : n < LAST_LANES || !tail_line_q[PRODUCT-1];
    end
    wire z_fault = valid_q[PRODUCT] && |(mul_fault & in_range);
    wire difference_fault = valid_q[BELOW] && listed_line_q[BELOW-1] && below_fault;
    always @(posedge clk)
        if (rst)
            fault <= 1'b0;
        else
            fault <= fault || (take && bad_q) || z_fault || difference_fault;

    wire unused = &{1'b0, CHUNKS_32[31:24], score_hash, share_fault, id_q[0]};
endmodule

`default_nettype wire
