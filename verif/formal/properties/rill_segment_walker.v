// SPDX-License-Identifier: Apache-2.0
// Properties of rill_segment_walker, which verif/formal/run.sh inserts before its `endmodule`.
// Proves that the right bursts come from the runs that the pipeline has computed. A run gives each of its beats once,
// in order; a run of more than 65,535 beats is cut into pieces of 32,768 beats and the rest. An entry gives as many
// runs as it has, one stride apart, and none before the writes that it needs have their responses. A burst that waits
// stays, unless it is flushed. The proof covers neither the products and sums of the pipeline, nor windows, nor
// rill_schedule, which has its own proof.
// Assumption: the counts of layers do not decrease.
reg          f_begun_q = 1'b0;
reg          f_run_q;                    // a run is at the emitter
reg          f_v_q;                      // it is a run of V
reg  [31:0]  f_need_q, f_stride_q;
reg  [31:0]  f_beats_q, f_left_q;        // beats of each run, and of the present run that are not sent
reg  [39:0]  f_first_q, f_address_q;     // address of the run; address of its next burst
reg  [15:0]  f_runs_q;                   // runs of V that are still to come, with the present one
reg  [31:0]  f_k_q, f_v_done_q;          // counts of layers of K and V in the previous cycle
reg          f_held_q;
reg  [55:0]  f_burst_q;
wire         f_cut = f_left_q > 32'd65535;
wire [15:0]  f_length = f_cut ? 16'd32768 : f_left_q[15:0];
wire         f_more = f_v_q && f_runs_q > 16'd1;
wire         f_load = emit_take && place_valid_q && place_run_q != 32'd0
    && !(place_kind_q == SEGMENT_KIND_V && place_outer_q == 16'd0);
always @(posedge clk) begin
    f_begun_q <= 1'b1;
    assume (f_begun_q || rst);
    f_k_q <= k_layers_done;
    f_v_done_q <= v_layers_done;
    assume (rst || (k_layers_done >= f_k_q && v_layers_done >= f_v_done_q));
    f_held_q <= !rst && !flush && m_axis_desc_tvalid && !m_axis_desc_tready;
    f_burst_q <= m_axis_desc_tdata;
    if (rst || flush)
        f_run_q <= 1'b0;
    else if (f_load) begin
        f_run_q <= 1'b1;
        f_v_q <= place_kind_q == SEGMENT_KIND_V;
        f_need_q <= place_need_q;
        f_stride_q <= place_stride_q;
        f_beats_q <= place_run_q;
        f_left_q <= place_run_q;
        f_first_q <= place_offset_q;
        f_address_q <= place_offset_q;
        f_runs_q <= place_outer_q;
    end else if (emit_send && f_cut) begin
        f_left_q <= f_left_q - 32'd32768;
        f_address_q <= f_address_q + 32768 * (BEAT_BITS / 8);
    end else if (emit_send && f_more) begin
        f_left_q <= f_beats_q;
        f_first_q <= f_first_q + f_stride_q;
        f_address_q <= f_first_q + f_stride_q;
        f_runs_q <= f_runs_q - 16'd1;
    end else if (emit_send)
        f_run_q <= 1'b0;
    if (f_begun_q && !rst) begin
        assert (emit_valid_q == f_run_q);
        assert (!emit_send || f_run_q);
        assert (!flush || (!emit_send && !m_axis_desc_tvalid));
        if (emit_send) begin
            assert ({emit_cut_q ? CUT_BEATS[15:0] : emit_left_q[15:0], emit_addr_q} == {f_length, f_address_q});
            assert ((f_v_q ? v_layers_done : k_layers_done) >= f_need_q);
        end
        if (f_held_q && !flush)
            assert (m_axis_desc_tvalid && m_axis_desc_tdata == f_burst_q);
        if (f_run_q) begin
            assert (f_left_q != 32'd0 && f_left_q <= f_beats_q && emit_left_q == f_left_q && emit_run_q == f_beats_q);
            assert (emit_cut_q == f_cut && emit_run_cut_q == (f_beats_q > 32'd65535) && emit_again_q == f_more);
            assert (emit_addr_q == f_address_q && emit_run_addr_q == f_first_q && emit_stride_q == f_stride_q);
            assert (emit_strided_q == f_v_q && emit_need_q == f_need_q
                && (!f_v_q || (emit_outer_q == f_runs_q && f_runs_q != 16'd0)));
            assert (!emit_open_q || (f_v_q ? f_v_done_q : f_k_q) >= f_need_q);
        end
        if (idle && flush)
            assert (!f_run_q && !entry_valid && !place_valid_q);
    end
end
