// SPDX-License-Identifier: Apache-2.0
// A custom kernel, as declared in the `kernels` part of a spec: an operation whose RTL module is in a Verilog file of
// the user. docs/kernels.md describes every key. Files are stored with their texts, so that a dump of the IR is
// complete. gen/spec/kernels.c fills the structs from a spec, and gen/ir/custom_text.c fills them from a dump.
#ifndef RILL_CUSTOM_H
#define RILL_CUSTOM_H

#include "gen/base/diag.h"

// Limits of a custom kernel.
enum {
    CUSTOM_MAX_PORTS = 8, // inputs or outputs
    CUSTOM_MAX_PARAMS = 16,
    CUSTOM_MAX_VECTORS = 4,
    CUSTOM_MAX_FILES = 16,      // Verilog files
    CUSTOM_MAX_RANK = 3,        // extents of a stream's shape
    CUSTOM_FILE_BYTES = 1 << 20 // bytes of a file
};

enum custom_type { CUSTOM_FP32, CUSTOM_INT8, CUSTOM_TYPES };

// An expression (expression.h) and its place.
struct custom_expr {
    const char *text; // NULL: not given
    struct loc loc;
};

struct custom_port { // streams s_axis_<name> or m_axis_<name>
    const char *name;
    struct loc loc;
    int type;    // enum custom_type
    int extents; // number of extents in `shape`; 0: an input accepts any shape, an output has the first input's shape
    struct custom_expr shape[CUSTOM_MAX_RANK];
};

struct custom_param {
    const char *name;
    struct loc loc;
    struct custom_expr value; // default value; the text "required" means that every operation must give a value
};

struct custom_vector { // vector parameter: an operation names its tensor in the attribute of this name
    const char *name;
    struct loc loc;
    struct custom_expr elements; // equal for all vectors of a kernel
};

struct custom_file {
    const char *name; // without folders
    const char *text;
    const struct source *source; // the file itself, for messages
};

struct custom {
    const char *name, *module;
    struct loc loc;
    int inputs, outputs, params, vectors, files;
    struct custom_port in[CUSTOM_MAX_PORTS], out[CUSTOM_MAX_PORTS];
    struct custom_param param[CUSTOM_MAX_PARAMS];
    struct custom_vector vector[CUSTOM_MAX_VECTORS]; // stream s_axis_param, if there are any
    struct custom_file file[CUSTOM_MAX_FILES];
    bool elementwise; // element i of the output depends only on element i of the inputs
    bool step;        // takes step words: stream s_axis_step
    bool fetch;       // reads rows of a table: streams m_axis_fetch, s_axis_fetch
    int lanes;        // a set: the sum of the numbers of lanes (powers of two) that the kernel supports
    int tokens;       // a set: the sum of the values of T (powers of two) that the kernel supports
    // Timing contract. Words are per token (docs/kernels.md). An expression without text is not given.
    // Cycles from accepting the last word that an output word needs until offering that word.
    struct custom_expr latency;
    // Words of the first input that the kernel takes before it outputs anything; "firing": all of them.
    struct custom_expr group;
    struct custom_expr interval; // cycles from one word to the next, at an input and at an output
    struct custom_expr buffers;  // groups that the kernel stores
    // Cycles from a step word, or from the last word of the previous firing, to the request for the first row.
    struct custom_expr ask;
    struct custom_expr ask_next; // cycles from one request to the next
    struct custom_expr held;     // cycles from the last beat of the rows to the first word taken
    // Name of the golden function and the C file that defines it. NULL: there is none, and only the streams around the
    // kernel are compared.
    const char *function;
    struct custom_file golden;
    bool has_resources; // the spec gives the resources of one instance of the module
    int64_t lut, ff, dsp, bram18, uram;
};

#endif
