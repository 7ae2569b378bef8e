// SPDX-License-Identifier: Apache-2.0
// COPIES of a clock enable, of LANES: in synthesis four lanes have one of their own, so that its loads stay few; in
// simulation all share one. Lane i has copy i * COPIES / LANES.
`ifdef SYNTHESIS
localparam COPIES = LANES > 4 ? (LANES + 3) / 4 : 1;
`else
localparam COPIES = 1;
`endif
