// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_join. The n-th words of all writers must leave together and once. Without idles and stalls, also
// checks the rate of one word per cycle.
// Sets for verif/modules/run.sh:
// sweep: PORTS=1
// sweep: PORTS=2
// sweep: PORTS=5
// quick: PORTS=5
`default_nettype none
`timescale 1ns / 1ps

module rill_join_tb;
    // Parameters without a comment are those of the module.
    parameter PORTS = 3;
    localparam WORDS = 300;
    wire                clk, rst, m_valid, m_ready, snk_done;
    wire [PORTS-1:0]    s_valid, s_ready, src_done;
    wire [PORTS*16-1:0] data;
    reg  [PORTS*16-1:0] word;
    integer             i, p, idle, stall;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    genvar g;
    generate
        for (g = 0; g < PORTS; g = g + 1) begin : gen_port
            rill_axis_driver #(.DATA_W(16), .SALT(g + 11)) u_src (.clk(clk), .rst(rst), .m_axis_tvalid(s_valid[g]),
                .m_axis_tready(s_ready[g]),
                .m_axis_tdata(data[g*16 +: 16]), .m_axis_tuser(), .m_axis_tlast(), .done(src_done[g]));
            integer j;
            initial
                for (j = 0; j < WORDS; j = j + 1)
                    u_src.push(j * 40503 + g * 77, 1'b0, 1'b0);
        end
    endgenerate
    // rill_join handles the handshake only, so the monitor takes the data from the drivers.
    rill_join #(.PORTS(PORTS)) dut (.clk(clk), .rst(rst), .s_axis_tvalid(s_valid), .s_axis_tready(s_ready),
        .m_axis_tvalid(m_valid),
        .m_axis_tready(m_ready));
    rill_axis_monitor #(.DATA_W(PORTS * 16)) u_snk (.clk(clk), .rst(rst), .hold(1'b0), .s_axis_tvalid(m_valid),
        .s_axis_tready(m_ready),
        .s_axis_tdata(data), .s_axis_tuser(1'b0), .s_axis_tlast(1'b0), .done(snk_done));

    initial begin
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        for (i = 0; i < WORDS; i = i + 1) begin
            for (p = 0; p < PORTS; p = p + 1)
                word[p*16 +: 16] = i * 40503 + p * 77;
            u_snk.expect_word(word, 1'b0, 1'b0);
        end
        wait (!rst);
        wait (snk_done && &src_done);
        if (idle + stall == 0 && u_snk.last_time - u_snk.first_time != WORDS - 1)
            $display("FAIL: %0d words took %0d cycles", WORDS, u_snk.last_time - u_snk.first_time + 1);
        else
            $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
