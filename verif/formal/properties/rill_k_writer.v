// SPDX-License-Identifier: Apache-2.0
// Properties of rill_k_writer, which verif/formal/run.sh inserts before its `endmodule`.
// Proves that each unit gets its place: position p goes to channel p mod CHANNELS, into row p / CHANNELS of its layer
// and head. The first unit of each head and token comes with the descriptor. On the channels' side, units leave in
// order, each only to its channel and with its descriptor (one arbitrary unit is followed). A unit that a channel has
// not taken stays. A firing is done when the channels have taken its last unit.
// Only designs without slots (PLACES 0) are proved, and not the pulses on given.
// Assumptions about the streams: a step begins in a row below 2,048; krows is the number of rows that hold positions
// before the step; units, tokens, heads and layers come in the order that the header of rill_k_writer gives.
localparam F_C = CHANNELS;
reg                 f_begun_q = 1'b0;
(* anyseq *) wire [15:0] f_row_in;           // a new step's pos is f_row_in * CHANNELS + f_lane_in
(* anyseq *) wire [5:0]  f_lane_in;
reg  [15:0]         f_first_row_q, f_row_q;  // row of the step's first token, and of the present one
reg  [5:0]          f_first_lane_q, f_lane_q;
reg  [15:0]         f_layer_q, f_head_q, f_unit_q;
reg  [3:0]          f_tok_q;
// Everything that is offered to the channels is taken.
wire                f_taken = ((m_axis_desc_tvalid & ~m_axis_desc_tready)
    | (m_axis_beat_tvalid & ~m_axis_beat_tready)) == {CHANNELS{1'b0}};
(* anyseq *) wire   f_mark;                  // marks the unit that is taken, if no marked unit is held
reg                 f_inside_q;              // one of the module's two registers holds the marked unit
reg                 f_behind_q;              // another unit is before the marked one
// These registers describe the marked unit: which of the two registers holds it (1: word_1_q), whether it is the first
// of its head and token, whether it ends a firing, whether this is its first cycle at the output, its channel
// (one-hot), its address, and its data.
reg                 f_slot_q, f_unit_first_q, f_unit_ends_q, f_unit_new_q;
reg  [CHANNELS-1:0] f_to_q;
reg  [39:0]         f_at_q;
reg  [BEAT_BITS-1:0] f_word_q;
reg                 f_ended_q;               // the last unit of a firing left in the previous cycle
wire                f_leaves = f_inside_q && !f_behind_q && f_taken;
reg  [CHANNELS-1:0] f_desc_held_q, f_beat_held_q;
reg  [39:0]         f_desc_q;
reg  [BEAT_BITS-1:0] f_beat_q;
wire                f_step = s_axis_step_tvalid && s_axis_step_tready;
wire [15:0]         f_pos_in = s_axis_step_tdata[STEP_POS +: STEP_POS_W];
wire [15:0]         f_krows_in = s_axis_step_tdata[STEP_KROWS +: STEP_KROWS_W];
wire                f_last_unit = f_unit_q == UNITS - 1;
wire [39:0]         f_place = K_BASE + f_layer_q * K_LAYER_STRIDE + f_head_q * K_HEAD_STRIDE + f_row_q * ROW_BYTES;
// Free places of the step's first row if this row already holds positions; otherwise 0. over_q must have this value.
wire [20:0]         f_over = f_first_lane_q == 6'd0 ? 21'd0 : F_C - f_first_lane_q;
integer             f_i;
always @(posedge clk) begin
    f_begun_q <= 1'b1;
    assume (f_begun_q || rst);
    assume (f_lane_in < F_C && f_row_in < 16'h0800 && f_pos_in == f_row_in * F_C + f_lane_in);
    assume (f_krows_in == f_row_in + (f_lane_in != 6'd0));
    assume (!s_axis_kv_tvalid || f_tok_q < TOKENS - 1 || token_last);
    assume (!s_axis_kv_tlast || (f_last_unit && token_last));
    assume (!s_axis_kv_tvalid || !f_last_unit || !token_last || f_head_q < HEADS - 1 || s_axis_kv_tlast);
    f_desc_held_q <= rst ? {CHANNELS{1'b0}} : m_axis_desc_tvalid & ~m_axis_desc_tready;
    f_beat_held_q <= rst ? {CHANNELS{1'b0}} : m_axis_beat_tvalid & ~m_axis_beat_tready;
    f_desc_q <= m_axis_desc_tdata[DESCRIPTOR_OFFSET +: DESCRIPTOR_OFFSET_W];
    f_beat_q <= m_axis_beat_tdata;
    if (f_step) begin
        f_first_row_q <= f_row_in;
        f_first_lane_q <= f_lane_in;
        f_row_q <= f_row_in;
        f_lane_q <= f_lane_in;
        {f_layer_q, f_head_q, f_unit_q, f_tok_q} <= 52'd0;
    end else if (take) begin
        f_unit_q <= f_last_unit ? 16'd0 : f_unit_q + 16'd1;
        if (f_last_unit && token_last) begin
            f_tok_q <= 4'd0;
            f_row_q <= f_first_row_q;
            f_lane_q <= f_first_lane_q;
            f_head_q <= s_axis_kv_tlast ? 16'd0 : f_head_q + 16'd1;
            f_layer_q <= f_layer_q + s_axis_kv_tlast;
        end else if (f_last_unit) begin
            f_tok_q <= f_tok_q + 4'd1;
            f_row_q <= f_row_q + (f_lane_q == F_C - 1);
            f_lane_q <= f_lane_q == F_C - 1 ? 6'd0 : f_lane_q + 6'd1;
        end
    end
    f_unit_new_q <= !rst && ((take && f_mark && !f_inside_q && (!any_q || pop) && !both_q)
        || (f_inside_q && f_behind_q && pop));
    f_ended_q <= !rst && f_leaves && f_unit_ends_q;
    if (rst)
        f_inside_q <= 1'b0;
    else if (take && f_mark && !f_inside_q) begin
        f_inside_q <= 1'b1;
        f_behind_q <= any_q && !pop;
        f_slot_q <= write_q;
        f_to_q <= {{(CHANNELS-1){1'b0}}, 1'b1} << f_lane_q;
        f_at_q <= f_place;
        f_word_q <= s_axis_kv_tdata[BEAT_BITS-1:0];
        f_unit_first_q <= f_unit_q == 16'd0;
        f_unit_ends_q <= s_axis_kv_tlast;
    end else if (f_inside_q && pop) begin
        f_inside_q <= f_behind_q;
        f_behind_q <= 1'b0;
    end
    if (f_begun_q && !rst) begin
        if (take) begin
            assert (unit_first == (f_unit_q == 16'd0) && unit_last == f_last_unit);
            assert (lane_q == f_lane_q && head_base_q + row_offset_q == f_place);
        end
        if (state_q == S_PLACE)
            assert (pos_q == f_first_row_q * F_C + f_first_lane_q && krows_q == f_first_row_q
                + (f_first_lane_q != 6'd0));
        if (state_q == S_ROW) begin
            assert (krows_q == f_first_row_q + (f_first_lane_q != 6'd0));
            assert (row_ready_q || over_q == f_over);
            assert (!row_ready_q || (first_lane_q == f_first_lane_q && first_row_q == f_first_row_q));
        end
        if (state_q != S_STEP)
            assert (f_first_lane_q < F_C && f_first_row_q < 16'h0800);
        if (state_q == S_PLACE || state_q == S_ROW)
            assert ({f_layer_q, f_head_q, f_unit_q, f_tok_q} == 52'd0 && layer_q == 16'd0 && unit_q == 16'd0 &&
                    layer_base_q == K_BASE && head_base_q == K_BASE && f_row_q == f_first_row_q
                        && f_lane_q == f_first_lane_q);
        if (state_q == S_PLACE)
            assert (!row_ready_q);
        if (state_q == S_RUN) begin
            assert (first_lane_q == f_first_lane_q && first_row_q == f_first_row_q
                && first_offset_q == f_first_row_q * ROW_BYTES);
            assert (lane_q == f_lane_q && f_lane_q < F_C && lane_last_q == (f_lane_q == F_C - 1));
            assert (row_offset_q == f_row_q * ROW_BYTES && f_row_q < 16'h0810);
            assert (f_row_q >= f_first_row_q && f_row_q <= f_first_row_q + f_tok_q);
            assert (unit_q == f_unit_q && f_unit_q < UNITS && f_tok_q < TOKENS && f_head_q < HEADS);
            assert (layer_q == f_layer_q && f_layer_q < LAYERS);
            assert (layer_base_q == K_BASE + f_layer_q * K_LAYER_STRIDE);
            assert (head_base_q == K_BASE + f_layer_q * K_LAYER_STRIDE + f_head_q * K_HEAD_STRIDE);
        end
        assert ((f_desc_held_q & ~m_axis_desc_tvalid) == {CHANNELS{1'b0}}
            && (f_beat_held_q & ~m_axis_beat_tvalid) == {CHANNELS{1'b0}});
        if (f_desc_held_q != {CHANNELS{1'b0}})
            assert (m_axis_desc_tdata == {UNITS_32[15:0], f_desc_q});
        if (f_beat_held_q != {CHANNELS{1'b0}})
            assert (m_axis_beat_tdata == f_beat_q);
        assert (!both_q || any_q);
        assert (!ready_q || !both_q);
        assert ((write_q != read_q) == (any_q && !both_q));
        if (!any_q)
            assert (beat_valid_q == {CHANNELS{1'b0}} && desc_valid_q == {CHANNELS{1'b0}});
        if (f_inside_q) begin
            assert (any_q && f_behind_q == (f_slot_q != read_q) && (!f_behind_q || both_q));
            assert ((f_slot_q ? word_1_q : word_0_q) == {f_unit_ends_q, f_at_q, f_word_q});
            assert ((f_slot_q ? lanes_1_q : lanes_0_q) == f_to_q);
            assert ((f_slot_q ? first_1_q : first_0_q) == f_unit_first_q);
            if (!f_behind_q) begin
                assert (m_axis_desc_tdata[DESCRIPTOR_OFFSET +: DESCRIPTOR_OFFSET_W] == f_at_q
                    && m_axis_beat_tdata == f_word_q);
                assert ((m_axis_beat_tvalid & ~f_to_q) == {CHANNELS{1'b0}});
                assert ((m_axis_desc_tvalid & ~(f_unit_first_q ? f_to_q : {CHANNELS{1'b0}})) == {CHANNELS{1'b0}});
                if (f_unit_new_q)                          // first cycle at the output: nothing of it is taken yet
                    assert (m_axis_beat_tvalid == f_to_q
                        && m_axis_desc_tvalid == (f_unit_first_q ? f_to_q : {CHANNELS{1'b0}}));
            end
        end
        if (f_ended_q)
            assert (layer_done);
    end
end
