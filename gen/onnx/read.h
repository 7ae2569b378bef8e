// SPDX-License-Identifier: Apache-2.0
// Declarations shared by read.c, which reads the messages of an ONNX file, and tensor.c, which reads its constants.
// wire.h has the format below the messages.
#ifndef RILL_ONNX_READ_H
#define RILL_ONNX_READ_H

#include "gen/onnx/model.h"
#include "gen/onnx/wire.h"

// A file outside the ONNX file that has data of constants.
struct read_side_file {
    const char *name;
    const uint8_t *data;
    size_t len;
};

// The state of reading one ONNX file.
struct reader {
    struct arena *arena;
    struct diag *diag;
    struct onnx_model *model;
    const uint8_t *base;             // start of the file's bytes
    struct wire file;                // all of it
    VEC(struct read_side_file) side; // files with data of constants that were read so far
    bool failed;                     // an error was reported; reading stops
    int depth;                       // number of bodies around the place that is being read
};
typedef VEC(int64_t) read_int_list;

// Reports an error at a byte of the file, if it is the first one. Returns false.
bool read_fault(struct reader *, const uint8_t *at, const char *why);
// Takes the next field of a message. Returns false at the end of the message and after an error.
bool read_next(struct reader *, struct wire *, struct wire_field *);
// Returns whether the field has this type, and reports an error if not. The three functions after it do the same for
// the type that they expect; after an error they return an empty text, 0, and false.
bool read_is(struct reader *, const struct wire_field *, enum wire_type);
const char *read_text(struct reader *, const struct wire_field *);
int64_t read_int(struct reader *, const struct wire_field *);
bool read_ints(struct reader *, const struct wire_field *, read_int_list *); // appends one number or a packed list
float read_float(uint64_t bits);                                             // from the bits of fp32

// Reads a constant (a TensorProto). Its data may be in another file. After an error, `failed` is set.
struct onnx_tensor read_tensor(struct reader *, struct wire);

#endif
