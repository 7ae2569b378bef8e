// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_engine_ctrl. Sends random entries of all four modes. Nested loops over row-steps, beats and tokens
// list the commands that each entry must cause.
// - Every command is compared together with its cycle: it must come as soon as everything that it needs has been
//   counted, and no earlier. In the cycles between, stall_* must give the reason.
// - With TURN_TOKENS 2 or 4, the results of a row-step leave one by one. The first leaves when it is complete. With
//   TURN_TOKENS 4 they leave from the bank of their row-step, while the next row-step (with K outermost, the next
//   chunk) has the other bank.
// - First chunks that run column by column begin when the first units of their operand have arrived.
// - Inputs of each kind arrive at changing rates, from few to as many as fit. A reset discards everything that runs.
// - With ASYM, half of the products of 4-bit weights have int4_asym weights.
// Checks in messages: 1 the bench has too many commands, 2 acts, 3 other fields, 4 busy or stall_*, 5 the end of the
// run, 6 and 7 commands never waited, 8 result, 9 no first chunk began early, 10 row and 11, 12 bank of accumulators.
// Sets for verif/modules/run.sh:
// sweep: CHANNELS=3 BEAT_BITS=256 TOKENS=2 GROUP=64 X_UNITS=10 LANE_BEATS=16 K_UNITS=16 OUT_WORDS=16
// sweep: CHANNELS=1 BEAT_BITS=512 TOKENS=1 GROUP=128 X_UNITS=40 LANE_BEATS=3 K_UNITS=1 OUT_WORDS=2
// sweep: CHANNELS=32 BEAT_BITS=512 TOKENS=8 GROUP=256 X_UNITS=12 LANE_BEATS=16 K_UNITS=5 OUT_WORDS=32
// sweep: CHANNELS=5 BEAT_BITS=256 TOKENS=4 GROUP=128 X_UNITS=80 LANE_BEATS=7 K_UNITS=16 OUT_WORDS=1
// sweep: CHANNELS=3 BEAT_BITS=256 TOKENS=4 GROUP=64 X_UNITS=10 LANE_BEATS=16 K_UNITS=16 OUT_WORDS=16 TURN_TOKENS=2
// sweep: CHANNELS=7 BEAT_BITS=512 TOKENS=8 GROUP=256 X_UNITS=12 LANE_BEATS=16 K_UNITS=5 OUT_WORDS=48 TURN_TOKENS=2
// sweep: CHANNELS=2 BEAT_BITS=512 TOKENS=2 GROUP=128 X_UNITS=6 LANE_BEATS=3 K_UNITS=1 OUT_WORDS=2 TURN_TOKENS=2
// sweep: CHANNELS=3 BEAT_BITS=256 TOKENS=4 GROUP=64 X_UNITS=10 LANE_BEATS=16 K_UNITS=16 OUT_WORDS=16 TURN_TOKENS=4
// sweep: CHANNELS=7 BEAT_BITS=512 TOKENS=8 GROUP=256 X_UNITS=12 LANE_BEATS=16 K_UNITS=5 OUT_WORDS=48 TURN_TOKENS=4
// sweep: CHANNELS=2 BEAT_BITS=512 TOKENS=4 GROUP=128 X_UNITS=6 LANE_BEATS=3 K_UNITS=1 OUT_WORDS=4 TURN_TOKENS=4
// sweep: CHANNELS=3 BEAT_BITS=256 TOKENS=2 GROUP=64 X_UNITS=80 LANE_BEATS=16 K_UNITS=16 OUT_WORDS=16 ASYM=1
// sweep: CHANNELS=3 BEAT_BITS=512 TOKENS=4 GROUP=128 X_UNITS=10 LANE_BEATS=16 K_UNITS=16 OUT_WORDS=16 TURN_TOKENS=4 ASYM=1
// quick: CHANNELS=3 BEAT_BITS=256 TOKENS=2 GROUP=64 X_UNITS=10 LANE_BEATS=16 K_UNITS=16 OUT_WORDS=16
// quick: CHANNELS=2 BEAT_BITS=512 TOKENS=2 GROUP=128 X_UNITS=6 LANE_BEATS=3 K_UNITS=1 OUT_WORDS=2 TURN_TOKENS=2 ASYM=1
// quick: CHANNELS=3 BEAT_BITS=256 TOKENS=8 GROUP=64 X_UNITS=10 LANE_BEATS=16 K_UNITS=16 OUT_WORDS=16 TURN_TOKENS=4
`default_nettype none
`timescale 1ns / 1ps

