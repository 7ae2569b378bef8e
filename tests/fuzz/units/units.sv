// SPDX-License-Identifier: Apache-2.0
// The fp32 units for simulation: same modules, ports and cycles, each computed by a Verilated model of its own that was compiled once
// (parts.sv, units.cpp) instead of again in every design. tests/fuzz/units/check.sv holds both against each other.
//
// All registers of these units move with `en` alone, so a model is only called where they do.
`default_nettype none
/* verilator lint_off DECLFILENAME */
/* verilator lint_off UNUSEDPARAM */

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

`default_nettype wire
