// SPDX-License-Identifier: Apache-2.0
// Memories of the matrix engine's operands (rill_x_buffer, rill_x_copy). Each token of a turn has one memory of even
// units and one of odd units, so two neighbouring units can be read at a time.
//
// write_en: one bit per memory: even and odd of token 0, then those of token 1, and so on. A memory without its bit
// keeps its contents.
// Read: the two neighbouring units at read_addr of every token are on unit_0 and unit_1 one cycle later, and the
// exponents of their blocks on shift_0 and shift_1. If the same address is written in that cycle, the read gives the
// old contents.
// No reset: the contents are undefined until they are written.
//
// name         meaning           unit    range
// UNIT_BITS    width of a unit   bits    1 or more
// TURN_TOKENS  tokens of a turn  tokens  1, 2, 4
// ADDR_W       address width     bits    1 or more
`default_nettype none

module rill_x_ram #(
    parameter UNIT_BITS = 0,
    parameter TURN_TOKENS = 0,
    parameter ADDR_W = 0
) (
    input  wire                        clk,
    input  wire [2*TURN_TOKENS-1:0]    write_en,
    input  wire [ADDR_W-1:0]           write_addr,
    input  wire [UNIT_BITS+7:0]        write_data, // {shift[7:0], q}
    input  wire [ADDR_W-1:0]           read_addr,
    output wire [TURN_TOKENS*UNIT_BITS-1:0] unit_0,
    output wire [TURN_TOKENS*UNIT_BITS-1:0] unit_1,
    output wire [TURN_TOKENS*8-1:0]    shift_0,
    output wire [TURN_TOKENS*8-1:0]    shift_1
);
    localparam WORD_W = UNIT_BITS + 8;

    generate
        if (UNIT_BITS < 1 || ADDR_W < 1) begin : gen_bad
            rill_error_UNIT_BITS_and_ADDR_W_must_be_at_least_1 u_error ();
        end
        if (TURN_TOKENS != 1 && TURN_TOKENS != 2 && TURN_TOKENS != 4) begin : gen_bad_turn
            rill_error_TURN_TOKENS_must_be_1_2_or_4 u_error ();
        end
    endgenerate

    genvar a;
    generate
        for (a = 0; a < TURN_TOKENS; a = a + 1) begin : gen_array
            reg  [WORD_W-1:0] even_mem [0:(1<<ADDR_W)-1];
            reg  [WORD_W-1:0] odd_mem [0:(1<<ADDR_W)-1];
            reg  [WORD_W-1:0] even_q;
            reg  [WORD_W-1:0] odd_q;
            always @(posedge clk) begin
                if (write_en[2*a])
                    even_mem[write_addr] <= write_data;
                if (write_en[2*a+1])
                    odd_mem[write_addr] <= write_data;
                even_q <= even_mem[read_addr];
                odd_q <= odd_mem[read_addr];
            end
            assign {shift_0[8*a +: 8], unit_0[UNIT_BITS*a +: UNIT_BITS]} = even_q;
            assign {shift_1[8*a +: 8], unit_1[UNIT_BITS*a +: UNIT_BITS]} = odd_q;
        end
    endgenerate
endmodule

`default_nettype wire
