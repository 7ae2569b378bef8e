// SPDX-License-Identifier: Apache-2.0
// Timing contract, cost and memory of rill_kv_scale, which stores the scales of the KV cache on chip and sends them to
// softmax.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    c->machine = TIMING_SCALES;
    c->scales.ready = 2;                              // filled_q, want_q
    c->stages = 4;                                    // the two registers of the memory, and the FIFO
    c->scales.release = 2;                            // r_have_q, next_q
    c->scales.look = args_value(a, "WINDOW") ? 2 : 0; // look_q, loaded_q
    c->scales.times = args_int(a, "REPLAYS", 1);
    c->scales.units = args_int(a, "UNITS", 1);
    c->scales.heads = args_int(a, "HEADS", 1);
    c->scales.layers = args_int(a, "LAYERS", 1);
    c->scales.together = args_int(a, "TOGETHER", 1);
    c->scales.lanes = class_lanes(a);
}

// Returns the memories. Two lanes share a memory and write it one lane at a time.
static struct cost_memory memory(const struct kernel_args *a) {
    int64_t lanes = class_lanes(a), wide = lanes > 1 ? 2 : 1;
    int64_t words = class_places(a) * args_int(a, "HEADS", 1) * div_up(args_int(a, "CONTEXT", 1), lanes);
    return (struct cost_memory){.words = words, .bits = 32 * wide, .times = lanes / wide};
}

// Adds the memories and the logic. UltraRAM is shared by two lanes. Other memory is counted for each lane, because the
// tools build a memory that is written one lane at a time from a separate RAM per lane.
static void cost(const struct kernel_args *a, struct cost_resources *r) {
    struct cost_memory m = memory(a);
    int64_t lanes = class_lanes(a);
    bool ultra = args_style(a, RAM_AUTO) == RAM_ULTRA;
    struct cost_resources ram = cost_ram(m.words, ultra ? m.bits : 32, args_style(a, RAM_AUTO));
    cost_add(r, &ram, ultra ? m.times : lanes);
    cost_per(r, lanes, PER_KV_SCALE_LANE);
    if (!ram.bram18 && !ram.uram) r->ff += 32 * lanes;
    cost_per(r, 1, PER_KV_SCALE_BASE);
    if (args_value(a, "WINDOW")) cost_per(r, 1, PER_KV_SCALE_WINDOW);
    class_cost_window(a, r);
}

struct kernel_scales kernel_scales(const struct ir_kernel *k) {
    const struct kernel_args a = args_of(k);
    int64_t lanes = class_lanes(&a);
    return (struct kernel_scales){.layers = args_int(&a, "LAYERS", 1),
                                  .heads = args_int(&a, "HEADS", 1),
                                  .words = div_up(args_int(&a, "CONTEXT", 1), lanes),
                                  .lanes = lanes};
}

const struct kernel_class rtl_kv_scale = {
    .module = "rill_kv_scale",
    .doc = "keeps the scales of its operand by position and sends them to the softmax",
    .kv = KERNEL_KV_SCALE,
    .traits = KERNEL_SCALES,
    .contract = contract,
    .cost = cost,
    .memory = memory};
