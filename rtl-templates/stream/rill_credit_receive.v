// SPDX-License-Identifier: Apache-2.0
// The far end of a stream that comes from another die (docs/rtl.md section 3): the words that rill_credit_send lets go
// land in a register and lie in a FIFO of DEPTH words, the stream's only one; a word that is taken is a credit.
//
// Protocol: in `valid` and `data`, which nothing stops: never more words than there are credits. Out AXI4-Stream, as
// rill_fifo. `credit` is high for a cycle for each word that was taken. What lands and the credit are bare flip-flops.
// Latency (into an empty FIFO): 3 cycles from valid to m_axis_tvalid, 2 where DEPTH is 1 or 2; 1 from a transfer to
// credit. Throughput: one word per cycle from DEPTH 2 * N + 7 on, N the stages between the two ends, each way.
// occupancy and high_water as of rill_fifo: without the words that are under way.
// Reset: synchronous; both ends and all stages between are reset together.
//
// name       meaning                               unit   range
// DATA_W     of a word                             bits   1 or more
// DEPTH      of the FIFO, the sender's CREDITS     words  1 or more
// RAM_STYLE  of the storage above 2 words          -      "auto", "srl", "distributed", "block", "ultra"
// COUNT_W    of occupancy                          bits   derived
`default_nettype none

module rill_credit_receive #(
    parameter DATA_W = 0,
    parameter DEPTH = 0,
    parameter RAM_STYLE = "auto",
    parameter COUNT_W = $clog2(DEPTH + 1)
) (
    input  wire               clk,
    input  wire               rst,
    input  wire               valid,
    input  wire [DATA_W-1:0]  data,
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
    endgenerate

    (* shreg_extract = "no", keep = "true" *) reg              valid_q;
    (* shreg_extract = "no", keep = "true" *) reg [DATA_W-1:0] data_q;
    (* shreg_extract = "no", keep = "true" *) reg              credit_q;
    wire                                                       room;
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
    rill_fifo #(.DATA_W(DATA_W), .DEPTH(DEPTH), .RAM_STYLE(RAM_STYLE)) u_fifo (.clk(clk), .rst(rst),
        .s_axis_tvalid(valid_q), .s_axis_tready(room), .s_axis_tdata(data_q), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready), .m_axis_tdata(m_axis_tdata), .occupancy(occupancy), .high_water(high_water));

    wire unused = room; // there always is
`ifdef RILL_ASSERT
    rill_assert #(.SAYS("a word comes without a credit")) u_assert_room (.clk(clk),
        .broken(!rst && valid_q && !room));
`endif
endmodule

`default_nettype wire
