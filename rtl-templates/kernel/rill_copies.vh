// SPDX-License-Identifier: Apache-2.0
// COPIES: number of copies of a clock enable for LANES lanes. Every four lanes share a copy, so that each copy has
// few loads. Lane i uses copy i * COPIES / LANES.
localparam COPIES = LANES > 4 ? (LANES + 3) / 4 : 1;
