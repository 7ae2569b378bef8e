// SPDX-License-Identifier: Apache-2.0
// Testbench of axi_copy. It compares the copy with the source. It does not check AXI itself: rill_axi_checker watches
// the port between axi_copy and a memory with random wait states.
//
// +fault=N plants a fault in the memory (default 0: none). 11: rlast is missing. 12: B comes before the last beat.
// 13: rvalid is withdrawn. 14: no B comes. The parameter FAULT plants a fault in axi_copy: 1 to 6, default 0: none.
`default_nettype none
`timescale 1ns / 1ps

module axi_copy_tb;
    parameter FAULT = 0;
    localparam BEAT_BITS = 64;
    localparam BEATS = 4;
    localparam BURSTS = 8;
    localparam [63:0] TO = 64'h10000; // address of the copy
    localparam WORDS = BEATS * BURSTS;

    reg                    clk = 0, rst = 1;
    wire                   done, arvalid, awvalid, wvalid, wlast, rready, bready;
    reg                    arready = 0, awready = 0, wready = 0, rvalid = 0, bvalid = 0, rlast = 0;
    wire [63:0]            araddr, awaddr;
    wire [7:0]             arlen, awlen;
    wire [2:0]             arsize, awsize;
    wire [1:0]             arburst, awburst;
    wire [3:0]             arcache, awcache;
    reg  [BEAT_BITS-1:0]   rdata = 0;
    wire [BEAT_BITS-1:0]   wdata;
    wire [BEAT_BITS/8-1:0] wstrb;
    wire [31:0]            reads_open, writes_open;

    axi_copy #(.BEAT_BITS(BEAT_BITS), .BEATS(BEATS), .BURSTS(BURSTS), .TO(TO), .FAULT(FAULT)) dut (.*);

    // The checker has every pin of an AXI port; pins that axi_copy lacks are tied to their default values.
    rill_axi_checker #(.BEAT_BITS(BEAT_BITS), .ID_W(1), .MAX_BURST(16), .OUTSTANDING(1)) u_checker (
        .clk(clk), .rst(rst), .arvalid(arvalid), .arready(arready), .arid(1'b0), .araddr(araddr), .arlen(arlen),
        .arsize(arsize),
        .arburst(arburst), .arlock(1'b0), .arcache(arcache), .arprot(3'd0), .arqos(4'd0), .rvalid(rvalid),
        .rready(rready), .rid(1'b0),
        .rdata(rdata), .rresp(2'd0), .rlast(rlast), .awvalid(awvalid), .awready(awready), .awid(1'b0), .awaddr(awaddr),
        .awlen(awlen),
        .awsize(awsize), .awburst(awburst), .awlock(1'b0), .awcache(awcache), .awprot(3'd0), .awqos(4'd0),
        .wvalid(wvalid),
        .wready(wready), .wdata(wdata), .wstrb(wstrb), .wlast(wlast), .bvalid(bvalid), .bready(bready), .bid(1'b0),
        .bresp(2'd0),
        .reads_open(reads_open), .writes_open(writes_open));

    always #1 clk = !clk;

    // The memory. Word n of the source is word(n); `got` keeps the words that axi_copy writes.
    integer               fault = 0, seed = 1, to_read = 0, read_at = 0, copied = 0, i;
    reg                   addressed = 0, filled = 0;
    reg [BEAT_BITS-1:0]   got [0:WORDS-1];

    // Returns 1 with a chance of about 1 in 3. A function must have an input in Verilog.
    function now(input integer unused);
        now = $random(seed) % 3 == 0;
    endfunction
    function [BEAT_BITS-1:0] word(input integer place);
        word = {32'hC0DE0000 + place, ~place};
    endfunction

    task take;                               // counts the transfers of this clock edge
        begin
            if (arvalid && arready) begin
                to_read = 32'(arlen) + 1;
                read_at = araddr[31:0] / (BEAT_BITS / 8);
            end
            if (rvalid && rready) begin
                to_read = to_read - 1;
                read_at = read_at + 1;
            end
            if (awvalid && awready)
                addressed = 1;
            if (wvalid && wready) begin
                if (copied < WORDS) got[copied] = wdata;
                copied = copied + 1;
                filled = wlast || fault == 12;
            end
        end
    endtask

    always @(posedge clk)
        if (!rst) begin
            take;
            arready <= to_read == 0 && now(0);
            awready <= !addressed && now(0);
            wready <= now(0);
            if (rvalid && (rready || (fault == 13 && now(0))))
                rvalid <= 0;
            else if (!rvalid && to_read > 0 && now(0)) begin
                rvalid <= 1;
                rdata <= word(read_at);
                rlast <= to_read == 1 && fault != 11;
            end
            if (bvalid && bready)
                bvalid <= 0;
            else if (addressed && filled && now(0)) begin
                bvalid <= fault != 14;
                addressed = 0;
                filled = 0;
            end
        end

    initial begin
        if (!$value$plusargs("fault=%d", fault)) fault = 0;
        repeat (4) @(negedge clk);
        rst = 0;
        for (i = 0; i < 4000 && !done; i = i + 1) @(negedge clk);
        repeat (4) @(negedge clk);
        if (reads_open != 0 || writes_open != 0) $display("FAIL: %0d reads and %0d writes are open", reads_open,
            writes_open);
        else if (!done) $display("FAIL: not done");
        else begin
            for (i = 0; i < WORDS && got[i] === word(i); i = i + 1) ;
            if (i == WORDS && copied == WORDS) $display("PASS");
            else $display("FAIL: word %0d is %h", i, got[i]);
        end
        $finish;
    end
endmodule

`default_nettype wire
