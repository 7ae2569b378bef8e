// SPDX-License-Identifier: Apache-2.0
// COPIES of a clock enable, of LANES: four lanes have one of their own, so that its loads stay few. Lane i has copy
// i * COPIES / LANES.
localparam COPIES = LANES > 4 ? (LANES + 3) / 4 : 1;
