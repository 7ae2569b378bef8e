// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_argmax. Compares ids and hashes with the C functions, with ties, zeros and elements past N. Also
// checks order, token marks and, without idles and stalls, the rate of one chunk per cycle. HASHES above 1: every token
// has a hash, which is compared with the result of hash_of in this bench.
// Checks in messages: 1 and 2 the file of vectors, 3 an offered id changes, 4 id, 5 marks, 6 rate, 7 the run takes too
// long, 8 hash, 9 hash of a token.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: LANES=1 TOKENS=1 N=7
// sweep: LANES=4 TOKENS=2 N=21
// sweep: LANES=8 TOKENS=8 N=64
// sweep: LANES=32 TOKENS=4 N=33
// sweep: LANES=2 TOKENS=1 N=1
// sweep: LANES=4 TOKENS=4 N=70 HASHES=4
// quick: LANES=4 TOKENS=4 N=70 HASHES=4 @ 50:50
// quick: LANES=4 TOKENS=2 N=21
// quick: LANES=2 TOKENS=1 N=1 @ 0:0
`default_nettype none
`timescale 1ns / 1ps

module rill_argmax_tb;
    // Parameters without a comment are those of the module.
    parameter LANES = 4;
    parameter TOKENS = 2;
    parameter N = 21;
    parameter HASHES = 1;
    localparam TOK_W = TOKENS > 1 ? $clog2(TOKENS) : 1;
    localparam CHUNKS = (N + LANES - 1) / LANES;
    localparam MOST = 64; // most firings of the vectors

    reg                 clk = 0, rst = 1, failed = 0;
    integer             seed, idle, stall, file, got, i, f, t, firings, cycles = 0, taken = 0;
    integer             ntok [0:MOST-1];
    reg  [31:0]         x [0:MOST*TOKENS*N-1];
    reg  [31:0]         id [0:MOST*TOKENS-1];
    reg  [63:0]         hash [0:MOST-1];     // hash of the last token's logits
    wire [HASHES*64-1:0] row_hash;
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
    // Firing (f), chunk (c) and token (t) that come next, at the input and at the output.
    integer             in_f = 0, in_c = 0, in_t = 0, out_f = 0, out_t = 0, begun = 0;
    reg                 held = 0;
    reg  [TOK_W+33:0]   held_word;

    rill_argmax #(.LANES(LANES), .TOKENS(TOKENS), .N(N), .HASHES(HASHES)) dut (
        .clk(clk), .rst(rst), .s_axis_x_tvalid(x_valid), .s_axis_x_tready(x_ready), .s_axis_x_tdata(x_data),
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

    // Returns the hash of a token's elements: a weighted sum of their inverted bits, modulo 2^64.
    function [63:0] hash_of(input integer firing, input integer tok);
        integer e;
        begin
            hash_of = 64'd0;
            for (e = 0; e < N; e = e + 1)
                hash_of = hash_of + (2 * ((N + 31) / 32 - e / 32) - 64'd1) * (64'd1 << (31 - e % 32))
                    * {32'd0, ~x[(firing * TOKENS + tok) * N + e]};
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

    always @(posedge clk) if (!rst && !failed) begin
        cycles = cycles + 1;
        if (x_valid && x_ready) begin
            x_valid <= 0;
            taken = taken + 1;
        end
        if ((!x_valid || x_ready) && in_f < firings && $urandom_range(99) >= idle &&
            !(waits && in_f % 2 == 1 && in_c == 0 && in_t == 0 && hash_f != in_f)) drive;
        id_ready <= $urandom_range(99) >= stall;
        if (held && (!id_valid || {id_last, id_user, id_data} !== held_word)) fail(3);
        // row_hash must be right two cycles after the first id is offered, even if that id has already left. The next
        // firing overwrites it. So it is compared only in runs with idles or stalls, and only for even firings: the odd
        // firing after each of them waits for the comparison.
        if (hash_wait > 0) begin
            hash_wait = hash_wait - 1;
            if (hash_wait == 0) begin
                if (waits && hash_f % 2 == 0 && HASHES == 1 && row_hash !== hash[hash_f]) fail(8);
                for (t = 0; waits && hash_f % 2 == 0 && HASHES > 1 && t < ntok[hash_f]; t = t + 1)
                    if (row_hash[(HASHES > 1 ? t : 0)*64 +: 64] !== hash_of(hash_f, t)) fail(9);
                hash_f = hash_f + 1;
            end
        end
        if (id_valid && out_t == 0 && !held) hash_wait = 2;
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
            // A chunk takes one cycle, and after each firing its ids take one cycle each. 20 cycles are for the start.
            if (idle == 0 && stall == 0 && cycles > taken + firings * (TOKENS + 1) + 20) fail(6);
            if (!failed)
                $display("PASS");
            failed = 1;
            $finish;
        end
        if (cycles > 100000) fail(7);
    end
endmodule
