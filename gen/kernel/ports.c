// SPDX-License-Identifier: Apache-2.0
// Makes the ports of kernels with their widths and itensor types (gen/kernel/ports.h).
#include "gen/kernel/ports.h"

#include "gen/ir/ops.h"

#include <string.h>

int ports_unit_elements(const struct ir *ir) { return ir->design.beat_bits / 8; }
int ports_user_bits(const struct ir *ir) { return ir_user_bits(ir->design.tokens); }

void ports_set_mantissas(struct ir *ir, int kernel) {
    int bits = spec_mantissa_bits(ir->design.activations);
    if (bits != 8) ir_set_int(ir, kernel, "X_BITS", bits);
}

int ports_lanes(const struct ir *ir, int kernel) {
    int node = ir->kernel[kernel].node;
    return node == IR_NONE ? ir->design.lanes : ir_node_lanes(ir, node);
}

int ports_element_bits(enum ir_dtype dtype) { return dtype == IR_F32 ? 32 : dtype == IR_INT8 ? 8 : 0; }

bool ports_is_vector(const struct ir_port *p) {
    return p->kind == IR_STREAM_TOKENS && ports_element_bits(p->type.dtype) && p->type.loops > 0;
}

int64_t ports_data_bits(const struct ir *ir, enum ir_dtype dtype, int lanes) {
    switch (dtype) {
    case IR_F32:
    case IR_INT8: return lanes * ports_element_bits(dtype);
    case IR_MX: return (int64_t)ports_unit_elements(ir) * spec_mantissa_bits(ir->design.activations) + 8;
    case IR_KV: return ir->design.beat_bits + 32;
    case IR_ACC:
    case IR_DTYPES: break;
    case IR_SCALAR:
    case IR_ID: return 32;
    }
    base_fatal("ports: a stream of products has no width of its own");
}

// Returns whether a tensor is sent row by row, with a firing for each row. These are the tensors of several dimensions
// that have mantissas (mx), integers of products or heads. Other tensors are sent as a whole.
static bool by_rows(const struct ir_tensor *t) {
    return t->rank > 1 && (t->heads || t->dtype == IR_MX || t->dtype == IR_ACC);
}

// Returns the elements of a firing of the tensor, per token. Callers treat vectors with head_blocks, which are sent
// head by head, separately.
static int64_t firing_elements(const struct ir_tensor *t) {
    return by_rows(t) ? t->shape[t->rank - 1].bound : ir_tensor_elements(t);
}

bool ports_is_array(const struct ir_tensor *t) { return t->rank > 1 && t->dtype == IR_F32 && !t->heads; }

// Returns whether the tensor is operand 0 of a product with keys or values. If it is also a vector (q), it is sent head
// by head, and each of its blocks is a head.
static bool head_blocks(const struct ir *ir, const struct ir_tensor *t) {
    for (int n = 0; n < ir->nodes; n++)
        for (int i = 0; i < ir->node[n].inputs; i++)
            if (&ir->tensor[ir->node[n].in[i]] == t && ir->node[n].inputs == 2 && i == 0 &&
                ir->tensor[ir->node[n].in[1]].dtype == IR_KV)
                return true;
    return false;
}

int64_t ports_mx_units(const struct ir *ir, const struct ir_tensor *t) {
    int64_t xs = ports_unit_elements(ir), per_block = div_up(t->block, xs);
    int64_t n = head_blocks(ir, t) && t->rank == 1 ? t->block : firing_elements(t);
    int64_t full = n / t->block, rest = n % t->block;
    return div_up(full * per_block + div_up(rest, xs), 2) * 2;
}

int64_t ports_firings(const struct ir *ir, int tensor) {
    const struct ir_tensor *t = &ir->tensor[tensor];
    if (t->dtype == IR_MX && t->rank == 1 && head_blocks(ir, t)) return ir_tensor_elements(t) / t->block;
    return by_rows(t) ? ir_tensor_elements(t) / firing_elements(t) : 1;
}

