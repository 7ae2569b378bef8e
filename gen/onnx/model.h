// SPDX-License-Identifier: Apache-2.0
// The contents of an ONNX file as they are stored: nodes, constants, inputs and outputs, which refer to one another by
// names. read.c and tensor.c fill these structures; graph.h makes a graph from them. All memory belongs to the arena.
#ifndef RILL_ONNX_MODEL_H
#define RILL_ONNX_MODEL_H

#include "gen/base/diag.h"

// Types of elements, by their numbers in the format.
enum onnx_type {
    ONNX_FLOAT = 1,
    ONNX_UINT8 = 2,
    ONNX_INT8 = 3,
    ONNX_UINT16 = 4,
    ONNX_INT16 = 5,
    ONNX_INT32 = 6,
    ONNX_INT64 = 7,
    ONNX_STRING = 8,
    ONNX_BOOL = 9,
    ONNX_FLOAT16 = 10,
    ONNX_DOUBLE = 11,
    ONNX_UINT32 = 12,
    ONNX_UINT64 = 13,
    ONNX_BFLOAT16 = 16,
    ONNX_TYPES = 17
};
const char *onnx_type_name(int type);
bool onnx_type_is_float(int type);
// Returns the bytes of an element; 0 for types that Rill does not read.
int onnx_type_bytes(int type);

enum { ONNX_MAX_RANK = 8 };
// The extents of a tensor. A scalar has rank 0.
struct onnx_dims {
    int rank;
    int64_t dim[ONNX_MAX_RANK];
};
// Returns the number of elements, the product of the extents. Returns -1 if an extent is negative or if the product of
// the extents other than 0 exceeds 2^40.
int64_t onnx_elements(const struct onnx_dims *);
const char *onnx_dims_text(struct arena *, const struct onnx_dims *); // `[2, 3]`

// A constant. Floats of any width are kept as fp32, integers and truth values as int64.
struct onnx_data {
    int type;
    struct onnx_dims dims;
    int64_t count;
    const float *f;   // NULL: integers
    const int64_t *i; // NULL: floats
};
static inline double onnx_at(const struct onnx_data *d, int64_t n) { return d->f ? (double)d->f[n] : (double)d->i[n]; }

// A constant of the file (an initializer).
struct onnx_tensor {
    const char *name;
    const struct onnx_data *data;
};

// An attribute of a node. Only the member for its type is set; the others are 0, empty or NULL.
struct onnx_attribute {
    const char *name;
    float f;
    int64_t i;
    const char *s;
    VEC(int64_t) ints;
    VEC(float) floats;
    VEC(const char *) strings;
    const struct onnx_data *t;
    const struct onnx_body *body; // NULL: none
};

// A node of the file. op: operator; domain: who defines the operator, empty for ONNX itself.
struct onnx_node {
    const char *name, *op, *domain;
    VEC(const char *) in, out; // an omitted input has the empty name
    VEC(struct onnx_attribute) attribute;
    int depth; // number of bodies that the node is in
};

// A graph that is an attribute of a node, such as a branch of an `If`. Its nodes are in the model's list: nodes first
// to end - 1, except those of another depth.
struct onnx_body {
    size_t first, end;
    int depth;
    VEC(struct onnx_tensor) initializer;
    VEC(const char *) output;
};

// The type and shape that the file gives for a tensor: an input, an output, or the result of a node.
struct onnx_info {
    const char *name;
    int type;                        // 0: the file gives none, or it is not a tensor
    bool shaped;                     // the file gives the number of axes
    struct onnx_dims dims;           // -1: the file has no number for this extent
    const char *axis[ONNX_MAX_RANK]; // names of the axes; NULL: none
};

struct onnx_model {
    const char *path;
    struct loc loc;
    struct arena *arena;
    int64_t opset;  // version of ONNX's own operators, which have no domain
    bool versioned; // the file gives `opset`
    const char *producer;
    VEC(struct onnx_node) node; // all nodes, those in bodies included
    VEC(struct onnx_tensor) initializer;
    size_t inner; // number of initializers of all bodies
    VEC(struct onnx_info) input, output, value;
};

// These return NULL after an error: the file, or a file with its data, is not well formed. The second one reads the
// contents of the file from memory.
struct onnx_model *onnx_model_read(struct arena *, const char *path, struct diag *);
struct onnx_model *onnx_model_read_bytes(struct arena *, const char *path, const void *data, size_t len, struct diag *);

// These return an attribute of the node, or its value, or `preset` if the node does not have the attribute.
const struct onnx_attribute *onnx_attribute_of(const struct onnx_node *, const char *name); // NULL: none
int64_t onnx_int(const struct onnx_node *, const char *name, int64_t preset);
double onnx_float(const struct onnx_node *, const char *name, double preset);
const char *onnx_string(const struct onnx_node *, const char *name, const char *preset);

#endif
