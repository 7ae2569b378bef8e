// SPDX-License-Identifier: Apache-2.0
// Properties of rill_dma_read, which verif/formal/run.sh inserts before its `endmodule`.
// Proves the rules below. The memory may answer after any number of cycles, but only requests that it has taken, and
// one burst after the other. Every beat finds room. At most OUTSTANDING bursts are open. A request stays until it is
// taken. Bursts have 1 to MAX_BURST beats and stay within 4 KiB. idle is high only if nothing is held or open. The
// address of the first error is that of its beat. The proof follows one arbitrary burst from its request to its last
// beat. verif/formal/run.sh describes the directive `shows`.
// shows: u_ar f_ar
wire [1:0]        f_ar_inside;
localparam F_W = ROOM_W + 1;
localparam BEAT_BYTES = BEAT_BITS / 8;
reg               f_begun_q = 1'b0;
(* anyseq *) wire f_mark;
reg               f_open_q;                  // the marked burst was requested and is not over
reg  [OUT_W-1:0]  f_ahead_q;                 // bursts before the marked one
reg  [ADDR_BITS-1:0]       f_address_q;               // address of the marked burst's next beat
reg  [8:0]        f_left_q;                  // beats of the marked burst that are still to come
reg  [F_W-1:0]    f_come_q;                  // requested beats that have not come
reg  [OUT_W-1:0]  f_bursts_q;                // bursts that are not over
reg               f_held_q;
reg  [71:0]       f_request_q;
reg               f_failed_q;                // the marked burst had the first error
reg  [ADDR_BITS-1:0]       f_failed_at_q;             // address of that error
wire              f_mine = f_open_q && f_ahead_q == {OUT_W{1'b0}};
wire              f_wrong = beat_in && m_axi_rresp != 2'b00 && !error;
wire [OUT_W:0]    f_sum = addr_rd_q + f_ahead_q;
wire [OUT_W:0]    f_index = f_sum >= OUTSTANDING ? f_sum - OUTSTANDING : f_sum;
wire [OUT_W:0]    f_end = addr_rd_q + out_q;
wire [ADDR_W-1:0] f_stored = addr_mem[f_index[PTR_W-1:0]];
wire [63:0]       f_page = {burst[ADDR_BITS-1:12], 12'd0};
always @(posedge clk) begin
    f_begun_q <= 1'b1;
    assume (f_begun_q || rst);
    // Assumption: base and offsets are whole beats.
    assume ((base & (BEAT_BYTES - 1)) == 64'd0 && (s_axis_desc_tdata[39:0] & (BEAT_BYTES - 1)) == 40'd0);
    // Assumptions about the memory. It has taken the request of the burst that it answers. After each beat, as many
    // beats are left as the remaining bursts need: one for each at least, and none if no burst remains. rlast of the
    // marked burst is on its last beat.
    assume (!m_axi_rvalid || (f_come_q != {F_W{1'b0}} && f_bursts_q > f_ar_inside));
    assume (!m_axi_rvalid || !m_axi_rlast || f_come_q >= f_bursts_q);
    assume (!m_axi_rvalid || m_axi_rlast || f_come_q > f_bursts_q);
    assume (!m_axi_rvalid || !m_axi_rlast || f_bursts_q != 1 || f_come_q == 1);
    assume (!m_axi_rvalid || !f_mine || m_axi_rlast == (f_left_q == 9'd1));
    f_held_q <= !rst && m_axi_arvalid && !m_axi_arready;
    f_request_q <= {m_axi_arlen, m_axi_araddr};
    f_come_q <= rst ? {F_W{1'b0}} : f_come_q + taken[F_W-1:0] - {{(F_W-1){1'b0}}, beat_in};
    f_bursts_q <= rst ? {OUT_W{1'b0}} : f_bursts_q + {{(OUT_W-1){1'b0}}, issue} - {{(OUT_W-1){1'b0}}, burst_end};
    if (rst) begin
        f_open_q <= 1'b0;
        f_failed_q <= 1'b0;
    end else if (issue && f_mark && !f_open_q) begin
        f_open_q <= 1'b1;
        f_ahead_q <= out_q - {{(OUT_W-1){1'b0}}, burst_end};
        f_address_q <= burst[ADDR_BITS-1:0];
        f_left_q <= burst_beats;
    end else begin
        if (f_mine && beat_in) begin
            f_open_q <= !m_axi_rlast;
            f_address_q <= f_address_q + BEAT_BYTES;
            f_left_q <= f_left_q - 9'd1;
        end
        if (f_open_q && !f_mine && burst_end)
            f_ahead_q <= f_ahead_q - 1'b1;
    end
    if (!rst && f_mine && f_wrong) begin
        f_failed_q <= 1'b1;
        f_failed_at_q <= f_address_q;
    end
    if (f_begun_q && !rst) begin
        assert (f_bursts_q == out_q && out_q <= OUTSTANDING && f_come_q >= f_bursts_q);
        assert (out_q >= f_ar_inside);
        assert (slot_q || out_q == OUTSTANDING || !open_q);
        assert (!slot_q || out_q != OUTSTANDING);
        assert (room_q <= PREFETCH_BEATS && ROOM_ALL - room_q == f_come_q + fifo_occupancy);
        assert (!beat_in || fifo_ready);
        assert (!fits_q || !burst_valid || room_q >= burst_beats);
        assert (!burst_valid || (burst_beats >= 9'd1 && burst_beats <= MAX_BURST));
        assert (!burst_valid || burst[ADDR_BITS-1:0] + (burst_beats << $clog2(BEAT_BYTES)) - f_page <= 64'd4096);
        if (f_held_q)
            assert (m_axi_arvalid && {m_axi_arlen, m_axi_araddr} == f_request_q);
        if (idle)
            assert (!m_axi_arvalid && out_q == {OUT_W{1'b0}} && fifo_occupancy == {ROOM_W{1'b0}} && !burst_valid);
        assert (!f_open_q || f_ahead_q < out_q);
        assert (addr_rd_q < OUTSTANDING && addr_wr_q == (f_end >= OUTSTANDING ? f_end - OUTSTANDING : f_end));
        if (f_open_q)
            assert (f_left_q != 9'd0 && f_left_q <= MAX_BURST && (f_address_q & (BEAT_BYTES - 1)) == 64'd0 &&
                    {20'd0, f_address_q[11:0]} + (f_left_q << $clog2(BEAT_BYTES)) <= 32'd4096);
        if (f_open_q && !f_mine)
            assert (f_stored == f_address_q[ADDR_BITS-1:BEAT_SHIFT]);
        assert (out_q != {OUT_W{1'b0}} || beat_offset_q == {PAGE_W{1'b0}});
        if (f_mine)
            assert ({addr_head[ADDR_W-1:PAGE_W], addr_head[PAGE_W-1:0] + beat_offset_q}
                == f_address_q[ADDR_BITS-1:BEAT_SHIFT]);
        if (f_failed_q)
            assert (error && error_addr == f_failed_at_q);
    end
end
