// SPDX-License-Identifier: Apache-2.0
// Reads fp32 rows from memory as a vector stream, one firing per step. The row of position p is at OFFSET + p*ROW_BYTES
// of the channel.
//
// In: step words, and the beats of one rill_dma_read. Out: descriptors for this rill_dma_read, and the vector stream in
// order (chunk, tok), with tuser and tlast as in docs/rtl.md section 3.
// The row layout is that of rill_stream_writer: CHUNKS*LANES fp32 values, padded to whole groups of max(beat, chunk)
// bits.
// Latency: 2 cycles from a step word to its first descriptor, and 2 cycles from the last beat of a bank (a group per
// token) to its first chunk. Throughput: one chunk per cycle while beats are available. Two groups per token are
// buffered.
// Reset: clk, synchronous active-high rst.
//
// name       meaning                                                  unit      range
// BEAT_BITS  width of a beat                                          bits      256, 512
// LANES      fp32 per chunk                                           elements  1, 2, 4, 8, 16, 32
// TOKENS     tokens per step, upper bound                             tokens    1, 2, 4, 8
// CHUNKS     chunks of a token                                        chunks    1 to 65535
// OFFSET     offset of the rows in the channel, a multiple of a beat  bytes     any
// USER_W     width of tuser                                           bits      derived
`default_nettype none

module rill_stream_reader #(
    parameter BEAT_BITS = 0,
    parameter LANES = 0,
    parameter TOKENS = 0,
    parameter CHUNKS = 0,
    parameter [39:0] OFFSET = 0,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire                 clk,
    input  wire                 rst,

    input  wire                 s_axis_step_tvalid,
    output wire                 s_axis_step_tready,
    input  wire [63:0]          s_axis_step_tdata,

    output wire                 m_axis_desc_tvalid,
    input  wire                 m_axis_desc_tready,
    output wire [55:0]          m_axis_desc_tdata,
    input  wire                 s_axis_beat_tvalid,
    output wire                 s_axis_beat_tready,
    input  wire [BEAT_BITS-1:0] s_axis_beat_tdata,

    output wire                 m_axis_x_tvalid,
    input  wire                 m_axis_x_tready,
    output wire [LANES*32-1:0]  m_axis_x_tdata,
    output wire [USER_W-1:0]    m_axis_x_tuser,      // {tok_last, tok}
    output wire                 m_axis_x_tlast
);
    `include "rill_fields.vh"
    localparam CHUNK_BITS = LANES * 32;
    localparam GROUP_BITS = CHUNK_BITS > BEAT_BITS ? CHUNK_BITS : BEAT_BITS;
    localparam GROUP_CHUNKS = GROUP_BITS / (CHUNK_BITS > 0 ? CHUNK_BITS : 1);
    localparam GROUP_BEATS = GROUP_BITS / (BEAT_BITS > 0 ? BEAT_BITS : 1);
    localparam GROUPS = (CHUNKS + GROUP_CHUNKS - 1) / GROUP_CHUNKS;
    localparam [31:0] GROUP_BYTES = GROUP_BITS / 8;
    localparam [31:0] ROW_BYTES = GROUPS * GROUP_BITS / 8;
    localparam [31:0] GROUPS_32 = GROUPS;
    localparam [31:0] GROUP_CHUNKS_32 = GROUP_CHUNKS;
    localparam [31:0] GROUP_BEATS_32 = GROUP_BEATS;
    localparam [31:0] CHUNKS_32 = CHUNKS;
    localparam TOK_W = USER_W - 1;
    localparam ROW_W = TOK_W + 1;            // {bank, token}

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
        if (CHUNKS < 1 || CHUNKS > 65535) begin : gen_bad_chunks
            rill_error_CHUNKS_must_be_1_to_65535 u_error ();
        end
    endgenerate

    // Requests: for each step, one descriptor per token for the first group, then for the next group, and so on.
    // S_STEP: waits for a step word. S_PLACE: computes the offset of the first row. S_RUN: sends the descriptors.
    localparam [1:0] S_STEP = 2'd0, S_PLACE = 2'd1, S_RUN = 2'd2;
    reg  [1:0]  state_q;
    reg         open_q;                      // low in reset
    reg  [15:0] pos_q;
    reg  [3:0]  ntok_q;
    reg  [3:0]  ask_tok_q;                   // token of the next descriptor
    reg  [15:0] ask_group_q;                 // group of the next descriptor
    reg  [39:0] group_offset_q;              // offset of this group in the first row of the step
    reg  [39:0] offset_q;                    // offset of this group in the row of token ask_tok_q
    wire [47:0] place = {32'd0, pos_q} * {16'd0, ROW_BYTES};
    wire        count_ready;
    wire        step_take = s_axis_step_tvalid && s_axis_step_tready;
    wire        ask = m_axis_desc_tvalid && m_axis_desc_tready;
    wire        ask_tok_last = ask_tok_q == ntok_q - 4'd1;
    wire        ask_last = ask_tok_last && ask_group_q == GROUPS_32[15:0] - 16'd1;

    assign s_axis_step_tready = open_q && state_q == S_STEP && count_ready;
    assign m_axis_desc_tvalid = state_q == S_RUN;
    assign m_axis_desc_tdata = {GROUP_BEATS_32[15:0], offset_q}; // {beats, offset}

    always @(posedge clk) begin
        open_q <= !rst;
        if (rst)
            state_q <= S_STEP;
        else
            case (state_q)
                S_STEP: if (step_take) state_q <= S_PLACE;
                S_PLACE: state_q <= S_RUN;
                default: if (ask && ask_last) state_q <= S_STEP;
            endcase
        if (step_take) begin
            pos_q <= s_axis_step_tdata[STEP_POS +: STEP_POS_W];
            ntok_q <= s_axis_step_tdata[STEP_NTOK +: STEP_NTOK_W];
        end
        if (state_q == S_PLACE) begin
            ask_tok_q <= 4'd0;
            ask_group_q <= 16'd0;
            group_offset_q <= OFFSET + place[39:0];
            offset_q <= OFFSET + place[39:0];
        end else if (ask) begin
            ask_tok_q <= ask_tok_last ? 4'd0 : ask_tok_q + 4'd1;
            if (ask_tok_last) begin
                ask_group_q <= ask_group_q + 16'd1;
                group_offset_q <= group_offset_q + {8'd0, GROUP_BYTES};
                offset_q <= group_offset_q + {8'd0, GROUP_BYTES};
            end else
                offset_q <= offset_q + {8'd0, ROW_BYTES};
        end
    end

    // Token counts of the steps whose beats have not all come yet.
    wire       count_valid;
    wire [3:0] fill_ntok;
    wire       fill_end;
    wire [2:0] count_occupancy;
    wire [2:0] count_high_water;

    rill_fifo #(.DATA_W(4), .DEPTH(4), .RAM_STYLE("distributed")) u_count (
        .clk(clk), .rst(rst), .s_axis_tvalid(step_take), .s_axis_tready(count_ready),
        .s_axis_tdata(s_axis_step_tdata[STEP_NTOK +: STEP_NTOK_W]),
        .m_axis_tvalid(count_valid), .m_axis_tready(fill_end), .m_axis_tdata(fill_ntok),
        .occupancy(count_occupancy), .high_water(count_high_water));

    // Two banks, each with one group per token: one fills while the other one empties.
    reg  [GROUP_BITS-1:0] group_mem [0:(2 << TOK_W)-1];
    reg  [1:0]            full_q;            // the bank is full and has not been sent
    reg  [3:0]            bank_ntok_q [0:1]; // tokens of the bank's groups
    reg                   bank_last_q [0:1]; // the bank has the last groups of a firing
    reg                   fill_bank_q;
    reg  [3:0]            fill_tok_q;        // token, group and beat within the group of the next beat
    reg  [15:0]           fill_group_q;
    reg  [5:0]            fill_beat_q;
    wire                  fill_take = s_axis_beat_tvalid && s_axis_beat_tready;
    wire                  fill_group_end = fill_take && fill_beat_q == GROUP_BEATS_32[5:0] - 6'd1;
    wire                  fill_bank_end = fill_group_end && fill_tok_q == fill_ntok - 4'd1;
    wire                  fill_step_last = fill_group_q == GROUPS_32[15:0] - 16'd1;
    wire [ROW_W-1:0]      fill_row = {fill_bank_q, fill_tok_q[TOK_W-1:0]};

    assign s_axis_beat_tready = open_q && count_valid && !full_q[fill_bank_q];
    assign fill_end = fill_bank_end && fill_step_last;

    generate
        if (GROUP_BEATS == 1) begin : gen_whole
            always @(posedge clk)
                if (fill_take)
                    group_mem[fill_row] <= s_axis_beat_tdata;
        end else begin : gen_shift
            // Beats of the group before the last one. When the group is complete, the first beat is in the low bits.
            reg  [GROUP_BITS-BEAT_BITS-1:0] early_q;
            wire [GROUP_BITS-1:0] shifted = {s_axis_beat_tdata, early_q};
            always @(posedge clk)
                if (fill_take) begin
                    early_q <= shifted[GROUP_BITS-1:BEAT_BITS];
                    if (fill_group_end)
                        group_mem[fill_row] <= shifted;
                end
        end
    endgenerate

    reg                   drain_bank_q;
    reg  [3:0]            drain_tok_q;
    reg  [15:0]           slot_q;            // chunk within the group
    reg  [15:0]           chunk_q;           // chunk of the token
    wire [GROUP_BITS-1:0] group_word = group_mem[{drain_bank_q, drain_tok_q[TOK_W-1:0]}];
    wire                  drain_tok_last = drain_tok_q == bank_ntok_q[drain_bank_q] - 4'd1;
    wire                  drain_slot_last = slot_q == GROUP_CHUNKS_32[15:0] - 16'd1
        || chunk_q == CHUNKS_32[15:0] - 16'd1;
    wire                  out_load;
    wire                  drain = full_q[drain_bank_q] && out_load;
    wire                  drain_end = drain && drain_tok_last && drain_slot_last;

    reg                   x_valid_q;
    reg  [CHUNK_BITS-1:0] x_data_q;
    reg  [USER_W-1:0]     x_user_q;
    reg                   x_last_q;
    reg  [CHUNK_BITS-1:0] chunk_d;
    integer               i;

    always @* begin
        chunk_d = {CHUNK_BITS{1'b0}};
        for (i = 0; i < GROUP_CHUNKS; i = i + 1)
            if (slot_q == i[15:0])
                chunk_d = chunk_d | group_word[i*CHUNK_BITS +: CHUNK_BITS];
    end

    assign out_load = !x_valid_q || m_axis_x_tready;
    assign m_axis_x_tvalid = x_valid_q;
    assign m_axis_x_tdata = x_data_q;
    assign m_axis_x_tuser = x_user_q;
    assign m_axis_x_tlast = x_last_q;

    always @(posedge clk) begin
        if (rst) begin
            full_q <= 2'b00;
            fill_bank_q <= 1'b0;
            fill_tok_q <= 4'd0;
            fill_group_q <= 16'd0;
            fill_beat_q <= 6'd0;
            drain_bank_q <= 1'b0;
            drain_tok_q <= 4'd0;
            slot_q <= 16'd0;
            chunk_q <= 16'd0;
            x_valid_q <= 1'b0;
        end else begin
            if (fill_take)
                fill_beat_q <= fill_group_end ? 6'd0 : fill_beat_q + 6'd1;
            if (fill_group_end)
                fill_tok_q <= fill_bank_end ? 4'd0 : fill_tok_q + 4'd1;
            if (fill_bank_end) begin
                full_q[fill_bank_q] <= 1'b1;
                fill_bank_q <= !fill_bank_q;
                fill_group_q <= fill_step_last ? 16'd0 : fill_group_q + 16'd1;
            end
            if (drain) begin
                drain_tok_q <= drain_tok_last ? 4'd0 : drain_tok_q + 4'd1;
                if (drain_tok_last) begin
                    slot_q <= drain_slot_last ? 16'd0 : slot_q + 16'd1;
                    chunk_q <= chunk_q == CHUNKS_32[15:0] - 16'd1 ? 16'd0 : chunk_q + 16'd1;
                end
            end
            if (drain_end) begin
                full_q[drain_bank_q] <= 1'b0;
                drain_bank_q <= !drain_bank_q;
            end
            if (out_load)
                x_valid_q <= full_q[drain_bank_q];
        end
        if (fill_bank_end) begin
            bank_ntok_q[fill_bank_q] <= fill_ntok;
            bank_last_q[fill_bank_q] <= fill_step_last;
        end
        if (drain) begin
            x_data_q <= chunk_d;
            x_user_q <= {drain_tok_last, drain_tok_q[TOK_W-1:0]};
            x_last_q <= drain_tok_last && drain_slot_last && bank_last_q[drain_bank_q];
        end
    end

    wire unused = &{1'b0, s_axis_step_tdata, place[47:40], count_occupancy, count_high_water, GROUPS_32,
        GROUP_CHUNKS_32,
                    GROUP_BEATS_32, CHUNKS_32, i};
endmodule

`default_nettype wire
