// SPDX-License-Identifier: Apache-2.0
// The terms of the cost formulas: how many LUTs, flip-flops and DSPs a lane, a bit, a port or a whole module takes. A
// formula in the file of a kernel multiplies a term by the number of lanes, bits or ports. The figures are in
// include/costs.def, which verif/cost/fit.sh makes from the syntheses in verif/cost/measured.txt.
#ifndef RILL_KERNEL_TERMS_H
#define RILL_KERNEL_TERMS_H

#include "gen/kernel/kernel.h"

enum cost_term {
#define COST(name, ...) PER_##name,
#include "include/costs.def"
#undef COST
    COST_TERMS
};

struct cost_amount { // what one unit of a term takes
    double lut, ff;
    int64_t dsp;
};

const char *cost_term_name(enum cost_term); // the name in include/costs.def
// Replaces the figures of all terms. The program that fits the figures calls this. The array, indexed by enum
// cost_term, must stay valid. NULL restores the figures of include/costs.def.
void cost_use(const struct cost_amount[]);

// These functions add whole cells: the complete product is rounded, not its factors. n, x and y count lanes, bits,
// ports and so on. cost_per adds n * term.
void cost_per(struct cost_resources *, int64_t n, enum cost_term);
// These two add only LUTs and flip-flops: n * x * term, and n * (x * a + y * b) with the terms a and b.
void cost_times(struct cost_resources *, int64_t n, double x, enum cost_term);
void cost_mix(struct cost_resources *, int64_t n, double x, enum cost_term, double y, enum cost_term);

#endif
