// SPDX-License-Identifier: Apache-2.0
// Computes sums of N products of two streams: the inner kernel of a product of two activation tensors (operation bmm).
// rill_mul makes the products, each rounded to fp32, and rill_reduce sums them exactly (docs/numerics.md section 2).
// The kernels before this module send the rows of both tensors as often as they are needed, in the same order.
//
// Streams: docs/rtl.md section 3. Both inputs have the same words and tokens, N / LANES words for each sum. A word of
// input a has a chunk of LANES elements for each of ROWS rows (rill_row_block), and a word of input b has one chunk,
// which is multiplied with all of these rows. The ROWS sums leave together in one word. One word of each input per
// cycle. Latency from the last word of the sums to their result: 14 + log2(LANES) cycles. Reset: clk, synchronous
// active-high rst. fault: pulse on a NaN or infinite operand or product, and on a product whose magnitude is 2^23 or
// more.
//
// name    meaning                       unit      range
// LANES   fp32 per chunk                elements  1, 2, 4, 8, 16, 32
// ROWS    rows of a that are            rows      1 to 16
//         multiplied at a time
// TOKENS  tokens per step, upper bound  tokens    1 to 8
// N       products of a sum, a          elements  1 to 65536
//         multiple of LANES
// USER_W  width of tuser                bits      derived
`default_nettype none

module rill_bmm #(
    parameter LANES = 0,
    parameter ROWS = 1,
    parameter TOKENS = 0,
    parameter N = 0,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire                clk,
    input  wire                rst,

    input  wire                s_axis_a_tvalid,
    output wire                s_axis_a_tready,
    input  wire [ROWS*LANES*32-1:0] s_axis_a_tdata,
    input  wire [USER_W-1:0]   s_axis_a_tuser,
    input  wire                s_axis_a_tlast,

    input  wire                s_axis_b_tvalid,
    output wire                s_axis_b_tready,
    input  wire [LANES*32-1:0] s_axis_b_tdata,
    input  wire [USER_W-1:0]   s_axis_b_tuser,
    input  wire                s_axis_b_tlast,

    output wire                m_axis_y_tvalid,
    input  wire                m_axis_y_tready,
    output wire [ROWS*32-1:0] m_axis_y_tdata,
    output wire [USER_W-1:0]   m_axis_y_tuser,
    output wire                m_axis_y_tlast,

    output wire                fault
);
    localparam [31:0] UNIT = 32'h35800000;   // 2^-20, the unit in which rill_reduce sums

    generate
        if (N < 1 || N > 65536) begin : gen_bad_n
            rill_error_N_must_be_1_to_65536 u_error ();
        end
        if (ROWS < 1 || ROWS > 16) begin : gen_bad_rows
            rill_error_ROWS_must_be_1_to_16 u_error ();
        end
        if (LANES > 0 && N % (LANES > 0 ? LANES : 1) != 0) begin : gen_bad_words
            rill_error_LANES_must_divide_N u_error ();
        end
    endgenerate

    // All rows work in step, so the handshakes of row 0 are those of the module.
    wire [ROWS-1:0]        a_tready, b_tready, y_tvalid, y_tlast, mul_fault, sum_fault;
    wire [ROWS*USER_W-1:0] y_tuser;
    genvar r;
    generate
        for (r = 0; r < ROWS; r = r + 1) begin : gen_row
            wire                tvalid, tready, tlast;
            wire [LANES*32-1:0] tdata;
            wire [USER_W-1:0]   tuser;
            rill_mul #(.LANES(LANES), .TOKENS(TOKENS)) u_mul (
                .clk(clk), .rst(rst), .s_axis_a_tvalid(s_axis_a_tvalid), .s_axis_a_tready(a_tready[r]),
                .s_axis_a_tdata(s_axis_a_tdata[r*LANES*32 +: LANES*32]), .s_axis_a_tuser(s_axis_a_tuser),
                .s_axis_a_tlast(s_axis_a_tlast), .s_axis_b_tvalid(s_axis_b_tvalid), .s_axis_b_tready(b_tready[r]),
                .s_axis_b_tdata(s_axis_b_tdata), .s_axis_b_tuser(s_axis_b_tuser), .s_axis_b_tlast(s_axis_b_tlast),
                .m_axis_y_tvalid(tvalid), .m_axis_y_tready(tready), .m_axis_y_tdata(tdata), .m_axis_y_tuser(tuser),
                .m_axis_y_tlast(tlast), .fault(mul_fault[r]));
            // FUNCTION 2: sum times SCALE
            rill_reduce #(.LANES(LANES), .TOKENS(TOKENS), .FUNCTION(2), .N(N), .SCALE(UNIT)) u_reduce (
                .clk(clk), .rst(rst), .s_axis_x_tvalid(tvalid), .s_axis_x_tready(tready), .s_axis_x_tdata(tdata),
                .s_axis_x_tuser(tuser), .s_axis_x_tlast(tlast), .m_axis_y_tvalid(y_tvalid[r]),
                .m_axis_y_tready(m_axis_y_tready), .m_axis_y_tdata(m_axis_y_tdata[r*32 +: 32]),
                .m_axis_y_tuser(y_tuser[r*USER_W +: USER_W]), .m_axis_y_tlast(y_tlast[r]), .fault(sum_fault[r]));
        end
    endgenerate
    assign s_axis_a_tready = a_tready[0];
    assign s_axis_b_tready = b_tready[0];
    assign m_axis_y_tvalid = y_tvalid[0];
    assign m_axis_y_tuser = y_tuser[USER_W-1:0];
    assign m_axis_y_tlast = y_tlast[0];
    assign fault = |{mul_fault, sum_fault};

`ifdef RILL_ASSERT
    always @(posedge clk)
        if (!rst) begin
            assert (a_tready == {ROWS{a_tready[0]}} && b_tready == {ROWS{b_tready[0]}});
            assert (y_tvalid == {ROWS{y_tvalid[0]}});
            assert (!y_tvalid[0] || (y_tlast == {ROWS{y_tlast[0]}} && y_tuser == {ROWS{y_tuser[USER_W-1:0]}}));
        end
`else
    wire unused = &{a_tready, b_tready, y_tvalid, y_tlast, y_tuser};
`endif
endmodule

`default_nettype wire
