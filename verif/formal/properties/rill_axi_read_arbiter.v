// SPDX-License-Identifier: Apache-2.0
// Properties of rill_axi_read_arbiter, which verif/formal/run.sh inserts before its `endmodule`.
// Proves these rules. A client's request goes out once, unchanged, with the client's number, and stays until it is
// taken. Grants go only to clients that ask, one at a time; the proof of rill_round_robin shows that they are fair.
// Beats go only to the client of their id. While the memory owes beats of requests from before a reset, no request goes
// out and no beat comes in.
// Assumptions: a client's request stays unchanged until it is taken, the memory answers only requests that it received,
// and a reset takes at least two cycles. verif/formal/run.sh describes the directive `shows`.
// shows: u_owed f_owed
wire [14:0]        f_owed_open;           // bursts that the memory has not answered
reg                f_begun_q = 1'b0;
reg                f_reset_q = 1'b0;
reg                f_again_q = 1'b0;         // rst was high two cycles ago
reg                f_sent_q = 1'b0;          // a request is on its way: f_id_q, f_request_q
reg  [ID_W-1:0]    f_id_q;
reg  [ADDR_BITS+7:0]        f_request_q;
reg                f_held_q;
reg  [CLIENTS-1:0] f_asks_q;                 // clients that asked in the previous cycle and got no grant
reg  [CLIENTS*(ADDR_BITS+8)-1:0] f_asked_q;  // requests at the inputs in the previous cycle
reg  [ID_W-1:0]    f_granted;                // client whose request is taken in this cycle
reg  [ADDR_BITS+7:0]        f_chosen;        // this request
reg                f_came_q = 1'b0;          // a beat was taken: f_came_id_q, f_beat_q
reg  [ID_W-1:0]    f_came_id_q;
reg  [BEAT_BITS+2:0]        f_beat_q;
wire [CLIENTS-1:0] f_takes = s_axi_arvalid & s_axi_arready;
integer            f_i;
always @* begin
    f_granted = {ID_W{1'b0}};
    f_chosen = {(ADDR_BITS+8){1'b0}};
    for (f_i = CLIENTS - 1; f_i >= 0; f_i = f_i - 1)
        if (f_takes[f_i]) begin
            f_granted = f_i;
            f_chosen = {s_axi_arlen[f_i*8 +: 8], s_axi_araddr[f_i*ADDR_BITS +: ADDR_BITS]};
        end
end
always @(posedge clk) begin
    f_begun_q <= 1'b1;
    f_reset_q <= rst;
    f_again_q <= f_reset_q;
    assume (f_begun_q || rst);
    assume (!f_reset_q || f_again_q || rst);               // a reset lasts at least two cycles
    assume (!m_axi_rvalid || f_owed_open != 15'd0);        // the memory answers only requests that it has taken
    assume (f_owed_open < 15'h7FF0);                       // the count of open bursts does not overflow
    f_asks_q <= rst ? {CLIENTS{1'b0}} : s_axi_arvalid & ~s_axi_arready;
    for (f_i = 0; f_i < CLIENTS; f_i = f_i + 1) begin
        f_asked_q[f_i*(ADDR_BITS+8) +: ADDR_BITS+8] <=
            {s_axi_arlen[f_i*8 +: 8], s_axi_araddr[f_i*ADDR_BITS +: ADDR_BITS]};
        assume (!f_asks_q[f_i] || (s_axi_arvalid[f_i] &&
                f_asked_q[f_i*(ADDR_BITS+8) +: ADDR_BITS+8] ==
                {s_axi_arlen[f_i*8 +: 8], s_axi_araddr[f_i*ADDR_BITS +: ADDR_BITS]}));
    end
    if (rst)
        f_sent_q <= 1'b0;
    else if (|f_takes) begin
        f_sent_q <= 1'b1;
        f_id_q <= f_granted;
        f_request_q <= f_chosen;
    end else if (m_axi_arready)
        f_sent_q <= 1'b0;
    f_came_q <= !rst && m_axi_rvalid && m_axi_rready && !owed;
    f_came_id_q <= m_axi_rid;
    f_beat_q <= {m_axi_rlast, m_axi_rresp, m_axi_rdata};
    for (f_i = 0; f_i < CLIENTS; f_i = f_i + 1)
        assert (!f_begun_q || beat_valid_q[f_i] == (f_came_q && f_came_id_q == f_i));
    assert (!f_begun_q || !f_came_q || {last_q, resp_q, beat_q} == f_beat_q);
    assert (!f_begun_q || (open_q == !f_reset_q && m_axi_arvalid == f_sent_q));
    if (f_begun_q && !rst) begin
        assert ((s_axi_arready & ~s_axi_arvalid) == {CLIENTS{1'b0}} && (f_takes & (f_takes - 1'b1)) == {CLIENTS{1'b0}});
        assert (m_axi_arvalid == f_sent_q);
        assert (f_takes == {CLIENTS{1'b0}} || !f_sent_q || m_axi_arready); // no request is overwritten
        if (f_sent_q)
            assert (m_axi_arid == f_id_q && {m_axi_arlen, m_axi_araddr} == f_request_q);
        assert (!owed || (!m_axi_arvalid && f_takes == {CLIENTS{1'b0}} && s_axi_rvalid == {CLIENTS{1'b0}}));
        for (f_i = 0; f_i < CLIENTS; f_i = f_i + 1)
            assert (s_axi_rvalid[f_i] == (f_came_q && f_came_id_q == f_i));
        assert (!f_came_q || {s_axi_rlast, s_axi_rresp, s_axi_rdata} == f_beat_q);
        assert (m_axi_arburst == 2'b01 && (8 << m_axi_arsize) == BEAT_BITS);
        assert (m_axi_rready == !f_reset_q && open_q == !f_reset_q);
        // A request that can go out does.
        assert (s_axi_arvalid == {CLIENTS{1'b0}} || f_reset_q || owed || (f_sent_q && !m_axi_arready) || |f_takes);
    end
end
