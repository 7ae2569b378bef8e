// SPDX-License-Identifier: Apache-2.0
// Properties of rill_dma_write, which verif/formal/run.sh inserts before its `endmodule` or where the directive `in`
// says.
// Proves the rules below. The memory may respond after any number of cycles, but only to beats whose address and data
// it has taken. A beat is taken only in its client's turn and only while the client has a descriptor. The beat gets the
// next address of the descriptor. Address and data of a beat leave once, in the order of the beats. At most OUTSTANDING
// beats are open. In the cycle after the response to a beat, `written` of its client is high if and only if the beat is
// the last one of a descriptor. error_addr is the address of the first error. idle is high only if nothing of the
// client is held or open. A beat that can be taken is taken, and a client without a beat passes the turn to one that
// has a beat. The proof follows one arbitrary beat to its response. verif/formal/run.sh describes the directives
// `shows` and `in`.
// shows: u_owed f_owed
// shows: u_buffer f_data
// shows: u_address f_addr
wire [14:0]          f_owed_open;            // beats without a response whose addresses were taken
wire                 f_data_marked;
wire [OCC_W-1:0]     f_data_ahead;
wire [BEAT_BITS-1:0] f_data_word;
wire                 f_addr_marked;
wire [1:0]           f_addr_ahead;
wire [ADDR_W-1:0]    f_addr_word;
reg                  f_begun_q = 1'b0;
reg                  f_reset_q = 1'b0;
reg                  f_again_q = 1'b0;       // rst was high two cycles ago
reg                  f_flush_q;              // flush of the previous cycle
reg                  f_owed_q;               // owed of the previous cycle
(* anyseq *) wire    f_mark;
reg                  f_open_q;               // the marked beat was taken and is not answered
wire                 f_data_mark = f_mark && !f_open_q;
wire                 f_addr_mark = f_mark && !f_open_q;
reg  [OUT_W-1:0]     f_ahead_q;              // beats that are answered before the marked one
// These registers describe the marked beat: its client (one-hot), whether it ends a descriptor, its address in beats,
// and its data.
reg  [CLIENTS-1:0]   f_client_q;
reg                  f_ends_q;
reg  [ADDR_W-1:0]    f_address_q;
reg  [BEAT_BITS-1:0] f_beat_q;
reg                  f_answered_q;           // the marked beat was answered in the previous cycle
reg                  f_failed_q;             // the marked beat's response was the first error
reg                  f_held_q;               // an address was on offer in the previous cycle and was not taken
reg  [ADDR_BITS-1:0] f_request_q;
reg                  f_stalled_q;            // data were on offer in the previous cycle and were not taken
reg  [BEAT_BITS-1:0] f_offered_q;
reg                  f_passes_q;             // in the previous cycle, the client in turn had no beat, and others did
reg  [CLIENTS-1:0]   f_others_q;
reg  [CLIENTS-1:0]   f_turn_q;
reg  [8:0]           f_index;
reg  [OUT_W-1:0]     f_of;                   // open beats of one client in the list
reg  [OUT_W+6:0]     f_sum;
integer              f_i, f_j;
wire                 f_answer = response && f_open_q && f_ahead_q == {OUT_W{1'b0}};
wire [OUT_W-1:0]     f_sent = out_q - addr_occupancy;  // open beats whose address was taken
function [8:0] f_wrapped(input [8:0] place);
    f_wrapped = place >= OUTSTANDING ? place - OUTSTANDING : place;
endfunction
wire [8:0]           f_answer_at = f_wrapped(rd_q + f_ahead_q);
wire [CLIENTS+ADDR_W:0] f_noted = open_mem[f_answer_at[PTR_W-1:0]];
always @(posedge clk) begin
    f_begun_q <= 1'b1;
    f_reset_q <= rst;
    f_again_q <= f_reset_q;
    f_flush_q <= flush && !rst;
    f_owed_q <= owed;
    assume (f_begun_q || rst);
    assume (!f_reset_q || f_again_q || rst);               // a reset lasts at least two cycles
    // The memory responds only to beats whose addresses it has taken, and whose data it has taken.
    assume (!m_axi_bvalid || f_owed_open != 15'd0);
    assume (!m_axi_bvalid || owed || !open_q || out_q > occupancy);
    assume (f_owed_open < 15'h7FF0);                       // the count of open beats does not overflow
    f_held_q <= !rst && m_axi_awvalid && !m_axi_awready;
    f_request_q <= m_axi_awaddr;
    f_stalled_q <= !rst && m_axi_wvalid && !m_axi_wready;
    f_offered_q <= m_axi_wdata;
    f_answered_q <= !rst && f_answer;
    f_passes_q <= !rst && !current && |request;
    f_others_q <= request;
    f_turn_q <= turn;
    if (rst) begin
        f_open_q <= 1'b0;
        f_failed_q <= 1'b0;
    end else if (push && f_mark && !f_open_q) begin
        f_open_q <= 1'b1;
        f_ahead_q <= out_q - {{(OUT_W-1){1'b0}}, response};
        f_client_q <= took;
        f_ends_q <= |(took & last);
        f_failed_q <= 1'b0;
        for (f_i = 0; f_i < CLIENTS; f_i = f_i + 1)
            if (took[f_i]) begin
                f_address_q <= base[f_i*ADDR_BITS+BEAT_SHIFT +: ADDR_W] + places[f_i*PLACE_W +: PLACE_W];
                f_beat_q <= s_axis_beat_tdata[f_i*BEAT_BITS +: BEAT_BITS];
            end
    end else if (f_answer) begin
        f_open_q <= 1'b0;
        f_failed_q <= m_axi_bresp != 2'b00 && !error;
    end else if (f_open_q && response)
        f_ahead_q <= f_ahead_q - 1'b1;
    if (f_begun_q && !rst) begin
        // Turns and handshakes.
        assert (open_q == !f_reset_q && m_axi_bready == open_q);
        assert ((turn & (turn - 1'b1)) == {CLIENTS{1'b0}} && turn == data_turn && turn == place_turn
            && turn == ready_turn);
        assert ((took & ~s_axis_beat_tready) == {CLIENTS{1'b0}});
        assert (flush_q || took == (request & s_axis_beat_tready));
        assert (push == (data_ready && addr_ready && slot_q && |(turn & request)) && data_push == push);
        assert (!slot_q || (open_q && !owed));
        assert (flush_q == f_flush_q);
        if (f_passes_q && CLIENTS > 1)
            assert (|(turn & f_others_q) && turn != f_turn_q);
        // Counts, and the pointers of the list of open beats (open_mem).
        assert (out_q <= OUTSTANDING && occupancy <= out_q && addr_occupancy <= out_q);
        assert (slot_q || out_q == OUTSTANDING || !open_q || f_owed_q);
        assert (!slot_q || out_q != OUTSTANDING);
        assert (rd_q < OUTSTANDING && wr_q == f_wrapped(rd_q + out_q));
        // The count of rill_owed, and responses that are owed after a reset.
        assert (owed || !open_q || f_owed_open == {9'd0, f_sent});
        assert (!owed || (out_q == {OUT_W{1'b0}} && !m_axi_awvalid));
        // Constant signals of AXI.
        assert (m_axi_awlen == 8'd0 && m_axi_awburst == 2'b01 && (8 << m_axi_awsize) == BEAT_BITS);
        assert (m_axi_wlast && &m_axi_wstrb && m_axi_awid == {ID_W{1'b0}});
        // The address of a beat on offer has been taken or is also on offer, so no more addresses wait than beats.
        assert (!m_axi_wvalid || (addr_occupancy <= occupancy && (addr_occupancy != occupancy || m_axi_awvalid)));
        if (f_held_q)
            assert (m_axi_awvalid && m_axi_awaddr == f_request_q);
        if (f_stalled_q)
            assert (m_axi_wvalid && m_axi_wdata == f_offered_q);
        // Each entry of open_mem belongs to exactly one client.
        for (f_j = 0; f_j < OUTSTANDING; f_j = f_j + 1) begin
            f_index = f_wrapped(rd_q + f_j);
            f_sum = open_mem[f_index[PTR_W-1:0]] >> ADDR_W;
            assert (f_j >= out_q || (|f_sum[CLIENTS-1:0] &&
                    (f_sum[CLIENTS-1:0] & (f_sum[CLIENTS-1:0] - 1'b1)) == {CLIENTS{1'b0}}));
        end
        if (idle == {CLIENTS{1'b1}})
            assert (out_q == {OUT_W{1'b0}} && !m_axi_awvalid && !m_axi_wvalid && live == {CLIENTS{1'b0}});
        if (f_open_q) begin
            assert (f_ahead_q < out_q);
            assert (f_noted == {f_ends_q, f_client_q, f_address_q});
            assert (|f_client_q && (f_client_q & (f_client_q - 1'b1)) == {CLIENTS{1'b0}});
            assert (f_data_marked ? f_data_word == f_beat_q && f_ahead_q == f_data_ahead + (out_q - occupancy)
                                  : f_ahead_q < out_q - occupancy);
            assert (f_addr_marked ? f_addr_word == f_address_q && f_ahead_q == f_addr_ahead + f_sent
                                  : f_ahead_q < f_sent);
            assert ((idle & f_client_q) == {CLIENTS{1'b0}});
        end else
            assert (!f_data_marked && !f_addr_marked);
        if (f_answered_q)
            assert (written == (f_ends_q ? f_client_q : {CLIENTS{1'b0}}));
        if (f_failed_q)
            assert (error && error_addr == {f_address_q, {BEAT_SHIFT{1'b0}}});
    end
end
// in: gen_client
// The client counts as many open beats as open_mem has entries of it. The address of a descriptor advances beat by
// beat.
reg                f_took_q;
reg                f_offers_q;
reg  [PLACE_W-1:0] f_place_q;
reg  [BEATS_W-1:0] f_left_q;
reg  [OUT_W-1:0]   f_mine;
reg  [8:0]         f_at;
integer            f_k;
always @* begin
    f_mine = {OUT_W{1'b0}};
    for (f_k = 0; f_k < OUTSTANDING; f_k = f_k + 1) begin
        f_at = f_wrapped(rd_q + f_k);
        if (f_k < out_q && ((open_mem[f_at[PTR_W-1:0]] >> (ADDR_W + c)) & 1))
            f_mine = f_mine + 1'b1;
    end
end
always @(posedge clk) begin
    assume (s_axis_desc_tdata[c*56+40+BEATS_W +: 16-BEATS_W] == 0); // beats of a descriptor fit in BEATS_W bits
    assume (!f_offers_q || s_axis_beat_tvalid[c]);         // an offered beat stays until it is taken
    f_offers_q <= !rst && s_axis_beat_tvalid[c] && !s_axis_beat_tready[c];
    f_took_q <= !rst && !flush_q && took[c] && !load;
    f_place_q <= place_q;
    f_left_q <= left_q;
    if (f_begun_q && !rst && f_reset_q)
        assert (!live_q);
    if (f_begun_q && !rst) begin
        assert (live_q == (left_q != {BEATS_W{1'b0}}) && last_q == (left_q == 1));
        assert (open_beats_q + counts_q == f_mine);
        assert (!took[c] || (turn[c] && live_q && s_axis_beat_tvalid[c]));
        if (f_took_q)
            assert (place_q == f_place_q + 1'b1 && left_q == f_left_q - 1'b1);
    end
end
