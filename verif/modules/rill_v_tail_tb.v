// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_v_tail. Sends the V of 140 positions in steps of random size. Compares rows that it reads, and the
// descriptors and beats of full blocks on each channel, with an array of the values by position. It reads rows of a
// head at random times at which no token of that head is being stored; the data must come 4 cycles later. head_done
// must come when the rows of a head's last token are stored. layer_done must come together with the last head_done or,
// if the step fills a block, when all beats have been taken. After each token, kv must not be ready for as many cycles
// as the module's header gives for the token's rows.
// Checks in messages: 1 descriptors and beats at layer_done, 2 kv is not ready while beats are offered, 3 kv_ready,
// 4 head_done, 5 layer_done, 6 data of a read, 7 too few reads, or a wrong number of heads, at the end.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: CHANNELS=3 BEAT_BITS=256 TOKENS=2 LAYERS=2 HEADS=2 HEAD_DIM=40
// sweep: CHANNELS=1 BEAT_BITS=512 TOKENS=1 LAYERS=1 HEADS=1 HEAD_DIM=5
// sweep: CHANNELS=4 BEAT_BITS=512 TOKENS=8 LAYERS=3 HEADS=1 HEAD_DIM=66
// sweep: CHANNELS=7 BEAT_BITS=256 TOKENS=4 LAYERS=1 HEADS=3 HEAD_DIM=64
// sweep: CHANNELS=32 BEAT_BITS=256 TOKENS=2 LAYERS=2 HEADS=2 HEAD_DIM=6
// sweep: CHANNELS=3 BEAT_BITS=512 TOKENS=4 LAYERS=3 HEADS=3 HEAD_DIM=10 FEWER=2
// sweep: CHANNELS=3 BEAT_BITS=512 TOKENS=2 LAYERS=1 HEADS=2 HEAD_DIM=10 ULTRA=2
// quick: CHANNELS=3 BEAT_BITS=256 TOKENS=2 LAYERS=2 HEADS=2 HEAD_DIM=40 @ 50:50
`default_nettype none
`timescale 1ns / 1ps

