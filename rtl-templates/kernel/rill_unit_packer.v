// SPDX-License-Identifier: Apache-2.0
// Packs chunks of LANES elements into units of XS elements, for the quantizers, whose units have the width of a beat
// (rill_quantize, rill_kv_quantize).
//
// In: s_valid, s_data (the chunk), s_slot (its place in the unit), s_first and s_last (marks of the unit's first and
// last chunk). Slots without a chunk are zero; s_zero makes the chunk zero. s_side of the last chunk leaves with the
// unit. Out: one unit, held until it is taken. Its register is the last stage of the caller's pipeline, so this module
// makes the clock enable of the whole pipeline: en = !m_tvalid || m_tready.
// Latency 1 cycle; one chunk per cycle. Reset: clk, synchronous active-high rst.
//
// name    meaning                               unit      range
// LANES   elements of a chunk, a divisor of XS  elements  1 or more
// XS      elements of a unit                    elements  1 or more
// SIDE_W  width of the sideband of a unit       bits      1 or more
// ELEM_W  width of an element                   bits      1 or more
// SLOT_W  width of a chunk's slot number        bits      derived
`default_nettype none

module rill_unit_packer #(
    parameter LANES = 0,
    parameter XS = 0,
    parameter SIDE_W = 1,
    parameter ELEM_W = 8,
    parameter SLOT_W = XS > LANES ? $clog2(XS / (LANES > 0 ? LANES : 1)) : 1
) (
    input  wire               clk,
    input  wire               rst,
    output wire               en,
    input  wire               s_valid,
    input  wire [LANES*ELEM_W-1:0] s_data,
    input  wire               s_zero,
    input  wire [SLOT_W-1:0]  s_slot,
    input  wire               s_first,
    input  wire               s_last,
    input  wire [SIDE_W-1:0]  s_side,
    output wire               m_tvalid,
    input  wire               m_tready,
    output wire [XS*ELEM_W-1:0] m_tdata,
    output wire [SIDE_W-1:0]  m_side
);
    generate
        if (LANES < 1 || XS < 1 || ELEM_W < 1) begin : gen_bad
            rill_error_LANES_XS_and_ELEM_W_must_be_at_least_1 u_error ();
        end else if (XS % LANES != 0) begin : gen_bad_ratio
            rill_error_LANES_must_divide_XS u_error ();
        end
    endgenerate

    localparam SLOTS = XS / (LANES > 0 ? LANES : 1);

    reg              valid_q;
    reg              free_q;                               // second register of !m_tvalid, for the slots
    reg [SIDE_W-1:0] side_q;
    wire             take = (free_q || m_tready) && s_valid;
    wire [LANES*ELEM_W-1:0] data = s_data & {LANES*ELEM_W{!s_zero}};

    assign en = !valid_q || m_tready;
    assign m_tvalid = valid_q;
    assign m_side = side_q;

    always @(posedge clk)
        if (rst) begin
            valid_q <= 1'b0;
            free_q <= 1'b1;
        end else if (en) begin
            valid_q <= s_valid && s_last;
            free_q <= !(s_valid && s_last);
        end
    always @(posedge clk) if (en && s_valid) side_q <= s_side;

    genvar i;
    generate
        for (i = 0; i < SLOTS; i = i + 1) begin : gen_slot
            localparam [31:0] INDEX = i;
            reg [LANES*ELEM_W-1:0] q_q;
            wire mine = s_slot == INDEX[SLOT_W-1:0];
            always @(posedge clk) if (take && (mine || s_first)) q_q <= data & {LANES*ELEM_W{mine}};
            assign m_tdata[i*LANES*ELEM_W +: LANES*ELEM_W] = q_q;
        end
    endgenerate
endmodule

`default_nettype wire
