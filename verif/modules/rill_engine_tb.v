// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_engine with rill_v_tail. Compares bit by bit with the C function: int8 and int4 products that
// share an operand, scores with local positions (none, some and many in memory), values with the V tail and its
// write-out, and a product for the last token alone.
// Without idles and stalls, the engine may be idle (neither busy nor stalled) for at most GAP cycles per firing, and
// 100 more. It may wait for beats for at most GAP cycles per firing and TAIL_WAIT per step. With TURN_TOKENS 1 it may
// never wait for room at the output.
// Checks in messages: 1 descriptor and 2 beat of the V write-out, 3 and 4 the file of vectors, 5 busy and stall_* are
// high together, 6 a fault, 7 no fault, 8 number of layers done, 9 idle cycles, 10 waits.
// Sets for verif/modules/run.sh (form=pump defines RILL_PUMP, form=cells RILL_VENDOR_CELLS, form=fast RILL_FAST_SIM;
// after @: idles and stalls in percent):
// sweep: CHANNELS=3 BEAT_BITS=256 TOKENS=2 GROUP=128 HEAD_DIM=40
// sweep: CHANNELS=1 BEAT_BITS=256 TOKENS=4 GROUP=64 HEAD_DIM=6 form=fast
// sweep: CHANNELS=4 BEAT_BITS=512 TOKENS=1 GROUP=128 HEAD_DIM=66
// sweep: CHANNELS=1 BEAT_BITS=512 TOKENS=2 GROUP=256 HEAD_DIM=5 FAULT=1 form=fast
// sweep: CHANNELS=3 BEAT_BITS=256 TOKENS=4 GROUP=128 HEAD_DIM=40 TURN_TOKENS=2
// sweep: CHANNELS=2 BEAT_BITS=512 TOKENS=8 GROUP=128 HEAD_DIM=6 TURN_TOKENS=2 form=fast
// sweep: CHANNELS=1 BEAT_BITS=256 TOKENS=2 GROUP=64 HEAD_DIM=33 TURN_TOKENS=2
// sweep: CHANNELS=3 BEAT_BITS=256 TOKENS=2 GROUP=128 HEAD_DIM=40 HOPS=2 form=fast
// sweep: CHANNELS=3 BEAT_BITS=256 TOKENS=4 GROUP=128 HEAD_DIM=40 TURN_TOKENS=2 HOPS=1
// sweep: CHANNELS=3 BEAT_BITS=256 TOKENS=2 GROUP=128 HEAD_DIM=40 HOPS=2 CUT=1 RESULT_HOPS=0 PULSE_HOPS=2 form=fast
// sweep: CHANNELS=3 BEAT_BITS=256 TOKENS=4 GROUP=128 HEAD_DIM=40 TURN_TOKENS=2 HOPS=1 CUT=1 RESULT_HOPS=1 PULSE_HOPS=1
// sweep: CHANNELS=3 BEAT_BITS=256 TOKENS=4 GROUP=256 HEAD_DIM=6 TURN_TOKENS=2 HOPS=1 CUT=1 LAST_BEATS=8 PARAM_BITS=8
// sweep: CHANNELS=2 BEAT_BITS=256 TOKENS=1 GROUP=128 HEAD_DIM=6 HOPS=2 CUT=1 LAST_BEATS=4 PARAM_BITS=16
// sweep: CHANNELS=3 BEAT_BITS=256 TOKENS=2 GROUP=128 HEAD_DIM=40 ASYM=1 form=fast
// sweep: CHANNELS=2 BEAT_BITS=512 TOKENS=4 GROUP=128 HEAD_DIM=6 TURN_TOKENS=2 ASYM=1 HOPS=1
// sweep: CHANNELS=3 BEAT_BITS=256 TOKENS=2 GROUP=128 HEAD_DIM=40 X_BITS=10 form=fast
// sweep: CHANNELS=2 BEAT_BITS=512 TOKENS=4 GROUP=128 HEAD_DIM=6 TURN_TOKENS=2 ASYM=1 HOPS=1 X_BITS=10
// sweep: CHANNELS=3 BEAT_BITS=256 TOKENS=2 GROUP=128 HEAD_DIM=40 HOPS=2 AWAY=1 form=fast
// sweep: CHANNELS=2 BEAT_BITS=512 TOKENS=4 GROUP=128 HEAD_DIM=6 TURN_TOKENS=2 ASYM=1 HOPS=1 AWAY=1 X_BITS=10
// sweep: CHANNELS=9 BEAT_BITS=256 TOKENS=2 GROUP=128 HEAD_DIM=6 TURN_TOKENS=2 HOPS=1 AWAY=1 form=fast @ 0:0
// sweep: CHANNELS=1 BEAT_BITS=256 TOKENS=1 GROUP=128 HEAD_DIM=6 ASYM=1 HOPS=2 AWAY=1
// sweep: CHANNELS=9 BEAT_BITS=256 TOKENS=2 GROUP=128 HEAD_DIM=6 TURN_TOKENS=2 HOPS=1 CUT=1 PULSE_HOPS=2 form=fast
// sweep: CHANNELS=2 BEAT_BITS=256 TOKENS=1 GROUP=128 HEAD_DIM=6 ASYM=1 HOPS=2 CUT=1 PULSE_HOPS=2
// sweep: CHANNELS=3 BEAT_BITS=256 TOKENS=4 GROUP=128 HEAD_DIM=40 TURN_TOKENS=4 form=fast
// sweep: CHANNELS=2 BEAT_BITS=512 TOKENS=8 GROUP=128 HEAD_DIM=6 TURN_TOKENS=4
// sweep: CHANNELS=1 BEAT_BITS=256 TOKENS=8 GROUP=64 HEAD_DIM=33 TURN_TOKENS=4 form=fast
// sweep: CHANNELS=3 BEAT_BITS=256 TOKENS=8 GROUP=128 HEAD_DIM=40 TURN_TOKENS=4 HOPS=1
// sweep: CHANNELS=3 BEAT_BITS=256 TOKENS=4 GROUP=128 HEAD_DIM=40 TURN_TOKENS=4 HOPS=1 CUT=1 RESULT_HOPS=1 PULSE_HOPS=1
// sweep: CHANNELS=3 BEAT_BITS=256 TOKENS=8 GROUP=256 HEAD_DIM=6 TURN_TOKENS=4 HOPS=1 CUT=1 LAST_BEATS=8 PARAM_BITS=8
// sweep: CHANNELS=2 BEAT_BITS=512 TOKENS=8 GROUP=128 HEAD_DIM=6 TURN_TOKENS=4 ASYM=1 HOPS=1 AWAY=1 form=fast
// sweep: CHANNELS=2 BEAT_BITS=256 TOKENS=4 GROUP=128 HEAD_DIM=6 TURN_TOKENS=4 X_BITS=10
// sweep: CHANNELS=1 BEAT_BITS=512 TOKENS=4 GROUP=128 HEAD_DIM=6 TURN_TOKENS=4 ASYM=1 X_BITS=10 form=pump form=fast @ 0:0
// sweep: CHANNELS=5 BEAT_BITS=256 TOKENS=4 GROUP=128 HEAD_DIM=6 TURN_TOKENS=4 HOPS=1 AWAY=1 form=cells @ 0:0
// sweep: CHANNELS=2 BEAT_BITS=256 TOKENS=8 HEAD_DIM=6 TURN_TOKENS=4 ASYM=1 HOPS=2 CUT=1 PULSE_HOPS=2 form=cells @ 0:0
// sweep: CHANNELS=9 BEAT_BITS=256 TOKENS=2 GROUP=64 HEAD_DIM=6 TURN_TOKENS=2 HOPS=1 CUT=1 RESULT_HOPS=0 PULSE_HOPS=1 @ 50:50
// sweep: CHANNELS=2 BEAT_BITS=256 TOKENS=2 GROUP=128 HEAD_DIM=6 form=fast @ 0:0 50:50
// sweep: CHANNELS=2 BEAT_BITS=256 TOKENS=2 GROUP=128 HEAD_DIM=6 TURN_TOKENS=2 ASYM=1 X_BITS=10 @ 50:50
// sweep: CHANNELS=1 BEAT_BITS=256 TOKENS=2 GROUP=128 HEAD_DIM=6 TURN_TOKENS=2 HOPS=1 AWAY=1 form=fast @ 0:0
// sweep: CHANNELS=2 BEAT_BITS=256 TOKENS=8 GROUP=128 HEAD_DIM=6 TURN_TOKENS=4 @ 0:0
// sweep: CHANNELS=2 BEAT_BITS=256 TOKENS=4 HEAD_DIM=6 TURN_TOKENS=4 ASYM=1 X_BITS=10 HOPS=1 CUT=1 PULSE_HOPS=1 @ 50:50
// sweep: CHANNELS=1 BEAT_BITS=256 TOKENS=4 GROUP=128 HEAD_DIM=6 TURN_TOKENS=4 HOPS=1 AWAY=1 form=cells @ 0:0
// sweep: CHANNELS=3 BEAT_BITS=256 TOKENS=1 GROUP=128 HEAD_DIM=40 PUMP=2
// sweep: CHANNELS=2 BEAT_BITS=512 TOKENS=2 GROUP=128 HEAD_DIM=6 PUMP=2 ASYM=1 HOPS=1 form=fast
// sweep: CHANNELS=3 BEAT_BITS=256 TOKENS=4 GROUP=128 HEAD_DIM=40 TURN_TOKENS=2 PUMP=2
// sweep: CHANNELS=3 BEAT_BITS=256 TOKENS=2 HEAD_DIM=6 PUMP=2 HOPS=1 CUT=1 RESULT_HOPS=0 PULSE_HOPS=1 X_BITS=10
// sweep: CHANNELS=2 BEAT_BITS=256 TOKENS=4 GROUP=128 HEAD_DIM=6 TURN_TOKENS=2 PUMP=2 HOPS=1 AWAY=1 ASYM=1 X_BITS=10
// sweep: CHANNELS=1 BEAT_BITS=256 TOKENS=1 GROUP=128 HEAD_DIM=6 PUMP=2 form=pump form=fast
// sweep: CHANNELS=1 BEAT_BITS=512 TOKENS=2 GROUP=128 HEAD_DIM=6 TURN_TOKENS=2 PUMP=2 ASYM=1 form=pump @ 0:0
// sweep: CHANNELS=2 BEAT_BITS=256 TOKENS=1 GROUP=128 HEAD_DIM=6 PUMP=2 ASYM=1 HOPS=2 CUT=1 form=cells @ 0:0
// sweep: CHANNELS=2 BEAT_BITS=256 TOKENS=2 GROUP=128 HEAD_DIM=6 TURN_TOKENS=2 PUMP=2 HOPS=1 AWAY=1 form=cells @ 0:0
// sweep: CHANNELS=2 BEAT_BITS=256 TOKENS=2 GROUP=128 HEAD_DIM=6 PUMP=2 ASYM=1 form=fast @ 0:0
// sweep: CHANNELS=1 BEAT_BITS=256 TOKENS=1 GROUP=128 HEAD_DIM=6 PUMP=2 HOPS=1 CUT=1 form=cells @ 50:50
// sweep: CHANNELS=1 BEAT_BITS=256 TOKENS=2 GROUP=128 HEAD_DIM=6 TURN_TOKENS=2 PUMP=2 HOPS=1 AWAY=1 form=cells @ 0:0
// sweep: CHANNELS=2 BEAT_BITS=512 TOKENS=2 GROUP=128 HEAD_DIM=6 TURN_TOKENS=2 PUMP=2 HOPS=2 HALVES=1 AWAY=1 ASYM=1 form=pump
// sweep: CHANNELS=9 BEAT_BITS=256 TOKENS=4 GROUP=128 HEAD_DIM=6 TURN_TOKENS=4 HOPS=2 HALVES=1 AWAY=1 form=cells @ 0:0
// sweep: CHANNELS=2 BEAT_BITS=256 TOKENS=1 GROUP=128 HEAD_DIM=6 PUMP=2 HOPS=3 HALVES=1 AWAY=1 RESULT_HOPS=2 @ 50:50
// quick: CHANNELS=1 BEAT_BITS=256 TOKENS=1 GROUP=64 HEAD_DIM=3 PUMP=2 ASYM=1 form=fast @ 0:0
// quick: CHANNELS=2 BEAT_BITS=256 TOKENS=2 GROUP=64 HEAD_DIM=3 ASYM=1 BRIEF=1 form=fast @ 50:50
// quick: CHANNELS=2 BEAT_BITS=256 TOKENS=2 GROUP=128 HEAD_DIM=3 TURN_TOKENS=2 HOPS=1 CUT=1 LAST_BEATS=4 PARAM_BITS=16 form=fast @ 0:0
// quick: CHANNELS=1 BEAT_BITS=256 TOKENS=2 GROUP=64 HEAD_DIM=3 TURN_TOKENS=2 HOPS=1 CUT=1 BRIEF=1 @ 0:0
// quick: CHANNELS=9 BEAT_BITS=256 TOKENS=2 GROUP=64 HEAD_DIM=3 TURN_TOKENS=2 HOPS=1 CUT=1 BRIEF=1 @ 0:0
// quick: CHANNELS=1 BEAT_BITS=256 TOKENS=4 GROUP=64 HEAD_DIM=3 TURN_TOKENS=4 HOPS=1 AWAY=1 form=fast @ 0:0
// quick: CHANNELS=1 BEAT_BITS=256 TOKENS=2 GROUP=64 HEAD_DIM=3 TURN_TOKENS=2 PUMP=2 HOPS=2 HALVES=1 AWAY=1 BRIEF=1 form=pump @ 0:0
`default_nettype none
`timescale 1ns / 1ps

