// SPDX-License-Identifier: Apache-2.0
// Operand buffer of the matrix engine: two banks of mx units (BEAT_BITS / 8 mantissas each), so one bank is written
// from the stream while the other one is read.
//
// Write: s_axis_x, one unit {shift[7:0], q} per word, tokens in any order. The buffer counts the units of each token.
// tlast ends the operand and fills the bank. tready is low while both banks are full.
// Read: read_tok and read_unit_pair name two neighbouring units of the older operand. They are on unit_0 and unit_1,
// with the exponents of their blocks on shift_0 and shift_1, 2 cycles later (registered address, registered RAM read).
// TURN_TOKENS 2, 4: read_tok names a turn. The units of its tokens are next to each other, token TURN_TOKENS * read_tok
// in the low bits. Units of a token that the operand does not have are old data.
// filled: one pulse per operand; from this cycle on the operand may be read. part: one pulse per unit of the last
// token; from this cycle on this unit of all tokens may be read.
// free: a pulse in or after the cycle of the last read of an operand. It releases the operand's bank, and reads go to
// the other bank.
// A unit is written in the cycle after it was taken. No permitted read is early enough to see the old contents.
// copy_write, copy_read: writes and reads for a copy of the memory on another die (rill_x_copy), in the same cycles as
// here, from registers that have no other load.
// Throughput: one unit in and one pair of units out per cycle. Reset: clk, synchronous active-high rst; the operands
// are lost.
//
// name         meaning                                            unit    range
// BEAT_BITS    width of a memory beat                             bits    256, 512
// TOKENS       tokens per step, upper bound                       tokens  1, 2, 4, 8
// X_UNITS      units of an operand, per token, even, upper bound  units   2 or more
// TURN_TOKENS  tokens that are read at a time, at most TOKENS     tokens  1, 2, 4
// X_BITS       width of a mantissa                                bits    8, 10
// COPIED       1: another die has a copy; 0: none, copy_write     -       0, 1
//              and copy_read are 0
// TOK_W        width of a token's number                          bits    derived
// TURN_W       width of read_tok                                  bits    derived
// UNIT_PAIR_W  width of read_unit_pair                            bits    derived
// ADDR_W       width of an address of the memory                  bits    derived
`default_nettype none

module rill_x_buffer #(
    parameter BEAT_BITS = 0,
    parameter TOKENS = 0,
    parameter X_UNITS = 0,
    parameter TURN_TOKENS = 1,
    parameter X_BITS = 8,
    parameter COPIED = 0,
    parameter TOK_W = TOKENS > 1 ? $clog2(TOKENS) : 1,
    parameter TURN_W = TOK_W > $clog2(TURN_TOKENS) ? TOK_W - $clog2(TURN_TOKENS) : 1,
    parameter UNIT_PAIR_W = X_UNITS > 2 ? $clog2(X_UNITS / 2) : 1,
    parameter ADDR_W = 1 + (TOKENS > TURN_TOKENS ? TURN_W : 0) + UNIT_PAIR_W
) (
    input  wire                 clk,
    input  wire                 rst,

    input  wire                 s_axis_x_tvalid,
    output wire                 s_axis_x_tready,
    input  wire [BEAT_BITS/8*X_BITS+7:0] s_axis_x_tdata,  // {shift, q}
    input  wire [TOK_W:0]       s_axis_x_tuser,  // {tok_last, tok}
    input  wire                 s_axis_x_tlast,

    output reg                  filled,
    output reg                  part,
    input  wire                 free,
    input  wire [TURN_W-1:0]    read_tok,
    input  wire [UNIT_PAIR_W-1:0] read_unit_pair,
    output wire [TURN_TOKENS*(BEAT_BITS/8*X_BITS)-1:0] unit_0,
    output wire [TURN_TOKENS*(BEAT_BITS/8*X_BITS)-1:0] unit_1,
    output wire [TURN_TOKENS*8-1:0] shift_0,
    output wire [TURN_TOKENS*8-1:0] shift_1,
    output wire [2*TURN_TOKENS+ADDR_W+BEAT_BITS/8*X_BITS+7:0] copy_write, // {word, address, an enable per memory}
    output wire [ADDR_W-1:0]    copy_read
);
    localparam UNIT_BITS = BEAT_BITS / 8 * X_BITS;
    localparam WORD_W = UNIT_BITS + 8;
    localparam TURNS = TOKENS > TURN_TOKENS ? TOKENS / TURN_TOKENS : 1;
    localparam UNIT_W = UNIT_PAIR_W + 1;
    localparam PLACE_W = $clog2(TURN_TOKENS);              // width of a token's number in its turn

    generate
        if (BEAT_BITS != 256 && BEAT_BITS != 512) begin : gen_bad_beat
            rill_error_BEAT_BITS_must_be_256_or_512 u_error ();
        end
        if (X_BITS != 8 && X_BITS != 10) begin : gen_bad_x
            rill_error_X_BITS_must_be_8_or_10 u_error ();
        end
        if (TOKENS != 1 && TOKENS != 2 && TOKENS != 4 && TOKENS != 8) begin : gen_bad_tokens
            rill_error_TOKENS_must_be_1_2_4_or_8 u_error ();
        end
        if (X_UNITS < 2 || X_UNITS % 2 != 0) begin : gen_bad_units
            rill_error_X_UNITS_must_be_even_and_at_least_2 u_error ();
        end
        if ((TURN_TOKENS != 1 && TURN_TOKENS != 2 && TURN_TOKENS != 4) || TOKENS < TURN_TOKENS) begin : gen_bad_turn
            rill_error_TURN_TOKENS_must_be_1_2_or_4_and_at_most_TOKENS u_error ();
        end
    endgenerate

    reg               open_q;                  // low in reset
    reg               write_bank_q;            // bank that is filled
    reg               read_bank_q;             // bank of the older operand
    reg  [1:0]        full_q;                  // bit b: bank b is full
    wire              take = s_axis_x_tvalid && s_axis_x_tready;
    wire              fill = take && s_axis_x_tlast;

    assign s_axis_x_tready = open_q && !full_q[write_bank_q];

    always @(posedge clk)
        if (rst) begin
            open_q <= 1'b0;
            write_bank_q <= 1'b0;
            read_bank_q <= 1'b0;
            full_q <= 2'd0;
            filled <= 1'b0;
            part <= 1'b0;
        end else begin
            open_q <= 1'b1;
            filled <= fill;
            part <= take && s_axis_x_tuser[TOK_W];
            if (fill) begin
                full_q[write_bank_q] <= 1'b1;
                write_bank_q <= !write_bank_q;
            end
            if (free) begin
                full_q[read_bank_q] <= 1'b0;
                read_bank_q <= !read_bank_q;
            end
        end

    // Number of the next unit of each token.
    reg  [UNIT_W-1:0] unit_q [0:TOKENS-1];
    wire [TOK_W-1:0]  write_tok = s_axis_x_tuser[TOK_W-1:0];
    wire [UNIT_W-1:0] write_unit = unit_q[write_tok];
    integer t;
    always @(posedge clk)
        for (t = 0; t < TOKENS; t = t + 1)
            if (rst || fill)
                unit_q[t] <= {UNIT_W{1'b0}};
            else if (take && write_tok == t[TOK_W-1:0])
                unit_q[t] <= write_unit + 1'b1;

    (* keep = "true" *) reg [ADDR_W-1:0] read_addr_q;
    wire [ADDR_W-1:0] write_addr;
    wire [ADDR_W-1:0] read_addr;
    generate
        if (TURNS > 1) begin : gen_tokens
            assign write_addr = {write_bank_q, write_tok[TOK_W-1:PLACE_W], write_unit[UNIT_W-1:1]};
            assign read_addr = {read_bank_q, read_tok, read_unit_pair};
        end else begin : gen_token
            wire unused = &{1'b0, read_tok};
            assign write_addr = {write_bank_q, write_unit[UNIT_W-1:1]};
            assign read_addr = {read_bank_q, read_unit_pair};
        end
    endgenerate
    always @(posedge clk)
        read_addr_q <= read_addr;

    // Memories of each token of a turn, for even and for odd units.
    wire [2*TURN_TOKENS-1:0] write_en;
    genvar a;
    generate
        for (a = 0; a < TURN_TOKENS; a = a + 1) begin : gen_array
            localparam [31:0] MINE = a;
            localparam MINE_W = TURN_TOKENS > 1 ? PLACE_W : 1;
            wire mine = TURN_TOKENS == 1 || write_tok[MINE_W-1:0] == MINE[MINE_W-1:0];
            assign write_en[2*a +: 2] = {take && mine && write_unit[0], take && mine && !write_unit[0]};
        end
        if (COPIED != 0) begin : gen_copied
            // Registers for the copy only, because registers before a crossing should have no other load.
            (* keep = "true", user_sll_reg = "true" *) reg [ADDR_W-1:0]                      copy_addr_q;
            (* keep = "true", user_sll_reg = "true" *) reg [2*TURN_TOKENS+ADDR_W+WORD_W-1:0] copy_write_q;
            always @(posedge clk) begin
                copy_addr_q <= read_addr;
                copy_write_q <= {s_axis_x_tdata, write_addr, rst ? {2*TURN_TOKENS{1'b0}} : write_en};
            end
            assign copy_read = copy_addr_q;
            assign copy_write = copy_write_q;
        end else begin : gen_alone
            assign copy_read = {ADDR_W{1'b0}};
            assign copy_write = {(2*TURN_TOKENS+ADDR_W+WORD_W){1'b0}};
        end
    endgenerate
    (* keep = "true" *) reg [2*TURN_TOKENS-1:0]      en_q;
    (* keep = "true" *) reg [ADDR_W+WORD_W-1:0] write_q;
    always @(posedge clk) begin
        en_q <= rst ? {2*TURN_TOKENS{1'b0}} : write_en;
        write_q <= {s_axis_x_tdata, write_addr};
    end
    rill_x_ram #(.UNIT_BITS(UNIT_BITS), .TURN_TOKENS(TURN_TOKENS), .ADDR_W(ADDR_W)) u_ram (
        .clk(clk), .write_en(en_q), .write_addr(write_q[ADDR_W-1:0]), .write_data(write_q[ADDR_W +: WORD_W]),
        .read_addr(read_addr_q),
        .unit_0(unit_0), .unit_1(unit_1), .shift_0(shift_0), .shift_1(shift_1));

`ifdef RILL_ASSERT
    reg  [TOKENS-1:0] over_q;                  // the token already has all units that fit
    always @(posedge clk) begin
        if (rst || fill)
            over_q <= {TOKENS{1'b0}};
        else if (take && {{(32-UNIT_W){1'b0}}, write_unit} == X_UNITS - 1)
            over_q[write_tok] <= 1'b1;
        if (!rst && take && over_q[write_tok]) begin
            $display("%m: an operand has more than X_UNITS units");
            $stop;
        end
        if (!rst && free && !full_q[read_bank_q]) begin
            $display("%m: free of an empty bank");
            $stop;
        end
    end
`endif

endmodule

`default_nettype wire
