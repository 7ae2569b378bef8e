// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_rotate. Checks every rotation of random words: element i must move to (i + turn) mod ELEMS.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent; they have no effect here, so one pair
// of them is enough):
// sweep: ELEMS=4 ELEM_W=5
// sweep: ELEMS=2 ELEM_W=1
// sweep: ELEMS=32 ELEM_W=9
// quick: ELEMS=4 ELEM_W=5
// quick: ELEMS=32 ELEM_W=9 @ 50:50
`default_nettype none
`timescale 1ns / 1ps

module rill_rotate_tb;
    // Parameters without a comment are those of the module.
    parameter ELEMS = 4;
    parameter ELEM_W = 5;
    localparam TURN_W = $clog2(ELEMS);
    reg  [ELEMS*ELEM_W-1:0] in;
    reg  [TURN_W-1:0]       turn;
    wire [ELEMS*ELEM_W-1:0] out;
    integer                 n, i, seed, bad;

    rill_rotate #(.ELEMS(ELEMS), .ELEM_W(ELEM_W)) dut (.words(in), .turn(turn), .rotated(out));

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        bad = 0;
        for (n = 0; n < 4 * ELEMS; n = n + 1) begin
            for (i = 0; i < ELEMS; i = i + 1)
                in[i*ELEM_W +: ELEM_W] = $random(seed);
            turn = n;
            #1;
            for (i = 0; i < ELEMS; i = i + 1)
                if (out[((i + turn) % ELEMS)*ELEM_W +: ELEM_W] !== in[i*ELEM_W +: ELEM_W])
                    bad = bad + 1;
        end
        if (bad != 0)
            $display("FAIL: %0d elements in the wrong place", bad);
        else
            $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
