// SPDX-License-Identifier: Apache-2.0
// Parameter and cost of rill_padding, the part of elementwise kernels whose result for 0 is not 0. It sets the padding
// of a vector's last word to +0, because later kernels expect zeros there.
#include "gen/kernel/class.h"
#include "gen/kernel/ports.h"

void class_padding(struct ir *ir, const struct ir_node *node, int k) {
    int x = node->in[0];
    ir_set_int(ir, k, "N", ir_tensor_elements(&ir->tensor[x]) / ports_firings(ir, x));
}

// Adds the counters of chunks and the gates of lanes with padding. Without padding (N is a multiple of LANES) it adds
// nothing.
void class_cost_padding(const struct kernel_args *a, struct cost_resources *r) {
    int64_t lanes = class_lanes(a), rest = args_int(a, "N", 0) % lanes;
    if (!rest) return;
    cost_per(r, lanes - rest, PER_PADDING_LANE);
    cost_per(r, 2 * log2_up(class_chunks(a)), PER_PADDING_COUNTER_BIT);
    cost_per(r, 2, PER_PADDING_BASE);
}
