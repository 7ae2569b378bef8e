// SPDX-License-Identifier: Apache-2.0
// Models a clock buffer of the FPGA, without its delay, for simulations with rill_clock_2x.
`default_nettype none
`timescale 1ns / 1ps

module BUFG (
    input  wire I,
    output wire O
);
    assign O = I;
endmodule

`default_nettype wire
