// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_sample. Compares ids and hashes with golden_sample, under settings of every kind, with ties,
// short lists and elements past N. Also checks order, token marks, the latency, and that illegal settings and infinite
// elements raise the fault. With ROWS above 1, each token of a firing has its own settings and position.
// Checks in messages: 1 and 2 the file of vectors, 3 an offered id changes, 4 id, 5 marks, 7 the run takes too long,
// 8 hash, 9 latency, 10 a fault before the chunk, 11 no fault, 12 a fault with legal settings.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: LANES=1 TOKENS=1 N=7 TOP_K=3
// sweep: LANES=4 TOKENS=2 N=21 TOP_K=8
// sweep: LANES=8 TOKENS=8 N=64 TOP_K=64
// sweep: LANES=32 TOKENS=4 N=100 TOP_K=16
// sweep: LANES=2 TOKENS=1 N=1 TOP_K=1
// sweep: LANES=2 TOKENS=2 N=5 TOP_K=4 ROWS=2
// sweep: LANES=8 TOKENS=8 N=64 TOP_K=16 ROWS=8
// quick: LANES=4 TOKENS=2 N=21 TOP_K=8 @ 50:50
// quick: LANES=4 TOKENS=4 N=21 TOP_K=8 ROWS=4 @ 50:50 0:0
// quick: LANES=1 TOKENS=1 N=7 TOP_K=3 @ 0:0
`default_nettype none
`timescale 1ns / 1ps

