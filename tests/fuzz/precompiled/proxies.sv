// SPDX-License-Identifier: Apache-2.0
// Modules that replace the templates of the same names, which occur often in most designs. Their ports and their
// behaviour in every cycle are those of the templates. Each one calls a Verilated model of the template, which was
// compiled once (parts.sv, proxies.cpp) instead of again for every design. `tests/fuzz/run.sh --plain` compares designs
// with and without them.
//
// A model has the inputs of its template as one vector `in` and the outputs as another, in the order of parts.sv.
// Models of FIFOs and matrix lanes take the inputs of one bit that control them as `moves`. Zeros in `in` are bits that
// parts.sv does not use. Inputs and parameters that a proxy does not read are those of features that its model does not
// have.
//
// A model is called only in cycles in which a register in it can change. All registers of the fp32 units change only
// with `en`.
`default_nettype none
/* verilator lint_off DECLFILENAME */
/* verilator lint_off UNUSEDPARAM */
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off BLKSEQ */

`define RILL_UNIT(TAG, IN_W, OUT_W, IN, OUT) \
    import "DPI-C" function chandle rill_new_``TAG(); \
    import "DPI-C" function longint rill_step_``TAG(input chandle unit, input bit [IN_W-1:0] in); \
    chandle unit; \
    initial unit = rill_new_``TAG(); \
    reg [OUT_W-1:0] out_q; \
    always @(posedge clk) if (en) out_q <= OUT_W'(rill_step_``TAG(unit, IN)); \
    assign OUT = out_q;

module rill_fp32_add (
    input  wire        clk,
    input  wire        en,
    input  wire [31:0] a,
    input  wire [31:0] b,
    output wire [31:0] y,
    output wire        fault
);
    `RILL_UNIT(add, 64, 33, {b, a}, {fault, y})
endmodule

module rill_fp32_mul #(
    parameter SATURATE = 0
) (
    input  wire        clk,
    input  wire        en,
    input  wire [31:0] a,
    input  wire [31:0] b,
    output wire [31:0] y,
    output wire        fault
);
    generate
        if (SATURATE == 0) begin : gen_plain
            `RILL_UNIT(mul, 64, 33, {b, a}, {fault, y})
        end else begin : gen_saturating
            `RILL_UNIT(mul_saturating, 64, 33, {b, a}, {fault, y})
        end
    endgenerate
endmodule

module rill_fp32_exp (
    input  wire        clk,
    input  wire        en,
    input  wire [31:0] a,
    output wire [31:0] y,
    output wire        fault
);
    `RILL_UNIT(exp, 32, 33, a, {fault, y})
endmodule

module rill_fp32_recip (
    input  wire        clk,
    input  wire        en,
    input  wire [31:0] a,
    output wire [31:0] y,
    output wire        fault
);
    `RILL_UNIT(recip, 32, 33, a, {fault, y})
endmodule

module rill_fp32_rsqrt (
    input  wire        clk,
    input  wire        en,
    input  wire [31:0] a,
    output wire [31:0] y,
    output wire        fault
);
    `RILL_UNIT(rsqrt, 32, 33, a, {fault, y})
endmodule

