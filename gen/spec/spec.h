// SPDX-License-Identifier: Apache-2.0
// The design spec, read and checked: a model (a family and its parameters) or a graph, a board, and the keys of the
// design. docs/spec.md describes every key. This reader does not know the operations; gen/ir checks their names, arity
// and attributes when it turns the graph into IR. Everything lives in the arena of the call.
#ifndef RILL_SPEC_H
#define RILL_SPEC_H

#include "gen/spec/choices.h"
#include "gen/spec/custom.h"
#include "gen/device/device.h"
#include "gen/base/diag.h"
#include "gen/spec/family.h"

// The steps in which a region runs: all, or only those that produce a token (the last one of a prompt, decode steps).
enum spec_when { SPEC_ALWAYS, SPEC_LAST };

// Bounds for every design, from docs/numerics.md section 5, the fields of include/fields.def, and the limits of a
// graph.
enum {
    SPEC_MAX_CONTEXT = 65535, // positions
    SPEC_MAX_CHANNELS = 32,
    SPEC_MAX_RESIDENT = 256, // lanes of all engines with weights on chip
    SPEC_MAX_SLOTS = 16,
    SPEC_MAX_PORTS = 8, // inputs or outputs of a graph or an operation; carried tensors of a region
    SPEC_MAX_REGIONS = 64,
    SPEC_MAX_OPS = 4096, // in all regions
    SPEC_MAX_KERNELS = 64,
    SPEC_MAX_RANK = 3,
    SPEC_MAX_ELEMENTS = 1 << 20, // of an input, per position
    SPEC_MAX_ID = (1 << 20) - 1  // largest number of a token
};

struct spec_model {
    struct loc loc; // place of `model` in the spec
    struct family *family;
    struct family_values *values;
};

// An entry of the map `design.weights`: the format of the weights whose names match a pattern.
struct spec_format_rule {
    const char *pattern; // `*` matches any characters
    struct loc loc;
    int format; // enum spec_format
};

// The keys of `design`. gen/spec/design.c has their ranges, defaults and meanings.
struct spec_design {
    double clock_mhz;
    int channels;  // HBM pseudo-channels, 1 to 32; each feeds one lane of a matrix engine
    int beat_bits; // 256, 512
    int lanes;     // fp32 lanes of vector streams: 1, 2, 4, ... 32
    // Total number of fp32 lanes of the kernels whose number of lanes is free. The pass that distributes them gives the
    // slowest kernels more. 0: each kernel has `lanes`.
    int unroll;
    int tokens;            // key T: most tokens (or rows) of a step: 1, 2, 4, 8
    int copies;            // key A: tokens that a weight beat serves in one cycle: 1, 2, 4; divides T or tensor_rows
    int pump;              // products per multiplier and cycle: 1, 2
    int query_heads;       // most query heads that share one read of keys and values in steps of one token
    int tensor_rows;       // most rows of a tensor that share one read of weights in steps of one token: 1, 2, 4, 8
    int bmm_rows;          // most rows of its first operand that a `bmm` multiplies at the same time: 1, 2, 4, 8, 16
    int weights, head, kv; // enum spec_format
    int embedding;         // enum spec_table_format
    int activations;       // enum spec_activations
    int group;             // values of an operand that share an exponent; int4 weights of a row that share a scale
    int binding;           // enum spec_binding
    int resident;          // enum spec_resident
    int resident_lanes;    // lanes of all resident engines together; 0: as many as channels
    int fifo;              // enum spec_fifo
    int prefetch_beats;    // depth of each channel's prefetch FIFO in beats
    int max_burst;         // longest read burst in beats
    int outstanding;       // most read bursts in flight of a read engine
    int dies;              // dies to spread the design over; 1: no partition
    int crossings;         // enum spec_crossings
    int reserve;           // enum spec_reserve
    size_t rules;          // number of items of `rule`: formats of weights by name
    // The last rule that matches a tensor decides its format. If none matches, `weights` does.
    struct spec_format_rule *rule;
    int sampling;         // largest top-k of a request; 0: the design does not sample
    int logprobs;         // most likely tokens whose log probabilities a record has; 0: there are no records
    int drafts;           // most drafts of a decode step; 0: none
    int draft_confidence; // confidence in drafts when a request begins
    int host_drafts;      // 1: the host can predict tokens, which become drafts; 0: it cannot
    int slots;            // requests that the design holds at the same time
    int prefix;           // 1: a request can keep positions of the request before it (kept prefix); 0: it cannot
    int on_chip_kib;      // KiB that a group of operations may store on chip; 0: no limit, one group
};

