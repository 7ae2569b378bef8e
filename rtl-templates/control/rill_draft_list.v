// SPDX-License-Identifier: Apache-2.0
// Holds the ids that the host predicts for the requests of all slots, and gives them as drafts. A draft is a guess,
// which the model checks. See docs/decisions/drafts.md.
//
// The place of an id is its number in the request, from 0. Each slot has one list: ids of successive places.
// Writes: `restart` (pulse) empties the list of slot `write_slot` and lets it begin at place `word`. `put` (pulse)
// appends the id `word` to that list. An id that is not below VOCAB becomes 0, because kernels need valid ids (VOCAB
// 0: no check). A list has no place from CONTEXT on, so ids for such places are dropped. A `word` of `restart` from
// CONTEXT on gives a list that stays empty. Each bit of `drop` (level) empties the list of its slot. Writes may come
// at any time, also during a lookup, which may then give a mixture of old and new ids.
// Lookup: `look` (pulse) asks for drafts of slot `slot`, whose request has `count` ids. `last` is the last one of them.
// The three must stay from `look` to `over`. Later `over` comes (pulse), with `found`. If found, `drafts` has the
// DRAFTS ids of the list from place `count` on, the first in the low bits. They are found if the list has all of them
// and agrees with the request: it begins at place `count`, or its id at the place before is `last`.
// Latency: from `look` to `over` 3 cycles if the list does not have the ids, else DRAFTS + 4.
// Reset: clk, synchronous active-high rst. It ends a lookup but keeps the lists, which `drop` empties.
//
// name     meaning                                 unit       range
// SLOTS    slots                                   slots      1 to 16
// CONTEXT  length of the longest request           positions  1 to 65535
// VOCAB    ids in the lists are below it; 0: any   ids        0 or more
// ID_W     width of an id                          bits       1 to 32
// DRAFTS   drafts that a lookup finds              ids        1 to 7
`default_nettype none

module rill_draft_list #(
    parameter SLOTS = 0,
    parameter CONTEXT = 0,
    parameter VOCAB = 0,
    parameter ID_W = 0,
    parameter DRAFTS = 0
) (
    input  wire                   clk,
    input  wire                   rst,
    input  wire [15:0]            drop,
    input  wire                   restart,
    input  wire                   put,
    input  wire [3:0]             write_slot,
    input  wire [31:0]            word,
    input  wire                   look,
    input  wire [3:0]             slot,
    input  wire [16:0]            count,
    input  wire [ID_W-1:0]        last,
    output reg                    over,
    output reg                    found,
    output wire [DRAFTS*ID_W-1:0] drafts
);
    localparam DEPTH = (SLOTS > 0 ? SLOTS : 1) * (CONTEXT > 0 ? CONTEXT : 1);
    localparam ADDR_W = DEPTH > 1 ? $clog2(DEPTH) : 1;
    localparam AT_W = 17;                    // width of a place
    localparam [31:0] SLOTS_32 = SLOTS;
    localparam [31:0] CONTEXT_32 = CONTEXT;
    localparam [31:0] VOCAB_32 = VOCAB;
    localparam [31:0] DRAFTS_32 = DRAFTS;
    localparam [AT_W-1:0] PLACES = CONTEXT_32[AT_W-1:0];

    generate
        if (SLOTS < 1 || SLOTS > 16) begin : gen_bad_slots
            rill_error_SLOTS_must_be_1_to_16 u_error ();
        end
        if (CONTEXT < 1 || CONTEXT > 65535) begin : gen_bad_context
            rill_error_CONTEXT_must_be_1_to_65535 u_error ();
        end
        if (ID_W < 1 || ID_W > 32) begin : gen_bad_id
            rill_error_ID_W_must_be_1_to_32 u_error ();
        end
        if (DRAFTS < 1 || DRAFTS > 7) begin : gen_bad_drafts
            rill_error_DRAFTS_must_be_1_to_7 u_error ();
        end
    endgenerate

    // ---- lists: a slot's list has the places from first_mem to end_mem - 1 if its bit of any_q is set ----
    reg  [15:0]       any_q;
    reg  [AT_W-1:0]   first_mem [0:15];
    reg  [AT_W-1:0]   end_mem [0:15];
    wire [15:0]       written = {28'd0, write_slot} < SLOTS_32 ? 16'd1 << write_slot : 16'd0;
    wire [AT_W-1:0]   end_now = end_mem[write_slot];
    wire [AT_W-1:0]   set_at = word >= CONTEXT_32 ? PLACES : word[AT_W-1:0];
    wire              puts = put && any_q[write_slot] && end_now < PLACES;
    // The write to the RAM comes one cycle later.
    reg               put_q;
    reg  [ADDR_W-1:0] put_at_q;
    reg  [ID_W-1:0]   put_id_q;
    wire [31:0]       put_base = {28'd0, write_slot} * CONTEXT_32;
    wire [31:0]       put_at = put_base + {{(32-AT_W){1'b0}}, end_now};

    always @(posedge clk) begin
        any_q <= (any_q | (restart ? written : 16'd0)) & ~drop;
        if (restart) begin
            first_mem[write_slot] <= set_at;
            end_mem[write_slot] <= set_at;
        end else if (puts)
            end_mem[write_slot] <= end_now + 1'b1;
        put_q <= puts;
        put_at_q <= put_at[ADDR_W-1:0];
        put_id_q <= VOCAB != 0 && word >= VOCAB_32 ? {ID_W{1'b0}} : word[ID_W-1:0];
    end

    // ---- lookup: time_q counts its cycles from 1; 0: no lookup ----
    // 1: the registers below are valid. 2: the result is known if the list does not have the ids; the id before the
    // drafts is read. From 3 on, an id that was read arrives in each cycle, first the one before the drafts.
    reg  [3:0]        time_q;
    reg  [31:0]       base_q;                // of the slot's list in the RAM
    reg  [AT_W-1:0]   before_q;              // place before the first draft
    reg  [AT_W-1:0]   after_q;               // place after the last draft
    reg  [AT_W-1:0]   first_q, end_q;        // of the list
    reg               listed_q;              // the list is not empty
    reg               has_q;                 // the list has all drafts, and begins at or before the first one
    reg               begins_q;              // it begins at the first draft
    reg               same_q;                // its id before the first draft is `last`
    reg  [ADDR_W-1:0] read_q;
    reg  [DRAFTS*ID_W-1:0] drafts_q;
    wire [ID_W-1:0]   id;                    // of read_q one cycle before
    // A read of an address that is being written may give any bits.
    wire              is_bad = VOCAB != 0 && {{(32-ID_W){1'b0}}, id} >= VOCAB_32;
    wire [31:0]       read_first = base_q + {{(32-AT_W){1'b0}}, before_q};
    wire [3:0]        arrived = time_q - 4'd4;             // number of the draft that arrives
    localparam [3:0]  LAST_TIME = DRAFTS_32[3:0] + 4'd4;
    assign drafts = drafts_q;

    rill_ram_sdp #(.DATA_W(ID_W), .DEPTH(DEPTH)) u_ids (.clk(clk), .write_en(put_q), .write_addr(put_at_q),
        .write_strobe(1'b1), .write_data(put_id_q), .read_en(1'b1), .read_addr(read_q), .read_data(id));

    always @(posedge clk) begin
        base_q <= {28'd0, slot} * CONTEXT_32;
        before_q <= count - 1'b1;
        after_q <= count + DRAFTS_32[AT_W-1:0];
        first_q <= first_mem[slot];
        end_q <= end_mem[slot];
        listed_q <= any_q[slot];
        has_q <= listed_q && first_q <= before_q + 1'b1 && after_q <= end_q;
        begins_q <= first_q == before_q + 1'b1;
        read_q <= time_q == 4'd1 ? read_first[ADDR_W-1:0] : read_q + 1'b1;
        if (time_q == 4'd3)
            same_q <= id == last;
        if (time_q > 4'd3)
            drafts_q[arrived[2:0]*ID_W +: ID_W] <= is_bad ? {ID_W{1'b0}} : id;

        over <= 1'b0;
        if (rst)
            time_q <= 4'd0;
        else if (look)
            time_q <= 4'd1;
        else if (time_q == 4'd2 && !has_q) begin
            time_q <= 4'd0;
            over <= 1'b1;
            found <= 1'b0;
        end else if (time_q == LAST_TIME - 4'd1) begin
            time_q <= 4'd0;
            over <= 1'b1;
            found <= begins_q || same_q;
        end else if (time_q != 4'd0)
            time_q <= time_q + 4'd1;
    end

    wire unused = &{1'b0, put_at, read_first, arrived, DRAFTS_32, VOCAB_32};
endmodule

`default_nettype wire