module rill_engine_tb;
    `include "rill_fields.vh"
    // Parameters without a comment are those of rill_engine.
    parameter CHANNELS = 3;
    parameter BEAT_BITS = 256;
    parameter TOKENS = 2;
    parameter GROUP = 64;
    parameter HEAD_DIM = 40;                                   // elements of a head
    parameter FAULT = 0;                                       // 1: a bias is infinite, which must raise the fault
    parameter LAST_BEATS = 1;                                  // beats of a row of the last token's product
    parameter TURN_TOKENS = 1;
    parameter PUMP = TURN_TOKENS > 2 ? 2 : 1;
    parameter HOPS = 0;
    parameter HALVES = 0;                                      // 1: beats cross in halves, at clk_2x
    parameter AWAY = 0;                                        // 1: the lanes' die has a copy of the operands
    parameter CUT = 0;                                         // 1: the lanes are cut after their multipliers (EARLY)
    parameter RESULT_HOPS = HOPS;
    parameter PULSE_HOPS = 0;
    parameter PARAM_BITS = 64;
    parameter X_BITS = 8;                                      // bits of a mantissa
    parameter ASYM = 0;                                        // 1: the longer one of the int4 products is int4_asym
    parameter BRIEF = 0;                                       // 1: the first steps alone (vectors_rill_engine.c)
    localparam GAP = 12;                                       // cycles per firing, see the header of this file

    // Shapes, as in vectors_rill_engine.c. K: columns of the products with weights. K_BEATS: beats of a key. V_ROWS:
    // row-steps of V, the last one with V_LAST rows.
    localparam C = CHANNELS;
    localparam XS = BEAT_BITS / 8;
    localparam X_W = XS * X_BITS + 8;
    localparam RC = XS / 8;                      // row-steps of a chunk
    localparam TOK_W = TOKENS > 1 ? $clog2(TOKENS) : 1;
    localparam USER_W = TOK_W + 1;
    localparam COUNT_W = $clog2(C + 1);
    localparam K = 2 * GROUP + XS + 3;
    localparam HEADS = 2;
    localparam K_BEATS = (HEAD_DIM + XS - 1) / XS;
    localparam V_ROWS = (HEAD_DIM + C - 1) / C;
    localparam TAIL_WAIT = 2 * HEADS * TOKENS * (2 * V_ROWS + 2);  // cycles of a step in which V enters the tail
    localparam V_LAST = HEAD_DIM - (V_ROWS - 1) * C;
    localparam UNITS_K = ((K + XS - 1) / XS + 1) / 2 * 2;
    localparam X_UNITS = UNITS_K > 2 * LAST_BEATS && UNITS_K > 6 ? UNITS_K : LAST_BEATS > 3 ? 2 * LAST_BEATS : 6;
    localparam WORDS = 1 << 17;

    // Returns an entry of the schedule (docs/engine.md).
    function [95:0] entry(input integer mode, rows, beats, take, free, last_rows, tail_base, groups, single, outer);
        begin
            entry = 96'd0;
            entry[ENGINE_MODE +: ENGINE_MODE_W] = mode;
            entry[ENGINE_ROWS +: ENGINE_ROWS_W] = rows;
            entry[ENGINE_BEATS +: ENGINE_BEATS_W] = beats;
            entry[ENGINE_X_TAKE] = take;
            entry[ENGINE_X_FREE] = free;
            entry[ENGINE_LAST_ROWS +: ENGINE_LAST_ROWS_W] = last_rows;
            entry[ENGINE_TAIL_BASE +: ENGINE_TAIL_BASE_W] = tail_base;
            entry[ENGINE_GROUPS +: ENGINE_GROUPS_W] = groups;
            entry[ENGINE_SINGLE] = single;
            entry[ENGINE_KV_STEP] = 1'b1; // kv_step
            entry[ENGINE_OUTER] = outer;
            entry[ENGINE_ASYM] = ASYM && mode == ENGINE_MODE_INT4 && !single;
        end
    endfunction

    // The schedule, in reverse order. The last six lines are the entries of each of two layers: an int8 and an int4
    // product of one operand, the scores of two heads, and the values of two heads. The first line is the product for
    // the last token.
    localparam [7*96-1:0] TABLE = {
        entry(1, RC + 2, LAST_BEATS, 1, 1, C, 0, LAST_BEATS > 1 ? (2 * XS * LAST_BEATS + GROUP - 1) / GROUP : 1, 1, 0),
        entry(3, V_ROWS, 0, 1, 1, V_LAST, V_ROWS, 0, 0, 0),
        entry(3, V_ROWS, 0, 1, 1, V_LAST, 0, 0, 0, 0),
        entry(2, 0, K_BEATS, 1, 1, 1, 0, 0, 0, 0),
        entry(2, 0, K_BEATS, 1, 1, 1, 0, 0, 0, 0),
        entry(1, RC + 1, (K + 2 * XS - 1) / (2 * XS), 0, 1, 1, 0, ASYM ? (K + 2 * XS - 1) / (2 * XS) : 3, 0, 1),
        entry(0, 3, (K + XS - 1) / XS, 1, 0, C > 1 ? C - 1 : 1, 0, 0, 0, 1)};

    wire    clk, clk_2x, rst;
    // layers: pulses of layer_done. bubbles: cycles in which the engine was neither busy nor stalled.
    integer file, got, kind, a, b, c, fault_wanted = 0, steps_wanted = 0, firings = 0, layers = 0, idle, stall;
    integer faults = 0, bubbles = 0, beat_stalls = 0, out_stalls = 0, quiet = 0;
    reg [BEAT_BITS*5/4+127:0] data;
    reg [8*256-1:0]       name;
    reg                   loaded = 0;

    // This is the shortest reset that the header of rill_engine allows.
    localparam RESET_WAY = HOPS + RESULT_HOPS > 2 * PULSE_HOPS ? HOPS + RESULT_HOPS : 2 * PULSE_HOPS;
    rill_bench_clock #(.LIMIT(400000), .RESET_CYCLES(4 + RESET_WAY)) u_clock (
        .clk(clk), .clk_2x(clk_2x), .rst(rst), .again(1'b0));

    // ---- streams ----
    wire                   step_valid, step_ready_e, step_ready_t, x_valid, x_ready, k_valid, k_ready, v_valid, v_ready,
        v_offer, v_open;
    wire [63:0]            step_e, step_t;
    wire                   step_valid_t, x_last, k_last, v_last, done_e, done_t, done_x, done_k, done_v, done_y;
    wire [X_W-1:0]         x_data;
    wire [BEAT_BITS+31:0]  k_data, v_data;
    wire [USER_W-1:0]      x_user, k_user, v_user;
    rill_axis_driver #(.DATA_W(64), .SALT(3)) u_step_e (.clk(clk), .rst(rst), .m_axis_tvalid(step_valid),
        .m_axis_tready(step_ready_e),
        .m_axis_tdata(step_e), .m_axis_tuser(), .m_axis_tlast(), .done(done_e));
    rill_axis_driver #(.DATA_W(64), .SALT(4)) u_step_t (.clk(clk), .rst(rst), .m_axis_tvalid(step_valid_t),
        .m_axis_tready(step_ready_t),
        .m_axis_tdata(step_t), .m_axis_tuser(), .m_axis_tlast(), .done(done_t));
    rill_axis_driver #(.DATA_W(X_W), .USER_W(USER_W), .SALT(5)) u_x (.clk(clk), .rst(rst),
        .m_axis_tvalid(x_valid),
        .m_axis_tready(x_ready), .m_axis_tdata(x_data), .m_axis_tuser(x_user), .m_axis_tlast(x_last), .done(done_x));
    rill_axis_driver #(.DATA_W(BEAT_BITS+32), .USER_W(USER_W), .SALT(6)) u_k (.clk(clk), .rst(rst),
        .m_axis_tvalid(k_valid),
        .m_axis_tready(k_ready), .m_axis_tdata(k_data), .m_axis_tuser(k_user), .m_axis_tlast(k_last), .done(done_k));
    rill_axis_driver #(.DATA_W(BEAT_BITS+32), .USER_W(USER_W), .SALT(7)) u_v (.clk(clk), .rst(rst),
        .m_axis_tvalid(v_offer),
        .m_axis_tready(v_ready && v_open), .m_axis_tdata(v_data), .m_axis_tuser(v_user), .m_axis_tlast(v_last),
        .done(done_v));

    // A unit of V is offered only after the firings that come before it, as in a design. v_after: number of these
    // firings.
    integer                v_after [0:4095];
    integer                v_units = 0, v_taken = 0, firings_seen = 0;
    assign v_open = firings_seen >= v_after[v_taken];
    assign v_valid = v_offer && v_open;

    // ---- memory: a stream per lane; expected writes per lane ----
    wire [C-1:0]           beat_valid, beat_ready, beat_done, desc_valid, desc_ready, write_valid, write_ready,
        write_done;
    wire [C*BEAT_BITS-1:0] beat_data, write_data;
    wire [55:0]            desc_data;
    reg  [BEAT_BITS-1:0]   beat_mem [0:WORDS-1];        // lane l begins at l*(WORDS/C)
    reg  [BEAT_BITS-1:0]   write_mem [0:WORDS-1];
    reg  [55:0]            desc_mem [0:4095];
    integer                beats [0:C-1];
    integer                writes [0:C-1];
    integer                descs = 0;
    genvar l;
    generate
        for (l = 0; l < C; l = l + 1) begin : gen_lane
            reg     valid_q = 0, desc_q = 0, write_q = 0;
            integer sent = 0, desc_seen = 0, write_seen = 0;
            integer random;
            reg [BEAT_BITS-1:0] beat_q;
            initial begin
                beats[l] = 0;
                writes[l] = 0;
                if (!$value$plusargs("seed=%d", random)) random = 0;
                random = random * 31 + l * 977 + 5;
            end
            assign beat_valid[l] = valid_q;
            assign beat_data[l*BEAT_BITS +: BEAT_BITS] = beat_q;
            assign desc_ready[l] = desc_q;
            assign write_ready[l] = write_q;
            assign beat_done[l] = sent == beats[l] && !valid_q;
            assign write_done[l] = write_seen == writes[l] && desc_seen == descs;
            always @(posedge clk)
                if (!rst && loaded) begin
                    if (!valid_q || beat_ready[l]) begin
                        valid_q <= 1'b0;
                        beat_q <= {BEAT_BITS{1'bx}};
                        if (sent < beats[l] && $unsigned($random(random)) % 100 >= idle) begin
                            valid_q <= 1'b1;
                            beat_q <= beat_mem[l * (WORDS / C) + sent];
                            sent = sent + 1;
                        end
                    end
                    desc_q <= $unsigned($random(random)) % 100 >= stall;
                    write_q <= $unsigned($random(random)) % 100 >= stall;
                    if (desc_valid[l] && desc_q) begin
                        if (desc_data !== desc_mem[desc_seen]) fail(1, l, desc_seen);
                        desc_seen = desc_seen + 1;
                    end
                    if (write_valid[l] && write_q) begin
                        if (write_data[l*BEAT_BITS +: BEAT_BITS] !== write_mem[l * (WORDS / C) + write_seen]) fail(2, l,
                            write_seen);
                        write_seen = write_seen + 1;
                    end
                end
        end
    endgenerate

    // ---- the two modules under test ----
    wire                   tail_valid, head_done, layer_done, fault, busy, stall_beat, stall_x, stall_out, y_valid,
        y_ready, y_last;
    wire [23:0]            tail_addr;
    wire [C*BEAT_BITS-1:0] tail_data;
    wire [C*32-1:0]        y_data;
    wire [COUNT_W-1:0]     y_count;
    wire [USER_W-1:0]      y_user;
    rill_engine #(.CHANNELS(C), .BEAT_BITS(BEAT_BITS), .TOKENS(TOKENS), .GROUP(GROUP), .X_UNITS(X_UNITS),
        .SCALE_K(32'h33800000),
        .SCALE_V(32'h2d800000), .HAS_KV(1), .SECTIONS(2), .ENTRIES(7), .SECTION_LEN({16'd1, 16'd6}),
        .SECTION_REPEAT({16'd1, 16'd2}), .SECTION_WHEN_HEAD(2'b10), .TABLE(TABLE), .TURN_TOKENS(TURN_TOKENS),
        .PUMP(PUMP), .HOPS(HOPS), .HALVES(HALVES), .ASYM(ASYM), .X_BITS(X_BITS), .CHAINS(HOPS + 1),
        .COPY_CHAIN(CHANNELS > 8 ? HOPS << 4 : HOPS), .CHAIN_AWAY(AWAY << HOPS), .EARLY(CUT << HOPS),
        .SUMS_CHAIN(CUT ? 0 : CHANNELS > 8 ? HOPS << 4 : HOPS),
        .RESULT_HOPS(RESULT_HOPS), .PULSE_HOPS(PULSE_HOPS), .PARAM_BITS(PARAM_BITS)
    ) dut (
        .clk(clk), .clk_2x(clk_2x), .rst(rst), .s_axis_step_tvalid(step_valid), .s_axis_step_tready(step_ready_e),
        .s_axis_step_tdata(step_e),
        .s_axis_x_tvalid(x_valid), .s_axis_x_tready(x_ready), .s_axis_x_tdata(x_data), .s_axis_x_tuser(x_user),
        .s_axis_x_tlast(x_last),
        .s_axis_beat_tvalid(beat_valid), .s_axis_beat_tready(beat_ready), .s_axis_beat_tdata(beat_data),
        .s_axis_klocal_tvalid(k_valid),
        .s_axis_klocal_tready(k_ready), .s_axis_klocal_tdata(k_data), .s_axis_klocal_tuser(k_user),
        .s_axis_klocal_tlast(k_last),
        .tail_valid(tail_valid), .tail_addr(tail_addr), .tail_data(tail_data), .head_done(head_done),
        .m_axis_y_tvalid(y_valid),
        .m_axis_y_tready(y_ready), .m_axis_y_tdata(y_data), .m_axis_y_tcount(y_count), .m_axis_y_tuser(y_user),
        .m_axis_y_tlast(y_last),
        .fault(fault), .busy(busy), .stall_beat(stall_beat), .stall_x(stall_x), .stall_out(stall_out));
    rill_v_tail #(.CHANNELS(C), .BEAT_BITS(BEAT_BITS), .TOKENS(TOKENS), .LAYERS(2), .HEADS(HEADS), .HEAD_DIM(HEAD_DIM),
        .V_BASE(40'h10000), .V_LAYER_STRIDE(40'h40000), .V_ROW_STRIDE(40'd192)
    ) tail (
        .clk(clk), .rst(rst), .s_axis_step_tvalid(step_valid_t), .s_axis_step_tready(step_ready_t),
        .s_axis_step_tdata(step_t),
        .s_axis_kv_tvalid(v_valid), .s_axis_kv_tready(v_ready), .s_axis_kv_tdata(v_data), .s_axis_kv_tuser(v_user),
        .s_axis_kv_tlast(v_last),
        .tail_valid(tail_valid), .tail_addr(tail_addr), .tail_data(tail_data), .head_done(head_done),
        .m_axis_desc_tvalid(desc_valid),
        .m_axis_desc_tready(desc_ready), .m_axis_desc_tdata(desc_data), .m_axis_beat_tvalid(write_valid),
        .m_axis_beat_tready(write_ready),
        .m_axis_beat_tdata(write_data), .layer_done(layer_done));

    // ---- results, in the lanes with valid elements ----
    reg  [C-1:0]    mask_mem [0:WORDS-1];
    integer         masks = 0, seen = 0;
    wire [C-1:0]    mask = mask_mem[seen];
    wire [C*32-1:0] y_masked;
    generate
        for (l = 0; l < C; l = l + 1) begin : gen_mask
            assign y_masked[l*32 +: 32] = mask[l] ? y_data[l*32 +: 32] : 32'd0;
        end
    endgenerate
    rill_axis_monitor #(.DATA_W(C*32), .USER_W(COUNT_W+USER_W), .WORDS(WORDS), .SALT(8)) u_y (.clk(clk), .rst(rst),
        .hold(1'b0),
        .s_axis_tvalid(y_valid), .s_axis_tready(y_ready), .s_axis_tdata(y_masked), .s_axis_tuser({y_count, y_user}),
        .s_axis_tlast(y_last),
        .done(done_y));

    // Prints the number of a check that fails, and ends the run.
    task fail(input integer what, lane, place);
        begin
            $display("FAIL: check %0d lane %0d place %0d", what, lane, place);
            $finish;
        end
    endtask

    initial begin
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        if (!$value$plusargs("vectors=%s", name)) fail(3, 0, 0);
        file = $fopen(name, "r");
        kind = 0;
        #1;
        while (kind != 9) begin
            got = $fscanf(file, "%h %h %h %h %h", kind, a, b, c, data);
            if (got != 5) begin
                fail(4, 0, 0);
                kind = 9;
            end else
                store;
        end
        loaded = 1;
    end

    // Stores the contents of a line of the vectors. vectors_rill_engine.c explains the kinds.
    task store;
        case (kind)
            1: begin
                u_step_e.push(data[63:0], 1'b0, 1'b0);
                u_step_t.push(data[63:0], 1'b0, 1'b0);
            end
            2: u_x.push(data[X_W-1:0], a[USER_W-1:0], b[0]);
            3: u_k.push(data[BEAT_BITS+31:0], a[USER_W-1:0], b[0]);
            4: begin
                u_v.push(data[BEAT_BITS+31:0], a[USER_W-1:0], b[0]);
                v_after[v_units] = c;
                v_units = v_units + 1;
            end
            5: begin
                beat_mem[a * (WORDS / C) + beats[a]] = data[BEAT_BITS-1:0];
                beats[a] = beats[a] + 1;
            end
            6: begin
                if (b[USER_W]) firings = firings + 1;
                u_y.expect_word(data[C*32-1:0], {a[COUNT_W-1:0], b[USER_W-1:0]}, b[USER_W]);
                mask_mem[masks] = c[C-1:0];
                masks = masks + 1;
            end
            7: begin
                desc_mem[descs] = data[55:0];
                descs = descs + 1;
            end
            8: begin
                write_mem[a * (WORDS / C) + writes[a]] = data[BEAT_BITS-1:0];
                writes[a] = writes[a] + 1;
            end
            default: begin
                fault_wanted = a;
                steps_wanted = b;
            end
        endcase
    endtask

    // ---- counting, and the end ----
    wire done = loaded && done_e && done_t && done_x && done_k && done_v && done_y && &beat_done && &write_done;
    always @(posedge clk)
        if (!rst && loaded) begin
            if (y_valid && y_ready) seen = seen + 1;
            if (y_valid && y_ready && y_last) firings_seen = firings_seen + 1;
            if (v_valid && v_ready) v_taken = v_taken + 1;
            if (layer_done) layers = layers + 1;
            if (busy + stall_beat + stall_x + stall_out > 1) fail(5, 0, seen);
            if (!busy && !stall_beat && !stall_x && !stall_out && !done) bubbles = bubbles + 1;
            if (stall_beat) beat_stalls = beat_stalls + 1;
            if (stall_out) out_stalls = out_stalls + 1;
            if (fault && !FAULT) fail(6, 0, seen);
            if (fault) faults = faults + 1;
            quiet = done ? quiet + 1 : 0;
            if (quiet == 60) begin
                if ((faults > 0) !== fault_wanted[0]) fail(7, 0, seen);
                else if (layers != steps_wanted * 2) fail(8, layers, steps_wanted);
                else if (idle == 0 && stall == 0 && bubbles > GAP * firings + 100) fail(9, bubbles, firings);
                else if (idle == 0 && stall == 0 && (beat_stalls > GAP * firings + TAIL_WAIT * steps_wanted
                    || (out_stalls > 0 && TURN_TOKENS == 1)))
                    fail(10, beat_stalls, out_stalls);
                else $display("PASS");
                $finish;
            end
        end
endmodule
