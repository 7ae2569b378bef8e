// SPDX-License-Identifier: Apache-2.0
// The pass bind-operations gives every operation the hardware that computes it. Products and their dequantization fire
// on matrix engines. Every other operation has a separate kernel.
#include "gen/bind/bind.h"
#include "gen/ir/custom_ops.h"
#include "gen/ir/fields.h"
#include "gen/kernel/kernel.h"
#include "gen/kernel/kv_cache.h"
#include "gen/ir/layout.h"
#include "gen/ir/ops.h"
#include "gen/kernel/ports.h"

// Adds the ports that the traits of a kernel class ask for: step words, a memory client, vector parameters.
static void add_extras(struct ir *ir, const struct ir_node *node, int k, unsigned traits) {
    if (traits & KERNEL_STEP) ports_add_step(ir, k);
    if (traits & KERNEL_FETCH) ir_add_client(ir, node->name, k, "fetch", false, 0);
    if (traits & KERNEL_PARAM)
        ir_add_port(ir, k, "param", false, IR_STREAM_BARE, ports_lanes(ir, k) * 32 * ir_param_vectors(ir, node));
    ir->kernel[k].has_fault = traits & KERNEL_FAULT;
}

// Returns whether the operation makes the generated ids and the design samples them (`sampling`).
static bool is_sampled(const struct ir *ir, int n) {
    return ir->design.sampling && ir->tensor[ir->output[0]].producer == n;
}

// The functions check_KEY report an error and return false if the design has the key, but the graph or another key of
// the design does not allow it.

static bool check_sampling(const struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    if (!ir->design.sampling) return true;
    int n = ir->design.is_lm ? ir->tensor[ir->output[0]].producer : IR_NONE;
    if (n != IR_NONE && kernel_of_op(ir, ir->node[n].op)->sampling) return true;
    struct loc loc = spec ? spec_place(spec, "design.sampling") : loc_none();
    diag_error(diag, loc, MSG_SAMPLING_GRAPH, ir->design.sampling,
               ir->design.is_lm ? "a custom kernel makes the ids" : "the graph makes rows, not ids");
    diag_note(diag, loc, "without `sampling` the design is legal");
    return false;
}

// Returns why the graph or the design cannot have log probabilities, or NULL if it can.
static const char *against_logprobs(const struct ir *ir) {
    if (!ir->design.is_lm) return "the graph makes rows, not ids";
    int n = ir->tensor[ir->output[0]].producer;
    if (n == IR_NONE || !ir_node_is(ir, n, OP_CHOOSES)) return "the ids are not chosen by `argmax`";
    return ir->design.on_chip_kib ? "the design has `on_chip_kib`" : NULL;
}

static bool check_logprobs(const struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    const char *why = ir->design.logprobs ? against_logprobs(ir) : NULL;
    if (!why) return true;
    struct loc loc = spec ? spec_place(spec, "design.logprobs") : loc_none();
    diag_error(diag, loc, MSG_LOGPROBS_GRAPH, ir->design.logprobs, why);
    diag_note(diag, loc, "without `logprobs` the design is legal");
    return false;
}

// Returns why the graph can have neither drafts nor a kept prefix, or NULL if nothing forbids them.
static const char *against_positions(const struct ir *ir) {
    if (!ir->design.is_lm) return "the graph makes rows, not ids";
    for (int n = 0; n < ir->nodes; n++)
        if (kernel_of_op(ir, ir->node[n].op) && kernel_of_op(ir, ir->node[n].op)->custom)
            return arena_printf(ir->arena, "`%s` is a custom kernel", ir->node[n].name);
    return NULL;
}

static bool check_prefix(const struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    const char *why = ir->design.prefix ? against_positions(ir) : NULL;
    if (!why) return true;
    diag_error(diag, spec ? spec_place(spec, "design.prefix") : loc_none(), MSG_PREFIX_GRAPH, ir->design.prefix, why);
    return false;
}

