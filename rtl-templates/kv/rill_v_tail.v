// SPDX-License-Identifier: Apache-2.0
// Holds the open block of 64 positions of the V cache: stores the V of a step, sends it to the engine, and writes full
// blocks to memory, transposed.
//
// In: one step word per step (s_axis_step), then LAYERS firings of at most HEADS heads, as kv units {scale, q} in the
// order head, tok, unit in head. Element d of a head goes to lane d mod CHANNELS, row-step d / CHANNELS, byte (position
// mod 64). Rows of a layer: head * ROWS + row-step, ROWS = ceil(HEAD_DIM / CHANNELS). head_done: one pulse when all
// tokens of a (step, layer, head) are in.
// Read: tail_valid with tail_addr {layer[9:0], row[12:0], unit}. tail_data holds the beats of all lanes 4 cycles later.
// Bytes of positions that no step has had are 0, because the first position of a block clears its words. After a step
// with wrong drafts, bytes after the next step's last position may be those of the drafts. They do no harm, because
// their softmax weights are 0.
// Out: when a step fills the block, for each row one descriptor of 64 bytes, and its beats, at the offset in the
// channel
//     V_BASE + layer*V_LAYER_STRIDE + row*V_ROW_STRIDE + (pos / 64) * 64
// to all channels. If the last positions of the block were wrong drafts, a later step fills the block again and writes
// it again.
// *_tvalid and *_tready are packed, one bit per channel; the descriptor is shared, and each channel has its own beats
// (channel 0 low). Reads have priority. No V is taken in while rows are written out.
// layer_done: one pulse per (step, layer): when the channels have accepted its descriptors and beats, or, if the step
// does not fill the block, when its V has been taken in. given: one pulse for each descriptor that a channel has
// accepted; it comes after the layer_done of the previous layer, and at the latest with the layer_done of its own
// layer.
// READS: number of tail reads of a (step, layer). The V of a layer is taken in only when the previous step has made its
// reads of that layer, because the new V may clear the open block that these reads need. READS 0: the source of V keeps
// this order, because an engine that all products share computes V after these reads. With STEP_READS, READS is the
// total of all layers, because layers may make different numbers of reads. The V of a step then waits for all reads of
// the previous step. A step of one token makes READS_ALONE reads instead of READS, if READS_ALONE is not 0.
// PLACES above 0: a design with slots, so a step has a part for each request. The step words come from rill_part_steps,
// one per firing, that is, one per layer and part. The layer number in memory and in tail_addr is the field `place` of
// this word (slot * LAYERS + layer). layer_done comes after the last part of a layer. READS must be 0. (place_q is
// something else, a position in the block.)
// Throughput: UNITS + ROWS cycles per head and token, where UNITS = ceil(HEAD_DIM / XS) and XS = BEAT_BITS / 8. The
// first position of a block takes ROWS cycles more if beats have 256 bits. Writing out takes 6 cycles per beat.
// Reset: clk, synchronous active-high rst; the blocks are lost.
//
// name            meaning                                             unit      range
// CHANNELS        channels of the values engine                       channels  1 to 32
// BEAT_BITS       width of a beat                                     bits      256, 512
// TOKENS          tokens per step, upper bound                        tokens    1, 2, 4, 8
// LAYERS          layers that write V                                 layers    1 to 1024
// HEADS           KV heads of a layer; HEADS * ROWS up to 8192        heads     1 or more
// HEAD_DIM        elements of a head                                  elements  1 or more
// V_BASE          base of the V cache in a channel                    bytes     any
// V_LAYER_STRIDE  distance from a layer to the next                   bytes     any
// V_ROW_STRIDE    distance from a row to the next                     bytes     any
// READS           reads of the tail per (step, layer); 0: nothing     reads     0 or more
//                 waits for them
// STEP_READS      1: READS counts the reads of all layers of a step   -         0, 1
// READS_ALONE     reads per (step, layer) in a step of one token; 0:  reads     0 or more
//                 READS
// PLACES          layers of all slots; 0: a design without slots      layers    0 to 1024
// RAM_STYLE       style of the storage                                -         "auto", "distributed", "block", "ultra"
// ULTRA           lanes, from lane 0 on, that are in UltraRAM         lanes     0 to CHANNELS
//                 whatever RAM_STYLE is
// USER_W          width of tuser                                      bits      derived
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
    parameter READS = 0,
    parameter STEP_READS = 0,
    parameter READS_ALONE = 0,
    parameter PLACES = 0,
    parameter RAM_STYLE = "auto",
    parameter ULTRA = 0,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire                          clk,
    input  wire                          rst,

    input  wire                          s_axis_step_tvalid,
    output wire                          s_axis_step_tready,
    input  wire [63:0]                   s_axis_step_tdata,

    input  wire                          s_axis_kv_tvalid,
    output wire                          s_axis_kv_tready,
    input  wire [32+BEAT_BITS-1:0]       s_axis_kv_tdata,   // {scale[31:0], q}
    input  wire [USER_W-1:0]             s_axis_kv_tuser,   // {tok_last, tok}
    input  wire                          s_axis_kv_tlast,

    input  wire                          tail_valid,
    input  wire [23:0]                   tail_addr,
    output wire [CHANNELS*BEAT_BITS-1:0] tail_data,
    output reg                           head_done,

    output wire [CHANNELS-1:0]           m_axis_desc_tvalid,
    input  wire [CHANNELS-1:0]           m_axis_desc_tready,
    output wire [55:0]                   m_axis_desc_tdata, // {beats, offset}
    output wire [CHANNELS-1:0]           m_axis_beat_tvalid,
    input  wire [CHANNELS-1:0]           m_axis_beat_tready,
    output wire [CHANNELS*BEAT_BITS-1:0] m_axis_beat_tdata,

    output reg                           layer_done,
    output reg  [CHANNELS-1:0]           given
);
    `include "rill_fields.vh"
    localparam PLACE_W = 6;                              // width of a position's number in its block of 64
    localparam XS = BEAT_BITS > 0 ? BEAT_BITS / 8 : 1;
    localparam BYTE_W = BEAT_BITS == 512 ? 6 : 5;
    localparam ROWS = CHANNELS > 0 ? (HEAD_DIM + CHANNELS - 1) / CHANNELS : 1;
    localparam LAYER_ROWS = HEADS * ROWS;
    localparam UNITS = (HEAD_DIM + XS - 1) / XS;
    localparam BLOCK_BEATS = BEAT_BITS == 512 ? 1 : 2;
    localparam WORDS = (PLACES != 0 ? PLACES : LAYERS) * LAYER_ROWS * BLOCK_BEATS;
    localparam ADDR_W = WORDS > 1 ? $clog2(WORDS) : 1;
    localparam HELD = ROWS * CHANNELS > UNITS * XS ? ROWS * CHANNELS : UNITS * XS;     // bytes of a head
    localparam [31:0] ROW_END = ROWS - 1;
    localparam [31:0] ROWS_32 = ROWS;
    localparam [31:0] LAYER_ROWS_32 = LAYER_ROWS;
    localparam [31:0] LAYER_END = LAYERS - 1;
    localparam [31:0] UNIT_END = UNITS - 1;
    localparam [31:0] BLOCK_BEATS_32 = BLOCK_BEATS;

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
        if (LAYERS < 1 || LAYERS > 1024 || HEADS < 1 || HEAD_DIM < 1) begin : gen_bad_shape
            rill_error_LAYERS_must_be_1_to_1024_HEADS_and_HEAD_DIM_at_least_1 u_error ();
        end
        if (PLACES > 1024 || (PLACES != 0 && READS != 0)) begin : gen_bad_places
            rill_error_PLACES_must_be_1024_or_less_and_go_without_READS u_error ();
        end
        if ($signed(ULTRA) < 0 || ULTRA > CHANNELS) begin : gen_bad_ultra
            rill_error_ULTRA_must_be_0_to_CHANNELS u_error ();
        end
        if (LAYER_ROWS > 8192 || UNITS > 256) begin : gen_bad_rows
            rill_error_HEADS_times_rows_must_be_8192_or_less_units_of_a_head_256_or_less u_error ();
        end
    endgenerate

    // S_STEP waits for a step word. S_LOAD takes the units of a token's head, and S_SPREAD writes them, one row-step
    // after the other. Then S_ASK, S_WAIT and S_SEND write a full block to memory: each word is read from the RAM,
    // arrives, and is sent. S_LOAD and S_SPREAD have a bit of state_q each, so that no comparison is needed.
    localparam SPREADING = 2, LOADING = 3;
    localparam [3:0] S_STEP = 4'd0, S_ASK = 4'd1, S_WAIT = 4'd2, S_SEND = 4'd3;
    localparam [3:0] S_SPREAD = 4'd1 << SPREADING, S_LOAD = 4'd1 << LOADING;
    localparam [1:0] READ_DONE = 2'd2;       // value of wait_q when the word of the RAM arrives
    reg  [3:0]        state_q;
    reg  [3:0]        state_d;
    reg               step_ready_q;          // state_q is S_STEP; a register, as it drives another module
    reg [PLACE_W-1:0] pos_q;                 // position of the step's first token in its block
    reg  [33:0]       block_q;               // bytes of a row in all earlier blocks
    reg               closing_q;             // the step fills the block
    reg  [15:0]       layer_q;
    reg  [39:0]       layer_base_q;
    reg  [31:0]       head_row_q;            // number of the head's first row, counted over all layers
    reg  [31:0]       layer_row_q;           // number of the layer's first row
    reg  [7:0]        unit_q;
    reg  [12:0]       row_q;                 // row-step
    reg  [HELD*8-1:0] held_q;
    reg [PLACE_W-1:0] place_q;               // the token's position in the block (no place of a layer)
    reg               token_last_q;
    reg               firing_last_q;
    reg  [12:0]       taken_q;               // rows of this layer that were taken in and must be written out

    wire              loading = state_q[LOADING];
    wire              spreading = state_q[SPREADING];
    wire              take = s_axis_kv_tvalid && s_axis_kv_tready;
    wire              unit_last = unit_q == UNIT_END[7:0];
    wire              row_last = row_q == ROW_END[12:0];
    reg               second_q; // the second word of a row-step is cleared now; only for the first position of a block
    wire              opening = place_q == 6'd0;
    wire              row_end = spreading && (BLOCK_BEATS == 1 || !opening || second_q);
    wire              token_end = row_end && row_last;
    wire              head_end = token_end && token_last_q;
    wire              layer_end = head_end && firing_last_q;
    wire [6:0]        step_end = {1'b0, s_axis_step_tdata[STEP_POS +: PLACE_W]}
        + {3'd0, s_axis_step_tdata[STEP_NTOK +: STEP_NTOK_W]};
    wire [5:0]        tok = {{(7-USER_W){1'b0}}, s_axis_kv_tuser[USER_W-2:0]};
    wire              last_layer = PLACES != 0 || layer_q == LAYER_END[15:0]; // the next firing has another step word
    reg  [9:0]        layer_place_q;         // PLACES: place of the layer, slot * LAYERS + layer
    reg               more_q;                // another part of the layer follows
    reg  [2:0]        settle_q;              // not 0: place_rows_q and place_bytes_q are not valid yet
    wire              ends_layer = PLACES == 0 || !more_q;

    // Writing out to memory.
    reg  [12:0]         out_row_q;
    reg                 out_unit_q;          // with beats of 256 bits: which half of the row
    reg  [39:0]         out_offset_q;
    reg  [1:0]          wait_q;
    reg  [CHANNELS-1:0] desc_valid_q;
    reg  [CHANNELS-1:0] beat_valid_q;
    wire                read_busy;           // the engine uses the RAM
    wire                ahead;               // the reads of this layer by the previous step are not over
    wire                ask = state_q == S_ASK && !read_busy;
    wire                arrive = state_q == S_WAIT && wait_q == READ_DONE;
    wire                sent = state_q == S_SEND && desc_valid_q == {CHANNELS{1'b0}}
        && beat_valid_q == {CHANNELS{1'b0}};
    wire                out_unit_last = BLOCK_BEATS == 1 || out_unit_q;
    reg                 out_last_q;          // last row of the layer
    wire                out_end = sent && out_unit_last && out_last_q;

    assign s_axis_step_tready = step_ready_q;
    assign s_axis_kv_tready = loading && !ahead && !(PLACES != 0 && settle_q != 3'd0);
    assign m_axis_desc_tvalid = desc_valid_q;
    assign m_axis_beat_tvalid = beat_valid_q;
    assign m_axis_desc_tdata = {BLOCK_BEATS_32[15:0], out_offset_q};

    always @* begin
        state_d = state_q;
        case (state_q)
            S_STEP: if (s_axis_step_tvalid && step_ready_q) state_d = S_LOAD;
            S_LOAD: if (take && unit_last) state_d = S_SPREAD;
            S_SPREAD: if (layer_end) state_d = closing_q ? S_ASK : last_layer ? S_STEP : S_LOAD;
                      else if (token_end) state_d = S_LOAD;
            S_ASK: if (ask) state_d = S_WAIT;
            S_WAIT: if (arrive) state_d = S_SEND;
            default: if (out_end) state_d = last_layer ? S_STEP : S_LOAD;
                     else if (sent) state_d = S_ASK;
        endcase
    end
    // Copies of S_LOAD and S_SPREAD for the registers of the head's bytes and of writes.
    wire filling;
    wire moving;
    rill_register_copies #(.DATA_W(2), .COPIES(1)) u_filling (
        .clk(clk), .rst(rst), .d({state_d[LOADING], state_d[SPREADING]}),
        .q({filling, moving}));
    wire move_row = moving && (BLOCK_BEATS == 1 || !opening || second_q); // copy of row_end

    always @(posedge clk) begin
        step_ready_q <= !rst && state_d == S_STEP;
        state_q <= rst ? S_STEP : state_d;
        head_done <= !rst && head_end;
        layer_done <= !rst && ((layer_end && !closing_q) || out_end) && ends_layer;
        given <= rst ? {CHANNELS{1'b0}} : desc_valid_q & m_axis_desc_tready;
    end

    // ---- input ----
    reg  [31:0] place_rows_q;                // PLACES: rows before those of the layer's place, over all slots
    reg  [39:0] place_bytes_q;               // PLACES: bytes from V_BASE to the place
    always @(posedge clk) begin
        if (state_q == S_STEP) begin
            layer_place_q <= s_axis_step_tdata[PART_PLACE +: PART_PLACE_W];
            more_q <= s_axis_step_tdata[PART_MORE];
        end
        settle_q <= state_q == S_STEP ? 3'b111 : {1'b0, settle_q[2:1]};
        place_rows_q <= {22'd0, layer_place_q} * LAYER_ROWS_32;
        place_bytes_q <= {30'd0, layer_place_q} * V_LAYER_STRIDE;
    end
    wire layer_over = (layer_end && !closing_q) || out_end;
    always @(posedge clk) begin
        if (state_q == S_STEP) begin
            pos_q <= s_axis_step_tdata[STEP_POS +: PLACE_W];
            block_q <= {12'd0, s_axis_step_tdata[STEP_VBLOCKS +: STEP_VBLOCKS_W], 6'd0};
            closing_q <= step_end == 7'd64;
            layer_q <= 16'd0;
            layer_base_q <= V_BASE;
            head_row_q <= 32'd0;
            layer_row_q <= 32'd0;
            unit_q <= 8'd0;
        end else if (PLACES != 0 && settle_q == 3'b001) begin
            layer_base_q <= V_BASE + place_bytes_q;
            head_row_q <= place_rows_q;
            layer_row_q <= place_rows_q;
        end
        if (take) begin
            unit_q <= unit_last ? 8'd0 : unit_q + 8'd1;
            place_q <= pos_q + tok;
            token_last_q <= s_axis_kv_tuser[USER_W-1];
            firing_last_q <= s_axis_kv_tlast;
        end
        row_q <= state_q != S_SPREAD ? 13'd0 : row_end ? row_q + 13'd1 : row_q;
        second_q <= state_q == S_SPREAD && !row_end;
        if (head_end)
            head_row_q <= head_row_q + ROWS_32;
        taken_q <= layer_over || state_q == S_STEP ? 13'd0 : head_end ? taken_q + ROWS_32[12:0] : taken_q;
        if (layer_over) begin
            head_row_q <= layer_row_q + LAYER_ROWS_32;
            layer_q <= layer_q + 16'd1;
            layer_base_q <= layer_base_q + V_LAYER_STRIDE;
            layer_row_q <= layer_row_q + LAYER_ROWS_32;
        end
    end

    // The bytes of a head. In S_SPREAD the low CHANNELS bytes are a row-step.
    genvar u;
    generate
        for (u = 0; u < HELD / XS + 1; u = u + 1) begin : gen_unit
            localparam [31:0] INDEX = u;
            localparam WIDTH = HELD - u * XS < XS ? HELD - u * XS : XS;
            if (WIDTH > 0) begin : gen_bytes
                wire [WIDTH*8-1:0] shifted;
                if (u * XS + WIDTH + CHANNELS <= HELD) begin : gen_full
                    assign shifted = held_q[(u*XS+CHANNELS)*8 +: WIDTH*8];
                end else if (u * XS + CHANNELS < HELD) begin : gen_part
                    assign shifted = {{((u*XS+WIDTH+CHANNELS-HELD)*8){1'b0}}, held_q[HELD*8-1:(u*XS+CHANNELS)*8]};
                end else begin : gen_none
                    assign shifted = {(WIDTH*8){1'b0}};
                end
                always @(posedge clk)
                    if (filling) begin                             // also before a unit is taken
                        if (unit_q == INDEX[7:0])
                            held_q[u*XS*8 +: WIDTH*8] <= s_axis_kv_tdata[WIDTH*8-1:0];
                        else if (u >= UNITS)
                            held_q[u*XS*8 +: WIDTH*8] <= {(WIDTH*8){1'b0}};
                    end else if (move_row)
                        held_q[u*XS*8 +: WIDTH*8] <= shifted;
            end
        end
    endgenerate

    // The write comes one cycle after the row-step was chosen, to one word and byte in all lanes. The first position of
    // a block is byte 0 of its words, and its write clears the other bytes.
    wire [31:0]           write_row = head_row_q + {19'd0, row_q};
    wire [31:0]           write_word = BLOCK_BEATS == 1 ? write_row : {write_row[30:0], place_q[PLACE_W-1] || second_q};
    reg  [CHANNELS*8-1:0] write_first_q;
    reg  [CHANNELS*8-1:0] write_rest_q;
    always @(posedge clk) begin
        write_first_q <= second_q ? {CHANNELS{8'd0}} : held_q[CHANNELS*8-1:0];
        write_rest_q <= opening ? {CHANNELS{8'd0}} : held_q[CHANNELS*8-1:0];
    end

    // ---- reads: two cycles from {layer, row} to the address of a word, then two cycles of the RAM ----
    reg                   read1_q;
    reg                   unit1_q;
    reg  [31:0]           layer1_q;
    reg  [12:0]           row1_q;
    wire [31:0]           read_row = layer1_q + {19'd0, row1_q};
    wire [31:0]           read_word = BLOCK_BEATS == 1 ? read_row : {read_row[30:0], unit1_q};
    wire [31:0]           out_row = layer_row_q + {19'd0, out_row_q};
    wire [31:0]           out_word = BLOCK_BEATS == 1 ? out_row : {out_row[30:0], out_unit_q};
    assign read_busy = read1_q;
    always @(posedge clk) begin
        read1_q <= tail_valid && !rst;
        unit1_q <= tail_addr[VTAIL_UNIT];
        row1_q <= tail_addr[VTAIL_ROW +: VTAIL_ROW_W];
        layer1_q <= {22'd0, tail_addr[VTAIL_LAYER +: VTAIL_LAYER_W]} * LAYER_ROWS_32;
    end

    // Copies: one address for 8 lanes, and one enable of the output register for each lane.
    localparam GROUPS = (CHANNELS + 7) / 8;
    // Bytes that a write changes: the token's byte, or all bytes of a word that is cleared.
    wire [XS-1:0] write_enable;
    genvar b;
    generate
        for (b = 0; b < XS; b = b + 1) begin : gen_byte
            localparam [31:0] BYTE = b;
            wire              own = place_q[BYTE_W-1:0] == BYTE[BYTE_W-1:0];
            assign write_enable[b] = moving && (opening || own);
        end
    endgenerate
    localparam WRITE_ADDR = 0, WRITE_ENABLE = ADDR_W, WRITE_W = ADDR_W + XS;
    wire [GROUPS*WRITE_W-1:0] writes;
    wire [GROUPS*ADDR_W-1:0]  read_addrs;
    wire [CHANNELS-1:0]       arrives;
    rill_register_copies #(.DATA_W(WRITE_W), .COPIES(GROUPS)) u_writes (
        .clk(clk), .rst(rst), .d({write_enable, write_word[ADDR_W-1:0]}), .q(writes));
    rill_register_copies #(.DATA_W(ADDR_W), .COPIES(GROUPS)) u_reads (
        .clk(clk), .rst(rst), .d(read1_q ? read_word[ADDR_W-1:0] : out_word[ADDR_W-1:0]), .q(read_addrs));
    rill_register_copies #(.DATA_W(1), .COPIES(CHANNELS)) u_arrives (
        .clk(clk), .rst(rst), .d(state_q == S_WAIT && wait_q == READ_DONE - 2'd1), .q(arrives));

    genvar c;
    generate
        for (c = 0; c < CHANNELS; c = c + 1) begin : gen_lane
            localparam GROUP = c / 8;
            wire [WRITE_W-1:0]   mine = writes[GROUP*WRITE_W +: WRITE_W];
            wire [BEAT_BITS-1:0] data;
            reg  [BEAT_BITS-1:0] out_q;
            if (c < ULTRA) begin : gen_ultra
                rill_v_tail_ram #(.BEAT_BITS(BEAT_BITS), .WORDS(WORDS), .RAM_STYLE("ultra")) u_ram (
                    .clk(clk), .write_enable(mine[WRITE_ENABLE +: XS]), .write_addr(mine[WRITE_ADDR +: ADDR_W]),
                    .write_first(write_first_q[c*8 +: 8]), .write_rest(write_rest_q[c*8 +: 8]),
                    .read_addr(read_addrs[GROUP*ADDR_W +: ADDR_W]), .read_data(data));
            end else begin : gen_style
                rill_v_tail_ram #(.BEAT_BITS(BEAT_BITS), .WORDS(WORDS), .RAM_STYLE(RAM_STYLE)) u_ram (
                    .clk(clk), .write_enable(mine[WRITE_ENABLE +: XS]), .write_addr(mine[WRITE_ADDR +: ADDR_W]),
                    .write_first(write_first_q[c*8 +: 8]), .write_rest(write_rest_q[c*8 +: 8]),
                    .read_addr(read_addrs[GROUP*ADDR_W +: ADDR_W]), .read_data(data));
            end
            always @(posedge clk)
                if (arrives[c])
                    out_q <= data;
            assign tail_data[c*BEAT_BITS +: BEAT_BITS] = data;
            assign m_axis_beat_tdata[c*BEAT_BITS +: BEAT_BITS] = out_q;

            always @(posedge clk)
                if (rst) begin
                    desc_valid_q[c] <= 1'b0;
                    beat_valid_q[c] <= 1'b0;
                end else begin
                    if (arrive)
                        desc_valid_q[c] <= !out_unit_q;
                    else if (m_axis_desc_tready[c])
                        desc_valid_q[c] <= 1'b0;
                    if (arrive)
                        beat_valid_q[c] <= 1'b1;
                    else if (m_axis_beat_tready[c])
                        beat_valid_q[c] <= 1'b0;
                end
        end
    endgenerate

    // unread_q: layers (with STEP_READS: steps) whose V was taken in and has not been read since. If all layers are
    // unread, so is the layer that comes in next. Its V of the previous step must be read first, so the input waits.
    generate
        if (READS > 0) begin : gen_reads
            localparam [31:0] READ_END = READS - 1;
            localparam [31:0] ALL_LAYERS = STEP_READS != 0 ? 1 : LAYERS;
            reg  [31:0] read_q;
            reg  [10:0] unread_q;
            wire [31:0] read_end;
            wire        layer_read = read1_q && read_q == read_end;
            wire        layer_in = layer_end && (STEP_READS == 0 || last_layer);
            assign ahead = unread_q == ALL_LAYERS[10:0];
            always @(posedge clk)
                if (rst) begin
                    read_q <= 32'd0;
                    unread_q <= 11'd0;
                end else begin
                    if (read1_q)
                        read_q <= layer_read ? 32'd0 : read_q + 32'd1;
                    if (layer_in != layer_read)
                        unread_q <= layer_in ? unread_q + 11'd1 : unread_q - 11'd1;
                end
            // The step that comes in is the step that is read, or the next one. So one bit is enough to number steps.
            if (READS_ALONE > 0) begin : gen_alone
                localparam [31:0] ALONE_END = READS_ALONE - 1;
                reg  [1:0]  alone_q;         // for steps of even and odd number: the step has one token
                reg         in_q;            // number of the step that comes in next
                reg         out_q;           // number of the step that is read
                reg  [10:0] layer_read_q;    // layers of that step that have been read
                wire        step_read = layer_read && layer_read_q == ALL_LAYERS[10:0] - 11'd1;
                wire        step_in = s_axis_step_tvalid && s_axis_step_tready;
                assign read_end = alone_q[out_q] ? ALONE_END : READ_END;
                always @(posedge clk)
                    if (rst) begin
                        in_q <= 1'b0;
                        out_q <= 1'b0;
                        layer_read_q <= 11'd0;
                    end else begin
                        in_q <= in_q ^ step_in;
                        out_q <= out_q ^ step_read;
                        if (layer_read) layer_read_q <= step_read ? 11'd0 : layer_read_q + 11'd1;
                    end
                always @(posedge clk)
                    if (step_in) alone_q[in_q] <= s_axis_step_tdata[STEP_NTOK +: STEP_NTOK_W] == 4'd1;
            end else begin : gen_alike
                assign read_end = READ_END;
            end
            wire unused_layers = &{1'b0, ALL_LAYERS};
        end else begin : gen_no_reads
            assign ahead = 1'b0;
        end
    endgenerate

    // ---- output to memory, row by row ----
    always @(posedge clk) begin
        if (state_q == S_SPREAD) begin
            out_row_q <= 13'd0;
            out_unit_q <= 1'b0;
            out_offset_q <= layer_base_q + {6'd0, block_q};
        end else if (sent) begin
            out_unit_q <= !out_unit_last;
            if (out_unit_last) begin
                out_row_q <= out_row_q + 13'd1;
                out_offset_q <= out_offset_q + V_ROW_STRIDE;
            end
        end
        out_last_q <= out_row_q == taken_q - 13'd1;
        wait_q <= state_q == S_WAIT ? wait_q + 2'd1 : 2'd0;
    end

`ifdef RILL_ASSERT
    reg [15:0] heads_q;
    always @(posedge clk) begin
        if (rst || layer_end)
            heads_q <= 16'd0;
        else if (head_end)
            heads_q <= heads_q + 16'd1;
        if (!rst && head_end && !firing_last_q && {16'd0, heads_q} + 32'd1 >= HEADS) begin
            $display("%m: a firing has more heads");
            $stop;
        end
        if (!rst && state_q == S_STEP && s_axis_step_tvalid && step_end > 7'd64) begin
            $display("%m: a step crosses a block of 64 positions");
            $stop;
        end
    end
`endif

    wire unused = &{1'b0, s_axis_kv_tdata[BEAT_BITS +: 32], s_axis_step_tdata, write_word, read_word,
                    out_word, unit1_q, second_q, ROW_END, LAYER_END, UNIT_END, BLOCK_BEATS_32, place_q,
                    layer_place_q, more_q, settle_q, place_rows_q, place_bytes_q};
endmodule

`default_nettype wire
