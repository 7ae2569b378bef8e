// SPDX-License-Identifier: Apache-2.0
// The attentions of a graph and the caches of their keys and values. An attention is a chain of operations: attn_scores
// (products of the query with the keys), softmax, and attn_values (the sum of the values with these weights). The
// arguments `scores` and `values` are nodes of these operations. A cache has one layer for every repetition of every
// attention that it serves. Layers of keys are in the program order of attn_scores, layers of values in that of
// attn_values. Attentions on one engine share a cache. With an engine for each product, every attention has its own
// cache.
#ifndef RILL_KV_H
#define RILL_KV_H

#include "gen/ir/ir.h"

enum {
    KV_MAX_LAYERS = FIELD_MOST(ENGINE_KV_LAYER) + 1, // most layers of a cache
    KV_MAX_STEP = FIELD_MOST(ENGINE_KV_STEP),        // most attentions of one repeated region
    KV_MAX_ROWS = FIELD_MOST(VTAIL_ROW) + 1          // most rows of the V tail in a layer
};

// These return another operation of an attention: its softmax or its attn_values, given the attn_scores, or its
// attn_scores, given the attn_values. They return IR_NONE if there is none, or more than one.
int kv_softmax_of(const struct ir *, int scores);
int kv_values_of(const struct ir *, int scores);
int kv_scores_of(const struct ir *, int values);
// Returns the number of query heads of an attn_scores that an engine takes together, as tokens of one firing, in a step
// of one token. These heads read one key and value head. 1: each head is computed separately.
int kv_together(const struct ir *, int scores);

// The cache that an attn_scores or attn_values reads.
struct kv_cache {
    int unit;            // index among the design's caches
    int64_t layer, step; // its layer in the first repetition, and the number of layers from one repetition to the next
    int64_t layers;      // layers of the cache
    int64_t heads;       // most heads of a layer
    int64_t head_dim;    // elements of the longest head
};
struct kv_cache kv_cache_of(const struct ir *, int node);
int kv_units(const struct ir *);                 // caches of the design
int kv_unit_scores(const struct ir *, int unit); // the cache's first attn_scores; IR_NONE: no such cache
int64_t kv_layers(const struct ir *, int unit);  // layers of the cache; 0 without attention
// Returns the name for a kernel of a cache: the given NAME if the design has one cache, else SCORES_NAME, where SCORES
// is the name of the cache's first attn_scores.
const char *kv_name(const struct ir *, int unit, const char *);
int kv_net(struct ir *, int unit, enum ir_net_role); // the net of a cache, made if it does not exist yet
// Returns a cache's writer (KERNEL_KEYS, KERNEL_VALUES); IR_NONE before it is made.
int kv_kernel(const struct ir *, int unit, unsigned trait);
// Sets the window parameters of a kernel that reads a cache: the sliding window of a token in each layer, in positions.
// Sets nothing if no layer has a window.
void kv_set_windows(struct ir *, int unit, int kernel);
// Returns whether the kernel merges keys or values of several attentions into one stream.
bool kv_is_mux(const struct ir *, int kernel);

#endif
