// SPDX-License-Identifier: Apache-2.0
// Properties of rill_stream_reader, which verif/formal/run.sh inserts before its `endmodule`.
// Proves that each step gives a descriptor for each group of each token, in the order group, token. Its offset is
// OFFSET + position * ROW_BYTES + group * GROUP_BYTES. A word that waits at either output stays. The beats that answer
// a descriptor are not covered. Assumption: steps have 1 to TOKENS tokens.
reg                  f_begun_q = 1'b0;
reg                  f_busy_q;               // the step has descriptors to come
reg  [15:0]          f_pos_q, f_group_q;
reg  [3:0]           f_ntok_q, f_tok_q;
wire [3:0]           f_ntok_in = s_axis_step_tdata[STEP_NTOK +: STEP_NTOK_W];
wire                 f_tok_last = f_tok_q == f_ntok_q - 4'd1;
// Offset of the present group for the step's first token.
wire [39:0]          f_group_at = OFFSET + f_pos_q * ROW_BYTES + f_group_q * GROUP_BYTES;
reg                  f_held_q, f_out_held_q;
reg  [55:0]          f_burst_q;
reg  [CHUNK_BITS+USER_W:0] f_word_q;
always @(posedge clk) begin
    f_begun_q <= 1'b1;
    assume (f_begun_q || rst);
    assume (f_ntok_in != 4'd0 && f_ntok_in <= TOKENS);
    f_held_q <= !rst && m_axis_desc_tvalid && !m_axis_desc_tready;
    f_burst_q <= m_axis_desc_tdata;
    f_out_held_q <= !rst && m_axis_x_tvalid && !m_axis_x_tready;
    f_word_q <= {m_axis_x_tlast, m_axis_x_tuser, m_axis_x_tdata};
    if (rst)
        f_busy_q <= 1'b0;
    else if (step_take) begin
        f_busy_q <= 1'b1;
        f_pos_q <= s_axis_step_tdata[STEP_POS +: STEP_POS_W];
        f_ntok_q <= f_ntok_in;
        f_tok_q <= 4'd0;
        f_group_q <= 16'd0;
    end else if (ask) begin
        f_tok_q <= f_tok_last ? 4'd0 : f_tok_q + 4'd1;
        f_group_q <= f_group_q + f_tok_last;
        f_busy_q <= !(f_tok_last && f_group_q == GROUPS - 1);
    end
    if (f_begun_q && !rst) begin
        assert (f_busy_q == (state_q != S_STEP) && state_q != 2'd3);
        assert (!m_axis_desc_tvalid || f_busy_q);
        if (m_axis_desc_tvalid)
            assert (m_axis_desc_tdata == {GROUP_BEATS_32[15:0], f_group_at + f_tok_q * ROW_BYTES});
        if (f_busy_q)
            assert (f_ntok_q == ntok_q && f_pos_q == pos_q && f_ntok_q != 4'd0 && f_ntok_q <= TOKENS
                && f_tok_q < f_ntok_q && f_group_q < GROUPS);
        if (state_q == S_PLACE)
            assert (f_tok_q == 4'd0 && f_group_q == 16'd0);
        if (state_q == S_RUN)
            assert (ask_tok_q == f_tok_q && ask_group_q == f_group_q && group_offset_q == f_group_at
                && offset_q == f_group_at + f_tok_q * ROW_BYTES);
        if (f_held_q)
            assert (m_axis_desc_tvalid && m_axis_desc_tdata == f_burst_q);
        if (f_out_held_q)
            assert (m_axis_x_tvalid && {m_axis_x_tlast, m_axis_x_tuser, m_axis_x_tdata} == f_word_q);
    end
end
