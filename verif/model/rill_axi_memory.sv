// SPDX-License-Identifier: Apache-2.0
// AXI4 memory of one HBM pseudo-channel (simulation only). verif/model/hbm.c has queues, timing and content, and is
// called over DPI.
//
// Protocol: AXI4 slave, INCR bursts of full-width beats; reads and writes each in order. A protocol checker watches the
// port.
// Timing: arready and awready are low while the model's queue is full or its ids are taken. wready is high only for
// accepted addresses. R and B come at the model's time.
// Order of events within a cycle: first a write's beat comes, then a write's address; then a beat is read, a read's
// address comes, and a write's response is made. So if the last beat of a write and the address of a read come in one
// cycle, the write reaches the banks first. A read does not see a write whose response is made in its cycle. Channels
// share nothing, so the cycles of all events depend only on the design, the seed and the requests.
// An idle channel makes no DPI call. The harness advances the model's time once per clk.
// Reset: clk, synchronous active-high rst. No burst may be open when it comes (a soft reset of the design drains
// first).
// Parameters: BEAT_BITS (256 or 512), ID_W, ADDR_W. The number of the channel is the constant input `channel` and no
// parameter, so that the simulator makes one module for all channels.
`default_nettype none

module rill_axi_memory #(
    parameter int BEAT_BITS = 512,
    parameter int ID_W = 1,
    parameter int ADDR_W = 64
) (
    input  wire                   clk,
    input  wire                   rst,
    input  wire [7:0]             channel,

    input  wire                   awvalid,
    output wire                   awready,
    input  wire [ID_W-1:0]        awid,
    input  wire [ADDR_W-1:0]      awaddr,
    input  wire [7:0]             awlen,
    input  wire [2:0]             awsize,
    input  wire [1:0]             awburst,
    input  wire                   awlock,
    input  wire [3:0]             awcache,
    input  wire [2:0]             awprot,
    input  wire [3:0]             awqos,
    input  wire                   wvalid,
    output wire                   wready,
    input  wire [BEAT_BITS-1:0]   wdata,
    input  wire [BEAT_BITS/8-1:0] wstrb,
    input  wire                   wlast,
    output wire                   bvalid,
    input  wire                   bready,
    output wire [ID_W-1:0]        bid,
    output wire [1:0]             bresp,
    input  wire                   arvalid,
    output wire                   arready,
    input  wire [ID_W-1:0]        arid,
    input  wire [ADDR_W-1:0]      araddr,
    input  wire [7:0]             arlen,
    input  wire [2:0]             arsize,
    input  wire [1:0]             arburst,
    input  wire                   arlock,
    input  wire [3:0]             arcache,
    input  wire [2:0]             arprot,
    input  wire [3:0]             arqos,
    output wire                   rvalid,
    input  wire                   rready,
    output wire [ID_W-1:0]        rid,
    output wire [BEAT_BITS-1:0]   rdata,
    output wire [1:0]             rresp,
    output wire                   rlast
);
    localparam int QUEUE = 32;               // bursts per direction, HBM_QUEUE of the model

    import "DPI-C" function chandle rill_hbm_port(input int port, input int beat_bytes);
    import "DPI-C" function int rill_hbm_ids(input chandle ch);
    import "DPI-C" function int rill_hbm_read(input chandle ch, input longint address, input int beats, input int id);
    import "DPI-C" function int rill_hbm_write(input chandle ch, input longint address, input int beats, input int id);
    import "DPI-C" function int rill_hbm_take_read(input chandle ch, output bit [511:0] data, output int meta);
    import "DPI-C" function int rill_hbm_give_write(input chandle ch, input bit [511:0] data, input longint strobe);
    import "DPI-C" function int rill_hbm_take_response(input chandle ch, output int meta);

    chandle ch;
    int ids = 0;                             // native bursts that may be under way per direction
    always @(posedge clk)
        if (rst) begin
            ch <= rill_hbm_port(32'(channel), BEAT_BITS / 8);
            ids <= rill_hbm_ids(rill_hbm_port(32'(channel), BEAT_BITS / 8));
        end

    // rill_hbm_read and rill_hbm_write return {ids that the burst takes, stall[7:0]}: no address is accepted for
    // `stall` cycles. rill_hbm_give_write returns such a number for beats. rill_hbm_take_read and
    // rill_hbm_take_response return 0 if they gave a beat or a response, otherwise after how many cycles the next
    // call is of use.
    reg                  ar_open_q = 1'b0;
    int                  ar_stall_q = 0;     // cycles until an address is accepted
    int                  reads_q = 0;        // bursts outstanding
    int                  read_ids_q = 0;     // ids that they take
    int                  r_wait_q = 0;       // cycles until the next rill_hbm_take_read
    reg                  r_valid_q = 1'b0;
    bit [511:0]          r_data_q;
    int                  r_meta_q = 0;       // {ids that are given back[12:0], last, resp[1:0], id[15:0]}
    wire                 ar_take = arvalid && arready;

    assign arready = ar_open_q && ar_stall_q == 0;
    assign rvalid = r_valid_q;
    assign rdata = r_data_q[BEAT_BITS-1:0];
    assign rid = r_meta_q[ID_W-1:0];
    assign rresp = r_meta_q[17:16];
    assign rlast = r_meta_q[18];

    reg                  aw_open_q = 1'b0;
    int                  aw_stall_q = 0;
    int                  w_stall_q = 0;
    int                  w_left_q = 0;       // beats of accepted addresses
    int                  writes_q = 0;       // bursts accepted, response not yet made
    int                  write_ids_q = 0;    // ids that they take
    int                  w_bursts_q = 0;     // bursts whose data have all come
    int                  b_wait_q = 0;       // cycles until the next rill_hbm_take_response
    reg                  b_valid_q = 1'b0;
    int                  b_meta_q = 0;       // as r_meta_q, without last
    wire                 aw_take = awvalid && awready;
    wire                 w_take = wvalid && wready;

    assign awready = aw_open_q && aw_stall_q == 0;
    assign wready = w_left_q != 0 && w_stall_q == 0;
    assign bvalid = b_valid_q;
    assign bid = b_meta_q[ID_W-1:0];
    assign bresp = b_meta_q[17:16];

    // One process: the calls of a cycle share the channel's banks and its source of jitter, so their order is part of
    // the model.
    always @(posedge clk)
        if (rst) begin
            ar_open_q <= 1'b0;
            r_valid_q <= 1'b0;
            aw_open_q <= 1'b0;
            b_valid_q <= 1'b0;
            w_left_q <= 0;
            reads_q <= 0;
            read_ids_q <= 0;
            r_wait_q <= 0;
            ar_stall_q <= 0;
            writes_q <= 0;
            write_ids_q <= 0;
            w_bursts_q <= 0;
            b_wait_q <= 0;
            aw_stall_q <= 0;
            w_stall_q <= 0;
        end else begin : calls
            int reads, writes, bursts, wait_cycles, meta, taken, read_ids, write_ids;
            bit [511:0] data;
            reads = reads_q;
            writes = writes_q;
            read_ids = read_ids_q;
            write_ids = write_ids_q;
            bursts = w_bursts_q;
            if (aw_take || writes_q != 0 || b_valid_q || !aw_open_q || aw_stall_q != 0) begin
                if (aw_stall_q != 0)
                    aw_stall_q <= aw_stall_q - 1;
                if (w_stall_q != 0)
                    w_stall_q <= w_stall_q - 1;
                if (w_take) begin
                    w_stall_q <= rill_hbm_give_write(ch, 512'(wdata), 64'(wstrb));
                    if (wlast)
                        bursts = bursts + 1;
                end
                if (aw_take) begin
                    writes = writes + 1;
                    taken = rill_hbm_write(ch, awaddr, 32'(awlen) + 1, 32'(awid));
                    aw_stall_q <= taken & 255;
                    write_ids = write_ids + (taken >>> 8);
                end
                w_left_q <= w_left_q + (aw_take ? 32'(awlen) + 1 : 0) - (w_take ? 1 : 0);
            end
            if (ar_take || reads_q != 0 || r_valid_q || !ar_open_q || ar_stall_q != 0) begin
                if (ar_stall_q != 0)
                    ar_stall_q <= ar_stall_q - 1;
                if (r_wait_q > 1)
                    r_wait_q <= r_wait_q - 1;
                if (!r_valid_q || rready) begin
                    r_valid_q <= 1'b0;
                    if (r_wait_q <= 1 && reads != 0) begin
                        wait_cycles = rill_hbm_take_read(ch, data, meta);
                        r_wait_q <= wait_cycles;
                        if (wait_cycles == 0) begin
                            r_valid_q <= 1'b1;
                            r_data_q <= data;
                            r_meta_q <= meta;
                            read_ids = read_ids - (meta >>> 19);
                            if (meta[18])
                                reads = reads - 1;
                        end
                    end
                end
                if (ar_take) begin
                    reads = reads + 1;
                    taken = rill_hbm_read(ch, araddr, 32'(arlen) + 1, 32'(arid));
                    ar_stall_q <= taken & 255;
                    read_ids = read_ids + (taken >>> 8);
                end
                reads_q <= reads;
                read_ids_q <= read_ids;
                ar_open_q <= reads < QUEUE && read_ids < ids;
            end
            if (aw_take || writes_q != 0 || b_valid_q || !aw_open_q || aw_stall_q != 0) begin
                if (b_wait_q > 1)
                    b_wait_q <= b_wait_q - 1;
                if (!b_valid_q || bready) begin
                    b_valid_q <= 1'b0;
                    if (b_wait_q <= 1 && w_bursts_q != 0) begin
                        wait_cycles = rill_hbm_take_response(ch, meta);
                        b_wait_q <= wait_cycles;
                        if (wait_cycles == 0) begin
                            b_valid_q <= 1'b1;
                            b_meta_q <= meta;
                            writes = writes - 1;
                            write_ids = write_ids - (meta >>> 19);
                            bursts = bursts - 1;
                        end
                    end
                end
                writes_q <= writes;
                w_bursts_q <= bursts;
                write_ids_q <= write_ids;
                aw_open_q <= writes < QUEUE && write_ids < ids;
            end
        end

    wire [31:0] reads_open;
    wire [31:0] writes_open;
    rill_axi_checker #(.BEAT_BITS(BEAT_BITS), .ID_W(ID_W), .W_FIRST(0)) u_checker (
        .clk(clk), .rst(rst),
        .arvalid(arvalid), .arready(arready), .arid(arid), .araddr(64'(araddr)), .arlen(arlen),
        .arsize(arsize), .arburst(arburst),
        .arlock(arlock), .arcache(arcache), .arprot(arprot), .arqos(arqos),
        .rvalid(rvalid), .rready(rready), .rid(rid), .rdata(rdata), .rresp(rresp), .rlast(rlast),
        .awvalid(awvalid), .awready(awready), .awid(awid), .awaddr(64'(awaddr)), .awlen(awlen),
        .awsize(awsize), .awburst(awburst),
        .awlock(awlock), .awcache(awcache), .awprot(awprot), .awqos(awqos),
        .wvalid(wvalid), .wready(wready), .wdata(wdata), .wstrb(wstrb), .wlast(wlast),
        .bvalid(bvalid), .bready(bready), .bid(bid), .bresp(bresp),
        .reads_open(reads_open), .writes_open(writes_open)
    );
    // Checks that the checker works: a burst that was accepted must be open in it one clock later.
    reg read_came = 1'b0;
    reg write_came = 1'b0;
    always @(posedge clk) begin
        read_came <= !rst && arvalid && arready;
        write_came <= !rst && awvalid && awready;
    end
    rill_axi_unchecked u_unchecked (
        .clk(clk), .wrong(!rst && ((read_came && reads_open == 0) || (write_came && writes_open == 0)))
    );
    wire unused = &{1'b0, r_meta_q, b_meta_q};
endmodule

`default_nettype wire
