// SPDX-License-Identifier: Apache-2.0
// rill_k_writer, which writes keys to the KV cache in memory: its timing contract, its cost, and the addresses of the
// keys.
#include "gen/kernel/class.h"
#include "gen/kernel/kernel.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    c->machine = TIMING_K_WRITER;
    c->keys.layers = args_int(a, "LAYERS", 1);
    c->keys.heads = args_int(a, "HEADS", 1);
    c->keys.units = args_int(a, "UNITS", 1);
    c->keys.channels = at_least(args_int(a, "CHANNELS", 1), 1);
    c->keys.ask = 4; // S_STEP, S_PLACE and two cycles of S_ROW
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    cost_per(r, class_beat_bits(a), PER_K_WRITER_BIT); // two registers for units, which are filled in turn
    cost_per(r, args_int(a, "CHANNELS", 1), PER_K_WRITER_CHANNEL);
    cost_per(r, 1, PER_K_WRITER_BASE);
}

struct kernel_cache kernel_cache(const struct ir_kernel *k) {
    const struct kernel_args a = args_of(k);
    return (struct kernel_cache){.base = args_address(&a, "K_BASE"),
                                 .head = args_address(&a, "K_HEAD_STRIDE"),
                                 .layer = args_address(&a, "K_LAYER_STRIDE"),
                                 .row = args_int(&a, "UNITS", 1) * class_beat_bits(&a) / 8,
                                 .lanes = at_least(args_int(&a, "CHANNELS", 1), 1)};
}

const struct kernel_class rtl_k_writer = {.module = "rill_k_writer",
                                          .doc = "writes keys to the cache in memory",
                                          .kv = KERNEL_KV_INTEGERS,
                                          .traits = KERNEL_KEYS,
                                          .contract = contract,
                                          .cost = cost};
