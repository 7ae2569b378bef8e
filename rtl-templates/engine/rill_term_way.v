// SPDX-License-Identifier: Apache-2.0
// Carries terms from the multipliers of a lane to its accumulators, which may be on another die, together with the
// row's parameters: all at once or in words (rill_row_params_along).
//
// PARAM_BITS 0: row_scale and bias come out as sum_row_scale and sum_bias. PARAM_BITS not 0: these are 0, and word
// comes out as sum_word. All outputs come HOPS cycles later (rill_hop). Reset: none; rst has no effect, because
// rill_hop clears no bit here.
//
// name        meaning                                           unit    range
// TERM_BITS   width of all terms together                       bits    1 or more
// HOPS        register stages                                   clocks  0 or more
// PARAM_BITS  bits of row parameters per cycle; 0: all at once  bits    0, 8, 16, 32, 64
// WORD_W      width of word                                     bits    derived
`default_nettype none

module rill_term_way #(
    parameter TERM_BITS = 0,
    parameter HOPS = 0,
    parameter PARAM_BITS = 0,
    parameter WORD_W = PARAM_BITS > 0 ? PARAM_BITS : 1
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire [TERM_BITS-1:0] term,
    input  wire [31:0]          row_scale,
    input  wire [31:0]          bias,
    input  wire [WORD_W-1:0]    word,
    output wire [TERM_BITS-1:0] sum_term,
    output wire [31:0]          sum_row_scale,
    output wire [31:0]          sum_bias,
    output wire [WORD_W-1:0]    sum_word
);
    generate
        if (TERM_BITS < 1) begin : gen_bad_terms
            rill_error_TERM_BITS_must_be_given u_error ();
        end
        if (PARAM_BITS != 0 && PARAM_BITS != 8 && PARAM_BITS != 16 && PARAM_BITS != 32 && PARAM_BITS != 64)
        begin : gen_bad_params
            rill_error_PARAM_BITS_must_be_0_8_16_32_or_64 u_error ();
        end
    endgenerate

    localparam BESIDE_W = PARAM_BITS > 0 ? PARAM_BITS : 64;
    wire [BESIDE_W-1:0] beside;              // row parameters that go along with the term
    wire [BESIDE_W-1:0] sum_beside;
    rill_hop #(.DATA_W(TERM_BITS + BESIDE_W), .STAGES(HOPS)) u_hop (
        .clk(clk), .rst(rst), .d({beside, term}), .q({sum_beside, sum_term}));
    generate
        if (PARAM_BITS == 0) begin : gen_all
            assign beside = {bias, row_scale};
            assign {sum_bias, sum_row_scale} = sum_beside;
            assign sum_word = 1'b0;
            wire unused = &{1'b0, word};
        end else begin : gen_words
            assign beside = word;
            assign {sum_bias, sum_row_scale} = 64'd0;
            assign sum_word = sum_beside;
            wire unused = &{1'b0, row_scale, bias};
        end
    endgenerate
endmodule

`default_nettype wire
