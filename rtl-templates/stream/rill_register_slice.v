// SPDX-License-Identifier: Apache-2.0
// Register slice: cuts the paths of a stream, for die crossings and long wires.
//
// Protocol: AXI4-Stream, tdata only (users concatenate their sidebands); payload held while stalled.
// MODE 0 bypass: wires, latency 0. MODE 1 simple: registered tvalid and tdata, combinational tready, latency 1.
// MODE 2 skid: all outputs from registers, latency 1, two words of room. MODE 3 swap: the same in every cycle, with two registers in turn: what
// comes from m_axis_tready moves no data, but tdata comes over a multiplexer. Throughput: one word per cycle in every mode.
// In MODE 2 words of more than 1,536 bits swap, too: in a skid buffer m_axis_tready would have a load for each bit.
// Reset: synchronous; valids only. tready is low in reset (MODES 2, 3: and in the cycle after it).
// Parameters: DATA_W bits, MODE.
`default_nettype none

module rill_register_slice #(
    parameter DATA_W = 0,
    parameter MODE = 2
) (
`ifdef FORMAL
    output wire [1:0]        f_inside,       // words
`endif
    input  wire              clk,
    input  wire              rst,
    input  wire              s_axis_tvalid,
    output wire              s_axis_tready,
    input  wire [DATA_W-1:0] s_axis_tdata,
    output wire              m_axis_tvalid,
    input  wire              m_axis_tready,
    output wire [DATA_W-1:0] m_axis_tdata
);
`ifdef FORMAL
    // Proved by verif/formal: protocol on the output, and one marked word is followed through: it leaves, unchanged, in its place. A word
    // is refused only when as many as there is room for are inside.
    localparam ROOM = MODE > 1 ? 2 : MODE;
    reg                past_q = 1'b0;
    reg                awake_q;              // neither reset nor the cycle after it
    reg                in_stalled_q;
    reg  [DATA_W-1:0]  in_data_q;
    reg                held_q;
    reg  [DATA_W-1:0]  held_data_q;
    (* anyseq *) wire  mark;
    reg                marked_q;
    reg  [1:0]         count_q;              // words inside
    reg  [1:0]         ahead_q;              // words before the marked one
    reg  [DATA_W-1:0]  word_q;
    wire               f_push = s_axis_tvalid && s_axis_tready;
    wire               f_pop = m_axis_tvalid && m_axis_tready;
    assign f_inside = count_q;
`endif

    genvar c;
    generate
        if (DATA_W < 1) begin : gen_bad_data
            rill_error_DATA_W_must_be_at_least_1 u_error ();
        end
        if (MODE < 0 || MODE > 3) begin : gen_bad_mode
            rill_error_MODE_must_be_0_bypass_1_simple_2_skid_or_3_swap u_error ();
        end

        if (MODE == 0) begin : gen_bypass
            assign s_axis_tready = m_axis_tready && !rst;
            assign m_axis_tvalid = s_axis_tvalid && !rst;
            assign m_axis_tdata = s_axis_tdata;
            wire unused = clk;
        end else if (MODE == 1) begin : gen_simple
            reg               valid_q;
            reg  [DATA_W-1:0] data_q;
            assign s_axis_tready = (m_axis_tready || !valid_q) && !rst;
            assign m_axis_tvalid = valid_q;
            assign m_axis_tdata = data_q;
            always @(posedge clk) begin
                if (rst)
                    valid_q <= 1'b0;
                else if (s_axis_tready)
                    valid_q <= s_axis_tvalid;
                if (s_axis_tready && s_axis_tvalid)
                    data_q <= s_axis_tdata;
            end
        end else if (MODE == 3 || DATA_W > 1536) begin : gen_swap
`ifdef SYNTHESIS
            localparam COPIES = (DATA_W + 1023) / 1024; // of read: each chooses a part of the word
`else
            localparam COPIES = 1;
`endif
            localparam PART = (DATA_W + COPIES - 1) / COPIES;
            reg               ready_q;
            reg               valid_q;
            reg               both_q;        // two words inside
            reg               write_q;       // the next word goes to word_1_q
            wire [COPIES-1:0] read;          // the oldest one is there
            reg  [DATA_W-1:0] word_0_q;
            reg  [DATA_W-1:0] word_1_q;
            wire              push = s_axis_tvalid && ready_q;
            wire              pop = m_axis_tready && valid_q;
            assign s_axis_tready = ready_q;
            assign m_axis_tvalid = valid_q;
            always @(posedge clk) begin
                if (rst) begin
                    ready_q <= 1'b0;
                    valid_q <= 1'b0;
                    both_q <= 1'b0;
                    write_q <= 1'b0;
                end else begin
                    ready_q <= pop || !(both_q || (push && valid_q));
                    valid_q <= push || both_q || (valid_q && !pop);
                    both_q <= !pop && (both_q || (push && valid_q));
                    write_q <= write_q ^ push;
                end
                if (push && !write_q)
                    word_0_q <= s_axis_tdata;
                if (push && write_q)
                    word_1_q <= s_axis_tdata;
            end
            if (COPIES == 1) begin : gen_one
                reg read_q;
                always @(posedge clk)
                    read_q <= !rst && (read_q ^ pop);
                assign read = read_q;
            end else begin : gen_copies
                rill_register_tree #(.DATA_W(1), .COPIES(COPIES)) u_read (.clk(clk), .rst(rst), .d(read[0] ^ pop), .q(read));
            end
            for (c = 0; c < COPIES; c = c + 1) begin : gen_part
                localparam BITS = c == COPIES - 1 ? DATA_W - c * PART : PART;
                assign m_axis_tdata[c*PART +: BITS] = read[c] ? word_1_q[c*PART +: BITS] : word_0_q[c*PART +: BITS];
            end
