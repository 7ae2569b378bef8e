// SPDX-License-Identifier: Apache-2.0
// Embedding: fetches the table rows of a firing's token ids and sends them as fp32.
//
// In: id stream with tlast on the last active token; a step has one firing, or in a repeated region one per repetition.
// Out: one descriptor {beats, offset} per id for a rill_dma_read, in order tok; the beats come back on s_axis_fetch.
// Out: fp32 vector stream in order (chunk, tok); elements past N are +0.0.
// The table has one record per row: HDR_BEATS beats with the scales, then ROW_BEATS beats with int8 bytes, int4 nibbles
// or int16 words, element 0 low. The fp32 row scale is in bytes 0 to 3; with MODE 1 the uint8 scale of group g is in
// byte 4 + g. The value of an element is RN(row_scale * q), with MODE 1 RN(RN(row_scale * group_scale) * q); RN rounds
// to nearest even.
// The rows of all tokens are buffered before the first chunk leaves. The first descriptor of the next firing is sent
// when the last chunk has left.
// PARTS above 1: the rows are distributed over PARTS memory channels. Row r is on channel r mod PARTS, as row r / PARTS
// of that channel. A descriptor goes only to the rill_dma_read of its channel; beats are taken in the order of the ids.
// fault: one-cycle pulse for an id >= ROWS (row 0 is fetched instead) or a value that is not finite.
// Throughput: one chunk per cycle once the rows are buffered. Reset: clk, synchronous active-high rst.
//
// name          meaning                                                       unit      range
// LANES         fp32 per chunk                                                elements  1, 2, 4, 8, 16, 32
// TOKENS        tokens per step, upper bound                                  tokens    1, 2, 4, 8
// BEAT_BITS     width of a beat                                               bits      256, 512
// N             elements of a row                                             elements  1 or more
// ROWS          rows of the table                                             rows      1 or more
// MODE          0: int8; 1: int4; 2: int16                                    -         0, 1, 2
// GROUP         MODE 1: elements that share a scale, a multiple of LANES      elements  0 or more
// HDR_BEATS     beats with scales at the start of a record                    beats     1 or more
// ROW_BEATS     beats with elements in a record, after its scales             beats     1 or more
// RECORD_BYTES  distance from a record to the next                            bytes     1 to 16777215
// TABLE_OFFSET  offset of the table in the channel, a multiple of a beat      bytes     any
// REPEAT        tables that firings read in turn; 1: all read the same one    tables    1 to 65535
// TABLE_STRIDE  distance from a table to the next, a multiple of a beat       bytes     any
// PARTS         channels over which the rows are distributed, a power of two  channels  1, 2, 4, 8, 16, 32
// USER_W        width of tuser                                                bits      derived
`default_nettype none

module rill_embed #(
    parameter LANES = 0,
    parameter TOKENS = 0,
    parameter BEAT_BITS = 0,
    parameter N = 0,
    parameter ROWS = 0,
    parameter MODE = 0,
    parameter GROUP = 0,
    parameter HDR_BEATS = 0,
    parameter ROW_BEATS = 0,
    parameter RECORD_BYTES = 0,
    parameter [39:0] TABLE_OFFSET = 0,
    parameter REPEAT = 1,
    parameter [39:0] TABLE_STRIDE = 0,
    parameter PARTS = 1,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire                 clk,
    input  wire                 rst,

    input  wire                 s_axis_id_tvalid,
    output wire                 s_axis_id_tready,
    input  wire [31:0]          s_axis_id_tdata,
    input  wire [USER_W-1:0]    s_axis_id_tuser,     // {tok_last, tok}
    input  wire                 s_axis_id_tlast,

    output wire [PARTS-1:0]     m_axis_fetch_tvalid,
    input  wire [PARTS-1:0]     m_axis_fetch_tready,
    output wire [55:0]          m_axis_fetch_tdata,
    input  wire [PARTS-1:0]     s_axis_fetch_tvalid,
    output wire [PARTS-1:0]     s_axis_fetch_tready,
    input  wire [PARTS*BEAT_BITS-1:0] s_axis_fetch_tdata,

    output wire                 m_axis_y_tvalid,
    input  wire                 m_axis_y_tready,
    output wire [LANES*32-1:0]  m_axis_y_tdata,
    output wire [USER_W-1:0]    m_axis_y_tuser,      // {tok_last, tok}
    output wire                 m_axis_y_tlast,

    output wire                 fault
);
    `include "rill_latency.vh"
    localparam TOK_W = USER_W - 1;
    localparam PART_W = PARTS > 1 ? $clog2(PARTS) : 0;
    localparam Q_W = MODE == 1 ? 4 : MODE == 2 ? 16 : 8;
    localparam PIECE_W = LANES * Q_W;                        // width of the mantissas of one chunk
    localparam BANKS = PIECE_W > BEAT_BITS ? PIECE_W / BEAT_BITS : 1;   // beats per word of the row buffer
    localparam WORD_W = BANKS * BEAT_BITS;
    localparam SLOTS = WORD_W / (PIECE_W > 0 ? PIECE_W : 1);            // chunks per word of the row buffer
    localparam CHUNKS = (N + LANES - 1) / (LANES > 0 ? LANES : 1);
    localparam LAST_LANES = N - (CHUNKS - 1) * LANES;
    localparam GROUP_CHUNKS = MODE == 1 && LANES > 0 ? GROUP / LANES : 1;
    localparam BYTES = BEAT_BITS / 8;
    localparam ROW_WORDS = (ROW_BEATS + BANKS - 1) / BANKS;
    localparam BANK_W = BANKS > 1 ? $clog2(BANKS) : 0;
    localparam [31:0] BANK_MASK_32 = BANKS - 1;
    localparam [15:0] BANK_MASK = BANK_MASK_32[15:0];
    localparam ROW_W = ROW_WORDS > 1 ? $clog2(ROW_WORDS) : 1;
    localparam HDR_W = HDR_BEATS > 1 ? $clog2(HDR_BEATS) : 1;
    localparam [31:0] RECORD_BEATS_32 = HDR_BEATS + ROW_BEATS;
    localparam [31:0] HDR_BEATS_32 = HDR_BEATS;
    localparam [31:0] ROWS_32 = ROWS;
    localparam [31:0] RECORD_32 = RECORD_BYTES;
    localparam [31:0] CHUNKS_32 = CHUNKS;
    localparam [31:0] SLOTS_32 = SLOTS;
    localparam [31:0] GROUP_CHUNKS_32 = GROUP_CHUNKS;
    localparam [31:0] BYTES_32 = BYTES;

    generate
        if (BEAT_BITS != 256 && BEAT_BITS != 512) begin : gen_bad_beat
            rill_error_BEAT_BITS_must_be_256_or_512 u_error ();
        end
        if (LANES != 1 && LANES != 2 && LANES != 4 && LANES != 8 && LANES != 16 && LANES != 32) begin : gen_bad_lanes
            rill_error_LANES_must_be_a_power_of_two_up_to_32 u_error ();
        end
        if (TOKENS != 1 && TOKENS != 2 && TOKENS != 4 && TOKENS != 8) begin : gen_bad_tokens
            rill_error_TOKENS_must_be_1_2_4_or_8 u_error ();
        end
        if (MODE != 0 && MODE != 1 && MODE != 2) begin : gen_bad_mode
            rill_error_MODE_must_be_0_1_or_2 u_error ();
        end
        if (REPEAT < 1 || REPEAT > 65535) begin : gen_bad_repeat
            rill_error_REPEAT_must_be_1_to_65535 u_error ();
        end
        if (PARTS != 1 && PARTS != 2 && PARTS != 4 && PARTS != 8 && PARTS != 16 && PARTS != 32) begin : gen_bad_parts
            rill_error_PARTS_must_be_a_power_of_two_up_to_32 u_error ();
        end
        if (N < 1 || ROWS < 1) begin : gen_bad_shape
            rill_error_N_and_ROWS_must_be_at_least_1 u_error ();
        end
        if (ROW_BEATS < 1 || ROW_BEATS * BEAT_BITS < N * Q_W || HDR_BEATS + ROW_BEATS > 65535) begin : gen_bad_row
            rill_error_ROW_BEATS_must_cover_N_elements_and_with_HDR_BEATS_be_at_most_65535 u_error ();
        end
        if (MODE == 1 && (LANES < 1 || GROUP < 1 || GROUP % (LANES > 0 ? LANES : 1) != 0)) begin : gen_bad_group
            rill_error_GROUP_must_be_a_multiple_of_LANES u_error ();
        end
        if (HDR_BEATS < 1 || (MODE == 1 && GROUP > 0 && HDR_BEATS * BYTES < 4
            + (N + GROUP - 1) / (GROUP > 0 ? GROUP : 1)))
        begin : gen_bad_header
            rill_error_HDR_BEATS_must_cover_the_scales u_error ();
        end
        if (RECORD_BYTES < (HDR_BEATS + ROW_BEATS) * BYTES || RECORD_BYTES > 16777215) begin : gen_bad_record
            rill_error_RECORD_BYTES_must_cover_the_beats_and_stay_below_2_to_24 u_error ();
        end
    endgenerate

    // S_ID waits for an id, S_WORK checks it and computes the offset of its record, S_ASK sends the descriptor. After
    // the last id of a firing, S_WAIT waits until its last chunk has left.
    localparam [1:0] S_ID = 2'd0, S_WORK = 2'd1, S_ASK = 2'd2, S_WAIT = 2'd3;
    // S_WORK takes five cycles: check of the id, replacement of a bad id by 0, product, place_q, offset_q. These are
    // the numbers of the first and the last one.
    localparam [2:0] W_CHECK = 3'd0, W_OFFSET = 3'd4;
    reg  [1:0]  state_q;
    reg  [2:0]  work_q;                      // cycles in S_WORK
    reg         open_q;                      // low in reset
    reg  [31:0] id_q;
    reg         id_last_q;
    reg         bad_id_q;
    reg  [39:0] product_q;                   // row * RECORD_BYTES, for the low and the high half of row
    reg  [39:0] product_high_q;
    reg  [39:0] place_q;                     // row * RECORD_BYTES
    reg  [39:0] offset_q;                    // offset of the record in the channel
    reg  [3:0]  asked_q;                     // ids of this firing that have been taken
    reg         all_asked_q;                 // the last id of this firing has been taken
    wire        take_id = s_axis_id_tvalid && s_axis_id_tready;
    wire [31:0] row = id_q >> PART_W;        // row within its channel
    wire        ask;                         // the descriptor is taken
    wire        done;                        // the last chunk of the firing has left
    wire [39:0] table_offset;                // offset of the table that this firing reads

    assign s_axis_id_tready = open_q && state_q == S_ID;
    assign m_axis_fetch_tdata = {RECORD_BEATS_32[15:0], offset_q};

    always @(posedge clk) begin
        open_q <= !rst;
        if (rst)
            state_q <= S_ID;
        else
            case (state_q)
                S_ID: if (take_id) state_q <= S_WORK;
                S_WORK: if (work_q == W_OFFSET) state_q <= S_ASK;
                S_ASK: if (ask) state_q <= id_last_q ? S_WAIT : S_ID;
                default: if (done) state_q <= S_ID;
            endcase
        if (rst || done) begin
            asked_q <= 4'd0;
            all_asked_q <= 1'b0;
        end else if (take_id) begin
            asked_q <= asked_q + 4'd1;
            all_asked_q <= s_axis_id_tlast;
        end
        work_q <= state_q == S_WORK ? work_q + 3'd1 : 3'd0;
        bad_id_q <= !rst && state_q == S_WORK && work_q == W_CHECK && id_q >= ROWS_32;
        if (take_id) begin
            id_q <= s_axis_id_tdata;
            id_last_q <= s_axis_id_tlast;
        end else if (bad_id_q)
            id_q <= 32'd0;
        product_q <= {24'd0, row[15:0]} * {16'd0, RECORD_32[23:0]};
        product_high_q <= {24'd0, row[31:16]} * {16'd0, RECORD_32[23:0]};
        place_q <= product_q + {product_high_q[23:0], 16'd0};
        offset_q <= table_offset + place_q;
    end

    generate
        if (REPEAT > 1) begin : gen_tables
            localparam [31:0] REPEAT_32 = REPEAT;
            reg  [15:0] repetition_q;
            reg  [39:0] table_q;
            wire        repetition_last = repetition_q == REPEAT_32[15:0] - 16'd1;
            assign table_offset = table_q;
            always @(posedge clk)
                if (rst || (done && repetition_last)) begin
                    repetition_q <= 16'd0;
                    table_q <= TABLE_OFFSET;
                end else if (done) begin
                    repetition_q <= repetition_q + 16'd1;
                    table_q <= table_q + TABLE_STRIDE;
                end
            wire unused_repeat = &{1'b0, REPEAT_32};
        end else begin : gen_table
            assign table_offset = TABLE_OFFSET;
        end
    endgenerate

    // part is the channel of the id whose row is requested, fill_part the channel of the row that arrives.
    reg  [3:0]           fill_tok_q;
    wire                 fetch_valid;
    wire                 fetch_ready;
    wire [BEAT_BITS-1:0] fetch_data;
    generate
        if (PARTS > 1) begin : gen_parts
            reg  [PART_W-1:0] part_q [0:(1 << TOK_W)-1];     // channel of each id of the firing
            wire [PART_W-1:0] part = id_q[PART_W-1:0];
            wire [PART_W-1:0] fill_part = part_q[fill_tok_q[TOK_W-1:0]];
            wire [3:0]        asked_tok = asked_q - 4'd1;
            always @(posedge clk)
                if (state_q == S_ASK)
                    part_q[asked_tok[TOK_W-1:0]] <= part;
            assign m_axis_fetch_tvalid = {{(PARTS-1){1'b0}}, state_q == S_ASK} << part;
            assign ask = state_q == S_ASK && m_axis_fetch_tready[part];
            assign fetch_valid = s_axis_fetch_tvalid[fill_part];
            assign fetch_data = s_axis_fetch_tdata[fill_part*BEAT_BITS +: BEAT_BITS];
            assign s_axis_fetch_tready = {{(PARTS-1){1'b0}}, fetch_ready} << fill_part;
            wire unused_parts = &{1'b0, asked_tok};
        end else begin : gen_part
            assign m_axis_fetch_tvalid = state_q == S_ASK;
            assign ask = m_axis_fetch_tvalid && m_axis_fetch_tready;
            assign fetch_valid = s_axis_fetch_tvalid;
            assign fetch_data = s_axis_fetch_tdata;
            assign s_axis_fetch_tready = fetch_ready;
        end
    endgenerate

    // The rows of a firing arrive one after the other, in the order of their tokens. fill_*: the beat that arrives.
    reg  [31:0]          row_scale_q [0:(1 << TOK_W)-1];
    reg  [15:0]          fill_beat_q;
    reg                  fill_row_q;         // the beat is past the header beats
    reg                  drain_q;            // all rows are in, and chunks of the firing are being issued
    wire                 fill = fetch_valid && fetch_ready;
    wire                 fill_hdr_end = !fill_row_q && fill_beat_q == HDR_BEATS_32[15:0] - 16'd1;
    wire                 fill_end = fill_row_q && fill_beat_q == RECORD_BEATS_32[15:0] - HDR_BEATS_32[15:0] - 16'd1;

    assign fetch_ready = open_q && fill_tok_q != asked_q;

    always @(posedge clk) begin
        if (rst || done) begin
            fill_tok_q <= 4'd0;
            fill_beat_q <= 16'd0;
            fill_row_q <= 1'b0;
        end else if (fill) begin
            fill_beat_q <= (fill_hdr_end || fill_end) ? 16'd0 : fill_beat_q + 16'd1;
            if (fill_hdr_end || fill_end)
                fill_row_q <= !fill_row_q;
            if (fill_end)
                fill_tok_q <= fill_tok_q + 4'd1;
        end
        if (fill && !fill_row_q && fill_beat_q == 16'd0)
            row_scale_q[fill_tok_q[TOK_W-1:0]] <= fetch_data[31:0];
    end

    // Stage 0: counters over (chunk, tok).
    localparam [6:0]  FIRST_SCALE = 7'd4;    // byte of group 0's scale, which follows the row scale
    wire              en = !m_axis_y_tvalid || m_axis_y_tready;
    reg               finished_q;            // all chunks of the firing have been issued
    reg  [15:0]       chunk_q;
    reg  [7:0]        slot_q;                // chunk in word
    reg  [ROW_W-1:0]  word_q;
    reg  [15:0]       group_chunk_q;         // chunk in group
    reg  [6:0]        scale_byte_q;          // byte of the group's scale in header beat scale_beat_q
    reg  [HDR_W-1:0]  scale_beat_q;
    reg  [3:0]        tok_q;
    wire              tok_last = tok_q == asked_q - 4'd1;
    wire              chunk_last = chunk_q == CHUNKS_32[15:0] - 16'd1;
    wire              slot_last = slot_q == SLOTS_32[7:0] - 8'd1;
    wire              group_last = group_chunk_q == GROUP_CHUNKS_32[15:0] - 16'd1;
    wire              byte_last = scale_byte_q == BYTES_32[6:0] - 7'd1;
    reg               free_q;                // second register of !m_axis_y_tvalid, because the enables have many loads
    reg               busy_q;                // a chunk is on its way; otherwise the stages do not move
    wire              ready = free_q || m_axis_y_tready;
    wire              issue = drain_q && ready;
    wire              move = (drain_q || busy_q) && ready;

    always @(posedge clk) begin
        if (rst || done) begin
            drain_q <= 1'b0;
            finished_q <= 1'b0;
        end else begin
            if (issue && tok_last && chunk_last) begin
                drain_q <= 1'b0;
                finished_q <= 1'b1;
            end else if (all_asked_q && fill_tok_q == asked_q && !finished_q)
                drain_q <= 1'b1;
        end
        if (rst || done) begin
            chunk_q <= 16'd0;
            slot_q <= 8'd0;
            word_q <= {ROW_W{1'b0}};
            group_chunk_q <= 16'd0;
            scale_byte_q <= FIRST_SCALE;
            scale_beat_q <= {HDR_W{1'b0}};
            tok_q <= 4'd0;
        end else if (issue) begin
            tok_q <= tok_last ? 4'd0 : tok_q + 4'd1;
            if (tok_last) begin
                chunk_q <= chunk_q + 16'd1;
                slot_q <= slot_last ? 8'd0 : slot_q + 8'd1;
                if (slot_last)
                    word_q <= word_q + 1'b1;
                group_chunk_q <= group_last ? 16'd0 : group_chunk_q + 16'd1;
                if (group_last) begin
                    scale_byte_q <= byte_last ? 7'd0 : scale_byte_q + 7'd1;
                    if (byte_last)
                        scale_beat_q <= scale_beat_q + 1'b1;
                end
            end
        end
    end

    // Stage 1: memory read. Stage 2: select the chunk and the scale byte, and clear elements past N.
    localparam PIECE_STAGES = 2;
    reg  [WORD_W-1:0]    row1_q;
    reg  [7:0]           slot1_q;
    reg                  pad1_q;
    reg  [PIECE_W-1:0]   piece2_q;
    wire [PIECE_W-1:0]   real_lanes;             // lanes of the last chunk that hold elements

    always @(posedge clk)
        if (move) begin
            slot1_q <= slot_q;
            pad1_q <= chunk_last;
            piece2_q <= row1_q[slot1_q*PIECE_W +: PIECE_W] & (real_lanes | {PIECE_W{!pad1_q}});
        end

    // One bank for each beat of a word, because a chunk may be wider than a beat.
    wire [ROW_W-1:0]     fill_word = fill_beat_q[BANK_W +: ROW_W];
    genvar b;
    generate
        for (b = 0; b < BANKS; b = b + 1) begin : gen_bank
            reg  [BEAT_BITS-1:0] row_mem [0:(1 << (TOK_W + ROW_W))-1];
            always @(posedge clk) begin
                if (fill && fill_row_q && (fill_beat_q & BANK_MASK) == b)
                    row_mem[{fill_tok_q[TOK_W-1:0], fill_word}] <= fetch_data;
                if (move)
                    row1_q[b*BEAT_BITS +: BEAT_BITS] <= row_mem[{tok_q[TOK_W-1:0], word_q}];
            end
        end
    endgenerate

    // The marks and the scale of each chunk pass the same stages as the chunk, and the marks leave with y. A cleared
    // element gets a scale of +0.0, so its result is +0.0.
    localparam FLOAT_STAGES = PIECE_STAGES + LATENCY_FROM_INT;                  // stages until the element is a float
    // Stages until the scale is ready. The element, an fp32 number by then, is multiplied by it next.
    localparam SCALE_STAGES = FLOAT_STAGES + (MODE == 1 ? LATENCY_MUL : 0);
    localparam DEPTH = SCALE_STAGES + LATENCY_MUL;
    localparam MARK_LAST = USER_W, MARK_PAD = USER_W + 1, MARK_W = USER_W + 2;  // {last chunk, last, tok_last, tok}
    reg  [DEPTH-1:0]        valid_q;
    reg  [DEPTH*MARK_W-1:0] mark_q;
    // The token whose row scale token_scale_q gets next
    wire [TOK_W-1:0]        scale_tok = mark_q[(FLOAT_STAGES-2)*MARK_W +: TOK_W];
    reg  [31:0]             token_scale_q;
    wire [31:0]             scale;
    wire                    scale_fault;

    always @(posedge clk) begin
        if (rst) begin
            valid_q <= {DEPTH{1'b0}};
            free_q <= 1'b1;
            busy_q <= 1'b0;
        end else if (move) begin
            valid_q <= {valid_q[DEPTH-2:0], drain_q};
            free_q <= !valid_q[DEPTH-2];
            busy_q <= drain_q || |valid_q[DEPTH-2:0];
        end
        if (move) begin
            mark_q <= {mark_q[(DEPTH-1)*MARK_W-1:0], chunk_last, chunk_last && tok_last, tok_last, tok_q[TOK_W-1:0]};
            token_scale_q <= row_scale_q[scale_tok];
        end
    end

    wire [PIECE_W-1:0] piece;                    // the mantissas, LATENCY_FROM_INT stages before they are multiplied
    wire               pad = mark_q[(SCALE_STAGES-1)*MARK_W + MARK_PAD];
    generate
        if (MODE == 1) begin : gen_group_scale
            (* ram_style = "distributed" *) reg [BEAT_BITS-1:0] hdr_mem [0:(1 << (TOK_W + HDR_W))-1];
            reg  [BEAT_BITS-1:0] hdr1_q;
            reg  [6:0]           byte1_q;
            reg  [7:0]           group2_q;
            reg  [LATENCY_MUL*PIECE_W-1:0] pieces_q;
            wire [31:0]          group_fp32;
            always @(posedge clk) begin
                if (fill && !fill_row_q)
                    hdr_mem[{fill_tok_q[TOK_W-1:0], fill_beat_q[HDR_W-1:0]}] <= fetch_data;
                if (move) begin
                    hdr1_q <= hdr_mem[{tok_q[TOK_W-1:0], scale_beat_q}];
                    byte1_q <= scale_byte_q;
                    group2_q <= hdr1_q[byte1_q*8 +: 8];
                    pieces_q <= {pieces_q[(LATENCY_MUL-1)*PIECE_W-1:0], piece2_q};
                end
            end
            rill_fp32_from_int #(.WIDTH(9)) u_group (.clk(clk), .en(move), .a({1'b0, group2_q}), .y(group_fp32));
            rill_fp32_mul u_scale (
                .clk(clk), .en(move), .a(token_scale_q), .b(group_fp32), .y(scale), .fault(scale_fault));
            assign piece = pieces_q[(LATENCY_MUL-1)*PIECE_W +: PIECE_W];
        end else begin : gen_row_scale
            assign scale = token_scale_q;
            assign scale_fault = 1'b0;
            assign piece = piece2_q;
            wire unused_scale = &{1'b0, scale_byte_q, scale_beat_q};
        end
    endgenerate

    wire [LANES-1:0] lane_fault;
    genvar i;
    generate
        for (i = 0; i < LANES; i = i + 1) begin : gen_lane
            wire [31:0] q_float;
            assign real_lanes[i*Q_W +: Q_W] = {Q_W{i < LAST_LANES}};
            rill_fp32_from_int #(.WIDTH(Q_W)) u_float (.clk(clk), .en(move), .a(piece[i*Q_W +: Q_W]), .y(q_float));
            rill_fp32_mul u_mul (.clk(clk), .en(move), .a((i >= LAST_LANES) && pad ? 32'd0 : scale), .b(q_float),
                .y(m_axis_y_tdata[i*32 +: 32]), .fault(lane_fault[i]));
        end
    endgenerate

    reg  value_fault_q;
    wire left = m_axis_y_tvalid && m_axis_y_tready;
    always @(posedge clk)
        value_fault_q <= !rst && ((left && |lane_fault) || (en && valid_q[SCALE_STAGES-1] && scale_fault));

    assign m_axis_y_tvalid = valid_q[DEPTH-1];
    assign m_axis_y_tuser = mark_q[(DEPTH-1)*MARK_W +: USER_W];
    assign m_axis_y_tlast = mark_q[(DEPTH-1)*MARK_W + MARK_LAST];
    assign done = left && m_axis_y_tlast;
    assign fault = bad_id_q || value_fault_q;

    wire unused = &{1'b0, s_axis_id_tuser, fill_tok_q, HDR_BEATS_32, RECORD_BEATS_32, RECORD_32, CHUNKS_32, SLOTS_32,
        GROUP_CHUNKS_32, BYTES_32, product_high_q, mark_q, group_last};
endmodule

`default_nettype wire
