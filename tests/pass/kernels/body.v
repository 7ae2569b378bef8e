// SPDX-License-Identifier: Apache-2.0
// Wrong kernel: its ports are declared in the body, not in the header.
module body (clk, rst);
    input clk;
    input rst;
endmodule
