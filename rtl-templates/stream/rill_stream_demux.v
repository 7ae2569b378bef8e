// SPDX-License-Identifier: Apache-2.0
// Deals the firings of one stream out to PORTS readers in the order of a static schedule; entry 255 drops the firing.
//
// m_axis_* are packed arrays, port 0 in the low bits. Combinational from the input; latency 0, no bubble between firings.
// Reset: synchronous. Parameters: PORTS, DATA_W, USER_W bits, schedule parameters (docs/rtl.md section 5) with entries of 8 bits.
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
    parameter [ENTRIES*8-1:0] TABLE = 0
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
    generate
        if (PORTS < 1 || PORTS > 255) begin : gen_bad_ports
            rill_error_PORTS_must_be_1_to_255 u_error ();
        end
        if (DATA_W < 1 || USER_W < 1) begin : gen_bad_width
            rill_error_DATA_W_and_USER_W_must_be_at_least_1 u_error ();
        end
    endgenerate

    wire       turn_valid;
    wire [7:0] turn;
    wire       turn_done = s_axis_tvalid & s_axis_tready & s_axis_tlast;
    rill_turns #(
        .SECTIONS(SECTIONS), .ENTRIES(ENTRIES), .SECTION_LEN(SECTION_LEN), .SECTION_REPEAT(SECTION_REPEAT),
        .SECTION_WHEN_HEAD(SECTION_WHEN_HEAD), .TABLE(TABLE)
    ) u_turns (
        .clk(clk), .rst(rst), .s_axis_step_tvalid(s_axis_step_tvalid), .s_axis_step_tready(s_axis_step_tready),
        .s_axis_step_tdata(s_axis_step_tdata), .turn_valid(turn_valid), .turn(turn), .turn_done(turn_done)
    );

    wire [255:0] readys = {1'b1, {(255-PORTS){1'b0}}, m_axis_tready}; // 255: dropped
    assign s_axis_tready = turn_valid & readys[turn];
    genvar p;
    generate
        for (p = 0; p < PORTS; p = p + 1) begin : gen_port
            assign m_axis_tvalid[p] = turn_valid & s_axis_tvalid & (turn == p);
            assign m_axis_tdata[p*DATA_W +: DATA_W] = s_axis_tdata;
            assign m_axis_tuser[p*USER_W +: USER_W] = s_axis_tuser;
            assign m_axis_tlast[p] = s_axis_tlast;
        end
    endgenerate
endmodule

`default_nettype wire
