// SPDX-License-Identifier: Apache-2.0
// Bench part: a stream sink. It takes words with random stall cycles and compares them with the expected ones. A
// protocol checker watches the stream.
//
// The bench calls `u_snk.expect_word(data, user, last)` in order. A word that differs, or that is not expected, prints
// FAIL and ends the simulation.
// The monitor stalls in +stall=P percent of the cycles. +seed=N together with SALT makes instances differ. STALL >= 0
// overrides +stall. While the input `hold` is high, the monitor is not ready.
// WORDS: most words that the bench expects. STOP = 1: the monitor is not ready while nothing is expected, for streams
// that never end. CHECK_X: as in rill_axis_checker.
// `seen` counts the transfers. `done` is high while every expected word has come. For throughput and latency: `words`
// counts the transfers since the bench called `u_snk.restart`, and first_time and last_time are the cycle numbers
// (clock edges since time 0) of the first and the last of them.
`default_nettype none

module rill_axis_monitor #(
    parameter DATA_W = 32,
    parameter USER_W = 1,
    parameter WORDS = 4096,
    parameter SALT = 2,
    parameter STALL = -1,
    parameter STOP = 0,
    parameter CHECK_X = 1
) (
    input  wire              clk,
    input  wire              rst,
    input  wire              hold,
    input  wire              s_axis_tvalid,
    output wire              s_axis_tready,
    input  wire [DATA_W-1:0] s_axis_tdata,
    input  wire [USER_W-1:0] s_axis_tuser,
    input  wire              s_axis_tlast,
    output wire              done
);
    reg [DATA_W+USER_W:0] mem [0:WORDS-1];
    integer wanted = 0;
    integer seen = 0;
    integer stall;
    integer random;
    integer cycle = 0;
    integer words = 0;
    integer first_time = 0;
    integer last_time = 0;
    reg     ready_q = 1'b0;

    assign s_axis_tready = ready_q && !rst;
    assign done = seen == wanted;

    initial begin
        if (!$value$plusargs("stall=%d", stall))
            stall = 0;
        if (STALL >= 0)
            stall = STALL;
        if (!$value$plusargs("seed=%d", random))
            random = 0;
        random = random * 6007 + SALT * 15485863 + 1;
    end

    // Expects a word after those that are already expected.
    task expect_word(input [DATA_W-1:0] data, input [USER_W-1:0] user, input last);
        begin
            if (wanted == WORDS) begin
                $display("FAIL: %m: more than %0d words", WORDS);
                $finish;
            end
            mem[wanted] = {last, user, data};
            wanted = wanted + 1;
        end
    endtask

    // Begins a new measurement of first_time, last_time and words.
    task restart;
        words = 0;
    endtask

    // Prints the word that came and the expected one, and ends the run.
    task fail_word;
        begin
            $display("FAIL: %m: word %0d is data %h user %h last %b", seen, s_axis_tdata, s_axis_tuser, s_axis_tlast);
            if (seen < wanted)
                $display("      expected data %h user %h last %b", mem[seen][DATA_W-1:0], mem[seen][DATA_W +: USER_W],
                    mem[seen][DATA_W+USER_W]);
            else
                $display("      expected nothing");
            $finish;
        end
    endtask

    always @(posedge clk) begin
        cycle = cycle + 1;
        if (!rst && s_axis_tvalid && s_axis_tready) begin
            if (seen >= wanted)
                fail_word;
            else if ({s_axis_tlast, s_axis_tuser, s_axis_tdata} !== mem[seen])
                fail_word;
            seen = seen + 1;
            if (words == 0)
                first_time = cycle;
            last_time = cycle;
            words = words + 1;
        end
        ready_q <= !rst && !hold && $unsigned($random(random)) % 100 >= stall && (STOP == 0 || seen < wanted);
    end

    rill_axis_checker #(.DATA_W(DATA_W), .USER_W(USER_W), .CHECK_X(CHECK_X)) u_checker (
        .clk(clk), .rst(rst), .tvalid(s_axis_tvalid), .tready(s_axis_tready), .tdata(s_axis_tdata),
        .tuser(s_axis_tuser),
        .tlast(s_axis_tlast));
endmodule

`default_nettype wire
