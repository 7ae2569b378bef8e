// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_burst_splitter. The bursts of random descriptors must cover their beats in order. Each has at most
// MAX_BURST beats and stays inside 4 KiB. Also checks the rate of one burst per cycle if nothing stalls, and that busy
// is low at the end. No flush is used here.
// Checks in messages: 1 address, 2 length, 3 a 4 KiB boundary is crossed.
// Sets for verif/modules/run.sh:
// sweep: BEAT_BITS=256 MAX_BURST=16
// sweep: BEAT_BITS=512 MAX_BURST=64
// sweep: BEAT_BITS=256 MAX_BURST=1
// quick: BEAT_BITS=256 MAX_BURST=16
// quick: BEAT_BITS=512 MAX_BURST=64
`default_nettype none
`timescale 1ns / 1ps

module rill_burst_splitter_tb;
    // Parameters without a comment are those of the module.
    parameter BEAT_BITS = 256;
    parameter MAX_BURST = 16;
    localparam BYTES = BEAT_BITS / 8;
    localparam COUNT = 300; // descriptors

    reg         clk = 0;
    reg         rst = 1;
    integer     seed, idle, stall;
    reg  [63:0] base = 64'h1_2345_6000;
    reg         flush = 0;
    wire        busy;
    reg         s_valid = 0;
    wire        s_ready;
    reg  [55:0] s_data;
    wire        m_valid;
    reg         m_ready = 0;
    wire [72:0] m_data;

    rill_burst_splitter #(.BEAT_BITS(BEAT_BITS), .MAX_BURST(MAX_BURST)) dut (
        .clk(clk), .rst(rst), .base(base), .flush(flush), .busy(busy),
        .s_axis_desc_tvalid(s_valid), .s_axis_desc_tready(s_ready), .s_axis_desc_tdata(s_data),
        .m_axis_burst_tvalid(m_valid), .m_axis_burst_tready(m_ready), .m_axis_burst_tdata(m_data));

    always #1 clk = !clk;

    reg  [15:0] beats [0:COUNT-1];
    reg  [39:0] offset [0:COUNT-1];
    // got: descriptors whose bursts have begun to leave. left: beats of the latest of these descriptors that have not
    // left. addr: address of the next of these beats.
    integer     sent = 0, got = 0, left, cycles = 0, bursts = 0, i;
    reg  [63:0] addr;
    reg         failed = 0;

    // Returns 1 in `percent` percent of its calls.
    function chance(input integer percent);
        chance = $urandom_range(99) < percent;
    endfunction

    // Prints the number of the first check that fails, and ends the run.
    task fail(input integer what);
        begin
            if (!failed)
                $display("FAIL: check %0d, descriptor %0d, burst %h of %0d beats, expected address %h, %0d left", what,
                    got, m_data[63:0],
                         m_data[72:64], addr, left);
            failed = 1;
            $finish;
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        i = $urandom(seed);
        for (i = 0; i < COUNT; i = i + 1) begin
            beats[i] = chance(10) ? 0 : chance(20) ? $urandom_range(2000) : $urandom_range(40);
            offset[i] = {8'd0, $urandom} / BYTES * BYTES;
        end
        repeat (4) @(posedge clk);
        rst <= 0;
    end

    always @(posedge clk) if (!rst) begin
        cycles = cycles + 1;
        if (s_valid && s_ready)
            s_valid <= 0;
        if ((!s_valid || s_ready) && sent < COUNT && !chance(idle)) begin
            s_valid <= 1;
            s_data <= {beats[sent], offset[sent]};
            sent = sent + 1;
        end
        m_ready <= !chance(stall);
        if (m_valid && m_ready && !failed) begin
            while (left == 0 && got < COUNT)
                next;
            bursts = bursts + 1;
            if (m_data[63:0] !== addr) fail(1);
            if (m_data[72:64] == 0 || m_data[72:64] > left || m_data[72:64] > MAX_BURST) fail(2);
            if (m_data[63:12] !== ((m_data[63:0] + m_data[72:64] * BYTES - 1) >> 12)) fail(3);
            addr = addr + m_data[72:64] * BYTES;
            left = left - m_data[72:64];
            while (left == 0 && got < COUNT)
                next;
        end
        if (got == COUNT && left == 0 && !failed) begin
            // About one descriptor in ten has no beats and takes a cycle without a burst; 50 cycles are for the start.
            if (idle == 0 && stall == 0 && cycles > bursts + COUNT / 8 + 50) begin
                $display("FAIL: %0d cycles for %0d bursts", cycles, bursts);
                failed = 1;
            end
            finish_with_flush;
        end
        if (cycles > 200000) begin
            $display("FAIL: timeout");
            $finish;
        end
    end

    initial left = 0;

    // Goes on to the next descriptor.
    task next;
        begin
            left = beats[got];
            addr = base + offset[got];
            got = got + 1;
        end
    endtask

    // Checks that busy is low after some cycles, and ends the run.
    task finish_with_flush;
        begin
            got = COUNT + 1;
            fork
                begin
                    repeat (8) @(posedge clk);
                    if (busy && !failed) begin
                        $display("FAIL: busy at the end");
                        failed = 1;
                    end
                    if (!failed)
                        $display("PASS");
                    $finish;
                end
            join_none
        end
    endtask
endmodule
