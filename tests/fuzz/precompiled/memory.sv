// SPDX-License-Identifier: Apache-2.0
// Replaces the memory of verif/model/rill_axi_memory.sv with its protocol checker by a model that is compiled once for
// all designs (parts.sv, proxies.cpp). Ports and cycles are the same.
`default_nettype none
/* verilator lint_off DECLFILENAME */
/* verilator lint_off UNUSEDPARAM */
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off BLKSEQ */

// Calls the model only while there is a request, or while a request or an answer is on its way.
`define RILL_MEMORY_UNIT(TAG, B) \
    begin : gen_unit \
        import "DPI-C" function chandle rill_new_``TAG(); \
        import "DPI-C" function int rill_step_``TAG(input chandle unit, input byte moves, input bit [B+B/8+199:0] in, output bit [B-1:0] out); \
        chandle unit; \
        initial unit = rill_new_``TAG(); \
        bit [B-1:0] out_d; \
        bit [B-1:0] out_q; \
        bit [23:0] state_d; \
        bit [23:0] state_q; \
        always @(posedge clk) \
            if (rst || arvalid || awvalid || wvalid || moving || !opened_q) begin \
                state_d = 24'(rill_step_``TAG(unit, moves, in, out_d)); \
                state_q <= state_d; \
                out_q <= out_d; \
                opened_q <= !rst; \
            end \
        assign {moving, rvalid, bvalid, arready, awready, wready, rlast} = state_q[23:17]; \
        assign rid = ID_W'(state_q[16:11]); \
        assign bid = ID_W'(state_q[10:5]); \
        assign rresp = state_q[4:3]; \
        assign bresp = state_q[2:1]; \
        assign rdata = out_q; \
    end

module rill_axi_memory #(
    parameter int BEAT_BITS = 512,
    parameter int ID_W = 1,
    parameter int ADDR_W = 64
) (
    input  wire                   clk,
    input  wire                   rst,
    input  wire [7:0]             channel,
    input  wire                   awvalid,
    output wire                   awready,
    input  wire [ID_W-1:0]        awid,
    input  wire [ADDR_W-1:0]      awaddr,
    input  wire [7:0]             awlen,
    input  wire [2:0]             awsize,
    input  wire [1:0]             awburst,
    input  wire                   awlock,
    input  wire [3:0]             awcache,
    input  wire [2:0]             awprot,
    input  wire [3:0]             awqos,
    input  wire                   wvalid,
    output wire                   wready,
    input  wire [BEAT_BITS-1:0]   wdata,
    input  wire [BEAT_BITS/8-1:0] wstrb,
    input  wire                   wlast,
    output wire                   bvalid,
    input  wire                   bready,
    output wire [ID_W-1:0]        bid,
    output wire [1:0]             bresp,
    input  wire                   arvalid,
    output wire                   arready,
    input  wire [ID_W-1:0]        arid,
    input  wire [ADDR_W-1:0]      araddr,
    input  wire [7:0]             arlen,
    input  wire [2:0]             arsize,
    input  wire [1:0]             arburst,
    input  wire                   arlock,
    input  wire [3:0]             arcache,
    input  wire [2:0]             arprot,
    input  wire [3:0]             arqos,
    output wire                   rvalid,
    input  wire                   rready,
    output wire [ID_W-1:0]        rid,
    output wire [BEAT_BITS-1:0]   rdata,
    output wire [1:0]             rresp,
    output wire                   rlast
);
    wire       moving;
    bit        opened_q = 1'b0;
    wire [7:0] moves = {1'b0, bready, wlast, wvalid, awvalid, rready, arvalid, rst};
    wire [BEAT_BITS+BEAT_BITS/8+199:0] in = {wdata, wstrb, 2'd0, awqos, awprot, awcache, awlock, arqos, arprot, arcache, arlock,
                                             6'(awid), 6'(arid), awburst, arburst, awsize, arsize, awlen, arlen, awaddr, araddr, channel};
    generate
        if (ID_W > 6) rill_error_no_unit_of_this_ID_W u_error ();
        else if (BEAT_BITS == 512) `RILL_MEMORY_UNIT(memory_512, 512)
        else `RILL_MEMORY_UNIT(memory_256, 256)
    endgenerate
endmodule

`default_nettype wire
