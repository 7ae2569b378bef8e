// SPDX-License-Identifier: Apache-2.0
// FIFO of any depth on AXI4-Stream handshakes.
//
// Protocol: tdata only; users concatenate their sidebands. m_axis_tdata is held while the reader stalls.
// Latency from a word that enters an empty FIFO to m_axis_tvalid: DEPTH 1 and 2: 1 cycle; deeper: 2 cycles (registered
// read). Throughput: one word per cycle, but with DEPTH 1 one word in two cycles. Capacity: exactly DEPTH words,
// including the output register.
// occupancy counts the words in the FIFO. high_water is the largest occupancy of all earlier cycles since the reset,
// for simulation and debugging.
// s_axis_tready and m_axis_tvalid come from registers, so no path leads from one side to the other. m_axis_tdata also
// comes from a register, except for DEPTH 2 with more than 1,536 bits, where a multiplexer follows the registers.
// Reset: clk, synchronous active-high rst; it clears counters and valid bits only. s_axis_tready is low in reset and in
// the cycle after it.
// Storage above 2 words: with RAM_STYLE "auto" the tool chooses a RAM. "srl" uses shift registers for up to 33 words
// (32 and the output register). Up to that depth LUTRAM ("distributed") takes no more area than shift registers, and it
// simulates several times faster, because a push does not shift all words.
//
// name       meaning                             unit   range
// DATA_W     width of a word                     bits   1 or more
// DEPTH      capacity; at most 33 with "srl"     words  1 or more
// RAM_STYLE  style of the storage above 2 words  -      "auto", "srl", "distributed", "block", "ultra"
// COUNT_W    width of occupancy                  bits   derived
`default_nettype none

module rill_fifo #(
    parameter DATA_W = 0,
    parameter DEPTH = 0,
    parameter RAM_STYLE = "auto",
    parameter COUNT_W = $clog2(DEPTH + 1)
) (
    input  wire               clk,
    input  wire               rst,
    input  wire               s_axis_tvalid,
    output wire               s_axis_tready,
    input  wire [DATA_W-1:0]  s_axis_tdata,
    output wire               m_axis_tvalid,
    input  wire               m_axis_tready,
    output wire [DATA_W-1:0]  m_axis_tdata,
    output wire [COUNT_W-1:0] occupancy,
    output wire [COUNT_W-1:0] high_water
);
    // Strings of equal width, so that they compare without warnings.
    localparam WIDE_STYLE = {88'd0, RAM_STYLE};
    localparam [87:0] STYLE = WIDE_STYLE[87:0];
    localparam [87:0] AUTO = {56'd0, "auto"};
    localparam [87:0] SRL = {64'd0, "srl"};
    localparam [87:0] BLOCK = {48'd0, "block"};
    localparam [87:0] ULTRA = {48'd0, "ultra"};
    localparam [87:0] DISTRIBUTED = "distributed";
    localparam IS_SRL = STYLE == SRL;
    localparam WIDE = 1536;                  // bits; with DEPTH 2, wider words stay in place (gen_swap)
    localparam [COUNT_W-1:0] FULL = DEPTH[COUNT_W-1:0];

    genvar c;
    generate
        if (DATA_W < 1) begin : gen_bad_data
            rill_error_DATA_W_must_be_at_least_1 u_error ();
        end
        if (DEPTH < 1) begin : gen_bad_depth
            rill_error_DEPTH_must_be_at_least_1 u_error ();
        end
        if (STYLE != AUTO && STYLE != SRL && STYLE != DISTRIBUTED && STYLE != BLOCK
            && STYLE != ULTRA) begin : gen_bad_style
            rill_error_RAM_STYLE_must_be_auto_srl_distributed_block_or_ultra u_error ();
        end
        if (STYLE == SRL && DEPTH > 33) begin : gen_bad_srl
            rill_error_DEPTH_must_be_33_or_less_with_RAM_STYLE_srl u_error ();
        end
    endgenerate

    // Returns count_now plus is_more minus is_less. A bit changes if all lower bits are 1 (plus) or 0 (minus). This is
    // known before is_more and is_less, which arrive late in the cycle.
    function [COUNT_W-1:0] counted(input [COUNT_W-1:0] count_now, input is_more, input is_less);
`ifndef RILL_FAST_SIM
        integer digit;
        reg     ones, zeros;
        begin
            ones = is_more && !is_less;
            zeros = is_less && !is_more;
            counted = count_now;
            for (digit = 0; digit < COUNT_W; digit = digit + 1) begin
                counted[digit] = count_now[digit] ^ (ones || zeros);
                ones = ones && count_now[digit];
                zeros = zeros && !count_now[digit];
            end
        end
