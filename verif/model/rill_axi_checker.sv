// SPDX-License-Identifier: Apache-2.0
// Protocol checker of one AXI4 port (simulation only). It only watches the port. At the first violation it prints one
// line and ends the run.
//
// It needs rill_axi_violation.sv and nothing else. docs/checkers.md has the rules by number, the parameters, and an
// example for other projects.
// Rules for the master:
// - AR, AW, W: valid and payload are held while stalled.
// - Bursts are INCR, of full-width beats, with an aligned address, within 4 KiB, and at most MAX_BURST beats long.
// - No exclusive access, and no reserved value of AxCACHE. All strobes are set.
// - WLAST is on the right beat, also if beats come before their address. Beats are at most DRAIN_CYCLES ahead of their
//   address, and at most ORDER - 2 whole bursts. With W_FIRST 0, no beat is offered before the address of its burst.
// - At most OUTSTANDING bursts of one id are open.
// Rules for the slave:
// - R, B: valid and payload are held while stalled.
// - R comes only for an id with an open burst, and RLAST is on the right beat.
// - B comes only for an id with a burst whose address and last beat have passed.
// An unknown bit (X) of a valid, or of an offered address, is a violation in simulators that have X.
// At the end a bench may read `reads_open` (bursts without RLAST) and `writes_open` (bursts without B). Parameters:
// BEAT_BITS, ID_W, MAX_BURST (beats), OUTSTANDING (bursts per id, 1..1024), READ_EN / WRITE_EN (0: the port has no such
// channels; tie their pins to 0), W_FIRST (1: AXI's rule, data may come before its address; 0: it may not). Assignments
// are blocking, because counts are updated and read within one clock edge.
/* verilator lint_off BLKSEQ */
/* verilator lint_off UNUSEDSIGNAL */
`default_nettype none

module rill_axi_checker #(
    parameter BEAT_BITS = 256,
    parameter ID_W = 1,
    parameter MAX_BURST = 256,
    parameter OUTSTANDING = 256,
    parameter READ_EN = 1,
    parameter WRITE_EN = 1,
    parameter W_FIRST = 1
) (
    input wire                   clk,
    input wire                   rst,
    input wire                   arvalid,
    input wire                   arready,
    input wire [ID_W-1:0]        arid,
    input wire [63:0]            araddr,
    input wire [7:0]             arlen,
    input wire [2:0]             arsize,
    input wire [1:0]             arburst,
    input wire                   arlock,
    input wire [3:0]             arcache,
    input wire [2:0]             arprot,
    input wire [3:0]             arqos,
    input wire                   rvalid,
    input wire                   rready,
    input wire [ID_W-1:0]        rid,
    input wire [BEAT_BITS-1:0]   rdata,
    input wire [1:0]             rresp,
    input wire                   rlast,
    input wire                   awvalid,
    input wire                   awready,
    input wire [ID_W-1:0]        awid,
    input wire [63:0]            awaddr,
    input wire [7:0]             awlen,
    input wire [2:0]             awsize,
    input wire [1:0]             awburst,
    input wire                   awlock,
    input wire [3:0]             awcache,
    input wire [2:0]             awprot,
    input wire [3:0]             awqos,
    input wire                   wvalid,
    input wire                   wready,
    input wire [BEAT_BITS-1:0]   wdata,
    input wire [BEAT_BITS/8-1:0] wstrb,
    input wire                   wlast,
    input wire                   bvalid,
    input wire                   bready,
    input wire [ID_W-1:0]        bid,
    input wire [1:0]             bresp,
    output wire [31:0]           reads_open,
    output wire [31:0]           writes_open
);
    localparam IDS = 1 << ID_W;
    localparam BEAT_BYTES = BEAT_BITS / 8;
    localparam SIZE = $clog2(BEAT_BYTES);
    localparam DEPTH = OUTSTANDING;
    localparam ORDER = 1024; // places of each ring of write bursts
    localparam DRAIN_CYCLES = 4096;

    integer cycle;
    integer reads_open_q;
    integer writes_open_q;
    assign reads_open = reads_open_q;
    assign writes_open = writes_open_q;

    // The number of the first rule that is broken; u_violation prints its message.
    integer    broken_q = 0;
    reg [63:0] where_q;
    rill_axi_violation #(.MAX_BURST(MAX_BURST), .OUTSTANDING(OUTSTANDING)) u_violation (
        .clk(clk), .rule(broken_q), .cycle(cycle), .addr(where_q));

    task fail(input integer rule, input [63:0] addr);
        if (broken_q == 0) begin
            broken_q = rule;
            where_q = addr;
        end
    endtask

    task check_burst(input [63:0] addr, input [7:0] len, input [2:0] size, input [1:0] burst);
        begin
            if (burst != 2'b01)
                fail(6, addr);
            if ({29'd0, size} != SIZE)
                fail(7, addr);
            if ((addr & (64'(BEAT_BYTES) - 64'd1)) != 64'd0)
                fail(8, addr);
            if ({20'd0, addr[11:0]} + ({24'd0, len} + 1) * BEAT_BYTES > 4096)
                fail(9, addr);
            if ({24'd0, len} + 1 > MAX_BURST)
                fail(10, addr);
        end
    endtask

    wire [11:0] ar_kind = {arlock, arcache, arprot, arqos};
    wire [11:0] aw_kind = {awlock, awcache, awprot, awqos};

    // Checks bit 11, the lock, and bits 10 to 7, AxCACHE: without bit 1 (modifiable), bits 3 and 2 (allocate) are
    // reserved.
    task check_kind(input [11:0] kind, input [63:0] addr);
        begin
            if (kind[11])
                fail(20, addr);
            if (!kind[8] && kind[10:9] != 2'b00)
                fail(21, addr);
        end
    endtask

    // Stability: what was offered and not taken in the previous cycle must be offered again. Wide payloads are kept and
    // compared only in this case, which saves time because it is rare.
    reg                   ar_held, aw_held, w_held, r_held, b_held;
    reg [ID_W+88:0]       ar_was, aw_was;
    reg [BEAT_BITS-1:0]   w_data_was, r_data_was;
    reg [BEAT_BYTES:0]    w_was;
    reg [ID_W+2:0]        r_was;
    reg [ID_W+1:0]        b_was;

    always @(posedge clk) begin
        cycle <= rst ? 0 : cycle + 1;
        ar_held <= !rst && READ_EN != 0 && arvalid && !arready;
        r_held <= !rst && READ_EN != 0 && rvalid && !rready;
        aw_held <= !rst && WRITE_EN != 0 && awvalid && !awready;
        w_held <= !rst && WRITE_EN != 0 && wvalid && !wready;
        b_held <= !rst && WRITE_EN != 0 && bvalid && !bready;
        if (arvalid && !arready)
            ar_was <= {ar_kind, arid, araddr, arlen, arsize, arburst};
        if (awvalid && !awready)
            aw_was <= {aw_kind, awid, awaddr, awlen, awsize, awburst};
        if (wvalid && !wready) begin
            w_data_was <= wdata;
            w_was <= {wlast, wstrb};
        end
        if (rvalid && !rready) begin
            r_data_was <= rdata;
            r_was <= {rid, rresp, rlast};
        end
        if (bvalid && !bready)
            b_was <= {bid, bresp};
        if (!rst) begin
            if (ar_held)
                if (!arvalid || {ar_kind, arid, araddr, arlen, arsize, arburst} !== ar_was)
                    fail(1, araddr);
            if (aw_held)
                if (!awvalid || {aw_kind, awid, awaddr, awlen, awsize, awburst} !== aw_was)
                    fail(2, awaddr);
            if (w_held)
                if (!wvalid || {wlast, wstrb} !== w_was || wdata !== w_data_was)
                    fail(3, 0);
            if (r_held)
                if (!rvalid || {rid, rresp, rlast} !== r_was || rdata !== r_data_was)
                    fail(4, 0);
            if (b_held)
                if (!bvalid || {bid, bresp} !== b_was)
                    fail(5, 0);
            if ((READ_EN != 0 && (^{arvalid, rvalid}) === 1'bx)
                || (WRITE_EN != 0 && (^{awvalid, wvalid, bvalid}) === 1'bx))
                fail(18, 0);
            if (READ_EN != 0 && arvalid && (^{ar_kind, arid, araddr, arlen, arsize, arburst}) === 1'bx)
                fail(22, 0);
            if (WRITE_EN != 0 && awvalid && (^{aw_kind, awid, awaddr, awlen, awsize, awburst}) === 1'bx)
                fail(23, 0);
        end
    end

    // Reads: per id a ring of burst lengths.
    reg [7:0] r_len [0:IDS*DEPTH-1];
    integer   r_wr [0:IDS-1];
    integer   r_rd [0:IDS-1];
    integer   r_open [0:IDS-1];
    integer   r_beat [0:IDS-1];
    integer   a;
    integer   ri;

    always @(posedge clk)
        if (rst) begin
            reads_open_q = 0;
            for (a = 0; a < IDS; a = a + 1) begin
                r_wr[a] = 0;
                r_rd[a] = 0;
                r_open[a] = 0;
                r_beat[a] = 0;
            end
        end else if (READ_EN != 0) begin
            if (rvalid && rready) begin
                ri = 32'(rid);
                if (r_open[ri] == 0)
                    fail(12, 64'(rid));
                if (rlast != (r_beat[ri] == 32'(r_len[ri*DEPTH + r_rd[ri]])))
                    fail(13, 64'(rid));
                r_beat[ri] = r_beat[ri] + 1;
                if (rlast) begin
                    r_beat[ri] = 0;
                    r_open[ri] = r_open[ri] - 1;
                    reads_open_q = reads_open_q - 1;
                    r_rd[ri] = (r_rd[ri] + 1) % DEPTH;
                end
            end
            if (arvalid && arready) begin
                check_burst(araddr, arlen, arsize, arburst);
                check_kind(ar_kind, araddr);
                ri = 32'(arid);
                if (r_open[ri] == DEPTH)
                    fail(11, araddr);
                r_len[ri*DEPTH + r_wr[ri]] = arlen;
                r_wr[ri] = (r_wr[ri] + 1) % DEPTH;
                r_open[ri] = r_open[ri] + 1;
                reads_open_q = reads_open_q + 1;
            end
        end

    // Writes: AW bursts in the order of their addresses, W bursts in the order of WLAST. The n-th AW and the n-th W
    // burst belong together; when both have passed, a B is due.
    reg [7:0]      aw_len [0:ORDER-1];
    reg [63:0]     aw_addr [0:ORDER-1];
    reg [ID_W-1:0] aw_id [0:ORDER-1];
    integer        w_len [0:ORDER-1];
    integer        aw_wr;                    // bursts whose address has passed
    integer        aw_rd;                    // of these: compared with their W burst
    integer        w_wr;                     // bursts whose last beat has passed
    integer        w_rd;                     // of these: compared with their AW burst
    integer        w_beat;                   // beats of the present W burst
    integer        w_alone;                  // cycles in which beats have been ahead of their address, in a row
    integer        b_due [0:IDS-1];          // bursts of an id whose address and beats have passed, without B
    integer        b_open [0:IDS-1];         // bursts of an id whose address has passed, without B
    integer        b;
    integer        bi;

    always @(posedge clk)
        if (rst) begin
            writes_open_q = 0;
            aw_wr = 0;
            aw_rd = 0;
            w_wr = 0;
            w_rd = 0;
            w_beat = 0;
            w_alone = 0;
            for (b = 0; b < IDS; b = b + 1) begin
                b_due[b] = 0;
                b_open[b] = 0;
            end
        end else if (WRITE_EN != 0) begin
            if (W_FIRST == 0 && wvalid && w_wr >= aw_wr + (awvalid ? 1 : 0))
                fail(24, 0);
            if (bvalid && bready) begin
                bi = 32'(bid);
                if (b_due[bi] == 0)
                    fail(16, 64'(bid));
                b_due[bi] = b_due[bi] - 1;
                b_open[bi] = b_open[bi] - 1;
                writes_open_q = writes_open_q - 1;
            end
            if (awvalid && awready) begin
                check_burst(awaddr, awlen, awsize, awburst);
                check_kind(aw_kind, awaddr);
                bi = 32'(awid);
                if (b_open[bi] == DEPTH)
                    fail(11, awaddr);
                aw_len[aw_wr % ORDER] = awlen;
                aw_addr[aw_wr % ORDER] = awaddr;
                aw_id[aw_wr % ORDER] = awid;
                aw_wr = aw_wr + 1;
                b_open[bi] = b_open[bi] + 1;
                writes_open_q = writes_open_q + 1;
            end
            if (wvalid && wready) begin
                if (wstrb != {BEAT_BYTES{1'b1}})
                    fail(17, 0);
                w_beat = w_beat + 1;
                if (w_wr < aw_wr && wlast != (w_beat == 32'(aw_len[w_wr % ORDER]) + 1))
                    fail(14, aw_addr[w_wr % ORDER]);
                if (w_beat > MAX_BURST)
                    fail(14, 0);
                if (wlast) begin
                    w_len[w_wr % ORDER] = w_beat;
                    w_wr = w_wr + 1;
                    w_beat = 0;
                    if (w_wr - aw_rd > ORDER - 2)
                        fail(19, 0);
                end
            end
            while (aw_rd < aw_wr && w_rd < w_wr) begin
                if (w_len[w_rd % ORDER] != 32'(aw_len[aw_rd % ORDER]) + 1)
                    fail(14, aw_addr[aw_rd % ORDER]);
                bi = 32'(aw_id[aw_rd % ORDER]);
                b_due[bi] = b_due[bi] + 1;
                aw_rd = aw_rd + 1;
                w_rd = w_rd + 1;
            end
            w_alone = (w_wr > aw_wr || (w_beat > 0 && w_wr == aw_wr)) ? w_alone + 1 : 0;
            if (w_alone > DRAIN_CYCLES)
                fail(15, 0);
        end
endmodule

/* verilator lint_on BLKSEQ */
/* verilator lint_on UNUSEDSIGNAL */
`default_nettype wire
