// SPDX-License-Identifier: Apache-2.0
// A family of models as data: parameters, checks, keys of config.json, and a graph with expressions. It is a file of
// the installation (families/<name>.yaml) or of the user. docs/families.md describes every key.
#ifndef RILL_FAMILY_H
#define RILL_FAMILY_H

#include "gen/base/schema.h"

struct spec_design;

enum {
    FAMILY_MAX_NAMES = 256,     // parameters, and equally many derived values
    FAMILY_MAX_ITEMS = 1024,    // checks; keys of config.json or of GGUF metadata; tensors; architectures
    FAMILY_MAX_NODES = 1 << 18, // nodes of a graph generated from a family, and passes of its loops
    FAMILY_MAX_INSTALLED = 64,
    FAMILY_MAX_STARS = 8 // `*` in a pattern of tensor names
};

// The keys of a family's file.
extern const struct schema_table family_table;

enum family_type { FAMILY_INTEGER, FAMILY_NUMBER, FAMILY_FLAG, FAMILY_WORD };

enum { FAMILY_MAX_LIST = 64 }; // most values of a list parameter

// A parameter that `model` may set. An integer or a flag has its value in i, a number in f, a word in s.
struct family_parameter {
    const char *name;
    struct loc loc;
    enum family_type type;
    double from, to;
    const char **words;
    size_t word_count;
    const struct yaml_node *preset; // default, an expression or a value; NULL: required
    const char *doc;                // meaning; NULL: not given in the file
    // For an integer: the most values it may have. 0: it is a single value, not a list.
    int list;
};

struct family_let {
    const char *name;
    const struct yaml_node *value; // an expression
};

struct family_check {
    struct loc loc;
    const char *of;                               // subject: a parameter, or `design.` and a key
    const struct yaml_node *that, *say, *nearest; // nearest: an expression; NULL: search for the nearest legal value
};

// Where the value of a key comes from: the metadata of the file (FAMILY_KEY), or `tensor`: its number of rows, whether
// it is absent, whether it is present (if not, the key counts as absent), or its largest element.
enum family_source { FAMILY_KEY, FAMILY_ROWS, FAMILY_WITHOUT, FAMILY_WITH, FAMILY_LARGEST };

// A key of config.json, or of a GGUF file's metadata.
struct family_key {
    struct loc loc;
    enum family_source source; // for a GGUF file; all but FAMILY_KEY use `tensor`
    const char *tensor, *file; // file: a file of the folder that is read instead of config.json, or NULL
    const char **spelling;     // newest first; dots separate nested maps
    size_t spellings;
    const struct yaml_node *values, *refuse, *words, *preset; // each may be NULL
    const struct yaml_node *each; // for a list of words: word -> expression of `layer`, or NULL
    // For a list of words: a word. The value is the place of the first item with it, counted from 1. Or NULL.
    const struct yaml_node *first;
    const struct yaml_node *equals; // an expression of the values read so far, or NULL
    // An expression of the values read so far, or NULL. The key is read only if it holds.
    const struct yaml_node *when;
    // Map from a value, or `*` for any, to the first spelling of another key that must then be present. Or NULL.
    const struct yaml_node *needs;
    // parameter: index of the parameter whose value this key gives. most: index of the one whose largest useful value
    // it gives. -1: none.
    int parameter, most;
    // required: the key must be present, although it has `values`. compare: if false, it may differ from the value in
    // the spec.
    bool required, compare;
};
struct family_keys {
    struct family_key *item;
    size_t count;
};

// Gives tensors of a GGUF file their names in the graph: those that match `pattern` are read as `name`.
struct family_tensor {
    struct loc loc;
    // Every `*` of the pattern matches a piece between dots and is inserted at the `*` of the name.
    const char *pattern, *name;
    // An expression: the number of heads, if the file stores the rows of each head in the order 0, h/2, 1, h/2 + 1, ...
    // for h rows. NULL: it does not.
    const struct yaml_node *pairs;
    bool transpose; // the file stores the transposed matrix
    double plus;    // added to each element of a vector
    // The graph's table of angles whose frequencies this tensor divides, and which must agree with it; or NULL.
    const char *divides;
};

// How a family reads GGUF files.
struct family_gguf {
    const char **architecture;
    struct family_tensor *tensor;
    size_t architectures, tensors; // no architecture: the family reads no GGUF files
    struct family_keys metadata;
};

struct family {
    const char *name, *path;
    const struct source *source; // its text
    struct family_parameter *parameter;
    struct family_let *let;
    struct family_check *check;
    struct family_keys config;
    struct family_gguf gguf;
    size_t parameters, lets, checks;
    const struct yaml_node *graph;
    // Custom kernels, in the form of `kernels` in a spec, with paths relative to this file; or NULL.
    const struct yaml_node *kernels;
};

// name: of a family in the installation, or a path relative to base_dir if it has a `/` or ends with `.yaml`. NULL
// after an error.
struct family *family_find(const char *name, const char *base_dir, struct loc, struct arena *, struct diag *);
struct family *family_read_bytes(const char *path, const void *data, size_t len, struct arena *, struct diag *);

