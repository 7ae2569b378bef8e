// SPDX-License-Identifier: Apache-2.0
// The KV cache of an attention: writers of keys and values on the channels of the engines that read them, the open block of the values, the
// scales on chip, the step's own keys.
#include <string.h>

#include "bind.h"
#include "layout.h"
#include "ops.h"
#include "ports.h"

enum { TAIL_ADDR_BITS = 24 };

struct attention {
    struct ir *ir;
    struct diag *diag;
    int scores, values;                            // nodes
    const struct ir_engine *on_scores, *on_values; // engines that read keys, values
    bool ok;
};

static int kv_producer(struct attention *a, int tensor, const char *role) {
    const struct ir *ir = a->ir;
    int n = ir->tensor[tensor].producer;
    if (n != IR_NONE && !strcmp(ir_attr_string(&ir->node[n].attrs, "role", ""), role)) return n;
    diag_error(a->diag, ir->tensor[tensor].loc, "`%s` is not made by a kv_quantize with role `%s`", ir->tensor[tensor].name, role);
    a->ok = false;
    return IR_NONE;
}

static int add_kv_sink(struct attention *a, const char *name, const char *module, int tensor, int region) {
    struct ir *ir = a->ir;
    int k = ir_add_kernel(ir, name, module, IR_NONE);
    int p = ports_add_tensor(ir, k, "kv", false, tensor);
    ir->kernel[k].port[p].region = region;
    ports_add_step(ir, k);
    return k;
}

static int64_t kv_repeat(const struct attention *a) { return a->ir->region[a->ir->node[a->scores].region].repeat; }

// Query heads that read one key and value head.
static int64_t head_group(const struct attention *a) {
    const struct ir_node *scores = &a->ir->node[a->scores];
    return a->ir->tensor[scores->out[0]].shape[0].bound / a->ir->tensor[scores->in[1]].shape[0].bound;
}

// On-chip scales of the keys or values, streamed to softmax. `port` is softmax's input.
static void add_kv_scale(struct attention *a, int tensor, int softmax_kernel, const char *port) {
    struct ir *ir = a->ir;
    const struct ir_tensor *t = &ir->tensor[tensor];
    int region = ir->node[a->scores].region;
    int k = add_kv_sink(a, arena_printf(ir->arena, "%s_scale", t->name), "rill_kv_scale", tensor, region);
    int lanes = ports_lanes(ir, softmax_kernel);
    ir_set_param(ir, k, "LANES", "%d", lanes);
    ir_set_param(ir, k, "TOKENS", "%d", ir->design.tokens);
    ir_set_param(ir, k, "BEAT_BITS", "%d", ir->design.beat_bits);
    ir_set_param(ir, k, "LAYERS", "%lld", (long long)kv_repeat(a));
    ir_set_param(ir, k, "HEADS", "%lld", (long long)t->shape[0].bound);
    ir_set_param(ir, k, "UNITS", "%lld", (long long)layout_kv(&ir->design, 1, 1, ir->tensor[tensor].shape[1].bound).k_units);
    ir_set_param(ir, k, "CONTEXT", "%lld", (long long)ir->design.context);
    ir_set_param(ir, k, "REPLAYS", "%lld", (long long)head_group(a));
    int out = ir_add_port(ir, k, "scale", true, IR_STREAM_BARE, lanes * 32);
    for (int p = 0; p < ir->kernel[softmax_kernel].ports; p++) {
        struct ir_port *in = &ir->kernel[softmax_kernel].port[p];
        if (strcmp(in->name, port)) continue;
        in->tensor = IR_NONE; // scales only, not the whole tensor
        in->kind = IR_STREAM_BARE;
        in->data_bits = lanes * 32;
        ir_connect(ir, k, out, softmax_kernel, p);
    }
}

