// SPDX-License-Identifier: Apache-2.0
// Passes the firings of PORTS streams to one output, in the order of a static schedule. An entry names the input whose
// words pass until the word with tlast. The schedule is walked once for each step on s_axis_step; with PARTS above 1,
// a run of entries with ENTRY_PART bits once for each part of the step (docs/rtl.md sections 4 and 5).
//
// s_axis_* are packed arrays, port 0 in the low bits. The output is combinational from the named input (latency 0), so
// it needs a FIFO after it. Turns are prefetched, so no cycle is lost between firings. Reset: clk, synchronous
// active-high rst; all tready and tvalid are low in reset.
//
// name               meaning                                              unit      range
// PORTS              writers                                              streams   1 to 255
// DATA_W             width of tdata                                       bits      1 or more
// USER_W             width of tuser                                       bits      1 or more
// SECTIONS           sections of the table, docs/rtl.md section 5         sections  1 or more
// ENTRIES            entries of the table: the sum of all lengths         entries   1 or more
// SECTION_LEN        length of each section, 16 bits each, the first      entries   not all 0
//                    low. Length 0 skips a section. The sum of all is
//                    ENTRIES
// SECTION_REPEAT     how often each section is walked, 16 bits each       times     any
// SECTION_WHEN_HEAD  bit s: skip section s in steps with head = 0         -         any
// TABLE              the entries, 8 bits each: below PORTS                -         any
// ENTRY_MANY         bit e: skip entry e in steps of one token            -         any
// PARTS              parts of a step, upper bound                         parts     1 to 8
// ENTRY_PART         bit e: walk entry e for each part                    -         any
`default_nettype none

module rill_stream_mux #(
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
    input  wire [PORTS-1:0]        s_axis_tvalid,
    output wire [PORTS-1:0]        s_axis_tready,
    input  wire [PORTS*DATA_W-1:0] s_axis_tdata,
    input  wire [PORTS*USER_W-1:0] s_axis_tuser,
    input  wire [PORTS-1:0]        s_axis_tlast,
    output wire                    m_axis_tvalid,
    input  wire                    m_axis_tready,
    output wire [DATA_W-1:0]       m_axis_tdata,
    output wire [USER_W-1:0]       m_axis_tuser,
    output wire                    m_axis_tlast
);
    `include "rill_fields.vh"
    function bad_entries(input integer entries);
        integer e;
        begin
            bad_entries = 1'b0;
            for (e = 0; e < entries; e = e + 1)
                if ({24'd0, TABLE[e*STEER_BITS+STEER_PORT +: STEER_PORT_W]} >= PORTS)
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
    wire [PORTS:0] turn;                     // one bit for each port, and one for "drop", which is never set here
    wire [7:0] port_index;
    wire       turn_done = m_axis_tvalid && m_axis_tready && m_axis_tlast;

    rill_turns #(.PORTS(PORTS), .SECTIONS(SECTIONS), .ENTRIES(ENTRIES), .SECTION_LEN(SECTION_LEN),
        .SECTION_REPEAT(SECTION_REPEAT),
        .SECTION_WHEN_HEAD(SECTION_WHEN_HEAD), .TABLE(TABLE), .ENTRY_MANY(ENTRY_MANY),
        .PARTS(PARTS), .ENTRY_PART(ENTRY_PART)) u_turns (
        .clk(clk), .rst(rst), .s_axis_step_tvalid(s_axis_step_tvalid), .s_axis_step_tready(s_axis_step_tready),
        .s_axis_step_tdata(s_axis_step_tdata), .turn_valid(turn_valid), .turn(turn), .port_index(port_index),
        .turn_done(turn_done));

    // The port's bit selects the handshake and its number selects the payload, so that tlast, which ends the turn, does
    // not wait for the select lines of all data bits.
    assign s_axis_tready = turn_valid && m_axis_tready ? turn[PORTS-1:0] : {PORTS{1'b0}};
    assign m_axis_tvalid = turn_valid && |(turn[PORTS-1:0] & s_axis_tvalid);
    assign m_axis_tlast = |(turn[PORTS-1:0] & s_axis_tlast);

    // A tree of two-way multiplexers selects the payload. Bit 0 of the number selects within pairs of neighbouring
    // ports, bit 1 between neighbouring pairs, and so on. The table names no port that does not exist.
    localparam PORT_W = PORTS > 1 ? $clog2(PORTS) : 1;
    localparam SLOTS = 1 << PORT_W;
    localparam WORD_W = USER_W + DATA_W;
    // A constant instead of a replication, because Verilator warns of replications above 8,192 bits.
    localparam [WORD_W-1:0] NO_WORD = 0;
    reg  [SLOTS*WORD_W-1:0] left;            // the words that are left after each level of the tree, from place 0 on
    integer                 b, i;
    always @* begin
        for (i = PORTS; i < SLOTS; i = i + 1)
            left[i*WORD_W +: WORD_W] = NO_WORD;
        for (i = 0; i < PORTS; i = i + 1)
            left[i*WORD_W +: WORD_W] = {s_axis_tuser[i*USER_W +: USER_W], s_axis_tdata[i*DATA_W +: DATA_W]};
        for (b = 0; b < PORT_W; b = b + 1)
            for (i = 0; i < (SLOTS >> (b + 1)); i = i + 1)
                left[i*WORD_W +: WORD_W] = port_index[b] ? left[(2*i+1)*WORD_W +: WORD_W] : left[2*i*WORD_W +: WORD_W];
    end
    assign {m_axis_tuser, m_axis_tdata} = left[WORD_W-1:0];

    wire unused = &{1'b0, turn[PORTS], port_index};
endmodule

`default_nettype wire
