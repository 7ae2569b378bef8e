// SPDX-License-Identifier: Apache-2.0
// Turns each step word into entries for the control of the matrix engine: walks the schedule (rill_schedule) and, in
// layers with an attention window, counts keys and values from the first position that is read (rill_window_entries).
//
// s_axis_step: the step words. m_axis_entry: {layer, step, entry}, the format of rill_schedule.
// Throughput and latency: those of rill_schedule; with windows, entries come 5 cycles later (rill_window_entries).
// Reset: clk, synchronous active-high rst. The step that is walked is discarded.
//
// name               meaning                                                                   unit       range
// KEY_CHANNELS       channels of the scores engine                                             channels   1 to 32
// WINDOWS            number of windows: 1 for all layers, or one per cache layer               entries    1 or more
// K_WINDOW           positions a token attends to, including its own; 16 bits per layer of     positions  any
//                    keys, the lowest layer low; 0: no window
// V_WINDOW           the windows of the layers of values, likewise                             positions  any
// SECTIONS           sections of the table, docs/rtl.md section 5                              sections   1 or more
// ENTRIES            entries of the table: the sum of all lengths                              entries    1 or more
// SECTION_LEN        length of each section, 16 bits each, the first low; 0 skips the section  entries    not all 0
//                    The sum of all is ENTRIES
// SECTION_REPEAT     how often each section is walked, 16 bits each                            times      any
// SECTION_WHEN_HEAD  bit s: skip section s in steps with head = 0                              -          any
// TABLE              the entries, 96 bits each (fields: comment at the instance)               -          any
// ENTRY_MANY         bit e: skip entry e in steps of one token                                 -          any
// PARTS              parts of a step, upper bound                                              parts      1 to 8
// ENTRY_PART         bit e: walk entry e for each part                                         -          any
`default_nettype none

module rill_engine_table #(
    parameter KEY_CHANNELS = 1,
    parameter WINDOWS = 1,
    parameter [WINDOWS*16-1:0] K_WINDOW = 0,
    parameter [WINDOWS*16-1:0] V_WINDOW = 0,
    parameter SECTIONS = 0,
    parameter ENTRIES = 0,
    parameter [SECTIONS*16-1:0] SECTION_LEN = 0,
    parameter [SECTIONS*16-1:0] SECTION_REPEAT = 0,
    parameter [SECTIONS-1:0] SECTION_WHEN_HEAD = 0,
    parameter [ENTRIES*96-1:0] TABLE = 0,
    parameter [ENTRIES-1:0] ENTRY_MANY = 0,
    parameter PARTS = 1,
    parameter [ENTRIES-1:0] ENTRY_PART = 0
) (
    input  wire         clk,
    input  wire         rst,
    input  wire         s_axis_step_tvalid,
    output wire         s_axis_step_tready,
    input  wire [63:0]  s_axis_step_tdata,
    output wire         m_axis_entry_tvalid,
    input  wire         m_axis_entry_tready,
    output wire [175:0] m_axis_entry_tdata
);
    `include "rill_fields.vh"
    generate
        if (SECTIONS < 1 || ENTRIES < 1) begin : gen_bad_table
            rill_error_SECTIONS_and_ENTRIES_must_be_at_least_1 u_error ();
        end
    endgenerate

    wire         entry_valid;
    wire         entry_ready;
    wire [175:0] entry_data;
    wire         entry_last;
    rill_schedule #(.ENTRY_W(ENGINE_BITS), .SECTIONS(SECTIONS), .ENTRIES(ENTRIES), .SECTION_LEN(SECTION_LEN),
        .SECTION_REPEAT(SECTION_REPEAT),
        .SECTION_WHEN_HEAD(SECTION_WHEN_HEAD), .TABLE(TABLE), .ENTRY_MANY(ENTRY_MANY),
        .PARTS(PARTS), .ENTRY_PART(ENTRY_PART)) u_schedule (
        .clk(clk), .rst(rst), .s_axis_step_tvalid(s_axis_step_tvalid), .s_axis_step_tready(s_axis_step_tready),
        .s_axis_step_tdata(s_axis_step_tdata), .m_axis_entry_tvalid(entry_valid), .m_axis_entry_tready(entry_ready),
        .m_axis_entry_tdata(entry_data), .m_axis_entry_tlast(entry_last));
    generate
        if (K_WINDOW == 0 && V_WINDOW == 0) begin : gen_all_positions
            assign {m_axis_entry_tvalid, m_axis_entry_tdata, entry_ready} = {entry_valid, entry_data,
                m_axis_entry_tready};
        end else begin : gen_windows
            wire        seen_last;
            wire [9:0]  seen_blocks;
            wire [15:0] seen_rows;
            rill_window_entries #(.ENTRY_W(ENGINE_BITS), .KEY_CHANNELS(KEY_CHANNELS), .WINDOWS(WINDOWS),
                .K_WINDOW(K_WINDOW), .V_WINDOW(V_WINDOW)) u_windows (
                .clk(clk), .rst(rst), .s_axis_entry_tvalid(entry_valid), .s_axis_entry_tready(entry_ready),
                .s_axis_entry_tdata(entry_data), .s_axis_entry_tlast(entry_last),
                .keys(entry_data[ENGINE_MODE +: ENGINE_MODE_W] == ENGINE_MODE_SCORES),
                .values(entry_data[ENGINE_MODE +: ENGINE_MODE_W] == ENGINE_MODE_VALUES),
                .kv_layer(entry_data[ENGINE_KV_LAYER +: ENGINE_KV_LAYER_W]),
                .kv_step(entry_data[ENGINE_KV_STEP +: ENGINE_KV_STEP_W]), .m_axis_entry_tvalid(m_axis_entry_tvalid),
                .m_axis_entry_tready(m_axis_entry_tready), .m_axis_entry_tdata(m_axis_entry_tdata),
                .m_axis_entry_tlast(seen_last), .blocks(seen_blocks), .rows(seen_rows));
            wire unused_windows = &{1'b0, seen_last, seen_blocks, seen_rows};
        end
    endgenerate
    wire unused = &{1'b0, entry_last};
endmodule

`default_nettype wire
