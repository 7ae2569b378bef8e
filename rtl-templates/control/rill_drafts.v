// SPDX-License-Identifier: Apache-2.0
// Gives the drafts of each generating step of a request, as long as its guesses are mostly right. See
// docs/decisions/drafts.md.
//
// Ids: `put` appends an id to those of the request. `clear` (level) forgets all ids and counts.
// Steps: `judged` (pulse) tells that a step is over and a generating step follows. Some cycles later `ready` rises. The
// next step may then have up to `more` drafts, which is DRAFTS or 0. `drafts` has them, the first in the low bits. All
// three stay until the next `judged`. No id may be put from a `judged` to its `ready`. While `off` is high, no step
// gets drafts.
// Confidence: drafts are looked up for each step, also if the step does not get them. The first of them is a guess at
// the id that is put next. A right guess raises the confidence by 1, at most to 3, and a wrong one lowers it by 1, at
// least to 0. Only with a confidence of 2 or 3 the step gets the drafts. So drafts that are always wrong cost at most
// two steps with drafts, and drafts begin again when guesses come true.
// LIST 1: the host may predict ids, with the ports list_drop, list_set, list_put and list_word of rill_draft_lookup.
// They are used before a search. They are guesses like others, and raise and lower the confidence.
// Latency: 1 cycle more than rill_draft_lookup; with `off` 2 cycles.
// Reset: clk, synchronous active-high rst.
//
// name        meaning                           unit       range
// CONTEXT     length of the longest request     positions  1 to 65535
// ID_W        width of an id                    bits       1 to 32
// DRAFTS      drafts of a step                  ids        1 to 7
// CONFIDENCE  confidence when a request begins  -          0 to 3
// LIST        1: with a list of the host        -          0, 1
// VOCAB       LIST: ids are below it; 0: any    ids        0 or more
`default_nettype none

module rill_drafts #(
    parameter CONTEXT = 0,
    parameter ID_W = 0,
    parameter DRAFTS = 0,
    parameter CONFIDENCE = 1,
    parameter LIST = 0,
    parameter VOCAB = 0
) (
    input  wire                   clk,
    input  wire                   rst,
    input  wire                   clear,
    input  wire                   off,
    input  wire                   put,
    input  wire [ID_W-1:0]        id,
    input  wire                   judged,
    input  wire                   list_drop,
    input  wire                   list_set,
    input  wire                   list_put,
    input  wire [31:0]            list_word,
    output reg                    ready,
    output reg  [3:0]             more,
    output wire [DRAFTS*ID_W-1:0] drafts
);
    localparam [31:0] DRAFTS_32 = DRAFTS;
    localparam [31:0] CONFIDENCE_32 = CONFIDENCE;
    generate
        if ($signed(CONFIDENCE) < 0 || CONFIDENCE > 3) begin : gen_bad_confidence
            rill_error_CONFIDENCE_must_be_0_to_3 u_error ();
        end
    endgenerate

    reg  [1:0] confidence_q;
    reg        guessed_q;                    // drafts were found, and no id has been put since
    reg        judged_q;
    reg        looks_q;                      // a lookup is under way
    wire       right = id == drafts[ID_W-1:0];
    wire       looks = judged_q && !off;     // a lookup begins
    wire       looked;
    wire       found;

    rill_draft_lookup #(.CONTEXT(CONTEXT), .ID_W(ID_W), .DRAFTS(DRAFTS), .LIST(LIST),
        .VOCAB(VOCAB)) u_lookup (
        .clk(clk), .rst(rst), .clear(clear), .put(put), .id(id), .find(looks), .list_drop(list_drop),
        .list_set(list_set), .list_put(list_put), .list_word(list_word), .ready(looked), .found(found),
        .drafts(drafts));

    always @(posedge clk) begin
        if (rst || clear)
            confidence_q <= CONFIDENCE_32[1:0];
        else if (put && guessed_q && confidence_q != (right ? 2'd3 : 2'd0))
            confidence_q <= right ? confidence_q + 2'd1 : confidence_q - 2'd1;
        guessed_q <= !rst && !clear && !put && (guessed_q || (looks_q && looked && found));

        judged_q <= judged && !rst && !clear;
        if (rst || clear) begin
            ready <= 1'b0;
            looks_q <= 1'b0;
        end else if (judged) begin
            ready <= 1'b0;
            looks_q <= 1'b0;
        end else if (judged_q) begin
            ready <= !looks;
            looks_q <= looks;
        end else if (looks_q && looked) begin
            ready <= 1'b1;
            looks_q <= 1'b0;
        end
        if (judged_q)
            more <= 4'd0;
        else if (looks_q && looked)
            more <= found && confidence_q[1] ? DRAFTS_32[3:0] : 4'd0;
    end

    wire unused = &{1'b0, DRAFTS_32, CONFIDENCE_32};
endmodule

`default_nettype wire
