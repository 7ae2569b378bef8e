// SPDX-License-Identifier: Apache-2.0
// Distributes the firings of one stream to PORTS readers in the order of a static schedule. An entry names the output
// that gets the words until tlast. Entry 255 drops the firing. The schedule is walked once for each step on
// s_axis_step; with PARTS above 1, a run of entries with ENTRY_PART bits once for each part of the step (docs/rtl.md
// sections 4 and 5).
//
// m_axis_* are packed arrays, port 0 in the low bits. All ports carry the input's payload; the port whose tvalid is
// high may take it. The outputs are combinational from the input (latency 0). Turns are prefetched, so no cycle is lost
// between firings. Reset: clk, synchronous active-high rst; tready and all tvalid are low in reset.
//
// name               meaning                                              unit      range
// PORTS              readers                                              streams   1 to 255
// DATA_W             width of tdata                                       bits      1 or more
// USER_W             width of tuser                                       bits      1 or more
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
// ENTRY_PART         bit e: walk entry e for each part                    -         any
`default_nettype none

module rill_stream_demux #(
    parameter PORTS = 0,
    parameter DATA_W = 0,
    parameter USER_W = 0,
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
    input  wire                    clk,
    input  wire                    rst,
    input  wire                    s_axis_step_tvalid,
    output wire                    s_axis_step_tready,
    input  wire [63:0]             s_axis_step_tdata,
    input  wire                    s_axis_tvalid,
    output wire                    s_axis_tready,
    input  wire [DATA_W-1:0]       s_axis_tdata,
    input  wire [USER_W-1:0]       s_axis_tuser,
    input  wire                    s_axis_tlast,
    output wire [PORTS-1:0]        m_axis_tvalid,
    input  wire [PORTS-1:0]        m_axis_tready,
    output wire [PORTS*DATA_W-1:0] m_axis_tdata,
    output wire [PORTS*USER_W-1:0] m_axis_tuser,
    output wire [PORTS-1:0]        m_axis_tlast
);
    `include "rill_fields.vh"
    function bad_entries(input integer entries);
        integer e;
        begin
            bad_entries = 1'b0;
            for (e = 0; e < entries; e = e + 1)
                if ({24'd0, TABLE[e*STEER_BITS+STEER_PORT +: STEER_PORT_W]} >= PORTS
                    && TABLE[e*STEER_BITS+STEER_PORT +: STEER_PORT_W] != STEER_PORT_DROP)
                    bad_entries = 1'b1;
        end
    endfunction

    generate
        if (PORTS < 1 || PORTS > 255) begin : gen_bad_ports
            rill_error_PORTS_must_be_1_to_255 u_error ();
        end else if (bad_entries(ENTRIES)) begin : gen_bad_table
            rill_error_TABLE_names_a_port_that_is_not_there u_error ();
        end
        if (DATA_W < 1 || USER_W < 1) begin : gen_bad_width
            rill_error_DATA_W_and_USER_W_must_be_at_least_1 u_error ();
        end
    endgenerate

    wire       turn_valid;                   // low in reset
    wire [PORTS:0] turn;                     // one bit for each port, and one for "drop"
    wire [7:0] port_index;
    wire       turn_done = s_axis_tvalid && s_axis_tready && s_axis_tlast;

    rill_turns #(.PORTS(PORTS), .SECTIONS(SECTIONS), .ENTRIES(ENTRIES), .SECTION_LEN(SECTION_LEN),
        .SECTION_REPEAT(SECTION_REPEAT),
        .SECTION_WHEN_HEAD(SECTION_WHEN_HEAD), .TABLE(TABLE), .ENTRY_MANY(ENTRY_MANY),
        .PARTS(PARTS), .ENTRY_PART(ENTRY_PART)) u_turns (
        .clk(clk), .rst(rst), .s_axis_step_tvalid(s_axis_step_tvalid), .s_axis_step_tready(s_axis_step_tready),
        .s_axis_step_tdata(s_axis_step_tdata), .turn_valid(turn_valid), .turn(turn), .port_index(port_index),
        .turn_done(turn_done));

    assign m_axis_tdata = {PORTS{s_axis_tdata}};
    assign m_axis_tuser = {PORTS{s_axis_tuser}};
    assign m_axis_tlast = {PORTS{s_axis_tlast}};

    assign s_axis_tready = turn_valid && |(turn & {1'b1, m_axis_tready});
    assign m_axis_tvalid = turn_valid && s_axis_tvalid ? turn[PORTS-1:0] : {PORTS{1'b0}};

    wire unused = &{1'b0, port_index};
endmodule

`default_nettype wire
