// SPDX-License-Identifier: Apache-2.0
#include "gen/pass/tile.h"

#include <string.h>

static int64_t floor_power(int64_t n) {
    int64_t p = 1;
    while (p <= n / 2) p *= 2;
    return p;
}

int64_t tile_work(const struct tile_node *node) {
    int64_t work = 1;
    for (int l = 0; l < node->loops; l++) work *= node->trip[l];
    return work;
}

// ---- banks ----

static int64_t common_multiple(int64_t a, int64_t b) {
    int64_t x = a, y = b;
    while (y) {
        int64_t rest = x % y;
        x = y;
        y = rest;
    }
    return a / x * b;
}

// Elements that are touched side by side lie in banks of their own: dealt out cyclically over the span of a step.
static void partition(const struct tile_node *node, const struct tile_access *a, int64_t factor[]) {
    for (int d = 0; d < a->dims; d++) {
        int64_t u = node->unroll[a->loop[d]];
        factor[d] = common_multiple(factor[d], u > 1 ? u * a->stride[d] : 1);
    }
}

static int64_t banks(const int64_t factor[], int dims) {
    int64_t n = 1;
    for (int d = 0; d < dims; d++) n *= factor[d];
    return n;
}

static void partition_array(const struct tile_node *node, int nodes, int array, int64_t factor[]) {
    for (int d = 0; d < TILE_MAX_DIMS; d++) factor[d] = 1;
    for (int n = 0; n < nodes; n++)
        for (int a = 0; a < node[n].accesses && node[n].factor; a++)
            if (node[n].access[a].array == array) partition(&node[n], &node[n].access[a], factor);
}

// Banks of the arrays that node n touches, the nodes without a factor left out.
static int64_t touched_banks(const struct tile_node *node, int nodes, int n) {
    int64_t sum = 0;
    for (int a = 0; a < node[n].accesses; a++) {
        int64_t factor[TILE_MAX_DIMS];
        bool seen = false;
        for (int b = 0; b < a; b++) seen |= node[n].access[b].array == node[n].access[a].array;
        if (seen) continue;
        partition_array(node, nodes, node[n].access[a].array, factor);
        sum += banks(factor, node[n].access[a].dims);
    }
    return sum;
}

// ---- unrolls ----

struct search {
    struct tile_node *node;
    int nodes, n;
    bool aware;
    int64_t best_reduced, best_banks, best_sum;
    int64_t best[TILE_MAX_LOOPS];
};

// Better: less of a reduction unrolled, then fewer banks, then more even, then the first found (outer loops with the
// smaller factors).
static void weigh(struct search *s) {
    const struct tile_node *node = &s->node[s->n];
    int64_t reduced = 1, sum = 0, used = s->aware ? touched_banks(s->node, s->nodes, s->n) : 0;
    for (int l = 0; l < node->loops; l++) {
        if (node->reduces[l]) reduced *= node->unroll[l];
        sum += node->unroll[l];
    }
    bool better =
        s->best_sum == 0 || reduced < s->best_reduced ||
        (reduced == s->best_reduced && (used < s->best_banks || (used == s->best_banks && sum < s->best_sum)));
    if (!better) return;
    s->best_reduced = reduced;
    s->best_banks = used;
    s->best_sum = sum;
    memcpy(s->best, node->unroll, sizeof s->best);
}

static void try_loop(struct search *s, int loop, int64_t left) {
    struct tile_node *node = &s->node[s->n];
    if (loop == node->loops) {
        if (left == 1) weigh(s);
        return;
    }
    for (int64_t u = 1; u <= left && node->trip[loop] % u == 0; u *= 2) {
        node->unroll[loop] = u;
        try_loop(s, loop + 1, left / u);
    }
    node->unroll[loop] = 1;
}

static void choose_unrolls(struct tile_node *node, int nodes, int n, int64_t factor, bool aware) {
    struct search s = {.node = node, .nodes = nodes, .n = n, .aware = aware};
    for (node[n].factor = floor_power(factor); s.best_sum == 0;
         node[n].factor /= 2) { // less where the trip counts do not allow it
        try_loop(&s, 0, node[n].factor);
        if (s.best_sum) break;
    }
    memcpy(node[n].unroll, s.best, sizeof s.best);
}

static void choose_order(struct tile_node *node) {
    int at = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int l = 0; l < node->loops; l++)
            if (node->reduces[l] == (pass == 0)) node->order[at++] = l;
}

// The next node: the one with most work that has no factor yet.
static int next_node(const struct tile_node *node, int nodes) {
    int most = -1;
    for (int n = 0; n < nodes; n++)
        if (!node[n].factor && (most < 0 || tile_work(&node[n]) > tile_work(&node[most]))) most = n;
    return most;
}

void tile_plan(struct tile_node *node, int nodes, struct tile_array *array, int arrays, int64_t budget, bool aware) {
    for (int n = 0; n < nodes; n++) node[n].factor = 0;
    int first = next_node(node, nodes);
    int64_t most = first < 0 ? 1 : tile_work(&node[first]);
    for (int n = first; n >= 0; n = next_node(node, nodes)) {
        int64_t share = aware ? budget * tile_work(&node[n]) / most : budget;
        choose_unrolls(node, nodes, n, share > 1 ? share : 1, aware);
        choose_order(&node[n]);
    }
    for (int a = 0; a < arrays; a++) {
        partition_array(node, nodes, a, array[a].partition);
        array[a].banks = banks(array[a].partition, array[a].dims);
    }
}
