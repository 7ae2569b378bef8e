// SPDX-License-Identifier: Apache-2.0
// Finds what each edge of the kernel graph carries, from the tensor at its writing port, or else at its reading port.
#include <string.h>

#include "verif/check/check_internal.h"
#include "gen/ir/custom_ops.h"
#include "gen/kernel/kernel.h"
#include "gen/ir/ops.h"

static const struct ir_port *port_of(const struct ir *ir, const struct ir_edge *e, bool source) {
    return source ? &ir->kernel[e->src_kernel].port[e->src_port] : &ir->kernel[e->dst_kernel].port[e->dst_port];
}

// Returns the port of the edge that names a tensor, or NULL.
static const struct ir_port *naming_port(const struct ir *ir, const struct ir_edge *e) {
    const struct ir_port *src = port_of(ir, e, true), *dst = port_of(ir, e, false);
    if (src->tensor != IR_NONE) return src;
    return dst->tensor != IR_NONE ? dst : NULL;
}

// Returns whether an operation with this trait reads the tensor as its first operand.
static bool read_by(const struct ir *ir, int tensor, unsigned trait) {
    for (int n = 0; n < ir->nodes; n++)
        if (ir_node_is(ir, n, trait) && ir->node[n].in[0] == tensor) return true;
    return false;
}

// Returns how many firings a value takes (docs/rtl.md section 3): one for each scalar, one for each row of a quantized
// tensor or of a tensor with heads, and one for each block of a quantized vector that is multiplied by keys. Any other
// value, and keys and values of the cache, take one.
static int firings_of(const struct ir *ir, int tensor) {
    const struct ir_tensor *t = &ir->tensor[tensor];
    if (t->dtype == IR_KV) return 1;
    if (t->dtype == IR_SCALAR) return (int)ir_tensor_elements(t);
    if (t->rank > 1 && (t->heads || t->dtype == IR_MX))
        return (int)(ir_tensor_elements(t) / t->shape[t->rank - 1].bound);
    if (t->dtype == IR_MX && read_by(ir, tensor, OP_BY_KEYS)) return (int)(ir_tensor_elements(t) / t->block);
    return 1;
}

int edge_firings(const struct ir *ir, int tensor, const struct ir_port *port) {
    return firings_of(ir, tensor) * (port->pieces > 1 ? (int)port->pieces : 1);
}

// Returns the carry of the region whose next value (`next`), or else whose name inside the region, is the tensor.
// Returns NULL if there is none.
static const struct ir_carry *carry_of(const struct ir_region *region, int tensor, bool next) {
    for (int c = 0; c < region->carries; c++)
        if ((next ? region->carry[c].next : region->carry[c].local) == tensor) return &region->carry[c];
    return NULL;
}

int64_t check_last_repetition(const struct ir *ir, int tensor) {
    int region = ir->tensor[tensor].region;
    if (region == IR_NONE) return 0;
    const struct ir_region *r = &ir->region[region];
    return carry_of(r, tensor, false) != NULL ? r->repeat : r->repeat - 1;
}

// Sets in which repetitions a value is sent. region: region of the port, or IR_NONE for that of the tensor. leaves: the
// value is sent to an output of the design, which takes the value after the last repetition.
void edge_repeats(const struct ir *ir, struct edge *e, int region, bool leaves) {
    int home = ir->tensor[e->tensor].region;
    if (region == IR_NONE) region = home;
    e->repetitions = region == IR_NONE || leaves ? 1 : ir->region[region].repeat;
    e->head_only = region != IR_NONE && ir->region[region].when == IR_LAST;
    e->one_token = ir_takes_last(ir, region);
    e->fixed = region != home || leaves;
    e->fixed_repetition = check_last_repetition(ir, e->tensor);
}

// Returns whether a region carries the tensor, or an operation that adds makes it.
static bool is_residual(const struct ir *ir, int tensor) {
    for (int r = 0; r < ir->regions; r++)
        if (carry_of(&ir->region[r], tensor, false) != NULL || carry_of(&ir->region[r], tensor, true) != NULL)
            return true;
    int producer = ir->tensor[tensor].producer;
    return producer != IR_NONE && ir_node_is(ir, producer, OP_ADDS);
}

int edge_lanes(const struct ir *ir, const struct ir_port *port, enum ir_dtype dtype) {
    switch (dtype) {
    case IR_MX: return (int)(port->data_bits - 8) / spec_mantissa_bits(ir->design.activations);
    case IR_KV: return (int)(port->data_bits - 32) / 8;
    case IR_INT8: return (int)port->data_bits / 8;
    default: return (int)(port->data_bits / 32);
    }
}

// Finds the order of the elements if the tensor is read again, or if it has several dimensions and is not streamed in
// row-major order. Returns false otherwise.
bool edge_walk(const struct ir *ir, int tensor, const struct ir_itensor *type, struct itensor_walk *walk) {
    const struct ir_tensor *t = &ir->tensor[tensor];
    int64_t extent[IR_MAX_RANK] = {1};
    struct ir_itensor words = *type;
    bool again = type->loops && itensor_repeats(type);
    if (t->dtype != IR_F32 || t->heads || (t->rank < 2 && !again) || type->rank != t->rank + 1 ||
        type->map[0] != type->loops - 1)
        return false;
    for (int d = 0; d < t->rank; d++) extent[1 + d] = t->shape[d].bound;
    words.loops--; // the tokens' loop is not part of the order
    words.map[0] = IR_NONE;
    return itensor_walk(&words, extent, walk) && (again || walk->loops > 1);
}

