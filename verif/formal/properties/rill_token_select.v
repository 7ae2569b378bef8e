// SPDX-License-Identifier: Apache-2.0
// Properties of rill_token_select, which verif/formal/run.sh inserts before its `endmodule`.
// Proves for ALL = 0 that in a step with head set, the data of the last token's beats pass unchanged, and their tuser
// is that of a step with one token. All other beats are dropped without waiting. A step word is taken with the tlast
// beat of its firing, and with no other beat.
reg  f_begun_q = 1'b0;
wire f_in = s_axis_tvalid && s_axis_tready;
wire f_out = m_axis_tvalid && m_axis_tready;
wire f_passes = s_axis_step_tdata[STEP_HEAD] && s_axis_tuser[USER_W-1];
always @(posedge clk) begin
    f_begun_q <= 1'b1;
    if (f_begun_q) begin
        assert (!rst || !(s_axis_tready || m_axis_tvalid || s_axis_step_tready));
        assert (rst || m_axis_tvalid == (s_axis_tvalid && s_axis_step_tvalid && f_passes));
        assert (rst || f_in == (s_axis_tvalid && s_axis_step_tvalid && (!f_passes || m_axis_tready)));
        assert (f_out == (f_in && f_passes));
        assert ((s_axis_step_tvalid && s_axis_step_tready) == (f_in && s_axis_tlast));
        assert (!f_out || (m_axis_tdata == s_axis_tdata && m_axis_tlast == s_axis_tlast));
        assert (!f_out || (m_axis_tuser[USER_W-1] && (m_axis_tuser << 1) == {USER_W{1'b0}}));
    end
end
