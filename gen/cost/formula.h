// SPDX-License-Identifier: Apache-2.0
// Inside the cost model: one formula per RTL module, formula_<name>, that adds an instance's resources.
#ifndef RILL_COST_FORMULA_H
#define RILL_COST_FORMULA_H

#include "args.h"
#include "cost.h"

// X(name, "module"): the table of gen/cost/resources.c.
#define COST_MODULES(X)                                                                                                \
    X(fp32_add, "rill_fp32_add")                                                                                       \
    X(fp32_mul, "rill_fp32_mul")                                                                                       \
    X(fp32_exp, "rill_fp32_exp")                                                                                       \
    X(fp32_recip, "rill_fp32_recip")                                                                                   \
    X(fp32_rsqrt, "rill_fp32_rsqrt")                                                                                   \
    X(fp32_from_int, "rill_fp32_from_int")                                                                             \
    X(fp32_to_fixed, "rill_fp32_to_fixed")                                                                             \
    X(matrix_lane, "rill_matrix_lane")                                                                                 \
    X(matrix_pair, "rill_matrix_pair")                                                                                 \
    X(dequantize, "rill_dequantize")                                                                                   \
    X(lane_front, "rill_lane_front")                                                                                   \
    X(engine_lane, "rill_engine_lane")                                                                                 \
    X(engine_offset, "rill_engine_offset")                                                                             \
    X(engine_entries, "rill_engine_entries")                                                                           \
    X(engine_ctrl, "rill_engine_ctrl")                                                                                 \
    X(x_buffer, "rill_x_buffer")                                                                                       \
    X(engine, "rill_engine")                                                                                           \
    X(add, "rill_add")                                                                                                 \
    X(mul, "rill_mul")                                                                                                 \
    X(gelu, "rill_gelu")                                                                                               \
    X(silu, "rill_silu")                                                                                               \
    X(scale, "rill_scale")                                                                                             \
    X(layernorm, "rill_layernorm")                                                                                     \
    X(rmsnorm, "rill_rmsnorm")                                                                                         \
    X(quantize, "rill_quantize")                                                                                       \
    X(kv_quantize, "rill_kv_quantize")                                                                                 \
    X(softmax, "rill_softmax")                                                                                         \
    X(argmax, "rill_argmax")                                                                                           \
    X(embed, "rill_embed")                                                                                             \
    X(position, "rill_position")                                                                                       \
    X(kv_scale, "rill_kv_scale")                                                                                       \
    X(k_writer, "rill_k_writer")                                                                                       \
    X(v_tail, "rill_v_tail")                                                                                           \
    X(kv_tracker, "rill_kv_tracker")                                                                                   \
    X(fifo, "rill_fifo")                                                                                               \
    X(fifo_pool, "rill_fifo_pool")                                                                                     \
    X(spill, "rill_spill")                                                                                             \
    X(fork, "rill_fork")                                                                                               \
    X(join, "rill_join")                                                                                               \
    X(register_slice, "rill_register_slice")                                                                           \
    X(schedule, "rill_schedule")                                                                                       \
    X(stream_mux, "rill_stream_mux")                                                                                   \
    X(stream_demux, "rill_stream_demux")                                                                               \
    X(token_select, "rill_token_select")                                                                               \
    X(replay_buffer, "rill_replay_buffer")                                                                             \
    X(head_replay, "rill_head_replay")                                                                                 \
    X(width_converter, "rill_width_converter")                                                                         \
    X(frame, "rill_frame")                                                                                             \
    X(view, "rill_view")                                                                                               \
    X(layout_converter, "rill_layout_converter")                                                                       \
    X(corner_turn, "rill_corner_turn")                                                                                 \
    X(param_store, "rill_param_store")                                                                                 \
    X(param_loader, "rill_param_loader")                                                                               \
    X(pulse_word, "rill_pulse_word")                                                                                   \
    X(segment_walker, "rill_segment_walker")                                                                           \
    X(dma_read, "rill_dma_read")                                                                                       \
    X(dma_write, "rill_dma_write")                                                                                     \
    X(axi_read_arbiter, "rill_axi_read_arbiter")                                                                       \
    X(axi_write_arbiter, "rill_axi_write_arbiter")                                                                     \
    X(stream_reader, "rill_stream_reader")                                                                             \
    X(stream_writer, "rill_stream_writer")                                                                             \
    X(token_loop, "rill_token_loop")                                                                                   \
    X(axil_regs, "rill_axil_regs")                                                                                     \
    X(event_counters, "rill_event_counters")                                                                           \
    X(ring_writer, "rill_ring_writer")

#define COST_DECLARE(name, module) void formula_##name(const struct args *, struct cost_resources *);
COST_MODULES(COST_DECLARE)
#undef COST_DECLARE

// n times so much, rounded to whole cells. n counts lanes, bits, ports, ...
static inline void cost_per(struct cost_resources *r, int64_t n, double lut, double ff, int64_t dsp) {
    r->lut += (int64_t)((double)n * lut + 0.5);
    r->ff += (int64_t)((double)n * ff + 0.5);
    r->dsp += n * dsp;
}

static inline void cost_ram_add(struct cost_resources *r, int64_t words, int64_t bits, const char *style,
                                int64_t times) {
    struct cost_resources ram = cost_ram(words, bits, style);
    cost_add(r, &ram, times);
}

static inline void cost_fifo_add(struct cost_resources *r, int64_t depth, int64_t bits, const char *style) {
    struct cost_resources fifo = cost_fifo(depth, bits, style);
    cost_add(r, &fifo, 1);
}

// rill_schedule: its table and the walk through it.
void cost_schedule(struct cost_resources *, int64_t entry_bits, int64_t entries, int64_t sections);

static inline int64_t tok_bits(int64_t tokens) { return at_least(log2_up(tokens), 1); } // TOK_W
static inline int64_t user_bits(int64_t tokens) { return tok_bits(tokens) + 1; }        // USER_W

#endif
