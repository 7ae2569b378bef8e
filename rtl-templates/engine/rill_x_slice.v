// SPDX-License-Identifier: Apache-2.0
// Selects the operand's slice for a beat from the pair of units (BEAT_BITS / 8 mantissas each) that rill_x_ram gives.
// With 4-bit weights the slice is both units. Otherwise it is one of them, with every element twice, because an int8
// weight is two nibbles. A token that is not valid counts as zeros, because the memory holds old data in its place.
//
// Cycle 0: controls {valid, others, half, int4}. int4: the slice is both units; else half selects one. others: bit i:
// token i + 1 is valid (token 0 always is). Cycle 1: the units. Cycle 2: slice and shift, which stay while there is no
// valid. slice has two units of mantissas for each token. shift has 5 bits for each token, the exponent of the block
// less EXP_MIN: rill_quantize makes none above 31, so the upper 3 bits of shift_0 and shift_1 are 0. Token 0 is low.
// PARTS: parts of the slice, each with a copy of the controls.
// Reset: clk, synchronous active-high rst; resets only the controls.
//
// name         meaning                                         unit    range
// BEAT_BITS    width of a memory beat                          bits    256, 512
// TURN_TOKENS  tokens per command                              tokens  1, 2, 4
// X_BITS       width of a mantissa                             bits    8, 10
// PARTS        parts of the slice, each with its own controls  parts   1, 2, 4
// OTHERS_W     width of others                                 bits    derived
`default_nettype none

module rill_x_slice #(
    parameter BEAT_BITS = 0,
    parameter TURN_TOKENS = 1,
    parameter X_BITS = 8,
    parameter PARTS = 1,
    parameter OTHERS_W = TURN_TOKENS > 2 ? TURN_TOKENS - 1 : 1
) (
    input  wire                                     clk,
    input  wire                                     rst,
    input  wire [OTHERS_W+2:0]                      controls,
    input  wire [TURN_TOKENS*(BEAT_BITS/8*X_BITS)-1:0] unit_0,
    input  wire [TURN_TOKENS*(BEAT_BITS/8*X_BITS)-1:0] unit_1,
    input  wire [TURN_TOKENS*8-1:0]                 shift_0,
    input  wire [TURN_TOKENS*8-1:0]                 shift_1,
    output wire [TURN_TOKENS*2*(BEAT_BITS/8*X_BITS)-1:0] slice,
    output wire [TURN_TOKENS*5-1:0]                 shift
);
    localparam UNIT_BITS = BEAT_BITS / 8 * X_BITS;
    localparam PART = 2 * UNIT_BITS / PARTS;
    localparam INT4 = 0, HALF = 1, OTHERS = 2, VALID = OTHERS + OTHERS_W, CONTROLS = VALID + 1; // bits of the controls

    generate
        if (BEAT_BITS != 256 && BEAT_BITS != 512) begin : gen_bad_beat
            rill_error_BEAT_BITS_must_be_256_or_512 u_error ();
        end
        if ((X_BITS != 8 && X_BITS != 10) || (TURN_TOKENS != 1 && TURN_TOKENS != 2 && TURN_TOKENS != 4)) begin
            : gen_bad_x
            rill_error_X_BITS_must_be_8_or_10_and_TURN_TOKENS_1_2_or_4 u_error ();
        end
        if (PARTS != 1 && PARTS != 2 && PARTS != 4) begin : gen_bad_parts
            rill_error_PARTS_must_be_1_2_or_4 u_error ();
        end
    endgenerate

    // Returns the elements with each one twice. It is a function, because a simulator builds a vector from generate
    // blocks slowly, by one copy of the vector for each block.
    function [PART-1:0] twice(input [PART/2-1:0] elements);
        integer i;
        begin
            twice = {PART{1'b0}};
            for (i = 0; i < PART / (4 * X_BITS); i = i + 1)
                twice[4*X_BITS*i +: 4*X_BITS] = {{2{elements[2*X_BITS*i+X_BITS +: X_BITS]}},
                    {2{elements[2*X_BITS*i +: X_BITS]}}};
        end
    endfunction

    wire [PARTS*CONTROLS-1:0] parts;           // controls in cycle 1
    rill_register_copies #(.DATA_W(CONTROLS), .COPIES(PARTS)) u_controls (
        .clk(clk), .rst(rst), .d(controls), .q(parts));
    genvar a;
    genvar p;
    generate
        for (a = 0; a < TURN_TOKENS; a = a + 1) begin : gen_token
            wire [UNIT_BITS-1:0]   first = unit_0[a*UNIT_BITS +: UNIT_BITS];
            wire [UNIT_BITS-1:0]   second = unit_1[a*UNIT_BITS +: UNIT_BITS];
            wire [2*UNIT_BITS-1:0] pair = {second, first};
            reg  [4:0]             shift_q;
            for (p = 0; p < PARTS; p = p + 1) begin : gen_part
                wire [CONTROLS-1:0] mine = parts[p*CONTROLS +: CONTROLS];
                wire [PART/2-1:0]   unit = mine[HALF] ? second[p*PART/2 +: PART/2] : first[p*PART/2 +: PART/2];
                wire                absent = a > 0 && !mine[a > 0 ? OTHERS + a - 1 : OTHERS];
                reg  [PART-1:0]     slice_q;
                always @(posedge clk)
                    if (mine[VALID])
                        slice_q <= absent ? {PART{1'b0}}
                            : mine[INT4] ? pair[p*PART +: PART] : twice(unit);
                assign slice[a*2*UNIT_BITS+p*PART +: PART] = slice_q;
            end
            always @(posedge clk)
                if (parts[VALID])
                    shift_q <= a > 0 && !parts[a > 0 ? OTHERS + a - 1 : OTHERS] ? 5'd0
                        : parts[INT4] || !parts[HALF] ? shift_0[8*a +: 5] : shift_1[8*a +: 5];
            assign shift[5*a +: 5] = shift_q;
            wire unused_shift = &{1'b0, shift_0[8*a+5 +: 3], shift_1[8*a+5 +: 3]};
        end
    endgenerate
endmodule

`default_nettype wire
