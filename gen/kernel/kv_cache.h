// SPDX-License-Identifier: Apache-2.0
// Attentions of a graph and the caches of their keys and values. A cache has layers: one for every repetition of every
// attention that it serves, keys in the program order of attn_scores, values in that of attn_values. Attentions on one
// engine share a cache; with an engine for each product every attention has its own.
#ifndef RILL_KV_H
#define RILL_KV_H

#include "gen/ir/ir.h"

enum {
    KV_MAX_LAYERS = FIELD_MOST(ENGINE_KV_LAYER) + 1, // of a cache
    KV_MAX_STEP = FIELD_MOST(ENGINE_KV_STEP),        // attentions of one repeated region
    KV_MAX_ROWS = FIELD_MOST(VTAIL_ROW) + 1          // of the V tail in a layer
};

// The nodes that belong together: keys and scores, softmax, values. IR_NONE: there is none, or more than one.
int kv_softmax_of(const struct ir *, int scores);
int kv_values_of(const struct ir *, int scores);
int kv_scores_of(const struct ir *, int values);
// Query heads of an attn_scores that an engine takes together in a step of one token, as its tokens: they read one key
// and value head, and nothing but this attention reads what lies between. 1: each for itself.
int kv_together(const struct ir *, int scores);

// What an attn_scores or attn_values reads.
struct kv_cache {
    int unit;            // of the design's caches
    int64_t layer, step; // its layer in the first repetition, and how many further it is in the next one
    int64_t layers;      // of the cache
    int64_t heads;       // the most that a layer has
    int64_t head_dim;    // the longest
};
struct kv_cache kv_cache_of(const struct ir *, int node);
int kv_units(const struct ir *);                 // caches of the design
int kv_unit_scores(const struct ir *, int unit); // its first attn_scores
int64_t kv_layers(const struct ir *, int unit);  // 0 without attention
const char *kv_name(const struct ir *, int unit,
                    const char *); // of a kernel: itself where there is one cache, else with the scores' name before it
int kv_net(struct ir *, int unit, enum ir_net_role); // of a cache, made where there is none yet
int kv_kernel(const struct ir *, int unit,
              unsigned trait); // a cache's writer (KERNEL_KEYS, KERNEL_VALUES), IR_NONE before it is made
// Parameters of who reads a cache: what a token sees in each of its layers. None where there are no windows.
void kv_set_windows(struct ir *, int unit, int kernel);
bool kv_is_mux(const struct ir *, int kernel); // brings keys or values of several attentions into one stream

#endif
