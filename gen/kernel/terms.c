// SPDX-License-Identifier: Apache-2.0
// The figures of all terms of the cost formulas, from include/costs.def, and the functions by which a formula adds a
// term to the resources of a module (terms.h).
#include "gen/kernel/terms.h"

static const struct cost_amount fitted[] = {
#define COST(name, lut, ff, dsp, ...) {lut, ff, dsp},
#include "include/costs.def"
#undef COST
};

static const char *const name_of[] = {
#define COST(name, ...) #name,
#include "include/costs.def"
#undef COST
};

static const struct cost_amount *used = fitted; // the figures in use (cost_use)

const char *cost_term_name(enum cost_term term) { return name_of[term]; }

void cost_use(const struct cost_amount amount[]) { used = amount ? amount : fitted; }

// Adds n times these amounts, rounded to whole cells.
static void add(struct cost_resources *r, int64_t n, double lut, double ff) {
    r->lut += (int64_t)((double)n * lut + 0.5);
    r->ff += (int64_t)((double)n * ff + 0.5);
}

void cost_per(struct cost_resources *r, int64_t n, enum cost_term term) {
    add(r, n, used[term].lut, used[term].ff);
    r->dsp += n * used[term].dsp;
}

void cost_times(struct cost_resources *r, int64_t n, double x, enum cost_term term) {
    add(r, n, x * used[term].lut, x * used[term].ff);
}

void cost_mix(struct cost_resources *r, int64_t n, double x, enum cost_term a, double y, enum cost_term b) {
    add(r, n, x * used[a].lut + y * used[b].lut, x * used[a].ff + y * used[b].ff);
}
