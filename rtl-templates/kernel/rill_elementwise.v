// SPDX-License-Identifier: Apache-2.0
// The common part of elementwise kernels: joins the operands, and generates handshakes, clock enables and the fault.
//
// The kernel connects the handshakes of its streams to this module, and the data to its lanes. There are OPERANDS input
// streams and one output stream, in chunks of LANES elements. A lane is a pipeline of LATENCY enabled clocks, enabled
// by a bit of move.
// Streams: docs/rtl.md section 3. All operands have the same chunks and tokens; a chunk is taken when it has arrived on
// all inputs.
// move: clock enable of the stages. All its bits are equal, and each comes from its own registers. valid[i]: stage i +
// 1 holds a chunk, so the result of a unit with k stages is valid while valid[k-1] is 1.
// bad: a lane has a fault in a stage that is valid. fault: pulse in the cycle after bad, unless the pipeline was
// stalled.
// Latency LATENCY cycles; one chunk per cycle, II 1. Reset: clk, synchronous active-high rst; valids only.
//
// name      meaning                        unit      range
// LANES     fp32 per chunk                 elements  1 to 32
// TOKENS    tokens per step, upper bound   tokens    1 to 8
// OPERANDS  streams in, operand 0 low      streams   1 or more
// LATENCY   stages of a lane               clocks    1 or more
// COPIES    bits of move, one per 4 lanes  bits      1 or more
// USER_W    width of tuser                 bits      derived
`default_nettype none

module rill_elementwise #(
    parameter LANES = 0,
    parameter TOKENS = 0,
    parameter OPERANDS = 1,
    parameter LATENCY = 0,
    parameter COPIES = 1,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire                       clk,
    input  wire                       rst,

    input  wire [OPERANDS-1:0]        s_tvalid,
    output wire [OPERANDS-1:0]        s_tready,
    input  wire [OPERANDS*USER_W-1:0] s_tuser,
    input  wire [OPERANDS-1:0]        s_tlast,

    output wire                       m_tvalid,
    input  wire                       m_tready,
    output wire [USER_W-1:0]          m_tuser,
    output wire                       m_tlast,

    output wire [COPIES-1:0]          move,
    output wire [LATENCY-1:0]         valid,
    input  wire                       bad,
    output reg                        fault
);
    generate
        if (LANES < 1 || LANES > 32) begin : gen_bad_lanes
            rill_error_LANES_must_be_1_to_32 u_error ();
        end
        if (TOKENS < 1 || TOKENS > 8) begin : gen_bad_tokens
            rill_error_TOKENS_must_be_1_to_8 u_error ();
        end
        if (OPERANDS < 1) begin : gen_bad_operands
            rill_error_OPERANDS_must_be_at_least_1 u_error ();
        end
    endgenerate

    wire en;
    wire ready;

    rill_pipe #(.LATENCY(LATENCY), .SIDE_W(USER_W + 1), .COPIES(COPIES)) u_pipe (
        .clk(clk), .rst(rst), .s_tvalid(&s_tvalid), .s_tready(ready), .s_side({s_tlast[0], s_tuser[USER_W-1:0]}),
        .en(en), .move(move), .valid(valid), .m_tvalid(m_tvalid), .m_tready(m_tready), .m_side({m_tlast, m_tuser}));

    genvar k;
    generate
        for (k = 0; k < OPERANDS; k = k + 1) begin : gen_operand
            localparam [OPERANDS-1:0] THIS = {{(OPERANDS-1){1'b0}}, 1'b1} << k;
            assign s_tready[k] = ready && &(s_tvalid | THIS);
`ifdef RILL_ASSERT
            always @(posedge clk)
                if (!rst && ready && &s_tvalid) begin
                    assert (s_tuser[k*USER_W +: USER_W] == s_tuser[USER_W-1:0]);
                    assert (s_tlast[k] == s_tlast[0]);
                end
`endif
        end
    endgenerate

    always @(posedge clk) fault <= !rst && en && bad;

    wire unused = &{1'b0, s_tuser, s_tlast};
endmodule

`default_nettype wire
