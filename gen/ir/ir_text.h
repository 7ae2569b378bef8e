// SPDX-License-Identifier: Apache-2.0
// Words and keys of the IR's text form, shared by its writer (ir_write.c) and its reader (ir_read.c).
#ifndef RILL_IR_TEXT_H
#define RILL_IR_TEXT_H

#define IR_TEXT_MAGIC "rill ir" // comment in the first line of a dump

// Words of enums. Each list is in the order of its enum in ir.h: ir_when, ir_stream_kind, ir_strategy, ir_fusion_kind,
// ir_segment_kind, ir_segment_role, ir_client_role. The last list has the modes of an engine (ENGINE_MODE_* of enum
// field_value).
static const char *const ir_when_words[] = {"always", "last"};
static const char *const ir_stream_words[] = {"tokens", "counted", "bare"};
static const char *const ir_strategy_words[] = {"", "conservative", "auto"};
static const char *const ir_fusion_words[] = {"exact", "greedy"};
static const char *const ir_segment_words[] = {"weights", "k", "v", "table", "params", "io", "header"};
static const char *const ir_area_words[] = {"kernel", "prompt", "ring"};
static const char *const ir_client_words[] = {"kernel", "image", "prompt"};
static const char *const ir_mode_words[] = {"int8", "int4", "scores", "values"};

extern const char *const ir_type_words[]; // dtypes in the text of an itensor type

// Fields of the structs in ir.h as F(kind, name), one list for writing and reading. INT: an integer. COUNT: an integer,
// left out when 0. FLAG: left out when false. TIMES: an integer, left out when 1. PLACE: an integer, left out when
// IR_NONE. STYLE: a kind of memory, left out when no pass has chosen it. NODE, REGION, TENSOR, KERNEL, ENGINE: the name
// of the item, left out when IR_NONE. DIE: the name of the die, left out if everything is on the first die.
#define IR_DESIGN_FIELDS(F)                                                                                            \
    F(INT, channels)                                                                                                   \
    F(INT, beat_bits)                                                                                                  \
    F(INT, lanes)                                                                                                      \
    F(COUNT, unroll)                                                                                                   \
    F(INT, tokens)                                                                                                     \
    F(INT, copies)                                                                                                     \
    F(INT, group)                                                                                                      \
    F(INT, prefetch_beats)                                                                                             \
    F(INT, max_burst)                                                                                                  \
    F(INT, outstanding)                                                                                                \
    F(INT, context)                                                                                                    \
    F(COUNT, dies)                                                                                                     \
    F(COUNT, single_rate)                                                                                              \
    F(COUNT, second_reserve)                                                                                           \
    F(COUNT, sll)                                                                                                      \
    F(COUNT, sll_region)                                                                                               \
    F(COUNT, budget_lut)                                                                                               \
    F(COUNT, budget_ff)                                                                                                \
    F(COUNT, budget_dsp)                                                                                               \
    F(COUNT, budget_bram36)                                                                                            \
    F(COUNT, budget_uram)                                                                                              \
    F(INT, channel_bytes)                                                                                              \
    F(FLAG, is_lm)                                                                                                     \
    F(COUNT, on_chip_kib)                                                                                              \
    F(COUNT, sampling)                                                                                                 \
    F(COUNT, logprobs)                                                                                                 \
    F(COUNT, drafts)                                                                                                   \
    F(COUNT, draft_confidence)                                                                                         \
    F(COUNT, host_drafts)                                                                                              \
    F(COUNT, slots)                                                                                                    \
    F(COUNT, prefix)                                                                                                   \
    F(COUNT, query_heads)                                                                                              \
    F(COUNT, pump) F(COUNT, tensor_rows) F(COUNT, resident) F(COUNT, resident_lanes) F(COUNT, bmm_rows)
// Texts of struct ir_platform as F(key, member).
#define IR_PLATFORM_FIELDS(F)                                                                                          \
    F("part", part)                                                                                                    \
    F("platform", name)                                                                                                \
    F("tools_first", first) F("tools_last", last) F("platform_cells", cells) F("platform_pblock", pblock)
