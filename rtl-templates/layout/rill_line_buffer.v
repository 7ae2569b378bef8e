// SPDX-License-Identifier: Apache-2.0
// Line buffer: takes an image in row-major order and sends the patches of it that a convolution or a pooling needs.
//
// An image has ROWS x PIXELS pixels of WORDS words. Along each axis (_Y: rows, _X: pixels of a row) there are PLACES
// patches of TAPS pixels, which are DILATION pixels apart. A patch begins STRIDE pixels after the previous one, and the
// first patch begins BEFORE pixels before the image. Patches leave in row-major order of their places, and so do the
// pixels of a patch. Pixels outside the image are PAD. BEFORE is at most (TAPS - 1) * DILATION, so that the first patch
// reaches the image.
// A ring of BUFFER words holds the newest words of the image. A new word is taken as soon as no present or later patch
// needs the word that it overwrites.
// A firing is one image. m_axis_tlast ends the last patch; s_axis_tlast is ignored. Tokens are innermost on both sides:
// each word comes once per active token, tuser = {tok_last, tok}. The number of active tokens may change from image to
// image. The first words of the next image are taken while the last patches are read.
// Throughput: one word per cycle out. Latency from the last token of a word in to the word out: 3 cycles for the first
// word of an image, 2 cycles for the others.
// Reset: clk, synchronous active-high rst; control only. tready is low in reset.
//
// name        meaning                                                   unit    range
// DATA_W      width of a word                                           bits    1 or more
// TOKENS      tokens per step, a power of two                           tokens  1 or more
// ROWS        rows of the image                                         rows    1 or more
// PIXELS      pixels of a row                                           pixels  1 or more
// WORDS       words of a pixel                                          words   1 or more
// PLACES_Y    rows of patches                                           rows    1 or more
// PLACES_X    patches in a row of patches                               patches  1 or more
// STRIDE_Y    distance from a row of patches to the next                rows    1 or more
// STRIDE_X    distance from a patch to the next                         pixels  1 or more
// TAPS_Y      rows of a patch                                           rows    1 or more
// TAPS_X      pixels of a row of a patch                                pixels  1 or more
// DILATION_Y  distance from a row of a patch to the next                rows    1 or more
// DILATION_X  distance from a pixel of a patch to the next              pixels  1 or more
// BEFORE_Y    rows of the first patches above the image                 rows    0 or more
// BEFORE_X    pixels of the first patches left of the image             pixels  0 or more
// BUFFER      words of the ring, per token (gen/ir/itensor.h computes   words   1 or more
//             it)
// PAD         a word outside the image                                  -       any
// RAM_STYLE   style of the storage, as in rill_ram_sdp                  -       "auto", "distributed", "block", "ultra"
// USER_W      width of tuser                                            bits    derived
`default_nettype none

module rill_line_buffer #(
    parameter DATA_W = 0,
    parameter TOKENS = 0,
    parameter ROWS = 1,
    parameter PIXELS = 0,
    parameter WORDS = 0,
    parameter PLACES_Y = 1,
    parameter PLACES_X = 0,
    parameter STRIDE_Y = 1,
    parameter STRIDE_X = 1,
    parameter TAPS_Y = 1,
    parameter TAPS_X = 1,
    parameter DILATION_Y = 1,
    parameter DILATION_X = 1,
    parameter BEFORE_Y = 0,
    parameter BEFORE_X = 0,
    parameter BUFFER = 0,
    parameter [DATA_W-1:0] PAD = 0,
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
    generate
        if (DATA_W < 1 || ROWS < 1 || PIXELS < 1 || WORDS < 1) begin : gen_bad_size
            rill_error_DATA_W_ROWS_PIXELS_and_WORDS_must_be_at_least_1 u_error ();
        end
        if (TOKENS < 1 || (TOKENS & (TOKENS - 1)) != 0) begin : gen_bad_tokens
            rill_error_TOKENS_must_be_a_power_of_two u_error ();
        end
        if (PLACES_Y < 1 || PLACES_X < 1 || STRIDE_Y < 1 || STRIDE_X < 1 || TAPS_Y < 1 || TAPS_X < 1
            || DILATION_Y < 1 || DILATION_X < 1) begin : gen_bad_patch
            rill_error_PLACES_STRIDE_TAPS_and_DILATION_must_be_at_least_1 u_error ();
        end
        if (BEFORE_Y < 0 || BEFORE_X < 0 || BEFORE_Y > (TAPS_Y - 1) * DILATION_Y
            || BEFORE_X > (TAPS_X - 1) * DILATION_X || (PLACES_Y - 1) * STRIDE_Y - BEFORE_Y >= ROWS
            || (PLACES_X - 1) * STRIDE_X - BEFORE_X >= PIXELS) begin : gen_bad_place
            rill_error_every_patch_must_reach_the_image u_error ();
        end
        if (BUFFER < 1 || BUFFER > ROWS * PIXELS * WORDS) begin : gen_bad_buffer
            rill_error_BUFFER_must_be_1_to_the_words_of_the_image u_error ();
        end
    endgenerate

    localparam TOK_W = USER_W - 1;
    localparam LINE = PIXELS * WORDS;                      // words per row of the image
    localparam SIZE = ROWS * LINE;
    localparam TAP_SPAN_Y = (TAPS_Y - 1) * DILATION_Y;
    localparam TAP_SPAN_X = (TAPS_X - 1) * DILATION_X;
    localparam PATCH_SPAN = TAP_SPAN_Y * LINE + TAP_SPAN_X * WORDS + WORDS - 1;
    localparam PLACE_SPAN = (PLACES_Y - 1) * STRIDE_Y * LINE + (PLACES_X - 1) * STRIDE_X * WORDS;
    // Distance from the first word of the first patch to the first word of the image
    localparam ORIGIN = BEFORE_Y * LINE + BEFORE_X * WORDS;
    // Counts of words wrap around. Their differences, at most two images and a patch, keep their sign.
    localparam COUNT_W = $clog2(2 * (SIZE + PATCH_SPAN + ORIGIN + 2)) + 2;
    localparam SLOT_W = BUFFER > 1 ? $clog2(BUFFER) : 1;
    localparam Y_W = $clog2(ROWS + TAP_SPAN_Y + BEFORE_Y + STRIDE_Y + 1) + 2;
    localparam X_W = $clog2(PIXELS + TAP_SPAN_X + BEFORE_X + STRIDE_X + 1) + 2;

    // Returns the width of a counter of this many values, at least 1.
    function integer bits(input integer values);
        bits = values > 1 ? $clog2(values) : 1;
    endfunction
    localparam SIZE_W = bits(SIZE);
    localparam WORD_W = bits(WORDS);
    localparam TAP_X_W = bits(TAPS_X);
    localparam TAP_Y_W = bits(TAPS_Y);
    localparam PLACE_X_W = bits(PLACES_X);
    localparam PLACE_Y_W = bits(PLACES_Y);

    // Returns the distance from a word of a patch to the next word that leaves, in words of the image. `level` is the
    // outermost loop that moves on; WORD is the innermost loop.
    localparam WORD = 0;
    localparam TAP_X = 1;
    localparam TAP_Y = 2;
    localparam PLACE_X = 3;
    localparam PLACE_Y = 4;
    localparam IMAGE = 5;
    function integer move(input integer level);
        case (level)
            WORD: move = 1;
            TAP_X: move = DILATION_X * WORDS - (WORDS - 1);
            TAP_Y: move = DILATION_Y * LINE - TAP_SPAN_X * WORDS - (WORDS - 1);
            PLACE_X: move = STRIDE_X * WORDS - PATCH_SPAN;
            PLACE_Y: move = STRIDE_Y * LINE - (PLACES_X - 1) * STRIDE_X * WORDS - PATCH_SPAN;
            default: move = SIZE - PLACE_SPAN - PATCH_SPAN;
        endcase
    endfunction
    // Converts a distance in the image to a distance in the ring, 0 to BUFFER - 1.
    function integer ring(input integer distance);
        ring = distance < 0 ? (BUFFER - (0 - distance) % BUFFER) % BUFFER : distance % BUFFER;
    endfunction

    // ---- input ----
    reg                open_q;                             // a word can be taken; low in reset
    reg  [COUNT_W-1:0] arrived_q;                          // complete words that have arrived, over all images
    reg  [SLOT_W-1:0]  slot_q;                             // slot of the next word
    reg  [SIZE_W-1:0]  left_q;                             // words of the image after the next word
    reg                parity_q;                           // parity of the image's number
    reg  [TOK_W-1:0]   last_tok_q [0:1];                   // last active token of the images of each parity
    wire [COUNT_W-1:0] oldest;                             // oldest word that is still needed
    wire               push = s_axis_tvalid && s_axis_tready;
    wire               word_in = push && s_axis_tuser[TOK_W];
    localparam [31:0]  SIZE_32 = SIZE;
    localparam [31:0]  BUFFER_32 = BUFFER;
    localparam [31:0]  TOP_32 = BUFFER - 1;
    localparam [31:0]  LAST_32 = SIZE - 1;
    wire [COUNT_W-1:0] arrived_d = arrived_q + {{(COUNT_W-1){1'b0}}, word_in};
    wire [COUNT_W-1:0] room_d = BUFFER_32[COUNT_W-1:0] + oldest - arrived_d;
    assign s_axis_tready = open_q;
    always @(posedge clk) begin
        if (rst) begin
            open_q <= 1'b0;
            arrived_q <= {COUNT_W{1'b0}};
            slot_q <= {SLOT_W{1'b0}};
            left_q <= LAST_32[SIZE_W-1:0];
            parity_q <= 1'b0;
        end else begin
            open_q <= !room_d[COUNT_W-1] && room_d != {COUNT_W{1'b0}};
            arrived_q <= arrived_d;
            if (word_in) begin
                slot_q <= slot_q == TOP_32[SLOT_W-1:0] ? {SLOT_W{1'b0}} : slot_q + 1'b1;
                left_q <= left_q == {SIZE_W{1'b0}} ? LAST_32[SIZE_W-1:0] : left_q - 1'b1;
                parity_q <= parity_q ^ (left_q == {SIZE_W{1'b0}});
            end
        end
        if (word_in)
            last_tok_q[parity_q] <= s_axis_tuser[TOK_W-1:0];
    end

    // ---- output: the place of the next word in the nested loops ----
    reg  [WORD_W-1:0]   word_q;
    reg  [TAP_X_W-1:0]  tap_x_q;
    reg  [TAP_Y_W-1:0]  tap_y_q;
    reg  [PLACE_X_W-1:0] place_x_q;
    reg  [PLACE_Y_W-1:0] place_y_q;
    localparam [31:0] LAST_WORD = WORDS - 1;
    localparam [31:0] LAST_TAP_X = TAPS_X - 1;
    localparam [31:0] LAST_TAP_Y = TAPS_Y - 1;
    localparam [31:0] LAST_PLACE_X = PLACES_X - 1;
    localparam [31:0] LAST_PLACE_Y = PLACES_Y - 1;
    wire word_ends = word_q == LAST_WORD[WORD_W-1:0];
    wire row_ends = word_ends && tap_x_q == LAST_TAP_X[TAP_X_W-1:0];
    wire patch_ends = row_ends && tap_y_q == LAST_TAP_Y[TAP_Y_W-1:0];
    wire places_end = patch_ends && place_x_q == LAST_PLACE_X[PLACE_X_W-1:0];
    wire image_ends = places_end && place_y_q == LAST_PLACE_Y[PLACE_Y_W-1:0];
    reg  [2:0] moves;                                      // the outermost loop that moves on
    always @*
        if (image_ends) moves = IMAGE;
        else if (places_end) moves = PLACE_Y;
        else if (patch_ends) moves = PLACE_X;
        else if (row_ends) moves = TAP_Y;
        else if (word_ends) moves = TAP_X;
        else moves = WORD;

    // Distances to the next word, in the image and in the ring, for each loop that can move on.
    function [6*32-1:0] moves_of(input integer in_ring);
        integer outer;
        begin
            moves_of = {6*32{1'b0}};
            for (outer = WORD; outer <= IMAGE; outer = outer + 1)
                moves_of[outer*32 +: 32] = in_ring != 0 ? ring(move(outer)) : move(outer);
        end
    endfunction
    localparam [6*32-1:0] MOVES = moves_of(0);
    localparam [6*32-1:0] RING_MOVES = moves_of(1);
    reg  [COUNT_W-1:0] by;
    reg  [SLOT_W:0]    by_slot;
    integer l;
    always @* begin
        by = {COUNT_W{1'b0}};
        by_slot = {(SLOT_W+1){1'b0}};
        for (l = WORD; l <= IMAGE; l = l + 1)
            if (moves == l[2:0]) begin
                by = MOVES[l*32 +: COUNT_W];
                by_slot = RING_MOVES[l*32 +: SLOT_W+1];
            end
    end

    wire               next_word;                          // the next word is wanted
    reg  [COUNT_W-1:0] lead_q;                             // arrived_q less the next word's number; above 0: it arrived
    reg  [SLOT_W-1:0]  read_q;                             // slot of the next word
    reg  [Y_W-1:0]     top_q;                              // first row of the patch
    reg  [X_W-1:0]     edge_q;                             // first pixel of the patch
    reg  [Y_W-1:0]     y_q;                                // row of the next word
    reg  [X_W-1:0]     x_q;                                // pixel of the next word
    wire [SLOT_W:0]    sum = {1'b0, read_q} + by_slot;
    wire [SLOT_W:0]    over = sum - BUFFER_32[SLOT_W:0];
    localparam integer FIRST_SLOT = ring(-ORIGIN);
    localparam [31:0] FIRST_Y = -BEFORE_Y;
    localparam [31:0] FIRST_X = -BEFORE_X;
    localparam [31:0] ORIGIN_32 = ORIGIN;
    localparam [31:0] STRIDE_Y_32 = STRIDE_Y;
    localparam [31:0] STRIDE_X_32 = STRIDE_X;
    localparam [31:0] DILATION_Y_32 = DILATION_Y;
    localparam [31:0] DILATION_X_32 = DILATION_X;
    localparam [31:0] ROWS_32 = ROWS;
    localparam [31:0] PIXELS_32 = PIXELS;
    wire [Y_W-1:0] top_d = image_ends ? FIRST_Y[Y_W-1:0] : places_end ? top_q + STRIDE_Y_32[Y_W-1:0] : top_q;
    wire [X_W-1:0] edge_d = places_end ? FIRST_X[X_W-1:0] : patch_ends ? edge_q + STRIDE_X_32[X_W-1:0] : edge_q;
    always @(posedge clk) begin
        if (rst) begin
            word_q <= {WORD_W{1'b0}};
            tap_x_q <= {TAP_X_W{1'b0}};
            tap_y_q <= {TAP_Y_W{1'b0}};
            place_x_q <= {PLACE_X_W{1'b0}};
            place_y_q <= {PLACE_Y_W{1'b0}};
            lead_q <= ORIGIN_32[COUNT_W-1:0];
            read_q <= FIRST_SLOT[SLOT_W-1:0];
            top_q <= FIRST_Y[Y_W-1:0];
            edge_q <= FIRST_X[X_W-1:0];
            y_q <= FIRST_Y[Y_W-1:0];
            x_q <= FIRST_X[X_W-1:0];
        end else begin
            lead_q <= lead_q + {{(COUNT_W-1){1'b0}}, word_in} - (next_word ? by : {COUNT_W{1'b0}});
            if (next_word) begin
                word_q <= word_ends ? {WORD_W{1'b0}} : word_q + 1'b1;
                if (word_ends)
                    tap_x_q <= row_ends ? {TAP_X_W{1'b0}} : tap_x_q + 1'b1;
                if (row_ends)
                    tap_y_q <= patch_ends ? {TAP_Y_W{1'b0}} : tap_y_q + 1'b1;
                if (patch_ends)
                    place_x_q <= places_end ? {PLACE_X_W{1'b0}} : place_x_q + 1'b1;
                if (places_end)
                    place_y_q <= image_ends ? {PLACE_Y_W{1'b0}} : place_y_q + 1'b1;
                read_q <= over[SLOT_W] ? sum[SLOT_W-1:0] : over[SLOT_W-1:0];
                top_q <= top_d;
                edge_q <= edge_d;
                y_q <= patch_ends ? top_d : row_ends ? y_q + DILATION_Y_32[Y_W-1:0] : y_q;
                x_q <= row_ends ? edge_d : word_ends ? x_q + DILATION_X_32[X_W-1:0] : x_q;
            end
        end
    end

    // ---- the oldest word that is needed ----
    // This is the first word of the present patch that is inside the image. But while the next row of patches begins in
    // the same row of the image (hold_q), all words of this row are kept.
    // image_q: number of the image's first word, counted over all images. line_q: number of the first word of the
    // patch's first row inside the image. pixel_q: offset of the patch's first pixel in this row.
    reg  [COUNT_W-1:0] image_q;
    reg  [COUNT_W-1:0] line_q;
    reg  [COUNT_W-1:0] pixel_q;
    reg                hold_q;
    wire               inside_top = !top_d[Y_W-1] && top_d != {Y_W{1'b0}};
    wire               inside_edge = !edge_d[X_W-1] && edge_d != {X_W{1'b0}};
    // The first patch that begins inside the image begins less than a stride from its edge. FIRST_LINES and FIRST_WORDS
    // are these distances in words, and MORE_LINES and MORE_WORDS the distances from one later patch to the next.
    localparam [31:0]  FIRST_LINES = (STRIDE_Y - BEFORE_Y % STRIDE_Y) % STRIDE_Y * LINE;
    localparam [31:0]  MORE_LINES = STRIDE_Y * LINE;
    localparam [31:0]  FIRST_WORDS = (STRIDE_X - BEFORE_X % STRIDE_X) % STRIDE_X * WORDS;
    localparam [31:0]  MORE_WORDS = STRIDE_X * WORDS;
    wire               first_line = top_d < STRIDE_Y_32[Y_W-1:0];
    wire               first_pixel = edge_d < STRIDE_X_32[X_W-1:0];
    wire [Y_W-1:0]     next_top = top_d + STRIDE_Y_32[Y_W-1:0];
    wire [PLACE_Y_W-1:0] place_y_d = image_ends ? {PLACE_Y_W{1'b0}} : places_end ? place_y_q + 1'b1 : place_y_q;
    wire               hold_d = (next_top[Y_W-1] || next_top == {Y_W{1'b0}})
        && place_y_d != LAST_PLACE_Y[PLACE_Y_W-1:0];
    localparam HOLD_FIRST = STRIDE_Y <= BEFORE_Y && PLACES_Y > 1 ? 1'b1 : 1'b0;
    always @(posedge clk)
        if (rst) begin
            image_q <= {COUNT_W{1'b0}};
            line_q <= {COUNT_W{1'b0}};
            pixel_q <= {COUNT_W{1'b0}};
            hold_q <= HOLD_FIRST;
        end else if (next_word) begin
            if (image_ends) begin
                image_q <= image_q + SIZE_32[COUNT_W-1:0];
                line_q <= image_q + SIZE_32[COUNT_W-1:0];
            end else if (places_end && inside_top)
                line_q <= line_q + (first_line ? FIRST_LINES[COUNT_W-1:0] : MORE_LINES[COUNT_W-1:0]);
            if (places_end)
                pixel_q <= {COUNT_W{1'b0}};
            else if (patch_ends && inside_edge)
                pixel_q <= pixel_q + (first_pixel ? FIRST_WORDS[COUNT_W-1:0] : MORE_WORDS[COUNT_W-1:0]);
            hold_q <= hold_d;
        end
    reg  [COUNT_W-1:0] oldest_q;
    always @(posedge clk)
        oldest_q <= rst ? {COUNT_W{1'b0}} : hold_q ? line_q : line_q + pixel_q;
    assign oldest = oldest_q;

    // ---- reads from the ring ----
    reg                    begun_q;  // a word of the image has arrived, so the number of its tokens is known
    reg                    read_parity_q;
    reg  [TOK_W-1:0]       tok_q;
    reg                    valid_q;
    reg  [USER_W-1:0]      user_q;
    reg                    last_q;
    reg                    pad_q;
    wire [COUNT_W-1:0]     since = arrived_q - image_q;    // above 0: words of the image have arrived
    wire                   in_image = !y_q[Y_W-1] && y_q < ROWS_32[Y_W-1:0] && !x_q[X_W-1] && x_q < PIXELS_32[X_W-1:0];
    wire                   here = !lead_q[COUNT_W-1] && lead_q != {COUNT_W{1'b0}};
    wire                   fetch = begun_q && (here || !in_image) && (m_axis_tready || !valid_q);
    wire                   at_tok = tok_q == last_tok_q[read_parity_q];
    assign next_word = fetch && at_tok;
    always @(posedge clk) begin
        if (rst) begin
            begun_q <= 1'b0;
            read_parity_q <= 1'b0;
            tok_q <= {TOK_W{1'b0}};
            valid_q <= 1'b0;
        end else begin
            begun_q <= !(next_word && image_ends) && (begun_q || (!since[COUNT_W-1] && since != {COUNT_W{1'b0}}));
            read_parity_q <= read_parity_q ^ (next_word && image_ends);
            if (fetch)
                tok_q <= at_tok ? {TOK_W{1'b0}} : tok_q + 1'b1;
            valid_q <= fetch || (valid_q && !m_axis_tready);
        end
        if (fetch) begin
            user_q <= {at_tok, tok_q};
            last_q <= at_tok && image_ends;
            pad_q <= !in_image;
        end
    end
    wire [DATA_W-1:0] kept;
    assign m_axis_tvalid = valid_q;
    assign m_axis_tuser = user_q;
    assign m_axis_tlast = last_q;
    assign m_axis_tdata = pad_q ? PAD : kept;

    localparam ADDR_W = BUFFER * TOKENS > 1 ? $clog2(BUFFER * TOKENS) : 1;
    wire [ADDR_W-1:0] write_addr;
    wire [ADDR_W-1:0] read_addr;
    generate
        if (TOKENS > 1 && BUFFER == 1) begin : gen_one_word
            assign write_addr = s_axis_tuser[TOK_W-1:0];
            assign read_addr = tok_q;
        end else if (TOKENS > 1) begin : gen_tokens
            assign write_addr = {slot_q, s_axis_tuser[TOK_W-1:0]};
            assign read_addr = {read_q, tok_q};
        end else begin : gen_one_token
            assign write_addr = slot_q;
            assign read_addr = read_q;
        end
    endgenerate
    rill_ram_sdp #(.DATA_W(DATA_W), .DEPTH(BUFFER * TOKENS), .RAM_STYLE(RAM_STYLE)) u_ram (
        .clk(clk), .write_en(push), .write_addr(write_addr), .write_strobe(1'b1), .write_data(s_axis_tdata),
        .read_en(fetch), .read_addr(read_addr), .read_data(kept));

    wire unused = s_axis_tlast;
endmodule

`default_nettype wire
