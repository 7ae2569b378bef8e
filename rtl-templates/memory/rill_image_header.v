// SPDX-License-Identifier: Apache-2.0
// Reads the header of the memory image at each start and compares it, then lets the vector parameters after it through,
// or keeps those that are on chip.
//
// The header is one beat (docs/memory.md): [31:0] magic, [63:32] version, [127:64] layout, [191:128] checksum of the
// image, never 0.
// start (pulse): also in the middle of a read. kept = 0: header and BEATS of parameters are one read, and the
// parameters go to m_axis_beat.
// Else the header is read alone. If its checksum is `kept`: `keep` (pulse) and no read; else the parameters follow in a
// read of their own.
// A header of another image: `wrong` (level, until start) with place 0 magic, 1 version, 2 layout, the first that
// differs; nothing is let through, `done` never comes. checksum is valid with `done`. done rises with `keep`, or when
// the header is right and `loaded` (level: all parameters have been handed over; 1 where BEATS is 0), and is low from
// start on until then.
// `layout` and `kept` hold still from 2 cycles before start until done or wrong.
// Latency: 3 cycles from the header's beat to `keep`, `wrong` or the first beat let through; one beat per cycle then.
// Reset: synchronous, control only; tready low in reset.
//
// name       meaning                               unit   range
// BEAT_BITS  width of a beat                       bits   256, 512
// BEATS      beats of parameters after the header  beats  0 to 65534
// OFFSET     offset of the header in the channel   bytes  any
`default_nettype none

module rill_image_header #(
    parameter BEAT_BITS = 0,
    parameter BEATS = 0,
    parameter [39:0] OFFSET = 0
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire                 start,
    input  wire [63:0]          layout,
    input  wire [63:0]          kept,
    output reg                  m_axis_desc_tvalid,
    input  wire                 m_axis_desc_tready,
    output wire [55:0]          m_axis_desc_tdata,   // {beats, offset}
    input  wire                 s_axis_beat_tvalid,
    output wire                 s_axis_beat_tready,
    input  wire [BEAT_BITS-1:0] s_axis_beat_tdata,
    output wire                 m_axis_beat_tvalid,
    input  wire                 m_axis_beat_tready,
    output wire [BEAT_BITS-1:0] m_axis_beat_tdata,
    input  wire                 loaded,
    output reg                  keep,
    output reg                  wrong,
    output reg  [1:0]           place,
    output wire [63:0]          checksum,
    output wire                 done
);
    generate
        if (BEAT_BITS != 256 && BEAT_BITS != 512) begin : gen_bad_beat
            rill_error_BEAT_BITS_must_be_256_or_512 u_error ();
        end
        if (BEATS < 0 || BEATS > 65534) begin : gen_bad_beats
            rill_error_BEATS_must_be_0_to_65534 u_error ();
        end
    endgenerate

    localparam [31:0] MAGIC = 32'h474D4952;  // RIMG, the first letter in the low byte
    localparam [31:0] VERSION = 32'd1;
    localparam [31:0] BEATS_32 = BEATS;
    localparam [31:0] ALL_32 = BEATS + 1;
    localparam [31:0] BYTES_32 = BEAT_BITS / 8;
    localparam [39:0] BEHIND = OFFSET + {8'd0, BYTES_32};

    reg         alone_q;                     // the header is read without the parameters
    reg         header_q;                    // it is waited for
    reg         compare_q;
    reg         decide_q;
    reg         right_q;                     // parameters go through
    reg         kept_q;
    reg         none_q;                      // nothing is kept
    reg         second_q;                    // the descriptor of the parameters alone
    reg         same_magic_q, same_version_q, same_layout_q, same_image_q;
    reg [191:0] head_q;
    wire        take = s_axis_beat_tvalid && header_q;
    wire        same = same_magic_q && same_version_q && same_layout_q;

    assign s_axis_beat_tready = header_q || (right_q && m_axis_beat_tready);
    assign m_axis_beat_tvalid = right_q && s_axis_beat_tvalid;
    assign m_axis_beat_tdata = s_axis_beat_tdata;
    assign m_axis_desc_tdata = second_q ? {BEATS_32[15:0], BEHIND} : {alone_q ? 16'd1 : ALL_32[15:0], OFFSET};
    assign checksum = head_q[191:128];
    assign done = (kept_q || (right_q && loaded)) && !start;

    always @(posedge clk) begin
        none_q <= kept == 64'd0;
        if (take)
            head_q <= s_axis_beat_tdata[191:0];
        same_magic_q <= head_q[31:0] == MAGIC;
        same_version_q <= head_q[63:32] == VERSION;
        same_layout_q <= head_q[127:64] == layout;
        same_image_q <= head_q[191:128] == kept;
        if (start) begin
            alone_q <= !none_q || BEATS == 0;
            second_q <= 1'b0;
        end else if (decide_q)
            second_q <= 1'b1;
        if (decide_q)
            place <= !same_magic_q ? 2'd0 : !same_version_q ? 2'd1 : 2'd2;
    end

    always @(posedge clk)
        if (rst || start) begin
            m_axis_desc_tvalid <= !rst;
            header_q <= !rst;
            compare_q <= 1'b0;
            decide_q <= 1'b0;
            right_q <= 1'b0;
            kept_q <= 1'b0;
            keep <= 1'b0;
            wrong <= 1'b0;
        end else begin
            if (m_axis_desc_tready)
                m_axis_desc_tvalid <= 1'b0;
            if (take)
                header_q <= 1'b0;
            compare_q <= take;
            decide_q <= compare_q;
            keep <= 1'b0;
            if (decide_q) begin
                wrong <= !same;
                if (same && alone_q && same_image_q && !none_q) begin
                    keep <= 1'b1;
                    kept_q <= 1'b1;
                end else if (same) begin
                    right_q <= 1'b1;
                    m_axis_desc_tvalid <= alone_q && BEATS != 0;
                end
            end
        end
endmodule

`default_nettype wire
