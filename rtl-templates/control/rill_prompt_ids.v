// SPDX-License-Identifier: Apache-2.0
// Unpacks the ids of a prompt from its beats. One beat is held. The next one is taken when all ids of the held beat are
// used.
//
// While any is high, `id` is the next id. take moves on to the id after it in the next cycle. The first id of a beat is
// in its low bits. Beats are taken while `takes` is high. clear (level) drops the beat that is held.
// Latency: 1 cycle. Throughput: one id per cycle, plus one cycle per beat. clear also serves as the reset.
//
// name       meaning          unit  range
// BEAT_BITS  width of a beat  bits  256, 512
`default_nettype none

module rill_prompt_ids #(
    parameter BEAT_BITS = 0
) (
    input  wire                 clk,
    input  wire                 clear,
    input  wire                 takes,
    input  wire                 s_axis_prompt_tvalid,
    output wire                 s_axis_prompt_tready,
    input  wire [BEAT_BITS-1:0] s_axis_prompt_tdata,
    output wire                 any,
    output wire [31:0]          id,
    input  wire                 take
);
    localparam IDS = BEAT_BITS / 32;         // ids in a beat
    localparam IDS_SHIFT = $clog2(IDS);
    localparam [31:0] IDS_32 = IDS;

    generate
        if (BEAT_BITS != 256 && BEAT_BITS != 512) begin : gen_bad_beat
            rill_error_BEAT_BITS_must_be_256_or_512 u_error ();
        end
    endgenerate

    reg  [BEAT_BITS-1:0] beat_q;             // shifts by one id at a time
    reg  [IDS_SHIFT:0]   ids_q;              // ids left in the beat
    wire                 fill = s_axis_prompt_tvalid && s_axis_prompt_tready;

    assign any = ids_q != {(IDS_SHIFT + 1){1'b0}};
    assign id = beat_q[31:0];
    assign s_axis_prompt_tready = takes && !any;

    always @(posedge clk) begin
        if (clear)
            ids_q <= {(IDS_SHIFT + 1){1'b0}};
        else if (fill)
            ids_q <= IDS_32[IDS_SHIFT:0];
        else if (take)
            ids_q <= ids_q - 1'b1;
        if (fill)
            beat_q <= s_axis_prompt_tdata;
        else if (take)
            beat_q <= {32'd0, beat_q[BEAT_BITS-1:32]};
    end

    wire unused = &{1'b0, IDS_32};
endmodule

`default_nettype wire
