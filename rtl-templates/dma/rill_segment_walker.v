// SPDX-License-Identifier: Apache-2.0
// Makes the reads of an engine: walks a table of segments once per step and sends one descriptor for each contiguous
// run of memory. All channels of the engine get the same descriptors.
//
// In: step words. The token loop sends them to the walker before it sends them to the kernels, so that the walker reads
// ahead. (With drafts, the walker gets the word of a generating step after the kernels have taken it. With slots, the
// walker and the kernels get each word at the same time.)
// Out: descriptors {beats, offset}, which a fork brings to the rill_dma_read of each channel.
// A table entry has 192 bits (fields: comment at the instance), with offsets and strides in bytes. Entries of each kind
// read, from offset + layer*layer_stride on,
//     weights  `beats` beats
//     K        krows*beats beats
//     V        `outer` runs of vblocks*beats beats, which begin outer_stride bytes apart
// A run of 0 beats is left out. A run of more than 65535 beats is cut.
// With attention windows, a K or V run begins later: it leaves out row-steps or blocks that no token of the step
// attends to (rill_window_entries).
// With slots, a step comes as one word for each part, that is, for the tokens of one slot (docs/rtl.md section 4). In a
// part of slot s, a K run begins s * K_SLOT_STRIDE bytes later, and a V run s * V_SLOT_STRIDE bytes later.
// A K or V run of step n since reset (n = 0, 1, ...) waits until k_layers_done or v_layers_done >= (n-1)*KV_LAYERS + l
// + 1, where l = kv_layer + layer*kv_step is its layer of the cache. These inputs come from rill_kv_tracker. When the
// wait is over, all writes of earlier steps to this layer have their responses.
// Throughput: one descriptor per cycle. The descriptor comes with latency 6 from rill_schedule's entry, with windows
// 11.
// flush (level, must stay high until the reset): nothing more is sent, and steps that arrive or are held are discarded.
// idle: nothing is held, and no step word is offered. The control uses idle during a flush.
// Reset: clk, synchronous active-high rst; the step count starts again.
//
// name               meaning                                                               unit       range
// BEAT_BITS          width of a beat                                                       bits       64, 128, 256, 512
// KV_LAYERS          layers of the KV cache; 0: no cache, so no run waits                  layers     0 or more
// KEY_CHANNELS       channels of the scores engine                                         channels   1 to 32
// K_SLOT_STRIDE      distance from the keys of a slot to those of the next                 bytes      any
// V_SLOT_STRIDE      distance from the values of a slot to those of the next               bytes      any
// WINDOWS            number of windows: 1 for all layers, or one per cache layer           entries    1 or more
// K_WINDOW           positions a token attends to, including its own; 16 bits per layer    positions  any
//                    of keys, the lowest layer low; 0: no window
// V_WINDOW           the windows of the layers of values, likewise                         positions  any
// SECTIONS           sections of the table, docs/rtl.md section 5                          sections   1 or more
// ENTRIES            entries of the table: the sum of all lengths                          entries    1 or more
// SECTION_LEN        length of each section, 16 bits each, the first low. Length 0         entries    not all 0
//                    skips a section. The sum of all is ENTRIES
// SECTION_REPEAT     how often each section is walked, 16 bits each                        times      any
// SECTION_WHEN_HEAD  bit s: skip section s in steps with head = 0                          -          any
// TABLE              the entries, 192 bits each (fields: comment at the instance)          -          any
// ENTRY_MANY         bit e: skip entry e in steps of one token                             -          any
// PARTS              parts of a step, upper bound                                          parts      1 to 8
// ENTRY_PART         bit e: walk entry e for each part                                     -          any
`default_nettype none

module rill_segment_walker #(
    parameter BEAT_BITS = 0,
    parameter KV_LAYERS = 0,
    parameter KEY_CHANNELS = 1,
    parameter [39:0] K_SLOT_STRIDE = 0,
    parameter [39:0] V_SLOT_STRIDE = 0,
    parameter WINDOWS = 1,
    parameter [WINDOWS*16-1:0] K_WINDOW = 0,
    parameter [WINDOWS*16-1:0] V_WINDOW = 0,
    parameter SECTIONS = 0,
    parameter ENTRIES = 0,
    parameter [SECTIONS*16-1:0] SECTION_LEN = 0,
    parameter [SECTIONS*16-1:0] SECTION_REPEAT = 0,
    parameter [SECTIONS-1:0] SECTION_WHEN_HEAD = 0,
    parameter [ENTRIES*192-1:0] TABLE = 0,
    parameter [ENTRIES-1:0] ENTRY_MANY = 0,
    parameter PARTS = 1,
    parameter [ENTRIES-1:0] ENTRY_PART = 0
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        flush,
    output wire        idle,
    input  wire [31:0] k_layers_done,
    input  wire [31:0] v_layers_done,

    input  wire        s_axis_step_tvalid,
    output wire        s_axis_step_tready,
    input  wire [63:0] s_axis_step_tdata,

    output wire        m_axis_desc_tvalid,
    input  wire        m_axis_desc_tready,
    output wire [55:0] m_axis_desc_tdata    // {beats, offset}
);
    `include "rill_fields.vh"
    localparam ENTRY_W = SEGMENT_BITS;
    // A run of more beats than a descriptor can hold is cut into pieces of 2^CUT_W beats, so all pieces are aligned
    // like the run.
    localparam BEATS_W = 16;                 // width of a descriptor's beats
    localparam CUT_W = 15;
    localparam [31:0] CUT_BEATS = 1 << CUT_W;
    localparam [31:0] CUT_BYTES = CUT_BEATS * (BEAT_BITS / 8);
    localparam [31:0] KV_LAYERS_32 = KV_LAYERS;
    localparam BYTE_W = $clog2(BEAT_BITS / 8);

    generate
        if (BEAT_BITS != 256 && BEAT_BITS != 512 && BEAT_BITS != 64 && BEAT_BITS != 128) begin : gen_bad_beat
            rill_error_BEAT_BITS_must_be_64_128_256_or_512 u_error ();
        end
        if (SECTIONS < 1 || ENTRIES < 1) begin : gen_bad_table
            rill_error_SECTIONS_and_ENTRIES_must_be_at_least_1 u_error ();
        end
    endgenerate

    wire                 step_ready;
    wire                 listed_valid;       // an entry of the schedule is there
    wire                 listed_ready;
    wire [ENTRY_W+SCHEDULE_BITS-1:0] listed_data;
    wire                 listed_last;
    wire                 entry_valid;        // an entry is there; its positions count from the first one that is read
    wire                 entry_ready;
    wire [ENTRY_W+SCHEDULE_BITS-1:0] entry_data;
    wire                 entry_last;
    wire [15:0]          entry_skip;         // row-steps or blocks that are left out before the window
    wire                 held;               // an entry waits for u_windows (a flush discards those in u_windows)

    // A flush resets the schedule, which is the fastest way to discard its position.
    rill_schedule #(.ENTRY_W(ENTRY_W), .SECTIONS(SECTIONS), .ENTRIES(ENTRIES), .SECTION_LEN(SECTION_LEN),
        .SECTION_REPEAT(SECTION_REPEAT), .SECTION_WHEN_HEAD(SECTION_WHEN_HEAD), .TABLE(TABLE),
        .ENTRY_MANY(ENTRY_MANY),
        .PARTS(PARTS), .ENTRY_PART(ENTRY_PART)) u_schedule (
        .clk(clk), .rst(rst || flush),
        .s_axis_step_tvalid(s_axis_step_tvalid && !flush), .s_axis_step_tready(step_ready),
        .s_axis_step_tdata(s_axis_step_tdata),
        .m_axis_entry_tvalid(listed_valid), .m_axis_entry_tready(listed_ready), .m_axis_entry_tdata(listed_data),
        .m_axis_entry_tlast(listed_last));
    wire [1:0]  entry_kind = entry_data[SEGMENT_KIND +: SEGMENT_KIND_W];
    generate
        if (K_WINDOW == 0 && V_WINDOW == 0) begin : gen_all_positions
            assign {entry_valid, entry_data, entry_last} = {listed_valid, listed_data, listed_last};
            assign listed_ready = entry_ready;
            assign entry_skip = 16'd0;
            assign held = 1'b0;
        end else begin : gen_windows
            wire [1:0]  listed_kind = listed_data[SEGMENT_KIND +: SEGMENT_KIND_W];
            wire [9:0]  blocks;
            wire [15:0] rows;
            rill_window_entries #(.ENTRY_W(ENTRY_W), .KEY_CHANNELS(KEY_CHANNELS), .WINDOWS(WINDOWS),
                .K_WINDOW(K_WINDOW), .V_WINDOW(V_WINDOW)) u_windows (
                .clk(clk), .rst(rst || flush), .s_axis_entry_tvalid(listed_valid), .s_axis_entry_tready(listed_ready),
                .s_axis_entry_tdata(listed_data), .s_axis_entry_tlast(listed_last),
                .keys(listed_kind == SEGMENT_KIND_K), .values(listed_kind == SEGMENT_KIND_V),
                .kv_layer(listed_data[SEGMENT_KV_LAYER +: SEGMENT_KV_LAYER_W]),
                .kv_step(listed_data[SEGMENT_KV_STEP +: SEGMENT_KV_STEP_W]), .m_axis_entry_tvalid(entry_valid),
                .m_axis_entry_tready(entry_ready), .m_axis_entry_tdata(entry_data), .m_axis_entry_tlast(entry_last),
                .blocks(blocks), .rows(rows));
            assign entry_skip = entry_kind == SEGMENT_KIND_K ? rows : {6'd0, blocks};
            assign held = listed_valid;
        end
    endgenerate

    reg  open_q;                         // low in reset
    assign s_axis_step_tready = open_q && (flush || step_ready);

    wire [15:0] entry_layer = entry_data[ENTRY_W + SCHEDULE_LAYER +: SCHEDULE_LAYER_W];
    wire [15:0] entry_krows = entry_data[ENTRY_W + SCHEDULE_STEP + STEP_KROWS +: STEP_KROWS_W];
    wire [15:0] entry_vblocks = entry_data[ENTRY_W + SCHEDULE_STEP + STEP_VBLOCKS +: STEP_VBLOCKS_W];

    reg         first_q;                 // the first step since the reset
    reg  [31:0] earlier_q;               // number of (step, layer) pairs in all steps before the previous step

    // Pipeline, by the first word of a name: operand_* has the fields of the entry, product_* follows the multipliers,
    // layer_* has the offset of the layer, and place_* the start of the first run. need: number of layers that must be
    // done before the run. run: beats of a run. outer and stride: see the entry.
    reg         operand_valid_q, product_valid_q, layer_valid_q, place_valid_q;
    reg  [1:0]  operand_kind_q, product_kind_q, layer_kind_q, place_kind_q;
    reg  [39:0] operand_offset_q, product_offset_q, layer_offset_q, place_offset_q;
    reg  [15:0] operand_outer_q, product_outer_q, layer_outer_q, place_outer_q;
    reg  [31:0] operand_stride_q, product_stride_q, layer_stride_q, place_stride_q;
    reg  [31:0] operand_need_q, product_need_q, layer_need_q, place_need_q;
    reg  [15:0] operand_layer_q;
    reg  [5:0]  operand_kv_step_q;
    reg  [21:0] product_kv_q;
    reg  [39:0] operand_layer_stride_q;
    reg  [15:0] operand_times_q;             // K: row-steps, V: blocks, weights: 1
    reg  [23:0] operand_beats_q;             // beats of each of them
    reg  [15:0] operand_skip_q;              // entry_skip
    reg  [31:0] product_skip_q;              // beats that are left out
    reg  [31:0] product_run_q, layer_run_q, place_run_q;
    reg  [35:0] product_low_q;
    reg  [35:0] product_high_q;
    reg  [39:0] layer_bytes_q;
    reg  [3:0]  operand_slot_q;
    reg  [39:0] product_slot_q;              // bytes from slot 0 to the slot of the part

    wire [39:0] run_product = operand_times_q * operand_beats_q;
    wire [39:0] skip_product = operand_skip_q * operand_beats_q;

    // Sends one run after the other.
    reg         emit_valid_q;
    reg         emit_open_q;             // the writes that the run depends on have their responses
    reg         emit_strided_q;          // V: the segment has several runs
    reg  [31:0] emit_need_q;
    reg  [39:0] emit_run_addr_q;         // start of the run
    reg  [39:0] emit_addr_q;             // start of the next descriptor, which is the run or a piece of it
    reg  [31:0] emit_run_q;              // beats of each run
    reg  [31:0] emit_left_q;             // beats of this run that have not been sent
    reg  [15:0] emit_outer_q;            // runs that are left, including this one
    reg  [31:0] emit_stride_q;           // bytes from the start of a run to the start of the next one

    reg         emit_cut_q;              // emit_left_q has more beats than BEATS_W bits can hold
    reg         emit_run_cut_q;          // emit_run_q has more beats than BEATS_W bits can hold
    reg         emit_again_q;            // another run of emit_run_q beats follows
    wire        out_ready;               // comes from a register, because many readers share a descriptor
    wire        out_valid = emit_valid_q && emit_open_q && !flush;
    wire        emit_send = out_valid && out_ready;
    wire        sent_valid;
    wire        emit_done = emit_send && !emit_cut_q && !emit_again_q;
    wire        emit_take = !emit_valid_q || emit_done;
    wire        advance = !place_valid_q || emit_take;
    wire        place_open = place_kind_q == SEGMENT_KIND_V ? v_layers_done >= place_need_q
        : k_layers_done >= place_need_q;
    wire [39:0] emit_next_run = emit_run_addr_q + {8'd0, emit_stride_q};

    assign entry_ready = advance;
    rill_register_slice #(.DATA_W(56), .MODE(2)) u_sent (
        .clk(clk), .rst(rst || flush), .s_axis_tvalid(out_valid), .s_axis_tready(out_ready),
        .s_axis_tdata({emit_cut_q ? CUT_BEATS[BEATS_W-1:0] : emit_left_q[BEATS_W-1:0], emit_addr_q}),
        .m_axis_tvalid(sent_valid), .m_axis_tready(m_axis_desc_tready), .m_axis_tdata(m_axis_desc_tdata));
    assign m_axis_desc_tvalid = sent_valid && !flush;
    assign idle = !(sent_valid || held || entry_valid || operand_valid_q || product_valid_q || layer_valid_q
        || place_valid_q || emit_valid_q || s_axis_step_tvalid);

    always @(posedge clk) begin
        open_q <= !rst;
        if (rst) begin
            first_q <= 1'b1;
            earlier_q <= 32'd0;
        end else if (entry_valid && entry_ready && entry_last) begin
            first_q <= 1'b0;
            if (!first_q)
                earlier_q <= earlier_q + KV_LAYERS_32;
        end
        if (rst || flush) begin
            operand_valid_q <= 1'b0;
            product_valid_q <= 1'b0;
            layer_valid_q <= 1'b0;
            place_valid_q <= 1'b0;
        end else if (advance) begin
            operand_valid_q <= entry_valid;
            product_valid_q <= operand_valid_q;
            layer_valid_q <= product_valid_q;
            place_valid_q <= layer_valid_q;
        end
        if (advance) begin
            operand_kind_q <= entry_kind;
            operand_offset_q <= entry_data[SEGMENT_OFFSET +: SEGMENT_OFFSET_W];
            operand_layer_stride_q <= entry_data[SEGMENT_LAYER_STRIDE +: SEGMENT_LAYER_STRIDE_W];
            operand_beats_q <= entry_data[SEGMENT_BEATS +: SEGMENT_BEATS_W];
            operand_outer_q <= entry_data[SEGMENT_OUTER +: SEGMENT_OUTER_W];
            operand_stride_q <= entry_data[SEGMENT_OUTER_STRIDE +: SEGMENT_OUTER_STRIDE_W];
            operand_layer_q <= entry_layer;
            operand_times_q <= entry_kind == SEGMENT_KIND_WEIGHTS ? 16'd1 : entry_kind == SEGMENT_KIND_K ? entry_krows
                : entry_vblocks;
            operand_skip_q <= entry_skip;
            operand_slot_q <= entry_data[ENTRY_W + SCHEDULE_STEP + STEP_SLOT +: STEP_SLOT_W];
            operand_need_q <= (first_q || entry_kind == SEGMENT_KIND_WEIGHTS || KV_LAYERS == 0) ? 32'd0
                : earlier_q + {22'd0, entry_data[SEGMENT_KV_LAYER +: SEGMENT_KV_LAYER_W]} + 32'd1;
            operand_kv_step_q <= (first_q || entry_kind == SEGMENT_KIND_WEIGHTS || KV_LAYERS == 0) ? 6'd0
                : entry_data[SEGMENT_KV_STEP +: SEGMENT_KV_STEP_W];

            product_kind_q <= operand_kind_q;
            product_offset_q <= operand_offset_q;
            product_outer_q <= operand_outer_q;
            product_stride_q <= operand_stride_q;
            product_need_q <= operand_need_q;
            product_kv_q <= operand_layer_q * operand_kv_step_q;
            product_run_q <= run_product[31:0];
            product_slot_q <= operand_kind_q == SEGMENT_KIND_WEIGHTS ? 40'd0 : {36'd0, operand_slot_q}
                * (operand_kind_q == SEGMENT_KIND_K ? K_SLOT_STRIDE : V_SLOT_STRIDE);
            product_skip_q <= skip_product[31:0];
            product_low_q <= operand_layer_q * operand_layer_stride_q[19:0];
            product_high_q <= operand_layer_q * operand_layer_stride_q[39:20];

            layer_kind_q <= product_kind_q;
            layer_offset_q <= product_offset_q + ({8'd0, product_skip_q} << BYTE_W);
            layer_outer_q <= product_outer_q;
            layer_stride_q <= product_stride_q;
            layer_need_q <= product_need_q + {10'd0, product_kv_q};
            layer_run_q <= product_run_q;
            layer_bytes_q <= {4'd0, product_low_q} + {product_high_q[19:0], 20'd0} + product_slot_q;

            place_kind_q <= layer_kind_q;
            place_offset_q <= layer_offset_q + layer_bytes_q;
            place_outer_q <= layer_outer_q;
            place_stride_q <= layer_stride_q;
            place_need_q <= layer_need_q;
            place_run_q <= layer_run_q;
        end
    end

    always @(posedge clk) begin
        if (rst || flush)
            emit_valid_q <= 1'b0;
        else if (emit_take)
            emit_valid_q <= place_valid_q && place_run_q != 32'd0
                && !(place_kind_q == SEGMENT_KIND_V && place_outer_q == 16'd0);
        if (emit_take) begin
            emit_strided_q <= place_kind_q == SEGMENT_KIND_V;
            emit_again_q <= place_kind_q == SEGMENT_KIND_V && place_outer_q != 16'd1;
            emit_cut_q <= |place_run_q[31:BEATS_W];
            emit_run_cut_q <= |place_run_q[31:BEATS_W];
            emit_need_q <= place_need_q;
            emit_open_q <= place_open;
            emit_run_addr_q <= place_offset_q;
            emit_addr_q <= place_offset_q;
            emit_run_q <= place_run_q;
            emit_left_q <= place_run_q;
            emit_outer_q <= place_outer_q;
            emit_stride_q <= place_stride_q;
        end else begin
            if (!emit_open_q)
                emit_open_q <= emit_strided_q ? v_layers_done >= emit_need_q : k_layers_done >= emit_need_q;
            if (emit_send && emit_cut_q) begin
                // After this piece, 2^BEATS_W or more beats are left: emit_left_q >= 2^BEATS_W + 2^CUT_W.
                emit_cut_q <= |emit_left_q[31:BEATS_W+1] || &emit_left_q[BEATS_W:CUT_W];
                emit_left_q <= emit_left_q - CUT_BEATS;
                emit_addr_q <= emit_addr_q + {8'd0, CUT_BYTES};
            end else if (emit_send) begin
                emit_left_q <= emit_run_q;
                emit_cut_q <= emit_run_cut_q;
                emit_again_q <= emit_strided_q && emit_outer_q != 16'd2;
                emit_addr_q <= emit_next_run;
                emit_run_addr_q <= emit_next_run;
                emit_outer_q <= emit_outer_q - 16'd1;
            end
        end
    end

    wire unused = &{1'b0, entry_data, run_product[39:32], skip_product[39:32], product_high_q[35:20]};
endmodule

`default_nettype wire
