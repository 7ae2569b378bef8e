// SPDX-License-Identifier: Apache-2.0
// The common part of rill_layernorm and rill_rmsnorm: banks of vectors, exact sums, handshakes, clock enables and
// fault. Each norm adds its own arithmetic.
//
// In: vector stream of N elements (chunk, tok); parameter words, one per chunk, taken with the chunk's last token.
// There are two banks: the next vector (all tokens of a step) may enter while the previous one leaves.
// Statistics: while a vector enters, rill_norm_sums computes the sums of each row ({bank, tok}): sum, high, middle and
// low. The norm computes its statistics from them in a pipeline of FINISH enabled clocks, whose clock enable is
// `finishing`. stat_valid[i] belongs to stage i + 1 of this pipeline, and stat_row to its last stage. The norm stores
// the result for each row.
// Out: a pipeline of STAGES enabled clocks, whose clock enable is `move`. Its first stage, the operand stage, is in
// this module and outputs x; param and row belong to the word that enters this stage. valid[i] belongs to stage i + 1.
// fault: pulse in the cycle after a fault of the sums, after stat_bad, or after bad unless the pipeline was stalled.
// Latency log2(LANES) + FINISH + STAGES + 9 cycles from the last chunk in to the first chunk out. Throughput: one
// chunk per cycle in and out. Reset: clk, synchronous active-high rst; valids only.
//
// name    meaning                                         unit      range
// LANES   fp32 per chunk                                  elements  1, 2, 4, 8, 16, 32
// TOKENS  tokens per step, upper bound                    tokens    1 to 8
// N       elements of a vector                            elements  1 to 65536
// PARAMS  fp32 values per element in a parameter word     values    1 or more
// FINISH  enabled clocks from the sums to the statistics  clocks    2 or more
// STAGES  enabled clocks from the operands to the result  clocks    2 or more
// COPIES  bits of move, one per 4 lanes                   bits      1 or more
// USER_W  width of tuser                                  bits      derived
`default_nettype none

module rill_norm_front #(
    parameter LANES = 0,
    parameter TOKENS = 0,
    parameter N = 0,
    parameter PARAMS = 1,
    parameter FINISH = 0,
    parameter STAGES = 0,
    parameter COPIES = 1,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire                       clk,
    input  wire                       rst,

    input  wire                       s_axis_x_tvalid,
    output wire                       s_axis_x_tready,
    input  wire [LANES*32-1:0]        s_axis_x_tdata,
    input  wire [USER_W-1:0]          s_axis_x_tuser,
    input  wire                       s_axis_x_tlast,

    input  wire                       s_axis_param_tvalid,
    output wire                       s_axis_param_tready,
    input  wire [PARAMS*LANES*32-1:0] s_axis_param_tdata,

    output wire                       finishing,
    output wire [59:0]                sum,
    output wire [59:0]                high,
    output wire [59:0]                middle,
    output wire [59:0]                low,
    output wire [FINISH-1:0]          stat_valid,
    output wire [USER_W-1:0]          stat_row,

    output wire [COPIES-1:0]          move,
    output wire [STAGES-1:0]          valid,
    output wire [USER_W-1:0]          row,
    output wire [PARAMS*LANES*32-1:0] param,
    output wire [LANES*32-1:0]        x,

    output wire                       m_axis_y_tvalid,
    input  wire                       m_axis_y_tready,
    output wire [USER_W-1:0]          m_axis_y_tuser,
    output wire                       m_axis_y_tlast,

    input  wire                       stat_bad,
    input  wire                       bad,
    output reg                        fault
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
        if (PARAMS < 1 || FINISH < 2 || STAGES < 2) begin : gen_bad_stages
            rill_error_PARAMS_must_be_at_least_1_FINISH_and_STAGES_2 u_error ();
        end
    endgenerate

    `include "rill_latency.vh"
    localparam LANES_1 = LANES > 0 ? LANES : 1;
    localparam LEVELS = $clog2(LANES_1);
    localparam CHUNKS = (N + LANES_1 - 1) / LANES_1;
    localparam CHUNK_W = $clog2(CHUNKS + 1);
    localparam TOK_W = USER_W - 1;
    localparam ROW_W = USER_W;                     // {bank, tok}
    localparam [31:0] LAST_CHUNK = CHUNKS - 1;

    // ---- input: two banks of vectors ----
    wire                en;
    wire                ready;
    wire                w_take;
    wire                w_bank;
    wire                w_end;
    wire [CHUNK_W-1:0]  w_chunk;
    wire                i_avail;
    wire                i_bank;
    wire [CHUNK_W-1:0]  i_chunk;
    wire [CHUNK_W-1:0]  i_last;
    wire [USER_W-1:0]   i_tuser;
    wire                i_tok_last = i_tuser[TOK_W];
    wire                i_pad;
    wire                i_end;
    wire                i_tlast;
    wire                i_side;
    wire                r_tvalid;
    wire [LANES*32-1:0] r_tdata;

    rill_bank_buffer #(
        .DATA_W(LANES * 32), .TOKENS(TOKENS), .CHUNKS(CHUNKS), .READY_DELAY(LEVELS + LATENCY_NORM_SUMS + FINISH - 1)
    ) u_banks (
        .clk(clk), .rst(rst), .s_tvalid(s_axis_x_tvalid), .s_tready(s_axis_x_tready), .s_tdata(s_axis_x_tdata),
        .s_tuser(s_axis_x_tuser), .s_tlast(s_axis_x_tlast), .s_side(1'b0), .w_take(w_take), .w_bank(w_bank),
        .w_chunk(w_chunk), .w_end(w_end), .r_en(en), .r_go(s_axis_param_tvalid), .r_pad(1'b0), .i_avail(i_avail),
        .i_bank(i_bank), .i_chunk(i_chunk), .i_last(i_last), .i_tuser(i_tuser), .i_pad(i_pad), .i_end(i_end),
        .i_tlast(i_tlast), .i_side(i_side), .r_tvalid(r_tvalid), .r_tdata(r_tdata));

    // ---- statistics ----
    wire             sums_fault;
    wire             sums_valid;
    wire [ROW_W-1:0] sums_row;
    wire [ROW_W-1:0] w_row = {w_bank, s_axis_x_tuser[TOK_W-1:0]};
    reg [FINISH-1:0] stat_valid_q;
    reg              stat_busy_q;                  // any of stat_valid_q

    rill_norm_sums #(.LANES(LANES), .ROWS(1 << ROW_W)) u_sums (
        .clk(clk), .rst(rst), .take(w_take), .x(s_axis_x_tdata), .row(w_row), .first(w_chunk == {CHUNK_W{1'b0}}),
        .last(w_chunk == LAST_CHUNK[CHUNK_W-1:0]), .m_valid(sums_valid), .m_row(sums_row), .m_sum(sum), .m_high(high),
        .m_middle(middle), .m_low(low), .fault(sums_fault));
    rill_delay_line #(.DATA_W(ROW_W), .DEPTH(FINISH)) u_row (
        .clk(clk), .rst(rst), .en(finishing), .d(sums_row), .q(stat_row));
    assign finishing = sums_valid || stat_busy_q;
    assign stat_valid = stat_valid_q;
    always @(posedge clk)
        if (rst) begin
            stat_valid_q <= {FINISH{1'b0}};
            stat_busy_q <= 1'b0;
        end else if (finishing) begin
            stat_valid_q <= {stat_valid_q[FINISH-2:0], sums_valid};
            stat_busy_q <= sums_valid || |stat_valid_q[FINISH-2:0];
        end

    // ---- output: a word that is read waits one enabled clock with its parameters, then enters the pipeline ----
    reg                       bank1_q;
    reg                       tlast1_q;
    reg [USER_W-1:0]          user1_q;
    reg [PARAMS*LANES*32-1:0] param1_q;
    reg [LANES*32-1:0]        x2_q;

    assign s_axis_param_tready = ready && i_avail && i_tok_last;
    always @(posedge clk)
        if (en && i_avail) begin
            param1_q <= s_axis_param_tdata;
            bank1_q <= i_bank;
            tlast1_q <= i_end && i_tlast;
            user1_q <= i_tuser;
        end
    genvar c;
    generate
        for (c = 0; c < COPIES; c = c + 1) begin : gen_x
            localparam PART = LANES * 32 / COPIES;
            always @(posedge clk) if (move[c]) x2_q[c*PART +: PART] <= r_tdata[c*PART +: PART];
        end
    endgenerate
    assign row = {bank1_q, user1_q[TOK_W-1:0]};
    assign param = param1_q;
    assign x = x2_q;

    rill_pipe #(.LATENCY(STAGES), .SIDE_W(USER_W + 1), .COPIES(COPIES)) u_pipe (
        .clk(clk), .rst(rst), .s_tvalid(r_tvalid), .s_tready(ready), .s_side({tlast1_q, user1_q}), .en(en), .move(move),
        .valid(valid), .m_tvalid(m_axis_y_tvalid), .m_tready(m_axis_y_tready),
        .m_side({m_axis_y_tlast, m_axis_y_tuser}));

    always @(posedge clk) fault <= !rst && (sums_fault || stat_bad || (en && bad));

    wire unused = &{1'b0, w_end, i_chunk, i_last, i_pad, i_side};
endmodule

`default_nettype wire
