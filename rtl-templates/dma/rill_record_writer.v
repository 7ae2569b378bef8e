// SPDX-License-Identifier: Apache-2.0
// Writes the record of log probabilities of every generated id to memory, and then passes the id on to the
// rill_ring_writer. So the record of an id is in memory before the id is counted.
//
// In: {index[31:0], record[511:0]} of rill_logprobs, where the low word of a record is the id. Out: {index[31:0],
// id[31:0]}, after the write of the record has its response.
// Record i is OFFSET + 64 * i bytes after the base address of the ring, in 512 / BEAT_BITS beats. SLOTS above 1: bits
// 31:28 of index are the number of a slot, which has a separate ring and separate records. From the transfer of a
// record until its id is passed on, the base address at the rill_dma_write must be that of the slot's ring.
// Out: for each record, a descriptor and its beats, for one client of a rill_dma_write. The client's bit of the
// rill_dma_write's output idle comes back as dma_idle.
// Throughput: one record at a time. Its id is passed on 8 cycles after dma_idle has risen, because registers between
// the rill_dma_write and this module may delay dma_idle.
// Reset: clk, synchronous active-high rst.
//
// name       meaning                                           unit   range
// BEAT_BITS  width of a beat                                   bits   256, 512
// OFFSET     first record, from the ring's base; whole beats   bytes  any
// SLOTS      slots of the design, each with a separate ring    slots  1 to 16
`default_nettype none

module rill_record_writer #(
    parameter BEAT_BITS = 0,
    parameter [39:0] OFFSET = 0,
    parameter SLOTS = 1
) (
    input  wire                 clk,
    input  wire                 rst,

    input  wire                 s_axis_record_tvalid,
    output wire                 s_axis_record_tready,
    input  wire [543:0]         s_axis_record_tdata,

    output wire                 m_axis_desc_tvalid,
    input  wire                 m_axis_desc_tready,
    output wire [55:0]          m_axis_desc_tdata,
    output wire                 m_axis_beat_tvalid,
    input  wire                 m_axis_beat_tready,
    output wire [BEAT_BITS-1:0] m_axis_beat_tdata,
    input  wire                 dma_idle,

    output wire                 m_axis_ring_tvalid,
    input  wire                 m_axis_ring_tready,
    output wire [63:0]          m_axis_ring_tdata
);
    localparam BEATS = 512 / (BEAT_BITS > 0 ? BEAT_BITS : 1);
    localparam [31:0] BEATS_32 = BEATS;

    generate
        if (BEAT_BITS != 256 && BEAT_BITS != 512) begin : gen_bad_beat
            rill_error_BEAT_BITS_must_be_256_or_512 u_error ();
        end
        if (SLOTS < 1 || SLOTS > 16) begin : gen_bad_slots
            rill_error_SLOTS_must_be_1_to_16 u_error ();
        end
    endgenerate

    // S_RECORD: waits for a record. S_SEND: until descriptor and beats have left. S_RESPONSE: until the write has its
    // response. S_PASS: the id goes to the ring.
    localparam [1:0] S_RECORD = 2'd0, S_SEND = 2'd1, S_RESPONSE = 2'd2, S_PASS = 2'd3;
    reg  [1:0]   state_q;
    reg          open_q;                     // low in reset
    reg          desc_valid_q;
    reg  [1:0]   beats_q;                    // beats that have not left
    reg  [511:0] record_q;                   // the beats that have not left, the next one in the low bits
    reg  [31:0]  id_q, index_q;
    reg  [2:0]   settle_q;                   // cycles of dma_idle in a row; S_RESPONSE waits for 8 of them
    wire         take = s_axis_record_tvalid && s_axis_record_tready;
    wire [31:0]  index = SLOTS > 1 ? {4'd0, index_q[27:0]} : index_q;
    wire         beat_goes = m_axis_beat_tvalid && m_axis_beat_tready;

    assign s_axis_record_tready = open_q && state_q == S_RECORD;
    assign m_axis_desc_tvalid = desc_valid_q;
    assign m_axis_desc_tdata = {BEATS_32[15:0], OFFSET + ({8'd0, index} << 6)};
    assign m_axis_beat_tvalid = beats_q != 2'd0;
    assign m_axis_beat_tdata = record_q[BEAT_BITS-1:0];
    assign m_axis_ring_tvalid = state_q == S_PASS;
    assign m_axis_ring_tdata = {index_q, id_q};

    always @(posedge clk) begin
        if (take) begin
            record_q <= s_axis_record_tdata[511:0];
            index_q <= s_axis_record_tdata[543:512];
            id_q <= s_axis_record_tdata[31:0];
        end else if (beat_goes)
            record_q <= record_q >> BEAT_BITS;
        open_q <= !rst;
        if (rst) begin
            state_q <= S_RECORD;
            desc_valid_q <= 1'b0;
            beats_q <= 2'd0;
            settle_q <= 3'd0;
        end else begin
            if (take)
                desc_valid_q <= 1'b1;
            else if (m_axis_desc_tready)
                desc_valid_q <= 1'b0;
            if (take)
                beats_q <= BEATS_32[1:0];
            else if (beat_goes)
                beats_q <= beats_q - 2'd1;
            settle_q <= state_q == S_RESPONSE && dma_idle ? settle_q + 3'd1 : 3'd0;
            case (state_q)
                S_RECORD: if (take) state_q <= S_SEND;
                S_SEND: if (!desc_valid_q && beats_q == 2'd0) state_q <= S_RESPONSE;
                S_RESPONSE: if (dma_idle && settle_q == 3'd7) state_q <= S_PASS;
                default: if (m_axis_ring_tready) state_q <= S_RECORD;
            endcase
        end
    end

    wire unused = &{1'b0, BEATS_32};
endmodule

`default_nettype wire
