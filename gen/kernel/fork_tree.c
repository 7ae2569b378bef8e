// SPDX-License-Identifier: Apache-2.0
// Cost of rill_fork_tree, which sends each word to many readers that are far apart, through register slices.
#include "gen/kernel/class.h"

int kernel_tree_copies(int readers) { return (int)div_up(readers, KERNEL_TREE_GROUP); }

// Adds the cost of one instance of a class.
static void add_part(const struct kernel_class *class, const struct ir_param param[], int params,
                     struct cost_resources *r) {
    struct cost_resources part = {0};
    class->cost(&(struct kernel_args){param, params}, &part);
    cost_add(r, &part, 1);
}

// Adds a register slice and the fork after it. mode: parameter MODE of the slice.
static void add_stage(const struct kernel_args *a, int64_t mode, int64_t readers, struct cost_resources *r) {
    const struct ir_param slice[] = {{"DATA_W", ir_value_int(args_int(a, "DATA_W", 1))}, {"MODE", ir_value_int(mode)}};
    const struct ir_param fork[] = {{"PORTS", ir_value_int(readers)}};
    add_part(&rtl_register_slice, slice, COUNT_OF(slice), r);
    add_part(&rtl_fork, fork, COUNT_OF(fork), r);
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    int64_t ports = args_int(a, "PORTS", 1), copies = kernel_tree_copies((int)ports);
    add_stage(a, 3, copies > 1 ? copies : ports, r);
    for (int64_t left = ports; copies > 1 && left > 0; left -= KERNEL_TREE_GROUP)
        add_stage(a, 2, left < KERNEL_TREE_GROUP ? left : KERNEL_TREE_GROUP, r);
}

const struct kernel_class rtl_fork_tree = {.module = "rill_fork_tree", .cost = cost};
