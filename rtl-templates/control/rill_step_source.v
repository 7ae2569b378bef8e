// SPDX-License-Identifier: Apache-2.0
// Makes the step words of a request: prefill steps of up to TOKENS tokens, then decode steps of one token, or with
// DRAFTS of one or more.
//
// start (pulse, while busy is low) takes prompt_len (1..65535) and decode_steps. go (level) allows the next step word
// to be offered; an offered word stays until it is taken. busy is high until the last word has been taken. Fields:
// docs/rtl.md section 4. krows is counted together with the position, so CHANNELS need not be a power of two.
// DRAFTS: a decode step has up to `more` additional tokens (`more` is valid with `go`). The step does not cross a
// multiple of 64 positions, and it has at most as many tokens as are left of decode_steps. After the step, a pulse on
// `judged` comes with `taken`, the number of its tokens that are kept. The next step begins after these tokens. Each of
// them counts as one of decode_steps.
// PREFIX: the first step begins at position `first`, which must be less than prompt_len and must not change while busy.
// No prefill step crosses a multiple of TOKENS positions, so none crosses a multiple of 64.
// Throughput: one step in ntok + 2 cycles. A decode step with DRAFTS takes taken + 3 cycles if `judged` comes at once,
// and taken + 1 cycles after `judged`. With PREFIX the first step comes `first` cycles later.
// Reset: clk, synchronous active-high rst.
//
// name         meaning                                                                    unit      range
// CHANNELS     channels of the scores engine                                              channels  1 to 32
// TOKENS       tokens per step, upper bound                                               tokens    1, 2, 4, 8
// ALL_HEAD     1: every step has head = 1; 0: the last prefill step and the decode steps  -         0, 1
// DRAFTS       drafts of a decode step, upper bound                                       tokens    0 to TOKENS - 1
// PROMPT_ONLY  1: no decode steps; decode_steps decides the field `final` alone           -         0, 1
// PREFIX       1: the first step begins at `first`; 0: at position 0                      -         0, 1
`default_nettype none

module rill_step_source #(
    parameter CHANNELS = 0,
    parameter TOKENS = 0,
    parameter ALL_HEAD = 0,
    parameter DRAFTS = 0,
    parameter PROMPT_ONLY = 0,
    parameter PREFIX = 0
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        start,
    input  wire [15:0] prompt_len,
    input  wire [15:0] first,
    input  wire [31:0] decode_steps,
    input  wire        go,
    input  wire [3:0]  more,
    input  wire        judged,
    input  wire [3:0]  taken,
    output wire        busy,

    output wire        m_axis_step_tvalid,
    input  wire        m_axis_step_tready,
    output wire [63:0] m_axis_step_tdata
);
    `include "rill_fields.vh"
    localparam [31:0] CHANNELS_32 = CHANNELS;
    localparam [31:0] TOKENS_32 = TOKENS;

    generate
        if (CHANNELS < 1 || CHANNELS > 32) begin : gen_bad_channels
            rill_error_CHANNELS_must_be_1_to_32 u_error ();
        end
        if (TOKENS != 1 && TOKENS != 2 && TOKENS != 4 && TOKENS != 8) begin : gen_bad_tokens
            rill_error_TOKENS_must_be_1_2_4_or_8 u_error ();
        end
        if ($signed(DRAFTS) < 0 || (DRAFTS != 0 && DRAFTS >= TOKENS)) begin : gen_bad_drafts
            rill_error_DRAFTS_must_be_less_than_TOKENS u_error ();
        end
    endgenerate

    localparam [1:0] S_IDLE = 2'd0, S_PREPARE = 2'd1, S_SEND = 2'd2, S_ADVANCE = 2'd3;
    reg  [1:0]  state_q;
    reg  [15:0] pos_q;
    reg  [15:0] prompt_left_q;
    reg  [31:0] decode_left_q;
    reg  [15:0] krows_q;                     // ceil(pos / CHANNELS)
    reg  [4:0]  lane_q;                      // pos mod CHANNELS
    reg  [3:0]  ntok_q;
    reg  [3:0]  advance_q;                   // positions that S_ADVANCE still moves on
    reg         head_q;
    reg         final_q;

    reg         skips_q;                     // S_ADVANCE counts up to position `first`
    wire        skips = PREFIX != 0 && skips_q;
    wire        skip_last = pos_q + 16'd1 == first;
    wire [3:0]  step_room = PREFIX != 0 ? TOKENS_32[3:0] - (pos_q[3:0] & (TOKENS_32[3:0] - 4'd1)) : TOKENS_32[3:0];
    wire        prefill = prompt_left_q != 16'd0;
    wire        partial = prompt_left_q <= {12'd0, step_room}; // one step takes the rest of the prompt
    wire        last = final_q || (PROMPT_ONLY != 0 && head_q);

    // Drafts of a decode step are limited by the block of 64 positions and by the rest of decode_steps.
    reg         waits_q;                     // a decode step has not been judged
    wire [5:0]  block_room = ~pos_q[5:0];
    wire [31:0] steps_room = decode_left_q - 32'd1;
    wire [3:0]  in_block = {1'b0, block_room} < {3'd0, more} ? block_room[3:0] : more;
    wire [3:0]  drafts = steps_room < {28'd0, in_block} ? steps_room[3:0] : in_block;
    wire [3:0]  decode_ntok = DRAFTS != 0 ? drafts + 4'd1 : 4'd1;
    wire        advances = DRAFTS == 0 || !waits_q;
    wire        over = last || (DRAFTS != 0 && !prefill && decode_left_q == 32'd1); // nothing follows the present token

    assign busy = state_q != S_IDLE;
    assign m_axis_step_tvalid = state_q == S_SEND;
    assign m_axis_step_tdata = {48'd0, pos_q} << STEP_POS | {60'd0, ntok_q} << STEP_NTOK | {63'd0, head_q} << STEP_HEAD
        | {63'd0, final_q} << STEP_FINAL | {48'd0, krows_q} << STEP_KROWS | {54'd0, pos_q[15:6]} << STEP_VBLOCKS;

    always @(posedge clk)
        if (rst)
            state_q <= S_IDLE;
        else
            case (state_q)
                S_IDLE: if (start) state_q <= PREFIX != 0 && first != 16'd0 ? S_ADVANCE : S_PREPARE;
                S_PREPARE: if (go) state_q <= S_SEND;
                S_SEND: if (m_axis_step_tready) state_q <= S_ADVANCE;
                default: if (skips ? skip_last : advances && advance_q == 4'd1)
                    state_q <= over && !skips ? S_IDLE : S_PREPARE;
            endcase

    always @(posedge clk)
        if (state_q == S_IDLE || state_q == S_PREPARE)
            skips_q <= state_q == S_IDLE;

    always @(posedge clk)
        case (state_q)
            S_IDLE: begin
                pos_q <= 16'd0;
                krows_q <= 16'd0;
                lane_q <= 5'd0;
                prompt_left_q <= prompt_len;
                decode_left_q <= decode_steps;
            end
            S_PREPARE: begin
                ntok_q <= !prefill ? decode_ntok : partial ? prompt_left_q[3:0] : step_room;
                advance_q <= !prefill ? 4'd1 : partial ? prompt_left_q[3:0] : step_room;
                head_q <= ALL_HEAD != 0 || !prefill || partial;
                final_q <= prefill ? partial && decode_left_q == 32'd0 : decode_left_q == 32'd1;
            end
            S_SEND: waits_q <= !prefill;
            default: if (!advances && !skips) begin
                waits_q <= !judged;
                advance_q <= taken;
            end else begin
                advance_q <= advance_q - 4'd1;
                pos_q <= pos_q + 16'd1;
                lane_q <= lane_q == CHANNELS_32[4:0] - 5'd1 ? 5'd0 : lane_q + 5'd1;
                if (lane_q == 5'd0)
                    krows_q <= krows_q + 16'd1;
                if (prefill)
                    prompt_left_q <= prompt_left_q - 16'd1;
                else
                    decode_left_q <= decode_left_q - 32'd1;
            end
        endcase

    wire unused = &{1'b0, CHANNELS_32, TOKENS_32, judged, taken, drafts, first, skip_last};
endmodule

`default_nettype wire
