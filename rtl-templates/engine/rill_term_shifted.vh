// SPDX-License-Identifier: Apache-2.0
// Returns a term shifted left by the part of the block's exponent that the multipliers have not applied yet, in
// bytes. Include this file in a module that has TERM_W and SHIFTED_W = TERM_W + 24.
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
