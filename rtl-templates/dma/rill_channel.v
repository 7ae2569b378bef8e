// SPDX-License-Identifier: Apache-2.0
// Serves one memory channel of a design. Contains one rill_dma_read for each reading client, the rill_axi_read_arbiter
// that they share, and one rill_dma_write for all writing clients. Reports the status of the channel to the control.
//
// read_* and write_* are packed arrays over the clients, client 0 in the low bits. A direction without clients sends no
// requests to the memory. It still has the ports of one client, which are ignored.
// core_rst and flush have one bit per engine, first the read engines, then the write engine. In the top module each bit
// comes from a separate register.
// error rises one cycle after the error of an engine, and stays until core_rst resets this engine. error_is_write and
// error_address describe the error of the first engine, in the order of core_rst, that has one. They change if an
// engine before it in this order fails later, so rill_request_watch reads them in the cycle after error has risen.
// beat: a read beat arrives in this cycle. answer: something is transferred on the write side in this cycle, data to
// the memory or a response from it.
// idle: no engine has anything to do.
// AXI4 signals that the engines do not drive are constant: modifiable and bufferable, so that an interconnect may
// change widths; normal, data, secure access.
// Reset: clk, synchronous active-high. rst resets the arbiter, which outlives a request. core_rst resets the engines,
// also after each request.
//
// name          meaning                                                                     unit     range
// READERS       clients that read                                                           clients  0 to 64
// WRITERS       clients that write                                                          clients  0 to 64
// BEAT_BITS     width of a beat                                                             bits     64, 128, 256, 512
// ID_W          width of an id, enough for READERS                                          bits     1 or more
// ADDR_BITS     width of an address                                                         bits     32 to 64
// OUTSTANDING   most bursts of a read engine that may wait for data                         bursts   1 to 256
// WRITES        most beats of the write engine that may wait for their response             beats    1 to 256
// WRITE_BUFFER  depth of the write engine's buffer (BUFFER_BEATS)                           beats    1 or more
// R             READERS, at least 1                                                         clients  derived
// W             WRITERS, at least 1                                                         clients  derived
// ENGINES       engines; each has a reset and a flush                                       engines  derived
// BURST         longest burst of each reader, 32 bits each (MAX_BURST of rill_dma_read):    beats    any
//               each a power of two from 1 to 256, and at most 4096 bytes
// PREFETCH      depth of each reader's prefetch FIFO, 32 bits each (PREFETCH_BEATS of       beats    any
//               rill_dma_read): each at least the reader's BURST
// STYLE         storage of each reader's FIFO (RAM_STYLE), 8 bits each: the letter d for    -        any
//               "distributed", b for "block" or u for "ultra"
`default_nettype none

module rill_channel #(
    parameter READERS = 0,
    parameter WRITERS = 0,
    parameter BEAT_BITS = 0,
    parameter ID_W = 1,
    parameter ADDR_BITS = 64,
    parameter OUTSTANDING = 8,
    parameter WRITES = 16,
    parameter WRITE_BUFFER = 1,
    parameter R = READERS > 0 ? READERS : 1,
    parameter W = WRITERS > 0 ? WRITERS : 1,
    parameter ENGINES = READERS + WRITERS > 0 ? READERS + (WRITERS > 0 ? 1 : 0) : 1,
    parameter [32*R-1:0] BURST = {R{32'd16}},
    parameter [32*R-1:0] PREFETCH = {R{32'd32}},
    parameter [8*R-1:0] STYLE = {R{8'h64}} // "d"
) (
    input  wire                   clk,
    input  wire                   rst,
    input  wire [ENGINES-1:0]     core_rst,
    input  wire [ENGINES-1:0]     flush,

    output wire                   idle,
    output wire                   beat,
    output wire                   answer,
    output reg                    error,
    output reg                    error_is_write,
    output wire [63:0]            error_address,

    input  wire [R*ADDR_BITS-1:0] read_base,
    input  wire [R-1:0]           read_desc_tvalid,
    output wire [R-1:0]           read_desc_tready,
    input  wire [R*56-1:0]        read_desc_tdata,  // {beats, offset}
    output wire [R-1:0]           read_beat_tvalid,
    input  wire [R-1:0]           read_beat_tready,
    output wire [R*BEAT_BITS-1:0] read_beat_tdata,

    input  wire [W*ADDR_BITS-1:0] write_base,
    input  wire [W-1:0]           write_desc_tvalid,
    output wire [W-1:0]           write_desc_tready,
    input  wire [W*56-1:0]        write_desc_tdata, // {beats, offset}
    input  wire [W-1:0]           write_beat_tvalid,
    output wire [W-1:0]           write_beat_tready,
    input  wire [W*BEAT_BITS-1:0] write_beat_tdata,
    output wire [W-1:0]           write_idle,       // per client: all its beats have their responses
    output wire [W-1:0]           written,  // per client: one pulse when all beats of a descriptor have their responses

    output wire                   m_axi_arvalid,
    input  wire                   m_axi_arready,
    output wire [ID_W-1:0]        m_axi_arid,
    output wire [63:0]            m_axi_araddr,
    output wire [7:0]             m_axi_arlen,
    output wire [2:0]             m_axi_arsize,
    output wire [1:0]             m_axi_arburst,
    input  wire                   m_axi_rvalid,
    output wire                   m_axi_rready,
    input  wire [ID_W-1:0]        m_axi_rid,
    input  wire [BEAT_BITS-1:0]   m_axi_rdata,
    input  wire [1:0]             m_axi_rresp,
    input  wire                   m_axi_rlast,
    output wire                   m_axi_awvalid,
    input  wire                   m_axi_awready,
    output wire [ID_W-1:0]        m_axi_awid,
    output wire [63:0]            m_axi_awaddr,
    output wire [7:0]             m_axi_awlen,
    output wire [2:0]             m_axi_awsize,
    output wire [1:0]             m_axi_awburst,
    output wire                   m_axi_wvalid,
    input  wire                   m_axi_wready,
    output wire [BEAT_BITS-1:0]   m_axi_wdata,
    output wire [BEAT_BITS/8-1:0] m_axi_wstrb,
    output wire                   m_axi_wlast,
    input  wire                   m_axi_bvalid,
    output wire                   m_axi_bready,
    input  wire [ID_W-1:0]        m_axi_bid,
    input  wire [1:0]             m_axi_bresp,
    output wire                   m_axi_arlock,
    output wire [3:0]             m_axi_arcache,
    output wire [2:0]             m_axi_arprot,
    output wire [3:0]             m_axi_arqos,
    output wire                   m_axi_awlock,
    output wire [3:0]             m_axi_awcache,
    output wire [2:0]             m_axi_awprot,
    output wire [3:0]             m_axi_awqos
);
    generate
        if ($signed(READERS) < 0 || READERS > 64) begin : gen_bad_readers
            rill_error_READERS_must_be_0_to_64 u_error ();
        end
        if ($signed(WRITERS) < 0 || WRITERS > 64) begin : gen_bad_writers
            rill_error_WRITERS_must_be_0_to_64 u_error ();
        end
        if (BEAT_BITS != 64 && BEAT_BITS != 128 && BEAT_BITS != 256 && BEAT_BITS != 512) begin : gen_bad_beat
            rill_error_BEAT_BITS_must_be_64_128_256_or_512 u_error ();
        end
        if (ADDR_BITS < 32 || ADDR_BITS > 64) begin : gen_bad_address
            rill_error_ADDR_BITS_must_be_32_to_64 u_error ();
        end
    endgenerate

    // ---- reads ----
    wire [R-1:0]           r_idle;
    wire [R-1:0]           r_error;
    wire [R*ADDR_BITS-1:0] r_place;          // address of each engine's error
    wire [R-1:0]           arvalid;
    wire [R-1:0]           arready;
    wire [R*ADDR_BITS-1:0] araddr;
    wire [R*8-1:0]         arlen;
    wire [R-1:0]           rvalid;
    wire [R-1:0]           rready;
    wire [BEAT_BITS-1:0]   rdata;
    wire [1:0]             rresp;
    wire                   rlast;
    wire [ADDR_BITS-1:0]   port_araddr;
    wire [ADDR_BITS-1:0]   port_awaddr;
    reg  [ADDR_BITS-1:0]   place_q;          // address of the error that error_address reports
    genvar rd;
    generate
        for (rd = 0; rd < READERS; rd = rd + 1) begin : gen_read
            // RAM_STYLE gets a literal in each branch. An expression that selects one of three strings would pad all of
            // them to the length of the longest one.
            if (STYLE[8*rd +: 8] == "d") begin : gen_distributed
                rill_dma_read #(.BEAT_BITS(BEAT_BITS), .MAX_BURST(BURST[32*rd +: 32]), .OUTSTANDING(OUTSTANDING),
                    .PREFETCH_BEATS(PREFETCH[32*rd +: 32]), .RAM_STYLE("distributed"), .ADDR_BITS(ADDR_BITS)) u_read (
                    .clk(clk), .rst(core_rst[rd]), .base(read_base[ADDR_BITS*rd +: ADDR_BITS]), .flush(flush[rd]),
                    .idle(r_idle[rd]), .error(r_error[rd]), .error_addr(r_place[ADDR_BITS*rd +: ADDR_BITS]),
                    .s_axis_desc_tvalid(read_desc_tvalid[rd]), .s_axis_desc_tready(read_desc_tready[rd]),
                    .s_axis_desc_tdata(read_desc_tdata[56*rd +: 56]), .m_axi_arvalid(arvalid[rd]),
                    .m_axi_arready(arready[rd]), .m_axi_araddr(araddr[ADDR_BITS*rd +: ADDR_BITS]),
                    .m_axi_arlen(arlen[8*rd +: 8]), .m_axi_rvalid(rvalid[rd]), .m_axi_rready(rready[rd]),
                    .m_axi_rdata(rdata), .m_axi_rresp(rresp), .m_axi_rlast(rlast),
                    .m_axis_beat_tvalid(read_beat_tvalid[rd]), .m_axis_beat_tready(read_beat_tready[rd]),
                    .m_axis_beat_tdata(read_beat_tdata[BEAT_BITS*rd +: BEAT_BITS]));
            end
            if (STYLE[8*rd +: 8] == "b") begin : gen_block
                rill_dma_read #(.BEAT_BITS(BEAT_BITS), .MAX_BURST(BURST[32*rd +: 32]), .OUTSTANDING(OUTSTANDING),
                    .PREFETCH_BEATS(PREFETCH[32*rd +: 32]), .RAM_STYLE("block"), .ADDR_BITS(ADDR_BITS)) u_read (
                    .clk(clk), .rst(core_rst[rd]), .base(read_base[ADDR_BITS*rd +: ADDR_BITS]), .flush(flush[rd]),
                    .idle(r_idle[rd]), .error(r_error[rd]), .error_addr(r_place[ADDR_BITS*rd +: ADDR_BITS]),
                    .s_axis_desc_tvalid(read_desc_tvalid[rd]), .s_axis_desc_tready(read_desc_tready[rd]),
                    .s_axis_desc_tdata(read_desc_tdata[56*rd +: 56]), .m_axi_arvalid(arvalid[rd]),
                    .m_axi_arready(arready[rd]), .m_axi_araddr(araddr[ADDR_BITS*rd +: ADDR_BITS]),
                    .m_axi_arlen(arlen[8*rd +: 8]), .m_axi_rvalid(rvalid[rd]), .m_axi_rready(rready[rd]),
                    .m_axi_rdata(rdata), .m_axi_rresp(rresp), .m_axi_rlast(rlast),
                    .m_axis_beat_tvalid(read_beat_tvalid[rd]), .m_axis_beat_tready(read_beat_tready[rd]),
                    .m_axis_beat_tdata(read_beat_tdata[BEAT_BITS*rd +: BEAT_BITS]));
            end
            if (STYLE[8*rd +: 8] == "u") begin : gen_ultra
                rill_dma_read #(.BEAT_BITS(BEAT_BITS), .MAX_BURST(BURST[32*rd +: 32]), .OUTSTANDING(OUTSTANDING),
                    .PREFETCH_BEATS(PREFETCH[32*rd +: 32]), .RAM_STYLE("ultra"), .ADDR_BITS(ADDR_BITS)) u_read (
                    .clk(clk), .rst(core_rst[rd]), .base(read_base[ADDR_BITS*rd +: ADDR_BITS]), .flush(flush[rd]),
                    .idle(r_idle[rd]), .error(r_error[rd]), .error_addr(r_place[ADDR_BITS*rd +: ADDR_BITS]),
                    .s_axis_desc_tvalid(read_desc_tvalid[rd]), .s_axis_desc_tready(read_desc_tready[rd]),
                    .s_axis_desc_tdata(read_desc_tdata[56*rd +: 56]), .m_axi_arvalid(arvalid[rd]),
                    .m_axi_arready(arready[rd]), .m_axi_araddr(araddr[ADDR_BITS*rd +: ADDR_BITS]),
                    .m_axi_arlen(arlen[8*rd +: 8]), .m_axi_rvalid(rvalid[rd]), .m_axi_rready(rready[rd]),
                    .m_axi_rdata(rdata), .m_axi_rresp(rresp), .m_axi_rlast(rlast),
                    .m_axis_beat_tvalid(read_beat_tvalid[rd]), .m_axis_beat_tready(read_beat_tready[rd]),
                    .m_axis_beat_tdata(read_beat_tdata[BEAT_BITS*rd +: BEAT_BITS]));
            end
            if (STYLE[8*rd +: 8] != "d" && STYLE[8*rd +: 8] != "b" && STYLE[8*rd +: 8] != "u") begin : gen_bad_style
                rill_error_STYLE_must_be_letters_d_b_or_u u_error ();
            end
        end
        if (READERS == 0) begin : gen_no_read
            assign r_idle = 1'b1;
            assign r_error = 1'b0;
            assign r_place = {ADDR_BITS{1'b0}};
            assign arvalid = 1'b0;
            assign araddr = {ADDR_BITS{1'b0}};
            assign arlen = 8'd0;
            assign rready = 1'b1;
            assign read_desc_tready = 1'b1;
            assign read_beat_tvalid = 1'b0;
            assign read_beat_tdata = {BEAT_BITS{1'b0}};
            wire unused_read = &{1'b0, read_base, read_desc_tvalid, read_desc_tdata, read_beat_tready, arready, rvalid,
                rdata, rresp, rlast};
        end
    endgenerate
    rill_axi_read_arbiter #(.CLIENTS(R), .BEAT_BITS(BEAT_BITS), .ID_W(ID_W), .ADDR_BITS(ADDR_BITS)) u_arbiter (
        .clk(clk), .rst(rst), .s_axi_arvalid(arvalid), .s_axi_arready(arready), .s_axi_araddr(araddr),
        .s_axi_arlen(arlen), .s_axi_rvalid(rvalid), .s_axi_rready(rready), .s_axi_rdata(rdata), .s_axi_rresp(rresp),
        .s_axi_rlast(rlast), .m_axi_arvalid(m_axi_arvalid), .m_axi_arready(m_axi_arready), .m_axi_arid(m_axi_arid),
        .m_axi_araddr(port_araddr), .m_axi_arlen(m_axi_arlen), .m_axi_arsize(m_axi_arsize),
        .m_axi_arburst(m_axi_arburst), .m_axi_rvalid(m_axi_rvalid), .m_axi_rready(m_axi_rready),
        .m_axi_rid(m_axi_rid), .m_axi_rdata(m_axi_rdata), .m_axi_rresp(m_axi_rresp), .m_axi_rlast(m_axi_rlast));

    // ---- writes ----
    wire                 w_error;
    wire [ADDR_BITS-1:0] w_place;            // address of the write engine's error
    generate
        if (WRITERS > 0) begin : gen_write
            rill_dma_write #(.CLIENTS(W), .BEAT_BITS(BEAT_BITS), .ID_W(ID_W), .OUTSTANDING(WRITES),
                .BUFFER_BEATS(WRITE_BUFFER), .ADDR_BITS(ADDR_BITS)) u_write (
                .clk(clk), .rst(core_rst[ENGINES-1]), .base(write_base), .flush(flush[ENGINES-1]), .idle(write_idle),
                .written(written), .error(w_error), .error_addr(w_place), .s_axis_desc_tvalid(write_desc_tvalid),
                .s_axis_desc_tready(write_desc_tready), .s_axis_desc_tdata(write_desc_tdata),
                .s_axis_beat_tvalid(write_beat_tvalid), .s_axis_beat_tready(write_beat_tready),
                .s_axis_beat_tdata(write_beat_tdata), .m_axi_awvalid(m_axi_awvalid), .m_axi_awready(m_axi_awready),
                .m_axi_awid(m_axi_awid), .m_axi_awaddr(port_awaddr), .m_axi_awlen(m_axi_awlen),
                .m_axi_awsize(m_axi_awsize), .m_axi_awburst(m_axi_awburst), .m_axi_wvalid(m_axi_wvalid),
                .m_axi_wready(m_axi_wready), .m_axi_wdata(m_axi_wdata), .m_axi_wstrb(m_axi_wstrb),
                .m_axi_wlast(m_axi_wlast), .m_axi_bvalid(m_axi_bvalid), .m_axi_bready(m_axi_bready),
                .m_axi_bid(m_axi_bid), .m_axi_bresp(m_axi_bresp));
        end else begin : gen_no_write
            assign write_idle = 1'b1;
            assign written = 1'b0;
            assign w_error = 1'b0;
            assign w_place = {ADDR_BITS{1'b0}};
            assign write_desc_tready = 1'b1;
            assign write_beat_tready = 1'b1;
            assign m_axi_awvalid = 1'b0;
            assign m_axi_awid = {ID_W{1'b0}};
            assign port_awaddr = {ADDR_BITS{1'b0}};
            assign m_axi_awlen = 8'd0;
            assign m_axi_awsize = 3'd0;
            assign m_axi_awburst = 2'd0;
            assign m_axi_wvalid = 1'b0;
            assign m_axi_wdata = {BEAT_BITS{1'b0}};
            assign m_axi_wstrb = {(BEAT_BITS/8){1'b0}};
            assign m_axi_wlast = 1'b0;
            assign m_axi_bready = 1'b1;
            wire unused_write = &{1'b0, write_base, write_desc_tvalid, write_desc_tdata, write_beat_tvalid,
                write_beat_tdata, m_axi_awready, m_axi_wready, m_axi_bvalid, m_axi_bid, m_axi_bresp};
        end
        if (READERS == 0 && WRITERS == 0) begin : gen_no_client
            wire unused_rst = &{1'b0, core_rst, flush};
        end
        // The port has 64 address bits, the engines only as many as the memory needs.
        if (ADDR_BITS < 64) begin : gen_narrow
            assign m_axi_araddr = {{(64 - ADDR_BITS){1'b0}}, port_araddr};
            assign m_axi_awaddr = {{(64 - ADDR_BITS){1'b0}}, port_awaddr};
            assign error_address = {{(64 - ADDR_BITS){1'b0}}, place_q};
        end else begin : gen_wide
            assign m_axi_araddr = port_araddr;
            assign m_axi_awaddr = port_awaddr;
            assign error_address = place_q;
        end
    endgenerate
    assign m_axi_arlock = 1'b0;
    assign m_axi_arcache = 4'd3;
    assign m_axi_arprot = 3'd0;
    assign m_axi_arqos = 4'd0;
    assign m_axi_awlock = 1'b0;
    assign m_axi_awcache = 4'd3;
    assign m_axi_awprot = 3'd0;
    assign m_axi_awqos = 4'd0;

    // ---- status for the control ----
    assign idle = (&r_idle) & (&write_idle);
    assign beat = m_axi_rvalid & m_axi_rready;
    assign answer = (m_axi_wvalid & m_axi_wready) | (m_axi_bvalid & m_axi_bready);

    // The address of the engine with the lowest number that has an error. place_q and error_is_write keep their values
    // while no engine has an error.
    reg  [ADDR_BITS-1:0] place_d;
    integer each;
    always @* begin
        place_d = w_place;
        for (each = R - 1; each >= 0; each = each - 1)
            if (r_error[each])
                place_d = r_place[ADDR_BITS*each +: ADDR_BITS];
    end
    always @(posedge clk) begin
        error <= (|r_error) | w_error;
        if ((|r_error) | w_error) begin
            error_is_write <= ~(|r_error);
            place_q <= place_d;
        end
    end
endmodule

`default_nettype wire
