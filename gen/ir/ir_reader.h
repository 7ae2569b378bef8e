// SPDX-License-Identifier: Apache-2.0
// The state of reading the IR from its text, and functions that read the values of a YAML map. ir_read.c uses them.
// Errors are reported as they are found, and reading goes on, so that one run shows several of them.
#ifndef RILL_IR_READER_H
#define RILL_IR_READER_H

#include "gen/ir/ir.h"
#include "gen/base/yaml.h"

// Lists whose items are referred to by name.
enum list { NODES, REGIONS, TENSORS, KERNELS, ENGINES, DIES, LISTS };

struct reader {
    struct arena *arena;
    struct diag *diag;
    bool ok; // no error so far
    struct ir *ir;
    struct { // the names of the items in each list
        const char **name;
        int count;
    } list[LISTS];
};

// Each of these functions reads the value at a key of a map. After an error, which it reports, it clears `ok` and
// returns 0, false or an empty text. If the key is missing, reader_optional returns NULL, reader_text "", reader_style
// RAM_AUTO, reader_count `absent`, reader_flag false and reader_ints 0; for the other functions this is an error.
// reader_word returns the index of the word in `words`. reader_ints and reader_extents fill out[] and return the number
// of items. Texts are copied into the arena.
int64_t reader_int(struct reader *r, const struct yaml_node *map, const char *key);
double reader_float(struct reader *r, const struct yaml_node *map, const char *key, double min, double max);
const char *reader_string(struct reader *r, const struct yaml_node *map, const char *key);
const char *reader_optional(struct reader *r, const struct yaml_node *map, const char *key);
const char *reader_text(struct reader *r, const struct yaml_node *map, const char *key);
int reader_word(struct reader *r, const struct yaml_node *map, const char *key, const char *const *words, size_t count);
enum ram_style reader_style(struct reader *r, const struct yaml_node *map, const char *key);
// Returns the number of items in a list. It is an error if `list` is NULL, is not a list or has more than `max` items;
// the result is then 0.
size_t reader_list_count(struct reader *r, const struct yaml_node *list, size_t max);
// Returns item i of a list as an integer.
int64_t reader_item_int(struct reader *r, const struct yaml_node *list, size_t i);
int reader_ints(struct reader *r, const struct yaml_node *map, const char *key, int *out, size_t max);
int64_t reader_count(struct reader *r, const struct yaml_node *map, const char *key, int64_t absent);
bool reader_flag(struct reader *r, const struct yaml_node *map, const char *key);
// Reports that the value at a key is wrong. what: why it is wrong, such as "no net".
void reader_wrong(struct reader *r, const struct yaml_node *node, const char *key, const char *what);
int reader_extents(struct reader *r, const struct yaml_node *map, const char *key, struct ir_extent *out, size_t max);
// Reports keys of the map that are not in `keys`. what: the name of the map in messages.
void reader_check_keys(struct reader *r, const struct yaml_node *map, const char *const *keys, size_t count,
                       const char *what);

#endif
