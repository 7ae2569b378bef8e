// SPDX-License-Identifier: Apache-2.0
// split-forks: in a design on several dies, lets a stream that is read both on the memory's die and elsewhere cross
// only once. If two or more readers of a fork are on the other side than the fork's writer, and at least one is on the
// writer's side, those on the other side get a separate fork (docs/passes.md). One side has the kernels that must be on
// the memory's die, the other side all other kernels.
#include "gen/kernel/ports.h"
#include "gen/pass/pass.h"
#include "gen/pass/place.h"
#include "gen/kernel/kernel.h"

struct sides {
    struct ir *ir;
    bool *at_memory; // per kernel: it must be on the memory's die
};

static bool reads_there(const struct sides *s, const struct ir_port *out) {
    return s->at_memory[s->ir->edge[out->edge].dst_kernel];
}

static const struct ir_port *input_of(const struct ir_kernel *fork) {
    const struct ir_port *in = fork->port;
    while (in->is_output) in++;
    return in;
}

// Returns how many readers of a fork must be on the memory's die (there), or how many need not be.
static int count_side(const struct sides *s, int fork, bool there) {
    const struct ir_kernel *k = &s->ir->kernel[fork];
    int count = 0;
    for (int p = 0; p < k->ports; p++) count += k->port[p].is_output && reads_there(s, &k->port[p]) == there;
    return count;
}

static void set_source(struct ir *ir, int edge, int kernel, int port) {
    ir->edge[edge].src_kernel = kernel;
    ir->edge[edge].src_port = port;
    ir->kernel[kernel].port[port].edge = edge;
    ir_name_edge(ir, edge);
}

static int add_like(struct ir *ir, int kernel, bool is_output, const struct ir_port *like) {
    const struct ir_port from = *like;
    int port = ports_add_like(ir, kernel, "", is_output, &from);
    ir->kernel[kernel].port[port].region = from.region;
    return port;
}

static void add_output(struct ir *ir, int fork, const struct ir_port *like, int index) {
    int port = add_like(ir, fork, true, like);
    ir->kernel[fork].port[port].index = index;
}

// Removes the ports that were moved to another fork, and renumbers the outputs that stay, so that there are no gaps.
static void close_up(struct ir *ir, int fork, const bool *moved) {
    struct ir_kernel *k = &ir->kernel[fork];
    int kept = 0, index = 0;
    for (int p = 0; p < k->ports; p++) {
        struct ir_port port = k->port[p];
        if (moved[p]) continue;
        if (port.is_output) port.index = index++;
        k->port[kept] = port;
        if (port.is_output) set_source(ir, port.edge, fork, kept);
        else ir->edge[port.edge].dst_port = kept;
        kept++;
    }
    k->ports = kept;
}

// Moves the outputs to the readers of one side (there: on the memory's die) to a new fork. The old fork gets one more
// output, which the new one reads.
static void split(struct sides *s, int fork, bool there) {
    struct ir *ir = s->ir;
    bool *moved = ARENA_ARRAY(ir->arena, bool, (size_t)ir->kernel[fork].ports);
    const struct ir_port in = *input_of(&ir->kernel[fork]);
    int made = kernel_add(ir, arena_printf(ir->arena, "%s_%s", ir->kernel[fork].name, there ? "near" : "far"),
                          &rtl_fork, IR_NONE);
    int entry = add_like(ir, made, false, &in), count = 0;
    for (int p = 0; p < ir->kernel[fork].ports; p++) {
        const struct ir_port port = ir->kernel[fork].port[p];
        if (!port.is_output || reads_there(s, &port) != there) continue;
        moved[p] = true;
        add_output(ir, made, &port, count++);
        set_source(ir, port.edge, made, ir->kernel[made].ports - 1);
    }
    close_up(ir, fork, moved);
    int left = ir->kernel[fork].ports - 1;
    add_output(ir, fork, &in, left);
    ir_set_int(ir, fork, "PORTS", left + 1);
    ir_set_int(ir, made, "PORTS", count);
    int link = ir_connect(ir, fork, left + 1, made, entry);
    ir->edge[link].group = ir->edge[in.edge].group;
}

// Whether all streams of the fork are within one group. A stream between groups is identified by its two ends, which a
// new fork would change.
static bool within_a_group(const struct ir *ir, int fork) {
    const struct ir_kernel *k = &ir->kernel[fork];
    for (int p = 0; p < k->ports; p++) {
        const struct ir_edge *edge = &ir->edge[k->port[p].edge];
        if (edge->stored_firings || edge->group != ir->edge[k->port[0].edge].group) return false;
    }
    return true;
}

static void split_fork(struct sides *s, int fork) {
    const struct ir *ir = s->ir;
    bool from_there = s->at_memory[ir->edge[input_of(&ir->kernel[fork])->edge].src_kernel];
    if (!within_a_group(ir, fork) || s->at_memory[fork]) return;
    if (count_side(s, fork, from_there) && count_side(s, fork, !from_there) > 1) split(s, fork, !from_there);
}

bool pass_split_forks(struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    (void)spec;
    (void)diag;
    if (ir->design.dies < 2 || ir->dies < 2) return true;
    int kernels = ir->kernels;
    struct sides s = {ir, ARENA_ARRAY(ir->arena, bool, (size_t)kernels + 1)};
    place_at_memory(ir, s.at_memory);
    for (int k = 0; k < kernels; k++)
        if (kernel_is(&ir->kernel[k], KERNEL_FORK)) split_fork(&s, k);
    return true;
}
