// SPDX-License-Identifier: Apache-2.0
// Computes for each layer where the reads of keys and values begin (rill_window_begin), ahead of a kernel that goes
// through the layers of a step in order.
//
// In: s_pos, the first position of a step. Out, once for each layer in order: m_begin, the position before which
// nothing is read, and m_pos, the first position of the step counted from m_begin. Latency: 5 cycles from the step to
// its first layer. Throughput: one layer per cycle.
// s_ready is low from a step until its last layer has entered the pipeline. The next step may then enter, because the
// position goes through the pipeline with each layer.
// Reset: clk, synchronous active-high rst.
//
// name          meaning                                                                   unit       range
// KEY_CHANNELS  channels of the scores engine                                             channels   1 to 32
// LAYERS        layers of a step                                                          layers     1 or more
// WINDOWS       entries of WINDOW: 1 for all layers, or one per layer                     entries    1 to LAYERS
// WINDOW        positions a token attends to, including its own; 16 bits per entry, the   positions  any
//               first low; 0: no window
`default_nettype none

module rill_window_steps #(
    parameter KEY_CHANNELS = 0,
    parameter LAYERS = 0,
    parameter WINDOWS = 0,
    parameter [WINDOWS*16-1:0] WINDOW = 0
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        s_valid,
    output wire        s_ready,
    input  wire [15:0] s_pos,
    output wire        m_valid,
    input  wire        m_ready,
    output reg  [15:0] m_begin,
    output reg  [15:0] m_pos
);
    localparam STAGES = 4;
    localparam LAYER_W = $clog2(LAYERS + 1);
    localparam INDEX_W = WINDOWS > 1 ? $clog2(WINDOWS) : 1;
    localparam KEYS_1 = KEY_CHANNELS > 0 ? KEY_CHANNELS : 1;
    localparam BLOCKS = KEYS_1 / (KEYS_1 & -KEYS_1);       // blocks per unit of rill_window_begin
    localparam [31:0] UNIT_BLOCKS = BLOCKS;
    localparam [31:0] LAST_LAYER = LAYERS - 1;

    generate
        if (LAYERS < 1 || (WINDOWS != 1 && WINDOWS != LAYERS)) begin : gen_bad
            rill_error_WINDOWS_must_be_1_or_LAYERS u_error ();
        end
    endgenerate

    reg                have_q;                             // layers of the step are still to be looked up
    reg  [15:0]        pos_q;
    reg  [LAYER_W-1:0] layer_q;
    wire               en;
    wire               move;
    wire [STAGES-1:0]  valid;
    wire               pipe_ready;
    wire [15:0]        pos3;
    wire [9:0]         unit_count;
    wire [15:0]        begin3 = {unit_count * UNIT_BLOCKS[4:0], 6'd0};
    wire               side;
    wire               gone = have_q && pipe_ready;
    wire               last = layer_q == LAST_LAYER[LAYER_W-1:0];
    assign s_ready = !have_q && !rst;
    always @(posedge clk)
        if (rst) begin
            have_q <= 1'b0;
            layer_q <= {LAYER_W{1'b0}};
        end else begin
            have_q <= have_q ? !(gone && last) : s_valid;
            if (gone) layer_q <= last ? {LAYER_W{1'b0}} : layer_q + 1'b1;
        end
    always @(posedge clk) if (!have_q) pos_q <= s_pos;

    rill_pipe #(.LATENCY(STAGES), .SIDE_W(1)) u_pipe (
        .clk(clk), .rst(rst), .s_tvalid(have_q), .s_tready(pipe_ready), .s_side(1'b0), .en(en), .move(move),
        .valid(valid), .m_tvalid(m_valid), .m_tready(m_ready), .m_side(side));
    rill_window_begin #(.KEY_CHANNELS(KEY_CHANNELS), .WINDOWS(WINDOWS), .WINDOW(WINDOW)) u_begin (
        .clk(clk), .en(move), .pos(pos_q), .index(WINDOWS == 1 ? {INDEX_W{1'b0}} : layer_q[INDEX_W-1:0]),
        .unit_count(unit_count));
    rill_delay_line #(.DATA_W(16), .DEPTH(STAGES - 1)) u_pos (.clk(clk), .rst(rst), .en(move), .d(pos_q), .q(pos3));
    always @(posedge clk)
        if (move) begin
            m_begin <= begin3;
            m_pos <= pos3 - begin3;
        end

    wire unused = &{1'b0, en, valid, side, UNIT_BLOCKS};
endmodule

`default_nettype wire
