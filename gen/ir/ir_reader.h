// SPDX-License-Identifier: Apache-2.0
// Shared state for reading the IR from its text, and access to the values of a map. After an error `ok` is false.
#ifndef RILL_IR_READER_H
#define RILL_IR_READER_H

#include "gen/ir/ir.h"
#include "gen/base/yaml.h"

// Lists whose items are referred to by name.
enum list { NODES, REGIONS, TENSORS, KERNELS, ENGINES, DIES, LISTS };

struct reader {
    struct arena *arena;
    struct diag *diag;
    bool ok;
    struct ir *ir;
    struct { // the names of each list
        const char **name;
        int count;
    } list[LISTS];
};

// Each of these functions reads the value at a key of a map. After an error, which it reports, it returns 0, false or
// an empty text. If the key is missing, reader_optional returns NULL, reader_text "", reader_style RAM_AUTO,
// reader_count `absent`, reader_flag false and reader_ints 0; for the other functions this is an error.
int64_t reader_int(struct reader *r, const struct yaml_node *map, const char *key);
double reader_float(struct reader *r, const struct yaml_node *map, const char *key, double min, double max);
const char *reader_string(struct reader *r, const struct yaml_node *map, const char *key);
const char *reader_optional(struct reader *r, const struct yaml_node *map, const char *key);
const char *reader_text(struct reader *r, const struct yaml_node *map, const char *key);
int reader_word(struct reader *r, const struct yaml_node *map, const char *key, const char *const *words, size_t count);
enum ram_style reader_style(struct reader *r, const struct yaml_node *map, const char *key);
// Returns the number of items of a list that must have at most max. 0 after an error.
size_t reader_list_count(struct reader *r, const struct yaml_node *list, size_t max);
int64_t reader_item_int(struct reader *r, const struct yaml_node *list, size_t i);
int reader_ints(struct reader *r, const struct yaml_node *map, const char *key, int *out, size_t max);
int64_t reader_count(struct reader *r, const struct yaml_node *map, const char *key, int64_t absent);
bool reader_flag(struct reader *r, const struct yaml_node *map, const char *key);
// Reports that the value at a key is wrong. what: why it is wrong, such as "no net".
void reader_wrong(struct reader *r, const struct yaml_node *node, const char *key, const char *what);
int reader_extents(struct reader *r, const struct yaml_node *map, const char *key, struct ir_extent *out, size_t max);
// Reports keys that are not in the list. what: the name of the map in messages.
void reader_check_keys(struct reader *r, const struct yaml_node *map, const char *const *keys, size_t count,
                       const char *what);

#endif
