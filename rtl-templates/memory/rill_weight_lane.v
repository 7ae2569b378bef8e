// SPDX-License-Identifier: Apache-2.0
// The part of rill_weight_store for one lane of the engine: a RAM that a load fills, and a reader that sends runs of
// its beats. It takes the place of the lane's memory channel.
//
// Load: write_en stores write_data at write_addr. filled (level): everything has been stored, so runs may be read.
// Runs: s_axis_run brings runs {beats, number of the first beat}. m_axis_beat sends the beats of the runs in order. A
// run has at least one beat and ends within the RAM.
// Throughput: one beat per cycle, also from run to run if a run has at least two beats. Latency 4 cycles from a run to
// its first beat, if no other run is being read.
// Reset: clk, synchronous active-high rst; control only. The RAM keeps its contents. s_axis_run_tready is low in reset.
//
// name       meaning                      unit   range
// BEAT_BITS  width of a beat              bits   1 or more
// DEPTH      beats that the RAM holds     beats  1 or more
// RAM_STYLE  style of the storage         -      "auto", "distributed", "block", "ultra"
// ADDR_W     width of a beat's number     bits   derived
`default_nettype none

module rill_weight_lane #(
    parameter BEAT_BITS = 0,
    parameter DEPTH = 0,
    parameter RAM_STYLE = "auto",
    parameter ADDR_W = DEPTH > 1 ? $clog2(DEPTH) : 1
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire                 write_en,
    input  wire [ADDR_W-1:0]    write_addr,
    input  wire [BEAT_BITS-1:0] write_data,
    input  wire                 filled,
    input  wire                 s_axis_run_tvalid,
    output wire                 s_axis_run_tready,
    input  wire [ADDR_W+15:0]   s_axis_run_tdata,
    output wire                 m_axis_beat_tvalid,
    input  wire                 m_axis_beat_tready,
    output wire [BEAT_BITS-1:0] m_axis_beat_tdata
);
    generate
        if (BEAT_BITS < 1 || DEPTH < 1) begin : gen_bad_size
            rill_error_BEAT_BITS_and_DEPTH_must_be_at_least_1 u_error ();
        end
    endgenerate

    // One run waits while another one is being read.
    reg                 ready_q;
    reg                 wait_valid_q;
    reg  [ADDR_W-1:0]   wait_addr_q;
    reg  [15:0]         wait_beats_q;
    reg                 run_q;               // a run is being read
    reg  [ADDR_W-1:0]   addr_q;
    reg  [15:0]         left_q;              // beats of the run after the one at addr_q
    reg                 last_q;              // left_q is 0
    reg                 ahead_valid_q;       // the RAM's register has a beat
    wire [BEAT_BITS-1:0] ahead;
    reg                 out_valid_q;
    reg  [BEAT_BITS-1:0] out_q;
    wire                move = ahead_valid_q && (m_axis_beat_tready || !out_valid_q);
    wire                fetch = run_q && filled && (move || !ahead_valid_q);
    wire                take = s_axis_run_tvalid && ready_q;
    wire                begins = wait_valid_q && (!run_q || (fetch && last_q));
    wire                waits = take || (wait_valid_q && !begins);

    assign s_axis_run_tready = ready_q;
    assign m_axis_beat_tvalid = out_valid_q;
    assign m_axis_beat_tdata = out_q;
    rill_ram_sdp #(.DATA_W(BEAT_BITS), .DEPTH(DEPTH), .RAM_STYLE(RAM_STYLE)) u_ram (
        .clk(clk), .write_en(write_en), .write_addr(write_addr), .write_strobe(1'b1), .write_data(write_data),
        .read_en(fetch), .read_addr(addr_q), .read_data(ahead));

    always @(posedge clk) begin
        if (rst) begin
            ready_q <= 1'b0;
            wait_valid_q <= 1'b0;
            run_q <= 1'b0;
            ahead_valid_q <= 1'b0;
            out_valid_q <= 1'b0;
        end else begin
            ready_q <= !waits;
            wait_valid_q <= waits;
            run_q <= begins || (run_q && !(fetch && last_q));
            ahead_valid_q <= fetch || (ahead_valid_q && !move);
            out_valid_q <= move || (out_valid_q && !m_axis_beat_tready);
        end
        if (take)
            {wait_beats_q, wait_addr_q} <= s_axis_run_tdata;
        if (begins) begin
            addr_q <= wait_addr_q;
            left_q <= wait_beats_q - 16'd1;
            last_q <= wait_beats_q == 16'd1;
        end else if (fetch) begin
            addr_q <= addr_q + 1'b1;
            left_q <= left_q - 16'd1;
            last_q <= left_q == 16'd1;
        end
        if (move)
            out_q <= ahead;
    end

`ifdef RILL_ASSERT
    localparam [31:0] DEPTH_32 = DEPTH;
    rill_assert #(.SAYS("a run of weights has no beat")) u_assert_beats (.clk(clk),
        .broken(!rst && take && s_axis_run_tdata[ADDR_W +: 16] == 16'd0));
    rill_assert #(.SAYS("a run of weights ends after the RAM")) u_assert_end (.clk(clk),
        .broken(!rst && take && {{(32 - ADDR_W){1'b0}}, s_axis_run_tdata[ADDR_W-1:0]}
            + {16'd0, s_axis_run_tdata[ADDR_W +: 16]} > DEPTH_32));
`endif
endmodule

`default_nettype wire
