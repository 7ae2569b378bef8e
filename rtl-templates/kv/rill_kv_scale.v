// SPDX-License-Identifier: Apache-2.0
// Stores the scales of the keys or values on chip, one fp32 per layer, head and position, and sends them to softmax in
// words of LANES scales.
//
// In: one step word per step, then LAYERS firings of kv units {scale[31:0], q[BEAT_BITS-1:0]} in order head, tok, unit
// in head. The scale of unit 0 is stored at position pos + tok.
// Out (tdata only): for each (layer, head) in order, the words of positions 0 .. pos + ntok - 1, element 0 low; lanes
// past the last position are +0.0. The words start when the scales of all tokens of that (layer, head) are in. With
// grouped queries, every head is sent REPLAYS times, once for each query head that reads it. In a step of one token, it
// is sent REPLAYS / TOGETHER times, because TOGETHER query heads share a pass. With WINDOW, the words begin at the
// position that rill_window_begin gives, which is at or before the start of the layer's window.
// PLACES above 0 (slots): the step words come from rill_part_steps, one per firing of HEADS heads. The layer is the
// word's place.
// Throughput: one unit and one word per cycle; with WINDOW, two cycles more per layer. Units may run up to one step
// ahead of the words. Latency: 6 cycles from the last unit of a head to its first word. Reset: clk, synchronous
// active-high rst; the RAM keeps its contents.
//
// name          meaning                                              unit       range
// LANES         fp32 per word                                        elements   1, 2, 4, 8, 16, 32
// TOKENS        tokens per step, upper bound                         tokens     1 to 8
// BEAT_BITS     width of a beat                                      bits       256, 512
// LAYERS        firings per step                                     firings    1 or more
// HEADS         heads of a firing                                    heads      1 or more
// UNITS         units of a head and token                            units      1 or more
// CONTEXT       positions of the longest request                     positions  1 to 65536
// REPLAYS       times that the words of a head are sent              times      1 to 255
// TOGETHER      query heads that read the words together in a step   heads      1 or more
//               of one token, divides REPLAYS
// PLACES        layers of all slots; 0: a design without slots       layers     0 to 1024
// RAM_STYLE     style of the storage                                 -          "auto", "distributed", "block", "ultra"
// KEY_CHANNELS  channels of the scores engine                        channels   1 to 32
// WINDOWS       entries of WINDOW: 1 for all layers, or one per      entries    1 to LAYERS
//               layer
// WINDOW        positions a token attends to, including its own; 16  positions  any
//               bits per entry, the first low; 0: no window
// USER_W        width of tuser                                       bits       derived
`default_nettype none

module rill_kv_scale #(
    parameter LANES = 0,
    parameter TOKENS = 0,
    parameter BEAT_BITS = 0,
    parameter LAYERS = 0,
    parameter HEADS = 0,
    parameter UNITS = 0,
    parameter CONTEXT = 0,
    parameter REPLAYS = 1,
    parameter TOGETHER = 1,
    parameter PLACES = 0,
    parameter RAM_STYLE = "auto",
    parameter KEY_CHANNELS = 1,
    parameter WINDOWS = 1,
    parameter [WINDOWS*16-1:0] WINDOW = 0,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire                    clk,
    input  wire                    rst,

    input  wire                    s_axis_step_tvalid,
    output wire                    s_axis_step_tready,
    input  wire [63:0]             s_axis_step_tdata,

    input  wire                    s_axis_kv_tvalid,
    output wire                    s_axis_kv_tready,
    input  wire [BEAT_BITS+32-1:0] s_axis_kv_tdata,
    input  wire [USER_W-1:0]       s_axis_kv_tuser,
    input  wire                    s_axis_kv_tlast,

    output wire                    m_axis_scale_tvalid,
    input  wire                    m_axis_scale_tready,
    output wire [LANES*32-1:0]     m_axis_scale_tdata
);
    `include "rill_fields.vh"
    generate
        if (LANES != 1 && LANES != 2 && LANES != 4 && LANES != 8 && LANES != 16 && LANES != 32) begin : gen_bad_lanes
            rill_error_LANES_must_be_a_power_of_two_up_to_32 u_error ();
        end
        if (TOKENS < 1 || TOKENS > 8) begin : gen_bad_tokens
            rill_error_TOKENS_must_be_1_to_8 u_error ();
        end
        if (BEAT_BITS != 256 && BEAT_BITS != 512) begin : gen_bad_beat
            rill_error_BEAT_BITS_must_be_256_or_512 u_error ();
        end
        if (TOGETHER < 1 || REPLAYS % TOGETHER != 0) begin : gen_bad_together
            rill_error_TOGETHER_must_divide_REPLAYS u_error ();
        end
        if (PLACES != 0 && (WINDOW != 0 || TOGETHER != 1)) begin : gen_bad_places
            rill_error_PLACES_go_without_WINDOW_and_TOGETHER u_error ();
        end
        if (LAYERS < 1 || HEADS < 1 || UNITS < 1) begin : gen_bad_counts
            rill_error_LAYERS_HEADS_and_UNITS_must_be_at_least_1 u_error ();
        end
        if (CONTEXT < 1 || CONTEXT > 65536) begin : gen_bad_context
            rill_error_CONTEXT_must_be_1_to_65536 u_error ();
        end
    endgenerate

    localparam LANES_1 = LANES > 0 ? LANES : 1;
    localparam LEVELS = $clog2(LANES_1);
    localparam LANE_W = LEVELS > 0 ? LEVELS : 1;
    localparam CHUNKS = (CONTEXT + LANES_1 - 1) / LANES_1;
    localparam FIRES = PLACES != 0 ? HEADS : LAYERS * HEADS; // (layer, head) pairs of a step word
    localparam WORDS = (PLACES != 0 ? PLACES : LAYERS) * HEADS * CHUNKS;
    localparam [31:0] LAYER_WORDS = HEADS * CHUNKS;
    localparam ADDR_W = $clog2(WORDS + 1);
    localparam INDEX_W = WORDS > 1 ? $clog2(WORDS) : 1;
    localparam FIRE_W = $clog2(FIRES + 1);
    localparam UNIT_W = $clog2(UNITS + 1);
    localparam TOK_W = USER_W - 1;
    localparam [31:0] CHUNKS_32 = CHUNKS;
    localparam [31:0] LAST_FIRE = FIRES - 1;
    localparam [31:0] LAST_UNIT = UNITS - 1;
    localparam [31:0] LANES_32 = LANES;
    localparam [16:0] LANES_17 = LANES_32[16:0];

    // ---- scales in ----
    reg               w_have_q;                            // scales of a step are being written
    reg               next_q;                              // next_size_q and next_together_q wait for the reader
    reg  [15:0]       pos_q;
    reg  [16:0]       next_size_q;
    reg               next_together_q;
    reg  [ADDR_W-1:0] w_base_q;                            // first word of the (layer, head)
    reg  [FIRE_W-1:0] w_fire_q;
    reg  [UNIT_W-1:0] unit_q;
    wire              unit_last = unit_q == LAST_UNIT[UNIT_W-1:0];
    wire              w_take = s_axis_kv_tvalid && s_axis_kv_tready;
    wire              head_end = w_take && unit_last && s_axis_kv_tuser[TOK_W];
    wire              w_end = head_end && w_fire_q == LAST_FIRE[FIRE_W-1:0];
    wire              step_take = s_axis_step_tvalid && s_axis_step_tready;
    wire              r_take;                              // the reader takes next_size_q
    // place is the position of the word's token. place_q and place_words are something else: the layer's place among
    // those of all slots, and the words before it.
    wire [16:0]       place = {1'b0, pos_q} + {{(17-TOK_W){1'b0}}, s_axis_kv_tuser[TOK_W-1:0]};
    wire [16:0]       w_chunk = place >> LEVELS;

    // With PLACES, the layer's first word is known one cycle after its step word.
    reg               begin_q;
    reg  [9:0]        place_q;
    reg  [ADDR_W-1:0] next_base_q;
    wire [31:0]       place_words = {22'd0, place_q} * LAYER_WORDS;
    wire              step_begins = PLACES != 0 ? begin_q : step_take;
    always @(posedge clk) begin
        begin_q <= step_take && !rst;
        if (step_take) place_q <= s_axis_step_tdata[PART_PLACE +: PART_PLACE_W];
        if (begin_q) next_base_q <= place_words[ADDR_W-1:0];
    end

    assign s_axis_step_tready = !w_have_q && !next_q && !(PLACES != 0 && begin_q) && !rst;
    assign s_axis_kv_tready = w_have_q && !rst;

    always @(posedge clk)
        if (rst) begin
            w_have_q <= 1'b0;
            next_q <= 1'b0;
            w_base_q <= {ADDR_W{1'b0}};
            w_fire_q <= {FIRE_W{1'b0}};
            unit_q <= {UNIT_W{1'b0}};
        end else begin
            w_have_q <= step_begins || (w_have_q && !w_end);
            next_q <= step_begins || (next_q && !r_take);
            if (w_take) unit_q <= unit_last ? {UNIT_W{1'b0}} : unit_q + 1'b1;
            if (head_end) begin
                w_base_q <= w_end ? {ADDR_W{1'b0}} : w_base_q + CHUNKS_32[ADDR_W-1:0];
                w_fire_q <= w_end ? {FIRE_W{1'b0}} : w_fire_q + 1'b1;
            end else if (PLACES != 0 && begin_q)
                w_base_q <= place_words[ADDR_W-1:0];
        end
    always @(posedge clk)
        if (step_take) begin
            pos_q <= s_axis_step_tdata[STEP_POS +: STEP_POS_W];
            next_size_q <= {1'b0, s_axis_step_tdata[STEP_POS +: STEP_POS_W]}
                + {13'd0, s_axis_step_tdata[STEP_NTOK +: STEP_NTOK_W]};
            next_together_q <= TOGETHER > 1 && s_axis_step_tdata[STEP_NTOK +: STEP_NTOK_W] == 4'd1;
        end

    reg               write_q;
    reg  [ADDR_W-1:0] write_addr_q;
    reg  [LANE_W-1:0] write_lane_q;
    reg  [31:0]       write_data_q;
    reg               filled_q;                            // the (layer, head) is complete after this write
    always @(posedge clk)
        if (rst) begin
            write_q <= 1'b0;
            filled_q <= 1'b0;
        end else begin
            write_q <= w_take && unit_q == {UNIT_W{1'b0}};
            filled_q <= head_end;
        end
    always @(posedge clk) begin
        write_addr_q <= w_base_q + w_chunk[ADDR_W-1:0];
        write_lane_q <= LEVELS == 0 ? {LANE_W{1'b0}} : place[LANE_W-1:0];
        write_data_q <= s_axis_kv_tdata[BEAT_BITS +: 32];
    end

    // ---- words out ----
    localparam COUNT_W = FIRE_W + 1;
    reg                room_q;                             // the FIFO has a place for a word that is read
    // Complete (layer, head) pairs that have not been sent completely.
    reg  [COUNT_W-1:0] ready_q;
    reg                some_q;                             // ready_q is not 0
    reg                want_q;                             // ready_q is not 0, and r_have_q
    reg                r_have_q;                           // words of a step are being read
    reg  [16:0]        size_q;                             // positions of the step
    reg  [16:0]        left_q;                             // positions from the present word to the end
    reg  [ADDR_W-1:0]  r_base_q;
    wire [ADDR_W-1:0]  r_addr_q;
    wire [ADDR_W-1:0]  read_addr;                          // copy of r_addr_q, for the memories alone
    reg  [ADDR_W-1:0]  r_addr_d;
    reg  [FIRE_W-1:0]  r_fire_q;
    wire               loaded;                             // r_addr_q and left_q belong to the present layer
    wire               load;
    wire [16:0]        skip;                               // positions before the first word
    wire [16:0]        layer_size = size_q - skip;
    wire [16:0]        skip_words = skip >> LEVELS;
    wire               want = loaded && want_q;
    wire               issue = room_q && want;
    wire               r_last = left_q <= LANES_17;
    localparam [31:0]  LAST_REPLAY = REPLAYS - 1;
    reg  [7:0]         replay_q;                           // times that the present head has been sent
    localparam [31:0]  LAST_TOGETHER = REPLAYS / TOGETHER - 1;
    reg                together_q;                         // the step that is read has one token
    wire               r_again = replay_q != (TOGETHER > 1 && together_q ? LAST_TOGETHER[7:0] : LAST_REPLAY[7:0]);
    wire               r_done = issue && r_last && !r_again;
    wire               r_end = r_done && r_fire_q == LAST_FIRE[FIRE_W-1:0];
    wire [ADDR_W-1:0]  r_base_next = r_fire_q == LAST_FIRE[FIRE_W-1:0] ? {ADDR_W{1'b0}} : r_base_q
        + CHUNKS_32[ADDR_W-1:0];
    wire               have_d = r_take || (r_have_q && !r_end);
    wire               some_d = filled_q || (r_done ? ready_q[COUNT_W-1:1] != {(COUNT_W-1){1'b0}} : some_q);
    assign r_take = next_q && !r_have_q;

    always @* begin
        r_addr_d = r_addr_q;
        if (PLACES != 0 && r_take)
            r_addr_d = next_base_q;
        else if (load)
            r_addr_d = r_base_q + skip_words[ADDR_W-1:0];
        else if (issue)
            r_addr_d = !r_last ? r_addr_q + 1'b1 : (r_again ? r_base_q : r_base_next) + skip_words[ADDR_W-1:0];
    end
    rill_register_copies #(.DATA_W(ADDR_W), .COPIES(2)) u_addr (.clk(clk), .rst(rst), .d(r_addr_d),
        .q({read_addr, r_addr_q}));

    always @(posedge clk)
        if (rst) begin
            ready_q <= {COUNT_W{1'b0}};
            some_q <= 1'b0;
            want_q <= 1'b0;
            r_have_q <= 1'b0;
            r_base_q <= {ADDR_W{1'b0}};
            r_fire_q <= {FIRE_W{1'b0}};
            replay_q <= 8'd0;
        end else begin
            ready_q <= ready_q + {{(COUNT_W-1){1'b0}}, filled_q} - {{(COUNT_W-1){1'b0}}, r_done};
            some_q <= some_d;
            want_q <= some_d && have_d;
            r_have_q <= have_d;
            if (issue && r_last) replay_q <= r_again ? replay_q + 8'd1 : 8'd0;
            if (r_done) begin
                r_base_q <= r_base_next;
                r_fire_q <= r_end ? {FIRE_W{1'b0}} : r_fire_q + 1'b1;
            end else if (PLACES != 0 && r_take)
                r_base_q <= next_base_q;
        end
    always @(posedge clk)
        if (r_take) begin
            size_q <= next_size_q;
            together_q <= next_together_q;
            left_q <= next_size_q;
        end else if (load)
            left_q <= layer_size;
        else if (issue)
            left_q <= r_last ? layer_size : left_q - LANES_17;

    generate
        if (WINDOW == 0) begin : gen_from_0
            assign {loaded, load, skip} = {2'b10, 17'd0};
        end else begin : gen_from_window
            localparam HEAD_W = HEADS > 1 ? $clog2(HEADS) : 1;
            localparam [31:0] LAST_HEAD = HEADS - 1;
            reg  [HEAD_W-1:0] head_q;
            reg               loaded_q;
            reg               look_q;                      // skip_q has just changed
            wire              look = !loaded_q && !look_q;
            reg  [15:0]       skip_q;
            wire              found;
            wire              ready;
            wire [15:0]       begins;
            wire [15:0]       from;
            wire              head_last = head_q == LAST_HEAD[HEAD_W-1:0];
            rill_window_steps #(.KEY_CHANNELS(KEY_CHANNELS), .LAYERS(LAYERS), .WINDOWS(WINDOWS),
                .WINDOW(WINDOW)) u_begins (.clk(clk), .rst(rst), .s_valid(r_take), .s_ready(ready), .s_pos(pos_q),
                .m_valid(found), .m_ready(look), .m_begin(begins), .m_pos(from));
            assign loaded = loaded_q;
            assign load = look_q;
            assign skip = {1'b0, skip_q};
            always @(posedge clk)
                if (rst) begin
                    loaded_q <= 1'b0;
                    look_q <= 1'b0;
                    head_q <= {HEAD_W{1'b0}};
                end else begin
                    look_q <= look && found;
                    loaded_q <= look_q || (loaded_q && !(r_done && head_last));
                    if (r_done) head_q <= head_last ? {HEAD_W{1'b0}} : head_q + 1'b1;
                end
            always @(posedge clk) if (look) skip_q <= begins;
            wire unused_begins = &{1'b0, ready, from, LAST_HEAD};
        end
    endgenerate

    // A word that is read arrives READ_STAGES cycles later in a FIFO, which has room for all words on their way. So a
    // reader that stops delays new reads, but does not stall the memories.
    localparam READ_STAGES = 2;                            // the RAM and its output register
    localparam OUT_DEPTH = 8; // a place is free again 5 cycles after the read of its word, at the earliest
    localparam PLACE_W = $clog2(OUT_DEPTH + 1);
    localparam MASK_W = 6;                                 // valid lanes, 1 to LANES
    reg  [READ_STAGES-1:0] read_q;                         // reads on their way; with the last bit a word arrives
    reg  [MASK_W-1:0]      lanes_q;
    reg  [LANES_1-1:0]     mask_q;                         // valid lanes of the word in the output register
    wire [LANES*32-1:0]    word;
    wire                   pop = m_axis_scale_tvalid && m_axis_scale_tready;
    reg  [PLACE_W-1:0]     places_q;                       // words of the FIFO that are taken or reserved
    wire                   is_full = places_q == OUT_DEPTH[PLACE_W-1:0];
    wire                   is_near = places_q == OUT_DEPTH[PLACE_W-1:0] - 1'b1;
    wire                   fifo_ready;
    wire [PLACE_W-1:0]     occupancy;
    wire [PLACE_W-1:0]     high_water;
    always @(posedge clk)
        if (rst) begin
            read_q <= {READ_STAGES{1'b0}};
            places_q <= {PLACE_W{1'b0}};
            room_q <= 1'b0;
        end else begin
            read_q <= {read_q[READ_STAGES-2:0], issue};
            places_q <= places_q + {{(PLACE_W-1){1'b0}}, issue} - {{(PLACE_W-1){1'b0}}, pop};
            room_q <= pop || !(is_full || (is_near && issue));
        end
    integer n;
    always @(posedge clk) begin
        lanes_q <= r_last ? left_q[MASK_W-1:0] : LANES_17[MASK_W-1:0];
        for (n = 0; n < LANES_1; n = n + 1)
            mask_q[n] <= lanes_q > n[MASK_W-1:0];
    end
    rill_fifo #(.DATA_W(LANES * 32), .DEPTH(OUT_DEPTH), .RAM_STYLE("distributed")) u_out (
        .clk(clk), .rst(rst), .s_axis_tvalid(read_q[READ_STAGES-1]), .s_axis_tready(fifo_ready), .s_axis_tdata(word),
        .m_axis_tvalid(m_axis_scale_tvalid), .m_axis_tready(m_axis_scale_tready), .m_axis_tdata(m_axis_scale_tdata),
        .occupancy(occupancy), .high_water(high_water));

    // Two lanes share a memory, because a word of an UltraRAM has 72 bits. Write enables are per byte, the only kind
    // that an UltraRAM has.
    localparam PAIRS = (LANES_1 + 1) / 2;
    localparam WIDE = LANES_1 > 1 ? 2 : 1;                 // lanes per memory
    genvar i;
    genvar j;
    generate
        for (i = 0; i < PAIRS; i = i + 1) begin : gen_pair
            (* ram_style = RAM_STYLE *) reg [WIDE*32-1:0] mem [0:WORDS-1];
            reg  [WIDE*32-1:0] read1_q;
            reg  [WIDE*32-1:0] read2_q;
            wire [WIDE-1:0]    enable;                     // write enables of the lanes
            integer b;
            always @(posedge clk)
                for (b = 0; b < WIDE*4; b = b + 1)
                    if (enable[b/4]) mem[write_addr_q[INDEX_W-1:0]][b*8 +: 8] <= write_data_q[(b%4)*8 +: 8];
            always @(posedge clk) begin
                read1_q <= mem[read_addr[INDEX_W-1:0]];
                read2_q <= read1_q;
            end
            for (j = 0; j < WIDE; j = j + 1) begin : gen_lane
                localparam [31:0] INDEX = i * WIDE + j;
                assign enable[j] = write_q && write_lane_q == INDEX[LANE_W-1:0];
                assign word[INDEX*32 +: 32] = mask_q[INDEX] ? read2_q[j*32 +: 32] : 32'd0;
            end
        end
    endgenerate

`ifdef RILL_ASSERT
    rill_assert #(.SAYS("a scale is read that has no place")) u_assert_place (.clk(clk),
        .broken(!rst && read_q[READ_STAGES-1] && !fifo_ready));
    reg [31:0] layer_heads_q;
    always @(posedge clk)
        if (rst) layer_heads_q <= 32'd0;
        else if (head_end) begin
            layer_heads_q <= s_axis_kv_tlast ? 32'd0 : layer_heads_q + 32'd1;
            assert (s_axis_kv_tlast == (layer_heads_q == HEADS - 1));
        end
    always @(posedge clk)
        if (!rst && w_take) assert ({15'd0, place} < CONTEXT);
`endif
    wire unused = &{1'b0, place_q, place_words, next_base_q, LAYER_WORDS, together_q, LAST_TOGETHER, s_axis_step_tdata,
        s_axis_kv_tdata[BEAT_BITS-1:0], s_axis_kv_tlast, w_chunk, place, skip_words, write_addr_q, read_addr,
        fifo_ready, occupancy, high_water, RAM_STYLE};
endmodule

`default_nettype wire
