// SPDX-License-Identifier: Apache-2.0
// The open block of 64 positions of every V row, on chip: takes the V stream, serves the engine, writes complete blocks to memory.
//
// In: one step word per step (s_axis_step), then LAYERS firings of kv units {scale, q} in the order head, tok, unit in head. Element d of a
// head at position p goes to lane d mod CHANNELS, row-step j = d / CHANNELS, byte p mod 64. Only q is used.
// A lane's RAM holds words of BEAT_BITS at ((layer*HEADS + head)*V_ROWS + j)*PARTS + part; V_ROWS = ceil(HEAD_DIM / CHANNELS), PARTS = 64
// bytes in words, part 0 the block's first positions. It is never cleared: bytes of positions to come are stale, the zeros of the operand
// mask them.
// Engine: tail_en with tail_addr (the word's address); tail_data, a word of every lane, 2 cycles later. head_done: one pulse when every
// token of a (layer, head), in order, can be read.
// Out: when the step holds position 63 of a block, each firing is followed by one descriptor of PARTS beats per row, and the beats:
//     V_BASE + layer*V_LAYER_STRIDE + (head*V_ROWS + j)*V_ROW_STRIDE + (pos / 64)*64        (offset in the channel)
// *_tvalid and *_tready are packed, one bit per channel; the descriptor's tdata is shared. The engine's reads go first.
// layer_done: one pulse after each firing, when its descriptors and beats (if any) have been accepted; only then the next firing is.
// Throughput: a unit in the cycles that its row-steps number; 4 cycles per beat of the write-out.
// Reset: synchronous; the RAM keeps its contents.
// Parameters: CHANNELS (1..32), BEAT_BITS (256, 512), TOKENS (1, 2, 4, 8), LAYERS, HEADS, HEAD_DIM, RAM_STYLE; V_BASE, V_LAYER_STRIDE,
// V_ROW_STRIDE in bytes.
`default_nettype none

module rill_v_tail #(
    parameter CHANNELS = 0,
    parameter BEAT_BITS = 0,
    parameter TOKENS = 0,
    parameter LAYERS = 0,
    parameter HEADS = 0,
    parameter HEAD_DIM = 0,
    parameter [39:0] V_BASE = 0,
    parameter [39:0] V_LAYER_STRIDE = 0,
    parameter [39:0] V_ROW_STRIDE = 0,
    parameter RAM_STYLE = "auto",
    parameter TOK_W = TOKENS > 1 ? $clog2(TOKENS) : 1
) (
    input  wire                          clk,
    input  wire                          rst,

    input  wire                          s_axis_step_tvalid,
    output wire                          s_axis_step_tready,
    input  wire [63:0]                   s_axis_step_tdata,

    input  wire                          s_axis_kv_tvalid,
    output wire                          s_axis_kv_tready,
    input  wire [32+BEAT_BITS-1:0]       s_axis_kv_tdata,    // {scale[31:0], q}
    input  wire [TOK_W:0]                s_axis_kv_tuser,    // {tok_last, tok}
    input  wire                          s_axis_kv_tlast,

    input  wire                          tail_en,
    input  wire [23:0]                   tail_addr,
    output wire [CHANNELS*BEAT_BITS-1:0] tail_data,
    output reg                           head_done,

    output wire [CHANNELS-1:0]           m_axis_desc_tvalid,
    input  wire [CHANNELS-1:0]           m_axis_desc_tready,
    output wire [55:0]                   m_axis_desc_tdata,  // {beats[15:0], offset[39:0]}
    output wire [CHANNELS-1:0]           m_axis_beat_tvalid,
    input  wire [CHANNELS-1:0]           m_axis_beat_tready,
    output wire [CHANNELS*BEAT_BITS-1:0] m_axis_beat_tdata,

    output reg                           layer_done
);
    localparam C = CHANNELS < 1 ? 1 : CHANNELS;
    localparam XS = BEAT_BITS == 512 ? 64 : 32;
    localparam PARTS = 64 / XS;
    localparam V_ROWS = (HEAD_DIM + C - 1) / C;
    localparam UNITS = (HEAD_DIM + XS - 1) / XS;
    localparam LAST_UNIT = HEAD_DIM - (UNITS - 1) * XS;      // elements of a head's last unit
    localparam LAYER_WORDS = HEADS * V_ROWS * PARTS;
    localparam WORDS = LAYERS * LAYER_WORDS;
    localparam DEPTH = WORDS > 4 ? WORDS : 4;
    localparam ADDR_W = $clog2(DEPTH);
    localparam SHIFT_BYTES = XS + C;
    localparam [31:0] C_32 = C;
    localparam [31:0] XS_32 = XS;
    localparam [31:0] LAST_UNIT_32 = LAST_UNIT;
    localparam [31:0] UNITS_32 = UNITS;
    localparam [31:0] HEAD_WORDS_32 = V_ROWS * PARTS;
    localparam [31:0] PARTS_32 = PARTS;
    localparam [31:0] LAYERS_32 = LAYERS;
    localparam [31:0] LAYER_WORDS_32 = LAYER_WORDS;

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
        if (LAYERS < 1 || HEADS < 1 || HEAD_DIM < 1 || ADDR_W > 24) begin : gen_bad_shape
            rill_error_LAYERS_HEADS_HEAD_DIM_must_be_at_least_1_and_fit_24_address_bits u_error ();
        end
    endgenerate

    localparam [2:0] S_STEP = 3'd0, S_WRITE = 3'd1, S_READ = 3'd2, S_WAIT = 3'd3, S_LOAD = 3'd4, S_SEND = 3'd5, S_DONE = 3'd6;
    reg  [2:0]           state_q;
    reg                  open_q;
    reg  [15:0]          pos_q;
    reg                  closes_q;             // position 63 of a block is in the step
    reg  [15:0]          layer_q;

    // ---- appending: a unit goes through a shift register, one row-step per cycle ----
    reg                     have_q;            // a unit is in shift_q
    reg  [SHIFT_BYTES*8-1:0] shift_q;          // the row-step's element of lane c at byte c
    reg  [6:0]              left_q;            // elements of the unit from this row-step on
    reg  [5:0]              lane_q;            // lane of the first of them
    reg  [5:0]              byte_q;            // position in the block
    reg                     unit_last_q;       // of the head and token
    reg                     token_last_q;
    reg                     firing_last_q;
    reg  [7:0]              unit_q;            // index of the next unit to take
    reg  [ADDR_W-1:0]       head_word_q;       // of the head's first row
    reg  [ADDR_W-1:0]       row_word_q;        // from there to the present row-step
    wire [6:0]              span = C_32[6:0] - {1'b0, lane_q};
    wire                    unit_end = have_q && left_q <= span;
    wire                    row_full = left_q == span;
    wire                    take = s_axis_kv_tvalid && s_axis_kv_tready;
    wire                    unit_last = unit_q == UNITS_32[7:0] - 8'd1;
    wire [6:0]              next_lane = {1'b0, lane_q} + left_q;
    wire [5:0]              start_lane = !unit_end ? lane_q : unit_last_q || row_full ? 6'd0 : next_lane[5:0];
    wire [SHIFT_BYTES*8-1:0] loaded = {{(SHIFT_BYTES*8-BEAT_BITS){1'b0}}, s_axis_kv_tdata[BEAT_BITS-1:0]} << {start_lane, 3'd0};
    wire [5:0]              tok = {{(6-TOK_W){1'b0}}, s_axis_kv_tuser[TOK_W-1:0]};
    wire                    firing_end = unit_end && firing_last_q;

    assign s_axis_step_tready = open_q && state_q == S_STEP;
    // After a firing's last unit nothing is taken before S_DONE.
    assign s_axis_kv_tready = state_q == S_WRITE && (!have_q || (unit_end && !firing_last_q));

    always @(posedge clk)
        if (rst || state_q == S_STEP) begin
            have_q <= 1'b0;
            unit_q <= 8'd0;
            lane_q <= 6'd0;
            head_word_q <= {ADDR_W{1'b0}};
            row_word_q <= {ADDR_W{1'b0}};
        end else begin
            have_q <= take || (have_q && !unit_end);
            if (take)
                unit_q <= unit_last ? 8'd0 : unit_q + 8'd1;
            if (have_q)
                lane_q <= unit_end ? start_lane : 6'd0;
            if (unit_end && unit_last_q) begin
                row_word_q <= {ADDR_W{1'b0}};
                if (token_last_q)
                    head_word_q <= head_word_q + HEAD_WORDS_32[ADDR_W-1:0];
            end else if (have_q && (!unit_end || row_full))
                row_word_q <= row_word_q + PARTS_32[ADDR_W-1:0];
        end

    always @(posedge clk)
        if (take) begin
            shift_q <= loaded;
            left_q <= unit_last ? LAST_UNIT_32[6:0] : XS_32[6:0];
            byte_q <= pos_q[5:0] + tok;
            unit_last_q <= unit_last;
            token_last_q <= s_axis_kv_tuser[TOK_W];
            firing_last_q <= s_axis_kv_tlast;
        end else begin
            shift_q <= shift_q >> (C * 8);
            left_q <= left_q - span;
        end

    // Write registers.
    reg  [C-1:0]      write_q;
    reg  [C*8-1:0]    write_data_q;
    reg  [ADDR_W-1:0] write_addr_q;
    reg  [5:0]        write_byte_q;
    wire [ADDR_W-1:0] row_addr = head_word_q + row_word_q;

    always @(posedge clk) begin
        write_data_q <= shift_q[C*8-1:0];
        write_addr_q <= PARTS == 2 ? {row_addr[ADDR_W-1:1], byte_q[5]} : row_addr;
        write_byte_q <= PARTS == 2 ? {1'b0, byte_q[4:0]} : byte_q;
        head_done <= !rst && unit_end && unit_last_q && token_last_q;
    end

    // ---- the lanes' RAMs ----
    reg  [ADDR_W-1:0]    out_word_q;           // next word of the write-out
    reg  [ADDR_W-1:0]    read_addr_q;
    reg  [C*BEAT_BITS-1:0] beat_q;
    always @(posedge clk)
        read_addr_q <= tail_en ? tail_addr[ADDR_W-1:0] : out_word_q;

    genvar c;
    generate
        for (c = 0; c < C; c = c + 1) begin : gen_lane
            localparam [31:0] INDEX = c;
            (* ram_style = RAM_STYLE *) reg [BEAT_BITS-1:0] mem [0:DEPTH-1];
            reg  [BEAT_BITS-1:0] word_q;
            wire [6:0]           element = INDEX[6:0] - {1'b0, lane_q};
            wire                 here = INDEX[6:0] >= {1'b0, lane_q} && element < left_q;
            integer              i;
            initial
                for (i = 0; i < DEPTH; i = i + 1)
                    mem[i] = {BEAT_BITS{1'b0}};
            always @(posedge clk) begin
                write_q[c] <= !rst && have_q && here;
                if (write_q[c])
                    for (i = 0; i < XS; i = i + 1)
                        if (write_byte_q == i[5:0])
                            mem[write_addr_q][8*i +: 8] <= write_data_q[8*c +: 8];
                word_q <= mem[read_addr_q];
                if (state_q == S_LOAD)
                    beat_q[c*BEAT_BITS +: BEAT_BITS] <= word_q;
            end
            assign tail_data[c*BEAT_BITS +: BEAT_BITS] = word_q;
        end
    endgenerate
    assign m_axis_beat_tdata = beat_q;

    // ---- writing out: read, wait, load, send ----
    reg  [C-1:0]   desc_valid_q;
    reg  [C-1:0]   beat_valid_q;
    reg  [39:0]    offset_q;
    reg  [39:0]    layer_offset_q;
    reg  [31:0]    words_q;                    // left to send in this layer
    reg            part_q;
    wire           sent = (desc_valid_q & ~m_axis_desc_tready) == {C{1'b0}} && (beat_valid_q & ~m_axis_beat_tready) == {C{1'b0}};
    wire           part_last = PARTS == 1 || part_q;
    wire           words_last = words_q == 32'd1;

    assign m_axis_desc_tvalid = desc_valid_q;
    assign m_axis_beat_tvalid = beat_valid_q;
    assign m_axis_desc_tdata = {PARTS_32[15:0], offset_q};

    always @(posedge clk) begin
        open_q <= !rst;
        layer_done <= !rst && state_q == S_DONE;
        if (rst)
            state_q <= S_STEP;
        else
            case (state_q)
                S_STEP: if (s_axis_step_tvalid && open_q) state_q <= S_WRITE;
                S_WRITE: if (firing_end) state_q <= closes_q ? S_READ : S_DONE;
                S_READ: if (!tail_en) state_q <= S_WAIT;
                S_WAIT: state_q <= S_LOAD;
                S_LOAD: state_q <= S_SEND;
                S_SEND: if (sent) state_q <= words_last ? S_DONE : S_READ;
                default: state_q <= layer_q == LAYERS_32[15:0] - 16'd1 ? S_STEP : S_WRITE;
            endcase
    end

    always @(posedge clk) begin
        if (rst) begin
            desc_valid_q <= {C{1'b0}};
            beat_valid_q <= {C{1'b0}};
        end else if (state_q == S_LOAD) begin
            desc_valid_q <= {C{!part_q}};
            beat_valid_q <= {C{1'b1}};
        end else begin
            desc_valid_q <= desc_valid_q & ~m_axis_desc_tready;
            beat_valid_q <= beat_valid_q & ~m_axis_beat_tready;
        end
    end

    wire [6:0] end_pos = {1'b0, s_axis_step_tdata[5:0]} + {3'd0, s_axis_step_tdata[19:16]};
    always @(posedge clk)
        if (state_q == S_STEP) begin
            pos_q <= s_axis_step_tdata[15:0];
            closes_q <= end_pos == 7'd64;
            layer_q <= 16'd0;
            layer_offset_q <= V_BASE + {24'd0, s_axis_step_tdata[15:6], 6'd0};
            out_word_q <= {ADDR_W{1'b0}};
        end else if (state_q == S_WRITE) begin
            offset_q <= layer_offset_q;
            words_q <= LAYER_WORDS_32;
            part_q <= 1'b0;
        end else if (state_q == S_SEND && sent) begin
            words_q <= words_q - 32'd1;
            out_word_q <= out_word_q + 1'b1;
            part_q <= !part_last;
            if (part_last)
                offset_q <= offset_q + V_ROW_STRIDE;
        end else if (state_q == S_DONE) begin
            layer_q <= layer_q + 16'd1;
            layer_offset_q <= layer_offset_q + V_LAYER_STRIDE;
        end

`ifdef RILL_ASSERT
    always @(posedge clk)
        if (!rst) begin
            if (state_q == S_STEP && s_axis_step_tvalid && end_pos > 7'd64) begin
                $display("%m: a step crosses a block of 64 positions");
                $stop;
            end
            if (take && s_axis_kv_tlast && !(unit_last && s_axis_kv_tuser[TOK_W])) begin
                $display("%m: a firing does not end with a head");
                $stop;
            end
        end
`endif

    wire unused = &{1'b0, s_axis_kv_tdata[32+BEAT_BITS-1:BEAT_BITS], s_axis_step_tdata[63:20], tail_addr, pos_q[15:6], next_lane[6], C_32,
                    RAM_STYLE, XS_32, LAST_UNIT_32, UNITS_32, HEAD_WORDS_32, PARTS_32, LAYERS_32};
endmodule

`default_nettype wire
