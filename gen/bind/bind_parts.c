// SPDX-License-Identifier: Apache-2.0
// In designs with slots, the kernels of attention work on the parts of a step, one after the other: a part has the
// tokens of one request. Before attention, bind_parts adds kernels that cut tensors into parts, and after it a kernel
// that joins the parts of the result. It also gives the kernels of attention a word for each part instead of step
// words. See docs/decisions/batches.md.
#include "gen/bind/bind.h"
#include "gen/kernel/kernel.h"
#include "gen/kernel/kv_cache.h"
#include "gen/kernel/ports.h"
#include "gen/ir/fields.h"
#include "gen/ir/ops.h"

static int64_t repeat_of(const struct ir *ir, int node) { return ir->region[ir->node[node].region].repeat; }

static int kernel_of_node(const struct ir *ir, int node) {
    int k = 0;
    while (ir->kernel[k].node != node) k++;
    return k;
}

// Adds a kernel that sends the words of a step's parts once for each layer, and connects it to the step input of
// `kernel`.
static void give_parts(struct ir *ir, int kernel, int64_t layers) {
    int k = kernel_add(ir, arena_printf(ir->arena, "%s_parts", ir->kernel[kernel].name), &rtl_part_steps, IR_NONE);
    ir_set_int(ir, k, "PARTS", ir_parts_of_step(ir));
    ir_set_int(ir, k, "LAYERS", layers);
    ports_add_step(ir, k);
    int out = ir_add_port(ir, k, "", true, IR_STREAM_BARE, PART_BITS);
    ir_connect(ir, k, out, kernel, ir_port_for(&ir->kernel[kernel], IR_ROLE_STEP, false));
}

// Makes a kernel that stores data of each layer take words of parts. Such a word has a place: the number of a layer
// among the layers of all slots.
static void set_places(struct ir *ir, int kernel, int64_t layers) {
    ir_set_int(ir, kernel, "PLACES", ir->design.slots * layers);
    give_parts(ir, kernel, layers);
}

// Returns the kernel's port for the tensor. The kernel must have one.
static int tensor_port(const struct ir *ir, int kernel, int tensor, bool is_output) {
    int p = 0;
    while (ir->kernel[kernel].port[p].tensor != tensor || ir->kernel[kernel].port[p].is_output != is_output) p++;
    return p;
}

// Adds the kernel that cuts the stream of a port into parts, or joins the parts. Both of its ports are like that port:
// port 0 is the input, and port 1 the output. The caller connects them.
static int add_order(struct ir *ir, int kernel, int port, bool join) {
    struct ir_port like = ir->kernel[kernel].port[port];
    int k = kernel_add(ir, arena_printf(ir->arena, "%s_%s", ir->tensor[like.tensor].name, join ? "join" : "cut"),
                       &rtl_part_order, IR_NONE);
    int64_t words = ports_firing_words(&like) / ir->design.tokens;
    ir_set_int(ir, k, "DATA_W", like.data_bits);
    ir_set_int(ir, k, "TOKENS", ir->design.tokens);
    ir_set_int(ir, k, "WORDS", words * at_least(like.pieces, 1));
    if (like.pieces > 1) ir_set_int(ir, k, "FIRE_WORDS", words);
    if (join) ir_set_int(ir, k, "JOIN", 1);
    for (int out = 0; out < 2; out++) {
        int p = ports_add_like(ir, k, "", out, &like);
        ir->kernel[k].port[p].region = like.region;
    }
    ports_add_step(ir, k);
    give_parts(ir, k, ir->region[like.region].repeat);
    return k;
}

// Inserts the kernel that cuts the tensor that a node's kernel reads.
static void cut(struct ir *ir, int node) {
    int tensor = ir->node[node].in[0], kernel = kernel_of_node(ir, node), p = tensor_port(ir, kernel, tensor, false);
    int k = add_order(ir, kernel, p, false);
    ir->kernel[k].port[0].tensor = tensor;
    ir->kernel[kernel].port[p].tensor = IR_NONE;
    ir_connect(ir, k, 1, kernel, p);
}

// Inserts the kernel that joins the parts of a node's result, so that the tensor again holds the whole step.
static void join(struct ir *ir, int node) {
    int tensor = ir->node[node].out[0], kernel = kernel_of_node(ir, node), p = tensor_port(ir, kernel, tensor, true);
    int k = add_order(ir, kernel, p, true);
    ir->kernel[k].port[1].tensor = tensor;
    ir->kernel[kernel].port[p].tensor = IR_NONE;
    ir_connect(ir, kernel, p, k, 0);
}

// Returns the first operation that reads the tensor as operand 0. It is an internal error if there is none.
static int reader_of(const struct ir *ir, int tensor) {
    for (int n = 0; n < ir->nodes; n++)
        if (ir->node[n].in[0] == tensor) return n;
    base_fatal("bind-operations: nothing reads `%s`", ir->tensor[tensor].name);
}

// Returns the operation that divides an attention's result by the sum of its weights. It reads the dequantized product.
static int result_of(const struct ir *ir, int values) {
    return reader_of(ir, ir->node[reader_of(ir, ir->node[values].out[0])].out[0]);
}

void bind_parts(struct ir *ir) {
    int scores = kv_unit_scores(ir, 0), values = scores == IR_NONE ? IR_NONE : kv_values_of(ir, scores);
    if (!ir->design.slots || scores == IR_NONE) return;
    for (int k = ir->kernels - 1; k >= 0; k--)
        if (kernel_is(&ir->kernel[k], KERNEL_KEYS | KERNEL_VALUES | KERNEL_SCALES))
            set_places(ir, k, repeat_of(ir, scores));
    set_places(ir, kernel_of_node(ir, kv_softmax_of(ir, scores)), repeat_of(ir, scores));
    if (ir_parts_of_step(ir) == 1) return;
    // Cuts the tensors that the quantizers of queries, keys and values read.
    cut(ir, ir->tensor[ir->node[scores].in[0]].producer);
    cut(ir, ir->tensor[ir->node[scores].in[1]].producer);
    cut(ir, ir->tensor[ir->node[values].in[1]].producer);
    join(ir, result_of(ir, values));
}
