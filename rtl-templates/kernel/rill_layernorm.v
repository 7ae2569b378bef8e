// SPDX-License-Identifier: Apache-2.0
// LayerNorm over vectors of N elements: y = ((x - mean) * r) * gamma + beta, r = rsqrt(var + eps), docs/numerics.md
// section 7.
//
// In: vector stream of N elements (chunk, tok); parameter words {beta[LANES], gamma[LANES]}, gamma low, one per chunk,
// taken with the chunk's last token. Out: vector stream. The sums from which mean and var follow are exact integers,
// computed while a vector enters. There are two banks: the next vector (all tokens of a step) may enter while the
// previous one leaves (rill_norm_front).
// Throughput: one chunk per cycle in and out. Latency log2(LANES) + 51 cycles from the last chunk in to the first
// chunk out. Reset: clk, synchronous active-high rst. fault: pulse on NaN, infinity, |x| >= 2^23 or overflow.
//
// name        meaning                       unit       range
// LANES       fp32 per chunk                elements   1, 2, 4, 8, 16, 32
// TOKENS      tokens per step, upper bound  tokens     1 to 8
// N           elements of a vector          elements   1 to 65536
// EPS         eps of the formula            fp32 bits  not 0
// VAR_SCALE   factor from the exact         fp32 bits  not 0
//             integer to var: 2^-40 / N^2
// MEAN_SCALE  factor from the exact sum to  fp32 bits  not 0
//             the mean: 2^-20 / N
// USER_W      width of tuser                bits       derived
`default_nettype none

module rill_layernorm #(
    parameter LANES = 0,
    parameter TOKENS = 0,
    parameter N = 0,
    parameter [31:0] EPS = 0,
    parameter [31:0] VAR_SCALE = 0,
    parameter [31:0] MEAN_SCALE = 0,
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
    input  wire [2*LANES*32-1:0] s_axis_param_tdata,

    output wire                  m_axis_y_tvalid,
    input  wire                  m_axis_y_tready,
    output wire [LANES*32-1:0]   m_axis_y_tdata,
    output wire [USER_W-1:0]     m_axis_y_tuser,
    output wire                  m_axis_y_tlast,

    output wire                  fault
);
    generate
        if (EPS == 0 || VAR_SCALE == 0 || MEAN_SCALE == 0) begin : gen_bad_scale
            rill_error_EPS_VAR_SCALE_and_MEAN_SCALE_are_required u_error ();
        end
    endgenerate

    `include "rill_latency.vh"
    `include "rill_copies.vh"
    localparam ROWS = 1 << USER_W;                                  // {bank, tok}
    localparam MEAN_FINISH = LATENCY_FROM_INT + LATENCY_MUL;        // stages from the sums to the mean
    localparam VARIANCE_FINISH = LATENCY_NORM_SPREAD + LATENCY_FROM_INT + LATENCY_MUL;
    localparam EPS_FINISH = VARIANCE_FINISH + LATENCY_ADD;
    localparam FINISH = EPS_FINISH + LATENCY_RSQRT;
    // Stages from a word that was read to x - mean: the operand stage and the sum
    localparam CENTRE_STAGES = 1 + LATENCY_ADD;
    localparam NORMAL_STAGES = CENTRE_STAGES + LATENCY_MUL;
    localparam SCALED_STAGES = NORMAL_STAGES + LATENCY_MUL;
    localparam LATENCY = SCALED_STAGES + LATENCY_ADD;
    localparam PART = LANES * 32 / COPIES;  // bits of a vector that each copy of the enable serves

    wire                  finishing;
    wire [59:0]           sum;
    wire [59:0]           high;
    wire [59:0]           middle;
    wire [59:0]           low;
    wire [FINISH-1:0]     stat_valid;
    wire [USER_W-1:0]     stat_row;
    wire                  stat_bad;
    wire [COPIES-1:0]     move;
    wire [LATENCY-1:0]    valid;
    wire [USER_W-1:0]     row;
    wire [2*LANES*32-1:0] param;
    wire [LANES*32-1:0]   x;
    wire                  bad;

    rill_norm_front #(
        .LANES(LANES), .TOKENS(TOKENS), .N(N), .PARAMS(2), .FINISH(FINISH), .STAGES(LATENCY), .COPIES(COPIES)
    ) u_front (
        .clk(clk), .rst(rst), .s_axis_x_tvalid(s_axis_x_tvalid), .s_axis_x_tready(s_axis_x_tready),
        .s_axis_x_tdata(s_axis_x_tdata), .s_axis_x_tuser(s_axis_x_tuser), .s_axis_x_tlast(s_axis_x_tlast),
        .s_axis_param_tvalid(s_axis_param_tvalid), .s_axis_param_tready(s_axis_param_tready),
        .s_axis_param_tdata(s_axis_param_tdata), .finishing(finishing), .sum(sum), .high(high), .middle(middle),
        .low(low), .stat_valid(stat_valid), .stat_row(stat_row), .move(move), .valid(valid), .row(row), .param(param),
        .x(x), .m_axis_y_tvalid(m_axis_y_tvalid), .m_axis_y_tready(m_axis_y_tready), .m_axis_y_tuser(m_axis_y_tuser),
        .m_axis_y_tlast(m_axis_y_tlast), .stat_bad(stat_bad), .bad(bad), .fault(fault));

    // ---- statistics: r and mean of each row ----
    wire [119:0] spread;
    wire [31:0]  spread_float;
    wire [31:0]  variance;
    wire [31:0]  variance_eps;
    wire [31:0]  r;
    wire [31:0]  sum_float;
    wire [31:0]  mean_early;
    wire [31:0]  mean;
    wire         fault_variance;
    wire         fault_eps;
    wire         fault_rsqrt;
    wire         fault_mean;
    reg  [31:0]  r_q [0:ROWS-1];
    reg  [31:0]  mean_q [0:ROWS-1];
    rill_norm_spread #(.N(N)) u_spread (
        .clk(clk), .en(finishing), .s1(sum), .high(high), .middle(middle), .low(low), .y(spread));
    rill_fp32_from_int #(.WIDTH(120)) u_spread_float (
        .clk(clk), .en(finishing), .a({1'b0, spread[118:0]}), .y(spread_float));
    rill_fp32_mul #(.SATURATE(0)) u_variance (
        .clk(clk), .en(finishing), .a(spread_float), .b(VAR_SCALE), .y(variance), .fault(fault_variance));
    rill_fp32_add u_eps (
        .clk(clk), .en(finishing), .a(variance), .b(EPS), .y(variance_eps), .fault(fault_eps));
    rill_fp32_rsqrt u_rsqrt (.clk(clk), .en(finishing), .a(variance_eps), .y(r), .fault(fault_rsqrt));
    rill_fp32_from_int #(.WIDTH(60)) u_sum_float (.clk(clk), .en(finishing), .a(sum), .y(sum_float));
    rill_fp32_mul #(.SATURATE(0)) u_mean (
        .clk(clk), .en(finishing), .a(sum_float), .b(MEAN_SCALE), .y(mean_early), .fault(fault_mean));
    rill_delay_line #(.DATA_W(32), .DEPTH(FINISH - MEAN_FINISH)) u_mean_late (
        .clk(clk), .rst(rst), .en(finishing), .d(mean_early), .q(mean));
    always @(posedge clk)
        if (stat_valid[FINISH-1]) begin
            r_q[stat_row] <= r;
            mean_q[stat_row] <= mean;
        end
    assign stat_bad = (fault_variance && stat_valid[VARIANCE_FINISH-1]) || (fault_eps && stat_valid[EPS_FINISH-1])
        || (fault_rsqrt && stat_valid[FINISH-1]) || (fault_mean && stat_valid[MEAN_FINISH-1]);

    // ---- output ----
    wire [31:0]          minus_mean = mean_q[row] ^ 32'h80000000;
    wire [COPIES*32-1:0] minus_mean_x;                              // copies of -mean, in the same stage as x
    wire [31:0]          r_late;
    wire [LANES*32-1:0]  gamma_late;
    wire [LANES*32-1:0]  beta_late;
    wire [LANES-1:0]     fault_centre;
    wire [LANES-1:0]     fault_r;
    wire [LANES-1:0]     fault_gamma;
    wire [LANES-1:0]     fault_beta;

    rill_register_copies #(.DATA_W(32), .COPIES(COPIES)) u_minus_mean (
        .clk(clk), .rst(1'b0), .d(move[0] ? minus_mean : minus_mean_x[31:0]), .q(minus_mean_x));
    rill_delay_line #(.DATA_W(32), .DEPTH(CENTRE_STAGES)) u_r (
        .clk(clk), .rst(rst), .en(move[0]), .d(r_q[row]), .q(r_late));

    genvar i;
    genvar c;
    generate
        for (c = 0; c < COPIES; c = c + 1) begin : gen_late
            rill_delay_line #(.DATA_W(PART), .DEPTH(NORMAL_STAGES)) u_gamma (
                .clk(clk), .rst(rst), .en(move[c]), .d(param[c*PART +: PART]), .q(gamma_late[c*PART +: PART]));
            rill_delay_line #(.DATA_W(PART), .DEPTH(SCALED_STAGES)) u_beta (
                .clk(clk), .rst(rst), .en(move[c]), .d(param[LANES*32+c*PART +: PART]), .q(beta_late[c*PART +: PART]));
        end
        for (i = 0; i < LANES; i = i + 1) begin : gen_lane
            wire        mine = move[i*COPIES/LANES];
            wire [31:0] centred;
            wire [31:0] normal;
            wire [31:0] scaled;
            rill_fp32_add u_centre (
                .clk(clk), .en(mine), .a(x[i*32 +: 32]), .b(minus_mean_x[i*COPIES/LANES*32 +: 32]), .y(centred),
                .fault(fault_centre[i]));
            rill_fp32_mul #(.SATURATE(0)) u_scale (
                .clk(clk), .en(mine), .a(centred), .b(r_late), .y(normal), .fault(fault_r[i]));
            rill_fp32_mul #(.SATURATE(0)) u_gamma (
                .clk(clk), .en(mine), .a(normal), .b(gamma_late[i*32 +: 32]), .y(scaled), .fault(fault_gamma[i]));
            rill_fp32_add u_beta (
                .clk(clk), .en(mine), .a(scaled), .b(beta_late[i*32 +: 32]), .y(m_axis_y_tdata[i*32 +: 32]),
                .fault(fault_beta[i]));
        end
    endgenerate

    assign bad = (|fault_centre && valid[CENTRE_STAGES-1]) || (|fault_r && valid[NORMAL_STAGES-1])
        || (|fault_gamma && valid[SCALED_STAGES-1]) || (|fault_beta && valid[LATENCY-1]);

    wire unused = &{1'b0, spread[119], stat_valid, valid};
endmodule

`default_nettype wire
