// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_credit_send. Checks order and content, and that exactly as many words leave as there are credits.
// Part n of a word (n = 1, 2, ...) must leave n cycles after the word was taken, and without stalls a credit must make
// the input ready 2 cycles later. Credits also come in cycles in which a word leaves. A reset must give all credits
// back.
// Sets for verif/modules/run.sh:
// sweep: DATA_W=8 CREDITS=1
// sweep: DATA_W=33 CREDITS=2
// sweep: DATA_W=70 CREDITS=7
// sweep: DATA_W=520 CREDITS=64
// sweep: DATA_W=551 CREDITS=9 PARTS=4
// sweep: DATA_W=70 CREDITS=1 PARTS=3
// sweep: DATA_W=33 CREDITS=7 PARTS=8
// quick: DATA_W=8 CREDITS=1
// quick: DATA_W=70 CREDITS=7
// quick: DATA_W=70 CREDITS=5 PARTS=4
`default_nettype none
`timescale 1ns / 1ps

module rill_credit_send_tb;
    // Parameters without a comment are those of the module.
    parameter DATA_W = 8;
    parameter CREDITS = 7;
    parameter PARTS = 1;
    localparam WORDS = 400;
    localparam PART_W = (DATA_W + PARTS - 1) / PARTS;
    wire              clk, rst, s_valid, s_ready, valid, src_done;
    wire [DATA_W-1:0] s_data;
    wire [PART_W-1:0] data;
    reg  [PARTS*PART_W-1:0] whole;
    reg               again = 0, credit = 0, give = 0;
    reg  [DATA_W-1:0] word, expected [0:2*WORDS-1];
    integer           i, k, seed, stall, owed, seen = 0, came = 0, cycle = 0, sent_at = 0, part = 0;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(again));
    rill_axis_driver #(.DATA_W(DATA_W)) u_src (.clk(clk), .rst(rst), .m_axis_tvalid(s_valid), .m_axis_tready(s_ready),
        .m_axis_tdata(s_data), .m_axis_tuser(), .m_axis_tlast(), .done(src_done));
    rill_credit_send #(.DATA_W(DATA_W), .CREDITS(CREDITS), .PARTS(PARTS)) dut (
        .clk(clk), .rst(rst), .s_axis_tvalid(s_valid),
        .s_axis_tready(s_ready), .s_axis_tdata(s_data), .valid(valid), .data(data), .credit(credit));

    // Ends the run if a check fails.
    task check(input ok, input [50*8-1:0] what);
        if (ok !== 1'b1) begin
            $display("FAIL: %0s at %0t", what, $time);
            $finish;
        end
    endtask

    // Sends random words and notes them as expected.
    task push_words(input integer count);
        for (i = 0; i < count; i = i + 1) begin
            for (k = 0; k < DATA_W; k = k + 32)
                word = {word, $random(seed)};
            u_src.push(word, 1'b0, 1'b0);
            expected[came + i] = word;
        end
    endtask

    // The receiver takes words as they come, and with `give` it returns credits for them at random times. seen: words
    // that have come. owed: words since the latest reset minus the returned credits. part: parts of a word that have
    // come.
    always @(posedge clk) begin
        cycle = cycle + 1;
        if (rst) begin
            owed = 0;
            part = 0;
            credit <= 1'b0;
        end else begin
            if (valid) begin
                whole = {data, whole} >> PART_W;
                part = part + 1;
                check(cycle - sent_at == part, "the cycle of a part");
            end else
                check(part == 0, "nothing between parts");
            if (part == PARTS) begin
                check(whole[DATA_W-1:0] === expected[seen], "data");
                part = 0;
                seen = seen + 1;
                owed = owed + 1;
            end
            if (s_valid && s_ready)
                sent_at = cycle;
            check(owed <= CREDITS, "more words than credits");
            credit <= 1'b0;
            if (give && owed > 0 && $unsigned($random(seed)) % 100 >= stall) begin
                credit <= 1'b1;
                owed = owed - 1;
            end
        end
    end

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        wait (!rst);
        push_words(WORDS);
        repeat (4 * PARTS * CREDITS + 20) @(posedge clk);
        check(seen == CREDITS && !s_ready, "as many words as credits");
        give = 1;
        wait (credit);
        @(negedge clk) k = cycle;
        while (!s_ready) @(negedge clk);
        check(cycle - k == 2 || stall > 0, "latency of a credit");
        wait (src_done);
        repeat (4 + PARTS) @(posedge clk);
        check(seen == WORDS, "every word");
        // A reset gives all credits back.
        give = 0;
        @(posedge clk) again <= 1;
        @(posedge clk) again <= 0;
        wait (rst);
        wait (!rst);
        came = WORDS;
        push_words(CREDITS + 1);
        repeat (4 * PARTS * CREDITS + 20) @(posedge clk);
        check(seen == WORDS + CREDITS && !s_ready, "all credits after a reset");
        $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
