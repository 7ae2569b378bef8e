// SPDX-License-Identifier: Apache-2.0
// Cuts descriptors {beats, offset} into AXI bursts.
//
// Each burst ends at an address that is a multiple of MAX_BURST beats, or earlier at the end of its descriptor. So no
// burst crosses a 4 KiB boundary, which AXI forbids, and long runs become aligned bursts.
// Protocol: AXI4-Stream in and out. A descriptor of 0 beats is dropped. Throughput: one burst per cycle, also across
// descriptors. Bursts leave with latency 2, length and address from registers.
// m_axis_burst_last: the burst is the last one of its descriptor.
// While flush is high, everything that is held or arrives is discarded. busy: a descriptor or burst is held.
// Reset: clk, synchronous active-high rst.
//
// name       meaning                                            unit   range
// BEAT_BITS  width of a beat                                    bits   64, 128, 256, 512
// MAX_BURST  longest burst, a power of two, at most 4096 bytes  beats  1 to 256
// ADDR_BITS  width of an address                                bits   32 to 64
`default_nettype none

module rill_burst_splitter #(
    parameter BEAT_BITS = 0,
    parameter MAX_BURST = 0,
    parameter ADDR_BITS = 64
) (
    input  wire        clk,
    input  wire        rst,
    input  wire [ADDR_BITS-1:0] base,        // byte address of offset 0, a multiple of a beat
    input  wire        flush,
    output wire        busy,

    input  wire        s_axis_desc_tvalid,
    output wire        s_axis_desc_tready,
    input  wire [55:0] s_axis_desc_tdata,    // {beats, offset}, offset in bytes, a multiple of a beat

    output wire        m_axis_burst_tvalid,
    input  wire        m_axis_burst_tready,
    output wire [ADDR_BITS+8:0] m_axis_burst_tdata, // {beats[8:0], address[ADDR_BITS-1:0]}
    output wire        m_axis_burst_last
);
    `include "rill_fields.vh"
    localparam BEAT_BYTES = BEAT_BITS / 8;
    localparam BEAT_SHIFT = $clog2(BEAT_BYTES);
    // Width of an address in beats. The bits within a beat are 0 and not stored.
    localparam ADDR_W = ADDR_BITS - BEAT_SHIFT;
    localparam PAGE_W = 12 - BEAT_SHIFT;     // bits of a beat's number within 4 KiB
    localparam [31:0] BURST_MAX = MAX_BURST;
    // Mask of the address bits (in beats) that number a beat within an aligned block of MAX_BURST beats.
    localparam [63:0] BORDER = {32'd0, BURST_MAX - 32'd1};

    generate
        if (BEAT_BITS != 64 && BEAT_BITS != 128 && BEAT_BITS != 256 && BEAT_BITS != 512) begin : gen_bad_beat
            rill_error_BEAT_BITS_must_be_64_128_256_or_512 u_error ();
        end
        if (ADDR_BITS < 32 || ADDR_BITS > 64) begin : gen_bad_address
            rill_error_ADDR_BITS_must_be_32_to_64 u_error ();
        end
        if (MAX_BURST < 1 || MAX_BURST > 256 || (MAX_BURST & (MAX_BURST - 1)) != 0) begin : gen_bad_burst
            rill_error_MAX_BURST_must_be_a_power_of_two_up_to_256 u_error ();
        end
        if (MAX_BURST * BEAT_BITS / 8 > 4096) begin : gen_bad_page
            rill_error_MAX_BURST_times_beat_must_fit_4096_bytes u_error ();
        end
    endgenerate

    // Waiting descriptors, with the base already added. There is room for two, so that tready comes from a register.
    wire        next_valid;
    wire [ADDR_W-1:0] next_addr;
    wire [15:0] next_beats;
    wire        room;
    wire [1:0]  next_fill;
    wire [1:0]  next_high;
    // The burst at the output, and the part of its descriptor that follows.
    reg         work_valid_q;
    reg         work_none_q;                 // a second register of !work_valid_q, for the output
    reg  [ADDR_W-1:0] work_addr_q;
    reg  [15:0] length_q;                    // beats of the burst
    reg  [15:0] left_q;                      // beats of the descriptor that follow the burst
    reg         last_q;                      // left_q is 0: the burst is the last one of its descriptor
    reg         open_q;                      // low in reset

    wire [15:0] page_beat = {{(16 - PAGE_W){1'b0}}, next_addr[PAGE_W-1:0]};
    wire [15:0] to_border = BURST_MAX[15:0] - (page_beat & (BURST_MAX[15:0] - 16'd1));
    wire [16:0] beyond = {1'b0, next_beats} - {1'b0, to_border};
    wire        is_short = beyond[16];       // the burst ends before the boundary
    wire        left_small = left_q <= BURST_MAX[15:0];
    wire        move = work_valid_q && m_axis_burst_tready;
    wire        work_load = !work_valid_q || (move && last_q);

    wire [15:0] desc_beats = s_axis_desc_tdata[DESCRIPTOR_BEATS +: DESCRIPTOR_BEATS_W];
    wire [63:0] offset = {24'd0, s_axis_desc_tdata[DESCRIPTOR_OFFSET +: DESCRIPTOR_OFFSET_W]};
    wire [ADDR_W-1:0] desc_addr = base[ADDR_BITS-1:BEAT_SHIFT] + offset[ADDR_BITS-1:BEAT_SHIFT];

    rill_fifo #(.DATA_W(16 + ADDR_W), .DEPTH(2)) u_next (
        .clk(clk), .rst(rst || flush), .s_axis_tvalid(s_axis_desc_tvalid && desc_beats != 16'd0),
        .s_axis_tready(room),
        .s_axis_tdata({desc_beats, desc_addr}),
        .m_axis_tvalid(next_valid), .m_axis_tready(work_load), .m_axis_tdata({next_beats, next_addr}),
        .occupancy(next_fill), .high_water(next_high));
    assign s_axis_desc_tready = open_q && (flush || room);
    assign m_axis_burst_tvalid = !work_none_q;
    assign m_axis_burst_tdata = {length_q[8:0], work_addr_q, {BEAT_SHIFT{1'b0}}};
    assign m_axis_burst_last = last_q;
    assign busy = next_valid || work_valid_q;

    always @(posedge clk) begin
        open_q <= !rst;
        if (work_load) begin
            work_addr_q <= next_addr;
            length_q <= is_short ? next_beats : to_border;
            left_q <= is_short ? 16'd0 : beyond[15:0];
            last_q <= is_short || next_beats == to_border;
        end else if (move) begin
            work_addr_q <= (work_addr_q | BORDER[ADDR_W-1:0]) + 1'b1; // the next multiple of MAX_BURST
            length_q <= left_small ? left_q : BURST_MAX[15:0];
            left_q <= left_small ? 16'd0 : left_q - BURST_MAX[15:0];
            last_q <= left_small;
        end
        if (rst || flush) begin
            work_valid_q <= 1'b0;
            work_none_q <= 1'b1;
        end else begin
            if (work_load) begin
                work_valid_q <= next_valid;
                work_none_q <= !next_valid;
            end
        end
    end

`ifdef RILL_ASSERT
    rill_assert #(.SAYS("an address is no multiple of a beat")) u_assert_address (
        .clk(clk), .broken(!rst && s_axis_desc_tvalid && (base[BEAT_SHIFT-1:0]
        | s_axis_desc_tdata[BEAT_SHIFT-1:0]) != {BEAT_SHIFT{1'b0}}));
`endif

    wire unused = &{1'b0, next_fill, next_high, length_q[15:9], BURST_MAX, BORDER, offset, base[BEAT_SHIFT-1:0],
        s_axis_desc_tdata[BEAT_SHIFT-1:0]};
endmodule

`default_nettype wire
