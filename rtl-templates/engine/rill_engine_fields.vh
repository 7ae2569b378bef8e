// SPDX-License-Identifier: Apache-2.0
// Defines the places of the fields of a command of the matrix engine to its lanes, from the low bits up. The header
// of rill_engine_ctrl explains each field (cmd_*). Uses TOK_W, SCALE_W, ASYM and TURN_TOKENS of the including
// module.
// The fields from LANE_APART on travel as one word without a reset, the fields below it in separate registers. A
// reset must clear LANE_VALID and LANE_OUT (CLEAR_W of rill_hop), because they start an action. LANE_PARAMS and
// LANE_SCALES only store a beat, which nothing reads after a reset. A lane's own copy of the command (u_mine of
// rill_engine) is cleared as a whole. FRONT_*: the fields that go to a lane's front.
// verilator lint_off UNUSEDPARAM
localparam LANE_VALID = 0, LANE_OUT = 1, LANE_PARAMS = 2, LANE_SCALES = 3, LANE_APART = 4, LANE_INT4 = LANE_APART,
    LANE_FIRST = LANE_INT4 + 1, LANE_LAST = LANE_FIRST + 1, LANE_RAW = LANE_LAST + 1, LANE_RAW_W = 2,
    LANE_TOK = LANE_RAW + LANE_RAW_W, LANE_ROW = LANE_TOK + TOK_W, LANE_ROW_W = 3,
    LANE_SCALE = LANE_ROW + LANE_ROW_W, LANE_OUT_TOK = LANE_SCALE + SCALE_W, LANE_ACC = LANE_OUT_TOK + TOK_W,
    LANE_ACC_W = 3, LANE_OUT_ROW = LANE_ACC + LANE_ACC_W, LANE_OUT_ROW_W = 3,
    LANE_ASYM = LANE_OUT_ROW + LANE_OUT_ROW_W, LANE_BANK = LANE_ASYM + (ASYM != 0 ? 1 : 0), LANE_BANK_W = 2,
    LANE_OTHERS = LANE_BANK + (TURN_TOKENS > 2 ? LANE_BANK_W : 0),
        LANE_OTHERS_W = TURN_TOKENS > 2 ? TURN_TOKENS - 1 : 1,
    CMD_W = LANE_OTHERS + LANE_OTHERS_W;
localparam FRONT_POP = 0, FRONT_LOCAL = 1, FRONT_VALID = 2, FRONT_INT4 = 3, FRONT_K = 4, FRONT_W = 5;
// verilator lint_on UNUSEDPARAM
