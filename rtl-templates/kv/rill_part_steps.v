// SPDX-License-Identifier: Apache-2.0
// Repeats the words of a step's parts for each layer, for kernels of attention in a design with slots.
//
// In: step words, one for each part of a step; the field `more` is set in all but the last one. Out: words of parts
// (docs/rtl.md section 4): all parts of the step in order for layer 0, then for layer 1, and so on. The field `place`
// is slot * LAYERS + layer.
// The words of a step are taken when all words of the previous step have been sent.
// Latency: 1 cycle from the last word of a step. Throughput: one word per cycle.
// Reset: clk, synchronous active-high rst; the words that are held are discarded.
//
// name    meaning                       unit    range
// PARTS   parts of a step, upper bound  parts   1 to 8
// LAYERS  layers of a step              layers  1 to 1024
`default_nettype none

module rill_part_steps #(
    parameter PARTS = 0,
    parameter LAYERS = 0
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        s_axis_step_tvalid,
    output wire        s_axis_step_tready,
    input  wire [63:0] s_axis_step_tdata,
    output wire        m_axis_tvalid,
    input  wire        m_axis_tready,
    output wire [63:0] m_axis_tdata
);
    `include "rill_fields.vh"
    generate
        if (PARTS < 1 || PARTS > 8) begin : gen_bad_parts
            rill_error_PARTS_must_be_1_to_8 u_error ();
        end
        if (LAYERS < 1 || LAYERS > 1024) begin : gen_bad_layers
            rill_error_LAYERS_must_be_1_to_1024 u_error ();
        end
    endgenerate

    localparam PART_W = PARTS > 1 ? $clog2(PARTS) : 1;
    localparam [31:0] LAYERS_32 = LAYERS;
    localparam [31:0] LAST_LAYER = LAYERS - 1;
    reg  [63:0]       part_mem [0:(1 << PART_W)-1];
    reg               open_q;                // words of a step are taken
    reg               sends_q;               // words of parts are sent
    reg  [PART_W-1:0] in_q;                  // number of the word that comes in
    reg  [PART_W-1:0] last_q;                // number of the step's last part
    reg  [PART_W-1:0] out_q;                 // number of the part that is sent
    reg  [9:0]        layer_q;
    wire              take = s_axis_step_tvalid && s_axis_step_tready;
    wire              step_in = take && !s_axis_step_tdata[STEP_MORE];
    wire              sent = m_axis_tvalid && m_axis_tready;
    wire              part_last = out_q == last_q;
    wire              step_out = sent && part_last && layer_q == LAST_LAYER[9:0];
    wire [63:0]       word = part_mem[out_q];
    wire [13:0]       place = word[STEP_SLOT +: STEP_SLOT_W] * LAYERS_32[9:0] + {4'd0, layer_q};

    assign s_axis_step_tready = open_q;
    assign m_axis_tvalid = sends_q;
    assign m_axis_tdata = {48'd0, word[STEP_POS +: STEP_POS_W]} << PART_POS
        | {60'd0, word[STEP_NTOK +: STEP_NTOK_W]} << PART_NTOK | {63'd0, !part_last} << PART_MORE
        | {54'd0, place[9:0]} << PART_PLACE | {48'd0, word[STEP_KROWS +: STEP_KROWS_W]} << PART_KROWS
        | {48'd0, word[STEP_VBLOCKS +: STEP_VBLOCKS_W]} << PART_VBLOCKS;

    always @(posedge clk) begin
        open_q <= !rst && !step_in && (!sends_q || step_out);
        sends_q <= !rst && (step_in || (sends_q && !step_out));
        if (rst || step_in)
            in_q <= {PART_W{1'b0}};
        else if (take)
            in_q <= in_q + 1'b1;
        if (take) begin
            part_mem[in_q] <= s_axis_step_tdata;
            last_q <= in_q;
        end
        if (!sends_q) begin
            out_q <= {PART_W{1'b0}};
            layer_q <= 10'd0;
        end else if (sent) begin
            out_q <= part_last ? {PART_W{1'b0}} : out_q + 1'b1;
            if (part_last)
                layer_q <= layer_q + 10'd1;
        end
    end

    wire unused = &{1'b0, LAYERS_32, LAST_LAYER, place, word};
endmodule

`default_nettype wire
