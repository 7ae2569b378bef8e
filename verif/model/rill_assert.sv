// SPDX-License-Identifier: Apache-2.0
// An assertion of a simulation: while `broken` is high at a clock edge, says so with the name of the instance, and
// stops. No hardware: templates instantiate it under RILL_ASSERT only.
//
// A message names its instance, and code with a name in it is tied to that instance: a simulator then makes all of the
// template around once for every instance (verif/harness/share.vlt). So the name is data, written down at the start.
// Latency: 0. Reset: none; `broken` has to be low during reset.
// Parameters: SAYS, what is wrong, up to 64 characters.
`default_nettype none

module rill_assert #(
    parameter [64*8-1:0] SAYS = "assertion"
) (
    input wire clk,
    input wire broken
);
    string where;
    initial where = $sformatf("%m");

    always @(posedge clk)
        if (broken === 1'b1) begin
            $display("%s: %0s", where, SAYS);
            where = ""; // said once; and so it is no constant that a simulator puts in the code
            $stop;
        end
endmodule

`default_nettype wire