static void add_writer_params(struct attention *a, int k, const struct ir_engine *engine, int64_t heads) {
    struct ir *ir = a->ir;
    ir_set_param(ir, k, "CHANNELS", "%d", engine->channels);
    ir_set_param(ir, k, "BEAT_BITS", "%d", ir->design.beat_bits);
    ir_set_param(ir, k, "TOKENS", "%d", ir->design.tokens);
    ir_set_param(ir, k, "LAYERS", "%lld", (long long)kv_repeat(a));
    ir_set_param(ir, k, "HEADS", "%lld", (long long)heads);
}

static void add_k_writer(struct attention *a, int tensor) {
    struct ir *ir = a->ir;
    int k = add_kv_sink(a, "k_writer", "rill_k_writer", tensor, ir->node[a->scores].region);
    int64_t heads = ir->tensor[tensor].shape[0].bound;
    add_writer_params(a, k, a->on_scores, heads);
    ir_set_param(ir, k, "UNITS", "%lld", (long long)layout_kv(&ir->design, 1, heads, ir->tensor[tensor].shape[1].bound).k_units);
    int client = ir_add_client(ir, "k_writer", k, "", true, IR_NONE);
    ir->client[client].engine = (int)(a->on_scores - ir->engine);
    ir_add_wire(ir, k, "layer_done", true, 1, "k_layer_done");
}

// A shared engine fires the product of the values only after it has read the open block of the step before. An engine of its own does not
// wait, so the tail must.
static void set_tail_reads(struct attention *a, int k, int64_t heads, int64_t head_dim) {
    struct layout_kv kv = layout_kv(&a->ir->design, a->on_values->channels, heads, head_dim);
    ir_set_param(a->ir, k, "READS", "%lld", (long long)(heads * head_group(a) * kv.v_rows * kv.v_block_beats));
}

static void add_v_tail(struct attention *a, int tensor) {
    struct ir *ir = a->ir;
    int k = add_kv_sink(a, "v_tail", "rill_v_tail", tensor, ir->node[a->scores].region);
    int64_t heads = ir->tensor[tensor].shape[0].bound;
    int64_t head_dim = ir->tensor[tensor].shape[1].bound;
    add_writer_params(a, k, a->on_values, heads);
    ir_set_param(ir, k, "HEAD_DIM", "%lld", (long long)head_dim);
    if (a->on_scores != a->on_values) set_tail_reads(a, k, heads, head_dim);
    int client = ir_add_client(ir, "v_tail", k, "", true, IR_NONE);
    ir->client[client].is_packed = true;
    ir->client[client].engine = (int)(a->on_values - ir->engine);
    const int64_t tail_bits = (int64_t)a->on_values->channels * ir->design.beat_bits;
    const struct {
        int kernel;
        bool writes_data;
    } side[] = {{a->on_values->kernel, false}, {k, true}};
    for (size_t i = 0; i < COUNT_OF(side); i++) { // the engine reads the tail and waits for its heads
        ir_add_wire(ir, side[i].kernel, "tail_valid", !side[i].writes_data, 1, "tail_valid");
        ir_add_wire(ir, side[i].kernel, "tail_addr", !side[i].writes_data, TAIL_ADDR_BITS, "tail_addr");
        ir_add_wire(ir, side[i].kernel, "tail_data", side[i].writes_data, tail_bits, "tail_data");
        ir_add_wire(ir, side[i].kernel, "head_done", side[i].writes_data, 1, "tail_head_done");
    }
    ir_add_wire(ir, k, "layer_done", true, 1, "v_layer_done");
}

