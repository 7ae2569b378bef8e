// SPDX-License-Identifier: Apache-2.0
// The invariants of the passes. passes.def assigns one of these functions to each pass and states its rule in words.
// The rule must hold after that pass and after every later one. A function returns NULL, or the name of an item that
// breaks the rule. In addition, the rules of ir_verify must hold after every pass.
#include "gen/ir/ops.h"
#include "gen/kernel/kernel.h"
#include "gen/pass/pass.h"

// ---- the tensor graph ----

const char *attributes_are_complete(const struct ir *ir) {
    for (int n = 0; n < ir->nodes; n++) {
        struct ir_op_attr attr[IR_MAX_OP_ATTRS];
        int count = ir_op_attrs(ir, ir->node[n].op, attr);
        for (int a = 0; a < count; a++)
            if ((attr[a].required || attr[a].has_default) && !ir_attr_find(&ir->node[n].attrs, attr[a].name))
                return ir->node[n].name;
    }
    return NULL;
}

const char *tensors_have_shapes(const struct ir *ir) {
    for (int t = 0; t < ir->tensors; t++)
        if (ir->tensor[t].rank < 1) return ir->tensor[t].name;
    return NULL;
}

static bool is_read(const struct ir *ir, int tensor) {
    for (int n = 0; n < ir->nodes; n++)
        for (int i = 0; i < ir->node[n].inputs; i++)
            if (ir->node[n].in[i] == tensor) return true;
    for (int o = 0; o < ir->outputs; o++)
        if (ir->output[o] == tensor) return true;
    for (int r = 0; r < ir->regions; r++)
        for (int c = 0; c < ir->region[r].carries; c++)
            if (ir->region[r].carry[c].init == tensor || ir->region[r].carry[c].next == tensor) return true;
    return false;
}

const char *results_are_read(const struct ir *ir) {
    for (int n = 0; n < ir->nodes; n++) {
        const struct ir_node *node = &ir->node[n];
        bool read = false;
        for (int o = 0; o < node->outputs && !read; o++) read = is_read(ir, node->out[o]);
        if (!read) return node->name;
    }
    return NULL;
}

const char *orders_are_permutations(const struct ir *ir) {
    for (int n = 0; n < ir->nodes; n++) {
        unsigned named = 0;
        for (int d = 0; d < ir->node[n].orders; d++) named |= 1u << ir->node[n].order[d];
        if (named != (1u << ir->node[n].orders) - 1) return ir->node[n].name;
    }
    return NULL;
}

const char *operations_have_lanes(const struct ir *ir) {
    for (int n = 0; n < ir->nodes; n++)
        if (ir->node[n].lanes < 1) return ir->node[n].name;
    return NULL;
}

// ---- the kernel graph ----

static bool has_kernel(const struct ir *ir, int node) {
    for (int k = 0; k < ir->kernels; k++)
        if (ir->kernel[k].node == node) return true;
    return false;
}

const char *operations_have_kernels(const struct ir *ir) {
    for (int n = 0; n < ir->nodes; n++)
        if (!ir_node_is(ir, n, OP_ON_ENGINE) ? !has_kernel(ir, n)
                                             : ir_node_is(ir, n, OP_PRODUCT) && ir_engine_of(ir, n) == IR_NONE)
            return ir->node[n].name;
    return NULL;
}

// Returns an input that has no writer, or NULL. tokens_only: leaves out streams of steps, ids and parameters
// (IR_STREAM_BARE).
static const char *unwritten(const struct ir *ir, bool tokens_only) {
    for (int k = 0; k < ir->kernels; k++)
        for (int p = 0; p < ir->kernel[k].ports; p++) {
            const struct ir_port *port = &ir->kernel[k].port[p];
            if (!port->is_output && port->edge == IR_NONE && !(tokens_only && port->kind == IR_STREAM_BARE))
                return ir_port_text(ir, k, p);
        }
    return NULL;
}

const char *token_streams_are_connected(const struct ir *ir) { return unwritten(ir, true); }
const char *inputs_have_writers(const struct ir *ir) { return unwritten(ir, false); }

struct ends {
    const struct ir_port *from, *to;
};

static struct ends ends_of(const struct ir *ir, const struct ir_edge *e) {
    return (struct ends){&ir->kernel[e->src_kernel].port[e->src_port], &ir->kernel[e->dst_kernel].port[e->dst_port]};
}

// Whether the port has words of fp32 or int8 elements.
static bool is_vector(const struct ir_port *p) {
    return p->kind == IR_STREAM_TOKENS && p->type.loops > 0 && (p->type.dtype == IR_F32 || p->type.dtype == IR_INT8);
}

