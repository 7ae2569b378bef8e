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
// With ROWS = 1, all tokens of a step have the same settings. Only the last token is chosen from the list; the ids of
// the tokens before it are those of their largest elements. Settings must be stable from one cycle before the first
// chunk enters until the last id has left. position is the position of token 0.
// With ROWS = TOKENS, each token of a step has its own settings, position and list. A pulse on `store` stores the
// settings and the position at the ports for token `row`. They must be stored two cycles before the token's first chunk
// enters, and kept until the last id of the step has left.
// fault: stays until a reset. It rises for a chunk with illegal settings, a logit that is not finite, or a difference
// that is not finite.
// Latency: log2(LANES) + 52 cycles from the last chunk to the first id. If the last token is chosen from a list, its id
// comes top_k + 56 cycles later, plus one cycle for each element that is still to be inserted into the list. If several
// tokens are chosen from lists, their ids come later by 56 cycles plus the sum of their top_k.
// Throughput: one chunk per cycle.
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
// ROWS    sets of settings: 1 or        rows      1 to TOKENS
//         TOKENS
// USER_W  width of tuser                bits      derived
`default_nettype none

module rill_sample #(
    parameter LANES = 0,
    parameter TOKENS = 0,
    parameter N = 0,
    parameter TOP_K = 0,
    parameter HASHES = 1,
    parameter ROWS = 1,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire                clk,
    input  wire                rst,

    input  wire [31:0]         inverse,              // fp32
    input  wire [31:0]         top_k,
    input  wire [31:0]         min_p,                // fp32
    input  wire [63:0]         seed,
    input  wire [15:0]         position,
    input  wire                store,                // with ROWS above 1, else unused
    input  wire [2:0]          row,

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
    localparam ROW_W = ROWS > 1 ? TOK_W : 1;             // number of a row of settings
    localparam [31:0] CHUNKS_32 = CHUNKS;
    localparam [31:0] MOST = TOP_K;
    `include "rill_latency.vh"
    localparam HASH = LATENCY_THREEFRY;                  // stages from a chunk to its random bits
    localparam NOISE = HASH + LATENCY_GUMBEL;
    localparam DEPTH = NOISE + LATENCY_ADD;              // stages from a chunk to its score
    localparam PRODUCT = LATENCY_MUL;                    // stages to z
    localparam BELOW = PRODUCT + LATENCY_ADD;            // stages to z - largest z
    localparam SHARE = BELOW + LATENCY_EXP;              // stages to exp(z - largest z)

    generate
        if (TOP_K < 1 || TOP_K > 64) begin : gen_bad_top_k
            rill_error_TOP_K_must_be_1_to_64 u_error ();
        end
        if (ROWS != 1 && ROWS != TOKENS) begin : gen_bad_rows
            rill_error_ROWS_must_be_1_or_TOKENS u_error ();
        end
    endgenerate

    // Returns x as an unsigned integer: a larger number gives a larger integer. A finite number never gives 0.
    function [31:0] key_of(input [31:0] x);
        key_of = x[30:23] == 8'd0 ? 32'h80000000 : x[31] ? ~x : {1'b1, x[30:0]};
    endfunction
    function is_number(input [31:0] x);                  // whether x is a positive normal number, or +0
        is_number = !x[31] && !(&x[30:23]) && (|x[30:23] || x[22:0] == 23'd0);
    endfunction

    // Settings of each row. by_list_q: a token is chosen from the row's list. by_all_q: all elements get noise. bad_q:
    // the settings are illegal.
    wire [ROWS*32-1:0] inverses, min_ps;
    wire [ROWS*7-1:0]  top_ks;
    wire [ROWS*64-1:0] seeds;
    wire [ROWS*16-1:0] positions;
    reg  [ROWS-1:0]    by_list_q, by_all_q, bad_q;
    genvar r, i;
    generate
        for (r = 0; r < ROWS; r = r + 1) begin : gen_settings
            wire [31:0] w_inverse, w_top_k, w_min_p;
            reg  [15:0] position_q;
            if (ROWS == 1) begin : gen_port
                assign {w_inverse, w_top_k, w_min_p} = {inverse, top_k, min_p};
                assign seeds = seed;
                always @(posedge clk)
                    position_q <= position;
            end else begin : gen_stored
                reg [31:0] inverse_q, top_k_q, min_p_q;
                reg [63:0] seed_q;
                always @(posedge clk)
                    if (store && {29'd0, row} == r) begin
                        inverse_q <= inverse;
                        top_k_q <= top_k;
                        min_p_q <= min_p;
                        seed_q <= seed;
                        position_q <= position;
                    end
                assign {w_inverse, w_top_k, w_min_p} = {inverse_q, top_k_q, min_p_q};
                assign seeds[r*64 +: 64] = seed_q;
            end
            assign inverses[r*32 +: 32] = w_inverse;
            assign min_ps[r*32 +: 32] = w_min_p;
            assign top_ks[r*7 +: 7] = w_top_k[6:0];
            assign positions[r*16 +: 16] = position_q;
            always @(posedge clk) begin
                by_list_q[r] <= w_inverse != 32'd0 && w_top_k != 32'd0;
                by_all_q[r] <= w_inverse != 32'd0 && w_top_k == 32'd0;
                bad_q[r] <= !is_number(w_inverse) || !is_number(w_min_p) || w_min_p > 32'h3f800000 || w_top_k > MOST
                    || (w_min_p != 32'd0 && w_top_k == 32'd0);
            end
        end
    endgenerate
    wire [ROW_W-1:0]   in_row = ROWS > 1 ? s_axis_x_tuser[ROW_W-1:0] : {ROW_W{1'b0}}; // of the chunk at the port

    // Every chunk goes to the scores. Chunks of a token that is chosen from a list also go to the row's list.
    reg         open_q;    // low in reset
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

    // ---- the lists: keys and ids of the TOP_K largest elements, the largest first; key 0 marks an empty place ----

    // Three stages: a_* holds a chunk's keys. b_* holds them while the elements above the list's smallest key are
    // picked, one per cycle (mask_q). c_* holds the picked element while its list inserts it. *_row_q is the row of
    // this list.
    reg                 a_valid_q, c_valid_q;
    reg  [LANES*32-1:0] a_keys_q, b_keys_q;
    reg  [23:0]         a_chunk_q, b_chunk_q, c_id_q;
    reg  [LANES-1:0]    mask_q;                          // elements of b_keys_q that are still to be inserted
    reg  [31:0]         c_key_q;
    reg  [ROW_W-1:0]    a_row_q, b_row_q, c_row_q;
    wire                b_free = mask_q == {LANES{1'b0}};
    wire [ROWS*32-1:0]  first_key, last_key;             // of each list
    wire [ROWS*24-1:0]  first_id;
    wire                inject;                          // the first element of a list leaves
    wire [ROW_W-1:0]    inject_row;
    wire                clear = take && chunk_q == 24'd0;
    wire [31:0]         bound = last_key[a_row_q*32 +: 32];
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

    generate
        for (i = 0; i < LANES; i = i + 1) begin : gen_key
            wire outside = i >= LAST_LANES && chunk_last;
            always @(posedge clk) begin
                if (take)
                    a_keys_q[i*32 +: 32] <= outside ? 32'd0 : key_of(s_axis_x_tdata[i*32 +: 32]);
                if (rst)
                    mask_q[i] <= 1'b0;
                else if (b_free)
                    mask_q[i] <= a_valid_q && a_keys_q[i*32 +: 32] > bound;
                else if (pick == i)
                    mask_q[i] <= 1'b0;
            end
        end
    endgenerate
    always @(posedge clk) begin
        if (rst)
            a_valid_q <= 1'b0;
        else if (list_room)
            a_valid_q <= take && (ROWS > 1 || of_last) && by_list_q[in_row];
        if (take) begin
            a_chunk_q <= chunk_q;
            a_row_q <= in_row;
        end
        if (b_free) begin
            b_keys_q <= a_keys_q;
            b_chunk_q <= a_chunk_q;
            b_row_q <= a_row_q;
        end
        c_row_q <= b_row_q;
        c_valid_q <= !b_free && !rst;
        c_key_q <= b_keys_q[pick*32 +: 32];
        c_id_q <= (b_chunk_q << LEVELS) | {19'd0, pick};
    end

    // A new element is inserted after elements that are not smaller, because its index is higher.
    generate
        for (r = 0; r < ROWS; r = r + 1) begin : gen_list
            wire [TOP_K*32-1:0] list_key;
            wire [TOP_K*24-1:0] list_id;
            wire [TOP_K-1:0]    above;
            wire                inserts = c_valid_q && {{(32-ROW_W){1'b0}}, c_row_q} == r;
            wire                clears = clear && {{(32-ROW_W){1'b0}}, in_row} == r;
            wire                leaves = inject && {{(32-ROW_W){1'b0}}, inject_row} == r;
            assign first_key[r*32 +: 32] = list_key[31:0];
            assign last_key[r*32 +: 32] = list_key[(TOP_K-1)*32 +: 32];
            assign first_id[r*24 +: 24] = list_id[23:0];
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
                    if (clears || rst)
                        place_key_q <= 32'd0;
                    else if (leaves) begin
                        place_key_q <= behind_key;
                        place_id_q <= behind_id;
                    end else if (inserts && above[i]) begin
                        place_key_q <= shift ? before_key : c_key_q;
                        place_id_q <= shift ? before_id : c_id_q;
                    end
                assign list_key[i*32 +: 32] = place_key_q;
                assign list_id[i*24 +: 24] = place_id_q;
            end
        end
    endgenerate

    // When u_choose has taken all scores of the firing, the first top_k elements of each list pass through the same
    // pipeline, one list after the other. lists_q: rows of the firing whose tokens are chosen from lists. rest_q: the
    // rows of lists_q whose lists have not entered completely. passed_q: u_choose has taken the last score.
    // injecting_q: an element of a list enters. first_q: this element is the first one of the list. left_q: elements of
    // the list from this element on. done_q: the last element of the last list has left the pipeline.
    reg         passed_q, injecting_q, first_q, done_q;
    reg  [USER_W-1:0] closing_user_q;
    reg  [ROWS-1:0] lists_q, rest_q;
    reg  [6:0]  left_q;
    wire        at_end = left_q == 7'd1;
    wire [7:0]  up_to_row = ~(8'hFE << in_row);
    wire [ROWS-1:0] lists = by_list_q & up_to_row[ROWS-1:0];
    wire [8+ROWS-1:0] rest_long = {8'd0, rest_q};
    wire [7:0]  rest = rest_long[7:0];
    wire [7:0]  more = rest & (rest - 8'd1);  // without the lowest row
    wire        all_end = at_end && more == 8'd0;

    // Returns the lowest row of the mask.
    function [ROW_W-1:0] lowest(input [7:0] mask);
        integer n;
        begin
            lowest = {ROW_W{1'b0}};
            for (n = ROWS - 1; n >= 0; n = n - 1)
                if (mask[n])
                    lowest = n[ROW_W-1:0];
        end
    endfunction
    assign inject_row = lowest(rest);
    wire [ROW_W-1:0] next_row = injecting_q ? lowest(more) : inject_row;
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
            if (take && s_axis_x_tlast && |lists)
                closing_q <= 1'b1;
            if (closing_q && out_valid && out_last && choose_ready)
                passed_q <= 1'b1;
            if (passed_q && !drained_q && list_idle) begin
                drained_q <= 1'b1;
                injecting_q <= 1'b1;
            end else if (injecting_q && all_end)
                injecting_q <= 1'b0;
            if (drained_q && out_valid && out_final)
                done_q <= 1'b1;
        end
    always @(posedge clk) begin
        if (take)
            closing_user_q <= s_axis_x_tuser;
        if (take && s_axis_x_tlast) begin
            lists_q <= lists;
            rest_q <= lists;
        end else if (injecting_q && at_end)
            rest_q <= more[ROWS-1:0];
        first_q <= !injecting_q || at_end;
        left_q <= injecting_q && !at_end ? left_q - 7'd1 : top_ks[next_row*7 +: 7];
    end

    // ---- scores: input, factor and noise, sum ----

    // Flags of a chunk or of an element of a list. last_q: last chunk of a firing. tail_q: only LAST_LANES lanes have
    // elements. noisy_q: noise is added. listed_q: an element of a list, in lane 0. there_q: its place in the list is
    // not empty. lead_q: first element of its list. final_q: last element of the last list.
    reg  [LANES*32-1:0] x_q;
    reg  [23:0]         id_q;                            // of lane 0
    reg  [USER_W-1:0]   user_q;
    reg                 last_q, tail_q, noisy_q, listed_q, there_q, lead_q, final_q;
    reg  [DEPTH:0]      valid_q;
    wire [ROW_W-1:0]    x_row = injecting_q ? inject_row : in_row; // of the elements that enter
    wire [31:0]         head_key = first_key[x_row*32 +: 32];
    wire [31:0]         head = head_key[31] ? {1'b0, head_key[30:0]} : ~head_key;
    wire [31:0]         one = 32'h3f800000;

    always @(posedge clk) begin
        if (rst)
            valid_q <= {(DEPTH+1){1'b0}};
        else if (go)
            valid_q <= {valid_q[DEPTH-1:0], take || injecting_q};
        if (go) begin
            x_q <= injecting_q ? {{((LANES-1)*32){1'b0}}, head} : s_axis_x_tdata;
            id_q <= injecting_q ? first_id[x_row*24 +: 24] : chunk_q << LEVELS;
            user_q <= !injecting_q ? s_axis_x_tuser : ROWS > 1 ? {{(USER_W-ROW_W){1'b0}}, x_row} : closing_user_q;
            last_q <= s_axis_x_tlast && !injecting_q;
            tail_q <= injecting_q ? LAST_LANES < LANES : chunk_last;
            noisy_q <= injecting_q || by_all_q[x_row];
            listed_q <= injecting_q;
            there_q <= head_key != 32'd0;
            lead_q <= first_q;
            final_q <= all_end;
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

    // Settings of the elements that entered last: the factor, the position, and the keys of the random generators. With
    // ROWS above 1, each element has its own key, so the later stages of rill_threefry get the keys of earlier
    // elements.
    localparam KEYS = ROWS > 1 ? 6 : 1;
    localparam KEY_STAGES = (LATENCY_THREEFRY - 1) / 5;  // stages of rill_threefry from one of its keys to the next
    wire [31:0]         factor;
    wire [15:0]         token_position;
    wire [KEYS*64-1:0]  random_key;
    generate
        if (ROWS > 1) begin : gen_row
            reg [31:0] factor_q;
            reg [15:0] position_q;
            reg [63:0] seed_q;
            always @(posedge clk)
                if (go) begin
                    factor_q <= injecting_q || by_all_q[x_row] ? inverses[x_row*32 +: 32] : one;
                    position_q <= positions[x_row*16 +: 16];
                    seed_q <= seeds[x_row*64 +: 64];
                end
            assign factor = factor_q;
            assign token_position = position_q;
            assign random_key[63:0] = seed_q;
            for (i = 1; i < KEYS; i = i + 1) begin : gen_key_way
                rill_delay_line #(.DATA_W(64), .DEPTH(KEY_STAGES)) u_key (.clk(clk), .rst(rst), .en(go),
                    .d(random_key[(i-1)*64 +: 64]), .q(random_key[i*64 +: 64]));
            end
        end else begin : gen_step
            assign factor = noisy_q ? inverses : one;
            assign token_position = positions + {{(16-TOK_W){1'b0}}, user_q[TOK_W-1:0]};
            assign random_key = seeds;
        end
    endgenerate
    wire [LANES*32-1:0] z, score;
    wire [LANES-1:0]    mul_fault;
    wire [LANES*32-1:0] bits;
    localparam PAIRS = LANES > 1 ? LANES / 2 : 1;
    generate
        for (i = 0; i < PAIRS; i = i + 1) begin : gen_pair
            localparam [31:0] PAIR = i;
            wire [63:0] made;
            rill_threefry #(.KEYS(KEYS)) u_random (.clk(clk), .en(go), .key(random_key),
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
            rill_fp32_mul #(.SATURATE(1)) u_z (.clk(clk), .en(go), .a(x_q[i*32 +: 32]), .b(factor),
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

    wire [31:0] least;                                   // min_p of the element whose share is known
    generate
        if (ROWS > 1) begin : gen_least
            wire [TOK_W-1:0] share_row;
            rill_delay_line #(.DATA_W(TOK_W), .DEPTH(SHARE)) u_row (.clk(clk), .rst(rst), .en(go),
                .d(user_q[TOK_W-1:0]), .q(share_row));
            assign least = min_ps[share_row*32 +: 32];
        end else begin : gen_one_least
            assign least = min_ps;
        end
    endgenerate

    localparam PASS = DEPTH - SHARE;
    reg  [PASS-1:0] pass_line_q;
    always @(posedge clk)
        if (go)
            pass_line_q <= {pass_line_q[PASS-2:0], share >= least};

    // The largest score of each list; among equal scores the lowest id wins.
    reg  [ROWS-1:0] any_q;
    reg  [31:0] best_key_q [0:ROWS-1];
    reg  [23:0] best_id_q [0:ROWS-1];
    wire [ROW_W-1:0] out_row = ROWS > 1 ? out_user[ROW_W-1:0] : {ROW_W{1'b0}};
    wire [31:0] out_key = key_of(score[31:0]);
    wire        better = !any_q[out_row] || out_key > best_key_q[out_row]
        || (out_key == best_key_q[out_row] && out_id < best_id_q[out_row]);
    always @(posedge clk)
        if (!drained_q)
            any_q <= {ROWS{1'b0}};
        else if (out_valid && out_listed && out_there && pass_line_q[PASS-1] && better) begin
            any_q[out_row] <= 1'b1;
            best_key_q[out_row] <= out_key;
            best_id_q[out_row] <= out_id;
        end

    // ---- maximum, ids ----

    wire        choose_valid, choose_last;
    wire [31:0] choose_id;
    wire [63:0] score_hash;
    wire [ROW_W-1:0] id_row = ROWS > 1 ? m_axis_id_tuser[ROW_W-1:0] : {ROW_W{1'b0}};
    wire        listed_id = closing_q && (ROWS > 1 ? lists_q[id_row] : choose_last);
    rill_argmax #(.LANES(LANES), .TOKENS(TOKENS), .N(N)) u_choose (
        .clk(clk), .rst(rst), .s_axis_x_tvalid(out_valid && !out_listed && !drained_q), .s_axis_x_tready(choose_ready),
        .s_axis_x_tdata(score), .s_axis_x_tuser(out_user), .s_axis_x_tlast(out_last),
        .m_axis_id_tvalid(choose_valid), .m_axis_id_tready(m_axis_id_tready && (!listed_id || done_q)),
        .m_axis_id_tdata(choose_id),
        .m_axis_id_tuser(m_axis_id_tuser), .m_axis_id_tlast(choose_last), .row_hash(score_hash));
    assign m_axis_id_tvalid = choose_valid && (!listed_id || done_q);
    assign m_axis_id_tdata = listed_id ? {8'd0, best_id_q[id_row]} : choose_id;
    assign m_axis_id_tlast = choose_last;

    localparam HASH_ROW_W = HASHES > 1 ? $clog2(HASHES) : 1;
    rill_logits_hash #(.LANES(LANES), .N(N), .ROWS(HASHES)) u_hash (
        .clk(clk), .rst(rst), .valid(take && (HASHES > 1 || of_last)), .data(s_axis_x_tdata), .last(chunk_last),
        .row(s_axis_x_tuser[HASH_ROW_W-1:0]), .hash(row_hash));

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
            fault <= fault || (take && bad_q[in_row]) || z_fault || difference_fault;

    wire unused = &{1'b0, CHUNKS_32[31:24], score_hash, share_fault, id_q[0], store, row, lists_q, closing_user_q,
        up_to_row, more, rest_long};
endmodule

`default_nettype wire
