// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_pulse_word. One word must leave per pulse, and must stay offered until the reader takes it. The
// next pulse comes after that.
// Sets for verif/modules/run.sh:
// sweep: DATA_W=56
// sweep: DATA_W=8
`default_nettype none
`timescale 1ns / 1ps

module rill_pulse_word_tb;
    parameter DATA_W = 56;
    localparam PULSES = 60;
    localparam [63:0] WORD = 64'h8123_4567_89ab_cdef;
    wire              clk, rst, m_valid, m_ready, snk_done;
    wire [DATA_W-1:0] m_data;
    reg               pulse = 0;
    integer           i;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_pulse_word #(.DATA_W(DATA_W), .WORD(WORD[DATA_W-1:0])) dut (.clk(clk), .rst(rst), .pulse(pulse),
        .m_axis_tvalid(m_valid),
        .m_axis_tready(m_ready), .m_axis_tdata(m_data));
    rill_axis_monitor #(.DATA_W(DATA_W)) u_snk (.clk(clk), .rst(rst), .hold(1'b0), .s_axis_tvalid(m_valid),
        .s_axis_tready(m_ready),
        .s_axis_tdata(m_data), .s_axis_tuser(1'b0), .s_axis_tlast(1'b0), .done(snk_done));

    initial begin
        wait (!rst);
        for (i = 0; i < PULSES; i = i + 1) begin
            u_snk.expect_word(WORD[DATA_W-1:0], 1'b0, 1'b0);
            @(posedge clk) pulse <= 1;
            @(posedge clk) pulse <= 0;
            @(posedge clk);
            wait (snk_done);
        end
        repeat (10) @(posedge clk);
        $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
