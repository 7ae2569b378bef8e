// SPDX-License-Identifier: Apache-2.0
// Register slice: breaks the combinational paths of a stream, for die crossings and long wires.
//
// Protocol: AXI4-Stream, tdata only (users concatenate their sidebands). The payload is held while stalled.
//   MODE 0  bypass: wires, latency 0
//   MODE 1  simple: registered tvalid and tdata, combinational tready, latency 1
//   MODE 2  skid: all outputs from registers, latency 1, room for two words
//   MODE 3  swap: behaves as MODE 2 in every cycle, but has two registers that are used in turn. m_axis_tready is no
//           enable of the data registers, and tdata comes through a multiplexer
// Throughput: one word per cycle in every mode. With words of more than 1,536 bits, MODE 2 is built as MODE 3, because
// in a skid buffer m_axis_tready would drive a load for each bit.
// Reset: clk, synchronous active-high rst; valids only. tready is low in reset (MODES 2, 3: and in the cycle after it).
//
// name    meaning                             unit  range
// DATA_W  width of a word                     bits  1 or more
// MODE    0 bypass, 1 simple, 2 skid, 3 swap  -     0 to 3
`default_nettype none

module rill_register_slice #(
    parameter DATA_W = 0,
    parameter MODE = 2
) (
    input  wire              clk,
    input  wire              rst,
    input  wire              s_axis_tvalid,
    output wire              s_axis_tready,
    input  wire [DATA_W-1:0] s_axis_tdata,
    output wire              m_axis_tvalid,
    input  wire              m_axis_tready,
    output wire [DATA_W-1:0] m_axis_tdata
);

    genvar c;
    generate
        if (DATA_W < 1) begin : gen_bad_data
            rill_error_DATA_W_must_be_at_least_1 u_error ();
        end
        if (MODE < 0 || MODE > 3) begin : gen_bad_mode
            rill_error_MODE_must_be_0_bypass_1_simple_2_skid_or_3_swap u_error ();
        end

        if (MODE == 0) begin : gen_bypass
            assign s_axis_tready = m_axis_tready && !rst;
            assign m_axis_tvalid = s_axis_tvalid && !rst;
            assign m_axis_tdata = s_axis_tdata;
            wire unused = clk;
        end else if (MODE == 1) begin : gen_simple
            reg               valid_q;
            reg  [DATA_W-1:0] data_q;
            assign s_axis_tready = (m_axis_tready || !valid_q) && !rst;
            assign m_axis_tvalid = valid_q;
            assign m_axis_tdata = data_q;
            always @(posedge clk) begin
                if (rst)
                    valid_q <= 1'b0;
                else if (s_axis_tready)
                    valid_q <= s_axis_tvalid;
                if (s_axis_tready && s_axis_tvalid)
                    data_q <= s_axis_tdata;
            end
        end else if (MODE == 3 || DATA_W > 1536) begin : gen_swap
            localparam COPIES = (DATA_W + 1023) / 1024; // copies of `read`; each selects a part of the word
            localparam PART = (DATA_W + COPIES - 1) / COPIES;
            reg               ready_q;
            reg               valid_q;
            reg               both_q;        // both registers hold a word
            reg               write_q;       // the next word goes to word_1_q
            wire [COPIES-1:0] read;          // the oldest word is in word_1_q
            reg  [DATA_W-1:0] word_0_q;
            reg  [DATA_W-1:0] word_1_q;
            wire              push = s_axis_tvalid && ready_q;
            wire              pop = m_axis_tready && valid_q;
            assign s_axis_tready = ready_q;
            assign m_axis_tvalid = valid_q;
            always @(posedge clk) begin
                if (rst) begin
                    ready_q <= 1'b0;
                    valid_q <= 1'b0;
                    both_q <= 1'b0;
                    write_q <= 1'b0;
                end else begin
                    ready_q <= pop || !(both_q || (push && valid_q));
                    valid_q <= push || both_q || (valid_q && !pop);
                    both_q <= !pop && (both_q || (push && valid_q));
                    write_q <= write_q ^ push;
                end
                if (push && !write_q)
                    word_0_q <= s_axis_tdata;
                if (push && write_q)
                    word_1_q <= s_axis_tdata;
            end
            if (COPIES == 1) begin : gen_one
                reg read_q;
                always @(posedge clk)
                    read_q <= !rst && (read_q ^ pop);
                assign read = read_q;
            end else begin : gen_copies
                rill_register_copies #(.DATA_W(1), .COPIES(COPIES)) u_read (.clk(clk), .rst(rst), .d(read[0] ^ pop),
                    .q(read));
            end
            for (c = 0; c < COPIES; c = c + 1) begin : gen_part
                localparam BITS = c == COPIES - 1 ? DATA_W - c * PART : PART;
                assign m_axis_tdata[c*PART +: BITS] = read[c] ? word_1_q[c*PART +: BITS] : word_0_q[c*PART +: BITS];
            end
        end else begin : gen_skid
            // out_q drives the reader; skid_q catches the word that arrives in the cycle in which the reader stalls.
            reg               ready_q;
            reg               valid_q;
            reg  [DATA_W-1:0] out_q;
            reg               skid_valid_q;
            reg  [DATA_W-1:0] skid_q;
            wire              push = s_axis_tvalid && ready_q;
            wire              move = m_axis_tready || !valid_q;
            assign s_axis_tready = ready_q;
            assign m_axis_tvalid = valid_q;
            assign m_axis_tdata = out_q;
            always @(posedge clk) begin
                if (rst) begin
                    ready_q <= 1'b0;
                    valid_q <= 1'b0;
                    skid_valid_q <= 1'b0;
                end else begin
                    ready_q <= move || (!skid_valid_q && !push);
                    if (move)
                        valid_q <= skid_valid_q || push;
                    skid_valid_q <= !move && (skid_valid_q || push);
                end
                if (push && !move)
                    skid_q <= s_axis_tdata;
                if (move)
                    out_q <= skid_valid_q ? skid_q : s_axis_tdata;
            end
`ifdef RILL_ASSERT
            rill_assert #(.SAYS("a word may come while the skid register is taken")) u_assert_skid (
                .clk(clk), .broken(!rst && skid_valid_q && ready_q));
`endif
        end
    endgenerate
endmodule

`default_nettype wire
