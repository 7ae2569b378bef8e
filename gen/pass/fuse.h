// SPDX-License-Identifier: Apache-2.0
// What fuse-groups knows of a graph: pieces of the program that cannot be cut, and the streams between them.
#ifndef RILL_FUSE_H
#define RILL_FUSE_H

#include "gen/ir/ir.h"

enum { FUSE_EDGE_WORDS = 2 /* of a FIFO that need not hold a firing */ };

// Neighbouring operations that always run together: a product with its dequantization, products that share an operand,
// an attention's core.
struct fuse_unit {
    int region, first_node, nodes;
    int64_t local; // bits that its kernels hold
};

// An edge that carries a tensor between operations.
struct fuse_stream {
    int edge;
    int from, to;    // units; to < from: around a repeated region
    bool loops;      // at a region's loop, or between regions: always crosses
    int firings;     // that it holds where it crosses
    bool spills;     // through memory, where it crosses
    int64_t inside;  // bits of its FIFO where both ends are in one group
    int64_t across;  // bits on chip where it crosses
    int64_t traffic; // bits written and read per step where it crosses: in memory or in a FIFO
};

struct fuse {
    struct ir *ir;
    struct fuse_unit *unit;
    int units;
    int *unit_of; // per node
    struct fuse_stream *stream;
    int streams;
};

void fuse_read(struct ir *, struct fuse *);
bool fuse_is_behind_exit(const struct ir *, const struct ir_edge *);
int64_t fuse_group_bits(const struct fuse *, int first, int last); // that a group of these units holds while it runs
int64_t fuse_whole_bits(const struct fuse *);                      // of everything as one group
int64_t fuse_group_traffic(const struct fuse *, int first, int last,
                           int64_t *across); // of what leaves it for later units of its region

// What a spill of this stream's firings takes: words of one, beats of a burst, of its buffer for reads, bytes in memory
// of one and of all.
struct fuse_spill {
    int64_t words, burst, read_buffer, bytes, room, bits;
};
struct fuse_spill fuse_spill_of(const struct ir *, const struct ir_edge *, int firings);
void fuse_insert_spill(struct ir *, int edge, int firings, int id);

#endif
