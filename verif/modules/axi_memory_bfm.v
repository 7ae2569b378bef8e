// SPDX-License-Identifier: Apache-2.0
// Bench part: a memory at one AXI4 port, with random stalls. It answers reads of different ids in any order, accepts
// the beats of a write burst before its address, and can answer one address with an error. All beats have the full
// width and no strobes. Word w of the memory starts as pattern(w).
// BEAT_BITS: width of a beat. WORDS: 32-bit words of the memory, a power of two; addresses wrap.
// stall: percent of the cycles in which each of the five AXI channels stalls. latency: least cycles from the address of
// a read, or from a complete write burst, to the answer.
`default_nettype none

module axi_memory_bfm #(
    parameter BEAT_BITS = 256,
    parameter ID_W = 1,
    parameter WORDS = 65536
) (
    input  wire                   clk,
    input  wire                   rst,
    input  wire [31:0]            stall,
    input  wire [31:0]            latency,
    input  wire                   error_en,
    input  wire [63:0]            error_addr,     // a beat read here, or a burst that writes here, gets SLVERR
    input  wire                   arvalid,
    output reg                    arready,
    input  wire [ID_W-1:0]        arid,
    input  wire [63:0]            araddr,
    input  wire [7:0]             arlen,
    output reg                    rvalid,
    input  wire                   rready,
    output reg  [ID_W-1:0]        rid,
    output reg  [BEAT_BITS-1:0]   rdata,
    output reg  [1:0]             rresp,
    output reg                    rlast,
    input  wire                   awvalid,
    output reg                    awready,
    input  wire [ID_W-1:0]        awid,
    input  wire [63:0]            awaddr,
    input  wire [7:0]             awlen,
    input  wire                   wvalid,
    output reg                    wready,
    input  wire [BEAT_BITS-1:0]   wdata,
    input  wire                   wlast,
    output reg                    bvalid,
    input  wire                   bready,
    output reg  [ID_W-1:0]        bid,
    output reg  [1:0]             bresp
);
    localparam BEAT_WORDS = BEAT_BITS / 32;
    localparam QUEUE = 64;                        // size of the queues of bursts
    localparam BEATS = 1024;                      // size of the buffer of write beats

    // Returns the initial contents of a word of the memory.
    function [31:0] pattern(input integer word);
        pattern = (word * 32'h9E3779B1) ^ (word >> 7);
    endfunction

    reg [31:0] mem [0:WORDS-1];
    integer    n;
    initial
        for (n = 0; n < WORDS; n = n + 1)
            mem[n] = pattern(n);

    // Reads: q_* has the open bursts, the oldest first. A burst may be answered from cycle q_time on, if no older burst
    // has the same id. While `sending`, `beat` is the next beat of burst `pick`. `first` is where the search for a
    // burst begins.
    reg [63:0]     q_addr [0:QUEUE-1];
    reg [7:0]      q_len [0:QUEUE-1];
    reg [ID_W-1:0] q_id [0:QUEUE-1];
    integer        q_time [0:QUEUE-1];
    integer        q_count;
    integer        now;
    integer        pick, i, j, older, beat, first;
    reg            sending;

    // Returns 1 in `percent` percent of its calls.
    function chance(input integer percent);
        chance = $urandom_range(99) < percent;
    endfunction

    always @(posedge clk)
        if (rst) begin
            now = 0;
            q_count = 0;
            sending = 0;
            arready <= 0;
            rvalid <= 0;
        end else begin
            now = now + 1;
            if (arvalid && arready) begin
                q_addr[q_count] = araddr;
                q_len[q_count] = arlen;
                q_id[q_count] = arid;
                q_time[q_count] = now + latency;
                q_count = q_count + 1;
            end
            arready <= q_count < QUEUE - 1 && !chance(stall);
            if (rvalid && rready) begin
                rvalid <= 0;
                if (rlast) begin
                    sending = 0;
                    q_count = q_count - 1;
                    for (i = pick; i < q_count; i = i + 1) begin
                        q_addr[i] = q_addr[i+1];
                        q_len[i] = q_len[i+1];
                        q_id[i] = q_id[i+1];
                        q_time[i] = q_time[i+1];
                    end
                end
            end
            if (!rvalid || rready) begin
                if (!sending && q_count > 0) begin
                    first = $urandom_range(q_count - 1);
                    for (i = 0; i < q_count && !sending; i = i + 1) begin
                        pick = (first + i) % q_count;
                        older = 0;
                        for (j = 0; j < pick; j = j + 1)
                            if (q_id[j] == q_id[pick])
                                older = 1;
                        if (older == 0 && q_time[pick] <= now)
                            sending = 1;
                    end
                    beat = 0;
                end
                if (sending && !chance(stall)) begin
                    rvalid <= 1;
                    rid <= q_id[pick];
                    for (i = 0; i < BEAT_WORDS; i = i + 1)
                        rdata[i*32 +: 32] <= mem[(q_addr[pick] / 4 + beat * BEAT_WORDS + i) % WORDS];
                    rresp <= error_en && q_addr[pick] + beat * (BEAT_BITS / 8) == error_addr ? 2'b10 : 2'b00;
                    rlast <= beat == q_len[pick];
                    beat = beat + 1;
                end
            end
        end

    // Writes: queues of addresses (a_*), beats (w_*) and responses (b_*). *_wr counts the entries that were put in, and
    // *_rd those that were taken out. Bursts are stored in the order of the addresses, each when its address and all
    // its beats have come.
    reg [63:0]          a_addr [0:QUEUE-1];
    reg [7:0]           a_len [0:QUEUE-1];
    reg [ID_W-1:0]      a_id [0:QUEUE-1];
    integer             a_wr, a_rd;
    reg [BEAT_BITS-1:0] w_data [0:BEATS-1];
    integer             w_wr, w_rd, w_bursts;
    reg [ID_W-1:0]      b_id [0:QUEUE-1];
    reg                 b_bad [0:QUEUE-1];
    integer             b_time [0:QUEUE-1];
    integer             b_wr, b_rd, k, m;
    reg                 bad;

    always @(posedge clk)
        if (rst) begin
            a_wr = 0;
            a_rd = 0;
            w_wr = 0;
            w_rd = 0;
            w_bursts = 0;
            b_wr = 0;
            b_rd = 0;
            awready <= 0;
            wready <= 0;
            bvalid <= 0;
        end else begin
            if (awvalid && awready) begin
                a_addr[a_wr % QUEUE] = awaddr;
                a_len[a_wr % QUEUE] = awlen;
                a_id[a_wr % QUEUE] = awid;
                a_wr = a_wr + 1;
            end
            if (wvalid && wready) begin
                w_data[w_wr % BEATS] = wdata;
                w_wr = w_wr + 1;
                if (wlast)
                    w_bursts = w_bursts + 1;
            end
            // AXI allows a slave to wait for the data before it takes the address. A ready is given only while the
            // queue is below its limit, and lets one entry in. So no queue grows beyond its limit, which is below its
            // size.
            awready <= a_wr - b_rd < QUEUE - 2 && !chance(stall) && (wvalid || w_bursts > 0 || chance(20));
            wready <= w_wr - w_rd < BEATS - 300 && !chance(stall);
            while (a_rd < a_wr && w_bursts > 0) begin
                bad = 0;
                for (k = 0; k <= a_len[a_rd % QUEUE]; k = k + 1) begin
                    for (m = 0; m < BEAT_WORDS; m = m + 1)
                        mem[(a_addr[a_rd % QUEUE] / 4 + k * BEAT_WORDS + m) % WORDS] = w_data[w_rd % BEATS][m*32 +: 32];
                    if (error_en && a_addr[a_rd % QUEUE] + k * (BEAT_BITS / 8) == error_addr)
                        bad = 1;
                    w_rd = w_rd + 1;
                end
                b_id[b_wr % QUEUE] = a_id[a_rd % QUEUE];
                b_bad[b_wr % QUEUE] = bad;
                b_time[b_wr % QUEUE] = now + latency;
                b_wr = b_wr + 1;
                a_rd = a_rd + 1;
                w_bursts = w_bursts - 1;
            end
            if (bvalid && bready)
                bvalid <= 0;
            if ((!bvalid || bready) && b_rd < b_wr && b_time[b_rd % QUEUE] <= now && !chance(stall)) begin
                bvalid <= 1;
                bid <= b_id[b_rd % QUEUE];
                bresp <= b_bad[b_rd % QUEUE] ? 2'b10 : 2'b00;
                b_rd = b_rd + 1;
            end
        end
endmodule

`default_nettype wire
