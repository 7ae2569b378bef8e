// SPDX-License-Identifier: Apache-2.0
// LayerNorm over vectors of N elements: y = ((x - mean) * r) * gamma + beta, r = rsqrt(var + eps), docs/numerics.md section 7.
//
// In: vector stream of N elements (chunk, tok); parameter words {beta[LANES], gamma[LANES]}, gamma low, one per chunk, popped on tok_last.
// Out: vector stream. The statistics are exact integers, made while a vector streams in; two banks: the next vector (all tokens of a
// step) may enter while the one before leaves.
// Throughput: one chunk per cycle in and out. Latency: log2(LANES) + 51 cycles from the last chunk in to the first chunk out.
// Reset: synchronous. fault: pulse; NaN, infinity, |x| >= 2^23, overflow.
// LANES       fp32 per chunk: 1, 2, 4, 8, 16, 32
// TOKENS      tokens per step, upper bound
// N           elements, 1 to 65536
// EPS         fp32 bits of eps
// VAR_SCALE   fp32 bits of 2^-40 / N^2
// MEAN_SCALE  fp32 bits of 2^-20 / N
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

    output reg                   fault
);
    generate
        if (LANES != 1 && LANES != 2 && LANES != 4 && LANES != 8 && LANES != 16 && LANES != 32) begin : gen_bad_lanes
            rill_error_LANES_must_be_a_power_of_two_up_to_32 u_error ();
        end
        if (TOKENS < 1 || TOKENS > 8) begin : gen_bad_tokens
            rill_error_TOKENS_must_be_1_to_8 u_error ();
        end
        if (N < 1 || N > 65536) begin : gen_bad_n
            rill_error_N_must_be_1_to_65536 u_error ();
        end
        if (EPS == 0 || VAR_SCALE == 0 || MEAN_SCALE == 0) begin : gen_bad_scale
            rill_error_EPS_VAR_SCALE_and_MEAN_SCALE_are_required u_error ();
        end
    endgenerate

    localparam LANES_1 = LANES > 0 ? LANES : 1;
    localparam LEVELS = $clog2(LANES_1);
    localparam CHUNKS = (N + LANES_1 - 1) / LANES_1;
    localparam CHUNK_W = $clog2(CHUNKS + 1);
    localparam TOK_W = USER_W - 1;
    localparam ROW_W = TOK_W + 1;                  // {bank, tok}
    localparam [31:0] LAST_CHUNK = CHUNKS - 1;
    localparam FINISH = 25;                        // spread 6, from_int 4, mul 3, add 5, rsqrt 7
    localparam LATENCY = 17;                       // operands 1, add 5, mul 3, mul 3, add 5
`ifdef SYNTHESIS
    localparam COPIES = LANES > 4 ? (LANES + 3) / 4 : 1;   // four lanes have an enable of their own
`else
    localparam COPIES = 1;
