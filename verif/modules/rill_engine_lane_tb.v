// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_engine_lane. Sends random commands for chunks of beats: a beat of row parameters, beats of group
// scales, then data. A beat is popped in the first cycle that is allowed, or later. Each beat is used for one or more
// tokens. Some commands use a local beat instead. A reset in the middle of the run empties the lane.
// - The result of a row must be the plain sum of products. It must come 10 + HOPS + TERM_HOPS cycles after the command
//   of the row's last beat, with the parameters of the row or, for keys and values, with SCALE_K or SCALE_V and bias 0.
// - The lane must hold LANE_BEATS beats, and must report every beat that it takes in once (arrived).
// - With TERM_HOPS, the row parameters cross in words of PARAM_BITS. Rows end as soon as their words can have arrived,
//   and chunks end before all their words have crossed. With PARAM_BITS 64, up to six chunks with one data command each
//   follow one another.
// Checks in messages: 1 out_valid, 2 row, 3 arrived, 4 the run had too few cases, or LANE_BEATS beats did not fit.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: BEAT_BITS=256 TOKENS=2 LANE_BEATS=16 SCALE_BEATS=3
// sweep: BEAT_BITS=512 TOKENS=1 LANE_BEATS=3 SCALE_BEATS=1
// sweep: BEAT_BITS=512 TOKENS=4 LANE_BEATS=16 SCALE_BEATS=8
// sweep: BEAT_BITS=256 TOKENS=8 LANE_BEATS=5 SCALE_BEATS=2
// sweep: BEAT_BITS=256 TOKENS=2 LANE_BEATS=16 SCALE_BEATS=3 HOPS=1
// sweep: BEAT_BITS=512 TOKENS=1 LANE_BEATS=4 SCALE_BEATS=1 HOPS=2
// sweep: BEAT_BITS=512 TOKENS=2 LANE_BEATS=4 SCALE_BEATS=3 TERM_HOPS=2
// sweep: BEAT_BITS=512 TOKENS=2 LANE_BEATS=16 SCALE_BEATS=2 TERM_HOPS=1 PARAM_BITS=8
// sweep: BEAT_BITS=256 TOKENS=4 LANE_BEATS=16 SCALE_BEATS=1 TERM_HOPS=2 PARAM_BITS=16
// sweep: BEAT_BITS=256 TOKENS=1 LANE_BEATS=8 SCALE_BEATS=1 TERM_HOPS=1 PARAM_BITS=32
// sweep: BEAT_BITS=256 TOKENS=2 LANE_BEATS=16 SCALE_BEATS=3 X_BITS=10
// quick: BEAT_BITS=256 TOKENS=2 LANE_BEATS=16 SCALE_BEATS=3 @ 50:50
// quick: BEAT_BITS=256 TOKENS=2 LANE_BEATS=16 SCALE_BEATS=3 HOPS=1 @ 0:0
// quick: BEAT_BITS=256 TOKENS=2 LANE_BEATS=16 SCALE_BEATS=3 TERM_HOPS=1 @ 50:50
// quick: BEAT_BITS=256 TOKENS=1 LANE_BEATS=16 SCALE_BEATS=1 TERM_HOPS=1 PARAM_BITS=8 @ 0:0
// quick: BEAT_BITS=256 TOKENS=2 LANE_BEATS=16 SCALE_BEATS=3 X_BITS=10 @ 50:50
`default_nettype none
`timescale 1ns / 1ps