module rill_v_tail_tb;
    // Parameters without a comment are those of the module.
    parameter CHANNELS = 3;
    parameter BEAT_BITS = 256;
    parameter TOKENS = 2;
    parameter LAYERS = 2;
    parameter HEADS = 2;
    parameter HEAD_DIM = 40;
    parameter ULTRA = 0; // as in rill_v_tail
    parameter FEWER = 0;                           // number by which odd layers have fewer heads
    `include "rill_fields.vh"
    localparam C = CHANNELS;
    localparam XS = BEAT_BITS / 8;
    localparam ROWS = (HEAD_DIM + C - 1) / C;
    localparam UNITS = (HEAD_DIM + XS - 1) / XS;
    localparam PARTS = 64 / XS;
    localparam TOK_W = TOKENS > 1 ? $clog2(TOKENS) : 1;
    localparam POSITIONS = 140;
    localparam MAX_STEPS = POSITIONS;
    localparam [39:0] V_BASE = 40'h20_0000_0040;
    localparam [39:0] V_LAYER_STRIDE = 40'h10_0400;
    localparam [39:0] V_ROW_STRIDE = 40'd320;

    wire                   clk, rst, step_valid, step_ready, kv_offer, kv_valid, kv_ready, kv_last, step_done, kv_done,
        head_done, layer_done;
    wire                   unused_user, unused_last;
    wire [63:0]            step_data;
    wire [BEAT_BITS+31:0]  kv_data;
    wire [TOK_W:0]         kv_user;
    reg                    again = 0, open_q = 1, tail_valid = 0;
    reg  [23:0]            tail_addr;
    wire [C*BEAT_BITS-1:0] tail_data, beat_data;
    wire [C-1:0]           desc_valid, desc_ready, beat_valid, beat_ready, desc_done, beat_done, given;
    wire [55:0]            desc_data;

    rill_bench_clock #(.LIMIT(400000)) u_clock (.clk(clk), .rst(rst), .again(again));
    rill_axis_driver #(.DATA_W(64), .SALT(3)) u_step (.clk(clk), .rst(rst), .m_axis_tvalid(step_valid),
        .m_axis_tready(step_ready),
        .m_axis_tdata(step_data), .m_axis_tuser(unused_user), .m_axis_tlast(unused_last), .done(step_done));
    rill_axis_driver #(.DATA_W(BEAT_BITS+32), .USER_W(TOK_W+1), .WORDS((POSITIONS+TOKENS)*LAYERS*HEADS*UNITS),
        .SALT(4)) u_kv (
        .clk(clk), .rst(rst), .m_axis_tvalid(kv_offer), .m_axis_tready(kv_ready && open_q), .m_axis_tdata(kv_data),
        .m_axis_tuser(kv_user),
        .m_axis_tlast(kv_last), .done(kv_done));
    assign kv_valid = kv_offer && open_q;
    rill_v_tail #(.CHANNELS(C), .BEAT_BITS(BEAT_BITS), .TOKENS(TOKENS), .LAYERS(LAYERS), .HEADS(HEADS),
        .HEAD_DIM(HEAD_DIM), .V_BASE(V_BASE),
        .V_LAYER_STRIDE(V_LAYER_STRIDE), .V_ROW_STRIDE(V_ROW_STRIDE), .ULTRA(ULTRA)) dut (
        .clk(clk), .rst(rst), .s_axis_step_tvalid(step_valid), .s_axis_step_tready(step_ready),
        .s_axis_step_tdata(step_data),
        .s_axis_kv_tvalid(kv_valid), .s_axis_kv_tready(kv_ready), .s_axis_kv_tdata(kv_data), .s_axis_kv_tuser(kv_user),
        .s_axis_kv_tlast(kv_last), .tail_valid(tail_valid), .tail_addr(tail_addr), .tail_data(tail_data),
        .head_done(head_done),
        .m_axis_desc_tvalid(desc_valid), .m_axis_desc_tready(desc_ready), .m_axis_desc_tdata(desc_data),
        .m_axis_beat_tvalid(beat_valid),
        .m_axis_beat_tready(beat_ready), .m_axis_beat_tdata(beat_data), .layer_done(layer_done),
        .given(given));

    // ---- the model: values by position; heads are counted over all layers and steps, in stream order ----
    reg  [7:0]             value [0:POSITIONS*LAYERS*HEADS*HEAD_DIM-1];
    integer                step_pos [0:MAX_STEPS-1];
    integer                step_ntok [0:MAX_STEPS-1];
    integer                closed [0:MAX_STEPS-1];   // steps up to this one that fill a block
    integer                begun [0:LAYERS*HEADS-1]; // number of steps whose first unit of this head has been taken
    integer                ended [0:LAYERS*HEADS-1]; // number of steps whose units of this head are all stored
    // hold: cycles until V may be offered again. read_rate: percent of the cycles that have a read.
    integer                steps = 0, seed, idle, read_rate, pos, i, n, t, l, h, u, s = 0, skip, quiet = 0, reads = 0,
        hold = 0, cycle = 0;
    integer                heads = 0, layers = 0, end_layer = 0, end_head = 0; // heads, layers: how many are done
    reg                    failed = 0, built = 0;
    reg  [63:0]            word;
    reg  [BEAT_BITS-1:0]   unit;
    // The reads of the last four cycles, with the step whose contents they must show (due_s) and the number of the beat
    // in the tail (due_at).
    reg  [3:0]             due_valid = 0;
    integer                due_at [0:3];
    integer                due_s [0:3];

    // Prints the number of the first check that fails, and ends the run.
    task fail(input integer what, where);
        begin
            if (!failed) $display("FAIL: check %0d at %0d, cycle %0d", what, where, cycle);
            failed = 1;
            $finish;
        end
    endtask

    // Returns a random number from 0 to limit - 1.
    function integer below(input integer limit);
        below = $unsigned($random(seed)) % limit;
    endfunction

    // Returns the number of heads of a layer.
    function integer heads_of(input integer layer);
        heads_of = layer % 2 ? HEADS - FEWER : HEADS;
    endfunction

    // Returns the number of heads in the layers before this one.
    function integer heads_before(input integer layer);
        integer k;
        begin
            heads_before = 0;
            for (k = 0; k < layer; k = k + 1)
                heads_before = heads_before + heads_of(k);
        end
    endfunction

    // Returns V of an element at the position `place` of the block that is open in a step; 0 if the step does not reach
    // that position.
    function [7:0] tail_byte(input integer step, layer, head, element, place);
        integer at;
        begin
            at = step_pos[step] / 64 * 64 + place;
            if (at >= step_pos[step] + step_ntok[step] || element >= HEAD_DIM) tail_byte = 8'd0;
            else tail_byte = value[((at * LAYERS + layer) * HEADS + head) * HEAD_DIM + element];
        end
    endfunction

    // Returns a lane's beat number `part` of a row after a step. Rows are counted over all layers, HEADS * ROWS for
    // each.
    function [BEAT_BITS-1:0] tail_beat(input integer step, row, part, lane);
        integer k;
        for (k = 0; k < XS; k = k + 1)
            tail_beat[8*k +: 8] = tail_byte(step, row / (HEADS * ROWS), row / ROWS % HEADS, row % ROWS * C + lane,
                part * XS + k);
    endfunction

    // Offers unit `index` of a head at a position.
    task push_unit(input integer position, layer, head, index, last);
        integer k;
        begin
            unit = {BEAT_BITS{1'b0}};
            for (k = 0; k < XS && index * XS + k < HEAD_DIM; k = k + 1)
                unit[8*k +: 8] = value[((position * LAYERS + layer) * HEADS + head) * HEAD_DIM + index * XS + k];
            k = position - pos;
            u_kv.push({$random(seed), unit}, {k + 1 == n, k[TOK_W-1:0]}, last != 0);
        end
    endtask

    // Offers the step word of n tokens from position pos on, with random bits in the fields that do not matter.
    task push_step;
        begin
            word = {$random(seed), $random(seed)};
            word[63:48] = pos / 64;
            word[19:16] = n;
            word[15:0] = pos;
            u_step.push(word, 1'b0, 1'b0);
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        for (i = 0; i < POSITIONS * LAYERS * HEADS * HEAD_DIM; i = i + 1)
            value[i] = $random(seed);
        for (pos = 0; pos < POSITIONS; pos = pos + n) begin
            n = below(3) == 0 ? 1 + below(TOKENS) : TOKENS;
            if (n > 64 - pos % 64) n = 64 - pos % 64;
            if (n > POSITIONS - pos) n = POSITIONS - pos;
            step_pos[steps] = pos;
            step_ntok[steps] = n;
            closed[steps] = (steps > 0 ? closed[steps-1] : 0) + ((pos + n) % 64 == 0);
            steps = steps + 1;
        end
        for (i = 0; i < LAYERS * HEADS; i = i + 1) begin
            begun[i] = 0;
            ended[i] = 0;
        end
        built = 1;
        // A step with a part of a head, which a reset must discard.
        pos = 63;
        n = 1;
        skip = UNITS > 1 ? UNITS - 1 : 0;
        #1 push_step;
        for (u = 0; u < skip; u = u + 1)
            push_unit(pos, 0, 0, u, 0);
        @(negedge rst);
        while (!step_done || !kv_done) @(negedge clk);
        @(negedge clk) again = 1;
        @(negedge clk) again = 0;
        @(negedge rst);
        for (s = 0; s < steps; s = s + 1) begin
            pos = step_pos[s];
            n = step_ntok[s];
            push_step;
            for (l = 0; l < LAYERS; l = l + 1)
                for (h = 0; h < heads_of(l); h = h + 1)
                    for (t = 0; t < n; t = t + 1)
                        for (u = 0; u < UNITS; u = u + 1)
                            push_unit(pos + t, l, h, u, h == heads_of(l) - 1 && t == n - 1 && u == UNITS - 1);
        end
    end

    // ---- descriptors and beats of full blocks ----
    genvar c;
    generate
        for (c = 0; c < C; c = c + 1) begin : gen_lane
            integer    j, k, m, givens = 0;
            reg [39:0] place;
            rill_axis_monitor #(.DATA_W(56), .SALT(10 + c)) u_desc (.clk(clk), .rst(rst), .hold(1'b0),
                .s_axis_tvalid(desc_valid[c]),
                .s_axis_tready(desc_ready[c]), .s_axis_tdata(desc_data), .s_axis_tuser(1'b0), .s_axis_tlast(1'b0),
                .done(desc_done[c]));
            rill_axis_monitor #(.DATA_W(BEAT_BITS), .SALT(50 + c)) u_beat (.clk(clk), .rst(rst), .hold(1'b0),
                .s_axis_tvalid(beat_valid[c]),
                .s_axis_tready(beat_ready[c]), .s_axis_tdata(beat_data[c*BEAT_BITS +: BEAT_BITS]), .s_axis_tuser(1'b0),
                .s_axis_tlast(1'b0),
                .done(beat_done[c]));
            initial begin
                wait (built);
                for (j = 0; j < steps; j = j + 1)
                    if ((step_pos[j] + step_ntok[j]) % 64 == 0)
                        for (k = 0; k < LAYERS * HEADS * ROWS;
                            k = k + 1) if (k / ROWS % HEADS < heads_of(k / (HEADS * ROWS))) begin
                            place = V_BASE + k / (HEADS * ROWS) * V_LAYER_STRIDE + k % (HEADS * ROWS) * V_ROW_STRIDE
                                + step_pos[j] / 64 * 64;
                            u_desc.expect_word({PARTS[15:0], place}, 1'b0, 1'b0);
                            for (m = 0; m < PARTS; m = m + 1)
                                u_beat.expect_word(tail_beat(j, k, m, c), 1'b0, 1'b0);
                        end
            end
            // At layer_done each channel must have exactly the descriptors and beats of the rows that were filled up to
            // this layer. No V is taken while beats are offered.
            always @(negedge clk) begin
                if (rst) givens = 0;
                else givens = givens + given[c];
                if (layer_done) begin
                    j = layers / LAYERS;
                    k = (j > 0 ? closed[j-1] * heads_before(LAYERS) : 0) * ROWS;
                    if (closed[j] > (j > 0 ? closed[j-1] : 0)) k = k + heads_before(layers % LAYERS + 1) * ROWS;
                    if (u_desc.seen != k || u_beat.seen != k * PARTS || givens != k) fail(1, c);
                end
                if (beat_valid[c] && kv_ready) fail(2, c);
            end
        end
    endgenerate

    // ---- input, cycle by cycle ----
    // The units of a token are taken, then its rows are stored. head_done comes after the last row of a head, and
    // layer_done with the last head_done of a layer if the step fills no block.
    // now_left: units of the head that are still to come. spread: cycles for which rows are still to be stored.
    // to_done: cycles until head_done. in_layer: kv_ready must be high unless rows are stored. closing: the step fills
    // a block.
    integer now_step = -1, now_layer = 0, now_head = 0, now_left = 0, unit_at = 0, spread = 0, to_done = 0;
    reg     in_layer = 0, closing = 0, layer_ends = 0;

    // Follows a unit that was taken, and computes when kv_ready, head_done and layer_done must be high.
    task take_unit;
        begin
            if (now_left == 0) begin
                now_left = step_ntok[now_step] * UNITS;
                begun[now_layer*HEADS + now_head] = now_step + 1;
            end
            in_layer = 1;
            now_left = now_left - 1;
            unit_at = (unit_at + 1) % UNITS;
            if (unit_at == 0)
                spread = ROWS * (PARTS == 2 && now_left / UNITS == step_ntok[now_step] - 1
                    && step_pos[now_step] % 64 == 0 ? 2 : 1);
            if (now_left == 0) begin
                to_done = spread + 1;
                layer_ends = now_head == heads_of(now_layer) - 1;
                now_head = layer_ends ? 0 : now_head + 1;
                if (layer_ends) begin
                    now_layer = now_layer + 1;
                    in_layer = !closing && now_layer < LAYERS;
                    if (now_layer == LAYERS) begin
                        now_layer = 0;
                        hold = below(80);
                        open_q <= 0;
                    end
                end
            end
        end
    endtask

    always @(posedge clk) begin
        cycle = cycle + 1;
        if (hold > 0) hold = hold - 1;
        else open_q <= 1;
        if (s > 0 && !rst) begin
            if (in_layer && kv_ready !== (spread == 0)) fail(3, now_step);
            if (head_done !== (to_done == 1)) fail(4, now_step);
            if (!closing && layer_done !== (to_done == 1 && layer_ends)) fail(5, now_step);
            if (to_done > 0) to_done = to_done - 1;
            if (spread > 0) spread = spread - 1;
            if (step_valid && step_ready) begin
                now_step = now_step + 1;
                in_layer = 1;
                closing = (step_pos[now_step] + step_ntok[now_step]) % 64 == 0;
            end
            if (kv_valid && kv_ready) take_unit;
            if (layer_done) layers = layers + 1;
        end
    end

    // ---- reads of heads that have no token in progress; sometimes one read per cycle ----
    always @(negedge clk) begin
        if (head_done) begin
            ended[end_layer*HEADS + end_head] = heads / heads_before(LAYERS) + 1;
            heads = heads + 1;
            end_head = end_head + 1;
            if (end_head == heads_of(end_layer)) begin
                end_head = 0;
                end_layer = (end_layer + 1) % LAYERS;
            end
        end
        if (due_valid[3])
            for (i = 0; i < C; i = i + 1)
                if (tail_data[i*BEAT_BITS +: BEAT_BITS] !== tail_beat(due_s[3], due_at[3] / PARTS, due_at[3] % PARTS,
                    i)) fail(6, due_at[3]);
        for (i = 3; i > 0; i = i - 1) begin
            due_at[i] = due_at[i-1];
            due_s[i] = due_s[i-1];
        end
        if (cycle % 64 == 0) read_rate = below(8) == 0 ? 100 : below(3) * 8;
        i = below(LAYERS * HEADS);
        tail_valid = s > 0 && !rst && below(100) < read_rate && ended[i] > 0 && begun[i] == ended[i];
        tail_addr = {24{1'bx}};
        due_valid = {due_valid[2:0], tail_valid};
        if (tail_valid) begin
            reads = reads + 1;
            due_s[0] = ended[i] - 1;
            due_at[0] = (i * ROWS + below(ROWS)) * PARTS + below(PARTS);
            tail_addr[VTAIL_LAYER +: VTAIL_LAYER_W] = i / HEADS;
            tail_addr[VTAIL_ROW +: VTAIL_ROW_W] = due_at[0] / PARTS % (HEADS * ROWS);
            tail_addr[VTAIL_UNIT] = due_at[0] % PARTS;
        end
        quiet = s == steps && built && step_done && kv_done && &desc_done && &beat_done && layers == steps * LAYERS
            ? quiet + 1 : 0;
        if (quiet == 30) begin
            if (reads < 500 || heads != steps * heads_before(LAYERS)) fail(7, reads);
            if (!failed) $display("PASS");
            $finish;
        end
    end
endmodule

`default_nettype wire