module rill_engine_ctrl_tb;
    `include "rill_fields.vh"
    // Parameters without a comment are those of the module.
    parameter CHANNELS = 3;
    parameter BEAT_BITS = 256;
    parameter TOKENS = 2;
    parameter GROUP = 64;
    parameter X_UNITS = 10;
    parameter LANE_BEATS = 16;
    parameter K_UNITS = 16;
    parameter OUT_WORDS = 16;
    parameter TURN_TOKENS = 1;
    parameter ASYM = 0;
    localparam XS = BEAT_BITS / 8;
    localparam RC = XS / 8;                      // row-steps of a chunk
    localparam PARTS = 64 / XS;
    localparam TOK_W = TOKENS > 1 ? $clog2(TOKENS) : 1;
    localparam UNIT_PAIR_W = $clog2(X_UNITS / 2);
    localparam COUNT_W = $clog2(CHANNELS + 1);
    localparam SCALE_BEATS = ASYM ? (X_UNITS / 2 * RC + 7) / 8 : (X_UNITS * XS / GROUP + 8) / 8;
    localparam SCALE_W = $clog2(XS) + (SCALE_BEATS > 2 ? $clog2(SCALE_BEATS) : 1);
    localparam FIRINGS = 100;
    localparam COMMANDS = 100000; // most commands of all firings
    localparam ENTRY_CYCLES = 3;                 // cycles from an entry's transfer to its first command
    wire                 clk, rst, entry_valid, entry_ready, entry_done, unused_last;
    wire [175:0]         entry_data;
    wire                 unused_user;
    reg                  again = 0, beat_pulse = 0, k_pulse = 0, x_pulse = 0, part_pulse = 0, v_pulse = 0, y_pulse = 0;
    wire                 c_pop, c_k, c_params, c_scales, c_valid, c_int4, c_asym, c_tail, c_local, c_first, c_last,
                         c_half, c_free, c_tok_last, c_y_last;
    localparam OTHERS_W = TURN_TOKENS > 2 ? TURN_TOKENS - 1 : 1;
    wire [OTHERS_W-1:0]  c_others;
    wire                 c_bank, c_out, c_out_bank;
    wire [3:0]           c_k_lanes;
    wire [TOK_W-1:0]     c_out_tok;
    wire [1:0]           c_raw;
    wire [23:0]          c_tail_addr;
    wire [TOK_W-1:0]     c_tok;
    wire [UNIT_PAIR_W-1:0] c_pair;
    wire [2:0]           c_row, c_acc, c_out_row;
    wire [SCALE_W-1:0]   c_scale;
    wire [COUNT_W-1:0]   c_count;
    wire                 busy, stall_beat, stall_x, stall_out;

    rill_bench_clock #(.LIMIT(400000)) u_clock (.clk(clk), .rst(rst), .again(again));
    rill_axis_driver #(.DATA_W(176), .SALT(3)) u_entry (.clk(clk), .rst(rst), .m_axis_tvalid(entry_valid),
        .m_axis_tready(entry_ready),
        .m_axis_tdata(entry_data), .m_axis_tuser(unused_user), .m_axis_tlast(unused_last), .done(entry_done));
    rill_engine_ctrl #(.CHANNELS(CHANNELS), .BEAT_BITS(BEAT_BITS), .TOKENS(TOKENS), .GROUP(GROUP), .X_UNITS(X_UNITS),
        .SCALE_W(SCALE_W),
        .LANE_BEATS(LANE_BEATS), .K_UNITS(K_UNITS), .OUT_WORDS(OUT_WORDS), .TURN_TOKENS(TURN_TOKENS), .ASYM(ASYM)) dut (
        .clk(clk), .rst(rst), .s_axis_entry_tvalid(entry_valid), .s_axis_entry_tready(entry_ready),
        .s_axis_entry_tdata(entry_data),
        .beat_pulse(beat_pulse), .k_pulse(k_pulse), .x_pulse(x_pulse), .part_pulse(part_pulse), .v_pulse(v_pulse),
        .y_pulse(y_pulse),
        .cmd_pop(c_pop), .cmd_k(c_k),
        .cmd_params(c_params), .cmd_scales(c_scales), .cmd_valid(c_valid), .cmd_int4(c_int4), .cmd_asym(c_asym),
        .cmd_raw(c_raw), .cmd_tail(c_tail),
        .cmd_tail_addr(c_tail_addr), .cmd_local(c_local), .cmd_first(c_first), .cmd_last(c_last), .cmd_tok(c_tok),
        .cmd_unit_pair(c_pair),
        .cmd_half(c_half), .cmd_row(c_row), .cmd_scale(c_scale), .cmd_free(c_free), .cmd_count(c_count),
        .cmd_tok_last(c_tok_last),
        .cmd_acc(c_acc), .cmd_out_row(c_out_row), .cmd_bank(c_bank), .cmd_out_bank(c_out_bank), .cmd_others(c_others),
        .cmd_k_lanes(c_k_lanes), .cmd_out(c_out), .cmd_out_tok(c_out_tok),
        .cmd_y_last(c_y_last), .busy(busy), .stall_beat(stall_beat), .stall_x(stall_x), .stall_out(stall_out));

    // A command has two parts. The bits below (acts) must be 0 in a cycle without a command. The other fields (rest)
    // count only where the command uses them (care).
    localparam [7:0] POP = 1, KEY = 2, PARAMS = 4, SCALES = 8, VALID = 16, TAIL = 32, LOCAL = 64, FREE = 128;
    localparam INT4 = 0, RAW = 1, ADDR = 3, FIRST = 27, LAST = 28, TOK = 29, PAIR = 32, HALF = 48, ROW = 49, SCALE = 52,
        OTHERS = 68, KEYS = 71;
    localparam ACC = 75, GROUPED = 78;
    localparam REST_W = 79;
    localparam BEAT = 0, UNIT = 1, OPERAND = 2, HEAD = 3, PLACE = 4;     // bits of `needs`: what a command waits for
    wire [2:0]           tok = c_tok;
    wire [15:0]          pair = c_pair;
    wire [15:0]          scale = c_scale;
    wire [5:0]           count = c_count;
    wire [2:0]           out_tok = c_out_tok;
    wire [11:0]          result = {c_out, c_y_last, c_tok_last, out_tok, count};
    wire [2:0]           others = c_others;
    wire [REST_W-1:0]    rest = {c_asym, c_acc, c_k_lanes, others, scale, c_row, c_half, pair, tok, c_last, c_first,
        c_tail_addr, c_raw, c_int4};
    wire [7:0]           acts = {c_free, c_local, c_tail, c_valid, c_scales, c_params, c_k, c_pop};

    // ---- the commands of every firing ----
    reg  [REST_W-1:0]    want [0:COMMANDS-1];
    reg  [REST_W-1:0]    care [0:COMMANDS-1];
    reg  [7:0]           want_acts [0:COMMANDS-1];
    reg  [4:0]           needs [0:COMMANDS-1];
    reg  [7:0]           units [0:COMMANDS-1];       // units of the operand for which the command waits; 0: all
    reg  [2:0]           out_rows [0:COMMANDS-1];    // row of accumulators of the results
    reg                  ends [0:COMMANDS-1];        // the next row-step uses the other bank of accumulators
    // {firing's last row-step, last token of the firing, results after the first one, token of the first result, valid
    // elements}; all 0: the command gives no result
    reg  [15:0]          results [0:COMMANDS-1];
    integer              first_of [0:FIRINGS];       // first command of each firing
    reg                  head_ends [0:FIRINGS-1];    // the firing releases its head in the V tail
    integer              commands = 0, at = 0, seed, idle, stall, f, i, cycle = 0;
    reg                  failed = 0;
    reg  [REST_W-1:0]    now_want = 0, now_care = 0;
    reg  [7:0]           now_acts = 0;

    // Prints the number of the first check that fails, and ends the run.
    task fail(input integer what);
        begin
            if (!failed) begin
                $display("FAIL: result %b instead of %b", result, now_result);
                $display("FAIL: check %0d in cycle %0d before command %0d, firing %0d", what, cycle, at, running);
                $display("      %b %h instead of %b %h", acts, rest & now_care, now_acts, now_want & now_care);
            end
            failed = 1;
            $finish;
        end
    endtask

    // Returns a random number from 0 to limit - 1.
    function integer below(input integer limit);
        below = $unsigned($random(seed)) % limit;
    endfunction

    // Appends a command with the actions `act`. need: what it waits for (BEAT to PLACE), or -1.
    task list(input [7:0] act, input integer need);
        begin
            want[commands] = 0;
            care[commands] = 0;
            want_acts[commands] = act;
            needs[commands] = need >= 0 ? 1 << need : 0;
            results[commands] = 0;
            units[commands] = 0;
            out_rows[commands] = 0;
            ends[commands] = 0;
            commands = commands + 1;
            if (commands == COMMANDS) fail(1);
        end
    endtask

    // Sets a field of the last command and marks it as one that counts.
    task set(input integer place, width, value);
        integer k;
        for (k = 0; k < width; k = k + 1) begin
            want[commands-1][place+k] = value[k];
            care[commands-1][place+k] = 1;
        end
    endtask

    // Lists the command with which one token uses a beat; with TURN_TOKENS above 1, all tokens of a turn. source: where
    // the beat comes from (BEAT, UNIT or HEAD). valid_lanes: lanes with an element of the result.
    task list_use(input integer mode, row, rows, beat, beats, token, ntok, source, valid_lanes);
        integer t;
        begin
            list(VALID, OPERAND);
            if (token == 0 && source == BEAT) want_acts[commands-1] = VALID | POP;
            if (token == 0 && source == UNIT) want_acts[commands-1] = VALID | KEY | LOCAL;
            if (token == 0 && source == HEAD) want_acts[commands-1] = VALID | TAIL | LOCAL;
            if (token == 0 || source == HEAD) needs[commands-1][source] = 1;
            set(INT4, 1, mode == ENGINE_MODE_INT4);
            set(RAW, 2, mode == ENGINE_MODE_SCORES ? 1 : mode == ENGINE_MODE_VALUES ? 2 : 0);
            set(FIRST, 1, beat == 0);
            set(LAST, 1, beat == beats - 1);
            set(TOK, 3, token / TURN_TOKENS);
            for (t = 1; t <= OTHERS_W; t = t + 1)
                set(OTHERS + t - 1, 1, token + t < ntok && TURN_TOKENS > 1);
            ends[commands-1] = beat == beats - 1 && token + TURN_TOKENS >= ntok;
            set(PAIR, 16, mode == ENGINE_MODE_INT4 ? beat : beat / 2);
            set(HALF, 1, mode == ENGINE_MODE_INT4 ? 0 : beat % 2);
            if (beat == beats - 1 && (token == 0 || TURN_TOKENS == 1)) begin
                needs[commands-1][PLACE] = 1;
                results[commands-1][5:0] = valid_lanes;
                results[commands-1][8:6] = token;
                results[commands-1][11:9] = TURN_TOKENS > 1 ? ntok - 1 : 0;
                results[commands-1][14:12] = ntok - 1;
                results[commands-1][15] = row == rows - 1;
            end
        end
    endtask

    // Lists the commands with which all tokens use beat b of row-step r. outer: the beat belongs to the row-steps that
    // run column by column.
    task list_weight_use(input integer int4, asym, r, rows, b, beats, groups, last_rows, ntok, outer);
        integer t;
        for (t = 0; t < ntok; t = t + TURN_TOKENS) begin
            list_use(int4, r, rows, b, beats, t, ntok, BEAT, r == rows - 1 ? last_rows : CHANNELS);
            set(ROW, 3, r % RC);
            set(ACC, 3, outer ? r : 0);
            out_rows[commands-1] = outer ? r : 0;
            if (outer && r != (rows < RC ? rows : RC) - 1) ends[commands-1] = 0;
            if (outer && b < beats - 1) units[commands-1] = int4 ? 2 * b + 2 : b + 1;
            set(GROUPED, 1, asym);
            if (int4) set(SCALE, 16, asym ? (r % RC * groups + b) * RC : r % RC * groups + b * 2 * XS / GROUP);
        end
    endtask

    // Lists a firing of weights: a header for every RC row-steps, then the rows. With outer, the first RC row-steps run
    // column by column.
    task list_weights(input integer int4, asym, rows, beats, groups, last_rows, ntok, outer);
        integer r, b, n;
        for (r = 0; r < rows; r = r + 1) begin
            if (r % RC == 0) begin
                list(POP | PARAMS, BEAT);
                for (b = 0; int4 && b < (RC * groups * (asym ? RC : 1) + XS - 1) / XS; b = b + 1) begin
                    list(POP | SCALES, BEAT);
                    set(SCALE, 16, b * XS);
                end
            end
            if (r == 0 && outer) begin
                r = (rows < RC ? rows : RC) - 1;
                for (b = 0; b < beats; b = b + 1)
                    for (n = 0; n <= r; n = n + 1)
                        list_weight_use(int4, asym, n, rows, b, beats, groups, last_rows, ntok, 1);
            end else
                for (b = 0; b < beats; b = b + 1)
                    list_weight_use(int4, asym, r, rows, b, beats, groups, last_rows, ntok, 0);
        end
    endtask

    // Lists a firing of keys: the row-steps from memory, of which the last may be partial, then the keys of the step
    // itself, CHANNELS at a time.
    task list_keys(input integer pos, step_tokens, beats, ntok);
        integer r, b, t, krows, own, left;
        begin
            krows = (pos + CHANNELS - 1) / CHANNELS;
            own = (step_tokens + CHANNELS - 1) / CHANNELS;
            for (r = 0; r < krows + own; r = r + 1)
                for (b = 0; b < beats; b = b + 1)
                    for (t = 0; t < ntok; t = t + TURN_TOKENS)
                    begin
                        left = r < krows ? pos - r * CHANNELS : step_tokens - (r - krows) * CHANNELS;
                        list_use(2, r, krows + own, b, beats, t, ntok, r < krows ? BEAT : UNIT,
                            left < CHANNELS ? left : CHANNELS);
                        if (r >= krows && t == 0) set(KEYS, 4, left < CHANNELS ? left : CHANNELS);
                    end
        end
    endtask

    // Lists a firing of values: the full blocks of each row from memory, then its open block from the V tail.
    task list_values(input integer pos, rows, last_rows, tail_base, layer, ntok);
        integer r, b, t, beats;
        begin
            beats = (pos / 64 + 1) * PARTS;
            for (r = 0; r < rows; r = r + 1)
                for (b = 0; b < beats; b = b + 1)
                    for (t = 0; t < ntok; t = t + TURN_TOKENS) begin
                        list_use(3, r, rows, b, beats, t, ntok, b < beats - PARTS ? BEAT : HEAD,
                            r == rows - 1 ? last_rows : CHANNELS);
                        if (t == 0 && b >= beats - PARTS) begin
                            set(ADDR, 1, b % PARTS);
                            set(ADDR + 1, 13, tail_base + r);
                            set(ADDR + 14, 10, layer);
                        end
                    end
        end
    endtask

    reg [175:0] word;
    reg [63:0]  step;
    // Draws an entry, sends it, and lists its commands.
    task make_firing;
        integer mode, rows, beats, last_rows, tail_base, groups, pos, step_tokens, ntok, layer, kv_layer, kv_step,
            single, keep, free, outer, asym;
        begin
            first_of[f] = commands;
            mode = below(4);
            pos = below(3) == 0 ? 0 : below(4) == 0 ? below(200) : below(70);
            step_tokens = 1 + below(TOKENS);
            single = below(6) == 0;
            ntok = single ? 1 : step_tokens;
            rows = 1 + below(mode == ENGINE_MODE_VALUES ? 6 : 2 * RC + 2);
            beats = 1 + below(mode == ENGINE_MODE_INT4 ? X_UNITS / 2 : mode == ENGINE_MODE_SCORES ? 3 : X_UNITS / 2);
            if (below(4) == 0) begin
                rows = 1;
                beats = 1;
            end
            last_rows = 1 + below(CHANNELS);
            tail_base = below(8192 - rows);
            asym = ASYM && mode == ENGINE_MODE_INT4 && f % 2;
            groups = asym ? beats : (beats * 2 * XS + GROUP - 1) / GROUP;
            layer = below(1024);
            kv_layer = below(1024);
            kv_step = below(64);
            free = below(4) != 0;
            keep = mode == ENGINE_MODE_VALUES && below(3) == 0;
            outer = below(2);
            step = {$random(seed), $random(seed)};
            step[STEP_POS +: STEP_POS_W] = pos;
            step[STEP_NTOK +: STEP_NTOK_W] = step_tokens;
            step[STEP_KROWS +: STEP_KROWS_W] = (pos + CHANNELS - 1) / CHANNELS;
            step[STEP_VBLOCKS +: STEP_VBLOCKS_W] = pos / 64;
            word = {layer[15:0], step, 96'd0};
            word[ENGINE_MODE +: ENGINE_MODE_W] = mode;
            word[ENGINE_ROWS +: ENGINE_ROWS_W] = mode == ENGINE_MODE_SCORES ? $random(seed) : rows;
            word[ENGINE_BEATS +: ENGINE_BEATS_W] = mode == ENGINE_MODE_VALUES ? $random(seed) : beats;
            word[ENGINE_X_TAKE] = 1;
            word[ENGINE_X_FREE] = free;
            word[ENGINE_LAST_ROWS +: ENGINE_LAST_ROWS_W] = last_rows;
            word[ENGINE_TAIL_BASE +: ENGINE_TAIL_BASE_W] = mode == ENGINE_MODE_VALUES ? tail_base : $random(seed);
            word[ENGINE_GROUPS +: ENGINE_GROUPS_W] = mode == ENGINE_MODE_INT4 ? groups : $random(seed);
            word[ENGINE_SINGLE] = single;
            word[ENGINE_KEEP] = keep;
            word[ENGINE_KV_LAYER +: ENGINE_KV_LAYER_W] = kv_layer;
            word[ENGINE_KV_STEP +: ENGINE_KV_STEP_W] = kv_step;
            word[ENGINE_OUTER] = outer;
            word[ENGINE_ASYM] = asym;
            head_ends[f] = mode == ENGINE_MODE_VALUES && !keep;
            case (mode)
                0, 1: list_weights(mode, asym, rows, beats, groups, last_rows, ntok, outer && beats > 1);
                2: list_keys(pos, step_tokens, beats, ntok);
                default: list_values(pos, rows, last_rows, tail_base, kv_layer + layer * kv_step, ntok);
            endcase
            if (free) want_acts[commands-1] = want_acts[commands-1] | FREE;
            u_entry.push(word, 1'b0, 1'b0);
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        #1;
        for (f = 0; f < FIRINGS; f = f + 1)
            make_firing;
        first_of[FIRINGS] = commands;
    end

    // ---- the decision of each cycle, from the counts of all earlier cycles ----
    // beats_in, units_in, operands_in, heads_in: inputs of each kind that have come and are not used. places: free
    // places for results. parts_in: units of the operand that is arriving. taken: firings whose entry was taken.
    // running: the firing that runs. at: the next command.
    integer parts_in = 0, parts_in_q = 0, early = 0;
    integer beats_in = 0, units_in = 0, operands_in = 0, heads_in = 0, places = OUT_WORDS, running = 0, taken = 0,
        start = 0, quiet = 0;
    integer beat_rate = 100, unit_rate = 100, operand_rate = 100, operand_limit = 2, head_rate = 100, head_limit = 1,
        place_rate = 100;
    integer entered [0:FIRINGS-1];
    integer outs = 0, waits_beat = 0, waits_x = 0, waits_out = 0;
    reg  [11:0] now_result = 0;
    reg  [2:0]  now_row = 0, last_row = 0;
    reg         bank = 0, act_bank = 0, now_bank = 0;
    reg  [15:0] leaving = 0;                     // the results that leave, as in `results`; [11:9]: how many are left
    reg     now_busy = 0, now_beat = 0, now_x = 0, now_out = 0, active, no_beat, no_x, no_y, was_reset = 0;

    // Sets the model to its state after a reset: all that has arrived is lost, and so are the firings that were taken.
    task forget;
        begin
            beats_in = 0;
            units_in = 0;
            operands_in = 0;
            parts_in = 0;
            parts_in_q = 0;
            heads_in = 0;
            places = OUT_WORDS;
            running = taken;
            at = first_of[running];
            start = 0;
            {now_busy, now_beat, now_x, now_out, now_acts} = 0;
            {now_result, leaving, bank} = 0;
        end
    endtask

    // Decides whether a command is due in this cycle, or else for what it waits, and which result leaves.
    task decide;
        begin
            active = running < taken && cycle >= entered[running] + ENTRY_CYCLES && cycle >= start;
            no_beat = active && ((needs[at][BEAT] && beats_in == 0) || (needs[at][UNIT] && units_in == 0)
                || (needs[at][HEAD] && heads_in == 0));
            no_x = active && needs[at][OPERAND] && operands_in == 0 && (units[at] == 0 || parts_in_q < units[at]);
            no_y = active && needs[at][PLACE] && (TURN_TOKENS == 1 ? places == 0 : places < TOKENS
                || leaving[11:9] != 0);
            now_beat = no_beat;
            now_x = no_x && !no_beat;
            now_out = no_y && !no_x && !no_beat;
            now_busy = active && !no_beat && !no_x && !no_y;
            now_acts = 0;
            now_result = 0;
            if (leaving[11:9] != 0) begin
                leaving[11:9] = leaving[11:9] - 1;
                leaving[8:6] = leaving[8:6] + 1;
                now_result = {1'b1, leaving[15] && leaving[11:9] == 0, leaving[11:9] == 0, leaving[8:0]};
                if (TURN_TOKENS > 1) now_row = last_row;
            end
            act_bank = bank;
            if (now_busy && needs[at][PLACE]) begin
                now_bank = bank;
                leaving = results[at];
                last_row = out_rows[at];
                now_row = last_row;
                places = places - leaving[11:9] - 1;
                now_result = {1'b1, leaving[15] && leaving[8:6] == leaving[14:12], leaving[8:6] == leaving[14:12],
                    leaving[8:0]};
            end
            // early: commands that did not wait for the whole operand
            early = early + (now_busy && needs[at][OPERAND] && operands_in == 0);
            if (now_busy) begin
                bank = bank ^ ends[at];
                now_acts = want_acts[at];
                now_want = want[at];
                now_care = care[at];
                beats_in = beats_in - now_acts[0];
                units_in = units_in - now_acts[1];
                operands_in = operands_in - now_acts[7];
                at = at + 1;
                if (at == first_of[running+1]) begin
                    heads_in = heads_in - head_ends[running];
                    running = running + 1;
                    start = cycle + 1;
                end
            end
        end
    endtask

    always @(posedge clk) begin
        cycle = cycle + 1;
        if (rst)
            forget;
        else begin
            // Compares the outputs with the decision of the previous cycle.
            if (acts !== now_acts) fail(2);
            if (now_busy && ((rest ^ now_want) & now_care) !== {REST_W{1'b0}}) fail(3);
            if (TURN_TOKENS > 1 && c_out && c_out_row !== now_row) fail(10);
            if (TURN_TOKENS == 4 && c_out && c_out_bank !== now_bank) fail(11);
            if ((now_acts & VALID) != 0 && c_bank !== (TURN_TOKENS == 4 && act_bank)) fail(12);
            if (c_out !== now_result[11] || (c_out && result !== now_result)) fail(8);
            if ({busy, stall_beat, stall_x, stall_out} !== {now_busy, now_beat, now_x, now_out}) fail(4);
            waits_beat = waits_beat + now_beat;
            waits_x = waits_x + now_x;
            waits_out = waits_out + now_out;
            decide;
            beats_in = beats_in + beat_pulse;
            units_in = units_in + k_pulse;
            operands_in = operands_in + x_pulse;
            parts_in_q = parts_in;
            parts_in = x_pulse ? 0 : parts_in + part_pulse;
            heads_in = heads_in + v_pulse;
            places = places + y_pulse;
            if (entry_valid && entry_ready) begin
                entered[taken] = cycle;
                taken = taken + 1;
            end
        end
    end

    // ---- arrivals, at changing rates: a scarce kind makes commands wait for it ----
    task new_rates;
        begin
            beat_rate = below(3) == 0 ? 100 - idle : 100;
            unit_rate = below(3) == 0 ? 100 - idle : 100;
            operand_rate = idle == 0 ? 100 : below(3) == 0 ? 4 : below(2) ? 8 : 100;
            operand_limit = operand_rate < 100 && below(2) ? 1 : 2;
            head_limit = below(2) ? 1 : 5;
            head_rate = below(3) == 0 ? 4 + 96 * (idle == 0) : 100;
            place_rate = below(3) == 0 ? 100 - stall : 100 - stall / 4;
            // At the beginning each kind is scarce for some time.
            if (cycle < 400 && stall > 0) place_rate = 1;
            else if (cycle < 600 && idle > 0) beat_rate = 100 - idle;
            else if (cycle < 1600 && idle > 0) operand_rate = 2;
        end
    endtask

    always @(negedge clk) begin
        if (cycle % 100 == 0) new_rates;
        beat_pulse = !rst && beats_in < LANE_BEATS && below(100) < beat_rate;
        k_pulse = !rst && units_in < K_UNITS && below(100) < unit_rate;
        x_pulse = !rst && operands_in < operand_limit && below(100) < operand_rate;
        part_pulse = !rst && operands_in < operand_limit && (x_pulse || (parts_in < X_UNITS - 1 && below(100) < 50));
        v_pulse = !rst && heads_in < head_limit && below(100) < head_rate;
        y_pulse = !rst && places < OUT_WORDS && below(100) < place_rate;
        again = taken >= FIRINGS / 2 && running < taken && at > first_of[running] + 3 && !was_reset;
        was_reset = was_reset || again;
        quiet = commands > 0 && running == FIRINGS ? quiet + 1 : 0;
        if (quiet == 20) begin
            if (!entry_done || !was_reset) fail(5);
            if (idle > 0 && (waits_beat == 0 || (TOKENS < 8 && waits_x == 0))) fail(6);
            if (stall > 0 && waits_out == 0) fail(7);
            if (idle > 0 && TOKENS < 8 && X_UNITS > 6 && early == 0) fail(9);
            if (!failed) $display("PASS");
            $finish;
        end
    end
endmodule

`default_nettype wire
