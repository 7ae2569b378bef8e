// SPDX-License-Identifier: Apache-2.0
// Counts the commands of a matrix engine in a step, and the beats that each of the engine's channels reads from memory.
// A command makes all lanes multiply one beat, and takes a cycle.
#include "gen/cost/cost.h"
#include "gen/ir/layout.h"
#include "gen/ir/window.h"

// Returns the layout of the weights of a firing's product.
static struct layout_matrix matrix_of(const struct ir *ir, const struct ir_firing *f) {
    const struct ir_node *node = &ir->node[f->node];
    return layout_matrix(&ir->design, ir->engine[f->engine].lanes, ir_attr_int(&node->attrs, "rows", 0),
                         ir_vector_length(ir, node), layout_format(node));
}

// Returns whether the firing runs in this step.
static bool runs(const struct ir *ir, const struct ir_firing *f, const struct cost_step *s) {
    return (s->head || ir->region[f->region].when != IR_LAST) && !(f->many && s->tokens == 1);
}

// Returns the number of commands for which the engine holds one data beat. Each command serves up to `A` tokens. In a
// step of one token, query heads may take the places of tokens.
static int64_t turns_of(const struct ir *ir, const struct ir_firing *f, const struct cost_step *s) {
    int64_t tokens = f->heads && s->tokens == 1 ? f->heads : s->tokens;
    return ir_takes_last(ir, f->region) ? 1 : layout_div_up(tokens, ir->design.copies);
}

// Adds one repetition of an attention product that reads `position` earlier positions. Scores have the row-steps of
// these keys in memory and of the step's own keys. Values have the blocks in memory and the open block.
static void add_attention(const struct ir *ir, const struct ir_firing *f, const struct cost_step *s, int64_t position,
                          struct cost_beats *b) {
    int64_t channels = ir->engine[f->engine].lanes, turns = turns_of(ir, f, s), blocks = position / LAYOUT_V_BLOCK,
            krows = layout_div_up(position, channels),
            values = f->row_steps * f->beats; // beats of one block of positions
    if (f->mode == ENGINE_MODE_SCORES) {
        b->scores += (krows + layout_div_up(s->tokens, channels)) * f->beats * turns;
        b->memory += krows * f->beats;
    } else {
        b->values += values * (blocks + 1) * turns;
        b->memory += values * blocks;
    }
}

struct cost_beats cost_step_beats(const struct ir *ir, int engine, const struct cost_step *s) {
    struct cost_beats b = {0};
    for (int i = 0; i < ir->firings; i++) {
        const struct ir_firing *f = &ir->firing[i];
        if (f->engine != engine || !runs(ir, f, s)) continue;
        const struct ir_node *node = &ir->node[f->node];
        int64_t repeat = ir->region[f->region].repeat, turns = turns_of(ir, f, s);
        if (f->mode <= ENGINE_MODE_INT4) {
            int64_t all = matrix_of(ir, f).stream_beats, data = f->row_steps * f->beats;
            b.weights += repeat * (all + data * (turns - 1));
            b.memory += repeat * all;
            continue;
        }
        int over = window_node(ir, f->mode == ENGINE_MODE_SCORES ? node->out[0] : node->in[0]);
        for (int64_t r = 0; r < repeat; r++)
            add_attention(ir, f, s, s->position - window_begin(ir, over, r, s->position), &b);
    }
    return b;
}

struct cost_beats cost_engine_beats(const struct ir *ir, int engine, int64_t position) {
    return cost_step_beats(ir, engine, &(struct cost_step){position, 1, true});
}
