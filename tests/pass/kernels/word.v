// SPDX-License-Identifier: Apache-2.0
// Wrong kernel: its name is a reserved word of SystemVerilog.
module logic #(
    parameter LANES = 0
) (
    input  wire clk,
    input  wire rst
);
endmodule
