// SPDX-License-Identifier: Apache-2.0
// Testbench part: checks the AXI4-Stream rules on one stream. A violation prints FAIL with the instance's path and ends
// the simulation.
//
// Rules: once tvalid is high, it stays high until the transfer, and tdata, tuser and tlast do not change until then.
// tvalid and tready are never unknown after reset, and both are low in reset (from its second cycle on). The payload of
// a valid beat has no unknown bits (CHECK_X).
// AXI4-Stream allows any tready in reset; a low one is a rule of Rill.
//
// name               meaning                                             unit  range
// DATA_W             width of tdata                                      bits  1 or more
// USER_W             width of tuser                                      bits  1 or more
// CHECK_X            1: the payload of a valid beat must be known        -     0, 1
// CHECK_READY_RESET  1: tready must be low in reset; 0: it may be high   -     0, 1
`default_nettype none

module rill_axis_checker #(
    parameter DATA_W = 32,
    parameter USER_W = 1,
    parameter CHECK_X = 1,
    parameter CHECK_READY_RESET = 1
) (
    input wire              clk,
    input wire              rst,
    input wire              tvalid,
    input wire              tready,
    input wire [DATA_W-1:0] tdata,
    input wire [USER_W-1:0] tuser,
    input wire              tlast
);
    reg              rst_q = 1'b0;
    reg              stalled_q = 1'b0;
    reg [DATA_W-1:0] data_q;
    reg [USER_W-1:0] user_q;
    reg              last_q;

    // Prints the broken rule, and ends the run.
    task breach(input [40*8-1:0] what);
        begin
            $display("FAIL: %m at %0t: %0s", $time, what);
            $finish;
        end
    endtask

    always @(posedge clk) begin
        rst_q <= rst;
        stalled_q <= !rst && tvalid && !tready;
        data_q <= tdata;
        user_q <= tuser;
        last_q <= tlast;
        if (rst && rst_q) begin
            if (tvalid !== 1'b0)
                breach("tvalid is not low in reset");
            if (CHECK_READY_RESET && tready !== 1'b0)
                breach("tready is not low in reset");
        end
        if (!rst && rst_q !== 1'bx) begin
            if ((^{tvalid, tready}) === 1'bx)
                breach("tvalid or tready unknown");
            if (CHECK_X && tvalid === 1'b1 && (^{tdata, tuser, tlast}) === 1'bx)
                breach("unknown bits in a valid beat");
            if (stalled_q && tvalid !== 1'b1)
                breach("tvalid dropped before the transfer");
            if (stalled_q && {tdata, tuser, tlast} !== {data_q, user_q, last_q})
                breach("payload changed while stalled");
        end
    end
endmodule

`default_nettype wire
