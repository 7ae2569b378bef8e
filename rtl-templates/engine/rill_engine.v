// SPDX-License-Identifier: Apache-2.0
// The matrix engine (docs/engine.md, docs/memory.md) multiplies weights, keys and values with operands. It has one lane
// per memory channel. All lanes work in lockstep, driven by a static schedule.
//
// Path of a firing: u_table walks the schedule. u_ctrl waits for the beats and the operand of the firing and issues a
// command (cmd_*) for each beat. u_command delays the command until each part needs it.
// Path of an operand: u_buffer stores its units, and u_select takes the slice for a beat from them. gen_chain carries
// the command and the slice to each die with lanes, and gen_copy holds the slice for FAN_OUT lanes.
// Path of a beat: gen_lane[c].u_lane holds it until its command comes, then multiplies and accumulates. u_results takes
// the finished rows of all lanes, dequantizes them, and has the FIFO of m_axis_y.
//
// In:
//     s_axis_step    step words
//     s_axis_x       operands (mx units), in the order of the firings that take one
//     s_axis_beat    the channels' streams, packed, channel 0 low
//     s_axis_klocal  the keys of the step's own tokens, called local keys (kv units in the order head, tok, unit);
//                    their scale is ignored
//     tail_data      the beats of all lanes from the V tail, 4 cycles after tail_valid with
//                    tail_addr {layer[9:0], row[12:0], unit}
//     head_done      one pulse when the V of a (step, layer, head) is in the tail
// Out: m_axis_y, CHANNELS x fp32 per word, in the order row-step, tok. The low tcount values are valid.
// Modes of a firing: 0 int8 weights, 1 int4 or int4_asym weights, 2 keys (scores), 3 values (docs/engine.md).
// tuser of s_axis_x, s_axis_klocal and m_axis_y: {tok_last, tok}.
// Field `single` of a schedule entry: one token, whatever the step holds (regions that run for the last token only).
// Throughput: each lane multiplies one beat in ceil(tokens of the step / TURN_TOKENS) cycles, all lanes in parallel. No
// cycle is lost between rows or firings. But only one result leaves per cycle, so a row-step takes at least one cycle
// per token.
// Cycles of a firing that never waits for beats or its operand: headers + row-steps * max(beats * ceil(tokens /
// TURN_TOKENS), tokens). In modes 0 and 1, headers = ceil(row-steps / RC) * (1 + ceil(groups / 8)), with RC = BEAT_BITS
// / 64 rows per chunk; in modes 2 and 3 there are none. groups is 0 with int8 weights, the number of group scales per
// row with int4 weights, and RC times the number of group words per row with int4_asym weights.
// Latency from the command of a row's last beat to m_axis_y: 29 cycles with TURN_TOKENS 1 and PUMP 1, otherwise 32 +
// PAIR_MORE (rill_pair_skew.vh; 0 with PUMP 1). A command comes 2 cycles after the last unit of its operand, and 4 (up
// to 8 channels) or 6 cycles after its beat is at all lanes (docs/latency.md).
// clk_2x: used with PUMP 2 only. It is twice as fast as clk, and every rising edge of clk is also one of clk_2x
// (rill_pair_products).
// fault: pulses for one cycle if a result, a row scale or a bias is not finite. busy and stall_* are for performance
// counters (rill_engine_ctrl).
// Reset: clk, synchronous active-high rst, for at least 4 + max(HOPS + RESULT_HOPS, 2 * PULSE_HOPS) cycles. It discards
// everything that the engine holds. It acts 2 cycles later, because it passes registers for each die and each part. On
// other dies it is delayed like the signals that go there.
// Lanes on several dies: HOPS register stages lead to the farthest lane. CHAINS is the number of chains (see below).
// COPY_CHAIN gives the chain of the multipliers of each group of FAN_OUT lanes, SUMS_CHAIN that of their accumulators,
// and CHAIN_AWAY marks the chains whose die has a copy of the operand buffer. RESULT_HOPS stages lead from the lanes to
// the die where their results come together. This may be yet another die; a signal from there takes PULSE_HOPS register
// stages to the home die. Several dies add HOPS + RESULT_HOPS cycles of latency.
// Placement: gen_chain[n], gen_copy[g] and gen_lane[c].u_lane are on the die of the lanes, u_front of each lane on the
// home die; see rill_engine_results for the parts of u_results.
// HALVES: a beat goes to a whole (not cut) lane on another die in two halves, at clk_2x, so it needs half of the wires
// (rill_half_hop). Then HOPS is one more than the number of die boundaries to the farthest lane.
// EARLY: the lanes of these chains are cut after their multipliers. The multipliers are on the home die and work
// HOPS cycles earlier; the sums are on the die of SUMS_CHAIN. Row parameters follow in words of PARAM_BITS, so no row
// of weights may have fewer beats than its parameters have words.
// Words for places, in this file:
//     home           the die of everything that is not a lane (sequencer, operand buffer); also the engine's own die
//     front          the part of a lane that holds waiting beats (u_front); it is always on the home die
//     chain          the registers that carry commands to the lanes of one die. Each die with lanes has one chain. The
//                    multipliers of cut lanes have a chain of their own (early), even if their die has another one.
//                    DIE, DIES and *_DIE are numbers and counts of chains
//     away           the chain's die has its own copy of the operand buffer
//     copy, share    the slice for a group of FAN_OUT lanes, and for half of them
//     cut            a lane whose sums are on another die than its multipliers
//     early          the chain of the multipliers of cut lanes
//     mine           a lane's own copy of the command, made from that of its chain
//     there          the slice as it arrives on a chain's die
// Words for work, in this file and those below it:
//     firing         one entry of the schedule: one product of a matrix with the operand, for all tokens of the step
//     row-step       one row of the matrix in each lane; its dot products with all tokens of the operand
//     chunk          RC row-steps of weights that share header beats, which come before them: one beat with the row
//                    scale and the bias of each row, then the beats with group scales or group words
//     K outermost    the order of the first chunk of a firing that begins before its operand is complete
//                    (rill_engine_ctrl). K is the dimension over which a dot product sums
//     turn           the TURN_TOKENS tokens that a command serves
//     pair           two tokens of a turn that share a multiplier, as in PAIRS and FACTOR_W
//     unit, unit pair  BEAT_BITS / 8 mantissas of one token's operand; two neighbouring units
// With RILL_FAST_SIM all lanes share one chain, or two if there are cut lanes, because copies slow a simulation down.
//
// name               meaning                                                                   unit       range
// CHANNELS           memory channels; each has a lane                                          channels   1 to 32
// BEAT_BITS          width of a beat                                                           bits       256, 512
// TOKENS             tokens per step, upper bound                                              tokens     1, 2, 4, 8
// GROUP              elements per group scale and per block; a multiple of a beat's int4       elements   1 or more
//                    weights
// X_UNITS            units of an operand, per token, even, upper bound                         units      2 or more
// SCALE_K            2^EXP_MIN of the operands of mode 2                                       fp32 bits  any
// SCALE_V            2^EXP_MIN of the operands of mode 3                                       fp32 bits  any
// HAS_KV             0: no modes 2, 3; their ports are not used                                -          0, 1
// TURN_TOKENS        tokens per command, at most TOKENS; two tokens share each multiplier,     tokens     1, 2, 4
//                    four take turns at clk_2x
// PUMP               multiplications per multiplier and cycle; 2 with TURN_TOKENS 4            -          1, 2
// ASYM               1: there are int4_asym weights                                            -          0, 1
// SLOT_LAYERS        layers of a slot in the V tail; 0: one slot                               layers     0 to 1024
// ASYM_UNITS         units of the longest operand of int4_asym weights, even                   units      2 or more
// X_BITS             width of a mantissa of the operands                                       bits       8, 10
// ACC_W              width of an accumulator                                                   bits       64, 66
// HOPS               register stages each way to the farthest lane: its die boundaries, plus   clocks     0 or more
//                    1 with HALVES
// HALVES             1: beats cross in halves; only with PUMP 2                                -          0, 1
// CHAINS             chains: one for each die with lanes, and one for the multipliers of cut   chains     1 to 8
//                    lanes
// COPY_CHAIN         chain of the multipliers of every FAN_OUT lanes, 4 bits each              -          any
// CHAIN_AWAY         bit n: the die of chain n has a copy of the operand buffer; then HOPS is  -          any
//                    not 0
// EARLY              bit n: the lanes of chain n are cut after their multipliers               -          any
// SUMS_CHAIN         chain of the accumulators of every FAN_OUT lanes, as COPY_CHAIN           -          any
// PARAM_BITS         bits of row parameters per cycle, for cut lanes                           bits       8, 16, 32, 64
// RESULT_HOPS        most die boundaries from a lane's sums to the results                     clocks     0 or more
// PULSE_HOPS         register stages from the results to the home die: its die boundaries      clocks     0 or more
//                    plus 1, or 0 on the same die
// KEY_CHANNELS       channels of the scores engine                                             channels   1 to 32
// WINDOWS            number of windows: 1 for all layers, or one per cache layer               entries    1 or more
// K_WINDOW           positions a token attends to, including its own; 16 bits per layer of     positions  any
//                    keys, the lowest layer low; 0: no window
// V_WINDOW           the windows of the layers of values, likewise; 0: no window               positions  any
// OUT_FIFO           depth of the result FIFO: covers the latency and the results of a         words      2 or more
//                    row-step
// SECTIONS           sections of the table, docs/rtl.md section 5                              sections   1 or more
// ENTRIES            entries of the table: the sum of all lengths                              entries    1 or more
// SECTION_LEN        length of each section, 16 bits each, the first low; 0 skips the section  entries    not all 0
//                    The sum of all is ENTRIES
// SECTION_REPEAT     how often each section is walked, 16 bits each                            times      any
// SECTION_WHEN_HEAD  bit s: skip section s in steps with head = 0                              -          any
// TABLE              the entries, 96 bits each (fields: comment at the instance)               -          any
// ENTRY_MANY         bit e: skip entry e in steps of one token                                 -          any
// PARTS              parts of a step, upper bound                                              parts      1 to 8
// ENTRY_PART         bit e: walk entry e for each part                                         -          any
// USER_W             width of tuser                                                            bits       derived
// COUNT_W            width of tcount                                                           bits       derived
`default_nettype none

module rill_engine #(
    parameter CHANNELS = 0,
    parameter BEAT_BITS = 0,
    parameter TOKENS = 0,
    parameter GROUP = 128,
    parameter X_UNITS = 0,
    parameter [31:0] SCALE_K = 32'h3f80_0000,
    parameter [31:0] SCALE_V = 32'h3f80_0000,
    parameter HAS_KV = 1,
    parameter TURN_TOKENS = 1,
    parameter PUMP = TURN_TOKENS > 2 ? 2 : 1,
    parameter ASYM = 0,
    parameter SLOT_LAYERS = 0,
    parameter ASYM_UNITS = X_UNITS,
    parameter X_BITS = 8,
    parameter ACC_W = 64,
    parameter HOPS = 0,
    parameter HALVES = 0,
    parameter CHAINS = 1,
    parameter [15:0] COPY_CHAIN = 0,
    parameter [7:0] CHAIN_AWAY = 0,
    parameter [7:0] EARLY = 0,
    parameter [15:0] SUMS_CHAIN = COPY_CHAIN,
    parameter PARAM_BITS = 64,
    parameter RESULT_HOPS = HOPS,
    parameter PULSE_HOPS = 0,
    parameter KEY_CHANNELS = CHANNELS,
    parameter WINDOWS = 1,
    parameter [WINDOWS*16-1:0] K_WINDOW = 0,
    parameter [WINDOWS*16-1:0] V_WINDOW = 0,
    parameter OUT_FIFO = (TURN_TOKENS > 1 || PUMP > 1 ? 48 : 32) + HOPS + RESULT_HOPS + PULSE_HOPS,
    parameter SECTIONS = 0,
    parameter ENTRIES = 0,
    parameter [SECTIONS*16-1:0] SECTION_LEN = 0,
    parameter [SECTIONS*16-1:0] SECTION_REPEAT = 0,
    parameter [SECTIONS-1:0] SECTION_WHEN_HEAD = 0,
    parameter [ENTRIES*96-1:0] TABLE = 0,
    parameter [ENTRIES-1:0] ENTRY_MANY = 0,
    parameter PARTS = 1,
    parameter [ENTRIES-1:0] ENTRY_PART = 0,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1,
    parameter COUNT_W = $clog2(CHANNELS + 1)
) (
    input  wire                          clk,
    input  wire                          clk_2x,
    input  wire                          rst,

    input  wire                          s_axis_step_tvalid,
    output wire                          s_axis_step_tready,
    input  wire [63:0]                   s_axis_step_tdata,

    input  wire                          s_axis_x_tvalid,
    output wire                          s_axis_x_tready,
    input  wire [BEAT_BITS/8*X_BITS+7:0] s_axis_x_tdata,      // {shift[7:0], q}
    input  wire [USER_W-1:0]             s_axis_x_tuser,
    input  wire                          s_axis_x_tlast,

    input  wire [CHANNELS-1:0]           s_axis_beat_tvalid,
    output wire [CHANNELS-1:0]           s_axis_beat_tready,
    input  wire [CHANNELS*BEAT_BITS-1:0] s_axis_beat_tdata,

    input  wire                          s_axis_klocal_tvalid,
    output wire                          s_axis_klocal_tready,
    input  wire [BEAT_BITS+31:0]         s_axis_klocal_tdata, // {scale[31:0], q}
    input  wire [USER_W-1:0]             s_axis_klocal_tuser,
    input  wire                          s_axis_klocal_tlast,

    output wire                          tail_valid,
    output wire [23:0]                   tail_addr,
    input  wire [CHANNELS*BEAT_BITS-1:0] tail_data,
    input  wire                          head_done,

    output wire                          m_axis_y_tvalid,
    input  wire                          m_axis_y_tready,
    output wire [CHANNELS*32-1:0]        m_axis_y_tdata,
    output wire [COUNT_W-1:0]            m_axis_y_tcount,
    output wire [USER_W-1:0]             m_axis_y_tuser,
    output wire                          m_axis_y_tlast,

    output wire                          fault,
    output wire                          busy,
    output wire                          stall_beat,
    output wire                          stall_x,
    output wire                          stall_out
);
    localparam XS = BEAT_BITS / 8;
    localparam UNIT_BITS = XS * X_BITS;                    // width of an operand's unit
    localparam BYTE_W = BEAT_BITS == 512 ? 6 : 5;          // width of a byte's number in a beat
    localparam TOK_W = USER_W - 1;
    localparam TURN_W = TOK_W > $clog2(TURN_TOKENS) ? TOK_W - $clog2(TURN_TOKENS) : 1;
    localparam OTHERS_W = TURN_TOKENS > 2 ? TURN_TOKENS - 1 : 1; // tokens of a turn except the first one
    localparam PAIRS = TURN_TOKENS > 2 ? 2 : 1;            // pairs of tokens
    // 1: the multipliers take signed weights, and there is no offset. 0: they take unsigned weights, and each lane
    // subtracts the offset of the operand (rill_engine_offset).
    localparam SIGNED = TURN_TOKENS > 1 || PUMP > 1 ? 1 : 0;
    `include "rill_pair_skew.vh"
    localparam UNIT_PAIR_W = X_UNITS > 2 ? $clog2(X_UNITS / 2) : 1; // width of the number of a pair of units
    localparam GROUPS = GROUP > 0 ? (X_UNITS * XS + GROUP - 1) / GROUP : 1;
    // Header beats with group scales per chunk: RC rows of GROUPS bytes, RC = XS / 8
    localparam GROUP_BEATS = (GROUPS + 7) / 8;
    // Header beats with group words per chunk: RC bytes for each beat of each of its RC rows
    localparam WORD_BEATS = (ASYM_UNITS / 2 * (XS / 8) + 7) / 8;
    localparam SCALE_BEATS = ASYM == 0 || WORD_BEATS < GROUP_BEATS ? GROUP_BEATS : WORD_BEATS;
    localparam SCALE_W = BYTE_W + (SCALE_BEATS > 2 ? $clog2(SCALE_BEATS) : 1);
    // Capacity of a lane, in beats. It covers the 12 cycles from the arrival of a beat until its place is free.
    localparam LANE_BEATS = 16;
    localparam K_UNITS = 16;                 // units of the step's own keys that can wait per lane
    localparam FAN_OUT = 8;                                // lanes that share a copy of the operand
    localparam LANE_GROUPS = CHANNELS > FAN_OUT ? (CHANNELS + FAN_OUT - 1) / FAN_OUT : 1;
