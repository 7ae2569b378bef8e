// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_slot_loop with a model of the datapath.
// - Requests of random lengths join at random moments in random slots. They end by count, by an end id and by the end
//   of the context. Some are refused, have a bad id in the prompt, or are stopped.
// - Every part must begin at the next position of its request and carry the ids of its positions. Every generated id
//   must reach the request's ring once and in order. Results and hashes of each request are compared when it has ended.
// - Steps have at most TOKENS tokens and PARTS parts, no part crosses a multiple of 64 positions, and no busy slot is
//   without a part for more than SLOTS steps.
// - Before a step, each of its tokens gets its position. With SAMPLING, the last token of a part whose id is used gets
//   the settings of its request.
// - With DRAFTS, a model looks for drafts in the ids of each request, knows the confidence in them and how many tokens
//   other requests leave. Parts must have these drafts. Texts of some requests repeat themselves, others repeat pairs
//   of ids that are followed by something else. The datapath answers random ids after a wrong draft.
// - With LIST, the host predicts the ids of some requests, and their drafts come from these lists. The other requests
//   must have none of these drafts, also after a request of the slot that was predicted.
// - With PREFIX, many requests share their beginning with the previous request of their slot, and begin after held
//   positions. A model knows what each slot holds. Some requests begin where they must not, and are refused. Between
//   requests a slot is forgotten from time to time, and a run may find another image. Runs begin in any slot.
// - In some runs a kernel fault or a kill ends all requests.
// - Until the run is done, a submission must be accepted unless a fault or kill has come. Some submissions come between
//   the end of the last request and done.
// Sets for verif/modules/run.sh:
// sweep: SLOTS=2 PARTS=1 TOKENS=1 CHANNELS=1 BEAT_BITS=256
// sweep: SLOTS=3 PARTS=2 TOKENS=4 CHANNELS=1 BEAT_BITS=256 SAMPLING=0
// sweep: SLOTS=4 PARTS=2 TOKENS=2 CHANNELS=3 BEAT_BITS=512
// sweep: SLOTS=3 PARTS=3 TOKENS=8 CHANNELS=2 BEAT_BITS=256 HASH_WAIT=9
// sweep: SLOTS=16 PARTS=8 TOKENS=8 CHANNELS=32 BEAT_BITS=512
// sweep: SLOTS=2 PARTS=2 TOKENS=8 CHANNELS=3 BEAT_BITS=256 DRAFTS=3
// sweep: SLOTS=4 PARTS=4 TOKENS=8 CHANNELS=3 BEAT_BITS=512 DRAFTS=7 CONFIDENCE=3 SAMPLING=0
// sweep: SLOTS=3 PARTS=2 TOKENS=2 CHANNELS=2 BEAT_BITS=256 DRAFTS=1
// sweep: SLOTS=16 PARTS=4 TOKENS=4 CHANNELS=3 BEAT_BITS=512 PREFIX=1 SAMPLING=0
// sweep: SLOTS=2 PARTS=2 TOKENS=8 CHANNELS=32 BEAT_BITS=256 DRAFTS=7 PREFIX=1
// quick: SLOTS=4 PARTS=4 TOKENS=4 CHANNELS=3 BEAT_BITS=256
// quick: SLOTS=4 PARTS=4 TOKENS=8 CHANNELS=3 BEAT_BITS=256 DRAFTS=3
// sweep: SLOTS=2 PARTS=2 TOKENS=8 CHANNELS=3 BEAT_BITS=256 DRAFTS=7 CONFIDENCE=2 LIST=1
// quick: SLOTS=4 PARTS=4 TOKENS=8 CHANNELS=3 BEAT_BITS=256 DRAFTS=3 LIST=1
// quick: SLOTS=3 PARTS=3 TOKENS=4 CHANNELS=3 BEAT_BITS=256 DRAFTS=2 PREFIX=1
`default_nettype none
`timescale 1ns / 1ps

