// SPDX-License-Identifier: Apache-2.0
// Addresses of registers, in bytes. A register that each channel has is given with the address for channel 0.
// REG_..._STRIDE is the distance from such a register to that of the next channel.
// `tests/fields.py write` writes this file from include/registers.def.
// verilator lint_off UNUSEDPARAM
localparam [11:0] REG_CTRL = 12'h000;
localparam [11:0] REG_GIER = 12'h004;
localparam [11:0] REG_IER = 12'h008;
localparam [11:0] REG_ISR = 12'h00C;
localparam [11:0] REG_PROMPT_LEN = 12'h010;
localparam [11:0] REG_MAX_NEW = 12'h018;
localparam [11:0] REG_EOT = 12'h020;
localparam [11:0] REG_FLAGS = 12'h028;
localparam [11:0] REG_STATUS = 12'h030;
localparam [11:0] REG_IDS = 12'h034;
localparam [11:0] REG_FAULT = 12'h038;
localparam [11:0] REG_PLACE = 12'h03C;
localparam [11:0] REG_PROMPT = 12'h040;
localparam [11:0] REG_PROMPT_HIGH = 12'h044;
localparam [11:0] REG_RING = 12'h04C;
localparam [11:0] REG_RING_HIGH = 12'h050;
localparam [11:0] REG_BASE = 12'h058;
localparam [11:0] REG_BASE_HIGH = 12'h05C;
localparam [11:0] REG_BASE_STRIDE = 12'h00C;
localparam [11:0] REG_CYCLES = 12'h400;
localparam [11:0] REG_BEATS = 12'h408;
localparam [11:0] REG_MAGIC = 12'h200;
localparam [11:0] REG_VERSION = 12'h204;
localparam [11:0] REG_IDENTITY = 12'h208;
localparam [11:0] REG_IDENTITY_HIGH = 12'h20C;
localparam [11:0] REG_LAYOUT = 12'h210;
localparam [11:0] REG_LAYOUT_HIGH = 12'h214;
localparam [11:0] REG_IMAGE = 12'h218;
localparam [11:0] REG_IMAGE_HIGH = 12'h21C;
localparam [11:0] REG_HALT = 12'h220;
localparam [11:0] REG_WATCHDOG = 12'h224;
localparam [11:0] REG_RING_IDS = 12'h228;
localparam [11:0] REG_ENDING = 12'h22C;
localparam [11:0] REG_ADDRESS = 12'h230;
localparam [11:0] REG_ADDRESS_HIGH = 12'h234;
localparam [11:0] REG_CHANNEL = 12'h238;
localparam [11:0] REG_FAULT_STATE = 12'h23C;
localparam [11:0] REG_IDLE = 12'h240;
localparam [11:0] REG_IDLE_HIGH = 12'h244;
localparam [11:0] REG_LOGITS = 12'h248;
localparam [11:0] REG_LOGITS_HIGH = 12'h24C;
localparam [11:0] REG_CLOCK = 12'h250;
localparam [11:0] REG_IGNORED = 12'h254;
localparam [11:0] REG_PREFIX = 12'h258;
localparam [11:0] REG_HELD = 12'h25C;
localparam [11:0] REG_INVERSE = 12'h260;
localparam [11:0] REG_TOP_K = 12'h264;
localparam [11:0] REG_MIN_P = 12'h268;
localparam [11:0] REG_SEED = 12'h270;
localparam [11:0] REG_SEED_HIGH = 12'h274;
localparam [11:0] REG_EOT_MORE_00 = 12'h280;
localparam [11:0] REG_EOT_MORE_01 = 12'h284;
localparam [11:0] REG_EOT_MORE_02 = 12'h288;
localparam [11:0] REG_EOT_MORE_03 = 12'h28C;
localparam [11:0] REG_EOT_MORE_04 = 12'h290;
localparam [11:0] REG_EOT_MORE_05 = 12'h294;
localparam [11:0] REG_EOT_MORE_06 = 12'h298;
localparam [11:0] REG_SLOT = 12'h2A0;
localparam [11:0] REG_SUBMIT = 12'h2A4;
localparam [11:0] REG_SLOTS = 12'h2A8;
localparam [11:0] REG_DRAFT_AT = 12'h2B0;
localparam [11:0] REG_DRAFT_ID = 12'h2B4;
// verilator lint_on UNUSEDPARAM
