// SPDX-License-Identifier: Apache-2.0
// Sequencer of the matrix engine: walks the schedule and issues one beat and token per cycle to the lanes, which never stall.
//
// In: step words (s_axis_step). A schedule entry (docs/rtl.md section 6) waits for a full operand bank (x_full) and, mode 3, for a V credit
// (head_done). A row is begun only with places for its results in the output FIFO (out_pop: a result has left it).
// Memory beats are offered together (beats_valid: every lane has one) and taken together (beat_pop); a local K unit likewise. Both are held
// for the tokens of the firing and taken with the last one.
// Out, in the cycle of issue: op_* describe the beat and token; head_param and head_scale (with head_index) mark a header beat being taken.
// tail_en, tail_addr ask for a word of the V tail.
// x_free gives the operand bank back, two cycles after the last use of it was issued.
// busy, stall_beat, stall_x, stall_out: events of this cycle (at most one high).
// Throughput: one beat and token per cycle inside a firing; 3 cycles between firings (2 where the operand stays).
// Reset: synchronous. Parameters: docs/rtl.md sections 2 and 6; MAX_SCALE_BEATS (group scale beats of a chunk), OUT_DEPTH (places of the
// output FIFO), TAIL_ROWS (row-steps of a layer in the V tail), schedule.
`default_nettype none

module rill_engine_ctrl #(
    parameter CHANNELS = 0,
    parameter BEAT_BITS = 0,
    parameter TOKENS = 0,
    parameter GROUP = 0,
    parameter X_UNITS = 0,
    parameter TAIL_ROWS = 0,
    parameter MAX_SCALE_BEATS = 0,
    parameter OUT_DEPTH = 0,
    parameter SECTIONS = 0,
    parameter ENTRIES = 0,
    parameter [SECTIONS*16-1:0] SECTION_LEN = 0,
    parameter [SECTIONS*16-1:0] SECTION_REPEAT = 0,
    parameter [SECTIONS-1:0] SECTION_WHEN_HEAD = 0,
    parameter [ENTRIES*96-1:0] TABLE = 0,
    parameter TOK_W = TOKENS > 1 ? $clog2(TOKENS) : 1,
    parameter COUNT_W = $clog2(CHANNELS + 1),
    parameter PAIR_W = X_UNITS > 2 ? $clog2(X_UNITS / 2) : 1,
    parameter SCALE_W = $clog2(MAX_SCALE_BEATS * (BEAT_BITS / 8))
) (
    input  wire               clk,
    input  wire               rst,

    input  wire               s_axis_step_tvalid,
    output wire               s_axis_step_tready,
    input  wire [63:0]        s_axis_step_tdata,

    input  wire               x_full,
    output wire               x_free,
    input  wire               beats_valid,
    output wire               beat_pop,
    input  wire               klocal_valid,
    output wire               klocal_pop,
    input  wire               head_done,
    output wire               tail_en,
    output wire [23:0]        tail_addr,
    input  wire               out_pop,

    output wire               op_valid,
    output wire [1:0]         op_mode,
    output wire               op_local,     // the beat is the local K unit
    output wire               op_first,     // first beat of the row
    output wire               op_last,      // last beat of the row
    output wire [TOK_W-1:0]   op_tok,
    output wire [PAIR_W-1:0]  op_pair,      // operand units of the beat
    output wire               op_odd,       // int8: the second one of the pair
    output wire [SCALE_W-1:0] op_scale,     // int4: index of the group scale in its chunk
    output wire [2:0]         op_row,       // row of the chunk
    output wire [COUNT_W-1:0] op_count,     // valid lanes
    output wire               op_tok_last,
    output wire               op_tlast,     // last row and token of the firing
    output wire               head_param,
    output wire               head_scale,
    output wire [7:0]         head_index,   // of the group scale beat

    output wire               busy,
    output wire               stall_beat,
    output wire               stall_x,
    output wire               stall_out
);
    localparam XS = BEAT_BITS == 512 ? 64 : 32;
    localparam XS_LOG = BEAT_BITS == 512 ? 6 : 5;
    localparam RC = XS / 8;                            // rows that share header beats
    localparam RC_LOG = XS_LOG - 3;
    localparam PARTS_LOG = 6 - XS_LOG;                 // beats of a V block: 1 or 2
    localparam GROUP_BEATS = GROUP / (2 * XS);
    localparam RESERVE_W = $clog2(OUT_DEPTH + 1) + 1;
    localparam [31:0] C_32 = CHANNELS;
    localparam [31:0] RC_32 = RC;
    localparam [31:0] PARTS_32 = 1 << PARTS_LOG;
    localparam [31:0] GROUP_BEATS_32 = GROUP_BEATS;
    localparam [31:0] TAIL_ROWS_32 = TAIL_ROWS;
    localparam [31:0] OUT_LIMIT_32 = OUT_DEPTH - TOKENS;
    localparam [COUNT_W-1:0] ONE = 1;
    localparam [1:0] INT4 = 2'd1, KEYS = 2'd2, VALUES = 2'd3;

    generate
        if (CHANNELS < 1 || CHANNELS > 32) begin : gen_bad_channels
            rill_error_CHANNELS_must_be_1_to_32 u_error ();
        end
        if (BEAT_BITS != 256 && BEAT_BITS != 512) begin : gen_bad_beat
            rill_error_BEAT_BITS_must_be_256_or_512 u_error ();
        end
        if (TOKENS != 1 && TOKENS != 2 && TOKENS != 4 && TOKENS != 8) begin : gen_bad_tokens
            rill_error_TOKENS_must_be_1_2_4_or_8 u_error ();
        end
        if (GROUP < 2 * XS || GROUP % (2 * XS) != 0) begin : gen_bad_group
            rill_error_GROUP_must_be_a_multiple_of_the_int4_weights_of_a_beat u_error ();
        end
        if (X_UNITS < 2 || X_UNITS % 2 != 0) begin : gen_bad_units
            rill_error_X_UNITS_must_be_even_and_at_least_2 u_error ();
        end
        if (TAIL_ROWS < 0 || TAIL_ROWS > 65535) begin : gen_bad_tail
            rill_error_TAIL_ROWS_must_be_0_to_65535 u_error ();
        end
        if (MAX_SCALE_BEATS < 1 || MAX_SCALE_BEATS > 64) begin : gen_bad_scales
            rill_error_MAX_SCALE_BEATS_must_be_1_to_64 u_error ();
        end
        if (OUT_DEPTH < 16) begin : gen_bad_depth
            rill_error_OUT_DEPTH_must_be_at_least_16 u_error ();
        end
    endgenerate

    // ---- the next firing: fetched and worked out while the present one runs ----
    wire         entry_valid;
    wire         entry_last;
    wire [175:0] entry_word;                           // {layer, step, entry}
    reg  [3:0]   next_q;                               // age of the entry in the fetch registers, one-hot; bit 3: worked out
    wire         start;

    rill_schedule #(
        .ENTRY_W(96), .SECTIONS(SECTIONS), .ENTRIES(ENTRIES), .SECTION_LEN(SECTION_LEN), .SECTION_REPEAT(SECTION_REPEAT),
        .SECTION_WHEN_HEAD(SECTION_WHEN_HEAD), .TABLE(TABLE)
    ) u_schedule (
        .clk(clk), .rst(rst),
        .s_axis_step_tvalid(s_axis_step_tvalid), .s_axis_step_tready(s_axis_step_tready), .s_axis_step_tdata(s_axis_step_tdata),
        .m_axis_entry_tvalid(entry_valid), .m_axis_entry_tready(next_q == 4'd0), .m_axis_entry_tdata(entry_word),
        .m_axis_entry_tlast(entry_last)
    );

    reg  [95:0]  entry_q;
    reg  [63:0]  step_q;
    reg  [15:0]  layer_q;
    reg  [21:0]  k_cover_q;                            // positions that krows row-steps hold
    reg  [31:0]  tail_row_q;
    reg  [15:0]  v_beats_q;                            // memory beats of a V row
    reg  [15:0]  group_bytes_q;                        // group scales of a chunk
    reg  [21:0]  k_last_q;                             // valid lanes of the last K row-step
    reg  [3:0]   ntok_q;

    wire [1:0]   next_mode = entry_q[1:0];
    wire [15:0]  next_beats = next_mode == VALUES ? v_beats_q + PARTS_32[15:0] : entry_q[33:18];
    wire [15:0]  next_mem_beats = next_mode == VALUES ? v_beats_q : entry_q[33:18];
    wire [15:0]  next_rows = next_mode == KEYS ? step_q[47:32] : entry_q[17:2];
    wire         next_local = next_mode == KEYS && step_q[47:32] == 16'd0;
    wire [15:0]  next_scale_beats = (group_bytes_q + XS - 16'd1) >> XS_LOG;

    always @(posedge clk) begin
        if (rst || start)
            next_q <= 4'd0;
        else if (next_q == 4'd0)
            next_q <= {3'd0, entry_valid};
        else if (!next_q[3])
            next_q <= next_q << 1;
        if (next_q == 4'd0)
            {layer_q, step_q, entry_q} <= entry_word;
        if (next_q[0]) begin
            k_cover_q <= {6'd0, step_q[47:32]} * C_32[21:0];
            tail_row_q <= {16'd0, layer_q} * TAIL_ROWS_32;
            v_beats_q <= step_q[63:48] << PARTS_LOG;
            group_bytes_q <= next_mode == INT4 ? {8'd0, entry_q[67:60]} << RC_LOG : 16'd0;
            ntok_q <= entry_q[68] ? 4'd1 : step_q[19:16];
        end
        if (next_q[1]) begin
            k_last_q <= C_32[21:0] + {6'd0, step_q[15:0]} - k_cover_q;
            tail_row_q <= (tail_row_q + {16'd0, entry_q[59:44]}) << PARTS_LOG;
        end
    end

    // ---- V credits and places of the output FIFO ----
    reg  [15:0]          credits_q;
    reg  [RESERVE_W-1:0] reserved_q;
    reg                  room_q;                       // a row fits, whatever its tokens
    wire                 row_start;
    wire [RESERVE_W-1:0] reserved_d;

    always @(posedge clk)
        if (rst) begin
            credits_q <= 16'd0;
            reserved_q <= {RESERVE_W{1'b0}};
            room_q <= 1'b0;
        end else begin
            credits_q <= credits_q + {15'd0, head_done} - {15'd0, start && next_mode == VALUES};
            reserved_q <= reserved_d;
            room_q <= reserved_d <= OUT_LIMIT_32[RESERVE_W-1:0];
        end

    // ---- the present firing ----
    localparam [1:0] S_IDLE = 2'd0, S_HEAD = 2'd1, S_RUN = 2'd2, S_END = 2'd3;
    reg  [1:0]         state_q;
    reg  [1:0]         mode_q;
    reg                free_q;
    reg  [3:0]         tokens_q;                       // ntok
    reg  [TOK_W-1:0]   tok_end_q;                      // ntok - 1
    reg  [15:0]        row_beats_q;                    // beats of a row
    reg                row_single_q;                   // ... are one
    reg  [15:0]        mem_beats_q;                    // of these, from memory
    reg  [COUNT_W-1:0] last_count_q;                   // valid lanes of the last row
    reg  [7:0]         head_end_q;                     // header beats of a chunk - 1

    reg  [TOK_W-1:0]   tok_q;
    reg                tok_first_q;
    reg  [15:0]        rows_left_q;                    // with the present one
    reg                row_last_q;                     // rows_left_q == 1
    reg                local_q;                        // mode 2: the present positions
    reg  [15:0]        beat_q;                         // in the row
    reg  [15:0]        left_q;                         // beats of the row with the present one
    reg                first_q;
    reg                last_q;                         // left_q == 1
    reg  [15:0]        mem_left_q;                     // memory beats of the row with the present one
    reg                mem_q;                          // mem_left_q != 0
    reg  [7:0]         group_beat_q;                   // in the group
    reg  [SCALE_W-1:0] scale_q;
    reg  [2:0]         row_q;                          // in the chunk
    reg  [7:0]         head_q;                         // header beat
    reg  [23:0]        tail_word_q;

    wire source_ok = local_q ? klocal_valid : !mem_q || beats_valid;
    wire row_begin = first_q && tok_first_q;
    wire issue = state_q == S_RUN && source_ok && (!row_begin || room_q);
    wire tok_last = tok_q == tok_end_q;
    wire advance = issue && tok_last;                  // the beat is done
    wire row_done = advance && last_q;
    wire firing_last = row_last_q && (mode_q != KEYS || local_q);
    wire firing_done = row_done && firing_last;
    wire chunk_last = row_q == RC_32[2:0] - 3'd1;
    wire take_head = state_q == S_HEAD && beats_valid;
    wire head_last = head_q == head_end_q;
    wire group_last = last_q || group_beat_q == GROUP_BEATS_32[7:0] - 8'd1;
    wire begin_local = row_done && row_last_q && !firing_last;

    assign start = state_q == S_IDLE && next_q[3] && x_full && (next_mode != VALUES || credits_q != 16'd0);
    assign row_start = issue && row_begin;
    assign reserved_d = reserved_q + (row_start ? {{(RESERVE_W-4){1'b0}}, tokens_q} : {RESERVE_W{1'b0}}) - {{(RESERVE_W-1){1'b0}}, out_pop};

    always @(posedge clk)
        if (rst)
            state_q <= S_IDLE;
        else
            case (state_q)
                S_IDLE: if (start) state_q <= next_mode[1] ? S_RUN : S_HEAD;
                S_HEAD: if (take_head && head_last) state_q <= S_RUN;
                S_RUN: if (firing_done) state_q <= free_q ? S_END : S_IDLE;
                       else if (row_done && !mode_q[1] && chunk_last) state_q <= S_HEAD;
                default: state_q <= S_IDLE;
            endcase

    always @(posedge clk)
        if (start) begin
            mode_q <= next_mode;
            free_q <= entry_q[35];
            tokens_q <= ntok_q;
            tok_end_q <= ntok_q[TOK_W-1:0] - 1'b1;
            row_beats_q <= next_beats;
            row_single_q <= next_beats == 16'd1;
            mem_beats_q <= next_mem_beats;
            last_count_q <= next_mode == KEYS ? k_last_q[COUNT_W-1:0] : entry_q[36 +: COUNT_W];
            head_end_q <= next_scale_beats[7:0];
        end

    // Tokens and rows.
    always @(posedge clk)
        if (start) begin
            tok_q <= {TOK_W{1'b0}};
            tok_first_q <= 1'b1;
            local_q <= next_local;
            rows_left_q <= next_local ? {12'd0, ntok_q} : next_rows;
            row_last_q <= next_local ? ntok_q == 4'd1 : next_rows == 16'd1;
            row_q <= 3'd0;
        end else begin
            if (issue) begin
                tok_q <= tok_last ? {TOK_W{1'b0}} : tok_q + 1'b1;
                tok_first_q <= tok_last;
            end
            if (row_done) begin
                rows_left_q <= begin_local ? {12'd0, tokens_q} : rows_left_q - 16'd1;
                row_last_q <= begin_local ? tokens_q == 4'd1 : rows_left_q == 16'd2;
                row_q <= chunk_last ? 3'd0 : row_q + 3'd1;
            end
            if (begin_local)
                local_q <= 1'b1;
        end

    // Beats of the row.
    always @(posedge clk)
        if (start) begin
            beat_q <= 16'd0;
            first_q <= 1'b1;
            left_q <= next_beats;
            last_q <= next_beats == 16'd1;
            mem_left_q <= next_mem_beats;
            mem_q <= next_mem_beats != 16'd0;
            tail_word_q <= tail_row_q[23:0];
        end else if (row_done) begin
            beat_q <= 16'd0;
            first_q <= 1'b1;
            left_q <= row_beats_q;
            last_q <= row_single_q;
            mem_left_q <= mem_beats_q;
            mem_q <= mem_beats_q != 16'd0;
            if (!mem_q)
                tail_word_q <= tail_word_q + 24'd1;
        end else if (advance) begin
            beat_q <= beat_q + 16'd1;
            first_q <= 1'b0;
            left_q <= left_q - 16'd1;
            last_q <= left_q == 16'd2;
            mem_left_q <= mem_left_q - 16'd1;
            mem_q <= mem_q && mem_left_q != 16'd1;
            if (!mem_q)
                tail_word_q <= tail_word_q + 24'd1;
        end

    // Headers and group scales.
    always @(posedge clk)
        if (state_q != S_RUN) begin
            group_beat_q <= 8'd0;
            scale_q <= {SCALE_W{1'b0}};
            head_q <= state_q == S_HEAD ? head_q + {7'd0, take_head} : 8'd0;
        end else begin
            head_q <= 8'd0;
            if (advance) begin
                group_beat_q <= group_last ? 8'd0 : group_beat_q + 8'd1;
                if (group_last)
                    scale_q <= scale_q + 1'b1;
            end
        end

    assign x_free = state_q == S_END;
    assign beat_pop = take_head || (advance && mem_q && !local_q);
    assign klocal_pop = advance && local_q;
    assign tail_en = issue && !mem_q;                  // mode 3 alone has rows with beats that are not memory's
    assign tail_addr = tail_word_q;
    assign op_valid = issue;
    assign op_mode = mode_q;
    assign op_local = local_q;
    assign op_first = first_q;
    assign op_last = last_q;
    assign op_tok = tok_q;
    assign op_odd = beat_q[0];
    assign op_scale = scale_q;
    assign op_row = row_q;
    assign op_count = local_q ? ONE : row_last_q ? last_count_q : C_32[COUNT_W-1:0];
    assign op_tok_last = tok_last;
    assign op_tlast = firing_last && tok_last;
    assign head_param = take_head && head_q == 8'd0;
    assign head_scale = take_head && head_q != 8'd0;
    assign head_index = head_q - 8'd1;
    wire [PAIR_W:0] unit = beat_q[PAIR_W:0];
    assign op_pair = mode_q == INT4 ? unit[PAIR_W-1:0] : unit[PAIR_W:1];

    assign busy = issue || take_head;
    assign stall_beat = (state_q == S_HEAD && !beats_valid) || (state_q == S_RUN && !source_ok);
    assign stall_x = state_q == S_IDLE && next_q[3] && !start;
    assign stall_out = state_q == S_RUN && source_ok && row_begin && !room_q;

`ifdef RILL_ASSERT
    always @(posedge clk)
        if (!rst && start) begin
            if (next_scale_beats > MAX_SCALE_BEATS) begin
                $display("%m: a chunk has %0d group scale beats, MAX_SCALE_BEATS is %0d", next_scale_beats, MAX_SCALE_BEATS);
                $stop;
            end
            if ((next_mode != KEYS && next_rows == 16'd0) || next_beats == 16'd0 || ntok_q == 4'd0 || {28'd0, ntok_q} > TOKENS) begin
                $display("%m: an entry without rows, beats or tokens, or with more than TOKENS");
                $stop;
            end
            if ((next_mode == INT4 ? {16'd0, next_beats} * 2 : {16'd0, next_beats}) > X_UNITS) begin
                $display("%m: a row of %0d beats needs more than X_UNITS", next_beats);
                $stop;
            end
        end
`endif

    wire unused = &{1'b0, entry_last, entry_q[95:69], entry_q[43:34], step_q[31:20], tail_row_q[31:24], k_last_q, next_scale_beats[15:8],
                    C_32, RC_32, GROUP_BEATS_32, OUT_LIMIT_32, PARTS_32};
endmodule

`default_nettype wire
