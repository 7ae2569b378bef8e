// SPDX-License-Identifier: Apache-2.0
// Write engine of one client of a memory port: descriptors {beats, offset} and the beats they speak of, two streams in
// the same order.
//
// Client side of AXI4 (no ids, size, burst type, strobes: rill_axi_write_arbiter adds them; every byte of a beat is
// written).
// Store and forward: a burst is requested only when all of its beats are in the buffer, so m_axi_wvalid never waits for
// a producer and a stopped producer never blocks the port. m_axi_wvalid does not wait for m_axi_awready.
// Whether they are is looked at a cycle ahead; a burst right behind another one needs 2 * MAX_BURST beats before that,
// or comes a cycle later.
// Throughput: one beat per cycle with BUFFER_BEATS >= 2 * MAX_BURST and OUTSTANDING * MAX_BURST >= write latency.
// flush (level, hold until idle): no further request, descriptors and beats not yet requested are swallowed, requested
// bursts finish.
// written: a pulse when the last response of a descriptor is in, so of all its beats; descriptors in their order.
// idle: nothing held, every response is in (and, without flush, nothing offered).
// error: sticky until reset; error_addr is the address of the first burst with BRESP != OKAY.
// Reset: clk, synchronous active-high rst (only while idle).
//
// name          meaning                     unit    range
// BEAT_BITS     of a beat                   bits    64, 128, 256, 512
// MAX_BURST     as in rill_burst_splitter   beats   1 to 256
// OUTSTANDING   requested and not answered  bursts  1 to 256
// BUFFER_BEATS  depth of the buffer         beats   MAX_BURST or more
// RAM_STYLE     of the buffer               -       "auto", "srl", "distributed", "block", "ultra"
`default_nettype none

module rill_dma_write #(
    parameter BEAT_BITS = 0,
    parameter MAX_BURST = 16,
    parameter OUTSTANDING = 16,
    parameter BUFFER_BEATS = 2 * MAX_BURST,
    parameter RAM_STYLE = "distributed"
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire [63:0]          base,
    input  wire                 flush,
    output wire                 idle,
    output reg                  written,
    output reg                  error,
    output reg  [63:0]          error_addr,

    input  wire                 s_axis_desc_tvalid,
    output wire                 s_axis_desc_tready,
    input  wire [55:0]          s_axis_desc_tdata,   // {beats[15:0], offset[39:0]}
    input  wire                 s_axis_beat_tvalid,
    output wire                 s_axis_beat_tready,
    input  wire [BEAT_BITS-1:0] s_axis_beat_tdata,

    output wire                 m_axi_awvalid,
    input  wire                 m_axi_awready,
    output wire [63:0]          m_axi_awaddr,
    output wire [7:0]           m_axi_awlen,
    output wire                 m_axi_wvalid,
    input  wire                 m_axi_wready,
    output wire [BEAT_BITS-1:0] m_axi_wdata,
    output wire                 m_axi_wlast,
    input  wire                 m_axi_bvalid,
    output wire                 m_axi_bready,
    input  wire [1:0]           m_axi_bresp
);
    localparam HELD_W = $clog2(2 * BUFFER_BEATS + 8);
    localparam OCC_W = $clog2(BUFFER_BEATS + 1);
    localparam OUT_W = $clog2(OUTSTANDING + 1);
    localparam PTR_W = OUTSTANDING > 1 ? $clog2(OUTSTANDING) : 1;
    localparam [31:0] OUT_ALL = OUTSTANDING;
    localparam [31:0] ANY_TWO = 2 * MAX_BURST;
    localparam [31:0] PTR_LAST = OUTSTANDING - 1;
    localparam [31:0] ONE = 1;

    generate
        if (BUFFER_BEATS < MAX_BURST) begin : gen_bad_depth
            rill_error_BUFFER_BEATS_must_be_at_least_MAX_BURST u_error ();
        end
        if (OUTSTANDING < 1 || OUTSTANDING > 256) begin : gen_bad_outstanding
            rill_error_OUTSTANDING_must_be_1_to_256 u_error ();
        end
    endgenerate

    wire        burst_valid;
    wire        burst_ready;
    wire [72:0] burst;
    wire        burst_last;
    wire        splitter_busy;

    rill_burst_splitter #(.BEAT_BITS(BEAT_BITS), .MAX_BURST(MAX_BURST)) u_splitter (
        .clk(clk), .rst(rst), .base(base), .flush(flush), .busy(splitter_busy),
        .s_axis_desc_tvalid(s_axis_desc_tvalid), .s_axis_desc_tready(s_axis_desc_tready),
        .s_axis_desc_tdata(s_axis_desc_tdata),
        .m_axis_burst_tvalid(burst_valid), .m_axis_burst_tready(burst_ready), .m_axis_burst_tdata(burst),
        .m_axis_burst_last(burst_last));

    wire              aw_ready;               // from a register: the arbiter's grant ends there
    reg  [HELD_W-1:0] free_q;                // beats in the buffer that belong to no requested burst
    reg  [OUT_W-1:0]  out_q;                 // bursts without response
    reg  [OUT_W-1:0]  pending_q;             // bursts whose beats have not all left
    reg               open_q;

    wire [8:0]        burst_beats = burst[72:64];
    wire [7:0]        length = burst_beats[7:0] - 8'd1;
    wire [31:0]       free32 = {{(32 - HELD_W){1'b0}}, free_q};
    reg               fits_q;                // the beats of the burst that is offered are there
    wire              fits_d = issue || !burst_valid ? free32 >= ANY_TWO : free32 >= {23'd0, burst_beats};
    reg               slot_q;                // out_q is below OUTSTANDING
    wire              all_out = out_q == OUT_ALL[OUT_W-1:0];
    wire              next_all_out = out_q == OUT_ALL[OUT_W-1:0] - 1'b1;
    wire              issue = burst_valid && burst_ready;
    wire [31:0]       taken = issue ? {23'd0, burst_beats} : 32'd0;
    wire              response = m_axi_bvalid && m_axi_bready;
    wire              fifo_ready;
    wire              fifo_valid;
    wire              fifo_push = s_axis_beat_tvalid && fifo_ready && !flush && open_q;
    wire              has_pending = pending_q != {OUT_W{1'b0}};
    reg               flushed_q;             // flush was high, so nothing is requested now
    wire              drop = flushed_q && !has_pending && fifo_valid;
    wire              beat_out = m_axi_wvalid && m_axi_wready;
    wire              burst_out = beat_out && m_axi_wlast;
    wire [31:0]       free_d = free32 + {31'd0, fifo_push} - {31'd0, drop} - taken;

    assign burst_ready = fits_q && slot_q && aw_ready;
    assign s_axis_beat_tready = open_q && (flush || fifo_ready);
    rill_register_slice #(.DATA_W(72), .MODE(3)) u_aw (
        .clk(clk), .rst(rst), .s_axis_tvalid(burst_valid && fits_q && slot_q), .s_axis_tready(aw_ready),
        .s_axis_tdata({length, burst[63:0]}), .m_axis_tvalid(m_axi_awvalid), .m_axis_tready(m_axi_awready),
        .m_axis_tdata({m_axi_awlen, m_axi_awaddr}));
    assign m_axi_wvalid = fifo_valid && has_pending;
    assign m_axi_bready = open_q;

    always @(posedge clk) begin
        if (rst) begin
            open_q <= 1'b0;
            flushed_q <= 1'b0;
            fits_q <= 1'b0;
            slot_q <= 1'b1;
            free_q <= {HELD_W{1'b0}};
            out_q <= {OUT_W{1'b0}};
            pending_q <= {OUT_W{1'b0}};
        end else begin
            open_q <= 1'b1;
            slot_q <= response || (issue ? !next_all_out : !all_out);
            flushed_q <= flush;
            fits_q <= fits_d && !flush;
            free_q <= free_d[HELD_W-1:0];
            if (issue && !response)
                out_q <= out_q + 1'b1;
            else if (!issue && response)
                out_q <= out_q - 1'b1;
            if (issue && !burst_out)
                pending_q <= pending_q + 1'b1;
            else if (!issue && burst_out)
                pending_q <= pending_q - 1'b1;
        end
    end

    // Lengths of bursts behind the one whose beats leave, addresses of bursts without response.
    reg  [7:0]       len_mem [0:OUTSTANDING-1];
    reg  [63:0]      addr_mem [0:OUTSTANDING-1];
    reg              last_mem [0:OUTSTANDING-1]; // the last one of a descriptor
    reg  [PTR_W-1:0] wr_q;
    reg  [PTR_W-1:0] data_rd_q;
    reg  [PTR_W-1:0] resp_rd_q;
    reg  [7:0]       left_q;                 // beats of the burst that leaves, behind the one that is offered
    reg              last_q;                 // none
    wire             only_one = pending_q == ONE[OUT_W-1:0];
    // leaves next; its length need not wait in memory
    wire             first = issue && (!has_pending || (burst_out && only_one));
    wire             follow = burst_out && !only_one;
    wire [7:0]       next_length = len_mem[data_rd_q];

    assign m_axi_wlast = last_q;

    always @(posedge clk) begin
        if (issue) begin
            len_mem[wr_q] <= length;
            addr_mem[wr_q] <= burst[63:0];
            last_mem[wr_q] <= burst_last;
        end
        if (first) begin
            left_q <= length;
            last_q <= burst_beats == 9'd1;
        end else if (follow) begin
            left_q <= next_length;
            last_q <= next_length == 8'd0;
        end else if (beat_out) begin
            left_q <= left_q - 8'd1;
            last_q <= left_q == 8'd1;
        end
        written <= response && last_mem[resp_rd_q] && !rst;
        if (rst) begin
            wr_q <= {PTR_W{1'b0}};
            data_rd_q <= {PTR_W{1'b0}};
            resp_rd_q <= {PTR_W{1'b0}};
            error <= 1'b0;
            error_addr <= 64'd0;
        end else begin
            if (issue)
                wr_q <= (wr_q == PTR_LAST[PTR_W-1:0]) ? {PTR_W{1'b0}} : wr_q + 1'b1;
            if (first || follow)
                data_rd_q <= (data_rd_q == PTR_LAST[PTR_W-1:0]) ? {PTR_W{1'b0}} : data_rd_q + 1'b1;
            if (response)
                resp_rd_q <= (resp_rd_q == PTR_LAST[PTR_W-1:0]) ? {PTR_W{1'b0}} : resp_rd_q + 1'b1;
            if (response && m_axi_bresp != 2'b00 && !error) begin
                error <= 1'b1;
                error_addr <= addr_mem[resp_rd_q];
            end
        end
    end

    wire [OCC_W-1:0] fifo_occupancy;
    wire [OCC_W-1:0] fifo_high_water;

    rill_fifo #(.DATA_W(BEAT_BITS), .DEPTH(BUFFER_BEATS), .RAM_STYLE(RAM_STYLE)) u_buffer (
        .clk(clk), .rst(rst), .s_axis_tvalid(fifo_push), .s_axis_tready(fifo_ready), .s_axis_tdata(s_axis_beat_tdata),
        .m_axis_tvalid(fifo_valid), .m_axis_tready(beat_out || drop), .m_axis_tdata(m_axi_wdata),
        .occupancy(fifo_occupancy), .high_water(fifo_high_water));

    assign idle = !splitter_busy && out_q == {OUT_W{1'b0}} && free_q == {HELD_W{1'b0}} &&
                  (flush || !(s_axis_desc_tvalid || s_axis_beat_tvalid));

`ifdef RILL_ASSERT
    rill_assert #(.SAYS("a response arrives to no burst")) u_assert_response (.clk(clk),
        .broken(!rst && response && out_q == {OUT_W{1'b0}}));
`endif

    wire unused = &{1'b0, fifo_occupancy, fifo_high_water, free_d, OUT_ALL, PTR_LAST, ONE};
endmodule

`default_nettype wire
