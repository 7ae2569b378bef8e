// SPDX-License-Identifier: Apache-2.0
// Weights of a matrix engine that stay on chip (docs/engine.md). They are loaded at a start, or kept from an earlier
// load. Each lane of the engine has its own RAM, from which it reads at one beat per cycle without a memory channel.
//
// Load: works as in rill_param_store. A pulse on load_start begins a load. Each cycle with load_valid brings a piece: a
// beat or a part of a beat, the low part first. The first beat is beat 0 of lane 0. Beat 0 of the other lanes follows,
// then beat 1 of lane 0, and so on. Instead of beats, a pulse on keep may follow load_start. It makes the contents of
// the latest complete load valid again, also after a reset, because a reset does not clear the RAMs.
// Read: s_axis_desc brings runs of beats {beats, offset}, as from rill_segment_walker. offset is in bytes from a lane's
// first beat. Every lane sends the beats of every run. A run is not read before the load is complete. beats is at least
// 1, and a run ends within the RAM. A reset discards all earlier runs. load_start discards only the runs that the lanes
// have taken, and not those that still wait in u_runs.
// Throughput: one beat per cycle in each lane, also from run to run if a run has at least two beats.
// Latency: 5 cycles from a descriptor to its first beat, with more than eight lanes 6.
// HOPS: load_start, keep and load_valid pass HOPS register stages (as in rill_param_store). load_data has no stages
// here, so it must arrive HOPS cycles after load_valid.
// Reset: clk, synchronous active-high rst; control only. The contents are invalid until the next load or keep.
// s_axis_desc_tready is low in reset, from its second cycle on.
//
// name       meaning                                   unit    range
// LOAD_BITS  width of a piece; divides BEAT_BITS       bits    1 or more
// BEAT_BITS  width of a beat                           bits    64, 128, 256, 512
// LANES      lanes of the engine                       lanes   1 to 64
// DEPTH      beats that each lane's RAM holds          beats   1 or more
// RAM_STYLE  style of the storage                      -       "auto", "distributed", "block", "ultra"
// HOPS       register stages from the loader           clocks  0 or more
`default_nettype none

module rill_weight_store #(
    parameter LOAD_BITS = 0,
    parameter BEAT_BITS = 0,
    parameter LANES = 0,
    parameter DEPTH = 0,
    parameter RAM_STYLE = "auto",
    parameter HOPS = 0
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire                 load_start,
    input  wire                 keep,
    input  wire                 load_valid,
    input  wire [LOAD_BITS-1:0] load_data,
    input  wire                 s_axis_desc_tvalid,
    output wire                 s_axis_desc_tready,
    input  wire [55:0]          s_axis_desc_tdata,   // {beats, offset}
    output wire [LANES-1:0]     m_axis_beat_tvalid,
    input  wire [LANES-1:0]     m_axis_beat_tready,
    output wire [LANES*BEAT_BITS-1:0] m_axis_beat_tdata
);
    `include "rill_fields.vh"
    localparam FAN_OUT = 8;                  // lanes that share a register of the data to be stored
    localparam GROUPS = (LANES + FAN_OUT - 1) / FAN_OUT;
    localparam PIECES = LOAD_BITS > 0 ? BEAT_BITS / LOAD_BITS : 1;
    localparam PIECE_W = PIECES > 1 ? $clog2(PIECES) : 1;
    localparam LANE_W = LANES > 1 ? $clog2(LANES) : 1;
    localparam ADDR_W = DEPTH > 1 ? $clog2(DEPTH) : 1;
    localparam BYTE_W = $clog2(BEAT_BITS / 8);
    localparam [31:0] LAST_PIECE = PIECES - 1;
    localparam [31:0] LAST_LANE = LANES - 1;
    localparam [31:0] LAST_ADDR = DEPTH - 1;

    generate
        if (BEAT_BITS != 64 && BEAT_BITS != 128 && BEAT_BITS != 256 && BEAT_BITS != 512) begin : gen_bad_beat
            rill_error_BEAT_BITS_must_be_64_128_256_or_512 u_error ();
        end else if (LOAD_BITS < 1 || PIECES * LOAD_BITS != BEAT_BITS) begin : gen_bad_load
            rill_error_LOAD_BITS_must_divide_BEAT_BITS u_error ();
        end
        if (LANES < 1 || LANES > 64 || DEPTH < 1) begin : gen_bad_size
            rill_error_LANES_must_be_1_to_64_and_DEPTH_at_least_1 u_error ();
        end
    endgenerate

    wire start;
    wire kept;
    wire brought;
    // These stages are on the dies along the way. They have no reset. Their inputs are 0 in a reset, so a reset of HOPS
    // cycles fills them with zeros.
    rill_hop #(.DATA_W(3), .STAGES(HOPS)) u_hop (.clk(clk), .rst(1'b0), .d({load_start, keep, load_valid}),
        .q({start, kept, brought}));
    wire restart = rst || start;

    // ---- load: collect a beat, store it in its lane ----
    reg                 loading_q;
    reg  [PIECE_W-1:0]  piece_q;
    reg                 full_q;              // every beat has been stored
    reg  [GROUPS-1:0]   stored_q;            // bit g: group g has the last beat in its registers
    // Registers of each group of lanes, the first group in the low bits. Each group copies the registers of the group
    // before it, one cycle later, so that no register has more loads than the lanes of a group.
    reg  [GROUPS-1:0]           write_q;
    reg  [GROUPS*LANE_W-1:0]    lane_q;
    reg  [GROUPS*ADDR_W-1:0]    addr_q;
    reg  [GROUPS*BEAT_BITS-1:0] data_q;
    reg  [LANE_W-1:0]   next_lane_q;
    reg  [ADDR_W-1:0]   next_addr_q;
    wire                bring = brought && loading_q;
    wire                whole = bring && piece_q == LAST_PIECE[PIECE_W-1:0];
    wire                last_lane = next_lane_q == LAST_LANE[LANE_W-1:0];
    wire                last_beat = whole && last_lane && next_addr_q == LAST_ADDR[ADDR_W-1:0];
    wire [BEAT_BITS-1:0] beat;

    always @(posedge clk) begin
        if (restart) begin
            loading_q <= !rst;
            piece_q <= {PIECE_W{1'b0}};
            next_lane_q <= {LANE_W{1'b0}};
            next_addr_q <= {ADDR_W{1'b0}};
            full_q <= 1'b0;
        end else begin
            if (bring)
                piece_q <= whole ? {PIECE_W{1'b0}} : piece_q + 1'b1;
            if (whole) begin
                next_lane_q <= last_lane ? {LANE_W{1'b0}} : next_lane_q + 1'b1;
                if (last_lane)
                    next_addr_q <= next_addr_q + 1'b1;
            end
            if (last_beat || kept)
                loading_q <= 1'b0;
            if (stored_q[GROUPS-1] || kept)
                full_q <= 1'b1;
        end
        if (restart) begin
            write_q[0] <= 1'b0;
            stored_q[0] <= 1'b0;
        end else begin
            write_q[0] <= whole;
            stored_q[0] <= last_beat;
        end
        lane_q[LANE_W-1:0] <= next_lane_q;
        addr_q[ADDR_W-1:0] <= next_addr_q;
        if (bring)
            data_q[BEAT_BITS-1:0] <= beat;
    end
    generate
        if (PIECES == 1) begin : gen_whole
            assign beat = load_data;
        end else begin : gen_collect
            assign beat = {load_data, data_q[BEAT_BITS-1:LOAD_BITS]};
        end
    endgenerate

    // ---- read: every lane gets every run ----
    wire [LANES-1:0]    run_tvalid;
    wire [LANES-1:0]    run_tready;
    wire [GROUPS*(ADDR_W+16)-1:0] run_tdata;
    rill_fork_tree #(.DATA_W(ADDR_W + 16), .PORTS(LANES), .GROUP(FAN_OUT)) u_runs (
        .clk(clk), .rst(rst), .s_axis_tvalid(s_axis_desc_tvalid), .s_axis_tready(s_axis_desc_tready),
        .s_axis_tdata({s_axis_desc_tdata[DESCRIPTOR_BEATS +: DESCRIPTOR_BEATS_W],
            s_axis_desc_tdata[DESCRIPTOR_OFFSET+BYTE_W +: ADDR_W]}),
        .m_axis_tvalid(run_tvalid), .m_axis_tready(run_tready), .m_axis_tdata(run_tdata));

    genvar g, l;
    generate
        for (g = 1; g < GROUPS; g = g + 1) begin : gen_group
            always @(posedge clk) begin
                if (restart) begin
                    write_q[g] <= 1'b0;
                    stored_q[g] <= 1'b0;
                end else begin
                    write_q[g] <= write_q[g-1];
                    stored_q[g] <= stored_q[g-1];
                end
                lane_q[g*LANE_W +: LANE_W] <= lane_q[(g-1)*LANE_W +: LANE_W];
                addr_q[g*ADDR_W +: ADDR_W] <= addr_q[(g-1)*ADDR_W +: ADDR_W];
                data_q[g*BEAT_BITS +: BEAT_BITS] <= data_q[(g-1)*BEAT_BITS +: BEAT_BITS];
            end
        end
        for (l = 0; l < LANES; l = l + 1) begin : gen_lane
            localparam IN = l / FAN_OUT;     // group of the lane
            localparam [31:0] LANE = l;
            rill_weight_lane #(.BEAT_BITS(BEAT_BITS), .DEPTH(DEPTH), .RAM_STYLE(RAM_STYLE)) u_lane (
                .clk(clk), .rst(restart), .write_en(write_q[IN] && lane_q[IN*LANE_W +: LANE_W] == LANE[LANE_W-1:0]),
                .write_addr(addr_q[IN*ADDR_W +: ADDR_W]), .write_data(data_q[IN*BEAT_BITS +: BEAT_BITS]),
                .filled(full_q), .s_axis_run_tvalid(run_tvalid[l]), .s_axis_run_tready(run_tready[l]),
                .s_axis_run_tdata(run_tdata[IN*(ADDR_W+16) +: ADDR_W+16]),
                .m_axis_beat_tvalid(m_axis_beat_tvalid[l]), .m_axis_beat_tready(m_axis_beat_tready[l]),
                .m_axis_beat_tdata(m_axis_beat_tdata[l*BEAT_BITS +: BEAT_BITS]));
        end
    endgenerate

    wire unused = &{1'b0, s_axis_desc_tdata, LAST_PIECE, LAST_LANE, LAST_ADDR};
endmodule

`default_nettype wire
