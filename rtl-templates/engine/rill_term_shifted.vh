// SPDX-License-Identifier: Apache-2.0
// A term times 2 to what its multipliers have left of the block's exponent, in bytes; included inside a module with
// TERM_W and SHIFTED_W = TERM_W + 24.
function [SHIFTED_W-1:0] shifted(input [TERM_W-1:0] narrow, input [1:0] bytes);
    reg [SHIFTED_W-1:0] wide;
    begin
        wide = {{24{narrow[TERM_W-1]}}, narrow};
        case (bytes)
            2'd0: shifted = wide;
            2'd1: shifted = wide << 8;
            2'd2: shifted = wide << 16;
            default: shifted = wide << 24;
        endcase
    end
endfunction
