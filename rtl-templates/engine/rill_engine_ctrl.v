// SPDX-License-Identifier: Apache-2.0
// Sequencer of the matrix engine: turns schedule entries (docs/engine.md) into one command per cycle for all lanes in
// lockstep. Once a command has left, nothing can stall it. The header of rill_engine defines firing, row-step, chunk
// and turn.
//
// In: s_axis_entry {layer[15:0], step[63:0], entry[95:0]} from rill_schedule. Each entry is one firing, and is prepared
// while earlier firings run.
// A command goes out when everything that it needs has arrived, and when there is room for its results. The inputs are
// pulses. rill_engine_counts counts the arrivals, and rill_engine_outgoing the words of y_pulse:
//     beat_pulse  a beat in every lane
//     k_pulse     a unit of local keys (the step's own)
//     x_pulse     an operand is in the buffer
//     part_pulse  a unit of every token of the operand that is being filled
//     v_pulse     a head is in the V tail
//     y_pulse     an output word has left the output FIFO
// Out: cmd_*, registered, valid in the cycle after the decision:
//     cmd_pop     a memory beat is taken from every lane
//     cmd_k       local keys are taken, a unit in each of the first cmd_k_lanes lanes
//     cmd_params  the beat holds row parameters
//     cmd_scales  the beat holds group scales; cmd_scale / (BEAT_BITS / 8) is the beat's number among the chunk's beats
//                 with group scales
//     cmd_valid   multiply the beat that is taken now or, for later tokens of a beat, was taken last. With cmd_valid:
//     cmd_int4    weights of 4 bits
//     cmd_asym    int4_asym weights, whose group words for this beat begin at byte cmd_scale
//     cmd_raw     0 weights, whose rows have row parameters; 1 keys, 2 values, which have none
//     cmd_tail    the beat comes from the V tail, at cmd_tail_addr ({layer[9:0], row[12:0], unit}; layer is n_layer of
//                 rill_engine_entries)
//     cmd_local   the beat is taken from the V tail or from the local keys now
//     cmd_first, cmd_last  first, last beat of a row-step
//     cmd_tok     token, or with TURN_TOKENS 2, 4 turn
//     cmd_unit_pair  number of the pair of operand units for this beat; int4 weights use both units
//     cmd_half    int8 weights, keys and values: the one unit of that pair that the beat uses, 0 or 1
//     cmd_acc     row of accumulators
//     cmd_others  TURN_TOKENS 2, 4: bit i: token i + 1 of the turn is valid (token 0 always is)
//     cmd_bank    TURN_TOKENS 4: bank of accumulators; every row-step (with K outermost, chunk) uses the other one
//     cmd_out     the result of token cmd_out_tok leaves. The first result of a row-step leaves as its sum is made, the
//                 others are read from row cmd_out_row of the accumulators, in bank cmd_out_bank
//     cmd_row     row in the chunk of parameters
//     cmd_scale   index of the row's group scale in the chunk
//     cmd_free    the operand is released: its bank of the buffer may take another operand
//     cmd_count, cmd_tok_last, cmd_y_last  attributes of the output word, with cmd_out
// TURN_TOKENS 1: cmd_tok is a token, and cmd_out comes with its last beat. TURN_TOKENS 2, 4: a beat serves TURN_TOKENS
// tokens at a time. cmd_tok is the turn, whose first token is TURN_TOKENS * turn. The results of a row-step leave one
// per cycle, in the order of tokens, from turn 0 of the last beat on. With TURN_TOKENS 4, the next row-step begins
// before all results of this row-step have left, so the next one uses the other bank of accumulators.
// K outermost (field OUTER of an entry, modes 0 and 1): the first chunk goes column by column: beat 0 of all its
// row-steps, then beat 1 of them, and so on. Each column except the last needs only the units of the operand up to its
// own, so the firing begins before its operand is complete. part_pulse counts these units. The sequencer sees their
// arrival one cycle later than that of a whole operand (x_pulse).
// Results leave only if the output FIFO has room for them. TURN_TOKENS 1: the command needs room for its one result.
// TURN_TOKENS 2, 4: turn 0 of the last beat waits until all results of the previous row-step have left and there is
// room for all results of this one.
// Throughput: one command per cycle, also from firing to firing. Cycles of a firing that never waits: header beats +
// row-steps * beats * turns, with turns = ceil(tokens / TURN_TOKENS), but at least one cycle per token for each
// row-step.
// Latency from an entry to its first command: 3 cycles.
// busy: a command went out. stall_beat: a firing waits for a beat (memory, local keys or V tail). stall_x: it has its
// beat and waits for its operand. stall_out: it has both and waits for room for its results. At most one of the four is
// high. Each comes one cycle after the state that it reports.
// Reset: clk, synchronous active-high rst; a running firing is discarded.
//
// name         meaning                                                           unit      range
// CHANNELS     memory channels; each has a lane                                  channels  1 to 32
// BEAT_BITS    width of a beat                                                   bits      256, 512
// TOKENS       tokens per step, upper bound                                      tokens    1, 2, 4, 8
// GROUP        elements per group scale; a multiple of a beat's int4 weights     elements  1 or more
// X_UNITS      units of an operand, per token, even                              units     2 or more
// SCALE_W      width of cmd_scale; more bits than the place of a byte in a beat  bits      6 or more
// LANE_BEATS   capacity of a lane                                                beats     1 or more
// K_UNITS      capacity for local keys                                           units     1 or more
// OUT_WORDS    capacity for output words; with TURN_TOKENS 2, 4 at least TOKENS  words     1 or more
// TURN_TOKENS  tokens per command, at most TOKENS                                tokens    1, 2, 4
// ASYM         1: there are int4_asym weights                                    -         0, 1
// SLOT_LAYERS  layers of a slot in the V tail; 0: one slot                       layers    0 to 1024
// TOK_W        width of a token's number                                         bits      derived
// UNIT_PAIR_W  width of the number of a pair of units                            bits      derived
// COUNT_W      width of a count of lanes                                         bits      derived
// OTHERS_W     width of cmd_others                                               bits      derived
`default_nettype none

module rill_engine_ctrl #(
    parameter CHANNELS = 0,
    parameter BEAT_BITS = 0,
    parameter TOKENS = 0,
    parameter GROUP = 0,
    parameter X_UNITS = 0,
    parameter SCALE_W = 0,
    parameter LANE_BEATS = 0,
    parameter K_UNITS = 0,
    parameter OUT_WORDS = 0,
    parameter TURN_TOKENS = 1,
    parameter ASYM = 0,
    parameter SLOT_LAYERS = 0,
    parameter TOK_W = TOKENS > 1 ? $clog2(TOKENS) : 1,
    parameter UNIT_PAIR_W = X_UNITS > 2 ? $clog2(X_UNITS / 2) : 1,
    parameter COUNT_W = $clog2(CHANNELS + 1),
    parameter OTHERS_W = TURN_TOKENS > 2 ? TURN_TOKENS - 1 : 1
) (
    input  wire               clk,
    input  wire               rst,

    input  wire               s_axis_entry_tvalid,
    output wire               s_axis_entry_tready,
    input  wire [175:0]       s_axis_entry_tdata,

    input  wire               beat_pulse,
    input  wire               k_pulse,
    input  wire               x_pulse,
    input  wire               part_pulse,
    input  wire               v_pulse,
    input  wire               y_pulse,

    output reg                cmd_pop,
    output reg                cmd_k,
    output reg  [3:0]         cmd_k_lanes,
    output reg                cmd_params,
    output reg                cmd_scales,
    output reg                cmd_valid,
    output reg                cmd_int4,
    output reg                cmd_asym,
    output reg  [1:0]         cmd_raw,
    output reg                cmd_tail,
    output reg  [23:0]        cmd_tail_addr,
    output reg                cmd_local,
    output reg                cmd_first,
    output reg                cmd_last,
    output reg  [TOK_W-1:0]   cmd_tok,
    output reg  [2:0]         cmd_acc,
    output reg                cmd_bank,
    output reg  [OTHERS_W-1:0] cmd_others,
    output reg  [UNIT_PAIR_W-1:0] cmd_unit_pair,
    output reg                cmd_half,
    output reg  [2:0]         cmd_row,
    output reg  [SCALE_W-1:0] cmd_scale,
    output reg                cmd_free,
    output wire               cmd_out,
    output wire [TOK_W-1:0]   cmd_out_tok,
    output wire [2:0]         cmd_out_row,
    output wire               cmd_out_bank,
    output wire [COUNT_W-1:0] cmd_count,
    output wire               cmd_tok_last,
    output wire               cmd_y_last,

    output reg                busy,
    output reg                stall_beat,
    output reg                stall_x,
    output reg                stall_out
);
    localparam XS = BEAT_BITS / 8;
    localparam BLOCK_BEATS = BEAT_BITS == 512 ? 1 : 2;     // beats per block of 64 positions
    localparam CHUNK_ROWS = BEAT_BITS == 512 ? 8 : 4;
    localparam GROUP_BEATS = BEAT_BITS > 0 && GROUP > 0 ? GROUP / (2 * XS) : 1;
    localparam UNIT_W = UNIT_PAIR_W + 1;
    localparam BYTE_W = BEAT_BITS == 512 ? 6 : 5;          // bits of a byte's place in a beat
    localparam [31:0] CHUNK_END = CHUNK_ROWS - 1;
    localparam HEADER_W = ASYM != 0 ? 9 : 6;               // width of the count of header beats
    localparam [31:0] GROUP_END = GROUP_BEATS - 1;
    localparam [31:0] ALL_LANES = CHANNELS;
    localparam [31:0] BEAT_BYTES = XS;
    localparam [31:0] TWO = 2;
    // Lanes of a row-step with the step's own keys
    localparam [31:0] KEY_LANES = CHANNELS < 8 && CHANNELS > 0 ? CHANNELS : 8;
    localparam MEMORY = 2'd0, KEYS = 2'd1, TAIL = 2'd2;
    `include "rill_fields.vh"

    generate
        if (CHANNELS < 1 || CHANNELS > 32) begin : gen_bad_channels
            rill_error_CHANNELS_must_be_1_to_32 u_error ();
        end
        if (BEAT_BITS != 256 && BEAT_BITS != 512) begin : gen_bad_beat
            rill_error_BEAT_BITS_must_be_256_or_512 u_error ();
        end
        if (TOKENS != 1 && TOKENS != 2 && TOKENS != 4 && TOKENS != 8) begin : gen_bad_tokens
            rill_error_TOKENS_must_be_1_2_4_or_8 u_error ();
        end
        if (X_UNITS < 2 || X_UNITS % 2 != 0) begin : gen_bad_units
            rill_error_X_UNITS_must_be_even_and_at_least_2 u_error ();
        end
        if (GROUP < 1 || GROUP % (BEAT_BITS / 4) != 0) begin : gen_bad_group
            rill_error_GROUP_must_be_a_multiple_of_the_int4_weights_of_a_beat u_error ();
        end
        if (SCALE_W <= BYTE_W) begin : gen_bad_scale
            rill_error_SCALE_W_must_exceed_the_bits_of_a_byte_place u_error ();
        end
        if (LANE_BEATS < 1 || K_UNITS < 1 || OUT_WORDS < 1) begin : gen_bad_room
            rill_error_LANE_BEATS_K_UNITS_OUT_WORDS_must_be_at_least_1 u_error ();
        end
        if (TURN_TOKENS != 1 && TURN_TOKENS != 2 && TURN_TOKENS != 4) begin : gen_bad_turn
            rill_error_TURN_TOKENS_must_be_1_2_or_4 u_error ();
        end
        if (TURN_TOKENS > 1 && (TOKENS < TURN_TOKENS || OUT_WORDS < TOKENS)) begin : gen_bad_pairs
            rill_error_TOKENS_must_be_TURN_TOKENS_to_OUT_WORDS u_error ();
        end
    endgenerate

    // ---- the next firing ----
    wire        n_valid, n_one_turn, n_one_row, n_one_beat, n_from_memory, n_outer, n_free, n_keep;
    wire [1:0]  n_mode;
    wire        n_weights = n_mode == ENGINE_MODE_INT8 || n_mode == ENGINE_MODE_INT4;
    wire [2:0]  n_tok_end, n_outer_end;
    wire [OTHERS_W-1:0] n_others_end;
    wire [16:0] n_rows_end, n_beats_end, n_memory;
    wire [5:0]  n_last_count;
    wire [8:0]  n_scale_beats;
    wire [3:0]  n_key_last;
    wire [9:0]  n_groups;
    wire        n_asym;
    wire [12:0] n_tail_row;
    wire [9:0]  n_layer;
    wire        load;
    rill_engine_entries #(.CHANNELS(CHANNELS), .BEAT_BITS(BEAT_BITS), .TURN_TOKENS(TURN_TOKENS),
        .ASYM(ASYM), .SLOT_LAYERS(SLOT_LAYERS)) u_entries (
        .clk(clk), .rst(rst), .s_axis_entry_tvalid(s_axis_entry_tvalid), .s_axis_entry_tready(s_axis_entry_tready),
        .s_axis_entry_tdata(s_axis_entry_tdata), .take(load), .n_valid(n_valid), .n_mode(n_mode), .n_tok_end(n_tok_end),
        .n_one_turn(n_one_turn), .n_others_end(n_others_end), .n_rows_end(n_rows_end), .n_one_row(n_one_row),
        .n_beats_end(n_beats_end), .n_one_beat(n_one_beat), .n_memory(n_memory), .n_from_memory(n_from_memory),
        .n_last_count(n_last_count), .n_key_last(n_key_last), .n_scale_beats(n_scale_beats), .n_asym(n_asym),
        .n_groups(n_groups), .n_outer(n_outer),
        .n_outer_end(n_outer_end), .n_free(n_free), .n_keep(n_keep), .n_tail_row(n_tail_row), .n_layer(n_layer));

    // ---- the running firing: copies of n_* (rill_engine_entries explains each of them), then its state ----
    reg         active_q;
    reg  [1:0]  mode_q;
    wire        weights = mode_q == ENGINE_MODE_INT8 || mode_q == ENGINE_MODE_INT4;
    reg  [2:0]  tok_end_q;                   // last token
    reg  [OTHERS_W-1:0] others_end_q;
    reg  [16:0] beats_end_q;
    reg         one_beat_q;
    reg  [16:0] memory_q;
    reg         from_memory_q;
    reg  [5:0]  last_count_q;
    reg  [3:0]  key_last_q;
    reg  [HEADER_W-1:0] scale_beats_q;
    reg  [9:0]  groups_q;
    reg         asym_q;
    reg         outer_q;                     // the first chunk is running, and it goes column by column
    reg  [2:0]  outer_end_q;
    reg         free_q;
    reg         keep_q;
    reg  [9:0]  layer_q;

    reg         header_q;                    // a header beat comes next
    reg         data_q;                      // no header beat comes next: second register of !header_q
    reg         params_q;                    // the next header beat has the row parameters
    reg  [HEADER_W-1:0] header_left_q;       // header beats after the next one
    reg  [2:0]  tok_q;                       // token of the next command, or turn
    reg         first_q;                     // the next beat is the first one of its row-step
    reg  [16:0] beats_left_q;                // beats of this row-step after the next one
    reg         row_end_q;                   // beats_left_q == 0
    reg  [16:0] rows_left_q;                 // row-steps after this one
    reg         rows_end_q;                  // rows_left_q == 0
    reg         ending_q;                    // active_q && data_q && row_end_q && rows_end_q
    reg  [1:0]  source_q;                    // where the next beat comes from: MEMORY, KEYS or TAIL
    // Keys: row-steps from memory, including this one. Values: memory beats of this row-step, including this one.
    reg  [16:0] memory_left_q;
    reg  [UNIT_W-1:0]  unit_q;               // first unit of the operand for the next beat
    reg  [UNIT_W:0]    need_q;               // units of the operand that this column needs
    reg  [UNIT_W:0]    need_next_q;          // units that the next column needs
    reg  [SCALE_W-1:0] base_q;               // index of the present column's group scale in the first row
    reg  [2:0]         chunk_row_q;          // row-step within the chunk
    reg  [SCALE_W-1:0] scale_q;              // cmd_scale of the next command
    reg  [7:0]         group_beat_q;         // number of the next beat within the group that shares a scale
    reg  [12:0]        tail_row_q;           // row of the V tail

    wire        beat_has, k_has, x_has, v_has;   // an input has arrived and is not used yet
    reg         part_has_q;                  // the operand is not complete, but the units of this column have arrived
    wire        room;  // the output FIFO has room for a result; TURN_TOKENS 2, 4: see rill_engine_outgoing

    reg         tok_first_q;                   // tok_q is 0
    reg         tok_last_q;                    // tok_q is turn_end
    wire [2:0]  turn_end = TURN_TOKENS == 4 ? {2'd0, tok_end_q[2]} : TURN_TOKENS == 2 ? {1'b0,
        tok_end_q[2:1]} : tok_end_q;
    wire [2:0]  tok_next = tok_q + 3'd1;
    // Inputs that the next command needs, computed one cycle ahead.
    reg         need_beat_q;                 // a memory beat: for a header, or for the first turn of a beat
    reg         need_k_q;                    // local keys, at the first turn
    reg         need_v_q;                    // the V tail, at every turn
    // Room for results in the output FIFO (`room`), with TURN_TOKENS 2, 4 only at the first turn.
    reg         need_y_q;
    wire        no_beat = (need_beat_q && !beat_has) || (need_k_q && !k_has) || (need_v_q && !v_has);
    wire        no_x = data_q && !x_has && !part_has_q;
    wire        no_y = need_y_q && !room;
    wire        all_there = !no_beat && !no_x && !no_y;
    // go: a command goes out. advance: it is the last command for its beat, or a header. finish: it is the last one of
    // the firing.
    wire        go = active_q && all_there;
    wire        advance = go && (!data_q || tok_last_q);
    wire        finish = ending_q && tok_last_q && all_there;
    // K outermost: next_row goes to the next row of the column, next_column to the first row of the next column.
    wire        column_end = chunk_row_q == outer_end_q;
    wire        next_row = advance && !header_q && outer_q && !column_end;
    wire        next_column = advance && !header_q && outer_q && column_end && !row_end_q;
    wire [UNIT_W-1:0] per_beat = mode_q == ENGINE_MODE_INT4 ? TWO[UNIT_W-1:0] : {{(UNIT_W-1){1'b0}}, 1'b1};
    wire [UNIT_W:0]   n_per_beat = n_mode == ENGINE_MODE_INT4 ? TWO[UNIT_W:0] : {{UNIT_W{1'b0}}, 1'b1};
    assign load = n_valid && (!active_q || finish);
    // renew selects: the registers below take the next firing instead of the next command of this one. It is known
    // early in the cycle. renew_now enables the registers and is known late. renew && renew_now is !active_q || finish.
    // So while no firing runs, the registers load in every cycle, also if n_valid is 0 (active_q then stays 0). load is
    // 1 only if a firing is really taken.
    wire        renew = !active_q || (ending_q && tok_last_q);
    wire        renew_now = !active_q || all_there;

    // After a header beat, or with K outermost before the end of a column, the next data beat has the same place in its
    // row as now, so beats_left_q and what follows from it do not change.
    wire        same_beat = header_q || (outer_q && !column_end);
    // Source of the next beat.
    wire        memory_one = memory_left_q[16:1] == 16'd0;     // this memory beat is the last one, or there was none
    wire        next_row_memory = mode_q == ENGINE_MODE_SCORES ? !memory_one : from_memory_q;
    wire [1:0]  next_row_source = next_row_memory ? MEMORY : mode_q == ENGINE_MODE_SCORES ? KEYS : TAIL;
    wire [1:0]  next_beat_source = mode_q == ENGINE_MODE_VALUES && memory_one ? TAIL : source_q;
    wire [1:0]  next_source = row_end_q && !same_beat ? next_row_source : next_beat_source;
    wire [1:0]  first_source = n_from_memory ? MEMORY : n_mode == ENGINE_MODE_SCORES ? KEYS : TAIL;

    // next_row_end, next_rows_end: the next beat is the last one of its row-step; it belongs to the last row-step.
    wire        chunk_end = chunk_row_q == CHUNK_END[2:0];
    wire        next_row_end = same_beat ? row_end_q : row_end_q ? one_beat_q : beats_left_q == 17'd1;
    // The next command multiplies: after a header if no header beat is left, otherwise unless a chunk of weights ends.
    wire        next_data = header_q ? header_left_q == {HEADER_W{1'b0}} : same_beat || !row_end_q || !weights
        || !chunk_end;
    wire        next_rows_end = !header_q && row_end_q ? (same_beat && rows_end_q) || rows_left_q == 17'd1 : rows_end_q;
    // Each int4_asym beat uses CHUNK_ROWS = 2^WORDS_W bytes of group words.
    localparam WORDS_W = BEAT_BITS == 512 ? 3 : 2;
    wire [SCALE_W+10:0] groups_all = asym_q ? {{(SCALE_W+1){1'b0}}, groups_q} << WORDS_W
        : {{(SCALE_W+1){1'b0}}, groups_q};
    wire [SCALE_W-1:0] groups_wide = groups_all[SCALE_W-1:0];
    wire        group_end = GROUP_BEATS == 1 || row_end_q || group_beat_q == GROUP_END[7:0];

    wire [SCALE_W+3:0] group_all = asym_q ? {{(SCALE_W+3){1'b0}}, 1'b1} << WORDS_W : {{(SCALE_W+3){1'b0}}, group_end};
    wire [SCALE_W-1:0] group_wide = group_all[SCALE_W-1:0];
    wire [SCALE_W-1:0] base_d = base_q + group_wide;

    always @(posedge clk) begin
        if (rst) begin
            active_q <= 1'b0;
            ending_q <= 1'b0;
        end else if (renew) begin
            if (renew_now) begin
                active_q <= n_valid;
                ending_q <= n_valid && !n_weights && n_one_beat && n_one_row;
            end
        end else if (advance)
            ending_q <= next_data && next_row_end && next_rows_end;
        if (renew) begin
            if (renew_now) begin
                need_beat_q <= first_source == MEMORY;
                need_k_q <= first_source == KEYS;
                need_v_q <= first_source == TAIL;
                need_y_q <= !n_weights && n_one_beat;
            end
        end else if (advance) begin
            need_beat_q <= next_source == MEMORY;
            need_k_q <= next_source == KEYS;
            need_v_q <= next_source == TAIL;
            need_y_q <= next_data && next_row_end;
        end else if (go) begin
            need_beat_q <= 1'b0;
            need_k_q <= 1'b0;
            need_y_q <= TURN_TOKENS == 1 && need_y_q;
        end

        if (renew) begin
            if (renew_now) begin
                mode_q <= n_mode;
                tok_end_q <= n_tok_end;
                others_end_q <= n_others_end;
                beats_end_q <= n_beats_end;
                one_beat_q <= n_one_beat;
                memory_q <= n_memory;
                from_memory_q <= n_from_memory;
                last_count_q <= n_last_count;
                key_last_q <= n_key_last;
                scale_beats_q <= n_scale_beats[HEADER_W-1:0];
                groups_q <= n_groups;
                asym_q <= n_asym;
                outer_q <= n_outer;
                outer_end_q <= n_outer_end;
                need_q <= n_per_beat;
                need_next_q <= n_per_beat << 1;
                base_q <= {SCALE_W{1'b0}};
                free_q <= n_free;
                keep_q <= n_keep;
                layer_q <= n_layer;
                header_q <= n_weights;
                data_q <= !n_weights;
                params_q <= 1'b1;
                header_left_q <= n_scale_beats[HEADER_W-1:0];
                tok_q <= 3'd0;
                first_q <= 1'b1;
                beats_left_q <= n_beats_end;
                row_end_q <= n_one_beat;
                rows_left_q <= n_rows_end;
                rows_end_q <= n_one_row;
                source_q <= first_source;
                memory_left_q <= n_memory;
                unit_q <= {UNIT_W{1'b0}};
                chunk_row_q <= 3'd0;
                scale_q <= {SCALE_W{1'b0}};
                group_beat_q <= 8'd0;
                tail_row_q <= n_tail_row;
            end
        end else if (advance && header_q) begin
            params_q <= 1'b0;
            header_left_q <= header_left_q - {{(HEADER_W-1){1'b0}}, 1'b1};
            header_q <= header_left_q != {HEADER_W{1'b0}};
            data_q <= header_left_q == {HEADER_W{1'b0}};
            scale_q <= params_q || header_left_q == {HEADER_W{1'b0}} ? {SCALE_W{1'b0}} : scale_q
                + BEAT_BYTES[SCALE_W-1:0];
        end else if (next_row) begin
            tok_q <= 3'd0;
            chunk_row_q <= chunk_row_q + 3'd1;
            scale_q <= scale_q + groups_wide;
            rows_left_q <= rows_left_q - {16'd0, row_end_q};
            rows_end_q <= rows_end_q || (row_end_q && rows_left_q == 17'd1);
        end else if (next_column) begin
            tok_q <= 3'd0;
            first_q <= 1'b0;
            chunk_row_q <= 3'd0;
            beats_left_q <= beats_left_q - 17'd1;
            row_end_q <= beats_left_q == 17'd1;
            unit_q <= unit_q + per_beat;
            need_q <= need_next_q;
            need_next_q <= need_next_q + {1'b0, per_beat};
            scale_q <= base_d;
            base_q <= base_d;
            group_beat_q <= group_end ? 8'd0 : group_beat_q + 8'd1;
        end else if (advance && row_end_q) begin
            outer_q <= 1'b0;
            tok_q <= 3'd0;
            first_q <= 1'b1;
            beats_left_q <= beats_end_q;
            row_end_q <= one_beat_q;
            rows_left_q <= rows_left_q - 17'd1;
            rows_end_q <= rows_left_q == 17'd1;
            source_q <= next_row_source;
            memory_left_q <= mode_q == ENGINE_MODE_VALUES ? memory_q : memory_left_q - {16'd0, source_q == MEMORY};
            unit_q <= {UNIT_W{1'b0}};
            chunk_row_q <= chunk_end ? 3'd0 : chunk_row_q + 3'd1;
            header_q <= weights && chunk_end;
            data_q <= !weights || !chunk_end;
            params_q <= 1'b1;
            header_left_q <= scale_beats_q;
            scale_q <= chunk_end ? {SCALE_W{1'b0}} : scale_q + group_wide;
            group_beat_q <= 8'd0;
            tail_row_q <= tail_row_q + 13'd1;
        end else if (advance) begin
            tok_q <= 3'd0;
            first_q <= 1'b0;
            beats_left_q <= beats_left_q - 17'd1;
            row_end_q <= beats_left_q == 17'd1;
            source_q <= next_beat_source;
            memory_left_q <= memory_left_q - {16'd0, mode_q == ENGINE_MODE_VALUES && source_q == MEMORY};
            unit_q <= unit_q + per_beat;
            scale_q <= scale_q + group_wide;
            group_beat_q <= group_end ? 8'd0 : group_beat_q + 8'd1;
        end else if (go)
            tok_q <= tok_next;

        if (renew ? renew_now : advance) begin
            tok_first_q <= 1'b1;
            tok_last_q <= renew ? n_one_turn : turn_end == 3'd0;
        end else if (go) begin
            tok_first_q <= 1'b0;
            tok_last_q <= tok_next == turn_end;
        end
    end

    // ---- inputs that have arrived ----
    wire [UNIT_W:0] unit_count;                   // units of the operand that is being filled
    wire            take_x = finish && free_q;
    rill_engine_counts #(.LANE_BEATS(LANE_BEATS), .K_UNITS(K_UNITS), .UNITS_W(UNIT_W+1)) u_counts (
        .clk(clk), .rst(rst), .beat_pulse(beat_pulse), .k_pulse(k_pulse), .x_pulse(x_pulse), .v_pulse(v_pulse),
        .part_pulse(part_pulse), .take_beat(go && need_beat_q), .take_k(go && need_k_q), .take_x(take_x),
        .take_v(finish && mode_q == ENGINE_MODE_VALUES && !keep_q), .beat_has(beat_has), .k_has(k_has), .x_has(x_has),
        .v_has(v_has), .unit_count(unit_count));

    // The arrival of a column's units is checked while the previous column runs.
    always @(posedge clk)
        if (rst) part_has_q <= 1'b0;
        else if (load) part_has_q <= n_outer && unit_count >= n_per_beat;
        else if (next_column) part_has_q <= unit_count >= need_next_q && beats_left_q != 17'd1;
        else part_has_q <= outer_q && !row_end_q && unit_count >= need_q;

    // ---- results, and the bank of accumulators for this row-step (with K outermost, for this chunk) ----
    // Lanes with a key: fewer in the last row-step.
    wire [3:0]  key_count = rows_end_q ? key_last_q : KEY_LANES[3:0];
    // Lanes with a result: for the step's own keys, the lanes that have a key; in the last row-step from memory,
    // last_count_q lanes; otherwise all lanes.
    wire [5:0]  row_count = source_q == KEYS ? {2'd0, key_count}
                          : (mode_q == ENGINE_MODE_SCORES ? memory_one : rows_end_q) ? last_count_q : ALL_LANES[5:0];
    wire [2:0]  acc_row = outer_q ? chunk_row_q : 3'd0;
    wire        bank;
    rill_engine_outgoing #(.TOKENS(TOKENS), .COUNT_W(COUNT_W), .OUT_WORDS(OUT_WORDS),
        .TURN_TOKENS(TURN_TOKENS)) u_outgoing (
        .clk(clk), .rst(rst), .y_pulse(y_pulse), .leave(go && data_q && row_end_q && (TURN_TOKENS == 1 || tok_first_q)),
        .row_done(advance && row_end_q && !same_beat), .tok(tok_q[TOK_W-1:0]), .tok_last(tok_last_q),
        .tok_end(tok_end_q), .rows_end(rows_end_q), .out_row(acc_row), .lanes(row_count[COUNT_W-1:0]), .bank(bank),
        .room(room), .cmd_out(cmd_out), .cmd_out_tok(cmd_out_tok), .cmd_out_row(cmd_out_row),
        .cmd_out_bank(cmd_out_bank), .cmd_count(cmd_count), .cmd_tok_last(cmd_tok_last), .cmd_y_last(cmd_y_last));

    // ---- the command ----
    always @(posedge clk) begin
        cmd_pop <= go && need_beat_q && !rst;
        cmd_k <= go && need_k_q && !rst;
        cmd_k_lanes <= key_count;
        cmd_params <= go && header_q && params_q && !rst;
        cmd_scales <= go && header_q && !params_q && !rst;
        cmd_valid <= go && !header_q && !rst;
        cmd_tail <= go && need_v_q && tok_first_q && !rst;
        cmd_free <= take_x && !rst;
        cmd_int4 <= mode_q == ENGINE_MODE_INT4;
        cmd_asym <= ASYM != 0 && mode_q == ENGINE_MODE_INT4 && asym_q;
        cmd_raw <= {mode_q == ENGINE_MODE_VALUES, mode_q == ENGINE_MODE_SCORES};
        cmd_tail_addr[VTAIL_LAYER +: VTAIL_LAYER_W] <= layer_q;
        cmd_tail_addr[VTAIL_ROW +: VTAIL_ROW_W] <= tail_row_q;
        cmd_tail_addr[VTAIL_UNIT +: VTAIL_UNIT_W] <= BLOCK_BEATS == 2 && !beats_left_q[0];
        cmd_local <= go && !header_q && source_q != MEMORY && tok_first_q;
        cmd_first <= first_q;
        cmd_last <= row_end_q;
        cmd_tok <= tok_q[TOK_W-1:0];
        cmd_acc <= acc_row;
        cmd_others <= TURN_TOKENS == 1 ? {OTHERS_W{1'b0}} : {OTHERS_W{!tok_last_q}} | others_end_q;
        cmd_bank <= bank;
        cmd_unit_pair <= unit_q[UNIT_W-1:1];
        cmd_half <= unit_q[0];
        cmd_row <= chunk_row_q;
        cmd_scale <= scale_q;
        busy <= go && !rst;
        stall_beat <= active_q && no_beat && !rst;
        stall_x <= active_q && !no_beat && no_x && !rst;
        stall_out <= active_q && !no_beat && !no_x && no_y && !rst;
    end

    wire unused = &{1'b0, n_scale_beats, groups_all, group_all, row_count, tok_end_q, KEY_LANES, tok_q, CHUNK_END,
        GROUP_END, ALL_LANES, BEAT_BYTES, TWO};
endmodule

`default_nettype wire
