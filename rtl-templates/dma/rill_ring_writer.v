// SPDX-License-Identifier: Apache-2.0
// Writes every generated token id to the ring buffer in memory as soon as it is made, with full beats.
//
// Ids come as {index[31:0], id[31:0]}; index counts up from 0. Word i of the ring is the id with index i. The current
// beat is kept and written again with each id that joins it, with zeros in the places that are not filled yet. So the
// ring must consist of whole beats.
// An id is taken when the write of the previous id has its response. ids_written counts responses, so the host may read
// that many ids.
// SLOTS above 1: bits 31:28 of index are the number of a slot, which has a separate ring and a separate beat. From the
// id's transfer until ids_written counts it, the base address at the rill_dma_write must be that of the slot's ring.
// Out: for each id, a descriptor of one beat and this beat, for one client of a rill_dma_write. The base of the client
// is the address of the ring. The client's bit of the rill_dma_write's output idle comes back as dma_idle.
// Throughput: one id at a time. It is counted 8 cycles after dma_idle has risen, because registers between the
// rill_dma_write and this module may delay dma_idle.
// Reset: clk, synchronous active-high rst; ids_written = 0.
//
// name       meaning                                         unit   range
// BEAT_BITS  width of a beat                                 bits   64, 128, 256, 512
// SLOTS      slots of the design, each with a separate ring  slots  1 to 16
`default_nettype none

module rill_ring_writer #(
    parameter BEAT_BITS = 0,
    parameter SLOTS = 1
) (
    input  wire                 clk,
    input  wire                 rst,

    input  wire                 s_axis_ring_tvalid,
    output wire                 s_axis_ring_tready,
    input  wire [63:0]          s_axis_ring_tdata,   // {index[31:0], id[31:0]}

    output wire                 m_axis_desc_tvalid,
    input  wire                 m_axis_desc_tready,
    output wire [55:0]          m_axis_desc_tdata,
    output wire                 m_axis_beat_tvalid,
    input  wire                 m_axis_beat_tready,
    output wire [BEAT_BITS-1:0] m_axis_beat_tdata,

    input  wire                 dma_idle,
    output reg  [31:0]          ids_written
);
    localparam IDS = BEAT_BITS / 32;
    localparam IDS_SHIFT = $clog2(IDS);
    localparam BEAT_SHIFT = $clog2(BEAT_BITS / 8);
    localparam [31:0] SLOT_MASK = IDS - 1;

    generate
        if (BEAT_BITS != 64 && BEAT_BITS != 128 && BEAT_BITS != 256 && BEAT_BITS != 512) begin : gen_bad_beat
            rill_error_BEAT_BITS_must_be_64_128_256_or_512 u_error ();
        end
        if (SLOTS < 1 || SLOTS > 16) begin : gen_bad_slots
            rill_error_SLOTS_must_be_1_to_16 u_error ();
        end
    endgenerate

    // S_ID: waits for an id. S_PLACE: puts the id into its beat. S_SEND: until descriptor and beat have left.
    // S_RESPONSE: until the write has its response.
    localparam [1:0] S_ID = 2'd0, S_PLACE = 2'd1, S_SEND = 2'd2, S_RESPONSE = 2'd3;
    reg  [1:0]           state_q;
    reg                  open_q;             // low in reset
    reg                  desc_valid_q;
    reg                  beat_valid_q;
    reg  [39:0]          offset_q;
    reg  [BEAT_BITS-1:0] beat_q;
    reg  [31:0]          id_q;
    reg  [IDS-1:0]       here_q;             // one-hot: the word of the beat that the id becomes
    reg  [IDS-1:0]       behind_q;           // words after the id, which become 0
    reg  [2:0]           settle_q;           // cycles of dma_idle in a row; S_RESPONSE waits for 8 of them

    wire        take = s_axis_ring_tvalid && s_axis_ring_tready;
    wire        place = state_q == S_PLACE;
    wire [31:0] index = SLOTS > 1 ? {4'd0, s_axis_ring_tdata[59:32]} : s_axis_ring_tdata[63:32];
    wire [BEAT_BITS-1:0] held;               // the beat of the id's ring so far
    wire [31:0] slot = index & SLOT_MASK;    // word of the beat that the id becomes (not a slot of the design)
    wire [31:0] beat_index = index >> IDS_SHIFT;

    assign s_axis_ring_tready = open_q && state_q == S_ID;
    assign m_axis_desc_tvalid = desc_valid_q;
    assign m_axis_desc_tdata = {16'd1, offset_q};
    assign m_axis_beat_tvalid = beat_valid_q;
    assign m_axis_beat_tdata = beat_q;

    integer i;
    always @(posedge clk)
        if (take) begin
            offset_q <= {8'd0, beat_index} << BEAT_SHIFT;
            id_q <= s_axis_ring_tdata[31:0];
            for (i = 0; i < IDS; i = i + 1) begin
                here_q[i] <= i == slot;
                behind_q[i] <= i > slot;
            end
        end else if (place)
            for (i = 0; i < IDS; i = i + 1)
                beat_q[i*32 +: 32] <= here_q[i] ? id_q : behind_q[i] ? 32'd0 : held[i*32 +: 32];

    generate
        if (SLOTS > 1) begin : gen_slots
            reg  [BEAT_BITS-1:0] beat_mem [0:15]; // the current beat of each slot's ring
            reg  [3:0]           slot_q;     // slot of the design to which the id belongs
            assign held = beat_mem[slot_q];
            always @(posedge clk) begin
                if (take)
                    slot_q <= s_axis_ring_tdata[63:60];
                if (state_q == S_SEND)
                    beat_mem[slot_q] <= beat_q;
            end
        end else begin : gen_one_ring
            assign held = beat_q;
        end
    endgenerate

    always @(posedge clk) begin
        open_q <= !rst;
        if (rst) begin
            state_q <= S_ID;
            desc_valid_q <= 1'b0;
            beat_valid_q <= 1'b0;
            settle_q <= 3'd0;
            ids_written <= 32'd0;
        end else begin
            if (place)
                desc_valid_q <= 1'b1;
            else if (m_axis_desc_tready)
                desc_valid_q <= 1'b0;
            if (place)
                beat_valid_q <= 1'b1;
            else if (m_axis_beat_tready)
                beat_valid_q <= 1'b0;
            settle_q <= (state_q == S_RESPONSE && dma_idle) ? settle_q + 3'd1 : 3'd0;
            case (state_q)
                S_ID: if (take) state_q <= S_PLACE;
                S_PLACE: state_q <= S_SEND;
                S_SEND: if (!desc_valid_q && !beat_valid_q) state_q <= S_RESPONSE;
                default:
                    if (dma_idle && settle_q == 3'd7) begin
                        state_q <= S_ID;
                        ids_written <= ids_written + 32'd1;
                    end
            endcase
        end
    end
endmodule

`default_nettype wire
