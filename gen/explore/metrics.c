// SPDX-License-Identifier: Apache-2.0
// The figures that can be goals or limits of a search, and the comparisons of results with limits and with each other.
#include <string.h>

#include "gen/explore/explore.h"

const struct explore_metric_row explore_metric[EXPLORE_METRICS] = {
#define METRIC(name, key, up, title, decimals, help) {key, title, help, up, decimals},
#include "gen/explore/metrics.def"
#undef METRIC
};

int explore_find_metric(const char *key, size_t len) {
    for (int m = 0; m < EXPLORE_METRICS; m++)
        if (strlen(explore_metric[m].key) == len && !strncmp(explore_metric[m].key, key, len)) return m;
    return -1;
}

const char *explore_metric_hint(struct arena *arena, const char *key) {
    const char *keys[EXPLORE_METRICS], *list = "";
    for (int m = 0; m < EXPLORE_METRICS; m++) {
        keys[m] = explore_metric[m].key;
        list = arena_printf(arena, "%s%s%s", list, m ? ", " : "", keys[m]);
    }
    const char *near = diag_nearest_word(key, keys, EXPLORE_METRICS);
    return near ? arena_printf(arena, "did you mean `%s`?", near) : arena_printf(arena, "the figures are %s", list);
}

// Returns the amount by which the value misses the limit: as a share of the limit if the limit is above 1, otherwise
// the amount itself. Returns 0 if the value does not miss the limit.
static double missing(const struct explore_limit *l, double value) {
    double gap = l->most ? value - l->value : l->value - value, scale = l->value > 1 ? l->value : 1;
    return gap > 0 ? gap / scale : 0;
}

// Returns the sum of `missing` over all limits of the search.
static double misses(const struct explore *x, const double *value) {
    double sum = 0;
    for (int i = 0; i < x->limits; i++) sum += missing(&x->limit[i], value[x->limit[i].metric]);
    return sum;
}

bool explore_excluded(const struct explore *x, const struct explore_result *r) {
    return misses(x, r->bound) > 0 || (!x->over && !r->fits);
}

bool explore_meets(const struct explore *x, const struct explore_result *r) {
    return r->legal && misses(x, r->value) <= 0 && (x->over || r->fits);
}

double explore_misses(const struct explore *x, const struct explore_result *r) {
    return misses(x, r->value) + (x->over ? 0 : r->beyond);
}

bool explore_dominates(const struct explore *x, const double *a, const double *b) {
    bool better = false;
    for (int g = 0; g < x->goals; g++) {
        int m = x->goal[g];
        double gain = explore_metric[m].up ? a[m] - b[m] : b[m] - a[m];
        if (gain < 0) return false;
        better |= gain > 0;
    }
    return better;
}
