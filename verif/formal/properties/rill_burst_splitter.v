// SPDX-License-Identifier: Apache-2.0
// Properties of rill_burst_splitter, which verif/formal/run.sh inserts before its `endmodule`.
// Proves that the bursts of a descriptor cover its bytes, each byte once and in order. No burst crosses a multiple of
// MAX_BURST beats, so none crosses a 4 KiB page. Lengths are 1 to MAX_BURST, burst_last marks only the last burst, and
// a burst that waits does not change. The proof follows one arbitrary descriptor, the marked one. verif/formal/run.sh
// describes the directive `shows`.
// shows: u_next f_next
wire        f_next_mark = f_mark && !f_open_q;
wire        f_next_marked;
wire [1:0]  f_next_ahead;
wire [15+ADDR_W:0] f_next_word;               // {beats, address in beats} of the marked one
wire [15+ADDR_W:0] f_next_second;
localparam F_FULL = MAX_BURST * BEAT_BYTES;  // bytes between two borders that no burst crosses
reg         f_begun_q = 1'b0;
(* anyseq *) wire f_mark;
reg         f_held_q;                        // the burst at the output waits
reg  [ADDR_BITS+9:0] f_burst_q;
reg         f_open_q;                        // the marked descriptor is inside
reg  [1:0]  f_ahead_q;                       // descriptors before the marked one
reg  [ADDR_BITS-1:0] f_address_q;                        // address of the marked one's next burst
reg  [15:0] f_left_q;                        // beats of the marked one that have not left
reg  [1:0]  f_count_q;                       // descriptors inside, without those of 0 beats
reg         f_awake_q;                       // neither rst nor flush was high in the previous cycle
wire        f_desc = s_axis_desc_tvalid && s_axis_desc_tready && !flush;
wire        f_in = f_desc && s_axis_desc_tdata[DESCRIPTOR_BEATS +: DESCRIPTOR_BEATS_W] != 16'd0;
wire        f_out = m_axis_burst_tvalid && m_axis_burst_tready;
wire        f_ends = f_out && m_axis_burst_last;
wire        f_mine = f_open_q && f_ahead_q == 2'd0;
wire [8:0]  f_beats = m_axis_burst_tdata[ADDR_BITS +: 9];
wire [63:0] f_address = m_axis_burst_tdata[ADDR_BITS-1:0];
wire [63:0] f_end = f_address + (f_beats << BEAT_SHIFT) - 64'd1; // last byte of the burst
always @(posedge clk) begin
    f_begun_q <= 1'b1;
    f_awake_q <= !rst && !flush;
    assume (f_begun_q || rst);
    // Assumption: base and offsets are whole beats.
    assume ((base & (BEAT_BYTES - 1)) == 64'd0
        && (s_axis_desc_tdata[DESCRIPTOR_OFFSET +: DESCRIPTOR_OFFSET_W] & (BEAT_BYTES - 1)) == 40'd0);
    f_held_q <= !rst && !flush && m_axis_burst_tvalid && !m_axis_burst_tready;
    f_burst_q <= {m_axis_burst_last, m_axis_burst_tdata};
    f_count_q <= rst || flush ? 2'd0 : f_count_q + {1'b0, f_in} - {1'b0, f_ends};
    if (rst || flush)
        f_open_q <= 1'b0;
    else if (f_in && f_mark && !f_open_q) begin
        f_open_q <= 1'b1;
        f_ahead_q <= f_count_q - {1'b0, f_ends};
        f_address_q <= base + {24'd0, s_axis_desc_tdata[DESCRIPTOR_OFFSET +: DESCRIPTOR_OFFSET_W]};
        f_left_q <= s_axis_desc_tdata[DESCRIPTOR_BEATS +: DESCRIPTOR_BEATS_W];
    end else if (f_mine && f_out) begin
        f_open_q <= !m_axis_burst_last;
        f_address_q <= f_end + 64'd1;
        f_left_q <= f_left_q - {7'd0, f_beats};
    end else if (f_open_q && f_ends)
        f_ahead_q <= f_ahead_q - 2'd1;
    if (f_begun_q && !rst) begin
        assert (busy == (f_count_q != 2'd0));
        assert (f_count_q == next_fill + {1'b0, work_valid_q});
        assert (f_count_q <= 2'd3);
        assert (work_none_q == !work_valid_q && (open_q || !room));
        assert (!f_open_q || f_ahead_q < f_count_q);
        assert (!next_valid || next_beats != 16'd0);
        assert (next_fill != 2'd2 || f_next_second[ADDR_W +: 16] != 16'd0);
        if (work_valid_q) begin
            assert (f_beats >= 9'd1 && f_beats <= MAX_BURST && length_q[15:9] == 7'd0);
            assert ((f_address & (BEAT_BYTES - 1)) == 64'd0);
            assert ((f_address & ~(F_FULL - 64'd1)) == (f_end & ~(F_FULL - 64'd1)));
            assert (f_address[63:12] == f_end[63:12]);
            assert (last_q == (left_q == 16'd0));
            assert (last_q || ((f_end + 64'd1) & (F_FULL - 64'd1)) == 64'd0);
        end
        if (f_mine && work_valid_q) begin
            assert (f_address == f_address_q && f_left_q == left_q + length_q);
            assert (m_axis_burst_last == (f_left_q == {7'd0, f_beats}));
        end
        if (f_held_q)
            assert (m_axis_burst_tvalid && {m_axis_burst_last, m_axis_burst_tdata} == f_burst_q);
        assert (f_next_marked == (f_open_q && !(work_valid_q && f_ahead_q == 2'd0)));
        assert (!f_open_q || ((f_address_q & (BEAT_BYTES - 1)) == 64'd0 && f_left_q != 16'd0));
        if (f_next_marked)
            assert (f_next_ahead == f_ahead_q - {1'b0, work_valid_q} &&
                    f_next_word == {f_left_q, f_address_q[ADDR_BITS-1:BEAT_SHIFT]});
        if (f_awake_q && !flush)
            assert (s_axis_desc_tready == (next_fill != 2'd2)); // room for two besides the one that is cut
    end
end
