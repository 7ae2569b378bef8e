// SPDX-License-Identifier: Apache-2.0
// RMSNorm over vectors of N elements: y = (x * r) * gamma, r = rsqrt(mean(x^2) + eps), docs/numerics.md section 7.
//
// In: vector stream of N elements (chunk, tok); parameter words gamma[LANES], one per chunk, taken with the chunk's
// last token. Out: vector stream. While a vector enters, rill_norm_sums rounds each x * 2^20 to an integer X and adds
// up X^2 exactly, so mean(x^2) is this sum times 2^-40 / N. There are two banks: the next vector (all tokens of a step)
// may enter while the previous one leaves (rill_norm_front).
// Throughput: one chunk per cycle in and out. Latency log2(LANES) + 37 cycles from the last chunk in to the first
// chunk out. Reset: clk, synchronous active-high rst. fault: pulse on NaN, infinity, |x| >= 2^23 or overflow.
//
// name      meaning                       unit       range
// LANES     fp32 per chunk                elements   1, 2, 4, 8, 16, 32
// TOKENS    tokens per step, upper bound  tokens     1 to 8
// N         elements of a vector          elements   1 to 65536
// EPS       eps of the formula            fp32 bits  not 0
// MS_SCALE  factor from the exact sum to  fp32 bits  not 0
//           mean(x^2): 2^-40 / N
// USER_W    width of tuser                bits       derived
`default_nettype none

module rill_rmsnorm #(
    parameter LANES = 0,
    parameter TOKENS = 0,
    parameter N = 0,
    parameter [31:0] EPS = 0,
    parameter [31:0] MS_SCALE = 0,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire                  clk,
    input  wire                  rst,

    input  wire                  s_axis_x_tvalid,
    output wire                  s_axis_x_tready,
    input  wire [LANES*32-1:0]   s_axis_x_tdata,
    input  wire [USER_W-1:0]     s_axis_x_tuser,
    input  wire                  s_axis_x_tlast,

    input  wire                  s_axis_param_tvalid,
    output wire                  s_axis_param_tready,
    input  wire [LANES*32-1:0]   s_axis_param_tdata,

    output wire                  m_axis_y_tvalid,
    input  wire                  m_axis_y_tready,
    output wire [LANES*32-1:0]   m_axis_y_tdata,
    output wire [USER_W-1:0]     m_axis_y_tuser,
    output wire                  m_axis_y_tlast,

    output wire                  fault
);
    generate
        if (EPS == 0 || MS_SCALE == 0) begin : gen_bad_scale
            rill_error_EPS_and_MS_SCALE_are_required u_error ();
        end
    endgenerate

    `include "rill_latency.vh"
    `include "rill_copies.vh"
    localparam ROWS = 1 << USER_W;                                  // {bank, tok}
    localparam SQUARES_FINISH = 2;                                  // stages from the three parts to their sum
    localparam MEAN_FINISH = SQUARES_FINISH + LATENCY_FROM_INT + LATENCY_MUL;
    localparam EPS_FINISH = MEAN_FINISH + LATENCY_ADD;
    localparam FINISH = EPS_FINISH + LATENCY_RSQRT;
    // Stages from a word that was read to x * r: the operand stage and the product.
    localparam NORMAL_STAGES = 1 + LATENCY_MUL;
    localparam LATENCY = NORMAL_STAGES + LATENCY_MUL;
    localparam PART = LANES * 32 / COPIES;  // bits of a vector that each copy of the enable serves

    wire                finishing;
    wire [59:0]         sum;
    wire [59:0]         high;
    wire [59:0]         middle;
    wire [59:0]         low;
    wire [FINISH-1:0]   stat_valid;
    wire [USER_W-1:0]   stat_row;
    wire                stat_bad;
    wire [COPIES-1:0]   move;
    wire [LATENCY-1:0]  valid;
    wire [USER_W-1:0]   row;
    wire [LANES*32-1:0] param;
    wire [LANES*32-1:0] x;
    wire                bad;

    rill_norm_front #(
        .LANES(LANES), .TOKENS(TOKENS), .N(N), .PARAMS(1), .FINISH(FINISH), .STAGES(LATENCY), .COPIES(COPIES)
    ) u_front (
        .clk(clk), .rst(rst), .s_axis_x_tvalid(s_axis_x_tvalid), .s_axis_x_tready(s_axis_x_tready),
        .s_axis_x_tdata(s_axis_x_tdata), .s_axis_x_tuser(s_axis_x_tuser), .s_axis_x_tlast(s_axis_x_tlast),
        .s_axis_param_tvalid(s_axis_param_tvalid), .s_axis_param_tready(s_axis_param_tready),
        .s_axis_param_tdata(s_axis_param_tdata), .finishing(finishing), .sum(sum), .high(high), .middle(middle),
        .low(low), .stat_valid(stat_valid), .stat_row(stat_row), .move(move), .valid(valid), .row(row), .param(param),
        .x(x), .m_axis_y_tvalid(m_axis_y_tvalid), .m_axis_y_tready(m_axis_y_tready), .m_axis_y_tuser(m_axis_y_tuser),
        .m_axis_y_tlast(m_axis_y_tlast), .stat_bad(stat_bad), .bad(bad), .fault(fault));

    // ---- statistics: r of each row ----
    // rill_norm_sums gives the sum of squares in three parts: high * 2^44 + middle * 2^23 + low. They are added in two
    // stages.
    reg  [103:0] outer_q;
    reg  [103:0] middle_q;
    reg  [103:0] squares_q;
    wire [31:0]  squares_float;
    wire [31:0]  square_mean;
    wire [31:0]  mean_eps;
    wire [31:0]  r;
    wire         fault_mean;
    wire         fault_eps;
    wire         fault_rsqrt;
    reg  [31:0]  r_q [0:ROWS-1];
    always @(posedge clk) if (finishing) begin
        outer_q <= {high, 44'd0} + {44'd0, low};
        middle_q <= {21'd0, middle, 23'd0};
        squares_q <= outer_q + middle_q;
    end
    // Without a fault, the sum is at most 2^16 * 2^86. So bit 103 is 0, and the operand of this signed conversion is
    // not negative.
    rill_fp32_from_int #(.WIDTH(104)) u_squares_float (
        .clk(clk), .en(finishing), .a({1'b0, squares_q[102:0]}), .y(squares_float));
    rill_fp32_mul #(.SATURATE(0)) u_mean (
        .clk(clk), .en(finishing), .a(squares_float), .b(MS_SCALE), .y(square_mean), .fault(fault_mean));
    rill_fp32_add u_eps (.clk(clk), .en(finishing), .a(square_mean), .b(EPS), .y(mean_eps), .fault(fault_eps));
    rill_fp32_rsqrt u_rsqrt (.clk(clk), .en(finishing), .a(mean_eps), .y(r), .fault(fault_rsqrt));
    always @(posedge clk) if (stat_valid[FINISH-1]) r_q[stat_row] <= r;
    assign stat_bad = (fault_mean && stat_valid[MEAN_FINISH-1]) || (fault_eps && stat_valid[EPS_FINISH-1])
        || (fault_rsqrt && stat_valid[FINISH-1]);

    // ---- output ----
    wire [LANES*32-1:0] gamma_late;
    reg  [31:0]         r_x_q;                                      // r, in the same stage as x
    wire [LANES-1:0]    fault_r;
    wire [LANES-1:0]    fault_gamma;

    always @(posedge clk) if (move[0]) r_x_q <= r_q[row];

    genvar i;
    genvar c;
    generate
        for (c = 0; c < COPIES; c = c + 1) begin : gen_late
            rill_delay_line #(.DATA_W(PART), .DEPTH(NORMAL_STAGES)) u_gamma (
                .clk(clk), .rst(rst), .en(move[c]), .d(param[c*PART +: PART]), .q(gamma_late[c*PART +: PART]));
        end
        for (i = 0; i < LANES; i = i + 1) begin : gen_lane
            wire        mine = move[i*COPIES/LANES];
            wire [31:0] normal;
            rill_fp32_mul #(.SATURATE(0)) u_r (
                .clk(clk), .en(mine), .a(x[i*32 +: 32]), .b(r_x_q), .y(normal), .fault(fault_r[i]));
            rill_fp32_mul #(.SATURATE(0)) u_gamma (
                .clk(clk), .en(mine), .a(normal), .b(gamma_late[i*32 +: 32]), .y(m_axis_y_tdata[i*32 +: 32]),
                .fault(fault_gamma[i]));
        end
    endgenerate

    assign bad = (|fault_r && valid[NORMAL_STAGES-1]) || (|fault_gamma && valid[LATENCY-1]);

    wire unused = &{1'b0, squares_q[103], sum, stat_valid, valid};
endmodule

`default_nettype wire
