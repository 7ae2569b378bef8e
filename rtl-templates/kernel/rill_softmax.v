// SPDX-License-Identifier: Apache-2.0
// Softmax of attention scores without the final division: sends the weights p, and for each token the scalar inv by
// which rill_scale multiplies the sum of the weighted values (docs/numerics.md section 6). A firing is one head, or
// with TOGETHER several.
//
// In: one step word per step, which has LAYERS * HEADS heads (PLACES, below, changes this). Raw scores (chunk, tok) of
// positions 0 to pos + ntok - 1 of a head, LANES per chunk; with WINDOW they begin at the position that
// rill_window_begin gives, at or before the start of the layer's window. Scale words of rill_kv_scale for K and for V,
// one per chunk of a firing, taken with the chunk's last token.
// Out: m_axis_p = exp(s - max) * vscale with s = raw * kscale, and with GAIN the soft cap of that product
// (rill_softcap_lane). p is +0.0 at positions after the token's own, and with WINDOW at those WINDOW or more before it.
// p has as many chunks as the scores; the quantizer after it pads the last block.
// Out: m_axis_inv = 1 / sum exp(s - max), one scalar per token and firing, tlast on the last token. The sum is exact on
// a grid of 2^-30.
// Each firing takes two passes: the first one writes the scores into a bank and finds the maximum, the second one reads
// them. There are two banks: the scores of the next firing enter while the present one leaves.
// Throughput: one chunk per cycle in and out. Latency max(log2(LANES) - 1, 1) + 25 cycles (with GAIN 58) from the last
// chunk in to the first p; m_axis_inv comes log2(LANES) + 18 cycles after the token's last p has left. A firing starts
// to leave only when room for its scalars is reserved, so p never waits for m_axis_inv in the middle of a firing.
// WINDOWS is 1 or LAYERS. PLACES not 0: s_axis_step has a word for each part and layer (rill_part_steps) instead of one
// per step. WINDOW must then be 0, and TOGETHER 1.
// TOGETHER: in a step of one token, a firing has TOGETHER query heads, and tok is the number of the head in the firing.
// Reset: clk, synchronous active-high rst. fault: pulse on NaN, infinity or overflow.
//
// name          meaning                                                                   unit       range
// LANES         positions per chunk                                                       positions  1, 2, 4, 8, 16, 32
// TOKENS        tokens per step, upper bound                                              tokens     1 to 8
// HEADS         heads per layer                                                           heads      1 or more
// LAYERS        layers per step                                                           layers     1 or more
// CONTEXT       positions of the longest firing                                           positions  1 to 65536
// SLOPE         -2 / cap; 0: no cap                                                       fp32 bits  any
// GAIN          2 * cap; 0: no cap                                                        fp32 bits  any
// WINDOWS       entries of WINDOW: 1 for all layers, or one per layer                     entries    1 to LAYERS
// WINDOW        positions a token attends to, including its own; 16 bits per entry, the   positions  any
//               first low; 0: no window
// KEY_CHANNELS  channels of the scores engine, used with WINDOW                           channels   1 to 32
// TOGETHER      query heads of a firing in a step of one token, divides HEADS             heads      1 to TOKENS
// PLACES        layers of all slots; 0: a design without slots                            layers     0 to 1024
// USER_W        width of tuser                                                            bits       derived
`default_nettype none

module rill_softmax #(
    parameter LANES = 0,
    parameter TOKENS = 0,
    parameter HEADS = 0,
    parameter LAYERS = 0,
    parameter CONTEXT = 0,
    parameter [31:0] SLOPE = 0,
    parameter [31:0] GAIN = 0,
    parameter WINDOWS = 1,
    parameter [WINDOWS*16-1:0] WINDOW = 0,
    parameter KEY_CHANNELS = 1,
    parameter TOGETHER = 1,
    parameter PLACES = 0,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire                clk,
    input  wire                rst,

    input  wire                s_axis_step_tvalid,
    output wire                s_axis_step_tready,
    input  wire [63:0]         s_axis_step_tdata,

    input  wire                s_axis_s_tvalid,
    output wire                s_axis_s_tready,
    input  wire [LANES*32-1:0] s_axis_s_tdata,
    input  wire [USER_W-1:0]   s_axis_s_tuser,
    input  wire                s_axis_s_tlast,

    input  wire                s_axis_kscale_tvalid,
    output wire                s_axis_kscale_tready,
    input  wire [LANES*32-1:0] s_axis_kscale_tdata,

    input  wire                s_axis_vscale_tvalid,
    output wire                s_axis_vscale_tready,
    input  wire [LANES*32-1:0] s_axis_vscale_tdata,

    output wire                m_axis_p_tvalid,
    input  wire                m_axis_p_tready,
    output wire [LANES*32-1:0] m_axis_p_tdata,
    output wire [USER_W-1:0]   m_axis_p_tuser,
    output wire                m_axis_p_tlast,

    output wire                m_axis_inv_tvalid,
    input  wire                m_axis_inv_tready,
    output wire [31:0]         m_axis_inv_tdata,
    output wire [USER_W-1:0]   m_axis_inv_tuser,
    output wire                m_axis_inv_tlast,

    output reg                 fault
);
    `include "rill_fields.vh"
    generate
        if (LANES != 1 && LANES != 2 && LANES != 4 && LANES != 8 && LANES != 16 && LANES != 32) begin : gen_bad_lanes
            rill_error_LANES_must_be_a_power_of_two_up_to_32 u_error ();
        end
        if (TOKENS < 1 || TOKENS > 8) begin : gen_bad_tokens
            rill_error_TOKENS_must_be_1_to_8 u_error ();
        end
        if (HEADS < 1 || LAYERS < 1) begin : gen_bad_heads
            rill_error_HEADS_and_LAYERS_must_be_at_least_1 u_error ();
        end
        if (CONTEXT < 1 || CONTEXT > 65536) begin : gen_bad_context
            rill_error_CONTEXT_must_be_1_to_65536 u_error ();
        end
        if ((SLOPE == 0) != (GAIN == 0)) begin : gen_bad_cap
            rill_error_SLOPE_and_GAIN_go_together u_error ();
        end
        if (TOGETHER < 1 || TOGETHER > TOKENS || HEADS % TOGETHER != 0) begin : gen_bad_together
            rill_error_TOGETHER_must_divide_HEADS_and_be_1_to_TOKENS u_error ();
        end
        if (WINDOWS != 1 && WINDOWS != LAYERS) begin : gen_bad_windows
            rill_error_WINDOWS_must_be_1_or_LAYERS u_error ();
        end
        if (PLACES != 0 && (WINDOW != 0 || TOGETHER != 1)) begin : gen_bad_places
            rill_error_PLACES_go_without_WINDOW_and_TOGETHER u_error ();
        end
    endgenerate

    localparam LANES_1 = LANES > 0 ? LANES : 1;
    localparam LEVELS = $clog2(LANES_1);
    localparam CHUNKS = (CONTEXT + LANES_1 - 1) / LANES_1;
    localparam CHUNK_W = $clog2(CHUNKS + 1);
    localparam TOK_W = USER_W - 1;
    localparam ROW_W = TOK_W + 1;                       // {bank, tok}
    localparam FIRINGS = PLACES != 0 ? HEADS : LAYERS * HEADS;
    localparam FIRE_W = $clog2(FIRINGS + 1);
    localparam [31:0] LAST_FIRE = FIRINGS - 1;
    localparam [31:0] LAST_TOGETHER = FIRINGS / TOGETHER - 1;
    localparam [31:0] LAST_LANE = LANES_1 - 1;
    `include "rill_latency.vh"
    // Stages from a score that was read to its difference: the operand stage and the sum
    localparam DIFFERENCE_STAGES = 1 + LATENCY_ADD;
    localparam EXP_STAGES = DIFFERENCE_STAGES + LATENCY_EXP;
    localparam GRID_STAGES = EXP_STAGES + LATENCY_TO_FIXED;
    localparam LATENCY = EXP_STAGES + LATENCY_MUL;
    `include "rill_copies.vh"
    // Stages of the first pass, before the bank: the product with kscale, and the soft cap.
    localparam ENTER = LATENCY_MUL + (GAIN == 0 ? 0 : LATENCY_SOFTCAP);
    localparam COPIES_IN = GAIN == 0 ? 1 : COPIES;
    localparam [31:0] FAR = 32'hf149f2ca;               // -1e30: exp gives +0
    // Cycles from the last score of a firing until its first word may be read. order_q has the maximum when this word
    // needs it.
    localparam READY_DELAY = LEVELS > 2 ? LEVELS - 1 : 1;
    // Returns each window without the token's own position.
    function [WINDOWS*16-1:0] one_less(input [WINDOWS*16-1:0] windows);
        integer k;
        begin
            one_less = {WINDOWS*16{1'b0}};
            for (k = 0; k < WINDOWS; k = k + 1)
                one_less[k*16 +: 16] = windows[k*16 +: 16] - 16'd1;
        end
    endfunction
    localparam [WINDOWS*16-1:0] BEYOND = one_less(WINDOW);   // positions before its own that a token attends to

    // ---- scores in: from registers, because they come from a large memory and their tok_last pops the scales ----
    wire               score_valid;
    wire               score_ready;
    wire [LANES*32-1:0] score_data;
    wire [USER_W-1:0]  score_user;
    wire               score_last;
    rill_register_slice #(.DATA_W(LANES * 32 + USER_W + 1), .MODE(2)) u_scores (
        .clk(clk), .rst(rst), .s_axis_tvalid(s_axis_s_tvalid), .s_axis_tready(s_axis_s_tready),
        .s_axis_tdata({s_axis_s_tlast, s_axis_s_tuser, s_axis_s_tdata}), .m_axis_tvalid(score_valid),
        .m_axis_tready(score_ready), .m_axis_tdata({score_last, score_user, score_data}));

    // ---- the step ----
    reg                step_q;                          // a step word has been taken, and pos_q is its position
    reg  [15:0]        pos_q;
    reg  [FIRE_W-1:0]  fire_q;                          // firings of the step whose scores have entered
    wire               s_take = score_valid && score_ready;
    reg                together_q;                      // the tokens of a firing are query heads
    wire [FIRE_W-1:0]  last_fire = TOGETHER > 1 && together_q ? LAST_TOGETHER[FIRE_W-1:0] : LAST_FIRE[FIRE_W-1:0];
    wire               step_done = s_take && score_last && fire_q == last_fire;
    assign s_axis_step_tready = !step_q && !rst;
    always @(posedge clk)
        if (rst) begin
            step_q <= 1'b0;
            fire_q <= {FIRE_W{1'b0}};
        end else begin
            step_q <= step_q ? !step_done : s_axis_step_tvalid;
            if (s_take && score_last) fire_q <= step_done ? {FIRE_W{1'b0}} : fire_q + 1'b1;
        end
    always @(posedge clk)
        if (!step_q) begin
            pos_q <= s_axis_step_tdata[STEP_POS +: STEP_POS_W];
            together_q <= TOGETHER > 1 && s_axis_step_tdata[STEP_NTOK +: STEP_NTOK_W] == 4'd1;
        end

    // With WINDOW, positions are counted from the first one that has a score, so most of the logic below does not
    // depend on the window.
    wire               base_open;                            // base is valid for the layer whose scores enter
    wire [15:0]        base;                            // position of the step's first token
    generate
        if (WINDOW == 0) begin : gen_from_0
            assign base_open = step_q;
            assign base = pos_q;
        end else begin : gen_from_window
            localparam HEAD_W = HEADS > 1 ? $clog2(HEADS) : 1;
            localparam [31:0] LAST_HEAD = HEADS - 1;
            localparam [31:0] LAST_HEADS = HEADS / TOGETHER - 1;
            reg  [HEAD_W-1:0] head_q;
            wire              head_end = head_q
                == (TOGETHER > 1 && together_q ? LAST_HEADS[HEAD_W-1:0] : LAST_HEAD[HEAD_W-1:0]);
            wire              found;
            wire              ready;
            wire [15:0]       begins;
            rill_window_steps #(.KEY_CHANNELS(KEY_CHANNELS), .LAYERS(LAYERS), .WINDOWS(WINDOWS),
                .WINDOW(WINDOW)) u_begins (
                .clk(clk), .rst(rst), .s_valid(s_axis_step_tvalid && s_axis_step_tready), .s_ready(ready),
                .s_pos(s_axis_step_tdata[STEP_POS +: STEP_POS_W]), .m_valid(found),
                .m_ready(s_take && score_last && head_end), .m_begin(begins), .m_pos(base));
            assign base_open = step_q && found;
            always @(posedge clk)
                if (rst) head_q <= {HEAD_W{1'b0}};
                else if (s_take && score_last) head_q <= head_end ? {HEAD_W{1'b0}} : head_q + 1'b1;
            wire unused_begins = &{1'b0, ready, begins, pos_q, LAST_HEAD, LAST_HEADS};
        end
    endgenerate

    // ---- first pass: s = raw * kscale, capped, into a bank; the maximum per token ----
    // Prefixes: s_ scores at the input; k_ scores after the product with kscale; w_, i_ and r_ are ports of
    // rill_bank_buffer (the word that is written, the word that can be issued next, the word that was read). The digit
    // in a name such as own1_q is the stage. `seen` marks positions that a token attends to.
    wire                 en_in;
    wire [COPIES_IN-1:0] move_in;
    wire                 in_ready;
    wire [ENTER-1:0]     in_valid;
    wire                k_valid;
    wire                k_ready;
    wire [LANES*32-1:0] k_data;
    wire [15:0]         k_own;
    wire                k_last;
    wire [USER_W-1:0]   k_user;
    wire [LANES-1:0]    k_fault;
    // The token's own position. Query heads that are read together belong to one token, so they share its position.
    wire [15:0]         s_own = base + (TOGETHER > 1 && together_q ? 16'd0
        : {{(16-TOK_W){1'b0}}, score_user[TOK_W-1:0]});
    localparam          TOGETHER_W = TOGETHER > 1 && WINDOWS > 1 ? 1 : 0;
    wire                k_together;
    wire [16+USER_W+TOGETHER_W:0] s_side;
    wire [16+USER_W+TOGETHER_W:0] k_side;
    assign {k_own, k_last, k_user} = k_side[16+USER_W:0];
    generate
        if (TOGETHER_W > 0) begin : gen_together
            assign s_side = {together_q, s_own, score_last, score_user};
            assign k_together = k_side[17+USER_W];
        end else begin : gen_alone
            assign s_side = {s_own, score_last, score_user};
            assign k_together = 1'b0;
        end
    endgenerate
    rill_pipe #(.LATENCY(ENTER), .SIDE_W(17 + USER_W + TOGETHER_W), .COPIES(COPIES_IN)) u_in (
        .clk(clk), .rst(rst), .s_tvalid(score_valid && s_axis_kscale_tvalid && base_open), .s_tready(in_ready),
        .s_side(s_side), .en(en_in), .move(move_in), .valid(in_valid), .m_tvalid(k_valid), .m_tready(k_ready),
        .m_side(k_side));
    assign score_ready = in_ready && s_axis_kscale_tvalid && base_open;
    assign s_axis_kscale_tready = in_ready && score_valid && base_open && score_user[TOK_W];

    wire                en;
    // Bits of move: COPIES for the units of the lanes, then one per lane for the registers that replace a score that is
    // not attended to. move comes late in the cycle, so each lane has its own copy of these bits.
    localparam MOVES = COPIES == 1 ? 1 : COPIES + LANES;
    wire [MOVES-1:0]    move;
    wire                go;
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
    rill_bank_buffer #(.DATA_W(LANES * 32), .TOKENS(TOKENS), .CHUNKS(CHUNKS), .READY_DELAY(READY_DELAY)) u_banks (
        .clk(clk), .rst(rst), .s_tvalid(k_valid), .s_tready(k_ready), .s_tdata(k_data), .s_tuser(k_user),
        .s_tlast(k_last), .s_side(1'b0),
        .w_take(w_take), .w_bank(w_bank), .w_chunk(w_chunk), .w_end(w_end), .r_en(en), .r_go(go), .r_pad(1'b0),
        .i_avail(i_avail),
        .i_bank(i_bank), .i_chunk(i_chunk), .i_last(i_last), .i_tuser(i_tuser), .i_pad(i_pad), .i_end(i_end),
        .i_tlast(i_tlast),
        .i_side(i_side), .r_tvalid(r_tvalid), .r_tdata(r_tdata));

    wire [LANES-1:0]    inside2;  // lanes of the chunk within the window, in the stage of up_to2_q
    wire [LANES-1:0]    i_inside; // lanes of chunk i_chunk within the window, in the stage of i_up_to

    // The token at `own` attends to position chunk * LANES + lane if the chunk is before own's chunk, or is own's chunk
    // and the lane is not after own's lane. Three stages compute this in parallel with the multipliers.
    reg  [CHUNK_W-1:0]  s_chunk_q;
    reg  [CHUNK_W-1:0]  chunk1_q;
    reg  [15:0]         own1_q;
    reg                 before2_q;
    reg                 within2_q;
    reg  [LANES-1:0]    up_to2_q;
    reg  [LANES-1:0]    seen3_q;
    wire [LANES-1:0]    k_seen;                         // lanes of k_data that the token attends to
    wire [31:0]         own1_chunk = {16'd0, own1_q} >> LEVELS;
    wire [31:0]         chunk1 = {{(32-CHUNK_W){1'b0}}, chunk1_q};
    always @(posedge clk)
        if (rst) s_chunk_q <= {CHUNK_W{1'b0}};
        else if (s_take && score_user[TOK_W]) s_chunk_q <= score_last ? {CHUNK_W{1'b0}} : s_chunk_q + 1'b1;
    always @(posedge clk)
        if (move_in[0]) begin
            chunk1_q <= s_chunk_q;
            own1_q <= s_own;
            before2_q <= chunk1 < own1_chunk;
            within2_q <= chunk1 == own1_chunk;
            up_to2_q <= {LANES{1'b1}} >> (LAST_LANE[4:0] & ~own1_q[4:0]);   // lanes up to own's
            seen3_q <= (before2_q ? {LANES{1'b1}} : within2_q ? up_to2_q : {LANES{1'b0}}) & inside2;
        end
    rill_delay_line #(.DATA_W(LANES), .DEPTH(ENTER - LATENCY_MUL)) u_seen (.clk(clk), .rst(rst), .en(move_in[0]),
        .d(seen3_q), .q(k_seen));
    // orders: for each score an unsigned number, in the order of the scores. 0 is below the number of every finite
    // score and stands for a position that the token does not attend to.
    wire [LANES*32-1:0] orders;
    wire [31:0]         chunk_order;
    wire [ROW_W:0]      place;
    wire [ROW_W-1:0]    row = place[ROW_W-1:0];
    reg  [LEVELS:0]     took_q;
    wire [LEVELS+1:0]   took = {took_q, w_take};
    wire                taking = |took;
    reg  [15:0]         own_q [0:(1<<ROW_W)-1];
    // The largest of `orders` so far, for each row.
    reg  [31:0]         order_q [0:(1<<ROW_W)-1];

    genvar i;
    generate
        for (i = 0; i < LANES; i = i + 1) begin : gen_in
            wire        mine = move_in[i*COPIES_IN/LANES];
            wire [31:0] scaled;
            rill_fp32_mul #(.SATURATE(0)) u_k (.clk(clk), .en(mine), .a(score_data[i*32 +: 32]),
                .b(s_axis_kscale_tdata[i*32 +: 32]),
                .y(scaled), .fault(k_fault[i]));
            if (GAIN == 0) begin : gen_plain
                assign k_data[i*32 +: 32] = scaled;
            end else begin : gen_cap
                wire never;  // unused: a score that is not finite has already raised a fault in the product
                rill_softcap_lane #(.SLOPE(SLOPE), .GAIN(GAIN), .STAGES(LATENCY_SOFTCAP)) u_cap (.clk(clk),
                    .en(mine), .valid({LATENCY_SOFTCAP{1'b0}}), .x(scaled), .y(k_data[i*32 +: 32]), .fault(never));
                wire unused_cap = &{1'b0, never};
            end
            assign orders[i*32 +: 32] = k_seen[i] ? {!k_data[i*32+31], k_data[i*32 +: 31] ^ {31{k_data[i*32+31]}}}
                : 32'd0;
        end
    endgenerate
    rill_max_tree #(.DATA_W(32), .LANES(LANES)) u_max (.clk(clk), .en(taking), .d(orders), .q(chunk_order));
    rill_delay_line #(.DATA_W(ROW_W + 1), .DEPTH(LEVELS)) u_place (.clk(clk), .rst(rst), .en(taking),
        .d({w_chunk == {CHUNK_W{1'b0}}, w_bank, k_user[TOK_W-1:0]}), .q(place));
    always @(posedge clk)
        if (rst) took_q <= {(LEVELS+1){1'b0}};
        else took_q <= took[LEVELS:0];
    always @(posedge clk) if (w_take) own_q[{w_bank, k_user[TOK_W-1:0]}] <= k_own;
    always @(posedge clk) if (took[LEVELS] && (place[ROW_W] || chunk_order > order_q[row])) order_q[row] <= chunk_order;

    // ---- second pass: e = exp(s - max), p = e * vscale, sum of e ----
    wire                out_ready;
    wire [LATENCY-1:0]  valid;
    reg  [LANES*32-1:0] vscale1_q;
    reg                 bank1_q;
    reg                 first1_q;
    reg                 last1_q;                        // the token's last chunk
    reg                 end1_q;
    reg  [USER_W-1:0]   user1_q;
    reg  [LANES-1:0]    seen1_q;
    wire [31:0]         order1 = order_q[{bank1_q, user1_q[TOK_W-1:0]}];
    // The maximum has the sign !order1[31], so its negative has the sign order1[31].
    wire [31:0]         minus_max = {order1[31], order1[30:0] ^ {31{!order1[31]}}};
    wire [15:0]         i_own = own_q[{i_bank, i_tuser[TOK_W-1:0]}];
    wire [31:0]         i_own_chunk = {16'd0, i_own} >> LEVELS;
    wire [31:0]         i_at = {{(32-CHUNK_W){1'b0}}, i_chunk};
    wire [LANES-1:0]    i_up_to = {LANES{1'b1}} >> (LAST_LANE[4:0] & ~i_own[4:0]);
    generate
        if (WINDOW == 0) begin : gen_all
            assign inside2 = {LANES{1'b1}};
            assign i_inside = {LANES{1'b1}};
        end else begin : gen_window
            // The first position that the token attends to (oldest). Earlier chunks, and earlier lanes of its chunk,
            // are left out.
            wire [15:0]      s_beyond;                  // BEYOND of the layer whose scores enter
            wire [15:0]      w_beyond;                  // BEYOND of the layer whose scores go into a bank
            reg  [15:0]      oldest1_q;
            reg              after2_q;
            reg              at2_q;
            reg  [LANES-1:0] from2_q;
            reg  [15:0]      oldest_q [0:(1<<ROW_W)-1];
            wire [31:0]      oldest1_chunk = {16'd0, oldest1_q} >> LEVELS;
            wire [15:0]      i_oldest = oldest_q[{i_bank, i_tuser[TOK_W-1:0]}];
            wire [31:0]      i_oldest_chunk = {16'd0, i_oldest} >> LEVELS;
            assign inside2 = after2_q ? {LANES{1'b1}} : at2_q ? from2_q : {LANES{1'b0}};
            assign i_inside = i_at > i_oldest_chunk ? {LANES{1'b1}}
                : i_at == i_oldest_chunk ? {LANES{1'b1}} << (LAST_LANE[4:0] & i_oldest[4:0]) : {LANES{1'b0}};
            if (WINDOWS == 1) begin : gen_alike
                assign s_beyond = BEYOND;
                assign w_beyond = BEYOND;
            end else begin : gen_each
                localparam LAYER_W = $clog2(WINDOWS);
                wire [LAYER_W-1:0] s_layer;
                wire [LAYER_W-1:0] w_layer;
                rill_repetition #(.FIRINGS(HEADS), .LAYERS(WINDOWS), .TOGETHER(TOGETHER)) u_s_layer (.clk(clk),
                    .rst(rst), .last(s_take && score_last), .together(together_q), .repetition(s_layer));
                rill_repetition #(.FIRINGS(HEADS), .LAYERS(WINDOWS), .TOGETHER(TOGETHER)) u_w_layer (.clk(clk),
                    .rst(rst), .last(w_take && k_last), .together(k_together), .repetition(w_layer));
                assign s_beyond = BEYOND[s_layer*16 +: 16];
                assign w_beyond = BEYOND[w_layer*16 +: 16];
            end
            always @(posedge clk)
                if (move_in[0]) begin
                    oldest1_q <= s_own > s_beyond ? s_own - s_beyond : 16'd0;
                    after2_q <= chunk1 > oldest1_chunk;
                    at2_q <= chunk1 == oldest1_chunk;
                    from2_q <= {LANES{1'b1}} << (LAST_LANE[4:0] & oldest1_q[4:0]);
                end
            always @(posedge clk)
                if (w_take) oldest_q[{w_bank, k_user[TOK_W-1:0]}] <= k_own > w_beyond ? k_own - w_beyond : 16'd0;
            wire unused_window = &{1'b0, oldest1_chunk, i_oldest_chunk, i_oldest};
        end
    endgenerate
    wire [LANES*32-1:0] vscale_seen;
    wire [LANES*32-1:0] vscale_late;
    wire [LANES-1:0]    fault_sub;
    wire [LANES-1:0]    fault_exp;
    wire [LANES-1:0]    fault_p;
    wire [LANES-1:0]    fault_fix;
    wire [LANES-1:0]    over_fix;
    wire [LANES*48-1:0] fixed;

    wire room;
    wire first_word = i_chunk == {CHUNK_W{1'b0}} && i_tuser[TOK_W-1:0] == {TOK_W{1'b0}};
    assign go = s_axis_vscale_tvalid && (room || !first_word);
    assign s_axis_vscale_tready = out_ready && i_avail && (room || !first_word) && i_tuser[TOK_W];
    always @(posedge clk)
        if (en && i_avail) begin
            vscale1_q <= s_axis_vscale_tdata;
            bank1_q <= i_bank;
            first1_q <= i_chunk == {CHUNK_W{1'b0}};
            last1_q <= i_chunk == i_last;
            end1_q <= i_end;
            user1_q <= i_tuser;
            seen1_q <= (i_at < i_own_chunk ? {LANES{1'b1}} : i_at == i_own_chunk ? i_up_to : {LANES{1'b0}}) & i_inside;
        end

    // Copies of r_tvalid, one for each copy of the lanes' enable.
    wire [MOVES-1:0]  there;
    rill_register_copies #(.DATA_W(1), .COPIES(MOVES)) u_there (
        .clk(clk), .rst(rst), .d(en ? i_avail && go : r_tvalid), .q(there));
    rill_pipe #(.LATENCY(LATENCY), .SIDE_W(USER_W + 1), .COPIES(MOVES), .VALIDS(MOVES)) u_out (
        .clk(clk), .rst(rst), .s_tvalid(there), .s_tready(out_ready), .s_side({end1_q, user1_q}), .en(en),
        .move(move), .valid(valid),
        .m_tvalid(m_axis_p_tvalid), .m_tready(m_axis_p_tready), .m_side({m_axis_p_tlast, m_axis_p_tuser}));
    rill_delay_line #(.DATA_W(LANES * 32), .DEPTH(EXP_STAGES)) u_vscale (
        .clk(clk), .rst(rst), .en(move[0]), .d(vscale_seen), .q(vscale_late));
    generate
        for (i = 0; i < LANES; i = i + 1) begin : gen_out
            wire        mine = move[i*COPIES/LANES];
            wire [31:0] difference;
            wire [31:0] e;
            wire [31:0] grid;
            reg  [31:0] score2_q;
            reg  [31:0] minus_max2_q;
            always @(posedge clk)
                if (move[MOVES == 1 ? 0 : COPIES + i]) begin
                    score2_q <= seen1_q[i] ? r_tdata[i*32 +: 32] : FAR;
                    minus_max2_q <= seen1_q[i] ? minus_max : 32'd0;
                end
            rill_fp32_add u_sub (.clk(clk), .en(mine), .a(score2_q), .b(minus_max2_q), .y(difference),
                .fault(fault_sub[i]));
            rill_fp32_exp u_exp (.clk(clk), .en(mine), .a(difference), .y(e), .fault(fault_exp[i]));
            assign vscale_seen[i*32 +: 32] = seen1_q[i] ? vscale1_q[i*32 +: 32] : 32'd0;
            rill_fp32_mul #(.SATURATE(0)) u_p (.clk(clk), .en(mine), .a(e), .b(vscale_late[i*32 +: 32]),
                .y(m_axis_p_tdata[i*32 +: 32]),
                .fault(fault_p[i]));
            rill_fp32_to_fixed #(.FRAC(30), .WIDTH(32)) u_fix (.clk(clk), .en(mine), .a(e), .y(grid),
                .overflow(over_fix[i]),
                .fault(fault_fix[i]));
            assign fixed[i*48 +: 48] = {16'd0, grid};
        end
    endgenerate

    // ---- the sum per token, its reciprocal ----
    localparam SUM_AT = GRID_STAGES + LEVELS;           // enabled clocks from r_tdata to the sum of a chunk
    // Stages from the sum of a chunk to the total and its reciprocal: the accumulator, then the units.
    localparam TOTAL = 1 + LATENCY_FROM_INT + LATENCY_MUL;
    localparam INV = TOTAL + LATENCY_RECIP;
    wire [47:0]       chunk_sum;
    wire              sum_first;
    wire              sum_last;
    wire [USER_W-1:0] sum_user;
    reg  [47:0]       sum_q [0:(1<<TOK_W)-1];
    reg  [47:0]       total_q;
    wire [31:0]       total_float;
    wire [31:0]       total;
    wire [31:0]       inv;
    wire              inv_fault;
    wire              total_fault;
    wire [USER_W-1:0] inv_user;
    reg  [LEVELS:0]   sum_valid_q;
    wire [LEVELS+1:0] sum_valid = {sum_valid_q, valid[GRID_STAGES-1]};
    reg  [INV-1:0]    inv_valid_q;
    reg               late_q;                           // any of sum_valid_q and inv_valid_q
    wire              move_late = en && (valid[GRID_STAGES-1] || late_q);
    wire [47:0]       sum_now = (sum_first ? 48'd0 : sum_q[sum_user[TOK_W-1:0]]) + chunk_sum;

    rill_sum_tree #(.DATA_W(48), .LANES(LANES)) u_sum (.clk(clk), .en(move_late), .d(fixed), .q(chunk_sum));
    rill_delay_line #(.DATA_W(USER_W + 2), .DEPTH(SUM_AT)) u_sum_side (.clk(clk), .rst(rst), .en(move[0] || move_late),
        .d({first1_q, last1_q, user1_q}), .q({sum_first, sum_last, sum_user}));
    always @(posedge clk)
        if (rst) begin
            sum_valid_q <= {(LEVELS+1){1'b0}};
            inv_valid_q <= {INV{1'b0}};
            late_q <= 1'b0;
        end else if (move_late) begin
            late_q <= |sum_valid[LEVELS:0] || |inv_valid_q[INV-2:0];
            sum_valid_q <= sum_valid[LEVELS:0];
            inv_valid_q <= {inv_valid_q[INV-2:0], sum_valid[LEVELS] && sum_last};
        end
    always @(posedge clk)
        if (move_late) begin
            if (sum_valid[LEVELS]) sum_q[sum_user[TOK_W-1:0]] <= sum_now;
            total_q <= sum_now;
        end
    rill_fp32_from_int #(.WIDTH(48)) u_total (.clk(clk), .en(move_late), .a(total_q), .y(total_float));
    // 32'h30800000 is 2^-30, the grid of the sum.
    rill_fp32_mul #(.SATURATE(0)) u_grid (.clk(clk), .en(move_late), .a(total_float), .b(32'h30800000), .y(total),
        .fault(total_fault));
    rill_fp32_recip u_recip (.clk(clk), .en(move_late), .a(total), .y(inv), .fault(inv_fault));
    rill_delay_line #(.DATA_W(USER_W), .DEPTH(INV)) u_inv_user (.clk(clk), .rst(rst), .en(move_late), .d(sum_user),
        .q(inv_user));

    // Scalars wait in a FIFO. Room for all scalars of a firing is reserved before the firing starts.
    localparam ROOM = 4 * TOKENS;
    localparam ROOM_W = $clog2(ROOM + 1);
    localparam [31:0] ROOM_32 = ROOM;
    localparam [31:0] TOKENS_32 = TOKENS;
    wire              inv_ready;
    reg               inv_push_q; // a scalar goes into the FIFO one cycle later, because en comes late in the cycle
    reg  [31:0]       inv_data_q;
    reg  [USER_W-1:0] inv_user_q;
    wire              inv_pop = m_axis_inv_tvalid && m_axis_inv_tready;
    // Scalars in the FIFO or on their way to it, except the one that start_q adds in the next cycle.
    reg  [ROOM_W-1:0] used_q;
    reg               start_q;               // a token's first chunk was issued, so a scalar will follow
    wire [ROOM_W-1:0] inv_count;
    wire [ROOM_W-1:0] inv_high;
    assign room = used_q + {{(ROOM_W-1){1'b0}}, start_q} <= ROOM_32[ROOM_W-1:0] - TOKENS_32[ROOM_W-1:0];
    always @(posedge clk)
        if (rst) begin
            used_q <= {ROOM_W{1'b0}};
            start_q <= 1'b0;
            inv_push_q <= 1'b0;
        end else begin
            used_q <= used_q + {{(ROOM_W-1){1'b0}}, start_q} - {{(ROOM_W-1){1'b0}}, inv_pop};
            start_q <= en && i_avail && go && i_chunk == {CHUNK_W{1'b0}};
            inv_push_q <= en && inv_valid_q[INV-1];
        end
    always @(posedge clk)
        if (inv_valid_q[INV-1]) begin
            inv_data_q <= inv;
            inv_user_q <= inv_user;
        end
    rill_fifo #(.DATA_W(32 + USER_W), .DEPTH(ROOM)) u_inv (
        .clk(clk), .rst(rst), .s_axis_tvalid(inv_push_q), .s_axis_tready(inv_ready),
        .s_axis_tdata({inv_user_q, inv_data_q}),
        .m_axis_tvalid(m_axis_inv_tvalid), .m_axis_tready(m_axis_inv_tready),
        .m_axis_tdata({m_axis_inv_tuser, m_axis_inv_tdata}),
        .occupancy(inv_count), .high_water(inv_high));
    assign m_axis_inv_tlast = m_axis_inv_tuser[TOK_W];

    wire bad_in = (GAIN == 0 ? w_take : move_in[0] && in_valid[LATENCY_MUL-1]) && |(k_fault & seen3_q);
    wire bad_out = (|fault_sub && valid[DIFFERENCE_STAGES-1]) || (|fault_exp && valid[EXP_STAGES-1])
        || (|(fault_fix | over_fix) && valid[GRID_STAGES-1]) || (|fault_p && valid[LATENCY-1])
        || (total_fault && inv_valid_q[TOTAL-1]) || (inv_fault && inv_valid_q[INV-1]);
    always @(posedge clk) fault <= !rst && (bad_in || (en && bad_out));

`ifdef RILL_ASSERT
    always @(posedge clk) if (!rst) assert (!inv_push_q || inv_ready);
`endif
    wire unused = &{1'b0, s_axis_step_tdata, k_together, LAST_TOGETHER,
        in_valid, en_in, w_end, i_pad, i_tlast, took, sum_valid, own1_chunk,
        i_own_chunk, own1_q, i_own, i_side,
        inv_count, inv_high, inv_ready, valid};
endmodule

`default_nettype wire
