// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_token_loop with a model of the datapath.
// - Requests end by count, by each end id and by the end of the context.
// - Requests are refused or fail: wrong length, pointers, channel bases, a bad prompt id, a kernel fault and a memory
//   error in the middle, another image, a stop, a kill, a ring that is too short, a memory that stops answering
//   (watchdog), a second clock that is lost, late or missing. Good requests come between them.
// - Step words, ids, the words of the ring and the steps of the segment walker are compared with the rules.
// - soft_rst must come only when the memory is quiet. After RESET_WAY registers it must be over before the flush ends
//   and before anything is sent.
// - The model gives the hash of a row HASH_WAIT - 2 cycles after its id, and keeps it until HASH_WAIT - 1 cycles after
//   the word of the ring. With DRAFTS it gives the hashes of all tokens HASH_WAIT - 2 cycles after the step's first id.
// - DRAFTS: the ids repeat, with exceptions, so some drafts are wrong. A step's drafts may be any ids. The ids before
//   the first wrong draft must be accepted, and the next step must begin after them. The model gives random ids after a
//   wrong draft. Each token of a step has its own hash.
// - PREFIX: requests begin at position 0, at positions in the last block of the previous request, and at its end. A
//   request with another position is refused, and so is any position above 0 after a fault, with another image, and
//   after `forget`. `held` is compared with the rules after each request, also after a kill and a stop.
// - LIST: the ids of a request never repeat, so all drafts come from the list of the host. It is written before a third
//   of the requests, and at random times during another third, with wrong ids and ids beyond the vocabulary. The other
//   requests must have no drafts, also after faults and kills.
// In MODE 1 a request has only rows and no ids.
// The number of a check in a message is the argument of its call of `fail`.
// Sets for verif/modules/run.sh:
// sweep: MODE=0 CHANNELS=1 TOKENS=1 BEAT_BITS=256 KV_LAYERS=2
// sweep: MODE=0 CHANNELS=3 TOKENS=4 BEAT_BITS=512 KV_LAYERS=1 END_IDS=3
// sweep: MODE=0 CHANNELS=8 TOKENS=8 BEAT_BITS=256 KV_LAYERS=0 END_IDS=8 RESET_WAY=5 HASH_WAIT=16
// sweep: MODE=1 CHANNELS=1 TOKENS=1 BEAT_BITS=512 KV_LAYERS=0 RESET_WAY=16
// sweep: MODE=1 CHANNELS=2 TOKENS=2 BEAT_BITS=256 KV_LAYERS=0
// quick: MODE=0 CHANNELS=3 TOKENS=4 BEAT_BITS=512 KV_LAYERS=1 END_IDS=3 HASH_WAIT=16
// sweep: MODE=0 CHANNELS=3 TOKENS=4 BEAT_BITS=512 KV_LAYERS=1 END_IDS=3 DRAFTS=3 CONFIDENCE=3 HASH_WAIT=16
// sweep: MODE=0 CHANNELS=2 TOKENS=8 BEAT_BITS=256 KV_LAYERS=1 DRAFTS=5 CONFIDENCE=3
// sweep: MODE=0 CHANNELS=3 TOKENS=4 BEAT_BITS=256 KV_LAYERS=1 PREFIX=1
// sweep: MODE=0 CHANNELS=1 TOKENS=1 BEAT_BITS=512 KV_LAYERS=2 PREFIX=1
// sweep: MODE=0 CHANNELS=2 TOKENS=8 BEAT_BITS=256 KV_LAYERS=1 DRAFTS=5 CONFIDENCE=3 PREFIX=1
// quick: MODE=0 CHANNELS=3 TOKENS=4 BEAT_BITS=256 KV_LAYERS=1 DRAFTS=3 CONFIDENCE=3 PREFIX=1
// sweep: MODE=0 CHANNELS=1 TOKENS=2 BEAT_BITS=256 KV_LAYERS=2 DRAFTS=1 CONFIDENCE=3
// sweep: MODE=0 CHANNELS=3 TOKENS=4 BEAT_BITS=256 KV_LAYERS=1 DRAFTS=3 CONFIDENCE=3 LIST=1
// sweep: MODE=0 CHANNELS=2 TOKENS=8 BEAT_BITS=512 KV_LAYERS=1 DRAFTS=7 CONFIDENCE=2 PREFIX=1 LIST=1
// quick: MODE=0 CHANNELS=3 TOKENS=4 BEAT_BITS=512 KV_LAYERS=1 END_IDS=3 DRAFTS=3 CONFIDENCE=3 HASH_WAIT=16
// quick: MODE=0 CHANNELS=3 TOKENS=4 BEAT_BITS=256 KV_LAYERS=1 DRAFTS=3 CONFIDENCE=3 LIST=1
// quick: MODE=1 CHANNELS=2 TOKENS=2 BEAT_BITS=256 KV_LAYERS=0 RESET_WAY=16
`default_nettype none
`timescale 1ns / 1ps

