// SPDX-License-Identifier: Apache-2.0
// Keeps a firing and sends it REPLAYS times, for a value that a repeated region reads in every repetition.
//
// The first pass starts when the whole firing is in; the next firing enters when the last pass has left. DEPTH words at most.
// Latency: the firing and 2 cycles; then one word per cycle. Reset: synchronous.
// Parameters: DATA_W, USER_W bits, DEPTH words, REPLAYS.
`default_nettype none

module rill_replay_buffer #(
    parameter DATA_W = 0,
    parameter USER_W = 0,
    parameter DEPTH = 0,
    parameter REPLAYS = 0
) (
    input  wire              clk,
    input  wire              rst,
    input  wire              s_axis_tvalid,
    output wire              s_axis_tready,
    input  wire [DATA_W-1:0] s_axis_tdata,
    input  wire [USER_W-1:0] s_axis_tuser,
    input  wire              s_axis_tlast,
    output wire              m_axis_tvalid,
    input  wire              m_axis_tready,
    output wire [DATA_W-1:0] m_axis_tdata,
    output wire [USER_W-1:0] m_axis_tuser,
    output wire              m_axis_tlast
);
    generate
        if (DATA_W < 1 || USER_W < 1 || DEPTH < 1 || REPLAYS < 1) begin : gen_bad
            rill_error_DATA_W_USER_W_DEPTH_and_REPLAYS_must_be_at_least_1 u_error ();
        end
    endgenerate

    localparam ADDR_W = DEPTH > 1 ? $clog2(DEPTH) : 1;
    localparam PASS_W = $clog2(REPLAYS + 1);
    localparam WORD_W = DATA_W + USER_W + 1;
    (* ram_style = "block" *) reg [WORD_W-1:0] mem [0:DEPTH-1];
    reg [ADDR_W-1:0] write_q;
    reg [ADDR_W-1:0] read_q;
    reg [PASS_W-1:0] pass_q;   // passes still to fetch
    reg              valid_q;
    reg [WORD_W-1:0] word_q;
    wire playing = pass_q != 0;
    wire push    = s_axis_tvalid & s_axis_tready;
    wire fetch   = playing & (~valid_q | m_axis_tready);
    wire at_end  = read_q == write_q; // write_q rests on the last word while playing
    assign s_axis_tready = ~playing & ~valid_q & ~rst;
    always @(posedge clk) if (push) mem[write_q] <= {s_axis_tlast, s_axis_tuser, s_axis_tdata};
    always @(posedge clk) if (fetch) word_q <= mem[read_q];
    always @(posedge clk) begin
        if (rst) begin
            write_q <= {ADDR_W{1'b0}};
            read_q  <= {ADDR_W{1'b0}};
            pass_q  <= {PASS_W{1'b0}};
            valid_q <= 1'b0;
        end else begin
            if (push) begin
                if (s_axis_tlast) pass_q <= REPLAYS[PASS_W-1:0];
                else write_q <= write_q + 1'b1;
            end
            if (fetch) begin
                read_q <= at_end ? {ADDR_W{1'b0}} : read_q + 1'b1;
                if (at_end) begin
                    pass_q <= pass_q - 1'b1;
                    if (pass_q == 1) write_q <= {ADDR_W{1'b0}};
                end
            end
            valid_q <= fetch | (valid_q & ~m_axis_tready);
        end
    end
    assign m_axis_tvalid = valid_q;
    assign {m_axis_tlast, m_axis_tuser, m_axis_tdata} = word_q;
endmodule

`default_nettype wire
