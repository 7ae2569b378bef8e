// SPDX-License-Identifier: Apache-2.0
// Width converter with token contexts: words of up to IN_ELEMS elements in, dense words of OUT_ELEMS elements out.
//
// In: order (row-step, tok); the first tcount elements of a word are valid, the same number for every token of a row-step. Out: order (chunk, tok);
// elements follow one another without gaps; the last chunk of a firing (tlast) is padded with zeros.
// IN_ELEMS = OUT_ELEMS with DENSE = 1 (the caller promises full words but for the last of a firing) passes words straight through.
// Throughput: reads and writes alternate: ntok words in per row-step, ntok words out per full chunk. Latency 1. Reset: synchronous.
// Parameters: IN_ELEMS 1..32, OUT_ELEMS 1..32, ELEM_W bits, TOKENS per step, DENSE.
`default_nettype none

module rill_width_converter #(
    parameter IN_ELEMS = 0,
    parameter OUT_ELEMS = 0,
    parameter ELEM_W = 32,
    parameter TOKENS = 0,
    parameter DENSE = 0,
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
        end
        if (TOKENS < 1 || ELEM_W < 1) begin : gen_bad_tokens
            rill_error_TOKENS_and_ELEM_W_must_be_at_least_1 u_error ();
        end
    endgenerate

    localparam TOK_W = USER_W - 1;
    // Room for a word on top of an incomplete chunk.
    localparam STORE = IN_ELEMS + OUT_ELEMS - 1;
    localparam FILL_W = $clog2(STORE + 1);

    genvar i;
    genvar t;
    // Elements past tcount are zeroed, so that what is shifted in never needs a mask later.
    wire [IN_ELEMS*ELEM_W-1:0] clean;
    generate
        for (i = 0; i < IN_ELEMS; i = i + 1) begin : gen_clean
            assign clean[i*ELEM_W +: ELEM_W] = (s_axis_tcount > i) ? s_axis_tdata[i*ELEM_W +: ELEM_W] : {ELEM_W{1'b0}};
        end

        if (IN_ELEMS == OUT_ELEMS && DENSE != 0) begin : gen_pass
            assign m_axis_tvalid = s_axis_tvalid & ~rst;
            assign s_axis_tready = m_axis_tready & ~rst;
            assign m_axis_tdata  = clean;
            assign m_axis_tuser  = s_axis_tuser;
            assign m_axis_tlast  = s_axis_tlast;
            wire unused = clk;
        end else begin : gen_pack
            reg [FILL_W-1:0] fill_q;    // elements held, the same for every token
            reg              drain_q;   // chunks leave; no word enters
            reg              ending_q;  // the firing's last word is in
            reg [TOK_W-1:0]  out_tok_q;
            reg [TOK_W-1:0]  last_tok_q;
            wire in_take  = s_axis_tvalid & s_axis_tready;
            wire out_take = m_axis_tvalid & m_axis_tready;
            wire tok_last = out_tok_q == last_tok_q;
            wire [FILL_W:0] filled = {1'b0, fill_q} + {{(FILL_W+1-COUNT_W){1'b0}}, s_axis_tcount};
            wire final_chunk = ending_q & (fill_q <= OUT_ELEMS[FILL_W-1:0]);
            wire [FILL_W-1:0] rest = (fill_q > OUT_ELEMS[FILL_W-1:0]) ? fill_q - OUT_ELEMS[FILL_W-1:0] : {FILL_W{1'b0}};
            wire [TOKENS*OUT_ELEMS*ELEM_W-1:0] heads;

            for (t = 0; t < TOKENS; t = t + 1) begin : gen_token
                reg [STORE*ELEM_W-1:0] store_q;
                wire [STORE*ELEM_W-1:0] added = {{(STORE*ELEM_W-IN_ELEMS*ELEM_W){1'b0}}, clean} << (fill_q * ELEM_W);
                always @(posedge clk) begin
                    if (rst) store_q <= {STORE*ELEM_W{1'b0}};
                    else if (in_take & (s_axis_tuser[TOK_W-1:0] == t)) store_q <= store_q | added;
                    else if (out_take & (out_tok_q == t)) store_q <= store_q >> (OUT_ELEMS * ELEM_W);
                end
                assign heads[t*OUT_ELEMS*ELEM_W +: OUT_ELEMS*ELEM_W] = store_q[OUT_ELEMS*ELEM_W-1:0];
            end

            always @(posedge clk) begin
                if (rst) begin
                    fill_q    <= {FILL_W{1'b0}};
                    drain_q   <= 1'b0;
                    ending_q  <= 1'b0;
                    out_tok_q <= {TOK_W{1'b0}};
                end else if (!drain_q) begin
                    if (in_take & s_axis_tuser[TOK_W]) begin
                        fill_q     <= filled[FILL_W-1:0];
                        drain_q    <= (filled >= {1'b0, OUT_ELEMS[FILL_W-1:0]}) | s_axis_tlast;
                        ending_q   <= s_axis_tlast;
                        last_tok_q <= s_axis_tuser[TOK_W-1:0];
                    end
                end else if (out_take) begin
                    out_tok_q <= tok_last ? {TOK_W{1'b0}} : out_tok_q + 1'b1;
                    if (tok_last) begin
                        fill_q  <= rest;
                        drain_q <= ending_q ? ~final_chunk : rest >= OUT_ELEMS[FILL_W-1:0];
                        if (final_chunk) ending_q <= 1'b0;
                    end
                end
            end
            assign s_axis_tready = ~drain_q & ~rst;
            assign m_axis_tvalid = drain_q;
            assign m_axis_tdata  = heads[out_tok_q*OUT_ELEMS*ELEM_W +: OUT_ELEMS*ELEM_W];
            assign m_axis_tuser  = {tok_last, out_tok_q};
            assign m_axis_tlast  = tok_last & final_chunk;
        end
    endgenerate
endmodule

`default_nettype wire
