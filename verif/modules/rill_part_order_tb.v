// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_part_order. A step consists of a random number of parts, each with some of the step's tokens. With
// JOIN 0 the tensor of a step goes in, and the tensor of each part must come out, one part after the other. With JOIN 1
// the parts go in, and the tensor of the step must come out. tlast of the input is random, because the module ignores
// it. Also checks that the words of a firing leave without a gap.
// Sets for verif/modules/run.sh:
// sweep: TOKENS=1 WORDS=1
// sweep: TOKENS=2 WORDS=6 FIRE_WORDS=2
// sweep: TOKENS=8 WORDS=5
// sweep: TOKENS=1 WORDS=3 JOIN=1
// sweep: TOKENS=4 WORDS=12 FIRE_WORDS=3 JOIN=1
// sweep: TOKENS=8 WORDS=5 JOIN=1
// quick: TOKENS=4 WORDS=6 FIRE_WORDS=2
// quick: TOKENS=4 WORDS=6 FIRE_WORDS=3 JOIN=1
`default_nettype none
`timescale 1ns / 1ps

module rill_part_order_tb;
    `include "rill_fields.vh"
    // Parameters without a comment are those of the module.
    parameter TOKENS = 4;
    parameter WORDS = 6;
    parameter FIRE_WORDS = WORDS;
    parameter JOIN = 0;
    localparam USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1;
    localparam TENSORS = 25;
    wire              clk, rst, step_valid, step_ready, step_done, s_valid, s_ready, s_last, src_done, m_valid, m_ready,
        m_last, snk_done;
    wire [63:0]       step_data;
    wire [15:0]       s_data, m_data;
    wire [USER_W-1:0] s_user, m_user;
    reg  [15:0]       value [0:8*64-1];      // word w of token t of the step has the index w * 8 + t
    reg  [USER_W-1:0] user;
    reg  [63:0]       word;
    integer           n, w, t, p, total, left, first, count, seed;
    integer           size [0:7];

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_axis_driver #(.DATA_W(64), .SALT(3)) u_step (.clk(clk), .rst(rst), .m_axis_tvalid(step_valid),
        .m_axis_tready(step_ready), .m_axis_tdata(step_data), .m_axis_tuser(), .m_axis_tlast(), .done(step_done));
    rill_axis_driver #(.DATA_W(16), .USER_W(USER_W)) u_src (.clk(clk), .rst(rst), .m_axis_tvalid(s_valid),
        .m_axis_tready(s_ready), .m_axis_tdata(s_data), .m_axis_tuser(s_user), .m_axis_tlast(s_last), .done(src_done));
    rill_part_order #(.DATA_W(16), .TOKENS(TOKENS), .WORDS(WORDS), .FIRE_WORDS(FIRE_WORDS), .JOIN(JOIN)) dut (
        .clk(clk), .rst(rst), .s_axis_step_tvalid(step_valid), .s_axis_step_tready(step_ready),
        .s_axis_step_tdata(step_data), .s_axis_tvalid(s_valid), .s_axis_tready(s_ready), .s_axis_tdata(s_data),
        .s_axis_tuser(s_user), .s_axis_tlast(s_last), .m_axis_tvalid(m_valid), .m_axis_tready(m_ready),
        .m_axis_tdata(m_data), .m_axis_tuser(m_user), .m_axis_tlast(m_last));
    rill_axis_monitor #(.DATA_W(16), .USER_W(USER_W)) u_snk (.clk(clk), .rst(rst), .hold(1'b0), .s_axis_tvalid(m_valid),
        .s_axis_tready(m_ready), .s_axis_tdata(m_data), .s_axis_tuser(m_user), .s_axis_tlast(m_last), .done(snk_done));

    // Once a word of a firing has left, its next word must be offered at once.
    reg                follows = 0;
    always @(posedge clk) begin
        if (!rst && follows && !m_valid) begin
            $display("FAIL: a gap in a firing");
            $finish;
        end
        if (m_valid && m_ready) follows <= !m_last;
    end

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        for (n = 0; n < TENSORS; n = n + 1) begin
            total = 1 + $unsigned($random(seed)) % TOKENS;
            for (w = 0; w < WORDS; w = w + 1)
                for (t = 0; t < total; t = t + 1)
                    value[w*8+t] = $random(seed);
            count = 0;
            for (left = total; left > 0; left = left - size[count-1]) begin
                size[count] = 1 + $unsigned($random(seed)) % left;
                count = count + 1;
            end
            first = 0;
            for (p = 0; p < count; p = p + 1) begin
                word = {$random(seed), $random(seed)};
                word[PART_NTOK +: PART_NTOK_W] = size[p];
                word[PART_MORE] = p != count - 1;
                u_step.push(word, 1'b0, 1'b0);
                for (w = 0; w < WORDS; w = w + 1)
                    for (t = 0; t < size[p]; t = t + 1) begin
                        user = t;
                        user[USER_W-1] = t == size[p] - 1;
                        if (JOIN != 0)
                            u_src.push(value[w*8+first+t], user, $random(seed));
                        else
                            u_snk.expect_word(value[w*8+first+t], user, t == size[p] - 1
                                && w % FIRE_WORDS == FIRE_WORDS - 1);
                    end
                first = first + size[p];
            end
            for (w = 0; w < WORDS; w = w + 1)
                for (t = 0; t < total; t = t + 1) begin
                    user = t;
                    user[USER_W-1] = t == total - 1;
                    if (JOIN == 0)
                        u_src.push(value[w*8+t], user, $random(seed));
                    else
                        u_snk.expect_word(value[w*8+t], user, t == total - 1 && w % FIRE_WORDS == FIRE_WORDS - 1);
                end
        end
        wait (!rst);
        wait (step_done && src_done && snk_done);
        repeat (5) @(posedge clk);
        $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
