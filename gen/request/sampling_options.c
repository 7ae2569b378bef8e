// SPDX-License-Identifier: Apache-2.0
// The sampling options (--temperature, --top-k, --min-p, --sampling-seed), shared by all commands that select tokens.
// The functions set_* store a value in struct sampling; they return NULL, or what the option takes.
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

static const char *set_temperature(struct arena *arena, void *into, const char *text) {
    struct sampling *s = into;
    float t;
    (void)arena;
    if (!read_float(text, &t) || !(t == 0 || (t >= 0.01f && t <= 100)))
        return "it takes 0 (the most likely id) or 0.01 to 100";
    float inverse = t > 0 ? 1 / t : 0;
    memcpy(&s->inverse, &inverse, sizeof inverse); // the field holds the bits of fp32
    return NULL;
}

static const char *set_min_p(struct arena *arena, void *into, const char *text) {
    struct sampling *s = into;
    float p;
    (void)arena;
    if (!read_float(text, &p) || !(p == 0 || (p >= 1e-30f && p <= 1))) return "it takes 0 (none) or 1e-30 to 1";
    p = p > 0 ? p : 0; // avoids negative zero
    memcpy(&s->min_p, &p, sizeof p);
    return NULL;
}

static const char *set_top_k(struct arena *arena, void *into, const char *text) {
    struct sampling *s = into;
    char *end;
    (void)arena;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || n > UINT32_MAX) return "it takes 0 (all ids) or a number of ids";
    s->top_k = (uint32_t)n;
    return NULL;
}

const struct option_row sampling_rows[] = {
    {"--temperature", "T", OPTION_CALL, 0, 0, .call = set_temperature,
     .group = "Random sampling, in a design with `sampling`", .help = "0.01 to 100, or 0 for the most likely token"},
    {"--top-k", "K", OPTION_CALL, 0, 0, .call = set_top_k,
     .help = "draw only from the K most likely tokens. 0: from all"},
    {"--min-p", "P", OPTION_CALL, 0, 0, .call = set_min_p,
     .help = "with `--top-k`: draw only tokens at least P times as likely as the most likely one"},
    {"--sampling-seed", "S", OPTION_COUNT, 0, offsetof(struct sampling, seed), .help = "seed of the random numbers"},
    {0}};
