// SPDX-License-Identifier: Apache-2.0
module logic #(
    parameter LANES = 0
) (
    input  wire clk,
    input  wire rst
);
endmodule