module rill_fp32_from_int #(
    parameter WIDTH = 0
) (
    input  wire             clk,
    input  wire             en,
    input  wire [WIDTH-1:0] a,
    output wire [31:0]      y
);
    generate
        case (WIDTH)
            4: begin : gen_4 `RILL_UNIT(from_4, 4, 32, a, y) end
            8: begin : gen_8 `RILL_UNIT(from_8, 8, 32, a, y) end
            9: begin : gen_9 `RILL_UNIT(from_9, 9, 32, a, y) end
            16: begin : gen_16 `RILL_UNIT(from_16, 16, 32, a, y) end
            26: begin : gen_26 `RILL_UNIT(from_26, 26, 32, a, y) end
            48: begin : gen_48 `RILL_UNIT(from_48, 48, 32, a, y) end
            60: begin : gen_60 `RILL_UNIT(from_60, 60, 32, a, y) end
            64: begin : gen_64 `RILL_UNIT(from_64, 64, 32, a, y) end
            66: begin : gen_66 `RILL_UNIT(from_66, 66, 32, a, y) end
            104: begin : gen_104 `RILL_UNIT(from_104, 104, 32, a, y) end
            120: begin : gen_120 `RILL_UNIT(from_120, 120, 32, a, y) end
            default: rill_error_no_unit_of_this_WIDTH u_error ();
        endcase
    endgenerate
endmodule

module rill_fp32_to_fixed #(
    parameter FRAC = 0,
    parameter WIDTH = 0
) (
    input  wire             clk,
    input  wire             en,
    input  wire [31:0]      a,
    output wire [WIDTH-1:0] y,
    output wire             overflow,
    output wire             fault
);
    generate
        case (WIDTH * 64 + FRAC)
            8 * 64 + 0: begin : gen_8 `RILL_UNIT(fixed_8_0, 32, 10, a, {fault, overflow, y}) end
            27 * 64 + 22: begin : gen_27_22 `RILL_UNIT(fixed_27_22, 32, 29, a, {fault, overflow, y}) end
            27 * 64 + 23: begin : gen_27_23 `RILL_UNIT(fixed_27_23, 32, 29, a, {fault, overflow, y}) end
            27 * 64 + 24: begin : gen_27_24 `RILL_UNIT(fixed_27_24, 32, 29, a, {fault, overflow, y}) end
            28 * 64 + 23: begin : gen_28_23 `RILL_UNIT(fixed_28_23, 32, 30, a, {fault, overflow, y}) end
            32 * 64 + 30: begin : gen_32 `RILL_UNIT(fixed_32_30, 32, 34, a, {fault, overflow, y}) end
            41 * 64 + 39: begin : gen_41 `RILL_UNIT(fixed_41_39, 32, 43, a, {fault, overflow, y}) end
            44 * 64 + 20: begin : gen_44 `RILL_UNIT(fixed_44_20, 32, 46, a, {fault, overflow, y}) end
            default: rill_error_no_unit_of_this_FRAC_and_WIDTH u_error ();
        endcase
    endgenerate
endmodule

// FIFOs of the depths and widths that most streams have. Other FIFOs are the template itself, which
// tests/quick_build.sh renames to rill_fifo_own. All outputs of a FIFO come from registers, and no register changes in
// a FIFO that is empty, not in reset and not written.
`define RILL_FIFO_UNIT(D, W, N) \
    begin : gen_``D``_``W \
        import "DPI-C" function chandle rill_new_fifo_``D``_``W(); \
        import "DPI-C" function int rill_step_fifo_``D``_``W(input chandle unit, input byte moves, input bit [W-1:0] in, output bit [W-1:0] out); \
        chandle unit; \
        initial unit = rill_new_fifo_``D``_``W(); \
        bit [W-1:0] out_d; \
        bit [2*N+1:0] state_d; \
        bit [W-1:0] out_q; \
        bit [2*N-1:0] counts_q; \
        bit tready_q, tvalid_q; \
        always @(posedge clk) \
            if (rst || s_axis_tvalid || counts_q[N-1:0] != 0 || !tready_q) begin \
                state_d = (2*N+2)'(rill_step_fifo_``D``_``W(unit, {5'd0, rst, s_axis_tvalid, m_axis_tready}, W'(s_axis_tdata), out_d)); \
                {tready_q, tvalid_q, counts_q} <= state_d; \
                out_q <= out_d; \
            end \
        assign {high_water, occupancy} = counts_q; \
        assign s_axis_tready = tready_q; \
        assign m_axis_tvalid = tvalid_q; \
        assign m_axis_tdata = out_q[DATA_W-1:0]; \
    end

