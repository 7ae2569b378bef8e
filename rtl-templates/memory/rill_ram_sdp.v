// SPDX-License-Identifier: Apache-2.0
// Simple dual-port RAM: one write port, one read port, one clock, registered read.
//
// In a cycle with read_en, the RAM reads the word at read_addr. The word is on read_data LATENCY cycles later and stays
// there until the word of the next read replaces it. LATENCY 2 uses the RAM's output register. If an address is read
// and written in the same cycle, a simulation gives the old word, but a RAM of the device need not. So no user may
// depend on the word that such a read gives.
// write_strobe selects what write_en writes. With BYTE_EN 1, it has one bit for each byte of 8 bits. With BYTE_EN 0, it
// has one bit for the whole word.
// There is no reset, and the contents are unknown at first.
//
// name       meaning                                         unit    range
// DATA_W     width of a word; whole bytes with BYTE_EN       bits    1 or more
// DEPTH      words                                           words   1 or more
// RAM_STYLE  style of the storage; "auto": the tool chooses  -       "auto", "distributed", "block", "ultra"
// BYTE_EN    1: a strobe for each byte                       -       0, 1
// LATENCY    cycles from the address to the data             clocks  1, 2
// ADDR_W     width of an address                             bits    derived
// STROBE_W   width of write_strobe                           bits    derived
`default_nettype none

module rill_ram_sdp #(
    parameter DATA_W = 0,
    parameter DEPTH = 0,
    parameter RAM_STYLE = "auto",
    parameter BYTE_EN = 0,
    parameter LATENCY = 1,
    parameter ADDR_W = DEPTH > 1 ? $clog2(DEPTH) : 1,
    parameter STROBE_W = BYTE_EN == 1 ? DATA_W / 8 : 1
) (
    input  wire                clk,
    input  wire                write_en,
    input  wire [ADDR_W-1:0]   write_addr,
    input  wire [STROBE_W-1:0] write_strobe,
    input  wire [DATA_W-1:0]   write_data,
    input  wire                read_en,
    input  wire [ADDR_W-1:0]   read_addr,
    output wire [DATA_W-1:0]   read_data
);
    // Strings of equal width, so that they compare without warnings.
    localparam WIDE_STYLE = {88'd0, RAM_STYLE};
    localparam [87:0] STYLE = WIDE_STYLE[87:0];
    localparam [87:0] AUTO = {56'd0, "auto"};
    localparam [87:0] BLOCK = {48'd0, "block"};
    localparam [87:0] ULTRA = {48'd0, "ultra"};
    localparam [87:0] DISTRIBUTED = "distributed";

    generate
        if (DATA_W < 1 || DEPTH < 1) begin : gen_bad_size
            rill_error_DATA_W_and_DEPTH_must_be_at_least_1 u_error ();
        end
        if (LATENCY != 1 && LATENCY != 2) begin : gen_bad_latency
            rill_error_LATENCY_must_be_1_or_2 u_error ();
        end
        if (BYTE_EN != 0 && (BYTE_EN != 1 || DATA_W % 8 != 0)) begin : gen_bad_bytes
            rill_error_BYTE_EN_must_be_0_or_1_with_DATA_W_in_whole_bytes u_error ();
        end
        if (STYLE != AUTO && STYLE != DISTRIBUTED && STYLE != BLOCK && STYLE != ULTRA) begin : gen_bad_style
            rill_error_RAM_STYLE_must_be_auto_distributed_block_or_ultra u_error ();
        end
    endgenerate

    (* ram_style = RAM_STYLE *) reg [DATA_W-1:0] mem [0:DEPTH-1];
    reg  [DATA_W-1:0] word_q;

    generate
        if (BYTE_EN == 1) begin : gen_bytes
            integer b;
            always @(posedge clk)
                if (write_en)
                    for (b = 0; b < STROBE_W; b = b + 1)
                        if (write_strobe[b])
                            mem[write_addr][b*8 +: 8] <= write_data[b*8 +: 8];
        end else begin : gen_words
            always @(posedge clk)
                if (write_en && write_strobe[0])
                    mem[write_addr] <= write_data;
        end

        if (LATENCY == 1) begin : gen_direct
            assign read_data = word_q;
        end else begin : gen_output
            reg               read_q;
            reg  [DATA_W-1:0] out_q;
            always @(posedge clk) begin
                read_q <= read_en;
                if (read_q)
                    out_q <= word_q;
            end
            assign read_data = out_q;
        end
    endgenerate

    always @(posedge clk)
        if (read_en)
            word_q <= mem[read_addr];
endmodule

`default_nettype wire
