// SPDX-License-Identifier: Apache-2.0
// Finds drafts for the next step of a request: ids that are likely to follow its last id. A draft is a guess, which the
// model checks. See docs/decisions/drafts.md.
//
// Ids: in each cycle in which `put` is high, `id` is appended to the ids of the request. `clear` (level) forgets all
// ids and discards a lookup. The place of an id is its number in the request, from 0.
// Lookup: `find` (pulse) compares the last ids of the request with the ids that end at every earlier place. The place
// with the longest match wins, and among equally long matches the latest place. A match has LEAST to MOST ids. Only
// places that are followed by DRAFTS ids are considered. Then `ready` rises, and `found` tells whether there was a
// match. If so, `drafts` has the DRAFTS ids after the place, the first in the low bits. All three stay until the next
// `find`, but `clear` and rst lower `ready`, which is also low before the first lookup. No id may be put from a `find`
// to its `ready`.
// LIST 1: the host may predict ids (rill_draft_list; list_drop, list_set, list_put and list_word are its ports
// drop[0], restart, put and word). If its list has drafts for the place after the last id, a lookup gives these,
// without a search.
// Latency of a lookup among n ids: ceil(n / WAYS) + DRAFTS + 10 cycles at most. LIST adds 3 cycles, or DRAFTS + 4 if
// its ids do not agree. If it has drafts, the latency is DRAFTS + 5 cycles.
// Reset: clk, synchronous active-high rst.
//
// name     meaning                              unit       range
// CONTEXT  ids of the longest request           ids        1 to 65535
// ID_W     width of an id                       bits       1 to 32
// DRAFTS   drafts that a lookup finds           ids        1 to 7
// LEAST    ids of the shortest match            ids        1 to MOST
// MOST     ids of the longest match             ids        2 to 4
// WAYS     places that are compared in a cycle  places     4, 8, 16
// LIST     1: with a list of the host           -          0, 1
// VOCAB    LIST: ids are below it; 0: any       ids        0 or more
`default_nettype none

module rill_draft_lookup #(
    parameter CONTEXT = 0,
    parameter ID_W = 0,
    parameter DRAFTS = 0,
    parameter LEAST = 2,
    parameter MOST = 3,
    parameter WAYS = 8,
    parameter LIST = 0,
    parameter VOCAB = 0
) (
    input  wire                   clk,
    input  wire                   rst,
    input  wire                   clear,
    input  wire                   put,
    input  wire [ID_W-1:0]        id,
    input  wire                   find,
    input  wire                   list_drop,             // this and the next three: with LIST, else unused
    input  wire                   list_set,
    input  wire                   list_put,
    input  wire [31:0]            list_word,
    output reg                    ready,
    output reg                    found,
    output wire [DRAFTS*ID_W-1:0] drafts
);
    localparam WAY_W = $clog2(WAYS > 1 ? WAYS : 2);
    localparam ROWS = (CONTEXT + 1 + (WAYS > 0 ? WAYS : 1) - 1) / (WAYS > 0 ? WAYS : 1);
    localparam ROW_W = ROWS > 1 ? $clog2(ROWS) : 1;
    localparam AT_W = 17;                    // width of a place
    localparam ROW_BITS = (ID_W > 0 ? ID_W : 1) * WAYS;
    localparam MATCH_W = 3;
    localparam [31:0] DRAFTS_32 = DRAFTS;
    localparam [31:0] LEAST_32 = LEAST;

    generate
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
        if (LIST != 0 && LIST != 1) begin : gen_bad_list
            rill_error_LIST_must_be_0_or_1 u_error ();
        end
    endgenerate

    // ---- ids: place p is in row p / WAYS, way p mod WAYS ----
    reg  [AT_W-1:0]      count_q;            // ids so far
    reg  [MOST*ID_W-1:0] last_q;             // the last ids, the latest in the low bits
    reg  [ROW_W-1:0]     read_row_q;
    wire [ROW_BITS-1:0]  row;                // the row of read_row_q one cycle before
    genvar w, m;
    generate
        for (w = 0; w < WAYS; w = w + 1) begin : gen_way
            localparam [31:0] WAY = w;
            rill_ram_sdp #(.DATA_W(ID_W), .DEPTH(ROWS)) u_ids (.clk(clk),
                .write_en(put && count_q[WAY_W-1:0] == WAY[WAY_W-1:0]), .write_addr(count_q[WAY_W +: ROW_W]),
                .write_strobe(1'b1), .write_data(id), .read_en(1'b1), .read_addr(read_row_q),
                .read_data(row[w*ID_W +: ID_W]));
        end
    endgenerate

    always @(posedge clk) begin
        if (rst || clear)
            count_q <= {AT_W{1'b0}};
        else if (put)
            count_q <= count_q + 1'b1;
        if (put)
            last_q <= {last_q[(MOST-1)*ID_W-1:0], id};
    end

    // ---- the host's list ----
    wire                 list_over;
    wire                 list_found;
    wire [DRAFTS*ID_W-1:0] list_drafts;
    generate
        if (LIST == 1) begin : gen_list
            rill_draft_list #(.SLOTS(1), .CONTEXT(CONTEXT), .VOCAB(VOCAB), .ID_W(ID_W), .DRAFTS(DRAFTS)) u_list (
                .clk(clk), .rst(rst || clear), .drop({15'd0, list_drop}), .restart(list_set), .put(list_put),
                .write_slot(4'd0), .word(list_word), .look(find), .slot(4'd0), .count(count_q), .last(last_q[ID_W-1:0]),
                .over(list_over), .found(list_found), .drafts(list_drafts));
        end else begin : gen_no_list
            assign list_over = 1'b0;
            assign list_found = 1'b0;
            assign list_drafts = {(DRAFTS*ID_W){1'b0}};
            wire unused_list = &{1'b0, list_drop, list_set, list_put, list_word};
        end
    endgenerate

    // ---- scan: rows are read backwards, from the row of place limit_q - 1 to row 0 ----
    localparam [2:0] S_IDLE = 3'd0, S_LIMIT = 3'd1, S_SCAN = 3'd2, S_READ = 3'd3, S_END = 3'd4,
        S_LIST = 3'd5;
    reg  [2:0]           state_q;
    reg  [AT_W-1:0]      limit_q;            // only places below it are considered
    reg                  asked_q;            // read_row_q is part of the scan
    reg                  held_valid_q;
    reg                  row_valid_q;        // `row` is part of the scan
    reg  [ROW_W-1:0]     row_at_q;           // number of that row
    reg  [ROW_BITS-1:0]  held_q;             // the row numbered one above `row`, read one cycle before `row`
    reg  [ROW_W-1:0]     held_at_q;
    reg                  held_last_q;        // held_q is row 0, which has no row before it
    reg                  last_row_q;         // `row` is row 0
    // Match length of each way of held_q, one cycle later.
    reg                  ways_valid_q;
    reg                  ways_last_q;
    reg  [ROW_W-1:0]     ways_at_q;
    reg  [WAYS*MATCH_W-1:0] ways_q;
    // The way with the longest match, one cycle later.
    reg                  top_valid_q;
    reg                  top_last_q;
    reg  [AT_W-1:0]      top_at_q;
    reg  [MATCH_W-1:0]   top_q;
    reg  [AT_W-1:0]      best_at_q;          // place of the longest match of the scan so far
    reg  [MATCH_W-1:0]   best_q;             // its length

    // The ids of held_q and, below them, the ids of the row before it. The id that is k places before the place of way
    // w has index WAYS + w - k.
    wire [2*ROW_BITS-1:0] both = {held_q, held_last_q ? {ROW_BITS{1'b0}} : row};
    wire [WAYS*MATCH_W-1:0] lengths;
    generate
        for (w = 0; w < WAYS; w = w + 1) begin : gen_match
            localparam [31:0] WAY = w;
            wire [AT_W-1:0] at = {{(AT_W-ROW_W-WAY_W){1'b0}}, held_at_q, WAY[WAY_W-1:0]};
            wire [AT_W-1:0] ids_up = at + 1'b1;            // ids of the request up to this place, with it
            wire [MOST-1:0] same;
            for (m = 0; m < MOST; m = m + 1) begin : gen_id
                localparam [31:0] BACK = m;
                assign same[m] = ids_up > BACK[AT_W-1:0]
                    && both[(WAYS+w-m)*ID_W +: ID_W] == last_q[m*ID_W +: ID_W];
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
    reg  [2:0]           take_q;             // drafts that were asked for
    reg  [AT_W-1:0]      next_q;             // place of the next draft
    reg                  take_valid_q;       // a draft is read in this cycle
    reg                  take_row_q;         // the draft that was read is in `row`
    reg  [WAY_W-1:0]     take_way_q;
    reg  [WAY_W-1:0]     take_row_way_q;
    reg  [2:0]           kept_q;             // drafts that have arrived
    reg  [DRAFTS*ID_W-1:0] drafts_q;
    assign drafts = drafts_q;
    wire                 scan_end = top_valid_q && top_last_q;
    wire [MATCH_W-1:0]   best_d = top_valid_q && top_q > best_q ? top_q : best_q;
    wire [AT_W-1:0]      limit_d = count_q > DRAFTS_32[AT_W-1:0] ? count_q - DRAFTS_32[AT_W-1:0] : {AT_W{1'b0}};
    wire [AT_W-1:0]      limit_last = limit_q - 1'b1;

    always @(posedge clk)
        if (rst || clear) begin
            state_q <= S_IDLE;
            ready <= 1'b0;
        end else
            case (state_q)
                S_IDLE: if (find) begin
                    state_q <= LIST == 1 ? S_LIST : S_LIMIT;
                    ready <= 1'b0;
                end
                S_LIST: if (list_over) begin
                    state_q <= list_found ? S_IDLE : S_LIMIT;
                    ready <= list_found;
                end
                S_LIMIT: if (limit_q == {AT_W{1'b0}}) begin
                    state_q <= S_IDLE;
                    ready <= 1'b1;
                end else
                    state_q <= S_SCAN;
                S_SCAN: if (scan_end) begin
                    state_q <= best_d < LEAST_32[MATCH_W-1:0] ? S_IDLE : S_READ;
                    ready <= best_d < LEAST_32[MATCH_W-1:0];
                end
                S_READ: if (take_q == DRAFTS_32[2:0]) state_q <= S_END;
                default: if (kept_q == DRAFTS_32[2:0]) begin
                    state_q <= S_IDLE;
                    ready <= 1'b1;
                end
            endcase

    always @(posedge clk) begin
        if (state_q == S_IDLE) begin
            limit_q <= limit_d;
            found <= find ? 1'b0 : found;
        end
        if (state_q == S_SCAN && scan_end)
            found <= best_d >= LEAST_32[MATCH_W-1:0];
        else if (state_q == S_LIST && list_over)
            found <= list_found;

        // rows: asked, then `row`, then held_q
        asked_q <= (state_q == S_LIMIT && limit_q != {AT_W{1'b0}})
            || (state_q == S_SCAN && asked_q && read_row_q != {ROW_W{1'b0}});
        row_valid_q <= state_q == S_SCAN && asked_q;
        row_at_q <= read_row_q;
        last_row_q <= read_row_q == {ROW_W{1'b0}};
        held_valid_q <= state_q == S_SCAN && row_valid_q;
        held_q <= row;
        held_at_q <= row_at_q;
        held_last_q <= last_row_q;
        ways_valid_q <= state_q == S_SCAN && held_valid_q;
        ways_last_q <= held_last_q;
        ways_at_q <= held_at_q;
        ways_q <= lengths;
        top_valid_q <= state_q == S_SCAN && ways_valid_q && !scan_end;
        top_last_q <= ways_last_q;
        top_at_q <= {{(AT_W-ROW_W-WAY_W){1'b0}}, ways_at_q, top_way};
        top_q <= top;
        if (state_q == S_LIMIT)
            best_q <= {MATCH_W{1'b0}};
        else if (top_valid_q && top_q > best_q) begin
            best_q <= top_q;
            best_at_q <= top_at_q;
        end
        case (state_q)
            S_LIMIT: read_row_q <= limit_last[WAY_W +: ROW_W];
            S_SCAN: if (asked_q) read_row_q <= read_row_q - 1'b1;
            default: read_row_q <= next_q[WAY_W +: ROW_W];
        endcase

        // drafts: next_q, then read_row_q, then `row`
        if (state_q == S_SCAN) begin
            take_q <= 3'd0;
            next_q <= (top_valid_q && top_q > best_q ? top_at_q : best_at_q) + 1'b1;
        end else if (state_q == S_READ && take_q != DRAFTS_32[2:0]) begin
            take_q <= take_q + 3'd1;
            next_q <= next_q + 1'b1;
        end
        take_valid_q <= state_q == S_READ && take_q != DRAFTS_32[2:0];
        take_way_q <= next_q[WAY_W-1:0];
        take_row_q <= take_valid_q;
        take_row_way_q <= take_way_q;
        if (state_q == S_LIST)
            drafts_q <= list_drafts;
        if (state_q == S_SCAN)
            kept_q <= 3'd0;
        else if (take_row_q) begin
            kept_q <= kept_q + 3'd1;
            drafts_q[kept_q*ID_W +: ID_W] <= row[take_row_way_q*ID_W +: ID_W];
        end
    end

`ifdef RILL_ASSERT
    always @(posedge clk)
        if (!rst && !clear && put && (state_q != S_IDLE || find)) begin
            $display("%m: ERROR an id is put during a lookup");
            $stop;
        end
`endif

    wire unused = &{1'b0, DRAFTS_32, LEAST_32, limit_last, read_row_q, both};
endmodule

`default_nettype wire
