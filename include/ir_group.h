// SPDX-License-Identifier: Apache-2.0
// Groups of operations that run together (fuse-groups); part of ir.h.
#ifndef RILL_IR_GROUP_H
#define RILL_IR_GROUP_H

#include <stdint.h>

struct ir;

struct ir_group { // operations that run together; the groups of a region run one after the other in every repetition
    int region;
    int first_node, nodes;
    int64_t bits; // counted against the budget: streams, buffers of kernels, what lies on chip between groups
};

// Least traffic within the budget; the walk of StreamTensor's Algorithm 2.
enum ir_fusion_kind { IR_FUSION_EXACT, IR_FUSION_GREEDY };

struct ir_fusion { // what a fusion algorithm found
    enum ir_fusion_kind kind;
    int64_t groups, bits, traffic; // bits: of the largest group; traffic: bits written and read between groups per step
};

int ir_add_group(struct ir *, struct ir_group);
int ir_add_fusion(struct ir *, struct ir_fusion);
const char *ir_fusion_name(enum ir_fusion_kind); // in reports and dumps

#endif