`ifndef RILL_FAST_SIM
    localparam LANE_COPIES = CHANNELS;                     // copies of the command for the lanes
    localparam X_PARTS = 4;                                  // parts of the operand, each with its own controls
    localparam X_COPIES = LANE_GROUPS;                     // copies of the operand
    localparam X_OF_GROUP = 1;                             // 1: each group of lanes has its own copy
    // Each copy of the operand is split into shares for half of its lanes.
    localparam SHARES = CHANNELS > FAN_OUT / 2 ? 2 : 1;
    localparam DIES = CHAINS > 0 ? CHAINS : 1;
    localparam [15:0] COPY_DIE = COPY_CHAIN;
    localparam [7:0] DIE_AWAY = CHAIN_AWAY;
    localparam [7:0] EARLY_DIES = EARLY;
    localparam [15:0] SUMS_DIE = SUMS_CHAIN;
    // Bit n: chain n has multipliers.
    localparam [7:0] MULTIPLIES = 8'd1 << COPY_CHAIN[2:0] | (LANE_GROUPS > 1 ? 8'd1 << COPY_CHAIN[6:4] : 8'd0)
        | (LANE_GROUPS > 2 ? 8'd1 << COPY_CHAIN[10:8] : 8'd0) | (LANE_GROUPS > 3 ? 8'd1 << COPY_CHAIN[14:12] : 8'd0);
    // Width of a factor at the lanes: a pair of tokens (rill_packed_mul), or one mantissa
    localparam FACTOR_W = TURN_TOKENS > 1 ? 27 : X_BITS;
`else
    localparam LANE_COPIES = 1;                            // copies slow a simulation down and change no result
    localparam X_PARTS = 1;
    localparam DIES = EARLY != 0 ? 2 : 1;                  // chains; the second one: multipliers of cut lanes
    localparam X_COPIES = DIES;
    localparam X_OF_GROUP = 0;
    localparam SHARES = 1;
    // Chain 0 is for all whole lanes. Chain 1, which exists if lanes are cut, is for the multipliers of the cut lanes.
    // Copy n of the operand belongs to chain n.
    localparam [15:0] COPY_DIE = 16'h0010;
    localparam [7:0] DIE_AWAY = CHAIN_AWAY != 0 ? 8'd1 : 8'd0;
    localparam [7:0] EARLY_DIES = 8'd2;
    localparam [15:0] SUMS_DIE = 16'd0;
    localparam [7:0] MULTIPLIES = 8'hff;
    localparam FACTOR_W = TURN_TOKENS > 1 ? 32 : 16;       // whole words simulate faster
