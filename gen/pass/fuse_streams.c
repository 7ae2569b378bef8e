// SPDX-License-Identifier: Apache-2.0
// Builds the view that fuse-groups works on (fuse.h) from the kernel graph: units that cannot be cut, and the streams
// between them.
#include "gen/pass/fuse.h"

#include <string.h>

#include "gen/cost/cost.h"
#include "gen/kernel/args.h"
#include "gen/kernel/kv_cache.h"
#include "gen/ir/ops.h"
#include "gen/pass/pass.h"
#include "gen/kernel/ports.h"

// Most kernels without an operation (forks, multiplexers, converters) that a search passes.
enum { MAX_WALK = 64 };

static bool is_a(const struct ir *ir, int kernel, unsigned traits) { return kernel_is(&ir->kernel[kernel], traits); }

// ---- units: runs of operations that no cut may separate ----

// Puts nodes a to b in one unit. joined[n]: node n is in one unit with node n - 1.
static void join(bool *joined, int a, int b) {
    for (int n = (a < b ? a : b) + 1; n <= (a < b ? b : a); n++) joined[n] = true;
}

// Joins the nodes that no cut may separate. A product and the dequantization of its integer result are in one unit. So
// are the nodes of two successive firings if their nodes are not in program order, or if the second firing reads the
// operand that the first one took.
static void join_nodes(const struct ir *ir, bool *joined) {
    for (int n = 0; n < ir->nodes; n++)
        for (int i = 0; i < ir->node[n].inputs; i++) {
            const struct ir_tensor *t = &ir->tensor[ir->node[n].in[i]];
            if (t->dtype == IR_ACC && t->producer != IR_NONE) join(joined, t->producer, n);
        }
    for (int f = 1; f < ir->firings; f++) {
        const struct ir_firing *a = &ir->firing[f - 1], *b = &ir->firing[f];
        if (a->region == b->region && (b->node < a->node || !b->x_take)) join(joined, a->node, b->node);
    }
}

// Divides the nodes into units, in program order.
static void add_units(struct fuse *f) {
    struct ir *ir = f->ir;
    bool *joined = ARENA_ARRAY(ir->arena, bool, (size_t)ir->nodes + 1);
    join_nodes(ir, joined);
    f->unit = ARENA_ARRAY(ir->arena, struct fuse_unit, (size_t)ir->nodes + 1);
    f->unit_of = ARENA_ARRAY(ir->arena, int, (size_t)ir->nodes + 1);
    for (int n = 0; n < ir->nodes; n++) {
        bool first = n == 0 || !joined[n] || ir->node[n].region != ir->node[n - 1].region;
        if (first) f->unit[f->units++] = (struct fuse_unit){ir->node[n].region, n, 0, 0};
        f->unit[f->units - 1].nodes++;
        f->unit_of[n] = f->units - 1;
    }
}

static int first_unit(const struct fuse *f, int region) {
    for (int u = 0; u < f->units; u++)
        if (f->unit[u].region == region) return u;
    return IR_NONE;
}

// ---- the units at both ends of a stream ----

// Whether the kernel is the demultiplexer that ends a region's loop, and not one for an engine's results.
static bool is_exit(const struct ir *ir, int kernel) {
    for (int e = 0; e < ir->engines; e++)
        if (ir->engine[e].y_demux == kernel) return false;
    return is_a(ir, kernel, KERNEL_DEMUX);
}

// Whether the kernel is the multiplexer that begins a region's loop, and not one for an engine's operands or a KV
// cache.
static bool is_loop(const struct ir *ir, int kernel) {
    for (int e = 0; e < ir->engines; e++)
        if (ir->engine[e].x_mux == kernel) return false;
    return is_a(ir, kernel, KERNEL_MUX) && !kv_is_mux(ir, kernel);
}

// Returns the engine whose operand multiplexer (x) or result demultiplexer (y) this kernel is, or IR_NONE.
static int engine_with(const struct ir *ir, int kernel) {
    for (int e = 0; e < ir->engines; e++)
        if (ir->engine[e].x_mux == kernel || ir->engine[e].y_demux == kernel) return e;
    return IR_NONE;
}

// Returns the unit of the first product that takes its operand from this port of an engine's multiplexer, or IR_NONE.
static int product_at(const struct fuse *f, int kernel, const struct ir_port *port) {
    const struct ir *ir = f->ir;
    int engine = engine_with(ir, kernel);
    for (int i = 0; engine != IR_NONE && i < ir->firings; i++)
        if (ir->firing[i].engine == engine && ir->firing[i].x_take && ir->firing[i].x_edge_port == port->index)
            return f->unit_of[ir->firing[i].node];
    return IR_NONE;
}

// Whether a kernel is at the entry of a region. Such kernels belong to the unit of their first reader.
static bool serves_readers(const struct ir *ir, int kernel) {
    return is_loop(ir, kernel) || is_a(ir, kernel, KERNEL_ENTRY);
}

