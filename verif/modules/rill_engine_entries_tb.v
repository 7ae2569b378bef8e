// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_engine_entries. Sends random entries of all modes, and compares the outputs to the sequencer with
// values computed here from the definition of an entry (docs/engine.md). Also checks order, the latency of 2 cycles,
// and the rate of one entry per cycle.
// Sets for verif/modules/run.sh:
// sweep: CHANNELS=3 BEAT_BITS=256 TURN_TOKENS=1
// sweep: CHANNELS=32 BEAT_BITS=512 TURN_TOKENS=2
// sweep: CHANNELS=1 BEAT_BITS=512 TURN_TOKENS=1
// sweep: CHANNELS=20 BEAT_BITS=256 TURN_TOKENS=2
// sweep: CHANNELS=32 BEAT_BITS=512 TURN_TOKENS=4
// sweep: CHANNELS=3 BEAT_BITS=256 TURN_TOKENS=4 ASYM=1
// quick: CHANNELS=3 BEAT_BITS=256 TURN_TOKENS=1
// sweep: CHANNELS=3 BEAT_BITS=512 TURN_TOKENS=1 ASYM=1
// sweep: CHANNELS=3 BEAT_BITS=256 TURN_TOKENS=2 ASYM=1
// quick: CHANNELS=20 BEAT_BITS=256 TURN_TOKENS=2
// quick: CHANNELS=3 BEAT_BITS=512 TURN_TOKENS=1 ASYM=1
// quick: CHANNELS=20 BEAT_BITS=256 TURN_TOKENS=4
`default_nettype none
`timescale 1ns / 1ps

