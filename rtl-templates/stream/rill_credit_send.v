// SPDX-License-Identifier: Apache-2.0
// Sending end of a stream to another die (docs/rtl.md section 3). Words leave from registers. The sender counts the
// free places in the FIFO of rill_credit_receive, which is the other end, and never sends more words than that.
//
// Protocol: the input is an AXI4-Stream with tdata only, to which users concatenate their sidebands. The outputs
// `valid` and `data` have no back-pressure. The sender begins with CREDITS credits. A word takes one, and each cycle in
// which `credit` is high gives one back. s_axis_tready is a register. It is high while there is a credit and no part of
// an earlier word remains to be sent. The crossing has registers only: valid, data and credit go from flip-flop to
// flip-flop without logic, so the two flip-flops may be on different dies (user_sll_reg: see rill_hop_stage).
// Latency: 1 cycle to valid. If s_axis_tready waits for a credit, it rises 2 cycles after `credit`. Throughput: one
// word per PARTS cycles while there are credits.
// Reset: clk, synchronous active-high rst; both ends and all stages between are reset together. s_axis_tready is low in
// reset and in the cycle after it.
//
// PARTS: a word is sent in this many parts in consecutive cycles, low bits first. This saves wires. It costs no
// time if the words of the stream are at least PARTS cycles apart. valid is high in the cycle of each part.
//
// name     meaning                             unit   range
// DATA_W   width of a word                     bits   1 or more
// CREDITS  places in the FIFO of the receiver  words  1 or more
// PARTS    transfers per word                  parts  1 to 8
// COUNT_W  width of the credit count           bits   derived
// PART_W   width of a transfer                 bits   derived
`default_nettype none

module rill_credit_send #(
    parameter DATA_W = 0,
    parameter CREDITS = 0,
    parameter PARTS = 1,
    parameter COUNT_W = $clog2(CREDITS + 1),
    parameter PART_W = (DATA_W + PARTS - 1) / PARTS
) (
    input  wire              clk,
    input  wire              rst,
    input  wire              s_axis_tvalid,
    output wire              s_axis_tready,
    input  wire [DATA_W-1:0] s_axis_tdata,
    output wire              valid,
    output wire [PART_W-1:0] data,
    input  wire              credit
);
    generate
        if (DATA_W < 1) begin : gen_bad_data
            rill_error_DATA_W_must_be_at_least_1 u_error ();
        end
        if (CREDITS < 1) begin : gen_bad_credits
            rill_error_CREDITS_must_be_at_least_1 u_error ();
        end
        if (PARTS < 1 || PARTS > 8) begin : gen_bad_parts
            rill_error_PARTS_must_be_1_to_8 u_error ();
        end
    endgenerate
    localparam [COUNT_W-1:0] ALL = CREDITS[COUNT_W-1:0];

    (* shreg_extract = "no", keep = "true", user_sll_reg = "true" *) reg              valid_q;
    (* shreg_extract = "no", keep = "true", user_sll_reg = "true" *) reg [PART_W-1:0] data_q;
    // credit_q is the register in which a credit arrives.
    (* shreg_extract = "no", keep = "true", user_sll_reg = "true" *) reg              credit_q;
    reg  [COUNT_W-1:0] left_q;               // credits that the sender has
    reg                any_q;                // a word may be taken in this cycle: a credit is left, and no part waits
    wire               push = s_axis_tvalid && any_q;
    reg  [COUNT_W-1:0] left_d;
    always @* begin
        left_d = left_q;
        if (push && !credit_q)
            left_d = left_q - 1'b1;
        else if (credit_q && !push)
            left_d = left_q + 1'b1;
    end
    // After the first part of a word, its other parts follow, one in each cycle.
    wire more;                               // such a further part is sent in the next cycle
    wire free;                               // no further part will wait in the next cycle, so a word may be taken then
    generate
        if (PARTS == 1) begin : gen_whole
            assign {more, free} = 2'b01;
            always @(posedge clk)
                data_q <= s_axis_tdata;      // needs no enable, because valid marks the words
        end else begin : gen_parts
            localparam REST_W = (PARTS - 1) * PART_W;
            reg  [REST_W-1:0]      rest_q;
            reg  [2:0]             more_q;   // parts that are still to be sent
            wire [2:0]             more_d = push ? PARTS[2:0] - 3'd1 : more ? more_q - 3'd1 : 3'd0;
            wire [REST_W+PART_W-1:0] left = {{PART_W{1'b0}}, rest_q};
            wire [REST_W+PART_W-1:0] word = {{(REST_W+PART_W-DATA_W){1'b0}}, s_axis_tdata};
            assign more = more_q != 3'd0;
            assign free = more_d == 3'd0;
            always @(posedge clk) begin
                data_q <= more ? left[PART_W-1:0] : word[PART_W-1:0];
                rest_q <= more ? left[PART_W +: REST_W] : word[PART_W +: REST_W];
                more_q <= rst ? 3'd0 : more_d;
            end
        end
    endgenerate
    always @(posedge clk) begin
        if (rst) begin
            valid_q <= 1'b0;
            credit_q <= 1'b0;
            left_q <= ALL;
            any_q <= 1'b0;
        end else begin
            valid_q <= push || more;
            credit_q <= credit;
            left_q <= left_d;
            any_q <= free && left_d != {COUNT_W{1'b0}};
        end
    end
    assign s_axis_tready = any_q;
    assign valid = valid_q;
    assign data = data_q;

`ifdef RILL_ASSERT
    rill_assert #(.SAYS("a credit that was not taken comes back")) u_assert_credit (.clk(clk),
        .broken(!rst && credit_q && left_q == ALL && !push));
`endif
endmodule

`default_nettype wire