// Returns whether the tensor is at a softmax: its scores, its weights, or its quantized weights.
static bool is_of_softmax(const struct ir *ir, int softmax, int tensor) {
    const struct ir_node *node = &ir->node[softmax];
    int producer = ir->tensor[tensor].producer;
    return tensor == node->in[0] || tensor == node->out[0] ||
           (producer != IR_NONE && ir->node[producer].in[0] == node->out[0]);
}

// Returns how many query heads a firing has as its tokens in steps of one token, or 0 if heads are not sent as tokens.
static int together_of(const struct ir *ir, int tensor) {
    for (int k = 0; k < ir->kernels; k++)
        if (ir->kernel[k].node != IR_NONE && ir_node_is(ir, ir->kernel[k].node, OP_OF_SCORES) &&
            is_of_softmax(ir, ir->kernel[k].node, tensor))
            return (int)kernel_together(&ir->kernel[k]);
    return 0;
}

// Fills an edge that carries the tensor of port `name`.
static void open_tensor_edge(struct check *check, struct edge *e, const struct ir_edge *graph,
                             const struct ir_port *name) {
    const struct ir *ir = check->ir;
    const struct ir_port *src = port_of(ir, graph, true);
    int reader = ir->kernel[graph->dst_kernel].node;
    bool patches = name->type.patches > 0; // the stream carries the result of the reading operation, `patch`
    e->tensor = patches ? ir->node[reader].out[0] : name->tensor;
    e->dtype = ir->tensor[e->tensor].dtype;
    e->active = e->dtype != IR_ACC;
    e->lanes = edge_lanes(ir, src, e->dtype);
    e->tokened = src->kind == IR_STREAM_TOKENS || src->kind == IR_STREAM_COUNTED;
    e->counted = src->kind == IR_STREAM_COUNTED;
    e->firings = edge_firings(ir, e->tensor, src);
    e->together = together_of(ir, e->tensor);
    e->heads = 1;
    e->walked = !patches && edge_walk(ir, e->tensor, &name->type, &e->walk);
    bool chosen_from = reader != IR_NONE && ir_node_is(ir, reader, OP_CHOOSES) && ir->node[reader].in[0] == e->tensor;
    e->is_logits = chosen_from && ir->outputs > 0 && ir->node[reader].out[0] == ir->output[0];
    const struct kernel_class *from = kernel_of(&ir->kernel[graph->src_kernel]);
    e->given = from && from->custom && !from->custom->function;
    e->always = e->given || chosen_from || e->dtype == IR_ID || e->dtype == IR_KV || is_residual(ir, e->tensor);
    edge_repeats(ir, e, name->region, kernel_is(&ir->kernel[graph->dst_kernel], KERNEL_ROWS_OUT));
}

// Returns whether the token loop writes the edge at a port with this role.
static bool from_loop(const struct ir *ir, const struct ir_edge *e, enum ir_role role) {
    const struct ir_kernel *src = &ir->kernel[e->src_kernel];
    return kernel_is(src, KERNEL_LOOP) && src->port[e->src_port].role == role;
}

void edges_open(struct check *check) {
    const struct ir *ir = check->ir;
    check->needed = check_needed(check);
    check->edge = ARENA_ARRAY(check->arena, struct edge, (size_t)ir->edges);
    for (int i = 0; i < ir->edges; i++) {
        struct edge *e = &check->edge[i];
        const struct ir_port *name = naming_port(ir, &ir->edge[i]);
        e->always = from_loop(ir, &ir->edge[i], IR_ROLE_STEP);
        e->is_ahead = from_loop(ir, &ir->edge[i], IR_ROLE_WALK);
        e->is_step = e->always || e->is_ahead;
        e->is_ring = ir_is_of(ir, &ir->edge[i], IR_ROLE_RING);
        e->active = e->is_step || e->is_ring;
        if (name != NULL) open_tensor_edge(check, e, &ir->edge[i], name);
        check->around |= e->given;
    }
    routes_open(check);
}

void edge_begin(struct edge *e) {
    e->step = e->repetition = 0;
    e->firing = e->next_token = 0;
    memset(e->beats, 0, sizeof e->beats);
    memset(e->elements, 0, sizeof e->elements);
    memset(e->key, 0, sizeof e->key);
    e->queue.done = e->queue.beat.count = e->queue.word.count = 0;
}

void edges_at(struct check *check, int64_t step, int64_t made) {
    for (int i = 0; i < check->ir->edges; i++) check->edge[i].step = check->edge[i].is_ring ? made : step;
    routes_at(check, step);
}

void edges_begin(struct check *check) {
    for (int i = 0; i < check->ir->edges; i++) edge_begin(&check->edge[i]);
    routes_begin(check);
}
