// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_half_hop. Sends a random word in each cycle of clk, or with +idle only in some cycles, and compares
// the output with the input of STAGES cycles ago. The sets compare the pumped forms and the plain one with this
// definition, so all forms are equal.
// Sets for verif/modules/run.sh (form=pump defines RILL_PUMP, form=cells RILL_VENDOR_CELLS; after @: idles and stalls
// in percent; stalls have no effect here):
// sweep: DATA_W=512 STAGES=2 form=pump
// sweep: DATA_W=2 STAGES=2 form=pump
// sweep: DATA_W=256 STAGES=3 form=pump
// sweep: DATA_W=70 STAGES=5 form=cells
// sweep: DATA_W=70 STAGES=2
// sweep: DATA_W=256 STAGES=3
// quick: DATA_W=70 STAGES=2 form=pump @ 50:50
// quick: DATA_W=256 STAGES=3 form=cells @ 0:0
// quick: DATA_W=6 STAGES=3 @ 50:50
`default_nettype none
`timescale 1ns / 1ps

module rill_half_hop_tb;
    // Parameters without a comment are those of the module.
    parameter DATA_W = 70;
    parameter STAGES = 2;
    localparam WORDS = 2000;
    localparam SETTLED = 4;                    // cycles until the phase of clk_2x is known (rill_pump_phase)
    wire                clk, clk_2x, rst;
    reg  [DATA_W-1:0]   d;
    wire [DATA_W-1:0]   q;
    reg  [DATA_W-1:0]   sent [0:WORDS-1];
    integer             n = 0, i, seed, idle, changes = 0;
    reg  [31:0]         word;

    rill_bench_clock u_clock (.clk(clk), .clk_2x(clk_2x), .rst(rst), .again(1'b0));
    rill_half_hop #(.DATA_W(DATA_W), .STAGES(STAGES)) dut (.clk(clk), .clk_2x(clk_2x), .d(d), .q(q));

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        d = {DATA_W{1'b0}};
    end

    // d changes with clk, as the output of a register does.
    always @(posedge clk) begin
        // sent[k] is d between edges k and k + 1. q shows it from edge k + STAGES on, so this edge still sees it if
        // n = k + STAGES + 1.
        if (n > SETTLED + STAGES && q !== sent[n-STAGES-1]) begin
            $display("FAIL: cycle %0d: %h instead of %h", n, q, sent[n-STAGES-1]);
            $finish;
        end
        if (n == WORDS) begin
            if (changes < WORDS / 8) $display("FAIL: only %0d words", changes);
            else $display("PASS: %0d words", changes);
            $finish;
        end
        if (n < WORDS) begin
            word = $random(seed);
            if (n == 0 || word[6:0] % 100 >= idle) begin
                for (i = 0; i < DATA_W; i = i + 1) begin
                    if (i % 32 == 0) word = $random(seed);
                    sent[n][i] = word[i%32];
                end
                changes = changes + 1;
            end else
                sent[n] = sent[n-1];
            d <= sent[n];
            n <= n + 1;
        end
    end
    wire unused = &{1'b0, rst};
endmodule

`default_nettype wire
