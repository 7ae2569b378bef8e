// SPDX-License-Identifier: Apache-2.0
// Expands the composites linear, conv and attention into operations, as docs/spec.md section 5 describes them. Written
// independently of the compiler's expansion, so that the oracle does not share its errors.
#include <string.h>

#include "gen/reference/graph.h"

struct expansion {
    struct oracle_graph *graph;
    VEC(struct oracle_node) node; // operations of the new graph
    size_t region_start;          // first node of the current region
    const struct oracle_node *of; // the operation that is being expanded
};

// Returns an operation with the defaults of docs/spec.md, at the line of the expanded one.
static struct oracle_node plain(const struct expansion *x, enum oracle_op op) {
    return (struct oracle_node){.op = (int)op,
                                .line = x->of->line,
                                .region = x->of->region,
                                .along = NONE,
                                .eps = 1e-5,
                                .exp_min = -24,
                                .block = x->graph->group};
}

// Adds an operation that makes the tensors out[]. Returns the first of them.
static int add(struct expansion *x, struct oracle_node n, int outputs, const int out[]) {
    n.outputs = outputs;
    for (int o = 0; o < outputs; o++) {
        n.out[o] = out[o];
        x->graph->tensor.items[out[o]].node = (int)x->node.count;
    }
    VEC_PUSH(x->graph->arena, x->node, n);
    return out[0];
}

// Adds a tensor whose name is that of the expanded operation's result with the suffix.
static int named(struct expansion *x, const char *suffix) {
    struct arena *a = x->graph->arena;
    const char *own = x->graph->tensor.items[x->of->out[0]].name;
    struct oracle_tensor t = {.name = arena_printf(a, "%s%s", own, suffix), .line = x->of->line, .node = NONE};
    t.region = x->of->region, t.carry = NONE;
    VEC_PUSH(a, x->graph->tensor, t);
    return (int)x->graph->tensor.count - 1;
}

// Adds an operation with one operand; its result has the name of the expanded operation's result with this suffix.
// suffix NULL: its result is the result of the expanded operation.
static int unary(struct expansion *x, struct oracle_node n, int in, const char *suffix) {
    n.inputs = 1, n.in[0] = in;
    int out = suffix ? named(x, suffix) : x->of->out[0];
    return add(x, n, 1, &out);
}

static int binary(struct expansion *x, struct oracle_node n, int a, int b, const char *suffix) {
    n.inputs = 2, n.in[0] = a, n.in[1] = b;
    int out = suffix ? named(x, suffix) : x->of->out[0];
    return add(x, n, 1, &out);
}

// Quantizes an operand of a linear operation. All linear operations of the region with this operand, block and exp_min
// share the result.
static int quantized(struct expansion *x, int tensor, int64_t block, int64_t exp_min) {
    for (size_t i = x->region_start; i < x->node.count; i++) {
        const struct oracle_node *n = &x->node.items[i];
        if (n->op == ORACLE_QUANTIZE && n->in[0] == tensor && !n->heads && n->block == block && n->exp_min == exp_min)
            return n->out[0];
    }
    struct oracle_node n = plain(x, ORACLE_QUANTIZE);
    n.block = block, n.exp_min = exp_min;
    return unary(x, n, tensor, "_mx");
}

static void linear(struct expansion *x) {
    int mx = quantized(x, x->of->in[0], x->of->block, x->of->exp_min);
    struct oracle_node product = *x->of;
    product.op = ORACLE_MATMUL;
    unary(x, plain(x, ORACLE_DEQUANTIZE), unary(x, product, mx, "_acc"), NULL);
}

static void conv(struct expansion *x) {
    struct oracle_node patches = *x->of, quantize = plain(x, ORACLE_QUANTIZE), product = *x->of;
    patches.op = ORACLE_PATCH, product.op = ORACLE_MATMUL;
    quantize.block = x->of->block, quantize.exp_min = x->of->exp_min;
    int mx = unary(x, quantize, unary(x, patches, x->of->in[0], "_patches"), "_mx");
    unary(x, plain(x, ORACLE_DEQUANTIZE), unary(x, product, mx, "_acc"), NULL);
}

// Adds the quantization of keys (`key`) or values. Only keys have the scale of scores.
static int cached(struct expansion *x, bool key, const char *suffix) {
    struct oracle_node n = plain(x, ORACLE_KV_QUANTIZE);
    n.key = key;
    n.heads = x->of->kv_heads;
    n.scale = key ? x->of->scale : 0;
    n.scale_root = key ? x->of->scale_root : 0;
    return unary(x, n, x->of->in[key ? 1 : 2], suffix);
}

// Attention: quantizes queries, keys and values, then computes scores, softmax and the weighted values.
static void attention(struct expansion *x) {
    struct oracle_node heads = plain(x, ORACLE_QUANTIZE), weights = plain(x, ORACLE_QUANTIZE),
                       softmax = plain(x, ORACLE_SOFTMAX);
    heads.heads = x->of->heads;
    softmax.cap = x->of->cap, softmax.window = x->of->window;
    weights.block = 64, weights.exp_min = -36;
    int q = unary(x, heads, x->of->in[0], "_q"), keys = cached(x, true, "_keys"), values = cached(x, false, "_values");
    int acc = binary(x, plain(x, ORACLE_ATTN_SCORES), q, keys, "_scores_acc");
    softmax.inputs = 3;
    softmax.in[0] = unary(x, plain(x, ORACLE_DEQUANTIZE), acc, "_scores"), softmax.in[1] = keys, softmax.in[2] = values;
    int p[] = {named(x, "_p"), named(x, "_inv")};
    add(x, softmax, 2, p);
    int raw = binary(x, plain(x, ORACLE_ATTN_VALUES), unary(x, weights, p[0], "_p_mx"), values, "_raw_acc");
    binary(x, plain(x, ORACLE_SCALE), unary(x, plain(x, ORACLE_DEQUANTIZE), raw, "_raw"), p[1], NULL);
}

static void expand_node(struct expansion *x, const struct oracle_node *n) {
    x->of = n;
    if (n->op == ORACLE_LINEAR && n->inputs == 1 && n->outputs == 1) linear(x);
    else if (n->op == ORACLE_CONV && n->inputs == 1 && n->outputs == 1) conv(x);
    else if (n->op == ORACLE_ATTENTION && n->inputs == 3 && n->outputs == 1) attention(x);
    else add(x, *n, n->outputs, n->out);
}

void oracle_expand(struct oracle_graph *g) {
    struct expansion x = {.graph = g};
    for (size_t r = 0; r < g->region.count; r++) {
        struct oracle_region *region = &g->region.items[r];
        int first = region->first_node, count = region->nodes;
        x.region_start = x.node.count;
        for (int n = first; n < first + count; n++) expand_node(&x, &g->node.items[n]);
        region->first_node = (int)x.region_start;
        region->nodes = (int)(x.node.count - x.region_start);
    }
    g->node.items = x.node.items, g->node.count = x.node.count, g->node.capacity = x.node.capacity;
}
