// SPDX-License-Identifier: Apache-2.0
// Custom kernel: multiplies every element with the element of the table in the row of its position. For each firing it
// reads the rows of the positions of the step, and then takes the words of the firing. The first request comes 3 cycles
// after the step word or the firing before, each next one a cycle later, and the first word is taken a cycle after the
// last beat.
// Latency 3 cycles, one word per cycle. With REPEAT every firing of a step has a separate table. fault: a row past the
// table (row 0 is read instead), or a product that overflows.
`default_nettype none

module placed #(
    parameter LANES = 0,
    parameter TOKENS = 0,
    parameter FIRINGS = 0,
    parameter WHEN_LAST = 0,
    parameter BEAT_BITS = 0,
    parameter ROWS = 0,
    parameter COLS = 0,
    parameter REPEAT = 1,
    parameter [39:0] TABLE_OFFSET = 0,
    parameter [39:0] TABLE_STRIDE = 0,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire                 s_axis_step_tvalid,
    output wire                 s_axis_step_tready,
    input  wire [63:0]          s_axis_step_tdata,
    output wire                 m_axis_fetch_tvalid,
    input  wire                 m_axis_fetch_tready,
    output wire [55:0]          m_axis_fetch_tdata, // {beats, offset}
    input  wire                 s_axis_fetch_tvalid,
    output wire                 s_axis_fetch_tready,
    input  wire [BEAT_BITS-1:0] s_axis_fetch_tdata,
    input  wire                 s_axis_x_tvalid,
    output wire                 s_axis_x_tready,
    input  wire [LANES*32-1:0]  s_axis_x_tdata,
    input  wire [USER_W-1:0]    s_axis_x_tuser,     // {tok_last, tok}
    input  wire                 s_axis_x_tlast,
    output wire                 m_axis_y_tvalid,
    input  wire                 m_axis_y_tready,
    output wire [LANES*32-1:0]  m_axis_y_tdata,
    output wire [USER_W-1:0]    m_axis_y_tuser,
    output wire                 m_axis_y_tlast,
    output reg                  fault
);
    localparam STAGES = 3;
    localparam TOK_W = USER_W - 1;
    localparam SLOTS = BEAT_BITS / (LANES > 0 ? LANES * 32 : 1);    // words of a beat
    localparam BEATS = (COLS * 32 + BEAT_BITS - 1) / (BEAT_BITS > 0 ? BEAT_BITS : 1);
    localparam BEAT_W = BEATS > 1 ? $clog2(BEATS) : 1;
    localparam [31:0] ROW_BYTES = BEATS * BEAT_BITS / 8;
    localparam [31:0] BEATS_32 = BEATS, SLOTS_32 = SLOTS, FIRINGS_32 = FIRINGS, ROWS_32 = ROWS;

    // In each firing: asks for the rows (S_ROW to S_ASK), stores their beats (S_FILL), then takes the words (S_RUN).
    localparam [2:0] S_STEP = 3'd0, S_ROW = 3'd1, S_PLACE = 3'd2, S_ASK = 3'd3, S_FILL = 3'd4, S_RUN = 3'd5;
    reg  [2:0]  state_q;
    reg         open_q;
    reg  [31:0] firing_q;
    reg  [16:0] row_q;
    reg  [3:0]  count_q, asked_q, filled_q;
    reg  [31:0] product_q;
    reg  [39:0] offset_q, base_q;
    reg  [15:0] beat_q;
    wire [3:0]  ntok = s_axis_step_tdata[19:16];
    wire        head = s_axis_step_tdata[20];
    wire        runs = WHEN_LAST == 0 || head;
    wire        take = s_axis_x_tvalid && s_axis_x_tready;
    wire        ends = take && s_axis_x_tlast && s_axis_x_tuser[USER_W-1];
    wire        last_firing = firing_q == FIRINGS_32 - 32'd1;
    wire        ask = m_axis_fetch_tvalid && m_axis_fetch_tready;
    wire        fill = s_axis_fetch_tvalid && s_axis_fetch_tready;
    wire        row_end = beat_q == BEATS_32[15:0] - 16'd1;
    wire        bad_row = row_q >= ROWS_32[16:0];
    wire [16:0] first = {1'b0, s_axis_step_tdata[15:0]} + (WHEN_LAST == 0 ? 17'd0 : {13'd0, ntok - 4'd1});

    assign s_axis_step_tready = open_q && (state_q == S_STEP ? !runs : ends && last_firing);
    assign m_axis_fetch_tvalid = state_q == S_ASK;
    assign m_axis_fetch_tdata = {BEATS_32[15:0], bad_row ? base_q : offset_q};
    assign s_axis_fetch_tready = open_q && filled_q != asked_q;

    always @(posedge clk) begin
        open_q <= !rst;
        if (rst) begin
            state_q <= S_STEP;
            firing_q <= 32'd0;
            base_q <= TABLE_OFFSET;
        end else
            case (state_q)
                S_STEP: if (open_q && s_axis_step_tvalid && runs) state_q <= S_ROW;
                S_ROW: state_q <= S_PLACE;
                S_PLACE: state_q <= S_ASK;
                S_ASK: if (ask && asked_q == count_q - 4'd1) state_q <= S_FILL;
                S_FILL: if (fill && row_end && filled_q == count_q - 4'd1) state_q <= S_RUN;
                default: if (ends) begin
                    state_q <= last_firing ? S_STEP : S_ROW;
                    firing_q <= last_firing ? 32'd0 : firing_q + 32'd1;
                    base_q <= last_firing ? TABLE_OFFSET : base_q + (REPEAT > 1 ? TABLE_STRIDE : 40'd0);
                end
            endcase
        if (state_q == S_STEP || state_q == S_RUN) begin
            row_q <= first;
            count_q <= WHEN_LAST == 0 ? ntok : 4'd1;
            asked_q <= 4'd0;
            filled_q <= 4'd0;
            beat_q <= 16'd0;
        end else begin
            if (ask) row_q <= row_q + 17'd1;
            if (ask) asked_q <= asked_q + 4'd1;
            if (fill) beat_q <= row_end ? 16'd0 : beat_q + 16'd1;
            if (fill && row_end) filled_q <= filled_q + 4'd1;
        end
        product_q <= {15'd0, row_q} * ROW_BYTES;
        if (state_q == S_PLACE) offset_q <= base_q + {8'd0, product_q};
        else if (ask) offset_q <= offset_q + {8'd0, ROW_BYTES};
    end

    // The words of a firing. The place in the row advances with the words of the last position.
    reg  [BEAT_W-1:0]        word_q;
    reg  [7:0]               slot_q;
    reg  [BEAT_BITS-1:0]     mem [0:(1 << (TOK_W + BEAT_W))-1];
    reg  [STAGES-1:0]        valid_q, last_q;
    reg  [STAGES*USER_W-1:0] user_q;
    wire                     en = !m_axis_y_tvalid || m_axis_y_tready;
    wire [TOK_W-1:0]         tok = WHEN_LAST == 0 ? s_axis_x_tuser[TOK_W-1:0] : {TOK_W{1'b0}};
    wire [BEAT_BITS-1:0]     row = mem[{tok, word_q}];
    wire [LANES*32-1:0]      by = row[slot_q*(LANES*32) +: LANES*32];
    wire                     slot_end = {24'd0, slot_q} == SLOTS_32 - 32'd1;
    wire [LANES-1:0]         fault_of;

    assign s_axis_x_tready = open_q && state_q == S_RUN && en;
    assign m_axis_y_tvalid = valid_q[STAGES-1];
    assign m_axis_y_tlast = last_q[STAGES-1];
    assign m_axis_y_tuser = user_q[(STAGES-1)*USER_W +: USER_W];

    always @(posedge clk) begin
        if (fill) mem[{filled_q[TOK_W-1:0], beat_q[BEAT_W-1:0]}] <= s_axis_fetch_tdata;
        if (rst || ends) begin
            word_q <= {BEAT_W{1'b0}};
            slot_q <= 8'd0;
        end else if (take && s_axis_x_tuser[USER_W-1]) begin
            slot_q <= slot_end ? 8'd0 : slot_q + 8'd1;
            if (slot_end) word_q <= word_q + 1'b1;
        end
        fault <= !rst && ((ask && bad_row) || (en && valid_q[STAGES-1] && |fault_of));
        if (rst) valid_q <= {STAGES{1'b0}};
        else if (en) valid_q <= {valid_q[STAGES-2:0], take};
        if (en) begin
            last_q <= {last_q[STAGES-2:0], s_axis_x_tlast};
            user_q <= {user_q[(STAGES-1)*USER_W-1:0], s_axis_x_tuser};
        end
    end

    genvar i;
    generate
        for (i = 0; i < LANES; i = i + 1) begin : gen_lane
            rill_fp32_mul u_mul (.clk(clk), .en(en), .a(s_axis_x_tdata[i*32 +: 32]), .b(by[i*32 +: 32]),
                                 .y(m_axis_y_tdata[i*32 +: 32]), .fault(fault_of[i]));
        end
    endgenerate

    wire unused = &{1'b0, s_axis_step_tdata, BEATS_32, ROWS_32};
endmodule

`default_nettype wire
