// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_ram_sdp. Writes random data (with byte strobes if BYTE_EN is 1) and compares each read with a copy
// of the memory. Also checks the latency and that read_data does not change until the next read.
// Sets for verif/modules/run.sh:
// sweep: DATA_W=32 DEPTH=16 BYTE_EN=0 LATENCY=1
// sweep: DATA_W=64 DEPTH=37 BYTE_EN=1 LATENCY=1
// sweep: DATA_W=9 DEPTH=1 BYTE_EN=0 LATENCY=2
// sweep: DATA_W=24 DEPTH=100 BYTE_EN=1 LATENCY=2
// quick: DATA_W=32 DEPTH=16 BYTE_EN=0 LATENCY=1
// quick: DATA_W=64 DEPTH=37 BYTE_EN=1 LATENCY=1
// quick: DATA_W=24 DEPTH=100 BYTE_EN=1 LATENCY=2
`default_nettype none
`timescale 1ns / 1ps

module rill_ram_sdp_tb;
    // Parameters without a comment are those of the module.
    parameter DATA_W = 32;
    parameter DEPTH = 16;
    parameter BYTE_EN = 0;
    parameter LATENCY = 1;
    localparam ADDR_W = DEPTH > 1 ? $clog2(DEPTH) : 1;
    localparam STROBE_W = BYTE_EN == 1 ? DATA_W / 8 : 1;
    wire                clk, rst;
    reg                 write_en = 0, read_en = 0;
    reg  [ADDR_W-1:0]   write_addr, read_addr;
    reg  [STROBE_W-1:0] strobe = 1;
    reg  [DATA_W-1:0]   write_data;
    wire [DATA_W-1:0]   read_data;
    reg  [DATA_W-1:0]   copy [0:DEPTH-1];
    reg  [DATA_W-1:0]   due1, due2;          // expected read_data with LATENCY 1 and 2
    reg                 known1 = 0, known2 = 0, read_q = 0; // known1, known2: a read has set due1, due2
    integer             i, n, seed;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_ram_sdp #(.DATA_W(DATA_W), .DEPTH(DEPTH), .BYTE_EN(BYTE_EN), .LATENCY(LATENCY)) dut (.clk(clk),
        .write_en(write_en),
        .write_addr(write_addr), .write_strobe(strobe), .write_data(write_data), .read_en(read_en),
        .read_addr(read_addr),
        .read_data(read_data));

    always @(posedge clk) begin
        if (read_q) begin
            due2 = due1;
            known2 = known1;
        end
        if (read_en) begin
            due1 = copy[read_addr];
            known1 = 1;
        end
        read_q = read_en;
        if (write_en)
            for (i = 0; i < DATA_W; i = i + 1)
                if (BYTE_EN == 0 || strobe[i / 8])
                    copy[write_addr][i] = write_data[i];
    end

    // Checks read_data. Then starts a write if `write` is 1 and a read if `read` is 1, both at random addresses.
    task step(input integer write, input integer read);
        begin
            @(negedge clk);
            if (LATENCY == 1 ? known1 && read_data !== due1 : known2 && read_data !== due2) begin
                $display("FAIL: read %h instead of %h at %0t", read_data, LATENCY == 1 ? due1 : due2, $time);
                $finish;
            end
            write_en = write;
            read_en = read;
            write_addr = $unsigned($random(seed)) % DEPTH;
            read_addr = $unsigned($random(seed)) % DEPTH;
            write_data = {$random(seed), $random(seed)};
            strobe = BYTE_EN == 1 ? $random(seed) : 1'b1;
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        for (n = 0; n < DEPTH; n = n + 1) begin
            step(1, 0);
            write_addr = n;
            strobe = {STROBE_W{1'b1}};
        end
        for (n = 0; n < 2000; n = n + 1)
            step($random(seed) & 1, $random(seed) & 1);
        $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
