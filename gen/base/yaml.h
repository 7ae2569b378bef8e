// SPDX-License-Identifier: Apache-2.0
// YAML: reads a file into a tree that keeps every node's place, gives typed access with diagnostics, and writes YAML. A
// file is one document of maps with plain keys, sequences and scalars. The reader refuses anchors, aliases, tags,
// duplicate keys, and files that exceed a limit (YAML_MAX_DEPTH and so on). Trees live in the arena of the call.
//
// libyaml's header has the same name. A file that needs both defines RILL_YAML_LIBRARY before it includes this one. A
// file that needs only libyaml defines RILL_YAML_LIBRARY_ALONE.
#if defined(RILL_YAML_LIBRARY) || defined(RILL_YAML_LIBRARY_ALONE)
#include_next <yaml.h>
#endif
#if !defined(RILL_YAML_H) && !defined(RILL_YAML_LIBRARY_ALONE)
#define RILL_YAML_H

#include "gen/base/base.h"
#include "gen/base/diag.h"

enum { YAML_MAX_DEPTH = 64, YAML_MAX_BYTES = 16 << 20, YAML_MAX_NODES = 1 << 20 };

enum yaml_kind { YAML_KIND_SCALAR, YAML_KIND_SEQ, YAML_KIND_MAP };

struct yaml_node {
    enum yaml_kind kind;
    struct loc loc;           // location of the value
    uint32_t last_line;       // line on which the value ends, with its bracket; 0 if no reader made the node
    const char *text;         // scalar: its characters, NUL terminated (embedded NULs are refused)
    bool quoted;              // scalar: written with quotes or as a block, so it is always a string
    size_t count;             // sequence: items; map: pairs
    struct yaml_node **items; // sequence: items; map: values
    const char **keys;        // map: keys, in file order
    struct loc *key_locs;     // map: locations of the keys
};

// Reads a file and returns its root. Returns NULL after an error: the file cannot be read, or is not legal YAML.
struct yaml_node *yaml_read_file(const char *path, struct arena *arena, struct diag *diag);
// Like yaml_read_file, from memory. name: for diagnostics.
struct yaml_node *yaml_read_bytes(const char *name, const void *data, size_t len, struct arena *arena,
                                  struct diag *diag);

// ---- access; no diagnostics ----
const struct yaml_node *yaml_get(const struct yaml_node *map, const char *key); // NULL: absent, or not a map
// Returns the location of the key, or of the map if the key is absent.
struct loc yaml_key_loc(const struct yaml_node *map, const char *key);
const char *yaml_kind_name(const struct yaml_node *node); // "a map", "a list", "nothing" (for null) or "a value"
bool yaml_is_null(const struct yaml_node *node);          // ~, null or nothing
// These read a plain scalar as a number or truth value, by the rules of the typed readers below. They return false if
// the scalar has another form, and leave *out unchanged.
bool yaml_parse_int(const struct yaml_node *node, int64_t *out);  // decimal or 0x
bool yaml_parse_float(const struct yaml_node *node, double *out); // finite; C syntax, also 0x1.8p-3
bool yaml_parse_bool(const struct yaml_node *node, bool *out);    // true, false
// Finds the nearest integer from min to max for a node that should be an integer but is another number. Returns false
// if the node is not a number.
bool yaml_nearest_int(const struct yaml_node *node, int64_t min, int64_t max, int64_t *out);

// ---- typed readers: they return false after an error in diag; `what` names the value in messages, such as
// "design.lanes" ----
bool yaml_expect(const struct yaml_node *node, enum yaml_kind kind, const char *what, struct diag *diag);
// Expects a list or map with `least` to `most` items.
bool yaml_expect_items(const struct yaml_node *node, enum yaml_kind kind, size_t least, size_t most, const char *what,
                       struct diag *diag);
// Reads an integer from min to max.
bool yaml_int(const struct yaml_node *node, int64_t min, int64_t max, const char *what, int64_t *out,
              struct diag *diag);
// Reads an integer from 0 to max, or a list of 1 to `most` distinct such integers, into `out`, which has room for
// `most`. *count is their number.
bool yaml_ids(const struct yaml_node *node, int64_t max, int most, const char *what, int64_t out[], int *count,
              struct diag *diag);
// Reads a finite number from min to max.
bool yaml_float(const struct yaml_node *node, double min, double max, const char *what, double *out, struct diag *diag);
bool yaml_bool(const struct yaml_node *node, const char *what, bool *out, struct diag *diag);
// Sets *out to the text of a scalar, which lives as long as the tree.
bool yaml_string(const struct yaml_node *node, const char *what, const char **out, struct diag *diag);
// Reads one of a list of words; *out is its index.
bool yaml_word(const struct yaml_node *node, const char *const *words, size_t count, const char *what, int *out,
               struct diag *diag);
// A key of another file format, and a note that names the corresponding key of this format.
struct yaml_foreign {
    const char *key, *note;
};
// Reports every key of the map that is not in keys. If the key is in `foreign` (a list that ends with a NULL key, or
// NULL), its note is added; otherwise a note suggests the likely spelling. Returns true if all keys are known.
bool yaml_check_keys(const struct yaml_node *map, const char *const *keys, size_t count,
                     const struct yaml_foreign *foreign, const char *what, struct diag *diag);
// Returns whether a key that yaml_check_keys reported is likely a misspelling of `key`, which the map lacks. A caller
// then does not report the missing key as well.
bool yaml_is_misspelt(const struct yaml_node *map, const char *key, const char *const *keys, size_t count);

// ---- writer: yaml_read_bytes reads the written text back as an equal tree. Containers are in block style, `flow`
// containers on one line. A call out of order is an internal error ----
struct yaml_writer {
    struct text *out;
    int depth; // open containers
    struct {
        bool map, flow, empty; // empty: no item was written yet
        bool same_line;        // the first item follows the "- " of the surrounding list on the same line
    } stack[YAML_MAX_DEPTH];
    bool after_key; // the next item is the value of a key just written
};
void yaml_writer_init(struct yaml_writer *w, struct text *out);
void yaml_write_comment(struct yaml_writer *w, const char *line); // only at top level
void yaml_write_key(struct yaml_writer *w, const char *key);
void yaml_write_string(struct yaml_writer *w, const char *s); // quoted if it would read as something else
void yaml_write_int(struct yaml_writer *w, int64_t v);
void yaml_write_float(struct yaml_writer *w, double v); // shortest text that reads back to the same double
void yaml_write_bool(struct yaml_writer *w, bool v);
void yaml_begin_map(struct yaml_writer *w, bool flow); // containers inside a flow container also print as flow
void yaml_begin_seq(struct yaml_writer *w, bool flow);
void yaml_end(struct yaml_writer *w);

#endif
