// SPDX-License-Identifier: Apache-2.0
// One lane of the matrix engine with what it keeps of its weight stream: row parameters and group scales of the present chunk of rows.
//
// Free-running, in step with rill_engine_ctrl. Cycle 0 is the issue: beat is the memory word, taken or not. Cycle 1 (*_1): header writes,
// places of scale and row. Cycle 2 (*_2): the source of the beat; tail and local_unit are the words of the other sources. Cycle 3 (*_3):
// operand and marks for rill_matrix_lane, whose results come 9 cycles later.
// Reset: synchronous; valids only.
// Parameters: BEAT_BITS, TOKENS, MAX_SCALE_BEATS, SIDE_W, HAS_KV (1: the tail is a source), HAS_LOCAL (1: local is one too), SCALE_K, SCALE_V
// (fp32 row scales of modes 2 and 3).
`default_nettype none

module rill_engine_lane #(
    parameter BEAT_BITS = 0,
    parameter TOKENS = 0,
    parameter MAX_SCALE_BEATS = 0,
    parameter SIDE_W = 1,
    parameter HAS_KV = 0,
    parameter HAS_LOCAL = 0,
    parameter [31:0] SCALE_K = 0,
    parameter [31:0] SCALE_V = 0,
    parameter TOK_W = TOKENS > 1 ? $clog2(TOKENS) : 1,
    parameter SCALE_W = $clog2(MAX_SCALE_BEATS * (BEAT_BITS / 8))
) (
    input  wire                   clk,
    input  wire                   rst,

    input  wire [BEAT_BITS-1:0]   beat,

    input  wire                   head_param_1,
    input  wire                   head_scale_1,
    input  wire [7:0]             head_index_1,
    input  wire [SCALE_W-1:0]     scale_1,
    input  wire [2:0]             row_1,

    input  wire [1:0]             mode_2,
    input  wire                   tail_2,
    input  wire                   local_2,
    input  wire [2:0]             scale_2,
    input  wire [BEAT_BITS-1:0]   tail,
    input  wire [BEAT_BITS-1:0]   local_unit,

    input  wire                   valid_3,
    input  wire                   int4_3,
    input  wire                   first_3,
    input  wire                   last_3,
    input  wire [TOK_W-1:0]       tok_3,
    input  wire [2*BEAT_BITS-1:0] x_3,
    input  wire [4:0]             shift_3,
    input  wire [SIDE_W-1:0]      side_3,

    output wire                   out_valid,
    output wire [63:0]            out_acc,
    output wire [31:0]            out_row_scale,
    output wire [31:0]            out_bias,
    output wire [SIDE_W-1:0]      out_side
);
    localparam XS_LOG = BEAT_BITS == 512 ? 6 : 5;
    localparam [1:0] INT4 = 2'd1, KEYS = 2'd2;

    reg  [BEAT_BITS-1:0] beat1_q;
    reg  [BEAT_BITS-1:0] beat2_q;
    reg  [BEAT_BITS-1:0] beat3_q;
    always @(posedge clk) begin
        beat1_q <= beat;
        beat2_q <= beat1_q;
    end
    generate
        if (HAS_KV == 0) begin : gen_memory
            wire unused = &{1'b0, tail, tail_2, local_unit, local_2};
            always @(posedge clk)
                beat3_q <= beat2_q;
        end else if (HAS_LOCAL == 0) begin : gen_tail
            wire unused = &{1'b0, local_unit, local_2};
            always @(posedge clk)
                beat3_q <= tail_2 ? tail : beat2_q;
        end else begin : gen_local
            always @(posedge clk)
                beat3_q <= tail_2 ? tail : local_2 ? local_unit : beat2_q;
        end
    endgenerate

    // Header beats. A chunk's last row has read its place before the next header is written.
    reg  [BEAT_BITS-1:0] params_q;
    reg  [BEAT_BITS-1:0] scales [0:MAX_SCALE_BEATS-1];
    wire [7:0]           scale_beat = {{(8+XS_LOG-SCALE_W){1'b0}}, scale_1[SCALE_W-1:XS_LOG]};
    wire [XS_LOG-4:0]    scale_part = scale_1[XS_LOG-1:3];
    reg  [63:0]          scale_part_q;
    reg  [7:0]           scale_q;
    reg  [63:0]          row_q;
    reg  [63:0]          params_3_q;
    always @(posedge clk) begin
        if (head_param_1)
            params_q <= beat1_q;
        if (head_scale_1)
            scales[head_index_1[SCALE_W-XS_LOG-1:0]] <= beat1_q;
        scale_part_q <= scales[scale_beat[SCALE_W-XS_LOG-1:0]][{scale_part, 6'd0} +: 64];
        scale_q <= mode_2 == INT4 ? scale_part_q[{scale_2, 3'd0} +: 8] : 8'd1;
        row_q <= params_q[{row_1[XS_LOG-4:0], 6'd0} +: 64];
        params_3_q <= !mode_2[1] ? row_q : {32'd0, mode_2 == KEYS ? SCALE_K : SCALE_V};
    end

    rill_matrix_lane #(.BEAT_BITS(BEAT_BITS), .TOKENS(TOKENS), .SIDE_W(SIDE_W)) u_lane (
        .clk(clk), .rst(rst), .valid(valid_3), .int4(int4_3), .first(first_3), .last(last_3), .tok(tok_3), .beat(beat3_q), .x(x_3),
        .group_scale(scale_q), .shift(shift_3), .row_scale(params_3_q[31:0]), .bias(params_3_q[63:32]), .side(side_3),
        .out_valid(out_valid), .out_acc(out_acc), .out_row_scale(out_row_scale), .out_bias(out_bias), .out_side(out_side)
    );

    wire unused_index = &{1'b0, head_index_1, row_1, scale_1[2:0], scale_beat};
endmodule

`default_nettype wire
