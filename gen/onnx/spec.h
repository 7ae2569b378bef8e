// SPDX-License-Identifier: Apache-2.0
// The spec of an ONNX file before its text is written: a graph in operations of the graph language. Lowering makes it
// (lower.h), repeat.c finds its regions, onnx_names.c its names, and write.c writes its text and weights.
#ifndef RILL_ONNX_SPEC_H
#define RILL_ONNX_SPEC_H

#include "gen/onnx/graph.h"

// Most dimensions of a tensor; most operands and attributes of an operation; most inputs and outputs of the spec, and
// most carries of a region.
enum { SPEC_MAX_RANK = 3, SPEC_MAX_IN = 3, SPEC_MAX_ATTRS = 8, SPEC_MAX_PORTS = 8 };

struct spec_tensor {
    const char *name; // a hint at first, later the name in the spec
    int rank;
    int64_t dim[SPEC_MAX_RANK];
    int maker; // number of the operation that makes it; NONE: an input
};

// An attribute of an operation: a text, or a weight.
struct spec_attr {
    const char *key, *text;         // text: as it is written in the spec; NULL for a weight
    const struct onnx_data *weight; // vector or matrix
    const char *source;             // a hint for the weight's name at first, later its name
};

// An operation of the graph language with one result.
struct spec_op {
    const char *op;
    int in[SPEC_MAX_IN], ins, out; // numbers of tensors; ins: number of operands
    struct spec_attr attr[SPEC_MAX_ATTRS];
    int attrs;
    int number; // number of the file's node from which it was made
};

// An input or output of the spec.
struct spec_port {
    int tensor, value; // tensor of the spec, value of the graph (graph.h)
    const char *name;  // a hint at first, later the name in the spec
};

// A region: ops * repeat operations from `first` on. The first `ops` of them are one repetition; the others repeat it.
struct spec_region {
    const char *name;
    int first, ops, repeat; // ops: operations of one repetition
    int carries;
    struct {
        int init, next; // tensors that the first and the second repetition read; the first repetition makes `next`
        const char *name;
    } carry[SPEC_MAX_PORTS];
};

struct spec {
    struct arena *arena;
    VEC(struct spec_tensor) tensor;
    VEC(struct spec_op) op;
    VEC(struct spec_port) input, output;
    VEC(struct spec_region) region;
};

// Turns the nodes [first, end) of the graph into operations. A node that cannot be written gets its reason in
// graph.fate, and its results count as inputs of the remaining nodes. *missing: the number of such nodes; the spec is
// complete only if it is 0.
struct spec *spec_lower(struct graph *, int first, int end, int *missing);
// Turns repeating runs of operations into regions.
void spec_find_regions(struct spec *);
// Replaces the hints by legal and distinct names.
void spec_make_names(struct spec *);
// Writes the section `graph:`.
void spec_write_graph(const struct spec *, struct text *out);
// Writes the weights as a safetensors file. Returns false after an output error, with errno set.
bool spec_write_weights(const struct spec *, FILE *out);
int64_t spec_weight_bytes(const struct spec *); // bytes of all matrices, with one byte per weight

// Returns the name of the weight that operation `op` has as its attribute `attr`. In a repeating region, the name may
// contain an expression of the repetition.
const char *spec_weight_name(const struct spec *, const struct spec_region *, int op, int attr);

#endif
