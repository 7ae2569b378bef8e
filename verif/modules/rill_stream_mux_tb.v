// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_stream_mux. The table is that of a repeated region: one firing from port 0, then REPEAT firings
// from port 1, and in head steps (STEP_HEAD) also one from port PORTS-1. Steps and firing lengths are random. The words
// must come in the order of the table. Without idles and stalls, no cycle may be lost between firings. This
// is checked only with LONGEST of 3 or more, because rill_schedule loses a cycle per section and two per step and may
// be too slow for shorter firings.
// Sets for verif/modules/run.sh:
// sweep: PORTS=2 REPEAT=4 LONGEST=9
// sweep: PORTS=5 REPEAT=1 LONGEST=1
// sweep: PORTS=3 REPEAT=7 LONGEST=3
// quick: PORTS=5 REPEAT=1 LONGEST=1
// quick: PORTS=3 REPEAT=7 LONGEST=3
`default_nettype none
`timescale 1ns / 1ps

module rill_stream_mux_tb;
    `include "rill_fields.vh"
    // Parameters without a comment are those of the module.
    parameter PORTS = 2;
    parameter REPEAT = 4;                    // firings of port 1 in a step
    parameter LONGEST = 9;                   // most words of a firing
    localparam STEPS = 30;
    localparam WORDS = STEPS * (REPEAT + 2) * LONGEST;
    localparam [7:0] TAIL_PORT = PORTS - 1;
    localparam [23:0] TABLE = {TAIL_PORT, 8'd1, 8'd0};
    localparam [47:0] REPEATS = {16'd1, REPEAT[15:0], 16'd1};

    wire                clk, rst, step_valid, step_ready, step_done, m_valid, m_ready, m_last, snk_done;
    wire [63:0]         step_data;
    wire [PORTS-1:0]    s_valid, s_ready, s_last, src_done;
    wire [PORTS*16-1:0] s_data;
    wire [PORTS*3-1:0]  s_user;
    wire [15:0]         m_data;
    wire [2:0]          m_user;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_axis_driver #(.DATA_W(64), .SALT(3)) u_step (.clk(clk), .rst(rst), .m_axis_tvalid(step_valid),
        .m_axis_tready(step_ready),
        .m_axis_tdata(step_data), .m_axis_tuser(), .m_axis_tlast(), .done(step_done));
    // A pulse of give[p] gives `beat` to the source of port p. A variable cannot select a generated instance.
    reg  [PORTS-1:0] give = 0;
    reg  [19:0]      beat;                   // {last, user, data}
    genvar g;
    generate
        for (g = 0; g < PORTS; g = g + 1) begin : gen_port
            rill_axis_driver #(.DATA_W(16), .USER_W(3), .WORDS(WORDS), .SALT(g + 11)) u_src (.clk(clk), .rst(rst),
                .m_axis_tvalid(s_valid[g]),
                .m_axis_tready(s_ready[g]), .m_axis_tdata(s_data[g*16 +: 16]), .m_axis_tuser(s_user[g*3 +: 3]),
                .m_axis_tlast(s_last[g]),
                .done(src_done[g]));
            always @(posedge give[g])
                u_src.push(beat[15:0], beat[18:16], beat[19]);
        end
    endgenerate
    rill_stream_mux #(.PORTS(PORTS), .DATA_W(16), .USER_W(3), .SECTIONS(3), .ENTRIES(3), .SECTION_LEN(48'h000100010001),
        .SECTION_REPEAT(REPEATS), .SECTION_WHEN_HEAD(3'b100), .TABLE(TABLE)) dut (
        .clk(clk), .rst(rst), .s_axis_step_tvalid(step_valid), .s_axis_step_tready(step_ready),
        .s_axis_step_tdata(step_data),
        .s_axis_tvalid(s_valid), .s_axis_tready(s_ready), .s_axis_tdata(s_data), .s_axis_tuser(s_user),
        .s_axis_tlast(s_last),
        .m_axis_tvalid(m_valid), .m_axis_tready(m_ready), .m_axis_tdata(m_data), .m_axis_tuser(m_user),
        .m_axis_tlast(m_last));
    rill_axis_monitor #(.DATA_W(16), .USER_W(3), .WORDS(WORDS)) u_snk (.clk(clk), .rst(rst), .hold(1'b0),
        .s_axis_tvalid(m_valid),
        .s_axis_tready(m_ready), .s_axis_tdata(m_data), .s_axis_tuser(m_user), .s_axis_tlast(m_last), .done(snk_done));

    integer n, i, seed, idle, stall;
    reg [63:0] step;
    // Sends a firing of random length through `port`, and expects it next at the output.
    task firing(input integer port);
        integer length, b;
        begin
            length = LONGEST == 1 ? 1 : 1 + $unsigned($random(seed)) % LONGEST;
            if (idle + stall == 0)
                length = LONGEST;
            for (b = 0; b < length; b = b + 1) begin
                beat = {b == length - 1, 19'd0} | ($random(seed) & 20'h7ffff);
                u_snk.expect_word(beat[15:0], beat[18:16], beat[19]);
                give[port] = 1'b1;
                #0 give[port] = 1'b0;
                #0;
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
            firing(0);
            for (i = 0; i < REPEAT; i = i + 1)
                firing(1);
            if (step[STEP_HEAD])
                firing(TAIL_PORT);
        end
        wait (!rst);
        wait (snk_done && step_done && &src_done);
        repeat (20) @(posedge clk);
        if (idle + stall == 0 && LONGEST >= 3 && u_snk.last_time - u_snk.first_time != u_snk.seen - 1)
            $display("FAIL: %0d beats took %0d cycles", u_snk.seen, u_snk.last_time - u_snk.first_time + 1);
        else
            $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
