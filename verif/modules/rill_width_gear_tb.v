// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_width_gear. Sends words with random numbers of elements (tcount). Element n of token t in a firing
// has the value (t + 1) * 4096 + n. Every chunk must hold the next OUT_ELEMS elements of its token, with zeros after
// the last one. Only the last chunk of a firing may have tlast.
// Sets for verif/modules/run.sh:
// sweep: IN_ELEMS=5 OUT_ELEMS=4 TOKENS=2
// sweep: IN_ELEMS=32 OUT_ELEMS=1 TOKENS=4
// sweep: IN_ELEMS=2 OUT_ELEMS=16 TOKENS=1
// quick: IN_ELEMS=5 OUT_ELEMS=4 TOKENS=2
// quick: IN_ELEMS=2 OUT_ELEMS=16 TOKENS=1
`default_nettype none
`timescale 1ns / 1ps

module rill_width_gear_tb;
    // Parameters without a comment are those of the module.
    parameter IN_ELEMS = 5;
    parameter OUT_ELEMS = 4;
    parameter TOKENS = 2;
    localparam ELEM_W = 16;
    localparam COUNT_W = $clog2(IN_ELEMS + 1);
    localparam USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1;
    localparam IN_W = IN_ELEMS * ELEM_W;
    localparam FIRINGS = 15;
    localparam ROWS = 20;

    wire                        clk, rst, s_valid, s_ready, s_last, src_done, m_valid, m_ready, m_last;
    wire [IN_W+COUNT_W-1:0]     s_data;
    wire [USER_W-1:0]           s_user, m_user;
    wire [OUT_ELEMS*ELEM_W-1:0] m_data;
    reg  [IN_W-1:0]             word;
    reg  [COUNT_W-1:0]          number;
    reg  [USER_W-1:0]           user;
    integer                     seed, n, row, t, e, held;
    integer                     sizes [0:FIRINGS-1];       // elements of each token, by firing
    integer                     firing = 0, chunk = 0, tok = 0; // place of the next chunk that comes out
    reg  [ELEM_W-1:0]           due;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_axis_driver #(.DATA_W(IN_W + COUNT_W), .USER_W(USER_W)) u_src (.clk(clk), .rst(rst), .m_axis_tvalid(s_valid),
        .m_axis_tready(s_ready), .m_axis_tdata(s_data), .m_axis_tuser(s_user), .m_axis_tlast(s_last), .done(src_done));
    rill_width_gear #(.IN_ELEMS(IN_ELEMS), .OUT_ELEMS(OUT_ELEMS), .ELEM_W(ELEM_W), .TOKENS(TOKENS)) dut (
        .clk(clk), .rst(rst), .s_axis_tvalid(s_valid), .s_axis_tready(s_ready), .s_axis_tdata(s_data[IN_W-1:0]),
        .s_axis_tcount(s_data[IN_W +: COUNT_W]), .s_axis_tuser(s_user), .s_axis_tlast(s_last),
        .m_axis_tvalid(m_valid), .m_axis_tready(m_ready), .m_axis_tdata(m_data), .m_axis_tuser(m_user),
        .m_axis_tlast(m_last));
    // This sink stalls, and its checker checks the protocol. The content is checked below.
    reg  ready_q = 0;
    integer stall, random = 77;
    assign m_ready = ready_q && !rst;
    rill_axis_checker #(.DATA_W(OUT_ELEMS * ELEM_W), .USER_W(USER_W)) u_checker (.clk(clk), .rst(rst), .tvalid(m_valid),
        .tready(m_ready),
        .tdata(m_data), .tuser(m_user), .tlast(m_last));

    always @(posedge clk) begin
        ready_q <= $unsigned($random(random)) % 100 >= stall;
        if (m_valid && m_ready) begin
            for (e = 0; e < OUT_ELEMS; e = e + 1) begin
                due = chunk * OUT_ELEMS + e < sizes[firing] ? (tok + 1) * 4096 + chunk * OUT_ELEMS + e : 0;
                if (m_data[e*ELEM_W +: ELEM_W] !== due) begin
                    $display("FAIL: firing %0d chunk %0d token %0d element %0d is %h, not %h", firing, chunk, tok, e,
                        m_data[e*ELEM_W +: ELEM_W], due);
                    $finish;
                end
            end
            if (m_last !== (tok == TOKENS - 1 && (chunk + 1) * OUT_ELEMS >= sizes[firing])) begin
                $display("FAIL: firing %0d chunk %0d token %0d: last is %b", firing, chunk, tok, m_last);
                $finish;
            end
            tok = (tok + 1) % TOKENS;
            if (tok == 0)
                chunk = chunk + 1;
            if (m_last) begin
                chunk = 0;
                firing = firing + 1;
            end
        end
    end

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        for (n = 0; n < FIRINGS; n = n + 1) begin
            held = 0;
            for (row = 0; row < ROWS; row = row + 1) begin
                number = 1 + $unsigned($random(seed)) % IN_ELEMS;
                for (t = 0; t < TOKENS; t = t + 1) begin
                    word = 0;
                    for (e = 0; e < number; e = e + 1)
                        word[e*ELEM_W +: ELEM_W] = (t + 1) * 4096 + held + e;
                    user = t;
                    user[USER_W-1] = t == TOKENS - 1;
                    u_src.push({number, word}, user, t == TOKENS - 1 && row == ROWS - 1);
                end
                held = held + number;
            end
            sizes[n] = held;
        end
        wait (src_done && firing == FIRINGS);
        repeat (20) @(posedge clk);
        if (m_valid)
            $display("FAIL: more than was put in");
        else
            $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
