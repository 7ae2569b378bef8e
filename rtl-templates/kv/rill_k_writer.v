// SPDX-License-Identifier: Apache-2.0
// Writes the keys of a step to the K cache in memory, in whole beats. The key of position p goes to channel p mod
// CHANNELS.
//
// In: one step word per step (s_axis_step), then LAYERS firings of at most HEADS heads. A firing has kv units {scale,
// q} in the order head, tok, unit in head; tuser marks the last active token. Only q is written, and a unit is one
// beat.
// Out: per (head, tok) one descriptor of UNITS beats, and its beats, at the offset in the channel
//     K_BASE + layer*K_LAYER_STRIDE + head*K_HEAD_STRIDE + (p / CHANNELS)*UNITS*beat bytes
// *_tvalid and *_tready are packed, one bit per channel; tdata is shared. Descriptors and beats go to one
// rill_dma_write per channel.
// layer_done: one-cycle pulse when the last descriptor and beat of a (step, layer) have been accepted. given: one pulse
// for each descriptor that a channel has accepted; it comes after the layer_done of the previous layer, and at the
// latest with the layer_done of its own layer. rill_kv_tracker counts the responses.
// PLACES above 0 (slots): the step words come from rill_part_steps, one per firing. The layer in the formula is the
// word's place, and layer_done comes with the last part of a layer.
// Latency: 1 cycle. Throughput: one unit per cycle; 4 cycles between steps.
// p / CHANNELS and p mod CHANNELS come from pos and krows of the step word, so there is no divider.
// Reset: clk, synchronous active-high rst.
//
// name            meaning                            unit      range
// CHANNELS        channels of the scores engine      channels  1 to 32
// BEAT_BITS       width of a beat                    bits      256, 512
// TOKENS          tokens per step, upper bound       tokens    1, 2, 4, 8
// LAYERS          layers that write K                layers    1 or more
// HEADS           KV heads of a layer                heads     1 or more
// UNITS           beats of a head                    beats     1 to 256
// K_BASE          base of the K cache in a channel   bytes     any
// K_LAYER_STRIDE  distance from a layer to the next  bytes     any
// K_HEAD_STRIDE   distance from a head to the next   bytes     any
// PLACES          layers of all slots; 0: no slots   layers    0 to 1024
// USER_W          width of tuser                     bits      derived
`default_nettype none

module rill_k_writer #(
    parameter CHANNELS = 0,
    parameter BEAT_BITS = 0,
    parameter TOKENS = 0,
    parameter LAYERS = 0,
    parameter HEADS = 0,
    parameter UNITS = 0,
    parameter [39:0] K_BASE = 0,
    parameter [39:0] K_LAYER_STRIDE = 0,
    parameter [39:0] K_HEAD_STRIDE = 0,
    parameter PLACES = 0,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire                    clk,
    input  wire                    rst,

    input  wire                    s_axis_step_tvalid,
    output wire                    s_axis_step_tready,
    input  wire [63:0]             s_axis_step_tdata,

    input  wire                    s_axis_kv_tvalid,
    output wire                    s_axis_kv_tready,
    input  wire [32+BEAT_BITS-1:0] s_axis_kv_tdata,   // {scale[31:0], q}
    input  wire [USER_W-1:0]       s_axis_kv_tuser,   // {tok_last, tok}
    input  wire                    s_axis_kv_tlast,

    output wire [CHANNELS-1:0]     m_axis_desc_tvalid,
    input  wire [CHANNELS-1:0]     m_axis_desc_tready,
    output wire [55:0]             m_axis_desc_tdata, // {beats, offset}
    output wire [CHANNELS-1:0]     m_axis_beat_tvalid,
    input  wire [CHANNELS-1:0]     m_axis_beat_tready,
    output wire [BEAT_BITS-1:0]    m_axis_beat_tdata,

    output reg                     layer_done,
    output reg  [CHANNELS-1:0]     given
);
    `include "rill_fields.vh"
    localparam [31:0] ROW_BYTES = UNITS * (BEAT_BITS / 8);
    localparam [31:0] CHANNELS_32 = CHANNELS;
    localparam [31:0] UNITS_32 = UNITS;
    localparam [31:0] LAYERS_32 = LAYERS;
    localparam SCALE_W = 32;                 // width of the scale of a kv unit, above its elements
    localparam TOK_LAST = USER_W - 1;        // bit of tuser: the last active token
    localparam LANE_W = CHANNELS > 1 ? $clog2(CHANNELS) : 1;

    generate
        if (CHANNELS < 1 || CHANNELS > 32) begin : gen_bad_channels
            rill_error_CHANNELS_must_be_1_to_32 u_error ();
        end
        if (BEAT_BITS != 256 && BEAT_BITS != 512) begin : gen_bad_beat
            rill_error_BEAT_BITS_must_be_256_or_512 u_error ();
        end
        if (TOKENS != 1 && TOKENS != 2 && TOKENS != 4 && TOKENS != 8) begin : gen_bad_tokens
            rill_error_TOKENS_must_be_1_2_4_or_8 u_error ();
        end
        if (LAYERS < 1 || HEADS < 1 || UNITS < 1 || UNITS > 256) begin : gen_bad_shape
            rill_error_LAYERS_and_HEADS_must_be_at_least_1_UNITS_1_to_256 u_error ();
        end
    endgenerate

    // S_STEP waits for a step word. S_PLACE and S_ROW (two cycles) compute channel and row of the first position. S_RUN
    // takes the firings of the step.
    localparam [1:0] S_STEP = 2'd0, S_PLACE = 2'd1, S_ROW = 2'd2, S_RUN = 2'd3;
    reg  [1:0]        state_q;
    reg  [15:0]       pos_q;
    reg  [15:0]       krows_q;
    reg  [20:0]       over_q;                // krows*CHANNELS - pos: 0 .. CHANNELS-1
    reg  [LANE_W-1:0] first_lane_q;          // channel of the step's first position
    reg  [15:0]       first_row_q;           // row of the step's first position
    reg  [39:0]       first_offset_q;        // offset of this row
    reg               row_ready_q;           // first_lane_q and first_row_q are valid
    reg               open_q;                // low in reset

    // Channel of the next unit, and offset of its row: head_base_q + row_offset_q.
    reg  [LANE_W-1:0] lane_q;
    reg               lane_last_q;           // lane_q is CHANNELS - 1
    reg  [39:0]       row_offset_q;
    reg  [39:0]       layer_base_q;
    reg  [39:0]       head_base_q;
    reg  [15:0]       layer_q;
    reg  [15:0]       unit_q;

    // Two registers that are used in turn. Each holds a unit and everything that leaves with it. When a channel takes a
    // unit, only read_q changes; no data moves. The channel is stored decoded, so that it is ready when the previous
    // unit leaves.
    localparam WORD_W = 1 + 40 + BEAT_BITS;
    reg                  ready_q;            // a unit can be taken
    reg                  any_q;              // at least one unit is held
    reg                  both_q;             // two units are held
    reg                  write_q;            // the next unit goes to word_1_q
    reg                  read_q;             // word_1_q is the oldest unit
    reg  [WORD_W-1:0]    word_0_q;           // {last of the firing, offset, beat}
    reg  [WORD_W-1:0]    word_1_q;
    reg  [CHANNELS-1:0]  lanes_0_q;          // channel of the unit, one-hot
    reg  [CHANNELS-1:0]  lanes_1_q;
    reg                  first_0_q;          // first unit of a head: it has a descriptor
    reg                  first_1_q;
    reg  [CHANNELS-1:0]  desc_valid_q;       // the oldest unit's descriptor, per channel
    reg  [CHANNELS-1:0]  beat_valid_q;
    wire                 last;
    wire [39:0]          offset;

    // The channel has taken the oldest unit, or there is none.
    wire move = ((desc_valid_q & ~m_axis_desc_tready) | (beat_valid_q & ~m_axis_beat_tready)) == {CHANNELS{1'b0}};
    wire pop = any_q && move;
    wire unit_first = unit_q == 16'd0;
    wire unit_last = unit_q == UNITS_32[15:0] - 16'd1;
    wire token_last = s_axis_kv_tuser[TOK_LAST];
    wire [LANE_W-1:0] lane_end = CHANNELS_32[LANE_W-1:0] - 1'b1;
    wire [LANE_W-1:0] lane_next = lane_last_q ? {LANE_W{1'b0}} : lane_q + 1'b1;
    wire take = s_axis_kv_tvalid && s_axis_kv_tready;
    wire firing_end = take && s_axis_kv_tlast;
    wire step_end = firing_end && (PLACES != 0 || layer_q == LAYERS_32[15:0] - 16'd1);
    wire [31:0] row_product = {16'd0, first_row_q} * ROW_BYTES;
    wire [20:0] product = {5'd0, krows_q} * CHANNELS_32[20:0];
    // krows is ceil(pos / CHANNELS). If over_q is not 0, the first position is in the row before row krows.
    wire [20:0] first_lane = over_q == 21'd0 ? 21'd0 : CHANNELS_32[20:0] - over_q;

    assign s_axis_step_tready = open_q && state_q == S_STEP;
    assign s_axis_kv_tready = state_q == S_RUN && ready_q;
    assign {last, offset, m_axis_beat_tdata} = read_q ? word_1_q : word_0_q;
    assign m_axis_desc_tdata = {UNITS_32[15:0], offset};
    assign m_axis_desc_tvalid = desc_valid_q;
    assign m_axis_beat_tvalid = beat_valid_q;

    always @(posedge clk) begin
        open_q <= !rst;
        if (rst)
            state_q <= S_STEP;
        else
            case (state_q)
                S_STEP: if (s_axis_step_tvalid && open_q) state_q <= S_PLACE;
                S_PLACE: state_q <= S_ROW;
                S_ROW: if (row_ready_q) state_q <= S_RUN;
                default: if (step_end) state_q <= S_STEP;
            endcase
    end

    // After a step word: over_q in the first cycle, channel and row in the second, offset of the row in the third.
    always @(posedge clk) begin
        if (state_q == S_STEP) begin
            pos_q <= s_axis_step_tdata[STEP_POS +: STEP_POS_W];
            krows_q <= s_axis_step_tdata[STEP_KROWS +: STEP_KROWS_W];
        end
        over_q <= product - {5'd0, pos_q};
        if (state_q == S_ROW && !row_ready_q) begin
            first_lane_q <= first_lane[LANE_W-1:0];
            first_row_q <= over_q == 21'd0 ? krows_q : krows_q - 16'd1;
        end
        row_ready_q <= state_q == S_ROW && !row_ready_q;
        first_offset_q <= {8'd0, row_product};
    end

    // PLACES: distance of the layer's place from K_BASE, computed in two registers and added in S_ROW.
    reg  [9:0]          place_q;
    reg                 more_q;              // another part of the layer follows
    reg  [39:0]         place_bytes_q;
    wire                ends_layer = PLACES == 0 || !more_q;
    always @(posedge clk) begin
        if (state_q == S_STEP) begin
            place_q <= s_axis_step_tdata[PART_PLACE +: PART_PLACE_W];
            more_q <= s_axis_step_tdata[PART_MORE];
        end
        place_bytes_q <= {30'd0, place_q} * K_LAYER_STRIDE;
    end

    always @(posedge clk) begin
        if (state_q == S_STEP) begin
            layer_q <= 16'd0;
            layer_base_q <= K_BASE;
            head_base_q <= K_BASE;
            unit_q <= 16'd0;
        end else if (state_q == S_ROW) begin
            lane_q <= first_lane_q;
            lane_last_q <= first_lane_q == lane_end;
            row_offset_q <= {8'd0, row_product};
            if (PLACES != 0) begin
                layer_base_q <= K_BASE + place_bytes_q;
                head_base_q <= K_BASE + place_bytes_q;
            end
        end else if (take) begin
            unit_q <= unit_last ? 16'd0 : unit_q + 16'd1;
            if (unit_last && token_last) begin
                lane_q <= first_lane_q;
                lane_last_q <= first_lane_q == lane_end;
                row_offset_q <= first_offset_q;
                head_base_q <= head_base_q + K_HEAD_STRIDE;
            end else if (unit_last) begin
                lane_q <= lane_next;
                lane_last_q <= lane_next == lane_end;
                row_offset_q <= lane_last_q ? row_offset_q + {8'd0, ROW_BYTES} : row_offset_q;
            end
            if (s_axis_kv_tlast) begin
                layer_q <= layer_q + 16'd1;
                layer_base_q <= layer_base_q + K_LAYER_STRIDE;
                head_base_q <= layer_base_q + K_LAYER_STRIDE;
            end
        end
    end

    wire [CHANNELS-1:0] lanes = {{(CHANNELS-1){1'b0}}, 1'b1} << lane_q;
    wire [CHANNELS-1:0] next_lanes = both_q ? (read_q ? lanes_0_q : lanes_1_q) : take ? lanes : {CHANNELS{1'b0}};
    wire                next_first = both_q ? (read_q ? first_0_q : first_1_q) : unit_first;

    always @(posedge clk)
        if (rst) begin
            ready_q <= 1'b0;
            any_q <= 1'b0;
            both_q <= 1'b0;
            write_q <= 1'b0;
            read_q <= 1'b0;
            desc_valid_q <= {CHANNELS{1'b0}};
            beat_valid_q <= {CHANNELS{1'b0}};
        end else begin
            ready_q <= pop || !(both_q || (take && any_q));
            any_q <= take || both_q || (any_q && !pop);
            both_q <= !pop && (both_q || (take && any_q));
            write_q <= write_q ^ take;
            read_q <= read_q ^ pop;
            desc_valid_q <= move ? next_lanes & {CHANNELS{next_first}} : desc_valid_q & ~m_axis_desc_tready;
            beat_valid_q <= move ? next_lanes : beat_valid_q & ~m_axis_beat_tready;
        end

    always @(posedge clk) begin
        if (take && !write_q) begin
            word_0_q <= {s_axis_kv_tlast && ends_layer, head_base_q + row_offset_q, s_axis_kv_tdata[BEAT_BITS-1:0]};
            lanes_0_q <= lanes;
            first_0_q <= unit_first;
        end
        if (take && write_q) begin
            word_1_q <= {s_axis_kv_tlast && ends_layer, head_base_q + row_offset_q, s_axis_kv_tdata[BEAT_BITS-1:0]};
            lanes_1_q <= lanes;
            first_1_q <= unit_first;
        end
        given <= rst ? {CHANNELS{1'b0}} : desc_valid_q & m_axis_desc_tready;
        // No unit of the next firing overtakes the last unit of this one, so the firing ends when that unit leaves.
        layer_done <= !rst && pop && last;
    end

`ifdef RILL_ASSERT
    reg [15:0] head_q;
    always @(posedge clk) begin
        if (rst || state_q == S_STEP || firing_end)
            head_q <= 16'd0;
        else if (take && unit_last && token_last)
            head_q <= head_q + 16'd1;
        if (!rst && take && (s_axis_kv_tlast ? !(unit_last && token_last) : unit_last && token_last && {16'd0, head_q}
            + 32'd1 >= HEADS)) begin
            $display("%m: a firing does not end with the last unit of the last token of a head, or has more heads");
            $stop;
        end
    end
`endif

    wire unused = &{1'b0, s_axis_kv_tdata[BEAT_BITS +: SCALE_W], s_axis_kv_tuser[TOK_LAST-1:0], s_axis_step_tdata,
                    first_lane, CHANNELS_32, UNITS_32, LAYERS_32, place_bytes_q, more_q};
endmodule

`default_nettype wire