// Returns why the graph cannot have drafts, or NULL if it can.
static const char *against_drafts(const struct ir *ir) {
    const char *why = against_positions(ir);
    if (why) return why;
    int n = ir->tensor[ir->output[0]].producer;
    return n != IR_NONE && ir_node_is(ir, n, OP_CHOOSES) ? NULL : "the ids are not chosen by `argmax`";
}

static bool check_drafts(const struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    const char *why = ir->design.drafts ? against_drafts(ir) : NULL;
    if (!why) return true;
    struct loc loc = spec ? spec_place(spec, "design.drafts") : loc_none();
    diag_error(diag, loc, MSG_DRAFTS_GRAPH, ir->design.drafts, why);
    diag_note(diag, loc, "without `drafts` the design is legal");
    return false;
}

static bool check_tensor_rows(const struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    const char *why = ir->design.is_lm ? "the graph is a language model" : NULL;
    if (ir_places(ir) == ir->design.tokens) return true;
    for (int n = 0; n < ir->nodes && !why; n++)
        if (ir_node_is(ir, n, OP_BY_KEYS)) why = arena_printf(ir->arena, "`%s` is an attention", ir->node[n].name);
    if (!why) return true;
    diag_error(diag, spec ? spec_place(spec, "design.tensor_rows") : loc_none(), MSG_TENSOR_ROWS_GRAPH,
               ir->design.tensor_rows, ir->design.tokens, why);
    return false;
}

static bool has_window(const struct ir *ir) {
    for (int n = 0; n < ir->nodes; n++)
        if (ir_attr_find(&ir->node[n].attrs, "window")) return true;
    return false;
}

static int count_attentions(const struct ir *ir) {
    int count = 0;
    for (int n = 0; n < ir->nodes; n++) count += ir_node_is(ir, n, OP_BY_KEYS);
    return count;
}

// Returns why the graph or the design cannot have slots, or NULL if it can.
static const char *against_slots(const struct ir *ir) {
    const struct ir_design *d = &ir->design;
    const char *graph = against_drafts(ir);
    if (graph) return graph;
    if (d->query_heads > 1) return "the design has `query_heads`";
    if (d->tensor_rows > 1) return "the design has `tensor_rows`";
    if (d->on_chip_kib) return "the design has `on_chip_kib`";
    if (d->binding == SPEC_SPATIAL) return "the design has `binding: spatial`";
    if (has_window(ir)) return "an attention has a `window`";
    if (count_attentions(ir) > 1) return "a layer has several attentions, or several regions have one";
    int scores = kv_unit_scores(ir, 0);
    int64_t layers = scores == IR_NONE ? 0 : kv_cache_of(ir, scores).layers, most = field_mask(PART_PLACE) + 1;
    if (layers * d->slots <= most) return NULL;
    return arena_printf(ir->arena, "the layers of all slots are %lld, but at most %lld are possible",
                        (long long)(layers * d->slots), (long long)most);
}

static bool check_slots(const struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    const char *why = ir->design.slots ? against_slots(ir) : NULL;
    if (!why) return true;
    struct loc loc = spec ? spec_place(spec, "design.slots") : loc_none();
    diag_error(diag, loc, MSG_SLOTS_GRAPH, ir->design.slots, why);
    diag_note(diag, loc, "without `slots` the design is legal");
    return false;
}

// Adds the kernel of an operation, with its ports and parameters.
static bool bind_own_kernel(struct ir *ir, int n, struct diag *diag) {
    const struct ir_node *node = &ir->node[n];
    const struct kernel_class *class = kernel_of_op(ir, node->op);
    if (is_sampled(ir, n)) class = class->sampling;
    int k = kernel_add(ir, node->name, class, n);
    for (int i = 0; i < node->inputs; i++) ports_add_operand(ir, k, ir_op_port(ir, node->op, 0, i), false, node->in[i]);
    for (int i = 0; i < node->outputs; i++)
        ports_add_operand(ir, k, ir_op_port(ir, node->op, 1, i), true, node->out[i]);
    add_extras(ir, node, k, class->traits);
    if (class->custom) return bind_custom(ir, node, k, diag);
    ir_set_int(ir, k, "LANES", ports_lanes(ir, k));
    ir_set_int(ir, k, "TOKENS", ir->design.tokens);
    if (class->bind) class->bind(ir, node, k);
    return true;
}

