// SPDX-License-Identifier: Apache-2.0
// FIFO of any depth on AXI4-Stream handshakes.
//
// Protocol: s_axis/m_axis tdata only (users concatenate their sidebands). m_axis_tdata is held while stalled. Order kept, nothing lost.
// Latency: DEPTH 1 and 2: 1 cycle; deeper: 2 cycles (RAM read register). Throughput: one word per cycle from DEPTH 2 on.
// Capacity: exactly DEPTH words. occupancy counts them; high_water is the largest occupancy since reset (simulation and debug).
// Reset: synchronous, valids and pointers only.
// Parameters: DATA_W bits, DEPTH words, RAM_STYLE "auto" | "srl" | "distributed" | "block" | "ultra" (of the storage above 2 words).
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
    generate
        if (DATA_W < 1) begin : gen_bad_data
            rill_error_DATA_W_must_be_at_least_1 u_error ();
        end
        if (DEPTH < 1) begin : gen_bad_depth
            rill_error_DEPTH_must_be_at_least_1 u_error ();
        end
    endgenerate

    wire push = s_axis_tvalid & s_axis_tready;
    wire pop  = m_axis_tvalid & m_axis_tready;

    reg [COUNT_W-1:0] count_q;
    reg [COUNT_W-1:0] high_q;
    reg               up_q; // tready stays low in reset
    wire [COUNT_W-1:0] count_d = count_q + {{(COUNT_W-1){1'b0}}, push} - {{(COUNT_W-1){1'b0}}, pop};
    always @(posedge clk) begin
        if (rst) begin
            count_q <= {COUNT_W{1'b0}};
            high_q  <= {COUNT_W{1'b0}};
            up_q    <= 1'b0;
        end else begin
            count_q <= count_d;
            up_q    <= 1'b1;
            if (count_d > high_q) high_q <= count_d;
        end
    end
    assign occupancy  = count_q;
    assign high_water = high_q;
    assign s_axis_tready = up_q & (count_q != DEPTH[COUNT_W-1:0]);

    generate
        if (DEPTH == 1) begin : gen_one
            reg [DATA_W-1:0] word_q;
            always @(posedge clk) if (push) word_q <= s_axis_tdata;
            assign m_axis_tvalid = count_q != 0;
            assign m_axis_tdata  = word_q;
        end else if (DEPTH == 2) begin : gen_two
            reg [DATA_W-1:0] head_q;
            reg [DATA_W-1:0] tail_q;
            always @(posedge clk) begin
                if (pop & (count_q == 2'd2)) head_q <= tail_q;
                else if (push & (count_q == 2'd0 || pop)) head_q <= s_axis_tdata;
                if (push) tail_q <= s_axis_tdata;
            end
            assign m_axis_tvalid = count_q != 0;
            assign m_axis_tdata  = head_q;
        end else begin : gen_ram
            // DEPTH - 1 words of storage and an output register; the register refills while it is emptied.
            localparam WORDS = DEPTH - 1;
            localparam ADDR_W = WORDS > 1 ? $clog2(WORDS) : 1;
            (* ram_style = RAM_STYLE *) reg [DATA_W-1:0] mem [0:WORDS-1];
            reg [ADDR_W-1:0]  write_q;
            reg [ADDR_W-1:0]  read_q;
            reg [COUNT_W-1:0] stored_q; // words in mem
            reg               valid_q;
            reg [DATA_W-1:0]  out_q;
            wire refill = ~valid_q | m_axis_tready;
            wire take   = refill & (stored_q != 0);
            always @(posedge clk) if (push) mem[write_q] <= s_axis_tdata;
            always @(posedge clk) if (take) out_q <= mem[read_q];
            always @(posedge clk) begin
                if (rst) begin
                    write_q  <= {ADDR_W{1'b0}};
                    read_q   <= {ADDR_W{1'b0}};
                    stored_q <= {COUNT_W{1'b0}};
                    valid_q  <= 1'b0;
                end else begin
                    if (push) write_q <= (write_q == WORDS[ADDR_W-1:0] - 1'b1) ? {ADDR_W{1'b0}} : write_q + 1'b1;
                    if (take) read_q  <= (read_q == WORDS[ADDR_W-1:0] - 1'b1) ? {ADDR_W{1'b0}} : read_q + 1'b1;
                    stored_q <= stored_q + {{(COUNT_W-1){1'b0}}, push} - {{(COUNT_W-1){1'b0}}, take};
                    if (refill) valid_q <= stored_q != 0;
                end
            end
            assign m_axis_tvalid = valid_q;
            assign m_axis_tdata  = out_q;
        end
    endgenerate

`ifdef RILL_ASSERT
    always @(posedge clk) if (!rst) begin
        assert (count_q <= DEPTH[COUNT_W-1:0]);
        assert (!(pop && count_q == 0));
    end
`endif
endmodule

`default_nettype wire