const char *vector_widths_agree(const struct ir *ir) {
    for (int e = 0; e < ir->edges; e++) {
        const struct ends at = ends_of(ir, &ir->edge[e]);
        if (is_vector(at.from) && is_vector(at.to) && at.from->data_bits != at.to->data_bits) return ir->edge[e].name;
    }
    return NULL;
}

const char *counted_widths_agree(const struct ir *ir) {
    for (int e = 0; e < ir->edges; e++) {
        const struct ends at = ends_of(ir, &ir->edge[e]);
        bool counted = at.from->kind == IR_STREAM_COUNTED || at.to->kind == IR_STREAM_COUNTED;
        if (counted && (at.from->kind != at.to->kind || at.from->data_bits != at.to->data_bits))
            return ir->edge[e].name;
    }
    return NULL;
}

const char *groups_are_whole(const struct ir *ir) {
    for (int n = 0; n < ir->nodes && ir->groups > 0; n++) {
        int in = 0;
        for (int g = 0; g < ir->groups; g++)
            in += n >= ir->group[g].first_node && n < ir->group[g].first_node + ir->group[g].nodes;
        if (in != 1) return ir->node[n].name;
    }
    return NULL;
}

// Whether a segment is stored on this channel.
static bool is_on(const struct ir *ir, const struct ir_segment *s, int channel) {
    if (s->channel != IR_NONE) return channel >= s->channel && channel < s->channel + ir_parts(s->parts);
    int engine = s->node == IR_NONE ? IR_NONE : ir_engine_of(ir, s->node);
    return engine == IR_NONE || ir_engine_at(ir, channel) == engine;
}

static bool share_a_channel(const struct ir *ir, const struct ir_segment *a, const struct ir_segment *b) {
    for (int c = 0; c < ir->design.channels; c++)
        if (is_on(ir, a, c) && is_on(ir, b, c)) return true;
    return false;
}

const char *segments_begin_apart(const struct ir *ir) {
    for (int s = 0; s < ir->segments; s++)
        for (int t = 0; t < s; t++)
            if (ir->segment[s].offset == ir->segment[t].offset && share_a_channel(ir, &ir->segment[s], &ir->segment[t]))
                return ir->segment[s].name;
    return NULL;
}

const char *forks_have_readers(const struct ir *ir) {
    for (int k = 0; k < ir->kernels; k++)
        for (int p = 0; p < ir->kernel[k].ports && kernel_is(&ir->kernel[k], KERNEL_FORK); p++)
            if (ir->kernel[k].port[p].edge == IR_NONE) return ir_port_text(ir, k, p);
    return NULL;
}

// ---- depths, memories and dies ----

enum { LEAST_DEPTH = 2 }; // least depth of a rill_fifo, in words

const char *fifos_have_depths(const struct ir *ir) {
    for (int e = 0; e < ir->edges; e++)
        if (ir->edge[e].depth < LEAST_DEPTH) return ir->edge[e].name;
    return NULL;
}

const char *pool_ports_are_unique(const struct ir *ir) {
    for (int e = 0; e < ir->edges; e++)
        for (int f = 0; f < e && ir->edge[e].pool != IR_NONE; f++)
            if (ir->edge[f].pool == ir->edge[e].pool && ir->edge[f].pool_port == ir->edge[e].pool_port)
                return ir->edge[e].name;
    return NULL;
}

const char *fifos_have_memories(const struct ir *ir) {
    for (int e = 0; e < ir->edges; e++)
        if (ir->edge[e].ram_style == RAM_AUTO && ir->edge[e].pool == IR_NONE) return ir->edge[e].name;
    return NULL;
}

// Every stream must cross at least the boundaries between the dies of its two ends. A stream in a pool may cross more,
// because its storage can be on a third die.
const char *crossings_match_dies(const struct ir *ir) {
    for (int e = 0; e < ir->edges; e++) {
        const struct ir_edge *edge = &ir->edge[e];
        int apart = ir_source_die(ir, edge->src_kernel) - ir->kernel[edge->dst_kernel].die;
        if (edge->crossings + edge->entry_crossings < (apart < 0 ? -apart : apart)) return edge->name;
    }
    return NULL;
}

// With `fifo: safe`, no stream may be marked as running ahead, because the safe rule stores whole tensors.
const char *no_safe_stream_runs_ahead(const struct ir *ir) {
    for (int e = 0; e < ir->edges; e++)
        if (ir->edge[e].run_ahead && ir->design.fifo == SPEC_SAFE) return ir->edge[e].name;
    return NULL;
}
