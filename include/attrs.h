// SPDX-License-Identifier: Apache-2.0
// Attributes of operations: named integers, numbers, strings, words of a choice, lists of integers.
#ifndef RILL_ATTRS_H
#define RILL_ATTRS_H

#include <stddef.h>
#include <stdint.h>

#include "include/diag.h"

struct ir;

enum ir_attr_kind {
    IR_ATTR_INT,
    IR_ATTR_FLOAT,
    IR_ATTR_STRING,
    IR_ATTR_LIST, // of integers
    IR_ATTR_WORD  // one of the words that the operations table lists: an enumeration of choices.h
};

struct ir_attr {
    const char *key;
    enum ir_attr_kind kind;
    int64_t i; // of a word: its place among the legal ones, -1 where it is none of them
    double f;
    const char *s; // of a word: as it is written
    const int64_t *list;
    int items;
    struct loc loc;
};

struct ir_attrs {
    struct ir_attr *item;
    int count;
    size_t capacity;
};

void ir_attr_set_int(struct ir *, struct ir_attrs *, const char *key, int64_t);
void ir_attr_set_float(struct ir *, struct ir_attrs *, const char *key, double);
void ir_attr_set_string(struct ir *, struct ir_attrs *, const char *key, const char *);
void ir_attr_set_list(struct ir *, struct ir_attrs *, const char *key, const int64_t list[], int items); // copied
void ir_attr_set_word(struct ir *, struct ir_attrs *, const char *key, int choice, const char *word);
const struct ir_attr *ir_attr_find(const struct ir_attrs *, const char *key);
int64_t ir_attr_int(const struct ir_attrs *, const char *key, int64_t fallback);
double ir_attr_float(const struct ir_attrs *, const char *key, double fallback);
const char *ir_attr_string(const struct ir_attrs *, const char *key, const char *fallback); // of a word too: as written
int ir_attr_choice(const struct ir_attrs *, const char *key, int fallback);                 // enumerator of a word
// Of an integer that may differ from repetition to repetition: its value in one of them.
int64_t ir_attr_each(const struct ir_attrs *, const char *key, int64_t repetition, int64_t fallback);
// The numbers of a list; their count, 0 if it is absent or none.
int ir_attr_list(const struct ir_attrs *, const char *key, int64_t out[], int most);

#endif
