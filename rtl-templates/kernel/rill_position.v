// SPDX-License-Identifier: Apache-2.0
// Fetches the fp32 table rows of a step's positions (learned position embeddings, or cosines and sines for rill_rope)
// and sends them as a vector stream.
//
// In: step words (docs/rtl.md section 4). Out: one descriptor {beats, offset} per active token for a rill_dma_read, for
// rows pos to pos + ntok - 1 in order; the beats come back on s_axis_fetch. Out: fp32 vector stream in order (chunk,
// tok); elements past N are +0.0.
// Row p is at byte TABLE_OFFSET + p*B*BEAT_BITS/8 and has B = ceil(32*N / BEAT_BITS) beats, element 0 low.
// The rows of all tokens are buffered before the first chunk leaves. The first descriptor of the next step is sent when
// the last chunk has left. With PARTS above 1, a step comes as one word for each part, and the rows of all parts follow
// each other in one firing.
// fault: one-cycle pulse for each row >= ROWS (row 0 is fetched instead).
// Throughput: one chunk per cycle once the rows are buffered. Reset: clk, synchronous active-high rst.
//
// name          meaning                                                   unit      range
// LANES         fp32 per chunk                                            elements  1, 2, 4, 8, 16, 32
// TOKENS        tokens per step, upper bound                              tokens    1, 2, 4, 8
// BEAT_BITS     width of a beat                                           bits      256, 512
// N             elements of a row                                         elements  1 to 65535
// ROWS          rows of the table                                         rows      1 to 65536
// TABLE_OFFSET  offset of the table in the channel, a multiple of a beat  bytes     any
// PARTS         parts of a step, upper bound                              parts     1 to 8
// USER_W        width of tuser                                            bits      derived
`default_nettype none

module rill_position #(
    parameter LANES = 0,
    parameter TOKENS = 0,
    parameter BEAT_BITS = 0,
    parameter N = 0,
    parameter ROWS = 0,
    parameter [39:0] TABLE_OFFSET = 0,
    parameter PARTS = 1,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire                 clk,
    input  wire                 rst,

    input  wire                 s_axis_step_tvalid,
    output wire                 s_axis_step_tready,
    input  wire [63:0]          s_axis_step_tdata,

    output wire                 m_axis_fetch_tvalid,
    input  wire                 m_axis_fetch_tready,
    output wire [55:0]          m_axis_fetch_tdata,
    input  wire                 s_axis_fetch_tvalid,
    output wire                 s_axis_fetch_tready,
    input  wire [BEAT_BITS-1:0] s_axis_fetch_tdata,

    output wire                 m_axis_y_tvalid,
    input  wire                 m_axis_y_tready,
    output wire [LANES*32-1:0]  m_axis_y_tdata,
    output wire [USER_W-1:0]    m_axis_y_tuser,      // {tok_last, tok}
    output wire                 m_axis_y_tlast,

    output reg                  fault
);
    `include "rill_fields.vh"
    localparam TOK_W = USER_W - 1;
    localparam CHUNK_BITS = LANES * 32;
    localparam CHUNKS = (N + LANES - 1) / (LANES > 0 ? LANES : 1);
    localparam LAST_LANES = N - (CHUNKS - 1) * LANES;
    localparam ROW_BEATS = (N * 32 + BEAT_BITS - 1) / (BEAT_BITS > 0 ? BEAT_BITS : 1);
    // A word of the row buffer is as wide as a beat or a chunk, whichever is wider. BANKS: beats per word. SLOTS:
    // chunks per word. One of the two is 1.
    localparam BANKS = CHUNK_BITS > BEAT_BITS ? CHUNK_BITS / (BEAT_BITS > 0 ? BEAT_BITS : 1) : 1;
    localparam SLOTS = BEAT_BITS > CHUNK_BITS ? BEAT_BITS / (CHUNK_BITS > 0 ? CHUNK_BITS : 1) : 1;
    localparam WORD_BITS = BANKS * BEAT_BITS;
    localparam WORDS = (ROW_BEATS + BANKS - 1) / BANKS;
    localparam WORD_W = WORDS > 1 ? $clog2(WORDS) : 1;
    localparam [31:0] ROW_BEATS_32 = ROW_BEATS;
    localparam [31:0] ROW_BYTES_32 = ROW_BEATS * BEAT_BITS / 8;
    localparam [31:0] ROWS_32 = ROWS;
    localparam [31:0] CHUNKS_32 = CHUNKS;
    localparam [31:0] SLOTS_32 = SLOTS;
    localparam [31:0] BANKS_32 = BANKS;

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
        if (N < 1 || N > 65535) begin : gen_bad_n
            rill_error_N_must_be_1_to_65535 u_error ();
        end
        if (ROWS < 1 || ROWS > 65536) begin : gen_bad_rows
            rill_error_ROWS_must_be_1_to_65536 u_error ();
        end
    endgenerate

    // Requests. S_STEP waits for a step word, S_WORK computes the first row's offset (a product with two registers,
    // then a sum), S_ROW checks a row, S_ASK sends its descriptor, S_WAIT waits until the last chunk has left.
    localparam [2:0] S_STEP = 3'd0, S_WORK = 3'd1, S_ROW = 3'd2, S_ASK = 3'd3, S_WAIT = 3'd4;
    localparam [1:0] W_OFFSET = 2'd2;        // number of the last cycle of S_WORK, from 0: product, place_q, offset
    reg  [2:0]  state_q;
    reg  [1:0]  work_q;                      // cycles in S_WORK
    reg         open_q;                      // low in reset
    reg  [16:0] row_q;                       // the row that is checked next
    reg  [3:0]  ntok_q;                      // tokens of the step so far
    reg         more_q;                      // another part follows
    reg  [3:0]  asked_q;                     // rows of the step that have been checked
    reg  [35:0] product_q;                   // row_q in bytes from the table's start; place_q is this a cycle later
    reg  [35:0] place_q;
    reg  [39:0] offset_q;                    // offset of row_q
    reg  [39:0] ask_offset_q;                // offset in the descriptor; row 0 for a bad row
    wire        step_take = s_axis_step_tvalid && s_axis_step_tready;
    wire        ask = m_axis_fetch_tvalid && m_axis_fetch_tready;
    wire        bad_row = row_q >= ROWS_32[16:0];
    wire        done;                        // the last chunk of the step has left

    assign s_axis_step_tready = open_q && state_q == S_STEP;
    assign m_axis_fetch_tvalid = state_q == S_ASK;
    assign m_axis_fetch_tdata = {ROW_BEATS_32[15:0], ask_offset_q};

    always @(posedge clk) begin
        open_q <= !rst;
        fault <= !rst && state_q == S_ROW && bad_row;
        if (rst)
            state_q <= S_STEP;
        else
            case (state_q)
                S_STEP: if (step_take) state_q <= S_WORK;
                S_WORK: if (work_q == W_OFFSET) state_q <= S_ROW;
                S_ROW: state_q <= S_ASK;
                S_ASK: if (ask) state_q <= asked_q != ntok_q ? S_ROW : PARTS > 1 && more_q ? S_STEP : S_WAIT;
                default: if (done) state_q <= S_STEP;
            endcase
        work_q <= state_q == S_WORK ? work_q + 2'd1 : 2'd0;
        if (rst || done)
            asked_q <= 4'd0;
        else if (state_q == S_ROW)
            asked_q <= asked_q + 4'd1;
        product_q <= {20'd0, row_q[15:0]} * {16'd0, ROW_BYTES_32[19:0]};
        place_q <= product_q;
        if (step_take) begin
            row_q <= {1'b0, s_axis_step_tdata[STEP_POS +: STEP_POS_W]};
            ntok_q <= s_axis_step_tdata[STEP_NTOK +: STEP_NTOK_W]
                + (PARTS > 1 ? {1'b0, s_axis_step_tdata[STEP_TOK +: STEP_TOK_W]} : 4'd0);
            more_q <= s_axis_step_tdata[STEP_MORE];
        end else if (state_q == S_ROW)
            row_q <= row_q + 17'd1;
        if (state_q == S_WORK)
            offset_q <= TABLE_OFFSET + {4'd0, place_q};
        else if (state_q == S_ROW)
            offset_q <= offset_q + {20'd0, ROW_BYTES_32[19:0]};
        if (state_q == S_ROW)
            ask_offset_q <= bad_row ? TABLE_OFFSET : offset_q;
    end

    // The rows of a step arrive one after the other, in the order of their tokens. fill_*: the beat that arrives.
    // drain_q: all rows have arrived, and chunks are issued.
    reg  [3:0]        fill_tok_q;
    reg  [15:0]       fill_beat_q;
    reg  [WORD_W-1:0] fill_word_q;
    reg  [1:0]        fill_bank_q;
    reg               drain_q;
    reg               finished_q;            // all chunks of the step have been issued
    wire              fill = s_axis_fetch_tvalid && s_axis_fetch_tready;
    wire              fill_end = fill_beat_q == ROW_BEATS_32[15:0] - 16'd1;
    wire              fill_bank_last = fill_bank_q == BANKS_32[1:0] - 2'd1;
    wire              all_in = state_q == S_WAIT && fill_tok_q == ntok_q;

    assign s_axis_fetch_tready = open_q && fill_tok_q != asked_q;

    always @(posedge clk)
        if (rst || done) begin
            fill_tok_q <= 4'd0;
            fill_beat_q <= 16'd0;
            fill_word_q <= {WORD_W{1'b0}};
            fill_bank_q <= 2'd0;
        end else if (fill) begin
            fill_beat_q <= fill_end ? 16'd0 : fill_beat_q + 16'd1;
            fill_bank_q <= (fill_end || fill_bank_last) ? 2'd0 : fill_bank_q + 2'd1;
            if (fill_end)
                fill_word_q <= {WORD_W{1'b0}};
            else if (fill_bank_last)
                fill_word_q <= fill_word_q + 1'b1;
            if (fill_end)
                fill_tok_q <= fill_tok_q + 4'd1;
        end

    // Stage 0: counters over (chunk, tok).
    wire              en = !m_axis_y_tvalid || m_axis_y_tready;
    reg  [15:0]       chunk_q;
    reg  [4:0]        slot_q;                // chunk in word
    reg  [WORD_W-1:0] word_q;
    reg  [3:0]        tok_q;
    wire              tok_last = tok_q == ntok_q - 4'd1;
    wire              chunk_last = chunk_q == CHUNKS_32[15:0] - 16'd1;
    wire              slot_last = slot_q == SLOTS_32[4:0] - 5'd1;
    wire              issue = drain_q && en;

    always @(posedge clk)
        if (rst || done) begin
            drain_q <= 1'b0;
            finished_q <= 1'b0;
            chunk_q <= 16'd0;
            slot_q <= 5'd0;
            word_q <= {WORD_W{1'b0}};
            tok_q <= 4'd0;
        end else begin
            if (issue && tok_last && chunk_last) begin
                drain_q <= 1'b0;
                finished_q <= 1'b1;
            end else if (all_in && !finished_q)
                drain_q <= 1'b1;
            if (issue) begin
                tok_q <= tok_last ? 4'd0 : tok_q + 4'd1;
                if (tok_last) begin
                    chunk_q <= chunk_q + 16'd1;
                    slot_q <= slot_last ? 5'd0 : slot_q + 5'd1;
                    if (slot_last)
                        word_q <= word_q + 1'b1;
                end
            end
        end

    // Stage 1: memory read. Stage 2: select the chunk, clear elements past N.
    wire [WORD_BITS-1:0] word1;
    genvar i;
    generate
        for (i = 0; i < BANKS; i = i + 1) begin : gen_bank
            reg  [BEAT_BITS-1:0] mem [0:(1 << (TOK_W + WORD_W))-1];
            reg  [BEAT_BITS-1:0] read_q;
            always @(posedge clk) begin
                if (fill && fill_bank_q == i)
                    mem[{fill_tok_q[TOK_W-1:0], fill_word_q}] <= s_axis_fetch_tdata;
                if (en)
                    read_q <= mem[{tok_q[TOK_W-1:0], word_q}];
            end
            assign word1[i*BEAT_BITS +: BEAT_BITS] = read_q;
        end
    endgenerate

    localparam STAGES = 2;
    localparam MARK_LAST = USER_W, MARK_W = USER_W + 1;    // {last, tok_last, tok}
    wire [CHUNK_BITS-1:0]    real_lanes;     // lanes of the last chunk that hold elements
    reg  [4:0]               slot1_q;
    reg                      pad1_q;
    reg  [STAGES-1:0]        valid_q;
    reg  [STAGES*MARK_W-1:0] mark_q;
    wire [MARK_W-1:0]        mark = mark_q[(STAGES-1)*MARK_W +: MARK_W];
    reg  [CHUNK_BITS-1:0]    y_q;

    generate
        for (i = 0; i < LANES; i = i + 1) begin : gen_lane
            assign real_lanes[i*32 +: 32] = {32{i < LAST_LANES}};
        end
    endgenerate

    always @(posedge clk) begin
        if (rst)
            valid_q <= {STAGES{1'b0}};
        else if (en)
            valid_q <= {valid_q[STAGES-2:0], drain_q};
        if (en) begin
            slot1_q <= slot_q;
            pad1_q <= chunk_last;
            mark_q <= {mark_q[(STAGES-1)*MARK_W-1:0], chunk_last && tok_last, tok_last, tok_q[TOK_W-1:0]};
            y_q <= word1[slot1_q*CHUNK_BITS +: CHUNK_BITS] & (real_lanes | {CHUNK_BITS{!pad1_q}});
        end
    end

    assign m_axis_y_tvalid = valid_q[STAGES-1];
    assign m_axis_y_tdata = y_q;
    assign m_axis_y_tuser = mark[USER_W-1:0];
    assign m_axis_y_tlast = mark[MARK_LAST];
    assign done = m_axis_y_tvalid && m_axis_y_tready && m_axis_y_tlast;

    wire unused = &{1'b0, s_axis_step_tdata, ROW_BEATS_32, ROW_BYTES_32, ROWS_32, CHUNKS_32, SLOTS_32, BANKS_32};
endmodule

`default_nettype wire
