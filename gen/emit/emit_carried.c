// SPDX-License-Identifier: Apache-2.0
// Says in words what a stream carries, for the comments of the emitted Verilog: the tensor at one of its ends, the
// purpose that a port's role names, or the tensors that a multiplexer takes in turn. If none applies, the answer comes
// from the streams before or after kernels that only pass words on.
#include <string.h>

#include "gen/emit/emit.h"
#include "gen/ir/ops.h"
#include "gen/kernel/kernel.h"

enum { HOPS = 16 }; // most kernels that a word is followed through

void emit_tensor(const struct ir *ir, int tensor, struct text *out) {
    const struct ir_tensor *t = &ir->tensor[tensor];
    text_addf(out, "%s: %s [", t->name, ir_dtype_words[t->dtype]);
    for (int d = 0; d < t->rank; d++) text_addf(out, "%s%s", d ? ", " : "", ir_extent_text(ir, &t->shape[d]));
    text_add(out, "]");
}

// ---- by role ----

static bool is_step(const struct ir_port *p) { return p->role == IR_ROLE_STEP || p->role == IR_ROLE_WALK; }

// Returns the purpose of a stream by its port's role, or NULL if the role only says that the stream carries a tensor.
static const char *role_text(const struct ir_port *p) {
    static const char *const text[] = {
        [IR_ROLE_NONE] = NULL,
#define ROLE(role, name, what) [IR_ROLE_##role] = (what),
#include "include/roles.def"
#undef ROLE
    };
    bool known = p->role == IR_ROLE_SCALE || p->role == IR_ROLE_K_SCALE || p->role == IR_ROLE_V_SCALE ||
                 p->role == IR_ROLE_RECORD;
    return p->role <= IR_ROLE_RING || known ? text[p->role] : NULL;
}

static bool add_role(const struct ir *ir, const struct ir_edge *e, struct text *out) {
    const struct ir_kernel *to = &ir->kernel[e->dst_kernel];
    const struct ir_port *in = &to->port[e->dst_port];
    const char *text = role_text(in);
    if (!text) text = role_text(&ir->kernel[e->src_kernel].port[e->src_port]);
    if (!text) return false;
    text_add(out, text);
    if (in->role == IR_ROLE_PARAM) text_addf(out, " of %s", to->name);
    return true;
}

// ---- by tensor ----

// Adds the names of the tensors at the kernel's ports of one direction, each once. Returns their number.
static int add_tensors(const struct ir *ir, const struct ir_kernel *k, bool is_output, struct text *out) {
    int count = 0;
    for (int p = 0; p < k->ports; p++) {
        int tensor = k->port[p].tensor;
        bool known = tensor == IR_NONE || k->port[p].is_output != is_output;
        for (int q = 0; q < p && !known; q++) known = k->port[q].is_output == is_output && k->port[q].tensor == tensor;
        if (!known) text_addf(out, "%s%s", count++ ? ", " : "", ir->tensor[tensor].name);
    }
    return count;
}

// If the stream is the output of a multiplexer, lists the tensors that the multiplexer takes in turn. If it is the
// input of a demultiplexer, lists the tensors that the demultiplexer distributes. Returns false for other streams.
static bool add_turns(const struct ir *ir, const struct ir_edge *e, struct text *out) {
    const struct ir_kernel *from = &ir->kernel[e->src_kernel], *to = &ir->kernel[e->dst_kernel];
    struct text turns = {0};
    bool found = (kernel_is(from, KERNEL_MUX) && add_tensors(ir, from, false, &turns)) ||
                 (kernel_is(to, KERNEL_DEMUX) && add_tensors(ir, to, true, &turns));
    if (found) text_addf(out, "%s%s", strchr(text_cstr(&turns), ',') ? "carries in turn: " : "", text_cstr(&turns));
    text_free(&turns);
    return found;
}

int emit_tensor_at(const struct ir *ir, const struct ir_edge *e) {
    int tensor = ir->kernel[e->src_kernel].port[e->src_port].tensor;
    return tensor != IR_NONE ? tensor : ir->kernel[e->dst_kernel].port[e->dst_port].tensor;
}

