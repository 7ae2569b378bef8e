// SPDX-License-Identifier: Apache-2.0
// The datapath of rill_width_converter, whose header defines the streams: packs words into dense chunks. Elements of a
// word past tcount must be zero.
//
// `fill` is the number of elements that a token has left over from its previous row-step; it is equal for all tokens. A
// word is shifted by fill, which aligns it to chunks. Its first chunk is joined with the leftover elements of its
// token. The elements that do not fill a chunk become the new leftover. The chunks of a row-step wait in a buffer of
// LINES row-steps and leave in order (chunk, tok).
// Stalls: the whole pipeline has one clock enable, which is low while the buffer is full and a word is in the last
// stage. Reset: clk, synchronous active-high rst; control only.
//
// name       meaning                                      unit      range
// IN_ELEMS   elements of an input word                    elements  1 to 32
// OUT_ELEMS  elements of an output chunk                  elements  1, 2, 4, 8, 16, 32
// ELEM_W     width of an element                          bits      1 or more
// TOKENS     tokens per step, upper bound                 tokens    1 or more
// DENSE      1: words are full except in last row-steps   -         0, 1
// COUNT_W    width of tcount                              bits      derived
// USER_W     width of tuser                               bits      derived
`default_nettype none

module rill_width_gear #(
    parameter IN_ELEMS = 0,
    parameter OUT_ELEMS = 0,
    parameter ELEM_W = 32,
    parameter TOKENS = 0,
    parameter DENSE = 0,
    parameter COUNT_W = $clog2(IN_ELEMS + 1),
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire                        clk,
    input  wire                        rst,
    input  wire                        s_axis_tvalid,
    output wire                        s_axis_tready,
    input  wire [IN_ELEMS*ELEM_W-1:0]  s_axis_tdata,
    input  wire [COUNT_W-1:0]          s_axis_tcount,
    input  wire [USER_W-1:0]           s_axis_tuser,
    input  wire                        s_axis_tlast,
    output wire                        m_axis_tvalid,
    input  wire                        m_axis_tready,
    output wire [OUT_ELEMS*ELEM_W-1:0] m_axis_tdata,
    output wire [USER_W-1:0]           m_axis_tuser,
    output wire                        m_axis_tlast
);
    generate
        if (IN_ELEMS < 1 || IN_ELEMS > 32 || OUT_ELEMS < 1 || OUT_ELEMS > 32 || TOKENS < 1 || ELEM_W < 1) begin
            : gen_bad
            rill_error_IN_ELEMS_and_OUT_ELEMS_must_be_1_to_32_TOKENS_and_ELEM_W_at_least_1 u_error ();
        end
    endgenerate

    function integer low_zeros(input integer value);       // returns the number of trailing zero bits, 5 at most
        integer bit_index;
        begin
            low_zeros = 0;
            for (bit_index = 4; bit_index >= 0; bit_index = bit_index - 1)
                if (value % (2 << bit_index) == 0 && low_zeros == 0)
                    low_zeros = bit_index + 1;
        end
    endfunction

    localparam CHUNK_W = OUT_ELEMS * ELEM_W;
    localparam LOG_OUT = $clog2(OUT_ELEMS);
    localparam SHIFTS = (LOG_OUT + 1) / 2;                 // stages of two bits
    localparam LINE = (IN_ELEMS + 2 * OUT_ELEMS - 2) / OUT_ELEMS;  // number of chunks that a shifted word can touch
    localparam LINE_W = LINE * CHUNK_W;
    localparam TOK_W = USER_W - 1;
    // Width of a number of elements, up to 63. 6 bits would be enough, but NUM_W must be larger than COUNT_W, because a
    // replication of zero bits (in `count`) is illegal.
    localparam NUM_W = 7;
    localparam MARK_W = USER_W + 1;                        // {tlast, tok_last, tok}
    localparam LINES = 4;                                  // row-steps that the output buffer holds
    localparam COPIES = (LINE_W + 1023) / 1024;            // copies of the shift amounts; each serves a part of a line
    localparam MOVES = COPIES > 1 ? SHIFTS + 3 : 1;        // number of copies of en (see moves)
    localparam MOVES_LINE = MOVES > 1 ? SHIFTS + 1 : 0;
    localparam MOVES_TAIL = MOVES > 1 ? SHIFTS + 2 : 0;
    // Bits of the fill that can be 1. With DENSE the fill is a multiple of the largest power of two that divides
    // IN_ELEMS.
    localparam KEPT = (OUT_ELEMS - 1) & ~((DENSE == 1) ? (1 << low_zeros(IN_ELEMS)) - 1 : 0);
    localparam [NUM_W-1:0] FILL_MASK = KEPT[NUM_W-1:0];
    localparam [NUM_W-1:0] REST_MASK = OUT_ELEMS[NUM_W-1:0] - 1'b1;
    localparam [NUM_W-1:0] FULL_STEP = IN_ELEMS[NUM_W-1:0];

    // ---- stage 0: the word, and the number of its elements plus the leftover of its token ----
    // Copies of en. With MOVES 1, all registers use the same one. Otherwise shift s uses copy s + 1, line_q copy
    // MOVES_LINE, tail_q copy MOVES_TAIL, and all other registers copy 0.
    wire [MOVES-1:0]  moves;
    wire              en = moves[0];
    reg               open_q;                              // low in reset
    reg  [NUM_W-1:0]  fill_q;                              // fill of the next row-step
    wire              take = s_axis_tvalid && s_axis_tready;
    wire [NUM_W-1:0]  count = {{(NUM_W-COUNT_W){1'b0}}, s_axis_tcount};
    wire [NUM_W-1:0]  fill_d = (fill_q + (DENSE == 1 ? FULL_STEP : count)) & FILL_MASK;

    localparam STAGES = SHIFTS + 2;                        // the input, each shift, the choice of the new leftover
    localparam END = STAGES - 1;
    // For each stage, the input in the low bits: a word is in the stage, the fill before the word, the fill plus the
    // elements of the word, and the marks of the word.
    reg  [STAGES-1:0]        valid_q;
    reg  [STAGES*NUM_W-1:0]  fills_q;
    reg  [STAGES*NUM_W-1:0]  total_q;
    reg  [STAGES*MARK_W-1:0] mark_q;

    wire              waits;                               // second register of !en, because en has many loads
    assign s_axis_tready = open_q && !waits;
    always @(posedge clk) begin
        open_q <= !rst;
        if (rst)
            fill_q <= {NUM_W{1'b0}};
        else if (take && s_axis_tuser[TOK_W])
            fill_q <= s_axis_tlast ? {NUM_W{1'b0}} : fill_d;
        if (rst)
            valid_q <= {STAGES{1'b0}};
        else if (en)
            valid_q <= {valid_q[STAGES-2:0], take};
        if (en) begin
            fills_q <= {fills_q[(STAGES-1)*NUM_W-1:0], fill_q};
            total_q <= {total_q[(STAGES-1)*NUM_W-1:0], fill_q + count};
            mark_q <= {mark_q[(STAGES-1)*MARK_W-1:0], s_axis_tlast, s_axis_tuser};
        end
    end

    // ---- shifts ----
    reg  [LINE_W-1:0]  word_q;
    wire [LINE_W-1:0]  shifted;
    genvar s;
    generate
        if (LINE_W > IN_ELEMS * ELEM_W) begin : gen_extend
            always @(posedge clk)
                if (take)
                    word_q <= {{(LINE_W-IN_ELEMS*ELEM_W){1'b0}}, s_axis_tdata};
        end else begin : gen_exact
            always @(posedge clk)
                if (take)
                    word_q <= s_axis_tdata;
        end
        for (s = 0; s < SHIFTS; s = s + 1) begin : gen_shift
            wire [LINE_W-1:0] from;
            wire [LINE_W-1:0] line;
            if (s == 0) begin : gen_first
                assign from = word_q;
            end else begin : gen_next
                assign from = gen_shift[s-1].line;
            end
            localparam [1:0]    BITS = FILL_MASK[2*s +: 2];
            wire [2*COPIES-1:0] by;
            if (COPIES == 1 || BITS == 2'd0) begin : gen_one
                assign by = {COPIES{fills_q[s*NUM_W + 2*s +: 2]}};
            end else begin : gen_copies
                wire [(STAGES+1)*NUM_W-1:0] fills = {fills_q, fill_q};
                wire [2*COPIES-1:0] copies;
                rill_register_copies #(.DATA_W(2), .COPIES(COPIES)) u_by (.clk(clk), .rst(1'b0),
                    .d(en ? fills[s*NUM_W + 2*s +: 2] : copies[1:0]), .q(copies));
                assign by = copies & {COPIES{BITS}};
            end
            rill_element_shift #(.ELEMS(LINE * OUT_ELEMS), .ELEM_W(ELEM_W), .STEP(1 << (2 * s)),
                .COPIES(COPIES)) u_shift (
                .clk(clk), .en(moves[MOVES > 1 ? s + 1 : 0] && valid_q[s]), .by(by), .d(from), .q(line));
        end
        if (SHIFTS == 0) begin : gen_as_is
            assign shifted = word_q;
        end else begin : gen_shifted
            assign shifted = gen_shift[SHIFTS-1].line;
        end
    endgenerate

    // ---- the chunk that becomes the new leftover, if the word fills at least one chunk ----
    wire [NUM_W-1:0]   shifted_total = total_q[SHIFTS*NUM_W +: NUM_W];
    wire [NUM_W-1:0]   shifted_full = shifted_total >> LOG_OUT;
    reg  [LINE_W-1:0]  line_q;
    reg  [CHUNK_W-1:0] tail_q;
    integer c;
    always @(posedge clk) begin
        if (moves[MOVES_LINE] && valid_q[SHIFTS])
            line_q <= shifted;
        if (moves[MOVES_TAIL] && valid_q[SHIFTS]) begin
            tail_q <= {CHUNK_W{1'b0}};
            for (c = 1; c < LINE; c = c + 1)
                if (shifted_full == c[NUM_W-1:0])
                    tail_q <= shifted[c*CHUNK_W +: CHUNK_W];
        end
    end

    // ---- join with the token's leftover, and write to the line buffer ----
    wire               ready = valid_q[END];
    wire               row_last = mark_q[END*MARK_W + USER_W];       // last row-step of the firing
    wire               tok_last = mark_q[END*MARK_W + TOK_W];
    wire [TOK_W-1:0]   tok = mark_q[END*MARK_W +: TOK_W];
    wire [NUM_W-1:0]   total = total_q[END*NUM_W +: NUM_W];
    wire [NUM_W-1:0]   full = total >> LOG_OUT;            // chunks that the word fills
    wire               some_rest = (total & REST_MASK) != {NUM_W{1'b0}};
    wire [1:0]         some_fill;                          // fill is not 0: copies for the line and for the leftover
    generate
        if (COPIES == 1) begin : gen_fill
            assign some_fill = {2{fills_q[END*NUM_W +: NUM_W] != {NUM_W{1'b0}}}};
        end else begin : gen_fills
            rill_register_copies #(.DATA_W(1), .COPIES(2)) u_fill (.clk(clk), .rst(1'b0),
                .d(en ? fills_q[(END-1)*NUM_W +: NUM_W] != {NUM_W{1'b0}} : some_fill[0]), .q(some_fill));
        end
    endgenerate
    reg  [1:0]         put_q;                              // index of the line that is being filled
    reg  [CHUNK_W-1:0] rest_q [0:(1<<TOK_W)-1];           // leftover of each token
    (* ram_style = "distributed" *) reg [LINE_W-1:0] line_mem [0:LINES*(1<<TOK_W)-1];
    // join_rest is a function, so that a simulator computes it only when a line is written.
    function [LINE_W-1:0] join_rest(input [LINE_W-1:0] line, input some, input [CHUNK_W-1:0] rest);
        begin
            join_rest = line;
            join_rest[CHUNK_W-1:0] = line[CHUNK_W-1:0] | (some ? rest : {CHUNK_W{1'b0}});
        end
    endfunction
    always @(posedge clk)
        if (ready && en) begin
            rest_q[tok] <= full == {NUM_W{1'b0}} ? line_q[CHUNK_W-1:0] | (some_fill[1] ? rest_q[tok] : {CHUNK_W{1'b0}})
                : tail_q;
            line_mem[{put_q, tok}] <= join_rest(line_q, some_fill[0], rest_q[tok]);
        end

    wire [NUM_W-1:0]   emits = full + {{(NUM_W-1){1'b0}}, row_last && some_rest}; // chunks that leave per token
    wire               commit = ready && en && tok_last && emits != {NUM_W{1'b0}};
    reg  [1:0]         get_q;                              // index of the line that is being emptied
    reg  [2:0]         used_q;                             // number of filled lines
    reg  [NUM_W-1:0]   last_chunk_q [0:LINES-1];           // number of the line's last chunk
    reg  [TOK_W:0]     last_tok_q [0:LINES-1];             // {tlast, last active token}
    wire               free;                               // a line has been emptied
    wire [2:0]         used_d = used_q + {2'b0, commit} - {2'b0, free};
    wire [2*MOVES+1:0] state;  // {ready, used_q[2]}, for `waits` and for each bit of `moves`
    rill_register_copies #(.DATA_W(2), .COPIES(MOVES + 1)) u_state (.clk(clk), .rst(rst),
        .d({en ? valid_q[END-1] : ready, used_d[2]}), .q(state));
    assign waits = &state[1:0];
    generate
        for (s = 0; s < MOVES; s = s + 1) begin : gen_moves
            assign moves[s] = !(&state[2*s+2 +: 2]);
        end
    endgenerate
    always @(posedge clk) begin
        if (rst) begin
            put_q <= 2'd0;
            get_q <= 2'd0;
            used_q <= 3'd0;
        end else begin
            put_q <= put_q + {1'b0, commit};
            get_q <= get_q + {1'b0, free};
            used_q <= used_d;
        end
        if (commit) begin
            last_chunk_q[put_q] <= emits - 1'b1;
            last_tok_q[put_q] <= {row_last, tok};
        end
    end

    // ---- output: chunk by chunk, token by token ----
    reg  [NUM_W-1:0]   chunk_q;
    reg  [TOK_W-1:0]   tok_q;
    reg                valid_out_q;
    reg  [CHUNK_W-1:0] data_out_q;
    reg  [USER_W-1:0]  user_out_q;
    reg                last_out_q;
    wire               send = used_q != 3'd0 && (m_axis_tready || !valid_out_q);
    wire               at_tok = tok_q == last_tok_q[get_q][TOK_W-1:0];
    wire               at_chunk = chunk_q == last_chunk_q[get_q];
    assign free = send && at_tok && at_chunk;
    integer g;
    always @(posedge clk) begin
        if (rst) begin
            valid_out_q <= 1'b0;
            chunk_q <= {NUM_W{1'b0}};
            tok_q <= {TOK_W{1'b0}};
        end else begin
            valid_out_q <= send || (valid_out_q && !m_axis_tready);
            if (send) begin
                tok_q <= at_tok ? {TOK_W{1'b0}} : tok_q + 1'b1;
                if (at_tok)
                    chunk_q <= at_chunk ? {NUM_W{1'b0}} : chunk_q + 1'b1;
            end
        end
        if (send) begin
            for (g = 0; g < LINE; g = g + 1)
                if (chunk_q == g[NUM_W-1:0])
                    data_out_q <= line_mem[{get_q, tok_q}][g*CHUNK_W +: CHUNK_W];
            user_out_q <= {at_tok, tok_q};
            last_out_q <= at_tok && at_chunk && last_tok_q[get_q][TOK_W];
        end
    end
    assign m_axis_tvalid = valid_out_q;
    assign m_axis_tdata = data_out_q;
    assign m_axis_tuser = user_out_q;
    assign m_axis_tlast = last_out_q;

`ifdef RILL_ASSERT
    always @(posedge clk)
        if (!rst && take) begin
            assert (count != {NUM_W{1'b0}} && count <= FULL_STEP);
            assert (DENSE == 0 || s_axis_tlast || !s_axis_tuser[TOK_W] || count == FULL_STEP);
        end
`endif
endmodule

`default_nettype wire
