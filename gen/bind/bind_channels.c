// SPDX-License-Identifier: Apache-2.0
// Decides how many engines there are and which memory channels each of them owns. `shared`: one engine has all
// channels. `spatial`: each product has an engine, in program order, and the channels are divided in proportion to the
// beats that each product reads in a decode step at half the context.
#include "gen/bind/bind.h"
#include "gen/ir/layout.h"
#include "gen/ir/ops.h"
#include "gen/ir/window.h"

// Returns the beats that a product reads in a decode step over all repetitions if all its data are on one channel.
// Weights are read once for each row of the operand. Keys and values of half the context are read once for each query
// head.
static int64_t decode_beats(const struct ir *ir, const struct ir_node *node) {
    const struct ir_tensor *in = &ir->tensor[node->in[0]], *out = &ir->tensor[node->out[0]];
    int64_t repeat = ir->region[node->region].repeat, positions = layout_div_up(ir->design.context, 2);
    if (ir_op_is(ir, node->op, OP_BY_WEIGHTS))
        return repeat *
               layout_matrix(&ir->design, 1, ir_attr_int(&node->attrs, "rows", 0), ir_vector_length(ir, node),
                             layout_format(node))
                   .stream_beats *
               (ir_tensor_elements(in) / ir_vector_length(ir, node));
    const struct ir_tensor *kv = &ir->tensor[node->in[1]];
    struct layout_kv l = layout_kv(&ir->design, 1, kv->shape[0].bound, kv->shape[1].bound);
    bool keys = ir_op_is(ir, node->op, OP_BY_KEYS);
    int64_t heads = out->shape[0].bound, beats = 0;
    int over = window_node(ir, keys ? node->out[0] : node->in[0]);
    for (int64_t r = 0; r < repeat; r++) {
        int64_t window = window_length(ir, over, r), read = window < positions ? window : positions;
        beats += heads * (keys ? read * l.k_units : l.v_rows * layout_div_up(read, LAYOUT_V_BLOCK) * l.v_block_beats);
    }
    return beats;
}

struct division { // of the channels among the engines
    // alike: number of engines that compute attn_scores. They must have equal numbers of channels, because the step
    // word has one count of row-steps of keys for all of them.
    int engines, alike;
    int64_t *beats; // beats that each engine reads, all its channels together
    bool *is_scores;
    int *share; // channels of each engine
};

// Divides the channels. Each engine gets one. Each further channel goes to the engine with the most beats per channel,
// so that the largest load of a channel is as small as possible. If this engine computes attn_scores, all engines that
// do get one more channel. If too few channels are left for that, these engines get no more.
static void divide(struct division *d, int channels) {
    for (int e = 0; e < d->engines; e++) d->share[e] = 1;
    for (int left = channels - d->engines; left > 0;) {
        int most = IR_NONE;
        for (int e = 0; e < d->engines; e++) {
            if (d->is_scores[e] && d->alike > left) continue;
            if (most == IR_NONE || d->beats[e] * d->share[most] > d->beats[most] * d->share[e]) most = e;
        }
        if (most == IR_NONE) return;
        for (int e = 0; e < d->engines; e++)
            if (e == most || (d->is_scores[most] && d->is_scores[e])) {
                d->share[e]++;
                left--;
            }
    }
}

static bool check_channels(const struct ir *ir, int products, const struct rill_spec *spec, struct diag *diag) {
    if (products <= ir->design.channels) return true;
    int limit = spec && spec->device && spec->device->hbm.channels < SPEC_MAX_CHANNELS ? spec->device->hbm.channels
                                                                                       : SPEC_MAX_CHANNELS;
    bool possible = products <= limit;
    struct loc loc = spec ? spec_place(spec, possible ? "design.channels" : "design.binding") : loc_none();
    diag_error(diag, loc, MSG_SPATIAL_CHANNELS, products, ir->design.channels);
    if (possible) diag_note(diag, loc, "the nearest legal value of `channels` is %d", products);
    else diag_note(diag, loc, "there are at most %d channels; the nearest legal value is shared", limit);
    return false;
}

bool bind_channels(struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    int products = 0, first = 0;
    for (int n = 0; n < ir->nodes; n++) products += ir_node_is(ir, n, OP_PRODUCT);
    if (products <= 1 || ir->design.binding != SPEC_SPATIAL) {
        if (products) ir_add_engine(ir, "engine", 0, ir->design.channels);
        return true;
    }
    if (!check_channels(ir, products, spec, diag)) return false;
    struct division d = {.engines = products};
    d.beats = ARENA_ARRAY(ir->arena, int64_t, (size_t)products);
    d.is_scores = ARENA_ARRAY(ir->arena, bool, (size_t)products);
    d.share = ARENA_ARRAY(ir->arena, int, (size_t)products);
    int e = 0;
    for (int n = 0; n < ir->nodes; n++) {
        if (!ir_node_is(ir, n, OP_PRODUCT)) continue;
        d.is_scores[e] = ir_node_is(ir, n, OP_BY_KEYS);
        d.alike += d.is_scores[e];
        d.beats[e++] = decode_beats(ir, &ir->node[n]);
    }
    divide(&d, ir->design.channels);
    e = 0;
    for (int n = 0; n < ir->nodes; n++) {
        if (!ir_node_is(ir, n, OP_PRODUCT)) continue;
        ir_add_engine(ir, ir->node[n].name, first, d.share[e]);
        first += d.share[e++];
    }
    return true;
}
