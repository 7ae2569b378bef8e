// SPDX-License-Identifier: Apache-2.0
// Converts the state of a request between two positions to bytes and back: keys, values and scales of all earlier
// positions, cache by cache in the order of nodes and repetitions.
#include <string.h>

#include "gen/ir/ops.h"
#include "verif/replay/replay_internal.h"

// One cache of the graph, and the bytes of integers and of scales that it has for each position.
struct stored {
    const struct replay_cache *cache;
    size_t integers, scales;
};

// Finds the next cache and advances *node and *repetition past it. Both must be 0 in the first call. Returns false
// after the last cache.
static bool next_cache(const struct replay *run, int *node, int64_t *repetition, struct stored *s) {
    const struct ir *ir = run->ir;
    for (; *node < ir->nodes; ++*node, *repetition = 0) {
        const struct ir_node *n = &ir->node[*node];
        int64_t repeat = n->region == IR_NONE ? 1 : ir->region[n->region].repeat;
        if (run->cache[*node] == NULL || *repetition == repeat) continue;
        const struct ir_tensor *t = &ir->tensor[n->out[0]];
        *s = (struct stored){&run->cache[*node][*repetition], (size_t)ir_tensor_elements(t),
                             (size_t)t->shape[0].bound * sizeof(float)};
        ++*repetition;
        return true;
    }
    return false;
}

void replay_store(const struct replay *run, int64_t positions, struct text *out) {
    struct stored s;
    int node = 0;
    for (int64_t repetition = 0; next_cache(run, &node, &repetition, &s);) {
        text_add_bytes(out, s.cache->q, (size_t)positions * s.integers);
        text_add_bytes(out, s.cache->scale, (size_t)positions * s.scales);
    }
}

// Returns the size of the state after `positions` positions.
static size_t bytes_of(const struct replay *run, int64_t positions) {
    struct stored s;
    size_t bytes = 0;
    int node = 0;
    for (int64_t repetition = 0; next_cache(run, &node, &repetition, &s);)
        bytes += (size_t)positions * (s.integers + s.scales);
    return bytes;
}

// Restores the first `positions` positions of each cache from bytes that hold `stored` positions. Returns false if the
// bytes do not fit the graph, or if positions > stored.
bool replay_restore(struct replay *run, const char *bytes, size_t size, int64_t stored, int64_t positions) {
    struct stored s;
    int node = 0;
    if (positions > stored || size != bytes_of(run, stored)) return false;
    for (int64_t repetition = 0; next_cache(run, &node, &repetition, &s);) {
        memcpy(s.cache->q, bytes, (size_t)positions * s.integers);
        bytes += (size_t)stored * s.integers;
        memcpy(s.cache->scale, bytes, (size_t)positions * s.scales);
        bytes += (size_t)stored * s.scales;
    }
    replay_begin_at(run);
    return true;
}
