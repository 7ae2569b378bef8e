// SPDX-License-Identifier: Apache-2.0
// Computes the offset by which the unsigned arithmetic of rill_matrix_lane raises the sum of a beat. The lanes subtract
// it. It is equal for all lanes, so it is computed once.
//
// A lane sums (nibble + 8) * x + B for signed nibbles, and nibble * x + B for the unsigned low nibbles of int8 weights,
// with B = 2^(X_BITS + 3). With int8 weights, high nibbles count 16 times. N is the number of bytes per beat, and S is
// the sum of all 2N elements of x (with int8 weights each element occurs twice):
//     int4: offset = 2 * B * N + 8 * S        int8: offset = 17 * B * N + 64 * S
// The last stage has only one adder, which completes S. It adds 2 * B * N / 8 by inverting the sign bit of S, then
// shifts. int8 weights need 17 * B * N / 64, so an earlier stage adds the rest, LIFT = B * N / 64.
// ASYM 1: sums holds the sum of each 32 elements, X_BITS + 5 bits each. ASYM 0: sums is 0.
// Free-running pipeline: offset and sums come LATENCY = 4 cycles after valid, one beat per cycle. No reset.
//
// name       meaning              unit  range
// BEAT_BITS  width of a beat      bits  256, 512
// ASYM       1: sums is computed  -     0, 1
// X_BITS     width of an element  bits  8, 10
// SUMS_W     width of sums        bits  derived
`default_nettype none

module rill_engine_offset #(
    parameter BEAT_BITS = 0,
    parameter ASYM = 0,
    parameter X_BITS = 8,
    parameter SUMS_W = (X_BITS + 5) * (BEAT_BITS / 128)
) (
    input  wire                   clk,
    input  wire                   valid,
    input  wire                   int4,
    input  wire [BEAT_BITS/4*X_BITS-1:0] x,    // elements
    output reg  [X_BITS+13:0]     offset,
    output wire [SUMS_W-1:0]      sums
);
    localparam N = BEAT_BITS == 512 ? 64 : 32;
    localparam QUADS = N / 2;
    localparam SIXTEENS = N / 8;
    localparam SUM_W = X_BITS + $clog2(2 * N) + 1; // width of the sum of all elements
    localparam GROUP_W = X_BITS + 5;         // width of the sum of 32 elements
    localparam OFFSET_W = X_BITS + 14;
    localparam [31:0] LIFT = (N << X_BITS) / 8;

    generate
        if (BEAT_BITS != 256 && BEAT_BITS != 512) begin : gen_bad_beat
            rill_error_BEAT_BITS_must_be_256_or_512 u_error ();
        end
        if (X_BITS != 8 && X_BITS != 10) begin : gen_bad_x
            rill_error_X_BITS_must_be_8_or_10 u_error ();
        end
    endgenerate

    // Stages, named by the sums that they hold; index n: valid in stage n.
    localparam QUAD_AT = 1, SIXTEEN_AT = 2, HALF_AT = 3;
    reg  [HALF_AT:1] valid_q;
    reg  [HALF_AT:1] int4_q;
    always @(posedge clk) begin
        valid_q <= {valid_q[HALF_AT-1:1], valid};
        int4_q <= {int4_q[HALF_AT-1:1], int4};
    end

    wire [SUM_W-1:0] lift = int4_q[SIXTEEN_AT] ? {SUM_W{1'b0}} : LIFT[SUM_W-1:0];
    wire [SUM_W-1:0] half_0;
    wire [SUM_W-1:0] half_1;
    genvar i;
    generate
        for (i = 0; i < QUADS; i = i + 1) begin : gen_quad
            localparam AT = 4 * X_BITS * i;
            wire [SUM_W-1:0] a = {{(SUM_W-X_BITS){x[AT+X_BITS-1]}}, x[AT +: X_BITS]};
            wire [SUM_W-1:0] b = {{(SUM_W-X_BITS){x[AT+2*X_BITS-1]}}, x[AT+X_BITS +: X_BITS]};
            wire [SUM_W-1:0] c = {{(SUM_W-X_BITS){x[AT+3*X_BITS-1]}}, x[AT+2*X_BITS +: X_BITS]};
            wire [SUM_W-1:0] d = {{(SUM_W-X_BITS){x[AT+4*X_BITS-1]}}, x[AT+3*X_BITS +: X_BITS]};
            reg  [SUM_W-1:0] sum_q;
            always @(posedge clk)
                if (valid)
                    sum_q <= a + b + c + d;
        end
        for (i = 0; i < SIXTEENS; i = i + 1) begin : gen_sixteen
            reg  [SUM_W-1:0] sum_q;
            always @(posedge clk)
                if (valid_q[QUAD_AT])
                    sum_q <= gen_quad[4*i].sum_q + gen_quad[4*i+1].sum_q + gen_quad[4*i+2].sum_q
                        + gen_quad[4*i+3].sum_q;
        end
        if (SIXTEENS == 8) begin : gen_eight
            reg  [SUM_W-1:0] sum_0_q;
            reg  [SUM_W-1:0] sum_1_q;
            always @(posedge clk)
                if (valid_q[SIXTEEN_AT]) begin
                    sum_0_q <= gen_sixteen[0].sum_q + gen_sixteen[1].sum_q + gen_sixteen[2].sum_q
                        + gen_sixteen[3].sum_q;
                    sum_1_q <= gen_sixteen[4].sum_q + gen_sixteen[5].sum_q + gen_sixteen[6].sum_q
                        + gen_sixteen[7].sum_q + lift;
                end
            assign half_0 = sum_0_q;
            assign half_1 = sum_1_q;
        end else begin : gen_four
            reg  [SUM_W-1:0] sum_0_q;
            reg  [SUM_W-1:0] sum_1_q;
            always @(posedge clk)
                if (valid_q[SIXTEEN_AT]) begin
                    sum_0_q <= gen_sixteen[0].sum_q + gen_sixteen[1].sum_q;
                    sum_1_q <= gen_sixteen[2].sum_q + gen_sixteen[3].sum_q + lift;
                end
            assign half_0 = sum_0_q;
            assign half_1 = sum_1_q;
        end
    endgenerate

    generate
        if (ASYM != 0) begin : gen_sums
            for (i = 0; i < SIXTEENS / 2; i = i + 1) begin : gen_sum
                reg [GROUP_W-1:0] early_q;
                reg [GROUP_W-1:0] sum_q;
                always @(posedge clk) begin
                    if (valid_q[SIXTEEN_AT])
                        early_q <= gen_sixteen[2*i].sum_q[GROUP_W-1:0]
                            + gen_sixteen[2*i+1].sum_q[GROUP_W-1:0];
                    if (valid_q[HALF_AT])
                        sum_q <= early_q;
                end
                assign sums[GROUP_W*i +: GROUP_W] = sum_q;
            end
        end else begin : gen_no_sums
            assign sums = {SUMS_W{1'b0}};
        end
    endgenerate

    wire [SUM_W-1:0] total = half_0 + half_1;
    wire [OFFSET_W-4:0] biased = {{(OFFSET_W-3-SUM_W){1'b0}}, !total[SUM_W-1], total[SUM_W-2:0]};
    always @(posedge clk)
        if (valid_q[HALF_AT])
            offset <= int4_q[HALF_AT] ? {biased, 3'd0} : {biased[OFFSET_W-7:0], 6'd0};

    wire unused = &{1'b0, LIFT, biased};
endmodule

`default_nettype wire
