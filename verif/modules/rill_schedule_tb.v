// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_schedule. Compares entries, layers, step words and tlast with a walk through the table in the
// bench. Without idles and stalls, also checks the cycles of all steps together: one for each entry, one for each
// section up to the last one that runs in the step, and two for the step.
// The table has sections of lengths L0, L1, L2 and repeats R0, R1, R2. HEADS: bit mask of the sections that run only in
// steps with STEP_HEAD. MANY: bit mask of the entries that steps of one token skip (a decimal number, bit 0 is entry
// 0). The last entry of a section must not be in it, as the module requires.
// Sets for verif/modules/run.sh:
// sweep: ENTRY_W=8 L0=1 L1=3 L2=1 R0=1 R1=6 R2=1 HEADS=4
// sweep: ENTRY_W=96 L0=4 L1=0 L2=2 R0=2 R1=5 R2=3 HEADS=0
// sweep: ENTRY_W=192 L0=1 L1=1 L2=1 R0=1 R1=1 R2=1 HEADS=7
// sweep: ENTRY_W=5 L0=0 L1=7 L2=0 R0=1 R1=1 R2=1 HEADS=5
// sweep: ENTRY_W=33 L0=2 L1=2 L2=9 R0=3 R1=2 R2=0 HEADS=2
// sweep: ENTRY_W=8 L0=4 L1=7 L2=1 R0=1 R1=6 R2=1 HEADS=4 MANY=621
// sweep: ENTRY_W=96 L0=3 L1=2 L2=5 R0=2 R1=3 R2=2 HEADS=2 MANY=491
// quick: ENTRY_W=8 L0=4 L1=7 L2=1 R0=1 R1=6 R2=1 HEADS=4 MANY=621
// quick: ENTRY_W=8 L0=1 L1=3 L2=1 R0=1 R1=6 R2=1 HEADS=4
// quick: ENTRY_W=96 L0=4 L1=0 L2=2 R0=2 R1=5 R2=3 HEADS=0
// quick: ENTRY_W=33 L0=2 L1=2 L2=9 R0=3 R1=2 R2=0 HEADS=2
`default_nettype none
`timescale 1ns / 1ps

module rill_schedule_tb;
    `include "rill_fields.vh"
    parameter ENTRY_W = 8;                   // as in the module; the header of this file explains the others
    parameter L0 = 1;
    parameter L1 = 3;
    parameter L2 = 1;
    parameter R0 = 1;
    parameter R1 = 6;
    parameter R2 = 1;
    parameter HEADS = 4;
    parameter MANY = 0;
    localparam ENTRIES = L0 + L1 + L2;
    localparam OUT_W = 80 + ENTRY_W;
    localparam STEPS = 40;
    localparam [47:0] LEN = {L2[15:0], L1[15:0], L0[15:0]};
    localparam [47:0] REPEAT = {R2[15:0], R1[15:0], R0[15:0]};
    localparam [2:0] WHEN = HEADS;
    localparam [ENTRIES-1:0] LEFT_OUT = MANY;

    // Returns a table of n entries whose bits are arbitrary but fixed.
    function [ENTRIES*ENTRY_W-1:0] fixed_table(input integer n);
        integer e, b;
        begin
            for (e = 0; e < n; e = e + 1)
                for (b = 0; b < ENTRY_W; b = b + 1)
                    fixed_table[e*ENTRY_W + b] = ((e * 37 + b * 11 + (e + 3) * (b + 1)) >> 2) & 1;
        end
    endfunction
    localparam [ENTRIES*ENTRY_W-1:0] TABLE = fixed_table(ENTRIES);

    wire             clk, rst, s_valid, s_ready, m_valid, m_ready, m_last, src_done, snk_done;
    wire [63:0]      s_data;
    wire [OUT_W-1:0] m_data;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_axis_driver #(.DATA_W(64)) u_src (.clk(clk), .rst(rst), .m_axis_tvalid(s_valid), .m_axis_tready(s_ready),
        .m_axis_tdata(s_data),
        .m_axis_tuser(), .m_axis_tlast(), .done(src_done));
    rill_schedule #(.ENTRY_W(ENTRY_W), .SECTIONS(3), .ENTRIES(ENTRIES), .SECTION_LEN(LEN), .SECTION_REPEAT(REPEAT),
        .SECTION_WHEN_HEAD(WHEN), .TABLE(TABLE), .ENTRY_MANY(LEFT_OUT)) dut (
        .clk(clk), .rst(rst), .s_axis_step_tvalid(s_valid), .s_axis_step_tready(s_ready), .s_axis_step_tdata(s_data),
        .m_axis_entry_tvalid(m_valid), .m_axis_entry_tready(m_ready), .m_axis_entry_tdata(m_data),
        .m_axis_entry_tlast(m_last));
    rill_axis_monitor #(.DATA_W(OUT_W)) u_snk (.clk(clk), .rst(rst), .hold(1'b0), .s_axis_tvalid(m_valid),
        .s_axis_tready(m_ready),
        .s_axis_tdata(m_data), .s_axis_tuser(1'b0), .s_axis_tlast(m_last), .done(snk_done));

    // bound: most cycles of all steps. first: table index of the first entry of section s. remaining: entries of the
    // step that follow, including those that the step skips.
    integer s, r, e, first, remaining, n, seed, idle, stall, bound;
    reg [63:0] step;
    // Returns the number of entries of a section in a step, including those that a step of one token skips.
    function integer runs(input integer section, input head);
        runs = (WHEN[section] && !head) ? 0 : LEN[section*16 +: 16] * REPEAT[section*16 +: 16];
    endfunction
    // Returns the number of sections that take a cycle in a step: those up to the last one that runs, or all three if
    // none runs. The module knows whether a later section runs, so the others take no cycle.
    function integer visits(input head);
        visits = runs(2, head) != 0 || (runs(0, head) == 0 && runs(1, head) == 0) ? 3 : runs(1, head) != 0 ? 2 : 1;
    endfunction
    // Sends a step word and queues the expected output. Every second step has one token.
    task one_step;
        begin
            step = {$random(seed), $random(seed)};
            if (n % 2 == 1) step[STEP_NTOK +: STEP_NTOK_W] = 1;
            u_src.push(step, 1'b0, 1'b0);
            remaining = runs(0, step[STEP_HEAD]) + runs(1, step[STEP_HEAD]) + runs(2, step[STEP_HEAD]);
            bound = bound + remaining + visits(step[STEP_HEAD]) + 2; // 2: to take the step, and to end it
            first = 0;
            for (s = 0; s < 3; s = s + 1) begin
                if (runs(s, step[STEP_HEAD]) != 0)
                    for (r = 0; r < REPEAT[s*16 +: 16]; r = r + 1)
                        for (e = 0; e < LEN[s*16 +: 16]; e = e + 1) begin
                            remaining = remaining - 1;
                            if (!LEFT_OUT[first+e] || step[STEP_NTOK +: STEP_NTOK_W] != 1)
                                u_snk.expect_word({r[15:0], step, TABLE[(first + e)*ENTRY_W +: ENTRY_W]}, 1'b0,
                                    remaining == 0);
                        end
                first = first + LEN[s*16 +: 16];
            end
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        bound = 0;
        for (n = 0; n < STEPS; n = n + 1)
            one_step;
        wait (!rst);
        wait (src_done && snk_done);
        repeat (20) @(posedge clk);
        if (idle + stall == 0 && u_snk.last_time - u_snk.first_time > bound)
            $display("FAIL: %0d cycles, at most %0d were promised", u_snk.last_time - u_snk.first_time, bound);
        else
            $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
