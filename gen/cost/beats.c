// SPDX-License-Identifier: Apache-2.0
// What a matrix engine reads in a decode step.
#include "cost.h"
#include "layout.h"

static struct layout_matrix matrix_of(const struct ir *ir, const struct ir_firing *f) {
    const struct ir_node *node = &ir->node[f->node];
    return layout_matrix(&ir->design, ir->engine[f->engine].channels, ir_attr_int(&node->attrs, "rows", 0),
                         ir_tensor_elements(&ir->tensor[node->in[0]]), f->mode == 1);
}

struct cost_beats cost_engine_beats(const struct ir *ir, int engine, int64_t position) {
    struct cost_beats b = {0};
    for (int i = 0; i < ir->firings; i++) {
        const struct ir_firing *f = &ir->firing[i];
        if (f->engine != engine) continue;
        int64_t repeat = ir->region[f->region].repeat, blocks = position / LAYOUT_V_BLOCK;
        int64_t krows =
            layout_div_up(position, ir->engine[engine].channels); // in memory; the step's own key is another row-step
        int64_t weights = f->mode <= 1 ? repeat * matrix_of(ir, f).stream_beats : 0;
        int64_t values = f->mode == 3 ? repeat * f->row_steps * f->beats : 0; // of one block of positions
        b.weights += weights;
        b.scores += f->mode == 2 ? repeat * (krows + 1) * f->beats : 0;
        b.values += values * (blocks + 1);
        b.memory += weights + values * blocks + (f->mode == 2 ? repeat * krows * f->beats : 0);
    }
    return b;
}