bool fuse_is_behind_exit(const struct ir *ir, const struct ir_edge *e) {
    for (int i = 0; i < MAX_WALK; i++) {
        const struct ir_kernel *from = &ir->kernel[e->src_kernel];
        if (is_exit(ir, e->src_kernel)) return true;
        if (from->node != IR_NONE || serves_readers(ir, e->src_kernel)) return false;
        const struct ir_port *in = NULL;
        for (int p = 0; p < from->ports && !in; p++)
            if (!from->port[p].is_output && from->port[p].edge != IR_NONE && from->port[p].kind != IR_STREAM_BARE)
                in = &from->port[p];
        if (!in) return false;
        e = &ir->edge[in->edge];
    }
    return false;
}

// Returns the earliest unit among a kernel's readers, or IR_NONE. If the unit of a reader is not found, the first unit
// of the stream's region counts. depth: kernels passed so far, which limits the recursion.
static int earliest_reader(const struct fuse *f, int kernel, int depth) {
    const struct ir *ir = f->ir;
    int earliest = IR_NONE;
    for (int p = 0; depth < MAX_WALK && p < ir->kernel[kernel].ports; p++) {
        const struct ir_port *port = &ir->kernel[kernel].port[p];
        if (!port->is_output || port->edge == IR_NONE) continue;
        const struct ir_edge *e = &ir->edge[port->edge];
        const struct ir_kernel *to = &ir->kernel[e->dst_kernel];
        int unit = to->node != IR_NONE ? f->unit_of[to->node] : product_at(f, e->dst_kernel, &to->port[e->dst_port]);
        if (unit == IR_NONE && !is_exit(ir, e->dst_kernel) && !is_loop(ir, e->dst_kernel))
            unit = earliest_reader(f, e->dst_kernel, depth + 1);
        if (unit == IR_NONE) unit = port->region == IR_NONE ? IR_NONE : first_unit(f, port->region);
        if (unit != IR_NONE && (earliest == IR_NONE || unit < earliest)) earliest = unit;
    }
    return earliest;
}

// Returns the unit of a kernel's operation. A kernel without an operation belongs to the unit of its earliest reader if
// it is at a region's entry, and otherwise to the unit of its source. IR_NONE: the kernel is a multiplexer of the KV
// cache, or no unit was found.
static int unit_of_kernel(const struct fuse *f, int kernel, int depth);

// Returns the unit of an edge's writer. An engine serves many units, so the result of an engine belongs to the unit of
// the operation that makes the tensor.
static int unit_of_source(const struct fuse *f, const struct ir_edge *e, int depth) {
    const struct ir *ir = f->ir;
    const struct ir_port *port = &ir->kernel[e->src_kernel].port[e->src_port];
    if (engine_with(ir, e->src_kernel) == IR_NONE) return unit_of_kernel(f, e->src_kernel, depth);
    int producer = port->tensor == IR_NONE ? IR_NONE : ir->tensor[port->tensor].producer;
    return producer == IR_NONE ? IR_NONE : f->unit_of[producer];
}

static int unit_of_kernel(const struct fuse *f, int kernel, int depth) {
    const struct ir *ir = f->ir;
    const struct ir_kernel *k = &ir->kernel[kernel];
    if (k->node != IR_NONE) return f->unit_of[k->node];
    if (kv_is_mux(ir, kernel)) return IR_NONE; // serves attentions of several units
    if (serves_readers(ir, kernel)) return earliest_reader(f, kernel, 0);
    for (int p = 0; depth < MAX_WALK && p < k->ports; p++)
        if (!k->port[p].is_output && k->port[p].edge != IR_NONE && k->port[p].kind != IR_STREAM_BARE)
            return unit_of_source(f, &ir->edge[k->port[p].edge], depth + 1);
    return IR_NONE;
}

// Returns the unit of an edge's reader. An operand of an engine belongs to the unit of the first product that takes it.
static int unit_of_reader(const struct fuse *f, const struct ir_edge *e) {
    const struct ir_kernel *to = &f->ir->kernel[e->dst_kernel];
    if (engine_with(f->ir, e->dst_kernel) != IR_NONE) return product_at(f, e->dst_kernel, &to->port[e->dst_port]);
    for (int i = 0; i < f->ir->engines; i++)
        if (f->ir->engine[i].kernel == e->dst_kernel) return IR_NONE;
    return unit_of_kernel(f, e->dst_kernel, 0);
}

// ---- storage ----

// Returns the words of one tensor on this edge: the larger of the numbers at its two ends.
static int64_t tensor_words(const struct ir *ir, const struct ir_edge *e) {
    int64_t words = 0;
    const struct ir_port *end[] = {&ir->kernel[e->src_kernel].port[e->src_port],
                                   &ir->kernel[e->dst_kernel].port[e->dst_port]};
    for (int i = 0; i < 2; i++)
        words = at_least(words,
                         ports_firing_words(end[i]) * (end[i]->tensor == IR_NONE ? 1 : ports_ends(ir, end[i]->tensor)));
    return words;
}

