// SPDX-License-Identifier: Apache-2.0
// Quantizes fp32 vectors to block floating point: mantissas of X_BITS bits, and one exponent per BLOCK elements
// (docs/numerics.md section 3).
//
// In: vector stream (chunk, tok) of any length. A block ends after BLOCK elements or at tlast (padding lanes are +0.0,
// as the stream guarantees).
// Out: mx stream of units {shift[7:0], q[XS*X_BITS-1:0]} with XS = BEAT_BITS / 8 mantissas, in order block, tok, unit
// in block. An output firing ends after FIRE_BLOCKS blocks and with each input firing. With FIRE_BLOCKS 0 it ends only
// with the input firing. Block b starts at unit b * ceil(BLOCK / XS). A short last block has only the units that its
// chunks need. If a token has an odd number of units in the firing, a zero unit (shift 0) follows its last block.
// Throughput: one chunk per cycle. A block is read while the next block comes in. The buffer has room for two of the
// largest blocks. If blocks are smaller, for example in a step of one token, up to three of them (BANKS - 1) come in
// meanwhile. Reading takes one cycle per chunk and padding unit.
// Latency max(log2(LANES) + 4, 6) cycles from the last chunk of a block (all tokens) to its first unit if that unit is
// one chunk, plus one per further chunk of the unit. Reset: clk, synchronous active-high rst.
// fault: pulse on NaN, infinity, or a block exponent above EXP_MIN + 39 - X_BITS.
//
// name         meaning                                                                unit      range
// LANES        fp32 per chunk                                                         elements  1, 2, 4, 8, 16, 32
// TOKENS       tokens per step, upper bound                                           tokens    1 to 8
// BEAT_BITS    width of a beat                                                        bits      256, 512
// BLOCK        elements that share an exponent: a multiple of LANES, or at least the  elements  1 or more
//              whole vector
// X_BITS       width of a mantissa                                                    bits      8, 10
// EXP_MIN      floor of the block exponent                                            -         -126 to 64
// FIRE_BLOCKS  blocks of an output firing; 0: all blocks of the input firing          blocks    0 or more
// USER_W       width of tuser                                                         bits      derived
`default_nettype none

module rill_quantize #(
    parameter LANES = 0,
    parameter TOKENS = 0,
    parameter BEAT_BITS = 0,
    parameter BLOCK = 0,
    parameter X_BITS = 8,
    parameter EXP_MIN = -24,
    parameter FIRE_BLOCKS = 0,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire                   clk,
    input  wire                   rst,

    input  wire                   s_axis_x_tvalid,
    output wire                   s_axis_x_tready,
    input  wire [LANES*32-1:0]    s_axis_x_tdata,
    input  wire [USER_W-1:0]      s_axis_x_tuser,
    input  wire                   s_axis_x_tlast,

    output wire                   m_axis_y_tvalid,
    input  wire                   m_axis_y_tready,
    output wire [BEAT_BITS/8*X_BITS+8-1:0] m_axis_y_tdata,
    output wire [USER_W-1:0]      m_axis_y_tuser,
    output wire                   m_axis_y_tlast,

    output reg                    fault
);
    generate
        if (LANES != 1 && LANES != 2 && LANES != 4 && LANES != 8 && LANES != 16 && LANES != 32) begin : gen_bad_lanes
            rill_error_LANES_must_be_a_power_of_two_up_to_32 u_error ();
        end
        if (TOKENS < 1 || TOKENS > 8) begin : gen_bad_tokens
            rill_error_TOKENS_must_be_1_to_8 u_error ();
        end
        if (BEAT_BITS != 256 && BEAT_BITS != 512) begin : gen_bad_beat
            rill_error_BEAT_BITS_must_be_256_or_512 u_error ();
        end
        if (X_BITS != 8 && X_BITS != 10) begin : gen_bad_x
            rill_error_X_BITS_must_be_8_or_10 u_error ();
        end
        if (BLOCK < 1) begin : gen_bad_block
            rill_error_BLOCK_must_be_at_least_1 u_error ();
        end
        if ($signed(EXP_MIN) < -126 || $signed(EXP_MIN) > 64) begin : gen_bad_exp
            rill_error_EXP_MIN_must_be_minus_126_to_64 u_error ();
        end
        if (FIRE_BLOCKS < 0) begin : gen_bad_fire
            rill_error_FIRE_BLOCKS_must_not_be_negative u_error ();
        end
    endgenerate

    localparam LANES_1 = LANES > 0 ? LANES : 1;            // avoids a division by 0 before the error above is reported
    localparam LEVELS = $clog2(LANES_1);
    // Cycles from the last word of a block until it may be read. In the cycle of the first read, the largest field of
    // the last chunk is at the output of the tree (u_top). It is in top_q one cycle too late for this read, so top1_q
    // takes it from the tree.
    localparam READY_DELAY = LEVELS > 2 ? LEVELS - 1 : 1;
    localparam XS = BEAT_BITS / 8;
    localparam CHUNKS = (BLOCK + LANES_1 - 1) / LANES_1;
    localparam CHUNK_W = $clog2(CHUNKS + 1);
    localparam SLOTS = XS / LANES_1;                       // chunks per unit, a power of two
    localparam SLOT_W = SLOTS > 1 ? $clog2(SLOTS) : 1;
    localparam TOK_W = USER_W - 1;
    localparam BANKS = 4;
    localparam BANK_W = $clog2(BANKS);
    localparam ROW_W = TOK_W + BANK_W;                     // {bank, tok}
    localparam FIRE_W = $clog2(FIRE_BLOCKS + 2);
    localparam [31:0] LAST_FIRE = FIRE_BLOCKS - 1;
    localparam [31:0] LAST_SLOT = SLOTS - 1;
    // Exponent field of the largest value at shift 0: 127 (bias of fp32) + X_BITS - 2 (exponent of the largest
    // mantissa) + EXP_MIN.
    localparam signed [31:0] FLOOR = 125 + X_BITS + EXP_MIN;
    localparam [9:0] FLOOR_10 = FLOOR[9:0];
    localparam [31:0] MOST = 39 - X_BITS; // largest shift; with it the largest x is equal for 8 and 10 bits
    // 1: blocks below the floor use the floor as their exponent; 0: they become zeros
    localparam GRADUAL = X_BITS != 8;
    `include "rill_latency.vh"
    localparam Q_STAGES = LATENCY_MX_LANE;                 // stages from a chunk that was read to its mantissas

    // ---- blocks in ----
    // There are four banks, because several small blocks (a step of one token) arrive before the first one has left.
    wire                en;
    wire                w_take;
    wire [BANK_W-1:0]   w_bank;
    wire                w_end;
    wire [CHUNK_W-1:0]  w_chunk;
    wire                i_avail;
    wire [BANK_W-1:0]   i_bank;
    wire [CHUNK_W-1:0]  i_chunk;
    wire [CHUNK_W-1:0]  i_last;
    wire [USER_W-1:0]   i_tuser;
    wire                i_pad;
    wire                i_end;
    wire                i_tlast;
    wire                i_side;
    wire                pad;
    wire                r_tvalid;
    wire [LANES*32-1:0] r_tdata;

    rill_bank_buffer #(.DATA_W(LANES * 32), .TOKENS(TOKENS), .CHUNKS(CHUNKS), .BANKS(BANKS), .TOKEN_MAJOR(1),
        .READY_DELAY(READY_DELAY)) u_banks (
        .clk(clk), .rst(rst), .s_tvalid(s_axis_x_tvalid), .s_tready(s_axis_x_tready), .s_tdata(s_axis_x_tdata),
        .s_tuser(s_axis_x_tuser),
        .s_tlast(s_axis_x_tlast), .s_side(1'b0), .w_take(w_take), .w_bank(w_bank), .w_chunk(w_chunk), .w_end(w_end),
        .r_en(en), .r_go(1'b1), .r_pad(pad), .i_avail(i_avail), .i_bank(i_bank), .i_chunk(i_chunk), .i_last(i_last),
        .i_tuser(i_tuser),
        .i_pad(i_pad), .i_end(i_end), .i_tlast(i_tlast), .i_side(i_side), .r_tvalid(r_tvalid), .r_tdata(r_tdata));

    // ---- the largest exponent field per token, while the block comes in ----
    wire [LANES*8-1:0] fields;
    wire [7:0]         chunk_top;
    wire [ROW_W:0]     place_now = {w_chunk == {CHUNK_W{1'b0}}, w_bank, s_axis_x_tuser[TOK_W-1:0]};
    wire [ROW_W:0]     place;
    wire [ROW_W-1:0]   row = place[ROW_W-1:0];
    // Accepted words of the last LEVELS + 1 cycles. While there is one, the tree and u_place move.
    reg  [LEVELS:0]    took_q;
    wire [LEVELS+1:0]  took = {took_q, w_take};
    wire               taking = |took;
    // The largest field of a chunk, but at least the floor if blocks below it use the floor as their exponent. This
    // limit is not applied where a block is read, because the lanes need top1_q early in a cycle.
    wire [7:0]         chunk_floored = GRADUAL && chunk_top < FLOOR_10[7:0] ? FLOOR_10[7:0] : chunk_top;
    reg  [7:0]         top_q [0:(1<<ROW_W)-1];

    genvar i;
    generate
        for (i = 0; i < LANES; i = i + 1) begin : gen_field
            assign fields[i*8 +: 8] = s_axis_x_tdata[i*32+23 +: 8];
        end
    endgenerate
    rill_max_tree #(.DATA_W(8), .LANES(LANES)) u_top (.clk(clk), .en(taking), .d(fields), .q(chunk_top));
    rill_delay_line #(.DATA_W(ROW_W + 1), .DEPTH(LEVELS)) u_place (.clk(clk), .rst(rst), .en(taking), .d(place_now),
        .q(place));

    always @(posedge clk)
        if (rst) took_q <= {(LEVELS+1){1'b0}};
        else took_q <= took[LEVELS:0];
    wire               raise = took[LEVELS] && (place[ROW_W] || chunk_top > top_q[row]);
    always @(posedge clk)
        if (raise) top_q[row] <= chunk_floored;

    // ---- units of a firing, and padding ----
    reg               odd_q;      // the present token has an odd number of units in earlier blocks of this firing
    reg  [FIRE_W-1:0] fire_q;     // blocks of this firing before the present one
    wire              last_fire = FIRE_BLOCKS != 0 && fire_q == LAST_FIRE[FIRE_W-1:0];
    wire              closes = i_tlast || last_fire;
    // The present block has an odd number of units: its last chunk is in unit i_last / SLOTS, counted from 0, and this
    // number is even.
    wire              odd_here;
    wire [SLOT_W-1:0] slot;
    wire              slot_last;

    generate
        if (SLOTS == 1) begin : gen_whole
            assign odd_here = !i_last[0];
            assign slot = 1'b0;
            assign slot_last = 1'b1;
        end else if (CHUNK_W > SLOT_W) begin : gen_many
            assign odd_here = !i_last[SLOT_W];
            assign slot = i_pad ? {SLOT_W{1'b0}} : i_chunk[SLOT_W-1:0];
            assign slot_last = i_pad || i_chunk == i_last || slot == LAST_SLOT[SLOT_W-1:0];
        end else begin : gen_one
            assign odd_here = 1'b1;
            assign slot = i_pad ? {SLOT_W{1'b0}} : {{(SLOT_W-CHUNK_W){1'b0}}, i_chunk};
            assign slot_last = i_pad || i_chunk == i_last || slot == LAST_SLOT[SLOT_W-1:0];
        end
    endgenerate
    assign pad = closes && (odd_q ^ odd_here);

    wire issue = i_avail && en;
    always @(posedge clk)
        if (rst) begin
            odd_q <= 1'b0;
            fire_q <= {FIRE_W{1'b0}};
        end else if (issue && i_end) begin
            odd_q <= !closes && (odd_q ^ odd_here);
            fire_q <= closes ? {FIRE_W{1'b0}} : fire_q + {{(FIRE_W-1){1'b0}}, FIRE_BLOCKS != 0};
        end

    // ---- read, shift, round, pack ----
    localparam SIDE_W = SLOT_W + 4 + USER_W;
    wire [SLOT_W-1:0] slot1;
    wire              first1;
    wire              last1;
    wire              pad1;
    wire              tlast1;
    wire [USER_W-1:0] user1;
    reg  [SIDE_W-1:0] side1_q;
    wire [ROW_W-1:0]  ask = {i_bank, i_tuser[TOK_W-1:0]};
    // The largest exponent field of the block that is read. The block's last chunk may raise top_q in the cycle in
    // which its first chunk is read, so this value bypasses top_q.
    reg  [7:0]        top1_q;
    wire [9:0]        shift1 = {2'd0, top1_q} - FLOOR_10;
    wire              small1 = !GRADUAL && (top1_q == 8'd0 || shift1[9]);
    wire              zero1 = pad1 || small1;
    wire              range1 = !pad1 && (top1_q == 8'hff || (!small1 && shift1 > MOST[9:0]));

    always @(posedge clk) if (en) top1_q <= raise && row == ask ? chunk_floored : top_q[ask];
    always @(posedge clk) if (en) side1_q <= {slot, slot == {SLOT_W{1'b0}}, slot_last, i_pad, i_end && closes, i_tuser};
    assign {slot1, first1, last1, pad1, tlast1, user1} = side1_q;
    always @(posedge clk) fault <= !rst && en && r_tvalid && range1;

    localparam LATE_W = 6 + SLOT_W + 3 + USER_W;
    wire [LANES*X_BITS-1:0] mantissas;
    wire               zero_late;
    wire [4:0]         shift_late;
    wire [SLOT_W-1:0]  slot_late;
    wire               first_late;
    wire               last_late;
    wire               tlast_late;
    wire [USER_W-1:0]  user_late;
    reg  [Q_STAGES-1:0] valid_q;
    wire               move = en && (r_tvalid || |valid_q);
    generate
        for (i = 0; i < LANES; i = i + 1) begin : gen_lane
            rill_mx_lane #(.X_BITS(X_BITS)) u_lane (.clk(clk), .en(move), .x(r_tdata[i*32 +: 32]), .top(top1_q),
                .zero(zero1), .q(mantissas[i*X_BITS +: X_BITS]));
        end
    endgenerate
    rill_delay_line #(.DATA_W(LATE_W), .DEPTH(Q_STAGES)) u_side (.clk(clk), .rst(rst), .en(move),
        .d({zero1, shift1[4:0] & {5{!small1}}, slot1, first1, last1, tlast1, user1}),
        .q({zero_late, shift_late, slot_late, first_late, last_late, tlast_late, user_late}));
    always @(posedge clk)
        if (rst) valid_q <= {Q_STAGES{1'b0}};
        else if (move) valid_q <= {valid_q[Q_STAGES-2:0], r_tvalid};

    wire [4:0] unit_shift;
    rill_unit_packer #(.LANES(LANES), .XS(XS), .ELEM_W(X_BITS), .SIDE_W(6 + USER_W)) u_pack (
        .clk(clk), .rst(rst), .en(en), .s_valid(valid_q[Q_STAGES-1]), .s_data(mantissas), .s_zero(zero_late),
        .s_slot(slot_late), .s_first(first_late), .s_last(last_late),
        .s_side({zero_late ? 5'd0 : shift_late, tlast_late, user_late}), .m_tvalid(m_axis_y_tvalid),
        .m_tready(m_axis_y_tready), .m_tdata(m_axis_y_tdata[XS*X_BITS-1:0]),
        .m_side({unit_shift, m_axis_y_tlast, m_axis_y_tuser}));
    assign m_axis_y_tdata[XS*X_BITS +: 8] = {3'd0, unit_shift};

    wire unused = &{1'b0, took, i_side, w_end, i_chunk, i_last};
endmodule

`default_nettype wire
