// SPDX-License-Identifier: Apache-2.0
// Latencies of the arithmetic units, in enabled clocks from the operands to the result.
// `tests/fields.py write` writes this file from include/latency.def.
// verilator lint_off UNUSEDPARAM
localparam LATENCY_ADD = 5;             // rill_fp32_add
localparam LATENCY_MUL = 3;             // rill_fp32_mul
localparam LATENCY_FROM_INT = 4;        // rill_fp32_from_int
localparam LATENCY_TO_FIXED = 3;        // rill_fp32_to_fixed
localparam LATENCY_QUADRATIC = 4;       // rill_fp32_quadratic
localparam LATENCY_EXP = 10;            // rill_fp32_exp
localparam LATENCY_RECIP = 7;           // rill_fp32_recip
localparam LATENCY_RSQRT = 7;           // rill_fp32_rsqrt
localparam LATENCY_LN = 13;             // rill_fp32_ln
localparam LATENCY_CURVE = 14;          // rill_fp32_curve
localparam LATENCY_THREEFRY = 16;       // rill_threefry
localparam LATENCY_GUMBEL = 28;         // rill_gumbel
localparam LATENCY_SOFTCAP = 33;        // rill_softcap_lane
localparam LATENCY_MX_LANE = 2;         // rill_mx_lane
localparam LATENCY_NORM_SUMS = 8;       // rill_norm_sums
localparam LATENCY_NORM_SPREAD = 6;     // rill_norm_spread
localparam LATENCY_ENGINE_OFFSET = 4;   // rill_engine_offset
localparam LATENCY_GROUP_TERMS = 3;     // rill_group_terms
localparam LATENCY_LANE_PRODUCTS = 7;   // rill_lane_products
localparam LATENCY_PAIR_PRODUCTS = 10;  // rill_pair_products
localparam LATENCY_LANE_SUMS = 2;       // rill_lane_sums
localparam LATENCY_PAIR_SUMS = 2;       // rill_pair_sums
// verilator lint_on UNUSEDPARAM