int64_t ports_ends(const struct ir *ir, int tensor) {
    const struct ir_tensor *t = &ir->tensor[tensor];
    return t->dtype == IR_SCALAR ? ir_tensor_elements(t) : ports_firings(ir, tensor);
}

// Returns the type of a stream of chunks. The data dimensions are (token, element). The outer loop walks chunks, the
// inner one tokens: [chunks, tokens]*[width, 1], (d0,d1)->(d1,d0).
static struct ir_itensor chunk_type(const struct ir *ir, enum ir_dtype dtype, struct ir_extent chunks, int64_t width) {
    struct ir_itensor type = {
        .dtype = dtype, .rank = 2, .element = {1, width}, .loops = 2, .step = {width, 1}, .map = {1, 0, IR_NONE}};
    type.trip[0] = chunks;
    type.trip[1] = (struct ir_extent){ir->design.tokens, ir->design.tokens > 1 ? IR_TOKENS : IR_STATIC};
    return type;
}

// Returns the words of a firing as an extent, which is dynamic if the tensor's length grows with the position.
static struct ir_extent growing(const struct ir_tensor *t, int64_t words) {
    bool positions = t->rank == 2 && t->shape[1].dynamic == IR_POSITIONS;
    return (struct ir_extent){words, positions ? IR_POSITIONS : IR_STATIC};
}

struct ir_itensor ports_vector_type(const struct ir *ir, const struct ir_tensor *t, int64_t width) {
    return chunk_type(ir, t->dtype, growing(t, div_up(firing_elements(t), width)), width);
}

struct ir_itensor ports_array_type(const struct ir *ir, const struct ir_tensor *t, int64_t width, const int order[]) {
    struct ir_itensor type = {.dtype = t->dtype, .rank = t->rank + 1, .loops = t->rank + 1};
    int inner = order[t->rank - 1];
    for (int d = 0; d <= t->rank; d++) type.element[d] = 1;
    type.element[1 + inner] = width;
    for (int l = 0; l < t->rank; l++) {
        type.trip[l] = t->shape[order[l]];
        type.step[l] = type.element[1 + order[l]];
        type.map[1 + order[l]] = l;
    }
    type.trip[t->rank - 1].bound = div_up(t->shape[inner].bound, width);
    type.trip[t->rank] = (struct ir_extent){ir->design.tokens, ir->design.tokens > 1 ? IR_TOKENS : IR_STATIC};
    type.step[t->rank] = 1;
    type.map[0] = t->rank;
    return type;
}

// Returns the type of a tensor in row-major order. If the rows of a tensor of fp32 are whole words, the type has the
// dimensions of the tensor. Otherwise words continue from one row to the next, and the type is that of a vector.
static struct ir_itensor vector_type(const struct ir *ir, const struct ir_tensor *t, int lanes) {
    static const int row_major[IR_MAX_RANK] = {0, 1, 2, 3};
    if (ports_is_array(t) && t->shape[t->rank - 1].bound % lanes == 0) return ports_array_type(ir, t, lanes, row_major);
    return ports_vector_type(ir, t, lanes);
}

static struct ir_itensor tensor_type(const struct ir *ir, const struct ir_tensor *t, int lanes) {
    int64_t xs = ports_unit_elements(ir);
    switch (t->dtype) {
    case IR_F32:
    case IR_INT8: return vector_type(ir, t, lanes);
    case IR_MX: return chunk_type(ir, IR_MX, growing(t, ports_mx_units(ir, t)), xs);
    case IR_KV:
        return chunk_type(ir, IR_KV, (struct ir_extent){t->shape[0].bound * div_up(t->shape[1].bound, xs), IR_STATIC},
                          xs);
    default: return chunk_type(ir, t->dtype, (struct ir_extent){1, IR_STATIC}, 1);
    }
}

