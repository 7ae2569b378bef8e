// SPDX-License-Identifier: Apache-2.0
// An assertion of a simulation: while `broken` is high at a clock edge, says so with the name of the instance, and stops. No hardware: templates
// instantiate it under RILL_ASSERT only.
//
// A module of its own because a message names its instance: without one in it, the code of the template around is the same for every instance, and a
// simulator needs it once (verif/harness/share.vlt).
// Latency: 0. Reset: none; `broken` has to be low during reset.
// Parameters: SAYS, what is wrong, up to 64 characters.
`default_nettype none

module rill_assert #(
    parameter [64*8-1:0] SAYS = "assertion"
) (
    input wire clk,
    input wire broken
);
    always @(posedge clk)
        if (broken === 1'b1) begin
            $display("%m: %0s", SAYS);
            $stop;
        end
endmodule

`default_nettype wire
