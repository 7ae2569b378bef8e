// SPDX-License-Identifier: Apache-2.0
// The terms of the cost formulas: how many LUTs, flip-flops and DSPs a lane, a bit, a port or a whole module takes. The
// formulas say what multiplies a term. The figures are in include/costs.def, which verif/cost/fit.sh makes from the
// syntheses in verif/cost/measured.txt.
#ifndef RILL_KERNEL_TERMS_H
#define RILL_KERNEL_TERMS_H

#include "gen/kernel/kernel.h"

enum cost_term {
#define COST(name, ...) PER_##name,
#include "include/costs.def"
#undef COST
    COST_TERMS
};

struct cost_amount {
    double lut, ff;
    int64_t dsp;
};

const char *cost_term_name(enum cost_term); // as in include/costs.def
// Replaces the figures of all terms, for the program that fits them. NULL: back to include/costs.def.
void cost_use(const struct cost_amount[]);

// Each of these functions adds whole cells, so a product is rounded once. n, x and y count lanes, bits, ports, ...
void cost_per(struct cost_resources *, int64_t n, enum cost_term); // n times the term
// These two add LUTs and FFs only: n * x times the term, and n times the sum of x times one term and y times another
// one.
void cost_times(struct cost_resources *, int64_t n, double x, enum cost_term);
void cost_mix(struct cost_resources *, int64_t n, double x, enum cost_term, double y, enum cost_term);

#endif
