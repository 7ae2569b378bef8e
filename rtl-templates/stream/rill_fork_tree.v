// SPDX-License-Identifier: Apache-2.0
// Sends one stream to PORTS readers that are far apart, with registers on the way.
//
// A word passes a register slice and a rill_fork. With more than GROUP readers, that fork feeds one further slice for
// each group of up to GROUP neighbouring readers, which feeds the fork of its group. So no register drives a bit to
// more than GROUP readers, and the ready signals of at most GROUP readers meet in one cycle. Each group has its own
// copy of the word: m_axis_tdata holds the copy of reader 0's group in the low bits.
// Protocol: AXI4-Stream, tdata only. The payload is held while a reader stalls. s_axis_tready comes from a register.
// Each reader takes the word when it can. A group can be three words ahead of another group.
// Throughput: one word per cycle. Latency: 1; with more than GROUP readers, 1 more.
// Reset: clk, synchronous active-high rst; valids only. s_axis_tready and m_axis_tvalid are low in reset, from its
// second cycle on. The forks need no reset, because a fork without a word forgets which readers have it. So no reset
// goes through them to the readers.
//
// name    meaning                                 unit     range
// DATA_W  width of a word                         bits     1 or more
// PORTS   readers, at most GROUP * GROUP          streams  1 or more
// GROUP   most readers of a copy                  streams  2 or more
// COPIES  copies of the word: one for each group  copies   derived
`default_nettype none

module rill_fork_tree #(
    parameter DATA_W = 0,
    parameter PORTS = 0,
    parameter GROUP = 8,
    parameter COPIES = (PORTS + GROUP - 1) / GROUP
) (
    input  wire                     clk,
    input  wire                     rst,
    input  wire                     s_axis_tvalid,
    output wire                     s_axis_tready,
    input  wire [DATA_W-1:0]        s_axis_tdata,
    output wire [PORTS-1:0]         m_axis_tvalid,
    input  wire [PORTS-1:0]         m_axis_tready,
    output wire [COPIES*DATA_W-1:0] m_axis_tdata
);
    generate
        if (DATA_W < 1) begin : gen_bad_data
            rill_error_DATA_W_must_be_at_least_1 u_error ();
        end
        if (GROUP < 2 || PORTS < 1 || PORTS > GROUP * GROUP) begin : gen_bad_ports
            rill_error_PORTS_must_be_1_to_GROUP_times_GROUP u_error ();
        end
    endgenerate

    // The AND of the readers' ready signals arrives late in the cycle. With MODE 3 this path ends in a few control
    // registers, because m_axis_tready is no enable of the data registers.
    wire              first_tvalid, first_tready;
    wire [DATA_W-1:0] first_tdata;
    rill_register_slice #(.DATA_W(DATA_W), .MODE(3)) u_first (.clk(clk), .rst(rst), .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready), .s_axis_tdata(s_axis_tdata), .m_axis_tvalid(first_tvalid),
        .m_axis_tready(first_tready), .m_axis_tdata(first_tdata));

    genvar g;
    generate
        if (COPIES == 1) begin : gen_flat
            assign m_axis_tdata = first_tdata;
            rill_fork #(.PORTS(PORTS)) u_fork (.clk(clk), .rst(1'b0), .s_axis_tvalid(first_tvalid),
                .s_axis_tready(first_tready), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready));
        end else begin : gen_tree
            wire [COPIES-1:0] group_tvalid, group_tready;
            rill_fork #(.PORTS(COPIES)) u_fork (.clk(clk), .rst(1'b0), .s_axis_tvalid(first_tvalid),
                .s_axis_tready(first_tready), .m_axis_tvalid(group_tvalid), .m_axis_tready(group_tready));
            for (g = 0; g < COPIES; g = g + 1) begin : gen_group
                localparam READERS = g == COPIES - 1 ? PORTS - g * GROUP : GROUP;
                wire copy_tvalid, copy_tready;
                rill_register_slice #(.DATA_W(DATA_W), .MODE(2)) u_copy (.clk(clk), .rst(rst),
                    .s_axis_tvalid(group_tvalid[g]), .s_axis_tready(group_tready[g]), .s_axis_tdata(first_tdata),
                    .m_axis_tvalid(copy_tvalid), .m_axis_tready(copy_tready),
                    .m_axis_tdata(m_axis_tdata[g*DATA_W +: DATA_W]));
                rill_fork #(.PORTS(READERS)) u_readers (.clk(clk), .rst(1'b0), .s_axis_tvalid(copy_tvalid),
                    .s_axis_tready(copy_tready), .m_axis_tvalid(m_axis_tvalid[g*GROUP +: READERS]),
                    .m_axis_tready(m_axis_tready[g*GROUP +: READERS]));
            end
        end
    endgenerate
endmodule

`default_nettype wire
