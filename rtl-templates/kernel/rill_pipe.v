// SPDX-License-Identifier: Apache-2.0
// Flow control of an enabled pipeline: handshakes, enables and valid bits for LATENCY register stages that move
// together.
//
// en: the stages may move. It is low while the last stage holds a word that the reader does not take. While m_tready is
// low, en is also low in reset and in the first cycle after reset.
// move: the stages do move, because en is high and a word is in them or before them. So the registers of an idle kernel
// do not move. move is the clock enable for units whose last stage is the last stage of the pipe. All bits of move are
// equal. Each comes from registers that drive no other bit, for kernels with more units than one register can drive.
// With VALIDS = COPIES each bit of move uses its own bit of s_tvalid; these bits must be equal as well.
// valid[i] belongs to stage i + 1, so the outputs of a unit with k stages are valid while valid[k-1]. m_side is s_side
// of the same word (tuser, tlast).
// Latency LATENCY cycles; one word per cycle. Reset: clk, synchronous active-high rst; valids only.
//
// name     meaning                                   unit    range
// LATENCY  stages that move together                 stages  1 or more
// SIDE_W   width of the sideband that travels along  bits    1 or more
// COPIES   bits of move                              bits    1 or more
// VALIDS   bits of s_tvalid                          bits    1 or more
`default_nettype none

module rill_pipe #(
    parameter LATENCY = 0,
    parameter SIDE_W = 0,
    parameter COPIES = 1,
    parameter VALIDS = 1
) (
    input  wire               clk,
    input  wire               rst,
    input  wire [VALIDS-1:0]  s_tvalid,
    output wire               s_tready,
    input  wire [SIDE_W-1:0]  s_side,
    output wire               en,
    output wire [COPIES-1:0]  move,
    output wire [LATENCY-1:0] valid,
    output wire               m_tvalid,
    input  wire               m_tready,
    output wire [SIDE_W-1:0]  m_side
);
    generate
        if (LATENCY < 1 || SIDE_W < 1) begin : gen_bad
            rill_error_LATENCY_and_SIDE_W_must_be_at_least_1 u_error ();
        end
        if (COPIES < 1) begin : gen_bad_copies
            rill_error_COPIES_must_be_at_least_1 u_error ();
        end
        if (VALIDS != 1 && VALIDS != COPIES) begin : gen_bad_valids
            rill_error_VALIDS_must_be_1_or_COPIES u_error ();
        end
    endgenerate

    reg  [LATENCY-1:0] valid_q;
    reg                busy_q;                 // any of valid_q
    // The last stage holds no word. Equal to !valid_q[LATENCY-1], but low in reset and in the cycle after it, in which
    // the stages wait as if they were full. So s_tready is low in reset while m_tready is low, without a gate for that.
    reg                move_free_q;            // copy for the enables of the stages, which are many
    wire               free;                   // copy for s_tready, which goes to other modules
    wire [LATENCY:0]   shifted = {valid_q, s_tvalid[0]};

    assign valid = valid_q;
    assign m_tvalid = valid_q[LATENCY-1];
    assign en = move_free_q || m_tready;
    wire go = en && (s_tvalid[0] || busy_q);
    assign s_tready = free || m_tready;
    wire free_d = go ? !shifted[LATENCY-1] : !m_tvalid;
    rill_register_copies #(.DATA_W(1), .COPIES(1)) u_free (.clk(clk), .rst(rst), .d(free_d), .q(free));

    always @(posedge clk)
        if (rst) begin
            valid_q <= {LATENCY{1'b0}};
            move_free_q <= 1'b0;
            busy_q <= 1'b0;
        end else begin
            move_free_q <= free_d;
            if (go) begin
                valid_q <= shifted[LATENCY-1:0];
                busy_q <= |shifted[LATENCY-1:0];
            end
        end

    genvar c;
    generate
        if (COPIES == 1) begin : gen_one
            assign move = go;
        end else begin : gen_copies
            wire [2*COPIES-1:0] state;         // {busy, the last stage holds no word}
            rill_register_copies #(.DATA_W(2), .COPIES(COPIES)) u_state (.clk(clk), .rst(rst),
                .d({go ? |shifted[LATENCY-1:0] : busy_q, free_d}), .q(state));
            for (c = 0; c < COPIES; c = c + 1) begin : gen_copy
                assign move[c] = (state[2*c] || m_tready) && (s_tvalid[VALIDS == 1 ? 0 : c] || state[2*c+1]);
            end
        end
    endgenerate

    rill_delay_line #(.DATA_W(SIDE_W), .DEPTH(LATENCY)) u_side (.clk(clk), .rst(rst), .en(go), .d(s_side), .q(m_side));

    wire unused = &{1'b0, shifted[LATENCY], s_tvalid};
endmodule

`default_nettype wire
