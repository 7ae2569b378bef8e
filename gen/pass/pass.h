// SPDX-License-Identifier: Apache-2.0
// The passes. Each takes the IR to its next form, or reports errors and returns false. pass_table (passes.c) gives
// their order. It includes bind-operations, which has a separate folder (gen/bind/bind.h).
#ifndef RILL_PASS_H
#define RILL_PASS_H

#include "gen/ir/ir.h"
#include "gen/spec/spec.h"

typedef bool pass_function(struct ir *, const struct rill_spec *, struct diag *);

pass_function pass_expand_model;      // spec -> tensor graph
pass_function pass_infer_types;       // shapes and dtypes of every tensor
pass_function pass_drop_unread;       // removes what no output needs
pass_function pass_choose_orders;     // order of the loops in which operations walk tensors of several dimensions
pass_function pass_choose_lanes;      // fp32 lanes of every kernel
pass_function pass_route_streams;     // edges: region loops, multiplexers, forks
pass_function pass_insert_layouts;    // fp32 streams whose ends walk differently -> layout converters, widths, firings
pass_function pass_insert_converters; // counted results of the engines -> width converters
pass_function pass_fuse_groups;    // groups of operations within a memory budget; streams between them through memory
pass_function pass_insert_dma;     // memory segments, memory clients, vector parameter stores
pass_function pass_insert_control; // registers, token loop, parameter loading, KV write tracking: plain nets
pass_function pass_split_forks;    // with dies: a stream read on both sides crosses once
pass_function pass_size_fifos;     // depth of every edge
pass_function pass_overlay_fifos;  // one storage for FIFOs of groups that never run together
pass_function pass_allocate_memories; // memory kind of every FIFO: SRL, LUTRAM, BRAM or URAM
pass_function pass_place_dies;        // the die of every kernel, register slices between dies
pass_function pass_mark_ahead;        // with timed FIFOs: marks the streams whose writers run ahead

// Parts of passes that have separate files.
void gather_products(struct ir *); // expand-model: moves `dequantize` into the region of its product
pass_function choose_formats;      // expand-model: formats of weights by tensor names
void split_queries(struct ir *);   // expand-model: separates quantized heads from quantized vectors
// Part of infer-types: all operations that read one tensor of weights must need the same shape.
bool check_weights(const struct ir *, struct diag *);
void pass_safe_depths(struct ir *); // size-fifos: sets every edge by the safe rule

// Questions that other passes and reports ask: the memory kind for a depth and a width, the depth of a stream by the
// safe rule, and the most words that a stream ever has in flight.
enum ram_style allocate_memories_style(int64_t depth, int64_t bits);
int64_t size_fifos_safe(const struct ir *, const struct ir_edge *);
int64_t safe_words(const struct ir *, const struct ir_edge *);

struct pass {
    const char *name;
    pass_function *run;
};
extern const struct pass pass_table[]; // ends with a NULL name
const char *pass_last(void);           // name of the pass that completes a design

#endif
