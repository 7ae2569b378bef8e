// SPDX-License-Identifier: Apache-2.0
// The view of a graph on which fuse-groups works: runs of operations that cannot be separated (units), and the streams
// between them with their costs. fuse_streams.c builds the view, fuse_groups.c chooses the groups, and fuse_spill.c
// sends streams between groups through memory.
//
// A group is a run of adjacent units of a region that stores at most `on_chip_kib` on chip. The groups of a region run
// one after the other, so a stream between two groups must store whole firings (a firing is one run of a kernel over
// its operands), in a FIFO or in memory.
#ifndef RILL_FUSE_H
#define RILL_FUSE_H

#include "gen/ir/ir.h"

enum { FUSE_EDGE_WORDS = 2 /* depth of a FIFO that need not store a firing */ };

// Adjacent operations that always run together: a product with its dequantization, products that share an operand, or
// the core of an attention.
struct fuse_unit {
    int region, first_node, nodes; // nodes first_node to first_node + nodes - 1 of the region
    int64_t local;                 // bits that its kernels store
};

// An edge that carries a tensor between units. It crosses if its two ends are in different groups.
struct fuse_stream {
    int edge;
    int from, to;    // units at its ends. to < from: the stream goes around a repeated region
    bool loops;      // the stream belongs to the loop of a region, or goes between regions. It then always crosses
    int firings;     // firings that it must be able to store if it crosses
    bool spills;     // if it crosses, it goes through memory; otherwise through a FIFO for whole firings
    int64_t inside;  // bits of its FIFO if both ends are in one group
    int64_t across;  // bits on chip if it crosses
    int64_t traffic; // bits written and read per step if it crosses, in memory or in a FIFO
};

struct fuse { // the view
    struct ir *ir;
    struct fuse_unit *unit; // in program order
    int units;
    int *unit_of; // per node: index of its unit
    struct fuse_stream *stream;
    int streams;
};

void fuse_read(struct ir *, struct fuse *); // builds the view
// Whether the edge comes after the exit of a region, with no operation and no entry of another region in between. Such
// streams fire once per step, not in every repetition.
bool fuse_is_behind_exit(const struct ir *, const struct ir_edge *);
// Returns the bits on chip while a group of units first to last runs, including streams of other groups that must be
// kept. The units must be of one region.
int64_t fuse_group_bits(const struct fuse *, int first, int last);
int64_t fuse_whole_bits(const struct fuse *); // bits on chip with all units in one group
// Returns the bits per step that the streams from this group to other groups move, without streams of loops. across:
// the bits of these streams on chip.
int64_t fuse_group_traffic(const struct fuse *, int first, int last, int64_t *across);

// The costs of sending `firings` firings of a stream through memory. words: words of one firing. burst, read_buffer:
// beats of a burst and of the read buffer. bytes: memory of one firing. room: memory of all firings, in bytes. bits:
// bits on chip.
struct fuse_spill {
    int64_t words, burst, read_buffer, bytes, room, bits;
};
struct fuse_spill fuse_spill_of(const struct ir *, const struct ir_edge *, int firings);
// Replaces the edge by a rill_spill with an edge to it and one from it. firings: firings that the memory has room for.
// id: number of the spill in the design.
void fuse_insert_spill(struct ir *, int edge, int firings, int id);

#endif