// Adds the token loop, or in a design with slots the slot loop. In a language model, this kernel sends the ids of each
// step to the graph and receives the generated ids. Other graphs read and write rows in memory (bind_input,
// bind_output).
static void bind_token_loop(struct ir *ir) {
    int k = kernel_add(ir, "token_loop", ir->design.slots ? &rtl_slot_loop : &rtl_token_loop, IR_NONE);
    ir->kernel[k].is_control = true;
    ir_add_port(ir, k, "step", true, IR_STREAM_BARE, STEP_BITS);
    ir_add_port(ir, k, "walk_step", true, IR_STREAM_BARE, STEP_BITS);
    if (!ir->design.is_lm) return;
    ports_add_tensor(ir, k, "id", true, ir->input[0]);
    int p = ports_add_tensor(ir, k, "next_id", false, ir->output[0]);
    ir->kernel[k].port[p].region = ir->tensor[ir->output[0]].region;
    ir_add_port(ir, k, "ring", true, IR_STREAM_BARE, RING_BITS);
}

// Returns the kernel that serves an operation and has a trait; it must exist.
static int kernel_at(const struct ir *ir, int node, unsigned trait) {
    int k = 0;
    while (ir->kernel[k].node != node || !kernel_is(&ir->kernel[k], trait)) k++;
    return k;
}

// Adds the kernel that makes the records of log probabilities. It reads the logits as the kernel that chooses from
// them, and the ids on their way from the token loop to the ring. insert-control adds the kernel that writes the
// records.
static void bind_logprobs(struct ir *ir) {
    int n = ir->tensor[ir->output[0]].producer, chooser = kernel_at(ir, n, KERNEL_CHOOSES), logits = ir->node[n].in[0];
    int k = kernel_add(ir, "logprobs", &rtl_logprobs, IR_NONE);
    const struct ir_port like = ir->kernel[chooser].port[ir_port_for(&ir->kernel[chooser], IR_ROLE_X, false)];
    int x = ports_add_like(ir, k, "x", false, &like);
    ir->kernel[k].port[x].tensor = logits;
    ir->kernel[k].port[x].region = like.region;
    bool parts = ir->design.slots && ir->design.tokens > 1;
    if (parts) ports_add_step(ir, k);
    ir_add_port(ir, k, "ring", false, IR_STREAM_BARE, RING_BITS);
    ir_add_port(ir, k, "record", true, IR_STREAM_BARE, LAYOUT_LOGPROBS_BITS);
    kernel_of(&ir->kernel[k])->bind(ir, &ir->node[n], k);
}

// Beats in the buffer of the write engine, so that it takes a beat of a row in every cycle.
enum { ROWS_BUFFERED = 4 };

// Adds a kernel that reads the rows of a graph's input from memory, or writes the rows of an output to memory, and its
// memory client. is_output: whether `port` is an output of the kernel, which then reads rows of the graph's input.
// Returns the kernel, and the client in *client.
static int bind_rows(struct ir *ir, const char *name, const struct kernel_class *class, const char *port,
                     bool is_output, int tensor, int *client) {
    const struct ir_tensor *t = &ir->tensor[tensor];
    int k = kernel_add(ir, arena_printf(ir->arena, "%s_%s", name, t->name), class, IR_NONE);
    ir_set_int(ir, k, "BEAT_BITS", ir->design.beat_bits);
    ir_set_int(ir, k, "LANES", ir->design.lanes);
    ir_set_int(ir, k, "TOKENS", ir->design.tokens);
    ir_set_int(ir, k, "CHUNKS", layout_div_up(ir_tensor_elements(t), ir->design.lanes));
    ports_add_tensor(ir, k, port, is_output, tensor);
    if (is_output) ports_add_step(ir, k);
    *client = ir_add_client(ir, ir->kernel[k].name, k, NULL, !is_output, 0);
    if (!is_output) ir->client[*client].buffer = ROWS_BUFFERED;
    return k;
}

