// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_request_args. Gives it random arguments of requests, often with several wrong ones, and checks
// which fault it reports. Also checks decode_steps, and that the outputs do not change while `follows` is low.
// MODE: 0 language model, 1 stream.
// Sets for verif/modules/run.sh:
// sweep: MODE=0 BEAT_BITS=256 ADDR_BITS=34 BASES=3
// sweep: MODE=0 BEAT_BITS=512 ADDR_BITS=64 BASES=1
// sweep: MODE=1 BEAT_BITS=512 ADDR_BITS=40 BASES=32
// quick: MODE=0 BEAT_BITS=256 ADDR_BITS=34 BASES=3
`default_nettype none
`timescale 1ns / 1ps

module rill_request_args_tb;
    // Parameters without a comment are those of the module.
    parameter MODE = 0;
    parameter BEAT_BITS = 256;
    parameter ADDR_BITS = 34;
    parameter BASES = 3;
    localparam CONTEXT = 100;
    localparam BEAT = BEAT_BITS / 8;

    reg                 clk = 0, open = 1, ignore_eot = 0;
    reg  [31:0]         prompt_len, max_new, ring_ids;
    reg  [63:0]         eot_id, prompt_ptr, ring_ptr;
    reg  [BASES*64-1:0] base;
    wire [31:0]         len_q, new_q, steps, fault, place;
    wire [63:0]         eot_q;
    wire                ignore_q, no_ids, refused;
    integer             seed, idle, stall, request, c, want_fault, want_place, want_steps;
    reg                 failed = 0;

    rill_request_args #(.MODE(MODE), .BEAT_BITS(BEAT_BITS), .CONTEXT(CONTEXT), .END_IDS(2), .ADDR_BITS(ADDR_BITS),
        .BASES(BASES)) dut (
        .clk(clk), .follows(open), .prompt_len(prompt_len), .max_new(max_new), .eot_id(eot_id), .ignore_eot(ignore_eot),
        .prompt_ptr(prompt_ptr), .ring_ptr(ring_ptr), .ring_ids(ring_ids), .channel_base(base), .prompt_len_q(len_q),
        .max_new_q(new_q), .eot_id_q(eot_q), .ignore_eot_q(ignore_q), .no_ids(no_ids), .decode_steps(steps),
        .refused(refused), .fault(fault), .place(place));
    always #1 clk = !clk;

    // Returns a random pointer. wrong 1: it is not a multiple of a beat; 2: it has a bit above ADDR_BITS, if there is
    // one.
    function [63:0] pointer(input integer wrong);
        pointer = BEAT * ($urandom_range(1000)) + (wrong == 1 ? $urandom_range(BEAT - 1, 1) : 0)
            + (wrong == 2 && ADDR_BITS < 64 ? 64'd1 << ADDR_BITS % 64 : 64'd0);
    endfunction

    // Returns whether a pointer must be refused.
    function is_wrong(input [63:0] p);
        is_wrong = p % BEAT != 0 || (ADDR_BITS < 64 && p >> ADDR_BITS % 64 != 0);
    endfunction

    // Returns mostly 0, and sometimes 1 or 2. A larger `rare` makes 1 and 2 rarer.
    function integer one_of(input integer rare);
        one_of = $urandom_range(rare) < 2 ? $urandom_range(2) : 0;
    endfunction

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        c = $urandom(seed);
        for (request = 0; request < 400 && !failed; request = request + 1) begin
            open <= 1;
            prompt_len = one_of(9) == 1 ? 0 : one_of(9) == 1 ? CONTEXT + $urandom_range(2) : $urandom_range(CONTEXT, 1);
            max_new = one_of(9) == 1 ? 0 : $urandom_range(150, 1);
            ring_ids = $urandom_range(1) ? 0 : $urandom_range(120);
            eot_id = {$urandom, $urandom};
            ignore_eot = $urandom_range(1);
            prompt_ptr = pointer(one_of(12));
            ring_ptr = pointer(one_of(12));
            for (c = 0; c < BASES; c = c + 1)
                base[64*c +: 64] = pointer(one_of(12 * BASES));
            repeat (3) @(posedge clk);
            #0.1 open = 0;
            want_steps = MODE == 1 ? 0 : max_new - 1 < CONTEXT - prompt_len ? max_new - 1 : CONTEXT - prompt_len;
            // The expected fault (codes of rill_token_loop). A later assignment wins, so the checks are in reverse
            // order.
            want_fault = 0;
            want_place = 0;
            if (MODE == 0 && ring_ids != 0 && want_steps >= ring_ids && max_new != 0) begin
                want_fault = 9;
                want_place = want_steps + 1;
            end
            for (c = BASES - 1; c >= 0; c = c - 1)
                if (is_wrong(base[64*c +: 64])) begin
                    want_fault = 3;
                    want_place = 2 + c;
                end
            if (MODE == 0 && is_wrong(ring_ptr)) begin
                want_fault = 3;
                want_place = 1;
            end
            if (MODE == 0 && is_wrong(prompt_ptr)) begin
                want_fault = 3;
                want_place = 0;
            end
            if (prompt_len == 0 || prompt_len > CONTEXT) begin
                want_fault = prompt_len == 0 ? 1 : 2;
                want_place = 0;
            end
            // no_ids is always compared. For a prompt that is too long, only the fault is compared as well. Otherwise
            // all outputs of the check are compared, unless max_new is 0.
            if (prompt_len <= CONTEXT && max_new != 0 && (fault !== want_fault || place !== want_place
                || refused !== (want_fault != 0) || steps !== want_steps)
                || prompt_len > CONTEXT && (fault !== 2 || !refused) || no_ids !== (max_new == 0)) begin
                $display("FAIL: request %0d: fault %0d at %0d, %0d steps; expected %0d at %0d, %0d", request, fault,
                    place, steps, want_fault, want_place, want_steps);
                failed = 1;
            end
            if (len_q !== prompt_len || new_q !== max_new || eot_q !== eot_id || ignore_q !== ignore_eot) failed = 1;
            // Inverts most arguments while `follows` is low. The outputs must keep the old values, which are the
            // inverted new ones.
            {prompt_len, max_new, prompt_ptr, ring_ptr} = ~{prompt_len, max_new, prompt_ptr, ring_ptr};
            {eot_id, ignore_eot} = ~{eot_id, ignore_eot};
            repeat (3) @(posedge clk);
            #0.1;
            if (len_q !== ~prompt_len || new_q !== ~max_new || eot_q !== ~eot_id || ignore_q !== !ignore_eot) begin
                $display("FAIL: request %0d: an argument moves", request);
                failed = 1;
            end
            // The fault must not change either. The condition leaves out requests that had no prompt, a prompt that is
            // too long, or max_new 0: the arguments are inverted here, so 0 has become ~0.
            if (prompt_len != ~32'd0 && len_q <= CONTEXT && max_new != ~32'd0 && fault !== want_fault) begin
                $display("FAIL: request %0d: fault %0d moves", request, fault);
                failed = 1;
            end
        end
        if (!failed) $display("PASS");
        $finish;
    end
endmodule
