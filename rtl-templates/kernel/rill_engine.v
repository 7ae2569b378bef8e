// SPDX-License-Identifier: Apache-2.0
// The shared matrix engine: CHANNELS lanes that multiply the memory streams with the operand; dequantized results out.
//
// In: step words; operands (mx units); one beat stream per lane (packed); local K units; the V tail's words (2 cycles after tail_en, tail_addr)
// and its credits head_done. Without attention (HAS_KV = 0) the last two groups are ignored.
// Out: m_axis_y, CHANNELS fp32 with tcount valid ones, in the order row-step, tok; tlast at the end of a firing.
// fault: a valid result was not finite; stays until reset. busy, stall_beat, stall_x, stall_out: events of the cycle.
// Latency: 24 cycles from a row's last beat to its result in the output FIFO. Throughput: one beat of every lane and token per cycle.
// Reset: clk, synchronous active-high rst.
// Parameters: CHANNELS (1..32), BEAT_BITS (256, 512), TOKENS (1, 2, 4, 8), GROUP (elements of a quantization block), X_UNITS (largest operand
// in units per token, even), SCALE_K, SCALE_V (fp32 2^EXP_MIN of the operands of modes 2 and 3), HAS_KV (0, 1), TAIL_ROWS (row-steps of a
// layer in the V tail: heads * ceil(head_dim / CHANNELS)), MAX_SCALE_BEATS (group scale beats of a chunk of rows, 1..64), OUT_DEPTH (rows in
// flight and in the output FIFO), schedule with the 96-bit entries of docs/rtl.md section 6.
`default_nettype none

module rill_engine #(
    parameter CHANNELS = 0,
    parameter BEAT_BITS = 0,
    parameter TOKENS = 0,
    parameter GROUP = 0,
    parameter X_UNITS = 0,
    parameter [31:0] SCALE_K = 0,
    parameter [31:0] SCALE_V = 0,
    parameter HAS_KV = 0,
    parameter TAIL_ROWS = 0,
    parameter MAX_SCALE_BEATS = 8,
    parameter OUT_DEPTH = 64,
    parameter SECTIONS = 0,
    parameter ENTRIES = 0,
    parameter [SECTIONS*16-1:0] SECTION_LEN = 0,
    parameter [SECTIONS*16-1:0] SECTION_REPEAT = 0,
    parameter [SECTIONS-1:0] SECTION_WHEN_HEAD = 0,
    parameter [ENTRIES*96-1:0] TABLE = 0,
    parameter TOK_W = TOKENS > 1 ? $clog2(TOKENS) : 1,
    parameter COUNT_W = $clog2(CHANNELS + 1)
) (
    input  wire                          clk,
    input  wire                          rst,

    input  wire                          s_axis_step_tvalid,
    output wire                          s_axis_step_tready,
    input  wire [63:0]                   s_axis_step_tdata,

    input  wire                          s_axis_x_tvalid,
    output wire                          s_axis_x_tready,
    input  wire [BEAT_BITS+7:0]          s_axis_x_tdata,       // {shift[7:0], q}
    input  wire [TOK_W:0]                s_axis_x_tuser,       // {tok_last, tok}
    input  wire                          s_axis_x_tlast,

    input  wire [CHANNELS-1:0]           s_axis_beat_tvalid,
    output wire [CHANNELS-1:0]           s_axis_beat_tready,
    input  wire [CHANNELS*BEAT_BITS-1:0] s_axis_beat_tdata,

    input  wire                          s_axis_klocal_tvalid,
    output wire                          s_axis_klocal_tready,
    input  wire [BEAT_BITS+31:0]         s_axis_klocal_tdata,  // {scale[31:0], q}
    input  wire [TOK_W:0]                s_axis_klocal_tuser,
    input  wire                          s_axis_klocal_tlast,

    output wire                          tail_en,
    output wire [23:0]                   tail_addr,
    input  wire [CHANNELS*BEAT_BITS-1:0] tail_data,
    input  wire                          head_done,

    output wire                          m_axis_y_tvalid,
    input  wire                          m_axis_y_tready,
    output wire [CHANNELS*32-1:0]        m_axis_y_tdata,
    output wire [COUNT_W-1:0]            m_axis_y_tcount,
    output wire [TOK_W:0]                m_axis_y_tuser,       // {tok_last, tok}
    output wire                          m_axis_y_tlast,

    output wire                          fault,
    output wire                          busy,
    output wire                          stall_beat,
    output wire                          stall_x,
    output wire                          stall_out
);
    localparam C = CHANNELS < 1 ? 1 : CHANNELS;
    localparam XS = BEAT_BITS == 512 ? 64 : 32;
    localparam PAIR_W = X_UNITS > 2 ? $clog2(X_UNITS / 2) : 1;
    localparam SCALE_W = $clog2(MAX_SCALE_BEATS * XS);
    localparam USER_W = TOK_W + 1;
    localparam SIDE_W = COUNT_W + 1 + USER_W;                  // {tcount, tlast, tuser}
    localparam [1:0] INT4 = 2'd1;

    generate
        if (HAS_KV != 0 && HAS_KV != 1) begin : gen_bad_kv
            rill_error_HAS_KV_must_be_0_or_1 u_error ();
        end
    endgenerate

    // ---- control ----
    wire               x_full, x_free;
    wire               beat_pop, klocal_pop, out_pop;
    wire               op_valid, op_local, op_first, op_last, op_odd, op_tok_last, op_tlast;
    wire [1:0]         op_mode;
    wire [TOK_W-1:0]   op_tok;
    wire [PAIR_W-1:0]  op_pair;
    wire [SCALE_W-1:0] op_scale;
    wire [2:0]         op_row;
    wire [COUNT_W-1:0] op_count;
    wire               head_param, head_scale;
    wire [7:0]         head_index;

    rill_engine_ctrl #(
        .CHANNELS(CHANNELS), .BEAT_BITS(BEAT_BITS), .TOKENS(TOKENS), .GROUP(GROUP), .X_UNITS(X_UNITS), .TAIL_ROWS(TAIL_ROWS),
        .MAX_SCALE_BEATS(MAX_SCALE_BEATS), .OUT_DEPTH(OUT_DEPTH), .SECTIONS(SECTIONS), .ENTRIES(ENTRIES), .SECTION_LEN(SECTION_LEN),
        .SECTION_REPEAT(SECTION_REPEAT), .SECTION_WHEN_HEAD(SECTION_WHEN_HEAD), .TABLE(TABLE)
    ) u_ctrl (
        .clk(clk), .rst(rst),
        .s_axis_step_tvalid(s_axis_step_tvalid), .s_axis_step_tready(s_axis_step_tready), .s_axis_step_tdata(s_axis_step_tdata),
        .x_full(x_full), .x_free(x_free), .beats_valid(&s_axis_beat_tvalid), .beat_pop(beat_pop),
        .klocal_valid(HAS_KV != 0 && s_axis_klocal_tvalid), .klocal_pop(klocal_pop), .head_done(HAS_KV != 0 && head_done),
        .tail_en(tail_en), .tail_addr(tail_addr), .out_pop(out_pop),
        .op_valid(op_valid), .op_mode(op_mode), .op_local(op_local), .op_first(op_first), .op_last(op_last), .op_tok(op_tok),
        .op_pair(op_pair), .op_odd(op_odd), .op_scale(op_scale), .op_row(op_row), .op_count(op_count), .op_tok_last(op_tok_last),
        .op_tlast(op_tlast), .head_param(head_param), .head_scale(head_scale), .head_index(head_index),
        .busy(busy), .stall_beat(stall_beat), .stall_x(stall_x), .stall_out(stall_out)
    );
    assign s_axis_beat_tready = {CHANNELS{beat_pop}};
    assign s_axis_klocal_tready = klocal_pop;

    // ---- operand ----
    wire [BEAT_BITS-1:0] unit_0, unit_1;
    wire [7:0]           shift_0, shift_1;
    rill_x_buffer #(.BEAT_BITS(BEAT_BITS), .TOKENS(TOKENS), .X_UNITS(X_UNITS)) u_x (
        .clk(clk), .rst(rst),
        .s_axis_x_tvalid(s_axis_x_tvalid), .s_axis_x_tready(s_axis_x_tready), .s_axis_x_tdata(s_axis_x_tdata),
        .s_axis_x_tuser(s_axis_x_tuser), .s_axis_x_tlast(s_axis_x_tlast),
        .full(x_full), .free(x_free), .read_tok(op_tok), .read_pair(op_pair),
        .unit_0(unit_0), .unit_1(unit_1), .shift_0(shift_0), .shift_1(shift_1)
    );

    // ---- from the issue to the lanes: three cycles, the same for all lanes ----
    reg                   valid_1_q, valid_2_q, valid_3_q;
    reg                   first_1_q, first_2_q, first_3_q;
    reg                   last_1_q, last_2_q, last_3_q;
    reg                   odd_1_q, odd_2_q;
    reg                   local_1_q, local_2_q;
    reg                   tail_1_q, tail_2_q;
    reg                   int4_3_q;
    reg  [1:0]            mode_1_q, mode_2_q;
    reg  [TOK_W-1:0]      tok_1_q, tok_2_q, tok_3_q;
    reg  [SIDE_W-1:0]     side_1_q, side_2_q, side_3_q;
    reg  [SCALE_W-1:0]    scale_1_q;
    reg  [2:0]            scale_2_q;
    reg  [2:0]            row_1_q;
    reg                   head_param_1_q, head_scale_1_q;
    reg  [7:0]            head_index_1_q;
    reg  [4:0]            shift_3_q;
    reg  [2*BEAT_BITS-1:0] x_3_q;
    wire                  second = odd_2_q && mode_2_q != INT4;
    wire [BEAT_BITS-1:0]  unit = second ? unit_1 : unit_0;
    wire [2*BEAT_BITS-1:0] unit_twice;

    always @(posedge clk) begin
        {valid_3_q, valid_2_q, valid_1_q} <= rst ? 3'd0 : {valid_2_q, valid_1_q, op_valid};
        {first_3_q, first_2_q, first_1_q} <= {first_2_q, first_1_q, op_first};
        {last_3_q, last_2_q, last_1_q} <= {last_2_q, last_1_q, op_last};
        {odd_2_q, odd_1_q} <= {odd_1_q, op_odd};
        {local_2_q, local_1_q} <= {local_1_q, op_local};
        {tail_2_q, tail_1_q} <= {tail_1_q, tail_en};
        {mode_2_q, mode_1_q} <= {mode_1_q, op_mode};
        {tok_3_q, tok_2_q, tok_1_q} <= {tok_2_q, tok_1_q, op_tok};
        {side_3_q, side_2_q, side_1_q} <= {side_2_q, side_1_q, op_count, op_tlast, op_tok_last, op_tok};
        int4_3_q <= mode_2_q == INT4;
        scale_1_q <= op_scale;
        scale_2_q <= scale_1_q[2:0];
        row_1_q <= op_row;
        {head_param_1_q, head_scale_1_q} <= {head_param, head_scale};
        head_index_1_q <= head_index;
        shift_3_q <= second ? shift_1[4:0] : shift_0[4:0];
        x_3_q <= mode_2_q == INT4 ? {unit_1, unit_0} : unit_twice;
    end

    wire [BEAT_BITS-1:0] local_unit;
    genvar i;
    generate
        for (i = 0; i < XS; i = i + 1) begin : gen_twice       // int8: an element faces both nibbles of its weight
            assign unit_twice[16*i +: 16] = {2{unit[8*i +: 8]}};
        end
        if (HAS_KV != 0) begin : gen_local
            rill_delay_line #(.DATA_W(BEAT_BITS), .DEPTH(2)) u_local (
                .clk(clk), .rst(rst), .en(1'b1), .d(s_axis_klocal_tdata[BEAT_BITS-1:0]), .q(local_unit)
            );
        end else begin : gen_no_local
            assign local_unit = {BEAT_BITS{1'b0}};
        end
    endgenerate

    // ---- lanes; the first one carries the marks ----
    wire [C-1:0]      row_valid;
    wire [C*64-1:0]   row_acc;
    wire [C*32-1:0]   row_scale;
    wire [C*32-1:0]   row_bias;
    wire [SIDE_W-1:0] row_side;
    generate
        for (i = 0; i < C; i = i + 1) begin : gen_lane
            localparam LANE_SIDE_W = i == 0 ? SIDE_W : 1;
            wire [LANE_SIDE_W-1:0] side;
            rill_engine_lane #(
                .BEAT_BITS(BEAT_BITS), .TOKENS(TOKENS), .MAX_SCALE_BEATS(MAX_SCALE_BEATS), .SIDE_W(LANE_SIDE_W), .HAS_KV(HAS_KV),
                .HAS_LOCAL(i == 0), .SCALE_K(SCALE_K), .SCALE_V(SCALE_V)
            ) u_lane (
                .clk(clk), .rst(rst), .beat(s_axis_beat_tdata[i*BEAT_BITS +: BEAT_BITS]),
                .head_param_1(head_param_1_q), .head_scale_1(head_scale_1_q), .head_index_1(head_index_1_q), .scale_1(scale_1_q),
                .row_1(row_1_q), .mode_2(mode_2_q), .tail_2(tail_2_q), .local_2(local_2_q), .scale_2(scale_2_q),
                .tail(tail_data[i*BEAT_BITS +: BEAT_BITS]), .local_unit(local_unit),
                .valid_3(valid_3_q), .int4_3(int4_3_q), .first_3(first_3_q), .last_3(last_3_q), .tok_3(tok_3_q), .x_3(x_3_q),
                .shift_3(shift_3_q), .side_3(side_3_q[LANE_SIDE_W-1:0]),
                .out_valid(row_valid[i]), .out_acc(row_acc[i*64 +: 64]), .out_row_scale(row_scale[i*32 +: 32]),
                .out_bias(row_bias[i*32 +: 32]), .out_side(side)
            );
            if (i == 0) begin : gen_marks
                assign row_side = side;
            end else begin : gen_no_marks
                wire unused = &{1'b0, side};
            end
        end
    endgenerate

    // ---- to fp32 and out ----
    wire              y_valid;
    wire [C*32-1:0]   y;
    wire [C-1:0]      y_fault;
    wire [SIDE_W-1:0] y_side;
    wire              y_ready;
    wire [COUNT_W-1:0] y_count = y_side[SIDE_W-1 -: COUNT_W];
    wire [C-1:0]      counted_fault;
    reg               fault_q;

    rill_dequantize #(.LANES(C), .SIDE_W(SIDE_W)) u_dequantize (
        .clk(clk), .rst(rst), .valid(row_valid[0]), .acc(row_acc), .scale(row_scale), .bias(row_bias), .side(row_side),
        .out_valid(y_valid), .y(y), .fault(y_fault), .out_side(y_side)
    );
    generate
        for (i = 0; i < C; i = i + 1) begin : gen_fault
            localparam [31:0] INDEX = i;
            assign counted_fault[i] = y_fault[i] && y_count > INDEX[COUNT_W-1:0];
        end
    endgenerate
    always @(posedge clk)
        fault_q <= !rst && (fault_q || (y_valid && |counted_fault));
    assign fault = fault_q;

    localparam FILL_W = $clog2(OUT_DEPTH + 1);
    wire [FILL_W-1:0] fill, high;
    rill_fifo #(.DATA_W(C * 32 + SIDE_W), .DEPTH(OUT_DEPTH)) u_out (
        .clk(clk), .rst(rst), .s_axis_tvalid(y_valid), .s_axis_tready(y_ready), .s_axis_tdata({y_side, y}),
        .m_axis_tvalid(m_axis_y_tvalid), .m_axis_tready(m_axis_y_tready),
        .m_axis_tdata({m_axis_y_tcount, m_axis_y_tlast, m_axis_y_tuser, m_axis_y_tdata}), .occupancy(fill), .high_water(high)
    );
    assign out_pop = m_axis_y_tvalid && m_axis_y_tready;

`ifdef RILL_ASSERT
    always @(posedge clk)
        if (!rst && y_valid && !y_ready) begin
            $display("%m: a result without a place");
            $stop;
        end
`endif

    wire unused = &{1'b0, row_valid, y_ready, fill, high, shift_0[7:5], shift_1[7:5], s_axis_klocal_tvalid, s_axis_klocal_tdata,
                    s_axis_klocal_tuser, s_axis_klocal_tlast, head_done, tail_data};
endmodule

`default_nettype wire
