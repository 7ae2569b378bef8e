// SPDX-License-Identifier: Apache-2.0
// Write side of one AXI4 master port for CLIENTS write engines.
//
// Round-robin on AW, one burst per cycle, one register; id = index of the client; W beats leave in the order of the AW
// grants, B is routed by id. A client presents all beats of a granted burst without waiting for others (rill_dma_write
// stores before it asks).
// W does not wait for AWREADY: a slave may see the first beat of a burst before it has accepted its address.
// Clients take every response at once: m_axi_bready is a register, high from reset on, and no output of the port
// depends on an input of it in the same cycle.
// Constants of the port: full-width size, INCR, all strobes set.
// A reset in the middle: as in rill_axi_read_arbiter, responses that are owed are swallowed first. A burst whose beats
// had not all left cannot be mended: end the request (kill) before the kernel alone is reset.
// Latency: AW 1 cycle, W and B 0. Reset: clk, synchronous active-high rst.
// s_axi_* are packed arrays, client 0 in the low bits; bresp is shared.
//
// name        meaning                                                 unit     range
// CLIENTS     write engines                                           clients  1 to 64
// BEAT_BITS   of a beat                                               bits     64, 128, 256, 512
// ID_W        of an id, enough for CLIENTS                            bits     1 or more
// ORDER       granted whose beats have not all left                   bursts   2 to 256
// QUIET_BITS  2^QUIET_BITS cycles without an answer: nothing is owed  bits     2 to 16
`default_nettype none

module rill_axi_write_arbiter #(
    parameter CLIENTS = 0,
    parameter BEAT_BITS = 0,
    parameter ID_W = CLIENTS > 1 ? $clog2(CLIENTS) : 1,
    parameter ORDER = 8,
    parameter QUIET_BITS = 12
) (
    input  wire                         clk,
    input  wire                         rst,

    input  wire [CLIENTS-1:0]           s_axi_awvalid,
    output wire [CLIENTS-1:0]           s_axi_awready,
    input  wire [CLIENTS*64-1:0]        s_axi_awaddr,
    input  wire [CLIENTS*8-1:0]         s_axi_awlen,
    input  wire [CLIENTS-1:0]           s_axi_wvalid,
    output wire [CLIENTS-1:0]           s_axi_wready,
    input  wire [CLIENTS*BEAT_BITS-1:0] s_axi_wdata,
    input  wire [CLIENTS-1:0]           s_axi_wlast,
    output wire [CLIENTS-1:0]           s_axi_bvalid,
    input  wire [CLIENTS-1:0]           s_axi_bready,
    output wire [1:0]                   s_axi_bresp,

    output wire                         m_axi_awvalid,
    input  wire                         m_axi_awready,
    output wire [ID_W-1:0]              m_axi_awid,
    output wire [63:0]                  m_axi_awaddr,
    output wire [7:0]                   m_axi_awlen,
    output wire [2:0]                   m_axi_awsize,
    output wire [1:0]                   m_axi_awburst,
    output wire                         m_axi_wvalid,
    input  wire                         m_axi_wready,
    output wire [BEAT_BITS-1:0]         m_axi_wdata,
    output wire [BEAT_BITS/8-1:0]       m_axi_wstrb,
    output wire                         m_axi_wlast,
    input  wire                         m_axi_bvalid,
    output wire                         m_axi_bready,
    input  wire [ID_W-1:0]              m_axi_bid,
    input  wire [1:0]                   m_axi_bresp
);
    localparam [31:0] SIZE = $clog2(BEAT_BITS / 8);
    localparam PTR_W = ORDER > 1 ? $clog2(ORDER) : 1;
    localparam COUNT_W = $clog2(ORDER + 1);
    localparam [31:0] PTR_LAST = ORDER - 1;
    localparam [31:0] COUNT_ALL = ORDER;

    generate
        if (CLIENTS < 1 || CLIENTS > 64) begin : gen_bad_clients
            rill_error_CLIENTS_must_be_1_to_64 u_error ();
        end
        if (BEAT_BITS != 64 && BEAT_BITS != 128 && BEAT_BITS != 256 && BEAT_BITS != 512) begin : gen_bad_beat
            rill_error_BEAT_BITS_must_be_64_128_256_or_512 u_error ();
        end
        if (ID_W < 1 || (1 << ID_W) < CLIENTS) begin : gen_bad_id
            rill_error_ID_W_too_small_for_CLIENTS u_error ();
        end
        if (ORDER < 2 || ORDER > 256) begin : gen_bad_order
            rill_error_ORDER_must_be_2_to_256 u_error ();
        end
    endgenerate

    wire               take;
    wire               pick = take && |s_axi_awvalid;
    wire [CLIENTS-1:0] grant;
    reg                valid_q = 1'b0;       // known before the first reset, as open_q: bursts are counted
    reg  [ID_W-1:0]    id_q;
    reg  [63:0]        addr_q;
    reg  [7:0]         len_q;
    reg                open_q = 1'b0;
    wire               owed;                 // by the memory, of requests before the reset
    reg  [ID_W-1:0]    id_d;
    reg  [63:0]        addr_d;
    reg  [7:0]         len_d;
    integer            i;

    rill_round_robin #(.CLIENTS(CLIENTS)) u_grant (.clk(clk), .rst(rst), .take(take), .request(s_axi_awvalid),
        .grant(grant));

    always @* begin
        id_d = {ID_W{1'b0}};
        addr_d = 64'd0;
        len_d = 8'd0;
        for (i = 0; i < CLIENTS; i = i + 1)
            if (grant[i]) begin
                id_d = id_d | i[ID_W-1:0];
                addr_d = addr_d | s_axi_awaddr[i*64 +: 64];
                len_d = len_d | s_axi_awlen[i*8 +: 8];
            end
    end

    // Order in which the granted clients' beats leave.
    reg  [CLIENTS-1:0] order_mem [0:ORDER-1];
    reg  [PTR_W-1:0]   order_wr_q;
    reg  [PTR_W-1:0]   order_rd_q;
    reg  [COUNT_W-1:0] order_count_q;
    wire               order_full = order_count_q == COUNT_ALL[COUNT_W-1:0];
    // The oldest one, a bit for each client; 0: none. A register for what decides, another one for the data.
    wire [CLIENTS-1:0] turn_d;
    wire [CLIENTS-1:0] turn;
    wire [CLIENTS-1:0] data_turn;
    rill_register_tree #(.DATA_W(CLIENTS), .COPIES(2)) u_turn (.clk(clk), .rst(rst), .d(turn_d), .q({data_turn, turn}));
    wire               burst_out = m_axi_wvalid && m_axi_wready && m_axi_wlast;

    assign take = open_q && !owed && !order_full && (!valid_q || m_axi_awready);

    always @(posedge clk) begin
        open_q <= !rst;
        if (rst)
            valid_q <= 1'b0;
        else if (pick)
            valid_q <= 1'b1;
        else if (m_axi_awready)
            valid_q <= 1'b0;
        if (take) begin
            id_q <= id_d;
            addr_q <= addr_d;
            len_q <= len_d;
        end
    end

    wire               order_one = order_count_q == {{(COUNT_W-1){1'b0}}, 1'b1};
    wire               order_none = order_count_q == {COUNT_W{1'b0}};
    assign             turn_d = !order_none && !burst_out ? turn
                              : order_none || order_one ? (pick ? grant : {CLIENTS{1'b0}}) : order_mem[order_rd_q];
    wire               behind = pick && !(order_none || (order_one && burst_out)); // it waits behind another one

    always @(posedge clk) begin
        if (behind)
            order_mem[order_wr_q] <= grant;
        if (rst) begin
            order_wr_q <= {PTR_W{1'b0}};
            order_rd_q <= {PTR_W{1'b0}};
            order_count_q <= {COUNT_W{1'b0}};
        end else begin
            if (behind)
                order_wr_q <= (order_wr_q == PTR_LAST[PTR_W-1:0]) ? {PTR_W{1'b0}} : order_wr_q + 1'b1;
            if (burst_out && !order_one)
                order_rd_q <= (order_rd_q == PTR_LAST[PTR_W-1:0]) ? {PTR_W{1'b0}} : order_rd_q + 1'b1;
            if (pick && !burst_out)
                order_count_q <= order_count_q + 1'b1;
            else if (!pick && burst_out)
                order_count_q <= order_count_q - 1'b1;
        end
    end

    reg  [BEAT_BITS-1:0] wdata_d;
    integer              j;

    always @* begin
        wdata_d = {BEAT_BITS{1'b0}};
        for (j = 0; j < CLIENTS; j = j + 1)
            if (data_turn[j])
                wdata_d = wdata_d | s_axi_wdata[j*BEAT_BITS +: BEAT_BITS];
    end

    wire [CLIENTS-1:0] route;
    genvar             k;

    generate
        for (k = 0; k < CLIENTS; k = k + 1) begin : gen_route
            localparam [31:0] INDEX = k;
            assign route[k] = m_axi_bid == INDEX[ID_W-1:0];
        end
    endgenerate

    rill_owed #(.QUIET_BITS(QUIET_BITS)) u_owed (
        .clk(clk), .rst(rst), .asked(m_axi_awvalid && m_axi_awready), .sign(m_axi_bvalid && m_axi_bready),
        .answered(m_axi_bvalid && m_axi_bready), .owed(owed));

    assign s_axi_awready = take ? grant : {CLIENTS{1'b0}};
    assign m_axi_awvalid = valid_q;
    assign m_axi_awid = id_q;
    assign m_axi_awaddr = addr_q;
    assign m_axi_awlen = len_q;
    assign m_axi_awsize = SIZE[2:0];
    assign m_axi_awburst = 2'b01;
    assign m_axi_wvalid = |(turn & s_axi_wvalid);
    assign m_axi_wdata = wdata_d;
    assign m_axi_wstrb = {(BEAT_BITS / 8){1'b1}};
    assign m_axi_wlast = |(turn & s_axi_wlast);
    assign s_axi_wready = m_axi_wready ? turn : {CLIENTS{1'b0}};
    assign s_axi_bvalid = m_axi_bvalid && !owed ? route : {CLIENTS{1'b0}};
    assign s_axi_bresp = m_axi_bresp;
    assign m_axi_bready = open_q;

`ifdef RILL_ASSERT
    rill_assert #(.SAYS("a client does not take its response")) u_assert_taken (
        .clk(clk), .broken(!rst && open_q && |(s_axi_bvalid & ~s_axi_bready)));
`endif

    wire unused = &{1'b0, SIZE, PTR_LAST, COUNT_ALL, i, j, s_axi_bready};
endmodule

`default_nettype wire
