// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_norm_sums. Compares the sums of vectors with 64-bit arithmetic. The chunks of all tokens of a
// firing are interleaved. A token's row is {bank, token}, and firings use the two banks in turn. Also checks the
// latency of at most log2(LANES) + 8 cycles, and the faults of an infinity and of an element of 2^23 (|X| = 2^43).
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: LANES=1 TOKENS=1 FAULT=0
// sweep: LANES=4 TOKENS=2 FAULT=0
// sweep: LANES=16 TOKENS=8 FAULT=0
// sweep: LANES=4 TOKENS=2 FAULT=1
// sweep: LANES=4 TOKENS=2 FAULT=2
// quick: LANES=4 TOKENS=2 FAULT=0
// quick: LANES=4 TOKENS=2 FAULT=1 @ 50:50
`default_nettype none

module rill_norm_sums_tb;
    // Parameters without a comment are those of the module.
    parameter LANES = 4;
    parameter TOKENS = 2;                        // tokens of a firing, upper bound
    parameter FAULT = 0;                         // kind of fault in the vectors (vectors_rill_norm_sums.c); 0: none
    localparam USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1;
    localparam ROW_W = USER_W;

    wire                clk, rst, fault, valid, x_tvalid, x_tlast, x_done, y_done, unused_ready;
    wire [LANES*32-1:0] x_tdata;
    wire [USER_W-1:0]   x_tuser;
    wire [ROW_W-1:0]    row;
    wire [59:0]         sum, high, middle, low;
    reg                 first_q = 1'b1, bank_q = 1'b0;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_file_driver #(.TAG("x"), .DATA_W(LANES * 32), .USER_W(USER_W), .SALT(1)) u_x (.clk(clk), .rst(rst),
        .m_axis_tvalid(x_tvalid),
        .m_axis_tready(!rst), .m_axis_tdata(x_tdata), .m_axis_tuser(x_tuser), .m_axis_tlast(x_tlast), .done(x_done));
    // A second stream (tag "last") marks each token's last chunk. It has the SALT of u_x, so it idles in the same
    // cycles, and its words come with those of u_x.
    wire last_tvalid, last_done, last_tlast, last_tuser, last;
    rill_file_driver #(.TAG("last"), .DATA_W(1), .USER_W(1), .SALT(1)) u_last (.clk(clk), .rst(rst),
        .m_axis_tvalid(last_tvalid),
        .m_axis_tready(!rst), .m_axis_tdata(last), .m_axis_tuser(last_tuser), .m_axis_tlast(last_tlast),
        .done(last_done));

    // first_q: the chunks that come are the tokens' first ones. bank_q: bank of the firing, changed after its last
    // chunk.
    always @(posedge clk) if (!rst && x_tvalid && x_tuser[USER_W-1]) begin
        first_q <= x_tlast;
        if (x_tlast) bank_q <= !bank_q;
    end

    rill_norm_sums #(.LANES(LANES), .ROWS(1 << ROW_W)) dut (.clk(clk), .rst(rst), .take(x_tvalid && !rst), .x(x_tdata),
        .row({bank_q, x_tuser[USER_W-2:0]}), .first(first_q), .last(last), .m_valid(valid), .m_row(row), .m_sum(sum),
        .m_high(high),
        .m_middle(middle), .m_low(low), .fault(fault));

    // The unit cannot wait, so its sink is always ready.
    rill_file_monitor #(.TAG("y"), .DATA_W(240), .USER_W(ROW_W), .STALL(0), .COMPARE(FAULT == 0)) u_y (
        .clk(clk), .rst(rst), .s_axis_tvalid(valid && !rst), .s_axis_tready(unused_ready),
        .s_axis_tdata({sum, high, middle, low}),
        .s_axis_tuser(row), .s_axis_tlast(1'b0), .done(y_done));
    rill_kernel_verdict #(.FAULT(FAULT), .SLACK($clog2(LANES) + 8)) u_verdict (.clk(clk), .rst(rst),
        .done(x_done && y_done && last_done),
        .fault(fault), .x_tvalid(x_tvalid), .x_tready(1'b1), .y_tvalid(valid), .y_tready(1'b1));
endmodule

`default_nettype wire
