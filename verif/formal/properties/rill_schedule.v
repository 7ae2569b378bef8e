// SPDX-License-Identifier: Apache-2.0
// Properties of rill_schedule, which verif/formal/run.sh inserts before its `endmodule`.
// Proves that each step gives the entries of the sections that run, in order, each section as often as its repeat count
// says, with the number of the repetition and the step word. tlast is only on the last entry, and an entry that waits
// stays. An entry comes within SECTIONS + 4 cycles after the step word, or after room at the output. The signals with
// f_ are a second walk through the table, which computes the expected entry. No entry has a bit of ENTRY_MANY or
// ENTRY_PART set here, because verif/formal/run.sh sets none.
localparam F_W = SECTION_W + 1;
reg                f_begun_q = 1'b0;
reg                f_busy_q;                 // a step has entries to come
reg  [F_W-1:0]     f_section_q;              // section of the next entry
reg  [15:0]        f_index_q;                // index of the next entry in its section
reg  [15:0]        f_pass_q;                 // repetition of the section
reg  [63:0]        f_step_q;
reg                f_out_q;                  // an entry is at the output
reg  [ENTRY_W-1:0] f_entry_q;
reg  [15:0]        f_layer_q;
reg  [63:0]        f_word_q;
reg                f_last_q;
reg  [7:0]         f_waits_q;                // cycles without a new entry, although one could leave
wire               f_load = advance && inside_q; // the next entry goes to the output
wire               f_take = s_axis_step_tvalid && s_axis_step_tready;
integer            f_i;
function [15:0] f_length(input [F_W-1:0] section);
    f_length = SECTION_LEN >> section * 16;
endfunction
function [15:0] f_repeats(input [F_W-1:0] section);
    f_repeats = SECTION_REPEAT >> section * 16;
endfunction
function [31:0] f_base(input [F_W-1:0] section);           // first entry of a section in the table
    begin
        f_base = 32'd0;
        for (f_i = 0; f_i < SECTIONS; f_i = f_i + 1)
            if (f_i < section)
                f_base = f_base + f_length(f_i);
    end
endfunction
function [F_W-1:0] f_next(input [F_W-1:0] section, input [63:0] step); // next section that runs, or SECTIONS
    begin
        f_next = SECTIONS;
        for (f_i = SECTIONS - 1; f_i >= 0; f_i = f_i - 1)
            if (f_i >= section && (step[STEP_HEAD] || !SECTION_WHEN_HEAD[f_i]) && f_length(f_i) != 16'd0
                && f_repeats(f_i) != 16'd0)
                f_next = f_i;
    end
endfunction
wire [F_W-1:0]     f_first = f_next({F_W{1'b0}}, s_axis_step_tdata);
wire [F_W-1:0]     f_later = f_next(f_section_q + 1'b1, f_step_q);
wire               f_end_of_pass = f_index_q == f_length(f_section_q) - 16'd1;
wire               f_end = f_end_of_pass && f_pass_q == f_repeats(f_section_q) - 16'd1;
always @(posedge clk) begin
    f_begun_q <= 1'b1;
    assume (f_begun_q || rst);
    f_waits_q <= rst || f_load || !advance || !f_busy_q ? 8'd0 : f_waits_q + 8'd1;
    if (rst)
        f_busy_q <= 1'b0;
    else if (f_take) begin
        f_busy_q <= f_first != SECTIONS;
        f_section_q <= f_first;
        f_index_q <= 16'd0;
        f_pass_q <= 16'd0;
        f_step_q <= s_axis_step_tdata;
    end else if (f_load) begin
        f_index_q <= f_end_of_pass ? 16'd0 : f_index_q + 16'd1;
        f_pass_q <= f_end ? 16'd0 : f_end_of_pass ? f_pass_q + 16'd1 : f_pass_q;
        if (f_end) begin
            f_section_q <= f_later;
            f_busy_q <= f_later != SECTIONS;
        end
    end
    if (rst)
        f_out_q <= 1'b0;
    else if (f_load) begin
        f_out_q <= 1'b1;
        f_entry_q <= TABLE >> (f_base(f_section_q) + f_index_q) * ENTRY_W;
        f_layer_q <= f_pass_q;
        f_word_q <= f_step_q;
        f_last_q <= f_end && f_later == SECTIONS;
    end else if (m_axis_entry_tready)
        f_out_q <= 1'b0;
    if (f_begun_q && !rst) begin
        assert (m_axis_entry_tvalid == f_out_q);
        if (f_out_q)
            assert (m_axis_entry_tdata == {f_layer_q, f_word_q, f_entry_q} && m_axis_entry_tlast == f_last_q);
        for (f_i = 0; f_i < ENTRIES; f_i = f_i + 1)
            assert (rom[f_i] == TABLE[f_i*ENTRY_W +: ENTRY_W]);
        assert (!open_q || (!f_busy_q && !inside_q));
        assert (section_q <= END && (!f_busy_q || f_section_q < SECTIONS));
        if (f_busy_q)
            assert (f_index_q < f_length(f_section_q) && f_pass_q < f_repeats(f_section_q) && step_q == f_step_q &&
                    f_next(f_section_q, f_step_q) == f_section_q);
        if (inside_q)
            assert (f_busy_q && section_q == f_section_q && first_q == f_base(f_section_q) % (1 << INDEX_W) &&
                    index_q == f_base(f_section_q) + f_index_q && top_q == f_length(f_section_q) - 16'd1 &&
                    left_q == top_q - f_index_q && layer_q == f_pass_q &&
                    layers_q == f_repeats(f_section_q) - 16'd1 - f_pass_q && more_q == (f_later != SECTIONS));
        else if (!open_q && section_q == END)
            assert (!f_busy_q);
        else if (!open_q)
            assert (f_index_q == 16'd0 && f_pass_q == 16'd0 && first_q == f_base(section_q) % (1 << INDEX_W) &&
                    (f_busy_q ? f_next(section_q, step_q) == f_section_q : f_next(section_q, step_q) == SECTIONS));
        assert (!f_busy_q || inside_q || f_waits_q <= section_q + 8'd1);
        assert (f_waits_q <= SECTIONS + 4);
    end
end