module rill_sample_tb;
    // Parameters without a comment are those of the module.
    parameter LANES = 4;
    parameter TOKENS = 2;
    parameter N = 21;
    parameter TOP_K = 8;
    parameter ROWS = 1;
    // log2(LANES) + 2 of these cycles are those of rill_argmax
    localparam LATENCY = $clog2(LANES) + 52;
    localparam TOK_W = TOKENS > 1 ? $clog2(TOKENS) : 1;
    localparam CHUNKS = (N + LANES - 1) / LANES;
    localparam MOST = 64;                                // firings, at most

    reg                 clk = 0, rst = 1, failed = 0;
    integer             seed, idle, stall, file, got, i, f, t, firings, cycles = 0, taken = 0;
    integer             ntok [0:MOST-1];
    reg                 fresh [0:MOST-1];                // the firing has new settings, so it waits for earlier firings
    reg  [191:0]        settings [0:MOST*TOKENS-1];      // of each row: {position, seed, min_p, top_k, inverse}
    reg  [191:0]        now = 0;
    reg                 apply = 0, store = 0;
    reg  [2:0]          row = 0;
    integer             put = 0;                         // rows of the next firing that have their settings
    reg                 lists = 0;                       // a token of the firing is chosen from a list
    wire                fault;
    // last_cycle: cycle in which the latest tlast entered. bad: number of the case that must raise the fault, 0 before
    // these cases. bad_wait: cycles since the case began.
    integer             last_cycle = 0, bad = 0, bad_wait = 0;
    wire                bad_run = bad != 0;
    reg  [31:0]         x [0:MOST*TOKENS*N-1];
    reg  [31:0]         id [0:MOST*TOKENS-1];
    reg  [63:0]         hash [0:MOST-1];     // hash of the last token's logits
    wire [63:0]         row_hash;
    // hash_f: firings whose hash was due so far. hash_wait: cycles until the hash of firing hash_f is due; 0: no hash
    // is awaited.
    integer             hash_f = 0, hash_wait = 0;
    // 1: hashes are compared, and an odd firing waits until that of the firing before it has been.
    wire                waits = idle != 0 || stall != 0;
    reg  [8*256-1:0]    name;
    reg  [31:0]         value;
    reg                 x_valid = 0, x_last;
    wire                x_ready, id_valid, id_last;
    reg  [LANES*32-1:0] x_data;
    reg  [TOK_W:0]      x_user;
    wire [31:0]         id_data;
    wire [TOK_W:0]      id_user;
    reg                 id_ready = 0;
    // Firing (f), chunk (c) and token (t) that come next, in and out. begun: firings whose first id was offered.
    integer             in_f = 0, in_c = 0, in_t = 0, out_f = 0, out_t = 0, begun = 0;
    reg                 held = 0;
    reg  [TOK_W+33:0]   held_word;

    rill_sample #(.LANES(LANES), .TOKENS(TOKENS), .N(N), .TOP_K(TOP_K), .ROWS(ROWS)) dut (
        .clk(clk), .rst(rst), .inverse(now[31:0]), .top_k(now[63:32]), .min_p(now[95:64]), .seed(now[159:96]),
        .position(now[175:160]), .store(store), .row(row),
        .fault(fault), .s_axis_x_tvalid(x_valid), .s_axis_x_tready(x_ready), .s_axis_x_tdata(x_data),
        .s_axis_x_tuser(x_user),
        .s_axis_x_tlast(x_last), .m_axis_id_tvalid(id_valid), .m_axis_id_tready(id_ready), .m_axis_id_tdata(id_data),
        .m_axis_id_tuser(id_user), .m_axis_id_tlast(id_last), .row_hash(row_hash));
    always #1 clk = !clk;

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        if (!$value$plusargs("vectors=%s", name)) fail(1);
        i = $urandom(seed);
        file = $fopen(name, "r");
        firings = word(0);
        for (f = 0; f < firings; f = f + 1) begin
            fresh[f] = word(0);
            for (t = 0; t < ROWS; t = t + 1)
                for (i = 0; i < 6; i = i + 1)
                    settings[f * TOKENS + t][32*i +: 32] = word(0);
            ntok[f] = word(0);
            for (t = 0; t < ntok[f]; t = t + 1)
                for (i = 0; i < N; i = i + 1)
                    x[(f * TOKENS + t) * N + i] = word(0);
            for (t = 0; t < ntok[f]; t = t + 1)
                id[f * TOKENS + t] = word(0);
            hash[f][63:32] = word(0);
            hash[f][31:0] = word(0);
        end
        if (got != 1) fail(2);
        repeat (3) @(posedge clk);
        rst <= 0;
    end

    // Returns the next word of the file.
    function [31:0] word(input integer unused);
        begin
            got = $fscanf(file, "%h", value);
            word = value;
        end
    endfunction

    // Prints the number of the first check that fails, and ends the run.
    task fail(input integer what);
        begin
            if (!failed)
                $display("FAIL: check %0d at firing %0d token %0d", what, out_f, out_t);
            failed = 1;
            $finish;
        end
    endtask

    // One cycle of the cases that must raise the fault. A case resets the module, applies its settings, and offers a
    // chunk for two cycles. The fault must come after the chunk.
    task refuse;
        begin
            bad_wait = bad_wait + 1;
            if (bad_wait == 1) begin
                rst <= 1;
                now <= 192'd0;
                store <= 1;
                row <= 3'd0;
            end
            if (bad_wait == 3) begin
                rst <= 0;
                case (bad)
                    1: now[31:0] <= 32'h7fc00000;                          // inverse is NaN
                    2: now[31:0] <= 32'hbf800000;                          // inverse is negative
                    3: now[31:0] <= 32'h7f800000;                          // inverse is infinite
                    4: now[31:0] <= 32'h00000001;                          // inverse is subnormal
                    5: now[63:32] <= TOP_K + 1;
                    6: now[95:0] <= {32'hbf000000, 32'd1, 32'h3f800000};   // min_p is negative
                    7: now[95:0] <= {32'h3f800001, 32'd1, 32'h3f800000};   // min_p is above 1
                    8: now[95:0] <= {32'h3f000000, 32'd0, 32'h3f800000};   // min_p without a list
                    default: now[31:0] <= 32'h3f800000;                    // legal, but the elements are infinite
                endcase
            end
            if (bad_wait == 6) begin
                x_data <= bad == 9 ? {LANES{32'h7f800000}} : {LANES{32'h3f800000}};
                x_user <= {1'b1, {TOK_W{1'b0}}};
                x_last <= CHUNKS == 1;
                x_valid <= 1;
            end
            if (bad_wait == 8)
                x_valid <= 0;
            if (bad_wait == 6 && fault) fail(10);
            if (bad_wait == 20) begin
                if (!fault) fail(11);
                bad = bad + 1;
                bad_wait = 0;
                if (bad == 10) begin
                    if (!failed)
                        $display("PASS");
                    failed = 1;
                    $finish;
                end
            end
        end
    endtask

    // Offers the next chunk of a token.
    task drive;
        begin
            x_valid <= 1;
            for (i = 0; i < LANES; i = i + 1)   // elements past N are the largest possible ones
                x_data[i*32 +: 32] <= in_c * LANES + i < N ? x[(in_f * TOKENS + in_t) * N + in_c * LANES + i]
                    : 32'h7f7fffff;
            x_user <= {in_t == ntok[in_f] - 1, in_t[TOK_W-1:0]};
            x_last <= in_t == ntok[in_f] - 1 && in_c == CHUNKS - 1;
            in_t = in_t + 1;
            if (in_t == ntok[in_f]) begin
                in_t = 0;
                in_c = in_c + 1;
            end
            if (in_c == CHUNKS) begin
                in_c = 0;
                in_f = in_f + 1;
            end
        end
    endtask

    always @(posedge clk) if (bad_run && !failed) refuse;
    always @(posedge clk) if (!rst && !failed && !bad_run) begin
        cycles = cycles + 1;
        if (x_valid && x_ready) begin
            x_valid <= 0;
            taken = taken + 1;
            if (x_last) last_cycle = cycles;
        end
        // New settings come two cycles before their first chunk.
        if (in_f < firings && in_c == 0 && in_t == 0 && fresh[in_f] && out_f == in_f && !(x_valid && !x_ready)) begin
            now <= settings[in_f * TOKENS + put];
            store <= 1;
            row <= put;
            if (put == 0) lists = 0;
            if (put < ntok[in_f] && settings[in_f * TOKENS + put][31:0] != 0
                && settings[in_f * TOKENS + put][63:32] != 0) lists = 1;
            put = put + 1;
            if (put == ROWS) begin
                put = 0;
                fresh[in_f] = 0;
                apply = 1;
            end
        end else if (apply) begin
            apply = 0;
            store <= 0;
            if (ROWS > 1) now <= {6{32'hffffffff}};      // the settings are stored
        end else if ((!x_valid || x_ready) && in_f < firings && !(in_c == 0 && in_t == 0 && fresh[in_f])
            && $urandom_range(99) >= idle &&
            !(waits && in_f % 2 == 1 && in_c == 0 && in_t == 0 && hash_f != in_f)) drive;
        id_ready <= $urandom_range(99) >= stall;
        if (held && (!id_valid || {id_last, id_user, id_data} !== held_word)) fail(3);
        // row_hash must be right two cycles after the first id is offered, even if that id has already left. The next
        // firing overwrites it. So it is compared only in runs with idles or stalls, and only for even firings: the odd
        // firing after each of them waits for the comparison.
        if (hash_wait > 0) begin
            hash_wait = hash_wait - 1;
            if (hash_wait == 0) begin
                if (waits && hash_f % 2 == 0 && row_hash !== hash[hash_f]) fail(8);
                hash_f = hash_f + 1;
            end
        end
        if (id_valid && out_t == 0 && !held && begun == out_f) begin
            hash_wait = 2;
            begun = out_f + 1;
            // The latency is checked without a list (top_k 0 or inverse 0), and if no other firing has begun.
            if (!lists && out_f % 2 == 0 && in_f == out_f + 1 && !x_valid
                && cycles != last_cycle + LATENCY)
                fail(9);
        end
        if (fault) fail(12);
        held = id_valid && !id_ready;
        held_word = {id_last, id_user, id_data};
        if (id_valid && id_ready) begin
            if (id_data !== id[out_f * TOKENS + out_t]) fail(4);
            if (id_user !== {out_t == ntok[out_f] - 1, out_t[TOK_W-1:0]}
                || id_last !== (out_t == ntok[out_f] - 1)) fail(5);
            out_t = out_t + 1;
            if (out_t == ntok[out_f]) begin
                out_t = 0;
                out_f = out_f + 1;
            end
        end
        if (out_f == firings && hash_f == firings && !failed) begin
            bad = 1;
            x_valid <= 0;
        end
        if (cycles > 400000) fail(7);
    end
endmodule
