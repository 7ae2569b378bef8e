// SPDX-License-Identifier: Apache-2.0
// The token loop of a design with slots: runs up to SLOTS requests at the same time (docs/decisions/batches.md).
//
// A run begins with `start` (level), which is a request for slot 0 (or another one, see PREFIX) with the arguments at
// the ports. Until it ends, `submit` (pulse) starts the arguments at the ports as a request of slot `slot`, and
// `cancel` (pulse) stops the request of that slot before its next step. A submission is ignored if its slot is busy or
// not below SLOTS, between runs, and while a run ends by a fault or kill. The run ends when no slot is busy. If a
// submission comes after that but before done, the run goes on with it. done is a one-cycle pulse; idle is high between
// runs.
// request_ended: pulse when a request has ended. slots: [15:0] a bit for each slot that is busy, [31:16] how many
// requests have been accepted since rst.
// The outputs ids_count, fault_code, fault_place, ending and logits_hash are those of the request in slot `slot`, with
// the meanings, codes and places of rill_token_loop. fault_address, fault_channel and fault_state belong to the run.
// status: [31:16] position of the next token of the request in slot `slot`, [4:0] state of the loop, the same for all
// slots.
// A step has up to PARTS parts, each of one slot: the next token of a request that generates, or a chunk of a prompt. A
// step begins with the slot after the one that began the previous step, so every busy slot has a part in at least one
// of SLOTS steps. Then come the other slots that generate, then chunks of other prompts, as far as the step has room. A
// prompt that begins a step takes at least one token, and leaves one token for each slot that generates, as far as the
// step has tokens and parts. A chunk does not cross a beat of ids.
// The step goes out as one word for each part, on m_axis_step and m_axis_walk_step, then its ids on m_axis_id. The ids
// on s_axis_next_id are those of all tokens of a step with head = 1. The id of a part's last token is sent to the
// ring as {slot[3:0], index[27:0], id}; others are dropped. prompt_base and ring_base are the addresses for the prompt
// and the ring of the slot whose transfer is under way.
// DRAFTS: the part of a request that generates has up to DRAFTS tokens after its first token: drafts, which
// rill_slot_drafts has found in the ids of the request. It leaves one token for each other slot that generates, as far
// as the step has tokens and parts. So the slot that begins the step is the first to get drafts. A part does not cross
// a multiple of 64 positions, and does not go beyond max_new or the context. The first id of the part is sent to the
// ring, and each further one as long as all ids of the part before it were equal to the drafts and did not end the
// request. The request's next part begins after the tokens whose ids were sent. draft_counts: {right drafts, drafts in
// steps} of the request in slot `slot`, 64 bits each.
// LIST: the host may predict ids of requests (rill_draft_list; list_set, list_put and list_word are its ports
// restart, put and word, for slot `slot`). The list of a slot is emptied when its request ends, so a list that is
// written to a free slot is that of the slot's next request.
// With SAMPLING, a request keeps the settings of sampling (inverse_temperature to seed) that are at the ports when it
// is accepted. Before a step is sent, row_set pulses once for each token of the step. With the pulse come the token's
// number in the step (row), its position (row_position) and its settings (row_inverse to row_seed). The settings are 0
// for tokens of a prompt before its last one, whose ids are not used.
// With PREFIX, a request may begin at position `prefix` (at the port when it is accepted), after positions that the
// previous request of its slot has left. The request is refused with fault 11 (place: positions held) if prefix is not
// less than prompt_len, is above the positions held, or is neither a multiple of 64 nor in the block of 64 positions of
// the latest one held (rill_prefix has the reasons). The ids before that position are not read from the prompt. With
// DRAFTS, they are found in the ids of the slot's previous requests. held: positions held in slot `slot`. It is 0 while
// the slot is busy, and after a request that had a fault, was killed, or ended before its first id. A fault or kill of
// the run, and an image with another checksum, set it to 0 in all slots. A pulse on `forget` sets it to 0 in slot
// `slot`. A run begins in slot `slot`, or in slot 0 if `slot` is not below SLOTS.
// A bad argument or a bad id of the prompt ends its request alone. A fault of a kernel or the memory, the watchdog, the
// second clock, a wrong image and `kill` end all requests. `stop` ends all requests before their next step.
// Ports that are not explained here have the meaning that they have in rill_token_loop.
// logits_hash: as in rill_token_loop with DRAFTS, but row_hash is sampled HASH_WAIT cycles after the ring has taken the
// id, and added two cycles later. row_hash has the hash of each token of a step.
// Reset: clk, synchronous active-high rst. soft_rst does not reset this module.
//
// name           meaning                                                        unit       range
// SLOTS          requests at the same time, upper bound                         slots      2 to 16
// PARTS          parts of a step, upper bound                                   parts      1 to TOKENS
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
// RESET_WAY      registers from soft_rst to the modules that it resets          clocks     2 to 16
// HASH_WAIT      delay from an id sent to the ring until row_hash is sampled    clocks     4 to 31
// SAMPLING       1: requests have settings of sampling                          -          0, 1
// PREFIX         1: requests may begin after held positions                     -          0, 1
// DRAFTS         drafts of a request in a step, upper bound                     tokens     0 to TOKENS - 1
// CONFIDENCE     confidence in drafts when a request begins (rill_slot_drafts)  -          0 to 3
// LIST           1: drafts also come from lists of the host                     -          0, 1
// USER_W         width of tuser                                                 bits       derived
`default_nettype none

module rill_slot_loop #(
    parameter SLOTS = 0,
    parameter PARTS = 0,
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
    parameter RESET_WAY = 2,
    parameter HASH_WAIT = 4,
    parameter SAMPLING = 0,
    parameter PREFIX = 0,
    parameter DRAFTS = 0,
    parameter CONFIDENCE = 1,
    parameter LIST = 0,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire                     clk,
    input  wire                     rst,

    input  wire                     start,
    output wire                     done,
    output wire                     idle,
    input  wire                     submit,
    input  wire                     cancel,
    input  wire [3:0]               slot,
    output wire [31:0]              slots,
    output reg                      request_ended,
    input  wire [31:0]              prompt_len,
    input  wire [31:0]              max_new,
    input  wire [END_IDS*32-1:0]    eot_id,             // the first in the low bits
    input  wire                     ignore_eot,
    input  wire [63:0]              prompt_ptr,
    input  wire [63:0]              ring_ptr,
    input  wire [31:0]              ring_ids,
    input  wire [31:0]              prefix,             // this and the next two: with PREFIX, else unused or 0
    input  wire                     forget,
    output wire [31:0]              held,
    input  wire [31:0]              inverse_temperature, // this and the next three: with SAMPLING, else unused
    input  wire [31:0]              top_k,
    input  wire [31:0]              min_p,
    input  wire [63:0]              seed,
    input  wire [31:0]              watchdog,
    input  wire [1:0]               halt,               // {kill, stop}
    input  wire [1:0]               clock_state,        // {failed, ready}
    input  wire [BASES*64-1:0]      channel_base,       // channel 0 in the low bits
    output wire [63:0]              prompt_base,
    output reg  [63:0]              ring_base,
    output reg  [31:0]              status,
    output reg  [31:0]              ids_count,
    output reg  [31:0]              fault_code,
    output reg  [31:0]              fault_place,
    output reg  [63:0]              fault_address,
    output reg  [31:0]              fault_channel,
    output reg  [31:0]              fault_state,
    output reg  [31:0]              ending,
    output reg  [63:0]              image,
    input  wire [TOKENS*64-1:0]     row_hash,
    output reg  [63:0]              logits_hash,
    output wire                     row_set,            // this and the next six: with SAMPLING, else 0
    output wire [2:0]               row,
    output wire [15:0]              row_position,
    output wire [31:0]              row_inverse,
    output wire [31:0]              row_top_k,
    output wire [31:0]              row_min_p,
    output wire [63:0]              row_seed,
    output wire [127:0]             draft_counts,       // with DRAFTS, else 0
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
    output wire [63:0]              m_axis_ring_tdata    // {slot[3:0], index[27:0], id[31:0]}
);
    `include "rill_fields.vh"
    localparam IDS = BEAT_BITS / 32;                     // ids in a beat
    localparam IDS_SHIFT = $clog2(IDS);
    localparam BEAT_SHIFT = $clog2(BEAT_BITS / 8);
    localparam [31:0] IDS_32 = IDS;
    localparam [31:0] SLOTS_32 = SLOTS;
    localparam [31:0] PARTS_32 = PARTS;
    localparam [31:0] TOKENS_32 = TOKENS;
    localparam [31:0] CHANNELS_32 = CHANNELS;
    localparam [31:0] VOCAB_32 = VOCAB;
    localparam [31:0] KV_LAYERS_32 = KV_LAYERS;
    localparam [31:0] HASH_WAIT_32 = HASH_WAIT;
    localparam TOK_W = USER_W - 1;

    generate
        if (SLOTS < 2 || SLOTS > 16 || PARTS < 1 || PARTS > TOKENS) begin : gen_bad_slots
            rill_error_SLOTS_must_be_2_to_16_PARTS_1_to_TOKENS u_error ();
        end
        if (TOKENS != 1 && TOKENS != 2 && TOKENS != 4 && TOKENS != 8) begin : gen_bad_tokens
            rill_error_TOKENS_must_be_1_2_4_or_8 u_error ();
        end
        if (CHANNELS < 1 || CHANNELS > 32) begin : gen_bad_channels
            rill_error_CHANNELS_must_be_1_to_32 u_error ();
        end
        if (LOADERS < 1) begin : gen_bad_loaders
            rill_error_LOADERS_must_be_at_least_1 u_error ();
        end
        if (RESET_WAY < 2 || RESET_WAY > 16) begin : gen_bad_way
            rill_error_RESET_WAY_must_be_2_to_16 u_error ();
        end
        if (SAMPLING != 0 && SAMPLING != 1) begin : gen_bad_sampling
            rill_error_SAMPLING_must_be_0_or_1 u_error ();
        end
        if (PREFIX != 0 && PREFIX != 1) begin : gen_bad_prefix
            rill_error_PREFIX_must_be_0_or_1 u_error ();
        end
        if (HASH_WAIT < 4 || HASH_WAIT > 31) begin : gen_bad_wait
            rill_error_HASH_WAIT_must_be_4_to_31 u_error ();
        end
        if ($signed(DRAFTS) < 0 || (DRAFTS != 0 && DRAFTS >= TOKENS)) begin : gen_bad_drafts
            rill_error_DRAFTS_must_be_less_than_TOKENS u_error ();
        end
        if (LIST != 0 && (LIST != 1 || DRAFTS == 0)) begin : gen_bad_list
            rill_error_LIST_must_be_0_or_1_and_0_without_DRAFTS u_error ();
        end
    endgenerate

    // States. S_CHECK checks the second clock. A step is composed from S_BEGIN on: for each part, S_TAKE reads the
    // request of a slot, S_ARGS checks its arguments, S_ASK and S_BEAT read a beat of its prompt, S_SCAN checks the
    // ids, S_PART stores the part, S_ADVANCE counts its positions, and S_CHOOSE chooses the next slot. S_LOAD and
    // S_LOADING load the parameters before the first part. S_STEP sends the words of the step, S_ID_SEND its ids.
    // S_LOOK looks for drafts of a request that generates, between S_ARGS and S_PART.
    // With PREFIX, S_SKIP passes over the positions before the first one of a request, one in each cycle. Then S_ARGS
    // follows again.
    // S_NEXT takes the generated ids. For each of them, S_TAKE and S_ARGS read the request again, S_RING waits for the
    // ring, S_WRITE sends the id, S_HASH waits for its hash, and S_DECIDE decides whether the request goes on. S_END
    // ends a request. S_DRAIN to S_DONE end the run as in rill_token_loop.
    localparam [4:0] S_IDLE = 5'd0, S_CHECK = 5'd1, S_LOAD = 5'd2, S_LOADING = 5'd3, S_BEGIN = 5'd4, S_STEP = 5'd5,
        S_TAKE = 5'd6, S_ARGS = 5'd7, S_ID_SEND = 5'd8, S_NEXT = 5'd9, S_RING = 5'd10, S_DECIDE = 5'd11,
        S_DRAIN = 5'd12, S_FLUSH = 5'd13, S_RESET = 5'd14, S_DONE = 5'd15, S_ASK = 5'd16, S_BEAT = 5'd17,
        S_SCAN = 5'd18, S_PART = 5'd19, S_ADVANCE = 5'd20, S_CHOOSE = 5'd21, S_END = 5'd22, S_WRITE = 5'd23,
        S_HASH = 5'd24, S_LOOK = 5'd25, S_SKIP = 5'd26;
    localparam STOP = 0, KILL = 1;           // bits of halt
    localparam [3:0] FAULT_NONE = 4'd0, FAULT_ID = 4'd4, FAULT_KERNEL = 4'd5, FAULT_MEMORY = 4'd6,
        FAULT_SILENCE = 4'd7, FAULT_IMAGE = 4'd8, FAULT_CLOCK = 4'd10, FAULT_PREFIX = 4'd11;
    // rill_request_args reports the others.
    localparam [2:0] END_ALL = 3'd1, END_OF_TEXT = 3'd2, END_OF_CONTEXT = 3'd3, END_STOPPED = 3'd4,
        END_KILLED = 3'd5, END_FAULT = 3'd6;
    reg  [4:0]  state_q;
    reg  [4:0]  state_d;
    reg         loaded_q;                    // the run's parameters are on chip
    reg  [LOADERS-1:0] load_q;
    reg         running;                     // register: kernels and memory work

    // ---- slots ----
    reg  [15:0] busy_q;                      // the slot has a request
    reg  [15:0] fresh_q;                     // the request has had no step
    reg  [15:0] generates_q;                 // the request's prompt is over
    reg  [15:0] written_q;                   // the ring has an id of the request
    reg  [15:0] cancel_q;                    // the request ends before its next step
    reg  [15:0] dead_q;                      // the request was ended by a fault or kill of the run
    reg  [15:0] accepted_q;
    reg         pending_q;                   // a submission waits to be accepted
    reg  [3:0]  pending_slot_q;
    wire        starts;                      // the run begins
    reg         ends_well_q;                 // the run is in S_FLUSH or S_RESET because no slot was busy
    wire        may_accept = state_q != S_IDLE && state_q != S_DONE
        && ((state_q != S_FLUSH && state_q != S_RESET) || ends_well_q);
    wire        accept_pending = pending_q && may_accept && !busy_q[pending_slot_q]
        && {28'd0, pending_slot_q} < SLOTS_32;
    wire        accept = starts || accept_pending;
    wire [3:0]  start_slot = PREFIX != 0 && {28'd0, slot} < SLOTS_32 ? slot : 4'd0;
    wire [3:0]  accept_slot = starts ? start_slot : pending_slot_q;
    assign slots = {accepted_q, busy_q};

    // For each slot: args_mem has the arguments of its request, and run_mem the state that changes while the request
    // runs. The host reads written_mem and end_mem.
    localparam ARGS_W = 32 + 32 + END_IDS * 32 + 1 + 64 + 64 + 32;
    localparam RUN_W = 16 + 16 + 5 + 32 + 32 + 64;
    reg  [ARGS_W-1:0] args_mem [0:15];
    reg  [RUN_W-1:0]  run_mem [0:15];
    reg  [31:0]       written_mem [0:15];    // ids in the ring
    reg  [38:0]       end_mem [0:15];        // {fault, place, ending}
    reg  [3:0]        slot_q;                // the slot that the loop works on
    reg  [ARGS_W-1:0] args_q;                // arguments of the request in slot_q
    wire [31:0]       a_prompt_len, a_max_new, a_ring_ids;
    wire [END_IDS*32-1:0] a_eot_id;
    wire              a_ignore_eot;
    wire [63:0]       a_prompt_ptr, a_ring_ptr;
    assign {a_ring_ids, a_ring_ptr, a_prompt_ptr, a_ignore_eot, a_eot_id, a_max_new, a_prompt_len} = args_q;
    assign prompt_base = a_prompt_ptr;
    reg  [15:0] pos_q;                       // position of the request's next token
    reg  [15:0] krows_q;                     // ceil(pos / CHANNELS)
    reg  [4:0]  lane_q;                      // pos mod CHANNELS
    reg  [31:0] made_q;                      // ids generated
    reg  [31:0] next_id_q;                   // the latest id generated
    reg  [63:0] hash_q;
    reg         save;                        // pos_q to hash_q are written to run_mem
    wire [RUN_W-1:0] run_saved = {hash_q, next_id_q, made_q, lane_q, krows_q, pos_q};
    wire [RUN_W-1:0] run_found = fresh_q[slot_q] ? {RUN_W{1'b0}} : run_mem[slot_q];

    // Checks of the arguments. S_ARGS waits ARGS_WAIT cycles for their results.
    localparam [2:0] ARGS_WAIT = 3'd4;
    reg  [2:0]  args_wait_q;
    wire [31:0] c_prompt_len, c_max_new;
    wire [END_IDS*32-1:0] c_eot_id;
    wire        c_ignore_eot;
    wire        no_ids;
    wire [31:0] decode_steps;
    wire        refused;
    wire [31:0] refused_fault;
    wire [31:0] refused_place;
    rill_request_args #(.MODE(0), .BEAT_BITS(BEAT_BITS), .CONTEXT(CONTEXT), .END_IDS(END_IDS), .ADDR_BITS(ADDR_BITS),
        .BASES(BASES)) u_args (
        .clk(clk), .follows(state_q == S_ARGS), .prompt_len(a_prompt_len), .max_new(a_max_new), .eot_id(a_eot_id),
        .ignore_eot(a_ignore_eot), .prompt_ptr(a_prompt_ptr), .ring_ptr(a_ring_ptr), .ring_ids(a_ring_ids),
        .channel_base(channel_base), .prompt_len_q(c_prompt_len), .max_new_q(c_max_new), .eot_id_q(c_eot_id),
        .ignore_eot_q(c_ignore_eot), .no_ids(no_ids), .decode_steps(decode_steps), .refused(refused),
        .fault(refused_fault), .place(refused_place));

    wire        clock_ready = clock_state[0];
    wire        clock_known = |clock_state;
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
    rill_request_watch #(.FAULTS(FAULTS), .MEMORY_ERRORS(MEMORY_ERRORS), .STATE_W(5)) u_watch (
        .clk(clk), .rst(rst), .running(running), .waited(state_q == S_FLUSH && start), .state(state_q),
        .status(status), .kill(halt[KILL]), .watchdog(watchdog), .kernel_fault(kernel_fault),
        .memory_error(memory_error), .error_is_write(error_is_write), .error_address(error_address),
        .clock_ready(clock_ready), .progress(progress), .idle_engines(idle_engines), .broken(broken),
        .expired(expired), .idle_place(idle_place), .told(told), .told_clock(told_clock), .told_memory(told_memory),
        .told_kernel(told_kernel), .told_silent(told_silent), .told_place(told_place), .told_state(told_state),
        .told_address(told_address), .told_write(told_write));

    // ---- the parts of a step ----
    reg  [3:0]  first_q;                     // the slot that began the latest step
    reg  [15:0] visits_q;                    // slots that may still get a part of this step
    reg  [3:0]  used_q;                      // tokens of the step so far
    reg  [3:0]  parts_q;                     // parts of the step so far
    reg  [3:0]  ntok_q;                      // tokens of the part
    reg  [3:0]  count_q;                     // tokens of the part that were scanned or advanced
    reg         after_q;                     // the step has run, and its ids are handled
    reg         part_head_q [0:7];
    reg  [3:0]  part_slot_q [0:7];
    reg  [3:0]  part_last_q [0:7];           // the part's last token
    reg         part_generates_q [0:7];      // its first id is used, and further ones after right drafts
    reg  [63:0] part_word_q [0:7];           // its step word, without head and more
    reg  [31:0] id_q [0:7];                  // ids of the step
    reg  [BEAT_BITS-1:0] beat_q;
    reg         head_q;                      // a part needs its id
    reg  [3:0]  part_q;                      // part whose word is sent, or whose id comes next
    reg  [3:0]  tok_q;                       // token of the step whose id is sent, or whose id comes next
    reg         step_taken_q, walk_taken_q;  // the kernels, or the walkers, have taken the word

    // Returns the lowest slot of the mask from `from` on. If there is none, returns the lowest slot of the mask.
    function [3:0] pick(input [15:0] mask, input [3:0] from);
        integer n;
        reg     above;
        begin
            pick = 4'd0;
            above = 1'b0;
            for (n = 15; n >= 0; n = n - 1)
                if (mask[n] && (n >= {28'd0, from})) begin
                    pick = n[3:0];
                    above = 1'b1;
                end
            if (!above)
                for (n = 15; n >= 0; n = n - 1)
                    if (mask[n]) pick = n[3:0];
        end
    endfunction
    // Returns the number of ones in the mask.
    function [4:0] ones(input [15:0] mask);
        integer n;
        begin
            ones = 5'd0;
            for (n = 0; n < 16; n = n + 1) ones = ones + {4'd0, mask[n]};
        end
    endfunction
    wire [15:0] slot_bit = 16'd1 << slot_q;
    wire [3:0]  first_next = pick(busy_q, first_q + 4'd1);
    wire [15:0] generating = visits_q & generates_q;
    wire [3:0]  slot_next = generating != 16'd0 ? pick(generating, first_q) : pick(visits_q, first_q);
    wire        full = used_q == TOKENS_32[3:0] || parts_q == PARTS_32[3:0] || visits_q == 16'd0;
    // Room of a prompt's chunk: what is left of the step, of the beat and of the prompt. The first part of a step
    // leaves a token for each slot that generates.
    wire [4:0]  decode_slots = ones(generating);
    wire [3:0]  step_left = TOKENS_32[3:0] - used_q;
    wire [3:0]  decode_fit = decode_slots >= {1'b0, step_left} ? step_left - 4'd1 : decode_slots[3:0];
    wire [3:0]  decode_most = decode_fit >= PARTS_32[3:0] ? PARTS_32[3:0] - 4'd1 : decode_fit;
    wire [3:0]  room = parts_q == 4'd0 ? step_left - decode_most : step_left;
    wire [4:0]  beat_left = IDS_32[4:0] - {{(5-IDS_SHIFT){1'b0}}, pos_q[IDS_SHIFT-1:0]};
    wire [3:0]  beat_room = {1'b0, room} < beat_left ? room : beat_left[3:0];
    wire [15:0] prompt_left = c_prompt_len[15:0] - pos_q;
    wire [3:0]  chunk = prompt_left < {12'd0, beat_room} ? prompt_left[3:0] : beat_room;
    wire        prefill = !generates_q[slot_q];
    wire        look_over;                   // S_LOOK ends
    wire [3:0]  part_drafts;                 // with look_over: drafts of the part
    wire [31:0] draft_id;                    // draft number count_q, from 1
    reg         takes_q;                     // the next id of the part is used
    reg  [3:0]  taken_q;                     // ids of the part that were used
    wire        prompt_ends = prefill && prompt_left == {12'd0, ntok_q};
    wire        part_heads = !prefill || prompt_ends;
    wire [31:0] scan_id = beat_q[{pos_q[IDS_SHIFT-1:0] + count_q[IDS_SHIFT-1:0], 5'd0} +: 32];
    wire        scan_bad = VOCAB != 0 && scan_id >= VOCAB_32;
    wire        count_last = count_q == ntok_q - 4'd1;
    wire [2:0]  number = used_q[2:0] - ntok_q[2:0] + count_q[2:0]; // in S_ADVANCE: number of the token in the step
    wire [63:0] part_word = {48'd0, pos_q} << STEP_POS | {60'd0, ntok_q} << STEP_NTOK
        | {63'd0, part_heads && made_q == decode_steps} << STEP_FINAL | {60'd0, slot_q} << STEP_SLOT
        | {60'd0, used_q} << STEP_TOK | {48'd0, krows_q} << STEP_KROWS | {54'd0, pos_q[15:6]} << STEP_VBLOCKS;

    // ---- the step ----
    wire        part_final = part_q == parts_q - 4'd1;
    wire [63:0] step_word = part_word_q[part_q[2:0]] | {63'd0, head_q} << STEP_HEAD | {63'd0, !part_final} << STEP_MORE;
    wire        word_taken = (step_taken_q || m_axis_step_tready) && (walk_taken_q || m_axis_walk_step_tready);
    wire        tok_final = tok_q == used_q - 4'd1;
    wire        next_any = s_axis_next_id_tvalid && s_axis_next_id_tready;
    wire        next_part = tok_q == part_last_q[part_q[2:0]];   // the id belongs to the last token of a part
    wire        next_take = next_any && part_head_q[part_q[2:0]]
        && (DRAFTS != 0 && part_generates_q[part_q[2:0]] ? takes_q : next_part);
    wire        part_over = (next_any && next_part && !next_take) || (state_q == S_DECIDE && next_part);
    assign m_axis_step_tvalid = state_q == S_STEP && !step_taken_q;
    assign m_axis_walk_step_tvalid = state_q == S_STEP && !walk_taken_q;
    assign m_axis_step_tdata = step_word;
    assign m_axis_walk_step_tdata = step_word;
    assign m_axis_id_tvalid = state_q == S_ID_SEND;
    assign m_axis_id_tdata = id_q[tok_q[2:0]];
    assign m_axis_id_tuser = {tok_final, tok_q[TOK_W-1:0]};
    assign m_axis_id_tlast = tok_final;
    assign s_axis_next_id_tready = state_q == S_NEXT;
    assign m_axis_prompt_desc_tvalid = state_q == S_ASK;
    assign m_axis_prompt_desc_tdata = {16'd1, {(24+IDS_SHIFT-BEAT_SHIFT){1'b0}}, pos_q[15:IDS_SHIFT],
        {BEAT_SHIFT{1'b0}}};
    assign s_axis_prompt_tready = state_q == S_BEAT;

    // ---- ids to the ring ----
    reg  [31:0] ring_sent_q;                 // ids that were sent to the ring in this run
    wire        ring_open = ids_written != ring_sent_q; // the latest id has no write response yet
    reg         ring_was_open_q;
    wire        ring_closes = running && ring_was_open_q && !ring_open;
    reg  [3:0]  ring_slot_q;
    reg  [31:0] ring_count_q;
    reg  [31:0] next_made_q;                 // made_q + 1
    assign m_axis_ring_tvalid = state_q == S_WRITE;
    assign m_axis_ring_tdata = {slot_q, made_q[27:0], next_id_q};

    // ---- hashes: two registers away from the kernel with row_hash ----
    reg  [TOKENS*64-1:0] near_q;
    reg  [63:0] row_q;
    reg  [4:0]  hash_wait_q;
    always @(posedge clk) begin
        near_q <= row_hash;
        row_q <= near_q[tok_q[TOK_W-1:0]*64 +: 64];
    end

    // ---- settings of sampling, for each token of a step ----
    generate
        if (SAMPLING == 1) begin : gen_draw
            localparam DRAW_W = 32 + 32 + 32 + 64;
            reg  [DRAW_W-1:0] draw_mem [0:15];           // for each slot: the settings of its request
            reg  [DRAW_W-1:0] draw_q;                    // settings of slot_q
            reg               heads_q;                   // the id of the part's last token is used
            reg               set_q;
            reg  [2:0]        number_q;                  // number of the token in the step
            reg  [15:0]       row_pos_q;
            reg  [DRAW_W-1:0] row_draw_q;
            always @(posedge clk) begin
                if (accept)
                    draw_mem[accept_slot] <= {seed, min_p, top_k, inverse_temperature};
                if (state_q == S_TAKE)
                    draw_q <= draw_mem[slot_q];
                if (state_q == S_PART)
                    heads_q <= part_heads;
                set_q <= state_q == S_ADVANCE;
                if (state_q == S_ADVANCE) begin
                    number_q <= number;
                    // After the first token of a part that generates, pos_q is the position of the first draft.
                    row_pos_q <= pos_q + {12'd0, prefill || count_q == 4'd0 ? 4'd0 : count_q - 4'd1};
                    row_draw_q <= heads_q && (count_last || !prefill) ? draw_q : {DRAW_W{1'b0}};
                end
            end
            assign row_set = set_q;
            assign row = number_q;
            assign row_position = row_pos_q;
            assign {row_seed, row_min_p, row_top_k, row_inverse} = row_draw_q;
        end else begin : gen_greedy
            assign row_set = 1'b0;
            assign row = 3'd0;
            assign row_position = 16'd0;
            assign {row_seed, row_min_p, row_top_k, row_inverse} = 160'd0;
        end
    endgenerate

    // ---- the end of a request ----
    reg         ends;                        // the id is one of eot_id
    integer     e;
    always @* begin
        ends = 1'b0;
        for (e = 0; e < END_IDS; e = e + 1)
            if (next_id_q == c_eot_id[32*e +: 32])
                ends = 1'b1;
    end
    wire        eot = ends && !c_ignore_eot;
    wire        all_made = next_made_q == c_max_new;
    wire        beyond = next_made_q > decode_steps;
    reg  [3:0]  end_fault_q;                 // for S_END
    reg  [31:0] end_place_q;
    reg  [2:0]  ending_q;
    wire        over_now = eot || all_made || beyond;      // in S_DECIDE: the request ends
    wire        args_over = state_q == S_ARGS && args_wait_q == ARGS_WAIT;
    wire        end_now = state_q == S_END && !ring_open;

    // ---- positions that slots hold ----
    wire        lost;                        // all requests are over by a fault or kill, or the run is over
    wire        prefix_refused;              // valid in the third cycle after S_TAKE
    wire        skips;                       // in S_ARGS and S_SKIP: the request begins at a position after pos_q
    wire [15:0] kept;                        // positions that slot_q holds
    generate
        if (PREFIX == 1) begin : gen_prefix
            reg  [31:0] prefix_mem [0:15];   // for each slot: where its request begins
            reg  [15:0] kept_mem [0:15];     // and how many positions it holds if its bit of kept_q is set
            reg  [15:0] kept_q;
            reg  [31:0] prefix_q;            // of slot_q
            reg  [15:0] now_q, last_q;       // positions that slot_q holds, and the latest one of them
            reg         refused_q;
            reg  [31:0] held_q;
            wire        at_block = prefix_q[5:0] == 6'd0;
            wire        on_chip = prefix_q[15:6] == last_q[15:6];
            wire        keeps = generates_q[slot_q] && end_fault_q == FAULT_NONE;
            wire        gone = lost && (state_d == S_FLUSH || state_q == S_CHECK);
            wire        other_image = state_q == S_LOADING && &load_q && image != image_checksum;
            integer     k;
            always @(posedge clk) begin
                if (accept)
                    prefix_mem[accept_slot] <= prefix;
                if (end_now)
                    kept_mem[slot_q] <= pos_q;
                for (k = 0; k < 16; k = k + 1)
                    if (rst || gone || other_image || (forget && {28'd0, slot} == k))
                        kept_q[k] <= 1'b0;
                    else if (end_now && {28'd0, slot_q} == k)
                        kept_q[k] <= keeps;
                if (state_q == S_TAKE)
                    prefix_q <= prefix_mem[slot_q];
                now_q <= kept_q[slot_q] ? kept_mem[slot_q] : 16'd0;
                last_q <= now_q - 16'd1;
                refused_q <= prefix_q != 32'd0
                    && (prefix_q >= a_prompt_len || prefix_q > {16'd0, now_q} || !(at_block || on_chip));
                held_q <= kept_q[slot] && !busy_q[slot] ? {16'd0, kept_mem[slot]} : 32'd0;
            end
            assign prefix_refused = fresh_q[slot_q] && refused_q;
            assign skips = fresh_q[slot_q] && pos_q != prefix_q[15:0];
            assign kept = now_q;
            assign held = held_q;
            wire unused_last = &{1'b0, last_q[5:0]};
        end else begin : gen_whole
            assign {prefix_refused, skips, kept, held} = 50'd0;
        end
    endgenerate

    // ---- drafts ----
    generate
        if (DRAFTS > 0) begin : gen_drafts
            localparam ID_W = VOCAB > 1 ? $clog2(VOCAB) : 32;
            localparam [31:0] DRAFTS_32 = DRAFTS;
            // How many drafts the part may have: limits by the tokens that other slots need, the block of 64 positions,
            // and the end of the request.
            reg  [4:0]  decodes_q;                     // other slots that generate
            reg  [3:0]  room_q;
            reg  [31:0] left_q;                        // ids that the request may still generate after the next one
            reg  [3:0]  most_q;                        // limit by left_q and the block
            reg  [3:0]  drafts_most_q;                 // limit by all of them
            wire [3:0]  parts_left = PARTS_32[3:0] - 4'd1 - parts_q;
            wire [3:0]  decodes_fit = decodes_q < {1'b0, parts_left} ? decodes_q[3:0] : parts_left;
            wire [5:0]  block_left = 6'd63 - pos_q[5:0];
            wire [3:0]  block_most = block_left < DRAFTS_32[5:0] ? block_left[3:0] : DRAFTS_32[3:0];
            always @(posedge clk) begin
                decodes_q <= decode_slots;
                room_q <= step_left - 4'd1 > decodes_fit ? step_left - 4'd1 - decodes_fit : 4'd0;
                left_q <= decode_steps - made_q;
                most_q <= left_q < {28'd0, block_most} ? left_q[3:0] : block_most;
                drafts_most_q <= room_q < most_q ? room_q : most_q;
            end

            // Counters of each slot.
            reg  [39:0] count_mem [0:15];              // for each slot: {right drafts, drafts in steps}
            reg  [19:0] in_steps_q, right_q;
            wire [39:0] count_found = fresh_q[slot_q] ? 40'd0 : count_mem[slot_q];
            reg  [39:0] count_shown_q;
            always @(posedge clk) begin
                if (state_q == S_TAKE)
                    {right_q, in_steps_q} <= count_found;
                else if (state_q == S_ADVANCE && !prefill && count_q != 4'd0)
                    in_steps_q <= in_steps_q + 20'd1;
                else if (state_q == S_WRITE && m_axis_ring_tready && taken_q > 4'd1)
                    right_q <= right_q + 20'd1;
                if (save)
                    count_mem[slot_q] <= {right_q, in_steps_q};
                count_shown_q <= fresh_q[slot] ? 40'd0 : count_mem[slot];
            end
            assign draft_counts = {44'd0, count_shown_q[39:20], 44'd0, count_shown_q[19:0]};

            // look_q counts the cycles of S_LOOK: drafts_most_q is valid in the fourth, and the lookup begins then.
            reg  [3:0]  look_q;
            wire        finds = look_q == 4'b0111 && drafts_most_q != 4'd0;
            wire        found_ready;
            wire [3:0]  more;                          // drafts that were found: DRAFTS or 0
            wire [DRAFTS*ID_W-1:0] drafts;
            wire [8*ID_W-1:0] draft_of = {{((8-DRAFTS)*ID_W){1'b0}}, drafts};
            wire [2:0]  draft_at = count_q[2:0] - 3'd1;
            wire        puts = (state_q == S_SCAN && !scan_bad) || (state_q == S_WRITE && m_axis_ring_tready);
            wire [31:0] put_id = state_q == S_SCAN ? scan_id : next_id_q;
            wire [15:0] ended = end_now ? slot_bit : 16'd0;
            wire [15:0] list_drop = rst ? 16'hFFFF : lost ? busy_q | ended : ended;
            always @(posedge clk)
                look_q <= state_q == S_LOOK && !look_over ? {look_q[2:0], 1'b1} : 4'd0;
            rill_slot_drafts #(.SLOTS(SLOTS), .CONTEXT(CONTEXT), .ID_W(ID_W), .DRAFTS(DRAFTS),
                .CONFIDENCE(CONFIDENCE), .LIST(LIST), .VOCAB(VOCAB)) u_drafts (
                .clk(clk), .rst(rst || state_q == S_FLUSH), .enter(state_q == S_TAKE), .slot(slot_q),
                .fresh(fresh_q[slot_q]), .skip(state_q == S_SKIP && skips), .put(puts), .id(put_id[ID_W-1:0]),
                .find(finds), .list_drop(list_drop), .list_set(list_set), .list_put(list_put), .list_slot(slot),
                .list_word(list_word), .ready(found_ready), .more(more), .drafts(drafts));
            assign look_over = (look_q[2] && drafts_most_q == 4'd0) || (look_q[3] && found_ready);
            assign part_drafts = drafts_most_q < more ? drafts_most_q : more;
            assign draft_id = {{(32-ID_W){1'b0}}, draft_of[draft_at*ID_W +: ID_W]};
            wire unused_drafts = &{1'b0, DRAFTS_32, put_id};
        end else begin : gen_no_drafts
            assign look_over = 1'b1;
            assign part_drafts = 4'd0;
            assign draft_id = 32'd0;
            assign draft_counts = 128'd0;
            wire unused_list = &{1'b0, list_set, list_put, list_word};
        end
    endgenerate

    // ---- course ----
    reg         awake_q;                     // every module has left rst
    reg  [1:0]  settled_q;
    reg  [4:0]  timer_q;
    reg         drained_q;
    reg  [31:0] kv_expected_q;
    localparam [31:0] WAY = RESET_WAY;
    localparam [4:0] DRAIN_LEAST = 5'd2, FLUSH_QUIET = 5'd8, RESET_SOFT = 5'd11, RESET_END = 5'd13 + WAY[4:0];
    wire        drained = drained_q && timer_q >= DRAIN_LEAST;

    assign starts = state_q == S_IDLE && start && awake_q && settled_q[1] && clock_known;
    always @* begin
        state_d = state_q;
        case (state_q)
            S_IDLE: if (starts) state_d = S_CHECK;
            S_CHECK: state_d = clock_ready ? S_BEGIN : S_DONE;
            S_LOAD: state_d = S_LOADING;
            S_LOADING: if (image_wrong) state_d = S_FLUSH; else if (&load_q) state_d = S_TAKE;
            S_BEGIN: state_d = busy_q != 16'd0 ? S_TAKE : accept_pending ? S_BEGIN : loaded_q ? S_DRAIN : S_DONE;
            S_TAKE: state_d = S_ARGS;
            S_ARGS: if (args_over)
                state_d = after_q ? S_RING
                    : cancel_q[slot_q] || (fresh_q[slot_q] && (refused || no_ids)) || prefix_refused ? S_END
                    : !loaded_q ? S_LOAD : skips ? S_SKIP : prefill ? S_ASK : DRAFTS != 0 ? S_LOOK : S_PART;
            S_SKIP: if (!skips) state_d = S_ARGS;
            S_LOOK: if (look_over) state_d = S_PART;
            S_ASK: if (m_axis_prompt_desc_tready) state_d = S_BEAT;
            S_BEAT: if (s_axis_prompt_tvalid) state_d = S_SCAN;
            S_SCAN: if (scan_bad) state_d = S_END; else if (count_last) state_d = S_PART;
            S_PART: state_d = S_ADVANCE;
            S_ADVANCE: if (count_last) state_d = S_CHOOSE;
            S_CHOOSE: state_d = !full ? S_TAKE : parts_q != 4'd0 ? S_STEP : S_BEGIN;
            S_STEP: if (word_taken && part_final) state_d = S_ID_SEND;
            S_ID_SEND: if (m_axis_id_tready && tok_final) state_d = head_q ? S_NEXT : S_BEGIN;
            S_NEXT: if (next_take) state_d = S_TAKE; else if (next_any && tok_final) state_d = S_BEGIN;
            S_RING: if (!ring_open) state_d = S_WRITE;
            S_WRITE: if (m_axis_ring_tready) state_d = S_HASH;
            S_HASH: if (hash_wait_q == HASH_WAIT_32[4:0]) state_d = S_DECIDE;
            S_DECIDE: state_d = over_now ? S_END : tok_final ? S_BEGIN : S_NEXT;
            S_END: if (!ring_open) state_d = !after_q ? S_CHOOSE : tok_final ? S_BEGIN : S_NEXT;
            S_DRAIN: if (busy_q != 16'd0 || accept_pending) state_d = S_BEGIN; else if (drained) state_d = S_FLUSH;
            S_FLUSH: if (timer_q == FLUSH_QUIET) state_d = S_RESET;
            S_RESET: if (timer_q == RESET_END) state_d = busy_q != 16'd0 || accept_pending ? S_BEGIN : S_DONE;
            default: state_d = S_IDLE;
        endcase
        if (broken)
            state_d = S_FLUSH;
    end

    wire        over = state_d == S_FLUSH || state_d == S_RESET || state_d == S_DONE || state_d == S_IDLE;
    // Requests that were accepted while the run ends well stay: after the reset, the run goes on with them.
    wire        ends_well_d = state_q == S_DRAIN ? !broken
        : (state_q == S_FLUSH || state_q == S_RESET) && ends_well_q && !expired;
    assign lost = over && !ends_well_d;
    always @(posedge clk) begin
        state_q <= rst ? S_IDLE : state_d;
        ends_well_q <= !rst && ends_well_d;
        running <= !rst && !over && (loaded_q || state_d == S_LOAD || state_d == S_LOADING);
        loaded_q <= !rst && !over && (loaded_q || (state_q == S_LOADING && &load_q));
        load_q <= state_q == S_LOADING ? load_q | load_done : {LOADERS{1'b0}};
        drained_q <= kv_layers_done == kv_expected_q && !ring_open;
        timer_q <= 5'd0;
        if ((state_q == S_DRAIN && !drained && !broken) || (state_q == S_FLUSH && quiet && timer_q != FLUSH_QUIET)
            || state_q == S_RESET || (!awake_q && !rst))
            timer_q <= timer_q + 5'd1;
        settled_q <= {settled_q[0] && state_q == S_IDLE, state_q == S_IDLE};
        awake_q <= !rst && (awake_q || timer_q == WAY[4:0]);
        if (state_q == S_IDLE || state_q == S_RESET)
            kv_expected_q <= 32'd0;
        else if (state_q == S_STEP && word_taken && part_final)
            kv_expected_q <= kv_expected_q + KV_LAYERS_32;
        args_wait_q <= state_q == S_ARGS ? args_wait_q + 3'd1 : 3'd0;
        hash_wait_q <= state_q == S_HASH ? hash_wait_q + 5'd1 : 5'd0;
    end

    // Slots: requests come and go.
    integer     i;
    always @(posedge clk) begin
        request_ended <= end_now;
        pending_q <= !rst && submit;
        if (submit)
            pending_slot_q <= slot;
        if (rst)
            accepted_q <= 16'd0;
        else if (accept)
            accepted_q <= accepted_q + 16'd1;
        for (i = 0; i < 16; i = i + 1) begin
            if (rst)
                busy_q[i] <= 1'b0;
            else if (accept && {28'd0, accept_slot} == i)
                busy_q[i] <= 1'b1;
            else if ((end_now && {28'd0, slot_q} == i) || lost)
                busy_q[i] <= 1'b0;
            if (rst)
                fresh_q[i] <= 1'b1;
            else if (accept && {28'd0, accept_slot} == i)
                fresh_q[i] <= 1'b1;
            else if (save && {28'd0, slot_q} == i)
                fresh_q[i] <= 1'b0;
            if (accept && {28'd0, accept_slot} == i)
                generates_q[i] <= 1'b0;
            else if (state_q == S_DECIDE && {28'd0, slot_q} == i)
                generates_q[i] <= 1'b1;
            if (rst || (accept && {28'd0, accept_slot} == i))
                written_q[i] <= 1'b0;
            else if (ring_closes && {28'd0, ring_slot_q} == i)
                written_q[i] <= 1'b1;
            if (rst || (accept && {28'd0, accept_slot} == i))
                cancel_q[i] <= 1'b0;
            else if ((cancel && {28'd0, slot} == i) || (state_q != S_IDLE && halt[STOP]))
                cancel_q[i] <= 1'b1;
            if (rst || (accept && {28'd0, accept_slot} == i))
                dead_q[i] <= 1'b0;
            else if (lost && busy_q[i])
                dead_q[i] <= 1'b1;
        end
    end

    always @(posedge clk) begin
        if (accept)
            args_mem[accept_slot] <= {ring_ids, ring_ptr, prompt_ptr, ignore_eot, eot_id, max_new, prompt_len};
        if (save)
            run_mem[slot_q] <= run_saved;
        if (end_now)
            end_mem[slot_q] <= {end_fault_q, end_place_q, ending_q};
        if (ring_closes)
            written_mem[ring_slot_q] <= ring_count_q;
    end

    // The slot that the loop works on.
    always @(posedge clk) begin
        save <= (state_q == S_ADVANCE && count_last) || state_q == S_DECIDE;
        case (state_q)
            S_BEGIN: slot_q <= first_next;
            S_CHOOSE: slot_q <= slot_next;
            S_NEXT: slot_q <= part_slot_q[part_q[2:0]];
            default: ;
        endcase
        if (state_q == S_TAKE) begin
            args_q <= args_mem[slot_q];
            {hash_q, made_q, lane_q, krows_q, pos_q} <= {run_found[RUN_W-1 -: 64], run_found[68:0]};
            if (!after_q)
                next_id_q <= run_found[100:69];
        end
        if (next_take)
            next_id_q <= s_axis_next_id_tdata;
        // A request that generates advances by one token, and by one more for each right draft.
        if ((state_q == S_SKIP && skips) || (state_q == S_ADVANCE && (DRAFTS == 0 || prefill || count_q == 4'd0))
            || (DRAFTS != 0 && state_q == S_WRITE && m_axis_ring_tready && taken_q > 4'd1)) begin
            pos_q <= pos_q + 16'd1;
            lane_q <= lane_q == CHANNELS_32[4:0] - 5'd1 ? 5'd0 : lane_q + 5'd1;
            if (lane_q == 5'd0)
                krows_q <= krows_q + 16'd1;
        end
        next_made_q <= made_q + 32'd1;
        if (state_q == S_DECIDE) begin
            made_q <= next_made_q;
            hash_q <= {hash_q[62:0], hash_q[63]} + row_q;
        end
    end

    // Parts and ids of the step.
    always @(posedge clk) begin
        if (state_q == S_IDLE)
            first_q <= 4'd15;
        else if (state_q == S_BEGIN)
            first_q <= first_next;
        if (state_q == S_BEGIN) begin
            visits_q <= busy_q;
            used_q <= 4'd0;
            parts_q <= 4'd0;
            head_q <= 1'b0;
            after_q <= 1'b0;
        end
        // A slot that has been taken gets no other part of the step. (After S_LOADING, S_TAKE takes the same slot.)
        if (state_q == S_TAKE && !after_q)
            visits_q <= visits_q & ~slot_bit;
        if (args_over)
            ntok_q <= prefill ? chunk : 4'd1;
        else if (DRAFTS != 0 && state_q == S_LOOK && look_over)
            ntok_q <= 4'd1 + part_drafts;
        if (state_q == S_BEAT)
            beat_q <= s_axis_prompt_tdata;
        count_q <= state_q == S_SCAN && !count_last ? count_q + 4'd1
            : state_q == S_ADVANCE ? count_q + 4'd1 : 4'd0;
        if (state_q == S_SCAN)
            id_q[used_q[2:0] + count_q[2:0]] <= scan_id;
        else if (state_q == S_PART && !prefill)
            id_q[used_q[2:0]] <= next_id_q;
        else if (DRAFTS != 0 && state_q == S_ADVANCE && !prefill && count_q != 4'd0)
            id_q[number] <= draft_id;
        if (state_q == S_PART) begin
            part_word_q[parts_q[2:0]] <= part_word;
            part_slot_q[parts_q[2:0]] <= slot_q;
            part_head_q[parts_q[2:0]] <= part_heads;
            part_generates_q[parts_q[2:0]] <= !prefill;
            part_last_q[parts_q[2:0]] <= used_q + ntok_q - 4'd1;
            head_q <= head_q || part_heads;
            used_q <= used_q + ntok_q;
            parts_q <= parts_q + 4'd1;
        end
        if (state_q == S_STEP) begin
            step_taken_q <= !word_taken && (step_taken_q || m_axis_step_tready);
            walk_taken_q <= !word_taken && (walk_taken_q || m_axis_walk_step_tready);
        end else begin
            step_taken_q <= 1'b0;
            walk_taken_q <= 1'b0;
        end
        if (state_q == S_CHOOSE || state_q == S_ID_SEND)
            part_q <= 4'd0;
        else if ((state_q == S_STEP && word_taken) || part_over)
            part_q <= part_q + 4'd1;
        if (state_q == S_ID_SEND || part_over) begin
            takes_q <= 1'b1;
            taken_q <= 4'd0;
        end else if (next_take) begin
            takes_q <= DRAFTS != 0 && !next_part && s_axis_next_id_tdata == id_q[tok_q[2:0] + 3'd1];
            taken_q <= taken_q + 4'd1;
        end else if (state_q == S_DECIDE && over_now)
            takes_q <= 1'b0;
        if (state_q == S_CHOOSE || (state_q == S_ID_SEND && m_axis_id_tready && tok_final))
            tok_q <= 4'd0;
        else if ((state_q == S_ID_SEND && m_axis_id_tready) || (next_any && !next_take)
            || (after_q && (state_q == S_DECIDE || state_q == S_END) && state_d == S_NEXT))
            tok_q <= tok_q + 4'd1;
        if (state_q == S_ID_SEND)
            after_q <= 1'b1;
    end

    // Ring.
    always @(posedge clk) begin
        if (rst || state_q == S_IDLE || state_q == S_RESET)
            ring_sent_q <= 32'd0;
        else if (state_q == S_WRITE && m_axis_ring_tready)
            ring_sent_q <= ring_sent_q + 32'd1;
        ring_was_open_q <= running && ring_open;
        if (state_q == S_RING && !ring_open)
            ring_base <= a_ring_ptr;
        if (state_q == S_WRITE) begin
            ring_slot_q <= slot_q;
            ring_count_q <= next_made_q;
        end
    end

    // How a request ended.
    always @(posedge clk)
        case (state_q)
            S_ARGS: begin
                end_fault_q <= cancel_q[slot_q] ? FAULT_NONE : refused ? refused_fault[3:0]
                    : prefix_refused ? FAULT_PREFIX : FAULT_NONE;
                end_place_q <= cancel_q[slot_q] ? 32'd0 : refused ? refused_place
                    : prefix_refused ? {16'd0, kept} : 32'd0;
                ending_q <= cancel_q[slot_q] ? END_STOPPED : refused || prefix_refused ? END_FAULT : END_ALL;
            end
            S_SCAN: begin
                end_fault_q <= FAULT_ID;
                end_place_q <= {16'd0, pos_q} + {28'd0, count_q};
                ending_q <= END_FAULT;
            end
            S_DECIDE: begin
                end_fault_q <= FAULT_NONE;
                end_place_q <= 32'd0;
                ending_q <= eot ? END_OF_TEXT : all_made ? END_ALL : END_OF_CONTEXT;
            end
            default: ;
        endcase

    // Faults of the run.
    reg  [2:0]  run_ending_q;                // 0, END_KILLED or END_FAULT
    reg  [3:0]  run_fault_q;
    reg  [31:0] run_place_q;
    always @(posedge clk)
        if (rst || starts) begin
            run_ending_q <= 3'd0;
            run_fault_q <= FAULT_NONE;
            run_place_q <= 32'd0;
            fault_address <= 64'd0;
            fault_channel <= 32'd0;
            fault_state <= 32'd0;
        end else if (state_q == S_CHECK && !clock_ready) begin
            run_ending_q <= END_FAULT;
            run_fault_q <= FAULT_CLOCK;
            run_place_q <= 32'd1;
            fault_state <= status;
        end else if (told && run_ending_q == 3'd0) begin
            fault_state <= told_state;
            run_ending_q <= told_clock || told_memory || told_kernel || told_silent ? END_FAULT : END_KILLED;
            if (told_clock || told_memory || told_kernel || told_silent) begin
                run_fault_q <= told_clock ? FAULT_CLOCK : told_memory ? FAULT_MEMORY
                    : told_kernel ? FAULT_KERNEL : FAULT_SILENCE;
                run_place_q <= told_place;
            end
            if (told_memory && !told_clock) begin
                fault_address <= told_address;
                fault_channel <= {23'd0, told_write, told_place[7:0]};
            end
        end else if (state_q == S_LOADING && image_wrong) begin
            run_ending_q <= END_FAULT;
            run_fault_q <= FAULT_IMAGE;
            run_place_q <= {30'd0, image_place};
            fault_state <= status;
        end else if (state_q == S_FLUSH && expired) begin
            run_ending_q <= END_FAULT;
            run_fault_q <= FAULT_SILENCE;                  // the memory is not quiet: this replaces the earlier code
            run_place_q <= idle_place;
            fault_state <= status;
        end

    // Parameters on chip stay valid unless a run is killed or has a fault.
    always @(posedge clk)
        if (rst || (state_q == S_DONE && run_ending_q != 3'd0))
            image <= 64'd0;
        else if (state_q == S_LOADING && &load_q)
            image <= image_checksum;

    // ---- what the host reads ----
    wire [RUN_W-1:0] run_shown = fresh_q[slot] ? {RUN_W{1'b0}} : run_mem[slot];
    wire [38:0]      end_shown = end_mem[slot];
    always @(posedge clk) begin
        status <= {run_shown[15:0], 11'd0, state_q};
        ids_count <= written_q[slot] ? written_mem[slot] : 32'd0;
        logits_hash <= run_shown[RUN_W-1 -: 64];
        fault_code <= dead_q[slot] ? {28'd0, run_fault_q} : busy_q[slot] ? 32'd0 : {28'd0, end_shown[38:35]};
        fault_place <= dead_q[slot] ? run_place_q : busy_q[slot] ? 32'd0 : end_shown[34:3];
        ending <= dead_q[slot] ? {29'd0, run_ending_q} : busy_q[slot] ? 32'd0 : {29'd0, end_shown[2:0]};
    end

    // Prevents a second done: after a done that came although the memory is not quiet, none follows when it becomes
    // quiet.
    reg given_q;
    always @(posedge clk)
        if (rst || state_q == S_DONE)
            given_q <= 1'b0;
        else if (state_q == S_FLUSH && expired)
            given_q <= 1'b1;
    assign done = (state_q == S_DONE && !given_q) || (state_q == S_FLUSH && expired);
    assign idle = state_q == S_IDLE;
    assign load_start = state_q == S_LOAD;

    // Both come from registers, because they go to every module.
    reg flush_q;
    reg soft_rst_q;
    always @(posedge clk) begin
        flush_q <= !rst && (state_d == S_FLUSH || state_d == S_RESET);
        soft_rst_q <= !rst && state_d == S_RESET && !(state_q == S_RESET && timer_q >= RESET_SOFT);
    end
    assign flush = flush_q;
    assign soft_rst = soft_rst_q;

    initial
        for (i = 0; i < 16; i = i + 1) end_mem[i] = 39'd0;

    wire unused = &{1'b0, s_axis_next_id_tuser, s_axis_next_id_tlast, IDS_32, SLOTS_32, PARTS_32,
        TOKENS_32, CHANNELS_32, VOCAB_32, HASH_WAIT_32, refused_fault, c_prompt_len[31:16], run_shown[RUN_W-65:16],
        inverse_temperature, top_k, min_p, seed, prefix, forget};
endmodule

`default_nettype wire
