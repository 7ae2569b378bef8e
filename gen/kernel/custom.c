// SPDX-License-Identifier: Apache-2.0
// Makes the class of a custom kernel from its declaration in a spec (struct custom in gen/spec/custom.h), so that
// passes treat it like a kernel of the library.
#include "gen/kernel/class.h"
#include "gen/ir/custom_ops.h"

// Makes the contract of an instance from the declared timing of its operation. A kernel that sends a word for each word
// that it takes, one per cycle, is a pipe.
static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)a;
    const struct ir_node *node = &at->ir->node[at->ir->kernel[at->kernel].node];
    struct custom_timing t;
    c->machine = TIMING_MACHINES; // no machine, so timing_contract returns false
    if (!ir_custom_timing(at->ir, node, ir_node_lanes(at->ir, at->ir->kernel[at->kernel].node), &t, NULL)) return;
    bool alike = t.group == 1 && t.gives == 1 && t.interval == 1 && t.buffers == 1;
    for (int i = 0; i < node->inputs; i++) alike &= t.words[i] == t.out_words;
    struct timing_table table = {.ask = t.ask, .ask_next = t.ask_next, .held = t.held};
    if (ir_custom_of(at->ir, at->ir->kernel[at->kernel].node)->fetch)
        table.beats = div_up(32 * ir_attr_int(&node->attrs, "cols", 1), at->ir->design.beat_bits);
    if (alike) {
        class_pipe(c, t.latency);
        c->pipe.table = table;
        return;
    }
    c->machine = TIMING_GROUPS;
    c->stages = t.latency;
    c->groups = (struct timing_groups){.groups = t.groups,
                                       .gives = t.gives,
                                       .words_out = t.out_words,
                                       .banks = t.buffers,
                                       .every = t.interval,
                                       .table = table};
    for (int i = 0; i < node->inputs; i++) {
        c->groups.words[i] = t.words[i];
        c->groups.take[i] = i == 0 && t.group ? t.group : div_up(t.words[i], t.groups);
    }
}

struct kernel_class class_of_custom(const struct custom *k) {
    unsigned traits = (k->step ? KERNEL_STEP : 0) | (k->vectors ? KERNEL_PARAM : 0) | (k->fetch ? KERNEL_FETCH : 0);
    return (struct kernel_class){
        .module = k->module, .traits = traits, .contract = contract, .lanes = k->lanes, .custom = k};
}
