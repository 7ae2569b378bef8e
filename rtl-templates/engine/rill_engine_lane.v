// SPDX-License-Identifier: Apache-2.0
// One lane of the matrix engine: holds the waiting beats, row parameters and group scales of its memory channel, and
// multiplies and accumulates (rill_matrix_lane or rill_matrix_pair).
//
// s_axis_beat: the channel's stream, with a FIFO of LANE_BEATS beats. arrived: one pulse per beat taken in. Everything
// after the FIFO follows the command and never stalls. A beat may be popped in the cycle after its arrived pulse or
// later. If neither pop nor use_local is 1, the beat of the previous command is used again, for another token.
// The header of rill_engine_ctrl explains the fields of a command. Cycle 0 is the cycle of the command's pop. With
// TURN_TOKENS 1 and PUMP 1 the other signals of the command come in:
//     cycle 0   pop, use_local (the beat is local_beat, not a popped one), valid, params, scales, int4, first, last,
//               tok, row, acc, scale, raw. pop_multiply and pop_int4 are copies of valid and int4 for u_front
//     cycle 1   x, shift
//     cycle 5   offset, sums (rill_engine_offset)
//     cycle 10  out_*
// TURN_TOKENS 2, 4, or PUMP 2: the first part of x comes in cycle 1 and the others up to six cycles later
// (rill_pair_products), sums in cycle 7 + PAIR_MORE, out_* in cycle 13 + PAIR_MORE. There is no offset.
// TURN_TOKENS 2, 4: tok is a turn. Bit i of other_toks: token i + 1 of the turn is valid. x, shift and sums hold
// TURN_TOKENS operands. emit, out_tok and out_row of cycle 0 make results leave; last is ignored. With TURN_TOKENS 4,
// bank and out_bank are the banks of acc and out_row.
// HOPS: everything except u_front may be on a die HOPS boundaries away (rill_hop). pop, use_local, pop_multiply,
// pop_int4 and local_beat stay in cycle 0; the rest of the command, x, shift, offset and out_* come HOPS cycles later.
// HALVES: the beat goes to the other die in two halves, at clk_2x (rill_half_hop), so HOPS is one more than the number
// of boundaries.
// TERM_HOPS: the lane is cut after its multipliers instead (rill_matrix_lane). Signals for the accumulators come
// TERM_HOPS cycles later than the rest. They are first, last, tok, emit, out_tok, out_row, acc, bank, out_bank, and
// second copies of valid, other_toks, shift, params, row and raw, whose names begin with sum_ (sum_others for
// other_toks). Row parameters cross in words of PARAM_BITS (rill_row_params_send), so a row must have at least 64 /
// PARAM_BITS beats.
// ASYM: with int4 and asym, the beat's group words begin at byte `scale` of the chunk's group words (rill_matrix_lane).
// raw 1, 2: no row parameters; the row scale is SCALE_K, SCALE_V and the bias +0.
// Reset: clk, synchronous active-high rst, front_rst for u_front and sum_rst for the sums. Each is delayed like the
// command on its die. They clear the valid bits and the waiting beats.
//
// name         meaning                                             unit       range
// BEAT_BITS    width of a beat                                     bits       256, 512
// TOKENS       tokens per step, upper bound                        tokens     1, 2, 4, 8
// LANE_BEATS   capacity of the FIFO of beats                       beats      3 or more
// SCALE_BEATS  beats of group scales in a chunk                    beats      1 to 256
// SCALE_W      width of `scale`; more than a byte's place needs    bits       6 or more
// SCALE_K      row scale with raw 1 (keys)                         fp32 bits  any
// SCALE_V      row scale with raw 2 (values)                       fp32 bits  any
// TURN_TOKENS  tokens per command                                  tokens     1, 2, 4
// PUMP         multiplications per multiplier and cycle            -          1, 2
// HOPS         register stages on the way of a beat                clocks     0 or more
// HALVES       1: a beat takes half of the wires on that way       -          0, 1
// TERM_HOPS    register stages on the way of the terms             clocks     0 or more
// PARAM_BITS   bits of row parameters per cycle, on that way       bits       8, 16, 32, 64
// ASYM         0: asym and sums are ignored                        -          0, 1
// X_BITS       width of an element of x                            bits       8, 10
// ACC_W        width of an accumulator                             bits       64, 66
// TOK_W        width of a token's number                           bits       derived
// SUMS_W       width of sums                                       bits       derived
// OTHERS_W     width of other_toks                                 bits       derived
`default_nettype none

module rill_engine_lane #(
    parameter BEAT_BITS = 0,
    parameter TOKENS = 0,
    parameter LANE_BEATS = 0,
    parameter SCALE_BEATS = 0,
    parameter SCALE_W = 0,
    parameter [31:0] SCALE_K = 0,
    parameter [31:0] SCALE_V = 0,
    parameter TURN_TOKENS = 1,
    parameter PUMP = TURN_TOKENS > 2 ? 2 : 1,
    parameter HOPS = 0,
    parameter HALVES = 0,
    parameter TERM_HOPS = 0,
    parameter PARAM_BITS = 64,
    parameter ASYM = 0,
    parameter X_BITS = 8,
    parameter ACC_W = 64,
    parameter TOK_W = TOKENS > 1 ? $clog2(TOKENS) : 1,
    parameter SUMS_W = (X_BITS + 5) * (BEAT_BITS / 128),
    parameter OTHERS_W = TURN_TOKENS > 2 ? TURN_TOKENS - 1 : 1
) (
    input  wire                   clk,
    input  wire                   clk_2x,    // as in rill_matrix_pair
    input  wire                   rst,
    input  wire                   front_rst,
    input  wire                   sum_rst,

    input  wire                   s_axis_beat_tvalid,
    output wire                   s_axis_beat_tready,
    input  wire [BEAT_BITS-1:0]   s_axis_beat_tdata,
    output wire                   arrived,

    input  wire                   pop,
    input  wire                   use_local,
    input  wire [BEAT_BITS-1:0]   local_beat,
    input  wire                   pop_multiply,
    input  wire                   pop_int4,
    input  wire                   valid,
    input  wire                   params,
    input  wire                   scales,
    input  wire                   int4,
    input  wire                   asym,
    input  wire                   sum_valid,
    input  wire [OTHERS_W-1:0]    sum_others,
    input  wire [5*TURN_TOKENS-1:0] sum_shift,
    input  wire                   sum_params,
    input  wire [2:0]             sum_row,
    input  wire [1:0]             sum_raw,
    input  wire                   first,
    input  wire                   last,
    input  wire [TOK_W-1:0]       tok,
    input  wire [OTHERS_W-1:0]    other_toks,
    input  wire                   bank,
    input  wire                   out_bank,
    input  wire                   emit,
    input  wire [TOK_W-1:0]       out_tok,
    input  wire [2:0]             out_row,
    input  wire [2:0]             row,
    input  wire [2:0]             acc,       // row of accumulators
    input  wire [SCALE_W-1:0]     scale,
    input  wire [1:0]             raw,
    input  wire [4*TURN_TOKENS*BEAT_BITS-1:0] x,
    input  wire [5*TURN_TOKENS-1:0] shift,
    input  wire [X_BITS+13:0]     offset,
    input  wire [SUMS_W*TURN_TOKENS-1:0] sums,

    output wire                   out_valid,
    output wire [ACC_W-1:0]       out_acc,
    output wire [31:0]            out_row_scale,
    output wire [31:0]            out_bias
);
    localparam BYTE_W = BEAT_BITS == 512 ? 6 : 5;
    localparam ROW_W = BEAT_BITS == 512 ? 3 : 2;

    generate
        if (SCALE_BEATS < 1 || SCALE_BEATS > 256) begin : gen_bad_scales
            rill_error_SCALE_BEATS_must_be_1_to_256 u_error ();
        end
        if (SCALE_W <= BYTE_W) begin : gen_bad_width
            rill_error_SCALE_W_must_exceed_the_bits_of_a_byte_place u_error ();
        end
        if (TURN_TOKENS != 1 && TURN_TOKENS != 2 && TURN_TOKENS != 4) begin : gen_bad_turn
            rill_error_TURN_TOKENS_must_be_1_2_or_4 u_error ();
        end
    endgenerate

    wire [BEAT_BITS-1:0] beat_1;
    wire [BEAT_BITS-1:0] beat_q;             // cycle 1 + HOPS
    rill_lane_front #(.BEAT_BITS(BEAT_BITS), .LANE_BEATS(LANE_BEATS)) u_front (
        .clk(clk), .rst(front_rst), .s_axis_beat_tvalid(s_axis_beat_tvalid), .s_axis_beat_tready(s_axis_beat_tready),
        .s_axis_beat_tdata(s_axis_beat_tdata), .arrived(arrived), .pop(pop), .use_local(use_local),
        .multiply(TURN_TOKENS == 1 && PUMP == 1 && pop_multiply), .int4(pop_int4), .local_beat(local_beat),
        .beat(beat_1));
    generate
        if (HALVES != 0) begin : gen_halves
            rill_half_hop #(.DATA_W(BEAT_BITS), .STAGES(HOPS)) u_beat_hop (.clk(clk), .clk_2x(clk_2x), .d(beat_1),
                .q(beat_q));
        end else begin : gen_beat
            rill_hop #(.DATA_W(BEAT_BITS), .STAGES(HOPS)) u_beat_hop (.clk(clk), .rst(rst), .d(beat_1), .q(beat_q));
        end
    endgenerate

    // The command in the cycle of beat_q. The command of the sums comes TERM_HOPS cycles later, on their die.
    reg                  valid_q;
    reg                  params_q;
    reg                  scales_q;
    reg                  int4_q;
    reg                  asym_q;
    reg  [ROW_W-1:0]     row_q;
    reg  [SCALE_W-1:0]   scale_q;
    reg  [1:0]           raw_q;
    wire                 sum_params_q;
    wire [2:0]           sum_row_q;
    wire [1:0]           sum_raw_q;
    wire                 sum_valid_q;
    wire                 first_q;
    wire                 last_q;
    wire [TOK_W-1:0]     tok_q;
    wire [ROW_W-1:0]     acc_q;
    always @(posedge clk) begin
        valid_q <= valid && !rst;
        params_q <= params;
        scales_q <= scales;
        int4_q <= int4;
        asym_q <= ASYM != 0 && asym;
        row_q <= row[ROW_W-1:0];
        scale_q <= scale;
        raw_q <= raw;
    end

    // Header beats stay in scales_mem and params_beat_q until the next chunk's header beats come.
    localparam WORD_W = SCALE_BEATS > 1 ? $clog2(SCALE_BEATS) : 1;
    (* ram_style = "distributed" *) reg [BEAT_BITS-1:0] scales_mem [0:(1<<WORD_W)-1];
    wire [WORD_W-1:0]          scale_word = SCALE_BEATS > 1 ? scale_q[BYTE_W +: WORD_W] : {WORD_W{1'b0}};
    wire [BEAT_BITS-1:0]       scales_beat = scales_mem[scale_word];
    wire [7:0]                 group_scale = int4_q ? scales_beat[{scale_q[BYTE_W-1:0], 3'd0} +: 8] : 8'd1;
    localparam WORDS_W = BYTE_W - 3;         // log2 of the bytes of a beat's group words, which are BEAT_BITS / 64
    wire [BEAT_BITS/8-1:0]     words = scales_beat[{scale_q[BYTE_W-1:WORDS_W], {BYTE_W{1'b0}}} +: BEAT_BITS/8];
    always @(posedge clk)
        if (scales_q)
            scales_mem[scale_word] <= beat_q;
    localparam SENT_BITS = TERM_HOPS != 0 ? PARAM_BITS : 0;
    localparam SENT_W = SENT_BITS > 0 ? SENT_BITS : 1;
    wire [31:0]                row_scale;
    wire [31:0]                bias;
    wire [SENT_W-1:0]          word;
    generate
        if (SENT_BITS == 0) begin : gen_row
            reg  [BEAT_BITS-1:0] params_beat_q;
            wire [63:0]          row_params = params_beat_q[{row_q, 6'd0} +: 64];
            assign row_scale = raw_q[0] ? SCALE_K : raw_q[1] ? SCALE_V : row_params[31:0];
            assign bias = raw_q == 2'd0 ? row_params[63:32] : 32'd0;
            assign word = 1'b0;
            always @(posedge clk)
                if (params_q)
                    params_beat_q <= beat_q;
        end else begin : gen_words
            assign {bias, row_scale} = 64'd0;
            rill_row_params_send #(.BEAT_BITS(BEAT_BITS), .PARAM_BITS(PARAM_BITS)) u_params (
                .clk(clk), .load(params_q), .beat(beat_q), .word(word));
            wire unused_raw = &{1'b0, raw_q, row_q};
        end
    endgenerate

    generate
        if (TURN_TOKENS == 1) begin : gen_single
            wire side;
            rill_hop_stage #(.DATA_W(9 + TOK_W + ROW_W), .CLEAR_W(1)) u_command (.clk(clk), .rst(sum_rst),
                .d({sum_raw, sum_row, sum_params, acc[ROW_W-1:0], tok, last, first, sum_valid}),
                .q({sum_raw_q, sum_row_q, sum_params_q, acc_q, tok_q, last_q, first_q, sum_valid_q}));
            wire [ROW_W+TOK_W-1:0] place = {acc_q, tok_q};
            localparam PLACE_W = TOKENS > 1 ? ROW_W + TOK_W : ROW_W;
            rill_matrix_lane #(.BEAT_BITS(BEAT_BITS), .TOKENS(TOKENS), .ROWS(1 << ROW_W), .SIDE_W(1),
                .ASYM(ASYM), .X_BITS(X_BITS), .ACC_W(ACC_W), .PUMP(PUMP), .HOPS(TERM_HOPS), .PARAM_BITS(SENT_BITS),
                .SCALE_K(SCALE_K), .SCALE_V(SCALE_V)) u_matrix (
                .clk(clk), .clk_2x(clk_2x), .rst(rst), .sum_rst(sum_rst), .valid(valid_q), .int4(int4_q),
                .sum_valid(sum_valid_q),
                .sum_shift(sum_shift), .first(first_q),
                .last(last_q),
                .place(place[ROW_W+TOK_W-PLACE_W +: PLACE_W]), .nibbles(beat_q), .x(x), .offset(offset),
                .group_scale(group_scale), .shift(shift), .asym(asym_q), .words(words), .sums(sums),
                .row_scale(row_scale),
                .bias(bias), .params(sum_params_q), .row(sum_row_q), .raw(sum_raw_q), .word(word), .side(1'b0),
                .out_valid(out_valid),
                .out_acc(out_acc), .out_row_scale(out_row_scale), .out_bias(out_bias), .out_side(side));
            wire unused_single = &{1'b0, side, other_toks, sum_others, bank, out_bank, emit, out_tok, out_row, place};
        end else begin : gen_pair
            // token pairs; also log2(TURN_TOKENS), as TURN_TOKENS is 2 or 4 here
            localparam PAIRS = TURN_TOKENS / 2;
            localparam BANK_W = PAIRS > 1 ? 1 : 0;
            localparam SUM_ROW_W = BANK_W + ROW_W;
            // A turn's number has TOK_W - log2(TURN_TOKENS) bits, and PAIRS is that logarithm.
            localparam PLACE_W = TOKENS > TURN_TOKENS ? SUM_ROW_W + TOK_W - PAIRS : SUM_ROW_W;
            wire [PLACE_W-1:0]   place;
            wire [SUM_ROW_W-1:0] acc_there;
            wire [SUM_ROW_W-1:0] out_row_there;
            wire [SUM_ROW_W-1:0] sum_acc_q;
            wire [SUM_ROW_W-1:0] out_row_q;
            reg  [OTHERS_W-1:0]  others_q;
            wire [OTHERS_W-1:0]  sum_others_q;
            wire                 out_q;
            wire [TOK_W-1:0]     out_tok_q;
            if (BANK_W > 0) begin : gen_banks
                assign acc_there = {bank, acc[ROW_W-1:0]};
                assign out_row_there = {out_bank, out_row[ROW_W-1:0]};
            end else begin : gen_one_bank
                assign acc_there = acc[ROW_W-1:0];
                assign out_row_there = out_row[ROW_W-1:0];
                wire unused_bank = &{1'b0, bank, out_bank};
            end
            if (TOKENS > TURN_TOKENS) begin : gen_turns
                assign place = {sum_acc_q, tok_q[TOK_W-PAIRS-1:0]};
            end else begin : gen_turn
                assign place = sum_acc_q;
            end
            always @(posedge clk)
                others_q <= other_toks;
            rill_hop_stage #(.DATA_W(9 + OTHERS_W + 2 * TOK_W + 2 * SUM_ROW_W), .CLEAR_W(2)) u_command (
                .clk(clk), .rst(sum_rst),
                .d({sum_raw, sum_row, sum_params, out_row_there, out_tok, acc_there, tok, sum_others, first, emit,
                sum_valid}),
                .q({sum_raw_q, sum_row_q, sum_params_q, out_row_q, out_tok_q, sum_acc_q, tok_q, sum_others_q, first_q,
                out_q, sum_valid_q}));
            rill_matrix_pair #(.BEAT_BITS(BEAT_BITS), .TOKENS(TOKENS), .PAIRS(PAIRS), .PUMP(PUMP), .ROWS(1 << ROW_W),
                .ASYM(ASYM), .X_BITS(X_BITS), .ACC_W(ACC_W), .HOPS(TERM_HOPS), .PARAM_BITS(SENT_BITS),
                .SCALE_K(SCALE_K), .SCALE_V(SCALE_V)) u_matrix (
                .clk(clk), .clk_2x(clk_2x), .rst(rst), .sum_rst(sum_rst), .valid(valid_q), .other_toks(others_q),
                .int4(int4_q), .sum_valid(sum_valid_q), .sum_shift(sum_shift), .sum_others(sum_others_q),
                .first(first_q), .emit(out_q), .turn(place), .out_row(out_row_q),
                .out_tok(out_tok_q), .nibbles(beat_q), .x(x), .group_scale(group_scale), .shift(shift),
                .asym(asym_q), .words(words), .sums(sums), .row_scale(row_scale), .bias(bias),
                .params(sum_params_q), .row(sum_row_q), .raw(sum_raw_q), .word(word), .out_valid(out_valid),
                .out_acc(out_acc), .out_row_scale(out_row_scale), .out_bias(out_bias));
            assign acc_q = {ROW_W{1'b0}};
            assign last_q = 1'b0;
            wire unused_pair = &{1'b0, last, last_q, acc_q, tok_q, out_row, offset, pop_multiply};
        end
    endgenerate

    wire unused = &{1'b0, row, acc, scale_q};
endmodule

`default_nettype wire
