// SPDX-License-Identifier: Apache-2.0
// COPIES of a clock enable for LANES lanes: every four lanes share a copy, so that each copy has few loads. Lane i
// has copy i * COPIES / LANES.
localparam COPIES = LANES > 4 ? (LANES + 3) / 4 : 1;