`else
        counted = is_more == is_less ? count_now : is_more ? count_now + 1'b1 : count_now - 1'b1;
`endif
    endfunction

    wire push = s_axis_tvalid && s_axis_tready;
    wire pop = m_axis_tvalid && m_axis_tready;

    reg  [COUNT_W-1:0] count_q;
    reg  [COUNT_W-1:0] high_q;
    reg                room_q;               // there is room for a word
    wire [COUNT_W-1:0] count_d = counted(count_q, push, pop);

    // These compare the registered count, not count_d, because push and pop arrive late in the cycle.
    wire is_full = count_q == FULL;
    wire is_near = count_q == FULL - 1'b1;
    wire is_high = count_q > high_q;
    always @(posedge clk)
        if (rst) begin
            count_q <= {COUNT_W{1'b0}};
            high_q <= {COUNT_W{1'b0}};
            room_q <= 1'b0;
        end else begin
            count_q <= count_d;
            room_q <= pop || !(is_full || (is_near && push));
            if (is_high)
                high_q <= count_q;
        end
    assign occupancy = count_q;
    assign high_water = high_q;
    assign s_axis_tready = room_q;

    generate
        if (DEPTH == 1) begin : gen_one
            reg [DATA_W-1:0] word_q;
            always @(posedge clk)
                if (push)
                    word_q <= s_axis_tdata;
            assign m_axis_tvalid = count_q;
            assign m_axis_tdata = word_q;
        end else if (DEPTH == 2 && DATA_W <= WIDE) begin : gen_two
            reg [DATA_W-1:0] head_q;
            reg [DATA_W-1:0] tail_q;         // holds a word while count is 2
            reg              valid_q;        // count is not 0
            always @(posedge clk) begin
                valid_q <= !rst && (push || count_q[1] || (count_q[0] && !pop));
                if (push)
                    tail_q <= s_axis_tdata;
                if (pop || (push && !valid_q)) // m_axis_tready decides when, not which word, enters head_q
                    head_q <= count_q[1] ? tail_q : s_axis_tdata;
            end
            assign m_axis_tvalid = valid_q;
            assign m_axis_tdata = head_q;
        end else if (DEPTH == 2) begin : gen_swap
            // Wide words stay in the register that they entered, and only `read` changes. In gen_two, m_axis_tready
            // would drive every bit of head_q.
            localparam COPIES = (DATA_W + 1023) / 1024; // copies of `read`; each selects a part of the word
            localparam PART = (DATA_W + COPIES - 1) / COPIES;
            reg               write_q;       // the next word goes to word_1_q
            wire [COPIES-1:0] read;          // the oldest word is in word_1_q
            reg  [DATA_W-1:0] word_0_q;
            reg  [DATA_W-1:0] word_1_q;
            reg               valid_q;       // count is not 0
            always @(posedge clk) begin
                valid_q <= !rst && (push || count_q[1] || (count_q[0] && !pop));
                write_q <= !rst && (write_q ^ push);
                if (push && !write_q)
                    word_0_q <= s_axis_tdata;
                if (push && write_q)
                    word_1_q <= s_axis_tdata;
            end
            if (COPIES == 1) begin : gen_one_read
                reg read_q;
                always @(posedge clk)
                    read_q <= !rst && (read_q ^ pop);
                assign read = read_q;
            end else begin : gen_copies
                rill_register_copies #(.DATA_W(1), .COPIES(COPIES)) u_read (.clk(clk), .rst(rst), .d(read[0] ^ pop),
                    .q(read));
            end
            for (c = 0; c < COPIES; c = c + 1) begin : gen_part
                localparam BITS = c == COPIES - 1 ? DATA_W - c * PART : PART;
                assign m_axis_tdata[c*PART +: BITS] = read[c] ? word_1_q[c*PART +: BITS] : word_0_q[c*PART +: BITS];
            end
            assign m_axis_tvalid = valid_q;
        end else if (DEPTH > 2) begin : gen_deep
            // The storage has DEPTH-1 words; the output register out_q is the last place. When a reader takes the word
            // in out_q, the next word of the storage enters out_q in the same cycle.
            localparam WORDS = DEPTH - 1;
            localparam ADDR_W = $clog2(WORDS);
            localparam [ADDR_W-1:0] TOP = WORDS[ADDR_W-1:0] - 1'b1;
            reg  [COUNT_W-1:0] stored_q;     // words in the storage
            reg                any_q;        // stored_q != 0
            reg                valid_q;
            reg  [DATA_W-1:0]  out_q;
            wire               is_last = stored_q == {{(COUNT_W-1){1'b0}}, 1'b1};
            wire               take = any_q && (m_axis_tready || !valid_q);
            wire [COUNT_W-1:0] stored_d = counted(stored_q, push, take);
            always @(posedge clk)
                if (rst) begin
                    stored_q <= {COUNT_W{1'b0}};
                    any_q <= 1'b0;
                    valid_q <= 1'b0;
                end else begin
                    stored_q <= stored_d;
                    any_q <= push || (any_q && !(take && is_last));
                    valid_q <= any_q || (valid_q && !m_axis_tready);
                end
            assign m_axis_tvalid = valid_q;
            assign m_axis_tdata = out_q;

            if (IS_SRL) begin : gen_srl
                reg  [DATA_W-1:0] shift_q [0:WORDS-1];
                reg  [ADDR_W-1:0] oldest_q;  // index of the oldest word; 0 if the storage is empty
                integer i;
                always @(posedge clk)
                    if (push) begin
                        shift_q[0] <= s_axis_tdata;
                        for (i = 1; i < WORDS; i = i + 1)
                            shift_q[i] <= shift_q[i-1];
                    end
                always @(posedge clk)
                    if (take)
                        out_q <= shift_q[oldest_q];
                always @(posedge clk)
                    if (rst)
                        oldest_q <= {ADDR_W{1'b0}};
                    else if (push && !take && any_q)
                        oldest_q <= oldest_q + 1'b1;
                    else if (take && !push && oldest_q != {ADDR_W{1'b0}})
                        oldest_q <= oldest_q - 1'b1;
            end else begin : gen_ram
                (* ram_style = RAM_STYLE *) reg [DATA_W-1:0] mem [0:WORDS-1];
                reg  [ADDR_W-1:0] write_q;
                reg  [ADDR_W-1:0] read_q;
                always @(posedge clk)
                    if (push)
                        mem[write_q] <= s_axis_tdata;
                always @(posedge clk)
                    if (take)
                        out_q <= mem[read_q];
                always @(posedge clk)
                    if (rst) begin
                        write_q <= {ADDR_W{1'b0}};
                        read_q <= {ADDR_W{1'b0}};
                    end else begin
                        if (push)
                            write_q <= write_q == TOP ? {ADDR_W{1'b0}} : write_q + 1'b1;
                        if (take)
                            read_q <= read_q == TOP ? {ADDR_W{1'b0}} : read_q + 1'b1;
                    end
            end
        end
    endgenerate

`ifdef RILL_ASSERT
    rill_assert #(.SAYS("more words than there is room for")) u_assert_full (.clk(clk),
        .broken(!rst && !(count_q <= FULL)));
    rill_assert #(.SAYS("a word is offered that is not there")) u_assert_empty (.clk(clk),
        .broken(!rst && m_axis_tvalid && count_q == 0));
`endif
endmodule

`default_nettype wire