`endif

    // ---- vectors in, two banks ----
    wire                en;
    wire [COPIES-1:0]   step;
    wire                ready;
    wire                w_take;
    wire                w_bank;
    wire                w_end;
    wire [CHUNK_W-1:0]  w_chunk;
    wire                i_avail;
    wire                i_bank;
    wire [CHUNK_W-1:0]  i_chunk;
    wire [CHUNK_W-1:0]  i_chunks;
    wire [USER_W-1:0]   i_tuser;
    wire                i_pad;
    wire                i_end;
    wire                i_tlast;
    wire                i_side;
    wire                r_tvalid;
    wire [LANES*32-1:0] r_tdata;

    rill_bank_buffer #(.DATA_W(LANES * 32), .TOKENS(TOKENS), .CHUNKS(CHUNKS), .READY_DELAY(LEVELS + 32)) u_banks (
        .clk(clk), .rst(rst), .s_tvalid(s_axis_x_tvalid), .s_tready(s_axis_x_tready), .s_tdata(s_axis_x_tdata), .s_tuser(s_axis_x_tuser),
        .s_tlast(s_axis_x_tlast), .s_side(1'b0), .w_take(w_take), .w_bank(w_bank), .w_chunk(w_chunk), .w_end(w_end),
        .r_en(en), .r_go(s_axis_param_tvalid), .r_pad(1'b0), .i_avail(i_avail), .i_bank(i_bank), .i_chunk(i_chunk), .i_chunks(i_chunks),
        .i_tuser(i_tuser), .i_pad(i_pad), .i_end(i_end), .i_tlast(i_tlast), .i_side(i_side), .r_tvalid(r_tvalid), .r_tdata(r_tdata));

    // ---- statistics ----
    wire             sums_fault;
    wire             sums_valid;
    wire [ROW_W-1:0] sums_row;
    wire [59:0]      sum;
    wire [59:0]      high;
    wire [59:0]      middle;
    wire [59:0]      low;
    rill_norm_sums #(.LANES(LANES), .ROWS(1 << ROW_W)) u_sums (
        .clk(clk), .rst(rst), .take(w_take), .x(s_axis_x_tdata), .row({w_bank, s_axis_x_tuser[TOK_W-1:0]}),
        .first(w_chunk == {CHUNK_W{1'b0}}), .last(w_chunk == LAST_CHUNK[CHUNK_W-1:0]), .m_valid(sums_valid), .m_row(sums_row),
        .m_sum(sum), .m_high(high), .m_middle(middle), .m_low(low), .fault(sums_fault));

    wire [119:0]      spread;
    wire [31:0]       spread_float;
    wire [31:0]       variance;
    wire [31:0]       variance_eps;
    wire [31:0]       r;
    wire [31:0]       sum_float;
    wire [31:0]       mean_early;
    wire [31:0]       mean;
    wire [3:0]        stat_fault;
    reg  [FINISH-1:0] stat_valid_q;               // [i]: i + 1 stages after the sums
    reg               stat_busy_q;                // any of stat_valid_q
    wire              finishing = sums_valid || stat_busy_q;
    wire [ROW_W-1:0]  stat_row;
    reg  [31:0]       r_q [0:(1<<ROW_W)-1];
    reg  [31:0]       mean_q [0:(1<<ROW_W)-1];
    rill_norm_spread #(.N(N)) u_spread (.clk(clk), .en(finishing), .s1(sum), .high(high), .middle(middle), .low(low), .y(spread));
    rill_fp32_from_int #(.WIDTH(120)) u_spread_float (.clk(clk), .en(finishing), .a({1'b0, spread[118:0]}), .y(spread_float));
    rill_fp32_mul #(.SATURATE(0)) u_variance (.clk(clk), .en(finishing), .a(spread_float), .b(VAR_SCALE), .y(variance), .fault(stat_fault[0]));
    rill_fp32_add u_eps (.clk(clk), .en(finishing), .a(variance), .b(EPS), .y(variance_eps), .fault(stat_fault[1]));
    rill_fp32_rsqrt u_rsqrt (.clk(clk), .en(finishing), .a(variance_eps), .y(r), .fault(stat_fault[2]));
    rill_fp32_from_int #(.WIDTH(60)) u_sum_float (.clk(clk), .en(finishing), .a(sum), .y(sum_float));
    rill_fp32_mul #(.SATURATE(0)) u_mean (.clk(clk), .en(finishing), .a(sum_float), .b(MEAN_SCALE), .y(mean_early), .fault(stat_fault[3]));
    rill_delay_line #(.DATA_W(32), .DEPTH(FINISH - 7)) u_mean_late (.clk(clk), .rst(rst), .en(finishing), .d(mean_early), .q(mean));
    rill_delay_line #(.DATA_W(ROW_W), .DEPTH(FINISH)) u_row (.clk(clk), .rst(rst), .en(finishing), .d(sums_row), .q(stat_row));
    always @(posedge clk)
        if (rst) begin
            stat_valid_q <= {FINISH{1'b0}};
            stat_busy_q <= 1'b0;
        end else if (finishing) begin
            stat_valid_q <= {stat_valid_q[FINISH-2:0], sums_valid};
            stat_busy_q <= sums_valid || |stat_valid_q[FINISH-2:0];
        end
    always @(posedge clk)
        if (stat_valid_q[FINISH-1]) begin
            r_q[stat_row] <= r;
            mean_q[stat_row] <= mean;
        end
    wire stat_bad = |(stat_fault & {stat_valid_q[6], stat_valid_q[24], stat_valid_q[17], stat_valid_q[12]});

    // ---- out ----
    wire [LATENCY-1:0]    valid;
    reg  [2*LANES*32-1:0] param1_q;
    reg  [USER_W+1:0]     side1_q;                // {bank, tlast, tuser}
    wire [ROW_W-1:0]      row1 = {side1_q[USER_W+1], side1_q[TOK_W-1:0]};
    wire [31:0]           minus_mean = mean_q[row1] ^ 32'h80000000;
    wire [31:0]           r1 = r_q[row1];
    wire [31:0]           r7;
    wire [LANES*32-1:0]   gamma10;
    wire [LANES*32-1:0]   beta13;
    wire [COPIES*32-1:0]  minus_mean2;
    reg  [LANES*32-1:0]   x2_q;
    always @(posedge clk)
        if (step[0]) begin
            x2_q <= r_tdata;
        end
    rill_register_tree #(.DATA_W(32), .COPIES(COPIES)) u_minus_mean (.clk(clk), .rst(1'b0), .d(step[0] ? minus_mean : minus_mean2[31:0]),
        .q(minus_mean2));
    wire [LANES-1:0]      fault_centre;
    wire [LANES-1:0]      fault_r;
    wire [LANES-1:0]      fault_gamma;
    wire [LANES-1:0]      fault_beta;

    assign s_axis_param_tready = ready && i_avail && i_tuser[TOK_W];
    always @(posedge clk)
        if (en && i_avail) begin
            param1_q <= s_axis_param_tdata;
            side1_q <= {i_bank, i_end && i_tlast, i_tuser};
        end
    rill_pipe #(.LATENCY(LATENCY), .SIDE_W(USER_W + 1), .COPIES(COPIES)) u_pipe (
        .clk(clk), .rst(rst), .s_tvalid(r_tvalid), .s_tready(ready), .s_side(side1_q[USER_W:0]), .en(en), .step(step), .valid(valid),
        .m_tvalid(m_axis_y_tvalid), .m_tready(m_axis_y_tready), .m_side({m_axis_y_tlast, m_axis_y_tuser}));
    rill_delay_line #(.DATA_W(32), .DEPTH(6)) u_r (.clk(clk), .rst(rst), .en(step[0]), .d(r1), .q(r7));
    rill_delay_line #(.DATA_W(LANES * 32), .DEPTH(9)) u_gamma (.clk(clk), .rst(rst), .en(step[0]), .d(param1_q[LANES*32-1:0]), .q(gamma10));
    rill_delay_line #(.DATA_W(LANES * 32), .DEPTH(12)) u_beta (.clk(clk), .rst(rst), .en(step[0]), .d(param1_q[LANES*32 +: LANES*32]),
        .q(beta13));

    genvar i;
    generate
        for (i = 0; i < LANES; i = i + 1) begin : gen_lane
            wire        mine = step[i*COPIES/LANES];
            wire [31:0] centred;
            wire [31:0] normal;
            wire [31:0] scaled;
            rill_fp32_add u_centre (.clk(clk), .en(mine), .a(x2_q[i*32 +: 32]), .b(minus_mean2[i*COPIES/LANES*32 +: 32]), .y(centred),
                .fault(fault_centre[i]));
            rill_fp32_mul #(.SATURATE(0)) u_r (.clk(clk), .en(mine), .a(centred), .b(r7), .y(normal), .fault(fault_r[i]));
            rill_fp32_mul #(.SATURATE(0)) u_gamma (.clk(clk), .en(mine), .a(normal), .b(gamma10[i*32 +: 32]), .y(scaled),
                .fault(fault_gamma[i]));
            rill_fp32_add u_beta (.clk(clk), .en(mine), .a(scaled), .b(beta13[i*32 +: 32]), .y(m_axis_y_tdata[i*32 +: 32]),
                .fault(fault_beta[i]));
        end
    endgenerate

    wire bad = (|fault_centre && valid[5]) || (|fault_r && valid[8]) || (|fault_gamma && valid[11]) || (|fault_beta && valid[16]);
    always @(posedge clk) fault <= !rst && (sums_fault || stat_bad || (en && bad));

    wire unused = &{1'b0, spread[119], valid, w_end, i_chunk, i_chunks, i_pad, i_side};
endmodule

`default_nettype wire
