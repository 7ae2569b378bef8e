// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_engine_join. A pulse must come out 2 cycles after each pulse of the port that is last, and no other
// pulse. Ports may be ahead by up to AHEAD pulses. Also checks one pulse per cycle if all ports keep up, and that a
// reset clears the counts.
// Checks in messages: 1 a pulse in a reset, 2 a pulse is missing or too many, 3 to 5 too few cases in the run.
// Sets for verif/modules/run.sh:
// sweep: PORTS=3 AHEAD=7
// sweep: PORTS=1 AHEAD=1
// sweep: PORTS=2 AHEAD=1
// sweep: PORTS=8 AHEAD=16
// sweep: PORTS=5 AHEAD=3
// quick: PORTS=3 AHEAD=7
// quick: PORTS=2 AHEAD=1
`default_nettype none
`timescale 1ns / 1ps

module rill_engine_join_tb;
    // Parameters without a comment are those of the module.
    parameter PORTS = 3;
    parameter AHEAD = 7;
    localparam CYCLES = 20000;

    wire             clk, rst, joined;
    reg              again = 0;
    reg  [PORTS-1:0] pulse = 0;
    reg  [1:0]       due = 0;          // [n]: a pulse is expected that the slowest port completed n + 1 cycles ago
    // Since the latest reset, given: pulses of each port. slowest: pulses of the port that has the fewest. out: pulses
    // that came out. In the whole run, joins: pulses that came out. full: how often a port was AHEAD pulses ahead.
    // streak, longest: pulses in successive cycles, now and at most.
    integer          given [0:PORTS-1];
    integer          chance [0:PORTS-1];
    integer          i, n, slowest, slowest_q = 0, out = 0, seed, idle, joins = 0, full = 0, streak = 0, longest = 0;
    reg              failed = 0;

    rill_bench_clock #(.LIMIT(CYCLES + 1000)) u_clock (.clk(clk), .rst(rst), .again(again));
    rill_engine_join #(.PORTS(PORTS), .AHEAD(AHEAD)) dut (.clk(clk), .rst(rst), .pulse(pulse), .joined(joined));

    // Prints the number of the first check that fails.
    task require(input ok, input integer what);
        if (!ok && !failed) begin
            $display("FAIL: check %0d in cycle %0d", what, n);
            failed = 1;
        end
    endtask

    // Draws how often each port pulses (percent) for the next 64 cycles. In every fourth such phase all ports run at
    // full speed.
    task draw_chances;
        for (i = 0; i < PORTS; i = i + 1)
            chance[i] = n / 64 % 4 == 0 ? 100 : (100 - idle) * ($unsigned($random(seed)) % 4) / 2;
    endtask

    // Sets the model to its state after a reset.
    task clear;
        begin
            for (i = 0; i < PORTS; i = i + 1)
                given[i] = 0;
            slowest_q = 0;
            out = 0;
            due = 0;
            pulse = 0;
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        clear;
        for (n = 0; n < CYCLES; n = n + 1) begin
            @(negedge clk);
            again = n == CYCLES / 2;
            if (n % 64 == 0) draw_chances;
            if (rst) begin
                // In the first cycle of a reset a pulse may still come out.
                if (n > 3) require(joined === 1'b0 || n == CYCLES / 2 + 1, 1);
                clear;
            end else begin
                require(joined === due[1], 2);
                if (joined) begin
                    out = out + 1;
                    joins = joins + 1;
                end
                streak = joined ? streak + 1 : 0;
                if (streak > longest) longest = streak;
                for (i = 0; i < PORTS; i = i + 1) begin
                    pulse[i] = given[i] - out < AHEAD && $unsigned($random(seed)) % 100 < chance[i];
                    if (pulse[i]) given[i] = given[i] + 1;
                    if (given[i] - out == AHEAD) full = full + 1;
                end
                slowest = given[0];
                for (i = 1; i < PORTS; i = i + 1)
                    if (given[i] < slowest) slowest = given[i];
                due = {due[0], slowest != slowest_q};
                slowest_q = slowest;
            end
        end
        // Enough pulses, ports that were as far ahead as allowed, and (AHEAD 3 or more) 50 pulses in a row must have
        // occurred.
        require(joins > CYCLES / 50, 3);
        require(full > 0, 4);
        require(AHEAD < 3 || longest >= 50, 5);
        if (!failed) $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
