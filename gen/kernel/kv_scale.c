// SPDX-License-Identifier: Apache-2.0
// rill_kv_scale: scales of the KV cache, on chip.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    c->machine = TIMING_SCALES;
    c->ready = 2;
    c->pipe = 3;
    c->times = args_int(a, "REPLAYS", 1);
    c->units = args_int(a, "UNITS", 1);
    c->heads = args_int(a, "HEADS", 1);
    c->layers = args_int(a, "LAYERS", 1);
    c->lanes = class_lanes(a);
}

// A RAM per lane, written one lane at a time.
static void cost(const struct kernel_args *a, struct cost_resources *r) {
    int64_t lanes = class_lanes(a), chunks = div_up(args_int(a, "CONTEXT", 1), lanes);
    struct cost_resources ram =
        cost_ram(args_int(a, "LAYERS", 1) * args_int(a, "HEADS", 1) * chunks, 32, args_style(a, RAM_AUTO));
    cost_add(r, &ram, lanes);
    cost_per(r, lanes, 30, 65 + (ram.bram18 || ram.uram ? 0 : 32), 0);
    cost_per(r, 1, 95, 150, 0);
    if (args_value(a, "WINDOW")) cost_per(r, 1, 50, 45, 0);
    class_cost_window(a, r);
}

static struct cost_memory memory(const struct kernel_args *a) {
    int64_t lanes = class_lanes(a), chunks = div_up(args_int(a, "CONTEXT", 1), lanes);
    return (struct cost_memory){args_int(a, "LAYERS", 1) * args_int(a, "HEADS", 1) * chunks, 32, lanes, RAM_AUTO};
}

const struct kernel_class rtl_kv_scale = {
    .module = "rill_kv_scale", .contract = contract, .cost = cost, .memory = memory};
