// SPDX-License-Identifier: Apache-2.0
// Gives the drafts of each generating step of a request, and stops for a while if they are never right. See
// docs/decisions/drafts.md.
//
// Ids: `put` appends an id to those of the request. `clear` (level) forgets all ids and counts.
// Steps: `judged` (pulse) tells that a step is over and a generating step follows. In this cycle, `drafted` is the
// number of drafts that the step had (0 for a step of the prompt), and `accepted` the number of its drafts that were
// right. Some cycles later `ready` rises. The next step may then have up to `more` drafts, which is DRAFTS or 0.
// `drafts` has them, the first in the low bits. All three stay until the next `judged`. No id may be put from a
// `judged` to its `ready`.
// Pause: if two successive steps with drafts had no right draft, the next PAUSE steps get no drafts. After a pause, a
// single step without a right draft starts the next pause. A right draft restores the first rule. Steps without drafts
// only count down a pause. While `off` is high, no step gets drafts.
// Latency: 1 cycle more than rill_draft_lookup; without a lookup 2 cycles.
// Reset: clk, synchronous active-high rst.
//
// name     meaning                        unit       range
// CONTEXT  length of the longest request  positions  1 to 65535
// ID_W     width of an id                 bits       1 to 32
// DRAFTS   drafts of a step               ids        1 to 7
// PAUSE    steps of a pause               steps      1 to 63
`default_nettype none

module rill_drafts #(
    parameter CONTEXT = 0,
    parameter ID_W = 0,
    parameter DRAFTS = 0,
    parameter PAUSE = 32
) (
    input  wire                   clk,
    input  wire                   rst,
    input  wire                   clear,
    input  wire                   off,
    input  wire                   put,
    input  wire [ID_W-1:0]        id,
    input  wire                   judged,
    input  wire [3:0]             drafted,
    input  wire [3:0]             accepted,
    output reg                    ready,
    output reg  [3:0]             more,
    output wire [DRAFTS*ID_W-1:0] drafts
);
    localparam [31:0] DRAFTS_32 = DRAFTS;
    localparam [31:0] PAUSE_32 = PAUSE;
    generate
        if (PAUSE < 1 || PAUSE > 63) begin : gen_bad_pause
            rill_error_PAUSE_must_be_1_to_63 u_error ();
        end
    endgenerate

    reg        missed_q;                     // the latest step with drafts had none that was right
    reg  [5:0] pause_q;                      // steps that are left of a pause
    reg        judged_q;
    reg        looks_q;                      // a lookup is under way
    wire       pauses = off || pause_q != 6'd0;
    wire       looked;
    wire       found;

    rill_draft_lookup #(.CONTEXT(CONTEXT), .ID_W(ID_W), .DRAFTS(DRAFTS)) u_lookup (
        .clk(clk), .rst(rst), .clear(clear), .put(put), .id(id), .find(judged_q && !pauses), .ready(looked),
        .found(found), .drafts(drafts));

    always @(posedge clk) begin
        if (rst || clear) begin
            missed_q <= 1'b0;
            pause_q <= 6'd0;
        end else if (judged && drafted != 4'd0) begin
            missed_q <= accepted == 4'd0;
            if (accepted == 4'd0 && missed_q)
                pause_q <= PAUSE_32[5:0];
        end else if (judged && pause_q != 6'd0)
            pause_q <= pause_q - 6'd1;

        judged_q <= judged && !rst && !clear;
        if (rst || clear) begin
            ready <= 1'b0;
            looks_q <= 1'b0;
        end else if (judged) begin
            ready <= 1'b0;
            looks_q <= 1'b0;
        end else if (judged_q) begin
            ready <= pauses;
            looks_q <= !pauses;
        end else if (looks_q && looked) begin
            ready <= 1'b1;
            looks_q <= 1'b0;
        end
        if (judged_q)
            more <= 4'd0;
        else if (looks_q && looked)
            more <= found ? DRAFTS_32[3:0] : 4'd0;
    end

    wire unused = &{1'b0, DRAFTS_32, PAUSE_32};
endmodule

`default_nettype wire
