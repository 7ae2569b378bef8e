// SPDX-License-Identifier: Apache-2.0
// Finds the operations that form an attention, and the KV caches and layers that attentions use
// (gen/kernel/kv_cache.h).
#include "gen/kernel/kv_cache.h"

#include "gen/kernel/kernel.h"
#include "gen/ir/ops.h"

// ---- the operations of an attention ----

// Returns the node with this trait from which a tensor is computed, following operands whose rows grow with the
// position. IR_NONE: there is none, or several. depth: operations passed so far; the search passes at most 16.
static int source_of(const struct ir *ir, int tensor, unsigned trait, int depth) {
    int n = ir->tensor[tensor].producer, found = IR_NONE;
    if (n == IR_NONE || depth > 16) return IR_NONE;
    if (ir_node_is(ir, n, trait)) return n;
    for (int i = 0; i < ir->node[n].inputs; i++) {
        const struct ir_tensor *t = &ir->tensor[ir->node[n].in[i]];
        if (t->rank != 2 || t->shape[1].dynamic != IR_POSITIONS) continue;
        int source = source_of(ir, ir->node[n].in[i], trait, depth + 1);
        if (found != IR_NONE && source != IR_NONE && source != found) return IR_NONE;
        if (source != IR_NONE) found = source;
    }
    return found;
}

// Returns the only node with `trait` whose operand 0 is computed from `source`, a node with source_trait. IR_NONE:
// there is none, or several.
static int reader_of(const struct ir *ir, unsigned trait, int source, unsigned source_trait) {
    int found = IR_NONE;
    for (int n = 0; n < ir->nodes; n++) {
        if (!ir_node_is(ir, n, trait) || source_of(ir, ir->node[n].in[0], source_trait, 0) != source) continue;
        if (found != IR_NONE) return IR_NONE;
        found = n;
    }
    return found;
}

int kv_softmax_of(const struct ir *ir, int scores) { return reader_of(ir, OP_OF_SCORES, scores, OP_BY_KEYS); }

int kv_values_of(const struct ir *ir, int scores) {
    int softmax = kv_softmax_of(ir, scores);
    return softmax == IR_NONE ? IR_NONE : reader_of(ir, OP_BY_VALUES, softmax, OP_OF_SCORES);
}

int kv_scores_of(const struct ir *ir, int values) {
    int softmax = source_of(ir, ir->node[values].in[0], OP_OF_SCORES, 0);
    return softmax == IR_NONE ? IR_NONE : source_of(ir, ir->node[softmax].in[0], OP_BY_KEYS, 0);
}

// ---- query heads together ----

// Counts the uses of a tensor: by operations, carried tensors and outputs of the graph. Sets *reader to the last
// operation that uses the tensor.
static int reads(const struct ir *ir, int tensor, int *reader) {
    int count = 0;
    for (int n = 0; n < ir->nodes; n++)
        for (int i = 0; i < ir->node[n].inputs; i++)
            if (ir->node[n].in[i] == tensor) count++, *reader = n;
    for (int r = 0; r < ir->regions; r++)
        for (int c = 0; c < ir->region[r].carries; c++)
            count += ir->region[r].carry[c].init == tensor || ir->region[r].carry[c].next == tensor;
    for (int o = 0; o < ir->outputs; o++) count += ir->output[o] == tensor;
    return count;
}

// Returns the only reader of a node's first output, if it has this trait and is in the same region; else IR_NONE.
static int only_reader(const struct ir *ir, int n, unsigned trait) {
    int reader = IR_NONE;
    if (n == IR_NONE || reads(ir, ir->node[n].out[0], &reader) != 1) return IR_NONE;
    return ir_node_is(ir, reader, trait) && ir->node[reader].region == ir->node[n].region ? reader : IR_NONE;
}

// Returns whether an attention is only the chain quantize, scores, dequantize, softmax, quantize, values, dequantize in
// one region, and no other operation reads the tensors between them.
static bool is_plain(const struct ir *ir, int scores) {
    int softmax = only_reader(ir, only_reader(ir, scores, OP_OF_PRODUCT), OP_OF_SCORES),
        values = only_reader(ir, only_reader(ir, softmax, OP_QUANTIZES), OP_BY_VALUES), reader;
    return only_reader(ir, values, OP_OF_PRODUCT) != IR_NONE && reads(ir, ir->node[scores].in[0], &reader) == 1 &&
           ir_node_is(ir, ir->tensor[ir->node[scores].in[0]].producer, OP_QUANTIZES);
}