// Adds to each unit the bits that its kernels store.
static void add_local(struct fuse *f) {
    for (int k = 0; k < f->ir->kernels; k++) {
        int unit = unit_of_kernel(f, k, 0);
        if (unit != IR_NONE) f->unit[unit].local += cost_local_bits(f->ir, k);
    }
}

// Whether a stream can go through memory: it has an itensor type, its size is static, the tensor is sent in one firing,
// and the design has an engine. add_stream decides whether it does.
static bool can_spill(const struct ir *ir, const struct ir_edge *e) {
    const struct ir_port *end[] = {&ir->kernel[e->src_kernel].port[e->src_port],
                                   &ir->kernel[e->dst_kernel].port[e->dst_port]};
    for (int i = 0; i < 2; i++) {
        if (end[i]->pieces > 1 || (end[i]->tensor != IR_NONE && ports_ends(ir, end[i]->tensor) != 1)) return false;
        for (int l = 0; l < end[i]->type.loops; l++)
            if (end[i]->type.trip[l].dynamic == IR_POSITIONS) return false;
    }
    return end[0]->type.loops > 0 && ir->engines > 0;
}

// Adds the edge to the view if it carries a tensor between units.
static void add_stream(struct fuse *f, int edge) {
    struct ir *ir = f->ir;
    const struct ir_edge *e = &ir->edge[edge];
    const struct ir_port *from = &ir->kernel[e->src_kernel].port[e->src_port],
                         *to = &ir->kernel[e->dst_kernel].port[e->dst_port];
    struct fuse_stream s = {.edge = edge, .from = unit_of_source(f, e, 0), .to = unit_of_reader(f, e)};
    if (from->kind != IR_STREAM_TOKENS || s.from == IR_NONE || s.to == IR_NONE) return;
    s.loops = is_exit(ir, e->src_kernel) || is_loop(ir, e->dst_kernel) ||
              f->unit[s.from].region != f->unit[s.to].region || from->region == IR_NONE || from->region != to->region;
    int64_t bits = cost_edge_bits(ir, e), words = tensor_words(ir, e);
    s.inside = size_fifos_safe(ir, e) * bits;
    // A value carried around a loop may need room for two firings, because the next value is produced while the present
    // one still waits: for a later group that reads it, or in memory.
    bool around = is_exit(ir, e->src_kernel) && is_loop(ir, e->dst_kernel) && from->region == to->region;
    s.firings = around && s.to > s.from ? 2 : 1;
    s.across = (s.firings * words + FUSE_EDGE_WORDS) * bits;
    struct fuse_spill spill = fuse_spill_of(ir, e, around ? 2 : 1);
    s.spills = can_spill(ir, e) && spill.bits < s.across;
    if (s.spills) {
        s.across = spill.bits;
        s.firings = around ? 2 : 1;
    }
    // Factor 2: each bit is written and read.
    s.traffic = 2 * (s.spills ? 8 * spill.bytes : words * bits) * ir->region[f->unit[s.from].region].repeat;
    f->stream[f->streams++] = s;
}

void fuse_read(struct ir *ir, struct fuse *f) {
    *f = (struct fuse){.ir = ir};
    add_units(f);
    f->stream = ARENA_ARRAY(ir->arena, struct fuse_stream, (size_t)ir->edges + 1);
    for (int e = 0; e < ir->edges; e++) add_stream(f, e);
    add_local(f);
}

// ---- the storage of a group ----

static bool within(int unit, int first, int last) { return unit >= first && unit <= last; }

// Whether a stream that crosses is on chip while units first to last run. A stream of a region's loop, or from one
// region to another (`loops`), is on chip while a region at one of its ends runs. Any other stream is on chip from the
// group of its writer to the group of its reader.
static bool is_live(const struct fuse *f, const struct fuse_stream *s, int first, int last) {
    int region = f->unit[first].region;
    if (s->loops) return f->unit[s->from].region == region || f->unit[s->to].region == region;
    return s->from <= last && s->to >= first;
}

int64_t fuse_group_bits(const struct fuse *f, int first, int last) {
    int64_t bits = 0;
    for (int u = first; u <= last; u++) bits += f->unit[u].local;
    for (int i = 0; i < f->streams; i++) {
        const struct fuse_stream *s = &f->stream[i];
        if (!s->loops && within(s->from, first, last) && within(s->to, first, last)) bits += s->inside;
        else if (is_live(f, s, first, last)) bits += s->across;
    }
    return bits;
}

int64_t fuse_whole_bits(const struct fuse *f) {
    int64_t bits = 0;
    for (int u = 0; u < f->units; u++) bits += f->unit[u].local;
    for (int i = 0; i < f->streams; i++) bits += f->stream[i].inside;
    return bits;
}

int64_t fuse_group_traffic(const struct fuse *f, int first, int last, int64_t *across) {
    int64_t bits = 0;
    *across = 0;
    for (int i = 0; i < f->streams; i++) {
        const struct fuse_stream *s = &f->stream[i];
        if (s->loops || !within(s->from, first, last) || within(s->to, first, last)) continue;
        bits += s->traffic;
        *across += s->across;
    }
    return bits;
}
