// SPDX-License-Identifier: Apache-2.0
// Read engine for one client of a memory port: takes descriptors {beats, offset} and returns the beats in the same
// order.
//
// m_axi_* are the address and data channels of an AXI4 read without ids, size and burst type, which
// rill_axi_read_arbiter adds. A burst is requested only after space for all of it has been reserved in the prefetch
// FIFO, so m_axi_rready is always high after the reset.
// Space is checked a cycle ahead, to keep the comparison out of the cycle of the request: if there was space for 2 *
// MAX_BURST beats before a request, the next request follows immediately, because any two bursts fit. Otherwise it
// comes at least one cycle later.
// Throughput: one beat per cycle if OUTSTANDING * MAX_BURST is at least the latency of the memory in cycles, and
// PREFETCH_BEATS at least this latency plus MAX_BURST.
// flush (level, hold until idle): from the next cycle on no further burst is issued, but requests that already wait for
// the port (at most two) are still sent. Descriptors and beats that arrive or are held are discarded, and outstanding
// bursts drain.
// idle: nothing is held, requested or buffered (and, without flush, no descriptor is offered).
// error: sticky until reset; error_addr is the address of the first beat with RRESP != OKAY. The beat is passed on
// nevertheless.
// Reset: clk, synchronous active-high rst. It comes only while idle, or together with the reset of the
// rill_axi_read_arbiter, which then discards the outstanding responses.
//
// name            meaning                                   unit    range
// BEAT_BITS       width of a beat                           bits    64, 128, 256, 512
// MAX_BURST       longest burst, as in rill_burst_splitter  beats   1 to 256
// OUTSTANDING     most bursts that wait for data            bursts  1 to 256
// PREFETCH_BEATS  depth of the prefetch FIFO                beats   MAX_BURST or more
// RAM_STYLE       style of the storage of the FIFO          -       "auto", "srl", "distributed", "block", "ultra"
// ADDR_BITS       width of an address                       bits    32 to 64
`default_nettype none

module rill_dma_read #(
    parameter BEAT_BITS = 0,
    parameter MAX_BURST = 16,
    parameter OUTSTANDING = 16,
    parameter PREFETCH_BEATS = 0,
    parameter RAM_STYLE = "block",
    parameter ADDR_BITS = 64
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire [ADDR_BITS-1:0] base,               // byte address of offset 0, a multiple of a beat
    input  wire                 flush,
    output wire                 idle,
    output reg                  error,
    output wire [ADDR_BITS-1:0] error_addr,

    input  wire                 s_axis_desc_tvalid,
    output wire                 s_axis_desc_tready,
    input  wire [55:0]          s_axis_desc_tdata,  // {beats, offset}

    output wire                 m_axi_arvalid,
    input  wire                 m_axi_arready,
    output wire [ADDR_BITS-1:0] m_axi_araddr,
    output wire [7:0]           m_axi_arlen,
    input  wire                 m_axi_rvalid,
    output wire                 m_axi_rready,
    input  wire [BEAT_BITS-1:0] m_axi_rdata,
    input  wire [1:0]           m_axi_rresp,
    input  wire                 m_axi_rlast,

    output wire                 m_axis_beat_tvalid,
    input  wire                 m_axis_beat_tready,
    output wire [BEAT_BITS-1:0] m_axis_beat_tdata
);
    localparam BEAT_SHIFT = $clog2(BEAT_BITS / 8);
    localparam ADDR_W = ADDR_BITS - BEAT_SHIFT; // width of an address in beats
    localparam PAGE_W = 12 - BEAT_SHIFT;        // bits of a beat's number within 4 KiB
    localparam ROOM_W = $clog2(PREFETCH_BEATS + 1);
    localparam OUT_W = $clog2(OUTSTANDING + 1);
    localparam PTR_W = OUTSTANDING > 1 ? $clog2(OUTSTANDING) : 1;
    localparam [31:0] ROOM_ALL = PREFETCH_BEATS;
    localparam [31:0] OUT_ALL = OUTSTANDING;
    localparam [31:0] ANY_TWO = 2 * MAX_BURST;  // beats of two bursts, whatever their lengths
    localparam [31:0] PTR_LAST = OUTSTANDING - 1;

    generate
        if (PREFETCH_BEATS < MAX_BURST) begin : gen_bad_depth
            rill_error_PREFETCH_BEATS_must_be_at_least_MAX_BURST u_error ();
        end
        if (OUTSTANDING < 1 || OUTSTANDING > 256) begin : gen_bad_outstanding
            rill_error_OUTSTANDING_must_be_1_to_256 u_error ();
        end
    endgenerate

    wire        burst_valid;
    wire        burst_ready;
    wire [ADDR_BITS+8:0] burst;
    wire        burst_last;
    wire        splitter_busy;

    rill_burst_splitter #(.BEAT_BITS(BEAT_BITS), .MAX_BURST(MAX_BURST), .ADDR_BITS(ADDR_BITS)) u_splitter (
        .clk(clk), .rst(rst), .base(base), .flush(flush), .busy(splitter_busy),
        .s_axis_desc_tvalid(s_axis_desc_tvalid), .s_axis_desc_tready(s_axis_desc_tready),
        .s_axis_desc_tdata(s_axis_desc_tdata),
        .m_axis_burst_tvalid(burst_valid), .m_axis_burst_tready(burst_ready), .m_axis_burst_tdata(burst),
        .m_axis_burst_last(burst_last));

    // Requests are limited by room_q, in beats of the FIFO, and by out_q, in bursts at the memory.
    wire              ar_ready;  // comes from a register, so that the path of the arbiter's grant ends there
    reg  [ROOM_W-1:0] room_q;                // places of the FIFO that are not reserved
    reg  [OUT_W-1:0]  out_q;                 // bursts requested and not answered completely
    reg               open_q;                // low in reset

    wire [8:0]        burst_beats = burst[ADDR_BITS +: 9];
    wire [31:0]       room32 = {{(32 - ROOM_W){1'b0}}, room_q};
    wire              issue = burst_valid && burst_ready;
    reg               fits_q;                // there is room for the offered burst
    wire              fits_d = issue || !burst_valid ? room32 >= ANY_TWO : room32 >= {23'd0, burst_beats};
    reg               slot_q;                // out_q is below OUTSTANDING: a burst may be requested
    wire              all_out = out_q == OUT_ALL[OUT_W-1:0];
    wire              next_all_out = out_q == OUT_ALL[OUT_W-1:0] - 1'b1;
    wire [31:0]       taken = issue ? {23'd0, burst_beats} : 32'd0;
    wire              beat_in = m_axi_rvalid && m_axi_rready;
    wire              burst_end = beat_in && m_axi_rlast;
    wire              fifo_valid;
    wire              fifo_pop = fifo_valid && (m_axis_beat_tready || flush);
    wire [31:0]       room_d = room32 + {31'd0, fifo_pop} - taken;

    assign burst_ready = fits_q && slot_q && ar_ready;
    rill_register_slice #(.DATA_W(8 + ADDR_W), .MODE(3)) u_ar (
        .clk(clk), .rst(rst), .s_axis_tvalid(burst_valid && fits_q && slot_q), .s_axis_tready(ar_ready),
        .s_axis_tdata({burst_beats[7:0] - 8'd1, burst[ADDR_BITS-1:BEAT_SHIFT]}), .m_axis_tvalid(m_axi_arvalid),
        .m_axis_tready(m_axi_arready),
        .m_axis_tdata({m_axi_arlen, m_axi_araddr[ADDR_BITS-1:BEAT_SHIFT]}));
    assign m_axi_araddr[BEAT_SHIFT-1:0] = {BEAT_SHIFT{1'b0}};
    assign m_axi_rready = open_q;
    assign m_axis_beat_tvalid = fifo_valid && !flush;

    always @(posedge clk) begin
        if (rst) begin
            open_q <= 1'b0;
            fits_q <= 1'b0;
            slot_q <= 1'b1;
            room_q <= ROOM_ALL[ROOM_W-1:0];
            out_q <= {OUT_W{1'b0}};
        end else begin
            open_q <= 1'b1;
            slot_q <= burst_end || (issue ? !next_all_out : !all_out);
            fits_q <= fits_d && !flush;
            room_q <= room_d[ROOM_W-1:0];
            if (issue && !burst_end)
                out_q <= out_q + 1'b1;
            else if (!issue && burst_end)
                out_q <= out_q - 1'b1;
        end
    end

    // Addresses of outstanding bursts, so that an error can be located.
    reg  [ADDR_W-1:0] addr_mem [0:OUTSTANDING-1];
    reg  [PTR_W-1:0]  addr_wr_q;
    reg  [PTR_W-1:0]  addr_rd_q;
    reg  [PAGE_W-1:0] beat_offset_q;         // number of the next beat in its burst
    reg  [ADDR_W-1:0] error_q;
    wire [ADDR_W-1:0] addr_head = addr_mem[addr_rd_q];

    assign error_addr = {error_q, {BEAT_SHIFT{1'b0}}};

    always @(posedge clk) begin
        if (issue)
            addr_mem[addr_wr_q] <= burst[ADDR_BITS-1:BEAT_SHIFT];
        if (rst) begin
            addr_wr_q <= {PTR_W{1'b0}};
            addr_rd_q <= {PTR_W{1'b0}};
            beat_offset_q <= {PAGE_W{1'b0}};
            error <= 1'b0;
            error_q <= {ADDR_W{1'b0}};
        end else begin
            if (issue)
                addr_wr_q <= (addr_wr_q == PTR_LAST[PTR_W-1:0]) ? {PTR_W{1'b0}} : addr_wr_q + 1'b1;
            if (burst_end)
                addr_rd_q <= (addr_rd_q == PTR_LAST[PTR_W-1:0]) ? {PTR_W{1'b0}} : addr_rd_q + 1'b1;
            if (beat_in)
                beat_offset_q <= m_axi_rlast ? {PAGE_W{1'b0}} : beat_offset_q + 1'b1;
            if (beat_in && m_axi_rresp != 2'b00 && !error) begin
                error <= 1'b1;
                error_q <= {addr_head[ADDR_W-1:PAGE_W], addr_head[PAGE_W-1:0] + beat_offset_q};
            end
        end
    end

    wire              fifo_ready;
    wire [ROOM_W-1:0] fifo_occupancy;
    wire [ROOM_W-1:0] fifo_high_water;

    rill_fifo #(.DATA_W(BEAT_BITS), .DEPTH(PREFETCH_BEATS), .RAM_STYLE(RAM_STYLE)) u_prefetch (
        .clk(clk), .rst(rst), .s_axis_tvalid(beat_in), .s_axis_tready(fifo_ready), .s_axis_tdata(m_axi_rdata),
        .m_axis_tvalid(fifo_valid), .m_axis_tready(m_axis_beat_tready || flush), .m_axis_tdata(m_axis_beat_tdata),
        .occupancy(fifo_occupancy), .high_water(fifo_high_water));

    assign idle = !splitter_busy && out_q == {OUT_W{1'b0}} && room_q == ROOM_ALL[ROOM_W-1:0]
        && (flush || !s_axis_desc_tvalid);

`ifdef RILL_ASSERT
    rill_assert #(.SAYS("a beat arrives and the prefetch FIFO is full")) u_assert_room (.clk(clk),
        .broken(!rst && beat_in && !fifo_ready));
    rill_assert #(.SAYS("a beat arrives that nobody asked for")) u_assert_asked (.clk(clk),
        .broken(!rst && beat_in && out_q == {OUT_W{1'b0}}));
`endif

    wire unused = &{1'b0, burst_last, fifo_ready, fifo_occupancy, fifo_high_water, room_d, ROOM_ALL, OUT_ALL, PTR_LAST,
        burst[BEAT_SHIFT-1:0]};
endmodule

`default_nettype wire
