// SPDX-License-Identifier: Apache-2.0
// A custom kernel as the `kernels` part of a spec declares it: an operation whose RTL module is a Verilog file of
// its author. The texts of its files are part of it, so that a dump of the IR is whole.
#ifndef RILL_CUSTOM_H
#define RILL_CUSTOM_H

#include "gen/base/diag.h"

enum {
    CUSTOM_MAX_PORTS = 8,
    CUSTOM_MAX_PARAMS = 16,
    CUSTOM_MAX_VECTORS = 4,
    CUSTOM_MAX_FILES = 16,
    CUSTOM_MAX_RANK = 3,
    CUSTOM_FILE_BYTES = 1 << 20
};

enum custom_type { CUSTOM_FP32, CUSTOM_INT8, CUSTOM_TYPES };

// An expression (expression.h) with its place.
struct custom_expr {
    const char *text; // NULL: not given
    struct loc loc;
};

struct custom_port { // streams s_axis_<name> or m_axis_<name>
    const char *name;
    struct loc loc;
    int type;    // enum custom_type
    int extents; // 0: of an input any shape, of the output the first input's
    struct custom_expr shape[CUSTOM_MAX_RANK];
};

struct custom_param {
    const char *name;
    struct loc loc;
    struct custom_expr value; // "required": every operation gives it
};

struct custom_vector { // vector parameter: an operation gives its tensor in the attribute of this name
    const char *name;
    struct loc loc;
    struct custom_expr elements; // the same for all of a kernel
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
    struct custom_vector vector[CUSTOM_MAX_VECTORS]; // stream s_axis_param, where there is one
    struct custom_file file[CUSTOM_MAX_FILES];
    bool elementwise; // element i of the output is of the inputs' elements i alone
    bool step;        // takes step words: stream s_axis_step
    bool fetch;       // reads rows of a table: streams m_axis_fetch, s_axis_fetch
    int lanes;        // sum of the numbers of lanes that it can have
    int tokens;       // the same of T
    // Timing: words are per token; docs/kernels.md.
    struct custom_expr latency;  // cycles from the last word that an output word needs to its offer
    struct custom_expr group;    // words of the first input that it takes before it gives something; "firing": all
    struct custom_expr interval; // cycles from a word taken, or given, to the next
    struct custom_expr buffers;  // groups that it holds
    struct custom_expr ask;      // cycles from a step word, or the firing before, to the request of the first row
    struct custom_expr ask_next; // from a request to the next
    struct custom_expr held;     // from the last beat of the rows to the first word that is taken
    // Golden function; NULL: there is none, and streams are compared around the kernel.
    const char *function;
    struct custom_file golden;
    bool has_resources;
    int64_t lut, ff, dsp, bram18, uram;
};

#endif
