// SPDX-License-Identifier: Apache-2.0
// Keeps a firing in memory between two groups of kernels that run one after the other: writes its words as they come,
// waits until all writes have their responses, and reads the words back in the same order.
//
// Streams: s_axis_* and m_axis_* follow docs/rtl.md section 3. The output has the words of the input, with the same
// tuser and tlast.
// FIRINGS 1: the next firing enters when the present one has been read back completely.
// FIRINGS 2: memory has two halves, so one firing is written while the previous one is read. The next firing enters
// when the read of the present one has been requested. That read is requested when the previous firing has been read
// completely.
// Writing: m_axis_write_* go to a rill_dma_write. Each beat has a descriptor, which is sent as soon as it is certain
// that the beat will come, so usually before the beat. The write engine sets dma_idle while all beats of this client
// have their responses. It may be up to 6 cycles late, so it is ignored in the first cycles after the last beat. All
// beats that wait for a response belong to one firing, because the next firing enters later.
// Reading: m_axis_read sends one descriptor per firing to a rill_dma_read, after dma_idle. Its beats come back on
// s_axis_read.
// Layout from OFFSET on, in stream order: a beat has floor(BEAT_BITS / DATA_W) words, the first in the low bits; unused
// bits and words are 0. A word wider than a beat takes ceil(DATA_W / BEAT_BITS) beats, low bits first. With
// FIRINGS 2 every other firing is in the second half, which begins a multiple of BURST beats after the first one. tuser
// stays on chip: FIRINGS x WORDS x USER_W bits.
// Throughput: one word (or one beat of a wide word) per cycle in each direction. With FIRINGS 1, writing and reading
// alternate. Latency from the last word in to the first word out: 8 cycles, plus the response time of the last write
// and the latency of a read, if nothing else is being read.
// Reset: clk, synchronous active-high rst; control only. tready and tvalid are low in reset.
//
// name       meaning                                                    unit     range
// DATA_W     width of tdata                                             bits     1 or more
// USER_W     width of tuser                                             bits     1 or more
// BEAT_BITS  width of a beat                                            bits     256, 512
// WORDS      words of the longest firing                                words    1 or more
// BURST      the distance of the halves is a multiple of it             beats    1 to 128
// FIRINGS    firings that memory holds at a time                        firings  1, 2
// OFFSET     address of the first firing, from the base of the channel  bytes    any
`default_nettype none

module rill_spill #(
    parameter DATA_W = 0,
    parameter USER_W = 0,
    parameter BEAT_BITS = 0,
    parameter WORDS = 0,
    parameter BURST = 0,
    parameter FIRINGS = 1,
    parameter [39:0] OFFSET = 0
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire                 dma_idle,
    input  wire                 s_axis_tvalid,
    output wire                 s_axis_tready,
    input  wire [DATA_W-1:0]    s_axis_tdata,
    input  wire [USER_W-1:0]    s_axis_tuser,
    input  wire                 s_axis_tlast,
    output wire                 m_axis_tvalid,
    input  wire                 m_axis_tready,
    output wire [DATA_W-1:0]    m_axis_tdata,
    output wire [USER_W-1:0]    m_axis_tuser,
    output wire                 m_axis_tlast,
    output wire                 m_axis_write_desc_tvalid,
    input  wire                 m_axis_write_desc_tready,
    output wire [55:0]          m_axis_write_desc_tdata,   // {beats, offset}
    output wire                 m_axis_write_beat_tvalid,
    input  wire                 m_axis_write_beat_tready,
    output wire [BEAT_BITS-1:0] m_axis_write_beat_tdata,
    output wire                 m_axis_read_tvalid,
    input  wire                 m_axis_read_tready,
    output wire [55:0]          m_axis_read_tdata,
    input  wire                 s_axis_read_tvalid,
    output wire                 s_axis_read_tready,
    input  wire [BEAT_BITS-1:0] s_axis_read_tdata
);
    generate
        if (DATA_W < 1 || USER_W < 1 || WORDS < 1) begin : gen_bad
            rill_error_DATA_W_USER_W_and_WORDS_must_be_at_least_1 u_error ();
        end
        if (BEAT_BITS != 256 && BEAT_BITS != 512) begin : gen_bad_beat
            rill_error_BEAT_BITS_must_be_256_or_512 u_error ();
        end
        if (BURST < 1 || BURST > 128) begin : gen_bad_burst
            rill_error_BURST_must_be_1_to_128 u_error ();
        end
        if (FIRINGS != 1 && FIRINGS != 2) begin : gen_bad_firings
            rill_error_FIRINGS_must_be_1_or_2 u_error ();
        end
    endgenerate

    // Words per beat. 0: a word takes several beats.
    localparam WHOLE = BEAT_BITS < 1 || DATA_W < 1 ? 1 : BEAT_BITS / DATA_W;
    // Words per beat, or beats per word.
    localparam SLOTS = WHOLE > 0 ? WHOLE : (DATA_W + BEAT_BITS - 1) / BEAT_BITS;
    localparam TWO = FIRINGS == 2;
    localparam BEATS = WHOLE > 0 ? (WORDS + SLOTS - 1) / SLOTS : WORDS * SLOTS;          // beats of the longest firing
    localparam ADDR_W = FIRINGS * WORDS > 1 ? $clog2(FIRINGS * WORDS) : 1;
    localparam [31:0] SLOTS_32 = SLOTS;
    localparam [31:0] BEAT_BYTES = BEAT_BITS / 8;
    localparam [31:0] HALF_BEATS = BURST < 1 ? BEATS : (BEATS + BURST - 1) / BURST * BURST;
    localparam [39:0] OTHER = OFFSET + {8'd0, HALF_BEATS} * {8'd0, BEAT_BYTES};          // offset of the second half
    localparam [31:0] WORDS_32 = WORDS;
    localparam [1:0] SETTLED = 2'd3;             // from this value of settle_q on, dma_idle includes the last beat
    localparam [2:0] S_FILL = 3'd0, S_PUSH = 3'd1, S_SETTLE = 3'd2, S_WAIT = 3'd3, S_ASK = 3'd4, S_DRAIN = 3'd5;

    // State of the firing that is written. S_FILL: words enter. S_PUSH: the last beat leaves. S_SETTLE: dma_idle is not
    // up to date yet. S_WAIT: until dma_idle. S_ASK: the read is requested. S_DRAIN (FIRINGS 1): until the firing is
    // read.
    reg  [2:0]           state_q;
    reg                  drain_q;            // a firing is being read
    reg                  open_q;             // low in reset
    reg  [1:0]           settle_q;
    reg                  second_q;           // the firing that is written is in the second half
    reg  [ADDR_W-1:0]    write_q;            // place of the next word to write; stays at the last one
    reg  [ADDR_W-1:0]    read_q;             // place of the next word to read
    reg  [ADDR_W-1:0]    end_q;              // place of the last word of the firing that is read
    reg  [9:0]           in_slot_q;          // place in its beat of the next word to write
    // Place of the next word to read in its beat. A word takes several beats: place of the next beat in its word.
    reg  [9:0]           slot_q;
    reg  [15:0]          beats_q;            // beats of the firing that have left
    reg                  begun_q;            // the firing has begun to enter
    reg  [9:0]           due_q;              // descriptors to send for beats that are certain to come
    reg  [39:0]          offset_q;           // offset of the next descriptor
    reg                  beat_valid_q;
    reg  [BEAT_BITS-1:0] beat_q;
    reg                  out_valid_q;
    reg  [DATA_W-1:0]    out_q;
    reg  [USER_W-1:0]    out_user_q;
    reg                  out_last_q;
    reg  [USER_W-1:0]    user_mem [0:FIRINGS*WORDS-1];

    wire                 take = s_axis_tvalid && s_axis_tready;
    wire                 beat_out = m_axis_write_beat_tvalid && m_axis_write_beat_tready;
    wire                 in_slot_last = in_slot_q == SLOTS_32[9:0] - 10'd1;
    wire                 slot_last = slot_q == SLOTS_32[9:0] - 10'd1;
    wire                 desc_out = m_axis_write_desc_tvalid && m_axis_write_desc_tready;
    // Beats that become certain with this word: the first beat of a firing, the beat after one that becomes full, or
    // all beats of a wide word.
    wire [9:0]           first_due = begun_q ? 10'd0 : 10'd1;
    wire [9:0]           next_due = in_slot_last && !s_axis_tlast ? 10'd1 : 10'd0;
    wire [9:0]           word_due = WHOLE > 0 ? first_due + next_due : SLOTS_32[9:0];
    wire                 out_load = !out_valid_q || m_axis_tready;
    wire                 read_last = read_q == (TWO ? end_q : write_q);
    wire                 word_in;            // a whole word has been read
    wire                 drained = word_in && read_last;
    wire                 asked = m_axis_read_tvalid && m_axis_read_tready;
    wire                 leaves = TWO ? asked : drained;                                 // the next firing may enter
    wire                 half = TWO && second_q;
    // First word of the firing that is written, and of the one after it.
    wire [ADDR_W-1:0]    first_word = half ? WORDS_32[ADDR_W-1:0] : {ADDR_W{1'b0}};
    wire [ADDR_W-1:0]    next_word = TWO && !half ? WORDS_32[ADDR_W-1:0] : {ADDR_W{1'b0}};

    assign m_axis_write_beat_tvalid = beat_valid_q;
    assign m_axis_write_beat_tdata = beat_q;
    assign m_axis_write_desc_tvalid = due_q != 10'd0;
    assign m_axis_write_desc_tdata = {16'd1, offset_q};
    assign m_axis_read_tvalid = state_q == S_ASK && !drain_q && open_q;
    assign m_axis_read_tdata = {beats_q, half ? OTHER : OFFSET};
    assign m_axis_tvalid = out_valid_q;
    assign m_axis_tdata = out_q;
    assign m_axis_tuser = out_user_q;
    assign m_axis_tlast = out_last_q;

    // ---- from words to beats, and back ----
    wire [DATA_W-1:0] word;
    generate
        if (WHOLE > 0) begin : gen_words
            // Words fill a beat from the low bits on. The beat leaves when it is full or the firing ends.
            reg  [BEAT_BITS-1:0] fill_d;
            reg  [DATA_W-1:0]    word_d;
            wire                 room = !beat_valid_q || beat_out;
            integer              i;
            always @* begin
                fill_d = in_slot_q == 10'd0 ? {BEAT_BITS{1'b0}} : beat_q;
                word_d = {DATA_W{1'b0}};
                for (i = 0; i < SLOTS; i = i + 1) begin
                    if (in_slot_q == i[9:0])
                        fill_d[i*DATA_W +: DATA_W] = s_axis_tdata;
                    if (slot_q == i[9:0])
                        word_d = s_axis_read_tdata[i*DATA_W +: DATA_W];
                end
            end
            always @(posedge clk) begin
                if (rst)
                    beat_valid_q <= 1'b0;
                else if (take && (in_slot_last || s_axis_tlast))
                    beat_valid_q <= 1'b1;
                else if (beat_out)
                    beat_valid_q <= 1'b0;
                if (take)
                    beat_q <= fill_d;
            end
            assign s_axis_tready = open_q && state_q == S_FILL && room;
            assign word = word_d;
            assign word_in = drain_q && s_axis_read_tvalid && out_load;
            assign s_axis_read_tready = word_in && (slot_last || read_last);
        end else begin : gen_parts
            // A word leaves in SLOTS beats and comes back in the same number of beats.
            localparam WIDE = SLOTS * BEAT_BITS;
            reg  [WIDE-BEAT_BITS-1:0] rest_q;  // the beats after beat_q of the word that leaves
            reg  [WIDE-BEAT_BITS-1:0] early_q; // the beats that have come back of the word that is read
            reg  [9:0]                left_q;    // beats of the word that have not left yet
            wire [WIDE-1:0]           padded = {{(WIDE - DATA_W){1'b0}}, s_axis_tdata};
            wire [WIDE-1:0]           left = {{BEAT_BITS{1'b0}}, rest_q};
            wire [WIDE-1:0]           shifted = {s_axis_read_tdata, early_q};
            wire                      part = drain_q && s_axis_read_tvalid && (!slot_last || out_load);
            always @(posedge clk) begin
                if (rst)
                    beat_valid_q <= 1'b0;
                else if (take)
                    beat_valid_q <= 1'b1;
                else if (beat_out && left_q == 10'd1)
                    beat_valid_q <= 1'b0;
                if (take) begin
                    {rest_q, beat_q} <= padded;
                    left_q <= SLOTS_32[9:0];
                end else if (beat_out) begin
                    beat_q <= left[BEAT_BITS-1:0];
                    rest_q <= left[WIDE-1:BEAT_BITS];
                    left_q <= left_q - 10'd1;
                end
                if (part)
                    early_q <= shifted[WIDE-1:BEAT_BITS];
            end
            assign s_axis_tready = open_q && state_q == S_FILL && !beat_valid_q;
            assign word = shifted[DATA_W-1:0];
            assign word_in = part && slot_last;
            assign s_axis_read_tready = part;
            wire   unused_padding = &{1'b0, shifted};
        end
    endgenerate

    wire in_slot_moves = WHOLE > 0 && take;
    wire slot_moves = WHOLE > 0 ? word_in : s_axis_read_tvalid && s_axis_read_tready;
    wire slot_ends = slot_last || (WHOLE > 0 && read_last);

    always @(posedge clk) begin
        if (rst) begin
            state_q <= S_FILL;
            drain_q <= 1'b0;
            open_q <= 1'b0;
            settle_q <= 2'd0;
            second_q <= 1'b0;
            write_q <= {ADDR_W{1'b0}};
            in_slot_q <= 10'd0;
            slot_q <= 10'd0;
            beats_q <= 16'd0;
            begun_q <= 1'b0;
            due_q <= 10'd0;
            offset_q <= OFFSET;
            out_valid_q <= 1'b0;
        end else begin
            open_q <= 1'b1;
            // ---- the firing that is written ----
            if (in_slot_moves)
                in_slot_q <= in_slot_last || s_axis_tlast ? 10'd0 : in_slot_q + 10'd1;
            due_q <= due_q + (take ? word_due : 10'd0) - {9'd0, desc_out};
            if (leaves) begin
                second_q <= TWO && !second_q;
                write_q <= next_word;
                beats_q <= 16'd0;
                offset_q <= TWO && !half ? OTHER : OFFSET;
                begun_q <= 1'b0;
            end else begin
                if (take && !s_axis_tlast)
                    write_q <= write_q + 1'b1;
                if (take)
                    begun_q <= 1'b1;
                if (beat_out)
                    beats_q <= beats_q + 16'd1;
                if (desc_out)
                    offset_q <= offset_q + {8'd0, BEAT_BYTES};
            end
            case (state_q)
                S_FILL: if (take && s_axis_tlast) state_q <= S_PUSH;
                S_PUSH: if (!beat_valid_q) state_q <= S_SETTLE;
                S_SETTLE: begin
                    settle_q <= settle_q + 2'd1;
                    if (settle_q == SETTLED) state_q <= S_WAIT;
                end
                S_WAIT: if (dma_idle) state_q <= S_ASK;
                S_ASK: if (asked) state_q <= TWO ? S_FILL : S_DRAIN;
                default: if (drained) state_q <= S_FILL;
            endcase
            // ---- the firing that is read ----
            drain_q <= asked || (drain_q && !drained);
            if (slot_moves)
                slot_q <= slot_ends ? 10'd0 : slot_q + 10'd1;
            out_valid_q <= word_in || (out_valid_q && !m_axis_tready);
        end
        if (asked) begin
            read_q <= first_word;
            end_q <= write_q;
        end else if (word_in)
            read_q <= read_q + 1'b1;
        if (take)
            user_mem[write_q] <= s_axis_tuser;
        if (word_in) begin
            out_q <= word;
            out_user_q <= user_mem[read_q];
            out_last_q <= read_last;
        end
    end

`ifdef RILL_ASSERT
    always @(posedge clk)
        if (!rst && take && !s_axis_tlast)
            assert (write_q + 1'b1 != first_word + WORDS_32[ADDR_W-1:0]);  // the firing fits
`endif
endmodule

`default_nettype wire
