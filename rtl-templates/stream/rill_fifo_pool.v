// SPDX-License-Identifier: Apache-2.0
// One FIFO that PORTS streams share. The streams belong to groups of kernels that run one after the other, so one
// memory serves all of them. They take turns, firing by firing, in the order of a static schedule, which is walked once
// for each step word on s_axis_step (docs/rtl.md sections 4 and 5).
//
// Protocol: each stream behaves as with a rill_fifo of DEPTH words, with tlast at the end of each firing, but its words
// enter only in its turn. Before its turn, tready is low. Words leave in the order in which they entered.
// s_axis_* and m_axis_* are packed arrays, port 0 in the low bits. All outputs carry the same payload; the port whose
// tvalid is high may take it.
// Latency: as in rill_fifo. tvalid and tready are combinational from the turns. Turns are prefetched (rill_turns), so
// no cycle is lost between firings.
// Input and output have separate turns, so a firing may enter while the previous one leaves.
// For each port, occupancy is the number of its words in the FIFO, and high_water the largest such number since the
// reset (for simulation and debugging).
// Reset: clk, synchronous active-high rst; control only. tready and tvalid are low in reset.
//
// name               meaning                                   unit      range
// PORTS              streams that take turns                   streams   1 to 255
// DATA_W             tdata and tuser, of the widest stream     bits      1 or more
// DEPTH              capacity                                  words     1 or more
// RAM_STYLE          style of the storage, as in rill_fifo     -         "auto", "srl", "distributed", "block", "ultra"
// SECTIONS           sections of the table, docs/rtl.md        sections  1 or more
//                    section 5
// ENTRIES            entries of the table: the sum of all      entries   1 or more
//                    lengths
// SECTION_LEN        length of each section, 16 bits each,     entries   not all 0
//                    the first low. Length 0 skips a section.
//                    The sum of all is ENTRIES
// SECTION_REPEAT     how often each section is walked, 16      times     any
//                    bits each
// SECTION_WHEN_HEAD  bit s: skip section s in steps with head  -         any
//                    = 0
// TABLE              the entries, 8 bits each: below PORTS     -         any
// COUNT_W            width of occupancy                        bits      derived
`default_nettype none

module rill_fifo_pool #(
    parameter PORTS = 0,
    parameter DATA_W = 0,
    parameter DEPTH = 0,
    parameter RAM_STYLE = "auto",
    parameter SECTIONS = 0,
    parameter ENTRIES = 0,
    parameter [SECTIONS*16-1:0] SECTION_LEN = 0,
    parameter [SECTIONS*16-1:0] SECTION_REPEAT = 0,
    parameter [SECTIONS-1:0] SECTION_WHEN_HEAD = 0,
    parameter [ENTRIES*8-1:0] TABLE = 0,
    parameter COUNT_W = $clog2(DEPTH + 1)
) (
    input  wire                     clk,
    input  wire                     rst,
    input  wire                     s_axis_step_tvalid,
    output wire                     s_axis_step_tready,
    input  wire [63:0]              s_axis_step_tdata,
    input  wire [PORTS-1:0]         s_axis_tvalid,
    output wire [PORTS-1:0]         s_axis_tready,
    input  wire [PORTS*DATA_W-1:0]  s_axis_tdata,
    input  wire [PORTS-1:0]         s_axis_tlast,
    output wire [PORTS-1:0]         m_axis_tvalid,
    input  wire [PORTS-1:0]         m_axis_tready,
    output wire [PORTS*DATA_W-1:0]  m_axis_tdata,
    output wire [PORTS-1:0]         m_axis_tlast,
    output wire [PORTS*COUNT_W-1:0] occupancy,
    output wire [PORTS*COUNT_W-1:0] high_water
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
        if (DATA_W < 1) begin : gen_bad_width
            rill_error_DATA_W_must_be_at_least_1 u_error ();
        end
        if (DEPTH < 1) begin : gen_bad_depth
            rill_error_DEPTH_must_be_at_least_1 u_error ();
        end
    endgenerate

    // ---- a step word for each of the two schedules: input and output ----
    wire [1:0] fork_valid;
    wire [1:0] fork_ready;
    wire [1:0] step_valid;
    wire [1:0] step_ready;
    wire [127:0] step_data;
    wire [5:0] step_fill;
    wire [5:0] step_high;

    rill_fork #(.PORTS(2)) u_fork (
        .clk(clk), .rst(rst), .s_axis_tvalid(s_axis_step_tvalid), .s_axis_tready(s_axis_step_tready),
        .m_axis_tvalid(fork_valid), .m_axis_tready(fork_ready));

    wire [1:0]  turn_valid;
    wire [2*PORTS+1:0] turn;                 // turns of the input (low bits) and of the output (rill_turns)
    wire [15:0] port_index;
    wire [1:0]  turn_done;
    genvar      g;
    generate
        for (g = 0; g < 2; g = g + 1) begin : gen_walk
            rill_fifo #(.DATA_W(64), .DEPTH(4), .RAM_STYLE("distributed")) u_step (
                .clk(clk), .rst(rst), .s_axis_tvalid(fork_valid[g]), .s_axis_tready(fork_ready[g]),
                .s_axis_tdata(s_axis_step_tdata),
                .m_axis_tvalid(step_valid[g]), .m_axis_tready(step_ready[g]), .m_axis_tdata(step_data[64*g +: 64]),
                .occupancy(step_fill[3*g +: 3]), .high_water(step_high[3*g +: 3]));
            rill_turns #(.PORTS(PORTS), .SECTIONS(SECTIONS), .ENTRIES(ENTRIES), .SECTION_LEN(SECTION_LEN),
                .SECTION_REPEAT(SECTION_REPEAT),
                .SECTION_WHEN_HEAD(SECTION_WHEN_HEAD), .TABLE(TABLE)) u_turns (
                .clk(clk), .rst(rst), .s_axis_step_tvalid(step_valid[g]), .s_axis_step_tready(step_ready[g]),
                .s_axis_step_tdata(step_data[64*g +: 64]), .turn_valid(turn_valid[g]),
                .turn(turn[(PORTS+1)*g +: PORTS+1]),
                .port_index(port_index[8*g +: 8]), .turn_done(turn_done[g]));
        end
    endgenerate

    // ---- input, storage, output ----
    wire [PORTS-1:0]   in_turn = turn[PORTS-1:0];
    wire [PORTS-1:0]   out_turn = turn[PORTS+1 +: PORTS];
    wire               in_open = turn_valid[0] && !rst;
    wire               out_open = turn_valid[1] && !rst;
    wire               in_valid = in_open && |(in_turn & s_axis_tvalid);
    wire               in_ready;
    reg  [DATA_W-1:0]  in_data;
    wire [DATA_W:0]    in_word = {|(in_turn & s_axis_tlast), in_data};
    wire               out_valid;
    wire               out_ready = out_open && |(out_turn & m_axis_tready);
    wire [DATA_W:0]    out_word;
    wire [COUNT_W-1:0] fill;
    wire [COUNT_W-1:0] fill_high;

    integer p;
    always @* begin
        in_data = s_axis_tdata[DATA_W-1:0];
        for (p = 0; p < PORTS; p = p + 1)
            if (port_index[7:0] == p[7:0])
                in_data = s_axis_tdata[p*DATA_W +: DATA_W];
    end
    assign s_axis_tready = in_open && in_ready ? in_turn : {PORTS{1'b0}};
    assign m_axis_tvalid = out_open && out_valid ? out_turn : {PORTS{1'b0}};
    assign m_axis_tdata = {PORTS{out_word[DATA_W-1:0]}};
    assign m_axis_tlast = {PORTS{out_word[DATA_W]}};
    assign turn_done = {out_valid && out_ready && out_word[DATA_W], in_valid && in_ready && in_word[DATA_W]};

    rill_fifo #(.DATA_W(DATA_W + 1), .DEPTH(DEPTH), .RAM_STYLE(RAM_STYLE)) u_words (
        .clk(clk), .rst(rst), .s_axis_tvalid(in_valid), .s_axis_tready(in_ready), .s_axis_tdata(in_word),
        .m_axis_tvalid(out_valid), .m_axis_tready(out_ready), .m_axis_tdata(out_word), .occupancy(fill),
        .high_water(fill_high));

    // ---- occupancy of each stream ----
    generate
        for (g = 0; g < PORTS; g = g + 1) begin : gen_count
            reg  [COUNT_W-1:0] count_q;
            reg  [COUNT_W-1:0] high_q;
            wire               enters = s_axis_tvalid[g] && s_axis_tready[g];
            wire               leaves = m_axis_tvalid[g] && m_axis_tready[g];
            wire [COUNT_W-1:0] count_d = count_q + {{(COUNT_W-1){1'b0}}, enters} - {{(COUNT_W-1){1'b0}}, leaves};
            always @(posedge clk)
                if (rst) begin
                    count_q <= {COUNT_W{1'b0}};
                    high_q <= {COUNT_W{1'b0}};
                end else begin
                    count_q <= count_d;
                    if (count_d > high_q)
                        high_q <= count_d;
                end
            assign occupancy[g*COUNT_W +: COUNT_W] = count_q;
            assign high_water[g*COUNT_W +: COUNT_W] = high_q;
        end
    endgenerate

    wire unused = &{1'b0, port_index[15:8], turn[PORTS], turn[2*PORTS+1], step_fill, step_high, fill, fill_high};
endmodule

`default_nettype wire