int kv_together(const struct ir *ir, int scores) {
    int64_t heads = ir->tensor[ir->node[scores].out[0]].shape[0].bound,
            group = heads / ir->tensor[ir->node[scores].in[1]].shape[0].bound;
    int most = ir->design.query_heads < ir->design.tokens ? ir->design.query_heads : ir->design.tokens;
    if (ir->region[ir->node[scores].region].when == IR_LAST || most < 2 || !is_plain(ir, scores)) return 1;
    while (group % most) most--;
    return most;
}

// ---- caches ----

// Returns whether every attention has its own cache.
static bool one_each(const struct ir *ir) { return ir->engines > 1; }

// Returns the number of the cache that an attn_scores or attn_values reads.
static int unit_of(const struct ir *ir, int node) {
    int unit = 0, scores = ir_node_is(ir, node, OP_BY_KEYS) ? node : kv_scores_of(ir, node);
    for (int n = 0; one_each(ir) && n < scores; n++) unit += ir_node_is(ir, n, OP_BY_KEYS);
    return unit;
}

struct kv_cache kv_cache_of(const struct ir *ir, int node) {
    const struct ir_node *self = &ir->node[node];
    struct kv_cache c = {.unit = unit_of(ir, node)};
    for (int n = 0; n < ir->nodes; n++) {
        const struct ir_node *other = &ir->node[n];
        const struct ir_tensor *t = &ir->tensor[other->inputs > 1 ? other->in[1] : 0];
        if (other->op != self->op || (one_each(ir) && n != node)) continue;
        int64_t repeat = ir->region[other->region].repeat;
        c.layers += repeat;
        c.step += other->region == self->region;
        if (other->region < self->region) c.layer += repeat;
        if (other->region == self->region && n < node) c.layer++;
        if (t->shape[0].bound > c.heads) c.heads = t->shape[0].bound;
        if (t->shape[1].bound > c.head_dim) c.head_dim = t->shape[1].bound;
    }
    if (ir->region[self->region].repeat == 1) c.step = 0;
    return c;
}

int kv_unit_scores(const struct ir *ir, int unit) {
    int at = 0;
    for (int n = 0; n < ir->nodes; n++)
        if (ir_node_is(ir, n, OP_BY_KEYS) && at++ == unit) return n;
    return IR_NONE;
}

int kv_units(const struct ir *ir) {
    int units = 0;
    for (int n = 0; n < ir->nodes; n++) units += ir_node_is(ir, n, OP_BY_KEYS);
    return one_each(ir) || units == 0 ? units : 1;
}

int64_t kv_layers(const struct ir *ir, int unit) {
    int scores = kv_unit_scores(ir, unit);
    return scores == IR_NONE ? 0 : kv_cache_of(ir, scores).layers;
}

const char *kv_name(const struct ir *ir, int unit, const char *what) {
    return kv_units(ir) > 1 ? arena_printf(ir->arena, "%s_%s", ir->node[kv_unit_scores(ir, unit)].name, what) : what;
}

int kv_net(struct ir *ir, int unit, enum ir_net_role role) {
    return ir_net(ir, role, kv_units(ir) > 1 ? kv_unit_scores(ir, unit) : IR_NONE);
}

// The kernels that write caches are in the order of the caches.
int kv_kernel(const struct ir *ir, int unit, unsigned trait) {
    for (int k = 0; k < ir->kernels; k++)
        if (kernel_is(&ir->kernel[k], trait) && unit-- == 0) return k;
    return IR_NONE;
}

bool kv_is_mux(const struct ir *ir, int kernel) {
    const struct ir_kernel *k = &ir->kernel[kernel];
    bool keys = false;
    for (int p = 0; p < k->ports; p++) keys |= k->port[p].is_output && k->port[p].type.dtype == IR_KV;
    return keys && kernel_is(k, KERNEL_MUX);
}