// Adds a tensor. If it is quantized, adds the name of what was quantized, because its own name may be that of a
// product.
static void add_tensor(const struct ir *ir, int tensor, struct text *out) {
    int node = ir->tensor[tensor].producer;
    emit_tensor(ir, tensor, out);
    if (node != IR_NONE && ir_node_is(ir, node, OP_QUANTIZES))
        text_addf(out, " (%s quantized)", ir->tensor[ir->node[node].in[0]].name);
}

// Describes the stream by its own ends. brief: only by the tensor's name. Returns false if the ends tell nothing.
static bool add_at_ends(const struct ir *ir, const struct ir_edge *e, bool brief, struct text *out) {
    int tensor = emit_tensor_at(ir, e);
    if (tensor != IR_NONE && brief) text_add(out, ir->tensor[tensor].name);
    else if (tensor != IR_NONE) add_tensor(ir, tensor, out);
    return tensor != IR_NONE || add_role(ir, e, out) || add_turns(ir, e, out);
}

// ---- by neighbours ----

// Returns whether a kernel only passes words on, so that the streams before and after it tell what it carries.
static bool hands_on(const struct ir_kernel *k) {
    return k->node == IR_NONE && !k->is_control && !kernel_is(k, KERNEL_MULTIPLIES);
}

static bool add_from(const struct ir *ir, int kernel, bool is_output, int hops, bool brief, struct text *out);

// Describes a stream by its ends or, if these tell nothing, by the streams further along in this direction. hops:
// number of kernels that may still be passed.
static bool add_along(const struct ir *ir, const struct ir_edge *e, bool is_output, int hops, bool brief,
                      struct text *out) {
    return add_at_ends(ir, e, brief, out) ||
           (hops > 0 && add_from(ir, is_output ? e->dst_kernel : e->src_kernel, is_output, hops - 1, brief, out));
}

// Describes the first stream of a kernel in this direction that add_along can describe. Skips step words.
static bool add_from(const struct ir *ir, int kernel, bool is_output, int hops, bool brief, struct text *out) {
    const struct ir_kernel *k = &ir->kernel[kernel];
    for (int p = 0; p < k->ports && hands_on(k); p++) {
        const struct ir_port *port = &k->port[p];
        if (port->is_output != is_output || port->edge == IR_NONE || is_step(port)) continue;
        if (add_along(ir, &ir->edge[port->edge], is_output, hops, brief, out)) return true;
    }
    return false;
}

static void add_carried(const struct ir *ir, const struct ir_edge *e, bool brief, struct text *out) {
    if (add_at_ends(ir, e, brief, out) || add_from(ir, e->src_kernel, false, HOPS, brief, out) ||
        add_from(ir, e->dst_kernel, true, HOPS, brief, out))
        return;
    text_add(out, "of no tensor");
}

void emit_carried(const struct ir *ir, const struct ir_edge *e, struct text *out) { add_carried(ir, e, false, out); }

const char *emit_carried_name(const struct ir *ir, const struct ir_edge *e) {
    struct text carried = {0};
    add_carried(ir, e, true, &carried);
    const char *name = arena_printf(ir->arena, "%s", text_cstr(&carried));
    text_free(&carried);
    return name;
}

// Describes a kernel that passes a plain net on, with one input and one output, by the net's name.
static bool add_net(const struct ir *ir, int kernel, struct text *out) {
    const struct ir_wire *in = NULL;
    int wires = 0;
    for (int w = 0; w < ir->wires; w++) {
        if (ir->wire[w].kernel != kernel) continue;
        wires++;
        if (!ir->wire[w].is_output) in = &ir->wire[w];
    }
    if (wires != 2 || !in || ir_use_whole(&in->use) == IR_NONE) return false;
    text_add(out, ir->net[ir_use_whole(&in->use)].name);
    return true;
}

bool emit_carried_by(const struct ir *ir, int kernel, struct text *out) {
    const struct ir_kernel *k = &ir->kernel[kernel];
    return add_tensors(ir, k, false, out) || add_tensors(ir, k, true, out) ||
           add_from(ir, kernel, false, HOPS, false, out) || add_from(ir, kernel, true, HOPS, false, out) ||
           add_net(ir, kernel, out);
}
