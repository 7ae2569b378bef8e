// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_v_tail_ram. Compares it with an array of bytes, under three kinds of random writes: one byte; byte
// 0 while the rest of the word is cleared; a whole word of zeros. Data must come 2 cycles after the address. If the
// word is written in the cycle of the read, they must be the old contents.
// Sets for verif/modules/run.sh (form=fast defines RILL_FAST_SIM):
// sweep: BEAT_BITS=256 WORDS=6
// sweep: BEAT_BITS=512 WORDS=1
// sweep: BEAT_BITS=512 WORDS=16
// sweep: BEAT_BITS=256 WORDS=300
// sweep: BEAT_BITS=256 WORDS=6 form=fast
// sweep: BEAT_BITS=512 WORDS=1 form=fast
// sweep: BEAT_BITS=512 WORDS=16 form=fast
// sweep: BEAT_BITS=256 WORDS=300 form=fast
// quick: BEAT_BITS=256 WORDS=6
// quick: BEAT_BITS=512 WORDS=5
// quick: BEAT_BITS=512 WORDS=5 form=fast
`default_nettype none
`timescale 1ns / 1ps

module rill_v_tail_ram_tb;
    // Parameters without a comment are those of the module.
    parameter BEAT_BITS = 256;
    parameter WORDS = 6;
    localparam ADDR_W = WORDS > 1 ? $clog2(WORDS) : 1;
    localparam BYTES = BEAT_BITS / 8;
    localparam BYTE_W = $clog2(BYTES);
    localparam CYCLES = 6000;

    wire                 clk, rst;
    reg                  write = 0, clear = 0, zero = 0;
    reg  [ADDR_W-1:0]    write_addr, read_addr;
    reg  [BYTE_W-1:0]    write_place;
    reg  [7:0]           write_data;
    reg  [BYTES-1:0]     own;
    wire [BEAT_BITS-1:0] read_data;
    reg  [BEAT_BITS-1:0] due [0:1];
    reg  [7:0]           bytes [0:WORDS*BYTES-1];
    integer              n, k, at, seed, idle, same = 0; // same: reads of a word in the cycle in which it is written

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    always @* begin
        own = {BYTES{1'b0}};
        own[write_place] = 1'b1;
    end
    rill_v_tail_ram #(.BEAT_BITS(BEAT_BITS), .WORDS(WORDS)) dut (.clk(clk),
        .write_enable({BYTES{write}} & ({BYTES{clear}} | own)),
        .write_addr(write_addr), .write_first(zero ? 8'd0 : write_data), .write_rest(clear ? 8'd0 : write_data),
        .read_addr(read_addr), .read_data(read_data));

    // Writes to the array. The bench reads the array before this call, so a read in the same cycle gets the old
    // contents.
    task take_write;
        for (k = 0; k < BYTES; k = k + 1)
            if (k == write_place)
                bytes[write_addr*BYTES + k] = zero && clear ? 8'd0 : write_data;
            else if (clear)
                bytes[write_addr*BYTES + k] = 8'd0;
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        for (n = 0; n < CYCLES; n = n + 1) begin
            @(negedge clk);
            if (n > WORDS + 2 && read_data !== due[1]) begin
                $display("FAIL: cycle %0d: %h instead of %h", n, read_data, due[1]);
                $finish;
            end
            due[1] = due[0];
            // First every word is cleared. Then writes prefer the first two words, and reads prefer the word that is
            // written.
            write = n < WORDS || $unsigned($random(seed)) % 100 >= idle;
            clear = n < WORDS || $unsigned($random(seed)) % 8 == 0;
            zero = clear && $unsigned($random(seed)) % 2 == 0;
            write_addr = n < WORDS ? n : $unsigned($random(seed)) % ($unsigned($random(seed)) % 2 == 0 && WORDS > 2 ? 2
                : WORDS);
            write_place = clear ? 0 : $random(seed);
            write_data = $random(seed);
            read_addr = n > WORDS && $unsigned($random(seed)) % 2 == 0 ? write_addr : $unsigned($random(seed)) % WORDS;
            if (n > WORDS && write && read_addr == write_addr) same = same + 1;
            for (k = 0; k < BYTES; k = k + 1)
                due[0][8*k +: 8] = bytes[read_addr*BYTES + k];
            if (write) take_write;
        end
        if (same < 1000) $display("FAIL: %0d reads of a word while it is written", same);
        else $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