int ports_add_tensor(struct ir *ir, int kernel, const char *name, bool is_output, int tensor) {
    const struct ir_tensor *t = &ir->tensor[tensor];
    int lanes = ports_lanes(ir, kernel),
        p = ir_add_port(ir, kernel, name, is_output, IR_STREAM_TOKENS, ports_data_bits(ir, t->dtype, lanes));
    ir->kernel[kernel].port[p].tensor = tensor;
    ir->kernel[kernel].port[p].type = tensor_type(ir, t, lanes);
    return p;
}

// ---- arrays ----

static void identity(int rank, int order[]) {
    for (int d = 0; d < rank; d++) order[d] = d;
}

void ports_order(const struct ir *ir, const struct ir_node *node, bool is_output, int rank, int order[]) {
    int perm[IR_MAX_RANK], out[IR_MAX_RANK];
    const struct ir_attr *along = ir_attr_find(&node->attrs, "along");
    struct ir_reduction reduction;
    identity(rank, order);
    if (!is_output && ir_op_is(ir, node->op, OP_REDUCES) && ir_reduction(ir, node, &reduction))
        memcpy(order, reduction.order, sizeof(int) * (size_t)rank);
    if (ir_op_is(ir, node->op, OP_ALONG) && along) { // this dimension is innermost
        for (int d = 0, l = 0; d < rank; d++)
            if (d != along->i) order[l++] = d;
        order[rank - 1] = (int)along->i;
    }
    if (node->orders == rank) memcpy(order, node->order, sizeof(int) * (size_t)rank);
    if (is_output || !ir_op_is(ir, node->op, OP_PERMUTES) || !ir_permutation(ir, node, perm)) return;
    memcpy(out, order, sizeof(int) * (size_t)rank);
    for (int l = 0; l < rank; l++) order[l] = perm[out[l]];
}

// Returns whether the patches along an axis are its single elements in order, so that the type needs no patches there.
static bool is_whole(const struct ir_patch_axis *axis) {
    return axis->taps == 1 && !axis->before && axis->places == axis->size;
}

// Appends an inner loop and sets *loop to its number.
static void add_loop(struct ir_itensor *type, int64_t trips, int64_t step, int *loop) {
    *loop = type->loops;
    type->trip[type->loops] = (struct ir_extent){trips, IR_STATIC};
    type->step[type->loops++] = step;
}

// Returns the type of a stream of patches. Its loops are places, taps, the elements of a pixel, and tokens.
static struct ir_itensor patch_type(const struct ir *ir, const struct ir_node *node, const struct ir_tensor *t,
                                    int64_t width) {
    struct ir_patch_axis axis[IR_MAX_PATCHES];
    int axes = ir_patch_axes(ir, node, axis);
    float pad = (float)ir_attr_float(&node->attrs, "pad", 0);
    uint32_t pad_bits;
    memcpy(&pad_bits, &pad, sizeof pad_bits);
    struct ir_itensor type = {.dtype = t->dtype, .rank = t->rank + 1};
    for (int d = 0; d <= t->rank; d++) type.element[d] = 1;
    for (int a = 0; a < axes; a++)
        add_loop(&type, axis[a].places, is_whole(&axis[a]) ? 1 : axis[a].stride, &type.map[1 + a]);
    for (int a = 0; a < axes; a++) {
        if (is_whole(&axis[a])) continue;
        struct ir_patch *patch = &type.patch[type.patches++];
        *patch = (struct ir_patch){.dim = 1 + a, .before = axis[a].before, .extent = axis[a].size, .pad = pad_bits};
        add_loop(&type, axis[a].taps, axis[a].dilation, &patch->tap);
    }
    for (int d = axes; d < t->rank; d++) {
        type.element[1 + d] = d == t->rank - 1 ? width : 1;
        add_loop(&type, t->shape[d].bound / type.element[1 + d], type.element[1 + d], &type.map[1 + d]);
    }
    add_loop(&type, ir->design.tokens, 1, &type.map[0]);
    if (ir->design.tokens > 1) type.trip[type.map[0]].dynamic = IR_TOKENS;
    return type;
}

