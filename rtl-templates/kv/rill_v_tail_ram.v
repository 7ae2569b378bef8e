// SPDX-License-Identifier: Apache-2.0
// Stores one lane of the V tail. Bytes are written, and whole words are read.
//
// Write: bit i of write_enable writes byte i of the word, byte 0 with write_first and every other byte with write_rest.
// Other bytes keep their contents. write_enable has a bit for each byte, from registers, because an index would have to
// be decoded for every bit of the word.
// Read: data two cycles after the address (registered read, output register). If the word is written in the same cycle,
// the read gives the old contents.
// Throughput: one write and one read per cycle. No reset.
//
// name       meaning               unit   range
// BEAT_BITS  width of a word       bits   256, 512
// WORDS      words of the memory   words  1 or more
// RAM_STYLE  style of the storage  -      "auto", "distributed", "block", "ultra"
// ADDR_W     width of an address   bits   derived
`default_nettype none

module rill_v_tail_ram #(
    parameter BEAT_BITS = 0,
    parameter WORDS = 0,
    parameter RAM_STYLE = "auto",
    parameter ADDR_W = WORDS > 1 ? $clog2(WORDS) : 1
) (
    input  wire                         clk,
    input  wire [BEAT_BITS/8-1:0]       write_enable,
    input  wire [ADDR_W-1:0]            write_addr,
    input  wire [7:0]                   write_first,
    input  wire [7:0]                   write_rest,
    input  wire [ADDR_W-1:0]            read_addr,
    output wire [BEAT_BITS-1:0]         read_data
);
    localparam BYTES = BEAT_BITS / 8;

    generate
        if (BEAT_BITS != 256 && BEAT_BITS != 512) begin : gen_bad_beat
            rill_error_BEAT_BITS_must_be_256_or_512 u_error ();
        end
        if (WORDS < 1) begin : gen_bad_words
            rill_error_WORDS_must_be_at_least_1 u_error ();
        end
    endgenerate

    (* ram_style = RAM_STYLE *) reg [BEAT_BITS-1:0] mem [0:WORDS-1];
    reg  [BEAT_BITS-1:0] word_q;
    reg  [BEAT_BITS-1:0] data_q;
    integer n;
    always @(posedge clk) begin
        word_q <= mem[read_addr];
        data_q <= word_q;
    end
`ifndef RILL_FAST_SIM
    always @(posedge clk)
        for (n = 0; n < BYTES; n = n + 1)
            if (write_enable[n])
                mem[write_addr][n*8 +: 8] <= n == 0 ? write_first : write_rest;
`else
    // The result is equal to the other form, but in one write of the word. With the other form, a simulator would
    // select every byte separately in each cycle.
    function [BEAT_BITS-1:0] written;
        input [BEAT_BITS-1:0] word;
        begin
            written = word;
            for (n = 0; n < BYTES; n = n + 1)
                if (write_enable[n])
                    written[n*8 +: 8] = n == 0 ? write_first : write_rest;
        end
    endfunction
    always @(posedge clk)
        if (|write_enable)
            mem[write_addr] <= written(mem[write_addr]);
`endif
    assign read_data = data_q;

    wire unused = &{1'b0, RAM_STYLE};
endmodule

`default_nettype wire