`ifdef FORMAL
            // What the induction needs: where the words are.
            wire [DATA_W-1:0] newer = read[0] ? word_0_q : word_1_q;
            always @(posedge clk)
                if (past_q && !rst) begin
                    assert (valid_q || !both_q);
                    assert (!(ready_q && both_q));
                    assert (count_q == {1'b0, valid_q} + {1'b0, both_q});
                    assert ((write_q ^ read[0]) == (valid_q && !both_q));
                    if (marked_q && ahead_q == 2'd1)
                        assert (newer == word_q);
                end
`endif
        end else begin : gen_skid
            // out_q faces the reader; skid_q catches the word that arrives in the cycle in which the reader stalls.
            reg               ready_q;
            reg               valid_q;
            reg  [DATA_W-1:0] out_q;
            reg               skid_valid_q;
            reg  [DATA_W-1:0] skid_q;
            wire              push = s_axis_tvalid && ready_q;
            wire              move = m_axis_tready || !valid_q;
            assign s_axis_tready = ready_q;
            assign m_axis_tvalid = valid_q;
            assign m_axis_tdata = out_q;
            always @(posedge clk) begin
                if (rst) begin
                    ready_q <= 1'b0;
                    valid_q <= 1'b0;
                    skid_valid_q <= 1'b0;
                end else begin
                    ready_q <= move || (!skid_valid_q && !push);
                    if (move)
                        valid_q <= skid_valid_q || push;
                    skid_valid_q <= !move && (skid_valid_q || push);
                end
                if (push && !move)
                    skid_q <= s_axis_tdata;
                if (move)
                    out_q <= skid_valid_q ? skid_q : s_axis_tdata;
            end
`ifdef RILL_ASSERT
            rill_assert #(.SAYS("a word may come while the skid register is taken")) u_assert_skid (
                .clk(clk), .broken(!rst && skid_valid_q && ready_q));
`endif
`ifdef FORMAL
            // What the induction needs: where the words are.
            always @(posedge clk)
                if (past_q && !rst) begin
                    assert (valid_q || !skid_valid_q);
                    assert (!(ready_q && skid_valid_q));
                    assert (count_q == {1'b0, valid_q} + {1'b0, skid_valid_q});
                    if (marked_q && ahead_q == 2'd1)
                        assert (skid_q == word_q);
                end
`endif
        end
    endgenerate

`ifdef FORMAL
    always @(posedge clk) begin
        past_q <= 1'b1;
        if (!past_q)
            assume (rst);
        awake_q <= !rst;
        in_stalled_q <= !rst && s_axis_tvalid && !s_axis_tready;
        in_data_q <= s_axis_tdata;
        if (past_q && !rst && in_stalled_q && MODE == 0) // of all modes this alone passes what its writer does
            assume (s_axis_tvalid && s_axis_tdata == in_data_q);
        held_q <= !rst && m_axis_tvalid && !m_axis_tready;
        held_data_q <= m_axis_tdata;
        count_q <= rst ? 2'd0 : count_q + {1'b0, f_push} - {1'b0, f_pop};
        if (rst)
            marked_q <= 1'b0;
        else if (f_push && mark && !marked_q && ROOM > 0) begin
            marked_q <= 1'b1;
            word_q <= s_axis_tdata;
            ahead_q <= count_q - {1'b0, f_pop};
        end else if (marked_q && f_pop) begin
            marked_q <= ahead_q != 2'd0;
            ahead_q <= ahead_q - 2'd1;
        end
        if (past_q && !rst) begin
            assert (count_q <= ROOM);
            if (MODE > 1)
                assert (s_axis_tready == (awake_q && count_q != 2'd2));
            else
                assert (s_axis_tready == (m_axis_tready || (MODE == 1 && count_q == 2'd0)));
            if (ROOM > 0)
                assert (m_axis_tvalid == (count_q != 2'd0));
            if (held_q)
                assert (m_axis_tvalid && m_axis_tdata == held_data_q);
            if (marked_q)
                assert (ahead_q < count_q);
            if (marked_q && ahead_q == 2'd0)
                assert (m_axis_tdata == word_q);
            if (ROOM == 0 && f_pop)
                assert (f_push && m_axis_tdata == s_axis_tdata);
        end
    end
`endif
endmodule

`default_nettype wire
