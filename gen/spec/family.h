// SPDX-License-Identifier: Apache-2.0
// A family of models as data: parameters, checks, the keys of config.json and of GGUF files, and a graph with
// expressions. A family is a file of the installation (families/<name>.yaml) or of the user. docs/families.md describes
// every key. family.c reads the file, family_values.c computes the values for a model, family_graph.c expands the
// graph.
#ifndef RILL_FAMILY_H
#define RILL_FAMILY_H

#include "gen/base/schema.h"

struct spec_design;

enum {
    FAMILY_MAX_NAMES = 256,     // parameters; derived names (`let`)
    FAMILY_MAX_ITEMS = 1024,    // checks; keys of config.json or of GGUF metadata; tensors; architectures
    FAMILY_MAX_NODES = 1 << 18, // YAML nodes of an expanded graph plus the iterations of its loops
    FAMILY_MAX_INSTALLED = 64,  // families of the installation that are listed
    FAMILY_MAX_STARS = 8        // `*` in a pattern of tensor names
};

// The keys of a family's file.
extern const struct schema_table family_table;

enum family_type { FAMILY_INTEGER, FAMILY_NUMBER, FAMILY_FLAG, FAMILY_WORD };

enum { FAMILY_MAX_LIST = 64 }; // most values of a list parameter

// A parameter that the part `model` of a spec may set. struct family_value has its value: an integer or a flag in i, a
// number in f, a word in s.
struct family_parameter {
    const char *name;
    struct loc loc;
    enum family_type type;
    double from, to;    // FAMILY_INTEGER, FAMILY_NUMBER: inclusive range
    const char **words; // FAMILY_WORD: the legal words
    size_t word_count;
    const struct yaml_node *preset; // default, an expression or a value; NULL: required
    const char *doc;                // meaning; NULL: not given in the file
    // For an integer: the most values it may have. 0: it is a single value, not a list.
    int list;
};

// A derived name: its value is computed from parameters and earlier derived names.
struct family_let {
    const char *name;
    const struct yaml_node *value; // an expression
};

// A condition on the values. If the expression `that` is 0, the text `say` is the error.
struct family_check {
    struct loc loc;
    const char *of;                               // subject: a parameter, or `design.` and a key
    const struct yaml_node *that, *say, *nearest; // nearest: an expression; NULL: search for the nearest legal value
};

// The source of a key's value. KEY: the metadata of the file. The other sources use a tensor. ROWS: its number of rows.
// WITHOUT: true if the file lacks it. WITH: true if the file has it; otherwise the key counts as absent. LARGEST: its
// largest element.
enum family_source { FAMILY_KEY, FAMILY_ROWS, FAMILY_WITHOUT, FAMILY_WITH, FAMILY_LARGEST };

// A key of config.json, or of a GGUF file's metadata.
struct family_key {
    struct loc loc;
    enum family_source source; // for a GGUF file; all but FAMILY_KEY use `tensor`
    const char *tensor, *file; // file: a file of the folder that is read instead of config.json, or NULL
    const char **spelling;     // newest first; dots separate nested maps
    size_t spellings;
    // Each may be NULL. values: the only supported values. refuse: unsupported values with reasons. words: a map from
    // texts to words of the parameter. preset: the value of an absent key.
    const struct yaml_node *values, *refuse, *words, *preset;
    const struct yaml_node *each; // for a list of words: map from a word to an expression of `layer`, or NULL
    // For a list of words: a word, or NULL. The value of the key is then the place of the first item that is this word,
    // counted from 1.
    const struct yaml_node *first;
    const struct yaml_node *equals; // an expression of the values read so far, which the value must equal; or NULL
    // An expression of the values read so far, or NULL. The key is read only if it holds.
    const struct yaml_node *when;
    // NULL, or a map from a value, or `*` for any, to the first spelling of another key that must then be present.
    const struct yaml_node *needs;
    // parameter: index of the parameter whose value this key gives. most: index of the parameter for which this key
    // gives the largest value that the model was trained for. -1: none.
    int parameter, most;
    // required: the key must be present, although it has `values`. compare: if false, the key's value may differ from
    // the value in the spec.
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
    // NULL, or an expression for the number of heads: the file then stores the h rows of each head in the order 0, h/2,
    // 1, h/2 + 1, ...
    const struct yaml_node *pairs;
    bool transpose; // the file stores the transposed matrix
    double plus;    // added to each element of a vector
    // NULL, or the name of a `rope_table` of the graph: this tensor divides the table's frequencies. The tensor is only
    // compared with the scaling that the graph gives to the table. `name` is then NULL.
    const char *divides;
};

// How a family reads GGUF files.
struct family_gguf {
    const char **architecture; // values of `general.architecture`
    struct family_tensor *tensor;
    size_t architectures, tensors; // no architecture: the family reads no GGUF files
    struct family_keys metadata;
};