module rill_slot_loop_tb;
    `include "rill_fields.vh"
    // Parameters without a comment are those of the module.
    parameter SLOTS = 4;
    parameter PARTS = 4;
    parameter TOKENS = 4;
    parameter CHANNELS = 3;
    parameter BEAT_BITS = 256;
    parameter HASH_WAIT = 4;
    parameter SAMPLING = 1;
    parameter DRAFTS = 0;
    parameter CONFIDENCE = 1;
    parameter PREFIX = 0;
    parameter LIST = 0;
    localparam CONTEXT = 90;
    localparam VOCAB = 97;
    localparam EOT = 13;
    localparam TOK_W = TOKENS > 1 ? $clog2(TOKENS) : 1;
    localparam IDS = BEAT_BITS / 32;
    localparam RUNS = 24;
    localparam REQUESTS = 14;                // requests of a run, at most

    reg         clk = 0, rst = 1;
    integer     seed, idle, stall, i;
    reg         start = 0, submit = 0, cancel = 0;
    reg  [3:0]  slot = 0;
    wire        done, is_idle, load_start, flush, soft_rst, ended;
    wire [31:0] slots;
    reg  [31:0] prompt_len, max_new;
    reg  [63:0] prompt_ptr, ring_ptr;
    wire [63:0] prompt_base, ring_base;
    wire [31:0] status, ids_count, fault_code, fault_place, ending;
    wire [63:0] logits_hash, image;
    reg  [1:0]  halt = 0;
    reg  [TOKENS*64-1:0] row_hash = 0;
    reg         load_done = 0, quiet = 1, kernel_fault = 0;
    reg  [31:0] kv_done = 0, ids_written = 0;
    wire        p_valid, b_ready, w_valid, s_valid, id_valid, id_last, n_ready, r_valid;
    reg         p_ready = 0, b_valid = 0, w_ready = 0, s_ready = 0, id_ready = 0, n_valid = 0, r_ready = 0;
    wire [55:0] p_data;
    reg  [BEAT_BITS-1:0] b_data;
    wire [63:0] w_data, s_data, r_data;
    wire [31:0] id_data;
    wire [TOK_W:0] id_user;
    reg  [31:0] n_data;
    reg  [TOK_W:0] n_user;
    reg  [159:0] draw = 160'd0;              // {seed, min_p, top_k, inverse_temperature}
    wire        row_set;
    wire [2:0]  row;
    wire [15:0] row_position;
    wire [159:0] row_draw;
    wire [127:0] draft_counts;
    reg  [31:0] prefix = 0;
    reg         forget = 0;
    wire [31:0] held;
    reg  [63:0] checksum = 64'd5;
    reg         list_set = 0, list_put = 0;
    reg  [31:0] list_word = 0;

    rill_slot_loop #(.SLOTS(SLOTS), .PARTS(PARTS), .CHANNELS(CHANNELS), .TOKENS(TOKENS), .BEAT_BITS(BEAT_BITS),
        .CONTEXT(CONTEXT), .VOCAB(VOCAB), .KV_LAYERS(1), .ADDR_BITS(36), .HASH_WAIT(HASH_WAIT),
        .SAMPLING(SAMPLING), .DRAFTS(DRAFTS), .CONFIDENCE(CONFIDENCE), .PREFIX(PREFIX),
        .LIST(LIST)) dut (
        .clk(clk), .rst(rst), .start(start), .done(done), .idle(is_idle), .submit(submit), .cancel(cancel), .slot(slot),
        .slots(slots), .request_ended(ended), .prompt_len(prompt_len), .max_new(max_new), .eot_id(EOT),
        .ignore_eot(1'b0), .prompt_ptr(prompt_ptr), .ring_ptr(ring_ptr), .ring_ids(32'd0), .watchdog(32'd0),
        .prefix(prefix), .forget(forget), .held(held), .list_set(list_set), .list_put(list_put),
        .list_word(list_word),
        .inverse_temperature(draw[31:0]), .top_k(draw[63:32]), .min_p(draw[95:64]), .seed(draw[159:96]),
        .row_set(row_set), .row(row), .row_position(row_position), .row_inverse(row_draw[31:0]),
        .draft_counts(draft_counts), .row_top_k(row_draw[63:32]), .row_min_p(row_draw[95:64]),
        .row_seed(row_draw[159:96]),
        .halt(halt), .clock_state(2'b01), .channel_base(64'd0), .prompt_base(prompt_base), .ring_base(ring_base),
        .status(status), .ids_count(ids_count), .fault_code(fault_code), .fault_place(fault_place), .fault_address(),
        .fault_channel(), .fault_state(), .ending(ending), .image(image), .row_hash(row_hash),
        .logits_hash(logits_hash), .load_start(load_start), .load_done(load_done), .image_wrong(1'b0),
        .image_place(2'd0), .image_checksum(checksum), .flush(flush), .soft_rst(soft_rst), .quiet(quiet),
        .kv_layers_done(kv_done), .ids_written(ids_written), .kernel_fault(kernel_fault), .memory_error(1'b0),
        .error_is_write(1'b0), .error_address(64'd0), .progress(1'b1), .idle_engines({64{1'b1}}),
        .m_axis_prompt_desc_tvalid(p_valid), .m_axis_prompt_desc_tready(p_ready), .m_axis_prompt_desc_tdata(p_data),
        .s_axis_prompt_tvalid(b_valid), .s_axis_prompt_tready(b_ready), .s_axis_prompt_tdata(b_data),
        .m_axis_walk_step_tvalid(w_valid), .m_axis_walk_step_tready(w_ready), .m_axis_walk_step_tdata(w_data),
        .m_axis_step_tvalid(s_valid), .m_axis_step_tready(s_ready), .m_axis_step_tdata(s_data),
        .m_axis_id_tvalid(id_valid), .m_axis_id_tready(id_ready), .m_axis_id_tdata(id_data), .m_axis_id_tuser(id_user),
        .m_axis_id_tlast(id_last), .s_axis_next_id_tvalid(n_valid), .s_axis_next_id_tready(n_ready),
        .s_axis_next_id_tdata(n_data), .s_axis_next_id_tuser(n_user), .s_axis_next_id_tlast(1'b1),
        .m_axis_ring_tvalid(r_valid), .m_axis_ring_tready(r_ready), .m_axis_ring_tdata(r_data));
    always #1 clk = !clk;

    // Requests are numbered over all runs. request_of[s]: number of the request in slot s, -1: none. bad_at: position
    // of the prompt with an id that is not below VOCAB, -1: none. pos: position at which the next part begins. made:
    // ids that have reached the ring. waited[s]: steps since slot s had a part.
    integer     len [0:RUNS*REQUESTS-1], most [0:RUNS*REQUESTS-1], bad_at [0:RUNS*REQUESTS-1];
    integer     pos [0:RUNS*REQUESTS-1], made [0:RUNS*REQUESTS-1], waited [0:15], request_of [0:15];
    reg         stopped [0:RUNS*REQUESTS-1];
    reg  [63:0] hash [0:RUNS*REQUESTS-1];
    integer     sent = 0, run = 0, over = 0;  // requests so far; runs; requests whose results were compared
    reg         failed = 0, broken = 0;
    // With DRAFTS, for each request: drafts in steps, right drafts, the confidence in drafts, and whether it is unsure
    // because a stopped request may have left more tokens than the model knows. unused: steps without drafts that were
    // found, because the confidence was low.
    integer     drafted [0:RUNS*REQUESTS-1], right [0:RUNS*REQUESTS-1], confidence [0:RUNS*REQUESTS-1];
    reg         unsure [0:RUNS*REQUESTS-1];
    integer     unused = 0, all_right = 0;
    // With LIST: whether the host predicts the ids of a request; whether the list of a slot is that of a request that
    // was not accepted; right drafts of such lists.
    reg         predicts [0:RUNS*REQUESTS-1], stale [0:15];
    integer     all_predicted = 0;
    // With PREFIX, for each request: where it asks to begin, whether it is refused, and the positions that its slot
    // held. Its ids before position fork_at are those of request parent. For each slot: the latest request, and the
    // positions that the slot holds of it. begun_after: positions that were kept in all. refusals: refused requests.
    // others_refused: requests that were refused because of another image.
    integer     asks [0:RUNS*REQUESTS-1], had [0:RUNS*REQUESTS-1], fork_at [0:RUNS*REQUESTS-1],
        parent [0:RUNS*REQUESTS-1], latest [0:15], holds [0:15], begun_after = 0, refusals = 0,
        others_refused = 0, from;
    reg         refused [0:RUNS*REQUESTS-1];
    reg         dead;                        // a request of the run was ended by a fault or kill of the run
    reg         any_stopped = 0;             // a request of the run has been stopped

    // id_at returns the id at position p of request q. hash_at returns the hash of the logits from which this id is
    // chosen if it is generated. text_at returns the id that a request has at a position if it shares none.
    // Some texts repeat pieces of 5 to 11 ids, with exceptions; in others each pair of ids is followed by a new id.
    function [31:0] text_at(input integer q, input integer p);
        text_at = DRAFTS > 0 && q % 4 < 2 && p % 13 != 12 ? (q * 31 + p % (5 + q % 7) * 17) % VOCAB
            : DRAFTS > 0 && q % 4 == 2 ? (p % 3 == 0 ? 20 : p % 3 == 1 ? 30 : 40 + p / 3)
            : (q * 31 + p * 17 + p * p) % VOCAB;
    endfunction
    reg  [31:0] ids [0:RUNS*REQUESTS*128-1]; // ids of all requests: those before fork_at are those of the parent
    function [31:0] id_at(input integer q, input integer p);
        id_at = p == bad_at[q] ? VOCAB + 3 : ids[q*128+p];
    endfunction
    // place_of returns the place before the drafts that follow position p of request q, -1: none.
    function integer place_of(input integer q, input integer p);
        integer j, m, best;
        begin
            best = 1;
            place_of = -1;
            for (j = p - DRAFTS; j >= 0; j = j - 1) begin
                for (m = 0; m < 3 && j - m >= 0 && id_at(q, j - m) == id_at(q, p - m); m = m + 1) begin end
                if (m > best) begin
                    best = m;
                    place_of = j;
                end
            end
        end
    endfunction
    function [63:0] hash_at(input integer q, input integer p);
        hash_at = 64'h9e37_79b9_7f4a_7c15 * (q * 1000 + p + 1);
    endfunction
    // draw_of returns the settings of sampling of request q.
    function [159:0] draw_of(input integer q);
        reg [31:0] mixed;
        begin
            mixed = 32'h9e37_79b9 * (q + 1);
            draw_of = {5{mixed}} ^ {32'd5, 32'd4, 32'd3, 32'd2, 32'd1};
        end
    endfunction
    // ids_of returns the number of ids that request q generates if nothing stops it. ending_of returns the `ending` of
    // request q: 1 max_new is reached, 2 end id, 3 end of the context, 6 fault.
    function integer ids_of(input integer q);
        integer n;
        reg     is_over;
        begin
            ids_of = 0;
            is_over = len[q] < 1 || len[q] > CONTEXT || most[q] == 0 || bad_at[q] >= 0 || refused[q];
            for (n = 0; !is_over; n = n + 1) begin
                ids_of = n + 1;
                is_over = ids_of == most[q] || id_at(q, len[q] + n) == EOT || len[q] + n >= CONTEXT;
            end
        end
    endfunction
    function integer ending_of(input integer q);
        integer n;
        begin
            n = ids_of(q);
            ending_of = len[q] < 1 || len[q] > CONTEXT || bad_at[q] >= 0 || refused[q] ? 6 : most[q] == 0 ? 1
                : id_at(q, len[q] + n - 1) == EOT ? 2 : n == most[q] ? 1 : 3;
        end
    endfunction
    // Prints the first error with its request, and ends the run.
    task wrong(input [8*40-1:0] what, input integer q);
        if (!failed) begin
            failed = 1;
            $display("FAIL: %0s, request %0d at %0d", what, q, $time);
            $finish;
        end
    endtask

    // ---- the datapath ----
    // words, tokens: parts of the current step, and tokens of these parts. tok_in, tok_out: ids of the step that have
    // entered the datapath, and that it has generated. w_words: parts that the walker has got. kv_open: steps whose K
    // and V are not in memory.
    integer     word_q [0:7], word_slot [0:7], word_n [0:7], words = 0, tokens = 0, tok_in = 0, tok_out = 0, p, t, q,
        steps = 0, w_words = 0, kv_open = 0, delay = 0, ring_wait = 0, beat_wait = 0;
    reg  [63:0] seen [0:7];
    integer     tok_request [0:7], tok_pos [0:7];
    integer     rows_set = 0;                // tokens of the step that have their settings
    reg  [15:0] set_pos [0:7];
    reg  [159:0] set_draw [0:7];
    reg         leads = 0;                   // a prompt began the step with more than one token, or there are drafts
    integer     place, most_drafts, others, good;
    integer     tok_place [0:7];             // place of the id that the token has: its position if it is no draft
    reg         tok_right [0:7];             // all drafts of the part up to the token are right
    reg         open = 0, answers = 0, head = 0, ring_open = 0, beat_open = 0;
    reg  [15:0] in_step;
    always @(posedge clk) begin
        p_ready <= $unsigned($random(seed)) % 100 >= stall;
        w_ready <= $unsigned($random(seed)) % 100 >= stall;
        s_ready <= $unsigned($random(seed)) % 100 >= stall;
        id_ready <= $unsigned($random(seed)) % 100 >= stall;
        if (row_set) begin
            if (row != rows_set || SAMPLING == 0) wrong("the number of a token", row);
            set_pos[row] = row_position;
            set_draw[row] = row_draw;
            rows_set = rows_set + 1;
        end
        load_done <= load_start || (load_done && !is_idle);
        if (soft_rst || is_idle) begin
            open = 0;
            answers = 0;
            ring_open = 0;
            beat_open = 0;
            words = 0;
            w_words = 0;
            tokens = 0;
            rows_set = 0;
            n_valid <= 0;
            b_valid <= 0;
            ids_written <= 0;
            kv_done <= 0;
            kv_open = 0;
        end else begin
            // K and V of a step are in memory at a random time after its ids.
            if (kv_open > 0 && $unsigned($random(seed)) % 40 == 0) begin
                kv_done <= kv_done + 1;
                kv_open = kv_open - 1;
            end
            // the prompt
            if (p_valid && p_ready) begin
                q = (prompt_base - 64'h1_0000) / 64'h1000;
                if (p_data[55:40] != 16'd1 || p_data[5:0] != 6'd0 && BEAT_BITS == 512) wrong("a prompt", q);
                for (i = 0; i < IDS; i = i + 1) b_data[i*32 +: 32] = id_at(q, p_data[39:0] / 4 + i);
                beat_open = 1;
                beat_wait = $unsigned($random(seed)) % 5;
            end else if (beat_open && beat_wait > 0)
                beat_wait = beat_wait - 1;
            else if (beat_open) begin
                b_valid <= 1;
                beat_open = 0;
            end
            if (b_valid && b_ready) b_valid <= 0;
            // the step words
            if (s_valid && s_ready) begin
                if (words == 0) begin
                    in_step = 16'd0;
                    leads = 0;
                end
                p = s_data[STEP_SLOT +: STEP_SLOT_W];
                q = request_of[p];
                if (q < 0) wrong("a step of an empty slot", p);
                if (in_step[p]) wrong("two parts of a slot", q);
                in_step[p] = 1'b1;
                if (s_data[STEP_POS +: STEP_POS_W] != pos[q]) wrong("the position", q);
                if (s_data[STEP_KROWS +: STEP_KROWS_W] != (pos[q] + CHANNELS - 1) / CHANNELS) wrong("krows", q);
                if (s_data[STEP_VBLOCKS +: STEP_VBLOCKS_W] != pos[q] / 64) wrong("vblocks", q);
                if (s_data[STEP_TOK +: STEP_TOK_W] != tokens) wrong("tok", q);
                t = s_data[STEP_NTOK +: STEP_NTOK_W];
                if (t < 1 || tokens + t > TOKENS || (pos[q] >= len[q] && t > 1 + DRAFTS)) wrong("ntok", q);
                if (pos[q] < len[q] && pos[q] + t > len[q]) wrong("a part beyond the prompt", q);
                if ((words == 0 || pos[q] >= len[q]) && t > 1) leads = 1;
                if (pos[q] / 64 != (pos[q] + t - 1) / 64) wrong("a block is crossed", q);
                if (words > 0 && s_data[STEP_HEAD] != head) wrong("head", q);
                head = s_data[STEP_HEAD];
                if (pos[q] + t >= len[q] && !head) wrong("no head", q);
                for (i = 0; i < t; i = i + 1) begin
                    if (SAMPLING == 1 && set_pos[tokens+i] != pos[q] + i) wrong("the position of a draw", q);
                    if (SAMPLING == 1 && set_draw[tokens+i] != ((i == t - 1 || pos[q] >= len[q]) && pos[q] + t >= len[q]
                        ? draw_of(q) : 0)) wrong("the settings of a draw", q);
                    tok_request[tokens+i] = q;
                    tok_pos[tokens+i] = pos[q] + i;
                    tok_place[tokens+i] = pos[q] + i;
                    tok_right[tokens+i] = 1;
                end
                if (pos[q] < len[q]) pos[q] = pos[q] + t;
                else begin
                    // the drafts
                    place = LIST == 1 && predicts[q] && pos[q] + DRAFTS < CONTEXT ? pos[q]
                        : DRAFTS > 0 ? place_of(q, pos[q]) : -1;
                    most_drafts = 63 - pos[q] % 64;
                    if (most[q] - made[q] - 1 < most_drafts) most_drafts = most[q] - made[q] - 1;
                    if (CONTEXT - 1 - pos[q] < most_drafts) most_drafts = CONTEXT - 1 - pos[q];
                    others = 0;
                    for (i = 0; i < SLOTS; i = i + 1)
                        if (request_of[i] >= 0 && slots[i] && !in_step[i]) others = others + (made[request_of[i]] > 0);
                    if (others > PARTS - words - 1) others = PARTS - words - 1;
                    if (TOKENS - tokens - 1 - others < most_drafts) most_drafts = TOKENS - tokens - 1 - others;
                    if (most_drafts < 0) most_drafts = 0;
                    if (DRAFTS < most_drafts) most_drafts = DRAFTS;
                    if (place < 0) most_drafts = 0;
                    if (any_stopped && place >= 0) unsure[q] = 1;
                    unused = unused + (most_drafts > 0 && t == 1);
                    if (t - 1 > (confidence[q] >= 2 || unsure[q] ? most_drafts : 0)) wrong("too many drafts", q);
                    if (t - 1 != most_drafts && confidence[q] >= 2 && !unsure[q]) wrong("a draft is missing", q);
                    if (most_drafts > 0 && id_at(q, place + 1) == id_at(q, pos[q] + 1))
                        confidence[q] = confidence[q] < 3 ? confidence[q] + 1 : 3;
                    else if (most_drafts > 0)
                        confidence[q] = confidence[q] > 0 ? confidence[q] - 1 : 0;
                    good = 0;
                    for (i = 1; i < t; i = i + 1) begin
                        tok_place[tokens+i] = place + i;
                        tok_right[tokens+i] = tok_right[tokens+i-1] && id_at(q, place + i) == id_at(q, pos[q] + i);
                        if (tok_right[tokens+i] && made[q] + i < ids_of(q)) good = i;
                    end
                    drafted[q] = drafted[q] + t - 1;
                    right[q] = right[q] + good;
                    all_right = all_right + good;
                    if (place == pos[q]) all_predicted = all_predicted + good;
                    pos[q] = pos[q] + 1 + good;
                end
                tokens = tokens + t;
                seen[words] = s_data;
                words = words + 1;
                if (words > PARTS) wrong("too many parts", q);
                if (!s_data[STEP_MORE]) begin
                    open = 1;
                    tok_in = 0;
                    if (rows_set != (SAMPLING == 1 ? tokens : 0)) wrong("tokens without settings", q);
                    rows_set = 0;
                    steps = steps + 1;
                    for (i = 0; i < SLOTS; i = i + 1) begin
                        waited[i] = in_step[i] || !slots[i] ? 0 : waited[i] + 1;
                        if (waited[i] > SLOTS) wrong("a slot waits", i);
                        if (leads && words < PARTS && slots[i] && !in_step[i] && request_of[i] >= 0)
                            if (made[request_of[i]] > 0) wrong("no token for a slot that generates", i);
                    end
                end
            end
            if (w_valid && w_ready) begin
                if (w_words < words && w_data != seen[w_words]) wrong("the walker's word", 0);
                w_words = w_words + 1;
            end
            // ids in
            if (id_valid && id_ready) begin
                if (!open) wrong("an id without a step", 0);
                if (id_user[TOK_W-1:0] != tok_in || id_last != (tok_in == tokens - 1) || id_user[TOK_W] != id_last)
                    wrong("the mark of an id", tok_request[tok_in]);
                if (id_data != id_at(tok_request[tok_in], tok_place[tok_in])) wrong("an id", tok_request[tok_in]);
                tok_in = tok_in + 1;
                if (id_last) begin
                    open = 0;
                    kv_open = kv_open + 1;
                    answers = head;
                    tok_out = 0;
                    delay = $unsigned($random(seed)) % 20;
                    for (i = 0; i < tokens; i = i + 1)
                        row_hash[i*64 +: 64] <= hash_at(tok_request[i], tok_pos[i] + 1);
                    words = 0;
                    w_words = 0;
                    if (!head) tokens = 0;
                end
            end
            // ids out
            if (n_valid && n_ready) begin
                n_valid <= 0;
                tok_out = tok_out + 1;
                if (tok_out == tokens) begin
                    answers = 0;
                    tokens = 0;
                end
            end else if (answers && !n_valid) begin
                if (delay > 0) delay = delay - 1;
                else begin
                    n_valid <= 1;
                    n_data <= tok_right[tok_out] ? id_at(tok_request[tok_out], tok_pos[tok_out] + 1)
                        : $unsigned($random(seed)) % 2 == 0 ? id_at(tok_request[tok_out], tok_place[tok_out] + 1)
                        : $unsigned($random(seed)) % VOCAB;
                    n_user <= {tok_out == tokens - 1, tok_out[TOK_W-1:0]};
                end
            end
            // the ring
            r_ready <= !ring_open && !(r_valid && r_ready);
            if (r_valid && r_ready) begin
                p = r_data[63:60];
                q = request_of[p];
                if (q < 0) wrong("an id of an empty slot", p);
                if (ring_base != 64'h80_0000 + q * 64'h1000) wrong("the ring", q);
                if (r_data[59:32] != made[q]) wrong("an index in the ring", q);
                if (r_data[31:0] != id_at(q, len[q] + made[q])) wrong("an id in the ring", q);
                hash[q] = {hash[q][62:0], hash[q][63]} + hash_at(q, len[q] + made[q]);
                made[q] = made[q] + 1;
                ring_open = 1;
                ring_wait = 3 + $unsigned($random(seed)) % 30;
            end else if (ring_open) begin
                if (ring_wait > 0) ring_wait = ring_wait - 1;
                else begin
                    ring_open = 0;
                    ids_written <= ids_written + 1;
                end
            end
        end
    end

    // ---- the host ----
    reg         begins = 0;
    always @(posedge clk) start <= begins || (start && !done);
    integer     s, at, free, was, forgets, kind, breaks, accepted, late = 0;
    reg  [31:0] count_before;
    reg         in_end;                      // the submission came after the end of the last request
    wire        ending_now = start && slots[15:0] == 16'd0 && status[4:0] >= 5'd12 && status[4:0] <= 5'd14;
    // Draws a request and sets the argument registers: kind 0 to 4 are an empty or too long prompt, one that almost
    // fills the context, max_new 0, and a bad id.
    task arguments(input integer number, input integer into);
        begin
            kind = $unsigned($random(seed)) % 12;
            len[number] = kind == 0 ? 0 : kind == 1 ? CONTEXT + 1 : kind == 2 ? CONTEXT - 3
                : 1 + $unsigned($random(seed)) % (kind < 6 ? 3 : 40);
            most[number] = kind == 3 ? 0 : 1 + $unsigned($random(seed)) % (DRAFTS > 0 ? 60 : 12);
            drafted[number] = 0;
            right[number] = 0;
            confidence[number] = CONFIDENCE;
            unsure[number] = 0;
            bad_at[number] = kind == 4 ? len[number] - 1 : -1;
            parent[number] = latest[into];
            fork_at[number] = 0;
            asks[number] = 0;
            had[number] = holds[into];
            if (PREFIX == 1 && kind > 3 && $unsigned($random(seed)) % 4 != 0) begin
                // kind 5: any position, also one that is refused; 6: a whole block; else the last ones held.
                asks[number] = kind == 5 && number % 2 == 0 ? holds[into] + $unsigned($random(seed)) % 3
                    : kind == 5 ? $unsigned($random(seed)) % (holds[into] + 3)
                    : kind == 6 ? holds[into] / 64 * 64
                    : holds[into] - (holds[into] > 0 ? $unsigned($random(seed)) % ((holds[into] - 1) % 64 + 1) : 0);
                fork_at[number] = asks[number] < holds[into] ? asks[number] : holds[into];
                if ((kind != 5 || number % 4 != 1) && len[number] <= asks[number])
                    len[number] = asks[number] + 1 + $unsigned($random(seed)) % 4;
                if (len[number] > CONTEXT) len[number] = CONTEXT;
                if (bad_at[number] >= 0) bad_at[number] = len[number] - 1;
            end
            refused[number] = PREFIX == 1 && asks[number] != 0 && len[number] > 0 && len[number] <= CONTEXT
                && (asks[number] >= len[number] || asks[number] > holds[into]
                || (asks[number] % 64 != 0 && asks[number] / 64 != (holds[into] - 1) / 64));
            if (refused[number]) fork_at[number] = 0;
            refusals = refusals + refused[number];
            begun_after = begun_after + (refused[number] ? 0 : asks[number]);
            for (at = 0; at < 128; at = at + 1)
                ids[number*128+at] = at < fork_at[number] ? ids[parent[number]*128+at] : text_at(number, at);
            latest[into] = number;
            prefix = asks[number];
            pos[number] = refused[number] ? 0 : asks[number];
            made[number] = 0;
            hash[number] = 0;
            stopped[number] = 0;
            prompt_len = len[number];
            max_new = most[number];
            draw = draw_of(number);
            prompt_ptr = 64'h1_0000 + number * 64'h1000;
            ring_ptr = 64'h80_0000 + number * 64'h1000;
            predicts[number] = LIST == 1 && number % 3 == 0 && len[number] <= CONTEXT;
            if (predicts[number] || (LIST == 1 && stale[into])) begin
                slot = into;
                list_word = len[number];
                list_set = 1;
                @(posedge clk);
                #0.5 list_set = 0;
                for (at = len[number]; predicts[number] && at <= CONTEXT; at = at + 1) begin
                    list_word = id_at(number, at);         // the last one has no place
                    list_put = 1;
                    @(posedge clk);
                    #0.5 list_put = 0;
                end
            end
            stale[into] = 0;
        end
    endtask
    // Compares the results of the request in slot s, which has ended.
    task results(input integer number);
        begin
            slot = s;
            repeat (3) @(posedge clk);
            #0.5;
            holds[s] = PREFIX == 1 && made[number] > 0 ? len[number] + made[number] - 1 : 0;
            if (!broken && held != holds[s]) wrong("the positions held", number);
            if (broken && (breaks == 1 ? fault_code == 5 : ending == 5)) dead = 1;
            if (broken && (breaks == 1 ? fault_code == 5 : ending == 5)) begin
                if (fault_code != (breaks == 1 ? 5 : 0) || ending != (breaks == 1 ? 6 : 5)) wrong("a fault", number);
            end else if (stopped[number] && ending == 4) begin
                if (fault_code != 0 || ids_count != made[number]) wrong("a stop", number);
            end else begin
                if (ids_count != ids_of(number) || made[number] != ids_of(number)) wrong("the number of ids", number);
                if (ending != ending_of(number)) wrong("the ending", number);
                if (fault_code != (len[number] < 1 ? 1 : len[number] > CONTEXT ? 2 : refused[number] ? 11
                    : bad_at[number] >= 0 ? 4 : 0))
                    wrong("the fault", number);
                if (fault_code == 11 && fault_place != had[number]) wrong("the place of a prefix", number);
                if (fault_code == 4 && fault_place != bad_at[number]) wrong("the place", number);
                if (logits_hash != hash[number]) wrong("the hash", number);
            end
            if (!broken && draft_counts !== {32'd0, right[number], 32'd0, drafted[number]})
                wrong("the drafts that were counted", number);
            request_of[s] = -1;
            waited[s] = 0;
            over = over + 1;
        end
    endtask
    // Reads the results of all slots that are no longer busy.
    task collect;
        for (s = 0; s < SLOTS; s = s + 1)
            if (request_of[s] >= 0 && !slots[s]) results(request_of[s]);
    endtask

    initial begin
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        for (i = 0; i < 16; i = i + 1) begin
            request_of[i] = -1;
            waited[i] = 0;
            stale[i] = 0;
            latest[i] = 0;
            holds[i] = 0;
        end
        repeat (8) @(posedge clk);
        #0.5 rst = 0;
        for (run = 0; run < RUNS; run = run + 1) begin
            broken = 0;
            any_stopped = 0;
            breaks = run % 3;                // 1: a kernel fault, 2: a kill
            repeat (5) @(posedge clk);
            #0.5 slot = PREFIX == 1 ? $random(seed) : 0;
            if (PREFIX == 1 && run % 3 == 1)               // the run before had no fault, so slots hold positions
                for (s = 0; s < SLOTS; s = s + 1) if (holds[s] > 0) slot = s;
            from = slot < SLOTS ? slot : 0;
            dead = 0;
            was = latest[from];
            arguments(sent, from);
            for (s = 0; s < 50 && PREFIX == 1 && run % 3 == 1 && (asks[sent] == 0 || refused[sent]); s = s + 1) begin
                latest[from] = was;
                arguments(sent, from);
            end
            if (PREFIX == 1 && run % 6 == 1 && len[sent] > 0 && len[sent] <= CONTEXT && most[sent] > 0
                && !refused[sent]) begin
                // Another image, which the design finds after its first check of the request: nothing is held any more.
                checksum = checksum + 64'd1;
                for (s = 0; s < SLOTS; s = s + 1) holds[s] = 0;
                refused[sent] = asks[sent] > 0;
                had[sent] = 0;
                others_refused = others_refused + refused[sent];
                if (refused[sent]) pos[sent] = 0;
            end
            request_of[from] = sent;
            sent = sent + 1;
            begins = 1;
            repeat (2) @(posedge clk);
            #0.5 begins = 0;
            while (PREFIX == 1 && slots[15:0] == 16'd0 && start) @(posedge clk);
            #0.5;
            accepted = 1;
            while (start && !failed) begin
                kind = $unsigned($random(seed)) % 6;
                if (kind < 2) begin
                    // Waits until the last request has ended, or until the flush after it, and a random time longer.
                    for (i = 0; i < 3000 && start && !(ending_now && (kind == 0 || status[4:0] != 5'd12)); i = i + 1)
                        @(posedge clk);
                    repeat ($unsigned($random(seed)) % 24) if (start) @(posedge clk);
                end else
                    repeat (1 + $unsigned($random(seed)) % 60) @(posedge clk);
                #0.5;
                if (start && breaks != 0 && accepted > 9 && !broken) begin
                    broken = 1;
                    if (breaks == 1) kernel_fault = 1;
                    else halt = 2;
                end else if (start && !broken && accepted < REQUESTS) begin
                    collect;
                    free = -1;
                    for (i = 0; i < SLOTS; i = i + 1) if (request_of[i] < 0) free = i;
                    if (start && free >= 0) begin
                        slot = free;
                        was = latest[free];
                        arguments(sent, free);
                        count_before = slots;
                        request_of[free] = sent;
                        in_end = ending_now;
                        submit = 1;
                        @(posedge clk);
                        #0.5 submit = 0;
                        repeat (2) @(posedge clk);
                        #0.5 draw = 160'd0;              // the request keeps the settings of its acceptance
                        prefix = 32'hffff_ffff;
                        if (start && !done && slots[31:16] == count_before[31:16]) wrong("a submission is lost", sent);
                        if (in_end && slots[31:16] != count_before[31:16]) late = late + 1;
                        if (slots[31:16] != count_before[31:16]) begin
                            sent = sent + 1;
                            accepted = accepted + 1;
                        end else begin
                            request_of[free] = -1;
                            latest[free] = was;
                            stale[free] = 1;
                        end
                    end else if (PREFIX == 1 && start && $unsigned($random(seed)) % 4 == 0) begin
                        forgets = $unsigned($random(seed)) % SLOTS;
                        if (request_of[forgets] < 0) begin
                            slot = forgets;
                            forget = 1;
                            @(posedge clk);
                            #0.5 forget = 0;
                            holds[forgets] = 0;
                        end
                    end else if (start && $unsigned($random(seed)) % 10 == 0) begin
                        slot = $unsigned($random(seed)) % SLOTS;
                        if (request_of[slot] >= 0) stopped[request_of[slot]] = 1;
                        any_stopped = 1;
                        cancel = 1;
                        @(posedge clk);
                        #0.5 cancel = 0;
                    end
                end
            end
            repeat (4) @(posedge clk);
            #0.5 kernel_fault = 0;
            halt = 0;
            collect;
            for (i = 0; i < SLOTS; i = i + 1) if (request_of[i] >= 0) wrong("a request that never ends", request_of[i]);
            for (s = 0; s < SLOTS; s = s + 1) begin
                slot = s;
                repeat (2) @(posedge clk);
                #0.5;
                if (dead || (broken && held == 0)) holds[s] = 0; // a kill may come after the last request has ended
                if (PREFIX == 1 && held != holds[s]) wrong("the positions held after a run", s);
            end
        end
        if (!failed && over != sent) $display("FAIL: %0d of %0d requests", over, sent);
        else if (!failed && PREFIX == 1 && (begun_after < 100 || refusals < 2 || others_refused == 0))
            $display("FAIL: %0d positions were kept, %0d and %0d requests refused", begun_after, refusals,
                others_refused);
        else if (!failed && late == 0) $display("FAIL: no request came at the end of a run");
        else if (!failed && DRAFTS > 0 && (all_right == 0 || (unused == 0 && TOKENS > 4)))
            $display("FAIL: %0d right drafts, %0d steps without the drafts that were found", all_right, unused);
        else if (!failed && LIST == 1 && all_predicted == 0) $display("FAIL: no right draft of a list");
        else if (!failed) $display("PASS");
        $finish;
    end
    initial #(DRAFTS > 0 ? 1000000 : 300000) if (!failed) begin
        $display("FAIL: the run does not end");
        $finish;
    end
endmodule

`default_nettype wire
