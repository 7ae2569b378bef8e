// SPDX-License-Identifier: Apache-2.0
// RMSNorm over vectors of N elements: y = (x * r) * gamma, r = rsqrt(mean(x^2) + eps), docs/numerics.md section 7.
//
// In: vector stream of N elements (chunk, tok); parameter words gamma[LANES], one per chunk, popped on tok_last.
// Out: vector stream. The statistics are exact integers, made while a vector streams in; two banks: the next vector (all tokens of a
// step) may enter while the one before leaves.
// Throughput: one chunk per cycle in and out. Latency: log2(LANES) + 37 cycles from the last chunk in to the first chunk out.
// Reset: synchronous. fault: pulse; NaN, infinity, |x| >= 2^23, overflow.
// LANES       fp32 per chunk: 1, 2, 4, 8, 16, 32
// TOKENS      tokens per step, upper bound
// N           elements, 1 to 65536
// EPS         fp32 bits of eps
// MS_SCALE    fp32 bits of 2^-40 / N
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
    input  wire [LANES*32-1:0] s_axis_param_tdata,

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
        if (EPS == 0 || MS_SCALE == 0) begin : gen_bad_scale
            rill_error_EPS_and_MS_SCALE_are_required u_error ();
        end
    endgenerate

    localparam LANES_1 = LANES > 0 ? LANES : 1;
    localparam LEVELS = $clog2(LANES_1);
    localparam CHUNKS = (N + LANES_1 - 1) / LANES_1;
    localparam CHUNK_W = $clog2(CHUNKS + 1);
    localparam TOK_W = USER_W - 1;
    localparam ROW_W = TOK_W + 1;                  // {bank, tok}
    localparam [31:0] LAST_CHUNK = CHUNKS - 1;
    localparam FINISH = 21;                        // sum of squares 2, from_int 4, mul 3, add 5, rsqrt 7
    localparam LATENCY = 7;                        // operands 1, mul 3, mul 3
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

    rill_bank_buffer #(.DATA_W(LANES * 32), .TOKENS(TOKENS), .CHUNKS(CHUNKS), .READY_DELAY(LEVELS + 28)) u_banks (
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

    // Sum of squares from its parts, two stages.
    reg  [103:0]      outer_q;
    reg  [103:0]      middle_q;
    reg  [103:0]      squares_q;
    wire [31:0]       squares_float;
    wire [31:0]       square_mean;
    wire [31:0]       mean_eps;
    wire [31:0]       r;
    wire [2:0]        stat_fault;
    reg  [FINISH-1:0] stat_valid_q;               // [i]: i + 1 stages after the sums
    reg               stat_busy_q;                // any of stat_valid_q
    wire              finishing = sums_valid || stat_busy_q;
    wire [ROW_W-1:0]  stat_row;
    reg  [31:0]       r_q [0:(1<<ROW_W)-1];
    always @(posedge clk) if (finishing) begin
        outer_q <= {high, 44'd0} + {44'd0, low};
        middle_q <= {21'd0, middle, 23'd0};
        squares_q <= outer_q + middle_q;
    end
    rill_fp32_from_int #(.WIDTH(104)) u_squares_float (.clk(clk), .en(finishing), .a({1'b0, squares_q[102:0]}), .y(squares_float));
    rill_fp32_mul #(.SATURATE(0)) u_mean (.clk(clk), .en(finishing), .a(squares_float), .b(MS_SCALE), .y(square_mean), .fault(stat_fault[0]));
    rill_fp32_add u_eps (.clk(clk), .en(finishing), .a(square_mean), .b(EPS), .y(mean_eps), .fault(stat_fault[1]));
    rill_fp32_rsqrt u_rsqrt (.clk(clk), .en(finishing), .a(mean_eps), .y(r), .fault(stat_fault[2]));
    rill_delay_line #(.DATA_W(ROW_W), .DEPTH(FINISH)) u_row (.clk(clk), .rst(rst), .en(finishing), .d(sums_row), .q(stat_row));
    always @(posedge clk)
        if (rst) begin
            stat_valid_q <= {FINISH{1'b0}};
            stat_busy_q <= 1'b0;
        end else if (finishing) begin
            stat_valid_q <= {stat_valid_q[FINISH-2:0], sums_valid};
            stat_busy_q <= sums_valid || |stat_valid_q[FINISH-2:0];
        end
    always @(posedge clk) if (stat_valid_q[FINISH-1]) r_q[stat_row] <= r;
    wire stat_bad = |(stat_fault & {stat_valid_q[20], stat_valid_q[13], stat_valid_q[8]});

    // ---- out ----
    wire [LATENCY-1:0]    valid;
    reg  [LANES*32-1:0] param1_q;
    reg  [USER_W+1:0]     side1_q;                // {bank, tlast, tuser}
    wire [ROW_W-1:0]      row1 = {side1_q[USER_W+1], side1_q[TOK_W-1:0]};
    wire [31:0]           r1 = r_q[row1];
    wire [LANES*32-1:0]   gamma5;
    reg  [31:0]           r2_q;
    reg  [LANES*32-1:0]   x2_q;
    wire [LANES-1:0]      fault_r;
    wire [LANES-1:0]      fault_gamma;

    assign s_axis_param_tready = ready && i_avail && i_tuser[TOK_W];
    always @(posedge clk)
        if (en && i_avail) begin
            param1_q <= s_axis_param_tdata;
            side1_q <= {i_bank, i_end && i_tlast, i_tuser};
        end
    always @(posedge clk)
        if (step[0]) begin
            r2_q <= r1;
            x2_q <= r_tdata;
        end
    rill_pipe #(.LATENCY(LATENCY), .SIDE_W(USER_W + 1), .COPIES(COPIES)) u_pipe (
        .clk(clk), .rst(rst), .s_tvalid(r_tvalid), .s_tready(ready), .s_side(side1_q[USER_W:0]), .en(en), .step(step), .valid(valid),
        .m_tvalid(m_axis_y_tvalid), .m_tready(m_axis_y_tready), .m_side({m_axis_y_tlast, m_axis_y_tuser}));
    rill_delay_line #(.DATA_W(LANES * 32), .DEPTH(4)) u_gamma (.clk(clk), .rst(rst), .en(step[0]), .d(param1_q), .q(gamma5));

    genvar i;
    generate
        for (i = 0; i < LANES; i = i + 1) begin : gen_lane
            wire        mine = step[i*COPIES/LANES];
            wire [31:0] normal;
            rill_fp32_mul #(.SATURATE(0)) u_r (.clk(clk), .en(mine), .a(x2_q[i*32 +: 32]), .b(r2_q), .y(normal), .fault(fault_r[i]));
            rill_fp32_mul #(.SATURATE(0)) u_gamma (.clk(clk), .en(mine), .a(normal), .b(gamma5[i*32 +: 32]), .y(m_axis_y_tdata[i*32 +: 32]),
                .fault(fault_gamma[i]));
        end
    endgenerate

    wire bad = (|fault_r && valid[3]) || (|fault_gamma && valid[6]);
    always @(posedge clk) fault <= !rst && (sums_fault || stat_bad || (en && bad));

    wire unused = &{1'b0, squares_q[103], valid, sum, w_end, i_chunk, i_chunks, i_pad, i_side};
endmodule

`default_nettype wire
