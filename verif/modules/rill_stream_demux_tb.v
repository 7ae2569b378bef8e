// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_stream_demux. Distributes firings by a table that includes dropped firings and a section for head
// steps (STEP_HEAD). Checks that each port gets its firings in order. Without idles and stalls, also checks that no
// cycle is lost between firings, but only with LONGEST of 3 or more: rill_schedule loses a cycle per section and two
// per step and may be too slow for shorter firings.
// Sets for verif/modules/run.sh:
// sweep: PORTS=2 REPEAT=4 LONGEST=9
// sweep: PORTS=1 REPEAT=2 LONGEST=1
// sweep: PORTS=4 REPEAT=7 LONGEST=3
`default_nettype none
`timescale 1ns / 1ps

module rill_stream_demux_tb;
    `include "rill_fields.vh"
    // Parameters without a comment are those of the module.
    parameter PORTS = 2;
    parameter REPEAT = 4;                    // repeats of section 0: a firing to port 0, then one that is dropped
    parameter LONGEST = 9;                   // most words of a firing
    localparam STEPS = 30;
    localparam WORDS = STEPS * (2 * REPEAT + 2) * LONGEST;
    localparam [7:0] TAIL_PORT = PORTS - 1;
    // Section 0: port 0, dropped. Section 1: TAIL_PORT. Section 2: port 0, in head steps.
    localparam [31:0] TABLE = {8'd0, TAIL_PORT, 8'd255, 8'd0};
    localparam [47:0] REPEATS = {16'd1, 16'd1, REPEAT[15:0]};

    wire                clk, rst, step_valid, step_ready, step_done, s_valid, s_ready, s_last, src_done;
    wire [63:0]         step_data;
    wire [15:0]         s_data;
    wire [2:0]          s_user;
    wire [PORTS-1:0]    m_valid, m_ready, m_last, snk_done;
    wire [PORTS*16-1:0] m_data;
    wire [PORTS*3-1:0]  m_user;
    // A pulse of want[p] lets the monitor of port p expect `beat`. A variable cannot select a generated instance.
    reg  [PORTS-1:0]    want = 0;
    reg  [19:0]         beat;                // {last, user, data}

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_axis_driver #(.DATA_W(64), .SALT(3)) u_step (.clk(clk), .rst(rst), .m_axis_tvalid(step_valid),
        .m_axis_tready(step_ready),
        .m_axis_tdata(step_data), .m_axis_tuser(), .m_axis_tlast(), .done(step_done));
    rill_axis_driver #(.DATA_W(16), .USER_W(3), .WORDS(WORDS)) u_src (.clk(clk), .rst(rst), .m_axis_tvalid(s_valid),
        .m_axis_tready(s_ready),
        .m_axis_tdata(s_data), .m_axis_tuser(s_user), .m_axis_tlast(s_last), .done(src_done));
    rill_stream_demux #(.PORTS(PORTS), .DATA_W(16), .USER_W(3), .SECTIONS(3), .ENTRIES(4),
        .SECTION_LEN(48'h000100010002),
        .SECTION_REPEAT(REPEATS), .SECTION_WHEN_HEAD(3'b100), .TABLE(TABLE)) dut (
        .clk(clk), .rst(rst), .s_axis_step_tvalid(step_valid), .s_axis_step_tready(step_ready),
        .s_axis_step_tdata(step_data),
        .s_axis_tvalid(s_valid), .s_axis_tready(s_ready), .s_axis_tdata(s_data), .s_axis_tuser(s_user),
        .s_axis_tlast(s_last),
        .m_axis_tvalid(m_valid), .m_axis_tready(m_ready), .m_axis_tdata(m_data), .m_axis_tuser(m_user),
        .m_axis_tlast(m_last));
    genvar g;
    generate
        for (g = 0; g < PORTS; g = g + 1) begin : gen_port
            rill_axis_monitor #(.DATA_W(16), .USER_W(3), .WORDS(WORDS), .SALT(g + 11)) u_snk (.clk(clk), .rst(rst),
                .hold(1'b0),
                .s_axis_tvalid(m_valid[g]), .s_axis_tready(m_ready[g]), .s_axis_tdata(m_data[g*16 +: 16]),
                .s_axis_tuser(m_user[g*3 +: 3]),
                .s_axis_tlast(m_last[g]), .done(snk_done[g]));
            always @(posedge want[g])
                u_snk.expect_word(beat[15:0], beat[18:16], beat[19]);
        end
    endgenerate

    integer n, i, seed, idle, stall, first_cycle, beats;
    reg [63:0] step;
    // Sends a firing of random length, which must come out of `port`. 255: it must be dropped.
    task firing(input integer port);
        integer length, b;
        begin
            length = LONGEST == 1 ? 1 : 1 + $unsigned($random(seed)) % LONGEST;
            if (idle + stall == 0)
                length = LONGEST;
            for (b = 0; b < length; b = b + 1) begin
                beat = {b == length - 1, 19'd0} | ($random(seed) & 20'h7ffff);
                u_src.push(beat[15:0], beat[18:16], beat[19]);
                if (port != 255) begin
                    want[port] = 1'b1;
                    #0 want[port] = 1'b0;
                    #0;
                end
            end
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        #1;
        for (n = 0; n < STEPS; n = n + 1) begin
            step = {$random(seed), $random(seed)};
            u_step.push(step, 1'b0, 1'b0);
            for (i = 0; i < REPEAT; i = i + 1) begin
                firing(0);
                firing(255);
            end
            firing(TAIL_PORT);
            if (step[STEP_HEAD])
                firing(0);
        end
        wait (!rst);
        while (!(s_valid && s_ready)) @(negedge clk);
        first_cycle = u_clock.cycle;
        beats = u_src.pushed;
        wait (src_done);
        @(negedge clk);
        if (idle + stall == 0 && LONGEST >= 3 && u_clock.cycle - first_cycle != beats) begin
            $display("FAIL: %0d beats took %0d cycles", beats, u_clock.cycle - first_cycle);
            $finish;
        end
        wait (step_done && &snk_done);
        repeat (20) @(posedge clk);
        $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
