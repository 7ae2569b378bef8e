// SPDX-License-Identifier: Apache-2.0
#include "ports.h"

#include <string.h>

static int64_t div_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

int ports_unit_elements(const struct ir *ir) { return ir->design.beat_bits / 8; }
int ports_user_bits(const struct ir *ir) { return (ir->design.tokens > 1 ? u64_clog2((uint64_t)ir->design.tokens) : 1) + 1; }

int64_t ports_data_bits(const struct ir *ir, enum ir_dtype dtype) {
    switch (dtype) {
    case IR_F32: return ir->design.lanes * 32;
    case IR_MX: return ir->design.beat_bits + 8;
    case IR_KV: return ir->design.beat_bits + 32;
    case IR_ACC:
    case IR_DTYPES: break;
    case IR_SCALAR:
    case IR_ID: return 32;
    }
    base_fatal("ports: a stream of products has no width of its own");
}

// Elements of one firing: a head at a time where blocks follow heads or positions, the whole vector otherwise.
static int64_t firing_elements(const struct ir *ir, const struct ir_tensor *t) {
    if (t->rank == 2) return t->shape[1].bound;
    (void)ir;
    return ir_tensor_elements(t);
}

static bool head_blocks(const struct ir *ir, const struct ir_tensor *t) {
    for (int n = 0; n < ir->nodes; n++) // q: consumed head by head
        for (int i = 0; i < ir->node[n].inputs; i++)
            if (&ir->tensor[ir->node[n].in[i]] == t && ir->node[n].inputs == 2 && i == 0 && ir->tensor[ir->node[n].in[1]].dtype == IR_KV) return true;
    return false;
}

int64_t ports_mx_units(const struct ir *ir, const struct ir_tensor *t) {
    int64_t xs = ports_unit_elements(ir), per_block = div_up(t->block, xs);
    int64_t n = head_blocks(ir, t) && t->rank == 1 ? t->block : firing_elements(ir, t);
    int64_t full = n / t->block, rest = n % t->block;
    return div_up(full * per_block + div_up(rest, xs), 2) * 2;
}

int64_t ports_firings(const struct ir *ir, int tensor) {
    const struct ir_tensor *t = &ir->tensor[tensor];
    if (t->dtype == IR_MX && t->rank == 1 && head_blocks(ir, t)) return ir_tensor_elements(t) / t->block;
    return t->rank == 2 && t->dtype != IR_KV ? t->shape[0].bound : 1;
}

// Data dimensions (token, element); chunks outside, tokens inside: [chunks, tokens]*[width, 1], (d0,d1)->(d1,d0).
static struct ir_itensor chunk_type(const struct ir *ir, enum ir_dtype dtype, struct ir_extent chunks, int64_t width) {
    struct ir_itensor type = {.dtype = dtype, .rank = 2, .element = {1, width}, .loops = 2, .step = {width, 1}, .map = {1, 0, IR_NONE}};
    type.trip[0] = chunks;
    type.trip[1] = (struct ir_extent){ir->design.tokens, ir->design.tokens > 1 ? IR_TOKENS : IR_STATIC};
    return type;
}

struct ir_itensor ports_vector_type(const struct ir *ir, const struct ir_tensor *t, int64_t width) {
    bool positions = t->rank == 2 && t->shape[1].dynamic == IR_POSITIONS;
    struct ir_extent chunks = {div_up(firing_elements(ir, t), width), positions ? IR_POSITIONS : IR_STATIC};
    return chunk_type(ir, t->dtype, chunks, width);
}

static struct ir_itensor tensor_type(const struct ir *ir, const struct ir_tensor *t) {
    int64_t xs = ports_unit_elements(ir);
    switch (t->dtype) {
    case IR_F32: return ports_vector_type(ir, t, ir->design.lanes);
    case IR_MX: return chunk_type(ir, IR_MX, (struct ir_extent){ports_mx_units(ir, t), IR_STATIC}, xs);
    case IR_KV: return chunk_type(ir, IR_KV, (struct ir_extent){t->shape[0].bound * div_up(t->shape[1].bound, xs), IR_STATIC}, xs);
    default: return chunk_type(ir, t->dtype, (struct ir_extent){1, IR_STATIC}, 1);
    }
}

int ports_add_tensor(struct ir *ir, int kernel, const char *name, bool is_output, int tensor) {
    const struct ir_tensor *t = &ir->tensor[tensor];
    int p = ir_add_port(ir, kernel, name, is_output, IR_STREAM_TOKENS, ports_data_bits(ir, t->dtype));
    ir->kernel[kernel].port[p].tensor = tensor;
    ir->kernel[kernel].port[p].type = tensor_type(ir, t);
    return p;
}

int ports_add_like(struct ir *ir, int kernel, const char *name, bool is_output, const struct ir_port *like) {
    struct ir_port copy = *like;
    int p = ir_add_port(ir, kernel, name, is_output, copy.kind, copy.data_bits);
    ir->kernel[kernel].port[p].type = copy.type;
    ir->kernel[kernel].port[p].count_bits = copy.count_bits;
    return p;
}

int ports_add_step(struct ir *ir, int kernel) { return ir_add_port(ir, kernel, "step", false, IR_STREAM_BARE, 64); }

int64_t ports_firing_words(const struct ir_port *port) {
    int64_t words = 1;
    for (int l = 0; l < port->type.loops; l++) words *= port->type.trip[l].bound;
    return words;
}
