// SPDX-License-Identifier: Apache-2.0
// Counts, in order, the layers of a writer whose writes all have their responses.
//
// given[i]: one pulse for each descriptor that write engine i has taken. layer_done: one pulse after each layer, when
// all its descriptors and beats have been taken. The given pulses of a layer come no later than its layer_done, and
// after the layer_done of the previous layer. A layer may have no descriptors.
// written[i]: one pulse when all responses of a descriptor have come, in the order of the descriptors, and later than
// the given pulse of the descriptor.
// layers_done: number of layers whose descriptors have all been written. A later layer cannot delay the count, so the
// count depends on no stream: a finished layer is always counted in the end, because memory answers every burst.
// How it counts: descriptors are divided into rounds of whole layers. Each engine has three counts of open descriptors:
// round_q for the round that is waited for now, next_q for the layers that have finished meanwhile and form the next
// round, and part_q for the unfinished layer. A response belongs to the first of these counts that is not 0, so a
// descriptor of the unfinished layer may be written before its layer_done (of_part).
// Latency: 2 cycles from the last written pulse, or 3 cycles from a layer_done without open descriptors, plus the wait
// for the previous round.
// Reset: clk, synchronous active-high rst; the count starts at 0.
//
// name      meaning                                             unit     range
// WRITERS   write engines                                       engines  1 or more
// COUNT_W   width of the count of an engine's open descriptors  bits     1 to 16
// LAYERS_W  width of layers_done, which wraps                   bits     1 or more
`default_nettype none

module rill_write_tracker #(
    parameter WRITERS = 0,
    parameter COUNT_W = 0,
    parameter LAYERS_W = 32
) (
    input  wire                clk,
    input  wire                rst,
    input  wire                layer_done,
    input  wire [WRITERS-1:0]  given,
    input  wire [WRITERS-1:0]  written,
    output reg  [LAYERS_W-1:0] layers_done
);
    generate
        if (WRITERS < 1) begin : gen_bad_writers
            rill_error_WRITERS_must_be_at_least_1 u_error ();
        end
        if (COUNT_W < 1 || COUNT_W > 16) begin : gen_bad_count
            rill_error_COUNT_W_must_be_1_to_16 u_error ();
        end
    endgenerate

    // NONE has one bit more than a count, so that its range is never empty.
    localparam [COUNT_W:0] NONE = 0;

    reg  [LAYERS_W-1:0] ended_q;             // finished layers
    reg  [LAYERS_W-1:0] covered_q;           // layers up to the end of the round
    wire [WRITERS-1:0]  clear;               // per engine: no descriptor of the round is open
    wire                turn = &clear;       // the next round begins
    // One cycle after layer_done: by then the last given pulse of the layer has been counted.
    reg                 ends_q;
    wire [LAYERS_W-1:0] ended_d = ended_q + {{(LAYERS_W-1){1'b0}}, ends_q};

    always @(posedge clk)
        ends_q <= !rst && layer_done;
    always @(posedge clk)
        if (rst) begin
            ended_q <= {LAYERS_W{1'b0}};
            covered_q <= {LAYERS_W{1'b0}};
            layers_done <= {LAYERS_W{1'b0}};
        end else begin
            ended_q <= ended_d;
            if (turn) begin
                covered_q <= ended_d;
                layers_done <= covered_q;
            end
        end

    genvar i;
    generate
        for (i = 0; i < WRITERS; i = i + 1) begin : gen_writer
            // Open descriptors of the round, of whole layers after it, and of the unfinished layer.
            reg  [COUNT_W-1:0] round_q;
            reg  [COUNT_W-1:0] next_q;
            reg  [COUNT_W-1:0] part_q;
            reg                round_none_q; // round_q is 0
            wire [COUNT_W-1:0] next_in = ends_q ? next_q + part_q : next_q;
            wire [COUNT_W-1:0] part_left = ends_q ? NONE[COUNT_W-1:0] : part_q;
            wire               of_round = written[i] && !round_none_q;
            wire               of_next = written[i] && round_none_q && next_in != NONE[COUNT_W-1:0];
            wire               of_part = written[i] && round_none_q && next_in == NONE[COUNT_W-1:0];
            wire [COUNT_W-1:0] next_left = next_in - {{(COUNT_W-1){1'b0}}, of_next};
            wire [COUNT_W-1:0] round_d = turn ? next_left : round_q - {{(COUNT_W-1){1'b0}}, of_round};
            assign clear[i] = round_none_q;
            always @(posedge clk)
                if (rst) begin
                    round_q <= NONE[COUNT_W-1:0];
                    next_q <= NONE[COUNT_W-1:0];
                    part_q <= NONE[COUNT_W-1:0];
                    round_none_q <= 1'b1;
                end else begin
                    round_q <= round_d;
                    next_q <= turn ? NONE[COUNT_W-1:0] : next_left;
                    part_q <= part_left + {{(COUNT_W-1){1'b0}}, given[i]} - {{(COUNT_W-1){1'b0}}, of_part};
                    round_none_q <= round_d == NONE[COUNT_W-1:0];
                end
`ifdef RILL_ASSERT
            reg  [COUNT_W:0]   open_q;       // open descriptors of the engine
            always @(posedge clk)
                open_q <= rst ? NONE : open_q + {{COUNT_W{1'b0}}, given[i]} - {{COUNT_W{1'b0}}, written[i]};
            rill_assert #(.SAYS("more descriptors are open than COUNT_W counts")) u_assert_open (
                .clk(clk), .broken(!rst && given[i] && !written[i] && &open_q[COUNT_W-1:0]));
            rill_assert #(.SAYS("a descriptor is written that was not given")) u_assert_written (
                .clk(clk), .broken(!rst && written[i] && open_q == NONE));
`endif
        end
    endgenerate

    wire unused = &{1'b0, NONE};
endmodule

`default_nettype wire