// A name with its place.
struct spec_name {
    const char *text;
    struct loc loc;
};

// The value of an attribute of an operation.
enum spec_value_type { SPEC_VALUE_INT, SPEC_VALUE_FLOAT, SPEC_VALUE_BOOL, SPEC_VALUE_STRING, SPEC_VALUE_LIST };
struct spec_value {
    enum spec_value_type type;
    struct loc loc;
    int64_t i;                // INT, BOOL (0, 1)
    double f;                 // FLOAT; also set for INT (converted)
    const char *s;            // STRING; for other scalars the text as written
    bool quoted;              // STRING: written in quotes
    size_t count;             // LIST: number of items
    struct spec_value *items; // LIST: scalars
};

struct spec_attr {
    struct spec_name key;
    struct spec_value value;
};

struct spec_op {
    struct spec_name op; // the operation's name
    struct loc loc;      // location of the whole item in the list `ops`
    size_t out_count, in_count, attr_count;
    struct spec_name *outs, *ins; // tensor names
    struct spec_attr *attrs;      // every key except op, name, out and in, in the order of the file
    const struct spec_op *of;     // the composite operation that expands into this one, as in the spec; NULL: none
};

// A tensor that one repetition of a region hands to the next.
struct spec_carry {
    struct spec_name name; // used in the region; its value is `init` in the first repetition, then the previous `next`
    struct spec_name init, next;
};

// A region: operations that run `repeat` times in a step, such as the layers of a model.
struct spec_region {
    struct spec_name name;
    int repeat; // >= 1
    int when;   // enum spec_when
    size_t carry_count, op_count;
    struct spec_carry *carries;
    struct spec_op *ops;
};

struct spec_input { // an input of the graph, with fp32 values
    struct spec_name name;
    size_t rank;
    int *shape; // [rank], of the value at one position
};

// Names of the tensors in a checkpoint.
struct spec_weights {
    const char *prefix;  // prefix that names in the checkpoint may have, or NULL
    const char **unused; // patterns of tensors that the graph need not use, and texts `NAME = OTHER` for equal copies
    size_t unused_count;
};

struct spec_graph {
    int context;        // most positions (or rows) of a request; 0: not given
    struct end_ids eot; // end-of-text ids of a language model
    struct spec_weights weights;
    size_t input_count, output_count, region_count;
    struct spec_input *inputs;
    struct spec_name *outputs;
    struct spec_region *regions;
};

struct rill_spec {
    const char *path;         // of the spec's file
    const char *name;         // of the design
    struct spec_model *model; // NULL: the spec has a graph
    struct spec_graph *graph; // from the spec, or from the model's family
    struct custom *kernels;   // custom kernels (custom.h)
    size_t kernel_count;
    struct rill_device *device; // the board
    struct spec_design design;
    const struct yaml_node *root; // the YAML tree, for spec_place
};

// Reads and checks a spec, with the board and the family that it names. Returns NULL after errors. A returned spec
// violates no rule that can be checked without knowing the operations.
struct rill_spec *rill_spec_read(const char *path, struct arena *arena, struct diag *diag);
// Like rill_spec_read, from memory. path: for messages and as the base of relative paths.
struct rill_spec *rill_spec_read_bytes(const char *path, const void *data, size_t len, struct arena *arena,
                                       struct diag *diag);
// Returns the location of the value at a dotted path ("design.lanes"), or of its nearest parent that the file has.
struct loc spec_place(const struct rill_spec *spec, const char *path);
// Adds a note with the location of `model` in the spec if the last error is in the family's file.
void spec_note_model(const struct rill_spec *spec, struct diag *diag);

#endif
