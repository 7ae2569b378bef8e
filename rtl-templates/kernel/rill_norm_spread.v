// SPDX-License-Identifier: Apache-2.0
// n^2 times the variance as an exact integer: y = n * S2 - S1^2 with S2 = high * 2^44 + middle * 2^23 + low.
//
// Latency 5 cycles, one result per cycle, no reset. n <= 65536 and |X| < 2^43 keep y below 2^118.
// N  elements of the vector
`default_nettype none

module rill_norm_spread #(
    parameter N = 0
) (
    input  wire         clk,
    input  wire [59:0]  s1,      // two's complement
    input  wire [59:0]  high,
    input  wire [59:0]  middle,
    input  wire [59:0]  low,
    output reg  [119:0] y
);
    generate
        if (N < 1 || N > 65536) begin : gen_bad
            rill_error_N_must_be_1_to_65536 u_error ();
        end
    endgenerate

    wire [31:0] n = N;
    wire [46:0] n_wide = {15'd0, n};

    // Stage 1: products of 30-bit halves with n; |S1|.
    reg [46:0] high_a_q, high_b_q, middle_a_q, middle_b_q, low_a_q, low_b_q;
    reg [59:0] s1_q;
    always @(posedge clk) begin
        high_a_q <= {17'd0, high[59:30]} * n_wide;
        high_b_q <= {17'd0, high[29:0]} * n_wide;
        middle_a_q <= {17'd0, middle[59:30]} * n_wide;
        middle_b_q <= {17'd0, middle[29:0]} * n_wide;
        low_a_q <= {17'd0, low[59:30]} * n_wide;
        low_b_q <= {17'd0, low[29:0]} * n_wide;
        s1_q <= (s1 ^ {60{s1[59]}}) + {59'd0, s1[59]};
    end

    // Stage 2: n times each part; squares of the halves of |S1|.
    reg [76:0] high2_q, middle2_q, low2_q;
    reg [59:0] aa_q, ab_q, bb_q;
    always @(posedge clk) begin
        high2_q <= {high_a_q, 30'd0} + {30'd0, high_b_q};
        middle2_q <= {middle_a_q, 30'd0} + {30'd0, middle_b_q};
        low2_q <= {low_a_q, 30'd0} + {30'd0, low_b_q};
        aa_q <= {30'd0, s1_q[59:30]} * {30'd0, s1_q[59:30]};
        ab_q <= {30'd0, s1_q[59:30]} * {30'd0, s1_q[29:0]};
        bb_q <= {30'd0, s1_q[29:0]} * {30'd0, s1_q[29:0]};
    end

    // Stages 3 to 5: one wide addition each.
    reg [119:0] outer_q, middle3_q, square_q, cross_q, n_s2_q, s1_s1_q;
    always @(posedge clk) begin
        outer_q <= {high2_q[75:0], 44'd0} + {43'd0, low2_q};
        middle3_q <= {20'd0, middle2_q, 23'd0};
        square_q <= {aa_q, bb_q};
        cross_q <= {29'd0, ab_q, 31'd0};
        n_s2_q <= outer_q + middle3_q;
        s1_s1_q <= square_q + cross_q;
        y <= n_s2_q - s1_s1_q;
    end

    wire unused = high2_q[76];
endmodule

`default_nettype wire
