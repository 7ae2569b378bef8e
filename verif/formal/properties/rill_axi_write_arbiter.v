// SPDX-License-Identifier: Apache-2.0
// As in rill_axi_read_arbiter for requests and responses. Beats are those of the clients in the order of their grants,
// each up to its last one: one burst, any one, is followed from its grant to its last beat. No beat leaves without a
// grant. The clients show beats only of what they were granted or will ask for; the memory responds to bursts that it
// has whole.
// shows: u_owed f_owed
wire [14:0]         f_owed_open;             // bursts without a response, whose requests were taken
reg                 f_begun_q = 1'b0;
reg                 f_reset_q = 1'b0;
reg                 f_again_q = 1'b0;        // rst in the two cycles before
reg                 f_sent_q = 1'b0;         // a request is on its way, this one:
reg  [ID_W-1:0]     f_id_q;
reg  [71:0]         f_request_q;
reg  [CLIENTS-1:0]  f_asks_q;                // and were not granted
reg  [CLIENTS*72-1:0] f_asked_q;
reg  [CLIENTS-1:0]  f_offers_q;              // beats that were not taken
reg  [CLIENTS*(BEAT_BITS+1)-1:0] f_offered_q;
reg                 f_stalled_q;
reg  [BEAT_BITS:0]  f_beat_q;
(* anyseq *) wire   f_mark;
reg                 f_open_q;                // the marked burst is granted and not gone,
reg  [CLIENTS-1:0]  f_client_q;              // to this client,
reg  [COUNT_W-1:0]  f_ahead_q;               // behind so many others
reg  [ID_W-1:0]     f_granted;
reg  [71:0]         f_chosen;
reg  [BEAT_BITS:0]  f_turns;                 // the beat of the client whose turn it is
wire [CLIENTS-1:0]  f_takes = s_axi_awvalid & s_axi_awready;
wire [CLIENTS-1:0]  f_beats = s_axi_wvalid & s_axi_wready;
wire                f_mine = f_open_q && f_ahead_q == {COUNT_W{1'b0}};
wire [8:0]          f_end = order_rd_q + order_count_q - (order_count_q != 0);
wire [8:0]          f_place = order_rd_q + f_ahead_q - 9'd1;
wire [8:0]          f_index = f_place >= ORDER ? f_place - ORDER : f_place;
integer             f_i;
always @* begin
    f_granted = {ID_W{1'b0}};
    f_chosen = 72'd0;
    f_turns = 0;
    for (f_i = CLIENTS - 1; f_i >= 0; f_i = f_i - 1) begin
        if (f_takes[f_i]) begin
            f_granted = f_i;
            f_chosen = {s_axi_awlen[f_i*8 +: 8], s_axi_awaddr[f_i*64 +: 64]};
        end
        if (f_client_q[f_i])
            f_turns = {s_axi_wlast[f_i], s_axi_wdata[f_i*BEAT_BITS +: BEAT_BITS]};
    end
end
always @(posedge clk) begin
    f_begun_q <= 1'b1;
    f_reset_q <= rst;
    f_again_q <= f_reset_q;
    assume (f_begun_q || rst);
    assume (!f_reset_q || f_again_q || rst);
    assume (!m_axi_bvalid || f_owed_open != 15'd0);
    assume (f_owed_open < 15'h7FF0);
    f_asks_q <= rst ? {CLIENTS{1'b0}} : s_axi_awvalid & ~s_axi_awready;
    f_offers_q <= rst ? {CLIENTS{1'b0}} : s_axi_wvalid & ~s_axi_wready;
    for (f_i = 0; f_i < CLIENTS; f_i = f_i + 1) begin
        f_asked_q[f_i*72 +: 72] <= {s_axi_awlen[f_i*8 +: 8], s_axi_awaddr[f_i*64 +: 64]};
        f_offered_q[f_i*(BEAT_BITS+1) +: BEAT_BITS + 1] <= {s_axi_wlast[f_i], s_axi_wdata[f_i*BEAT_BITS +: BEAT_BITS]};
        assume (!f_asks_q[f_i] || (s_axi_awvalid[f_i] &&
                f_asked_q[f_i*72 +: 72] == {s_axi_awlen[f_i*8 +: 8], s_axi_awaddr[f_i*64 +: 64]}));
        assume (!f_offers_q[f_i] || (s_axi_wvalid[f_i] && f_offered_q[f_i*(BEAT_BITS+1) +: BEAT_BITS + 1] ==
                {s_axi_wlast[f_i], s_axi_wdata[f_i*BEAT_BITS +: BEAT_BITS]}));
    end
    f_stalled_q <= !rst && m_axi_wvalid && !m_axi_wready;
    f_beat_q <= {m_axi_wlast, m_axi_wdata};
    if (rst)
        f_sent_q <= 1'b0;
    else if (|f_takes) begin
        f_sent_q <= 1'b1;
        f_id_q <= f_granted;
        f_request_q <= f_chosen;
    end else if (m_axi_awready)
        f_sent_q <= 1'b0;
    if (rst)
        f_open_q <= 1'b0;
    else if (|f_takes && f_mark && !f_open_q) begin
        f_open_q <= 1'b1;
        f_client_q <= f_takes;
        f_ahead_q <= order_count_q - {{(COUNT_W-1){1'b0}}, burst_out};
    end else if (f_open_q && burst_out) begin
        f_open_q <= !f_mine;
        f_ahead_q <= f_ahead_q - 1'b1;
    end
    assert (!f_begun_q || (open_q == !f_reset_q && m_axi_awvalid == f_sent_q));
    if (f_begun_q && !rst) begin
        assert ((s_axi_awready & ~s_axi_awvalid) == {CLIENTS{1'b0}} && (f_takes & (f_takes - 1'b1)) == {CLIENTS{1'b0}});
        assert (f_takes == {CLIENTS{1'b0}} || !f_sent_q || m_axi_awready); // none is overwritten
        if (f_sent_q)
            assert (m_axi_awid == f_id_q && {m_axi_awlen, m_axi_awaddr} == f_request_q);
        assert (!owed || (!m_axi_awvalid && f_takes == {CLIENTS{1'b0}} && s_axi_bvalid == {CLIENTS{1'b0}}));
        for (f_i = 0; f_i < CLIENTS; f_i = f_i + 1)
            assert (s_axi_bvalid[f_i] == (m_axi_bvalid && !owed && m_axi_bid == f_i));
        assert (s_axi_bresp == m_axi_bresp && m_axi_bready == !f_reset_q);
        assert (m_axi_awburst == 2'b01 && (8 << m_axi_awsize) == BEAT_BITS && &m_axi_wstrb);
        assert (s_axi_awvalid == {CLIENTS{1'b0}} || f_reset_q || owed || (f_sent_q && !m_axi_awready) ||
                order_count_q == ORDER || |f_takes);       // a request that can go out does
        // The order of the beats.
        assert (order_count_q <= ORDER && order_rd_q < ORDER);
        assert (order_wr_q == (f_end >= ORDER ? f_end - ORDER : f_end));
        for (f_i = 0; f_i < ORDER; f_i = f_i + 1)           // one client each that waits behind the first
            assert ((f_i >= order_rd_q ? f_i - order_rd_q : f_i + ORDER - order_rd_q) + 1 >= order_count_q ||
                    (|order_mem[f_i] && (order_mem[f_i] & (order_mem[f_i] - 1'b1)) == {CLIENTS{1'b0}}));
        assert (turn == data_turn && (turn & (turn - 1'b1)) == {CLIENTS{1'b0}});
        assert (|turn == (order_count_q != {COUNT_W{1'b0}}));
        assert (f_beats == (m_axi_wvalid && m_axi_wready ? turn : {CLIENTS{1'b0}}));
        if (f_stalled_q)
            assert (m_axi_wvalid && {m_axi_wlast, m_axi_wdata} == f_beat_q);
        if (f_open_q)
            assert (f_ahead_q < order_count_q && |f_client_q && (f_client_q & (f_client_q - 1'b1)) == {CLIENTS{1'b0}});
        if (f_open_q && !f_mine)
            assert (order_mem[f_index[PTR_W-1:0]] == f_client_q);
        if (f_mine) begin
            assert (turn == f_client_q && m_axi_wvalid == |(s_axi_wvalid & f_client_q));
            assert ({m_axi_wlast, m_axi_wdata} == f_turns);
        end
    end
end
