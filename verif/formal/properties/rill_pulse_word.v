// SPDX-License-Identifier: Apache-2.0
// Proves that as many words leave as pulses came, each at least one cycle after its pulse, and that a word that waits
// stays.
reg       f_begun_q = 1'b0;
reg       f_owed_q;                          // a pulse has come, and its word has not left
wire      f_leaves = m_axis_tvalid && m_axis_tready;
always @(posedge clk) begin
    f_begun_q <= 1'b1;
    f_owed_q <= !rst && (pulse || (f_owed_q && !f_leaves));
    assume (f_begun_q || rst);
    assume (!(pulse && f_owed_q && !f_leaves)); // assumption: the caller waits for the word
    if (f_begun_q && !rst) begin
        assert (m_axis_tvalid == f_owed_q);
        assert (m_axis_tdata == WORD);
    end
end
