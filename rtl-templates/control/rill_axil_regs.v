// SPDX-License-Identifier: Apache-2.0
// AXI4-Lite slave with the ap_ctrl_hs register map (docs/registers.md): control, arguments, status and performance
// counters.
//
// Accesses have 32 bits, one read and one write at a time. Address and data of a write may come in any order. Responses
// are always OKAY, and unmapped words read 0. Latency of a read: 5 cycles from its address to its data; of a write: 2
// cycles from the later one of address and data to its response.
// Outputs that are named like a register hold its value. Inputs that are named like a register are read unchanged and
// may change at any time; docs/registers.md gives their meanings.
// ap_start stays high until ap_done, then drops unless auto-restart is set. (A write to halt clears auto-restart.)
// While ap_start is high, only CTRL, GIER, IP_IER, IP_ISR and halt accept writes. Writes to all other registers
// (arguments, pointers, bases, settings) are ignored, answered OKAY and counted in ignored_writes, up to 65535. So a
// request keeps the values that it started with, also when auto-restart repeats it.
// Counters of 64 bits: reading the low word also latches the high word, so reading low then high gives one consistent
// value. The built-in counters (cycles, and the events channel_beat and channel_no_beat) run until ap_done. They and
// ignored_writes are cleared when a request begins, whether by a write (even in the cycle of ap_done) or by
// auto-restart.
// SLOTS above 1 (rill_slot_loop): while ap_start is high, all arguments and settings except the bases accept writes as
// well. The registers slot, submit and slots exist, and bit 2 of IP_IER and IP_ISR is request_ended.
// LIST 1 (rill_draft_list): draft_at and draft_id exist. They accept writes at any time, also while ap_start is high.
// Reset: clk, synchronous active-high rst.
//
// name          meaning                                             unit           range
// CHANNELS      memory channels                                     channels       1 to 32
// COUNTERS      values of `counters`, which are read unchanged      64-bit values  0 to 130
// SAMPLING      1: with the settings of sampling; 0: they read 0    -              0, 1
// END_IDS       ids that end a request; words for more ids read 0   ids            1 to 8
// SLOTS         requests at the same time                           slots          1 to 16
// PREFIX        1: with prefix and held; 0: they read 0             -              0, 1
// LIST          1: with draft_at and draft_id                       -              0, 1
// COUNTER_BITS  width of counters; 64 if COUNTERS is 0              bits           derived
`default_nettype none

module rill_axil_regs #(
    parameter CHANNELS = 0,
    parameter COUNTERS = 0,
    parameter SAMPLING = 0,
    parameter END_IDS = 1,
    parameter SLOTS = 1,
    parameter PREFIX = 0,
    parameter LIST = 0,
    parameter COUNTER_BITS = (COUNTERS > 0 ? COUNTERS : 1) * 64
) (
    input  wire                    clk,
    input  wire                    rst,

    input  wire                    s_axi_control_awvalid,
    output wire                    s_axi_control_awready,
    input  wire [11:0]             s_axi_control_awaddr,
    input  wire                    s_axi_control_wvalid,
    output wire                    s_axi_control_wready,
    input  wire [31:0]             s_axi_control_wdata,
    input  wire [3:0]              s_axi_control_wstrb,
    output wire                    s_axi_control_bvalid,
    input  wire                    s_axi_control_bready,
    output wire [1:0]              s_axi_control_bresp,
    input  wire                    s_axi_control_arvalid,
    output wire                    s_axi_control_arready,
    input  wire [11:0]             s_axi_control_araddr,
    output wire                    s_axi_control_rvalid,
    input  wire                    s_axi_control_rready,
    output wire [31:0]             s_axi_control_rdata,
    output wire [1:0]              s_axi_control_rresp,
    output reg                     irq,                 // the kernel's `interrupt` pin

    output reg                     ap_start,
    input  wire                    ap_done,             // one-cycle pulse
    input  wire                    ap_idle,
    output reg  [31:0]             prompt_len,          // ids of the prompt
    output reg  [31:0]             max_new,             // most ids that the request generates
    output wire [END_IDS*32-1:0]   eot_id,              // the first in the low bits
    output reg                     ignore_eot,          // 1: eot_id does not end the request
    output reg  [63:0]             prompt_ptr,          // byte address
    output reg  [63:0]             ring_ptr,            // byte address
    output wire [CHANNELS*64-1:0]  channel_base,        // byte addresses, channel 0 in the low bits
    input  wire [31:0]             status,
    input  wire [31:0]             ids_count,
    input  wire [31:0]             fault_code,
    input  wire [31:0]             fault_place,
    input  wire [63:0]             identity,            // constants that identify the design
    input  wire [63:0]             layout,
    input  wire [63:0]             image,
    output reg  [1:0]              halt,                // {kill, stop}; each stays high until ap_done
    output reg  [31:0]             watchdog,            // cycles without progress until a fault; 0: no limit
    output reg  [31:0]             ring_ids,            // ids for which the ring has space; 0: not checked
    output wire [31:0]             inverse_temperature, // fp32
    output wire [31:0]             top_k,               // ids; 0: all
    output wire [31:0]             min_p,               // fp32, 0 to 1
    output wire [63:0]             seed,
    output wire [3:0]              slot,
    output wire                    submit,              // pulse: the host wrote bit 0 of `submit`
    output wire                    cancel,              // pulse: the host wrote bit 1 of `submit`
    input  wire [31:0]             slots,
    input  wire                    request_ended,       // pulse
    output wire [31:0]             prefix,              // positions that are kept; 0 again after ap_done
    output wire                    forget,              // pulse: `held` was written
    input  wire [31:0]             held,
    output wire                    list_set,            // pulse: draft_at was written
    output wire                    list_put,            // pulse: draft_id was written
    output wire [31:0]             list_word,           // what was written
    input  wire [31:0]             ending,
    input  wire [63:0]             fault_address,
    input  wire [31:0]             fault_channel,
    input  wire [31:0]             fault_state,
    input  wire [63:0]             idle_engines,
    input  wire [63:0]             logits_hash,
    input  wire [31:0]             clock_state,         // clock_state of rill_clock_guard
    input  wire [CHANNELS-1:0]     channel_beat,        // events, one per cycle
    input  wire [CHANNELS-1:0]     channel_no_beat,
    input  wire [COUNTER_BITS-1:0] counters             // value 0 in the low bits
);
    localparam VALUES = 1 + 2 * CHANNELS + COUNTERS;
    `include "rill_registers.vh"
    localparam [31:0] FIRST_COUNTER = {20'd0, REG_CYCLES} / 8; // index of the first counter, in values of 64 bits
    localparam [31:0] BASE = {20'd0, REG_BASE} / 4;            // index of the first base pointer, in words
    localparam [31:0] BASE_STRIDE = {20'd0, REG_BASE_STRIDE} / 4;
    localparam [31:0] VALUES_32 = VALUES;
    localparam [31:0] CHANNELS_32 = CHANNELS;

    generate
        if (CHANNELS < 1 || CHANNELS > 32) begin : gen_bad_channels
            rill_error_CHANNELS_must_be_1_to_32 u_error ();
        end
        if (COUNTERS < 0 || COUNTERS > 130) begin : gen_bad_counters
            rill_error_COUNTERS_must_be_0_to_130 u_error ();
        end
        if (END_IDS < 1 || END_IDS > 8) begin : gen_bad_ends
            rill_error_END_IDS_must_be_1_to_8 u_error ();
        end
        if (SLOTS < 1 || SLOTS > 16) begin : gen_bad_slots
            rill_error_SLOTS_must_be_1_to_16 u_error ();
        end
        if (SAMPLING != 0 && SAMPLING != 1) begin : gen_bad_sampling
            rill_error_SAMPLING_must_be_0_or_1 u_error ();
        end
        if (PREFIX != 0 && PREFIX != 1) begin : gen_bad_prefix
            rill_error_PREFIX_must_be_0_or_1 u_error ();
        end
        if (LIST != 0 && LIST != 1) begin : gen_bad_list
            rill_error_LIST_must_be_0_or_1 u_error ();
        end
    endgenerate

    // Returns a register's value after a write: byte i is that of data if strobe[i] is set, else that of old.
    function [31:0] merge(input [31:0] old, input [31:0] data, input [3:0] strobe);
        merge = {strobe[3] ? data[31:24] : old[31:24], strobe[2] ? data[23:16] : old[23:16],
                 strobe[1] ? data[15:8] : old[15:8], strobe[0] ? data[7:0] : old[7:0]};
    endfunction

    // Write channel: collects address and data, then writes the register.
    reg         open_q;
    reg         aw_held_q;
    reg         w_held_q;
    reg         b_valid_q;
    reg  [9:0]  w_word_q;                    // word index
    wire [11:0] w_address = {w_word_q, 2'b00};
    reg  [31:0] w_data_q;
    reg  [3:0]  w_strobe_q;
    wire        apply = aw_held_q && w_held_q && !b_valid_q;
    wire        apply_fixed = apply && !ap_start;        // for registers that must not change during a request
    wire        apply_setting = SLOTS > 1 ? apply : apply_fixed; // for arguments and settings

    assign s_axi_control_awready = open_q && !aw_held_q;
    assign s_axi_control_wready = open_q && !w_held_q;
    assign s_axi_control_bvalid = b_valid_q;
    assign s_axi_control_bresp = 2'b00;

    always @(posedge clk) begin
        open_q <= !rst;
        if (s_axi_control_awvalid && s_axi_control_awready)
            w_word_q <= s_axi_control_awaddr[11:2];
        if (s_axi_control_wvalid && s_axi_control_wready) begin
            w_data_q <= s_axi_control_wdata;
            w_strobe_q <= s_axi_control_wstrb;
        end
        if (rst) begin
            aw_held_q <= 1'b0;
            w_held_q <= 1'b0;
            b_valid_q <= 1'b0;
        end else begin
            if (apply)
                aw_held_q <= 1'b0;
            else if (s_axi_control_awvalid && s_axi_control_awready)
                aw_held_q <= 1'b1;
            if (apply)
                w_held_q <= 1'b0;
            else if (s_axi_control_wvalid && s_axi_control_wready)
                w_held_q <= 1'b1;
            if (apply)
                b_valid_q <= 1'b1;
            else if (s_axi_control_bready)
                b_valid_q <= 1'b0;
        end
    end

    // Registers of ap_ctrl_hs: control and interrupts.
    wire       write_ctrl = apply && w_address == REG_CTRL && w_strobe_q[0];
    wire       write_isr = apply && w_address == REG_ISR && w_strobe_q[0];
    wire       read_ctrl;
    reg        auto_restart_q;
    wire       begins = write_ctrl && w_data_q[0] ? !ap_start || ap_done : ap_done && auto_restart_q && halt == 2'b00;
    wire       writes_list = LIST == 1 && (w_address == REG_DRAFT_AT || w_address == REG_DRAFT_ID);
    wire       ignores = apply && ap_start && (SLOTS > 1 ? w_address >= REG_BASE && w_address < REG_MAGIC
        : w_address >= REG_PROMPT_LEN && w_address != REG_HALT && !writes_list);
    reg        done_q;                       // ap_ctrl_hs has two bits, ap_done and ap_ready, which are equal here
    reg        ready_q;
    reg        global_enable_q;
    localparam EVENTS = SLOTS > 1 ? 3 : 2;
    reg  [EVENTS-1:0] enable_q;
    reg  [EVENTS-1:0] pending_q;
    wire [2:0] events = {request_ended, {2{ap_done}}};

    always @(posedge clk)
        if (rst) begin
            ap_start <= 1'b0;
            auto_restart_q <= 1'b0;
            done_q <= 1'b0;
            ready_q <= 1'b0;
            global_enable_q <= 1'b0;
            enable_q <= {EVENTS{1'b0}};
            pending_q <= {EVENTS{1'b0}};
            irq <= 1'b0;
        end else begin
            if (write_ctrl && w_data_q[0])
                ap_start <= 1'b1;
            else if (ap_done)
                ap_start <= auto_restart_q && halt == 2'b00;
            if (write_ctrl)
                auto_restart_q <= w_data_q[7];
            else if (halt != 2'b00)
                auto_restart_q <= 1'b0;
            if (ap_done)
                done_q <= 1'b1;
            else if (read_ctrl)
                done_q <= 1'b0;
            if (ap_done)
                ready_q <= 1'b1;
            else if (read_ctrl)
                ready_q <= 1'b0;
            if (apply && w_address == REG_GIER && w_strobe_q[0])
                global_enable_q <= w_data_q[0];
            if (apply && w_address == REG_IER && w_strobe_q[0])
                enable_q <= w_data_q[EVENTS-1:0];
            pending_q <= (write_isr ? pending_q ^ w_data_q[EVENTS-1:0] : pending_q) | (events[EVENTS-1:0] & enable_q);
            irq <= global_enable_q && |pending_q;
        end

    // Arguments.
    reg  [31:0] eot_id_q;
    always @(posedge clk)
        if (rst) begin
            prompt_len <= 32'd0;
            max_new <= 32'd0;
            eot_id_q <= 32'd0;
            ignore_eot <= 1'b0;
            prompt_ptr <= 64'd0;
            ring_ptr <= 64'd0;
            watchdog <= 32'd0;
            ring_ids <= 32'd0;
        end else if (apply_setting)
            case (w_address)
                REG_PROMPT_LEN: prompt_len <= merge(prompt_len, w_data_q, w_strobe_q);
                REG_MAX_NEW: max_new <= merge(max_new, w_data_q, w_strobe_q);
                REG_EOT: eot_id_q <= merge(eot_id_q, w_data_q, w_strobe_q);
                REG_FLAGS: if (w_strobe_q[0]) ignore_eot <= w_data_q[0];
                REG_PROMPT: prompt_ptr[31:0] <= merge(prompt_ptr[31:0], w_data_q, w_strobe_q);
                REG_PROMPT_HIGH: prompt_ptr[63:32] <= merge(prompt_ptr[63:32], w_data_q, w_strobe_q);
                REG_RING: ring_ptr[31:0] <= merge(ring_ptr[31:0], w_data_q, w_strobe_q);
                REG_RING_HIGH: ring_ptr[63:32] <= merge(ring_ptr[63:32], w_data_q, w_strobe_q);
                REG_WATCHDOG: watchdog <= merge(watchdog, w_data_q, w_strobe_q);
                REG_RING_IDS: ring_ids <= merge(ring_ids, w_data_q, w_strobe_q);
                default: ;
            endcase

    // Further ids that end a request. Registers that were not written hold a value that no id has.
    wire [7*32-1:0] more;
    generate
        if (END_IDS > 1) begin : gen_more
            reg [31:0] eot_more_00_q, eot_more_01_q, eot_more_02_q, eot_more_03_q, eot_more_04_q, eot_more_05_q,
                eot_more_06_q;
            always @(posedge clk)
                if (rst) begin
                    eot_more_00_q <= 32'hFFFF_FFFF;
                    eot_more_01_q <= 32'hFFFF_FFFF;
                    eot_more_02_q <= 32'hFFFF_FFFF;
                    eot_more_03_q <= 32'hFFFF_FFFF;
                    eot_more_04_q <= 32'hFFFF_FFFF;
                    eot_more_05_q <= 32'hFFFF_FFFF;
                    eot_more_06_q <= 32'hFFFF_FFFF;
                end else if (apply_setting)
                    case (w_address)
                        REG_EOT_MORE_00: eot_more_00_q <= merge(eot_more_00_q, w_data_q, w_strobe_q);
                        REG_EOT_MORE_01: eot_more_01_q <= merge(eot_more_01_q, w_data_q, w_strobe_q);
                        REG_EOT_MORE_02: eot_more_02_q <= merge(eot_more_02_q, w_data_q, w_strobe_q);
                        REG_EOT_MORE_03: eot_more_03_q <= merge(eot_more_03_q, w_data_q, w_strobe_q);
                        REG_EOT_MORE_04: eot_more_04_q <= merge(eot_more_04_q, w_data_q, w_strobe_q);
                        REG_EOT_MORE_05: eot_more_05_q <= merge(eot_more_05_q, w_data_q, w_strobe_q);
                        REG_EOT_MORE_06: eot_more_06_q <= merge(eot_more_06_q, w_data_q, w_strobe_q);
                        default: ;
                    endcase
            assign more = {eot_more_06_q, eot_more_05_q, eot_more_04_q, eot_more_03_q, eot_more_02_q, eot_more_01_q,
                eot_more_00_q};
        end else begin : gen_one
            assign more = {7*32{1'b0}};
        end
    endgenerate
    wire [31:0] eot_more_00 = END_IDS > 1 ? more[31:0] : 32'd0;
    wire [31:0] eot_more_01 = END_IDS > 2 ? more[63:32] : 32'd0;
    wire [31:0] eot_more_02 = END_IDS > 3 ? more[95:64] : 32'd0;
    wire [31:0] eot_more_03 = END_IDS > 4 ? more[127:96] : 32'd0;
    wire [31:0] eot_more_04 = END_IDS > 5 ? more[159:128] : 32'd0;
    wire [31:0] eot_more_05 = END_IDS > 6 ? more[191:160] : 32'd0;
    wire [31:0] eot_more_06 = END_IDS > 7 ? more[223:192] : 32'd0;
    wire [8*32-1:0] ends = {more, eot_id_q};
    assign eot_id = ends[END_IDS*32-1:0];

    // Control bits of a running request: a write sets them, and the end of the request clears them. A write in the
    // cycle of ap_done applies to the request that begins then.
    wire [1:0] halt_before = ap_done ? 2'b00 : halt;
    always @(posedge clk)
        if (rst || !ap_start)
            halt <= 2'b00;
        else if (apply && w_strobe_q[0])
            case (w_address)
                REG_HALT: halt <= w_data_q[1:0] | halt_before;
                default: halt <= halt_before;
            endcase
        else
            halt <= halt_before;

    wire [31:0] magic = 32'h4C4C4952;        // "RILL" in ASCII, the first letter in the low byte
    wire [31:0] version = 32'h0001_0006;     // {major, minor} of the register map

    // Settings of sampling.
    generate
        if (SAMPLING == 1) begin : gen_sampling
            reg [31:0] inverse_temperature_q, top_k_q, min_p_q;
            reg [63:0] seed_q;
            always @(posedge clk)
                if (rst) begin
                    inverse_temperature_q <= 32'd0;
                    top_k_q <= 32'd0;
                    min_p_q <= 32'd0;
                    seed_q <= 64'd0;
                end else if (apply_setting)
                    case (w_address)
                        REG_INVERSE: inverse_temperature_q <= merge(inverse_temperature_q, w_data_q, w_strobe_q);
                        REG_TOP_K: top_k_q <= merge(top_k_q, w_data_q, w_strobe_q);
                        REG_MIN_P: min_p_q <= merge(min_p_q, w_data_q, w_strobe_q);
                        REG_SEED: seed_q[31:0] <= merge(seed_q[31:0], w_data_q, w_strobe_q);
                        REG_SEED_HIGH: seed_q[63:32] <= merge(seed_q[63:32], w_data_q, w_strobe_q);
                        default: ;
                    endcase
            assign inverse_temperature = inverse_temperature_q;
            assign top_k = top_k_q;
            assign min_p = min_p_q;
            assign seed = seed_q;
        end else begin : gen_greedy
            assign inverse_temperature = 32'd0;
            assign top_k = 32'd0;
            assign min_p = 32'd0;
            assign seed = 64'd0;
        end
    endgenerate

    generate
        if (SLOTS > 1) begin : gen_slots
            reg [3:0] slot_q;
            reg [1:0] submit_q;
            always @(posedge clk) begin
                if (rst)
                    slot_q <= 4'd0;
                else if (apply && w_address == REG_SLOT && w_strobe_q[0])
                    slot_q <= w_data_q[3:0];
                submit_q <= !rst && apply && w_address == REG_SUBMIT && w_strobe_q[0] ? w_data_q[1:0] : 2'd0;
            end
            assign slot = slot_q;
            assign {cancel, submit} = submit_q;
        end else begin : gen_one_slot
            assign {slot, cancel, submit} = 6'd0;
        end
    endgenerate
    wire [31:0] slots_now = SLOTS > 1 ? slots : 32'd0;

    // The position at which a request begins. It is 0 again after each request, so a host that never writes this
    // register gets whole requests.
    generate
        if (PREFIX == 1) begin : gen_prefix
            reg [31:0] prefix_q;
            reg        forget_q;
            always @(posedge clk) begin
                if (rst || ap_done)
                    prefix_q <= 32'd0;
                else if (apply_setting && w_address == REG_PREFIX)
                    prefix_q <= merge(prefix_q, w_data_q, w_strobe_q);
                forget_q <= !rst && apply_setting && w_address == REG_HELD;
            end
            assign prefix = prefix_q;
            assign forget = forget_q;
        end else begin : gen_whole
            assign prefix = 32'd0;
            assign forget = 1'b0;
        end
    endgenerate
    wire [31:0] held_now = PREFIX == 1 ? held : 32'd0;

    // The host's list of drafts.
    generate
        if (LIST == 1) begin : gen_list
            reg        set_q, put_q;
            reg [31:0] word_q;
            always @(posedge clk) begin
                set_q <= !rst && apply && w_address == REG_DRAFT_AT;
                put_q <= !rst && apply && w_address == REG_DRAFT_ID;
                word_q <= merge(32'd0, w_data_q, w_strobe_q);
            end
            assign list_set = set_q;
            assign list_put = put_q;
            assign list_word = word_q;
        end else begin : gen_no_list
            assign {list_set, list_put, list_word} = 34'd0;
        end
    endgenerate

    genvar c;
    generate
        for (c = 0; c < CHANNELS; c = c + 1) begin : gen_base
            localparam [31:0] AT = 4 * (BASE + BASE_STRIDE * c);
            reg [63:0] base_q;
            always @(posedge clk)
                if (rst)
                    base_q <= 64'd0;
                else if (apply_fixed && w_address == AT[11:0])
                    base_q[31:0] <= merge(base_q[31:0], w_data_q, w_strobe_q);
                else if (apply_fixed && w_address == AT[11:0] + 12'd4)
                    base_q[63:32] <= merge(base_q[63:32], w_data_q, w_strobe_q);
            assign channel_base[c*64 +: 64] = base_q;
        end
    endgenerate

    // Built-in counters, 48 bits each.
    reg                 count_q;
    reg                 clear_q;
    reg  [CHANNELS-1:0] beat_q;
    reg  [CHANNELS-1:0] stall_q;
    reg  [47:0]         cycles_q;
    reg  [15:0]         ignored_q;

    always @(posedge clk) begin
        clear_q <= rst || begins;
        count_q <= ap_start && !ap_done;
        beat_q <= channel_beat;
        stall_q <= channel_no_beat;
        if (clear_q)
            cycles_q <= 48'd0;
        else if (count_q)
            cycles_q <= cycles_q + 48'd1;
        if (clear_q)
            ignored_q <= 16'd0;
        else if (ignores && ignored_q != 16'hFFFF)
            ignored_q <= ignored_q + 16'd1;
    end

    generate
        for (c = 0; c < CHANNELS; c = c + 1) begin : gen_count
            reg [47:0] beats_q;
            reg [47:0] stalls_q;
            always @(posedge clk)
                if (clear_q) begin
                    beats_q <= 48'd0;
                    stalls_q <= 48'd0;
                end else if (count_q) begin
                    if (beat_q[c])
                        beats_q <= beats_q + 48'd1;
                    if (stall_q[c])
                        stalls_q <= stalls_q + 48'd1;
                end
        end
    endgenerate

    // Read channel: find the address, read the value, select the word.
    localparam [2:0] S_ADDR = 3'd0, S_VALUE = 3'd1, S_GROUPS = 3'd2, S_JOIN = 3'd3, S_WORD = 3'd4, S_DATA = 3'd5;
    reg  [2:0]  r_state_q;
    reg  [9:0]  r_word_q;
    wire [11:0] r_address = {r_word_q, 2'b00};
    reg  [63:0] r_value_q;                   // counter or base pointer
    reg  [31:0] r_plain_q;
    reg  [31:0] r_more_q;                    // words from REG_MAGIC on
    reg  [31:0] r_high_q;                    // high word that was latched with the latest low word
    reg  [31:0] r_data_q;
    reg         r_counter_q;
    wire [31:0] r_index = {23'd0, r_word_q[9:1]} - FIRST_COUNTER;
    wire        r_is_counter = r_word_q[9:8] != 2'b00 && r_index < VALUES_32;

    // Base pointers are three words apart, so `find` compares with each address instead of dividing by three.
    // S_VALUE finds one select bit per value, S_GROUPS selects within groups of eight values, S_JOIN joins the groups.
    // find and join_groups are functions, so that a simulator evaluates them only in these cycles.
    localparam ALL = VALUES + CHANNELS;      // counters and base pointers
    localparam GROUPS = (ALL + 7) / 8;
    localparam FOUND_W = 8 * GROUPS + 2;
    // Returns {the word is in a base pointer, it is the pointer's high word, one select bit for each base pointer and
    // each value}.
    function [FOUND_W-1:0] find(input [9:0] word);
        integer i;
        begin
            find = {FOUND_W{1'b0}};
            for (i = 0; i < VALUES; i = i + 1)
                find[i] = {23'd0, word[9:1]} == FIRST_COUNTER + i;
            for (i = 0; i < CHANNELS; i = i + 1)
                if ({22'd0, word} == BASE + BASE_STRIDE * i || {22'd0, word} == BASE + BASE_STRIDE * i + 1) begin
                    find[VALUES+i] = 1'b1;
                    find[FOUND_W-1] = 1'b1;
                    find[FOUND_W-2] = {22'd0, word} == BASE + BASE_STRIDE * i + 1;
                end
        end
    endfunction

    // Returns the OR of the groups' values. All groups but the selected one have 0.
    function [63:0] join_groups(input [64*GROUPS-1:0] values);
        integer j;
        begin
            join_groups = 64'd0;
            for (j = 0; j < GROUPS; j = j + 1)
                join_groups = join_groups | values[64*j +: 64];
        end
    endfunction

    reg  [FOUND_W-1:0]   r_found_q;
    wire                 r_base = r_found_q[FOUND_W-1];
    wire                 r_base_high = r_found_q[FOUND_W-2];
    reg  [64*GROUPS-1:0] group_q;
    generate
        for (c = 0; c < 8 * GROUPS; c = c + 1) begin : gen_any
            wire [63:0] v;
            if (c == 0) begin : gen_cycles
                assign v = {16'd0, cycles_q};
            end else if (c <= CHANNELS) begin : gen_beats
                assign v = {16'd0, gen_count[c-1].beats_q};
            end else if (c <= 2 * CHANNELS) begin : gen_stalls
                assign v = {16'd0, gen_count[c-1-CHANNELS].stalls_q};
            end else if (c < VALUES) begin : gen_counter
                assign v = counters[(c-1-2*CHANNELS)*64 +: 64];
            end else if (c < ALL) begin : gen_pointer
                assign v = channel_base[(c-VALUES)*64 +: 64];
            end else begin : gen_none
                assign v = 64'd0;
            end
        end
        for (c = 0; c < GROUPS; c = c + 1) begin : gen_group
            always @(posedge clk)
                if (r_state_q == S_GROUPS)
                    group_q[64*c +: 64] <= ({64{r_found_q[8*c]}} & gen_any[8*c].v)
                        | ({64{r_found_q[8*c+1]}} & gen_any[8*c+1].v)
                        | ({64{r_found_q[8*c+2]}} & gen_any[8*c+2].v) | ({64{r_found_q[8*c+3]}} & gen_any[8*c+3].v)
                        | ({64{r_found_q[8*c+4]}} & gen_any[8*c+4].v) | ({64{r_found_q[8*c+5]}} & gen_any[8*c+5].v)
                        | ({64{r_found_q[8*c+6]}} & gen_any[8*c+6].v) | ({64{r_found_q[8*c+7]}} & gen_any[8*c+7].v);
        end
    endgenerate

    assign s_axi_control_arready = open_q && r_state_q == S_ADDR;
    assign s_axi_control_rvalid = r_state_q == S_DATA;
    assign s_axi_control_rdata = r_data_q;
    assign s_axi_control_rresp = 2'b00;
    assign read_ctrl = r_state_q == S_WORD && r_address == REG_CTRL;

    always @(posedge clk) begin
        if (rst)
            r_state_q <= S_ADDR;
        else
            case (r_state_q)
                S_ADDR: if (s_axi_control_arvalid && open_q) r_state_q <= S_VALUE;
                S_VALUE: r_state_q <= S_GROUPS;
                S_GROUPS: r_state_q <= S_JOIN;
                S_JOIN: r_state_q <= S_WORD;
                S_WORD: r_state_q <= S_DATA;
                default: if (s_axi_control_rready) r_state_q <= S_ADDR;
            endcase
        if (r_state_q == S_ADDR)
            r_word_q <= s_axi_control_araddr[11:2];
        if (r_state_q == S_VALUE) begin
            r_counter_q <= r_is_counter;
            r_found_q <= find(r_word_q);
            case (r_address)
                REG_CTRL: r_plain_q <= 32'd0;
                REG_GIER: r_plain_q <= {31'd0, global_enable_q};
                REG_IER: r_plain_q <= {{(32-EVENTS){1'b0}}, enable_q};
                REG_ISR: r_plain_q <= {{(32-EVENTS){1'b0}}, pending_q};
                REG_PROMPT_LEN: r_plain_q <= prompt_len;
                REG_MAX_NEW: r_plain_q <= max_new;
                REG_EOT: r_plain_q <= eot_id[31:0];
                REG_FLAGS: r_plain_q <= {31'd0, ignore_eot};
                REG_STATUS: r_plain_q <= status;
                REG_IDS: r_plain_q <= ids_count;
                REG_FAULT: r_plain_q <= fault_code;
                REG_PLACE: r_plain_q <= fault_place;
                REG_PROMPT: r_plain_q <= prompt_ptr[31:0];
                REG_PROMPT_HIGH: r_plain_q <= prompt_ptr[63:32];
                REG_RING: r_plain_q <= ring_ptr[31:0];
                REG_RING_HIGH: r_plain_q <= ring_ptr[63:32];
                default: r_plain_q <= 32'd0;
            endcase
            case (r_address)  // a separate register, because one multiplexer of all words would be too slow
                REG_MAGIC: r_more_q <= magic;
                REG_VERSION: r_more_q <= version;
                REG_IDENTITY: r_more_q <= identity[31:0];
                REG_IDENTITY_HIGH: r_more_q <= identity[63:32];
                REG_LAYOUT: r_more_q <= layout[31:0];
                REG_LAYOUT_HIGH: r_more_q <= layout[63:32];
                REG_IMAGE: r_more_q <= image[31:0];
                REG_IMAGE_HIGH: r_more_q <= image[63:32];
                REG_HALT: r_more_q <= {30'd0, halt};
                REG_WATCHDOG: r_more_q <= watchdog;
                REG_RING_IDS: r_more_q <= ring_ids;
                REG_ENDING: r_more_q <= ending;
                REG_ADDRESS: r_more_q <= fault_address[31:0];
                REG_ADDRESS_HIGH: r_more_q <= fault_address[63:32];
                REG_CHANNEL: r_more_q <= fault_channel;
                REG_FAULT_STATE: r_more_q <= fault_state;
                REG_IDLE: r_more_q <= idle_engines[31:0];
                REG_IDLE_HIGH: r_more_q <= idle_engines[63:32];
                REG_LOGITS: r_more_q <= logits_hash[31:0];
                REG_LOGITS_HIGH: r_more_q <= logits_hash[63:32];
                REG_CLOCK: r_more_q <= clock_state;
                REG_IGNORED: r_more_q <= {16'd0, ignored_q};
                REG_PREFIX: r_more_q <= prefix;
                REG_HELD: r_more_q <= held_now;
                REG_INVERSE: r_more_q <= inverse_temperature;
                REG_TOP_K: r_more_q <= top_k;
                REG_MIN_P: r_more_q <= min_p;
                REG_SEED: r_more_q <= seed[31:0];
                REG_SEED_HIGH: r_more_q <= seed[63:32];
                REG_EOT_MORE_00: r_more_q <= eot_more_00;
                REG_EOT_MORE_01: r_more_q <= eot_more_01;
                REG_EOT_MORE_02: r_more_q <= eot_more_02;
                REG_EOT_MORE_03: r_more_q <= eot_more_03;
                REG_EOT_MORE_04: r_more_q <= eot_more_04;
                REG_EOT_MORE_05: r_more_q <= eot_more_05;
                REG_EOT_MORE_06: r_more_q <= eot_more_06;
                REG_SLOT: r_more_q <= {28'd0, slot};
                REG_SLOTS: r_more_q <= slots_now;
                default: r_more_q <= 32'd0;
            endcase
        end
        // The words from REG_MAGIC on are in a separate block of 512 bytes.
        if (r_state_q == S_GROUPS && r_word_q[9:7] == REG_MAGIC[11:9])
            r_plain_q <= r_more_q;
        if (r_state_q == S_JOIN)
            r_value_q <= join_groups(group_q);
        if (r_state_q == S_WORD) begin
            r_data_q <= r_address == REG_CTRL ? {24'd0, auto_restart_q, 3'd0, ready_q, ap_idle && !ap_start, done_q,
                ap_start} :
                        r_base ? (r_base_high ? r_value_q[63:32] : r_value_q[31:0]) :
                        r_counter_q ? (r_word_q[0] ? r_high_q : r_value_q[31:0]) : r_plain_q;
            if (r_counter_q && !r_word_q[0])
                r_high_q <= r_value_q[63:32];
        end
        if (rst)
            r_high_q <= 32'd0;
    end

    wire unused = &{1'b0, s_axi_control_awaddr[1:0], s_axi_control_araddr[1:0], VALUES_32, CHANNELS_32,
        counters, ends, held, slots, request_ended, events};
endmodule

`default_nettype wire
