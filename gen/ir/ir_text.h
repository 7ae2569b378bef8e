// SPDX-License-Identifier: Apache-2.0
// Words and keys of the IR's text form, shared by its writer and its reader.
#ifndef RILL_IR_TEXT_H
#define RILL_IR_TEXT_H

#define IR_TEXT_MAGIC "rill ir"

static const char *const ir_dynamic_words[] = {"static", "tokens", "positions"};
static const char *const ir_when_words[] = {"always", "last"};
static const char *const ir_stream_words[] = {"tokens", "counted", "bare", "memory"};
static const char *const ir_segment_words[] = {"weights", "k", "v", "table", "params", "io", "header"};

// Integer fields of plain structs: key, type, member. One list serves both directions.
#define IR_DESIGN_FIELDS(F)                                                                                            \
    F(channels)                                                                                                        \
    F(beat_bits)                                                                                                       \
    F(lanes)                                                                                                           \
    F(unroll)                                                                                                          \
    F(tokens)                                                                                                          \
    F(arrays)                                                                                                          \
    F(group)                                                                                                           \
    F(prefetch_beats)                                                                                                  \
    F(max_burst) F(outstanding) F(context) F(eot) F(dies) F(sll) F(channel_bytes) F(is_lm) F(on_chip_kib) F(sampling)
#define IR_PLATFORM_FIELDS(F)                                                                                          \
    F("part", part)                                                                                                    \
    F("platform", name)                                                                                                \
    F("tools_first", first) F("tools_last", last) F("platform_cells", cells) F("platform_pblock", pblock)
#define IR_FIRING_FIELDS(F)                                                                                            \
    F(engine)                                                                                                          \
    F(node)                                                                                                            \
    F(region)                                                                                                          \
    F(head)                                                                                                            \
    F(mode)                                                                                                            \
    F(x_edge_port)                                                                                                     \
    F(x_take)                                                                                                          \
    F(x_free) F(kv_head) F(outer) F(kv_keep) F(y_port) F(row_steps) F(beats) F(last_rows) F(tail_base) F(groups)
#define IR_ENGINE_FIELDS(F) F(kernel) F(x_mux) F(y_demux) F(walker) F(first_channel) F(channels)
#define IR_DIE_FIELDS(F)                                                                                               \
    F(lut) F(ff) F(dsp) F(bram36) F(uram) F(shell_lut) F(shell_ff) F(shell_dsp) F(shell_bram36) F(shell_uram) F(hbm)
#define IR_GROUP_FIELDS(F) F(region) F(first_node) F(nodes) F(bits)
#define IR_FUSION_FIELDS(F) F(groups) F(bits) F(traffic)
#define IR_SEGMENT_FIELDS(F) F(node) F(channel) F(offset) F(layer_stride) F(bytes)
#define IR_EDGE_FIELDS(F)                                                                                              \
    F(src_kernel)                                                                                                      \
    F(src_port)                                                                                                        \
    F(dst_kernel)                                                                                                      \
    F(dst_port)                                                                                                        \
    F(depth) F(delay) F(whole) F(run_ahead) F(crossings) F(entry_crossings) F(group) F(crosses) F(pool) F(pool_port)
#define IR_WIRE_FIELDS(F) F(kernel) F(is_output) F(bits)
#define IR_CLIENT_FIELDS(F) F(kernel) F(is_write) F(channel) F(engine) F(is_packed) F(burst) F(buffer)
#define IR_PORT_FIELDS(F) F(is_output) F(data_bits) F(count_bits) F(index) F(edge) F(tensor) F(region) F(cut)
#define IR_KERNEL_FIELDS(F) F(node) F(die) F(has_fault) F(is_control)
#define IR_TENSOR_FIELDS(F) F(block) F(exp_min) F(producer) F(region) F(heads)
#define IR_REGION_FIELDS(F) F(repeat) F(first_node) F(nodes)

#endif
