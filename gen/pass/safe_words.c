// SPDX-License-Identifier: Apache-2.0
// Part of size-fifos: calculates how many words a stream must be able to hold by the safe rule. This is a whole tensor,
// or less if the order of the program guarantees that fewer words are in flight.
//
// - In a `when: last` region, a firing has one token even in a step of several tokens. With drafts or slots it has all
//   tokens of the step.
// - Scores and values of an attention alternate by head on their engine. The engine's firings are in program order, and
//   values fire only when their whole operand is in the engine's buffer. So the streams between scores and values hold
//   only heads whose scores have fired and whose values have not.
#include "gen/kernel/kernel.h"
#include "gen/kernel/kv_cache.h"
#include "gen/ir/ops.h"
#include "gen/kernel/args.h"
#include "gen/kernel/ports.h"
#include "gen/pass/pass.h"

static bool is_last(const struct ir *ir, const struct ir_port *port) { return ir_takes_last(ir, port->region); }

// Returns the words of a firing. single: of a firing with one token instead of all tokens of a step.
static int64_t firing_words(const struct ir_port *port, bool single) {
    int64_t words = ports_firing_words(port);
    for (int l = 0; single && l < port->type.loops; l++)
        if (port->type.trip[l].dynamic == IR_TOKENS) words /= port->type.trip[l].bound;
    return words;
}

// ---- heads in flight ----

// Whether the rows of a tensor grow with the position, as those of scores do.
static bool grows(const struct ir *ir, int tensor) {
    const struct ir_tensor *t = &ir->tensor[tensor];
    return t->rank == 2 && t->shape[1].dynamic == IR_POSITIONS;
}

// Whether `to` is computed from `tensor` head by head, without a product in between. depth: operations passed so far.
static bool leads_to(const struct ir *ir, int tensor, int to, int depth) {
    int n = ir->tensor[to].producer;
    if (tensor == to) return true;
    if (n == IR_NONE || depth > 16 || ir_node_is(ir, n, OP_PRODUCT)) return false;
    for (int i = 0; i < ir->node[n].inputs; i++)
        if (grows(ir, ir->node[n].in[i]) && leads_to(ir, tensor, ir->node[n].in[i], depth + 1)) return true;
    return false;
}

// Whether the kernel only makes the operand (or is a multiplexer before it), so that its input words wait for nothing
// else.
static bool feeds(const struct ir *ir, int kernel, int operand) {
    const struct ir_kernel *k = &ir->kernel[kernel];
    if (k->node == IR_NONE) return kernel_is(k, KERNEL_MUX);
    const struct ir_node *node = &ir->node[k->node];
    for (int i = 0; i < node->outputs; i++)
        if (grows(ir, node->out[i]) && leads_to(ir, node->out[i], operand, 0)) return true;
    return false;
}

// Returns the largest number of heads whose scores have fired and whose values have not, in the order of the engine's
// firings.
static int64_t most_heads(const struct ir *ir, int scores, int values) {
    int64_t heads = 0, most = 0;
    for (int f = 0; f < ir->firings; f++) {
        if (ir->firing[f].node == scores && ++heads > most) most = heads;
        heads -= ir->firing[f].node == values;
    }
    return most;
}

// Returns the largest number of firings of the port's tensor that are in flight at once.
static int64_t firings_open(const struct ir *ir, const struct ir_edge *edge, const struct ir_port *port) {
    if (port->tensor == IR_NONE) return 1;
    int64_t all = ports_ends(ir, port->tensor);
    for (int n = 0; n < ir->nodes && grows(ir, port->tensor); n++) {
        int scores = ir_node_is(ir, n, OP_BY_VALUES) ? kv_scores_of(ir, n) : IR_NONE;
        if (scores == IR_NONE || kv_values_of(ir, scores) != n || ir_engine_of(ir, scores) != ir_engine_of(ir, n) ||
            ir->node[scores].region != ir->node[n].region)
            continue;
        if (leads_to(ir, port->tensor, ir->node[n].in[0], 0) && feeds(ir, edge->dst_kernel, ir->node[n].in[0]))
            return at_most(most_heads(ir, scores, n), all);
    }
    return all;
}

int64_t safe_words(const struct ir *ir, const struct ir_edge *edge) {
    const struct ir_port *from = &ir->kernel[edge->src_kernel].port[edge->src_port],
                         *to = &ir->kernel[edge->dst_kernel].port[edge->dst_port];
    bool inside = !edge->stored_firings, single = inside && is_last(ir, from) && is_last(ir, to);
    int64_t words = 0;
    const struct ir_port *end[] = {from, to};
    for (size_t i = 0; i < COUNT_OF(end); i++) {
        int64_t ends = end[i]->tensor == IR_NONE ? 1 : ports_ends(ir, end[i]->tensor);
        int64_t firings = inside ? firings_open(ir, edge, end[i]) : ends;
        words = at_least(words, firing_words(end[i], single) * firings);
    }
    return words;
}