static void bind_input(struct ir *ir, int tensor) {
    int client, k = bind_rows(ir, "input", &rtl_stream_reader, "x", true, tensor, &client);
    ir_add_client_port(ir, k, "m_axis_desc", DESCRIPTOR_BITS, client, IR_NET_DESC_TVALID);
    ir_add_client_port(ir, k, "s_axis_beat", ir->design.beat_bits, client, IR_NET_BEAT_TVALID);
}

static void bind_output(struct ir *ir, int tensor) {
    int client, k = bind_rows(ir, "output", &rtl_stream_writer, "y", false, tensor, &client);
    ir_add_client_port(ir, k, "m_axis_desc", DESCRIPTOR_BITS, client, IR_NET_DESC_TVALID);
    ir_add_client_port(ir, k, "m_axis_beat", ir->design.beat_bits, client, IR_NET_BEAT_TVALID);
}

// Checks the outputs of a graph that is not a language model. They must be fp32 and must not have heads.
static bool check_ends(const struct ir *ir, struct diag *diag) {
    bool ok = true;
    for (int o = 0; o < ir->outputs && !ir->design.is_lm; o++) {
        const struct ir_tensor *t = &ir->tensor[ir->output[o]];
        if (t->dtype == IR_F32 && !t->heads) continue;
        bool grows = t->rank > 1 && t->shape[t->rank - 1].dynamic == IR_POSITIONS;
        ok = false;
        if (t->dtype != IR_F32) diag_error(diag, t->loc, MSG_OUTPUT_FORMAT, t->name);
        else diag_error(diag, t->loc, MSG_OUTPUT_HEADS, t->name, grows ? ", in rows that grow with the position" : "");
        if (t->dtype == IR_ACC) diag_note(diag, t->loc, "`dequantize` makes fp32 of a product's integers");
        if (t->dtype == IR_ID)
            diag_note(diag, t->loc, "an index leaves a language model only; `embed` makes a row of it");
        if (t->heads && t->dtype == IR_F32 && !grows) diag_note(diag, t->loc, "`scale` joins the heads of attention");
    }
    return ok;
}

// Builds the engines with their list of firings, and the KV caches that they read.
static bool bind_engines(struct ir *ir, struct diag *diag) {
    if (!bind_check_attention(ir, diag) || !bind_order_firings(ir, diag)) return false;
    for (int e = 0; e < ir->engines; e++)
        if (!bind_engine(ir, e, diag)) return false;
    bind_attention(ir);
    return true;
}

bool bind_operations(struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    if (!bind_channels(ir, spec, diag) || !check_ends(ir, diag) || !check_sampling(ir, spec, diag) ||
        !check_logprobs(ir, spec, diag) || !check_drafts(ir, spec, diag) || !check_prefix(ir, spec, diag) ||
        !check_slots(ir, spec, diag) || !check_tensor_rows(ir, spec, diag))
        return false;
    bind_token_loop(ir);
    for (int i = 0; i < ir->inputs && !ir->design.is_lm; i++) bind_input(ir, ir->input[i]);
    bool engine = false, ok = true;
    for (int n = 0; n < ir->nodes; n++) {
        if (ir_node_is(ir, n, OP_ON_ENGINE)) engine = true;
        else if (ok) ok = bind_own_kernel(ir, n, diag);
    }
    if (!ok) return false;
    if (ir->design.logprobs) bind_logprobs(ir);
    for (int o = 0; o < ir->outputs && !ir->design.is_lm; o++) bind_output(ir, ir->output[o]);
    return !engine || bind_engines(ir, diag);
}
