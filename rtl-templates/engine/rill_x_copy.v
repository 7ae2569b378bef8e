// SPDX-License-Identifier: Apache-2.0
// Keeps a copy of the matrix engine's operands on another die with lanes. The writes and reads of the operand buffer
// cross to it through HOPS register stages (u_way), instead of the much wider slice of every beat. All writes and reads
// are delayed equally, so the copy returns the same data as the buffer.
//
// Cycle 0: write and read (copy_write and copy_read of rill_x_buffer), and controls as in rill_x_slice. Cycle 2 + HOPS:
// slice and shift, as from rill_x_slice.
// Reset: clk, synchronous active-high rst; writes on their way are discarded.
//
// name         meaning                                              unit    range
// BEAT_BITS    width of a memory beat                               bits    256, 512
// TURN_TOKENS  tokens per command                                   tokens  1, 2, 4
// X_BITS       width of a mantissa                                  bits    8, 10
// ADDR_W       width of an address of the memory                    bits    1 or more
// PARTS        parts of the slice, each with its own controls       parts   1, 2, 4
// HOPS         register stages from the operand buffer to the copy  clocks  1 or more
// OTHERS_W     width of others, a field of controls                 bits    derived
`default_nettype none

module rill_x_copy #(
    parameter BEAT_BITS = 0,
    parameter TURN_TOKENS = 1,
    parameter X_BITS = 8,
    parameter ADDR_W = 0,
    parameter PARTS = 1,
    parameter HOPS = 0,
    parameter OTHERS_W = TURN_TOKENS > 2 ? TURN_TOKENS - 1 : 1
) (
    input  wire                                            clk,
    input  wire                                            rst,
    input  wire [2*TURN_TOKENS+ADDR_W+BEAT_BITS/8*X_BITS+7:0] write,
    input  wire [ADDR_W-1:0]                               read,
    input  wire [OTHERS_W+2:0]                             controls,
    output wire [TURN_TOKENS*2*(BEAT_BITS/8*X_BITS)-1:0]   slice,
    output wire [TURN_TOKENS*5-1:0]                        shift
);
    localparam UNIT_BITS = BEAT_BITS / 8 * X_BITS;
    localparam WRITE_W = 2 * TURN_TOKENS + ADDR_W + UNIT_BITS + 8;

    generate
        if (HOPS < 1) begin : gen_bad
            rill_error_HOPS_must_be_at_least_1 u_error ();
        end
    endgenerate

    wire [2*TURN_TOKENS-1:0]    write_en;
    wire [ADDR_W-1:0]           write_addr;
    wire [UNIT_BITS+7:0]        write_data;
    wire [ADDR_W-1:0]           read_addr;
    wire [OTHERS_W+2:0]         controls_there;
    rill_hop #(.DATA_W(OTHERS_W + 3 + ADDR_W + WRITE_W), .CLEAR_W(2 * TURN_TOKENS), .STAGES(HOPS)) u_way (
        .clk(clk), .rst(rst), .d({controls, read, write}),
        .q({controls_there, read_addr, write_data, write_addr, write_en}));

    wire [TURN_TOKENS*UNIT_BITS-1:0] unit_0;
    wire [TURN_TOKENS*UNIT_BITS-1:0] unit_1;
    wire [TURN_TOKENS*8-1:0]    shift_0;
    wire [TURN_TOKENS*8-1:0]    shift_1;
    rill_x_ram #(.UNIT_BITS(UNIT_BITS), .TURN_TOKENS(TURN_TOKENS), .ADDR_W(ADDR_W)) u_ram (
        .clk(clk), .write_en(write_en), .write_addr(write_addr), .write_data(write_data), .read_addr(read_addr),
        .unit_0(unit_0), .unit_1(unit_1), .shift_0(shift_0), .shift_1(shift_1));
    rill_x_slice #(.BEAT_BITS(BEAT_BITS), .TURN_TOKENS(TURN_TOKENS), .X_BITS(X_BITS), .PARTS(PARTS)) u_slice (
        .clk(clk), .rst(rst), .controls(controls_there), .unit_0(unit_0), .unit_1(unit_1), .shift_0(shift_0),
        .shift_1(shift_1), .slice(slice), .shift(shift));
endmodule

`default_nettype wire
