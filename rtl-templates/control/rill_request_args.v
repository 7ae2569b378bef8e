// SPDX-License-Identifier: Apache-2.0
// Holds the arguments of a request and checks them.
//
// While `follows` is high, the outputs follow the arguments; afterwards they are held. ring_ids and channel_base are
// not stored, so they must not change while the outputs are used. refused, fault and place are valid three cycles after
// the arguments, decode_steps two cycles, and the other outputs one cycle. A request must not start before that.
// refused: the request cannot be run; fault and place say why, with the codes of fault_code and fault_place of
// rill_token_loop:
//     1  no prompt
//     2  a prompt longer than CONTEXT
//     3  a pointer that is not a multiple of a beat or has bits above ADDR_BITS; place 0: prompt, 1: ring, 2 + c: base
//        of channel c
//     9  a ring with room for fewer ids than may be generated (ring_ids 0: no check); place: how many ids may be
//        generated
// The first of these that applies is reported. Otherwise fault is 0.
// decode_steps: number of tokens that the design processes after the prompt, limited by max_new and CONTEXT. Without
// drafts each of them is one step. The number is 0 with MODE 1.
// Reset: none, because every start brings all values.
//
// name       meaning                                            unit       range
// MODE       0: language model; 1: other graph                  -          0, 1
// BEAT_BITS  width of a beat                                    bits       256, 512
// CONTEXT    positions of the longest request                   positions  1 to 65535
// END_IDS    ids that can end a request                         ids        1 to 8
// ADDR_BITS  width of an address                                bits       32 to 64
// BASES      base addresses of channels, which must be aligned  pointers   1 or more
`default_nettype none

module rill_request_args #(
    parameter MODE = 0,
    parameter BEAT_BITS = 0,
    parameter CONTEXT = 0,
    parameter END_IDS = 1,
    parameter ADDR_BITS = 64,
    parameter BASES = 1
) (
    input  wire                  clk,
    input  wire                  follows,
    input  wire [31:0]           prompt_len,
    input  wire [31:0]           max_new,
    input  wire [END_IDS*32-1:0] eot_id,
    input  wire                  ignore_eot,
    input  wire [63:0]           prompt_ptr,
    input  wire [63:0]           ring_ptr,
    input  wire [31:0]           ring_ids,
    input  wire [BASES*64-1:0]   channel_base,
    output reg  [31:0]           prompt_len_q,
    output reg  [31:0]           max_new_q,
    output reg  [END_IDS*32-1:0] eot_id_q,
    output reg                   ignore_eot_q,
    output reg                   no_ids,             // max_new is 0
    output reg  [31:0]           decode_steps,
    output wire                  refused,
    output wire [31:0]           fault,
    output wire [31:0]           place
);
    localparam [31:0] CONTEXT_32 = CONTEXT;
    // Bits of a base or pointer that must be 0: the bits within a beat, and the bits from ADDR_BITS on.
    localparam [31:0] ALIGN_MASK = BEAT_BITS / 8 - 1;
    localparam [64:0] BEYOND = ~65'd0 << ADDR_BITS;
    localparam [63:0] BAD_BITS = BEYOND[63:0] | {32'd0, ALIGN_MASK};
    localparam [31:0] FAULT_NONE = 0, FAULT_NO_PROMPT = 1, FAULT_LONG_PROMPT = 2, FAULT_POINTER = 3, FAULT_RING = 9;
    // Values of place for FAULT_POINTER; the base of channel c has PLACE_BASE + c.
    localparam [31:0] PLACE_PROMPT = 0, PLACE_RING = 1, PLACE_BASE = 2;

    generate
        if (MODE != 0 && MODE != 1) begin : gen_bad_mode
            rill_error_MODE_must_be_0_or_1 u_error ();
        end
        if (BEAT_BITS != 256 && BEAT_BITS != 512) begin : gen_bad_beat
            rill_error_BEAT_BITS_must_be_256_or_512 u_error ();
        end
        if (CONTEXT < 1 || CONTEXT > 65535) begin : gen_bad_context
            rill_error_CONTEXT_must_be_1_to_65535 u_error ();
        end
        if (END_IDS < 1 || END_IDS > 8) begin : gen_bad_ends
            rill_error_END_IDS_must_be_1_to_8 u_error ();
        end
        if (ADDR_BITS < 32 || ADDR_BITS > 64 || BASES < 1) begin : gen_bad_bases
            rill_error_ADDR_BITS_must_be_32_to_64_BASES_at_least_1 u_error ();
        end
    endgenerate

    reg         bad_prompt_ptr_q;
    reg         bad_ring_ptr_q;
    reg         no_prompt_q;
    reg         long_prompt_q;
    reg         short_ring_q;
    wire [31:0] decode_room = CONTEXT_32 - prompt_len_q;
    wire [31:0] decode_wish = max_new_q - 32'd1;

    always @(posedge clk) begin
        if (follows) begin
            prompt_len_q <= prompt_len;
            max_new_q <= max_new;
            eot_id_q <= eot_id;
            ignore_eot_q <= ignore_eot;
            bad_prompt_ptr_q <= (prompt_ptr & BAD_BITS) != 64'd0;
            bad_ring_ptr_q <= (ring_ptr & BAD_BITS) != 64'd0;
            no_prompt_q <= prompt_len == 32'd0;
            long_prompt_q <= prompt_len > CONTEXT_32;
            no_ids <= max_new == 32'd0;
        end
        short_ring_q <= MODE == 0 && ring_ids != 32'd0 && decode_steps >= ring_ids && !no_ids;
        decode_steps <= MODE == 1 ? 32'd0 : decode_wish < decode_room ? decode_wish : decode_room;
    end

    // Bases of the channels are checked in two registered stages.
    reg  [BASES-1:0] bad_bases_q;
    reg              bad_base_q;             // any base is bad
    reg  [31:0]      base_place_d, base_place_q; // place of the first bad base
    integer          b, c;

    always @* begin
        base_place_d = 32'd0;
        for (c = BASES - 1; c >= 0; c = c - 1)
            if (bad_bases_q[c])
                base_place_d = PLACE_BASE + c;
    end

    always @(posedge clk) begin
        for (b = 0; b < BASES; b = b + 1)
            bad_bases_q[b] <= (channel_base[64*b +: 64] & BAD_BITS) != 64'd0;
        bad_base_q <= |bad_bases_q;
        base_place_q <= base_place_d;
    end

    wire bad_prompt = MODE == 0 && bad_prompt_ptr_q;
    wire bad_ring = MODE == 0 && bad_ring_ptr_q;
    wire bad_pointer = bad_base_q || bad_prompt || bad_ring;
    assign refused = no_prompt_q || long_prompt_q || bad_pointer || short_ring_q;
    assign fault = no_prompt_q ? FAULT_NO_PROMPT : long_prompt_q ? FAULT_LONG_PROMPT
        : bad_pointer ? FAULT_POINTER : short_ring_q ? FAULT_RING : FAULT_NONE;
    // PLACE_PROMPT is 0, which is also the place of faults 1 and 2.
    assign place = no_prompt_q || long_prompt_q || bad_prompt ? PLACE_PROMPT
        : bad_ring ? PLACE_RING : bad_base_q ? base_place_q : short_ring_q ? decode_steps + 32'd1 : 32'd0;

    wire unused = &{1'b0, prompt_ptr, ring_ptr, channel_base};
endmodule

`default_nettype wire
