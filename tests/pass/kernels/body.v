// SPDX-License-Identifier: Apache-2.0
module body (clk, rst);
    input clk;
    input rst;
endmodule
