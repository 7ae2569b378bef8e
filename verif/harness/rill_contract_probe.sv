// SPDX-License-Identifier: Apache-2.0
// Watches the streams of a custom kernel (simulation only): shows every cycle in which one of them has a word, so that
// the kernel can be held against its timing contract. tok_last: of the words' tuser. beside:
// the step word is there and stays, and so are vector parameters, where the kernel takes them.
// Reset: clk, synchronous active-high rst.
// Parameters: ID (kernel number in the design's kernel graph), INPUTS (1..8).
`default_nettype none

module rill_contract_probe #(
    parameter int ID = 0,
    parameter int INPUTS = 1
) (
    input wire              clk,
    input wire              rst,
    input wire [INPUTS-1:0] in_tvalid,
    input wire [INPUTS-1:0] in_tready,
    input wire [INPUTS-1:0] in_tok_last,
    input wire              beside,
    input wire              out_tvalid,
    input wire              out_tready
);
    import "DPI-C" function void rill_contract_cycle(input int id, input int in_tvalid, input int in_tready,
        input int in_tok_last, input int beside,
                                                     input int out_tvalid, input int out_tready);
    import "DPI-C" function void rill_contract_reset(input int id);

    always @(posedge clk)
        if (rst)
            rill_contract_reset(ID);
        else if (out_tvalid || |in_tvalid)
            rill_contract_cycle(ID, 32'(in_tvalid), 32'(in_tready), 32'(in_tok_last), 32'(beside), 32'(out_tvalid),
                                32'(out_tready));
endmodule

`default_nettype wire
