// SPDX-License-Identifier: Apache-2.0
// One decode step as a whole: the bound on the time from one token to the next.
#include "args.h"
#include "contract.h"
#include "cost.h"

static int64_t engine_cycles(const struct ir *ir, int engine, int64_t position) {
    struct cost_beats b = cost_engine_beats(ir, engine, position);
    return b.weights + b.scores + b.values;
}

int cost_slowest_engine(const struct ir *ir, int64_t position) {
    int slowest = ir->engines ? 0 : IR_NONE;
    for (int e = 1; e < ir->engines; e++)
        if (engine_cycles(ir, e, position) > engine_cycles(ir, slowest, position)) slowest = e;
    return slowest;
}

// Beats of the fullest channel: the lane's, and on channel 0 the rows that kernels fetch and write themselves.
static int64_t channel_beats(const struct ir *ir, int64_t position) {
    int64_t most = 0;
    for (int e = 0; e < ir->engines || e == 0; e++) {
        int64_t beats = ir->engines ? cost_engine_beats(ir, e, position).memory : 0;
        for (int c = 0; c < ir->clients && e == 0; c++)
            if (ir->client[c].channel == 0 && ir->client[c].kernel != IR_NONE)
                beats += cost_memory_beats(&ir->kernel[ir->client[c].kernel]);
        most = at_least(beats, most);
    }
    return most;
}

static int64_t memory_cycles(const struct ir *ir, int64_t position) {
    double bytes = (double)channel_beats(ir, position) * ir->design.beat_bits / 8;
    return (int64_t)(bytes / (ir->design.sustained_gbs * 1e9) * ir->design.clock_mhz * 1e6 + 0.5);
}

struct cost_bound cost_token_bound(const struct ir *ir, int64_t position) {
    int slowest = cost_slowest_engine(ir, position);
    struct cost_bound b = {.engine = slowest == IR_NONE ? 0 : engine_cycles(ir, slowest, position), .busiest = IR_NONE};
    b.memory = memory_cycles(ir, position);
    for (int k = 0; k < ir->kernels; k++) {
        int64_t busy = cost_is_engine(&ir->kernel[k]) ? 0 : cost_kernel_work(ir, k, position).busy;
        if (busy > b.kernel) b.kernel = busy, b.busiest = k;
    }
    b.cycles = at_least(at_least(b.engine, b.memory), b.kernel);
    b.tokens_per_second = b.cycles ? ir->design.clock_mhz * 1e6 / (double)b.cycles : 0;
    return b;
}
