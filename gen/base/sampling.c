// SPDX-License-Identifier: Apache-2.0
// Options of sampling: read once for all commands.
#include "include/sampling.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool read_float(const char *text, float *value) {
    char *end;
    *value = strtof(text, &end);
    return end != text && !*end;
}

static bool read_whole(const char *text, uint64_t most, uint64_t *value) {
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && !errno && *value <= most;
}

static const char *set_temperature(struct sampling *s, const char *text) {
    float t;
    if (!read_float(text, &t) || !(t == 0 || (t >= 0.01f && t <= 100)))
        return "--temperature takes 0 (the most likely id) or 0.01 to 100";
    float inverse = t > 0 ? 1 / t : 0;
    memcpy(&s->inverse, &inverse, sizeof inverse);
    return NULL;
}

static const char *set_min_p(struct sampling *s, const char *text) {
    float p;
    if (!read_float(text, &p) || !(p == 0 || (p >= 1e-30f && p <= 1))) return "--min-p takes 0 (none) or 1e-30 to 1";
    p = p > 0 ? p : 0; // no negative zero
    memcpy(&s->min_p, &p, sizeof p);
    return NULL;
}

bool sampling_option(struct sampling *s, const char *option, const char *value, const char **why) {
    uint64_t n = 0;
    *why = NULL;
    if (!strcmp(option, "--temperature")) *why = set_temperature(s, value);
    else if (!strcmp(option, "--min-p")) *why = set_min_p(s, value);
    else if (!strcmp(option, "--top-k")) {
        if (!read_whole(value, UINT32_MAX, &n)) *why = "--top-k takes 0 (all ids) or a number of ids";
        s->top_k = (uint32_t)n;
    } else if (!strcmp(option, "--sampling-seed")) {
        if (!read_whole(value, UINT64_MAX, &n)) *why = "--sampling-seed takes 0 to 18446744073709551615";
        s->seed = n;
    } else return false;
    return true;
}

const char *sampling_refusal(const struct sampling *s, int64_t most) {
    bool any = s->inverse || s->top_k || s->min_p || s->seed;
    if (any && !most)
        return "the design chooses the most likely id alone; `design: {sampling: 64}` makes one that samples";
    if (s->top_k > most) return "--top-k is above the design's `sampling`, the longest list that it keeps";
    if (s->min_p && !s->top_k)
        return "--min-p goes with --top-k: it is a bound within the list of the k most likely ids";
    return NULL;
}
