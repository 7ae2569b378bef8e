// SPDX-License-Identifier: Apache-2.0
// Reads the header of the memory image at each start of a request and checks it. Then it passes on the vector
// parameters that follow the header, or keeps those that are already on chip.
//
// The header is one beat (docs/memory.md): [31:0] magic, [63:32] version, [127:64] layout, [191:128] checksum of the
// image, never 0.
// kept is the checksum of the image whose parameters are on chip, or 0 if there are none.
// start (pulse, allowed in the middle of a read) with kept = 0: one read fetches the header and BEATS beats of
// parameters, and the parameters go to m_axis_beat.
// start with another kept: the header is read alone. If its checksum equals kept, keep pulses and nothing else is read.
// Otherwise a second read fetches the parameters.
// A header that does not fit this design sets wrong (level, until start). place is the first field that differs: 0
// magic, 1 version, 2 layout. No parameters are passed on, and done never comes.
// done rises with keep, or when the header is right and loaded is high (level: all parameters have been handed over; 1
// if BEATS is 0). It is low from start until then. checksum is valid with done.
// layout and kept must be stable from 2 cycles before start until done or wrong.
// Latency: 3 cycles from the header's beat to keep or wrong, and to the first parameter beat if the header and the
// parameters come in one read. Throughput: one parameter beat per cycle.
// Reset: clk, synchronous active-high rst; control only. tready is low in reset.
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
    localparam [39:0] BEHIND = OFFSET + {8'd0, BYTES_32};  // offset of the parameters

    reg         alone_q;                     // the header is read without the parameters
    reg         header_q;                    // the header is awaited
    reg         compare_q;                   // the fields of the header are being compared
    reg         decide_q;                    // the comparisons are valid
    reg         right_q;                     // the header is right, and parameters pass
    reg         kept_q;                      // the parameters on chip are kept
    reg         none_q;                      // no parameters are kept on chip
    reg         second_q;                    // the second read, of the parameters alone, is to be requested
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
