// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_axi_read_arbiter. Checks that every client's requests go out once, in order, with the client's
// number as id; that R beats reach only the client of their id; that a client which always asks does not block the
// others; and that one request goes out per cycle if nothing stalls. After a reset, beats of earlier bursts must reach
// no client, and no request may go out until the last of these beats has come.
// Checks in messages: 1 a client waits too long, 2 id, 3 and 4 request, 5 and 6 beat at a client, 7 rate, 8 the run
// takes too long, 9 to 12 the reset while bursts are open.
// Sets for verif/modules/run.sh:
// sweep: CLIENTS=1 BEAT_BITS=256 ID_W=1
// sweep: CLIENTS=3 BEAT_BITS=64 ID_W=4
// sweep: CLIENTS=40 BEAT_BITS=64 ID_W=6
// quick: CLIENTS=3 BEAT_BITS=64 ID_W=4
`default_nettype none
`timescale 1ns / 1ps

module rill_axi_read_arbiter_tb;
    // Parameters without a comment are those of the module.
    parameter CLIENTS = 3;
    parameter BEAT_BITS = 64;
    parameter ID_W = 4;
    localparam COUNT = 200; // requests of each client

    reg                   clk = 0, rst = 1;
    integer               seed, idle, stall, c, cycles = 0, total = 0;
    reg  [CLIENTS-1:0]    c_arvalid = 0;
    wire [CLIENTS-1:0]    c_arready, c_rvalid;
    wire [CLIENTS-1:0]    c_rready = {CLIENTS{1'b1}};
    reg  [CLIENTS*64-1:0] c_araddr;
    reg  [CLIENTS*8-1:0]  c_arlen;
    wire [BEAT_BITS-1:0]  c_rdata;
    wire [1:0]            c_rresp;
    wire                  c_rlast;
    wire                  arvalid;
    reg                   arready = 0, rvalid = 0, rlast = 0;
    wire                  rready;
    wire [ID_W-1:0]       arid;
    reg  [ID_W-1:0]       rid = 0;
    wire [63:0]           araddr;
    wire [7:0]            arlen;
    wire [2:0]            arsize;
    wire [1:0]            arburst;
    reg  [BEAT_BITS-1:0]  rdata = 0;
    reg  [1:0]            rresp = 0;
    // Per client, sent: requests that it has offered. seen: requests of it that have left. waits: cycles in which other
    // clients' requests were taken while it waited. returned: R beats that were taken. came, came_id, came_beat: the R
    // beat of the previous cycle.
    integer               sent [0:CLIENTS-1];
    integer               seen [0:CLIENTS-1];
    integer               returned = 0, waits [0:CLIENTS-1], open = 0, swallowed = 0, after = 0;
    reg                   failed = 0;
    reg                   came = 0;
    reg  [ID_W-1:0]       came_id;
    reg  [BEAT_BITS+2:0]  came_beat;

    rill_axi_read_arbiter #(.CLIENTS(CLIENTS), .BEAT_BITS(BEAT_BITS), .ID_W(ID_W)) dut (
        .clk(clk), .rst(rst), .s_axi_arvalid(c_arvalid), .s_axi_arready(c_arready), .s_axi_araddr(c_araddr),
        .s_axi_arlen(c_arlen),
        .s_axi_rvalid(c_rvalid), .s_axi_rready(c_rready), .s_axi_rdata(c_rdata), .s_axi_rresp(c_rresp),
        .s_axi_rlast(c_rlast),
        .m_axi_arvalid(arvalid), .m_axi_arready(arready), .m_axi_arid(arid), .m_axi_araddr(araddr), .m_axi_arlen(arlen),
        .m_axi_arsize(arsize), .m_axi_arburst(arburst), .m_axi_rvalid(rvalid), .m_axi_rready(rready), .m_axi_rid(rid),
        .m_axi_rdata(rdata), .m_axi_rresp(rresp), .m_axi_rlast(rlast));
    always #1 clk = !clk;

    // Returns 1 in `percent` percent of its calls.
    function chance(input integer percent);
        chance = $urandom_range(99) < percent;
    endfunction

    // Prints the number of the first check that fails, and ends the run.
    task fail(input integer what);
        begin
            if (!failed)
                $display("FAIL: check %0d at cycle %0d", what, cycles);
            failed = 1;
            $finish;
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        c = $urandom(seed);
        for (c = 0; c < CLIENTS; c = c + 1) begin
            sent[c] = 0;
            seen[c] = 0;
            waits[c] = 0;
        end
        repeat (3) @(posedge clk);
        rst <= 0;
    end

    always @(posedge clk) if (!rst && !failed) begin
        cycles = cycles + 1;
        for (c = 0; c < CLIENTS; c = c + 1) begin
            if (c_arvalid[c] && c_arready[c]) begin
                c_arvalid[c] <= 0;
                waits[c] = 0;
            end
            if (c_arvalid[c] && !c_arready[c] && |(c_arvalid & c_arready))
                waits[c] = waits[c] + 1;
            if (waits[c] >= CLIENTS) fail(1);
            if ((!c_arvalid[c] || c_arready[c]) && sent[c] < COUNT && !chance(idle)) begin
                c_arvalid[c] <= 1;
                c_araddr[c*64 +: 64] <= {c[31:0], sent[c][31:0]};
                c_arlen[c*8 +: 8] <= sent[c][7:0] ^ c[7:0];
                sent[c] = sent[c] + 1;
            end
        end
        arready <= !chance(stall);
        if (arvalid && arready) begin
            c = arid;
            if (c >= CLIENTS) fail(2);
            else begin
                if (araddr !== {c[31:0], seen[c][31:0]} || arlen !== (seen[c][7:0] ^ c[7:0])) fail(3);
                seen[c] = seen[c] + 1;
                total = total + 1;
            end
            if (arsize !== $clog2(BEAT_BITS / 8) || arburst !== 2'b01) fail(4);
        end
        // A client gets a beat one cycle after the arbiter has taken it.
        if (came && (c_rvalid !== 1 << came_id || {c_rdata, c_rresp, c_rlast} !== came_beat)) fail(5);
        if (!came && c_rvalid !== 0) fail(6);
        came = rvalid && rready;
        came_id = rid;
        came_beat = {rdata, rresp, rlast};
        if (!rvalid || rready) begin
            if (rvalid)
                returned = returned + 1;
            rvalid <= !chance(idle);
            rid <= $urandom % CLIENTS;
            rdata <= {(BEAT_BITS / 32){$urandom}};
            rresp <= $urandom;
            rlast <= $urandom;
        end
        if (total == CLIENTS * COUNT && returned > 100 && !failed) begin
            // One request must go out per cycle. 120 cycles are for the start and the 100 beats that must return.
            if (idle == 0 && stall == 0 && cycles > total + 120) fail(7);
            if (!failed)
                reset_in_the_middle;
            if (!failed)
                $display("PASS");
            failed = 1;
            $finish;
        end
        if (cycles > 20000) fail(8);
    end

    // Counts the requested bursts whose last beat has not come. The memory here also sends beats without a request.
    always @(posedge clk)
        if ((arvalid && arready) != (rvalid && rready && rlast))
            open = arvalid && arready ? open + 1 : open > 0 ? open - 1 : 0;

    // Resets the arbiter while bursts are open. Beats of these bursts must be taken and dropped. Then requests must go
    // out again.
    task reset_in_the_middle;
        begin
            rvalid <= 0;
            arready <= 1;
            @(posedge clk);
            rst <= 1;
            @(posedge clk);
            #0.1 if (rready !== 1'b1 && rready !== 1'b0) fail(9);
            repeat (2) @(posedge clk);
            rst <= 0;
            c_arvalid <= {CLIENTS{1'b1}};
            if (open == 0) fail(10);
            while (open > 0 && !failed) begin
                rvalid <= 1;
                rlast <= chance(50);
                @(posedge clk);
                #0.1 if (c_rvalid !== 0 || arvalid !== 0) fail(11);
                swallowed = swallowed + 1;
                #0.1 if (open == 1 && rlast && rready) begin
                    @(posedge clk);
                    rvalid <= 0;
                    rlast <= 0;
                    #0.1;
                end
            end
            repeat (5) @(posedge clk);
            #0.1 if (!failed && arvalid !== 1'b1) fail(12);
        end
    endtask
endmodule
