// SPDX-License-Identifier: Apache-2.0
// Properties of rill_axil_regs, which verif/formal/run.sh inserts before its `endmodule`.
// Proves these rules. A write gets its response two cycles after address and data have come, or later if an earlier
// response waits. A read gets data five cycles after its address. Responses and data stay until they are taken, and
// none comes unasked. A register of 32 bits that the host writes (an arbitrary one is watched, see f_known) holds the
// bytes that were written while no request ran, and nothing else changes it. A read returns this value if the register
// is not written meanwhile. ap_start rises with a write and stays until ap_done. Only designs with one channel and
// without slots, sampling, kept prefixes and further end-of-text ids are proved.
(* anyconst *) reg [9:0] f_word;             // word address of the watched register
reg         f_begun_q = 1'b0;
reg         f_address_q;                     // a write address (f_place_q) came and is not used yet
reg  [9:0]  f_place_q;
reg         f_data_q;                        // write data (f_word_q, f_bytes_q) came and are not used yet
reg  [31:0] f_word_q;
reg  [3:0]  f_bytes_q;
reg         f_answer_q;                      // a response is due or there
reg         f_both_q;                        // in the previous cycle a write was carried out
reg         f_answers_q;                     // a response was there in the previous cycle and was not taken
reg         f_read_q;                        // a read address (f_from_q) came and is not answered yet
reg  [9:0]  f_from_q;
reg  [2:0]  f_age_q;                         // cycles since that read address came
reg         f_clean_q;                       // the watched register was not written since then
reg         f_shows_q;                       // read data (f_shown_q) were there in the previous cycle, not taken
reg  [31:0] f_shown_q;
reg  [31:0] f_kept_q;                        // expected value of the watched register
reg         f_starts_q;                      // ap_start must be high
reg  [31:0] f_now;                           // present value of the watched register
wire        f_base = f_word == 10'h016 || f_word == 10'h017;
// f_word is the word address of a register of 32 bits that the host writes: one of the arguments, the pointers, the
// base of channel 0, watchdog and ring_ids.
wire        f_known = f_word == 10'h004 || f_word == 10'h006 || f_word == 10'h008 || f_word == 10'h010 ||
                      f_word == 10'h011 || f_word == 10'h013 || f_word == 10'h014 || f_word == 10'h089 ||
                      f_word == 10'h08A || f_base;
wire        f_use = f_address_q && f_data_q && !s_axi_control_bvalid;
wire        f_writes = f_use && f_place_q == f_word && !ap_start;
integer     f_i;
always @* begin
    case (f_word)
        10'h004: f_now = prompt_len;
        10'h006: f_now = max_new;
        10'h008: f_now = eot_id;
        10'h010: f_now = prompt_ptr[31:0];
        10'h011: f_now = prompt_ptr[63:32];
        10'h013: f_now = ring_ptr[31:0];
        10'h014: f_now = ring_ptr[63:32];
        10'h016: f_now = channel_base[31:0];
        10'h017: f_now = channel_base[63:32];
        10'h089: f_now = watchdog;
        default: f_now = ring_ids;
    endcase
end
always @(posedge clk) begin
    f_begun_q <= 1'b1;
    assume (f_begun_q || rst);
    if (rst) begin
        f_address_q <= 1'b0;
        f_data_q <= 1'b0;
        f_answer_q <= 1'b0;
        f_read_q <= 1'b0;
        f_kept_q <= 32'd0;
        f_starts_q <= 1'b0;
    end else begin
        if (s_axi_control_awvalid && s_axi_control_awready) begin
            f_address_q <= 1'b1;
            f_place_q <= s_axi_control_awaddr[11:2];
        end else if (f_use)
            f_address_q <= 1'b0;
        if (s_axi_control_wvalid && s_axi_control_wready) begin
            f_data_q <= 1'b1;
            f_word_q <= s_axi_control_wdata;
            f_bytes_q <= s_axi_control_wstrb;
        end else if (f_use)
            f_data_q <= 1'b0;
        f_answer_q <= f_use || (f_answer_q && !s_axi_control_bready);
        if (f_writes)
            for (f_i = 0; f_i < 4; f_i = f_i + 1)
                if (f_bytes_q[f_i])
                    f_kept_q[8*f_i +: 8] <= f_word_q[8*f_i +: 8];
        f_starts_q <= (f_use && f_place_q == 10'd0 && f_bytes_q[0] && f_word_q[0]) || (ap_start && !ap_done);
        if (s_axi_control_arvalid && s_axi_control_arready) begin
            f_read_q <= 1'b1;
            f_from_q <= s_axi_control_araddr[11:2];
            f_age_q <= 3'd1;
            f_clean_q <= !f_writes;
        end else begin
            f_read_q <= f_read_q && !(s_axi_control_rvalid && s_axi_control_rready);
            f_age_q <= f_age_q == 3'd7 ? 3'd7 : f_age_q + 3'd1;
            f_clean_q <= f_clean_q && !f_writes;
        end
    end
    f_answers_q <= !rst && s_axi_control_bvalid && !s_axi_control_bready;
    f_both_q <= !rst && f_use;
    f_shows_q <= !rst && s_axi_control_rvalid && !s_axi_control_rready;
    f_shown_q <= s_axi_control_rdata;
    if (f_begun_q && !rst) begin
        assert (aw_held_q == f_address_q && w_held_q == f_data_q);
        assert (!aw_held_q || w_word_q == f_place_q);
        assert (!w_held_q || (w_data_q == f_word_q && w_strobe_q == f_bytes_q));
        assert (s_axi_control_bvalid == f_answer_q && s_axi_control_bresp == 2'b00);
        assert (!f_both_q || s_axi_control_bvalid);
        assert (!f_answers_q || s_axi_control_bvalid);
        assert (s_axi_control_awready == (open_q && !f_address_q) && s_axi_control_wready == (open_q && !f_data_q));
        assert (!f_known || f_now == f_kept_q);
        assert (!f_starts_q || ap_start);
        // Reads.
        assert (r_state_q <= S_DATA && (r_state_q != S_ADDR) == f_read_q);
        assert (!f_read_q || r_word_q == f_from_q);
        if (f_read_q)
            assert (f_age_q >= 3'd1 && (r_state_q == S_DATA ? f_age_q >= 3'd5 : f_age_q == r_state_q));
        assert (s_axi_control_rvalid == (f_read_q && f_age_q >= 3'd5) && s_axi_control_rresp == 2'b00);
        assert (s_axi_control_arready == (open_q && !f_read_q));
        if (f_shows_q)
            assert (s_axi_control_rvalid && s_axi_control_rdata == f_shown_q);
        if (s_axi_control_rvalid && f_known && f_from_q == f_word && f_clean_q)
            assert (s_axi_control_rdata == f_kept_q);
    end
end
