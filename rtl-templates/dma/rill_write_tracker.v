// SPDX-License-Identifier: Apache-2.0
// Counts the layers of a writer whose writes all have their responses, in order.
//
// given[i]: a pulse for each descriptor that write engine i has taken. layer_done: a pulse after each layer: every
// descriptor and beat of it has been taken; given pulses of a layer come at the latest with its layer_done and after
// that of the layer before (a layer may have none). written[i]: a pulse when the responses to a descriptor are all in,
// descriptors in their order, later than its given.
// layers_done: layers of whose descriptors all have been written. What a later layer has given or not given never
// delays it, so it depends on no stream: a layer that is done gets counted by itself, as memory always answers whole
// bursts.
// Latency: 2 cycles from the last written pulse, or from a layer_done without open descriptors, more by those of a
// round before. An engine's open descriptors are of the round that is waited for, of whole layers after it (the next
// round), or of the layer that is not done yet.
// Reset: clk, synchronous active-high rst; the count starts at 0.
//
// name      meaning                                             unit     range
// WRITERS   write engines                                       writers  1 or more
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

    localparam [COUNT_W:0] NONE = 0;         // a bit more than a count: Yosys reads {0{...}} of a missing parameter

    reg  [LAYERS_W-1:0] ended_q;             // layers that are done
    reg  [LAYERS_W-1:0] covered_q;           // layers up to the end of the round
    wire [WRITERS-1:0]  clear;               // nothing of the round is open
    wire                turn = &clear;       // the next round begins
    // A cycle after layer_done: the last given of the layer has been counted then.
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
            // open descriptors of the round, of whole layers after it, of the present layer
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
            reg  [COUNT_W:0]   open_q;
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
