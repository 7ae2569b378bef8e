// SPDX-License-Identifier: Apache-2.0
// Corner turn: a layout converter (rill_layout_converter) for words of LANES elements. A word of the reader gathers
// elements from different words of the writer.
//
// The buffer has two halves (ping-pong) of BUFFER elements per token. A half is spread over LANES banks, each with its
// own read address. The writer writes elements in order, LANES per word. The reader reads them in the order of LOOPS
// nested loops, LANES per word: element number = sum over loops of index * stride. For example, a transposition of D0 x
// D1 (row-major in, column-major out) has an outer loop of D1 trips with stride 1 and an inner loop of D0 trips with
// stride D1: TRIPS = {D0, D1}, STRIDES = {D1, 1}.
// Element e is in bank (e + SKEW * floor(e / PERIOD)) mod LANES, row floor(e / LANES). So a word of the writer is one
// row, rotated. No two elements of a reader's word may be in the same bank. The compiler chooses PERIOD and SKEW so
// that this holds, and checks every word (gen/ir/corner.c).
// Tokens are innermost on both sides: each word comes once per active token, tuser = {tok_last, tok}. A half is full
// after ceil(BUFFER / LANES) words per token and gives ceil(product of TRIPS / LANES) words per token. Elements of the
// last word beyond BUFFER are ignored at the input; those beyond the product of TRIPS are +0 at the output.
// A firing fills ROUNDS halves. ROUNDS is the product of the trip counts of the loops that both sides have in common,
// because the buffer holds only what is inside of these loops. With ROUNDS above 1, BUFFER and the product of TRIPS
// must be multiples of LANES.
// m_axis_tlast ends the firing; s_axis_tlast is ignored. The number of active tokens may change from firing to firing.
// Throughput: one word per cycle in and out at the same time. Latency: 2 cycles from the last word in to the first word
// out. Addresses are computed ahead of the words: counters step through the loops (rill_loop_walk), and two pipeline
// stages turn element numbers into banks and rows.
// Reset: clk, synchronous active-high rst; control only. tready is low in reset.
//
// name       meaning                                                  unit      range
// DATA_W     width of an element                                      bits      1 or more
// LANES      elements of a word                                       elements  2, 4, 8, 16, 32
// TOKENS     tokens per step, a power of two                          tokens    1 or more
// BUFFER     elements of a half of the buffer, per token              elements  1 or more
// ROUNDS     buffer fills per firing                                  halves    1 or more
// LOOPS      loops of the reader                                      loops     1 to 8
// TRIPS      trip count of each loop, 32 bits each, outermost low     trips     not 0
// STRIDES    stride of each loop, 32 bits each, likewise              elements  any
// PERIOD     elements after which the skew grows, a multiple of       elements  0 or more
//            LANES; 0: no skew
// SKEW       banks by which words are rotated more in each period     banks     0 to LANES - 1
//            than in the previous one
// RAM_STYLE  style of the storage, as in rill_ram_sdp                 -         "auto", "distributed", "block", "ultra"
// USER_W     width of tuser                                           bits      derived
`default_nettype none

module rill_corner_turn #(
    parameter DATA_W = 0,
    parameter LANES = 0,
    parameter TOKENS = 0,
    parameter BUFFER = 0,
    parameter ROUNDS = 1,
    parameter LOOPS = 0,
    parameter [LOOPS*32-1:0] TRIPS = 0,
    parameter [LOOPS*32-1:0] STRIDES = 0,
    parameter PERIOD = 0,
    parameter SKEW = 0,
    parameter RAM_STYLE = "auto",
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire                    clk,
    input  wire                    rst,
    input  wire                    s_axis_tvalid,
    output wire                    s_axis_tready,
    input  wire [LANES*DATA_W-1:0] s_axis_tdata,
    input  wire [USER_W-1:0]       s_axis_tuser,
    input  wire                    s_axis_tlast,
    output wire                    m_axis_tvalid,
    input  wire                    m_axis_tready,
    output wire [LANES*DATA_W-1:0] m_axis_tdata,
    output wire [USER_W-1:0]       m_axis_tuser,
    output wire                    m_axis_tlast
);
    // Returns the largest element number that the loops reach, or -1 if a trip count is 0.
    function integer top_element(input integer loops);
        integer l;
        begin
            top_element = 0;
            for (l = 0; l < loops; l = l + 1)
                if (top_element >= 0)
                    top_element = TRIPS[l*32 +: 32] == 32'd0 ? -1 : top_element
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

    localparam ELEMENTS = all_trips(LOOPS);                // elements that a half gives, per token
    localparam LANES_OK = LANES > 1 && LANES <= 32 && (LANES & (LANES - 1)) == 0;
    localparam SAFE_LANES = LANES_OK ? LANES : 2;          // avoids a division by 0 before the error below

    generate
        if (DATA_W < 1 || BUFFER < 1) begin : gen_bad_size
            rill_error_DATA_W_and_BUFFER_must_be_at_least_1 u_error ();
        end
        if (!LANES_OK) begin : gen_bad_lanes
            rill_error_LANES_must_be_a_power_of_two_from_2_to_32 u_error ();
        end
        if (TOKENS < 1 || (TOKENS & (TOKENS - 1)) != 0) begin : gen_bad_tokens
            rill_error_TOKENS_must_be_a_power_of_two u_error ();
        end
        if (ROUNDS < 1 || (ROUNDS > 1 && (BUFFER % SAFE_LANES != 0 || ELEMENTS % SAFE_LANES != 0))) begin
            : gen_bad_rounds
            rill_error_ROUNDS_must_be_1_or_halves_whole_words u_error ();
        end
        if (PERIOD < 0 || PERIOD % SAFE_LANES != 0 || SKEW < 0 || SKEW >= SAFE_LANES
            || (PERIOD == 0) != (SKEW == 0)) begin : gen_bad_skew
            rill_error_PERIOD_must_be_a_multiple_of_LANES_and_SKEW_below_LANES u_error ();
        end
        if (LOOPS < 1 || LOOPS > 8) begin : gen_bad_loops
            rill_error_LOOPS_must_be_1_to_8 u_error ();
        end else if (top_element(LOOPS) < 0 || top_element(LOOPS) >= BUFFER) begin : gen_bad_walk
            rill_error_TRIPS_and_STRIDES_must_stay_inside_BUFFER u_error ();
        end
    endgenerate

    localparam LOG = $clog2(SAFE_LANES);
    localparam TOK_W = USER_W - 1;
    localparam LOG_TOKENS = $clog2(TOKENS);
    localparam ROWS = (BUFFER + SAFE_LANES - 1) / SAFE_LANES;                 // input words of a half, per token
    localparam WORDS = (ELEMENTS + SAFE_LANES - 1) / SAFE_LANES;              // output words of a half, per token
    localparam LAST_LANES = ELEMENTS - (WORDS - 1) * SAFE_LANES;              // elements of the last output word
    localparam ROW_W = $clog2(2 * ROWS);                   // row number in both halves
    localparam OFF_W = ROW_W + LOG;                        // element number in both halves
    localparam WORD_W = WORDS > 1 ? $clog2(WORDS) : 1;
    localparam ROUND_W = $clog2(ROUNDS + 1);
    localparam ADDR_W = $clog2(2 * ROWS * TOKENS);
    localparam [31:0] TOP_32 = ROWS - 1;
    localparam [31:0] END_32 = 2 * ROWS - 1;
    localparam [31:0] LAST_ROUND_32 = ROUNDS - 1;
    localparam [31:0] LAST_WORD_32 = WORDS - 1;
    localparam [31:0] ROWS_32 = ROWS;

    // ---- input: half by half, one row of all banks per word ----
    reg                open_q;                             // a word can be taken; low in reset
    reg  [1:0]         full_q;                             // bit h: half h is full
    reg  [TOK_W-1:0]   last_tok_q [0:1];                   // per half: number of the last active token
    reg                write_half_q;                       // half that is filled
    reg  [ROW_W-1:0]   write_q;                            // row of the next word in
    wire               push = s_axis_tvalid && s_axis_tready;
    wire               push_row = push && s_axis_tuser[TOK_W];
    wire               at_top = write_q == (write_half_q ? END_32[ROW_W-1:0] : TOP_32[ROW_W-1:0]);
    wire               filled = push_row && at_top;
    wire               emptied;                            // the last word of the half that is read has been read
    reg                read_half_q;                        // half of the next word to be read
    assign s_axis_tready = open_q;
    wire [1:0]         full_d = (full_q | ({1'b0, filled} << write_half_q)) & ~({1'b0, emptied} << read_half_q);
    wire               write_half_d = write_half_q ^ filled;
    always @(posedge clk) begin
        if (rst) begin
            open_q <= 1'b0;
            full_q <= 2'b00;
            write_half_q <= 1'b0;
            write_q <= {ROW_W{1'b0}};
        end else begin
            open_q <= !full_d[write_half_d];
            full_q <= full_d;
            write_half_q <= write_half_d;
            if (filled)
                write_q <= write_half_q ? {ROW_W{1'b0}} : ROWS_32[ROW_W-1:0];
            else if (push_row)
                write_q <= write_q + 1'b1;
        end
        if (filled)
            last_tok_q[write_half_q] <= s_axis_tuser[TOK_W-1:0];
    end

    // Rotates the word: element i goes to bank (i + turn_q) mod LANES.
    wire [LANES*DATA_W-1:0] row;
    generate
        if (PERIOD > 0) begin : gen_turn
            localparam LINES = PERIOD / SAFE_LANES;        // rows per period
            localparam LINE_W = LINES > 1 ? $clog2(LINES) : 1;
            localparam [31:0] LAST_LINE_32 = LINES - 1;
            localparam [31:0] SKEW_32 = SKEW;
            reg  [LINE_W-1:0] line_q;
            reg  [LOG-1:0]    turn_q;
            wire              at_line = line_q == LAST_LINE_32[LINE_W-1:0];
            always @(posedge clk)
                if (rst || filled) begin
                    line_q <= {LINE_W{1'b0}};
                    turn_q <= {LOG{1'b0}};
                end else if (push_row) begin
                    line_q <= at_line ? {LINE_W{1'b0}} : line_q + 1'b1;
                    if (at_line)
                        turn_q <= turn_q + SKEW_32[LOG-1:0];
                end
            rill_rotate #(.ELEMS(LANES), .ELEM_W(DATA_W)) u_turn (.words(s_axis_tdata), .turn(turn_q), .rotated(row));
        end else begin : gen_straight
            assign row = s_axis_tdata;
        end
    endgenerate

    // ---- the loops of each lane ----
    // Returns, for each loop, the number of banks by which the bank moves on when the loop's index grows by one. The
    // skew is added only for strides that are multiples of PERIOD. With any other stride a step may or may not enter a
    // new period. The compiler refuses walks for which this gives a wrong bank (is_free in gen/ir/corner.c).
    function [LOOPS*32-1:0] turns(input integer loops);
        integer l;
        begin
            turns = {LOOPS*32{1'b0}};
            for (l = 0; l < loops; l = l + 1)
                turns[l*32 +: 32] = STRIDES[l*32 +: 32] + (PERIOD > 0
                    && STRIDES[l*32 +: 32] % (PERIOD > 0 ? PERIOD : 1) == 0 ?
                    SKEW * (STRIDES[l*32 +: 32] / (PERIOD > 0 ? PERIOD : 1)) : 0);
        end
    endfunction
    localparam [LOOPS*32-1:0] TURNS = turns(LOOPS);
    localparam [31:0] INNER_32 = STRIDES[(LOOPS-1)*32 +: 32];
    localparam [31:0] INNER_TURN_32 = TURNS[(LOOPS-1)*32 +: 32];
    // If the trip count of the innermost loop is a multiple of LANES, a word never leaves that loop. The elements of
    // all lanes then follow from the first lane's element, so only the first lane has loop counters.
    localparam ALIGNED = TRIPS[(LOOPS-1)*32 +: 32] % SAFE_LANES == 0;
    localparam WALKS = ALIGNED ? 1 : LANES;
    generate
        if (ALIGNED && !INNER_TURN_32[0]) begin : gen_bad_turn         // with an even number, lanes share banks
            rill_error_PERIOD_and_SKEW_must_spread_the_innermost_loop_over_the_banks u_error ();
        end
    endgenerate

    wire               move;                               // the next addresses are wanted
    reg  [WORD_W-1:0]  word_q;
    reg                half_q;
    wire               at_end = word_q == LAST_WORD_32[WORD_W-1:0];
    always @(posedge clk)
        if (rst) begin
            word_q <= {WORD_W{1'b0}};
            half_q <= 1'b0;
        end else if (move) begin
            word_q <= at_end ? {WORD_W{1'b0}} : word_q + 1'b1;
            half_q <= half_q ^ at_end;
        end

    // First stage: element number and bank for each lane that walks.
    reg                    walk_valid_q;
    reg                    walk_end_q;
    reg                    walk_half_q;
    wire [WALKS*OFF_W-1:0] walk_element;
    wire [WALKS*LOG-1:0]   walk_bank;
    wire [WALKS-1:0]       walk_real;                      // 0: beyond the last element
    genvar i;
    generate
        for (i = 0; i < WALKS; i = i + 1) begin : gen_lane
            reg real_q;
            rill_loop_walk #(.LOOPS(LOOPS), .TRIPS(TRIPS), .STRIDES(STRIDES), .TURNS(TURNS), .STEP(SAFE_LANES),
                .FIRST(i), .HALF(ROWS * SAFE_LANES),
                .OFF_W(OFF_W), .TURN_W(LOG)) u_walk (
                .clk(clk), .rst(rst), .move(move), .last(at_end), .half(half_q),
                .element(walk_element[i*OFF_W +: OFF_W]), .turn(walk_bank[i*LOG +: LOG]));
            always @(posedge clk)
                if (move)
                    real_q <= i < LAST_LANES || !at_end;
            assign walk_real[i] = real_q;
        end
    endgenerate

    // Second stage: the row for each bank.
    reg                    rows_valid_q;
    reg                    rows_end_q;
    reg  [WALKS*LOG-1:0]   rows_bank_q;
    reg  [WALKS-1:0]       rows_real_q;
    wire [LANES*ROW_W-1:0] rows_d;
    reg  [LANES*ROW_W-1:0] rows_q;
    always @(posedge clk) begin
        if (rst) begin
            walk_valid_q <= 1'b0;
            rows_valid_q <= 1'b0;
        end else if (move) begin
            walk_valid_q <= 1'b1;
            rows_valid_q <= walk_valid_q;
        end
        if (move) begin
            walk_end_q <= at_end;
            walk_half_q <= half_q;
            rows_end_q <= walk_end_q;
            read_half_q <= walk_half_q;
            rows_bank_q <= walk_bank;
            rows_real_q <= walk_real;
            rows_q <= rows_d;
        end
    end
    // Returns the lane whose element is k banks after the bank of the first lane's element.
    function integer lane_of(input integer k);
        integer n;
        begin
            lane_of = 0;
            for (n = 0; n < LANES; n = n + 1)
                if ((n * INNER_TURN_32[LOG-1:0]) % SAFE_LANES == k)
                    lane_of = n;
        end
    endfunction
    generate
        if (ALIGNED) begin : gen_rows
            wire [LANES*ROW_W-1:0] ahead;  // rows for the first lane's bank, the bank after it, and so on
            for (i = 0; i < LANES; i = i + 1) begin : gen_bank
                localparam [31:0] AHEAD_32 = lane_of(i) * INNER_32;
                wire [OFF_W-1:0] element = walk_element + AHEAD_32[OFF_W-1:0];
                wire unused_place = &{1'b0, element[LOG-1:0]};
                assign ahead[i*ROW_W +: ROW_W] = element[OFF_W-1:LOG];
            end
            rill_rotate #(.ELEMS(LANES), .ELEM_W(ROW_W)) u_turn (.words(ahead), .turn(walk_bank), .rotated(rows_d));
        end else begin : gen_any_rows
            for (i = 0; i < LANES; i = i + 1) begin : gen_bank
                localparam [31:0] BANK_32 = i;
                reg  [ROW_W-1:0] here;
                integer n;
                always @* begin
                    here = {ROW_W{1'b0}};
                    for (n = 0; n < LANES; n = n + 1)
                        if (walk_real[n] && walk_bank[n*LOG +: LOG] == BANK_32[LOG-1:0])
                            here = here | walk_element[n*OFF_W + LOG +: ROW_W];
                end
                assign rows_d[i*ROW_W +: ROW_W] = here;
            end
        end
    endgenerate

    // ---- output ----
    reg  [TOK_W-1:0]      tok_q;
    reg                   valid_q;
    reg  [USER_W-1:0]     user_q;
    reg                   last_q;
    reg  [ROUND_W-1:0]    round_q;                         // halves of the firing that have been read
    reg  [WALKS*LOG-1:0]  out_bank_q;
    reg  [WALKS-1:0]      out_real_q;
    wire                  at_round = round_q == LAST_ROUND_32[ROUND_W-1:0];
    wire                  fetch = rows_valid_q && full_q[read_half_q] && (m_axis_tready || !valid_q);
    wire                  at_tok = tok_q == last_tok_q[read_half_q];
    assign move = !rows_valid_q || (fetch && at_tok);
    assign emptied = fetch && at_tok && rows_end_q;
    always @(posedge clk) begin
        if (rst) begin
            valid_q <= 1'b0;
            tok_q <= {TOK_W{1'b0}};
            round_q <= {ROUND_W{1'b0}};
        end else begin
            valid_q <= fetch || (valid_q && !m_axis_tready);
            if (emptied)
                round_q <= at_round ? {ROUND_W{1'b0}} : round_q + 1'b1;
            if (fetch)
                tok_q <= at_tok ? {TOK_W{1'b0}} : tok_q + 1'b1;
        end
        if (fetch) begin
            user_q <= {at_tok, tok_q};
            last_q <= at_tok && rows_end_q && at_round;
            out_bank_q <= rows_bank_q;
            out_real_q <= rows_real_q;
        end
    end
    assign m_axis_tvalid = valid_q;
    assign m_axis_tuser = user_q;
    assign m_axis_tlast = last_q;

    wire [LANES*DATA_W-1:0] read;                          // the element that was read from each bank
    generate
        for (i = 0; i < LANES; i = i + 1) begin : gen_ram
            wire [ADDR_W-1:0] write_addr;
            wire [ADDR_W-1:0] read_addr;
            if (LOG_TOKENS > 0) begin : gen_tokens
                assign write_addr = {write_q, s_axis_tuser[TOK_W-1:0]};
                assign read_addr = {rows_q[i*ROW_W +: ROW_W], tok_q};
            end else begin : gen_one_token
                assign write_addr = write_q;
                assign read_addr = rows_q[i*ROW_W +: ROW_W];
            end
            rill_ram_sdp #(.DATA_W(DATA_W), .DEPTH(2 * ROWS * TOKENS), .RAM_STYLE(RAM_STYLE)) u_ram (
                .clk(clk), .write_en(push), .write_addr(write_addr), .write_strobe(1'b1),
                .write_data(row[i*DATA_W +: DATA_W]),
                .read_en(fetch), .read_addr(read_addr), .read_data(read[i*DATA_W +: DATA_W]));
        end
        if (ALIGNED) begin : gen_word
            wire [LANES*DATA_W-1:0] ahead;
            rill_rotate #(.ELEMS(LANES), .ELEM_W(DATA_W)) u_turn (.words(read), .turn({LOG{1'b0}} - out_bank_q),
                .rotated(ahead));
            for (i = 0; i < LANES; i = i + 1) begin : gen_bank
                assign m_axis_tdata[lane_of(i)*DATA_W +: DATA_W] = ahead[i*DATA_W +: DATA_W];
            end
        end else begin : gen_any_word
            for (i = 0; i < LANES; i = i + 1) begin : gen_place
                if (LAST_LANES < LANES) begin : gen_padded
                    assign m_axis_tdata[i*DATA_W +: DATA_W] = read[out_bank_q[i*LOG +: LOG]*DATA_W +: DATA_W]
                        & {DATA_W{out_real_q[i]}};
                end else begin : gen_whole
                    assign m_axis_tdata[i*DATA_W +: DATA_W] = read[out_bank_q[i*LOG +: LOG]*DATA_W +: DATA_W];
                end
            end
        end
    endgenerate

`ifdef RILL_ASSERT
    reg  [ROUND_W-1:0] rounds_in_q;
    reg                was_reset_q = 1'b0;                 // before the first reset the loops have no defined state
    reg                clash;                              // two elements of a word are in one bank
    integer            a, b;
    always @* begin
        clash = 1'b0;
        for (a = 1; a < WALKS; a = a + 1)
            for (b = 0; b < a; b = b + 1)
                if (walk_real[a] && walk_real[b] && walk_bank[a*LOG +: LOG] == walk_bank[b*LOG +: LOG])
                    clash = 1'b1;
    end
    always @(posedge clk) begin
        if (rst)
            rounds_in_q <= {ROUND_W{1'b0}};
        else if (filled)
            rounds_in_q <= rounds_in_q == LAST_ROUND_32[ROUND_W-1:0] ? {ROUND_W{1'b0}} : rounds_in_q + 1'b1;
        if (!rst && filled && rounds_in_q == LAST_ROUND_32[ROUND_W-1:0])
            assert (s_axis_tlast);                         // the writer's firing ends with the last half
        if (rst)
            was_reset_q <= 1'b1;
        if (!rst && was_reset_q && move && walk_valid_q)
            assert (!clash);
    end
`else
    wire unused_last = s_axis_tlast;
`endif
    wire unused = &{1'b0, out_real_q};
endmodule

`default_nettype wire
