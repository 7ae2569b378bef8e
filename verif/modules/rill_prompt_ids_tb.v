// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_prompt_ids. The token ids of several prompts must come in order, none lost or doubled, when beats
// come late (+idle) and ids are taken late (+stall). No beat may be taken while the module holds ids or while `takes`
// is low. clear must discard the ids that are left.
// Checks in messages: 0 the run takes too long, 1 an id, 2 a beat is taken while ids are left, 3 ready is high while
// `takes` is low, 4 ids after clear, 5 a beat is taken before `takes` is high.
// Sets for verif/modules/run.sh:
// sweep: BEAT_BITS=256
// sweep: BEAT_BITS=512
// quick: BEAT_BITS=256
`default_nettype none
`timescale 1ns / 1ps

module rill_prompt_ids_tb;
    // Parameters without a comment are those of the module.
    parameter BEAT_BITS = 256;
    localparam IDS = BEAT_BITS / 32;

    reg                  clk = 0, clear = 1, open = 0, valid = 0, take = 0;
    reg  [BEAT_BITS-1:0] data;
    wire                 ready, any;
    wire [31:0]          id;
    // given, taken: ids of the prompt that have entered and left.
    integer              seed, idle, stall, next, prompt, given, taken, i, cycles = 0;
    reg                  failed = 0;

    rill_prompt_ids #(.BEAT_BITS(BEAT_BITS)) dut (
        .clk(clk), .clear(clear), .takes(open), .s_axis_prompt_tvalid(valid), .s_axis_prompt_tready(ready),
        .s_axis_prompt_tdata(data), .any(any), .id(id), .take(take && any));
    always #1 clk = !clk;

    // Returns the id at a place of a prompt.
    function [31:0] id_of(input integer which, input integer place);
        id_of = which * 32'h0100_0193 ^ place * 32'h9E37_79B1;
    endfunction

    // Prints the number of the first check that fails.
    task fail(input integer what);
        begin
            if (!failed) $display("FAIL: check %0d, prompt %0d, id %0d", what, prompt, taken);
            failed = 1;
        end
    endtask

    always @(posedge clk) begin
        cycles = cycles + 1;
        if (cycles > 100000) fail(0);
        if (valid && ready) given = given + IDS;
        if (take && any) begin
            if (id !== id_of(prompt, taken)) fail(1);
            taken = taken + 1;
        end
        if (valid && ready && given - IDS != taken) fail(2);   // a beat is taken although ids are left
        if (ready && !open) fail(3);
        #0.1;
        valid <= $urandom_range(99) >= idle;
        take <= $urandom_range(99) >= stall;
        for (i = 0; i < IDS; i = i + 1)
            data[32*i +: 32] <= id_of(prompt, given + i);
    end

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        i = $urandom(seed);
        prompt = 0;
        given = 0;
        taken = 0;
        for (next = 1; next <= 5 && !failed; next = next + 1) begin
            open <= 0;
            clear <= 1;
            repeat (2) @(posedge clk);
            #0.2 if (any) fail(4);
            prompt = next;
            given = 0;
            taken = 0;
            clear <= 0;
            repeat (3) @(posedge clk);
            if (given != 0) fail(5);
            open <= 1;
            while (taken < 5 * IDS + prompt && !failed) @(posedge clk); // `prompt` ids of the last beat are taken
            #0.2;
        end
        if (!failed) $display("PASS");
        $finish;
    end
endmodule
