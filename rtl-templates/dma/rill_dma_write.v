// SPDX-License-Identifier: Apache-2.0
// Write engine of a memory port for CLIENTS clients. Each client sends a stream of descriptors {beats, offset} and a
// stream of the beats that they describe, in the same order.
//
// Turns: a client requests a turn when it has a beat and its descriptor. The turn passes round-robin, at the end of a
// descriptor or when the client in turn has no beat. So a client that stops never blocks another one. Each client has
// only an address counter; the buffer is shared.
// Bursts: a beat of the client in turn gets its address and enters the buffer. From there each beat leaves as a
// separate burst (AWLEN 0), so no address is sent without its data. A beat is offered together with its address or
// after it, so data is at most one beat ahead of the addresses that the memory has accepted. The beat of the address
// that is offered does not wait for m_axi_awready: AXI forbids that, because a memory may wait for the data before it
// accepts the address. A beat whose address is not offered yet waits, because an earlier address is in front of it.
// Descriptors: with BUFFER_BEATS 1 a descriptor is taken in the cycle after the last beat of the previous one. The
// buffer is full in that cycle, so no time is lost. With a larger buffer, a descriptor is taken together with that
// beat.
// Order: the beats of a client stay in order. The responses come in the order of the bursts, because all bursts have id
// 0.
// AXI4 constants: full-width size, INCR, all strobes set. m_axi_bready is a register that is high after the reset. No
// output of the port depends on an input of the port in the same cycle.
// Throughput: one beat per cycle with BUFFER_BEATS >= 2 and OUTSTANDING >= write latency. With BUFFER_BEATS 1 one beat
// every two cycles, or every three if the memory takes no data before its address. Latency from a beat to
// m_axi_awvalid: 1 cycle, plus 1 when the turn passes.
// flush (level, hold until idle): descriptors and beats that have not been taken are discarded, from the next cycle
// until one cycle after flush falls. Beats in the buffer are written.
// written: one pulse per client when the last response of a descriptor has come. All beats of the descriptor then have
// responses.
// idle, one bit per client: nothing is held and every response has come (and, without flush, nothing is offered).
// error: sticky until reset. error_addr is the address of the first beat with BRESP != OKAY.
// Reset in the middle of a request: responses to earlier beats are discarded before the next beat is taken (rill_owed).
// A burst whose address was sent without its beat cannot be completed. So the host must end a request (kill) before it
// resets the kernel alone.
// Reset: clk, synchronous active-high rst; except as described above, only while idle.
// Ports of clients are packed arrays, client 0 in the low bits. A descriptor has at most 511 beats.
//
// name          meaning                             unit     range
// CLIENTS       clients that share the engine       clients  1 to 64
// BEAT_BITS     width of a beat                     bits     64, 128, 256, 512
// ID_W          width of an id                      bits     1 or more
// OUTSTANDING   most beats without a response yet   beats    1 to 256
// BUFFER_BEATS  depth of the buffer                 beats    1 or more
// RAM_STYLE     style of the storage of the buffer  -        "auto", "srl", "distributed", "block", "ultra"
// QUIET_BITS    earlier responses count as lost     bits     2 to 16
//               after 2^QUIET_BITS quiet cycles
//               (rill_owed)
// ADDR_BITS     width of an address                 bits     32 to 64
`default_nettype none

module rill_dma_write #(
    parameter CLIENTS = 0,
    parameter BEAT_BITS = 0,
    parameter ID_W = 1,
    parameter OUTSTANDING = 32,
    parameter BUFFER_BEATS = 1,
    parameter RAM_STYLE = "distributed",
    parameter QUIET_BITS = 12,
    parameter ADDR_BITS = 64
) (
    input  wire                         clk,
    input  wire                         rst,
    input  wire [CLIENTS*ADDR_BITS-1:0] base,                // per client: byte address of offset 0
    input  wire                         flush,
    output wire [CLIENTS-1:0]           idle,
    output wire [CLIENTS-1:0]           written,
    output reg                          error,
    output wire [ADDR_BITS-1:0]         error_addr,

    input  wire [CLIENTS-1:0]           s_axis_desc_tvalid,
    output wire [CLIENTS-1:0]           s_axis_desc_tready,
    input  wire [CLIENTS*56-1:0]        s_axis_desc_tdata,   // {beats, offset}
    input  wire [CLIENTS-1:0]           s_axis_beat_tvalid,
    output wire [CLIENTS-1:0]           s_axis_beat_tready,
    input  wire [CLIENTS*BEAT_BITS-1:0] s_axis_beat_tdata,

    output wire                         m_axi_awvalid,
    input  wire                         m_axi_awready,
    output wire [ID_W-1:0]              m_axi_awid,
    output wire [ADDR_BITS-1:0]         m_axi_awaddr,
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
    localparam BEAT_SHIFT = $clog2(BEAT_BITS / 8);
    // Width of an address in beats. The bits within a beat are 0 and not stored.
    localparam ADDR_W = ADDR_BITS - BEAT_SHIFT;
    localparam PLACE_W = (ADDR_BITS < 40 ? ADDR_BITS : 40) - BEAT_SHIFT; // width of an offset in beats
    localparam BEATS_W = 9;                              // bits of a descriptor's beats that are used
    localparam OUT_W = $clog2(OUTSTANDING + 1);
    localparam PTR_W = OUTSTANDING > 1 ? $clog2(OUTSTANDING) : 1;
    // A descriptor is taken together with the last beat of the previous one, so its first beat may follow at once.
    localparam AT_ONCE = BUFFER_BEATS > 1;
    localparam OCC_W = $clog2(BUFFER_BEATS + 1);
    localparam [31:0] SIZE = BEAT_SHIFT;
    localparam [31:0] OUT_ALL = OUTSTANDING;
    localparam [31:0] PTR_LAST = OUTSTANDING - 1;
    localparam [31:0] ONE = 1;

    generate
        if (CLIENTS < 1 || CLIENTS > 64) begin : gen_bad_clients
            rill_error_CLIENTS_must_be_1_to_64 u_error ();
        end
        if (BEAT_BITS != 64 && BEAT_BITS != 128 && BEAT_BITS != 256 && BEAT_BITS != 512) begin : gen_bad_beat
            rill_error_BEAT_BITS_must_be_64_128_256_or_512 u_error ();
        end
        if (ADDR_BITS < 32 || ADDR_BITS > 64) begin : gen_bad_address
            rill_error_ADDR_BITS_must_be_32_to_64 u_error ();
        end
        if (OUTSTANDING < 1 || OUTSTANDING > 256) begin : gen_bad_outstanding
            rill_error_OUTSTANDING_must_be_1_to_256 u_error ();
        end
    endgenerate

    // open_q is low in reset. It has a value before the first reset, because rill_owed counts bursts from the start.
    reg                   open_q = 1'b0;
    wire                  owed;              // the memory has not answered all beats from before the reset
    reg                   flush_q;
    reg                   slot_q;            // out_q is below OUTSTANDING, no reset, and the memory owes no answers
    reg  [OUT_W-1:0]      out_q;             // beats taken and without response
    wire                  data_ready;        // the data buffer has room
    wire                  addr_ready;        // the buffer of addresses has room
    wire [CLIENTS-1:0]    turn;              // the client in turn, at most one bit
    wire [CLIENTS-1:0]    ready_turn;        // copy of turn for the tready of beats
    wire [CLIENTS-1:0]    place_turn;        // copy of turn for addresses
    wire [CLIENTS-1:0]    data_turn;         // copy of turn for data
    wire [CLIENTS-1:0]    live;              // the client has a descriptor with beats left
    wire [CLIENTS-1:0]    last;              // the next beat is the last one of its descriptor
    wire [CLIENTS*PLACE_W-1:0] places;       // place of each client's next beat, in beats from its base
    wire [CLIENTS-1:0]    request = live & s_axis_beat_tvalid;
    wire                  room = data_ready && addr_ready && slot_q;
    wire                  current = |(turn & request);
    wire                  push = current && room;
    // Copy of push for the data of a beat
    wire                  data_push = |(data_turn & request) && room;
    wire [CLIENTS-1:0]    took = push ? turn : {CLIENTS{1'b0}};
    wire                  ends = |(turn & last);
    wire                  response = m_axi_bvalid && m_axi_bready && !owed;

    // ---- arbitration ----
    generate
        if (CLIENTS < 2) begin : gen_alone
            assign turn = 1'b1;
            assign ready_turn = 1'b1;
            assign place_turn = 1'b1;
            assign data_turn = 1'b1;
        end else begin : gen_turns
            wire [CLIENTS-1:0] other_requests = request & ~turn;
            wire               pass = !current || (push && ends);
            wire [CLIENTS-1:0] grant;
            rill_round_robin #(.CLIENTS(CLIENTS)) u_grant (.clk(clk), .rst(rst || flush_q), .take(pass),
                .request(other_requests), .grant(grant));
            rill_register_copies #(.DATA_W(CLIENTS), .COPIES(4)) u_turn (.clk(clk), .rst(rst),
                .d(pass && |other_requests ? grant : turn), .q({data_turn, place_turn, ready_turn, turn}));
        end
    endgenerate

    // ---- clients ----
    wire [CLIENTS-1:0] answered;             // the response belongs to this client
    genvar c;
    generate
        for (c = 0; c < CLIENTS; c = c + 1) begin : gen_client
            reg  [BEATS_W-1:0] left_q;       // beats of the descriptor that have not been taken yet
            reg  [BEATS_W-1:0] left_d;
            reg                live_q;       // left_q != 0
            reg                last_q;       // left_q == 1
            reg  [PLACE_W-1:0] place_q;
            reg  [OUT_W-1:0]   open_beats_q; // beats taken that have no response yet
            wire               ready = !live_q || (AT_ONCE && last_q && took[c]);
            wire               load = s_axis_desc_tvalid[c] && ready;
            reg                counts_q;     // a beat of this client was taken in the cycle before
            always @* begin
                left_d = left_q;
                if (rst || flush_q)
                    left_d = {BEATS_W{1'b0}};
                else if (load)
                    left_d = s_axis_desc_tdata[c*56+40 +: BEATS_W];
                else if (took[c])
                    left_d = left_q - 1'b1;
            end
            always @(posedge clk) begin
                left_q <= left_d;
                live_q <= left_d != {BEATS_W{1'b0}};
                last_q <= left_d == {{(BEATS_W-1){1'b0}}, 1'b1};
                if (load)
                    place_q <= s_axis_desc_tdata[c*56+BEAT_SHIFT +: PLACE_W];
                else if (took[c])
                    place_q <= place_q + 1'b1;
                counts_q <= !rst && took[c];
                if (rst)
                    open_beats_q <= {OUT_W{1'b0}};
                else if (counts_q && !answered[c])
                    open_beats_q <= open_beats_q + 1'b1;
                else if (answered[c] && !counts_q)
                    open_beats_q <= open_beats_q - 1'b1;
            end
            assign live[c] = live_q;
            assign last[c] = last_q;
            assign places[c*PLACE_W +: PLACE_W] = place_q;
            assign s_axis_desc_tready[c] = open_q && (flush_q || ready);
            assign s_axis_beat_tready[c] = flush_q || (ready_turn[c] && live_q && room);
            assign idle[c] = !live_q && !counts_q && open_beats_q == {OUT_W{1'b0}} &&
                             (flush_q || !(s_axis_desc_tvalid[c] || s_axis_beat_tvalid[c]));
`ifdef RILL_ASSERT
            rill_assert #(.SAYS("an address is no multiple of a beat")) u_assert_address (
                .clk(clk), .broken(!rst && s_axis_desc_tvalid[c] && (base[c*ADDR_BITS +: BEAT_SHIFT]
                | s_axis_desc_tdata[c*56 +: BEAT_SHIFT]) != {BEAT_SHIFT{1'b0}}));
            rill_assert #(.SAYS("a descriptor is too long")) u_assert_beats (.clk(clk),
                .broken(!rst && s_axis_desc_tvalid[c] && s_axis_desc_tdata[c*56+40+BEATS_W +: 16 - BEATS_W] != 0));
`endif
        end
    endgenerate

    // ---- the beat of the client in turn ----
    reg  [BEAT_BITS-1:0] data_d;
    reg  [PLACE_W-1:0]   place_d;
    reg  [ADDR_W-1:0]    base_d;
    integer              i;
    always @* begin
        data_d = {BEAT_BITS{1'b0}};
        place_d = {PLACE_W{1'b0}};
        base_d = {ADDR_W{1'b0}};
        for (i = 0; i < CLIENTS; i = i + 1) begin
            if (data_turn[i])
                data_d = data_d | s_axis_beat_tdata[i*BEAT_BITS +: BEAT_BITS];
            if (place_turn[i]) begin
                place_d = place_d | places[i*PLACE_W +: PLACE_W];
                base_d = base_d | base[i*ADDR_BITS+BEAT_SHIFT +: ADDR_W];
            end
        end
    end
    wire [63:0]       place64 = {{(64 - PLACE_W){1'b0}}, place_d};
    wire [ADDR_W-1:0] addr_d = base_d + place64[ADDR_W-1:0];

    // ---- the buffer and its output ----
    wire [OCC_W-1:0]  occupancy;
    wire [OCC_W-1:0]  high_water;
    wire [1:0]        addr_occupancy;
    wire [1:0]        addr_high_water;

    // If two addresses and one beat wait, the beat belongs to the second address, which is not offered yet. So the beat
    // waits.
    wire              data_valid;
    wire              addressed = !(addr_occupancy[1] && occupancy == ONE[OCC_W-1:0]);
    assign m_axi_wvalid = data_valid && addressed;

    rill_fifo #(.DATA_W(BEAT_BITS), .DEPTH(BUFFER_BEATS), .RAM_STYLE(RAM_STYLE)) u_buffer (
        .clk(clk), .rst(rst), .s_axis_tvalid(data_push), .s_axis_tready(data_ready), .s_axis_tdata(data_d),
        .m_axis_tvalid(data_valid), .m_axis_tready(m_axi_wready && addressed), .m_axis_tdata(m_axi_wdata),
        .occupancy(occupancy), .high_water(high_water));
    rill_fifo #(.DATA_W(ADDR_W), .DEPTH(2)) u_address (
        .clk(clk), .rst(rst), .s_axis_tvalid(push), .s_axis_tready(addr_ready), .s_axis_tdata(addr_d),
        .m_axis_tvalid(m_axi_awvalid), .m_axis_tready(m_axi_awready),
        .m_axis_tdata(m_axi_awaddr[ADDR_BITS-1:BEAT_SHIFT]),
        .occupancy(addr_occupancy), .high_water(addr_high_water));

    assign m_axi_awaddr[BEAT_SHIFT-1:0] = {BEAT_SHIFT{1'b0}};
    assign m_axi_awid = {ID_W{1'b0}};
    assign m_axi_awlen = 8'd0;
    assign m_axi_awsize = SIZE[2:0];
    assign m_axi_awburst = 2'b01;
    assign m_axi_wstrb = {(BEAT_BITS / 8){1'b1}};
    assign m_axi_wlast = 1'b1;
    assign m_axi_bready = open_q;

    wire all_out = out_q == OUT_ALL[OUT_W-1:0];
    wire next_all_out = out_q == OUT_ALL[OUT_W-1:0] - 1'b1;
    reg  [OUT_W-1:0] more;                   // bits of out_q that change when it counts up
    reg  [OUT_W-1:0] less;                   // bits of out_q that change when it counts down

    // Both are known before push, which arrives late in the cycle. So out_q needs no adder after push.
    always @* begin
        more[0] = 1'b1;
        less[0] = 1'b1;
        for (i = 1; i < OUT_W; i = i + 1) begin
            more[i] = more[i-1] && out_q[i-1];
            less[i] = less[i-1] && !out_q[i-1];
        end
    end

    always @(posedge clk) begin
        open_q <= !rst;
        flush_q <= flush && !rst;
        slot_q <= !rst && !owed && (response || (push ? !next_all_out : !all_out));
        if (rst)
            out_q <= {OUT_W{1'b0}};
        else
            out_q <= out_q ^ (push && !response ? more : {OUT_W{1'b0}}) ^ (!push && response ? less : {OUT_W{1'b0}});
    end

    rill_owed #(.QUIET_BITS(QUIET_BITS)) u_owed (
        .clk(clk), .rst(rst), .asked(m_axi_awvalid && m_axi_awready), .sign(m_axi_bvalid && m_axi_bready),
        .answered(m_axi_bvalid && m_axi_bready), .owed(owed));

    // ---- the client of each response: unanswered beats, oldest first ----
    // {the beat is the last one of its descriptor, client (one-hot), address}
    reg  [CLIENTS+ADDR_W:0] open_mem [0:OUTSTANDING-1];
    reg  [PTR_W-1:0]        wr_q;
    reg  [PTR_W-1:0]        rd_q;
    reg  [ADDR_W-1:0]       error_q;
    reg  [CLIENTS-1:0]      written_q;
    wire                    head_ends;
    wire [CLIENTS-1:0]      head_client;
    wire [ADDR_W-1:0]       head_addr;
    assign {head_ends, head_client, head_addr} = open_mem[rd_q];
    assign answered = response ? head_client : {CLIENTS{1'b0}};
    assign written = written_q;
    assign error_addr = {error_q, {BEAT_SHIFT{1'b0}}};

    always @(posedge clk) begin
        if (push)
            open_mem[wr_q] <= {ends, place_turn, addr_d};
        written_q <= rst || !head_ends ? {CLIENTS{1'b0}} : answered;
        if (rst) begin
            wr_q <= {PTR_W{1'b0}};
            rd_q <= {PTR_W{1'b0}};
            error <= 1'b0;
            error_q <= {ADDR_W{1'b0}};
        end else begin
            if (push)
                wr_q <= wr_q == PTR_LAST[PTR_W-1:0] ? {PTR_W{1'b0}} : wr_q + 1'b1;
            if (response)
                rd_q <= rd_q == PTR_LAST[PTR_W-1:0] ? {PTR_W{1'b0}} : rd_q + 1'b1;
            if (response && m_axi_bresp != 2'b00 && !error) begin
                error <= 1'b1;
                error_q <= head_addr;
            end
        end
    end

`ifdef RILL_ASSERT
    rill_assert #(.SAYS("a response arrives to no burst")) u_assert_response (.clk(clk),
        .broken(!rst && response && out_q == {OUT_W{1'b0}}));
`endif

    wire unused = &{1'b0, high_water, addr_occupancy[0], addr_high_water, SIZE, OUT_ALL, PTR_LAST, ONE, base,
        place64, s_axis_desc_tdata, m_axi_bid, i};
endmodule

`default_nettype wire
