// SPDX-License-Identifier: Apache-2.0
// The gears of rill_width_converter (its contract is there): packs words whose elements past tcount are zero into dense chunks.
//
// A word is shifted by `fill`, the number of elements its token holds over from the row-step before (the same for all tokens), so that it
// lies on chunk borders; its first chunk is joined with the token's rest; what does not fill a chunk becomes the new rest. The chunks of a
// row-step wait in a line buffer of LINES row-steps, from which they leave chunk by chunk, token by token.
// Stalls: one clock enable for the whole pipeline, low while the line buffer is full.
`default_nettype none

module rill_width_gear #(
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
        if (IN_ELEMS < 1 || OUT_ELEMS < 1 || TOKENS < 1 || ELEM_W < 1 || (OUT_ELEMS & (OUT_ELEMS - 1)) != 0) begin : gen_bad
            rill_error_IN_ELEMS_OUT_ELEMS_TOKENS_ELEM_W_at_least_1_and_OUT_ELEMS_a_power_of_two u_error ();
        end
    endgenerate

    function integer low_zeros(input integer value);       // trailing zero bits, 5 at most
        begin
            low_zeros = 0;
            while (low_zeros < 5 && ((value >> low_zeros) & 1) == 0)
                low_zeros = low_zeros + 1;
        end
    endfunction

    localparam CHUNK_W = OUT_ELEMS * ELEM_W;
    localparam LOG_OUT = $clog2(OUT_ELEMS);
    localparam SHIFTS = (LOG_OUT + 1) / 2;                 // stages of two bits
    localparam FILL_W = SHIFTS > 0 ? 2 * SHIFTS : 1;
    localparam LINE = (IN_ELEMS + 2 * OUT_ELEMS - 2) / OUT_ELEMS;  // chunks that a shifted word touches
    localparam LINE_ELEMS = LINE * OUT_ELEMS;
    localparam LINE_W = LINE * CHUNK_W;
    localparam TOTAL_W = $clog2(IN_ELEMS + OUT_ELEMS) + 1;
    localparam EMITS_W = $clog2(LINE + 1);
    localparam TOK_W = USER_W - 1;
    localparam LINES = 4;
    // Bits of the fill that can be set: with DENSE it only takes multiples of what IN_ELEMS and OUT_ELEMS share.
    localparam [31:0] FILL_MASK = (OUT_ELEMS - 1) & ~((DENSE == 1) ? (1 << low_zeros(IN_ELEMS)) - 1 : 0);
    localparam [31:0] DENSE_STEP = IN_ELEMS;

    wire                en;                                // the pipeline moves

    // ---- stage 0: the word, its fill, the number of elements with it ----
    reg  [FILL_W-1:0]   fill_q;                            // of the row-step that comes next
    wire                take = s_axis_tvalid && s_axis_tready;
    wire [TOTAL_W-1:0]  count = {{(TOTAL_W-COUNT_W){1'b0}}, s_axis_tcount};
    wire [TOTAL_W-1:0]  fill_wide;
    wire [TOTAL_W-1:0]  step = (DENSE == 1) ? DENSE_STEP[TOTAL_W-1:0] : count;
    wire [TOTAL_W-1:0]  fill_next = (fill_wide + step) & FILL_MASK[TOTAL_W-1:0];
    generate
        if (TOTAL_W > FILL_W) begin : gen_fill_wider
            assign fill_wide = {{(TOTAL_W-FILL_W){1'b0}}, fill_q};
        end else begin : gen_fill_cut                      // the bits above are zero
            assign fill_wide = fill_q[TOTAL_W-1:0];
        end
    endgenerate

    // Per stage: 0 the input register, 1 .. SHIFTS shifted, SHIFTS + 1 with the new rest chosen.
    localparam STAGES = SHIFTS + 2;
    reg  [STAGES-1:0]         valid_q;
    reg  [LINE_W-1:0]         line_q [0:STAGES-1];
    reg  [FILL_W-1:0]         shift_q [0:STAGES-1];
    reg  [TOTAL_W-1:0]        total_q [0:STAGES-1];
    reg  [USER_W:0]           mark_q [0:STAGES-1];         // {tlast, tok_last, tok}
    wire [STAGES*LINE_W-1:0]  line_d;
    assign line_d[LINE_W-1:0] = {{(LINE_W-IN_ELEMS*ELEM_W){1'b0}}, s_axis_tdata};
    assign line_d[(STAGES-1)*LINE_W +: LINE_W] = line_q[STAGES-2];

    reg                 open_q;                            // low in reset
    assign s_axis_tready = open_q && en;
    always @(posedge clk) begin
        open_q <= !rst;
        if (rst)
            fill_q <= {FILL_W{1'b0}};
        else if (take && s_axis_tuser[TOK_W])
            fill_q <= s_axis_tlast ? {FILL_W{1'b0}} : fill_next_cut;
    end
    wire [FILL_W-1:0]   fill_next_cut;
    generate
        if (TOTAL_W > FILL_W) begin : gen_next_cut
            assign fill_next_cut = fill_next[FILL_W-1:0];
            wire unused = &{1'b0, fill_next[TOTAL_W-1:FILL_W]};
        end else begin : gen_next_wider
            assign fill_next_cut = {{(FILL_W-TOTAL_W){1'b0}}, fill_next};
        end
    endgenerate

    genvar s, e;
    generate
        for (s = 0; s < SHIFTS; s = s + 1) begin : gen_shift
            localparam STEP = 1 << (2 * s);
            wire [1:0] by = shift_q[s][2*s +: 2];
            for (e = 0; e < LINE_ELEMS; e = e + 1) begin : gen_elem
                wire [ELEM_W-1:0] from0 = line_q[s][e*ELEM_W +: ELEM_W];
                wire [ELEM_W-1:0] from1;
                wire [ELEM_W-1:0] from2;
                wire [ELEM_W-1:0] from3;
                if (e >= STEP) begin : gen_from1
                    assign from1 = line_q[s][(e-STEP)*ELEM_W +: ELEM_W];
                end else begin : gen_zero1
                    assign from1 = {ELEM_W{1'b0}};
                end
                if (e >= 2 * STEP) begin : gen_from2
                    assign from2 = line_q[s][(e-2*STEP)*ELEM_W +: ELEM_W];
                end else begin : gen_zero2
                    assign from2 = {ELEM_W{1'b0}};
                end
                if (e >= 3 * STEP) begin : gen_from3
                    assign from3 = line_q[s][(e-3*STEP)*ELEM_W +: ELEM_W];
                end else begin : gen_zero3
                    assign from3 = {ELEM_W{1'b0}};
                end
                assign line_d[(s+1)*LINE_W + e*ELEM_W +: ELEM_W] = by[1] ? (by[0] ? from3 : from2) : (by[0] ? from1 : from0);
            end
        end
    endgenerate
endmodule

`default_nettype wire