module rill_engine_entries_tb;
    `include "rill_fields.vh"
    // Parameters without a comment are those of the module.
    parameter CHANNELS = 3;
    parameter BEAT_BITS = 256;
    parameter TURN_TOKENS = 1;
    parameter ASYM = 0;
    localparam OTHERS = TURN_TOKENS > 2 ? TURN_TOKENS - 1 : 1;
    localparam OUT_W = 119 + OTHERS;
    localparam ENTRIES = 1000;
    localparam RC = BEAT_BITS / 64;              // row-steps of a chunk
    localparam PARTS = 512 / BEAT_BITS;          // beats of 64 positions
    localparam MOST_K = 32768;                   // elements of the longest row with int4_asym
    localparam KEYS = CHANNELS < 8 ? CHANNELS : 8; // keys of the step itself per row-step; a step has at most 8 tokens

    wire              clk, rst, s_valid, s_ready, n_valid, ready, src_done, snk_done, unused_user, unused_last;
    wire [175:0]      s_data;
    wire [1:0]        n_mode;
    wire [2:0]        n_tok_end, n_outer_end;
    wire [16:0]       n_rows_end, n_beats_end, n_memory;
    wire [5:0]        n_last_count;
    wire [8:0]        n_scale_beats;
    wire [3:0]        n_key_last;
    wire [9:0]        n_groups;
    wire              n_asym;
    wire [12:0]       n_tail_row;
    wire [9:0]        n_layer;
    wire [OTHERS-1:0] n_others_end;
    wire              n_one_turn, n_one_row, n_one_beat, n_from_memory, n_outer, n_free, n_keep;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_axis_driver #(.DATA_W(176)) u_src (.clk(clk), .rst(rst), .m_axis_tvalid(s_valid), .m_axis_tready(s_ready),
        .m_axis_tdata(s_data),
        .m_axis_tuser(unused_user), .m_axis_tlast(unused_last), .done(src_done));
    rill_engine_entries #(.CHANNELS(CHANNELS), .BEAT_BITS(BEAT_BITS), .TURN_TOKENS(TURN_TOKENS), .ASYM(ASYM)) dut (
        .clk(clk), .rst(rst), .s_axis_entry_tvalid(s_valid), .s_axis_entry_tready(s_ready), .s_axis_entry_tdata(s_data),
        .take(n_valid && ready), .n_valid(n_valid), .n_mode(n_mode), .n_tok_end(n_tok_end), .n_one_turn(n_one_turn),
        .n_others_end(n_others_end), .n_rows_end(n_rows_end), .n_one_row(n_one_row), .n_beats_end(n_beats_end),
        .n_one_beat(n_one_beat),
        .n_memory(n_memory), .n_from_memory(n_from_memory), .n_last_count(n_last_count), .n_key_last(n_key_last),
        .n_scale_beats(n_scale_beats), .n_asym(n_asym), .n_groups(n_groups), .n_outer(n_outer),
        .n_outer_end(n_outer_end), .n_free(n_free), .n_keep(n_keep),
        .n_tail_row(n_tail_row), .n_layer(n_layer));
    rill_axis_monitor #(.DATA_W(OUT_W)) u_snk (.clk(clk), .rst(rst), .hold(1'b0), .s_axis_tvalid(n_valid),
        .s_axis_tready(ready),
        .s_axis_tdata({n_mode, n_tok_end, n_one_turn, n_others_end, n_rows_end, n_one_row, n_beats_end, n_one_beat,
        n_memory, n_from_memory,
            n_last_count, n_key_last, n_scale_beats, n_asym, n_groups, n_outer, n_outer_end, n_free, n_keep, n_tail_row,
                n_layer}),
        .s_axis_tuser(1'b0), .s_axis_tlast(1'b0), .done(snk_done));

    integer       seed, idle, stall, e, mode, pos, tokens, single, last_tok, turns, rows, own, beats, memory, last,
        groups, krows, layer;
    reg  [OTHERS-1:0] others;
    integer       t, asym, scale_beats, outer_end, key_last, first_in;
    reg  [95:0]   entry;
    reg  [63:0]   step;
    reg  [15:0]   repetition;
    integer       rows_less, beats_less; // the outputs have the last row and the last beat, counted from 0
    reg           from_memory;
    // Returns a random number from 0 to limit - 1.
    function integer below(input integer limit);
        below = $unsigned($random(seed)) % limit;
    endfunction

    // Draws an entry with a step word, sends both, and expects the outputs that belong to them.
    task one_entry;
        begin
            entry = {$random(seed), $random(seed), $random(seed)};
            step = {$random(seed), $random(seed)};
            repetition = below(1024);
            mode = below(4);
            pos = below(3) == 0 ? below(3) : below(65000);
            tokens = below(3) == 0 ? 1 : 1 + below(8);
            krows = (pos + CHANNELS - 1) / CHANNELS;
            step[STEP_POS +: STEP_POS_W] = pos;
            step[STEP_NTOK +: STEP_NTOK_W] = tokens;
            step[STEP_KROWS +: STEP_KROWS_W] = krows;
            step[STEP_VBLOCKS +: STEP_VBLOCKS_W] = pos / 64;
            entry[ENGINE_MODE +: ENGINE_MODE_W] = mode;
            if (below(3) == 0) entry[ENGINE_ROWS +: ENGINE_ROWS_W] = 1 + below(9);
            if (entry[ENGINE_ROWS +: ENGINE_ROWS_W] == 0) entry[ENGINE_ROWS +: ENGINE_ROWS_W] = 1;
            if (below(3) == 0) entry[ENGINE_BEATS +: ENGINE_BEATS_W] = 1;
            if (entry[ENGINE_BEATS +: ENGINE_BEATS_W] == 0) entry[ENGINE_BEATS +: ENGINE_BEATS_W] = 2;
            entry[ENGINE_LAST_ROWS +: ENGINE_LAST_ROWS_W] = 1 + below(CHANNELS);
            asym = ASYM != 0 && entry[ENGINE_ASYM];
            if (asym != 0) entry[ENGINE_BEATS +: ENGINE_BEATS_W] = below(9) == 0 ? MOST_K / (BEAT_BITS / 4)
                : 1 + below(MOST_K / (BEAT_BITS / 4));
            single = entry[ENGINE_SINGLE];
            last_tok = single ? 0 : tokens - 1;
            if (mode < 2 || below(2) == 0) entry[ENGINE_HEADS +: ENGINE_HEADS_W] = 0;
            else entry[ENGINE_HEADS +: ENGINE_HEADS_W] = 2 + below(7);
            if (mode >= 2 && entry[ENGINE_HEADS +: ENGINE_HEADS_W] != 0 && tokens == 1 && !single)
                last_tok = entry[ENGINE_HEADS +: ENGINE_HEADS_W] - 1;
            turns = last_tok / TURN_TOKENS + 1;
            for (t = 1; t <= OTHERS; t = t + 1)
                others[t-1] = TURN_TOKENS == 1 ? last_tok[0] : last_tok % TURN_TOKENS >= t;
            own = (tokens + KEYS - 1) / KEYS;
            rows = mode == ENGINE_MODE_SCORES ? krows + own : entry[ENGINE_ROWS +: ENGINE_ROWS_W];
            beats = mode == ENGINE_MODE_VALUES ? (pos / 64 + 1) * PARTS : entry[ENGINE_BEATS +: ENGINE_BEATS_W];
            memory = mode == ENGINE_MODE_VALUES ? pos / 64 * PARTS : krows;
            from_memory = mode < 2 || memory != 0;
            last = mode == ENGINE_MODE_SCORES ? CHANNELS - (krows * CHANNELS - pos)
                : entry[ENGINE_LAST_ROWS +: ENGINE_LAST_ROWS_W];
            groups = mode != ENGINE_MODE_INT4 ? 0 : asym != 0 ? entry[ENGINE_BEATS +: ENGINE_BEATS_W]
                : entry[ENGINE_GROUPS +: ENGINE_GROUPS_W] == 0 ? 256 : entry[ENGINE_GROUPS +: ENGINE_GROUPS_W];
            layer = entry[ENGINE_KV_LAYER +: ENGINE_KV_LAYER_W]
                + repetition * entry[ENGINE_KV_STEP +: ENGINE_KV_STEP_W];
            rows_less = rows - 1;
            beats_less = beats - 1;
            u_src.push({repetition, step, entry}, 1'b0, 1'b0);
            scale_beats = asym != 0 ? (groups * RC + 7) / 8 : (groups + 7) / 8;
            outer_end = (entry[ENGINE_ROWS +: ENGINE_ROWS_W] < RC ? entry[ENGINE_ROWS +: ENGINE_ROWS_W] : RC) - 1;
            key_last = tokens - (own - 1) * KEYS;
            u_snk.expect_word({mode[1:0], last_tok[2:0], turns == 1, others, rows_less[16:0], rows == 1,
                beats_less[16:0], beats == 1,
                memory[16:0], from_memory, last[5:0], key_last[3:0], scale_beats[8:0], asym != 0, groups[9:0],
                mode < 2 && entry[ENGINE_OUTER] && beats != 1,
                outer_end[2:0], entry[ENGINE_X_FREE], entry[ENGINE_KEEP], entry[ENGINE_TAIL_BASE +: 13], layer[9:0]},
                    1'b0, 1'b0);
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        first_in = 0;
        for (e = 0; e < ENTRIES; e = e + 1)
            one_entry;
        wait (!rst);
        wait (s_valid && s_ready);
        first_in = u_snk.cycle + 1;
        wait (src_done && snk_done);
        repeat (20) @(posedge clk);
        if (idle + stall == 0 && u_snk.first_time - first_in != 2)
            $display("FAIL: %0d cycles from an entry to what comes of it", u_snk.first_time - first_in);
        else if (idle + stall == 0 && u_snk.last_time - u_snk.first_time != ENTRIES - 1)
            $display("FAIL: %0d cycles for %0d entries", u_snk.last_time - u_snk.first_time + 1, ENTRIES);
        else
            $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
