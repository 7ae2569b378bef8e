// SPDX-License-Identifier: Apache-2.0
// Rewrites the step word of schedule entries (rill_schedule) that read keys or values, for attention with a window.
//
// pos is counted from the first position that is read (rill_window_begin), which is at or before the start of the
// layer's window. krows and vblocks become the row-steps and blocks that are left to read. The reader of the entries
// does not need to know the window. Other entries pass unchanged.
//
// In: s_axis_entry {layer[15:0], step[63:0], entry[ENTRY_W-1:0]}. Together with an entry, keys is 1 if it reads keys,
// and values is 1 if it reads values. The layer of the cache is kv_layer + layer * kv_step.
// Out: the same, 5 cycles later, with the step word rewritten. Together with an entry, blocks is the number of skipped
// V blocks (64 positions each), and rows the number of skipped K row-steps. Both are 0 for entries that read neither
// keys nor values.
// Throughput: one per cycle. Reset: clk, synchronous active-high rst; entries in flight are discarded.
//
// name          meaning                                            unit       range
// ENTRY_W       width of an entry                                  bits       1 or more
// KEY_CHANNELS  channels of the scores engine; rill_window_begin   channels   1 to 32
//               rejects other values
// WINDOWS       number of windows: 1 for all layers, or one per    windows    1 or more
//               cache layer
// K_WINDOW      positions a token attends to, including its own;   positions  any
//               16 bits per layer of keys, the lowest layer low;
//               0: no window
// V_WINDOW      the windows of the layers of values, likewise      positions  any
`default_nettype none

module rill_window_entries #(
    parameter ENTRY_W = 0,
    parameter KEY_CHANNELS = 0,
    parameter WINDOWS = 0,
    parameter [WINDOWS*16-1:0] K_WINDOW = 0,
    parameter [WINDOWS*16-1:0] V_WINDOW = 0
) (
    input  wire                  clk,
    input  wire                  rst,

    input  wire                  s_axis_entry_tvalid,
    output wire                  s_axis_entry_tready,
    input  wire [ENTRY_W+79:0]   s_axis_entry_tdata,
    input  wire                  s_axis_entry_tlast,
    input  wire                  keys,
    input  wire                  values,
    input  wire [9:0]            kv_layer,
    input  wire [5:0]            kv_step,

    output wire                  m_axis_entry_tvalid,
    input  wire                  m_axis_entry_tready,
    output wire [ENTRY_W+79:0]   m_axis_entry_tdata,
    output wire                  m_axis_entry_tlast,
    output reg  [9:0]            blocks,
    output reg  [15:0]           rows
);
    `include "rill_fields.vh"
    localparam STAGES = 5;
    // A unit of rill_window_begin is BLOCKS V blocks of 64 positions, and ROWS row-steps of keys.
    localparam KEYS_1 = KEY_CHANNELS > 0 ? KEY_CHANNELS : 1;
    localparam BLOCKS = KEYS_1 / (KEYS_1 & -KEYS_1);       // blocks per unit of rill_window_begin
    localparam ROWS = 64 / (KEYS_1 & -KEYS_1);
    localparam [31:0] UNIT_BLOCKS = BLOCKS;
    localparam [31:0] UNIT_ROWS = ROWS;
    // Index of the first window of values. The windows of keys come before it.
    localparam [31:0] VALUES_FROM = WINDOWS > 1 ? WINDOWS : 1;
    localparam INDEX_W = WINDOWS > 1 ? $clog2(2 * WINDOWS) : 1;

    generate
        if (ENTRY_W < 1 || WINDOWS < 1) begin : gen_bad
            rill_error_ENTRY_W_and_WINDOWS_must_be_at_least_1 u_error ();
        end
    endgenerate

    // Stage 1: index of the layer's window. Stages 2 to 4 (rill_window_begin): units before the window. Stage 5: step
    // word without the skipped positions, and the skipped blocks and row-steps.
    wire               en;
    wire               move;
    wire [STAGES-1:0]  valid;
    wire [63:0]        s_step = s_axis_entry_tdata[ENTRY_W + SCHEDULE_STEP +: 64];
    wire [15:0]        kv_offset = s_axis_entry_tdata[ENTRY_W + SCHEDULE_LAYER +: 10] * kv_step;
    wire [15:0]        layer = WINDOWS == 1 ? 16'd0 : {6'd0, kv_layer} + kv_offset;
    wire [15:0]        place = layer + (values ? VALUES_FROM[15:0] : 16'd0);
    reg  [15:0]        pos1_q;
    reg  [INDEX_W-1:0] index1_q;
    wire [9:0]         unit_count;
    wire [63:0]        step4;
    wire               windowed4;
    wire [9:0]         units4 = windowed4 ? unit_count : 10'd0;
    wire [14:0]        blocks4 = units4 * UNIT_BLOCKS[4:0];
    wire [16:0]        rows4 = units4 * UNIT_ROWS[6:0];
    reg  [63:0]        step5_q;
    wire [15:0]        m_layer;
    wire [ENTRY_W-1:0] m_entry;
    rill_pipe #(.LATENCY(STAGES), .SIDE_W(ENTRY_W + 17)) u_pipe (
        .clk(clk), .rst(rst), .s_tvalid(s_axis_entry_tvalid), .s_tready(s_axis_entry_tready),
        .s_side({s_axis_entry_tlast, s_axis_entry_tdata[ENTRY_W + SCHEDULE_LAYER +: 16],
            s_axis_entry_tdata[ENTRY_W-1:0]}),
        .en(en), .move(move), .valid(valid), .m_tvalid(m_axis_entry_tvalid), .m_tready(m_axis_entry_tready),
        .m_side({m_axis_entry_tlast, m_layer, m_entry}));
    always @(posedge clk)
        if (move) begin
            pos1_q <= s_step[STEP_POS +: STEP_POS_W];
            index1_q <= place[INDEX_W-1:0];
        end
    rill_window_begin #(.KEY_CHANNELS(KEY_CHANNELS), .WINDOWS(2 * WINDOWS), .WINDOW({V_WINDOW, K_WINDOW})) u_begin (
        .clk(clk), .en(move), .pos(pos1_q), .index(index1_q), .unit_count(unit_count));
    rill_delay_line #(.DATA_W(65), .DEPTH(STAGES - 1)) u_step (.clk(clk), .rst(rst), .en(move),
        .d({keys || values, s_step}), .q({windowed4, step4}));
    always @(posedge clk)
        if (move) begin
            blocks <= blocks4[9:0];
            rows <= rows4[15:0];
            step5_q <= step4;
            step5_q[STEP_POS +: STEP_POS_W] <= step4[STEP_POS +: STEP_POS_W] - {blocks4[9:0], 6'd0};
            step5_q[STEP_KROWS +: STEP_KROWS_W] <= step4[STEP_KROWS +: STEP_KROWS_W] - rows4[15:0];
            step5_q[STEP_VBLOCKS +: STEP_VBLOCKS_W] <= step4[STEP_VBLOCKS +: STEP_VBLOCKS_W] - {6'd0, blocks4[9:0]};
        end
    assign m_axis_entry_tdata = {m_layer, step5_q, m_entry};

    wire unused = &{1'b0, en, valid, place, blocks4[14:10], rows4[16], VALUES_FROM, UNIT_BLOCKS, UNIT_ROWS};
endmodule

`default_nettype wire
