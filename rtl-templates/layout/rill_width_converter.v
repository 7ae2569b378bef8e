// SPDX-License-Identifier: Apache-2.0
// Width converter (gearbox): takes words of 1 to IN_ELEMS elements and sends dense words (chunks) of OUT_ELEMS
// elements. Each token has a separate sequence of elements.
//
// In: words in order (row-step, tok). The first tcount elements of a word are valid (1 or more), and all tokens of a
// row-step have the same tcount. tuser = {tok_last, tok}, for tokens 0, 1, .. up to tok_last.
// Out: chunks in order (chunk, tok), same tuser. A token's elements follow one another without gaps. The last chunk of
// a firing (tlast) is padded with zeros. The number of active tokens may change from firing to firing.
// Pipeline: mask, shift by the fill level (2 bits per stage), merge with the token's leftover, buffer of row-steps,
// output register. Throughput: one word per cycle in and one chunk per cycle out at the same time.
// Latency from the last word of a row-step to its first chunk: SHIFTS + 4 cycles, SHIFTS = ceil(log2(OUT_ELEMS) / 2).
// DENSE = 1: the caller promises full words (tcount = IN_ELEMS) except in the last row-step of a firing. This saves
// shifters where IN_ELEMS and OUT_ELEMS have common factors of two (latency unchanged). With IN_ELEMS = OUT_ELEMS the
// module is wires only (latency 0).
// LAST_ELEMS > 0: the source gives no counts, and s_axis_tcount is ignored. Words of the last row-step of a firing have
// LAST_ELEMS valid elements; all other words are full. The last row-step is found by counting LAST_WORDS row-steps,
// because tlast comes only with its last token, too late for its other tokens.
// Reset: clk, synchronous active-high rst, control only; tready is low in reset.
//
// name        meaning                                                 unit       range
// IN_ELEMS    elements of an input word                               elements   1 to 32
// OUT_ELEMS   elements of an output chunk                             elements   1, 2, 4, 8, 16, 32
// ELEM_W      width of an element                                     bits       1 or more
// TOKENS      tokens per step, upper bound                            tokens     1 or more
// DENSE       1: words are full except in the last row-step           -          0, 1
// LAST_ELEMS  valid elements of the last word; 0: tcount gives them   elements   0 to IN_ELEMS
// LAST_WORDS  row-steps per firing; at least 1 if LAST_ELEMS > 0      row-steps  0 or more
// COUNT_W     width of tcount                                         bits       derived
// USER_W      width of tuser                                          bits       derived
`default_nettype none

module rill_width_converter #(
    parameter IN_ELEMS = 0,
    parameter OUT_ELEMS = 0,
    parameter ELEM_W = 32,
    parameter TOKENS = 0,
    parameter DENSE = 0,
    parameter LAST_ELEMS = 0,
    parameter LAST_WORDS = 0,
    parameter COUNT_W = $clog2(IN_ELEMS + 1),
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire                        clk,
    input  wire                        rst,
    input  wire                        s_axis_tvalid,
    output wire                        s_axis_tready,
    input  wire [IN_ELEMS*ELEM_W-1:0]  s_axis_tdata,
    input  wire [COUNT_W-1:0]          s_axis_tcount,
    input  wire [USER_W-1:0]           s_axis_tuser,
    input  wire                        s_axis_tlast,
    output wire                        m_axis_tvalid,
    input  wire                        m_axis_tready,
    output wire [OUT_ELEMS*ELEM_W-1:0] m_axis_tdata,
    output wire [USER_W-1:0]           m_axis_tuser,
    output wire                        m_axis_tlast
);
    generate
        if (IN_ELEMS < 1 || IN_ELEMS > 32 || OUT_ELEMS < 1 || OUT_ELEMS > 32) begin : gen_bad_elems
            rill_error_IN_ELEMS_and_OUT_ELEMS_must_be_1_to_32 u_error ();
        end else if ((OUT_ELEMS & (OUT_ELEMS - 1)) != 0) begin : gen_bad_out
            rill_error_OUT_ELEMS_must_be_a_power_of_two u_error ();
        end
        if (TOKENS < 1 || ELEM_W < 1) begin : gen_bad_tokens
            rill_error_TOKENS_and_ELEM_W_must_be_at_least_1 u_error ();
        end
        if (DENSE != 0 && DENSE != 1) begin : gen_bad_dense
            rill_error_DENSE_must_be_0_or_1 u_error ();
        end
    endgenerate

    wire [COUNT_W-1:0] count;
    generate
        if (LAST_ELEMS == 0) begin : gen_counted
            assign count = s_axis_tcount;
        end else if (LAST_ELEMS < 0 || LAST_ELEMS > IN_ELEMS || LAST_WORDS < 1) begin : gen_bad_last
            rill_error_LAST_ELEMS_must_be_at_most_IN_ELEMS_and_LAST_WORDS_at_least_1 u_error ();
        end else begin : gen_last
            localparam WORD_W = $clog2(LAST_WORDS + 1);
            localparam [31:0] TOP_32 = LAST_WORDS - 1;
            localparam [31:0] LAST_32 = LAST_ELEMS;
            localparam [31:0] ALL_32 = IN_ELEMS;
            reg  [WORD_W-1:0] word_q;
            wire              at_top = word_q == TOP_32[WORD_W-1:0];
            assign count = at_top ? LAST_32[COUNT_W-1:0] : ALL_32[COUNT_W-1:0];
            always @(posedge clk)
                if (rst)
                    word_q <= {WORD_W{1'b0}};
                else if (s_axis_tvalid && s_axis_tready && s_axis_tuser[USER_W-1])
                    word_q <= at_top ? {WORD_W{1'b0}} : word_q + 1'b1;
            wire unused_count = &{1'b0, s_axis_tcount};
        end
    endgenerate

    genvar i;
    // Elements past the count become zeros, so later stages need no mask and the last chunk is padded.
    wire [IN_ELEMS*ELEM_W-1:0] masked;
    generate
        for (i = 0; i < IN_ELEMS; i = i + 1) begin : gen_mask
            localparam [COUNT_W-1:0] PLACE = i;
            assign masked[i*ELEM_W +: ELEM_W] = count > PLACE ? s_axis_tdata[i*ELEM_W +: ELEM_W] : {ELEM_W{1'b0}};
        end

        if (IN_ELEMS == OUT_ELEMS && DENSE == 1) begin : gen_wires
            assign m_axis_tvalid = s_axis_tvalid && !rst;
            assign s_axis_tready = m_axis_tready && !rst;
            assign m_axis_tdata = masked;
            assign m_axis_tuser = s_axis_tuser;
            assign m_axis_tlast = s_axis_tlast;
            wire unused = clk;
        end else if (IN_ELEMS >= 1 && OUT_ELEMS >= 1 && TOKENS >= 1) begin : gen_gear
            rill_width_gear #(.IN_ELEMS(IN_ELEMS), .OUT_ELEMS(OUT_ELEMS), .ELEM_W(ELEM_W), .TOKENS(TOKENS),
                .DENSE(DENSE)) u_gear (
                .clk(clk), .rst(rst), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
                .s_axis_tdata(masked),
                .s_axis_tcount(count), .s_axis_tuser(s_axis_tuser), .s_axis_tlast(s_axis_tlast),
                .m_axis_tvalid(m_axis_tvalid),
                .m_axis_tready(m_axis_tready), .m_axis_tdata(m_axis_tdata), .m_axis_tuser(m_axis_tuser),
                .m_axis_tlast(m_axis_tlast));
        end
    endgenerate
endmodule

`default_nettype wire
