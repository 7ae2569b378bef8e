// SPDX-License-Identifier: Apache-2.0
// Properties of rill_register_slice, which verif/formal/run.sh inserts before its `endmodule` or where the directive
// `in` says.
// Proves the protocol at the output, and that an arbitrary word, the marked one, leaves unchanged and in order. With
// MODE 2 and 3, after a reset, a word is refused only if two words are inside, or in the first cycle. With MODE 0 and 1
// the slice is ready whenever the reader is, and with MODE 1 also when the slice is empty. verif/formal/run.sh
// describes the directives `port` and `in`.
// port: output wire [1:0] f_inside
localparam ROOM = MODE > 1 ? 2 : MODE;
reg                past_q = 1'b0;
reg                awake_q;              // rst was low in the previous cycle
reg                in_stalled_q;
reg  [DATA_W-1:0]  in_data_q;
reg                held_q;
reg  [DATA_W-1:0]  held_data_q;
(* anyseq *) wire  mark;
reg                marked_q;
reg  [1:0]         count_q;              // words inside
reg  [1:0]         ahead_q;              // words before the marked one
reg  [DATA_W-1:0]  word_q;
wire               f_push = s_axis_tvalid && s_axis_tready;
wire               f_pop = m_axis_tvalid && m_axis_tready;
assign f_inside = count_q;
// in: gen_swap
// The induction needs this invariant, which tells where the words are.
wire [DATA_W-1:0] second = read[0] ? word_0_q : word_1_q;
always @(posedge clk)
    if (past_q && !rst) begin
        assert (valid_q || !both_q);
        assert (!(ready_q && both_q));
        assert (count_q == {1'b0, valid_q} + {1'b0, both_q});
        assert ((write_q ^ read[0]) == (valid_q && !both_q));
        if (marked_q && ahead_q == 2'd1)
            assert (second == word_q);
    end
// in: gen_skid
always @(posedge clk)
    if (past_q && !rst) begin
        assert (valid_q || !skid_valid_q);
        assert (!(ready_q && skid_valid_q));
        assert (count_q == {1'b0, valid_q} + {1'b0, skid_valid_q});
        if (marked_q && ahead_q == 2'd1)
            assert (skid_q == word_q);
    end
// in: module
always @(posedge clk) begin
    past_q <= 1'b1;
    if (!past_q)
        assume (rst);
    awake_q <= !rst;
    in_stalled_q <= !rst && s_axis_tvalid && !s_axis_tready;
    in_data_q <= s_axis_tdata;
    if (past_q && !rst && in_stalled_q && MODE == 0) // only MODE 0 passes a writer's fault on
        assume (s_axis_tvalid && s_axis_tdata == in_data_q);
    held_q <= !rst && m_axis_tvalid && !m_axis_tready;
    held_data_q <= m_axis_tdata;
    count_q <= rst ? 2'd0 : count_q + {1'b0, f_push} - {1'b0, f_pop};
    if (rst)
        marked_q <= 1'b0;
    else if (f_push && mark && !marked_q && ROOM > 0) begin
        marked_q <= 1'b1;
        word_q <= s_axis_tdata;
        ahead_q <= count_q - {1'b0, f_pop};
    end else if (marked_q && f_pop) begin
        marked_q <= ahead_q != 2'd0;
        ahead_q <= ahead_q - 2'd1;
    end
    if (past_q && !rst) begin
        assert (count_q <= ROOM);
        if (MODE > 1)
            assert (s_axis_tready == (awake_q && count_q != 2'd2));
        else
            assert (s_axis_tready == (m_axis_tready || (MODE == 1 && count_q == 2'd0)));
        if (ROOM > 0)
            assert (m_axis_tvalid == (count_q != 2'd0));
        if (held_q)
            assert (m_axis_tvalid && m_axis_tdata == held_data_q);
        if (marked_q)
            assert (ahead_q < count_q);
        if (marked_q && ahead_q == 2'd0)
            assert (m_axis_tdata == word_q);
        if (ROOM == 0 && f_pop)
            assert (f_push && m_axis_tdata == s_axis_tdata);
    end
end
