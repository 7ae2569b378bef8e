// SPDX-License-Identifier: Apache-2.0
// Walks the segment table once per step and emits one descriptor per contiguous run, the same for every channel.
//
// In: speculative step words, sent ahead of the kernels' ones. Out: {beats[15:0], offset[39:0]}; fork it to the
// channels' rill_dma_read.
// Segment entry (192 bits, SEGMENT of include/fields.def), offsets and strides in bytes. Weights: `beats` beats at
// offset + layer*layer_stride. K: krows*beats beats there. V: `outer` runs of vblocks*beats beats, outer_stride apart.
// A run of 0 beats is left out; a run of more than 65535 beats is cut.
// A K or V run in the n-th step since reset (n = 0, 1, ...) waits until k_layers_done or v_layers_done >=
// (n-1)*KV_LAYERS + l + 1, l = kv_layer + layer*kv_step its layer of the cache: until every write of its kind that the
// steps before made in this layer has its response.
// Throughput: one descriptor per cycle; latency 7 from entry to descriptor.
// flush (level, hold until reset): nothing more comes out, steps that arrive or are held are swallowed. idle: nothing
// held (while flush).
// Reset: clk, synchronous active-high rst; the step count starts over.
//
// name               meaning                                  unit      range
// BEAT_BITS          of a beat                                bits      64, 128, 256, 512
// KV_LAYERS          that write K and V; 0: none              layers    0 or more
// SECTIONS           of the table, docs/rtl.md section 5      sections  1 or more
// ENTRIES            the sum of all lengths                   entries   1 or more
// SECTION_LEN        of each section, 16 bits, the first low  entries   any
// SECTION_REPEAT     how often each is walked, 16 bits each   times     any
// SECTION_WHEN_HEAD  a bit each: not in steps with head = 0   -         any
// TABLE              the entries, 192 bits each (of SEGMENT)  -         any
`default_nettype none

module rill_segment_walker #(
    parameter BEAT_BITS = 0,
    parameter KV_LAYERS = 0,
    parameter SECTIONS = 0,
    parameter ENTRIES = 0,
    parameter [SECTIONS*16-1:0] SECTION_LEN = 0,
    parameter [SECTIONS*16-1:0] SECTION_REPEAT = 0,
    parameter [SECTIONS-1:0] SECTION_WHEN_HEAD = 0,
    parameter [ENTRIES*192-1:0] TABLE = 0
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

    output wire        m_axis_burst_tvalid,
    input  wire        m_axis_burst_tready,
    output wire [55:0] m_axis_burst_tdata    // {beats[15:0], offset[39:0]}
);
    // of include/fields.def
    localparam STEP_KROWS = 32, STEP_KROWS_W = 16, STEP_VBLOCKS = 48, STEP_VBLOCKS_W = 16, SCHEDULE_BITS = 80,
        SCHEDULE_STEP = 0,
        SCHEDULE_LAYER = 64, SCHEDULE_LAYER_W = 16, SEGMENT_BITS = 192, SEGMENT_KIND = 0, SEGMENT_KIND_W = 2,
            SEGMENT_OFFSET = 2,
        SEGMENT_OFFSET_W = 40, SEGMENT_LAYER_STRIDE = 42, SEGMENT_LAYER_STRIDE_W = 40, SEGMENT_BEATS = 82,
            SEGMENT_BEATS_W = 24,
        SEGMENT_OUTER = 106, SEGMENT_OUTER_W = 16, SEGMENT_OUTER_STRIDE = 122, SEGMENT_OUTER_STRIDE_W = 32,
        SEGMENT_KV_LAYER = 154, SEGMENT_KV_LAYER_W = 10, SEGMENT_KV_STEP = 164, SEGMENT_KV_STEP_W = 6,
            SEGMENT_KIND_WEIGHTS = 0,
        SEGMENT_KIND_K = 1, SEGMENT_KIND_V = 2;
    localparam ENTRY_W = SEGMENT_BITS;
    localparam [31:0] CUT_BEATS = 32768;     // keeps the cuts of a long run aligned to bursts
    localparam [31:0] CUT_BYTES = 32768 * (BEAT_BITS / 8);
    localparam [31:0] LAYER_STEP = KV_LAYERS;

    generate
        if (BEAT_BITS != 256 && BEAT_BITS != 512 && BEAT_BITS != 64 && BEAT_BITS != 128) begin : gen_bad_beat
            rill_error_BEAT_BITS_must_be_64_128_256_or_512 u_error ();
        end
        if (SECTIONS < 1 || ENTRIES < 1) begin : gen_bad_table
            rill_error_SECTIONS_and_ENTRIES_must_be_at_least_1 u_error ();
        end
    endgenerate

    wire                 step_ready;
    wire                 entry_valid;
    wire                 entry_ready;
    wire [ENTRY_W+SCHEDULE_BITS-1:0] entry_data;
    wire                 entry_last;

    // A flush throws the schedule's place away: its reset is the quickest way.
    rill_schedule #(.ENTRY_W(ENTRY_W), .SECTIONS(SECTIONS), .ENTRIES(ENTRIES), .SECTION_LEN(SECTION_LEN),
        .SECTION_REPEAT(SECTION_REPEAT),
        .SECTION_WHEN_HEAD(SECTION_WHEN_HEAD), .TABLE(TABLE)) u_schedule (
        .clk(clk), .rst(rst || flush),
        .s_axis_step_tvalid(s_axis_step_tvalid && !flush), .s_axis_step_tready(step_ready),
        .s_axis_step_tdata(s_axis_step_tdata),
        .m_axis_entry_tvalid(entry_valid), .m_axis_entry_tready(entry_ready), .m_axis_entry_tdata(entry_data),
        .m_axis_entry_tlast(entry_last));

    reg  open_q;
    assign s_axis_step_tready = open_q && (flush || step_ready);

    wire [15:0] entry_layer = entry_data[ENTRY_W + SCHEDULE_LAYER +: SCHEDULE_LAYER_W];
    wire [15:0] entry_krows = entry_data[ENTRY_W + SCHEDULE_STEP + STEP_KROWS +: STEP_KROWS_W];
    wire [15:0] entry_vblocks = entry_data[ENTRY_W + SCHEDULE_STEP + STEP_VBLOCKS +: STEP_VBLOCKS_W];
    wire [1:0]  entry_kind = entry_data[SEGMENT_KIND +: SEGMENT_KIND_W];

    // Steps before this one: number of (step, layer) pairs up to and without the step before.
    reg         first_q;
    reg  [31:0] earlier_q;

    // Pipeline: operands, products, layer offset, address.
    reg         a_valid_q, b_valid_q, c_valid_q, d_valid_q;
    reg  [1:0]  a_kind_q, b_kind_q, c_kind_q, d_kind_q;
    reg  [39:0] a_offset_q, b_offset_q, c_offset_q, d_offset_q;
    reg  [15:0] a_outer_q, b_outer_q, c_outer_q, d_outer_q;
    reg  [31:0] a_stride_q, b_stride_q, c_stride_q, d_stride_q;
    reg  [31:0] a_need_q, b_need_q, c_need_q, d_need_q;
    reg  [15:0] a_layer_q;
    reg  [5:0]  a_kv_step_q;
    reg  [21:0] b_kv_q;
    reg  [39:0] a_lstride_q;
    reg  [15:0] a_times_q;
    reg  [23:0] a_beats_q;
    reg  [31:0] b_run_q, c_run_q, d_run_q;
    reg  [35:0] b_low_q;
    reg  [35:0] b_high_q;
    reg  [39:0] c_layer_q;

    wire [39:0] run_product = a_times_q * a_beats_q;

    // Emitter: one run after the other.
    reg         e_valid_q;
    reg         e_open_q;                    // the writes it needs have their responses
    reg         e_strided_q;
    reg  [31:0] e_need_q;
    reg  [39:0] e_run_addr_q;
    reg  [39:0] e_addr_q;
    reg  [31:0] e_run_q;
    reg  [31:0] e_left_q;
    reg  [15:0] e_outer_q;
    reg  [31:0] e_stride_q;

    reg         e_cut_q;                     // e_left_q is above 65535
    reg         e_run_cut_q;                 // e_run_q is
    reg         e_again_q;                   // another run of e_run_q beats follows
    wire        out_ready;                   // from a register: the bursts' readers are many
    wire        out_valid = e_valid_q && e_open_q && !flush;
    wire        e_send = out_valid && out_ready;
    wire        sent_valid;
    wire        e_done = e_send && !e_cut_q && !e_again_q;
    wire        e_take = !e_valid_q || e_done;
    wire        advance = !d_valid_q || e_take;
    wire        d_open = d_kind_q == SEGMENT_KIND_V ? v_layers_done >= d_need_q : k_layers_done >= d_need_q;
    wire [39:0] e_next_run = e_run_addr_q + {8'd0, e_stride_q};

    assign entry_ready = advance;
    rill_register_slice #(.DATA_W(56), .MODE(2)) u_sent (
        .clk(clk), .rst(rst || flush), .s_axis_tvalid(out_valid), .s_axis_tready(out_ready),
        .s_axis_tdata({e_cut_q ? CUT_BEATS[15:0] : e_left_q[15:0], e_addr_q}),
        .m_axis_tvalid(sent_valid), .m_axis_tready(m_axis_burst_tready), .m_axis_tdata(m_axis_burst_tdata));
    assign m_axis_burst_tvalid = sent_valid && !flush;
    assign idle = !(sent_valid || entry_valid || a_valid_q || b_valid_q || c_valid_q || d_valid_q || e_valid_q
        || s_axis_step_tvalid);

    always @(posedge clk) begin
        open_q <= !rst;
        if (rst) begin
            first_q <= 1'b1;
            earlier_q <= 32'd0;
        end else if (entry_valid && entry_ready && entry_last) begin
            first_q <= 1'b0;
            if (!first_q)
                earlier_q <= earlier_q + LAYER_STEP;
        end
        if (rst || flush) begin
            a_valid_q <= 1'b0;
            b_valid_q <= 1'b0;
            c_valid_q <= 1'b0;
            d_valid_q <= 1'b0;
        end else if (advance) begin
            a_valid_q <= entry_valid;
            b_valid_q <= a_valid_q;
            c_valid_q <= b_valid_q;
            d_valid_q <= c_valid_q;
        end
        if (advance) begin
            a_kind_q <= entry_kind;
            a_offset_q <= entry_data[SEGMENT_OFFSET +: SEGMENT_OFFSET_W];
            a_lstride_q <= entry_data[SEGMENT_LAYER_STRIDE +: SEGMENT_LAYER_STRIDE_W];
            a_beats_q <= entry_data[SEGMENT_BEATS +: SEGMENT_BEATS_W];
            a_outer_q <= entry_data[SEGMENT_OUTER +: SEGMENT_OUTER_W];
            a_stride_q <= entry_data[SEGMENT_OUTER_STRIDE +: SEGMENT_OUTER_STRIDE_W];
            a_layer_q <= entry_layer;
            a_times_q <= entry_kind == SEGMENT_KIND_WEIGHTS ? 16'd1 : entry_kind == SEGMENT_KIND_K ? entry_krows
                : entry_vblocks;
            a_need_q <= (first_q || entry_kind == SEGMENT_KIND_WEIGHTS || KV_LAYERS == 0) ? 32'd0
                : earlier_q + {22'd0, entry_data[SEGMENT_KV_LAYER +: SEGMENT_KV_LAYER_W]} + 32'd1;
            a_kv_step_q <= (first_q || entry_kind == SEGMENT_KIND_WEIGHTS || KV_LAYERS == 0) ? 6'd0
                : entry_data[SEGMENT_KV_STEP +: SEGMENT_KV_STEP_W];

            b_kind_q <= a_kind_q;
            b_offset_q <= a_offset_q;
            b_outer_q <= a_outer_q;
            b_stride_q <= a_stride_q;
            b_need_q <= a_need_q;
            b_kv_q <= a_layer_q * a_kv_step_q;
            b_run_q <= run_product[31:0];
            b_low_q <= a_layer_q * a_lstride_q[19:0];
            b_high_q <= a_layer_q * a_lstride_q[39:20];

            c_kind_q <= b_kind_q;
            c_offset_q <= b_offset_q;
            c_outer_q <= b_outer_q;
            c_stride_q <= b_stride_q;
            c_need_q <= b_need_q + {10'd0, b_kv_q};
            c_run_q <= b_run_q;
            c_layer_q <= {4'd0, b_low_q} + {b_high_q[19:0], 20'd0};

            d_kind_q <= c_kind_q;
            d_offset_q <= c_offset_q + c_layer_q;
            d_outer_q <= c_outer_q;
            d_stride_q <= c_stride_q;
            d_need_q <= c_need_q;
            d_run_q <= c_run_q;
        end
    end

    always @(posedge clk) begin
        if (rst || flush)
            e_valid_q <= 1'b0;
        else if (e_take)
            e_valid_q <= d_valid_q && d_run_q != 32'd0 && !(d_kind_q == SEGMENT_KIND_V && d_outer_q == 16'd0);
        if (e_take) begin
            e_strided_q <= d_kind_q == SEGMENT_KIND_V;
            e_again_q <= d_kind_q == SEGMENT_KIND_V && d_outer_q != 16'd1;
            e_cut_q <= |d_run_q[31:16];
            e_run_cut_q <= |d_run_q[31:16];
            e_need_q <= d_need_q;
            e_open_q <= d_open;
            e_run_addr_q <= d_offset_q;
            e_addr_q <= d_offset_q;
            e_run_q <= d_run_q;
            e_left_q <= d_run_q;
            e_outer_q <= d_outer_q;
            e_stride_q <= d_stride_q;
        end else begin
            if (!e_open_q)
                e_open_q <= e_strided_q ? v_layers_done >= e_need_q : k_layers_done >= e_need_q;
            if (e_send && e_cut_q) begin
                e_cut_q <= |e_left_q[31:17] || &e_left_q[16:15]; // CUT_BEATS less
                e_left_q <= e_left_q - CUT_BEATS;
                e_addr_q <= e_addr_q + {8'd0, CUT_BYTES};
            end else if (e_send) begin
                e_left_q <= e_run_q;
                e_cut_q <= e_run_cut_q;
                e_again_q <= e_strided_q && e_outer_q != 16'd2;
                e_addr_q <= e_next_run;
                e_run_addr_q <= e_next_run;
                e_outer_q <= e_outer_q - 16'd1;
            end
        end
    end

    wire unused = &{1'b0, entry_data, run_product[39:32], b_high_q[35:20]};
endmodule

`default_nettype wire
