// SPDX-License-Identifier: Apache-2.0
// Buffers the keys of the step's own tokens for the matrix engine. Keys of token t wait for lane t mod CHANNELS, up to
// K_UNITS units per lane.
//
// In: s_axis_klocal (kv units in the order head, tok, unit); the scale and tlast are ignored. arrived: one pulse per
// unit of the last token of a row-step; every lane of the row-step then has this unit. `beats` shows the oldest unit of
// each lane. pop: the first k_lanes lanes drop this unit one cycle later, so it can still be read in the cycle after
// pop. Each of these lanes must hold a unit; rill_engine_ctrl ensures this by counting the pulses of arrived.
// Latency: 3 cycles from a unit to `beats` in an empty lane, 2 to arrived. Throughput: one unit per cycle.
// Reset: clk, synchronous active-high rst; waiting keys are discarded.
//
// name       meaning                            unit      range
// CHANNELS   lanes of the engine                channels  1 to 32
// BEAT_BITS  width of a key's unit              bits      256, 512
// TOKENS     tokens per step, upper bound       tokens    1, 2, 4, 8
// K_UNITS    capacity for local keys of a lane  units     3 or more
// TOK_W      width of a token's number          bits      derived
// LANES      lanes that get keys                lanes     derived
`default_nettype none

module rill_engine_keys #(
    parameter CHANNELS = 0,
    parameter BEAT_BITS = 0,
    parameter TOKENS = 0,
    parameter K_UNITS = 0,
    parameter TOK_W = TOKENS > 1 ? $clog2(TOKENS) : 1,
    parameter LANES = TOKENS < CHANNELS ? TOKENS : CHANNELS > 0 ? CHANNELS : 1
) (
    input  wire                       clk,
    input  wire                       rst,
    input  wire                       s_axis_klocal_tvalid,
    output wire                       s_axis_klocal_tready,
    input  wire [BEAT_BITS+31:0]      s_axis_klocal_tdata, // {scale[31:0], q}
    input  wire [TOK_W:0]             s_axis_klocal_tuser, // {tok_last, tok}
    input  wire                       s_axis_klocal_tlast,
    input  wire                       pop,
    input  wire [3:0]                 k_lanes,
    output wire [LANES*BEAT_BITS-1:0] beats,
    output reg                        arrived
);
    localparam FILL_W = $clog2(K_UNITS + 1);
    localparam [31:0] LAST_LANE = LANES - 1;

    generate
        if (CHANNELS < 1 || CHANNELS > 32) begin : gen_bad_channels
            rill_error_CHANNELS_must_be_1_to_32 u_error ();
        end
        if (TOKENS != 1 && TOKENS != 2 && TOKENS != 4 && TOKENS != 8) begin : gen_bad_tokens
            rill_error_TOKENS_must_be_1_2_4_or_8 u_error ();
        end
        if (K_UNITS < 3) begin : gen_bad_units
            rill_error_K_UNITS_must_be_at_least_3 u_error ();
        end
    endgenerate

    // The keys pass a register first, because they come from a memory and their token selects the lane.
    wire                 valid;
    wire                 ready;
    wire [BEAT_BITS-1:0] key;
    wire [TOK_W:0]       user;
    rill_register_slice #(.DATA_W(BEAT_BITS + TOK_W + 1), .MODE(1)) u_in (.clk(clk), .rst(rst),
        .s_axis_tvalid(s_axis_klocal_tvalid), .s_axis_tready(s_axis_klocal_tready),
        .s_axis_tdata({s_axis_klocal_tuser, s_axis_klocal_tdata[BEAT_BITS-1:0]}), .m_axis_tvalid(valid),
        .m_axis_tready(ready), .m_axis_tdata({user, key}));
    wire [TOK_W-1:0] tok = user[TOK_W-1:0];
    // tok with 3 bits. It is put together bit by bit, because a replication must not have zero bits at TOK_W 3.
    wire [2:0]       tok_wide = {2'd0, tok[0]} | (TOK_W > 1 ? {1'b0, tok[TOK_W > 1 ? 1 : 0], 1'b0} : 3'd0)
        | (TOK_W > 2 ? {tok[TOK_W > 2 ? 2 : 0], 2'd0} : 3'd0);
    wire [31:0]      lane = {29'd0, tok_wide} % LANES;
    wire [LANES-1:0] room;
    wire [LANES-1:0] waiting;
    wire             take = valid && ready;
    assign ready = &room;
    genvar n;
    generate
        for (n = 0; n < LANES; n = n + 1) begin : gen_keys
            wire [FILL_W-1:0] fill;
            wire [FILL_W-1:0] high;
            reg               pop_q;
            always @(posedge clk)
                pop_q <= !rst && pop && k_lanes > n;
            rill_fifo #(.DATA_W(BEAT_BITS), .DEPTH(K_UNITS), .RAM_STYLE("distributed")) u_keys (
                .clk(clk), .rst(rst), .s_axis_tvalid(take && lane == n), .s_axis_tready(room[n]),
                .s_axis_tdata(key), .m_axis_tvalid(waiting[n]), .m_axis_tready(pop_q),
                .m_axis_tdata(beats[n*BEAT_BITS +: BEAT_BITS]), .occupancy(fill), .high_water(high));
            wire unused_keys = &{1'b0, fill, high};
        end
    endgenerate
    always @(posedge clk)
        arrived <= !rst && take && (user[TOK_W] || lane == LAST_LANE);
    wire unused = &{1'b0, waiting, s_axis_klocal_tdata[BEAT_BITS +: 32], s_axis_klocal_tlast};
endmodule

`default_nettype wire
