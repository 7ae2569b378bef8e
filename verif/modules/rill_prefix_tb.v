// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_prefix. Requests end at random positions. Between them, the bench asks whether a request may keep a
// prefix of a random length, often at the borders of blocks of 64. It compares the answer with the rule, which it
// computes with a division, and `held` with the end of the latest request.
// Checks in messages: 1 refused, 2 first, 3 held, 4 held during a request, 5 too few answers of a kind.
// Sets for verif/modules/run.sh (the only set has no parameters):
// sweep:
`default_nettype none
`timescale 1ns / 1ps

module rill_prefix_tb;
    reg         clk = 0, rst = 1, follows = 1, forget = 0, begins = 0, ends = 0;
    reg  [31:0] prompt_len = 0, prefix = 0;
    reg  [15:0] place = 16'hx;
    wire [15:0] first, held;
    wire        refused;
    // want_held: the expected `held`. block: the block of 64 positions in which the latest request ended.
    integer     seed, idle, stall, i, n, want_held = 0, block = 0, legal, legal_seen = 0, refused_seen = 0;
    reg         failed = 0;

    rill_prefix dut (.clk(clk), .rst(rst), .follows(follows), .prompt_len(prompt_len), .prefix(prefix),
        .forget(forget), .begins(begins), .ends(ends), .place(place), .first(first), .refused(refused), .held(held));
    always #1 clk = !clk;

    // Prints the number of the first check that fails.
    task fail(input integer what);
        begin
            if (!failed)
                $display("FAIL: check %0d, request %0d: prefix %0d of %0d, held %0d", what, n, prefix, prompt_len,
                    held);
            failed = 1;
        end
    endtask

    // Asks for a prefix of `at` tokens of a prompt of `length` tokens, and compares the answer.
    task ask(input [31:0] at, input [31:0] length);
        begin
            prefix <= at;
            prompt_len <= length;
            repeat (3) @(posedge clk);
            #0.1 legal = at == 0 || (at < length && at <= want_held && (at % 64 == 0 || at / 64 == block));
            if (refused === legal[0]) fail(1);
            if (first !== at[15:0]) fail(2);
            if (held !== want_held) fail(3);
            legal_seen = legal_seen + (at != 0 && legal != 0);
            refused_seen = refused_seen + (legal == 0);
        end
    endtask

    // Runs a request to its end at position `to`. 0: it ends before its first token.
    task run(input integer to);
        begin
            follows <= 0;
            begins <= 1;
            @(posedge clk);
            begins <= 0;
            prefix <= 32'hx;                               // unknown while the request runs
            prompt_len <= 32'hx;
            repeat (2 + $urandom_range(5)) @(posedge clk);
            #0.1 if (held !== 16'd0) fail(4);
            ends <= to != 0;
            place <= to;
            @(posedge clk);
            ends <= 0;
            place <= 16'hx;
            follows <= 1;
            want_held = to;
            block = to == 0 ? block : (to - 1) / 64;
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        i = $urandom(seed);
        repeat (3) @(posedge clk);
        rst <= 0;
        n = 0;
        ask(0, 5);
        ask(1, 5);
        for (n = 1; n <= 300 && !failed; n = n + 1) begin
            run(n % 7 == 0 ? 0 : n % 5 == 0 ? 64 * $urandom_range(4, 1) : $urandom_range(300, 1));
            ask(want_held, want_held + 1);
            ask(want_held, want_held);
            ask(want_held + 1, 400);
            ask(want_held > 0 ? want_held - 1 : 0, want_held);
            ask($urandom_range(300), $urandom_range(300, 1));
            ask(64 * $urandom_range(5), 400);
            // This prefix is legal only in its low 16 bits, so it must be refused.
            ask({16'd1, 16'd0} | want_held, 32'h0002_0000);
            if (n % 11 == 0) begin
                forget <= 1;
                @(posedge clk);
                forget <= 0;
                want_held = 0;
                ask(64, 400);
            end
            ask($urandom_range(want_held), want_held + 1);
        end
        if (legal_seen < 300 || refused_seen < 300) fail(5);
        if (!failed)
            $display("PASS");
        $finish;
    end
endmodule
`default_nettype wire
