// SPDX-License-Identifier: Apache-2.0
// Properties of rill_fifo, which verif/formal/run.sh inserts before its `endmodule` or where the directive `in` says.
// Proves that no word is lost or doubled, that the order is kept (one marked word is followed) and that the protocol
// holds. After a reset, a word is refused only if DEPTH words are inside, or in the first cycle. A word is offered at
// most one cycle after the words before it have left.
// verif/formal/run.sh describes the directives `port` and `in`: `in` names the block of rill_fifo that gets the lines
// after it.
// port: input wire f_mark
// port: output wire f_marked
// port: output wire [COUNT_W-1:0] f_ahead
// port: output wire [DATA_W-1:0] f_word
// port: output wire [DATA_W-1:0] f_second
// The proof follows one word: the first that is pushed with f_mark high, and then the next such word after it has left.
// Where f_mark is not connected, it has any value, so any word may be followed. f_marked: the word is inside, after
// f_ahead other words. f_word is its value. f_second: the last of two words (DEPTH 2).
reg                past_q = 1'b0;
reg                awake_q;                            // rst was low in the previous cycle
reg  [COUNT_W-1:0] inside_q;                           // words inside
reg                stayed_q;                           // in the previous cycle a word was inside and did not leave
reg  [COUNT_W-1:0] count_before_q;
reg                held_q;
reg  [DATA_W-1:0]  held_data_q;
reg                marked_q;                           // the marked word is inside
reg  [COUNT_W-1:0] ahead_q;                            // words before the marked one
reg  [DATA_W-1:0]  word_q;
wire               start = push && f_mark && !marked_q;
assign f_marked = marked_q;
assign f_ahead = ahead_q;
assign f_word = word_q;
// in: gen_two
assign f_second = tail_q;
always @(posedge clk)
    if (past_q && !rst) begin
        assert (valid_q == (count_q != 2'd0));
        if (marked_q && ahead_q == 2'd1)
            assert (tail_q == word_q);
    end
// in: gen_swap
wire [DATA_W-1:0] f_newer = read[0] ? word_0_q : word_1_q;
assign f_second = f_newer;
always @(posedge clk)
    if (past_q && !rst) begin
        assert (valid_q == (count_q != 2'd0));
        assert ((write_q ^ read[0]) == count_q[0]);
        if (marked_q && ahead_q == 2'd1)
            assert (f_newer == word_q);
    end
// in: gen_srl
// The induction needs this invariant, which tells where the words are. f_deep: words in the storage before the marked
// one. f_inside: the marked word is in the storage, not at the output.
wire [COUNT_W-1:0] f_deep = ahead_q - {{(COUNT_W-1){1'b0}}, valid_q};
wire               f_inside = past_q && !rst && marked_q && !(valid_q && ahead_q == {COUNT_W{1'b0}});
always @(posedge clk)
    if (past_q && !rst) begin
        assert (count_q == stored_q + {{(COUNT_W-1){1'b0}}, valid_q});
        assert (any_q == (stored_q != {COUNT_W{1'b0}}));
        assert (stored_q <= WORDS);
        assert (oldest_q == (any_q ? stored_q - 1'b1 : {COUNT_W{1'b0}}));
        if (f_inside)
            assert (shift_q[oldest_q - f_deep[ADDR_W-1:0]] == word_q);
    end
// in: gen_ram
// This is the invariant for the RAM, which is a ring. f_write: place after the newest word, before the wrap.
// f_place, f_index: place of the marked word, before and after the wrap.
wire [COUNT_W-1:0] f_deep = ahead_q - {{(COUNT_W-1){1'b0}}, valid_q};
wire               f_inside = past_q && !rst && marked_q && !(valid_q && ahead_q == {COUNT_W{1'b0}});
wire [COUNT_W:0] f_write = {1'b0, stored_q} + read_q;
wire [COUNT_W:0] f_place = {1'b0, f_deep} + read_q;
wire [COUNT_W:0] f_index = f_place >= WORDS ? f_place - WORDS : f_place;
always @(posedge clk)
    if (past_q && !rst) begin
        assert (count_q == stored_q + {{(COUNT_W-1){1'b0}}, valid_q});
        assert (any_q == (stored_q != {COUNT_W{1'b0}}));
        assert (stored_q <= WORDS);
        assert (read_q <= TOP && write_q <= TOP);
        assert (write_q == (f_write >= WORDS ? f_write - WORDS : f_write));
        if (f_inside)
            assert (mem[f_index[ADDR_W-1:0]] == word_q);
    end
// in: module
always @(posedge clk) begin
    past_q <= 1'b1;
    if (!past_q)
        assume (rst);
    held_q <= !rst && m_axis_tvalid && !m_axis_tready;
    held_data_q <= m_axis_tdata;
    awake_q <= !rst;
    count_before_q <= rst ? {COUNT_W{1'b0}} : count_q;
    inside_q <= rst ? {COUNT_W{1'b0}} : inside_q + {{(COUNT_W-1){1'b0}}, push} - {{(COUNT_W-1){1'b0}}, pop};
    stayed_q <= !rst && inside_q != {{(COUNT_W-1){1'b0}}, pop};
    if (rst)
        marked_q <= 1'b0;
    else if (start) begin
        marked_q <= 1'b1;
        word_q <= s_axis_tdata;
        ahead_q <= count_q - {{(COUNT_W-1){1'b0}}, pop};
    end else if (marked_q && pop) begin
        if (ahead_q == {COUNT_W{1'b0}})
            marked_q <= 1'b0;
        ahead_q <= ahead_q - 1'b1;
    end
    if (past_q && !rst) begin
        assert (count_q <= FULL && high_q >= count_before_q && high_q <= FULL);
        assert (inside_q == count_q);
        assert (s_axis_tready == (awake_q && inside_q != FULL));
        assert (m_axis_tvalid || !stayed_q);
        assert (m_axis_tvalid || inside_q == {COUNT_W{1'b0}} || DEPTH > 2);
        assert (!(m_axis_tvalid && count_q == 0));
        if (held_q)
            assert (m_axis_tvalid && m_axis_tdata == held_data_q);
        if (marked_q)
            assert (ahead_q < count_q);
        if (marked_q && m_axis_tvalid && ahead_q == {COUNT_W{1'b0}})
            assert (m_axis_tdata == word_q);
    end
end
