// SPDX-License-Identifier: Apache-2.0
// The memory responds to bursts that it has whole, when it likes. Then: requests and beats stand until they are
// taken; a burst has 1 to MAX_BURST beats and stays within 4 KiB; of a burst that is requested all beats are in
// the buffer; wlast is on the last beat of each burst; at most OUTSTANDING are open; written says that a
// descriptor's last burst is answered; error_addr is the first wrong one's; idle says that nothing is held or
// open. One burst, any one, is followed from its request to its response.
// shows: u_aw f_aw
wire [1:0]        f_aw_inside;
localparam F_BEATS_W = 16;
reg               f_begun_q = 1'b0;
(* anyseq *) wire f_mark;
reg               f_open_q;                  // the marked burst is requested and not answered
reg               f_beats_q;                 // not all of its beats have left
reg  [OUT_W-1:0]  f_before_q;                // bursts whose beats leave before its beats,
reg  [OUT_W-1:0]  f_ahead_q;                 // that are answered before it
reg  [8:0]        f_left_q;                  // its beats to leave
reg  [63:0]       f_address_q;
reg               f_ends_q;                  // it is its descriptor's last one
reg               f_answered_q;              // in the cycle before
reg               f_failed_q;
reg               f_held_q;
reg  [71:0]       f_request_q;
reg               f_stalled_q;
reg  [BEAT_BITS:0] f_beat_q;
reg  [F_BEATS_W-1:0] f_owed;                 // beats of requested bursts that have not left
reg  [8:0]        f_index;                   // places in the memories of lengths, of addresses
integer           f_i;
wire              f_leaves = f_open_q && f_beats_q && f_before_q == {OUT_W{1'b0}};
wire              f_answer = response && f_open_q && f_ahead_q == {OUT_W{1'b0}};
function [8:0] f_wrapped(input [8:0] place);
    f_wrapped = place >= OUTSTANDING ? place - OUTSTANDING : place;
endfunction
wire [8:0]        f_length_at = f_wrapped(data_rd_q + f_before_q - 9'd1);
wire [8:0]        f_answer_at = f_wrapped(resp_rd_q + f_ahead_q);
always @* begin
    f_owed = has_pending ? left_q + 9'd1 : 9'd0;
    for (f_i = 1; f_i < OUTSTANDING; f_i = f_i + 1) begin
        f_index = f_wrapped(data_rd_q + f_i - 1);
        if (f_i < pending_q)
            f_owed = f_owed + len_mem[f_index[PTR_W-1:0]] + 9'd1;
    end
end
always @(posedge clk) begin
    f_begun_q <= 1'b1;
    assume (f_begun_q || rst);
    assume ((base & (BEAT_BITS / 8 - 1)) == 64'd0 && (s_axis_desc_tdata[39:0] & (BEAT_BITS / 8 - 1)) == 40'd0);
    assume (!m_axi_bvalid || (out_q > f_aw_inside && out_q > pending_q)); // the memory's side
    f_held_q <= !rst && m_axi_awvalid && !m_axi_awready;
    f_request_q <= {m_axi_awlen, m_axi_awaddr};
    f_stalled_q <= !rst && m_axi_wvalid && !m_axi_wready;
    f_beat_q <= {m_axi_wlast, m_axi_wdata};
    f_answered_q <= !rst && f_answer;
    if (rst) begin
        f_open_q <= 1'b0;
        f_failed_q <= 1'b0;
    end else if (issue && f_mark && !f_open_q) begin
        f_open_q <= 1'b1;
        f_beats_q <= 1'b1;
        f_before_q <= pending_q - {{(OUT_W-1){1'b0}}, burst_out};
        f_ahead_q <= out_q - {{(OUT_W-1){1'b0}}, response};
        f_left_q <= burst_beats;
        f_address_q <= burst[63:0];
        f_ends_q <= burst_last;
        f_failed_q <= 1'b0;
    end else begin
        if (f_leaves && beat_out) begin
            f_beats_q <= !m_axi_wlast;
            f_left_q <= f_left_q - 9'd1;
        end else if (f_open_q && f_beats_q && burst_out)
            f_before_q <= f_before_q - 1'b1;
        if (f_answer) begin
            f_open_q <= 1'b0;
            f_failed_q <= m_axi_bresp != 2'b00 && !error;
        end else if (f_open_q && response)
            f_ahead_q <= f_ahead_q - 1'b1;
    end
    if (f_begun_q && !rst) begin
        assert (out_q <= OUTSTANDING && pending_q <= out_q && f_aw_inside <= out_q);
        assert (slot_q || out_q == OUTSTANDING || !open_q);
        assert (!slot_q || out_q != OUTSTANDING);
        assert (f_owed + free_q == fifo_occupancy);
        assert (!fits_q || !burst_valid || free_q >= burst_beats);
        assert (!has_pending || last_q == (left_q == 8'd0));
        assert (!burst_valid || (burst_beats >= 9'd1 && burst_beats <= MAX_BURST));
        assert (data_rd_q < OUTSTANDING && resp_rd_q < OUTSTANDING && wr_q == f_wrapped(resp_rd_q + out_q));
        assert (wr_q == f_wrapped(data_rd_q + pending_q - has_pending));
        if (f_held_q)
            assert (m_axi_awvalid && {m_axi_awlen, m_axi_awaddr} == f_request_q);
        if (f_stalled_q)
            assert (m_axi_wvalid && {m_axi_wlast, m_axi_wdata} == f_beat_q);
        if (idle)
            assert (!m_axi_awvalid && !m_axi_wvalid && out_q == {OUT_W{1'b0}} &&
                    fifo_occupancy == {OCC_W{1'b0}} && !burst_valid);
        if (f_open_q) begin
            assert (f_ahead_q < out_q);
            assert (addr_mem[f_answer_at[PTR_W-1:0]] == f_address_q && last_mem[f_answer_at[PTR_W-1:0]] == f_ends_q);
            assert (out_q - f_ahead_q > pending_q == !f_beats_q);
        end
        if (f_open_q && f_beats_q) begin
            assert (f_before_q < pending_q && out_q - pending_q == f_ahead_q - f_before_q);
            assert (f_left_q != 9'd0 && f_left_q <= MAX_BURST);
            assert ((f_leaves ? left_q : len_mem[f_length_at[PTR_W-1:0]]) == f_left_q - 9'd1);
        end
        if (f_leaves && m_axi_wvalid)
            assert (m_axi_wlast == (f_left_q == 9'd1));
        if (f_answered_q)
            assert (written == f_ends_q);
        if (f_failed_q)
            assert (error && error_addr == f_address_q);
    end
end
