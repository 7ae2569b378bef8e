// SPDX-License-Identifier: Apache-2.0
// What tokenizer.c and tokenizer_load.c share.
#ifndef RILL_TOKENIZER_INTERNAL_H
#define RILL_TOKENIZER_INTERNAL_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "tokenizer.h"

#define TOKENIZER_EOT "<|endoftext|>"
#define TOKENIZER_NONE UINT32_MAX

struct tokenizer_token {
    const char *bytes; // NULL: no token has this id
    size_t len;
};

// Two adjacent ids become one; the lower rank goes first.
struct tokenizer_merge {
    uint32_t left, right, merged, rank;
};

struct tokenizer {
    struct arena *arena;
    size_t vocab;
    struct tokenizer_token *tokens; // [vocab]
    uint32_t byte_id[256];
    int64_t eot;
    struct tokenizer_merge *merges; // open hash table, rank TOKENIZER_NONE: free
    size_t merge_slots;             // a power of two
    pcre2_code *pattern;            // NULL: one id per byte
    pcre2_match_data *match;
};

static inline size_t tokenizer_merge_slot(const struct tokenizer *t, uint32_t left, uint32_t right) {
    uint64_t key = ((uint64_t)left << 32 | right) * 0x9e3779b97f4a7c15u;
    return (size_t)(key >> 32) & (t->merge_slots - 1);
}

// The entry of a pair, or the free one where it belongs.
static inline struct tokenizer_merge *tokenizer_merge_place(const struct tokenizer *t, uint32_t left, uint32_t right) {
    size_t i = tokenizer_merge_slot(t, left, right);
    while (t->merges[i].rank != TOKENIZER_NONE && (t->merges[i].left != left || t->merges[i].right != right))
        i = (i + 1) & (t->merge_slots - 1);
    return &t->merges[i];
}

static inline const struct tokenizer_merge *tokenizer_find_merge(const struct tokenizer *t, uint32_t left,
                                                                 uint32_t right) {
    const struct tokenizer_merge *merge = tokenizer_merge_place(t, left, right);
    return merge->rank == TOKENIZER_NONE ? NULL : merge;
}

#endif
