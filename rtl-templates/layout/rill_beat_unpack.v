// SPDX-License-Identifier: Apache-2.0
// Converts memory beats to words. It splits a wide beat into several words, the first in the low bits, or gathers
// several beats into a wide word, the first beat in the low bits.
//
// In: the beats of a firing, which hold WORDS words without gaps. Bits of the last beat beyond the last word are
// padding and are dropped.
// Out: WORDS words with tlast on the last one. Each firing begins with a new beat.
// BEAT_BITS >= WORD_W: one word per cycle, one beat every BEAT_BITS/WORD_W cycles, latency 1 cycle. BEAT_BITS < WORD_W:
// one beat per cycle, one word every WORD_W/BEAT_BITS cycles, latency 1 cycle from the word's last beat.
// Reset: clk, synchronous active-high rst; control only. tready is low in reset.
//
// name       meaning                                                             unit   range
// BEAT_BITS  width of a beat                                                     bits   1 or more
// WORD_W     width of a word; BEAT_BITS times a power of two, or divided by one  bits   1 or more
// WORDS      words of a firing                                                   words  1 or more
`default_nettype none

module rill_beat_unpack #(
    parameter BEAT_BITS = 0,
    parameter WORD_W = 0,
    parameter WORDS = 0
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire                 s_axis_tvalid,
    output wire                 s_axis_tready,
    input  wire [BEAT_BITS-1:0] s_axis_tdata,
    output wire                 m_axis_tvalid,
    input  wire                 m_axis_tready,
    output wire [WORD_W-1:0]    m_axis_tdata,
    output wire                 m_axis_tlast
);
    localparam IS_SPLIT = BEAT_BITS >= WORD_W;
    localparam WIDE = IS_SPLIT ? BEAT_BITS : WORD_W;
    localparam NARROW = IS_SPLIT ? WORD_W : BEAT_BITS;
    localparam RATIO = NARROW > 0 ? WIDE / NARROW : 1;
    localparam PLACE_W = RATIO > 1 ? $clog2(RATIO) : 1;
    localparam WORDS_W = WORDS > 1 ? $clog2(WORDS) : 1;
    localparam [31:0] LAST_WORD_32 = WORDS - 1;
    localparam [31:0] LAST_PLACE_32 = RATIO - 1;
    localparam [WORDS_W-1:0] LAST_WORD = LAST_WORD_32[WORDS_W-1:0];
    localparam [PLACE_W-1:0] LAST_PLACE = LAST_PLACE_32[PLACE_W-1:0];

    generate
        if (BEAT_BITS < 1 || WORD_W < 1 || WORDS < 1) begin : gen_bad_size
            rill_error_BEAT_BITS_WORD_W_and_WORDS_must_be_at_least_1 u_error ();
        end else if (RATIO * NARROW != WIDE || (RATIO & (RATIO - 1)) != 0) begin : gen_bad_ratio
            rill_error_the_ratio_of_BEAT_BITS_and_WORD_W_must_be_a_power_of_two u_error ();
        end
    endgenerate

    reg                open_q;               // low in reset
    reg                valid_q;
    reg  [WIDE-1:0]    wide_q;
    // IS_SPLIT: the place of the output word in its beat. Otherwise: the place of the next beat in its word.
    reg  [PLACE_W-1:0] place_q;
    reg  [WORDS_W-1:0] word_q;               // number of the word at the output, or of the word that is gathered
    wire               last = word_q == LAST_WORD;
    wire               take = s_axis_tvalid && s_axis_tready;
    wire               sent = m_axis_tvalid && m_axis_tready;

    assign m_axis_tvalid = valid_q;
    assign m_axis_tdata = wide_q[WORD_W-1:0];
    assign m_axis_tlast = last;
    always @(posedge clk) begin
        open_q <= !rst;
        if (rst)
            word_q <= {WORDS_W{1'b0}};
        else if (sent)
            word_q <= last ? {WORDS_W{1'b0}} : word_q + 1'b1;
    end

    generate
        if (IS_SPLIT) begin : gen_split
            wire emptied = sent && (last || place_q == LAST_PLACE);
            assign s_axis_tready = open_q && (emptied || !valid_q);
            always @(posedge clk) begin
                if (rst)
                    valid_q <= 1'b0;
                else if (emptied || !valid_q)
                    valid_q <= take;
                if (take) begin
                    wide_q <= s_axis_tdata;
                    place_q <= {PLACE_W{1'b0}};
                end else if (sent) begin
                    wide_q <= wide_q >> (RATIO > 1 ? NARROW : 0);
                    place_q <= place_q + 1'b1;
                end
            end
        end else begin : gen_gather
            wire filled = take && place_q == LAST_PLACE;
            assign s_axis_tready = open_q && (m_axis_tready || !valid_q);
            always @(posedge clk) begin
                if (rst) begin
                    valid_q <= 1'b0;
                    place_q <= {PLACE_W{1'b0}};
                end else begin
                    valid_q <= filled || (valid_q && !m_axis_tready);
                    if (take)
                        place_q <= filled ? {PLACE_W{1'b0}} : place_q + 1'b1;
                end
                if (take)
                    wide_q <= {s_axis_tdata, wide_q[WIDE-1:NARROW]};
            end
        end
    endgenerate
endmodule

`default_nettype wire
