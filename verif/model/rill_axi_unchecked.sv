// SPDX-License-Identifier: Apache-2.0
// Ends the run if the protocol checker of a port of rill_axi_memory does not work (simulation only). It is a separate
// module for the same reason as rill_axi_violation: its message has the name of the instance.
//
// wrong: an accepted burst is not open in the checker.
`default_nettype none

module rill_axi_unchecked (
    input wire clk,
    input wire wrong
);
    always @(posedge clk)
        if (wrong) begin
            $display("%m: the protocol checker of this port does not run");
            $fatal(1);
        end
endmodule

`default_nettype wire