// Returns the type of the operand of `expand`. The operand is read again along each dimension of the output that it
// lacks.
static struct ir_itensor expanded_type(const struct ir *ir, const struct ir_node *node, const struct ir_tensor *t,
                                       int64_t width) {
    const struct ir_tensor *out = &ir->tensor[node->out[0]];
    struct ir_itensor type = {.dtype = t->dtype, .rank = t->rank + 1};
    int from[IR_MAX_RANK], loop;
    ir_expansion(ir, node, from);
    for (int d = 0; d <= t->rank; d++) type.element[d] = 1, type.map[d] = IR_NONE;
    for (int d = 0; d < out->rank; d++) {
        int64_t step = d == out->rank - 1 ? width : 1;
        add_loop(&type, out->shape[d].bound / step, step, &loop);
        if (from[d] == IR_NONE) continue;
        type.element[1 + from[d]] = step;
        type.map[1 + from[d]] = loop;
    }
    add_loop(&type, ir->design.tokens, 1, &type.map[0]);
    if (ir->design.tokens > 1) type.trip[type.map[0]].dynamic = IR_TOKENS;
    return type;
}

// Returns the type of an operand of `bmm`, a product of two tensors. For each block of `rows` rows of the first
// operand, the product takes all rows of the second one. So each row of the second operand is read once for each block,
// and each block once for each row of the second operand. A word of the first operand has `width` elements of each of
// its rows.
static struct ir_itensor factor_type(const struct ir *ir, const struct ir_node *node, const struct ir_tensor *t,
                                     int operand, int64_t width) {
    struct ir_itensor type = {.dtype = t->dtype, .rank = t->rank + 1};
    struct ir_contraction c;
    int loop[2];
    int64_t rows = ir_bmm_rows(ir, node);
    ir_contraction(ir, node, &c);
    for (int d = 0; d <= t->rank; d++) type.element[d] = 1;
    if (t->rank > 2) add_loop(&type, c.batches, 1, &type.map[1]);
    add_loop(&type, c.m / rows, operand == 0 ? rows : 1, &loop[0]);
    add_loop(&type, c.n, 1, &loop[1]);
    if (operand == 0) type.element[1 + c.row[0]] = rows;
    type.map[1 + c.row[operand]] = loop[operand];
    type.element[1 + c.column[operand]] = width;
    add_loop(&type, c.k / width, width, &type.map[1 + c.column[operand]]);
    add_loop(&type, ir->design.tokens, 1, &type.map[0]);
    if (ir->design.tokens > 1) type.trip[type.map[0]].dynamic = IR_TOKENS;
    return type;
}

// Returns the type of the result of `bmm`. A word has an element of each of the `rows` rows that the kernel multiplies
// at the same time, and the words of a block of rows follow one another by columns.
static struct ir_itensor blocks_type(const struct ir *ir, const struct ir_tensor *t, int64_t rows) {
    struct ir_itensor type = {.dtype = t->dtype, .rank = t->rank + 1};
    for (int d = 0; d <= t->rank; d++) type.element[d] = 1;
    type.element[t->rank - 1] = rows;
    for (int d = 0; d < t->rank; d++)
        add_loop(&type, t->shape[d].bound / type.element[1 + d], type.element[1 + d], &type.map[1 + d]);
    add_loop(&type, ir->design.tokens, 1, &type.map[0]);
    if (ir->design.tokens > 1) type.trip[type.map[0]].dynamic = IR_TOKENS;
    return type;
}

// Returns whether the words of the result are single elements, because the kernel makes one element from all its lanes.
static bool is_narrow(const struct ir *ir, const struct ir_node *node) {
    struct ir_reduction reduction;
    if (ir_op_is(ir, node->op, OP_CONTRACTS)) return true;
    return ir_op_is(ir, node->op, OP_REDUCES) && ir_reduction(ir, node, &reduction) && reduction.across;
}

static bool is_identity(int rank, const int order[]) {
    for (int d = 0; d < rank; d++)
        if (order[d] != d) return false;
    return true;
}

