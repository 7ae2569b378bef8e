// SPDX-License-Identifier: Apache-2.0
// On-chip store of one kernel's vector parameters (docs/rtl.md section 9): loaded once per start, then streamed in a circle.
//
// Load: load_start (pulse) rewinds; each load_valid cycle stores one beat. WORD_W divides BEAT_BITS (a beat holds several words, first in the
// low bits) or BEAT_BITS divides WORD_W (a word takes several beats, first in the low bits). The beats of the load hold at least WORDS words.
// Read: m_axis_param gives words 0 .. WORDS-1 and starts over; no word before the load has brought all of them. Latency 2 cycles, then one
// word per cycle. Reset: synchronous; the contents are gone until the next load.
// Parameters: BEAT_BITS, WORD_W bits, WORDS in the circle.
`default_nettype none

module rill_param_store #(
    parameter BEAT_BITS = 0,
    parameter WORD_W = 0,
    parameter WORDS = 0
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire                 load_start,
    input  wire                 load_valid,
    input  wire [BEAT_BITS-1:0] load_data,
    output wire                 m_axis_param_tvalid,
    input  wire                 m_axis_param_tready,
    output wire [WORD_W-1:0]    m_axis_param_tdata
);
    generate
        if (WORDS < 1) begin : gen_bad_words
            rill_error_WORDS_must_be_at_least_1 u_error ();
        end
        if (BEAT_BITS < 1 || WORD_W < 1) begin : gen_bad_width
            rill_error_BEAT_BITS_and_WORD_W_must_be_at_least_1 u_error ();
        end else if (BEAT_BITS % WORD_W != 0 && WORD_W % BEAT_BITS != 0) begin : gen_bad_ratio
            rill_error_one_of_BEAT_BITS_and_WORD_W_must_divide_the_other u_error ();
        end
    endgenerate

    // The RAM is as wide as the wider of the two; a line is PIECES beats or SPLIT words.
    localparam LINE_W = WORD_W > BEAT_BITS ? WORD_W : BEAT_BITS;
    localparam PIECES = LINE_W / BEAT_BITS;
    localparam SPLIT  = LINE_W / WORD_W;
    localparam LINES  = (WORDS + SPLIT - 1) / SPLIT;
    localparam ADDR_W = LINES > 1 ? $clog2(LINES) : 1;
    localparam PIECE_W = PIECES > 1 ? $clog2(PIECES) : 1;
    localparam SPLIT_W = SPLIT > 1 ? $clog2(SPLIT) : 1;
    /* verilator lint_off WIDTH */
    localparam [ADDR_W-1:0]  LAST_LINE  = LINES - 1;
    localparam [PIECE_W-1:0] LAST_PIECE = PIECES - 1;
    localparam [SPLIT_W-1:0] LAST_SPLIT = SPLIT - 1;
    localparam [SPLIT_W-1:0] END_SPLIT  = (WORDS - 1) % SPLIT; // in the last line
    /* verilator lint_on WIDTH */

    (* ram_style = "block" *) reg [LINE_W-1:0] mem [0:LINES-1];

    // ---- load: collect a line, write it ----
    reg [LINE_W-1:0]  line_q;
    reg [PIECE_W-1:0] piece_q;
    reg [ADDR_W-1:0]  write_q;
    reg               write_valid_q;
    reg               full_q;     // every line is there
    reg               loading_q;
    wire line_done = load_valid & loading_q & (piece_q == LAST_PIECE);
    wire last_line = write_q == LAST_LINE;
    always @(posedge clk) if (write_valid_q) mem[write_q] <= line_q;
    generate
        if (PIECES == 1) begin : gen_collect_one
            always @(posedge clk) if (load_valid) line_q <= load_data;
        end else begin : gen_collect
            always @(posedge clk) if (load_valid) line_q <= {load_data, line_q[LINE_W-1:BEAT_BITS]};
        end
    endgenerate
    always @(posedge clk) begin
        if (rst | load_start) begin
            piece_q       <= {PIECE_W{1'b0}};
            write_q       <= {ADDR_W{1'b0}};
            write_valid_q <= 1'b0;
            full_q        <= 1'b0;
            loading_q     <= load_start & ~rst;
        end else begin
            write_valid_q <= line_done;
            if (load_valid & loading_q) piece_q <= line_done ? {PIECE_W{1'b0}} : piece_q + 1'b1;
            if (write_valid_q) begin
                write_q <= write_q + 1'b1;
                if (last_line) begin
                    full_q    <= 1'b1;
                    loading_q <= 1'b0;
                end
            end
        end
    end

    // ---- read: a line register, words out of it, the next line fetched ahead ----
    reg [ADDR_W-1:0]  read_q;
    reg               ahead_valid_q;
    reg [LINE_W-1:0]  ahead_q;
    reg               ahead_last_q; // the line ahead is the last of the circle
    reg               out_valid_q;
    reg [LINE_W-1:0]  out_q;
    reg               out_last_q;
    reg [SPLIT_W-1:0] split_q;
    wire word_taken = out_valid_q & m_axis_param_tready;
    wire line_taken = word_taken & ((split_q == LAST_SPLIT) | (out_last_q & (split_q == END_SPLIT)));
    wire move       = ahead_valid_q & (~out_valid_q | line_taken);
    wire fetch      = full_q & (~ahead_valid_q | move);
    always @(posedge clk) if (fetch) ahead_q <= mem[read_q];
    always @(posedge clk) begin
        if (rst | load_start) begin
            read_q        <= {ADDR_W{1'b0}};
            ahead_valid_q <= 1'b0;
            out_valid_q   <= 1'b0;
            split_q       <= {SPLIT_W{1'b0}};
        end else begin
            if (fetch) begin
                read_q       <= (read_q == LAST_LINE) ? {ADDR_W{1'b0}} : read_q + 1'b1;
                ahead_last_q <= read_q == LAST_LINE;
            end
            ahead_valid_q <= fetch | (ahead_valid_q & ~move);
            if (move) out_last_q <= ahead_last_q;
            out_valid_q <= move | (out_valid_q & ~line_taken);
            if (line_taken) split_q <= {SPLIT_W{1'b0}};
            else if (word_taken) split_q <= split_q + 1'b1;
        end
    end
    always @(posedge clk) begin
        if (move) out_q <= ahead_q;
        else if (word_taken) out_q <= out_q >> (SPLIT > 1 ? WORD_W : 0);
    end
    assign m_axis_param_tvalid = out_valid_q;
    assign m_axis_param_tdata  = out_q[WORD_W-1:0];
endmodule

`default_nettype wire
