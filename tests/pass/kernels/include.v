// SPDX-License-Identifier: Apache-2.0
`include "widths.vh"
module include_other (input wire clk);
endmodule
