// SPDX-License-Identifier: Apache-2.0
// A family of models as data: parameters, checks, keys of config.json and a graph with expressions, out of a file of
// the installation (families/<name>.yaml) or of the user's. docs/models.md describes every key.
#ifndef RILL_FAMILY_H
#define RILL_FAMILY_H

#include "gen/base/schema.h"

struct spec_design;

enum {
    FAMILY_MAX_NAMES = 256,     // parameters, and as many derived ones
    FAMILY_MAX_ITEMS = 1024,    // checks, keys of config.json
    FAMILY_MAX_NODES = 1 << 18, // of a graph that is made from a family
    FAMILY_MAX_INSTALLED = 64,
    FAMILY_MAX_STARS = 8 // of a pattern of names
};

// What a family's file may hold.
extern const struct schema_table family_table;

enum family_type { FAMILY_INTEGER, FAMILY_NUMBER, FAMILY_FLAG, FAMILY_WORD };

enum { FAMILY_MAX_LIST = 64 };

// What `model` may say. An integer or a flag has its value in i, a number in f, a word in s.
struct family_parameter {
    const char *name;
    struct loc loc;
    enum family_type type;
    double from, to;
    const char **words;
    size_t word_count;
    const struct yaml_node *preset; // an expression or a value; NULL: required
    const char *doc;                // what it means; NULL: the file does not say
    int list;                       // an integer: values that it may have at most; 0: one, and it is no list
};

struct family_let {
    const char *name;
    const struct yaml_node *value; // an expression
};

struct family_check {
    struct loc loc;
    const char *of;                               // a parameter, or `design.` and a key
    const struct yaml_node *that, *say, *nearest; // nearest: an expression, or NULL: searched for
};

// Where the value of a key stands: in the metadata, or it is told by the tensors.
enum family_source { FAMILY_KEY, FAMILY_ROWS, FAMILY_WITHOUT, FAMILY_WITH, FAMILY_LARGEST };

// A key of config.json, or of a GGUF file's metadata.
struct family_key {
    struct loc loc;
    enum family_source source; // of a GGUF file; all but FAMILY_KEY: of `tensor`
    const char *tensor, *file; // file: of the folder, that stands in for config.json; or NULL
    const char **spelling;     // the newest first; with dots: maps within maps
    size_t spellings;
    const struct yaml_node *values, *refuse, *words, *preset; // each may be NULL
    const struct yaml_node *each;   // of a list of words: word -> expression of `layer`, or NULL
    const struct yaml_node *equals; // an expression of what was read so far, or NULL
    const struct yaml_node *when;   // an expression of what was read so far: else the key is not read; or NULL
    const struct yaml_node *needs;  // value, or `*` -> the first spelling of a key that must be there too; or NULL
    int parameter, most;            // that it is; that it is the largest useful value of. -1: none
    bool required, compare;
};
struct family_keys {
    struct family_key *item;
    size_t count;
};

// Tensors of a GGUF file whose names match are those that the graph reads by another name.
struct family_tensor {
    struct loc loc;
    const char *pattern, *name;    // every `*` of the pattern, a piece between dots, stands in the name again
    const struct yaml_node *pairs; // an expression: heads whose rows lie in pairs, or NULL
    bool transpose;                // the file holds the transposed matrix
    double plus;                   // added to each element of a vector
    const char *divides; // the graph's table of angles whose frequencies it divides, and which must be it; or NULL
};

// How a family reads GGUF files.
struct family_gguf {
    const char **architecture;
    struct family_tensor *tensor;
    size_t architectures, tensors; // no architecture: the family does not read them
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
    const struct yaml_node *kernels; // custom kernels, as `kernels` of a spec with paths relative to this file; or NULL
};

// name: of the installation, or with a `/` or the ending `.yaml` a path relative to base_dir. NULL after an error.
struct family *family_find(const char *name, const char *base_dir, struct loc, struct arena *, struct diag *);
struct family *family_read_bytes(const char *path, const void *data, size_t len, struct arena *, struct diag *);

// Names of the installation's families, in alphabetical order; their number.
size_t family_names(struct arena *, const char *words[FAMILY_MAX_INSTALLED]);

// ---- values ----

