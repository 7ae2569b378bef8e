// SPDX-License-Identifier: Apache-2.0
// One decode step as a whole: what the matrix engine reads, and the bound on the time from one token to the next.
#include "args.h"
#include "contract.h"
#include "cost.h"
#include "layout.h"

static struct layout_matrix matrix_of(const struct ir *ir, const struct ir_firing *f) {
    const struct ir_node *node = &ir->node[f->node];
    return layout_matrix(&ir->design, ir_attr_int(&node->attrs, "rows", 0), ir_tensor_elements(&ir->tensor[node->in[0]]), f->mode == 1);
}

struct cost_beats cost_engine_beats(const struct ir *ir, int64_t position) {
    struct cost_beats b = {0};
    for (int i = 0; i < ir->firings; i++) {
        const struct ir_firing *f = &ir->firing[i];
        int64_t repeat = ir->region[f->region].repeat, blocks = position / LAYOUT_V_BLOCK;
        int64_t krows = layout_div_up(position, ir->design.channels); // in memory; the step's own key is another row-step
        int64_t weights = f->mode <= 1 ? repeat * matrix_of(ir, f).stream_beats : 0;
        int64_t values = f->mode == 3 ? repeat * f->row_steps * f->beats : 0; // of one block of positions
        b.weights += weights;
        b.scores += f->mode == 2 ? repeat * (krows + 1) * f->beats : 0;
        b.values += values * (blocks + 1);
        b.memory += weights + values * blocks + (f->mode == 2 ? repeat * krows * f->beats : 0);
    }
    return b;
}

// Beats of the fullest channel: the lane's, and on channel 0 the rows that kernels fetch and write themselves.
static int64_t channel_beats(const struct ir *ir, int64_t position) {
    int64_t beats = cost_engine_beats(ir, position).memory;
    for (int c = 0; c < ir->clients; c++)
        if (ir->client[c].channel == 0 && ir->client[c].kernel != IR_NONE) beats += cost_memory_beats(&ir->kernel[ir->client[c].kernel]);
    return beats;
}

static int64_t memory_cycles(const struct ir *ir, const struct rill_device *device, int64_t position) {
    if (!device || device->hbm.sustained_gbs <= 0) return 0;
    double bytes = (double)channel_beats(ir, position) * ir->design.beat_bits / 8;
    return (int64_t)(bytes / (device->hbm.sustained_gbs * 1e9) * ir->design.clock_mhz * 1e6 + 0.5);
}

struct cost_bound cost_token_bound(const struct ir *ir, const struct rill_device *device, int64_t position) {
    struct cost_beats beats = cost_engine_beats(ir, position);
    struct cost_bound b = {.engine = beats.weights + beats.scores + beats.values, .busiest = IR_NONE};
    b.memory = memory_cycles(ir, device, position);
    for (int k = 0; k < ir->kernels; k++) {
        int64_t busy = cost_is_engine(&ir->kernel[k]) ? 0 : cost_kernel_work(ir, k, position).busy;
        if (busy > b.kernel) b.kernel = busy, b.busiest = k;
    }
    b.cycles = at_least(at_least(b.engine, b.memory), b.kernel);
    b.tokens_per_second = b.cycles ? ir->design.clock_mhz * 1e6 / (double)b.cycles : 0;
    return b;
}
