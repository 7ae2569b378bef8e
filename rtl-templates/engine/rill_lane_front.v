// SPDX-License-Identifier: Apache-2.0
// Memory side of a lane: holds the waiting beats and selects the beat of the current command. It is on the home die of
// the engine even if the rest of the lane is on another die. All paths from here to the rest start at registers.
//
// s_axis_beat: the channel's stream, with a FIFO of LANE_BEATS beats. arrived: one pulse per beat taken in.
// beat, in the cycle after the command: local_beat with use_local, the next waiting beat with pop, else the beat of the
// previous command. If multiply is 1, the command multiplies the beat (weights, keys or values, not a header). Then 8
// is added to signed nibbles by inverting their top bit, because rill_matrix_lane takes unsigned nibbles.
// Reset: clk, synchronous active-high rst; waiting beats are discarded.
//
// name        meaning                        unit   range
// BEAT_BITS   width of a beat                bits   256, 512
// LANE_BEATS  capacity of the FIFO of beats  beats  3 or more
`default_nettype none

module rill_lane_front #(
    parameter BEAT_BITS = 0,
    parameter LANE_BEATS = 0
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire                 s_axis_beat_tvalid,
    output wire                 s_axis_beat_tready,
    input  wire [BEAT_BITS-1:0] s_axis_beat_tdata,
    output reg                  arrived,
    input  wire                 pop,
    input  wire                 use_local,
    input  wire                 multiply,   // the beat is multiplied: it is not a header
    input  wire                 int4,
    input  wire [BEAT_BITS-1:0] local_beat,
    output wire [BEAT_BITS-1:0] beat
);
    localparam FILL_W = $clog2(LANE_BEATS + 1);

    generate
        if (BEAT_BITS != 256 && BEAT_BITS != 512) begin : gen_bad_bits
            rill_error_BEAT_BITS_must_be_256_or_512 u_error ();
        end
        if (LANE_BEATS < 3) begin : gen_bad_beats
            rill_error_LANE_BEATS_must_be_at_least_3 u_error ();
        end
    endgenerate

    wire                 waiting;
    wire [FILL_W-1:0]    fill;
    wire [FILL_W-1:0]    high;
    wire [BEAT_BITS-1:0] next_beat;
    rill_fifo #(.DATA_W(BEAT_BITS), .DEPTH(LANE_BEATS), .RAM_STYLE("distributed")) u_beats (
        .clk(clk), .rst(rst), .s_axis_tvalid(s_axis_beat_tvalid), .s_axis_tready(s_axis_beat_tready),
        .s_axis_tdata(s_axis_beat_tdata),
        .m_axis_tvalid(waiting), .m_axis_tready(pop), .m_axis_tdata(next_beat), .occupancy(fill), .high_water(high));

    wire [BEAT_BITS-1:0] signs = multiply ? {BEAT_BITS/8{4'h8, int4, 3'd0}} : {BEAT_BITS{1'b0}};
    // The rest of the lane may be on another die (user_sll_reg: see rill_hop_stage).
    (* keep = "true", user_sll_reg = "true" *) reg [BEAT_BITS-1:0] beat_q;
    assign beat = beat_q;
    always @(posedge clk) begin
        arrived <= !rst && s_axis_beat_tvalid && s_axis_beat_tready;
        if (use_local)
            beat_q <= local_beat ^ signs;
        else if (pop)
            beat_q <= next_beat ^ signs;
    end

`ifdef RILL_ASSERT
    rill_assert #(.SAYS("a beat is popped that is not there")) u_assert_pop (.clk(clk),
        .broken(!rst && pop && !waiting));
`endif
    wire unused = &{1'b0, waiting, fill, high};
endmodule

`default_nettype wire