module rill_fifo #(
    parameter DATA_W = 0,
    parameter DEPTH = 0,
    parameter RAM_STYLE = "auto",
    parameter COUNT_W = $clog2(DEPTH + 1)
) (
    input  wire               clk,
    input  wire               rst,
    input  wire               s_axis_tvalid,
    output wire               s_axis_tready,
    input  wire [DATA_W-1:0]  s_axis_tdata,
    output wire               m_axis_tvalid,
    input  wire               m_axis_tready,
    output wire [DATA_W-1:0]  m_axis_tdata,
    output wire [COUNT_W-1:0] occupancy,
    output wire [COUNT_W-1:0] high_water
);
    generate
        if (DEPTH == 2 && DATA_W <= 40) `RILL_FIFO_UNIT(2, 40, 2)
        else if (DEPTH == 2 && DATA_W <= 72) `RILL_FIFO_UNIT(2, 72, 2)
        else if (DEPTH == 2 && DATA_W <= 136) `RILL_FIFO_UNIT(2, 136, 2)
        else if (DEPTH == 2 && DATA_W <= 272) `RILL_FIFO_UNIT(2, 272, 2)
        else if (DEPTH == 2 && DATA_W <= 544) `RILL_FIFO_UNIT(2, 544, 2)
        else if (DEPTH == 4 && DATA_W <= 72) `RILL_FIFO_UNIT(4, 72, 3)
        else if (DEPTH == 4 && DATA_W <= 272) `RILL_FIFO_UNIT(4, 272, 3)
        else begin : gen_own
            rill_fifo_own #(.DATA_W(DATA_W), .DEPTH(DEPTH), .RAM_STYLE(RAM_STYLE)) u_own (.clk(clk), .rst(rst), .s_axis_tvalid(s_axis_tvalid),
                .s_axis_tready(s_axis_tready), .s_axis_tdata(s_axis_tdata), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready),
                .m_axis_tdata(m_axis_tdata), .occupancy(occupancy), .high_water(high_water));
        end
    endgenerate
endmodule

// Designs with sums of groups (int4_asym), mantissas of 10 bits, longer sums, cut lanes, four tokens at a time or a
// second clock need other lanes than these. For them, design_files in tests/quick_build.sh defines RILL_OWN_MATRIX.
`ifndef RILL_OWN_MATRIX
// One of the matrix lanes below. The model is called while a beat is on its way through the pipeline, which takes 9
// cycles (lane) or 12 (pair). left_q counts 13 cycles from the last beat on, which is enough for both.
`define RILL_MATRIX_UNIT(TAG, IN_W) \
    begin : gen_unit \
        import "DPI-C" function chandle rill_new_``TAG(); \
        import "DPI-C" function int rill_step_``TAG(input chandle unit, input byte moves, input bit [IN_W-1:0] in, output bit [127:0] out); \
        chandle unit; \
        initial unit = rill_new_``TAG(); \
        bit [127:0] out_d; \
        bit [127:0] out_q; \
        bit valid_d; \
        bit valid_q; \
        bit [3:0] left_q; \
        always @(posedge clk) \
            if (rst || starts || left_q != 0) begin \
                valid_d = 1'(rill_step_``TAG(unit, {2'd0, moves, rst, valid}, IN_W'(in), out_d)); \
                valid_q <= valid_d; \
                out_q <= out_d; \
                left_q <= starts ? 4'd13 : left_q == 0 ? 4'd0 : left_q - 4'd1; \
            end \
        assign out_valid = valid_q; \
        assign {out_bias, out_row_scale, out_acc} = out_q; \
    end

module rill_matrix_lane #(
    parameter BEAT_BITS = 0,
    parameter TOKENS = 0,
    parameter ROWS = 1,
    parameter SIDE_W = 1,
    parameter ASYM = 0,
    parameter X_BITS = 8,
    parameter ACC_W = 64,
    parameter PUMP = 1,                      // must be 1: the model has one clock
    parameter HOPS = 0,                      // must be 0: both halves of the lane are on one die
    parameter PARAM_BITS = 0,                // must be 0: row_scale and bias come with the beats, not as words
    parameter [31:0] SCALE_K = 0,            // used only with PARAM_BITS, as SCALE_V
    parameter [31:0] SCALE_V = 0,
    parameter PLACE_W = TOKENS * ROWS > 1 ? $clog2(TOKENS * ROWS) : 1,
    parameter SUMS_W = 13 * (BEAT_BITS / 128),
    parameter WORD_W = PARAM_BITS > 0 ? PARAM_BITS : 1
) (
    input  wire                   clk,
    input  wire                   clk_2x,    // used with PUMP 2 only
    input  wire                   rst,
    input  wire                   sum_rst,   // not read: on one die it equals rst
    input  wire                   valid,
    input  wire                   int4,
    input  wire                   sum_valid,
    input  wire [4:0]             sum_shift,
    input  wire                   first,
    input  wire                   last,
    input  wire [PLACE_W-1:0]     place,
    input  wire [BEAT_BITS-1:0]   nibbles,
    input  wire [4*BEAT_BITS-1:0] x,
    input  wire [21:0]            offset,
    input  wire [7:0]             group_scale,
    input  wire [4:0]             shift,
    input  wire                   asym,
    input  wire [BEAT_BITS/8-1:0] words,
    input  wire [SUMS_W-1:0]      sums,
    input  wire [31:0]            row_scale,
    input  wire [31:0]            bias,
    input  wire                   params,
    input  wire [2:0]             row,
    input  wire [1:0]             raw,
    input  wire [WORD_W-1:0]      word,
    input  wire [SIDE_W-1:0]      side,
    output wire                   out_valid,
    output wire [63:0]            out_acc,
    output wire [31:0]            out_row_scale,
    output wire [31:0]            out_bias,
    output wire [SIDE_W-1:0]      out_side
);
    wire                     starts = valid;
    // The model has TOKENS 8 and ROWS 8, so a place of fewer rows or tokens is one of its places.
    wire [3:0]               moves = {1'b0, last, first, int4};
    wire [136+5*BEAT_BITS:0] in = {1'b0, x, nibbles, 31'd0, bias, row_scale, shift, group_scale, offset, 6'(place)};
    assign out_side = side;                  // one bit, always 0
    generate
        if (BEAT_BITS == 512) `RILL_MATRIX_UNIT(matrix_512, (137 + 5 * 512))
        else `RILL_MATRIX_UNIT(matrix_256, (137 + 5 * 256))
    endgenerate
endmodule

module rill_matrix_pair #(
    parameter BEAT_BITS = 0,
    parameter TOKENS = 0,
    parameter PAIRS = 1,                     // must be 1: a pair of tokens at a time
    parameter PUMP = 1,                      // must be 1: the model has one clock
    parameter ROWS = 1,
    parameter ASYM = 0,
    parameter X_BITS = 8,
    parameter ACC_W = 64,
    parameter HOPS = 0,                      // must be 0, as in rill_matrix_lane
    parameter PARAM_BITS = 0,                // must be 0, as in rill_matrix_lane
    parameter [31:0] SCALE_K = 0,
    parameter [31:0] SCALE_V = 0,
    parameter TOK_W = TOKENS > 1 ? $clog2(TOKENS) : 1,
    parameter ROW_W = ROWS > 1 ? $clog2(ROWS) : 1,
    parameter TURN_W = TOKENS * ROWS > 2 ? $clog2(TOKENS * ROWS) - 1 : 1,
    parameter SUMS_W = 13 * (BEAT_BITS / 128),
    parameter WORD_W = PARAM_BITS > 0 ? PARAM_BITS : 1
) (
    input  wire                   clk,
    input  wire                   clk_2x,    // used with PUMP 2 only
    input  wire                   rst,
    input  wire                   sum_rst,   // not read: on one die it equals rst
    input  wire                   valid,
    input  wire                   other_toks,
    input  wire                   int4,
    input  wire                   sum_valid,
    input  wire                   sum_others,
    input  wire [9:0]             sum_shift,
    input  wire                   first,
    input  wire [TURN_W-1:0]      turn,
    input  wire                   emit,
    input  wire [TOK_W-1:0]       out_tok,
    input  wire [ROW_W-1:0]       out_row,
    input  wire [BEAT_BITS-1:0]   nibbles,
    input  wire [8*BEAT_BITS-1:0] x,
    input  wire [7:0]             group_scale,
    input  wire [9:0]             shift,
    input  wire                   asym,
    input  wire [BEAT_BITS/8-1:0] words,
    input  wire [2*SUMS_W-1:0]    sums,
    input  wire [31:0]            row_scale,
    input  wire [31:0]            bias,
    input  wire                   params,
    input  wire [2:0]             row,
    input  wire [1:0]             raw,
    input  wire [WORD_W-1:0]      word,
    output wire                   out_valid,
    output wire [63:0]            out_acc,
    output wire [31:0]            out_row_scale,
    output wire [31:0]            out_bias
);
    // The port turn is {row, turn of the row}. The model has TOKENS 8, so 4 turns for each row, but this design has
    // TURNS. place is the turn as the model numbers it, so that each row has accumulators of its own there.
    localparam int           TURNS = TOKENS / 2;
    wire                     starts = valid || emit;
    wire [3:0]               moves = {emit, other_toks, first, int4};
    wire [4:0]               place = 5'((32'(turn) / TURNS) * 4 + 32'(turn) % TURNS);
    wire [144+9*BEAT_BITS:0] in = {1'b0, x, nibbles, 7'd0, bias, row_scale, shift, group_scale, 44'd0, 3'(out_row), 3'(out_tok), place};
    generate
        if (BEAT_BITS == 512) `RILL_MATRIX_UNIT(pair_512, (145 + 9 * 512))
        else `RILL_MATRIX_UNIT(pair_256, (145 + 9 * 256))
    endgenerate
endmodule
`endif

`default_nettype wire
