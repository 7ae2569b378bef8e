// SPDX-License-Identifier: Apache-2.0
// Part of expand-model: moves a `dequantize` that is in a later region than its product into the product's region. The
// engine sends the integers of a product with the row scales of the same repetition as soon as it has them, so they
// must be converted there. Later regions read the fp32 values.
#include "gen/ir/ops.h"
#include "gen/pass/pass.h"

// Whether the tensor is the `next` of a carried tensor, which an operation of the region itself must make.
static bool is_next(const struct ir_region *region, int tensor) {
    for (int c = 0; c < region->carries; c++)
        if (region->carry[c].next == tensor) return true;
    return false;
}

void gather_products(struct ir *ir) {
    for (int n = 0; n < ir->nodes; n++) {
        const struct ir_node *node = &ir->node[n];
        int product = ir_op_is(ir, node->op, OP_OF_PRODUCT) ? ir->tensor[node->in[0]].producer : IR_NONE;
        if (product == IR_NONE || ir->node[product].region == node->region ||
            is_next(&ir->region[node->region], node->out[0]))
            continue;
        const struct ir_region *home = &ir->region[ir->node[product].region];
        ir_move_node(ir, n, home->first_node + home->nodes, ir->node[product].region); // to the end of that region
    }
}
