// SPDX-License-Identifier: Apache-2.0
// Converts an ONNX file, for `rill import`, to a spec in the graph language and a file of weights, and lists all
// operators in a table (docs/onnx.md). gen/import imports checkpoints of language models instead.
#ifndef RILL_ONNX_H
#define RILL_ONNX_H

#include "gen/base/diag.h"

enum { ONNX_MAX_DIMS = 32 }; // most settings of a kind
struct onnx_options {
    const char *source; // the file
    const char *name;   // name of the design; NULL: made from the file's name
    // Settings of the user, each as NAME=VALUE. dim: the size of an axis that has no number in the file. set: an input
    // that becomes a constant; each of its elements is `value`.
    struct onnx_given {
        const char *name;
        double value;
    } dim[ONNX_MAX_DIMS], set[ONNX_MAX_DIMS];
    int dims, sets;
    bool on_chip; // the design keeps its weights on chip; convolutions are written in a form that suits this
    bool cut;     // if the whole graph cannot be written, take the longest run of nodes that can be written
};

// Values for the board and the design keys of the spec. tokens: `T`.
struct onnx_design {
    const char *board;
    int channels, lanes, tokens;
    int resident;    // above 0: all weights stay on chip, and each product has its own engine, with this many lanes
    int tensor_rows; // above 1: up to this many rows of a tensor share one read of the weights. The spec also gets
                     // `A: 2`, so the engine multiplies a beat of weights with two of these rows in each cycle
    int bmm_rows;    // above 1: products of two tensors multiply up to this many rows at the same time
    int dies;        // above 1: the design is divided over this many dies
};

struct onnx_import;

// Recognizes an ONNX file by the ending of its name, because the format has no magic number.
bool onnx_is_model(const char *path);
// Reads and converts the whole file. Returns NULL after an error: the file is not well formed, or something in it
// cannot be written. *table lists all operators and the reasons why nodes cannot be written; it is empty if reading
// failed.
struct onnx_import *onnx_import_read(const struct onnx_options *, struct arena *, struct text *table, struct diag *);
const char *onnx_import_name(const struct onnx_import *);     // name of the design
int64_t onnx_import_weight_bytes(const struct onnx_import *); // bytes of all products' weights, one byte per weight
// Writes the spec's text.
void onnx_import_spec(const struct onnx_import *, const struct onnx_design *, struct text *out);
// Writes the weights in safetensors format. Returns false if the file cannot be written.
bool onnx_import_weights(const struct onnx_import *, FILE *out);

#endif
