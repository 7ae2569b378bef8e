// SPDX-License-Identifier: Apache-2.0
// Receiving end of a stream from another die (docs/rtl.md section 3). Words from rill_credit_send pass a register and
// go into a FIFO of DEPTH words, the only FIFO of the stream. Each word that is read returns a credit.
//
// Protocol: the inputs `valid` and `data` have no back-pressure, because the sender never sends more words than it has
// credits. The output is an AXI4-Stream, as in rill_fifo. `credit` is high for one cycle per word read. No logic is
// between the ports valid, data and credit and their registers (user_sll_reg: see rill_hop_stage).
// Latency with an empty FIFO: 3 cycles from `valid` of a word's last part to m_axis_tvalid, or 2 if DEPTH is 1 or 2.
// `credit` follows 1 cycle after the word leaves. Throughput: one word per cycle if DEPTH >= 2 * N + 7, where N is the
// number of stages between the two ends in each direction. With PARTS above 1 it is one word per PARTS cycles, for
// which a smaller DEPTH suffices.
// occupancy and high_water are as in rill_fifo and do not count words that are on the way.
// Reset: clk, synchronous active-high rst; both ends and all stages between are reset together.
//
// name       meaning                                           unit   range
// DATA_W     width of a word                                   bits   1 or more
// DEPTH      depth of the FIFO, equal to the sender's CREDITS  words  1 or more
// PARTS      transfers per word                                parts  1 to 8
// RAM_STYLE  style of the storage above 2 words                -      "auto", "srl", "distributed", "block", "ultra"
// COUNT_W    width of occupancy                                bits   derived
// PART_W     width of a transfer                               bits   derived
`default_nettype none

module rill_credit_receive #(
    parameter DATA_W = 0,
    parameter DEPTH = 0,
    parameter PARTS = 1,
    parameter RAM_STYLE = "auto",
    parameter COUNT_W = $clog2(DEPTH + 1),
    parameter PART_W = (DATA_W + PARTS - 1) / PARTS
) (
    input  wire               clk,
    input  wire               rst,
    input  wire               valid,
    input  wire [PART_W-1:0]  data,
    output wire               credit,
    output wire               m_axis_tvalid,
    input  wire               m_axis_tready,
    output wire [DATA_W-1:0]  m_axis_tdata,
    output wire [COUNT_W-1:0] occupancy,
    output wire [COUNT_W-1:0] high_water
);
    generate
        if (DATA_W < 1) begin : gen_bad_data
            rill_error_DATA_W_must_be_at_least_1 u_error ();
        end
        if (DEPTH < 1) begin : gen_bad_depth
            rill_error_DEPTH_must_be_at_least_1 u_error ();
        end
        if (PARTS < 1 || PARTS > 8) begin : gen_bad_parts
            rill_error_PARTS_must_be_1_to_8 u_error ();
        end
    endgenerate

    (* shreg_extract = "no", keep = "true", user_sll_reg = "true" *) reg              valid_q;
    (* shreg_extract = "no", keep = "true", user_sll_reg = "true" *) reg [PART_W-1:0] data_q;
    (* shreg_extract = "no", keep = "true", user_sll_reg = "true" *) reg              credit_q;
    wire                                                                              room; // the FIFO takes a word
    always @(posedge clk) begin
        data_q <= data;
        if (rst) begin
            valid_q <= 1'b0;
            credit_q <= 1'b0;
        end else begin
            valid_q <= valid;
            credit_q <= m_axis_tvalid && m_axis_tready;
        end
    end
    assign credit = credit_q;

    // Joins the parts of a word: the last part goes to the FIFO together with the earlier parts, which kept_q holds.
    wire              whole;
    wire [DATA_W-1:0] word;
    generate
        if (PARTS == 1) begin : gen_whole
            assign {whole, word} = {valid_q, data_q};
        end else begin : gen_parts
            reg  [(PARTS-1)*PART_W-1:0] kept_q;
            reg  [2:0]                  part_q;  // parts of the word that have arrived
            wire                        last = part_q == PARTS[2:0] - 3'd1;
            wire [PARTS*PART_W-1:0]     all_parts = {data_q, kept_q};
            always @(posedge clk) begin
                if (valid_q)
                    kept_q <= all_parts[PARTS*PART_W-1:PART_W];
                if (rst)
                    part_q <= 3'd0;
                else if (valid_q)
                    part_q <= last ? 3'd0 : part_q + 3'd1;
            end
            assign whole = valid_q && last;
            assign word = all_parts[DATA_W-1:0];
            wire unused_high = &{1'b0, all_parts};
        end
    endgenerate
    rill_fifo #(.DATA_W(DATA_W), .DEPTH(DEPTH), .RAM_STYLE(RAM_STYLE)) u_fifo (.clk(clk), .rst(rst),
        .s_axis_tvalid(whole), .s_axis_tready(room), .s_axis_tdata(word), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready), .m_axis_tdata(m_axis_tdata), .occupancy(occupancy), .high_water(high_water));

    wire unused = room; // there is always room, because the sender has as many credits as the FIFO has places
`ifdef RILL_ASSERT
    rill_assert #(.SAYS("a word comes without a credit")) u_assert_room (.clk(clk),
        .broken(!rst && whole && !room));
`endif
endmodule

`default_nettype wire
