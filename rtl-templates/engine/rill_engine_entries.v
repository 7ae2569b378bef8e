// SPDX-License-Identifier: Apache-2.0
// Decodes schedule entries for the sequencer of the matrix engine (rill_engine_ctrl). Computes what a firing needs from
// its entry and step, in two cycles, while earlier firings run.
//
// In: s_axis_entry {layer[15:0], step[63:0], entry[95:0]} from rill_schedule. Out: n_*, the values of the next firing,
// valid while n_valid. `take`, which may come only while n_valid is 1, moves on to the firing after the next one.
// Latency: 2 cycles; throughput: one entry per cycle. One entry can be in computation while the results of two others
// wait, each in its own registers. So `take` moves no data, and s_axis_entry_tready does not depend on it.
//     n_mode         0 int8 weights, 1 int4 weights, 2 keys, 3 values
//     n_tok_end      index of the last token; in a step of one token with field `heads`, index of the last query head
//                    or row, because these take the places of tokens
//     n_others_end   TURN_TOKENS 2, 4: bit i: token i + 1 of the last turn is valid
//     n_one_turn     there is only one turn
//     n_rows_end     row-steps - 1
//     n_one_row      there is only one row-step
//     n_beats_end    beats per row-step - 1
//     n_one_beat     there is only one beat per row-step
//     n_memory       keys: row-steps from memory; values: beats from memory per row-step
//     n_from_memory  the first beat comes from memory (weights: all beats do)
//     n_last_count   results of the last row-step (keys: of the last one from memory)
//     n_key_last     keys: keys of the last row-step
//     n_scale_beats  header beats per chunk with group scales (int4_asym: with group words)
//     n_groups       group scales per row (int4_asym: group words)
//     n_asym         the int4 weights are int4_asym
//     n_outer        the first chunk goes column by column
//     n_outer_end    row-steps of that chunk - 1
//     n_free         the operand's bank is released at the end
//     n_keep         values: the next firing reads the same head
//     n_tail_row     values: first row in the V tail
//     n_layer        values: layer in the V tail, which is kv_layer + layer * kv_step + slot * SLOT_LAYERS (kv_layer
//                    and kv_step from the entry, layer from the schedule, slot from the step)
// Reset: clk, synchronous active-high rst; entries in flight are discarded.
//
// name         meaning                           unit      range
// CHANNELS     memory channels; each has a lane  channels  1 to 32
// BEAT_BITS    width of a beat                   bits      256, 512
// TURN_TOKENS  tokens per command                tokens    1, 2, 4
// ASYM         1: there are int4_asym weights    -         0, 1
// SLOT_LAYERS  layers of a slot; 0: one slot     layers    0 to 1024
// OTHERS_W     width of n_others_end             bits      derived
`default_nettype none

module rill_engine_entries #(
    parameter CHANNELS = 0,
    parameter BEAT_BITS = 0,
    parameter TURN_TOKENS = 1,
    parameter ASYM = 0,
    parameter SLOT_LAYERS = 0,
    parameter OTHERS_W = TURN_TOKENS > 2 ? TURN_TOKENS - 1 : 1
) (
    input  wire         clk,
    input  wire         rst,

    input  wire         s_axis_entry_tvalid,
    output wire         s_axis_entry_tready,
    input  wire [175:0] s_axis_entry_tdata,

    input  wire         take,
    output wire         n_valid,
    output wire [1:0]   n_mode,
    output wire [2:0]   n_tok_end,
    output wire         n_one_turn,
    output wire [OTHERS_W-1:0] n_others_end,
    output wire [16:0]  n_rows_end,
    output wire         n_one_row,
    output wire [16:0]  n_beats_end,
    output wire         n_one_beat,
    output wire [16:0]  n_memory,
    output wire         n_from_memory,
    output wire [5:0]   n_last_count,
    output wire [3:0]   n_key_last,
    output wire [8:0]   n_scale_beats,
    output wire         n_asym,
    output wire [9:0]   n_groups,
    output wire         n_outer,
    output wire [2:0]   n_outer_end,
    output wire         n_free,
    output wire         n_keep,
    output wire [12:0]  n_tail_row,
    output wire [9:0]   n_layer
);
    `include "rill_fields.vh"
    localparam BLOCK_BEATS = BEAT_BITS == 512 ? 1 : 2;     // beats per block of 64 positions
    localparam CHUNK_ROWS = BEAT_BITS == 512 ? 8 : 4;
    localparam [31:0] CHUNK_END = CHUNK_ROWS - 1;
    localparam [31:0] ALL_LANES = CHANNELS;
    // Lanes of a row-step with the step's own keys
    localparam [31:0] KEY_LANES = CHANNELS < 8 && CHANNELS > 0 ? CHANNELS : 8;

    generate
        if (CHANNELS < 1 || CHANNELS > 32) begin : gen_bad_channels
            rill_error_CHANNELS_must_be_1_to_32 u_error ();
        end
        if (BEAT_BITS != 256 && BEAT_BITS != 512) begin : gen_bad_beat
            rill_error_BEAT_BITS_must_be_256_or_512 u_error ();
        end
        if (TURN_TOKENS != 1 && TURN_TOKENS != 2 && TURN_TOKENS != 4) begin : gen_bad_turn
            rill_error_TURN_TOKENS_must_be_1_2_or_4 u_error ();
        end
    endgenerate

    // ---- first cycle: decodes the entry and computes with positions; a_* are its registers ----
    wire [95:0] entry = s_axis_entry_tdata[ENGINE_BITS-1:0];
    wire [63:0] step = s_axis_entry_tdata[ENGINE_BITS + SCHEDULE_STEP +: SCHEDULE_STEP_W];
    // int4: group scales per row. The field has 8 bits, and 0 in it means 256.
    wire [8:0]  groups = {entry[ENGINE_GROUPS +: ENGINE_GROUPS_W] == 8'd0, entry[ENGINE_GROUPS +: ENGINE_GROUPS_W]};
    wire [8:0]  groups_up = groups + 9'd7;
    wire        is_asym = ASYM != 0 && entry[ENGINE_ASYM];
    wire [9:0]  words = entry[ENGINE_BEATS +: 10];         // int4_asym: group words per row, one for each beat
    wire [9:0]  words_up = words + 10'd1;
    wire [8:0]  word_beats = CHUNK_ROWS == 8 ? words[8:0] : words_up[9:1];
    wire [21:0] lanes_up = step[STEP_KROWS +: STEP_KROWS_W] * ALL_LANES[5:0];
    wire [1:0]  mode = entry[ENGINE_MODE +: ENGINE_MODE_W];
    wire        is_scores = mode == ENGINE_MODE_SCORES;
    wire        is_weights = mode == ENGINE_MODE_INT8 || mode == ENGINE_MODE_INT4;
    wire [4:0]  key_rows_end = ({1'b0, step[STEP_NTOK +: STEP_NTOK_W]} - 5'd1) / KEY_LANES[4:0];
    wire [4:0]  key_last = {1'b0, step[STEP_NTOK +: STEP_NTOK_W]} - key_rows_end * KEY_LANES[4:0];
    wire [3:0]  tokens = step[STEP_NTOK +: STEP_NTOK_W];
    wire        is_heads = entry[ENGINE_HEADS +: ENGINE_HEADS_W] != 4'd0 && tokens == 4'd1;
    wire [15:0] kv_offset = s_axis_entry_tdata[ENGINE_BITS + SCHEDULE_LAYER +: 10]
        * entry[ENGINE_KV_STEP +: ENGINE_KV_STEP_W];

    localparam [31:0] SLOT_LAYERS_32 = SLOT_LAYERS;
    wire [13:0] slot_layers = step[STEP_SLOT +: STEP_SLOT_W] * SLOT_LAYERS_32[9:0];

    reg         ready_q;                     // !a_valid_q || n_room_q
    reg         a_valid_q;
    reg         n_room_q;                    // fewer than two results wait
    reg  [1:0]  a_mode_q;
    reg  [16:0] a_rows_end_q;
    reg         a_one_row_q;
    reg  [2:0]  a_outer_end_q;
    reg  [3:0]  a_key_last_q;
    reg  [15:0] a_beats_q;
    reg         a_free_q;
    reg  [5:0]  a_last_rows_q;
    reg  [12:0] a_tail_row_q;
    reg  [9:0]  a_kv_layer_q;
    reg  [9:0]  a_kv_offset_q;
    reg  [8:0]  a_scale_beats_q;             // ceil(groups / 8), int4_asym: ceil(beats * CHUNK_ROWS / 8)
    reg         a_asym_q;
    reg  [9:0]  a_groups_q;
    reg         a_outer_q;
    reg         a_single_q;
    reg         a_keep_q;
    reg  [3:0]  a_tokens_q;
    reg  [5:0]  a_over_q;                    // krows * CHANNELS - pos: lanes without a key in the last row-step
    reg  [15:0] a_krows_q;
    reg  [15:0] a_vblocks_q;
    wire        a_push = s_axis_entry_tvalid && ready_q;
    wire        a_valid_d = a_push || (a_valid_q && !n_room_q);
    wire [1:0]  count_d;                     // number of results that wait
    assign s_axis_entry_tready = ready_q;

    always @(posedge clk) begin
        a_valid_q <= !rst && a_valid_d;
        ready_q <= !rst && (!a_valid_d || count_d != 2'd2);
        if (ready_q) begin
            a_mode_q <= mode;
            a_rows_end_q <= is_scores ? {1'b0, step[STEP_KROWS +: STEP_KROWS_W]} + {12'd0, key_rows_end}
                : {1'b0, entry[ENGINE_ROWS +: ENGINE_ROWS_W]} - 17'd1;
            a_one_row_q <= is_scores ? step[STEP_KROWS +: STEP_KROWS_W] == 16'd0 && key_rows_end == 5'd0
                : entry[ENGINE_ROWS +: ENGINE_ROWS_W] == 16'd1;
            a_outer_end_q <= entry[ENGINE_ROWS +: ENGINE_ROWS_W] > CHUNK_END[15:0] ? CHUNK_END[2:0]
                : entry[ENGINE_ROWS +: 3] - 3'd1;
            a_key_last_q <= key_last[3:0];
            a_beats_q <= entry[ENGINE_BEATS +: ENGINE_BEATS_W];
            a_free_q <= entry[ENGINE_X_FREE];
            a_last_rows_q <= entry[ENGINE_LAST_ROWS +: 6];
            a_tail_row_q <= entry[ENGINE_TAIL_BASE +: 13];
            a_kv_layer_q <= entry[ENGINE_KV_LAYER +: ENGINE_KV_LAYER_W];
            a_kv_offset_q <= kv_offset[9:0] + slot_layers[9:0];
            a_scale_beats_q <= mode != ENGINE_MODE_INT4 ? 9'd0 : is_asym ? word_beats : {3'd0, groups_up[8:3]};
            a_asym_q <= is_asym;
            a_groups_q <= mode != ENGINE_MODE_INT4 ? 10'd0 : is_asym ? words : {1'b0, groups};
            a_outer_q <= entry[ENGINE_OUTER] && is_weights;
            a_single_q <= entry[ENGINE_SINGLE];
            a_keep_q <= entry[ENGINE_KEEP];
            a_tokens_q <= is_heads ? entry[ENGINE_HEADS +: ENGINE_HEADS_W] : tokens;
            a_over_q <= lanes_up[5:0] - step[STEP_POS +: 6];
            a_krows_q <= step[STEP_KROWS +: STEP_KROWS_W];
            a_vblocks_q <= step[STEP_VBLOCKS +: STEP_VBLOCKS_W];
        end
    end

    // ---- second cycle: the values n_* that the sequencer loads; two such words can wait ----
    // 119 is the sum of the widths of all n_* except n_others_end. The two lists of n_* below have the same order.
    localparam N_W = 119 + OTHERS_W;
    wire        is_values = a_mode_q == ENGINE_MODE_VALUES;
    wire [16:0] vbeats = BLOCK_BEATS == 1 ? {1'b0, a_vblocks_q} : {a_vblocks_q, 1'b0};
    wire [3:0]  token_end = a_tokens_q - 4'd1;
    wire [2:0]  tok_end = a_single_q ? 3'd0 : token_end[2:0];
    wire [2:0]  turn_end = TURN_TOKENS == 4 ? {2'd0, tok_end[2]} : TURN_TOKENS == 2 ? {1'b0, tok_end[2:1]} : tok_end;
    wire [OTHERS_W-1:0] others_end;          // valid tokens of the last turn
    generate
        if (TURN_TOKENS == 4) begin : gen_four
            assign others_end = {&tok_end[1:0], tok_end[1], |tok_end[1:0]};
        end else begin : gen_two
            assign others_end = tok_end[0];
        end
    endgenerate
    wire [16:0] beats_end = is_values ? vbeats + (BLOCK_BEATS == 1 ? 17'd0 : 17'd1) : {1'b0, a_beats_q} - 17'd1;
    wire        one_beat = is_values ? BLOCK_BEATS == 1 && a_vblocks_q == 16'd0 : a_beats_q == 16'd1;
    wire        from_memory = is_values ? a_vblocks_q != 16'd0 : a_mode_q != ENGINE_MODE_SCORES || a_krows_q != 16'd0;
    wire [N_W-1:0] word = {a_mode_q, tok_end, turn_end == 3'd0, others_end, a_rows_end_q, a_one_row_q, beats_end,
        one_beat,
        is_values ? vbeats : {1'b0, a_krows_q}, from_memory,
            a_mode_q == ENGINE_MODE_SCORES ? ALL_LANES[5:0] - a_over_q : a_last_rows_q,
        a_key_last_q, a_scale_beats_q, a_asym_q, a_groups_q, a_outer_q && a_beats_q != 16'd1, a_outer_end_q, a_free_q,
            a_keep_q, a_tail_row_q,
        a_kv_layer_q + a_kv_offset_q};

    reg  [N_W-1:0] n_0_q;
    reg  [N_W-1:0] n_1_q;
    reg            write_q;                  // the next result goes to n_1_q
    reg            read_q;                   // the oldest result is in n_1_q
    reg  [1:0]     count_q;
    reg            n_valid_q;                // count_q is not 0
    wire           push = a_valid_q && n_room_q;
    assign         count_d = count_q + {1'b0, push} - {1'b0, take};
    assign n_valid = n_valid_q;
    assign {n_mode, n_tok_end, n_one_turn, n_others_end, n_rows_end, n_one_row, n_beats_end, n_one_beat, n_memory,
        n_from_memory,
            n_last_count, n_key_last, n_scale_beats, n_asym, n_groups, n_outer, n_outer_end, n_free, n_keep, n_tail_row,
                n_layer}
        = read_q ? n_1_q : n_0_q;

    always @(posedge clk) begin
        if (rst) begin
            count_q <= 2'd0;
            n_room_q <= 1'b0;
            n_valid_q <= 1'b0;
            write_q <= 1'b0;
            read_q <= 1'b0;
        end else begin
            count_q <= count_d;
            n_room_q <= count_d != 2'd2;
            n_valid_q <= count_d != 2'd0;
            write_q <= write_q ^ push;
            read_q <= read_q ^ take;
        end
        if (n_room_q && !write_q)
            n_0_q <= word;
        if (n_room_q && write_q)
            n_1_q <= word;
    end

`ifdef RILL_ASSERT
    rill_assert #(.SAYS("an entry is taken that is not there")) u_assert_take (.clk(clk),
        .broken(!rst && take && !n_valid_q));
`endif

    wire unused = &{1'b0, s_axis_entry_tdata, entry, step,
                    lanes_up[21:6], groups_up[2:0], words_up, kv_offset[15:10], key_last[4], token_end[3], CHUNK_END,
                        ALL_LANES, KEY_LANES, slot_layers, SLOT_LAYERS_32};
endmodule

`default_nettype wire
