// SPDX-License-Identifier: Apache-2.0
// Unroll factors of loop nests that exchange arrays, and the banks that the arrays then need (REFERENCE: StreamTensor's
// tiling space, HIDA's example). Factors are powers of two. A node's share of the budget follows its work; its unrolls
// follow those of the nodes it is connected with.
#ifndef RILL_TILE_H
#define RILL_TILE_H

#include <stdbool.h>
#include <stdint.h>

enum { TILE_MAX_LOOPS = 4, TILE_MAX_DIMS = 3, TILE_MAX_ACCESSES = 4 };

// array[stride[0] * i(loop[0])][stride[1] * i(loop[1])]..
struct tile_access {
    int array, dims;
    int loop[TILE_MAX_DIMS];
    int64_t stride[TILE_MAX_DIMS];
};
struct tile_node {
    int loops;
    int64_t trip[TILE_MAX_LOOPS];
    bool reduces[TILE_MAX_LOOPS]; // carries a sum: unrolled only when the other loops do not do, and outermost in the
                                  // order
    int accesses;
    struct tile_access access[TILE_MAX_ACCESSES];
    // results
    int64_t factor; // iterations side by side
    int64_t unroll[TILE_MAX_LOOPS];
    int order[TILE_MAX_LOOPS]; // loops, outermost first: reductions outside, parallel loops inside
};
struct tile_array {
    int dims;
    int64_t partition[TILE_MAX_DIMS], banks; // results
};

int64_t tile_work(const struct tile_node *); // iterations
// aware: the node with most work gets the budget, the others as much less as they have less to do, and unrolls are
// chosen for the fewest banks with those of nodes with more work given. Else every node gets the budget and the most
// even unrolls.
void tile_plan(struct tile_node *, int nodes, struct tile_array *, int arrays, int64_t budget, bool aware);

#endif
