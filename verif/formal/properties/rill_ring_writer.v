// SPDX-License-Identifier: Apache-2.0
// Properties of rill_ring_writer, which verif/formal/run.sh inserts before its `endmodule`.
// Proves that each id gets one descriptor of one beat at its address, and a beat that holds the words of earlier ids,
// this id, and zeros after it. Both stay until they are taken. An id is counted only when both have been taken and the
// write engine has then been idle for eight cycles, and before the next id is taken. Assumption: the indexes of the ids
// count up from 0. Only designs without slots (SLOTS 1) are proved.
reg                 f_begun_q = 1'b0;
reg                 f_open_q;                // an id was taken and is not counted yet
reg  [31:0]         f_id_q;
reg  [31:0]         f_count_q;               // ids taken
reg                 f_place_q;               // an id was taken in the previous cycle
reg                 f_desc_q;                // its descriptor is still to be taken
reg                 f_beat_q;                // its beat is still to be taken
reg  [BEAT_BITS-1:0] f_words_q;              // expected beat; words of earlier ids stay
reg  [3:0]          f_idle_q;                // idle cycles after both were taken
wire [31:0]         f_slot = f_count_q & SLOT_MASK;
wire                f_take = s_axis_ring_tvalid && s_axis_ring_tready;
integer             f_i;
always @(posedge clk) begin
    f_begun_q <= 1'b1;
    assume (f_begun_q || rst);
    assume (s_axis_ring_tdata[63:32] == f_count_q);
    assume (f_count_q != 32'hFFFF_FFFF);
    if (rst) begin
        f_open_q <= 1'b0;
        f_count_q <= 32'd0;
        f_place_q <= 1'b0;
        f_desc_q <= 1'b0;
        f_beat_q <= 1'b0;
    end else begin
        f_place_q <= f_take;
        f_desc_q <= f_place_q || (f_desc_q && !m_axis_desc_tready);
        f_beat_q <= f_place_q || (f_beat_q && !m_axis_beat_tready);
        f_idle_q <= f_take || f_place_q || f_desc_q || f_beat_q || state_q == S_SEND || !dma_idle ? 4'd0 : f_idle_q
            + 4'd1;
        if (f_take) begin
            f_open_q <= 1'b1;
            f_id_q <= s_axis_ring_tdata[31:0];
            f_count_q <= f_count_q + 32'd1;
            for (f_i = 0; f_i < IDS; f_i = f_i + 1)
                if (f_i >= f_slot)
                    f_words_q[32*f_i +: 32] <= f_i == f_slot ? s_axis_ring_tdata[31:0] : 32'd0;
        end else if (f_open_q && dma_idle && f_idle_q == 4'd7)
            f_open_q <= 1'b0;
    end
    if (f_begun_q && !rst) begin
        assert (m_axis_desc_tvalid == f_desc_q && m_axis_beat_tvalid == f_beat_q);
        assert (ids_written + {31'd0, f_open_q} == f_count_q);
        assert (!s_axis_ring_tready || !f_open_q);
        assert ((state_q != S_ID) == f_open_q && (state_q == S_PLACE) == f_place_q);
        assert (!(f_desc_q || f_beat_q) || state_q == S_SEND);
        if (state_q == S_RESPONSE)
            assert (f_idle_q == settle_q);
        for (f_i = 0; f_i < IDS; f_i = f_i + 1)
            if (f_open_q) begin
                assert (here_q[f_i] == (f_i == ((f_count_q - 32'd1) & SLOT_MASK)));
                assert (behind_q[f_i] == (f_i > ((f_count_q - 32'd1) & SLOT_MASK)));
                assert (here_q[f_i] || behind_q[f_i] || beat_q[32*f_i +: 32] == f_words_q[32*f_i +: 32]);
                if (f_place_q)
                    assert (f_words_q[32*f_i +: 32] == (here_q[f_i] ? id_q : behind_q[f_i] ? 32'd0
                        : beat_q[32*f_i +: 32]));
            end
        if (!f_place_q && f_count_q != 32'd0)
            assert (beat_q == f_words_q);
        if (f_open_q)
            assert (m_axis_desc_tdata == {16'd1, 40'd0} + ((f_count_q - 32'd1) / IDS) * (BEAT_BITS / 8));
    end
end
