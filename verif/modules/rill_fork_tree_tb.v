// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_fork_tree. Every reader must get every word once and in order, in the copy of its group, under
// random stalls of each reader. Also checks the latency, the rate of one word per cycle, the number of words by which
// one group can be ahead of another one, and a reset while words are inside.
// Sets for verif/modules/run.sh:
// sweep: PORTS=1 GROUP=2
// sweep: PORTS=2 GROUP=2
// sweep: PORTS=3 GROUP=2
// sweep: PORTS=8 GROUP=8
// sweep: PORTS=12 GROUP=8
// sweep: PORTS=32 GROUP=8
// quick: PORTS=2 GROUP=2
// quick: PORTS=12 GROUP=8
`default_nettype none
`timescale 1ns / 1ps

module rill_fork_tree_tb;
    // Parameters without a comment are those of the module.
    parameter PORTS = 3;
    parameter GROUP = 2;
    localparam COPIES = (PORTS + GROUP - 1) / GROUP;
    localparam DATA_W = 16;
    localparam WORDS = 300;
    localparam AHEAD = 3;                    // words that one group gets while another one takes none
    wire                     clk, rst, s_valid, s_ready, src_done;
    wire [DATA_W-1:0]        data;
    wire [PORTS-1:0]         m_valid, m_ready, snk_done;
    wire [COPIES*DATA_W-1:0] m_data;
    reg  [PORTS-1:0]         hold = {PORTS{1'b1}};
    reg                      again = 1'b0;
    reg                      go = 1'b0;      // the reset is over, and the second part has begun
    reg                      rst_q = 1'b0;
    reg  [DATA_W-1:0]        word;
    // lost: words that the source had sent before the reset; they do not come again. earlier: words that reader 0 had
    // taken before the reset.
    integer                  i, idle, stall, span, start, lost, earlier;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(again));
    rill_axis_driver #(.DATA_W(DATA_W)) u_src (.clk(clk), .rst(rst), .m_axis_tvalid(s_valid), .m_axis_tready(s_ready),
        .m_axis_tdata(data), .m_axis_tuser(), .m_axis_tlast(), .done(src_done));
    rill_fork_tree #(.DATA_W(DATA_W), .PORTS(PORTS), .GROUP(GROUP)) dut (.clk(clk), .rst(rst), .s_axis_tvalid(s_valid),
        .s_axis_tready(s_ready), .s_axis_tdata(data), .m_axis_tvalid(m_valid), .m_axis_tready(m_ready),
        .m_axis_tdata(m_data));

    genvar g;
    generate
        for (g = 0; g < PORTS; g = g + 1) begin : gen_port
            rill_axis_monitor #(.DATA_W(DATA_W), .SALT(g + 2)) u_snk (.clk(clk), .rst(rst), .hold(hold[g]),
                .s_axis_tvalid(m_valid[g]), .s_axis_tready(m_ready[g]),
                .s_axis_tdata(m_data[g/GROUP*DATA_W +: DATA_W]), .s_axis_tuser(1'b0), .s_axis_tlast(1'b0),
                .done(snk_done[g]));
            integer j;
            initial begin
                if (g == 0 && PORTS > 1)
                    u_snk.expect_word({DATA_W{1'b0}}, 1'b0, 1'b0);
                wait (go);
                for (j = lost; j < WORDS; j = j + 1)
                    u_snk.expect_word(j * 40503, 1'b0, 1'b0);
            end
        end
    endgenerate

    always @(posedge clk) begin
        rst_q <= rst;
        if (rst && rst_q === 1'b1 && u_clock.cycle > 3 && (s_ready || |m_valid)) begin
            $display("FAIL: a handshake in reset");
            $finish;
        end
    end

    initial begin
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        wait (!rst);
        for (i = 0; i < WORDS; i = i + 1) begin
            word = i * 40503;
            u_src.push(word, 1'b0, 1'b0);
        end
        while (!(s_valid && s_ready)) @(negedge clk);
        start = u_clock.cycle;
        while (!m_valid[PORTS-1]) @(negedge clk);
        if (u_clock.cycle - start != (COPIES > 1 ? 2 : 1)) begin
            $display("FAIL: latency %0d", u_clock.cycle - start);
            $finish;
        end
        // Only reader 0 is ready. It must get one word although the others take none, and no second one.
        hold[0] = PORTS == 1;
        repeat (60) @(posedge clk);
        if (gen_port[0].u_snk.seen != (PORTS > 1)) begin
            $display("FAIL: reader 0 has %0d words while the others have none", gen_port[0].u_snk.seen);
            $finish;
        end
        // The reset must drop the words inside, and the forks must forget that reader 0 has one.
        hold = {PORTS{1'b1}};
        @(negedge clk) again = 1'b1;
        @(negedge clk) again = 1'b0;
        wait (rst);
        wait (!rst);
        lost = u_src.sent;
        go = 1'b1;
        // All readers are ready except those of the last group.
        earlier = gen_port[0].u_snk.seen;
        for (i = 0; i < PORTS; i = i + 1)
            hold[i] = i / GROUP == COPIES - 1;
        repeat (60) @(posedge clk);
        if (gen_port[0].u_snk.seen - earlier != (COPIES > 1 ? AHEAD : 0)) begin
            $display("FAIL: reader 0 has %0d words while the last group has none", gen_port[0].u_snk.seen - earlier);
            $finish;
        end
        hold = {PORTS{1'b0}};
        wait (src_done && &snk_done);
        span = gen_port[PORTS-1].u_snk.last_time - gen_port[PORTS-1].u_snk.first_time + 1;
        if (idle + stall == 0 && span != WORDS - lost)
            $display("FAIL: %0d words took %0d cycles", WORDS - lost, span);
        else
            $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
