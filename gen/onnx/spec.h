// SPDX-License-Identifier: Apache-2.0
// A graph in the operations of the graph language, before its text is written.
#ifndef RILL_ONNX_SPEC_H
#define RILL_ONNX_SPEC_H

#include "gen/onnx/graph.h"

enum { SPEC_MAX_RANK = 3, SPEC_MAX_IN = 3, SPEC_MAX_ATTRS = 8, SPEC_MAX_PORTS = 8 };

struct spec_tensor {
    const char *name; // a hint at first, later the name in the spec
    int rank;
    int64_t dim[SPEC_MAX_RANK];
    int maker; // operation; NONE: an input
};

struct spec_attr {
    const char *key, *text;         // text: NULL for a weight
    const struct onnx_data *weight; // vector or matrix
    const char *source;             // a hint for its name at first, later the name
};

struct spec_op {
    const char *op;
    int in[SPEC_MAX_IN], ins, out;
    struct spec_attr attr[SPEC_MAX_ATTRS];
    int attrs;
    int number; // node of the file
};

struct spec_port {
    int tensor, value;
    const char *name;
};

// A region: the ops * repeat operations from `first` on, which are repetitions of the first `ops` of them.
struct spec_region {
    const char *name;
    int first, ops, repeat; // ops: operations of one repetition
    int carries;
    struct {
        int init, next; // tensors; next: that of the first repetition
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
// Makes legal and distinct names from the hints.
void spec_make_names(struct spec *);
// Writes the section `graph:`.
void spec_write_graph(const struct spec *, struct text *out);
// Writes the weights as a safetensors file. False: an output error, with errno set.
bool spec_write_weights(const struct spec *, FILE *out);
int64_t spec_weight_bytes(const struct spec *); // of all matrices, with one byte per weight

// Returns the name of the weight that operation `op` has as its attribute `attr`. In a repeating region, the name may
// contain an expression of the repetition.
const char *spec_weight_name(const struct spec *, const struct spec_region *, int op, int attr);

#endif
