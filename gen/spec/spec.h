// SPDX-License-Identifier: Apache-2.0
// The design spec, read and checked: a model (a family and its parameters) or a graph, a board, and the design's
// parameters. docs/spec.md describes every key. This reader does not know the operations: their names, arity and
// attributes are checked when the graph becomes IR.
#ifndef RILL_SPEC_H
#define RILL_SPEC_H

#include "gen/spec/choices.h"
#include "gen/spec/custom.h"
#include "gen/device/device.h"
#include "gen/base/diag.h"
#include "gen/spec/family.h"

enum spec_when { SPEC_ALWAYS, SPEC_LAST };

// Bounds for every design, from docs/numerics.md section 5, the fields of include/fields.def, and the limits of a
// graph.
enum {
    SPEC_MAX_CONTEXT = 65535,
    SPEC_MAX_CHANNELS = 32,
    SPEC_MAX_SLOTS = 16,
    SPEC_MAX_PORTS = 8, // inputs or outputs of a graph or an operation; carried tensors of a region
    SPEC_MAX_REGIONS = 64,
    SPEC_MAX_OPS = 4096, // in all regions
    SPEC_MAX_KERNELS = 64,
    SPEC_MAX_RANK = 3,
    SPEC_MAX_ELEMENTS = 1 << 20, // of an input, per position
    SPEC_MAX_ID = (1 << 20) - 1
};

struct spec_model {
    struct loc loc;
    struct family *family;
    struct family_values *values;
};

struct spec_format_rule {
    const char *pattern; // of tensor names; `*` matches any characters
    struct loc loc;
    int format; // enum spec_format
};

struct spec_design {
    double clock_mhz;
    int channels;  // HBM pseudo-channels = matrix lanes, 1..32
    int beat_bits; // 256, 512
    int lanes;     // fp32 lanes of vector streams: 1, 2, 4, ... 32
    // fp32 lanes for all kernels with a free choice, given to the slowest first; 0: each kernel has `lanes`.
    int unroll;
    int tokens;            // key T: tokens per step: 1, 2, 4, 8
    int copies;            // key A: tokens that a weight beat serves in one cycle: 1, 2, 4; divides T
    int pump;              // products per multiplier and cycle: 1, 2
    int query_heads;       // most query heads that share one read of keys and values in steps of one token
    int tensor_rows;       // most rows of a tensor that share one read of weights in steps of one token: 1, 2, 4, 8
    int weights, head, kv; // enum spec_format
    int embedding;         // enum spec_table_format
    int activations;       // enum spec_activations
    int group;             // values that share an exponent (and, at int4, a group scale)
    int binding;           // enum spec_binding
    int fifo;              // enum spec_fifo
    int prefetch_beats;    // depth of each channel's prefetch FIFO
    int max_burst;         // beats
    int outstanding;       // bursts in flight of a read engine
    int dies;              // dies to spread the design over; 1: no partition
    int crossings;         // enum spec_crossings
    size_t rules;          // formats of weights by name; the last matching rule decides, else `weights`
    struct spec_format_rule *rule;
    int sampling;    // longest candidate list that ids are sampled from; 0: greedy only
    int drafts;      // most drafts of a decode step; 0: none
    int slots;       // requests at the same time
    int prefix;      // 1: a request can keep positions of the request before it; else 0
    int on_chip_kib; // KiB that a group of operations may store on chip; 0: no limit, one group
};

// A name with its place.
struct spec_name {
    const char *text;
    struct loc loc;
};

enum spec_value_type { SPEC_VALUE_INT, SPEC_VALUE_FLOAT, SPEC_VALUE_BOOL, SPEC_VALUE_STRING, SPEC_VALUE_LIST };
struct spec_value {
    enum spec_value_type type;
    struct loc loc;
    int64_t i;                // INT, BOOL (0, 1)
    double f;                 // FLOAT; also set for INT (converted)
    const char *s;            // STRING; for other scalars the text as written
    bool quoted;              // STRING: written in quotes
    size_t count;             // LIST
    struct spec_value *items; // LIST
};

struct spec_attr {
    struct spec_name key;
    struct spec_value value;
};

struct spec_op {
    struct spec_name op; // the operation's name
    struct loc loc;      // of the whole item
    size_t out_count, in_count, attr_count;
    struct spec_name *outs, *ins; // tensor names
    struct spec_attr *attrs;      // every key except op, name, out and in; file order
    const struct spec_op *of;     // for a step of a composite: the operation in the spec that it is part of; else NULL
};

struct spec_carry {
    struct spec_name name; // local to the region: `init` in the first repetition, then `next` of the previous one
    struct spec_name init, next;
};

struct spec_region {
    struct spec_name name;
    int repeat; // >= 1
    int when;   // enum spec_when
    size_t carry_count, op_count;
    struct spec_carry *carries;
    struct spec_op *ops;
};

struct spec_input {
    struct spec_name name;
    size_t rank;
    int *shape; // per position; fp32 values
};

// Names of the tensors in a checkpoint.
struct spec_weights {
    const char *prefix;  // prefix that names in the checkpoint may have, or NULL
    const char **unused; // patterns of tensors that nothing reads
    size_t unused_count;
};

struct spec_graph {
    int context; // bound of positions; 0: not given
    struct end_ids eot;
    struct spec_weights weights;
    size_t input_count, output_count, region_count;
    struct spec_input *inputs;
    struct spec_name *outputs;
    struct spec_region *regions;
};

struct rill_spec {
    const char *path;
    const char *name;
    struct spec_model *model; // NULL: the spec has a graph
    struct spec_graph *graph; // from the spec, or from the model's family
    struct custom *kernels;   // custom kernels (custom.h)
    size_t kernel_count;
    struct rill_device *device;
    struct spec_design design;
    const struct yaml_node *root; // the YAML tree, for spec_place
};

// Reads and checks a spec. NULL after errors in diag; a spec that is returned is valid by itself.
struct rill_spec *rill_spec_read(const char *path, struct arena *arena, struct diag *diag);
// Like rill_spec_read, from memory (tests, fuzzing).
struct rill_spec *rill_spec_read_bytes(const char *path, const void *data, size_t len, struct arena *arena,
                                       struct diag *diag);
// Place of the value at a dotted path ("design.lanes"), or of its nearest parent in the file.
struct loc spec_place(const struct rill_spec *spec, const char *path);
// After an error whose place is in the model's family: adds a note with the place of `model` in the spec.
void spec_note_model(const struct rill_spec *spec, struct diag *diag);

#endif