struct family {
    const char *name, *path;
    const struct source *source; // text of the family's file
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

// Finds and reads a family. name: of a family in the installation, or a path relative to base_dir if it has a `/` or
// ends with `.yaml`. Returns NULL after an error.
struct family *family_find(const char *name, const char *base_dir, struct loc, struct arena *, struct diag *);
// Reads a family from the text of its file. path: for messages. Returns NULL after an error.
struct family *family_read_bytes(const char *path, const void *data, size_t len, struct arena *, struct diag *);

// Writes the names of the installation's families in alphabetical order and returns their number.
size_t family_names(struct arena *, const char *words[FAMILY_MAX_INSTALLED]);

// ---- values ----

// The value of a parameter: i, f or s, as its type says.
struct family_value {
    bool known, given; // given: by a spec or a checkpoint, so it is not the default
    int64_t i;
    double f;
    const char *s;
    const int64_t *list;     // all values of a parameter with `list`; i is the first
    const struct loc *where; // the place of each value of `list` if it is from a checkpoint; NULL: from a spec
    int count;               // number of values in `list`; 0: only `i` counts, as without `list` or for a default
    const char *by;          // the key of the checkpoint that gives the value, or NULL
    int64_t most;            // from a checkpoint: largest value that was trained; 0: unknown
};
// A key that was looked up in a checkpoint.
struct family_note {
    const struct family_key *key;
    const char *spelling, *value; // value: as written in the file; NULL: the key is absent
};
struct family_notes {
    struct family_note *key; // the family's keys that were looked up, in the family's order
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

// Reads the map `model` of a spec: types, ranges, defaults, checks of parameters. Returns NULL after errors.
struct family_values *family_values_read(const struct family *, const struct yaml_node *model, struct arena *,
                                         struct diag *);
// Applies the checks of design keys. loc_of returns the place of such a key. Returns false after an error.
bool family_check_design(const struct family_values *, struct loc (*loc_of)(void *context, const char *key),
                         void *context, struct arena *, struct diag *);
// Returns whether the checks of a design key would hold for another value. Only `design.lanes` is checked; for any
// other key the result is true.
bool family_allows(const struct family_values *, const char *key, int64_t value, struct arena *);
// Computes defaults and derived values from the known parameters and applies the checks of parameters. loc: the place
// for errors in parameters that are not in `model`, which may be NULL. Returns false after an error.
bool family_derive(struct family_values *, const struct yaml_node *model, struct loc loc, struct arena *,
                   struct diag *);
// Returns the computed defaults and derived names with their values, in the family's order: `head_dim 64, queries 576`.
// Leaves out defaults that are plain values. Returns NULL if none is left.
const char *family_derived(const struct family_values *, struct arena *);
int family_find_parameter(const struct family *, const char *name); // returns the parameter's index, or -1

// Returns the family's `graph` with every expression, choice and loop resolved, in the form of `graph` in a spec.
// Places refer to the family's file. Returns NULL after errors.
const struct yaml_node *family_graph(const struct family_values *, struct arena *, struct diag *);

// ---- names in expressions ----

struct family_loop { // the variable of a surrounding loop
    const char *name;
    int64_t value;
    const struct family_loop *outer;
};
// The names that an expression may use at its place, and their values.
struct family_scope {
    const struct family_values *values;
    const struct family_loop *loop; // innermost loop; NULL: none
    bool has_layer, in_graph;       // in_graph: design keys that only affect time and cost have no value
    int64_t layer;                  // number of the repetition, from 0, if has_layer
    struct arena *arena;
    struct diag *diag; // NULL: no messages
};
// Evaluates the expression `text`, which is at `offset` in the text of the scalar `at`. Returns false after an error.
bool family_evaluate(const struct family_scope *, const struct yaml_node *at, const char *text, size_t offset,
                     int64_t *value);
// Returns the text of a scalar with every `{expression}` replaced by its value. If `layer` has no value yet, an
// expression with `layer` stays in braces, with all other names replaced. Returns NULL after an error.
const char *family_text(const struct family_scope *, const struct yaml_node *at);

// ---- config.json ----

// Reads the values from a checkpoint's config.json or a GGUF file's metadata (dir: the folder, or the file). Reports
// what is missing, has the wrong type, or is not supported by the family, and then returns NULL.
struct family_values *family_config_read(const struct family *, const char *dir, struct arena *, struct diag *);
// Returns the kind of model that a checkpoint names: `model_type` of config.json, or the architecture of a GGUF file.
// It is "" if the file does not name any. Returns NULL after an error.
const char *family_checkpoint_kind(const char *source, struct arena *, struct diag *);
// Returns the key with this first spelling, or NULL.
const struct family_key *family_find_key(const struct family_keys *, const char *spelling);
// Returns whether the key of config.json names the kind of model.
bool family_key_is_kind(const struct family_key *);
// Returns whether the family supports checkpoints of this kind. source: path of the checkpoint, by which GGUF files are
// told from folders with a config.json.
bool family_is_for(const struct family *, const char *source, const char *kind);
// Returns the kinds that the family supports in such a checkpoint, separated by commas.
const char *family_kinds(const struct family *, const char *source, struct arena *);
// Returns a value as it is written in a spec.
const char *family_value_text(struct arena *, const struct family_parameter *, const struct family_value *);
// Reports every value of the checkpoint (`have`) that differs from the spec's (`want`). Returns true if none differs.
// dir: the checkpoint, as in family_config_read.
bool family_config_check(const struct family_values *have, const struct family_values *want, const char *dir,
                         struct arena *, struct diag *);

#endif
