// SPDX-License-Identifier: Apache-2.0
// Tells a stream multiplexer, a demultiplexer or a FIFO pool which port is next. The port numbers (8 bits) are the
// entries of a rill_schedule.
//
// turn is one-hot: bit p for port p, bit PORTS for entry 255 (STEER_PORT_DROP: the demultiplexer drops the firing).
// port_index is the same turn as a port number, or 255. Both are valid while turn_valid is high, and stay until a pulse
// on turn_done, which is allowed only while turn_valid is high. The next turn is valid one cycle later. Up to 6 turns
// are prefetched, which hides the schedule's idle cycles between sections and steps. turn is decoded before the FIFO of
// prefetched turns, so it comes from registers.
// Latency: 5 cycles from a step to its first turn, plus one per skipped section before it.
// Reset: clk, synchronous active-high rst; the prefetched turns are discarded.
//
// name               meaning                                              unit      range
// PORTS              streams that take turns                              streams   1 to 255
// SECTIONS           sections of the table, docs/rtl.md section 5         sections  1 or more
// ENTRIES            entries of the table: the sum of all lengths         entries   1 or more
// SECTION_LEN        length of each section, 16 bits each, the first      entries   not all 0
//                    low. Length 0 skips a section. The sum of all is
//                    ENTRIES
// SECTION_REPEAT     how often each section is walked, 16 bits each       times     any
// SECTION_WHEN_HEAD  bit s: skip section s in steps with head = 0         -         any
// TABLE              the entries, 8 bits each: below PORTS, or 255        -         any
// ENTRY_MANY         bit e: skip entry e in steps of one token            -         any
// PARTS              parts of a step, upper bound                         parts     1 to 8
// ENTRY_PART         bit e: walk entry e once for each part               -         any
`default_nettype none

module rill_turns #(
    parameter PORTS = 0,
    parameter SECTIONS = 0,
    parameter ENTRIES = 0,
    parameter [SECTIONS*16-1:0] SECTION_LEN = 0,
    parameter [SECTIONS*16-1:0] SECTION_REPEAT = 0,
    parameter [SECTIONS-1:0] SECTION_WHEN_HEAD = 0,
    parameter [ENTRIES*8-1:0] TABLE = 0,
    parameter [ENTRIES-1:0] ENTRY_MANY = 0,
    parameter PARTS = 1,
    parameter [ENTRIES-1:0] ENTRY_PART = 0
) (
    input  wire           clk,
    input  wire           rst,
    input  wire           s_axis_step_tvalid,
    output wire           s_axis_step_tready,
    input  wire [63:0]    s_axis_step_tdata,
    output wire           turn_valid,
    output wire [PORTS:0] turn,
    output wire [7:0]     port_index,                   // the turn as a port number
    input  wire           turn_done
);
    `include "rill_fields.vh"
    generate
        if (PORTS < 1 || PORTS > 255) begin : gen_bad_ports
            rill_error_PORTS_must_be_1_to_255 u_error ();
        end
    endgenerate

    wire        entry_valid;
    wire        entry_ready;
    wire [87:0] entry;
    wire        entry_last;
    wire [2:0]  occupancy;
    wire [2:0]  high_water;

    rill_schedule #(.ENTRY_W(8), .SECTIONS(SECTIONS), .ENTRIES(ENTRIES), .SECTION_LEN(SECTION_LEN),
        .SECTION_REPEAT(SECTION_REPEAT),
        .SECTION_WHEN_HEAD(SECTION_WHEN_HEAD), .TABLE(TABLE), .ENTRY_MANY(ENTRY_MANY),
        .PARTS(PARTS), .ENTRY_PART(ENTRY_PART)) u_schedule (
        .clk(clk), .rst(rst), .s_axis_step_tvalid(s_axis_step_tvalid), .s_axis_step_tready(s_axis_step_tready),
        .s_axis_step_tdata(s_axis_step_tdata), .m_axis_entry_tvalid(entry_valid), .m_axis_entry_tready(entry_ready),
        .m_axis_entry_tdata(entry), .m_axis_entry_tlast(entry_last));
    wire [PORTS:0] decoded;
    genvar p;
    generate
        for (p = 0; p < PORTS; p = p + 1) begin : gen_port
            assign decoded[p] = entry[STEER_PORT +: STEER_PORT_W] == p;
        end
    endgenerate
    assign decoded[PORTS] = entry[STEER_PORT +: STEER_PORT_W] == STEER_PORT_DROP;

    rill_fifo #(.DATA_W(PORTS + 9), .DEPTH(6), .RAM_STYLE("distributed")) u_ahead (
        .clk(clk), .rst(rst), .s_axis_tvalid(entry_valid), .s_axis_tready(entry_ready),
        .s_axis_tdata({entry[STEER_PORT +: STEER_PORT_W], decoded}),
        .m_axis_tvalid(turn_valid), .m_axis_tready(turn_done), .m_axis_tdata({port_index, turn}), .occupancy(occupancy),
        .high_water(high_water));

    wire unused = &{1'b0, entry, entry_last, occupancy, high_water};
endmodule

`default_nettype wire
