// SPDX-License-Identifier: Apache-2.0
// Delays a command of the matrix engine for its receivers: the operand buffer gets it after 1 cycle, the slice after 2,
// the lanes' dies after 3, and the front of each lane gets a copy after 4.
//
// The inputs are the outputs cmd_* of rill_engine_ctrl, in cycle 0 (emit is cmd_out). The number at the end of an
// output's name is its cycle. cmd_3, of cycle 3, and fronts, of cycle 4, have the fields of rill_engine_fields.vh.
// slice_controls, of cycle 2, is the port `controls` of rill_x_slice.
// CMD_BITS is equal to CMD_W of rill_engine_fields.vh, which is not known yet where the ports are declared. 18 is the
// total width of the fields that depend on no parameter.
// Reset: clk, synchronous active-high rst; it clears pop, k, valid, emit and free, which start an action.
//
// name         meaning                                      unit    range
// TOK_W        width of a token's number                    bits    1 or more
// TURN_W       width of the operand's turn                  bits    1 to TOK_W
// UNIT_PAIR_W  width of the number of a pair of units       bits    1 or more
// SCALE_W      width of a group scale's place               bits    1 or more
// ASYM         1: there are int4_asym weights               -       0, 1
// TURN_TOKENS  tokens per command                           tokens  1, 2, 4
// LANE_COPIES  copies of the command for the lanes' fronts  -       1 or more
// OTHERS_W     width of other_toks                          bits    derived
// CMD_BITS     width of cmd_3                               bits    derived
`default_nettype none

module rill_engine_command #(
    parameter TOK_W = 0,
    parameter TURN_W = 0,
    parameter UNIT_PAIR_W = 0,
    parameter SCALE_W = 0,
    parameter ASYM = 0,
    parameter TURN_TOKENS = 1,
    parameter LANE_COPIES = 0,
    parameter OTHERS_W = TURN_TOKENS > 2 ? TURN_TOKENS - 1 : 1,
    parameter CMD_BITS = 18 + 2 * TOK_W + SCALE_W + (ASYM != 0 ? 1 : 0) + (TURN_TOKENS > 2 ? 2 : 0) + OTHERS_W
) (
    input  wire                     clk,
    input  wire                     rst,
    input  wire                     pop,
    input  wire                     k,
    input  wire                     params,
    input  wire                     scales,
    input  wire                     valid,
    input  wire                     int4,
    input  wire                     asym,
    input  wire [1:0]               raw,
    input  wire                     is_local,
    input  wire                     first,
    input  wire                     last,
    input  wire [TOK_W-1:0]         tok,        // a turn if TURN_TOKENS is 2 or 4
    input  wire [UNIT_PAIR_W-1:0]        unit_pair,       // number of a pair of operand units
    input  wire                     half,       // int8, keys, values: the unit of the pair
    input  wire [2:0]               row,
    input  wire [SCALE_W-1:0]       scale,
    input  wire                     free,
    input  wire [2:0]               acc,
    input  wire [2:0]               out_row,
    input  wire                     bank,
    input  wire                     out_bank,
    input  wire [OTHERS_W-1:0]      other_toks,
    input  wire                     emit,
    input  wire [TOK_W-1:0]         out_tok,
    output reg                      free_1,
    output reg  [TURN_W-1:0]        tok_1,
    output reg  [UNIT_PAIR_W-1:0]   unit_pair_1,
    output wire [OTHERS_W+2:0]      slice_controls,
    output wire [CMD_BITS-1:0]      cmd_3,
    output wire                     k_3,
    output wire                     valid_3,
    output wire                     valid_4,
    output reg                      int4_4,
    output wire [LANE_COPIES*5-1:0] fronts
);
    `include "rill_engine_fields.vh"
    localparam LANE_CMD_W = CMD_W - LANE_APART;

    generate
        if (TOK_W < 1 || UNIT_PAIR_W < 1 || SCALE_W < 1 || LANE_COPIES < 1) begin : gen_bad
            rill_error_widths_and_LANE_COPIES_must_be_at_least_1 u_error ();
        end
        if (TURN_W < 1 || TURN_W > TOK_W) begin : gen_bad_turn
            rill_error_TURN_W_must_be_1_to_TOK_W u_error ();
        end
    endgenerate

    wire [LANE_CMD_W-1:0] cmd_d;
    wire [LANE_ASYM-LANE_APART-1:0] cmd_rest = {out_row, acc, out_tok, scale, row, tok, raw, last, first, int4};
    wire [LANE_BANK-LANE_APART-1:0] cmd_groups;
    generate
        if (ASYM != 0) begin : gen_asym
            assign cmd_groups = {asym, cmd_rest};
        end else begin : gen_no_asym
            wire unused_asym = asym;
            assign cmd_groups = cmd_rest;
        end
        if (TURN_TOKENS > 2) begin : gen_banks
            assign cmd_d = {other_toks, out_bank, bank, cmd_groups};
        end else begin : gen_one_bank
            wire unused_bank = &{1'b0, bank, out_bank};
            assign cmd_d = {other_toks, cmd_groups};
        end
    endgenerate
    reg  [LANE_CMD_W-1:0] cmd1_q;
    reg  [LANE_CMD_W-1:0] cmd2_q;
    reg  [LANE_CMD_W-1:0] cmd3_q;
    reg  [3:1]            pop_q; // bits of a command; index n: in cycle n. A reset clears pop, k, valid, out.
    reg  [3:1]            k_q;
    reg  [3:1]            local_q;
    reg  [4:1]            valid_q;
    reg  [3:1]            out_q;
    reg  [3:1]            params_q;
    reg  [3:1]            scales_q;
    reg  [2:1]            half_q;
    always @(posedge clk) begin
        cmd1_q <= cmd_d;
        cmd2_q <= cmd1_q;
        cmd3_q <= cmd2_q;
        int4_4 <= cmd3_q[LANE_INT4-LANE_APART];
        pop_q <= rst ? 3'd0 : {pop_q[2:1], pop};
        k_q <= rst ? 3'd0 : {k_q[2:1], k};
        local_q <= {local_q[2:1], is_local};
        valid_q <= rst ? 4'd0 : {valid_q[3:1], valid};
        out_q <= rst ? 3'd0 : {out_q[2:1], emit};
        params_q <= {params_q[2:1], params};
        scales_q <= {scales_q[2:1], scales};
        unit_pair_1 <= unit_pair;
        tok_1 <= tok[TURN_W-1:0];
        free_1 <= free && !rst;
        half_q <= {half_q[1], half};
    end
    assign slice_controls = {valid_q[2], cmd2_q[LANE_OTHERS-LANE_APART +: OTHERS_W], half_q[2],
        cmd2_q[LANE_INT4-LANE_APART]};
    assign cmd_3 = {cmd3_q, scales_q[3], params_q[3], out_q[3], valid_q[3]};
    assign k_3 = k_q[3];
    assign {valid_4, valid_3} = valid_q[4:3];
    rill_register_copies #(.DATA_W(FRONT_W), .COPIES(LANE_COPIES)) u_fronts (
        .clk(clk), .rst(rst), .d({k_q[3], cmd3_q[LANE_INT4-LANE_APART], valid_q[3], local_q[3], pop_q[3]}), .q(fronts));
endmodule

`default_nettype wire
