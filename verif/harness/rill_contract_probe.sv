// SPDX-License-Identifier: Apache-2.0
// Watches the streams of a custom kernel (simulation only). Reports every cycle in which one of them offers a word, so
// that the harness can compare the kernel with its timing contract.
// in_tok_last: bit tok_last of each input's tuser. beside: the step word and the vector parameters that the kernel
// takes are valid and will stay so. in_end: the word of the first input is the last one of a firing. With TABLE 1 the
// kernel may wait for its rows before a firing.
// Reset: clk, synchronous active-high rst.
// Parameters: ID (kernel number in the design's kernel graph), INPUTS (1..8), TABLE (0, 1).
`default_nettype none

module rill_contract_probe #(
    parameter int ID = 0,
    parameter int INPUTS = 1,
    parameter int TABLE = 0
) (
    input wire              clk,
    input wire              rst,
    input wire [INPUTS-1:0] in_tvalid,
    input wire [INPUTS-1:0] in_tready,
    input wire [INPUTS-1:0] in_tok_last,
    input wire              beside,
    input wire              in_end,
    input wire              out_tvalid,
    input wire              out_tready
);
    import "DPI-C" function void rill_contract_cycle(input int id, input int in_tvalid, input int in_tready,
        input int in_tok_last, input int beside,
                                                     input int out_tvalid, input int out_tready);
    import "DPI-C" function void rill_contract_reset(input int id);

    reg  inside_q;
    wire must_take = beside && (TABLE == 0 || inside_q);
    always @(posedge clk)
        if (rst) inside_q <= 1'b0;
        else if (in_tvalid[0] && in_tready[0]) inside_q <= !in_end;

    always @(posedge clk)
        if (rst)
            rill_contract_reset(ID);
        else if (out_tvalid || |in_tvalid)
            rill_contract_cycle(ID, 32'(in_tvalid), 32'(in_tready), 32'(in_tok_last), 32'(must_take),
                                32'(out_tvalid), 32'(out_tready));
endmodule

`default_nettype wire
