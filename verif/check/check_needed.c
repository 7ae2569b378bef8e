// SPDX-License-Identifier: Apache-2.0
// Finds the tensors whose value in the last repetition of their own region an output still needs. A request may end
// while other tensors, or values made from them, are still in flight.
#include "verif/check/check_internal.h"

static bool reads(const struct ir_node *node, int tensor) {
    for (int i = 0; i < node->inputs; i++)
        if (node->in[i] == tensor) return true;
    return false;
}

// Returns whether the tensor is an output, or is read by an operation or an initial carried value of another region.
static bool read_outside(const struct ir *ir, int region, int tensor) {
    bool found = false;
    for (int o = 0; o < ir->outputs; o++) found |= ir->output[o] == tensor;
    for (int n = 0; n < ir->nodes; n++) found |= ir->node[n].region != region && reads(&ir->node[n], tensor);
    for (int r = 0; r < ir->regions; r++)
        for (int c = 0; c < ir->region[r].carries; c++) found |= r != region && ir->region[r].carry[c].init == tensor;
    return found;
}

// Marks the tensor as needed. Returns whether it was not marked before.
static bool need(bool *needed, int tensor) {
    bool more = !needed[tensor];
    needed[tensor] = true;
    return more;
}

static bool makes_needed(const struct ir_node *node, const bool *needed) {
    bool found = false;
    for (int o = 0; o < node->outputs; o++) found |= needed[node->out[o]];
    return found;
}

// Returns `needed` without the tensors that are also read by an operation whose results are not needed, because the
// stream to this operation may end early.
static bool *read_whole(const struct check *check, const bool *needed) {
    const struct ir *ir = check->ir;
    bool *whole = ARENA_ARRAY(check->arena, bool, (size_t)ir->tensors + 1);
    for (int t = 0; t < ir->tensors; t++) whole[t] = needed[t];
    for (int n = 0; n < ir->nodes; n++)
        for (int i = 0; i < ir->node[n].inputs; i++) whole[ir->node[n].in[i]] &= makes_needed(&ir->node[n], needed);
    return whole;
}

bool *check_needed(struct check *check) {
    const struct ir *ir = check->ir;
    bool *needed = ARENA_ARRAY(check->arena, bool, (size_t)ir->tensors + 1), more = true;
    for (int o = 0; o < ir->outputs; o++) needed[ir->output[o]] = true;
    while (more) {
        more = false;
        for (int n = ir->nodes - 1; n >= 0; n--) {
            const struct ir_node *node = &ir->node[n];
            for (int i = 0; makes_needed(node, needed) && i < node->inputs; i++) more |= need(needed, node->in[i]);
        }
        for (int r = 0; r < ir->regions; r++)
            for (int c = 0; c < ir->region[r].carries; c++) {
                const struct ir_carry *k = &ir->region[r].carry[c];
                if (!needed[k->local]) continue;
                more |= need(needed, k->init);
                // The value after the last repetition is needed only if it is read outside the region.
                if (read_outside(ir, r, k->local)) more |= need(needed, k->next);
            }
    }
    return read_whole(check, needed);
}
