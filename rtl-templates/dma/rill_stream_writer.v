// SPDX-License-Identifier: Apache-2.0
// Writes the firings of an fp32 vector stream to memory as rows. The vector of position p goes to OFFSET + p*ROW_BYTES
// of the channel.
//
// In: a vector stream (docs/rtl.md section 3), one firing of CHUNKS chunks per step, tokens innermost. Positions count
// up from 0 after reset.
// Out: descriptors and beats for one rill_dma_write. A row has CHUNKS*LANES fp32 values in order, padded with zeros to
// whole groups of max(beat, chunk) bits: ROW_BYTES = ceil(CHUNKS*LANES*32 / group) * group / 8. The layout does not
// depend on TOKENS.
// steps_done counts the firings whose writes all have their responses. dma_written is `written` of the rill_dma_write:
// one pulse for each descriptor whose responses have all come.
// Throughput: one chunk per cycle while the rill_dma_write keeps up. Descriptors leave through a register slice, so
// that the tready of the rill_dma_write ends there. Reset: clk, synchronous active-high rst.
//
// name       meaning                                                  unit      range
// BEAT_BITS  width of a beat                                          bits      256, 512
// LANES      fp32 per chunk                                           elements  1, 2, 4, 8, 16, 32
// TOKENS     tokens per step, upper bound                             tokens    1, 2, 4, 8
// CHUNKS     chunks of a token                                        chunks    1 to 65535
// OFFSET     offset of the rows in the channel, a multiple of a beat  bytes     any
// COUNT_W    width of the count of open descriptors                   bits      1 to 16
//            (rill_write_tracker)
// USER_W     width of tuser                                           bits      derived
`default_nettype none

module rill_stream_writer #(
    parameter BEAT_BITS = 0,
    parameter LANES = 0,
    parameter TOKENS = 0,
    parameter CHUNKS = 0,
    parameter [39:0] OFFSET = 0,
    parameter COUNT_W = 9,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire                 clk,
    input  wire                 rst,

    input  wire                 s_axis_y_tvalid,
    output wire                 s_axis_y_tready,
    input  wire [LANES*32-1:0]  s_axis_y_tdata,
    input  wire [USER_W-1:0]    s_axis_y_tuser,      // {tok_last, tok}
    input  wire                 s_axis_y_tlast,

    output wire                 m_axis_desc_tvalid,
    input  wire                 m_axis_desc_tready,
    output wire [55:0]          m_axis_desc_tdata,
    output wire                 m_axis_beat_tvalid,
    input  wire                 m_axis_beat_tready,
    output wire [BEAT_BITS-1:0] m_axis_beat_tdata,

    input  wire                 dma_written,
    output wire [31:0]          steps_done
);
    localparam CHUNK_BITS = LANES * 32;
    localparam GROUP_BITS = CHUNK_BITS > BEAT_BITS ? CHUNK_BITS : BEAT_BITS;
    localparam GROUP_CHUNKS = GROUP_BITS / (CHUNK_BITS > 0 ? CHUNK_BITS : 1);
    localparam GROUP_BEATS = GROUP_BITS / (BEAT_BITS > 0 ? BEAT_BITS : 1);
    localparam GROUPS = (CHUNKS + GROUP_CHUNKS - 1) / GROUP_CHUNKS;
    localparam [31:0] GROUP_BYTES = GROUP_BITS / 8;
    localparam [31:0] ROW_BYTES = GROUPS * GROUP_BITS / 8;
    localparam [31:0] GROUP_CHUNKS_32 = GROUP_CHUNKS;
    localparam [31:0] GROUP_BEATS_32 = GROUP_BEATS;
    localparam [31:0] CHUNKS_32 = CHUNKS;
    localparam TOK_W = USER_W - 1;

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

    // Gathers one group per token. All tokens are at the same chunk.
    wire                  token_last = s_axis_y_tuser[USER_W-1];
    wire [TOK_W-1:0]      token = s_axis_y_tuser[TOK_W-1:0];
    reg  [15:0]           chunk_q;
    reg  [15:0]           slot_q;            // chunk within the group
    wire                  chunk_last = chunk_q == CHUNKS_32[15:0] - 16'd1;
    wire                  group_last = chunk_last || slot_q == GROUP_CHUNKS_32[15:0] - 16'd1;
    reg  [39:0]           group_offset_q;    // offset of this group in the first row of the step
    reg  [39:0]           offset_q;          // offset of this group in the row of the token at the input
    // Offset of the first row of the step; in the last chunk, offset of the row of the token at the input.
    reg  [39:0]           step_offset_q;
    wire                  take = s_axis_y_tvalid && s_axis_y_tready;
    wire [TOKENS*GROUP_BITS-1:0] gathered;   // group of each token, with the chunk at the input in its place
    reg  [GROUP_BITS-1:0] group_d;

    genvar t, s;
    generate
        for (t = 0; t < TOKENS; t = t + 1) begin : gen_token
            localparam [31:0] T = t;
            for (s = 0; s < GROUP_CHUNKS; s = s + 1) begin : gen_slot
                localparam [31:0] S = s;
                reg  [CHUNK_BITS-1:0] held_q;
                wire here = token == T[TOK_W-1:0] && slot_q == S[15:0];
                always @(posedge clk)
                    if (rst || (take && group_last && token == T[TOK_W-1:0]))
                        held_q <= {CHUNK_BITS{1'b0}};
                    else if (take && here)
                        held_q <= s_axis_y_tdata;
                assign gathered[t*GROUP_BITS + s*CHUNK_BITS +: CHUNK_BITS] = here ? s_axis_y_tdata : held_q;
            end
        end
    endgenerate

    integer i;
    always @* begin
        group_d = {GROUP_BITS{1'b0}};
        for (i = 0; i < TOKENS; i = i + 1)
            if (token == i[TOK_W-1:0])
                group_d = group_d | gathered[i*GROUP_BITS +: GROUP_BITS];
    end

    // The group that is being sent.
    reg                  open_q;             // low in reset
    reg                  desc_valid_q;
    reg  [39:0]          desc_offset_q;
    reg  [GROUP_BITS-1:0] beats_q;           // beats that have not left, the next one in the low bits
    reg  [5:0]           left_q;             // beats of the group that have not left yet
    reg  [5:0]           left_d;
    reg                  some_q;             // left_q != 0
    reg                  last_q;             // left_q == 1
    reg                  end_q;              // the last group of a firing is being sent
    reg                  firing_done_q;      // pulse: all descriptors and beats of a firing have been taken
    reg                  given_q;            // u_desc has taken the descriptor
    wire                 beat_out = m_axis_beat_tvalid && m_axis_beat_tready;
    wire                 desc_ready;         // the register slice can take a descriptor
    wire [55:0]          desc_data = {GROUP_BEATS_32[15:0], desc_offset_q};
    wire                 clear = (!desc_valid_q || desc_ready)
        && (!some_q || (last_q && m_axis_beat_tready));
    wire                 load = take && group_last;

    assign s_axis_y_tready = open_q && (!group_last || clear);
    rill_register_slice #(.DATA_W(56), .MODE(3)) u_desc (
        .clk(clk), .rst(rst), .s_axis_tvalid(desc_valid_q), .s_axis_tready(desc_ready), .s_axis_tdata(desc_data),
        .m_axis_tvalid(m_axis_desc_tvalid), .m_axis_tready(m_axis_desc_tready), .m_axis_tdata(m_axis_desc_tdata));
    assign m_axis_beat_tvalid = some_q;
    wire [GROUP_BITS+BEAT_BITS-1:0] beats = {{BEAT_BITS{1'b0}}, beats_q};
    assign m_axis_beat_tdata = beats[BEAT_BITS-1:0];

    always @* begin
        left_d = left_q;
        if (rst)
            left_d = 6'd0;
        else if (load)
            left_d = GROUP_BEATS_32[5:0];
        else if (beat_out)
            left_d = left_q - 6'd1;
    end

    always @(posedge clk) begin
        open_q <= !rst;
        left_q <= left_d;
        some_q <= left_d != 6'd0;
        last_q <= left_d == 6'd1;
        if (rst) begin
            chunk_q <= 16'd0;
            slot_q <= 16'd0;
            group_offset_q <= OFFSET;
            offset_q <= OFFSET;
            step_offset_q <= OFFSET;
        end else if (take) begin
            if (token_last) begin
                chunk_q <= chunk_last ? 16'd0 : chunk_q + 16'd1;
                slot_q <= group_last ? 16'd0 : slot_q + 16'd1;
            end
            if (group_last && token_last && chunk_last) begin
                step_offset_q <= step_offset_q + {8'd0, ROW_BYTES};
                group_offset_q <= step_offset_q + {8'd0, ROW_BYTES};
                offset_q <= step_offset_q + {8'd0, ROW_BYTES};
            end else if (group_last && token_last) begin
                group_offset_q <= group_offset_q + {8'd0, GROUP_BYTES};
                offset_q <= group_offset_q + {8'd0, GROUP_BYTES};
            end else if (group_last) begin
                offset_q <= offset_q + {8'd0, ROW_BYTES};
                if (chunk_last)
                    step_offset_q <= step_offset_q + {8'd0, ROW_BYTES};
            end
        end
        if (rst) begin
            desc_valid_q <= 1'b0;
            end_q <= 1'b0;
            firing_done_q <= 1'b0;
            given_q <= 1'b0;
        end else begin
            if (load)
                desc_valid_q <= 1'b1;
            else if (desc_ready)
                desc_valid_q <= 1'b0;
            end_q <= (load && s_axis_y_tlast) || (end_q && !clear);
            firing_done_q <= end_q && clear;
            given_q <= desc_valid_q && desc_ready;
        end
        if (load) begin
            desc_offset_q <= offset_q;
            beats_q <= group_d;
        end else if (beat_out)
            beats_q <= beats[BEAT_BITS +: GROUP_BITS];
    end

    rill_write_tracker #(.WRITERS(1), .COUNT_W(COUNT_W)) u_done (
        .clk(clk), .rst(rst), .layer_done(firing_done_q), .given(given_q), .written(dma_written),
        .layers_done(steps_done));

`ifdef RILL_ASSERT
    always @(posedge clk)
        if (!rst && take && s_axis_y_tlast != (chunk_last && token_last)) begin
            $display("%m: a firing does not end with the last token of the last chunk");
            $stop;
        end
`endif

    wire unused = &{1'b0, GROUP_CHUNKS_32, GROUP_BEATS_32, CHUNKS_32, i};
endmodule

`default_nettype wire
