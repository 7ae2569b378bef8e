// SPDX-License-Identifier: Apache-2.0
// Properties of rill_stream_mux, which verif/formal/run.sh inserts before its `endmodule`.
// Proves that in a turn the beats of its port, and of no other port, pass unchanged, up to the beat with tlast, which
// ends the turn. The proof follows one arbitrary turn.
// verif/formal/run.sh describes the directive `shows`.
// shows: u_turns f_turns
wire            f_turns_watched;             // the present turn is the one that is followed (rill_turns)
reg             f_begun_q = 1'b0;
reg             f_reset_q = 1'b0;
reg             f_goes_on_q;                 // a turn was present in the previous cycle and did not end
reg  [7:0]      f_port_q;
always @(posedge clk) begin
    f_begun_q <= 1'b1;
    f_reset_q <= rst;
    assume (f_begun_q || rst);
    f_goes_on_q <= !rst && turn_valid && !(m_axis_tvalid && m_axis_tready && m_axis_tlast);
    f_port_q <= port_index;
    if (f_begun_q) begin
        assert (!rst || !f_reset_q || (!m_axis_tvalid && s_axis_tready == {PORTS{1'b0}}));
        if (!rst && !turn_valid)
            assert (!m_axis_tvalid && s_axis_tready == {PORTS{1'b0}});
        if (!rst && f_turns_watched && port_index < PORTS) begin
            assert (m_axis_tvalid == s_axis_tvalid[port_index]);
            assert (s_axis_tready == ({{(PORTS-1){1'b0}}, m_axis_tready} << port_index));
            assert (m_axis_tlast == s_axis_tlast[port_index]);
            assert (m_axis_tdata == s_axis_tdata[port_index*DATA_W +: DATA_W]);
            assert (m_axis_tuser == s_axis_tuser[port_index*USER_W +: USER_W]);
        end
        if (!rst && f_goes_on_q)
            assert (turn_valid && port_index == f_port_q);
    end
end