int ports_add_operand(struct ir *ir, int kernel, const char *name, bool is_output, int tensor) {
    const struct ir_node *node = &ir->node[ir->kernel[kernel].node];
    const struct ir_tensor *t = &ir->tensor[tensor];
    int p = ports_add_tensor(ir, kernel, name, is_output, tensor), order[IR_MAX_RANK];
    struct ir_port *port = &ir->kernel[kernel].port[p];
    if (!is_output && ir_op_is(ir, node->op, OP_PATCHES)) port->type = patch_type(ir, node, t, ports_lanes(ir, kernel));
    if (!is_output && ir_op_is(ir, node->op, OP_EXPANDS)) {
        port->type = expanded_type(ir, node, t, ports_lanes(ir, kernel));
        port->data_bits = ports_data_bits(ir, t->dtype, (int)itensor_tile(&port->type));
        return p;
    }
    if (!is_output && ir_op_is(ir, node->op, OP_CONTRACTS)) {
        int operand = strcmp(name, ir_op_port(ir, node->op, 0, 0)) != 0;
        port->type = factor_type(ir, node, t, operand, ports_lanes(ir, kernel));
        port->data_bits = ports_data_bits(ir, t->dtype, (int)itensor_tile(&port->type));
        return p;
    }
    if (is_output && ir_op_is(ir, node->op, OP_CONTRACTS) && ir_bmm_rows(ir, node) > 1) {
        port->type = blocks_type(ir, t, ir_bmm_rows(ir, node));
        port->data_bits = ports_data_bits(ir, t->dtype, (int)itensor_tile(&port->type));
        return p;
    }
    if (is_output && is_narrow(ir, node)) {
        port->type = tensor_type(ir, t, 1);
        port->data_bits = ports_data_bits(ir, t->dtype, 1);
        return p;
    }
    if (!ports_is_array(t) || port->type.patches) return p;
    ports_order(ir, node, is_output, t->rank, order);
    if (!is_identity(t->rank, order)) port->type = ports_array_type(ir, t, ports_lanes(ir, kernel), order);
    // pieces: firings into which the tensor is divided (insert_layouts.c)
    bool along = ir_op_is(ir, node->op, OP_ALONG), rows = ir_op_is(ir, node->op, OP_ROWS) && !is_output;
    if (along) port->pieces = ir_tensor_elements(t) / ir_vector_length(ir, node);
    if (rows) port->pieces = ir_tensor_elements(t) / t->shape[t->rank - 1].bound;
    return p;
}

// Serves products of tensors, whose rows leave an engine one by one. Each row is padded to whole words.
void ports_set_rows(struct ir *ir, int kernel, int p, int tensor) {
    const struct ir_tensor *t = &ir->tensor[tensor];
    struct ir_port *port = &ir->kernel[kernel].port[p];
    int order[IR_MAX_RANK];
    if (!ports_is_array(t)) return;
    identity(t->rank, order);
    port->type = ports_array_type(ir, t, ports_lanes(ir, kernel), order);
    port->pieces = ir_tensor_elements(t) / t->shape[t->rank - 1].bound;
}

int ports_add_like(struct ir *ir, int kernel, const char *name, bool is_output, const struct ir_port *like) {
    struct ir_port copy = *like;
    int p = ir_add_port(ir, kernel, name, is_output, copy.kind, copy.data_bits);
    ir->kernel[kernel].port[p].type = copy.type;
    ir->kernel[kernel].port[p].count_bits = copy.count_bits;
    ir->kernel[kernel].port[p].pieces = copy.pieces;
    ir->kernel[kernel].port[p].tokens = copy.tokens;
    return p;
}

int ports_add_step(struct ir *ir, int kernel) {
    return ir_add_port(ir, kernel, "step", false, IR_STREAM_BARE, STEP_BITS);
}

int64_t ports_firing_words(const struct ir_port *port) {
    int64_t words = 1;
    for (int l = 0; l < port->type.loops; l++) words *= port->type.trip[l].bound;
    return words;
}