#define IR_FIRING_FIELDS(F)                                                                                            \
    F(ENGINE, engine)                                                                                                  \
    F(NODE, node)                                                                                                      \
    F(REGION, region)                                                                                                  \
    F(COUNT, head)                                                                                                     \
    F(COUNT, kv_head)                                                                                                  \
    F(FLAG, x_take)                                                                                                    \
    F(FLAG, x_free)                                                                                                    \
    F(FLAG, outer)                                                                                                     \
    F(FLAG, kv_keep)                                                                                                   \
    F(COUNT, row_steps)                                                                                                \
    F(INT, beats) F(INT, last_rows) F(COUNT, tail_base) F(COUNT, groups) F(COUNT, heads) F(FLAG, many)
#define IR_ENGINE_FIELDS(F)                                                                                            \
    F(KERNEL, kernel)                                                                                                  \
    F(KERNEL, x_mux)                                                                                                   \
    F(KERNEL, y_demux)                                                                                                 \
    F(KERNEL, walker)                                                                                                  \
    F(KERNEL, store) F(INT, first_channel) F(INT, channels) F(STYLE, prefetch_style) F(DIE, result_die) F(FLAG, halves)
#define IR_DIE_FIELDS(F)                                                                                               \
    F(INT, lut)                                                                                                        \
    F(INT, ff)                                                                                                         \
    F(INT, dsp)                                                                                                        \
    F(INT, bram36)                                                                                                     \
    F(COUNT, uram)                                                                                                     \
    F(COUNT, shell_lut)                                                                                                \
    F(COUNT, shell_ff)                                                                                                 \
    F(COUNT, shell_dsp) F(COUNT, shell_bram36) F(COUNT, shell_uram) F(COUNT, platform_wires) F(FLAG, hbm)
#define IR_GROUP_FIELDS(F) F(REGION, region) F(NODE, first_node) F(INT, nodes) F(INT, bits)
#define IR_FUSION_FIELDS(F) F(INT, groups) F(INT, bits) F(INT, traffic)
#define IR_SEGMENT_FIELDS(F)                                                                                           \
    F(NODE, node) F(PLACE, channel) F(INT, offset) F(COUNT, layer_stride) F(INT, bytes) F(COUNT, parts)
#define IR_EDGE_FIELDS(F)                                                                                              \
    F(INT, depth)                                                                                                      \
    F(STYLE, ram_style)                                                                                                \
    F(COUNT, delay)                                                                                                    \
    F(FLAG, whole)                                                                                                     \
    F(FLAG, run_ahead)                                                                                                 \
    F(COUNT, crossings)                                                                                                \
    F(COUNT, entry_crossings)                                                                                          \
    F(COUNT, parts) F(PLACE, group) F(COUNT, stored_firings) F(KERNEL, pool) F(PLACE, pool_port)
#define IR_WIRE_FIELDS(F) F(KERNEL, kernel) F(FLAG, is_output) F(COUNT, bits)
#define IR_CLIENT_FIELDS(F)                                                                                            \
    F(KERNEL, kernel)                                                                                                  \
    F(FLAG, is_write)                                                                                                  \
    F(PLACE, channel)                                                                                                  \
    F(ENGINE, engine) F(FLAG, is_packed) F(COUNT, parts) F(COUNT, burst) F(COUNT, buffer) F(STYLE, ram_style)
#define IR_PORT_FIELDS(F)                                                                                              \
    F(FLAG, is_output)                                                                                                 \
    F(INT, data_bits)                                                                                                  \
    F(COUNT, count_bits) F(PLACE, index) F(TENSOR, tensor) F(REGION, region) F(TIMES, pieces) F(COUNT, tokens)
#define IR_KERNEL_FIELDS(F) F(NODE, node) F(DIE, die) F(FLAG, has_fault) F(FLAG, is_control)
#define IR_TENSOR_FIELDS(F) F(COUNT, block) F(COUNT, exp_min) F(NODE, producer) F(REGION, region) F(FLAG, heads)
#define IR_CARRY_FIELDS(F) F(TENSOR, local) F(TENSOR, init) F(TENSOR, next)
#define IR_REGION_FIELDS(F) F(INT, repeat)

#endif
