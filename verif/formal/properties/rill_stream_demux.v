// SPDX-License-Identifier: Apache-2.0
// Properties of rill_stream_demux, which verif/formal/run.sh inserts before its `endmodule`.
// Proves that in a turn the beats go unchanged to its port, and to no other one, up to the beat with tlast, which ends
// the turn. In a turn with port number 255 the beats are dropped. The proof follows one arbitrary turn.
// verif/formal/run.sh describes the directive `shows`.
// shows: u_turns f_turns
wire            f_turns_watched;             // the present turn is the one that is followed (rill_turns)
reg             f_begun_q = 1'b0;
reg             f_reset_q = 1'b0;
reg             f_goes_on_q;                 // a turn was present in the previous cycle and did not end
reg  [7:0]      f_port_q;
integer         f_i;
always @(posedge clk) begin
    f_begun_q <= 1'b1;
    f_reset_q <= rst;
    assume (f_begun_q || rst);
    f_goes_on_q <= !rst && turn_valid && !(s_axis_tvalid && s_axis_tready && s_axis_tlast);
    f_port_q <= port_index;
    if (f_begun_q) begin
        assert (!rst || !f_reset_q || (m_axis_tvalid == {PORTS{1'b0}} && !s_axis_tready));
        if (!rst && !turn_valid)
            assert (m_axis_tvalid == {PORTS{1'b0}} && !s_axis_tready);
        if (!rst && f_turns_watched && port_index < PORTS) begin
            assert (m_axis_tvalid == ({{(PORTS-1){1'b0}}, s_axis_tvalid} << port_index));
            assert (s_axis_tready == m_axis_tready[port_index]);
        end
        if (!rst && f_turns_watched && port_index == 8'd255)
            assert (m_axis_tvalid == {PORTS{1'b0}} && s_axis_tready);
        for (f_i = 0; f_i < PORTS; f_i = f_i + 1)
            assert (m_axis_tdata[f_i*DATA_W +: DATA_W] == s_axis_tdata &&
                    m_axis_tuser[f_i*USER_W +: USER_W] == s_axis_tuser && m_axis_tlast[f_i] == s_axis_tlast);
        if (!rst && f_goes_on_q)
            assert (turn_valid && port_index == f_port_q);
    end
end
