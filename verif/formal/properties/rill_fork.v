// SPDX-License-Identifier: Apache-2.0
// Properties of rill_fork, which verif/formal/run.sh inserts before its `endmodule`.
// Proves that each reader takes each word once: no reader misses a word or sees it twice, and the word leaves when all
// readers have it. In a reset, nothing is offered or taken. Assumptions: the first cycle is a reset, and an offered
// word stays until it is taken.
reg              f_begun_q = 1'b0;
reg  [PORTS-1:0] f_has_q;                    // readers that have taken the offered word
reg              f_held_q;                   // a word was offered in the previous cycle and did not leave
reg  [PORTS-1:0] f_waits_q;                  // the word was offered to the reader in the previous cycle, and not taken
wire [PORTS-1:0] f_takes = m_axis_tvalid & m_axis_tready;
always @(posedge clk) begin
    f_begun_q <= 1'b1;
    f_held_q <= !rst && s_axis_tvalid && !s_axis_tready;
    f_has_q <= rst || !s_axis_tvalid || s_axis_tready ? {PORTS{1'b0}} : f_has_q | f_takes;
    f_waits_q <= rst ? {PORTS{1'b0}} : m_axis_tvalid & ~m_axis_tready;
    assume (f_begun_q || rst);
    assume (!f_held_q || s_axis_tvalid);
    if (f_begun_q) begin
        assert (f_has_q == done_q);
        assert (!rst || (m_axis_tvalid == {PORTS{1'b0}} && !s_axis_tready));
        assert (rst || m_axis_tvalid == ({PORTS{s_axis_tvalid}} & ~f_has_q));
        assert (rst || (f_waits_q & ~m_axis_tvalid) == {PORTS{1'b0}});
        assert (rst || s_axis_tready == (s_axis_tvalid && &(f_has_q | m_axis_tready)));
    end
end
