// SPDX-License-Identifier: Apache-2.0
// Lets CLIENTS read engines (rill_dma_read) share the read side of one AXI4 master port.
//
// Requests (AR) are granted round-robin, one burst per cycle, through one register. The AXI id is the index of the
// client, and data (R) is routed by id. A client requests only data for which it has reserved space (rill_dma_read), so
// it takes every beat at once. Therefore m_axi_rready is a register that is always high after the reset, and no output
// of the port depends on an input of the port in the same cycle.
// Every burst is an INCR burst of full-width beats, so m_axi_arsize and m_axi_arburst are constant.
// After a reset in the middle of a request, the beats of bursts that the memory has not answered yet are discarded
// before the next request goes out. This ends when the last beat has come, or when none has come for 2^QUIET_BITS
// cycles, because then the memory was reset as well. The count of unanswered bursts starts at 0 and is not reset.
// Latency: AR 1 cycle; R 1 cycle: beats pass a register because the wires from the port to the clients are long.
// Reset: clk, synchronous active-high rst.
// s_axi_* are packed arrays, client 0 in the low bits. All clients share rdata, rresp and rlast.
//
// name        meaning                                                 unit     range
// CLIENTS     read engines                                            clients  1 to 64
// BEAT_BITS   width of a beat                                         bits     64, 128, 256, 512
// ID_W        width of an id, enough for CLIENTS                      bits     1 or more
// QUIET_BITS  discarding ends after 2^QUIET_BITS quiet cycles         bits     2 to 16
// ADDR_BITS   width of an address                                     bits     32 to 64
`default_nettype none

module rill_axi_read_arbiter #(
    parameter CLIENTS = 0,
    parameter BEAT_BITS = 0,
    parameter ID_W = CLIENTS > 1 ? $clog2(CLIENTS) : 1,
    parameter QUIET_BITS = 12,
    parameter ADDR_BITS = 64
) (
    input  wire                  clk,
    input  wire                  rst,

    input  wire [CLIENTS-1:0]    s_axi_arvalid,
    output wire [CLIENTS-1:0]    s_axi_arready,
    input  wire [CLIENTS*ADDR_BITS-1:0] s_axi_araddr,
    input  wire [CLIENTS*8-1:0]  s_axi_arlen,
    output wire [CLIENTS-1:0]    s_axi_rvalid,
    input  wire [CLIENTS-1:0]    s_axi_rready,
    output wire [BEAT_BITS-1:0]  s_axi_rdata,
    output wire [1:0]            s_axi_rresp,
    output wire                  s_axi_rlast,

    output wire                  m_axi_arvalid,
    input  wire                  m_axi_arready,
    output wire [ID_W-1:0]       m_axi_arid,
    output wire [ADDR_BITS-1:0]  m_axi_araddr,
    output wire [7:0]            m_axi_arlen,
    output wire [2:0]            m_axi_arsize,
    output wire [1:0]            m_axi_arburst,
    input  wire                  m_axi_rvalid,
    output wire                  m_axi_rready,
    input  wire [ID_W-1:0]       m_axi_rid,
    input  wire [BEAT_BITS-1:0]  m_axi_rdata,
    input  wire [1:0]            m_axi_rresp,
    input  wire                  m_axi_rlast
);
    localparam [31:0] SIZE = $clog2(BEAT_BITS / 8);

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
    endgenerate

    wire               take;
    wire [CLIENTS-1:0] grant;
    reg                valid_q = 1'b0;  // has a value before the first reset, because rill_owed counts from the start
    reg  [ID_W-1:0]    id_q;
    reg  [ADDR_BITS-1:0] addr_q;
    reg  [7:0]         len_q;
    reg                open_q = 1'b0;         // low in reset
    wire               owed;                 // the memory has not answered all requests from before the reset
    reg  [ID_W-1:0]    id_d;
    reg  [ADDR_BITS-1:0] addr_d;
    reg  [7:0]         len_d;
    integer            i;

    assign take = open_q && !owed && (!valid_q || m_axi_arready);

    rill_round_robin #(.CLIENTS(CLIENTS)) u_grant (.clk(clk), .rst(rst), .take(take), .request(s_axi_arvalid),
        .grant(grant));

    always @* begin
        id_d = {ID_W{1'b0}};
        addr_d = {ADDR_BITS{1'b0}};
        len_d = 8'd0;
        for (i = 0; i < CLIENTS; i = i + 1)
            if (CLIENTS == 1 || grant[i]) begin // a single client needs no grant
                id_d = id_d | i[ID_W-1:0];
                addr_d = addr_d | s_axi_araddr[i*ADDR_BITS +: ADDR_BITS];
                len_d = len_d | s_axi_arlen[i*8 +: 8];
            end
    end

    always @(posedge clk) begin
        open_q <= !rst;
        if (rst)
            valid_q <= 1'b0;
        else if (take)
            valid_q <= |s_axi_arvalid;
        if (take) begin
            id_q <= id_d;
            addr_q <= addr_d;
            len_q <= len_d;
        end
    end

    assign s_axi_arready = take ? grant : {CLIENTS{1'b0}};
    assign m_axi_arvalid = valid_q;
    assign m_axi_arid = id_q;
    assign m_axi_araddr = addr_q;
    assign m_axi_arlen = len_q;
    assign m_axi_arsize = SIZE[2:0];
    assign m_axi_arburst = 2'b01;

    wire [CLIENTS-1:0] route;
    genvar             k;

    generate
        for (k = 0; k < CLIENTS; k = k + 1) begin : gen_route
            localparam [31:0] INDEX = k;
            assign route[k] = m_axi_rid == INDEX[ID_W-1:0];
        end
    endgenerate

    rill_owed #(.QUIET_BITS(QUIET_BITS)) u_owed (
        .clk(clk), .rst(rst), .asked(m_axi_arvalid && m_axi_arready), .sign(m_axi_rvalid && m_axi_rready),
        .answered(m_axi_rvalid && m_axi_rready && m_axi_rlast), .owed(owed));

    reg  [CLIENTS-1:0]   beat_valid_q = {CLIENTS{1'b0}};
    reg  [BEAT_BITS-1:0] beat_q;
    reg  [1:0]           resp_q;
    reg                  last_q;
    always @(posedge clk) begin
        beat_valid_q <= !rst && m_axi_rvalid && open_q && !owed ? route : {CLIENTS{1'b0}};
        if (m_axi_rvalid)
            {last_q, resp_q, beat_q} <= {m_axi_rlast, m_axi_rresp, m_axi_rdata};
    end
    assign s_axi_rvalid = beat_valid_q;
    assign s_axi_rdata = beat_q;
    assign s_axi_rresp = resp_q;
    assign s_axi_rlast = last_q;
    assign m_axi_rready = open_q;

`ifdef RILL_ASSERT
    rill_assert #(.SAYS("a client does not take its beat")) u_assert_taken (
        .clk(clk), .broken(!rst && open_q && |(s_axi_rvalid & ~s_axi_rready)));
`endif

    wire unused = &{1'b0, SIZE, i, s_axi_rready};
endmodule

`default_nettype wire
