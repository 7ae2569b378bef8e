// SPDX-License-Identifier: Apache-2.0
// An example of a small design of another project. docs/checkers.md checks it with Rill's AXI checker. It copies BURSTS
// bursts of BEATS beats from address 0 to address TO, one burst at a time: AR, then R into a buffer, then AW and W at
// the same time, then B.
// Reset: clk, synchronous active-high rst. The design starts by itself after the reset, and raises done at the end.
// Parameters: BEAT_BITS, width of a beat; BEATS, beats of a burst; BURSTS, number of bursts; TO, address in bytes;
// FAULT, one of the planted faults below, 0: none.
`default_nettype none

module axi_copy #(
    parameter BEAT_BITS = 64,
    parameter BEATS = 4,
    parameter BURSTS = 8,
    parameter [63:0] TO = 64'h10000,
    parameter FAULT = 0
) (
    input  wire                   clk,
    input  wire                   rst,
    output reg                    done,
    output reg                    arvalid,
    input  wire                   arready,
    output wire [63:0]            araddr,
    output wire [7:0]             arlen,
    output wire [2:0]             arsize,
    output wire [1:0]             arburst,
    output wire [3:0]             arcache,
    input  wire                   rvalid,
    output wire                   rready,
    input  wire [BEAT_BITS-1:0]   rdata,
    input  wire                   rlast,
    output reg                    awvalid,
    input  wire                   awready,
    output wire [63:0]            awaddr,
    output wire [7:0]             awlen,
    output wire [2:0]             awsize,
    output wire [1:0]             awburst,
    output wire [3:0]             awcache,
    output reg                    wvalid,
    input  wire                   wready,
    output wire [BEAT_BITS-1:0]   wdata,
    output wire [BEAT_BITS/8-1:0] wstrb,
    output wire                   wlast,
    input  wire                   bvalid,
    output wire                   bready
);
    localparam [63:0] BURST_BYTES = BEATS * BEAT_BITS / 8;
    localparam SIZE_32 = $clog2(BEAT_BITS / 8);
    localparam [2:0] SIZE = SIZE_32[2:0];

    reg [BEAT_BITS-1:0] buffer [0:BEATS-1];
    reg [31:0]          burst_q, read_q, written_q;          // bursts copied; beats of the present burst: read, written
    reg [63:0]          cycle_q;
    wire [63:0]         from = {32'd0, burst_q} * BURST_BYTES + (FAULT == 2 ? 64'd4096 - BURST_BYTES / 2 : 64'd0);

    assign araddr = FAULT == 1 ? from + (cycle_q << SIZE) : from;             // 1: the address changes while it waits
    assign awaddr = TO + {32'd0, burst_q} * BURST_BYTES;                      // 2 (`from`): bursts cross 4 KiB
    assign arlen = BEATS - 1;
    assign awlen = BEATS - 1;
    assign arsize = SIZE;
    assign awsize = FAULT == 3 ? SIZE - 3'd1 : SIZE;                          // 3: narrow beats
    assign arburst = 2'b01;
    assign awburst = 2'b01;
    assign arcache = FAULT == 4 ? 4'b1100 : 4'b0011;                          // 4: a reserved value
    assign awcache = 4'b0011;
    assign rready = cycle_q[0];
    // 5: the data change while they wait.
    assign wdata = buffer[written_q] ^ (FAULT == 5 ? cycle_q[BEAT_BITS-1:0] : {BEAT_BITS{1'b0}});
    assign wstrb = {BEAT_BITS/8{1'b1}};
    assign wlast = written_q == (FAULT == 6 ? BEATS - 2 : BEATS - 1);         // 6: one beat too early
    assign bready = 1'b1;

    always @(posedge clk) begin
        cycle_q <= rst ? 64'd0 : cycle_q + 64'd1;
        if (rst) begin
            {done, awvalid, wvalid} <= 3'b000;
            arvalid <= 1'b0;
            burst_q <= 32'd0;
            read_q <= 32'd0;
            written_q <= 32'd0;
        end else begin
            if (arvalid ? arready : cycle_q == 64'd0)
                arvalid <= !arvalid;
            if (rvalid && rready) begin
                buffer[read_q] <= rdata;
                read_q <= rlast ? 32'd0 : read_q + 32'd1;
                {awvalid, wvalid} <= {rlast, rlast};
            end
            if (awvalid && awready)
                awvalid <= 1'b0;
            if (wvalid && wready) begin
                written_q <= wlast ? 32'd0 : written_q + 32'd1;
                wvalid <= !wlast;
            end
            if (bvalid) begin
                burst_q <= burst_q + 32'd1;
                done <= burst_q == BURSTS - 1;
                arvalid <= burst_q != BURSTS - 1;
            end
        end
    end
endmodule

`default_nettype wire
