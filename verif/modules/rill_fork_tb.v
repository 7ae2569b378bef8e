// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_fork. Every reader must get every word once and in order, under random stalls of each reader. Also
// checks that a reader gets a word before the others take it and, without idles and stalls, the rate of one word per
// cycle.
// Sets for verif/modules/run.sh:
// sweep: PORTS=1
// sweep: PORTS=2
// sweep: PORTS=5
// quick: PORTS=5
`default_nettype none
`timescale 1ns / 1ps

module rill_fork_tb;
    // Parameters without a comment are those of the module.
    parameter PORTS = 3;
    localparam WORDS = 300;
    wire             clk, rst, s_valid, s_ready, src_done;
    wire [15:0]      data;
    wire [PORTS-1:0] m_valid, m_ready, snk_done;
    reg  [PORTS-1:0] hold = {PORTS{1'b1}};
    reg  [15:0]      word;
    integer          i, idle, stall, span;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_axis_driver #(.DATA_W(16)) u_src (.clk(clk), .rst(rst), .m_axis_tvalid(s_valid), .m_axis_tready(s_ready),
        .m_axis_tdata(data),
        .m_axis_tuser(), .m_axis_tlast(), .done(src_done));
    rill_fork #(.PORTS(PORTS)) dut (.clk(clk), .rst(rst), .s_axis_tvalid(s_valid), .s_axis_tready(s_ready),
        .m_axis_tvalid(m_valid),
        .m_axis_tready(m_ready));

    genvar g;
    generate
        for (g = 0; g < PORTS; g = g + 1) begin : gen_port
            rill_axis_monitor #(.DATA_W(16), .SALT(g + 2)) u_snk (.clk(clk), .rst(rst), .hold(hold[g]),
                .s_axis_tvalid(m_valid[g]),
                .s_axis_tready(m_ready[g]), .s_axis_tdata(data), .s_axis_tuser(1'b0), .s_axis_tlast(1'b0),
                .done(snk_done[g]));
            integer j;
            initial
                for (j = 0; j < WORDS; j = j + 1)
                    u_snk.expect_word(j * 40503, 1'b0, 1'b0);
        end
    endgenerate

    initial begin
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        wait (!rst);
        for (i = 0; i < WORDS; i = i + 1) begin
            word = i * 40503;
            u_src.push(word, 1'b0, 1'b0);
        end
        // Only reader 0 is ready. It must get one word although the others take none, and no second one.
        hold[0] = 0;
        repeat (40) @(posedge clk);
        if (gen_port[0].u_snk.seen != (PORTS > 1 ? 1 : gen_port[0].u_snk.seen) || gen_port[0].u_snk.seen == 0) begin
            $display("FAIL: reader 0 has %0d words while the others have none", gen_port[0].u_snk.seen);
            $finish;
        end
        hold = {PORTS{1'b0}};
        wait (src_done && &snk_done);
        span = gen_port[PORTS-1].u_snk.last_time - gen_port[PORTS-1].u_snk.first_time + 1;
        if (idle + stall == 0 && span != WORDS)
            $display("FAIL: %0d words took %0d cycles", WORDS, span);
        else
            $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
