// SPDX-License-Identifier: Apache-2.0
// Properties of rill_weight_lane, which verif/formal/run.sh inserts before its `endmodule`.
// Proves that the beats of each run are read once, in order, and only while `filled` is high; that every beat that was
// read leaves once, in order; and that a beat that waits stays. The proof is about the addresses of beats; the contents
// of the RAM are not part of it.
// Assumption: a run has at least one beat and ends within the RAM.
reg               f_begun_q = 1'b0;
reg  [ADDR_W-1:0] f_first_q;                 // run that is being read: number of its first beat, its beats, beats read
reg  [15:0]       f_beats_q, f_read_q;
reg               f_wait_q;                  // a run was taken and is not being read yet
reg  [ADDR_W+15:0] f_waiting_q;
reg  [1:0]        f_inside_q;                // beats that were read and have not left
reg               f_held_q;
reg  [BEAT_BITS-1:0] f_beat_q;
reg  [ADDR_W-1:0] f_ahead_q, f_out_q;        // addresses of the beats in the two registers
wire [16:0]       f_end = {1'b0, s_axis_run_tdata[ADDR_W +: 16]}
    + {{(17 - ADDR_W){1'b0}}, s_axis_run_tdata[ADDR_W-1:0]};
wire              f_sends = m_axis_beat_tvalid && m_axis_beat_tready;
always @(posedge clk) begin
    f_begun_q <= 1'b1;
    assume (f_begun_q || rst);
    assume (!s_axis_run_tvalid || (s_axis_run_tdata[ADDR_W +: 16] != 16'd0 && f_end <= DEPTH));
    f_held_q <= !rst && m_axis_beat_tvalid && !m_axis_beat_tready;
    f_beat_q <= m_axis_beat_tdata;
    if (rst) begin
        f_wait_q <= 1'b0;
        f_inside_q <= 2'd0;
        f_read_q <= 16'd0;
        f_beats_q <= 16'd0;
    end else begin
        if (s_axis_run_tvalid && s_axis_run_tready) begin
            f_wait_q <= 1'b1;
            f_waiting_q <= s_axis_run_tdata;
        end else if (begins)
            f_wait_q <= 1'b0;
        if (begins) begin
            {f_beats_q, f_first_q} <= f_waiting_q;
            f_read_q <= 16'd0;
        end else if (fetch)
            f_read_q <= f_read_q + 16'd1;
        f_inside_q <= f_inside_q + {1'b0, fetch} - {1'b0, f_sends};
    end
    if (fetch) f_ahead_q <= addr_q;
    if (move) f_out_q <= f_ahead_q;
    if (f_begun_q && !rst) begin
        assert (f_wait_q == wait_valid_q);
        assert (!wait_valid_q || f_waiting_q == {wait_beats_q, wait_addr_q});
        assert (!(wait_valid_q && ready_q));
        assert (!wait_valid_q || wait_beats_q != 16'd0);
        assert (run_q == (f_read_q != f_beats_q));
        if (run_q) begin
            assert (addr_q == f_first_q + f_read_q[ADDR_W-1:0]);
            assert (left_q == f_beats_q - f_read_q - 16'd1);
            assert (last_q == (left_q == 16'd0));
            assert (f_read_q < f_beats_q);
        end
        assert (!fetch || (run_q && filled));
        assert (!(begins && run_q) || (fetch && f_read_q + 16'd1 == f_beats_q));
        assert (f_inside_q == {1'b0, ahead_valid_q} + {1'b0, out_valid_q});
        assert (!f_held_q || (m_axis_beat_tvalid && m_axis_beat_tdata == f_beat_q));
    end
end
