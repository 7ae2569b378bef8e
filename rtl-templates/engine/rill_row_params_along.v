// SPDX-License-Identifier: Apache-2.0
// Delays a row's parameters until its result leaves. It either takes them as they come with the command of the result,
// or puts them together from words (rill_row_params_receive).
//
// row_scale and bias belong to the result whose command came LATE + LATENCY cycles before. PARAM_BITS 0: they are
// s_row_scale and s_bias of that cycle. PARAM_BITS not 0: s_row_scale and s_bias are ignored; params, row, raw and word
// go to rill_row_params_receive LATE cycles later.
// Reset: clk, synchronous active-high rst; parameters on their way are discarded.
//
// name        meaning                                           unit       range
// ROWS        rows of a chunk                                   rows       1, 4, 8
// PARAM_BITS  bits of row parameters per cycle; 0: all at once  bits       0, 8, 16, 32, 64
// LATE        delay of the parameters before they are used      clocks     0 or more
// LATENCY     further delay until row_scale and bias            clocks     4 to 10
// SCALE_K     row scale with raw 1 (keys)                       fp32 bits  any
// SCALE_V     row scale with raw 2 (values)                     fp32 bits  any
// WORD_W      width of word                                     bits       derived
`default_nettype none

module rill_row_params_along #(
    parameter ROWS = 1,
    parameter PARAM_BITS = 0,
    parameter LATE = 0,
    parameter LATENCY = 0,
    parameter [31:0] SCALE_K = 0,
    parameter [31:0] SCALE_V = 0,
    parameter WORD_W = PARAM_BITS > 0 ? PARAM_BITS : 1
) (
    input  wire              clk,
    input  wire              rst,
    input  wire [31:0]       s_row_scale,
    input  wire [31:0]       s_bias,
    input  wire              params,
    input  wire [2:0]        row,
    input  wire [1:0]        raw,
    input  wire [WORD_W-1:0] word,
    output wire [31:0]       row_scale,
    output wire [31:0]       bias
);
    wire              params_late;
    wire [2:0]        row_late;
    wire [1:0]        raw_late;
    wire [WORD_W-1:0] word_late;
    wire [31:0]       bias_late;
    wire [31:0]       row_scale_late;
    rill_delay_line #(.DATA_W(69 + WORD_W), .DEPTH(LATE)) u_late (.clk(clk), .rst(rst), .en(1'b1),
        .d({word, raw, row, s_bias, s_row_scale}), .q({word_late, raw_late, row_late, bias_late, row_scale_late}));
    generate
        if (LATE > 0) begin : gen_late
            reg  [LATE-1:0] params_q;
            wire [LATE:0]   params_all = {params_q, params};
            wire            unused_last = params_all[LATE];
            assign params_late = params_q[LATE-1];
            always @(posedge clk)
                params_q <= rst ? {LATE{1'b0}} : params_all[LATE-1:0];
        end else begin : gen_now
            assign params_late = params;
        end
        if (LATENCY < 4 || LATENCY > 10) begin : gen_bad_latency
            rill_error_LATENCY_must_be_4_to_10 u_error ();
        end
        if (PARAM_BITS == 0) begin : gen_as_they_are
            rill_delay_line #(.DATA_W(64), .DEPTH(LATENCY)) u_along (
                .clk(clk), .rst(rst), .en(1'b1), .d({bias_late, row_scale_late}), .q({bias, row_scale}));
            wire unused = &{1'b0, params_late, row_late, raw_late, word_late};
        end else begin : gen_words
            localparam ROW_W = ROWS > 1 ? $clog2(ROWS) : 1;
            rill_row_params_receive #(.ROWS(ROWS), .PARAM_BITS(PARAM_BITS), .READ_AT(LATENCY - 1), .SCALE_K(SCALE_K),
                .SCALE_V(SCALE_V)) u_receive (
                .clk(clk), .rst(rst), .params(params_late), .row(row_late[ROW_W-1:0]), .raw(raw_late), .word(word_late),
                .row_scale(row_scale), .bias(bias));
            wire unused = &{1'b0, row_scale_late, bias_late, row_late};
        end
    endgenerate
endmodule

`default_nettype wire