// The step's own keys; with grouped queries each head comes as often as it is read.
static void add_local_keys(struct attention *a, int keys) {
    struct ir *ir = a->ir;
    int region = ir->node[a->scores].region;
    int engine = a->on_scores->kernel, local = ports_add_tensor(ir, engine, "klocal", false, keys);
    ir->kernel[engine].port[local].region = region;
    if (head_group(a) == 1) return;
    ir->kernel[engine].port[local].tensor = IR_NONE;
    int k = ir_add_kernel(ir, "keys_replay", "rill_head_replay", IR_NONE);
    const struct ir_tensor *t = &ir->tensor[keys];
    ir_set_param(ir, k, "DATA_W", "%lld", (long long)ports_data_bits(ir, IR_KV, 1));
    ir_set_param(ir, k, "TOKENS", "%d", ir->design.tokens);
    ir_set_param(ir, k, "UNITS", "%lld", (long long)layout_kv(&ir->design, 1, t->shape[0].bound, t->shape[1].bound).k_units);
    ir_set_param(ir, k, "REPLAYS", "%lld", (long long)head_group(a));
    int in = ports_add_tensor(ir, k, "", false, keys);
    ir->kernel[k].port[in].region = region;
    int out = ports_add_like(ir, k, "", true, &ir->kernel[engine].port[local]);
    ir_connect(ir, k, out, engine, local);
}

static int kernel_of_node(const struct ir *ir, int node) {
    for (int k = 0; k < ir->kernels; k++)
        if (ir->kernel[k].node == node) return k;
    return IR_NONE;
}

// The node of an operation of which there is one at most.
static int only_node(struct attention *a, int op) {
    int found = IR_NONE;
    for (int n = 0; n < a->ir->nodes; n++) {
        if (a->ir->node[n].op != op) continue;
        if (found != IR_NONE)
            diag_error(a->diag, a->ir->node[n].loc, "a second attention `%s`: one per design is possible", a->ir->node[n].name), a->ok = false;
        else found = n;
    }
    return found;
}

bool bind_check_attention(struct ir *ir, struct diag *diag, int *scores) {
    struct attention a = {.ir = ir, .diag = diag, .ok = true};
    a.scores = only_node(&a, IR_OP_ATTN_SCORES);
    a.values = only_node(&a, IR_OP_ATTN_VALUES);
    int alone = a.values == IR_NONE ? a.scores : a.scores == IR_NONE ? a.values : IR_NONE;
    if (a.ok && alone != IR_NONE) {
        diag_error(diag, ir->node[alone].loc, "`%s`: attn_scores and attn_values come together", ir->node[alone].name);
        a.ok = false;
    }
    for (int n = 0; n < ir->nodes; n++)
        if (ir->node[n].op == IR_OP_KV_QUANTIZE && ir->region[ir->node[n].region].when == IR_LAST)
            diag_error(diag, ir->node[n].loc, "kv_quantize in a region that runs only for the last token"), a.ok = false;
    *scores = a.scores;
    return a.ok;
}

bool bind_attention(struct ir *ir, struct diag *diag, int scores) {
    struct attention a = {.ir = ir, .diag = diag, .scores = scores, .ok = true};
    a.values = only_node(&a, IR_OP_ATTN_VALUES);
    a.on_scores = &ir->engine[ir_engine_of(ir, scores)];
    a.on_values = &ir->engine[ir_engine_of(ir, a.values)];
    int keys = ir->node[scores].in[1], softmax = IR_NONE;
    for (int n = 0; n < ir->nodes; n++)
        if (ir->node[n].op == IR_OP_SOFTMAX) softmax = n;
    if (softmax == IR_NONE) {
        diag_error(diag, ir->node[scores].loc, "attn_scores `%s` without a softmax", ir->node[scores].name);
        return false;
    }
    int values = ir->node[softmax].in[2];
    if (kv_producer(&a, keys, "key") == IR_NONE || kv_producer(&a, values, "value") == IR_NONE) return false;
    add_local_keys(&a, keys);
    add_k_writer(&a, keys);
    add_v_tail(&a, values);
    add_kv_scale(&a, keys, kernel_of_node(ir, softmax), "kscale");
    add_kv_scale(&a, values, kernel_of_node(ir, softmax), "vscale");
    return a.ok;
}