module rill_engine_lane_tb;
    // Parameters without a comment are those of the module.
    parameter BEAT_BITS = 256;
    parameter TOKENS = 2;
    parameter LANE_BEATS = 16;
    parameter SCALE_BEATS = 3;
    parameter HOPS = 0;
    parameter TERM_HOPS = 0;
    parameter PARAM_BITS = 64;
    parameter X_BITS = 8;
    localparam END = 1 << X_BITS - 1;                        // factors are -END to END - 1
    localparam OFFSET_W = X_BITS + 14;
    localparam TOK_W = TOKENS > 1 ? $clog2(TOKENS) : 1;
    localparam N = BEAT_BITS / 8;
    localparam RC = N / 8; // rows of a chunk: a beat of row parameters has 64 bits for each
    localparam SCALE_W = $clog2(N) + (SCALE_BEATS > 2 ? $clog2(SCALE_BEATS) : 1);
    localparam LATENCY = 10 + HOPS + TERM_HOPS;
    localparam WORDS = TERM_HOPS ? 64 / PARAM_BITS : 0;        // words that carry a row's parameters; 0: no TERM_HOPS
    localparam BEATS = TERM_HOPS ? 2400 : 900;
    localparam [31:0] SCALE_K = 32'h33800000; // 2^-24
    localparam [31:0] SCALE_V = 32'h2d800000; // 2^-36

    wire                   clk, rst, b_valid, b_ready, b_done, arrived, out_valid, unused_last, unused_user;
    wire [BEAT_BITS-1:0]   b_data;
    reg                    again = 0, pop = 0, use_local = 0, valid = 0, params = 0, scales = 0, int4, first, last;
    reg  [BEAT_BITS-1:0]   local_beat;
    reg  [TOK_W-1:0]       tok;
    reg  [2:0]             row, acc_row;
    reg  [SCALE_W-1:0]     scale;
    reg  [1:0]             raw;
    reg  [4*BEAT_BITS-1:0] x, x_next;
    reg  [4:0]             shift, shift_next;
    reg  [OFFSET_W-1:0]    offset;
    wire [63:0]            out_acc;
    wire [31:0]            out_row_scale, out_bias;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(again));
    rill_axis_driver #(.DATA_W(BEAT_BITS), .WORDS(BEATS)) u_beats (.clk(clk), .rst(rst), .m_axis_tvalid(b_valid),
        .m_axis_tready(b_ready),
        .m_axis_tdata(b_data), .m_axis_tuser(unused_user), .m_axis_tlast(unused_last), .done(b_done));
    // Inputs that are not used at the front of the lane arrive HOPS cycles later.
    localparam WAY_W = 4 + 2 + TOK_W + 6 + SCALE_W + 2 + 4 * BEAT_BITS + 5 + OFFSET_W;
    wire [WAY_W-1:0] way;
    wire             valid_h, last_h, params_h, scales_h, int4_h, first_h;
    wire [TOK_W-1:0] tok_h;
    wire [2:0]       row_h, acc_h;
    wire [SCALE_W-1:0] scale_h;
    wire [1:0]       raw_h;
    wire [4*BEAT_BITS-1:0] x_h;
    wire [4:0]       shift_h;
    wire [OFFSET_W-1:0] offset_h;
    rill_hop #(.DATA_W(WAY_W), .CLEAR_W(1), .STAGES(HOPS)) u_hop (.clk(clk), .rst(rst),
        .d({offset, shift, x, raw, scale, acc_row, row, tok, first, int4, scales, params, last, valid}), .q(way));
    assign {offset_h, shift_h, x_h, raw_h, scale_h, acc_h, row_h, tok_h, first_h, int4_h, scales_h, params_h, last_h,
        valid_h} = way;
    // Signals for the accumulators arrive another TERM_HOPS cycles later.
    localparam SUM_W = 4 + TOK_W + 3 + 5 + 6;
    wire [SUM_W-1:0] sum_way;
    rill_hop #(.DATA_W(SUM_W), .CLEAR_W(1), .STAGES(TERM_HOPS)) u_sum_hop (.clk(clk), .rst(rst),
        .d({raw_h, row_h, params_h, shift_h, acc_h, tok_h, last_h, first_h, 1'b0, valid_h}), .q(sum_way));
    rill_engine_lane #(.BEAT_BITS(BEAT_BITS), .TOKENS(TOKENS), .LANE_BEATS(LANE_BEATS), .SCALE_BEATS(SCALE_BEATS),
        .SCALE_W(SCALE_W),
        .SCALE_K(SCALE_K), .SCALE_V(SCALE_V), .HOPS(HOPS), .TERM_HOPS(TERM_HOPS), .PARAM_BITS(PARAM_BITS),
        .X_BITS(X_BITS)) dut (
        .clk(clk), .clk_2x(1'b0), .rst(rst), .front_rst(rst), .sum_rst(rst),
        .s_axis_beat_tvalid(b_valid),
        .s_axis_beat_tready(b_ready), .s_axis_beat_tdata(b_data), .arrived(arrived), .pop(pop), .use_local(use_local),
        .local_beat(local_beat), .pop_multiply(valid), .pop_int4(int4), .valid(valid_h), .params(params_h),
        .scales(scales_h), .int4(int4_h), .asym(1'b0), .sums({(X_BITS+5)*(BEAT_BITS/128){1'b0}}),
        .sum_valid(sum_way[0]), .sum_others(sum_way[1]), .first(sum_way[2]), .last(sum_way[3]),
        .tok(sum_way[4 +: TOK_W]), .acc(sum_way[4+TOK_W +: 3]), .sum_shift(sum_way[7+TOK_W +: 5]),
        .sum_params(sum_way[12+TOK_W]), .sum_row(sum_way[13+TOK_W +: 3]), .sum_raw(sum_way[16+TOK_W +: 2]),
        .row(row_h), .scale(scale_h), .raw(raw_h), .x(x_h), .shift(shift_h),
        .offset(offset_h),
        .out_valid(out_valid), .out_acc(out_acc), .out_row_scale(out_row_scale), .out_bias(out_bias));

    reg  [BEAT_BITS-1:0]   beat [0:BEATS-1];
    reg  [BEAT_BITS-1:0]   now, params_now;
    reg  [BEAT_BITS-1:0]   scales_now [0:SCALE_BEATS-1];
    reg  [LATENCY:1]       due_last = 0;
    reg  [127:0]           due [1:LATENCY];  // {bias, row_scale, acc}
    reg  [OFFSET_W-1:0]    excess [1:5];
    reg  [63:0]            acc [0:RC*TOKENS-1]; // row of accumulators, token
    reg  [63:0]            total;
    integer                n, k, q, w, x_sum, seed, idle, stall, rows = 0, deepest = 0, locals = 0;
    // Numbers of beats: taken by the lane, said (reported by `arrived`), and popped (used). deepest: most beats in the
    // lane. locals: uses of local beats. The chunk still needs its parameters (want_params), want_scales beats of
    // scales, and `data` uses of beats. since: cycles since the chunk's parameters. there: rows whose parameters can
    // have arrived. full: rows that began when this was true of all rows of the chunk. brief: chunks of one data
    // command each that still follow. fresh: no scales have come yet. token, ntok: next token of the present beat, and
    // tokens that use it. group: group scale. hold: cycles of a pause that are left. quiet: cycles since the last beat
    // was popped.
    integer                taken = 0, said = 0, popped = 0, want_scales = 0, data = 0, token = 0, ntok, group, hold = 0;
    integer                quiet = 0, since = 0, there, full = 0, brief = 0;
    reg                    failed = 0, was_reset = 0, began, ends, narrow, taken_q = 0, want_params = 0, fresh = 1;
    reg  [1:0]             kind;
    reg  [2:0]             data_row;

    function integer place; // position of a nibble's factor in x, in the order of rill_matrix_lane
        input integer nibble;
        place = nibble % 8 * (N / 4) + nibble / 8;
    endfunction

    // Prints the number of the first check that fails, and ends the run.
    task fail(input integer what);
        begin
            if (!failed)
                $display("FAIL: check %0d row %0d beat %0d: %h instead of %h", what, rows, popped,
                    {out_bias, out_row_scale, out_acc},
                    due[LATENCY]);
            failed = 1;
            $finish;
        end
    endtask

    // Returns a random number from 0 to limit - 1.
    function integer below(input integer limit);
        below = $unsigned($random(seed)) % limit;
    endfunction

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        #1;
        for (n = 0; n < BEATS; n = n + 1) begin
            for (k = 0; k < BEAT_BITS; k = k + 32)
                beat[n][k +: 32] = $random(seed);
            u_beats.push(beat[n], 1'b0, 1'b0);
        end
    end

    // Computes one token's use of the beat: the sum of products, and the excess that it adds to the unsigned sum of the
    // lane.
    task multiply;
        begin
            valid = 1;
            tok = token;
            int4 = narrow;
            raw = kind;
            row = data_row;
            acc_row = below(RC);
            first = began || acc[acc_row*TOKENS+token] === 64'bx;
            last = ends;
            shift_next = $random(seed);
            scale = {SCALE_W{1'bx}};
            if (int4) begin
                group = below(SCALE_BEATS * N);
                scale = group;
                group = scales_now[group / N][8*(group%N) +: 8];
            end else
                group = 1;
            total = 0;
            x_sum = 0;
            for (k = 0; k < (int4 ? 2 * N : N); k = k + 1) begin
                q = below(2 * END) - END;
                w = int4 ? $signed(now[4*k +: 4]) : $signed(now[8*k +: 8]);
                total = total + {{32{w[31]}}, w} * {{32{q[31]}}, q};
                x_sum = x_sum + (int4 ? q : 2 * q);
                if (int4) x_next[16*place(k) +: 16] = q;
                else {x_next[16*place(2*k+1) +: 16], x_next[16*place(2*k) +: 16]} = {2{q[15:0]}};
            end
            // as in the header of rill_engine_offset, with B = 16 * END and S = x_sum
            excess[1] = int4 ? 32 * END * N + 8 * x_sum : 272 * END * N + 64 * x_sum;
            acc[acc_row*TOKENS+token] = (first ? 64'd0 : acc[acc_row*TOKENS+token]) + ((total * group) << shift_next);
            due[1] = raw[0] ? {32'd0, SCALE_K, acc[acc_row*TOKENS+token]} : raw[1]
                ? {32'd0, SCALE_V, acc[acc_row*TOKENS+token]}
                : {params_now[64*row +: 64], acc[acc_row*TOKENS+token]};
            token = token + 1 == ntok ? 0 : token + 1;
        end
    endtask

    // Takes the next beat of the lane for the command of this cycle.
    task take_beat;
        begin
            pop = 1;
            now = beat[popped];
            popped = popped + 1;
        end
    endtask

    // Chooses the next use of a beat: weights of either kind, K or V. Some beats of K and V are local and may come at
    // any time.
    task begin_data;
        begin
            kind = below(2) ? 0 : 1 + below(2);
            narrow = kind == 0 && below(2);
            data_row = below(RC);
            if (WORDS && kind == 0) begin      // a row whose words can have arrived, often the last such row
                there = since / WORDS < RC ? since / WORDS : RC;
                if (there == 0) kind = 1;
                else data_row = below(3) ? there - 1 : below(there);
                if (there == 0) narrow = 0;
                if (there == RC) full = full + 1;
            end
            began = below(4) == 0;
            ends = below(3) == 0;
            ntok = 1 + below(TOKENS);
            if (kind != 0 && below(2)) begin
                use_local = 1;
                locals = locals + 1;
                for (k = 0; k < BEAT_BITS; k = k + 32)
                    local_beat[k +: 32] = $random(seed);
                now = local_beat;
            end else if (said > popped)
                take_beat;
            if (pop || use_local) begin
                data = data - 1;
                multiply;
            end
        end
    endtask

    // Sends the next command of a chunk: its parameters, its scales (or it keeps those of the previous chunk), and uses
    // of beats. Now and then a chunk begins with a pause of 100 cycles, in which the lane becomes full.
    task command;
        if (token > 0)
            multiply;
        else begin
            if (!want_params && want_scales == 0 && data == 0) begin
                want_params = 1;
                brief = brief > 0 ? brief - 1 : WORDS == 1 && below(6) == 0 ? 6 : 0;
                want_scales = fresh || (brief == 0 && below(3)) ? SCALE_BEATS : 0;
                data = brief > 0 ? 1 : below(2) ? 1 + below(30) : below(WORDS * RC + 30);
                if (WORDS && data == 0) data = 1;
                hold = below(6) == 0 ? 100 : 0;
                fresh = 0;
            end
            if (hold > 0)
                hold = hold - 1;
            else if (!want_params && want_scales == 0)
                begin_data;
            else if (said > popped) begin
                take_beat;
                params = want_params;
                scales = !want_params;
                if (params) begin
                    params_now = now;
                    since = 0;
                end else begin
                    scale = {SCALE_W{1'bx}};
                    scale[SCALE_W-1:$clog2(N)] = SCALE_BEATS - want_scales;
                    scales_now[SCALE_BEATS-want_scales] = now;
                    want_scales = want_scales - 1;
                end
                want_params = 0;
            end
        end
    endtask

    always @(posedge clk) begin
        taken_q <= !rst && b_valid && b_ready;
        if (!rst && b_valid && b_ready) taken = taken + 1;
    end

    // Sets the model to its state after a reset.
    task start_over;
        begin
            due_last = 0;
            popped = taken;
            said = taken;
            want_params = 0;
            want_scales = 0;
            data = 0;
            token = 0;
            hold = 0;
            fresh = 1;
            for (n = 0; n < RC * TOKENS; n = n + 1)
                acc[n] = 64'bx;
        end
    endtask

    always @(negedge clk) begin
        if (!rst && out_valid !== due_last[LATENCY]) fail(1);
        if (due_last[LATENCY]) begin
            if ({out_bias, out_row_scale, out_acc} !== due[LATENCY]) fail(2);
            rows = rows + 1;
        end
        if (!rst && arrived !== taken_q) fail(3);
        for (n = LATENCY; n > 1; n = n - 1)
            due[n] = due[n-1];
        offset = excess[5];
        for (n = 5; n > 1; n = n - 1)
            excess[n] = excess[n-1];
        excess[1] = {OFFSET_W{1'bx}};
        x = x_next;
        shift = shift_next;
        x_next = {4*BEAT_BITS{1'bx}};
        {pop, use_local, valid, params, scales} = 5'd0;
        {int4, first, last, tok, row, acc_row, raw, scale, shift_next} = {(16 + TOK_W + SCALE_W){1'bx}};
        local_beat = {BEAT_BITS{1'bx}};
        again = popped >= BEATS / 2 && !was_reset;
        if (taken - popped > deepest) deepest = taken - popped;
        if (again) was_reset = 1;
        if (rst || again)
            start_over;
        else begin
            since = since + 1;
            if (below(100) >= stall && popped < BEATS) command;
            if (arrived) said = said + 1;
            due_last = {due_last[LATENCY-1:1], valid && last};
        end
        quiet = popped == BEATS ? quiet + 1 : 0;
        if (quiet == 20) begin
            if (rows < BEATS / 6 || locals < 50 || deepest != LANE_BEATS || !b_done || (WORDS && full < 20)) fail(4);
            if (!failed) $display("PASS");
            $finish;
        end
    end
endmodule

`default_nettype wire
