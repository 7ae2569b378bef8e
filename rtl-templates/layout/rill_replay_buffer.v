// SPDX-License-Identifier: Apache-2.0
// Stores a firing and sends it REPLAYS times, for a value that a repeated region reads in every repetition.
//
// In itensor terms (docs/ir.md), it adds an outermost loop of REPLAYS trips that is absent from the map. Every pass
// ends with the tlast of the firing.
// In a step of one token, a firing is sent only REPLAYS / TOGETHER times, because TOGETHER query heads share a pass.
// The module recognizes such a firing by its last word, which belongs to token 0 and has tok_last.
// The first pass starts when the whole firing is stored. The next firing may enter two cycles after the last word of
// the last pass was read from the memory. A firing must not have more than DEPTH words (asserted).
// Latency: 2 cycles from the last word in to the first word out. Throughput: one word per cycle, also from pass to
// pass.
// Reset: clk, synchronous active-high rst; control only. tready is low in reset.
//
// name       meaning                                                     unit   range
// DATA_W     width of tdata                                              bits   1 or more
// USER_W     width of tuser                                              bits   1 or more
// DEPTH      words of the longest firing                                 words  1 or more
// REPLAYS    times that every firing is sent                             times  1 or more
// TOGETHER   query heads that share a pass in a step of one token;       heads  1 or more
//            divides REPLAYS
// RAM_STYLE  style of the storage, as in rill_ram_sdp                    -      "auto", "distributed", "block", "ultra"
`default_nettype none

module rill_replay_buffer #(
    parameter DATA_W = 0,
    parameter USER_W = 0,
    parameter DEPTH = 0,
    parameter REPLAYS = 0,
    parameter TOGETHER = 1,
    parameter RAM_STYLE = "auto"
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
        if (TOGETHER < 1 || REPLAYS % TOGETHER != 0) begin : gen_bad_together
            rill_error_TOGETHER_must_divide_REPLAYS u_error ();
        end
    endgenerate

    localparam ADDR_W = DEPTH > 1 ? $clog2(DEPTH) : 1;
    localparam PASS_W = $clog2(REPLAYS + 1);
    localparam [31:0] PASSES_TOGETHER = REPLAYS / TOGETHER;
    localparam [USER_W-1:0] ONLY_TOKEN = {USER_W{1'b1}} ^ ({USER_W{1'b1}} >> 1); // tok_last 1, tok 0

    reg  [ADDR_W-1:0]      write_q;          // stays at the last word during the passes
    reg  [ADDR_W-1:0]      read_q;
    reg  [PASS_W-1:0]      passes_q;         // passes that are not finished, including the present one
    reg                    open_q;           // a firing may be stored
    reg                    valid_q;
    reg                    last_q;
    wire [DATA_W+USER_W-1:0] out_word;
    wire                   push = s_axis_tvalid && open_q;
    wire                   fetch = passes_q != {PASS_W{1'b0}} && (m_axis_tready || !valid_q);
    wire                   at_end = read_q == write_q;

    rill_ram_sdp #(.DATA_W(DATA_W + USER_W), .DEPTH(DEPTH), .RAM_STYLE(RAM_STYLE)) u_ram (
        .clk(clk), .write_en(push), .write_addr(write_q), .write_strobe(1'b1),
        .write_data({s_axis_tuser, s_axis_tdata}),
        .read_en(fetch), .read_addr(read_q), .read_data(out_word));

    assign s_axis_tready = open_q;
    assign m_axis_tvalid = valid_q;
    assign m_axis_tlast = last_q;
    assign {m_axis_tuser, m_axis_tdata} = out_word;

    always @(posedge clk) begin
        if (rst) begin
            write_q <= {ADDR_W{1'b0}};
            read_q <= {ADDR_W{1'b0}};
            passes_q <= {PASS_W{1'b0}};
            open_q <= 1'b0;
            valid_q <= 1'b0;
        end else begin
            valid_q <= fetch || (valid_q && !m_axis_tready);
            if (push && s_axis_tlast)
                passes_q <= TOGETHER > 1 && s_axis_tuser == ONLY_TOKEN ? PASSES_TOGETHER[PASS_W-1:0]
                    : REPLAYS[PASS_W-1:0];
            else if (fetch && at_end)
                passes_q <= passes_q - 1'b1;
            if (push && !s_axis_tlast)
                write_q <= write_q + 1'b1;
            else if (fetch && at_end && passes_q == {{(PASS_W-1){1'b0}}, 1'b1})
                write_q <= {ADDR_W{1'b0}};
            if (fetch)
                read_q <= at_end ? {ADDR_W{1'b0}} : read_q + 1'b1;
            open_q <= open_q ? !(push && s_axis_tlast) : passes_q == {PASS_W{1'b0}};
        end
        if (fetch)
            last_q <= at_end;
    end

`ifdef RILL_ASSERT
    localparam [31:0] TOP = DEPTH - 1;
    always @(posedge clk)
        if (!rst && push && !s_axis_tlast)
            assert (write_q != TOP[ADDR_W-1:0]);           // the firing fits
`endif
endmodule

`default_nettype wire
