// SPDX-License-Identifier: Apache-2.0
// Converts an ONNX file to a spec: the graph in the operations of the graph language, its weights, and a table of all
// operators (docs/onnx.md).
#ifndef RILL_ONNX_H
#define RILL_ONNX_H

#include "gen/base/diag.h"

enum { ONNX_MAX_DIMS = 32 };
struct onnx_options {
    const char *source; // the file
    const char *name;   // name of the design; NULL: that of the file
    struct onnx_given {
        const char *name;
        double value;
        // dim: sizes of axes that have no number in the file. set: inputs that become constants, all of whose elements
        // have the value.
    } dim[ONNX_MAX_DIMS], set[ONNX_MAX_DIMS];
    int dims, sets;
    bool cut; // if not all of the graph can be written, take the part with the most nodes that can
};

// The design keys of the spec.
struct onnx_design {
    const char *board;
    int channels, lanes, tokens;
    int tensor_rows; // above 1: rows of a tensor share reads of the weights, two at a time (A: 2)
};

struct onnx_import;

// Recognizes an ONNX file by the ending of its name, because the format has no magic number.
bool onnx_is_model(const char *path);
// Reads and converts the whole file. NULL after an error: the file is not well formed, or something in it cannot be
// written. *table lists all operators with what is missing; it is empty if the file was not read.
struct onnx_import *onnx_import_read(const struct onnx_options *, struct arena *, struct text *table, struct diag *);
const char *onnx_import_name(const struct onnx_import *);
int64_t onnx_import_weight_bytes(const struct onnx_import *); // bytes of all products' weights, one byte per weight
// Writes the spec's text.
void onnx_import_spec(const struct onnx_import *, const struct onnx_design *, struct text *out);
// Writes the weights in safetensors format. False if the file cannot be written.
bool onnx_import_weights(const struct onnx_import *, FILE *out);

#endif