module rill_token_loop_tb;
    `include "rill_fields.vh"
    // Parameters without a comment are those of the module.
    parameter MODE = 0;
    parameter CHANNELS = 3;
    parameter TOKENS = 4;
    parameter BEAT_BITS = 512;
    parameter KV_LAYERS = 1;
    parameter END_IDS = 1;
    parameter RESET_WAY = 2;
    parameter HASH_WAIT = 4;
    parameter DRAFTS = 0;
    parameter CONFIDENCE = 1;
    parameter PREFIX = 0;
    parameter LIST = 0;
    localparam HASHES = DRAFTS > 0 ? TOKENS : 1;
    localparam CONTEXT = 40;
    localparam VOCAB = 97;
    localparam TOK_W = TOKENS > 1 ? $clog2(TOKENS) : 1;
    localparam IDS = BEAT_BITS / 32;

    reg         clk = 0, rst = 1;
    integer     seed, idle, stall, i, cycles = 0;
    reg         start = 0;
    wire        done, is_idle, load_start, flush, soft_rst;
    reg  [31:0] prompt_len, max_new;
    reg  [END_IDS*32-1:0] eot_id;
    integer     end_at = 0;                  // index of the end id that the model generates
    reg         ignore_eot;
    reg  [63:0] prompt_ptr, ring_ptr;
    localparam BASES = CHANNELS + 1;
    reg  [BASES*64-1:0] channel_base;
    reg         flushed = 0;
    wire [31:0] status, ids_count, fault_code, fault_place, fault_channel, fault_state, ending;
    wire [63:0] fault_address;
    reg  [31:0] ring_ids = 0, watchdog = 0;
    reg  [31:0] prefix = 0;
    reg         forget = 0;
    wire [31:0] held;
    integer     begin_at = 0, want_held = 0; // position at which the next request begins; positions held
    reg         same_image = 0;              // the next request has the image of the one before
    reg  [1:0]  halt = 0;
    reg  [1:0]  clock_state = 2'b01;         // {failed, ready}
    integer     clock_late = 0;              // cycles until the second clock is as clock_comes says
    integer     clock_comes = 2;             // 2: ready; 1: it has failed
    reg  [63:0] idle_engines = {64{1'b1}};
    reg         dead = 0;                    // the memory no longer answers
    integer     halt_at = -1, halt_kind = 0; // halt becomes halt_kind (1 stop, 2 kill) in the step of position halt_at
    integer     dones = 0;                   // pulses of done
    reg  [1:0]  load_done;
    reg         bad_image = 0, image_wrong = 0;
    reg  [63:0] sum;                         // checksum of the image in the memory
    wire [63:0] image;
    reg         quiet;
    reg  [31:0] kv_done, out_done, ids_written;
    reg  [3:0]  kernel_fault;
    reg  [2:0]  memory_error;
    wire        p_valid, b_ready, w_valid, s_valid, id_valid, id_last, n_ready, r_valid;
    reg         p_ready, b_valid, w_ready, s_ready, id_ready, n_valid, r_ready;
    wire [55:0] p_data;
    wire [15:0] p_beats = p_data[DESCRIPTOR_BEATS +: DESCRIPTOR_BEATS_W];
    wire [39:0] p_offset = p_data[DESCRIPTOR_OFFSET +: DESCRIPTOR_OFFSET_W];
    reg  [BEAT_BITS-1:0] b_data;
    wire [63:0] w_data, s_data, r_data;
    wire [31:0] id_data;
    wire [TOK_W:0] id_user;
    reg  [31:0] n_data;
    reg  [TOK_W:0] n_user;

    rill_token_loop #(.MODE(MODE), .CHANNELS(CHANNELS), .TOKENS(TOKENS), .BEAT_BITS(BEAT_BITS), .CONTEXT(CONTEXT),
        .VOCAB(VOCAB), .END_IDS(END_IDS),
        .KV_LAYERS(KV_LAYERS), .LOADERS(2), .FAULTS(4), .MEMORY_ERRORS(3),
        .BASES(BASES), .ADDR_BITS(36), .RESET_WAY(RESET_WAY), .HASH_WAIT(HASH_WAIT), .DRAFTS(DRAFTS),
        .CONFIDENCE(CONFIDENCE), .PREFIX(PREFIX), .LIST(LIST)) dut (
        .clk(clk), .rst(rst), .start(start), .done(done), .idle(is_idle), .prompt_len(prompt_len), .max_new(max_new),
        .prefix(prefix), .forget(forget), .held(held),
        .eot_id(eot_id),
        .ignore_eot(ignore_eot), .prompt_ptr(prompt_ptr), .ring_ptr(ring_ptr), .channel_base(channel_base),
        .ring_ids(ring_ids), .watchdog(watchdog), .halt(halt), .clock_state(clock_state), .fault_address(fault_address),
        .fault_channel(fault_channel),
        .fault_state(fault_state), .ending(ending), .error_is_write(3'b010),
        .error_address({64'd3, 64'h2_0000_0040, 64'd1}),
        .progress(!dead && traffic), .idle_engines(idle_engines), .status(status), .ids_count(ids_count),
        .fault_code(fault_code), .fault_place(fault_place), .load_start(load_start), .load_done(load_done),
        .image(image), .image_wrong(image_wrong),
        .image_place(2'd2), .image_checksum(sum), .row_hash(row_hash), .top_k(32'd0), .draft_events(draft_events),
        .list_set(list_set), .list_put(list_put), .list_word(list_word),
        .logits_hash(logits_hash), .flush(flush),
        .soft_rst(soft_rst), .quiet(quiet), .kv_layers_done(kv_done), .out_steps_done(out_done),
        .ids_written(ids_written),
        .kernel_fault(kernel_fault), .memory_error(memory_error),
        .m_axis_prompt_desc_tvalid(p_valid), .m_axis_prompt_desc_tready(p_ready), .m_axis_prompt_desc_tdata(p_data),
        .s_axis_prompt_tvalid(b_valid), .s_axis_prompt_tready(b_ready), .s_axis_prompt_tdata(b_data),
        .m_axis_walk_step_tvalid(w_valid), .m_axis_walk_step_tready(w_ready), .m_axis_walk_step_tdata(w_data),
        .m_axis_step_tvalid(s_valid), .m_axis_step_tready(s_ready), .m_axis_step_tdata(s_data),
        .m_axis_id_tvalid(id_valid), .m_axis_id_tready(id_ready), .m_axis_id_tdata(id_data), .m_axis_id_tuser(id_user),
        .m_axis_id_tlast(id_last),
        .s_axis_next_id_tvalid(n_valid), .s_axis_next_id_tready(n_ready), .s_axis_next_id_tdata(n_data),
        .s_axis_next_id_tuser(n_user),
        .s_axis_next_id_tlast(1'b1),
        .m_axis_ring_tvalid(r_valid), .m_axis_ring_tready(r_ready), .m_axis_ring_tdata(r_data));
    always #1 clk = !clk;

    // Expectations of the request.
    integer     prompt [0:255];
    integer     decode, bad_at, break_at;    // break_at: position in whose step something fails, -1 none
    reg  [31:0] bad_id, eot_high;            // id at position bad_at; high bits that are added to the end id
    integer     break_kind;                  // 5 kernel, 6 memory, 10 second clock, 11 second clock with errors
    integer     want_ids, want_code, want_place;
    reg         eot_ends;
    // State of the model of the datapath. step_open: ids of the current step have not come yet. answer: the model has
    // not yet given all ids of the step's argmax. outstanding: reads that the memory has not answered.
    integer     step_pos, step_ntok, step_tok, steps_seen, ids_seen, walk_pos, ring_seen, beat_next, beats_want,
        outstanding, answer_tok;
    reg         step_open, answer, prompt_open, prompt_given;
    integer     load_wait, resets;
    reg  [HASHES*64-1:0] row_hash = {HASHES*64{1'bx}}, next_hash;
    reg  [63:0] want_hash;
    wire [1:0]  draft_events;
    reg         gen_step = 0;                // the first id of the current step is a generated one
    reg  [63:0] last_word;                   // step word of the latest such step (DRAFTS)
    reg  [31:0] fed [0:7];                   // ids of the current step
    integer     end_pos = 0;                 // the only position whose id ends the request
    // With DRAFTS. gen_pos: position of the latest generating step. right: generated ids of this step that are used,
    // one more than the step has right drafts. ring_tok: token of the step whose id comes next on the ring. gen_steps:
    // generating steps of the request. sent_drafts, right_drafts: pulses of draft_events in the request. all_right,
    // all_wrong: right and wrong drafts of all requests.
    integer     gen_pos, right, ring_tok, gen_steps, sent_drafts, right_drafts;
    integer     all_right = 0, all_wrong = 0;
    // With LIST. number: of the request; its remainder by 3 says when its list is written: 0 never, 1 at random times
    // while it runs, 2 before it.
    reg         list_set = 0, list_put = 0;
    reg  [31:0] list_word;
    integer     number = 0, listing, list_place;
    wire [63:0] logits_hash;
    integer     hash_wait = 0, hash_kept = 0; // cycles until the hash of a row comes, and until it goes
    reg         traffic = 0;                 // something was sent that leads to traffic at the memory
    reg         failed = 0;
    reg         was_soft = 0;
    reg  [RESET_WAY-1:0] far = {RESET_WAY{1'b1}}, far_soft = 0; // resets on their way; the modules see the last bit
    reg         alive = 0;                   // between load_start and soft_rst

    // Returns 1 in `percent` percent of its calls.
    function chance(input integer percent);
        chance = $urandom_range(99) < percent;
    endfunction

    // Returns the id that the model generates after position pos.
    function integer made(input integer pos);
        made = DRAFTS == 0 ? (pos * 37 + 11) % VOCAB       // with DRAFTS, ids repeat with exceptions; with LIST, not
            : LIST == 1 && pos != end_pos ? (pos * 37 + 11) % (VOCAB - 1)
            : pos == end_pos ? VOCAB - 1 : pos % 4 * 13 + (pos % 11 == 10 ? 3 : 0);
    endfunction

    // Prints the number of the first check that fails, and ends the run.
    task fail(input integer what);
        begin
            if (!failed)
                $display("FAIL: check %0d, cycle %0d, status %h, position %0d", what, cycles, status, step_pos);
            failed = 1;
            $finish;
        end
    endtask

    // Returns the expected step word at a position, without drafts.
    function [63:0] step_word(input integer pos);
        integer ntok;
        begin
            ntok = pos >= prompt_len ? 1
                : prompt_len - pos < TOKENS - pos % TOKENS ? prompt_len - pos : TOKENS - pos % TOKENS;
            step_word = 0;
            step_word[STEP_POS +: STEP_POS_W] = pos;
            step_word[STEP_NTOK +: STEP_NTOK_W] = ntok;
            step_word[STEP_HEAD] = MODE == 1 || pos + ntok >= prompt_len;
            step_word[STEP_FINAL] = pos + ntok == prompt_len + decode;
            step_word[STEP_KROWS +: STEP_KROWS_W] = (pos + CHANNELS - 1) / CHANNELS;
            step_word[STEP_VBLOCKS +: STEP_VBLOCKS_W] = pos / 64;
        end
    endfunction

    // Returns whether a request that ends with this fault must not have requested any transaction.
    function untouched(input integer code, input integer place);
        untouched = (code >= 1 && code <= 3) || code == 9 || (code == 10 && place == 1)
            || (code == 11 && same_image);
    endfunction

    // Resets the model, as soft_rst resets the datapath.
    task model_reset;
        begin
            step_open = 0;
            alive = 0;
            answer = 0;
            prompt_open = 0;
            b_valid <= 0;
            n_valid <= 0;
            outstanding = 0;
            kv_done <= 0;
            out_done <= 0;
            ids_written <= 0;
            kernel_fault <= 0;
            memory_error <= 0;
            load_done <= 0;
            image_wrong <= 0;
            load_wait = 0;
        end
    endtask

    always @(posedge clk) if (!failed) begin
        cycles = cycles + 1;
        if (cycles > 200000) fail(1);
        p_ready <= !chance(stall);
        w_ready <= !chance(stall);
        s_ready <= !chance(stall) && !step_open;
        id_ready <= !chance(stall);
        r_ready <= !chance(stall);
        // Reads ahead are in flight until a flush lets them drain.
        if (w_valid && w_ready && !flush)
            outstanding = 5 + $urandom_range(20);
        if (flush && outstanding > 0 && chance(30))
            outstanding = outstanding - 1;
        quiet <= outstanding == 0 && !dead;
        if (done)
            dones = dones + 1;
        if (soft_rst && outstanding != 0) fail(2);
        if (soft_rst && !was_soft)
            resets = resets + 1;
        was_soft = soft_rst;
        if (far[RESET_WAY-1] && (load_start || p_valid || w_valid || s_valid)) fail(28);
        if (far_soft[RESET_WAY-1] && !flush) fail(29);
        far <= {far[RESET_WAY-2:0], soft_rst || rst};
        far_soft <= {far_soft[RESET_WAY-2:0], soft_rst};

        if (load_start || p_valid || w_valid || s_valid || r_valid)
            traffic = 1;
        load_done <= 0;
        if (load_start) begin
            load_wait = dead ? 0 : 10;
            alive = 1;
        end else if (load_wait > 0) begin
            load_wait = load_wait - 1;
            load_done <= load_wait == 6 && !bad_image ? 2'b01 : load_wait == 1 ? 2'b10 : 2'b00;
            if (bad_image && load_wait == 3)
                image_wrong <= 1;
        end

        if (p_valid && p_ready) begin
            if (p_beats !== (prompt_len + IDS - 1) / IDS || p_offset !== 0 || prompt_given) fail(3);
            prompt_open = 1;
            prompt_given = 1;
            beat_next = 0;
        end
        if (b_valid && b_ready)
            b_valid <= 0;
        if ((!b_valid || b_ready) && prompt_open && beat_next * IDS < prompt_len && !chance(idle)) begin
            b_valid <= 1;
            for (i = 0; i < IDS; i = i + 1)
                b_data[i*32 +: 32] <= beat_next * IDS + i < prompt_len ? prompt[beat_next*IDS + i] : 32'hFFFF_FFFF;
            beat_next = beat_next + 1;
        end

        if (w_valid && w_ready) begin
            if (DRAFTS != 0 && walk_pos >= prompt_len) begin
                if (w_data !== last_word || !gen_step) fail(32);
            end else if (w_data !== step_word(walk_pos)) fail(4);
            walk_pos = walk_pos + w_data[19:16];
        end

        if (s_valid && s_ready) begin
            step_ntok = s_data[19:16];
            gen_step = MODE == 0 && step_pos >= prompt_len;
            if (step_open || answer) fail(5);
            if (DRAFTS != 0 && gen_step) begin
                if ((s_data ^ step_word(step_pos)) & ~64'hF_0000) fail(33);
                if (step_ntok < 1 || step_ntok > DRAFTS + 1 || step_pos + step_ntok > prompt_len + decode) fail(34);
                gen_steps = gen_steps + 1;
                last_word = s_data;
                gen_pos = step_pos;
            end else if (s_data !== step_word(step_pos)) fail(5);
            step_tok = 0;
            steps_seen = steps_seen + 1;
            step_open = MODE == 0;
            if (MODE == 1)
                step_pos = step_pos + step_ntok;
            if (halt_at >= 0 && s_data[15:0] + step_ntok > halt_at)
                halt <= halt_kind;
            if (break_at >= 0 && s_data[15:0] + step_ntok > break_at) begin
                kernel_fault <= break_kind == 5 ? 4'b1100 : 0;
                memory_error <= break_kind == 6 ? 3'b010 : 0;
                if (break_kind >= 10)
                    clock_state <= 2'b00;
                if (break_kind == 11) begin                    // errors that the lost clock causes
                    memory_error <= 3'b111;
                    kernel_fault <= 4'b1111;
                end
            end
        end
        if (hash_kept > 0) begin
            hash_kept = hash_kept - 1;
            if (hash_kept == 0 && DRAFTS == 0)
                row_hash <= 64'hx;
        end
        if (hash_wait > 0) begin
            hash_wait = hash_wait - 1;
            if (hash_wait == 0)
                row_hash <= next_hash;
        end
        if (id_valid && id_ready) begin
            if (!step_open) fail(6);
            i = step_pos + step_tok;
            if ((DRAFTS == 0 || !gen_step || step_tok == 0) && id_data !== (i < prompt_len ? prompt[i] : made(i - 1)))
                fail(7);
            if (LIST == 1 && !(id_data < VOCAB || bad_at >= 0)) fail(41);
            fed[step_tok] = id_data;
            if (id_last !== (step_tok == step_ntok - 1) || id_user !== {id_last, step_tok[TOK_W-1:0]}) fail(8);
            step_tok = step_tok + 1;
            if (step_tok == step_ntok) begin
                step_open = 0;
                answer = step_pos + step_ntok >= prompt_len;
                answer_tok = 0;
                ring_tok = DRAFTS != 0 && gen_step ? 0 : step_ntok - 1;
                if (DRAFTS == 0 || !gen_step)
                    step_pos = step_pos + step_ntok;
                else begin
                    right = 1;
                    while (right < step_ntok && fed[right] == made(gen_pos + right - 1)) right = right + 1;
                    all_right = all_right + right - 1;
                    all_wrong = all_wrong + step_ntok - right;
                end
            end
        end
        // The argmax gives an id for every token of a head step. Only the last one is used, and the others are 5. In a
        // generating step with DRAFTS, the first `right` ids are used, and the others are noise.
        if (n_valid && n_ready)
            n_valid <= 0;
        if ((!n_valid || n_ready) && answer && !chance(idle)
            && (hash_wait + hash_kept == 0 || (DRAFTS != 0 && answer_tok != 0))) begin
            n_valid <= 1;
            if (DRAFTS != 0 && gen_step)
                n_data <= answer_tok < right ? made(gen_pos + answer_tok) : $urandom;
            else
                n_data <= answer_tok == step_ntok - 1 ? made(step_pos - 1) : 5;
            if (DRAFTS != 0 && answer_tok == 0) begin
                row_hash <= {HASHES*64{1'bx}};
                for (i = 0; i < HASHES; i = i + 1)
                    next_hash[i*64 +: 64] = {$urandom, $urandom};
                hash_wait = HASH_WAIT - 2;
            end
            n_user <= {answer_tok == step_ntok - 1, answer_tok[TOK_W-1:0]};
            answer_tok = answer_tok + 1;
            if (answer_tok == step_ntok) begin
                answer = 0;
                if (DRAFTS == 0) begin
                    next_hash = {$urandom, $urandom};
                    hash_wait = HASH_WAIT - 2;
                end
            end
        end
        if (r_valid && r_ready) begin
            if (r_data !== {ring_seen[31:0], made(prompt_len - 1 + ring_seen)}) fail(9);
            ring_seen = ring_seen + 1;
            hash_kept = HASH_WAIT - 1;
            want_hash = {want_hash[62:0], want_hash[63]} + next_hash[(HASHES > 1 ? ring_tok : 0)*64 +: 64];
            ring_tok = ring_tok + 1;
            if (DRAFTS != 0 && gen_step)
                step_pos = step_pos + 1;
        end
        sent_drafts = sent_drafts + draft_events[0];
        right_drafts = right_drafts + draft_events[1];
        if (ids_written < ring_seen && chance(10) && !flush && alive)
            ids_written <= ids_written + 1;
        if (kv_done < steps_seen * KV_LAYERS && chance(20) && !flush && alive)
            kv_done <= kv_done + 1;
        if (out_done < steps_seen && chance(10) && !flush && alive)
            out_done <= out_done + 1;
        flushed <= flush;                                  // a fault's code comes a cycle after its flush
        if (flush && flushed && !soft_rst && alive && fault_code == 0 && !halt[1] &&
            (kv_done != steps_seen * KV_LAYERS || (MODE == 0 && ids_written != ring_seen) ||
             (MODE == 1 && out_done != steps_seen))) fail(10);
        if (soft_rst || rst)
            model_reset;
        if (clock_late > 0) begin
            if (traffic || dones != 0) fail(31);           // the start must still wait
            clock_late = clock_late - 1;
            if (clock_late == 0)
                clock_state <= clock_comes == 2 ? 2'b01 : 2'b10;
        end
    end

    // Writes a list from a place on. wrong: percentage of its ids that are wrong.
    task write_list(input integer place, input integer count, input integer wrong);
        begin
            list_set <= 1;
            list_word <= place;
            @(posedge clk);
            list_set <= 0;
            for (listing = 0; listing < count; listing = listing + 1) begin
                list_put <= 1;
                list_word <= !chance(wrong) ? made(place + listing - 1) : chance(50) ? $urandom : $urandom_range(VOCAB);
                @(posedge clk);
                list_put <= 0;
                while (chance(idle)) @(posedge clk);
            end
        end
    endtask

    // A host that writes lists while a request runs, from places near the position of the present step.
    always begin
        @(posedge clk);
        #0.1;
        if (LIST == 1 && number % 3 == 1 && status[3:0] >= 4'd2 && status[3:0] <= 4'd11 && chance(5)) begin
            list_place = status[31:16] + $urandom_range(3);
            if (chance(50)) begin
                list_set <= 1;
                list_word <= list_place;
            end else begin
                list_put <= 1;
                list_word <= $urandom_range(VOCAB + 9);
            end
            @(posedge clk);
            list_set <= 0;
            list_put <= 0;
            // Some ids at once, without a wait between them: they may come at any time in a lookup.
            while (status[3:0] >= 4'd2 && status[3:0] <= 4'd11 && chance(80)) begin
                list_put <= 1;
                list_word <= chance(70) ? made(list_place - 1) : $urandom;
                list_place = list_place + 1;
                @(posedge clk);
                list_put <= 0;
            end
        end
    end

    // Runs a request of len prompt ids that asks for count ids, and checks how it ends. The id that follows position
    // eot_pos is an end id; position 95 is never reached. code, place: the expected fault, as in rill_token_loop.
    task request(input integer len, input integer count, input integer eot_pos, input ignore, input integer code,
        input integer place);
        begin
            number = number + 1;
            prompt_len <= len;
            max_new <= count;
            prefix <= begin_at;
            end_pos = eot_pos;
            for (i = 0; i < END_IDS; i = i + 1)            // the other end ids are never generated
                eot_id[32*i +: 32] <= i == end_at ? made(eot_pos) + eot_high : VOCAB + i;
            end_at = (end_at + 1) % END_IDS;
            ignore_eot <= ignore;
            want_code = code;
            want_place = place;
            traffic = 0;
            want_hash = 64'd0;
            decode = MODE == 1 ? 0 : count - 1 < CONTEXT - len ? count - 1 : CONTEXT - len;
            step_pos = PREFIX != 0 ? begin_at : 0;
            walk_pos = step_pos;
            steps_seen = 0;
            ring_seen = 0;
            gen_steps = 0;
            sent_drafts = 0;
            right_drafts = 0;
            gen_step = 0;
            resets = 0;
            prompt_given = 0;
            if (!same_image)
                sum = {$urandom, $urandom | 32'd1};
            for (i = 0; i < 256; i = i + 1)
                prompt[i] = DRAFTS != 0 && i > 0 ? made(i - 1) : $urandom_range(VOCAB - 1);
            if (bad_at >= 0)
                prompt[bad_at] = bad_id;
            want_ids = MODE == 1 ? 0 : decode + 1;
            eot_ends = MODE == 0 && !ignore && eot_high == 0 && eot_pos >= len - 1 && eot_pos < len + decode;
            if (!ignore && eot_high == 0 && eot_pos >= len - 1 && eot_pos < len + decode)
                want_ids = MODE == 1 ? 0 : eot_pos - len + 2;
            if (LIST == 1 && number % 3 == 2) write_list(len > 2 ? len - 2 : 0, 40, number % 2 * 20);
            repeat (2) @(posedge clk);
            start <= 1;
            @(posedge clk);
            #0.1;
            while (!done && !failed) begin
                @(posedge clk);
                #0.1;
            end
            start <= 0;
            halt <= 0;
            @(posedge clk);
            repeat (3) @(posedge clk);
            if (!failed) begin
                if (!is_idle || fault_code !== want_code || fault_place !== want_place) begin
                    $display("FAIL: request of %0d ids: fault %0d at %0d, expected %0d at %0d", len, fault_code,
                        fault_place,
                             want_code, want_place);
                    failed = 1;
                    $finish;
                end
                // ending: 1 count, 2 end id, 3 context, 4 stop, 5 kill, 6 fault
                if (fault_code != 0 && ending != 6) fail(15);
                if (logits_hash !== want_hash) fail(27);
                if (image !== (ending == 5 || ending == 6 ? 64'd0 : sum)) fail(25);
                if (!untouched(code, place) || code != 0)
                    want_held = ending == 5 || ending == 6 || ring_seen == 0 ? 0 : step_pos;
                if (PREFIX != 0 && held !== want_held) fail(38);
                if (PREFIX == 0 && held !== 32'd0) fail(39);
                if (code == 8 && (steps_seen != 0 || prompt_given)) fail(26);
                if (code == 0 && halt_at < 0 && ending !== (MODE == 1 || want_ids == count ? (eot_ends ? 2 : 1)
                    : eot_ends ? 2 : 3)) fail(16);
                if (code == 0 && halt_at < 0 && status[31:16] !== step_pos) fail(17);
                if (halt_at >= 0) begin
                    if (ending !== (halt_kind == 1 ? 4 : 5) || fault_code != 0) fail(18);
                    if (halt_kind == 1 && ((DRAFTS == 0 && step_pos <= halt_at) || status[31:16] !== step_pos
                        || ids_count != ring_seen)) fail(19);
                    if (step_pos > halt_at + (MODE == 1 ? 4 : 1) * TOKENS || fault_state[3:0] == 0
                        && halt_kind == 2) fail(20);
                end else
                if (code == 0 && MODE == 0 && (ids_count != want_ids || ring_seen != want_ids || step_pos != len
                    + want_ids - 1)) fail(11);
                if (code == 0 && halt_at < 0 && MODE == 1 && step_pos != len) fail(12);
                if (DRAFTS != 0 && ring_seen > 0 && code == 0 && halt_at < 0 &&
                    right_drafts != ring_seen - 1 - gen_steps) fail(35);
                if (LIST == 1 && number % 3 == 0 && sent_drafts != 0) fail(40);
                if (DRAFTS == 0 && (sent_drafts != 0 || right_drafts != 0)) fail(36);
                if (resets != (untouched(code, place) ? 0 : 1)) fail(13);
                if (untouched(code, place) && (steps_seen != 0 || walk_pos != (PREFIX != 0 ? begin_at : 0) || traffic))
                    fail(14);
            end
            begin_at = 0;
            same_image = 0;
        end
    endtask

    // Runs requests that begin after positions of the previous request (PREFIX).
    task prefixes;
        integer at;
        begin
            request(9, 6, 95, 0, 0, 0);                    // leaves positions 0 to 13
            for (at = 0; at <= 14; at = at + 1) begin      // all are in one block, so each is legal
                begin_at = at;
                same_image = 1;
                request(15, 6, 95, 0, 0, 0);               // leaves positions 0 to 19
            end
            begin_at = 20;
            same_image = 1;
            request(CONTEXT - 1, 30, 95, 0, 0, 0);         // leaves all positions
            begin_at = 21;
            same_image = 1;
            request(21, 6, 95, 0, 11, 40);                 // nothing is left to compute
            request(12, 5, 95, 0, 0, 0);
            begin_at = 17;
            same_image = 1;
            request(30, 6, 95, 0, 11, 16);                 // beyond the positions held
            begin_at = 4;
            same_image = 1;
            request(30, 6, 95, 0, 11, 0);                  // a fault leaves nothing
            request(12, 5, 95, 0, 0, 0);
            begin_at = 32'h0001_0004;
            same_image = 1;
            request(30, 6, 95, 0, 11, 16);
            request(12, 5, 95, 0, 0, 0);
            begin_at = 10;                                 // another image
            request(20, 5, 95, 0, 11, 0);
            request(12, 5, 95, 0, 0, 0);
            begin_at = 10;
            same_image = 1;
            bad_at = 4;                                    // an id of the prompt before the first step
            bad_id = VOCAB;
            request(20, 5, 95, 0, 4, 4);
            bad_at = -1;
            begin_at = 4;
            same_image = 1;
            request(20, 5, 95, 0, 11, 0);
            request(12, 5, 95, 0, 0, 0);
            forget <= 1;
            @(posedge clk);
            forget <= 0;
            repeat (2) @(posedge clk);
            want_held = 0;
            begin_at = 4;
            same_image = 1;
            request(20, 5, 95, 0, 11, 0);
        end
    endtask

    // While the memory does not answer, a request ends with fault 7, and a second start with other arguments must wait.
    // When the memory answers again, the new arguments must be checked (fault 9).
    task start_in_flush;
        begin
            watchdog <= 300;
            dead <= 1;
            walk_pos = 0;
            dones = 0;
            start <= 1;
            while (dones != 1 && !failed) @(posedge clk);
            start <= 0;
            repeat (4) @(posedge clk);
            prompt_len <= 3;
            max_new <= 9;
            ring_ids <= 7;
            start <= 1;
            repeat (4) @(posedge clk);
            dead <= 0;
            #0.1;
            while (!done && !failed) begin
                @(posedge clk);
                #0.1;
            end
            start <= 0;
            ring_ids <= 0;
            watchdog <= 0;
            repeat (4) @(posedge clk);
            if (!failed && (fault_code !== 9 || fault_place !== 9)) fail(32);
        end
    endtask

    // The memory answers nothing. The request must end with fault 7 although the memory is not quiet, and so must a
    // second one. Then the memory works again.
    task dead_memory;
        begin
            dead <= 1;
            walk_pos = 0;
            dones = 0;
            for (i = 1; i <= 2; i = i + 1) begin
                idle_engines <= i == 1 ? ~64'h30 : ~(64'h5 << 35);
                start <= 1;
                while (dones != i && !failed) @(posedge clk);
                start <= 0;
                repeat (4) @(posedge clk);
                if (!failed && (fault_code !== 7 || fault_place !== (i == 1 ? 4 : 35) || ending !== 6 || is_idle
                    || soft_rst || !flush)) fail(22);
            end
            repeat (1000) @(posedge clk);                  // without a start, nothing more happens
            if (dones != 2) fail(23);
            dead <= 0;
            idle_engines <= {64{1'b1}};
            repeat (60) @(posedge clk);
            if (!failed && (dones != 2 || !is_idle)) fail(24);
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        i = $urandom(seed);
        bad_at = -1;
        bad_id = VOCAB;
        eot_high = 0;
        break_at = -1;
        break_kind = 0;
        prompt_ptr = 64'h1_0000_0000;
        ring_ptr = 64'h2_0000_0040;
        for (i = 0; i < BASES; i = i + 1)
            channel_base[64*i +: 64] = (64'd7 << 32) + BEAT_BITS / 8 * (i + 1);
        quiet = 1;
        repeat (3) @(posedge clk);
        rst <= 0;
        repeat (3) @(posedge clk);
        for (i = 1; i <= 2 * TOKENS + 1; i = i + 1) begin : lengths
            integer len;
            len = i;
            request(len, 3, 95, 0, 0, 0);
            i = len;
        end
        repeat (END_IDS)
            request(5, 10, 7, 0, 0, 0);                    // ended by each of the end ids
        request(5, 10, 4, 0, 0, 0);                        // the first generated id is an end id
        request(5, 10, 7, 1, 0, 0);                        // the end id is ignored
        eot_high = 32'h0001_0000;                          // an id with equal low bits is not the end id
        request(5, 10, 7, 0, 0, 0);
        eot_high = 32'h8000_0000;
        request(5, 10, 7, 0, 0, 0);
        eot_high = 0;
        request(CONTEXT - 4, 100, 95, 0, 0, 0);            // up to the context
        request(CONTEXT, 100, 95, 0, 0, 0);
        request(0, 5, 95, 0, 1, 0);
        request(CONTEXT + 1, 5, 95, 0, 2, 0);
        request(3, 1, 95, 0, 0, 0);
        if (MODE == 0) begin
            prompt_ptr = 64'h1_0000_0004;
            request(3, 5, 95, 0, 3, 0);
            prompt_ptr = 64'h1_0000_0000;
            ring_ptr = 64'h2_0000_0008;
            request(3, 5, 95, 0, 3, 1);
            ring_ptr = 64'h2_0000_0000;
            bad_at = 6;
            request(9, 5, 95, 0, 4, 6);
            bad_id = 32'h8000_0001;
            request(9, 5, 95, 0, 4, 6);
            bad_id = 32'h0001_0001;
            request(9, 5, 95, 0, 4, 6);
            bad_at = -1;
            request(9, 5, 95, 0, 0, 0);
        end
        for (i = 0; i < BASES; i = i + 1) begin : bases
            integer c;
            c = i;
            channel_base[64*c] = 1;
            request(3, 5, 95, 0, 3, 2 + c);
            channel_base[64*c+$clog2(BEAT_BITS/8)-1] = 1;  // half a beat
            channel_base[64*c] = 0;
            request(3, 5, 95, 0, 3, 2 + c);
            channel_base[64*BASES-64] = 1;                 // the last base is wrong as well; the first is reported
            request(3, 5, 95, 0, 3, 2 + c);
            channel_base[64*BASES-64] = 0;
            channel_base[64*c+$clog2(BEAT_BITS/8)-1] = 0;
            channel_base[64*c+36] = 1;                     // a bit above ADDR_BITS
            request(3, 5, 95, 0, 3, 2 + c);
            channel_base[64*c+36] = 0;
            request(3, 2, 95, 0, 0, 0);
            i = c;
        end
        if (PREFIX != 0)
            prefixes;
        bad_image = 1;
        request(12, 5, 95, 0, 8, 2);
        bad_image = 0;
        request(12, 5, 95, 0, 0, 0);
        break_at = 7;
        break_kind = 5;
        request(12, 5, 95, 0, 5, 2);
        break_at = 13;
        break_kind = 6;
        if (MODE == 0)
            request(12, 5, 95, 0, 6, 1);
        if (MODE == 0 && !failed && (fault_address !== 64'h2_0000_0040 || fault_channel !== 32'h101)) fail(21);
        break_at = -1;
        request(12, 5, 95, 0, 0, 0);
        for (halt_kind = 1; halt_kind <= 2; halt_kind = halt_kind + 1) begin
            halt_at = 2;                                   // in the prompt
            request(12, 15, 95, 0, 0, 0);
            halt_at = 14;                                  // after the prompt
            if (MODE == 0)
                request(12, 15, 95, 0, 0, 0);
            halt_at = -1;
            request(12, 5, 95, 0, 0, 0);
        end
        if (MODE == 0) begin
            ring_ids = 4;
            request(3, 5, 95, 0, 9, 5);
            request(CONTEXT, 500, 95, 0, 0, 0);            // fits, because the context has room for one id only
            ring_ids = 5;
            request(3, 5, 95, 0, 0, 0);
            ring_ids = 0;
        end
        break_at = 7;  // the second clock is lost, which must be reported before its consequences
        break_kind = 10;
        request(12, 5, 95, 0, 10, 0);
        clock_state <= 2'b01;
        break_kind = 11;
        request(12, 5, 95, 0, 10, 0);
        if (!failed && (fault_address !== 64'd0 || fault_channel !== 32'd0)) fail(30);
        break_at = -1;
        clock_comes = 2;                                   // the clock comes back; the start must wait until then
        clock_late = 500;
        dones = 0;
        request(12, 5, 95, 0, 0, 0);
        clock_state <= 2'b00;  // the clock does not come back: this start and the next one fail
        clock_comes = 1;
        clock_late = 500;
        dones = 0;
        request(12, 5, 95, 0, 10, 1);
        request(0, 5, 95, 0, 10, 1);
        clock_state <= 2'b01;
        request(12, 5, 95, 0, 0, 0);
        if (MODE == 0)
            start_in_flush;
        watchdog = 300;
        request(12, 5, 95, 0, 0, 0);
        dead_memory;
        watchdog = 0;
        request(12, 5, 95, 0, 0, 0);
        if (DRAFTS != 0 && (all_right == 0 || all_wrong == 0)) fail(37);
        if (!failed)
            $display("PASS");
        $finish;
    end
endmodule