struct family_value {
    bool known, given; // given: not by default
    int64_t i;
    double f;
    const char *s;
    const int64_t *list; // of a parameter with `list`: all of its values, the first is i too
    int count;           // of them; 0: by default, i alone
    const char *by;      // of a checkpoint: the key that gives it; NULL: none does
    int64_t most;        // of a checkpoint: beyond it nothing was trained; 0: it does not say
};
// A key that a checkpoint was asked for.
struct family_note {
    const struct family_key *key;
    const char *spelling, *value; // value: as the file has it; NULL: the key is absent
};
struct family_notes {
    struct family_note *key; // in the family's order
    const char **unread;     // the file's keys that the family does not ask for
    size_t keys, unreads;
};
struct family_values {
    const struct family *family;
    struct family_value *parameter;   // [parameters]
    int64_t *let;                     // [lets]
    size_t lets;                      // that are known
    const struct spec_design *design; // NULL: not known yet
    struct family_notes notes;        // of a checkpoint
};

// Of the map `model` of a spec: types, ranges, defaults, checks of parameters. NULL after errors.
struct family_values *family_values_read(const struct family *, const struct yaml_node *model, struct arena *,
                                         struct diag *);
// The checks of design.<key>s; loc_of tells the places of the design's keys.
bool family_check_design(const struct family_values *, struct loc (*loc_of)(void *context, const char *key),
                         void *context, struct arena *, struct diag *);
// Whether the checks of this design key hold with another value of it.
bool family_allows(const struct family_values *, const char *key, int64_t value, struct arena *);
// Defaults and derived values of parameters that are known; the checks of parameters. loc: of what is wrong, where a
// parameter was not given by `model` (NULL: none).
bool family_derive(struct family_values *, const struct yaml_node *model, struct loc loc, struct arena *,
                   struct diag *);
// What of the model the spec does not say and follows from what it does: `head_dim 64, queries 576`, in the family's
// order. Defaults that are plain values are not in it. NULL: nothing.
const char *family_derived(const struct family_values *, struct arena *);
int family_find_parameter(const struct family *, const char *name); // -1: none

// The family's `graph` with every expression, choice and loop resolved: what `graph` of a spec may be. Places are the
// family's. NULL after errors.
const struct yaml_node *family_graph(const struct family_values *, struct arena *, struct diag *);

// ---- names in expressions ----

struct family_loop { // a name of a loop around the place
    const char *name;
    int64_t value;
    const struct family_loop *outer;
};
struct family_scope {
    const struct family_values *values;
    const struct family_loop *loop;
    bool has_layer, in_graph; // in_graph: keys of the design that decide time and cost have no value
    int64_t layer;
    struct arena *arena;
    struct diag *diag; // NULL: silent
};
// The value of an expression that stands at an offset of a scalar.
bool family_evaluate(const struct family_scope *, const struct yaml_node *at, const char *text, size_t offset,
                     int64_t *value);
// A text with `{expression}`s in it; expressions of `layer` keep it. NULL after an error.
const char *family_text(const struct family_scope *, const struct yaml_node *at);

// ---- config.json ----

// The values that a checkpoint's config.json, or a GGUF file's metadata, give (dir: the folder, or the file). NULL
// after reporting what is missing, ill typed or not computed by the family.
struct family_values *family_config_read(const struct family *, const char *dir, struct arena *, struct diag *);
// The kind of model that a checkpoint says it is: `model_type` of config.json, or the architecture of a GGUF file.
// NULL after an error; what the file does not say is an empty text.
const char *family_checkpoint_kind(const char *source, struct arena *, struct diag *);
// The key whose first spelling it is; NULL: none.
const struct family_key *family_find_key(const struct family_keys *, const char *spelling);
// Whether a key of config.json says it.
bool family_key_is_kind(const struct family_key *);
// Whether the family is for checkpoints of this kind.
bool family_is_for(const struct family *, const char *source, const char *kind);
// The kinds that it is for, with commas between.
const char *family_kinds(const struct family *, const char *source, struct arena *);
// A value as a spec may say it.
const char *family_value_text(struct arena *, const struct family_parameter *, const struct family_value *);
// Reports every value in which the checkpoint differs from the wanted ones. True when equal.
bool family_config_check(const struct family_values *have, const struct family_values *want, const char *dir,
                         struct arena *, struct diag *);

#endif
