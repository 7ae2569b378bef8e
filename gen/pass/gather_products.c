// SPDX-License-Identifier: Apache-2.0
// Of expand-model: a `dequantize` that stands in a later region than its product goes to the product's. The engine hands out what it makes there and
// then, with the row scales of that repetition; what the later region reads is the fp32 value as it leaves the earlier one.
#include <string.h>

#include "ops.h"
#include "pass.h"

// A region's next value is made by the region itself.
static bool is_next(const struct ir_region *region, int tensor) {
    for (int c = 0; c < region->carries; c++)
        if (region->carry[c].next == tensor) return true;
    return false;
}

// To the end of an earlier region.
static void move_node(struct ir *ir, int n, int region) {
    struct ir_node moved = ir->node[n];
    int to = ir->region[region].first_node + ir->region[region].nodes, old = moved.region;
    memmove(&ir->node[to + 1], &ir->node[to], sizeof moved * (size_t)(n - to));
    moved.region = region;
    ir->node[to] = moved;
    ir->region[region].nodes++;
    ir->region[old].nodes--;
    for (int r = region + 1; r <= old; r++) ir->region[r].first_node++;
    for (int t = 0; t < ir->tensors; t++) {
        int *producer = &ir->tensor[t].producer;
        if (*producer == n) *producer = to;
        else if (*producer >= to && *producer < n) ++*producer;
    }
    for (int o = 0; o < moved.outputs; o++) ir->tensor[moved.out[o]].region = region;
}

void gather_products(struct ir *ir) {
    for (int n = 0; n < ir->nodes; n++) {
        const struct ir_node *node = &ir->node[n];
        int product = node->op == IR_OP_DEQUANTIZE ? ir->tensor[node->in[0]].producer : IR_NONE;
        if (product == IR_NONE || ir->node[product].region == node->region || is_next(&ir->region[node->region], node->out[0])) continue;
        move_node(ir, n, ir->node[product].region);
    }
}
