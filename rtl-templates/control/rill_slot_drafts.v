// SPDX-License-Identifier: Apache-2.0
// Finds drafts for the requests of all slots, one slot after the other. A draft is a guess at the next ids of a
// request, which the model checks. The rules are those of rill_drafts and rill_draft_lookup, for each request alone
// (docs/decisions/drafts.md).
//
// Slots: `enter` (pulse) selects the slot `slot` for all other ports. With `fresh`, its request has no ids yet. What
// the module knows about the slot's request is in registers from the next cycle on.
// Ids: `put` (pulse) appends an id to those of the request. The place of an id is its number in the request, from 0.
// `skip` (pulse, only after `enter` with `fresh` and before the first `put`) appends the id that the slot's latest
// requests have had at this place, so that a request can begin after ids that it shares with them.
// Lookup: `find` (pulse) compares the last ids of the request with its ids that end at every earlier place. The place
// with the longest match wins, and among equally long matches the latest place. A match has LEAST to MOST ids. Only
// places that are followed by DRAFTS ids are considered. Then `ready` rises, and `more` is DRAFTS, or 0 if there was no
// match or the confidence is below 2. `drafts` has the DRAFTS ids after the place, the first in the low bits. All three
// stay until the next `find`.
// LIST 1: the host may predict ids of each slot (rill_draft_list; list_drop, list_set, list_put and list_word are
// its ports drop, restart, put and word, and list_slot is write_slot). If the slot's list has drafts for the place
// after the last id, a lookup gives these, without a search. rst keeps the lists.
// Confidence: if a lookup has found drafts, the first of them is a guess at the id that the request gets next. When
// this id is put, a right guess raises the request's confidence by 1, at most to 3, and a wrong one lowers it by 1, at
// least to 0.
// Order: `enter` comes at least 2 cycles after the latest `put` or the rise of `ready`; `find` at least 3 cycles after
// `enter` and after the latest `put`. `put`, `enter` and `find` come at least 4 cycles after the latest `skip`. Between
// a `find` and its `ready` there is none of the three others.
// Latency of a lookup among n ids: ceil(n / WAYS) + DRAFTS + 10 cycles at most. LIST adds 3 cycles, or DRAFTS + 4 if
// its ids do not agree. If it has drafts, the latency is DRAFTS + 5 cycles.
// Reset: clk, synchronous active-high rst, which also ends a lookup and sets `more` to 0. What is known of slots is
// valid until their next `fresh`.
//
// name        meaning                              unit       range
// SLOTS       slots                                slots      2 to 16
// CONTEXT     length of the longest request        positions  1 to 65535
// ID_W        width of an id                       bits       1 to 32
// DRAFTS      drafts of a step                     ids        1 to 7
// CONFIDENCE  confidence when a request begins     -          0 to 3
// LEAST       ids of the shortest match            ids        1 to MOST
// MOST        ids of the longest match             ids        2 to 4
// WAYS        places that are compared in a cycle  places     4, 8, 16
// LIST        1: with lists of the host            -          0, 1
// VOCAB       LIST: ids are below it; 0: any       ids        0 or more
`default_nettype none

module rill_slot_drafts #(
    parameter SLOTS = 0,
    parameter CONTEXT = 0,
    parameter ID_W = 0,
    parameter DRAFTS = 0,
    parameter CONFIDENCE = 1,
    parameter LEAST = 2,
    parameter MOST = 3,
    parameter WAYS = 8,
    parameter LIST = 0,
    parameter VOCAB = 0
) (
    input  wire                   clk,
    input  wire                   rst,
    input  wire                   enter,
    input  wire [3:0]             slot,
    input  wire                   fresh,
    input  wire                   skip,
    input  wire                   put,
    input  wire [ID_W-1:0]        id,
    input  wire                   find,
    input  wire [15:0]            list_drop,             // this and the next four: with LIST, else unused
    input  wire                   list_set,
    input  wire                   list_put,
    input  wire [3:0]             list_slot,
    input  wire [31:0]            list_word,
    output reg                    ready,
    output reg  [3:0]             more,
    output wire [DRAFTS*ID_W-1:0] drafts
);
    localparam WAY_W = $clog2(WAYS > 1 ? WAYS : 2);
    localparam ROWS = (CONTEXT + 1 + (WAYS > 0 ? WAYS : 1) - 1) / (WAYS > 0 ? WAYS : 1);
    localparam ROW_W = ROWS > 1 ? $clog2(ROWS) : 1;
    localparam DEPTH = (SLOTS > 0 ? SLOTS : 1) * ROWS;
    localparam ADDR_W = DEPTH > 1 ? $clog2(DEPTH) : 1;
    localparam AT_W = 17;                    // width of a place
    localparam MATCH_W = 3;
    localparam STAGES = 5;                   // of a row in a scan
    localparam ROW_BITS = (ID_W > 0 ? ID_W : 1) * WAYS;
    localparam LAST_W = MOST * ID_W;
    localparam [31:0] ROWS_32 = ROWS;
    localparam [31:0] DRAFTS_32 = DRAFTS;
    localparam [31:0] LEAST_32 = LEAST;
    localparam [31:0] CONFIDENCE_32 = CONFIDENCE;

    generate
        if (SLOTS < 2 || SLOTS > 16) begin : gen_bad_slots
            rill_error_SLOTS_must_be_2_to_16 u_error ();
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
        if (MOST < 2 || MOST > 4 || LEAST < 1 || LEAST > MOST) begin : gen_bad_match
            rill_error_MOST_must_be_2_to_4_LEAST_1_to_MOST u_error ();
        end
        if (WAYS != 4 && WAYS != 8 && WAYS != 16) begin : gen_bad_ways
            rill_error_WAYS_must_be_4_8_or_16 u_error ();
        end
        if ($signed(CONFIDENCE) < 0 || CONFIDENCE > 3) begin : gen_bad_confidence
            rill_error_CONFIDENCE_must_be_0_to_3 u_error ();
        end
        if (LIST != 0 && LIST != 1) begin : gen_bad_list
            rill_error_LIST_must_be_0_or_1 u_error ();
        end
    endgenerate

    // ---- what is known about the request of each slot ----
    localparam KNOWN_W = LAST_W + AT_W + ID_W + 1 + 2;
    reg  [KNOWN_W-1:0]   known_mem [0:15];
    wire [KNOWN_W-1:0]   known = fresh ? {{(KNOWN_W-2){1'b0}}, CONFIDENCE_32[1:0]} : known_mem[slot];
    reg  [3:0]           slot_q;
    reg                  changed_q;
    reg  [1:0]           confidence_q;
    reg                  guessed_q;          // the latest lookup found drafts, and no id has been put since
    reg  [ID_W-1:0]      guess_q;            // the first of these drafts
    reg  [AT_W-1:0]      count_q;            // ids so far
    reg  [LAST_W-1:0]    last_q;             // the last ids, the latest in the low bits
    reg  [ADDR_W-1:0]    base_q;             // first row of the slot's ids
    reg  [1:0]           skipping_q;         // a skipped id is read; it is in `row`
    reg  [WAY_W-1:0]     way0_q, way1_q;     // ways of the ids that are read, and that are in `row`
    wire [31:0]          base = {28'd0, slot} * ROWS_32;
    wire [ROW_BITS-1:0]  row;                // the row of read_q one cycle before
    wire                 list_hit;           // the list has given drafts
    wire                 list_over;          // the lookup in the list has ended
    wire                 list_found;         // it has found drafts
    wire [DRAFTS*ID_W-1:0] list_drafts;
    wire                 all_kept;           // a lookup ends that has found drafts
    wire                 right = id == guess_q;

    always @(posedge clk) begin
        changed_q <= put || all_kept || (enter && fresh) || skipping_q[1];
        if (changed_q)
            known_mem[slot_q] <= {last_q, count_q, guess_q, guessed_q, confidence_q};
        if (enter) begin
            slot_q <= slot;
            base_q <= base[ADDR_W-1:0];
            {last_q, count_q, guess_q, guessed_q, confidence_q} <= known;
        end else begin
            if (put || skip)
                count_q <= count_q + 1'b1;
            if (put || skipping_q[1])
                last_q <= {last_q[LAST_W-ID_W-1:0], put ? id : row[way1_q*ID_W +: ID_W]};
            if (put && guessed_q && confidence_q != (right ? 2'd3 : 2'd0))
                confidence_q <= right ? confidence_q + 2'd1 : confidence_q - 2'd1;
            if (put || all_kept)
                guessed_q <= !put;
            if (all_kept)
                guess_q <= list_hit ? list_drafts[ID_W-1:0] : drafts[ID_W-1:0];
        end
    end

    // ---- lists of the host ----
    generate
        if (LIST == 1) begin : gen_list
            rill_draft_list #(.SLOTS(SLOTS), .CONTEXT(CONTEXT), .VOCAB(VOCAB), .ID_W(ID_W), .DRAFTS(DRAFTS)) u_list (
                .clk(clk), .rst(rst), .drop(list_drop), .restart(list_set), .put(list_put), .write_slot(list_slot),
                .word(list_word), .look(find), .slot(slot_q), .count(count_q), .last(last_q[ID_W-1:0]),
                .over(list_over), .found(list_found), .drafts(list_drafts));
        end else begin : gen_no_list
            assign list_over = 1'b0;
            assign list_found = 1'b0;
            assign list_drafts = {(DRAFTS*ID_W){1'b0}};
            wire unused_list = &{1'b0, list_drop, list_set, list_put, list_slot, list_word};
        end
    endgenerate

    // ---- ids: place p of a slot is in row p / WAYS of the slot, way p mod WAYS ----
    reg  [ADDR_W-1:0]    read_q;
    wire [31:0]          first_row = {{(32-ADDR_W){1'b0}}, base_q};
    wire [31:0]          write_row = first_row + {{(32-AT_W+WAY_W){1'b0}}, count_q[AT_W-1:WAY_W]};
    wire [31:0]          read_row;
    genvar w, m;
    generate
        for (w = 0; w < WAYS; w = w + 1) begin : gen_way
            localparam [31:0] WAY = w;
            rill_ram_sdp #(.DATA_W(ID_W), .DEPTH(DEPTH)) u_ids (.clk(clk),
                .write_en(put && count_q[WAY_W-1:0] == WAY[WAY_W-1:0]), .write_addr(write_row[ADDR_W-1:0]),
                .write_strobe(1'b1), .write_data(id), .read_en(1'b1), .read_addr(read_q),
                .read_data(row[w*ID_W +: ID_W]));
        end
    endgenerate

    // ---- scan: the rows of the slot, from row 0 to that of place limit_q - 1 ----
    // A row passes these stages: 0 it is read, 1 it is in `row`, 2 it is in held_q, 3 its matches are in ways_q, 4 the
    // longest of them is in top_q. A cycle later best_q has it.
    localparam [1:0] S_IDLE = 2'd0, S_SCAN = 2'd1, S_READ = 2'd2, S_LIST = 2'd3;
    reg  [1:0]           state_q;
    reg  [AT_W-1:0]      limit_q;            // only places below it are considered
    reg  [ROW_W-1:0]     row_end_q;          // the last row with such places
    reg  [ROW_W-1:0]     scan_q;             // the row that is asked for
    reg                  asking_q;
    reg  [STAGES-1:0]    valid_q, final_q;   // for each stage: it has a row; it is the scan's last one
    reg  [ROW_W-1:0]     at0_q, at1_q, at2_q, at3_q; // the numbers of the rows in stages 0 to 3
    reg  [ROW_BITS-1:0]  held_q;
    reg  [ROW_BITS-1:0]  before_q;           // the row before held_q
    reg  [WAYS*MATCH_W-1:0] ways_q;          // length of the match of each way
    reg  [AT_W-1:0]      top_at_q;
    reg  [MATCH_W-1:0]   top_q;
    reg  [AT_W-1:0]      best_at_q;          // place of the longest match of the scan so far
    reg  [MATCH_W-1:0]   best_q;             // its length
    reg                  over_q;             // best_q has the result of the scan
    wire [AT_W-1:0]      limit = count_q > DRAFTS_32[AT_W-1:0] ? count_q - DRAFTS_32[AT_W-1:0] : {AT_W{1'b0}};
    wire [AT_W-1:0]      limit_last = limit_q - 1'b1;
    wire                 listed = state_q == S_LIST && list_over;
    wire                 searches = LIST == 1 ? listed && !list_found : find; // the search begins, if there are places
    wire                 finds = searches && limit_q != {AT_W{1'b0}};

    // The id that is k places before the place of way w has index WAYS + w - k.
    wire [2*ROW_BITS-1:0] both = {held_q, before_q};
    wire [WAYS*MATCH_W-1:0] lengths;
    generate
        for (w = 0; w < WAYS; w = w + 1) begin : gen_match
            localparam [31:0] WAY = w;
            wire [AT_W-1:0] at = {{(AT_W-ROW_W-WAY_W){1'b0}}, at2_q, WAY[WAY_W-1:0]};
            wire [AT_W-1:0] ids_up = at + 1'b1;            // ids up to the place
            wire [MOST-1:0] same;
            for (m = 0; m < MOST; m = m + 1) begin : gen_id
                localparam [31:0] BACK = m;
                assign same[m] = ids_up > BACK[AT_W-1:0] && both[(WAYS+w-m)*ID_W +: ID_W] == last_q[m*ID_W +: ID_W];
            end
            assign lengths[w*MATCH_W +: MATCH_W] = at < limit_q ? length_of(same) : {MATCH_W{1'b0}};
        end
    endgenerate

    // Returns the number of successive ones from bit 0 up.
    function [MATCH_W-1:0] length_of(input [MOST-1:0] same);
        integer n;
        begin
            length_of = {MATCH_W{1'b0}};
            for (n = MOST - 1; n >= 0; n = n - 1)
                length_of = same[n] ? length_of + 1'b1 : {MATCH_W{1'b0}};
        end
    endfunction

    reg  [MATCH_W-1:0]   top;
    reg  [WAY_W-1:0]     top_way;
    integer              i;
    always @* begin
        top = {MATCH_W{1'b0}};
        top_way = {WAY_W{1'b0}};
        for (i = 0; i < WAYS; i = i + 1)     // the latest of equally long matches
            if (ways_q[i*MATCH_W +: MATCH_W] >= top) begin
                top = ways_q[i*MATCH_W +: MATCH_W];
                top_way = i[WAY_W-1:0];
            end
    end

    // ---- the ids after the best place ----
    reg  [3:0]           take_q;             // drafts that were asked for
    reg  [AT_W-1:0]      next_q;             // place of the next draft
    reg  [1:0]           taking_q;           // stages 0 and 1 have a draft
    reg  [3:0]           kept_q;             // drafts that have arrived
    reg  [DRAFTS*ID_W-1:0] drafts_q;
    assign drafts = drafts_q;
    assign list_hit = listed && list_found;
    assign all_kept = !rst && ((state_q == S_READ && kept_q == DRAFTS_32[3:0]) || list_hit);
    wire                 takes = state_q == S_READ && take_q != DRAFTS_32[3:0];
    wire [ROW_W-1:0]     read_at = skip ? count_q[WAY_W +: ROW_W] : state_q == S_READ ? next_q[WAY_W +: ROW_W] : scan_q;
    assign read_row = first_row + {{(32-ROW_W){1'b0}}, read_at};
    wire                 found = best_q >= LEAST_32[MATCH_W-1:0];

    always @(posedge clk)
        if (rst) begin
            state_q <= S_IDLE;
            ready <= 1'b0;
            more <= 4'd0;
        end else
            case (state_q)
                S_IDLE: if (find) begin
                    state_q <= LIST == 1 ? S_LIST : finds ? S_SCAN : S_IDLE;
                    ready <= LIST != 1 && !finds;
                    more <= 4'd0;
                end
                S_LIST: if (list_over) begin
                    state_q <= finds ? S_SCAN : S_IDLE;
                    ready <= !finds;
                    more <= list_found && confidence_q[1] ? DRAFTS_32[3:0] : 4'd0;
                end
                S_SCAN: if (over_q) begin
                    state_q <= found ? S_READ : S_IDLE;
                    ready <= !found;
                end
                default: if (all_kept) begin
                    state_q <= S_IDLE;
                    ready <= 1'b1;
                    more <= confidence_q[1] ? DRAFTS_32[3:0] : 4'd0;
                end
            endcase

    always @(posedge clk) begin
        limit_q <= limit;
        row_end_q <= limit_last[WAY_W +: ROW_W];
        if (state_q == S_IDLE)
            scan_q <= {ROW_W{1'b0}};
        else if (asking_q)
            scan_q <= scan_q + 1'b1;
        asking_q <= !rst && (finds || (state_q != S_IDLE && asking_q && scan_q != row_end_q));
        read_q <= read_row[ADDR_W-1:0];
        valid_q <= state_q == S_SCAN ? {valid_q[STAGES-2:0], asking_q} : {STAGES{1'b0}};
        final_q <= {final_q[STAGES-2:0], scan_q == row_end_q};
        {at0_q, at1_q, at2_q, at3_q} <= {scan_q, at0_q, at1_q, at2_q};
        held_q <= row;
        before_q <= held_q;
        ways_q <= lengths;
        top_at_q <= {{(AT_W-ROW_W-WAY_W){1'b0}}, at3_q, top_way};
        top_q <= top;
        if (state_q == S_IDLE)
            best_q <= {MATCH_W{1'b0}};
        else if (valid_q[STAGES-1] && top_q >= best_q) begin
            best_q <= top_q;
            best_at_q <= top_at_q;
        end
        over_q <= state_q == S_SCAN && valid_q[STAGES-1] && final_q[STAGES-1];

        if (state_q == S_SCAN) begin
            take_q <= 4'd0;
            next_q <= best_at_q + 1'b1;
        end else if (takes) begin
            take_q <= take_q + 4'd1;
            next_q <= next_q + 1'b1;
        end
        taking_q <= {taking_q[0], takes};
        skipping_q <= {skipping_q[0], skip};
        {way0_q, way1_q} <= {skip ? count_q[WAY_W-1:0] : next_q[WAY_W-1:0], way0_q};
        if (state_q == S_LIST)
            drafts_q <= list_drafts;
        if (state_q == S_SCAN)
            kept_q <= 4'd0;
        else if (taking_q[1]) begin
            kept_q <= kept_q + 4'd1;
            drafts_q[kept_q*ID_W +: ID_W] <= row[way1_q*ID_W +: ID_W];
        end
    end

`ifdef RILL_ASSERT
    always @(posedge clk)
        if (!rst && (put || enter || skip) && (state_q != S_IDLE || find)) begin
            $display("%m: ERROR a slot changes during a lookup");
            $stop;
        end
`endif

    wire unused = &{1'b0, base, write_row, read_row, DRAFTS_32, LEAST_32, CONFIDENCE_32, ROWS_32, limit_last, both};
endmodule

`default_nettype wire