// Writes the names of the installation's families in alphabetical order and returns their number.
size_t family_names(struct arena *, const char *words[FAMILY_MAX_INSTALLED]);

// ---- values ----

struct family_value {
    bool known, given; // given: not a default
    int64_t i;
    double f;
    const char *s;
    const int64_t *list; // all values of a parameter with `list`; i is the first
    // The place of each value, for values from a checkpoint. NULL: from a spec.
    const struct loc *where;
    int count;      // number of values in `list`; 0: only `i` counts, as without `list` or for a default
    const char *by; // the key of the checkpoint that gives it, or NULL
    int64_t most;   // from a checkpoint: largest value that was trained; 0: unknown
};
// A key that was looked up in a checkpoint.
struct family_note {
    const struct family_key *key;
    const char *spelling, *value; // value: as written in the file; NULL: the key is absent
};
struct family_notes {
    struct family_note *key; // in the family's order
    const char **unread;     // keys of the file that the family does not use
    size_t keys, unreads;
};
struct family_values {
    const struct family *family;
    struct family_value *parameter;   // [parameters]
    int64_t *let;                     // [lets]
    size_t lets;                      // number of lets that are known
    const struct spec_design *design; // NULL: not known yet
    struct family_notes notes;        // only for a checkpoint
};

// Reads the map `model` of a spec: types, ranges, defaults, checks of parameters. NULL after errors.
struct family_values *family_values_read(const struct family *, const struct yaml_node *model, struct arena *,
                                         struct diag *);
// Applies the checks of design keys. loc_of gives the places of these keys.
bool family_check_design(const struct family_values *, struct loc (*loc_of)(void *context, const char *key),
                         void *context, struct arena *, struct diag *);
// Whether the checks of this design key would hold for another value. Only `design.lanes` is checked; for any other key
// the answer is true.
bool family_allows(const struct family_values *, const char *key, int64_t value, struct arena *);
// Computes defaults and derived values from the known parameters and applies the checks of parameters. loc: the place
// for errors in parameters that `model` (NULL: none) does not give.
bool family_derive(struct family_values *, const struct yaml_node *model, struct loc loc, struct arena *,
                   struct diag *);
// Properties of the model that follow from the spec without being in it: `head_dim 64, queries 576`, in the family's
// order. Defaults that are plain values are left out. NULL: there are none.
const char *family_derived(const struct family_values *, struct arena *);
int family_find_parameter(const struct family *, const char *name); // -1: unknown

// The family's `graph` with every expression, choice and loop resolved, in the form of `graph` in a spec. Places refer
// to the family's file. NULL after errors.
const struct yaml_node *family_graph(const struct family_values *, struct arena *, struct diag *);

// ---- names in expressions ----

struct family_loop { // the variable of a surrounding loop
    const char *name;
    int64_t value;
    const struct family_loop *outer;
};
struct family_scope {
    const struct family_values *values;
    const struct family_loop *loop;
    bool has_layer, in_graph; // in_graph: design keys that only affect time and cost have no value
    int64_t layer;
    struct arena *arena;
    struct diag *diag; // NULL: no messages
};
// Evaluates an expression that is at `offset` in the text of a scalar.
bool family_evaluate(const struct family_scope *, const struct yaml_node *at, const char *text, size_t offset,
                     int64_t *value);
// Returns a text with every `{expression}` replaced by its value. Where `layer` has no value yet, expressions of
// `layer` stay, with all other names replaced. NULL after an error.
const char *family_text(const struct family_scope *, const struct yaml_node *at);

// ---- config.json ----

// Reads the values from a checkpoint's config.json or a GGUF file's metadata (dir: the folder, or the file). NULL after
// reporting what is missing, has the wrong type, or is not supported by the family.
struct family_values *family_config_read(const struct family *, const char *dir, struct arena *, struct diag *);
// The kind of model that a checkpoint names: `model_type` of config.json, or the architecture of a GGUF file. It is
// empty if the file does not name any. NULL after an error.
const char *family_checkpoint_kind(const char *source, struct arena *, struct diag *);
// The key with this first spelling; NULL: none.
const struct family_key *family_find_key(const struct family_keys *, const char *spelling);
// Whether the key of config.json names the kind of model.
bool family_key_is_kind(const struct family_key *);
// Whether the family supports checkpoints of this kind.
bool family_is_for(const struct family *, const char *source, const char *kind);
// The kinds that the family supports, separated by commas.
const char *family_kinds(const struct family *, const char *source, struct arena *);
// A value in the form of a spec.
const char *family_value_text(struct arena *, const struct family_parameter *, const struct family_value *);
// Reports every value in which the checkpoint differs from the wanted values. True if all are equal.
bool family_config_check(const struct family_values *have, const struct family_values *want, const char *dir,
                         struct arena *, struct diag *);

#endif
