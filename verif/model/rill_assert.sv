// SPDX-License-Identifier: Apache-2.0
// An assertion (simulation only): if `broken` is high at a clock edge, prints a message with the name of the instance
// and stops. Templates instantiate it only if RILL_ASSERT is defined.
//
// Code that prints the name of its instance cannot be shared between instances: a simulator would compile the whole
// template again for every instance (verif/harness/share.vlt). So the name is kept as data, written at the start.
// Latency: 0. Reset: none; `broken` must be low during reset.
// Parameters: SAYS, the message, up to 64 characters.
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
            where = ""; // the name is printed once; this assignment also keeps a simulator from making it a constant
            $stop;
        end
endmodule

`default_nettype wire
