// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_turns. Port numbers and their one-hot bits must come in the order of the table, and no turn may be
// lost or doubled, however late turn_done comes (PERIOD, +stall).
// Sets for verif/modules/run.sh:
// sweep: REPEAT=5 PERIOD=1
// sweep: REPEAT=3 PERIOD=4
// quick: REPEAT=5 PERIOD=1
// quick: REPEAT=3 PERIOD=4
`default_nettype none
`timescale 1ns / 1ps

module rill_turns_tb;
    parameter REPEAT = 5; // repeats of section 0
    parameter PERIOD = 1;                    // cycles from one turn_done to the next, without stalls
    localparam STEPS = 20;
    // Section 0 runs the ports 1, 3 and 7 REPEAT times. Section 1 runs port 9, and only in head steps.
    localparam [31:0] REPEATS = {16'd1, REPEAT[15:0]};
    wire        clk, rst, s_valid, s_ready, src_done, turn_valid;
    wire [63:0] s_data;
    wire [10:0] turn;
    wire [7:0]  port;
    reg         turn_done = 0;
    reg  [7:0]  wanted [0:STEPS*(3*REPEAT+1)-1];
    integer     count = 0, seen = 0, wait_left = 0, n, r, seed, idle, stall; // count, seen: turns expected, turns seen

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_axis_driver #(.DATA_W(64)) u_src (.clk(clk), .rst(rst), .m_axis_tvalid(s_valid), .m_axis_tready(s_ready),
        .m_axis_tdata(s_data),
        .m_axis_tuser(), .m_axis_tlast(), .done(src_done));
    rill_turns #(.PORTS(10), .SECTIONS(2), .ENTRIES(4), .SECTION_LEN(32'h00010003), .SECTION_REPEAT(REPEATS),
        .SECTION_WHEN_HEAD(2'b10),
        .TABLE(32'h09070301)) dut (
        .clk(clk), .rst(rst), .s_axis_step_tvalid(s_valid), .s_axis_step_tready(s_ready), .s_axis_step_tdata(s_data),
        .turn_valid(turn_valid), .turn(turn), .port_index(port), .turn_done(turn_done && turn_valid));

    // Expects a turn of this port.
    task want(input [7:0] port);
        begin
            wanted[count] = port;
            count = count + 1;
        end
    endtask

    always @(posedge clk) begin
        if (turn_valid && turn_done && !rst) begin
            if (port !== wanted[seen] || turn !== 11'd1 << port) begin
                $display("FAIL: turn %0d is port %0d, bits %b, instead of %0d", seen, port, turn, wanted[seen]);
                $finish;
            end
            seen = seen + 1;
        end
        wait_left = wait_left > 0 ? wait_left - 1 : PERIOD - 1;
        turn_done <= wait_left == 0 && $unsigned($random(seed)) % 100 >= stall;
    end

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        for (n = 0; n < STEPS; n = n + 1) begin
            u_src.push({43'd0, n[0], 20'd0}, 1'b0, 1'b0);
            for (r = 0; r < REPEAT; r = r + 1) begin
                want(8'd1);
                want(8'd3);
                want(8'd7);
            end
            if (n[0])
                want(8'd9);
        end
        wait (!rst);
        wait (src_done && seen == count);
        repeat (20) @(posedge clk);
        if (seen != count)
            $display("FAIL: %0d turns instead of %0d", seen, count);
        else
            $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
