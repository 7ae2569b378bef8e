// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_part_steps. Steps with a random number of parts go in, one step word for each part. For each layer,
// the words of all parts must come out, with the number of the layer among those of all slots (PLACE), and MORE set in
// all but the last word of a layer. The words of a layer must come in consecutive cycles.
// Sets for verif/modules/run.sh:
// sweep: PARTS=1 LAYERS=3
// sweep: PARTS=2 LAYERS=1
// sweep: PARTS=8 LAYERS=5
// sweep: PARTS=3 LAYERS=64
// quick: PARTS=3 LAYERS=4
`default_nettype none
`timescale 1ns / 1ps

module rill_part_steps_tb;
    `include "rill_fields.vh"
    // Parameters without a comment are those of the module.
    parameter PARTS = 3;
    parameter LAYERS = 4;
    localparam STEPS = 30;
    wire        clk, rst, s_valid, s_ready, src_done, m_valid, m_ready, snk_done;
    wire [63:0] s_data, m_data;
    reg  [63:0] step [0:7];
    reg  [63:0] word;
    reg  [3:0]  slot;
    integer     n, l, p, parts, seed;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_axis_driver #(.DATA_W(64)) u_src (.clk(clk), .rst(rst), .m_axis_tvalid(s_valid), .m_axis_tready(s_ready),
        .m_axis_tdata(s_data), .m_axis_tuser(), .m_axis_tlast(), .done(src_done));
    rill_part_steps #(.PARTS(PARTS), .LAYERS(LAYERS)) dut (.clk(clk), .rst(rst), .s_axis_step_tvalid(s_valid),
        .s_axis_step_tready(s_ready), .s_axis_step_tdata(s_data), .m_axis_tvalid(m_valid), .m_axis_tready(m_ready),
        .m_axis_tdata(m_data));
    rill_axis_monitor #(.DATA_W(64)) u_snk (.clk(clk), .rst(rst), .hold(1'b0), .s_axis_tvalid(m_valid),
        .s_axis_tready(m_ready), .s_axis_tdata(m_data), .s_axis_tuser(1'b0), .s_axis_tlast(1'b0), .done(snk_done));

    // After a word with MORE, the next word must be offered at once.
    reg         follows = 0;
    always @(posedge clk) begin
        if (!rst && follows && !m_valid) begin
            $display("FAIL: a gap between the words of a layer");
            $finish;
        end
        if (m_valid && m_ready) follows <= m_data[PART_MORE];
    end

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        for (n = 0; n < STEPS; n = n + 1) begin
            parts = 1 + $unsigned($random(seed)) % PARTS;
            for (p = 0; p < parts; p = p + 1) begin
                word = {$random(seed), $random(seed)};
                word[STEP_MORE] = p != parts - 1;
                step[p] = word;
                u_src.push(word, 1'b0, 1'b0);
            end
            for (l = 0; l < LAYERS; l = l + 1)
                for (p = 0; p < parts; p = p + 1) begin
                    slot = step[p][STEP_SLOT +: STEP_SLOT_W];
                    word = 64'd0;
                    word[PART_POS +: PART_POS_W] = step[p][STEP_POS +: STEP_POS_W];
                    word[PART_NTOK +: PART_NTOK_W] = step[p][STEP_NTOK +: STEP_NTOK_W];
                    word[PART_MORE] = p != parts - 1;
                    word[PART_PLACE +: PART_PLACE_W] = slot * LAYERS + l;
                    word[PART_KROWS +: PART_KROWS_W] = step[p][STEP_KROWS +: STEP_KROWS_W];
                    word[PART_VBLOCKS +: PART_VBLOCKS_W] = step[p][STEP_VBLOCKS +: STEP_VBLOCKS_W];
                    u_snk.expect_word(word, 1'b0, 1'b0);
                end
        end
        wait (!rst);
        wait (src_done && snk_done);
        repeat (5) @(posedge clk);
        $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