`endif
    `include "rill_latency.vh"
    localparam BEAT_AT = 5;                                // cycles from a command to its beat in a lane, without HOPS
    // Cycles from a command to the lane's output, without HOPS.
    localparam LANE_LATENCY = BEAT_AT + (SIGNED != 0 ? LATENCY_PAIR_PRODUCTS + PAIR_MORE : LATENCY_LANE_PRODUCTS)
        + (TURN_TOKENS > 1 ? LATENCY_PAIR_SUMS : LATENCY_LANE_SUMS);

    generate
        if (CHANNELS < 1 || CHANNELS > 32) begin : gen_bad_channels
            rill_error_CHANNELS_must_be_1_to_32 u_error ();
        end
        if ((TURN_TOKENS != 1 && TURN_TOKENS != 2 && TURN_TOKENS != 4) || TOKENS < TURN_TOKENS) begin : gen_bad_turn
            rill_error_TURN_TOKENS_must_be_1_2_or_4_and_at_most_TOKENS u_error ();
        end
        if ((PUMP != 1 && PUMP != 2) || PUMP < PAIRS) begin : gen_bad_pump
            rill_error_PUMP_must_be_1_or_2_and_2_with_TURN_TOKENS_4 u_error ();
        end
        if (HALVES != 0 && (PUMP != 2 || HOPS < 2)) begin : gen_bad_halves
            rill_error_HALVES_needs_PUMP_2_and_HOPS_of_at_least_2 u_error ();
        end
    endgenerate

    `include "rill_fields.vh"
    // Returns whether a firing of this mode multiplies weights (not keys or values).
    function of_weights(input [ENGINE_MODE_W-1:0] mode);
        of_weights = mode == ENGINE_MODE_INT8 || mode == ENGINE_MODE_INT4;
    endfunction
    // Returns the smallest number of beats that a row of weights in the table has.
    function [ENGINE_BEATS_W-1:0] fewest_beats(input integer entries);
        integer e;
        begin
            fewest_beats = {ENGINE_BEATS_W{1'b1}};
            for (e = 0; e < entries; e = e + 1)
                if (of_weights(TABLE[ENGINE_BITS*e+ENGINE_MODE +: ENGINE_MODE_W])
                    && TABLE[ENGINE_BITS*e+ENGINE_BEATS +: ENGINE_BEATS_W] < fewest_beats)
                    fewest_beats = TABLE[ENGINE_BITS*e+ENGINE_BEATS +: ENGINE_BEATS_W];
        end
    endfunction
    generate
        if (EARLY != 0 && fewest_beats(ENTRIES) * PARAM_BITS < 64) begin : gen_bad_params
            rill_error_PARAM_BITS_must_suffice_for_the_shortest_row u_error ();
        end
    endgenerate

    // ---- resets: a register for each die, then one for each part of it ----
    // RESET_TABLE is for u_table. RESET_X also resets u_select, and RESET_COMMAND also u_offsets.
    localparam RESET_TABLE = 0, RESET_CTRL = 1, RESET_COMMAND = 2, RESET_X = 3, RESET_KEYS = 4, RESET_ARRIVALS = 5,
        RESET_RESULTS = 6, RESET_FRONT = 7;    // parts on the engine's own die; the fronts of the lanes come last
    // Parts on a die with lanes: its chain, the groups of lanes, the lanes.
    localparam RESET_CHAIN = 0, RESET_GROUP = 1, RESET_LANE = 1 + LANE_GROUPS, RESETS = 1 + LANE_GROUPS + CHANNELS;
    wire [DIES:0]                 rst_of_die;  // the last one is the engine's own die
    wire [RESET_FRONT+CHANNELS-1:0] rst_home;
    wire [DIES*RESETS-1:0]        chain_rst;
    rill_reset_stage #(.COPIES(DIES + 1)) u_rst_dies (.clk(clk), .d(rst), .q(rst_of_die));
    rill_reset_tree #(.COPIES(RESET_FRONT + CHANNELS)) u_rst_home (.clk(clk), .d(rst_of_die[DIES]), .q(rst_home));

    // ---- schedule and sequencer ----
    wire          entry_valid;               // entries of the schedule (rill_engine_table)
    wire          entry_ready;
    wire [175:0]  entry_data;
    rill_engine_table #(.KEY_CHANNELS(KEY_CHANNELS), .WINDOWS(WINDOWS), .K_WINDOW(K_WINDOW), .V_WINDOW(V_WINDOW),
        .SECTIONS(SECTIONS), .ENTRIES(ENTRIES), .SECTION_LEN(SECTION_LEN), .SECTION_REPEAT(SECTION_REPEAT),
        .SECTION_WHEN_HEAD(SECTION_WHEN_HEAD), .TABLE(TABLE), .ENTRY_MANY(ENTRY_MANY),
        .PARTS(PARTS), .ENTRY_PART(ENTRY_PART)) u_table (
        .clk(clk), .rst(rst_home[RESET_TABLE]), .s_axis_step_tvalid(s_axis_step_tvalid),
        .s_axis_step_tready(s_axis_step_tready), .s_axis_step_tdata(s_axis_step_tdata),
        .m_axis_entry_tvalid(entry_valid), .m_axis_entry_tready(entry_ready), .m_axis_entry_tdata(entry_data));

    // *_pulse and cmd_*: see the first comment of rill_engine_ctrl.
    wire                beat_pulse;
    wire                k_pulse;
    wire                x_pulse;
    wire                part_pulse;
    wire                v_pulse;
    wire                y_pulse;
    wire                cmd_pop, cmd_k, cmd_params, cmd_scales, cmd_valid, cmd_int4, cmd_asym, cmd_tail, cmd_local,
        cmd_first, cmd_last, cmd_half;
    wire                cmd_free, cmd_bank, cmd_out, cmd_out_bank, cmd_tok_last, cmd_y_last;
    wire [OTHERS_W-1:0] cmd_others;
    wire [1:0]          cmd_raw;
    wire [3:0]          cmd_k_lanes;
    wire [23:0]         cmd_tail_addr;
    wire [TOK_W-1:0]    cmd_tok;              // a turn if TURN_TOKENS is 2 or 4
    wire [TOK_W-1:0]    cmd_out_tok;
    wire [UNIT_PAIR_W-1:0] cmd_unit_pair;
    wire [2:0]          cmd_row;
    wire [2:0]          cmd_acc;
    wire [2:0]          cmd_out_row;
    wire [SCALE_W-1:0]  cmd_scale;
    wire [COUNT_W-1:0]  cmd_count;
    rill_engine_ctrl #(.CHANNELS(CHANNELS), .BEAT_BITS(BEAT_BITS), .TOKENS(TOKENS), .GROUP(GROUP), .X_UNITS(X_UNITS),
        .SCALE_W(SCALE_W),
        .LANE_BEATS(LANE_BEATS), .K_UNITS(K_UNITS), .OUT_WORDS(OUT_FIFO), .TURN_TOKENS(TURN_TOKENS),
        .ASYM(ASYM), .SLOT_LAYERS(SLOT_LAYERS)) u_ctrl (
        .clk(clk), .rst(rst_home[RESET_CTRL]), .s_axis_entry_tvalid(entry_valid), .s_axis_entry_tready(entry_ready),
        .s_axis_entry_tdata(entry_data), .beat_pulse(beat_pulse), .k_pulse(k_pulse), .x_pulse(x_pulse),
        .part_pulse(part_pulse), .v_pulse(v_pulse), .y_pulse(y_pulse), .cmd_pop(cmd_pop), .cmd_k(cmd_k),
        .cmd_k_lanes(cmd_k_lanes), .cmd_params(cmd_params), .cmd_scales(cmd_scales), .cmd_valid(cmd_valid),
        .cmd_int4(cmd_int4), .cmd_asym(cmd_asym), .cmd_raw(cmd_raw), .cmd_tail(cmd_tail), .cmd_tail_addr(cmd_tail_addr),
        .cmd_local(cmd_local), .cmd_first(cmd_first), .cmd_last(cmd_last), .cmd_tok(cmd_tok),
        .cmd_unit_pair(cmd_unit_pair),
        .cmd_half(cmd_half), .cmd_row(cmd_row), .cmd_scale(cmd_scale), .cmd_free(cmd_free), .cmd_acc(cmd_acc),
        .cmd_out_row(cmd_out_row), .cmd_bank(cmd_bank), .cmd_out_bank(cmd_out_bank), .cmd_others(cmd_others),
        .cmd_out(cmd_out), .cmd_out_tok(cmd_out_tok),
        .cmd_count(cmd_count), .cmd_tok_last(cmd_tok_last), .cmd_y_last(cmd_y_last), .busy(busy),
        .stall_beat(stall_beat), .stall_x(stall_x), .stall_out(stall_out));

    // ---- delays of the command: the operand buffer gets it after 1 cycle, and each lane gets a copy after 4 ----
    `include "rill_engine_fields.vh"
    wire                           free_1;
    wire [TURN_W-1:0]              tok_1;
    wire [UNIT_PAIR_W-1:0]         unit_pair_1;
    wire [OTHERS_W+2:0]            slice_controls;
    wire [CMD_W-1:0]               cmd_3;
    wire                           k_3;
    wire                           valid_3;
    wire                           valid_4;
    wire                           int4_4;
    wire [LANE_COPIES*FRONT_W-1:0] fronts;
    rill_engine_command #(.TOK_W(TOK_W), .TURN_W(TURN_W), .UNIT_PAIR_W(UNIT_PAIR_W), .SCALE_W(SCALE_W), .ASYM(ASYM),
        .TURN_TOKENS(TURN_TOKENS), .LANE_COPIES(LANE_COPIES)) u_command (
        .clk(clk), .rst(rst_home[RESET_COMMAND]), .pop(cmd_pop), .k(cmd_k), .params(cmd_params), .scales(cmd_scales),
        .valid(cmd_valid), .int4(cmd_int4), .asym(cmd_asym), .raw(cmd_raw), .is_local(cmd_local), .first(cmd_first),
        .last(cmd_last), .tok(cmd_tok), .unit_pair(cmd_unit_pair), .half(cmd_half), .row(cmd_row), .scale(cmd_scale),
        .free(cmd_free), .acc(cmd_acc), .out_row(cmd_out_row), .bank(cmd_bank), .out_bank(cmd_out_bank),
        .other_toks(cmd_others), .emit(cmd_out), .out_tok(cmd_out_tok),
        .free_1(free_1), .tok_1(tok_1), .unit_pair_1(unit_pair_1), .slice_controls(slice_controls), .cmd_3(cmd_3),
        .k_3(k_3), .valid_3(valid_3), .valid_4(valid_4), .int4_4(int4_4), .fronts(fronts));

    // ---- the operand ----
    // Cycle 3 of the command: units. Cycle 4: the slice for a beat. Cycle 5: a copy of the slice for FAN_OUT lanes.
    wire [TURN_TOKENS*UNIT_BITS-1:0] unit_0;
    wire [TURN_TOKENS*UNIT_BITS-1:0] unit_1;
    wire [TURN_TOKENS*8-1:0]    shift_0;
    wire [TURN_TOKENS*8-1:0]    shift_1;
    localparam X_ADDR_W = 1 + (TOKENS > TURN_TOKENS ? TURN_W : 0) + UNIT_PAIR_W;
    localparam X_WRITE_W = 2 * TURN_TOKENS + X_ADDR_W + UNIT_BITS + 8;
    wire [X_WRITE_W-1:0]        x_write;       // write to the operand copies on other dies
    wire [X_ADDR_W-1:0]         x_read;
    rill_x_buffer #(.BEAT_BITS(BEAT_BITS), .TOKENS(TOKENS), .X_UNITS(X_UNITS), .TURN_TOKENS(TURN_TOKENS),
        .X_BITS(X_BITS), .COPIED(DIE_AWAY != 0 ? 1 : 0)) u_buffer (
        .clk(clk), .rst(rst_home[RESET_X]), .s_axis_x_tvalid(s_axis_x_tvalid), .s_axis_x_tready(s_axis_x_tready),
        .s_axis_x_tdata(s_axis_x_tdata), .s_axis_x_tuser(s_axis_x_tuser), .s_axis_x_tlast(s_axis_x_tlast),
        .filled(x_pulse), .part(part_pulse), .free(free_1), .read_tok(tok_1), .read_unit_pair(unit_pair_1),
        .unit_0(unit_0), .unit_1(unit_1), .shift_0(shift_0), .shift_1(shift_1), .copy_write(x_write),
        .copy_read(x_read));

    wire [TURN_TOKENS*2*UNIT_BITS-1:0] slice;
    wire [TURN_TOKENS*5-1:0]      slice_shift;
    localparam SUMS_W = (X_BITS + 5) * (BEAT_BITS / 128); // width of the sums of each 32 elements
    localparam ONE_W = X_BITS + 14;            // width of an offset
    localparam HAS_OFFSET = SIGNED == 0 || ASYM != 0 ? 1 : 0; // 1: lanes need an offset, or sums of the operand
    localparam SUMS_AT = SIGNED == 0 ? ONE_W : 0;          // place of the sums, after the offset of a single operand
    localparam OFFSET_W = HAS_OFFSET == 0 ? 1 : SUMS_AT + (ASYM != 0 ? TURN_TOKENS * SUMS_W : 0);
    wire [OFFSET_W-1:0]           offset_sums;
    rill_x_slice #(.BEAT_BITS(BEAT_BITS), .TURN_TOKENS(TURN_TOKENS), .X_BITS(X_BITS), .PARTS(X_PARTS)) u_select (
        .clk(clk), .rst(rst_home[RESET_X]), .controls(slice_controls), .unit_0(unit_0), .unit_1(unit_1),
        .shift_0(shift_0), .shift_1(shift_1), .slice(slice), .shift(slice_shift));
    rill_engine_offsets #(.BEAT_BITS(BEAT_BITS), .TURN_TOKENS(TURN_TOKENS), .ASYM(ASYM), .X_BITS(X_BITS),
        .PARTS(X_PARTS), .PUMP(PUMP)) u_offsets (
        .clk(clk), .rst(rst_home[RESET_COMMAND]), .valid_3(valid_3), .valid_4(valid_4), .int4_4(int4_4), .slice(slice),
        .q(offset_sums));

    // Signals to the lanes of each die, all HOPS cycles later: the command of cycle 3, the slice of cycle 4, and the
    // offset. A die with a copy of the operand buffer makes the slice itself.
    localparam SLICE_W = TURN_TOKENS * (2 * UNIT_BITS + 5);
    localparam X_W = 2 * XS * 16 * TURN_TOKENS;            // width of the operand at a lane
    wire [DIES*CMD_W-1:0]         chain_cmd;
    wire [DIES*CMD_W-1:0]         chain_mine;  // chain_cmd one cycle later, if all lanes of a chain share one copy
    localparam FACTORS_W = PAIRS * 2 * XS * FACTOR_W;
    wire [DIES*FACTORS_W-1:0]     chain_factors;
    wire [DIES*TURN_TOKENS*5-1:0] chain_shift;
    wire [DIES*OFFSET_W-1:0]      chain_offset;
    genvar g;
    genvar h; // number of a chain in gen_chain, of a share in gen_share
    generate
        if (CHAINS < 1 || CHAINS > 8) begin : gen_bad_chains
            rill_error_CHAINS_must_be_1_to_8 u_error ();
        end
        for (h = 0; h < DIES; h = h + 1) begin : gen_chain
            wire [TURN_TOKENS*2*UNIT_BITS-1:0] there;
            localparam STAGES = EARLY_DIES[h] ? 0 : HOPS;
            wire [RESETS-1:0] resets;          // delayed like the command
            rill_reset_tree #(.HOPS(STAGES), .COPIES(RESETS)) u_rst (.clk(clk), .d(rst_of_die[h]), .q(resets));
            assign chain_rst[h*RESETS +: RESETS] = resets;
            if (MULTIPLIES[h]) begin : gen_all
                rill_engine_chain #(.CMD_W(CMD_W), .OFFSET_W(OFFSET_W), .HOPS(STAGES)) u_chain (
                    .clk(clk), .rst(resets[RESET_CHAIN]), .s_cmd(cmd_3), .s_offset(offset_sums),
                    .cmd(chain_cmd[h*CMD_W +: CMD_W]), .offset(chain_offset[h*OFFSET_W +: OFFSET_W]));
            end else begin : gen_sums
                // Die of the sums of cut lanes only: it needs the command and the exponents, but no operand.
                rill_hop #(.DATA_W(CMD_W), .CLEAR_W(2), .STAGES(STAGES)) u_cmd (.clk(clk),
                    .rst(resets[RESET_CHAIN]), .d(cmd_3),
                    .q(chain_cmd[h*CMD_W +: CMD_W]));
                rill_hop #(.DATA_W(TURN_TOKENS * 5), .STAGES(STAGES)) u_shift (.clk(clk), .rst(1'b0), .d(slice_shift),
                    .q(chain_shift[h*TURN_TOKENS*5 +: TURN_TOKENS*5]));
                assign chain_offset[h*OFFSET_W +: OFFSET_W] = {OFFSET_W{1'b0}};
                assign there = {TURN_TOKENS*2*UNIT_BITS{1'b0}};
            end
            // The slice on this die. A die with sums only needs no slice: gen_sums drives its exponents and sets
            // `there` to 0, and nothing reads the factors that u_factors makes from `there`.
            if (!MULTIPLIES[h]) begin : gen_no_slice
            end else if (DIE_AWAY[h] && !EARLY_DIES[h]) begin : gen_away
                rill_x_copy #(.BEAT_BITS(BEAT_BITS), .TURN_TOKENS(TURN_TOKENS), .X_BITS(X_BITS), .ADDR_W(X_ADDR_W),
                    .PARTS(X_PARTS), .HOPS(HOPS)) u_x (
                    .clk(clk), .rst(resets[RESET_CHAIN]), .write(x_write), .read(x_read), .controls(slice_controls),
                    .slice(there), .shift(chain_shift[h*TURN_TOKENS*5 +: TURN_TOKENS*5]));
            end else begin : gen_home
                rill_hop #(.DATA_W(SLICE_W), .STAGES(STAGES)) u_slice (.clk(clk), .rst(1'b0), .d({slice_shift, slice}),
                    .q({chain_shift[h*TURN_TOKENS*5 +: TURN_TOKENS*5], there}));
            end
            if (LANE_COPIES == 1) begin : gen_mine
                rill_register_copies #(.DATA_W(CMD_W), .COPIES(1)) u_mine (
                    .clk(clk), .rst(resets[RESET_CHAIN]), .d(chain_cmd[h*CMD_W +: CMD_W]),
                    .q(chain_mine[h*CMD_W +: CMD_W]));
            end else begin : gen_no_mine
                assign chain_mine[h*CMD_W +: CMD_W] = {CMD_W{1'b0}};
            end
            rill_engine_factors #(.BEAT_BITS(BEAT_BITS), .TURN_TOKENS(TURN_TOKENS), .ASYM(ASYM), .X_BITS(X_BITS),
                .PUMP(PUMP), .FACTOR_W(FACTOR_W)) u_factors (
                .clk(clk), .slice(there), .factors(chain_factors[h*FACTORS_W +: FACTORS_W]));
        end
        // Each lane reads the vector of its copy directly. If it read a part of a wider vector, a simulator would
        // compute that part again for every lane.
        for (g = 0; g < X_COPIES; g = g + 1) begin : gen_copy
            localparam [3:0] DIE = COPY_DIE[4*g +: 4];
            wire [SHARES*X_W-1:0]      x;
            wire [SHARES*TURN_TOKENS*5-1:0] shift;
            // The offset and the sums. With unsigned weights they come one cycle early, because each group of lanes has
            // a register for them.
            wire [OFFSET_W-1:0] offset;
            if (SIGNED == 0) begin : gen_offset
                rill_register_copies #(.DATA_W(OFFSET_W), .COPIES(1)) u_offset (.clk(clk), .rst(1'b0),
                    .d(chain_offset[DIE*OFFSET_W +: OFFSET_W]), .q(offset));
            end else begin : gen_no_offset
                assign offset = chain_offset[DIE*OFFSET_W +: OFFSET_W];
            end
            wire unused_share = &{1'b0, x, shift, offset};     // the last copy may have few lanes; not all need offsets
            for (h = 0; h < SHARES; h = h + 1) begin : gen_share
                rill_x_spread #(.BEAT_BITS(BEAT_BITS), .TURN_TOKENS(TURN_TOKENS), .ASYM(ASYM), .X_BITS(X_BITS),
                    .PUMP(PUMP), .FACTOR_W(FACTOR_W), .PARTS(X_PARTS)) u_spread (
                    .clk(clk), .rst(chain_rst[DIE*RESETS+RESET_GROUP+g]), .now(chain_cmd[DIE*CMD_W+LANE_VALID]),
                    .factors(chain_factors[DIE*FACTORS_W +: FACTORS_W]),
                    .shift(chain_shift[DIE*TURN_TOKENS*5 +: TURN_TOKENS*5]), .x(x[h*X_W +: X_W]),
                    .shift_there(shift[h*TURN_TOKENS*5 +: TURN_TOKENS*5]));
            end
        end
    endgenerate

    // ---- cycle 4: the V tail, and the step's own keys (token t in lane t mod CHANNELS) ----
    // Lanes that can get one of the step's own keys
    localparam LOCAL_LANES = TOKENS < CHANNELS ? TOKENS : CHANNELS > 0 ? CHANNELS : 1;
    wire [LOCAL_LANES*BEAT_BITS-1:0] k_beats;
    localparam KEYS_AT = 3, K_LANES_W = 4;     // cycle of a command in which its keys are requested
    reg  [K_LANES_W*KEYS_AT-1:0]   k_lanes_q;  // for cycles 1 to KEYS_AT
    always @(posedge clk)
        k_lanes_q <= {k_lanes_q[K_LANES_W*(KEYS_AT-1)-1:0], cmd_k_lanes};
    generate
        if (HAS_KV != 0) begin : gen_kv
            reg head_done_q;
            always @(posedge clk)
                head_done_q <= !rst_home[RESET_KEYS] && head_done;
            rill_engine_keys #(.CHANNELS(CHANNELS), .BEAT_BITS(BEAT_BITS), .TOKENS(TOKENS), .K_UNITS(K_UNITS)) u_keys (
                .clk(clk), .rst(rst_home[RESET_KEYS]), .s_axis_klocal_tvalid(s_axis_klocal_tvalid),
                .s_axis_klocal_tready(s_axis_klocal_tready), .s_axis_klocal_tdata(s_axis_klocal_tdata),
                .s_axis_klocal_tuser(s_axis_klocal_tuser), .s_axis_klocal_tlast(s_axis_klocal_tlast), .pop(k_3),
                .k_lanes(k_lanes_q[K_LANES_W*(KEYS_AT-1) +: K_LANES_W]), .beats(k_beats), .arrived(k_pulse));
            assign v_pulse = head_done_q;
            assign tail_valid = cmd_tail;
            assign tail_addr = cmd_tail_addr;
        end else begin : gen_no_kv
            assign s_axis_klocal_tready = 1'b0;
            assign k_beats = {LOCAL_LANES*BEAT_BITS{1'b0}};
            assign k_pulse = 1'b0;
            assign v_pulse = 1'b0;
            assign tail_valid = 1'b0;
            assign tail_addr = 24'd0;
            wire unused_kv = &{1'b0, s_axis_klocal_tvalid, s_axis_klocal_tdata, s_axis_klocal_tuser,
                s_axis_klocal_tlast, tail_data,
                               head_done, cmd_tail, cmd_tail_addr, k_3, k_beats, k_lanes_q};
        end
    endgenerate

    // ---- lanes ----
    wire [CHANNELS-1:0]    arrived;
    wire [CHANNELS-1:0]    lane_valid;
    wire [CHANNELS*ACC_W-1:0] lane_acc;
    wire [CHANNELS*32-1:0] lane_scale;
    wire [CHANNELS*32-1:0] lane_bias;
    genvar c;
    generate
        for (c = 0; c < CHANNELS; c = c + 1) begin : gen_lane
            localparam FRONT = LANE_COPIES == 1 ? 0 : c;
            localparam [3:0] CHAIN = COPY_CHAIN[4*(c/FAN_OUT) +: 4];
            localparam CUT = EARLY[CHAIN[2:0]] ? 1 : 0; // the lane is cut after its multipliers
            localparam MY_X = X_OF_GROUP == 0 ? CUT : c / FAN_OUT;
            localparam SHARE = c % FAN_OUT * SHARES / FAN_OUT;
            localparam [3:0] DIE = COPY_DIE[4*MY_X +: 4];
            localparam [3:0] SUM_DIE = SUMS_DIE[4*(c/FAN_OUT) +: 4];
            wire                 lane_rst = chain_rst[DIE*RESETS+RESET_LANE+c];
            wire                 sum_rst = chain_rst[(CUT != 0 ? {28'd0, SUM_DIE} : {28'd0, DIE})*RESETS+RESET_LANE+c];
            wire [FRONT_W-1:0]   front = fronts[FRONT*FRONT_W +: FRONT_W];
            wire [CMD_W-1:0]     mine;
            wire [CMD_W-1:0]     sum_mine;
            wire [TURN_TOKENS*5-1:0] sum_shift;
            if (LANE_COPIES == 1) begin : gen_shared
                assign mine = chain_mine[DIE*CMD_W +: CMD_W];
            end else begin : gen_own
                rill_register_copies #(.DATA_W(CMD_W), .COPIES(1)) u_mine (.clk(clk), .rst(lane_rst),
                    .d(chain_cmd[DIE*CMD_W +: CMD_W]), .q(mine));
            end
            if (CUT == 0) begin : gen_whole
                assign {sum_mine, sum_shift} = {mine, gen_copy[MY_X].shift[SHARE*TURN_TOKENS*5 +: TURN_TOKENS*5]};
            end else if (X_OF_GROUP == 0) begin : gen_shared_sums
                assign {sum_mine, sum_shift} = {chain_mine[SUM_DIE*CMD_W +: CMD_W],
                    gen_copy[0].shift[0 +: TURN_TOKENS*5]};
            end else begin : gen_sums
                rill_register_copies #(.DATA_W(CMD_W), .COPIES(1)) u_mine (.clk(clk), .rst(sum_rst),
                    .d(chain_cmd[SUM_DIE*CMD_W +: CMD_W]), .q(sum_mine));
                rill_x_shift #(.TURN_TOKENS(TURN_TOKENS)) u_shift (.clk(clk), .now(sum_mine[LANE_VALID]),
                    .shift(chain_shift[SUM_DIE*TURN_TOKENS*5 +: TURN_TOKENS*5]), .q(sum_shift));
            end
            wire [BEAT_BITS-1:0] local_beat;
            if (HAS_KV == 0) begin : gen_local_none
                assign local_beat = {BEAT_BITS{1'b0}};
            end else if (c < LOCAL_LANES) begin : gen_local_key
                assign local_beat = front[FRONT_K] ? k_beats[c*BEAT_BITS +: BEAT_BITS]
                    : tail_data[c*BEAT_BITS +: BEAT_BITS];
            end else begin : gen_local_tail
                assign local_beat = tail_data[c*BEAT_BITS +: BEAT_BITS];
            end
            wire                     lane_asym = ASYM != 0 ? mine[LANE_ASYM] : 1'b0;
            wire [1:0]               lane_bank; // {bank of the result that leaves, bank of the row's accumulators}
            wire [TURN_TOKENS*SUMS_W-1:0] lane_sums;
            wire [ONE_W-1:0]         lane_offset;
            if (TURN_TOKENS > 2) begin : gen_bank
                assign lane_bank = sum_mine[LANE_BANK +: LANE_BANK_W];
            end else begin : gen_no_bank
                assign lane_bank = 2'd0;
            end
            if (SIGNED == 0) begin : gen_offset
                assign lane_offset = gen_copy[MY_X].offset[ONE_W-1:0];
            end else begin : gen_no_offset
                assign lane_offset = {ONE_W{1'b0}};
            end
            if (ASYM != 0) begin : gen_groups
                assign lane_sums = gen_copy[MY_X].offset[SUMS_AT +: TURN_TOKENS*SUMS_W];
            end else begin : gen_no_groups
                assign lane_sums = {TURN_TOKENS*SUMS_W{1'b0}};
            end
            rill_engine_lane #(.BEAT_BITS(BEAT_BITS), .TOKENS(TOKENS), .LANE_BEATS(LANE_BEATS),
                .SCALE_BEATS(SCALE_BEATS), .SCALE_W(SCALE_W), .SCALE_K(SCALE_K), .SCALE_V(SCALE_V),
                .TURN_TOKENS(TURN_TOKENS), .HOPS(CUT != 0 ? 0 : HOPS),
                .HALVES(HALVES != 0 && CHAIN_AWAY[CHAIN[2:0]] ? 1 : 0), .TERM_HOPS(CUT != 0 ? HOPS : 0),
                .PARAM_BITS(PARAM_BITS), .ASYM(ASYM), .X_BITS(X_BITS), .PUMP(PUMP), .ACC_W(ACC_W)) u_lane (
                .clk(clk), .clk_2x(clk_2x), .rst(lane_rst), .front_rst(rst_home[RESET_FRONT+c]), .sum_rst(sum_rst),
                .s_axis_beat_tvalid(s_axis_beat_tvalid[c]),
                .s_axis_beat_tready(s_axis_beat_tready[c]),
                .s_axis_beat_tdata(s_axis_beat_tdata[c*BEAT_BITS +: BEAT_BITS]), .arrived(arrived[c]),
                .pop(front[FRONT_POP]), .use_local(front[FRONT_LOCAL]), .local_beat(local_beat),
                .pop_multiply(front[FRONT_VALID]), .pop_int4(front[FRONT_INT4]), .valid(mine[LANE_VALID]),
                .sum_valid(sum_mine[LANE_VALID]), .sum_others(sum_mine[LANE_OTHERS +: OTHERS_W]), .sum_shift(sum_shift),
                .sum_params(sum_mine[LANE_PARAMS]), .sum_row(sum_mine[LANE_ROW +: LANE_ROW_W]),
                .sum_raw(sum_mine[LANE_RAW +: LANE_RAW_W]),
                .emit(sum_mine[LANE_OUT]), .params(mine[LANE_PARAMS]), .scales(mine[LANE_SCALES]),
                .int4(mine[LANE_INT4]), .asym(lane_asym), .first(sum_mine[LANE_FIRST]), .last(sum_mine[LANE_LAST]),
                .raw(mine[LANE_RAW +: LANE_RAW_W]), .tok(sum_mine[LANE_TOK +: TOK_W]),
                .row(mine[LANE_ROW +: LANE_ROW_W]), .scale(mine[LANE_SCALE +: SCALE_W]),
                .out_tok(sum_mine[LANE_OUT_TOK +: TOK_W]), .acc(sum_mine[LANE_ACC +: LANE_ACC_W]),
                .out_row(sum_mine[LANE_OUT_ROW +: LANE_OUT_ROW_W]), .other_toks(mine[LANE_OTHERS +: OTHERS_W]),
                .bank(lane_bank[0]), .out_bank(lane_bank[1]),
                .x(gen_copy[MY_X].x[SHARE*X_W +: X_W]),
                .shift(gen_copy[MY_X].shift[SHARE*TURN_TOKENS*5 +: TURN_TOKENS*5]),
                .offset(lane_offset), .sums(lane_sums),
                .out_valid(lane_valid[c]), .out_acc(lane_acc[c*ACC_W +: ACC_W]), .out_row_scale(lane_scale[c*32 +: 32]),
                .out_bias(lane_bias[c*32 +: 32]));
            wire unused_lane = &{1'b0, front[FRONT_K], mine, sum_mine};
        end
    endgenerate
    rill_engine_arrivals #(.CHANNELS(CHANNELS), .AHEAD(LANE_BEATS)) u_arrivals (
        .clk(clk), .rst(rst_home[RESET_ARRIVALS]), .arrived(arrived), .all_arrived(beat_pulse));

    wire [LANE_GROUPS-1:0] group_rst;
    generate
        for (g = 0; g < LANE_GROUPS; g = g + 1) begin : gen_group_rst
            localparam [3:0] DIE = SUMS_DIE[4*g +: 4];
            assign group_rst[g] = chain_rst[DIE*RESETS+RESET_GROUP+g];
        end
    endgenerate
    rill_engine_results #(.CHANNELS(CHANNELS), .TOKENS(TOKENS), .ACC_W(ACC_W), .SIDE_AT(LANE_LATENCY), .HOPS(HOPS),
        .RESULT_HOPS(RESULT_HOPS), .PULSE_HOPS(PULSE_HOPS), .OUT_FIFO(OUT_FIFO)) u_results (
        .clk(clk), .rst(rst_home[RESET_RESULTS]), .lane_rst(group_rst),
        .side({cmd_y_last, cmd_tok_last, cmd_out_tok, cmd_count}), .valid(lane_valid),
        .acc(lane_acc), .scale(lane_scale), .bias(lane_bias), .m_axis_y_tvalid(m_axis_y_tvalid),
        .m_axis_y_tready(m_axis_y_tready), .m_axis_y_tdata({m_axis_y_tlast, m_axis_y_tuser, m_axis_y_tcount,
        m_axis_y_tdata}), .y_taken(y_pulse), .fault(fault));

    wire unused = &{1'b0, cmd_tok, valid_3, chain_cmd, chain_mine, chain_shift, COPY_CHAIN, SUMS_CHAIN, x_write,
        x_read, slice_shift, slice, chain_offset};
endmodule

`default_nettype wire
