// SPDX-License-Identifier: Apache-2.0
// Runs a request: loads parameters, reads the prompt, sends the steps of prefill and decode, stops, drains, and resets
// the datapath.
//
// One request per start (level, see rill_axil_regs). done is a one-cycle pulse; idle is high between requests. The
// phases:
//   check   prompt_len is 1..CONTEXT, pointers and bases are multiples of a beat, max_new > 0 (max_new = 0: done at
//           once, without a fault)
//   load    load_start pulse; waits until each load_done bit has been high once. The segment walker's steps start now.
//           `image_wrong` (level) instead of load_done: fault 8, flush
//   prompt  one descriptor on m_axis_prompt_desc (offset 0) for the beats that hold prompt_len ids of 32 bits; these
//           beats come back on s_axis_prompt
//   steps   step word on m_axis_step, then its ids on m_axis_id. After a step with head = 1, the id that arrives on
//           s_axis_next_id with tok_last is sent to the ring as {index, id}; DRAFTS (below) may send more of the step's
//           ids. The phase ends when max_new ids are made, the id is one of eot_id (unless ignore_eot), position
//           CONTEXT is reached, or the host stops the request
//   drain   until ids_written = ids made and kv_layers_done = steps * KV_LAYERS
//   flush   flush is high until `quiet` (no AXI transaction outstanding, all engines idle) has been high for 8 cycles
//   reset   soft_rst is high for 12 cycles, flush for 2 + RESET_WAY more, then done. soft_rst passes RESET_WAY
//           registers to the modules that it resets. They leave the reset before the flush ends, and nothing is sent
//           until then. So the next request finds the same state as after power-up
// halt: stop (level) ends the request after the present step, with drain and flush. kill (level) goes straight to
// flush.
// A start waits until RESET_WAY cycles after rst, which passes the same registers; until the second clock is ready or
// has failed (clock_state of rill_clock_guard; a design with one clock is always ready); and until two cycles after a
// request, so that the arguments have been checked.
// A fault bit or a memory error while running goes straight to flush: nothing on this path waits for a kernel.
// m_axis_walk_step: the step words of m_axis_step for the segment walker. They do not wait for ids, and run ahead up to
// the last step that max_new and CONTEXT allow.
// fault_code and fault_place, kept until the next start:
//    0  no fault
//    1  prompt_len is 0; no transaction has gone out (also for 2, 3, 9)
//    2  prompt_len > CONTEXT
//    3  a pointer is not a multiple of a beat, or has bits above ADDR_BITS; place of the first one: 0 prompt, 1 ring, 2
//       + c base of channel c
//    4  a prompt id >= VOCAB; place: its position
//    5  kernel fault; place: lowest bit of kernel_fault
//    6  memory error; place: lowest bit of memory_error
//    7  neither `progress` (a pulse for each beat or response) nor a new state for `watchdog` cycles (0: no limit);
//       place: the first bit of idle_engines that is 0
//    8  the memory holds another image; place: image_place; nothing has been written
//    9  ring_ids is not 0 and less than the number of ids that may be made; place: that number
//   10  no second clock; place 0: lost during the request, 1: not there at its start, and no transaction has gone out
//   11  PREFIX: the request cannot begin at `prefix`; place: positions held, and no transaction has gone out; or place
//       0: the memory holds another image than for the previous request, and nothing has been written
// After fault 7 the memory may never become quiet. Then done comes after another `watchdog` cycles, but `flush` stays
// until the memory is quiet. A start meanwhile waits, and ends with fault 7 again if that takes as long. No transaction
// is ever broken off.
// image: checksum of the image whose parameters are on chip. The next load compares it with the image in memory and may
// keep the parameters. It is 0 (none) after a reset, a fault and a kill.
// fault_address, fault_channel ([7:0] channel, [8] write): valid for fault 6. fault_state: value of status when a fault
// or a kill came.
// ending: 0 not yet, 1 max_new ids or all rows, 2 end-of-text id, 3 end of the context, 4 stopped, 5 killed, 6 fault.
// logits_hash: starts at 0. For each id that is sent to the ring, it is rotated left by 1 and row_hash is added, the
// hash of the logits from which the id was chosen. With DRAFTS, row_hash has the hash of each token of a step, the
// first in the low bits. row_hash is sampled HASH_WAIT - 2 cycles after the ring has taken the id. It may change up to
// HASH_WAIT - 2 cycles after the id's transfer on s_axis_next_id, and must be stable from then on until it is sampled.
// The next id comes later than that. With DRAFTS, all hashes are stable from HASH_WAIT - 2 cycles after the step's
// first id until the last one is sampled. logits_hash is kept until the next start.
// status: [15:0] state (S_* below, docs/registers.md), [31:16] position of the latest step; from drain on, the position
// after this step (DRAFTS: after its tokens whose ids were sent to the ring).
// head_position: position of the latest step's last token, from which the next id is generated unless the step has
// drafts.
// Throughput: 3 cycles per id. Reset: clk, synchronous active-high rst. soft_rst does not reset this module.
//
// Options:
// MODE 1 (a graph that is not a language model): prompt_len is a number of rows. There are no ids, no prompt read and
// no ring, and every step has head = 1. The request drains until out_steps_done = steps for every output, and
// kv_layers_done as above.
// PREFIX: a request may begin at position `prefix` and use the keys and values that the previous request has left
// (rill_prefix). The ids of the prompt before that position are read and checked, and DRAFTS looks for drafts in them,
// but they are not sent. The first step begins at `prefix`. held: number of positions held, which is 0 while a request
// runs, and after a request that had a fault (also one of its arguments), was killed, or was stopped before its first
// id. forget (pulse): nothing is held any more.
// DRAFTS: a generating step has up to DRAFTS tokens after its first token: drafts, which rill_drafts has found in the
// request. The first id that the step generates is sent to the ring, and each further id as long as all ids before it
// were equal to the drafts. The next step begins after the tokens whose ids were sent. The step words of generating
// steps go to m_axis_walk_step one by one, each after m_axis_step has taken it. If the request ends with an id, the
// further ids of this step are taken and dropped.
// A request with top_k has no drafts, because the sampler's list serves a step's last token alone.
// LIST: the host may predict ids of the request (rill_draft_list; list_set, list_put and list_word are its ports
// restart, put and word). Its list is emptied when a request is done, so a list that is written between two requests
// is that of the second one.
// draft_events are pulses: [0] a draft is sent as a token of a step; [1] the id after a right draft is sent to the
// ring.
//
// name           meaning                                                        unit       range
// MODE           0: language model; 1: other graph                              -          0, 1
// CHANNELS       channels of the scores engine                                  channels   1 to 32
// TOKENS         tokens per step, upper bound                                   tokens     1, 2, 4, 8
// BEAT_BITS      width of a beat                                                bits       256, 512
// CONTEXT        positions of the longest request                               positions  1 to 65535
// VOCAB          vocabulary: prompt ids must be below it; 0: no check           ids        0 or more
// END_IDS        ids that can end a request                                     ids        1 to 8
// KV_LAYERS      layers that write K and V                                      layers     0 or more
// LOADERS        bits of load_done                                              bits       1 or more
// FAULTS         bits of kernel_fault                                           bits       1 or more
// MEMORY_ERRORS  bits of memory_error                                           bits       1 or more
// ADDR_BITS      width of an address                                            bits       32 to 64
// BASES          base addresses of channels, which must be aligned              pointers   1 or more
// OUTPUTS        MODE 1: output writers                                         writers    1 or more
// RESET_WAY      registers from soft_rst to the modules that it resets          clocks     2 to 16
// HASH_WAIT      delay from an id sent to the ring until its row_hash is added  clocks     4 to 32
// DRAFTS         drafts of a generating step, upper bound                       tokens     0 to TOKENS - 1
// CONFIDENCE     confidence in drafts when a request begins (rill_drafts)       -          0 to 3
// PREFIX         1: a request may begin after positions of the previous one     -          0, 1
// LIST           1: drafts also come from a list of the host                    -          0, 1
// HASHES         rows whose hashes are in row_hash                              rows       derived
// USER_W         width of tuser                                                 bits       derived
`default_nettype none

module rill_token_loop #(
    parameter MODE = 0,
    parameter CHANNELS = 0,
    parameter TOKENS = 0,
    parameter BEAT_BITS = 0,
    parameter CONTEXT = 0,
    parameter VOCAB = 0,
    parameter END_IDS = 1,
    parameter KV_LAYERS = 0,
    parameter LOADERS = 1,
    parameter FAULTS = 1,
    parameter MEMORY_ERRORS = 1,
    parameter ADDR_BITS = 64,
    parameter BASES = 1,
    parameter OUTPUTS = 1,
    parameter RESET_WAY = 2,
    parameter HASH_WAIT = 4,
    parameter DRAFTS = 0,
    parameter CONFIDENCE = 1,
    parameter PREFIX = 0,
    parameter LIST = 0,
    parameter HASHES = DRAFTS > 0 ? TOKENS : 1,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire                     clk,
    input  wire                     rst,

    input  wire                     start,
    output wire                     done,
    output wire                     idle,
    input  wire [31:0]              prompt_len,
    input  wire [31:0]              max_new,
    input  wire [31:0]              prefix,
    input  wire                     forget,
    output wire [31:0]              held,
    input  wire [END_IDS*32-1:0]    eot_id,             // the first in the low bits
    input  wire                     ignore_eot,
    input  wire [63:0]              prompt_ptr,
    input  wire [63:0]              ring_ptr,
    input  wire [31:0]              ring_ids,
    input  wire [31:0]              watchdog,
    input  wire [1:0]               halt,               // {kill, stop}
    input  wire [1:0]               clock_state,        // {failed, ready}
    input  wire [BASES*64-1:0]      channel_base,       // channel 0 in the low bits
    output wire [31:0]              status,
    output reg  [15:0]              head_position,
    output reg  [31:0]              ids_count,          // ids_written, kept after the request
    output reg  [31:0]              fault_code,
    output reg  [31:0]              fault_place,
    output reg  [63:0]              fault_address,
    output reg  [31:0]              fault_channel,
    output reg  [31:0]              fault_state,
    output reg  [31:0]              ending,
    output reg  [63:0]              image,
    input  wire [HASHES*64-1:0]     row_hash,
    output reg  [63:0]              logits_hash,
    input  wire [31:0]              top_k,
    output wire [1:0]               draft_events,       // {accepted, drafted}
    input  wire                     list_set,           // this and the next two: with LIST, else unused
    input  wire                     list_put,
    input  wire [31:0]              list_word,

    output wire                     load_start,
    input  wire [LOADERS-1:0]       load_done,
    input  wire                     image_wrong,
    input  wire [1:0]               image_place,
    input  wire [63:0]              image_checksum,     // with load_done
    output wire                     flush,
    output wire                     soft_rst,
    input  wire                     quiet,
    input  wire [31:0]              kv_layers_done,
    // MODE 1: steps that each output has in memory (rill_stream_writer)
    input  wire [OUTPUTS*32-1:0]    out_steps_done,
    input  wire [31:0]              ids_written,        // of rill_ring_writer
    input  wire [FAULTS-1:0]        kernel_fault,
    input  wire [MEMORY_ERRORS-1:0] memory_error,       // one bit per channel
    input  wire [MEMORY_ERRORS-1:0] error_is_write,
    input  wire [MEMORY_ERRORS*64-1:0] error_address,
    input  wire                     progress,
    input  wire [63:0]              idle_engines,

    output wire                     m_axis_prompt_desc_tvalid,
    input  wire                     m_axis_prompt_desc_tready,
    output wire [55:0]              m_axis_prompt_desc_tdata,
    input  wire                     s_axis_prompt_tvalid,
    output wire                     s_axis_prompt_tready,
    input  wire [BEAT_BITS-1:0]     s_axis_prompt_tdata,

    output wire                     m_axis_walk_step_tvalid,
    input  wire                     m_axis_walk_step_tready,
    output wire [63:0]              m_axis_walk_step_tdata,
    output wire                     m_axis_step_tvalid,
    input  wire                     m_axis_step_tready,
    output wire [63:0]              m_axis_step_tdata,
    output wire                     m_axis_id_tvalid,
    input  wire                     m_axis_id_tready,
    output wire [31:0]              m_axis_id_tdata,
    output wire [USER_W-1:0]        m_axis_id_tuser,
    output wire                     m_axis_id_tlast,
    input  wire                     s_axis_next_id_tvalid,
    output wire                     s_axis_next_id_tready,
    input  wire [31:0]              s_axis_next_id_tdata,
    input  wire [USER_W-1:0]        s_axis_next_id_tuser, // {tok_last, tok}
    input  wire                     s_axis_next_id_tlast,
    output wire                     m_axis_ring_tvalid,
    input  wire                     m_axis_ring_tready,
    output wire [63:0]              m_axis_ring_tdata    // {index[31:0], id[31:0]}
);
    `include "rill_fields.vh"
    localparam IDS = BEAT_BITS / 32;                     // ids in a beat
    localparam IDS_SHIFT = $clog2(IDS);
    localparam [31:0] IDS_32 = IDS;
    localparam [31:0] VOCAB_32 = VOCAB;
    localparam [31:0] KV_LAYERS_32 = KV_LAYERS;
    localparam TOK_W = USER_W - 1;

    generate
        if (MODE != 0 && MODE != 1) begin : gen_bad_mode
            rill_error_MODE_must_be_0_or_1 u_error ();
        end
        if (BEAT_BITS != 256 && BEAT_BITS != 512) begin : gen_bad_beat
            rill_error_BEAT_BITS_must_be_256_or_512 u_error ();
        end
        if (CONTEXT < 1 || CONTEXT > 65535) begin : gen_bad_context
            rill_error_CONTEXT_must_be_1_to_65535 u_error ();
        end
        if (END_IDS < 1 || END_IDS > 8) begin : gen_bad_ends
            rill_error_END_IDS_must_be_1_to_8 u_error ();
        end
        if (LOADERS < 1 || FAULTS < 1 || MEMORY_ERRORS < 1 || BASES < 1 || OUTPUTS < 1) begin : gen_bad_vectors
            rill_error_LOADERS_FAULTS_MEMORY_ERRORS_BASES_OUTPUTS_must_be_at_least_1 u_error ();
        end
        if (RESET_WAY < 2 || RESET_WAY > 16) begin : gen_bad_way
            rill_error_RESET_WAY_must_be_2_to_16 u_error ();
        end
        if (HASH_WAIT < 4 || HASH_WAIT > 32) begin : gen_bad_wait
            rill_error_HASH_WAIT_must_be_4_to_32 u_error ();
        end
        if ($signed(DRAFTS) < 0 || (DRAFTS != 0 && (DRAFTS >= TOKENS || MODE != 0))) begin : gen_bad_drafts
            rill_error_DRAFTS_must_be_less_than_TOKENS_and_0_in_MODE_1 u_error ();
        end
        if (PREFIX != 0 && (PREFIX != 1 || MODE != 0)) begin : gen_bad_prefix
            rill_error_PREFIX_must_be_0_or_1_and_0_in_MODE_1 u_error ();
        end
        if (LIST != 0 && (LIST != 1 || DRAFTS == 0)) begin : gen_bad_list
            rill_error_LIST_must_be_0_or_1_and_0_without_DRAFTS u_error ();
        end
    endgenerate

    localparam [3:0] S_IDLE = 4'd0, S_CHECK = 4'd1, S_LOAD = 4'd2, S_LOADING = 4'd3, S_PROMPT = 4'd4, S_STEP = 4'd5,
        S_ID = 4'd6, S_ID_CHECK = 4'd7, S_ID_SEND = 4'd8, S_NEXT = 4'd9, S_RING = 4'd10, S_DECIDE = 4'd11,
        S_DRAIN = 4'd12, S_FLUSH = 4'd13, S_RESET = 4'd14, S_DONE = 4'd15;
    localparam STOP = 0, KILL = 1;           // bits of halt
    localparam [31:0] FAULT_NONE = 0, FAULT_ID = 4, FAULT_KERNEL = 5, FAULT_MEMORY = 6, FAULT_SILENCE = 7,
        FAULT_IMAGE = 8, FAULT_CLOCK = 10, FAULT_PREFIX = 11; // rill_request_args reports the others
    localparam [31:0] END_NOT_YET = 0, END_ALL = 1, END_OF_TEXT = 2, END_OF_CONTEXT = 3, END_STOPPED = 4,
        END_KILLED = 5, END_FAULT = 6;
    reg  [3:0]  state_q;
    reg  [3:0]  state_d;
    reg  [15:0] is_q;                        // a bit for each state

    reg  running;                            // register: state_q is S_LOAD to S_DRAIN

    // Arguments of the request.
    wire [31:0] prompt_len_q;
    wire [31:0] max_new_q;
    wire [END_IDS*32-1:0] eot_id_q;
    wire        ignore_eot_q;
    wire        no_ids;
    wire [31:0] decode_steps;
    wire        refused;
    wire [31:0] refused_fault;
    wire [31:0] refused_place;

    rill_request_args #(.MODE(MODE), .BEAT_BITS(BEAT_BITS), .CONTEXT(CONTEXT), .END_IDS(END_IDS),
        .ADDR_BITS(ADDR_BITS), .BASES(BASES)) u_args (
        .clk(clk), .follows(is_q[S_IDLE]), .prompt_len(prompt_len), .max_new(max_new), .eot_id(eot_id),
        .ignore_eot(ignore_eot), .prompt_ptr(prompt_ptr), .ring_ptr(ring_ptr), .ring_ids(ring_ids),
        .channel_base(channel_base), .prompt_len_q(prompt_len_q), .max_new_q(max_new_q), .eot_id_q(eot_id_q),
        .ignore_eot_q(ignore_eot_q), .no_ids(no_ids), .decode_steps(decode_steps), .refused(refused),
        .fault(refused_fault), .place(refused_place));

    // State that the previous request has left. other_image: the memory holds another image than that request used.
    wire [15:0] first;                       // position of the first step
    wire        prefix_refused;
    wire        other_image;
    wire        prefix_ends;                 // the request has ended without fault or kill, after its first id
    reg  [15:0] place_q;                     // position in status
    wire        refuses = refused || prefix_refused;
    wire        lost = is_q[S_DONE] && (ending == END_KILLED || ending == END_FAULT); // nothing on chip is valid
    generate
        if (PREFIX != 0) begin : gen_prefix
            wire [15:0] positions;
            reg         other_q;
            rill_prefix u_prefix (
                .clk(clk), .rst(rst), .follows(is_q[S_IDLE]), .prompt_len(prompt_len), .prefix(prefix),
                .forget(forget), .begins(is_q[S_LOAD] || lost), .ends(prefix_ends), .place(place_q), .first(first),
                .refused(prefix_refused), .held(positions));
            assign held = {16'd0, positions};
            assign other_image = other_q;
            always @(posedge clk)
                other_q <= first != 16'd0 && image != image_checksum;
        end else begin : gen_no_prefix
            assign {held, first, prefix_refused, other_image} = {32'd0, 16'd0, 2'd0};
            wire unused_prefix = &{1'b0, prefix, forget, prefix_ends};
        end
    endgenerate

    wire        clock_ready = clock_state[0];
    wire        clock_known = |clock_state;

    // Early ends of a request. The watch also works while a flush waits for the memory and a start waits for the flush.
    wire        broken;
    wire        expired;
    wire [31:0] idle_place;
    wire        told;
    wire        told_clock;
    wire        told_memory;
    wire        told_kernel;
    wire        told_silent;
    wire [31:0] told_place;
    wire [31:0] told_state;
    wire [63:0] told_address;
    wire        told_write;

    rill_request_watch #(.FAULTS(FAULTS), .MEMORY_ERRORS(MEMORY_ERRORS)) u_watch (
        .clk(clk), .rst(rst), .running(running), .waited(is_q[S_FLUSH] && start), .state(state_q), .status(status),
        .kill(halt[KILL]), .watchdog(watchdog), .kernel_fault(kernel_fault), .memory_error(memory_error),
        .error_is_write(error_is_write), .error_address(error_address), .clock_ready(clock_ready),
        .progress(progress), .idle_engines(idle_engines), .broken(broken), .expired(expired), .idle_place(idle_place),
        .told(told), .told_clock(told_clock), .told_memory(told_memory), .told_kernel(told_kernel),
        .told_silent(told_silent), .told_place(told_place), .told_state(told_state),
        .told_address(told_address), .told_write(told_write));

    // Steps: one source for the kernels, and one for the segment walker.
    wire        step_taken = m_axis_step_tvalid && m_axis_step_tready;
    wire        source_rst = rst || is_q[S_RESET];
    wire        source_start = is_q[S_LOAD];
    wire        source_busy;
    wire        walk_busy;
    wire        step_valid;
    wire        walk_valid;
    wire [63:0] walk_step;
    reg         prefill_q;                   // ids come from the prompt
    reg  [3:0]  taken_q;                     // ids of the step that were sent to the ring
    wire        drafts_ready;                // a generating step may begin
    wire [3:0]  more;
    wire        judged = (is_q[S_DECIDE] || is_q[S_NEXT]) && state_d == S_STEP;

    rill_step_source #(.CHANNELS(CHANNELS), .TOKENS(TOKENS), .ALL_HEAD(MODE), .DRAFTS(DRAFTS), .PREFIX(PREFIX)) u_step (
        .clk(clk), .rst(source_rst), .start(source_start), .prompt_len(prompt_len_q[15:0]), .first(first),
        .decode_steps(decode_steps), .go(is_q[S_STEP] && (prefill_q || drafts_ready)), .more(more), .judged(judged),
        .taken(taken_q), .busy(source_busy), .m_axis_step_tvalid(step_valid),
        .m_axis_step_tready(m_axis_step_tready && is_q[S_STEP]), .m_axis_step_tdata(m_axis_step_tdata));

    rill_step_source #(.CHANNELS(CHANNELS), .TOKENS(TOKENS), .ALL_HEAD(MODE), .PROMPT_ONLY(DRAFTS != 0),
        .PREFIX(PREFIX)) u_walk_step (
        .clk(clk), .rst(source_rst), .start(source_start), .prompt_len(prompt_len_q[15:0]), .first(first),
        .decode_steps(decode_steps), .go(running), .more(4'd0), .judged(1'b0), .taken(4'd0), .busy(walk_busy),
        .m_axis_step_tvalid(walk_valid), .m_axis_step_tready(m_axis_walk_step_tready && running),
        .m_axis_step_tdata(walk_step));

    assign m_axis_step_tvalid = step_valid && is_q[S_STEP];

    reg  [3:0]  ntok_q;                      // tokens of the step
    reg  [3:0]  tok_q;                       // token of the step whose id is read, checked or sent
    reg         head_q;
    reg         final_q;
    reg  [15:0] pos_q;
    reg  [31:0] kv_expected_q;
    reg  [31:0] steps_q;
    reg         tok_last;                    // register: tok_q is the last token; known when an id is sent
    reg         generates_q;                 // the step's first id was generated

    // PREFIX: ids before the first step are read and checked; pos_q counts them.
    reg         passes_q;
    wire        passes = PREFIX != 0 && passes_q;
    wire        pass_last = pos_q + 16'd1 == first;
    always @(posedge clk)
        if (is_q[S_LOAD])
            passes_q <= first != 16'd0;
        else if (is_q[S_ID_CHECK] && pass_last)
            passes_q <= 1'b0;

    always @(posedge clk) begin
        if (step_taken) begin
            pos_q <= m_axis_step_tdata[STEP_POS +: STEP_POS_W];
            ntok_q <= m_axis_step_tdata[STEP_NTOK +: STEP_NTOK_W];
            head_q <= m_axis_step_tdata[STEP_HEAD];
            final_q <= m_axis_step_tdata[STEP_FINAL];
            generates_q <= !prefill_q;
        end
        if (rst || is_q[S_CHECK])
            place_q <= 16'd0;
        else if (step_taken)
            place_q <= m_axis_step_tdata[STEP_POS +: STEP_POS_W];
        else if (is_q[S_DRAIN])
            place_q <= pos_q + {12'd0, DRAFTS != 0 && generates_q ? taken_q : ntok_q};
        if (step_taken)
            head_position <= m_axis_step_tdata[STEP_POS +: STEP_POS_W]
                + {12'd0, m_axis_step_tdata[STEP_NTOK +: STEP_NTOK_W]} - 16'd1;
        if (is_q[S_IDLE]) begin
            pos_q <= 16'd0;
            kv_expected_q <= 32'd0;
            steps_q <= 32'd0;
        end else if (step_taken) begin
            kv_expected_q <= kv_expected_q + KV_LAYERS_32;
            steps_q <= steps_q + 32'd1;
        end
        tok_last <= tok_q == ntok_q - 4'd1;
        if (is_q[S_STEP] || (PREFIX != 0 && is_q[S_LOAD]))
            tok_q <= 4'd0;
        else if (is_q[S_ID_SEND] && m_axis_id_tready)
            tok_q <= tok_q + 4'd1;
        if (passes && is_q[S_ID_CHECK])
            pos_q <= pos_q + 16'd1;
    end

    // The second of two registers after row_hash, because the kernel with row_hash may be far away.
    reg  [63:0]          row_q;

    // Ids: first those of the prompt, from its beats, then the generated ones.
    reg  [31:0]          id_q;
    reg  [31:0]          next_id_q;
    reg  [31:0]          made_q;             // ids generated
    wire                 prompt_any;
    wire [31:0]          prompt_id;
    wire                 id_ready = !prefill_q || prompt_any;
    wire                 next_any = s_axis_next_id_tvalid && s_axis_next_id_tready;
    wire                 next_last = s_axis_next_id_tuser[USER_W-1];
    reg                  equal_q;            // all ids of the step so far were right drafts; no end has come
    wire                 next_take = next_any && (DRAFTS != 0 && !prefill_q ? equal_q : next_last);
    wire                 next_dropped = DRAFTS != 0 && next_any && next_last && !next_take;
    reg                  step_over_q;        // the id that was taken is the step's last one
    wire [31:0]          draft_id;           // draft of token tok_q
    wire                 next_equal;         // the id is equal to the draft of the next token
    reg                  bad_id;             // register: id_q is not below VOCAB

    rill_prompt_ids #(.BEAT_BITS(BEAT_BITS)) u_prompt (
        .clk(clk), .clear(is_q[S_IDLE]), .takes(running), .s_axis_prompt_tvalid(s_axis_prompt_tvalid),
        .s_axis_prompt_tready(s_axis_prompt_tready), .s_axis_prompt_tdata(s_axis_prompt_tdata), .any(prompt_any),
        .id(prompt_id), .take(is_q[S_ID] && prefill_q && prompt_any));

    always @(posedge clk) begin
        if (is_q[S_IDLE]) begin
            prefill_q <= 1'b1;
            made_q <= 32'd0;
        end else if (is_q[S_NEXT] && next_take) begin
            prefill_q <= 1'b0;
            made_q <= made_q + 32'd1;
        end
        if (is_q[S_ID]) begin
            id_q <= prefill_q ? prompt_id : DRAFTS != 0 && tok_q != 4'd0 ? draft_id : next_id_q;
            bad_id <= VOCAB != 0 && prefill_q && prompt_id >= VOCAB_32;
        end
        if (next_take) begin
            next_id_q <= s_axis_next_id_tdata;
            step_over_q <= next_last;
        end
    end

    generate
        if (DRAFTS > 0) begin : gen_drafts
            localparam ID_W = VOCAB > 1 ? $clog2(VOCAB) : 32;
            wire [DRAFTS*ID_W-1:0] drafts;
            wire [(TOKENS+1)*ID_W-1:0] draft_of = {{((TOKENS-DRAFTS)*ID_W){1'b0}}, drafts, {ID_W{1'b0}}}; // per token
            wire [TOK_W-1:0]       next_tok = s_axis_next_id_tuser[TOK_W-1:0];
            wire [TOK_W:0]         tok_after = {1'b0, next_tok} + 1'b1;
            wire                   found_ready;
            wire                   sent = is_q[S_ID_SEND] && m_axis_id_tready;
            wire                   passed = passes && is_q[S_ID_CHECK];
            rill_drafts #(.CONTEXT(CONTEXT), .ID_W(ID_W), .DRAFTS(DRAFTS), .CONFIDENCE(CONFIDENCE),
                .LIST(LIST), .VOCAB(VOCAB)) u_drafts (
                .clk(clk), .rst(source_rst), .clear(is_q[S_IDLE]), .off(top_k != 32'd0),
                .list_drop(rst || is_q[S_DONE]), .list_set(list_set), .list_put(list_put), .list_word(list_word),
                .put(next_take || (prefill_q && (sent || passed))),
                .id(next_take ? s_axis_next_id_tdata[ID_W-1:0] : id_q[ID_W-1:0]), .judged(judged),
                .ready(found_ready), .more(more), .drafts(drafts));
            assign draft_id = {{(32-ID_W){1'b0}}, draft_of[tok_q[TOK_W-1:0]*ID_W +: ID_W]};
            assign next_equal = s_axis_next_id_tdata == {{(32-ID_W){1'b0}}, draft_of[tok_after*ID_W +: ID_W]};
            assign draft_events = {is_q[S_RING] && m_axis_ring_tready && taken_q > 4'd1,
                sent && !prefill_q && tok_q != 4'd0};

            // Step words of generating steps for the walker.
            reg         word_valid_q;
            reg  [63:0] word_q;
            always @(posedge clk) begin
                if (source_rst)
                    word_valid_q <= 1'b0;
                else if (step_taken && !prefill_q)
                    word_valid_q <= 1'b1;
                else if (!walk_busy && m_axis_walk_step_tready && running)
                    word_valid_q <= 1'b0;
                if (step_taken)
                    word_q <= m_axis_step_tdata;
            end
            assign m_axis_walk_step_tvalid = (walk_busy ? walk_valid : word_valid_q) && running;
            assign m_axis_walk_step_tdata = walk_busy ? walk_step : word_q;
            assign drafts_ready = found_ready && !word_valid_q;

            // The hash of the id's token, two registers away from the kernel with row_hash.
            reg  [HASHES*64-1:0]        near_q;
            reg  [TOK_W-1:0]            id_tok_q;
            reg  [(HASH_WAIT-1)*TOK_W-1:0] chosen_tok_q;
            always @(posedge clk) begin
                near_q <= row_hash;
                if (next_take)
                    id_tok_q <= next_tok;
                chosen_tok_q <= {chosen_tok_q[(HASH_WAIT-2)*TOK_W-1:0], id_tok_q};
                row_q <= near_q[chosen_tok_q[(HASH_WAIT-2)*TOK_W +: TOK_W]*64 +: 64];
            end
        end else begin : gen_no_drafts
            assign draft_id = 32'd0;
            assign next_equal = 1'b0;
            assign draft_events = 2'd0;
            assign more = 4'd0;
            assign drafts_ready = 1'b1;
            assign m_axis_walk_step_tvalid = walk_valid && running;
            assign m_axis_walk_step_tdata = walk_step;
            reg  [63:0] row_near_q;
            always @(posedge clk) begin
                row_near_q <= row_hash;
                row_q <= row_near_q;
            end
            wire unused_drafts = &{1'b0, list_set, list_put, list_word, top_k, taken_q, generates_q, step_over_q,
                equal_q};
        end
    endgenerate

    // End of the request.
    reg         eot_q;                       // `ends`, unless ignore_eot
    reg         ends;                        // the id is one of eot_id
    integer     e;

    always @* begin
        ends = 1'b0;
        for (e = 0; e < END_IDS; e = e + 1)
            if (next_id_q == eot_id_q[32*e +: 32])
                ends = 1'b1;
    end

    reg         all_q;                       // max_new ids are made
    reg         beyond_q;                    // decode_steps are used up (DRAFTS; else final_q)
    wire        at_end = final_q || (DRAFTS != 0 && beyond_q);
    wire        stop = eot_q || all_q || at_end || halt[STOP];

    always @(posedge clk)
        if (is_q[S_STEP]) begin
            equal_q <= 1'b1;
            taken_q <= 4'd0;
        end else if (next_take) begin
            equal_q <= next_equal;
            taken_q <= taken_q + 4'd1;
        end else if (is_q[S_DECIDE] && stop)
            equal_q <= 1'b0;

    wire        ended = DRAFTS != 0 && ending != END_NOT_YET; // the rest of the step's ids are dropped
    // MODE 1: the kernels take the step of the last rows.
    wire        step_end = is_q[S_STEP] && step_taken && m_axis_step_tdata[STEP_FINAL];
    reg         drained_q;
    reg  [LOADERS-1:0] loaded_q;
    // count_q counts cycles of S_DRAIN, quiet cycles of S_FLUSH, cycles of S_RESET (soft_rst up to RESET_SOFT), and
    // cycles after rst. DRAIN_LEAST: drained_q is up to date from the second cycle of S_DRAIN on.
    localparam [31:0] WAY = RESET_WAY;
    localparam [4:0] DRAIN_LEAST = 5'd2, FLUSH_QUIET = 5'd8, RESET_SOFT = 5'd11, RESET_END = 5'd13 + WAY[4:0];
    reg  [4:0]  count_q;
    reg         awake_q;                     // every module has left rst
    reg  [1:0]  settled_q;                   // cycles of S_IDLE, in which the arguments are checked
    wire        drained = drained_q && count_q >= DRAIN_LEAST;

    always @(posedge clk) begin
        eot_q <= ends && !ignore_eot_q;
        all_q <= made_q == max_new_q;
        beyond_q <= made_q > decode_steps;
        drained_q <= kv_layers_done == kv_expected_q && (MODE == 1 ? out_steps_done == {OUTPUTS{steps_q}}
            : ids_written == made_q);
        if (is_q[S_LOADING])
            loaded_q <= loaded_q | load_done;
        else
            loaded_q <= {LOADERS{1'b0}};
        count_q <= 5'd0;
        if ((is_q[S_DRAIN] && !drained && !broken) || (is_q[S_FLUSH] && quiet && count_q != FLUSH_QUIET)
            || is_q[S_RESET] || (!awake_q && !rst))
            count_q <= count_q + 5'd1;
        settled_q <= {settled_q[0] && is_q[S_IDLE], is_q[S_IDLE]};
        awake_q <= !rst && (awake_q || count_q == WAY[4:0]);
        if (rst || is_q[S_CHECK])
            ids_count <= 32'd0;
        else if (running && MODE == 0)
            ids_count <= ids_written;
    end

    always @(posedge clk)
        if (rst || (is_q[S_IDLE] && start)) begin
            fault_code <= FAULT_NONE;
            fault_place <= 32'd0;
            fault_address <= 64'd0;
            fault_channel <= 32'd0;
            fault_state <= 32'd0;
            ending <= END_NOT_YET;
        end else if (is_q[S_CHECK]) begin
            fault_code <= !clock_ready ? FAULT_CLOCK : refused || !prefix_refused ? refused_fault : FAULT_PREFIX;
            fault_place <= !clock_ready ? 32'd1 : refused || !prefix_refused ? refused_place : held;
            fault_state <= refuses || !clock_ready ? status : 32'd0;
            ending <= refuses || !clock_ready ? END_FAULT : MODE == 0 && no_ids ? END_ALL : END_NOT_YET;
        end else if (told && ending != END_FAULT && ending != END_KILLED) begin
            fault_state <= told_state;
            if (told_clock || told_memory || told_kernel || told_silent) begin
                fault_code <= told_clock ? FAULT_CLOCK : told_memory ? FAULT_MEMORY
                    : told_kernel ? FAULT_KERNEL : FAULT_SILENCE;
                fault_place <= told_place;
                ending <= END_FAULT;
            end else
                ending <= END_KILLED;
            if (told_memory && !told_clock) begin
                fault_address <= told_address;
                fault_channel <= {23'd0, told_write, told_place[7:0]};
            end
        end else if (is_q[S_LOADING] && image_wrong) begin
            fault_code <= FAULT_IMAGE;
            fault_place <= {30'd0, image_place};
            fault_state <= status;
            ending <= END_FAULT;
        end else if (is_q[S_LOADING] && &loaded_q && other_image) begin
            fault_code <= FAULT_PREFIX;
            fault_place <= 32'd0;
            fault_state <= status;
            ending <= END_FAULT;
        end else if (is_q[S_ID_CHECK] && bad_id) begin
            fault_code <= FAULT_ID;
            fault_place <= {16'd0, pos_q} + {28'd0, tok_q};
            fault_state <= status;
            ending <= END_FAULT;
        end else if (is_q[S_FLUSH] && expired) begin
            fault_code <= FAULT_SILENCE;                   // the memory is not quiet: this replaces the earlier code
            fault_place <= idle_place;
            fault_state <= status;
            ending <= END_FAULT;
        end else if (ending == END_NOT_YET && is_q[S_DECIDE] && stop)
            ending <= eot_q ? END_OF_TEXT : all_q ? END_ALL : at_end ? END_OF_CONTEXT : END_STOPPED;
        else if (ending == END_NOT_YET && step_end && MODE == 1)
            ending <= END_ALL;
        else if (ending == END_NOT_YET && is_q[S_DRAIN])
            ending <= END_STOPPED;

    always @* begin
        state_d = state_q;
        case (state_q)
            S_IDLE: if (start && awake_q && settled_q[1] && clock_known) state_d = S_CHECK;
            S_CHECK: state_d = refuses || !clock_ready || (MODE == 0 && no_ids) ? S_DONE : S_LOAD;
            S_LOAD: state_d = S_LOADING;
            S_LOADING: if (image_wrong || (&loaded_q && other_image)) state_d = S_FLUSH;
                else if (&loaded_q) state_d = MODE == 1 ? S_STEP : S_PROMPT;
            S_PROMPT: if (m_axis_prompt_desc_tready) state_d = passes ? S_ID : S_STEP;
            S_STEP: if (step_taken)
                state_d = MODE == 0 ? S_ID : m_axis_step_tdata[STEP_FINAL] || halt[STOP] ? S_DRAIN : S_STEP;
            S_ID: if (id_ready) state_d = S_ID_CHECK;
            S_ID_CHECK: state_d = bad_id ? S_FLUSH : !passes ? S_ID_SEND : pass_last ? S_STEP : S_ID;
            S_ID_SEND: if (m_axis_id_tready)
                state_d = !tok_last ? S_ID : head_q ? S_NEXT : halt[STOP] ? S_DRAIN : S_STEP;
            S_NEXT: if (next_take) state_d = S_RING; else if (next_dropped) state_d = ended ? S_DRAIN : S_STEP;
            S_RING: if (m_axis_ring_tready) state_d = S_DECIDE;
            S_DECIDE: state_d = DRAFTS != 0 && !step_over_q ? S_NEXT : stop ? S_DRAIN : S_STEP;
            S_DRAIN: if (drained) state_d = S_FLUSH;
            S_FLUSH: if (count_q == FLUSH_QUIET) state_d = S_RESET;
            S_RESET: if (count_q == RESET_END) state_d = S_DONE;
            default: state_d = S_IDLE;
        endcase
        if (broken)
            state_d = S_FLUSH;
    end

    always @(posedge clk) begin
        state_q <= rst ? S_IDLE : state_d;
        is_q <= rst ? 16'd1 : 16'd1 << state_d;
        running <= !rst && state_d >= S_LOAD && state_d <= S_DRAIN;
    end

    // Parameters on chip stay valid unless a request is killed or has a fault.
    always @(posedge clk)
        if (rst || lost)
            image <= 64'd0;
        else if (is_q[S_LOADING] && &loaded_q)
            image <= image_checksum;

    // row_hash passes two registers, because its kernel may be far away. chosen_q delays the transfer of the id by
    // HASH_WAIT cycles, until the hash of this id has arrived.
    reg  [HASH_WAIT-1:0] chosen_q;
    always @(posedge clk) begin
        chosen_q <= rst ? {HASH_WAIT{1'b0}} : {chosen_q[HASH_WAIT-2:0], is_q[S_RING] && m_axis_ring_tready};
        if (rst || is_q[S_CHECK])
            logits_hash <= 64'd0;
        else if (chosen_q[HASH_WAIT-1])
            logits_hash <= {logits_hash[62:0], logits_hash[63]} + row_q;
    end

    assign prefix_ends = is_q[S_DONE] && !prefill_q && !lost;

    // Prevents a second done: after a done that came although the memory is not quiet, none follows when it becomes
    // quiet.
    reg given_q;
    always @(posedge clk)
        if (rst || is_q[S_DONE])
            given_q <= 1'b0;
        else if (is_q[S_FLUSH] && expired)
            given_q <= 1'b1;
    assign done = (is_q[S_DONE] && !given_q) || (is_q[S_FLUSH] && expired);
    assign idle = is_q[S_IDLE];
    assign status = {place_q, 12'd0, state_q};
    assign load_start = is_q[S_LOAD];

    // Both come from registers, because they go to every module.
    reg flush_q;
    reg soft_rst_q;
    always @(posedge clk) begin
        flush_q <= !rst && (state_d == S_FLUSH || state_d == S_RESET);
        soft_rst_q <= !rst && state_d == S_RESET && !(is_q[S_RESET] && count_q >= RESET_SOFT);
    end
    assign flush = flush_q;
    assign soft_rst = soft_rst_q;

    wire [31:0] prompt_beats = (prompt_len_q + (IDS_32 - 32'd1)) >> IDS_SHIFT;
    assign m_axis_prompt_desc_tvalid = is_q[S_PROMPT];
    assign m_axis_prompt_desc_tdata = {prompt_beats[15:0], 40'd0};
    assign m_axis_id_tvalid = is_q[S_ID_SEND];
    assign m_axis_id_tdata = id_q;
    assign m_axis_id_tuser = {tok_last, tok_q[TOK_W-1:0]};
    assign m_axis_id_tlast = tok_last;
    assign s_axis_next_id_tready = is_q[S_NEXT];
    assign m_axis_ring_tvalid = is_q[S_RING];
    assign m_axis_ring_tdata = {made_q - 32'd1, next_id_q};

    wire unused = &{1'b0, source_busy, walk_busy, prompt_beats[31:16], channel_base,
                     s_axis_next_id_tuser, s_axis_next_id_tlast, VOCAB_32};
endmodule

`default_nettype wire
