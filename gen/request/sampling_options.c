// SPDX-License-Identifier: Apache-2.0
// The sampling options (--temperature, --top-k, --min-p, --sampling-seed), shared by all commands that select tokens.
// read_temperature, read_min_p, read_top_k and read_seed store a value in *s. They return NULL, or a message that says
// what the option takes.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/sampling.h"
#include "gen/request/sim_options.h"

static bool read_float(const char *text, float *value) {
    char *end;
    *value = strtof(text, &end);
    return end != text && !*end;
}

static const char *read_temperature(struct sampling *s, const char *text) {
    float t;
    if (!read_float(text, &t) || !(t == 0 || (t >= 0.01f && t <= 100)))
        return "it takes 0 (the most likely id) or 0.01 to 100";
    float inverse = t > 0 ? 1 / t : 0;
    memcpy(&s->inverse, &inverse, sizeof inverse); // the field holds the bits of fp32
    return NULL;
}

static const char *read_min_p(struct sampling *s, const char *text) {
    float p;
    if (!read_float(text, &p) || !(p == 0 || (p >= 1e-30f && p <= 1))) return "it takes 0 (none) or 1e-30 to 1";
    p = p > 0 ? p : 0; // avoids negative zero
    memcpy(&s->min_p, &p, sizeof p);
    return NULL;
}

static bool read_whole(const char *text, uint64_t *value) {
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && !errno;
}

static const char *read_top_k(struct sampling *s, const char *text) {
    uint64_t n;
    if (!read_whole(text, &n) || n > UINT32_MAX) return "it takes 0 (all ids) or a number of ids";
    s->top_k = (uint32_t)n;
    return NULL;
}

static const char *read_seed(struct sampling *s, const char *text) {
    return read_whole(text, &s->seed) ? NULL : "it takes a whole number";
}

const char *sampling_read(enum sampling_setting setting, struct sampling *s, const char *text) {
    static const char *(*const read[])(struct sampling *, const char *) = {
        [SAMPLING_TEMPERATURE] = read_temperature,
        [SAMPLING_TOP_K] = read_top_k,
        [SAMPLING_MIN_P] = read_min_p,
        [SAMPLING_SEED] = read_seed,
    };
    return read[setting](s, text);
}

void sampling_copy(enum sampling_setting setting, const struct sampling *from, struct sampling *to) {
    switch (setting) {
    case SAMPLING_TEMPERATURE: to->inverse = from->inverse; break;
    case SAMPLING_TOP_K: to->top_k = from->top_k; break;
    case SAMPLING_MIN_P: to->min_p = from->min_p; break;
    default: to->seed = from->seed; break;
    }
}

static const char *set_temperature(struct arena *arena, void *into, const char *text) {
    (void)arena;
    return read_temperature(into, text);
}

static const char *set_top_k(struct arena *arena, void *into, const char *text) {
    (void)arena;
    return read_top_k(into, text);
}

static const char *set_min_p(struct arena *arena, void *into, const char *text) {
    (void)arena;
    return read_min_p(into, text);
}

static const char *set_seed(struct arena *arena, void *into, const char *text) {
    (void)arena;
    return read_seed(into, text);
}

const struct option_row sampling_rows[] = {SAMPLING_ROWS(set, 0, ""), {0}};
