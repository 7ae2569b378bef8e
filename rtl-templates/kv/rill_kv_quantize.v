// SPDX-License-Identifier: Apache-2.0
// Quantizes heads of fp32 vectors to int8, with one fp32 scale per head and token, for the KV cache (docs/numerics.md
// section 6).
//
// In: vector stream (chunk, tok) of HEADS * HEAD_DIM elements. Out: kv units {scale[31:0], q[XS*8-1:0]} in order head,
// tok, unit in head. A head has ceil(HEAD_DIM / XS) units of XS = BEAT_BITS / 8 mantissas; the last unit is padded with
// zeros. tlast comes with the last unit of HEADS heads. The scales of keys are multiplied by RSQRT_HD, so that scores
// are scaled: RSQRT_HD is 1 / sqrt(HEAD_DIM), unless the graph gives another scale of scores.
// Throughput: one chunk per cycle. A head is read, one chunk per cycle, while the next head comes in.
// Latency log2(LANES) + 21 cycles from the last chunk of a head (all tokens) to its first unit if that unit is one
// chunk, plus one cycle per further chunk of the unit. Reset: clk, synchronous active-high rst. fault: pulse on NaN,
// infinity, or a product that overflows.
//
// name       meaning                                        unit       range
// LANES      fp32 per chunk                                 elements   1, 2, 4, 8, 16, 32
// TOKENS     tokens per step, upper bound                   tokens     1 to 8
// BEAT_BITS  width of a beat                                bits       256, 512
// HEADS      heads of a firing                              heads      1 or more
// HEAD_DIM   elements of a head, a multiple of LANES        elements   1 or more
// USE_RSQRT  1: the scale is multiplied by RSQRT_HD (keys)  -          0, 1
// RSQRT_HD   scale of scores, not 0 with USE_RSQRT          fp32 bits  any
// USER_W     width of tuser                                 bits       derived
`default_nettype none

module rill_kv_quantize #(
    parameter LANES = 0,
    parameter TOKENS = 0,
    parameter BEAT_BITS = 0,
    parameter HEADS = 0,
    parameter HEAD_DIM = 0,
    parameter USE_RSQRT = 0,
    parameter [31:0] RSQRT_HD = 0,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire                    clk,
    input  wire                    rst,

    input  wire                    s_axis_x_tvalid,
    output wire                    s_axis_x_tready,
    input  wire [LANES*32-1:0]     s_axis_x_tdata,
    input  wire [USER_W-1:0]       s_axis_x_tuser,
    input  wire                    s_axis_x_tlast,

    output wire                    m_axis_y_tvalid,
    input  wire                    m_axis_y_tready,
    output wire [BEAT_BITS+32-1:0] m_axis_y_tdata,
    output wire [USER_W-1:0]       m_axis_y_tuser,
    output wire                    m_axis_y_tlast,

    output reg                     fault
);
    generate
        if (LANES != 1 && LANES != 2 && LANES != 4 && LANES != 8 && LANES != 16 && LANES != 32) begin : gen_bad_lanes
            rill_error_LANES_must_be_a_power_of_two_up_to_32 u_error ();
        end else if (HEAD_DIM < 1 || HEAD_DIM % LANES != 0) begin : gen_bad_dim
            rill_error_HEAD_DIM_must_be_a_multiple_of_LANES u_error ();
        end
        if (TOKENS < 1 || TOKENS > 8) begin : gen_bad_tokens
            rill_error_TOKENS_must_be_1_to_8 u_error ();
        end
        if (BEAT_BITS != 256 && BEAT_BITS != 512) begin : gen_bad_beat
            rill_error_BEAT_BITS_must_be_256_or_512 u_error ();
        end
        if (HEADS < 1) begin : gen_bad_heads
            rill_error_HEADS_must_be_at_least_1 u_error ();
        end
        if (USE_RSQRT != 0 && RSQRT_HD == 0) begin : gen_bad_rsqrt
            rill_error_USE_RSQRT_needs_RSQRT_HD u_error ();
        end
    endgenerate

    localparam LANES_1 = LANES > 0 ? LANES : 1;
    localparam LEVELS = $clog2(LANES_1);
    localparam XS = BEAT_BITS / 8;
    localparam CHUNKS = (HEAD_DIM + LANES_1 - 1) / LANES_1;
    localparam CHUNK_W = $clog2(CHUNKS + 1);
    localparam SLOTS = XS / LANES_1;                       // chunks of a unit, a power of two
    localparam SLOT_W = SLOTS > 1 ? $clog2(SLOTS) : 1;
    localparam TOK_W = USER_W - 1;
    localparam ROW_W = TOK_W + 1;                          // {bank, tok}
    localparam [31:0] LAST_CHUNK = CHUNKS - 1;
    localparam [31:0] LAST_SLOT = SLOTS - 1;
    localparam [31:0] F127 = 32'h42fe0000;                 // 127
    localparam [31:0] F1_127 = 32'h3c010204;               // 1 / 127
    localparam HEAD_W = $clog2(HEADS + 1);
    localparam [31:0] LAST_HEAD = HEADS - 1;
    `include "rill_latency.vh"
    `include "rill_copies.vh"
    localparam SCALE_STAGES = LATENCY_MUL;                 // stages from the largest magnitude of a head to its scale
    localparam KEY_STAGES = SCALE_STAGES + LATENCY_MUL;
    localparam RECIP_STAGES = LATENCY_RECIP;
    localparam INV_STAGES = RECIP_STAGES + LATENCY_MUL;
    // Stages from a chunk that was read to the product: the operand stage and the product
    localparam PRODUCT_STAGES = 1 + LATENCY_MUL;
    localparam Y_STAGES = PRODUCT_STAGES + LATENCY_TO_FIXED;

    // ---- heads in, two banks ----
    wire                en;
    wire                w_take;
    wire                w_bank;
    wire                w_end;
    wire [CHUNK_W-1:0]  w_chunk;
    wire                i_avail;
    wire                i_bank;
    wire [CHUNK_W-1:0]  i_chunk;
    wire [CHUNK_W-1:0]  i_last;
    wire [USER_W-1:0]   i_tuser;
    wire                i_pad;
    wire                i_end;
    wire                i_tlast;
    wire                i_side;
    wire                r_tvalid;
    wire [LANES*32-1:0] r_tdata;

    rill_bank_buffer #(.DATA_W(LANES * 32), .TOKENS(TOKENS), .CHUNKS(CHUNKS), .TOKEN_MAJOR(1),
        .READY_DELAY(LEVELS + 1 + INV_STAGES)) u_banks (
        .clk(clk), .rst(rst), .s_tvalid(s_axis_x_tvalid), .s_tready(s_axis_x_tready), .s_tdata(s_axis_x_tdata),
        .s_tuser(s_axis_x_tuser),
        .s_tlast(s_axis_x_tlast), .s_side(1'b0), .w_take(w_take), .w_bank(w_bank), .w_chunk(w_chunk), .w_end(w_end),
        .r_en(en), .r_go(1'b1), .r_pad(1'b0), .i_avail(i_avail), .i_bank(i_bank), .i_chunk(i_chunk),
        .i_last(i_last), .i_tuser(i_tuser),
        .i_pad(i_pad), .i_end(i_end), .i_tlast(i_tlast), .i_side(i_side), .r_tvalid(r_tvalid), .r_tdata(r_tdata));

    // ---- largest magnitude per token while the head comes in; then its reciprocal and the scale ----
    reg  [LANES*31-1:0] magnitudes_q;
    wire [30:0]         chunk_most;
    wire [ROW_W+1:0]    place_now = {w_chunk == {CHUNK_W{1'b0}}, w_chunk == LAST_CHUNK[CHUNK_W-1:0], w_bank,
        s_axis_x_tuser[TOK_W-1:0]};
    wire [ROW_W+1:0]    place;
    wire [ROW_W-1:0]    row = place[ROW_W-1:0];
    wire [ROW_W-1:0]    row_done;
    wire                zero_done;
    reg  [LEVELS+1:0]   took_q;
    wire [LEVELS+1:0]   took = took_q;
    reg  [30:0]         most_q [0:(1<<ROW_W)-1];
    reg  [30:0]         final_q;                           // largest magnitude of a complete head
    reg  [ROW_W-1:0]    final_row_q;
    reg  [INV_STAGES:0] final_valid_q;                     // [i]: i stages after final_q was set
    wire                final_now = took[LEVELS] && place[ROW_W];
    reg                 finishing_q;                       // any of final_valid_q
    wire                taking = w_take || |took_q;
    // The chunk has a larger magnitude than the head so far, or it is the first chunk of the head.
    wire                more = {place[ROW_W+1], chunk_most} > {1'b0, most_q[row]};

    genvar i;
    generate
        for (i = 0; i < LANES; i = i + 1) begin : gen_magnitude
            always @(posedge clk)
                if (w_take) magnitudes_q[i*31 +: 31] <= s_axis_x_tdata[i*32+23 +: 8] == 8'd0 ? 31'd0
                    : s_axis_x_tdata[i*32 +: 31];
        end
    endgenerate
    rill_max_tree #(.DATA_W(31), .LANES(LANES)) u_most (.clk(clk), .en(taking), .d(magnitudes_q), .q(chunk_most));
    rill_delay_line #(.DATA_W(ROW_W + 2), .DEPTH(LEVELS + 1)) u_place (.clk(clk), .rst(rst), .en(taking), .d(place_now),
        .q(place));

    // The first chunk is compared with the previous contents, which therefore must be defined in a simulation.
    integer n;
    initial for (n = 0; n < 1 << ROW_W; n = n + 1) most_q[n] = 31'd0;
    always @(posedge clk)
        if (rst) begin
            took_q <= {(LEVELS+2){1'b0}};
            final_valid_q <= {(INV_STAGES+1){1'b0}};
            finishing_q <= 1'b0;
        end else begin
            took_q <= {took_q[LEVELS:0], w_take};
            final_valid_q <= {final_valid_q[INV_STAGES-1:0], final_now};
            finishing_q <= final_now || |final_valid_q[INV_STAGES-1:0];
        end
    always @(posedge clk) begin
        if (took[LEVELS] && more) most_q[row] <= chunk_most;
        final_q <= more ? chunk_most : most_q[row];
        final_row_q <= row;
    end

    wire [31:0] recip;
    wire [31:0] inv;
    wire [31:0] scale_plain;
    wire [31:0] scale;
    wire [3:0]  stat_fault;
    reg  [31:0] inv_q [0:(1<<ROW_W)-1];
    reg  [31:0] scale_q [0:(1<<ROW_W)-1];
    rill_fp32_recip u_recip (.clk(clk), .en(finishing_q), .a({1'b0, final_q}), .y(recip), .fault(stat_fault[0]));
    rill_fp32_mul #(.SATURATE(0)) u_inv (.clk(clk), .en(finishing_q), .a(recip), .b(F127), .y(inv),
        .fault(stat_fault[1]));
    rill_fp32_mul #(.SATURATE(0)) u_scale (.clk(clk), .en(finishing_q), .a({1'b0, final_q}), .b(F1_127),
        .y(scale_plain), .fault(stat_fault[2]));
    generate
        if (USE_RSQRT != 0) begin : gen_key
            wire [31:0] scale_early;
            rill_fp32_mul #(.SATURATE(0)) u_key (.clk(clk), .en(finishing_q), .a(scale_plain), .b(RSQRT_HD),
                .y(scale_early),
                .fault(stat_fault[3]));
            rill_delay_line #(.DATA_W(32), .DEPTH(INV_STAGES - KEY_STAGES)) u_late (
                .clk(clk), .rst(rst), .en(finishing_q), .d(scale_early), .q(scale));
        end else begin : gen_value
            assign stat_fault[3] = 1'b0;
            rill_delay_line #(.DATA_W(32), .DEPTH(INV_STAGES - SCALE_STAGES)) u_late (
                .clk(clk), .rst(rst), .en(finishing_q), .d(scale_plain), .q(scale));
        end
    endgenerate
    rill_delay_line #(.DATA_W(ROW_W + 1), .DEPTH(INV_STAGES)) u_row (
        .clk(clk), .rst(rst), .en(finishing_q), .d({final_q == 31'd0, final_row_q}), .q({zero_done, row_done}));
    always @(posedge clk)
        if (final_valid_q[INV_STAGES]) begin
            inv_q[row_done] <= zero_done ? 32'd0 : inv;
            scale_q[row_done] <= scale;
        end
    // The reciprocal of a head of zeros is not used, so its fault does not count. zero_recip is the flag for such a
    // head in the stage of recip, zero_done in the stage of inv.
    wire zero_recip;
    rill_delay_line #(.DATA_W(1), .DEPTH(RECIP_STAGES)) u_zero (
        .clk(clk), .rst(rst), .en(finishing_q), .d(final_q == 31'd0), .q(zero_recip));
    wire stat_bad = (stat_fault[0] && final_valid_q[RECIP_STAGES] && !zero_recip)
        || (stat_fault[1] && final_valid_q[INV_STAGES] && !zero_done)
        || (stat_fault[2] && final_valid_q[SCALE_STAGES]) || (stat_fault[3] && final_valid_q[KEY_STAGES]);

    // ---- read, multiply, round, pack ----
    wire              bank1;
    wire [TOK_W-1:0]  tok1;
    wire [SLOT_W-1:0] slot_now;
    wire              last_now;
    reg  [HEAD_W-1:0] head_q;
    wire              head_last = head_q == LAST_HEAD[HEAD_W-1:0];
    localparam LATE_W = SLOT_W + 2 + USER_W;
    reg  [LATE_W:0]   side1_q;
    generate
        if (SLOTS == 1) begin : gen_whole
            assign slot_now = 1'b0;
            assign last_now = 1'b1;
        end else if (CHUNK_W > SLOT_W) begin : gen_many
            assign slot_now = i_chunk[SLOT_W-1:0];
            assign last_now = i_chunk == LAST_CHUNK[CHUNK_W-1:0] || slot_now == LAST_SLOT[SLOT_W-1:0];
        end else begin : gen_one
            assign slot_now = {{(SLOT_W-CHUNK_W){1'b0}}, i_chunk};
            assign last_now = i_chunk == LAST_CHUNK[CHUNK_W-1:0] || slot_now == LAST_SLOT[SLOT_W-1:0];
        end
    endgenerate
    always @(posedge clk) if (en) side1_q <= {i_bank, slot_now, last_now, i_end && head_last, i_tuser};
    always @(posedge clk)
        if (rst) head_q <= {HEAD_W{1'b0}};
        else if (en && i_avail && i_end) head_q <= head_last ? {HEAD_W{1'b0}} : head_q + 1'b1;
    assign bank1 = side1_q[LATE_W];
    assign tok1 = side1_q[TOK_W-1:0];

    wire [31:0]        inv1 = inv_q[{bank1, tok1}];
    wire [31:0]        scale1 = scale_q[{bank1, tok1}];
    wire [LANES*8-1:0] mantissas;
    wire [LANES-1:0]   mul_fault;
    wire [LANES-1:0]   fix_fault;
    wire [LANES-1:0]   fix_over;
    wire [31:0]        scale_late;
    wire [SLOT_W-1:0]  slot_late;
    wire               last_late;
    wire               tlast_late;
    wire [USER_W-1:0]  user_late;
    reg  [Y_STAGES-1:0] valid_q;
    reg                busy_q;                             // any of valid_q
    wire               move = en && (r_tvalid || busy_q);
    wire               busy_d = move ? r_tvalid || |valid_q[Y_STAGES-2:0] : busy_q;
    wire [COPIES-1:0]  busy;
    wire [COPIES-1:0]  moves = {COPIES{en}} & ({COPIES{r_tvalid}} | busy); // enables of the lanes
    rill_register_copies #(.DATA_W(1), .COPIES(COPIES)) u_busy (.clk(clk), .rst(rst), .d(busy_d), .q(busy));
    reg  [31:0]        inv2_q;
    always @(posedge clk)
        if (move)
            inv2_q <= inv1;
    generate
        for (i = 0; i < LANES; i = i + 1) begin : gen_lane
            wire        mine = moves[i*COPIES/LANES];
            reg  [31:0] x2_q;
            wire [31:0] scaled;
            always @(posedge clk)
                if (mine)
                    x2_q <= r_tdata[i*32 +: 32];
            rill_fp32_mul #(.SATURATE(0)) u_mul (.clk(clk), .en(mine), .a(x2_q), .b(inv2_q), .y(scaled),
                .fault(mul_fault[i]));
            rill_fp32_to_fixed #(.FRAC(0), .WIDTH(8)) u_fix (.clk(clk), .en(mine), .a(scaled), .y(mantissas[i*8 +: 8]),
                .overflow(fix_over[i]),
                .fault(fix_fault[i]));
        end
    endgenerate
    rill_delay_line #(.DATA_W(32 + LATE_W), .DEPTH(Y_STAGES)) u_side (
        .clk(clk), .rst(rst), .en(move), .d({scale1, side1_q[LATE_W-1:0]}),
        .q({scale_late, slot_late, last_late, tlast_late, user_late}));
    always @(posedge clk)
        if (rst) begin
            valid_q <= {Y_STAGES{1'b0}};
            busy_q <= 1'b0;
        end else begin
            busy_q <= busy_d;
            if (move)
                valid_q <= {valid_q[Y_STAGES-2:0], r_tvalid};
        end

    rill_unit_packer #(.LANES(LANES), .XS(XS), .SIDE_W(33 + USER_W)) u_pack (
        .clk(clk), .rst(rst), .en(en), .s_valid(valid_q[Y_STAGES-1]), .s_data(mantissas), .s_zero(1'b0),
        .s_slot(slot_late), .s_first(slot_late == {SLOT_W{1'b0}}), .s_last(last_late),
        .s_side({scale_late, tlast_late, user_late}), .m_tvalid(m_axis_y_tvalid), .m_tready(m_axis_y_tready),
        .m_tdata(m_axis_y_tdata[BEAT_BITS-1:0]), .m_side({m_axis_y_tdata[BEAT_BITS +: 32], m_axis_y_tlast,
        m_axis_y_tuser}));

    reg                bad_q;
    reg                en_q; // en, delayed to the cycle of bad_q, because en comes late in the cycle
    always @(posedge clk) begin
        bad_q <= (valid_q[PRODUCT_STAGES-1] && |mul_fault) || (valid_q[Y_STAGES-1] && |fix_fault);
        en_q <= en;
        fault <= !rst && (stat_bad || (en_q && bad_q));
    end

    wire unused = &{1'b0, took, i_side, w_end, i_chunk, i_last, i_pad, i_tlast, fix_over};
endmodule

`default_nettype wire
