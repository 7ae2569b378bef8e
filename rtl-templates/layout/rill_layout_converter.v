// SPDX-License-Identifier: Apache-2.0
// Layout converter: a ping-pong buffer between two itensor types that walk the same data in different orders.
//
// In itensor terms (docs/passes.md), the buffer holds what is inside the outer loops that both types have in common.
// The buffer has two banks of BUFFER words per token. The writer fills a bank in its order. The reader walks it with
// LOOPS nested loops: word number = sum over loops of index * stride. A loop with stride 0 reads the same words again.
// For example, a transposition of D0 x D1 (row-major in, column-major out) has an outer loop of D1 trips with stride 1
// and an inner loop of D0 trips with stride D1: TRIPS = {D0, D1}, STRIDES = {D1, 1}.
// Tokens are innermost on both sides: each word comes once per active token, tuser = {tok_last, tok}.
// A bank is full after BUFFER words per token and gives (product of TRIPS) words per token. A firing fills ROUNDS
// banks. ROUNDS is the product of the trip counts of the loops that both sides share. m_axis_tlast ends the firing;
// s_axis_tlast is ignored. The number of active tokens may change from firing to firing.
// Throughput: one word per cycle in and out at the same time (two banks). Latency: 2 cycles from the last word in to
// the first word out. The number of the next word is computed ahead (rill_loop_walk).
// Reset: clk, synchronous active-high rst; control only. tready is low in reset.
//
// name       meaning                                               unit    range
// DATA_W     width of a word                                       bits    1 or more
// TOKENS     tokens per step, a power of two                       tokens  1 or more
// BUFFER     words of a bank, per token                            words   1 or more
// ROUNDS     buffer fills per firing                               banks   1 or more
// LOOPS      loops of the reader                                   loops   1 to 8
// TRIPS      trip count of each loop, 32 bits each, outermost low  trips   not 0
// STRIDES    stride of each loop, 32 bits each, likewise           words   any
// RAM_STYLE  style of the storage, as in rill_ram_sdp              -       "auto", "distributed", "block", "ultra"
// USER_W     width of tuser                                        bits    derived
`default_nettype none

module rill_layout_converter #(
    parameter DATA_W = 0,
    parameter TOKENS = 0,
    parameter BUFFER = 0,
    parameter ROUNDS = 1,
    parameter LOOPS = 0,
    parameter [LOOPS*32-1:0] TRIPS = 0,
    parameter [LOOPS*32-1:0] STRIDES = 0,
    parameter RAM_STYLE = "auto",
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire              clk,
    input  wire              rst,
    input  wire              s_axis_tvalid,
    output wire              s_axis_tready,
    input  wire [DATA_W-1:0] s_axis_tdata,
    input  wire [USER_W-1:0] s_axis_tuser,
    input  wire              s_axis_tlast,
    output wire              m_axis_tvalid,
    input  wire              m_axis_tready,
    output wire [DATA_W-1:0] m_axis_tdata,
    output wire [USER_W-1:0] m_axis_tuser,
    output wire              m_axis_tlast
);
    // Returns the largest word number that the loops reach, or -1 if a trip count is 0.
    function integer top_word(input integer loops);
        integer l;
        begin
            top_word = 0;
            for (l = 0; l < loops; l = l + 1)
                if (top_word >= 0)
                    top_word = TRIPS[l*32 +: 32] == 32'd0 ? -1 : top_word
                        + (TRIPS[l*32 +: 32] - 1) * STRIDES[l*32 +: 32];
        end
    endfunction
    // Returns the product of all trip counts.
    function integer all_trips(input integer loops);
        integer l;
        begin
            all_trips = 1;
            for (l = 0; l < loops; l = l + 1)
                all_trips = all_trips * TRIPS[l*32 +: 32];
        end
    endfunction

    generate
        if (DATA_W < 1 || BUFFER < 1) begin : gen_bad_size
            rill_error_DATA_W_and_BUFFER_must_be_at_least_1 u_error ();
        end
        if (TOKENS < 1 || (TOKENS & (TOKENS - 1)) != 0) begin : gen_bad_tokens
            rill_error_TOKENS_must_be_a_power_of_two u_error ();
        end
        if (ROUNDS < 1) begin : gen_bad_rounds
            rill_error_ROUNDS_must_be_at_least_1 u_error ();
        end
        if (LOOPS < 1 || LOOPS > 8) begin : gen_bad_loops
            rill_error_LOOPS_must_be_1_to_8 u_error ();
        end else if (top_word(LOOPS) < 0 || top_word(LOOPS) >= BUFFER) begin : gen_bad_walk
            rill_error_TRIPS_and_STRIDES_must_stay_inside_BUFFER u_error ();
        end
    endgenerate

    localparam TOK_W = USER_W - 1;
    localparam WORD_W = $clog2(2 * BUFFER);                // word number in both banks
    localparam LOG_TOKENS = $clog2(TOKENS);
    localparam ADDR_W = WORD_W + LOG_TOKENS;
    localparam [31:0] TOP_32 = BUFFER - 1;
    localparam [31:0] END_32 = 2 * BUFFER - 1;
    localparam READS = all_trips(LOOPS);                   // output words of a bank, per token
    localparam READ_W = READS > 1 ? $clog2(READS) : 1;
    localparam [31:0] LAST_READ_32 = READS - 1;
    localparam ROUND_W = $clog2(ROUNDS + 1);
    localparam [31:0] LAST_32 = ROUNDS - 1;
    localparam [31:0] BUFFER_32 = BUFFER;
    localparam [WORD_W-1:0] BANK = BUFFER_32[WORD_W-1:0];  // first word of bank 1

    // ---- input: bank by bank ----
    reg                open_q;                             // a word can be taken; low in reset
    reg  [1:0]         full_q;                             // bit b: bank b is full
    reg  [TOK_W-1:0]   last_tok_q [0:1];                   // per bank: number of the last active token
    reg                write_bank_q;                       // bank that is filled
    reg  [WORD_W-1:0]  write_q;                            // number of the next word in, in both banks
    wire               push = s_axis_tvalid && s_axis_tready;
    wire               at_top = write_q == (write_bank_q ? END_32[WORD_W-1:0] : TOP_32[WORD_W-1:0]);
    wire               filled = push && s_axis_tuser[TOK_W] && at_top;
    wire               emptied;                            // the last word of the bank that is read has been read
    reg                read_bank_q;                        // bank of the next word to be read
    assign s_axis_tready = open_q;
    wire [1:0]         full_d = (full_q | ({1'b0, filled} << write_bank_q)) & ~({1'b0, emptied} << read_bank_q);
    wire               write_bank_d = write_bank_q ^ filled;
    always @(posedge clk) begin
        if (rst) begin
            open_q <= 1'b0;
            full_q <= 2'b00;
            write_bank_q <= 1'b0;
            write_q <= {WORD_W{1'b0}};
        end else begin
            open_q <= !full_d[write_bank_d];
            full_q <= full_d;
            write_bank_q <= write_bank_d;
            if (filled)
                write_q <= write_bank_q ? {WORD_W{1'b0}} : BANK;
            else if (push && s_axis_tuser[TOK_W])
                write_q <= write_q + 1'b1;
        end
        if (filled)
            last_tok_q[write_bank_q] <= s_axis_tuser[TOK_W-1:0];
    end

    // ---- output: the nested loops, one word ahead ----
    wire                    move;                          // the next word's number is wanted
    reg  [READ_W-1:0]       read_q;
    reg                     bank_q;                        // bank that is walked
    wire                    at_end = read_q == LAST_READ_32[READ_W-1:0];
    wire [WORD_W-1:0]       word;
    wire                    unused_turn;
    rill_loop_walk #(.LOOPS(LOOPS), .TRIPS(TRIPS), .STRIDES(STRIDES), .HALF(BUFFER), .OFF_W(WORD_W)) u_walk (
        .clk(clk), .rst(rst), .move(move), .last(at_end), .half(bank_q), .element(word), .turn(unused_turn));

    reg                     ahead_q;                       // `word` is the next word to be read
    reg                     end_q;                         // `word` is the last word of the bank
    reg  [TOK_W-1:0]        tok_q;
    reg                     valid_q;
    reg  [USER_W-1:0]       user_q;
    reg                     last_q;
    reg  [ROUND_W-1:0]      round_q;                       // banks of the firing that have been read
    wire                    at_round = round_q == LAST_32[ROUND_W-1:0];
    wire                    fetch = ahead_q && full_q[read_bank_q] && (m_axis_tready || !valid_q);
    wire                    at_tok = tok_q == last_tok_q[read_bank_q];
    assign move = !ahead_q || (fetch && at_tok);
    assign emptied = fetch && at_tok && end_q;
    always @(posedge clk) begin
        if (rst) begin
            read_q <= {READ_W{1'b0}};
            bank_q <= 1'b0;
            ahead_q <= 1'b0;
            valid_q <= 1'b0;
            tok_q <= {TOK_W{1'b0}};
            round_q <= {ROUND_W{1'b0}};
        end else begin
            valid_q <= fetch || (valid_q && !m_axis_tready);
            ahead_q <= 1'b1;
            if (move) begin
                read_q <= at_end ? {READ_W{1'b0}} : read_q + 1'b1;
                bank_q <= bank_q ^ at_end;
            end
            if (emptied)
                round_q <= at_round ? {ROUND_W{1'b0}} : round_q + 1'b1;
            if (fetch)
                tok_q <= at_tok ? {TOK_W{1'b0}} : tok_q + 1'b1;
        end
        if (move) begin
            read_bank_q <= bank_q;
            end_q <= at_end;
        end
        if (fetch) begin
            user_q <= {at_tok, tok_q};
            last_q <= at_tok && end_q && at_round;
        end
    end
    assign m_axis_tvalid = valid_q;
    assign m_axis_tuser = user_q;
    assign m_axis_tlast = last_q;

    wire [ADDR_W-1:0] write_addr;
    wire [ADDR_W-1:0] read_addr;
    generate
        if (LOG_TOKENS > 0) begin : gen_tokens
            assign write_addr = {write_q, s_axis_tuser[TOK_W-1:0]};
            assign read_addr = {word, tok_q};
        end else begin : gen_one_token
            assign write_addr = write_q;
            assign read_addr = word;
        end
    endgenerate
    rill_ram_sdp #(.DATA_W(DATA_W), .DEPTH(2 * BUFFER * TOKENS), .RAM_STYLE(RAM_STYLE)) u_ram (
        .clk(clk), .write_en(push), .write_addr(write_addr), .write_strobe(1'b1), .write_data(s_axis_tdata),
        .read_en(fetch), .read_addr(read_addr), .read_data(m_axis_tdata));

`ifdef RILL_ASSERT
    reg  [ROUND_W-1:0] rounds_in_q;
    always @(posedge clk) begin
        if (rst)
            rounds_in_q <= {ROUND_W{1'b0}};
        else if (filled)
            rounds_in_q <= rounds_in_q == LAST_32[ROUND_W-1:0] ? {ROUND_W{1'b0}} : rounds_in_q + 1'b1;
        if (!rst && filled && rounds_in_q == LAST_32[ROUND_W-1:0])
            assert (s_axis_tlast);                         // the writer's firing ends with the last bank
    end
`else
    wire unused = s_axis_tlast;
`endif
endmodule

`default_nettype wire
