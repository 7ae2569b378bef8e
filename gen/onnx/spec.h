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
    const char *key, *text;         // text NULL: a weight
    const struct onnx_data *weight; // vector or matrix
    const char *source;             // hint of its name; later the name
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

// Operations from `first` on: a region that repeats if `repeat` is more than 1.
struct spec_region {
    const char *name;
    int first, ops, repeat; // the operations of one repetition
    int carries;
    struct {
        int init, next; // tensors; `next` of the first repetition
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

// Nodes [first, end) of the graph as operations. Nodes that cannot be written get a reason in graph.fate; the rest goes
// on as if their results were inputs. The spec is complete only if *missing is 0.
struct spec *spec_lower(struct graph *, int first, int end, int *missing);
// Finds parts of the operations that repeat.
void spec_find_regions(struct spec *);
// Makes legal and distinct names of the hints.
void spec_make_names(struct spec *);
// The text of `graph:`.
void spec_write_graph(const struct spec *, struct text *out);
// The weights as a safetensors file. False: an error of the output set.
bool spec_write_weights(const struct spec *, FILE *out);
int64_t spec_weight_bytes(const struct spec *);

// The tensor that operation `op` (of the first repetition) reads or makes in another repetition; itself otherwise.
const char *spec_weight_name(const struct spec *, const struct spec_region *, int op, int attr);

#endif
