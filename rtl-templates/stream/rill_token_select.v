// SPDX-License-Identifier: Apache-2.0
// Passes the last active token of a firing and drops the others. In steps with head = 0 it drops the whole firing. With
// ALL it passes the whole firing unchanged in steps with head = 1.
//
// It feeds the regions that run only in steps with head = 1 (`when: last`), for one token. Designs with drafts or slots
// set ALL, because their steps can give several ids. One step word is taken per firing, together with the word with
// tlast. Without ALL, tuser of the words that pass becomes that of a single token (tok = 0, tok_last = 1). The word
// with tlast belongs to the last token, so it also ends the output firing. Combinational, latency 0, one word per
// cycle. With PARTS above 1, a step comes as one word for each part, all with the same head. Only the last one is used.
// Step words and input each need a FIFO before this module, because the ready of each waits for the valid of the other.
// Reset: clk, synchronous active-high rst; tready and tvalid are low in reset.
//
// name    meaning                        unit    range
// DATA_W  width of tdata                 bits    1 or more
// TOKENS  tokens per step, upper bound   tokens  1 or more
// ALL     1: all tokens pass (head = 1)  -       0, 1
// PARTS   parts of a step, upper bound   parts   1 to 8
// USER_W  width of tuser                 bits    derived
`default_nettype none

module rill_token_select #(
    parameter DATA_W = 0,
    parameter TOKENS = 0,
    parameter ALL = 0,
    parameter PARTS = 1,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire              clk,
    input  wire              rst,
    input  wire              s_axis_step_tvalid,
    output wire              s_axis_step_tready,
    input  wire [63:0]       s_axis_step_tdata,
    input  wire              s_axis_tvalid,
    output wire              s_axis_tready,
    input  wire [DATA_W-1:0] s_axis_tdata,
    input  wire [USER_W-1:0] s_axis_tuser,
    input  wire              s_axis_tlast,
    output wire              m_axis_tvalid,
    input  wire              m_axis_tready,
    output wire [DATA_W-1:0] m_axis_tdata,
    output wire [USER_W-1:0] m_axis_tuser,
    output wire              m_axis_tlast
);
    `include "rill_fields.vh"
    generate
        if (DATA_W < 1 || TOKENS < 1) begin : gen_bad
            rill_error_DATA_W_and_TOKENS_must_be_at_least_1 u_error ();
        end
    endgenerate

    wire more = PARTS > 1 && s_axis_step_tdata[STEP_MORE];
    wire opened = s_axis_step_tvalid && !more && !rst;
    wire keep = s_axis_step_tdata[STEP_HEAD] && (ALL != 0 || s_axis_tuser[USER_W-1]);
    assign m_axis_tvalid = s_axis_tvalid && opened && keep;
    assign s_axis_tready = s_axis_tvalid && opened && (m_axis_tready || !keep);
    assign s_axis_step_tready = (more && !rst) || (s_axis_tready && s_axis_tlast);
    assign m_axis_tdata = s_axis_tdata;
    assign m_axis_tuser = ALL != 0 ? s_axis_tuser : {1'b1, {(USER_W-1){1'b0}}};
    assign m_axis_tlast = s_axis_tlast;

`ifdef RILL_ASSERT
    always @(posedge clk)
        if (!rst && s_axis_tvalid && s_axis_tlast)
            assert (s_axis_tuser[USER_W-1]);               // a firing ends with its last token
`endif

    wire unused = &{1'b0, clk, s_axis_step_tdata, s_axis_tuser[USER_W-2:0]};
endmodule

`default_nettype wire
