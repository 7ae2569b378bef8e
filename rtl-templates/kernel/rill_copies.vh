// SPDX-License-Identifier: Apache-2.0
// COPIES: number of copies of a clock enable for the lanes of a kernel. Uses LANES of the including module. Every
// four lanes share a copy, so that each copy has few loads. Lane i uses copy i * COPIES / LANES.
localparam COPIES = LANES > 4 ? (LANES + 3) / 4 : 1;
