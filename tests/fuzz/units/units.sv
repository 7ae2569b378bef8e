// SPDX-License-Identifier: Apache-2.0
// The fp32 units for simulation: same modules, ports and cycles, each computed by a Verilated model of its own that was compiled once
// (parts.sv, units.cpp) instead of again in every design. tests/fuzz/units/check.sv holds both against each other.
//
// All registers of these units move with `en` alone, so a model is only called where they do.
`default_nettype none
/* verilator lint_off DECLFILENAME */
/* verilator lint_off UNUSEDPARAM */
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off BLKSEQ */

`define RILL_UNIT(TAG, IN_W, OUT_W, IN, OUT) \
    import "DPI-C" function chandle rill_new_``TAG(); \
    import "DPI-C" function longint rill_step_``TAG(input chandle unit, input bit [IN_W-1:0] in); \
    chandle unit; \
    initial unit = rill_new_``TAG(); \
    reg [OUT_W-1:0] out_q; \
    always @(posedge clk) if (en) out_q <= OUT_W'(rill_step_``TAG(unit, IN)); \
    assign OUT = out_q;

module rill_fp32_add (
    input  wire        clk,
    input  wire        en,
    input  wire [31:0] a,
    input  wire [31:0] b,
    output wire [31:0] y,
    output wire        fault
);
    `RILL_UNIT(add, 64, 33, {b, a}, {fault, y})
endmodule

module rill_fp32_mul #(
    parameter SATURATE = 0
) (
    input  wire        clk,
    input  wire        en,
    input  wire [31:0] a,
    input  wire [31:0] b,
    output wire [31:0] y,
    output wire        fault
);
    generate
        if (SATURATE == 0) begin : gen_plain
            `RILL_UNIT(mul, 64, 33, {b, a}, {fault, y})
        end else begin : gen_saturating
            `RILL_UNIT(mul_saturating, 64, 33, {b, a}, {fault, y})
        end
    endgenerate
endmodule

module rill_fp32_exp (
    input  wire        clk,
    input  wire        en,
    input  wire [31:0] a,
    output wire [31:0] y,
    output wire        fault
);
    `RILL_UNIT(exp, 32, 33, a, {fault, y})
endmodule

module rill_fp32_recip (
    input  wire        clk,
    input  wire        en,
    input  wire [31:0] a,
    output wire [31:0] y,
    output wire        fault
);
    `RILL_UNIT(recip, 32, 33, a, {fault, y})
endmodule

module rill_fp32_rsqrt (
    input  wire        clk,
    input  wire        en,
    input  wire [31:0] a,
    output wire [31:0] y,
    output wire        fault
);
    `RILL_UNIT(rsqrt, 32, 33, a, {fault, y})
endmodule

module rill_fp32_from_int #(
    parameter WIDTH = 0
) (
    input  wire             clk,
    input  wire             en,
    input  wire [WIDTH-1:0] a,
    output wire [31:0]      y
);
    generate
        case (WIDTH)
            4: begin : gen_4 `RILL_UNIT(from_4, 4, 32, a, y) end
            8: begin : gen_8 `RILL_UNIT(from_8, 8, 32, a, y) end
            9: begin : gen_9 `RILL_UNIT(from_9, 9, 32, a, y) end
            48: begin : gen_48 `RILL_UNIT(from_48, 48, 32, a, y) end
            60: begin : gen_60 `RILL_UNIT(from_60, 60, 32, a, y) end
            64: begin : gen_64 `RILL_UNIT(from_64, 64, 32, a, y) end
            104: begin : gen_104 `RILL_UNIT(from_104, 104, 32, a, y) end
            120: begin : gen_120 `RILL_UNIT(from_120, 120, 32, a, y) end
            default: rill_error_no_unit_of_this_WIDTH u_error ();
        endcase
    endgenerate
endmodule

module rill_fp32_to_fixed #(
    parameter FRAC = 0,
    parameter WIDTH = 0
) (
    input  wire             clk,
    input  wire             en,
    input  wire [31:0]      a,
    output wire [WIDTH-1:0] y,
    output wire             overflow,
    output wire             fault
);
    generate
        case (WIDTH * 64 + FRAC)
            8 * 64 + 0: begin : gen_8 `RILL_UNIT(fixed_8, 32, 10, a, {fault, overflow, y}) end
            32 * 64 + 30: begin : gen_32 `RILL_UNIT(fixed_32, 32, 34, a, {fault, overflow, y}) end
            44 * 64 + 20: begin : gen_44 `RILL_UNIT(fixed_44, 32, 46, a, {fault, overflow, y}) end
            default: rill_error_no_unit_of_this_FRAC_and_WIDTH u_error ();
        endcase
    endgenerate
endmodule

// FIFOs of the depths and widths that most streams have; others are the template itself, under another name (stages.sh). All their outputs
// come from registers, and nothing moves in one that is empty, out of reset and not written.
`define RILL_FIFO_UNIT(D, W, N) \
    begin : gen_``D``_``W \
        import "DPI-C" function chandle rill_new_fifo_``D``_``W(); \
        import "DPI-C" function int rill_step_fifo_``D``_``W(input chandle unit, input byte moves, input bit [W-1:0] in, output bit [W-1:0] out); \
        chandle unit; \
        initial unit = rill_new_fifo_``D``_``W(); \
        bit [W-1:0] out_d; \
        bit [2*N+1:0] state_d; \
        bit [W-1:0] out_q; \
        bit [2*N-1:0] counts_q; \
        bit tready_q, tvalid_q; \
        always @(posedge clk) \
            if (rst || s_axis_tvalid || counts_q[N-1:0] != 0 || !tready_q) begin \
                state_d = (2*N+2)'(rill_step_fifo_``D``_``W(unit, {5'd0, rst, s_axis_tvalid, m_axis_tready}, W'(s_axis_tdata), out_d)); \
                {tready_q, tvalid_q, counts_q} <= state_d; \
                out_q <= out_d; \
            end \
        assign {high_water, occupancy} = counts_q; \
        assign s_axis_tready = tready_q; \
        assign m_axis_tvalid = tvalid_q; \
        assign m_axis_tdata = out_q[DATA_W-1:0]; \
    end

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
        if (DEPTH == 2 && DATA_W <= 40) `RILL_FIFO_UNIT(2, 40, 2)
        else if (DEPTH == 2 && DATA_W <= 72) `RILL_FIFO_UNIT(2, 72, 2)
        else if (DEPTH == 2 && DATA_W <= 136) `RILL_FIFO_UNIT(2, 136, 2)
        else if (DEPTH == 2 && DATA_W <= 272) `RILL_FIFO_UNIT(2, 272, 2)
        else if (DEPTH == 2 && DATA_W <= 544) `RILL_FIFO_UNIT(2, 544, 2)
        else if (DEPTH == 4 && DATA_W <= 72) `RILL_FIFO_UNIT(4, 72, 3)
        else if (DEPTH == 4 && DATA_W <= 272) `RILL_FIFO_UNIT(4, 272, 3)
        else begin : gen_own
            rill_fifo_own #(.DATA_W(DATA_W), .DEPTH(DEPTH), .RAM_STYLE(RAM_STYLE)) u_own (.clk(clk), .rst(rst), .s_axis_tvalid(s_axis_tvalid),
                .s_axis_tready(s_axis_tready), .s_axis_tdata(s_axis_tdata), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready),
                .m_axis_tdata(m_axis_tdata), .occupancy(occupancy), .high_water(high_water));
        end
    endgenerate
endmodule

`default_nettype wire
