// SPDX-License-Identifier: Apache-2.0
// Wrong kernel: its file includes another one.
`include "widths.vh"
module include_other (input wire clk);
endmodule
