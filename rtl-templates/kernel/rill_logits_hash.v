// SPDX-License-Identifier: Apache-2.0
// Computes a hash of a vector that does not depend on the number of lanes. With the hash, a host compares the logits of
// the hardware with those of the replay without reading them.
//
// Element i is at place j = i % 32 of block b = i / 32; there are B = ceil(N / 32) blocks. ~x is the complement of its
// 32 bits. The hash is the sum over all elements of (2 * (B - b) - 1) * 2^(31 - j) * ~x, modulo 2^64. Each weight is an
// odd number times a power of two, and no two weights are equal. So a changed bit or a lost element always changes the
// hash, and two swapped elements nearly always do.
// In: at most one chunk of LANES elements per cycle. ceil(N / LANES) chunks make a vector, with `last` on the last one.
// Nothing stalls. With ROWS above 1 the chunks of several vectors may alternate; `row` is the vector of a chunk.
// Out: hash has 64 bits per row, row 0 low. A row's hash is valid from log2(LANES) + 4 cycles after its last chunk
// until the first block of the row's next vector changes it.
// Reset: clk, synchronous active-high rst; the next chunk is the first one of a vector.
//
// name   meaning               unit      range
// LANES  fp32 per chunk        elements  1, 2, 4, 8, 16, 32
// N      elements of a vector  elements  1 to 2^24
// ROWS   vectors at a time     vectors   1 to 8
// ROW_W  width of row          bits      derived
`default_nettype none

module rill_logits_hash #(
    parameter LANES = 0,
    parameter N = 0,
    parameter ROWS = 1,
    parameter ROW_W = ROWS > 1 ? $clog2(ROWS) : 1
) (
    input  wire                clk,
    input  wire                rst,
    input  wire                valid,
    input  wire [LANES*32-1:0] data,
    input  wire                last,
    input  wire [ROW_W-1:0]    row,
    output wire [ROWS*64-1:0]  hash
);
    localparam BLOCK = 32;
    localparam LEVELS = LANES > 1 ? $clog2(LANES) : 0;
    localparam CHUNKS = (N + LANES - 1) / (LANES > 0 ? LANES : 1);
    localparam LAST_LANES = N - (CHUNKS - 1) * LANES;    // elements of the last chunk
    localparam TURNS = BLOCK / (LANES > 0 ? LANES : 1);  // chunks per block
    localparam TURN_W = TURNS > 1 ? $clog2(TURNS) : 1;
    localparam [31:0] LAST_TURN = TURNS - 1;
    localparam MISSING = BLOCK - ((CHUNKS - 1) % TURNS + 1) * LANES; // elements that the last block lacks

    generate
        if (LANES != 1 && LANES != 2 && LANES != 4 && LANES != 8 && LANES != 16 && LANES != 32) begin : gen_bad_lanes
            rill_error_LANES_must_be_a_power_of_two_up_to_32 u_error ();
        end
        if (N < 1 || N > 16777216) begin : gen_bad_n
            rill_error_N_must_be_1_to_16777216 u_error ();
        end
    endgenerate

    // A tree of sums with a register after every level. The weight of a chunk's left half is 2^(number of its lanes)
    // times that of the right half.
    localparam NODES = 2 * LANES - 1;
    wire [NODES*64-1:0] sum;
    genvar i, s;
    generate
        for (i = 0; i < LANES; i = i + 1) begin : gen_leaf
            reg [31:0] word_q;
            always @(posedge clk)
                word_q <= (i >= LAST_LANES) && last ? 32'd0 : ~data[i*32 +: 32];
            assign sum[i*64 +: 64] = {32'd0, word_q};
        end
        for (s = 1; s <= LEVELS; s = s + 1) begin : gen_level
            for (i = 0; i < (LANES >> s); i = i + 1) begin : gen_node
                localparam LEFT = 2 * LANES - (4 * LANES >> s) + 2 * i;
                localparam PLACE = 2 * LANES - (2 * LANES >> s) + i;
                localparam HALF = 1 << (s - 1);          // lanes of one side
                localparam W = 32 + 2 * HALF;
                wire [31+HALF:0] left = sum[LEFT*64 +: 32+HALF];
                wire [31+HALF:0] right = sum[(LEFT + 1)*64 +: 32+HALF];
                reg  [W-1:0]     sum_q;
                always @(posedge clk)
                    sum_q <= {left, {HALF{1'b0}}} + {{HALF{1'b0}}, right};
                if (W < 64) begin : gen_wide
                    assign sum[PLACE*64 +: 64] = {{(64-W){1'b0}}, sum_q};
                end else begin : gen_whole
                    assign sum[PLACE*64 +: 64] = sum_q;
                end
            end
        end
    endgenerate

    // valid and last pass as many registers as the tree has levels, so they leave with the chunk's sum.
    reg  [LEVELS:0] valid_q;
    reg  [LEVELS:0] last_q;
    reg  [(LEVELS+1)*ROW_W-1:0] row_q;
    generate
        if (LEVELS == 0) begin : gen_side_one
            always @(posedge clk) begin
                valid_q <= valid && !rst;
                last_q <= last;
                row_q <= row;
            end
        end else begin : gen_side
            always @(posedge clk) begin
                valid_q <= rst ? {(LEVELS+1){1'b0}} : {valid_q[LEVELS-1:0], valid};
                last_q <= {last_q[LEVELS-1:0], last};
                row_q <= {row_q[LEVELS*ROW_W-1:0], row};
            end
        end
    endgenerate
    wire [ROW_W-1:0] chunk_row = row_q[LEVELS*ROW_W +: ROW_W];
    wire        chunk_last = last_q[LEVELS];
    wire [63:0] chunk = sum[(NODES-1)*64 +: 64];

    // block_q sums the chunks of a block. prefix_q sums all blocks so far. The hash is the sum of twice each prefix,
    // and of the last prefix once. So block b counts 2 * (B - b) - 1 times.
    genvar r;
    generate
        for (r = 0; r < ROWS; r = r + 1) begin : gen_row
            localparam [31:0] ROW = r;
            wire              chunk_valid = valid_q[LEVELS] && (ROWS == 1 || chunk_row == ROW[ROW_W-1:0]);
            reg  [63:0]       hash_q;
            assign hash[r*64 +: 64] = hash_q;
            reg  [TURN_W-1:0] turn_q;
            reg  [63:0]       block_q;
            reg               block_done_q, block_last_q;
            reg               first_q;                           // the next block is the first one of a vector
            reg  [63:0]       prefix_q;
            reg               prefix_done_q, prefix_last_q, prefix_first_q;
            wire              turn_last = turn_q == LAST_TURN[TURN_W-1:0] || chunk_last;
            wire [63:0]       padded = block_last_q ? block_q << MISSING : block_q;

            always @(posedge clk) begin
                if (rst)
                    turn_q <= {TURN_W{1'b0}};
                else if (chunk_valid)
                    turn_q <= turn_last ? {TURN_W{1'b0}} : turn_q + 1'b1;
                if (chunk_valid)
                    block_q <= ({64{turn_q != {TURN_W{1'b0}}}} & (block_q << LANES)) + chunk;
                block_done_q <= chunk_valid && turn_last && !rst;
                block_last_q <= chunk_last;

                if (rst)
                    first_q <= 1'b1;
                else if (block_done_q)
                    first_q <= block_last_q;
                if (block_done_q)
                    prefix_q <= ({64{!first_q}} & prefix_q) + padded;
                prefix_done_q <= block_done_q && !rst;
                prefix_last_q <= block_last_q;
                prefix_first_q <= first_q;

                if (prefix_done_q)
                    hash_q <= ({64{!prefix_first_q}} & hash_q) + (prefix_last_q ? prefix_q : prefix_q << 1);
            end
        end
    endgenerate
    wire unused = &{1'b0, LAST_TURN, sum, chunk_row};
endmodule

`default_nettype wire
