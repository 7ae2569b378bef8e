// SPDX-License-Identifier: Apache-2.0
// On-chip store for the vector parameters of one kernel (docs/memory.md). They are loaded at a start, or kept from an
// earlier load, and then sent to the kernel again and again in a ring.
//
// Load: a pulse on load_start begins a load. Each cycle with load_valid brings one piece, which is a beat or a part of
// a beat (rill_param_loader). Either a piece holds several words, or a word consists of several pieces. In both cases
// the first one is in the low bits. Pieces after the WORDS-th word are ignored, and so is the padding of the last
// piece.
// Instead of pieces, a pulse on keep may follow load_start. It makes the contents of the latest complete load valid
// again, also after a reset, because a reset does not clear the RAM.
// Read: m_axis_param gives words 0 .. WORDS-1 and starts over. It gives none before the load is complete. The reader
// pops one word per chunk, with the chunk's last token. Throughput: one word per cycle. Latency 4 cycles from the last
// piece to word 0.
// Like a reset, load_start withdraws a word that is offered on m_axis_param but not taken yet.
// HOPS: the store may be on another die than the loader. load_start, keep and load_valid pass HOPS register stages
// (u_hop), which lengthen the latency by HOPS. load_data has no stages here. It must arrive HOPS cycles after
// load_valid, because several stores share its register stages outside this module.
// Reset: clk, synchronous active-high rst; control only. The contents are invalid until the next load or keep.
//
// name       meaning                                             unit    range
// LOAD_BITS  width of a piece; a multiple or divisor of WORD_W   bits    1 or more
// WORD_W     width of a word                                     bits    1 or more
// WORDS      words of the ring                                   words   1 or more
// RAM_STYLE  style of the storage                                -       "auto", "distributed", "block", "ultra"
// HOPS       register stages from the loader to the store        clocks  0 or more
`default_nettype none

module rill_param_store #(
    parameter LOAD_BITS = 0,
    parameter WORD_W = 0,
    parameter WORDS = 0,
    parameter RAM_STYLE = "auto",
    parameter HOPS = 0
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire                 load_start,
    input  wire                 keep,
    input  wire                 load_valid,
    input  wire [LOAD_BITS-1:0] load_data,
    output wire                 m_axis_param_tvalid,
    input  wire                 m_axis_param_tready,
    output wire [WORD_W-1:0]    m_axis_param_tdata
);
    // The RAM is as wide as the wider of piece and word: a line has PIECES pieces or SPLIT words.
    localparam LINE_W = WORD_W > LOAD_BITS ? WORD_W : LOAD_BITS;
    localparam NARROW = WORD_W > LOAD_BITS ? LOAD_BITS : WORD_W;
    localparam PIECES = LOAD_BITS > 0 ? LINE_W / LOAD_BITS : 1;
    localparam SPLIT = WORD_W > 0 ? LINE_W / WORD_W : 1;
    localparam LINES = (WORDS + SPLIT - 1) / SPLIT;
    localparam ADDR_W = LINES > 1 ? $clog2(LINES) : 1;
    localparam PIECE_W = PIECES > 1 ? $clog2(PIECES) : 1;
    localparam SPLIT_W = SPLIT > 1 ? $clog2(SPLIT) : 1;
    localparam [31:0] LAST_LINE_32 = LINES - 1;
    localparam [31:0] LAST_PIECE_32 = PIECES - 1;
    localparam [31:0] LAST_SPLIT_32 = SPLIT - 1;
    localparam [31:0] END_SPLIT_32 = WORDS - 1 - (LINES - 1) * SPLIT;        // place of the last word in the last line
    localparam [ADDR_W-1:0] LAST_LINE = LAST_LINE_32[ADDR_W-1:0];
    localparam [PIECE_W-1:0] LAST_PIECE = LAST_PIECE_32[PIECE_W-1:0];
    localparam [SPLIT_W-1:0] LAST_SPLIT = LAST_SPLIT_32[SPLIT_W-1:0];
    localparam [SPLIT_W-1:0] END_SPLIT = END_SPLIT_32[SPLIT_W-1:0];

    generate
        if (LOAD_BITS < 1 || WORD_W < 1 || WORDS < 1) begin : gen_bad_size
            rill_error_LOAD_BITS_WORD_W_and_WORDS_must_be_at_least_1 u_error ();
        end else if (PIECES * SPLIT * NARROW != LINE_W) begin : gen_bad_ratio
            rill_error_one_of_LOAD_BITS_and_WORD_W_must_divide_the_other u_error ();
        end
    endgenerate

    wire                 start;
    wire                 kept;
    wire                 brought;
    wire [LOAD_BITS-1:0] beat = load_data;      // a beat, or the part of one that LOAD_BITS takes
    // These stages are on the dies along the way. They have no reset. Their inputs are 0 in a reset, so a reset of HOPS
    // cycles fills them with zeros.
    rill_hop #(.DATA_W(3), .STAGES(HOPS)) u_hop (.clk(clk), .rst(1'b0),
        .d({load_start, keep, load_valid}), .q({start, kept, brought}));
    wire restart = rst || start;

    // ---- load: collect a line, write it ----
    reg                loading_q;
    reg  [LINE_W-1:0]  line_q;
    reg  [PIECE_W-1:0] piece_q;
    reg                write_q;              // line_q is complete
    reg  [ADDR_W-1:0]  write_addr_q;
    reg                full_q;               // every line has been loaded
    wire               bring = brought && loading_q;
    wire               last_write = write_q && write_addr_q == LAST_LINE;
    always @(posedge clk)
        if (restart) begin
            loading_q <= !rst;
            piece_q <= {PIECE_W{1'b0}};
            write_q <= 1'b0;
            write_addr_q <= {ADDR_W{1'b0}};
            full_q <= 1'b0;
        end else begin
            write_q <= bring && piece_q == LAST_PIECE && !last_write;
            if (bring)
                piece_q <= piece_q == LAST_PIECE ? {PIECE_W{1'b0}} : piece_q + 1'b1;
            if (write_q)
                write_addr_q <= write_addr_q + 1'b1;
            if (last_write || kept) begin
                full_q <= 1'b1;
                loading_q <= 1'b0;
            end
        end
    generate
        if (PIECES == 1) begin : gen_whole
            always @(posedge clk)
                if (bring)
                    line_q <= beat;
        end else begin : gen_collect
            always @(posedge clk)
                if (bring)
                    line_q <= {beat, line_q[LINE_W-1:LOAD_BITS]};
        end
    endgenerate

    // ---- read: the words of a line leave while the RAM's register holds the next line ----
    reg  [ADDR_W-1:0]  read_addr_q;
    reg                ahead_valid_q;
    reg                ahead_last_q;         // the line ahead is the last one of the ring
    wire [LINE_W-1:0]  ahead;
    reg                out_valid_q;
    reg                out_last_q;
    reg  [LINE_W-1:0]  out_q;
    reg  [SPLIT_W-1:0] split_q;              // place of the word in its line
    wire               sent = out_valid_q && m_axis_param_tready;
    wire               line_sent = sent && (split_q == LAST_SPLIT || (out_last_q && split_q == END_SPLIT));
    wire               move = ahead_valid_q && (line_sent || !out_valid_q);
    wire               fetch = full_q && (move || !ahead_valid_q);
    rill_ram_sdp #(.DATA_W(LINE_W), .DEPTH(LINES), .RAM_STYLE(RAM_STYLE)) u_ram (
        .clk(clk), .write_en(write_q), .write_addr(write_addr_q), .write_strobe(1'b1), .write_data(line_q),
        .read_en(fetch), .read_addr(read_addr_q), .read_data(ahead));
    always @(posedge clk) begin
        if (restart) begin
            read_addr_q <= {ADDR_W{1'b0}};
            ahead_valid_q <= 1'b0;
            out_valid_q <= 1'b0;
        end else begin
            if (fetch)
                read_addr_q <= read_addr_q == LAST_LINE ? {ADDR_W{1'b0}} : read_addr_q + 1'b1;
            ahead_valid_q <= fetch || (ahead_valid_q && !move);
            out_valid_q <= move || (out_valid_q && !line_sent);
        end
        if (fetch)
            ahead_last_q <= read_addr_q == LAST_LINE;
        if (move) begin
            out_last_q <= ahead_last_q;
            out_q <= ahead;
            split_q <= {SPLIT_W{1'b0}};
        end else if (sent) begin
            out_q <= out_q >> (SPLIT > 1 ? WORD_W : 0);
            split_q <= split_q + 1'b1;
        end
    end
    assign m_axis_param_tvalid = out_valid_q;
    assign m_axis_param_tdata = out_q[WORD_W-1:0];
endmodule

`default_nettype wire
