// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_deserializer after rill_serializer and STAGES registers. Each random word stays at the input for
// the 2 + SLICES + STAGES clocks that the header of rill_deserializer requires, and for up to 30 clocks more. In these
// further clocks the output must equal the word. Resets come at random.
// Sets for verif/modules/run.sh:
// sweep: DATA_W=64 SLICE_W=8 STAGES=0
// sweep: DATA_W=64 SLICE_W=8 STAGES=1
// sweep: DATA_W=64 SLICE_W=32 STAGES=2
// sweep: DATA_W=12 SLICE_W=3 STAGES=3
// sweep: DATA_W=2 SLICE_W=1 STAGES=0
// quick: DATA_W=64 SLICE_W=8 STAGES=1
// quick: DATA_W=12 SLICE_W=3 STAGES=0
`default_nettype none

module rill_deserializer_tb;
    // The header explains STAGES. The others are parameters of the module.
    parameter DATA_W = 64;
    parameter SLICE_W = 8;
    parameter STAGES = 0;
    localparam SLICES = DATA_W / SLICE_W;
    localparam WAY_W = SLICE_W + $clog2(SLICES);
    localparam CLOCKS = 2 + SLICES + STAGES; // from the change of a word until the output must show it
    localparam WORDS = 500;

    wire              clk, rst;
    reg               again = 1'b0;
    reg  [DATA_W-1:0] d = 0;
    wire [DATA_W-1:0] q;
    wire [WAY_W-1:0]  way, there;
    integer           kept = 0, more = 0, words = 0, checked = 0, seed;

    rill_bench_clock u_clock (.clk(clk), .clk_2x(), .rst(rst), .again(again));
    rill_serializer #(.DATA_W(DATA_W), .SLICE_W(SLICE_W)) u_send (.clk(clk), .rst(rst), .d(d), .way(way));
    rill_hop #(.DATA_W(WAY_W), .STAGES(STAGES)) u_way (.clk(clk), .rst(1'b0), .d(way), .q(there));
    rill_deserializer #(.DATA_W(DATA_W), .SLICE_W(SLICE_W)) u_dut (.clk(clk), .rst(rst), .way(there), .q(q));

    initial if (!$value$plusargs("seed=%d", seed)) seed = 0;

    // Returns a random word.
    function [DATA_W-1:0] random_word(input integer unused);
        integer n;
        for (n = 0; n < DATA_W; n = n + 1) random_word[n] = $random(seed);
    endfunction

    // kept: clocks since the word came. A reset interrupts the slices, so the count begins again after the reset.
    always @(negedge clk) begin
        again = !rst && $unsigned($random(seed)) % 200 == 0;
        kept = rst || again ? -1 : kept + 1;
        if (kept >= CLOCKS && q !== d) begin
            $display("FAIL: %h after %0d clocks, %h was sent", q, kept, d);
            $finish;
        end
        checked = checked + (kept >= CLOCKS);
        if (kept > CLOCKS + more) begin
            d = random_word(0);
            kept = 0;
            more = $unsigned($random(seed)) % 30;
            words = words + 1;
        end
        if (words == WORDS) begin
            if (checked < WORDS) $display("FAIL: %0d comparisons", checked);
            else $display("PASS");
            $finish;
        end
    end
endmodule

`default_nettype wire
