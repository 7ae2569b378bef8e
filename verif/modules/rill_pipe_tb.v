// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_pipe. Checks order, latency and the sideband that travels along, and that no word is lost or
// doubled. valid[i] must be high while stage i + 1 holds a word, and all copies of move must be high exactly while a
// word can move. en must be high exactly while the stages move, with or without a word.
// Sets for verif/modules/run.sh:
// sweep: LATENCY=1
// sweep: LATENCY=2
// sweep: LATENCY=14
// sweep: LATENCY=1 COPIES=2
// sweep: LATENCY=5 COPIES=8
// sweep: LATENCY=5 COPIES=4 VALIDS=4
// quick: LATENCY=2
// quick: LATENCY=14
// quick: LATENCY=5 COPIES=8
// quick: LATENCY=3 COPIES=4 VALIDS=4
`default_nettype none

module rill_pipe_tb;
    // Parameters without a comment are those of the module.
    parameter LATENCY = 2;
    parameter COPIES = 1;
    parameter VALIDS = 1;
    localparam COUNT = 500;
    wire               clk, rst, en, done_s, done_m;
    wire               s_tvalid, s_tready, s_tlast, m_tvalid, m_tready, m_tlast;
    wire [31:0]        s_tdata, m_tdata;
    wire [1:0]         s_tuser, m_tuser;
    wire [LATENCY-1:0] valid;
    wire [COPIES-1:0]  move;
    reg  [LATENCY-1:0] model_q = 0;           // the expected valid[]
    reg                fault = 1'b0;          // a check of this bench has failed
    integer            i;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_axis_driver #(.USER_W(2)) u_s (.clk(clk), .rst(rst), .m_axis_tvalid(s_tvalid), .m_axis_tready(s_tready),
        .m_axis_tdata(s_tdata),
        .m_axis_tuser(s_tuser), .m_axis_tlast(s_tlast), .done(done_s));
    rill_pipe #(.LATENCY(LATENCY), .SIDE_W(35), .COPIES(COPIES), .VALIDS(VALIDS)) dut (.clk(clk), .rst(rst),
        .s_tvalid({VALIDS{s_tvalid}}),
        .s_tready(s_tready),
        .s_side({s_tlast, s_tuser, s_tdata}), .en(en), .move(move), .valid(valid), .m_tvalid(m_tvalid),
        .m_tready(m_tready),
        .m_side({m_tlast, m_tuser, m_tdata}));
    rill_axis_monitor #(.USER_W(2)) u_m (.clk(clk), .rst(rst), .hold(1'b0), .s_axis_tvalid(m_tvalid),
        .s_axis_tready(m_tready),
        .s_axis_tdata(m_tdata), .s_axis_tuser(m_tuser), .s_axis_tlast(m_tlast), .done(done_m));
    rill_kernel_verdict #(.LATENCY(LATENCY), .SLACK(LATENCY), .WAITS(2)) u_verdict (.clk(clk), .rst(rst),
        .done(done_s && done_m),
        .fault(fault), .x_tvalid(s_tvalid), .x_tready(s_tready), .y_tvalid(m_tvalid), .y_tready(m_tready));

    initial for (i = 0; i < COUNT; i = i + 1) begin
        u_s.push(i * 32'h01234567, i[1:0], i % 7 == 0);
        u_m.expect_word(i * 32'h01234567, i[1:0], i % 7 == 0);
    end

    reg                fresh_q = 1'b1;        // the cycle after a reset, in which stages move only if m_tready is high
    wire               moves = m_tready || (!m_tvalid && !fresh_q);
    always @(posedge clk) begin
        fresh_q <= rst;
        if (!rst && valid !== model_q) fault = 1'b1;
        if (rst) model_q <= 0;
        else if (moves) model_q <= (model_q << 1) | s_tvalid;
        if (!rst && move !== {COPIES{moves && (s_tvalid || model_q != 0)}}) fault = 1'b1;
        if (!rst && en !== moves) fault = 1'b1;
    end
endmodule

`default_nettype wire
