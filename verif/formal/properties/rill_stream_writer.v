// SPDX-License-Identifier: Apache-2.0
// Properties of rill_stream_writer, which verif/formal/run.sh inserts before its `endmodule`.
// Proves that rows are written at the places of their positions. Each group of each token gets a descriptor, in the
// order group, token, at OFFSET + position * ROW_BYTES + group * GROUP_BYTES. Its beats hold the token's chunks in
// their slots, and zeros after the last chunk. A word that waits stays. The proof follows one arbitrary slot of one
// token, and the positions of all tokens.
// Assumptions about the stream: all chunks of a step have the same tokens, counted from 0; tlast is on the last token
// of the last chunk; positions do not overflow. rill_write_tracker and the register slice of the descriptors have their
// own proofs. verif/formal/run.sh describes the directive `shows`.
// shows: u_done f_done
wire                        f_done_none;
wire                        f_done_full;
wire                        f_done_wraps;
reg                         f_begun_q = 1'b0;
(* anyconst *) wire [TOK_W-1:0] f_tok;
(* anyconst *) wire [15:0]  f_slot;
reg  [15:0]                 f_row_q;                 // position of the step's first token
reg  [15:0]                 f_chunk_q;
reg  [3:0]                  f_at_q;                  // number of the present token in its chunk
reg  [3:0]                  f_ntok_q;                // tokens of the step, known after the first chunk
reg                         f_filled_q;              // the watched slot of the gathered group is filled
reg  [CHUNK_BITS-1:0]       f_data_q;                // content of the watched slot, if it is filled
reg  [39:0]                 f_offset_q;              // offset of the descriptor that waits
reg  [5:0]                  f_left_q;                // beats of the group that are left
reg                         f_mine_q;                // the group that is sent belongs to the watched token
reg  [CHUNK_BITS-1:0]       f_want_q;                // expected content of the watched slot
reg                         f_desc_q;                // a descriptor waits
wire                        f_here = s_axis_y_tuser[TOK_W-1:0] == f_tok;
wire [15:0]                 f_in_group = f_chunk_q % GROUP_CHUNKS;
wire                        f_group_last = f_chunk_q == CHUNKS - 1 || f_in_group == GROUP_CHUNKS - 1;
wire                        f_now = f_here && f_in_group == f_slot;
wire [39:0]                 f_group_at = OFFSET + f_row_q * ROW_BYTES + (f_chunk_q / GROUP_CHUNKS) * GROUP_BYTES;
wire [31:0]                 f_gone = (GROUP_BEATS - f_left_q) * BEAT_BITS;
wire [GROUP_BITS-1:0]       f_beats = beats_q << f_gone; // beats that are left, at their places in the group
always @(posedge clk) begin
    f_begun_q <= 1'b1;
    assume (f_begun_q || rst);
    assume (f_slot < GROUP_CHUNKS);
    // Assumptions of rill_write_tracker: the engine reports only open descriptors, and no count in it overflows.
    assume (!(dma_written && f_done_none) && !(given_q && f_done_full) && !f_done_wraps);
    assume (f_row_q < 16'hFF00);
    assume (!s_axis_y_tvalid || s_axis_y_tuser[TOK_W-1:0] == f_at_q);
    assume (!s_axis_y_tvalid || f_at_q < TOKENS - 1 || s_axis_y_tuser[USER_W-1]);
    assume (!s_axis_y_tvalid || f_chunk_q == 16'd0 || s_axis_y_tuser[USER_W-1] == (f_at_q == f_ntok_q - 4'd1));
    assume (s_axis_y_tlast == (chunk_last && token_last));
    if (rst) begin
        f_row_q <= 16'd0;
        f_chunk_q <= 16'd0;
        f_at_q <= 4'd0;
        f_filled_q <= 1'b0;
        f_left_q <= 6'd0;
        f_desc_q <= 1'b0;
    end else begin
        if (take) begin
            f_at_q <= token_last ? 4'd0 : f_at_q + 4'd1;
            if (token_last) begin
                f_chunk_q <= f_chunk_q == CHUNKS - 1 ? 16'd0 : f_chunk_q + 16'd1;
                f_ntok_q <= f_at_q + 4'd1;
                if (f_chunk_q == CHUNKS - 1)
                    f_row_q <= f_row_q + f_at_q + 16'd1;
            end
            if (f_now)
                f_data_q <= s_axis_y_tdata;
            if (f_here)
                f_filled_q <= !f_group_last && (f_now || f_filled_q);
        end
        if (take && f_group_last) begin
            f_offset_q <= f_group_at + f_at_q * ROW_BYTES;
            f_left_q <= GROUP_BEATS;
            f_mine_q <= f_here;
            f_want_q <= f_now ? s_axis_y_tdata : f_filled_q ? f_data_q : {CHUNK_BITS{1'b0}};
            f_desc_q <= 1'b1;
        end else begin
            if (desc_ready)
                f_desc_q <= 1'b0;
            if (beat_out)
                f_left_q <= f_left_q - 6'd1;
        end
    end
    if (f_begun_q && !rst) begin
        // Invariants for the induction: counters, offsets and the descriptor that waits.
        assert (chunk_q == f_chunk_q && f_chunk_q < CHUNKS && slot_q == f_in_group && f_at_q < TOKENS);
        assert (group_last == f_group_last);
        if (f_chunk_q != 16'd0)
            assert (f_ntok_q != 4'd0 && f_ntok_q <= TOKENS && f_at_q < f_ntok_q);
        assert (group_offset_q == f_group_at);
        assert (offset_q == f_group_at + (f_group_last ? f_at_q * ROW_BYTES : 40'd0));
        assert (step_offset_q == OFFSET + (f_row_q + (chunk_last ? f_at_q : 16'd0)) * ROW_BYTES);
        assert (desc_valid_q == f_desc_q && left_q == f_left_q && f_left_q <= GROUP_BEATS);
        assert (some_q == (left_q != 6'd0) && last_q == (left_q == 6'd1));
        assert (m_axis_beat_tvalid == (f_left_q != 6'd0));
        if (f_desc_q)
            assert (desc_data == {GROUP_BEATS_32[15:0], f_offset_q});
        if (f_left_q != 6'd0 && f_mine_q)
            assert (((f_beats[f_slot*CHUNK_BITS +: CHUNK_BITS] ^ f_want_q) >> f_gone) == {CHUNK_BITS{1'b0}});
        // A filled slot is of an earlier chunk of the group, or of this chunk if the watched token has passed.
        assert (!f_filled_q || f_chunk_q == 16'd0 || f_tok < f_ntok_q);
        assert (!f_filled_q || (f_at_q > f_tok ? !f_group_last && f_slot <= f_in_group : f_slot < f_in_group));
    end
end
genvar f_t, f_s;
generate
    for (f_t = 0; f_t < TOKENS; f_t = f_t + 1) begin : gen_f_token
        for (f_s = 0; f_s < GROUP_CHUNKS; f_s = f_s + 1) begin : gen_f_slot
            always @(posedge clk)
                if (f_begun_q && !rst && f_t == f_tok && f_s == f_slot)
                    assert (gen_token[f_t].gen_slot[f_s].held_q == (f_filled_q ? f_data_q : {CHUNK_BITS{1'b0}}));
        end
    end
endgenerate
